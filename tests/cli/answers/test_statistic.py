"""finitedp statistic: what it prints, its document, and one line for each input that it refuses."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from finitedp.cli.main import main
from finitedp.data.statistics import ON_THE_LINE, prepared
from finitedp.proofs_check.flexible_certificate import recheck


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "visits.csv"
    path.write_text("visits\n" + "0\n" * 500 + "3\n" * 200 + "9\n")
    return path


def run(file: Path, *arguments: str) -> Result:
    given = ["--input", str(file), "--column", "visits", "--universe", "0..9", "--epsilon", "1", "--delta", "1/1000"]
    kept = [given[i : i + 2] for i in range(0, len(given), 2) if given[i] not in arguments]
    return CliRunner().invoke(main, ["statistic", *arguments, *(x for pair in kept for x in pair)], catch_exceptions=False)


def test_the_answer_and_both_claims(file: Path) -> None:
    result = run(file, "max")
    dropped = prepared("max", (0, 9), 1, "1/1000").accuracy().dropped
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[0] in ("max of visits: 3", "max of visits: 9")
    assert "differentially private: a row more or less (FD.Shifted.private)." in lines[1]
    assert lines[2] == f"As if at most {dropped} of the rows had been left out, and then exactly. (FD.Shifted.extreme)"
    assert lines[3] == f"Of {dropped} rows or fewer the answer may be 0, whatever they are."
    assert "64 random bits a bar, from operating system" in lines[4]


@pytest.mark.parametrize("name", ON_THE_LINE)
def test_every_statistic(file: Path, name: str) -> None:
    more = {"max-k": ["--k", "2"], "quantile": ["--p", "9/10"]}.get(name, [])
    result = run(file, name, *more, "--json", "--insecure-seed", "1")
    assert result.exit_code == 0
    document = json.loads(result.stdout)
    assert document["statistic"] == name
    assert document["private"] is False
    assert document["claim"] is None
    assert "NOT PRIVATE" in result.stderr


def test_gamma_and_drop(file: Path) -> None:
    likely = run(file, "max", "--gamma", "1/100").stdout
    assert "except with probability 1/100" in likely
    assert "except with probability" in run(file, "max", "--drop", "20").stdout
    assert "within 1," in run(file, "max", "--beta", "1", "--gamma", "1/100").stdout


def test_a_file(file: Path, tmp_path: Path) -> None:
    output = tmp_path / "answer.json"
    assert run(file, "median", "--output", str(output)).exit_code == 0
    document = json.loads(output.read_text())
    assert document["format"] == "finitedp statistic"
    assert document["private"] is True
    assert document["value"] == "0"


@pytest.fixture
def labelled(tmp_path: Path) -> Path:
    path = tmp_path / "labelled.csv"
    path.write_text("smokes,visits\n" + "no,2\n" * 400 + "yes,5\n" * 400 + "no,0\n" * 400)
    return path


SEPARATOR = ["separator", "--labels", "smokes", "--classes", "no,yes"]


def test_a_separator_of_two_labels(labelled: Path) -> None:
    """The last no is at 2 and the first yes at 5: no bar can lose so many rows."""
    result = run(labelled, *SEPARATOR)
    assert result.exit_code == 0
    dropped = prepared("separator", (0, 9), 1, "1/1000").accuracy().dropped
    lines = result.stdout.splitlines()
    assert lines[0] == "separator of visits: 3.5"
    assert lines[2].startswith(f"As if at most {dropped} of the rows had been left out")
    assert "of each of 20 bars" in lines[4]
    assert run(labelled, "separator", "--labels", "smokes", "--classes", "yes,no").stdout.startswith(
        "separator of visits: 2.5"
    )
    assert run(labelled, *SEPARATOR, "--first", "400").stdout.startswith("separator of visits: 0")  # no row is +


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["separator"], "needs --labels and --classes"),
        (["separator", "--labels", "smokes"], "needs --labels and --classes"),
        (["max", "--labels", "smokes", "--classes", "no,yes"], "which no other statistic has"),
        (["separator", "--labels", "smokes", "--classes", "no"], "accepted: MINUS,PLUS"),
        (["separator", "--labels", "smokes", "--classes", "no,no"], "accepted: MINUS,PLUS"),
        (["separator", "--labels", "smokes", "--classes", "no,maybe"], "'yes' is outside of the universe no,maybe"),
        (["separator", "--labels", "drinks", "--classes", "no,yes"], "no column 'drinks'"),
        (["separator", "--labels", "visits", "--classes", "no,yes"], "accepted: two columns"),
        ([*SEPARATOR, "--universe", "0..3"], "5 is outside of the universe 0..3"),
        ([*SEPARATOR, "--first", "5000"], "fewer than the first 5000"),
        ([*SEPARATOR, "--input", "x.parquet"], "accepted: a CSV file"),
    ],
)
def test_what_a_separator_refuses(labelled: Path, arguments: list[str], message: str) -> None:
    result = run(labelled, *arguments)
    assert result.exit_code == 2
    assert message in result.stderr.strip().splitlines()[-1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["max", "--epsilon", "0.5.1"], "is not of the form 'p/q'"),
        (["max", "--delta", f"1/{2**70}"], "accepted: word = 128"),
        (["max", "--delta", "0"], "delta = 0"),
        (["max", "--universe", "a,b"], "has no order, which max needs"),
        (["max", "--universe", "0..5"], "9 is outside of the universe"),
        (["max", "--universe", "5..0"], "is empty"),
        (["max", "--beta", "1/4"], "half a step"),
        (["max", "--column", "age"], "no column 'age'"),
        (["mode", "--beta", "2"], "accepted: beta = 0"),
        (["max-k"], "k with max-k alone"),
        (["max", "--p", "1/2"], "p with quantile alone"),
        (["max", "--gamma", "0", "--drop", "1"], "accepted: one of them"),
        (["max", "--insecure-seed", "1", "--bits-from", "os"], "contradict"),
        (["maximum"], "is not one of"),
    ],
)
def test_refusals_are_one_line(file: Path, arguments: list[str], message: str) -> None:
    result = run(file, *arguments)
    assert result.exit_code == 2
    last = result.stderr.strip().splitlines()[-1]
    assert last.startswith("Error: ")
    assert message in last


def test_few_rows_are_said_to_whoever_runs_it(file: Path) -> None:
    assert run(file, "max").stderr == ""
    few = run(file, "max", "--first", "5")
    assert "no more rows than may be left out" in few.stderr
    assert "left out" not in few.stdout.replace("had been left out", "")


def test_the_table_is_a_certificate(file: Path, tmp_path: Path) -> None:
    table = tmp_path / "table.json"
    assert run(file, "max", "--table", str(table)).exit_code == 0
    assert recheck(json.loads(table.read_text())) is None
    assert CliRunner().invoke(main, ["check", str(table)]).exit_code == 0


def test_no_rows(tmp_path: Path) -> None:
    empty = tmp_path / "empty.csv"
    empty.write_text("visits\n")
    result = run(empty, "max")
    assert result.exit_code == 0, result.output
    assert result.stdout.splitlines()[0] == "max of visits: 0"
    assert "no more rows than may be left out" in result.stderr
    (tmp_path / "pairs.csv").write_text("visits,label\n")
    both = run(tmp_path / "pairs.csv", "separator", "--labels", "label", "--classes", "-,+")
    assert (both.exit_code, both.stdout.splitlines()[0]) == (0, "separator of visits: 0")


def test_the_input_is_not_overwritten(file: Path) -> None:
    assert "which would be lost" in run(file, "max", "--output", str(file)).stderr


def test_laws_and_privacy_of_the_registry() -> None:
    """For datasets that differ by a row more: the delta of the table is attained, by the definition and the running code."""
    options = "--n 4 --labels 2 --q 3 --epsilon 1 --word 6".split()
    for name in ("shifted-truncated", "flexible-max"):
        for more in ([], ["--running"]):
            result = CliRunner().invoke(main, ["privacy", name, *options, *more, "--json"])
            assert result.exit_code == 0, result.output
            document = json.loads(result.stdout)
            assert document["claim"]["delta"] == "7/32"
            assert document["claim"]["neighbours"] == "add-remove"
            assert (document["holds"], document["tight"]) == (True, True)
    law = CliRunner().invoke(main, ["law", "flexible-max", *options, "--counts", "1,2", "--json"])
    assert json.loads(law.stdout)["law"] == [{"output": "x1", "probability": "7/32"}, {"output": "x2", "probability": "25/32"}]


def test_one_label_has_neighbours_where_rows_are_added() -> None:
    options = "--n 3 --labels 1 --q 2 --epsilon 1 --word 6 --json".split()
    document = json.loads(CliRunner().invoke(main, ["privacy", "shifted-truncated", *options]).stdout)
    assert document["pairs"] == 6
