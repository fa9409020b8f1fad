"""Algorithm 2, and Appendices B and D: Algorithms 3 and 4, which search small sizes or run within a band, and Algorithm 7."""

from collections.abc import Callable, Sequence
from itertools import pairwise, product
from typing import NamedTuple

from gmpy2 import mpq

from finitedp.impl.anonymized import references
from finitedp.impl.anonymized.hashing import unhashed
from finitedp.proofs_check.claims.gk.subjects import Search, estimates, levels_of, of_levels, phi_b, phi_b_up_to
from finitedp.proofs_check.claims.ph.each_case import Bounded, Compared, bounded, compared
from finitedp.proofs_check.claims.ph.subjects import l1, unimodal
from finitedp.proofs_check.ledger.atoms import over
from finitedp.proofs_check.ledger.entry import Finding, cases, in_scope
from finitedp.proofs_check.ledger.findings import algorithm, equal, own
from finitedp.spec.anonymized import histograms
from finitedp.spec.anonymized.histograms import Histogram

IMPL = "finitedp.impl.anonymized.references"
HASHING = "finitedp.impl.anonymized.hashing"


class Small(NamedTuple):
    """N items, B buckets, or bins, and the width of the band."""

    n: int
    bins: int
    band: int = 0


def _second(hashed: Histogram, n: int, buckets: int) -> Histogram:
    return histograms.from_prevalences(references.algorithm_2(histograms.prevalences(hashed), n, buckets))


@algorithm(
    "GK.Alg2",
    """Algorithm 2: the histogram with n items whose Phi_B is nearest to the estimate after hashing, in the l1 distance.""",
    over="all estimates with n items, all histograms with n items; Phi_B by Algorithm 6",
    code=[f"{IMPL}.algorithm_2"],
    grid=cases(Small, [(2, 3), (3, 2), (4, 17)], [(5, 4), (6, 25)]),
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
        return l1(phi_b_up_to(h, b, len(targets)), targets)

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
    return all(
        sum(y >= r + band for y in noisy) <= x <= (sum(y >= r - band for y in noisy) if r > band else len(noisy))
        for r, x in enumerate(levels, 1)
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
@compared("within Delta")
def box(inside: Callable[[Sequence[int], Sequence[int], int], bool], case: Small) -> Compared:
    for noisy, levels in product(unimodal(case.bins, case.n), unimodal(case.n, case.bins)):
        found = inside(levels, noisy, case.band)
        yield found, _within(of_levels(levels), noisy, case.band), f"{levels}, {noisy}, {case}"


def _third(noisy: Sequence[int], n: int, band: int, labels: int) -> Histogram:
    return histograms.from_prevalences(references.algorithm_3(noisy, n, 1 / P, band, labels))


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
        targets = estimates(noisy, case.n, P)
        allowed = [x for x in unimodal(case.n, labels) if _within(of_levels(x), noisy, case.band)]
        out, where = algorithm(noisy, case.n, case.band, labels), f"{noisy} for {labels} labels, {case}"
        if not allowed:
            yield len(out), mpq(0), f"{where}, which none is near, became {out}"
            continue
        least = min(l1(x, targets) for x in allowed)
        outside = 0 if _within(out, noisy, case.band) else 10**6
        yield l1(levels_of(out, case.n), targets) + outside, least + slack, f"{where} became {out}"


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


# Algorithm 7


def search(targets: Sequence[int], n: int, buckets: int, *, ties_up: bool = False) -> list[int]:
    """The paper's binary search, line by line; ties_up, whether the last comparison is < instead of <=."""
    found, before = list[int](), n

    def reached(x: int) -> mpq:
        return phi_b(of_levels([*found, x]), buckets, len(found) + 1)

    for target in targets:
        low, high = 0, before
        while high > low + 1:
            middle = (low + high) // 2
            low, high = (low, middle) if reached(middle) >= target else (middle, high)
        one, other = (abs(reached(x) - target) for x in (low, high))
        before = low if one < other or (one == other and not ties_up) else high
        found.append(before)
    return found


def _without_base(targets: Sequence[int], n: int, buckets: int) -> list[int]:
    """Each level as if it were the first."""
    found, before = list[int](), n
    for target in targets:
        before = min(before, unhashed([target], n, buckets)[0])
        found.append(before)
    return found


class Wanted(NamedTuple):
    """N items, B buckets, and the non-increasing targets of some levels."""

    n: int
    buckets: int
    targets: tuple[int, ...]

    def check_scope(self) -> None:
        in_scope(self.n >= 1 and self.buckets >= 2, "n >= 1 and B >= 2")
        in_scope(self.targets and self.targets[-1] >= 0, "at least one target, all of at least 0")
        in_scope(all(a >= b for a, b in pairwise(self.targets)), "targets are non-increasing")


@algorithm(
    "GK.Alg7",
    """Algorithm 7's binary search over Phi_B gives for every r the nearest integer to (target - Phi_r(0))/slope in 0..x_{r-1},
    ties down: the running code, which does not search, has the same levels.""",
    over="all non-increasing targets of the grid, against the paper's search with Algorithm 6",
    code=[f"{HASHING}.unhashed", f"{HASHING}.expected_reaching"],
    grid=cases(Search, [(3, 2, 3, 3), (4, 2, 2, 4), (4, 2, 25, 4), (4, 3, 6, 4)], [(6, 3, 3, 6), (5, 4, 6, 4), (12, 2, 5, 9)]),
    subject=unhashed,
    twins={
        "ties up": lambda targets, n, b: search(targets, n, b, ties_up=True),
        "B + 1 buckets": lambda targets, n, b: unhashed(targets, n, b + 1),
        "every level as the first": _without_base,
        "no bound by the level before": lambda targets, n, b: [
            x for i in range(len(targets)) for x in unhashed([0] * i + [targets[i]], n, b)[-1:]
        ],
    },
)
@over(lambda case: (Wanted(case.n, case.buckets, t) for t in unimodal(case.m, case.most)))
def search_free(unhash: Callable[[Sequence[int], int, int], list[int]], atom: Wanted) -> Finding:
    n, buckets, targets = atom
    return equal(list(unhash(targets, n, buckets)), search(targets, n, buckets), f"levels of {targets} at n={n}, B={buckets}")


class Whole(NamedTuple):
    """N items; all histograms with n items as the plain estimate, targets of m levels from the buckets."""

    n: int
    m: int
    buckets: int


def _seventh(plain: Histogram, hashed: Histogram, case: Whole) -> Histogram:
    found = references.algorithm_7(histograms.prevalences(plain), histograms.prevalences(hashed), case.n, case.buckets, case.m)
    return histograms.from_prevalences(found)


@algorithm(
    "GK.Alg7.whole",
    """Algorithm 7, its last step: the histogram nearest to x_1, ..., x_m from the buckets and phi_{>=r} of the plain estimate
    above m, in the l1 distance of cumulative prevalences.""",
    over="all pairs of histograms with n items, against all non-increasing integers in 0..n",
    code=[f"{IMPL}.algorithm_7"],
    grid=cases(Whole, [(3, 1, 10), (4, 2, 25)], [(5, 2, 31), (5, 3, 46)]),
    subject=_seventh,
    twins={
        "the plain estimate alone": lambda plain, _hashed, _case: plain,
        "the buckets' estimate as it is": lambda _plain, hashed, _case: hashed,
        "one level more from the buckets": lambda plain, hashed, case: _seventh(
            plain, hashed, case._replace(m=min(case.m + 1, case.n))
        ),
    },
)
@bounded("distance")
def seventh(algorithm: Callable[[Histogram, Histogram, Whole], Histogram], case: Whole) -> Bounded:
    n, m = case.n, case.m
    every = list(unimodal(n, n))
    for plain, hashed in product(histograms.partitions(n), repeat=2):
        small = search(levels_of(hashed, m), n, case.buckets)
        targets = [*small, *levels_of(plain, n)[m:]]
        out = levels_of(algorithm(plain, hashed, case), n)
        yield l1(out, targets), min(l1(x, targets) for x in every), f"{plain}, {hashed}, {case}"
