"""Theorems 1.2, 1.3, 1.4 and 1.6 of Balcer and Vadhan, the informal statements, with constants in place of O.

They speak of every epsilon in (0, 1], where Sections 5 to 8 have epsilon = 1/q: an epsilon is rounded down to
1/ceil(1/epsilon), which is above epsilon/2, so that constants at most double. Their running times are the time columns of
Figures 3 to 6.
"""

from collections.abc import Callable
from itertools import product
from typing import Any, NamedTuple

from gmpy2 import c_div, mpq

from finitedp.claim import PrivacyClaim
from finitedp.exact import ceil_log, compare_exp
from finitedp.impl.counting.geometric import FastSample
from finitedp.impl.histograms.basic import BasicHistogram, basic_histogram_with_fast_sample
from finitedp.impl.histograms.compact import CompactHistogram, compact_histogram_with_fast_sample
from finitedp.impl.histograms.pure_sparse import pure_sparse_accuracy
from finitedp.impl.histograms.stability import StabilityHistogram, stability_histogram_with_fast_sample
from finitedp.proofs_check.claims.bv.compact.subjects import misses, simultaneous_miss, worst_ratio
from finitedp.proofs_check.claims.bv.counting import twins
from finitedp.proofs_check.claims.bv.counting.subjects import accurate, running_law
from finitedp.proofs_check.claims.bv.histograms.subjects import row_moves, thresholded
from finitedp.proofs_check.claims.bv.sparse.subjects import GEO, Sparse, broken_pure, pure
from finitedp.proofs_check.claims.bv.sparse.subjects import Case as SparseCase
from finitedp.proofs_check.claims.bv.sparse.subjects import running_law as sparse_law
from finitedp.proofs_check.engine.verdict import check_privacy
from finitedp.proofs_check.engine.worst_case import miss_over_bins, miss_over_partitions
from finitedp.proofs_check.ledger.entry import Finding, cases, entry
from finitedp.proofs_check.ledger.findings import all_of, at_most, equal, of_privacy
from finitedp.spec.accuracy import miss_probability
from finitedp.spec.divergence import privacy_profile, product_max_ratio
from finitedp.spec.pmf import Pmf
from finitedp.spec.pmf import product as joint

BETA = mpq(1, 20)  # what "with high probability" leaves over
Law = Callable[[int], Pmf[int]]


def rounded_down(value: mpq) -> mpq:
    """1/ceil(1/value): the largest 1/q that is not above it."""
    return mpq(1, c_div(value.denominator, value.numerator))


def rounded_up(value: mpq) -> mpq:
    """Broken: 1/floor(1/value)."""
    return mpq(1, value.denominator // value.numerator)


Rounding = Callable[[mpq], mpq]


# Theorem 1.2


class Dense(NamedTuple):
    """|X|, n, and epsilon in (0, 1]."""

    size: int
    n: int
    epsilon: mpq


Basic = Callable[[Dense], BasicHistogram[int]]


def _basic(rounding: Rounding = rounded_down, counting: Callable[[int, mpq, mpq], FastSample] = FastSample) -> Basic:
    """Theorem 5.3's instance at a rounded epsilon, or the same with a broken counting mechanism."""

    def make(case: Dense) -> BasicHistogram[int]:
        right = basic_histogram_with_fast_sample(range(case.size), case.n, rounding(case.epsilon), BETA)
        inner = right.mechanism
        assert isinstance(inner, FastSample)  # noqa: S101  # narrows the type
        return BasicHistogram(counting(inner.n, inner.epsilon, inner.gamma), right.labels)

    return make


@entry(
    "BV.Thm1.2.private",
    "theorem",
    """For every finite X, n and epsilon in (0, 1], also epsilon that is no 1/q, the Bounded Geometric Mechanism
    (BasicHistogram over FastSample at 1/ceil(1/epsilon)) is (epsilon, 0)-differentially private and releases a count in 0..n
    for every label.""",
    over="every pair of neighbouring datasets, by the ratios of the two bins that change (see FD.Factored); running laws",
    code=["finitedp.impl.histograms.basic.basic_histogram_with_fast_sample"],
    grid=cases(
        Dense,
        product((1, 2, 5), (1, 4), (mpq(1), mpq(2, 3), mpq(3, 7), mpq(1, 10))),
        product((2, 10**6), (1, 2, 9), (mpq(1), mpq(4, 5), mpq(7, 10), mpq(2, 5), mpq(3, 100))),
    ),
    subject=_basic(),
    twins={"epsilon rounded up": _basic(rounded_up), "k one too small": _basic(counting=twins.FastTooNarrow)},
)
def dense_privacy(make: Basic, case: Dense) -> Finding:
    mechanism = make(case)
    law, findings = running_law(mechanism.mechanism), []
    findings.append(equal(mechanism.labels, range(case.size), "a bin for every label"))
    findings += [equal(law(c).support, frozenset(range(case.n + 1)), f"counts released for {c}") for c in range(case.n + 1)]
    for x, y in row_moves(case.n, case.size):
        worst = product_max_ratio([(law(x), law(x - 1)), (law(y), law(y + 1))])
        findings.append(equal(worst.exceeds_exp(case.epsilon), False, f"counts {x},{y} to {x - 1},{y + 1} within e^epsilon"))
    return all_of(findings)


def _q(epsilon: mpq) -> int:
    return int(rounded_down(epsilon).denominator)


@entry(
    "BV.Thm1.2.accurate",
    "theorem",
    """It has per-query error O(1/epsilon) and simultaneous error O(log |X|/epsilon): up to a probability of 1/20 at most 12q +
    1 and 4q ln(40 |X|) where q = ceil(1/epsilon) < 2/epsilon.""",
    over="every count, and every dataset by dynamic programming; n above twice the simultaneous error; running laws",
    code=["finitedp.impl.histograms.basic.basic_histogram_with_fast_sample"],
    grid=cases(
        Dense,
        [(2, 40, mpq(1)), (4, 44, mpq(1)), (2, 74, mpq(2, 3))],
        [(8, 48, mpq(1)), (3, 80, mpq(1, 2)), (3, 120, mpq(3, 7)), (100, 68, mpq(9, 10))],
    ),
    subject=_basic(),
    twins={"noise four times too wide": _basic(counting=twins.FastTooWide)},
)
def dense_errors(make: Basic, case: Dense) -> Finding:
    law, q = running_law(make(case).mechanism), _q(case.epsilon)
    single, every = 12 * q + 1, ceil_log(mpq(4 * q), 40 * case.size)
    close = [1 - miss_probability(law(c), c, every) for c in range(case.n + 1)]
    return all_of(
        [
            equal((q * case.epsilon < 2, 2 * every < case.n), (True, True), "q < 2/epsilon, and n above twice the error"),
            accurate(law, case.n, [(BETA, single)]),
            at_most(miss_over_bins(close, case.n, case.size), BETA, f"simultaneous miss, a={every}:"),
        ]
    )


# Theorem 1.3


class Stable(NamedTuple):
    """n, epsilon in (0, 1] and delta in (0, 1/n)."""

    n: int
    epsilon: mpq
    delta: mpq


Stability = Callable[[Stable], StabilityHistogram[Any]]


def _stability(counting: Callable[[int, mpq, mpq], FastSample] = FastSample) -> Stability:
    def make(case: Stable) -> StabilityHistogram[Any]:
        right = stability_histogram_with_fast_sample(case.n, rounded_down(case.epsilon), rounded_down(case.delta), BETA)
        inner = right.mechanism
        assert isinstance(inner, FastSample)  # noqa: S101  # narrows the type
        return StabilityHistogram(counting(inner.n, inner.epsilon, inner.gamma), right.b)

    return make


def _low_threshold(case: Stable) -> StabilityHistogram[Any]:
    """Broken: a threshold of 1 + ceil(ln(2/delta)/epsilon), without 9/2."""
    right = _stability()(case)
    return StabilityHistogram(right.mechanism, 1 + ceil_log(_q(case.epsilon), 2 / rounded_down(case.delta)))


def _bin_law(mechanism: StabilityHistogram[Any]) -> Law:
    return thresholded(running_law(mechanism.mechanism), mechanism.b)


@entry(
    "BV.Thm1.3.private",
    "theorem",
    """For every n, epsilon in (0, 1] and delta in (0, 1/n), the Stability-Based Histogram (over FastSample, at the next
    smaller 1/q for both) is (epsilon, delta)-differentially private and releases counts in 1..n, for labels that occur.""",
    over="neighbouring datasets where one of the two counts that change is at most 3, by the joint law of the two bins, at"
    " e^epsilon; running laws",
    code=["finitedp.impl.histograms.stability.stability_histogram_with_fast_sample"],
    grid=cases(
        Stable, [(20, mpq(1), mpq(1, 21)), (20, mpq(1), mpq(2, 43))], [(24, mpq(1), mpq(3, 100)), (46, mpq(9, 10), mpq(1, 47))]
    ),
    subject=_stability(),
    twins={"a threshold without 9/2": _low_threshold},
)
def stable_privacy(make: Stability, case: Stable) -> Finding:
    mechanism = make(case)
    law, findings = _bin_law(mechanism), [equal(0 < case.delta < mpq(1, case.n), True, "delta in (0, 1/n)")]
    findings += [equal(law(c).support <= set(range(case.n + 1)), True, f"counts released for {c}") for c in range(case.n + 1)]
    for x, y in row_moves(case.n):
        if min(x, y) > 3:
            continue  # a bin that may vanish is what delta is for; BV.Thm5.6.i has all
        left, right = joint([law(x), law(y)]), joint([law(x - 1), law(y + 1)])
        holds = privacy_profile(left, right).holds(case.epsilon, case.delta)
        findings.append(equal(holds, True, f"counts {x},{y} to {x - 1},{y + 1}"))
    return all_of(findings)


@entry(
    "BV.Thm1.3.accurate",
    "theorem",
    """It has per-query error O(1/epsilon) on counts of at least O(log(1/delta)/epsilon), and simultaneous error
    O(log(1/delta)/epsilon): up to a probability of 1/20 at most 12q + 1 on counts above 10q ln(1/delta), and 8q ln(1/delta),
    for delta <= 1/60, q = ceil(1/epsilon), and delta rounded.""",
    over="every count, and every dataset over any universe by dynamic programming over the partitions of n; running laws",
    code=["finitedp.impl.histograms.stability.stability_histogram_with_fast_sample"],
    grid=cases(Stable, [(60, mpq(1), mpq(1, 61))], [(70, mpq(1), mpq(1, 100)), (120, mpq(2, 3), mpq(2, 251))]),
    subject=_stability(),
    twins={"noise four times too wide": _stability(counting=twins.FastTooWide)},
)
def stable_errors(make: Stability, case: Stable) -> Finding:
    law, q, inverse = _bin_law(make(case)), _q(case.epsilon), int(rounded_down(case.delta).denominator)
    above, every = ceil_log(mpq(10 * q), inverse), ceil_log(mpq(8 * q), inverse)
    missed = miss_over_partitions([1 - miss_probability(law(c), c, every) for c in range(case.n + 1)], case.n)
    return all_of(
        [
            equal(0 < case.delta < mpq(1, case.n) and inverse >= 60, True, "delta below 1/n, and at most 1/60"),
            equal(max(above, every) < case.n, True, "both below n"),
            accurate(law, case.n, [(BETA, 12 * q + 1)], above),
            at_most(missed, BETA, f"simultaneous miss, a={every}:"),
        ]
    )


# Theorem 1.4

PURE = cases(SparseCase, [(3, 1, GEO, 4), (4, 1, GEO, 4)], [(5, 1, GEO, 4), (6, 1, GEO, 8), (5, 1, mpq(4, 5), 2)])


@entry(
    "BV.Thm1.4.private",
    "theorem",
    """PureSparseHistogram is (epsilon, 0)-differentially private, and releases at most n bins with counts in 1..n. (For |X| <=
    2n, where it is not defined, BasicHistogram of BV.Thm1.2 takes its place.)""",
    over="every neighbouring pair of multisets; GeoSample; joint laws of the running code, at e^epsilon for epsilon = 1",
    code=["finitedp.impl.histograms.pure_sparse.PureSparseHistogram"],
    grid=PURE,
    subject=pure,
    twins={
        "the labels that occur without noise": broken_pure("true counts of the labels that occur"),
        "bins tied with the (n+1)-th": broken_pure(">= the (n+1)-th"),
    },
)
def pure_privacy(make: Callable[[SparseCase], Sparse], case: SparseCase) -> Finding:
    mechanism, claim = make(case), PrivacyClaim(1, "replace-one")
    findings = [of_privacy(check_privacy(lambda rows: sparse_law(mechanism, rows), case.pairs, claim), claim)]
    for rows in case.datasets:
        bins = list(sparse_law(mechanism, rows))
        fits = all(len(kept) <= case.n and all(0 < count <= case.n for _, count in kept) for kept in bins)
        findings.append(equal(fits, True, f"at most {case.n} bins, counts in 1..{case.n}, for {rows}"))
    return all_of(findings)


class Stated(NamedTuple):
    """|X| and epsilon = 1/q."""

    size: int
    q: int


Errors = Callable[[int, mpq], tuple[int, int, int]]


def _pure_errors(size: int, epsilon: mpq) -> tuple[int, int, int]:
    single, above, every = pure_sparse_accuracy(size, epsilon, BETA)
    return single.a, above, every.a


@entry(
    "BV.Thm1.4.accurate",
    "theorem",
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
    return all_of(
        [
            at_most(single, 20 * case.q + 1, "per query"),
            at_most(above, ceil_log(mpq(9 * case.q), 80 * case.size) + 2, "counts above"),
            at_most(every, ceil_log(mpq(9 * case.q), 40 * case.size) + 2, "simultaneously"),
        ]
    )


# Theorem 1.6

Compact = Callable[[Dense], CompactHistogram[Any]]


def _compact(counting: Callable[[int, mpq, mpq], FastSample] = FastSample) -> Compact:
    def make(case: Dense) -> CompactHistogram[Any]:
        right = compact_histogram_with_fast_sample(range(case.size), case.n, rounded_down(case.epsilon), BETA)
        inner = right.mechanism
        assert isinstance(inner, FastSample)  # noqa: S101  # narrows the type
        return CompactHistogram(counting(inner.n, inner.epsilon, inner.gamma), range(case.size))

    return make


@entry(
    "BV.Thm1.6.private",
    "theorem",
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
)
def compact_privacy(make: Compact, case: Dense) -> Finding:
    ratio = worst_ratio(make(case))
    return equal(ratio is not None and compare_exp(ratio, case.epsilon) <= 0, True, "worst ratio within e^epsilon")


@entry(
    "BV.Thm1.6.accurate",
    "theorem",
    """It has per-query error O(1/epsilon) for every label, whatever its count, and simultaneous error O(log |X|/epsilon): up
    to a probability of 1/20 at most 15q and 5q ln(40 |X|), where q = ceil(1/epsilon) < 2/epsilon.""",
    over="every true count, and every dataset over the universe by dynamic programming; running laws of M and M_0",
    code=["finitedp.impl.histograms.compact.compact_histogram_with_fast_sample"],
    grid=cases(Dense, [(4, 30, mpq(1))], [(8, 32, mpq(1)), (3, 50, mpq(2, 3))]),
    subject=_compact(),
    twins={"noise four times too wide": _compact(counting=twins.FastTooWide)},
)
def compact_errors(make: Compact, case: Dense) -> Finding:
    histogram, q = make(case), _q(case.epsilon)
    single, every = 15 * q, ceil_log(mpq(5 * q), 40 * case.size)
    return all_of(
        [
            equal(every < case.n, True, "both errors are below n"),
            at_most(max(misses(histogram, single)), BETA, f"miss, a={single}:"),
            at_most(simultaneous_miss(histogram, every), BETA, f"simultaneous miss, a={every}:"),
        ]
    )
