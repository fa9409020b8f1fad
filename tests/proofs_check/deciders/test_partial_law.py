"""Laws with unresolved mass and tails: which integers a tail holds, what shares they have, and which laws are compared."""

from decimal import Decimal
from fractions import Fraction as Q
from itertools import product
from math import inf, nan
from typing import Any

import attrs
import pytest
from gmpy2 import mpq, mpz

from finitedp.errors import ParameterError
from finitedp.proofs_check.deciders.partial_law import PartialLaw, Tail, refuse_unlike_tails, unresolved_mass, whole_number
from finitedp.proofs_check.deciders.tails import is_tail
from finitedp.spec.pmf import Pmf


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        *((x, 3) for x in (3, mpz(3), Q(3), 3.0, mpq(3))),
        *((x, None) for x in (Q(7, 2), 3.5, -0.5, inf, -inf, nan, "3", (3,), None, Decimal(3))),
        *((True, 1), (2.0**70, 2**70)),
    ],
)
def test_the_integer_that_an_output_is_equal_to(output: Any, expected: int | None) -> None:
    found = whole_number(output)
    assert (found, type(found)) == (expected, type(expected))


@pytest.mark.parametrize("ratio", [0, 1, "-1/2", "-2", "3/2", 2])
def test_the_ratio_of_a_tail_is_between_0_and_1(ratio: Any) -> None:
    with pytest.raises(ParameterError, match="accepted: a rational above 0 and below 1"):
        Tail(0, ratio)


@pytest.mark.parametrize("direction", [0, 2, -2, True, 1.0, mpz(1), "1"])
def test_a_tail_rises_or_falls(direction: Any) -> None:
    with pytest.raises(ParameterError, match=r"accepted: 1 \(rising\) and -1 \(falling\)"):
        Tail(0, "1/2", direction)


def test_a_tail_is_a_value_that_shows_its_beginning() -> None:
    assert Tail(2, "1/3") == Tail(2, mpq(1, 3), 1) != Tail(2, mpq(1, 3), -1)
    assert len({Tail(2, "1/3"), Tail(2, Q(1, 3)), Tail(3, "1/3"), Tail(2, "1/4")}) == 3
    assert (repr(Tail(2, "1/3")), repr(Tail(2, "1/3", -1))) == ("2, 3, ...", "2, 1, ...")
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        Tail(2, "1/3").first = 3  # type: ignore[misc]


@pytest.mark.parametrize(("first", "direction"), list(product([-3, 0, 4], [1, -1])))
def test_what_a_tail_holds_and_the_share_of_each(first: int, direction: int) -> None:
    """The listed integers, by their places; an output of another type is held, so that none is listed twice, but has none."""
    tail = Tail(first, "2/3", direction)
    shares = {first + place * direction: mpq(1, 3) * mpq(2, 3) ** place for place in range(12)}
    for x in range(first - 11, first + 12):
        assert (x in tail, tail.share(x)) == (x in shares, shares.get(x, 0))
        assert ((mpz(x) in tail), (Q(x) in tail), (float(x) in tail)) == (x in shares,) * 3
        assert [tail.share(y) for y in (mpz(x), Q(x), float(x))] == [0, 0, 0]
        assert x + Q(1, 2) not in tail
        assert str(x) not in tail
    assert (True in tail, False in tail) == (1 in tail, 0 in tail)
    assert tail.share(True) == tail.share(False) == 0


class Alike(type):
    """Classes that say to be equal to every other."""

    def __eq__(cls, _other: object) -> bool:
        return True

    __hash__ = type.__hash__


class Number(int, metaclass=Alike):
    """An integer whose class says to be int."""


def test_a_class_that_says_to_be_another_is_not_that_one() -> None:
    assert Number == int  # noqa: E721  # as it says
    assert (Tail(0, "1/2").share(1), Tail(0, "1/2").share(Number(1))) == (mpq(1, 4), mpq(0))
    with pytest.raises(ParameterError, match="the direction of a tail"):
        Tail(0, "1/2", Number(1))
    assert not is_tail((Number(1), "int"))
    assert is_tail((Tail(0, "1/2"), "int"))


def law(*outputs: Any) -> PartialLaw[Any]:
    return PartialLaw({x: mpq(1, 8) for x in outputs}, mpq(1))


UP, DOWN = Tail(2, "1/2"), Tail(-2, "1/2", -1)


@pytest.mark.parametrize(
    "outputs",
    [
        *((), (0,), (UP,), (DOWN,), (UP, DOWN), (UP, DOWN, 1, 0, -1), (UP, "2", (2,)), (DOWN, 7), (UP, -7), (UP, Q(5, 2))),
        (Tail(0, "1/2"), Tail(-1, "1/2", -1)),
    ],
    ids=str,
)
def test_tails_in_line_are_compared(outputs: tuple[Any, ...]) -> None:
    for split in range(len(outputs) + 1):
        refuse_unlike_tails([law(*outputs[:split]), law(*outputs[split:]), law(*outputs)])


@pytest.mark.parametrize(
    "outputs",
    [
        (UP, Tail(3, "1/2")),
        (UP, Tail(2, "1/3")),
        (DOWN, Tail(-3, "1/2", -1)),
        (UP, DOWN, Tail(-2, "1/3", -1)),
        (Tail(0, "1/2"), Tail(0, "1/3", -1)),
        (Tail(-1, "1/2"), Tail(0, "1/3", -1)),
        (Tail(-5, "1/2"), Tail(5, "1/3", -1)),
        (UP, 2),
        (UP, 9),
        (DOWN, -2),
        (UP, DOWN, -9),
        (UP, True, mpz(3)),
        (DOWN, Q(-4)),
    ],
    ids=str,
)
def test_unlike_tails_and_tails_that_hold_outputs_are_not_compared(outputs: tuple[Any, ...]) -> None:
    """Of one law, or of several."""
    laws = [[law(*outputs)], [law(x) for x in outputs], [law(x) for x in reversed(outputs)]]
    for listed in laws:
        with pytest.raises(ParameterError, match="laws with unlike tails are compared"):
            refuse_unlike_tails(iter(listed))


def test_a_partial_law_as_integers_over_one_denominator() -> None:
    found = PartialLaw({"a": mpq(1, 6), "b": mpq(1, 4), "c": mpq(0)}, mpq(7, 12), ("words",))
    assert (found.total, dict(found.weights)) == (12, {"a": 2, "b": 3})
    assert [found.weight(x) for x in "abcd"] == [2, 3, 0, 0]
    assert found.weights is found.weights
    assert (PartialLaw[str]({}, mpq(1)).total, PartialLaw[str]({"a": mpq(1, 3)}, mpq(2, 3)).total) == (1, 3)
    assert found == PartialLaw(found.probabilities, mpq(7, 12)) != PartialLaw(found.probabilities, mpq(1, 2))
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        found.unresolved = mpq(0)  # type: ignore[misc]


@pytest.mark.parametrize(
    ("outputs", "kind", "expected"),
    [
        (None, "ab", (mpq(3, 4), mpq(1, 4))),
        (None, "c", (0, mpq(1, 4))),
        ("abc", "ab", (mpq(3, 4), mpq(1, 4))),
        ("abc", "abc", (1, 0)),
        ("abc", "", (0, 0)),
        ("ab", "ab", (1, 0)),
        ("ab", "b", (mpq(1, 4), mpq(1, 4))),
    ],
)
def test_the_mass_of_a_kind_of_outputs(outputs: str | None, kind: str, expected: tuple[mpq, mpq]) -> None:
    """Of a law of which a quarter is unresolved, or nothing."""
    declared = None if outputs is None else frozenset(outputs)
    probabilities = {"a": mpq(1, 2), "b": mpq(1, 4)}
    assert PartialLaw(probabilities, mpq(1, 4), outputs=declared).mass(kind.__contains__) == expected
    whole = PartialLaw({"a": mpq(1, 2), "b": mpq(1, 2)}, outputs=declared)
    assert whole.mass("b".__contains__) == (mpq(1, 2), mpq(0))


def test_what_is_unresolved_of_a_law() -> None:
    assert PartialLaw({"a": mpq(1)}).unresolved == 0
    assert unresolved_mass(PartialLaw({"a": mpq(1, 3)}, mpq(2, 3))) == mpq(2, 3)
    assert unresolved_mass(Pmf({"a": 1, "b": 2})) == 0
