"""A release as a data frame: a column for the labels, or one for each part of them, the counts and their error bars."""

from collections.abc import Callable, Sequence
from datetime import date
from typing import Any

import numpy as np
from numpy.typing import NDArray

from finitedp.data.columns import Label
from finitedp.data.engines import optional
from finitedp.errors import ParameterError
from finitedp.labels import is_utf_8

__all__ = ["framed"]

_NUMBERS = ("count", "low", "high")


def framed(
    backend: str,
    labels: Sequence[Label],
    counts: NDArray[np.int64],
    bar: Callable[[int], tuple[int, int]],
    columns: Sequence[str],
) -> Any:  # noqa: ANN401  # any engine's frame
    """As NoisyHistogram.to_frame. Parameters: columns, the names of the parts of a label; none of labels without parts."""
    if backend not in ("pandas", "polars", "pyarrow"):
        raise ParameterError(f"backend = {backend!r} is unknown; accepted: pandas, polars, pyarrow")
    optional(backend)
    narwhals, held = optional("narwhals"), list(labels)
    width = max(len(columns), len(held[0]) if held and isinstance(held[0], tuple) else 0)
    parts = [[label[i] for label in held] for i in range(width)] if width else [held]  # type: ignore[index]  # tuples
    made = [_column(part) for part in parts]
    names = _names(columns, width)
    schema = {name: getattr(narwhals, kind)() for name, (kind, _) in zip(names, made, strict=True)}
    schema |= dict.fromkeys(_NUMBERS, narwhals.Int64())
    bars = list(map(bar, counts.tolist()))
    ends = {"low": [low for low, _ in bars], "high": [high for _, high in bars]}
    filled = {name: values for name, (_, values) in zip(names, made, strict=True)} | {"count": counts, **ends}
    return narwhals.from_dict(filled, schema=schema, backend=backend).to_native()


def _names(columns: Sequence[str], width: int) -> list[str]:
    """The columns' own names, where they are known and no other's."""
    if not width:
        return ["label"]
    known = len(columns) == width and not set(columns) & set(_NUMBERS)
    return list(columns) if known else [f"label_{i + 1}" for i in range(width)]


def _column(values: list[Any]) -> tuple[str, list[Any]]:
    """The type of a column, and its values: integers beside text, such as one label for all others, as text."""
    types = set(map(type, values))
    if types == {int} and all(-(2**63) <= value < 2**63 for value in values):
        return "Int64", values
    if types in ({bool}, {date}):
        return "Boolean" if types == {bool} else "Date", values
    texts = [str(value) for value in values]
    if (not types <= {int, str, date}) or types == {int} or not all(map(is_utf_8, texts)):
        raise ParameterError(
            "the labels do not fit into a column of 64-bit integers or of text; accepted: such labels, or as_dict()"
        )
    if len(set(texts)) < len(set(values)):
        raise ParameterError("two labels are the same text, such as 1 and '1'; accepted: labels of one type, or as_dict()")
    return "String", texts
