"""The sources of randomness that code reaches for itself, and what stands in for them while it is explored."""

import base64
import math
import os
import random
import secrets
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from finitedp.proofs_check.engine.lazy.integers import LazyInt
from finitedp.proofs_check.engine.stand_ins.bytes import LazyBytes
from finitedp.proofs_check.engine.stand_ins.exploring import coins_here, exploring
from finitedp.proofs_check.engine.stand_ins.mathematics import math_functions
from finitedp.proofs_check.engine.stand_ins.numpy_sources import GeneratorStandIn, RandomStateStandIn, _Source
from finitedp.proofs_check.engine.stand_ins.refusing import refuse
from finitedp.proofs_check.engine.stand_ins.replacing import Attribute
from finitedp.proofs_check.engine.stand_ins.standard import TWO_DRAWS, StandIn, getrandbits, randbelow

__all__ = ["Routed", "replacements", "routed"]

HIDDEN: random.Random = getattr(random, "_inst")  # noqa: B009  # the generator behind the functions of the module random
GLOBAL: Any = getattr(np.random.mtrand, "_rand")  # noqa: B009  # and behind numpy's


def replacements() -> list[Attribute]:
    """Every attribute of a module or a class that is replaced. Outside of a run each answers as its original."""
    return [*_standard(), *_mathematics(), *_numpy()]


# The standard library


def _is_seeded(rng: random.Random, coins: Any) -> bool:
    """Whether the run has seeded this generator itself, so that what it gives is no longer random."""
    return vars(rng).get("_seeded_in") is coins


def _drawn(original: Callable[..., Any], instead: Callable[..., Any]) -> Callable[..., Any]:
    """A method of random.Random that draws."""

    def method(self: random.Random, *arguments: Any) -> Any:
        coins = coins_here()
        return original(self, *arguments) if coins is None or _is_seeded(self, coins) else instead(coins, *arguments)

    return method


def _seed(self: random.Random, a: Any = None, version: int = 2) -> None:
    """random.Random.seed: without a seed the generator stays random, with one it is what the seed makes of it."""
    coins = coins_here()
    if coins is not None and self is HIDDEN:
        refuse(
            coins,
            "seeds the generator of the module random, so that what it draws is no longer random",
            following="next: leave the seed out",
        )
    if coins is not None:
        vars(self)["_seeded_in"] = None if a is None else coins
    SEED(self, int(a) if type(a) is LazyInt else a, version)


SEED = random.Random.seed


def _urandom(original: Callable[[int], bytes]) -> Callable[[int], bytes]:
    def urandom(size: int) -> bytes:
        coins = coins_here()
        return original(size) if coins is None else LazyBytes.drawn(coins, int(size))

    return urandom


def _token_hex(nbytes: int | None = None) -> str:
    coins = coins_here()
    return TOKEN_HEX(nbytes) if coins is None else secrets.token_bytes(nbytes).hex()


def _token_urlsafe(nbytes: int | None = None) -> str:
    if coins_here() is None:
        return TOKEN_URLSAFE(nbytes)
    return base64.urlsafe_b64encode(bytes(secrets.token_bytes(nbytes))).rstrip(b"=").decode("ascii")


TOKEN_HEX, TOKEN_URLSAFE = secrets.token_hex, secrets.token_urlsafe


def _random(coins: Any) -> Any:
    return StandIn(coins).random()


DRAWS: dict[str, Callable[..., Any]] = {"random": _random, "getrandbits": getrandbits, "_randbelow": randbelow}


def _standard() -> list[Attribute]:
    places = []
    for kind in (random.Random, random.SystemRandom):
        for name, instead in DRAWS.items():
            places.append(Attribute(kind, name, _drawn(getattr(kind, name), instead)))
        for name in (name for name in TWO_DRAWS if hasattr(kind, name)):
            places.append(Attribute(kind, name, _drawn(getattr(kind, name), _two_draws(name))))
        for name in ("getstate", "setstate") if kind is random.Random else ():
            places.append(Attribute(kind, name, _drawn(getattr(kind, name), _state(name))))
    urandom = _urandom(os.urandom)
    names = ["random", "getrandbits", "seed", "getstate", "setstate", *(name for name in TWO_DRAWS if hasattr(random, name))]
    functions = [Attribute(random, name, _module_function(name)) for name in names]
    functions += [Attribute(secrets, "token_hex", _token_hex), Attribute(secrets, "token_urlsafe", _token_urlsafe)]
    roots = [
        Attribute(random.Random, "seed", _seed),
        Attribute(os, "urandom", urandom),
        Attribute(random, "_urandom", urandom),
    ]
    return [*places, *functions, *roots]


def _two_draws(name: str) -> Callable[..., Any]:
    return lambda coins, *_arguments: getattr(StandIn(coins), name)


def _state(name: str) -> Callable[..., Any]:
    return lambda coins, *arguments: getattr(StandIn(coins), name)(*arguments)


def _module_function(name: str) -> Callable[..., Any]:
    original = getattr(random, name)

    def function(*arguments: Any, **named: Any) -> Any:
        coins = coins_here()
        return original(*arguments, **named) if coins is None else getattr(StandIn(coins), name)(*arguments, **named)

    return function


def _mathematics() -> list[Attribute]:
    functions = math_functions()
    named = [Attribute(math, name, function) for name, function in functions.items() if hasattr(math, name)]
    return [
        *named,
        *(Attribute(random, f"_{name}", functions[name]) for name in ("log", "exp", "sqrt") if hasattr(random, f"_{name}")),
    ]


# numpy


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

    def __getattr__(self, name: str) -> Any:
        coins = coins_here()
        return getattr(self._make() if coins is None else self._stand_in(coins), name)


def routed(value: Any) -> Routed | None:
    """What stands in for a numpy generator that was made before the run; None for everything else."""
    if type(value) is np.random.Generator:
        return Routed(lambda: value, GeneratorStandIn)
    return Routed(lambda: value, RandomStateStandIn) if type(value) is np.random.RandomState else None


def _made(kind: Callable[[Any], Any], seed: Any) -> Any:
    """A generator of numpy's own, of a seed. numpy draws from the system before it looks at the seed."""
    coins = coins_here()
    exploring.coins = None
    try:
        return kind(int(seed) if type(seed) is LazyInt else seed)
    finally:
        exploring.coins = coins


def _randbits(bits: int) -> int:
    """What numpy seeds its bit generators with."""
    coins = coins_here()
    if coins is not None:
        refuse(coins, "makes a bit generator of numpy", following="next: np.random.default_rng()")
    return RANDBITS(bits)


RANDBITS = secrets.randbits


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


def _numpy_function(name: str, original: Callable[..., Any]) -> Callable[..., Any]:
    def function(*arguments: Any, **named: Any) -> Any:
        coins = coins_here()
        return (
            original(*arguments, **named) if coins is None else getattr(RandomStateStandIn(coins), name)(*arguments, **named)
        )

    return function


def _numpy() -> list[Attribute]:
    functions = [
        Attribute(np.random, name, _numpy_function(name, value))
        for name, value in vars(np.random).items()
        if getattr(value, "__self__", None) is GLOBAL or name in ("seed", "ranf", "sample", "get_state", "set_state")
    ]
    return [
        *functions,
        Attribute(np.random, "default_rng", _default_rng),
        Attribute(np.random.bit_generator, "randbits", _randbits, everywhere=False),
        Attribute(np.random, "RandomState", _RandomState),
        Attribute(np.random.mtrand, "_rand", Routed(lambda: GLOBAL, RandomStateStandIn)),
    ]
