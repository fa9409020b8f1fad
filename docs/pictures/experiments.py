"""Draw docs/pictures/experiments.svg: the six experiments on flexible accuracy, from docs/data/experiments_results.json.

Run from the repository's top level: python docs/pictures/experiments.py (extra `pictures`). It computes no number.
"""

import json
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib import pyplot as plt

HERE = Path(__file__).parent
RESULTS = HERE.parent / "data" / "experiments_results.json"
DATA = HERE.parent / "data" / "experiments.json"
COLOURS = {
    "new": "#d62728",
    "stability": "#1f77b4",
    "exponential": "#2ca02c",
    "propose-test-release": "#9467bd",
    "smooth sensitivity": "#ff7f0e",
    "smooth sensitivity (Cauchy)": "#bcbd22",
    "choosing": "#8c564b",
}


def middle(value: Any) -> float:
    """A number, or the middle of an interval."""
    return float(value) if isinstance(value, str) else (float(value[0]) + float(value[1])) / 2


def panel(axes: Any, number: str, errors: list[dict[str, Any]], setting: dict[str, Any]) -> None:
    """One experiment: flexible errors as solid lines, plain ones dotted, in per cent of the bars; the data inside."""
    counts = setting["data"][0]["counts"]
    for name, colour in reversed(COLOURS.items()):  # New is drawn last, above the others
        here = [e for e in errors if e["mechanism"] == name]
        epsilons = [float(p) / float(q) for p, q in ((*e["epsilon"].split("/"), "1")[:2] for e in here)]
        for kind, style in (("flexible", "-"), ("plain", ":")):
            axes.plot(epsilons, [100 * middle(e[kind]) / len(counts) for e in here], style, color=colour, marker=".", ms=4)
    axes.set_title(f"({number}) {setting['title']}", fontsize=6.5)
    axes.set_ylim(0, 1.3 * axes.get_ylim()[1])
    axes.tick_params(labelsize=6)
    inset = axes.inset_axes((0.72, 0.72, 0.26, 0.26))
    inset.stairs(counts, fill=True, color="0.6")
    inset.set_xticks([])
    inset.set_yticks([])


def main() -> None:
    """Draw all six."""
    mpl.rcParams.update({"svg.hashsalt": "finitedp", "svg.fonttype": "none"})
    results, data = json.loads(RESULTS.read_text()), json.loads(DATA.read_text())
    figure, grid = plt.subplots(2, 3, figsize=(11, 6.5), sharex=True)
    for axes, (number, setting) in zip(grid.flat, data.items(), strict=True):
        panel(axes, number, [e for e in results["errors"] if str(e["setting"]) == number], setting)
    for axes in grid[:, 0]:
        axes.set_ylabel("mean error, % of the bars", fontsize=7)
    for axes in grid[1]:
        axes.set_xlabel("epsilon (delta = 2^-20)", fontsize=7)
    handles = [plt.Line2D([], [], color=colour, label=name) for name, colour in COLOURS.items()]
    handles += [
        plt.Line2D([], [], color="0.3", linestyle=s, label=n) for n, s in (("flexible (0.005 n)", "-"), ("plain", ":"))
    ]
    figure.legend(handles=handles, loc="lower center", ncol=9, fontsize=6, frameon=False)
    figure.tight_layout(rect=(0, 0.04, 1, 1))
    figure.savefig(HERE / "experiments.svg", metadata={"Date": None})


if __name__ == "__main__":
    main()
