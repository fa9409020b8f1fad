"""Labels of rows: integers and texts, and rows of several columns, which are tuples here and arrays in TOML and JSON."""

import re
from collections.abc import Mapping, Sequence
from itertools import product
from math import prod
from typing import Any

from finitedp.errors import ParameterError

MOST_LABELS = 10_000  # each input is explored, and there are at least as many
_RANGE = re.compile(r"\s*(-?\d{1,18})\s*\.\.\s*(-?\d{1,18})\s*")


def is_label(label: object) -> bool:
    """Whether a certificate can hold a label: an integer, a text, or a tuple of these that is not empty."""
    values = label if type(label) is tuple and label else (label,)
    return all(type(value) in (int, str) for value in values)


def as_row(label: Any) -> Any:  # noqa: ANN401  # a label as it was read
    """A label from TOML or JSON: an array is a row of several columns."""
    return tuple(label) if isinstance(label, list) else label


def as_written(label: Any) -> Any:  # noqa: ANN401  # a label as it is written
    """A label for JSON."""
    return list(label) if isinstance(label, tuple) else label


def labels_of(fields: Mapping[str, Any]) -> tuple[Any, ...]:
    """The labels that a description lists, or the rows of its columns. Raises: ParameterError."""
    columns = fields.get("columns")
    if columns is None:
        return tuple(as_row(label) for label in fields.get("universe", ()))
    if "universe" in fields:
        raise ParameterError("universe and columns given; accepted: one of them")
    values = [values_of(f"the column {name!r}", listed) for name, listed in columns.items()]
    if prod(map(len, values)) > MOST_LABELS:
        raise ParameterError(f"the columns make {prod(map(len, values)):,} rows; accepted: at most {MOST_LABELS:,}")
    return tuple(product(*values))


def values_of(what: str, listed: str | Sequence[Any]) -> Sequence[Any]:
    """A list of values, or the integers of a range, "0..3". Raises: ParameterError, where `what` is what they are of."""
    if not isinstance(listed, str):
        if len(set(listed)) < len(listed):
            raise ParameterError(f"{what} lists a value twice; accepted: distinct values")
        return listed
    ends = _RANGE.fullmatch(listed)
    if ends is None:
        raise ParameterError(f"{what} is {listed!r}; accepted: a list of values, or a range of integers, '0..3'")
    values = range(int(ends[1]), int(ends[2]) + 1)
    if not 0 < len(values) <= MOST_LABELS:
        raise ParameterError(f"{what} is {listed!r}; accepted: FROM..TO, upwards, of at most {MOST_LABELS:,} values")
    return values
