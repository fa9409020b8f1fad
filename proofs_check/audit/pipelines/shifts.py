"""Shifts of the noise that carry a region of one input into a region of its neighbour, with equal outputs.

Theorem A: let R be a region at D, R' one at D' with the same draws, and delta be such that the output at x + delta in R' is
the output at x in R, and that R + delta lies in R'. The density at x is at most e^cost times that at x + delta, with cost the
sum of |delta_k| over Laplace draws, of delta_k >= 0 over exponential and Gumbel draws, and delta_k = 0 for uniform draws.
Theorem D: a function of draws has the same value in both where its arguments have. Normal draws: Theorem B (bounds.py).
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache

from attrs import frozen
from gmpy2 import mpq

from finitedp.proofs_check.audit.pipelines.regions import Region
from finitedp.proofs_check.checks.linear import Program, minimum
from finitedp.proofs_check.engine.noise.rows import Form, Items, supports

Equation = tuple[Items, mpq]
"""(a, c): a . delta is, or is at least, c."""
SIGNS: Mapping[str, tuple[int, ...]] = {
    "laplace": (1, -1),
    "normal": (1, -1),
    "exponential": (1,),
    "gumbel": (1,),
}
"""In which directions draws of a law may be shifted."""


@frozen
class Shift:
    """How far each draw is moved, in its scale; cost: the epsilon of it, without normal draws; squares: of the normal ones."""

    by: Mapping[int, mpq]
    cost: mpq
    squares: mpq


def shift_of(source: Region, target: Region) -> Shift | None:
    """The cheapest shift that carries the source into the target; None where there is none of this kind."""
    kinds = {k: draw.kind for k, draw in (*target.draws.items(), *source.draws.items())}
    if source.shape != target.shape or any(draw.kind != kinds[k] for k, draw in target.draws.items()):
        return None
    equal = _equations(source, target)
    if equal is None:
        return None
    known = {**{row.items: row for row in supports(kinds.items())}, **source.by_direction}
    least = list[Equation]()
    for row in target.rows:
        own = known.get(row.items)
        if own is None or (row.strict and not own.strict):
            return None
        normal = any(kinds[k] == "normal" for k, _ in row.items)
        (equal if normal else least).append((row.items, own.constant - row.constant))
    moved = cheapest(tuple(kinds.items()), tuple(equal), tuple(least))
    return None if moved is None else _with_least_squares(kinds, moved, equal)


def _equations(source: Region, target: Region) -> list[Equation] | None:
    """That outputs, and the arguments of functions, are the same."""
    pairs = list(zip(source.forms, target.forms, strict=True))
    for k, draw in target.draws.items():
        own = source.draws.get(k)
        if own is not None and not draw.is_drawn:
            if len(own.of_forms) != len(draw.of_forms):
                return None
            pairs += zip(own.of_forms, draw.of_forms, strict=True)
    if any(one.items != other.items for one, other in pairs):
        return None
    return [(one.items, one.constant - other.constant) for one, other in pairs]


@lru_cache(maxsize=1 << 14)
def cheapest(
    kinds: tuple[tuple[int, str], ...], equal: tuple[Equation, ...], least: tuple[Equation, ...]
) -> Mapping[int, mpq] | None:
    """The shift of least cost (normal draws cost nothing here) with a . delta = c, and a . delta >= c. None without one."""
    signs = {k: SIGNS.get(kind, ()) for k, kind in kinds}
    rows = [(_row(items, signs), constant) for items, constant in (*equal, *least)]
    rows += [({name: -value for name, value in _row(items, signs).items()}, -constant) for items, constant in equal]
    wanted = [(row, constant) for row, constant in rows if row]
    if any(constant > 0 for row, constant in rows if not row):
        return None
    paid = {(k, sign): mpq(-1) for k, kind in kinds if kind != "normal" for sign in signs[k]}
    try:
        found = minimum(Program((-1, 0), (*wanted, ({(-1, 0): mpq(1), **paid}, mpq(0))))).solution
    except ValueError:
        return None
    return {k: sum((sign * found.get((k, sign), mpq(0)) for sign in signs[k]), mpq(0)) for k, _ in kinds}


def _row(items: Items, signs: Mapping[int, Sequence[int]]) -> dict[tuple[int, int], mpq]:
    return {(k, sign): sign * value for k, value in items for sign in signs[k]}


def _with_least_squares(kinds: Mapping[int, str], moved: Mapping[int, mpq], equal: Sequence[Equation]) -> Shift:
    """The same shift of other draws, with the least sum of squares of the normal ones that solves the equations."""
    by = {k: value for k, value in moved.items() if kinds[k] != "normal"}
    normal = [k for k in moved if kinds[k] == "normal"]
    made = dict.fromkeys(normal, mpq(0))
    spanned = list[tuple[dict[int, mpq], mpq, mpq]]()  # orthogonal directions, with their squares and right sides
    for items, constant in equal:
        row = {k: value for k, value in items if k in made}
        left = constant - sum((value * by[k] for k, value in items if k in by), mpq(0))
        for direction, square, right in spanned:
            share = _dot(row, direction) / square
            row = {k: row.get(k, mpq(0)) - share * direction.get(k, mpq(0)) for k in {**row, **direction}}
            left -= share * right
        square = _dot(row, row)
        if square:
            spanned.append((row, square, left))
    for direction, square, right in spanned:
        for k, value in direction.items():
            made[k] += right / square * value
    cost = sum((abs(value) for value in by.values()), mpq(0))
    return Shift({**by, **made}, cost, sum((value * value for value in made.values()), mpq(0)))


def _dot(left: Mapping[int, mpq], right: Mapping[int, mpq]) -> mpq:
    return sum((value * right.get(k, mpq(0)) for k, value in left.items()), mpq(0))


def shifted(form: Form, by: Mapping[int, mpq]) -> mpq:
    """By how much a form changes where its draws are shifted."""
    return sum((value * by.get(k, mpq(0)) for k, value in form.items), mpq(0))
