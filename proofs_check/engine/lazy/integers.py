"""Integers whose value is not decided yet: what the explorer's coins hand to a mechanism.

A lazy integer is a draw followed by a chain of monotone integer operations (adding, multiplying, floor division, shifting,
negating, a rising table). A comparison of it with an integer unwinds the chain into one threshold on the draw, so that draws
of thousands of bits cost two branches for each comparison. A comparison of two of them is a relation between two draws, where
the coins keep such relations. Every other operation asks for the value.
"""

import operator
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from math import isfinite
from typing import Any, NoReturn, SupportsIndex, cast

from gmpy2 import mpq, mpz

from finitedp.proofs_check.engine.lazy.draws import Chain, Draw, image, threshold
from finitedp.proofs_check.engine.lazy.frames import caller_line, needs_the_value

FLOATS: dict[str, Callable[..., Any]] = {}
"""What stand_ins.floats makes of a lazy integer, put here by it: float(integer), and the quotient by an integer."""


class LazyInt:
    """An integer that is still an interval. It is not hashable, indexable or printable without being decided."""

    __slots__ = ("_chain", "_coins", "_draw")
    __array_ufunc__ = None  # numpy's scalars leave an operation to us

    def __init__(self, coins: Any, draw: Draw, chain: Chain = ()) -> None:
        self._coins = coins
        self._draw = draw
        self._chain = chain

    @property  # type: ignore[misc]  # what isinstance looks at
    def __class__(self) -> type:
        return int

    @property
    def __mpz__(self) -> Callable[[], mpz]:
        """What gmpy2 looks for: there in &, | and ^ alone."""
        if not needs_the_value():
            raise AttributeError("__mpz__")
        return lambda: mpz(self.__index__())

    numerator = real = property(lambda self: self)
    denominator = property(lambda _self: 1)
    imag = property(lambda _self: 0)

    def parts(self) -> tuple[Draw, Chain]:
        """The draw, and the operations on it."""
        return self._draw, self._chain

    def ends(self) -> tuple[int, int | None]:
        """The least and the largest value that is possible; the second is None where there are infinitely many."""
        low = image(self._chain, self._draw.low)
        if self._draw.high is None:
            return low, None
        high = image(self._chain, self._draw.high)
        return (low, high) if low <= high else (high, low)

    def looked_up(self, values: tuple[int, ...]) -> "LazyInt":
        """The entry of a rising table, counted from 1."""
        return self._then("table", values)

    # Comparisons: one threshold on the draw

    def splits_below(self, bound: int) -> bool:
        """Unwind the chain of operations into one threshold on the draw."""
        bound, negated = threshold(self._chain, bound)
        is_below: bool = self._coins.below(self._draw, bound)
        return is_below != negated

    def _of_this_run(self, other: object) -> bool:
        """True for a lazy integer of this run. Refuses one of another run."""
        if cast(LazyInt, other)._coins is not self._coins:
            self._coins.refuse(
                f"{caller_line()} mixes draws of two runs; accepted: draws of the run, and int(draw) in a cache or an output"
            )
        return True

    def _exact(self, other: object) -> Any:
        if type(other) is LazyInt and self._of_this_run(other):
            return other.__index__()
        return _exact_value(other)

    def _threshold(self, other: object, *, upper: bool) -> int:
        """The integer bound for which self < other (or, with `upper`, self <= other) is self < bound."""
        if type(other) is mpz or type(other) is int:  # by far the most frequent
            return other + 1 if upper else other
        exact: Any = self._exact(other)
        if type(other) is float and self._follows_floats and isfinite(other):
            exact = Fraction(other)
        if exact is None:
            self._refuse(f"comparison with the {type(other).__name__} {other!r}")
        numerator, denominator = exact.numerator, exact.denominator
        return numerator // denominator + 1 if upper else -(-numerator // denominator)  # type: ignore[no-any-return]

    def _less(self, other: object, *, upper: bool) -> bool:
        """Whether self < other, or with `upper` self <= other: as a relation of two draws, where the coins keep these."""
        if type(other) is LazyInt and self._of_this_run(other) and self._coins.joint:
            return not self._coins.less(other, self) if upper else cast(bool, self._coins.less(self, other))
        bound = self._threshold(other, upper=upper)
        self._coins.comparisons += 1
        return self.splits_below(bound)

    def __lt__(self, other: object) -> bool:
        return _like(other, self._less(other, upper=False))

    def __le__(self, other: object) -> bool:
        return _like(other, self._less(other, upper=True))

    def __gt__(self, other: object) -> bool:
        return _like(other, not self._less(other, upper=True))

    def __ge__(self, other: object) -> bool:
        return _like(other, not self._less(other, upper=False))

    def __eq__(self, other: object) -> Any:
        if type(other) is LazyInt and self._of_this_run(other) and self._coins.joint:
            return self <= other and self >= other
        exact = self._exact(other)
        if exact is None and not isinstance(other, float | complex | Decimal):
            if _knows_no_draws(other):
                self._refuse(f"comparison with the {type(other).__name__} {other!r}")
            return NotImplemented
        bound = other if exact is None else exact
        return _like(other, self <= bound and self >= bound)

    def __ne__(self, other: object) -> bool:
        return _like(other, not self == other)

    def __bool__(self) -> bool:
        return self != 0

    # Monotone arithmetic: stays lazy

    def _then(self, operation: str, k: Any) -> "LazyInt":
        return LazyInt(self._coins, self._draw, (*self._chain, (operation, k)))

    def __neg__(self) -> "LazyInt":
        return self._then("-", 0)

    def __pos__(self) -> "LazyInt":
        return self

    def _chained(self, function: Callable[..., Any], other: Any, lazily: Callable[[Any], Any]) -> Any:
        """The operation beside an integer, lazily, and beside other exact operands on the value."""
        exact = self._operand(other)
        return lazily(exact) if _is_integer(exact) else self._apply(function, exact)

    def _linear(self, function: Callable[..., Any], other: Any, lazily: Callable[[Any], Any]) -> Any:
        """The same; beside a float it is that of floats, and beside a draw without an end it is that one that stays lazy."""
        if type(other) is int or type(other) is mpz:  # by far the most frequent
            return lazily(other)
        if type(other) is float and self._follows_floats:
            return function(FLOATS["of_integer"](self), other)
        if type(other) is LazyInt and other.ends()[1] is None is not self.ends()[1] and self._of_this_run(other):
            return function(self.__index__(), other)
        return self._chained(function, other, lazily)

    def __add__(self, other: Any) -> Any:
        return self._linear(operator.add, other, lambda k: self._then("+", k))

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return self._linear(operator.sub, other, lambda k: self._then("+", -k))

    def __rsub__(self, other: Any) -> Any:
        return other - self.__index__() if _of_its_own_type(other) else -self + other

    def __mul__(self, other: Any) -> Any:
        return self._linear(operator.mul, other, self._times)

    __rmul__ = __mul__

    def _times(self, k: Any) -> Any:
        return self._then("*", k) if k > 0 else -self._then("*", -k) if k else 0

    def __floordiv__(self, other: Any) -> Any:
        return self._chained(operator.floordiv, other, self._divided)

    def _divided(self, k: Any) -> "LazyInt":
        if k == 0:
            raise ZeroDivisionError("integer division or modulo by zero")
        return self._then("//", k) if k > 0 else (-self)._then("//", -k)

    def __lshift__(self, other: Any) -> Any:
        return self._chained(operator.lshift, other, lambda k: self * (1 << k))

    def __rshift__(self, other: Any) -> Any:
        return self._chained(operator.rshift, other, lambda k: self // (1 << k))

    def __floor__(self) -> "LazyInt":
        return self

    __ceil__ = __trunc__ = __round__ = __floor__

    # Everything else: the value is decided

    def __index__(self) -> int:
        """The value, found by bisection: as many branches as there are values, however many draws give each of them."""
        self._coins.decide()
        low, high = self.ends()
        if high is None:
            return self._one_after_another()
        self._coins.allow(min(high - low, cast(int, self._draw.high) - self._draw.low) + 1)
        while low < high:
            middle = (low + high + 1) // 2
            if self.splits_below(middle):
                high = middle - 1
            else:
                low = middle
        return int(low)

    def _one_after_another(self) -> int:
        """The value, of infinitely many: that of the least draw that is left, or else the same question again."""
        falls = sum(operation == "-" for operation, _ in self._chain) % 2
        while True:
            value = image(self._chain, self._draw.low)
            if (not self.splits_below(value)) if falls else self.splits_below(value + 1):
                return int(value)

    __int__ = __index__

    def _operand(self, other: object) -> Any:
        """An exact operand, or one of another library as it is: then the value is decided, and that library computes.

        NotImplemented where Python must try the other side. Refuses floats and decimals.
        """
        if _of_its_own_type(other):
            return other
        if isinstance(other, float | complex | Decimal):
            self._refuse(f"arithmetic with the {type(other).__name__} {other!r}")
        exact = self._exact(other)
        if exact is None and _knows_no_draws(other):
            self._refuse(f"arithmetic with the {type(other).__name__} {other!r}")
        return NotImplemented if exact is None else exact

    def _apply(self, function: Callable[..., Any], exact: Any) -> Any:
        return NotImplemented if exact is NotImplemented else function(self.__index__(), exact)

    def __float__(self) -> NoReturn:
        self._refuse("conversion to a float")

    def __complex__(self) -> NoReturn:
        self._refuse("conversion to a complex number")

    def __truediv__(self, other: Any) -> Any:
        if not self._follows_floats:
            self._refuse(f"true division by {other!r}")
        if isinstance(other, Fraction) or type(other) in (mpq, LazyInt) or _of_its_own_type(other):
            return self._apply(operator.truediv, self._operand(other))
        if isinstance(other, float):
            return FLOATS["of_integer"](self) / other
        exact = self._operand(other)
        return exact if exact is NotImplemented else FLOATS["quotient"](self, int(exact))

    def __rtruediv__(self, other: Any) -> Any:
        if not self._follows_floats:
            self._refuse(f"true division of {other!r}")
        if type(other) is mpq or _of_its_own_type(other):  # a Fraction divides by itself
            return operator.truediv(other, self.__index__())
        return NotImplemented if isinstance(other, str | bytes) else other / FLOATS["of_integer"](self)

    def __copy__(self, _memo: object = None) -> "LazyInt":
        return self

    __deepcopy__ = __copy__

    def __reduce_ex__(self, _protocol: SupportsIndex) -> Any:
        return self._coins.refuse(f"{caller_line()} pickles a draw that is not decided; accepted: int(draw) there")

    def __abs__(self) -> "LazyInt":
        return -self if self < 0 else self

    @property
    def _follows_floats(self) -> bool:
        """Whether it was drawn in place of a library's number: code that draws from coins has no floats."""
        return getattr(self._coins, "follows_floats", False)

    def _refuse(self, what: str) -> NoReturn:
        refuse: Callable[[str], NoReturn] = self._coins.refuse
        refuse(
            f"{caller_line()}: {' '.join(what.split())} leaves the exact integers that the explorer can follow; accepted: "
            "integer arithmetic and comparisons with integers and rationals"
        )


# What may stand beside a draw. What comes of integers of other libraries has that library's types


def _exact_value(other: object) -> Any:
    """An operand, no draw, as an int, mpz, Fraction or mpq; None where it is none of these."""
    if isinstance(other, int) or type(other) in (mpz, mpq) or isinstance(other, Fraction):
        return other
    if hasattr(other, "__index__") and not isinstance(other, type) and not getattr(other, "ndim", 0):  # no array
        return int(operator.index(other))
    return None


def _knows_no_draws(other: object) -> bool:
    """Whether what is not exact is numpy's or gmpy2's: it would answer an integer, but to a draw it raises a TypeError."""
    return type(other).__module__.partition(".")[0] in ("numpy", "gmpy2")


def _is_integer(exact: object) -> bool:
    """Whether an exact operand is a whole number by its type."""
    return isinstance(exact, int) or type(exact) is mpz


def _of_its_own_type(other: object) -> bool:
    """Whether an operand is an integer of another library, such as numpy.int64: a result has that library's type and range."""
    return type(other) not in (int, mpz) and not isinstance(other, int | type) and hasattr(other, "__index__")


def _like(other: Any, truth: bool) -> bool:
    """The outcome of a comparison, with the type that it has beside an operand of another library: numpy.bool."""
    if not _of_its_own_type(other):
        return truth
    return cast(bool, type(other == other)(truth))


# Operations and methods that need the value: applied to the decided integer, with exact operands only


def _deciding(function: Callable[..., Any], *, reflected: bool) -> Callable[..., Any]:
    def operation(self: LazyInt, *others: Any) -> Any:
        exact = [self._operand(other) for other in others]
        if NotImplemented in exact:
            return NotImplemented
        value = self.__index__()  # a third operand is the modulus of pow(), which asks for it from Python 3.14 on
        return function(exact[0], value, *exact[1:]) if reflected else function(value, *exact)

    return operation


for _name in ("mod", "divmod", "pow", "and", "or", "xor", "floordiv", "lshift", "rshift"):
    _function: Any = {"divmod": divmod, "pow": pow}.get(_name) or getattr(operator, f"__{_name}__")
    setattr(LazyInt, f"__r{_name}__", _deciding(_function, reflected=True))
    if f"__{_name}__" not in vars(LazyInt):
        setattr(LazyInt, f"__{_name}__", _deciding(_function, reflected=False))
_METHODS = [name for name in dir(int) if name[0] != "_" and callable(getattr(int, name)) and name != "from_bytes"]
for _name in (*_METHODS, "__invert__", "__hash__", "__str__", "__repr__", "__format__"):
    setattr(LazyInt, _name, lambda self, *given, _name=_name, **named: getattr(self.__index__(), _name)(*given, **named))
