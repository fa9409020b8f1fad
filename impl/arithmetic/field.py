"""The field with 2^(2*3^l) elements, and polynomials over it as hash functions.

What is fixed in time: the sequence of field operations depends on the level, the number of points and the stated width of the
points alone; nothing branches on an element. What is not: an integer operation of gmpy2 drops leading zeros, so its time can
depend on the length of its operands.
"""

from collections.abc import Sequence
from functools import cached_property

from attrs import frozen

from finitedp.errors import ParameterError
from finitedp.impl.arithmetic.field_elements import MOST_LEVEL, FieldElements, Slots, element_bits, zero
from finitedp.impl.arithmetic.interpolation import newton, subproduct_tree

__all__ = ["MOST_BY_NEWTON", "MOST_LEVEL", "MOST_WIDE_BY_NEWTON", "Field", "Polynomial", "Slots", "element_bits"]

# measured: a tree is faster from about 700 points on for elements of 486 bits, 900 for 1458 bits and 1000 for longer ones;
# from about 280 on where points need wider slots
MOST_BY_NEWTON = 900
MOST_WIDE_BY_NEWTON = 256


@frozen(slots=False)
class Field(FieldElements):
    """GF(2^(2*3^l)), its elements written as integers, and polynomials over it. Source: BV.Lem8.1.

    Parameters: level, the paper's l, in 0..12. Raises: ParameterError.
    """

    def evaluate(self, coefficients: Sequence[int], point: int) -> int:
        """The value at a point of the polynomial with the given coefficients, the constant first."""
        return Polynomial(self, tuple(coefficients)).value(point)

    def interpolate(self, points: Sequence[int], values: Sequence[int], width: int | None = None) -> tuple[int, ...]:
        """The coefficients of the polynomial of degree < len(points) with the given values, the constant first.

        Source: BV.Lem8.1.iv. By Newton's form through at most MOST_BY_NEWTON points (MOST_WIDE_BY_NEWTON points of more than
        255 bits), and by a subproduct tree through more.
        Parameters: points, distinct elements of at most `width` bits, a public bound (the field's own by default).
        Raises: ParameterError for no points or equal ones.
        Cost: quasi-linear in the bits of the result: up to a constant number of points that of `newton`, and beyond it that of
        `subproduct_tree`.
        """
        if not points or len(points) != len(values) or len(set(points)) != len(points):
            raise ParameterError(
                f"{len(points)} points with {len(values)} values; accepted: distinct points with a value each"
            )
        for element in (*points, *values):
            self.element(element)
        bound = self.bits if width is None else width
        most = MOST_BY_NEWTON if self.slots(bound).size == 1 else MOST_WIDE_BY_NEWTON
        by = newton if len(points) <= most else subproduct_tree
        return tuple(int(c) for c in by(self, points, values, bound))


@frozen(slots=False)
class Polynomial:
    """A polynomial over a field, kept ready for evaluation at many points.

    Parameters: coefficients, field elements, the constant first. Raises: ParameterError for an integer outside of the field.
    """

    base: Field
    coefficients: tuple[int, ...]

    def __attrs_post_init__(self) -> None:
        for coefficient in self.coefficients:
            self.base.element(coefficient)

    @cached_property
    def _ready(self) -> dict[Slots, list[int]]:
        return {}

    def value(self, point: int) -> int:
        """The value at a point, by Horner's rule: one product for each coefficient.

        Cost: products of an element and a point of that many bits; they are fastest for a point below 2^255.
        """
        slots = self.base.slots(self.base.element(point).bit_length())
        ready = self._ready.get(slots)
        if ready is None:
            ready = self._ready[slots] = [slots.spread(c) for c in reversed(self.coefficients)]
        place, total = slots.spread(point), zero()
        for coefficient in ready:
            total = slots.product(total, place) ^ coefficient
        return slots.packed(total)
