"""finitedp.spec.order_statistics: by hand, and against literal enumeration."""

from itertools import pairwise, product
from math import prod

import pytest
from gmpy2 import mpq
from hypothesis import given
from hypothesis import strategies as st

from finitedp.errors import ParameterError
from finitedp.spec.divergence import total_variation
from finitedp.spec.order_statistics import (
    approx_top_order_statistics,
    order_statistic,
    order_statistics,
    top_order_statistics,
)
from finitedp.spec.pmf import Pmf

COIN = Pmf({0: 1, 1: 1})


def law_of(values: tuple[int, ...]) -> Pmf[int]:
    """The law with the distribution function values / values[-1]."""
    return Pmf({z: high - low for z, (low, high) in enumerate(pairwise((0, *values)))})


def test_two_coins_by_hand() -> None:
    assert order_statistics([COIN, COIN]) == Pmf({(0, 0): 1, (0, 1): 2, (1, 1): 1})
    assert order_statistic([COIN, COIN], 1) == Pmf({0: 3, 1: 1})
    assert order_statistic([COIN, COIN], 2) == Pmf({0: 1, 1: 3})
    assert top_order_statistics(COIN, 3, 2) == Pmf({(0, 0): 1, (1, 0): 3, (1, 1): 4})
    assert top_order_statistics(COIN, 3, 3) == order_statistics([COIN] * 3).pushforward(lambda z: z[::-1])


def test_draws_need_not_have_the_same_law() -> None:
    assert order_statistics([Pmf.point(2), COIN]) == Pmf({(0, 2): 1, (1, 2): 1})
    assert order_statistic([Pmf.point(2), COIN, Pmf.point(-1)], 2) == COIN


@given(st.lists(st.integers(1, 9), min_size=1, max_size=4), st.integers(1, 4), st.data())
def test_top_order_statistics_by_enumeration(steps: list[int], m: int, data: st.DataObject) -> None:
    top = data.draw(st.integers(1, m))
    weights: dict[tuple[int, ...], int] = {}
    for draws in product(range(len(steps)), repeat=m):
        largest = tuple(sorted(draws, reverse=True)[:top])
        weights[largest] = weights.get(largest, 0) + prod(steps[z] for z in draws)
    assert top_order_statistics(Pmf(dict(enumerate(steps))), m, top) == Pmf(weights)


@pytest.mark.parametrize("i", [0, 3, -1])
def test_a_place_out_of_range(i: int) -> None:
    with pytest.raises(ParameterError, match=f"i = {i} is out of range; accepted: an integer from 1 to 2"):
        order_statistic([COIN, COIN], i)


@pytest.mark.parametrize(("m", "top", "message"), [(2, 3, "top = 3"), (2, 0, "top = 0"), (0, 1, "m = 0")])
def test_more_of_the_largest_than_draws(m: int, top: int, message: str) -> None:
    with pytest.raises(ParameterError, match=f"{message} is out of range"):
        top_order_statistics(COIN, m, top)


def test_approximate_order_statistics_by_hand() -> None:
    # one value above 0 with probability 1/2, two draws, s = 8: d = (2, 4), and 2 is left
    assert approx_top_order_statistics((1, 2), 2, 8) == Pmf({(0, 0): 2, (1, 0): 4, (1, 1): 2})
    # the same at s = 5: p' = 2, (3, 2)^2/5 = (1.8, 2.4), floored (1, 2), and 2 is left
    assert approx_top_order_statistics((1, 2), 2, 5) == Pmf({(0, 0): 1, (1, 0): 2, (1, 1): 2})
    # always n
    assert approx_top_order_statistics((1, 1, 1), 9, 10) == Pmf.point((0, 0, 0))


def test_a_law_that_divides_s_is_met_exactly_by_two_draws() -> None:
    assert approx_top_order_statistics((1, 2), 2, 2**20) == top_order_statistics(COIN, 2, 2)


@given(st.lists(st.integers(0, 9), min_size=1, max_size=2), st.integers(0, 3), st.integers(0, 3000))
def test_approximate_order_statistics_are_as_near_as_stated(rises: list[int], more: int, s: int) -> None:
    values = tuple(1 + sum(rises[:i]) for i in range(len(rises) + 1))
    n, m = len(rises), len(rises) + 1 + more
    law = approx_top_order_statistics(values, m, s + m)
    assert all(list(z) == sorted(z, reverse=True) and len(z) == n + 1 and 0 <= min(z) <= max(z) <= n for z in law)
    assert total_variation(law, top_order_statistics(law_of(values), m, n + 1)).distance <= mpq(m * (n * n + 2 * n), s + m)


def test_more_draws_than_s() -> None:
    with pytest.raises(ParameterError, match="m = 9 is out of range; accepted: an integer from 1 to 8"):
        approx_top_order_statistics((1, 2), 9, 8)
