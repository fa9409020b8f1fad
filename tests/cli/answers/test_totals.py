"""finitedp count and finitedp total: what they print, their document, and one line for each input that they refuse."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from finitedp.cli.main import main
from finitedp.data.noisy_number import NoisyNumber


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "people.csv"
    path.write_text("age,sex\n" + "30,f\n" * 50 + "200,m\n" * 20)
    return path


def run(command: str, file: Path, *arguments: str) -> Result:
    given = ["--input", str(file), "--epsilon", "1000", *arguments]
    return CliRunner().invoke(main, [command, *given], catch_exceptions=False)


def test_a_total(file: Path) -> None:
    result = run("total", file, "--column", "age", "--bounds", "0..100", "--n", "1000", "--step", "1")
    assert result.exit_code == 0
    first, second = result.stdout.splitlines()
    assert first.startswith("total of age: 3500, error bar ")
    assert second.startswith("(1000, 0)-differentially private (add-remove, n = 1000); an error bar fails")


def test_counts(file: Path) -> None:
    assert "rows: 70," in run("count", file, "--column", "age", "--n", "1000").stdout
    assert "rows where sex = 'm': 20," in run("count", file, "--column", "sex", "--equals", "m", "--n", "1000").stdout


@pytest.mark.parametrize(("column", "equals", "found"), [("held", "true", 2), ("age", "30", 1), ("age", "x", None)])
def test_a_parquet_file(tmp_path: Path, column: str, equals: str, found: int | None) -> None:
    polars = pytest.importorskip("polars")
    path = tmp_path / "people.parquet"
    polars.DataFrame({"held": [True, True, None], "age": [30, 7, None]}).write_parquet(path)
    result = run("count", path, "--column", column, "--equals", equals, "--n", "9", "--drop-nulls")
    assert (result.exit_code, f": {found}," in result.stdout) == ((0, True) if found else (2, False))
    assert "total of age: 37," in run("total", path, "--column", "age", "--bounds", "0..99", "--n", "9", "--drop-nulls").stdout


def test_the_document_is_read_again(file: Path, tmp_path: Path) -> None:
    output = tmp_path / "total.json"
    assert run("total", file, "--column", "age", "--bounds", "0..100", "--n", "99", "--output", str(output)).exit_code == 0
    assert NoisyNumber.from_json(output.read_text()).mechanism.high == 100
    shown = run("count", file, "--column", "age", "--n", "99", "--json", "--insecure-seed", "1")
    assert json.loads(shown.stdout)["private"] is False
    assert "NOT PRIVATE" in shown.stderr


def test_it_is_charged(file: Path, tmp_path: Path) -> None:
    budget = tmp_path / "budget"
    CliRunner().invoke(main, ["budget", "new", str(budget), "--epsilon", "1000", "--neighbours", "add-remove"])
    assert run("count", file, "--column", "age", "--n", "99", "--budget", str(budget)).exit_code == 0
    refused = run("count", file, "--column", "age", "--n", "99", "--budget", str(budget))
    assert refused.exit_code != 0


TOTAL = ("--column", "age", "--bounds", "0..9", "--n", "99")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("total", *TOTAL[:4]), "--n is missing"),
        (("total", "--column", "age", "--bounds", "9..0", "--n", "99"), "out of order"),
        (("total", "--column", "age", "--bounds", "9", "--n", "99"), "are not LOW..HIGH"),
        (("total", "--column", "agee", *TOTAL[2:]), "no column 'agee'"),
        (("total", "--column", "sex", *TOTAL[2:]), "'f' is not an integer"),
        (("total", *TOTAL, "--step", "99"), "step = 99 is above 9"),
        (("total", *TOTAL, "--drop-nulls"), "has no nulls"),
        (("total", *TOTAL, "--bits-from", "os", "--insecure-seed", "1"), "contradict"),
        (("count", "--column", "age", "--neighbours", "replace-one"), "public with replace-one"),
    ],
)
def test_what_is_refused(file: Path, arguments: tuple[str, ...], message: str) -> None:
    result = run(arguments[0], file, *arguments[1:])
    assert result.exit_code == 2
    assert message in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1
