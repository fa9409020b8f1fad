"""Algorithm 5 of Ghazi, Kamath, Kumar and Manurangsi: an anonymized histogram from a BasicHistogram that is released already.

It is post-processing: the release costs nothing more. phi_{>=r} is estimated by the sum over all bins of f(noisy count - r),
which is #{noisy >= r} + kappa (c_r - c_{r-1}) for c_v the number of noisy counts v; two corners of f are changed, since counts
are clamped to 0..n. Then the integers next to that which are non-increasing, in the l1 error, are a histogram.
"""

from collections import Counter
from collections.abc import Iterable
from itertools import pairwise

from gmpy2 import mpq

from finitedp.errors import DataError, ParameterError
from finitedp.exact import RationalLike, integer, rational
from finitedp.impl.anonymized.l1_isotonic import Run, l1_isotonic
from finitedp.impl.anonymized.prevalences import Pairs
from finitedp.impl.counting.dyadic_table import DyadicTable
from finitedp.labels import shown

__all__ = ["SCALE", "algorithm_5", "bias", "bias_bound", "corner_values", "estimates", "kappa", "noisy_bins"]

SCALE = 1 << 96
"""The denominator of estimates: kappa has hundreds of bits, and is rounded to this one."""


def kappa(ratio: RationalLike) -> mpq:
    """R / (R - 1)^2, which is p / (1 - p)^2 at p = 1 / R. Raises: ParameterError unless R > 1."""
    r = rational(ratio, "ratio")
    if r <= 1:
        raise ParameterError(f"ratio = {r} is out of range; accepted: a rational above 1, such as a table's")
    return mpq(r, (r - 1) ** 2)


def corner_values(ratio: RationalLike) -> tuple[mpq, mpq]:
    """f_1(0) = -p / (1 - p) and f_n(n) = 1 / (1 - p), at p = 1 / R: what makes up for the clamping."""
    r = rational(ratio, "ratio")
    return mpq(-1, r - 1), mpq(r, r - 1)


def noisy_bins(noisy: Iterable[int], n: int) -> Counter[int]:
    """How many bins have each noisy count. Raises: DataError for a count outside of 0..n."""
    bins = Counter(noisy)
    for value in bins:
        if not 0 <= value <= n:
            raise DataError(f"the noisy count {shown(value)} is out of range; accepted: counts from 0 to {n}")
    return bins


def estimates(bins: Counter[int], n: int, ratio: RationalLike) -> list[tuple[int, int, int]]:
    """Runs (first r, length, num) of equal estimates num / SCALE of phi_{>=r}, r = 1, ..., n. Source: GK.phihat, GK.corners.

    Parameters: bins, how many bins have each noisy count in 0..n; ratio, the R of their noise: of decay 1 / R.
    """
    k, low, high = (_scaled(value) for value in (kappa(ratio), *corner_values(ratio)))
    special = sorted({r for v in bins for r in (v, v + 1) if 1 <= r <= n} | {1, n})
    found, above = list[tuple[int, int, int]](), sum(many for v, many in bins.items() if v > n)
    for r, following in reversed(list(pairwise([*special, n + 1]))):
        if following - r > 1:
            found.append((r + 1, following - r - 1, above * SCALE))
        here, before = bins[r], bins[r - 1]
        num = here * high if r == n else (above + here) * SCALE + here * k
        num += before * (low if r == 1 else -k)
        above += here
        found.append((r, 1, num))
    return found[::-1]


def _scaled(value: mpq) -> int:
    """value * SCALE, rounded to the nearest integer."""
    return int((2 * value.numerator * SCALE + value.denominator) // (2 * value.denominator))


def algorithm_5(noisy: Iterable[int], n: int, ratio: RationalLike) -> Pairs:
    """The anonymized histogram next to the estimates, of at most as many labels as there are bins. Source: GK.Alg5.

    Parameters: noisy, the noisy counts of all bins, empty ones too; n, the largest count; ratio, the R of their noise.
    Returns: a prevalence form. Raises: DataError, ParameterError.
    Cost: O(k log k) for k different noisy counts, after one pass over the bins.
    """
    largest = integer(n, "n", at_least=1)
    bins = noisy_bins(noisy, largest)
    runs = estimates(bins, largest, ratio)
    fitted = l1_isotonic([Run(num, length) for _, length, num in runs], SCALE, 0, bins.total())
    at_ends = [(first + length - 1, x) for (first, length, _), x in zip(runs, fitted, strict=True)]
    return tuple((r, x - following) for (r, x), (_, following) in pairwise([*at_ends, (0, 0)]) if x > following)


# The bias of dyadic noise


def bias(table: DyadicTable, count: int, r: int) -> mpq:
    """E f_r(noisy count) - [count >= r], exactly, for noise of the table and f at p = 1 / R. Source: GK.bias.

    Parameters: count in 0..n; r in 1..n. Cost: O(1).
    """
    n, whole, k = table.n, 1 << table.bits, kappa(table.ratio)
    low, high = corner_values(table.ratio)

    def at_most(z: int) -> int:  # 2^B Pr[noisy <= z]
        if z >= n:
            return whole
        if z < 0:
            return 0
        return table.upper(count - z) if z < count else whole - table.upper(z - count + 1)

    here, before = at_most(r) - at_most(r - 1), at_most(r - 1) - at_most(r - 2)
    mean = here * high if r == n else whole - at_most(r - 1) + here * k
    mean += before * (low if r == 1 else -k)
    return mpq(mean, whole) - (count >= r)


def bias_bound(table: DyadicTable) -> mpq:
    """A bound on the sum over r = 1, ..., n of |bias(count, r)|, for every count: one bin's share of the l1 bias.

    Rounding kappa and the corners to 1/SCALE is included. For D bins the l1 bias of all estimates together is at most D times
    this. Source: GK.bias. Cost: O(length of the table's head).
    """
    n, whole, k = table.n, 1 << table.bits, kappa(table.ratio)
    _, high = corner_values(table.ratio)
    h, w, s = len(table.head), table.weight, table.upper
    # inner r: E f(Z - j) = (S_j + kappa (w_j - w_{j-1})) / 2^B for j >= 1, and the same with the other sign on the other side
    apart = {j for j in (*range(1, h + 1), n) if 1 <= j <= n}
    inner = sum((abs(s(j) + k * (w(j) - w(j - 1))) for j in apart), mpq(0))
    first, last = h + 1, n - 1  # within the stretch the weights are equal, and S_j falls by one of them at each step
    if first <= last:
        inner += mpq((last - first + 1) * (s(first) + s(last)), 2)
    # r = 1, and r = n by symmetry: within the stretch linear in the count
    ends = {c for c in (*range(1, h + 2), n) if 1 <= c <= n}
    corner = max(abs(k * w(c - 1) - s(c) * high) for c in ends)
    corner = max(corner, abs(s(1) + k * w(1) - mpq(s(0), table.ratio - 1)))
    if n == 1:  # one r with both corners
        return max(abs(bias(table, c, 1)) for c in (0, 1)) + mpq(1, SCALE)
    return mpq(2 * inner + 2 * corner, whole) + mpq(2, SCALE)
