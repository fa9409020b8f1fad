"""Choosing one of several candidates: noisy max, the exponential mechanism, permute-and-flip, the median.

A row is what it adds to the scores: a label votes for one candidate, a string of bits for each candidate that has a 1.
"""

from attrs import frozen

from finitedp.impl.randomness.coins import Coins
from finitedp.proofs_check.zoo.draws import HALF, flip, geometric, pick
from finitedp.proofs_check.zoo.exhibit import Family, at_ratio, attained, fails, holds


@frozen
class NoisyMax:
    """The first candidate with the largest noisy score, or (value) the largest noisy score itself.

    Noisy scores are clamped to -1..2: 1/3, 1/3, 1/6, 1/6 for the score 0, in reverse for 1. Candidate 1 is chosen with
    probability 13/36 for the scores (0, 0), 2/9 for (1, 0), 5/9 for (0, 1). The largest is -1 with probability (1/3)^2 for
    (0, 0), (1/6)^2 for (1, 1).
    """

    value: bool = False

    def __call__(self, data: tuple[str, ...], coins: Coins) -> int:
        """The index, or the score."""
        scores = [sum(int(row[i]) for row in data) for i in range(2)]
        noisy = [geometric(coins, score, HALF, -1, 2) for score in scores]
        return max(noisy) if self.value else noisy.index(max(noisy))


def exponential(data: tuple[int, ...], coins: Coins) -> int:
    """A candidate with probability in proportion to 2^votes.

    One row: 2/3 against 1/3. Two rows for candidate 0 choose 1 with probability 1/5, one for each with 1/2.
    """
    return pick(coins, [2 ** data.count(candidate) for candidate in range(2)])


@frozen
class PermuteAndFlip:
    """Candidates in a random (or fixed) order; each is taken with probability 2^(its votes - the most votes).

    Two rows for candidate 0: 1 is taken with probability 1/2 * 2^-2; after one has changed, with 1/2: ratio 4. With three
    candidates the same change gives 11/96 and 5/12. In a fixed order candidate 0 is always taken where it has as many votes;
    where both rows are for 1, 1 is taken with 1 - 2^-2.
    """

    permute: bool = True
    candidates: int = 2

    def __call__(self, data: tuple[int, ...], coins: Coins) -> int:
        """The candidate that is taken; the one with the most votes always is, so that the loop ends."""
        left = list(range(self.candidates))
        most = max(data.count(candidate) for candidate in left)
        while True:
            candidate = left.pop(coins.uniform(len(left)) - 1 if self.permute else 0)
            if flip(coins, HALF ** (most - data.count(candidate))):
                return candidate


def median_by_score(data: tuple[int, ...], coins: Coins) -> int:
    """A value z in 0..2 with probability in proportion to 2^-|number of rows below z - number above z|.

    A replaced row changes that number by 2 at most, hence each weight by 4 at most, and their sum by 4: ratio 16 at
    most. The value 1 has 2/5 for (0, 0, 2) and 1/10 for (0, 0, 0).
    """
    balance = [sum((x > z) - (x < z) for x in data) for z in range(3)]
    return pick(coins, [2 ** (len(data) - abs(b)) for b in balance])


def median_with_local_noise(data: tuple[int, ...], coins: Coins) -> int:
    """The median of three bits, with noise only if replacing one row could change it.

    It could not for (0, 0, 0), whose output is 0; for (0, 0, 1) it is 1 with probability 1/3.
    """
    ones = sum(data)
    return geometric(coins, int(ones >= 2), HALF, 0, 1) if ones in (1, 2) else int(ones >= 2)


def median_with_unit_noise(data: tuple[int, ...], coins: Coins) -> int:
    """The median of three values with noise for a change of 1. (0, 0, 2) and (0, 2, 2) have the medians 0 and 2: ratio 4."""
    return geometric(coins, sorted(data)[1], HALF, 0, 2)


MAX = (
    "Dwork, Roth 2014, The algorithmic foundations of differential privacy, report noisy max; with geometric noise, ties "
    "to the first, and noisy scores clamped to -1..2; "
)
DING = (
    "Ding, Wang, Wang, Zhang, Kifer 2018, Detecting violations of differential privacy: the noisy max variant that returns "
    "the value; discrete and clamped as above"
)
EXPONENTIAL = "McSherry, Talwar 2007, Mechanism design via differential privacy: weights 2^votes for e^(epsilon votes)"
PERMUTE = "McKenna, Sheldon 2020, Permute-and-flip: the mechanism, with 1/2 for e^(-epsilon / 2)"
MEDIAN = "McSherry, Talwar 2007, Mechanism design via differential privacy: the exponential mechanism, with the rank as score"
LOCAL = "Nissim, Raskhodnikova, Smith 2007, Smooth sensitivity and sampling: local sensitivity as the noise's scale"
UNIT = "folklore: the median with noise as if it changed by 1"
FOUR = at_ratio(4, "replace-one")
BITS, VOTES = (0, 1), ("00", "01", "10", "11")

EXHIBITS = (
    *Family("noisy-max", MAX, at_ratio(2, "add-remove"), VOTES).exhibits(
        holds("index", NoisyMax(), "13/8").because(
            "Only the index is seen: however many candidates a row votes for, the claim is that of one count.",
            "counts, which all rise together",
        ),
        holds("replace-one", NoisyMax(), "5/2", claim=FOUR).because(
            "One score falls while another rises.", "scores that rise and fall, where the claim is doubled"
        ),
        fails("replace-one-charged-once", NoisyMax(), "5/2", claim=at_ratio(2, "replace-one")).because(
            "The claim for counts that rise together, where one falls while another rises.",
            "scores that rise and fall; the wrong claim is folklore",
        ),
    ),
    *Family("noisy-max", DING, at_ratio(2, "add-remove"), VOTES).exhibits(
        fails("value", NoisyMax(value=True), 4).because(
            "The largest noisy score moves as if all scores were seen: k candidates, k times the claim."
        ),
    ),
    *Family(
        "exponential-mechanism", EXPONENTIAL + "; its theorem gives 2 epsilon times the sensitivity", FOUR, BITS, n=2
    ).exhibits(
        holds("", exponential, "5/2").because("The weights change by a factor of 2, and so may their sum."),
    ),
    *Family(
        "exponential-mechanism/no-factor-2",
        EXPONENTIAL + "; forgetting the factor 2 is folklore",
        at_ratio(2, "replace-one"),
        BITS,
    ).exhibits(
        attained("1-row", exponential).because("With one row the sum of the weights is the same for all data."),
        fails("2-rows", exponential, "5/2", n=2).because("With two rows the sum of the weights changes from 5 to 4."),
    ),
    *Family("permute-and-flip", PERMUTE, FOUR, BITS, n=2).exhibits(
        attained("", PermuteAndFlip()).because("The bound is attained, as it is not by the exponential mechanism."),
        holds("3-candidates", PermuteAndFlip(candidates=3), "40/11", universe=range(3)).because(
            "Three candidates and two rows."
        ),
        fails("not-permuted", PermuteAndFlip(permute=False), "infinite", "3/4").because(
            "In a fixed order, who comes after the winner is never reached.", "; leaving out the permutation is ours"
        ),
    ),
    *Family("median", MEDIAN, at_ratio(16, "replace-one"), range(3), n=3).exhibits(
        holds("exponential-mechanism", median_by_score, 4).because("The number of rows on either side changes by 1."),
    ),
    *Family("median", LOCAL, at_ratio(2, "replace-one"), BITS, n=3).exhibits(
        fails("local-sensitivity", median_with_local_noise, "infinite", "1/3").because(
            "How much noise there is tells how close the data are to a change."
        ),
    ),
    *Family("median/unit-noise", UNIT, at_ratio(2, "replace-one"), BITS, n=3).exhibits(
        attained("2-values", median_with_unit_noise).because("A median of bits changes by 1 at most."),
        fails("3-values", median_with_unit_noise, 4, universe=range(3)).because("A median of values in 0..2 may change by 2."),
    ),
)
