"""Accuracy of SparseHistogram and PureSparseHistogram (Theorems 6.8 and 6.10 of Balcer and Vadhan)."""

from collections.abc import Callable

from attrs import evolve
from gmpy2 import mpq

from finitedp.claim import Accuracy
from finitedp.impl.histograms.pure_sparse import PureSparseHistogram
from finitedp.impl.histograms.sampled_sparse import SparseHistogram
from finitedp.proofs_check.claims.bv.sparse.parts import Bins
from finitedp.proofs_check.claims.bv.sparse.subjects import FIVE, SOME, Case, Sparse, running_law
from finitedp.proofs_check.claims.bv.sparse.toys import NarrowToy
from finitedp.proofs_check.engine.verdict import check_accuracy
from finitedp.proofs_check.ledger.entry import Finding, cases, entry
from finitedp.proofs_check.ledger.findings import all_of, equal, of_accuracy
from finitedp.spec.accuracy import miss_probability
from finitedp.spec.histogram import histogram

Claims = tuple[Accuracy, int, Accuracy]
Bound = Callable[[Claims], Claims]
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


def _as_stated(claims: Claims) -> Claims:
    return claims


def _less_often(claims: Claims) -> Claims:
    """Broken: the same errors with a beta 10 times smaller."""
    single, above, every = claims
    return evolve(single, beta=single.beta / 10), above, evolve(every, beta=every.beta / 10)


def _stated(histogram: Sparse, claims: Claims, case: Case, beta: mpq, more: mpq) -> Finding:
    """The code states (a_1, more + 2 beta) above 2 a_2 and (2 a_2, more + beta), and says something at this n."""
    mechanism = NarrowToy(case.n, case.decay)
    basic, every = mechanism.accuracy(beta), mechanism.accuracy(beta / case.size)
    expected = (basic.a, more + 2 * beta), 2 * every.a, (2 * every.a, more + beta)
    single, above, together = claims
    found = (single.a, single.beta), above, (together.a, together.beta)
    return equal(
        (found, above < case.n), (expected, True), f"stated accuracy of {type(histogram).__name__}, some count larger"
    )


def per_query(histogram: Sparse, claims: Claims, case: Case) -> Finding:
    """Each label with a count above the stated one is off by more than a_1 with at most the stated probability."""
    single, above, _ = claims
    misses: list[tuple[str, mpq]] = []
    for dataset in case.datasets:
        law = running_law(histogram, dataset)
        for x, truth in enumerate(histogram_of(dataset, case)):
            if truth > above:
                misses.append((f"{dataset}, {x}", miss_probability(law.pushforward(_count_of(x)), truth, single.a)))
    return of_accuracy(check_accuracy(misses, single.beta), single.beta, single.a)


def simultaneous(histogram: Sparse, claims: Claims, case: Case) -> Finding:
    """Some label is off by more than 2 a_2 with at most the stated probability."""
    together = claims[2]
    misses = [
        (f"{dataset}", 1 - running_law(histogram, dataset).probability(_all_close(histogram_of(dataset, case), together.a)))
        for dataset in case.datasets
    ]
    return of_accuracy(check_accuracy(misses, together.beta), together.beta, together.a)


def histogram_of(dataset: tuple[int, ...], case: Case) -> tuple[int, ...]:
    """The true counts of all labels."""
    return histogram(dataset, range(case.size))


def _all_close(truths: tuple[int, ...], a: int) -> Callable[[Bins], bool]:
    return lambda bins: all(abs(dict(bins).get(x, 0) - c) <= a for x, c in enumerate(truths))


def _count_of(label: int) -> Callable[[Bins], int]:
    return lambda bins: dict(bins).get(label, 0)


def _pure(case: Case) -> PureSparseHistogram[int]:
    return PureSparseHistogram(NarrowToy(case.n, case.decay), case.universe, 1, mpq(1, case.r))


def _check_pure(bound: Bound, case: Case, kind: Callable[[Sparse, Claims, Case], Finding]) -> Finding:
    made, findings = _pure(case), []
    for beta in BETAS:
        claims = made.accuracy(beta)
        findings += [_stated(made, claims, case, beta, 2 * mpq(1, case.r)), kind(made, bound(claims), case)]
    return all_of(findings)


@entry(
    "BV.Thm6.10.ii",
    "theorem",
    """PureSparseHistogram has (a_1, 2 beta_1 + 2 beta)-per-query accuracy on counts larger than 2 a_2, with the mechanism's
    accuracies a_1 at beta and a_2 at beta/|X|.""",
    over="the datasets of the grid and labels with a large count; toy mechanisms narrow enough for 2 a_2 < n; beta = 1/40,"
    " 1/10;"
    " laws of the running code",
    code=["finitedp.impl.histograms.pure_sparse.PureSparseHistogram.accuracy"],
    grid=CASES,
    subject=_as_stated,
    twins={"a beta 10 times smaller": _less_often},
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
    subject=_as_stated,
    twins={"a beta 10 times smaller": _less_often},
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
    subject=_as_stated,
    twins={"a beta 10 times smaller": _less_often},
)
def sparse_accuracy(bound: Bound, case: Case) -> Finding:
    delta, findings = mpq(1, case.r), []
    universe = case.universe
    made: SparseHistogram[int] = SparseHistogram(NarrowToy(case.n, case.decay), universe, delta)
    for beta in BETAS:
        claims = made.accuracy(beta)
        findings.append(_stated(made, claims, case, beta, delta))
        findings += [kind(made, bound(claims), case) for kind in (per_query, simultaneous)]
    return all_of(findings)
