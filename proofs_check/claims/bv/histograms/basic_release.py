"""Theorem 5.3 and Figure 3 of Balcer and Vadhan: BasicHistogram with FastSample, which is what is released."""

from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from itertools import product
from typing import NamedTuple

from gmpy2 import mpq

from finitedp.claim import Accuracy, AccuracyKind, PrivacyClaim
from finitedp.exact import ceil_log
from finitedp.impl.counting.geometric import CountingMechanism, FastSample, GeoSample
from finitedp.impl.histograms.basic import BasicHistogram, basic_histogram_accuracy, basic_histogram_with_fast_sample
from finitedp.impl.randomness.coins import Coins
from finitedp.proofs_check.checks.worst_case import miss_over_bins
from finitedp.proofs_check.claims.bv.counting import twins
from finitedp.proofs_check.claims.bv.counting.subjects import is_ceiling, running_law, worst_miss_of
from finitedp.proofs_check.claims.bv.histograms.subjects import exploration, joint_law, row_moves
from finitedp.proofs_check.deciders.verdict import check_privacy
from finitedp.proofs_check.ledger.entry import Finding, but, cases, entry
from finitedp.proofs_check.ledger.every_beta import for_every_beta
from finitedp.proofs_check.ledger.findings import all_of, at_most, equal, figure, of_privacy, theorem
from finitedp.proofs_check.ledger.grids import letters
from finitedp.spec import counting as spec_counting
from finitedp.spec.accuracy import miss_probability
from finitedp.spec.divergence import product_max_ratio
from finitedp.spec.neighbours import multisets, neighbouring_multisets
from finitedp.spec.pmf import Pmf

Labels = tuple[str, ...]
BASIC = "finitedp.impl.histograms.basic"


class Release(NamedTuple):
    """|X|, n, epsilon = 1/q, beta_0 = 1/b."""

    size: int
    n: int
    q: int
    b: int


MakeRelease = Callable[[Labels, int, mpq, mpq], BasicHistogram[str]]
_as_stated: MakeRelease = basic_histogram_with_fast_sample


def _broken(counting: type[FastSample]) -> MakeRelease:
    return lambda labels, n, epsilon, beta_0: BasicHistogram(counting(n, epsilon, beta_0 / (2 * len(labels))), labels)


RELEASES = cases(
    Release,
    product((2, 3), (1, 2, 3), (1, 3), (2, 20)),
    [*product((2, 3), (1, 2, 3, 4, 6), (1, 2, 10), (1, 20, 1000)), (4, 3, 1, 20), (2, 40, 1, 20)],
)

FEW = 8


def _made(make: MakeRelease, case: Release) -> BasicHistogram[str]:
    return make(letters(case.size), case.n, mpq(1, case.q), mpq(1, case.b))


def _last_bin_as_it_is(self: BasicHistogram[str], counts: Mapping[str, int], coins: Coins) -> tuple[tuple[str, int], ...]:
    """Broken: the last of two or more bins is released with its true count."""
    *bins, (label, noisy) = BasicHistogram.release_counts(self, counts, coins)
    return (*bins, (label, counts.get(label, 0) if bins else noisy))


def _last_as_it_is(labels: Labels, n: int, epsilon: mpq, beta_0: mpq) -> BasicHistogram[str]:
    right = _as_stated(labels, n, epsilon, beta_0)
    return but(BasicHistogram, release_counts=_last_bin_as_it_is)(right.mechanism, right.labels)


@theorem(
    "BV.Thm5.3.i",
    "BasicHistogram over X with FastSample at gamma = beta_0 / (2|X|) is (epsilon, 0)-differentially private.",
    over="every neighbouring pair of multisets (replace-one); joint laws of the running code",
    code=["finitedp.impl.histograms.basic.basic_histogram_with_fast_sample"],
    grid=RELEASES,
    subject=_as_stated,
    twins={"k one too small": _broken(twins.FastTooNarrow), "the last bin without noise": _last_as_it_is},
)
def fast_histogram_privacy(make: MakeRelease, case: Release) -> Finding:
    claim = PrivacyClaim(mpq(1, case.q), "replace-one", ratio=_ratio(case), source="BV.Thm5.2.i")
    pairs = neighbouring_multisets(letters(case.size), case.n, "replace-one")
    found = of_privacy(check_privacy(joint_law(_made(make, case)), pairs, claim), claim)
    return all_of([found, equal(_made(_as_stated, case).claim(), claim, "stated claim")])


def _ratio(case: Release) -> mpq:
    return 1 / spec_counting.sample_decay(mpq(1, case.q)) ** 2


def _one_of_many(make: MakeRelease, case: Release) -> FastSample:
    """FastSample at gamma = beta_0 / (2|X|), from the histogram where that many labels can be listed."""
    if case.size <= FEW:
        counting = _made(make, case).mechanism
    else:
        counting = make(("a",), case.n, mpq(1, case.q), mpq(1, case.b * case.size)).mechanism
    assert isinstance(counting, FastSample)  # noqa: S101  # narrows the type
    return counting


@theorem(
    "BV.Thm5.3.i.large",
    "The same at sizes where no joint law is explored.",
    over="every pair of neighbouring datasets, by the ratios of the two bins that change; laws of the running FastSample",
    code=["finitedp.impl.histograms.basic.basic_histogram_with_fast_sample"],
    grid=cases(
        Release,
        [(3, 36, 1, 20), (2**20, 40, 1, 20)],
        [(2, 80, 1, 100), (2, 80, 2, 20), (2**64, 60, 3, 1000)],
    ),
    subject=_as_stated,
    twins={"k one too small": _broken(twins.FastTooNarrow)},
    derived_from=("BV.Alg5.1", "FD.Factored"),
    by="multiplying the ratios of the bins, which are independent",
)
def fast_histogram_privacy_by_factors(make: MakeRelease, case: Release) -> Iterator[Finding]:
    law, ratio, epsilon = running_law(_one_of_many(make, case)), _ratio(case), mpq(1, case.q)
    named = FastSample(case.n, epsilon, mpq(1, 2 * case.b * case.size))
    yield equal(_one_of_many(_as_stated, case), named, "stated mechanism")
    for x, y in row_moves(case.n, case.size):
        worst = product_max_ratio([(law(x), law(x - 1)), (law(y), law(y + 1))])
        exceeds = worst.exceeds_exp(epsilon) or worst.exceeds_ratio(ratio)
        load = mpq(2) if worst.infinite else worst.value / ratio
        yield Finding(not exceeds, load, f"counts {x},{y} to {x - 1},{y + 1}")


class Bars(NamedTuple):
    """|X|, epsilon = 1/q and beta = beta_0 = 1/b: n is chosen so that the error bar is below n/2."""

    size: int
    q: int
    b: int

    @property
    def beta(self) -> mpq:
        """1/b."""
        return mpq(1, self.b)


def _accurate(make: MakeRelease, case: Bars, kind: AccuracyKind, labels: int, source: str) -> Finding:
    """Finds the error of one bin, or of all, to be at most a = ceil(9/(2 epsilon) ln(2 labels/beta)), at n = 2a + 2.

    The counting mechanism is the one that Theorem 5.3 names, and a, as stated, is decided by comparisons with e^x alone.
    """

    def stated(beta: mpq) -> Accuracy:
        found = basic_histogram_accuracy(case.size, mpq(1, case.q), beta)
        return found.per_query if kind == "per-query" else found.simultaneous

    accuracy = stated(case.beta)
    n, names = 2 * accuracy.a + 2, letters(case.size)
    law = running_law(make(names, n, mpq(1, case.q), case.beta).mechanism)
    alone = kind == "per-query"
    miss, least = (worst_miss_of(law, n), case.beta / case.size) if alone else (_together(law, n, case.size), case.beta)
    form = is_ceiling(accuracy.a, case.q, 2 * labels / case.beta)
    right = _as_stated(names, n, mpq(1, case.q), case.beta)
    named = FastSample(n, mpq(1, case.q), case.beta / (2 * case.size))
    return all_of(
        [
            for_every_beta(lambda beta: stated(beta).a, miss, n, least),
            equal((form, accuracy), (True, Accuracy(accuracy.a, case.beta, kind, source)), "stated accuracy"),
            equal((right.mechanism, right.labels), (named, names), "stated mechanism"),
        ]
    )


about_bars = partial(
    entry,
    code=[f"{BASIC}.basic_histogram_accuracy", f"{BASIC}.basic_histogram_with_fast_sample"],
    grid=cases(
        Bars,
        [(1, 1, 20), (3, 1, 20), (1, 2, 2)],
        [(5, 1, 20), (2, 2, 4), *product((1, 3), (1, 2), (2, 20)), (8, 1, 1000), (1, 5, 20), (9, 1, 8)],
    ),
    subject=_as_stated,
    twins={"8/epsilon for 2/epsilon in k": _broken(twins.FastTooWide)},
)


@about_bars(
    "BV.Thm5.3.ii",
    "theorem",
    "It has (a, beta)-per-query accuracy for a = ceil(9/(2 epsilon) ln(2/beta)) and every beta >= 2 gamma.",
    over="every count, n = 2a + 2; every beta >= 2 gamma; the law of the running code",
    derived_from=("BV.Alg5.1", "BV.Thm5.2.ii"),
    by="the law of the running FastSample, which each bin has",
)
def fast_histogram_per_query(make: MakeRelease, case: Bars) -> Finding:
    return _accurate(make, case, "per-query", 1, "BV.Thm5.3.ii")


@about_bars(
    "BV.Thm5.3.iii",
    "theorem",
    "It has (a, beta)-simultaneous accuracy for a = ceil(9/(2 epsilon) ln(2|X|/beta)) and every beta >= beta_0.",
    over="every dataset of n = 2a + 2 rows, by dynamic programming over the bins; every beta >= beta_0; running laws",
    derived_from=("BV.Alg5.1", "BV.Thm5.2.iii"),
    by="multiplying over independent bins, each with the law of the running FastSample",
)
def fast_histogram_simultaneous(make: MakeRelease, case: Bars) -> Finding:
    return _accurate(make, case, "simultaneous", case.size, "BV.Thm5.3.iii")


def _together(law: Callable[[int], Pmf[int]], n: int, size: int) -> Callable[[int], mpq]:
    """The largest probability, over all datasets, that some bin is off by more than a, rounded up a little (2^-256 a bin)."""

    def close(count: int, a: int) -> mpq:
        found = 1 - miss_probability(law(count), count, a)
        return mpq((found.numerator << 256) // found.denominator, 1 << 256)

    return cache(lambda a: miss_over_bins([close(c, a) for c in range(n + 1)], n, size))


@theorem(
    "BV.Thm5.3.iv",
    """It takes |X| draws and |X| ceil(log2(n+1)) comparisons of integers of at most (k+1)(t+2) + log2((n+1)/gamma) + 3 bits,
    the same for every dataset.""",
    over="every dataset and path",
    code=["finitedp.impl.histograms.basic.BasicHistogram.cost"],
    grid=RELEASES,
    subject=_as_stated,
    twins={"a search that exits early": _broken(twins.FastEarlyExit)},
)
def fast_histogram_cost(make: MakeRelease, case: Release) -> Iterator[Finding]:
    mechanism = _made(make, case)
    counting = mechanism.mechanism
    assert isinstance(counting, FastSample)  # noqa: S101  # narrows the type
    shapes = frozenset().union(*(exploration(mechanism, d).shapes for d in multisets(letters(case.size), case.n)))
    cost = mechanism.cost()
    expected = frozenset({((counting.d,) * case.size, cost.steps + 2 * case.size)})
    bits = (counting.k + 1) * (counting.t + 2) + int((case.n + 1) / counting.gamma).bit_length() + 3
    yield equal(shapes, expected, "the same on every path")
    yield equal((cost.draws, cost.steps), (case.size, case.size * int(case.n).bit_length()), "draws and steps")
    yield at_most(int(counting.d).bit_length(), bits, "bits of d:")


# Figure 3


class Column(NamedTuple):
    """A line of Figure 3: the mechanism, |X|, epsilon = 1/q and beta; n is chosen so that the error is below n/2."""

    mechanism: str
    size: int
    q: int
    beta: mpq


MECHANISMS = ("geo-sample", "fast-sample")


@figure(
    "BV.Fig3",
    """Errors of BasicHistogram: ceil(9/(2 epsilon) ln(1/beta)) per query and ceil(9/(2 epsilon) ln(|X|/beta)) simultaneously
    with GeoSample; with FastSample the same with 2/beta (beta_0 = beta). The line of the geometric mechanism is Theorem
    4.6 ii.""",
    over="every count, and every dataset by dynamic programming over the bins; n = 2a + 2; the columns of errors, every beta",
    code=["finitedp.impl.histograms.basic.BasicHistogram", "finitedp.exact.ceil_log"],
    grid=cases(
        Column,
        [(m, *case) for m in MECHANISMS for case in (*product((1, 3), (1,), (mpq(1, 2), mpq(1, 20))), (1, 2, mpq(1, 2)))],
        [
            *product(MECHANISMS, (1, 3), (1, 2), (mpq(1, 2), mpq(1, 20))),
            *product(MECHANISMS, (5,), (1,), (mpq(1, 3), mpq(1, 1000))),
            *product(MECHANISMS, (1,), (3,), (mpq(1, 3),)),
        ],
    ),
    subject=ceil_log,
    twins={"9/4 for 9/2": lambda scale, argument: ceil_log(scale / 2, argument)},
    derived_from=("BV.Alg5.1", "BV.Thm5.2.ii", "BV.Thm5.2.iii"),
    by="multiplying over independent bins, each with the law of the running counting mechanism",
)
def figure_three(ceiling: Callable[[mpq, mpq], int], case: Column) -> Finding:
    extra, epsilon, scale = (2 if case.mechanism == "fast-sample" else 1), mpq(1, case.q), mpq(9 * case.q, 2)
    n = 2 * ceil_log(scale, extra * case.size / case.beta) + 2
    mechanism: CountingMechanism = GeoSample(n, epsilon)
    if case.mechanism == "fast-sample":
        mechanism = FastSample(n, epsilon, mpq(1, -(-2 * case.size // case.beta)))
    law = running_law(mechanism)
    least = case.beta if case.mechanism == "fast-sample" else mpq(0)
    single = for_every_beta(lambda beta: ceiling(scale, extra / beta), worst_miss_of(law, n), n, least)
    together = _together(law, n, case.size)
    return all_of([single, for_every_beta(lambda beta: ceiling(scale, extra * case.size / beta), together, n, least)])
