"""BasicHistogram (Algorithm 5.1 of Balcer and Vadhan): an independent noisy count for each label of a fixed list."""

from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence, Set
from typing import Any, Generic, TypeVar

from attrs import field, frozen
from gmpy2 import mpq

from finitedp.claim import Accuracy, Cost, HistogramAccuracy, PrivacyClaim
from finitedp.curve import Curve
from finitedp.errors import DataError, ParameterError
from finitedp.exact import RationalLike, ceil_log, integer, probability, unit_fraction
from finitedp.impl.accounting.pairs import one_bin, two_bins
from finitedp.impl.counting.geometric import CountingMechanism, FastSample, checked_mechanism
from finitedp.impl.randomness.coins import Coins

__all__ = [
    "BasicHistogram",
    "basic_histogram_accuracy",
    "basic_histogram_with_fast_sample",
    "check_counts",
    "distinct_labels",
    "ordered_labels",
]

L = TypeVar("L", bound=Hashable)


def ordered_labels(labels: Iterable[L]) -> Sequence[L]:
    """The labels as a sequence, if they have an order and there is one; a range stays a range. Raises: ParameterError."""
    if isinstance(labels, Set) or not isinstance(labels, Iterable):
        raise ParameterError(f"labels = {labels!r} has no order; accepted: a sequence of distinct labels")
    listed: Sequence[Any] = labels if isinstance(labels, range) else tuple(labels)
    if not listed:
        raise ParameterError("labels is empty; accepted: at least one label")
    return listed


def distinct_labels(labels: Iterable[L]) -> Sequence[L]:
    """The labels as a sequence, if they are distinct and there is one; a range stays a range. Raises: ParameterError."""
    listed = ordered_labels(labels)
    if not isinstance(listed, range) and len(set(listed)) != len(listed):
        raise ParameterError("labels holds a label twice; accepted: distinct labels")
    return listed


def check_counts(counts: Mapping[L, int], n: int) -> None:
    """Refuse true counts of more than n rows. Raises: DataError for a count that is not in 0..n, or a sum above n."""
    for label, count in counts.items():
        integer(count, _count_of(label), 0, n, DataError)
    if sum(counts.values()) > n:
        raise DataError(f"the dataset has more than n = {n} rows")


def _count_of(label: object) -> str:
    return f"count of {label!r}"


@frozen
class BasicHistogram(Generic[L]):
    """Independent noisy counts of the labels A, released as a partial vector in the order in which A is given.

    Source: BV.Alg5.1, BV.Thm5.2.
    Parameters: mechanism, a counting-query mechanism for counts in 0..n; labels, the set A, which must be fixed without
    looking at the data; universe, a collection that holds every possible row (A itself if None).
    Raises: ParameterError.
    """

    mechanism: CountingMechanism = field(converter=checked_mechanism)
    labels: Sequence[L] = field(converter=distinct_labels)
    universe: Collection[L] | None = None

    def counts(self, data: Iterable[L]) -> dict[L, int]:
        """The true counts of the labels: not private.

        Raises: DataError for a row outside of the universe or more than n rows.
        """
        found = Counter(self._rows(data))
        return {label: found.get(label, 0) for label in self.labels}

    def _rows(self, data: Iterable[L]) -> Iterator[L]:
        """The rows as they are. Raises: DataError for a row outside of the universe or more than n rows."""
        known = set(self.labels)
        for row, label in enumerate(data, start=1):
            if row > self.mechanism.n:
                raise DataError(f"the dataset has more than n = {self.mechanism.n} rows")
            if label not in known and (self.universe is None or label not in self.universe):
                raise DataError(f"row {row} = {label!r} is outside of the universe")
            yield label

    def release(self, data: Iterable[L], coins: Coins) -> tuple[tuple[L, int], ...]:
        """The pairs (x, noisy count of x) for all x in A, independent of each other.

        Source: BV.Alg5.1. Raises: DataError for a row outside of the universe or more than n rows.
        Cost: |A| times the mechanism's, whatever the data; counting the rows takes one dictionary look-up for each.
        """
        return self.release_counts(self.counts(data), coins)

    def release_counts(self, counts: Mapping[L, int], coins: Coins) -> tuple[tuple[L, int], ...]:
        """`release` for true counts that are known already; a label that is not listed has count 0.

        Raises: DataError for a label outside of A, a count outside 0..n or a sum above n.
        """
        check_counts(counts, self.mechanism.n)
        self._refuse_other_labels(counts)
        return tuple((label, self.mechanism.release(counts.get(label, 0), coins)) for label in self.labels)

    def _refuse_other_labels(self, counts: Mapping[L, int]) -> None:
        known = set(self.labels)
        for label in counts:
            if label not in known:
                raise DataError(f"label {label!r} has a count but is not one of the labels")

    def claim(self, coins: Coins | None = None) -> PrivacyClaim:
        """(2 * the mechanism's epsilon, 0) for datasets that differ in one row. Source: BV.Thm5.2.i."""
        one = self.mechanism.claim(coins)
        ratio = None if one.ratio is None else one.ratio**2
        return PrivacyClaim(2 * one.epsilon, "replace-one", 2 * one.delta, ratio, "BV.Thm5.2.i", told=(self, coins))

    def add_remove_claim(self, coins: Coins | None = None) -> PrivacyClaim:
        """(the mechanism's epsilon, 0) for a row more or less, of datasets of at most n rows: one count changes, by one.

        Source: FD.Dyadic.basic.add-remove.
        """
        one = self.mechanism.claim(coins)
        return PrivacyClaim(one.epsilon, "add-remove", one.delta, one.ratio, "FD.Dyadic.basic.add-remove", told=(self, coins))

    def curve_of(self, claim: PrivacyClaim, coins: Coins | None) -> Curve:
        """The curve of one of both claims. Source: FD.Pair.replace, FD.Pair.dyadic."""
        one = self.mechanism.claim(coins)
        return two_bins(one) if claim.neighbours == "replace-one" else one_bin(one)

    def accuracy(self, beta: RationalLike) -> HistogramAccuracy:
        """The (a, beta) per-query accuracy and the (a, beta) simultaneous accuracy that the mechanism's own implies.

        Source: BV.Thm5.2.ii and iii, the latter by the union bound: the mechanism's accuracy at beta / |A|.
        Raises: ParameterError where the mechanism has no accuracy claim at beta or at beta / |A|.
        """
        b = probability(beta, "beta", zero=False)
        single, every = self.mechanism.accuracy(b), self.mechanism.accuracy(mpq(b, len(self.labels)))
        return HistogramAccuracy(
            Accuracy(single.a, b, "per-query", "BV.Thm5.2.ii"),
            -1,
            Accuracy(every.a, b, "simultaneous", "BV.Thm5.2.iii"),
        )

    def cost(self) -> Cost:
        """|A| times the mechanism's cost."""
        return self.mechanism.cost().times(len(self.labels))


def basic_histogram_with_fast_sample(
    labels: Iterable[L], n: int, epsilon: RationalLike, beta_0: RationalLike
) -> BasicHistogram[L]:
    """BasicHistogram over a universe with FastSample at gamma = beta_0 / (2|X|): the instance of Theorem 5.3.

    Source: BV.Thm5.3. Parameters: labels, all of X; n >= 1 rows; epsilon = 1/q; beta_0 = 1/b, the smallest beta for which
    the simultaneous accuracy is wanted. Raises: ParameterError.
    """
    listed = distinct_labels(labels)
    gamma = mpq(1, 2 * len(listed) * unit_fraction(beta_0, "beta_0"))
    return BasicHistogram(FastSample(n, epsilon, gamma), listed)


def basic_histogram_accuracy(universe_size: int, epsilon: RationalLike, beta: RationalLike) -> HistogramAccuracy:
    """ceil(9/(2 epsilon) ln(2/beta)) for one bin and ceil(9/(2 epsilon) ln(2|X|/beta)) for all bins at once.

    Source: BV.Thm5.3.ii (for beta >= 2 gamma) and BV.Thm5.3.iii (for beta >= beta_0).
    """
    b, q = probability(beta, "beta", zero=False), unit_fraction(epsilon, "epsilon")
    return HistogramAccuracy(
        Accuracy(ceil_log(mpq(9 * q, 2), mpq(2, b)), b, "per-query", "BV.Thm5.3.ii"),
        -1,
        Accuracy(ceil_log(mpq(9 * q, 2), mpq(2 * universe_size, b)), b, "simultaneous", "BV.Thm5.3.iii"),
    )
