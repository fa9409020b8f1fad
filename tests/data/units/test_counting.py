"""finitedp.data.units: which rows of a unit count, in every engine."""

import hashlib
import random
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finitedp.data.columns import parse_universe
from finitedp.data.files import count_file_by_unit
from finitedp.data.frames import Options
from finitedp.data.units.choosing import Clipped, End, Key
from finitedp.data.units.counting import counts_by_unit, of_rows
from finitedp.data.units.labelling import Labelling
from finitedp.errors import DataError, ParameterError
from finitedp.units import Unit

pytest.importorskip("narwhals")

Rows = list[tuple[Any, Any]]
TEXTS = ["Ann", "ann", "ANN ", "e\u0301", "\u00e9", "it's", "a\x00b", "\U0001f600"]


def pandas_frame(rows: Rows, *, plain: bool = False) -> Any:
    pandas = pytest.importorskip("pandas")

    def column(i: int) -> Any:
        values = [row[i] for row in rows]
        integers = all(value is None or isinstance(value, int) for value in values)
        return pandas.Series(values, dtype=object if plain else "Int64" if integers else "string")

    return pandas.DataFrame({"x": column(1), "y": range(len(rows)), "who": column(0)})


def polars_frame(rows: Rows) -> Any:
    polars = pytest.importorskip("polars")
    return polars.DataFrame({"who": [u for u, _ in rows], "y": range(len(rows)), "x": [x for _, x in rows]})


def arrow_table(rows: Rows) -> Any:
    return pytest.importorskip("pyarrow").table({"x": [x for _, x in rows], "who": [u for u, _ in rows]})


OPEN: list[Any] = []  # connections that relations need


def duckdb_relation(rows: Rows) -> Any:
    connection = pytest.importorskip("duckdb").connect()
    OPEN.append(connection)
    kinds = ["BIGINT" if any(isinstance(row[i], int) for row in rows) else "VARCHAR" for i in range(2)]
    connection.execute(f"CREATE TABLE t (who {kinds[0]}, y INT, x {kinds[1]})")
    connection.executemany("INSERT INTO t VALUES (?, 1, ?)", [list(row) for row in rows])
    return connection.table("t")


def dask_frame(rows: Rows) -> Any:
    dask = pytest.importorskip("dask.dataframe", exc_type=ImportError)
    return dask.from_pandas(pandas_frame(rows), npartitions=3)


ENGINES: dict[str, Callable[[Rows], Any]] = {
    "pandas": pandas_frame,
    "objects": lambda rows: pandas_frame(rows, plain=True),
    "polars": polars_frame,
    "lazy": lambda rows: polars_frame(rows).lazy(),
    "pyarrow": arrow_table,
    "duckdb": duckdb_relation,
    "dask": dask_frame,
}
every_engine = pytest.mark.parametrize("engine", ENGINES)
BOUNDS = [
    Unit("who", 2, 2),
    Unit("who", 1, 3),
    Unit("who", max_rows=4),
    Unit("who", 3, None, 5),
    Unit("who", None, 2, 5),
    Unit("who", 3, 2, 5),
    Unit("who", 50, 50, 500),
]
KEY = Key("0" * 32)


def made(units: list[Any], labels: list[Any], many: int = 90) -> Rows:
    draw = random.Random(3)
    return [(draw.choice(units), draw.choice(labels)) for _ in range(many)]


def expected(rows: Rows, unit: Unit, key: Key = KEY) -> dict[Any, int]:
    """One row after the other, by sorting."""
    counts: Counter[Any] = Counter()
    for whose in {u for u, _ in rows}:
        own = Counter(x for u, x in rows if u == whose)

        def place(label: Any, i: int, whose: Any = whose) -> Any:
            return key(str(whose).encode(), str(label).encode(), i), label

        labels = sorted(own, key=lambda x: place(x, 0))[: unit.max_labels]
        listed = [(x, i) for x in labels for i in range(1, min(own[x], unit.max_rows_per_label or own[x]) + 1)]
        counts.update(x for x, _ in sorted(listed, key=lambda row: place(*row))[: unit.max_rows])
    return dict(counts)


@every_engine
@pytest.mark.parametrize("unit", BOUNDS, ids=str)
def test_every_engine_chooses_the_same_rows(engine: str, unit: Unit) -> None:
    for rows in (made(TEXTS, TEXTS), made([1, 2, -3, 2**60], [5, 6, 7, 8, -9]), made(TEXTS[:3], [10, 11, 12])):
        found = counts_by_unit(ENGINES[engine](rows), "x", unit, by=KEY)
        assert found.as_dict() == expected(rows, unit)
        assert list(found.labels) == sorted(found.labels)


@every_engine
def test_a_unit_that_leaves_changes_nothing_of_the_others(engine: str) -> None:
    rows = made(list(range(40)), ["a", "b", "c", "d", "e"], 400)
    for unit in BOUNDS[:5]:
        every = Counter(counts_by_unit(ENGINES[engine](rows), "x", unit, by=KEY).as_dict())
        others = [row for row in rows if row[0] != 7]
        random.Random(4).shuffle(others)
        every.subtract(counts_by_unit(ENGINES[engine](others), "x", unit, by=KEY).as_dict())
        own = counts_by_unit(ENGINES[engine]([row for row in rows if row[0] == 7]), "x", unit, by=KEY).as_dict()
        assert {label: count for label, count in every.items() if count} == own


@every_engine
def test_each_release_has_a_key_of_its_own(engine: str) -> None:
    rows = [(u, x) for u in range(40) for x in "abcd"]
    found = {str(counts_by_unit(ENGINES[engine](rows), "x", Unit("who", 1, 1)).as_dict()) for _ in range(4)}
    assert len(found) > 1
    assert sum(counts_by_unit(ENGINES[engine](rows), "x", Unit("who", 1, 1)).counts) == 40


def refused(frame: Any, text: str, unit: Unit = BOUNDS[0], column: str = "x", **options: Any) -> None:
    with pytest.raises((DataError, ParameterError), match=text) as error:
        counts_by_unit(frame, column, unit, **options)
    assert "\n" not in str(error.value)


@every_engine
def test_what_is_refused(engine: str) -> None:
    make = ENGINES[engine]
    rows: Rows = [("Ann", "a"), ("Ann", "b"), ("Ann", "a"), ("Bo", "c")]
    refused(make([*rows, (None, "a")]), r"column 'who' holds 1 nulls in 5 rows, and nothing says whose these are")
    refused(make([*rows, ("Ann", None)]), r"column 'x' holds 1 nulls in 5 rows; accepted: none, or drop_nulls")
    refused(make(rows), "no column 'whose'", Unit("whose", max_rows=1))
    refused(make(rows), "no column 'z'", column="z")
    refused(make(rows), "column and unit are both 'who'", column="who")
    for unit, text in (
        (Unit("who", max_rows=2, bounded=True), "has 3 rows, more than max_rows = 2, which bounded = True promises"),
        (Unit("who", 1, 2, bounded=True), "has 2 labels, more than max_labels = 1"),
        (Unit("who", 2, 1, bounded=True), "has 2 rows of one label, more than max_rows_per_label = 1"),
    ):
        refused(make(rows), text, unit)


@every_engine
def test_a_promise_that_is_kept_leaves_no_row_out(engine: str) -> None:
    rows: Rows = [("Ann", "a"), ("Ann", "b"), ("Ann", "a"), ("Bo", "c")]
    assert counts_by_unit(ENGINES[engine](rows), "x", Unit("who", 2, 2, 3, bounded=True)).as_dict() == {"a": 2, "b": 1, "c": 1}


@every_engine
def test_labels_for_nulls_are_given_before_rows_are_chosen(engine: str) -> None:
    rows: Rows = [("Ann", "a"), ("Ann", None), ("Ann", None), ("Bo", "c"), ("Bo", None)]
    unit = Unit("who", 2, 1)
    assert counts_by_unit(ENGINES[engine](rows), "x", unit, null_label="a").as_dict() == {"a": 2, "c": 1}
    assert counts_by_unit(ENGINES[engine](rows), "x", unit, null_label="it's").as_dict() == {"a": 1, "c": 1, "it's": 2}
    assert counts_by_unit(ENGINES[engine](rows), "x", unit, drop_nulls=True).as_dict() == {"a": 1, "c": 1}


@every_engine
def test_no_rows(engine: str) -> None:
    frame = ENGINES[engine]([("Ann", "a")])
    if engine in ("pandas", "objects", "dask"):
        none = frame[frame["x"] == "b"]
    elif engine in ("polars", "lazy"):
        none = frame.head(0)
    else:
        none = frame.slice(0, 0) if engine == "pyarrow" else frame.filter("x = 'b'")
    assert counts_by_unit(none, "x", BOUNDS[0]).as_dict() == {}


def test_the_key_shows_nowhere() -> None:
    key = Key()
    assert len(key.text) == 32
    assert key.text not in repr(key) + str(key)
    relation = duckdb_relation([(1, "a")]).project("who, error('oh') AS x")
    with pytest.raises(DataError) as error:
        counts_by_unit(relation, "x", BOUNDS[0], by=key)
    assert key.text not in str(error.value)


@given(st.binary(max_size=6), st.binary(max_size=6), st.binary(max_size=6), st.binary(max_size=6), st.integers(0, 99))
def test_messages_of_different_pairs_differ(u: bytes, x: bytes, v: bytes, y: bytes, i: int) -> None:
    assert (KEY.message(u, x, i) == KEY.message(v, y, i)) == ((u, x) == (v, y))
    assert KEY.message(u, x, i) != KEY.message(v, y, i + 1)


def test_messages_have_no_places_where_unit_and_label_could_be_cut_otherwise() -> None:
    told = [(b"1:a", b"b", 1), (b"1", b":ab", 1), (b"", b"1:a", 11), (b"a", b"", 1), (b"", b"a", 1), (b"1:1:a", b"", 1)]
    assert len({KEY.message(*one) for one in told}) == len(told)


def test_where_two_have_one_place_the_label_decides() -> None:
    class Tied(Key):
        def __call__(self, unit: bytes, label: bytes, i: int) -> int:
            return 0

    for rows in ([("u", (x,), 2) for x in "abc"], [("u", (x,), 2) for x in "cba"]):
        assert of_rows(rows, Labelling(("x",)), Unit("who", 2, 1), Options(), Tied()).as_dict() == {"a": 1, "b": 1}
        assert of_rows(rows, Labelling(("x",)), Unit("who", max_rows=3), Options(), Tied()).as_dict() == {"a": 2, "b": 1}


# Files


def test_a_csv_file(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    rows = made(TEXTS[:5], ["a", "b", "c"])
    path.write_text("x,y,who\n" + "".join(f"{x},1,{u}\n" for u, x in rows), encoding="utf-8")
    found = count_file_by_unit(path, "x", Unit("who", 1, 2), parse_universe("a,b,c"))
    assert found.rows == sum(min(2, found.rows) for _ in {u for u, _ in rows})
    whole = count_file_by_unit(path, "x", Unit("who", max_rows=90), parse_universe("a,b,c"))
    assert whole.counts == dict(sorted(Counter(x for _, x in rows).items()))
    path.write_text("x,who\na,Ann\nb,\n")
    with pytest.raises(DataError, match="row 2 of column 'who': the value is empty; accepted: a unit in every row"):
        count_file_by_unit(path, "x", BOUNDS[0], parse_universe("a,b,c"))


def test_a_parquet_file(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    rows = made([1, 2, 3], ["a", "b", "c"])
    pytest.importorskip("pyarrow.parquet").write_table(arrow_table(rows), path)
    whole = count_file_by_unit(path, "x", Unit("who", max_rows=90), parse_universe("a,b,c"))
    assert whole.counts == dict(sorted(Counter(x for _, x in rows).items()))
    assert count_file_by_unit(path, "x", Unit("who", 1, 2), parse_universe("a,b,c")).rows == 6
    assert count_file_by_unit(path, "x", Unit("who", max_rows=9), parse_universe("a,b,c"), 20).rows <= 20
    with pytest.raises(DataError, match=r"t\.parquet: a unit of column 'who' has \d+ rows, more than max_rows = 2"):
        count_file_by_unit(path, "x", Unit("who", max_rows=2, bounded=True), parse_universe("a,b,c"))


# Spark


class BigEnd(Key):
    """The order of Spark's md5, a text."""

    def __call__(self, unit: bytes, label: bytes, i: int) -> int:
        return int(hashlib.md5(self.message(unit, label, i), usedforsecurity=False).hexdigest(), 16)


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    sql = pytest.importorskip("pyspark.sql", reason="the extra spark is not installed")
    if shutil.which("java") is None:
        pytest.skip("there is no Java")
    builder = sql.SparkSession.builder.master("local[1]")
    for name, value in (("ui.enabled", "false"), ("sql.shuffle.partitions", "1"), ("driver.host", "127.0.0.1")):
        builder = builder.config(f"spark.{name}", value)
    session = builder.getOrCreate()
    yield session
    session.stop()


@pytest.mark.deep
@pytest.mark.filterwarnings("ignore")
def test_pyspark(spark: Any, capfd: pytest.CaptureFixture[str]) -> None:
    rows, key = made(TEXTS, TEXTS), BigEnd("1" * 32)
    frame = spark.createDataFrame([(u, 1, x) for u, x in rows], "who string, y int, x string")
    for unit in BOUNDS:
        assert counts_by_unit(frame, "x", unit, by=key).as_dict() == expected(rows, unit, key)
    refused(spark.createDataFrame([(None, "a"), (1, "b")], "who int, x string"), "column 'who' holds 1 nulls in 2 rows")
    refused(frame, "which bounded = True promises", Unit("who", max_rows=2, bounded=True))
    refused(frame, "no column 'z'", Unit("z", max_rows=2))
    assert key.text not in capfd.readouterr().out


@pytest.mark.deep
@pytest.mark.filterwarnings("ignore")
def test_labels_ends_and_sums_in_pyspark(spark: Any) -> None:
    rows, key = made(list(range(12)), list(range(9))), BigEnd("1" * 32)
    frame = spark.createDataFrame([(u, x, f"it's {x % 2}", x > 4) for u, x in rows], "who int, x int, t string, b boolean")
    third = Labelling(("x",), lambda values: values[0] // 3 if values[0] < 8 else None)
    binned = [(u, x // 3) for u, x in rows if x < 8]
    for unit in BOUNDS:
        assert counts_by_unit(frame, third, unit, by=key).as_dict() == expected(binned, unit, key)
    large = Labelling(("x",), lambda values: (values[0] << 70) + 3)
    found: Any = counts_by_unit(frame, large, Unit("who", max_rows=90)).as_dict()
    assert {label >> 70: count for label, count in found.items()} == Counter(x for _, x in rows)
    both = counts_by_unit(frame, Labelling(("t", "b")), Unit("who", max_rows=90)).as_dict()
    assert both == Counter((f"it's {x % 2}", x > 4) for _, x in rows)
    own = {u: [x for v, x in rows if v == u] for u, _ in rows}
    assert counts_by_unit(frame, "x", Unit("who", 1, 1), by=End(largest=True)).as_dict() == Counter(map(max, own.values()))
    assert counts_by_unit(frame, "x", Unit("who", 1, 1), by=End(largest=False)).as_dict() == Counter(map(min, own.values()))
    sums = Counter(min(sum(xs), 40) for xs in own.values())
    assert counts_by_unit(frame, "x", Unit("who", max_rows=1), by=Clipped(-5, 40)).as_dict() == sums
    everyone = counts_by_unit(frame, Labelling((), lambda _: 1), Unit("who", 1, 1)).as_dict()
    assert everyone == {1: len(own)}
