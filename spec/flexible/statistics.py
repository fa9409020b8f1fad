"""Statistics of histograms from their definitions, and what they can be when some rows are left out.

A histogram is a tuple of counts of bars 0, 1, ...; a statistic that names a bar names its index. What no bar answers is the
public default, bar 0. Ranks depend on the size alone: the p-quantile is the bar of the ceil(p n)-th row, at least the first.
"""

from gmpy2 import mpq

from finitedp.exact import RationalLike, probability
from finitedp.spec.flexible.distortion import Histogram

__all__ = [
    "flexible_max_k",
    "flexible_median",
    "flexible_mode",
    "interquartile_range",
    "max_k",
    "maximum",
    "median",
    "minimum",
    "mode",
    "quantile",
    "rank",
    "separator",
    "spread",
    "support",
]


def max_k(x: Histogram, k: int, default: int = 0) -> int:
    """The last bar with at least k rows."""
    return max((i for i, count in enumerate(x) if count >= k), default=default)


def maximum(x: Histogram, default: int = 0) -> int:
    """The last bar that is not empty."""
    return max_k(x, 1, default)


def minimum(x: Histogram, default: int = 0) -> int:
    """The first bar that is not empty."""
    return min((i for i, count in enumerate(x) if count), default=default)


def spread(x: Histogram) -> tuple[int, int] | None:
    """The first and the last bar that are not empty: the interval whose length is the range. None of no rows."""
    return (minimum(x), maximum(x)) if sum(x) else None


def support(x: Histogram) -> tuple[int, ...]:
    """The bars that are not empty."""
    return tuple(i for i, count in enumerate(x) if count)


def mode(x: Histogram, default: int = 0) -> int:
    """The bar with the most rows, the first one of equals."""
    return x.index(max(x)) if sum(x) else default


def rank(p: RationalLike, size: int) -> int:
    """ceil(p n), at least 1: which row, from below, the p-quantile is."""
    level = probability(p, "p")
    return max(1, int(-(-level.numerator * size // level.denominator)))


def quantile(x: Histogram, p: RationalLike, default: int = 0) -> int:
    """The bar of the ceil(p n)-th row from below. Parameters: p in [0, 1]."""
    wanted, below = rank(p, sum(x)), 0
    for i, count in enumerate(x):
        below += count
        if below >= wanted:
            return i
    return default


def median(x: Histogram, default: int = 0) -> int:
    """The lower median."""
    return quantile(x, mpq(1, 2), default)


def interquartile_range(x: Histogram) -> int:
    """The bars between the quartiles: quantile 3/4 minus quantile 1/4."""
    return quantile(x, mpq(3, 4)) - quantile(x, mpq(1, 4))


def separator(x: Histogram, default: mpq | int = 0) -> mpq:
    """Of bars (-, 0), (+, 0), (-, 1), (+, 1), ...: the middle of the last - and the first +; it need not separate.

    Parameters: x, counts of the labels - and + in turn. Returns: in bars of the line; the default where a label is missing.
    """
    below, above = x[::2], x[1::2]
    if not sum(below) or not sum(above):
        return mpq(default)
    return mpq(maximum(below) + minimum(above), 2)


# Flexible sets in closed form: the values with at most a rows left out


def flexible_max_k(x: Histogram, k: int, a: int, default: int = 0) -> frozenset[int]:
    """Bars that hold k rows and above which all bars come below k by leaving a rows out; and the default if all can."""
    excess = [max(0, count - k + 1) for count in x]
    found = {i for i, count in enumerate(x) if count >= k and sum(excess[i + 1 :]) <= a}
    return frozenset(found | ({default} if sum(excess) <= a else set()))


def flexible_mode(x: Histogram, a: int, default: int = 0) -> frozenset[int]:
    """Bars with rows, or the default, that all others can be cut down to: below them in count, or in place if equal."""

    def cost(i: int) -> int:
        return sum(max(0, count - x[i] + (j < i)) for j, count in enumerate(x) if j != i)

    found = {i for i, count in enumerate(x) if count and cost(i) <= a}
    return frozenset(found | ({default} if sum(x) <= a else set()))


def flexible_median(x: Histogram, a: int, default: int = 0) -> frozenset[int]:
    """Bars with rows, L below and U above, that are the lower median once max(0, L-U-x_i+1, U-L-x_i) rows are left out."""
    found = set[int]()
    for i, count in enumerate(x):
        below, above = sum(x[:i]), sum(x[i + 1 :])
        if count and max(0, below - above - count + 1, above - below - count) <= a:
            found.add(i)
    return frozenset(found | ({default} if sum(x) <= a else set()))
