"""finitedp.release of several columns, bins, other values, booleans, dates, categories and tables of counts."""

from collections import Counter
from datetime import date
from itertools import product
from typing import Any

import numpy as np
import pytest

from finitedp import Budget, NoisyHistogram, release
from finitedp.data.frames import counts_of
from finitedp.data.shapes.parts import Product
from finitedp.errors import DataError, FinitedpError, LabelError, ParameterError
from finitedp.impl.histograms.universe import Strings

BORN = (date(2020, 1, 1), date(2020, 2, 1))
DATA: dict[str, list[Any]] = {
    "sex": ["f", "m", "f", "m"] * 25,
    "age": [3, 17, 18, 70] * 25,
    "held": [True, False] * 50,
    "born": [*BORN] * 50,
}
EXACT: dict[str, Any] = {"epsilon": 1000, "n": 1000}  # so that there is next to no noise


@pytest.fixture
def frame() -> Any:
    return pytest.importorskip("polars").DataFrame(DATA)


@pytest.fixture
def pandas_frame() -> Any:
    return pytest.importorskip("pandas").DataFrame(DATA)


def labels(*columns: str) -> dict[Any, int]:
    return dict(Counter(zip(*(DATA[column] for column in columns), strict=True)))


def test_several_columns_with_a_universe_for_each(frame: Any) -> None:
    noisy = release(frame, ["sex", "age"], universe=[["f", "m"], range(100)], **EXACT)
    assert list(noisy) == list(product(["f", "m"], range(100)))
    assert {label: count for label, count in noisy.items() if count} == labels("sex", "age")
    assert (noisy["f", 3], noisy["m", 3]) == (25, 0)
    assert noisy.draws == 200
    with pytest.raises(LabelError):
        noisy["f", 100]
    assert noisy.total([("f", 3), ("f", 18)]).value == 50
    assert noisy.columns == ("sex", "age")


@pytest.mark.parametrize(
    "universe",
    [
        {"age": range(100), "sex": ("f", "m")},
        Product([["f", "m"], range(100)]),
        product(["f", "m"], range(100)),
        [(sex, age) for sex in ("f", "m") for age in range(100)],
        (["f", "m"], range(100)),
    ],
    ids=["mapping", "product", "iterator", "listed", "tuple"],
)
def test_ways_to_say_a_universe(frame: Any, universe: Any) -> None:
    noisy = release(frame, ["sex", "age"], universe=universe, **EXACT)
    assert list(noisy) == list(product(["f", "m"], range(100)))
    assert noisy["f", 18] == 25


def test_without_a_universe(frame: Any) -> None:
    noisy = release(frame, ["sex", "age", "held"], delta="1/100", **EXACT)
    assert noisy.as_dict() == labels("sex", "age", "held")
    assert list(noisy) == sorted(noisy)
    assert noisy.claim is not None
    assert noisy.claim.delta == release(frame, "sex", delta="1/100", **EXACT).claim.delta  # type: ignore[union-attr]
    with pytest.raises(ParameterError, match="delta = 0 releases every label, and needs universe"):
        release(frame, ["sex", "age"], **EXACT)


def test_pure_sparse_over_products(frame: Any) -> None:
    for universe in ([["f", "m"], range(2**64)], [Strings(8), range(2**64)]):
        noisy = release(frame, ["sex", "age"], universe=universe, kind="pure-sparse", **EXACT)
        assert noisy.as_dict() == labels("sex", "age")
        assert noisy.plan is not None
        assert noisy.plan.size == Product(universe).size


def test_bins(frame: Any) -> None:
    noisy = release(frame, "age", bins=[0, 18, 65], other="rest", **EXACT)
    assert noisy.as_dict() == {"0..17": 50, "18..64": 25, "rest": 25}
    with pytest.raises(DataError, match="column 'age': 70 is outside of the bins 0 to below 65, in 25 rows"):
        release(frame, "age", bins=[0, 18, 65], **EXACT)
    days = release(frame, "born", bins=[*BORN, date(2021, 1, 1)], **EXACT)
    assert days.as_dict() == {"2020-01-01..2020-01-31": 50, "2020-02-01..2020-12-31": 50}
    assert release({0: 3, 1: 2, 5: 4}, bins=[0, 1, 6], **EXACT).as_dict() == {"0": 3, "1..5": 6}
    crossed = release(frame, ["sex", "age"], bins={"age": [0, 18, 100]}, delta="1/100", **EXACT)
    assert crossed.as_dict() == {("f", "0..17"): 25, ("f", "18..99"): 25, ("m", "0..17"): 25, ("m", "18..99"): 25}


def test_bins_are_listed_in_their_order() -> None:
    noisy = release(
        {(5, "a"): 9, (18, "a"): 9, (70, "a"): 9}, ["age", "x"], bins={"age": [5, 18, 65, 99]}, delta="1/9", **EXACT
    )
    assert list(noisy) == [("5..17", "a"), ("18..64", "a"), ("65..98", "a")]


def test_other(frame: Any) -> None:
    noisy = release(frame, "age", universe=range(3, 19), other="rest", **EXACT)
    assert list(noisy)[-2:] == [18, "rest"]
    assert noisy["rest"] == noisy[3] == 25
    asked: dict[str, Any] = {"universe": {"sex": ["f"], "age": range(18)}, "other": "rest"}
    both = release(frame, ["sex", "age"], **asked, **EXACT)
    assert len(both) == 2 * 19
    assert {label: many for label, many in both.items() if many} == {
        ("f", 3): 25,
        ("f", "rest"): 25,
        ("rest", 17): 25,
        ("rest", "rest"): 25,
    }
    sparse = release(frame, "age", universe=range(17), other="rest", delta="1/100", **EXACT)
    assert sparse.as_dict() == {3: 25, "rest": 75}
    pure = release(frame, "age", universe=range(10, 2**64), other=-1, kind="pure-sparse", **EXACT)
    assert pure[-1] == 25


def test_booleans_and_dates(frame: Any) -> None:
    assert release(frame, "held", universe=[False, True], **EXACT).as_dict() == {False: 50, True: 50}
    assert release(frame, "held", delta="1/9", **EXACT).as_dict() == {False: 50, True: 50}
    assert release(frame["held"], universe=[True, False], **EXACT)[True] == 50
    assert release(frame, "born", universe=list(BORN), **EXACT).as_dict() == dict.fromkeys(BORN, 50)
    assert release(frame, "born", delta="1/9", **EXACT).as_dict() == dict.fromkeys(BORN, 50)


def test_true_is_not_1(frame: Any) -> None:
    for universe in ([0, 1], range(2), ["True", "False"], Strings(9)):
        with pytest.raises(DataError, match="column 'held' holds booleans"):
            release(frame, "held", universe=universe, delta="1/9", **EXACT)
    with pytest.raises(DataError, match=r"holds integers, as \d+, and the universe is of booleans"):
        release(frame, "age", universe=[True, False], **EXACT)
    with pytest.raises(DataError, match=r"column 'age'.*universe is of booleans"):
        release(frame.with_columns(age=1), ["sex", "age"], universe=[["f", "m"], [True, False]], **EXACT)
    with pytest.raises(DataError, match="outside of the universe of 3 listed labels"):
        release({("f", 1): 3}, universe=[("f", True), ("m", 1), ("m", 2)], **EXACT)
    found = release({("f", 1): 3, ("f", 2): 4}, universe=[("f", 1), ("f", 2), ("m", 1)], **EXACT)
    assert found.as_dict() == {("f", 1): 3, ("f", 2): 4, ("m", 1): 0}


def test_categories_where_they_are_asked_for(pandas_frame: Any, frame: Any) -> None:
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    kind = pandas.CategoricalDtype(["m", "x", "f"])
    held = pandas_frame.astype({"sex": kind})
    assert list(release(held, "sex", universe="categories", **EXACT)) == ["m", "x", "f"]
    assert list(release(held["sex"], universe="categories", **EXACT)) == ["m", "x", "f"]
    crossed = release(held, ["sex", "held"], universe=["categories", [True, False]], **EXACT)
    assert crossed["x", True] == 0
    assert len(release(held.assign(two=held.sex), ["sex", "two"], universe="categories", **EXACT)) == 9
    enum = frame.with_columns(polars.col("sex").cast(polars.Enum(["m", "x", "f"])))
    assert list(release(enum, "sex", universe="categories", **EXACT)) == ["m", "x", "f"]
    assert list(release(enum.lazy(), "sex", universe="categories", **EXACT)) == ["m", "x", "f"]
    duckdb = pytest.importorskip("duckdb")
    connection = duckdb.connect()
    relation = connection.sql("SELECT 'f'::ENUM('m', 'x', 'f') AS sex")
    assert list(release(relation, "sex", universe="categories", **EXACT)) == ["m", "x", "f"]
    dask = pytest.importorskip("dask.dataframe", exc_type=ImportError)
    assert list(release(dask.from_pandas(held, npartitions=2), "sex", universe="categories", **EXACT)) == ["m", "x", "f"]
    for data in (frame, pandas_frame, frame.with_columns(polars.col("sex").cast(polars.Categorical)), frame.to_arrow()):
        with pytest.raises(ParameterError, match="has no fixed categories"):
            release(data, "sex", universe="categories", **EXACT)


def test_tables_of_counts_where_it_is_said(pandas_frame: Any, frame: Any) -> None:
    terms: dict[str, Any] = {"universe": ["f", "m"], **EXACT}
    counts = pandas_frame["sex"].value_counts()
    assert release(counts, counts=True, **terms).as_dict() == {"f": 50, "m": 50}
    with pytest.raises(ParameterError, match=r"which may be counts.*counts = True"):
        release(counts, **terms)
    sizes = pandas_frame.groupby(["sex", "age"]).size()
    assert release(sizes, counts=True, delta="1/9", **EXACT).as_dict() == labels("sex", "age")
    assert release(sizes, counts=True, universe=[["f", "m"], range(99)], **EXACT).columns == ("sex", "age")
    table = frame["age"].value_counts()
    assert release(table, "age", counts="count", universe=range(99), **EXACT)[70] == 25
    crossed = release(frame.group_by("sex", "age").len(), ["sex", "age"], counts="len", delta="1/9", **EXACT)
    assert crossed.as_dict() == labels("sex", "age")
    binned = release(pandas_frame["age"].value_counts(), counts=True, bins=[0, 18, 99], **EXACT)
    assert binned.as_dict() == {"0..17": 50, "18..98": 50}
    dask = pytest.importorskip("dask.dataframe", exc_type=ImportError)
    later = dask.from_pandas(pandas_frame, npartitions=2)["sex"].value_counts()
    assert release(later, counts=True, **terms).as_dict() == {"f": 50, "m": 50}


def test_nulls_in_tables_of_counts() -> None:
    pandas = pytest.importorskip("pandas")
    counts = pandas.Series(["f", None, "f"]).value_counts(dropna=False)
    terms: dict[str, Any] = {"universe": ["f", "none"], "counts": True, **EXACT}
    with pytest.raises(DataError, match="a null among its labels, with 1 rows; accepted: drop_nulls or null_label"):
        release(counts, **terms)
    assert release(counts, drop_nulls=True, **terms).as_dict() == {"f": 2, "none": 0}
    assert release(counts, null_label="none", **terms).as_dict() == {"f": 2, "none": 1}
    twice = pandas.Series([1, 2], index=["f", "f"])
    with pytest.raises(DataError, match="the label 'f' is there twice"):
        release(twice, **terms)
    with pytest.raises(DataError, match=r"the count of .* is -1"):
        release(pandas.Series([-1], index=["f"]), **terms)
    with pytest.raises(DataError, match=r"is 1\.5"):
        release(pandas.Series([1.5], index=["f"]), **terms)


def test_nulls_in_any_of_the_columns() -> None:
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"sex": ["f", None, "f", None], "place": ["a", "b", None, None]})
    with pytest.raises(DataError, match="the columns 'sex, place' hold nulls in 3 of 4 rows; accepted: none, or drop_nulls"):
        release(frame, ["sex", "place"], delta="1/9", **EXACT)
    terms: dict[str, Any] = {"universe": [["f", "none"], ["a", "b", "none"]], **EXACT}
    dropped = release(frame, ["sex", "place"], drop_nulls=True, **terms)
    assert {label: many for label, many in dropped.items() if many} == {("f", "a"): 1}
    named = release(frame, ["sex", "place"], null_label="none", **terms)
    assert {label for label, many in named.items() if many} == {("f", "a"), ("none", "b"), ("f", "none"), ("none", "none")}
    ages = frame.with_columns(place=polars.Series([1, 2, None, 4]))
    with pytest.raises(DataError, match="column 'place' holds values of the types int, str"):
        release(ages, ["sex", "place"], delta="1/9", null_label="none", **EXACT)


def test_mappings_and_arrays() -> None:
    counts = Counter({("f", 1): 2, ("m", 2): 1})
    assert release(counts, universe=[["f", "m"], [1, 2]], **EXACT).as_dict() == {
        ("f", 1): 2,
        ("f", 2): 0,
        ("m", 1): 0,
        ("m", 2): 1,
    }
    assert release(counts, delta="1/9", **EXACT | {"epsilon": 10**4}).columns == ()
    assert release(counts, ["sex", "place"], universe=[["f", "m"], [1, 2]], **EXACT).columns == ("sex", "place")
    array = release(np.array([1, 2, 3, 4]), universe=Product([["f", "m"], [1, 2]]), **EXACT)
    assert array.as_dict() == {("f", 1): 1, ("f", 2): 2, ("m", 1): 3, ("m", 2): 4}
    assert release(np.array([1, 2]), universe=[False, True], **EXACT)[True] == 2
    with pytest.raises(ParameterError, match="are for data frames, not for counts"):
        release(counts, universe=[["f", "m"], [1, 2]], drop_nulls=True, **EXACT)


def test_a_budget_names_the_columns(frame: Any) -> None:
    with Budget(2000) as budget:
        release(frame, ["sex", "age"], universe=[["f", "m"], range(100)], epsilon=1)
        release(frame, "age", bins=[0, 100], epsilon=1)
    assert [charge.release for charge in budget.charges] == ["histogram of sex, age", "histogram of age"]


def test_add_remove_refuses_no_number_of_rows(frame: Any) -> None:
    noisy = release(frame, ["sex", "held"], universe=[["f", "m"], [False, True]], epsilon=1000, n=10, neighbours="add-remove")
    assert noisy["f", True] == 10  # counts above n are n


# What comes back


def test_a_table_and_html(frame: Any) -> None:
    noisy = release(frame, ["sex", "born"], delta="1/9", **EXACT)
    assert repr(noisy).splitlines()[1] == "f, 2020-01-01     50     50..50"
    assert "<td>f, 2020-01-01</td>" in noisy._repr_html_()


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_a_frame_has_a_column_for_each_part(frame: Any, backend: str) -> None:
    pytest.importorskip(backend)
    noisy = release(frame, ["sex", "held", "born", "age"], delta="1/9", **EXACT)
    made = noisy.to_frame(backend)
    assert list(made.columns if backend != "pyarrow" else made.column_names) == [
        "sex",
        "held",
        "born",
        "age",
        "count",
        "low",
        "high",
    ]
    found = counts_of(made, "born") if backend != "pandas" else counts_of(made.astype({"born": "date32[pyarrow]"}), "born")
    assert found.labels == [*BORN]
    unnamed = release({("f", 1): 9}, delta="1/9", **EXACT).to_frame(backend)
    assert "label_2" in list(unnamed.columns if backend != "pyarrow" else unnamed.column_names)
    clash = release({("f", 1): 9}, ["count", "x"], delta="1/9", **EXACT).to_frame(backend)
    assert "label_1" in list(clash.columns if backend != "pyarrow" else clash.column_names)
    empty = release({}, ["x", "y"], delta="1/9", **EXACT).to_frame(backend)
    assert len(list(empty.columns)) == 5


@pytest.mark.parametrize(
    "asked",
    [
        {"column": ["sex", "held", "born", "age"], "delta": "1/9"},
        {"column": "held", "universe": [False, True]},
        {"column": "born", "universe": [*BORN]},
        {"column": "age", "universe": range(3, 20), "other": "rest"},
        {"column": ["sex", "age"], "universe": [["f", "m"], range(2**64)], "kind": "pure-sparse"},
    ],
    ids=str,
)
def test_it_is_saved_and_read_again(frame: Any, asked: dict[str, Any]) -> None:
    noisy = release(frame, **asked, **EXACT)
    back = NoisyHistogram.from_json(noisy.to_json())
    assert list(back.items()) == list(noisy.items())
    assert [repr(label) for label in back] == [repr(label) for label in noisy]  # True and not 1
    assert (back.columns, back.claim) == (noisy.columns, noisy.claim)


# What is refused


class NeverRead:
    name = "never read"

    def read(self, _size: int) -> bytes:
        raise AssertionError("a word was drawn")


PAIR: dict[str, Any] = {"column": ["sex", "age"]}
REFUSED: dict[str, tuple[dict[str, Any], type[FinitedpError], str]] = {
    "one of several is unknown": (
        {"column": ["sex", "agee"], "delta": "1/2"},
        DataError,
        "no column 'agee'; its columns are sex",
    ),
    "a column twice": ({"column": ["sex", "sex"], "delta": "1/2"}, ParameterError, "names a column twice"),
    "a list of one": ({"column": ["sex"], "delta": "1/2"}, ParameterError, "accepted: the name of a column, or a list of two"),
    "columns that are no names": ({"column": [1, 2], "delta": "1/2"}, ParameterError, "column = [1, 2] is no name"),
    "a universe of one part": (
        PAIR | {"universe": [["f", "m"]]},
        ParameterError,
        "universe has 1 parts, and there are 2 columns",
    ),
    "of tuples and columns alike": (PAIR | {"universe": [("f", "m"), ("a", "b")]}, ParameterError, "may list 2 labels, or"),
    "tuples of other lengths": (PAIR | {"universe": [("f", 1), ("m",), ("f", 2)]}, ParameterError, "of 1 values; accepted"),
    "a range for two columns": (PAIR | {"universe": range(5)}, ParameterError, "accepted: one for each column"),
    "a set": (PAIR | {"universe": {("f", 1)}}, ParameterError, "accepted: one for each column"),
    "an unknown column's universe": (PAIR | {"universe": {"sexx": ["f"]}}, ParameterError, "none of the columns sex, age"),
    "a value outside": (PAIR | {"universe": [["f", "m"], range(50)]}, DataError, "column 'age': the label 70 is outside"),
    "another type": (PAIR | {"universe": [["f", "m"], ["a"]]}, DataError, "column 'age': the column holds integers, as "),
    "floats": (PAIR | {"data": "floats", "delta": "1/2"}, DataError, "column 'age' is of type Float64"),
    "a float in a universe": (PAIR | {"universe": [["f", "m"], [0.5]]}, ParameterError, "universe holds 0.5, of type float"),
    "bins out of order": ({"column": "age", "bins": [0, 65, 18]}, ParameterError, "65 stands before 18; accepted: increasing"),
    "bins twice": ({"column": "age", "bins": [0, 18, 18]}, ParameterError, "18 stands before 18"),
    "one edge": ({"column": "age", "bins": [0]}, ParameterError, "two or more, all integers or all dates"),
    "edges of floats": ({"column": "age", "bins": [0.5, 1.0]}, ParameterError, "all integers or all dates"),
    "edges of two types": ({"column": "age", "bins": [0, date(2020, 1, 1)]}, ParameterError, "all integers or all dates"),
    "no edges": ({"column": "age", "bins": 5}, ParameterError, "bins = 5 are no edges"),
    "bins of text": ({"column": "sex", "bins": [0, 18]}, DataError, "', and the universe is of integers"),
    "bins and a universe": ({"column": "age", "bins": [0, 18], "universe": range(3)}, ParameterError, "bins are a universe"),
    "bins of no column": ({"column": "age", "bins": {"agee": [0, 18]}}, ParameterError, "bins has 'agee', which is none of"),
    "bins of which column": (PAIR | {"bins": [0, 18], "delta": "1/2"}, ParameterError, "is not by column"),
    "bins of a column with a universe": (
        PAIR | {"bins": {"age": [0, 18]}, "universe": [["f"], range(3)]},
        ParameterError,
        "bins of 'age' are its universe",
    ),
    "other of nothing": (
        {"column": "age", "other": "rest", "delta": "1/2"},
        ParameterError,
        "other is for values outside of a",
    ),
    "other of no columns": (PAIR | {"other": "rest", "delta": "1/2"}, ParameterError, "other is for values outside of a"),
    "other of tuples": (
        PAIR | {"other": "x", "universe": [("f", 1)]},
        ParameterError,
        "other needs a universe for each column",
    ),
    "other is a label": (
        {"column": "sex", "universe": ["f", "m"], "other": "f"},
        ParameterError,
        "is a label of the universe",
    ),
    "other is a bin": ({"column": "age", "bins": [0, 18], "other": "0..17"}, ParameterError, "is a label of the universe"),
    "other is a float": ({"column": "age", "bins": [0, 18], "other": 0.5}, ParameterError, "other = 0.5 is a float"),
    "anonymized": (PAIR | {"kind": "anonymized"}, ParameterError, "an anonymized histogram is of one column"),
    "counts of a frame": ({"column": "sex", "counts": True, "delta": "1/2"}, ParameterError, "counts = True with a DataFrame"),
    "counts of no column": ({"column": "sex", "counts": "many", "delta": "1/2"}, DataError, "no column 'many'"),
    "counts that are labels": ({"column": "age", "counts": "age", "delta": "1/2"}, ParameterError, "accepted: two columns"),
    "counts without labels": ({"counts": "age", "delta": "1/2"}, ParameterError, "the names of the labels' columns"),
    "counts that are none": ({"column": "age", "counts": "sex", "delta": "1/2"}, DataError, "accepted: integers from 0 to"),
    "counts = 1": ({"column": "age", "counts": 1, "delta": "1/2"}, ParameterError, "accepted: True for a series of counts"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_wrong_input_is_one_clear_line(frame: Any, name: str) -> None:
    asked, error, message = REFUSED[name]
    data = frame.with_columns(frame["age"] / 2) if asked.get("data") == "floats" else frame
    given = {key: value for key, value in asked.items() if key != "data"}
    with pytest.raises(error) as raised:
        release(data, words=NeverRead(), **given, **EXACT)
    assert message in str(raised.value)
    assert len(str(raised.value).splitlines()) == 1


def test_what_says_whose_rows_are_is_text_or_integers(frame: Any) -> None:
    asked: dict[str, Any] = {"max_labels": 1, "max_rows_per_label": 1, "words": NeverRead(), "delta": "1/9", **EXACT}
    with pytest.raises(ParameterError, match="a table of counts does not say whose a row is"):
        release(frame, "age", counts="age", unit="sex", **asked)
    for column in ("held", "born"):
        with pytest.raises(DataError, match="accepted for a unit: strings or integers"):
            release(frame, "age", unit=column, **asked)


def test_counts_that_sum_to_the_rows(frame: Any) -> None:
    noisy = release(frame, "age", bins=[0, 18, 99], epsilon=1)
    assert noisy.rows == 100
    assert sum(noisy.consistent().counts) == 100
    assert release(frame, "age", bins=[0, 18, 99], epsilon=1, n=200).rows is None
