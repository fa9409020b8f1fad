"""Whether linear inequalities over draws have a common solution, by an exact linear program.

Forms and rows are those of the lone checker (pipeline_certificate.Form, .Row). Where a row holds a function of draws that is
not affine, which may be constant for a while, it may also say that it is at least 0.
"""

from functools import lru_cache
from typing import Any

from gmpy2 import mpq

from finitedp.proofs_check.checks.linear import Optimum, Program, minimum
from finitedp.proofs_check.pipeline_certificate import Form, Items, Row


def scaled(form: Form, factor: Any) -> Form:
    """A multiple of a form, other than 0."""
    return tuple((k, factor * v) for k, v in form[0]), factor * form[1]


def row_of(form: Form, strict: bool = True) -> Row:
    """That a form, which holds a draw, is above 0."""
    return *scaled(form, 1 / abs(form[0][0][1])), strict


@lru_cache(maxsize=1 << 16)
def contradiction(rows: tuple[Row, ...]) -> tuple[mpq, ...] | None:
    """None where the rows have a common solution; else multipliers y >= 0 of them that show that there is none.

    The sum of y times the forms has no draw in it, and a constant that is below 0, or 0 where y is above 0 at a strict row.
    (Found as a solution (x, s) of a x + c s >= t, s >= t with t = 1, or the dual of the program that maximises t <= 1.)
    """
    found = _solved(rows)
    return None if found.solution["1 - t"] < 1 else found.dual[:-1]


def inner_point(rows: tuple[Row, ...]) -> list[tuple[int, mpq]]:
    """Draws that satisfy rows, of which it is known that they have a solution."""
    found = _solved(rows).solution
    values = ((k, (found[f"+{k}"] - found[f"-{k}"]) / found["s"]) for k in sorted({k for row in rows for k, _ in row[0]}))
    return [(k, value) for k, value in values if value]


def _solved(rows: tuple[Row, ...]) -> Optimum[str]:
    program = [({**_split(items), "s": mpq(c), "1 - t": mpq(strict)}, mpq(strict)) for items, c, strict in rows]
    return minimum(Program("1 - t", (*program, ({"s": mpq(1), "1 - t": mpq(1)}, mpq(1)))))


def _split(items: Items) -> dict[str, mpq]:
    """A free variable is the difference of two that are at least 0."""
    return {f"{sign}{k}": mpq(value * factor) for k, value in items for sign, factor in (("+", 1), ("-", -1))}
