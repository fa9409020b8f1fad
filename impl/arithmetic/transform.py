"""Products of polynomials over the field with 2^(2*3^l) elements, by values at roots of unity.

t^(3^(l+1)) = 1, so that the powers of t are the roots of unity of an order that is a power of 3, and to multiply by one is to
shift. A transform whose radix is 3 goes from a polynomial to its values at the first `count` roots and back with shifts and
sums alone; a product of polynomials is then one product of elements for each root. This is Schoenhage's multiplication in
characteristic 2 with the field in place of his auxiliary ring. Polynomials that are too long for the roots of the field are
cut into blocks, of which each becomes one element of a larger field with more roots.

The operations and their order depend on the level, lengths and counts alone.
"""

from collections.abc import Sequence
from functools import cached_property

from attrs import frozen
from gmpy2 import mpz

from finitedp.impl.arithmetic.field_elements import FieldElements, Slots, zero

__all__ = ["Transform", "product"]


@frozen(slots=False)
class Roots:
    """Values of a polynomial at roots of unity.

    An element is here a sum of powers of t below t^(3^(l+1)) = 1: it need not be reduced further.
    Every method is about the roots of x^m = t^e, in a fixed order; m is a power of 3 that divides e.
    Parameters: third = 3^l.
    """

    third: int

    @cached_property
    def _mask(self) -> int:
        return (mpz(1) << 3 * self.third) - 1

    def _times(self, elements: Sequence[int], exponent: int) -> list[int]:
        """The elements times t^exponent."""
        k, order, mask = exponent % (3 * self.third), 3 * self.third, self._mask
        return [(a << k & mask) ^ (a >> order - k) for a in elements]

    def values(self, polynomial: Sequence[int], m: int, e: int, count: int) -> list[int]:
        """The values of a polynomial with 1 to m coefficients at the first `count` roots."""
        if len(polynomial) == 1:
            return [polynomial[0]] * count
        m, e = m // 3, e // 3
        first, second, last = polynomial[:m], self._times(polynomial[m : 2 * m], e), self._times(polynomial[2 * m :], 2 * e)
        both = _sum(second, last)
        low, turned = _sum(first, both), _sum(first, self._times(both, self.third))
        if m == 1:
            last = last or [zero()]
            return [low[0], turned[0] ^ last[0], turned[0] ^ second[0]][:count]
        # modulo x^m - w t^e for w = 1, u and u^2, where u = t^(3^l) and u^2 = u + 1
        found = self.values(low, m, e, min(m, count))
        if count > m:
            found += self.values(_sum(turned, last), m, e + self.third, min(m, count - m))
        if count > 2 * m:
            found += self.values(_sum(turned, second), m, e + 2 * self.third, count - 2 * m)
        return found

    def polynomial(self, values: Sequence[int], m: int, e: int) -> list[int]:
        """The coefficients, as many as values, of the polynomial with these values at the first roots."""
        if m == 1:
            return list(values)
        m, e = m // 3, e // 3
        parts = [values[k : k + m] for k in range(0, len(values), m)]
        residues = [self.polynomial(part, m, e + k * self.third) for k, part in enumerate(parts)] if m > 1 else parts
        if len(residues) == 1:
            return list(residues[0])
        return self._whole(residues, e) if len(values) == 3 * m else self._joined(residues, m, e)

    def _whole(self, residues: Sequence[Sequence[int]], e: int) -> list[int]:
        """A polynomial of three whole blocks from its residues."""
        low, second, last = residues
        both = _sum(second, last)
        turned = _sum(low, self._times(both, self.third))
        return _sum(low, both) + self._times(_sum(turned, second), -e) + self._times(_sum(turned, last), -2 * e)

    def _joined(self, residues: Sequence[Sequence[int]], m: int, e: int) -> list[int]:
        """A polynomial of two or three blocks from its residues modulo x^m - w t^e, the last known at its first roots only."""
        u, low, last = self.third, residues[0], residues[-1]
        if len(residues) == 2:
            # P0 + t^e P1 and P0 + u t^e P1
            rest = self._times(self._without(last, low, m, e + u), u - e)
            return _sum(low, self._times(rest, e)) + rest
        # and P0 + w t^e P1 + w^2 t^(2e) P2
        middle = self._times(_sum(low, residues[1]), u - e)
        known = _sum(low, self._times(middle, e + u))
        rest = self._times(self._without(last, known, m, e + 2 * u), 2 * u - 2 * e)
        middle = _sum(middle, self._times(rest, e + 2 * u))
        return _sum(_sum(low, self._times(middle, e)), self._times(rest, 2 * e)) + middle + rest

    def _without(self, residue: Sequence[int], known: Sequence[int], m: int, e: int) -> list[int]:
        """The residue less what is known, both modulo the roots of x^m = t^e at which the residue is given."""
        if len(residue) < m:
            known = self.polynomial(self.values(known, m, e, len(residue)), m, e)
        return _sum(known, residue)


def _sum(left: Sequence[int], right: Sequence[int]) -> list[int]:
    """The sum of two polynomials, of which the right one is not longer."""
    return [a ^ b for a, b in zip(left, right, strict=False)] + list(left[len(right) :])


@frozen(slots=False)
class Transform:
    """Polynomials with at most `most` coefficients as their values at roots of unity. Source: BV.Lem8.1.iv.

    The values are elements of `base.above(k)`, where k is the least for which that field has enough roots. A block of
    (3^k + 1)/2 coefficients is one element there, as the coefficients of powers of its t; in a product of two no power wraps.
    Parameters: base, a field; most >= 1. Cost: quasi-linear in `most` times the bits of an element.
    """

    base: FieldElements
    most: int

    @cached_property
    def _levels(self) -> int:
        """k."""
        k = 0
        while -(-2 * self.most // (3**k + 1)) > 3 ** (self.base.level + k + 1):
            k += 1
        return k

    @cached_property
    def _block(self) -> int:
        return int(3**self._levels + 1) // 2

    @cached_property
    def _field(self) -> FieldElements:
        return self.base.above(self._levels)

    @cached_property
    def _roots(self) -> Roots:
        return Roots(self._field.bits // 2)

    @cached_property
    def _size(self) -> int:
        size = 1
        while size < self.length(self.most):
            size *= 3
        return size

    @cached_property
    def _slots(self) -> Slots:
        return self._field.slots(self._field.bits)

    def length(self, count: int) -> int:
        """The number of values that determine a polynomial with `count` coefficients."""
        return -(-count // self._block)

    def values(self, polynomial: Sequence[int], count: int) -> list[int]:
        """The values of a polynomial, as many as determine one with `count` coefficients."""
        blocks = [self._joined(polynomial[i : i + self._block]) for i in range(0, len(polynomial), self._block)]
        found = self._roots.values(blocks, self._size, 0, self.length(count))
        return [self._field.reduced(a) for a in found]

    def spread(self, values: Sequence[int]) -> list[int]:
        """Values, spread for products."""
        return [self._slots.spread(a) for a in values]

    def sum_of_products(self, pairs: Sequence[tuple[Sequence[int], Sequence[int]]], count: int) -> list[int]:
        """The sum, with `count` coefficients, of products of polynomials given by as many spread values as it has."""
        slots, totals = self._slots, [zero()] * self.length(count)
        for left, right in pairs:
            for i, (a, b) in enumerate(zip(left, right, strict=True)):
                totals[i] ^= slots.product(a, b)
        found = [zero()] * (self._block * len(totals) + 3**self._levels)
        values = [mpz(slots.packed(total)) for total in totals]
        for i, block in enumerate(self._roots.polynomial(values, self._size, 0)):
            for j, element in enumerate(self._parted(self._field.reduced(block)), i * self._block):
                found[j] ^= element
        return found[:count]

    def _joined(self, elements: Sequence[int]) -> int:
        """The sum of a_r t^r, where the a_r are elements of the subfield."""
        if self._levels == 0:
            return elements[0]
        step = 3**self._levels
        digits = bytearray(b"0" * (step * self.base.bits))
        for r, element in enumerate(elements):
            digits[step - 1 - r :: step] = format(int(element), f"0{self.base.bits}b").encode()
        return mpz(int(digits, 2))

    def _parted(self, element: int) -> list[int]:
        """The inverse: 3^k elements of the subfield."""
        if self._levels == 0:
            return [element]
        step, digits = 3**self._levels, format(int(element), f"0{self._field.bits}b")
        return [mpz(int(digits[step - 1 - r :: step], 2)) for r in range(step)]


def product(base: FieldElements, left: Sequence[int], right: Sequence[int]) -> list[int]:
    """The product of two polynomials."""
    count = len(left) + len(right) - 1
    transform = Transform(base, count)
    values = [transform.spread(transform.values(polynomial, count)) for polynomial in (left, right)]
    return transform.sum_of_products([(values[0], values[1])], count)
