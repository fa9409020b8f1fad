"""StabilityHistogram (Algorithm 5.4 of Balcer and Vadhan): noisy counts of the labels that occur, if they are large enough.

The universe may be of any size, since only labels that occur are looked at; the price is delta > 0.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, Generic, TypeVar

from attrs import field, frozen
from gmpy2 import mpq

from finitedp.claim import Accuracy, Cost, HistogramAccuracy, PrivacyClaim
from finitedp.curve import Curve
from finitedp.errors import DataError, ParameterError
from finitedp.exact import RationalLike, ceil_log, integer, probability, unit_fraction
from finitedp.impl.accounting.pairs import threshold_curve
from finitedp.impl.counting.geometric import CountingMechanism, FastSample, checked_mechanism
from finitedp.impl.histograms.basic import check_counts
from finitedp.impl.randomness.coins import Coins

__all__ = ["StabilityHistogram", "stability_accuracy", "stability_histogram_with_fast_sample"]

L = TypeVar("L", bound=Any)  # labels: int, str or bytes, or tuples of these


def _in_order(labels: Iterable[L]) -> list[L]:
    """The labels, sorted. Raises: DataError unless labels that are equal are the same, and of any two one comes first.

    True is equal to 1, and of sets none may come first: the release would show which row was counted first.
    """
    listed = list(labels)
    for label in listed:
        if not _is_plain(label):
            raise DataError(f"the label {label!r} is no int, str or bytes, and no tuple of such; accepted: labels that are")
    try:
        return sorted(listed)
    except TypeError as error:
        raise DataError(f"the labels cannot be sorted: {error}; accepted: labels of one sortable type") from None


def _is_plain(label: object) -> bool:
    return type(label) in (int, str, bytes) or (type(label) is tuple and all(map(_is_plain, label)))


def _threshold(value: int) -> int:
    return integer(value, "b", at_least=0)


@frozen
class StabilityHistogram(Generic[L]):
    """Independent noisy counts of the labels that occur, released in sorted order if they are above b.

    Source: BV.Alg5.4, BV.Thm5.5.
    Parameters: mechanism, a counting-query mechanism for counts in 0..n; b in 0..n, the threshold; padded, whether a release
    makes n draws whatever the number of labels that occur, so that its time does not tell that number.
    Raises: ParameterError.
    """

    mechanism: CountingMechanism = field(converter=checked_mechanism)
    b: int = field(converter=_threshold)
    padded: bool = True

    def __attrs_post_init__(self) -> None:
        integer(self.b, "b", 0, self.mechanism.n)

    def release(self, data: Iterable[L], coins: Coins) -> tuple[tuple[L, int], ...]:
        """The pairs (x, noisy count) above the threshold, for the labels x that occur, sorted by label.

        Source: BV.Alg5.4. Parameters: data, at most n rows, which are all int, all str or all bytes, or tuples of these.
        Raises: DataError for more than n rows or other labels.
        """
        return self.release_counts(Counter(data), coins)

    def release_counts(self, counts: Mapping[L, int], coins: Coins) -> tuple[tuple[L, int], ...]:
        """`release` for true counts that are known already; counts of 0 are as if absent.

        Raises: DataError for a count that is not in 0..n, a sum above n, or labels that `release` would not accept.
        """
        check_counts(counts, self.mechanism.n)
        present = {label: count for label, count in counts.items() if count}
        noisy = tuple((label, self.mechanism.release(present[label], coins)) for label in _in_order(present))
        self._pad(len(noisy), coins)
        return tuple((label, count) for label, count in noisy if count > self.b)

    def _pad(self, drawn: int, coins: Coins) -> None:
        """Draws that nobody sees, until there are n, where that is wanted."""
        if self.padded:
            for _ in range(self.mechanism.n - drawn):
                self.mechanism.release(0, coins)

    def draws(self) -> int | None:
        """The number of draws of every release, where it is public: n if padded, else None."""
        return self.mechanism.n if self.padded else None

    def delta(self) -> mpq:
        """Pr[M(1, U) > b], exactly: the delta of the claim. Source: BV.Thm5.5.i."""
        return 1 - mpq(self.mechanism.cdf(1, self.b), self.mechanism.d)

    def claim(self, coins: Coins | None = None) -> PrivacyClaim:
        """(2 * the mechanism's epsilon, Pr[M(1, U) > b]) for datasets that differ in one row. Source: BV.Thm5.5.i.

        With coins that are not exact, delta grows by their slack, unless the mechanism's ratio does not.
        """
        one = self.mechanism.claim(coins)
        slack = mpq(1) if coins is None else self._slack(one, coins)
        delta = min(self.delta() * slack, mpq(1))
        return PrivacyClaim(2 * one.epsilon, "replace-one", delta, None, "BV.Thm5.5.i", told=(self, coins))

    def add_remove_claim(self, coins: Coins | None = None) -> PrivacyClaim:
        """(the mechanism's epsilon, Pr[M(1, U) > b]) for a row more or less, of datasets of at most n rows.

        A label of one row shows with that probability; of none, never. The coins add to delta as in `claim`.
        Source: FD.Dyadic.stability.add-remove.
        """
        one, delta = self.mechanism.claim(coins), self.claim(coins).delta
        return PrivacyClaim(one.epsilon, "add-remove", delta, None, "FD.Dyadic.stability.add-remove", told=(self, coins))

    def curve_of(self, claim: PrivacyClaim, coins: Coins | None) -> Curve:
        """The curve of one of both claims, at the exact delta. Source: FD.Pair.stability."""
        return threshold_curve(self.mechanism.claim(coins), self.claim(coins).delta, claim.neighbours)

    def _slack(self, one: PrivacyClaim, coins: Coins) -> mpq:
        """By how much delta grows with these coins."""
        unaffected = one.ratio is not None and one.ratio == self.mechanism.claim().ratio
        return mpq(1) if unaffected else coins.slack

    def cost(self) -> Cost:
        """n times the mechanism's cost: exact if padded, else an upper bound. Source: BV.Thm5.5.iv."""
        every = self.mechanism.cost().times(self.mechanism.n)
        return Cost(every.draws, every.bits, every.steps, every.exact and self.padded)


def stability_histogram_with_fast_sample(
    n: int, epsilon: RationalLike, delta: RationalLike, beta_0: RationalLike, *, padded: bool = True
) -> StabilityHistogram[Any]:
    """The instance of Theorem 5.6: FastSample with gamma = min(beta_0/(2n), delta/2), b = 1 + ceil(9/(2 epsilon) ln(2/delta)).

    Source: BV.Thm5.6. Parameters: n >= 1 rows; epsilon, delta and beta_0 of the form 1/q, delta below 1.
    Raises: ParameterError, also where b exceeds n, since every release would then be empty.
    """
    q, size = unit_fraction(epsilon, "epsilon"), integer(n, "n", at_least=1)
    inverse_delta = unit_fraction(delta, "delta", least_denominator=2)
    gamma = mpq(1, max(2 * size * unit_fraction(beta_0, "beta_0"), 2 * inverse_delta))
    b = 1 + ceil_log(mpq(9 * q, 2), 2 * inverse_delta)
    if b > size:
        raise ParameterError(f"the threshold b = {b} exceeds n = {size}, so that every release would be empty")
    return StabilityHistogram(FastSample(size, epsilon, gamma), b, padded)


def stability_accuracy(n: int, epsilon: RationalLike, delta: RationalLike, beta: RationalLike) -> HistogramAccuracy:
    """The per-query accuracy, the count above which it holds, and the simultaneous accuracy of Theorem 5.6.

    Source: BV.Thm5.6.ii (for beta >= 2 gamma) and BV.Thm5.6.iii (for beta >= beta_0).
    """
    b, d = probability(beta, "beta", zero=False), probability(delta, "delta", zero=False, one=False)
    scale = mpq(9 * unit_fraction(epsilon, "epsilon"), 2)
    above = 2 + ceil_log(scale, mpq(4, b * d))
    return HistogramAccuracy(
        Accuracy(ceil_log(scale, mpq(2, b)), b, "per-query", "BV.Thm5.6.ii"),
        above,
        Accuracy(2 + ceil_log(scale, mpq(4 * n, b * d)), b, "simultaneous", "BV.Thm5.6.iii"),
    )
