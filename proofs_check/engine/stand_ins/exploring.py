"""Which run this thread explores, and numpy where there is one."""

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

exploring = threading.local()
"""coins: those of the run, in a thread that explores. stood_in: how many times over stand-ins are in place there. noise: what
follows continuous noise in that run (noise.runs.Run), where an audit asks for it."""


def coins_here() -> Any:
    """The coins of the run that this thread explores, or None."""
    return getattr(exploring, "coins", None)


def noise_of(coins: Any) -> Any:
    """What follows continuous noise in the run of these coins, or None."""
    noise = getattr(exploring, "noise", None)
    return noise if noise is not None and noise.coins is coins else None


@contextmanager
def aside() -> Iterator[None]:
    """Outside of the run: everything answers as its original, in this thread."""
    coins, exploring.coins = coins_here(), None
    try:
        yield
    finally:
        exploring.coins = coins


def in_runs(original: Callable[..., Any], instead: Callable[..., Any]) -> Callable[..., Any]:
    """A function that is another one, of the coins and the same arguments, in a thread that explores."""

    def function(*arguments: Any, **named: Any) -> Any:
        coins = coins_here()
        return original(*arguments, **named) if coins is None else instead(coins, *arguments, **named)

    return function


class _Numpy:
    """numpy, imported when something of it is first used: most explored code has none."""

    def __getattr__(self, name: str) -> Any:
        import numpy as loaded

        return getattr(loaded, name)


numpy: Any = _Numpy()


def is_numpy_array(value: object) -> bool:
    """Whether a value is an ndarray, or stands for one. Without numpy none is."""
    return sys.modules.get("numpy") is not None and isinstance(value, numpy.ndarray)


def is_numpy_scalar(value: object) -> bool:
    """Whether a value is a scalar of numpy, or stands for one. Without numpy none is."""
    return sys.modules.get("numpy") is not None and isinstance(value, numpy.generic)
