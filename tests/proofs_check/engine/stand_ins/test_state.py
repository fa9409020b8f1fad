"""finitedp.proofs_check.engine.stand_ins.state: what a mechanism reaches and might keep between runs."""

import functools
import random
from fractions import Fraction
from typing import Any

import pytest

from finitedp.errors import ParameterError
from finitedp.proofs_check.engine.stand_ins import state
from finitedp.proofs_check.engine.stand_ins.state import changed, remembered

COUNT = [0]
OURS = ParameterError("an object with attributes")
vars(OURS)["kept_here"] = 1


class Keeper:
    shared = 0

    def __init__(self) -> None:
        self.own = 0

    def bump(self) -> None:
        self.own += 1


KEEPER = Keeper()


def reads_a_global() -> int:
    return COUNT[0]


def reads_a_helper() -> int:
    return reads_a_global()


def reads_an_object() -> None:
    KEEPER.bump()


def with_a_default(kept: list[int] = [0]) -> list[int]:  # noqa: B006  # that is what is looked for
    return kept


def with_a_cell() -> Any:
    kept = 0

    def bump() -> None:
        nonlocal kept
        kept += 1

    return bump


@pytest.mark.parametrize(
    ("mechanism", "change"),
    [
        (reads_a_global, lambda: COUNT.append(1)),
        (reads_a_helper, lambda: COUNT.append(1)),
        (functools.partial(reads_a_helper), lambda: COUNT.append(1)),
        (reads_an_object, KEEPER.bump),
        (reads_an_object, lambda: setattr(Keeper, "shared", Keeper.shared + 1)),
        (KEEPER.bump, KEEPER.bump),
        (with_a_default, lambda: with_a_default().append(1)),
        (bump := with_a_cell(), bump),
    ],
)
def test_what_changes_is_named_and_what_does_not_is_not(mechanism: Any, change: Any) -> None:
    before = remembered(mechanism)
    assert changed(before, remembered(mechanism)) is None
    change()
    assert changed(before, remembered(mechanism)) is not None


def test_objects_of_this_library_are_not_looked_into() -> None:
    """Their caches are no state of the mechanism; nor is what the standard library keeps."""

    def mechanism() -> object:
        return OURS, KEEPER

    names = remembered(mechanism)
    assert any(name.startswith("own of ") for name in names)
    assert not any(name.startswith("kept_here of ") for name in names)


IN_LISTS = [[Keeper()], [Keeper()]]


def reads_objects_in_lists() -> int:
    return sum(one.own for keepers in IN_LISTS for one in keepers)


@pytest.mark.parametrize("which", [0, 1])
def test_objects_in_lists_are_looked_into_and_told_apart(which: int) -> None:
    before = remembered(reads_objects_in_lists)
    assert changed(before, remembered(reads_objects_in_lists)) is None
    IN_LISTS[which][0].bump()
    assert (changed(before, remembered(reads_objects_in_lists)) or "").startswith("own of item 0")


def anything(*_arguments: Any, **_named: Any) -> int:
    return COUNT[0]


def holds(mechanism: Any) -> list[str]:
    """The names of what is looked at."""
    return list(remembered(mechanism))


def with_an_empty_cell() -> Any:
    def inner() -> Any:
        return later  # type: ignore[has-type]

    if COUNT is None:
        later = 1
    return inner


class _Taken:
    """As what stands for a declared sampler while it is explored."""

    def __init__(self, original: Any) -> None:
        self.original_sampler = original


class Taken(_Taken):
    """Another class."""


@pytest.mark.parametrize(
    ("value", "other"),
    [
        (1, 2),
        (1, True),
        (1, 1.0),
        ("a", "b"),
        (b"a", b"b"),
        (None, 0),
        (0.0, -0.0),
        (1j, 2j),
        (Fraction(1, 2), Fraction(1, 3)),
        ([1], [2]),
        ([1], (1,)),
        ([1], [1, 1]),
        ([], [None]),
        ({1}, {2}),
        ({1}, frozenset({1})),
        ({1, 2}, {1}),
        ({1: 2}, {1: 3}),
        ({1: 2}, {2: 2}),
        ({1: 2, 3: 4}, {3: 4, 1: 2}),
        ([[1]], [[2]]),
        ([{1: [2]}], [{1: [3]}]),
        (random.Random(1), random.Random(2)),
        ([random.Random(1)], [random.Random(2)]),
        (random.Random(1).random, random.Random(2).random),
    ],
)
def test_values_of_two_kinds_are_two(value: Any, other: Any) -> None:
    one, two = (functools.partial(anything, held=held) for held in (value, other))
    assert changed(remembered(one), remembered(two)) is not None
    assert remembered(one)["held of the mechanism"] != remembered(two)["held of the mechanism"]
    assert changed(remembered(one), remembered(functools.partial(anything, held=value))) is None


@pytest.mark.parametrize(("value", "other"), [(Keeper(), Keeper()), (len, abs), (object(), object())])
def test_things_are_not_compared_as_values(value: Any, other: Any) -> None:
    one, two = (functools.partial(anything, held=held) for held in (value, other))
    assert changed(remembered(one), remembered(two)) is None


@pytest.mark.parametrize("make", [list, tuple, lambda numbers: dict(enumerate(numbers))])
def test_long_values_are_compared_by_their_lengths_and_beginnings(make: Any) -> None:
    lists = ([0] * 1_000 + [0], [0] * 1_000 + [1], [0] * 999 + [1, 0], [0] * 1_000 + [0, 0])
    first, *others = (remembered(functools.partial(anything, held=make(held))) for held in lists)
    assert [changed(first, other) for other in others] == [None, "held of the mechanism", "held of the mechanism"]


def test_what_is_looked_into() -> None:
    named = holds(functools.partial(anything, 7, held=8))
    assert named[:3] == ["the function of the mechanism", "argument 0 of the mechanism", "held of the mechanism"]
    assert {"self of the mechanism", "the function of the mechanism"} <= set(holds(KEEPER.bump))
    assert "COUNT of the mechanism" in holds(reads_a_global)
    assert "COUNT of reads_a_global" in holds(reads_a_helper)
    assert "kept of the mechanism" in holds(with_a_cell())
    assert remembered(with_an_empty_cell())["later of the mechanism"] == (type(None), "None")
    assert "default 0 of the mechanism" in holds(with_a_default)
    assert "named of the mechanism" in holds(with_a_named_default)
    assert {"shared of class", "own of the mechanism"} <= set(holds(KEEPER))
    assert not [name for name in holds(KEEPER) if "__" in name]
    for things in ([KEEPER, 5], {"a": KEEPER, "b": 5}):
        assert "own of item 0" in holds(things)
        assert "item 1 of the mechanism" not in holds(things)
    assert holds(functools) == holds(5) == holds(Fraction(1)) == holds(Fraction) == holds(OURS) == []


def with_a_named_default(*, named: int = 1) -> int:
    return named


def test_only_some_items_are_looked_into() -> None:
    for many in ([Keeper() for _ in range(21)], {i: Keeper() for i in range(21)}):
        found = holds(many)
        assert "item 19 of the mechanism" in found
        assert "item 20 of the mechanism" not in found


def test_things_of_the_same_name_are_counted() -> None:
    found = holds([[Keeper()], [Keeper()], [Keeper()]])
    assert [name for name in found if name.startswith("own of")] == ["own of item 0", "own of item 0 (2)", "own of item 0 (3)"]


class Node:
    """A thing that leads to the next one."""

    def __init__(self, following: Any) -> None:
        self.following = following


@pytest.mark.parametrize(("length", "seen"), [(498, True), (499, False)])
def test_500_things_are_looked_at(length: int, seen: bool) -> None:
    first: Any = Keeper()
    for _ in range(length):
        first = Node(first)
    assert any(name.startswith("own of following") for name in holds(first)) == seen


def test_only_some_things_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    inner = [[[[[Keeper()]]]]]
    assert "own of item 0" in holds(inner)
    assert "own of item 0" in holds([inner, inner])
    monkeypatch.setattr(state, "MOST_THINGS", 6)
    assert "own of item 0" in holds(inner)
    monkeypatch.setattr(state, "MOST_THINGS", 5)
    assert "own of item 0" not in holds(inner)


def test_what_stands_for_a_declared_sampler_is_looked_at_as_that() -> None:
    assert "own of the mechanism" in holds(_Taken(Keeper()))
    assert "original_sampler of the mechanism" in holds(Taken(Keeper()))


def test_only_names_that_both_have_are_compared() -> None:
    assert changed({"a": 1}, {"b": 2}) is None
    assert changed({"a": 1, "c": 1}, {"a": 1, "b": 2, "c": 2}) == "c"
