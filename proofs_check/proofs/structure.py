"""Finds the proofs that structure_checker re-checks, and what refutes a statement that is wrong. Nothing here is trusted.

Run as `python -m finitedp.proofs_check.proofs.structure FOLDER`, it writes a proof object for each statement; that needs z3.
"""

import hashlib
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations_with_replacement, product
from pathlib import Path
from typing import Any

from finitedp.proofs_check.proofs.structure_checker import (
    FORMAT,
    STATEMENTS,
    Obligation,
    Poly,
    Refused,
    obligations,
    poly,
    sources_of,
)

__all__ = ["certificate", "counterexample", "document", "refutation"]

_TRIED = (Fraction(0), Fraction(1), Fraction(1, 2))
_NEAR = (*_TRIED, Fraction(1, 3))  # of two cells that change to neighbouring counts
_RATIOS = (Fraction(2), Fraction(3), Fraction(1), Fraction(5, 4))
_DEEPEST = 4  # factors of a product


def certificate(obligation: Obligation) -> list[list[Any]] | None:
    """[coefficient, factors] that add up to the goal, with the fewest factors; None where none of up to 4 do. Needs z3."""
    for depth in range(1, _DEEPEST + 1):
        found = _combined(obligation, depth)
        if found is not None:
            return found
    return None


def _combined(obligation: Obligation, depth: int) -> list[list[Any]] | None:
    import z3  # type: ignore[import-untyped]  # noqa: PLC0415  # a finder's, nobody else's

    products = list(_products(obligation, depth))
    weights = [z3.Real(f"w{i}") for i in range(len(products))]
    solver = z3.Solver()
    solver.add(*(w >= 0 for w in weights))
    sums: dict[Any, list[Any]] = {m: [] for m in obligation.goal.terms}
    for (_, value), weight in zip(products, weights, strict=True):
        for m, c in value.terms.items():
            sums.setdefault(m, []).append(z3.RealVal(str(c)) * weight)
    for m, parts in sums.items():
        solver.add(z3.Sum(parts) == z3.RealVal(str(obligation.goal.terms.get(m, Fraction(0)))))
    if solver.check() != z3.sat:
        return None
    model = solver.model()
    found = [
        (model.eval(w, model_completion=True).as_fraction(), names) for w, (names, _) in zip(weights, products, strict=True)
    ]
    return [[str(weight), list(names)] for weight, names in found if weight]


def _products(obligation: Obligation, depth: int) -> Iterator[tuple[tuple[str, ...], Poly]]:
    for size in range(depth + 1):
        for names in combinations_with_replacement(sorted(obligation.hypotheses), size):
            value = poly(1)
            for name in names:
                value = value * obligation.hypotheses[name]
            yield names, value


def counterexample(obligation: Obligation) -> dict[str, Fraction] | None:
    """A point of a small grid at which every hypothesis holds and the goal does not, or None."""
    names = sorted({x for p in (obligation.goal, *obligation.hypotheses.values()) for x in p.variables()})
    tried = {name: _RATIOS if name == "R" else _NEAR if name.startswith(("x ", "y ")) else _TRIED for name in names}
    for values in product(*tried.values()):
        point = dict(zip(names, values, strict=True))
        if obligation.goal.at(point) < 0 and all(h.at(point) >= 0 for h in obligation.hypotheses.values()):
            return point
    return None


def refutation(statement: str, sources: Mapping[str, str]) -> str | None:
    """Why a statement cannot be proved of other sources: what the checker refuses, or numbers that refute it; else None."""
    try:
        wanted = obligations(statement, sources)
    except Refused as refused:
        return str(refused)
    for obligation in wanted:
        point = counterexample(obligation)
        if point is not None:
            return f"{obligation.name}: false at {', '.join(f'{x} = {v}' for x, v in point.items())}"
    return None


def document(statement: str) -> dict[str, Any]:
    """The proof of a statement. Raises: Refused where none is found."""
    sources, steps = sources_of(statement), {}
    for obligation in obligations(statement):
        found = certificate(obligation)
        if found is None:
            raise Refused(f"no proof of {obligation.name}")
        steps[obligation.name] = found
    code = {name: {"sha256": hashlib.sha256(text.encode()).hexdigest(), "source": text} for name, text in sources.items()}
    return {"format": FORMAT, "version": 1, "statement": statement, "code": code, "steps": steps}


def main(arguments: Sequence[str]) -> None:
    """Write the proofs of all statements into a folder."""
    for statement in STATEMENTS:
        text = json.dumps(document(statement), indent=1)
        (Path(arguments[0]) / f"{statement.replace(' ', '_')}.json").write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
