"""The generator in C that random.Random is made of, _random.Random, which has no methods that could be replaced.

Code that uses it past random.Random is refused: by the name of the class, and as instances of classes that are made of it.
One that was made before, and is reached under another name, is seen where its state moves (engine/state).
"""

import _random
import random
from collections.abc import Iterator
from types import BuiltinMethodType
from typing import Any, NoReturn, cast

from finitedp.proofs_check.engine.stand_ins.exploring import coins_here
from finitedp.proofs_check.engine.stand_ins.refusing import refuse
from finitedp.proofs_check.engine.stand_ins.replacing import Attribute

__all__ = ["BARE", "bare_generators", "classes_of_bare_generators", "state_of"]

BARE: type[_random.Random] = _random.Random
GETSTATE = BARE.getstate
METHODS = ("random", "getrandbits", "seed", "getstate", "setstate")


def _refused(coins: Any) -> NoReturn:
    refuse(
        coins, "uses _random.Random past random.Random, which cannot be followed", following="next: random.Random or secrets"
    )


class _Meta(type):
    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, BARE)

    def __subclasscheck__(cls, subclass: type) -> bool:
        return issubclass(subclass, BARE)


class _StandIn(BARE, metaclass=_Meta):  # type: ignore[valid-type,misc]  # the name is that of one class for ever
    """_random.Random for explored code, and for other threads as it is."""

    def __new__(cls, *arguments: Any, **named: Any) -> Any:
        coins = coins_here()
        if coins is not None:
            _refused(coins)
        return BARE(*arguments, **named) if cls is _StandIn else BARE.__new__(cls, *arguments, **named)


def _method(name: str) -> Any:
    original = getattr(BARE, name)

    def method(self: Any, *arguments: Any) -> Any:
        coins = coins_here()
        if coins is not None:
            _refused(coins)
        return original(self, *arguments)

    return method


for _name in METHODS:
    setattr(_StandIn, _name, _method(_name))


def bare_generators() -> list[Attribute]:
    """What takes the place of the class in its module, and wherever its name was imported."""
    return [Attribute(_random, "Random", _StandIn)]


def classes_of_bare_generators() -> list[Attribute]:
    """What takes the place of the methods of classes that are made of it, but for random.Random and what is made of that."""
    return [place for kind in _made_of(BARE) for place in _refusing(kind)]


def _made_of(kind: type) -> Iterator[type]:
    made: type
    for made in type.__subclasses__(kind):
        if made not in (random.Random, _StandIn):
            yield made
            yield from _made_of(made)


def _refusing(kind: type) -> Iterator[Attribute]:
    def attribute(self: Any, name: str) -> Any:
        coins = coins_here()
        if coins is not None and not (name.startswith("__") and name.endswith("__")):
            _refused(coins)
        return original(self, name)

    original = cast(Any, kind).__getattribute__
    yield Attribute(kind, "__getattribute__", attribute)
    for name in METHODS:
        if getattr(kind, name) is getattr(BARE, name):
            yield Attribute(kind, name, _method(name))


def state_of(value: Any) -> Any:
    """The state of a generator that is made of it, or whose method in C this is.

    None of one whose seed a run has set, which is no noise, and of all else.
    """
    value = value.__self__ if type(value) is BuiltinMethodType else value
    if not issubclass(type(value), BARE) or issubclass(type(value), random.SystemRandom):
        return None
    own = getattr(value, "__dict__", None)
    return None if own is not None and own.get("_seeded_in") is not None else GETSTATE(value)
