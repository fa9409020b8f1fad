"""Sensitivity and budgets: sums, histograms and several releases, with noise for what changes, or for less."""

from attrs import frozen
from gmpy2 import mpq

from finitedp.claim import PrivacyClaim
from finitedp.impl.randomness.coins import Coins
from finitedp.proofs_check.zoo.draws import HALF, flip, geometric
from finitedp.proofs_check.zoo.exhibit import Family, at_ratio, attained, fails


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
COMPOSITION = "McSherry 2009, Privacy integrated queries: sequential composition"
ONE_NOISE = DMNS + "histograms; one noise for all bins is the folklore bug"
BITS, LABELS = (0, 1), ("a", "b")

EXHIBITS = (
    *Family("sum", DMNS + "noise for the sensitivity", at_ratio(2, "add-remove"), BITS, n=2).exhibits(
        attained("values-up-to-1", noisy_sum).because(
            "A row changes the sum by at most 1, as the noise supposes.", ", with clamped geometric noise for Laplace's"
        ),
        fails("values-up-to-2", noisy_sum, 4, universe=(0, 1, 2)).because(
            "A row may change the sum by 2, but the noise is for 1.", "; the wrong sensitivity is folklore"
        ),
    ),
    *Family("sum/wraps-around", OVERFLOW, at_ratio(2, "replace-one"), BITS).exhibits(
        attained("3-rows", wrapping_sum, n=3).because("Three bits sum to 3 at most, which two bits hold."),
        fails("4-rows", wrapping_sum, 8, n=4).because("The sum 4 is held as 0, so that one row changes it by 3."),
    ),
    *Family("every-other-row", ORDER, at_ratio(2, "replace-one"), BITS, n=3).exhibits(
        attained("replace-one", every_other_row).because(
            "Where rows are replaced they keep their places, and each counts for at most 1."
        ),
        fails("add-remove", every_other_row, 4, claim=at_ratio(2, "add-remove")).because(
            "Without its first row all others change places: the result depends on the order of rows."
        ),
    ),
    *Family("histogram", DMNS + "histograms", at_ratio(2, "add-remove"), LABELS, n=2).exhibits(
        attained("add-remove", histogram).because(
            "A row is in one bin, so that the noise of one count is enough for all of them.",
            ": noise for 1 in each bin, where a row is added or removed",
        ),
        fails("replace-one", histogram, 4, claim=at_ratio(2, "replace-one")).because(
            "A replaced row leaves one bin and enters another: two counts change.",
            ", whose sensitivity is 2 where a row is replaced; noise for 1 is the folklore bug",
        ),
    ),
    *Family("histogram/one-noise-for-all", ONE_NOISE, at_ratio(2, "add-remove"), LABELS).exhibits(
        attained("1-label", OneNoise("a"), universe=("a",)).because("With one label there is one bin."),
        fails("2-labels", OneNoise("ab"), "infinite", "1/3").because("The difference of two bins has no noise."),
    ),
    *Family("two-releases", COMPOSITION, at_ratio(4, "counts"), n=2).exhibits(
        attained("", Releases(2)).because("Two releases of ratio 2 have ratio 4."),
        fails("charged-as-one", Releases(2), 4, claim=at_ratio(2, "counts")).because(
            "The same count is asked for twice and paid for once.", ", forgotten (folklore bug)"
        ),
    ),
    *Family("tree-of-counts", TREE, at_ratio(4, "replace-one"), BITS, n=2).exhibits(
        attained("", tree_of_counts).because("Each bit is in two nodes, so that the claim is twice that of a node."),
        fails("charged-for-one-level", tree_of_counts, 4, claim=at_ratio(2, "replace-one")).because(
            "The levels of the tree are paid for once instead of once each.", "; the wrong claim is ours"
        ),
    ),
    *Family("subsampling", SAMPLE, at_ratio(2, "add-remove"), ("a",)).exhibits(
        attained("", subsampled).because("The ratio 1 + p (r - 1) = 2 is attained.", "for a noisy count of ratio 3"),
        fails("charged-p-epsilon", subsampled, 2, claim=PrivacyClaim("11/20", "add-remove")).because(
            "p ln 3 is 0.5493..., but ln 2 is needed.", "mistaken for p epsilon, which it approaches for small epsilon only"
        ),
    ),
    *Family("name-and-shame", SHAME, PrivacyClaim(0, "replace-one", "1/100"), LABELS, n=2).exhibits(
        attained("", name_and_shame, "infinite").because(
            "(0, 1/100)-private, and yet everybody's record may be published: delta must be far below 1/n."
        ),
    ),
)
