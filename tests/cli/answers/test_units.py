"""finitedp statistic, count and total with a unit: what they say, charge and refuse."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from finitedp import Budget, NoisyNumber
from finitedp.cli.main import main
from finitedp.units import Unit

polars = pytest.importorskip("polars")
pytest.importorskip("duckdb")

STAYS = [(i // 3, (7 * i) % 31) for i in range(900)]


@pytest.fixture(params=["csv", "parquet"])
def file(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    path = tmp_path / f"stays.{request.param}"
    frame = polars.DataFrame({"who": [f"p{u}" for u, _ in STAYS], "stay": [x for _, x in STAYS]})
    frame.write_csv(path) if request.param == "csv" else frame.write_parquet(path)
    return path


def run(file: Path, command: str, *more: str) -> Result:
    given = (*command.split(), "--input", str(file), "--epsilon", "40", "--unit", "who", *more)
    return CliRunner().invoke(main, given, catch_exceptions=False)


FLEXIBLE = "--column stay --universe 0..30 --delta 1/1000"


@pytest.mark.parametrize(
    ("command", "value", "unit"),
    [
        (f"statistic max {FLEXIBLE}", "30", Unit("who", max_rows=1)),
        (f"statistic min {FLEXIBLE}", "0", Unit("who", max_rows=1)),
        (f"statistic range {FLEXIBLE}", "30", Unit("who", max_rows=2)),
        (f"statistic mode {FLEXIBLE} --max-rows 2", None, Unit("who", max_rows=2)),
        ("count --n 900", "300", Unit("who", max_rows=1)),
        ("count --n 900 --max-rows 2", "600", Unit("who", max_rows=2)),
        ("count --n 900 --column stay --equals 7", str(len({u for u, x in STAYS if x == 7})), Unit("who", max_rows=1)),
        ("total --column stay --bounds 0..20 --n 300", None, Unit("who", max_rows=1)),
        ("total --column stay --bounds 0..20 --n 900 --max-rows 2", None, Unit("who", max_rows=2)),
    ],
)
def test_answers_of_units(file: Path, command: str, value: str | None, unit: Unit) -> None:
    found = run(file, command, "--json")
    document = json.loads(found.stdout)
    assert document["claim"]["unit"] == unit.as_json()
    if value is not None:
        assert document["value"] == value
    if not command.startswith("statistic"):
        assert NoisyNumber.from_json(found.stdout).as_json() == {k: v for k, v in document.items() if k != "finitedp"}
    assert "whole who" in run(file, command).stdout


def test_a_budget_says_what_was_released(file: Path, tmp_path: Path) -> None:
    path = tmp_path / "budget"
    Budget.new(path, 200, "1/100", neighbours="add-remove", unit="who")
    for command in (f"statistic max {FLEXIBLE}", "count --n 900", "total --column stay --bounds 0..20 --n 300"):
        assert run(file, command, "--budget", str(path)).exit_code == 0
    with Budget.open(path) as budget:
        assert [charge.release for charge in budget.charges] == [
            "max of stay",
            "count of units (who)",
            "total of stay, of a whole who in 0..20",
        ]


@pytest.mark.parametrize(
    ("command", "text"),
    [
        (f"statistic max {FLEXIBLE} --max-rows 2", "accepted: unit without bounds"),
        (f"statistic mode {FLEXIBLE}", "accepted: --max-rows, or both --max-labels and --max-rows-per-label"),
        (f"statistic mode {FLEXIBLE} --max-rows 2 --bounded", "more than --max-rows = 2"),
        (f"statistic separator {FLEXIBLE} --labels who --classes a,b", "a separator does not take a unit"),
        ("statistic max --universe 0..30 --delta 1/1000", "--column is missing"),
        ("count", "--n is missing"),
        ("count --n 9 --neighbours replace-one", "the number of all units is public"),
        ("total --bounds 0..9 --n 9", "--column is missing"),
        ("total --column who --bounds 0..9 --n 9", "column and unit are both 'who'"),
    ],
)
def test_what_is_refused(file: Path, command: str, text: str) -> None:
    found = run(file, command)
    assert (found.exit_code, found.stdout) == (2, "")
    assert text in " ".join(found.stderr.split())
