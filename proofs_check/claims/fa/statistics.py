"""Section 5.2 of the paper on flexible accuracy, with Appendices H and I: statistics of histograms."""

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import combinations, pairwise, product
from typing import Any, NamedTuple

from gmpy2 import mpq

from finitedp.impl.flexible.bucketing import IntegerBuckets
from finitedp.proofs_check.claims.fa.subjects import small_histograms
from finitedp.proofs_check.ledger.entry import Cases, Finding, cases, entry, erratum, in_scope
from finitedp.proofs_check.ledger.findings import all_of, at_most, equal
from finitedp.spec.flexible import statistics as spec
from finitedp.spec.flexible.accuracy import metric_sensitivity
from finitedp.spec.flexible.distortion import drmv, move, sub_histograms
from finitedp.spec.flexible.literal import Histogram, hausdorff, printed_support_distance
from finitedp.spec.flexible.lossy_wasserstein import absolute

LITERAL = "finitedp.spec.flexible.literal"
SPEC = "finitedp.spec.flexible.statistics"


# Accuracy: buckets, then at most q rows of each bar dropped


class Bucketed(NamedTuple):
    """Values 0..5 in buckets of a width, counts of the values, and the most rows that a bar loses."""

    width: int
    x: Histogram
    lost: int


def _some_data(items: int, every: int, lost: int) -> Iterator[Bucketed]:
    found = [x for x in small_histograms(6, items) if sum(x) == items]
    return (Bucketed(width, x, lost) for x in found[::every] for width in (1, 2, 3))


DATA = Cases(lambda: list(_some_data(3, 5, 1)), lambda: [*_some_data(3, 2, 1), *_some_data(4, 5, 1), *_some_data(5, 9, 2)])
Values = Sequence[mpq]


def _rows(counts: Histogram, places: Sequence[mpq]) -> list[mpq]:
    return [place for place, count in zip(places, counts, strict=True) for _ in range(count)]


def _order(p: mpq) -> Callable[[Values], Any]:
    return lambda rows: sorted(rows)[spec.rank(p, len(rows)) - 1]


STATISTICS: dict[str, tuple[Callable[[Values], Any], Callable[[Any, Any], mpq], int]] = {
    "max": (max, absolute, 1),
    "min": (min, absolute, 1),
    "median": (_order(mpq(1, 2)), absolute, 1),
    "quantile 1/4": (_order(mpq(1, 4)), absolute, 1),
    "range": (lambda rows: max(rows) - min(rows), absolute, 2),
    "support": (lambda rows: tuple(sorted(set(rows))), lambda a, b: mpq(hausdorff(a, b)), 1),
}
"""Statistic, distance, and metric sensitivity in units of beta."""

Sensitivity = Callable[[int, mpq], mpq]


def _releases(case: Bucketed) -> Iterator[tuple[list[mpq], int]]:
    """The rows at their buckets' centres with some left out, not all, and how many may be: t q."""
    buckets = IntegerBuckets(0, 5, case.width)
    counts = [0] * buckets.bars
    for value, count in enumerate(case.x):
        counts[buckets.index(value)] += count
    centres = [buckets.centre(i) for i in range(buckets.bars)]
    budget = case.lost * sum(count > 0 for count in counts)
    for z in sub_histograms(tuple(counts)):
        if sum(z) and all(a - b <= case.lost for a, b in zip(counts, z, strict=True)):
            yield _rows(z, centres), budget


def _within(names: Sequence[str], sensitivity: Sensitivity, case: Bucketed) -> Finding:
    beta, findings = IntegerBuckets(0, 5, case.width).error, list[Finding]()
    points = [mpq(i) for i in range(6)]
    for released, budget in _releases(case):
        kept = [_rows(y, points) for y in sub_histograms(case.x, budget) if sum(y)]
        for name in names:
            f, distance, factor = STATISTICS[name]
            least = min(distance(f(released), f(rows)) for rows in kept)
            findings.append(at_most(least, sensitivity(factor, beta), f"{name} of {case.x}, released {released}:"))
    return all_of(findings)


def _delta_f(factor: int, beta: mpq) -> mpq:
    return factor * beta


@entry(
    "FA.Thm5.ii",
    "theorem",
    """Theorem 5, accuracy: with a public q, a statistic of Algorithm 3 is (alpha, Delta_f(beta), 0)-accurate: within its
    metric sensitivity of the statistic of the data with at most t q rows left out, where something is released.""",
    over="3 rows (5 in full) in 0..5, buckets of 1 to 3 values, every release; six statistics",
    code=["finitedp.impl.flexible.bucketing.IntegerBuckets", f"{SPEC}.rank"],
    grid=DATA,
    subject=_delta_f,
    twins={"beta, of the range too": lambda _factor, beta: beta, "half of Delta": lambda factor, beta: factor * beta / 2},
)
def near_a_statistic(sensitivity: Sensitivity, case: Bucketed) -> Finding:
    return _within(list(STATISTICS), sensitivity, case)


@entry(
    "FA.Cor2.ii",
    "theorem",
    "Corollary 2, accuracy: the maximum of Algorithm 3 is (alpha, beta, 0)-accurate, and so is the minimum.",
    over="as Theorem 5",
    code=["finitedp.impl.flexible.bucketing.IntegerBuckets"],
    grid=DATA,
    subject=_delta_f,
    twins={"half of beta": lambda factor, beta: factor * beta / 2},
)
def near_an_extreme(sensitivity: Sensitivity, case: Bucketed) -> Finding:
    return _within(["max", "min"], sensitivity, case)


@entry(
    "FA.Cor3.ii",
    "theorem",
    "Corollary 3, accuracy: the support of Algorithm 3 is (alpha, beta, 0)-accurate in the distance d_supp.",
    over="as Theorem 5",
    code=["finitedp.impl.flexible.bucketing.IntegerBuckets", f"{LITERAL}.hausdorff"],
    grid=DATA,
    subject=_delta_f,
    twins={"half of beta": lambda factor, beta: factor * beta / 2},
)
def near_a_support(sensitivity: Sensitivity, case: Bucketed) -> Finding:
    return _within(["support"], sensitivity, case)


class Sets(NamedTuple):
    """Two sets of integers."""

    first: tuple[int, ...]
    second: tuple[int, ...]

    def check_scope(self) -> None:
        """Raises: OutOfScopeError."""
        for of in self:
            in_scope(of and all(a < b for a, b in pairwise(of)), "sets that are not empty")


def _sets(top: int) -> list[Sets]:
    found = [s for size in range(1, top + 2) for s in combinations(range(top + 1), size)]
    return [Sets(a, b) for a, b in product(found, repeat=2)]


def _covered(a: tuple[int, ...], b: tuple[int, ...], radius: int) -> bool:
    """Whether every point of a is within the radius of one of b."""
    return all(any(abs(x - y) <= radius for y in b) for x in a)


@erratum(
    "FA.Cor3.distance",
    "H.3: d_supp(S1, S2) = max(|min S1 - min S2|, |max S1 - max S2|), on which the proof of Corollary 3 rests.",
    """H.3, corrected: d_supp(S1, S2) is at least max(|min S1 - min S2|, |max S1 - max S2|), and more where a point inside one
    set is far from the other; Corollary 3, whose proof takes them for equal, is true all the same.""",
    as_printed=("the ends alone", printed_support_distance),
    subject=hausdorff,
    twins={"one direction": lambda a, b: max(min(abs(x - y) for y in b) for x in a)},
    over="all pairs of sets of 0..2 (0..4 in full)",
    code=[f"{LITERAL}.hausdorff", f"{LITERAL}.printed_support_distance"],
    grid=Cases(lambda: _sets(2), lambda: _sets(4)),
)
def distance_of_supports(distance: Callable[[tuple[int, ...], tuple[int, ...]], int], case: Sets) -> Finding:
    a, b = case
    farthest = max(abs(x - y) for x, y in product(a, b))
    balls = next(r for r in range(farthest + 1) if _covered(a, b, r) and _covered(b, a, r))
    return all_of(
        [
            equal(distance(a, b), balls, f"d_supp({a}, {b})"),
            at_most(printed_support_distance(a, b), balls, f"the ends of {a}, {b}:"),
        ]
    )


# Definition 6, Theorem 6 and Remark 4


class Metric(NamedTuple):
    """Rows on the points 0, 1, 3, 4, and beta."""

    rows: int
    beta: mpq

    def check_scope(self) -> None:
        """Raises: OutOfScopeError."""
        in_scope(self.rows >= 1 and self.beta >= 0, "a row at least, and beta >= 0")


GROUND = (0, 1, 3, 4)
METRIC = cases(Metric, [(n, mpq(b)) for n in (1, 2, 3) for b in (0, 1, 2)], [(4, mpq(b)) for b in (1, 2, 3)])


@cache
def _moved(x: Histogram, y: Histogram) -> mpq | None:
    return move(x, y, GROUND, absolute)


def _of_counts(f: Callable[[Values], Any]) -> Callable[[Histogram], Any]:
    return lambda x: f(_rows(x, [mpq(g) for g in GROUND]))


def _sensitivity(name: str, rows: int, beta: mpq) -> mpq:
    f, distance, _ = STATISTICS[name]
    inputs = [x for x in small_histograms(4, rows) if sum(x) == rows]
    found = metric_sensitivity(_of_counts(f), inputs, _moved, distance, beta)
    assert found is not None  # noqa: S101  # all distances are finite
    return found


@entry(
    "FA.Def6",
    "definition",
    """Metric sensitivity: the largest change of a statistic where rows move by at most beta. It is at most beta for max, min,
    quantiles and the support, 2 beta for the range, and attained where points are beta apart.""",
    over="all pairs of histograms of one size, up to 3 rows (4 in full) on 0, 1, 3, 4; beta = 0..2 (3 in full)",
    code=["finitedp.spec.flexible.accuracy.metric_sensitivity"],
    grid=METRIC,
    subject=_sensitivity,
    twins={
        "less than beta": lambda name, rows, beta: _sensitivity(name, rows, beta - 1) if beta else mpq(0),
        "of 2 beta": lambda name, rows, beta: _sensitivity(name, rows, 2 * beta),
    },
)
def metric_sensitivities(sensitivity: Callable[[str, int, mpq], mpq], case: Metric) -> Finding:
    findings = list[Finding]()
    for name, (_, _, factor) in STATISTICS.items():
        found = sensitivity(name, *case)
        findings.append(at_most(found, factor * case.beta, f"{name} of {case.rows} rows, beta {case.beta}:"))
        if name in ("max", "min", "support") and case.beta in {abs(a - b) for a, b in product(GROUND, repeat=2)}:
            findings.append(equal(found, case.beta, f"{name} of {case.rows} rows at beta {case.beta}, attained"))
    return all_of(findings)


Bound = Callable[[mpq, mpq, mpq], mpq]


@entry(
    "FA.Thm6.ii",
    "theorem",
    """Theorem 6, accuracy: with respect to drmv, every statistic of Algorithm 3 is (alpha + eta beta, 0, 0)-accurate: what is
    released is the data with at most alpha of the rows dropped and the others moved by at most beta.""",
    over="3 rows (5 in full) in 0..5, buckets of 1 to 3 values, every release; eta = 1/10, 1, 3",
    code=["finitedp.spec.flexible.distortion.drmv", "finitedp.impl.flexible.bucketing.IntegerBuckets"],
    grid=DATA,
    subject=lambda alpha, eta, beta: alpha + eta * beta,
    twins={"without eta": lambda alpha, _eta, beta: alpha + beta, "no moves": lambda alpha, _eta, _beta: alpha},
)
def dropped_and_moved(bound: Bound, case: Bucketed) -> Finding:
    buckets, findings = IntegerBuckets(0, 5, case.width), list[Finding]()
    ground = sorted({*(mpq(i) for i in range(6)), *(buckets.centre(i) for i in range(buckets.bars))})
    x = tuple(case.x[int(g)] if g.denominator == 1 else 0 for g in ground)
    for released, budget in _releases(case):
        z = tuple(released.count(g) for g in ground)
        for eta in (mpq(1, 10), mpq(1), mpq(3)):
            found = drmv(x, z, eta, ground, absolute)
            allowed = bound(mpq(budget, sum(x)), eta, buckets.error)
            findings.append(
                equal(found is not None and found <= allowed, True, f"drmv of {case.x}, {released}, eta {eta}: {found}")
            )
    return all_of(findings)


@entry(
    "FA.Rem4",
    "lemma",
    """Remark 4: Theorem 6 needs no metric sensitivity. The mode and max_2 have none: where rows move by 1 they may change by
    the whole range, where none moves not at all.""",
    over="4 rows (5 in full) on 0..3, beta = 0 and 1",
    code=["finitedp.spec.flexible.accuracy.metric_sensitivity", f"{SPEC}.mode", f"{SPEC}.max_k"],
    grid=cases(Metric, [(4, mpq(1))], [(5, mpq(1))]),
    subject=lambda name: {"mode": spec.mode, "max_2": lambda x: spec.max_k(x, 2)}[name],
    twins={"the first bar for the mode": lambda name: {"mode": spec.minimum, "max_2": lambda x: spec.max_k(x, 2)}[name]},
)
def without_sensitivity(statistic: Callable[[str], Callable[[Histogram], int]], case: Metric) -> Finding:
    in_scope(case.rows >= 4 and case.beta == 1, "4 rows at least, and beta = 1")
    inputs = [x for x in small_histograms(4, case.rows) if sum(x) == case.rows]

    def moved(x: Histogram, y: Histogram) -> mpq | None:
        return move(x, y, range(4), absolute)

    findings = list[Finding]()
    for name in ("mode", "max_2"):
        still, found = (metric_sensitivity(statistic(name), inputs, moved, absolute, b) for b in (mpq(0), case.beta))
        findings.append(equal(still, mpq(0), f"{name} at beta = 0"))
        findings.append(
            equal(found is not None and found >= 2 * case.beta, True, f"{name} of {case.rows} rows changes by {found}")
        )
    return all_of(findings)
