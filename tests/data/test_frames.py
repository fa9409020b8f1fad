"""finitedp.data.frames: the counts of a column of any engine's data frame."""

import datetime
import decimal
import importlib
import os
import re
import shutil
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finitedp import release, statistic
from finitedp.data.frames import LabelCounts, counts_of, prevalences_of
from finitedp.errors import DataError, ParameterError
from finitedp.impl.histograms.universe import Strings
from finitedp.impl.randomness.words import SeededWords
from tests.sampling import sampled

nw = pytest.importorskip("narwhals")
np = pytest.importorskip("numpy")

Values = list[Any]


def pandas_frame(values: Values, kind: str = "") -> Any:
    pandas = pytest.importorskip("pandas")
    dtype = {"int": "Int64", "str": "string", "": object, "object": object}[kind or kind_of(values)]
    return pandas.DataFrame({"x": pandas.Series(values, dtype=dtype), "y": range(len(values))})


def polars_frame(values: Values, kind: str = "") -> Any:
    polars = pytest.importorskip("polars")
    dtype = {"int": polars.Int64, "str": polars.String, "": None}[kind or kind_of(values)]
    return polars.DataFrame({"x": polars.Series(values, dtype=dtype), "y": range(len(values))})


def lazy_frame(values: Values, kind: str = "") -> Any:
    return polars_frame(values, kind).lazy()


def arrow_table(values: Values, kind: str = "") -> Any:
    arrow = pytest.importorskip("pyarrow")
    dtype = {"int": arrow.int64(), "str": arrow.string(), "": None}[kind or kind_of(values)]
    return arrow.table({"x": arrow.array(values, dtype), "y": range(len(values))})


OPEN: list[Any] = []  # connections that relations need, and in DuckDB 1.2 do not hold


def duckdb_relation(values: Values, kind: str = "") -> Any:
    duckdb = pytest.importorskip("duckdb")
    connection = duckdb.connect()
    OPEN.append(connection)
    column = {"int": "BIGINT", "str": "VARCHAR", "": "INTEGER"}[kind or kind_of(values)]
    connection.execute(f"CREATE TABLE t (x {column}, y BIGINT)")
    if values:
        connection.execute(
            f"INSERT INTO t SELECT unnest($1::{column}[]), unnest(range({len(values)}))",
            [values],
        )
    return connection.table("t")


def dask_frame(values: Values, kind: str = "") -> Any:
    dask = pytest.importorskip("dask.dataframe", exc_type=ImportError)
    return dask.from_pandas(pandas_frame(values, kind), npartitions=3)


def kind_of(values: Values) -> str:
    found = {type(value) for value in values if value is not None}
    return {frozenset({str}): "str", frozenset({int}): "int"}.get(frozenset(found), "")


LOCAL: dict[str, Callable[..., Any]] = {
    "pandas": pandas_frame,
    "polars": polars_frame,
    "lazy": lazy_frame,
    "pyarrow": arrow_table,
    "duckdb": duckdb_relation,
}
ENGINES = LOCAL | {"dask": dask_frame}
every_engine = pytest.mark.parametrize("engine", ENGINES)
HOSTILE = [
    "",
    " ",
    "a",
    "A",
    "a\x00",
    'q"',
    "it's",
    "x\ny",
    "x\r",
    ",",
    "\u00e9",
    "e\u0301",
    "\U0001f600",
    "\uffff",
    "NULL",
    "nan",
    "None",
    "7",
]


def check(found: LabelCounts, values: Values) -> None:
    expected = Counter(values)
    assert found.as_dict() == expected
    assert list(found.labels) == sorted(expected)
    assert found.rows == len(values)
    assert found.counts.dtype == np.int64


@every_engine
def test_strings_and_integers(engine: str) -> None:
    check(counts_of(ENGINES[engine](["b", "a", "b"]), "x"), ["b", "a", "b"])
    check(counts_of(ENGINES[engine]([3, -2, 3, 10]), "x"), [3, -2, 3, 10])


@every_engine
def test_hostile_labels_are_kept_as_they_are_in_the_order_of_code_points(engine: str) -> None:
    values = HOSTILE + HOSTILE[::3]
    check(counts_of(ENGINES[engine](values), "x"), values)


@every_engine
def test_integers_that_no_float_holds(engine: str) -> None:
    values = [2**53 + 1, 2**53, 2**63 - 1, -(2**63), 2**53 + 1]
    check(counts_of(ENGINES[engine](values), "x"), values)
    found = counts_of(ENGINES[engine]([*values, None]), "x", drop_nulls=True)
    assert (found.as_dict(), found.rows) == (Counter(values), 6)


@every_engine
def test_nulls(engine: str) -> None:
    frame = ENGINES[engine](["b", None, "a", None])
    with pytest.raises(DataError, match="column 'x' holds 2 nulls in 4 rows; accepted: none, or drop_nulls"):
        counts_of(frame, "x")
    dropped = counts_of(frame, "x", drop_nulls=True)
    assert (dropped.as_dict(), dropped.rows) == ({"a": 1, "b": 1}, 4)
    assert counts_of(frame, "x", null_label="unknown").as_dict() == {"a": 1, "b": 1, "unknown": 2}
    assert counts_of(frame, "x", null_label="a").as_dict() == {"a": 3, "b": 1}
    with pytest.raises(DataError, match="int in 2 rows, str in 2 rows"):
        counts_of(frame, "x", null_label=0)


@every_engine
def test_nothing_but_nulls(engine: str) -> None:
    for kind in ("str", "int", ""):
        frame = ENGINES[engine]([None, None], kind)
        with pytest.raises(DataError, match="holds 2 nulls in 2 rows"):
            counts_of(frame, "x")
        found = counts_of(frame, "x", drop_nulls=True)
        assert (list(found.labels), found.counts.tolist(), found.rows) == ([], [], 2)
        assert counts_of(frame, "x", null_label="none").as_dict() == {"none": 2}


@every_engine
def test_no_rows(engine: str) -> None:
    for kind in ("str", "int", ""):
        frame = ENGINES[engine]([], kind)
        with pytest.raises(DataError, match="column 'x' has no rows; accepted: at least one row, or n"):
            counts_of(frame, "x")
        found = counts_of(frame, "x", n=5)
        assert (list(found.labels), found.counts.tolist(), found.rows) == ([], [], 0)


@every_engine
def test_more_rows_than_n(engine: str) -> None:
    frame = ENGINES[engine](["b", None, "a"])
    assert counts_of(frame, "x", n=3, drop_nulls=True).rows == 3
    with pytest.raises(DataError, match="column 'x' has 3 rows, more than n = 2"):
        counts_of(frame, "x", n=2, drop_nulls=True)


@every_engine
def test_unknown_column(engine: str) -> None:
    for name in ("X", "z", ""):
        with pytest.raises(DataError, match=f"the frame has no column '{name}'; its columns are x, y"):
            counts_of(ENGINES[engine](["a"]), name)


@every_engine
def test_the_order_of_rows_does_not_show(engine: str) -> None:
    values = [*HOSTILE, "a", "b"]
    there, back = (counts_of(ENGINES[engine](rows), "x") for rows in (values, values[::-1]))
    assert list(there.labels) == list(back.labels)
    assert there.counts.tolist() == back.counts.tolist()


@every_engine
def test_labels_need_not_be_sorted(engine: str) -> None:
    values = [*HOSTILE, *HOSTILE[::2]]
    found = counts_of(ENGINES[engine](values), "x", ordered=False)
    assert (found.as_dict(), found.rows) == (Counter(values), len(values))


text = st.text(st.characters(exclude_categories=["Cs"]), max_size=3)


@pytest.mark.parametrize("engine", sampled(LOCAL, 1))
@given(values=st.one_of(st.lists(st.none() | text), st.lists(st.none() | st.integers(-(2**63), 2**63 - 1))))
def test_every_engine_counts_as_a_counter(engine: str, values: Values) -> None:
    found = counts_of(LOCAL[engine](values, kind_of(values) or "str"), "x", n=1000, drop_nulls=True)
    expected = Counter(value for value in values if value is not None)
    assert found.as_dict() == expected
    assert list(found.labels) == sorted(expected)
    assert found.rows == len(values)


# Types


def refused(frame: Any, message: str) -> None:
    with pytest.raises(DataError, match=message) as caught:
        counts_of(frame, "x")
    assert "\n" not in str(caught.value)


SAMPLES: dict[str, tuple[Values, str]] = {
    "float": (
        [1.0, 2.0],
        "is of type Float64; accepted: strings, integers, booleans or dates; convert .*(?i:int).*rounding",
    ),
    "nan": ([1.5, float("nan")], "is of type Float64"),
    "time": ([datetime.datetime(2020, 1, 2, 3)], "is of type Datetime.*convert with .*(?i:date)"),
    "decimal": ([decimal.Decimal("1.5")], "is of type Decimal.*convert with"),
    "bytes": ([b"a"], "is of type Binary.*accepted: strings, integers, booleans or dates$"),
    "list": ([["a"], []], "is of type List.*accepted: strings, integers, booleans or dates$"),
}


@pytest.mark.parametrize("sample", SAMPLES)
@pytest.mark.parametrize("engine", ["polars", "lazy", "pyarrow", "duckdb"])
def test_types_that_are_no_labels(engine: str, sample: str) -> None:
    values, message = SAMPLES[sample]
    if engine == "duckdb":
        connection = pytest.importorskip("duckdb").connect()
        refused(connection.from_arrow(arrow_table(values)), message)
    else:
        refused(LOCAL[engine](values), message)


@pytest.mark.parametrize("values", [[True, False, True], [datetime.date(2020, 2, 1), datetime.date(2020, 1, 1)]], ids=str)
@pytest.mark.parametrize("engine", ["polars", "lazy", "pyarrow", "duckdb", "pandas", "dask"])
def test_booleans_and_dates(engine: str, values: Values) -> None:
    pandas = pytest.importorskip("pandas")
    if engine == "duckdb":
        connection = pytest.importorskip("duckdb").connect()
        frame, nulls = (connection.from_arrow(arrow_table(x)) for x in (values, [*values, None]))
    elif engine in ("pandas", "dask"):
        kind = "boolean" if isinstance(values[0], bool) else "date32[pyarrow]"
        frame, nulls = (pandas.DataFrame({"x": pandas.Series(x, dtype=kind)}) for x in (values, [*values, None]))
        if engine == "dask":
            dask = pytest.importorskip("dask.dataframe", exc_type=ImportError)
            frame, nulls = (dask.from_pandas(x, npartitions=2) for x in (frame, nulls))
    else:
        frame, nulls = LOCAL[engine](values), LOCAL[engine]([*values, None])
    check(counts_of(frame, "x"), values)
    refused(nulls, "holds 1 nulls in")
    found = counts_of(nulls, "x", null_label=values[0])
    assert found.as_dict()[values[0]] == values.count(values[0]) + 1
    assert {type(label) for label in found.labels} == {type(values[0])}
    refused_label = 1 if isinstance(values[0], bool) else "none"  # True is not 1
    with pytest.raises(DataError, match="holds values of type"):
        counts_of(nulls, "x", null_label=refused_label)


@pytest.mark.parametrize("partitions", [0, 2])
def test_types_of_pandas_that_are_no_labels(partitions: int) -> None:
    pandas = pytest.importorskip("pandas")
    dask = pytest.importorskip("dask.dataframe", exc_type=ImportError) if partitions else None
    for values, message in (
        ([1.0, 2.0], r"is of type Float64.*astype\(.Int64.\)"),
        ([1, None], "is of type Float64"),
        (pandas.to_datetime(["2020-01-02"]), r"is of type Datetime.*frame\['x'\]\.dt\.date or"),
        (pandas.to_timedelta([1]), "is of type Duration"),
    ):
        frame = pandas.DataFrame({"x": values})
        refused(frame if dask is None else dask.from_pandas(frame, npartitions=partitions), message)


def test_objects_of_pandas_are_counted_by_type_and_value() -> None:
    pandas = pytest.importorskip("pandas")

    def frame(values: Values) -> Any:
        return pandas.DataFrame({"x": pandas.Series(values, dtype=object)})

    huge = [2**100, -(2**100), 2**100]
    check(counts_of(frame(huge), "x"), huge)
    surrogates = ["\udc80", "\ud800", "\udc80", "a"]
    check(counts_of(frame(surrogates), "x"), surrogates)
    nulls = counts_of(frame(["a", None, float("nan"), float("nan"), pandas.NA, pandas.NaT]), "x", drop_nulls=True)
    assert (nulls.as_dict(), nulls.rows) == ({"a": 1}, 6)
    refused(
        frame(["a", "b", 1]),
        "column 'x' holds values of type int in 1 rows, str in 2 rows; accepted: str, int, bool",
    )
    refused(frame([1, True, 1.0]), "bool in 1 rows, float in 1 rows, int in 1 rows")
    refused(frame([*("a" for _ in range(200)), 1]), "int in 1 rows, str in 200 rows")
    refused(frame([1.0, 2.0]), "float in 2 rows")
    refused(frame([b"a"]), "bytes in 1 rows")
    refused(frame([["a"]]), "holds a value that cannot be a label: unhashable type: 'list'")
    refused(frame([datetime.datetime(2020, 1, 1)]), "datetime in 1 rows")
    refused(frame([datetime.date(2020, 1, 1), "a"]), "date in 1 rows, str in 1 rows")


def test_categories() -> None:
    pandas, polars, arrow = (pytest.importorskip(name) for name in ("pandas", "polars", "pyarrow"))
    values = ["b", "a", "b"]
    ordered = pandas.CategoricalDtype(["b", "a", "never"], ordered=True)
    check(counts_of(pandas.DataFrame({"x": pandas.Series(values, dtype=ordered)}), "x"), values)
    check(counts_of(pandas.DataFrame({"x": pandas.Categorical([3, 1, 3])}), "x"), [3, 1, 3])
    refused(pandas.DataFrame({"x": pandas.Categorical([1.5])}), "float in 1 rows")
    refused(pandas.DataFrame({"x": pandas.Categorical(["a", None])}), "holds 1 nulls in 2 rows")
    for kind in (polars.Categorical, polars.Enum(["b", "a", "never"])):
        check(counts_of(polars.DataFrame({"x": polars.Series(values, dtype=kind)}), "x"), values)
        check(counts_of(polars.LazyFrame({"x": polars.Series(values, dtype=kind)}), "x"), values)
    chunks = [arrow.array(part).dictionary_encode() for part in (["b", "a"], ["b", "c"])]
    check(counts_of(arrow.table({"x": arrow.chunked_array(chunks)}), "x"), ["b", "a", "b", "c"])
    check(counts_of(arrow.table({"x": arrow.array([3, 1, 3]).dictionary_encode()}), "x"), [3, 1, 3])
    refused(arrow.table({"x": arrow.array([1.5]).dictionary_encode()}), "is of type Float64")


def test_enums_and_wide_integers_of_duckdb() -> None:
    connection = pytest.importorskip("duckdb").connect()
    connection.execute("CREATE TYPE mood AS ENUM ('b', 'a', 'never')")
    check(counts_of(connection.sql("SELECT unnest(['b', 'a', 'b'])::mood AS x"), "x"), ["b", "a", "b"])
    for kind, values in (
        ("HUGEINT", [2**100, -(2**100), 9, 10]),
        ("UHUGEINT", [2**127, 10, 9]),
        ("UBIGINT", [2**64 - 1, 9, 10]),
    ):
        connection.execute(f"CREATE OR REPLACE TABLE wide (x {kind})")
        connection.executemany("INSERT INTO wide VALUES ($1)", [[value] for value in [*values, values[0]]])
        check(counts_of(connection.table("wide"), "x"), [*values, values[0]])


def test_wide_integers_of_polars() -> None:
    polars = pytest.importorskip("polars")
    for kind, values in (
        (polars.Int128, [2**100, -(2**100), 9, 10]),
        (polars.UInt64, [2**64 - 1, 9, 10]),
        (polars.Int8, [-3, 3]),
    ):
        check(counts_of(polars.DataFrame({"x": polars.Series(values, dtype=kind)}), "x"), values)


def test_objects_of_other_engines_are_refused() -> None:
    polars = pytest.importorskip("polars")
    refused(
        polars.DataFrame({"x": polars.Series([object()], dtype=polars.Object)}),
        "is of type Object; accepted: strings, integers, booleans or dates$",
    )


# Names


def test_repeated_names() -> None:
    pandas, arrow, duckdb = (pytest.importorskip(name) for name in ("pandas", "pyarrow", "duckdb"))
    message = "the frame has more than one column 'x'; its columns are x, y, x"
    refused(pandas.DataFrame([["a", "b", "c"]], columns=["x", "y", "x"]), message)
    refused(arrow.Table.from_arrays([arrow.array(["a"])] * 3, names=["x", "y", "x"]), message)
    connection = duckdb.connect()
    refused(connection.sql("SELECT 'a' AS x, 'b' AS y, 'c' AS x"), message)
    relation = connection.sql("""SELECT 'small' AS x, 'large' AS "X" """)
    assert counts_of(relation, "x").as_dict() == {"small": 1}
    assert counts_of(relation, "X").as_dict() == {"large": 1}


def test_an_index_that_is_called_as_the_column() -> None:
    pandas, dask = pytest.importorskip("pandas"), pytest.importorskip("dask.dataframe", exc_type=ImportError)
    for name in ("x", "label", "count"):
        frame = pandas.DataFrame({name: ["a", "b", "a"]}, index=pandas.Index(["p", "p", "q"], name=name))
        check(counts_of(frame, name), ["a", "b", "a"])
        check(counts_of(dask.from_pandas(frame, npartitions=2), name), ["a", "b", "a"])
    several = pandas.DataFrame({("x", 1): ["a"], ("x", 2): ["b"]})
    refused(several, "the frame has no column 'x'")


@pytest.mark.parametrize(
    "name", sampled(["a.b", 'q"x', "it's", "select", "x y", "`", "é\n", "count", "label", "#1", "%s", "{0}"], 3)
)
@pytest.mark.parametrize("engine", ["pandas", "polars", "lazy", "pyarrow", "duckdb"])
def test_names_that_mean_something_elsewhere(engine: str, name: str) -> None:
    values = ["b", "a", "b"]
    if engine == "duckdb":
        pytest.importorskip("pyarrow")
        OPEN.append(pytest.importorskip("duckdb").connect())
        frame = OPEN[-1].from_arrow(arrow_table(values).rename_columns([name, "y"]))
    elif engine == "pyarrow":
        frame = arrow_table(values).rename_columns([name, "y"])
    else:
        frame = LOCAL[engine](values)
        frame = frame.rename(columns={"x": name}) if engine == "pandas" else frame.rename({"x": name})
    check(counts_of(frame, name), values)


def test_many_columns_are_not_all_listed() -> None:
    polars = pytest.importorskip("polars")
    with pytest.raises(DataError, match=r"c18, c19 and 480 more$"):
        counts_of(polars.DataFrame({f"c{i}": ["a"] for i in range(500)}), "x")


# Engines


def test_unknown_engines_are_refused() -> None:
    pandas = pytest.importorskip("pandas")
    for frame in (None, 3, "x", {"x": ["a"]}, [["a"]], np.zeros(3), pandas.Series(["a"]), object):
        with pytest.raises(ParameterError, match=r"no known engine has; accepted: pandas\.DataFrame, polars\.DataFrame, pol"):
            counts_of(frame, "x")


def test_options_that_contradict_each_other() -> None:
    frame = pandas_frame(["a"])
    for options, message in (
        ({"n": 0}, "n = 0"),
        ({"n": 1.5}, "n = 1.5"),
        ({"null_label": 1.5}, "null_label = 1.5"),
        ({"null_label": "a", "drop_nulls": True}, "contradict each other"),
    ):
        with pytest.raises(ParameterError, match=message):
            counts_of(frame, "x", **options)
    with pytest.raises(ParameterError, match="column = 0 is not a string"):
        counts_of(frame, 0)  # type: ignore[arg-type]


@every_engine
def test_a_frame_that_narwhals_wraps_is_unwrapped(engine: str) -> None:
    frame = ENGINES[engine](["b", "a", "b"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # narwhals moves Dask elsewhere
        wrapped = nw.from_native(frame)
    check(counts_of(wrapped, "x"), ["b", "a", "b"])


def test_a_subclass_of_a_frame_is_one() -> None:
    pandas = pytest.importorskip("pandas")
    check(counts_of(type("Own", (pandas.DataFrame,), {})({"x": ["b", "a"]}), "x"), ["b", "a"])


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    frame = pandas_frame(["a"])
    for package in ("narwhals", "numpy"):
        with monkeypatch.context() as patch:
            patch.setitem(__import__("sys").modules, package, None)
            with pytest.raises(ParameterError, match=rf"{package} is not installed; accepted: pip install {package}"):
                counts_of(frame, "x")


def test_what_an_engine_raises_is_one_line() -> None:
    polars, duckdb = pytest.importorskip("polars"), pytest.importorskip("duckdb")
    refused(polars.scan_parquet("/nowhere/at-all.parquet"), "polars cannot count the column: FileNotFoundError: .*nowhere")
    broken = polars.LazyFrame({"x": ["a"]}).with_columns(polars.col("x").str.to_integer().cast(polars.String))
    refused(broken, "polars cannot count the column: ComputeError: strict integer parsing failed")
    connection = duckdb.connect()
    relation = connection.sql("SELECT CASE WHEN i < 5000 THEN 'a' ELSE error('at\nthe end') END AS x FROM range(5001) t(i)")
    refused(relation, "duckdb cannot count the column: InvalidInputException: .*at the end")


def test_the_column_is_read_once() -> None:
    polars = pytest.importorskip("polars")
    calls = []

    def look(column: Any) -> Any:
        calls.append(len(column))
        return column

    frame = polars.LazyFrame({"x": ["b", None, "a"]}).with_columns(
        polars.col("x").map_batches(look, return_dtype=polars.String)
    )
    counts_of(frame, "x", drop_nulls=True)
    assert sum(calls) == 3


def test_dask_partitions_are_read_once() -> None:
    pandas, dask = pytest.importorskip("pandas"), pytest.importorskip("dask.dataframe", exc_type=ImportError)
    read: list[int] = []

    def part(i: int) -> Any:
        read.append(i)
        return pandas.DataFrame({"x": [f"label{i}", "b"]}).astype("string")

    empty = pandas.DataFrame({"x": []}).astype("string")
    frame = dask.from_map(part, list(range(4)), meta=empty)
    import dask as scheduler

    with scheduler.config.set(scheduler="synchronous"):
        assert counts_of(frame, "x").as_dict() == {"b": 4, **{f"label{i}": 1 for i in range(4)}}
    assert sorted(read) == [0, 1, 2, 3]


# What is done with the counts


def test_counts_within_a_universe() -> None:
    found = counts_of(polars_frame(["b", "a", "b"]), "x")
    assert found.within(["a", "b", "c"], "x").counts == {"a": 1, "b": 2}
    assert found.within(Strings(1), "x").rows == 3
    with pytest.raises(DataError, match="column 'x': 'b', in 2 rows, is outside of the universe a,c"):
        found.within(["a", "c"], "x")
    with pytest.raises(
        DataError, match="column 'x': 'a', in 1 rows, is outside of the universe of strings of at most 0 bytes"
    ):
        found.within(Strings(0), "x")
    with pytest.raises(DataError, match=r"column 'x' holds text, as 'a', and the universe is of integers: 0\.\.9"):
        found.within(range(10), "x")
    numbers = counts_of(polars_frame([5, 7]), "x")
    assert numbers.within(range(8), "x").counts == {5: 1, 7: 1}
    with pytest.raises(DataError, match=r"column 'x': 7, in 1 rows, is outside of the universe 0\.\.6"):
        numbers.within(range(7), "x")
    with pytest.raises(DataError, match="column 'x' holds integers, as 5, and the universe is of text: 5,7"):
        numbers.within(["5", "7"], "x")
    with pytest.raises(DataError, match="holds integers, as 5, and the universe is of text: of strings"):
        numbers.within(Strings(4), "x")


def test_surrogates_within_a_universe() -> None:
    found = counts_of(pandas_frame(["\udcff", "\udcff"], "object"), "x")
    assert found.within(Strings(1)).counts == {"\udcff": 2}
    with pytest.raises(DataError, match=r"'\\ud800', in 1 rows, is outside"):
        counts_of(pandas_frame(["\ud800"], "object"), "x").within(Strings(9))


def test_dense_counts() -> None:
    found = counts_of(polars_frame(["b", "a", "b"]), "x")
    assert found.dense(["c", "b", "a"]).tolist() == [0, 2, 1]
    with pytest.raises(DataError, match="outside of the universe b,c"):
        found.dense(["b", "c"])
    numbers = counts_of(polars_frame([5, -1, 5]), "x")
    assert numbers.dense(range(-2, 7)).tolist() == [0, 1, 0, 0, 0, 0, 0, 2, 0]
    assert numbers.dense(range(5, -2, -3)).tolist() == [2, 0, 1]
    with pytest.raises(DataError, match="5, in 2 rows, is outside"):
        numbers.dense(range(-1, 5, 2))
    assert numbers.dense([5, 0, -1]).tolist() == [2, 0, 1]
    with pytest.raises(DataError, match="5, in 2 rows, is outside of the universe -1,0"):
        numbers.dense([-1, 0])


def test_the_manual_s_example_runs() -> None:
    pytest.importorskip("polars")
    page = (Path(__file__).parents[2] / "docs" / "frames.md").read_text()
    (block,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    exec(compile(block, "frames.md", "exec"), {})  # noqa: S102


SPARK = {
    "ui.enabled": "false",
    "driver.host": "127.0.0.1",
    "sql.shuffle.partitions": "2",
    # a short life on small data: little is compiled
    "driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    "sql.codegen.wholeStage": "false",
    "sql.adaptive.enabled": "false",
}


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    """A session of Spark on this machine; SPARK=required in the environment makes its absence a failure."""
    lacks = pytest.fail if os.environ.get("SPARK") == "required" else pytest.skip
    if shutil.which("java") is None:
        lacks("PySpark needs Java")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PySpark looks at the version of pandas
        try:
            sql = importlib.import_module("pyspark.sql")
        except ImportError:
            lacks("PySpark is not installed")
        builder = sql.SparkSession.builder.master("local[1]")
        for name, value in SPARK.items():
            builder = builder.config(f"spark.{name}", value)
        session = builder.getOrCreate()
    yield session
    session.stop()


@pytest.mark.deep
@pytest.mark.filterwarnings("ignore")  # PySpark's own
def test_pyspark(spark: Any) -> None:
    def frame(values: Values, kind: str) -> Any:
        return spark.createDataFrame([(value, i) for i, value in enumerate(values)], f"x {kind}, `a.b` bigint")

    values = HOSTILE + HOSTILE[::3]
    check(counts_of(frame(values, "string"), "x"), values)
    numbers = [2**53 + 1, 2**53, 2**63 - 1, -(2**63), 2**53 + 1]
    check(counts_of(frame(numbers, "bigint"), "x"), numbers)
    check(counts_of(frame(["b", "a"], "string"), "a.b"), [0, 1])
    found = counts_of(frame(["b", None, "a"], "string"), "x", drop_nulls=True)
    assert (found.as_dict(), found.rows) == ({"a": 1, "b": 1}, 3)
    assert counts_of(frame([None, None], "void"), "x", null_label="none").as_dict() == {"none": 2}
    refused(frame(["a", None], "string"), "holds 1 nulls in 2 rows")
    refused(frame([], "string"), "has no rows")
    refused(frame([1.0], "double"), r"is of type Float64.*F\.col\('x'\)\.cast\(.bigint.\)")
    assert counts_of(frame([True, None], "boolean"), "x", drop_nulls=True).as_dict() == {True: 1}
    assert counts_of(frame([datetime.date(2020, 1, 1)], "date"), "x").as_dict() == {datetime.date(2020, 1, 1): 1}
    refused(frame([decimal.Decimal(1)], "decimal(5, 0)"), "is of type Decimal.*convert with")
    refused(spark.sql("SELECT 'a' AS x, 'b' AS y, 'c' AS x"), "more than one column 'x'; its columns are x, y, x")
    refused(spark.sql("SELECT raise_error('at\nthe end') AS x"), "pyspark cannot count the column|is of type Unknown")
    with pytest.raises(DataError, match=r"the frame has no column 'X'; its columns are x, a\.b"):
        counts_of(frame(["a"], "string"), "X")


@pytest.mark.deep
@pytest.mark.filterwarnings("ignore")
def test_a_pure_sparse_release_of_pyspark(spark: Any) -> None:
    rows = [(value,) for value in [7] * 700 + list(range(100, 600))]
    found = release(spark.createDataFrame(rows, "x bigint"), "x", kind="pure-sparse", epsilon=1, universe=range(2**64))
    assert abs(found.as_dict()[7] - 700) < 60
    assert len(found.labels) < 30


@pytest.mark.deep
@pytest.mark.filterwarnings("ignore")
def test_pyspark_reads_once(spark: Any) -> None:
    seen = spark.sparkContext.accumulator(0)

    def look(row: Any) -> Any:
        seen.add(1)
        return row

    frame = spark.createDataFrame(spark.createDataFrame([("b",), ("a",), ("b",)], "x string").rdd.map(look), "x string")
    check(counts_of(frame, "x"), ["b", "a", "b"])
    assert seen.value == 3


# Labels are what their bytes are, whatever an engine takes for equal

LOOK_ALIKE = ["ANNA", *["anna"] * 5, "Änna", "änna", "anna ", "a\u0308nna"]


@pytest.mark.parametrize("collation", ["NOCASE", "NOACCENT", "NFC", "NOCASE.NOACCENT"])
def test_duckdb_s_collations_merge_no_labels(collation: str) -> None:
    """Grouped by the engine's equality, one row's spelling would be released for all of them."""
    connection = pytest.importorskip("duckdb").connect()
    connection.execute(f"CREATE TABLE t (x VARCHAR COLLATE {collation}, i BIGINT)")
    connection.executemany("INSERT INTO t VALUES (?, ?)", [(value, i) for i, value in enumerate(LOOK_ALIKE)])
    check(counts_of(connection.table("t"), "x"), LOOK_ALIKE)
    assert list(counts_of(connection.table("t"), "x", ordered=False).labels) != []


def test_a_default_collation_merges_no_labels() -> None:
    duckdb = pytest.importorskip("duckdb")
    connection = duckdb.connect(config={"default_collation": "nocase.noaccent"})
    connection.execute("CREATE TABLE t (x VARCHAR, e ENUM ('ANNA', 'anna'))")
    rows = [(value, value if value in ("ANNA", "anna") else None) for value in LOOK_ALIKE]
    connection.executemany("INSERT INTO t VALUES (?, ?)", rows)
    check(counts_of(connection.table("t"), "x"), LOOK_ALIKE)
    assert counts_of(connection.table("t"), "e", drop_nulls=True).as_dict() == {"ANNA": 1, "anna": 5}


def test_a_row_changes_the_counts_of_its_own_labels_alone() -> None:
    """The neighbour of a dataset under a collation: the other labels' counts stay as they are."""
    connection = pytest.importorskip("duckdb").connect()
    connection.execute("CREATE TABLE t (x VARCHAR COLLATE NOCASE)")
    connection.executemany("INSERT INTO t VALUES (?)", [["anna"]] * 999 + [["ANNA"]])
    before = counts_of(connection.table("t"), "x").as_dict()
    connection.execute("UPDATE t SET x = 'bert' WHERE encode(x) = encode('ANNA')")
    after = counts_of(connection.table("t"), "x").as_dict()
    assert (before, after) == ({"ANNA": 1, "anna": 999}, {"anna": 999, "bert": 1})


@pytest.mark.parametrize("name", ["^x$", "^.*$", "*", "^a|x$"])
@pytest.mark.parametrize("lazy", [False, True])
def test_a_name_of_polars_is_no_pattern(name: str, lazy: bool) -> None:
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({name: ["p", "q", "p"], "x": ["r", "s", "t"]})
    check(counts_of(frame.lazy() if lazy else frame, name), ["p", "q", "p"])
    check(counts_of(frame, "x"), ["r", "s", "t"])


@pytest.mark.filterwarnings("ignore")  # PySpark's own
@pytest.mark.parametrize("collation", ["UTF8_LCASE", "UNICODE_CI", "UNICODE_CI_AI", "UTF8_BINARY_RTRIM"])
def test_pyspark_s_collations_merge_no_labels(spark: Any, collation: str) -> None:
    frame = spark.createDataFrame([(value,) for value in LOOK_ALIKE], "x string")
    check(counts_of(frame.selectExpr(f"collate(x, '{collation}') AS x"), "x"), LOOK_ALIKE)


@pytest.mark.filterwarnings("ignore")  # PySpark's own
def test_pyspark_s_column_has_the_statistic_of_its_counts(spark: Any) -> None:
    rows = [0] * 90 + [3] * 30 + [7] * 20 + [9]
    frame = spark.createDataFrame([(value,) for value in rows], "visits bigint")
    options: dict[str, Any] = {"universe": (0, 9), "epsilon": 1, "delta": "1/1000"}
    for name in ("max", "median", "support"):
        of_frame = statistic(frame, "visits", name, words=SeededWords(1, not_private=True), **options)
        of_counts = statistic({0: 90, 3: 30, 7: 20, 9: 1}, None, name, words=SeededWords(1, not_private=True), **options)
        assert of_frame.value == of_counts.value
        assert of_frame.metadata() == of_counts.metadata()
    with pytest.raises(DataError, match=r"outside of the universe 0\.\.5"):
        statistic(frame, "visits", "max", **options | {"universe": (0, 5)})


@pytest.mark.filterwarnings("ignore")
def test_pyspark_s_column_has_the_anonymized_histogram_of_its_counts(spark: Any) -> None:
    names = [name for i in range(40) for name in [f"n{i}"] * (1 + i % 5)]
    frame = spark.createDataFrame([(name,) for name in [*names, None]], "name string")
    assert prevalences_of(frame, "name", drop_nulls=True) == tuple((count, 8) for count in range(1, 6))
    assert prevalences_of(frame, "name", null_label="n0") == (
        (1, 7),
        *((count, 9 if count == 2 else 8) for count in range(2, 6)),
    )
    with pytest.raises(DataError, match="holds 1 nulls"):
        prevalences_of(frame, "name")
    terms: dict[str, Any] = {"kind": "anonymized", "epsilon": 1, "n": 1000}
    of_frame = release(frame, "name", drop_nulls=True, words=SeededWords(1, not_private=True), **terms)
    of_counts = release(Counter(names), words=SeededWords(1, not_private=True), **terms)
    assert of_frame == of_counts
    with pytest.raises(DataError, match="120 items, more than n = 100"):
        release(frame, "name", drop_nulls=True, **terms | {"n": 100})


# Texts that pandas 2 takes for one: it reads them up to a NUL

NUL = ["anna"] * 999 + ["anna\0x", "berta"]
CODES = [0] * 999 + [1, 2]


def texts_of_pandas(kind: str) -> Any:
    """A frame of pandas whose column x holds NUL, in a type that pandas has for text."""
    pandas, arrow = pytest.importorskip("pandas"), pytest.importorskip("pyarrow")
    column: Any
    if kind == "category":  # made of values, pandas 2 would have merged them before
        column = pandas.Categorical.from_codes(CODES, ["anna", "anna\0x", "berta"])
    elif kind == "chunks":
        chunks = [arrow.array(part).dictionary_encode() for part in (NUL[:500], NUL[500:])]
        column = pandas.arrays.ArrowExtensionArray(arrow.chunked_array(chunks))
    elif kind in ("string", "large_string"):
        column = pandas.Series(NUL, dtype=pandas.ArrowDtype(getattr(arrow, kind)()))
    else:
        column = pandas.Series(NUL, dtype=kind)
    return pandas.DataFrame({"x": column})


KINDS = ["object", "string[python]", "string[pyarrow]", "string", "large_string", "chunks", "category"]


@pytest.mark.parametrize("kind", KINDS)
def test_pandas_keeps_what_follows_a_nul(kind: str) -> None:
    frame = texts_of_pandas(kind)
    check(counts_of(frame, "x"), NUL)
    assert prevalences_of(frame, "x") == ((1, 2), (999, 1))


@pytest.mark.parametrize("convert", sampled([False, True], 4))
@pytest.mark.parametrize("kind", KINDS[1:])
def test_dask_keeps_what_follows_a_nul(kind: str, convert: bool) -> None:
    """The neighbour of 1,000 rows "anna" without the NUL has those 1,000: one row moves no other label's count."""
    frames = pytest.importorskip("dask.dataframe", exc_type=ImportError)
    import dask

    with dask.config.set({"dataframe.convert-string": convert}):
        frame = frames.from_pandas(texts_of_pandas(kind), npartitions=3)
        check(counts_of(frame, "x"), NUL)
        assert prevalences_of(frame, "x") == ((1, 2), (999, 1))


def parts_of_dask(parts: list[Any], meta: Any) -> Any:
    """A frame of Dask that is told what type its partitions have."""
    frames = pytest.importorskip("dask.dataframe", exc_type=ImportError)
    return frames.from_map(lambda i: parts[i], list(range(len(parts))), meta=meta)


def test_dask_s_partitions_may_have_other_categories_and_other_types_than_it_knows() -> None:
    """Categories that differ are united by pandas, which keeps one of two texts with a NUL: the other's rows would be lost."""
    pandas = pytest.importorskip("pandas")

    def part(values: Values, kind: str) -> Any:
        if kind != "category":
            return pandas.DataFrame({"x": pandas.Series(values, dtype=kind)})
        labels = list(dict.fromkeys(values))
        return pandas.DataFrame({"x": pandas.Categorical.from_codes([labels.index(value) for value in values], labels)})

    values = [[*["anna"] * 998, "berta"], ["anna", "anna\0x", "berta"]]
    for kinds in (("category", "category"), ("string[pyarrow]", "string[python]"), ("category", "string[python]")):
        parts = [part(*each) for each in zip(values, kinds, strict=True)]
        for meta in parts:
            found = counts_of(parts_of_dask(parts, meta.iloc[:0]), "x")
            check(found, values[0] + values[1])


def test_dask_s_categories_are_what_they_are_categories_of() -> None:
    pandas, frames = pytest.importorskip("pandas"), pytest.importorskip("dask.dataframe", exc_type=ImportError)

    def dask(values: Any) -> Any:
        return frames.from_pandas(pandas.DataFrame({"x": pandas.Categorical(values)}), npartitions=2)

    check(counts_of(dask([3, 1, 3]), "x"), [3, 1, 3])
    assert counts_of(dask([3, None, 3]), "x", drop_nulls=True).as_dict() == {3: 2}
    assert counts_of(dask(["b", None, "b"]), "x", null_label="none").as_dict() == {"b": 2, "none": 1}
    refused(dask([1.5]), "is of type Float64")
    refused(dask(["a", 1]), "is of type Object")
    unknown = dask(["b", "a"])
    unknown["x"] = unknown["x"].cat.as_unknown()
    refused(unknown, "Dask does not know the column's categories; accepted: known ones, or text, as of .astype")
    unknown["x"] = unknown["x"].astype("string")
    check(counts_of(unknown, "x"), ["b", "a"])
