"""The law of the dyadic mechanism from its definition: weights, their two conditions, and what follows exactly.

A table is a plain list w_0, ..., w_n here, and the noise is +-j with probability w_j / 2^B. Nothing is folded, compressed or
searched as in the running code.
"""

from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate, pairwise

from gmpy2 import mpq

from finitedp.errors import ParameterError
from finitedp.exact import RationalLike, compare_exp, integer, rational
from finitedp.spec.accuracy import miss_probability
from finitedp.spec.counting import geometric_mechanism, least_power_of_two
from finitedp.spec.divergence import total_variation
from finitedp.spec.pmf import Pmf

__all__ = [
    "centre_fits",
    "descends",
    "distance",
    "dyadic_sample",
    "excess",
    "excess_bound",
    "geometric_absolute_noise",
    "is_table",
    "law",
    "least_weights",
    "mean_absolute_noise",
    "noise",
    "ratio_below",
    "steps_hold",
    "sums_to",
    "table",
    "tails",
    "tails_hold",
    "worst_miss",
]

Weights = Sequence[int]


def _positive(value: RationalLike) -> mpq:
    epsilon = rational(value, "epsilon")
    if epsilon <= 0:
        raise ParameterError(f"epsilon = {epsilon} is not positive; accepted: a rational above 0")
    return epsilon


def ratio_below(epsilon: RationalLike, bits: int) -> mpq:
    """R: the largest multiple of 2^-p that is at most e^(epsilon/2), p = bits + 64 + ceil(log2(2/epsilon)).

    Where epsilon/2 >= bits, it is 2^bits. Source: FD.Dyadic.ratio. Parameters: epsilon > 0; bits >= 2.
    """
    return _ratio_below(_positive(epsilon), integer(bits, "bits", at_least=2))


@lru_cache(maxsize=256)
def _ratio_below(epsilon: mpq, bits: int) -> mpq:
    if epsilon / 2 >= bits:
        return mpq(2**bits)
    places = bits + 64 + least_power_of_two(2 / epsilon)
    low, high = 2**places, 3**bits * 2**places  # e^(epsilon/2) < 3^bits
    while high - low > 1:
        middle = (low + high) // 2
        if compare_exp(mpq(middle, 2**places), epsilon / 2) <= 0:
            low = middle
        else:
            high = middle
    return mpq(low, 2**places)


def tails(weights: Weights) -> list[int]:
    """S_0, ..., S_n with S_j = w_j + ... + w_n."""
    return list(accumulate(reversed(weights)))[::-1]


def descends(weights: Weights) -> bool:
    """Whether w_0 >= w_1 >= ... >= w_(n-1) >= 1 and w_n >= 1."""
    return all(a >= b for a, b in pairwise(weights[:-1])) and min(weights) >= 1


def steps_hold(weights: Weights, ratio: mpq) -> bool:
    """Condition (i): w_j <= R w_(j+1) for j < n - 1."""
    return all(a <= ratio * b for a, b in pairwise(weights[:-1]))


def tails_hold(weights: Weights, ratio: mpq) -> bool:
    """Condition (ii): S_j <= R S_(j+1) for j < n."""
    return all(a <= ratio * b for a, b in pairwise(tails(weights)))


def sums_to(weights: Weights, bits: int) -> bool:
    """Whether w_0 + 2(w_1 + ... + w_n) = 2^bits."""
    return bool(weights[0] + 2 * sum(weights[1:]) == 2**bits)


def is_table(weights: Weights, ratio: mpq, bits: int) -> bool:
    """Whether the weights are a dyadic table for R and 2^bits."""
    return descends(weights) and steps_hold(weights, ratio) and tails_hold(weights, ratio) and sums_to(weights, bits)


def noise(weights: Weights) -> Pmf[int]:
    """Z: +-j with probability w_j / 2^B, for weights that sum to 2^B."""
    return Pmf({sign * j: weight for j, weight in enumerate(weights) for sign in (-1, 1)})


def law(weights: Weights, count: int) -> Pmf[int]:
    """Count + Z clamped to 0..n. Parameters: weights w_0, ..., w_n; count in 0..n."""
    n = len(weights) - 1
    return noise(weights).shifted(integer(count, "count", 0, n)).clamped(0, n)


def least_weights(centre: int, ratio: mpq, n: int) -> list[int]:
    """The least w_1, ..., w_n behind w_0 = centre: ceil(w_j / R) at each step, and ceil(w_(n-1) / (R - 1)) for w_n."""
    weights = [centre]
    while len(weights) < n:
        weights.append(_ceil(weights[-1] / ratio))
    return [*weights, _ceil(weights[-1] / (ratio - 1))]


def _ceil(number: mpq) -> int:
    return int(-(-number.numerator // number.denominator))


def centre_fits(centre: int, ratio: mpq, n: int, bits: int) -> bool:
    """Whether the least weights behind w_0 = centre have a sum of at most 2^bits."""
    weights = least_weights(centre, ratio, n)
    return bool(weights[0] + 2 * sum(weights[1:]) <= 2**bits)


def table(n: int, ratio: mpq, bits: int) -> tuple[int, ...] | None:
    """The table with the largest even w_0: least weights, and what is left over added to w_n. None where there is no table.

    Source: FD.Dyadic.table. Parameters: n >= 1; ratio > 1; bits >= 2.
    """
    if not centre_fits(2, ratio, n, bits):
        return None
    low, high = 1, 2 ** (bits - 1)  # w_0 = 2 low fits, 2 high does not
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if centre_fits(2 * middle, ratio, n, bits) else (low, middle)
    weights = least_weights(2 * low, ratio, n)
    left_over = 2**bits - (weights[0] + 2 * sum(weights[1:]))
    return (*weights[:-1], weights[-1] + left_over // 2)


def dyadic_sample(n: int, epsilon: RationalLike, word: int, count: int) -> Pmf[int]:
    """The law of DyadicSample. Raises: ParameterError where there is no table.

    Source: FD.Dyadic.law. Parameters: n >= 1; epsilon > 0; word >= 2; count in 0..n.
    """
    weights = _table_of(n, _positive(epsilon), word)
    if weights is None:
        raise ParameterError(f"there is no table of {word} bits for n = {n}, epsilon = {epsilon}")
    return law(weights, count)


@lru_cache(maxsize=256)  # the laws of all counts share it
def _table_of(n: int, epsilon: mpq, word: int) -> tuple[int, ...] | None:
    return table(n, ratio_below(epsilon, word), word)


# What follows


def worst_miss(weights: Weights, a: int) -> mpq:
    """The largest Pr[|X - c| > a] over all counts c. Source: BV.Def4.2, for FD.Dyadic.accuracy."""
    return max(miss_probability(law(weights, c), c, a) for c in range(len(weights)))


def mean_absolute_noise(weights: Weights) -> mpq:
    """E|Z|, exactly."""
    return mpq(2 * sum(j * weight for j, weight in enumerate(weights)), weights[0] + 2 * sum(weights[1:]))


def geometric_absolute_noise(ratio: mpq, n: int | None = None) -> mpq:
    """E|Z| of the two-sided geometric law with decay a = 1/R: 2a / (1 - a^2), times 1 - a^n where Z is clamped to -n..n."""
    a = 1 / ratio
    return 2 * a / (1 - a**2) * (1 if n is None else 1 - a**n)


def distance(weights: Weights, ratio: mpq, count: int) -> mpq:
    """The total variation between the law at a count and the geometric mechanism's with decay 1/R. Source: BV.Alg4.5."""
    return total_variation(law(weights, count), geometric_mechanism(len(weights) - 1, 1 / ratio, count)).distance


def excess(centre: int, ratio: mpq, bits: int) -> mpq:
    """1 - w_0 (R+1)/(R-1) / 2^bits: how much of the whole mass rounding has moved away from the centre."""
    return 1 - centre * (ratio + 1) / (ratio - 1) / (1 << bits)


def excess_bound(ratio: mpq, n: int, bits: int) -> mpq:
    """2((n-1) R/(R-1) + R/(R-1)^2 + (R+1)/(R-1) + 1) / 2^bits: about (4n/epsilon + 8/epsilon^2) / 2^bits.

    Source: FD.Dyadic.distance.
    """
    r = ratio - 1
    return 2 * ((n - 1) * ratio / r + ratio / r**2 + (ratio + 1) / r + 1) / (1 << bits)
