"""What the allowlist lets pass, instruction by instruction; and what is an objection, with its place."""

import warnings
from collections.abc import Callable, Iterator
from types import FunctionType
from typing import Any, cast

import pytest

from finitedp.proofs_check.engine.alone.allowlist import ATTRIBUTES, as_int, known_elsewhere, reads
from finitedp.proofs_check.engine.alone.keys import NotPureError
from tests.proofs_check.engine.alone.cells import cell
from tests.proofs_check.engine.alone.test_keys import made

COUNTER: Any = None


def inverts(coins: Any, x: int, y: int) -> bool:
    return x is -y


def negates(coins: Any, x: bool, y: bool) -> bool:
    return x is (not y)


def is_fixed(coins: Any, x: Any) -> tuple[bool, bool, bool]:
    return x is None, x is not True, x is False


def is_dots(coins: Any, x: Any) -> bool:
    return x is ...


def is_chosen(coins: Any, x: Any, y: Any) -> bool:
    return x is (y if coins else None)


def is_more(coins: Any, x: Any, y: Any) -> bool:
    return bool(-x < 3) or x < y is x


def makes_one_at_times(coins: Any, k: int) -> Any:
    return coins or (lambda: k)


def sets_a_global_one() -> None:
    COUNTER.number = 1


def sets_its_rest(*given: Any) -> None:
    given.number = 1  # type: ignore[attr-defined]


def sets_a_second_one(self: Any, other: Any) -> None:
    other.number = 1


def sets_of_two(self: Any, other: Any) -> None:
    (self or other).number = 1


def sets_a_private_one(self: Any) -> None:
    self.__dict__ = {}


def sets_its_own(self: Any, x: int) -> None:
    a = zero = x
    self.number = a + zero


def sets_after_deleting(self: Any, x: int) -> None:
    self.number = x
    del self


@pytest.mark.parametrize(
    ("function", "objection", "places"),
    [
        (inverts, "asks whether two values are one object", ["Compare"]),
        (negates, "asks whether two values are one object", ["Compare"]),
        (is_dots, "asks whether two values are one object", ["Compare"]),
        (is_chosen, "asks whether two values are one object", ["Compare"]),
        (is_more, "asks whether two values are one object", ["Compare"]),
        (makes_one_at_times, "makes a function with defaults or a closure", ["Name", "Lambda"]),
        (sets_a_global_one, "deletes the attribute", ["Assign"]),
        (sets_its_rest, "deletes the attribute", ["Assign"]),
        (sets_a_second_one, "deletes the attribute", ["Assign"]),
        (sets_of_two, "deletes the attribute", ["Assign"]),
        (sets_a_private_one, "deletes the attribute", ["Assign", "Dict"]),
        (sets_after_deleting, "deletes the attribute", ["Assign"]),
    ],
)
def test_objections_have_their_place(function: Callable[..., Any], objection: str, places: list[str]) -> None:
    code, read = function.__code__, reads(cast(FunctionType, function))
    found = list(read.objections.values())
    assert objection in str(found)
    assert [type(node).__name__ for node in read.objections] == places
    assert not read.stores
    assert f"{code.co_name}() in {code.co_filename}:" in found[0]


@pytest.mark.parametrize("constant", ["1", "0", "1.0", "'text'", "()"])
def test_other_constants_are_no_fixed_objects(constant: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)
        function = cell(f"def f(coins, x): return x is {constant}")["f"]
        assert "asks whether two values are one object" in str(reads(function).objections)


def test_what_has_no_objection() -> None:
    assert reads(cast(FunctionType, is_fixed)).objections == {}
    assert reads(cast(FunctionType, sets_its_own)).objections == {}
    assert [name for _, name in reads(cast(FunctionType, sets_its_own)).stores] == ["number"]


@pytest.mark.parametrize(
    ("text", "objection"),
    [
        ("def f(self): self.number = 1", None),
        ("def self(self): self.number = 1", None),
        ("def f(self):\n    def self(x): return x\n    self.number = 1", "sets or deletes the attribute number"),
        ("def f(coins, x): return x in {1, 2}", None),
        ("def f(coins, x): return x not in {1, 2}", None),
        ("def f(coins, x): return x in coins", None),
        ("def f(coins, k):\n    g = lambda x: x + 1\n    return g(k)", None),
        ("def f(coins): return lambda x: lambda y: y", "makes a function within a function"),
        ("def f(coins):\n    @abs\n    def g(x): return x\n    return g", "or one that is decorated"),
        ("def f(coins):\n    def g(x) -> int: return x\n    return g", "or one that is decorated"),
        ("def f(coins, x): return x == {1, 2}", "does more than to store locals (Set)"),
    ],
)
def test_which_names_are_its_own_and_where_sets_may_stand(text: str, objection: str | None) -> None:
    function = next(value for value in cell(text).values() if isinstance(value, FunctionType))
    found = reads(function).objections
    assert objection is None or any(objection in each for each in found.values())
    assert bool(found) == (objection is not None)


def test_a_function_within_has_the_first_of_its_objections() -> None:
    found = reads(cell("def f(coins, k): return lambda: (k, 'text')")["f"]).objections
    assert ["closure" in text for node, text in found.items() if type(node).__name__ == "Lambda"] == [True]
    assert "has the text" in str(found)


@pytest.mark.parametrize("inside", [False, True])
def test_where_attributes_of_its_own_are_set(inside: bool) -> None:
    within = "def f(self, x):\n    if x:\n        while x:\n            self.number = 1"
    text = within if inside else "def f(self): self.number = 1"
    ((statement, name),) = reads(cell(text)["f"]).stores
    assert (type(statement).__name__, name) == ("Assign", "number")


def test_whether_it_handles_exceptions() -> None:
    assert reads(cell("def f(x):\n    try: return x\n    except ValueError: return 1")["f"]).catches
    assert not reads(cell("def f(x): return x")["f"]).catches


def variadic(coins: Any, *given: int, **named: int) -> Any:
    return [x + 1 for x in given]


def generates(coins: Any) -> Iterator[int]:
    yield 1


async def waits(coins: Any) -> int:
    return 1


async def generates_and_waits(coins: Any) -> Any:
    yield 1


def why_not(function: Any) -> str | None:
    """Why a function is not read, if it is not."""
    try:
        assert not reads(function).objections
    except NotPureError as error:
        return str(error)
    return None


def test_kinds_of_functions_that_are_read() -> None:
    assert why_not(variadic) is None
    assert why_not(cell("from __future__ import annotations, generator_stop\ndef f(x): return x")["f"]) is None
    assert why_not(cell("def f(*, x): return x")["f"]) is None
    for function in (generates, waits, generates_and_waits):
        assert why_not(function) == f"{function.__name__}() is a generator or a coroutine"

    def encloses() -> int:
        return len(made_here)

    made_here: list[int] = []
    assert why_not(encloses) == "encloses() has a closure"
    assert "is not what its source" in (why_not(test_kinds_of_functions_that_are_read) or "")  # pytest has rewritten it


def test_no_known_attribute_changes_a_thing_of_pythons() -> None:
    for kind in (list, dict, set, bytearray, type, FunctionType):
        assert not ATTRIBUTES & vars(kind).keys(), kind


def test_names_of_attributes_that_other_things_have() -> None:
    """Known ones may be given again; what reads attributes by a text may not."""
    for name in ("format", "format_map", "seed", "gauss", "__index__", "_chain", "endless", "mro", "output", "path"):
        assert known_elsewhere(name), name
    for name in ("uniform", "choice", "numerator", "word", "my_own"):
        assert not known_elsewhere(name), name


def test_int_of_what_is_no_draw_is_int() -> None:
    assert (as_int("12"), as_int("12", 8), as_int("12", base=3), as_int(2.5), as_int()) == (12, 10, 5, 2, 0)

    def seven(_self: Any) -> int:
        return 7

    def eight(_self: Any) -> int:
        return 8

    assert as_int(made("another", "Has", as_int=seven, __int__=eight)) == 8
    assert as_int(made("another", "Holds", _holds_lazy=True, __int__=eight)) == 8
    assert as_int(made("another", "Claims", _holds_lazy=1, as_int=seven, __int__=eight)) == 8
    assert as_int(made("another", "Draws", _holds_lazy=True, as_int=seven, __int__=eight)) == 7
