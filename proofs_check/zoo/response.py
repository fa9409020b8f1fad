"""Randomised response: every row answers for itself, and lies with some probability."""

from collections.abc import Callable

from attrs import field, frozen
from gmpy2 import mpq

from finitedp.impl.randomness.coins import Coins
from finitedp.proofs_check.engine.stand_ins.standard import StandIn
from finitedp.proofs_check.zoo.draws import flip
from finitedp.proofs_check.zoo.exhibit import Family, at_ratio, attained, fails, holds

Lie = Callable[[int, int, Coins], int]


def other(x: int, k: int, coins: Coins) -> int:
    """Uniform over the k - 1 labels that are not x."""
    u = coins.uniform(k - 1) - 1
    return u + (u >= x)


def any_label(_x: int, k: int, coins: Coins) -> int:
    """Uniform over all k labels, the truth included."""
    return coins.uniform(k) - 1


def next_label(x: int, k: int, _coins: Coins) -> int:
    """Always the label after x."""
    return (x + 1) % k


def three_bits(_x: int, k: int, coins: Coins) -> int:
    """Three random bits modulo k: uniform over all k labels only if k divides 8."""
    return coins.bits(3) % k


@frozen
class Response:
    """The truth with a given probability, else a lie, of one row with a label in 0..k-1.

    With `other` the worst ratio is truth / ((1 - truth) / (k - 1)); with any_label it is 1 + truth k / (1 - truth).
    """

    k: int
    truth: mpq = field(converter=mpq)
    lie: Lie = other

    def __call__(self, data: tuple[int, ...], coins: Coins) -> int:
        """The answer of the only row."""
        return data[0] if flip(coins, self.truth) else self.lie(data[0], self.k, coins)


def one_lie_for_all(data: tuple[int, ...], coins: Coins) -> tuple[int, ...]:
    """All rows lie, or none does. Two rows: the answers to (0, 0) are equal, those to (0, 1) differ, so delta is 1."""
    lie = not flip(coins, "3/4")
    return tuple(x ^ lie for x in data)


def every_row(data: tuple[int, ...], coins: Coins) -> tuple[int, ...]:
    """Every row answers with a lie of its own."""
    return tuple(x ^ (not flip(coins, "3/4")) for x in data)


def padded(data: tuple[str, ...], coins: Coins) -> tuple[int, int]:
    """Two bits, each with a fair bit of its own added modulo 2."""
    return int(data[0][0]) ^ flip(coins, "1/2"), int(data[0][1]) ^ flip(coins, "1/2")


def pad_reused(data: tuple[str, ...], coins: Coins) -> tuple[int, int]:
    """Two bits with the same fair bit added: their sum is seen, so "00" and "01" have no output in common."""
    pad = flip(coins, "1/2")
    return int(data[0][0]) ^ pad, int(data[0][1]) ^ pad


@frozen
class FloatResponse:
    """The truth if random.Random.random() < threshold, in floating-point arithmetic.

    random() is uniform on the multiples of 2^-53, so that the truth has probability ceil(threshold * 2^53) / 2^53; the float
    0.9 is 8106479329266893 / 2^53.
    """

    threshold: float

    def __call__(self, data: tuple[int, ...], rng: StandIn) -> int:
        """The answer of the only row."""
        return data[0] if rng.random() < self.threshold else 1 - data[0]


WARNER = "Warner 1965, Randomized response: a survey technique for eliminating evasive answer bias: the design with p = 3/4"
KAIROUZ = "Kairouz, Bonawitz, Ramage 2016, Discrete distribution estimation under local privacy: k-ary response, e^epsilon = 3"
SHANNON = "Shannon 1949, Communication theory of secrecy systems: perfect secrecy of the one-time pad, read as epsilon = 0"
PYTHON = "Warner 1965, in Python's floats: rng.random() compared with p, as it is usually written"
BUG = "; the bug is folklore"
MODULO = ", lying uniformly over all k with probability k / (r + k - 1); the lie by 3 random bits modulo k"
BITS, PAIRS = (0, 1), ("00", "01", "10", "11")
THREE = at_ratio(3, "replace-one")

EXHIBITS = (
    *Family("randomised-response", WARNER, THREE, BITS).exhibits(
        attained("", Response(2, "3/4")).because("The truth with probability 3/4, its opposite with 1/4."),
        fails("rare-lies", Response(2, "4/5"), 4).because("The lie has probability 1/5 where the claim needs 1/4.", BUG),
    ),
    *Family("k-ary-response", KAIROUZ, THREE, range(3)).exhibits(
        attained("", Response(3, "3/5")).because(
            "The truth with probability r / (r + k - 1), else one of the other labels; r = k = 3."
        ),
        fails("lie-may-be-true", Response(3, "3/5", any_label), "11/2").because(
            "The lie is uniform over all k labels, but the formula counts on k - 1: truth 11/15, others 2/15.", BUG
        ),
    ),
    *Family("k-ary-response/binary-formula", KAIROUZ + BUG, THREE, range(3)).exhibits(
        attained("2-labels", Response(2, "3/4"), universe=range(2)).because(
            "The truth with probability r / (r + 1) whatever k is: right for two labels."
        ),
        fails("3-labels", Response(3, "3/4"), 6).because(
            "With three labels each lie has 1/8 alone, so that the ratio is r (k - 1)."
        ),
    ),
    *Family("k-ary-response/next-label", KAIROUZ + BUG, THREE, range(3)).exhibits(
        attained("2-labels", Response(2, "3/4", next_label), universe=range(2)).because(
            "The lie is always the next label: with two labels there is no other."
        ),
        fails("3-labels", Response(3, "3/5", next_label), "infinite", "3/5").because(
            "With three labels x is never answered with x + 2."
        ),
    ),
    *Family("k-ary-response/bits-modulo-k", KAIROUZ + MODULO, THREE, range(3)).exhibits(
        attained("4-labels", Response(4, "1/3", three_bits), universe=range(4)).because(
            "8 is a multiple of 4, so that the lie is uniform."
        ),
        fails("3-labels", Response(3, "2/5", three_bits), "11/3").because(
            "Modulo bias: the label 2 is drawn with 2/8 for 1/3, so that its ratio is 1 + (2/5) / (3/5) / (1/4) = 11/3."
        ),
    ),
    *Family("dyadic-response", "Warner 1965: the lie's probability 1/3 rounded ", at_ratio(2, "replace-one"), BITS).exhibits(
        fails("lie-rounded-down", Response(2, mpq(715827883, 2**30)), "715827883/357913941").because(
            "Ratio 715827883/357913941: above 2 by about 3 parts in 10^9.", "to 30 binary digits, which is down"
        ),
        holds("lie-rounded-up", Response(2, mpq(715827882, 2**30)), "715827882/357913942").because(
            "The careful twin: below 2 by about 6 parts in 10^9.", "up to 30 binary digits"
        ),
    ),
    *Family("float-response", PYTHON, THREE, BITS, style="random").exhibits(
        attained("three-quarters", FloatResponse(0.75)).because("3/4 is a multiple of 2^-53, so that nothing is rounded."),
        fails(
            "nine-tenths",
            FloatResponse(0.9),
            mpq(8106479329266893, 2**53 - 8106479329266893),
            claim=at_ratio(9, "replace-one"),
        ).because("The float 0.9 is above 9/10 and its complement below 1/10: the ratio is above 9 by 2 / 900719925474099."),
    ),
    *Family("one-lie-for-all", WARNER + BUG, THREE, BITS).exhibits(
        attained("1-row", one_lie_for_all).because(
            "One coin decides whether all rows lie: with one row that is randomised response."
        ),
        fails("2-rows", one_lie_for_all, "infinite", 1, n=2).because("The parity of two answers is that of the two rows."),
    ),
    *Family("one-answer-for-each-row", WARNER + ", by every row for itself", THREE, BITS, n=2).exhibits(
        attained("replace-one", every_row).because("The number of rows is public where neighbours have the same."),
        fails("add-remove", every_row, "infinite", 1, claim=at_ratio(3, "add-remove")).because(
            "The number of answers is the number of rows, which is private where a row may be added.",
            "; the wrong claim is folklore",
        ),
    ),
    *Family("one-time-pad", SHANNON, at_ratio(1, "replace-one"), PAIRS).exhibits(
        attained("", padded).because("Two bits are hidden by two fair bits: all outputs are uniform."),
        fails("reused", pad_reused, "infinite", 1).because(
            "Two bits are hidden by one fair bit: their sum modulo 2 is seen.", "; reuse of the pad is the classical mistake"
        ),
    ),
)
