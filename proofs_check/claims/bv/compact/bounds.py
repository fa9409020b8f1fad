"""Section 8.2 of Balcer and Vadhan at fields of real size: ratios, laws and accuracy.

The law of the noisy counts at the points of the interpolation is the explorer's, on the running code; polynomials correspond
one to one to their values at these points (BV.Lem8.1.independence), so nothing is lost by looking there.
"""

from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import Any, NamedTuple

from gmpy2 import mpq

from finitedp.claim import Accuracy, AccuracyKind
from finitedp.exact import compare_exp
from finitedp.impl.counting.geometric import GeoSample
from finitedp.impl.histograms.compact import CompactHistogram
from finitedp.proofs_check.claims.bv.compact import twins as compact_twins
from finitedp.proofs_check.claims.bv.compact.subjects import Case, counts_law, exploration, simultaneous_miss, worst_ratio
from finitedp.proofs_check.claims.bv.compact.toys import defined_law
from finitedp.proofs_check.claims.bv.counting import twins
from finitedp.proofs_check.claims.bv.counting.subjects import some_below, worst_miss_of
from finitedp.proofs_check.ledger.entry import Finding, cases
from finitedp.proofs_check.ledger.every_beta import for_every_beta
from finitedp.proofs_check.ledger.findings import all_of, at_most, equal, own, same_law, theorem
from finitedp.spec import compact as spec
from finitedp.spec.counting import sample_decay
from finitedp.spec.divergence import max_ratio
from finitedp.spec.neighbours import neighbouring_multisets
from finitedp.spec.pmf import Pmf
from finitedp.spec.pmf import product as joint


class Large(NamedTuple):
    """|X|, n, and epsilon = 1/q of the counting mechanism (GeoSample); the field is the least one."""

    size: int
    n: int
    q: int


Make = Callable[[int, mpq], GeoSample]


def _histogram(make: Make, case: Large) -> CompactHistogram[int]:
    return CompactHistogram(make(case.n, mpq(1, case.q)), range(case.size))


def _rows(case: Large, count: int) -> tuple[tuple[int, int], ...]:
    """A dataset of n rows as counts, in which label 0 has the given count and label 1 the others."""
    return tuple((x, c) for x, c in ((0, count), (1, case.n - count)) if c)


def _laws(histogram: CompactHistogram[Any], case: Large) -> Callable[[int], Pmf[int]]:
    """The law of the released count of label 0, by its true count."""
    return cache(lambda count: counts_law(histogram, _rows(case, count), (0,)).pushforward(lambda seen: seen[0]))


# Privacy


@own(
    "FD.CompactHistogram.ratio",
    """At a field of real size the worst ratio over all polynomials and all neighbouring datasets is at most (q+1)/q times the
    square of the mechanism's.""",
    over="every pair of counts that a row can leave and join; GeoSample; running laws of M and sizes of S_v, by the bijection",
    code=["finitedp.impl.histograms.compact.CompactHistogram.claim"],
    grid=cases(Large, [(2, 3, 1), (2**32, 4, 2), (1000, 6, 1)], [(2**64, 12, 1), (100, 20, 3), (2**32, 9, 10)]),
    subject=GeoSample,
    twins={"noise for twice epsilon": twins.GeoTooNarrow},
    derived_from=("BV.Lem8.1.independence", "FD.CompactHistogram.factors", "FD.EmptyBinSampler.sizes"),
    by="the bijection of polynomials and their values at n + 1 points, with running laws of M and sizes of S_v",
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


def _one_bin(histogram: CompactHistogram[Any]) -> mpq | None:
    """Broken: as if only the label that the row leaves changed."""
    found = worst_ratio(histogram)
    return None if found is None else found / histogram.sampler.growth()


@own(
    "FD.CompactHistogram.factors",
    "The worst ratio by factors at the changed labels is the worst ratio of the joint laws of all coefficients.",
    over="every pair of neighbouring multisets; toy mechanisms; joint laws of the running code over a field of 4 elements",
    code=["finitedp.impl.histograms.compact.CompactHistogram"],
    grid=cases(
        Case,
        [("n=1, d=3", 2, 0), ("n=2, d=3", 2, 0), ("n=2, d=3", 3, 0)],
        [("n=1, d=3", 4, 0), ("n=2, d=3", 4, 0), ("n=3, d=3", 3, 0)],
    ),
    subject=worst_ratio,
    twins={"without the empty-bin sampler's factor": _one_bin},
)
def ratio_by_factors(worst: Callable[[CompactHistogram[Any]], mpq | None], case: Case) -> Finding:
    histogram: CompactHistogram[int] = CompactHistogram(case.mechanism, range(case.size), case.level)
    pairs = neighbouring_multisets(range(case.size), case.mechanism.n, "replace-one")
    laws = [(exploration(histogram, left).law(), exploration(histogram, right).law()) for left, right in pairs]
    return equal(worst(histogram), max(max_ratio(p, q).value for p, q in laws), "worst ratio")


# Laws and accuracy


@own(
    "FD.CompactHistogram.points",
    """The values that a release draws at its n + 1 points stand for independent counts: noisy counts of the labels that occur,
    M_0(U_0) elsewhere.""",
    over="every dataset of n rows in two labels; GeoSample; a field of real size; the law by the explorer against spec",
    code=["finitedp.impl.histograms.compact.CompactHistogram.points"],
    grid=cases(Large, [(9, 1, 1), (2**32, 2, 3)], [(2**32, 3, 1), (5, 3, 2)]),
    subject=CompactHistogram,
    twins={"one value for all free points": compact_twins.SameDraw, "S_v one too long": compact_twins.IntervalTooLong},
)
def law_at_points(make: Any, case: Large) -> Iterator[Finding]:  # noqa: ANN401  # CompactHistogram or a copy
    histogram: CompactHistogram[int] = make(GeoSample(case.n, mpq(1, case.q)), range(case.size))
    geo, d_0 = histogram.mechanism, histogram.base.order
    law, places = defined_law(geo), tuple(range(case.n + 1))
    empty = Pmf({v: spec.bin_size(law(0), int(geo.d), d_0, v) for v in range(case.n + 1)})
    for count in range(case.n + 1):
        truths = dict(_rows(case, count))
        expected = joint([law(truths[x]) if x in truths else empty for x in places])
        yield same_law(counts_law(histogram, _rows(case, count), places), expected, f"counts {truths}")


BETAS = (mpq(1, 2), mpq(1, 10), mpq(1, 20))


def _states(case: Large, kind: AccuracyKind, labels: int, source: str) -> list[Finding]:
    """Finds the stated accuracies to be the mechanism's at beta / labels."""
    histogram, geo, findings = _histogram(GeoSample, case), GeoSample(case.n, mpq(1, case.q)), []
    for beta in BETAS:
        stated = histogram.accuracy(beta).per_query if kind == "per-query" else histogram.accuracy(beta).simultaneous
        findings.append(equal(stated, Accuracy(geo.accuracy(beta / labels).a, beta, kind, source), "stated accuracy"))
        some_below(case.n, [stated.a])
    return findings


@theorem(
    "BV.Thm8.3.ii",
    "CompactHistogram has the (a, beta)-per-query accuracy of its mechanism.",
    over="every true count, with the other rows in one more label; GeoSample; every beta; laws by the explorer",
    code=["finitedp.impl.histograms.compact.CompactHistogram.accuracy"],
    grid=cases(Large, [(2**32, 9, 1)], [(3, 10, 1), (2**32, 12, 1), (4, 16, 1), (2**32, 16, 2)]),
    subject=GeoSample,
    twins={"4/epsilon for 2/epsilon in k": twins.GeoTwiceAsWide},
    derived_from=("BV.Alg8.2", "BV.Lem8.1.independence"),
    by="the explored law of the values at the points, which interpolation and evaluation give back",
)
def compact_per_query(make: Make, case: Large) -> Finding:
    law, stated_by = _laws(_histogram(make, case), case), _histogram(GeoSample, case).accuracy
    every = for_every_beta(lambda beta: stated_by(beta)[0].a, worst_miss_of(law, case.n), case.n, mpq(0))
    return all_of([*_states(case, "per-query", 1, "BV.Thm8.3.ii"), every])


@theorem(
    "BV.Thm8.3.iii",
    """CompactHistogram has (a, beta |X|)-simultaneous accuracy for the (a, beta) of its mechanism; stated at beta, with the
    mechanism's error at beta / |X|.""",
    over="every dataset over |X| <= n + 1 labels, by dynamic programming; GeoSample; every beta; running laws",
    code=["finitedp.impl.histograms.compact.CompactHistogram.accuracy"],
    grid=cases(Large, [(3, 12, 1), (5, 16, 1)], [(8, 24, 1), (20, 30, 1)]),
    subject=lambda beta, size: beta / size,
    twins={"beta for beta / |X|": lambda beta, _size: beta},
    derived_from=("BV.Alg8.2", "BV.Lem8.1.ii", "BV.Lem8.1.independence"),
    by="dynamic programming over labels with independent counts, each with a running law of M or M_0",
)
def compact_simultaneous(share: Callable[[mpq, int], mpq], case: Large) -> Finding:
    miss, geo = partial(simultaneous_miss, _histogram(GeoSample, case)), GeoSample(case.n, mpq(1, case.q))
    error = for_every_beta(lambda beta: geo.accuracy(share(beta, case.size)).a, miss, case.n, mpq(0))
    return all_of([*_states(case, "simultaneous", case.size, "BV.Thm8.3.iii"), error])
