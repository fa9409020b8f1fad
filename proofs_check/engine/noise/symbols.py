"""A draw of continuous noise as explored code sees it: a number whose value is never decided.

What is computed of draws by sums and rational multiples is an affine form of them. A comparison forks. Any other function
of draws is a new symbol, which is equal in two runs where its arguments are; whatever needs a value is refused with its line.
"""

import math
import operator
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any, NoReturn, cast

import numpy as np
from gmpy2 import mpq, mpz

from finitedp.proofs_check.engine.lazy.integers import LazyInt
from finitedp.proofs_check.engine.noise.rows import Form, Items
from finitedp.proofs_check.engine.noise.ufuncs import OF_ONE, OF_TWO, as_array, plain
from finitedp.proofs_check.engine.stand_ins.floats import LazyFloat
from finitedp.proofs_check.engine.stand_ins.refusing import refuse

NEXT = (
    "next: return the number as it is (what is done to an output costs no privacy), or declare the function that draws as a "
    "primitive ([[primitives]])"
)
_NUMBERS = (int, float, bool, Fraction, type(mpq()), type(mpz()))


class Symbol:
    """A number that depends on draws. Parameters: run, a Run (runs.py); form, what it is of them."""

    __slots__ = ("_run", "form")
    _holds_lazy = True
    __hash__ = None  # type: ignore[assignment]  # equal values would need equal hashes

    def __init__(self, run: Any, form: Form) -> None:
        self._run = run
        self.form = form

    @property  # type: ignore[misc]  # what isinstance looks at
    def __class__(self) -> type:
        return float

    # Arithmetic

    def __add__(self, other: Any) -> Any:
        return self._with(other, operator.add, self._plus)

    def _plus(self, other: Any) -> Any:
        if isinstance(other, float):  # inf or nan
            return other
        sums = dict(self.form.items)
        for k, value in other.items:
            sums[k] = sums.get(k, mpq(0)) + value
        return self._made(_items(sums), self.form.constant + other.constant)

    __radd__ = __add__

    def __neg__(self) -> Any:
        return self._times(Form((), mpq(-1)))

    def __pos__(self) -> Any:
        return self

    def __sub__(self, other: Any) -> Any:
        return self._with(
            other, operator.sub, lambda value: self._plus(-value if isinstance(value, float) else value.scaled(-1))
        )

    def __rsub__(self, other: Any) -> Any:
        return -self + other

    def __mul__(self, other: Any) -> Any:
        return self._with(other, operator.mul, self._times)

    __rmul__ = __mul__

    def _times(self, other: Any) -> Any:
        if isinstance(other, float):
            return other if math.isnan(other) else other if self > 0 else -other
        if other.items:
            return self._run.function("multiply", *sorted((self.form, other)))
        factor = other.constant
        return self._made(tuple((k, factor * v) for k, v in self.form.items if factor), factor * self.form.constant)

    def __truediv__(self, other: Any) -> Any:
        return self._with(other, operator.truediv, self._over)

    def _over(self, other: Any) -> Any:
        if isinstance(other, float):
            return other if math.isnan(other) else 0.0
        if other.items:
            return self._run.function("divide", self.form, other)
        if other.constant == 0:
            self._refuse("divides by 0", "next: look at what is 0 for these data")
        return self._times(Form((), 1 / other.constant))

    def __rtruediv__(self, other: Any) -> Any:
        return self._with(other, lambda one, many: many / one, lambda value: self._run.function("divide", value, self.form))

    def __abs__(self) -> Any:
        return self if self > 0 else -self

    # Comparisons

    def __gt__(self, other: Any) -> Any:
        return self._with(other, operator.gt, lambda value: self._above(value, strict=True))

    def __ge__(self, other: Any) -> Any:
        return self._with(other, operator.ge, lambda value: self._above(value, strict=False))

    def __lt__(self, other: Any) -> Any:
        return self._with(other, operator.lt, lambda value: not self._is_nan(value) and not self._above(value, strict=False))

    def __le__(self, other: Any) -> Any:
        return self._with(other, operator.le, lambda value: not self._is_nan(value) and not self._above(value, strict=True))

    def __eq__(self, other: Any) -> Any:
        if other is None or isinstance(other, str | bytes | list | tuple | dict | set):
            return False
        return self._with(other, operator.eq, self._equals)

    def __ne__(self, other: Any) -> Any:
        if other is None or isinstance(other, str | bytes | list | tuple | dict | set):
            return True
        return self._with(other, operator.ne, lambda value: not self._equals(value))

    @staticmethod
    def _is_nan(value: Any) -> bool:
        return isinstance(value, float) and math.isnan(value)

    def _above(self, value: Any, *, strict: bool) -> bool:
        if isinstance(value, float):
            return value == -math.inf
        return cast(bool, self._run.is_above(self._plus(value.scaled(mpq(-1))).form, strict=strict))

    def _equals(self, value: Any) -> bool:
        """Ties of continuous draws have the probability 0; those of functions that are not affine have not."""
        return not isinstance(value, float) and cast(bool, self._run.is_zero(self._plus(value.scaled(mpq(-1))).form))

    def __bool__(self) -> bool:
        return not self._run.is_zero(self.form)

    # Functions that are not affine

    def applied(self, name: str, *others: Any) -> Any:
        """A function of the library's name. Those that are not defined everywhere fork at the end of where they are."""
        if name in ("log", "log2", "log10", "sqrt") and not self > 0:
            self._refuse(f"takes {name} of a value that may be negative", "next: compare it with 0 first, and say what then")
        if name == "log1p" and not self > -1:
            self._refuse("takes log1p of a value that may be below -1", "next: compare it with -1 first, and say what then")
        return self._run.function(name, self.form, *(self._form(value) for value in others))

    def of_math(self, name: str, *others: Any) -> Any:
        """A function of the module math."""
        if name in ("isfinite", "isnan", "isinf"):
            return name == "isfinite"
        return abs(self) if name == "fabs" else self.applied(name, *others)

    def __round__(self, digits: int | None = None) -> Any:
        return self.applied(f"round to {digits}")

    def __floor__(self) -> Any:
        return self.applied("floor")

    def __ceil__(self) -> Any:
        return self.applied("ceil")

    def __trunc__(self) -> Any:
        return self.applied("trunc")

    def __floordiv__(self, other: Any) -> Any:
        return self._with(other, operator.floordiv, lambda value: self._run.function("floor_divide", self.form, value))

    def __mod__(self, other: Any) -> Any:
        return self._with(other, operator.mod, lambda value: self._run.function("mod", self.form, value))

    def __pow__(self, power: Any) -> Any:
        if isinstance(power, int) and power >= 0 and not isinstance(power, bool):
            return self.applied(f"power {power}")
        self._refuse("raises a draw to a power", "next: an integer power of at least 0, or sqrt")

    def conjugate(self) -> Any:
        """Itself."""
        return self

    @property
    def real(self) -> Any:
        """Itself."""
        return self

    @property
    def imag(self) -> float:
        """0."""
        return 0.0

    # numpy

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **named: Any) -> Any:
        if method != "__call__" or named:
            self._refuse(f"uses np.{ufunc.__name__}.{method} or its options on a draw")
        if len(inputs) == 1:
            return OF_ONE.get(ufunc.__name__, lambda one: one.applied(ufunc.__name__))(self)
        apply = OF_TWO.get(ufunc.__name__)
        if apply is None:
            self._refuse(f"uses np.{ufunc.__name__} of a draw")
        if not any(isinstance(one, np.ndarray) and one.ndim for one in inputs):
            return apply(*map(plain, inputs))
        cells = np.broadcast_arrays(*(_cells(one) for one in inputs))
        return as_array(
            [apply(*values) for values in zip(*(map(plain, cell.flat) for cell in cells), strict=True)], cells[0].shape
        )

    def __array_function__(self, function: Any, _types: Any, arguments: Any, named: Any) -> Any:
        plain = [_cells(one) if type(one) is Symbol else one for one in arguments]
        found = function(*plain, **named)
        return found.item() if isinstance(found, np.ndarray) and not found.ndim else found

    # What is refused

    def _with(self, other: Any, operation: Callable[[Any, Any], Any], of_forms: Callable[[Any], Any]) -> Any:
        """An operation with another number, as a form or a float that is not finite; with an array, for each of its cells."""
        if type(other) is np.ndarray and other.ndim:
            return as_array([operation(self, cell) for cell in other.flat], other.shape)
        return of_forms(self._form(other))

    def _form(self, value: Any) -> Any:
        return form_of(self._run, value)

    def _made(self, items: Items, constant: mpq) -> Any:
        return Symbol(self._run, Form(items, constant))

    def _refuse(self, what: str, following: str = NEXT) -> NoReturn:
        refuse(self._run.coins, what, following=following)

    def __float__(self, *_others: object) -> NoReturn:
        self._refuse(
            "needs the value of a draw of continuous noise (float(), int(), an array of floats, a print, ...)",
            "next: keep it as it is (noisy = values + noise makes a new array), or declare the function that draws as a "
            "primitive ([[primitives]])",
        )

    __int__ = __index__ = __complex__ = __divmod__ = __rdivmod__ = __rmod__ = __rpow__ = __rfloordiv__ = __float__
    __format__ = __str__ = __reduce_ex__ = __float__

    def __repr__(self) -> str:
        self.__float__()

    def __getattr__(self, name: str) -> Any:
        if name in _METHODS:
            return partial(self.applied, name)
        if name.startswith("__") or not hasattr(float, name):
            raise AttributeError(f"'float' object has no attribute {name!r}")
        self._refuse(f"uses .{name} of a draw of continuous noise")


_METHODS = {"exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sqrt", "rint", "floor", "ceil", "trunc"}
"""What numpy calls on the cells of an array of objects."""


def _items(sums: dict[int, mpq]) -> Items:
    return tuple(sorted((k, value) for k, value in sums.items() if value))


def form_of(run: Any, value: Any) -> Any:
    """A number as a form: floats are the rationals that they are. One that is not finite is a float. Others are refused."""
    if type(value) is Symbol:
        if value._run is not run:
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
    return Form((), mpq(Fraction(value)) if isinstance(value, float) else mpq(value))


def _cells(value: Any) -> Any:
    if type(value) is Symbol:
        cell = np.empty((), dtype=object)
        cell[()] = value
        return cell
    return np.asarray(value)
