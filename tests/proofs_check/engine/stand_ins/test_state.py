"""finitedp.proofs_check.engine.stand_ins.state: what a mechanism reaches and might keep between runs."""

import functools
from typing import Any

import pytest

from finitedp.errors import ParameterError
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
