"""KeepHeavy and KH' (Algorithms 6.1 and 6.4 of Balcer and Vadhan): the bins of a universe that are heavier than n others."""

from bisect import bisect_left, insort
from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from heapq import nlargest
from typing import Generic, TypeVar, cast

from attrs import field, frozen
from gmpy2 import mpq

from finitedp.claim import Accuracy, Cost, PrivacyClaim
from finitedp.errors import DataError, ParameterError
from finitedp.exact import RationalLike, probability
from finitedp.impl.coins import Coins
from finitedp.impl.counting import CountingMechanism, checked_mechanism
from finitedp.impl.histogram import BasicHistogram, distinct_labels
from finitedp.impl.order_statistics import OrdSample

__all__ = ["KeepHeavy", "SampledKeepHeavy", "distinct_sequence", "heavier_than"]

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
        basic = self.histogram.claim(coins)
        return PrivacyClaim(basic.epsilon, basic.neighbours, basic.delta, basic.ratio, "BV.Thm6.2.i")

    def accuracy(self, beta: RationalLike) -> tuple[Accuracy, int, Accuracy]:
        """(a_1, 2 beta) per query on counts above 2 a_2, that count, and (2 a_2, beta) simultaneously.

        Source: BV.Thm6.2.ii and iii, where (a_1, beta) and (a_2, beta) are BasicHistogram's accuracies. Parameters: beta in
        (0, 1/2].
        """
        b = probability(beta, "beta", zero=False)
        if b > mpq(1, 2):
            raise ParameterError(f"beta = {b} is out of range; accepted: a rational in (0, 1/2]")
        single, every = self.histogram.accuracy(b)
        return (
            Accuracy(single.a, 2 * b, "per-query", "BV.Thm6.2.ii"),
            2 * every.a,
            Accuracy(2 * every.a, b, "simultaneous", "BV.Thm6.2.iii"),
        )

    def cost(self) -> Cost:
        """|X| times the counting mechanism's cost."""
        return self.histogram.cost()


def distinct_sequence(size: int, excluded: Collection[int], number: int, coins: Coins) -> tuple[int, ...]:
    """A uniformly random sequence of distinct integers in 0..size-1 that are not excluded, in the order of drawing.

    Source: step (3) of BV.Alg6.4. Parameters: number <= size - number of excluded ones.
    Cost: `number` draws, each found among the excluded ones by bisection.
    """
    taken, sequence = sorted(excluded), list[int]()
    for _ in range(number):
        rank = coins.uniform(size - len(taken)) - 1
        # the free integer of this rank is rank + i, where i of the taken ones are below it
        i = bisect_left(range(len(taken)), 1, key=lambda j: int(taken[j] - j > rank))
        chosen = int(rank) + i
        insort(taken, chosen)
        sequence.append(chosen)
    return tuple(sequence)


def _size(labels: Sequence[L]) -> int:
    """The number of labels, for ranges of any length (len() stops at 2^63)."""
    return (labels[-1] - labels[0]) // labels.step + 1 if isinstance(labels, range) and labels else len(labels)


@frozen
class SampledKeepHeavy(Generic[L]):
    """KH': KeepHeavy without a draw for each empty bin: noisy counts of the labels that occur and of n + 1 sampled others.

    Source: BV.Alg6.4, BV.Prop6.5. The others' counts are the n + 1 largest of all empty bins' noisy counts, by OrdSample.
    Parameters: mechanism, a counting-query mechanism for counts in 0..n; labels, all of X, a sequence of distinct labels such
    as a range, with |X| >= 2n + 1. Raises: ParameterError.
    """

    mechanism: CountingMechanism = field(converter=checked_mechanism)
    labels: Sequence[L] = field(converter=distinct_labels)

    def __attrs_post_init__(self) -> None:
        size, n = _size(self.labels), self.mechanism.n
        if size < 2 * n + 1:
            raise ParameterError(f"|X| = {size} is below 2n + 1 = {2 * n + 1}; accepted: a larger universe, or BasicHistogram")

    def release(self, data: Iterable[L], coins: Coins) -> tuple[tuple[L, int], ...]:
        """The law of KeepHeavy, in the order of the labels. Source: BV.Prop6.5.

        Raises: DataError for a row outside of the universe or more than n rows.
        """
        n, true = self.mechanism.n, Counter(data)
        if sum(true.values()) > n:
            raise DataError(f"the dataset has more than n = {n} rows")
        positions = self._positions(true)
        noisy = {i: self.mechanism.release(positions[i], coins) for i in sorted(positions)}
        empty = distinct_sequence(_size(self.labels), positions, n + 1, coins)
        largest = OrdSample(n, self.mechanism.scaled_cdf).release(_size(self.labels) - len(positions), coins)
        noisy |= dict(zip(empty, largest, strict=True))
        kept = heavier_than(sorted(noisy.items()), n)
        return tuple((self.labels[i], count) for i, count in kept)

    def _positions(self, true: Mapping[L, int]) -> dict[int, int]:
        """The true counts by position in the universe: at once for a range, else by one pass over the labels."""
        if isinstance(self.labels, range):
            found = {self.labels.index(cast(int, label)): count for label, count in true.items() if label in self.labels}
        else:
            found = {i: true[label] for i, label in enumerate(self.labels) if label in true}
        if len(found) < len(true):
            outside = next(label for label in true if label not in self.labels)
            raise DataError(f"the row {outside!r} is outside of the universe")
        return found

    def claim(self, coins: Coins | None = None) -> PrivacyClaim:
        """The claim of KeepHeavy, whose law it has. Source: BV.Prop6.5, BV.Thm6.2.i. For exactly uniform draws."""
        one = self.mechanism.claim()
        if coins is not None and coins.slack != 1:
            raise ParameterError("KH' has a claim for exactly uniform draws only; use ExactCoins")
        ratio = None if one.ratio is None else one.ratio**2
        return PrivacyClaim(2 * one.epsilon, "replace-one", 2 * one.delta, ratio, "BV.Prop6.5")
