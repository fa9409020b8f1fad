"""The zoo's exact draws, and mechanisms that add noise to one count.

The noise is two-sided geometric: an integer z has probability (1 - a) / (1 + a) * a^|z|, with a rational decay a where papers
write e^-epsilon. A count changes by 1 between neighbours, so that the noise alone has the worst ratio 1 / a.
"""

from collections.abc import Sequence
from functools import cache
from itertools import accumulate, pairwise

from attrs import field, frozen
from gmpy2 import lcm, mpq

from finitedp.claim import PrivacyClaim
from finitedp.exact import RationalLike
from finitedp.impl.randomness.coins import Coins
from finitedp.proofs_check.zoo.exhibit import Exhibit, at_ratio

__all__ = ["EXHIBITS", "HALF", "flip", "geometric", "noise_reaches", "pick"]

HALF = mpq(1, 2)


# Draws


def flip(coins: Coins, chance: RationalLike) -> bool:
    """True with a rational probability: one draw, one comparison."""
    p = mpq(chance)
    return coins.uniform(p.denominator) <= p.numerator


def pick(coins: Coins, weights: Sequence[int]) -> int:
    """An index, with probability in proportion to its integer weight."""
    u = coins.uniform(sum(weights))
    return next(i for i, below in enumerate(accumulate(weights)) if u <= below)


def tail(decay: mpq, k: int) -> mpq:
    """Pr[noise >= k], for noise of infinite range."""
    return decay**k / (1 + decay) if k > 0 else 1 - decay ** (1 - k) / (1 + decay)


def noise_reaches(coins: Coins, decay: mpq, k: int) -> bool:
    """Whether fresh noise of infinite range is at least k: only that is drawn."""
    return flip(coins, tail(decay, k))


@cache
def _weights(value: int, decay: mpq, low: int, high: int) -> tuple[int, ...]:
    """Integer weights of low..high in proportion to the law of value + noise, clamped."""
    above = [mpq(1), *(tail(decay, z - value) for z in range(low + 1, high + 1)), mpq(0)]
    common = lcm(*(p.denominator for p in above))
    return tuple(int((p - q) * common) for p, q in pairwise(above))


def geometric(coins: Coins, value: int, decay: mpq, low: int, high: int) -> int:
    """A value plus noise of infinite range, clamped to low..high afterwards: one draw."""
    return low + pick(coins, _weights(value, decay, low, high))


# One count


@frozen
class ClampedGeometric:
    """A count in 0..n plus noise, clamped to 0..n.

    At 0, for the counts 0 and 1: 1 / (1 + a) against a / (1 + a), so that the ratio 1 / a is attained.
    """

    n: int
    decay: mpq = field(converter=mpq, default=HALF)

    def __call__(self, count: int, coins: Coins) -> int:
        """The noisy count."""
        return geometric(coins, count, self.decay, 0, self.n)


def clamped_noise(count: int, coins: Coins) -> int:
    """The noise is clamped to -3..3, the sum is not: c + 3 is impossible at c - 1, and has a^3 / (1 + a) = 1/12 at c."""
    return count + geometric(coins, 0, HALF, -3, 3)


def renormalised(count: int, coins: Coins) -> int:
    """Drawn again until it is in 0..2. At 0, for counts 0 and 1: (1 / (7/4)) / ((1/2) / 2) = 16/7."""
    return pick(coins, [2 ** (2 - abs(z - count)) for z in range(3)])


def even_noise(count: int, coins: Coins) -> int:
    """Noise on the even integers alone, clamped to 0..4. An odd inner output betrays an odd count: 1/3 + 1/6 against 0."""
    return min(max(count + 2 * geometric(coins, 0, HALF, -4, 4), 0), 4)


def even_noise_rounded(count: int, coins: Coins) -> int:
    """The same, rounded down to an even integer: 2 (floor(c / 2) + noise), so that neighbours differ by one step at most."""
    return min(max((count + 2 * geometric(coins, 0, HALF, -4, 4)) // 2 * 2, 0), 4)


def suppressed(count: int, _coins: Coins) -> int:
    """The exact count, or -1 where it is below 3."""
    return count if count >= 3 else -1


GHOSH = "Ghosh, Roughgarden, Sundararajan 2009, Universally utility-maximizing privacy mechanisms: "
MIRONOV = "Mironov 2012, On significance of the least significant bits for differential privacy: "

EXHIBITS = (
    Exhibit(
        "geometric",
        GHOSH + "the range-restricted geometric mechanism, at the rational decay 1/2 for e^-epsilon",
        "Clamping the noisy count to 0..n is post-processing; the bound is attained.",
        ClampedGeometric(3),
        at_ratio(2, "counts"),
        3,
        "holds",
        tight=True,
        worst_ratio=2,
    ),
    Exhibit(
        "geometric/noise-clamped",
        GHOSH + "the noise; clamping it to -3..3 instead of the sum is ours (folklore bug)",
        "The range of outputs moves with the count, so that its ends say what the count is.",
        clamped_noise,
        at_ratio(2, "counts"),
        2,
        "fails",
        worst_ratio="infinite",
        delta="1/12",
    ),
    Exhibit(
        "geometric/renormalised",
        GHOSH + "the noise; conditioning the sum on 0..n instead of clamping it is ours (folklore bug)",
        "Noisy counts outside of 0..2 are drawn again; how often that happens depends on the count.",
        renormalised,
        at_ratio(2, "counts"),
        2,
        "fails",
        worst_ratio="16/7",
    ),
    Exhibit(
        "geometric/wrong-base",
        GHOSH + "the mechanism at decay a^2 = 1/4 where a = 1/2 is due (folklore bug: 2 epsilon for epsilon)",
        "Half the scale of noise, at the same claim.",
        ClampedGeometric(3, "1/4"),
        at_ratio(2, "counts"),
        3,
        "fails",
        worst_ratio=4,
    ),
    Exhibit(
        "geometric/base-rounded-down",
        GHOSH + "the mechanism, with e^-1 = 0.367879441... rounded to 8 decimals, which is down",
        "The ratio 10^8 / 36787944 is above e by about 3 parts in 10^9: too little noise.",
        ClampedGeometric(1, "36787944/100000000"),
        PrivacyClaim(1, "counts"),
        1,
        "fails",
        worst_ratio="100000000/36787944",
    ),
    Exhibit(
        "geometric/base-rounded-up",
        GHOSH + "the mechanism, with e^-1 rounded up to 8 decimals",
        "The careful twin: the ratio 10^8 / 36787945 is below e by about 2 parts in 10^8.",
        ClampedGeometric(1, "36787945/100000000"),
        PrivacyClaim(1, "counts"),
        1,
        "holds",
        worst_ratio="100000000/36787945",
    ),
    Exhibit(
        "holes-in-the-noise",
        MIRONOV + "that sampled noise misses values, so that the sum betrays the input; here noise on even integers alone",
        "Odd outputs come from odd counts alone.",
        even_noise,
        at_ratio(2, "counts"),
        2,
        "fails",
        worst_ratio="infinite",
        delta="1/2",
    ),
    Exhibit(
        "holes-in-the-noise/rounded",
        MIRONOV + "the remedy of rounding the noisy sum to the grid of the noise (one step of the snapping mechanism)",
        "After rounding, only floor(c / 2) is left of the count.",
        even_noise_rounded,
        at_ratio(2, "counts"),
        2,
        "holds",
        tight=True,
        worst_ratio=2,
    ),
    Exhibit(
        "small-counts-suppressed",
        "statistical offices' practice of suppressing small cells, which promises no differential privacy; the claim is ours",
        "Without noise no epsilon holds: the counts 2 and 3 have different outputs with certainty.",
        suppressed,
        PrivacyClaim(10, "counts"),
        5,
        "fails",
        worst_ratio="infinite",
        delta=1,
    ),
)
