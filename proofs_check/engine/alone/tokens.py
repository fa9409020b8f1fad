"""Keys of what draws: the run's coins, and the generators over them; which has no state of its own.

What is one object stays one, and others stay others, when a run goes on from a state, or a sampler is called alone.
"""

import random
from collections.abc import Callable, Hashable
from typing import Any

from finitedp.proofs_check.engine.alone.keys import NotPlainError, untyped
from finitedp.proofs_check.engine.alone.surroundings import is_source
from finitedp.proofs_check.engine.lazy.coins import LazyCoins

__all__ = ["Tokens", "made_again"]


class Tokens:
    """The generators among the arguments of a call, or the locals of a frame, in the order in which they are met.

    Parameters: shared, the generators that the code reads as globals, which are met before.
    """

    def __init__(self, coins: LazyCoins, shared: tuple[object, ...]) -> None:
        self._coins = coins
        self._met: list[object] = [*shared]

    def key(self, value: object) -> Hashable:
        """Raises: NotPlainError for what is no source of this run."""
        if value is self._coins:
            return "coins", None, 0
        of_system = type(value) is random.SystemRandom
        if not is_source(value) or not (of_system or getattr(value, "_coins", None) is self._coins):
            raise NotPlainError(f"a {type(value).__name__}")
        place = next((i for i, one in enumerate(self._met) if one is value), len(self._met))
        if place == len(self._met):
            self._met.append(value)
        return "coins", type(value), place, value.__class__  # what a stand-in stands for


def made_again(coins: LazyCoins, shared: tuple[object, ...]) -> Callable[[Any, Any], Any]:
    """A function of a value and its key that gives what the key stands for in a run on other coins."""
    made: dict[int, Any] = dict(enumerate(shared))

    def again(value: Any, key: Any) -> Any:  # noqa: ANN401  # values of any kind
        if key[0] != "coins":
            return untyped(key)
        if key[1] is None:
            return coins
        if key[2] not in made:
            made[key[2]] = random.SystemRandom() if key[1] is random.SystemRandom else value.on(coins)
        return made[key[2]]

    return again
