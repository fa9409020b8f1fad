"""Algorithm 5.4 and Theorem 5.5 of Balcer and Vadhan: StabilityHistogram over any mechanism."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import product
from typing import NamedTuple

from gmpy2 import mpq

from finitedp.impl.counting.geometric import CountingMechanism, GeoSample
from finitedp.impl.histograms.stability import StabilityHistogram
from finitedp.proofs_check.claims.bv.compact.toys import ToyTable
from finitedp.proofs_check.claims.bv.counting.subjects import running_law, worst_miss_of
from finitedp.proofs_check.claims.bv.counting.twins import GeoTwiceAsWide
from finitedp.proofs_check.claims.bv.histograms import subjects
from finitedp.proofs_check.claims.bv.histograms.twins import NoThresholdFromTheFifth
from finitedp.proofs_check.ledger.entry import Cases, Finding, cases
from finitedp.proofs_check.ledger.every_beta import for_every_beta
from finitedp.proofs_check.ledger.findings import algorithm, all_of, at_most, equal, same_laws, theorem
from finitedp.proofs_check.ledger.grids import letters
from finitedp.spec import counting as spec_counting
from finitedp.spec import stability as spec
from finitedp.spec.accuracy import miss_probability
from finitedp.spec.divergence import hockey_stick
from finitedp.spec.histogram import histogram
from finitedp.spec.neighbours import multisets, neighbouring_multisets
from finitedp.spec.pmf import Pmf

Labels = tuple[str, ...]
Bins = tuple[tuple[str, int], ...]


class Case(NamedTuple):
    """A universe of `size` labels, n rows, epsilon = 1/q of the counting mechanism (GeoSample), and the threshold b.

    rows: the datasets; all of n rows where there are none. q = 0 is a count one less or one more, each as often.
    """

    size: int
    n: int
    q: int
    b: int
    rows: tuple[str, ...] = ()

    @property
    def universe(self) -> Labels:
        """The labels a, b, c, ..."""
        return letters(self.size)

    @property
    def datasets(self) -> list[Labels]:
        """The datasets to look at."""
        return [tuple(rows) for rows in self.rows] or list(multisets(self.universe, self.n))


def _thresholds(shapes: Iterable[tuple[int, int]], denominators: Sequence[int]) -> list[Case]:
    return [Case(size, n, q, b) for size, n in shapes for q in denominators for b in range(n + 1)]


CASES = cases(
    Case,
    [*_thresholds(product((2, 3), (1, 2)), (1, 3)), (2, 3, 1, 0), (2, 3, 1, 1)],
    _thresholds([(2, 3), (3, 3), (4, 2), (4, 3)], (1, 2, 10)),
)

SIX_LABELS = Case(6, 8, 0, 2, ("aabccdef",))
LAWS = Cases(lambda: [*CASES.of("quick"), SIX_LABELS], lambda: CASES.of("full"))

Stability = Callable[[CountingMechanism, int], StabilityHistogram[str]]


def _made(make: Stability, case: Case) -> StabilityHistogram[str]:
    return make(GeoSample(case.n, mpq(1, case.q)) if case.q else ToyTable(tuple(_one_off(case))), case.b)


def _one_off(case: Case) -> Iterator[tuple[int, int]]:
    return ((max(count - 1, 0), min(count + 1, case.n)) for count in range(case.n + 1))


def _geo_law(case: Case) -> Callable[[int], Pmf[int]]:
    return partial(spec_counting.geo_sample, case.n, mpq(1, case.q))


def _law_of(case: Case) -> Callable[[int], Pmf[int]]:
    return _geo_law(case) if case.q else lambda count: Pmf.uniform(list(_one_off(case))[count])


CODE = ["finitedp.impl.histograms.stability.StabilityHistogram", "finitedp.spec.stability.stability_histogram"]


@algorithm(
    "BV.Alg5.4",
    "StabilityHistogram releases the noisy counts above b of the labels that occur, sorted by label.",
    over="every dataset and threshold; GeoSample, and two values as noise of six labels; the law of the running code by the"
    " explorer against the definition",
    code=CODE,
    grid=LAWS,
    subject=StabilityHistogram,
    twins={
        ">= b": subjects.KeepsTies,
        "no threshold": subjects.NoThreshold,
        "sorted by true count": subjects.HeaviestFirst,
        "no threshold from the fifth label on": NoThresholdFromTheFifth,
    },
)
def stability_law(make: Stability, case: Case) -> Finding:
    def defined(dataset: Labels) -> Pmf[Bins]:
        return spec.stability_histogram(dataset, _law_of(case), case.b)

    return same_laws(subjects.joint_law(_made(make, case)), defined, case.datasets, "".join)


@theorem(
    "BV.Thm5.5.i",
    """StabilityHistogram over an (epsilon/2, 0)-differentially private mechanism is (epsilon, delta)-differentially private
    for delta = Pr[M(1, U) > b]; with GeoSample even at the ratio (1 + 2^-k)^2 in place of e^epsilon.""",
    over="every neighbouring pair of multisets (replace-one) and threshold; GeoSample; joint laws of the running code",
    code=["finitedp.impl.histograms.stability.StabilityHistogram.claim", "finitedp.spec.stability.threshold_delta"],
    grid=CASES,
    subject=StabilityHistogram,
    twins={">= b": subjects.KeepsTies, "no threshold": subjects.NoThreshold},
)
def stability_privacy(make: Stability, case: Case) -> Iterator[Finding]:
    law, geo = subjects.joint_law(_made(make, case)), GeoSample(case.n, mpq(1, case.q))
    claimed = _made(StabilityHistogram, case)
    ratio, delta = (1 + mpq(1, 2**geo.k)) ** 2, spec.threshold_delta(_geo_law(case), case.b)
    yield equal(claimed.claim().delta, delta, "delta of the claim")
    for left, right in neighbouring_multisets(case.universe, case.n, "replace-one"):
        found = hockey_stick(law(left), law(right), ratio)
        yield at_most(found.delta, delta, f"delta from {''.join(left)} to {''.join(right)}")


ACCURACY = cases(
    Case,
    [*product((2,), (9,), (1,), (0, 2, 4)), (1, 14, 1, 5)],
    [*product((2,), (14,), (1,), (1, 3, 6)), *product((1,), (40,), (2,), (0, 5, 11)), (3, 7, 1, 1)],
)
Make = Callable[[int, mpq], GeoSample]


def _unpadded(make: Make, case: Case) -> Callable[[Labels], Pmf[Bins]]:
    """Without the padding draws, which have no part in the output (BV.Alg5.4 checks that)."""
    return subjects.joint_law(StabilityHistogram(make(case.n, mpq(1, case.q)), case.b, padded=False))


@theorem(
    "BV.Thm5.5.ii",
    "StabilityHistogram has (a, beta)-per-query accuracy on counts larger than a + b, where (a, beta) is the mechanism's.",
    over="every dataset and label with a count above a + b; GeoSample; every beta; laws of the running code",
    code=["finitedp.impl.histograms.stability.StabilityHistogram"],
    grid=ACCURACY,
    subject=GeoSample,
    twins={"4/epsilon for 2/epsilon in k": GeoTwiceAsWide},
)
def stability_per_query(make: Make, case: Case) -> Finding:
    law, claimed = _unpadded(make, case), GeoSample(case.n, mpq(1, case.q))
    marginals = [
        (truth, law(dataset).pushforward(partial(subjects.released_count, label)))
        for dataset in multisets(case.universe, case.n)
        for label, truth in zip(case.universe, histogram(dataset, case.universe), strict=True)
    ]

    def miss(a: int) -> mpq:
        return max((miss_probability(found, truth, a) for truth, found in marginals if truth > a + case.b), default=mpq(0))

    # a count above a + b is at most n, so that only errors below n - b are stated of any
    return for_every_beta(lambda beta: claimed.accuracy(beta).a, miss, case.n - case.b, mpq(0))


@theorem(
    "BV.Thm5.5.iii",
    """StabilityHistogram has (a + b, beta')-simultaneous accuracy with beta' = 1 - (1 - beta)^n <= n beta, where (a, beta) is
    the mechanism's.""",
    over="every dataset; GeoSample; every beta, by the least one of each error; joint laws of the running code",
    code=["finitedp.impl.histograms.stability.StabilityHistogram"],
    grid=ACCURACY,
    subject=lambda beta, n: 1 - (1 - beta) ** n,
    twins={"beta for beta'": lambda beta, _n: beta},
)
def stability_simultaneous(together: Callable[[mpq, int], mpq], case: Case) -> Iterator[Finding]:
    law = _unpadded(GeoSample, case)
    for_one = worst_miss_of(running_law(GeoSample(case.n, mpq(1, case.q))), case.n)
    errors = [
        law(dataset).pushforward(partial(_largest_error, {x: dataset.count(x) for x in case.universe}))
        for dataset in multisets(case.universe, case.n)
    ]
    for a in range(case.n - case.b):
        beta = for_one(a)
        miss = max(miss_probability(found, 0, a + case.b) for found in errors)
        yield at_most(miss, together(beta, case.n), f"simultaneous miss, a + b = {a + case.b}:")
        yield equal(1 - (1 - beta) ** case.n <= beta * case.n, True, "1 - (1 - beta)^n <= n beta")


def _largest_error(truths: Mapping[str, int], bins: Bins) -> int:
    released = dict(bins)
    return max(abs(released.get(x, 0) - truth) for x, truth in truths.items())


@theorem(
    "BV.Thm5.5.iv",
    "StabilityHistogram takes at most n draws; padded, exactly n, and the same comparisons for every dataset.",
    over="every dataset, threshold and path; GeoSample",
    code=["finitedp.impl.histograms.stability.StabilityHistogram.cost"],
    grid=CASES,
    subject=StabilityHistogram,
    twins={"a draw for each label that occurs only": lambda m, b: StabilityHistogram(m, b, padded=False)},
)
def stability_cost(make: Stability, case: Case) -> Finding:
    mechanism = _made(make, case)
    found = frozenset().union(*(subjects.exploration(mechanism, d).shapes for d in multisets(case.universe, case.n)))
    cost = _made(StabilityHistogram, case).cost()
    expected = frozenset({((mechanism.mechanism.d,) * cost.draws, cost.steps + 2 * cost.draws)})
    return all_of([equal(cost.draws, case.n, "draws"), equal(found, expected, "the same on every path")])
