"""finitedp.proofs_check.engine.lazy.wide_joint: draws of many values that are compared with each other, in closed form."""

from collections.abc import Callable
from itertools import pairwise, product
from math import comb
from typing import Any

import pytest
from gmpy2 import mpq, mpz

from finitedp.errors import BudgetError
from finitedp.proofs_check.engine.explorer import explore
from finitedp.proofs_check.engine.lazy import joint
from finitedp.proofs_check.engine.lazy.wide_joint import MOST_WIDE_DRAWS, Pieces, shift_of
from finitedp.proofs_check.engine.stand_ins.standard import StandIn

WORDS = 2**53


def largest(coins: Any, d: int, m: int) -> int:
    values = [coins.uniform(d) for _ in range(m)]
    return max(range(m), key=lambda i: values[i])


def smallest_and_more(coins: Any, d: int, m: int) -> tuple[Any, ...]:
    values = [coins.uniform(d) + i for i in range(m)]
    i = min(range(m), key=lambda i: values[i])
    return i, values[i] <= d // 3, values[(i + 1) % m] > d // 2


def rising(coins: Any, d: int, m: int) -> tuple[bool, ...]:
    values = [coins.uniform(d + i) for i in range(m)]
    return (*(x < y for x, y in pairwise(values)), values[0] < d // 3, values[-1] >= d // 2)


def star(coins: Any, d: int, m: int) -> int:
    """How many are at most two above the first, before the first that is not."""
    values = [coins.uniform(d) for _ in range(m)]
    return next((i for i in range(1, m) if not values[i] <= values[0] + 2), m)


def both_ways(coins: Any, d: int, _m: int) -> tuple[bool, ...]:
    x, y = coins.uniform(d), coins.uniform(d)
    return x < y, x + 3 <= y, y + 1 < x, x == y, x < d // 2


@pytest.mark.parametrize("program", [largest, smallest_and_more, rising, star, both_ways])
@pytest.mark.parametrize(("d", "m"), [(1, 2), (2, 3), (3, 4), (7, 3), (11, 2)])
def test_laws_are_those_of_listing_all_values(program: Any, d: int, m: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each draw that can take two values or more counts as wide."""
    listed = explore(lambda coins: program(coins, d, m)).law()
    monkeypatch.setattr(joint, "MOST_VALUES", 1)
    assert explore(lambda coins: program(coins, d, m), joint=True).law() == listed


def power_sum(n: int, k: int) -> mpq:
    """1^k + ... + n^k, by telescoping instead of Bernoulli's numbers."""
    if k == 0:
        return mpq(n)
    return (mpq(n + 1) ** (k + 1) - 1 - sum((comb(k + 1, j) * power_sum(n, j) for j in range(k)), mpq(0))) / (k + 1)


@pytest.mark.parametrize("m", [2, 3, 5])
def test_the_first_of_the_largest_of_words_of_53_bits(m: int) -> None:
    """The i-th is the first largest at the value v with v^(m - 1 - i) values for those after it, (v - 1)^i before it."""
    law = explore(lambda coins: largest(coins, WORDS, m), joint=True).law()
    assert law[0] == power_sum(WORDS, m - 1) / WORDS**m
    assert law[m - 1] == power_sum(WORDS - 1, m - 1) / WORDS**m
    assert sum((law[i] for i in range(m)), mpq(0)) == 1


def test_two_uniform_floats_are_compared() -> None:
    law = explore(lambda coins: StandIn(coins).random() < StandIn(coins).random(), joint=True).law()
    assert law[True] == mpq(WORDS - 1, 2 * WORDS)
    law = explore(lambda coins: StandIn(coins).random() == StandIn(coins).random(), joint=True).law()
    assert law[True] == mpq(1, WORDS)


def circle(x: int, y: int, z: int) -> tuple[bool, ...]:
    return x < y, y < z, x < z


@pytest.mark.parametrize(
    "program",
    [
        lambda coins: 2 * coins.uniform(WORDS) < coins.uniform(WORDS),
        lambda coins: -coins.uniform(WORDS) < coins.uniform(WORDS) - WORDS,
        lambda coins: circle(coins.uniform(WORDS), coins.uniform(WORDS), coins.uniform(WORDS)),
    ],
)
def test_what_is_not_summed_is_refused(program: Callable[[Any], Any]) -> None:
    """Other chains than adding a constant, and a third relation that would close a circle."""
    with pytest.raises(BudgetError, match="needs the value of a draw that can still take about 2"):
        explore(program, joint=True)


@pytest.mark.parametrize(("low", "high"), [(0, 9), (-5, 5), (3, 3), (5, 4)])
def test_sums_of_pieces_are_sums(low: int, high: int) -> None:
    steps = Pieces((-2, 4), ((0, (1,)), (1, (2, 1, 2)), (0, (0, mpq(1, 2)))))
    function = steps.times(steps.moved(1)).minus(Pieces.constant(2))
    for t in range(-9, 14):
        assert function(t) == steps(t) * steps(t + 1) - 2
        assert function.summed(low, high)(t) == sum((function(y) for y in range(low, min(t - 1, high) + 1)), mpq(0))


def test_allowed_values_of_a_neighbour_are_counted() -> None:
    low, high = 2, 6
    sums = Pieces.constant(1).summed(low, high)
    for bounds in product([(True, -1), (True, 2), (False, 0), (False, 3)], repeat=2):
        for t in range(-4, 12):
            listed = [y for y in range(low, high + 1) if all(y >= t + c if above else y <= t + c for above, c in bounds)]
            assert sums.allowed(bounds)(t) == len(listed), (bounds, t)


def test_the_limit_of_the_degree_is_the_stated_one() -> None:
    assert MOST_WIDE_DRAWS == 24


def test_only_added_constants_are_a_shift() -> None:
    assert shift_of((("+", 3), ("+", -5))) == -2
    assert shift_of((("+", mpz(3)), ("+", -5))) == -2
    assert shift_of(()) == 0
    assert shift_of((("+", 3), ("*", 2))) is None
    assert shift_of((("-", 0),)) is None
