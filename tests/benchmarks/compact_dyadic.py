"""CompactHistogram on dyadic tables beside the one with FastSample, in one run: `python tests/benchmarks/compact_dyadic.py`.

Every time is the median of several runs by the clock; the processor's own time stands beside it, since other processes may
be running.
"""

import os
import platform
from collections.abc import Callable
from statistics import median as middle
from time import perf_counter, process_time
from typing import Any

from rich.console import Console
from rich.table import Table
from timing import Row, duration

import finitedp
from finitedp.impl.histograms.compact import (
    CompactHistogram,
    compact_histogram_with_dyadic_sample,
    compact_histogram_with_fast_sample,
)
from finitedp.impl.histograms.compact_release import CompactRelease
from finitedp.impl.histograms.universe import Integers
from finitedp.impl.randomness.coins import StrictCoins


def _took(function: Callable[[], object], repeats: int) -> tuple[float, float]:
    """Median seconds: by the clock, and of the processor."""
    clock, own = [], []
    for _ in range(repeats):
        start, processor = perf_counter(), process_time()
        function()
        clock.append(perf_counter() - start)
        own.append(process_time() - processor)
    return middle(clock), middle(own)


def _spread(n: int, universe: Integers) -> dict[int, int]:
    """n distinct labels, one row each."""
    return {label * 0x9E3779B97F4A7C15 % universe.size: 1 for label in range(n)}


def _release(histogram: CompactHistogram[Any], repeats: int) -> tuple[float, float]:
    counts = _spread(histogram.mechanism.n, histogram.universe)  # type: ignore[arg-type]  # the universes here are Integers
    return _took(lambda: histogram.release_counts(counts, StrictCoins()), repeats)


def large() -> list[Row]:
    """n = 10^4, |X| = 2^64, epsilon = 1/10: making, releasing, evaluating, saving and loading."""
    universe = Integers(0, 2**64 - 1)
    made, _ = _took(lambda: compact_histogram_with_dyadic_sample(universe, 10**4, "1/10", beta="1/20").claim(), 3)
    histogram = compact_histogram_with_dyadic_sample(universe, 10**4, "1/10", beta="1/20")
    took, own = _release(histogram, 3)
    release: CompactRelease[int] = histogram.release_counts(_spread(10**4, universe), StrictCoins())
    first, _ = _took(lambda: type(release).from_bytes(release.to_bytes()).count(12345), 3)
    labels = iter(range(2**63, 2**64, 2**40 + 1))
    release.count(1)
    later, later_own = _took(lambda: release.count(next(labels)), 51)
    name = "dyadic, n = 10^4, |X| = 2^64, epsilon = 1/10"
    size = f"file of {len(release.to_bytes()):,} bytes"
    errors = ", ".join(f"{a.kind} {a.a}" for a in release.accuracy)
    return [
        (f"{name}, release", duration(took), "60 s", f"processor {duration(own)}; made in {duration(made)}"),
        ("its evaluation", duration(later), "50 ms", f"processor {duration(later_own)}; with loading: {duration(first)}"),
        ("its size and error at beta = 1/20", size, "", errors),
    ]


def beside() -> list[Row]:
    """Both in the same run: time, size, error. Ratios are of the processor's time, which other processes disturb less."""
    rows = []
    for n, power, epsilon in ((500, 32, "1"), (2000, 32, "1"), (100, 64, "1/10"), (500, 64, "1/10")):
        universe = Integers(0, 2**power - 1)
        fast = compact_histogram_with_fast_sample(universe, n, epsilon, "1/20")
        dyadic = compact_histogram_with_dyadic_sample(universe, n, epsilon, beta="1/20")
        (took, ours), (_, theirs) = _release(dyadic, 3), _release(fast, 1 if epsilon == "1/10" else 3)
        stated = [one.accuracy("1/20") for one in (dyadic, fast)]
        errors = [f"{accuracy.per_query.a} and {accuracy.simultaneous.a}" for accuracy in stated]
        note = f"FastSample: processor {duration(theirs)}, {theirs / ours:.1f} times, elements of {fast.base.bits} bits"
        name = f"dyadic, n = {n}, |X| = 2^{power}, epsilon = {epsilon}"
        rows.append((name, duration(took), "", f"processor {duration(ours)}; {note}"))
        rows.append(("its error at beta = 1/20, per query and simultaneous", errors[0], "", f"FastSample: {errors[1]}"))
    return rows


PARTS = (large, beside)


def main() -> None:
    """Print one table, and what it was measured on."""
    title = f"finitedp {finitedp.__version__}, Python {platform.python_version()}, {os.cpu_count()} cores"
    table = Table(title=f"{title}, load {os.getloadavg()[0]:.1f}")
    for column in ("what", "measured", "aim", "beside it"):
        table.add_column(column, overflow="fold")
    for part in PARTS:
        for row in part():
            table.add_row(*row)
    Console(width=130).print(table)


if __name__ == "__main__":
    main()
