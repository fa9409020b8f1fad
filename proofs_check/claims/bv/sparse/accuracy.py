"""Accuracy of SparseHistogram and PureSparseHistogram (Theorems 6.8 and 6.10 of Balcer and Vadhan)."""

from collections.abc import Callable
from typing import Any

from attrs import evolve
from gmpy2 import mpq

from finitedp.claim import HistogramAccuracy
from finitedp.impl.counting.geometric import CountingMechanism, GeoSample
from finitedp.impl.histograms.pure_sparse import PureSparseHistogram
from finitedp.impl.histograms.sampled_sparse import SparseHistogram
from finitedp.proofs_check.claims.bv.sparse.misses import per_query, simultaneous
from finitedp.proofs_check.claims.bv.sparse.subjects import FIVE, GEO, SOME, Case, Sparse
from finitedp.proofs_check.claims.bv.sparse.toys import NarrowToy, toy_law
from finitedp.proofs_check.ledger.entry import Cases, Finding, cases, in_scope
from finitedp.proofs_check.ledger.findings import all_of, equal, own, theorem
from finitedp.spec.accuracy import miss_probability

Bound = Callable[[HistogramAccuracy, mpq], HistogramAccuracy]
"""From what is stated, and the part of its probabilities that is no multiple of beta: 2 beta_1, or delta."""

HISTOGRAMS = "finitedp.impl.histograms"
BETAS = (mpq(1, 40), mpq(1, 10))
STATED_ALONE = 10  # from this n on no law is explored; a_2 is 0 below, where it is small enough to say anything

CASES = cases(
    Case,
    [
        *((3, 1, mpq(1, 400), 50), (4, 1, mpq(1, 1000), 40)),
        (5, 2, mpq(1, 500), 50, False, ((0, 0), (1, 4))),
    ],
    [
        *((5, 2, mpq(1, 500), 50, False, FIVE), (5, 1, mpq(1, 600), 20)),
        *((6, 2, mpq(1, 500), 20, False, SOME), (5, 2, mpq(1, 900), 30)),
    ],
)

FINE = Cases([Case(3, 1, mpq(1, 400), 10**6), *CASES.of("quick")[1:]], lambda: CASES.of("full")[1:])
"""The same, once with a delta far below beta."""


def _mechanism(case: Case) -> CountingMechanism:
    return NarrowToy(case.n, case.decay) if case.n < STATED_ALONE else GeoSample(case.n, 1)


def _betas(case: Case) -> list[mpq]:
    """Those at which a_1 or a_2 changes, with 2 a_2 < n: between two of them the errors are those at the lower one."""
    if case.n >= STATED_ALONE:
        return list(BETAS)
    mechanism = _mechanism(case)
    misses = [max(miss_probability(toy_law(case.n, case.decay, c), c, a) for c in range(case.n + 1)) for a in range(case.n)]
    changes = {min(times * miss, mpq(1)) for miss in misses for times in (1, case.size)}
    return sorted(beta for beta in changes if 2 * mechanism.accuracy(beta / case.size).a < case.n and 2 * beta < 1)


def _without_mixing(stated: HistogramAccuracy, more: mpq) -> HistogramAccuracy:
    """Broken: beta_1 is forgotten, the share of random histograms."""
    single, above, every = stated
    return HistogramAccuracy(evolve(single, beta=single.beta - more), above, evolve(every, beta=every.beta - more))


def _as_stated(stated: HistogramAccuracy, _more: mpq) -> HistogramAccuracy:
    return stated


def _without_two(stated: HistogramAccuracy, _more: mpq) -> HistogramAccuracy:
    """Broken: the factor 2 before each probability is left out."""
    single, above, every = stated
    return HistogramAccuracy(evolve(single, beta=single.beta / 2), above, evolve(every, beta=every.beta / 2))


def _half_above(stated: HistogramAccuracy, _more: mpq) -> HistogramAccuracy:
    """Broken: a_2 for 2 a_2."""
    single, above, every = stated
    return HistogramAccuracy(single, above // 2, evolve(every, a=every.a // 2))


def _stated(histogram: Sparse, claims: HistogramAccuracy, case: Case, beta: mpq, more: mpq) -> Finding:
    """The code states (a_1, more + 2 beta) above 2 a_2 and (2 a_2, more + beta).

    Raises: OutOfScopeError where no count is above 2 a_2.
    """
    mechanism = _mechanism(case)
    basic, every = mechanism.accuracy(beta), mechanism.accuracy(beta / case.size)
    expected = (basic.a, more + 2 * beta), 2 * every.a, (2 * every.a, more + beta)
    single, above, together = claims
    in_scope(2 * every.a < case.n, "some count above 2 a_2")
    found = (single.a, single.beta), above, (together.a, together.beta)
    return equal(found, expected, f"stated accuracy of {type(histogram).__name__}")


def _as_said(made: Any, more: mpq, bound: Bound, case: Case, *kinds: Callable[..., Finding]) -> Finding:  # noqa: ANN401
    """What a histogram states, at each beta, and where laws are explored, that its errors are within that."""
    findings = []
    for beta in _betas(case):
        claims = made.accuracy(beta)
        changed = bound(claims, more)
        if case.n >= STATED_ALONE:
            findings.append(_stated(made, changed, case, beta, more))
        else:
            findings.append(_stated(made, claims, case, beta, more))
            findings += [kind(made, changed, range(case.size), case.datasets) for kind in kinds]
    return all_of(findings)


def _check_pure(bound: Bound, case: Case, kind: Callable[..., Finding]) -> Finding:
    beta_1 = mpq(1, case.r)
    made: PureSparseHistogram[int] = PureSparseHistogram(_mechanism(case), case.universe, 1, beta_1)
    return _as_said(made, 2 * beta_1, bound, case, kind)


@theorem(
    "BV.Thm6.10.ii",
    """PureSparseHistogram has (a_1, 2 beta_1 + 2 beta)-per-query accuracy on counts larger than 2 a_2, with the mechanism's
    accuracies a_1 at beta and a_2 at beta/|X|.""",
    over="the datasets of the grid and labels with a large count; toy mechanisms narrow enough for 2 a_2 < n; every beta by"
    " those of changes; laws of the running code",
    code=["finitedp.impl.histograms.pure_sparse.PureSparseHistogram.accuracy"],
    grid=CASES,
    subject=_as_stated,
    twins={"beta_1 forgotten": _without_mixing},
)
def pure_per_query(bound: Bound, case: Case) -> Finding:
    return _check_pure(bound, case, per_query)


@theorem(
    "BV.Thm6.10.iii",
    "PureSparseHistogram has (2 a_2, 2 beta_1 + beta)-simultaneous accuracy, with the mechanism's accuracy a_2 at beta/|X|.",
    over="the datasets of the grid; toy mechanisms narrow enough for 2 a_2 < n; every beta by those of changes; laws of the"
    " running code",
    code=["finitedp.impl.histograms.pure_sparse.PureSparseHistogram.accuracy"],
    grid=CASES,
    subject=_as_stated,
    twins={"the factor 2 left out": _without_two, "beta_1 forgotten": _without_mixing},
)
def pure_simultaneous(bound: Bound, case: Case) -> Finding:
    return _check_pure(bound, case, simultaneous)


@own(
    "FD.SparseHistogram.accuracy",
    """SparseHistogram has (a_1, 2 beta + delta)-per-query accuracy on counts larger than 2 a_2, and (2 a_2, beta +
    delta)-simultaneous accuracy: those of KeepHeavy (BV.Thm6.2), from which it is within delta (BV.Thm6.8.i).""",
    over="the datasets of the grid; toy mechanisms narrow enough for 2 a_2 < n; every beta by those of changes; laws of the"
    " running code",
    code=["finitedp.impl.histograms.sampled_sparse.SparseHistogram.accuracy"],
    grid=FINE,
    subject=_as_stated,
    twins={"the factor 2 left out": _without_two},
)
def sparse_accuracy(bound: Bound, case: Case) -> Finding:
    delta = mpq(1, case.r)
    made: SparseHistogram[int] = SparseHistogram(_mechanism(case), case.universe, delta)
    return _as_said(made, delta, bound, case, per_query, simultaneous)


@theorem(
    "BV.Thm6.10.stated",
    """At sizes where 2 a_2 is below n, PureSparseHistogram states the accuracies of Theorem 6.10 ii and iii, SparseHistogram
    those of FD.SparseHistogram.accuracy.""",
    over="GeoSample; n and |X| of the grid; what accuracy() says, against the mechanism's own",
    code=[f"{HISTOGRAMS}.pure_sparse.PureSparseHistogram.accuracy", f"{HISTOGRAMS}.sampled_sparse.SparseHistogram.accuracy"],
    grid=cases(Case, [(2**20, 300, GEO, 50)], [(2**32, 400, GEO, 50)]),
    subject=_as_stated,
    twins={"a_2 for 2 a_2": _half_above, "the factor 2 left out": _without_two},
    derived_from=("BV.Thm6.10.ii", "BV.Thm6.10.iii", "FD.SparseHistogram.accuracy"),
    by="the same statement, whose probabilities no law is explored for at this n",
)
def accuracy_as_stated(bound: Bound, case: Case) -> Finding:
    return all_of([pure_per_query(bound, case), pure_simultaneous(bound, case), sparse_accuracy(bound, case)])
