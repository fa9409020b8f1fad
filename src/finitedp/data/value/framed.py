"""A release as a data frame: a column for the labels, or one for each part of them, the counts and their error bars."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from finitedp.data.columns import Label
from finitedp.data.engines import optional
from finitedp.data.value.label_columns import NUMBERS, label_columns
from finitedp.errors import ParameterError

__all__ = ["framed"]

_TYPES = {"BIGINT": "Int64", "BOOLEAN": "Boolean", "DATE": "Date", "VARCHAR": "String"}  # of narwhals


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
    narwhals, parts = optional("narwhals"), label_columns(labels, columns)
    if not all(part.plain for part in parts):
        raise ParameterError(
            "the labels do not fit into a column of 64-bit integers or of text; accepted: such labels, or as_dict()"
        )
    made = [part.column for part in parts]
    schema = {one.name: getattr(narwhals, _TYPES[one.kind])() for one in made} | dict.fromkeys(NUMBERS, narwhals.Int64())
    bars = list(map(bar, counts.tolist()))
    ends = {"low": [low for low, _ in bars], "high": [high for _, high in bars]}
    filled = {one.name: one.values for one in made} | {"count": counts, **ends}
    return narwhals.from_dict(filled, schema=schema, backend=backend).to_native()
