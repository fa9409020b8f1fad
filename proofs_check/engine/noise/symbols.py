"""A draw of continuous noise as explored code sees it: a number whose value is never decided.

What is computed of draws by sums and rational multiples is an affine form of them. A comparison forks. Any other function
of draws is a new symbol, which is equal in two runs where its arguments are; whatever needs a value is refused with its line.
"""

import math
import operator
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import partial
from typing import Any, NoReturn

import numpy as np
from gmpy2 import mpq, mpz

from finitedp.proofs_check.engine.lazy.integers import LazyInt
from finitedp.proofs_check.engine.noise.rows import scaled
from finitedp.proofs_check.engine.stand_ins.floats import LazyFloat
from finitedp.proofs_check.engine.stand_ins.refusing import refuse
from finitedp.proofs_check.pipeline_certificate import Form

NEXT = (
    "next: return the number as it is (what is done to an output costs no privacy), or declare the function that draws as a "
    "primitive ([[primitives]]), or a bound on what is computed ([[bounds]])"
)
_NUMBERS = (int, float, bool, Fraction, type(mpq()), type(mpz()))
_METHODS = {"exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sqrt", "rint", "floor", "ceil", "trunc"}
"""What numpy calls on the cells of an array of objects."""
Method = Callable[..., Any]


def _operator(of_value: Callable[["Symbol", Any], Any]) -> Any:
    """The method of an operator. Parameters: what it gives with a number, as a form or as a float that is not finite."""

    def method(self: "Symbol", other: Any) -> Any:
        if type(other) is np.ndarray and other.ndim:
            return as_array([method(self, cell) for cell in other.flat], other.shape)
        return of_value(self, form_of(self.run, other))

    return method


def _equality(equal: bool) -> Any:
    def method(self: "Symbol", other: Any) -> Any:
        """Ties of continuous draws have the probability 0; those of functions that are not affine have not."""
        if other is None or isinstance(other, str | bytes | list | tuple | dict | set):
            return not equal
        return _operator(lambda one, value: (not isinstance(value, float) and one.run.is_zero(one.less(value))) == equal)(
            self, other
        )

    return method


def _function(name: str) -> Any:
    def method(self: "Symbol") -> Any:
        return self.applied(name)

    return method


def _is_nan(value: Any) -> bool:
    return isinstance(value, float) and math.isnan(value)


class Symbol:
    """A number that depends on draws. Parameters: run, a Run (runs.py); form, what it is of them."""

    __slots__ = ("form", "run")
    _holds_lazy = True
    __hash__ = None  # type: ignore[assignment]  # equal values would need equal hashes

    def __init__(self, run: Any, form: Form) -> None:
        self.run = run
        self.form = form

    @property  # type: ignore[misc]  # what isinstance looks at
    def __class__(self) -> type:
        return float

    # Arithmetic

    def less(self, value: Form) -> Form:
        """The form of the difference."""
        return _sum(self.form, scaled(value, -1))

    def _plus(self, value: Any) -> Any:
        return value if isinstance(value, float) else Symbol(self.run, _sum(self.form, value))

    def _times(self, value: Any) -> Any:
        if isinstance(value, float):
            return value if math.isnan(value) else value if self > 0 else -value
        if value[0]:
            return self.run.function("multiply", *sorted((self.form, value)))
        return Symbol(self.run, scaled(self.form, value[1]) if value[1] else ((), mpq(0)))

    def _over(self, value: Any) -> Any:
        if isinstance(value, float):
            return value if math.isnan(value) else 0.0
        if value[0]:
            return self.run.function("divide", self.form, value)
        if value[1] == 0:
            self._refuse("divides by 0", "next: look at what is 0 for these data")
        return self._times(((), 1 / value[1]))

    def _above(self, value: Any, *, strict: bool) -> Any:
        return value == -math.inf if isinstance(value, float) else self.run.is_above(self.less(value), strict=strict)

    __add__ = __radd__ = _operator(_plus)
    __sub__ = _operator(lambda self, value: self._plus(-value if isinstance(value, float) else scaled(value, -1)))
    __mul__ = __rmul__ = _operator(_times)
    __truediv__ = _operator(_over)
    __rtruediv__ = _operator(lambda self, value: self.run.function("divide", value, self.form))
    __floordiv__ = _operator(lambda self, value: self.run.function("floor_divide", self.form, value))
    __mod__ = _operator(lambda self, value: self.run.function("mod", self.form, value))
    __gt__ = _operator(lambda self, value: self._above(value, strict=True))
    __ge__ = _operator(lambda self, value: self._above(value, strict=False))
    __lt__ = _operator(lambda self, value: not _is_nan(value) and not self._above(value, strict=False))
    __le__ = _operator(lambda self, value: not _is_nan(value) and not self._above(value, strict=True))
    __eq__ = _equality(True)
    __ne__ = _equality(False)

    def __rsub__(self, other: Any) -> Any:
        return -self + other

    def __neg__(self) -> Any:
        return Symbol(self.run, scaled(self.form, mpq(-1)))

    def __pos__(self) -> Any:
        return self

    def __abs__(self) -> Any:
        return self if self > 0 else -self

    def __bool__(self) -> bool:
        return not self.run.is_zero(self.form)

    # Functions that are not affine

    def applied(self, name: str, *others: Any) -> Any:
        """A function of the library's name. Those that are not defined everywhere fork at the end of where they are."""
        if (name in ("log", "log2", "log10") and not self > 0) or (name == "sqrt" and not self >= 0):
            self._refuse(f"takes {name} of a value that may be negative", "next: compare it with 0 first, and say what then")
        if name == "log1p" and not self > -1:
            self._refuse("takes log1p of a value that may be below -1", "next: compare it with -1 first, and say what then")
        return self.run.function(name, self.form, *(form_of(self.run, value) for value in others))

    def of_math(self, name: str, *others: Any) -> Any:
        """A function of the module math."""
        if name in ("isfinite", "isnan", "isinf"):
            return name == "isfinite"
        return abs(self) if name == "fabs" else self.applied(name, *others)

    __floor__, __ceil__, __trunc__ = _function("floor"), _function("ceil"), _function("trunc")

    def __round__(self, digits: int | None = None) -> Any:
        return self.applied(f"round to {digits}")

    def __pow__(self, power: Any) -> Any:
        if isinstance(power, int) and power >= 0 and not isinstance(power, bool):
            return self.applied(f"power {power}")
        self._refuse("raises a draw to a power", "next: an integer power of at least 0, or sqrt")

    conjugate = __pos__
    imag = 0.0

    @property
    def real(self) -> Any:
        """Itself."""
        return self

    # numpy

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **named: Any) -> Any:
        name = ufunc.__name__
        if method != "__call__" or named:
            self._refuse(f"uses np.{name}.{method} or its options on a draw")
        if len(inputs) == 1:
            return OF_ONE[name](self) if name in OF_ONE else self.applied(name)
        if name not in OF_TWO:
            self._refuse(f"uses np.{name} of a draw")
        if not any(isinstance(one, np.ndarray) and one.ndim for one in inputs):
            return OF_TWO[name](*map(_plain, inputs))
        cells = np.broadcast_arrays(*map(_cells, inputs))
        pairs = zip(*(map(_plain, cell.flat) for cell in cells), strict=True)
        return as_array([OF_TWO[name](*pair) for pair in pairs], cells[0].shape)

    def __array_function__(self, function: Any, _types: Any, arguments: Any, named: Any) -> Any:
        found = function(*(_cells(one) if type(one) is Symbol else one for one in arguments), **named)
        return found.item() if isinstance(found, np.ndarray) and not found.ndim else found

    # What is refused

    def _refuse(self, what: str, following: str = NEXT) -> NoReturn:
        refuse(self.run.coins, what, following=following)

    def __float__(self, *_others: object) -> NoReturn:
        self._refuse(
            "needs the value of a draw of continuous noise (float(), int(), an array of floats, a print, ...)",
            "next: keep it as it is (noisy = values + noise makes a new array), or declare the function that draws as a "
            "primitive ([[primitives]]), or a bound on what is computed ([[bounds]])",
        )

    __int__ = __index__ = __complex__ = __divmod__ = __rdivmod__ = __rmod__ = __rpow__ = __rfloordiv__ = __float__
    __format__ = __str__ = __reduce_ex__ = __repr__ = __float__

    def __getattr__(self, name: str) -> Any:
        if name in _METHODS:
            return partial(self.applied, name)
        if name.startswith("__") or not hasattr(float, name):
            raise AttributeError(f"'float' object has no attribute {name!r}")
        self._refuse(f"uses .{name} of a draw of continuous noise")


def _sum(one: Form, other: Form) -> Form:
    sums = dict(one[0])
    for k, value in other[0]:
        sums[k] = sums.get(k, 0) + value
    return tuple(sorted((k, value) for k, value in sums.items() if value)), one[1] + other[1]


def form_of(run: Any, value: Any) -> Any:
    """A number as a form: floats are the rationals that they are. One that is not finite is a float. Others are refused."""
    if type(value) is Symbol:
        if value.run is not run:
            refuse(run.coins, "uses a draw of another run", following="next: keep no draw between runs")
        return value.form
    if type(value) in (LazyInt, LazyFloat):
        value = int(value) if type(value) is LazyInt else value.decided()
    if isinstance(value, np.generic) or (type(value) is np.ndarray and not value.ndim):
        return form_of(run, value.item())
    if not isinstance(value, _NUMBERS):
        refuse(run.coins, f"has a draw of continuous noise and a {type(value).__name__} meet", following=NEXT)
    if isinstance(value, float) and not math.isfinite(value):
        return float(value)
    return (), mpq(Fraction(value)) if isinstance(value, float) else mpq(value)


# numpy's functions of one number and of two, by their names; and arrays whose cells are draws

OF_ONE: Mapping[str, Method] = {
    "negative": operator.neg,
    "positive": operator.pos,
    "absolute": abs,
    "fabs": abs,
    "isfinite": lambda _x: np.True_,
    "isnan": lambda _x: np.False_,
    "isinf": lambda _x: np.False_,
    "sign": lambda x: 1.0 if x > 0 else -1.0 if x < 0 else 0.0,
    "square": lambda x: x * x,
    "logical_not": operator.not_,
    "conjugate": operator.pos,
}
_OF_OPERATOR = "add subtract=sub multiply=mul divide=truediv floor_divide=floordiv remainder=mod power=pow greater=gt"
_OF_OPERATOR += " greater_equal=ge less=lt less_equal=le equal=eq not_equal=ne"
OF_TWO: Mapping[str, Method] = {
    **{name.split("=")[0]: getattr(operator, name.split("=")[-1]) for name in _OF_OPERATOR.split()},
    "maximum": lambda x, y: x if x > y or _is_nan(x) else y,
    "minimum": lambda x, y: x if x < y or _is_nan(x) else y,
}


def as_array(cells: list[Any], shape: tuple[int, ...]) -> Any:
    """An array of objects, or of bool where all cells are."""
    if all(isinstance(cell, bool) for cell in cells):
        return np.array(cells, dtype=bool).reshape(shape)
    found = np.empty(len(cells), dtype=object)
    found[:] = cells
    return found.reshape(shape)


def _plain(value: Any) -> Any:
    """Without numpy's scalars, which would ask numpy again."""
    return value.item() if isinstance(value, np.generic | np.ndarray) else value


def _cells(value: Any) -> Any:
    return as_array([value], ()) if type(value) is Symbol else np.asarray(value)
