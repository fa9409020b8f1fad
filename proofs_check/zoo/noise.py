"""Mechanisms that add noise to one count.

A count changes by 1 between neighbours, so that the noise of draws.py alone has the worst ratio 1 / a at the decay a.
"""

from attrs import field, frozen
from gmpy2 import mpq

from finitedp.claim import PrivacyClaim
from finitedp.impl.randomness.coins import Coins
from finitedp.proofs_check.zoo.draws import HALF, geometric, pick
from finitedp.proofs_check.zoo.exhibit import Family, at_ratio, attained, fails, holds


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
    *Family("geometric", GHOSH, at_ratio(2, "counts"), n=3).exhibits(
        attained("", ClampedGeometric(3)).because(
            "Clamping the noisy count to 0..n is post-processing; the bound is attained.",
            "the range-restricted geometric mechanism, at the rational decay 1/2 for e^-epsilon",
        ),
        fails("noise-clamped", clamped_noise, "infinite", "1/12", n=2).because(
            "The range of outputs moves with the count, so that its ends say what the count is.",
            "the noise; clamping it to -3..3 instead of the sum is ours (folklore bug)",
        ),
        fails("renormalised", renormalised, "16/7", n=2).because(
            "Noisy counts outside of 0..2 are drawn again; how often that happens depends on the count.",
            "the noise; conditioning the sum on 0..n instead of clamping it is ours (folklore bug)",
        ),
        fails("wrong-base", ClampedGeometric(3, "1/4"), 4).because(
            "Half the scale of noise, at the same claim.",
            "the mechanism at decay a^2 = 1/4 where a = 1/2 is due (folklore bug: 2 epsilon for epsilon)",
        ),
        fails(
            "base-rounded-down",
            ClampedGeometric(1, "36787944/100000000"),
            "100000000/36787944",
            claim=PrivacyClaim(1, "counts"),
            n=1,
        ).because(
            "The ratio 10^8 / 36787944 is above e by about 3 parts in 10^9: too little noise.",
            "the mechanism, with e^-1 = 0.367879441... rounded to 8 decimals, which is down",
        ),
        holds(
            "base-rounded-up",
            ClampedGeometric(1, "36787945/100000000"),
            "100000000/36787945",
            claim=PrivacyClaim(1, "counts"),
            n=1,
        ).because(
            "The careful twin: the ratio 10^8 / 36787945 is below e by about 2 parts in 10^8.",
            "the mechanism, with e^-1 rounded up to 8 decimals",
        ),
    ),
    *Family("holes-in-the-noise", MIRONOV, at_ratio(2, "counts"), n=2).exhibits(
        fails("", even_noise, "infinite", "1/2").because(
            "Odd outputs come from odd counts alone.",
            "that sampled noise misses values, so that the sum betrays the input; here noise on even integers alone",
        ),
        attained("rounded", even_noise_rounded).because(
            "After rounding, only floor(c / 2) is left of the count.",
            "the remedy of rounding the noisy sum to the grid of the noise (one step of the snapping mechanism)",
        ),
    ),
    *Family(
        "small-counts-suppressed",
        "statistical offices' practice of suppressing small cells, which promises no differential privacy; the claim is ours",
        PrivacyClaim(10, "counts"),
        n=5,
    ).exhibits(
        fails("", suppressed, "infinite", 1).because(
            "Without noise no epsilon holds: the counts 2 and 3 have different outputs with certainty."
        ),
    ),
)
