"""The sources of randomness of the standard library that code reaches for itself, and what stands in for them."""

import base64
import math
import os
import random
import secrets
import sys
from collections.abc import Callable
from operator import index
from typing import Any

from finitedp.proofs_check.engine.lazy.integers import LazyInt
from finitedp.proofs_check.engine.stand_ins.bare_generators import bare_generators, is_seeded
from finitedp.proofs_check.engine.stand_ins.bytes import LazyBytes
from finitedp.proofs_check.engine.stand_ins.exploring import in_runs
from finitedp.proofs_check.engine.stand_ins.mathematics import math_functions
from finitedp.proofs_check.engine.stand_ins.refusing import refuse
from finitedp.proofs_check.engine.stand_ins.replacing import Attribute
from finitedp.proofs_check.engine.stand_ins.standard import TWO_DRAWS, StandIn, method_of

try:
    import ssl
except ImportError:  # a Python without OpenSSL
    ssl = None  # type: ignore[assignment]

HIDDEN: random.Random = getattr(random, "_inst")  # noqa: B009  # the generator behind the functions of the module random


def _of_generators(kind: type[random.Random], name: str) -> Attribute:
    """A method of random.Random that draws, or that tells or changes what is drawn."""
    original, instead = getattr(kind, name), method_of(StandIn, name)

    def method(coins: Any, self: random.Random, *arguments: Any) -> Any:
        return original(self, *arguments) if is_seeded(self, coins) else instead(coins, *arguments)

    return Attribute(kind, name, in_runs(original, method))


def _of_module(name: str) -> Attribute:
    """A function of the module random that does not ask for the method of its generator by name when it is called."""
    return Attribute(random, name, in_runs(getattr(random, name), method_of(StandIn, name)))


def _seed(coins: Any, self: random.Random, a: Any = None, version: int = 2) -> None:
    """random.Random.seed: without a seed the generator stays random, with one it is what the seed makes of it."""
    if self is HIDDEN:
        refuse(
            coins,
            "seeds the generator of the module random, so that what it draws is no longer random",
            following="next: leave the seed out",
        )
    own = vars(self)
    before, own["_seeded_in"] = own.get("_seeded_in"), coins
    try:
        SEED(self, int(a) if type(a) is LazyInt else a, version)
        before = None if a is None else coins
    finally:  # where it raised, the generator is as it was
        own["_seeded_in"] = before


SEED = random.Random.seed


def _bytes(original: Callable[..., Any], answer: Callable[[bytes], Any] = lambda drawn: drawn) -> Callable[..., Any]:
    """A function that draws so many bytes. What it says of fewer than none is its own."""

    def drawn(coins: Any, size: int, *options: Any, **named: Any) -> Any:
        return original(size, *options, **named) if size < 0 else answer(LazyBytes.drawn(coins, index(size)))

    return in_runs(original, drawn)


def _of_c(module: Any, name: str, *answer: Callable[[bytes], Any]) -> list[Attribute]:
    """A function of a module that draws bytes, and of the module in C that it is from, each by the same stand-in."""
    original = getattr(module, name, None)
    if original is None:
        return []
    replacement = _bytes(original, *answer)
    homes = (module, sys.modules.get(getattr(original, "__module__", None) or ""))
    return [Attribute(home, name, replacement) for home in homes if getattr(home, name, None) is original]


def _token(name: str, written: Callable[[bytes], str]) -> Attribute:
    """A function of the module secrets that writes bytes."""
    return Attribute(
        secrets, name, in_runs(getattr(secrets, name), lambda _coins, nbytes=None: written(bytes(secrets.token_bytes(nbytes))))
    )


def _mathematics() -> list[Attribute]:
    functions = math_functions()
    named = [Attribute(math, name, function) for name, function in functions.items() if hasattr(math, name)]
    return named + [Attribute(random, f"_{name}", functions[name]) for name in functions if hasattr(random, f"_{name}")]


def replacements() -> list[Attribute]:
    """Every attribute of the standard library that is replaced. Outside of a run each answers as its original."""
    two_draws = [name for name in (*TWO_DRAWS, "uniform", "expovariate") if hasattr(random, name)]
    of_both = ("random", "getrandbits", "_randbelow", *two_draws)
    return [
        *(_of_generators(kind, name) for kind in (random.Random, random.SystemRandom) for name in of_both),
        *(_of_generators(random.Random, name) for name in ("getstate", "setstate")),
        *(_of_module(name) for name in ("random", "getrandbits", "seed", "getstate", "setstate", *two_draws)),
        _token("token_hex", bytes.hex),
        _token("token_urlsafe", lambda drawn: base64.urlsafe_b64encode(drawn).rstrip(b"=").decode("ascii")),
        Attribute(random.Random, "seed", in_runs(SEED, _seed)),
        Attribute(random, "_urandom", _bytes(os.urandom)),
        *_of_c(os, "urandom"),
        *_of_c(os, "getrandom"),  # on Linux
        *_of_c(ssl, "RAND_bytes"),
        *_of_c(ssl, "RAND_pseudo_bytes", lambda drawn: (drawn, True)),
        *bare_generators(),
        *_mathematics(),
    ]
