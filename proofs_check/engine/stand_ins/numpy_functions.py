"""numpy's functions of a float that is not decided: those that IEEE 754 fixes, and its logarithms and exponentials.

numpy computes log, log2, log1p, exp, exp2, expm1 and power of a scalar by its own vector code where the processor has it, so
that the platform's value is asked of numpy itself; the bound on its error is wider than libm's.
"""

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
from attrs import evolve

from finitedp.proofs_check.engine.stand_ins.floats import LazyFloat
from finitedp.proofs_check.engine.stand_ins.libm import FUNCTIONS, Function, power_of, power_to
from finitedp.proofs_check.engine.stand_ins.refusing import refuse

OPERATORS: dict[str, Any] = {
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
    "eq": np.equal,
    "ne": np.not_equal,
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "truediv": np.divide,
    "pow": np.power,
    "neg": np.negative,
    "pos": np.positive,
    "abs": np.absolute,
}
"""The ufuncs of operators, by their names in the module operator."""


def _operators(number: int) -> dict[str, Callable[..., Any]]:
    """Those of so many operands, but for powers, by the names of their ufuncs."""
    by_name = {ufunc.__name__: getattr(operator, name) for name, ufunc in OPERATORS.items() if ufunc.nin == number}
    return {name: function for name, function in by_name.items() if name != "power"}


BINARY: dict[str, Callable[[Any, Any], Any]] = {
    **_operators(2),
    "maximum": lambda x, y: max(y, x),  # where they are equal: see _applied_to_two
    "minimum": lambda x, y: min(y, x),
    "logical_and": lambda x, y: bool(x) and bool(y),
    "logical_or": lambda x, y: bool(x) or bool(y),
}
UNARY: dict[str, Callable[[Any], Any]] = {
    **_operators(1),
    "fabs": abs,
    "floor": lambda x: x.rounded_by("floor", lambda value: float(np.floor(value))),
    "ceil": lambda x: x.rounded_by("ceil", lambda value: float(np.ceil(value))),
    "trunc": lambda x: x.rounded_by("trunc", lambda value: float(np.trunc(value))),
    "rint": lambda x: x.rounded_by("rint", lambda value: float(np.rint(value))),
    "sign": lambda x: 1.0 if x > 0 else -1.0 if x < 0 else 0.0,
    "isfinite": lambda _x: np.True_,
    "isnan": lambda _x: np.False_,
    "isinf": lambda _x: np.False_,
    "logical_not": lambda x: not x,
}


def _of_numpy(name: str) -> Function:
    ufunc = getattr(np, name)
    return evolve(FUNCTIONS[name], name=f"np.{name}", real=lambda value: float(ufunc(value)), wide=True)


LIBRARY = {name: _of_numpy(name) for name in ("log", "log2", "log1p", "exp", "exp2", "expm1", "sqrt")}


def applied_ufunc(coins: Any, ufunc: Any, method: str, inputs: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """A ufunc of scalars, one of them a float that is not decided."""
    name = ufunc.__name__
    if method != "__call__" or named:
        refuse(coins, f"uses np.{name} with options on a float that is not decided")
    values = [value if isinstance(value, LazyFloat) else _as_python(value) for value in inputs]
    if len(values) == 1 and name in LIBRARY:
        return _library(coins, LIBRARY[name], values[0])
    if len(values) == 1 and name in UNARY:
        return _as_numpy(UNARY[name](values[0]))
    if len(values) == 2 and name in BINARY:
        if name == "divide" and values[1] == 0:
            refuse(coins, "divides by a value that may be 0, which numpy answers with inf or nan")
        if name in ("maximum", "minimum") and values[0] == values[1] == 0 and _sign(values[0]) != _sign(values[1]):
            refuse(coins, f"uses np.{name} of 0.0 and -0.0, of which it may return either")
        return _as_numpy(BINARY[name](*values))
    if name == "power":
        return _power(coins, inputs[0], inputs[1])
    refuse(coins, f"uses np.{name} of a float that is not decided")


def _as_python(value: Any) -> Any:
    return value.item() if type(value) is np.ndarray or isinstance(value, np.generic) else value


def _sign(value: Any) -> float:
    return math.copysign(1.0, value.decided() if isinstance(value, LazyFloat) else value)


def _power(coins: Any, base: Any, exponent: Any) -> Any:
    """np.power, by numpy's own code; the operator ** of a numpy.float64 is the C library's, and not told apart from it."""
    if isinstance(base, np.generic) and not isinstance(base, LazyFloat):
        refuse(coins, "raises a scalar of numpy to a value that is not decided", "the power of a float of Python")
    if isinstance(base, LazyFloat):
        if not base > 0:
            refuse(coins, "raises a value that may be at most 0 to a power")
        k = float(base._constant(exponent, "a power"))
        if k == 0:
            refuse(coins, "raises a value to the power 0")
        name, value, function, real = f"np.power(x, {k!r})", base, power_to(k), lambda x: float(np.power(x, k))
    else:
        k = float(exponent._constant(base, "a power"))
        if k <= 0 or k == 1:
            refuse(coins, f"raises {k!r} to a value that is not decided")
        name, value, function, real = f"np.power({k!r}, x)", exponent, power_of(k), lambda x: float(np.power(k, x))
    return value.applied(evolve(function, name=name, real=real, wide=True)).of_numpy()


def _library(coins: Any, function: Function, value: Any) -> Any:
    """A logarithm or an exponential. At the end of its domain numpy answers with -inf and a warning, below it with nan."""
    if function.above > -math.inf:
        if value.below(function.above):
            refuse(coins, f"uses {function.name} where it may be nan", "values at which it is a number")
        if not function.closed and value.equals(function.above):
            return np.float64(-math.inf)
    return value.applied(function).of_numpy()


def _as_numpy(value: Any) -> Any:
    if type(value) is bool:
        return np.bool_(value)
    if type(value) in (int, float):
        return np.float64(value)
    return value.of_numpy() if hasattr(type(value), "of_numpy") else value
