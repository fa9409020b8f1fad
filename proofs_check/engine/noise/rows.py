"""Linear inequalities over draws, and whether a system of them has a solution: by an exact linear program.

A form is a sum of rational multiples of draws plus a rational; a row says that a form is above 0. Where it holds a function of
draws that is not affine, which may be constant for a while, a row may also say that it is at least 0.
"""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import NamedTuple

from gmpy2 import mpq

from finitedp.proofs_check.checks.linear import Optimum, Program, minimum

Items = tuple[tuple[int, mpq], ...]
"""The multiples of draws, by their numbers, in order; none is 0."""
SUPPORTS: Mapping[str, tuple[tuple[int, int], ...]] = {"exponential": ((1, 0),), "uniform": ((1, 0), (-1, 1))}
"""Of standard draws of less than the whole line: (a, c) such that a x + c > 0."""


class Form(NamedTuple):
    """A sum of multiples of draws, plus a rational."""

    items: Items
    constant: mpq

    def scaled(self, factor: mpq) -> "Form":
        """A multiple of it, other than 0."""
        return Form(tuple((k, factor * v) for k, v in self.items), factor * self.constant)


class Row(NamedTuple):
    """form > 0, or with strict = False form >= 0; the first multiple of a draw is 1 or -1."""

    items: Items
    constant: mpq
    strict: bool = True

    @classmethod
    def of(cls, form: Form, strict: bool = True) -> "Row":
        """The row of a form that holds a draw."""
        return cls(*form.scaled(1 / abs(form.items[0][1])), strict)

    def opposite(self, strict: bool = True) -> "Row":
        """Its complement, but for ties of continuous draws, whose probability is 0."""
        return Row(tuple((k, -v) for k, v in self.items), -self.constant, strict)


def supports(kinds: Iterable[tuple[int, str]]) -> tuple[Row, ...]:
    """What is known of draws, (number, kind), without any comparison."""
    return tuple(Row(((k, mpq(a)),), mpq(c)) for k, kind in kinds for a, c in SUPPORTS.get(kind, ()))


@lru_cache(maxsize=1 << 16)
def contradiction(rows: tuple[Row, ...]) -> tuple[mpq, ...] | None:
    """None where the rows have a common solution; else multipliers y >= 0 of them that show that there is none.

    The sum of y times the forms has no draw in it, and a constant that is below 0, or 0 where y is above 0 at a strict row.
    (Found as a solution (x, s) of a x + c s >= t, s >= t with t = 1, or the dual of the program that maximises t <= 1.)
    """
    found = _solved(rows)
    return None if found.solution["1 - t"] < 1 else found.dual[:-1]


def inner_point(rows: tuple[Row, ...]) -> dict[int, mpq]:
    """Draws that satisfy rows, of which it is known that they have a solution."""
    found = _solved(rows).solution
    names = {k for row in rows for k, _ in row.items}
    return {k: (found[f"+{k}"] - found[f"-{k}"]) / found["s"] for k in sorted(names)}


def _solved(rows: tuple[Row, ...]) -> Optimum[str]:
    program = [({**_split(row.items), "s": row.constant, "1 - t": mpq(row.strict)}, mpq(row.strict)) for row in rows]
    return minimum(Program("1 - t", (*program, ({"s": mpq(1), "1 - t": mpq(1)}, mpq(1)))))


def _split(items: Items) -> dict[str, mpq]:
    """A free variable is the difference of two that are at least 0."""
    return {f"{sign}{k}": value * factor for k, value in items for sign, factor in (("+", 1), ("-", -1))}
