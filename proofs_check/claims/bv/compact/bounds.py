"""Section 8.2 of Balcer and Vadhan at fields of real size: ratios, laws and accuracy.

The law of the noisy counts at the points of the interpolation is the explorer's, on the running code; polynomials correspond
one to one to their values at these points (BV.Lem8.1.independence), so nothing is lost by looking there.
"""

from collections.abc import Callable
from functools import cache, lru_cache
from itertools import pairwise
from typing import Any, NamedTuple

from attrs import frozen
from gmpy2 import mpq

from finitedp.claim import Accuracy
from finitedp.exact import compare_exp
from finitedp.impl.counting.geometric import GeoSample
from finitedp.impl.histograms.compact import CompactHistogram
from finitedp.impl.randomness.coins import Coins
from finitedp.proofs_check.claims.bv.compact import twins as compact_twins
from finitedp.proofs_check.claims.bv.compact.histogram import Case, exploration
from finitedp.proofs_check.claims.bv.compact.toys import defined_law
from finitedp.proofs_check.claims.bv.counting import twins
from finitedp.proofs_check.claims.bv.counting.subjects import running_law, some_below
from finitedp.proofs_check.engine.explorer import explore
from finitedp.proofs_check.engine.verdict import check_accuracy
from finitedp.proofs_check.engine.worst_case import miss_over_bins
from finitedp.proofs_check.ledger.entry import Finding, entry
from finitedp.proofs_check.ledger.findings import all_of, at_most, equal, of_accuracy, same_law
from finitedp.spec import compact as spec
from finitedp.spec.accuracy import miss_probability
from finitedp.spec.counting import sample_decay
from finitedp.spec.divergence import max_ratio
from finitedp.spec.neighbours import neighbouring_multisets
from finitedp.spec.pmf import Pmf
from finitedp.spec.pmf import product as joint

__all__ = ["empty_bin_law", "worst_ratio"]


class Large(NamedTuple):
    """|X|, n, and epsilon = 1/q of the counting mechanism (GeoSample); the field is the least one."""

    size: int
    n: int
    q: int


Make = Callable[[int, mpq], GeoSample]


def _histogram(make: Make, case: Large) -> CompactHistogram[int]:
    return CompactHistogram(make(case.n, mpq(1, case.q)), range(case.size))


@lru_cache(maxsize=256)
def counts_law(histogram: CompactHistogram[Any], counts: tuple[tuple[int, int], ...], places: tuple[int, ...]) -> Pmf[Any]:
    """The law of the noisy counts at some points of the interpolation, by the explorer."""

    def program(coins: Coins) -> tuple[int, ...]:
        points, values = histogram.points(histogram.noisy(dict(counts), coins), coins)
        there = dict(zip(points, values, strict=True))
        return tuple(histogram.sampler.apply(there[x] + 1) for x in places)

    return explore(program).law()


@lru_cache(maxsize=64)
def empty_bin_law(histogram: CompactHistogram[Any]) -> Pmf[int]:
    """The law of M_0(U_0), by the explorer."""
    return explore(lambda coins: histogram.sampler.apply(coins.uniform(histogram.sampler.d_0))).law()


def _rows(case: Large, count: int) -> tuple[tuple[int, int], ...]:
    """A dataset of n rows as counts, in which label 0 has the given count and label 1 the others."""
    return tuple((x, c) for x, c in ((0, count), (1, case.n - count)) if c)


def _laws(histogram: CompactHistogram[Any], case: Large) -> Callable[[int], Pmf[int]]:
    """The law of the released count of label 0, by its true count."""
    return cache(lambda count: counts_law(histogram, _rows(case, count), (0,)).pushforward(lambda seen: seen[0]))


# Privacy


def worst_ratio(histogram: CompactHistogram[Any]) -> mpq | None:
    """The largest ratio of the probabilities of a polynomial under two neighbouring datasets, or None if it is infinite.

    Through the values at A and A', a polynomial has the probability of a product over the points: Pr[M(c) = v] / |S_v| for a
    label with c > 0 rows, 1/d_0 elsewhere. A row that moves changes two factors.
    """
    n, order, law = histogram.mechanism.n, histogram.base.order, running_law(histogram.mechanism)
    sizes = [last - first + 1 for first, last in map(histogram.sampler.interval, range(n + 1))]
    possible = [v for v in range(n + 1) if sizes[v] > 0]

    def weight(count: int, v: int) -> mpq:
        return law(count)[v] / sizes[v] if count else mpq(1, order)

    table = [[weight(count, v) for v in possible] for count in range(n + 1)]
    if any((a == 0) != (b == 0) for rows in pairwise(table) for a, b in zip(*rows, strict=True)):
        return None
    leaves = [_largest(table[c], table[c - 1]) for c in range(1, n + 1)]
    arrives = [_largest(table[c], table[c + 1]) for c in range(n)]
    moves = [(x, y) for x in range(1, n + 1) for y in range(n - x + 1) if histogram.universe.size > 2 or x + y == n]
    return max(leaves[x - 1] * arrives[y] for x, y in moves)


def _largest(over: list[mpq], under: list[mpq]) -> mpq:
    return max(a / b for a, b in zip(over, under, strict=True) if a)


def _too_narrow(n: int, epsilon: mpq) -> GeoSample:
    return twins.GeoTooNarrow(n, epsilon)


@entry(
    "FD.CompactHistogram.ratio",
    "own",
    """At a field of real size the worst ratio over all polynomials and all neighbouring datasets is at most (q+1)/q times the
    square of the mechanism's.""",
    over="every pair of counts that a row can leave and join; GeoSample; running laws of M and sizes of S_v, by the bijection",
    code=["finitedp.impl.histograms.compact.CompactHistogram.claim"],
    grid=(
        lambda: [Large(2, 3, 1), Large(2**32, 4, 2), Large(1000, 6, 1)],
        lambda: [Large(2**64, 12, 1), Large(100, 20, 3), Large(2**32, 9, 10)],
    ),
    subject=GeoSample,
    twins={"noise for twice epsilon": _too_narrow},
)
def large_ratio(make: Make, case: Large) -> Finding:
    histogram, found = _histogram(GeoSample, case), worst_ratio(_histogram(make, case))
    claim, q = histogram.claim(), histogram.base.order // histogram.mechanism.d
    allowed = (1 + mpq(1, min(q, 2**128))) / sample_decay(mpq(1, case.q)) ** 2
    if found is None:
        return Finding(False, mpq(10**9), "infinite ratio")
    within = compare_exp(allowed, claim.epsilon) <= 0
    findings = [at_most(found, allowed, "worst ratio"), equal(claim.ratio, allowed, "stated ratio")]
    return all_of([*findings, equal(within, True, "the ratio is at most e^epsilon")])


def _joint_cases() -> list[Case]:
    return [Case("n=1, d=3", 2, 0), Case("n=2, d=3", 2, 0), Case("n=2, d=3", 3, 0)]


def _more_joint_cases() -> list[Case]:
    return [Case("n=1, d=3", 4, 0), Case("n=2, d=3", 4, 0), Case("n=3, d=3", 3, 0)]


def _one_bin(histogram: CompactHistogram[Any]) -> mpq | None:
    """Broken: as if only the label that the row leaves changed."""
    found = worst_ratio(histogram)
    return None if found is None else found / histogram.sampler.growth()


@entry(
    "FD.CompactHistogram.factors",
    "own",
    "The worst ratio by factors at the changed labels is the worst ratio of the joint laws of all coefficients.",
    over="every pair of neighbouring multisets; toy mechanisms; joint laws of the running code over a field of 4 elements",
    code=["finitedp.impl.histograms.compact.CompactHistogram"],
    grid=(_joint_cases, _more_joint_cases),
    subject=worst_ratio,
    twins={"without the empty-bin sampler's factor": _one_bin},
)
def ratio_by_factors(worst: Callable[[CompactHistogram[Any]], mpq | None], case: Case) -> Finding:
    histogram: CompactHistogram[int] = CompactHistogram(case.mechanism, range(case.size), case.level)
    pairs = neighbouring_multisets(range(case.size), case.mechanism.n, "replace-one")
    laws = [(exploration(histogram, left).law(), exploration(histogram, right).law()) for left, right in pairs]
    return equal(worst(histogram), max(max_ratio(p, q).value for p, q in laws), "worst ratio")


# Laws and accuracy


@frozen(slots=False)
class SameDraw(CompactHistogram[Any]):
    """Broken: one free value for all free points."""

    def points(self, noisy: Any, coins: Coins) -> tuple[list[int], list[int]]:  # noqa: ANN401  # as the original
        """The last value wherever there is a free point."""
        places, values = super().points(noisy, coins)
        return places, [value if place in noisy else values[-1] for place, value in zip(places, values, strict=True)]


@entry(
    "FD.CompactHistogram.points",
    "own",
    """At n + 1 points the released counts are independent: noisy counts of the labels that occur, M_0(U_0) elsewhere.""",
    over="every dataset of n rows in two labels; GeoSample; a field of real size; the law by the explorer against spec",
    code=["finitedp.impl.histograms.compact.CompactHistogram.points"],
    grid=(lambda: [Large(9, 1, 1), Large(2**32, 2, 3)], lambda: [Large(2**32, 3, 1), Large(5, 3, 2)]),
    subject=CompactHistogram,
    twins={"one value for all free points": SameDraw, "S_v one too long": compact_twins.IntervalTooLong},
)
def law_at_points(make: Any, case: Large) -> Finding:  # noqa: ANN401  # CompactHistogram or a copy
    histogram: CompactHistogram[int] = make(GeoSample(case.n, mpq(1, case.q)), range(case.size))
    findings = []
    geo, d_0 = histogram.mechanism, histogram.base.order
    law, places = defined_law(geo), tuple(range(case.n + 1))
    empty = Pmf({v: spec.bin_size(law(0), int(geo.d), d_0, v) for v in range(case.n + 1)})
    for count in range(case.n + 1):
        truths = dict(_rows(case, count))
        expected = joint([law(truths[x]) if x in truths else empty for x in places])
        findings.append(same_law(counts_law(histogram, _rows(case, count), places), expected, f"counts {truths}"))
    return all_of(findings)


def _accuracy_quick() -> list[Large]:
    return [Large(3, 10, 1), Large(2**32, 12, 1)]


def _accuracy_full() -> list[Large]:
    return [Large(4, 16, 1), Large(2**32, 16, 2)]


ACCURACY = (_accuracy_quick, _accuracy_full)
BETAS = (mpq(1, 2), mpq(1, 10), mpq(1, 20))


def _too_wide(n: int, epsilon: mpq) -> GeoSample:
    return twins.GeoTooWide(n, epsilon)


@entry(
    "BV.Thm8.3.ii",
    "theorem",
    "CompactHistogram has the (a, beta)-per-query accuracy of its mechanism.",
    over="every true count, with the other rows in one more label; GeoSample; beta = 1/2, 1/10, 1/20; laws by the explorer",
    code=["finitedp.impl.histograms.compact.CompactHistogram.accuracy"],
    grid=ACCURACY,
    subject=GeoSample,
    twins={"noise four times too wide": _too_wide},
)
def compact_per_query(make: Make, case: Large) -> Finding:
    law, geo, findings = _laws(_histogram(make, case), case), GeoSample(case.n, mpq(1, case.q)), []
    for beta in BETAS:
        stated = _histogram(GeoSample, case).accuracy(beta)[0]
        findings.append(equal(stated, Accuracy(geo.accuracy(beta).a, beta, "per-query", "BV.Thm8.3.ii"), "stated accuracy"))
        misses = [(f"count {c}", miss_probability(law(c), c, stated.a)) for c in range(case.n + 1)]
        findings += [of_accuracy(check_accuracy(misses, beta), beta, stated.a), some_below(case.n, [stated.a])]
    return all_of(findings)


def _together(beta: mpq, size: int) -> mpq:
    return beta * size


@entry(
    "BV.Thm8.3.iii",
    "theorem",
    """CompactHistogram has (a, beta |X|)-simultaneous accuracy for the (a, beta) of its mechanism; stated at beta, with the
    mechanism's error at beta / |X|.""",
    over="every dataset over |X| <= n + 1 labels, by dynamic programming; GeoSample; beta = 1/2, 1/10, 1/20; running laws",
    code=["finitedp.impl.histograms.compact.CompactHistogram.accuracy"],
    grid=(lambda: [Large(3, 12, 1), Large(5, 16, 1)], lambda: [Large(8, 24, 1), Large(20, 30, 1)]),
    subject=_together,
    twins={"a hundredth of beta |X|": lambda beta, size: beta * size / 100},
)
def compact_simultaneous(together: Callable[[mpq, int], mpq], case: Large) -> Finding:
    histogram, geo, findings = _histogram(GeoSample, case), GeoSample(case.n, mpq(1, case.q)), []
    noisy, empty = running_law(geo), empty_bin_law(histogram)
    laws = [empty, *(noisy(c) for c in range(1, case.n + 1))]
    for beta in BETAS:
        stated, single = histogram.accuracy(beta)[1], geo.accuracy(beta / case.size)
        expected = Accuracy(single.a, beta, "simultaneous", "BV.Thm8.3.iii")
        close = [1 - miss_probability(law, c, stated.a) for c, law in enumerate(laws)]
        miss = miss_over_bins(close, case.n, case.size)
        allowed = together(beta / case.size, case.size)
        findings += [equal(stated, expected, "stated accuracy"), at_most(miss, allowed, f"simultaneous miss, a={stated.a}:")]
        findings.append(some_below(case.n, [stated.a]))
    return all_of(findings)
