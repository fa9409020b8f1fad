"""The columns of a frame that say whose a row is and which label it has, for Dask, and as two columns for DuckDB and Spark."""

from collections.abc import Sequence
from typing import Any

from finitedp.data.columns import Label
from finitedp.data.exact_labels import dask_type
from finitedp.data.units.labelling import is_text, kind_of, text_of
from finitedp.errors import DataError

__all__ = ["of_dask", "two_columns"]

_BLOB = {"duckdb": "encode(CAST({0} AS VARCHAR) || '')", "pyspark": "CAST(CAST({0} AS STRING) AS BINARY)"}
_TEXT = {"duckdb": "VARCHAR", "pyspark": "STRING"}
_FIRST = {str: "s", int: "i", bool: "b"}


def two_columns(
    frame: Any,  # noqa: ANN401  # of DuckDB or Spark
    engine: str,
    places: Sequence[int],
    kinds: Sequence[str],
    columns: Sequence[str],
    null_label: Label | None,
    *,
    plain: bool,
) -> Any:  # noqa: ANN401  # as above
    """The columns at some places, of which the first is the unit's, as two columns, unit and label.

    Text is its bytes. The label is that of the one column, or labelling.text_of all of them: null where one of them is.
    Parameters: kinds, of the columns; columns, the labels' names; null_label, what stands for a null. Raises: DataError for
    one of another type than the column's.
    """
    if engine == "pyspark":
        frame = frame.toDF(*(f"c{i}" for i in range(len(frame.columns))))
    names = [f"#{place + 1}" if engine == "duckdb" else f"c{place}" for place in places]
    for kind, column in zip(kinds[1:], columns, strict=True):
        if null_label is not None and type(null_label) is not kind_of(kind):
            held = {str: "text", int: "integers", bool: "booleans"}.get(kind_of(kind), "dates")
            raise DataError(f"column {column!r} holds {held}; accepted: a null_label of that type")
    unit = _BLOB[engine].format(names[0]) if is_text(kinds[0]) else names[0]
    if plain:
        label = _BLOB[engine].format(names[1]) if is_text(kinds[1]) else names[1]
        label = f"coalesce({label}, {_literal(null_label)})" if isinstance(null_label, str | int) else label
    else:
        parts = [_text(engine, name, kind) for name, kind in zip(names[1:], kinds[1:], strict=True)]
        if null_label is not None:
            parts = [f"coalesce({part}, '{text_of((null_label,))}')" for part in parts]
        label = " || '|' || ".join(parts) or "''"
    selected = (f"{unit} AS unit", f"{label} AS label")
    return frame.project(", ".join(selected)) if engine == "duckdb" else frame.selectExpr(*selected)


def _literal(label: str | int) -> str:
    return str(label) if isinstance(label, int) else f"unhex('{label.encode().hex()}')"


def _text(engine: str, name: str, kind: str) -> str:
    """labelling.text_of one value, as an expression."""
    if is_text(kind):
        return f"'s' || hex({_BLOB[engine].format(name)})"
    return f"'{_FIRST.get(kind_of(kind), 'd')}' || CAST({name} AS {_TEXT[engine]})"


def of_dask(frame: Any, places: Sequence[int], kinds: Sequence[str]) -> Any:  # noqa: ANN401
    """The columns at some places, called unit, l0, l1, ..., each of the type by which it is grouped."""
    old, names = [frame.columns[place] for place in places], ["unit", *(f"l{i}" for i in range(len(places) - 1))]
    chosen = frame[old].rename(columns=dict(zip(old, names, strict=True))).reset_index(drop=True)
    return chosen.astype({name: dask_type(kind) for name, kind in zip(names, kinds, strict=True)})
