"""Speed of the dyadic mechanism beside other libraries' integer noise, in one run: `python tests/benchmarks/dyadic.py`.

Extras: pip install '.[bench,fast]' for OpenDP, diffprivlib and PyDP; what is missing is left out. Every time is the median of
several runs after one that is not counted; the processor's own time stands beside it, since other processes may be running,
and ratios are of the processor's time.

All libraries add integer noise of the same scale to the same counts: Laplace's shape with scale 2/epsilon = 20, which is
what epsilon = 1/10 needs where a row that is replaced changes two counts by one. That the noise is as large is checked in
the run itself. OpenDP gets the whole array in one call; diffprivlib and PyDP have no such call, and are called for each count.
"""

import os
import platform
from collections.abc import Callable, Sequence
from functools import cache
from importlib import import_module
from importlib.metadata import version
from statistics import median as middle
from time import perf_counter, process_time
from typing import Any

import numpy as np
from attrs import frozen
from rich.console import Console
from rich.table import Table
from timing import Row, duration, median

import finitedp
from finitedp import release
from finitedp.impl.counting.dyadic import DyadicSample
from finitedp.impl.counting.dyadic_bulk import (
    apply_array,
    apply_array_data_dependent_time,
    random_words,
    release_array,
    release_array_data_dependent_time,
)
from finitedp.impl.counting.dyadic_table import DyadicTable, dyadic_table
from finitedp.impl.randomness.coins import StrictCoins
from finitedp.impl.randomness.words import AesCtrWords, ChaCha20Words, SystemWords
from finitedp.proofs_check.dyadic_certificate import recheck

N, EPSILON = 10**6, "1/10"
SCALE = 20  # 2/epsilon
COUNTS = np.random.default_rng(1).integers(0, N, 10**6, endpoint=True)
SOME = COUNTS[:100_000].tolist()  # for calls that take one count


def _each(function: Callable[[], object], size: int = COUNTS.size, repeats: int = 9) -> tuple[float, float]:
    """Median seconds for one count: by the clock, and of the processor. The first call is not counted."""
    function()
    took, own = list[float](), list[float]()
    for _ in range(repeats):
        start, start_own = perf_counter(), process_time()
        function()
        own.append(process_time() - start_own)
        took.append(perf_counter() - start)
    return middle(took) / size, middle(own) / size


Noisy = Callable[[], Sequence[int]]


def _opendp() -> Noisy:
    dp: Any = import_module("opendp.prelude")
    dp.enable_features("contrib")
    noise = dp.m.make_laplace(dp.vector_domain(dp.atom_domain(T="i64")), dp.l1_distance(T="i64"), scale=float(SCALE))
    return lambda: noise(COUNTS)  # an array is taken faster than a list


def _opendp_one_by_one() -> Noisy:
    dp: Any = import_module("opendp.prelude")
    dp.enable_features("contrib")
    noise, few = dp.m.make_laplace(dp.atom_domain(T="i64"), dp.absolute_distance(T="i64"), scale=float(SCALE)), SOME[:5000]
    return lambda: [noise(count) for count in few]


def _diffprivlib() -> Noisy:
    mechanisms: Any = import_module("diffprivlib.mechanisms")
    noise = mechanisms.Geometric(epsilon=1 / SCALE, sensitivity=1)
    return lambda: [noise.randomise(count) for count in SOME]


def _diffprivlib_clamped() -> Noisy:
    mechanisms: Any = import_module("diffprivlib.mechanisms")
    noise = mechanisms.GeometricTruncated(epsilon=1 / SCALE, sensitivity=1, lower=0, upper=N)
    return lambda: [noise.randomise(count) for count in SOME]


def _pydp() -> Noisy:
    mechanisms: Any = import_module("pydp.algorithms.numerical_mechanisms")
    noise = mechanisms.LaplaceMechanism(epsilon=1 / SCALE, sensitivity=1.0)
    return lambda: [noise.add_noise(count) for count in SOME]  # integers in, integers out


@frozen
class Other:
    """One way to get integer noise from another library. compared: whether ratios to it are quoted in every row."""

    package: str
    what: str
    make: Callable[[], Noisy]
    compared: bool = True


OTHERS = {
    "OpenDP": Other("opendp", "make_laplace, i64, scale 20, the array in one call", _opendp),
    "OpenDP, one by one": Other("opendp", "make_laplace, i64, scale 20, a call for each count", _opendp_one_by_one, False),
    "diffprivlib": Other("diffprivlib", "Geometric, epsilon 0.05, a call for each count", _diffprivlib),
    "diffprivlib, clamped": Other("diffprivlib", "GeometricTruncated, a call for each count", _diffprivlib_clamped, False),
    "PyDP": Other("python-dp", "LaplaceMechanism, epsilon 0.05, add_noise(int), a call for each count", _pydp),
}


@cache
def _others() -> dict[str, tuple[float, float]]:
    """Seconds for one count, of the libraries that are there: by the clock, and of the processor."""
    found = {}
    for name, other in OTHERS.items():
        try:
            work = other.make()
        except ImportError:
            continue
        noisy = work()
        _same_scale(name, noisy)
        found[name] = _each(work, len(noisy), 5)
    return found


def _same_scale(name: str, noisy: Sequence[int]) -> None:
    """Refuses noise whose mean absolute value is not that of DyadicSample, within 7 %: at 5000 counts five deviations."""
    found = float(np.abs(np.asarray(noisy) - COUNTS[: len(noisy)]).mean())
    exact = DyadicSample(N, EPSILON).table.mean_absolute_noise()
    ratio = found / (int(exact.numerator) / int(exact.denominator))
    if abs(ratio - 1) > 0.07:
        raise ValueError(f"{name}: the noise is {ratio:.3f} times as large as that of DyadicSample")


def _ratios(own: float) -> str:
    """How many times as much of the processor's time the other libraries take."""
    found = {name: other / own for name, (_took, other) in _others().items() if OTHERS[name].compared}
    return ", ".join(f"{name} {ratio:,.0f}x" if ratio >= 10 else f"{name} {ratio:.1f}x" for name, ratio in found.items())


def others() -> list[Row]:
    """The other libraries' calls."""
    rows = []
    for name, (took, own) in _others().items():
        other = OTHERS[name]
        library, *rest = name.split(", ")
        what = ", ".join((f"{library} {version(other.package)}", *rest))
        rows.append((f"{what}: {other.what}", duration(took), "", f"processor {duration(own)}"))
    return rows


def arrays() -> list[Row]:
    """10^6 counts as an int64 array: both paths, each source of words, 64 and 128 bits."""
    rows = []
    aims = {
        ("strict", SystemWords): "60 ns, 100x",
        ("strict", AesCtrWords): "35 ns, 180x",
        ("prefix", AesCtrWords): "15 ns, 400x",
    }
    paths = {"strict": release_array, "prefix": release_array_data_dependent_time}
    for word in (64, 128):
        mechanism = DyadicSample(N, EPSILON, word)
        for path, noise in paths.items():
            _same_scale(path, noise(mechanism, COUNTS).tolist())
            for source in (SystemWords(), AesCtrWords(), ChaCha20Words()):
                took, own = _each(lambda r=noise, s=source, m=mechanism: r(m, COUNTS, s))  # type: ignore[misc]
                aim = (
                    aims.get((path, type(source)), "")
                    if word == 64
                    else "150x"
                    if (path, source.name[:3]) == ("strict", "AES")
                    else ""
                )
                name = f"{path} path, {word} bits, {source.name.split(',')[0]}, a count"
                rows.append((name, duration(took), aim, f"processor {duration(own)}; {_ratios(own)}"))
    return rows


def _best(function: Callable[[], object]) -> float:
    """The processor's seconds of the best of 5 calls, after one that is not counted."""
    function()
    own = []
    for _ in range(5):
        start = process_time()
        function()
        own.append(process_time() - start)
    return min(own)


def front_door() -> list[Row]:
    """finitedp.release of 10^6 counts: an array beside release_array on the same words, and dictionaries."""
    rows, few = list[Row](), COUNTS % 1000
    n = int(few.sum())
    for word, source in ((64, SystemWords()), (64, AesCtrWords()), (128, AesCtrWords())):
        mechanism = DyadicSample(n, EPSILON, word)
        whole = _best(lambda s=source, w=word: release(few, epsilon=EPSILON, word=w, words=s)) / few.size  # type: ignore[misc]
        noise = _best(lambda s=source, m=mechanism: release_array(m, few, s)) / few.size  # type: ignore[misc]
        name = f"release(array), {word} bits, {source.name.split(',')[0]}, a count"
        note = f"release_array {duration(noise)}: {whole / noise:.2f} times as long"
        rows.append((name, duration(whole), "60 ns" if word == 64 else "", note))
    numbers = dict(enumerate(few.tolist()))
    named = {f"user{i:07d}": count for i, count in numbers.items()}
    listed: dict[str, tuple[dict[Any, int], dict[str, Any]]] = {
        "integers, universe = range(10^6)": (numbers, {"universe": range(10**6)}),
        "text, universe = a list": (named, {"universe": list(named)}),
        "text, delta = 10^-9": (named, {"delta": "1/1000000000", "padded": False}),
    }
    for name, (counts, given) in listed.items():
        took = _best(lambda c=counts, g=given: release(c, epsilon=EPSILON, words=AesCtrWords(), **g))  # type: ignore[misc]
        rows.append((f"release(dict), {name}, AES-256-CTR", duration(took), "500 ms", "10^6 labels"))
    return rows


def parts() -> list[Row]:
    """What a count costs without its words, the words alone, and numpy's own bisection."""
    mechanism, rows = DyadicSample(N, EPSILON), list[Row]()
    drawn = random_words(mechanism, COUNTS.size, SystemWords())[0]
    folded = drawn >> np.uint64(1)  # a sign is not looked up
    rising = np.array(sorted(mechanism.table.upper(j) for j in range(1, 1 + len(mechanism.table.head))), np.uint64)
    works: dict[str, Callable[[], object]] = {
        "strict path, words given": lambda: apply_array(mechanism, COUNTS, drawn),
        "prefix path, words given": lambda: apply_array_data_dependent_time(mechanism, COUNTS, drawn),
        "numpy.searchsorted on the same table": lambda: np.searchsorted(rising, folded),
        **{f"words of {s.name.split(',')[0]}": lambda s=s: s.read(8 * COUNTS.size) for s in (SystemWords(), AesCtrWords())},  # type: ignore[misc]
    }
    for name, work in works.items():
        took, own = _each(work)
        rows.append((f"{name}, a count", duration(took), "", f"processor {duration(own)}"))
    return rows


def scalar() -> list[Row]:
    """One count at a time, on the strict coins."""
    rows = []
    for word in (64, 128):
        mechanism, coins, few = DyadicSample(N, EPSILON, word), StrictCoins(), SOME[:5000]
        took, own = _each(lambda m=mechanism, c=coins, f=few: [m.release(count, c) for count in f], len(few))  # type: ignore[misc]
        aim = "5 us" if word == 64 else ""
        alone = _others().get("OpenDP, one by one")
        beside = f"; {_ratios(own)}" + (f", OpenDP one by one {alone[1] / own:,.0f}x" if alone else "")
        rows.append((f"scalar path, {word} bits, operating system", duration(took), aim, f"processor {duration(own)}{beside}"))
    return rows


def tables() -> list[Row]:
    """Building a table, and re-checking its certificate."""
    rows = []
    for epsilon, word, aim in ((EPSILON, 64, "50 ms"), (EPSILON, 128, ""), ("1/1000", 64, ""), ("1/1000", 128, "")):

        def build(e: str = epsilon, b: int = word) -> DyadicTable:
            return dyadic_table(10**9, e, b)

        table, document = build(), build().certificate()
        checked = median(lambda d=document: recheck(d), 3)  # type: ignore[misc]
        name = f"table, n = 10^9, epsilon = {epsilon}, {word} bits"
        note = f"{table.entries:,} entries; certificate re-checked in {duration(checked)}"
        rows.append((name, duration(median(build, 5)), aim, note))
    return rows


PARTS = (others, arrays, front_door, parts, scalar, tables)


def main() -> None:
    """Print one table, and what it was measured on."""
    versions = ", ".join(f"{package} {version(package)}" for package in ("numpy", "gmpy2", "cryptography"))
    title = f"finitedp {finitedp.__version__}, Python {platform.python_version()}, {versions}, {os.cpu_count()} cores"
    table = Table(title=f"{title}, load {os.getloadavg()[0]:.1f}")
    for column in ("what", "measured", "aim", "beside it"):
        table.add_column(column, overflow="fold")
    for part in PARTS:
        for row in part():
            table.add_row(*row)
    table.caption = f"load at the end {os.getloadavg()[0]:.1f}"
    Console(width=130).print(table)


if __name__ == "__main__":
    main()
