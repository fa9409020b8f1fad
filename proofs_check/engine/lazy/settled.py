"""Outputs of explored code with all lazy integers decided."""

from fractions import Fraction

from finitedp.errors import ExplorationError
from finitedp.proofs_check.engine.lazy.integers import LazyInt

__all__ = ["settled"]


def settled(output: object) -> object:
    """An output with all lazy integers decided. Raises: ExplorationError for a float or an unhashable value."""
    if type(output) is LazyInt:
        return output.__index__()
    if type(output) is Fraction:  # arithmetic with a lazy integer leaves one inside
        return Fraction(int(output.numerator), int(output.denominator))
    if isinstance(output, float | complex):
        raise ExplorationError(f"the output holds the {type(output).__name__} {output!r}; accepted: values without floats")
    if isinstance(output, tuple):
        parts = [settled(part) for part in output]
        return output._make(parts) if hasattr(output, "_make") else tuple(parts)
    if isinstance(output, frozenset):
        return frozenset(settled(part) for part in output)
    try:
        hash(output)
    except TypeError:
        message = (
            f"the output is a {type(output).__name__}, which is not hashable; accepted: numbers, strings, tuples, frozensets"
        )
        raise ExplorationError(message) from None
    return output
