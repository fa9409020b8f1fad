"""The field of Lemma 8.1 of Balcer and Vadhan, and its polynomials as hash functions."""

from collections.abc import Callable, Sequence
from itertools import combinations, product
from typing import NamedTuple

from attrs import frozen
from gmpy2 import mpq

from finitedp.impl.field import Field, Slots
from finitedp.proofs_check.findings import all_of, equal
from finitedp.proofs_check.ledger import Finding, entry
from finitedp.spec import compact as spec


@frozen(slots=False)
class FoldedSlots(Slots):
    """Slots of GF(2)[t] / (t^(2*3^l) + 1), which is no field: t^(3^l) + 1 has the square 0."""

    def product(self, left: int, right: int) -> int:
        """Reduced by t^(2*3^l) = 1."""
        parity, two, _ = self._masks
        whole = left * right & parity
        return (whole & two) ^ (whole >> 8 * self.size * self.bits)


@frozen(slots=False)
class ReducibleField(Field):
    """The ring of `FoldedSlots`."""

    def slots(self, width: int) -> Slots:
        """Slots of the same size."""
        return FoldedSlots(self.level, super().slots(width).size)


@frozen(slots=False)
class NarrowField(Field):
    """Slots of one byte whatever the factors, which overflow."""

    def slots(self, width: int) -> Slots:
        """One byte."""
        return Slots(self.level, 1)


def _levels() -> list[int]:
    return [0, 1, 2, 3, 4]


def _more_levels() -> list[int]:
    return [5, 6]


def _reducible(level: int) -> int:
    return int(1 << 2 * 3**level | 1)


@entry(
    "BV.Lem8.1.modulus",
    "lemma",
    "t^(2*3^l) + t^(3^l) + 1 is irreducible over GF(2), so that the polynomials modulo it are the field with d_0 elements.",
    over="the levels l of the grid, by Rabin's test",
    code=["finitedp.spec.compact.modulus", "finitedp.spec.compact.is_irreducible"],
    grid=(_levels, _more_levels),
    subject=spec.modulus,
    twins={"t^(2*3^l) + 1": _reducible},
)
def irreducible(modulus: Callable[[int], int], level: int) -> Finding:
    found = modulus(level)
    return all_of(
        [
            equal(spec.is_irreducible(found), True, f"irreducible at l={level}"),
            equal(found.bit_length() - 1, 2 * 3**level, "degree"),
        ]
    )


def _elements(level: int) -> Sequence[int]:
    """All elements of a small field; of a large one powers of t, runs of ones and a few others."""
    bits = 2 * 3**level
    if level < 2:
        return range(2**bits)
    ends = {0, 1, bits // 2 - 1, bits // 2, bits - 1}
    return sorted({1 << i for i in ends} | {(1 << i) - 1 for i in ends} | {2**bits - 1, (2**bits - 1) // 3, 0})


def _arithmetic_levels() -> list[int]:
    return [0, 1, 2, 4, 5]


@entry(
    "BV.Lem8.1.arithmetic",
    "lemma",
    "The running field adds, multiplies and inverts as polynomials modulo t^(2*3^l) + t^(3^l) + 1 do.",
    over="all pairs of elements for l = 0, 1; sparse and dense elements for larger l",
    code=["finitedp.impl.field.Field", "finitedp.spec.compact.field_product"],
    grid=(_arithmetic_levels, lambda: [3, 6]),
    subject=Field,
    twins={"modulo t^(2*3^l) + 1": ReducibleField, "slots that overflow": NarrowField},
)
def arithmetic(make: Callable[[int], Field], level: int) -> Finding:
    found, elements = make(level), _elements(level)
    wrong = [(a, b) for a, b in product(elements, repeat=2) if found.multiply(a, b) != spec.field_product(a, b, level)]
    inverses = [a for a in elements if a and spec.field_product(a, found.inverse(a), level) != 1]
    sums = [(a, b) for a, b in product(elements, repeat=2) if found.add(found.add(a, b), b) != a]
    powers = [a for a in elements if found.power(a, 5) != _fifth(a, level)]
    return equal((wrong[:1], inverses[:1], sums[:1], powers[:1]), ([],) * 4, "products, inverses, sums and powers that differ")


def _fifth(a: int, level: int) -> int:
    square = spec.field_product(a, a, level)
    return spec.field_product(spec.field_product(square, square, level), a, level)


class Points(NamedTuple):
    """A field and n + 1 of its elements."""

    level: int
    points: tuple[int, ...]


def _points() -> list[Points]:
    small = [Points(0, chosen) for size in (1, 2, 3) for chosen in combinations(range(4), size)]
    return [*small, Points(0, (3, 1, 0)), Points(1, (5,))]


def _more_points() -> list[Points]:
    return [Points(0, (0, 1, 2, 3)), Points(1, (0, 1)), Points(1, (17, 63)), Points(1, (2, 40))]


@frozen(slots=False)
class NewtonAsPrinted(Field):
    """Newton's coefficients taken for those of the powers of x."""

    def interpolate(self, points: Sequence[int], values: Sequence[int], width: int | None = None) -> tuple[int, ...]:
        """Without expanding the products."""
        slots = self.slots(self.bits)
        places, targets = ([slots.spread(v) for v in these] for these in (points, values))
        return tuple(slots.packed(c) for c in self._newton(slots, places, targets))


@entry(
    "BV.Lem8.1.independence",
    "lemma",
    """Polynomials of degree at most n are an (n+1)-wise independent family: their values at n + 1 distinct points are a
    bijection with their coefficients. Interpolation is its inverse.""",
    over="every vector of values at the points of the grid",
    code=["finitedp.impl.field.Field.interpolate", "finitedp.impl.field.Field.evaluate"],
    grid=(_points, _more_points),
    subject=Field,
    twins={"modulo t^(2*3^l) + 1": ReducibleField, "Newton's form not expanded": NewtonAsPrinted},
)
def bijection(make: Callable[[int], Field], case: Points) -> Finding:
    found, seen, wrong = make(case.level), set[tuple[int, ...]](), 0
    for values in product(range(2 ** (2 * 3**case.level)), repeat=len(case.points)):
        coefficients = found.interpolate(case.points, values)
        seen.add(coefficients)
        there = tuple(spec.polynomial_value(coefficients, x, case.level) for x in case.points)
        again = tuple(found.evaluate(coefficients, x) for x in case.points)
        wrong += there != values or again != values
    every = 2 ** (2 * 3**case.level * len(case.points))
    holds = wrong == 0 and len(seen) == every
    return Finding(holds, mpq(wrong, every), f"{wrong} of {every} missed, {len(seen)} polynomials at {case.points}")
