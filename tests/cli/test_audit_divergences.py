"""Claims of Renyi divergences, of zCDP and of several runs: in a file, on the command line, in a report and in a mark."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from finitedp.cli.main import main
from finitedp.errors import DataError, FinitedpError, ParameterError
from finitedp.proofs_check import checker
from finitedp.proofs_check.audit.description import read_descriptions
from finitedp.pytest_audits import request_of

CODE = """
def response(rows, rng):
    return rows[0] if rng.random() < 0.75 else 1 - rows[0]


def many(rows, rng):
    return (rows[0] * 5 + rng.randrange(3)) % 7 if rng.randrange(11) else rng.randrange(7)
"""
BITS = ("--neighbours", "replace-one", "--universe", "0,1", "--n", "1")


def response(rows: Any, rng: Any) -> int:
    return int(rows[0] if rng.random() < 0.75 else 1 - rows[0])


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "m.py").write_text(CODE)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def described(folder: Path, claim: str) -> Path:
    file = folder / "a.toml"
    file.write_text(f'mechanism = "m.py:response"\nuniverse = [0, 1]\nn = 1\n[claim]\nneighbours = "replace-one"\n{claim}\n')
    return file


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["audit", *arguments], env={"COLUMNS": "200"})


def test_a_file_claims_divergences_of_several_runs(folder: Path) -> None:
    file = described(folder, 'renyi = { order = "5/2", epsilon = "1.9" }\nzcdp = "1.11"\ncompose = 2')
    done = run(str(file), "--certificates", "out", "--html", "report.html")
    assert done.exit_code == 0, done.output
    words = " ".join(done.output.replace("│", " ").split())
    assert "(5/2, 19/10)-Renyi differential privacy, replace-one, 111/100-zCDP, 2 runs on the same data together" in words
    assert "The Renyi claim HOLDS: the largest divergence of order 5/2 is in [1.8300086" in words
    assert "The zCDP claim HOLDS: the least rho is in [1.0986122" in words
    assert "needed as the order goes to 1; claimed: at most 111/100." in words
    assert "No epsilon was claimed." in words
    document = json.loads((folder / "out" / "a.json").read_text())
    assert checker.check(document) is None
    assert document["claim"]["compose"] == document["version"] - 2 == 2
    page = (folder / "report.html").read_text()
    assert "1 Renyi claim holds; 1 zCDP claim holds" in page
    assert "privacy claim" not in done.output.split("report.html:")[1]


@pytest.mark.parametrize(
    ("claim", "code", "verdicts"),
    [
        ("--renyi 2,0.85", 0, ("holds", "not claimed")),
        ("--renyi 2,0.84", 1, ("fails", "not claimed")),
        ("--zcdp 0.55", 0, ("not claimed", "holds")),
        ("--zcdp 0.549", 1, ("not claimed", "fails")),
        ("--renyi 2,0.85 --zcdp 0.549", 1, ("holds", "fails")),
        ("--epsilon 1.1 --renyi 2,0.85 --zcdp 0.55", 0, ("holds", "holds")),
        ("--epsilon 1 --zcdp 0.55", 1, ("not claimed", "holds")),
        ("--compose 3 --zcdp 1.65", 0, ("not claimed", "holds")),
        ("--compose 3 --zcdp 1.64", 1, ("not claimed", "fails")),
    ],
)
def test_options_claim_them(folder: Path, claim: str, code: int, verdicts: tuple[str, str]) -> None:
    done = run("m.py:response", *claim.split(), *BITS, "--json", "--sarif", "problems.sarif")
    assert done.exit_code == code
    document = json.loads(done.stdout)["certificates"][0]
    assert (document["verdicts"]["renyi"], document["verdicts"]["zcdp"]) == verdicts
    rules = [found["ruleId"] for found in json.loads((folder / "problems.sarif").read_text())["runs"][0]["results"]]
    assert rules == ["divergence-fails" if "fails" in verdicts else "privacy-fails"][: len(rules)]
    assert len(rules) == code


@pytest.mark.parametrize(("claim", "verdict"), [("ln 27", "holds"), ("ln 26", "fails")])
def test_several_runs_are_as_private_as_claimed_together(folder: Path, claim: str, verdict: str) -> None:
    done = run("m.py:response", "--epsilon", claim, "--compose", "3", *BITS, "--json")
    document = json.loads(done.stdout)["certificates"][0]
    assert (document["verdicts"]["private"], document["worst_ratio"]) == (verdict, "27")
    assert document["witness"]["event"] == ["27:1"]
    assert (folder / "m.py").exists()


BAD = [
    ("--zcdp -1", "zcdp = -1 is negative; accepted: a rational of at least 0"),
    ("--zcdp 1/2 --delta 1/2", "delta is claimed without epsilon; accepted: both, or neither beside renyi or zcdp"),
    ("--renyi 2", "--renyi '2' is not of the form ORDER,EPSILON, such as 2,1/2"),
    ("--renyi 1,1", "order = 1 is out of range; accepted: a rational above 1"),
    ("--renyi 2,-1", "epsilon = -1 is negative; accepted: a rational of at least 0"),
    ("--renyi 2,x", "epsilon = 'x' is not of the form 'p/q' with integers p and q, nor a decimal"),
    ("--compose 2", "needs --epsilon; for example:"),
    ("--compose 0 --zcdp 1", "0 is not in the range x>=1"),
    ("--compose 3000000 --zcdp 1", "compose = 3000000 is out of range; accepted: an integer from 1 to 1000000"),
    ("--compose 100000 --zcdp 1", "accepted: a smaller compose, or one run with the divergence claimed"),
]


@pytest.mark.parametrize(("claim", "message"), BAD, ids=[claim for claim, _ in BAD])
def test_what_is_wrong_is_said_in_one_line(folder: Path, claim: str, message: str) -> None:
    done = run("m.py:response", *claim.split(), *BITS)
    assert done.exit_code == 2
    assert message in done.output
    assert (folder / "m.py").exists()


@pytest.mark.parametrize(
    ("claim", "message"),
    [
        ("zcdp = 0.5", "a float is refused: write it as text, '0.5'"),
        ("renyi = { order = 2 }", "claim.renyi: 'epsilon' is a required property"),
        ("compose = 2", "epsilon is missing; accepted: epsilon, renyi or zcdp"),
        ('epsilon = "1"\ncompose = 0', "claim.compose: 0 is less than the minimum of 1"),
        ('ratio = 3\nzcdp = "1"', "ratio is claimed without epsilon"),
    ],
)
def test_what_is_wrong_in_a_file_is_named(folder: Path, claim: str, message: str) -> None:
    with pytest.raises(DataError, match=r"a\.toml") as caught:
        read_descriptions(described(folder, claim))
    assert message in str(caught.value)


def test_of_a_command_no_divergence_is_sampled(folder: Path) -> None:
    file = described(folder, 'zcdp = "1"')
    file.write_text(file.read_text().replace('mechanism = "m.py:response"', 'command = ["true"]'))
    with pytest.raises(DataError, match="no divergence and no composition is sampled; accepted: epsilon, delta"):
        read_descriptions(file)[0].sample()


# The plugin's marks


MARK = {"neighbours": "replace-one", "universe": [0, 1], "n": 1}


@pytest.mark.parametrize("renyi", [(2, "0.85"), {"order": 2, "epsilon": "0.85"}, ("5/2", "1")])
def test_a_mark_claims_a_divergence(renyi: Any) -> None:
    done = request_of({**MARK, "renyi": renyi}).run(response)
    assert done.complaint == ""
    assert done.properties["renyi"] == "holds"


def test_a_mark_that_fails_says_by_how_much_and_the_smallest_inputs() -> None:
    done = request_of({**MARK, "n": 2, "zcdp": "1/2", "compose": 2}).run(response)
    assert done.complaint.startswith("finitedp: The zCDP claim FAILS: the least rho is in [1.0986122")
    assert "claim: 1/2-zCDP, replace-one, 2 runs on the same data together; n = 2" in done.complaint
    assert "smallest: n = 1, universe [0, 1]" in done.complaint
    assert done.properties["decides"].startswith("rho in [1.0986122")


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({}, "epsilon is missing"),
        ({"renyi": 2}, "renyi = 2 cannot be used; accepted: an order above 1 and an epsilon"),
        ({"renyi": {"order": 2}}, "cannot be used"),
        ({"zcdp": 0.5}, "is a float"),
        ({"epsilon": 1, "compose": "2"}, "compose = '2' is not an integer"),
    ],
)
def test_a_mark_that_is_wrong_is_refused(fields: Any, message: str) -> None:
    with pytest.raises(FinitedpError, match=message) as caught:
        request_of({**MARK, **fields})
    assert isinstance(caught.value, ParameterError)
