"""Accuracy of SparseHistogram and PureSparseHistogram (Theorems 6.8 and 6.10 of Balcer and Vadhan)."""

from collections.abc import Callable

from gmpy2 import mpq

from finitedp.impl.histograms.pure_sparse import PureSparseHistogram
from finitedp.impl.histograms.sampled_sparse import SparseHistogram
from finitedp.proofs_check.claims.bv.sparse.misses import Bound, Stated, as_stated, less_often, per_query, simultaneous
from finitedp.proofs_check.claims.bv.sparse.subjects import FIVE, SOME, Case, Sparse
from finitedp.proofs_check.claims.bv.sparse.toys import NarrowToy
from finitedp.proofs_check.ledger.entry import Finding, cases, entry
from finitedp.proofs_check.ledger.findings import all_of, equal

BETAS = (mpq(1, 40), mpq(1, 10))


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


def _stated(histogram: Sparse, claims: Stated, case: Case, beta: mpq, more: mpq) -> Finding:
    """The code states (a_1, more + 2 beta) above 2 a_2 and (2 a_2, more + beta), and says something at this n."""
    mechanism = NarrowToy(case.n, case.decay)
    basic, every = mechanism.accuracy(beta), mechanism.accuracy(beta / case.size)
    expected = (basic.a, more + 2 * beta), 2 * every.a, (2 * every.a, more + beta)
    single, above, together = claims
    found = (single.a, single.beta), above, (together.a, together.beta)
    return equal(
        (found, above < case.n), (expected, True), f"stated accuracy of {type(histogram).__name__}, some count larger"
    )


def _pure(case: Case) -> PureSparseHistogram[int]:
    return PureSparseHistogram(NarrowToy(case.n, case.decay), case.universe, 1, mpq(1, case.r))


def _check_pure(bound: Bound, case: Case, kind: Callable[..., Finding]) -> Finding:
    made, findings = _pure(case), []
    for beta in BETAS:
        claims = made.accuracy(beta)
        findings += [
            _stated(made, claims, case, beta, 2 * mpq(1, case.r)),
            kind(made, bound(claims), range(case.size), case.datasets),
        ]
    return all_of(findings)


@entry(
    "BV.Thm6.10.ii",
    "theorem",
    """PureSparseHistogram has (a_1, 2 beta_1 + 2 beta)-per-query accuracy on counts larger than 2 a_2, with the mechanism's
    accuracies a_1 at beta and a_2 at beta/|X|.""",
    over="the datasets of the grid and labels with a large count; toy mechanisms narrow enough for 2 a_2 < n; beta = 1/40,"
    " 1/10; laws of the running code",
    code=["finitedp.impl.histograms.pure_sparse.PureSparseHistogram.accuracy"],
    grid=CASES,
    subject=as_stated,
    twins={"a beta 10 times smaller": less_often(10)},
)
def pure_per_query(bound: Bound, case: Case) -> Finding:
    return _check_pure(bound, case, per_query)


@entry(
    "BV.Thm6.10.iii",
    "theorem",
    "PureSparseHistogram has (2 a_2, 2 beta_1 + beta)-simultaneous accuracy, with the mechanism's accuracy a_2 at beta/|X|.",
    over="the datasets of the grid; toy mechanisms narrow enough for 2 a_2 < n; beta = 1/40, 1/10; laws of the running code",
    code=["finitedp.impl.histograms.pure_sparse.PureSparseHistogram.accuracy"],
    grid=CASES,
    subject=as_stated,
    twins={"a beta 10 times smaller": less_often(10)},
)
def pure_simultaneous(bound: Bound, case: Case) -> Finding:
    return _check_pure(bound, case, simultaneous)


@entry(
    "FD.SparseHistogram.accuracy",
    "own",
    """SparseHistogram has (a_1, 2 beta + delta)-per-query accuracy on counts larger than 2 a_2, and (2 a_2, beta +
    delta)-simultaneous accuracy: those of KeepHeavy (BV.Thm6.2), from which it is within delta (BV.Thm6.8.i).""",
    over="the datasets of the grid; toy mechanisms narrow enough for 2 a_2 < n; beta = 1/40, 1/10; laws of the running code",
    code=["finitedp.impl.histograms.sampled_sparse.SparseHistogram.accuracy"],
    grid=CASES,
    subject=as_stated,
    twins={"a beta 10 times smaller": less_often(10)},
)
def sparse_accuracy(bound: Bound, case: Case) -> Finding:
    delta, findings = mpq(1, case.r), []
    universe = case.universe
    made: SparseHistogram[int] = SparseHistogram(NarrowToy(case.n, case.decay), universe, delta)
    for beta in BETAS:
        claims = made.accuracy(beta)
        findings.append(_stated(made, claims, case, beta, delta))
        findings += [kind(made, bound(claims), range(case.size), case.datasets) for kind in (per_query, simultaneous)]
    return all_of(findings)
