"""Theorems 1.2 and 1.3 of Balcer and Vadhan, the informal statements, with constants in place of O.

They speak of every epsilon in (0, 1], where Sections 5 to 8 have epsilon = 1/q: an epsilon is rounded down to
1/ceil(1/epsilon), which is above epsilon/2, so that constants at most double. Their running times are the time columns of
Figures 3 to 6.
"""

from collections.abc import Callable, Iterator
from itertools import product
from typing import Any, NamedTuple

from gmpy2 import mpq

from finitedp.exact import ceil_log
from finitedp.impl.counting.geometric import FastSample
from finitedp.impl.histograms.basic import BasicHistogram, basic_histogram_with_fast_sample
from finitedp.impl.histograms.stability import StabilityHistogram, stability_histogram_with_fast_sample
from finitedp.proofs_check.checks.worst_case import miss_over_bins, miss_over_partitions
from finitedp.proofs_check.claims.bv.counting import twins
from finitedp.proofs_check.claims.bv.counting.subjects import accurate, remade, running_law
from finitedp.proofs_check.claims.bv.histograms.subjects import behind_threshold, row_moves
from finitedp.proofs_check.claims.bv.introduction.subjects import BETA, Dense, inverse, rounded_down, rounded_up
from finitedp.proofs_check.ledger.entry import Finding, cases, in_scope
from finitedp.proofs_check.ledger.findings import all_of, at_most, equal, theorem
from finitedp.spec.accuracy import miss_probability
from finitedp.spec.divergence import privacy_profile, product_max_ratio
from finitedp.spec.pmf import product as joint

Rounding = Callable[[mpq], mpq]


# Theorem 1.2


Basic = Callable[[Dense], BasicHistogram[int]]


def _basic(rounding: Rounding = rounded_down, counting: type[FastSample] = FastSample) -> Basic:
    """Theorem 5.3's instance at a rounded epsilon, or the same with a broken counting mechanism."""

    def make(case: Dense) -> BasicHistogram[int]:
        right = basic_histogram_with_fast_sample(range(case.size), case.n, rounding(case.epsilon), BETA)
        return BasicHistogram(remade(counting, right.mechanism), right.labels)

    return make


@theorem(
    "BV.Thm1.2.private",
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
    derived_from=("BV.Alg5.1", "FD.Factored"),
    by="multiplying the ratios of the bins, which are independent, each with the law of the running FastSample",
)
def dense_privacy(make: Basic, case: Dense) -> Iterator[Finding]:
    mechanism = make(case)
    law = running_law(mechanism.mechanism)
    yield equal(mechanism.labels, range(case.size), "a bin for every label")
    yield from (equal(law(c).support, frozenset(range(case.n + 1)), f"counts released for {c}") for c in range(case.n + 1))
    for x, y in row_moves(case.n, case.size):
        worst = product_max_ratio([(law(x), law(x - 1)), (law(y), law(y + 1))])
        yield equal(worst.exceeds_exp(case.epsilon), False, f"counts {x},{y} to {x - 1},{y + 1} within e^epsilon")


@theorem(
    "BV.Thm1.2.accurate",
    """It has per-query error O(1/epsilon) and simultaneous error O(log |X|/epsilon): up to a probability of 1/20 at most 15q
    and ceil(4q ln(40 |X|)) where q = ceil(1/epsilon) < 2/epsilon.""",
    over="every count, and every dataset by dynamic programming; n above twice the simultaneous error; running laws",
    code=["finitedp.impl.histograms.basic.basic_histogram_with_fast_sample"],
    grid=cases(
        Dense,
        [(2, 40, mpq(1)), (4, 44, mpq(1)), (2, 74, mpq(2, 3))],
        [(8, 50, mpq(1)), (3, 80, mpq(1, 2)), (3, 120, mpq(3, 7))],
    ),
    subject=_basic(),
    twins={"8/epsilon for 2/epsilon in k": _basic(counting=twins.FastTooWide)},
    derived_from=("BV.Alg5.1", "BV.Thm5.2.ii", "BV.Thm5.2.iii"),
    by="multiplying over independent bins, each with the law of the running FastSample",
)
def dense_errors(make: Basic, case: Dense) -> Finding:
    q = inverse(case.epsilon)
    single, every = 15 * q, ceil_log(mpq(4 * q), 40 * case.size)
    in_scope(2 * every < case.n, "n above twice the simultaneous error, below which the errors say little")
    law = running_law(make(case).mechanism)
    close = [1 - miss_probability(law(c), c, every) for c in range(case.n + 1)]
    together = at_most(miss_over_bins(close, case.n, case.size), BETA, f"simultaneous miss, a={every}:")
    return all_of([equal(q * case.epsilon < 2, True, "q < 2/epsilon"), accurate(law, case.n, [(BETA, single)]), together])


# Theorem 1.3


class Stable(NamedTuple):
    """n, epsilon in (0, 1] and delta in (0, 1/n)."""

    n: int
    epsilon: mpq
    delta: mpq

    def check_scope(self) -> None:
        in_scope(self.n >= 1 and 0 < self.epsilon <= 1, "a row at least, and epsilon in (0, 1]")
        in_scope(0 < self.delta < mpq(1, self.n), "delta in (0, 1/n)")


Stability = Callable[[Stable], StabilityHistogram[Any]]


def _stability(counting: type[FastSample] = FastSample) -> Stability:
    def make(case: Stable) -> StabilityHistogram[Any]:
        right = stability_histogram_with_fast_sample(case.n, rounded_down(case.epsilon), rounded_down(case.delta), BETA)
        return StabilityHistogram(remade(counting, right.mechanism), right.b)

    return make


def _low_threshold(case: Stable) -> StabilityHistogram[Any]:
    """Broken: a threshold of 1 + ceil(ln(2/delta)/epsilon), without 9/2."""
    right = _stability()(case)
    return StabilityHistogram(right.mechanism, 1 + ceil_log(inverse(case.epsilon), 2 / rounded_down(case.delta)))


def _threshold(case: Stable) -> int:
    return 1 + ceil_log(mpq(9 * inverse(case.epsilon), 2), 2 / rounded_down(case.delta))


@theorem(
    "BV.Thm1.3.private",
    """For every n, epsilon in (0, 1] and delta in (0, 1/n), the Stability-Based Histogram (over FastSample, at the next
    smaller 1/q for both) is (epsilon, delta)-differentially private and releases counts in 1..n, for labels that occur. (An n
    below its threshold is refused: every release would be empty.)""",
    over="neighbouring datasets where one of the two counts that change is at most 3, by the joint law of the two bins, at"
    " e^epsilon; running laws",
    code=["finitedp.impl.histograms.stability.stability_histogram_with_fast_sample"],
    grid=cases(
        Stable, [(20, mpq(1), mpq(1, 21)), (20, mpq(1), mpq(2, 43))], [(24, mpq(1), mpq(3, 100)), (46, mpq(9, 10), mpq(1, 47))]
    ),
    subject=_stability(),
    twins={"a threshold without 9/2": _low_threshold},
    derived_from=("BV.Alg5.4",),
    by="independence of the bins, each with the law of the running FastSample behind the threshold",
)
def stable_privacy(make: Stability, case: Stable) -> Iterator[Finding]:
    in_scope(_threshold(case) <= case.n, "n of at least the threshold")
    mechanism = make(case)
    law, every = behind_threshold(mechanism), set(range(case.n + 1))
    yield from (equal(law(c).support <= every, True, f"counts released for {c}") for c in range(case.n + 1))
    for x, y in row_moves(case.n):
        if min(x, y) > 3:
            continue  # a bin that may vanish is what delta is for; BV.Thm5.6.i has all
        left, right = joint([law(x), law(y)]), joint([law(x - 1), law(y + 1)])
        holds = privacy_profile(left, right).holds(case.epsilon, case.delta)
        yield equal(holds, True, f"counts {x},{y} to {x - 1},{y + 1}")
        if not holds:
            break  # a counterexample is enough


@theorem(
    "BV.Thm1.3.accurate",
    """It has per-query error O(1/epsilon) on counts of at least O(log(1/delta)/epsilon), and simultaneous error
    O(log(1/delta)/epsilon): up to a probability of 1/20 at most 12q + 1 on counts above ceil(10q ln(r)), and ceil(9q ln(r)),
    where q = ceil(1/epsilon), r = ceil(1/delta), and delta is at most 1/60 (and below 1/n).""",
    over="every count, and every dataset over any universe by dynamic programming over the partitions of n; running laws",
    code=["finitedp.impl.histograms.stability.stability_histogram_with_fast_sample"],
    grid=cases(
        Stable,
        [(44, mpq(1), mpq(1, 61))],
        [(60, mpq(1), mpq(1, 61)), (70, mpq(1), mpq(1, 100)), (120, mpq(2, 3), mpq(2, 251))],
    ),
    subject=_stability(),
    twins={"8/epsilon for 2/epsilon in k": _stability(counting=twins.FastTooWide)},
    derived_from=("BV.Alg5.4", "BV.Thm5.5.ii", "BV.Thm5.5.iii"),
    by="multiplying over independent bins, each with the law of the running FastSample behind the threshold",
)
def stable_errors(make: Stability, case: Stable) -> Finding:
    q, over_delta = inverse(case.epsilon), int(rounded_down(case.delta).denominator)
    above, every = ceil_log(mpq(10 * q), over_delta), ceil_log(mpq(9 * q), over_delta)
    in_scope(case.delta <= mpq(1, 60), "delta of at most 1/60")
    in_scope(max(above, every) < case.n, "n above both bounds: some count is larger, and the error below n")
    law = behind_threshold(make(case))
    close = [1 - miss_probability(law(c), c, every) for c in range(case.n + 1)]
    together = at_most(miss_over_partitions(close, case.n), BETA, f"simultaneous miss, a={every}:")
    return all_of([accurate(law, case.n, [(BETA, 12 * q + 1)], above), together])
