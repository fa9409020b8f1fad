"""finitedp.proofs_check.engine.state.remembering: what a mechanism reaches and might keep between runs."""

import functools
import random
from fractions import Fraction
from typing import Any

import pytest

from finitedp.errors import ParameterError
from finitedp.proofs_check.engine.state import remembering as state
from finitedp.proofs_check.engine.state.remembering import remembered

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
    assert before.changed(remembered(mechanism)) is None
    change()
    assert before.changed(remembered(mechanism)) is not None


def test_objects_of_this_library_are_not_looked_into() -> None:
    """Their caches are no state of the mechanism; nor is what the standard library keeps."""

    def mechanism() -> object:
        return OURS, KEEPER

    before = remembered(mechanism)
    vars(OURS)["kept_here"] += 1
    assert before.changed(remembered(mechanism)) is None
    KEEPER.bump()
    assert before.changed(remembered(mechanism)) == "own of KEEPER"


IN_LISTS = [[Keeper()], [Keeper()]]


def reads_objects_in_lists() -> int:
    return sum(one.own for keepers in IN_LISTS for one in keepers)


@pytest.mark.parametrize("which", [0, 1])
def test_objects_in_lists_are_looked_into_and_told_apart(which: int) -> None:
    before = remembered(reads_objects_in_lists)
    assert before.changed(remembered(reads_objects_in_lists)) is None
    IN_LISTS[which][0].bump()
    assert before.changed(remembered(reads_objects_in_lists)) == "own of item 0"


def anything(*_arguments: Any, **_named: Any) -> int:
    return COUNT[0]


def holds(mechanism: Any) -> list[str]:
    """The names of what is looked at."""
    return remembered(mechanism).labels


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
    assert remembered(one).changed(remembered(two)) is not None
    assert remembered(one).changed(remembered(functools.partial(anything, held=value))) is None


@pytest.mark.parametrize("make", [Keeper, object, lambda: [Keeper(), {1: Keeper()}], lambda: lambda: COUNT])
def test_things_made_anew_in_the_same_way_are_the_same(make: Any) -> None:
    one, two = (functools.partial(anything, held=make()) for _ in range(2))
    assert remembered(one).changed(remembered(two)) is None


def test_which_thing_is_where_counts() -> None:
    one, two = Keeper(), Keeper()
    held = [one, two, one]
    before = remembered(held)
    held[:] = [two, one, two]
    assert before.changed(remembered(held)) is None  # nobody can tell
    held[:] = [one, two, two]
    assert before.changed(remembered(held)) == "item 2 of the mechanism"


@pytest.mark.parametrize("make", [list, tuple, lambda numbers: dict(enumerate(numbers))])
def test_long_values_are_compared_to_their_ends(make: Any) -> None:
    lists = ([0] * 1_000 + [0], [0] * 1_000 + [1], [0] * 999 + [1, 0], [0] * 1_000 + [0, 0], [0] * 1_000 + [False])
    first, *others = (remembered(functools.partial(anything, held=make(held))) for held in lists)
    assert None not in [first.changed(other) for other in others]


def test_what_is_looked_into() -> None:
    named = holds(functools.partial(anything, [7], held=[8]))
    assert named[3:6] == ["the function of the mechanism", "argument 0 of the mechanism", "held of the mechanism"]
    assert {"self of the mechanism", "the function of the mechanism"} <= set(holds(KEEPER.bump))
    assert "COUNT of the mechanism" in holds(reads_a_global)
    assert "COUNT of reads_a_global" in holds(reads_a_helper)
    assert with_an_empty_cell() is not None
    assert remembered(with_an_empty_cell()).changed(remembered(with_an_empty_cell())) is None
    assert "default 0 of the mechanism" in holds(with_a_default)
    assert {"class of the mechanism", "bump of class"} <= set(holds(KEEPER))
    assert "class of item 0" in holds([KEEPER, 5])
    assert holds(functools)[:2] == [*holds(5)[:1], "the mechanism"]
    assert len(holds(5)) == len(holds(Fraction(1))) == len(holds(functools)) - 1


@pytest.mark.parametrize(("many", "named"), [(7, False), (6, True)])
def test_so_many_things_are_looked_at(many: int, named: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    inner = [[[[0]]]]  # and three things of the process
    monkeypatch.setattr(state, "MOST_THINGS", many - 1)
    found = remembered(inner)
    assert bool(found.hidden) == named
    inner[0][0][0][0] = 1
    assert (found.changed(remembered(inner)) is None) == named


def test_what_stands_for_a_declared_sampler_is_looked_at_as_that() -> None:
    assert remembered([_Taken(KEEPER)]).changed(remembered([KEEPER])) is None
    assert remembered([Taken(KEEPER)]).changed(remembered([KEEPER])) is not None


def test_a_thing_more_and_a_thing_less_are_changes() -> None:
    held: list[Any] = [Keeper()]
    before = remembered(held)
    vars(held[0])["more"] = 1
    assert before.changed(remembered(held)) == "item 0 of the mechanism"
    del held[0].more, held[0].own
    assert before.changed(remembered(held)) == "item 0 of the mechanism"
