"""The sources of randomness of the standard library that code reaches for itself, and what stands in for them."""

import base64
import math
import os
import random
import secrets
import sys
from collections.abc import Callable
from typing import Any

from finitedp.proofs_check.engine.lazy.integers import LazyInt
from finitedp.proofs_check.engine.stand_ins.bare_generators import bare_generators
from finitedp.proofs_check.engine.stand_ins.bytes import LazyBytes
from finitedp.proofs_check.engine.stand_ins.exploring import coins_here
from finitedp.proofs_check.engine.stand_ins.mathematics import math_functions
from finitedp.proofs_check.engine.stand_ins.refusing import refuse
from finitedp.proofs_check.engine.stand_ins.replacing import Attribute
from finitedp.proofs_check.engine.stand_ins.standard import TWO_DRAWS, StandIn, getrandbits, randbelow

try:
    import ssl
except ImportError:  # a Python without OpenSSL
    ssl = None  # type: ignore[assignment]

__all__ = ["HIDDEN", "replacements"]

HIDDEN: random.Random = getattr(random, "_inst")  # noqa: B009  # the generator behind the functions of the module random


def replacements() -> list[Attribute]:
    """Every attribute of the standard library that is replaced. Outside of a run each answers as its original."""
    return [*_standard(), *_mathematics()]


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


def _getrandom(original: Callable[[int, int], bytes]) -> Callable[[int, int], bytes]:
    def getrandom(size: int, flags: int = 0) -> bytes:
        coins = coins_here()
        return original(size, flags) if coins is None else LazyBytes.drawn(coins, int(size))

    return getrandom


def _rand_bytes(original: Callable[[int], bytes]) -> Callable[[int], bytes]:
    def rand_bytes(n: int, /) -> bytes:
        coins = coins_here()
        return original(n) if coins is None or n < 0 else LazyBytes.drawn(coins, int(n))

    return rand_bytes


def _rand_pseudo_bytes(original: Callable[[int], tuple[bytes, bool]]) -> Callable[[int], tuple[bytes, bool]]:
    def rand_pseudo_bytes(n: int, /) -> tuple[bytes, bool]:
        coins = coins_here()
        return original(n) if coins is None or n < 0 else (LazyBytes.drawn(coins, int(n)), True)

    return rand_pseudo_bytes


def _everywhere(module: Any, name: str, made: Callable[[Any], Any]) -> list[Attribute]:
    """A function of a module, and of the module in C that it is from, each by the same stand-in."""
    original = getattr(module, name, None)
    if original is None:
        return []
    replacement = made(original)
    homes = (module, sys.modules.get(getattr(original, "__module__", None) or ""))
    return [Attribute(home, name, replacement) for home in homes if getattr(home, name, None) is original]


def _of_c() -> list[Attribute]:
    of_ssl: list[tuple[str, Callable[..., Any]]] = [("RAND_bytes", _rand_bytes), ("RAND_pseudo_bytes", _rand_pseudo_bytes)]
    places = [*_everywhere(os, "urandom", _urandom), *_everywhere(os, "getrandom", _getrandom)]  # the latter on Linux
    return [*places, *(place for name, made in of_ssl for place in _everywhere(ssl, name, made)), *bare_generators()]


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
    names = ["random", "getrandbits", "seed", "getstate", "setstate", *(name for name in TWO_DRAWS if hasattr(random, name))]
    functions = [Attribute(random, name, _module_function(name)) for name in names]
    functions += [Attribute(secrets, "token_hex", _token_hex), Attribute(secrets, "token_urlsafe", _token_urlsafe)]
    roots = [Attribute(random.Random, "seed", _seed), Attribute(random, "_urandom", _urandom(os.urandom)), *_of_c()]
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
