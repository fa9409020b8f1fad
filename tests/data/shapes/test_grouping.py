"""The group-by of several columns, in each engine: the same tuples and counts as Python's, nulls and types included."""

from collections import Counter
from datetime import date
from typing import Any

import pytest

from finitedp.data.shapes.grouping import grouped_by_several
from finitedp.errors import DataError

COLUMNS: dict[str, list[Any]] = {
    "text": ["f", "m", None, "f", "a\0b", "a", "F"] * 3,
    "number": [1, 2, 2**62, None, 5, 5, 1] * 3,
    "held": [True, None, False, True, True, True, False] * 3,
    "born": [date(2020, 1, 1), None, date(2021, 1, 1), *[date(2020, 1, 1)] * 4] * 3,
}
ENGINES = (
    "pandas",
    "objects",
    "categories",
    "arrow text",
    "polars",
    "lazy",
    "polars categories",
    "pyarrow",
    "dictionary",
    "duckdb",
    "dask",
    "dask categories",
    "narwhals",
    "pyspark",
)


def _pandas(kind: str) -> Any:
    pandas = pytest.importorskip("pandas")
    types = {"text": "string", "number": "Int64", "held": "boolean", "born": "date32[pyarrow]"}
    frame = pandas.DataFrame({name: pandas.Series(values, dtype=types[name]) for name, values in COLUMNS.items()})
    changed = {
        "objects": {"text": object, "held": object, "born": object},
        "categories": {"text": "category"},
        "arrow text": {"text": "string[pyarrow]"},
    }
    if kind == "objects":
        return pandas.DataFrame({name: pandas.Series(values, dtype=object) for name, values in COLUMNS.items()})
    return frame.astype(changed[kind]) if kind in changed else frame


def _polars(kind: str) -> Any:
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame(COLUMNS)
    changed = frame.with_columns(polars.col("text").cast(polars.Categorical))
    wrapped = pytest.importorskip("narwhals").from_native(frame)
    return {"polars": frame, "lazy": frame.lazy(), "polars categories": changed, "narwhals": wrapped}[kind]


def _arrow(kind: str) -> Any:
    table = pytest.importorskip("pyarrow").table(COLUMNS)
    if kind == "duckdb":
        return pytest.importorskip("duckdb").from_arrow(table)
    return table if kind == "pyarrow" else table.set_column(0, "text", table["text"].dictionary_encode())


def _dask(kind: str) -> Any:
    dask = pytest.importorskip("dask.dataframe", exc_type=ImportError)
    return dask.from_pandas(_pandas("categories" if "categories" in kind else "pandas"), npartitions=3)


def _made(engine: str, spark: Any) -> Any:
    if engine == "pyspark":
        rows = [dict(zip(COLUMNS, row, strict=True)) for row in zip(*COLUMNS.values(), strict=True)]
        return spark().createDataFrame(rows, "text string, number bigint, held boolean, born date")
    for kinds, make in (
        (("polars", "lazy", "polars categories", "narwhals"), _polars),
        (("pyarrow", "dictionary", "duckdb"), _arrow),
        (("dask", "dask categories"), _dask),
    ):
        if engine in kinds:
            return make(engine)
    return _pandas(engine)


@pytest.fixture(scope="module")
def spark() -> Any:
    made: list[Any] = []

    def session() -> Any:
        sql = pytest.importorskip("pyspark.sql")
        made.append(sql.SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate())
        return made[0]

    yield session
    for one in made:
        one.stop()


@pytest.mark.parametrize("engine", [*ENGINES[:-1], pytest.param(ENGINES[-1], marks=pytest.mark.deep)])
def test_every_engine_groups_as_python_does(engine: str, spark: Any) -> None:
    frame = _made(engine, spark)
    for names in (["text", "number"], ["text", "born", "held"], ["held", "number"], ["born", "text", "number", "held"]):
        found = grouped_by_several(frame, names)
        rows = list(zip(*(COLUMNS[name] for name in names), strict=True))
        assert dict(zip(found.labels, found.counts, strict=True)) == dict(Counter(rows)), names
        assert {tuple(map(type, label)) for label in found.labels} == {tuple(map(type, row)) for row in rows}


def test_objects_are_of_their_types() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"x": pandas.Series([1, True, 1.0], dtype=object), "y": [1, 1, 1]})
    found = grouped_by_several(frame, ["x", "y"])
    assert [type(x) for x, _ in found.labels] == [int, bool, float]
    with pytest.raises(DataError, match="cannot be a label: unhashable"):
        grouped_by_several(pandas.DataFrame({"x": [["a"]], "y": [1]}), ["x", "y"])


def test_texts_that_engines_may_take_for_equal() -> None:
    duckdb = pytest.importorskip("duckdb").connect()
    duckdb.sql("SET default_collation = 'NOCASE'")
    relation = duckdb.sql("SELECT * FROM (VALUES ('a', 1), ('A', 1), ('a', 1)) AS t(x, y)")
    found = grouped_by_several(relation, ["x", "y"])
    assert dict(zip(found.labels, found.counts, strict=True)) == {("a", 1): 2, ("A", 1): 1}


def test_columns_that_are_refused() -> None:
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"x": ["a"], "y": [0.5]})
    for names, message in ((["x", "z"], "no column 'z'"), (["x", "y"], "column 'y' is of type Float64")):
        with pytest.raises(DataError, match=message):
            grouped_by_several(frame, names)
