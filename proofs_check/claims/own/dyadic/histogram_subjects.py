"""Small BasicHistograms and StabilityHistograms on dyadic tables: datasets, laws from spec, and given words."""

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import cycle, islice, product
from typing import Any, NamedTuple

from gmpy2 import mpq

from finitedp.exact import RationalLike
from finitedp.impl.counting.dyadic import DyadicSample
from finitedp.impl.counting.dyadic_table import LARGEST_WORD
from finitedp.impl.histograms.basic import BasicHistogram
from finitedp.impl.histograms.dyadic import least_threshold
from finitedp.impl.histograms.stability import StabilityHistogram
from finitedp.proofs_check.claims.own.dyadic.subjects import Dyadic
from finitedp.proofs_check.ledger.entry import Finding, in_scope
from finitedp.proofs_check.ledger.findings import equal
from finitedp.proofs_check.ledger.grids import letters
from finitedp.spec import dyadic as spec
from finitedp.spec import stability as spec_stability
from finitedp.spec.neighbours import multisets
from finitedp.spec.pmf import Pmf

Labels = tuple[str, ...]


class Threshold(NamedTuple):
    """n, epsilon and the bits of a word of a table, and delta."""

    n: int
    epsilon: str
    word: int
    delta: str

    @property
    def dyadic(self) -> Dyadic:
        return Dyadic(self.n, self.epsilon, self.word)

    def law(self, count: int) -> Pmf[int]:
        return spec.law(self.dyadic.weights, count)

    @property
    def b(self) -> int:
        """The least threshold, from spec."""
        return _least_threshold(self)

    def of_the_double(self) -> "Threshold":
        """The same for 2 epsilon, whose table serves for a row more or less."""
        return self._replace(epsilon=str(2 * mpq(self.epsilon)))

    def check_scope(self) -> None:
        in_scope(self.n >= 1 and mpq(self.epsilon) > 0 and 0 < mpq(self.delta) < 1, "n >= 1, epsilon > 0, delta in (0, 1)")
        in_scope(2 <= self.word <= LARGEST_WORD, "a word that a table may have")

    def check_shown(self) -> None:
        """Raises: OutOfScopeError where there is no table, or every release is empty, so that the library makes none."""
        in_scope(self.b < self.n, "a threshold below n")


@lru_cache(maxsize=256)
def _least_threshold(of: Threshold) -> int:
    return spec_stability.least_threshold(of.law, mpq(of.delta))


def _labels(counts: Sequence[int]) -> Labels:
    """So many rows of a, b, c, ..."""
    return tuple(label for label, count in zip(letters(len(counts)), counts, strict=True) for _ in range(count))


def _check_rows(of: Threshold, counts: Sequence[int], more: int) -> None:
    of.check_scope()
    in_scope(min(counts, default=0) >= 0, "counts of rows")
    in_scope(1 <= sum(counts) + more <= of.n, "a row at least, and at most n")


class Rows(NamedTuple):
    """A table with its threshold, and how many rows of a dataset have each label: n is a bound, not their number."""

    of: Threshold
    counts: tuple[int, ...]

    @property
    def data(self) -> Labels:
        return _labels(self.counts)

    def check_scope(self) -> None:
        _check_rows(self.of, self.counts, 0)


class Changed(NamedTuple):
    """A table with its threshold, and two datasets that have all but one row in common: the labels of this one by place."""

    of: Threshold
    common: tuple[int, ...]
    away: int
    to: int

    @property
    def first(self) -> Labels:
        return _with_a_row(self.common, self.away)

    @property
    def second(self) -> Labels:
        return _with_a_row(self.common, self.to)

    def check_scope(self) -> None:
        _check_rows(self.of, self.common, 1)
        in_scope(0 <= min(self.away, self.to) < max(self.away, self.to) < len(self.common), "two labels")


class Added(NamedTuple):
    """A table with its threshold, a dataset, and the place of the label of which a row is added."""

    of: Threshold
    common: tuple[int, ...]
    to: int

    @property
    def both(self) -> tuple[Labels, Labels]:
        """The dataset without the row, and with it."""
        return _labels(self.common), _with_a_row(self.common, self.to)

    def check_scope(self) -> None:
        _check_rows(self.of, self.common, 1)
        in_scope(0 <= self.to < len(self.common), "a label")


def _with_a_row(counts: tuple[int, ...], at: int) -> Labels:
    return _labels((*counts[:at], counts[at] + 1, *counts[at + 1 :]))


def _counts(size: int, rows: int) -> Iterator[tuple[int, ...]]:
    """All datasets of so many rows over so many labels, as counts."""
    return (tuple(map(data.count, range(size))) for data in multisets(range(size), rows))


class Case(NamedTuple):
    """A universe of `size` labels, at most n rows, epsilon, the bits of a word, and delta."""

    size: int
    n: int
    epsilon: str
    word: int
    delta: str = "0"

    @property
    def universe(self) -> Labels:
        return letters(self.size)

    @property
    def stable(self) -> Threshold:
        """The table with its threshold."""
        return Threshold(*self[1:])

    def datasets(self) -> Iterator[Labels]:
        """All datasets of 1..n rows: n is a bound, not their number."""
        return (rows.data for rows in self.rows())

    def rows(self) -> Iterator[Rows]:
        """The same, as counts."""
        return (Rows(self.stable, x) for many in range(1, self.n + 1) for x in _counts(self.size, many))

    def pairs(self) -> Iterator[tuple[Labels, Labels]]:
        """All neighbours among them."""
        return ((x.first, x.second) for x in self.changed())

    def changed(self) -> Iterator[Changed]:
        """The same, as counts and the row that they do not have in common."""
        for rows in range(self.n):
            for common, away, to in product(_counts(self.size, rows), range(self.size), range(self.size)):
                if away != to:
                    yield Changed(self.stable, common, away, to)

    def added(self) -> Iterator[Added]:
        """All datasets of fewer than n rows, with all that a row can make of them."""
        for rows in range(self.n):
            yield from (Added(self.stable, x, to) for x, to in product(_counts(self.size, rows), range(self.size)))

    def of_the_double(self) -> "Case":
        """The same for 2 epsilon, whose table serves for a row more or less."""
        return self._replace(epsilon=str(2 * mpq(self.epsilon)))


MakeBasic = Callable[[Labels, int, RationalLike, int], BasicHistogram[str]]


def basic_on(make: Callable[[int, RationalLike, int], DyadicSample], times: int = 1, kind: Any = BasicHistogram) -> MakeBasic:  # noqa: ANN401  # a class
    """BasicHistogram, or a broken copy, on another table, of some times epsilon."""
    return lambda labels, n, epsilon, word: kind(make(n, times * mpq(epsilon), word), labels)


MakeStability = Callable[[int, RationalLike, RationalLike, int], StabilityHistogram[Any]]


def stability_on(
    make: Callable[[int, RationalLike, int], DyadicSample] = DyadicSample,
    step: int = 0,
    *,
    times: int = 1,
    of: int = 1,
    kind: Any = StabilityHistogram,  # noqa: ANN401  # a class of histograms
) -> MakeStability:
    """The histogram, or a broken copy, on a table of some times epsilon, with the right threshold of others, and a step."""

    def made(n: int, epsilon: RationalLike, delta: RationalLike, word: int) -> StabilityHistogram[Any]:
        right = DyadicSample(n, of * mpq(epsilon), word)
        threshold = min(max(least_threshold(right, delta) + step, 0), n)
        broken: StabilityHistogram[Any] = kind(make(n, times * mpq(epsilon), word), threshold)
        return broken

    return made


@lru_cache(maxsize=64)
def unpadded(make: MakeStability, case: Threshold, table: Threshold) -> StabilityHistogram[str]:
    """Without draws for labels that might be. Raises: OutOfScopeError where the table shows nothing."""
    table.check_shown()
    made = make(case.n, case.epsilon, case.delta, case.word)
    return type(made)(made.mechanism, made.b, padded=False)


Delta = Callable[[StabilityHistogram[str], mpq], mpq]


def deltas(
    delta: Delta, made: StabilityHistogram[str], table: Threshold, ratio: mpq, name: str, attains: bool
) -> Iterator[Finding]:
    """That the delta of a pair of datasets is Pr[M(1) > b] at any ratio, attained, and above the stated one for a lesser b."""
    exact = spec_stability.threshold_delta(table.law, table.b)
    for at in (ratio, ratio * 10**12):
        found = delta(made, at)
        largest = found if attains else max(found, exact)
        yield equal(largest, exact, f"delta at {name if at == ratio else '10^12 times that'} is Pr[M(1) > b]")
    if made.b and attains:
        less = StabilityHistogram[str](made.mechanism, made.b - 1, padded=False)
        yield equal(delta(less, ratio) > mpq(table.delta), True, "with b - 1, delta is exceeded")


class Listed:
    """A source that hands out given words, over and over, and records how it was read."""

    name = "listed"

    def __init__(self, words: Sequence[int], bits: int) -> None:
        self._words, self._spare = cycle(words), 64 - bits
        self.reads = list[int]()

    def read(self, size: int) -> bytes:
        """The next words, each in the first bits of eight bytes, of which the others are 1."""
        self.reads.append(size)
        taken = islice(self._words, size // 8)
        return b"".join(((word << self._spare) + (1 << self._spare) - 1).to_bytes(8, "little") for word in taken)
