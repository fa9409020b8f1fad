"""Proofs about structure: accepted as they are, refused where anything is changed; and code that must not be provable."""

import copy
import json
import random
import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from finitedp.proofs_check.proofs import structure_checker as checker
from finitedp.proofs_check.proofs.structure import counterexample, refutation
from finitedp.proofs_check.proofs.structure_checker import Obligation, Poly, Refused, check, follows, obligations, poly, var

OBJECTS = Path(checker.__file__).parent / "objects"
FILES = {name: OBJECTS / f"{name.replace(' ', '_')}.json" for name in checker.STATEMENTS}
BASIC = FILES["BasicHistogram"]


def read(path: Path = BASIC) -> Any:
    return json.loads(path.read_text())


@pytest.mark.parametrize("name", FILES)
def test_every_statement_is_proved(name: str) -> None:
    assert check(read(FILES[name])) == " ".join(checker.STATEMENTS[name][1].split())


def test_it_runs_alone() -> None:
    command = [sys.executable, "-S", "-I", checker.__file__, str(BASIC)]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (found.returncode, found.stderr) == (0, "")
    assert found.stdout.startswith(f"{BASIC}: proved: BasicHistogram, over any private counting mechanism")


# What is refused


def _first(document: Any) -> list[Any]:
    terms: list[Any] = next(iter(document["steps"].values()))
    return terms


def _change(document: Any, name: str, **changes: object) -> None:
    document["code"][name] |= changes


NAME = "finitedp.impl.histograms.basic.BasicHistogram"
DAMAGE: dict[str, tuple[Callable[[Any], object], str]] = {
    "another coefficient": (lambda d: _first(d)[0].__setitem__(0, "2"), "the terms do not add up to the goal"),
    "a negative coefficient": (lambda d: _first(d)[0].__setitem__(0, "-1"), "no coefficient"),
    "a float": (lambda d: _first(d)[0].__setitem__(0, 1.0), "no coefficient"),
    "a name that is none": (lambda d: _first(d)[0][1].__setitem__(0, "x >= 1"), "'x >= 1' is no hypothesis"),
    "a term left out": (lambda d: _first(d).pop(), "the terms do not add up to the goal"),
    "too many factors": (lambda d: _first(d)[0].__setitem__(1, ["R >= 1"] * 9), "too many factors"),
    "too many terms": (lambda d: _first(d).extend([["0", []]] * 300), "no list of at most 300 terms"),
    "a step left out": (lambda d: d["steps"].popitem(), "the steps are not those that the statement comes down to"),
    "a step more": (lambda d: d["steps"].update(more=[]), "the steps are not those that the statement comes down to"),
    "another statement": (lambda d: d.update(statement="StabilityHistogram"), "the code is not finitedp.impl.histograms.stab"),
    "no statement": (lambda d: d.update(statement=["x"]), "no statement \"['x']\""),
    "a forged hash": (lambda d: _change(d, NAME, sha256="0" * 64), f"the hash is not that of the source of {NAME}"),
    "another source": (lambda d: _change(d, NAME, source="class BasicHistogram: pass"), "the hash is not that of the source"),
    "a key more": (lambda d: d.update(more=1), "a proof has just the keys"),
    "another version": (lambda d: d.update(version=True), "no finitedp structure proof of version 1"),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_proof_is_refused(damage: str) -> None:
    change, reason = DAMAGE[damage]
    document = read()
    change(document)
    with pytest.raises(Refused) as refused:
        check(document)
    assert reason in str(refused.value)


def test_code_that_has_changed_is_named_with_its_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    then = checker.source_of(NAME)
    changed = then.replace("2 * one.epsilon", "one.epsilon")
    line = 1 + next(i for i, (a, b) in enumerate(zip(then.splitlines(), changed.splitlines(), strict=True)) if a != b)
    monkeypatch.setattr(checker, "source_of", lambda _name: changed)
    with pytest.raises(Refused, match=rf"{NAME} has changed since it was proved: line {line} of it"):
        check(read())


@pytest.mark.parametrize(
    ("text", "reason"),
    [("{", "it cannot be read"), ("[]", "a proof has just the keys"), ('{"a": 1, "a": 1}', "a key is there twice")],
)
def test_what_is_no_proof_is_refused_in_one_line(
    text: str, reason: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "x.json").write_text(text)
    assert checker.main([str(tmp_path / "x.json")]) == 1
    (line,) = capsys.readouterr().out.splitlines()
    assert f"REJECTED: {reason}" in line


def _spots(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(spot for key, x in inner for spot in _spots(x, (*path, key)))]


def _mutated(steps: Any, lot: random.Random) -> Any:
    """One number, name or order changed, or something left out or doubled."""
    changed = copy.deepcopy(steps)
    *path, last = lot.choice([spot for spot in _spots(steps) if spot])
    at = changed
    for key in path:
        at = at[key]
    value = at[last]
    if isinstance(value, str) and set(value) <= set("0123456789/"):
        at[last] = str(Fraction(value) + Fraction(lot.choice([2, -2, 1]), 2))
    elif isinstance(value, str):
        at[last] = lot.choice(["R >= 1", "x before >= 0", "y after >= 0", "R <= 1", ""])
    elif isinstance(value, list) and value and lot.random() < 0.5:
        at[last] = value[1:]
    else:
        at[last] = [*value, *value[:1]] if isinstance(value, list) else {}
    return changed


def _adds_up(obligation: Obligation, terms: Any) -> bool:
    """Whether a step proves its goal, by values at random points instead of polynomials, and by the names and signs."""
    lot = random.Random(7)
    names = sorted({x for p in (obligation.goal, *obligation.hypotheses.values()) for x in p.variables()})
    for _ in range(4):
        point = {name: Fraction(lot.randint(-9, 9), lot.randint(1, 5)) for name in names}
        total = Fraction(0)
        for coefficient, factors in terms:
            part = Fraction(coefficient)
            if part < 0:
                return False
            for factor in factors:
                part *= obligation.hypotheses[factor].at(point)
            total += part
        if total != obligation.goal.at(point):
            return False
    return True


@pytest.mark.parametrize("name", ["BasicHistogram", "StabilityHistogram"])
def test_no_changed_proof_is_accepted_that_numbers_refute(name: str) -> None:
    assert _attack(name, 300) > 150


@pytest.mark.full
@pytest.mark.parametrize("name", FILES)
def test_no_proof_of_many_that_are_changed_is_accepted(name: str) -> None:
    assert _attack(name, 5000) > 2500


def _attack(name: str, times: int) -> int:
    """How many changed steps are refused; those that are accepted must be right."""
    lot, wanted, steps = random.Random(1), {o.name: o for o in obligations(name)}, read(FILES[name])["steps"]
    refused = 0
    for _ in range(times):
        changed = _mutated(steps, lot)
        for step, terms in changed.items():
            if terms == steps.get(step):
                continue
            try:
                follows(wanted[step], terms)
            except Refused:
                refused += 1
                continue
            assert _adds_up(wanted[step], terms), (step, terms)
    return refused


# What must not be provable


def test_a_goal_that_does_not_follow_is_refuted_by_numbers() -> None:
    x = var("x")
    assert counterexample(Obligation("false", {"x >= 0": x}, x - 1)) == {"x": Fraction(0)}
    assert counterexample(Obligation("true", {"x >= 0": x}, x * x + x)) is None


EXTENSIONS = {
    "a loop that carries something on": (
        "        known = dict.fromkeys(self.labels)\n",
        "        known = dict.fromkeys(self.labels)\n        last = 0\n        for x in self.labels:\n            last = x\n",
        "a loop carries something on",
    ),
    "an unknown function": ("dict.fromkeys(self.labels)\n", "frozenset(self.labels)\n", "the function frozenset is not known"),
    "a while": (
        "        known = dict",
        "        while coins:\n            pass\n        known = dict",
        "a statement that the checker",
    ),
    "two mechanisms": ("self.mechanism.release(counts", "self.other.release(counts", "the method release of"),
}


@pytest.mark.parametrize("extension", EXTENSIONS)
def test_code_that_is_not_understood_is_refused(extension: str) -> None:
    old, new, reason = EXTENSIONS[extension]
    source = checker.source_of(NAME)
    assert source.count(old) == 1
    why = refutation("BasicHistogram", {NAME: source.replace(old, new)})
    assert why is not None
    assert reason in why


def test_a_delta_is_not_spent_at_every_output() -> None:
    """Where both cells change to a neighbouring count, goals speak of one pair of outputs, and delta must not help there."""
    pointwise = [o for o in obligations("StabilityHistogram") if "x before" in o.goal.variables()]
    assert pointwise
    assert not any(name.startswith("F(") for o in pointwise for name in o.goal.variables())


# Polynomials


def test_polynomials() -> None:
    x, y = var("x"), var("y")
    assert (x + y) ** 2 == x * x + 2 * x * y + y * y
    assert (x - x) == 0
    assert (3 - x).at({"x": Fraction(1, 2)}) == Fraction(5, 2)
    assert (x * y + y).over("y") == x + 1
    assert poly(7).constant() == 7
    assert x.constant() is None
    assert str(x * x - y) == "x^2 + -1*y"
    assert isinstance(Poly() + 1, Poly)
    with pytest.raises(Refused, match="no polynomial"):
        (x + y).over("y")
