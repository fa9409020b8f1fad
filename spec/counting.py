"""The laws of the counting-query mechanisms of Section 4, from their definitions.

Nothing here uses the distribution functions F and F' that the running code evaluates: a law is the two-sided geometric
probability mass function, truncated, clamped and mixed as the theorems say, so that agreement with the code means something.
"""

from collections.abc import Iterator
from functools import lru_cache

from gmpy2 import mpq, mpz

from finitedp.errors import ParameterError
from finitedp.exact import RationalLike, integer, rational, unit_fraction
from finitedp.spec.pmf import Pmf, mixture

__all__ = [
    "fast_sample",
    "geo_sample",
    "geometric_mechanism",
    "geometric_pmf",
    "geometric_tail",
    "least_power_of_two",
    "sample_decay",
    "truncated_geometric",
    "truncation_radius",
]


def _decay(value: RationalLike) -> mpq:
    decay = rational(value, "decay")
    if not 0 < decay < 1:
        raise ParameterError(f"decay = {decay} is out of range; accepted: a rational in (0, 1)")
    return decay


def geometric_pmf(decay: RationalLike, z: int) -> mpq:
    """Pr[Z = z] for the two-sided geometric law on the integers, proportional to decay^|z|.

    Source: Section 4.1 of Balcer and Vadhan, with decay = e^(-1/s); the constant is 1 / (sum of decay^|z| over all z).
    """
    a = _decay(decay)
    return (1 - a) / (1 + a) * a ** abs(z)


def geometric_tail(decay: RationalLike, m: int) -> mpq:
    """Pr[Z >= m] for m >= 1 under the two-sided geometric law: the geometric series from m on."""
    a = _decay(decay)
    return geometric_pmf(a, integer(m, "m", at_least=1)) / (1 - a)


def geometric_mechanism(n: int, decay: RationalLike, count: int) -> Pmf[int]:
    """Count + Z clamped to 0..n, for two-sided geometric Z.

    Source: BV.Alg4.5, with decay = e^(-epsilon/2).
    Parameters: n >= 1; decay in (0, 1); count in 0..n.
    """
    a, c = _decay(decay), integer(count, "count", 0, integer(n, "n", at_least=1))
    p, q = a.numerator, a.denominator
    far = max(c, n - c)
    powers = list(_mixed_powers(p, q, far))
    # Over (p + q) q^far: Pr[Z = +-j] = (q - p) p^j q^(far - j), and each end takes the tail behind it, q p^j q^(far - j).
    weights = {z: (q - p) * powers[abs(z - c)] for z in range(1, n)}
    weights[0] = q * powers[c]
    weights[n] = q * powers[n - c]
    return Pmf(weights)


def _mixed_powers(p: int, q: int, last: int) -> Iterator[int]:
    """p^j q^(last - j) for j = 0, ..., last."""
    power = q**last
    yield power
    for _ in range(last):
        power = power // q * p
        yield power


def least_power_of_two(bound: mpq) -> int:
    """The least integer k >= 0 with 2^k >= bound: the paper's ceiling of log(bound), base 2."""
    k = 0
    while 2**k < bound:
        k += 1
    return k


def sample_decay(epsilon: RationalLike) -> mpq:
    """e^(-epsilon~/2) = 1 / (1 + 2^-k) with k = ceil(log(2/epsilon)): the decay of GeoSample and FastSample.

    Source: BV.Thm4.7. Parameters: epsilon = 1/q.
    """
    q = unit_fraction(epsilon, "epsilon")
    return 1 / (1 + mpq(1, 2 ** least_power_of_two(mpq(2 * q))))


def geo_sample(n: int, epsilon: RationalLike, count: int) -> Pmf[int]:
    """The law of GeoSample: the geometric mechanism at epsilon~.

    Source: BV.Thm4.7.i. Parameters: n >= 1; epsilon = 1/q; count in 0..n.
    """
    return geometric_mechanism(n, sample_decay(epsilon), count)


def truncation_radius(n: int, epsilon: RationalLike, gamma: RationalLike) -> int:
    """t = ceil(9/(2 epsilon) * ceil(log(8(n+1)(1-gamma)/(epsilon gamma)))) - 1, with the logarithm base 2.

    Source: BV.Alg4.11 (1). Parameters: epsilon = 1/q; gamma = 1/g with g >= 2.
    """
    e, g = mpq(1, unit_fraction(epsilon, "epsilon")), mpq(1, unit_fraction(gamma, "gamma", least_denominator=2))
    inner = least_power_of_two(8 * (n + 1) * (1 - g) / (e * g))
    radius = mpq(9, 2) / e * inner
    return int(-(-radius.numerator // radius.denominator)) - 1


@lru_cache(maxsize=8)  # the laws of all counts share it
def truncated_geometric(decay: RationalLike, radius: int) -> Pmf[int]:
    """Z' - c: the two-sided geometric law on -radius..radius, with all mass beyond it moved to 0.

    Source: BV.Lem4.12.i. Parameters: decay in (0, 1); radius >= 0.
    """
    a, t = _decay(decay), integer(radius, "radius", at_least=0)
    p, q = a.numerator, a.denominator
    one_side = [(q - p) * power for power in _mixed_powers(p, q, t)]
    weights: dict[int, int] = {sign * j: one_side[j] for j in range(1, t + 1) for sign in (-1, 1)}
    weights[0] = mpz((p + q) * q**t - 2 * sum(one_side[1:]))
    return Pmf(weights)


def fast_sample(n: int, epsilon: RationalLike, gamma: RationalLike, count: int) -> Pmf[int]:
    """The law of FastSample: with probability 1 - gamma, Z' clamped to 0..n; else uniform on 0..n.

    Source: BV.Lem4.12.ii.
    Parameters: n >= 1; epsilon = 1/q; gamma = 1/g with g >= 2; count in 0..n.
    """
    c = integer(count, "count", 0, integer(n, "n", at_least=1))
    uniform_share = mpq(1, unit_fraction(gamma, "gamma", least_denominator=2))
    noise = truncated_geometric(sample_decay(epsilon), truncation_radius(n, epsilon, gamma))
    clamped = noise.shifted(c).clamped(0, n)
    return mixture([(1 - uniform_share, clamped), (uniform_share, Pmf.uniform(range(n + 1)))])
