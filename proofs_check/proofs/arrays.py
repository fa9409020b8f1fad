"""What the strict path of dyadic_bulk does to every word there is, for one table: executed on intervals of words.

A word is its first bit and m, the other bits, or their complement where the first one is 1. The functions `_fold`, `_bisect`,
`_stretch` and `_finish` run as they ship, on one element of which the first bit is known and m is any integer of an interval;
numpy
is replaced by the few operations below, on values modulo 2^64. Where an operation depends on how m compares with a number, the
interval is cut there and the run starts again on either part. So a few runs for each weight of the table cover all 2^word
words. Anything else that the functions do is refused.
"""

from collections.abc import Callable
from types import FunctionType, SimpleNamespace
from typing import Any

from attrs import evolve, frozen

from finitedp.errors import ClaimError
from finitedp.impl.counting import dyadic_bulk
from finitedp.impl.counting.dyadic import DyadicSample
from finitedp.impl.counting.dyadic_plan import LIMB, TOP, Plan, plan_of

__all__ = ["same_as_the_table"]

ALL = (1 << 64) - 1
MOST_RUNS = 1 << 20


class _Cut(Exception):  # noqa: N818  # no error
    """The interval must be cut before this number."""


@frozen
class _Limb:
    """The limb of m at a place, the most significant first: sign * limb + shift, which lies in 0..2^64 - 1."""

    place: int
    sign: int
    shift: int


@frozen
class _Below:
    """Whether the limbs of m from a place on are below these."""

    place: int
    limbs: tuple[int, ...]


@frozen
class _Same:
    """Whether the limb of m at a place is this one."""

    place: int
    limb: int


@frozen
class _Room:
    """The first limb of m less that of a threshold, less 1 where the limbs behind are below the threshold's."""

    limbs: tuple[int, ...]
    whole: bool


@frozen
class _Sign:
    """A number of 64 bits, shifted to the right: of a negative one all its bits are ones from the 63rd on."""

    negative: bool
    by: int


@frozen
class _Full:
    """A number whose last 63 bits are ones."""


@frozen
class _Bits:
    """The bits of m from the last limb's first on, as far as they are gathered: its own, and whole limbs before it."""

    gathered: frozenset[int]


@frozen
class _Quotient:
    """sign * ((m - last) // tail if divided, else m - last) + shift."""

    last: int
    tail: int
    sign: int
    shift: int


@frozen
class _Noisy:
    """clamp(count + size, low, high), for the count at hand."""

    size: Any
    low: int | None = None
    high: int | None = None


class _Cell:
    """An array of one element."""

    def __init__(self, value: Any = None) -> None:  # noqa: ANN401  # any of the above, an int or a bool
        self.value = value

    def view(self, _kind: object) -> "_Cell":
        """The same element, seen as signed."""
        return self


COUNT = object()


class _Numpy:
    """The operations of numpy that the strict path uses, on one element; m is in low..high."""

    int64 = uint64 = staticmethod(int)

    def __init__(self, plan: Plan, low: int, high: int) -> None:
        self.parts, self.n, self.low, self.high = plan.limbs, plan.n, low, high
        self.mask = (1 << plan.top_bits) - 1  # of the first limb of a word
        self.most = [(1 << (plan.top_bits - 1)) - 1] + [ALL] * (plan.limbs - 1)  # of each limb of m

    def below(self, number: int) -> bool:
        """Whether m < number, if that is the same for all of the interval."""
        if self.low < number <= self.high:
            raise _Cut(number)
        return self.high < number

    def range_of(self, value: Any) -> tuple[int, int]:  # noqa: ANN401
        """Bounds of a value."""
        if isinstance(value, _Limb):
            ends = sorted((value.shift, value.sign * self.most[value.place] + value.shift))
            _check(ends[0] >= 0 and ends[1] <= ALL, "a limb leaves its range")
            return ends[0], ends[1]
        _check(type(value) is int, "an operation on something else than a number")
        return value, value

    def right_shift(self, x: Any, by: int, out: _Cell) -> None:  # noqa: ANN401
        x = _plain(x)
        if isinstance(x, _Room):
            _check(x.whole and by + 1 <= LIMB, "a comparison is not whole")
            number = 0
            for limb in x.limbs:
                number = number << LIMB | limb
            _check(x.limbs[0] <= TOP and self.most[0] <= TOP, "a first limb has 64 bits")
            # negative by at least 1 and at most 2^63: all its bits from the 63rd on are 1; else it is below 2^63
            out.value = _Sign(self.below(number), by)
        elif isinstance(x, _Limb) and by == LIMB - 1 and x == _Limb(self.parts - 1, 1, 0) and self.parts > 1:
            out.value = _Bits(frozenset([self.parts - 1]))
        else:
            low, high = self.range_of(x)
            _check(low >> by == high >> by, "a shift of what is not known")
            out.value = low >> by

    def negative(self, x: Any, out: _Cell) -> None:  # noqa: ANN401
        out.value = -_number(x) & ALL

    def invert(self, x: Any, out: _Cell) -> _Cell:  # noqa: ANN401
        out.value = ALL - _number(x)
        return out

    def bitwise_xor(self, x: Any, y: Any, out: Any) -> None:  # noqa: ANN401
        if isinstance(x, list):  # limb by limb
            for part, cell in zip(x, out, strict=True):
                self.bitwise_xor(part, y, cell)
            return
        x, y = _plain(x), _number(y)
        _check(y in (0, ALL, -1), "an exclusive or with other bits than all or none")
        out.value = x if y == 0 else _flipped(x)

    def bitwise_and(self, x: Any, y: Any, out: _Cell) -> None:  # noqa: ANN401
        x, mask = _plain(x), _number(y)
        if isinstance(x, _Full):
            _check(mask == TOP, "another mask")
            out.value = TOP
            return
        if isinstance(x, _Sign):
            bit = mask.bit_length() - 1
            _check(mask == 1 << bit and bit + x.by == LIMB - 1, "another bit than the sign")
            out.value = mask if x.negative else 0
            return
        bits = mask.bit_length()
        _check(mask == (1 << bits) - 1, "a mask of other than the last bits")
        if isinstance(x, _Limb) and x == _Limb(self.parts - 1, 1, 0) and bits == LIMB - 1 and self.parts > 1:
            _check(self.below(1 << (LIMB - 1)), "a bit is lost")
            return
        low, high = self.range_of(x)
        _check(low >> bits == high >> bits, "a mask of what is not known")
        out.value = x & mask if type(x) is int else evolve(x, shift=x.shift - (low >> bits << bits))

    def bitwise_or(self, x: Any, y: Any, out: _Cell) -> None:  # noqa: ANN401
        x, y = _plain(x), _plain(y)
        if isinstance(x, _Bits):
            _check(isinstance(y, _Limb) and (y.sign, y.shift) == (1, 0) and y.place not in x.gathered, "other bits")
            out.value = _Bits(x.gathered | {y.place})
        elif type(x) is int and type(y) is int:
            _check(x & y == 0 or (x | y) == max(x, y), "bits that are set twice")
            out.value = x | y
        else:
            _check(y in (0, TOP), "bits that are not known")
            out.value = x if y == 0 else _Full()

    def copyto(self, to: _Cell, x: Any) -> None:  # noqa: ANN401
        to.value = _plain(x)

    def take(self, table: Any, at: Any, out: _Cell, mode: str) -> None:  # noqa: ANN401
        _check(mode == "clip" and _number(at) < len(table), "an element beyond the table")
        out.value = int(table[_number(at)])

    def less(self, x: Any, y: Any, out: _Cell) -> None:  # noqa: ANN401
        x = _plain(x)
        _check(isinstance(x, _Limb) and (x.sign, x.shift) == (1, 0), "a comparison of something else than a limb")
        out.value = _Below(x.place, (_number(y),))

    def equal(self, x: Any, y: Any, out: _Cell) -> None:  # noqa: ANN401
        x = _plain(x)
        _check(isinstance(x, _Limb) and (x.sign, x.shift) == (1, 0), "a comparison of something else than a limb")
        out.value = _Same(x.place, _number(y))

    def logical_and(self, x: Any, y: Any, out: _Cell) -> None:  # noqa: ANN401
        out.value = (_plain(x), _plain(y))

    def logical_or(self, x: Any, y: Any, out: _Cell) -> None:  # noqa: ANN401
        below, (same, behind) = _plain(x), _plain(y)
        _check(isinstance(below, _Below) and isinstance(same, _Same), "something else than a comparison by limbs")
        _check((below.place, below.limbs) == (same.place, (same.limb,)), "limbs of two thresholds")
        if behind is False:
            _check(below.place == self.parts - 1, "limbs that are left out")
            out.value = below
        else:
            _check(isinstance(behind, _Below) and behind.place == below.place + 1, "limbs that are left out")
            out.value = _Below(below.place, (*below.limbs, *behind.limbs))

    def subtract(self, x: Any, y: Any, out: _Cell) -> None:  # noqa: ANN401
        as_array, x, y = isinstance(y, _Cell), _plain(x), _plain(y)
        if isinstance(x, _Room):
            _check(isinstance(y, _Below) and y.place == 1 and len(y.limbs) == self.parts - 1 and not x.whole, "another borrow")
            out.value = _Room((*x.limbs, *y.limbs), whole=True)
        elif isinstance(x, _Limb) and as_array:
            _check((x.place, x.sign, x.shift) == (0, 1, 0), "another limb than the first")
            out.value = _Room((_number(y),), whole=self.parts == 1)
        elif isinstance(x, _Limb):
            _check(x == _Limb(self.parts - 1, 1, 0) and self.below(1 << (LIMB - 1)), "not the whole of m")
            out.value = _Quotient(_number(y), 0, 1, 0)
        elif isinstance(y, _Quotient):
            out.value = self.fits(evolve(y, sign=-y.sign, shift=_number(x) - y.shift))
        else:
            step = -1 if y == ALL else _number(y)
            out.value = self.fits(evolve(x, shift=x.shift - step)) if isinstance(x, _Quotient) else _number(x) - step

    def not_equal(self, x: Any, y: Any, out: _Cell) -> None:  # noqa: ANN401
        x = _plain(x)
        _check(isinstance(x, _Bits) and x.gathered == {*range(self.parts)} and _number(y) == 0, "bits that are left out")
        out.value = not self.below(1 << (LIMB - 1))

    def multiply(self, x: Any, y: Any, out: _Cell) -> None:  # noqa: ANN401
        x = _plain(x)
        _check(type(x) is bool, "a product of numbers")
        out.value = _number(y) if x else 0

    def floor_divide(self, x: Any, y: Any, out: _Cell) -> None:  # noqa: ANN401
        x, tail = _plain(x), _number(y)
        if type(x) is int:
            out.value = x // tail
            return
        _check(isinstance(x, _Quotient) and x == _Quotient(x.last, 0, 1, 0) and tail > 0, "another quotient")
        out.value = evolve(x, tail=tail)

    def maximum(self, x: Any, y: Any, out: _Cell) -> None:  # noqa: ANN401
        x, y = _plain(x), _plain(y)
        if isinstance(x, _Noisy):
            _check((x.low, x.high) == (None, None), "clamped twice")
            out.value = evolve(x, low=_number(y))
        elif type(y) is int:
            out.value = max(_number(x), y)
        else:
            _check(isinstance(y, _Quotient) and y.sign == -1 and y.tail > 0, "another quotient")
            passed = y.last + (y.shift - _number(x)) * y.tail  # y > x exactly where m is below
            out.value = y if self.below(passed) else x

    def minimum(self, x: Any, y: Any, out: _Cell) -> None:  # noqa: ANN401
        x = _plain(x)
        _check(isinstance(x, _Noisy) and x.low is not None and x.high is None, "clamped in another order")
        out.value = evolve(x, high=_number(y))

    def add(self, x: Any, y: Any, out: _Cell) -> None:  # noqa: ANN401
        _check(_plain(x) is COUNT, "something else than a count is added to")
        size = _plain(y)
        if isinstance(size, _Quotient):
            self.fits(size, self.n)
        else:
            _check(-self.n <= _number(size) <= self.n and 2 * self.n <= TOP, "noise beyond n")
        out.value = _Noisy(size)

    def fits(self, quotient: _Quotient, more: int = 0) -> _Quotient:
        """The quotient, if it is one of 63 bits and a sign on all of the interval, also with 0..more added."""
        for m in (self.low, self.high):
            value = quotient.sign * ((m - quotient.last) // (quotient.tail or 1)) + quotient.shift
            _check(-TOP - 1 <= value <= TOP - more, "a number leaves its range")
        return quotient


def _check(condition: bool, what: str) -> None:
    if not condition:
        raise ClaimError(f"the array path does what its proof does not know: {what}")


def _plain(x: Any) -> Any:  # noqa: ANN401
    return x.value if isinstance(x, _Cell) else x


def _number(x: Any) -> int:  # noqa: ANN401
    value = _plain(x)
    _check(type(value) is int, "a number that is not known")
    return int(value)


def _flipped(x: Any) -> Any:  # noqa: ANN401
    """All bits the other way round: of a limb as a number of 64 bits, else as a signed one."""
    if isinstance(x, _Limb):
        return evolve(x, sign=-x.sign, shift=ALL - x.shift)
    if isinstance(x, _Quotient):
        return evolve(x, sign=-x.sign, shift=-1 - x.shift)
    return -1 - _number(x)


_STEPS = ("_fold", "_bisect", "_stretch", "_finish")


def _strict(plan: Plan, up: int, low: int, high: int) -> _Noisy:
    """What the strict path gives for m in low..high. Raises: _Cut, ClaimError."""
    numpy = _Numpy(plan, low, high)
    room = SimpleNamespace(folded=[_Cell() for _ in range(plan.limbs)])
    for name in ("up", "steps", "high", "place", "borrow", "less", "equal"):
        setattr(room, name, _Cell())
    first = _Limb(0, -1, numpy.mask) if up else _Limb(0, 1, 0)
    others = [_Limb(i, -1, ALL) if up else _Limb(i, 1, 0) for i in range(1, plan.limbs)]
    out, known = _Cell(), dict[str, Callable[..., None]]()
    for name in _STEPS:
        shipped = getattr(dyadic_bulk, name)
        known[name] = FunctionType(shipped.__code__, {**shipped.__globals__, "np": numpy}, name)
    strict = FunctionType(dyadic_bulk._strict.__code__, {**vars(dyadic_bulk), "np": numpy, **known}, "_strict")
    strict(plan, _Cell(COUNT), [_Cell(x) for x in (first, *others)], room, out)
    _check(isinstance(out.value, _Noisy) and (out.value.low, out.value.high) == (0, plan.n), "it does not end clamped to 0..n")
    return out.value  # type: ignore[no-any-return]  # as checked


def same_as_the_table(mechanism: DyadicSample) -> int:
    """How many intervals of m were run, which cover all words, to see that arrays give clamp(count +- |Z|, 0, n) on each.

    |Z| is the number of j in 1..n with m < S_j, and the sign is minus where the first bit is 0. Raises: ClaimError where not.
    """
    plan, table, n = plan_of(mechanism), mechanism.table, mechanism.n
    _check(plan.n == n and 2 * n < TOP, "counts of more than 62 bits")
    runs = 0
    for up in (0, 1):
        waiting = [(0, mechanism.d // 2 - 1)]
        while waiting:
            low, high = waiting.pop()
            try:
                size = _strict(plan, up, low, high).size
            except _Cut as cut:
                waiting += [(low, cut.args[0] - 1), (cut.args[0], high)]
                continue
            runs += 1
            _check(runs <= MOST_RUNS, "too many intervals")
            sign = 1 if up else -1
            if isinstance(size, _Quotient):
                right = evolve(size, sign=size.sign * sign, shift=size.shift * sign)
                _check(right == _Quotient(table.last, table.tail, -1, n - 1) and high < table.sums[-1], "another stretch")
            else:
                j = sign * _number(size)
                _check(0 <= j <= n and table.upper(j + 1) <= low and (j == 0 or high < table.upper(j)), "another noise")
    return runs
