"""Order statistics of independent integer draws."""

from collections.abc import Sequence

from finitedp.exact import integer
from finitedp.spec.convolution import approx_binomial
from finitedp.spec.pmf import Pmf, product

__all__ = ["approx_top_order_statistics", "order_statistic", "order_statistics", "top_order_statistics"]


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


def approx_top_order_statistics(values: Sequence[int], m: int, s: int) -> Pmf[tuple[int, ...]]:
    """The law of ApproxOrdSample: for v from n to 1, how many of the values left equal v by the law of ApproxBinSample.

    Source: BV.Alg6.20. Parameters: values F(0), ..., F(n), non-decreasing integers with F(0) >= 1; n + 1 <= m <= s.
    """
    n = len(values) - 1

    def with_value(found: tuple[int, ...], v: int) -> Pmf[tuple[int, ...]]:
        left, room = m - len(found), n + 1 - len(found)
        number = approx_binomial(left, values[v] - values[v - 1], values[v], room, s)
        return number.pushforward(lambda k: found + (v,) * k)

    law: Pmf[tuple[int, ...]] = Pmf.point(())
    for v in range(n, 0, -1):
        law = law.then(lambda found, v=v: with_value(found, v))  # type: ignore[misc]
    return law.pushforward(lambda found: found + (0,) * (n + 1 - len(found)))
