"""Buckets: no point is farther from its centre than they say, and they are as wide as beta allows."""

from itertools import product

import pytest
from gmpy2 import mpq

from finitedp.errors import DataError, ParameterError
from finitedp.impl.flexible.bucketing import Grid, IntegerBuckets, IntervalBuckets, integer_grid, interval_grid
from finitedp.spec.flexible.lossy_wasserstein import absolute, largest_coordinate, squared_euclidean, sum_of_coordinates

DISTANCES = {"linf": largest_coordinate, "l1": sum_of_coordinates, "l2": squared_euclidean}


@pytest.mark.parametrize("beta", ["0", "1/2", "1", "3/2", "2", "7", "100"])
def test_integers(beta: str) -> None:
    for high in range(-3, 12):
        buckets = IntegerBuckets.within(-3, high, beta)
        points = range(-3, high + 1)
        places = [buckets.index(x) for x in points]
        assert sorted(set(places)) == list(range(buckets.bars))
        errors = [absolute(x, buckets.centre(place)) for x, place in zip(points, places, strict=True)]
        assert max(errors) == buckets.error <= mpq(beta)
        assert buckets.width == int(2 * mpq(beta)) + 1


def test_the_paper_s_last_centre_is_outside_and_ours_is_not() -> None:
    buckets = IntervalBuckets.within(0, 10, "3/2")  # w = 3: centres 3/2, 9/2, 15/2 and 21/2
    assert buckets.bars == 4
    assert max(buckets.centre(i) for i in range(4)) < 10
    assert buckets.error == mpq(5, 4)


def test_half_open_edges() -> None:
    buckets = IntervalBuckets.within(0, 1, "1/6")
    assert [buckets.index(x) for x in ("0", "1/3", "2/3")] == [0, 1, 2]
    with pytest.raises(DataError, match="outside"):
        buckets.index(1)


@pytest.mark.parametrize("metric", ["linf", "l1", "l2"])
@pytest.mark.parametrize("beta", ["0", "1/2", "1", "3/2", "5/2"])
def test_grids_of_integers(metric: str, beta: str) -> None:
    grid = integer_grid([(0, 4), (-1, 5)], beta, metric)  # type: ignore[arg-type]
    bound = mpq(beta) ** 2 if metric == "l2" else mpq(beta)
    far = [DISTANCES[metric](point, grid.centre(grid.index(point))) for point in product(range(5), range(-1, 6))]
    assert max(far) == grid.error <= bound
    wider = [IntegerBuckets(0, 99, axis.width + 1) for axis in grid.axes if isinstance(axis, IntegerBuckets)]
    assert Grid(tuple(wider), metric).error > bound  # type: ignore[arg-type]


@pytest.mark.parametrize("metric", ["linf", "l1", "l2"])
def test_grids_of_reals(metric: str) -> None:
    grid = interval_grid([(0, 1), ("-1/2", "3/2")], "1/5", metric)  # type: ignore[arg-type]
    bound = mpq(1, 25) if metric == "l2" else mpq(1, 5)
    assert grid.error <= bound
    for point in product([mpq(i, 30) for i in range(30)], [mpq(i, 20) for i in range(-10, 30)]):
        assert DISTANCES[metric](point, grid.centre(grid.index(point))) <= bound


def test_places_and_centres_are_each_other_s_inverse() -> None:
    grid = integer_grid([(0, 2), (5, 6)], 0)
    assert [grid.centre(i) for i in range(6)] == [(mpq(a), mpq(b)) for a in range(3) for b in (5, 6)]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: IntegerBuckets(3, 2), "is empty"),
        (lambda: IntegerBuckets.within(0, 5, "1/4"), "below half a step"),
        (lambda: IntegerBuckets.within(0, 5, -1), "below half a step"),
        (lambda: IntegerBuckets(0, 10**10), "more than"),
        (lambda: IntervalBuckets.within(0, 1, 0), "not positive"),
        (lambda: IntervalBuckets.within(1, 1, 1), "is empty"),
        (lambda: Grid((), "linf"), "an axis"),
        (lambda: Grid((IntegerBuckets(0, 1),), "l3"), "accepted: linf"),  # type: ignore[arg-type]
    ],
)
def test_refusals(make: object, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        make()  # type: ignore[operator]


def test_points_outside_are_refused() -> None:
    grid = integer_grid([(0, 2), (5, 6)], 0)
    for point in ((0, 7), (0,), 3, (0.5, 5)):
        with pytest.raises(DataError):
            grid.index(point)  # type: ignore[arg-type]
