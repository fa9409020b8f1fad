"""Integers of other libraries beside a draw: what comes of them has that library's types."""

from typing import Any, cast

from gmpy2 import mpz

__all__ = ["like", "of_its_own_type"]


def of_its_own_type(other: object) -> bool:
    """Whether an operand is an integer of another library, such as numpy.int64: a result has that library's type and range."""
    return type(other) not in (int, mpz) and not isinstance(other, int | type) and hasattr(other, "__index__")


def like(other: Any, found: bool) -> bool:
    """The outcome of a comparison, with the type that it has beside an operand of another library: numpy.bool."""
    if type(other) is int or type(other) is mpz or not of_its_own_type(other):
        return found
    return cast(bool, type(other == other)(found))
