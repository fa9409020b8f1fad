"""Releases written to files by their suffix, and read again: the same in all, or refused in one line."""

import json
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import attrs
import pytest

from finitedp import NoisyHistogram, read, release
from finitedp.errors import DataError, FinitedpError, ParameterError
from finitedp.impl.histograms.universe import Strings
from finitedp.impl.randomness.words import SeededWords

pytest.importorskip("duckdb")
polars = pytest.importorskip("polars")
pyarrow = pytest.importorskip("pyarrow")
arrow = pytest.importorskip("pyarrow.parquet")

DAYS = [date(1, 1, 1), date(2026, 1, 31)]
ROWS = {"person": [i // 4 for i in range(1200)], "age": [1, 2, 1, 9] * 300, "yes": [True, False, True, True] * 300}
FRAME = polars.DataFrame({**ROWS, "day": DAYS * 600, "name": ["x", "\u00e9", "=1", 'a,"b\n'] * 300})
BYTES = {"\udcff": 900, "\\xff": 800, "\\": 700, "a": 600}
SURE: dict[str, Any] = {"epsilon": 1, "delta": "1/1000"}
RELEASED: dict[str, dict[str, Any]] = {
    "integers": {"data": FRAME, "column": "age", "universe": range(10), "epsilon": "1/3", "beta": "1/1000"},
    "integers and other": {"data": FRAME, "column": "age", "universe": [1, 2], "other": "rest", "epsilon": 1},
    "text": {"data": FRAME, "column": "name", **SURE},
    "text of digits": {"data": {"1": 900, "02": 800}, **SURE},
    "booleans": {"data": FRAME, "column": "yes", **SURE},
    "dates": {"data": FRAME, "column": "day", **SURE},
    "dates and other": {"data": FRAME, "column": "day", "universe": DAYS[:1], "other": "rest", "epsilon": 1},
    "several columns": {"data": FRAME, "column": ["age", "yes", "day", "name"], **SURE},
    "several columns, named as a count": {"data": FRAME.rename({"age": "low"}), "column": ["low", "yes"], **SURE},
    "bytes": {"data": BYTES, **SURE},
    "integers of 100 bits": {"data": {7: 900, 10**30: 800}, **SURE},
    "nothing": {"data": {"a": 1}, **SURE, "n": 100},
    "a unit": {
        "data": FRAME,
        "column": "age",
        "unit": "person",
        "max_labels": 2,
        "max_rows_per_label": 1,
        "n": 2000,
        "neighbours": "add-remove",
        **SURE,
    },
    "a unit, bins and two columns": {
        "data": FRAME,
        "column": ["age", "yes"],
        "unit": "person",
        "max_rows": 2,
        "n": 2000,
        "bins": {"age": [0, 2, 10]},
        "universe": {"yes": [True, False]},
        "epsilon": 1,
    },
    "a blanket": {"data": BYTES, "kind": "pure-sparse", "universe": Strings(8), "epsilon": 1, "invented": "1/10"},
    "seeded": {"data": FRAME, "column": "age", **SURE, "words": SeededWords(1, not_private=True)},
}


def made(name: str) -> NoisyHistogram:
    noisy: NoisyHistogram = release(**RELEASED[name])
    return noisy


@pytest.mark.parametrize("name", RELEASED)
@pytest.mark.parametrize("suffix", [".json", ".parquet", ".PQ"])
def test_a_file_is_read_as_what_was_written(name: str, suffix: str, tmp_path: Path) -> None:
    noisy, file = made(name), tmp_path / f"a 'noisy' [x]*{suffix}"
    noisy.write(file)
    again = read(str(file))
    assert isinstance(again, NoisyHistogram)
    assert list(again.items()) == list(noisy.items())
    assert [repr(label) for label in again] == [repr(label) for label in noisy]  # True is not 1
    for field in attrs.fields(NoisyHistogram):
        if field.name not in ("labels", "counts"):
            assert getattr(again, field.name) == getattr(noisy, field.name), field.name
    assert again.to_json() == noisy.to_json()
    bars = noisy.bars()
    assert [again.bars().bar(count) for count in again.counts.tolist()] == [bars.bar(count) for count in noisy.counts.tolist()]


def test_what_others_see_of_a_file(tmp_path: Path) -> None:
    noisy = made("several columns")
    noisy.write(tmp_path / "x.parquet")
    noisy.write(tmp_path / "x.csv")
    assert polars.read_parquet(tmp_path / "x.parquet").equals(noisy.to_frame("polars"))
    assert polars.read_csv(tmp_path / "x.csv", try_parse_dates=True).equals(noisy.to_frame("polars"))
    made("seeded").write(tmp_path / "y.csv")
    assert all(line.endswith(",NOT PRIVATE") for line in (tmp_path / "y.csv").read_text().splitlines())


def test_a_curve_is_read_again(tmp_path: Path) -> None:
    noisy, file = made("dates"), tmp_path / "x.parquet"
    noisy.write(file)
    again = read(file)
    assert isinstance(again, NoisyHistogram)
    assert noisy.claim is not None
    assert again.claim is not None
    assert again.claim.curve().source == noisy.claim.curve().source == "FD.Pair.stability"
    assert again.claim.curve().delta_at(2) == noisy.claim.curve().delta_at(2)


# What is refused


@pytest.mark.parametrize("name", ["x.txt", "x", "x.csv.gz", ".json", "x.xlsx"])
def test_other_suffixes_are_refused(name: str, tmp_path: Path) -> None:
    file = tmp_path / name
    with pytest.raises(ParameterError, match=r"ends in .*; accepted: \.csv, \.json, \.parquet, \.pq$"):
        made("integers").write(file)
    assert not file.exists()
    file.write_text(made("integers").to_json())
    with pytest.raises(DataError, match=r"ends in .*; accepted: \.json, \.parquet, \.pq$"):
        read(file)


def test_csv_says_nothing_of_a_claim(tmp_path: Path) -> None:
    made("integers").write(tmp_path / "x.csv")
    with pytest.raises(
        DataError, match=r"x\.csv is CSV, which holds counts and not what is claimed of them; accepted: \.json"
    ):
        read(tmp_path / "x.csv")


def test_labels_that_would_be_one_text_are_not_written(tmp_path: Path) -> None:
    noisy = release({"1": 5, 1: 7}, epsilon=2, universe=[1, "1"])
    for suffix in (".csv", ".parquet"):
        with pytest.raises(ParameterError, match="two labels are the same text"):
            noisy.write(tmp_path / f"x{suffix}")
    mixed = release({1: 5, DAYS[0]: 7}, epsilon=2, universe=[1, DAYS[0]])
    with pytest.raises(ParameterError, match="'label' has integers and dates"):
        mixed.write(tmp_path / "x.parquet")
    assert list(tmp_path.iterdir()) == []


Table = Any
Change = Callable[[Table], Table]


def _metadata(change: Callable[[dict[str, Any]], object]) -> Change:
    def changed(table: Table) -> Table:
        document = json.loads(table.schema.metadata[b"finitedp"])
        change(document)
        return table.replace_schema_metadata({"finitedp": json.dumps(document)})

    return changed


def _value(name: str, change: Callable[[Any], Any]) -> Change:
    def changed(table: Table) -> Table:
        values = table.column(name).to_pylist()
        column = pyarrow.array([change(values[0]), *values[1:]], table.schema.field(name).type)
        return table.set_column(table.schema.get_field_index(name), name, column)

    return changed


def _renamed(table: Table) -> Table:
    return table.rename_columns(["x", "count", "low", "high"]).replace_schema_metadata(table.schema.metadata)


CHANGES: dict[str, tuple[Change, str]] = {
    "a count": (_value("count", lambda x: x + 1), "their hash is another"),
    "a label": (_value("label", lambda x: x + 90), "their hash is another"),
    "a bar": (_value("low", lambda x: x + 1), "the error bars do not follow from the counts"),
    "another bar": (_value("high", lambda x: x - 1), "the error bars do not follow from the counts"),
    "a null": (_value("label", lambda _: None), "has a null"),
    "a count that is null": (_value("count", lambda _: None), "damaged: .*a count"),
    "a row less": (lambda table: table.slice(1), "draws = 10 is not their number"),
    "rows in another order": (lambda table: table.take([1, 0, *range(2, len(table))]), "their hash is another"),
    "a column less": (lambda table: table.drop_columns(["low"]), "the columns beside the labels are not count, low, high"),
    "a column more": (lambda table: table.append_column("x", table.column("low")), "the columns beside the labels are not"),
    "another name": (_renamed, "is not the one that was written"),
    "floats": (
        lambda table: table.set_column(1, "count", table.column("count").cast("double")),
        "the columns beside the labels are not count, low, high in integers",
    ),
    "no document": (lambda table: table.replace_schema_metadata({}), "does not say what is claimed of its counts"),
    "another version": (_metadata(lambda x: x.update(version=2)), "is no release; accepted: .*version 1"),
    "no version": (_metadata(lambda x: x.pop("version")), "is no release"),
    "a lesser epsilon": (_metadata(lambda x: x["claim"].update(epsilon="1/2")), "claim does not follow"),
    "a lesser parameter": (_metadata(lambda x: x["parameters"].update(epsilon="1/2")), "does not follow"),
    "no label columns": (_metadata(lambda x: x.pop("label_columns")), "is damaged: KeyError"),
    "label columns that are none": (_metadata(lambda x: x.update(label_columns=[7])), "is damaged"),
    "text for integers": (_metadata(lambda x: x["label_columns"][0].update(kind="text")), "is not the one that was written"),
    "no kind": (_metadata(lambda x: x["label_columns"][0].pop("kind")), "is not the one that was written"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_changed_parquet_file_is_refused_in_one_line(name: str, tmp_path: Path) -> None:
    file, (change, message) = tmp_path / "x.parquet", CHANGES[name]
    made("integers").write(file)
    arrow.write_table(change(arrow.read_table(file)), file)
    with pytest.raises(DataError, match=message) as caught:
        read(file)
    assert str(file) in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1


def test_a_parquet_file_that_arrow_wrote_again_is_the_same(tmp_path: Path) -> None:
    noisy, file = made("integers"), tmp_path / "x.parquet"
    noisy.write(file)
    arrow.write_table(arrow.read_table(file), file)
    again = read(file)
    assert isinstance(again, NoisyHistogram)
    assert again.to_json() == noisy.to_json()


@pytest.mark.parametrize("suffix", [".json", ".parquet"])
def test_a_file_that_is_cut_off_is_refused_wherever_that_is(suffix: str, tmp_path: Path) -> None:
    file = tmp_path / f"x{suffix}"
    made("text").write(file)
    whole = file.read_bytes().rstrip()
    for end in range(0, len(whole), 1 + len(whole) // 40):
        file.write_bytes(whole[:end])
        with pytest.raises(DataError, match=r"x\.") as caught:
            read(file)
        assert len(str(caught.value).splitlines()) == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[]", "is no release"),
        ('{"format": "finitedp query", "version": 1}', "is no release"),
        ('{"format": "finitedp release", "version": 2}', "is no release"),
        ('{"format": "finitedp release", "version": 1}', "the release has no"),
        ('{"format": "finitedp number", "version": 7}', "this is no noisy number"),
        ('{"format": "finitedp anonymized release", "version": 7}', "this is no anonymized release"),
        ('{"format": "finitedp compact histogram", "version": 7}', "compact"),
        ('{"format": ["finitedp number"]}', "is no release"),
        ("7", "is no release"),
        ("", "is no JSON document"),
    ],
)
def test_json_of_another_kind_is_refused_with_the_file_s_name(text: str, message: str, tmp_path: Path) -> None:
    file = tmp_path / "x.json"
    file.write_text(text)
    with pytest.raises(DataError, match=message) as caught:
        read(file)
    assert str(file) in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1


def test_files_that_are_not_there(tmp_path: Path) -> None:
    for suffix in (".json", ".parquet"):
        with pytest.raises(DataError, match="cannot be read: "):
            read(tmp_path / f"x{suffix}")
        (tmp_path / f"y{suffix}").mkdir()
        with pytest.raises(DataError, match="cannot be read: "):
            read(tmp_path / f"y{suffix}")


def test_edited_labels_and_counts_of_json_are_refused() -> None:
    for part, value in (("label", 77), ("count", 3)):
        document = json.loads(made("integers").to_json())
        written = document["histogram"][4][part]
        document["histogram"][4][part] = value - (value == written)  # a noisy count may be any number
        with pytest.raises(FinitedpError, match="labels or counts are not those that were written"):
            NoisyHistogram.from_json(json.dumps(document))
    del document["histogram_sha256"]  # as documents were before
    assert NoisyHistogram.from_json(json.dumps(document)).counts[4] == document["histogram"][4]["count"]
