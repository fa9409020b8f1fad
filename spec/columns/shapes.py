"""The labels of one column, and which of them a value has, from their definitions."""

from collections.abc import Sequence
from datetime import date, timedelta
from itertools import pairwise
from typing import Any

__all__ = ["labels_of", "named"]


def labels_of(universe: Sequence[Any], other: Any = None) -> list[Any]:  # noqa: ANN401  # a label
    """All labels: those of a tuple, or for a list of edges the bins between them; then the one for all other values."""
    found = list(universe)
    if isinstance(universe, list):
        found = [_interval(a, b) for a, b in pairwise(universe)]
    return found if other is None else [*found, other]


def _interval(first: Any, beyond: Any) -> str:  # noqa: ANN401
    """The name of first <= x < beyond: by its first value and its last one, or by the only one."""
    step = timedelta(days=1) if type(beyond) is date else 1
    return str(first) if first + step == beyond else f"{first}..{beyond - step}"


def named(universe: Sequence[Any], other: Any, value: Any) -> Any:  # noqa: ANN401
    """The label of a value; None where it has none. A label is no value of another type, as 1 is of True."""
    if type(value) not in {type(x) for x in universe}:
        return None
    if isinstance(universe, list):
        bins = [_interval(a, b) for a, b in pairwise(universe) if a <= value < b]
        return bins[0] if bins else other
    return value if value in universe else other
