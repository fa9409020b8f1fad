"""The group-by of several columns in the engine that holds the frame: one count for each tuple of values.

As of `finitedp.data.engines`, of one column: text is grouped by its bytes, and null is a value of its own, None.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from attrs import frozen

from finitedp.data.engines import (
    Grouped,
    columns_of,
    data_errors,
    engine_of,
    optional,
    plain_arrow,
    type_of,
    unwrapped,
)
from finitedp.data.exact_labels import as_text, by_bytes, dask_type, value_of
from finitedp.data.frames import check_type, position_in
from finitedp.errors import DataError

__all__ = ["grouped_by_several"]


@frozen
class _Columns:
    """An engine's frame with these columns alone, called l0, l1, ..., and their types."""

    engine: str
    frame: Any
    kinds: tuple[str, ...]

    @property
    def names(self) -> list[str]:
        return [f"l{i}" for i in range(len(self.kinds))]


def grouped_by_several(frame: Any, columns: Sequence[str]) -> Grouped:  # noqa: ANN401  # any engine's frame
    """How often each tuple of values of several columns occurs, by one group-by of the engine; None is a null.

    Raises: ParameterError for an unknown engine, DataError for an unknown or repeated column, one of a type that no label has,
    or what the engine refuses.
    """
    optional("narwhals")
    native = unwrapped(frame)
    engine = engine_of(native)
    with data_errors(engine):
        positions = [position_in(columns_of(native, engine), column) for column in columns]
        kinds = tuple(type_of(native, engine, position) for position in positions)
        for kind, column in zip(kinds, columns, strict=True):
            check_type(kind, engine, column)
        return _grouped(_Columns(engine, _only(native, engine, positions), kinds))


def _only(native: Any, engine: str, positions: Sequence[int]) -> Any:  # noqa: ANN401
    """The frame with the columns at these positions, called l0, l1, ..."""
    places = list(enumerate(positions))
    if engine in ("pandas", "dask"):
        names = {native.columns[position]: f"l{i}" for i, position in places}
        return native[list(names)].rename(columns=names).reset_index(drop=True)
    if engine == "pyarrow":
        return plain_arrow(native.select(list(positions)).rename_columns([f"l{i}" for i, _ in places]))
    if engine == "pyspark":
        numbered = native.toDF(*(f"c{i}" for i in range(len(native.columns))))
        return numbered.selectExpr(*(f"c{position} AS l{i}" for i, position in places))
    if engine == "duckdb":
        return native.project(", ".join(f"#{position + 1} AS l{i}" for i, position in places))
    polars, numbered = optional("polars"), {name: f"c{i}" for i, name in enumerate(columns_of(native, engine))}
    return native.lazy().rename(numbered).select([polars.col(f"c{position}").alias(f"l{i}") for i, position in places])


def _grouped(columns: _Columns) -> Grouped:
    if columns.engine == "pandas" and "Object" in columns.kinds:
        return _by_python(columns)
    if columns.engine == "dask":
        return _by_dask(columns)
    exact = [by_bytes(columns.engine, kind, name) for kind, name in zip(columns.kinds, columns.names, strict=True)]
    kinds = ["Binary" if text else kind for kind, text in zip(columns.kinds, exact, strict=True)]
    frame = columns.frame
    if any(exact):
        selected = [text or name for text, name in zip(exact, columns.names, strict=True)]
        frame = frame.project(", ".join(selected)) if columns.engine == "duckdb" else frame.selectExpr(*selected)
    return _listed(_rows(_query(frame, columns, kinds), columns.engine, len(kinds)), kinds)


def _query(frame: Any, columns: _Columns, kinds: Sequence[str]) -> Any:  # noqa: ANN401
    """The group-by, as the engine's own frame."""
    nw = optional("narwhals")
    wrapped = nw.from_native(frame)
    wanted = [
        nw.col(name).cast(nw.String) if as_text(kind, wrapped) else nw.col(name)
        for kind, name in zip(kinds, columns.names, strict=True)
    ]
    counted = wrapped.select(*wanted).group_by(*columns.names).agg(nw.len().alias("count"))
    return counted.select(*columns.names, "count").to_native()


def _rows(native: Any, engine: str, many: int) -> list[Sequence[Any]]:  # noqa: ANN401
    """The rows of the result, None for a null."""
    if engine == "duckdb":
        return list(native.fetchall())
    if engine == "pyspark":
        return list(native.collect())
    held = optional("narwhals").from_native(native.collect(engine="streaming") if hasattr(native, "collect") else native)
    listed = []
    for i in range(many):
        values = held[f"l{i}"]
        nulls = values.is_null().to_list()
        listed.append([None if null else value for value, null in zip(values.to_list(), nulls, strict=True)])
    return list(zip(*listed, held["count"].to_list(), strict=True))


def _listed(rows: list[Sequence[Any]], kinds: Sequence[str]) -> Grouped:
    """What came back, as labels and counts."""
    of = tuple(value_of(kind) for kind in kinds)
    labels = [tuple(None if x is None else f(x) for f, x in zip(of, row, strict=False)) for row in rows]
    return Grouped(labels, [int(row[-1]) for row in rows])


def _by_python(columns: _Columns) -> Grouped:
    """Columns of which one has Python objects: counted by types and values, since 1, True and 1.0 are equal."""
    listed = []
    for name in columns.names:
        values = columns.frame[name]
        nulls = values.isna().tolist()
        listed.append([None if null else value for value, null in zip(values.tolist(), nulls, strict=True)])
    rows = list(zip(*listed, strict=True))
    try:
        counted = Counter((tuple(map(type, row)), row) for row in rows)
    except TypeError as error:
        raise DataError(f"a column holds a value that cannot be a label: {error}; accepted: strings or integers") from None
    return Grouped([row for _, row in counted], list(counted.values()))


def _by_dask(columns: _Columns) -> Grouped:
    types = {name: dask_type(kind) for kind, name in zip(columns.kinds, columns.names, strict=True)}
    sizes = columns.frame.astype(types).groupby(columns.names, dropna=False, observed=True).size().compute()
    listed = []
    for i in range(len(types)):
        level = sizes.index.get_level_values(i)
        listed.append([None if null else value for value, null in zip(level.tolist(), level.isna().tolist(), strict=True)])
    return Grouped(list(zip(*listed, strict=True)), [int(many) for many in sizes.tolist()])
