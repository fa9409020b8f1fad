"""Order statistics of independent integer draws."""

from collections.abc import Sequence

from finitedp.exact import integer
from finitedp.spec.pmf import Pmf, product

__all__ = ["order_statistic", "order_statistics", "top_order_statistics"]


def order_statistics(laws: Sequence[Pmf[int]]) -> Pmf[tuple[int, ...]]:
    """The joint law of all draws sorted in increasing order. Source: BV.Def2.11. Cost: the product of the supports."""
    return product(laws).pushforward(lambda draws: tuple(sorted(draws)))


def order_statistic(laws: Sequence[Pmf[int]], i: int) -> Pmf[int]:
    """The law of the i-th smallest of the draws. Source: BV.Def2.11. Parameters: i in 1..len(laws)."""
    position = integer(i, "i", 1, len(laws)) - 1
    return order_statistics(laws).pushforward(lambda draws: draws[position])


def top_order_statistics(law: Pmf[int], m: int, top: int) -> Pmf[tuple[int, ...]]:
    """The joint law of the `top` largest of m independent draws from one law, largest first.

    Source: BV.Prop6.6, (Z_(m), ..., Z_(m-top+1)). Parameters: 1 <= top <= m. Cost: the support to the power m.
    """
    kept = integer(top, "top", 1, integer(m, "m", at_least=1))
    return order_statistics([law] * m).pushforward(lambda draws: draws[::-1][:kept])
