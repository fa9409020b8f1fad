"""Sensitivity and budgets: sums, histograms and several releases, with noise for what changes, or for less."""

from attrs import frozen
from gmpy2 import mpq

from finitedp.claim import PrivacyClaim
from finitedp.impl.randomness.coins import Coins
from finitedp.proofs_check.zoo.exhibit import Exhibit, at_ratio
from finitedp.proofs_check.zoo.noise import HALF, flip, geometric

__all__ = ["EXHIBITS"]


def noisy_sum(data: tuple[int, ...], coins: Coins) -> int:
    """The sum of at most two rows, with noise for a change of 1. A row of value 2 changes it by 2: ratio 2^2."""
    return geometric(coins, sum(data), HALF, 0, 4)


def wrapping_sum(data: tuple[int, ...], coins: Coins) -> int:
    """The sum in two bits, with noise for a change of 1. Four ones sum to 0, three to 3: ratio 2^3."""
    return geometric(coins, sum(data) % 4, HALF, 0, 3)


def every_other_row(data: tuple[int, ...], coins: Coins) -> int:
    """The noisy sum of rows 1, 3, 5, ... Without its first row (1, 0, 1) is (0, 1), and the sum falls from 2 to 0: ratio 4."""
    return geometric(coins, sum(data[::2]), HALF, 0, 2)


def histogram(data: tuple[str, ...], coins: Coins) -> tuple[int, ...]:
    """Two counts of at most two rows, each with noise of its own for a change of 1."""
    return tuple(geometric(coins, data.count(label), HALF, 0, 2) for label in "ab")


@frozen
class OneNoise:
    """Counts of at most one row, all with the same noise: (1, 0) comes from ("a",) alone, with Pr[noise = 0] = 1/3."""

    labels: str

    def __call__(self, data: tuple[str, ...], coins: Coins) -> tuple[int, ...]:
        """The noisy counts, clamped to 0..1."""
        noise = geometric(coins, 0, HALF, -1, 1)
        return tuple(min(max(data.count(label) + noise, 0), 1) for label in self.labels)


@frozen
class Releases:
    """The same noisy count several times: the ratios multiply, to 2^times."""

    times: int

    def __call__(self, count: int, coins: Coins) -> tuple[int, ...]:
        """All releases."""
        return tuple(geometric(coins, count, HALF, 0, 2) for _ in range(self.times))


def tree_of_counts(data: tuple[int, ...], coins: Coins) -> tuple[int, ...]:
    """The noisy nodes of the binary tree over a stream of two bits. Each bit is in a leaf and in the root: ratio 2^2."""
    leaves = tuple(geometric(coins, bit, HALF, 0, 1) for bit in data)
    return (*leaves, geometric(coins, sum(data), HALF, 0, 2))


def subsampled(data: tuple[str, ...], coins: Coins) -> int:
    """Each row is kept with probability 1/2; the kept ones are counted with noise of ratio 3.

    At 1, for one row and for none: (1/2 * 1/4 + 1/2 * 3/4) / (1/4) = 2, which is 1 + (3 - 1) / 2.
    """
    return geometric(coins, sum(flip(coins, HALF) for _ in data), mpq(1, 3), 0, 1)


def name_and_shame(data: tuple[str, ...], coins: Coins) -> tuple[str, ...]:
    """Each row is published as it is with probability 1/100; that is what the changed row is seen with."""
    return tuple(row if flip(coins, "1/100") else "" for row in data)


DMNS = "Dwork, McSherry, Nissim, Smith 2006, Calibrating noise to sensitivity in private data analysis: "
OVERFLOW = (
    "Casacuberta, Shoemate, Vadhan, Wagaman 2022, Widespread underestimation of sensitivity in differentially private "
    "libraries: sums of machine integers that wrap around; here of two bits"
)
TREE = (
    "Dwork, Naor, Pitassi, Rothblum 2010, Differential privacy under continual observation, and Chan, Shi, Song 2011: the "
    "tree of partial sums, over two steps"
)
SAMPLE = "Li, Qardaji, Su 2012, On sampling, anonymization, and differential privacy: ln(1 + p (e^epsilon - 1)) at p = 1/2, "
ORDER = "folklore (systematic sampling: every other row)"
SHAME = (
    "Dwork, Roth 2014, The algorithmic foundations of differential privacy, Section 2.3: publishing the records of a few "
    "people as what a large delta permits"
)
BITS, LABELS = (0, 1), ("a", "b")

EXHIBITS = (
    Exhibit(
        "sum/values-up-to-1",
        DMNS + "noise for the sensitivity, with clamped geometric noise for Laplace's",
        "A row changes the sum by at most 1, as the noise supposes.",
        noisy_sum,
        at_ratio(2, "add-remove"),
        2,
        "holds",
        (0, 1),
        tight=True,
        worst_ratio=2,
    ),
    Exhibit(
        "sum/values-up-to-2",
        DMNS + "noise for the sensitivity; the wrong sensitivity is folklore",
        "A row may change the sum by 2, but the noise is for 1.",
        noisy_sum,
        at_ratio(2, "add-remove"),
        2,
        "fails",
        (0, 1, 2),
        worst_ratio=4,
    ),
    Exhibit(
        "sum/wraps-around/3-rows",
        OVERFLOW,
        "Three bits sum to 3 at most, which two bits hold.",
        wrapping_sum,
        at_ratio(2, "replace-one"),
        3,
        "holds",
        BITS,
        tight=True,
        worst_ratio=2,
    ),
    Exhibit(
        "sum/wraps-around/4-rows",
        OVERFLOW,
        "The sum 4 is held as 0, so that one row changes it by 3.",
        wrapping_sum,
        at_ratio(2, "replace-one"),
        4,
        "fails",
        BITS,
        worst_ratio=8,
    ),
    Exhibit(
        "every-other-row/replace-one",
        ORDER,
        "Where rows are replaced they keep their places, and each counts for at most 1.",
        every_other_row,
        at_ratio(2, "replace-one"),
        3,
        "holds",
        BITS,
        tight=True,
        worst_ratio=2,
    ),
    Exhibit(
        "every-other-row/add-remove",
        ORDER,
        "Without its first row all others change places: the result depends on the order of rows.",
        every_other_row,
        at_ratio(2, "add-remove"),
        3,
        "fails",
        BITS,
        worst_ratio=4,
    ),
    Exhibit(
        "histogram/add-remove",
        DMNS + "histograms: noise for 1 in each bin, where a row is added or removed",
        "A row is in one bin, so that the noise of one count is enough for all of them.",
        histogram,
        at_ratio(2, "add-remove"),
        2,
        "holds",
        LABELS,
        tight=True,
        worst_ratio=2,
    ),
    Exhibit(
        "histogram/replace-one",
        DMNS + "histograms, whose sensitivity is 2 where a row is replaced; noise for 1 is the folklore bug",
        "A replaced row leaves one bin and enters another: two counts change.",
        histogram,
        at_ratio(2, "replace-one"),
        2,
        "fails",
        LABELS,
        worst_ratio=4,
    ),
    Exhibit(
        "histogram/one-noise-for-all/1-label",
        DMNS + "histograms; one noise for all bins is the folklore bug",
        "With one label there is one bin.",
        OneNoise("a"),
        at_ratio(2, "add-remove"),
        1,
        "holds",
        ("a",),
        tight=True,
        worst_ratio=2,
    ),
    Exhibit(
        "histogram/one-noise-for-all/2-labels",
        DMNS + "histograms; one noise for all bins is the folklore bug",
        "The difference of two bins has no noise.",
        OneNoise("ab"),
        at_ratio(2, "add-remove"),
        1,
        "fails",
        LABELS,
        worst_ratio="infinite",
        delta="1/3",
    ),
    Exhibit(
        "two-releases",
        "McSherry 2009, Privacy integrated queries: sequential composition",
        "Two releases of ratio 2 have ratio 4.",
        Releases(2),
        at_ratio(4, "counts"),
        2,
        "holds",
        tight=True,
        worst_ratio=4,
    ),
    Exhibit(
        "two-releases/charged-as-one",
        "McSherry 2009, Privacy integrated queries: sequential composition, forgotten (folklore bug)",
        "The same count is asked for twice and paid for once.",
        Releases(2),
        at_ratio(2, "counts"),
        2,
        "fails",
        worst_ratio=4,
    ),
    Exhibit(
        "tree-of-counts",
        TREE,
        "Each bit is in two nodes, so that the claim is twice that of a node.",
        tree_of_counts,
        at_ratio(4, "replace-one"),
        2,
        "holds",
        BITS,
        tight=True,
        worst_ratio=4,
    ),
    Exhibit(
        "tree-of-counts/charged-for-one-level",
        TREE + "; the wrong claim is ours",
        "The levels of the tree are paid for once instead of once each.",
        tree_of_counts,
        at_ratio(2, "replace-one"),
        2,
        "fails",
        BITS,
        worst_ratio=4,
    ),
    Exhibit(
        "subsampling",
        SAMPLE + "for a noisy count of ratio 3",
        "The ratio 1 + p (r - 1) = 2 is attained.",
        subsampled,
        at_ratio(2, "add-remove"),
        1,
        "holds",
        ("a",),
        tight=True,
        worst_ratio=2,
    ),
    Exhibit(
        "subsampling/charged-p-epsilon",
        SAMPLE + "mistaken for p epsilon, which it approaches for small epsilon only",
        "p ln 3 is 0.5493..., but ln 2 is needed.",
        subsampled,
        PrivacyClaim("11/20", "add-remove"),
        1,
        "fails",
        ("a",),
        worst_ratio=2,
    ),
    Exhibit(
        "name-and-shame",
        SHAME,
        "(0, 1/100)-private, and yet everybody's record may be published: delta must be far below 1/n.",
        name_and_shame,
        PrivacyClaim(0, "replace-one", "1/100"),
        2,
        "holds",
        LABELS,
        tight=True,
        worst_ratio="infinite",
        delta="1/100",
    ),
)
