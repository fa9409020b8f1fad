"""Randomized response, as anybody would write it, with the law that it should have and the value that it estimates."""

from collections.abc import Sequence
from fractions import Fraction
from random import Random


def response(data: Sequence[int], rng: Random, truthful: int = 3) -> int:
    """The answer of one person, which is the true one in `truthful` of 4 cases."""
    return data[0] if rng.randrange(4) < truthful else 1 - data[0]


def law(data: Sequence[int]) -> dict[int, Fraction]:
    """The law at truthful = 3."""
    return {data[0]: Fraction(3, 4), 1 - data[0]: Fraction(1, 4)}


def truth(data: Sequence[int]) -> int:
    """What the answer estimates."""
    return data[0]
