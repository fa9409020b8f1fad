"""The polynomial through given points over the field with 2^(2*3^l) elements: by Newton's form, and by a subproduct tree.

Both are given spread points of at most `width` bits and have no conditions on data: the operations and their order depend on
the level, the number of points and `width` alone.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property

from attrs import frozen
from gmpy2 import mpz

from finitedp.impl.field_elements import FieldElements, Slots, one, zero
from finitedp.impl.transform import Transform, product

__all__ = ["LEAF", "derivative_root", "newton", "subproduct_tree"]

LEAF = 64  # points below which nothing is gained by halves


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
    base: FieldElements, points: Sequence[int], values: Sequence[int], width: int, leaf: int = LEAF
) -> list[int]:
    """The coefficients by Lagrange's form, sum of c_i M(x)/(x - x_i), where M is the product of all x - x_i and c_i = y_i/M'(x_i).

    M comes from the products over halves of the points. In characteristic 2 its derivative is the square of a polynomial with
    half as many coefficients, whose values at all points come down the same tree; the sum goes up it.
    Source: BV.Lem8.1.iv. Parameters: points, distinct elements of at most `width` bits; values, as many; leaf >= 1, the number
    of points that are not halved, at which products of an element and a point are quadratic.
    Cost: quasi-linear in the points times the bits of an element: some ten products of two elements for each point and halving,
    and 5/2 `leaf` products of an element and a point for each point.
    """
    wide = base.slots(base.bits)
    tree = Node(base, base.slots(width), tuple(points), leaf)
    inverses = base.inverses([wide.spread(a) for a in tree.values(derivative_root(base, tree.master))])
    weights = [wide.product(wide.spread(y), wide.product(a, a)) for y, a in zip(values, inverses, strict=True)]
    return tree.combination([mpz(wide.packed(c)) for c in weights])


def derivative_root(base: FieldElements, polynomial: Sequence[int]) -> list[int]:
    """R with R(x)^2 = p'(x): the derivative has the coefficients of odd degree, one degree lower, which is even."""
    return [mpz(base.conjugate(a, -1)) for a in polynomial[1::2]]


@frozen(slots=False)
class Node:
    """Some of the points, and the tree over their halves.

    Parameters: base, the field; short, the slots for a product with a point; points; leaf >= 1.
    """

    base: FieldElements
    short: Slots
    points: tuple[int, ...]
    leaf: int

    @cached_property
    def halves(self) -> "tuple[Node, Node] | None":
        """The first half of the points, which is the larger one, and the second; none for a leaf."""
        if len(self.points) <= self.leaf:
            return None
        middle = (len(self.points) + 1) // 2
        return tuple(Node(self.base, self.short, part, self.leaf) for part in (self.points[:middle], self.points[middle:]))
