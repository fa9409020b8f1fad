"""What may stand beside a draw. What comes of integers of other libraries has that library's types."""

import operator
from fractions import Fraction
from typing import Any, cast

from gmpy2 import mpq, mpz

__all__ = ["exact_value", "is_integer", "knows_no_draws", "like", "of_its_own_type"]


def exact_value(other: object) -> Any:
    """An operand, no draw, as an int, mpz, Fraction or mpq; None where it is none of these."""
    if isinstance(other, int) or type(other) in (mpz, mpq) or isinstance(other, Fraction):
        return other
    if hasattr(other, "__index__") and not isinstance(other, type) and not getattr(other, "ndim", 0):  # no array
        return int(operator.index(other))
    return None


def knows_no_draws(other: object) -> bool:
    """Whether what is not exact is numpy's or gmpy2's: it would answer an integer, but to a draw it raises a TypeError."""
    return type(other).__module__.split(".", 1)[0] in ("numpy", "gmpy2")


def is_integer(exact: object) -> bool:
    """Whether an exact operand is a whole number by its type."""
    return isinstance(exact, int) or type(exact) is mpz


def of_its_own_type(other: object) -> bool:
    """Whether an operand is an integer of another library, such as numpy.int64: a result has that library's type and range."""
    return type(other) not in (int, mpz) and not isinstance(other, int | type) and hasattr(other, "__index__")


def like(other: Any, found: bool) -> bool:
    """The outcome of a comparison, with the type that it has beside an operand of another library: numpy.bool."""
    if type(other) is int or type(other) is mpz or not of_its_own_type(other):
        return found
    return cast(bool, type(other == other)(found))
