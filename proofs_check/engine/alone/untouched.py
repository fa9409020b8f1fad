"""What code that is taken alone finds around it: generators without a state, modules as they came, and settings.

Code may have exchanged an attribute of a module or of a generator, and a context of gmpy2 says how it rounds. Neither is a
global or an argument, and a law depends on it all the same.
"""

import math
import random
import sys
from collections.abc import Hashable, Iterable
from types import ModuleType
from typing import Any

import gmpy2

from finitedp.proofs_check.engine.stand_ins.exploring import exploring

_ENGINE = "finitedp.proofs_check.engine."
_OF_SOURCES = {"gauss_next", "_coins", "_make", "_stand_in"}
"""What generators and stand-ins hold themselves, besides a seed."""
_ROOTS = {"os": {"posix", "nt"}, "secrets": {"random"}, "random": {"math"}, "fractions": {"math"}}
"""Which modules' functions a module has besides its own."""
_GMPY2: Any = gmpy2  # its types do not know get_context
_CONSTANTS = (math.inf, math.pi, math.e)
_OF_ARITHMETIC = (
    *("precision", "real_prec", "imag_prec", "round", "real_round", "imag_round", "emax", "emin", "subnormalize"),
    *("trap_underflow", "trap_overflow", "trap_inexact", "trap_invalid", "trap_erange", "trap_divzero", "rational_division"),
)


def is_stood_in() -> bool:
    """Whether what draws from the system draws from the run's coins, in this thread, at present."""
    return bool(getattr(exploring, "stood_in", 0))


def is_source(value: object) -> bool:
    """Whether a value draws from the run's coins, and has nothing of its own: neither a seed nor an exchanged method."""
    kind = type(value)
    if kind is random.SystemRandom:
        own = dict(vars(value))
        return is_stood_in() and own.pop("_seeded_in", None) is None and own.keys() <= _OF_SOURCES and _is_random_as_it_came()
    stands_in = getattr(kind, "_explored", False) is True and kind.__module__.startswith(_ENGINE)
    return stands_in and vars(value).keys() <= _OF_SOURCES


def is_as_it_came(module: ModuleType, names: Iterable[str]) -> bool:
    """Whether the attributes of a module are its own, or the stand-ins. Parameters: names, those that may be used."""
    roots = {module.__name__, *_ROOTS.get(module.__name__, ())}
    content = vars(module)
    return all(_is_of(content[name], roots) for name in names if name in content) and (
        module.__name__ != "random" or _is_random_as_it_came()
    )


def _is_random_as_it_came() -> bool:
    methods = [value for kind in (random.Random, random.SystemRandom) for value in vars(kind).values() if callable(value)]
    return all(getattr(value, "__module__", None) is None or _is_of(value, {"random"}) for value in methods)


def _is_of(value: object, roots: set[str]) -> bool:
    if type(value) is ModuleType:
        return value.__name__.partition(".")[0] in roots and sys.modules.get(value.__name__) is value
    if type(value) is float:
        return value in _CONSTANTS
    home = getattr(value, "__module__", None) or ""
    return home.partition(".")[0] in roots or home.startswith(_ENGINE)


def arithmetic() -> Hashable:
    """How gmpy2 rounds at present."""
    context = _GMPY2.get_context()
    return tuple(getattr(context, name) for name in _OF_ARITHMETIC)
