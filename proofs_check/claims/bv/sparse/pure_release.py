"""Theorem 6.11 and Figure 5 of Balcer and Vadhan: PureSparseHistogram with GeoSample, which is what is released."""

from collections.abc import Callable, Iterator
from functools import partial
from itertools import permutations, product
from typing import Any, NamedTuple

from gmpy2 import mpq

from finitedp.claim import PrivacyClaim
from finitedp.exact import ceil_log
from finitedp.impl.counting.geometric import CountingMechanism, FastSample, GeoSample
from finitedp.impl.histograms.mixing import Mixed
from finitedp.impl.histograms.pure_sparse import (
    PureSparseHistogram,
    pure_sparse_accuracy,
    pure_sparse_histogram_with_fast_sample,
    pure_sparse_histogram_with_geo_sample,
    random_histogram,
)
from finitedp.impl.histograms.universe import Integers
from finitedp.proofs_check.claims.bv.counting import twins
from finitedp.proofs_check.claims.bv.counting.subjects import is_ceiling, running_law, worst_miss_of
from finitedp.proofs_check.claims.bv.sparse.parts import InParts, TrueCounts
from finitedp.proofs_check.deciders.verdict import check_privacy
from finitedp.proofs_check.engine.explorer import explore
from finitedp.proofs_check.ledger.entry import Finding, cases, entry, in_scope
from finitedp.proofs_check.ledger.every_beta import for_every_beta
from finitedp.proofs_check.ledger.findings import all_of, at_most, equal, of_privacy, theorem
from finitedp.spec import counting as spec_counting
from finitedp.spec import sparse as spec
from finitedp.spec.mixing import largest_distance


class Release(NamedTuple):
    """n rows over |X| labels, epsilon = 1/q, beta_0 = 1/b."""

    n: int
    size: int
    q: int
    b: int


RELEASES = cases(
    Release,
    [
        *((n, 2 * n + 1, q, 2) for n in (1, 2, 3, 5) for q in (1, 2, 3, 5, 9, 17)),
        *((100, 2**64, 10, 20), (500, 2**128, 1, 20)),
    ],
    [
        *((n, size, q, b) for n in (1, 2, 4, 30) for size in (2 * n + 1, 2**32) for q in range(1, 40) for b in (1, 9)),
        (1000, 2**64, 10, 20),
    ],
)
Distance = Callable[[int, int, mpq, mpq], mpq]


def _with_geo_sample(case: Release) -> PureSparseHistogram[int]:
    return pure_sparse_histogram_with_geo_sample(Integers(0, case.size - 1), case.n, mpq(1, case.q), mpq(1, case.b))


def _without_threes(size: int, n: int, epsilon: mpq, beta_1: mpq) -> mpq:
    """Broken: (1/|X|)^n for (1/(3|X|))^n."""
    distance: mpq = spec.sparse_distance(size, n, epsilon, beta_1) * 3**n
    return distance


def _in_parts(kind: type[InParts]) -> Callable[[Release], Mixed[Any, Any]]:
    """The instance with a broken SparseHistogram."""

    def make(case: Release) -> Mixed[Any, Any]:
        right = _with_geo_sample(case)
        base = kind(right.mechanism, case.size, right.sparse.top)
        return Mixed(base.release, partial(random_histogram, right.universe, case.n), right.beta_1)

    return make


@theorem(
    "BV.Thm6.11.i",
    """PureSparseHistogram with GeoSample and beta_1 = beta_0/4 is (epsilon, 0)-differentially private, with a worst ratio of
    at most (1 + 2^-k)^2. (|X| >= 2n + 1.)""",
    over="n = 1, every neighbouring pair of datasets; worst ratio of the laws of the running code",
    code=["finitedp.impl.histograms.pure_sparse.pure_sparse_histogram_with_geo_sample"],
    grid=cases(
        Release,
        product((1,), (3,), (1, 2, 17), (1, 20)),
        [*product((1,), (5,), (1, 2, 17), (1, 20)), *product((1,), (4, 7), range(1, 40), (1, 9))],
    ),
    subject=_with_geo_sample,
    twins={
        "SparseHistogram alone": lambda case: _with_geo_sample(case).sparse,
        "true counts of the labels that occur": _in_parts(TrueCounts),
    },
)
def explored_privacy(make: Callable[[Release], Any], case: Release) -> Finding:
    mechanism, epsilon = make(case), mpq(1, case.q)
    ratio = 1 / spec_counting.sample_decay(epsilon) ** 2
    claim = PrivacyClaim(epsilon, "replace-one", ratio=ratio, source="BV.Thm6.10.i")
    laws = {(x,): explore(lambda coins, x=x: mechanism.release((x,), coins)).law() for x in range(case.size)}  # type: ignore[misc]
    found = of_privacy(check_privacy(laws.__getitem__, list(permutations(laws, 2)), claim), claim)
    return all_of([found, equal(_with_geo_sample(case).claim(), claim, "stated claim")])


@theorem(
    "BV.Thm6.11.i.large",
    """The same at sizes where no law is explored: at these parameters (3.1) allows the distance (epsilon/3) beta_1
    (1/(3|X|))^n for the ratio (1 + 2^-k)^2.""",
    over="small and real parameters; (3.1) as an inequality of rationals",
    code=["finitedp.impl.histograms.pure_sparse.pure_sparse_histogram_with_geo_sample"],
    grid=RELEASES,
    subject=spec.sparse_distance,
    twins={"(1/|X|)^n": _without_threes},
    derived_from=("BV.Thm6.8.i", "BV.Prop6.5", "BV.Thm6.2.i", "BV.Lem3.2.i", "BV.Thm6.10.i"),
    by="inequality (3.1), the distance of SparseHistogram from KeepHeavy, and the privacy of KeepHeavy",
)
def release_privacy(distance: Distance, case: Release) -> Iterator[Finding]:
    mechanism, epsilon, beta_1 = _with_geo_sample(case), mpq(1, case.q), mpq(1, 4 * case.b)
    ratio = 1 / spec_counting.sample_decay(epsilon) ** 2
    allowed = largest_distance(ratio, beta_1, spec.least_random(case.size, case.n))
    stated = PrivacyClaim(epsilon, "replace-one", ratio=ratio, source="BV.Thm6.10.i")
    named = GeoSample(case.n, epsilon), beta_1, epsilon
    yield at_most(distance(case.size, case.n, epsilon, beta_1), allowed, "distance")
    yield at_most(mechanism.sparse.distance, spec.sparse_distance(case.size, case.n, epsilon, beta_1), "SparseHistogram's")
    yield equal(mechanism.claim(), stated, "stated claim")
    yield equal((mechanism.mechanism, mechanism.beta_1, mechanism.epsilon), named, "stated mechanism")


class Line(NamedTuple):
    """A line of Figure 5: GeoSample or FastSample, at a release and a beta."""

    fast: bool
    n: int
    size: int
    q: int
    beta: mpq


GEO = (False, 65, 131, 1, mpq(1, 2))  # about the least n for which these bounds say anything
FAST = (True, 76, 153, 1, mpq(1, 2))
MORE = [
    (84, 169, 1, mpq(1, 2)),
    (84, 200, 1, mpq(1, 3)),
    (150, 301, 1, mpq(1, 20)),
    (160, 321, 2, mpq(1, 2)),
    (200, 2**20, 1, mpq(1, 10)),
]
LINES = cases(Line, [GEO], [(False, *line) for line in MORE])
Bounds = Callable[[Line, mpq], tuple[int, int, int]]
"""a, t and the simultaneous error at a beta."""


class Stated(NamedTuple):
    """The counting mechanism, and the bounds that are stated with it."""

    mechanism: Callable[[Line], CountingMechanism]
    bounds: Bounds


def _named(case: Line) -> CountingMechanism:
    """The mechanism that the theorem or figure names, with beta_0 = beta."""
    epsilon = mpq(1, case.q)
    return FastSample(case.n, epsilon, case.beta / (8 * case.size)) if case.fast else GeoSample(case.n, epsilon)


def _wide(case: Line) -> CountingMechanism:
    """Broken: k is two too large."""
    if case.fast:
        return twins.FastTooWide(case.n, mpq(1, case.q), case.beta / (8 * case.size))
    return twins.GeoTooWide(case.n, mpq(1, case.q))


def _bounds(case: Line, beta: mpq) -> tuple[int, int, int]:
    single, above, every = pure_sparse_accuracy(case.size, mpq(1, case.q), beta, fast=case.fast)
    return single.a, above, every.a


def _half_of_nine(case: Line, beta: mpq) -> tuple[int, int, int]:
    """Broken: 9/(4 epsilon) for 9/(2 epsilon)."""
    scale, argument = mpq(9 * case.q, 4), (8 if case.fast else 4) / beta
    above, every = (ceil_log(scale, argument * labels) for labels in (case.size, mpq(case.size, 2)))
    return ceil_log(scale, argument), 2 * above, 2 * every


AS_STATED = Stated(_named, _bounds)
BROKEN = {"8/epsilon for 2/epsilon in k": Stated(_wide, _bounds), "9/4 for 9/2": Stated(_named, _half_of_nine)}


def _instance(case: Line) -> PureSparseHistogram[Any]:
    make = pure_sparse_histogram_with_fast_sample if case.fast else pure_sparse_histogram_with_geo_sample
    return make(Integers(0, case.size - 1), case.n, mpq(1, case.q), case.beta)


def _as_stated(case: Line) -> Finding:
    """The instance and the bounds of the code, decided from the theorem alone."""
    twice, sources = (2, ("BV.Fig5", "BV.Fig5")) if case.fast else (1, ("BV.Thm6.11.ii", "BV.Thm6.11.iii"))
    single, above, every = pure_sparse_accuracy(case.size, mpq(1, case.q), case.beta, fast=case.fast)
    in_scope(max(above, every.a) < case.n, "some count is larger, and the error below n")
    ceilings = (
        is_ceiling(single.a, case.q, 4 * twice / case.beta),
        is_ceiling(above // 2, case.q, 4 * twice * case.size / case.beta),
        is_ceiling(every.a // 2, case.q, 2 * twice * case.size / case.beta),
    )
    made = _instance(case)
    found = ceilings, above % 2, every.a % 2, single.beta, every.beta, (single.source, every.source), made.beta_1
    expected = (True, True, True), 0, 0, case.beta, case.beta, sources, case.beta / 4
    return all_of([equal(found, expected, "stated accuracy"), equal(made.mechanism, _named(case), "the mechanism")])


def _misses(stated: Stated, case: Line) -> Callable[[int], mpq]:
    return worst_miss_of(running_law(stated.mechanism(case)), case.n)


def per_query(stated: Stated, case: Line) -> Finding:
    """At every beta the noise errs by more than a with probability at most beta/4, and some count by more than t/2 too.

    By Lemma 6.3, a count above t is kept but for the latter; and 2 beta_1 <= beta/2.
    """
    miss = _misses(stated, case)
    error = for_every_beta(lambda beta: stated.bounds(case, beta)[0], lambda a: 4 * miss(a), case.n, case.beta)

    def lost(t: int) -> mpq:
        return 4 * case.size * miss(t // 2)

    above = "count from which on"
    dropped = for_every_beta(lambda beta: stated.bounds(case, beta)[1], lost, case.n, case.beta, what=above)
    return all_of([_as_stated(case), error, dropped])


def simultaneous(stated: Stated, case: Line) -> Finding:
    """2 beta_1 and BasicHistogram's simultaneous error at a/2 are at most beta together, for every beta."""
    miss = _misses(stated, case)
    every = for_every_beta(
        lambda beta: stated.bounds(case, beta)[2], lambda a: case.beta / 2 + case.size * miss(a // 2), case.n, case.beta
    )
    return all_of([_as_stated(case), every])


CODE = [
    "finitedp.impl.histograms.pure_sparse.pure_sparse_accuracy",
    "finitedp.impl.histograms.pure_sparse.pure_sparse_histogram_with_geo_sample",
]

about = partial(
    entry,
    over="every count, by exact probabilities of the running counting mechanism's errors; every beta >= beta_0; joined as in"
    " the proofs of BV.Thm6.2 and BV.Thm6.10",
    code=CODE,
    subject=AS_STATED,
    twins=BROKEN,
    derived_from=("BV.Thm6.2.ii", "BV.Thm6.2.iii", "BV.Lem6.3", "BV.Thm6.10.ii", "BV.Thm6.10.iii"),
    by="adding the probabilities of the running counting mechanism's errors, as in the proofs of BV.Thm6.2 and BV.Thm6.10",
)

about(
    "BV.Thm6.11.ii",
    "theorem",
    """It has (a, beta)-per-query accuracy on counts larger than t for a = ceil(9/(2 epsilon) ln(4/beta)), t = 2 ceil(9/(2
    epsilon) ln(4|X|/beta)) and every beta >= beta_0.""",
    grid=LINES,
)(per_query)
about(
    "BV.Thm6.11.iii",
    "theorem",
    "It has (a, beta)-simultaneous accuracy for a = 2 ceil(9/(2 epsilon) ln(2|X|/beta)) and every beta >= beta_0.",
    grid=LINES,
)(simultaneous)


@theorem(
    "BV.Thm6.11.iv",
    """It makes 5n + 2 draws, and n ceil(log2(n+1)) + (n + 1) ceil(log2 |X|) comparisons for noisy counts and labels plus at
    most 8(n + 1)(log2(n + 1) + 1) for order statistics; the random bits are at most 5n + 2 words of n log2(3|X|) +
    (k+1)(n+1) + log2(|X|/(beta_0 epsilon)) + 2 log2(n + 1) + 140 bits: quasi-linear in n^2 log^2 |X| + n^2 log(1/epsilon) +
    n log |X| log(1/(beta_0 epsilon)) with ApproxConvExp's log |X| steps (BV.Prop6.15.iv).""",
    over="small and real parameters; what cost() states (draws and bits as in the running code: BV.Thm6.10.iv)",
    code=["finitedp.impl.histograms.pure_sparse.PureSparseHistogram.cost"],
    grid=RELEASES,
    subject=lambda case: _with_geo_sample(case).cost().steps,
    twins={"linear scans": lambda case: case.n * case.n + case.n * case.size},  # of 0..n for a count, of X for an empty label
    derived_from=("BV.Thm6.10.iv",),
    by="the stated cost, whose draws and bits are those of the running code",
)
def release_cost(steps: Callable[[Release], int], case: Release) -> Iterator[Finding]:
    mechanism, n = _with_geo_sample(case), case.n
    counting, cost = mechanism.mechanism, mechanism.cost()
    assert isinstance(counting, GeoSample)  # noqa: S101  # narrows the type
    log = int(n + 1).bit_length()
    most = n * log + (n + 1) * (case.size - 1).bit_length() + 8 * (n + 1) * (log + 1) + 1
    word = n * (3 * case.size).bit_length() + (counting.k + 1) * (n + 1) + (4 * case.size * case.b * case.q).bit_length()
    yield equal(cost.draws, 5 * n + 2, "draws")
    yield at_most(steps(case), most, "comparisons")
    yield at_most(cost.bits, cost.draws * (word + 2 * log + 140), "bits")
    yield at_most(cost.otherwise, mpq(1, 2**256), "probability of more work")


def _every_column(stated: Stated, case: Line) -> Finding:
    return all_of([per_query(stated, case), simultaneous(stated, case)])


about(
    "BV.Fig5",
    "figure",
    """PureSparseHistogram with GeoSample: a = ceil(9/(2 epsilon) ln(4/beta)) per query above t = 2 ceil(9/(2 epsilon)
    ln(4|X|/beta)), and 2 ceil(9/(2 epsilon) ln(2|X|/beta)) simultaneously; with FastSample at gamma = beta/(8|X|) the same
    with 8/beta, 8|X|/beta and 4|X|/beta.""",
    code=[*CODE, "finitedp.impl.histograms.pure_sparse.pure_sparse_histogram_with_fast_sample"],
    grid=cases(Line, [GEO, FAST], [(fast, *line) for fast in (False, True) for line in MORE]),
)(_every_column)
