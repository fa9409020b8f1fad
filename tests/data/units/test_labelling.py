"""Labels of the rows of units: of several columns or by a function, before rows are chosen, and sums, in every engine."""

import random
from collections.abc import Callable
from datetime import date
from typing import Any

import pytest

from finitedp import count, release, statistic, total
from finitedp.data.noisy_number import NoisyNumber
from finitedp.data.units.choosing import Clipped, End, Key
from finitedp.data.units.counting import counts_by_unit
from finitedp.data.units.labelling import Labelling, text_of, values_of
from finitedp.errors import DataError, ParameterError
from finitedp.units import Unit

pytest.importorskip("narwhals")
pyarrow = pytest.importorskip("pyarrow")

MANY, KEY = 300, Key("0" * 32)
DRAW = random.Random(7)
TABLE = pyarrow.table(
    {
        "x": [DRAW.randrange(9) for _ in range(MANY)],
        "who": [DRAW.randrange(40) for _ in range(MANY)],
        "sex": [DRAW.choice(["f", "it's", "\u00e9", "e\u0301"]) for _ in range(MANY)],
        "day": [date(2026, 1, 1 + DRAW.randrange(5)) for _ in range(MANY)],
        "yes": [DRAW.choice([True, False, None]) for _ in range(MANY)],
    }
)
OPEN: list[Any] = []


def relation(table: Any) -> Any:
    connection = pytest.importorskip("duckdb").connect()
    OPEN.append(connection)
    return connection.from_arrow(table)


def in_pandas(table: Any) -> Any:
    pandas = pytest.importorskip("pandas")
    return table.to_pandas(types_mapper=pandas.ArrowDtype)


ENGINES: dict[str, Callable[[Any], Any]] = {
    "pandas": in_pandas,
    "objects": lambda table: table.to_pandas(),
    "polars": lambda table: pytest.importorskip("polars").from_arrow(table),
    "pyarrow": lambda table: table,
    "duckdb": relation,
    "dask": lambda table: pytest.importorskip("dask.dataframe", exc_type=ImportError).from_pandas(
        in_pandas(table), npartitions=3
    ),
}
every_engine = pytest.mark.parametrize("engine", ENGINES)
BOUNDS = [Unit("who", 2, 1), Unit("who", max_rows=3), Unit("who", 3, None, 4)]


def third(values: tuple[Any, ...]) -> int | None:
    return values[0] // 3 if values[0] < 8 else None


@every_engine
@pytest.mark.parametrize("unit", BOUNDS, ids=str)
def test_values_get_labels_before_rows_are_chosen(engine: str, unit: Unit) -> None:
    rows = [(who, x) for who, x in zip(TABLE["who"].to_pylist(), TABLE["x"].to_pylist(), strict=True) if x < 8]
    binned = pyarrow.table({"who": [who for who, _ in rows], "x": [x // 3 for _, x in rows]})
    expected = counts_by_unit(binned, "x", unit, by=KEY).as_dict()
    assert counts_by_unit(ENGINES[engine](TABLE), Labelling(("x",), third), unit, by=KEY).as_dict() == expected
    named = Labelling(("x", "day"), lambda values: str(values[0] // 3) if values[0] < 8 else None)
    found = counts_by_unit(ENGINES[engine](TABLE), named, unit, by=KEY).as_dict()
    assert found == {str(label): many for label, many in expected.items()}


@every_engine
def test_labels_of_more_than_64_bits(engine: str) -> None:
    large = Labelling(("x",), lambda values: (values[0] << 70) + 3)
    found = counts_by_unit(ENGINES[engine](TABLE), large, Unit("who", max_rows=MANY)).as_dict()
    assert {(label >> 70) for label in found} == set(TABLE["x"].to_pylist())  # type: ignore[operator]  # integers
    assert sum(found.values()) == MANY


@every_engine
def test_tuples_and_dates(engine: str) -> None:
    frame, unit = ENGINES[engine](TABLE), Unit("who", max_rows=MANY)
    rows = list(zip(TABLE["sex"].to_pylist(), TABLE["day"].to_pylist(), strict=True))
    assert counts_by_unit(frame, Labelling(("sex", "day")), unit).as_dict() == {row: rows.count(row) for row in set(rows)}
    days = TABLE["day"].to_pylist()
    assert counts_by_unit(frame, "day", unit).as_dict() == {day: days.count(day) for day in set(days)}
    with pytest.raises(DataError, match=r"'sex, yes' holds \d+ nulls in 300 rows; accepted: none, or drop_nulls"):
        counts_by_unit(frame, Labelling(("sex", "yes")), unit)
    kept = counts_by_unit(frame, Labelling(("yes", "day")), unit, drop_nulls=True)
    assert kept.rows == MANY - TABLE["yes"].null_count
    assert (
        counts_by_unit(frame, "yes", unit, null_label=False).as_dict()[False]
        == TABLE["yes"].to_pylist().count(False) + TABLE["yes"].null_count
    )


@every_engine
def test_ends_and_sums_of_units(engine: str) -> None:
    frame, own = ENGINES[engine](TABLE), dict[int, list[int]]()
    for who, x in zip(TABLE["who"].to_pylist(), TABLE["x"].to_pylist(), strict=True):
        own.setdefault(who, []).append(x)
    for end, of in ((End(largest=True), max), (End(largest=False), min)):
        expected = [of(rows) for rows in own.values()]
        found = counts_by_unit(frame, "x", Unit("who", 1, 1), by=end).as_dict()
        assert found == {x: expected.count(x) for x in set(expected)}
    sums = [min(max(sum(rows), 20), 40) for rows in own.values()]
    assert counts_by_unit(frame, "x", Unit("who", max_rows=1), by=Clipped(20, 40)).as_dict() == {
        x: sums.count(x) for x in set(sums)
    }
    assert sum(counts_by_unit(frame, "x", Unit("who", max_rows=1), by=Clipped(-(10**80), 10**80)).counts) == len(own)
    with pytest.raises(DataError, match="column 'sex' holds no integers"):
        counts_by_unit(frame, "sex", Unit("who", max_rows=1), by=Clipped(0, 1))


def test_texts_of_values_are_read_again_and_differ() -> None:
    tuples: list[tuple[Any, ...]] = [
        (),
        ("",),
        ("", ""),
        ("a|b",),
        ("a", "b"),
        ("1",),
        (1,),
        (True,),
        ("true",),
        (date(2026, 1, 1),),
    ]
    tuples += [("2026-01-01",), (-3, "\ud800"), (10**30,)]
    assert [values_of(text_of(values)) for values in tuples] == tuples
    assert len({text_of(values) for values in tuples}) == len(tuples)
    assert all(text_of(values).isascii() and "'" not in text_of(values) for values in tuples)


# What is released


ASKED: dict[str, Any] = {"unit": "who", "epsilon": 400, "n": 1000}


@every_engine
def test_histograms_of_units(engine: str) -> None:
    frame = ENGINES[engine](TABLE)
    binned = release(frame, "x", bins=[0, 3, 6], other="more", max_labels=3, max_rows_per_label=1, **ASKED)
    assert list(binned.as_dict()) == ["0..2", "3..5", "more"]
    assert binned.claim is not None
    assert str(binned.claim.unit) == "who (max_labels 3, max_rows_per_label 1)"
    both = release(frame, ["sex", "x"], bins={"x": [0, 5, 9]}, delta="1/1000", max_rows=20, **{**ASKED, "epsilon": 4000})
    assert both.columns == ("sex", "x")
    assert sum(both.as_dict().values()) == MANY
    with pytest.raises(DataError, match="is outside of the bins 0 to below 3"):
        release(frame, "x", bins=[0, 3], max_rows=1, **ASKED)
    with pytest.raises(DataError, match="holds booleans, and the universe none"):
        release(frame, "yes", universe=[0, 1], max_rows=1, drop_nulls=True, **ASKED)


@every_engine
def test_numbers_of_units(engine: str) -> None:
    frame = ENGINES[engine](TABLE)
    people, rows = TABLE["who"].to_pylist(), list(zip(TABLE["who"].to_pylist(), TABLE["yes"].to_pylist(), strict=True))
    asked = {**ASKED, "epsilon": 900, "beta": "1/1000000"}
    assert count(frame, **asked).value == len(set(people))
    assert count(frame, max_rows=3, **asked).value == sum(min(3, people.count(who)) for who in set(people))
    yes = count(frame, "yes", drop_nulls=True, **asked)
    assert (yes.value, yes.what) == (len({who for who, held in rows if held}), "units (who) where yes")
    sums = total(frame, "x", bounds=(0, 30), **{**asked, "epsilon": 30000})
    assert NoisyNumber.from_json(sums.to_json()) == sums
    assert sums.value == sum(
        min(sum(TABLE["x"][i].as_py() for i in range(MANY) if people[i] == who), 30) for who in set(people)
    )
    two = total(frame, "x", bounds=(0, 8), max_rows=2, **asked)
    assert two.mechanism.sensitivity == 16
    assert two.claim is not None
    assert (two.claim.unit, two.claim.source) == (Unit("who", max_rows=2), "FD.Unit.total")


@every_engine
def test_statistics_of_units(engine: str) -> None:
    asked: dict[str, Any] = {"universe": (0, 20), "epsilon": 60, "delta": "1/1000", "unit": "who"}
    frame = ENGINES[engine](TABLE)
    assert [statistic(frame, "x", name, **asked).value for name in ("max", "min", "range")] == [8, 0, 8]
    assert len(statistic(frame, "x", "support", max_labels=9, **asked).value) == 9
    median = statistic(frame, "x", "median", max_rows=2, **asked)
    assert median.claim is not None
    assert (median.claim.unit, median.claim.source) == (Unit("who", max_rows=2), "FD.Unit.shifted")
    assert "of the rows that count" in median.sentence()
    with pytest.raises(DataError, match="column 'x': "):
        statistic(frame, "x", "max", **{**asked, "universe": (0, 3)})


FLEXIBLE: dict[str, Any] = {"universe": (0, 9), "epsilon": 1, "delta": "1/9"}


@pytest.mark.parametrize(
    ("wrong", "text"),
    [
        (
            lambda: statistic(TABLE, "x", "max", **FLEXIBLE, unit="who", max_rows=2),
            "without bounds",
        ),
        (
            lambda: statistic(TABLE, "x", "support", **FLEXIBLE, unit="who"),
            "max_labels, of how many",
        ),
        (
            lambda: statistic(TABLE, "x", "mode", **FLEXIBLE, unit="who"),
            "nothing bounds how many",
        ),
        (lambda: statistic(TABLE, "x", "mode", **FLEXIBLE, max_rows=2), "accepted: with unit"),
        (lambda: statistic({1: 2}, None, **FLEXIBLE, unit="who"), "column is missing"),
        (lambda: count(TABLE, epsilon=1, unit="who"), "n is missing"),
        (lambda: count(TABLE, epsilon=1, n=9, max_rows=2), "accepted: with unit"),
        (lambda: count(TABLE, epsilon=1, n=9, unit="who", neighbours="replace-one"), "the number of all units is public"),
        (lambda: count({1: 2}, epsilon=1, n=9, unit="who"), "does not say whose a row is"),
        (lambda: count(TABLE, "x", epsilon=1, n=9, unit="who"), "column 'x' holds no booleans"),
        (lambda: total(TABLE, "x", bounds=(0, 9), epsilon=1, unit="who", neighbours="replace-one"), "n is missing"),
        (lambda: total(TABLE, "sex", bounds=(0, 9), epsilon=1, n=9, unit="who"), "holds no integers"),
        (lambda: total(TABLE, "who", bounds=(0, 9), epsilon=1, n=9, unit="who"), "column and unit are both 'who'"),
        (lambda: release(TABLE, ["x", "who"], delta="1/9", max_rows=1, **ASKED), "column and unit are both 'who'"),
        (lambda: release(TABLE, "x", bins=[0, 9], max_rows=1, unit="who", epsilon=1), "n is missing"),
    ],
)
def test_what_is_refused(wrong: Callable[[], Any], text: str) -> None:
    with pytest.raises((DataError, ParameterError), match=text) as error:
        wrong()
    assert "\n" not in str(error.value)
