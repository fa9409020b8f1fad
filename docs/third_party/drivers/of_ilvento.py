"""Calls of Ilvento's base-2 exponential mechanism. It is in no package: its folder has to be on the path of Python.

It was written for a gmpy2 whose contexts had trap_expbound, too, which version 2.1 left out. Here they have it, to no effect.
"""

from random import Random
from typing import Any

import expmech
import gmpy2


class _Context:
    """A context of gmpy2 with that attribute."""

    trap_expbound = True

    def __init__(self, context: Any) -> None:
        vars(self)["context"] = context

    def __getattr__(self, name: str) -> Any:
        return getattr(self.context, name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name != "trap_expbound":
            setattr(self.context, name, value)

    def copy(self) -> "_Context":
        """As that of gmpy2."""
        return _Context(self.context.copy())


class _Gmpy2:
    """The module, with such contexts."""

    def __getattr__(self, name: str) -> Any:
        return getattr(gmpy2, name)

    @staticmethod
    def get_context() -> _Context:
        """As that of gmpy2."""
        return _Context(gmpy2.get_context())


def clamped(count: int, rng: Random) -> int:
    """The clamped Laplace mechanism on -1..1 at eta = 1, whose utilities are rounded by two random bits each."""
    return _released(count, rng, -1, 3)


def of_two_outcomes(count: int, rng: Random) -> int:
    """The same on 0..1, without random bits for rounding, which whole utilities do not need."""
    return _released(count, rng, 0, 1)


def _released(count: int, rng: Random, low: int, precision: int) -> int:
    own, expmech.gmpy2 = expmech.gmpy2, _Gmpy2()
    try:
        with gmpy2.context():  # the mechanism changes the context
            mechanism = expmech.LaplaceMech(
                lambda: int(rng.getrandbits(1)),
                count,
                1,
                1,
                1,
                1,
                b_min=low,
                b_max=1,
                gamma=1,
                min_sampling_precision=precision,
            )
            return int(mechanism.run_mechanism(optimized_sample=True))
    finally:
        expmech.gmpy2 = own
