"""Finds proofs that histograms are as private as they claim, and what refutes one that is not. Nothing here is trusted.

Run as `python -m finitedp.proofs_check.proofs.structure FOLDER`, it writes a proof object for each statement; that needs z3.
"""

import sys
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import reduce
from itertools import combinations_with_replacement, product
from operator import mul
from pathlib import Path
from typing import Any

from finitedp.proofs_check.proofs import proof_checker as pc
from finitedp.proofs_check.proofs.building import OBJECTS, ROOT, Book, Filling, Hole
from finitedp.proofs_check.proofs.finding import NotFound, Proof

__all__ = ["HISTOGRAMS", "book", "counterexample", "refutation", "statements"]

HISTOGRAMS = {  # by the name of the object: the claim, and what it is about
    "BasicHistogram": ("BV.Thm5.2.i.all", "finitedp.impl.histograms.basic.BasicHistogram"),
    "StabilityHistogram": ("BV.Thm5.5.i.all", "finitedp.impl.histograms.stability.StabilityHistogram"),
    "BasicHistogram_on_arrays": ("FD.Release.basic.all", "finitedp.data.releasing._basic"),
    "StabilityHistogram_on_arrays": ("FD.Release.stability.all", "finitedp.data.releasing._stability"),
}
_TRIED = (Fraction(0), Fraction(1), Fraction(1, 2))
_NEAR = (*_TRIED, Fraction(1, 3))  # of two cells that change to neighbouring counts
_RATIOS = (Fraction(2), Fraction(3), Fraction(1), Fraction(5, 4))
_DEEPEST = 4  # factors of a product


def statements(name: str, root: Path = ROOT) -> list[tuple[str, dict[str, Any]]]:
    """What the claim about a class or function comes down to, for the code below a folder. Raises: Refused."""
    pc.STEPS[0] = 0
    return pc.as_claimed(name, pc.Library(root))


def _combined(_: Filling, sequent: pc.Sequent) -> Proof:
    """The goal as a sum of products of the hypotheses, with the fewest factors."""
    ((goal, kind),), texts = (
        sequent.checker.goals(sequent),
        [f"{pc.shown(poly, sequent.env)} >= 0" for poly, _ in sequent.facts],
    )
    for depth in range(1, _DEEPEST + 1):
        found = _weights(sequent, goal, dict(zip(texts, (poly for poly, _ in sequent.facts), strict=True)), depth)
        if found is not None:
            return {"rule": "combine", "goal": "1", "with": found}
    raise NotFound(f"{pc.shown(goal, sequent.env)} {kind} 0")


def _weights(sequent: pc.Sequent, goal: pc.Poly, known: Mapping[str, pc.Poly], depth: int) -> list[list[str]] | None:
    """[weight, facts...] that leave of the goal what is manifestly at least 0; None where none do. Needs z3."""
    import z3  # type: ignore[import-untyped]  # noqa: PLC0415  # a finder's, nobody else's

    products = [part for size in range(1, depth + 1) for part in combinations_with_replacement(sorted(known), size)]
    weights = [z3.Real(f"w{i}") for i in range(len(products))]
    sums: dict[Any, list[Any]] = {mono: [z3.RealVal(str(c))] for mono, c in goal.terms.items()}
    for part, weight in zip(products, weights, strict=True):
        for mono, c in reduce(mul, (known[text] for text in part)).terms.items():
            sums.setdefault(mono, []).append(z3.RealVal(str(-c)) * weight)
    solver = z3.Solver()
    solver.add(*(weight >= 0 for weight in weights))
    for mono, parts in sums.items():
        pc.STEPS[0] = 0
        solver.add(z3.Sum(parts) == 0 if sequent.sign(pc.Poly({mono: 1})) is None else z3.Sum(parts) >= 0)
    if solver.check() != z3.sat:
        return None
    model = solver.model()
    found = [model.eval(weight, model_completion=True).as_fraction() for weight in weights]
    return [[str(weight), *part] for weight, part in zip(found, products, strict=True) if weight]


def book(name: str) -> Book:
    """The document of an object, whose proofs are found now. Raises: NotFound, Refused."""
    claim, of = HISTOGRAMS[name]
    made = Book(f"{name.replace('_', ' ')}: as private as it claims, over any private counting mechanism", [of])
    found = statements(of)
    for words, statement in found:
        made.statement(words, statement, Hole(_combined))
    made.claim(claim, *(words for words, _ in found), kind="histogram", mechanism=of)
    pc.meaning("histogram", of, made.checker.library)  # what is executed for it is recorded
    return made


def _polys(statement: Mapping[str, Any]) -> tuple[list[pc.Poly], pc.Poly]:
    """The hypotheses and the conclusion of a statement, each of which is to be at least 0."""
    checker = pc.Checker({}, ROOT)
    sequent = pc.Sequent(checker, {}, pc.Goal([], {}))
    for name, kind in statement["for"].items():
        pc.declare(sequent, name, kind)
    *given, goal = (checker.fact(sequent, text)[0] for text in (*statement["where"], *statement["then"]))
    return given, goal


def value(poly: pc.Poly, point: Mapping[Any, Fraction]) -> Fraction:
    """The value of a polynomial whose atoms have the values that a point gives them."""
    total = Fraction(0)
    for mono, c in poly.terms.items():
        term = Fraction(c)
        for atom, power in mono:
            term *= point[atom] ** power
        total += term
    return total


def _points(polys: Sequence[pc.Poly]) -> Iterator[dict[Any, Fraction]]:
    found = sorted({atom for poly in polys for mono in poly.terms for atom, _ in mono}, key=str)
    tried = {atom: _RATIOS if atom[1] == "R" else _NEAR if atom[1].startswith(("x_", "y_")) else _TRIED for atom in found}
    for values in product(*tried.values()):
        yield dict(zip(found, values, strict=True))


def counterexample(statement: Mapping[str, Any]) -> dict[str, Fraction] | None:
    """A point of a small grid at which every hypothesis holds and the conclusion does not, or None."""
    given, goal = _polys(statement)
    for point in _points([goal, *given]):
        if value(goal, point) < 0 and all(value(h, point) >= 0 for h in given):
            return {pc.shown(pc.variable(atom), {}): one for atom, one in point.items()}
    return None


def refutation(name: str, root: Path) -> str | None:
    """Why a claim cannot be proved of the code in a folder: what the checker refuses, or numbers that refute it; or None."""
    try:
        wanted = statements(name, root)
    except (
        pc.Refused,
        ArithmeticError,
        AttributeError,
        LookupError,
        RecursionError,
        SyntaxError,
        TypeError,
        ValueError,
    ) as error:
        return str(error)
    for words, statement in wanted:
        point = counterexample(statement)
        if point is not None:
            return f"{words}: false at {', '.join(f'{x} = {v}' for x, v in point.items())}"
    return None


def main(arguments: Sequence[str]) -> None:
    """Write the proofs of all statements into a folder."""
    for name in HISTOGRAMS:
        book(name).write(name, Path(arguments[0]) if arguments else OBJECTS)


if __name__ == "__main__":
    main(sys.argv[1:])
