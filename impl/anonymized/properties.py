"""Symmetric properties of the distribution behind an anonymized histogram: post-processing of what was released, (H, N).

Numbers are exact rationals; logarithms are intervals around them. N, the released number of items, stands for the sample's
size, not the sum of the released counts, which is noisier; a count above N says that its label is nearly everything. How near
an estimate is to that of the true histogram follows from their sorted l1 distance, see PH.Cor1.
"""

from math import comb

from gmpy2 import mpq

from finitedp.errors import ParameterError
from finitedp.exact import RationalLike, integer, log_bounds, rational
from finitedp.impl.anonymized.prevalences import Pairs

__all__ = [
    "distance_to_uniformity",
    "entropy",
    "entropy_miller_madow",
    "power_sum",
    "renyi_entropy",
    "support_coverage",
    "support_size",
]

Interval = tuple[mpq, mpq]


def support_size(pairs: Pairs) -> int:
    """How many labels the histogram has."""
    return sum(many for _, many in pairs)


def entropy(pairs: Pairs, total: int, bits: int = 64) -> Interval:
    """The plug-in entropy in nats, the sum of phi_r (r/N) ln(N/r) over r <= N: an interval. 0 where N is 0."""
    low = high = mpq(0)
    for r, many in pairs:
        if r < total:
            bounds = log_bounds(mpq(total, r), bits)
            low, high = low + many * mpq(r, total) * bounds[0], high + many * mpq(r, total) * bounds[1]
    return low, high


def entropy_miller_madow(pairs: Pairs, total: int, bits: int = 64) -> Interval:
    """The plug-in entropy plus (labels - 1) / (2N), Miller and Madow's correction of its bias: an interval. 0 where N is 0."""
    if total == 0:
        return mpq(0), mpq(0)
    low, high = entropy(pairs, total, bits)
    correction = mpq(max(support_size(pairs) - 1, 0), 2 * total)
    return low + correction, high + correction


def power_sum(pairs: Pairs, total: int, order: int) -> mpq:
    """The sum over labels of p^order, by falling factorials: unbiased where the counts are those of N independent draws.

    Parameters: order, an integer of at least 2. Returns: 0 where N is less than the order.
    """
    a = integer(order, "order", at_least=2)
    if total < a:
        return mpq(0)
    return sum((mpq(many * _falling(r, a), _falling(total, a)) for r, many in pairs), mpq(0))


def _falling(x: int, a: int) -> int:
    product = 1
    for i in range(a):
        product *= x - i
    return product


def renyi_entropy(pairs: Pairs, total: int, order: int, bits: int = 64) -> Interval | None:
    """ln(power_sum) / (1 - order), in nats: an interval; None where the power sum is 0. Parameters: order >= 2."""
    found = power_sum(pairs, total, order)
    if found <= 0:
        return None
    low, high = log_bounds(found, bits)
    return mpq(high, 1 - order), mpq(low, 1 - order)


def distance_to_uniformity(pairs: Pairs, total: int, k: int) -> mpq:
    """The sum over k labels of |p - 1/k|, exactly: a label that does not occur adds 1/k. 1 where N is 0."""
    labels = integer(k, "k", at_least=1)
    if total == 0:
        return mpq(1)
    seen = sum((many * abs(mpq(r, total) - mpq(1, labels)) for r, many in pairs), mpq(0))
    return seen + mpq(max(0, labels - support_size(pairs)), labels)


def support_coverage(pairs: Pairs, times: RationalLike, k: int = 8) -> mpq:
    """How many new labels `times` N further items would bring: the smoothed Good-Toulmin estimate, exactly.

    -sum over r of (-t)^r Pr[Binomial(k, 2/(t+2)) >= r] phi_r. Parameters: times, t > 0; k >= 1, where the series is cut.
    Raises: ParameterError.
    """
    t, size = rational(times, "times"), integer(k, "k", at_least=1)
    if t <= 0:
        raise ParameterError(f"times = {t} is not positive; accepted: a rational above 0")
    share = mpq(2, t + 2)
    law = [comb(size, i) * share**i * (1 - share) ** (size - i) for i in range(size + 1)]
    return -sum((many * (-t) ** r * sum(law[r:], mpq(0)) for r, many in pairs if r <= size), mpq(0))
