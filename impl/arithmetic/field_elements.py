"""The field with 2^(2*3^l) elements: GF(2)[t] / (t^(2*3^l) + t^(3^l) + 1).

An element is an integer in 0..2^(2*3^l) - 1 whose bits are the coefficients of a polynomial in t. To multiply, each bit gets a
slot of whole bytes, so that one product of integers, which is quasi-linear in their length, adds up every coefficient in its
slot; the parities of the slots are the product over GF(2).

What is fixed in time: the sequence of operations depends on the level alone; nothing branches on an element. What is not: an
integer operation of gmpy2 drops leading zeros, so its time can depend on the length of its operands.
"""

from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache
from operator import itemgetter
from typing import Any, Self

from attrs import evolve, field, frozen
from gmpy2 import mpz

from finitedp.errors import ParameterError
from finitedp.exact import integer

__all__ = ["MOST_LEVEL", "FieldElements", "Slots", "element_bits", "one", "zero"]

MOST_LEVEL = 12  # a million bits for one element

_TO_BITS = bytes.maketrans(b"01", b"\0\1")
_TO_DIGITS = bytes(b"01"[value & 1] for value in range(256))


def element_bits(level: int) -> int:
    """2 * 3^l, the bits of an element at the paper's l."""
    return int(2 * 3**level)


def zero() -> int:
    """0, as an integer that is quick to compute with."""
    return mpz(0)


def one() -> int:
    """1, likewise; spread, it is the same."""
    return mpz(1)


@frozen(slots=False)
class Slots:
    """Field elements with each bit in a slot of `size` bytes, which count up to 256^size - 1.

    Parameters: level, the paper's l; size >= 1: a product is right where one of its factors has fewer bits than 256^size.
    """

    level: int
    size: int

    @cached_property
    def bits(self) -> int:
        """2 * 3^l, the number of slots of an element."""
        return element_bits(self.level)

    @cached_property
    def _step(self) -> int:
        """3^l slots, in bits."""
        return 4 * self.size * self.bits

    @cached_property
    def _masks(self) -> tuple[int, int, int]:
        """The lowest bit of every slot of a product; all of the first 2 * 3^l and of the first 3 * 3^l slots."""
        parity = int.from_bytes((bytes(self.size - 1) + b"\1") * (2 * self.bits), "big")
        return mpz(parity), (mpz(1) << 2 * self._step) - 1, (mpz(1) << 3 * self._step) - 1

    def spread(self, element: int) -> int:
        """The element with its bits in slots."""
        digits = format(int(element), f"0{self.bits}b").encode()
        slots = bytearray(self.size * self.bits)
        slots[self.size - 1 :: self.size] = digits.translate(_TO_BITS)
        return mpz(int.from_bytes(slots, "big"))

    def packed(self, slots: int) -> int:
        """The inverse of `spread`."""
        digits = int(slots).to_bytes(self.size * self.bits, "big")[self.size - 1 :: self.size]
        return int(digits.translate(_TO_DIGITS), 2)

    def product(self, left: int, right: int) -> int:
        """The product of two spread elements, spread."""
        parity, two, three = self._masks
        # t^(3*3^l) = 1, since (t^(3^l) + 1)(t^(2*3^l) + t^(3^l) + 1) = t^(3*3^l) + 1; what is left above t^(2*3^l) is then
        # shorter than 3^l and is moved by t^(2*3^l) = t^(3^l) + 1
        whole = left * right & parity
        folded = (whole & three) ^ (whole >> 3 * self._step)
        high = folded >> 2 * self._step
        return (folded & two) ^ high ^ (high << self._step)


@lru_cache(maxsize=32)
def _slots(level: int, size: int) -> Slots:
    return Slots(level, size)


@lru_cache(maxsize=64)
def _moved(order: int, k: int) -> Callable[[str], Any]:
    """Digits 0..order - 1 in the order in which the digit i comes to the place 2^k i, modulo the odd order."""
    back = pow(2, -k, order)
    return itemgetter(*(back * place % order for place in range(order)))


@frozen(slots=False)
class FieldElements:
    """Arithmetic of GF(2^(2*3^l)), whose elements are written as integers. Source: BV.Lem8.1.iii.

    Parameters: level, the paper's l, in 0..12. Raises: ParameterError.
    """

    level: int = field(validator=lambda _self, _attribute, value: integer(value, "level", 0, MOST_LEVEL))

    @cached_property
    def bits(self) -> int:
        """2 * 3^l, the bits of an element."""
        return element_bits(self.level)

    @cached_property
    def order(self) -> int:
        """d_0 = 2^(2*3^l), the number of elements."""
        return 1 << self.bits

    def above(self, levels: int) -> Self:
        """The field so many levels up. It has this one as a subfield: t is the 3^levels-th power of its own t."""
        return evolve(self, level=self.level + levels)

    def slots(self, width: int) -> Slots:
        """The slots in which a product is right if one of the factors has at most `width` bits."""
        return _slots(self.level, -(-min(width, self.bits).bit_length() // 8) or 1)

    def element(self, value: int) -> int:
        """The integer itself. Raises: ParameterError where it is no field element."""
        return integer(value, "field element", 0, self.order - 1)

    def add(self, left: int, right: int) -> int:
        """The sum, which is also the difference."""
        return self.element(left) ^ self.element(right)

    def multiply(self, left: int, right: int) -> int:
        """The product. Cost: quasi-linear in the bits of an element."""
        slots = self.slots(self.bits)
        return slots.packed(slots.product(slots.spread(self.element(left)), slots.spread(self.element(right))))

    def power(self, base: int, exponent: int) -> int:
        """base^exponent for exponent >= 0."""
        slots, result = self.slots(self.bits), one()
        factor = slots.spread(self.element(base))
        for digit in format(integer(exponent, "exponent", at_least=0), "b"):
            result = slots.product(result, result)
            result = slots.product(result, factor) if digit == "1" else result
        return slots.packed(result)

    def conjugate(self, element: int, k: int) -> int:
        """element^(2^k), for k < 0 the root: t^i becomes t^(2^k i), and exponents count modulo 3^(l+1). No product."""
        order = 3 * self.bits // 2
        digits = format(int(element), f"0{order}b")[::-1]
        return self.reduced(int("".join(_moved(order, k % self.bits)(digits))[::-1], 2))

    def reduced(self, value: int) -> int:
        """A sum of powers of t below 3^(l+1), which may reach t^(2*3^l), as an element."""
        high = value >> self.bits
        return (value & (self.order - 1)) ^ high ^ (high << self.bits // 2)

    def inverse(self, element: int) -> int:
        """The element's inverse. Raises: ParameterError for 0."""
        slots = self.slots(self.bits)
        if not self.element(element):
            raise ParameterError("0 has no inverse; accepted: another field element")
        return slots.packed(self._inverse(slots.spread(element)))

    def _inverse(self, a: int) -> int:
        """a^(2^bits - 2), the inverse: 2 log(bits) products at most, in the same order for every element (0 gives 0)."""
        slots = self.slots(self.bits)
        product = slots.product

        def conjugate(spread: int, k: int) -> int:
            return slots.spread(self.conjugate(slots.packed(spread), k))

        run, ones = a, 1  # run = a^(2^ones - 1); its exponent has as many ones as the steps so far have built
        for digit in format(self.bits - 1, "b")[1:]:
            run, ones = product(conjugate(run, ones), run), 2 * ones
            if digit == "1":  # a bit of the field's own size
                run, ones = product(conjugate(run, 1), a), ones + 1
        return conjugate(run, 1)

    def inverses(self, elements: Sequence[int]) -> list[int]:
        """The inverses of spread elements, spread, by one inversion and three products for each."""
        product, before = self.slots(self.bits).product, [one()]
        for element in elements:
            before.append(product(before[-1], element))
        rest, inverses = self._inverse(before[-1]), list[int]()
        for element, earlier in zip(reversed(elements), reversed(before[:-1]), strict=True):
            inverses.append(product(rest, earlier))
            rest = product(rest, element)
        return inverses[::-1]
