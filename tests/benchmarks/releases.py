"""Time and memory of whole releases: `python tests/benchmarks/releases.py [ROWS] [FOLDER]` (10^7 rows, a temporary folder).

StabilityHistogram of a file by the command line, and of a polars frame with a million labels by finitedp.release, each in a
process of its own, three times: the median of the seconds and the largest peak of resident memory. Beside it, in the same run:
the same file counted by DuckDB without any privacy, and OpenDP's thresholded histogram of counts that are known already.
Extras: frames, and polars, pyarrow; OpenDP is left out where it is missing.
"""

import os
import platform
import sys
import tempfile
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from counts import generate, run

COMMAND = """
import sys
from finitedp.cli.main import main
asked = ["release", "stability", "--input", {path!r}, "--column", {column!r}, "--universe", "strings:20", "--epsilon", "1/10"]
base = peak(); begin = time.perf_counter()
main([*asked, "--delta", "1/100000000000000", "--output", {out!r}], standalone_mode=False)
report(sum(1 for _ in open({out!r})) - 1, {rows})
"""
PLAIN = """
import duckdb
base = peak(); begin = time.perf_counter()
found = duckdb.sql("SELECT {column}, count(*) FROM '{path}' GROUP BY 1").fetchnumpy()
report(len(next(iter(found.values()))), {rows})
"""
DISTINCT = """
import polars
from finitedp import release
frame = polars.DataFrame({{"label": [f"user{{i:07d}}" for i in range(10**6)] * {times}}})
base = peak(); begin = time.perf_counter()
noisy = release(frame, "label", epsilon="1/10", delta="1/1000000000")
report(len(noisy.labels), noisy.n)
"""
KEPT = """
from finitedp import release
counts = {{f"user{{i:07d}}": 1000 for i in range(10**6)}}
base = peak(); begin = time.perf_counter()
noisy = release(counts, epsilon="1/10", delta="1/1000000000", padded=False)
assert len(noisy.labels) == 10**6
report(len(noisy.labels), noisy.n)
"""
OPENDP = """
import opendp.prelude as dp
dp.enable_features("contrib")
domain = dp.map_domain(dp.atom_domain(T=str), dp.atom_domain(T="i64"))
metric = dp.l01inf_distance(dp.absolute_distance(T="i64"))
noise = dp.m.make_laplace_threshold(domain, metric, scale=20.0, threshold=400)
counts = {{f"user{{i:07d}}": {count} for i in range({labels})}}
base = peak(); begin = time.perf_counter()
found = noise(counts)
report(len(found), {labels})
"""


def _line(name: str, program: str, repeats: int = 3) -> float:
    labels, rows, seconds, before, peak = run(program, repeats)
    print(f"| {name} | {rows} | {seconds:.2f} | {before} | {peak} | {labels} |", flush=True)
    return seconds


def main() -> None:
    """Measure all cases."""
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 10**7
    versions = [f"{name} {_version(name)}" for name in ("finitedp", "numpy", "duckdb", "polars", "opendp")]
    print(f"Python {platform.python_version()}, {', '.join(versions)}; {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(sys.argv[2] if len(sys.argv) > 2 else temporary)
        if not (folder / "data.parquet").exists():
            generate(folder, rows)
        print("| what | rows | seconds | MB before | MB peak | labels released |\n|---|---|---|---|---|---|")
        for column in ("few", "many"):
            for kind in ("parquet", "csv"):
                path, out = str(folder / f"data.{kind}"), str(Path(temporary) / "out.csv")
                private = _line(
                    f"release stability, {kind}, `{column}`", COMMAND.format(path=path, column=column, out=out, rows=rows)
                )
                if kind == "parquet":
                    plain = _line(f"DuckDB's counts, {kind}, `{column}`", PLAIN.format(path=path, column=column, rows=rows))
                    print(f"  a private release takes {private / plain:.1f} times as long as DuckDB's counts")
        _line("release(), polars, 10^6 distinct labels", DISTINCT.format(times=1))
        _line("release(), polars, 10^6 labels ten times each", DISTINCT.format(times=10))
        kept = _line("release(), a dict, 10^6 labels, all released", KEPT.format())
        if _version("opendp") != "missing":
            labels = 20_000
            took = _line("OpenDP, a dict, 20,000 labels, all released", OPENDP.format(labels=labels, count=1000))
            print(f"  OpenDP's thresholded histogram takes {took / labels / (kept / 10**6):.0f} times as long for a label")


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "missing"


if __name__ == "__main__":
    main()
