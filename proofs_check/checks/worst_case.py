"""Worst cases over all datasets without enumerating them: dynamic programming over the counts of independent bins."""

from collections.abc import Sequence

from gmpy2 import mpq


def miss_over_bins(close: Sequence[mpq], n: int, bins: int) -> mpq:
    """The largest probability that some bin is off, over all ways to spread n rows over a fixed number of bins.

    Parameters: close, for each count 0..n the probability that its bin is close. Cost: bins * n^2 products.
    """
    least = list(close[: n + 1])
    for _ in range(bins - 1):
        least = [min(close[c] * least[rows - c] for c in range(rows + 1)) for rows in range(n + 1)]
    return 1 - least[n]


def miss_over_partitions(close: Sequence[mpq], n: int) -> mpq:
    """The same over any number of bins, where bins with count 0 are always close.

    Parameters: close, for each count 1..n (index 0 is not read) the probability that its bin is close.
    """
    least = [mpq(1)]
    for rows in range(1, n + 1):
        least.append(min(close[c] * least[rows - c] for c in range(1, rows + 1)))
    return 1 - least[n]
