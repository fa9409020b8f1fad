"""Floats that depend on one undecided draw: the operations that lead from one to the next."""

import math
import operator
from collections.abc import Callable
from importlib import import_module
from math import ceil, floor, isfinite
from typing import Any, NoReturn, cast

from finitedp.proofs_check.engine.lazy.integers import FLOATS, LazyInt
from finitedp.proofs_check.engine.stand_ins.chains import WORD, Chain, Step
from finitedp.proofs_check.engine.stand_ins.exploring import numpy as np
from finitedp.proofs_check.engine.stand_ins.libm import Function, power_of, power_to
from finitedp.proofs_check.engine.stand_ins.refusing import MANY
from finitedp.proofs_check.engine.stand_ins.values import LazyValue, is_numpy

__all__ = ["WORD", "LazyFloat", "follow_floats", "of_integer", "of_word", "quotient"]


class LazyFloat(LazyValue):
    """A float that depends on one undecided draw. What is not followed is refused with the line that did it."""

    __slots__ = ()

    # Steps

    def _then(self, step: Step, *, numpy: bool = False) -> "LazyFloat":
        """The value after one more step. Its ends are finite, and so is what lies between them."""
        then = LazyFloat(self._coins, self._word, Chain(self._chain.down, (*self._chain.steps, step)), self._numpy or numpy)
        try:
            finite = all(isfinite(end) for word in self._ends() for end in then._chain.around(word))
        except OverflowError:
            finite = False
        if not finite:
            self._refuse("leads to a number that is not finite")
        return then

    def _by(self, name: str, other: object, step: Callable[[float, Any], float], *, rising: Callable[[Any], bool]) -> Any:
        if not self._number(other):
            return NotImplemented
        k = self._constant(other, "arithmetic")
        numpy = is_numpy(other)
        return self._then(Step((name, repr(k)), lambda value: step(value, k), rising(k)), numpy=numpy)

    def __add__(self, other: object) -> Any:
        return self._by("+", other, operator.add, rising=lambda _k: True)

    __radd__ = __add__

    def __sub__(self, other: object) -> Any:
        return self._by("-", other, operator.sub, rising=lambda _k: True)

    def __rsub__(self, other: object) -> Any:
        return self._by("r-", other, lambda value, k: k - value, rising=lambda _k: False)

    def __mul__(self, other: object) -> Any:
        return self._by("*", other, operator.mul, rising=lambda k: math.copysign(1, k) > 0)  # zeros have a sign

    __rmul__ = __mul__

    def __truediv__(self, other: object) -> Any:
        if not self._number(other):
            return NotImplemented
        if self._constant(other, "arithmetic") == 0:
            if is_numpy(self) or is_numpy(other):
                self._refuse("divides by 0, which numpy answers with inf or nan")
            return 1.0 / cast(float, other)  # raises, with the interpreter's words
        return self._by("/", other, operator.truediv, rising=lambda k: k > 0)

    def __rtruediv__(self, other: object) -> Any:
        if not self._number(other):
            return NotImplemented
        k = self._constant(other, "arithmetic")
        if self.equals(0):
            if is_numpy(self) or is_numpy(other):
                self._refuse("divides by a value that may be 0, which numpy answers with inf or nan")
            return k / 0.0  # raises
        above = self.above(0)
        if not all(end > 0 if above else end < 0 for end in self._bracket_ends()):
            self._refuse("divides by a value that is not known to be of one sign")
        return self._then(Step(("r/", repr(k)), lambda value: k / value, rising=k < 0))

    def __floordiv__(self, other: object) -> Any:
        self._refuse("uses // on a float, which rounds twice", "math.floor(x / k)")

    def __pos__(self) -> "LazyFloat":
        return self

    def __neg__(self) -> "LazyFloat":
        return self._then(Step(("neg", ""), operator.neg, rising=False))

    def __abs__(self) -> "LazyFloat":
        """Either value, by a fork on the sign; 0.0 of -0.0."""
        return -self if self.below(0) else self + 0.0 if self._chain.steps else self

    def __pow__(self, other: Any, modulus: None = None) -> Any:
        if not self._number(other):
            return NotImplemented
        k = self._constant(other, "a power")
        numpy = is_numpy(self) or is_numpy(other)
        if k == 0 or modulus is not None or not self.above(0):
            if k > 0 and modulus is None and self.equals(0):
                return self.decided() ** other
            if k < 0 and not numpy and self.equals(0):
                return 0.0**k  # raises
            self._refuse(f"raises a value that may be at most 0 to the power {k!r}", "x ** k for x > 0, k other than 0")
        power = self.applied(power_to(float(k)))
        return power.of_numpy() if numpy else power

    def __rpow__(self, other: object) -> Any:
        if not self._number(other):
            return NotImplemented
        k = self._constant(other, "a power")
        if k <= 0 or k == 1:
            self._refuse(f"raises {k!r} to a value that is not decided", "k ** x for k > 0 other than 1")
        return self.applied(power_of(float(k)))

    def applied(self, function: Function) -> "LazyFloat":
        """A function of libm of the value. Raises: ValueError, as math does, at words where it is not defined."""
        if function.above > -math.inf and (self.below(function.above) if function.closed else not self.above(function.above)):
            return cast(LazyFloat, function.real(self._bracket_ends()[0]))  # raises: its value is out of the domain
        if not all(function.defined(end) for end in self._bracket_ends()):
            self._refuse("uses a function of libm at a value that is not known to be in its domain")
        return self._then(Step(("libm", function.name), function.real, function.rising, function))

    def rounded_by(self, name: str, real: Callable[[float], float]) -> "LazyFloat":
        """A rising step that rounds, such as floor() to a float."""
        return self._then(Step(("round", name), real))

    def round(self, decimals: int = 0, out: None = None) -> "LazyFloat":
        """numpy's rounding to decimals: it multiplies, rounds half to even, and divides, each of which is rising."""
        if out is not None:
            self._refuse("rounds into an array")
        places = int(decimals)
        return self.rounded_by(f"numpy {places}", lambda value: float(np.float64(value).round(places))).of_numpy()

    def clip(self, low: Any = None, high: Any = None, out: None = None) -> Any:
        """numpy's clipping to low..high, by forks on the two."""
        if out is not None:
            self._refuse("clips into an array")
        if low is None and high is not None:
            return np.minimum(self.of_numpy(), high)
        if high is None and low is not None:
            return np.maximum(self.of_numpy(), low)
        if low is None or high is None:
            return self.of_numpy()
        if 0 in (low, high) and self.equals(0):  # of zeros of either sign it may be any, as numpy has it
            return np.clip(np.float64(self.decided()), low, high)
        if low > high or self.above(high):
            return np.float64(high)
        return np.float64(low) if self.below(low) else self.of_numpy()

    def scaled(self, i: int) -> "LazyFloat":
        """math.ldexp of the value."""
        power = int(i)
        return self._then(Step(("ldexp", str(power)), lambda value: math.ldexp(value, power)))

    def of_python(self) -> "LazyFloat":
        """The same value as a float of Python."""
        return LazyFloat(self._coins, self._word, self._chain)

    def of_numpy(self) -> "LazyFloat":
        """The same value as a numpy.float64."""
        return LazyFloat(self._coins, self._word, self._chain, True)

    # Whole numbers, and values: one branch for each

    def _whole(self, rounded: Callable[[float], int], question: str) -> int:
        around = self._bracket_ends()
        low, high = rounded(min(around)), rounded(max(around))
        if hasattr(self._coins, "allow"):
            self._coins.allow(high - low + 1)
        while low < high:
            middle = (low + high + 1) // 2
            if self._is(question, middle):
                low = middle
            else:
                high = middle - 1
        return int(low)

    def __int__(self) -> int:
        return self._whole(int, "int")

    __trunc__ = __int__

    def __floor__(self) -> int:
        return self._whole(floor, "floor")

    def __ceil__(self) -> int:
        return self._whole(ceil, "ceil")

    def __round__(self, digits: int | None = None) -> Any:
        if digits is None:
            return self._whole(round, "round")
        places = int(digits)
        if self._numpy:
            return self.round(places)
        return self.rounded_by(f"round {places}", lambda value: round(value, places))

    def decided(self) -> float:
        """The value itself: as many branches as it has values, where these are few enough to be found by bisecting."""
        while True:
            low, high = self._ends()
            value, ends = self._chain.at((low + high) // 2), self._bracket_ends()
            rounded = any(step.key[0] == "round" for step in self._chain.steps)
            if min(ends) != max(ends) and high - low >= 1 << 16 and not rounded:
                self._refuse(f"{MANY} (an output, a print, a hash, ...)")
            if not (self.above(value) or self.below(value)):  # which split
                if value == 0:  # 0.0 and -0.0 are equal, and are written in two ways
                    value = 0.0 if self._is("sign", 0) else -0.0
                return np.float64(value) if self._numpy else value

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **named: Any) -> Any:
        arrays = import_module("finitedp.proofs_check.engine.stand_ins.arrays")  # which needs numpy, and is built on floats
        return arrays.ufunc_of_a_float(self, ufunc, method, inputs, named)

    def __float__(self, *_others: object) -> NoReturn:
        self._refuse("needs the value of a float that is not decided (a function that is not followed, a print, ...)")

    __index__ = __complex__ = __mod__ = __rmod__ = __rfloordiv__ = __float__
    __divmod__ = __rdivmod__ = __hash__ = __format__ = __reduce_ex__ = __float__

    def __repr__(self) -> str:
        return self.__float__()

    def is_integer(self) -> NoReturn:
        """Refused."""
        self.__float__()

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):  # a protocol that floats do not have
            raise AttributeError(name)
        self._refuse(f"uses .{name} of a float that is not decided")


def of_word(coins: Any, word: Any, bits: int = WORD) -> Any:
    """word * 2^-bits, for a uniform word of 0..2^bits - 1; a float where the word is an int."""
    return LazyFloat(coins, cast(int, word), Chain(bits)) if type(word) is LazyInt else word * 2.0**-bits


def follow_floats(coins: Any) -> Any:
    """The same coins, whose integers may be used with floats: they stand for those of a library."""
    if hasattr(coins, "assume"):
        coins.follows_floats = True
    return coins


def of_integer(integer: int) -> LazyFloat:
    """float(integer) of a lazy integer, rounded to the nearest."""
    return LazyFloat(cast(LazyInt, integer)._coins, integer, Chain(0))


def quotient(integer: int, divisor: int) -> LazyFloat:
    """integer / divisor of a lazy integer and a number, as Python rounds it: once.

    Refuses where rounding the integer first might differ: beyond 53 bits, unless the divisor is a power of two.
    """
    value = of_integer(integer)
    if divisor == 0:
        return cast(LazyFloat, 1 / divisor)  # raises
    small = value._short() and abs(divisor) <= 1 << WORD
    if not small and abs(divisor) & (abs(divisor) - 1):
        value._refuse("divides whole numbers of more than 53 bits", "a power of two as the divisor, or // and comparisons")
    return cast(LazyFloat, value / divisor)


FLOATS.update(of_integer=of_integer, quotient=quotient)
