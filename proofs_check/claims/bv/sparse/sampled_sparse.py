"""Algorithm 6.4 and Proposition 6.5 of Balcer and Vadhan: KH', which has the law of KeepHeavy without drawing every bin."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import partial

from attrs import evolve, field, frozen
from gmpy2 import mpq

from finitedp.claim import Accuracy, PrivacyClaim
from finitedp.exact import RationalLike, exp_bounds, probability
from finitedp.impl.histograms.order_statistics import OrdSample
from finitedp.impl.histograms.sampled_sparse import SampledKeepHeavy
from finitedp.impl.randomness.coins import Coins
from finitedp.proofs_check.claims.bv.sparse.parts import Bins, InParts
from finitedp.proofs_check.claims.bv.sparse.subjects import Case, Make, Rows, broken_copies, broken_kh, kh, running_law
from finitedp.proofs_check.claims.bv.sparse.toys import Toy, ToyGeometric
from finitedp.proofs_check.deciders.verdict import check_privacy
from finitedp.proofs_check.ledger.entry import Finding, cases
from finitedp.proofs_check.ledger.findings import algorithm, all_of, at_most, equal, lemma, of_privacy, own, same_laws
from finitedp.spec import sparse as spec
from finitedp.spec.divergence import hockey_stick
from finitedp.spec.pmf import Pmf

SMALL = [(3, 1, mpq(2, 3)), (4, 1, mpq(1, 3)), (5, 1, mpq(2, 3))]
TWO_ROWS = (5, 2, mpq(1, 2), 1, False, ((0, 0), (0, 4), (1, 4)))
MORE = [(5, 2, mpq(1, 2)), (6, 1, mpq(4, 5)), (5, 2, mpq(2, 3)), (6, 2, mpq(1, 2))]
WITHOUT_NOISE = (7, 3, mpq(0), 1, False, ((0, 0, 6), (0, 6, 6)))  # from n = 3 on two labels have different counts
CASES = cases(Case, [(3, 1, mpq(2, 3), 1, False, ((), (0,))), *SMALL, WITHOUT_NOISE, TWO_ROWS], MORE)


@frozen
class FirstCountForAll(InParts):
    """Broken: every label that occurs is taken to occur as often as the first one."""

    def release(self, data: Iterable[int], coins: Coins) -> Bins:
        true = Counter(data)
        return super().release([x for x in true for _ in range(true[min(true)])], coins)


def _first_for_all(case: Case) -> FirstCountForAll:
    mechanism = ToyGeometric(case.n, case.decay)
    return FirstCountForAll(mechanism, case.size, OrdSample(case.n, mechanism.scaled_cdf))


@lemma(
    "BV.Prop6.5",
    "KH' has the law of KeepHeavy.",
    over="every dataset, |X| >= 2n + 1 (at n = 2 three of them, full: all; at n = 3 two, without noise), and no row; toy"
    " mechanisms; the law of the running code against the definition of KeepHeavy",
    code=["finitedp.impl.histograms.sampled_sparse.SampledKeepHeavy", "finitedp.spec.sparse.keep_heavy"],
    grid=CASES,
    subject=kh,
    twins=broken_copies(broken_kh, "a sorted set of empty bins", "m = |X| - n", "order statistics of 2018", ">= the (n+1)-th")
    | {
        "the first label's count for all": _first_for_all,
    },
)
@algorithm(
    "BV.Alg6.4",
    """KH' draws noisy counts of the labels that occur, a uniform sequence of n + 1 distinct other labels, and their counts as
    the largest order statistics of all empty bins; and keeps what is above the (n+1)-th.""",
    over="every dataset, |X| >= 2n + 1 (at n = 2 three of them, full: all; at n = 3 two, without noise), and no row; toy"
    " mechanisms; the law of the running code by the explorer",
    code=["finitedp.impl.histograms.sampled_sparse.SampledKeepHeavy", "finitedp.impl.histograms.distinct.distinct_sample"],
    grid=CASES,
    subject=kh,
    twins=broken_copies(broken_kh, "a sorted set of empty bins", "m = |X| - n")
    | {
        "the first label's count for all": _first_for_all,
    },
)
def sampled_law(make: Make, case: Case) -> Finding:
    def defined(dataset: Rows) -> Pmf[Bins]:
        return spec.keep_heavy(dataset, range(case.size), case.noisy, case.n)

    return same_laws(partial(running_law, make(case)), defined, case.datasets)


@own(
    "FD.SampledKeepHeavy.private",
    """KH' has the privacy of KeepHeavy, with a worst ratio of at most the square of the mechanism's. A sorted set of empty
    bins breaks it (erratum 9 warns of the same in Algorithm A.3), and so do the order statistics of 2018.""",
    over="every neighbouring pair of multisets (at n = 2 one of each kind; full: all); toy mechanisms; laws of the"
    " running code",
    code=["finitedp.impl.histograms.sampled_sparse.SampledKeepHeavy.claim"],
    grid=cases(Case, [*SMALL, TWO_ROWS], MORE),
    subject=kh,
    twins=broken_copies(broken_kh, "a sorted set of empty bins", "order statistics of 2018"),
)
def sampled_privacy(make: Make, case: Case) -> Finding:
    mechanism, stated = make(case), kh(case).claim()
    claim = PrivacyClaim(stated.epsilon, "replace-one", ratio=1 / case.decay**2, source="BV.Prop6.5")
    verdict = check_privacy(partial(running_law, mechanism), case.pairs, claim)
    return all_of([of_privacy(verdict, claim), equal(stated, claim, "stated claim")])


@frozen
class Rarely(Toy):
    """A toy that tells the count with probability 1/d and else 0: (0, 1/d)-private, and it claims so, with no ratio."""

    n: int
    d: int
    ratio: mpq = field(default=mpq(1))

    def cdf(self, count: int, z: int) -> int:
        """The last of 1..d leads to the count."""
        return self.d if z >= count else self.d - 1

    def claim(self, coins: Coins | None = None) -> PrivacyClaim:
        """A little epsilon, and the delta."""
        return PrivacyClaim(mpq(1, 8), "counts", delta=mpq(1, self.d))

    def accuracy(self, beta: RationalLike) -> Accuracy:
        """An error of n."""
        return Accuracy(self.n, probability(beta, "beta", zero=False))

    def law(self, count: int) -> Pmf[int]:
        """From the definition."""
        return Pmf({0: self.d - 1, count: 1}) if count else Pmf.point(0)


def _claimed(case: Rarely) -> PrivacyClaim:
    return SampledKeepHeavy(case, range(2 * case.n + 1)).claim()


@own(
    "FD.SampledKeepHeavy.delta",
    """Over a mechanism that claims a delta and no ratio KH' claims twice its epsilon and twice its delta: a replaced row moves
    two counts, and where a mechanism tells the count with probability delta, and else nothing, both of them do tell, with a
    delta of 1 - (1 - delta)^2.""",
    over="delta = 1/3 (in full 1/2 and 1/100), n = 3, |X| = 7, rows 0, 0, 1 and 0, 1, 1; laws of KeepHeavy, which KH' has",
    code=["finitedp.impl.histograms.sampled_sparse.SampledKeepHeavy.claim"],
    grid=cases(Rarely, [(3, 3)], [(3, 2), (3, 100)]),
    derived_from=("BV.Prop6.5",),
    by="the exact divergence of the two laws of KeepHeavy, from its definition",
    subject=_claimed,
    twins={
        "delta once": lambda case: evolve(_claimed(case), delta=case.claim().delta),
        "no delta": lambda case: evolve(_claimed(case), delta=mpq(0)),
    },
)
def claimed_delta(claimed: Callable[[Rarely], PrivacyClaim], case: Rarely) -> Iterator[Finding]:
    claim, one = claimed(case), case.claim()
    left, right = (spec.keep_heavy(rows, range(2 * case.n + 1), case.law, case.n) for rows in ((0, 0, 1), (0, 1, 1)))
    found = max(hockey_stick(p, q, exp_bounds(claim.epsilon)[0]).delta for p, q in ((left, right), (right, left)))
    yield equal(found, 1 - (1 - one.delta) ** 2, "delta of the two datasets")
    yield at_most(found, claim.delta, "delta")
    yield equal((claim.epsilon, claim.delta), (2 * one.epsilon, 2 * one.delta), "what is claimed")
