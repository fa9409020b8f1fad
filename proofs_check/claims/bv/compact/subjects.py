"""CompactHistogram as the explorer sees it: over toys, the law of all coefficients; over large fields, by labels.

A polynomial corresponds one to one to its values at n + 1 points (BV.Lem8.1.independence), so that a worst ratio comes from
the labels that a row leaves and joins.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any, NamedTuple

from gmpy2 import mpq

from finitedp.impl.arithmetic.field_elements import FieldElements
from finitedp.impl.counting.geometric import CountingMechanism
from finitedp.impl.histograms.compact import CompactHistogram
from finitedp.impl.randomness.coins import Coins
from finitedp.proofs_check.checks.worst_case import miss_over_bins
from finitedp.proofs_check.claims.bv.compact.toys import ToyTable
from finitedp.proofs_check.claims.bv.counting.subjects import running_law
from finitedp.proofs_check.claims.bv.histograms.subjects import row_moves
from finitedp.proofs_check.claims.bv.sparse.toys import ToyGeometric
from finitedp.proofs_check.engine.explorer import Exploration, explore
from finitedp.proofs_check.ledger.entry import in_scope
from finitedp.spec.accuracy import miss_probability
from finitedp.spec.pmf import Pmf

Rows = tuple[int, ...]

Coefficients = tuple[int, ...]

TOYS: dict[str, CountingMechanism] = {
    "n=1, d=3": ToyTable(((0, 0, 1), (0, 1, 1)), mpq(2)),
    "n=1, d=2": ToyTable(((0, 1), (0, 1))),
    "n=2, d=3": ToyTable(((0, 0, 1), (0, 1, 1), (0, 1, 1)), mpq(2)),
    "n=2, all counts": ToyTable(((0, 1, 2), (0, 1, 2), (0, 1, 2))),
    "n=3, d=3": ToyTable(((0, 0, 1), (0, 0, 1), (0, 1, 1), (0, 1, 1)), mpq(2)),
    "n=1, d=6": ToyGeometric(1, mpq(1, 2)),
    "n=1, d=15": ToyGeometric(1, mpq(2, 3)),
}


class Case(NamedTuple):
    """A toy mechanism by name, |X|, and the level of the field."""

    toy: str
    size: int
    level: int

    @property
    def mechanism(self) -> CountingMechanism:
        """M."""
        return TOYS[self.toy]


Compact = Callable[[CountingMechanism, range, int], CompactHistogram[int]]
"""Makes CompactHistogram, or a broken copy of it, over a universe and a field of some level."""


@lru_cache(maxsize=256)
def exploration(histogram: CompactHistogram[int], dataset: Rows) -> Exploration[Coefficients]:
    """What the explorer finds for one dataset: the exact law of the released coefficients."""
    return explore(lambda coins: histogram.release(dataset, coins).coefficients)


@lru_cache(maxsize=256)
def counts_law(histogram: CompactHistogram[Any], counts: tuple[tuple[int, int], ...], places: tuple[int, ...]) -> Pmf[Any]:
    """The law of the noisy counts at some points of the interpolation, by the explorer."""

    def program(coins: Coins) -> tuple[int, ...]:
        points, values = histogram.points(histogram.noisy(dict(counts), coins), coins)
        there = dict(zip(points, values, strict=True))
        return tuple(histogram.sampler.apply(there[x] + 1) for x in places)

    return explore(program).law()


@lru_cache(maxsize=64)
def empty_bin_law(histogram: CompactHistogram[Any]) -> Pmf[int]:
    """The law of M_0(U_0), by the explorer."""
    return explore(lambda coins: histogram.sampler.apply(coins.uniform(histogram.sampler.d_0))).law()


def worst_ratio(histogram: CompactHistogram[Any]) -> mpq | None:
    """The largest ratio of the probabilities of a polynomial under two neighbouring datasets, or None if it is infinite.

    Through the values at A and A', a polynomial has the probability of a product over the points: Pr[M(c) = v] / |S_v| for a
    label with c > 0 rows, 1/d_0 elsewhere. A row that moves changes two factors.
    """
    n, order, law = histogram.mechanism.n, histogram.base.order, running_law(histogram.mechanism)
    sizes = [last - first + 1 for first, last in map(histogram.sampler.interval, range(n + 1))]
    possible = [v for v in range(n + 1) if sizes[v] > 0]

    def weight(count: int, v: int) -> mpq:
        return law(count)[v] / sizes[v] if count else mpq(1, order)

    table = [[weight(count, v) for v in possible] for count in range(n + 1)]
    return ratio_of_moves(table, histogram.universe.size)


def ratio_of_moves(table: Sequence[Sequence[mpq]], size: int) -> mpq | None:
    """The largest product of the two factors that a row changes when it moves, or None if it is infinite.

    Parameters: table, for each true count the probabilities of the values at its label; size, the number of labels.
    """
    if any((a == 0) != (b == 0) for rows in pairwise(table) for a, b in zip(*rows, strict=True)):
        return None
    n = len(table) - 1
    leaves = [_largest(table[c], table[c - 1]) for c in range(1, n + 1)]
    arrives = [_largest(table[c], table[c + 1]) for c in range(n)]
    return max((leaves[x - 1] * arrives[y] for x, y in row_moves(n, size)), default=mpq(1))


def misses(histogram: CompactHistogram[Any], a: int) -> list[mpq]:
    """The probability that a label's released count is off by more than a, by true count; running laws of M and M_0."""
    noisy, n = running_law(histogram.mechanism), histogram.mechanism.n
    laws = [empty_bin_law(histogram), *(noisy(c) for c in range(1, n + 1))]
    return [miss_probability(law, c, a) for c, law in enumerate(laws)]


def simultaneous_miss(histogram: CompactHistogram[Any], a: int) -> mpq:
    """The largest probability, over all datasets, that some label's released count is off by more than a.

    Raises: OutOfScopeError for more than n + 1 labels, whose counts depend on each other (FD.Dyadic.compact.labels).
    """
    n, size = histogram.mechanism.n, histogram.universe.size
    in_scope(size <= n + 1, "at most n + 1 labels, whose counts are independent")
    return miss_over_bins([1 - miss for miss in misses(histogram, a)], n, size)


def _largest(over: Sequence[mpq], under: Sequence[mpq]) -> mpq:
    return max(a / b for a, b in zip(over, under, strict=True) if a)


Interpolation = Callable[[FieldElements, Sequence[int], Sequence[int], int, int], list[int]]
