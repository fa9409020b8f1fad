"""Draw docs/pictures/randhie.svg: the RAND data released by every mechanism, true counts against noisy ones.

Run from the repository's top level: python docs/pictures/randhie.py (extra `pictures`). Every run draws fresh noise.
"""

import csv
import json
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib import pyplot as plt

HERE = Path(__file__).parent
DATA = HERE.parent / "data" / "randhie.csv"
HEALTH = ["excellent", "good", "fair", "poor"]
VISITS = [str(x) for x in range(16)]
# mechanism, rows (0: all), its own options
MECHANISMS: list[tuple[str, int, list[str]]] = [
    ("basic", 0, []),
    ("stability", 0, ["--delta", "1/1000000"]),
    ("sparse", 0, ["--delta", "1/1000000"]),
    ("pure-sparse", 500, ["--mechanism", "order-statistics"]),
    ("compact", 500, []),
]


def finitedp(*arguments: str) -> Any:
    """The JSON document that a command prints."""
    command = [sys.executable, "-m", "finitedp", *arguments]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def released(mechanism: str, column: str, universe: str, rows: int, options: list[str], labels: list[str]) -> Any:
    """The noisy counts of the labels, 0 for those that are not listed, and the error bar."""
    first = ["--first", str(rows)] if rows else []
    common = ["release", mechanism, "--input", str(DATA), "--column", column, "--universe", universe, "--epsilon", "1"]
    if mechanism == "compact":
        with tempfile.TemporaryDirectory() as folder:
            file = f"{folder}/compact.json"
            subprocess.run([sys.executable, "-m", "finitedp", *common, *first, "--output", file], check=True)
            document = finitedp("query", file, *labels, "--json")
    else:
        document = finitedp(*common, *first, *options, "--json")
    counts = {str(pair["label"]): pair["count"] for pair in document["histogram"]}
    return [counts.get(label, 0) for label in labels], document["accuracy"][0]["a"]


def true_counts(column: str, rows: int, labels: list[str]) -> list[int]:
    """The counts of the data itself, which is public."""
    with DATA.open(newline="") as file:
        values = [row[column] for row in csv.DictReader(file)]
    counts = Counter(values[: rows or None])
    return [counts[label] for label in labels]


def panel(axes: Any, truth: list[int], noisy: list[int], bar: int, labels: list[str]) -> None:
    """Grey columns for the truth, points with error bars for the release."""
    places = range(len(labels))
    axes.bar(places, truth, color="0.82", width=0.8)
    axes.errorbar(places, noisy, yerr=bar, fmt=".", color="C3", ecolor="C3", elinewidth=1, capsize=2, markersize=4)
    axes.set_xticks(list(places), labels, fontsize=6)
    axes.set_yscale("symlog", linthresh=20)
    axes.set_ylim(0, 2.5 * max(truth))
    axes.tick_params(axis="y", labelsize=6)


def main() -> None:
    """Draw all panels."""
    mpl.rcParams.update({"svg.hashsalt": "finitedp", "svg.fonttype": "none"})
    figure, grid = plt.subplots(len(MECHANISMS), 2, figsize=(9, 11), width_ratios=(3, 1))
    for (left, right), (mechanism, rows, options) in zip(grid, MECHANISMS, strict=True):
        listed = mechanism == "basic"
        visits = "0..77" if listed else "0..4294967295"
        health = ",".join(HEALTH) if listed else "strings:16"
        for axes, column, universe, labels, shown in (
            (left, "outpatient_visits", visits, VISITS, f", visits of {visits}"),
            (right, "self_rated_health", health, HEALTH, ", health"),
        ):
            noisy, bar = released(mechanism, column, universe, rows, options, labels)
            panel(axes, true_counts(column, rows, labels), noisy, bar, labels)
            axes.set_title(f"{mechanism}{shown}, +-{bar}", fontsize=7)
    figure.suptitle("True counts (grey) and one release of each mechanism at epsilon = 1, with error bars", fontsize=9)
    figure.tight_layout()
    figure.savefig(HERE / "randhie.svg", metadata={"Date": None})


if __name__ == "__main__":
    main()
