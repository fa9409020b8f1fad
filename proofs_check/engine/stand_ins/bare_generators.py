"""The generator in C that random.Random is made of, _random.Random: what draws from it past random.Random is refused.

Its methods refuse in a run, and with them those of all classes that are made of it, but for random.Random's own. A method that
was bound to a generator before is seen where the generator's state moves (engine/state).
"""

import _random
import random
from collections.abc import Callable
from types import BuiltinMethodType
from typing import Any

from finitedp.proofs_check.engine.stand_ins.exploring import in_runs
from finitedp.proofs_check.engine.stand_ins.refusing import refuse
from finitedp.proofs_check.engine.stand_ins.replacing import Attribute

BARE: type[_random.Random] = _random.Random
GETSTATE = BARE.getstate
METHODS = ("random", "getrandbits", "seed", "getstate", "setstate")


def is_seeded(rng: _random.Random, coins: Any) -> bool:
    """Whether the run has seeded this generator itself, so that what it gives is no longer random."""
    return getattr(rng, "__dict__", {}).get("_seeded_in") is coins


def _refusing(original: Callable[..., Any]) -> Callable[..., Any]:
    def method(coins: Any, self: _random.Random, *arguments: Any) -> Any:
        if is_seeded(self, coins):
            return original(self, *arguments)
        refuse(
            coins,
            "uses _random.Random past random.Random, which cannot be followed",
            following="next: random.Random or secrets",
        )

    return in_runs(original, method)


def bare_generators() -> list[Attribute]:
    """What takes the place of its methods. random.Random's own, but for these, are replaced by themselves (sources.py)."""
    return [Attribute(BARE, name, _refusing(getattr(BARE, name))) for name in METHODS]


def state_of(value: Any) -> Any:
    """The state of a generator that is made of it, or whose method in C this is.

    None of one whose seed a run has set, which is no noise, and of all else.
    """
    value = value.__self__ if type(value) is BuiltinMethodType else value
    if not issubclass(type(value), BARE) or issubclass(type(value), random.SystemRandom):
        return None
    own = getattr(value, "__dict__", None)
    return None if own is not None and own.get("_seeded_in") is not None else GETSTATE(value)
