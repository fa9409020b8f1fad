"""Theorem 8.6 and Figure 6 of Balcer and Vadhan: CompactHistogram with FastSample and GeoSample, which is what is released."""

from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from typing import Any, NamedTuple

from gmpy2 import mpq

from finitedp.claim import Accuracy, HistogramAccuracy
from finitedp.exact import RationalLike, ceil_log, compare_exp
from finitedp.impl.counting.geometric import FastSample
from finitedp.impl.histograms.compact import (
    CompactHistogram,
    compact_accuracy,
    compact_histogram_with_fast_sample,
    compact_histogram_with_geo_sample,
    least_level,
)
from finitedp.impl.histograms.compact_release import CompactRelease
from finitedp.impl.randomness.coins import SeededBits, StrictCoins, strict_bits
from finitedp.proofs_check.claims.bv.compact import twins as compact_twins
from finitedp.proofs_check.claims.bv.compact.meters import metered
from finitedp.proofs_check.claims.bv.compact.subjects import misses, simultaneous_miss, worst_ratio
from finitedp.proofs_check.claims.bv.counting import twins
from finitedp.proofs_check.claims.bv.counting.subjects import remade, some_below
from finitedp.proofs_check.engine.explorer import explore
from finitedp.proofs_check.ledger.entry import Cases, Finding, cases
from finitedp.proofs_check.ledger.every_beta import for_every_beta
from finitedp.proofs_check.ledger.findings import all_of, at_most, equal, figure, theorem
from finitedp.spec import counting as spec

COMPACT = "finitedp.impl.histograms.compact"


class Release(NamedTuple):
    """|X|, n rows, epsilon = 1/q, beta_0 = 1/s."""

    size: int
    n: int
    q: int
    s: int


RELEASES = cases(
    Release,
    [(2, 2, 1, 2), (2**32, 4, 1, 20), (1000, 3, 2, 20)],
    [(2**64, 9, 1, 100), (2**32, 6, 3, 2), (3, 12, 1, 20)],
)
# 30d/epsilon is above 2^4374 for the second of these, and for the first not yet: 30 is neither 29 nor 31, nor 2
EDGE = (Release(1000, 1, 4, 833558261), Release(1000, 1, 4, 833558262))
ACCURACY = cases(Release, [(4, 30, 1, 2), (4, 30, 1, 20)], [(8, 36, 1, 20), (3, 40, 2, 2)])
Make = Callable[[range, int, RationalLike, RationalLike], CompactHistogram[Any]]


def _made(make: Make, case: Release) -> CompactHistogram[Any]:
    return make(range(case.size), case.n, mpq(1, case.q), mpq(1, case.s))


def _changed(change: Callable[[CompactHistogram[Any], mpq], CompactHistogram[Any]]) -> Make:
    """Broken: what `change` makes of Theorem 8.6's instance and of epsilon."""
    return lambda universe, n, epsilon, beta_0: change(
        compact_histogram_with_fast_sample(universe, n, epsilon, beta_0), mpq(epsilon)
    )


def _with_mechanism(make: type[FastSample]) -> Make:
    return _changed(lambda right, _epsilon: CompactHistogram(remade(make, right.mechanism), right.universe))


def _reduced(q: int) -> mpq:
    """epsilon' = 1/ceil(10/(9 epsilon)): the least integer of at least 10q/9."""
    return mpq(1, next(m for m in range(q, 2 * q + 1) if 9 * m >= 10 * q))


@theorem(
    "BV.Thm8.6.i",
    """With FastSample at epsilon' = 1/ceil(10/(9 epsilon)) and gamma = beta_0/(2|X|), CompactHistogram is (epsilon,
    0)-differentially private; its worst ratio is at most (1 + 2^-k)^2 (q+1)/q. The claim for strict coins covers their slack
    in every draw.""",
    over="every pair of counts that a row can leave and join, by running laws and the bijection of polynomials and values",
    code=[f"{COMPACT}.compact_histogram_with_fast_sample", f"{COMPACT}.CompactHistogram.claim"],
    grid=RELEASES,
    subject=compact_histogram_with_fast_sample,
    twins={"noise for twice epsilon": _with_mechanism(twins.FastTooNarrow)},
    derived_from=("BV.Lem8.1.independence", "FD.CompactHistogram.factors", "FD.EmptyBinSampler.sizes"),
    by="the bijection of polynomials and their values at n + 1 points, with running laws of M and sizes of S_v",
)
def release_privacy(make: Make, case: Release) -> Finding:
    histogram, stated = _made(make, case), _made(compact_histogram_with_fast_sample, case)
    q = 2 ** (2 * 3**histogram.level) // int(histogram.mechanism.d)
    allowed, found = (1 + mpq(1, min(q, 2**128))) / spec.sample_decay(_reduced(case.q)) ** 2, worst_ratio(histogram)
    if found is None:
        return Finding(False, mpq(10**9), "infinite ratio")
    exact, strict = stated.claim(), stated.claim(StrictCoins())
    claims = [(claim.epsilon, claim.delta, claim.neighbours) for claim in (exact, strict)]
    draws = StrictCoins.slack ** (2 * case.n + 1)
    enough = strict.ratio is not None and compare_exp(strict.ratio, mpq(1, case.q)) <= 0 and allowed * draws <= strict.ratio
    return all_of(
        [
            at_most(found, allowed, "worst ratio"),
            equal(exact.ratio, allowed, "stated ratio"),
            equal(claims, [(mpq(1, case.q), mpq(0), "replace-one")] * 2, "stated claims"),
            equal(enough, True, "the slack of every draw is covered within epsilon"),
        ]
    )


def _largest_miss(histogram: CompactHistogram[Any], a: int) -> mpq:
    return max(misses(histogram, a))


def _betas(case: Release) -> list[mpq]:
    return sorted({mpq(1, case.s), mpq(1, 2)})


@theorem(
    "BV.Thm8.6.ii",
    "It has (a, beta)-per-query accuracy for a = ceil(5/epsilon ln(2/beta)) and every beta >= 2 gamma.",
    over="every true count; every beta >= 2 gamma; running laws of M and M_0",
    code=["finitedp.impl.histograms.compact.compact_accuracy"],
    grid=ACCURACY,
    subject=compact_histogram_with_fast_sample,
    twins={"8/epsilon for 2/epsilon in k": _with_mechanism(twins.FastTooWide)},
    derived_from=("BV.Alg8.2", "BV.Lem8.1.i"),
    by="the running laws of M and M_0, one of which each count has",
)
def release_per_query(make: Make, case: Release) -> Finding:
    histogram, findings, bounds = _made(make, case), [], []
    for beta in [mpq(1, case.size * case.s), *_betas(case)]:
        claimed = compact_accuracy(case.size, mpq(1, case.q), beta).per_query
        expected = Accuracy(ceil_log(mpq(5 * case.q), 2 / beta), beta, "per-query", "BV.Thm8.6.ii")
        findings.append(equal(claimed, expected, "stated accuracy"))
        bounds.append(claimed.a)
    some_below(case.n, bounds)

    def error(beta: mpq) -> int:
        return compact_accuracy(case.size, mpq(1, case.q), beta).per_query.a

    every = for_every_beta(error, partial(_largest_miss, histogram), case.n, mpq(1, case.size * case.s))
    return all_of([*findings, every])


@theorem(
    "BV.Thm8.6.iii",
    """It has (a, beta)-simultaneous accuracy (erratum: printed as per-query) for a = ceil(5/epsilon ln(2|X|/beta)) and every
    beta >= beta_0; a release states what its mechanism gives, which is at most that.""",
    over="every dataset over the universe, by dynamic programming; every beta >= beta_0; running laws of M and M_0",
    code=[f"{COMPACT}.compact_accuracy", f"{COMPACT}.CompactHistogram.accuracy"],
    grid=ACCURACY,
    subject=lambda stated: stated.simultaneous.a,
    twins={"the per-query error": lambda stated: stated.per_query.a},
    derived_from=("BV.Alg8.2", "BV.Lem8.1.ii", "BV.Lem8.1.independence"),
    by="dynamic programming over labels with independent counts, each with a running law of M or M_0",
)
def release_simultaneous(bound: Callable[[HistogramAccuracy], int], case: Release) -> Finding:
    histogram, findings = _made(compact_histogram_with_fast_sample, case), []
    for beta in _betas(case):
        claimed = compact_accuracy(case.size, mpq(1, case.q), beta).simultaneous
        expected = Accuracy(ceil_log(mpq(5 * case.q), 2 * case.size / beta), beta, "simultaneous", "BV.Thm8.6.iii")
        stated = histogram.accuracy(beta).simultaneous.a
        findings += [equal(claimed, expected, "stated accuracy"), at_most(stated, claimed.a, "error stated by a release")]
        some_below(case.n, [claimed.a])

    def theorem(beta: mpq) -> int:
        return bound(compact_accuracy(case.size, mpq(1, case.q), beta))

    miss, least = partial(simultaneous_miss, histogram), mpq(1, case.s)
    every = [for_every_beta(error, miss, case.n, least) for error in (theorem, lambda beta: bound(histogram.accuracy(beta)))]
    return all_of([*findings, *every])


def _draws_range(case: Release) -> int:
    """d of FastSample at epsilon' and gamma, by Algorithm 4.11."""
    epsilon, gamma = _reduced(case.q), mpq(1, 2 * case.size * case.s)
    x = 2 ** spec.least_power_of_two(2 / epsilon)
    t = spec.truncation_radius(case.n, epsilon, gamma)
    return int((case.n + 1) * (2 * x + 1) * (x + 1) ** t / gamma)


def _epsilon_not_reduced(right: CompactHistogram[Any], epsilon: mpq) -> CompactHistogram[Any]:
    counting = remade(lambda n, _reduced, gamma: FastSample(n, epsilon, gamma), right.mechanism)
    return CompactHistogram(counting, right.universe, right.level)


def _two_for_thirty(right: CompactHistogram[Any], epsilon: mpq) -> CompactHistogram[Any]:
    elements = max(right.universe.size, 2 * int(right.mechanism.d) * int(1 / epsilon))
    return CompactHistogram(right.mechanism, right.universe, least_level(elements))


@theorem(
    "BV.Thm8.6.iv",
    """Its field is the least one with d_0 >= max(|X|, 30d/epsilon), so that log d_0 is at most 3 ceil(log max(|X|,
    30d/epsilon)), where log d is at most (k+1)(t+2) + log((n+1)/gamma) + 3. A release takes n draws from 1..d and n + 1
    from 1..d_0 (BV.Thm8.3.iv has its field operations).""",
    over="the parameters of the grid; draws on every path, by the explorer, for n rows in one label and in two",
    code=[f"{COMPACT}.compact_histogram_with_fast_sample", f"{COMPACT}.least_level"],
    grid=Cases([*RELEASES.of("quick"), *EDGE], lambda: RELEASES.of("full")),
    subject=compact_histogram_with_fast_sample,
    twins={
        "a level more": _changed(lambda h, _epsilon: CompactHistogram(h.mechanism, h.universe, h.level + 1)),
        "epsilon not reduced": _changed(_epsilon_not_reduced),
        "the field of 2d/epsilon": _changed(_two_for_thirty),
        "draws for labels that occur only": _changed(
            lambda h, _: compact_twins.OnlyOccupied(h.mechanism, h.universe, h.level)
        ),
    },
)
def release_cost(make: Make, case: Release) -> Iterator[Finding]:
    histogram, d = _made(make, case), _draws_range(case)
    needed, level, cost = max(case.size, 30 * d * case.q), histogram.level, histogram.cost()
    bits, k = 2 * 3**level, spec.least_power_of_two(2 / _reduced(case.q))
    t = spec.truncation_radius(case.n, _reduced(case.q), mpq(1, 2 * case.size * case.s))
    least = 2**bits >= needed and (level == 0 or 2 ** (bits // 3) < needed)
    draws = case.n * strict_bits(d) + (case.n + 1) * strict_bits(2**bits)
    rows = {0: case.n}, {0: 1} | ({1: case.n - 1} if case.n > 1 else {})
    made = {ranges for counts in rows for ranges in _ranges_drawn(histogram, counts)}
    log_d = (k + 1) * (t + 2) + (2 * case.size * case.s * (case.n + 1)).bit_length() + 3
    named = FastSample(case.n, _reduced(case.q), mpq(1, 2 * case.size * case.s))
    yield equal((histogram.mechanism, int(histogram.mechanism.d)), (named, d), "stated mechanism")
    yield equal(least, True, f"l={level} is the least one")
    yield at_most(bits, 3 * spec.least_power_of_two(mpq(needed)), "log d_0")
    yield at_most(d.bit_length(), log_d, "log d")
    yield equal(made, {(d,) * case.n + (2**bits,) * (case.n + 1)}, "draws on every path")
    yield equal((cost.draws, cost.bits, cost.exact), (2 * case.n + 1, draws, True), "draws and bits")


def _ranges_drawn(histogram: CompactHistogram[Any], counts: dict[int, int]) -> set[tuple[int, ...]]:
    """The ranges of a release's draws on each path: noisy counts, then values; interpolation has no coins."""
    found = explore(lambda coins: tuple(histogram.points(histogram.noisy(counts, coins), coins)[0]))
    return {tuple(map(int, ranges)) for ranges, _ in found.shapes}


@theorem(
    "BV.Thm8.6.v",
    "A count of its release is read with n + 1 products in a field of log d_0 bits and one evaluation of M_0.",
    over="a release of n rows and a few labels, the parameters of the grid",
    code=["finitedp.impl.histograms.compact_release.CompactRelease.count"],
    grid=RELEASES,
    subject=CompactRelease,
    twins={"a power for each term": compact_twins.EvaluatedByPowers},
    sampled="one release on seeded bits, and three labels",
)
def release_evaluation(make: Any, case: Release) -> Finding:  # noqa: ANN401  # CompactRelease or a copy
    histogram = _made(compact_histogram_with_fast_sample, case)
    coins = StrictCoins(SeededBits(1, not_private=True))
    released = histogram.release([1] * (case.n - 1) + [0], coins)
    again = make(released.level, released.mechanism, released.universe, released.coefficients)
    products, findings = metered(again), []
    for label in (0, 1, case.size - 1):
        del products[:]
        findings.append(equal((again.count(label), len(products)), (released.count(label), case.n + 1), f"count of {label}"))
    bits = max(c.bit_length() for c in released.coefficients)
    findings.append(at_most(bits, 2 * 3**histogram.level, "bits of a coefficient"))
    return all_of([*findings, equal(len(released.coefficients), case.n + 1, "coefficients")])


class Line(NamedTuple):
    """A line of Figure 6: the mechanism, |X|, n, epsilon = 1/q, beta."""

    mechanism: str
    size: int
    n: int
    q: int
    beta: mpq


@figure(
    "BV.Fig6",
    """CompactHistogram with GeoSample has error a = ceil(5/epsilon ln(1/beta)) per query and ceil(5/epsilon ln(|X|/beta))
    simultaneously; with FastSample 2/beta and 2|X|/beta. Its ratio is within e^epsilon with both.""",
    over="every count and every dataset over the universe; the columns of errors, every beta",
    code=["finitedp.exact.ceil_log", "finitedp.impl.histograms.compact.compact_histogram_with_geo_sample"],
    grid=cases(
        Line,
        product(("geo-sample", "fast-sample"), (4,), (30,), (1,), (mpq(1, 2),)),
        product(("geo-sample", "fast-sample"), (6,), (36,), (1,), (mpq(1, 20),)),
    ),
    subject=ceil_log,
    twins={"5/2 for 5": lambda scale, argument: ceil_log(scale / 2, argument)},
    derived_from=("BV.Alg8.2", "BV.Lem8.1.ii", "BV.Lem8.1.independence", "FD.CompactHistogram.factors"),
    by="the bijection of polynomials and their values, and dynamic programming over labels with independent counts, each with"
    " a running law of M or M_0",
)
def figure_six(ceiling: Callable[[mpq, mpq], int], case: Line) -> Finding:
    universe, epsilon, fast = range(case.size), mpq(1, case.q), case.mechanism == "fast-sample"
    histogram: CompactHistogram[Any] = compact_histogram_with_geo_sample(universe, case.n, epsilon)
    if fast:
        histogram = compact_histogram_with_fast_sample(universe, case.n, epsilon, case.beta)
    scale, one = mpq(5 * case.q), 2 if fast else 1
    least = case.beta if fast else mpq(0)
    some_below(case.n, [ceil_log(scale, one * case.size / case.beta)])
    ratio = worst_ratio(histogram)
    private = ratio is not None and compare_exp(ratio, epsilon) <= 0
    per_query, together = partial(_largest_miss, histogram), partial(simultaneous_miss, histogram)
    single = for_every_beta(lambda beta: ceiling(scale, one / beta), per_query, case.n, least)
    every = for_every_beta(lambda beta: ceiling(scale, one * case.size / beta), together, case.n, least)
    return all_of([equal(private, True, "within e^epsilon"), single, every])
