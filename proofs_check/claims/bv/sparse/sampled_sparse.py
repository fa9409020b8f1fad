"""Algorithm 6.4 and Proposition 6.5 of Balcer and Vadhan: KH', which has the law of KeepHeavy without drawing every bin."""

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from gmpy2 import mpq

from finitedp.claim import PrivacyClaim
from finitedp.impl.histograms.order_statistics import OrdSample
from finitedp.impl.histograms.sampled_sparse import SampledKeepHeavy
from finitedp.impl.histograms.universe import Integers
from finitedp.proofs_check.claims.bv.sparse.subjects import PARTS, Bins, Released
from finitedp.proofs_check.claims.bv.sparse.toys import ToyGeometric
from finitedp.proofs_check.engine.explorer import explore
from finitedp.proofs_check.engine.verdict import check_privacy
from finitedp.proofs_check.ledger.entry import Finding, entry
from finitedp.proofs_check.ledger.findings import all_of, equal, of_privacy, same_law
from finitedp.spec import counting as spec_counting
from finitedp.spec import sparse as spec
from finitedp.spec.neighbours import multisets, neighbouring_multisets
from finitedp.spec.pmf import Pmf

Rows = tuple[int, ...]


class Case(NamedTuple):
    """|X|, n, and the decay of the counting mechanism's noise (a toy)."""

    size: int
    n: int
    decay: mpq


def _quick() -> list[Case]:
    return [Case(3, 1, mpq(2, 3)), Case(4, 1, mpq(1, 3)), Case(5, 1, mpq(2, 3)), Case(5, 2, mpq(1, 2))]


def _full() -> list[Case]:
    return [Case(6, 1, mpq(4, 5)), Case(5, 2, mpq(2, 3)), Case(6, 2, mpq(1, 2))]


CASES = (_quick, _full)
Make = Callable[[Case], Released]


def kh(case: Case) -> SampledKeepHeavy[int]:
    """The running KH'."""
    return SampledKeepHeavy(ToyGeometric(case.n, case.decay), Integers(0, case.size - 1))


def broken(name: str) -> Make:
    """A broken copy of KH'."""

    def make(case: Case) -> Released:
        mechanism = ToyGeometric(case.n, case.decay)
        return PARTS[name](mechanism, case.size, OrdSample(case.n, mechanism.scaled_cdf))

    return make


@lru_cache(maxsize=256)
def running_law(mechanism: Released, dataset: Rows) -> Pmf[Bins]:
    """The exact law of the running code."""
    return explore(lambda coins: mechanism.release(dataset, coins)).law()


@entry(
    "BV.Prop6.5",
    "lemma",
    "KH' has the law of KeepHeavy.",
    over="every dataset, |X| >= 2n + 1; toy mechanisms; the law of the running code against the definition of KeepHeavy",
    code=["finitedp.impl.histograms.sampled_sparse.SampledKeepHeavy", "finitedp.spec.sparse.keep_heavy"],
    grid=CASES,
    subject=kh,
    twins={
        name: broken(name)
        for name in ("a sorted set of empty bins", "m = |X| - n", "order statistics of 2018", ">= the (n+1)-th")
    },
)
@entry(
    "BV.Alg6.4",
    "algorithm",
    """KH' draws noisy counts of the labels that occur, a uniform sequence of n + 1 distinct other labels, and their counts as
    the largest order statistics of all empty bins; and keeps what is above the (n+1)-th.""",
    over="every dataset, |X| >= 2n + 1; toy mechanisms; the law of the running code by the explorer",
    code=["finitedp.impl.histograms.sampled_sparse.SampledKeepHeavy", "finitedp.impl.histograms.distinct.distinct_sample"],
    grid=CASES,
    subject=kh,
    twins={name: broken(name) for name in ("a sorted set of empty bins", "m = |X| - n")},
)
def sampled_law(make: Make, case: Case) -> Finding:
    mechanism, universe, findings = make(case), range(case.size), []

    def counting(count: int) -> Pmf[int]:
        return spec_counting.geometric_mechanism(case.n, case.decay, count)

    for dataset in multisets(universe, case.n):
        expected = spec.keep_heavy(dataset, universe, counting, case.n)
        findings.append(same_law(running_law(mechanism, dataset), expected, f"{dataset}"))
    return all_of(findings)


@entry(
    "FD.SampledKeepHeavy.private",
    "own",
    """KH' has the privacy of KeepHeavy, with a worst ratio of at most the square of the mechanism's. A sorted set of empty
    bins breaks it (erratum 9 warns of the same in Algorithm A.3), and so do the order statistics of 2018.""",
    over="every neighbouring pair of multisets; toy mechanisms; laws of the running code",
    code=["finitedp.impl.histograms.sampled_sparse.SampledKeepHeavy.claim"],
    grid=CASES,
    subject=kh,
    twins={name: broken(name) for name in ("a sorted set of empty bins", "order statistics of 2018")},
)
def sampled_privacy(make: Make, case: Case) -> Finding:
    mechanism, stated = make(case), kh(case).claim()
    claim = PrivacyClaim(stated.epsilon, "replace-one", ratio=1 / case.decay**2, source="BV.Prop6.5")
    pairs = neighbouring_multisets(range(case.size), case.n, "replace-one")
    law: Callable[[Rows], Pmf[Bins]] = lambda dataset: running_law(mechanism, dataset)  # noqa: E731  # types it
    return all_of([of_privacy(check_privacy(law, pairs, claim), claim), equal(stated, claim, "stated claim")])
