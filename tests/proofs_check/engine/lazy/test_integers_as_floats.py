"""Draws in the place of a library's numbers, beside floats: the laws of plain integers, as floats round."""

import operator
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any

import pytest
from gmpy2 import mpq

from finitedp.errors import ExplorationError
from finitedp.proofs_check.engine import explorer
from finitedp.proofs_check.engine.stand_ins.standard import StandIn

explore = partial(explorer.explore, undecided=True)
"""With draws of few values undecided, too: else they are numbers at once."""
OPERATIONS: dict[str, Callable[[Any, Any], Any]] = {
    name: getattr(operator, name) for name in ("add", "sub", "mul", "truediv", "lt", "le", "gt", "ge", "eq", "ne")
}
OTHERS = [0.1, 2.5, -3.0, 3, 7, Fraction(7, 2), mpq(3, 2)]


@pytest.mark.parametrize("other", OTHERS, ids=repr)
@pytest.mark.parametrize("reflected", [False, True])
@pytest.mark.parametrize("name", OPERATIONS)
def test_a_result_lies_where_that_of_the_plain_integer_does(name: str, reflected: bool, other: Any) -> None:

    def result(u: Any) -> Any:
        value = OPERATIONS[name](other, u) if reflected else OPERATIONS[name](u, other)
        return tuple(bool(value < bound) for bound in (-2, 0, 0.3, 0.5, 1, 1.4, 2.6, 5, 8.5))

    expected: dict[Any, mpq] = {}
    for u in range(1, 7):
        expected[result(u)] = expected.get(result(u), mpq(0)) + mpq(1, 6)
    assert explore(lambda coins: result(StandIn(coins).randrange(1, 7))).resolved == expected


@pytest.mark.parametrize("other", ["2", b"2", None, (1,)], ids=repr)
def test_what_cannot_be_divided_raises_as_beside_an_integer(other: Any) -> None:
    for divide in (lambda u: u / other, lambda u: other / u):

        def result(u: Any, divide: Callable[[Any], Any] = divide) -> str:
            try:
                return repr(divide(u))
            except TypeError:
                return "TypeError"

        assert set(explore(lambda coins: result(StandIn(coins).randrange(1, 7))).resolved) == {"TypeError"}


@pytest.mark.parametrize("other", [Fraction(7, 2), mpq(3, 2), -mpq(3, 2), Fraction(-2)], ids=repr)
@pytest.mark.parametrize("reflected", [False, True])
def test_a_quotient_of_what_is_exact_is_exact(reflected: bool, other: Any) -> None:
    def result(u: Any) -> Any:
        value = other / u if reflected else u / other
        return type(value).__name__, value.numerator * 1, value.denominator * 1

    expected: dict[Any, mpq] = {}
    for u in range(1, 7):
        expected[result(u)] = expected.get(result(u), mpq(0)) + mpq(1, 6)
    assert explore(lambda coins: result(StandIn(coins).randrange(1, 7))).resolved == expected


@pytest.mark.parametrize("divide", [lambda u: 2.0 / u < 0.9, lambda u: u / 2.0 < 0.9, lambda u: 2 / u < 0.9])
def test_a_quotient_beside_a_float_stays_undecided(divide: Callable[[Any], bool]) -> None:
    assert explore(lambda coins: bool(divide(StandIn(coins).randrange(1, 10**6)))).leaves == 2


def test_two_draws_are_divided() -> None:
    def program(coins: Any) -> bool:
        rng = StandIn(coins)
        return bool(rng.randrange(1, 4) / rng.randrange(1, 4) < 0.6)

    assert explore(program).resolved[True] == mpq(2, 9)  # 1/2 and 1/3


def test_coins_give_no_floats() -> None:
    divisions: list[Callable[[Any], Any]] = [
        lambda u: u / 2,
        lambda u: 2 / u,
        lambda u: u / 2.0,
        lambda u: u + 0.5,
        lambda u: 0.5 - u,
        lambda u: u * 0.5,
    ]
    for divide in divisions:
        with pytest.raises(ExplorationError, match="leaves the exact integers"):
            explore(lambda coins: divide(coins.uniform(4)) < 3)  # noqa: B023
