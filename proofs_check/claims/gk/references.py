"""Algorithm 2, and Appendix B: Algorithms 3 and 4, which search small sizes or run within a band."""

from collections.abc import Callable, Sequence
from itertools import product
from typing import NamedTuple

from gmpy2 import mpq

from finitedp.impl.anonymized import references
from finitedp.proofs_check.claims.gk.subjects import levels_of, of_levels, phi_b_up_to
from finitedp.proofs_check.claims.ph.each_case import Bounded, Compared, bounded, compared, first_difference
from finitedp.proofs_check.claims.ph.subjects import unimodal
from finitedp.proofs_check.ledger.entry import Finding, cases
from finitedp.proofs_check.ledger.findings import algorithm, own
from finitedp.spec.anonymized import estimator, histograms
from finitedp.spec.anonymized.histograms import Histogram

IMPL = "finitedp.impl.anonymized.references"


class Small(NamedTuple):
    """N items, B buckets, or bins, and the width of the band."""

    n: int
    bins: int
    band: int = 0


SECOND = cases(Small, [(2, 3), (3, 2), (4, 17)], [(5, 4), (6, 25)])


def _second(hashed: Histogram, n: int, buckets: int) -> Histogram:
    return histograms.from_prevalences(references.algorithm_2(histograms.prevalences(hashed), n, buckets))


@algorithm(
    "GK.Alg2",
    """Algorithm 2: the histogram with n items whose Phi_B is nearest to the estimate after hashing, in the l1 distance.""",
    over="all estimates with n items, all histograms with n items; Phi_B by Algorithm 6",
    code=[f"{IMPL}.algorithm_2"],
    grid=SECOND,
    subject=_second,
    twins={
        "the estimate itself": lambda hashed, _n, _b: hashed,
        "B/2 buckets": lambda hashed, n, b: _second(hashed, n, max(1, b // 2)),
        "levels without Phi_B": lambda hashed, n, _b: _second(hashed, n, 10**6),
    },
)
@bounded("distance")
def second(algorithm: Callable[[Histogram, int, int], Histogram], case: Small) -> Bounded:
    n, b = case.n, case.bins

    def cost(h: Histogram, targets: Sequence[int]) -> mpq:
        return sum((abs(x - t) for x, t in zip(phi_b_up_to(h, b, len(targets)), targets, strict=True)), mpq(0))

    for hashed in histograms.histograms(n):
        targets = levels_of(hashed, n)
        least = min(cost(h, targets) for h in histograms.partitions(n))
        yield cost(algorithm(hashed, n, b), targets), least, f"{hashed}, {case}"


THIRD = cases(Small, [(2, 2, 1), (3, 2, 0), (3, 3, 1)], [(4, 3, 2), (3, 4, 1)])
P = mpq(1, 2)


def _within(h: Histogram, noisy: Sequence[int], band: int) -> bool:
    ordered = sorted(noisy, reverse=True)
    return len(h) <= len(ordered) and all(abs(a - b) <= band for a, b in zip(ordered, [*h, *[0] * len(ordered)], strict=False))


def _in_box(levels: Sequence[int], noisy: Sequence[int], band: int) -> bool:
    pairs = enumerate(levels, 1)
    return all(
        sum(y >= r + band for y in noisy) <= x <= (sum(y >= r - band for y in noisy) if r > band else len(noisy))
        for r, x in pairs
    )


@own(
    "GK.Alg3.box",
    """That the sorted counts are within Delta of the sorted noisy ones is a box for the cumulative prevalences: #{noisy >= r +
    Delta} <= x_r <= #{noisy >= r - Delta} for every r, the upper end the number of bins where r <= Delta.""",
    over="all noisy counts in 0..n, all histograms of so many labels with counts to n",
    code=[f"{IMPL}.algorithm_3"],
    grid=THIRD,
    subject=_in_box,
    twins={
        "r + Delta + 1": lambda levels, noisy, band: _in_box(levels, noisy, band + 1),
        "upper end alone": lambda levels, noisy, band: all(
            x <= sum(y >= r - band for y in noisy) for r, x in enumerate(levels, 1) if r > band
        ),
    },
)
def box(inside: Callable[[Sequence[int], Sequence[int], int], bool], case: Small) -> Finding:
    found = (
        (inside(levels, noisy, case.band), _within(of_levels(levels), noisy, case.band), f"{levels}, {noisy}, {case}")
        for noisy in unimodal(case.bins, case.n)
        for levels in unimodal(case.n, case.bins)
    )
    return first_difference("within Delta", found)


def _third(noisy: Sequence[int], n: int, band: int, labels: int) -> Histogram:
    return histograms.from_prevalences(references.algorithm_3(noisy, n, 1 / P, band, labels))


def _estimates(noisy: Sequence[int], n: int) -> list[mpq]:
    return [sum((f(y) for y in noisy), mpq(0)) for f in (estimator.corrected(P, n, r) for r in range(1, n + 1))]


def _cost(levels: Sequence[int], targets: Sequence[mpq]) -> mpq:
    return sum((abs(t - x) for t, x in zip(targets, levels, strict=True)), mpq(0))


@algorithm(
    "GK.Alg3",
    """Algorithm 3 without the constraint that counts sum to n, which would couple all levels: nearest to the estimates among
    all histograms whose sorted counts are within Delta of the sorted noisy ones; the empty one where there are so few labels
    that there is none.""",
    over="all noisy counts in 0..n, against all histograms of at most so many labels with counts to n, p = 1/2",
    code=[f"{IMPL}.algorithm_3"],
    grid=THIRD,
    subject=_third,
    twins={
        "no band": lambda noisy, n, _band, labels: _third(noisy, n, n, labels),
        "the noisy counts": lambda noisy, _n, _band, _labels: tuple(sorted((y for y in noisy if y), reverse=True)),
        "Delta + 1": lambda noisy, n, band, labels: _third(noisy, n, band + 1, labels),
    },
)
@bounded("distance")
def third(algorithm: Callable[[Sequence[int], int, int, int], Histogram], case: Small) -> Bounded:
    slack = mpq(4 * case.bins * case.n, 1 << 96)  # kappa is rounded
    for noisy, labels in product(unimodal(case.bins, case.n), range(case.bins - 1, case.bins + 1)):
        targets = _estimates(noisy, case.n)
        allowed = [x for x in unimodal(case.n, labels) if _within(of_levels(x), noisy, case.band)]
        out, where = algorithm(noisy, case.n, case.band, labels), f"{noisy} for {labels} labels, {case}"
        if not allowed:
            yield len(out), mpq(0), f"{where}, which none is near, became {out}"
            continue
        least = min(_cost(x, targets) for x in allowed)
        outside = 0 if _within(out, noisy, case.band) else 10**6
        yield _cost(levels_of(out, case.n), targets) + outside, least + slack, f"{where} became {out}"


def _fourth(first: Histogram, noisy: Sequence[int], n: int, band: int) -> Histogram:
    return histograms.from_prevalences(references.algorithm_4(histograms.prevalences(first), noisy, n, band))


@algorithm(
    "GK.Alg4",
    """Algorithm 4: the histogram with n items nearest to the first estimate among those within Delta of the second table's
    sorted noisy counts; the empty one where there is none.""",
    over="all first estimates of at most n items, all noisy counts in 0..n of the second table",
    code=[f"{IMPL}.algorithm_4"],
    grid=cases(Small, [(2, 2, 1), (3, 3, 1), (3, 3, 0)], [(4, 3, 1), (4, 4, 2)]),
    subject=_fourth,
    twins={
        "no band": lambda first, noisy, n, _band: _fourth(first, noisy, n, n),
        "the first estimate": lambda first, _noisy, _n, _band: first,
        "never empty": lambda first, noisy, n, band: _fourth(first, noisy, n, band) or first,
    },
)
@compared("(distance, none)")
def fourth(algorithm: Callable[[Histogram, Sequence[int], int, int], Histogram], case: Small) -> Compared:
    for first, noisy in product(histograms.histograms(case.n), unimodal(case.bins, case.n)):
        allowed = [h for h in histograms.partitions(case.n) if _within(h, noisy, case.band)]
        out = algorithm(first, noisy, case.n, case.band)
        least = min((histograms.distance(h, first) for h in allowed), default=None)
        found = histograms.distance(out, first) if out in allowed else None
        yield (found, out == () or bool(allowed)), (least, True), f"{first}, {noisy}, {case}"
