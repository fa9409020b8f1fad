"""Chains of operations on floats, and the words of a draw at which an answer about their value turns.

Adding, multiplying, dividing and rounding are monotone by IEEE 754, with their rounding; a function of libm is only known
to lie in an interval (libm.py). So the value at each word of the draw lies between two monotone chains. A question about the
value, such as a comparison, is decided for all words but a window by bisecting these, and at each word of the window by the
platform's own arithmetic. Its answers are runs of words, however many.
"""

import math
import operator
from collections.abc import Callable, Iterator
from functools import lru_cache
from math import ceil, floor
from typing import Any

from attrs import field, frozen

from finitedp.proofs_check.engine.stand_ins.libm import Function, assumption, numpy_assumption

WORD = 53  # bits of random()
WINDOW = 1 << 14
"""Words that are looked at one by one where the bounds on libm leave a question open."""
Bracket = tuple[float, float]
Holds = Callable[[float], bool]


@frozen
class Step:
    """One operation: what the platform computes, and between which floats its value is assumed to lie.

    key: tells steps apart; equal keys are equal steps. rising: whether it is a rising function. function: of libm, or None
    where IEEE 754 leaves no choice.
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

    The first float is the word, rounded (exact up to 53 bits), * 2^-down, which is exact.
    """

    down: int
    steps: tuple[Step, ...] = ()

    def first(self, word: int) -> float:
        """The float that the steps begin with."""
        return math.ldexp(float(int(word)), -self.down)

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


class OutsideError(Exception):
    """A value of libm was not where the assumption says."""


class WideError(Exception):
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

    Raises: WideError, OutsideError.
    """
    rising = chain.rising

    def answer(end: int) -> Callable[[int], bool]:
        """Whether the answer has changed to that of the largest word, by one end of the bracket."""
        return lambda word: holds(_checked(chain, word)[end]) == rising

    if not any(step.assumes for step in chain.steps):
        turn = _least(low, high, lambda word: holds(chain.at(word)) == rising)
        before, turns = not rising, tuple(word for word in (turn,) if word <= high)
    else:
        ends = sorted(_least(low, high, answer(end)) for end in (0, 1))
        if ends[1] - ends[0] > WINDOW:
            raise WideError
        before, turns = not rising, tuple(_turns_in_window(chain, ends[0], min(ends[1], high), holds, not rising))
    return (not before, turns[1:]) if turns and turns[0] == low else (before, turns)


def _checked(chain: Chain, word: int) -> Bracket:
    """The bracket at a word, in which the platform's value is. Raises: OutsideError."""
    value, (low, high) = chain.at(word), chain.around(word)
    if not low <= value <= high:
        raise OutsideError(f"{value!r}, not in {low!r}..{high!r}")
    return low, high


def _turns_in_window(chain: Chain, first: int, last: int, holds: Holds, before: bool) -> Iterator[int]:
    """The words of a window where the platform's answer turns, each looked at."""
    for word in range(first, last + 1):
        _checked(chain, word)
        if holds(chain.at(word)) != before:
            before = not before
            yield word


QUESTIONS: dict[str, Callable[[float, Any], bool]] = {
    ">": operator.gt,
    ">=": operator.ge,
    "floor": lambda value, whole: floor(value) >= whole,
    "ceil": lambda value, whole: ceil(value) >= whole,
    "int": lambda value, whole: int(value) >= whole,
    "round": lambda value, whole: round(value) >= whole,
    "sign": lambda value, _zero: math.copysign(1.0, value) > 0,
}
"""What is asked of a value and a number: false and then true as values rise, -0.0 before 0.0."""


@lru_cache(maxsize=8192)
def answers(chain: Chain, low: int, high: int, question: str, number: Any) -> tuple[bool, tuple[int, ...]]:
    """The answers to a question by words: the same on each path, so that they are kept."""
    asked = QUESTIONS[question]
    return _turns(chain, low, high, lambda value: asked(value, number))
