"""Copies of draws, which are the draws, and of generators, which are refused: they would draw the same again."""

import copy
import dataclasses
import pickle
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from gmpy2 import mpq

from finitedp.errors import ExplorationError
from finitedp.proofs_check.audit.laws import Style, explored
from finitedp.proofs_check.engine.explorer import explore
from finitedp.proofs_check.engine.limits import Budget

MADE_BEFORE = [np.random.default_rng(5), np.random.RandomState(5), random.Random(5)]
COPIES: list[Callable[[Any], Any]] = [copy.copy, copy.deepcopy, lambda thing: copy.deepcopy([thing])[0], pickle.dumps]


@dataclasses.dataclass
class Noisy:
    value: int


def test_a_copy_of_a_draw_is_the_draw() -> None:
    def program(coins: Any) -> tuple[bool, ...]:
        u = coins.uniform(6)
        others = copy.copy(u), copy.deepcopy([u])[0], dataclasses.asdict(Noisy(u))["value"]
        return (u < 3, *(other < 3 and other == u for other in others))

    assert explore(program).resolved == {(True,) * 4: mpq(1, 3), (False,) * 4: mpq(2, 3)}


def test_a_draw_is_not_pickled() -> None:
    """Its bytes would not be those of an int; the refusal cannot be handled."""

    def program(coins: Any) -> int:
        try:
            return len(pickle.dumps(coins.uniform(6)))
        except Exception:
            return 0

    with pytest.raises(ExplorationError, match=r"in program.*pickles a draw.*accepted: int\(draw\)"):
        explore(program)


@pytest.mark.parametrize("copied", COPIES)
def test_coins_are_not_copied(copied: Callable[[Any], Any]) -> None:
    with pytest.raises(ExplorationError, match="copies what it draws from"):
        explore(lambda coins: copied(coins).uniform(6))


@pytest.mark.parametrize("copied", COPIES)
@pytest.mark.parametrize("style", ["random", "numpy"])
def test_generators_are_not_copied(style: Style, copied: Callable[[Any], Any]) -> None:
    """random.Random and numpy's generators copy their state: both draw the same."""

    def mechanism(_data: Any, rng: Any) -> bool:
        return bool(copied(rng).random() < rng.random())

    with pytest.raises(ExplorationError, match=r"at the input 0: in .*copies what it draws from"):
        explored(mechanism, 0, style, "tuple", Budget())


@pytest.mark.parametrize("copied", COPIES)
@pytest.mark.parametrize("place", range(3))
def test_nor_is_one_that_was_made_before(place: int, copied: Callable[[Any], Any]) -> None:
    rng: Any = MADE_BEFORE[place]
    with pytest.raises(ExplorationError, match=r"at the input 0: in .*(copies what it draws from|asks for the state of its)"):
        explored(lambda _data: copied(rng).random() < rng.random(), 0, "none", "tuple", Budget())
    assert copied(rng) is not None


def test_nor_are_floats_that_are_not_decided() -> None:
    for size in (None, 2):
        with pytest.raises(ExplorationError, match="needs the value of a"):
            explored(lambda _data, rng, n=size: len(pickle.dumps(rng.random(n))), 0, "numpy", "tuple", Budget())
