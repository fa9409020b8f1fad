"""The field of Lemma 8.1 of Balcer and Vadhan, and its polynomials as hash functions."""

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import combinations, product
from typing import NamedTuple

from finitedp.impl.arithmetic.field import Field, Slots
from finitedp.impl.arithmetic.field_elements import FieldElements
from finitedp.impl.arithmetic.interpolation import derivative_root, newton, newton_coefficients, plant, subproduct_tree
from finitedp.proofs_check.claims.bv.compact.subjects import Interpolation
from finitedp.proofs_check.claims.bv.compact.twins import ReducibleField
from finitedp.proofs_check.ledger.atoms import over
from finitedp.proofs_check.ledger.entry import Cases, Finding, but, cases, in_scope
from finitedp.proofs_check.ledger.findings import all_of, equal, lemma
from finitedp.spec import compact as spec

NarrowField = but(Field, slots=lambda self, _width: Slots(self.level, 1))  # one byte whatever the factors: it overflows


@lemma(
    "BV.Lem8.1.modulus",
    "t^(2*3^l) + t^(3^l) + 1 is irreducible over GF(2), so that the polynomials modulo it are the field with d_0 elements.",
    over="the levels l of the grid, by Rabin's test",
    code=["finitedp.spec.compact.modulus", "finitedp.spec.compact.is_irreducible"],
    grid=Cases([0, 1, 2, 3, 4], [5, 6]),
    subject=spec.modulus,
    twins={"t^(2*3^l) + 1": lambda level: int(1 << 2 * 3**level | 1)},
)
def irreducible(modulus: Callable[[int], int], level: int) -> Finding:
    found = modulus(level)
    degree = equal(found.bit_length() - 1, 2 * 3**level, "degree")
    return all_of([equal(spec.is_irreducible(found), True, f"irreducible at l={level}"), degree])


def _elements(level: int) -> Sequence[int]:
    """All elements of a small field; of a large one powers of t, runs of ones and a few others."""
    bits = 2 * 3**level
    if level < 2:
        return range(2**bits)
    ends = {0, 1, bits // 2 - 1, bits // 2, bits - 1}
    return sorted({1 << i for i in ends} | {(1 << i) - 1 for i in ends} | {2**bits - 1, (2**bits - 1) // 3, 0})


@lemma(
    "BV.Lem8.1.arithmetic",
    "The running field adds, multiplies and inverts as polynomials modulo t^(2*3^l) + t^(3^l) + 1 do.",
    over="all pairs of elements for l = 0, 1; sparse and dense elements for larger l",
    code=["finitedp.impl.arithmetic.field.Field", "finitedp.spec.compact.field_product"],
    grid=Cases([0, 1, 2, 4, 5], [3, 6]),
    subject=Field,
    twins={"modulo t^(2*3^l) + 1": ReducibleField, "slots that overflow": NarrowField},
    sampled="all elements for l = 0, 1; for larger l powers of t, runs of ones and a few others",
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

    def polynomials(self) -> "Iterator[Values]":
        """Every vector of values there."""
        return (Values(*self, v) for v in product(range(4 ** (3**self.level)), repeat=len(self.points)))


MOST_LEVEL = 7


class Values(NamedTuple):
    """A field, n + 1 of its elements, and values there."""

    level: int
    points: tuple[int, ...]
    values: tuple[int, ...]

    def check_scope(self) -> None:
        in_scope(0 <= self.level <= MOST_LEVEL, "a level whose elements can be written out")
        in_scope(1 <= len(set(self.points)) == len(self.points) == len(self.values), "distinct points, with a value each")
        elements = (*self.points, *self.values)
        in_scope(min(elements) >= 0 and max(elements).bit_length() <= 2 * 3**self.level, "elements of the field")


POINTS = cases(
    Points,
    [*((0, chosen) for size in (1, 2, 3) for chosen in combinations(range(4), size)), (0, (3, 1, 0)), (1, (5,))],
    [(0, (0, 1, 2, 3)), (1, (0, 1)), (1, (17, 63)), (1, (2, 40))],
)


def _not_expanded(self: Field, points: Sequence[int], values: Sequence[int], _width: int | None = None) -> tuple[int, ...]:
    """Broken: Newton's coefficients taken for those of the powers of x."""
    slots = self.slots(self.bits)
    places, targets = ([slots.spread(v) for v in these] for these in (points, values))
    return tuple(slots.packed(c) for c in newton_coefficients(self, slots, places, targets))


NewtonAsPrinted = but(Field, interpolate=_not_expanded)


@lemma(
    "BV.Lem8.1.independence",
    """Polynomials of degree at most n are an (n+1)-wise independent family: their values at n + 1 distinct points are a
    bijection with their coefficients. Interpolation is its inverse.""",
    over="every vector of values at the points of the grid",
    code=["finitedp.impl.arithmetic.field.Field.interpolate", "finitedp.impl.arithmetic.field.Field.evaluate"],
    grid=POINTS,
    subject=Field,
    twins={"modulo t^(2*3^l) + 1": ReducibleField, "Newton's form not expanded": NewtonAsPrinted},
)
@over(Points.polynomials)
def bijection(make: Callable[[int], Field], case: Values) -> Finding:
    """Values that come back from n + 1 coefficients are of one polynomial alone, and there are as many of each."""
    found, (level, points, values) = _made(make, case.level), case
    coefficients = found.interpolate(points, values)
    there = tuple(spec.polynomial_value(coefficients, x, level) for x in points)
    again = tuple(found.evaluate(coefficients, x) for x in points)
    are = len(coefficients) == len(points) and max(coefficients).bit_length() <= 2 * 3**level
    return equal((there, again, are), (values, values, True), f"{coefficients} at {points}")


@cache
def _made(make: Callable[[int], Field], level: int) -> Field:
    return make(level)


@lemma(
    "FD.Field.conjugates",
    "The running field's a^(2^k) is k squarings for k >= 0 and undoes them for k < 0.",
    over="all elements for l = 0, 1, sparse and dense ones for larger l, and a few k",
    code=["finitedp.impl.arithmetic.field_elements.FieldElements.conjugate"],
    grid=Cases([0, 1, 2, 3, 4, 5], [6]),
    subject=Field,
    twins={"shifted": but(Field, conjugate=lambda self, element, k: self.reduced(int(element) << k % (self.bits // 2)))},
    sampled="all elements for l = 0, 1; for larger l powers of t, runs of ones and a few others",
)
def conjugates(make: Callable[[int], Field], level: int) -> Finding:
    found, wrong = make(level), list[tuple[int, int]]()
    for a in _elements(level):
        power = a
        for k in range(4):
            wrong += [(a, k)] * (found.conjugate(a, k) != power or found.conjugate(power, -k) != a)
            power = spec.field_product(power, power, level)
        wrong += [(a, found.bits)] * (found.conjugate(a, found.bits) != a)
    return equal(wrong[:1], [], "conjugates that differ")


class Leaves(NamedTuple):
    """A field, n + 1 of its elements, and the number of points that the tree does not halve."""

    level: int
    points: tuple[int, ...]
    leaf: int

    @property
    def vectors(self) -> Sequence[tuple[int, ...]]:
        """Values at the points: all in the field with 4 elements; elsewhere one bit at one of the points, or no value 0."""
        size, order = len(self.points), 4 ** (3**self.level)
        if self.level == 0:
            return list(product(range(4), repeat=size))
        units = [(0,) * i + (1 << i % (2 * 3**self.level),) + (0,) * (size - 1 - i) for i in range(size)]
        return [*units[:: -(-size // 6)], tuple(order - 1 - i % (order - 1) for i in range(size))]


def _leaves() -> list[Leaves]:
    small = [Leaves(0, chosen, leaf) for size in (1, 2) for chosen in combinations(range(4), size) for leaf in (1, 2)]
    triples = [Leaves(0, (1, 2, 3), 1), Leaves(0, (0, 1, 3), 2)]
    pairs = [Leaves(1, pair, 1) for pair in combinations(range(0, 64, 9), 2)]
    # 9 roots of unity in the field with 64 elements: more points than that need a larger field's
    sizes = [Leaves(1, tuple(range(size)), leaf) for size, leaf in ((3, 1), (3, 3), (5, 1), (8, 3), (9, 1), (10, 3), (28, 3))]
    return [*small, *triples, *pairs, *sizes, Leaves(2, tuple(range(7, 7 * 15, 7)), 4)]


def _more_leaves() -> list[Leaves]:
    small = [Leaves(0, chosen, leaf) for size in (3, 4) for chosen in combinations(range(4), size) for leaf in (1, 2)]
    pairs = [Leaves(1, pair, 1) for pair in combinations(range(64), 2)]
    sizes = [Leaves(1, tuple(range(size)), leaf) for size in range(1, 65) for leaf in (1, 3)]
    return [*small, *pairs, *sizes, Leaves(2, tuple(range(7, 7 * 41, 7)), 4), Leaves(3, tuple(range(100, 300)), 16)]


def _weighted(
    base: FieldElements, points: Sequence[int], values: Sequence[int], leaf: int, first: int, power: int
) -> list[int]:
    """The first degree, 1 or 2, of those that M' keeps, and the power of M' in a weight: 1 and -1 are right."""
    tree, multiply = plant(base, base.slots(base.bits), points, leaf), base.multiply
    roots = tree.values(derivative_root(base, tree.master[first - 1 :])[: -(-len(points) // 2)])
    squares = [multiply(int(a), int(a)) for a in roots]
    return tree.combination(
        [multiply(y, base.power(a, power % (base.order - 1))) for y, a in zip(values, squares, strict=True)]
    )


@lemma(
    "BV.Lem8.1.iv.tree",
    """Interpolation by a subproduct tree gives the polynomial of degree at most n that has the given values at n + 1 points,
    which is the one that Newton's form gives.""",
    over="all points and values in the field with 4 elements; up to all points of the next field, sparse and dense values",
    code=[
        "finitedp.impl.arithmetic.interpolation.subproduct_tree",
        "finitedp.impl.arithmetic.interpolation.newton",
        "finitedp.impl.arithmetic.transform.Transform",
    ],
    grid=Cases(_leaves, _more_leaves),
    subject=subproduct_tree,
    twins={
        "weights not inverted": lambda base, points, values, _width, leaf: _weighted(base, points, values, leaf, 1, 1),
        "even degrees in M'": lambda base, points, values, _width, leaf: _weighted(base, points, values, leaf, 2, -1),
    },
    sampled="all values in the field with 4 elements; elsewhere sparse and dense ones",
)
def interpolated(tree: Interpolation, case: Leaves) -> Finding:
    base, points = Field(case.level), case.points
    wrong = list[tuple[int, ...]]()
    for values in case.vectors:
        found = tuple(int(c) for c in tree(base, points, values, base.bits, case.leaf))
        there = tuple(spec.polynomial_value(found, x, case.level) for x in points)
        wrong += [values] * (there != values or list(found) != newton(base, points, values, base.bits))
    return equal(wrong[:1], [], f"values that are missed, through {len(points)} points with leaves of {case.leaf}")
