"""Proofs about structure: accepted as they are, refused where anything is changed; and code that must not be provable."""

import copy
import random
import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from fractions import Fraction
from itertools import product
from math import prod
from pathlib import Path
from typing import Any

import pytest

from finitedp.proofs_check.ledger.proofs import Edit, edited, proves
from finitedp.proofs_check.proofs import proof_checker as pc
from finitedp.proofs_check.proofs.structure import HISTOGRAMS, OBJECTS, ROOT, refutation, statements
from tests.sampling import sampled

FILES = {name: OBJECTS / f"{name}.json" for name in HISTOGRAMS}
BASIC = FILES["BasicHistogram"]
MODULE = "finitedp.impl.histograms.basic"
NAME = f"{MODULE}.BasicHistogram"


def read(path: Path = BASIC) -> Any:
    return copy.deepcopy(pc.read(path))


def _hashed(document: Any) -> Any:
    body = {key: x for key, x in document.items() if key != "sha256"}
    return body | {"sha256": pc.digest(body)}


@pytest.mark.parametrize("name", sampled(FILES, 1))
def test_every_statement_is_proved(name: str) -> None:
    assert pc.check(read(FILES[name])) == [HISTOGRAMS[name][0]]


def test_it_runs_alone() -> None:
    command = [sys.executable, "-S", "-I", pc.__file__, str(BASIC)]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (found.returncode, found.stderr) == (0, "")
    assert found.stdout == f"{BASIC}: proved: BV.Thm5.2.i.all\n"


# What is refused


def _first(document: Any) -> list[Any]:
    parts: list[Any] = document["nodes"][0]["proof"]["with"]
    return parts


def _change(document: Any, name: str, **changes: object) -> None:
    document["code"][name] |= changes


def _named(document: Any, name: str) -> None:
    document["proves"][0]["mechanism"] = name
    document["names"] = {name.rpartition(".")[2]: name}


DAMAGE: dict[str, tuple[Callable[[Any], object], str]] = {
    "another coefficient": (lambda d: _first(d)[0].__setitem__(0, "2"), "is left over"),
    "a negative coefficient": (lambda d: _first(d)[0].__setitem__(0, "-1"), "the multiplier '-1' is not manifestly"),
    "a float": (lambda d: _first(d)[0].__setitem__(0, 1.0), "a proof by 'combine' has another form"),
    "a name that is none": (lambda d: _first(d)[0].__setitem__(1, "x >= 1"), "the name 'x' means nothing here"),
    "a fact that is none": (lambda d: _first(d)[0].__setitem__(1, "R >= 2"), "'R >= 2' is not known here"),
    "a term left out": (lambda d: _first(d).pop(), "is left over"),
    "too many factors": (lambda d: _first(d)[0].extend(["R >= 1"] * 3000), "a proof by 'combine' has another form"),
    "too many terms": (lambda d: _first(d).extend([["0", "R >= 1"]] * 3000), "a proof by 'combine' has another form"),
    "a step left out": (lambda d: d["nodes"].pop(), "a node of BV.Thm5.2.i.all is not proved"),
    "a statement left out": (lambda d: d["proves"][0]["nodes"].pop(), "do not say what it means"),
    "a statement more": (lambda d: d["proves"][0]["nodes"].append(d["nodes"][0]["name"]), "do not say what it means"),
    "statements in another order": (lambda d: d["proves"][0]["nodes"].reverse(), "do not say what it means"),
    "another histogram": (lambda d: _named(d, HISTOGRAMS["StabilityHistogram"][1]), "do not say what it means"),
    "no histogram": (lambda d: _named(d, "finitedp.impl.counting.geometric.GeoSample"), "is no histogram that is known"),
    "another name": (lambda d: d.update(names={}), "stands for another"),
    "a forged hash": (lambda d: _change(d, NAME, sha256="0" * 64), f"the hash of {NAME} is not that of its source"),
    "another source": (lambda d: _change(d, NAME, source="class BasicHistogram: pass"), "is not that of its source"),
    "a source left out": (lambda d: d["code"].pop(f"{NAME}.claim"), "is executed and not recorded"),
    "a key more": (lambda d: d.update(more=1), "this document has another form"),
    "another version": (lambda d: d.update(version=True), "this is no proof of version 1"),
    "a weaker hypothesis": (lambda d: d["nodes"][0]["where"].append("p <= q"), "do not say what it means"),
}


@pytest.mark.parametrize("damage", sampled(DAMAGE, 5))
def test_a_damaged_proof_is_refused(damage: str) -> None:
    change, reason = DAMAGE[damage]
    document = read()
    change(document)
    with pytest.raises(pc.Refused) as refused:
        pc.check(_hashed(document))
    assert reason in str(refused.value)


def test_the_statements_without_the_code_are_no_such_claim() -> None:
    document = read()
    for key in ("kind", "mechanism"):
        del document["proves"][0][key]
    document = _hashed(document | {"code": {}})
    pc.check(document)  # they are true, and tell nothing of any code
    with pytest.raises(pc.Refused, match="is not the statement that finitedp knows by this id"):
        proves(document)


def test_code_that_has_changed_is_named_with_its_lines() -> None:
    with edited(Edit(MODULE, "2 * one.epsilon", "one.epsilon")) as root:
        path = root / "impl" / "histograms" / "basic.py"
        line = 1 + next(i for i, text in enumerate(path.read_text().splitlines()) if "PrivacyClaim(one.epsilon" in text)
        with pytest.raises(pc.Refused, match=rf"{NAME}.claim has changed since: line {line} is .return PrivacyClaim\(one"):
            pc.check(read(), root)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{", "this is no JSON document"),
        ("[]", "this document has another form"),
        ('{"a": 1, "a": 1}', "a key is there twice"),
    ],
)
def test_what_is_no_proof_is_refused_in_one_line(
    text: str, reason: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "x.json").write_text(text)
    assert pc.main([str(tmp_path / "x.json")]) == 1
    (line,) = capsys.readouterr().out.splitlines()
    assert f"REFUSED: {reason}" in line


def _mutated(parts: Any, lot: random.Random, facts: list[str]) -> Any:
    """One number, fact or order changed, or something left out or doubled."""
    changed = copy.deepcopy(parts)
    part = lot.choice(changed)
    what = lot.randrange(5)
    if what == 0:
        part[0] = str(Fraction(part[0]) + Fraction(lot.choice([2, -2, 1]), 2))
    elif what == 1:
        part[lot.randrange(1, len(part))] = lot.choice([*facts, "R <= 1", "0 <= 0"])
    elif what == 2:
        changed.remove(part)
    elif what == 3:
        changed.append(part)
    else:
        part.append(lot.choice(facts))
    return changed


def _adds_up(node: Any, parts: Any) -> bool:
    """Whether a proof shows its goal, by values at random points instead of polynomials."""
    lot = random.Random(7)

    def above(text: str, point: dict[str, Fraction]) -> Fraction:
        """The larger side less the other."""
        left, sign, right = re.split(r" (<=|>=) ", text)
        sides = [eval(side, {"__builtins__": {}}, dict(point)) for side in (left, right)]  # noqa: S307  # of this proof
        return Fraction(sides[1] - sides[0] if sign == "<=" else sides[0] - sides[1])

    for _ in range(4):
        point = {name: Fraction(lot.randint(0, 9), lot.randint(1, 5)) for name in node["for"]}
        total = above(node["then"][0], point)
        for coefficient, *facts in parts:
            total -= Fraction(coefficient) * prod(above(fact, point) for fact in facts)
        if total < 0:  # all variables are at least 0 here, and so must be what is left over
            return False
    return True


def _attack(name: str, times: int) -> int:
    """How many changed proofs are refused; those that are accepted must be right."""
    lot, nodes, refused = random.Random(1), read(FILES[name])["nodes"], 0
    for i in range(times):
        node = lot.choice(nodes)
        parts = _mutated(node["proof"]["with"], lot, node["where"])
        checker = pc.Checker({}, ROOT)
        pc.STEPS[0] = 0
        try:
            checker.node({**node, "name": str(i), "proof": {"rule": "combine", "with": parts}})
        except pc.Refused:
            refused += 1
            continue
        assert _adds_up(node, parts), (node, parts)
    return refused


@pytest.mark.parametrize("name", ["BasicHistogram", "StabilityHistogram"])
def test_no_changed_proof_is_accepted_that_numbers_refute(name: str) -> None:
    assert _attack(name, 150) > 60


@pytest.mark.full
@pytest.mark.parametrize("name", FILES)
def test_no_proof_of_many_that_are_changed_is_accepted(name: str) -> None:
    assert _attack(name, 5000) > 2000


# What must not be provable


def _true(statement: Any, point: Mapping[str, Fraction | int]) -> bool:
    hypotheses = all(eval(text, {"__builtins__": {}}, dict(point)) for text in statement["where"])  # noqa: S307
    return not hypotheses or eval(statement["then"][0], {"__builtins__": {}}, dict(point)) is True  # noqa: S307


VALUES = [Fraction(x) for x in ("0", "1/4", "1/2", "1")]


@pytest.mark.deep
@pytest.mark.parametrize("name", ["BasicHistogram", "StabilityHistogram"])
@pytest.mark.parametrize(
    ("old", "new"), [("R**2", "R**2"), ("R**2", "R"), ("R**2", "1"), (" + delta", ""), (" + delta", " + delta/2")]
)
def test_the_statements_are_true_at_points_and_false_where_less_is_allowed(name: str, old: str, new: str) -> None:
    found = [said for _, said in statements(HISTOGRAMS[name][1]) if old in said["then"][0]]
    false = 0
    for said in found:
        changed = said | {"then": [said["then"][0].replace(old, new)]}
        others = [x for x in said["for"] if x != "R"]
        points = ({"R": r} | dict(zip(others, xs, strict=True)) for r in (1, 2) for xs in product(VALUES, repeat=len(others)))
        false += not all(_true(changed, point) for point in points)
    assert false == 0 if old == new else (false >= 1 or not found)


EXTENSIONS = {
    "a loop that carries something on": (
        "        self._refuse_other_labels(counts)\n",
        "        self._refuse_other_labels(counts)\n        last = 0\n        for x in self.labels:\n            last = x\n",
        "is not in the language that is executed",
    ),
    "an unknown function": (
        "        self._refuse_other_labels(counts)\n",
        "        self._refuse_other_labels(frozenset(counts))\n",
        "the name 'frozenset' means nothing here",
    ),
    "a while": (
        "        self._refuse_other_labels(counts)\n",
        "        while coins:\n            pass\n        self._refuse_other_labels(counts)\n",
        "is not in the language that is executed",
    ),
    "two mechanisms": (
        "self.mechanism.release(counts",
        "self.universe.release(counts",
        "the attribute release of something else",
    ),
}


@pytest.mark.parametrize("extension", EXTENSIONS)
def test_code_that_is_not_understood_is_refused(extension: str) -> None:
    old, new, reason = EXTENSIONS[extension]
    with edited(Edit(MODULE, old, new)) as root:
        why = refutation(NAME, root)
    assert why is not None
    assert reason in why


def test_a_delta_is_not_spent_at_every_output() -> None:
    """Where both labels change to a neighbouring count, goals speak of one pair of outputs, and delta must not help there."""
    pointwise = [said for _, said in statements(HISTOGRAMS["StabilityHistogram"][1]) if "s" in said["for"]]
    assert pointwise
    assert not any("delta" in said["for"] for said in pointwise)


def test_what_is_not_executed_is_taken_at_its_word() -> None:
    known = {name for name in pc.LabelRun.known if name.startswith("finitedp.")}
    assert known <= set(pc.TAKEN)
    assert len({name.rpartition(".")[2] for name in known}) == len(known)  # so that CALLED names one each
