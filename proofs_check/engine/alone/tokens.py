"""Keys of arguments and locals, and of what draws: coins, and the generators over them, which have no state.

What is one object stays one, and others stay others, when a run goes on from a state, or a sampler is called alone.
"""

import random
from collections.abc import Callable, Hashable
from fractions import Fraction
from typing import Any

from finitedp.proofs_check.engine.alone.keys import NotPlainError, typed, untyped
from finitedp.proofs_check.engine.alone.untouched import is_source
from finitedp.proofs_check.engine.lazy.coins import LazyCoins
from finitedp.proofs_check.engine.lazy.integers import LazyInt

__all__ = ["MOST_VALUES", "Tokens", "check_short", "made_again"]

MOST_VALUES = 4_096
"""Values of a draw that is decided at the head of a loop, or as an argument."""


class Tokens:
    """The generators among the arguments of a call, or the locals of a frame, in the order in which they are met.

    Parameters: shared, the generators that the code reads as globals, which are met before.
    """

    def __init__(self, coins: LazyCoins, shared: tuple[object, ...]) -> None:
        self._coins = coins
        self._met: list[object] = [*shared]

    def key(self, value: object) -> Hashable:
        """The key of a source of this run or of a plain value, whose draws are decided. Raises: NotPlainError."""
        if value is self._coins:
            return "coins", None, 0
        of_system = type(value) is random.SystemRandom
        if not is_source(value) or not (of_system or getattr(value, "_coins", None) is self._coins):
            check_short(value)
            return typed(value)
        place = next((i for i, one in enumerate(self._met) if one is value), len(self._met))
        if place == len(self._met):
            self._met.append(value)
        return "coins", type(value), place, value.__class__  # what a stand-in stands for


def check_short(value: object) -> None:
    """Raises: NotPlainError where a draw in a value is undecided among more values than it is decided for."""
    if type(value) is LazyInt:
        low, high = value.ends()
        if high is not None and high - low >= MOST_VALUES:
            raise NotPlainError(f"a draw that can still take {high - low + 1} values")
    for part in value if type(value) is tuple else (value.numerator, value.denominator) if type(value) is Fraction else ():
        check_short(part)


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
