"""Lazy integers beside every kind of operand: the laws of plain integers, and what they leave undecided."""

import operator
from collections.abc import Callable
from fractions import Fraction
from typing import Any, cast

import pytest
from gmpy2 import mpq, mpz

from finitedp.proofs_check.engine.explorer import Budget, explore
from finitedp.proofs_check.engine.lazy.coins import LazyCoins
from finitedp.proofs_check.engine.lazy.rules import Rules
from tests.proofs_check.engine.plain_explorer import plain_law

BINARY: dict[str, Callable[[Any, Any], Any]] = {
    **{name: getattr(operator, name) for name in ("add", "sub", "mul", "floordiv", "mod", "and_", "or_", "xor", "lshift")},
    **{name: getattr(operator, name) for name in ("rshift", "lt", "le", "gt", "ge", "eq", "ne")},
    "divmod": divmod,
    "pow": pow,
}
ORDERS = ("lt", "le", "gt", "ge")
BITWISE = ("and_", "or_", "xor", "lshift", "rshift")
OPERANDS = [-3, -1, 0, 1, 2, True, mpz(-2), mpz(0), mpz(3), Fraction(-5, 2), Fraction(3), mpq(7, 2), mpq(0), "2", None, (1, 2)]


def told(function: Callable[..., Any], *operands: Any) -> Any:
    """The result; of one that is no output what it was asked for last; or the kind of error."""
    try:
        result = function(*operands)
        return repr(result) if isinstance(result, float | complex) else result
    except Exception as error:
        if type(error).__module__ != "builtins":
            raise
        return type(error).__name__


@pytest.mark.parametrize("reflected", [False, True])
@pytest.mark.parametrize("name", BINARY)
def test_every_operation_has_the_law_of_plain_integers(name: str, reflected: bool) -> None:
    """On -2..4, of which each value is decided last."""

    def result(u: Any, other: Any) -> Any:
        return told(BINARY[name], other, u) if reflected else told(BINARY[name], u, other)

    other: Any
    for other in OPERANDS:
        if name == "pow" and (reflected or type(other) not in (int, mpz) or other < 0):
            continue  # powers that may be floats
        if name in ORDERS and isinstance(other, str | tuple | type(None)):
            continue  # they are refused
        if name in BITWISE and reflected and type(other) is mpz:
            continue  # as functions they are refused; test_gmpy.py has the operators
        expected: dict[Any, mpq] = {}
        for u in range(-2, 5):
            expected[result(u, other)] = expected.get(result(u, other), mpq(0)) + mpq(1, 7)
        assert explore(lambda coins: result(coins.uniform(7) - 3, other)).resolved == expected, other  # noqa: B023


def drawn(d: int = 7, *, joint: bool = True) -> Any:
    coins: Any = LazyCoins(None, lambda _decision: None, Rules(joint=joint), 0, None)
    return coins.uniform(d)


def test_the_parts_of_an_integer() -> None:
    u = drawn()
    assert u.numerator is u.real is u
    assert (u.denominator, u.imag) == (1, 0)
    assert u.ends() == (1, 7)
    assert (-u).ends() == (-7, -1)
    assert (3 - 2 * u).ends() == (-11, 1)
    assert +u is u
    assert isinstance(u, int)
    assert type(u * 0) is int
    for rounded in (round(u), u.__floor__(), u.__ceil__(), u.__trunc__()):
        assert rounded is u


def test_what_is_monotone_is_no_decision() -> None:
    u = drawn()
    chains = {
        "+": u + 2,
        "r+": 2 + u,
        "-": u - 2,
        "r-": 2 - u,
        "*": u * 3,
        "neg*": u * -3,
        "//": u // 2,
        "neg//": u // -2,
        "<<": u << 2,
        ">>": u >> 1,
        "<<0": u << 0,
        ">>0": u >> 0,
        "r*": 3 * u,
        "mpz": u + mpz(4),
    }
    assert {name: one.ends() for name, one in chains.items()} == {
        "+": (3, 9),
        "r+": (3, 9),
        "-": (-1, 5),
        "r-": (-5, 1),
        "*": (3, 21),
        "neg*": (-21, -3),
        "//": (0, 3),
        "neg//": (-4, -1),
        "<<": (4, 28),
        ">>": (0, 3),
        "<<0": (1, 7),
        ">>0": (1, 7),
        "r*": (3, 21),
        "mpz": (5, 11),
    }
    assert u.ends() == (1, 7)


def test_the_absolute_value_of_what_is_not_negative_is_no_decision() -> None:
    assert abs(drawn() - 1).ends() == (0, 6)
    assert explore(lambda coins: abs(coins.uniform(5) - 1) >= 0).leaves == 1
    assert explore(lambda coins: abs(coins.uniform(5) - 3)).law()[1] == mpq(2, 5)


@pytest.mark.parametrize(("name", "threshold"), [("add", 4), ("sub", 0), ("mul", 4)], ids=str)
def test_of_two_draws_the_bounded_one_is_decided(name: str, threshold: int) -> None:
    """Beside a draw without an end, on either side: four paths for the value, and two for each comparison."""
    operation = BINARY[name]
    for turned in (False, True):

        def program(coins: Any, turned: bool = turned) -> bool:
            u, g = coins.uniform(4), coins.geometric("1/2")
            return bool((operation(g, u) if turned else operation(u, g)) <= threshold)

        found = explore(program, Budget(), joint=True)
        expected = mpq(0)
        for u in range(1, 5):
            for g in range(12):
                if (operation(g, u) if turned else operation(u, g)) <= threshold:
                    expected += mpq(1, 4 * 2 ** (g + 1))
        if name == "sub" and not turned:  # all that are larger
            expected += mpq(1, 2**12)
        assert found.law()[True] == expected
        assert found.leaves <= 8


@pytest.mark.parametrize("shifted", [False, True])
@pytest.mark.parametrize("signs", range(5))
def test_a_draw_without_an_end_is_decided_through_any_number_of_signs(signs: int, shifted: bool) -> None:
    def program(coins: Any) -> int:
        g = coins.geometric("1/2") // 1
        for _ in range(signs):
            g = 1 - g * 1 if shifted else -g
        return int(g)

    found = explore(program, Budget(bits=8, runs=12), joint=True).resolved
    moved = signs % 2 if shifted else 0
    assert found == {moved + (-1) ** signs * k: mpq(1, 2 ** (k + 1)) for k in range(len(found))}
    assert len(found) > 8


def test_a_power_with_a_modulus_that_is_asked_of_the_exponent() -> None:
    """As pow(3, u, 7) asks it, from Python 3.14 on."""
    expected = plain_law(lambda coins: pow(3, coins.uniform(6), 7))
    assert explore(lambda coins: cast(Any, coins.uniform(6)).__rpow__(3, 7)).resolved == expected
