"""Samplers whose types typeguard checks: with the laws that their docstrings state."""

from fractions import Fraction
from typing import Any

from typeguard import typechecked

Rational = Fraction | int


@typechecked
def third(coins: Any, scale: Rational = 1) -> int:
    """0, 1 or 2, times the scale, with probability 1/3 each."""
    while True:
        word = coins.bits(2)
        if word < 3:
            return word * scale  # type: ignore[no-any-return]


@typechecked
def halved(coins: Any) -> Fraction:
    """0 or 1 in half of the cases, and else what is not declared: an integer."""
    return coins.uniform(2) - 1  # type: ignore[no-any-return]


@typechecked
def bit(coins: Any, p: Fraction) -> int:
    """1 with probability p."""
    return 1 if coins.uniform(p.denominator) <= p.numerator else 0


def two_bits(coins: Any, p: Any) -> int:
    """The number of ones of two, of probability p each."""
    return bit(coins, p) + bit(coins, p)


@typechecked
def assigning(coins: Any) -> int:
    """0 or 1 with probability 1/2 each; the variable is checked, too."""
    drawn: int = coins.uniform(2) - 1
    return drawn


@typechecked
def of_many(coins: Any, *more: int) -> int:
    """The sum of a coin and the arguments."""
    return coins.uniform(2) + sum(more)  # type: ignore[no-any-return]


@typechecked
def of_named(coins: Any, **more: int) -> int:
    """The sum of a coin and the arguments."""
    return coins.uniform(2) + len(more)  # type: ignore[no-any-return]
