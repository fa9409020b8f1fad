"""Finds proofs that histograms are as private as they claim. Nothing here is trusted.

Run as `python -m tests.finders.histograms FOLDER`, it writes a proof object for each statement; that needs z3.
"""

import sys
from collections.abc import Mapping, Sequence
from functools import reduce
from itertools import combinations_with_replacement
from operator import mul
from pathlib import Path
from typing import Any

from finitedp.proofs_check.proofs import proof_checker as pc
from finitedp.proofs_check.proofs.structure import HISTOGRAMS, OBJECTS, statements
from tests.finders.building import Book, Filling, Hole
from tests.finders.finding import NotFound, Proof
from tests.finders.shown import shown

_DEEPEST = 4  # factors of a product


def _combined(_: Filling, sequent: pc.Sequent) -> Proof:
    """The goal as a sum of products of the hypotheses, with the fewest factors."""
    ((goal, kind),), texts = (
        sequent.checker.goals(sequent),
        [f"{shown(poly, sequent.env)} >= 0" for poly, _ in sequent.facts],
    )
    for depth in range(1, _DEEPEST + 1):
        found = _weights(sequent, goal, dict(zip(texts, (poly for poly, _ in sequent.facts), strict=True)), depth)
        if found is not None:
            return {"rule": "combine", "goal": "1", "with": found}
    raise NotFound(f"{shown(goal, sequent.env)} {kind} 0")


def _weights(sequent: pc.Sequent, goal: pc.Poly, known: Mapping[str, pc.Poly], depth: int) -> list[list[str]] | None:
    """[weight, facts...] that leave of the goal what is manifestly at least 0; None where none do. Needs z3."""
    import z3  # type: ignore[import-untyped]  # a finder's, nobody else's

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


def main(arguments: Sequence[str]) -> None:
    """Write the proofs of all statements into a folder."""
    for name in HISTOGRAMS:
        book(name).write(name, Path(arguments[0]) if arguments else OBJECTS)


if __name__ == "__main__":
    main(sys.argv[1:])
