"""Keys of plain values: equal for equal values of equal types only, and of nothing else."""

from fractions import Fraction
from types import FunctionType
from typing import Any

import numpy as np
import pytest
from gmpy2 import mpq, mpz

from finitedp.proofs_check.engine.alone.keys import NotPlainError, NotPureError, typed, untyped
from finitedp.proofs_check.engine.alone.reach import environment
from finitedp.proofs_check.engine.explorer import explore

PLAIN = [
    *(3, True, "3", b"3", None, 3.5, -0.0, 0.0, float("inf"), mpz(3), mpq(3, 7), Fraction(-3, 7)),
    *(np.bool_(True), np.float64(0.1), np.float64(-0.0), np.int8(-3), np.uint16(3), np.int64(-(2**63)), np.uint64(2**64 - 1)),
    *((), (1, (2.5, mpz(7)), np.int32(2)), ("tuple",)),
]


@pytest.mark.parametrize("value", PLAIN, ids=repr)
def test_a_value_is_made_again_from_its_key(value: Any) -> None:
    again = untyped(typed(value))
    assert type(again) is type(value)
    assert repr(again) == repr(value)
    assert hash(typed(value)) == hash(typed(again))


def test_keys_of_different_values_differ() -> None:
    assert len({typed(value) for value in PLAIN}) == len(PLAIN)


class Equal(type):
    """Classes that say that they equal every other one."""

    def __eq__(cls, _other: object) -> bool:
        return True

    def __hash__(cls) -> int:
        return hash(float)


class Forged(metaclass=Equal):
    value = 0


def test_a_class_that_equals_a_known_one_is_another() -> None:
    with pytest.raises(NotPlainError, match=r"^a Forged$"):
        typed(Forged())
    with pytest.raises(NotPlainError, match=r"^a Forged$"):
        typed((1, Forged()))
    with pytest.raises(NotPureError, match=r"^<lambda>\(\) reads the global FORGED, a Forged$"):
        environment(FunctionType((lambda coins: FORGED).__code__, {"FORGED": Forged()}, "f"))  # type: ignore[name-defined]  # noqa: F821


def made(module: str, name: str, **content: Any) -> Any:
    return type(name, (), {"__module__": module, **content})()


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (np.float32(1), "float32"),
        (np.complex128(1), "complex128"),
        (np.str_("a"), "str_"),
        (np.zeros(1), "ndarray"),
        (made("another", "int64", item=lambda _self: 3), "int64"),
        (made("numpy", "int64", item=lambda _self: 3), "int64"),
        (made("another", "Has", as_int=lambda _self: 3, decided=lambda _self: 3), "Has"),
        (made("another", "Holds", _holds_lazy=True, decided=lambda _self: 3), "Holds"),
        (made("another", "Claims", _holds_lazy=1, as_int=lambda _self: 3, decided=lambda _self: 3), "Claims"),
        (3j, "complex"),
        ([3], "list"),
        (type("Integer", (int,), {})(3), "Integer"),
        ((1, [2]), "list"),
    ],
)
def test_what_is_no_plain_value_has_no_key(value: Any, name: str) -> None:
    with pytest.raises(NotPlainError, match=rf"^a {name}$"):
        typed(value)


def test_what_holds_a_draw_counts_as_what_it_is_decided_to_be() -> None:
    holds = {"_holds_lazy": True, "as_int": lambda _self: 9, "decided": lambda _self: 3}
    assert typed((made("another", "Draws", **holds), 1)) == typed((3, 1))


def test_a_draw_counts_as_the_integer_that_it_will_be() -> None:
    law = explore(lambda coins: typed((coins.uniform(3), 1)) == typed((2, 1))).law()
    assert (law[True], law[False]) == (mpq(1, 3), mpq(2, 3))
