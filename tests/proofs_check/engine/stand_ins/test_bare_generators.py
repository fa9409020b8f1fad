"""finitedp.proofs_check.engine.stand_ins.bare_generators: the generator in C, refused within a run and itself elsewhere."""

import _random
import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from finitedp.errors import ExplorationError
from finitedp.proofs_check.engine.stand_ins.bare_generators import bare_generators, state_of
from finitedp.proofs_check.engine.stand_ins.exploring import exploring
from finitedp.proofs_check.engine.stand_ins.replacing import put

BARE = _random.Random


class Made(_random.Random):
    """Made of the generator in C, past random.Random."""

    def third(self) -> float:
        return super().random() / 3


class Usual(random.Random):
    """Made of random.Random, whose methods are replaced elsewhere."""


@pytest.fixture
def replaced() -> Iterator[None]:
    """The places of the generator in C have their stand-ins."""
    with put(bare_generators()):
        yield


CALLS: dict[str, Callable[[Any], Any]] = {
    "random": lambda rng: rng.random(),
    "getrandbits": lambda rng: rng.getrandbits(7),
    "getstate": lambda rng: rng.getstate(),
    "seed": lambda rng: rng.seed(3) or rng.random(),
    "setstate": lambda rng: rng.setstate(BARE(9).getstate()) or rng.random(),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
@pytest.mark.parametrize("kind", [Made, type("Plain", (Made,), {})])
def test_methods_of_a_class_that_is_made_of_it(call: Callable[[Any], Any], kind: type, replaced: None) -> None:
    assert call(kind(5)) == call(BARE(5))
    made = kind(5)
    exploring.coins = object()
    try:
        with pytest.raises(ExplorationError, match=r"uses _random\.Random past random\.Random"):
            call(made)
    finally:
        exploring.coins = None


@pytest.mark.parametrize("name", CALLS)
def test_methods_by_the_name_of_the_class(name: str, replaced: None) -> None:
    given: dict[str, list[Any]] = {"getrandbits": [7], "seed": [3], "setstate": [BARE(9).getstate()]}
    arguments = given.get(name, [])
    one, other, in_c = BARE(5), BARE(5), BARE(5)
    for kind in (_random.Random, Made):
        assert getattr(kind, name)(one, *arguments) == getattr(BARE, name)(other, *arguments)
        exploring.coins = object()
        try:
            with pytest.raises(ExplorationError, match=r"past random\.Random"):
                getattr(kind, name)(Made(5) if kind is Made else in_c, *arguments)
        finally:
            exploring.coins = None


@pytest.mark.parametrize(
    "make", [lambda: _random.Random(), lambda: _random.Random(5), lambda: Made(5), lambda: type("In", (_random.Random,), {})()]
)
def test_what_is_made_within_a_run_gives_nothing(make: Callable[[], Any], replaced: None) -> None:
    exploring.coins = object()
    try:
        made = make()
        for call in CALLS.values():
            with pytest.raises(ExplorationError, match="past random"):
                call(made)
        if isinstance(made, Made):
            with pytest.raises(ExplorationError, match="past random"):
                made.third()
    finally:
        exploring.coins = None


def test_what_is_random_random_is_refused_past_its_own_methods(replaced: None) -> None:
    usual = Usual(5)
    exploring.coins = object()
    try:
        for call in (lambda: BARE.random(usual), lambda: super(random.Random, usual).getrandbits(3)):
            with pytest.raises(ExplorationError, match="past random"):
                call()
    finally:
        exploring.coins = None


def test_the_methods_are_what_they_were_before() -> None:
    before = dict(vars(BARE))
    with put(bare_generators()):
        assert {name for name, value in vars(BARE).items() if value is not before[name]} == set(CALLS)
        assert BARE(5).random() == Made(5).random() == Usual(5).random() == random.Random(5).random()
    assert dict(vars(BARE)) == before


def test_the_state_of_a_generator() -> None:
    in_c, usual = BARE(5), Usual(5)
    assert state_of(in_c) == state_of(in_c.random) == in_c.getstate()
    assert state_of(usual) == BARE.getstate(usual)
    assert state_of(Made(5)) == BARE(5).getstate()
    vars(usual)["_seeded_in"] = None
    assert state_of(usual) is not None
    vars(usual)["_seeded_in"] = object()
    others: list[Any] = [usual, random.SystemRandom(), 5, len, [].append, BARE]
    assert [state_of(value) for value in others] == [None] * len(others)
