"""The categories of a categorical column, as a universe: only where they are asked for.

They are metadata of the frame, and may have been made from the data: a category that only one person had then tells of that
person. Who asks for them says that they are public.
"""

from typing import Any

from finitedp.data.engines import columns_of, data_errors, engine_of, unwrapped
from finitedp.data.frames import position_in
from finitedp.data.series import framed, is_series
from finitedp.errors import DataError, ParameterError

__all__ = ["categories_of"]


def categories_of(data: Any, column: str | None) -> list[Any]:  # noqa: ANN401  # any engine's frame, or a series
    """The categories of a column, in their order: of pandas and Dask (where they are known), polars' Enum, DuckDB's ENUM.

    Raises: ParameterError for engines and types without fixed categories.
    """
    if is_series(data):
        data, column = framed(data)
    if column is None:
        raise ParameterError("universe = 'categories' is for a column; accepted: the name of the frame's column")
    native = unwrapped(data)
    engine = engine_of(native)
    with data_errors(engine):
        position = position_in(columns_of(native, engine), column)
        found = _found(native, engine, position)
    if found is None:
        raise ParameterError(
            f"column {column!r} has no fixed categories; accepted: those of pandas and Dask, polars' Enum, DuckDB's ENUM"
        )
    if not found:
        raise DataError(f"column {column!r} has no category; accepted: at least one")
    return found


def _found(native: Any, engine: str, position: int) -> list[Any] | None:  # noqa: ANN401
    if engine in ("pandas", "dask"):
        dtype = native.dtypes.iloc[position]
        if type(dtype).__name__ != "CategoricalDtype" or (engine == "dask" and not native.iloc[:, position].cat.known):
            return None
        return list(dtype.categories.tolist())
    if engine == "polars":
        dtype = list(native.collect_schema().values())[position]
        return list(dtype.categories.to_list()) if type(dtype).__name__ == "Enum" else None
    if engine == "duckdb":
        dtype = native.types[position]
        return list(dict(dtype.children)["values"]) if dtype.id == "enum" else None
    return None
