"""Theorem 6.10 and Algorithm 6.9 of Balcer and Vadhan: PureSparseHistogram."""

from collections.abc import Iterator
from functools import partial
from math import factorial

from gmpy2 import mpq

from finitedp.claim import PrivacyClaim
from finitedp.impl.randomness.coins import strict_bits
from finitedp.proofs_check.claims.bv.sparse import subjects
from finitedp.proofs_check.claims.bv.sparse.subjects import FIVE, GEO, SOME, Case, Make, MixedWith, pure, running_law
from finitedp.proofs_check.deciders.verdict import check_privacy
from finitedp.proofs_check.ledger.entry import Finding, cases
from finitedp.proofs_check.ledger.findings import algorithm, at_most, equal, in_turn, of_privacy, same_law, theorem
from finitedp.spec import sparse as spec
from finitedp.spec.mixing import largest_distance

CASES = cases(
    Case,
    [
        (3, 1, mpq(4, 5), 2, False, ((), (0,))),
        *((3, 1, GEO, 2), (4, 1, GEO, 4), (5, 1, mpq(4, 5), 3)),
        (5, 2, GEO, 4, False, ((0, 0), (1, 4))),
    ],
    [
        *((5, 2, GEO, 4, False, FIVE), (6, 2, mpq(3, 4), 10, False, SOME), (6, 1, mpq(8, 9), 100)),
        *((5, 2, GEO, 4), (6, 2, GEO, 3)),
        *((7, 3, GEO, 4, False, (rows,)) for rows in ((6, 6, 6), (2, 2, 5), (0, 3, 4))),
    ],
)


@algorithm(
    "BV.Alg6.9",
    """PureSparseHistogram is SparseHistogram at delta = (epsilon/3) beta_1 (1/(3|X|))^n with probability 1 - beta_1, and
    else n random labels, of which the distinct ones get uniform counts in 0..n, without those of count 0.""",
    over="every dataset at n = 1, |X| = 3, 4, 5; no row; two at n = 2, |X| = 5 (full: all of them at |X| = 5, 6; three at"
    " n = 3, |X| = 7); the law of the running code by the explorer against the definition",
    code=["finitedp.impl.histograms.pure_sparse.PureSparseHistogram", "finitedp.spec.sparse.pure_sparse_histogram"],
    grid=CASES,
    subject=pure,
    twins=subjects.broken_copies(subjects.broken_pure)
    | {
        "never mixed": subjects.unmixed,
        "random counts in 1..n": lambda case: MixedWith(case, None, subjects.all_counts_positive),
    },
)
def pure_law(make: Make, case: Case) -> Finding:
    mechanism = make(case)
    return in_turn(same_law(running_law(mechanism, d), subjects.law_of_pure(case, d), f"{d}") for d in case.datasets)


@theorem(
    "BV.Thm6.10.i",
    """PureSparseHistogram is (epsilon, 0)-differentially private; with GeoSample its worst ratio is at most (1 + 2^-k)^2. The
    random histogram gives every possible output a probability of at least n!/((n+1)|X|)^n, which is at least (3|X|)^-n.""",
    over="every neighbouring pair of multisets (at n = 2 one of each kind; full: all); worst ratio"
    " of laws of the running code; the stated claim",
    code=["finitedp.impl.histograms.pure_sparse.PureSparseHistogram.claim", "finitedp.spec.sparse.least_random"],
    grid=cases(
        Case,
        # in the last one the mechanism is so private that inequality (3.1) decides the ratio
        [
            *((3, 1, GEO, 2), (4, 1, mpq(4, 5), 3)),
            *((5, 2, GEO, 4, False, rows) for rows in (((0, 0), (0, 4)), ((0, 4), (1, 4)))),
            (3, 1, mpq(99, 100), 3),
        ],
        [(5, 2, GEO, 4), (5, 1, mpq(8, 9), 1000), (5, 2, mpq(3, 4), 9), (6, 2, GEO, 100)],
    ),
    subject=pure,
    twins={
        "a sorted set of empty bins": subjects.broken_pure("a sorted set of empty bins"),
        "never mixed": subjects.unmixed,
        "random counts of rows": lambda case: MixedWith(case, None, subjects.counts_of_rows),
    },
)
def pure_privacy(make: Make, case: Case) -> Iterator[Finding]:
    mechanism, stated = make(case), pure(case).claim()
    least = mpq(factorial(case.n), ((case.n + 1) * case.size) ** case.n)
    ratio = max(1 / case.decay**2, _enough(case, least))
    claim = PrivacyClaim(subjects.EPSILON, "replace-one", ratio=ratio, source="BV.Thm6.10.i")
    verdict = check_privacy(partial(running_law, mechanism), case.pairs, claim)
    random = spec.random_histogram(range(case.size), case.n)
    yield of_privacy(verdict, claim)
    yield equal(min(random[h] for h in random), least, "least probability of the random histogram")
    yield equal(least >= mpq(1, (3 * case.size) ** case.n), True, "it is at least (3|X|)^-n")
    yield equal(len(random), _histograms(case.size, case.n), "all histograms of at most n labels")
    yield equal(stated, claim, "stated claim")


def _enough(case: Case, least: mpq) -> mpq:
    """The least ratio for which (3.1) allows SparseHistogram's distance bound (n^2 + 2n)|X|/s: with equality."""
    distance, beta_1 = mpq((case.n**2 + 2 * case.n) * case.size, subjects.pure_s(case)), mpq(1, case.r)
    needed = distance * (1 - beta_1) / (beta_1 * least)
    ratio = (1 + needed) / (1 - needed)
    if largest_distance(ratio, beta_1, least) != distance:
        raise AssertionError("(3.1) is not solved")
    return ratio


def _histograms(size: int, n: int) -> int:
    """How many partial vectors of at most n labels with counts in 1..n there are."""
    total, choices = 0, 1
    for k in range(n + 1):
        total += choices * n**k
        choices = choices * (size - k) // (k + 1)
    return total


@theorem(
    "BV.Thm6.10.iv",
    """PureSparseHistogram makes the same draws for every dataset, result and path: SparseHistogram's, 2n for the random
    histogram, and the choice. s has at most n log2(3|X|) + log2(|X|/(beta_1 epsilon)) + 2 log2(n + 1) + 3 bits, so that
    the time is quasi-linear in n^2 log^2 |X| + n log |X| log(1/(beta_1 epsilon)).""",
    over="the datasets of BV.Alg6.9; ranges of all draws on every path",
    code=["finitedp.impl.histograms.pure_sparse.PureSparseHistogram.cost"],
    grid=CASES,
    subject=pure,
    twins={"not padded": lambda case: MixedWith(case, "true counts of the labels that occur")},
)
def pure_cost(make: Make, case: Case) -> Iterator[Finding]:
    mechanism, stated = make(case), pure(case)
    n, cost, s = case.n, stated.cost(), subjects.pure_s(case)
    sparse = [int(stated.mechanism.d)] * n + [case.size] * (n + 1) + [s] * n
    expected = sorted([case.r, *sparse, *[case.size] * n, *[n + 1] * n])
    ranges = subjects.ranges_drawn(mechanism, case.datasets)
    largest = 8 * (3 * case.size) ** n * case.size * case.r * (n + 1) ** 2
    yield equal(ranges, {tuple(expected)}, "draws")
    yield equal((cost.draws, cost.bits), (len(expected), sum(map(strict_bits, expected))), "stated draws and bits")
    yield at_most(s, largest, "s")
