"""Broken copies of DyadicSample and of its table, which the checks must reject by name.

They inherit from the mechanism that they break, so that each shows its one mutation and nothing else.
"""

from collections.abc import Callable, Sequence
from functools import cached_property

from gmpy2 import mpq

from finitedp.claim import Accuracy
from finitedp.exact import RationalLike, ceil_power, probability
from finitedp.impl.arithmetic.kernels import last_above
from finitedp.impl.counting.dyadic import DyadicSample
from finitedp.impl.counting.dyadic_table import DyadicTable
from finitedp.impl.randomness.coins import Coins
from finitedp.proofs_check.claims.bv.counting.twins import reversed_draw
from finitedp.proofs_check.claims.own.dyadic.subjects import Dyadic
from finitedp.proofs_check.ledger.entry import but
from finitedp.spec import dyadic as spec


class Uncertified(DyadicTable):
    """A table that nobody checks."""

    def __attrs_post_init__(self) -> None:
        pass


def uncertified(mechanism: DyadicSample, weights: Sequence[int]) -> Uncertified:
    """A table of these weights w_0, ..., w_n."""
    ratio = spec.ratio_below(mechanism.epsilon, mechanism.word)
    *head, tail, last = weights
    return Uncertified(mechanism.epsilon, ratio, mechanism.word, mechanism.n, tuple(head), tail, last)


def _weights(mechanism: DyadicSample) -> list[int]:
    return list(Dyadic(mechanism.n, str(mechanism.epsilon), mechanism.word).weights)


def _least(mechanism: DyadicSample, centre: int) -> tuple[list[int], int]:
    """The least weights behind a centre, and half of what they leave over."""
    weights = spec.least_weights(centre, spec.ratio_below(mechanism.epsilon, mechanism.word), mechanism.n)
    return weights, (mechanism.d - weights[0] - 2 * sum(weights[1:])) // 2


def _on(weights: Callable[[DyadicSample], Sequence[int]]) -> type[DyadicSample]:
    """A mechanism on a table of other weights, which nobody checks."""
    return but(DyadicSample, table=cached_property(lambda self: uncertified(self, weights(self))))


def _leftover_at_centre(mechanism: DyadicSample) -> list[int]:
    """What is left over goes to w_0, where (i) has no room for it."""
    weights, left_over = _least(mechanism, _weights(mechanism)[0])
    return [weights[0] + 2 * left_over, *weights[1:]]


def _rounded_down(mechanism: DyadicSample) -> list[int]:
    """w_(j+1) = floor(w_j / R) instead of the ceiling; the rest on w_n."""
    ratio, weights = spec.ratio_below(mechanism.epsilon, mechanism.word), _weights(mechanism)[:1]
    while len(weights) < mechanism.n:
        weights.append(max(int(weights[-1] // ratio), 1))
    return [*weights, (mechanism.d + weights[0]) // 2 - sum(weights)]


def _last_too_small(mechanism: DyadicSample) -> list[int]:
    """w_n one less than (ii) needs, and the rest on w_(n-1)."""
    weights, left_over = _least(mechanism, _weights(mechanism)[0])
    if mechanism.n == 1:
        return [weights[0] + 2 * left_over + 2, weights[1] - 1]
    return [*weights[:-2], weights[-2] + left_over + 1, weights[-1] - 1]


def _small_centre(mechanism: DyadicSample) -> list[int]:
    """w_0 half as large as it might be: private, but with noise that need not be so large."""
    weights, left_over = _least(mechanism, max(_weights(mechanism)[0] // 4 * 2, 2))
    return [*weights[:-1], weights[-1] + left_over]


LeftoverAtCentre, RoundedDown = _on(_leftover_at_centre), _on(_rounded_down)
LastTooSmall, SmallCentre = _on(_last_too_small), _on(_small_centre)


class AtMost(DyadicSample):
    """m <= S_j where it must be m < S_j: one word too many behind each threshold of the bisection."""

    def apply(self, count: int, u: int) -> int:
        up, table = u > self.d >> 1, self.table
        m = self.d - u if up else u - 1
        far = _above(self, m) if m < table.at(table.first) else last_above(lambda j: table.at(j) + 1, table.first, m)
        return min(max(count + far if up else count - far, 0), self.n)


def _above(mechanism: DyadicSample, m: int) -> int:
    """|Z|, by comparison with every threshold."""
    return sum(m < mechanism.table.upper(j) for j in range(1, mechanism.n + 1))


def _noise(mechanism: DyadicSample, u: int) -> int:
    """Z, by comparison with every threshold."""
    up = u > mechanism.d >> 1
    far = _above(mechanism, mechanism.d - u if up else u - 1)
    return far if up else -far


class Reflected(DyadicSample):
    """Noise that leaves 0..n comes back in instead of staying at the end."""

    def apply(self, count: int, u: int) -> int:
        z = count + _noise(self, u)
        return -z if z < 0 else 2 * self.n - z if z > self.n else z


Reversed = reversed_draw(DyadicSample)


class EarlyExit(DyadicSample):
    """The right law by a search that stops at the first threshold that is not above the word."""

    def apply(self, count: int, u: int) -> int:
        up, far = u > self.d >> 1, 0
        m = self.d - u if up else u - 1
        while far < self.n and m < self.table.upper(far + 1):
            far += 1
        return min(max(count + far if up else count - far, 0), self.n)


class ClampedWhereNeeded(DyadicSample):
    """The right law, but the quotient is clamped only for the words that need it."""

    def apply(self, count: int, u: int) -> int:
        up = u > self.d >> 1
        m, table = (u - 1, self.d - u)[up], self.table
        near = last_above(table.at, table.first, m)
        far = self.n - 1 - (m - table.last) // table.tail if m < table.sums[-1] else near
        return min(max(count + far if up else count - far, 0), self.n)


def _sign_apart(mechanism: DyadicSample, count: int, coins: Coins) -> int:
    sign, rest = coins.bits(1), coins.bits(mechanism.word - 1)
    return mechanism.apply(count, 1 + (rest + (mechanism.d >> 1) if sign == 1 else rest))


UniformDraw = but(DyadicSample, release=lambda self, count, coins: self.apply(count, coins.uniform(self.d)))
"""The right law from uniform(2^B), for which strict coins read 128 bits more than it needs."""
SignApart = but(DyadicSample, release=_sign_apart)
"""The right law from two draws, one of them the sign."""
OtherRange = but(
    DyadicSample, release=lambda self, count, coins: self.apply(count, 1 + min(coins.uniform(self.d + 1) - 1, self.d - 1))
)
"""A draw from a range that is no power of two, as the other mechanisms make it."""


class TheoremsAccuracy(DyadicSample):
    """The bound of the ideal geometric law in place of the exact accuracy."""

    def accuracy(self, beta: RationalLike) -> Accuracy:
        b = probability(beta, "beta", zero=False)
        return Accuracy(ceil_power(self.table.ratio, mpq(1, b)), b, "counting", "FD.Dyadic.accuracy")


TwoTailsAlways = but(DyadicSample, missed=lambda self, a: self.table.upper(a + 1) * 2 * (a < self.n))
"""Both tails counted even where no count has room for both."""
OneTail = but(DyadicSample, missed=lambda self, a: self.table.upper(a + 1))
"""One tail counted where a count has room for both."""
