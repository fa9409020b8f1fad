"""Code that is explored may draw from what it is given, and from nothing else: the usual other sources are refused.

They are the operating system's randomness (with it secrets, random.SystemRandom, uuid4 and numpy's new generators), and the
functions of the module random. Only the thread that explores is refused. What goes round this is found by replay where two
runs of a path differ.
"""

import os
import random
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from finitedp.impl.randomness.coins import Coins
from finitedp.proofs_check.engine.explorer import Budget, explore
from finitedp.proofs_check.engine.lazy import caller_line

__all__ = ["exploring", "moves_the_global_random", "refused_here"]

exploring = threading.local()
"""coins: those of the run, in a thread that explores."""


@contextmanager
def refused_here() -> Iterator[None]:
    """Refuse other randomness in this thread, through the coins of the run, so that the code cannot swallow it."""
    places = [(os, "urandom"), (random, "_urandom")]
    hidden = getattr(random, "_inst")  # noqa: B009  # the generator behind the module's functions
    places += [(random, name) for name, value in vars(random).items() if getattr(value, "__self__", None) is hidden]
    before = [(module, name, getattr(module, name)) for module, name in places]
    for module, name, original in before:
        setattr(module, name, _refused(f"{module.__name__}.{name}", original))
    try:
        yield
    finally:
        exploring.coins = None
        for module, name, original in before:
            setattr(module, name, original)


def _refused(name: str, original: Callable[..., Any]) -> Callable[..., Any]:
    def other(*arguments: Any, **named: Any) -> Any:  # noqa: ANN401  # as the original
        coins = getattr(exploring, "coins", None)
        if coins is not None:
            coins.refuse(f"{caller_line()} uses other randomness, {name}; accepted: what the mechanism is given")
        return original(*arguments, **named)

    return other


def moves_the_global_random(program: Callable[[Coins], Any]) -> bool:
    """Whether Python's global generator is in another state after one run."""
    before = random.getstate()
    explore(program, Budget(runs=1))
    return random.getstate() != before
