"""How noise is made: rounded distribution functions, and loops without a bound, whose unresolved mass a verdict must bear.

A verdict holds wherever the unresolved mass is. It might be at an output that a neighbour never has, so that claims for such
loops need a small delta above 0.
"""

from attrs import frozen
from gmpy2 import mpq

from finitedp.claim import PrivacyClaim
from finitedp.impl.counting.geometric import FastSample, GeoSample
from finitedp.impl.randomness.coins import Coins
from finitedp.proofs_check.engine.explorer import Budget
from finitedp.proofs_check.engine.stand_ins.standard import StandIn
from finitedp.proofs_check.zoo.draws import HALF, tail
from finitedp.proofs_check.zoo.exhibit import Family, at_ratio, attained, fails, holds

# Distribution functions


def rounded_distribution(count: int, coins: Coins) -> int:
    """Inverse transform sampling on 0..7 from a distribution function rounded to 6 binary digits.

    Pr[noisy <= 6] is 1 - 1/192 for the count 0, which is rounded to 1, and 1 - 1/96 for the count 1, rounded to 63/64. So
    for the count 1 the output 7 has 1/64, for the count 0 it is impossible.
    """
    rounded = [int(64 * (1 - tail(HALF, z + 1 - count)) + mpq(1, 2)) for z in range(7)]
    u = coins.uniform(64)
    return next((z for z, below in enumerate(rounded) if u <= below), 7)


GEO, FAST = GeoSample(4, 1), FastSample(4, 1, "1/16")


def geo_sample(count: int, coins: Coins) -> int:
    """The library's GeoSample: its distribution function is integers over one common denominator."""
    return GEO.release(count, coins)


def fast_sample(count: int, coins: Coins) -> int:
    """The library's FastSample."""
    return FAST.release(count, coins)


# Loops without a bound


def heads(rng: StandIn) -> int:
    """The number of heads before the first tail: k with probability 2^-(k + 1)."""
    found = 0
    while rng.getrandbits(1):
        found += 1
    return found


def difference(count: int, rng: StandIn) -> int:
    """A count plus the difference of two geometric variables, which is two-sided geometric with decay 1/2."""
    return count + heads(rng) - heads(rng)


def one_sided(count: int, rng: StandIn) -> int:
    """A count plus one geometric variable: the output 0 comes from the count 0 alone, with probability 1/2."""
    return count + heads(rng)


def bernoulli_exp(rng: StandIn, p: int, q: int) -> bool:
    """True with probability e^-(p/q), for p <= q: k ends odd if e^-x = 1 - x + x^2/2 - ... says so."""
    k = 1
    while rng.randrange(q * k) < p:
        k += 1
    return k % 2 == 1


@frozen
class ExactResponse:
    """A fair coin proposes the truth or the lie; the truth is accepted, the lie with probability e^-acceptances.

    The worst ratio is e^acceptances.
    """

    acceptances: int

    def __call__(self, data: tuple[int, ...], rng: StandIn) -> int:
        """The answer of the only row."""
        while True:
            if rng.getrandbits(1):
                return data[0]
            if all(bernoulli_exp(rng, 1, 1) for _ in range(self.acceptances)):
                return 1 - data[0]


BV = "Balcer, Vadhan 2019, Differential privacy on finite computers: "
INVERSE = (
    "inverse transform sampling with fixed-point thresholds, as any table of cumulative probabilities has them (folklore bug)"
)
CKS = "Canonne, Kamath, Steinke 2020, The discrete Gaussian for differential privacy: "
GHOSH = "Ghosh, Roughgarden, Sundararajan 2009, Universally utility-maximizing privacy mechanisms: the geometric mechanism"
BITS = (0, 1)

EXHIBITS = (
    *Family("rounded-distribution", INVERSE, at_ratio(2, "counts"), n=7).exhibits(
        fails("", rounded_distribution, "infinite").because(
            "Rounding the distribution function to 6 digits makes a small tail impossible at one count and not at the next."
        ),
    ),
    *Family("rounded-distribution", BV, GEO.claim(), n=4).exhibits(
        attained("geo-sample", geo_sample).because(
            "The careful twin: integer weights over one denominator, with a rational decay above e^-epsilon.",
            "GeoSample (Algorithm 4.5), the implementation of this library",
        ),
        holds("fast-sample", fast_sample, claim=FAST.claim()).because(
            "Another careful twin: coarse thresholds, and a uniform part that keeps every output possible.",
            "FastSample (Algorithm 4.8), the implementation of this library",
        ),
    ),
    *Family(
        "two-sided-from-coins", GHOSH, PrivacyClaim("7/10", "counts", "1/100000"), style="random", budget=Budget(draws=25)
    ).exhibits(
        holds("", difference).because(
            "An endless loop, resolved up to a mass of about 10^-6: (epsilon, 10^-5) holds wherever that mass is.",
            " as the difference of two geometric variables of coin flips, not clamped",
        ),
        fails("one-sided", one_sided, delta=HALF).because(
            "Noise that is never negative: the least output tells the smaller count.",
            " with noise on one side only (folklore bug)",
        ),
    ),
    *Family(
        "exact-exponential-response",
        CKS,
        PrivacyClaim(1, "replace-one", "1/500"),
        BITS,
        style="random",
        budget=Budget(runs=500),
    ).exhibits(
        holds("", ExactResponse(1)).because(
            "Rejection with an exact e^-1 gives the ratio e itself, up to the unresolved mass.",
            "Algorithm 1, Bernoulli(e^-1) without any real number; its use in randomised response is ours",
        ),
        fails("lie-too-rare", ExactResponse(2)).because(
            "The lie needs two acceptances, so that the ratio is e^2.", "Algorithm 1; accepting the lie with e^-2 is ours"
        ),
    ),
)
