"""Outputs with their draws decided, and which of them are tails."""

from fractions import Fraction
from operator import neg
from typing import Any, NamedTuple

import pytest
from gmpy2 import mpq

from finitedp.errors import ExplorationError
from finitedp.proofs_check.deciders.partial_law import Tail
from finitedp.proofs_check.engine.lazy.coins import LazyCoins
from finitedp.proofs_check.engine.lazy.rules import Rules
from finitedp.proofs_check.engine.path import plain_output, tail_of


def run() -> Any:
    return LazyCoins(None, lambda _decision: None, Rules(joint=True), 0, None)


def endless(coins: Any) -> Any:
    return coins.endless(mpq(2, 3), mpq(1))


def test_sums_and_differences_of_an_endless_draw_are_tails() -> None:
    coins = run()
    g = endless(coins)
    tails = {0: g, 1: 5 + g, 2: 5 - g, 3: -(5 - g) - 1, 4: neg(neg(2 - g)), 5: neg(neg(neg(2 - g))), 6: g * 1}
    assert {name: tail_of(one, coins.made) for name, one in tails.items()} == {
        0: Tail(0, mpq(2, 3), 1),
        1: Tail(5, mpq(2, 3), 1),
        2: Tail(5, mpq(2, 3), -1),
        3: Tail(-6, mpq(2, 3), 1),
        4: Tail(2, mpq(2, 3), -1),
        5: Tail(-2, mpq(2, 3), 1),
        6: Tail(0, mpq(2, 3), 1),
    }
    assert g < 4  # the likelier answer
    assert tail_of(7 - g, coins.made) is None


def test_what_is_known_of_a_draw_moves_its_tail() -> None:
    coins = run()
    g = endless(coins)
    g.parts()[0].low = 3
    assert tail_of(10 - g, coins.made) == Tail(7, mpq(2, 3), -1)


def test_other_outputs_are_no_tails() -> None:
    coins, other = run(), run()
    g, u = endless(coins), coins.uniform(4)
    for output in (2 * g, g // 2, -g * 2, u, u + 1, 3, "g", endless(other), (g,)):
        assert tail_of(output, coins.made) is None
    assert tail_of(g, coins.made) is not None
    assert tail_of(g, coins.made[1:]) is None
    g.parts()[0].high = 9
    assert tail_of(g, coins.made) is None


class Pair(NamedTuple):
    x: Any
    y: Any


def test_outputs_are_decided_through_and_through() -> None:
    coins = run()
    one = [coins.uniform(1) for _ in range(6)]
    output = plain_output((one[0], Fraction(one[1] + 4, 3), Pair(one[2], frozenset({one[3]})), ((one[4],), one[5] - 1)))
    assert output == (1, Fraction(5, 3), (1, frozenset({1})), ((1,), 0))
    kept: Any = output
    assert type(kept[2]) is Pair
    assert {type(x) for x in (kept[0], kept[1].numerator, kept[2].x, *kept[2].y, *kept[3][0], kept[3][1])} == {int}


@pytest.mark.parametrize(
    ("output", "message"), [(1.5, "the float 1.5"), ((1, 2j), "the complex 2j"), ([1], "is a list, which is not hashable")]
)
def test_what_is_no_output_is_refused(output: Any, message: str) -> None:
    with pytest.raises(ExplorationError, match=message):
        plain_output(output)
