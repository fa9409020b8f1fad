"""The polynomial through given points over the field with 2^(2*3^l) elements: by Newton's form, and by a subproduct tree.

Both give the same polynomial. The operations and their order depend on the level, the number of points, `width` and `leaf`
alone.
"""

from collections.abc import Sequence
from functools import cached_property, reduce
from operator import xor

from attrs import frozen
from gmpy2 import mpz

from finitedp.impl.arithmetic.field_elements import FieldElements, Slots, one, zero
from finitedp.impl.arithmetic.transform import Transform, product

__all__ = ["LEAF", "LEAF_WIDE", "derivative_root", "newton", "newton_coefficients", "plant", "reciprocal", "subproduct_tree"]

LEAF = 128  # points that are not halved; measured for elements of 1458 and 4374 bits and points of 32 bits
LEAF_WIDE = 32  # the same for points of more than 255 bits


def newton(base: FieldElements, points: Sequence[int], values: Sequence[int], width: int) -> list[int]:
    """The coefficients by Newton's form: its own coefficients one after another, then its expansion.

    All of the n^2 steps multiply an element by the difference of two points, which is short where points are.
    Source: BV.Lem8.1.iv, quadratic. Parameters: points, distinct elements of at most `width` bits; values, as many.
    Cost: about 3/2 n^2 products of an element and a point, and 4n + 2 log(bits) products of two elements.
    """
    slots = base.slots(width)
    places, targets = [slots.spread(point) for point in points], [slots.spread(value) for value in values]
    coefficients = newton_coefficients(base, slots, places, targets)
    return [slots.packed(c) for c in _expanded(slots, places, coefficients)]


def newton_coefficients(base: FieldElements, slots: Slots, places: Sequence[int], targets: Sequence[int]) -> list[int]:
    """Newton's coefficients: c_k = (y_k - p_k(x_k)) / m_k(x_k), where p_k is the sum of c_j m_j over j < k; all spread."""
    wide = base.slots(base.bits)
    masters = [one() for _ in places]
    for k, here in enumerate(places):
        for other in places[:k]:
            masters[k] = slots.product(masters[k], here ^ other)
    inverses = base.inverses([wide.spread(slots.packed(master)) for master in masters])
    found = list[int]()
    for here, target, inverse in zip(places, targets, inverses, strict=True):
        value = zero()
        for other, coefficient in zip(reversed(places[: len(found)]), reversed(found), strict=True):
            value = slots.product(value, here ^ other) ^ coefficient
        missing = wide.spread(slots.packed(target ^ value))
        found.append(slots.spread(wide.packed(wide.product(missing, inverse))))
    return found


def _expanded(slots: Slots, places: Sequence[int], coefficients: Sequence[int]) -> list[int]:
    """The coefficients of the sum of c_k (x - x_0)...(x - x_(k-1)), by Horner's rule."""
    found = [coefficients[-1]]
    for here, constant in zip(reversed(places[:-1]), reversed(coefficients[:-1]), strict=True):
        found = _times_linear(slots, found, here)
        found[0] ^= constant
    return found


def _times_linear(slots: Slots, polynomial: Sequence[int], place: int) -> list[int]:
    """The polynomial times x - place."""
    scaled = [slots.product(place, c) for c in polynomial]
    return [low ^ high for low, high in zip([*scaled, zero()], [zero(), *polynomial], strict=True)]


def subproduct_tree(
    base: FieldElements, points: Sequence[int], values: Sequence[int], width: int, leaf: int | None = None
) -> list[int]:
    """The coefficients by Lagrange's form: the sum of c_i M/(x - x_i), where c_i = y_i/M'(x_i).

    M, the product of all x - x_i, comes from the products over halves of the points. In characteristic 2 its derivative is the
    square of a polynomial with half as many coefficients, whose values at all points come down the same tree, as fractions
    p/M; the sum goes up it.
    Source: BV.Lem8.1.iv. Parameters: points, distinct elements of at most `width` bits; values, as many; leaf >= 1, the number
    of points that are not halved, for which products of an element and a point are quadratic (LEAF or LEAF_WIDE by default).
    Cost: quasi-linear in the points times the bits of an element: about 7 products of two elements for each point and halving,
    and 5/2 `leaf` products of an element and a point for each point (BV.Lem8.1.iv.cost).
    """
    wide, short = base.slots(base.bits), base.slots(width)
    tree = plant(base, short, points, leaf or (LEAF if short.size == 1 else LEAF_WIDE))
    inverses = base.inverses([wide.spread(a) for a in tree.values(derivative_root(base, tree.master))])
    weights = [wide.product(wide.spread(y), wide.product(a, a)) for y, a in zip(values, inverses, strict=True)]
    return tree.combination([wide.packed(c) for c in weights])


def derivative_root(base: FieldElements, polynomial: Sequence[int]) -> list[int]:
    """R with R(x)^2 = p'(x): the derivative has the coefficients of odd degree, one degree lower, which is even."""
    return [mpz(base.conjugate(a, -1)) for a in polynomial[1::2]]


def reciprocal(base: FieldElements, series: Sequence[int], count: int) -> list[int]:
    """`count` coefficients of 1/series, whose constant is 1, by Newton's iteration g -> series g^2.

    Cost: polynomial products of 2 `count`, `count`, `count`/2, ... coefficients.
    """
    found, precision = [one()], 1
    for digit in format(count - 1, "b") if count > 1 else "":
        precision = 2 * precision - 1 + int(digit)
        square = [zero()] * (2 * len(found) - 1)
        square[::2] = [mpz(base.conjugate(a, 1)) for a in found]
        found = product(base, series[:precision], square[:precision])[:precision]
    return found


def plant(base: FieldElements, short: Slots, points: Sequence[int], leaf: int) -> "Leaf | Branch":
    """The tree over some points: of halves, the first one not smaller, until there are at most `leaf` of them."""
    if len(points) <= leaf:
        return Leaf(base, short, tuple(points))
    middle = (len(points) + 1) // 2
    return Branch(base, plant(base, short, points[:middle], leaf), plant(base, short, points[middle:], leaf))


@frozen(slots=False)
class Leaf:
    """A few points. Parameters: base, the field; short, the slots for products with a point; points."""

    base: FieldElements
    short: Slots
    points: tuple[int, ...]

    @property
    def size(self) -> int:
        """The number of points."""
        return len(self.points)

    @cached_property
    def _places(self) -> list[int]:
        return [self.short.spread(point) for point in self.points]

    @cached_property
    def master(self) -> list[int]:
        """The coefficients of M, the product of x - x_i over all points."""
        found = [one()]
        for place in self._places:
            found = _times_linear(self.short, found, place)
        return [mpz(self.short.packed(c)) for c in found]

    def values(self, polynomial: Sequence[int]) -> list[int]:
        """The values of a polynomial at all points, by Horner's rule."""
        coefficients, found = [self.short.spread(c) for c in reversed(polynomial)], list[int]()
        for place in self._places:
            total = zero()
            for coefficient in coefficients:
                total = self.short.product(total, place) ^ coefficient
            found.append(self.short.packed(total))
        return found

    def _numerator(self, digits: Sequence[int]) -> list[int]:
        """p, of degree below M's, where p/M is the sum of digits_k x^(-k-1)."""
        return product(self.base, self.master, digits[::-1])[self.size :]

    def values_of_fraction(self, digits: Sequence[int]) -> list[int]:
        """The values of p at all points, where p/M is the sum of digits_k x^(-k-1) for k = 0, 1, ..."""
        return self.values(self._numerator(digits))

    def combination(self, weights: Sequence[int]) -> list[int]:
        """The coefficients of the sum of c_i M/(x - x_i), where 1/(x - x_i) is the sum of x_i^k x^(-k-1)."""
        terms, sums = [self.short.spread(c) for c in weights], list[int]()
        for _ in self.points:
            sums.append(reduce(xor, terms))
            terms = [self.short.product(term, place) for term, place in zip(terms, self._places, strict=True)]
        return self._numerator([mpz(self.short.packed(total)) for total in sums])


@frozen(slots=False)
class Branch:
    """Two halves of some points; its methods are those of a leaf. Parameters: base, the field; left and right, the halves."""

    base: FieldElements
    left: "Leaf | Branch"
    right: "Leaf | Branch"

    @property
    def size(self) -> int:
        """The number of points."""
        return self.left.size + self.right.size

    @cached_property
    def _up(self) -> Transform:
        """For products as long as M."""
        return Transform(self.base, self.size + 1)

    @cached_property
    def _halves(self) -> tuple[list[int], list[int]]:
        """The two halves' M, transformed."""
        return self._up.values(self.left.master, self.size + 1), self._up.values(self.right.master, self.size + 1)

    @cached_property
    def master(self) -> list[int]:
        """M, the product of the halves' own."""
        left, right = (self._up.spread(half) for half in self._halves)
        return self._up.sum_of_products([(left, right)], self.size + 1)

    def values(self, polynomial: Sequence[int]) -> list[int]:
        """The values of a polynomial of at least as many coefficients as the left half has points, at all points."""
        count, found = len(polynomial), list[int]()
        for half in (self.left, self.right):
            series = product(self.base, polynomial[::-1], reciprocal(self.base, half.master[::-1], count))
            found += half.values_of_fraction(series[count - half.size : count])
        return found

    def values_of_fraction(self, digits: Sequence[int]) -> list[int]:
        """The values of p at all points, from p/M: times the right half's M it is p over the left half's, and conversely."""
        size, middle = self.size, self.left.size
        down = Transform(self.base, size + middle)
        fraction, *masters = (
            down.spread(down.values(polynomial, size + middle))
            for polynomial in (digits[::-1], self.left.master, self.right.master)
        )
        over_right, over_left = (down.sum_of_products([(fraction, master)], size + middle) for master in masters)
        found = self.left.values_of_fraction(over_left[self.right.size : size][::-1])
        return found + self.right.values_of_fraction(over_right[middle:size][::-1])

    def combination(self, weights: Sequence[int]) -> list[int]:
        """The sum of c_i M/(x - x_i): each half's, times the other half's M."""
        up, size, middle = self._up, self.size, self.left.size
        left = up.values(self.left.combination(weights[:middle]), size)
        right = up.values(self.right.combination(weights[middle:]), size)
        over_left, over_right = (half[: up.length(size)] for half in self._halves)
        pairs = [(left, over_right), (right, over_left)]
        return up.sum_of_products([(up.spread(a), up.spread(b)) for a, b in pairs], size)
