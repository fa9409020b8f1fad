"""Buckets in several dimensions, our own: integer_grid and interval_grid take the largest cubes within beta."""

from collections.abc import Callable, Iterator
from itertools import product
from typing import NamedTuple

from attrs import evolve
from gmpy2 import mpq

from finitedp.impl.flexible.bucketing import Grid, IntegerBuckets, IntervalBuckets, Metric, integer_grid, interval_grid
from finitedp.proofs_check.ledger.entry import Finding, cases
from finitedp.proofs_check.ledger.findings import at_most, equal, own


class Sides(NamedTuple):
    """The sides of a box that begins at -1, beta and the metric."""

    sides: tuple[int, ...]
    beta: str
    metric: Metric

    @property
    def bounds(self) -> list[tuple[int, int]]:
        """The first and the last integer of each side."""
        return [(-1, side - 2) for side in self.sides]

    def __str__(self) -> str:
        return f"{' x '.join(map(str, self.sides))}, beta={self.beta}, {self.metric}"


def _error(metric: Metric, point: tuple[int, ...], centre: tuple[mpq, ...]) -> mpq:
    apart = [abs(a - b) for a, b in zip(point, centre, strict=True)]
    return max(apart) if metric == "linf" else sum((x * x if metric == "l2" else x for x in apart), mpq(0))


def _farthest(grid: Grid, bounds: list[tuple[int, int]]) -> mpq:
    """The largest distance of a point to the centre of its bucket; of l2, its square."""
    points = product(*(range(low, high + 1) for low, high in bounds))
    return max(_error(grid.metric, x, grid.centre(grid.index(x))) for x in points)


def _integers(case: Sides) -> Grid:
    return integer_grid(case.bounds, case.beta, case.metric)


def _wider(by: int) -> Callable[[Sides], Grid]:
    def grid(case: Sides) -> Grid:
        axes = (axis for axis in _integers(case).axes if isinstance(axis, IntegerBuckets))
        return Grid(tuple(evolve(axis, width=max(1, axis.width + by)) for axis in axes), case.metric)

    return grid


INTEGERS = [((9, 8), "1", "linf"), ((9, 8), "3/2", "l1"), ((8, 9), "2", "l1"), ((9, 9), "2", "l2"), ((7, 5, 6), "5/2", "l1")]


@own(
    "FD.Flexible.integer-grid",
    """integer_grid's cubes are the largest of which no point is farther than beta from the centre; the error it states is the
    largest distance, also where a side of the box is shorter than the cube.""",
    over="boxes of one to three dimensions, linf, l1 and l2, beta from 0 to 10; all points of the box, and of a larger cube",
    code=["finitedp.impl.flexible.bucketing.integer_grid", "finitedp.impl.flexible.bucketing.Grid.error"],
    grid=cases(
        Sides,
        [
            *(*INTEGERS, ((5, 4), "0", "l2"), ((6,), "1/2", "linf"), ((6, 5), "3/4", "l1")),
            *(((2,), "1", "l1"), ((2, 9), "5/2", "l1")),
        ],
        [((12, 9), "7/2", "l1"), ((9, 9, 8), "5/2", "l2"), ((30,), "10", "l2")],
    ),
    subject=_integers,
    twins={"one wider": _wider(1), "one narrower": _wider(-1)},
)
def cubes(make: Callable[[Sides], Grid], case: Sides) -> Iterator[Finding]:
    grid, beta = make(case), mpq(case.beta)
    allowed = beta * beta if case.metric == "l2" else beta
    widths = {axis.width for axis in grid.axes if isinstance(axis, IntegerBuckets)}
    cube = [(low, low + max(widths)) for low, _ in case.bounds]
    larger = Grid(tuple(IntegerBuckets(low, high, max(widths) + 1) for low, high in cube), case.metric)
    yield at_most(_farthest(grid, case.bounds), allowed, f"distance, {case}:")
    yield equal(grid.error, _farthest(grid, case.bounds), f"stated error, {case}")
    yield equal(len(widths), 1, f"widths, {case}")
    yield equal(_farthest(larger, cube) > allowed, True, f"whether larger cubes are too large, {case}")


def _reals(case: Sides) -> Grid:
    return interval_grid([(low, high + 1) for low, high in case.bounds], case.beta, case.metric)


def _other_bars(change: Callable[[int], int]) -> Callable[[Sides], Grid]:
    return lambda case: Grid(
        tuple(evolve(axis, bars=change(axis.bars)) for axis in _reals(case).axes if isinstance(axis, IntervalBuckets)),
        case.metric,
    )


@own(
    "FD.Flexible.interval-grid",
    """The buckets of interval_grid have an error of at most beta, and where a side has one bucket fewer they do not fit into
    such a cube: its half width is above beta (linf), beta/d (l1), beta/sqrt(d) (l2, up to 2^-20 of it). The error it states is
    that of the corners. An interval for which no number of buckets is given is one bucket.""",
    over="boxes of two and three dimensions, linf, l1 and l2, beta from 1/100 to 5/2",
    code=["finitedp.impl.flexible.bucketing.interval_grid", "finitedp.impl.flexible.bucketing.Grid.error"],
    grid=cases(Sides, [*INTEGERS, ((3, 7), "1/100", "l2"), ((2,), "1/7", "l1")], [((3, 4, 5, 6), "1/10", "l2")]),
    subject=_reals,
    twins={"one bucket fewer": _other_bars(lambda b: max(1, b - 1)), "one bucket more": _other_bars(lambda b: b + 1)},
)
def boxes(make: Callable[[Sides], Grid], case: Sides) -> Iterator[Finding]:
    grid, beta, d = make(case), mpq(case.beta), len(case.sides)
    lengths = [mpq(side) for side in case.sides]
    half = [length / (2 * axis.bars) for length, axis in zip(lengths, grid.axes, strict=True)]
    corner = _error(case.metric, (0,) * d, tuple(half))
    whole = [IntervalBuckets(0, length).error for length in lengths]
    yield equal(whole, [length / 2 for length in lengths], "errors of single buckets")
    yield equal(grid.error, corner, f"stated error, {case}")
    yield at_most(corner, beta * beta if case.metric == "l2" else beta, f"error, {case}:")
    for length, axis in zip(lengths, grid.axes, strict=True):
        if axis.bars > 1:
            wide = length / (2 * (axis.bars - 1))
            squares, share = d * (wide * (1 + mpq(1, 2**20))) ** 2, wide * (d if case.metric == "l1" else 1)
            fits = squares <= beta * beta if case.metric == "l2" else share <= beta
            yield equal(fits, False, f"whether {axis.bars - 1} buckets would do, {case}")
