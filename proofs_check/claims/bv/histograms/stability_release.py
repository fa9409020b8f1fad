"""Theorem 5.6 and Figure 4 of Balcer and Vadhan: StabilityHistogram with FastSample, which is what is released."""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from gmpy2 import mpq

from finitedp.claim import Accuracy
from finitedp.exact import RationalLike, ceil_log
from finitedp.impl.counting.geometric import CountingMechanism, FastSample, GeoSample
from finitedp.impl.histograms.stability import StabilityHistogram, stability_accuracy, stability_histogram_with_fast_sample
from finitedp.proofs_check.checks.worst_case import miss_over_partitions
from finitedp.proofs_check.claims.bv.counting import twins
from finitedp.proofs_check.claims.bv.counting.subjects import is_ceiling, remade
from finitedp.proofs_check.claims.bv.histograms.subjects import behind_threshold, delta_of_moves, joint_law
from finitedp.proofs_check.ledger.entry import Finding, cases, in_scope
from finitedp.proofs_check.ledger.every_beta import for_every_beta
from finitedp.proofs_check.ledger.findings import all_of, at_most, equal, figure, theorem
from finitedp.spec import counting as spec_counting
from finitedp.spec.accuracy import miss_probability
from finitedp.spec.divergence import hockey_stick
from finitedp.spec.neighbours import neighbouring_multisets
from finitedp.spec.pmf import Pmf
from finitedp.spec.stability import threshold_delta


class Release(NamedTuple):
    """n rows, epsilon = 1/q, delta = 1/r, beta_0 = 1/s."""

    n: int
    q: int
    r: int
    s: int


RELEASES = cases(Release, [(9, 1, 2, 2), (12, 1, 3, 20), (24, 1, 60, 1)], [(16, 1, 8, 20), (20, 1, 2, 1000), (20, 2, 2, 4)])
Make = Callable[[int, RationalLike, RationalLike, RationalLike], StabilityHistogram[Any]]


def _made(make: Make, case: Release) -> StabilityHistogram[Any]:
    return make(case.n, mpq(1, case.q), mpq(1, case.r), mpq(1, case.s))


Instance = StabilityHistogram[Any]


def _changed(change: Callable[[Instance], Instance]) -> Make:
    """Broken: what `change` makes of Theorem 5.6's instance."""
    return lambda *parameters: change(stability_histogram_with_fast_sample(*parameters))


_no_threshold = _changed(lambda right: StabilityHistogram(right.mechanism, 0))
_lower = _changed(lambda right: StabilityHistogram(right.mechanism, right.b - 1))
_wide = _changed(lambda right: StabilityHistogram(remade(twins.FastTooWide, right.mechanism), right.b))


def _ratio(case: Release) -> mpq:
    return 1 / spec_counting.sample_decay(mpq(1, case.q)) ** 2


def _least_delta(case: Release) -> mpq:
    """Pr[M(1, U) > b], from spec, with the theorem's b."""
    gamma = min(mpq(1, 2 * case.n * case.s), mpq(1, 2 * case.r))
    b = next(b for b in range(case.n + 1) if is_ceiling(b - 1, case.q, mpq(2 * case.r)))
    return threshold_delta(lambda count: spec_counting.fast_sample(case.n, mpq(1, case.q), gamma, count), b)


def _stated_mechanism(case: Release) -> Finding:
    """Finds the instance to be the one that Theorem 5.6 names, computed here from the theorem alone."""
    found = _made(stability_histogram_with_fast_sample, case)
    gamma = min(mpq(1, 2 * case.n * case.s), mpq(1, 2 * case.r))
    named = FastSample(case.n, mpq(1, case.q), gamma)
    threshold = is_ceiling(found.b - 1, case.q, mpq(2 * case.r))
    return equal((found.mechanism, threshold, found.padded), (named, True, True), "stated mechanism and threshold")


@theorem(
    "BV.Thm5.6.i",
    """With FastSample at gamma = min(beta_0/(2n), delta/2) and b = 1 + ceil(9/(2 epsilon) ln(2/delta)), StabilityHistogram is
    (epsilon, delta)-differentially private.""",
    over="every neighbouring pair of datasets of n rows over two labels, at the ratio (1 + 2^-k)^2; joint laws of the running"
    " code, without padding",
    code=["finitedp.impl.histograms.stability.stability_histogram_with_fast_sample"],
    grid=cases(Release, [(9, 1, 2, 2), (12, 1, 3, 20)], [(16, 1, 8, 20), (24, 1, 60, 1), (20, 2, 2, 4)]),
    subject=stability_histogram_with_fast_sample,
    twins={"no threshold": _no_threshold, "the threshold one less": _lower},
)
def release_privacy(make: Make, case: Release) -> Finding:
    made = _made(make, case)
    law = joint_law(StabilityHistogram(made.mechanism, made.b, padded=False))
    ratio, delta = _ratio(case), mpq(1, case.r)
    stated = _made(stability_histogram_with_fast_sample, case).claim()
    least = _least_delta(case)
    findings = [_stated_mechanism(case), equal((stated.epsilon, stated.delta), (mpq(1, case.q), least), "stated claim")]
    for left, right in neighbouring_multisets("ab", case.n, "replace-one"):
        found = hockey_stick(law(left), law(right), ratio).delta
        findings.append(at_most(found, min(delta, least), f"delta from {''.join(left)} to {''.join(right)}"))
    return all_of(findings)


@theorem(
    "BV.Thm5.6.i.large",
    "The same over a universe of any size, and at larger n.",
    over="every pair of neighbouring datasets, by the joint law of the two bins that change, at the ratio (1 + 2^-k)^2",
    code=["finitedp.impl.histograms.stability.stability_histogram_with_fast_sample"],
    grid=RELEASES,
    subject=stability_histogram_with_fast_sample,
    twins={"no threshold": _no_threshold},
    derived_from=("BV.Alg5.4",),
    by="independence of the bins, each with the law of the running FastSample behind the threshold",
)
def release_privacy_by_bins(make: Make, case: Release) -> Finding:
    mechanism = _made(make, case)
    moves = delta_of_moves(behind_threshold(mechanism), case.n, _ratio(case), mpq(1, case.r))
    return all_of([_stated_mechanism(case), *moves])


ACCURACY = cases(Release, [(60, 1, 2, 20)], [(60, 1, 2, 2), (80, 1, 4, 10), (120, 2, 2, 2), (90, 1, 3, 20)])


@theorem(
    "BV.Thm5.6.ii",
    """It has (a, beta)-per-query accuracy on counts larger than t for a = ceil(9/(2 epsilon) ln(2/beta)), t = 2 + ceil(9/(2
    epsilon) ln(4/(beta delta))) and every beta >= 2 gamma.""",
    over="every count above a + b, which is at most t; every beta >= 2 gamma; the law of one bin",
    code=["finitedp.impl.histograms.stability.stability_accuracy"],
    grid=ACCURACY,
    subject=stability_histogram_with_fast_sample,
    twins={"8/epsilon for 2/epsilon in k": _wide},
    derived_from=("BV.Alg5.4", "BV.Thm5.5.ii"),
    by="the law of the running FastSample behind the threshold, which each bin has",
)
def release_per_query(make: Make, case: Release) -> Finding:
    mechanism, findings = _made(make, case), []
    law, b = behind_threshold(mechanism), mechanism.b
    accuracy = partial(stability_accuracy, case.n, mpq(1, case.q), mpq(1, case.r))
    for beta in {mpq(1, case.s), mpq(1, 2)}:
        claimed, above, _ = accuracy(beta)
        forms = is_ceiling(claimed.a, case.q, 2 / beta), is_ceiling(above - 2, case.q, 4 * case.r / beta)
        findings.append(equal((forms, claimed.kind, claimed.beta), ((True, True), "per-query", beta), "stated accuracy"))
        in_scope(above < case.n, "some count is larger")
        findings.append(equal(claimed.a + b <= above, True, "a + b is at most t"))
    gamma = min(mpq(1, 2 * case.n * case.s), mpq(1, 2 * case.r))
    miss = _miss_above(law, case.n, b)
    return all_of([*findings, for_every_beta(lambda beta: accuracy(beta).per_query.a, miss, case.n - b, 2 * gamma)])


def _miss_above(law: Callable[[int], Pmf[int]], n: int, b: int) -> Callable[[int], mpq]:
    """The largest probability of an error above a, over the counts above a + b."""
    return lambda a: max((miss_probability(law(c), c, a) for c in range(a + b + 1, n + 1)), default=mpq(0))


def _simultaneous_miss(law: Callable[[int], Pmf[int]], n: int, a: int) -> mpq:
    return miss_over_partitions([1 - miss_probability(law(c), c, a) for c in range(n + 1)], n)


@theorem(
    "BV.Thm5.6.iii",
    """It has (a, beta)-simultaneous accuracy for a = 2 + ceil(9/(2 epsilon) ln(4n/(beta delta))) and every beta >= beta_0.""",
    over="every dataset over any universe, by dynamic programming over the partitions of n; every beta >= beta_0",
    code=["finitedp.impl.histograms.stability.stability_accuracy"],
    grid=ACCURACY,
    subject=lambda single, every: every.a,
    twins={"the per-query error": lambda single, every: single.a},
    derived_from=("BV.Alg5.4", "BV.Thm5.5.iii"),
    by="multiplying over independent bins, each with the law of the running FastSample behind the threshold",
)
def release_simultaneous(bound: Callable[[Accuracy, Accuracy], int], case: Release) -> Finding:
    law, findings = behind_threshold(_made(stability_histogram_with_fast_sample, case)), []
    accuracy = partial(stability_accuracy, case.n, mpq(1, case.q), mpq(1, case.r))
    for beta in {mpq(1, case.s), mpq(1, 2)}:
        claimed = accuracy(beta).simultaneous
        form = is_ceiling(claimed.a - 2, case.q, 4 * case.n * case.r / beta)
        findings.append(equal((form, claimed.kind, claimed.beta), (True, "simultaneous", beta), "stated accuracy"))
        in_scope(claimed.a < case.n, "the bound is below n")

    def error(beta: mpq) -> int:
        single, _, every = accuracy(beta)
        return bound(single, every)

    return all_of([*findings, for_every_beta(error, partial(_simultaneous_miss, law, case.n), case.n, mpq(1, case.s))])


@theorem(
    "BV.Thm5.6.iv",
    """It takes n draws of at most (k+1)(t+2) + log2((n+1)/gamma) + 3 bits and n ceil(log2(n+1)) comparisons, the same for
    every dataset: BV.Thm5.5.iv with the cost of FastSample (BV.Thm4.10.iii).""",
    over="the parameters of the grid",
    code=["finitedp.impl.histograms.stability.StabilityHistogram.cost"],
    grid=RELEASES,
    subject=stability_histogram_with_fast_sample,
    twins={"not padded": lambda n, e, d, b: stability_histogram_with_fast_sample(n, e, d, b, padded=False)},
    derived_from=("BV.Thm5.5.iv", "BV.Thm4.10.iii"),
    by="the stated cost, which is n times FastSample's",
)
def release_cost(make: Make, case: Release) -> Finding:
    mechanism = _made(make, case)
    counting, cost = mechanism.mechanism, mechanism.cost()
    assert isinstance(counting, FastSample)  # noqa: S101  # narrows the type
    bits = (counting.k + 1) * (counting.t + 2) + int((case.n + 1) / counting.gamma).bit_length() + 3
    expected = (case.n, case.n * int(case.n).bit_length(), True)
    stated = equal((cost.draws, cost.steps, cost.exact), expected, "draws and steps")
    return all_of([stated, at_most(int(counting.d).bit_length(), bits, "bits of d:")])


class Line(NamedTuple):
    """A line of Figure 4: the mechanism, n, epsilon = 1/q, delta = 1/r, beta."""

    mechanism: str
    n: int
    q: int
    r: int
    beta: mpq


@figure(
    "BV.Fig4",
    """StabilityHistogram with GeoSample: b = 1 + ceil(9/(2 epsilon) ln(1/delta)) gives delta, a = ceil(9/(2 epsilon)
    ln(1/beta)) per query above t = 2 + ceil(9/(2 epsilon) ln(1/(beta delta))), and 2 + ceil(9/(2 epsilon) ln(n/(beta
    delta))) simultaneously; with FastSample 2/delta, 2/beta, 4/(beta delta) and 4n/(beta delta).""",
    over="every count and every dataset over any universe; every beta; the columns of errors, and b",
    code=["finitedp.exact.ceil_log", "finitedp.impl.histograms.stability.StabilityHistogram"],
    grid=cases(
        Line,
        [(m, 48, 1, 2, mpq(1, 20)) for m in ("geo-sample", "fast-sample")],
        [
            (m, *case)
            for case in ((60, 1, 2, mpq(1, 2)), (60, 1, 2, mpq(1, 20)), (100, 1, 4, mpq(1, 10)))
            for m in ("geo-sample", "fast-sample")
        ],
    ),
    subject=ceil_log,
    twins={"9/4 for 9/2": lambda scale, argument: ceil_log(scale / 2, argument)},
    derived_from=("BV.Alg5.4", "BV.Thm5.5.i", "BV.Thm5.5.ii", "BV.Thm5.5.iii"),
    by="multiplying over independent bins, each with the law of the running counting mechanism behind the threshold",
)
def figure_four(ceiling: Callable[[mpq, mpq], int], case: Line) -> Finding:
    fast, scale, d, epsilon = case.mechanism == "fast-sample", mpq(9 * case.q, 2), mpq(1, case.r), mpq(1, case.q)
    counting: CountingMechanism = GeoSample(case.n, epsilon)
    if fast:
        counting = FastSample(case.n, epsilon, mpq(1, max(-(-2 * case.n // case.beta), 2 * case.r)))
    one, pair = (2, 4) if fast else (1, 1)
    in_scope(2 + ceil_log(scale, pair / (case.beta * d)) < case.n, "t below n")
    mechanism: StabilityHistogram[Any] = StabilityHistogram(counting, 1 + ceiling(scale, one / d))
    law, least = behind_threshold(mechanism), case.beta if fast else mpq(0)
    miss = _miss_above(law, case.n, mechanism.b)  # for more counts than are above t, since a + b <= t

    def single(beta: mpq) -> int:
        return ceiling(scale, one / beta)

    above, together = 2 + ceiling(scale, pair / (case.beta * d)), partial(_simultaneous_miss, law, case.n)
    return all_of(
        [
            at_most(mechanism.delta(), d, "delta"),
            equal(single(case.beta) + mechanism.b <= above, True, "a + b <= t"),
            for_every_beta(single, miss, case.n - mechanism.b, least),
            for_every_beta(lambda beta: 2 + ceiling(scale, pair * case.n / (beta * d)), together, case.n, least),
        ]
    )
