"""Theorems 1.4 and 1.6 of Balcer and Vadhan, the informal statements, with constants in place of O."""

from collections.abc import Callable, Iterator
from itertools import product
from typing import Any, NamedTuple

from gmpy2 import mpq

from finitedp.claim import PrivacyClaim
from finitedp.exact import ceil_log, compare_exp
from finitedp.impl.counting.geometric import FastSample
from finitedp.impl.histograms.compact import CompactHistogram, compact_histogram_with_fast_sample
from finitedp.impl.histograms.pure_sparse import pure_sparse_accuracy
from finitedp.proofs_check.claims.bv.compact.subjects import misses, simultaneous_miss, worst_ratio
from finitedp.proofs_check.claims.bv.counting import twins
from finitedp.proofs_check.claims.bv.counting.subjects import remade
from finitedp.proofs_check.claims.bv.introduction.subjects import BETA, Dense, inverse, rounded_down
from finitedp.proofs_check.claims.bv.sparse.subjects import GEO, Sparse, broken_pure, pure
from finitedp.proofs_check.claims.bv.sparse.subjects import Case as SparseCase
from finitedp.proofs_check.claims.bv.sparse.subjects import running_law as sparse_law
from finitedp.proofs_check.deciders.verdict import check_privacy
from finitedp.proofs_check.ledger.entry import Finding, cases, in_scope
from finitedp.proofs_check.ledger.findings import all_of, at_most, equal, of_privacy, theorem

# Theorem 1.4


@theorem(
    "BV.Thm1.4.private",
    """PureSparseHistogram is (epsilon, 0)-differentially private, and releases at most n bins with counts in 1..n. (For |X| <=
    2n, where it is not defined, BasicHistogram of BV.Thm1.2 takes its place.)""",
    over="every neighbouring pair of multisets; GeoSample; joint laws of the running code, at e^epsilon for epsilon = 1",
    code=["finitedp.impl.histograms.pure_sparse.PureSparseHistogram"],
    grid=cases(SparseCase, [(3, 1, GEO, 4), (4, 1, GEO, 4)], [(5, 1, GEO, 4), (6, 1, GEO, 8), (5, 1, mpq(4, 5), 2)]),
    subject=pure,
    twins={
        "the labels that occur without noise": broken_pure("true counts of the labels that occur"),
        "bins tied with the (n+1)-th": broken_pure(">= the (n+1)-th"),
    },
)
def pure_privacy(make: Callable[[SparseCase], Sparse], case: SparseCase) -> Iterator[Finding]:
    mechanism, claim = make(case), PrivacyClaim(1, "replace-one")
    yield of_privacy(check_privacy(lambda rows: sparse_law(mechanism, rows), case.pairs, claim), claim)
    for rows in case.datasets:
        bins = list(sparse_law(mechanism, rows))
        fits = all(len(kept) <= case.n and all(0 < count <= case.n for _, count in kept) for kept in bins)
        yield equal(fits, True, f"at most {case.n} bins, counts in 1..{case.n}, for {rows}")


class Stated(NamedTuple):
    """|X| and epsilon = 1/q."""

    size: int
    q: int


Errors = Callable[[int, mpq], tuple[int, int, int]]


def _pure_errors(size: int, epsilon: mpq) -> tuple[int, int, int]:
    single, above, every = pure_sparse_accuracy(size, epsilon, BETA)
    return single.a, above, every.a


@theorem(
    "BV.Thm1.4.accurate",
    """It has per-query error O(1/epsilon) on counts of at least O(log |X|/epsilon), and simultaneous error O(log |X|/epsilon):
    at beta = 1/20 at most 20q + 1 on counts above 9q ln(80 |X|) + 2, and 9q ln(40 |X|) + 2, where epsilon = 1/q.""",
    over="|X| and epsilon on the grid, also real ones; the errors that the code states",
    code=["finitedp.impl.histograms.pure_sparse.pure_sparse_accuracy"],
    grid=cases(Stated, product((2, 3, 1000, 2**64), (1, 2, 10)), product((2**20, 2**128, 10**40), (1, 3, 1000))),
    subject=_pure_errors,
    twins={
        "linear in |X|": lambda size, epsilon: (_pure_errors(size, epsilon)[0], size, size),
        "per query also logarithmic": lambda size, epsilon: (_pure_errors(size, epsilon)[2],) * 3,
    },
    derived_from=("BV.Thm6.11.ii", "BV.Thm6.11.iii"),
    by="beta = 1/20 in the bounds of Theorem 6.11",
)
def pure_errors(errors: Errors, case: Stated) -> Finding:
    single, above, every = errors(case.size, mpq(1, case.q))
    counts = at_most(above, ceil_log(mpq(9 * case.q), 80 * case.size) + 2, "counts above")
    together = at_most(every, ceil_log(mpq(9 * case.q), 40 * case.size) + 2, "simultaneously")
    return all_of([at_most(single, 20 * case.q + 1, "per query"), counts, together])


# Theorem 1.6

Compact = Callable[[Dense], CompactHistogram[Any]]


def _compact(counting: type[FastSample] = FastSample) -> Compact:
    def make(case: Dense) -> CompactHistogram[Any]:
        right = compact_histogram_with_fast_sample(range(case.size), case.n, rounded_down(case.epsilon), BETA)
        return CompactHistogram(remade(counting, right.mechanism), range(case.size))

    return make


@theorem(
    "BV.Thm1.6.private",
    """For every finite X, n and epsilon in (0, 1], CompactHistogram over FastSample, at epsilon rounded to the next smaller
    1/q, is (epsilon, 0)-differentially private.""",
    over="every pair of counts that a row can leave and join, by running laws and the bijection of polynomials and values",
    code=["finitedp.impl.histograms.compact.compact_histogram_with_fast_sample"],
    grid=cases(
        Dense,
        [(2, 2, mpq(1)), (2**32, 4, mpq(1)), (1000, 3, mpq(2, 5))],
        [(2**64, 9, mpq(1)), (10**6, 5, mpq(3, 4)), (3, 12, mpq(2, 7))],
    ),
    subject=_compact(),
    twins={"k one too small": _compact(counting=twins.FastTooNarrow)},
    derived_from=("BV.Lem8.1.independence", "FD.CompactHistogram.factors", "FD.EmptyBinSampler.sizes"),
    by="the bijection of polynomials and their values at n + 1 points, with running laws of M and sizes of S_v",
)
def compact_privacy(make: Compact, case: Dense) -> Finding:
    ratio = worst_ratio(make(case))
    return equal(ratio is not None and compare_exp(ratio, case.epsilon) <= 0, True, "worst ratio within e^epsilon")


@theorem(
    "BV.Thm1.6.accurate",
    """It has per-query error O(1/epsilon) for every label, whatever its count, and simultaneous error O(log |X|/epsilon): up
    to a probability of 1/20 at most 17q and ceil(5q ln(40 |X|)), where q = ceil(1/epsilon) < 2/epsilon.""",
    over="every true count, and every dataset over the universe by dynamic programming; running laws of M and M_0",
    code=["finitedp.impl.histograms.compact.compact_histogram_with_fast_sample"],
    grid=cases(Dense, [(4, 30, mpq(1))], [(8, 32, mpq(1)), (3, 50, mpq(2, 3)), (1, 141, mpq(1))]),
    subject=_compact(),
    twins={"8/epsilon for 2/epsilon in k": _compact(counting=twins.FastTooWide)},
    derived_from=("BV.Alg8.2", "BV.Lem8.1.i", "BV.Lem8.1.ii", "BV.Lem8.1.independence"),
    by="dynamic programming over labels with independent counts, each with a running law of M or M_0",
)
def compact_errors(make: Compact, case: Dense) -> Finding:
    q = inverse(case.epsilon)
    single, every = 17 * q, ceil_log(mpq(5 * q), 40 * case.size)
    in_scope(every < case.n, "n above both errors, so that they say something")
    in_scope(case.size <= case.n + 1, "at most n + 1 labels, whose counts are independent")
    histogram = make(case)
    together = at_most(simultaneous_miss(histogram, every), BETA, f"simultaneous miss, a={every}:")
    return all_of([at_most(max(misses(histogram, single)), BETA, f"miss, a={single}:"), together])
