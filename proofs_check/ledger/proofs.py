"""Entries that are proved: each re-checks a proof object by its lone checker, and its twins edit the code that is proved.

A twin is an edit of a source, of the kind that a tired programmer makes. The statement must not be provable of the edited
code: the checker refuses it at a step of the proof, or numbers refute what the statement comes down to, never because what was
recorded differs.
"""

import ast
import json
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from fractions import Fraction
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple, cast

from attrs import frozen
from gmpy2 import mpq

import finitedp.errors
from finitedp.impl.arithmetic.kernels import clamped_cdf
from finitedp.impl.counting.dyadic_table import least_following
from finitedp.impl.counting.geometric import GeoSample
from finitedp.proofs_check.ledger.entry import Cases, Check, Finding, Kind, entry
from finitedp.proofs_check.proofs import proof_checker, structure
from finitedp.proofs_check.proofs.alone import live
from finitedp.proofs_check.proofs.structure import OBJECTS, ROOT

__all__ = [
    "FORMAT",
    "OBJECTS",
    "Edit",
    "Named",
    "Restated",
    "Twin",
    "edited",
    "false_at",
    "named",
    "proved",
    "proven",
    "proves",
    "read",
    "rechecked",
    "steps_of",
    "trusted",
]

FORMAT = "finitedp proof"
INSTALLED = Path(finitedp.errors.__file__).parent


@frozen
class Edit:
    """A twin: the one place of a module where `old` stands says `new` instead."""

    module: str
    old: str
    new: str

    def of(self, text: str) -> str:
        """The edited text. Raises: ValueError where `old` does not stand there once."""
        if text.count(self.old) != 1:
            raise ValueError(f"{self.old!r} stands {text.count(self.old)} times in {self.module}, and not once")
        return text.replace(self.old, self.new)


@frozen
class Restated:
    """A twin of a lemma: a node's statement says `new` where it says `old`, and is false at a point.

    at: the values there: numbers as text "p/q", functions as lists of their values at 0, 1, ..., with 0 behind them; lists of
    lists for two arguments.
    """

    node: str
    old: str
    new: str
    at: "Point"


Point = Mapping[str, str | Sequence[str] | Sequence[Sequence[str]]]
Twin = Edit | Restated


@cache
def read(name: str) -> dict[str, Any]:
    """A proof object that finitedp brings, by the name of its file. Raises: OSError, ValueError."""
    return cast(dict[str, Any], json.loads((OBJECTS / f"{name}.json").read_text(encoding="utf-8")))


def proves(document: dict[str, Any]) -> list[str]:
    """The ids of the claims that a proof object proves, re-checked by the live checker and the second one. Raises: Refused."""
    return _proves(document)[0]


def _proves(document: dict[str, Any]) -> tuple[list[str], frozenset[str]]:
    """The ids, and the functions that the live checker took at their word."""
    found = proof_checker.check(document, INSTALLED)  # the same files as the live checker, whatever is a link
    told = live(document)
    if "refused" in told:
        raise proof_checker.Refused(f"by the live checker: {told['refused']}")
    for claim in document["proves"]:
        known = _statements().get(claim["claim"])
        if known is not None and _said(document, claim) not in known:
            raise proof_checker.Refused(f"what it calls {claim['claim']} is not the statement that finitedp knows by this id")
    return found, frozenset(told["taken"])


def _said(document: dict[str, Any], claim: dict[str, Any]) -> list[Any]:
    """What the nodes of a claim say, without their proofs; what the names in them stand for; and what they were derived of."""
    nodes = {node["name"]: {key: node[key] for key in ("for", "where", "then")} for node in document["nodes"]}
    derived = [claim.get("kind"), claim.get("mechanism")]
    return [nodes[name] for name in claim["nodes"]] + [document["names"], derived]


@cache
def _statements() -> dict[str, list[Any]]:
    """By the id of a claim: what the proof objects that finitedp brings say of it."""
    found: dict[str, list[Any]] = {}
    for path in sorted(OBJECTS.glob("*.json")):
        document = read(path.stem)
        for claim in document.get("proves", []):
            found.setdefault(claim["claim"], []).append(_said(document, claim))
    return found


def named(document: dict[str, Any]) -> list[str]:
    """What a proof object that was accepted proves: ids of claims that are known with these statements, or the statements."""
    return [_named(document, claim) for claim in document["proves"]]


def _named(document: dict[str, Any], claim: dict[str, Any]) -> str:
    """A claim's id, if it is known; else what its nodes say, and what the names in them stand for."""
    known = _statements().get(claim["claim"])
    if known is not None and _said(document, claim) in known:
        return str(claim["claim"])
    *nodes, names, _ = _said(document, claim)
    texts = "; ".join(_text(node) for node in nodes)
    return texts + "".join(f", where {name} is {full}" for name, full in names.items())


def _text(said: dict[str, Any]) -> str:
    """A statement in one line, by the syntax that the checkers read: without comments and lines that they do not see."""
    variables = ", ".join(f"{kind} {name}" for name, kind in said["for"].items()) or "no variables"
    where = [
        _one(part)
        if isinstance(part, str)
        else f"{part['let'][0]} = {_one(part['let'][1])}"
        if "let" in part
        else f"[{_text(part)}]"
        for part in said["where"]
    ]
    return f"for all {variables}{' with ' if where else ''}{', '.join(where)}: {' and '.join(map(_one, said['then']))}"


def _one(text: str) -> str:
    return ast.unparse(ast.parse(text, mode="eval"))


def steps_of(document: dict[str, Any]) -> list[str]:
    """The names of a proof object's steps."""
    return [node["name"] for node in document["nodes"]]


class Named(NamedTuple):
    """What an entry's check re-checks: a proof object, and what of all that it proves."""

    proof: str
    statement: str


def proved(
    id: str,  # noqa: A002  # the field's name
    kind: Kind,
    statement: str,
    *,
    over: str,
    code: Sequence[str],
    proof: str,
    twins: Mapping[str, Twin],
) -> Callable[[Check], Check]:
    """Register the decorated check, which is `rechecked`, as an entry that is proved for all parameters.

    Parameters: proof, the name of the proof object, which calls the statement by the id; the rest as in entry.
    """
    grid = Cases([Named(proof, id)])
    return entry(id, kind, statement, over=over, code=code, grid=grid, subject=None, twins=twins, proof=proof)


def rechecked(twin: Twin | None, named: Named) -> Finding:
    """Whether a proof object proves a statement; of a twin, whether it may still be provable."""
    document = read(named.proof)
    if twin is not None:
        why = _restated(document, twin) if isinstance(twin, Restated) else _refuted(document, twin, named.statement)
        return Finding(why is None, mpq(1), "provable all the same" if why is None else why)
    found = proven(named.proof)
    holds = named.statement in found
    return Finding(
        holds, mpq(0), f"{len(steps_of(document))} steps re-checked" if holds else f"what is proved: {', '.join(found)}"
    )


def proven(name: str) -> list[str]:
    """What a proof object that finitedp brings proves: re-checked once in a process, for all entries that rest on it."""
    return _proven(name)[0]


def trusted(name: str) -> frozenset[str]:
    """The functions that a checker took at their word for a proof object that finitedp brings."""
    return _proven(name)[1] | {one for one in read(name)["code"] if one in proof_checker.TAKEN}


@cache
def _proven(name: str) -> tuple[list[str], frozenset[str]]:
    return _proves(read(name))


@contextmanager
def edited(edit: Edit) -> Iterator[Path]:
    """A folder with the code as it is here, but for one edit."""
    library = ROOT / "src" / "finitedp" if (ROOT / "src").is_dir() else ROOT  # in a repository, or installed
    with tempfile.TemporaryDirectory() as folder:
        root = here = Path(folder)
        *above, name = edit.module.removeprefix("finitedp.").split(".")
        for path in (ROOT / "impl", ROOT / "spec", library / "data", *library.glob("*.py")):
            (root / path.name).symlink_to(path)
        for part in above:  # only what is above the edited module is a folder of its own
            here /= part
            linked = here.resolve()
            here.unlink()
            here.mkdir()
            for path in linked.iterdir():
                (here / path.name).symlink_to(path)
        path = here / f"{name}.py"
        text = edit.of(path.read_text(encoding="utf-8"))
        path.unlink()
        path.write_text(text, encoding="utf-8")
        yield root


def _refuted(document: dict[str, Any], edit: Edit, wanted: str) -> str | None:
    """Why what is wanted cannot be proved of the edited code, or None."""
    with edited(edit) as root:
        derived = {claim["claim"]: claim["mechanism"] for claim in document["proves"] if claim.get("kind") == "histogram"}
        if wanted in derived:
            return structure.refutation(derived[wanted], root)
        try:
            found = proof_checker.check(document, root, stale=True)
        except proof_checker.Refused as refused:
            return str(refused)
    return None if wanted in found else f"{wanted} is not proved"


def _restated(document: dict[str, Any], twin: Restated) -> str | None:
    """Why a node that says something else is not proved, which the checker refuses and the twin's point refutes; or None."""
    node = next(node for node in document["nodes"] if node["name"] == twin.node)
    text = json.dumps([node["where"], node["then"]])
    old, new = json.dumps(twin.old)[1:-1], json.dumps(twin.new)[1:-1]
    if text.count(old) != 1:
        raise ValueError(f"{twin.old!r} stands {text.count(old)} times in the statement of {twin.node!r}, and not once")
    where, then = json.loads(text.replace(old, new))
    changed = [{**x, "where": where, "then": then} if x is node else x for x in document["nodes"]]
    try:
        proof_checker.check({**document, "nodes": changed}, stale=True)
    except proof_checker.Refused as refused:
        return str(refused) if false_at(where, then, twin.at) else None
    return None


_MOST = 6  # how far the variables of a hypothesis are tried: from -1 on


def false_at(where: Sequence[Any], then: Sequence[str], at: Point) -> bool:
    """Whether all hypotheses hold at a point, and a conclusion does not: by plain rational arithmetic, without the checker."""
    known: dict[str, Any] = {
        "clamped_cdf": clamped_cdf,
        "least_following": least_following,
        "GeoSample": lambda n, epsilon: GeoSample(int(n), Fraction(epsilon)),
        "integer": lambda value: value == int(value),
    }
    for name, value in at.items():
        known[name] = Fraction(value) if isinstance(value, str) else _function(value)

    def true(text: str, more: Mapping[str, Any] = known) -> bool:
        names = {"__builtins__": {}, "sum": sum, "range": range, "int": int, **known, **more}
        return bool(eval(_sums(text), names))  # noqa: S307  # the text of a proof object of ours

    for part in where:
        if isinstance(part, str):
            if not true(part):
                return False
            continue
        if "let" in part:
            name, text = part["let"]
            known[name] = Fraction(eval(text, {"__builtins__": {}, **known}))  # noqa: S307  # as below
            continue
        names = list(part["for"])
        for values in product(range(-1, _MOST), repeat=len(names)):
            point = dict(zip(names, values, strict=True))
            if all(true(text, point) for text in part["where"]) and not all(true(text, point) for text in part["then"]):
                return False
    return not all(true(text) for text in then)


def _function(values: Sequence[str] | Sequence[Sequence[str]]) -> Callable[..., Fraction]:
    def value(place: Fraction, *more: Fraction) -> Fraction:
        found = values[int(place)] if 0 <= place < len(values) else "0"
        return Fraction(found) if isinstance(found, str) else _function(found)(*more)

    return value


def _sums(text: str) -> str:
    """Sum(i, low, high, body) as Python's own sum."""

    class Rewriter(ast.NodeTransformer):
        def visit_Call(self, node: ast.Call) -> ast.AST:  # ast's name
            self.generic_visit(node)
            if not (isinstance(node.func, ast.Name) and node.func.id == "Sum"):
                return node
            i, low, high, body = map(ast.unparse, node.args)
            return ast.parse(f"sum(({body}) for {i} in range(int({low}), int({high}) + 1))", mode="eval").body

    return ast.unparse(Rewriter().visit(ast.parse(text, mode="eval")))
