"""Local randomisers that answer with more than a label: unary encodings, RAPPOR, subsets, Hadamard rows; and shuffling."""

from itertools import combinations

from attrs import field, frozen
from gmpy2 import mpq

from finitedp.claim import PrivacyClaim
from finitedp.impl.randomness.coins import Coins
from finitedp.proofs_check.zoo.draws import flip, pick
from finitedp.proofs_check.zoo.exhibit import Family, at_ratio, attained, fails, holds


@frozen
class Unary:
    """A label in 0..k-1 as k bits: bit x is 1 with probability p, every other bit with probability q.

    Two labels change two bits, so that the worst ratio is p (1 - q) / (q (1 - p)).
    """

    k: int
    p: mpq = field(converter=mpq)
    q: mpq = field(converter=mpq)

    def __call__(self, data: tuple[int, ...], coins: Coins) -> tuple[bool, ...]:
        """The bits of the only row."""
        return tuple(flip(coins, self.p if i == data[0] else self.q) for i in range(self.k))


@frozen
class Rappor:
    """Reports of one label in 0..k-1 with f = 1/2, q = 3/4, p = 1/2; the permanent bits are kept, or drawn for each report.

    One report shows a 1 for the bit x with q* = 11/16 and else with p* = 9/16: ratio (11/16 * 7/16) / (9/16 * 5/16) = 77/45.
    Two from the same permanent bits: (31/64) / (21/64) * (13/64) / (7/64) = 403/147.
    """

    reports: int
    kept: bool = True
    k: int = 2

    def __call__(self, data: tuple[int, ...], coins: Coins) -> tuple[bool, ...]:
        """All reports, one after the other."""
        permanent = Unary(self.k, "3/4", "1/4")
        bits = permanent(data, coins)
        reported: tuple[bool, ...] = ()
        for i in range(self.reports):
            if i and not self.kept:
                bits = permanent(data, coins)
            reported += tuple(flip(coins, "3/4" if bit else "1/2") for bit in bits)
        return reported


def subset(data: tuple[int, ...], coins: Coins) -> tuple[int, ...]:
    """Two of four labels: each pair with the true one has probability 3/12, each other one 1/12."""
    pairs = list(combinations(range(4), 2))
    return pairs[pick(coins, [3 if data[0] in pair else 1 for pair in pairs])]


def hadamard(data: tuple[int, ...], coins: Coins) -> int:
    """A column y in 0..3: 3/8 for the two with a 1 in row x of the Hadamard matrix, 1/8 for the others; labels are 1..3."""
    return pick(coins, [1 if (data[0] & y).bit_count() % 2 else 3 for y in range(4)])


def answers(data: tuple[int, ...], coins: Coins) -> tuple[int, ...]:
    """A randomised response for each row, in the order of the rows."""
    return tuple(x ^ (not flip(coins, "3/4")) for x in data)


def shuffled(data: tuple[int, ...], coins: Coins) -> int:
    """The multiset of the answers, which is told by how many are 1.

    Two rows: Pr[0] is 9/16 for (0, 0) and 3/16 for (0, 1), so that at ratio 2 delta is 9/16 - 6/16 = 3/16.
    """
    return sum(answers(data, coins))


WANG = "Wang, Blocki, Li, Jha 2017, Locally differentially private protocols for frequency estimation: "
RAPPOR = "Erlingsson, Pihur, Korolova 2014, RAPPOR: Basic RAPPOR, a bit for each label, at f = 1/2, q = 3/4, p = 1/2; "
YE = "Ye, Barg 2018, Optimal schemes for discrete distribution estimation under locally differential privacy: subset selection"
ACHARYA = "Acharya, Sun, Zhang 2019, Hadamard response: estimating distributions privately, with little communication"
SHUFFLE = "Erlingsson, Feldman, Mironov, Raghunathan, Talwar, Thakurta 2019, Amplification by shuffling: "
BITS = (0, 1)
SHUFFLED = PrivacyClaim("7/10", "replace-one", "3/16")

EXHIBITS = (
    *Family("unary-encoding", WANG, at_ratio(3, "replace-one"), range(3)).exhibits(
        attained("optimised", Unary(3, "1/2", "1/4")).because(
            "Both changed bits together have the ratio (1 - q) / q = 3.",
            "optimised unary encoding: p = 1/2, q = 1 / (e^epsilon + 1), at e^epsilon = 3",
        ),
        attained("symmetric", Unary(3, "3/4", "1/4"), claim=at_ratio(9, "replace-one")).because(
            "Two labels differ in two bits of ratio 3 each.",
            "symmetric unary encoding: p = 3/4, q = 1/4, which is epsilon / 2 for each bit at e^epsilon = 9",
        ),
        fails("charged-for-one-bit", Unary(3, "3/4", "1/4"), 9).because(
            "Each bit is right for ratio 3, but two labels differ in two bits.",
            "symmetric unary encoding; the wrong claim is folklore",
        ),
    ),
    *Family("rappor", RAPPOR, at_ratio("77/45", "replace-one"), BITS).exhibits(
        attained("one-report", Rappor(1)).because(
            "The ratio q* (1 - p*) / (p* (1 - q*)) is attained.", "epsilon_1 of one instantaneous report"
        ),
        holds("two-reports", Rappor(2), "403/147", claim=at_ratio(9, "replace-one")).because(
            "All reports are post-processing of the permanent bits, whose ratio is 9.",
            "epsilon_infinity of any number of reports from the same permanent response",
        ),
        fails("two-reports-charged-as-one", Rappor(2), "403/147").because(
            "A second report from the same permanent bits adds to what the first one said.",
            "two instantaneous reports; the wrong claim is ours",
        ),
        fails("permanent-bits-forgotten", Rappor(2, kept=False), "5929/2025").because(
            "With fresh permanent bits every time the ratios multiply: (77/45)^2.",
            "two reports; without the permanent response, which the paper has against averaging, at the claim of one",
        ),
    ),
    *Family("subset-selection", YE + ", two of four labels at e^epsilon = 3", at_ratio(3, "replace-one"), range(4)).exhibits(
        attained("", subset).because("A subset with the true label is 3 times as likely as one without."),
    ),
    *Family("hadamard-response", ACHARYA + ", K = 4 at e^epsilon = 3", at_ratio(3, "replace-one"), (1, 2, 3)).exhibits(
        attained("", hadamard).because(
            "A column is 3 times as likely if it has a 1 in the label's row; every such row has as many 1 as -1."
        ),
    ),
    *Family("shuffling", SHUFFLE, SHUFFLED, BITS, n=2).exhibits(
        holds("", shuffled, 3).because(
            "Without the order, a smaller epsilon holds at some delta.",
            "the idea, with randomised response by two rows and its exact delta 3/16 at ratio 2",
        ),
        fails("left-out", answers, 3).because(
            "The order says who answered: delta is 3/4 - r / 4, about 1/4.",
            "the same claim for answers in the order of the rows",
        ),
        fails("pure", shuffled, 3, "3/16", claim=at_ratio(2, "replace-one")).because(
            "If all rows have the same label, all lying is as telling as before: the worst ratio stays 3.",
            "misread as a bound with delta = 0",
        ),
    ),
)
