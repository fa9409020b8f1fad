"""Where the stand-ins are put, that all is as before afterwards, and that generators which move are named."""

import importlib
import random
import secrets
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from random import random as drawn
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from gmpy2 import mpq

from finitedp.errors import ExplorationError
from finitedp.proofs_check.audit.laws import explored
from finitedp.proofs_check.engine import other_randomness
from finitedp.proofs_check.engine.limits import Budget
from finitedp.proofs_check.engine.other_randomness import exploring, stood_in

IMPORTING: Any = sys.modules["_frozen_importlib"]


def mechanism() -> float:
    return drawn()


def test_names_are_looked_up_again_where_anything_is_another(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = list[Any]()
    table = {"a": 1, "b": 2}

    def using(mechanism: Any, *_others: Any) -> list[Any]:
        asked.append(mechanism)
        return [(table, name, None) for name in table]

    monkeypatch.setattr(other_randomness, "using_names", using)
    monkeypatch.setattr(other_randomness, "_names", [])
    for _ in range(3):
        assert other_randomness._reached(mechanism) == [(table, "a", 1, None), (table, "b", 2, None)]
    assert asked == [mechanism]
    assert other_randomness._reached(print)
    assert asked == [mechanism, print]
    table["b"] = 3
    assert other_randomness._reached(print) == [(table, "a", 1, None), (table, "b", 3, None)]
    monkeypatch.setitem(sys.modules, "a_module_of_a_test", ModuleType("a_module_of_a_test"))
    assert other_randomness._reached(print)
    assert asked == [mechanism, print, print, print]
    table["a"] = equal = True  # another object
    assert other_randomness._reached(print)[0][2] is equal


def test_names_and_modules_hold_stand_ins_for_as_long() -> None:
    originals = drawn, random.random, np.random.random
    with stood_in(mechanism):
        assert drawn is not originals[0]
        assert random.random is not originals[1]
        assert np.random.random is not originals[2]
    assert (drawn, random.random, np.random.random) == originals
    assert drawn is originals[0]


def test_how_deep_it_stands_is_counted_in_each_thread() -> None:
    found = list[int]()

    def nested() -> None:
        for _ in range(2):
            with stood_in():
                found.append(exploring.stood_in)
                with stood_in():
                    found.append(exploring.stood_in)
            found.append(exploring.stood_in)

    nested()
    thread = threading.Thread(target=nested)
    thread.start()
    thread.join()
    assert found == [1, 2, 0] * 4


def test_a_generator_that_moves_is_named_once() -> None:
    source = np.random.default_rng(3)
    state = random.getstate()
    with stood_in(lambda: source) as moved:
        assert moved() is None
        for seed in range(4):
            place = (state[1][-1] + seed) % 624 + 1  # another one than before
            random.setstate((state[0], (*state[1][:-1], place), state[2]))
            assert (moved(), moved()) == ("random", None)
        for _ in range(8):
            source.bit_generator.advance(1)  # type: ignore[attr-defined]
            assert (moved(), moved()) == ("numpy", None)
    random.setstate(state)


def test_generators_of_numpy_are_found_where_there_is_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    source, alone = np.random.default_rng(3), np.random.PCG64(3)
    found = list(map(id, other_randomness._generators()))
    assert {id(source.bit_generator), id(alone)} <= set(found)
    assert type(source) in other_randomness._routed_by_kind()
    monkeypatch.setattr(other_randomness, "_has_numpy", lambda: False)
    assert other_randomness._generators() == []
    assert other_randomness._routed_by_kind() == {}


def test_what_takes_the_place_of_functions_that_were_imported_by_name() -> None:
    without, all_of_them = other_randomness._instead(False), other_randomness._instead(True)
    assert without.items() < all_of_them.items()
    assert id(random.random) in without
    assert id(np.random.random) in all_of_them.keys() - without.keys()
    places = [*other_randomness._STANDARD, *other_randomness._of_numpy()]
    others = [place for place in places if not place.everywhere]
    assert others
    functions = {id(getattr(place.owner, place.name)) for place in places if place not in others}
    assert all_of_them.keys() == functions
    for place in [place for place in other_randomness._STANDARD if place.owner is secrets]:
        assert all_of_them[id(getattr(place.owner, place.name))] is place.replacement  # numpy's own use of one is its own
    assert other_randomness._instead(True) is all_of_them  # made once
    assert other_randomness._of_numpy() is other_randomness._of_numpy()


DRAWS = """
import random
import secrets
import secrets
import numpy as np

FIRST = random.random(), secrets.randbelow(1000), np.random.default_rng().normal()
with open({path!r}, "a") as count:
    count.write("imported")
"""


@pytest.fixture
def drawing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A module that draws while it is imported, and writes down how often it was."""
    (tmp_path / "draws_when_imported.py").write_text(DRAWS.format(path=str(tmp_path / "count")))
    monkeypatch.syspath_prepend(tmp_path)
    other_randomness._imported.discard("draws_when_imported")
    yield tmp_path / "count"
    sys.modules.pop("draws_when_imported", None)


def law(mechanism: Callable[[Any], Any]) -> Mapping[Any, Any]:
    return explored(mechanism, 0, "none", "tuple", Budget()).law.probabilities


def by_name(_data: Any) -> int:
    return random.randrange(2) if importlib.import_module("draws_when_imported").FIRST else 3


def by_statement(_data: Any) -> int:
    import draws_when_imported  # type: ignore[import-not-found]

    return random.randrange(2) if draws_when_imported.FIRST else 3


@pytest.mark.parametrize("mechanism", [by_name, by_statement])
def test_what_a_module_draws_while_a_run_imports_it_is_no_draw_of_the_run(mechanism: Any, drawing: Path) -> None:
    assert law(mechanism) == {0: mpq(1, 2), 1: mpq(1, 2)}
    assert drawing.read_text() == "imported"


def test_a_module_that_each_run_imports_anew_is_refused(drawing: Path) -> None:
    def mechanism(_data: Any) -> bool:
        sys.modules.pop("draws_when_imported", None)
        return bool(importlib.import_module("draws_when_imported").FIRST[1] < 500)

    with pytest.raises(ExplorationError, match=r"Generator\.normal|does not repeat itself"):
        law(mechanism)


@pytest.mark.parametrize("has_numpy", [True, False])
def test_imports_are_as_they_were(has_numpy: bool, drawing: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(other_randomness, "_has_numpy", lambda: has_numpy)
    finds = IMPORTING._find_and_load
    with stood_in():
        assert IMPORTING._find_and_load is not finds
        assert by_statement(0) in (0, 1)  # without coins
        assert "draws_when_imported" not in other_randomness._imported
    assert IMPORTING._find_and_load is finds


def test_stand_ins_that_were_imported_within_a_run_are_left_as_they_are() -> None:
    """Whatever reaches them, so that they go on to know what they stand for."""
    kept = dict[str, Any]()

    def mechanism(_data: Any) -> int:
        import numpy.random

        kept["rng"] = numpy.random.default_rng
        return 0

    def again(_data: Any) -> bool:
        return isinstance(kept["rng"](), np.random.RandomState | np.random.Generator)

    assert law(mechanism) == {0: 1}
    assert kept["rng"] is not np.random.default_rng
    assert law(again) == {True: 1}
