"""Buckets in the paper on flexible accuracy: Algorithms 2 to 5, Theorem 4 with Appendix G, Remark 5 and Appendix J."""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import product
from math import ceil, floor
from typing import Any, NamedTuple

from gmpy2 import mpq

from finitedp.impl.flexible.bucketing import Grid, IntervalBuckets, interval_grid
from finitedp.proofs_check.claims.fa.subjects import bottleneck
from finitedp.proofs_check.ledger.entry import Finding, cases, entry, erratum
from finitedp.proofs_check.ledger.findings import all_of, at_most, equal
from finitedp.spec.flexible.literal import bucket_by_centres, buckets_of, tau_of_remark_5

LITERAL = "finitedp.spec.flexible.literal"
Bucketed = dict[mpq, int]
Make = Callable[[mpq, mpq, Mapping[mpq, int]], Bucketed]


class Line(NamedTuple):
    """The ground set [0, end) with buckets of a width."""

    end: mpq
    width: mpq


LINES = cases(
    Line,
    [(mpq(b), mpq(w)) for b, w in ((4, 2), (3, 1), (3, 2), (1, mpq(4, 5)), (5, mpq(3, 2)), (1, 3))],
    [(mpq(b), mpq(w)) for b, w in product((1, 2, 7), (mpq(1, 3), mpq(2, 3), mpq(7, 5), mpq(9, 4)))],
)


def _points(case: Line) -> list[mpq]:
    """Points at every eighth of a width and at every eighth of 1, below the end."""
    found = {mpq(k, 8) * case.width for k in range(int(8 * case.end / case.width) + 1)} | {
        mpq(k, 8) for k in range(int(8 * case.end))
    }
    return sorted(x for x in found if x < case.end)


def _even_buckets(width: mpq, end: mpq, points: Mapping[mpq, int]) -> Bucketed:
    """IntervalBuckets: as many buckets, but of one width with which the last one ends where the ground set does."""
    buckets, found = IntervalBuckets.within(0, end, width / 2), dict[mpq, int]()
    for x, count in points.items():
        centre = buckets.centre(buckets.index(x))
        found[centre] = found.get(centre, 0) + count
    return found


def _closed(width: mpq, end: mpq, points: Mapping[mpq, int]) -> Bucketed:
    """Both edges belong to a bucket."""
    centres = [width * (i - mpq(1, 2)) for i in range(1, ceil(end / width) + 1)]
    return {s: sum(count for g, count in points.items() if abs(g - s) * 2 <= width) for s in centres}


def _left_ends(width: mpq, end: mpq, points: Mapping[mpq, int]) -> Bucketed:
    return {s - width / 2: count for s, count in bucket_by_centres(points, width, end).items()}


def _literal(width: mpq, end: mpq, points: Mapping[mpq, int]) -> Bucketed:
    return bucket_by_centres(points, width, end)


@erratum(
    "FA.Alg2",
    "Algorithm 2: buckets of width w with centres w(i - 1/2), i = 1..ceil(B/w), keep |x| and give a histogram over [0, B).",
    """Algorithm 2, corrected: ceil(B/w) buckets of the width B/ceil(B/w), at most w, with their centres keep |x| and give a
    histogram over [0, B). As printed the last centre is B or more where B/w is further than 1/2 from the integer above.""",
    as_printed=("width w", _literal),
    subject=_even_buckets,
    twins={"both edges closed": _closed},
    kind="algorithm",
    over="[0, B) and w on the grid; every point at an eighth of w or of 1",
    code=[f"{LITERAL}.bucket_by_centres", "finitedp.impl.flexible.bucketing.IntervalBuckets"],
    grid=LINES,
)
def bucketing(make: Make, case: Line) -> Finding:
    points = _points(case)
    findings = list[Finding]()
    for x in points:
        found = {s: count for s, count in make(case.width, case.end, {x: 1}).items() if count}
        findings.append(equal(list(found.values()), [1], f"buckets of {x}"))
        findings.append(equal(all(0 <= s < case.end for s in found), True, f"the centre of {x} in [0, {case.end})"))
    return all_of(findings)


@entry(
    "FA.Claim6",
    "lemma",
    """Claim 6: Algorithm 2 is (0, w/2, 0)-accurate for the identity in d_hist: no histogram is farther than w/2 from its
    buckets.""",
    over="[0, B) and w on the grid; every point at an eighth, in histograms of three points",
    code=[f"{LITERAL}.bucket_by_centres", "finitedp.spec.flexible.lossy_wasserstein.lossy_infinity"],
    grid=LINES,
    subject=_literal,
    twins={
        "left ends for centres": _left_ends,
        "buckets of twice the width": lambda w, b, x: bucket_by_centres(x, 2 * w, b),
    },
)
def near_their_buckets(make: Make, case: Line) -> Finding:
    points, findings = _points(case), list[Finding]()
    for i in range(len(points)):
        x = {points[i]: 1, points[(i * i + 1) % len(points)]: 2, points[-1]: 1}
        y = {s: count for s, count in make(case.width, case.end, x).items() if count}
        findings.append(at_most(bottleneck(x, y), case.width / 2, f"distance of {x}:"))
    return all_of(findings)


# Several dimensions


class Cube(NamedTuple):
    """[0, end)^dimension, and beta."""

    end: mpq
    beta: mpq
    dimension: int


CUBES = cases(
    Cube,
    [(mpq(2), mpq(1), 2), (mpq(3), mpq(1), 2), (mpq(3), mpq(1, 2), 2), (mpq(1), mpq(1, 2), 3), (mpq(4), mpq(1), 1)],
    [(mpq(2), mpq(2, 3), 3), (mpq(5), mpq(3, 2), 2), (mpq(1), mpq(1, 3), 2)],
)
Side = Callable[[Cube], mpq]


def _squared_error(side: mpq, dimension: int, end: mpq) -> mpq:
    """The largest squared l2 distance of a point to its centre: of the corner 0, and of points near other edges."""
    centres = [side * (i - mpq(1, 2)) for i in range(1, ceil(end / side) + 1)]
    at = [k * side / 4 for k in range(int(4 * end / side))]
    worst = max(min(abs(x - s) for s in centres if -side <= 2 * (x - s) < side) for x in at if x < end)
    return dimension * worst**2


@entry(
    "FA.Claim13",
    "lemma",
    "Claim 13: Algorithm 4, cubes of side w, is (0, w sqrt(d)/2, 0)-accurate for the identity, in l2.",
    over="d = 1..3, [0, B) and w = 2 beta on the grid; squares are compared",
    code=[f"{LITERAL}.bucket_by_centres"],
    grid=CUBES,
    subject=lambda side, d: d * (side / 2) ** 2,
    twins={"w/2 in l2": lambda side, _d: (side / 2) ** 2},
)
def cubes(allowed: Callable[[mpq, int], mpq], case: Cube) -> Finding:
    side = 2 * case.beta
    return at_most(_squared_error(side, case.dimension, case.end), allowed(side, case.dimension), f"squared error at {case}:")


@erratum(
    "FA.Alg5",
    """Algorithm 5: cubes of side w = 2 beta, as in one dimension, for an output error of beta (with the l2 distance of
    Appendix J).""",
    """Algorithm 5, corrected: cubes of a side w with d w^2 <= 4 beta^2, which is w = 2 beta/sqrt(d), have an output error of
    at most beta in the l2 distance of Appendix J; a corner is beta sqrt(d) from the centre of a cube of side 2 beta.""",
    as_printed=("w = 2 beta", lambda case: 2 * case.beta),
    subject=lambda case: 2 * interval_grid([(0, case.end)] * case.dimension, case.beta, "l2").axes[0].error,
    twins={"w = 2 beta/sqrt(d - 1)": lambda case: 2 * case.beta * (Fraction(5, 7) if case.dimension > 2 else 1)},
    kind="algorithm",
    over="d = 1..3, [0, B) and beta on the grid; squares are compared",
    code=["finitedp.impl.flexible.bucketing.interval_grid"],
    grid=CUBES,
)
def side_of_cubes(side: Side, case: Cube) -> Finding:
    return at_most(_squared_error(mpq(side(case)), case.dimension, case.end), case.beta**2, f"squared error at {case}:")


def _place(grid: Grid, point: Sequence[mpq]) -> tuple[mpq, ...]:
    return grid.centre(grid.index(tuple(point)))


@entry(
    "FA.Alg4",
    "algorithm",
    """Algorithm 4: every point of [0, B)^d lies in exactly one half-open cube, is mapped to its centre, and cubes of equal
    sides that end where [0, B) does have all centres inside.""",
    over="d = 1..3 and [0, B) on the grid; all points at a quarter of a side",
    code=["finitedp.impl.flexible.bucketing.Grid"],
    grid=CUBES,
    subject=_place,
    twins={
        "axes in the wrong order": lambda grid, point: tuple(reversed(_place(grid, point))),
        "closed on the right": lambda grid, point: _place(grid, [max(mpq(0), x - mpq(1, 10**6)) for x in point]),
    },
)
def half_open_cubes(place: Callable[[Grid, Sequence[mpq]], tuple[mpq, ...]], case: Cube) -> Finding:
    grid = interval_grid([(0, case.end)] * case.dimension, case.beta)
    side = 2 * grid.axes[0].error
    lines = [k * side / 4 for k in range(0, 4 * grid.axes[0].bars, 1 if case.dimension == 1 else 2)]
    findings = list[Finding]()
    for point in product(lines, repeat=case.dimension):
        centre = place(grid, point)
        fits = all(-side <= 2 * (x - s) < side and 0 <= s < case.end for x, s in zip(point, centre, strict=True))
        findings.append(equal(fits and len(centre) == case.dimension, True, f"{point} in the cube of {centre}"))
    return all_of(findings)


# How much is dropped: t and tau


class Shares(NamedTuple):
    """[0, end)^dimension, beta, alpha, and rows in every bucket."""

    end: mpq
    beta: mpq
    alpha: mpq
    rows: int
    dimension: int


ONE_DIMENSION = cases(
    Shares,
    [
        (mpq(b), mpq(beta), a, r, 1)
        for b, beta in ((4, 1), (3, 1), (1, 1), (5, 1))
        for a, r in ((mpq(1, 2), 6), (mpq(3, 4), 12))
    ],
    [(mpq(7), mpq(beta), mpq(1, 3), r, 1) for beta in (mpq(1, 2), mpq(3, 2), 2) for r in (3, 12, 100)],
)
MANY_DIMENSIONS = cases(
    Shares,
    [(mpq(b), mpq(1), a, r, 2) for b in (4, 3) for a, r in ((mpq(1, 2), 8), (mpq(3, 4), 16))],
    [(mpq(5), mpq(1), mpq(1, 2), 30, 2), (mpq(3), mpq(1), mpq(1, 2), 64, 3)],
)
Tau = Callable[[Shares], mpq | None]


def _of_floor(case: Shares) -> mpq | None:
    t = buckets_of(2 * case.beta, case.end, rounding=floor)
    return case.alpha / t if t else None


def _of_ceiling(case: Shares) -> mpq:
    return case.alpha / buckets_of(2 * case.beta, case.end, case.dimension)


def _of_quotient(case: Shares) -> mpq:
    return tau_of_remark_5(case.alpha, 2 * case.beta, case.end, case.dimension)


OCCUPIED: dict[str, Any] = {
    "code": [f"{LITERAL}.buckets_of"],
    "subject": _of_ceiling,
    "derived_from": ["FA.Thm3.ii"],
    "by": "every occupied bucket loses at most floor(tau n) rows",
}


@entry(
    "FA.Alg3",
    "algorithm",
    """Algorithm 3 with t = ceil(B/w), w = 2 beta, and tau = alpha/t drops at most alpha of the rows (where it is printed the
    copy at hand has a floor; Appendices G and J have the ceiling).""",
    over="[0, B), beta, alpha on the grid, as many rows in every bucket; noise rounded up, so that a bar loses floor(tau n)",
    grid=ONE_DIMENSION,
    twins={"floor": _of_floor, "w for 2 beta": lambda case: _of_ceiling(case._replace(beta=case.beta * 2))},
    **OCCUPIED,
)
@entry(
    "FA.Thm4.ii",
    "theorem",
    """Theorem 4, accuracy: Algorithm 3 with tau = alpha/ceil(B/(2 beta)), as Appendix G has it, drops at most alpha of the
    rows; where 2 beta divides B that is the theorem's tau = alpha (2 beta/B).""",
    over="as Algorithm 3",
    grid=ONE_DIMENSION,
    twins={"alpha (2 beta/B) for every B": _of_quotient, "floor": _of_floor},
    **OCCUPIED,
)
@entry(
    "FA.Rem5",
    "theorem",
    """Remark 5, with the ceiling that Appendix J leaves out for simplicity: in d dimensions, with cubes of side w and tau =
    alpha/ceil(B/w)^d, Algorithm 5 drops at most alpha of the rows.""",
    over="two dimensions (three in full) and side w = 2 beta on the grid, as many rows in every cube",
    grid=MANY_DIMENSIONS,
    twins={
        "alpha (w/B)^d for every B": _of_quotient,
        "one dimension": lambda case: _of_ceiling(case._replace(dimension=1)),
    },
    **OCCUPIED,
)
def all_buckets_occupied(tau: Tau, case: Shares) -> Finding:
    occupied, share = buckets_of(2 * case.beta, case.end, case.dimension), tau(case)
    if share is None:
        return Finding(False, mpq(10**9), f"t = 0 at {case}: tau is undefined")
    n = occupied * case.rows
    return at_most(occupied * min(case.rows, floor(share * n)), case.alpha * n, f"rows dropped at {case}:")
