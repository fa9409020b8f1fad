"""Mixing a mechanism with a fixed law (Section 3 of Balcer and Vadhan)."""

from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

from attrs import field, frozen
from gmpy2 import mpq

from finitedp.exact import RationalLike, unit_fraction
from finitedp.impl.coins import Coins

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

        Cost: both outputs are drawn on every path and one is kept, so that the choice shows in no count of draws.
        """
        from_base, from_alternative = self.base(data, coins), self.alternative(coins)
        return from_alternative if coins.uniform(int(self.gamma.denominator)) <= 1 else from_base
