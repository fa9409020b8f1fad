"""The proof checker: what it accepts is proved, and what does not follow it refuses, saying which node and why."""

import ast
import json
import random
import subprocess
import sys
from collections import Counter
from pathlib import Path
from shutil import copyfile, copytree
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from finitedp import exact
from finitedp.proofs_check.ledger.proofs import Edit, edited
from finitedp.proofs_check.proofs import proof_checker as pc
from finitedp.proofs_check.proofs.structure import OBJECTS, ROOT
from tests.proofs_check.proofs.evaluation import looked_at, named, refuted
from tests.proofs_check.proofs.fuzzing import Target
from tests.proofs_check.proofs.mutants import refusal, survivors
from tests.sampling import sampled

FAST = ["geo_sample", "empty_bins", "strict_coins"]
KNOWN = {"rule": "known"}
KERNELS = "finitedp.impl.arithmetic.kernels"


def _read(name: str) -> dict[str, Any]:
    return dict(pc.read(OBJECTS / f"{name}.json"))


def _document(*nodes: dict[str, Any], names: dict[str, str] | None = None) -> dict[str, Any]:
    body = {"format": "finitedp proof", "version": 1, "title": "", "names": names or {}, "code": {}, "nodes": list(nodes)}
    body["proves"] = [{"claim": "x", "nodes": [node["name"]]} for node in nodes]
    return body | {"sha256": pc.digest(body)}


def _node(
    proof: dict[str, Any], then: list[str], name: str = "a", where: list[Any] | None = None, **kinds: str
) -> dict[str, Any]:
    return {"name": name, "for": kinds or {"m": "int", "x": "int"}, "where": where or [], "then": then, "proof": proof}


def _refused(document: Any) -> str:  # whatever stands there
    with pytest.raises(pc.Refused) as refused:
        pc.check(document)
    assert "\n" not in str(refused.value)
    return str(refused.value)


@pytest.mark.parametrize("name", sampled(FAST, 1))
def test_the_objects_are_proofs(name: str) -> None:
    assert len(pc.check(_read(name))) >= 2


def test_the_objects_are_as_the_schema_says() -> None:
    schema = json.loads((OBJECTS.parent / "proof.schema.json").read_text(encoding="utf-8"))
    validator = Draft202012Validator(schema)
    documents = [pc.read(path) for path in sorted(OBJECTS.glob("*.json"))]
    proofs = [document for document in documents if document["format"] == "finitedp proof"]
    assert len(proofs) >= 8
    for document in proofs:
        validator.validate(document)
    assert set(schema["$defs"]["proof"]["properties"]["rule"]["enum"]) == set(pc.RULES)
    assert not validator.is_valid(proofs[0] | {"nodes": [{**proofs[0]["nodes"][0], "proof": {"rule": "prove"}}]})


def test_the_checker_runs_alone(tmp_path: Path) -> None:
    root = tmp_path / "proofs_check" / "proofs"
    root.mkdir(parents=True)
    (root / "proof_checker.py").write_bytes(Path(pc.__file__).read_bytes())
    copytree(Path(pc.__file__).resolve().parents[2] / "impl", tmp_path / "impl")
    copytree(Path(pc.__file__).resolve().parents[2] / "src", tmp_path / "src", symlinks=True)
    command = [sys.executable, "-I", "-S", str(root / "proof_checker.py"), str(OBJECTS / "strict_coins.json")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert "proved: FD.StrictCoins.all" in done.stdout


def _induct(values: dict[str, str], where: list[Any] | None = None) -> dict[str, Any]:
    proof = {"rule": "induct", "on": "m", "then": {"rule": "use", "node": "IH", "with": values, "then": KNOWN}}
    return _node(proof, ["m*x >= 5"], where=where)


SQUARE = ["x*x + 1 >= 2*x"]
REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "known": (_node(KNOWN, ["x >= 0"]), "x >= 0 is not known"),
    "combine, a multiplier too small": (
        _node({"rule": "combine", "goal": "1", "with": [["1", "x >= 1"]]}, ["2*x >= 3"], where=["x >= 1"]),
        "is not manifestly at least 0",
    ),
    "combine, a fact that is none": (
        _node({"rule": "combine", "goal": "1", "with": [["1", "x >= 1"]]}, ["x >= 1"]),
        "'x >= 1' is not known here",
    ),
    "combine, a multiplier of unknown sign": (
        _node({"rule": "combine", "goal": "1", "with": [["m", "x >= 1"]]}, ["m*x >= m"], where=["x >= 1"]),
        "the multiplier 'm' is not manifestly at least 0",
    ),
    "combine, a multiplier of unknown sign alone": (
        _node({"rule": "combine", "goal": "1", "with": [["m"]]}, ["m >= 0"]),
        "is not known here",
    ),
    "combine, a negative multiple of the goal": (
        _node({"rule": "combine", "goal": "0 - 1", "with": []}, ["0 <= -1"]),
        "the multiplier '0 - 1' is not manifestly at least 0",
    ),
    "combine, 0 times the goal": (_node({"rule": "combine", "goal": "0", "with": []}, ["x >= 1"]), "not above 0"),
    "combine, a multiple of the goal that may be 0": (
        _node({"rule": "combine", "goal": "m", "with": []}, ["y >= 1"], where=["m >= 0", "m*y >= m"], m="int", y="rat"),
        "what is left over of",
    ),
    "combine, a multiple of a rational goal that may be 0": (
        _node(
            {"rule": "combine", "goal": "y", "with": [["1", "y*z >= 0"]]},
            ["z >= 0"],
            where=["y >= 0", "y*z >= 0"],
            y="rat",
            z="rat",
        ),
        "at least 0 follows, not above 0",
    ),
    "combine, an equality": (
        _node({"rule": "combine", "goal": "1", "with": [["1", "x >= 1"]]}, ["x == 1"], where=["x >= 1"]),
        "a case cannot be whether two numbers are equal",
    ),
    "combine, two goals": (
        _node({"rule": "combine", "goal": "1", "with": []}, ["x >= 1", "x >= 2"], where=["x >= 3"]),
        "there are 2 comparisons",
    ),
    "combine, strictly": (
        _node({"rule": "combine", "goal": "1", "with": [["1", "y >= 0"]]}, ["y > 0"], where=["y >= 0"], y="rat"),
        "not above 0",
    ),
    "combine, no contradiction": (
        _node({"rule": "combine", "with": [["1", "x >= 1"]]}, ["0 >= 1"], where=["x >= 1"]),
        "what is left over of",
    ),
    "combine, no contradiction with the goal": (
        _node({"rule": "combine", "goal": "1", "with": [["1", "x >= 1"]]}, ["0 >= 1"], where=["x >= 1"]),
        "what is left over of",
    ),
    "combine, nothing": (_node({"rule": "combine", "with": []}, ["0 >= 1"]), "not above 0"),
    "each": (_node({"rule": "each", "of": [KNOWN]}, ["x >= 1", "m >= 1"], where=["x >= 1"]), "2 conclusions and 1 proofs"),
    "each, of what is not said": (
        _node({"rule": "each", "of": [KNOWN, KNOWN]}, ["x >= 1"], where=["x >= 1"]),
        "1 conclusions and 2",
    ),
    "cases": (_node({"rule": "cases", "if": "x >= 1", "yes": KNOWN, "no": KNOWN}, ["x >= 1"]), "cases / known"),
    "cases, of rationals": (
        _node({"rule": "cases", "if": "y >= 1", "yes": KNOWN, "no": KNOWN}, ["y >= 1 or y <= 0"], y="rat"),
        "not decided",
    ),
    "have": (_node({"rule": "have", "claim": ["x >= 1"], "by": KNOWN, "then": KNOWN}, ["x >= 1"]), "have / known"),
    "set": (_node({"rule": "set", "variable": "x", "to": "1", "then": KNOWN}, SQUARE), "'x' is not known to be that"),
    "set, where one side is known": (
        _node({"rule": "set", "variable": "x", "to": "1", "then": KNOWN}, SQUARE, where=["x >= 1"]),
        "'x' is not known to be that",
    ),
    "set, to itself": (_node({"rule": "set", "variable": "x", "to": "x + 1", "then": KNOWN}, SQUARE), "contains it"),
    "set, where a lambda may hold it": (
        _node(
            {"rule": "set", "variable": "x", "to": "1", "then": KNOWN},
            ["g(0) >= 2"],
            where=["x == 1", {"let": ["g", "lambda i: x"]}],
        ),
        "where a lambda may hold it",
    ),
    "set, of what a Sum binds": (
        _node(
            {"rule": "set", "variable": "x", "to": "1", "then": KNOWN},
            ["Sum(x, 0, m, x) >= 0"],
            where=["x == 1"],
        ),
        "is not known",
    ),
    "name, a name that is taken": (
        _node({"rule": "name", "variable": "m", "is": "x", "then": KNOWN}, ["0 <= 0"]),
        "no new name",
    ),
    "let, a name that is taken": (_node({"rule": "let", "name": "m", "is": "0", "then": KNOWN}, ["m == 0"]), "is taken"),
    "use, of itself": (
        _node({"rule": "use", "node": "a", "with": {"m": "m", "x": "x"}, "then": KNOWN}, ["x >= 1"]),
        "what is used is not proved before",
    ),
    "use, of a variable's name that is taken": (
        _node(
            {"rule": "use", "node": "h", "with": {"i": "m"}, "then": KNOWN},
            ["m >= 0"],
            where=[{"name": "h", "for": {"m": "int"}, "where": [], "then": ["m >= 0"]}],
        ),
        "'m' is no new name",
    ),
    "induct, on the same": (_induct({"m": "m", "x": "x"}), "induct / use / known"),
    "induct, on what is more": (_induct({"m": "m + 1", "x": "x"}), "induct / use / known"),
    "induct, on what may be below 0": (_induct({"m": "m - 1", "x": "x"}), "0 <= m is not known"),
    "induct, on another variable": (_induct({"m": "m", "x": "x - 1"}, where=["x >= 1"]), "induct / use / known"),
    "induct, without a hypothesis of the node": (
        _induct({"m": "m - 1", "x": "x"}, where=["m >= 3"]),
        "induct / use / known",
    ),
    "induct, on a rational": (_induct({"m": "m/2", "x": "x"}, where=["m >= 1"]), "is not surely of its kind"),
    "induct, on a rational variable": (
        _node({"rule": "induct", "on": "y", "then": KNOWN}, ["y >= 0"], where=["y >= 0"], y="rat"),
        "induction is on no integer variable",
    ),
    "induct, on what is no variable": (
        _node({"rule": "induct", "on": "k", "then": KNOWN}, ["m >= 0"], where=[{"let": ["k", "m"]}]),
        "induction is on no integer variable",
    ),
    "induct, within a proof": (
        _node({"rule": "let", "name": "k", "is": "m", "then": {"rule": "induct", "on": "m", "then": KNOWN}}, ["m >= 0"]),
        "does not begin with it",
    ),
    "induct, with a variable that is called limit": (
        _node({"rule": "induct", "on": "m", "then": KNOWN}, ["m >= 0"], m="int", limit="int"),
        "the name 'limit' is taken",
    ),
    "know, of a Sum that may be empty": (
        _node({"rule": "know", "of": "Sum(i, 0, m, i)", "then": KNOWN}, ["0 <= 0"]),
        "whether the Sum's range is empty is not known",
    ),
    "know, of a product": (_node({"rule": "know", "of": "2*x", "then": KNOWN}, ["0 <= 0"]), "nothing to know of this"),
    "know, of what is called": (
        _node({"rule": "know", "of": "max(x, x)", "then": KNOWN}, ["0 <= 0"]),
        "nothing to know of this",
    ),
    "know, of a power whose exponent may be below 0": (
        _node({"rule": "know", "of": "2**m", "then": KNOWN}, ["2**m >= 1"]),
        "an integer e >= 0",
    ),
    "an alternative that is not excluded": (_node(KNOWN, ["x >= 1"], where=["x >= 1 or m >= 1"]), "is not known"),
    "an alternative, where the other one is known": (
        _node(KNOWN, ["x >= 1"], where=["x >= 1 or m >= 1", "m >= 1"]),
        "is not known",
    ),
    "an equality that is not excluded from both sides": (
        _node(KNOWN, ["x == 1"], where=["x == 1 or x <= 0"]),
        "is not known",
    ),
    "alternatives that are all false": (
        _node(KNOWN, ["x >= 5"], where=["m <= 0", "x <= 0", "x >= 1 or m >= 1"]),
        "what is assumed is false here",
    ),
    "two conditions that are equal": (_node(KNOWN, ["x >= 1"], where=["(x >= 1) == (m >= 1)"]), "is not known"),
    "two conditions that are equal, the other way round": (
        _node(KNOWN, ["x >= 1"], where=["m <= 0", "(x >= 1) == (m >= 1)"]),
        "is not known",
    ),
    "a comparison of a rational that is above 0": (_node(KNOWN, ["y >= 1"], where=["y > 0"], y="rat"), "is not known"),
    "know, of a base below 1": (
        _node({"rule": "know", "of": "y**3", "then": KNOWN}, ["0 <= 0"], where=["y > 0"], y="rat"),
        "for b >= 1",
    ),
    "know, of a logarithm below 1": (
        _node({"rule": "know", "of": "ln(y)", "then": KNOWN}, ["0 <= 0"], where=["y > 0"], y="rat"),
        "for t >= 1",
    ),
    "loop, none": (
        _node({"rule": "loop", "of": "m", "invariant": ["0 <= 0"], "start": KNOWN, "step": KNOWN, "then": KNOWN}, ["0 <= 0"]),
        "no loop is run here",
    ),
    "a base that may be 0": (_node(KNOWN, ["x**m * x**(-m) == 1"], where=["m >= 0", "x >= 0"]), "not manifestly positive"),
    "a divisor that may be 0": (_node(KNOWN, ["x/x == 1"]), "a divisor is not manifestly positive"),
    "a quotient of rationals": (_node(KNOWN, ["(y//1) <= y"], y="rat"), "not surely an integer"),
    "a function of a rational": (_node(KNOWN, ["f(y) == f(y)"], y="rat", f="int -> rat"), "not surely an integer"),
    "a name without a meaning": (_node(KNOWN, ["open >= 0"]), "means nothing here"),
    "no expression": (_node(KNOWN, ["x >="]), "is no expression"),
    "an expression that is not for this": (_node(KNOWN, ["[x] >= 0"]), "nothing that can be executed here"),
    "a power that is too large": (_node(KNOWN, ["(x + m)**4000 >= 0"]), "too large"),
    "a number that is too long": (_node(KNOWN, ["2**100000 >= 0"]), "too large"),
    "no conclusion": (_node(KNOWN, []), "there is no conclusion"),
    "no rule": (_node({"rule": "prove"}, ["0 <= 0"]), "is no rule"),
    "a key too many": (_node(KNOWN | {"by": 1}, ["0 <= 0"]), "has another form"),
}


CLASSES = """
from attrs import field, frozen
from functools import cached_property


@frozen(slots=False)
class Plain:
    n: int
    more: int = field(default=0, kw_only=True)

    @property
    def twice(self):
        return 2 * self.n

    def times(self, m):
        return m * self.twice


@frozen
class Derived(Plain):
    pass


@frozen
class Magic:
    n: int

    def __getattribute__(self, name):
        return 0


class Bare:
    n: int


@frozen
class Changing:
    n: int
    twice = 3


@frozen
class Twofold:
    n: int

    @property
    def n(self):
        return 0
"""
SOME = {
    "an attribute that is none of the class": ("Plain", "Some(Plain, size=x).n == x", "has no field or property 'size'"),
    "a method that is replaced": ("Plain", "Some(Plain, n=x, times=x).times == x", "has no field or property 'times'"),
    "an attribute that is not given": ("Plain", "Some(Plain, more=x).n == x", "has no 'n'"),
    "another value than the class gives": ("Plain", "Some(Plain, n=x).twice == x", "is not known"),
    "two classes": ("Plain", "Some(Plain, Plain, n=x).n == x", "other than a class and named attributes"),
    "no class": ("Plain", "Some(x, n=x).n == x", "other than a class and named attributes"),
    "a class with a base": ("Derived", "Some(Derived, n=x).n == x", "no plain class of attrs"),
    "a class that answers for its attributes": ("Magic", "Some(Magic, n=x).n == x", "might change what its names mean"),
    "a class of another kind": ("Bare", "Some(Bare, n=x).n == x", "no plain class of attrs"),
    "a class with other statements": ("Changing", "Some(Changing, n=x).n == x", "other than fields and methods"),
    "a class with two things of one name": ("Twofold", "Some(Twofold, n=x).n == x", "two things of one name"),
}


def _of_classes(folder: Path, name: str, then: str) -> list[str]:
    (folder / "impl").mkdir()
    head, plain, *others = CLASSES.split("\n\n\n")
    source = "\n\n\n".join([head, plain, *(other for other in others if f"class {name}" in other)])
    (folder / "impl" / "classes.py").write_text(source, encoding="utf-8")
    document = _document(_node(KNOWN, [then], x="int", m="int"), names={name: f"finitedp.impl.classes.{name}"})
    source = pc.plain(pc.Library(folder).named(f"finitedp.impl.classes.{name}")) if name == "Plain" else ""
    used = {f"finitedp.impl.classes.{name}": source} if source else {}
    for method in ("twice", "times") if "times(" in then else ():
        used |= {
            f"finitedp.impl.classes.{name}.{method}": pc.plain(
                pc.Library(folder).named(f"finitedp.impl.classes.{name}.{method}")
            )
        }
    document["code"] = {key: {"sha256": pc.digest(text), "source": text} for key, text in used.items()}
    return pc.check(document | {"sha256": pc.digest({k: v for k, v in document.items() if k != "sha256"})}, folder)


@pytest.mark.parametrize("what", SOME)
def test_any_object_of_a_class_is_only_what_the_class_says(what: str, tmp_path: Path) -> None:
    name, then, why = SOME[what]
    with pytest.raises(pc.Refused, match=why):
        _of_classes(tmp_path, name, then)


def test_the_methods_of_any_object_of_a_class_are_executed(tmp_path: Path) -> None:
    assert _of_classes(tmp_path, "Plain", "Some(Plain, n=x, more=m).times(m) == 2*m*x") == ["x"]


def test_a_property_that_is_given_has_to_be_taken_at_its_word(tmp_path: Path) -> None:
    with pytest.raises(pc.Refused, match="'twice', or none that is trusted without proof"):
        _of_classes(tmp_path, "Plain", "Some(Plain, n=x, twice=m).times(1) == 2*x")


RAISING = """
from finitedp.exact import integer


def refuses(x):
    if x < 0:
        raise ValueError("below 0")
    return x


def handed_on(x):
    try:
        return refuses(x)
    except ValueError as error:
        raise TypeError(str(error)) from None


def caught(x):
    try:
        return refuses(x)
    except ValueError:
        return 0


def caught_at_times(x):
    try:
        return refuses(x)
    except ValueError:
        if x < -9:
            return 0
        raise


def bounded(x):
    return integer(x, "x", 0, 9)


def steps(x):
    if x < 3 or x > 9:
        return x if x <= 4 else 4
    return x


def twofold(x):
    return steps(x) + steps(x)


def chained(x):
    return 0 <= x <= 9


def in_a_loop(x):
    y = 0
    for _ in range(2):
        y = refuses(x)
    return y
"""
RAISES = {
    "Raises(refuses(x))": (["x <= -1"], None),
    "Raises(handed_on(x))": (["x <= -1"], "or binds names"),
    "Raises(bounded(x))": (["x >= 10"], None),
    "Raises(refuses(x)) ": ([], "not decided"),
    "Raises(refuses(x + 1))": (["x >= -1"], "it is not shown that"),
    "not Raises(refuses(x))": (["x >= 0"], "it is not shown that"),
    "not Raises(in_a_loop(x))": (["x <= -1"], "it is not shown that"),
    "Raises(in_a_loop(x))": (["x <= -1"], "it is not shown that"),
    "Raises(caught(x))": (["x <= -1"], "or binds names"),
    "Raises(caught_at_times(x))": (["x <= -1"], "or binds names"),
    "Raises(bounded(x)) ": (["x <= 9"], "not decided"),
    "Raises(x//0)": (["x <= -1"], "not manifestly positive"),
    "Raises(refuses(x), refuses(x))": (["x <= -1"], "Raises has other arguments"),
    "refuses(x) == x": (["x <= -1"], "raises"),
}
COUNTED = {
    "Comparisons(steps(x)) == 2": (["x == 5"], None),
    "Comparisons(steps(x)) == 2 ": (["x <= 2"], None),  # one, and one of the expression
    "Comparisons(steps(x)) == 3": (["x >= 10"], None),
    "Comparisons(twofold(x)) == 4": (["x == 5"], None),
    "Comparisons(chained(x)) == 2": (["x == 5"], None),
    "Comparisons(chained(x)) == 1": (["x <= -1"], None),
    "Comparisons(chained(x)) == 2 ": (["x <= -1"], "not known"),
    "Comparisons(steps(x)) == 2  ": ([], "not decided"),
    "Comparisons(steps(x)) == 1": (["x <= 2"], "not known"),
    "Comparisons(refuses(x)) == 1": (["x <= -1"], "raises"),
    "Comparisons(bounded(x)) == 0": (["x == 5"], "other arguments"),
    "Comparisons(in_a_loop(x)) == 0": (["x == 5"], "a loop is not one over range"),
    "Comparisons(min(x, 7)) == 0": (["x == 5"], "'min' means nothing here"),
    "Comparisons(Comparisons(steps(x))) == 2": (["x == 5"], "means nothing here"),
    "Comparisons(x, x) == 0": (["x == 5"], "Comparisons has other arguments"),
}


@pytest.mark.parametrize("then", RAISES | COUNTED)
def test_what_raises_and_how_many_comparisons_are_made(then: str, tmp_path: Path) -> None:
    for path in Path(exact.__file__).parent.glob("*.py"):
        copyfile(path, tmp_path / path.name)
    where, why = (RAISES | COUNTED)[then]
    (tmp_path / "impl").mkdir()
    (tmp_path / "impl" / "raising.py").write_text(RAISING, encoding="utf-8")
    library = pc.Library(tmp_path)
    names = ["refuses", "handed_on", "caught", "caught_at_times", "bounded", "in_a_loop", "steps", "twofold", "chained"]
    full = {name: f"finitedp.impl.raising.{name}" for name in names}
    document = _document(_node(KNOWN, [then.strip()], x="int", where=where), names=full)
    used = [name for name in names if f"{name}(" in then] + ["refuses"] * ("handed" in then)
    used += ["steps"] * ("twofold" in then)
    found = [*map(full.__getitem__, used), *["finitedp.exact.integer", "finitedp.exact.is_integer"] * ("bounded" in then)]
    sources = {name: pc.plain(library.named(name)) for name in found}
    document["code"] = {name: {"sha256": pc.digest(text), "source": text} for name, text in sources.items()}
    document |= {"sha256": pc.digest({k: v for k, v in document.items() if k != "sha256"})}
    if why is None:
        assert pc.check(document, tmp_path) == ["x"]
        return
    with pytest.raises(pc.Refused, match=why):
        pc.check(document, tmp_path)


ACCEPTED = {  # what the twins above lack
    "an alternative": _node(KNOWN, ["x >= 1"], where=["m <= 0", "x >= 1 or m >= 1"]),
    "an alternative that is an equality": _node(KNOWN, ["x == 1"], where=["m <= 0", "x == 1 or m >= 1"]),
    "two conditions that are equal": _node(KNOWN, ["x <= 0"], where=["m <= 0", "(x >= 1) == (m >= 1)"]),
    "induct": _node(
        {
            "rule": "induct",
            "on": "m",
            "then": {
                "rule": "cases",
                "if": "m >= 1",
                "yes": {"rule": "use", "node": "IH", "with": {"m": "m - 1", "x": "x"}, "then": KNOWN},
                "no": {"rule": "set", "variable": "m", "to": "0", "then": KNOWN},
            },
        },
        ["0*m <= 0"],
        where=["m >= 0"],
    ),
}


@pytest.mark.parametrize("what", ACCEPTED)
def test_what_follows_is_proved(what: str) -> None:
    assert pc.check(_document(ACCEPTED[what])) == ["x"]


@pytest.mark.parametrize("what", REFUSED)
def test_what_does_not_follow_is_refused(what: str) -> None:
    node, why = REFUSED[what]
    said = _refused(_document(node))
    assert why in said
    assert said.startswith("node 'a'")


def test_each_rule_has_a_broken_proof() -> None:
    assert {rule for rule in pc.RULES if not any(what.split(",")[0] == rule for what in REFUSED)} == set()


def test_proofs_that_are_too_deep_are_refused() -> None:
    proof: dict[str, Any] = KNOWN
    for _ in range(400):
        proof = {"rule": "have", "claim": ["0 <= 0"], "by": KNOWN, "then": proof}
    assert "too deep" in _refused(_document(_node(proof, ["0 <= 0"])))


def test_a_later_node_and_a_circle_are_refused() -> None:
    one = _node({"rule": "use", "node": "b", "then": KNOWN}, ["0 >= 1"], "a", x="int")
    two = _node({"rule": "use", "node": "a", "with": {"x": "0"}, "then": KNOWN}, ["0 >= 1"], "b", x="int")
    assert "what is used is not proved before" in _refused(_document(one, two))


def test_forged_hashes_and_damaged_documents_are_refused(tmp_path: Path) -> None:
    document = _read("strict_coins")
    assert "hash" in _refused(document | {"title": "other"})
    code = {name: entry | {"source": entry["source"] + " "} for name, entry in document["code"].items()}
    body = {key: value for key, value in document.items() if key != "sha256"} | {"code": code}
    assert "is not that of its source" in _refused(body | {"sha256": pc.digest(body)})
    wrong: tuple[Any, ...] = (None, [], {}, document | {"more": 1}, document | {"nodes": None}, document | {"version": 2})
    for damaged in wrong:
        _refused(damaged)
    path = tmp_path / "twice.json"
    path.write_text('{"format": 1, "format": 2}', encoding="utf-8")
    with pytest.raises(pc.Refused, match="a key is there twice"):
        pc.read(path)


def test_a_claim_is_what_its_kind_means() -> None:
    document = _read("geo_sample")
    proves = [{**claim, "nodes": ["tail"]} if claim.get("kind") == "monotone" else claim for claim in document["proves"]]
    body = {key: value for key, value in document.items() if key != "sha256"} | {"proves": proves}
    assert "do not say what it means" in _refused(body | {"sha256": pc.digest(body)})


def test_a_function_that_changed_is_named_with_its_line(tmp_path: Path) -> None:
    copytree(Path(pc.__file__).resolve().parents[2] / "impl", tmp_path / "impl")
    copytree(Path(pc.__file__).resolve().parents[2] / "src", tmp_path / "src", symlinks=True)
    path = tmp_path / "impl" / "arithmetic" / "kernels.py"
    text = path.read_text(encoding="utf-8")
    path.write_text(
        text.replace("    return 1 + ((word * d) >> bits)", "    # a comment\n    return (word * d) >> bits"), encoding="utf-8"
    )
    line = 1 + path.read_text(encoding="utf-8").splitlines().index("    return (word * d) >> bits")
    with pytest.raises(
        pc.Refused, match=rf"scale_word has changed since: line {line} is 'return word \* d >> bits' and was 'return 1"
    ):
        pc.check(_read("strict_coins"), tmp_path)


WORDS = {  # what is trusted without proof: an edit of it refuses a proof, with the line, and where no line is looked at, too
    "integer": ("    return value\n\n\ndef is_integer", "    return value + 1\n\n\ndef is_integer"),
    "unit_fraction": ("    return q\n\n\ndef _form_text(", "    return q + 1\n\n\ndef _form_text("),
    "rational": ("    return mpq(value) if", "    return mpq(value) / 2 if"),
}


@pytest.mark.parametrize("name", WORDS)
def test_what_is_taken_at_its_word_may_not_be_another(name: str) -> None:
    with edited(Edit("finitedp.exact", *WORDS[name])) as root:
        with pytest.raises(pc.Refused, match=rf"finitedp.exact.{name} has changed since: line \d+ is 'return .*' and was"):
            pc.check(_read("geo_sample"), root)
        with pytest.raises(pc.Refused, match=f"finitedp.exact.{name} is trusted without proof, and it or"):
            pc.check(_read("geo_sample"), root, stale=True)


@pytest.mark.deep
def test_what_is_kept_of_a_module_is_its_text_and_changed_by_nobody() -> None:
    """A module is parsed once for all folders: neither a proof nor the same module of another folder leaves a trace in it."""
    here = pc.Library(ROOT)
    module = "finitedp.exact"
    with edited(Edit(module, *WORDS["integer"])) as root:
        there = pc.Library(root)
        changed = {name for name, node in there.module(module).items() if shown(node) != shown(here.module(module)[name])}
        assert changed == {"integer"}
        for name in FAST:
            assert pc.check(_read(name)) == pc.check(_read(name))
            with pytest.raises(pc.Refused):
                pc.check(_read(name), root, stale=True)
        kept = [(library, name) for library in (here, there) for name in [module, f"{COUNTING}.geometric", KERNELS]]
        for library, name in kept:
            nodes = [n for n in ast.parse(_source(library, name)).body if isinstance(n, ast.FunctionDef | ast.ClassDef)]
            assert nodes
            assert [shown(library.module(name)[n.name]) for n in nodes] == [shown(n) for n in nodes]


def shown(node: Any) -> str:
    return ast.dump(node) if isinstance(node, ast.AST) else repr(node)


def _source(library: pc.Library, name: str) -> str:
    library.module(name)
    return library.text[name]


COUNTING = "finitedp.impl.counting"
MEMORY = """@lru_cache(maxsize=16)
def _plan(mechanism: DyadicSample) -> Plan:
    plan = plan_of(mechanism)
    _check_plan(mechanism, plan)
    return plan
"""
FORGETFUL = """_PLANS: dict[tuple[int, int], Plan] = {}


def _plan(mechanism: DyadicSample) -> Plan:
    key = (mechanism.n, mechanism.word)
    if key not in _PLANS:
        _PLANS[key] = plan_of(mechanism)
        _check_plan(mechanism, _PLANS[key])
    return _PLANS[key]
"""
UNREAD = {  # slips in what no proof executes, with the object that rests on it: the module, the name, and the edit
    "words of 64 bits": (
        "dyadic_sample",
        "dyadic",
        "DyadicSample.table",
        ("(self.n, self.epsilon, self.word) if self", "(self.n, self.epsilon) if self"),
    ),
    "a table of n - 1": (
        "dyadic_sample",
        "dyadic",
        "DyadicSample.table",
        ("dyadic_table(self.n,", "dyadic_table(self.n - 1,"),
    ),
    "the head one shorter": (
        "dyadic_sample",
        "dyadic_table",
        "DyadicTable.first",
        ("return len(self.head)\n\n    @cached", "return len(self.head) - 1\n\n    @cached"),
    ),
    "tails the other way round": (
        "dyadic_sample",
        "dyadic_table",
        "DyadicTable.sums",
        ("return tuple(reversed(tuple(accumulate(reversed(self.head)", "return tuple(reversed(tuple(accumulate((self.head)"),
    ),
    "one plan for every epsilon": ("BasicHistogram_on_arrays", "dyadic_bulk", "_plan", (MEMORY, FORGETFUL)),
    "a plan that is not checked": (
        "StabilityHistogram_on_arrays",
        "dyadic_bulk",
        "_plan",
        ("    _check_plan(mechanism, plan)\n", ""),
    ),
    "counts of 32 bits": (
        "BasicHistogram_on_arrays",
        "dyadic_bulk",
        "_room",
        ("np.empty(size, np.int64)\n    narrow", "np.empty(size, np.int32)\n    narrow"),
    ),
}


@pytest.mark.parametrize("slip", sampled(UNREAD, 2))
def test_what_a_proof_rests_on_and_does_not_execute_may_not_be_another(slip: str) -> None:
    of, module, name, edit = UNREAD[slip]
    with edited(Edit(f"{COUNTING}.{module}", *edit)) as root:
        with pytest.raises(pc.Refused, match=rf"{name} has changed since"):
            pc.check(_read(of), root)
        with pytest.raises(pc.Refused, match=f"{name} is trusted without proof, and it or"):
            pc.check(_read(of), root, stale=True)


def test_what_is_known_of_finitedp_is_recorded_word_by_word() -> None:
    known = {name for run in (pc.Run, pc.LabelRun) for name in run.known if name.startswith("finitedp.")}
    assert known <= set(pc.TAKEN)


EDITS = [
    ("clamped_cdf", "if z >= n:", "if not z >= n:"),
    ("clamped_cdf", "    if z < 0:\n        return total - total\n", ""),
    ("_least_reaching_step", "cdf(min(position + step, n) - 1)", "cdf(position + step - 1)"),
    ("scale_word", "return 1 + ((word * d) >> bits)", "return (word * d) >> bits"),
]


@pytest.mark.deep
@pytest.mark.parametrize("edit", EDITS, ids=[f"{name}-{i}" for i, (name, _, _) in enumerate(EDITS)])
def test_mutants_that_the_tests_were_tried_on_are_refused_by_a_rule(edit: tuple[str, str, str], tmp_path: Path) -> None:
    name, old, new = edit
    copytree(Path(pc.__file__).resolve().parents[2] / "impl", tmp_path / "impl")
    for path in Path(exact.__file__).parent.glob("*.py"):
        copyfile(path, tmp_path / path.name)
    path = Path("impl", "arithmetic", "kernels.py")
    source = (tmp_path / path).read_text(encoding="utf-8")
    assert source.count(old) == 1
    of = {"strict_coins": _read("strict_coins"), "geo_sample": _read("geo_sample")}
    assert all(pc.check(document, tmp_path) for document in of.values())
    assert refusal(f"{KERNELS}.{name}", str(path), source.replace(old, new), of, tmp_path) is not None


def _attacked(seed: int, attacks: int) -> Counter[str]:
    chance, seen = random.Random(seed), Counter[str]()
    targets = [Target(pc.read(path)) for path in sorted(OBJECTS.glob("*.json"))]
    for _ in range(attacks):
        result, node, point = chance.choice(targets).attack(chance)
        seen[result] += 1
        assert result != "REFUTED", f"{node['name']}: {node['where']} => {node['then']} is accepted, and false at {point}"
    return seen


@pytest.mark.deep
def test_no_changed_proof_of_what_is_false_is_accepted() -> None:
    seen = _attacked(1, 300)
    assert seen["refused"] > seen["same statement"] > 0
    assert seen["not refuted"] > 0


@pytest.mark.full
def test_no_changed_proof_of_what_is_false_is_accepted_in_20_000() -> None:
    seen = _attacked(2, 20_000)
    assert seen["not refuted"] > 500


@pytest.mark.full
def test_random_evaluation_meets_every_node_and_refutes_none() -> None:
    for path in sorted(OBJECTS.glob("*.json")):
        document = pc.read(path)
        names = named(document["names"])
        for node in document["nodes"]:
            if {"ways", "hits"} & {part.get("name") for part in node["where"] if isinstance(part, dict)}:
                continue  # of binomial coefficients: test_blanket_proof.py
            met, point = looked_at(node, names, random.Random(5), 20, 12_000)
            assert (met >= 10, point) == (True, None), f"{path.stem}: {node['name']}: {met}"


def test_the_evaluation_that_judges_the_fuzzer_sees_what_is_false() -> None:
    node = next(node for node in _read("geo_sample")["nodes"] if node["name"] == "ratio")
    names = named(_read("geo_sample")["names"])
    assert refuted(node, names, random.Random(1), 40, 4000) is None
    false = {**node, "then": ["x*(M.cdf(c, z) - M.cdf(c, z - 1)) <= x*(M.cdf(e, z) - M.cdf(e, z - 1))"]}
    assert refuted(false, names, random.Random(1), 40, 4000) is not None


# What these change is refused by the hash alone: `checked_mechanism` is read, not run: it returns its argument, or raises.
NOT_SAID = """
finitedp.impl.counting.geometric.checked_mechanism: line 3: the condition is denied
finitedp.impl.counting.geometric.checked_mechanism: line 4: 0 becomes 1
finitedp.impl.counting.geometric.checked_mechanism: line 4: 0 becomes -1
"""


@pytest.mark.parametrize(("many", "met"), [(3, True), (2, False), (4, False)])
def test_the_evaluation_counts_comparisons(many: int, met: bool) -> None:
    node = next(node for node in _read("empty_bins")["nodes"] if node["name"] == "three comparisons")
    node = {**node, "then": [f"Comparisons(B.apply(u)) == {many}"]}
    assert (refuted(node, named(_read("empty_bins")["names"]), random.Random(1), 20, 4000) is None) == met


@pytest.mark.full
def test_every_other_mutant_of_what_is_executed_is_refused_by_a_rule() -> None:
    tried, alive = survivors()
    assert tried >= 360
    assert set(alive) <= set(NOT_SAID.strip().splitlines())
