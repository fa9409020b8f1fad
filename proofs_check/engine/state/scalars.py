"""Values that cannot change and hold nothing else, such as numbers and texts."""

from fractions import Fraction
from typing import Any

__all__ = ["of_scalars", "plain"]

EXACT = {int, bool, str, bytes, type(None), type(Ellipsis), type(NotImplemented), range}
SCALARS = EXACT | {float, complex, Fraction}


def plain(value: Any) -> Any:
    """What stands for a value that cannot change and holds nothing else, with its type; None of all other things."""
    kind = type(value)
    if kind in EXACT:
        return kind, value
    if kind is float or kind is complex:
        return kind, repr(value)  # -0.0 is not 0.0, and nan is nan
    if kind is Fraction:
        return kind, (value.numerator, value.denominator)
    if kind is tuple or kind is frozenset:
        return of_scalars(kind, value)
    return None


def of_scalars(kind: type, items: Any) -> Any:
    """What stands for items that are all scalars; None where one is not."""
    kinds = set(map(type, items))
    if not kinds <= SCALARS:
        return None
    if not kinds <= EXACT or (kind is frozenset and len(kinds) > 1):
        return kind, kind(map(plain, items))
    return kind, tuple(kinds) if len(kinds) < 2 else tuple(map(type, items)), kind(items)
