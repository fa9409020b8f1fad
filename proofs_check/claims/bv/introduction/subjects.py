"""What the informal theorems share: an epsilon that is no 1/q, rounded, and what "with high probability" leaves over."""

from typing import NamedTuple

from gmpy2 import c_div, mpq

from finitedp.proofs_check.ledger.entry import in_scope

BETA = mpq(1, 20)  # what "with high probability" leaves over


def rounded_down(value: mpq) -> mpq:
    """1/ceil(1/value): the largest 1/q that is not above it."""
    return mpq(1, c_div(value.denominator, value.numerator))


def rounded_up(value: mpq) -> mpq:
    """Broken: 1/floor(1/value)."""
    return mpq(1, value.denominator // value.numerator)


def inverse(epsilon: mpq) -> int:
    """q of the epsilon that is rounded down to 1/q."""
    return int(rounded_down(epsilon).denominator)


class Dense(NamedTuple):
    """|X|, n, and epsilon in (0, 1]."""

    size: int
    n: int
    epsilon: mpq

    def check_scope(self) -> None:
        in_scope(self.size >= 1 and self.n >= 1, "a label at least, and a row at least")
        in_scope(0 < self.epsilon <= 1, "epsilon in (0, 1]")
