"""Draw docs/pictures/surnames.svg: the surnames of the US Census as released at three epsilons, beside the true ones.

    python docs/pictures/surnames.py

Needs the extra `pictures`. The noise is fresh each time.
"""

from pathlib import Path

import matplotlib as mpl
from matplotlib import pyplot as plt

import finitedp
from finitedp.data.anonymizing import pairs_in_file, released
from finitedp.impl.randomness.words import SystemWords

DOCS = Path(__file__).parents[1]
N = 100_000


def steps(pairs: tuple[tuple[int, int], ...]) -> tuple[list[int], list[int]]:
    """The ranks at which a count begins and ends, and the count, from the most frequent label on."""
    ranks, counts, rank = [], [], 0
    for count, many in reversed(pairs):
        ranks += [rank + 1, rank + many]
        counts += [count, count]
        rank += many
    return ranks, counts


def main() -> None:
    """Release three times, and draw."""
    mpl.rcParams.update({"svg.hashsalt": "finitedp", "svg.fonttype": "none", "font.size": 8})
    true = pairs_in_file(DOCS / "data" / "surname_prevalence.csv")
    figure, axes = plt.subplots(1, 3, figsize=(8.4, 2.9), sharey=True, layout="constrained")
    for ax, epsilon in zip(axes, ("1/10", "1", "4"), strict=True):
        found = released(true, finitedp.priv_hist(N, epsilon), SystemWords(), "surnames")
        ax.plot(*steps(true), color="0.7", linewidth=3, label="true")
        ax.plot(*steps(found.prevalences), color="C0", linewidth=1, label="released")
        ax.set(
            xscale="log",
            yscale="log",
            xlabel="rank of a surname",
            title=f"epsilon = {epsilon}: error {found.distance(true):,}",
        )
    axes[0].set_ylabel("people per 100,000")
    axes[0].legend(frameon=False)
    figure.savefig(DOCS / "pictures" / "surnames.svg", metadata={"Date": None})


if __name__ == "__main__":
    main()
