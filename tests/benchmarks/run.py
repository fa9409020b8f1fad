"""Speed: `python tests/benchmarks/run.py` prints what was measured beside what was aimed at, on this machine.

Extras: pip install '.[bench]' for the comparison of convolutions (icepool, lea). Every time is the median of several runs.
"""

import os
import platform
import subprocess
import sys
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import compact_dyadic
import dyadic
import flexible
import histograms
import icepool
import lea
import loops
from gmpy2 import mpq
from rich.console import Console
from rich.table import Table
from timing import Row, duration, median

import finitedp
from finitedp.impl.counting.geometric import FastSample, GeoSample
from finitedp.impl.histograms.basic import BasicHistogram
from finitedp.impl.randomness.coins import ExactCoins, StrictCoins
from finitedp.proofs_check.checks.strict import strict_worst_ratio
from finitedp.proofs_check.engine.explorer import explore
from finitedp.spec import counting as spec
from finitedp.spec.divergence import max_ratio, product_max_ratio
from finitedp.spec.pmf import Pmf, convolution, product


def verify_quick() -> list[Row]:
    command = [sys.executable, "-m", "finitedp", "verify", "--grid", "quick", "--jobs", str(min(os.cpu_count() or 1, 2))]
    took = median(lambda: subprocess.run(command, check=True, capture_output=True), repeats=3)
    return [("verify --grid quick, whole process", duration(took), "30 s", "")]


def explorer() -> list[Row]:
    rows = []
    histogram = BasicHistogram(FastSample(8, 1, "1/16"), "abc")
    for name, program, data in (
        ("FastSample histogram, |X| = 3, n = 8", histogram, "aabbbbbb"),
        ("GeoSample histogram, |X| = 3, n = 8", BasicHistogram(GeoSample(8, 1), "abc"), "aabbbbbb"),
    ):
        found = explore(lambda coins, p=program, d=data: p.release(d, coins))  # type: ignore[misc]
        took = median(lambda p=program, d=data: explore(lambda coins: p.release(d, coins)), repeats=5)  # type: ignore[misc]
        rate = found.leaves / took
        rows.append((f"explorer, {name}", f"{rate:,.0f} leaves/s", "20,000 leaves/s", f"{found.leaves} leaves"))
    return rows


def fast_sample() -> list[Row]:
    rows = []
    for epsilon, target in (("1/10", "100 us"), ("1", "15 us")):
        mechanism = FastSample(1000, epsilon, mpq(1, 2**40))
        for coins in (StrictCoins(), ExactCoins()):

            def hundred(m: FastSample = mechanism, c: StrictCoins | ExactCoins = coins) -> None:
                for _ in range(100):
                    m.release(500, c)

            took = median(hundred, repeats=15) / 100
            name = f"FastSample, n = 1000, epsilon = {epsilon}, {type(coins).__name__}"
            rows.append((name, f"{duration(took)} a count", target, f"d has {int(mechanism.d).bit_length():,} bits"))
    return rows


def product_ratio() -> list[Row]:
    n, before, after = 6, (3, 2, 1), (2, 3, 1)
    law = {c: spec.geo_sample(n, "1/2", c) for c in range(n + 1)}
    pairs = [(law[a], law[b]) for a, b in zip(before, after, strict=True)]
    factored = median(lambda: product_max_ratio(pairs), repeats=51)

    def jointly() -> mpq:
        return max_ratio(product([p for p, _ in pairs]), product([q for _, q in pairs])).value

    joint = median(jointly)
    if product_max_ratio(pairs).value != jointly():
        raise SystemExit("the factored ratio differs from the joint one")
    note = f"joint: {duration(joint)}, {joint / factored:,.0f} times as long"
    return [("worst ratio of a histogram, |X| = 3, n = 6, factored", duration(factored), "1 ms", note)]


def fold() -> list[Row]:
    weights = [[(7 * i + 13 * j) % 50 + 1 for j in range(50)] for i in range(20)]
    laws = [Pmf(dict(enumerate(w))) for w in weights]
    dice = [icepool.Die(dict(enumerate(w))) for w in weights]
    leas = [lea.pmf(dict(enumerate(w)), prob_type="r") for w in weights]
    ours = median(lambda: convolution(laws))

    def by_icepool() -> Any:
        return sum(dice[1:], dice[0])

    def by_lea() -> object:
        total = leas[0]
        for other in leas[1:]:
            total = (total + other).get_alea()
        return total

    total = convolution(laws)
    die = by_icepool()
    if any(die.probability(x) != total[x] for x in (0, 100, 490, 980)):
        raise SystemExit("icepool disagrees")
    ice, slow = median(by_icepool, repeats=3), median(by_lea, repeats=1)
    note = f"icepool {duration(ice)} ({ice / ours:,.0f} times), lea {duration(slow)} ({slow / ours:,.0f} times)"
    return [("fold of 20 laws of support 50", duration(ours), "5 ms", note)]


def strict_ratio() -> list[Row]:
    took = median(lambda: strict_worst_ratio(FastSample(10**6, "1/10", mpq(1, 2**40))), repeats=3)
    return [("exact worst ratio on strict coins, n = 10^6, epsilon = 1/10", duration(took), "", "10^6 neighbouring pairs")]


def growth() -> list[Row]:
    """FastSample's time against the paper's: quasi-linear in 1/epsilon, logarithmic in n."""
    rows = []
    cases: list[tuple[str, tuple[int, ...], Callable[[int], FastSample]]] = [
        ("1/epsilon, n = 1000", (10, 40, 160), lambda q: FastSample(1000, mpq(1, q), mpq(1, 2**40))),
        ("n, epsilon = 1/10", (10**3, 10**6, 10**9), lambda n: FastSample(n, "1/10", mpq(1, 2**40))),
    ]
    for name, values, build in cases:
        times = []
        for value in values:
            mechanism, coins = build(value), StrictCoins()
            times.append(median(lambda m=mechanism, c=coins: [m.release(500, c) for _ in range(20)], repeats=5) / 20)  # type: ignore[misc]
        ratios = ", ".join(duration(t) for t in times)
        steps = " ".join(f"{b / a:.1f}x" for a, b in pairwise(times))
        rows.append((f"FastSample against {name} = {values}", ratios, "", f"each step: {steps}"))
    return rows


def main() -> None:
    """Run every benchmark and print one table."""
    table = Table(title=f"finitedp {finitedp.__version__}, Python {platform.python_version()}, {os.cpu_count()} cores")
    for column in ("what", "measured", "aim", "beside it"):
        table.add_column(column, overflow="fold")
    parts = (
        verify_quick,
        explorer,
        fast_sample,
        product_ratio,
        fold,
        strict_ratio,
        growth,
        *histograms.PARTS,
        *dyadic.PARTS,
        *compact_dyadic.PARTS,
        *flexible.PARTS,
        *loops.PARTS,
    )
    for part in parts:
        for row in part():
            table.add_row(*row)
    Console(width=None if sys.stdout.isatty() else 130).print(table)


if __name__ == "__main__":
    main()
