"""Finds proofs for the checker: splits where the code asks, decides linear comparisons, and looks for multipliers by z3.

Nothing here is trusted: what is found is checked again by proof_checker.py, which uses none of it.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from finitedp.proofs_check.proofs import proof_checker as pc
from tests.finders.shown import shown

Proof = dict[str, Any]
KNOWN: Proof = {"rule": "known"}


class NotFound(Exception):  # noqa: N818  # what the reader sees
    """No proof was found."""


def known_texts(sequent: pc.Sequent) -> list[tuple[str, pc.Fact]]:
    """The facts that can be written, where two that make an equality are one."""
    found = list[tuple[str, pc.Fact]]()
    for poly, kind in sequent.facts:
        if kind == ">=" and (-poly, kind) in sequent.facts:
            if not poly.terms or (-poly, "==") in [fact for _, fact in found]:
                continue
            kind = "=="  # noqa: PLW2901
        text = f"{shown(poly, sequent.env)} {kind} 0"
        if "<" not in text and "$" not in text and "%" not in text:
            found.append((text, (poly, kind)))
    return found


def multipliers(sequent: pc.Sequent, goal: pc.Fact, candidates: Sequence[Sequence[str]]) -> list[list[str]] | None:
    """Rational weights of [multiplier, fact, ...] that make the goal's rest manifest; None where there are none."""
    import z3  # type: ignore[import-untyped]  # an extra

    polys: list[tuple[pc.Poly, bool] | None] = []
    strict: list[bool] = []
    for multiplier, *texts in candidates:
        facts = [pc.Checker.fact(None, sequent, text) for text in texts]  # type: ignore[arg-type]
        product = pc.Run(sequent).poly(pc.parsed(multiplier), sequent.env, None)
        sign = sequent.sign(product)
        equal = any(kind == "==" for _, kind in facts)
        if not equal and (goal[1] == "==" or sign is None):
            polys.append(None)
            strict.append(False)
            continue
        strict.append(not equal and sign == ">" and all(kind == ">" for _, kind in facts))
        for fact in facts:
            product = product * fact[0]
        polys.append((product, equal))
    tag = [("v", f"#{i}", "rat") for i in range(len(candidates) + 1)]
    total = goal[0] * pc.variable(tag[-1])
    for i, entry in enumerate(polys):
        if entry is not None:
            total = total - entry[0] * pc.variable(tag[i])
    rows: dict[Any, dict[int, Fraction]] = {}
    for mono, c in pc.collected(total).terms.items():
        place = next(i for i, t in enumerate(tag) for a, _ in mono if a == t)
        rows.setdefault(frozenset((a, e) for a, e in mono if a != tag[place]), {})[place] = c
    solver, weights = z3.Solver(), [z3.Real(f"w{i}") for i in range(len(candidates))]
    solver.set("timeout", 20000)
    for weight, entry in zip(weights, polys, strict=True):
        if entry is None:
            solver.add(weight == 0)
        elif not entry[1]:
            solver.add(weight >= 0)
    positive = [w for w, s in zip(weights, strict, strict=True) if s]
    for mono, row in rows.items():
        value = sum((z3.RealVal(str(c)) * (weights[i] if i < len(weights) else 1) for i, c in row.items()), z3.RealVal(0))
        sign = sequent.sign(pc.Poly({mono: Fraction(1)}))
        if sign is None or goal[1] == "==":
            solver.add(value == 0)
        else:
            solver.add(value >= 0)
            if sign == ">":
                positive.append(value)
    if goal[1] == ">":
        if not positive:
            return None
        solver.add(sum(positive) > 0)
    if solver.check() != z3.sat:
        return None
    model, found = solver.model(), []
    for weight, (multiplier, *texts) in zip(weights, candidates, strict=True):
        value = model.eval(weight, model_completion=True)
        c = Fraction(value.numerator_as_long(), value.denominator_as_long())
        if c:
            size = "" if c == 1 else f"{c}*" if c.denominator == 1 else f"({c})*"
            found.append([f"{size}({multiplier})" if size and multiplier != "1" else size.rstrip("*") or multiplier, *texts])
    return found


Hints = Sequence[str] | Callable[[pc.Sequent], Sequence[Sequence[str]]]


class Finder:
    """Finds proofs of sequents of one checker. `hints` are multipliers to be tried with every fact, or whole candidates."""

    def __init__(
        self, checker: pc.Checker, hints: Hints = (), products: Sequence[Sequence[str]] = (), depth: int = 40
    ) -> None:
        self.checker, self.hints, self.products, self.most = checker, hints, products, depth

    def by_cases(self, sequent: pc.Sequent, conditions: Sequence[str]) -> Proof:
        """A proof that first asks these conditions, where they are open."""
        if not conditions:
            return self.solve(sequent)
        text, *rest = conditions
        fact = self.checker.fact(sequent, text)
        for side in (fact, sequent.negated(fact)):
            if sequent.holds(side):
                return self.by_cases(sequent, rest)
        branches = []
        for case in (fact, sequent.negated(fact)):
            branch = sequent.copy()
            branch.add(case)
            branches.append(self.contradiction(branch) or self.by_cases(branch, rest))
        return {"rule": "cases", "if": text, "yes": branches[0], "no": branches[1]}

    def linear(self, sequent: pc.Sequent) -> list[list[str]]:
        """Each fact by itself."""
        return [["1", text] for text, _ in known_texts(sequent)]

    def candidates(self, sequent: pc.Sequent) -> list[list[str]]:
        """Facts with multipliers, and the products that were given where their facts are known."""
        found = self.linear(sequent)
        if callable(self.hints):
            found += [list(c) for c in self.hints(sequent)]
        else:
            found += [[hint, text] for hint in self.hints for text, _ in known_texts(sequent)]
        for product in self.products:
            try:
                if all(sequent.holds(pc.Checker.fact(None, sequent, text)) for text in product[1:]):  # type: ignore[arg-type]
                    pc.Run(sequent).poly(pc.parsed(product[0]), sequent.env, None)
                    found.append(list(product))
            except pc.Refused:
                continue
        return found

    def solve(self, sequent: pc.Sequent, depth: int = 0) -> Proof:
        """A proof. Raises: NotFound."""
        if depth > self.most:
            raise NotFound("too deep")
        for name in [name for name in sequent.hypotheses if name.startswith("later")]:
            after, said = sequent.copy(), sequent.hypotheses[name]
            del after.hypotheses[name]
            before = len(after.hypotheses)
            for text in said.then:
                self.checker.assume(after, text, said.env)
            if len(after.hypotheses) == before:
                return {"rule": "use", "node": name, "then": self.solve(after, depth + 1)}
        try:
            goals = self.checker.goals(sequent)
        except pc.Undecided as asked:
            return self.split(sequent, asked, depth)
        except pc.Refused as why:
            found = self.contradiction(sequent)
            if found:
                return found
            raise NotFound(f"{why}; known: {'; '.join(t for t, _ in known_texts(sequent))}") from why
        if all(sequent.holds(goal) for goal in goals):
            return KNOWN
        if len(goals) > 1:
            parts = [replace(sequent.goal, texts=[text]) for text in sequent.goal.texts]
            return {"rule": "each", "of": [self.solve(sequent.copy(one), depth + 1) for one in parts]}
        equal = self.equality(sequent)
        if equal:
            name, to = equal
            after = sequent.copy()
            after.replace(pc.single_atom(sequent.env[name]), pc.Run(sequent).poly(pc.parsed(to), sequent.env, None))
            return {
                "rule": "set",
                "variable": name,
                "to": to,
                "then": self.solve(after, depth + 1),
            }
        (goal,) = goals
        found = self.combined(sequent, goal)
        if found:
            return found
        found = self.contradiction(sequent) or self.refuted(sequent, goal)
        if found:
            return found
        raise NotFound(
            f"goal {shown(goal[0], sequent.env)} {goal[1]} 0; known: {'; '.join(t for t, _ in known_texts(sequent))}"
        )

    def combined(self, sequent: pc.Sequent, goal: pc.Fact) -> Proof | None:
        """The goal by multipliers; an equality by two inequalities."""
        if goal[1] != "==":
            found = multipliers(sequent, goal, self.candidates(sequent))
            return None if found is None else {"rule": "combine", "goal": "1", "with": found}
        sides = [self.combined(sequent, (poly, ">=")) for poly in (-goal[0], goal[0])]
        claim = [f"{shown(poly, sequent.env)} >= 0" for poly in (-goal[0], goal[0])]
        return {"rule": "have", "claim": claim, "by": {"rule": "each", "of": sides}, "then": KNOWN} if all(sides) else None

    def contradiction(self, sequent: pc.Sequent) -> Proof | None:
        """The facts contradict each other."""
        found = multipliers(sequent, (pc.ZERO, ">"), self.candidates(sequent))
        return None if found is None else {"rule": "combine", "with": found}

    def refuted(self, sequent: pc.Sequent, goal: pc.Fact) -> Proof | None:
        """The goal, since its contrary contradicts what is known."""
        if goal[1] == "==":
            return None
        other = sequent.copy()
        other.add(sequent.negated(goal))
        found = self.contradiction(other)
        return found and {"rule": "cases", "if": f"{shown(goal[0], sequent.env)} {goal[1]} 0", "yes": KNOWN, "no": found}

    def split(self, sequent: pc.Sequent, asked: pc.Undecided, depth: int) -> Proof:
        """Decide what the code asks: by what is known, or by cases."""
        poly, kind = asked.poly, asked.kind
        if kind == "==":
            kind = ">="
        text = f"{shown(poly, sequent.env)} {kind} 0"
        for side in ((poly, kind), sequent.negated((poly, kind))):
            found = multipliers(sequent, side, self.linear(sequent))
            by = {"rule": "combine", "goal": "1", "with": found} if found is not None else None
            if by is None and self.hints:
                by = self.refuted(sequent, side)
            if by:
                after, claim = sequent.copy(), f"{shown(side[0], sequent.env)} {side[1]} 0"
                after.add(side)
                return {"rule": "have", "claim": [claim], "by": by, "then": self.solve(after, depth + 1)}
        branches = []
        for case in ((poly, kind), sequent.negated((poly, kind))):
            branch = sequent.copy()
            branch.add(case)
            branches.append(self.solve(branch, depth + 1))
        return {"rule": "cases", "if": text, "yes": branches[0], "no": branches[1]}

    def equality(self, sequent: pc.Sequent) -> tuple[str, str] | None:
        """A variable that two facts make equal to a term."""
        for poly, kind in sequent.facts if sequent.goal.body is None else ():
            if (-poly, kind) not in sequent.facts:
                continue
            for name, value in sequent.env.items():
                if isinstance(value, pc.Poly) and (atom := pc.single_atom(value)) and atom[0] == "v":
                    c = poly.terms.get(pc.Mono({(atom, 1)}), 0)
                    rest = value - poly * pc.number(c) if abs(c) == 1 else value
                    if (
                        abs(c) == 1
                        and atom not in set(pc.atoms(rest))
                        and not any(a[0] in ("loop", "sum") for a in pc.atoms(rest))
                    ):
                        return name, shown(rest, {k: v for k, v in sequent.env.items() if k != name})
        return None
