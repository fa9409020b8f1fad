"""By what an engine groups a column, so that each label is all of a value: types, and the conversions before and after."""

from collections.abc import Callable
from typing import Any

__all__ = ["EXACT", "INTEGERS", "TEXT", "WIDE", "as_text", "by_bytes", "dask_type", "value_of"]

WIDE = ("Int128", "UInt128")
"""Integers that engines hand over in a way of their own."""
INTEGERS = ("Int", "UInt")
TEXT = ("String", "Categorical", "Enum", "Object", "Null")
"""How the names of types begin that hold integers or text."""
EXACT = ("Boolean", "Date")
"""Types whose values are labels as they are, each in one way: an engine groups them as it should."""
_BYTES = {
    "duckdb": "encode(CAST(label AS VARCHAR) || '') AS label",  # without ||, 1.2 fails on a Parquet file
    "pyspark": "CAST(CAST(label AS STRING) AS BINARY) AS label",
}
"""The text of a label as bytes, in the engines whose texts may be equal without being the same."""


def dask_type(kind: str) -> str:
    """What Dask converts a column of a type to before it groups."""
    if kind.startswith(INTEGERS):
        return kind
    return {"Boolean": "boolean", "Date": "date32[pyarrow]"}.get(kind, "string[pyarrow]")


def by_bytes(engine: str, kind: str, name: str) -> str:
    """The text of a column as bytes, in SQL, for the engines whose texts may be equal without being the same; else nothing."""
    if engine not in _BYTES or kind.startswith(INTEGERS) or kind in EXACT:
        return ""
    return _BYTES[engine].replace("label", name)


def as_text(kind: str, frame: Any) -> bool:  # noqa: ANN401
    """Whether labels are made text before they are grouped: those that engines group or hand over in a way of their own.

    polars 1.30 takes 2^100 and -2^100 for one, DuckDB hands both over as floats; categories may differ from chunk to chunk.
    Those of pandas need not be text, and are left alone.
    """
    return kind in (*WIDE, "Null") or (kind.startswith(("Categorical", "Enum")) and not frame.implementation.is_pandas())


def value_of(kind: str) -> Callable[[Any], Any]:
    """What makes a label of a value that came back."""
    return _text if kind == "Binary" else int if kind in WIDE else _same


def _text(value: Any) -> str:  # noqa: ANN401  # bytes, or Spark's bytearray
    return bytes(value).decode()


def _same(value: Any) -> Any:  # noqa: ANN401
    return value
