"""KH' and SparseHistogram (Algorithms 6.4 and 6.21 of Balcer and Vadhan): KeepHeavy without a draw for each empty bin.

Noisy counts are drawn for the labels that occur; for the empty bins it is drawn which n + 1 of them are heaviest, and how
heavy. A release makes the same draws, of the same number of bits, for every dataset.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, Generic, TypeVar

from attrs import Factory, evolve, field, frozen
from gmpy2 import mpq

from finitedp.claim import Accuracy, Cost, HistogramAccuracy, PrivacyClaim
from finitedp.errors import ParameterError
from finitedp.exact import RationalLike, exp_bounds, integer, probability, unit_fraction
from finitedp.impl.arithmetic.kernels import ceil_log2
from finitedp.impl.counting.geometric import LARGEST_BITS, CountingMechanism, FastSample, checked_mechanism
from finitedp.impl.histograms.distinct import distinct_sample
from finitedp.impl.histograms.order_statistics import ApproxOrdSample, OrdSample, TopSampler
from finitedp.impl.histograms.sparse import heavier_than
from finitedp.impl.histograms.universe import Universe, as_universe, indexed
from finitedp.impl.randomness.coins import Coins, checked_coins, slack_of, strict_bits

__all__ = [
    "SampledKeepHeavy",
    "SparseHistogram",
    "check_bits",
    "claimed_on",
    "sampled_cost",
    "sparse_accuracy",
    "sparse_histogram_with_fast_sample",
]

T = TypeVar("T")
Bins = tuple[tuple[int, int], ...]

GUARD_BITS = 256  # a guarded release takes more work than stated with a probability below 2^-GUARD_BITS


def _checked_universe(mechanism: CountingMechanism, universe: Universe[Any]) -> None:
    least = 2 * mechanism.n + 1
    if universe.size < least:
        raise ParameterError(
            f"|X| = {universe.size} is below 2n + 1 = {least}; accepted: a larger universe; BasicHistogram serves for this one"
        )


def check_bits(bits: int) -> None:
    """Refuse an s whose integers would not fit into memory. Raises: ParameterError."""
    if bits > LARGEST_BITS:
        raise ParameterError(f"s needs about {bits} bits; accepted: at most {LARGEST_BITS}, of a smaller universe or n")


def _heaviest(counts: Mapping[int, int], size: int, mechanism: CountingMechanism, top: TopSampler, coins: Coins) -> Bins:
    """Steps (2) to (6) of BV.Alg6.4, for true counts above 0 by position in a universe of `size` labels."""
    n, checked = mechanism.n, checked_coins(coins)
    noisy = {i: mechanism.apply(count, checked.uniform(mechanism.d)) for i, count in counts.items()}
    for _ in range(n - len(noisy)):
        checked.uniform(mechanism.d)
        mechanism.apply(0, 1)  # work only, so that the number of draws does not tell how many labels occur
    empty = distinct_sample(size, counts.keys(), n + 1, coins, n)
    noisy |= dict(zip(empty, top.release(size - len(counts), coins), strict=True))
    return heavier_than(sorted(noisy.items()), n)


def sampled_cost(mechanism: CountingMechanism, size: int, top: TopSampler) -> Cost:
    """n noisy counts, n + 1 distinct labels (a comparison for each binary digit), and the order statistics."""
    n, depth = mechanism.n, ceil_log2(size)
    distinct = Cost(n + 1, (n + 1) * strict_bits(size), (n + 1) * depth)
    return mechanism.cost().times(n) + distinct + top.cost(size)


def claimed_on(mechanism: CountingMechanism, coins: Coins | None, draws: int, source: str) -> PrivacyClaim:
    """The claim of KeepHeavy over a mechanism, whose law is drawn by that many draws from coins.

    On coins that are not exact the ratio grows by at most slack^draws. Raises: ClaimError where that does not fit.
    """
    one = mechanism.claim()
    if one.ratio is None:
        if coins is not None and coins.slack != 1:
            raise ParameterError("a mechanism without a rational ratio has a claim for exactly uniform draws only")
        return PrivacyClaim(2 * one.epsilon, "replace-one", 2 * one.delta, None, source)
    return PrivacyClaim(2 * one.epsilon, "replace-one", ratio=one.ratio**2 * slack_of(coins, draws), source=source)


@frozen
class SampledKeepHeavy(Generic[T]):
    """KH': the law of KeepHeavy, with the empty bins' n + 1 largest noisy counts drawn by OrdSample.

    Source: BV.Alg6.4, BV.Prop6.5. Its integers have about |X| log d bits, and its work depends on what it draws: it is the
    exact law that SparseHistogram approximates.
    Parameters: mechanism, a counting-query mechanism for counts in 0..n; universe, all of X: a universe, a range or another
    sequence of distinct labels, with |X| >= 2n + 1. Raises: ParameterError.
    """

    mechanism: CountingMechanism = field(converter=checked_mechanism)
    universe: Universe[T] = field(converter=as_universe)

    def __attrs_post_init__(self) -> None:
        _checked_universe(self.mechanism, self.universe)

    @property
    def _top(self) -> OrdSample:
        return OrdSample(self.mechanism.n, self.mechanism.scaled_cdf)

    def release(self, data: Iterable[T], coins: Coins) -> tuple[tuple[T, int], ...]:
        """The law of KeepHeavy, in the order of the universe. Source: BV.Prop6.5.

        Raises: DataError for a row outside of the universe or more than n rows.
        """
        return self.release_counts(Counter(data), coins)

    def release_counts(self, counts: Mapping[T, int], coins: Coins) -> tuple[tuple[T, int], ...]:
        """`release` for true counts that are known already; a label that is not listed has count 0."""
        self._top.check_size(self.universe.size)  # before the data is looked at, and whatever it is
        known = indexed(counts, self.universe, self.mechanism.n)
        kept = _heaviest(known, self.universe.size, self.mechanism, self._top, coins)
        return tuple((self.universe.label(i), count) for i, count in kept)

    def claim(self, coins: Coins | None = None) -> PrivacyClaim:
        """The claim of KeepHeavy, whose law it has. Source: BV.Prop6.5, BV.Thm6.2.i."""
        return claimed_on(self.mechanism, coins, 3 * self.mechanism.n + 1, "BV.Prop6.5")

    def cost(self) -> Cost:
        """Upper bounds; the number of draws is exact."""
        return sampled_cost(self.mechanism, self.universe.size, self._top)


def _delta(value: RationalLike) -> mpq:
    return mpq(1, unit_fraction(value, "delta", least_denominator=2))


def _least_s(histogram: "SparseHistogram[Any]") -> int:
    """(n^2 + 2n)|X| / delta. Source: BV.Alg6.21 (4)."""
    n = histogram.mechanism.n
    return (n * n + 2 * n) * histogram.universe.size * int(histogram.delta.denominator)


def _power_of_two(histogram: "SparseHistogram[Any]") -> int:
    return 1 << ceil_log2(_least_s(histogram))


@frozen
class SparseHistogram(Generic[T]):
    """KH' within statistical distance delta, in time poly-logarithmic in |X|: at most n labels with noisy counts, sorted.

    Source: BV.Alg6.21, BV.Thm6.8.
    Parameters: mechanism and universe as in SampledKeepHeavy; delta = 1/r below 1; guarded, whether the order statistics'
    probabilities are first computed with few bits (see ApproxBinSample; the law is the same); s, the denominator of those
    probabilities, at least (n^2 + 2n)|X|/delta: by default the next power of two, which makes every division a shift.
    Raises: ParameterError.
    """

    mechanism: CountingMechanism = field(converter=checked_mechanism)
    universe: Universe[T] = field(converter=as_universe)
    delta: mpq = field(converter=_delta)
    guarded: bool = True
    s: int = field(default=Factory(_power_of_two, takes_self=True))

    def __attrs_post_init__(self) -> None:
        _checked_universe(self.mechanism, self.universe)
        check_bits(integer(self.s, "s", at_least=_least_s(self)).bit_length())

    @property
    def top(self) -> ApproxOrdSample:
        """The sampler of the empty bins' largest noisy counts."""
        n, size = self.mechanism.n, self.universe.size
        # fewer than 2^6 n rounds of at most 2n values, each undecided with probability below (8n|X| + 4) / 2^guard
        guard = GUARD_BITS + 12 + 3 * n.bit_length() + size.bit_length() if self.guarded else None
        return ApproxOrdSample(n, self.mechanism.scaled_cdf, self.s, size, guard)

    def release(self, data: Iterable[T], coins: Coins) -> tuple[tuple[T, int], ...]:
        """The pairs (x, noisy count) that are kept, at most n, in the order of the universe. Source: BV.Alg6.21.

        Raises: DataError for a row outside of the universe or more than n rows.
        """
        return self.release_counts(Counter(data), coins)

    def release_counts(self, counts: Mapping[T, int], coins: Coins) -> tuple[tuple[T, int], ...]:
        """`release` for true counts that are known already; a label that is not listed has count 0."""
        known = indexed(counts, self.universe, self.mechanism.n)
        kept = _heaviest(known, self.universe.size, self.mechanism, self.top, coins)
        return tuple((self.universe.label(i), count) for i, count in kept)

    @property
    def distance(self) -> mpq:
        """A bound on the statistical distance from KeepHeavy: (n^2 + 2n)|X|/s, at most delta. Source: BV.Thm6.8.i."""
        n = self.mechanism.n
        return mpq((n * n + 2 * n) * self.universe.size, self.s)

    def claim(self, coins: Coins | None = None) -> PrivacyClaim:
        """(epsilon, (ratio + 1) delta), where ratio is KeepHeavy's, at most e^epsilon. Source: BV.Thm6.8.ii."""
        draws = self.cost().draws
        exact = claimed_on(self.mechanism, coins, draws, "BV.Thm6.8.ii")
        ratio = exact.ratio if exact.ratio is not None else exp_bounds(exact.epsilon)[1]
        delta = exact.delta + (ratio + 1) * self.delta * slack_of(coins, draws)
        return PrivacyClaim(exact.epsilon, "replace-one", min(delta, mpq(1)), None, "BV.Thm6.8.ii")

    def accuracy(self, beta: RationalLike) -> HistogramAccuracy:
        """(a_1, 2 beta + delta) per query on counts above 2 a_2, that count, and (2 a_2, beta + delta) simultaneously.

        Source: BV.Thm6.8.i with BV.Thm6.2.ii and iii, where a_1 and a_2 are the mechanism's accuracies at beta and at
        beta/|X|. Parameters: beta in (0, 1]. Raises: ParameterError where 2 beta + delta is above 1.
        """
        b = probability(beta, "beta", zero=False)
        single, every = self.mechanism.accuracy(b), self.mechanism.accuracy(mpq(b, self.universe.size))
        return HistogramAccuracy(
            Accuracy(single.a, 2 * b + self.delta, "per-query", "BV.Thm6.8.i"),
            2 * every.a,
            Accuracy(2 * every.a, b + self.delta, "simultaneous", "BV.Thm6.8.i"),
        )

    def cost(self) -> Cost:
        """The same draws, bits and comparisons for every dataset and result. Source: BV.Thm6.8.iii."""
        return sampled_cost(self.mechanism, self.universe.size, self.top)


def sparse_accuracy(histogram: SparseHistogram[Any], beta: RationalLike) -> HistogramAccuracy:
    """What holds up to a probability of beta altogether: per query above a count, that count, and simultaneously.

    Source: SparseHistogram.accuracy at (beta - distance)/2, of which the simultaneous one then holds even more often.
    Parameters: beta above the histogram's distance delta. Raises: ParameterError.
    """
    b = probability(beta, "beta", zero=False)
    share = mpq(b - histogram.delta, 2)
    try:
        shared = histogram.accuracy(share)
    except ParameterError:  # what is left is too little for the mechanism, or nothing
        told = f"beta = {b} leaves too little beside {histogram.delta}, the distance that delta allows"
        raise ParameterError(f"{told}; accepted: a larger beta or a smaller delta") from None
    return HistogramAccuracy(evolve(shared.per_query, beta=b), shared.above, evolve(shared.simultaneous, beta=b))


def sparse_histogram_with_fast_sample(
    universe: Universe[T], n: int, epsilon: RationalLike, delta: RationalLike, beta_0: RationalLike
) -> SparseHistogram[T]:
    """SparseHistogram with FastSample at gamma = beta_0/(8|X|), within such a distance that the release's delta is as asked.

    Source: BV.Thm6.8, with the gamma of BV.Fig5. The distance is 1/ceil((e^epsilon + 1)/delta).
    Parameters: universe with |X| >= 2n + 1; n >= 1 rows; epsilon, delta and beta_0 of the form 1/q. Raises: ParameterError.
    """
    known, growth = as_universe(universe), exp_bounds(epsilon)[1] + 1
    distance = mpq(1, -int(-growth * unit_fraction(delta, "delta", least_denominator=2) // 1))
    gamma = mpq(1, 8 * known.size * unit_fraction(beta_0, "beta_0"))
    return SparseHistogram(FastSample(n, epsilon, gamma), known, distance)
