"""Mixing a mechanism with a fixed law (Section 3 of Balcer and Vadhan)."""

from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

from attrs import field, frozen
from gmpy2 import mpq

from finitedp.exact import RationalLike, unit_fraction
from finitedp.impl.randomness.coins import Coins, UnusedDraws, checked_coins

__all__ = ["Mixed"]

D = TypeVar("D")
R = TypeVar("R", bound=Hashable)


def _gamma(value: RationalLike) -> mpq:
    return mpq(1, unit_fraction(value, "gamma"))


@frozen
class Mixed(Generic[D, R]):
    """With probability 1 - gamma the base mechanism's output, else a draw from a law that does not see the data.

    Source: BV.Alg3.1, BV.Lem3.2.
    Parameters: base, a function of data and coins; alternative, a function of coins; gamma = 1/g.
    """

    base: Callable[[D, Coins], R]
    alternative: Callable[[Coins], R]
    gamma: mpq = field(converter=_gamma)

    def release(self, data: D, coins: Coins) -> R:
        """(1 - gamma) * law of base(data) + gamma * law of alternative. Source: BV.Alg3.1.

        Cost: it is drawn first which output is kept; both are computed on every path, and the draws for the other one are made
        and not used, so that the choice shows in no count of draws.
        """
        from_alternative = checked_coins(coins).uniform(int(self.gamma.denominator)) <= 1
        base = self.base(data, UnusedDraws(coins, not from_alternative))
        alternative = self.alternative(UnusedDraws(coins, from_alternative))
        return alternative if from_alternative else base
