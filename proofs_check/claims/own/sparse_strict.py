"""The sparse histograms on strict coins, which is how they are released by default."""

from collections.abc import Iterator
from functools import lru_cache, partial

from gmpy2 import mpq

from finitedp.claim import PrivacyClaim
from finitedp.impl.histograms.sampled_sparse import SampledKeepHeavy, SparseHistogram
from finitedp.impl.randomness.coins import StrictCoins
from finitedp.proofs_check.claims.bv.sparse.parts import Bins
from finitedp.proofs_check.claims.bv.sparse.subjects import (
    GEO,
    Case,
    Make,
    Rows,
    Sparse,
    broken_copies,
    broken_kh,
    broken_pure,
    broken_sparse,
    counting_mechanism,
    pure,
    sparse,
    unmixed,
)
from finitedp.proofs_check.deciders.verdict import check_privacy
from finitedp.proofs_check.engine.explorer import explore
from finitedp.proofs_check.ledger.entry import Finding, cases
from finitedp.proofs_check.ledger.findings import all_of, at_most, equal, of_privacy, own
from finitedp.spec.divergence import hockey_stick
from finitedp.spec.pmf import Pmf

CASES = cases(Case, [(3, 1, GEO, 2)], [(4, 1, GEO, 3), (5, 1, mpq(4, 5), 3)])


@lru_cache(maxsize=64)
def _strict_law(mechanism: Sparse, rows: Rows) -> Pmf[Bins]:
    """The law of the running code over StrictCoins."""
    return explore(lambda lazy: mechanism.release(rows, StrictCoins(lazy.bits))).law()


def _pure_claim(mechanism: Sparse, claim: PrivacyClaim, exact: mpq, draws: int, case: Case) -> Finding:
    """A pure claim holds on strict coins, and adds the slack of all draws, and not twice."""
    slack = StrictCoins.slack**draws
    enough = claim.ratio is not None and slack * exact <= claim.ratio <= exact * (1 + (slack - 1) * 2)
    verdict = check_privacy(partial(_strict_law, mechanism), case.pairs, claim)
    return all_of([of_privacy(verdict, claim), equal(enough, True, "the claim's slack covers all draws, and not twice")])


@own(
    "FD.StrictCoins.sparse",
    """PureSparseHistogram on StrictCoins, which is how it is released by default, has a worst ratio of at most its exact one
    times slack^draws, as its claim states, and within e^epsilon.""",
    over="every neighbouring pair of multisets; laws of the running code over StrictCoins",
    code=["finitedp.impl.histograms.pure_sparse.PureSparseHistogram.claim", "finitedp.impl.randomness.coins.slack_of"],
    grid=CASES,
    subject=pure,
    twins={"never mixed": unmixed} | broken_copies(broken_pure, "a sorted set of empty bins"),
)
def strict_pure(make: Make, case: Case) -> Finding:
    stated, n = pure(case), case.n
    exact = stated.claim().ratio or mpq(0)
    return _pure_claim(make(case), stated.claim(StrictCoins()), exact, 5 * n + 2, case)


def _kh(case: Case) -> SampledKeepHeavy[int]:
    return SampledKeepHeavy(counting_mechanism(case.n, case.decay), case.universe)


@own(
    "FD.StrictCoins.sampled-keep-heavy",
    "KH' on StrictCoins has a worst ratio of at most the square of its mechanism's times slack^draws, as its claim states.",
    over="every neighbouring pair of multisets; laws of the running code over StrictCoins",
    code=["finitedp.impl.histograms.sampled_sparse.SampledKeepHeavy.claim"],
    grid=CASES,
    subject=_kh,
    twins=broken_copies(broken_kh, "a sorted set of empty bins"),
)
def strict_sampled(make: Make, case: Case) -> Finding:
    claim = _kh(case).claim(StrictCoins())
    return _pure_claim(make(case), claim, 1 / case.decay**2, 3 * case.n + 1, case)


@own(
    "FD.StrictCoins.approximate-sparse",
    """SparseHistogram on StrictCoins has at the ratio r = (the square of its mechanism's) slack^draws a delta of at most
    (r + 1) slack^draws distance, as its claim states.""",
    over="every neighbouring pair of multisets; hockey-stick divergences of laws of the running code over StrictCoins",
    code=["finitedp.impl.histograms.sampled_sparse.SparseHistogram.claim"],
    grid=CASES,
    subject=sparse,
    twins={"true counts": lambda case: broken_sparse("true counts of the labels that occur")(case._replace(r=1000))},
)
def strict_sparse(make: Make, case: Case) -> Iterator[Finding]:
    fine = case._replace(r=1000)
    stated: SparseHistogram[int] = sparse(fine)
    slack = StrictCoins.slack ** (3 * case.n + 1)
    ratio = slack / case.decay**2
    allowed = (ratio + 1) * slack / 1000
    claim, law = stated.claim(StrictCoins()), partial(_strict_law, make(fine))
    for left, right in case.pairs:
        yield at_most(hockey_stick(law(left), law(right), ratio).delta, claim.delta, f"delta from {left} to {right}")
    enough = allowed <= claim.delta <= allowed * (1 + (slack - 1) * 3)
    yield equal(enough, True, "the claim's slack covers all draws, and not thrice")
