"""Anonymized histograms of frames, counts and files, and the value that a release gives."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import finitedp
from finitedp.data.anonymized import AnonymizedHistogram
from finitedp.data.anonymizing import pairs_in_file, pairs_of_column
from finitedp.data.frames import prevalences_of
from finitedp.errors import DataError, ParameterError
from finitedp.impl.randomness.words import SeededWords

pd, pl, pa = (pytest.importorskip(name) for name in ("pandas", "polars", "pyarrow"))
duckdb = pytest.importorskip("duckdb")

ROWS = [*"abracadabra", *"x" * 7]
PAIRS = ((1, 2), (2, 2), (5, 1), (7, 1))


def _duckdb(rows: list[str | None]) -> Any:
    return duckdb.sql("SELECT unnest($rows) AS c", params={"rows": rows})


FRAMES = {
    "pandas objects": lambda rows: pd.DataFrame({"c": rows}),
    "pandas strings": lambda rows: pd.DataFrame({"c": pd.Series(rows, dtype="string")}),
    "pandas categories": lambda rows: pd.DataFrame({"c": pd.Series(rows, dtype="category")}),
    "polars": lambda rows: pl.DataFrame({"c": rows}),
    "polars lazy": lambda rows: pl.DataFrame({"c": rows}).lazy(),
    "pyarrow": lambda rows: pa.table({"c": rows}),
    "duckdb": _duckdb,
}


@pytest.mark.parametrize("engine", FRAMES)
def test_counts_of_counts_in_every_engine(engine: str) -> None:
    make = FRAMES[engine]
    assert prevalences_of(make(ROWS), "c") == PAIRS
    missing = make([*ROWS, None, None, None])
    with pytest.raises(DataError, match="3 nulls"):
        prevalences_of(missing, "c")
    assert prevalences_of(missing, "c", drop_nulls=True) == PAIRS
    assert prevalences_of(missing, "c", null_label="x") == ((1, 2), (2, 2), (5, 1), (10, 1))
    assert prevalences_of(missing, "c", null_label="new") == ((1, 2), (2, 2), (3, 1), (5, 1), (7, 1))


def test_counts_of_counts_in_dask() -> None:
    frames = pytest.importorskip("dask.dataframe")
    for more in ([], [None] * 3):
        frame = frames.from_pandas(pd.DataFrame({"c": pd.Series([*ROWS, *more], dtype="string")}), npartitions=3)
        assert prevalences_of(frame, "c", drop_nulls=bool(more)) == PAIRS


def test_integers_are_counted_and_floats_refused() -> None:
    assert prevalences_of(pl.DataFrame({"c": [1, 1, 2]}), "c") == ((1, 1), (2, 1))
    with pytest.raises(DataError, match="Float64"):
        prevalences_of(pl.DataFrame({"c": [1.0]}), "c")


@pytest.mark.parametrize(
    "data", [Counter(ROWS), np.array([5, 2, 0, 1, 1, 2, 7]), pl.DataFrame({"c": ROWS})], ids=["counts", "array", "frame"]
)
def test_a_release_by_one_call(data: Any) -> None:
    column = "c" if isinstance(data, pl.DataFrame) else None
    found = finitedp.release(data, column, kind="anonymized", epsilon=2000, n=100)
    assert isinstance(found, AnonymizedHistogram)
    assert (found.prevalences, found.total) == (PAIRS, 18)
    assert found.claim is not None
    assert found.claim.epsilon == 2000
    assert found.claim.neighbours == "add-remove"


def test_a_seed_leaves_no_claim() -> None:
    words = SeededWords(1, not_private=True)
    assert finitedp.release(Counter(ROWS), kind="anonymized", epsilon=1, n=100, words=words).claim is None


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"kind": "other"}, "kind = 'other'"),
        ({"delta": "1/9"}, "no delta"),
        ({"universe": ["a"]}, "no universe"),
        ({"n": None}, "n is missing"),
        ({"n": 17}, "18 items, more than n = 17"),
        ({"epsilon": 0.1}, "epsilon"),
        ({"data": ROWS}, "data is a list"),
        ({"data": pl.DataFrame({"c": ROWS})}, "column is missing"),
    ],
)
def test_what_is_refused(given: dict[str, Any], message: str) -> None:
    wanted: dict[str, Any] = {"data": Counter(ROWS), "kind": "anonymized", "epsilon": 1, "n": 100} | given
    data = wanted.pop("data")
    with pytest.raises((ParameterError, DataError), match=message):
        finitedp.release(data, **wanted)


# The value


def _value() -> AnonymizedHistogram:
    return finitedp.release(Counter(ROWS), kind="anonymized", epsilon=2000, n=100)


def test_ranks_and_what_falls_to_guesses() -> None:
    found = _value()
    assert [found.rank(r) for r in (1, 2, 3, 7, 8)] == [6, 4, 2, 1, 0]
    assert [found.count_at(i) for i in range(1, 8)] == [7, 5, 2, 2, 1, 1, 0]
    assert [found.top(beta) for beta in range(8)] == [0, 7, 12, 14, 16, 17, 18, 18]
    assert (found.labels, found.items, found.prevalence(2), found.prevalence(3)) == (6, 18, 2, 0)
    assert found.distance(((1, 2), (2, 2), (5, 1), (8, 1))) == found.distance(PAIRS) + 1 == 1


def test_a_file_holds_all_of_it(tmp_path: Path) -> None:
    found = _value()
    found.save(tmp_path / "h.json")
    assert AnonymizedHistogram.load(tmp_path / "h.json") == found
    frame = found.to_frame("polars")
    assert frame.rows() == list(PAIRS)
    with pytest.raises(ParameterError, match="backend"):
        found.to_frame("excel")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"version": 2}, "no anonymized release"),
        ({"more": 1}, "has the keys"),
        ({"prevalences": [{"count": 1}]}, "a row of the release"),
        ({"prevalences": [{"count": 0, "prevalence": 1}]}, "count 0"),
        ({"total": -1}, "number of items"),
        ({"private": False}, "contradict"),
        ({"claim": {}}, "PrivacyClaim"),
    ],
)
def test_damaged_files_are_refused(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    path = tmp_path / "h.json"
    path.write_text(json.dumps(_value().as_json() | change))
    with pytest.raises(DataError, match=message):
        AnonymizedHistogram.load(path)
    path.write_text("{")
    with pytest.raises(DataError, match="no JSON"):
        AnonymizedHistogram.load(path)


@pytest.mark.deep
def test_the_picture_has_rank_against_count(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    figure = _value().plot(tmp_path / "h.svg", true=((1, 2), (3, 1)))
    axes = figure.axes[0]
    assert (axes.get_xscale(), axes.get_yscale()) == ("log", "log")
    true, drawn = axes.get_lines()
    assert list(zip(true.get_xdata(), true.get_ydata(), strict=True)) == [(1, 3), (1, 3), (2, 1), (3, 1)]
    assert (drawn.get_xdata()[-1], drawn.get_ydata()[-1]) == (6, 1)
    assert (tmp_path / "h.svg").read_text().startswith("<?xml")


# Files


def test_columns_of_files(tmp_path: Path) -> None:
    (tmp_path / "f.csv").write_text("a,c\n" + "".join(f"1,{x}\n" for x in ROWS))
    pl.DataFrame({"c": [*ROWS, None]}).write_parquet(tmp_path / "f.parquet")
    assert pairs_of_column(tmp_path / "f.csv", "c") == PAIRS
    assert pairs_of_column(tmp_path / "f.csv", "c", 3) == ((1, 3),)
    assert pairs_of_column(tmp_path / "f.parquet", "c", drop_nulls=True) == PAIRS
    assert pairs_of_column(tmp_path / "f.parquet", "c", null_label="x") == ((1, 2), (2, 2), (5, 1), (8, 1))
    assert pairs_of_column(tmp_path / "f.parquet", "c", 3) == ((1, 3),)
    with pytest.raises(DataError, match="fewer than the first 99"):
        pairs_of_column(tmp_path / "f.parquet", "c", 99)
    with pytest.raises(DataError, match="1 nulls"):
        pairs_of_column(tmp_path / "f.parquet", "c")
    with pytest.raises(ParameterError, match="no nulls"):
        pairs_of_column(tmp_path / "f.csv", "c", drop_nulls=True)


def test_prevalences_in_files(tmp_path: Path) -> None:
    path = tmp_path / "h.csv"
    path.write_text("count,prevalence\n7,1\n 1 , 2\n\n2,2\n5,1\n")
    assert pairs_in_file(path) == PAIRS
    path.write_text("count,prevalence\n")
    assert pairs_in_file(path) == ()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "begins with 'nothing'"),
        ("label,n\na,1\n", "header of the two columns"),
        ("1,2\n3,4\n", "header of the two columns"),
        ("count,prevalence\nsmith,3\n", "line 2: 'smith' is not an integer.*--column"),
        ("count,prevalence\n1,2.5\n", "'2.5' is not an integer"),
        ("count,prevalence\n1,1e3\n", "not an integer"),
        ("count,prevalence\n0,3\n", "count 0 is out of range"),
        ("count,prevalence\n-4,3\n", "count -4"),
        ("count,prevalence\n4,0\n", "prevalence 0"),
        ("count,prevalence\n4,1\n4,1\n", "count 4 is there twice"),
        ("count,prevalence\n4\n", "1 values"),
        ("count,prevalence\n" + "9" * 50 + ",1\n", "not an integer"),
    ],
)
def test_what_is_no_file_of_prevalences(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "h.csv"
    path.write_text(text)
    with pytest.raises(DataError, match=message):
        pairs_in_file(path)
    with pytest.raises(DataError, match="cannot be read"):
        pairs_in_file(tmp_path / "none.csv")
