"""Entries that are proved: what a twin is, statements evaluated without the checker, and checks that would be blind."""

import json
from typing import Any

import pytest
from click.testing import CliRunner, Result

from finitedp.cli.main import main
from finitedp.proofs_check.claims import entries, find
from finitedp.proofs_check.ledger.proofs import OBJECTS, Edit, Named, Restated, false_at, proves, read, rechecked

PROVED = [entry for entry in entries().values() if entry.proof]
COMPOSITION = Named("composition", "FD.ReplaceOne.all")
NUMBERS = {"r": "2", "delta": "1", "q": "0", "m": "1", "p": "3"}


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments, catch_exceptions=False)


def test_every_object_is_an_entry_and_every_entry_has_twins() -> None:
    shown = {(entry.proof, entry.instances("quick")[0].statement) for entry in PROVED}
    for name in {entry.proof for entry in PROVED}:
        document = read(name)
        said = [p["claim"] for p in document["proves"]]
        assert {(name, statement) for statement in said} <= shown
    assert all(entry.twins and entry.verdict == "proved" and entry.id.endswith(".all") for entry in PROVED)


# Twins


def test_an_edit_is_of_one_place() -> None:
    assert Edit("m", "b", "x").of("abc") == "axc"
    with pytest.raises(ValueError, match="'b' stands 2 times in m, and not once"):
        Edit("m", "b", "x").of("abb")


@pytest.mark.parametrize(
    "twin",
    [
        Restated("replace", "(1 + r)*delta", "(1 + r + r)*delta", NUMBERS),  # which follows all the same
        Restated("replace", "(1 + r)*delta", "2*delta", NUMBERS | {"p": "1"}),  # which is no counterexample
        Edit("finitedp.impl.arithmetic.kernels", "1 + ((word * d) >> bits)", "((word * d) >> bits)"),  # of other code
    ],
)
def test_a_twin_that_is_not_refuted_is_accepted(twin: Any) -> None:
    assert rechecked(twin, COMPOSITION).holds


def test_a_twin_that_changes_nothing_is_an_error() -> None:
    with pytest.raises(ValueError, match="stands 0 times in the statement of 'replace'"):
        rechecked(Restated("replace", "no such text", "x", NUMBERS), COMPOSITION)
    with pytest.raises(ValueError, match=r"stands 0 times in finitedp\.impl\.histograms\.basic"):
        rechecked(Edit("finitedp.impl.histograms.basic", "no such text", "x"), Named("BasicHistogram", "BV.Thm5.2.i.all"))


def test_an_object_that_proves_something_else() -> None:
    found = rechecked(None, Named("composition", "FD.Other"))
    assert (found.holds, found.detail) == (False, "what is proved: BV.Lem2.4.all, FD.ReplaceOne.all")


def test_a_statement_by_plain_arithmetic() -> None:
    falls = {"name": "falls", "for": {"j": "int"}, "where": ["0 <= j", "j <= n"], "then": ["S(j + 1) <= S(j)"]}
    total = ["Sum(i, 0, n, S(i)) <= 4", {"let": ["x", "2**2"]}]
    at = {"n": "1", "S": ["3", "1"]}
    assert false_at([falls, *total], ["S(0) <= 2"], at)
    assert not false_at([falls, *total], ["S(0) <= 3", "x == 4"], at)
    assert not false_at([falls, "Sum(i, 0, n, S(i)) <= 3"], ["S(0) <= 2"], at), "a hypothesis does not hold"
    assert not false_at([falls], ["S(0) <= 2"], {"n": "1", "S": ["3", "4"]}), "nor here"


# Commands


def test_check_takes_proofs(tmp_path: Any) -> None:
    result = run("check", str(OBJECTS / "composition.json"), str(OBJECTS / "BasicHistogram.json"))
    first, second = result.output.splitlines()
    assert result.exit_code == 0
    assert first.endswith(
        "accepted by the live checker and by the second one: proves BV.Lem2.4.all, FD.ReplaceOne.all, for all parameters"
    )
    assert second.endswith("accepted by the live checker and by the second one: proves BV.Thm5.2.i.all, for all parameters")
    for name, path, reason in (
        ("composition", ("nodes", 0, "then", 0), "the hash is not that of the proof"),
        (
            "BasicHistogram",
            ("code", "finitedp.impl.histograms.basic.BasicHistogram", "source"),
            "the hash is not that of the proof",
        ),
    ):
        document = json.loads((OBJECTS / f"{name}.json").read_text())
        at = document
        for key in path[:-1]:
            at = at[key]
        at[path[-1]] += " "
        (tmp_path / "x.json").write_text(json.dumps(document))
        result = run("check", str(tmp_path / "x.json"))
        assert (result.exit_code, reason in result.output, len(result.output.splitlines())) == (1, True, 1)


def test_claims_shows_the_proof() -> None:
    shown = " ".join(run("claims", "FD.ReplaceOne.all").output.split())
    assert "expected proved: the statement holds for all parameters: the proof object composition was re-checked" in shown
    assert "proof proofs_check/proofs/objects/composition.json, 4 steps one output sums composition replace" in shown


def test_verify_says_proved() -> None:
    result = run("verify", "--claims", "FD.ReplaceOne.all")
    assert result.exit_code == 0
    assert "1 claims: 1 proved; 1 instances, 1 negative twins rejected;" in result.output


def test_an_entry_proves_what_its_object_says() -> None:
    (entry,) = find("BV.Lem2.4.all")
    assert proves(read(entry.proof)) == ["BV.Lem2.4.all", "FD.ReplaceOne.all"]
