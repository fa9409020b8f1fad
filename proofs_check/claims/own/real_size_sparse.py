"""Sparse histograms at |X| = 2^64 and more, our own.

The explorer follows intervals of draws, so that a law with few outcomes is exact however large the numbers are. Where a label
is drawn from 2^64 of them, it is given: the one of the first, middle or last rank that is free. The law is the one given that.
"""

from collections.abc import Callable, Collection, Iterable
from typing import Any, NamedTuple

from attrs import frozen
from gmpy2 import mpq

from finitedp.impl.histograms.distinct import distinct_sample
from finitedp.impl.histograms.pure_sparse import PureSparseHistogram
from finitedp.impl.histograms.sampled_sparse import SparseHistogram
from finitedp.impl.histograms.universe import Integers
from finitedp.impl.randomness.coins import Coins
from finitedp.proofs_check.claims.bv.sparse.parts import Bins, FewerEmptyBins, InParts, SortedEmptyBins
from finitedp.proofs_check.claims.bv.sparse.toys import OneUp
from finitedp.proofs_check.engine.explorer import explore
from finitedp.proofs_check.ledger.entry import Finding, but, cases, in_scope
from finitedp.proofs_check.ledger.findings import all_of, equal, own, same_law
from finitedp.spec.mixing import mixed
from finitedp.spec.order_statistics import approx_top_order_statistics
from finitedp.spec.pmf import Pmf, product

Counts = tuple[tuple[int, int], ...]
"""Labels that occur, in order, with their counts."""


PLACES: dict[str, Callable[[int], int]] = {"first": lambda _d: 1, "middle": lambda d: d // 2 + 1, "last": lambda d: d}
"""Which of the ranks 1..d a draw of a label is given."""


class Given:
    """Coins whose draws of labels, which are those from 1..|X| or with the public bound |X|, are given; they are recorded."""

    def __init__(self, coins: Coins, size: int, place: str) -> None:
        self.slack, self.bits = coins.slack, coins.bits
        self._coins, self._size, self._place = coins, size, PLACES[place]
        self.drawn = list[int]()

    def uniform(self, d: int, most: int | None = None) -> int:
        if self._size not in (d, most):
            return self._coins.uniform(d, most)
        self.drawn.append(int(d))
        return self._place(int(d))


def _free(size: int, taken: Iterable[int], place: str, number: int) -> tuple[int, ...]:
    """The labels of the given ranks among those that are free, one after the other: by counting those taken below."""
    gone, sequence = set(taken), list[int]()
    for _ in range(number):
        x = PLACES[place](size - len(gone)) - 1
        for other in sorted(gone):
            x += other <= x
        gone.add(x)
        sequence.append(x)
    return tuple(sequence)


def _heaviest(bins: Bins, n: int) -> Bins:
    bar = sorted((count for _, count in bins), reverse=True)[n]
    return tuple(pair for pair in bins if pair[1] > bar)


class Sparse(NamedTuple):
    """|X|, n, the labels that occur with their counts, noise of probability 1/d, 1/delta or 1/beta_1, and which labels."""

    size: int
    n: int
    counts: Counts
    d: int
    r: int
    place: str

    def check_scope(self) -> None:
        in_scope(all(len(each) == 2 for each in self.counts), "a label and its count, each time")
        labels, counts = [x for x, _ in self.counts], [count for _, count in self.counts]
        in_scope(len(set(labels)) == len(labels) and all(0 <= x < self.size for x in labels), "labels of X, each once")
        in_scope(all(count >= 1 for count in counts) and sum(counts) <= self.n, "labels that occur, in at most n rows")
        in_scope(self.n >= 1 and self.size >= 2 * self.n + 1, "|X| of at least 2n + 1")
        in_scope(self.d >= 2 and self.r >= 2, "probabilities below 1")
        in_scope(self.size not in (self.d, self.r, self.n + 1), "no draw but that of a label from 1..|X|, which tells it")

    def __str__(self) -> str:
        return (
            f"|X| about 2^{self.size.bit_length() - 1}, n={self.n}, counts {self.counts}, 1/{self.d}, the {self.place} labels"
        )

    @property
    def noise(self) -> OneUp:
        return OneUp(self.n, self.d)

    def law(self, s: int) -> Pmf[Bins]:
        """The law of SparseHistogram given its labels, by the definition."""
        truths = dict(self.counts)
        noisy = product([self.noise.law(c) for c in truths.values()])
        values = [self.noise.cdf(0, z) for z in range(self.n + 1)]
        top = approx_top_order_statistics(values, self.size - len(truths), s)
        labels = _free(self.size, truths, self.place, self.n + 1)

        def bins(drawn: tuple[tuple[int, ...], tuple[int, ...]]) -> Bins:
            counts, largest = drawn
            every = [*zip(truths, counts, strict=True), *zip(labels, largest, strict=True)]
            return _heaviest(tuple(sorted(every)), self.n)

        return product([noisy, top]).pushforward(bins)  # type: ignore[arg-type]  # tuples of integers, both


HUGE = 2**64
SIX = (0, 7, 2**20, 2**31 + 1, 2**32, 2**33 - 1)
NOISE = HUGE + 1  # some empty bin gets a count, or none, about as often; |X| itself is what tells draws of labels
SPARSE = [
    (HUGE, 1, (), NOISE, 2, "first"),
    (HUGE, 2, ((HUGE - 2, 1), (HUGE - 1, 1)), NOISE, 5, "last"),
    (HUGE, 2, ((2**63, 2),), NOISE, 10**6, "middle"),
    (2**128 + 1, 1, ((2**127, 1),), 2**128, 2, "middle"),
    (2**33, 6, tuple((x, 1) for x in SIX), NOISE, 3, "last"),
]
MORE = [
    (HUGE, 6, tuple((x, 1) for x in (*SIX[:-1], HUGE - 1)), NOISE, 3, "last"),
    *((2**33, 2, ((0, 1), (2**32, 1)), 2**33 + 1, 7, place) for place in PLACES),
]


def _sparse(case: Sparse) -> SparseHistogram[int]:
    return SparseHistogram(case.noise, Integers(0, case.size - 1), mpq(1, case.r))


class _FiveNoisy(InParts):
    """Broken: from the sixth label on counts are as they are."""

    def release(self, data: Iterable[int], coins: Coins) -> Bins:
        object.__setattr__(self, "_left", 5)
        return super().release(data, coins)

    def noisy(self, count: int, coins: Coins) -> int:
        """With noise, five times."""
        left: int = self._left  # type: ignore[attr-defined]  # set above
        object.__setattr__(self, "_left", left - 1)
        return super().noisy(count, coins) if left else count


def _in_parts(kind: type[InParts]) -> Callable[[Sparse], InParts]:
    return lambda case: kind(case.noise, case.size, _sparse(case).top)


def _released(make: Callable[[Sparse], Any], case: Sparse) -> tuple[Pmf[Bins], set[tuple[int, ...]]]:
    """The law of the released bins given the labels, and the ranges from which labels were drawn, on each path."""
    made, rows, ranges = make(case), [x for x, count in case.counts for _ in range(count)], set[tuple[int, ...]]()

    def program(coins: Coins) -> Bins:
        given = Given(coins, case.size, case.place)
        released: Bins = made.release(rows, given)
        ranges.add(tuple(given.drawn))
        return released

    return explore(program).law(), ranges


def _drawn_from(case: Sparse) -> tuple[int, ...]:
    return tuple(case.size - len(case.counts) - i for i in range(case.n + 1))


@own(
    "FD.RealSize.sparse",
    """SparseHistogram draws its labels from all that do not occur, and given these its bins are those of Algorithm 6.21, at
    |X| of 2^64 and 2^128 and with six labels that occur.""",
    over="labels at the first, middle or last free ranks; the joint law of the running code by the explorer, given the labels",
    code=["finitedp.impl.histograms.sampled_sparse.SparseHistogram"],
    grid=cases(Sparse, SPARSE, MORE),
    subject=_sparse,
    twins={
        "labels of 32 bits": _in_parts(but(InParts, empty_bins=lambda self, sequence: tuple(x % 2**32 for x in sequence))),
        "at most 2^32 empty bins": _in_parts(
            but(InParts, empties=lambda self, present: min(InParts.empties(self, present), 2**32))
        ),
        "one empty bin more": _in_parts(
            but(InParts, empties=lambda self, present: InParts.empties(self, present) + (present > 0))
        ),
        "m = |X| - n": _in_parts(FewerEmptyBins),
        "a sorted set of empty bins": _in_parts(SortedEmptyBins),
        "no noise from the sixth label on": _in_parts(_FiveNoisy),
    },
)
def sparse(make: Callable[[Sparse], Any], case: Sparse) -> Finding:
    found, ranges = _released(make, case)
    s = 1 << ((case.n**2 + 2 * case.n) * case.size * case.r - 1).bit_length()
    return all_of([same_law(found, case.law(s), "released bins"), equal(ranges, {_drawn_from(case)}, "ranges of labels")])


def _pure(case: Sparse) -> PureSparseHistogram[int]:
    return PureSparseHistogram(case.noise, Integers(0, case.size - 1), 1, mpq(1, case.r))


@frozen
class _SmallSpread:
    """Broken: the distance of a universe of 2^32 labels."""

    case: Sparse

    def release(self, data: Iterable[int], coins: Coins) -> Bins:
        right, small = _pure(self.case), _pure(self.case._replace(size=2**32))
        base: SparseHistogram[int] = SparseHistogram(right.mechanism, right.universe, small.sparse.delta)
        chosen = coins.uniform(self.case.r) <= 1
        kept, other = base.release(data, coins), right.release((), _Alternative(coins))
        return other if chosen else kept


class _Alternative:
    """Coins with which a mixture keeps the random histogram."""

    def __init__(self, coins: Coins) -> None:
        self.slack, self.bits, self._coins, self._chosen = coins.slack, coins.bits, coins, False

    def uniform(self, d: int, most: int | None = None) -> int:
        first, self._chosen = not self._chosen, True
        return 1 if first else self._coins.uniform(d, most)


@own(
    "FD.RealSize.pure-sparse",
    """PureSparseHistogram at |X| of 2^64 and 2^128: given the labels, SparseHistogram's bins at delta = (epsilon/3) beta_1
    (1/(3|X|))^n, and with probability beta_1 a uniform count of a random label; labels are drawn from all of X.""",
    over="labels at the first, middle or last ranks; the joint law of the running code by the explorer, given the labels",
    code=["finitedp.impl.histograms.pure_sparse.PureSparseHistogram"],
    grid=cases(Sparse, [SPARSE[i] for i in (0, 1, 3)], [SPARSE[2], *MORE[1:]]),
    subject=_pure,
    twins={"the distance of 2^32 labels": _SmallSpread, "SparseHistogram alone": lambda case: _pure(case).sparse},
)
def pure_sparse(make: Callable[[Sparse], Any], case: Sparse) -> Finding:
    found, ranges = _released(make, case)
    inverse = 3 * case.r * (3 * case.size) ** case.n
    s = 1 << ((case.n**2 + 2 * case.n) * case.size * inverse - 1).bit_length()
    label = PLACES[case.place](case.size) - 1
    random: Pmf[Bins] = Pmf.uniform(range(case.n + 1)).pushforward(lambda count: ((label, count),) if count else ())
    expected = mixed(case.law(s), random, mpq(1, case.r))
    drawn = equal(ranges, {_drawn_from(case) + (case.size,) * case.n}, "ranges of labels")
    return all_of([same_law(found, expected, "released bins"), drawn])


Draw = Callable[[int, Collection[int], int, Coins, int | None], tuple[int, ...]]


class Distinct(NamedTuple):
    """`number` distinct integers in 0..size-1 outside of `excluded`, at the given ranks."""

    size: int
    excluded: tuple[int, ...]
    number: int
    place: str


class _Ranks:
    """Coins that give ranks, and record what they are asked."""

    slack = mpq(1)

    def __init__(self, place: str) -> None:
        self._place, self.asked = PLACES[place], list[tuple[int, int | None]]()

    def uniform(self, d: int, most: int | None = None) -> int:
        self.asked.append((d, most))
        return self._place(d)

    def bits(self, b: int) -> int:
        raise AssertionError(b)


@own(
    "FD.RealSize.distinct",
    """DistinctSample draws the rank of each integer among all that are left of 2^64, 2^65 + 1 or 10^30, and finds the integer
    of the first, the middle and the last rank.""",
    over="sets of up to seven integers, at both ends, beyond 2^32 and 2^53; the running code on these ranks, against counting",
    code=["finitedp.impl.histograms.distinct.distinct_sample"],
    grid=cases(
        Distinct,
        (
            (size, excluded, 3, place)
            for size in (HUGE, 2**65 + 1, 10**30)
            for excluded in ((), (0, 1, size // 2, size - 1), (2, 2**32, 2**53 + 1, size - 3, size - 2, size - 1, 0))
            for place in PLACES
        ),
        ((2**129, tuple(2**k for k in range(0, 129, 8)), 8, place) for place in PLACES),
    ),
    subject=distinct_sample,
    twins={
        "labels of 32 bits": lambda size, excluded, number, coins, most: distinct_sample(
            min(size, 2**32), [x for x in excluded if x < 2**32], number, coins, most
        ),
        "labels of 53 bits": lambda *asked: tuple(int(float(x)) for x in distinct_sample(*asked)),
        "a sorted set": lambda *asked: tuple(sorted(distinct_sample(*asked))),
    },
)
def distinct(draw: Draw, case: Distinct) -> Finding:
    coins: Any = _Ranks(case.place)
    found = draw(case.size, case.excluded, case.number, coins, len(case.excluded))
    left = [(case.size - len(case.excluded) - i, case.size) for i in range(case.number)]
    expected = _free(case.size, case.excluded, case.place, case.number)
    return all_of([equal(found, expected, "integers"), equal(coins.asked, left, "ranges of the draws")])
