"""The functions of the module math on floats that are not decided; on everything else they are the library's own."""

import math
from collections.abc import Callable, Mapping
from typing import Any

from finitedp.proofs_check.engine.stand_ins.floats import LazyFloat
from finitedp.proofs_check.engine.stand_ins.libm import FUNCTIONS


def _instead(name: str, follow: Callable[..., Any]) -> Callable[..., Any]:
    original = getattr(math, name)

    def function(*given: Any) -> Any:
        if given and type(given[0]) is LazyFloat:
            return follow(*given)
        if given and hasattr(type(given[0]), "of_math"):  # continuous noise
            return given[0].of_math(name, *given[1:])
        return original(*given)

    return function


def _applied(name: str) -> Callable[[LazyFloat], Any]:
    return lambda x: x.of_python().applied(FUNCTIONS[name])


def _log(x: LazyFloat, *base: Any) -> Any:
    """math.log(x, b) is log(x) / log(b), each rounded."""
    natural = _applied("log")(x)
    return natural / LOG(*base) if base else natural


def _pow(x: Any, y: Any) -> Any:
    """A domain error where 0 is divided by, unlike that of ** ."""
    if LazyFloat not in (type(x), type(y)):
        return POW(x, y)
    try:
        return _of_python(x) ** _of_python(y)
    except ZeroDivisionError:
        return POW(0.0, float(y))  # raises another error


def _of_python(x: Any) -> Any:
    return x.of_python() if type(x) is LazyFloat else float(x)


def _copysign(x: Any, y: Any) -> Any:
    """By a fork on the sign of y; a zero has the sign that its word gives it."""
    if type(y) is LazyFloat:
        y = -1.0 if y < 0 else 1.0 if y > 0 else y.decided()
    return COPYSIGN(1.0, y) * abs(x.of_python()) if type(x) is LazyFloat else COPYSIGN(x, y)


LOG, POW, COPYSIGN = math.log, math.pow, math.copysign
_OF_ONE: dict[str, Callable[..., Any]] = {
    **{name: _applied(name) for name in FUNCTIONS},
    "log": _log,
    "fabs": lambda x: abs(x.of_python()),
    "ldexp": lambda x, i: x.of_python().scaled(i),
    "isfinite": lambda _x: True,  # a value that is not finite is refused before it is one
    "isnan": lambda _x: False,
    "isinf": lambda _x: False,
}


def math_functions() -> Mapping[str, Callable[..., Any]]:
    """What stands in for functions of math, by name."""
    return {**{name: _instead(name, follow) for name, follow in _OF_ONE.items()}, "pow": _pow, "copysign": _copysign}
