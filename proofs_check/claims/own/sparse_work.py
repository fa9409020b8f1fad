"""The work of a PureSparseHistogram release at real parameters: the same for every dataset, result and choice."""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, NamedTuple

from gmpy2 import mpq

from finitedp.impl.histograms.pure_sparse import PureSparseHistogram, pure_sparse_histogram_with_geo_sample, random_histogram
from finitedp.impl.histograms.universe import Integers
from finitedp.impl.randomness.coins import Coins, SeededBits, StrictCoins
from finitedp.proofs_check.checks.work import work_of
from finitedp.proofs_check.ledger.entry import Finding, cases
from finitedp.proofs_check.ledger.findings import equal, own

READING = (
    "index",
    "_count_of",
    "label",
    "indexed",
    "size",
    "<lambda>",
    "<genexpr>",
    "_heaviest.<locals>",
    "heavier_than",
    "BitMeter",
)
"""Parts of names of functions that read the dataset, list the output, or are called once for each of these."""


class Real(NamedTuple):
    """n rows, |X| = 2^log_size, epsilon = 1/q; whether the order statistics are guarded."""

    n: int
    log_size: int
    q: int
    guarded: bool


PARAMETERS = cases(
    Real,
    [(7, 20, 2, False), (12, 32, 1, True)],
    [(20, 64, 10, True), (31, 64, 10, True), (100, 64, 1, True), (16, 128, 1, False)],
)
Make = Callable[[Real], Any]


def running(case: Real) -> PureSparseHistogram[int]:
    """The running PureSparseHistogram."""
    universe = Integers(0, 2**case.log_size - 1)
    return pure_sparse_histogram_with_geo_sample(universe, case.n, mpq(1, case.q), 1, guarded=case.guarded)


class _Keeping:
    """Coins whose first draw is given, the choice of what is kept; the others are as they come."""

    def __init__(self, first: int, coins: Coins) -> None:
        self.slack = coins.slack
        self._first: int | None = first
        self._coins = coins

    def uniform(self, d: int, most: int | None = None) -> int:
        drawn = self._coins.uniform(d, most)
        first, self._first = self._first, None
        return drawn if first is None else first

    def bits(self, b: int) -> int:
        return self._coins.bits(b)


class _Least:
    """Broken: a discarded computation's draws are all 1, which is at the edge of every distribution function."""

    def __init__(self, coins: Coins) -> None:
        self.slack = coins.slack
        self._coins = coins

    def uniform(self, d: int, most: int | None = None) -> int:
        self._coins.uniform(d, most)
        return 1

    def bits(self, b: int) -> int:
        self._coins.bits(b)
        return 0


class _Lazy:
    """Broken: the part that is not kept runs on the least draws, or not at all."""

    def __init__(self, case: Real, *, at_all: bool) -> None:
        self._histogram, self._at_all = running(case), at_all

    def release(self, data: Iterable[int], coins: Coins) -> object:
        histogram, rows = self._histogram, list(data)
        random = coins.uniform(int(histogram.beta_1.denominator)) <= 1
        kept = histogram.sparse.release(rows, _Least(coins) if random else coins) if self._at_all or not random else ()
        if not self._at_all and not random:
            return kept
        other = random_histogram(histogram.universe, histogram.mechanism.n, coins if random else _Least(coins))
        return other if random else kept


def _datasets(n: int) -> Iterator[list[int]]:
    yield [5] * n
    yield [1 << 10] * (n // 2) + list(range(n - n // 2))
    yield list(range(n))


def _works(histogram: Any, case: Real) -> set[frozenset[tuple[str, int]]]:  # noqa: ANN401  # the original or a broken copy
    found = set()
    for data in _datasets(case.n):
        for seed, first in ((1, 1), (2, 2), (3, 2)):
            bits = SeededBits(seed, not_private=True)
            histogram.release(data, _Keeping(first, StrictCoins(bits)))  # tails that were computed are remembered
            bits = SeededBits(seed, not_private=True)
            calls = work_of(lambda b=bits, f=first, d=data: histogram.release(d, _Keeping(f, StrictCoins(b))))  # type: ignore[misc]
            found.add(frozenset((name, times) for name, times in calls.items() if not any(part in name for part in READING)))
    return found


@own(
    "FD.PureSparseHistogram.work",
    """A release of PureSparseHistogram calls the same functions equally often for every dataset, result, and whichever of its
    two parts is kept, at real parameters, guarded or not. (Sampled coins; reading the rows and listing the output apart.)""",
    over="three datasets, sampled draws, both choices, at the parameters of the grid; functions called in finitedp.impl",
    code=["finitedp.impl.histograms.pure_sparse.PureSparseHistogram.release", "finitedp.impl.randomness.coins.UnusedDraws"],
    grid=PARAMETERS,
    subject=running,
    twins={
        "discarded part on the least draws": partial(_Lazy, at_all=True),
        "only what is kept": partial(_Lazy, at_all=False),
    },
    sampled="three datasets, and seeded draws",
)
def same_work(make: Make, case: Real) -> Finding:
    works = _works(make(case), case)
    first, *others = sorted(works, key=sorted)
    differing = sorted({name for other in others for name, _ in first ^ other})[:3]
    return equal(len(works), 1, f"different amounts of work {' '.join(differing)}".rstrip())
