"""Integers whose value is not decided yet: what the explorer's coins hand to a mechanism.

A lazy integer is a uniform draw followed by a chain of monotone integer operations (adding, multiplying, floor division,
shifting, negating). A comparison of it with an integer unwinds the chain into one threshold on the draw, so that draws of
thousands of bits cost two branches for each comparison. Every other operation asks for the value.
"""

import sys
from collections.abc import Callable
from typing import Any, NoReturn, Protocol

from gmpy2 import mpq, mpz

from finitedp.errors import ExplorationError

__all__ = ["Draw", "LazyInt", "caller_line", "settled"]

_OWN_FILES = (__file__, __file__.replace("lazy.py", "explorer.py"))


class Draw:
    """A uniform draw from 1..d, known to lie in low..high."""

    __slots__ = ("d", "high", "index", "low")

    def __init__(self, index: int, d: int) -> None:
        self.index = index
        self.d = d
        self.low = 1
        self.high = d


class Decider(Protocol):
    """Who decides about draws: the explorer's coins."""

    comparisons: int

    def below(self, draw: Draw, bound: int) -> bool:
        """Whether the draw is below the bound."""
        ...

    def allow(self, values: int) -> None:
        """Refuse a split into too many values."""
        ...


def caller_line() -> str:
    """Where the explored code is: "in FUNCTION, FILE:LINE" of the innermost frame outside of the explorer."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename in _OWN_FILES:
        frame = frame.f_back
    return f"in {frame.f_code.co_name}, {frame.f_code.co_filename}:{frame.f_lineno}"


def _is_integer(other: object) -> bool:
    return isinstance(other, int) or type(other) is mpz


class LazyInt:
    """An integer that is still an interval. It is not hashable, indexable or printable without being decided."""

    __slots__ = ("_chain", "_decider", "_draw")

    def __init__(self, decider: Decider, draw: Draw, chain: tuple[tuple[str, int], ...] = ()) -> None:
        self._decider = decider
        self._draw = draw
        self._chain = chain

    # Comparisons: one threshold on the draw

    def _below(self, bound: int) -> bool:
        """Whether self < bound, for an integer bound."""
        self._decider.comparisons += 1
        return self._splits_below(bound)

    def _splits_below(self, bound: int) -> bool:
        """Unwind the chain of operations into one threshold on the draw."""
        negated = False
        for operation, k in reversed(self._chain):
            if operation == "+":
                bound = bound - k
            elif operation == "*":
                bound = -(-bound // k)
            elif operation == "//":
                bound = bound * k
            else:  # negation: -x < bound exactly when not x < 1 - bound
                bound, negated = 1 - bound, not negated
        return self._decider.below(self._draw, bound) != negated

    def _threshold(self, other: object, *, upper: bool) -> int:
        """The integer bound for which self < other (or, with `upper`, self <= other) is self < bound."""
        if isinstance(other, LazyInt):
            other = other.__index__()
        if type(other) is mpq or hasattr(other, "numerator"):
            numerator, denominator = other.numerator, other.denominator  # type: ignore[attr-defined]  # just checked
            return numerator // denominator + 1 if upper else -(-numerator // denominator)  # type: ignore[no-any-return]
        return self._refuse(f"comparison with the {type(other).__name__} {other!r}")

    def __lt__(self, other: object) -> bool:
        return self._below(other if _is_integer(other) else self._threshold(other, upper=False))  # type: ignore[arg-type]

    def __le__(self, other: object) -> bool:
        return self._below(other + 1 if _is_integer(other) else self._threshold(other, upper=True))  # type: ignore[operator]

    def __gt__(self, other: object) -> bool:
        return not self <= other

    def __ge__(self, other: object) -> bool:
        return not self < other

    def __eq__(self, other: object) -> bool:
        if isinstance(other, LazyInt):
            other = other.__index__()
        if other is None or isinstance(other, str | bytes | tuple | list | dict | set | frozenset):
            return False
        return self <= other and self >= other

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __bool__(self) -> bool:
        return self != 0

    # Monotone arithmetic: stays lazy

    def _then(self, operation: str, k: int) -> "LazyInt":
        return LazyInt(self._decider, self._draw, (*self._chain, (operation, k)))

    def __add__(self, other: Any) -> Any:
        return self._then("+", other) if _is_integer(other) else self._decided(lambda x: x + other, other)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return self + -other if _is_integer(other) else self._decided(lambda x: x - other, other)

    def __rsub__(self, other: Any) -> Any:
        return -self + other

    def __neg__(self) -> "LazyInt":
        return self._then("-", 0)

    def __pos__(self) -> "LazyInt":
        return self

    def __mul__(self, other: Any) -> Any:
        if not _is_integer(other):
            return self._decided(lambda x: x * other, other)
        if other == 0:
            return 0
        return self._then("*", other) if other > 0 else -self._then("*", -other)

    __rmul__ = __mul__

    def __floordiv__(self, other: Any) -> Any:
        if _is_integer(other) and other != 0:
            return self._then("//", other) if other > 0 else (-self)._then("//", -other)
        return self._decided(lambda x: x // other, other)

    def __lshift__(self, other: Any) -> Any:
        return self * (mpz(1) << other) if _is_integer(other) else self._decided(lambda x: x << other, other)

    def __rshift__(self, other: Any) -> Any:
        return self // (mpz(1) << other) if _is_integer(other) else self._decided(lambda x: x >> other, other)

    def __floor__(self) -> "LazyInt":
        return self

    __ceil__ = __trunc__ = __round__ = __floor__

    # Everything else: the value is decided

    def __index__(self) -> int:
        """The value, found by bisection: as many branches as there are values, however many draws give each of them."""
        low, high = sorted((self._image(self._draw.low), self._image(self._draw.high)))
        self._decider.allow(high - low + 1)
        while low < high:
            middle = (low + high + 1) // 2
            if self._splits_below(middle):
                high = middle - 1
            else:
                low = middle
        return int(low)

    def _image(self, value: int) -> int:
        for operation, k in self._chain:
            if operation == "+":
                value = value + k
            elif operation == "*":
                value = value * k
            else:
                value = value // k if operation == "//" else -value
        return value

    __int__ = __index__

    def _decided(self, function: Callable[[int], Any], other: object) -> Any:
        if isinstance(other, float | complex):
            self._refuse(f"arithmetic with the {type(other).__name__} {other!r}")
        return function(self.__index__())

    def __hash__(self) -> int:
        return hash(self.__index__())

    def __str__(self) -> str:
        return str(self.__index__())

    __repr__ = __str__

    def __format__(self, specification: str) -> str:
        return format(self.__index__(), specification)

    def __float__(self) -> NoReturn:
        self._refuse("conversion to a float")

    def __complex__(self) -> NoReturn:
        self._refuse("conversion to a complex number")

    def __truediv__(self, other: Any) -> NoReturn:
        self._refuse(f"true division by {other!r}")

    def __rtruediv__(self, other: Any) -> NoReturn:
        self._refuse(f"true division of {other!r}")

    def _refuse(self, what: str) -> NoReturn:
        raise ExplorationError(
            f"{caller_line()}: {what} leaves the exact integers that the explorer can follow; accepted: integer arithmetic "
            "and comparisons with integers and rationals"
        )


def _decided_operation(name: str) -> Callable[..., Any]:
    def operation(self: LazyInt, *others: Any) -> Any:
        for other in others:
            if isinstance(other, float | complex):
                self._refuse(f"{name} with the {type(other).__name__} {other!r}")
        return getattr(self.__index__(), name)(*(int(other) for other in others))

    operation.__name__ = name
    return operation


for _name in ("mod", "rmod", "divmod", "rdivmod", "rfloordiv", "pow", "rpow", "abs", "invert", "rlshift", "rrshift"):
    setattr(LazyInt, f"__{_name}__", _decided_operation(f"__{_name}__"))
for _name in ("and", "rand", "or", "ror", "xor", "rxor"):
    setattr(LazyInt, f"__{_name}__", _decided_operation(f"__{_name}__"))
for _name in ("bit_length", "bit_count", "to_bytes"):
    setattr(LazyInt, _name, _decided_operation(_name))


def settled(output: object) -> object:
    """An output with all lazy integers decided. Raises: ExplorationError for a float or an unhashable value."""
    if isinstance(output, LazyInt):
        return output.__index__()
    if isinstance(output, float | complex):
        raise ExplorationError(f"the output holds the {type(output).__name__} {output!r}; accepted: values without floats")
    if isinstance(output, tuple):
        parts = [settled(part) for part in output]
        return output._make(parts) if hasattr(output, "_make") else tuple(parts)
    if isinstance(output, frozenset):
        return frozenset(settled(part) for part in output)
    try:
        hash(output)
    except TypeError:
        message = (
            f"the output is a {type(output).__name__}, which is not hashable; accepted: numbers, strings, tuples, frozensets"
        )
        raise ExplorationError(message) from None
    return output
