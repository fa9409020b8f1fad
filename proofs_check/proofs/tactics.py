"""Writes documents for proof_checker, by tactics that lead to leaves which the Finder solves. Nothing here is trusted."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from finitedp.proofs_check.proofs import proof_checker as pc
from finitedp.proofs_check.proofs.finding import Finder, Hints

__all__ = ["Proof", "Tactic", "Writer"]

Proof = dict[str, Any]
Tactic = Callable[[pc.Sequent], Proof]
Node = dict[str, Any]
ROOT = Path(__file__).resolve().parents[2]


class Writer:
    """A document that is written node by node. Parameters: names, what functions of finitedp are called in it."""

    def __init__(self, title: str, names: dict[str, str] | None = None) -> None:
        self.title, self.names = title, names or {}
        self.checker = pc.Checker(self.names, ROOT)
        self.nodes: list[Node] = []

    def add(self, name: str, variables: str, where: Sequence[Any], then: Sequence[str], tactic: Tactic) -> None:
        """Add a node with the proof that a tactic finds. Parameters: variables, such as "n int, S int -> rat"."""
        kinds = dict(part.strip().split(" ", 1) for part in variables.split(";"))
        node = {"name": name, "for": kinds, "where": [*where], "then": [*then]}
        node["proof"] = tactic(self._start(node))
        self.checker.node(node)
        self.nodes.append(node)

    def _start(self, node: Node) -> pc.Sequent:
        """The sequent of a node, as the checker makes it."""
        found: list[pc.Sequent] = []
        other = pc.Checker(self.names, ROOT)
        other.proved, other.library = dict(self.checker.proved), self.checker.library
        other.prove = lambda sequent, _: found.append(sequent)  # type: ignore[method-assign, assignment]
        other.node({**node, "proof": {}})
        found[0].checker = self.checker
        return found[0]

    def solve(self, hints: Hints = ()) -> Tactic:
        """What the Finder finds."""
        return lambda sequent: Finder(self.checker, hints=hints).solve(sequent)

    def cases(self, text: str, yes: Tactic, no: Tactic) -> Tactic:
        """Whether a comparison holds; a side that cannot be is closed."""

        def tactic(sequent: pc.Sequent) -> Proof:
            fact = self.checker.fact(sequent, text)
            if sequent.holds(fact):
                return yes(sequent)
            if sequent.holds(sequent.negated(fact)):
                return no(sequent)
            sides = []
            for case, follows in ((fact, yes), (sequent.negated(fact), no)):
                branch = sequent.copy()
                branch.add(case)
                sides.append(Finder(self.checker).contradiction(branch) or follows(branch))
            return {"rule": "cases", "if": text, "yes": sides[0], "no": sides[1]}

        return tactic

    def use(self, name: str, then: Tactic, **values: str) -> Tactic:
        """A node or hypothesis, for values of its variables."""

        def tactic(sequent: pc.Sequent) -> Proof:
            local = sequent.hypotheses.get(name)
            document = (
                {"for": local.variables, "where": local.where, "then": local.then} if local else self.checker.proved[name]
            )
            env = dict(local.env) if local else {}
            for variable in document["for"]:
                env[variable] = pc.Run(sequent).value(pc.parsed(values[variable]), sequent.env)
            where: list[Proof] = []
            for part in document["where"]:
                if isinstance(part, str):
                    where.append(self.solve()(sequent.copy(pc.Goal(pc.single([part]), env))))
                elif "let" in part:
                    env[part["let"][0]] = pc.Run(sequent).value(pc.parsed(part["let"][1]), env)
                else:  # by the hypothesis of that name here
                    same = {v: v for v in part["for"]}
                    where.append({"rule": "use", "node": part["name"], "with": same, "where": [], "then": {"rule": "known"}})
            after = sequent.copy()
            for text in document["then"]:
                self.checker.assume(after, text, env)
            return {"rule": "use", "node": name, "with": values, "where": where, "then": then(after)}

        return tactic

    def have(self, claim: str, by: Tactic, then: Tactic) -> Tactic:
        """Something that is shown first."""

        def tactic(sequent: pc.Sequent) -> Proof:
            shown = by(sequent.copy(pc.Goal(pc.single([claim]), dict(sequent.env))))
            after = sequent.copy()
            self.checker.assume(after, claim, after.env)
            return {"rule": "have", "claim": [claim], "by": shown, "then": then(after)}

        return tactic

    def each(self, *tactics: Tactic) -> Tactic:
        """The conclusions one by one; with one tactic, each by it."""

        def tactic(sequent: pc.Sequent) -> Proof:
            goal = sequent.goal
            parts = [sequent.copy(pc.Goal([text], goal.env, goal.body)) for text in goal.texts]
            by = tactics if len(tactics) > 1 else tactics * len(parts)
            return {"rule": "each", "of": [follows(part) for follows, part in zip(by, parts, strict=True)]}

        return tactic

    def induct(self, on: str, start: str, base: Tactic, step: Tactic, under: Sequence[str] = ()) -> Tactic:
        """Induction: the checker makes both sequents, and the tactics find their proofs there."""

        def tactic(sequent: pc.Sequent) -> Proof:
            made: dict[str, Proof] = {"base": {}, "step": {}}
            waiting = iter((("base", base), ("step", step)))
            other = pc.Checker(self.names, ROOT)
            other.proved, other.library = self.checker.proved, self.checker.library

            def prove(inner: pc.Sequent, _: Proof) -> None:
                name, follows = next(waiting)
                inner.checker = self.checker
                made[name] = follows(inner)

            other.prove = prove  # type: ignore[assignment, method-assign]
            other._induct(sequent, {"rule": "induct", "on": on, "from": start, "under": [*under], "base": {}, "step": {}})
            return {"rule": "induct", "on": on, "from": start, "under": [*under], **made}

        return tactic

    def unfold(self, text: str, at: str, then: Tactic) -> Tactic:
        """A Sum's last term, or that it is empty."""

        def tactic(sequent: pc.Sequent) -> Proof:
            made: list[Proof] = []
            other = pc.Checker(self.names, ROOT)
            other.proved, other.library = self.checker.proved, self.checker.library
            other.prove = lambda inner, _: made.append(then(inner))  # type: ignore[method-assign, assignment]
            other._sum(sequent, {"of": text, "at": at, "then": {}})
            return {"rule": "sum", "of": text, "at": at, "then": made[0]}

        return tactic

    def know(self, text: str, then: Tactic) -> Tactic:
        """What is known of a quotient, a bit length or a power."""

        def tactic(sequent: pc.Sequent) -> Proof:
            made: list[Proof] = []
            other = pc.Checker(self.names, ROOT)
            other.proved, other.library = self.checker.proved, self.checker.library
            other.prove = lambda inner, _: made.append(then(inner))  # type: ignore[method-assign, assignment]
            other._know(sequent, {"of": text, "then": {}})
            return {"rule": "know", "of": text, "then": made[0]}

        return tactic

    def document(self, **proves: Sequence[str]) -> dict[str, Any]:
        """The document, checked. Parameters: the nodes that each claim is, by id with _ for the dots."""
        used = self.checker.library.used
        code = {name: {"sha256": pc.digest(source), "source": source} for name, source in sorted(used.items())}
        claims = [{"claim": name.replace("_", "."), "nodes": [*nodes]} for name, nodes in proves.items()]
        found = {"format": "finitedp proof", "version": 1, "title": self.title, "names": self.names, "proves": claims}
        found |= {"code": code, "nodes": self.nodes}
        found["sha256"] = pc.digest(found)
        pc.check(found)
        return found
