"""The generators and functions of numpy that code reaches for itself, and what stands in for them while it is explored."""

import secrets
from collections.abc import Callable
from functools import cache
from typing import Any, NoReturn

import numpy as np

from finitedp.proofs_check.engine.lazy.integers import LazyInt
from finitedp.proofs_check.engine.stand_ins.exploring import aside, coins_here, in_runs
from finitedp.proofs_check.engine.stand_ins.numpy_sources import GeneratorStandIn, RandomStateStandIn, _Source
from finitedp.proofs_check.engine.stand_ins.refusing import refuse
from finitedp.proofs_check.engine.stand_ins.replacing import Attribute
from finitedp.proofs_check.engine.stand_ins.standard import method_of

GLOBAL: Any = getattr(np.random.mtrand, "_rand")  # noqa: B009  # the generator behind numpy's functions


class Routed:
    """A numpy generator that outlives a run: inside of each run it is the run's stand-in, elsewhere numpy's own.

    Parameters: make, gives numpy's own when it is first asked for; stand_in, what it is inside of a run.
    """

    _explored = True

    def __init__(self, make: Callable[[], Any], stand_in: type[_Source]) -> None:
        self._make = cache(make)
        self._stand_in = stand_in

    @property  # type: ignore[misc]  # what isinstance looks at
    def __class__(self) -> type:
        return self._stand_in.stands_for

    def on(self, _coins: Any) -> "Routed":
        """The same: it is the stand-in of whichever run there is."""
        return self

    def _now(self) -> Any:
        coins = coins_here()
        return self._make() if coins is None else self._stand_in(coins)

    def __reduce_ex__(self, protocol: Any) -> Any:
        return self._now().__reduce_ex__(protocol)

    def __getattr__(self, name: str) -> Any:
        if name == "_make":  # of one that copy() or pickle has just made
            raise AttributeError(name)
        return getattr(self._now(), name)


ROUTED: dict[type, Callable[[Any], Routed]] = {
    np.random.Generator: lambda value: Routed(lambda: value, GeneratorStandIn),
    np.random.RandomState: lambda value: Routed(lambda: value, RandomStateStandIn),
}
"""What stands in for a numpy generator that was made before the run, by its class; nothing does for what is made of these."""


def _made(kind: Callable[[Any], Any], seed: Any) -> Any:
    """A generator of numpy's own, of a seed. numpy draws from the system before it looks at the seed."""
    with aside():
        return kind(int(seed) if type(seed) is LazyInt else seed)


def _randbits(coins: Any, _bits: int) -> NoReturn:
    """What numpy seeds its bit generators with."""
    refuse(coins, "makes a bit generator of numpy", following="next: np.random.default_rng()")


def _default_rng(seed: Any = None) -> Any:
    """numpy.random.default_rng: with a seed what the seed makes of it, which is not random."""
    coins = coins_here()
    if coins is None or (seed is not None and type(seed) not in (Routed, GeneratorStandIn, RandomStateStandIn)):
        return _made(DEFAULT_RNG, seed)
    return Routed(DEFAULT_RNG, GeneratorStandIn) if seed is None or isinstance(seed, RANDOM_STATE) else seed


DEFAULT_RNG = np.random.default_rng


class _RandomStateMeta(type):
    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, RANDOM_STATE)

    def __subclasscheck__(cls, subclass: type) -> bool:
        return issubclass(subclass, RANDOM_STATE)

    def __call__(cls, seed: Any = None) -> Any:
        coins = coins_here()
        return _made(RANDOM_STATE, seed) if coins is None or seed is not None else Routed(RANDOM_STATE, RandomStateStandIn)


RANDOM_STATE = np.random.RandomState


class _RandomState(metaclass=_RandomStateMeta):
    """numpy.random.RandomState while code is explored: without a seed it is the stand-in."""


def numpy_replacements() -> list[Attribute]:
    """Every attribute of numpy's modules that is replaced."""
    named = {
        "ranf": "random_sample",
        "sample": "random_sample",
        "seed": "seed",
        "get_state": "get_state",
        "set_state": "set_state",
    }
    named |= {name: name for name, value in vars(np.random).items() if getattr(value, "__self__", None) is GLOBAL}
    return [
        *(
            Attribute(np.random, name, in_runs(getattr(np.random, name), method_of(RandomStateStandIn, method)))
            for name, method in named.items()
        ),
        Attribute(np.random, "default_rng", _default_rng),
        Attribute(np.random.bit_generator, "randbits", in_runs(secrets.randbits, _randbits), everywhere=False),
        Attribute(np.random, "RandomState", _RandomState),
        Attribute(np.random.mtrand, "_rand", Routed(lambda: GLOBAL, RandomStateStandIn)),
    ]
