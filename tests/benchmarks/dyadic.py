"""Speed of the dyadic mechanism beside other libraries' integer noise, in one run: `python tests/benchmarks/dyadic.py`.

Extras: pip install '.[bench]' for OpenDP, diffprivlib and PyDP; what is missing is left out. Every time is the median of
several runs; the processor's own time stands beside it, since other processes may be running.
"""

import os
import platform
from collections.abc import Callable
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from statistics import median as middle
from time import process_time
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table
from timing import Row, duration, median

import finitedp
from finitedp.impl.coins import StrictCoins
from finitedp.impl.dyadic import DyadicSample
from finitedp.impl.dyadic_bulk import (
    apply_array,
    apply_array_data_dependent_time,
    random_words,
    release_array,
    release_array_data_dependent_time,
)
from finitedp.impl.dyadic_table import DyadicTable, dyadic_table
from finitedp.impl.words import AesCtrWords, ChaCha20Words, SystemWords
from finitedp.proofs_check.dyadic_certificate import recheck

N, EPSILON = 10**6, "1/10"
COUNTS = np.random.default_rng(1).integers(0, N, 10**6, endpoint=True)


def _each(function: Callable[[], object], size: int = COUNTS.size, repeats: int = 9) -> tuple[float, float]:
    """Median seconds for one count: by the clock, and of the processor."""
    took, own = median(function, repeats) / size, []
    for _ in range(repeats):
        start = process_time()
        function()
        own.append(process_time() - start)
    return took, middle(own) / size


def _opendp() -> Callable[[], object]:
    dp: Any = import_module("opendp.prelude")
    dp.enable_features("contrib")
    noise = dp.m.make_laplace(dp.vector_domain(dp.atom_domain(T="i64")), dp.l1_distance(T="i64"), scale=20.0)
    some = COUNTS[:20_000]
    return lambda: noise(some)


def _diffprivlib() -> Callable[[], object]:
    mechanisms: Any = import_module("diffprivlib.mechanisms")
    noise, some = mechanisms.GeometricTruncated(epsilon=0.05, sensitivity=1, lower=0, upper=N), COUNTS[:2_000].tolist()
    return lambda: [noise.randomise(count) for count in some]


def _pydp() -> Callable[[], object]:
    mechanisms: Any = import_module("pydp.algorithms.numerical_mechanisms")
    noise, some = mechanisms.LaplaceMechanism(epsilon=0.05, sensitivity=1.0), COUNTS[:10_000].tolist()
    return lambda: [noise.add_noise(count) for count in some]


OTHERS: dict[str, tuple[str, int, Callable[[], Callable[[], object]]]] = {
    "OpenDP": ("opendp", 20_000, _opendp),
    "diffprivlib": ("diffprivlib", 2_000, _diffprivlib),
    "PyDP": ("python-dp", 10_000, _pydp),
}


def _others() -> dict[str, float]:
    """Seconds for one count, of the libraries that are there."""
    found = {}
    for name, (package, size, make) in OTHERS.items():
        try:
            found[f"{name} {version(package)}"] = _each(make(), size, 3)[0]
        except (ImportError, PackageNotFoundError):
            continue
    return found


def arrays() -> list[Row]:
    """10^6 counts as an int64 array: both paths, each source of words, 64 and 128 bits; and the other libraries."""
    others = _others()
    rows = [(f"{name}, a count", duration(took), "", "") for name, took in others.items()]
    aims = {("strict", SystemWords): "60 ns", ("strict", AesCtrWords): "35 ns", ("prefix", AesCtrWords): "15 ns"}
    paths = {"strict": release_array, "prefix": release_array_data_dependent_time}
    for word in (64, 128):
        mechanism = DyadicSample(N, EPSILON, word)
        for path, release in paths.items():
            for source in (SystemWords(), AesCtrWords(), ChaCha20Words()):
                took, own = _each(lambda r=release, s=source, m=mechanism: r(m, COUNTS, s))  # type: ignore[misc]
                ratios = ", ".join(f"{name.split()[0]} {other / took:,.0f}x" for name, other in others.items())
                aim = aims.get((path, type(source)), "") if word == 64 else ""
                name = f"{path} path, {word} bits, {source.name.split(',')[0]}, a count"
                rows.append((name, duration(took), aim, f"processor {duration(own)}; {ratios}"))
    return rows


def parts() -> list[Row]:
    """What a count costs without its words, the words alone, and numpy's own bisection."""
    mechanism, rows = DyadicSample(N, EPSILON), list[Row]()
    drawn = random_words(mechanism, COUNTS.size, SystemWords())[0]
    rising = np.array(sorted(mechanism.table.upper(j) for j in range(1, 1 + len(mechanism.table.head))), np.uint64)
    works: dict[str, Callable[[], object]] = {
        "strict path, words given": lambda: apply_array(mechanism, COUNTS, drawn),
        "prefix path, words given": lambda: apply_array_data_dependent_time(mechanism, COUNTS, drawn),
        "numpy.searchsorted on the same table": lambda: np.searchsorted(rising, drawn),
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
        mechanism, coins = DyadicSample(N, EPSILON, word), StrictCoins()
        took, own = _each(lambda m=mechanism, c=coins: [m.release(500, c) for _ in range(1000)], 1000)  # type: ignore[misc]
        aim = "5 us" if word == 64 else ""
        rows.append((f"scalar path, {word} bits, operating system", duration(took), aim, f"processor {duration(own)}"))
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


PARTS = (arrays, parts, scalar, tables)


def main() -> None:
    """Print one table, and what it was measured on."""
    versions = f"numpy {np.__version__}, cryptography {version('cryptography')}"
    title = f"finitedp {finitedp.__version__}, Python {platform.python_version()}, {versions}, {os.cpu_count()} cores"
    table = Table(title=f"{title}, load {os.getloadavg()[0]:.1f}")
    for column in ("what", "measured", "aim", "beside it"):
        table.add_column(column, overflow="fold")
    for part in PARTS:
        for row in part():
            table.add_row(*row)
    Console(width=130).print(table)


if __name__ == "__main__":
    main()
