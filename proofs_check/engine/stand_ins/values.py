"""A float that depends on one undecided draw: what is asked of it, which splits the draw (chains.py)."""

from contextlib import suppress
from fractions import Fraction
from math import isfinite
from typing import Any, NoReturn, cast

from gmpy2 import mpz

from finitedp.errors import ExplorationError
from finitedp.proofs_check.engine.lazy.frames import compares
from finitedp.proofs_check.engine.lazy.integers import LazyInt
from finitedp.proofs_check.engine.stand_ins import chains
from finitedp.proofs_check.engine.stand_ins.chains import WORD, Chain, OutsideError, WideError, answers
from finitedp.proofs_check.engine.stand_ins.exploring import is_numpy_array
from finitedp.proofs_check.engine.stand_ins.exploring import numpy as np
from finitedp.proofs_check.engine.stand_ins.refusing import refuse

ACCEPTED = (
    "one draw at a time: comparing it with finite numbers, adding, subtracting, multiplying and dividing by them, floor, "
    "ceil, round, log, log2, log1p, exp, expm1, sqrt and powers"
)
_OF_NUMPY = {
    "float64",
    "int64",
    "int32",
    "int16",
    "int8",
    "uint8",
    "bool",
}  # whose values and a float's have a float64 in common


class LazyValue:
    """A float that depends on one undecided draw. What is not followed is refused with the line that did it."""

    __slots__ = ("_chain", "_coins", "_numpy", "_word")

    def __init__(self, coins: Any, word: int, chain: Chain, numpy: bool = False) -> None:
        self._coins = coins
        self._word = word
        self._chain = chain
        self._numpy = numpy  # whether it stands for a numpy.float64

    @property  # type: ignore[misc]  # what isinstance looks at
    def __class__(self) -> type:
        return cast(type, np.float64) if self._numpy else float

    @property
    def __mpz__(self) -> NoReturn:
        """What gmpy2 looks for: not there. Refused but in comparisons: what it computes with floats has types of its own."""
        if not compares():
            with suppress(ExplorationError):  # the coins keep it, and of other errors than the next Python 3.13 warns
                self._refuse("is given to gmpy2")
        raise AttributeError("__mpz__")

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
            answer, turns = answers(self._chain, *self._ends(), question, number)
        except WideError:
            self._refuse(f"asks about a value of libm whose error bound leaves more than {chains.WINDOW:,} words open")
        except OutsideError as error:
            self._refuse(f"uses a value of libm that is outside of its assumed error bound: {error}")
        for turn in turns:
            if self._word < turn:
                break
            answer = not answer
        return answer

    def _constant(self, other: object, what: str) -> Any:
        """A finite number that is no lazy float. A lazy integer is decided, numpy's scalars are taken as they are."""
        if isinstance(other, LazyValue):
            self._refuse(f"has {what} with another value that is not decided")
        if type(other) in (LazyInt, mpz):
            return int(cast(int, other))
        if type(other).__module__ == "numpy" and type(other).__name__ in _OF_NUMPY:
            return cast(Any, other).item()
        if type(other) not in (int, float, bool) and not (what == "comparison" and type(other) is Fraction):
            self._refuse(f"has {what} with the {type(other).__name__} {other!r:.40}")
        if not isfinite(cast(float, other)):
            self._refuse(f"has {what} with {other!r}")
        return other

    def below(self, other: object) -> bool:
        """Whether it is below a number, or another float that is a word of its own."""
        if isinstance(other, LazyValue) and self._same_chain(other):
            return bool(self._word < other._word)
        return not self._is(">=", self._constant(other, "comparison"))

    def above(self, other: object) -> bool:
        """Whether it is above a number, or another float that is a word of its own."""
        if isinstance(other, LazyValue) and self._same_chain(other):
            return bool(self._word > other._word)
        return self._is(">", self._constant(other, "comparison"))

    def equals(self, other: object) -> bool:
        """Whether it is equal to a number, or another float that is a word of its own."""
        return other is self or not (self.below(other) or self.above(other))

    def _answer(self, other: object, answer: bool) -> Any:
        """A bool, or numpy's where one side is numpy's."""
        return np.bool_(answer) if is_numpy(self) or is_numpy(other) else answer

    def _number(self, other: object) -> bool:
        """Whether the operation is ours; other types may know a LazyFloat themselves, and a text is equal to none."""
        if is_numpy_array(other):
            return False
        return not isinstance(other, str | bytes | list | tuple | dict | set | frozenset | type(None)) and not hasattr(
            type(other), "_holds_lazy"
        )

    def __lt__(self, other: object) -> Any:
        return self._answer(other, self.below(other)) if self._number(other) else NotImplemented

    def __le__(self, other: object) -> Any:
        return self._answer(other, not self.above(other)) if self._number(other) else NotImplemented

    def __gt__(self, other: object) -> Any:
        return self._answer(other, self.above(other)) if self._number(other) else NotImplemented

    def __ge__(self, other: object) -> Any:
        return self._answer(other, not self.below(other)) if self._number(other) else NotImplemented

    def __eq__(self, other: object) -> Any:
        return self._answer(other, self.equals(other)) if self._number(other) else NotImplemented

    def __ne__(self, other: object) -> Any:
        return self._answer(other, not self.equals(other)) if self._number(other) else NotImplemented

    def __bool__(self) -> bool:
        return not self.equals(0)

    def _same_chain(self, other: "LazyValue") -> bool:
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

    def _refuse(self, what: str, accepted: str = ACCEPTED) -> NoReturn:
        refuse(self._coins, what, accepted)


def is_numpy(value: object) -> bool:
    """Whether a number is numpy's, or stands for one of its own."""
    return value._numpy if isinstance(value, LazyValue) else type(value).__module__ == "numpy"
