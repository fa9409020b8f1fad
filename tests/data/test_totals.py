"""finitedp.count and finitedp.total: one call for frames of every engine, series and counts by value."""

import datetime
import json
from collections import Counter
from typing import Any

import numpy as np
import pytest
from gmpy2 import mpq

from finitedp import Budget, NoisyNumber, count, total
from finitedp.data.frames import counts_of
from finitedp.errors import DataError, FinitedpError, ParameterError, PrivacyBudgetError
from finitedp.impl.randomness.words import SeededWords

HELD: list[bool | None] = [True] * 60 + [False] * 30 + [None] * 5
AGES: list[int | None] = [*range(90), -7, 10**9, None, 3, 4]
SUM = sum(min(max(age, 0), 50) for age in AGES if age is not None)


def seeded(seed: int = 1) -> SeededWords:
    return SeededWords(seed, not_private=True)


def frames() -> dict[str, Any]:
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    arrow, duckdb = pytest.importorskip("pyarrow"), pytest.importorskip("duckdb")
    narwhals, dask = pytest.importorskip("narwhals"), pytest.importorskip("dask.dataframe", exc_type=ImportError)
    table = arrow.table({"held": HELD, "age": AGES})
    plain = pandas.DataFrame({"held": pandas.array(HELD, dtype="boolean"), "age": pandas.array(AGES, dtype="Int64")})
    return {
        "dask": dask.from_pandas(plain, npartitions=2),
        "narwhals": narwhals.from_native(polars.DataFrame({"held": HELD, "age": AGES})),
        "pandas": plain,
        "objects": plain.astype({"held": object}),
        "polars": polars.DataFrame({"held": HELD, "age": AGES}),
        "lazy": polars.LazyFrame({"held": HELD, "age": AGES}),
        "pyarrow": table,
        "duckdb": duckdb.from_arrow(table),
    }


def test_every_engine_gives_the_same() -> None:
    terms: dict[str, Any] = {"epsilon": 2, "n": 1000}
    for name, frame in frames().items():
        assert count(frame, words=seeded(), **terms).value == count({"a": 95}, words=seeded(), **terms).value, name
        held = count(frame, "held", drop_nulls=True, words=seeded(), **terms)
        assert held.value == count({"a": 60}, words=seeded(), **terms).value, name
        found = total(frame, "age", bounds=(0, 50), drop_nulls=True, words=seeded(), **terms)
        assert found.value == found.mechanism.apply(SUM, 1 + int.from_bytes(seeded().read(8), "little")), name
        assert found.claim is None  # a seed is not private


def test_a_number_and_all_that_is_said_of_it() -> None:
    found = total(Counter([3] * 1000), bounds=(0, 5), epsilon="1/2", n=2000)
    assert isinstance(found, NoisyNumber)
    assert found.low <= found.value <= found.high
    assert int(found) == found.value
    assert found.claim is not None
    assert (found.claim.epsilon, found.claim.delta) == (mpq(1, 2), mpq(0))
    assert found.claim.neighbours == "add-remove"
    assert repr(found).splitlines() == [
        f"total of values: {found.value}, error bar {found.low}..{found.high}",
        "(1/2, 0)-differentially private (add-remove, n = 2000); an error bar fails with probability at most 1/20",
    ]


def test_error_bars_end_where_sums_do() -> None:
    found = total({-1: 1}, bounds=(-3, 0), epsilon="1/100", n=2)
    assert (found.low, found.high) == (-6, 0)


def test_a_document_gives_the_number_back_or_is_refused() -> None:
    found = total(Counter([3] * 1000), bounds=(-10, 10**20), epsilon="1/2", n=2000, neighbours="replace-one")
    assert NoisyNumber.from_json(found.to_json()) == found
    seed = count({"a": 9}, epsilon=1, n=20, words=seeded())
    assert NoisyNumber.from_json(seed.to_json()) == seed
    document = json.loads(found.to_json())
    for change in (
        {"value": "-10000000"},
        {"error_bar": ["0", "1"]},
        {"private": False},
        {"format": "finitedp release"},
        {"n": "x"},
        {"parameters": {**document["parameters"], "epsilon": "1/3"}},
        {"claim": {**document["claim"], "epsilon": "1/10"}},
    ):
        with pytest.raises(DataError):
            NoisyNumber.from_json(json.dumps({**document, **change}))
    with pytest.raises(DataError, match="no noisy number"):
        NoisyNumber.from_json("[")


def test_replace_one_knows_the_number_of_rows() -> None:
    found = total(Counter([3] * 7), bounds=(2, 5), epsilon=1, neighbours="replace-one")
    assert found.mechanism.n == 7
    assert found.mechanism.sensitivity == 3


def test_rows_without_a_value_are_a_value_of_their_own() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"x": pandas.array([2, 3, None], dtype="Int64")})
    terms: dict[str, Any] = {"bounds": (2, 3), "epsilon": 1, "neighbours": "replace-one"}
    assert total(frame, "x", drop_nulls=True, **terms).mechanism.sensitivity == 3
    with pytest.raises(DataError, match=r"1 nulls in 3 rows; accepted: none, or drop_nulls$"):
        total(frame, "x", **terms)
    with pytest.raises(DataError, match="rows of 'values' without a value"):  # counted elsewhere
        total(counts_of(frame, "x", drop_nulls=True), **terms)


def test_data_of_any_number_of_rows_is_counted() -> None:
    assert count({"a": 10**6}, epsilon=1000, n=10).value == 10
    assert count({}, epsilon=1000, n=10).value == 0
    assert total({5: 10**30 // 10**15}, bounds=(0, 5), epsilon=1000, n=10).value == 50


def test_of_a_series_and_of_one_value() -> None:
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"sex": ["f", "m", "f"], "born": [datetime.date(2000, 1, 1)] * 2 + [datetime.date(1999, 1, 1)]})
    terms: dict[str, Any] = {"epsilon": 1000, "n": 10}
    assert count(frame["sex"] == "f", **terms).value == 2
    assert count(frame, "sex", equals="f", **terms).what == "rows where sex = 'f'"
    assert count(frame, "sex", equals="x", **terms).value == 0
    assert count(frame, "born", equals=datetime.date(2000, 1, 1), **terms).value == 2
    assert count(np.array([3, 4]), **terms).value == 7
    assert total(polars.Series("x", [1, 2, 3]), bounds=(0, 2), **terms).value == 5


def test_charged_before_it_is_drawn() -> None:
    with Budget("3/2", neighbours="add-remove") as budget:
        count({"a": 3}, epsilon=1, n=10)
        with pytest.raises(PrivacyBudgetError):
            total({1: 3}, bounds=(0, 1), epsilon=1, n=10)
        total({1: 3}, bounds=(0, 1), epsilon="1/2", n=10)
    assert [charge.release for charge in budget.charges] == ["count of rows", "total of values"]


DATA: dict[int, int] = {1: 3}
REFUSED: dict[str, tuple[Any, dict[str, Any], type[FinitedpError], str]] = {
    "no n": (total, {"data": DATA, "bounds": (0, 1)}, ParameterError, "n is missing"),
    "all rows, replaced": (count, {"data": DATA, "neighbours": "replace-one"}, ParameterError, "public with replace-one"),
    "one bound": (total, {"data": DATA, "bounds": (1,), "n": 5}, ParameterError, "accepted: .LOW, HIGH."),
    "a float": (total, {"data": DATA, "bounds": (0, 0.5), "n": 5}, ParameterError, "bounds = 0.5"),
    "out of order": (total, {"data": DATA, "bounds": (2, 1), "n": 5}, ParameterError, "out of order"),
    "text": (total, {"data": {"a": 3}, "bounds": (0, 1), "n": 5}, DataError, "holds no integers"),
    "no column": (count, {"data": DATA, "n": 5, "equals": 1}, ParameterError, "equals is for a column"),
    "too many rows": (total, {"data": DATA, "bounds": (0, 1), "n": 2, "neighbours": "replace-one"}, DataError, "more than n"),
    "no rows": (total, {"data": {}, "bounds": (0, 1), "neighbours": "replace-one"}, DataError, "no rows"),
    "beta": (count, {"data": DATA, "n": 5, "beta": 0}, ParameterError, "beta"),
    "no data": (count, {"data": [1, 2], "n": 5}, ParameterError, "list"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused_before_anything_is_drawn(name: str) -> None:
    call, given, error, message = REFUSED[name]
    with pytest.raises(error, match=message) as raised:
        call(epsilon=1, words=NeverRead(), **given)
    assert len(str(raised.value).splitlines()) == 1


class NeverRead:
    name = "never read"

    def read(self, _size: int) -> bytes:
        raise AssertionError("a word was drawn")


def test_columns_that_are_refused() -> None:
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"x": [0.5], "sex": ["f"], "one": [1]})
    terms: dict[str, Any] = {"epsilon": 1, "n": 5, "words": NeverRead()}
    with pytest.raises(DataError, match="is of type Float64"):
        total(frame, "x", bounds=(0, 1), **terms)
    with pytest.raises(DataError, match="no column 'y'"):
        count(frame, "y", **terms)
    with pytest.raises(DataError, match="holds no booleans"):
        count(frame, "one", **terms)
    with pytest.raises(DataError, match="holds no values of the type bool"):  # True is not 1
        count(frame, "one", equals=True, **terms)
    with pytest.raises(ParameterError, match="column is missing"):
        total(frame, bounds=(0, 1), **terms)
