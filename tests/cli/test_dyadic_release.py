"""finitedp release basic and stability on dyadic tables, their default."""

import csv
import io
import json
import re
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

from finitedp.cli.main import main
from finitedp.data.value.files import no_formula
from finitedp.data.value.saved import histogram_hash
from finitedp.impl.counting.dyadic import DyadicSample
from finitedp.impl.counting.dyadic_bulk import apply_array, random_words
from finitedp.impl.randomness.words import SeededWords
from tests.sampling import sampled

RAND = Path(__file__).parents[2] / "docs" / "data" / "randhie.csv"
FILE = ["--input", str(RAND), "--column", "self_rated_health"]
HEALTH = [*FILE, "--universe", "excellent,good,fair,poor"]
STRINGS = [*FILE, "--universe", "strings:16", "--delta", "1/1000000"]
TRUE = {"excellent": 11019, "good": 7309, "fair": 1560, "poor": 302}


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments, catch_exceptions=False)


def document(*arguments: str) -> Any:
    result = run(*arguments, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def counts(printed: Any) -> dict[str, int]:
    return {row["label"]: row["count"] for row in printed["histogram"]}


def test_basic_is_the_mechanism_on_the_column() -> None:
    printed = document("release", "basic", *HEALTH, "--epsilon", "2/3", "--insecure-seed", "5")
    mechanism = DyadicSample(20190, "2/3")
    words = random_words(mechanism, 4, SeededWords(5, not_private=True))[0]
    assert list(counts(printed).values()) == apply_array(mechanism, np.array(list(TRUE.values())), words).tolist()
    assert (printed["claim"], printed["private"]) == (None, False)
    assert printed["randomness"] == {"bits_from": "seed 5: NOT PRIVATE", "word": 64, "draws": 4, "bits": 256}


def test_basic_states_its_claim_and_its_exact_error_bars() -> None:
    printed = document("release", "basic", *HEALTH, "--epsilon", "1")
    assert printed["claim"] == {
        "epsilon": "1",
        "delta": "0",
        "neighbours": "replace-one",
        "ratio": str(DyadicSample(20190, 1).table.ratio ** 2),
        "source": "FD.Dyadic.basic.private",
    }
    assert [a["a"] for a in printed["accuracy"]] == [DyadicSample(20190, 1).accuracy(beta).a for beta in ("1/20", "1/80")]
    assert (printed["rows"], printed["n"], printed["labels"]) == (20190, 20190, 4)
    assert printed["randomness"]["bits_from"] == "operating system"
    assert all(abs(count - TRUE[label]) < 60 for label, count in counts(printed).items())
    shown = run("release", "basic", *HEALTH, "--epsilon", "1").output
    assert "(1, 0)-differentially private: 20190 rows, one replaced (FD.Dyadic.basic.private)." in shown
    assert "Noise: 4 words of 64 random bits, from operating system." in shown


def test_stability_takes_the_least_threshold_and_any_rational_delta() -> None:
    printed = document("release", "stability", *STRINGS, "--epsilon", "1")
    assert (printed["threshold"], printed["accuracy"][0]["on_counts_above"], printed["randomness"]["draws"]) == (27, 33, 20190)
    assert counts(printed).keys() == TRUE.keys()
    assert list(counts(printed)) == sorted(TRUE)
    odd = document("release", "stability", *STRINGS[:-1], "3/1000001", "--epsilon", "2/7", "--beta", "2/25")
    assert (odd["claim"]["epsilon"], odd["claim"]["delta"], odd["accuracy"][0]["beta"]) == ("2/7", "3/1000001", "2/25")


def test_a_bound_of_the_rows_hides_their_number() -> None:
    for name, options in (("basic", HEALTH), ("stability", STRINGS)):
        printed = document("release", name, *options, "--epsilon", "1", "--n", "30000")
        assert (printed["rows"], printed["n"]) == (None, 30000)
        shown = run("release", name, *options, "--epsilon", "1", "--n", "30000").output
        assert "private: at most 30000 rows, one replaced" in shown
        assert "20190" not in shown
    assert document("release", "stability", *STRINGS, "--epsilon", "1", "--n", "30000")["randomness"]["draws"] == 30000


ADDED = ["--epsilon", "1", "--neighbours", "add-remove", "--n"]


def test_a_row_more_or_less_takes_the_table_of_2_epsilon() -> None:
    basic = document("release", "basic", *HEALTH, *ADDED, "30000")
    table = DyadicSample(30000, 2)
    assert basic["claim"] == {
        "epsilon": "1",
        "delta": "0",
        "neighbours": "add-remove",
        "ratio": str(table.table.ratio),
        "source": "FD.Dyadic.basic.add-remove",
    }
    assert basic["parameters"] == {"epsilon": "1", "delta": "0", "word": 64, "neighbours": "add-remove"}
    assert [a["a"] for a in basic["accuracy"]] == [table.accuracy(beta).a for beta in ("1/20", "1/80")] == [3, 4]
    stable = document("release", "stability", *STRINGS, *ADDED, "30000")
    assert (stable["threshold"], stable["accuracy"][0]["a"], stable["randomness"]["draws"]) == (14, 3, 30000)
    assert stable["claim"]["source"] == "FD.Dyadic.stability.add-remove"
    shown = run("release", "basic", *HEALTH, *ADDED, "30000").output
    assert "private: at most 30000 rows, one more or less (FD.Dyadic.basic.add-remove)." in shown
    assert "The errors are for at most 30000 rows. Of more, which nothing tells, counts above 30000 are taken for" in shown
    assert "The errors are for" not in run("release", "basic", *HEALTH, "--epsilon", "1").output


@pytest.mark.parametrize("name", ["basic", "stability"])
def test_a_row_more_or_less_is_told_by_nothing_but_the_counts(name: str, tmp_path: Path) -> None:
    """FD.Release.add-remove: of no rows, of some, of as many as n, and of more."""
    found, shapes = set[str](), set[tuple[object, ...]]()
    options = ["--delta", "1/9", "--universe", "strings:9"] if name == "stability" else ["--universe", "a,b"]
    for rows in (0, 1, 19, 20, 21, 500):
        path = tmp_path / "rows.csv"
        path.write_text("x\n" + "a\n" * rows)
        given = ["release", name, "--input", str(path), "--column", "x", *options, *ADDED, "20"]
        printed = document(*given)
        histogram = printed.pop("histogram")
        assert all(row["count"] <= 20 for row in histogram)
        assert printed.pop("histogram_sha256") == histogram_hash(histogram)  # of what is released alone
        found.add(json.dumps(printed))
        result = run(*given, "--format", "csv")
        assert (result.exit_code, result.stderr) == (0, "")
        shapes.add(tuple(line.split(",", 1)[0] for line in result.stdout.splitlines()))
    assert len(found) == 1
    assert shapes <= {("x", "a", "b")} if name == "basic" else {("x",), ("x", "a")}


def test_parquet_of_more_rows_than_n_and_of_none(tmp_path: Path) -> None:
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    for rows in (0, 50):
        path = tmp_path / f"{rows}.parquet"
        parquet.write_table(arrow.table({"x": arrow.array(["a"] * rows, arrow.string())}), path)
        given = ["--input", str(path), "--column", "x", "--universe", "a,b", *ADDED, "20"]
        printed = document("release", "basic", *given)
        assert (printed["rows"], printed["n"]) == (None, 20)
        assert counts(printed)["a"] <= 20


@pytest.mark.parametrize("source", ["os", "aes-ctr", "chacha20"])
@pytest.mark.parametrize("command", ["basic", "stability", "compact", "sparse"])
def test_the_source_of_random_bits_shows(source: str, command: str, tmp_path: Path) -> None:
    options = {
        "basic": [*HEALTH, "--json"],
        "stability": [*STRINGS, "--json"],
        "compact": [*HEALTH, "--first", "20", "--output", str(tmp_path / "x")],
        "sparse": [*STRINGS, "--first", "100", "--json"],
    }[command]
    result = run("release", command, *options, "--epsilon", "1", "--bits-from", source)
    assert result.exit_code == 0, result.output
    if command != "compact":
        named = {"os": "operating system", "aes-ctr": "AES-256-CTR, keyed", "chacha20": "ChaCha20, keyed"}[source]
        assert json.loads(result.stdout)["randomness"]["bits_from"].startswith(named)


def test_the_bars_of_a_csv_hold_the_true_counts() -> None:
    """A bar fails with probability at most 1/20; that all four fail has one of at most (1/20)^4."""
    text = run("release", "basic", *HEALTH, "--epsilon", "1", "--format", "csv").stdout
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [row["self_rated_health"] for row in rows] == list(TRUE)
    assert any(int(row["low"]) <= TRUE[row["self_rated_health"]] <= int(row["high"]) for row in rows)


def test_parquet_in_and_out(tmp_path: Path) -> None:
    polars = pytest.importorskip("polars")
    source, out = tmp_path / "rows.parquet", tmp_path / "noisy.parquet"
    polars.DataFrame({"x": ["a"] * 500 + ["b"] * 300 + [None] * 200}).write_parquet(source)
    common = ["--input", str(source), "--column", "x", "--universe", "strings:8", "--epsilon", "1", "--delta", "1/1000"]
    result = run("release", "stability", *common, "--drop-nulls", "--output", str(out))
    assert result.exit_code == 0, result.output
    frame = polars.read_parquet(out)
    assert frame["label"].to_list() == ["a", "b"]
    assert all(abs(noisy - true) < 60 for noisy, true in zip(frame["count"], (500, 300), strict=True))
    about = json.loads(polars.read_parquet_metadata(out)["finitedp"])
    assert (about["n"], about["mechanism"]) == (1000, "StabilityHistogram with DyadicSample")


def test_a_small_epsilon_takes_128_bits_or_writes_the_table_out() -> None:
    for epsilon in (f"1/{10**10}", f"1/{10**20}"):
        printed = document("release", "basic", *HEALTH, "--epsilon", epsilon, "--word", "128")
        assert all(0 <= count <= 20190 for count in counts(printed).values())
    assert document("release", "basic", *HEALTH, "--epsilon", f"1/{10**10}")["parameters"]["word"] == 64


def test_no_rows_are_a_dataset_where_n_is_given(tmp_path: Path) -> None:
    rows = tmp_path / "rows.csv"
    rows.write_text("x\n")
    common = ["--input", str(rows), "--column", "x", "--universe", "a,b", "--epsilon", "1"]
    assert counts(document("release", "basic", *common, "--n", "10")).keys() == {"a", "b"}
    assert counts(document("release", "stability", *common, "--n", "99", "--delta", "1/9")) == {}
    assert run("release", "basic", *common).exit_code == 2


def test_labels_are_written_as_they_are_whatever_the_terminal_would_make_of_them(tmp_path: Path) -> None:
    """Nothing is taken for a colour, and two labels stay two where one has a byte that is not UTF-8."""
    rows = tmp_path / "rows.csv"
    rows.write_text("x\n" + "\x1b[31mred\n" * 300 + "red\n" * 200)
    common = ["--input", str(rows), "--column", "x", "--universe", "strings:9", "--epsilon", "1", "--delta", "1/9"]
    shown = run("release", "stability", *common, "--insecure-seed", "1", "--format", "csv").stdout
    run("release", "stability", *common, "--insecure-seed", "1", "--output", str(tmp_path / "out.csv"))
    assert shown == (tmp_path / "out.csv").read_text()
    assert "\x1b[31mred," in shown
    rows.write_text("x\nb\n")
    universe = ["--universe", "a,b\udcff,b\\xff,b"]
    for shape in ("csv", "parquet"):
        out = tmp_path / f"odd.{shape}"
        result = run("release", "basic", *common[:4], *universe, "--epsilon", "1", "--output", str(out))
        assert result.exit_code == 0, result.output
        if shape == "csv":
            labels = [row["x"] for row in csv.DictReader(io.StringIO(out.read_text()))]
        else:
            labels = pytest.importorskip("polars").read_parquet(out)["label"].to_list()
        assert labels == ["a", "b\\xff", "b\\\\xff", "b"]


def test_what_cannot_be_printed_is_no_reason_to_take_two_labels_for_one(tmp_path: Path) -> None:
    rows, out = tmp_path / "rows.csv", tmp_path / "out.csv"
    rows.write_text("x\na\u00a0b\n")
    universe = ["--universe", "a\u00a0b,a\udca0b,c\td"]
    common = ["release", "basic", "--input", str(rows), "--column", "x", *universe, "--epsilon", "1", "--output", str(out)]
    assert run(*common).exit_code == 0
    assert [row["x"] for row in csv.DictReader(io.StringIO(out.read_text()))] == ["a\u00a0b", "a\\xa0b", "c\td"]


def test_links_that_go_round_are_refused(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    one.symlink_to(two)
    two.symlink_to(one)
    for common in ([*HEALTH, "--output", str(one)], ["--input", str(one), *HEALTH[2:], "--output", str(tmp_path / "x.csv")]):
        result = run("release", "basic", *common, "--epsilon", "1")
        assert (result.exit_code, len(result.output.splitlines())) == (2, 1)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one", "two"]


@pytest.mark.deep
def test_a_pipe_may_be_named_and_a_name_may_be_long(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "finitedp", "release", "basic", *HEALTH, "--epsilon", "1", "--format", "csv"]
    done = subprocess.run([*command, "--output", "/dev/stdout"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("self_rated_health,count,low,high\n")
    assert run(*command[3:], "--output", str(tmp_path / ("a" * 250))).exit_code == 0


@pytest.mark.deep
@pytest.mark.parametrize("name", sampled(["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"], 1))
def test_an_open_file_is_written_on_and_not_replaced(name: str, tmp_path: Path) -> None:
    file, command = tmp_path / "log", [sys.executable, "-m", "finitedp", "release", "basic", *HEALTH, "--epsilon", "1"]
    script = f'(echo head; "$@" --format csv --output {name}; echo tail) > {file}'
    done = subprocess.run(["/bin/sh", "-c", script, "sh", *command], capture_output=True, text=True, check=False)
    assert done.stderr == f"Wrote {name}: 4 noisy counts.\n"
    lines = file.read_text().splitlines()
    assert (lines[0], lines[1], lines[-1], len(lines)) == ("head", "self_rated_health,count,low,high", "tail", 7)


def test_how_a_label_is_written_does_not_depend_on_the_noise(tmp_path: Path) -> None:
    """Where a sparse release may list any bytes, backslashes are always doubled; where only the data's labels are, never."""
    rows, out = tmp_path / "rows.csv", tmp_path / "out.csv"
    rows.write_text("x\n" + "\\a\n" * 300)
    common = ["--input", str(rows), "--column", "x", "--universe", "strings:2", "--epsilon", "1", "--output", str(out)]
    for command, label in ((["sparse", "--above", "250"], "\\\\a"), (["stability"], "\\a")):
        assert run("release", *command, *common, "--delta", "1/1000000").exit_code == 0
        assert [row["x"] for row in csv.DictReader(io.StringIO(out.read_text()))] == [label]
    table = run("release", "basic", *common[:4], "--universe", "\\a,b\udcff,b\\xff", "--epsilon", "1").stdout
    assert "│ b\\xff " in table
    assert "│ b\\\\xff " in table


@pytest.mark.parametrize("shape", ["json", "binary"])
def test_a_compact_release_states_where_its_bits_come_from(shape: str, tmp_path: Path) -> None:
    out = tmp_path / "x"
    common = ["release", "compact", *HEALTH, "--first", "20", "--epsilon", "1", "--format", shape, "--output", str(out)]
    expected = {
        "--bits-from aes-ctr": "strict coins, bits from AES-256-CTR",
        "--insecure-seed 3": "bits from seed 3: NOT PRIVATE",
        "": "operating",
    }
    for options, source in expected.items():
        assert run(*common, *options.split()).exit_code == 0
        assert source in json.loads(run("query", str(out), "good", "--json").stdout)["randomness"]
        assert source in run("query", str(out), "good").stdout


def test_an_interruption_while_parquet_is_written_is_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    duckdb = pytest.importorskip("duckdb")
    for error in (RuntimeError("Query interrupted"), duckdb.InterruptException("Interrupted!")):

        class Connection:
            def __enter__(self) -> "Connection":
                return self

            def __exit__(self, *_: object) -> None:
                pass

            def register(self, *_: object) -> None:
                pass

            def execute(self, *_: object, error: BaseException = error) -> None:
                raise error

        monkeypatch.setattr(duckdb, "connect", lambda *_, made=Connection, **__: made())
        result = run("release", "basic", *HEALTH, "--epsilon", "1", "--output", str(tmp_path / "x.parquet"))
        assert (result.exit_code, result.output.strip()) == (130, "Interrupted.")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.deep
def test_without_standard_output_nothing_is_drawn() -> None:
    command = [sys.executable, "-m", "finitedp", "release", "basic", *HEALTH, "--epsilon", "1"]
    done = subprocess.run(["/bin/sh", "-c", 'exec "$@" >&-', "sh", *command], stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 2
    assert (
        done.stderr == "Error: there is no standard output, in which a release would be lost; accepted: with --output FILE\n"
    )


# What is refused

WRONG = {
    "coins": (["basic", *HEALTH, "--epsilon", "1", "--coins", "exact"], "--coins exact needs --mechanism fast-sample"),
    "word": (
        ["basic", *HEALTH, "--epsilon", "1", "--word", "64", "--mechanism", "fast-sample"],
        "--word 64 needs --mechanism",
    ),
    "seed and source": (
        ["basic", *HEALTH, "--epsilon", "1", "--insecure-seed", "1", "--bits-from", "aes-ctr"],
        "--bits-from aes-ctr and --insecure-seed contradict each other",
    ),
    "no table": (
        ["basic", *HEALTH, "--epsilon", "1/1000", "--word", "12"],
        "no table of 12 bits exists for n = 20190, epsilon = 1/1000; accepted: word = 64",
    ),
    "tiny epsilon": (["basic", *HEALTH, "--epsilon", "1/1000000000", "--n", "1000000000"], "needs a table of up to"),
    "empty releases": (
        ["stability", *STRINGS[:-1], "1/1000000000", "--epsilon", "1", "--first", "10"],
        "so that every release would be empty; accepted: a larger n, epsilon or delta",
    ),
    "more rows than n": (["stability", *STRINGS, "--epsilon", "1", "--n", "20189"], "has 20190 rows, more than n = 20189"),
    "add-remove without n": (
        ["basic", *HEALTH, "--epsilon", "1", "--neighbours", "add-remove"],
        "--neighbours add-remove needs --n: the number of rows is not public then; accepted: a public bound of it",
    ),
    "add-remove of the paper's": (
        ["stability", *STRINGS, *ADDED, "30000", "--mechanism", "fast-sample"],
        "--neighbours add-remove needs --mechanism dyadic; fast-sample is for replace-one",
    ),
    "n of 0": (["basic", *HEALTH, "--epsilon", "1", "--n", "0"], "0 is not in the range"),
    "too much padding": (["stability", *STRINGS, "--epsilon", "1", "--n", "1000000000000"], "accepted: up to 100000000000"),
    "outside": (["basic", *FILE, "--universe", "good,fair", "--epsilon", "1"], "is outside of the universe"),
    "epsilon with a comma": (["basic", *HEALTH, "--epsilon", "0,1"], "is not of the form 'p/q'"),
    "epsilon of 0": (["basic", *HEALTH, "--epsilon", "0"], "epsilon = 0 is not positive"),
    "beta of 1": (["basic", *HEALTH, "--epsilon", "1", "--beta", "1"], "beta = 1 is out of range"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_input_is_one_line_and_nothing_is_written(name: str, tmp_path: Path) -> None:
    arguments, message = WRONG[name]
    result = run("release", *arguments, "--output", str(tmp_path / "out.json"))
    assert result.exit_code == 2
    assert len(result.output.splitlines()) == 1
    assert message in result.output
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("shape", sampled(["csv", "json", "parquet", "table"], 1))
def test_a_full_disk_is_named_and_leaves_what_was_there(shape: str, tmp_path: Path) -> None:
    """A limit on the size of files stands for the disk."""
    if shape == "parquet":
        pytest.importorskip("duckdb")
    rows, out = tmp_path / "rows.csv", tmp_path / "out"
    rows.write_text("x\n" + "".join(f"{i}\n" for i in range(20_000)))
    out.write_text("as it was")
    common = ["--input", str(rows), "--column", "x", "--universe", "0..19999", "--epsilon", "1", "--format", shape]
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, limits[1]))
    try:
        result = run("release", "basic", *common, "--output", str(out))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert result.exit_code == 2
    assert re.fullmatch(r"Error: [^:]*: File too large(, in the folder for temporary files)?\n", result.output)
    assert (str(out) in result.output) == (shape != "parquet")
    assert (out.read_text(), sorted(path.name for path in tmp_path.iterdir())) == ("as it was", ["out", "rows.csv"])


FORMULAS = [
    "=1",
    '=HYPERLINK("http://x","y")',
    "+1",
    "-1",
    "@SUM(1)",
    "\t=1",
    "\r=1",
    "\n=1",
    "\uff1d1",
    "\uff0b1",
    "\uff0d1",
    "\uff201",
]
HOSTILE = [*FORMULAS, *(f"{led}{label}" for led in ("'", "''", " ", "\ufeff", "\u200b") for label in FORMULAS)]
HOSTILE += [
    "",
    "'",
    "''",
    " ",
    "a",
    "'a",
    "a\rb,999,0,0",
    "plain",
    "with,comma",
    'with "quotes"',
    '"=1"',
    "two\nlines",
    "a;=1",
    "a\t=1",
    "1",
]
"""Texts that spreadsheets follow, or that break lines and cells, and what others might be written as."""


def written(form: str, folder: Path) -> tuple[list[list[str]], str]:
    """The rows of a release of the hostile labels, as Python reads them, and the text."""
    data, out = folder / "in.csv", folder / "out.csv"
    with data.open("w", newline="") as file:
        csv.writer(file, quoting=csv.QUOTE_ALL).writerows([["=x"], *([label] for label in HOSTILE for _ in range(60))])
    command = ["release", "stability", "--input", str(data), "--column", "=x", "--universe", "strings:40", "--epsilon", "3"]
    assert run(*command, "--delta", "1/1000", "--format", form, "--output", str(out)).exit_code == 0
    with out.open(newline="") as file:
        rows = list(csv.reader(file))
    assert [len(row) for row in rows] == [4] * (len(HOSTILE) + 1)
    return rows, out.read_bytes().decode()


def test_no_label_forges_a_row_of_a_csv_file(tmp_path: Path) -> None:
    """Neither by a bare carriage return, which some readers take for the end of a line, nor by quotes, commas or new lines."""
    rows, text = written("csv", tmp_path)
    assert {row[0] for row in rows[1:]} == set(HOSTILE)
    assert all(f'\n"{label}",' in text for label in ("+1", "-1", "@SUM(1)", "a\rb,999,0,0"))


def test_no_two_labels_are_one_in_a_spreadsheet_and_none_is_a_formula(tmp_path: Path) -> None:
    rows, text = written("spreadsheet", tmp_path)
    shown = [row[0] for row in rows]
    assert len(set(shown)) == len(shown)
    assert {label.removeprefix("'") for label in shown[1:]} == set(HOSTILE)
    assert all(label[:1].isalnum() or label[:1] in ("", "'") for label in shown)
    assert shown[0] == "'=x"
    quoted = (label.replace('"', '""') for label in shown)
    assert all(f'"{label}",' in text for label in quoted)  # a semicolon or a tab does not end the cell


@given(st.text())
def test_every_text_comes_back_from_what_a_spreadsheet_shows(text: str) -> None:
    shown = no_formula(text)
    assert shown.removeprefix("'") == text
    assert not shown or shown[0] == "'" or shown[0].isalnum()


def test_integers_are_no_formulas(tmp_path: Path) -> None:
    data = tmp_path / "in.csv"
    data.write_text("x\n" + "-3\n4\n" * 200)
    command = ["release", "basic", "--input", str(data), "--column", "x", "--universe=-3..4", "--epsilon", "2", "--format"]
    for form in ("csv", "spreadsheet"):
        assert [line.split(",")[0] for line in run(*command, form).output.splitlines()][1:] == [str(x) for x in range(-3, 5)]
