"""Is the time of a release the same for two classes of input? In the manner of dudect: `python tests/benchmarks/dudect.py`.

For each pair of classes, runs of both are interleaved at random, each run is timed by itself, and Welch's t compares the two
means: on all times, and on those below a percentile of both classes together (slow runs are interrupted ones, which hide
small differences), at the percentiles 1 - 2^(-10 k/100) of dudect, and on squared deviations. |t| above 4.5 is a difference,
|t| above 10 beyond any doubt; what stays below shows no difference in that many runs on this machine, and nothing else.

Both classes go the same way: the inputs of a run are put into the same place before the clock starts, those of arrays by the
same operations on the same numbers (copied from two places in memory, even equal numbers show |t| of 6 in some processes).
The first row is the noise floor: two classes that are the same. --runs N, at least 10^5 for what is quoted.
"""

import argparse
import os
import platform
import sys
from collections.abc import Callable, Sequence
from time import perf_counter_ns

import numpy as np
from attrs import frozen
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

import finitedp
from finitedp.impl.counting.dyadic import DyadicSample
from finitedp.impl.counting.dyadic_bulk import apply_array, release_array, release_array_data_dependent_time
from finitedp.impl.histograms.compact import compact_histogram_with_dyadic_sample
from finitedp.impl.randomness.coins import StrictCoins
from finitedp.impl.randomness.words import WordSource

N, EPSILON, SIZE = 10**6, "1/10", 256
CROPS = [1 - 2 ** (-10 * k / 100) for k in range(1, 101)]
"""dudect's percentiles: 0.067, 0.13, ..., 0.999."""
SUSPECT, CERTAIN = 4.5, 10.0

Times = NDArray[np.float64]
Classes = NDArray[np.bool_]


@frozen
class Pair:
    """Two classes of input. prepare(second, i) puts the input of run i in place; run() is what is timed."""

    name: str
    prepare: Callable[[bool, int], None]
    run: Callable[[], object]
    expected: str


def welch(first: Times, second: Times) -> float:
    """Welch's t of two samples; 0 where neither varies or one has less than two elements."""
    if min(first.size, second.size) < 2:
        return 0.0
    spread = first.var(ddof=1) / first.size + second.var(ddof=1) / second.size
    return float((first.mean() - second.mean()) / np.sqrt(spread)) if spread > 0 else 0.0


def cropped(times: Times, classes: Classes, crops: Sequence[float] = CROPS) -> dict[float, float]:
    """t of the times up to each percentile of all times; 1 is all of them."""
    found = {1.0: welch(times[~classes], times[classes])}
    for crop, limit in zip(crops, np.quantile(times, crops), strict=True):
        kept = times <= limit
        found[crop] = welch(times[kept & ~classes], times[kept & classes])
    return found


def second_order(times: Times, classes: Classes) -> float:
    """t of the squared deviations from the mean of each class, on times below the percentile 0.9."""
    kept = times <= np.quantile(times, 0.9)
    squares = []
    for one in (times[kept & ~classes], times[kept & classes]):
        squares.append((one - one.mean()) ** 2 if one.size else one)
    return welch(squares[0], squares[1])


def measure(pair: Pair, runs: int, seed: int = 1) -> tuple[Times, Classes]:
    """The times of `runs` interleaved runs, in nanoseconds, and the class of each."""
    classes = np.random.default_rng(seed).integers(0, 2, runs).astype(np.bool_)
    times = np.empty(runs)
    prepare, run = pair.prepare, pair.run
    for i, second in enumerate(classes.tolist()):
        prepare(second, i)
        start = perf_counter_ns()
        run()
        times[i] = perf_counter_ns() - start
    return times, classes


# The pairs


def _scalar(mechanism: DyadicSample) -> list[Pair]:
    """One count by one word."""
    middle, half = N // 2, mechanism.d >> 1
    rng = np.random.default_rng(2)
    drawn = [1 + (int(a) << 32 | int(b)) for a, b in rng.integers(0, 1 << 32, (4096, 2))]
    place = [middle, 1]

    def words(second: bool, i: int) -> None:
        place[0], place[1] = (middle, middle)[second], drawn[i % 4096]

    def neighbours(second: bool, i: int) -> None:
        place[0], place[1] = (middle, middle + 1)[second], drawn[i % 4096]

    def at_zero(second: bool, i: int) -> None:
        place[0], place[1] = (0, 1)[second], drawn[i % 4096]

    def extreme(second: bool, i: int) -> None:
        place[0], place[1] = middle, (half - i % 4096, 1 + i % 4096)[second]

    def run() -> object:
        return mechanism.apply(place[0], place[1])

    coins = StrictCoins()
    return [
        Pair("scalar, the same class twice", words, run, "none: the floor"),
        Pair("scalar, counts 500,000 and 500,001", neighbours, run, "none"),
        Pair("scalar, counts 0 and 1", at_zero, run, "some: lengths of integers"),
        Pair(
            "scalar, whole release, counts 500,000 and 500,001", neighbours, lambda: mechanism.release(place[0], coins), "none"
        ),
        Pair("scalar, no noise and extreme noise", extreme, run, "some: lengths of integers"),
    ]


Release = Callable[[DyadicSample, NDArray[np.int64], WordSource], NDArray[np.int64]]


class Given:
    """A source of words that hands out those in `words`, always from the same place."""

    name = "given: NOT private"

    def __init__(self) -> None:
        self.words = np.zeros(SIZE, np.uint64)
        self._view = self.words.data.cast("B")

    def read(self, size: int) -> bytes:
        """The words as they are now."""
        if size != len(self._view):
            raise ValueError(size)
        return self._view  # type: ignore[return-value]  # read as bytes are, without a copy


def _array(name: str, mechanism: DyadicSample, release: Release, found: str) -> list[Pair]:
    """SIZE counts by as many words."""
    rng = np.random.default_rng(3)
    drawn = rng.integers(0, 1 << 64, (512, SIZE), dtype=np.uint64)
    # within 2^40 of the centre: no noise; below 2^20, which is less than S_h: noise from the stretch of equal weights
    shifts, centres = (np.uint64(24), np.uint64(44)), (np.uint64((1 << 63) - 1), np.uint64(0))
    held, source = np.full(SIZE, N // 2), Given()
    words = source.words

    def same(second: bool, i: int) -> None:
        held.fill((N // 2, N // 2)[second])
        np.copyto(words, drawn[i % 512])

    def neighbours(second: bool, i: int) -> None:
        held.fill(N // 2)
        held[0] = (N // 2, N // 2 + 1)[second]
        np.copyto(words, drawn[i % 512])

    def ends(second: bool, i: int) -> None:
        held.fill((0, N)[second])
        np.copyto(words, drawn[i % 512])

    def extreme(second: bool, i: int) -> None:
        held.fill(N // 2)
        np.right_shift(drawn[i % 512], shifts[second], out=words)
        np.bitwise_xor(words, centres[second], out=words)

    def run() -> object:
        return release(mechanism, held, source)

    return [
        Pair(f"{name}, the same class twice", same, run, "none: the floor"),
        Pair(f"{name}, neighbouring counts", neighbours, run, "none"),
        Pair(f"{name}, counts all 0 and all n", ends, run, "none"),
        Pair(f"{name}, no noise and extreme noise", extreme, run, found),
    ]


def _given(mechanism: DyadicSample, counts: NDArray[np.int64], source: WordSource) -> NDArray[np.int64]:
    """A release by `apply_array`, which looks at the words that its caller gives."""
    if not isinstance(source, Given):
        raise TypeError(source)
    return apply_array(mechanism, counts, source.words)


def _released(mechanism: DyadicSample) -> Pair:
    held = np.full(SIZE, N // 2)

    def neighbours(second: bool, _i: int) -> None:
        held.fill(N // 2)
        held[0] = (N // 2, N // 2 + 1)[second]

    name = "strict array, whole release, neighbouring counts"
    return Pair(name, neighbours, lambda: release_array(mechanism, held), "none")


def _compact() -> Pair:
    """Datasets of 4 rows that differ in one: a label four times, or three times and another label once."""
    histogram = compact_histogram_with_dyadic_sample(range(2**64), 4, EPSILON)
    coins, data = StrictCoins(), [7, 7, 7, 7]

    def neighbours(second: bool, _i: int) -> None:
        data[3] = (7, 2**40)[second]

    name = "compact, n = 4, whole release, neighbouring datasets"
    return Pair(name, neighbours, lambda: histogram.release(data, coins), "some: counting labels, lengths of integers")


def pairs() -> list[Pair]:
    """All pairs, each with what it is expected to show."""
    mechanism = DyadicSample(N, EPSILON)
    return [
        *_scalar(mechanism),
        *_array("strict array", mechanism, release_array, "none"),
        *_array("strict array, words given", mechanism, _given, "none"),
        _released(mechanism),
        _compact(),
        *_array("data-dependent array", mechanism, release_array_data_dependent_time, "a difference: the negative twin"),
    ]


# The table

SHOWN = (1.0, CROPS[-1], CROPS[32], CROPS[9], CROPS[2])


def row(pair: Pair, runs: int) -> tuple[tuple[str, ...], float]:
    """What a table says of a pair, and its largest |t|."""
    times, classes = measure(pair, runs)
    found, squares = cropped(times, classes), second_order(times, classes)
    worst = max(found, key=lambda crop: abs(found[crop]))
    largest = abs(found[worst])
    middle = [float(np.median(times[classes == second])) for second in (False, True)]
    verdict = "certain" if largest > CERTAIN else "suspect" if largest > SUSPECT else "none seen"
    shown = tuple(f"{found[crop]:+.1f}" for crop in SHOWN)
    medians = f"{middle[0]:,.0f} / {middle[1]:,.0f} ns"
    return (pair.name, medians, *shown, f"{squares:+.1f}", f"{largest:.1f} at {worst:.0%}", verdict, pair.expected), largest


def main() -> int:
    """Print one table. Exit status 1 if the negative twin was not detected, so that the test can see nothing here."""
    parser = argparse.ArgumentParser(description=str(__doc__).split("\n", maxsplit=1)[0])
    parser.add_argument("--runs", type=int, default=100_000, help="interleaved runs for each pair (default 100000)")
    parser.add_argument("--only", default="", help="the pairs whose name holds this text")
    given = parser.parse_args()
    machine = f"Python {platform.python_version()}, numpy {np.__version__}, {os.cpu_count()} cores"
    title = f"finitedp {finitedp.__version__}, {machine}, load {os.getloadavg()[0]:.1f}, {given.runs:,} runs a pair"
    crops = ("all", *(f"{crop:.0%}" if crop < 0.99 else "99.9%" for crop in SHOWN[1:]))
    columns = ("classes", "medians", *crops, "squares", "largest |t|", "difference", "expected")
    table, detected = Table(title=title), dict[str, float]()
    for column in columns:
        table.add_column(column, overflow="fold")
    for pair in pairs():
        if given.only in pair.name:
            cells, detected[pair.name] = row(pair, given.runs)
            table.add_row(*cells)
    Console(width=190).print(table)
    missed = [name for name, t in detected.items() if name.startswith("data-dependent") and "extreme" in name and t <= CERTAIN]
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
