"""Writes documents for proof_checker, by tactics that lead to leaves which the Finder solves. Nothing here is trusted."""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from finitedp.proofs_check.proofs import proof_checker as pc
from tests.finders.building import Book, Hole, induct, shown_by
from tests.finders.finding import Finder, Hints

_NOTHING: Mapping[str, Any] = MappingProxyType({})
Proof = dict[str, Any]
Tactic = Callable[[pc.Sequent], Proof]


def hole(tactic: Tactic) -> Hole:
    """The place of a proof that a tactic finds."""
    return Hole(lambda _, sequent: tactic(sequent))


class Writer:
    """A document that is written node by node. Parameters: names, what functions of finitedp are called in it."""

    def __init__(self, title: str, names: Sequence[str] = ()) -> None:
        self.book = Book(title, names)
        self.checker = self.book.checker

    def add(self, name: str, variables: str, where: Sequence[Any], then: Sequence[str], tactic: Tactic) -> None:
        """Add a node with the proof that a tactic finds. Parameters: variables, such as "n int, S int -> rat"."""
        kinds = dict(part.strip().split(" ", 1) for part in variables.split(";"))
        self.book.node(name, kinds, where, then, hole(tactic))

    def solve(self, hints: Hints = ()) -> Tactic:
        """What the Finder finds."""
        return lambda sequent: Finder(self.checker, hints=hints).solve(sequent)

    def cases(self, text: str, yes: Tactic, no: Tactic) -> Tactic:
        """Whether a comparison holds; a side that cannot be is closed."""

        def closed(follows: Tactic) -> Hole:
            return hole(lambda sequent: Finder(self.checker).contradiction(sequent) or follows(sequent))

        def tactic(sequent: pc.Sequent) -> Proof:
            fact = self.checker.fact(sequent, text)
            if sequent.holds(fact):
                return yes(sequent)
            if sequent.holds(sequent.negated(fact)):
                return no(sequent)
            return {"rule": "cases", "if": text, "yes": closed(yes), "no": closed(no)}

        return tactic

    def use(self, name: str, then: Tactic, shown: Mapping[str, Tactic] = _NOTHING, /, **values: str) -> Tactic:
        """A node or hypothesis, for values of its variables; its hypotheses with variables are those of the same name here.

        Parameters: shown, by the name of such a hypothesis how it is shown, if it is not there.
        """

        def tactic(sequent: pc.Sequent) -> Proof:
            said = sequent.hypotheses.get(name)
            parts = said.where if said else self.checker.proved[name]["where"]
            same = [part for part in parts if isinstance(part, str) or "let" not in part]
            where = [
                hole(self.solve() if isinstance(part, str) else shown[part["name"]])
                if isinstance(part, str) or part["name"] in shown
                else shown_by(part)
                for part in same
            ]
            return {"rule": "use", "node": name, "with": values, "where": where, "then": hole(then)}

        return tactic

    def have(self, claim: str, by: Tactic, then: Tactic) -> Tactic:
        """Something that is shown first."""
        return lambda _: {"rule": "have", "claim": [claim], "by": hole(by), "then": hole(then)}

    def each(self, *tactics: Tactic) -> Tactic:
        """The conclusions one by one; with one tactic, each by it."""

        def tactic(sequent: pc.Sequent) -> Proof:
            by = tactics if len(tactics) > 1 else tactics * len(sequent.goal.texts)
            return {"rule": "each", "of": [hole(follows) for follows in by]}

        return tactic

    def induct(self, on: str, start: str, base: Tactic, step: Tactic) -> Tactic:
        """By induction: at the start `base`; else the node is used for `before`, which is on - 1, and `step` follows."""
        return lambda _: induct(on, start, hole(base), hole(step))

    def know(self, text: str, then: Tactic) -> Tactic:
        """What is known of a quotient, a bit length, a power or a Sum."""
        return lambda _: {"rule": "know", "of": text, "then": hole(then)}

    def document(self, **proves: Sequence[str]) -> dict[str, Any]:
        """The document, checked. Parameters: the nodes that each claim is, by id with _ for the dots."""
        for name, nodes in proves.items():
            self.book.claim(name.replace("_", "."), *nodes)
        found = self.book.document()
        pc.check(found)
        return found
