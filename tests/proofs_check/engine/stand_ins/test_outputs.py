"""finitedp.proofs_check.engine.stand_ins.outputs: outputs with their types, as values."""

import copy
import dataclasses
import enum
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from itertools import combinations
from typing import Any, NamedTuple

import attrs
import numpy as np
import pytest
from attrs import define
from gmpy2 import mpq, mpz

from finitedp import PrivacyClaim
from finitedp.errors import ExplorationError, ParameterError
from finitedp.proofs_check import checker
from finitedp.proofs_check.audit.auditing import audit
from finitedp.proofs_check.audit.certificate import certificate
from finitedp.proofs_check.audit.laws import explored, types_of
from finitedp.proofs_check.engine.limits import Budget
from finitedp.proofs_check.engine.stand_ins.outputs import Frozen, freeze


class Colour(enum.Enum):
    RED = 1


@dataclasses.dataclass
class Point:
    x: Any
    y: Any = dataclasses.field(default=0, compare=False)


@define
class Pair:
    x: Any


class Named(NamedTuple):
    x: Any


class Other(NamedTuple):
    x: Any


@pytest.mark.parametrize(
    "value", [1, True, "1", b"1", None, mpq(1, 2), Fraction(1, 2), Colour.RED, (1, ("a",)), frozenset({1})]
)
def test_plain_values_are_their_own(value: Any) -> None:
    assert freeze(value) == value
    assert type(freeze(value)) is type(value)


def test_an_mpz_is_an_int() -> None:
    assert type(freeze(mpz(1))) is int


LOOK_ALIKE = [
    1.0,
    np.int64(1),
    np.int32(1),
    np.float64(1),
    np.float32(1),
    np.True_,
    [1],
    (1,),
    {1},
    frozenset({1}),
    {1: 1},
    {1: True},
    [True],
    np.array([1]),
    np.array([1.0]),
    np.array([[1]]),
    np.array(1),
    np.array(["1"]),
    np.array([1], dtype=object),
    np.array([True], dtype=object),
    Point(1),
    Point(1, 1),
    Pair(1),
    Named(1),
    Other(1),
    -0.0,
    0.0,
    {"a": 1, "b": 2},
    {"b": 2, "a": 1},
]


def test_values_that_look_alike_are_told_apart() -> None:
    """Equal to Python or not, with equal entries or not: no two of these are one output."""
    frozen = [freeze(value) for value in LOOK_ALIKE]
    alike = [(x, y) for x, y in combinations(range(len(frozen)), 2) if frozen[x] == frozen[y]]
    assert [(LOOK_ALIKE[x], LOOK_ALIKE[y]) for x, y in alike] == []


@pytest.mark.parametrize("value", LOOK_ALIKE)
def test_equal_values_of_equal_types_are_one_output(value: Any) -> None:
    again = copy.copy(value)
    assert freeze(value) == freeze(again)
    assert hash(freeze(value)) == hash(freeze(again))
    assert types_of(freeze(value)) == types_of(freeze(again))


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ([1, "a"], "[1, 'a']"),
        ({"a": [1.5]}, "{'a': [1.5]}"),
        ({2, 1}, "{1, 2}"),
        (set(), "set()"),
        (np.array([1, 2]), "array([1, 2], dtype=int64)"),
        (np.int64(3), "np.int64(3)"),
        (Point(1, 2), "Point(x=1, y=2)"),
        (Named(1), "Named(x=1)"),
    ],
)
def test_they_are_written_as_python_writes_them(value: Any, shown: str) -> None:
    assert repr(freeze(value)) == shown


def holding_itself() -> list[Any]:
    value: list[Any] = []
    value.append(value)
    return value


class Plain:
    """Without a say on what its equal values are."""


class Sly(int):
    """An int that may look different."""


@dataclasses.dataclass
class Listed(list[int]):
    """A dataclass that holds more than its fields."""

    x: int = 0


class WithASlot(Pair):
    __slots__ = ("more",)


class Open(Named):
    """A named tuple that takes attributes."""


class Short(tuple[int, ...]):
    _fields = ("x",)
    __slots__ = ()


class Bare(tuple[int, ...]):
    """A tuple of another class."""


class HasFields:
    _fields = ("x",)


@attrs.frozen(cache_hash=True)
class Hashed:
    x: int


def with_a_slot() -> WithASlot:
    pair = WithASlot(1)
    pair.more = 2  # type: ignore[attr-defined]
    return pair


def with_an_attribute() -> Open:
    value = Open(1)
    value.more = 2  # type: ignore[attr-defined]
    return value


def with_more() -> Point:
    point = Point(1)
    point.z = 2  # type: ignore[attr-defined]
    return point


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (holding_itself(), "a list that holds itself"),
        (Plain(), "a Plain, whose equal values may look different"),
        (Sly(1), "a Sly, whose equal values"),
        (Decimal(1), "a Decimal, whose equal values"),
        ([range(2)], "a range, whose equal values"),
        (with_more(), "a Point with attributes besides its fields"),
        (with_a_slot(), "a WithASlot with attributes besides its fields"),
        (with_an_attribute(), "a Open with attributes besides its fields"),
        (Listed(1), "a Listed, which is made of a built-in type"),
        (np.array([Plain()], dtype=object), "a Plain, whose equal values"),
        (np.ma.array([1]), "a MaskedArray, whose equal values"),
        (np.zeros(10_001), "an array of 10,001 values"),
        (np.array(["2020-01-01"], dtype="datetime64[D]"), "of type datetime64"),
        (np.complex128(1), "a numpy scalar of type complex128"),
    ],
)
def test_what_may_look_different_is_refused(value: Any, message: str) -> None:
    with pytest.raises(ExplorationError, match=message):
        freeze(value)


def test_what_holds_its_fields_alone_is_taken() -> None:
    for value in (WithASlot(1), Open(1), Hashed(1)):
        assert repr(freeze(value)) == f"{type(value).__name__}(x=1)"
    hash(one := Hashed(1))
    assert freeze(one) == freeze(Hashed(1)) != freeze(Hashed(2))
    with pytest.raises(ValueError, match="zip"):
        freeze(Short((1, 2)))
    assert freeze(np.zeros(10_000)) == freeze(np.zeros(10_000))
    for other in (Bare((1,)), HasFields()):
        with pytest.raises(ExplorationError, match="whose equal values may look different"):
            freeze(other)


def in_lists(depth: int) -> list[Any]:
    """A list in as many lists."""
    value: list[Any] = []
    for _ in range(depth):
        value = [value]
    return value


def test_how_deep_an_output_may_be() -> None:
    assert repr(freeze(in_lists(100))) == repr(in_lists(100))
    with pytest.raises(ExplorationError, match="a list that holds itself"):
        freeze(in_lists(101))
    twice = [1]
    assert freeze([twice, twice]) == freeze([[1], [1]])


def law(mechanism: Callable[..., Any], data: Any = 0) -> Any:
    return explored(mechanism, data, "random", "tuple", Budget()).law.probabilities


def test_lazy_parts_of_an_output_are_decided() -> None:
    found = law(lambda _data, rng: {"bits": [rng.getrandbits(1)], "word": (rng.randrange(2), frozenset({rng.randrange(2)}))})
    assert len(found) == 8
    assert set(found.values()) == {mpq(1, 8)}
    assert law(lambda _data, rng: Point(rng.getrandbits(1), round(rng.random(), 0))).keys() == {
        freeze(Point(x, y)) for x in (0, 1) for y in (0.0, 1.0)
    }
    assert law(lambda _data, rng: Fraction(rng.randrange(2), 3)) == {Fraction(0): mpq(1, 2), Fraction(1, 3): mpq(1, 2)}


def test_an_output_that_changes_after_it_is_returned_is_noticed() -> None:
    kept: list[list[int]] = []

    def mechanism(_data: Any, rng: Any) -> list[int]:
        bit = int(rng.getrandbits(1))
        for earlier in kept:
            earlier[:] = [7]
        kept.append([bit])
        return kept[-1]

    with pytest.raises(ExplorationError, match=r"the output \[[01]\] was changed after it was returned"):
        law(mechanism)


def test_an_audit_of_lists_and_arrays_is_checked_by_the_lone_checker() -> None:
    def response(data: Any, rng: Any) -> Any:
        bits = [data[0] if rng.random() < 0.75 else 1 - data[0]]
        return {"bits": np.array(bits), "float": float(bits[0])}

    found = audit(response, PrivacyClaim("11/10", "replace-one"), n=1, universe=[0, 1], style="random")
    assert found.private == "holds"
    assert found.worst_ratio == mpq(3)
    assert checker.check(certificate(found)) is None


@pytest.mark.parametrize(("kind", "verdict"), [(float, "equal"), (int, "differs")])
def test_a_specified_law_may_have_floats(kind: type, verdict: str) -> None:
    specified = {(x,): {kind(x): "3/4", kind(1 - x): "1/4"} for x in (0, 1)}
    found = audit(
        lambda data, rng: float(data[0] if rng.randrange(4) else 1 - data[0]),
        PrivacyClaim("11/10", "replace-one"),
        n=1,
        universe=[0, 1],
        style="random",
        specified=specified,
    )
    assert found.law == verdict


def test_one_and_true_at_different_inputs_are_refused() -> None:
    with pytest.raises(ParameterError, match="of different types, int and bool"):
        audit(lambda data, _rng: True if data[0] else 1, PrivacyClaim(1, "replace-one"), n=1, universe=[0, 1], style="random")


def test_a_float_and_an_int_are_two_outputs() -> None:
    found = audit(
        lambda data, _rng: 1.0 if data[0] else 1, PrivacyClaim(1, "replace-one"), n=1, universe=[0, 1], style="random"
    )
    assert found.worst_ratio == "infinite"
    assert isinstance(freeze(1.0), Frozen)
