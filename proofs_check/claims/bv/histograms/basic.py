"""Algorithm 5.1 and Theorem 5.2 of Balcer and Vadhan: BasicHistogram over any mechanism.

Our own claims on how joint laws are judged are here too: by their factors, and by representatives of symmetric pairs.
"""

from collections.abc import Callable, Sequence
from functools import cache, partial

from gmpy2 import mpq

from finitedp.claim import Accuracy, PrivacyClaim
from finitedp.exact import RationalLike
from finitedp.impl.counting.geometric import CountingMechanism, GeoSample
from finitedp.impl.histograms.basic import BasicHistogram
from finitedp.proofs_check.checks.symmetry import check_privacy_by_representatives, relabel_partial_vector
from finitedp.proofs_check.claims.bv.counting.subjects import running_law, some_below, worst_miss_of
from finitedp.proofs_check.claims.bv.counting.twins import GeoTwiceAsWide
from finitedp.proofs_check.claims.bv.histograms import twins
from finitedp.proofs_check.claims.bv.histograms.subjects import exploration, joint_law
from finitedp.proofs_check.deciders.verdict import check_privacy
from finitedp.proofs_check.ledger.entry import Cases, Finding, cases, entry
from finitedp.proofs_check.ledger.every_beta import for_every_beta
from finitedp.proofs_check.ledger.findings import all_of, at_most, equal, of_privacy, own, same_laws, theorem
from finitedp.proofs_check.ledger.grids import DATASETS, Dataset, Label
from finitedp.spec import counting as spec_counting
from finitedp.spec import histogram as spec
from finitedp.spec.accuracy import miss_probability, simultaneous_miss
from finitedp.spec.divergence import max_ratio, product_max_ratio
from finitedp.spec.neighbours import multisets, neighbouring_multisets, neighbouring_pairs
from finitedp.spec.pmf import Pmf

Rows = tuple[Label, ...]
Bins = tuple[tuple[Label, int], ...]

Histogram = Callable[[CountingMechanism, Sequence[Label], Sequence[Label]], BasicHistogram[Label]]


def _with_geo(make: Histogram, case: Dataset) -> BasicHistogram[Label]:
    return make(GeoSample(case.n, mpq(1, case.q)), case.labels, case.universe)


SYMMETRY = "finitedp.proofs_check.checks.symmetry"
CODE = ["finitedp.impl.histograms.basic.BasicHistogram", "finitedp.spec.histogram.basic_histogram"]

about = partial(entry, code=CODE, grid=DATASETS, subject=BasicHistogram)


@about(
    "BV.Alg5.1",
    "algorithm",
    "BasicHistogram releases, for each label x of A, the pair (x, M(c_x(D), u_x)) with independent uniform u_x.",
    over="every dataset; GeoSample; the joint law of the running code by the explorer against the product of the definitions",
    twins={
        "shared noise": twins.SharedNoise,
        "heaviest bin first": twins.HeaviestBinFirst,
        "labels of the data only": twins.OnlyPresentLabels,
        "last label counted twice": twins.CountedTwice,
        "rows outside of A counted": twins.CountsRowsOutside,
        "a range sorted by true count": twins.HeaviestBinFirstOfRange,
        "raw counts from the fourth label on": twins.RawFromTheFourth,
    },
)
def basic_histogram_law(make: Histogram, case: Dataset) -> Finding:
    bin_law = partial(spec_counting.geo_sample, case.n, mpq(1, case.q))

    def defined(dataset: Rows) -> Pmf[Bins]:
        return spec.basic_histogram(dataset, case.labels, bin_law)

    return same_laws(joint_law(_with_geo(make, case)), defined, multisets(case.universe, case.n))


@about(
    "BV.Thm5.2.i",
    "theorem",
    """BasicHistogram over an (epsilon/2, 0)-differentially private mechanism is (epsilon, 0)-differentially private; with
    GeoSample its worst ratio is at most (1 + 2^-k)^2.""",
    over="every neighbouring pair of ordered datasets (replace-one); GeoSample; joint laws of the running code",
    code=[*CODE, "finitedp.spec.neighbours.neighbouring_pairs"],
    twins={
        "shared noise": twins.SharedNoise,
        "heaviest bin first": twins.HeaviestBinFirst,
        "labels of the data only": twins.OnlyPresentLabels,
        "last label counted twice": twins.CountedTwice,
    },
)
def basic_histogram_privacy(make: Histogram, case: Dataset) -> Finding:
    epsilon = mpq(1, case.q)
    claim = PrivacyClaim(epsilon, "replace-one", ratio=1 / spec_counting.sample_decay(epsilon) ** 2, source="BV.Thm5.2.i")
    pairs = neighbouring_pairs(case.universe, case.n, "replace-one")
    found = of_privacy(check_privacy(joint_law(_with_geo(make, case)), pairs, claim), claim)
    return all_of([found, equal(_with_geo(BasicHistogram, case).claim(), claim, "stated claim")])


def _factors(case: Dataset, left: Rows, right: Rows) -> list[tuple[Pmf[int], Pmf[int]]]:
    law = running_law(GeoSample(case.n, mpq(1, case.q)))
    bins = zip(spec.histogram(left, case.labels), spec.histogram(right, case.labels), strict=True)
    return [(law(a), law(b)) for a, b in bins]


@own(
    "FD.Factored",
    "The worst ratio of two joint laws of independent bins is the product of the bins' worst ratios.",
    over="every neighbouring pair of multisets; GeoSample; the joint law of the running code against its factors",
    code=["finitedp.spec.divergence.product_max_ratio"],
    grid=DATASETS,
    subject=lambda factors: product_max_ratio(factors).value,
    twins={"the largest factor": lambda factors: max(max_ratio(p, q).value for p, q in factors)},
)
def factored_ratio(ratio: Callable[[list[tuple[Pmf[int], Pmf[int]]]], mpq], case: Dataset) -> Finding:
    law = joint_law(_with_geo(BasicHistogram, case))
    pairs = neighbouring_multisets(case.universe, case.n, "replace-one")
    return all_of([equal(ratio(_factors(case, d, e)), max_ratio(law(d), law(e)).value, f"{d} and {e}") for d, e in pairs])


SYMMETRIC = Cases(  # with A = X, since labels outside of A are not like the others
    [case for case in DATASETS.of("quick") if not case.hidden],
    [case for case in DATASETS.of("full") if not case.hidden],
)


@own(
    "FD.Representatives",
    """For a mechanism that ignores the order of rows and treats labels alike, one neighbouring pair for each symmetry class
    has the same worst ratio as all pairs; a mechanism that lacks a symmetry is refused.""",
    over="every dataset; GeoSample; both symmetries checked on the law",
    code=["finitedp.spec.neighbours.representative_pairs", f"{SYMMETRY}.check_privacy_by_representatives"],
    grid=SYMMETRIC,
    subject=BasicHistogram,
    twins={"last label counted twice": twins.CountedTwice},
)
def representatives(make: Histogram, case: Dataset) -> Finding:
    mechanism = _with_geo(make, case)
    law, claim = joint_law(mechanism), _with_geo(BasicHistogram, case).claim()
    every = check_privacy(law, neighbouring_pairs(case.universe, case.n, "replace-one"), claim)
    try:
        few = check_privacy_by_representatives(law, case.universe, case.n, claim, relabel_partial_vector)
    except ValueError as refused:
        return Finding(False, mpq(1), str(refused))
    same = equal((few.holds, few.worst.value), (every.holds, every.worst.value), "verdict and worst ratio")
    fewer = Finding(few.pairs <= every.pairs, mpq(few.pairs, every.pairs), f"{few.pairs} of {every.pairs} pairs")
    return all_of([same, fewer])


# Accuracy and cost for any M

Make = Callable[[int, RationalLike], GeoSample]
BETAS = (mpq(1, 2), mpq(1, 10), mpq(1, 1000))

ACCURACY = cases(  # shapes on which the claimed error is below n, so that the claim says something
    Dataset,
    [(1, 12, 1), (2, 8, 1), (2, 12, 1), (3, 4, 1)],
    [(3, 6, 1), (1, 40, 1), (1, 40, 3), (2, 24, 1), (2, 24, 2), (3, 8, 1), (3, 8, 2)],
)


@theorem(
    "BV.Thm5.2.ii",
    "BasicHistogram over a mechanism with (a, beta)-accuracy has (a, beta)-per-query accuracy.",
    over="every dataset and label; GeoSample; every beta; marginals of the joint law of the running code",
    code=["finitedp.impl.histograms.basic.BasicHistogram.accuracy"],
    grid=ACCURACY,
    subject=GeoSample,
    twins={"4/epsilon for 2/epsilon in k": GeoTwiceAsWide},
)
def per_query_accuracy(make: Make, case: Dataset) -> Finding:
    running = joint_law(BasicHistogram(make(case.n, mpq(1, case.q)), case.labels))
    claimed = _with_geo(BasicHistogram, case)
    some_below(case.n, [claimed.accuracy(beta).per_query.a for beta in BETAS])

    def stated(beta: mpq) -> Finding:
        a = claimed.accuracy(beta).per_query.a
        found = equal(claimed.accuracy(beta).per_query, Accuracy(a, beta, "per-query", "BV.Thm5.2.ii"), "stated accuracy")
        same = equal(a, GeoSample(case.n, mpq(1, case.q)).accuracy(beta).a, "a of the mechanism")
        return all_of([found, same])

    errors = [
        running(dataset).pushforward(lambda bins, i=i, truth=truth: abs(bins[i][1] - truth))  # type: ignore[misc]
        for dataset in multisets(case.universe, case.n)
        for i, truth in enumerate(spec.histogram(dataset, case.universe))
    ]
    every = for_every_beta(lambda beta: claimed.accuracy(beta).per_query.a, _worst_of(errors), case.n, mpq(0))
    return all_of([every, *map(stated, BETAS)])


def _worst_of(errors: list[Pmf[int]]) -> Callable[[int], mpq]:
    return cache(lambda a: max(miss_probability(law, 0, a) for law in errors))


@theorem(
    "BV.Thm5.2.iii",
    """BasicHistogram over a mechanism with (a, beta)-accuracy has (a, beta')-simultaneous accuracy with beta' = 1 -
    (1 - beta)^|A| <= beta |A|.""",
    over="every dataset; GeoSample; every beta; the joint law of the running code, and its product form",
    code=["finitedp.impl.histograms.basic.BasicHistogram.accuracy", "finitedp.spec.accuracy.simultaneous_miss"],
    grid=ACCURACY,
    subject=GeoSample,
    twins={"4/epsilon for 2/epsilon in k": GeoTwiceAsWide},
)
def simultaneous_accuracy(make: Make, case: Dataset) -> Finding:
    mechanism = make(case.n, mpq(1, case.q))
    running, counting = joint_law(BasicHistogram(mechanism, case.universe)), running_law(mechanism)
    claimed, size = GeoSample(case.n, mpq(1, case.q)), case.size
    histogram = BasicHistogram(claimed, case.universe)
    some_below(case.n, [claimed.accuracy(beta).a for beta in BETAS])

    def stated(beta: mpq) -> Finding:
        """The accuracy that the histogram states: the mechanism's at beta / |A|."""
        expected = Accuracy(claimed.accuracy(beta / size).a, beta, "simultaneous", "BV.Thm5.2.iii")
        return equal(histogram.accuracy(beta).simultaneous, expected, "stated accuracy")

    errors, forms = list[Pmf[int]](), list[Finding]()
    for dataset in multisets(case.universe, case.n):
        truths = spec.histogram(dataset, case.universe)
        errors.append(running(dataset).pushforward(partial(_largest_error, truths)))
        for a in range(case.n):
            product_form = simultaneous_miss([(counting(c), c) for c in truths], a)
            forms.append(equal(product_form, miss_probability(errors[-1], 0, a), "product and joint form"))
    for_one = worst_miss_of(counting, case.n)
    allowed = [
        at_most(_worst_of(errors)(a), 1 - (1 - for_one(a)) ** size, f"simultaneous miss, a={a}:") for a in range(case.n)
    ]  # beta' at beta = the probability that M exceeds a, the least beta at which M is (a, beta)-accurate
    bounds = [equal(1 - (1 - beta) ** size <= beta * size, True, "1 - (1 - beta)^|A| <= beta |A|") for beta in BETAS]
    every = for_every_beta(lambda beta: histogram.accuracy(beta).simultaneous.a, _worst_of(errors), case.n, mpq(0))
    return all_of([every, *allowed, *bounds, *map(stated, BETAS), *forms])


def _largest_error(truths: tuple[int, ...], bins: Bins) -> int:
    return max(abs(count - truth) for (_, count), truth in zip(bins, truths, strict=True))


@about(
    "BV.Thm5.2.iv",
    "theorem",
    "BasicHistogram takes |A| draws and |A| times the mechanism's comparisons, the same for every dataset and on every path.",
    over="every dataset and path; GeoSample",
    code=["finitedp.impl.histograms.basic.BasicHistogram.cost"],
    twins={"labels of the data only": twins.OnlyPresentLabels, "shared noise": twins.SharedNoise},
)
def basic_histogram_cost(make: Histogram, case: Dataset) -> Finding:
    mechanism = _with_geo(make, case)
    found = frozenset().union(*(exploration(mechanism, d).shapes for d in multisets(case.universe, case.n)))
    cost = mechanism.cost()
    # each bin makes two comparisons more, which check its draw's range
    expected = frozenset({((mechanism.mechanism.d,) * cost.draws, cost.steps + 2 * cost.draws)})
    return all_of([equal(cost.draws, len(case.labels), "draws"), equal(found, expected, "the same on every path")])
