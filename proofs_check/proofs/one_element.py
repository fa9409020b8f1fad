"""The few operations of numpy that the strict path of dyadic_bulk uses, on one element of which only an interval is known.

Values are modulo 2^64, or signed; m, a word without its first bit, lies in an interval. Where an operation depends on
how m compares with a number, `Cut` asks for the interval to be cut there. What is not known here is refused.
"""

from typing import Any

from attrs import evolve, frozen

from finitedp.errors import ClaimError
from finitedp.impl.counting.dyadic_plan import LIMB, TOP, Plan

__all__ = ["ALL", "COUNT", "Cell", "Cut", "Limb", "Noisy", "Numpy", "Quotient", "ensure", "number"]

ALL = (1 << 64) - 1


class Cut(Exception):  # noqa: N818  # no error
    """The interval must be cut before this number."""


@frozen
class Limb:
    """The limb of m at a place, the most significant first: sign * limb + shift, which lies in 0..2^64 - 1."""

    place: int
    sign: int
    shift: int


@frozen
class Below:
    """Whether the limbs of m from a place on are below these."""

    place: int
    limbs: tuple[int, ...]


@frozen
class Same:
    """Whether the limb of m at a place is this one."""

    place: int
    limb: int


@frozen
class Room:
    """The first limb of m less that of a threshold, less 1 where the limbs behind are below the threshold's."""

    limbs: tuple[int, ...]
    whole: bool


@frozen
class Sign:
    """A number of 64 bits, shifted to the right: of a negative one all its bits are ones from the 63rd on."""

    negative: bool
    by: int


@frozen
class Full:
    """A number whose last 63 bits are ones."""


@frozen
class Bits:
    """The bits of m from the last limb's first on, as far as they are gathered: its own, and whole limbs before it."""

    gathered: frozenset[int]


@frozen
class Quotient:
    """sign * ((m - last) // tail if divided, else m - last) + shift."""

    last: int
    tail: int
    sign: int
    shift: int


@frozen
class Noisy:
    """clamp(count + size, low, high), for the count at hand."""

    size: Any
    low: int | None = None
    high: int | None = None


class Cell:
    """An array of one element."""

    def __init__(self, value: Any = None) -> None:  # noqa: ANN401  # any of the above, an int or a bool
        self.value = value

    def view(self, _kind: object) -> "Cell":
        """The same element, seen as signed."""
        return self


COUNT = object()


class Numpy:
    """The operations of numpy that the strict path uses, on one element; m is in low..high."""

    int64 = uint64 = staticmethod(int)

    def __init__(self, plan: Plan, low: int, high: int) -> None:
        self.parts, self.n, self.low, self.high = plan.limbs, plan.n, low, high
        self.mask = (1 << plan.top_bits) - 1  # of the first limb of a word
        self.most = [(1 << (plan.top_bits - 1)) - 1] + [ALL] * (plan.limbs - 1)  # of each limb of m

    def below(self, number: int) -> bool:
        """Whether m < number, if that is the same for all of the interval."""
        if self.low < number <= self.high:
            raise Cut(number)
        return self.high < number

    def range_of(self, value: Any) -> tuple[int, int]:  # noqa: ANN401
        """Bounds of a value."""
        if isinstance(value, Limb):
            ends = sorted((value.shift, value.sign * self.most[value.place] + value.shift))
            ensure(ends[0] >= 0 and ends[1] <= ALL, "a limb leaves its range")
            return ends[0], ends[1]
        ensure(type(value) is int, "an operation on something else than a number")
        return value, value

    def right_shift(self, x: Any, by: int, out: Cell) -> None:  # noqa: ANN401
        """Shift by a number of bits: what is left must be known, or decide a comparison."""
        x = plain(x)
        if isinstance(x, Room):
            ensure(x.whole and by + 1 <= LIMB, "a comparison is not whole")
            number = 0
            for limb in x.limbs:
                number = number << LIMB | limb
            ensure(x.limbs[0] <= TOP and self.most[0] <= TOP, "a first limb has 64 bits")
            # negative by at least 1 and at most 2^63: all its bits from the 63rd on are 1; else it is below 2^63
            out.value = Sign(self.below(number), by)
        elif isinstance(x, Limb) and by == LIMB - 1 and x == Limb(self.parts - 1, 1, 0) and self.parts > 1:
            out.value = Bits(frozenset([self.parts - 1]))
        else:
            low, high = self.range_of(x)
            ensure(low >> by == high >> by, "a shift of what is not known")
            out.value = low >> by

    def negative(self, x: Any, out: Cell) -> None:  # noqa: ANN401
        """The number with the other sign, modulo 2^64."""
        out.value = -number(x) & ALL

    def invert(self, x: Any, out: Cell) -> Cell:  # noqa: ANN401
        """All bits the other way round."""
        out.value = ALL - number(x)
        return out

    def bitwise_xor(self, x: Any, y: Any, out: Any) -> None:  # noqa: ANN401
        """All bits the other way round, or none."""
        if isinstance(x, list):  # limb by limb
            for part, cell in zip(x, out, strict=True):
                self.bitwise_xor(part, y, cell)
            return
        x, y = plain(x), number(y)
        ensure(y in (0, ALL, -1), "an exclusive or with other bits than all or none")
        out.value = x if y == 0 else flipped(x)

    def bitwise_and(self, x: Any, y: Any, out: Cell) -> None:  # noqa: ANN401
        """The last bits of a number, or one bit of a sign."""
        x, mask = plain(x), number(y)
        if isinstance(x, Full):
            ensure(mask == TOP, "another mask")
            out.value = TOP
            return
        if isinstance(x, Sign):
            bit = mask.bit_length() - 1
            ensure(mask == 1 << bit and bit + x.by == LIMB - 1, "another bit than the sign")
            out.value = mask if x.negative else 0
            return
        bits = mask.bit_length()
        ensure(mask == (1 << bits) - 1, "a mask of other than the last bits")
        if isinstance(x, Limb) and x == Limb(self.parts - 1, 1, 0) and bits == LIMB - 1 and self.parts > 1:
            ensure(self.below(1 << (LIMB - 1)), "a bit is lost")
            return
        low, high = self.range_of(x)
        ensure(low >> bits == high >> bits, "a mask of what is not known")
        out.value = x & mask if type(x) is int else evolve(x, shift=x.shift - (low >> bits << bits))

    def bitwise_or(self, x: Any, y: Any, out: Cell) -> None:  # noqa: ANN401
        """Bits put together."""
        x, y = plain(x), plain(y)
        if isinstance(x, Bits):
            ensure(isinstance(y, Limb) and (y.sign, y.shift) == (1, 0) and y.place not in x.gathered, "other bits")
            out.value = Bits(x.gathered | {y.place})
        elif type(x) is int and type(y) is int:
            ensure(x & y == 0 or (x | y) == max(x, y), "bits that are set twice")
            out.value = x | y
        else:
            ensure(y in (0, TOP), "bits that are not known")
            out.value = x if y == 0 else Full()

    def copyto(self, to: Cell, x: Any) -> None:  # noqa: ANN401
        """The same value."""
        to.value = plain(x)

    def take(self, table: Any, at: Any, out: Cell, mode: str) -> None:  # noqa: ANN401
        """An element of a table, at a place that is known."""
        ensure(mode == "clip" and number(at) < len(table), "an element beyond the table")
        out.value = int(table[number(at)])

    def less(self, x: Any, y: Any, out: Cell) -> None:  # noqa: ANN401
        """Whether a limb is below a number, to be joined with the other limbs."""
        x = plain(x)
        ensure(isinstance(x, Limb) and (x.sign, x.shift) == (1, 0), "a comparison of something else than a limb")
        out.value = Below(x.place, (number(y),))

    def equal(self, x: Any, y: Any, out: Cell) -> None:  # noqa: ANN401
        """Whether a limb is a number, to be joined with the other limbs."""
        x = plain(x)
        ensure(isinstance(x, Limb) and (x.sign, x.shift) == (1, 0), "a comparison of something else than a limb")
        out.value = Same(x.place, number(y))

    def logical_and(self, x: Any, y: Any, out: Cell) -> None:  # noqa: ANN401
        """Two comparisons, to be joined."""
        out.value = (plain(x), plain(y))

    def logical_or(self, x: Any, y: Any, out: Cell) -> None:  # noqa: ANN401
        """Whether limbs are below those of a threshold: the first of them, or it is the same and the others are."""
        below, (same, behind) = plain(x), plain(y)
        ensure(isinstance(below, Below) and isinstance(same, Same), "something else than a comparison by limbs")
        ensure((below.place, below.limbs) == (same.place, (same.limb,)), "limbs of two thresholds")
        if behind is False:
            ensure(below.place == self.parts - 1, "limbs that are left out")
            out.value = below
        else:
            ensure(isinstance(behind, Below) and behind.place == below.place + 1, "limbs that are left out")
            out.value = Below(below.place, (*below.limbs, *behind.limbs))

    def subtract(self, x: Any, y: Any, out: Cell) -> None:  # noqa: ANN401
        """A difference: of a first limb and a threshold's, its borrow, or a number."""
        as_array, x, y = isinstance(y, Cell), plain(x), plain(y)
        if isinstance(x, Room):
            ensure(isinstance(y, Below) and y.place == 1 and len(y.limbs) == self.parts - 1 and not x.whole, "another borrow")
            out.value = Room((*x.limbs, *y.limbs), whole=True)
        elif isinstance(x, Limb) and as_array:
            ensure((x.place, x.sign, x.shift) == (0, 1, 0), "another limb than the first")
            out.value = Room((number(y),), whole=self.parts == 1)
        elif isinstance(x, Limb):
            ensure(x == Limb(self.parts - 1, 1, 0) and self.below(1 << (LIMB - 1)), "not the whole of m")
            out.value = Quotient(number(y), 0, 1, 0)
        elif isinstance(y, Quotient):
            out.value = self.fits(evolve(y, sign=-y.sign, shift=number(x) - y.shift))
        else:
            step = -1 if y == ALL else number(y)
            out.value = self.fits(evolve(x, shift=x.shift - step)) if isinstance(x, Quotient) else number(x) - step

    def not_equal(self, x: Any, y: Any, out: Cell) -> None:  # noqa: ANN401
        """Whether m has bits beyond the last 63."""
        x = plain(x)
        ensure(isinstance(x, Bits) and x.gathered == {*range(self.parts)} and number(y) == 0, "bits that are left out")
        out.value = not self.below(1 << (LIMB - 1))

    def multiply(self, x: Any, y: Any, out: Cell) -> None:  # noqa: ANN401
        """A number, or 0."""
        x = plain(x)
        ensure(type(x) is bool, "a product of numbers")
        out.value = number(y) if x else 0

    def floor_divide(self, x: Any, y: Any, out: Cell) -> None:  # noqa: ANN401
        """The quotient of m less a number."""
        x, tail = plain(x), number(y)
        if type(x) is int:
            out.value = x // tail
            return
        ensure(isinstance(x, Quotient) and x == Quotient(x.last, 0, 1, 0) and tail > 0, "another quotient")
        out.value = evolve(x, tail=tail)

    def maximum(self, x: Any, y: Any, out: Cell) -> None:  # noqa: ANN401
        """The larger: of numbers, of a quotient, or a clamp."""
        x, y = plain(x), plain(y)
        if isinstance(x, Noisy):
            ensure((x.low, x.high) == (None, None), "clamped twice")
            out.value = evolve(x, low=number(y))
        elif type(y) is int:
            out.value = max(number(x), y)
        else:
            ensure(isinstance(y, Quotient) and y.sign == -1 and y.tail > 0, "another quotient")
            passed = y.last + (y.shift - number(x)) * y.tail  # y > x exactly where m is below
            out.value = y if self.below(passed) else x

    def minimum(self, x: Any, y: Any, out: Cell) -> None:  # noqa: ANN401
        """A clamp."""
        x = plain(x)
        ensure(isinstance(x, Noisy) and x.low is not None and x.high is None, "clamped in another order")
        out.value = evolve(x, high=number(y))

    def add(self, x: Any, y: Any, out: Cell) -> None:  # noqa: ANN401
        """Noise added to a count."""
        ensure(plain(x) is COUNT, "something else than a count is added to")
        size = plain(y)
        if isinstance(size, Quotient):
            self.fits(size, self.n)
        else:
            ensure(-self.n <= number(size) <= self.n and 2 * self.n <= TOP, "noise beyond n")
        out.value = Noisy(size)

    def fits(self, quotient: Quotient, more: int = 0) -> Quotient:
        """The quotient, if it is one of 63 bits and a sign on all of the interval, also with 0..more added."""
        for m in (self.low, self.high):
            value = quotient.sign * ((m - quotient.last) // (quotient.tail or 1)) + quotient.shift
            ensure(-TOP - 1 <= value <= TOP - more, "a number leaves its range")
        return quotient


def ensure(condition: bool, what: str) -> None:
    if not condition:
        raise ClaimError(f"the array path does what its proof does not know: {what}")


def plain(x: Any) -> Any:  # noqa: ANN401
    return x.value if isinstance(x, Cell) else x


def number(x: Any) -> int:  # noqa: ANN401
    value = plain(x)
    ensure(type(value) is int, "a number that is not known")
    return int(value)


def flipped(x: Any) -> Any:  # noqa: ANN401
    """All bits the other way round: of a limb as a number of 64 bits, else as a signed one."""
    if isinstance(x, Limb):
        return evolve(x, sign=-x.sign, shift=ALL - x.shift)
    if isinstance(x, Quotient):
        return evolve(x, sign=-x.sign, shift=-1 - x.shift)
    return -1 - number(x)
