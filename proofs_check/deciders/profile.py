"""The privacy profile over many pairs of laws: delta as a function of r = e^epsilon, by the corners of one concave hull."""

from collections.abc import Hashable, Iterable, Mapping
from itertools import pairwise
from typing import TypeVar

from gmpy2 import mpq

from finitedp.spec.divergence import Measure, privacy_profile

D = TypeVar("D", bound=Hashable)
R = TypeVar("R", bound=Hashable)
Point = tuple[mpq, mpq]


def worst_profile(laws: Mapping[D, Measure[R]], pairs: Iterable[tuple[D, D]]) -> tuple[tuple[mpq, mpq], ...]:
    """The corners (r, delta), r >= 1, of the largest P[S] - r Q[S] over all pairs and events, of the resolved mass.

    Between two corners delta is linear in r = e^epsilon; from the last one on it is constant. With unresolved mass u the
    true delta lies between delta - r u and delta + u.
    Source: the profiles of BV.Def2.1, of which it is the largest. Cost: a sort of each pair's outputs, and one of all corners.
    """
    points = {(mpq(0), mpq(0))}
    for left, right in pairs:
        points |= {(in_q, in_p) for in_p, in_q in privacy_profile(laws[left], laws[right]).pieces}
    hull = _upper_hull(sorted(points))
    slopes = [(p1 - p0) / (q1 - q0) for (q0, p0), (q1, p1) in pairwise(hull)]
    corners = [(r, p - r * q) for r, (q, p) in zip(slopes, hull, strict=False) if r > 1]
    q, p = hull[len(corners)]
    return tuple(sorted([*corners, (mpq(1), p - q)]))


def _upper_hull(points: Iterable[Point]) -> list[Point]:
    """The corners of the concave hull from the left, first the highest point at q = 0; points (q, p) are sorted."""
    hull: list[Point] = []
    for point in points:
        if hull and hull[-1][0] == point[0]:
            hull.pop()  # the one before is lower
        while len(hull) > 1 and _bends_up(hull[-2], hull[-1], point):
            hull.pop()
        hull.append(point)
    return hull


def _bends_up(a: Point, b: Point, c: Point) -> bool:
    """Whether b lies on or below the line from a to c."""
    return bool((c[1] - a[1]) * (b[0] - a[0]) >= (b[1] - a[1]) * (c[0] - a[0]))
