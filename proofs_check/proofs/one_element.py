"""The few operations of numpy that the strict path of dyadic_bulk uses, on one element of which only an interval is known.

Values are modulo 2^64, or signed; m, a word without its first bit, lies in an interval. Where an operation depends on
how m compares with a number, `Cut` asks for the interval to be cut there. What is not known here is refused.
"""

from typing import Any

from attrs import evolve, frozen
from numpy import iinfo

from finitedp.errors import ClaimError
from finitedp.impl.counting.dyadic_plan import LIMB, TOP, Plan

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
class Less:
    """Whether m is below a number."""

    number: int


@frozen
class Shifted:
    """A limb of two, shifted into a window by so many bits: the first one to the left, the second one to the right."""

    place: int
    by: int


@frozen
class Window:
    """m without its last bits, so many of them, which leaves 64 bits or less."""

    by: int


@frozen
class Bits:
    """The bits of some limbs put together, to see whether all are 0."""

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
        self.most_place = int(iinfo(plan.narrow).max)
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

    def right_shift(self, x: Any, by: Any, out: Cell) -> None:  # noqa: ANN401
        """Shift by a number of bits: what is left must be known, or belong to a window."""
        x, by = plain(x), number(by)
        ensure(0 <= by < LIMB, "a shift by more bits than there are")
        if self.parts == 2 and x == Limb(1, 1, 0):
            out.value = Shifted(1, by)
        else:
            low, high = self.range_of(x)
            ensure(low >> by == high >> by, "a shift of what is not known")
            out.value = low >> by

    def left_shift(self, x: Any, by: Any, out: Cell) -> None:  # noqa: ANN401
        """Shift by a number of bits: of a place, or of the first of two limbs for a window."""
        x, by = plain(x), number(by)
        ensure(0 <= by < LIMB, "a shift by more bits than there are")
        out.value = Shifted(0, by) if self.parts == 2 and x == Limb(0, 1, 0) else self.place(number(x) << by)

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
        bits = mask.bit_length()
        ensure(mask == (1 << bits) - 1, "a mask of other than the last bits")
        low, high = self.range_of(x)
        ensure(low >> bits == high >> bits, "a mask of what is not known")
        out.value = x & mask if type(x) is int else evolve(x, shift=x.shift - (low >> bits << bits))

    def bitwise_or(self, x: Any, y: Any, out: Cell) -> Cell:  # noqa: ANN401
        """Bits put together."""
        x, y = plain(x), plain(y)
        if isinstance(x, Shifted) and isinstance(y, Shifted):
            ensure((x.place, y.place, x.by + y.by) == (0, 1, LIMB), "limbs that do not meet")
            ensure(self.below(1 << (LIMB + y.by)), "bits that are shifted out")
            out.value = Window(y.by)
        elif isinstance(x, Limb | Bits) and isinstance(y, Limb):
            known = x.gathered if isinstance(x, Bits) else frozenset([x.place])
            ensure((y.sign, y.shift) == (1, 0) and (isinstance(x, Bits) or (x.sign, x.shift) == (1, 0)), "other bits")
            out.value = Bits(known | {y.place})
        elif isinstance(y, Limb):
            ensure(x in (0, ALL), "bits that are not known")
            out.value = y if x == 0 else ALL
        else:
            ensure(number(x) & number(y) == 0, "bits that are set twice")
            out.value = number(x) | number(y)
        return out

    def copyto(self, to: Cell, x: Any) -> None:  # noqa: ANN401
        """The same value; of a comparison 1 or 0."""
        x = plain(x)
        if isinstance(x, Below):
            ensure(x.place == 0, "limbs that are left out")
            x = Less(joined(x.limbs) << (LIMB * (self.parts - len(x.limbs))))
        to.value = int(self.below(x.number)) if isinstance(x, Less) else int(x) if type(x) is bool else x

    def take(self, table: Any, at: Any, out: Cell, mode: str) -> None:  # noqa: ANN401
        """An element of a table, at a place that is known."""
        ensure(mode == "clip" and number(at) < len(table), "an element beyond the table")
        out.value = int(table[number(at)])

    def less(self, x: Any, y: Any, out: Cell) -> None:  # noqa: ANN401
        """Whether a limb is below a number, to be joined with the other limbs; or a window."""
        x = plain(x)
        if isinstance(x, Window):
            out.value = Less(number(y) << x.by)
            return
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
        ensure(isinstance(behind, Below) and behind.place == below.place + 1, "limbs that are left out")
        out.value = Below(below.place, (*below.limbs, *behind.limbs))

    def subtract(self, x: Any, y: Any, out: Cell) -> None:  # noqa: ANN401
        """A difference: of all of m and a number, of numbers, or of a count and its noise with the other sign."""
        x, y = plain(x), plain(y)
        if x is COUNT and isinstance(y, Quotient):
            out.value = Noisy(self.fits(evolve(y, sign=-y.sign, shift=-y.shift), self.n))
        elif x is COUNT:
            ensure(-self.n <= number(y) <= self.n and 2 * self.n <= TOP, "noise beyond n")
            out.value = Noisy(-y)
        elif isinstance(x, Limb):
            ensure(x == Limb(self.parts - 1, 1, 0) and self.below(1 << (LIMB - 1)), "not the whole of m")
            out.value = Quotient(number(y), 0, 1, 0)
        elif isinstance(y, Quotient):
            out.value = self.fits(evolve(y, sign=-y.sign, shift=number(x) - y.shift))
        else:
            step = -1 if y == ALL else number(y)
            out.value = self.fits(evolve(x, shift=x.shift - step)) if isinstance(x, Quotient) else number(x) - step

    def not_equal(self, x: Any, y: Any, out: Cell) -> None:  # noqa: ANN401
        """Whether m has bits before its last limb."""
        x = plain(x)
        gathered = x.gathered if isinstance(x, Bits) else frozenset([0]) if x == Limb(0, 1, 0) else frozenset()
        ensure(gathered == {*range(self.parts - 1)} and number(y) == 0, "bits that are left out")
        out.value = not self.below(1 << LIMB)

    def multiply(self, x: Any, y: Any, out: Cell) -> None:  # noqa: ANN401
        """A product of small numbers."""
        out.value = self.place(number(x) * number(y))

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

    def minimum(self, x: Any, y: Any, out: Cell) -> Cell:  # noqa: ANN401
        """A clamp, or m where it is at most 2^63 - 1."""
        x = plain(x)
        if isinstance(x, Noisy):
            ensure(x.low is not None and x.high is None, "clamped in another order")
            out.value = evolve(x, high=number(y))
            return out
        ensure(
            number(y) == TOP and (x == ALL or (x == Limb(self.parts - 1, 1, 0) and self.below(1 << LIMB))), "another minimum"
        )
        out.value = TOP if x == ALL or not self.below(1 << (LIMB - 1)) else x
        return out

    def add(self, x: Any, y: Any, out: Cell) -> None:  # noqa: ANN401
        """A sum of small numbers."""
        out.value = self.place(number(x) + number(y))

    def place(self, value: int) -> int:
        """A number, if the integers that hold places hold it."""
        ensure(0 <= value <= self.most_place, "a place leaves its range")
        return value

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


def joined(limbs: tuple[int, ...]) -> int:
    """The number of these limbs."""
    whole = 0
    for limb in limbs:
        whole = whole << LIMB | limb
    return whole


def flipped(x: Any) -> Any:  # noqa: ANN401
    """All bits the other way round: of a limb as a number of 64 bits, else as a signed one."""
    if isinstance(x, Limb):
        return evolve(x, sign=-x.sign, shift=ALL - x.shift)
    if isinstance(x, Quotient):
        return evolve(x, sign=-x.sign, shift=-1 - x.shift)
    return -1 - number(x)
