"""What the benchmarks share: medians, durations for a reader, fitted growth exponents."""

import math
import statistics
from collections.abc import Callable, Sequence
from time import perf_counter

Row = tuple[str, str, str, str]
"""What was measured, how long it took, what was aimed at, what stands beside it."""


def median(function: Callable[[], object], repeats: int = 7) -> float:
    """The median time of one call, in seconds."""
    function()
    times = []
    for _ in range(repeats):
        start = perf_counter()
        function()
        times.append(perf_counter() - start)
    return statistics.median(times)


def duration(seconds: float) -> str:
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"


def exponent(sizes: Sequence[int], times: Sequence[float]) -> float:
    """The growth exponent: the slope of the least-squares line through (log size, log time)."""
    x, y = [math.log(size) for size in sizes], [math.log(seconds) for seconds in times]
    return statistics.linear_regression(x, y).slope
