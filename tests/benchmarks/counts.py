"""Time and memory of counting: `python tests/benchmarks/counts.py [ROWS] [FOLDER]` (10^7 rows, a folder that is removed).

Each case runs in a process of its own, three times: the median of the seconds and the largest peak of resident memory are
printed, and what of the peak was there before the counting began (Python, the library and its engine). Extra: frames, pyarrow.
"""

import statistics
import subprocess
import sys
import tempfile
from importlib import import_module
from pathlib import Path

REPEATS = 3
PART = 1_000_000  # rows that are generated at once

FILE = """
from pathlib import Path
from finitedp.data.files import count_file
from finitedp.impl.histograms.universe import Strings
{load}
base = peak(); begin = time.perf_counter()
found = count_file(Path({path!r}), {column!r}, {universe})
report(len(found.counts), found.rows)
"""
FRAME = """
import warnings; warnings.simplefilter("ignore")
from finitedp.data.frames import counts_of
import narwhals, numpy
{load}
base = peak(); begin = time.perf_counter()
found = counts_of(frame, {column!r})
report(len(found.labels), found.rows)
"""
HEAD = """
import time
def peak():  # not ru_maxrss, which a process inherits from the one that started it
    return next(int(line.split()[1]) // 1024 for line in open("/proc/self/status") if line.startswith("VmHWM"))
def report(labels, rows):
    took = time.perf_counter() - begin
    print(labels, rows, took, base, peak())
"""
LOADS = {
    "pandas": "import pandas; frame = pandas.read_parquet({path!r}, columns=[{column!r}])",
    "polars": "import polars; frame = polars.read_parquet({path!r}, columns=[{column!r}])",
    "polars, lazy": "import polars; frame = polars.scan_parquet({path!r})",
    "pyarrow": "import pyarrow.parquet; frame = pyarrow.parquet.read_table({path!r}, columns=[{column!r}])",
    "duckdb": "import duckdb; frame = duckdb.read_parquet({path!r})",
    "dask": "import dask.dataframe; frame = dask.dataframe.read_parquet({path!r}, columns=[{column!r}])",
}


def generate(folder: Path, rows: int) -> None:
    """One Parquet and one CSV file with the columns few (50 labels), many (10^6 labels) and number (10^6 integers)."""
    arrow, arrow_csv, arrow_parquet = (import_module(f"pyarrow{part}") for part in ("", ".csv", ".parquet"))
    dice = import_module("numpy").random.default_rng(1)
    schema = arrow.schema([("few", arrow.string()), ("many", arrow.string()), ("number", arrow.int64())])
    plain = arrow_csv.WriteOptions(quoting_style="none")
    with (
        arrow_parquet.ParquetWriter(folder / "data.parquet", schema) as parquet,
        arrow_csv.CSVWriter(str(folder / "data.csv"), schema, write_options=plain) as csv,
    ):
        for size in [PART] * (rows // PART) + [rows % PART] * bool(rows % PART):
            few, many = dice.integers(0, 50, size), dice.integers(0, 10**6, size)
            texts = [[f"label{i:02d}" for i in few.tolist()], [f"user{i:07d}" for i in many.tolist()]]
            table = arrow.table([*texts, many], schema=schema)
            parquet.write_table(table)
            csv.write_table(table)


def run(program: str, repeats: int = REPEATS) -> tuple[str, str, float, int, int]:
    """Run a program in processes of its own: labels, rows, the median of the seconds, MB before, the largest MB."""
    runs, labels, rows = [], "", ""
    for _ in range(repeats):
        done = subprocess.run([sys.executable, "-c", HEAD + program], capture_output=True, text=True, check=True)
        labels, rows, took, base, peak = done.stdout.split()
        runs.append((float(took), int(base), int(peak)))
    times, bases, peaks = zip(*runs, strict=True)
    return labels, rows, statistics.median(times), max(bases), max(peaks)


def measure(name: str, program: str) -> None:
    """Run a program some times and print a line."""
    labels, rows, seconds, base, peak = run(program)
    print(f"| {name} | {rows} | {labels} | {seconds:.2f} | {base} | {peak} |", flush=True)


def main() -> None:
    """Measure all cases."""
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 10**7
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(sys.argv[2] if len(sys.argv) > 2 else temporary)
        if not (folder / "data.parquet").exists():
            generate(folder, rows)
        print("| what | rows | labels | seconds | MB before | MB peak |\n|---|---|---|---|---|---|")
        for kind, load in (("parquet", "import finitedp.data.parquet, duckdb, narwhals, numpy"), ("csv", "")):
            path = str(folder / f"data.{kind}")
            for column, universe in (("few", "Strings(20)"), ("many", "Strings(20)"), ("number", "range(10**6)")):
                measure(f"{kind} file, `{column}`", FILE.format(load=load, path=path, column=column, universe=universe))
        path = str(folder / "data.parquet")
        for engine, load in LOADS.items():
            for column in ("few", "many"):
                loaded = load.format(path=path, column=column)
                measure(f"{engine} frame, `{column}`", FRAME.format(load=loaded, column=column))


if __name__ == "__main__":
    main()
