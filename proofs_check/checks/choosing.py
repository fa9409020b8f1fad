"""The choosing mechanism of Beimel, Nissim and Stemmer as the experiments have it: its parameters for an epsilon and a delta.

Theirs: a gate on the largest count, a choice among occupied bars in favour of high ones, without replacement, and noisy
heights. Ours: integer tables for the noise of the gate and of the heights, the exact delta of a choice, the shares of epsilon
(a quarter for the heights, the rest evenly for gates and choices), and 5 epsilon rounds, rounded up.
"""

from functools import cache
from typing import NamedTuple

from gmpy2 import mpq

from finitedp.exact import exp_bounds
from finitedp.impl.counting.dyadic_table import dyadic_table
from finitedp.impl.flexible.tables import ShiftedTable, least_q, shifted_table
from finitedp.spec.flexible import choosing as spec

BITS = 64


class Choosing(NamedTuple):
    """What a run needs: rounds, the table of the gate, rho, and epsilon of the heights, 0 if none are told."""

    rounds: int
    gate: ShiftedTable
    base: mpq
    heights: mpq

    @property
    def delta(self) -> mpq:
        """rounds times the exact delta of one choice. Source: FD.Compare.choosing.points."""
        return self.rounds * spec.one_choice_delta(self.gate.weights, self.base)

    def ratio(self, most: int) -> mpq:
        """(R rho)^rounds R', R' of the heights' noise with counts up to `most`. Source: FD.Compare.choosing.points."""
        noise = dyadic_table(most, 2 * self.heights, BITS).ratio if self.heights else mpq(1)
        return (self.gate.ratio * self.base) ** self.rounds * noise


def rounds_at(epsilon: mpq) -> int:
    """5 epsilon, rounded up: more rounds leave less for each of them."""
    return int(-(-5 * epsilon.numerator // epsilon.denominator))


def _below(epsilon: mpq) -> mpq:
    return mpq(int(exp_bounds(epsilon, 64)[0] * 65536), 65536)


@cache
def parameters(epsilon: mpq, delta: mpq, *, heights: bool) -> Choosing:
    """The shortest gate for (epsilon, delta); without heights one round, which has all of epsilon."""
    rounds, told = (rounds_at(epsilon), epsilon / 4) if heights else (1, mpq(0))
    each = (epsilon - told) / (2 * rounds)
    base = _below(each)
    low = least_q(each, delta / rounds, BITS) - 1  # the choice too has to be private: a longer gate
    high = 4 * low
    while high - low > 1:
        middle = (low + high) // 2
        enough = spec.one_choice_delta(shifted_table(middle, each, BITS).weights, base) * rounds <= delta
        low, high = (low, middle) if enough else (middle, high)
    return Choosing(rounds, shifted_table(high, each, BITS), base, told)
