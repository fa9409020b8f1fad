"""Writes proof objects: nodes by hand, with holes that the finder fills while the checker runs."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from finitedp.proofs_check.proofs import proof_checker as pc
from finitedp.proofs_check.proofs.structure import OBJECTS, ROOT
from tests.finders.finding import KNOWN, Finder, NotFound, Proof

Tactic = Callable[["Filling", pc.Sequent], Proof]


class Hole(dict[str, Any]):
    """A place in a proof that is filled when the checker comes there."""

    def __init__(self, tactic: Tactic) -> None:
        super().__init__(rule="hole")
        self.tactic = tactic
        self.filled: Proof = {}
        self.done = False


class Filling(pc.Checker):
    """The checker, which asks for a proof where there is a hole, and then checks it."""

    def prove(self, sequent: pc.Sequent, proof: Proof) -> None:
        """Fill the hole, if this is one; then as ever."""
        pc.STEPS[0] = 0
        if isinstance(proof, Hole):
            try:
                proof.filled = proof.tactic(self, sequent)
            except NotFound as error:
                raise NotFound(f"{' / '.join(self.path)}: {error}") from None
            if proof.done:
                raise NotFound("a hole stands in two places")
            proof.done = True
            self.prove(sequent, proof.filled)
        else:
            super().prove(sequent, proof)


def filled(proof: Any) -> Any:  # a proof, or a part
    """A proof whose holes are replaced by what fills them."""
    if isinstance(proof, Hole):
        return filled(proof.filled)
    if isinstance(proof, dict):
        return {k: filled(v) for k, v in proof.items()}
    return [filled(v) for v in proof] if isinstance(proof, list) else proof


def auto(*hints: str, cases: Sequence[str] = (), products: Sequence[Sequence[str]] = ()) -> Hole:
    """Let the finder do it: multipliers to be tried with each fact, conditions to be asked first, and whole products."""
    return Hole(lambda checker, sequent: Finder(checker, hints, products).by_cases(sequent, cases))


def branches(conditions: Sequence[str], then: Callable[[], Proof]) -> Proof:
    """Ask the conditions one after the other; where they contradict what is known the finder says so, else `then`."""
    if not conditions:
        return then()

    def ask(checker: Filling, sequent: pc.Sequent) -> Proof:
        finder = Finder(checker)
        fact = checker.fact(sequent, conditions[0])
        for side in (fact, sequent.negated(fact)):
            if sequent.holds(side):
                return branches(conditions[1:], then)
        parts = []
        for case in (fact, sequent.negated(fact)):
            branch = sequent.copy()
            branch.add(case)
            parts.append(finder.contradiction(branch) or branches(conditions[1:], then))
        return {"rule": "cases", "if": conditions[0], "yes": parts[0], "no": parts[1]}

    return Hole(ask)


def chain(*steps: Proof) -> Proof:
    """Rules that end in `then`, one after the other; the last is a proof."""
    *first, last = steps
    for step in reversed(first):
        if isinstance(step, Hole):
            step["then"] = last
            last = step
        else:
            last = step | {"then": last}
    return last


def have(*claim: str, by: Proof | None = None) -> Proof:
    """The rule have, without its end."""
    return {"rule": "have", "claim": list(claim), "by": by if by is not None else auto()}


def use(node: str, values: dict[str, str] | None = None, where: Sequence[Proof] = ()) -> Proof:
    """The rule use, without its end."""
    return {"rule": "use", "node": node} | ({"with": values} if values else {}) | ({"where": list(where)} if where else {})


def know(of: str) -> Proof:
    """The rule know, without its end."""
    return {"rule": "know", "of": of}


def name(variable: str, value: str) -> Proof:
    """The rule name, without its end."""
    return {"rule": "name", "variable": variable, "is": value}


def let(name: str, value: str) -> Proof:
    """The rule let, without its end."""
    return {"rule": "let", "name": name, "is": value}


def put(name: str, to: str) -> Proof:
    """The rule set, without its end."""
    return {"rule": "set", "variable": name, "to": to}


def cases(condition: str, yes: Proof, no: Proof) -> Proof:
    """The rule cases."""
    return {"rule": "cases", "if": condition, "yes": yes, "no": no}


def again(**values: str) -> Hole:
    """The rule use of the induction hypothesis, for other values of some variables, and for the same ones of the others.

    Of its hypotheses with variables each is shown by that of the same name; it ends where a proof is chained to it.
    """

    def tactic(_: Filling, sequent: pc.Sequent) -> Proof:
        said = sequent.hypotheses["IH"]
        same = [part for part in said.where if isinstance(part, str) or "let" not in part]
        where = [auto() if isinstance(part, str) else shown_by(part) for part in same]
        return use("IH", {name: name for name in said.variables} | values, where) | {"then": hole["then"]}

    hole = Hole(tactic)
    return hole


def shown_by(part: Proof) -> Proof:
    """A hypothesis with variables, by the one of its name."""
    return chain(use(part["name"], {name: name for name in part["for"]}), KNOWN)


def induct(on: str, start: str, base: Proof, *step: Proof) -> Proof:
    """The rule induct: at the start `base`; else the node is used for `before`, which is on - 1, and `step` follows."""
    less = chain(name("before", f"{on} - 1"), put(on, "before + 1"), again(**{on: "before"}), *step)
    return {"rule": "induct", "on": on, "then": cases(f"{on} <= {start}", chain(put(on, start), base), less)}


def each(*of: Proof) -> Proof:
    """The rule each."""
    return {"rule": "each", "of": list(of)}


class Book:
    """A document that is being written."""

    def __init__(self, title: str, names: Sequence[str] = (), root: Path = ROOT) -> None:
        self.title, self.names = title, {name.rpartition(".")[2]: name for name in names}
        self.checker = Filling(self.names, root)
        self.nodes: list[dict[str, Any]] = []
        self.proves: list[dict[str, Any]] = []

    def node(self, name: str, variables: dict[str, str], where: Sequence[Any], then: Sequence[str], proof: Proof) -> None:
        """Add a node, whose holes are filled now. Raises: NotFound, Refused."""
        node = {"name": name, "for": variables, "where": list(where), "then": list(then), "proof": proof}
        try:
            self.checker.node(node)
        except pc.Refused as error:
            raise pc.Refused(" / ".join([*self.checker.path, str(error)])) from error
        self.nodes.append(filled(node))
        self.checker.proved[name] = self.nodes[-1]

    def statement(self, name: str, said: dict[str, Any], proof: Proof) -> None:
        """Add a node whose statement is given whole."""
        self.node(name, said["for"], said["where"], said["then"], proof)

    def claim(self, claim: str, *nodes: str, kind: str | None = None, mechanism: str | None = None) -> None:
        """Say which nodes a claim is."""
        entry: dict[str, Any] = {"claim": claim, "nodes": list(nodes)}
        self.proves.append(entry | ({"kind": kind, "mechanism": mechanism} if kind else {}))

    def document(self) -> dict[str, Any]:
        """The document as it is written to a file."""
        code = {
            name: {"sha256": pc.digest(source), "source": source} for name, source in sorted(self.checker.library.used.items())
        }
        head = {"format": "finitedp proof", "version": 1, "title": self.title, "names": self.names, "proves": self.proves}
        body = head | {"code": code, "nodes": self.nodes}
        return body | {"sha256": pc.digest(body)}

    def write(self, name: str, folder: Path = OBJECTS) -> Path:
        """Check the document once more, and write it."""
        document = self.document()
        pc.check(document)
        path = folder / f"{name}.json"
        path.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
        return path
