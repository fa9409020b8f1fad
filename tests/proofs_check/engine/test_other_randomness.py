"""Where the stand-ins are put, that all is as before afterwards, and that generators which move are named."""

import random
import sys
import threading
from functools import partial
from importlib.abc import Loader
from random import random as drawn
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from finitedp.proofs_check.engine import other_randomness
from finitedp.proofs_check.engine.bit_generators import bit_generators
from finitedp.proofs_check.engine.other_randomness import exploring, stood_in


def mechanism() -> float:
    return drawn()


def test_what_is_reached_is_looked_up_again_where_anything_is_another() -> None:
    original, table = object(), {"a": 1, "b": 2}
    names: list[Any] = [(table, name, value, None) for name, value in table.items()]
    for modules, asked, expected in ((0, mechanism, True), (0, print, False), (1, mechanism, False), (-1, mechanism, False)):
        reach = other_randomness._Reach(mechanism, len(sys.modules) + modules, names)
        assert reach.still(asked) == expected
    for other in (original, 0, 3):
        table["b"] = other  # type: ignore[assignment]
        assert not other_randomness._Reach(mechanism, len(sys.modules), names).still(mechanism)


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
    found = list(map(id, bit_generators()))
    assert {id(source.bit_generator), id(alone)} <= set(found)
    assert type(source) in other_randomness._routed_by_kind()
    monkeypatch.setattr(other_randomness, "_has_numpy", lambda: False)
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
    assert other_randomness._instead(True) is all_of_them  # made once
    assert other_randomness._of_numpy() is other_randomness._of_numpy()


def test_numpy_is_found_first_where_it_may_come_and_nothing_else() -> None:
    before = list(sys.meta_path)
    with other_randomness._when_numpy_comes(lambda: None):
        finder: Any = sys.meta_path[0]
        assert sys.meta_path[1:] == before
        assert finder.find_spec("json") is None
        assert finder.find_spec("no_such_module_at_all") is None
        spec = finder.find_spec("numpy")
        assert spec is not None
        assert spec.loader.exec_module.func is other_randomness._load_numpy
    assert sys.meta_path == before


def test_a_loader_is_left_as_it_was() -> None:
    told = list[Any]()

    class Own(Loader):
        def exec_module(self, module: ModuleType) -> None:
            told.append((module, exploring.coins))

    own, module = Own(), ModuleType("made_up")
    changed: Any = own
    changed.exec_module = partial(other_randomness._load_numpy, own, own.exec_module, lambda: told.append("then"))
    coins: Any = object()
    exploring.coins = coins
    try:
        changed.exec_module(module)
        assert exploring.coins is coins
    finally:
        exploring.coins = None
    assert told == [(module, None), "then"]
    assert vars(own) == {}
