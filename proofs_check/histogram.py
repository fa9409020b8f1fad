"""Section 5.1 of Balcer and Vadhan: BasicHistogram."""

from collections.abc import Callable, Iterable
from functools import lru_cache
from itertools import product
from typing import NamedTuple, Protocol

from gmpy2 import mpq

from finitedp.claim import Accuracy
from finitedp.exact import RationalLike, ceil_log
from finitedp.impl.counting import CountingMechanism, FastSample, GeoSample
from finitedp.impl.histogram import BasicHistogram, basic_histogram_accuracy, basic_histogram_with_fast_sample
from finitedp.proofs_check import twins
from finitedp.proofs_check.explorer import Exploration, explore
from finitedp.proofs_check.findings import all_of, at_most, equal, of_privacy, same_law
from finitedp.proofs_check.grids import Dataset, datasets_full, datasets_quick
from finitedp.proofs_check.ledger import Finding, entry
from finitedp.proofs_check.running import running_law
from finitedp.proofs_check.symmetry import check_privacy_by_representatives, relabel_partial_vector
from finitedp.proofs_check.verdict import check_privacy
from finitedp.spec import counting as spec_counting
from finitedp.spec import histogram as spec
from finitedp.spec.accuracy import miss_probability, simultaneous_miss
from finitedp.spec.divergence import max_ratio, product_max_ratio
from finitedp.spec.neighbours import multisets, neighbouring_pairs
from finitedp.spec.pmf import Pmf

DATASETS = (datasets_quick, datasets_full)
Labels = tuple[str, ...]
Bins = tuple[tuple[str, int], ...]


class Histogram(Protocol):
    """Makes BasicHistogram or a broken copy of it."""

    def __call__(self, mechanism: CountingMechanism, labels: Labels) -> BasicHistogram[str]:
        """The histogram over fixed labels."""
        ...


@lru_cache(maxsize=4096)
def exploration(mechanism: BasicHistogram[str], dataset: Labels) -> Exploration[Bins]:
    """What the explorer finds for one dataset."""
    return explore(lambda coins: mechanism.release(dataset, coins))


def joint_law(mechanism: BasicHistogram[str]) -> Callable[[Labels], Pmf[Bins]]:
    """The exact joint law of the running code, by dataset."""
    return lambda dataset: exploration(mechanism, dataset).law()


def _with_geo(make: Histogram, case: Dataset) -> BasicHistogram[str]:
    return make(GeoSample(case.n, mpq(1, case.q)), case.universe)


CODE = ["finitedp.impl.histogram.BasicHistogram", "finitedp.spec.histogram.basic_histogram"]


@entry(
    "BV.Alg5.1",
    "algorithm",
    "BasicHistogram releases, for each label x of A, the pair (x, M(c_x(D), u_x)) with independent uniform u_x.",
    over="every dataset; GeoSample; the joint law of the running code by the explorer against the product of the definitions",
    code=CODE,
    grid=DATASETS,
    subject=BasicHistogram,
    twins={
        "shared noise": twins.SharedNoise,
        "heaviest bin first": twins.HeaviestFirst,
        "labels of the data only": twins.OnlyPresentLabels,
        "last label counted twice": twins.CountedTwice,
    },
)
def basic_histogram_law(make: Histogram, case: Dataset) -> Finding:
    law, epsilon = joint_law(_with_geo(make, case)), mpq(1, case.q)

    def bin_law(count: int) -> Pmf[int]:
        return spec_counting.geo_sample(case.n, epsilon, count)

    findings = []
    for dataset in multisets(case.universe, case.n):
        findings.append(same_law(law(dataset), spec.basic_histogram(dataset, case.universe, bin_law), f"{''.join(dataset)}"))
    return all_of(findings)


@entry(
    "BV.Thm5.2.i",
    "theorem",
    """BasicHistogram over an (epsilon/2, 0)-differentially private mechanism is (epsilon, 0)-differentially private; with
    GeoSample its worst ratio is at most (1 + 2^-k)^2.""",
    over="every neighbouring pair of ordered datasets (replace-one); GeoSample; joint laws of the running code",
    code=[*CODE, "finitedp.spec.neighbours.neighbouring_pairs"],
    grid=DATASETS,
    subject=BasicHistogram,
    twins={
        "shared noise": twins.SharedNoise,
        "heaviest bin first": twins.HeaviestFirst,
        "labels of the data only": twins.OnlyPresentLabels,
        "last label counted twice": twins.CountedTwice,
    },
)
def basic_histogram_privacy(make: Histogram, case: Dataset) -> Finding:
    claim = _with_geo(BasicHistogram, case).claim()
    pairs = neighbouring_pairs(case.universe, case.n, "replace-one")
    return of_privacy(check_privacy(joint_law(_with_geo(make, case)), pairs, claim), claim)


def _factored(case: Dataset, left: Labels, right: Labels) -> mpq:
    law = running_law(GeoSample(case.n, mpq(1, case.q)))
    bins = zip(spec.histogram(left, case.universe), spec.histogram(right, case.universe), strict=True)
    return product_max_ratio([(law(a), law(b)) for a, b in bins]).value


def _largest_factor(case: Dataset, left: Labels, right: Labels) -> mpq:
    law = running_law(GeoSample(case.n, mpq(1, case.q)))
    bins = zip(spec.histogram(left, case.universe), spec.histogram(right, case.universe), strict=True)
    return max(max_ratio(law(a), law(b)).value for a, b in bins)


@entry(
    "FD.Factored",
    "own",
    "The worst ratio of two joint laws of independent bins is the product of the bins' worst ratios.",
    over="every neighbouring pair of multisets; GeoSample; the joint law of the running code against its factors",
    code=["finitedp.spec.divergence.product_max_ratio"],
    grid=DATASETS,
    subject=_factored,
    twins={"the largest factor": _largest_factor},
)
def factored_ratio(ratio: Callable[[Dataset, Labels, Labels], mpq], case: Dataset) -> Finding:
    law = joint_law(_with_geo(BasicHistogram, case))
    pairs = {(tuple(sorted(d)), tuple(sorted(e))) for d, e in neighbouring_pairs(case.universe, case.n, "replace-one")}
    return all_of([equal(ratio(case, d, e), max_ratio(law(d), law(e)).value, f"{d} and {e}") for d, e in sorted(pairs)])


def _relabelled(output: Bins, renaming: dict[str, str]) -> Bins:
    return relabel_partial_vector(output, renaming)


@entry(
    "FD.Representatives",
    "own",
    """For a mechanism that ignores the order of rows and treats labels alike, one neighbouring pair for each symmetry class has
    the same worst ratio as all pairs; a mechanism that lacks a symmetry is refused.""",
    over="every dataset; GeoSample; both symmetries checked on the law",
    code=["finitedp.spec.neighbours.representative_pairs", "finitedp.proofs_check.symmetry.check_privacy_by_representatives"],
    grid=DATASETS,
    subject=BasicHistogram,
    twins={"last label counted twice": twins.CountedTwice},
)
def representatives(make: Histogram, case: Dataset) -> Finding:
    mechanism = _with_geo(make, case)
    law, claim = joint_law(mechanism), _with_geo(BasicHistogram, case).claim()
    every = check_privacy(law, neighbouring_pairs(case.universe, case.n, "replace-one"), claim)
    try:
        few = check_privacy_by_representatives(law, case.universe, case.n, claim, _relabelled)
    except ValueError as refused:
        return Finding(False, mpq(1), str(refused))
    same = equal((few.holds, few.worst.value), (every.holds, every.worst.value), "verdict and worst ratio")
    return all_of([same, Finding(few.pairs <= every.pairs, mpq(few.pairs, every.pairs), f"{few.pairs} of {every.pairs} pairs")])


# Accuracy and cost for any M

Make = Callable[[int, RationalLike], GeoSample]
BETAS = (mpq(1, 2), mpq(1, 10), mpq(1, 1000))


def _accuracy_quick() -> list[Dataset]:
    """Shapes on which the claimed error is below n, so that the claim says something."""
    return [Dataset(1, 12, 1), Dataset(2, 8, 1), Dataset(2, 12, 1), Dataset(3, 6, 1)]


def _accuracy_full() -> list[Dataset]:
    return [Dataset(1, 40, 1), Dataset(1, 40, 3), Dataset(2, 24, 1), Dataset(2, 24, 2), Dataset(3, 8, 1), Dataset(3, 8, 2)]


ACCURACY = (_accuracy_quick, _accuracy_full)


def _wide(n: int, epsilon: RationalLike) -> GeoSample:
    return twins.GeoTooWide(n, epsilon)


def _counts(size: int, n: int) -> Iterable[tuple[int, ...]]:
    return (c for c in product(range(n + 1), repeat=size) if sum(c) == n)


@entry(
    "BV.Thm5.2.ii",
    "theorem",
    "BasicHistogram over a mechanism with (a, beta)-accuracy has (a, beta)-per-query accuracy.",
    over="every dataset and label; GeoSample; beta = 1/2, 1/10, 1/1000; marginals of the joint law of the running code",
    code=["finitedp.impl.histogram.BasicHistogram.accuracy"],
    grid=ACCURACY,
    subject=GeoSample,
    twins={"noise four times too wide": _wide},
)
def per_query_accuracy(make: Make, case: Dataset) -> Finding:
    running = joint_law(BasicHistogram(make(case.n, mpq(1, case.q)), case.universe))
    claimed = _with_geo(BasicHistogram, case)
    findings = []
    for dataset in multisets(case.universe, case.n):
        law = running(dataset)
        for i, truth in enumerate(spec.histogram(dataset, case.universe)):
            marginal = law.pushforward(lambda bins, i=i: bins[i][1])  # type: ignore[misc]
            for beta in BETAS:
                a = claimed.accuracy(beta)[0].a
                findings.append(at_most(miss_probability(marginal, truth, a), beta, f"miss at count {truth}, a={a}:"))
    return all_of(findings)


@entry(
    "BV.Thm5.2.iii",
    "theorem",
    """BasicHistogram over a mechanism with (a, beta)-accuracy has (a, beta')-simultaneous accuracy with beta' = 1 -
    (1 - beta)^|A| <= beta |A|.""",
    over="every dataset; GeoSample; beta = 1/2, 1/10, 1/1000; the joint law of the running code, and its product form",
    code=["finitedp.impl.histogram.BasicHistogram.accuracy", "finitedp.spec.accuracy.simultaneous_miss"],
    grid=ACCURACY,
    subject=GeoSample,
    twins={"noise four times too wide": _wide},
)
def simultaneous_accuracy(make: Make, case: Dataset) -> Finding:
    mechanism = make(case.n, mpq(1, case.q))
    running, counting = joint_law(BasicHistogram(mechanism, case.universe)), running_law(mechanism)
    claimed, size = GeoSample(case.n, mpq(1, case.q)), case.size
    findings = []
    for dataset in multisets(case.universe, case.n):
        truths = spec.histogram(dataset, case.universe)
        for beta in BETAS:
            a = claimed.accuracy(beta).a
            miss = 1 - running(dataset).probability(lambda bins, a=a, truths=truths: _all_close(bins, truths, a))  # type: ignore[misc]
            together = 1 - (1 - beta) ** size
            factors = simultaneous_miss([(counting(c), c) for c in truths], a)
            findings.append(at_most(miss, together, f"simultaneous miss, a={a}:"))
            findings.append(at_most(together, beta * size, "1 - (1 - beta)^|A|"))
            findings.append(equal(miss, factors, "joint and product form"))
    return all_of(findings)


def _all_close(bins: Bins, truths: tuple[int, ...], a: int) -> bool:
    return all(abs(count - truth) <= a for (_, count), truth in zip(bins, truths, strict=True))


@entry(
    "BV.Thm5.2.iv",
    "theorem",
    "BasicHistogram takes |A| draws and |A| times the mechanism's comparisons, the same for every dataset and on every path.",
    over="every dataset and path; GeoSample",
    code=["finitedp.impl.histogram.BasicHistogram.cost"],
    grid=DATASETS,
    subject=BasicHistogram,
    twins={"labels of the data only": twins.OnlyPresentLabels, "shared noise": twins.SharedNoise},
)
def basic_histogram_cost(make: Histogram, case: Dataset) -> Finding:
    mechanism = _with_geo(make, case)
    found = frozenset().union(*(exploration(mechanism, d).shapes for d in multisets(case.universe, case.n)))
    cost = mechanism.cost()
    # each bin makes two comparisons more, which check its draw's range
    expected = frozenset({((mechanism.mechanism.d,) * cost.draws, cost.steps + 2 * cost.draws)})
    return all_of([equal(cost.draws, case.size, "draws"), equal(found, expected, "the same on every path")])


# Theorem 5.3: FastSample


class Release(NamedTuple):
    """|X|, n, epsilon = 1/q, beta_0 = 1/b."""

    size: int
    n: int
    q: int
    b: int


def _releases_quick() -> list[Release]:
    return [*(Release(*case) for case in product((1, 2, 3), (1, 2, 3), (1, 3), (2, 20))), Release(2, 40, 1, 20)]


def _releases_full() -> list[Release]:
    return [Release(*case) for case in product((1, 2, 3, 4), (1, 2, 3, 4, 6), (1, 2, 10), (1, 20, 1000))] + [Release(2, 80, 1, 100), Release(2, 80, 2, 20)]


def _as_stated(labels: Labels, n: int, epsilon: mpq, beta_0: mpq) -> BasicHistogram[str]:
    return basic_histogram_with_fast_sample(labels, n, epsilon, beta_0)


def _broken(counting: Callable[[int, mpq, mpq], FastSample]) -> Callable[[Labels, int, mpq, mpq], BasicHistogram[str]]:
    def make(labels: Labels, n: int, epsilon: mpq, beta_0: mpq) -> BasicHistogram[str]:
        return BasicHistogram(counting(n, epsilon, beta_0 / (2 * len(labels))), labels)

    return make


def _narrow_fast(n: int, epsilon: mpq, gamma: mpq) -> FastSample:
    return twins.FastTooNarrow(n, epsilon, gamma)


def _wide_fast(n: int, epsilon: mpq, gamma: mpq) -> FastSample:
    return twins.FastTooWide(n, epsilon, gamma)


MakeRelease = Callable[[Labels, int, mpq, mpq], BasicHistogram[str]]
RELEASES = (_releases_quick, _releases_full)


def _made(make: MakeRelease, case: Release) -> BasicHistogram[str]:
    return make(tuple("abcdefgh"[: case.size]), case.n, mpq(1, case.q), mpq(1, case.b))


@entry(
    "BV.Thm5.3.i",
    "theorem",
    "BasicHistogram over X with FastSample at gamma = beta_0 / (2|X|) is (epsilon, 0)-differentially private.",
    over="every pair of neighbouring datasets, by the ratios of the two bins that change (see FD.Factored)",
    code=["finitedp.impl.histogram.basic_histogram_with_fast_sample"],
    grid=RELEASES,
    subject=_as_stated,
    twins={"k one too small": _broken(_narrow_fast)},
)
def fast_histogram_privacy(make: MakeRelease, case: Release) -> Finding:
    mechanism = _made(make, case)
    law = running_law(mechanism.mechanism)
    claim = _made(_as_stated, case).claim()
    findings = [Finding(True, mpq(0), "one label has no neighbours")]
    for x, y in product(range(1, case.n + 1), range(case.n)):
        if case.size > 1 and x + y <= case.n:  # a row moves from a bin with x rows to a bin with y rows
            worst = product_max_ratio([(law(x), law(x - 1)), (law(y), law(y + 1))])
            detail = f"counts {x},{y} to {x - 1},{y + 1}"
            exceeds = worst.exceeds_exp(claim.epsilon) or (claim.ratio is not None and worst.exceeds_ratio(claim.ratio))
            findings.append(Finding(not exceeds, mpq(2) if worst.infinite else worst.value / (claim.ratio or 1), detail))
    return all_of(findings)


def _misses(make: MakeRelease, case: Release, kind: str) -> Finding:
    mechanism = _made(make, case)
    law = running_law(mechanism.mechanism)
    findings = [Finding(True, mpq(0), "no admissible beta")]
    least = mpq(1, case.b) if kind == "simultaneous" else mpq(1, case.b * case.size)
    for beta in {least, *(b for b in (mpq(1, 20), mpq(1, 2), mpq(1)) if b >= least)}:
        per_query, simultaneous = basic_histogram_accuracy(case.size, mpq(1, case.q), beta)
        claimed: Accuracy = simultaneous if kind == "simultaneous" else per_query
        for truths in _counts(case.size, case.n):
            bins = [(law(c), c) for c in truths]
            miss = [miss_probability(p, c, claimed.a) for p, c in bins]
            worst = simultaneous_miss(bins, claimed.a) if kind == "simultaneous" else max(miss)
            findings.append(at_most(worst, beta, f"miss at counts {truths}, a={claimed.a}:"))
    return all_of(findings)


@entry(
    "BV.Thm5.3.ii",
    "theorem",
    "It has (a, beta)-per-query accuracy for a = ceil(9/(2 epsilon) ln(2/beta)) and every beta >= 2 gamma.",
    over="every dataset and label; beta = 2 gamma, 1/20, 1/2, 1 where admissible",
    code=["finitedp.impl.histogram.basic_histogram_accuracy"],
    grid=RELEASES,
    subject=_as_stated,
    twins={"noise four times too wide": _broken(_wide_fast)},
)
def fast_histogram_per_query(make: MakeRelease, case: Release) -> Finding:
    return _misses(make, case, "per-query")


@entry(
    "BV.Thm5.3.iii",
    "theorem",
    "It has (a, beta)-simultaneous accuracy for a = ceil(9/(2 epsilon) ln(2|X|/beta)) and every beta >= beta_0.",
    over="every dataset; beta = beta_0, 1/20, 1/2, 1 where admissible; the product of the bins' exact probabilities",
    code=["finitedp.impl.histogram.basic_histogram_accuracy"],
    grid=RELEASES,
    subject=_as_stated,
    twins={"noise four times too wide": _broken(_wide_fast)},
)
def fast_histogram_simultaneous(make: MakeRelease, case: Release) -> Finding:
    return _misses(make, case, "simultaneous")


@entry(
    "BV.Thm5.3.iv",
    "theorem",
    """It takes |X| draws and |X| ceil(log2(n+1)) comparisons of integers of at most (k+1)(t+2) + log2((n+1)/gamma) + 3 bits, the
    same for every dataset.""",
    over="every count and path of one bin, |X| bins",
    code=["finitedp.impl.histogram.BasicHistogram.cost"],
    grid=RELEASES,
    subject=_as_stated,
    twins={"a search that exits early": _broken(lambda n, epsilon, gamma: twins.FastEarlyExit(n, epsilon, gamma))},
)
def fast_histogram_cost(make: MakeRelease, case: Release) -> Finding:
    from finitedp.proofs_check.running import exploration as bin_exploration  # noqa: PLC0415  # same name as above

    mechanism = _made(make, case)
    counting = mechanism.mechanism
    assert isinstance(counting, FastSample)  # noqa: S101  # narrows the type
    shapes = frozenset().union(*(bin_exploration(counting, c).shapes for c in range(case.n + 1)))
    cost = mechanism.cost()
    expected = frozenset({((counting.d,), cost.steps // case.size + 2)})
    bits = (counting.k + 1) * (counting.t + 2) + int((case.n + 1) / counting.gamma).bit_length() + 3
    return all_of(
        [
            equal(shapes, expected, "the same on every path of a bin"),
            equal((cost.draws, cost.steps), (case.size, case.size * int(case.n).bit_length()), "draws and steps"),
            at_most(int(counting.d).bit_length(), bits, "bits of d:"),
        ]
    )


# Figure 3


class Column(NamedTuple):
    """A line of Figure 3: the mechanism, |X|, n, epsilon = 1/q and beta."""

    mechanism: str
    size: int
    n: int
    q: int
    beta: mpq


def _columns_quick() -> list[Column]:
    betas = (mpq(1, 2), mpq(1, 20))
    return [Column(*case) for case in product(("geo-sample", "fast-sample"), (1, 3), (3, 6), (1, 3), betas)]


def _columns_full() -> list[Column]:
    betas = (mpq(1, 2), mpq(1, 20), mpq(1, 10**4))
    return [Column(*case) for case in product(("geo-sample", "fast-sample"), (1, 2, 3), (4, 12, 24), (1, 2, 10), betas)]


@entry(
    "BV.Fig3",
    "figure",
    """Errors of BasicHistogram: ceil(9/(2 epsilon) ln(1/beta)) per query and ceil(9/(2 epsilon) ln(|X|/beta)) simultaneously with
    GeoSample; with FastSample the same with 2/beta (beta_0 = beta). The line of the geometric mechanism is Theorem 4.6 ii.""",
    over="every count; the accuracy columns; the union of bins by its product form",
    code=["finitedp.impl.histogram.BasicHistogram", "finitedp.exact.ceil_log"],
    grid=(_columns_quick, _columns_full),
    subject=ceil_log,
    twins={"a sixth of a": lambda scale, argument: ceil_log(scale, argument) // 6},
)
def figure_three(ceiling: Callable[[mpq, mpq], int], case: Column) -> Finding:
    extra, epsilon = (2 if case.mechanism == "fast-sample" else 1), mpq(1, case.q)
    mechanism: CountingMechanism = GeoSample(case.n, epsilon)
    if case.mechanism == "fast-sample":
        mechanism = FastSample(case.n, epsilon, mpq(1, -(-2 * case.size // case.beta)))
    law, scale = running_law(mechanism), mpq(9 * case.q, 2)
    single, every = ceiling(scale, extra / case.beta), ceiling(scale, extra * case.size / case.beta)
    worst = max(miss_probability(law(c), c, single) for c in range(case.n + 1))
    truths = max(_counts(case.size, case.n), key=lambda cs: simultaneous_miss([(law(c), c) for c in cs], every))
    together = simultaneous_miss([(law(c), c) for c in truths], every)
    return all_of(
        [at_most(worst, case.beta, f"per-query miss, a={single}:"), at_most(together, case.beta, f"simultaneous miss, a={every}:")]
    )


