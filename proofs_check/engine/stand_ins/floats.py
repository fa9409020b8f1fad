"""Floats that depend on one undecided draw, by a chain of operations.

Adding, multiplying, dividing and rounding are monotone by IEEE 754, with their rounding; a function of libm is only known to lie
in an interval (libm.py). So the value at each word of the draw lies between two monotone chains. A question about the value, such
as a comparison, is decided for all words but a window by bisecting these, and at each word of the window by the platform's own
arithmetic. Its answers are runs of words, however many, and the draw is split at their ends.
"""

import math
import operator
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import lru_cache
from math import ceil, floor, isfinite
from typing import Any, NoReturn, cast

import numpy as np
from attrs import field, frozen
from gmpy2 import mpz

from finitedp.proofs_check.engine.lazy import LazyInt
from finitedp.proofs_check.engine.stand_ins.libm import Function, assumption, numpy_assumption, power_of, power_to
from finitedp.proofs_check.engine.stand_ins.refusing import refuse

__all__ = ["WINDOW", "WORD", "LazyFloat", "follow_floats", "of_integer", "of_word", "quotient"]

WORD = 53  # bits of random()
WINDOW = 1 << 14
"""Words that are looked at one by one where the bounds on libm leave a question open."""
ACCEPTED = (
    "one draw at a time: comparing it with finite numbers, adding, subtracting, multiplying and dividing by them, floor, ceil, "
    "round, log, log2, log1p, exp, expm1, sqrt and powers"
)
Bracket = tuple[float, float]
Holds = Callable[[float], bool]


@frozen
class Step:
    """One operation: what the platform computes, and between which floats its value is assumed to lie.

    key: tells steps apart; equal keys are equal steps. rising: whether it is a rising function. function: of libm, or None where IEEE
    754 leaves no choice.
    """

    key: tuple[str, str]
    real: Callable[[float], float] = field(eq=False)
    rising: bool = field(default=True, eq=False)
    function: Function | None = field(default=None, eq=False)

    @property
    def assumes(self) -> bool:
        """Whether it stands on the bound on the error of libm."""
        return self.function is not None and not self.function.exact

    def around(self, ends: Bracket) -> Bracket:
        """Floats that its values on such an interval lie between."""
        if self.function is not None:
            return self.function.around(*ends)
        first, second = self.real(ends[0]), self.real(ends[1])
        return (first, second) if self.rising else (second, first)


@frozen
class Chain:
    """A function from words to floats: the first float of a word, and the steps after it.

    The first float is word * 2^-down, rounded (exact up to 53 bits).
    """

    down: int
    steps: tuple[Step, ...] = ()

    def first(self, word: int) -> float:
        """The float that the steps begin with."""
        return math.ldexp(float(word), -self.down) if abs(word) < 1 << WORD else float(Fraction(int(word), 1 << self.down))

    def at(self, word: int) -> float:
        """What the platform computes for a word."""
        value = self.first(word)
        for step in self.steps:
            value = step.real(value)
        return value

    def around(self, word: int) -> Bracket:
        """Floats that the value at a word is assumed to lie between."""
        first = self.first(word)
        ends = (first, first)
        for step in self.steps:
            ends = step.around(ends)
        return ends

    @property
    def rising(self) -> bool:
        """Whether values rise with words."""
        return sum(not step.rising for step in self.steps) % 2 == 0

    @property
    def assumptions(self) -> set[str]:
        """What is assumed of libraries, in words; nothing where IEEE 754 leaves no choice."""
        steps = [step for step in self.steps if step.assumes]
        return {numpy_assumption() if step.function is not None and step.function.wide else assumption() for step in steps}


class _OutsideError(Exception):
    """A value of libm was not where the assumption says."""


class _WideError(Exception):
    """The bounds leave too many words open."""


def _least(low: int, high: int, holds: Callable[[int], bool]) -> int:
    """The least word of low..high at which a condition holds that is false and then true; high + 1 if there is none."""
    high += 1
    while low < high:
        middle = (low + high) // 2
        if holds(middle):
            high = middle
        else:
            low = middle + 1
    return low


def _turns(chain: Chain, low: int, high: int, holds: Holds) -> tuple[bool, tuple[int, ...]]:
    """For a condition that is false and then true as values rise: its answer at the word `low`, and the words where it turns.

    Raises: _WideError, _OutsideError.
    """
    rising = chain.rising

    def answer(end: int) -> Callable[[int], bool]:
        """Whether the answer has changed to that of the largest word, by one end of the bracket."""
        return lambda word: holds(chain.around(word)[end]) == rising

    if not any(step.assumes for step in chain.steps):
        turn = _least(low, high, lambda word: holds(chain.at(word)) == rising)
        before, turns = not rising, () if turn > high else (turn,)
    else:
        ends = sorted(_least(low, high, answer(end)) for end in (0, 1))
        if ends[1] - ends[0] > WINDOW:
            raise _WideError
        before, turns = not rising, tuple(_turns_in_window(chain, ends[0], min(ends[1], high), holds, not rising))
        certain_after = ends[1] <= high
        if certain_after and (before if len(turns) % 2 == 0 else not before) != rising:
            turns = (*turns, ends[1])
    return (not before, turns[1:]) if turns and turns[0] == low else (before, turns)


def _turns_in_window(chain: Chain, first: int, last: int, holds: Holds, before: bool) -> Iterator[int]:
    """The words of a window where the platform's answer turns, each looked at."""
    for word in range(first, last + 1):
        value, (low, high) = chain.at(word), chain.around(word)
        if not low <= value <= high:
            raise _OutsideError(f"{value!r}, not in {low!r}..{high!r}")
        if holds(value) != before:
            before = not before
            yield word


QUESTIONS: dict[str, Callable[[float, Any], bool]] = {
    ">": operator.gt,
    ">=": operator.ge,
    "floor": lambda value, whole: floor(value) >= whole,
    "ceil": lambda value, whole: ceil(value) >= whole,
    "int": lambda value, whole: int(value) >= whole,
    "round": lambda value, whole: round(value) >= whole,
}
"""What is asked of a value and a number: false and then true as values rise."""


@lru_cache(maxsize=8192)
def _answers(chain: Chain, low: int, high: int, question: str, number: Any) -> tuple[bool, tuple[int, ...]]:
    """The answers to a question by words: the same on each path, so that they are kept."""
    asked = QUESTIONS[question]
    return _turns(chain, low, high, lambda value: asked(value, number))


class LazyFloat:
    """A float that depends on one undecided draw. What is not followed is refused with the line that did it."""

    __slots__ = ("_chain", "_coins", "_numpy", "_word")

    def __init__(self, coins: Any, word: int, chain: Chain, numpy: bool = False) -> None:
        self._coins = coins
        self._word = word
        self._chain = chain
        self._numpy = numpy  # whether it stands for a numpy.float64

    @property  # type: ignore[misc]  # what isinstance looks at
    def __class__(self) -> type:
        return float

    # Questions about the value

    def _ends(self) -> tuple[int, int]:
        """The least and the largest word that are still possible."""
        word: Any = self._word
        if type(word) is not LazyInt:
            return int(word), int(word)
        low, high = word.ends()
        if high is None:
            self._refuse("makes a float of a draw without a bound", "")
        return int(low), int(high)

    def _bracket_ends(self) -> list[float]:
        """The ends of the intervals that the values at the two ends of the draw lie in."""
        return [end for word in self._ends() for end in self._chain.around(word)]

    def _is(self, question: str, number: Any) -> bool:
        """The answer to a question, by the runs of words that it has the same answer on."""
        for text in self._chain.assumptions if hasattr(self._coins, "assume") else ():
            self._coins.assume(text)
        try:
            answer, turns = _answers(self._chain, *self._ends(), question, number)
        except _WideError:
            self._refuse(f"asks about a value of libm whose error bound leaves more than {WINDOW:,} words open")
        except _OutsideError as error:
            self._refuse(f"uses a value of libm that is outside of its assumed error bound: {error}")
        for turn in turns:
            if self._word < turn:
                break
            answer = not answer
        return answer

    def _constant(self, other: object, what: str) -> Any:
        """A finite number that is no lazy float. A lazy integer is decided, numpy's scalars are taken as they are."""
        if type(other) is LazyFloat:
            self._refuse(f"has {what} with another value that is not decided")
        if type(other) is LazyInt:
            return int(other)
        if type(other) is mpz:
            return int(cast(int, other))
        if type(other).__module__ == "numpy" and type(other).__name__ in (
            "float64",
            "int64",
            "int32",
            "int16",
            "int8",
            "uint8",
            "bool",
        ):
            return cast(Any, other).item()
        if type(other) not in (int, float, bool) and not (what == "comparison" and type(other) is Fraction):
            self._refuse(f"has {what} with the {type(other).__name__} {other!r:.40}")
        if not isfinite(cast(float, other)):
            self._refuse(f"has {what} with {other!r}")
        return other

    def __lt__(self, other: object) -> bool:
        if type(other) is LazyFloat and self._same_chain(other):
            return self._word < other._word if self._chain.rising else other._word < self._word
        return not self._is(">=", self._constant(other, "comparison"))

    def __le__(self, other: object) -> bool:
        if type(other) is LazyFloat and self._same_chain(other):
            return self._word <= other._word if self._chain.rising else other._word <= self._word
        return not self._is(">", self._constant(other, "comparison"))

    def __gt__(self, other: object) -> bool:
        return not self <= other

    def __ge__(self, other: object) -> bool:
        return not self < other

    def __eq__(self, other: object) -> bool:
        if other is self:
            return True
        return self._number(other) and self <= other and self >= other

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __bool__(self) -> bool:
        return self != 0

    def _same_chain(self, other: "LazyFloat") -> bool:
        """Whether both are one and the same strictly monotone function of their words: without steps, words of 53 bits are."""
        return (
            self._coins is other._coins
            and not self._chain.steps
            and self._chain == other._chain
            and self._short()
            and other._short()
        )

    def _short(self) -> bool:
        low, high = self._ends()
        return low >= -(1 << WORD) and high <= 1 << WORD

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
        numpy = type(other).__module__ == "numpy"
        return self._then(Step((name, repr(k)), lambda value: step(value, k), rising(k)), numpy=numpy)

    def _number(self, other: object) -> bool:
        """Whether the operation is ours; other types may know a LazyFloat themselves, and a text is equal to none."""
        return not isinstance(other, str | bytes | list | tuple | dict | set | frozenset | type(None)) and not hasattr(
            type(other), "_holds_lazy"
        )

    def __add__(self, other: object) -> Any:
        return self._by("+", other, operator.add, rising=lambda _k: True)

    __radd__ = __add__

    def __sub__(self, other: object) -> Any:
        return self._by("-", other, operator.sub, rising=lambda _k: True)

    def __rsub__(self, other: object) -> Any:
        return self._by("r-", other, lambda value, k: k - value, rising=lambda _k: False)

    def __mul__(self, other: object) -> Any:
        return self._by("*", other, operator.mul, rising=lambda k: k >= 0)

    __rmul__ = __mul__

    def __truediv__(self, other: object) -> Any:
        if not self._number(other):
            return NotImplemented
        if self._constant(other, "arithmetic") == 0:
            if self._numpy or type(other).__module__ == "numpy":
                self._refuse("divides by 0, which numpy answers with inf or nan")
            raise ZeroDivisionError("float division by zero")
        return self._by("/", other, operator.truediv, rising=lambda k: k > 0)

    def __rtruediv__(self, other: object) -> Any:
        if not self._number(other):
            return NotImplemented
        k = self._constant(other, "arithmetic")
        if self == 0:
            if self._numpy or type(other).__module__ == "numpy":
                self._refuse("divides by a value that may be 0, which numpy answers with inf or nan")
            raise ZeroDivisionError("float division by zero")
        above = self > 0
        if any((end > 0) != above or end == 0 for end in self._bracket_ends()):
            self._refuse("divides by a value that is not known to be of one sign")
        return self._then(Step(("r/", repr(k)), lambda value: k / value, rising=k < 0))

    def __floordiv__(self, other: object) -> Any:
        self._refuse("uses // on a float, which rounds twice", "math.floor(x / k)")

    def __pos__(self) -> "LazyFloat":
        return self

    def __neg__(self) -> "LazyFloat":
        return self._then(Step(("neg", ""), operator.neg, rising=False))

    def __abs__(self) -> "LazyFloat":
        """Either value, by a fork on the sign."""
        return -self if self < 0 else self

    def __pow__(self, other: object, modulus: None = None) -> Any:
        if not self._number(other):
            return NotImplemented
        k = self._constant(other, "a power")
        if self == 0:
            return 0.0**k
        if k == 0 or modulus is not None or not self > 0:
            self._refuse(f"raises a value that may be at most 0 to the power {k!r}", "x ** k for x > 0, k other than 0")
        return self.applied(power_to(float(k)))

    def __rpow__(self, other: object) -> Any:
        if not self._number(other):
            return NotImplemented
        k = self._constant(other, "a power")
        if k <= 0 or k == 1:
            self._refuse(f"raises {k!r} to a value that is not decided", "k ** x for k > 0 other than 1")
        return self.applied(power_of(float(k)))

    def applied(self, function: Function) -> "LazyFloat":
        """A function of libm of the value. Raises: ValueError, as math does, at words where it is not defined."""
        if function.above > -math.inf and not (self >= function.above if function.closed else self > function.above):
            raise ValueError("math domain error")
        if not all(function.defined(end) for end in self._bracket_ends()):
            self._refuse("uses a function of libm at a value that is not known to be in its domain")
        return self._then(Step(("libm", function.name), function.real, function.rising, function))

    def rounded_by(self, name: str, real: Callable[[float], float]) -> "LazyFloat":
        """A rising step that rounds, such as floor() to a float."""
        return self._then(Step(("round", name), real))

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
        return self.rounded_by(f"round {places}", lambda value: round(value, places))

    def decided(self) -> float:
        """The value itself: as many branches as it has values, where these are few enough to be found by bisecting."""
        while True:
            low, high = self._ends()
            ends = self._bracket_ends()
            if min(ends) == max(ends) or low == high:
                return np.float64(self._chain.at(low)) if self._numpy else self._chain.at(low)
            if not any(step.key[0] == "round" for step in self._chain.steps) and high - low >= 1 << 16:
                self._refuse("needs the value of a float that is one of very many (an output, a print, a hash, ...)")
            middle = self._chain.at((low + high) // 2)
            if middle == min(ends):
                self > middle  # noqa: B015  # splits  # pyright: ignore
            else:
                self >= middle  # noqa: B015  # splits  # pyright: ignore

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

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **named: Any) -> Any:
        from finitedp.proofs_check.engine.stand_ins.numpy_functions import applied_ufunc

        return applied_ufunc(self._coins, ufunc, method, inputs, named)

    def _refuse(self, what: str, accepted: str = ACCEPTED) -> NoReturn:
        refuse(self._coins, what, accepted)


def of_word(coins: Any, word: int, bits: int = WORD) -> LazyFloat:
    """word * 2^-bits, for a uniform word of 0..2^bits - 1."""
    return LazyFloat(coins, word, Chain(bits))


def follow_floats(coins: Any) -> Any:
    """The same coins, whose integers may be used with floats: they stand for those of a library."""
    if hasattr(coins, "assume"):
        coins.follows_floats = True
    return coins


def of_integer(integer: int) -> LazyFloat:
    """float(integer) of a lazy integer, rounded to the nearest."""
    return LazyFloat(cast(LazyInt, integer)._decider, integer, Chain(0))


def quotient(integer: int, divisor: int) -> LazyFloat:
    """integer / divisor of a lazy integer and a number, as Python rounds it: once.

    Refuses where rounding the integer first might differ: beyond 53 bits, unless the divisor is a power of two.
    """
    value = of_integer(integer)
    if divisor == 0:
        raise ZeroDivisionError("division by zero")
    small = value._short() and abs(divisor) <= 1 << WORD
    if not small and abs(divisor) & (abs(divisor) - 1):
        value._refuse("divides whole numbers of more than 53 bits", "a power of two as the divisor, or // and comparisons")
    return value / divisor
