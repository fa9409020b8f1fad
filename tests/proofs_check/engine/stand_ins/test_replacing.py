"""finitedp.proofs_check.engine.stand_ins.replacing: what a mechanism reaches, and places that are put back."""

import functools
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

from finitedp.proofs_check.engine.stand_ins import replacing
from finitedp.proofs_check.engine.stand_ins.replacing import Attribute, held_by, put, using_names

TARGET = object()
NEW = object()


class Holder:
    """Something with attributes."""

    def __init__(self, **held: Any) -> None:
        vars(self).update(held)

    def method(self) -> None:
        """Nothing."""


class Slotted:
    """Something without."""

    __slots__ = ("held",)

    def __init__(self) -> None:
        self.held = TARGET


class Called(Holder):
    """Called as a function."""

    def __call__(self, default: Any = [TARGET]) -> Any:  # noqa: B006
        return default


def in_a_cell(value: Any) -> Callable[[], Any]:
    return lambda: value


def with_an_empty_cell() -> Callable[[], Any]:
    def inner() -> Any:
        return later

    if TARGET is None:
        later = 1
    return inner


def with_a_default(value: Any = {"held": TARGET}) -> Any:  # noqa: B006
    return value


def wrapped() -> Callable[[], Any]:
    @functools.wraps(with_a_default)
    def wrapper() -> Any:
        return 0

    return wrapper


def names_a_helper() -> Any:
    return with_a_default()


def function(*_arguments: Any, **_named: Any) -> int:
    return 0


@pytest.mark.parametrize(
    "mechanism",
    [
        Holder(held=TARGET),
        Holder(held=Holder(held=TARGET)),
        Holder(held=TARGET).method,
        Holder(held={"held": TARGET}),
        Holder(held=[{"held": TARGET}]),
        Holder(held=({"held": TARGET},)),
        functools.partial(function, {"held": TARGET}),
        functools.partial(function, held={"held": TARGET}),
        functools.partial(Holder(held=TARGET).method),
        in_a_cell(TARGET),
        in_a_cell({"held": TARGET}),
        in_a_cell(in_a_cell(TARGET)),
        {"held": TARGET},
        {"inner": {"held": TARGET}},
        with_a_default,
        wrapped(),
        names_a_helper,
    ],
)
def test_what_a_mechanism_holds_is_found(mechanism: Any) -> None:
    assert TARGET in [value for table in held_by(mechanism) for value in list(table.values())[:100] if value is TARGET]


def holding(mechanism: Any) -> int:
    """In how many tables it is found, besides the globals of this module."""
    return sum(any(value is TARGET for value in table.values()) for table in held_by(mechanism) if table is not globals())


@pytest.mark.parametrize(
    ("mechanism", "count"),
    [
        (Slotted(), 0),
        (Holder, 0),
        (sys, 0),
        ({TARGET: 1}, 0),
        (with_an_empty_cell(), 0),
        (5, 0),
        (in_a_cell(TARGET), 1),
        ([{"held": TARGET}, {"held": TARGET}], 2),
        ([shared := {"held": TARGET}, shared], 1),
    ],
)
def test_how_often_it_is_found(mechanism: Any, count: int) -> None:
    assert holding(mechanism) == count


def test_defaults_of_what_is_called_are_followed() -> None:
    tables = held_by(Called())
    assert any(table is globals() for table in tables)


def nested(depth: int) -> Any:
    """In as many lists."""
    value: Any = {"held": TARGET}
    for _ in range(depth):
        value = [value]
    return value


def test_how_far_it_is_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    assert holding(nested(6)) == 1
    assert holding(nested(7)) == 0
    many = [{"held": TARGET} for _ in range(105)]
    assert holding(many) == holding(tuple(many)) == holding(dict(enumerate(many))) == 100
    assert holding([[{"held": TARGET} for _ in range(25)] for _ in range(100)]) == 2_000 - 101
    monkeypatch.setattr(replacing, "MOST_THINGS", 4)
    assert holding(many) == 3


def test_a_cell_is_a_table() -> None:
    mechanism = in_a_cell(TARGET)
    ((table, name, new),) = [x for x in using_names(mechanism, {id(TARGET): NEW}, {}) if x[0] is not globals()]
    assert (table[name], new) == (TARGET, NEW)
    table[name] = new
    assert mechanism() is NEW


class Made:
    """Of a class whose instances are replaced."""

    def __init__(self, number: int) -> None:
        self.number = number


def test_where_names_are_used(monkeypatch: pytest.MonkeyPatch) -> None:
    foreign, library, standard = (ModuleType(name) for name in ("a_module_of_a_test", "numpy.of_a_test", "json.of_a_test"))
    zoo, ours = ModuleType("finitedp.proofs_check.zoo.of_a_test"), ModuleType("finitedp.of_a_test")
    for module in (foreign, library, standard, zoo, ours):
        vars(module).update(one=TARGET, other=Made(7), third=function)
        monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setitem(sys.modules, "no_module_of_a_test", object())
    found = using_names(Holder(held=TARGET), {id(TARGET): NEW}, {Made: lambda made: made.number})
    for module, seen in ((foreign, True), (zoo, True), (library, False), (standard, False), (ours, False)):
        entries = {(name, new) for table, name, new in found if table is vars(module)}
        assert entries == ({("one", NEW), ("other", 7)} if seen else set()), module.__name__
    assert sum(table.get("held") is TARGET and name == "held" for table, name, _ in found) == 1


INSTALLED, OTHER_INSTALLED = ModuleType("an_installed_module_of_a_test"), ModuleType("another_installed_module_of_a_test")


@pytest.fixture
def of_installed(monkeypatch: pytest.MonkeyPatch) -> Callable[[], dict[str, Any]]:
    """What is found in two modules of installed packages, one name each, that were looked through before."""
    for module in (INSTALLED, OTHER_INSTALLED):
        vars(module).clear()
        vars(module).update(__file__="/lib/site-packages/module.py", one=function)
        monkeypatch.setitem(sys.modules, f"{id(module)} of a test", module)
    replaced: dict[int, Any] = {id(TARGET): NEW}
    by_kind: dict[type, Callable[[Any], Any]] = {Made: lambda made: made.number}

    def found() -> dict[str, Any]:
        tables = {id(vars(INSTALLED)): "first", id(vars(OTHER_INSTALLED)): "second"}
        return {
            f"{tables[id(table)]}.{name}": new
            for table, name, new in using_names(None, replaced, by_kind)
            if id(table) in tables
        }

    assert found() == {}
    return found


def test_names_that_are_bound_anew_in_installed_modules_are_found(of_installed: Callable[[], dict[str, Any]]) -> None:
    INSTALLED.one = TARGET  # type: ignore[attr-defined]  # the names of these modules are a test's
    assert of_installed() == {"first.one": NEW}
    INSTALLED.one, INSTALLED.two = function, Made(8)  # type: ignore[attr-defined]
    assert of_installed() == {"first.two": 8}
    del INSTALLED.two
    assert of_installed() == {}
    OTHER_INSTALLED.one = TARGET  # type: ignore[attr-defined]
    assert of_installed() == {"second.one": NEW}


def test_a_name_that_moves_from_a_module_to_the_next_is_found(of_installed: Callable[[], dict[str, Any]]) -> None:
    names = vars(OTHER_INSTALLED)
    names.clear()
    names.update(one=TARGET, __file__="/lib/site-packages/module.py")
    assert of_installed() == {"second.one": NEW}
    del names["one"]
    INSTALLED.one_more = TARGET  # type: ignore[attr-defined]  # all names of both in their order are bound as before
    assert of_installed() == {"first.one_more": NEW}


def test_names_are_looked_through_again_for_something_else(of_installed: Callable[[], dict[str, Any]]) -> None:
    assert of_installed() == {}
    others = [name for table, name, _ in using_names(None, {id(function): NEW}, {}) if table is vars(INSTALLED)]
    assert others == ["one"]


def test_replacements_are_put_back_in_the_reverse_order() -> None:
    owner = ModuleType("owner_of_a_test")
    vars(owner)["one"] = 1

    def swallowing() -> None:
        with put([Attribute(owner, "one", 2), Attribute(owner, "other", 3), Attribute(owner, "one", 4)]):
            assert (vars(owner)["one"], vars(owner)["other"]) == (4, 3)
            raise KeyError

    with pytest.raises(KeyError):
        swallowing()
    assert vars(owner)["one"] == 1
    assert "other" not in vars(owner)


def test_what_cannot_be_put_leaves_nothing_behind() -> None:
    owner = ModuleType("owner_of_a_test")
    with pytest.raises(TypeError), put([Attribute(owner, "one", 2), Attribute(int, "one", 3)]):
        pass
    assert "one" not in vars(owner)


def test_an_attribute_is_replaced_everywhere_unless_it_says_otherwise() -> None:
    assert Attribute(sys, "name", 1).everywhere
