"""finitedp release pure-sparse on a blanket, finitedp.release of that kind, finitedp blanket-plan, and what they refuse."""

import csv
import io
import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

import finitedp
from finitedp.cli.main import main
from finitedp.errors import FinitedpError
from finitedp.impl.histograms.universe import Strings
from finitedp.impl.randomness.words import SeededWords
from tests.sampling import sampled

ROWS = [7] * 700 + [12] * 650 + list(range(100, 700))
TEXTS = ["often"] * 700 + ["ä" * 8] * 650 + [f"rare {i}" for i in range(500)]
WHOLE = ["--universe", "0..18446744073709551615", "--epsilon", "1"]


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments, catch_exceptions=False)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "rows.csv").write_text("x\n" + "\n".join(map(str, ROWS)) + "\n")
    return tmp_path / "rows.csv"


def release(file: Path, *arguments: str) -> Result:
    return run("release", "pure-sparse", "--input", str(file), "--column", "x", *arguments)


def test_a_release_lists_labels_of_many_rows(file: Path) -> None:
    result = release(file, *WHOLE, "--json")
    assert result.exit_code == 0, result.output
    printed = json.loads(result.stdout)
    counts = {row["label"]: row["count"] for row in printed["histogram"]}
    assert abs(counts[7] - 700) < 60
    assert abs(counts[12] - 650) < 60
    assert len(counts) < 30
    assert (printed["rows"], printed["n"], printed["threshold"]) == (len(ROWS), len(ROWS), 87)
    assert printed["claim"]["source"] == "FD.Blanket.private"
    assert (printed["claim"]["delta"], printed["claim"]["neighbours"]) == ("0", "replace-one")
    assert printed["parameters"]["invented"] == "1"
    assert printed["parameters"]["withheld"] is False


def test_a_table_explains_labels_that_were_never_in_the_data(file: Path) -> None:
    shown = release(file, *WHOLE, "--invented", "3/2", "--n", "5000", "--neighbours", "add-remove").stdout
    assert "(1, 0)-differentially private: at most 5000 rows, one more or less (FD.Blanket.private)." in shown
    assert "A listed label need not occur: on average at most 3/2 of them were never in the data." in shown
    above = release(file, *WHOLE, "--above", "660").stdout
    assert "Those up to 660 are not listed here." in above


def test_invented_labels_of_strings_are_written_with_escapes(tmp_path: Path) -> None:
    rows = tmp_path / "rows.csv"
    rows.write_text("x\n" + "\n".join(TEXTS) + "\n")
    options = ["--universe", "strings:16", "--epsilon", "1", "--invented", "50", "--insecure-seed", "5", "--format", "csv"]
    result = release(rows, *options)
    listed = [row[0] for row in csv.reader(io.StringIO(result.stdout))][1:]
    assert {"often", "ä" * 8} <= set(listed)
    assert any("\\x" in label for label in listed)
    assert "NOT PRIVATE" in result.stderr
    assert len(listed) < 150


def test_the_papers_mechanism_is_there_on_demand(file: Path) -> None:
    options = [*WHOLE, "--first", "20", "--mechanism", "order-statistics", "--json"]
    assert json.loads(release(file, *options).stdout)["claim"]["source"] == "BV.Thm6.11.i"


def test_a_skewed_table_lists_more(file: Path, tmp_path: Path) -> None:
    printed = json.loads(release(file, *WHOLE, "--skewed", "--json").stdout)
    assert printed["threshold"] == 65
    assert printed["mechanism"] == "BlanketHistogram with SkewedSample"
    assert abs({row["label"]: row["count"] for row in printed["histogram"]}[7] - 700) < 80
    plan = ["blanket-plan", "--n", "10000", "--universe", "0..99999999", "--epsilon", "1", "--skewed"]
    assert "skewed" in run(*plan, "--output", str(tmp_path / "plan.json")).stdout
    assert run("check", str(tmp_path / "plan.json")).exit_code == 0


def test_parquet_files_of_integers_and_of_text(tmp_path: Path) -> None:
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    for name, rows, universe in (("i", ROWS, WHOLE[1]), ("t", TEXTS, "strings:16")):
        file = tmp_path / f"{name}.parquet"
        pq.write_table(pa.table({"x": [*rows, None]}), file)
        options = ["--universe", universe, "--epsilon", "1"]
        refused = release(file, *options)
        assert (refused.exit_code, len(refused.output.splitlines())) == (2, 1)
        assert "holds 1 nulls" in refused.output
        printed = json.loads(release(file, *options, "--drop-nulls", "--json").stdout)
        assert printed["rows"] == len(rows) + 1
        assert abs({row["label"]: row["count"] for row in printed["histogram"]}[rows[0]] - 700) < 60


WRONG = {
    "too few rows": ([*WHOLE, "--first", "50"], "an empty release, which needs no data, is as accurate; accepted: epsilon ="),
    "too few rows, known before": ([*WHOLE, "--n", "50"], "n = 50 rows are too few at epsilon = 1"),
    "more rows than n": ([*WHOLE, "--n", "1500"], "has 1950 rows, more than n = 1500"),
    "small universe": (
        ["--universe", "0..1000", "--epsilon", "1"],
        "has 1001 labels, fewer than n = 1950 rows; accepted: basic",
    ),
    "long strings": (["--universe", "strings:17", "--epsilon", "1"], "strings of up to 17 bytes; accepted: up to 16 bytes"),
    "outside": (["--universe", "0..600000000", "--epsilon", "1", "--null-label", "5"], "CSV file, which has no nulls"),
    "label outside": (["--universe", "8..60000000", "--epsilon", "1"], "7 is outside of the universe 8..60000000"),
    "no invented": ([*WHOLE, "--invented", "0"], "is not positive"),
    "many invented": ([*WHOLE, "--invented", "1951"], "invented = 1951 is out of range; accepted: a rational from 1/1000000"),
    "no number": ([*WHOLE, "--invented", "half"], "is not of the form 'p/q'"),
    "add-remove without n": ([*WHOLE, "--neighbours", "add-remove"], "--neighbours add-remove needs --n"),
    "coins": ([*WHOLE, "--coins", "exact"], "--coins exact needs --mechanism order-statistics"),
    "paper with n": ([*WHOLE, "--mechanism", "order-statistics", "--n", "5000"], "--n 5000 needs --mechanism blanket"),
    "paper with invented": (
        [*WHOLE, "--mechanism", "order-statistics", "--invented", "2"],
        "--invented 2 needs --mechanism blanket",
    ),
    "skewed, add-remove": (
        [*WHOLE, "--skewed", "--n", "5000", "--neighbours", "add-remove"],
        "--skewed needs --mechanism blanket",
    ),
    "beta": ([*WHOLE, "--beta", f"1/{2**64}"], "beta = 1/18446744073709551616 is out of range; accepted: above 2^-64"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_input_is_named_in_one_line_and_nothing_is_written(file: Path, name: str) -> None:
    arguments, message = WRONG[name]
    output = file.parent / "out.json"
    result = release(file, *arguments, "--output", str(output))
    assert result.exit_code == 2
    assert message in result.output
    assert len(result.output.splitlines()) == 1 or "Usage" in result.output
    assert not output.exists()


# The plan


def test_a_plan_is_written_checked_and_refused_where_it_was_changed(tmp_path: Path) -> None:
    file = tmp_path / "plan.json"
    made = run("blanket-plan", "--n", "100000", "--universe", "strings:8", "--epsilon", "1/2", "--output", str(file))
    assert "error at 1/20" in made.stdout
    checked = run("check", str(file))
    assert checked.exit_code == 0
    assert (
        "accepted: a plan for up to n = 100000 rows of 18519084246547628289 labels, epsilon = 1/2, replace-one"
        in checked.output
    )
    file.write_text(file.read_text().replace('"cap": "', '"cap": "1'))
    assert run("check", str(file)).exit_code == 1
    printed = json.loads(run("blanket-plan", "--n", "100000", "--universe", "0..99999999", "--epsilon", "2", "--json").stdout)
    assert printed["claim"]["epsilon"] == "2"
    assert set(printed["checked"]) == {"(A)", "(B)", "(C)", "(D)"}


# In Python


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow", "duckdb", "dask", "mapping", "array"])
def test_every_engine(backend: str) -> None:
    data: Any = {"x": ROWS}
    if backend in ("pandas", "polars"):
        data = pytest.importorskip(backend).DataFrame(data)
    elif backend in ("pyarrow", "duckdb"):
        data = pytest.importorskip("pyarrow").table(data)
    if backend == "duckdb":
        data = pytest.importorskip("duckdb").from_arrow(data)
    if backend == "dask":
        dask = pytest.importorskip("dask.dataframe", exc_type=ImportError)
        data = dask.from_pandas(pytest.importorskip("pandas").DataFrame(data), npartitions=2)
    if backend == "mapping":
        data = Counter(ROWS)
    universe = range(5000 if backend == "array" else 2**64)
    if backend == "array":
        data = np.bincount(ROWS, minlength=5000)
    column = None if backend in ("mapping", "array") else "x"
    words = SeededWords(4, not_private=True)
    found = finitedp.release(data, column, kind="pure-sparse", epsilon=1, universe=universe, words=words)
    assert found.claim is None
    assert found.plan is not None
    assert abs(found.as_dict()[7] - 700) < 60
    assert found.threshold == found.plan.b
    again = finitedp.release(
        Counter(ROWS), kind="pure-sparse", epsilon=1, universe=universe, words=SeededWords(4, not_private=True)
    )
    assert again.as_dict() == found.as_dict()


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow", "duckdb", "parquet"])
def test_columns_of_bytes_are_refused(backend: str, tmp_path: Path) -> None:
    """As text they would be other labels, where they are not UTF-8."""
    rows: Any = {"x": [b"a"] * 600 + [b"\xff"] * 600}
    if backend in ("pandas", "polars"):
        frame = pytest.importorskip(backend).DataFrame(rows)
    else:
        frame = pytest.importorskip("pyarrow").table(rows)
    if backend == "parquet":
        pytest.importorskip("pyarrow.parquet").write_table(frame, tmp_path / "x.parquet")
        refused = release(
            tmp_path / "x.parquet", "--universe", "strings:16", "--epsilon", "1", "--output", str(tmp_path / "o")
        )
        assert (refused.exit_code, len(refused.output.splitlines())) == (2, 1)
        assert "column 'x' is of type Binary; accepted: strings, integers, booleans or dates" in refused.output
        assert not (tmp_path / "o").exists()
        return
    frame = pytest.importorskip("duckdb").from_arrow(frame) if backend == "duckdb" else frame
    with pytest.raises(FinitedpError, match=r"type (Binary|bytes).*accepted: str"):
        finitedp.release(frame, "x", kind="pure-sparse", epsilon=1, universe=Strings(16))


PYTHON: dict[str, tuple[dict[str, Any], str]] = {
    "no universe": ({"universe": None}, "universe is missing"),
    "delta": ({"delta": "1/9"}, "delta = 0"),
    "word": ({"word": 64}, "words of its own"),
    "padding": ({"padded": False}, "no padding"),
    "add-remove": ({"neighbours": "add-remove"}, "n is missing"),
    "unknown neighbours": ({"neighbours": "all"}, "neighbours = 'all' is unknown"),
    "another kind": ({"kind": "histogram", "invented": 3}, "not for kind = 'histogram'"),
    "skewed": ({"skewed": True, "neighbours": "add-remove", "n": 5000}, "accepted: replace-one"),
    "another kind, skewed": ({"kind": "histogram", "skewed": True}, "not for kind = 'histogram'"),
    "unknown kind": ({"kind": "sparse"}, "accepted: histogram, pure-sparse, anonymized"),
    "more rows": ({"n": 1500}, "more than n = 1500"),
    "outside": ({"universe": range(8, 10**9)}, "7, in 700 rows, is outside of the universe 8..999999999"),
    "text": ({"universe": Strings(16)}, "holds integers, as 7, and the universe is of text"),
    "no list of neighbours": ({"neighbours": ["replace-one"]}, "neighbours = .* is unknown"),
    "many labels": ({"n": 10**9, "epsilon": 10}, "would hold about .* labels.*accepted: fewer rows"),
    "many slots": ({"n": 10**6, "epsilon": "1/1000", "invented": 10**6}, "would draw about .* slots.*accepted: fewer rows"),
    "huge n": ({"n": 10**10}, "accepted: up to 1000000000"),
}


@pytest.mark.deep
@pytest.mark.parametrize("name", sampled(PYTHON, 6))
def test_what_the_library_refuses(name: str) -> None:
    changes, message = PYTHON[name]
    given: dict[str, Any] = {"kind": "pure-sparse", "epsilon": 1, "universe": range(2**64)} | changes
    with pytest.raises(FinitedpError, match=message):
        finitedp.release(Counter(ROWS), **given)
