"""What explored code gets in place of random.Random: its methods, with exact laws, drawn from the explorer's coins.

random() is the 53-bit dyadic uniform that Python's own is, and floating-point arithmetic on it is followed exactly: adding,
subtracting, multiplying and dividing by a constant are monotone even with their rounding, so a comparison splits the
uniform at one threshold, which is found by bisection with the processor's own arithmetic. What is not monotone, or would
need more than comparisons (a logarithm), is refused with the line that did it.
"""

import operator
import random as standard
from collections.abc import Callable, MutableSequence, Sequence
from math import ceil, floor, isfinite
from typing import Any, NoReturn, TypeVar

from finitedp.errors import ExplorationError
from finitedp.impl.randomness.coins import Coins
from finitedp.proofs_check.engine.lazy import caller_line

__all__ = ["LazyFloat", "StandIn"]

T = TypeVar("T")
WORD = 53  # bits of random()
Step = Callable[[float], float]
Refusing = Callable[[str], NoReturn]


class LazyFloat:
    """A float that depends on an undecided 53-bit word, by monotone steps of floating-point arithmetic."""

    __slots__ = ("_refuse_it", "_rising", "_steps", "_word")

    def __init__(self, word: int, refuse: Refusing, steps: tuple[Step, ...] = (), rising: bool = True) -> None:
        self._word = word
        self._refuse_it = refuse
        self._steps = steps
        self._rising = rising

    @property  # type: ignore[misc]  # what isinstance looks at
    def __class__(self) -> type:
        return float

    def _at(self, word: int) -> float:
        """The value, were the word decided."""
        value = word * 2.0**-WORD
        for step in self._steps:
            value = step(value)
        return value

    def _reaches(self, holds: Callable[[float], bool]) -> bool:
        """Whether the value satisfies a condition that is false and then true as values rise."""
        low, high = 0, 1 << WORD
        while low < high:  # the least word at which it holds (rising), or no longer holds (falling)
            middle = (low + high) // 2
            if holds(self._at(middle)) == self._rising:
                high = middle
            else:
                low = middle + 1
        return bool(self._word >= low) == self._rising

    def _constant(self, other: object, what: str) -> Any:  # noqa: ANN401  # a number
        if type(other) is LazyFloat:
            self._refuse(f"{what} with another value that is not decided")
        if type(other) not in (int, float, bool):
            self._refuse(f"{what} with the {type(other).__name__} {other!r:.40}")
        if not isfinite(other):  # type: ignore[arg-type]  # it is an int or a float
            self._refuse(f"{what} with {other!r}")
        return other

    def __lt__(self, other: object) -> bool:
        bound = self._constant(other, "comparison")
        return not self._reaches(lambda value: value >= bound)

    def __le__(self, other: object) -> bool:
        bound = self._constant(other, "comparison")
        return not self._reaches(lambda value: value > bound)

    def __gt__(self, other: object) -> bool:
        return not self <= other

    def __ge__(self, other: object) -> bool:
        return not self < other

    def __eq__(self, other: object) -> bool:
        return other is self or (self <= other and self >= other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __bool__(self) -> bool:
        return self != 0

    # Monotone steps

    def _then(self, step: Step, *, rising: bool = True) -> "LazyFloat":
        """The value after one more step. Its ends are finite, and so is what lies between them."""
        then = LazyFloat(self._word, self._refuse_it, (*self._steps, step), self._rising == rising)
        if not (isfinite(then._at(0)) and isfinite(then._at((1 << WORD) - 1))):
            self._refuse("a number that is not finite")
        return then

    def __add__(self, other: object) -> "LazyFloat":
        k = self._constant(other, "arithmetic")
        return self._then(lambda value: value + k)

    __radd__ = __add__

    def __sub__(self, other: object) -> "LazyFloat":
        k = self._constant(other, "arithmetic")
        return self._then(lambda value: value - k)

    def __rsub__(self, other: object) -> "LazyFloat":
        k = self._constant(other, "arithmetic")
        return self._then(lambda value: k - value, rising=False)

    def __mul__(self, other: object) -> "LazyFloat":
        k = self._constant(other, "arithmetic")
        return self._then(lambda value: value * k, rising=k >= 0)

    __rmul__ = __mul__

    def __truediv__(self, other: object) -> "LazyFloat":
        k = self._constant(other, "arithmetic")
        if k == 0:
            raise ZeroDivisionError("float division by zero")
        return self._then(lambda value: value / k, rising=k > 0)

    def __pos__(self) -> "LazyFloat":
        return self

    def __neg__(self) -> "LazyFloat":
        return self._then(operator.neg, rising=False)

    # Whole numbers: one branch for each value

    def _whole(self, rounded: Callable[[float], int]) -> int:
        low, high = sorted((rounded(self._at(0)), rounded(self._at((1 << WORD) - 1))))
        while low < high:
            middle = (low + high + 1) // 2
            if self._reaches(lambda value, m=middle: rounded(value) >= m):  # type: ignore[misc]
                low = middle
            else:
                high = middle - 1
        return low

    def __int__(self) -> int:
        return self._whole(int)

    __trunc__ = __int__

    def __floor__(self) -> int:
        return self._whole(floor)

    def __ceil__(self) -> int:
        return self._whole(ceil)

    def __float__(self, *_others: object) -> NoReturn:
        self._refuse("the value of random(), one of 2^53 (a logarithm, a power, a print, ...)")

    __index__ = __abs__ = __complex__ = __pow__ = __rpow__ = __mod__ = __rmod__ = __floordiv__ = __rfloordiv__ = __float__
    __rtruediv__ = __divmod__ = __rdivmod__ = __round__ = __hash__ = __format__ = __reduce_ex__ = __float__

    def __repr__(self) -> str:
        return self.__float__()

    def __getattr__(self, name: str) -> NoReturn:
        self._refuse(f"random().{name}")

    def _refuse(self, what: str) -> NoReturn:
        self._refuse_it(
            f"{caller_line()} needs {what}, which cannot be followed exactly; accepted: comparing random() with finite "
            "numbers, and adding, subtracting, multiplying or dividing by them first"
        )


class StandIn:
    """random.Random for explored code: the same methods, drawn from coins.

    Whole numbers have the exactly uniform laws that the standard library's rejection gives them; choices() has the law of its
    floating-point arithmetic, which is not exactly uniform. A method that is not here is refused.
    Parameters: coins, the explorer's.
    """

    def __init__(self, coins: Coins) -> None:
        self._coins = coins

    @property  # type: ignore[misc]  # what isinstance looks at
    def __class__(self) -> type:
        return standard.Random

    def random(self) -> LazyFloat:
        """A multiple of 2^-53, uniform on 0..1 - 2^-53."""
        return LazyFloat(self._coins.uniform(1 << WORD) - 1, self._refuse)

    def _refuse(self, message: str) -> NoReturn:
        """Refuse so that the explored code cannot swallow it."""
        refuse: Refusing | None = getattr(self._coins, "refuse", None)
        if refuse is not None:
            refuse(message)
        raise ExplorationError(message)

    def getrandbits(self, k: int) -> int:
        """Uniform on 0..2^k - 1."""
        return self._coins.bits(k)

    def randrange(self, start: int, stop: int | None = None, step: int = 1) -> int:
        """Uniform on range(start, stop, step)."""
        values = range(start) if stop is None else range(start, stop, step)
        if not values:
            raise ValueError(f"empty range in randrange({start}, {stop}, {step})")
        size = (values[-1] - values[0]) // values.step + 1  # len() ends at 2^63 - 1
        return values[0] + (self._coins.uniform(size) - 1) * values.step

    def randint(self, a: int, b: int) -> int:
        """Uniform on a..b."""
        return self.randrange(a, b + 1)

    def uniform(self, a: float, b: float) -> LazyFloat:
        """a + (b - a) * random(), in floating-point arithmetic."""
        return a + (b - a) * self.random()

    def choice(self, population: Sequence[T]) -> T:
        """A uniform element."""
        if not len(population):
            raise IndexError("Cannot choose from an empty sequence")
        return population[self.randrange(len(population))]

    def choices(self, population: Sequence[T], weights: None = None, *, cum_weights: None = None, k: int = 1) -> list[T]:
        """k elements, each at floor(random() * n), as the standard library draws them. Weights are refused."""
        if weights is not None or cum_weights is not None:
            self._refuse(f"{caller_line()} uses choices() with weights, which cannot be followed exactly")
        return [population[int(self.random() * (len(population) + 0.0))] for _ in range(k)]

    def shuffle(self, x: MutableSequence[Any]) -> None:
        """A uniform permutation, in place, by the standard library's algorithm."""
        for i in reversed(range(1, len(x))):
            j = self.randrange(i + 1)
            x[i], x[int(j)] = x[int(j)], x[i]

    def sample(self, population: Sequence[T], k: int) -> list[T]:
        """k distinct elements, a uniform sequence."""
        if not 0 <= k <= len(population):
            raise ValueError("Sample larger than population or is negative")
        pool, found = list(population), []
        for left in range(len(pool), len(pool) - k, -1):
            j = int(self.randrange(left))
            found.append(pool[j])
            pool[j] = pool[left - 1]
        return found

    def __getattr__(self, name: str) -> NoReturn:
        if hasattr(standard.Random, name) and not name.startswith("_"):
            self._refuse(f"{caller_line()} uses random.{name}(), which cannot be followed exactly")
        raise AttributeError(name)
