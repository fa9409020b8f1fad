"""Speed of BlanketHistogram: `python tests/benchmarks/blanket.py [LARGEST] [PARQUET ROWS]` (10^7 each; 0: no Parquet).

Releases of rows in memory over 2^64 labels at epsilon = 1/10, from operating system and AES-CTR words, the plan, the
certificate and the lone checker; in the same run the paper's PureSparseHistogram at n = 1000, and OpenDP's thresholded
histogram of the same counts, which is private with delta = 10^-9 only. Times are of the processor, the median of several runs
after one that is not counted: other processes may be running. Of whole processes, the largest memory stands beside it.
Extras: pip install '.[bench,fast,frames]'; OpenDP is left out where it is missing.
"""

import json
import os
import platform
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from statistics import median as middle
from time import process_time
from typing import Any

import numpy as np
from counts import run
from rich.console import Console
from rich.table import Table
from timing import Row, duration, exponent

import finitedp
from finitedp.impl.histograms.blanket import building
from finitedp.impl.histograms.blanket.accuracy import blanket_accuracy
from finitedp.impl.histograms.blanket.building import blanket_plan
from finitedp.impl.histograms.blanket.bulk import release_rows, rows_of_labels
from finitedp.impl.histograms.blanket.plan import BlanketPlan
from finitedp.impl.histograms.pure_sparse import pure_sparse_accuracy, pure_sparse_histogram_with_geo_sample
from finitedp.impl.histograms.universe import Integers
from finitedp.impl.randomness.coins import StrictCoins
from finitedp.impl.randomness.words import AesCtrWords, SystemWords, WordSource
from finitedp.proofs_check.blanket_certificate import recheck

EPSILON, LABELS, BETA = "1/10", 2**64, "1/20"
AIMS = {10**4: 0.010, 10**5: 0.100, 10**6: 1.0, 10**7: 10.0}

COMMAND = """
import sys
from finitedp.cli.main import main
base = peak(); own = time.process_time()
asked = ["release", "pure-sparse", "--input", {path!r}, "--column", "x", "--universe", "0..18446744073709551615"]
main([*asked, "--epsilon", "1/10", "--output", {out!r}], standalone_mode=False)
begin = time.perf_counter() - (time.process_time() - own)
report(sum(1 for _ in open({out!r})) - 1, {rows})
"""
MEMORY = """
import numpy as np
from finitedp.impl.histograms.blanket.building import blanket_plan
from finitedp.impl.histograms.blanket.bulk import release_rows, rows_of_labels
rows = np.random.default_rng(1).zipf(1.2, {rows}).astype(np.uint64).reshape(1, -1)
base = peak(); own = time.process_time()
plan = blanket_plan({rows}, "1/10", 2**64)
drawn = release_rows(plan, rows_of_labels(plan, rows))
begin = time.perf_counter() - (time.process_time() - own)
report(drawn[0].shape[1], {rows})
"""


def _processor(function: Callable[[], object], repeats: int = 5) -> float:
    """The median of the processor's seconds of one call."""
    function()
    took = list[float]()
    for _ in range(repeats):
        start = process_time()
        function()
        took.append(process_time() - start)
    return middle(took)


def rows_of(n: int) -> Any:
    """Labels of n rows: few are frequent, most are rare."""
    return np.random.default_rng(1).zipf(1.2, n).astype(np.uint64).reshape(1, -1)


def _release(plan: BlanketPlan, rows: Any, source: WordSource, repeats: int = 3) -> float:
    """The processor's seconds of a release of rows in memory."""
    return _processor(lambda: release_rows(plan, rows_of_labels(plan, rows.copy()), source), repeats)


def releases(largest: int) -> tuple[list[Row], dict[int, float]]:
    """Rows in memory, sorting among it."""
    found, took = list[Row](), dict[int, float]()
    for n in (n for n in AIMS if n <= largest):
        plan, rows = blanket_plan(n, EPSILON, LABELS), rows_of(n)
        took[n], fast = _release(plan, rows, SystemWords()), _release(plan, rows, AesCtrWords())
        accuracy = blanket_accuracy(plan, BETA)
        beside = f"AES-CTR {duration(fast)}; b = {plan.b}, L = {plan.cap}, G = {plan.slots:,}, errors {accuracy.per_query.a} "
        beside += f"above {accuracy.above}, {accuracy.simultaneous.a} simultaneous"
        found.append((f"release, n = {n:,}", duration(took[n]), duration(AIMS[n]), beside))
    if len(took) > 1:
        found.append(("growth exponent in n", f"{exponent(list(took), list(took.values())):.2f}", "1", ""))
    return found, took


def plans() -> list[Row]:
    """Plans, certificates, and what checks them."""
    found = list[Row]()
    for epsilon, aim, least in ((EPSILON, "1 s", "50 ms"), ("1/100", "10 s", "")):

        def built(epsilon: str = epsilon) -> None:
            building._plan.cache_clear()
            blanket_plan(10**6, epsilon, LABELS)

        plan = blanket_plan(10**6, epsilon, LABELS)
        text = json.dumps(plan.certificate())
        checked = _processor(lambda t=text: recheck(json.loads(t)))  # type: ignore[misc]
        if recheck(json.loads(text)) is not None:
            raise SystemExit("the certificate is rejected")
        beside = f"b = {plan.b}; the table has {plan.mechanism.table.entries:,} entries"
        found.append((f"plan, n = 10^6, epsilon = {epsilon}", duration(_processor(built)), aim, beside))
        certificate = f"certified again in {duration(_processor(lambda p=plan: list(p.violations())))}"  # type: ignore[misc]
        found.append((f"its certificate, {len(text):,} bytes, by the lone checker", duration(checked), least, certificate))
    return found


def skewed(n: int = 10**6) -> list[Row]:
    """A skewed table beside the dyadic one."""
    both = [blanket_plan(n, EPSILON, LABELS, skewed=kind) for kind in (True, False)]
    times = [_release(plan, rows_of(n), SystemWords()) for plan in both]
    errors = [blanket_accuracy(plan, BETA) for plan in both]
    shown = [f"b = {plan.b}, errors {e.per_query.a} and {e.simultaneous.a}" for plan, e in zip(both, errors, strict=True)]
    beside = f"{shown[0]}; on a dyadic table {duration(times[1])}, {shown[1]}"
    return [(f"release on a skewed table, n = {n:,}", duration(times[0]), "", beside)]


def the_papers() -> list[Row]:
    """PureSparseHistogram at n = 1000 beside BlanketHistogram on the same rows."""
    rows = rows_of(1000)
    counts = {int(label) % LABELS: count for label, count in Counter(rows[0].tolist()).items()}
    paper = pure_sparse_histogram_with_geo_sample(Integers(0, LABELS - 1), 1000, EPSILON, BETA)
    slow = _processor(lambda: paper.release_counts(counts, StrictCoins()), 3)
    plan = blanket_plan(1000, EPSILON, LABELS)
    fast = _release(plan, rows, SystemWords(), 15)
    errors = blanket_accuracy(plan, BETA).simultaneous.a, pure_sparse_accuracy(LABELS, EPSILON, BETA).simultaneous.a
    beside = (
        f"the paper's mechanism {duration(slow)}, {slow / fast:,.0f} times; simultaneous errors {errors[0]} and {errors[1]}"
    )
    return [("release, n = 1000", duration(fast), "", beside)]


def other_library(took: float) -> list[Row]:
    """OpenDP on the counts of 10^6 rows, which it gets counted."""
    try:
        dp: Any = import_module("opendp.prelude")
    except ImportError:
        return []
    dp.enable_features("contrib")
    labels, counts = np.unique(rows_of(10**6)[0], return_counts=True)
    known = dict(zip((labels % np.uint64(2**63)).tolist(), counts.tolist(), strict=True))
    domain = dp.map_domain(dp.atom_domain(T="i64"), dp.atom_domain(T="i64"))
    metric = dp.l01inf_distance(dp.absolute_distance(T="i64"))

    def made(threshold: int) -> Any:
        return dp.m.make_laplace_threshold(domain, metric, scale=20.0, threshold=threshold)

    enough = next(t for t in range(100, 2000) if made(t).map((2, 2, 1))[1] <= 1e-9)
    noise = made(enough)
    other = _processor(lambda: noise(known), 3)
    beside = f"BlanketHistogram from uncounted rows {duration(took)}, delta = 0: OpenDP takes {other / took:.1f} times as long"
    return [(f"OpenDP, {len(known):,} counts of 10^6 rows, delta = 10^-9, threshold {enough}", duration(other), "", beside)]


def processes(rows: int) -> list[Row]:
    """Whole processes: memory of arrays, and a Parquet file."""
    found = list[Row]()
    if not rows:
        return found
    labels, _, seconds, before, peak = run(MEMORY.format(rows=rows), 1)
    found.append(
        (
            f"plan and release, n = {rows:,}",
            f"{seconds:.2f} s, {peak} MB",
            "10 s, 2 GB",
            f"{before} MB before; {labels} labels",
        )
    )
    arrow, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
    with tempfile.TemporaryDirectory() as folder:
        for kind, rare in (("few labels", 0.0), ("a third of the rows distinct", 0.3)):
            dice, path = np.random.default_rng(1), Path(folder, "rows.parquet")
            column = dice.zipf(1.3, rows)
            column = np.where(dice.random(rows) < rare, dice.integers(0, 2**62, rows), column)
            parquet.write_table(arrow.table({"x": column}), path)
            program = COMMAND.format(path=str(path), out=str(Path(folder, "out.csv")), rows=rows)
            labels, _, seconds, before, peak = run(program, 1)
            beside = f"{before} MB before; {labels} labels"
            found.append(
                (f"release pure-sparse, Parquet, {rows:,} rows, {kind}", f"{seconds:.2f} s, {peak} MB", "20 s", beside)
            )
    return found


def main() -> None:
    """Measure all, and print one table."""
    largest, rows = (int(argument) for argument in (*sys.argv[1:], *("10000000",) * 2)[:2])
    machine = f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}"
    table = Table(
        title=f"finitedp {finitedp.__version__}, Python {platform.python_version()}, numpy {np.__version__}, {machine}"
    )
    for column in ("what", "measured", "aim", "beside it, in the same run"):
        table.add_column(column, overflow="fold")
    found, took = releases(largest)
    found += [*plans(), *skewed(), *the_papers()]
    found += other_library(took[10**6]) if 10**6 in took else []
    for row in [*found, *processes(rows)]:
        table.add_row(*row)
    Console(width=None if sys.stdout.isatty() else 150).print(table)


if __name__ == "__main__":
    main()
