"""Draw docs/pictures/flexible.svg, and print the numbers of docs/flexible.md: the exact law of the largest number of visits.

Run from the repository's top level: python -m docs.pictures.flexible (extra `pictures`). There is no noise in it: bars are
independent, so that the law of the maximum is a product.
"""

import csv
from collections import Counter
from pathlib import Path
from typing import Any

import matplotlib as mpl
from gmpy2 import mpq
from matplotlib import pyplot as plt

from finitedp.data.statistics import prepared
from finitedp.impl.counting.dyadic import DyadicSample
from finitedp.impl.flexible.releases import FlexibleStatistic
from finitedp.impl.histograms.dyadic import least_threshold
from finitedp.numbers import decimal
from tests.experiments import mechanisms
from tests.experiments.settings import Setting

HERE = Path(__file__).parent
DATA = HERE.parent / "data" / "randhie.csv"
DELTA = mpq(1, 2**20)
AGES = [9, 14, 17, 15, 11, 8, 5, 3, 1, 0, 0, 0, 0, 0, 1]
"""Patients by bars of age: many young ones, and a single old one."""


def visits() -> list[int]:
    """The true counts of 0, ..., 77 visits; the data is public."""
    with DATA.open(newline="") as file:
        counts = Counter(int(row["outpatient_visits"]) for row in csv.DictReader(file))
    return [counts[i] for i in range(78)]


def largest(shown: list[mpq]) -> list[mpq]:
    """The law of the last bar that is shown, where bar i is shown with shown[i] by itself; bar 0 where none is."""
    law, none = [mpq(0)] * len(shown), mpq(1)
    for i in reversed(range(len(shown))):
        law[i], none = none * shown[i], none * (1 - shown[i])
    law[0] += none
    return law


def one_sided(mechanism: FlexibleStatistic, counts: list[int]) -> list[mpq]:
    """By bucket, the probability that a row is left."""
    table = mechanism.histogram.table
    bars = [0] * mechanism.buckets.bars
    for value, count in enumerate(counts):
        bars[mechanism.buckets.index(value)] += count
    return [1 - mpq(table.tails[min(count, table.q)], table.tails[0]) for count in bars]


def stability(epsilon: mpq, counts: list[int]) -> list[mpq]:
    """By bar, the probability that a count plus two-sided noise is above the threshold, where there are rows."""
    mechanism = DyadicSample(sum(counts), 2 * epsilon)  # a row more moves one count
    b = least_threshold(mechanism, DELTA)
    return [1 - mpq(mechanism.cdf(count, b), mechanism.d) if count else mpq(0) for count in counts]


def others(epsilon: mpq, counts: list[int]) -> dict[str, list[mpq]]:
    """The exact laws of mechanisms that the paper compares with; for smooth sensitivity see docs/flexible_experiments.md."""
    setting, x = Setting(0, "RAND", 1, (tuple(counts),)), tuple(counts)
    known = {
        "exponential, calibrated": mechanisms.exponential,
        "exponential, as printed": mechanisms.exponential_printed,
        "propose-test-release": mechanisms.propose_test_release,
    }
    laws = {name: mechanism(setting, x, epsilon) for name, mechanism in known.items()}
    exact = {name: [law[i] for i in range(len(counts))] for name, law in laws.items()}
    return {"stability-based": largest(stability(epsilon, counts)), **exact}


def errors(law: list[mpq], centres: list[mpq], counts: list[int], left_out: int) -> tuple[mpq, mpq]:
    """The mean distance to the maximum, and to the nearest maximum of the data with at most so many rows left out."""
    above = [sum(counts[i + 1 :]) for i in range(len(counts))]
    allowed = [i for i, count in enumerate(counts) if count and above[i] <= left_out]
    plain = sum((p * abs(c - max(allowed)) for p, c in zip(law, centres, strict=True)), mpq(0))
    forgiven = sum((p * min(abs(c - i) for i in allowed) for p, c in zip(law, centres, strict=True)), mpq(0))
    return plain, forgiven


def main() -> None:
    """Print the table, and draw both panels."""
    counts = visits()
    for epsilon in ("1/2", "1"):
        for beta in ("0", "2", "4", "13"):
            mechanism = prepared("max", (0, 77), epsilon, DELTA, beta=beta)
            law = largest(one_sided(mechanism, counts))
            centres = [mechanism.buckets.centre(i) for i in range(mechanism.buckets.bars)]
            likely = max(range(len(law)), key=law.__getitem__)
            rows = [mechanism.accuracy(gamma).dropped for gamma in ("0", "1/100")]
            plain, forgiven = errors(law, centres, counts, 100)
            q, said = mechanism.histogram.q, f"{centres[likely]} with {decimal(law[likely], 3)}"
            row = (epsilon, beta, q, *rows, said, decimal(plain, 4), decimal(forgiven, 3))
            print(f"| {' | '.join(map(str, row))} |")  # noqa: T201  # its purpose
        for name, law in others(mpq(epsilon), counts).items():
            plain, forgiven = errors(law, [mpq(i) for i in range(78)], counts, 100)
            print(f"| {epsilon} | {name} | {decimal(plain, 4)} | {decimal(forgiven, 3)} |")  # noqa: T201  # the same
    draw(counts)


def draw(counts: list[int]) -> None:
    """A single old patient on the left, the exact law of the RAND data's maximum on the right."""
    mpl.rcParams.update({"svg.hashsalt": "finitedp", "svg.fonttype": "none"})
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.2))
    patients(left)
    mechanism = prepared("max", (0, 77), "1", DELTA)
    law = largest(one_sided(mechanism, counts))
    right.bar(range(78), counts, color="0.85", width=1)
    right.set_yscale("log")
    right.set_ylabel("true counts (grey)", fontsize=7)
    other = right.twinx()
    other.bar(range(78), [int(p.numerator) / int(p.denominator) for p in law], color="C3", width=0.8)
    other.set_ylabel("Pr[the answer] (red), epsilon = 1", fontsize=7)
    right.set_title("RAND: the largest number of visits, exactly", fontsize=8)
    for axes in (left, right, other):
        axes.tick_params(labelsize=6)
    figure.tight_layout()
    figure.savefig(HERE / "flexible.svg", metadata={"Date": None})


def patients(axes: Any) -> None:
    """Which answers are forgiven where one row, or two rows, may be left out."""
    axes.bar(range(len(AGES)), AGES, color="0.75")
    axes.bar(14, 1, color="C0")
    axes.annotate("the maximum,\none patient's secret", (14, 1), (9.5, 7), fontsize=7, arrowprops={"arrowstyle": "->"})
    axes.annotate("the maximum\nwithout one row", (8, 1), (4.5, 13), fontsize=7, arrowprops={"arrowstyle": "->"})
    axes.set_title("a single old patient among many young ones", fontsize=8)
    axes.set_xlabel("age, in bars", fontsize=7)


if __name__ == "__main__":
    main()
