"""finitedp.proofs_check.audit.description: audits as TOML files, and what is wrong with them."""

import re
from pathlib import Path
from typing import Any

import pytest
from gmpy2 import mpq

from finitedp.errors import DataError, FinitedpError
from finitedp.proofs_check.audit.description import read_descriptions
from finitedp.proofs_check.audit.loading import load
from finitedp.proofs_check.parallel import Workers
from tests.proofs_check.audit.described import found_by

CODE = """
from fractions import Fraction
from random import Random

def response(data, rng, truth=3):
    return data[0] if rng.randrange(4) < truth else 1 - data[0]

def law(data):
    return {data[0]: Fraction(3, 4), 1 - data[0]: Fraction(1, 4)}

def truth(data):
    return data[0]

class Response:
    def __init__(self, truth):
        self.truth = truth

    def release(self, data, rng):
        return response(data, rng, self.truth)

number = 3
"""

TOML = """
name = "response"
mechanism = "response.py:response"
style = "random"
universe = [0, 1]
n = 1
specified = "response.py:law"

[claim]
neighbours = "replace-one"
epsilon = "11/10"
ratio = 3

[accuracy]
a = 0
beta = "1/4"
truth = "response.py:truth"
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "response.py").write_text(CODE)
    (tmp_path / "audit.toml").write_text(TOML)
    return tmp_path


def changed(folder: Path, *changes: tuple[str, str]) -> Path:
    text = TOML
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    (folder / "audit.toml").write_text(text)
    return folder / "audit.toml"


def test_a_description_is_an_audit(folder: Path) -> None:
    (description,) = read_descriptions(folder / "audit.toml")
    found = found_by(description)
    assert (found.name, found.private, found.law, found.tight, found.accuracy) == ("response", "holds", "equal", True, "holds")
    assert found.derived["command"] == "finitedp audit audit.toml"
    assert found.derived["mechanism"] == "response.py:response"
    assert len(found.derived["source_sha256"]) == 64


def test_instances_override_the_fields_at_the_top(folder: Path) -> None:
    extra = """
[[instances]]
[[instances]]
parameters = {truth = 2}
[[instances]]
name = "weaker"
claim = {epsilon = "11/10", ratio = "5/2"}
"""
    (folder / "audit.toml").write_text(TOML + extra)
    found = [found_by(description) for description in read_descriptions(folder / "audit.toml")]
    assert [f.name for f in found] == ["response, instance 1", "response, instance 2", "weaker"]
    assert [f.worst_ratio for f in found] == [3, 1, 3]
    assert [(f.private, f.law) for f in found] == [("holds", "equal"), ("holds", "differs"), ("fails", "equal")]


def test_an_instance_with_a_claim_inherits_no_delta(folder: Path) -> None:
    path = changed(folder, ("ratio = 3", 'delta = "1/2"'))
    path.write_text(path.read_text() + "[[instances]]\nclaim = {epsilon = 1}\n")
    (description,) = read_descriptions(path)
    assert (description.request.claim.delta, description.request.claim.neighbours) == (mpq(0), "replace-one")
    assert found_by(description).private == "fails"


def test_parameters_reach_a_bound_method(folder: Path) -> None:
    method = "class Made:\n    def f(self, d, r, truth=3):\n        return response(d, r, truth)\nmade = Made()\n"
    (folder / "response.py").write_text(f"{CODE}\n{method}")
    path = changed(folder, ('"response.py:response"', '"response.py:made.f"\nparameters = {truth = 4}'))
    (description,) = read_descriptions(path)
    assert found_by(description).worst_ratio == "infinite"


def test_postponed_annotations_and_a_dataclass(tmp_path: Path) -> None:
    (tmp_path / "m.py").write_text(
        "from __future__ import annotations\nfrom dataclasses import dataclass\n\n@dataclass\nclass M:\n    x: int = 0\n\n"
        "    def release(self, data, coins):\n        return self.x\n"
    )
    assert load("m.py:M", tmp_path)().release(0, None) == 0


def test_several_n(folder: Path) -> None:
    descriptions = read_descriptions(changed(folder, ("n = 1\n", "n = [1, 2]\n")))
    assert [d.name for d in descriptions] == ["response, n = 1", "response, n = 2"]
    assert [len(found_by(d).laws) for d in descriptions] == [2, 4]


def test_a_class_is_made_with_the_parameters(folder: Path) -> None:
    new = 'mechanism = "response.py:Response"\nparameters = {truth = 3}'
    (description,) = read_descriptions(changed(folder, ('mechanism = "response.py:response"', new)))
    assert found_by(description).worst_ratio == 3


def test_a_mechanism_of_an_installed_package(folder: Path) -> None:
    (folder / "geo.toml").write_text(
        'mechanism = "finitedp:GeoSample"\nparameters = {n = 3, epsilon = "1"}\nn = 3\n'
        'claim = {neighbours = "counts", epsilon = "1/2", ratio = "3/2"}\n'
    )
    (description,) = read_descriptions(folder / "geo.toml")
    found = found_by(description)
    assert (found.name, found.private, found.tight, found.strict_time) == ("geo", "holds", True, True)


def test_a_table_and_a_specified_table(folder: Path) -> None:
    (folder / "laws.csv").write_text("input,output,probability\n[0],0,3/4\n[0],1,1/4\n[1],0,1/4\n[1],1,3/4\n")
    for old, new in (('mechanism = "response.py:response"', 'table = "laws.csv"'), ("response.py:law", "laws.csv")):
        (description,) = read_descriptions(changed(folder, (old, new)))
        found = found_by(description)
        assert (found.private, found.law, found.worst_ratio) == ("holds", "equal", mpq(3))


def test_a_budget(folder: Path) -> None:
    (folder / "audit.toml").write_text(TOML + "[budget]\nruns = 1\n")
    (description,) = read_descriptions(folder / "audit.toml")
    assert found_by(description).unresolved == mpq(1, 4)


BAD: list[tuple[tuple[str, str], str]] = [
    (("n = 1\n", "n = \n"), "is not TOML: Invalid value (at line 6"),
    (("n = 1\n", ""), "n is missing"),
    (("n = 1\n", "n = -1\n"), "n: -1 is "),
    (("n = 1\n", "size = 1\n"), "'size' was unexpected"),
    (("universe = [0, 1]\n", ""), "universe is missing"),
    (("universe = [0, 1]\n", "universe = [0.5]\n"), "universe[0]: 0.5 is not of type 'integer', 'string'"),
    (
        ('epsilon = "11/10"', "epsilon = 1.1"),
        "'string', 'integer'; a float is refused: write it as text, '1.1'",
    ),
    (('epsilon = "11/10"', "epsilon = inf"), "claim.epsilon: inf is not of type 'string', 'integer'"),
    (('epsilon = "11/10"', 'epsilon = "1.1.1"'), "epsilon = '1.1.1' is not of the form 'p/q'"),
    (('epsilon = "11/10"', "epsilon = -1"), "epsilon = -1 is negative"),
    (('epsilon = "11/10"', ""), "epsilon is missing"),
    (('neighbours = "replace-one"', ""), "neighbours is missing"),
    (('neighbours = "replace-one"', 'neighbours = "swap"'), "claim.neighbours: 'swap' does not match '^(counts|replace-one|"),
    (('neighbours = "replace-one"', 'neighbours = "swap"'), "accepted: counts, replace-one, add-remove, or file.py:function"),
    (("ratio = 3", "ratio = 4"), "the ratio 4 exceeds e^11/10"),
    (('style = "random"', 'style = "dice"'), "style: 'dice' is not one of"),
    (("mechanism =", "table ="), "response.py:response: No such file"),
    (('mechanism = "response.py:response"', ""), "nothing given; accepted: one of mechanism, table, command"),
    (('style = "random"', 'table = "x.csv"'), "mechanism and table given"),
    (('"response.py:response"', '"response"'), "mechanism: 'response' does not match"),
    (('"response.py:response"', '"none.py:response"'), "none.py: No such file"),
    (('"response.py:response"', '"response.py:none"'), "response.py has no 'none'"),
    (('"response.py:response"', '"response.py:number"'), "response.py:number is not a function, but int"),
    (('"response.py:response"', '"no_such_package:f"'), "no_such_package cannot be imported: ModuleNotFoundError"),
    (('"response.py:response"', '"response.py:Response"'), "response.py:Response cannot be made: TypeError"),
    (("[claim]", "[budget]\nruns = 0\n[claim]"), "budget.runs: 0 is less than the minimum"),
    (('beta = "1/4"', 'beta = "5/4"'), "beta = 5/4 is out of range"),
]


@pytest.mark.parametrize(("change", "message"), BAD, ids=[message for _, message in BAD])
def test_what_is_wrong_is_named_in_one_line(change: tuple[str, str], message: str, folder: Path) -> None:
    with pytest.raises(FinitedpError, match=re.escape(message)) as caught:
        [found_by(description) for description in read_descriptions(changed(folder, change))]
    assert "\n" not in str(caught.value)


def test_a_description_without_a_claim_is_refused(folder: Path) -> None:
    (folder / "audit.toml").write_text('mechanism = "response.py:response"\nn = 1\n')
    with pytest.raises(DataError, match="neighbours is missing"):
        read_descriptions(folder / "audit.toml")


def test_code_that_cannot_be_imported_is_named(tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text("1 / 0\n")
    (tmp_path / "bad_syntax.py").write_text("def f(:\n")
    (tmp_path / "leaves.py").write_text("raise SystemExit\n")
    for name, error in (("broken", "ZeroDivisionError"), ("bad_syntax", "SyntaxError"), ("leaves", "SystemExit")):
        with pytest.raises(DataError, match=f"{name}.py cannot be imported: {error}"):
            load(f"{name}.py:f", tmp_path)


@pytest.mark.parametrize("alone", [60, -1], ids=["here", "by processes"])
def test_who_performs_the_work_changes_nothing(folder: Path, alone: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("finitedp.proofs_check.audit.exploring._ALONE", alone)
    (description,) = read_descriptions(changed(folder, ("n = 1\n", "n = 3\n")))
    seen: list[tuple[int, int]] = []
    assert description.run(Workers(2), lambda *done: seen.append(done)) == found_by(description)
    assert seen == [(i, 8) for i in range(1, 9)]


def test_a_module_beside_the_mechanism_can_be_imported(tmp_path: Path) -> None:
    (tmp_path / "helping_hand.py").write_text("def helped(data):\n    return data\n")
    (tmp_path / "mechanism.py").write_text("from helping_hand import helped\n\ndef f(data, rng):\n    return helped(data)\n")
    function: Any = load("mechanism.py:f", tmp_path)
    assert function(3, None) == 3
