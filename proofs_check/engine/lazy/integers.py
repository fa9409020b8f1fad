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

from finitedp.proofs_check.engine.lazy.chains import Chain, caller_line, image, threshold
from finitedp.proofs_check.engine.lazy.decider import Decider
from finitedp.proofs_check.engine.lazy.deciding import complete
from finitedp.proofs_check.engine.lazy.draws import Draw
from finitedp.proofs_check.engine.lazy.gmpy import needs_the_value
from finitedp.proofs_check.engine.lazy.operands import exact_value, is_integer, knows_no_draws, like, of_its_own_type

__all__ = ["FLOATS", "LazyInt"]


FLOATS: dict[str, Callable[..., Any]] = {}
"""What stand_ins.floats makes of a lazy integer, put here by it: float(integer), and the quotient by an integer."""


class LazyInt:
    """An integer that is still an interval. It is not hashable, indexable or printable without being decided."""

    __slots__ = ("_chain", "_decider", "_draw")
    __array_ufunc__ = None  # numpy's scalars leave an operation to us

    def __init__(self, decider: Decider, draw: Draw, chain: Chain = ()) -> None:
        self._decider = decider
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

    def _below(self, bound: int) -> bool:
        """Whether self < bound, for an integer bound."""
        self._decider.comparisons += 1
        return self.splits_below(bound)

    def splits_below(self, bound: int) -> bool:
        """Unwind the chain of operations into one threshold on the draw."""
        bound, negated = threshold(self._chain, bound)
        return self._decider.below(self._draw, bound) != negated

    def _beside(self, other: object) -> bool:
        """Whether the other, a lazy integer, is compared with as it is. Refuses one of another run."""
        return self._of_this_run(other) and self._decider.joint

    def _of_this_run(self, other: object) -> bool:
        if cast(LazyInt, other)._decider is not self._decider:
            self._decider.refuse(
                f"{caller_line()} mixes draws of two runs; accepted: draws of the run, and int(draw) in a cache or an output"
            )
        return True

    def _is_bounded_beside(self, other: "LazyInt") -> bool:
        """Whether of the two this is the one to decide, since only the other has no end."""
        return other.ends()[1] is None is not self.ends()[1] and self._of_this_run(other)

    def _exact(self, other: object) -> Any:
        if type(other) is LazyInt and self._of_this_run(other):
            return other.__index__()
        return exact_value(other)

    def _threshold(self, other: object, *, upper: bool) -> int:
        """The integer bound for which self < other (or, with `upper`, self <= other) is self < bound."""
        if type(other) is mpz or type(other) is int:  # by far the most frequent
            return other + 1 if upper else other
        exact: Any = self._exact(other)
        if type(other) is float and self._follows_floats and isfinite(other):
            exact = Fraction(other)
        if exact is None:
            self._refuse(f"comparison with the {type(other).__name__} {other!r}")
        if is_integer(exact):
            return exact + 1 if upper else exact  # type: ignore[no-any-return]  # an integer
        numerator, denominator = exact.numerator, exact.denominator
        return numerator // denominator + 1 if upper else -(-numerator // denominator)  # type: ignore[no-any-return]

    def __lt__(self, other: object) -> bool:
        if type(other) is LazyInt and self._beside(other):
            return self._decider.less(self, other)
        return like(other, self._below(self._threshold(other, upper=False)))

    def __le__(self, other: object) -> bool:
        if type(other) is LazyInt and self._beside(other):
            return not self._decider.less(other, self)
        return like(other, self._below(self._threshold(other, upper=True)))

    def __gt__(self, other: object) -> bool:
        if type(other) is LazyInt and self._beside(other):
            return self._decider.less(other, self)
        return like(other, not self._below(self._threshold(other, upper=True)))

    def __ge__(self, other: object) -> bool:
        if type(other) is LazyInt and self._beside(other):
            return not self._decider.less(self, other)
        return like(other, not self._below(self._threshold(other, upper=False)))

    def __eq__(self, other: object) -> Any:
        if type(other) is LazyInt and self._beside(other):
            return self <= other and self >= other
        exact = self._exact(other)
        if exact is None and not isinstance(other, float | complex | Decimal):
            if knows_no_draws(other):
                self._refuse(f"comparison with the {type(other).__name__} {other!r}")
            return NotImplemented
        bound = other if exact is None else exact
        return like(other, self <= bound and self >= bound)

    def __ne__(self, other: object) -> bool:
        return like(other, not self == other)

    def __bool__(self) -> bool:
        return self != 0

    # Monotone arithmetic: stays lazy

    def _then(self, operation: str, k: Any) -> "LazyInt":
        return LazyInt(self._decider, self._draw, (*self._chain, (operation, k)))

    def __neg__(self) -> "LazyInt":
        return self._then("-", 0)

    def __pos__(self) -> "LazyInt":
        return self

    def __add__(self, other: Any) -> Any:
        if type(other) is float and self._follows_floats:
            return self._as_float() + other
        if type(other) is LazyInt and self._is_bounded_beside(other):
            return other + self.__index__()
        exact = self._operand(other)
        return self._then("+", exact) if is_integer(exact) else self._apply(operator.add, exact)

    def __radd__(self, other: Any) -> Any:
        return self.__add__(other)

    def __sub__(self, other: Any) -> Any:
        if type(other) is float and self._follows_floats:
            return self._as_float() - other
        if type(other) is LazyInt and self._is_bounded_beside(other):
            return -other + self.__index__()
        exact = self._operand(other)
        return self._then("+", -exact) if is_integer(exact) else self._apply(operator.sub, exact)

    def __rsub__(self, other: Any) -> Any:
        return other - self.__index__() if of_its_own_type(other) else -self + other

    def __mul__(self, other: Any) -> Any:
        if type(other) is float and self._follows_floats:
            return self._as_float() * other
        if type(other) is LazyInt and self._is_bounded_beside(other):
            return other * self.__index__()
        exact = self._operand(other)
        if not is_integer(exact):
            return self._apply(operator.mul, exact)
        if exact == 0:
            return 0
        return self._then("*", exact) if exact > 0 else -self._then("*", -exact)

    def __rmul__(self, other: Any) -> Any:
        return self.__mul__(other)

    def __floordiv__(self, other: Any) -> Any:
        exact = self._operand(other)
        if not is_integer(exact) or exact == 0:
            return self._apply(operator.floordiv, exact)
        return self._then("//", exact) if exact > 0 else (-self)._then("//", -exact)

    def __lshift__(self, other: Any) -> Any:
        exact = self._operand(other)
        return self * (mpz(1) << exact) if is_integer(exact) and exact >= 0 else self._apply(operator.lshift, exact)

    def __rshift__(self, other: Any) -> Any:
        exact = self._operand(other)
        return self // (mpz(1) << exact) if is_integer(exact) and exact >= 0 else self._apply(operator.rshift, exact)

    def __floor__(self) -> "LazyInt":
        return self

    __ceil__ = __trunc__ = __round__ = __floor__

    # Everything else: the value is decided

    def __index__(self) -> int:
        """The value, found by bisection: as many branches as there are values, however many draws give each of them."""
        self._decider.decide()
        low, high = self.ends()
        if high is None:
            return self._one_after_another()
        self._decider.allow(min(high - low, cast(int, self._draw.high) - self._draw.low) + 1)
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
        if of_its_own_type(other):
            return other
        if isinstance(other, float | complex | Decimal):
            self._refuse(f"arithmetic with the {type(other).__name__} {other!r}")
        exact = self._exact(other)
        if exact is None and knows_no_draws(other):
            self._refuse(f"arithmetic with the {type(other).__name__} {other!r}")
        return NotImplemented if exact is None else exact

    def _apply(self, function: Callable[..., Any], exact: Any) -> Any:
        return NotImplemented if exact is NotImplemented else function(self.__index__(), exact)

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

    def __truediv__(self, other: Any) -> Any:
        if not self._follows_floats:
            self._refuse(f"true division by {other!r}")
        if isinstance(other, Fraction) or type(other) in (mpq, LazyInt) or of_its_own_type(other):
            return self._apply(operator.truediv, self._operand(other))
        if isinstance(other, float):
            return self._as_float() / other
        exact = self._operand(other)
        return exact if exact is NotImplemented else FLOATS["quotient"](self, int(exact))

    def __rtruediv__(self, other: Any) -> Any:
        if not self._follows_floats:
            self._refuse(f"true division of {other!r}")
        if isinstance(other, Fraction) or type(other) is mpq or of_its_own_type(other):
            return operator.truediv(other, self.__index__())
        return NotImplemented if isinstance(other, str | bytes) else other / self._as_float()

    def __copy__(self, _memo: object = None) -> "LazyInt":
        return self

    __deepcopy__ = __copy__

    def __reduce_ex__(self, _protocol: SupportsIndex) -> NoReturn:
        self._decider.refuse(f"{caller_line()} pickles a draw that is not decided; accepted: int(draw) there")

    def __abs__(self) -> "LazyInt":
        return -self if self < 0 else self

    @property
    def _follows_floats(self) -> bool:
        """Whether it was drawn in place of a library's number: code that draws from coins has no floats."""
        return getattr(self._decider, "follows_floats", False)

    def _as_float(self) -> Any:
        """What float() of it is, undecided."""
        return FLOATS["of_integer"](self)

    def _refuse(self, what: str) -> NoReturn:
        self._decider.refuse(
            f"{caller_line()}: {' '.join(what.split())} leaves the exact integers that the explorer can follow; accepted: "
            "integer arithmetic and comparisons with integers and rationals"
        )


complete(LazyInt)
