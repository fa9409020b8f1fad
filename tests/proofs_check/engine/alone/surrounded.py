"""Samplers whose law depends on what is neither an argument nor a global of theirs, or looks as if it did not."""

import math
import random
from fractions import Fraction
from typing import Any

import gmpy2
from gmpy2 import mpq
from typeguard import typechecked

SYSTEM = random.SystemRandom()


def two_bits(rng: Any) -> int:
    """0..3, uniform if the generator is."""
    return int(rng.getrandbits(2))


def choosing(rng: Any) -> Any:
    """7 or 9."""
    return rng.choice((7, 9))


def six_or_seven(coins: Any) -> int:
    """6 or 7, if math.comb is its own."""
    return math.comb(4, 2) + (1 if coins.uniform(2) == 1 else 0)


def six_of_three(coins: Any) -> int:
    """6 or 7, if math.pi is its own."""
    return int(2 * math.pi) + (1 if coins.uniform(2) == 1 else 0)


def is_the_shared_one(rng: Any) -> bool:
    """Whether the generator is SYSTEM, after a draw."""
    rng.getrandbits(1)
    return bool(rng == SYSTEM)


def stays_the_shared_one() -> bool:
    """True, after a loop."""
    rng = SYSTEM
    while rng.getrandbits(1) == 0:
        pass
    return rng == SYSTEM


def first_name(coins: Any, **named: int) -> str:
    """The first name with probability 1/4."""
    return tuple(named)[0 if coins.uniform(4) == 1 else 1]


def rounded(coins: Any) -> bool:
    """Whether e is 11/4 at the present precision, and a coin is heads."""
    heads = coins.uniform(2) == 1
    return heads and bool(gmpy2.exp(1) == mpq(11, 4))  # type: ignore[arg-type]


def not_a_number(coins: Any) -> bool:
    """True: a tuple finds what is not equal to itself by its identity."""
    x = float("nan")
    held = (x, 1)
    while coins.uniform(2) == 1:
        pass
    return x in held


def finds(coins: Any, x: float, held: tuple[float, ...]) -> bool:
    """Whether x is in held."""
    coins.uniform(2)
    return x in held


def quadrupled(coins: Any, share: Fraction) -> tuple[bool, bool]:
    """Whether four times a numerator is positive, and a coin."""
    return bool(share.numerator * 4 > 0), coins.uniform(2) == 1


class Searching:
    """As somebody marks the nodes of a search; it counts."""

    _explored = True

    def __init__(self) -> None:
        self.number = 0

    def random(self) -> int:
        """Another number each time."""
        self.number += 1
        return self.number


SEARCHING = Searching()


def marked(coins: Any) -> int:
    """How often it was called, and 10 with probability 1/2."""
    return SEARCHING.random() + (10 if coins.uniform(2) == 1 else 0)


class Counter:
    def __init__(self) -> None:
        self.calls = 0


def with_an_attribute(coins: Any) -> int:
    """Its own attribute, or one more."""
    return Counter().calls + with_an_attribute.calls + (1 if coins.uniform(2) == 1 else 0)  # type: ignore[attr-defined,no-any-return]


with_an_attribute.calls = 0  # type: ignore[attr-defined]


@typechecked
def scaled(coins: Any, scale: int = 1, *, shift: int = 0) -> int:
    """0 or 1 with probability 1/2, times a default, plus a default."""
    return (coins.uniform(2) - 1) * scale + shift  # type: ignore[no-any-return]


def scaled_unchecked(coins: Any, scale: int = 1, *, shift: int = 0) -> int:
    """The same, without checks."""
    return (coins.uniform(2) - 1) * scale + shift  # type: ignore[no-any-return]


def scaled_twice(coins: Any) -> int:
    """The same, by a helper."""
    return scaled(coins) * 2


def sparse(coins: Any) -> int:
    """0, 2^62 or 2^63, with probability 1/3 each."""
    return (coins.uniform(3) - 1) * 2**62  # type: ignore[no-any-return]


LIMIT = 1


def up_to_one_more(coins: Any) -> int:
    """LIMIT, or one more, with probability 1/2."""
    return LIMIT + (1 if coins.uniform(2) == 1 else 0)


class Unreadable:
    """Its second method has a list as a default."""

    def first(self, coins: Any) -> int:
        """By the helper of another function."""
        return up_to_one_more(coins)

    def second(self, kept: list[int] = []) -> int:  # noqa: B006  # the twin
        """Cannot be read."""
        return LIMIT + len(kept)


def by_the_same_helper(coins: Any, other: bool = False) -> int:
    """LIMIT, or one more, with probability 1/2."""
    if other:
        return Unreadable().first(coins)
    return up_to_one_more(coins)
