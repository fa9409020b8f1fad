"""The two columns of a frame that say whose a row is and which label it has, and one count for each pair of them."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

from finitedp.data.engines import columns_of, only, optional
from finitedp.data.exact_labels import INTEGERS, as_text
from finitedp.errors import DataError

__all__ = ["both", "grouped_pairs", "is_text"]

_BLOB = {"duckdb": "encode(CAST({0} AS VARCHAR) || '') AS {1}", "pyspark": "CAST(CAST({0} AS STRING) AS BINARY) AS {1}"}
_NAMES = ("unit", "label")


def is_text(kind: str) -> bool:
    """Whether a column of a type (engines.type_of) is of text."""
    return not kind.startswith(INTEGERS)


def both(frame: Any, engine: str, places: tuple[int, int], kinds: tuple[str, str]) -> Any:  # noqa: ANN401
    """The columns at two places of an engine's frame, called unit and label; in DuckDB and Spark, text as its bytes."""
    if engine in _BLOB:
        native = frame if engine == "duckdb" else frame.toDF(*(f"c{i}" for i in range(len(frame.columns))))
        columns = [
            (_BLOB[engine] if is_text(kind) else "{0} AS {1}").format(
                f"#{place + 1}" if engine == "duckdb" else f"c{place}", name
            )
            for place, kind, name in zip(places, kinds, _NAMES, strict=True)
        ]
        return native.project(", ".join(columns)) if engine == "duckdb" else native.selectExpr(*columns)
    if engine == "polars":
        polars = optional("polars")
        numbered = {name: f"c{i}" for i, name in enumerate(columns_of(frame, engine))}
        columns = [polars.col(f"c{place}").alias(name) for place, name in zip(places, _NAMES, strict=True)]
        return frame.lazy().rename(numbered).select(columns)
    if engine == "pyarrow":
        ones = [only(frame, engine, place) for place in places]
        return optional("pyarrow").table(dict(zip(_NAMES, (one.column(0) for one in ones), strict=True)))
    if engine == "pandas":
        two = frame.iloc[:, list(places)]
        two.columns = list(_NAMES)
        return two.reset_index(drop=True)
    old = [frame.columns[place] for place in places]
    two = frame[old].rename(columns=dict(zip(old, _NAMES, strict=True))).reset_index(drop=True)
    return two.astype(
        {name: "Int64" if kind.startswith(INTEGERS) else "string[pyarrow]" for name, kind in zip(_NAMES, kinds, strict=True)}
    )


def grouped_pairs(two: Any, engine: str, kinds: tuple[str, str]) -> Iterable[tuple[Any, Any, int]]:  # noqa: ANN401
    """A unit, a label, None for a null, and how many rows have both: by pandas, polars or pyarrow."""
    if "Object" in kinds:
        return _of_objects(two)
    nw = optional("narwhals")
    frame = nw.from_native(two)
    texts = [name for name, kind in zip(_NAMES, kinds, strict=True) if as_text(kind, frame)]
    if texts:
        frame = frame.with_columns(nw.col(name).cast(nw.String) for name in texts)
    counted = frame.group_by(*_NAMES).agg(nw.len().alias("c"))
    if isinstance(counted, nw.LazyFrame):
        counted = nw.from_native(counted.to_native().collect(engine="streaming"))
    columns = [_listed(counted[name], kind) for name, kind in zip(_NAMES, kinds, strict=True)]
    return zip(*columns, counted["c"].to_list(), strict=True)


def _listed(series: Any, kind: str) -> list[Any]:  # noqa: ANN401  # of narwhals
    """Its values, None for a null; integers that were grouped as text are integers again."""
    make = int if kind.startswith(INTEGERS) else lambda value: value
    values = zip(series.to_list(), series.is_null().to_list(), strict=True)
    return [None if null else make(value) for value, null in values]


def _of_objects(two: Any) -> Iterable[tuple[Any, Any, int]]:  # noqa: ANN401
    """Of pandas' Python objects, by type and value."""
    nulls = optional("pandas").isna
    try:
        units, labels = ([(type(value), value) for value in two[name].astype(object).array] for name in _NAMES)
        found = Counter(zip(units, labels, strict=True))
    except TypeError as error:
        raise DataError(f"a column holds a value that cannot be a label: {error}; accepted: strings or integers") from None
    return (
        (None if nulls(whose) else whose, None if nulls(label) else label, count)
        for ((_, whose), (_, label)), count in found.items()
    )
