"""finitedp hunt, as a user calls it."""

import json
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from attrs import evolve
from click.testing import CliRunner, Result
from gmpy2 import mpq

from finitedp.cli import hunt as cli_hunt
from finitedp.cli.face import Face
from finitedp.cli.hunt import hunt
from finitedp.proofs_check.claims import entries, find
from finitedp.proofs_check.claims.gk.subjects import Single
from finitedp.proofs_check.hunting.results import merged, recorded
from finitedp.proofs_check.hunting.told import Told, from_document
from finitedp.proofs_check.hunting.words import hunt_in_full
from finitedp.proofs_check.ledger.atoms import check_of_one

FALSE = Told(
    "GK.Lem27", True, (4, 4), "0.5", 70, 3, load="2", largest="Single()", false_at="Single(h=(9,))", says="2 of 1 allowed"
)
INFERRED = Told("GK.f", False, tried=9, load="0.9", rising=True, false_at="mpq(1,5)", says="above", reached={"n": "96"})
HUNG = Told("GK.Eq11", True, tried=2, load="0.25", hung_at="Single(h=(5,))", raised={"ValueError: odd": "Single()"})
GOOD = Told("GK.Eq12", True, (3, 3), "0.93", 1_000, load="0.93", reached={"n": "96", "m": "3"})


def run(*arguments: str) -> Result:
    face = click.group(cls=Face)(lambda: None)
    face.add_command(hunt)
    return CliRunner().invoke(face, ["hunt", *arguments], catch_exceptions=False)


@pytest.fixture
def finding(monkeypatch: pytest.MonkeyPatch) -> None:
    def found(*_arguments: object) -> Iterator[Told]:
        yield from (HUNG, FALSE, INFERRED, GOOD)

    monkeypatch.setattr(cli_hunt, "hunt_all", found)
    monkeypatch.setenv("COLUMNS", "80")


@pytest.mark.parametrize("seconds", ["0", "-1", "nan", "inf"])
def test_seconds_are_above_0(seconds: str) -> None:
    result = run("GK.f", "--seconds", seconds)
    assert (result.exit_code, "a number above 0" in result.stderr) == (2, True)


def test_a_pattern_that_matches_nothing_and_a_number_that_is_none() -> None:
    assert (run("GK.Nothing").exit_code, run("--seconds", "long").exit_code, run("--jobs", "0").exit_code) == (2, 2, 2)


@pytest.mark.usefixtures("finding")
def test_what_is_told_of_each_claim() -> None:
    result = run("GK.Lem27", "GK.f", "GK.Eq1*")
    assert result.exit_code == 1
    lines = result.output.splitlines()
    assert max(map(len, lines)) <= 80
    (row,) = (line for line in lines if "│ GK.Lem27 " in line)
    assert [cell.strip() for cell in row.strip("│").split("│")] == ["GK.Lem27", "70", "0.5", "2", "FALSE"]
    assert "counterexample  Single(h=(9,))" in result.output
    assert "the check says  2 of 1 allowed" in result.output
    assert result.output.count("to be read: the scope is inferred") == 1
    assert "stopped at      Single(h=(5,))" in result.output
    assert "ValueError: odd, at Single()" in result.output


@pytest.mark.usefixtures("finding")
def test_json_holds_all_of_it_and_what_was_left_out() -> None:
    document = json.loads(run("GK.*", "--json", "--seed", "7").stdout)
    assert (document["seed"], document["counterexamples"]) == (7, 2)
    assert {from_document(one).id for one in document["claims"]} == {"GK.Lem27", "GK.f", "GK.Eq11", "GK.Eq12"}
    assert document["left_out"]["refuted already"] == sum(e.expects == "refuted" for e in find("GK.*"))


@pytest.mark.usefixtures("finding")
def test_interrupted_it_says_what_it_had_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_arguments: object) -> Iterator[Told]:
        yield GOOD
        raise KeyboardInterrupt

    monkeypatch.setattr(cli_hunt, "hunt_all", interrupted)
    result = run("GK.Eq1*")
    assert result.exit_code == 130
    assert "1 of 3 claims hunted" in " ".join(result.output.split())


def test_what_is_recorded_is_of_the_statement_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "results.json"
    for one, seconds, seed in ((GOOD, 10, 1), (HUNG, 10, 1), (FALSE, 10, 1), (FALSE, 60, 2)):
        file.write_text(merged(one, entries(), seconds, seed, file))
    good, false = entries()["GK.Eq12"], entries()["GK.Lem27"]
    known = recorded([good, false], file)
    assert hunt_in_full(known["GK.Eq12"]) == (
        "hunted to n = 96, m = 3: 0.93, not rising from 0.93 on the grid (1000 instances in 10 s, seed 1)"
    )
    assert hunt_in_full(known["GK.Lem27"]) == "the hunt found a counterexample: Single(h=(9,)) (70 instances in 60 s, seed 2)"
    assert recorded([evolve(good, statement="another")], file) == {}


@pytest.mark.usefixtures("finding")
def test_record_keeps_it_in_a_file_in_the_order_of_the_ledger(tmp_path: Path) -> None:
    file = tmp_path / "found.json"
    run("GK.*", "--record", str(file))
    assert list(json.loads(file.read_text())) == ["GK.f", "GK.Eq12", "GK.Eq11", "GK.Lem27"]


@pytest.mark.usefixtures("finding")
@pytest.mark.parametrize("text", ["", "[]", '{"GK.Eq12": 1}', '{"GK.Eq12": {}}', "\0"])
def test_what_is_no_record_is_neither_read_nor_overwritten(text: str, tmp_path: Path) -> None:
    file = tmp_path / "other.json"
    file.write_text(text)
    for option in ("--record", "--replay"):
        result = run("GK.*", option, str(file))
        assert (result.exit_code, file.read_text()) == (2, text)
        assert "a file that `finitedp hunt --record` wrote" in result.stderr


def test_replay_decides_the_kept_instances_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cli_hunt, "hunt_all", lambda *_arguments: iter(()))
    file = tmp_path / "found.json"
    kept = Told("GK.Eq12", True, load="1", instance={"h": [4, *[1] * 8], "targets": [11, 1, 1], "more": 1})
    file.write_text(merged(kept, entries(), 10, 1, file))
    result = run("GK.Eq12", "--replay", str(file), "--json")
    [told] = json.loads(result.stdout)
    entry = entries()["GK.Eq12"]
    found = check_of_one(entry.check)(entry.subject, Single((4, *[1] * 8), (11, 1, 1)))
    assert told == {"id": "GK.Eq12", "load": "1", "verdict": "holds", "the check says": found.detail}
    assert (found.load, result.exit_code) == (mpq(1), 0)
    printed = entries()["GK.Eq12.literal"].subject
    monkeypatch.setattr(cli_hunt, "chosen_by", lambda _patterns: [evolve(entry, subject=printed)])
    assert run("GK.Eq12", "--replay", str(file)).exit_code == 1


@pytest.mark.parametrize(
    ("instance", "verdict", "code"),
    [
        ({"h": [1], "targets": [2], "more": 1}, "out of scope", 0),
        ({"h": [1], "targets": [1], "more": 0}, "out of scope", 0),
        ({"h": [1], "targets": 1, "more": 1}, "raised", 1),
        ({"h": [1]}, "raised", 1),
    ],
)
def test_replay_goes_on_where_an_instance_is_none(instance: object, verdict: str, code: int, tmp_path: Path) -> None:
    file = tmp_path / "found.json"
    file.write_text(merged(Told("GK.Eq12", instance=instance), entries(), 10, 1, file))
    result = run("GK.Eq12", "--replay", str(file), "--json")
    assert ([told["verdict"] for told in json.loads(result.stdout)], result.exit_code) == ([verdict], code)


@pytest.mark.deep
def test_a_true_claim_from_end_to_end() -> None:
    result = run("GK.Alg7", "--seconds", "1", "--jobs", "2")
    assert result.exit_code == 0
    assert "2 of 2 claims hunted" in result.output
