"""The functions of the module math on floats that are not decided; on everything else they are the library's own."""

import math
from collections.abc import Callable, Mapping
from typing import Any

from finitedp.proofs_check.engine.stand_ins.floats import LazyFloat
from finitedp.proofs_check.engine.stand_ins.libm import FUNCTIONS

__all__ = ["math_functions"]


def _applied(name: str) -> Callable[..., Any]:
    original = getattr(math, name)

    def function(*arguments: Any) -> Any:
        if len(arguments) == 1 and type(arguments[0]) is LazyFloat:
            return arguments[0].of_python().applied(FUNCTIONS[name])
        return original(*arguments)

    return function


def _log(x: Any, *base: Any) -> Any:
    """math.log(x, b) is log(x) / log(b), each rounded."""
    if type(x) is not LazyFloat:
        return LOG(x, *base)
    natural = x.of_python().applied(FUNCTIONS["log"])
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


def _fabs(x: Any) -> Any:
    return abs(x.of_python()) if type(x) is LazyFloat else FABS(x)


def _copysign(x: Any, y: Any) -> Any:
    """By a fork on the sign of y; a zero has the sign that its word gives it."""
    if type(y) is LazyFloat:
        y = -1.0 if y < 0 else 1.0 if y > 0 else y.decided()
    return COPYSIGN(1.0, y) * abs(x.of_python()) if type(x) is LazyFloat else COPYSIGN(x, y)


def _ldexp(x: Any, i: Any) -> Any:
    return x.of_python().scaled(i) if type(x) is LazyFloat else LDEXP(x, i)


def _known(original: Callable[[Any], bool], answer: bool) -> Callable[[Any], bool]:
    return lambda x: answer if type(x) is LazyFloat else original(x)


LOG, POW, FABS, COPYSIGN, LDEXP = math.log, math.pow, math.fabs, math.copysign, math.ldexp


def math_functions() -> Mapping[str, Callable[..., Any]]:
    """What stands in for functions of math, by name. A value that is not finite is refused before it is one."""
    return {
        **{name: _applied(name) for name in FUNCTIONS},
        "log": _log,
        "pow": _pow,
        "fabs": _fabs,
        "copysign": _copysign,
        "ldexp": _ldexp,
        "isfinite": _known(math.isfinite, True),
        "isnan": _known(math.isnan, False),
        "isinf": _known(math.isinf, False),
    }
