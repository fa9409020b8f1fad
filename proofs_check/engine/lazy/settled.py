"""Outputs of explored code with all lazy integers decided."""

from collections.abc import Sequence
from fractions import Fraction

from finitedp.errors import ExplorationError
from finitedp.proofs_check.deciders.partial_law import Tail
from finitedp.proofs_check.engine.lazy.draws import Draw, GeometricDraw, image
from finitedp.proofs_check.engine.lazy.integers import LazyInt

__all__ = ["settled", "tail_of"]


def tail_of(output: object, made: Sequence[Draw]) -> Tail | None:
    """The values of an integer that is a geometric draw without an end, plus an integer, or subtracted from one; else None.

    Parameters: made, the draws of the run, of which it must be one: whatever is another's is refused where it is decided.
    What is known of the draw is that it is at least draw.low; from there on it is geometric again.
    """
    if type(output) is not LazyInt:
        return None
    draw, chain = output.parts()
    if (
        type(draw) is not GeometricDraw
        or not any(draw is one for one in made)
        or draw.high is not None
        or draw.relations is not None
    ):
        return None
    if any(operation not in ("+", "-") and (operation, k) != ("*", 1) for operation, k in chain):
        return None
    falls = sum(operation == "-" for operation, _ in chain) % 2
    return Tail(int(image(chain, draw.low)), draw.p, -1 if falls else 1)


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
