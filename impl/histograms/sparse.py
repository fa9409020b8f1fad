"""KeepHeavy (Algorithm 6.1 of Balcer and Vadhan): the bins of a universe that are heavier than n others."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from heapq import nlargest
from typing import Generic, TypeVar

from attrs import evolve, frozen
from gmpy2 import mpq

from finitedp.claim import Accuracy, Cost, HistogramAccuracy, PrivacyClaim
from finitedp.errors import ParameterError
from finitedp.exact import RationalLike, probability
from finitedp.impl.histograms.basic import BasicHistogram
from finitedp.impl.randomness.coins import Coins

__all__ = ["KeepHeavy", "heavier_than"]

L = TypeVar("L", bound=Hashable)


def heavier_than(bins: Sequence[tuple[L, int]], others: int) -> tuple[tuple[L, int], ...]:
    """The bins with a count above that of the (others + 1)-th heaviest, in the order given: at most `others` of them.

    Source: BV.Alg6.1 (3). Parameters: more than `others` bins. A tie at that place keeps none of the tied bins.
    """
    bar = nlargest(others + 1, (count for _, count in bins))[others]
    return tuple((label, count) for label, count in bins if count > bar)


@frozen
class KeepHeavy(Generic[L]):
    """A noisy count for every label of the universe, of which the at most n that are heavier than the others are released.

    Source: BV.Alg6.1, BV.Thm6.2. Its cost is that of BasicHistogram over the whole universe.
    Parameters: histogram, a BasicHistogram over all of X, with |X| >= n + 1. Raises: ParameterError.
    """

    histogram: BasicHistogram[L]

    def __attrs_post_init__(self) -> None:
        size, n = len(self.histogram.labels), self.histogram.mechanism.n
        if size < n + 1:
            raise ParameterError(f"|X| = {size} is below n + 1 = {n + 1}; accepted: a larger universe, or BasicHistogram")

    def release(self, data: Iterable[L], coins: Coins) -> tuple[tuple[L, int], ...]:
        """The pairs (x, noisy count) above the (n+1)-th largest noisy count, in the order of the labels.

        Source: BV.Alg6.1. Raises: DataError for a row outside of the universe or more than n rows.
        """
        return self.release_counts(self.histogram.counts(data), coins)

    def release_counts(self, counts: Mapping[L, int], coins: Coins) -> tuple[tuple[L, int], ...]:
        """`release` for true counts that are known already; a label that is not listed has count 0."""
        return heavier_than(self.histogram.release_counts(counts, coins), self.histogram.mechanism.n)

    def claim(self, coins: Coins | None = None) -> PrivacyClaim:
        """The claim of BasicHistogram, of which this is post-processing. Source: BV.Thm6.2.i."""
        return evolve(self.histogram.claim(coins), source="BV.Thm6.2.i")

    def accuracy(self, beta: RationalLike) -> HistogramAccuracy:
        """(a_1, 2 beta) per query on counts above 2 a_2, that count, and (2 a_2, beta) simultaneously.

        Source: BV.Thm6.2.ii and iii, where (a_1, beta) and (a_2, beta) are BasicHistogram's accuracies. Parameters: beta in
        (0, 1/2].
        """
        b = probability(beta, "beta", zero=False)
        if b > mpq(1, 2):
            raise ParameterError(f"beta = {b} is out of range; accepted: a rational in (0, 1/2]")
        basic = self.histogram.accuracy(b)
        return HistogramAccuracy(
            Accuracy(basic.per_query.a, 2 * b, "per-query", "BV.Thm6.2.ii"),
            2 * basic.simultaneous.a,
            Accuracy(2 * basic.simultaneous.a, b, "simultaneous", "BV.Thm6.2.iii"),
        )

    def cost(self) -> Cost:
        """|X| times the counting mechanism's cost."""
        return self.histogram.cost()
