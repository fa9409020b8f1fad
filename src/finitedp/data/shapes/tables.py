"""Tables of true counts, taken for what they are only where it is said: value_counts() and groupby().size()."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from finitedp.data.engines import engine_among, optional, unwrapped
from finitedp.data.frames import LabelCounts, Options
from finitedp.data.shapes.grouping import grouped_by_several
from finitedp.errors import DataError, ParameterError
from finitedp.labels import shown

__all__ = ["counts_in"]


def counts_in(data: Any, column: Any, counts: bool | str, options: Options) -> tuple[LabelCounts, Any]:  # noqa: ANN401
    """The counts of a table, and the column or columns that its labels are of.

    Parameters: data, with counts = True a series of pandas or Dask whose index holds the labels; else a frame of any engine,
    counts the name of its column of counts, and column that of the labels, or several. options, what nulls are.
    Raises: ParameterError for another one; DataError for a label that is there twice, or what is no count.
    """
    if isinstance(counts, str):
        return _of_frame(data, column, counts, options), column
    if counts is not True:
        raise ParameterError(
            f"counts = {shown(counts)}; accepted: True for a series of counts, or the name of a column of counts"
        )
    native = unwrapped(data)
    if column is not None or engine_among(native, {"pandas": ("Series",), "dask": ("Series",)}) is None:
        raise ParameterError(
            f"counts = True with a {type(native).__name__}{' and a column' if column is not None else ''}; accepted: a series "
            "of pandas or Dask, such as of value_counts(), alone; or a frame with counts = the name of its column of counts"
        )
    held = native.compute() if hasattr(native, "compute") else native
    pandas, names = optional("pandas"), [name if isinstance(name, str) else None for name in held.index.names]
    many = held.index.nlevels
    levels = [held.index.get_level_values(i) for i in range(many)]
    values = [
        [None if null else value for value, null in zip(level.tolist(), pandas.isna(level).tolist(), strict=True)]
        for level in levels
    ]
    rows = list(zip(zip(*values, strict=True), held.tolist(), strict=True))
    found = _counts(rows, single=many == 1, options=options)
    if many == 1:
        return found, names[0]
    return found, [name or f"column {i + 1}" for i, name in enumerate(names)]


def _of_frame(data: Any, column: Any, counts: str, options: Options) -> LabelCounts:  # noqa: ANN401
    columns = [column] if isinstance(column, str) else list(column) if isinstance(column, list | tuple) else []
    if not columns or not all(isinstance(name, str) for name in columns):
        raise ParameterError(f"column = {shown(column)}; accepted with counts = {counts!r}: the names of the labels' columns")
    if counts in columns:
        raise ParameterError(f"column {counts!r} holds the counts, and the labels; accepted: two columns")
    found = grouped_by_several(data, [*columns, counts])
    rows = [(label[:-1], label[-1]) for label, many in zip(found.labels, found.counts, strict=True) for _ in range(many)]
    return _counts(rows, single=isinstance(column, str), options=options)


def _counts(rows: Sequence[tuple[tuple[Any, ...], Any]], *, single: bool, options: Options) -> LabelCounts:
    """Counts by label. Raises: DataError."""
    held, total = dict[Any, int](), 0
    for values, count in rows:
        if type(count) is not int or not 0 <= count < 1 << 62:
            raise DataError(f"the count of {shown(values)} is {shown(count)}; accepted: integers from 0 to 2^62 - 1")
        total += count
        if None in values and options.drop_nulls:
            continue
        if None in values and options.null_label is None:
            raise DataError(f"the table has a null among its labels, with {count} rows; accepted: drop_nulls or null_label")
        named = tuple(options.null_label if value is None else value for value in values)
        label = named[0] if single else named
        if label in held:
            raise DataError(f"the label {shown(label)} is there twice; accepted: a table with one count for each label")
        held[label] = count
    present = {label: count for label, count in held.items() if count}
    return LabelCounts(list(present), np.array(list(present.values()), np.int64), total)
