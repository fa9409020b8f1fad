"""Keys of arguments and locals: what a law of a sampler and a state of a loop may depend on.

These are plain immutable values, each with its type, and what draws: coins, and the generators over them, which have no state.
What is one object stays one, and others stay others, when a run goes on from a state, or a sampler is called alone.
"""

import random
from collections.abc import Callable, Hashable
from fractions import Fraction
from typing import Any

from gmpy2 import mpq, mpz

from finitedp.proofs_check.engine.alone.untouched import is_source
from finitedp.proofs_check.engine.lazy.coins import LazyCoins
from finitedp.proofs_check.engine.lazy.integers import LazyInt
from finitedp.proofs_check.engine.stand_ins.exploring import numpy

MOST_VALUES = 4_096
"""Values of a draw that is decided at the head of a loop, or as an argument."""


class NotPlainError(Exception):
    """A value that no key can be made of. The message names it."""


class NotPureError(Exception):
    """Why a function is not taken alone; one line."""


def typed(value: object) -> Hashable:
    """A key that is equal for equal values of equal types only: 1, True and 1.0 differ, and so do 0.0 and -0.0.

    A lazy integer counts as the int that it will be, and is decided. Raises: NotPlainError for what is not immutable, or might
    not be, through and through.
    """
    kind: type = type(value)
    if id(kind) in _KEYS:
        return _KEYS[id(kind)](value)
    if kind.__module__ == "numpy" and kind.__name__ in _OF_NUMPY and kind is numpy.dtype(kind.__name__).type:
        item: Any = value.item()  # type: ignore[attr-defined]  # it is a scalar of numpy
        return "numpy", kind.__name__, _hex(item) if type(item) is float else item
    if getattr(kind, "_holds_lazy", False) is True and hasattr(kind, "as_int"):
        return typed(value.decided())  # type: ignore[attr-defined]  # a whole number of numpy's
    raise NotPlainError(f"a {kind.__name__}")


def _hex(value: float) -> str:
    if value != value:  # what is not equal to itself is found in a tuple by its identity
        raise NotPlainError("a float that is not a number")
    return value.hex()


def _of_a_fraction(value: Fraction) -> Hashable:
    parts = value.numerator, value.denominator
    if not {type(part) for part in parts} <= {int, LazyInt}:  # numpy's integers wrap, and gmpy2's round otherwise
        raise NotPlainError(f"a Fraction of {' and '.join(type(part).__name__ for part in parts)}")
    return "Fraction", *map(int, parts)


_KEYS: dict[int, Callable[[Any], Hashable]] = {  # by their ids, since a metaclass may say that one class equals another
    **{id(kind): lambda value: (type(value).__name__, value) for kind in (int, bool, str, bytes, type(None))},
    id(LazyInt): lambda value: ("int", value.__index__()),
    id(float): lambda value: ("float", _hex(value)),
    id(mpz): lambda value: ("mpz", int(value)),
    id(mpq): lambda value: ("mpq", int(value.numerator), int(value.denominator)),
    id(Fraction): _of_a_fraction,
    id(tuple): lambda value: ("tuple", *map(typed, value)),
}


def untyped(key: Any) -> Any:  # noqa: ANN401  # values of any kind
    """The value that a key was made of."""
    kind, *parts = key
    if kind == "tuple":
        return tuple(map(untyped, parts))
    return _MAKERS[kind](*parts) if kind in _MAKERS else parts[0]


def has_text(value: object) -> bool:
    """Whether a value, plain or a constant of code, is a text or holds one."""
    return any(map(has_text, value)) if isinstance(value, tuple | frozenset) else isinstance(value, str | bytes)


_OF_NUMPY = {"bool", "float64", *(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64))}


def _of_numpy(name: str, item: Any) -> Any:  # noqa: ANN401  # a scalar
    value = float.fromhex(item) if type(item) is str else item
    return numpy.dtype(name).type(value)


_MAKERS: dict[str, Callable[..., Any]] = {
    "numpy": _of_numpy,
    "float": float.fromhex,
    "mpz": mpz,
    "mpq": mpq,
    "Fraction": Fraction,
}


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
