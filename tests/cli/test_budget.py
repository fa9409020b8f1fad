"""finitedp budget, and --budget at every command that releases something, as a user calls them."""

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from gmpy2 import mpq

from finitedp.budgets.budget import Budget
from finitedp.cli.main import main

RELEASES = {
    "basic": "release basic --universe 0..5 --epsilon 1/4",
    "fast-sample": "release basic --universe 0..5 --epsilon 1/4 --mechanism fast-sample",
    "stability": "release stability --universe 0..5 --epsilon 1/4 --delta 1/1000 --n 1000",
    "pure-sparse": "release pure-sparse --universe 0..99999 --epsilon 1/4 --n 1000",
    "sparse": "release sparse --universe 0..5000 --epsilon 1/4 --delta 1/1000",
    "compact": "release compact --universe 0..500 --epsilon 1/4",
    "statistic": "statistic max --universe 0..5 --epsilon 1/4 --delta 1/1000 --neighbours replace-one",
    "count": "count --equals 3 --epsilon 1/4 --n 1000 --neighbours replace-one",
    "total": "total --bounds 0..5 --epsilon 1/4 --n 1000 --neighbours replace-one",
    "anonymized": "release anonymized --n 90 --epsilon 1/4",
}


def run(line: str) -> Result:
    return CliRunner().invoke(main, line.split())


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "people.csv").write_text("age\n" + "3\n" * 40)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")
    return tmp_path


def made(epsilon: str, relation: str = "replace-one") -> None:
    result = run(f"budget new b --epsilon {epsilon} --delta 1/100 --neighbours {relation}")
    assert result.exit_code == 0, result.stderr


@pytest.mark.parametrize("kind", RELEASES)
def test_every_command_that_releases_is_charged_or_refused(folder: Path, kind: str) -> None:
    made("2/5", "add-remove" if kind == "anonymized" else "replace-one")
    line = f"{RELEASES[kind]} --input people.csv --column age --budget b"
    first, second = run(line), run(line)
    assert first.exit_code == 0, first.stderr
    assert (second.exit_code, second.stdout) == (2, "")
    assert "does not fit: 3/20 (0.15) of 2/5 (0.4) is left; nothing was charged" in second.stderr
    assert [x.epsilon for x in Budget.open(folder / "b").charges] == [mpq(1, 4)]


@pytest.mark.parametrize("kind", RELEASES)
def test_nothing_of_a_seed_is_charged(folder: Path, kind: str) -> None:
    made("2", "add-remove" if kind == "anonymized" else "replace-one")
    result = run(f"{RELEASES[kind]} --input people.csv --column age --budget b --insecure-seed 1")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "from a seed are not private" in result.stderr
    assert Budget.open(folder / "b").charges == ()


def test_every_command_that_releases_is_among_them() -> None:
    kinds = re.findall(r"^  (\S+)", run("release --help").stdout.split("Commands:")[1], re.MULTILINE)
    assert {*kinds, "fast-sample", "statistic", "count", "total"} == set(RELEASES)


def test_new_show_and_check(folder: Path) -> None:
    made("1")
    assert "epsilon 1 of 1 and delta 1/100 (0.01) of 1/100 (0.01) left, 0 charges" in run("budget show b").stdout
    run(f"{RELEASES['fast-sample']} --input people.csv --column age --budget b")
    shown = run("budget show b")
    assert "histogram of age" in shown.stdout
    document = json.loads(run("budget show b --json").stdout)
    assert document["left"] == {"epsilon": "3/4", "delta": "1/100"}
    assert [(x["epsilon"], x["claim"]["source"]) for x in document["charges"]] == [("1/4", "BV.Thm5.3.i")]
    assert run("budget check b").exit_code == 0
    file = folder / "b"
    file.write_bytes(file.read_bytes()[:-9])
    torn = run("budget check b")
    assert torn.exit_code == 1
    assert "1: a line that was torn while it was written; it counts as charged" in torn.stdout


def test_slots(folder: Path) -> None:
    result = run("budget new s --slot 1/4*2 --slot 1/8,1/1000000")
    assert result.stdout == "Budget(replace-one): 3 of 3 slots left, 0 charges.\n"
    lines = [run(f"{RELEASES['fast-sample']} --input people.csv --column age --budget s") for _ in range(3)]
    assert [x.exit_code for x in lines] == [0, 0, 2]
    assert "none of the slots that cover it is free" in lines[2].stderr
    shown = run("budget show s --at-delta 1/1000000")
    low, high = re.findall(r"epsilon ([\d.]+) to ([\d.]+) at delta", shown.stdout)[0]
    assert 0.6 < float(low) <= float(high) < 0.626
    document = json.loads(run("budget show s --json --at-delta 1/1000000").stdout)
    assert document["slots"] == [{"declared": 2, "free": 0}, {"declared": 1, "free": 1}]
    assert run("budget check s").exit_code == 0


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("budget new b --epsilon 1", "b: File exists"),
        ("budget new other --epsilon -1", "epsilon = -1 is negative"),
        ("budget new other --epsilon 1 --delta 2", "delta"),
        ("budget new nowhere/b --epsilon 1", "No such file"),
        ("budget new other", "epsilon is missing"),
        ("budget new other --slot 1/4*0", "how often"),
        ("budget new other --slot 1/4*2*3", "EPSILON[,DELTA][*TIMES]"),
        ("budget new other --slot x", "epsilon = 'x'"),
        ("budget new other --slot 1/4 --epsilon 1", "without --epsilon"),
        ("budget show b --at-delta 1/9", "no slots"),
        ("budget show missing", "missing: No such file"),
        ("budget show people.csv", "no budget"),
        ("budget check people.csv", "no budget"),
        ("release basic --input people.csv --column age --universe 0..5 --epsilon 1 --budget people.csv", "no budget"),
        ("release basic --input people.csv --column age --universe 0..5 --epsilon 1 --budget missing", "budget new"),
    ],
)
def test_wrong_input(folder: Path, line: str, says: str) -> None:
    made("1")
    result = run(line)
    assert (result.exit_code, result.stdout) == (2, "")
    assert says in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert (folder / "b").read_bytes().count(b"\n") == 1
