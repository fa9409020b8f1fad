"""finitedp.proofs_check.engine.stand_ins.bare_generators: the generator in C, refused within a run and itself elsewhere."""

import _random
import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from finitedp.errors import ExplorationError
from finitedp.proofs_check.engine.stand_ins.bare_generators import bare_generators, classes_of_bare_generators, state_of
from finitedp.proofs_check.engine.stand_ins.exploring import exploring
from finitedp.proofs_check.engine.stand_ins.replacing import put

BARE = _random.Random


class Made(_random.Random):
    """Made of the generator in C, past random.Random."""

    def third__(self) -> float:
        return super().random() / 3

    def __third(self) -> float:
        return super().random() / 3


class Of(Made):
    """Made of what is made of it."""

    def random(self) -> float:
        return 0.5


class Usual(random.Random):
    """Made of random.Random, whose methods are replaced elsewhere."""


@pytest.fixture
def replaced() -> Iterator[None]:
    """The places of the generator in C have their stand-ins."""
    with put([*bare_generators(), *classes_of_bare_generators()]):
        yield


@pytest.fixture
def in_a_run(replaced: None) -> Iterator[None]:
    """And this thread explores."""
    exploring.coins = object()
    try:
        yield
    finally:
        exploring.coins = None


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


@pytest.mark.parametrize("name", ["third__", "_Made__third", "anything"])
def test_whatever_it_does_is_refused_but_for_what_python_asks(name: str, in_a_run: None) -> None:
    exploring.coins = None
    made = Made(5)
    exploring.coins = object()
    assert made.__class__ is Made
    with pytest.raises(ExplorationError, match="past random"):
        getattr(made, name)


@pytest.mark.parametrize(
    "make", [lambda: _random.Random(), lambda: _random.Random(5), lambda: type("In", (_random.Random,), {})()]
)
def test_none_is_made_within_a_run(make: Callable[[], Any], in_a_run: None) -> None:
    with pytest.raises(ExplorationError, match="past random"):
        make()


def test_the_class_is_what_it_was_elsewhere(replaced: None) -> None:
    assert _random.Random is not BARE
    assert type(_random.Random(5)) is BARE
    assert _random.Random(5).random() == BARE(5).random()
    inside = type("Inside", (_random.Random,), {})
    assert type(inside(5)) is inside
    assert inside(5).random() == BARE(5).random()
    assert isinstance(BARE(5), _random.Random)
    assert not isinstance(5, _random.Random)
    assert issubclass(Made, _random.Random)
    assert not issubclass(int, _random.Random)


def test_which_classes_have_other_methods() -> None:
    places = {(place.owner, place.name) for place in classes_of_bare_generators()}
    assert {(Made, name) for name in ("__getattribute__", *CALLS)} <= places
    assert {(Of, name) for name in ("__getattribute__", *CALLS) if name != "random"} <= places
    assert (Of, "random") not in places
    assert not {random.Random, Usual, BARE} & {owner for owner, _ in places}


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
