"""Buckets of a public ground set: so few bars, each of them so narrow that no point is farther than beta from its centre.

Buckets are fixed without looking at the data. A bucket's centre is that of what it really holds, so that the last one, which
may be shorter, has no centre beyond the ground set.
"""

from collections.abc import Sequence
from functools import cached_property
from math import isqrt, prod
from typing import Any, Literal, Protocol, get_args

from attrs import field, frozen
from gmpy2 import mpq

from finitedp.errors import DataError, ParameterError
from finitedp.exact import RationalLike, integer, rational

__all__ = ["Buckets", "Grid", "IntegerBuckets", "IntervalBuckets", "Metric", "integer_grid", "interval_grid"]

Metric = Literal["linf", "l1", "l2"]

MOST_BARS = 10**9


class Buckets(Protocol):
    """A public list of bars, and which of them a point belongs to."""

    @property
    def bars(self) -> int:
        """How many buckets there are."""
        ...

    @property
    def error(self) -> mpq:
        """The largest distance of a point to the centre of its bucket (of a grid with l2: its square)."""
        ...

    def index(self, point: Any) -> int:  # noqa: ANN401  # a number or a tuple of them
        """The position of a point's bucket. Raises: DataError for a point outside of the ground set."""
        ...

    def centre(self, place: int) -> Any:  # noqa: ANN401  # as above
        """The centre of a bucket."""
        ...


def _integer(value: int) -> int:
    return int(integer(value, "an end of the universe"))


def _width(value: int) -> int:
    return int(integer(value, "width", at_least=1))


@frozen(slots=False)
class IntegerBuckets:
    """The integers low..high in buckets of `width` consecutive ones, the last one shorter where they do not divide.

    Source: FA.Alg2, on integers. Raises: ParameterError.
    """

    low: int = field(converter=_integer)
    high: int = field(converter=_integer)
    width: int = field(converter=_width, default=1)

    def __attrs_post_init__(self) -> None:
        if self.low > self.high:
            raise ParameterError(f"the universe {self.low}..{self.high} is empty; accepted: LO..HI with LO <= HI")
        if self.bars > MOST_BARS:
            raise ParameterError(
                f"that is {self.bars} buckets, more than {MOST_BARS}; accepted: a larger beta, for fewer ones"
            )

    @classmethod
    def within(cls, low: int, high: int, beta: RationalLike) -> "IntegerBuckets":
        """The widest buckets with an error of at most beta: floor(2 beta) + 1 integers; single ones for beta = 0.

        Raises: ParameterError for a negative beta, or one between 0 and 1/2, which buckets of integers cannot use.
        """
        return cls(low, high, _integers_within(rational(beta, "beta")))

    @property
    def bars(self) -> int:
        """ceil((high - low + 1) / width)."""
        return -(-(self.high - self.low + 1) // self.width)

    @property
    def error(self) -> mpq:
        """(width - 1) / 2, or half of the range where that is less."""
        return mpq(min(self.width, self.high - self.low + 1) - 1, 2)

    def index(self, point: int) -> int:
        """(point - low) // width."""
        if isinstance(point, bool) or not isinstance(point, int) or not self.low <= point <= self.high:
            raise DataError(f"the value {point!r} is outside of the universe {self.low}..{self.high}")
        return (point - self.low) // self.width

    def centre(self, place: int) -> mpq:
        """The middle of the first and the last integer in it: an integer, or one and a half."""
        first = self.low + integer(place, "place", 0, self.bars - 1) * self.width
        return mpq(first + min(first + self.width - 1, self.high), 2)


def _integers_within(beta: mpq) -> int:
    if beta < 0 or 0 < beta < mpq(1, 2):
        raise ParameterError(
            f"beta = {beta} is below half a step of the integers; accepted: 0, for single values, or at least 1/2"
        )
    return int(2 * beta.numerator // beta.denominator) + 1


def _rational(value: RationalLike) -> mpq:
    return rational(value, "an end of the interval")


@frozen(slots=False)
class IntervalBuckets:
    """The reals of [low, high) in so many half-open buckets of one width. Points are rationals.

    Source: FA.Alg2, with buckets that end where the interval does. Raises: ParameterError.
    """

    low: mpq = field(converter=_rational)
    high: mpq = field(converter=_rational)
    bars: int = 1

    def __attrs_post_init__(self) -> None:
        integer(self.bars, "bars", 1, MOST_BARS)
        if self.low >= self.high:
            raise ParameterError(f"the interval [{self.low}, {self.high}) is empty; accepted: low < high")

    @classmethod
    def within(cls, low: RationalLike, high: RationalLike, beta: RationalLike) -> "IntervalBuckets":
        """The fewest buckets with an error of at most beta: ceil((high - low) / (2 beta)). Raises: ParameterError."""
        return cls(low, high, _parts(_rational(high) - _rational(low), 2 * rational(beta, "beta")))

    @property
    def error(self) -> mpq:
        """Half of the width."""
        return (self.high - self.low) * mpq(1, 2 * self.bars)

    def index(self, point: RationalLike) -> int:
        """floor((point - low) bars / (high - low))."""
        x = rational(point, "a value")
        if not self.low <= x < self.high:
            raise DataError(f"the value {x} is outside of the universe [{self.low}, {self.high})")
        place = (x - self.low) * self.bars * mpq(1, self.high - self.low)
        return int(place.numerator // place.denominator)

    def centre(self, place: int) -> mpq:
        """low + (place + 1/2) width."""
        return self.low + (2 * integer(place, "place", 0, self.bars - 1) + 1) * self.error


def _parts(length: mpq, width: mpq) -> int:
    if width <= 0:
        raise ParameterError(f"beta = {width * mpq(1, 2)} is not positive; accepted: a rational above 0 for buckets of reals")
    quotient = length * mpq(1, width)
    return max(1, int(-(-quotient.numerator // quotient.denominator)))


@frozen(slots=False)
class Grid:
    """Buckets in several dimensions: the product of those of the axes. A point is a tuple.

    Source: FA.Alg5. Parameters: axes; metric, linf, l1 or l2, in which `error` is (its square for l2).
    """

    axes: tuple[IntegerBuckets | IntervalBuckets, ...]
    metric: Metric = "linf"

    def __attrs_post_init__(self) -> None:
        if self.metric not in get_args(Metric) or not self.axes:
            raise ParameterError(
                f"metric = {self.metric!r}, {len(self.axes)} axes; accepted: {', '.join(get_args(Metric))}, and an axis"
            )
        if self.bars > MOST_BARS:
            raise ParameterError(
                f"that is {self.bars} buckets, more than {MOST_BARS}; accepted: a larger beta, for fewer ones"
            )

    @cached_property
    def bars(self) -> int:
        """The product of the axes' numbers."""
        return prod(axis.bars for axis in self.axes)

    @property
    def error(self) -> mpq:
        """The largest of the axes' errors (linf), their sum (l1), or the sum of their squares (l2: the error's square)."""
        errors = [axis.error for axis in self.axes]
        if self.metric == "linf":
            return max(errors)
        return sum((e if self.metric == "l1" else e * e for e in errors), mpq(0))

    def index(self, point: Sequence[Any]) -> int:
        """The last axis turns fastest. Raises: DataError."""
        if not isinstance(point, tuple | list) or len(point) != len(self.axes):
            raise DataError(f"the value {point!r} is not a tuple of {len(self.axes)} coordinates")
        place = 0
        for axis, x in zip(self.axes, point, strict=True):
            place = place * axis.bars + axis.index(x)
        return place

    def centre(self, place: int) -> tuple[mpq, ...]:
        """The centres on the axes."""
        rest, found = integer(place, "place", 0, self.bars - 1), list[mpq]()
        for axis in reversed(self.axes):
            rest, at = divmod(rest, axis.bars)
            found.append(axis.centre(at))
        return tuple(reversed(found))


def integer_grid(bounds: Sequence[tuple[int, int]], beta: RationalLike, metric: Metric = "linf") -> Grid:
    """The integer points of a box in the largest cubes of which no point is farther than beta from the centre.

    m integers a side with m - 1 <= 2 beta (linf), d (m - 1) <= 2 beta (l1), d (m - 1)^2 <= 4 beta^2 (l2).
    Source: FA.Alg5, on integers. Parameters: bounds, (low, high) of each axis; beta, 0 or at least 1/2.
    Raises: ParameterError.
    """
    b, d = rational(beta, "beta"), len(bounds)
    _integers_within(b)
    if metric == "l2":
        square = 4 * b * b * mpq(1, d)
        width = isqrt(int(square.numerator // square.denominator)) + 1
    else:
        share = 2 * b * (mpq(1, d) if metric == "l1" else 1)
        width = int(share.numerator // share.denominator) + 1
    return Grid(tuple(IntegerBuckets(low, high, width) for low, high in bounds), metric)


def interval_grid(bounds: Sequence[tuple[RationalLike, RationalLike]], beta: RationalLike, metric: Metric = "linf") -> Grid:
    """The points of a half-open box in cubes of which no point is farther than beta from the centre.

    Sides w with w <= 2 beta (linf), d w <= 2 beta (l1), d w^2 <= 4 beta^2 (l2: w is rounded down to 32 binary digits).
    Source: FA.Alg5. Parameters: bounds, (low, high) of each axis; beta > 0. Raises: ParameterError.
    """
    b, d = rational(beta, "beta"), len(bounds)
    if metric == "l2":
        places = 32 + max(0, (b.denominator.bit_length() - b.numerator.bit_length()))
        square = 4 * b * b * mpq(1, d) * (1 << 2 * places)
        width = mpq(isqrt(int(square.numerator // square.denominator)), 1 << places)
    else:
        width = 2 * b * (mpq(1, d) if metric == "l1" else 1)
    ends = [(_rational(low), _rational(high)) for low, high in bounds]
    return Grid(tuple(IntervalBuckets(low, high, _parts(high - low, width)) for low, high in ends), metric)
