"""CompactHistogram (Section 8 of Balcer and Vadhan): a histogram of a universe of any size, released as one polynomial.

The polynomial has degree at most n over a field with d_0 elements. Its value at a label is the randomness of the label's noisy
count: chosen so that the labels that occur get the noisy counts drawn for them, and uniform elsewhere. So every label has the
noisy count that a mechanism with a bin for each label would give it, at the cost of n + 1 field elements.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any, Generic, TypeVar

from attrs import field, frozen
from gmpy2 import mpq

from finitedp.claim import Accuracy, Cost, HistogramAccuracy, PrivacyClaim
from finitedp.errors import ClaimError, ParameterError
from finitedp.exact import RationalLike, ceil_log, integer, probability, rational, unit_fraction
from finitedp.impl.arithmetic.field import MOST_LEVEL, Field, element_bits
from finitedp.impl.arithmetic.kernels import ceil_log2
from finitedp.impl.counting.dyadic import DyadicSample
from finitedp.impl.counting.dyadic_table import positive_epsilon
from finitedp.impl.counting.geometric import CountingMechanism, FastSample, GeoSample, checked_mechanism
from finitedp.impl.histograms.compact_release import CompactRelease
from finitedp.impl.histograms.empty_bins import EmptyBinSampler
from finitedp.impl.histograms.universe import Universe, as_universe, indexed
from finitedp.impl.randomness.coins import Coins, StrictCoins, UnusedDraws, checked_coins, slack_of, strict_bits

__all__ = [
    "CompactHistogram",
    "compact_accuracy",
    "compact_histogram_with_dyadic_sample",
    "compact_histogram_with_fast_sample",
    "compact_histogram_with_geo_sample",
    "least_level",
]

FIELD_WORD = 162  # 2 * 3^4: the bits of a word that is an element of a field
FOR_COINS = mpq(1, 1 << 126)  # of epsilon, which covers what strict coins add: a factor of at most 1/(1 - 2/(2^128 - 1))

T = TypeVar("T")


def least_level(elements: int) -> int:
    """The least l >= 0 for which the field has at least so many elements: 2^(2*3^l) >= elements. Raises: ParameterError."""
    bits, level = ceil_log2(integer(elements, "elements", at_least=1)), 0
    while element_bits(level) < bits:
        level += 1
    if level > MOST_LEVEL:
        raise ParameterError(f"a field with 2^{bits} elements is needed; accepted: at most 2^{element_bits(MOST_LEVEL)}")
    return level


def _power_of_two(d: int) -> bool:
    return d & (d - 1) == 0


def _optional_rational(value: RationalLike | None) -> mpq | None:
    return None if value is None else rational(value)


@frozen(slots=False)
class CompactHistogram(Generic[T]):
    """A uniform polynomial among those that are consistent with noisy counts of the labels that occur.

    It is over the field with d_0 = 2^(2*3^l) elements; the label at position i of the universe is the field element i.

    Source: BV.Alg8.2, BV.Thm8.3, with the erratum that the n + 1 points of interpolation are elements of the field, which may
    be more than the universe has.
    Parameters: mechanism, a counting-query mechanism for counts in 0..n; universe, a Universe, a range or a list of labels;
    level, the paper's l, by default the least for which d_0 >= |X|, d_0 >= n + 1 and 3 d_0 >= 4d, or d_0 >= d where d is a
    power of two; epsilon, what the claim states, by default what the ratio implies; beta, at which a release states its
    accuracy, if at all.
    Raises: ParameterError, also for a level that is too small, and for a mechanism that gives a noisy count to some count but
    never to 0, so that no polynomial could be consistent with it; ClaimError for an epsilon that the ratio does not imply.
    """

    mechanism: CountingMechanism = field(converter=checked_mechanism)
    universe: Universe[T] = field(converter=as_universe)
    level: int = field()
    epsilon: mpq | None = field(default=None, converter=_optional_rational)
    beta: mpq | None = field(default=None, converter=_optional_rational)

    @level.default
    def _least_level(self) -> int:
        d = self.mechanism.d
        return least_level(max(self.universe.size, self.mechanism.n + 1, d if _power_of_two(d) else -(-4 * d // 3)))

    def __attrs_post_init__(self) -> None:
        least = self._least_level()
        if integer(self.level, "level", 0, MOST_LEVEL) < least:
            raise ParameterError(
                f"level = {self.level} gives a field too small, of 2^{element_bits(self.level)} elements, for the "
                f"universe, n or the mechanism's draws; accepted: an integer from {least} to {MOST_LEVEL}"
            )
        self._check_support()
        self._stated()  # refuses a beta without a bound
        if self.epsilon is not None:
            self.claim()  # refuses an epsilon that the ratio does not imply

    def _check_support(self) -> None:
        m = self.mechanism
        for v in range(m.n + 1):
            first, last = self.sampler.interval(v)
            if first > last and any(m.cdf(c, v) > (m.cdf(c, v - 1) if v else 0) for c in range(m.n + 1)):
                raise ParameterError(f"the mechanism gives the noisy count {v} to some count but never to 0; S_{v} is empty")

    @cached_property
    def base(self) -> Field:
        """The field with d_0 elements."""
        return Field(self.level)

    @cached_property
    def sampler(self) -> EmptyBinSampler:
        """M_0: from a field element, as a draw from 1..d_0, to the noisy count of a label that does not occur."""
        return EmptyBinSampler(self.mechanism, self.base.order)

    def release(self, data: Iterable[T], coins: Coins) -> CompactRelease[T]:
        """The histogram of the rows, of which there are at most n, as a polynomial.

        Source: BV.Alg8.2. Raises: DataError for more than n rows or one outside of the universe.
        """
        return self.release_counts(Counter(data), coins)

    def release_counts(self, counts: Mapping[T, int], coins: Coins) -> CompactRelease[T]:
        """`release` for true counts that are known already; counts of 0 are as if absent.

        Raises: DataError for a label outside of the universe, a count outside 0..n or a sum above n.
        Cost: the same draws, bits, searches and field operations for every dataset; counting and sorting the labels are not.
        """
        claim, stated = (
            self.claim(checked_coins(coins)),
            self._stated(),
        )  # what cannot be claimed is refused before the noise is drawn
        found = indexed(counts, self.universe, self.mechanism.n)
        coefficients = self.consistent(self.noisy(found, coins), coins)
        return CompactRelease(self.level, self.mechanism, self.universe, coefficients, claim, stated)

    def _stated(self) -> tuple[Accuracy, ...]:
        if self.beta is None:
            return ()
        accuracy = self.accuracy(self.beta)
        return accuracy.per_query, accuracy.simultaneous

    def noisy(self, counts: Mapping[int, int], coins: Coins) -> dict[int, int]:
        """Noisy counts for counts above 0 by field element. Source: BV.Alg8.2 (2). Cost: n draws and n searches."""
        padded = list(counts.values()) + [0] * (self.mechanism.n - len(counts))
        drawn = [self._noisy_count(count, coins) for count in padded]
        return dict(zip(counts, drawn, strict=False))

    def _noisy_count(self, count: int, coins: Coins) -> int:
        """A noisy count; for a count of 0, which only pads, the same work on a fixed draw."""
        return int(self.mechanism.release(count, UnusedDraws(coins, used=count > 0)))

    def consistent(self, noisy: Mapping[int, int], coins: Coins) -> tuple[int, ...]:
        """The coefficients of a uniform one among the polynomials that give these noisy counts at these field elements.

        Source: BV.Lem8.1.iv. Parameters: noisy, at most n field elements, each with a count that M_0 can have.
        Raises: ParameterError. Cost: n + 1 draws and an interpolation through n + 1 points.
        """
        if len(noisy) > self.mechanism.n:
            raise ParameterError(f"{len(noisy)} counts are to be met; accepted: at most n = {self.mechanism.n}")
        places, values = self.points(noisy, coins)
        return self.base.interpolate(places, [int(value) for value in values], self._width)

    def points(self, noisy: Mapping[int, int], coins: Coins) -> tuple[list[int], list[int]]:
        """The n + 1 points of the interpolation and the field elements that are to be the values there."""
        places = self._places(list(noisy))
        return places, [self._value(noisy.get(place), coins) for place in places]

    def _places(self, occupied: list[int]) -> list[int]:
        """The labels that occur, and then the least field elements that are not among them: n + 1 points in all."""
        candidates = min(2 * self.mechanism.n + 1, self.base.order)
        taken = set(occupied)
        free = [element for element in range(candidates) if element not in taken]
        return (occupied + free)[: self.mechanism.n + 1]

    @cached_property
    def _width(self) -> int:
        """A bound on the bits of a point."""
        return int(max(self.universe.size, 2 * self.mechanism.n + 1) - 1).bit_length()

    def _value(self, noisy: int | None, coins: Coins) -> int:
        """Uniform on the field elements that give a noisy count, or on all of them where there is none to give."""
        first, last = self.sampler.interval(noisy or 0)
        if noisy is None:
            first, last = 1, self.base.order
        return first - 2 + checked_coins(coins).uniform(last - first + 1, most=self.base.order)

    def claim(self, coins: Coins | None = None) -> PrivacyClaim:
        """The square of the mechanism's ratio, times the empty-bin sampler's (q+1)/q, times what the coins add.

        Where the mechanism reads words of bits and d divides d_0, the factor (q+1)/q is 1, and of all draws the coins' slack
        counts once: in the worst case one label stops to occur and another one begins to.
        Source: BV.Thm8.3.i, with the rational factors that the proof bounds by e^(epsilon_2) and e^(epsilon_3);
        FD.Dyadic.compact.private, FD.Dyadic.compact.coins.
        Raises: ClaimError where that does not imply the stated epsilon.
        """
        one, growth = self.mechanism.claim(), self.sampler.growth()
        slack = slack_of(coins, 1 if self._words else self.cost().draws)
        if one.delta:
            raise ParameterError(f"the mechanism claims delta = {one.delta}; accepted: a delta of 0")
        implied = 2 * one.epsilon + (growth - 1) + (slack - 1)  # 1 + y <= e^y for the two factors
        epsilon = implied if self.epsilon is None else self.epsilon
        if one.ratio is None and epsilon < implied:
            raise ClaimError(f"epsilon = {epsilon} is below {implied}, which a mechanism without a rational ratio implies")
        ratio = None if one.ratio is None else one.ratio**2 * growth * slack
        source = "FD.Dyadic.compact.private" if self._words else "BV.Thm8.3.i"
        return PrivacyClaim(epsilon, "replace-one", ratio=ratio, source=source)

    @cached_property
    def _words(self) -> bool:
        """Whether the mechanism's draws are exact on all coins, so that its claim knows no slack, and d divides d_0."""
        return self.sampler.r == 0 and self.mechanism.claim(StrictCoins()) == self.mechanism.claim()

    def accuracy(self, beta: RationalLike) -> HistogramAccuracy:
        """The (a, beta) per-query accuracy and the (a, beta) simultaneous accuracy that the mechanism's own implies.

        Source: BV.Thm8.3.ii, and BV.Thm8.3.iii by the mechanism's accuracy at beta / |X|.
        Raises: ParameterError where the mechanism has no accuracy claim at beta or at beta / |X|.
        """
        b = probability(beta, "beta", zero=False)
        single, every = self.mechanism.accuracy(b), self.mechanism.accuracy(mpq(b, self.universe.size))
        return HistogramAccuracy(
            Accuracy(single.a, b, "per-query", "BV.Thm8.3.ii"),
            -1,
            Accuracy(every.a, b, "simultaneous", "BV.Thm8.3.iii"),
        )

    def cost(self) -> Cost:
        """n draws and searches of the mechanism and n + 1 draws of field elements: the same for every dataset."""
        n, bits = self.mechanism.n, strict_bits(self.base.order)
        return self.mechanism.cost().times(n) + Cost(n + 1, (n + 1) * bits, 0)


def _instance(
    mechanism: CountingMechanism, universe: Universe[T], epsilon: RationalLike, beta: RationalLike | None
) -> CompactHistogram[T]:
    """CompactHistogram over the least field with d_0 >= max(|X|, 30 d / epsilon), stating epsilon."""
    elements = max(universe.size, 30 * mechanism.d * unit_fraction(epsilon, "epsilon"))
    return CompactHistogram(mechanism, universe, least_level(elements), rational(epsilon, "epsilon"), beta)


def _reduced(epsilon: RationalLike) -> mpq:
    """epsilon' = 1/ceil(10/(9 epsilon)), which leaves a tenth of epsilon to the empty-bin sampler."""
    return mpq(1, -(-10 * unit_fraction(epsilon, "epsilon") // 9))


def compact_histogram_with_fast_sample(
    universe: Any,  # noqa: ANN401  # whatever as_universe takes
    n: int,
    epsilon: RationalLike,
    beta_0: RationalLike,
) -> CompactHistogram[Any]:
    """The instance of Theorem 8.6: FastSample at epsilon' = 1/ceil(10/(9 epsilon)) and gamma = beta_0/(2|X|).

    Source: BV.Thm8.6. Parameters: universe, a Universe, a range or a sequence of labels; n >= 1 rows; epsilon = 1/q; beta_0 =
    1/b, the smallest beta for which the simultaneous accuracy is wanted, at which a release states its accuracy.
    Raises: ParameterError.
    """
    labels: Universe[Any] = as_universe(universe)
    gamma = mpq(1, 2 * labels.size * unit_fraction(beta_0, "beta_0"))
    return _instance(FastSample(n, _reduced(epsilon), gamma), labels, epsilon, beta_0)


def compact_histogram_with_geo_sample(
    universe: Any,  # noqa: ANN401  # whatever as_universe takes
    n: int,
    epsilon: RationalLike,
    beta: RationalLike | None = None,
) -> CompactHistogram[Any]:
    """The instance of Figure 6 with GeoSample at epsilon' = 1/ceil(10/(9 epsilon)): slower, for a slightly smaller error.

    Source: BV.Fig6. Parameters: as for `compact_histogram_with_fast_sample`; beta, at which a release states its accuracy.
    Raises: ParameterError.
    """
    return _instance(GeoSample(n, _reduced(epsilon)), as_universe(universe), epsilon, beta)


def compact_histogram_with_dyadic_sample(
    universe: Any,  # noqa: ANN401  # whatever as_universe takes
    n: int,
    epsilon: RationalLike,
    word: int = FIELD_WORD,
    beta: RationalLike | None = None,
) -> CompactHistogram[Any]:
    """Over a dyadic table of 2^word draws, which divides the field's size: nothing is lost to the empty-bin sampler.

    The released count of every label has the law of DyadicSample itself, at epsilon - 2^-126. With word = 162 (or 54, 18) and
    at most 2^word labels the field has exactly 2^word elements; more labels take the next larger field.

    Source: FD.Dyadic.compact.law, FD.Dyadic.compact.private. Parameters: universe, a Universe, a range or a sequence of
    labels; n >= 1 rows; epsilon > 2^-126, any rational; word in 2..256, the bits of the draws of noise; beta, at which a
    release states its accuracy. Raises: ParameterError, where no table of that many bits exists with the number that would do.
    """
    stated = positive_epsilon(epsilon)
    if stated <= FOR_COINS:
        raise ParameterError(f"epsilon = {stated} is too small; accepted: a rational above 2^-126")
    below = stated - FOR_COINS
    try:
        mechanism = DyadicSample(n, below, word)
    except ParameterError as error:
        raise ParameterError(str(error).replace(f"epsilon = {below}", f"epsilon = {stated} (less 2^-126)")) from None
    return CompactHistogram(mechanism, as_universe(universe), epsilon=stated, beta=beta)


def compact_accuracy(universe_size: int, epsilon: RationalLike, beta: RationalLike) -> HistogramAccuracy:
    """ceil(5/epsilon ln(2/beta)) for one label and ceil(5/epsilon ln(2|X|/beta)) for all labels at once.

    Source: BV.Thm8.6.ii (for beta >= 2 gamma) and BV.Thm8.6.iii (for beta >= beta_0), the latter with the erratum that it is
    the simultaneous accuracy. Raises: ParameterError.
    """
    b, q = probability(beta, "beta", zero=False), unit_fraction(epsilon, "epsilon")
    size = integer(universe_size, "universe_size", at_least=1)
    return HistogramAccuracy(
        Accuracy(ceil_log(5 * q, mpq(2, b)), b, "per-query", "BV.Thm8.6.ii"),
        -1,
        Accuracy(ceil_log(5 * q, mpq(2 * size, b)), b, "simultaneous", "BV.Thm8.6.iii"),
    )
