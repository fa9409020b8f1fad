"""Theorems 21 and 25: how the errors of Algorithms 3, 5 and 7 grow, measured on seeded runs and never verified."""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from gmpy2 import mpq

from finitedp.exact import log_bounds
from finitedp.impl.anonymized import references
from finitedp.impl.anonymized.estimator import algorithm_5
from finitedp.impl.anonymized.prevalences import Pairs, pairs_of_counts, sorted_distance, total_of
from finitedp.impl.anonymized.properties import support_coverage, support_size
from finitedp.impl.counting.dyadic import DyadicSample
from finitedp.impl.counting.dyadic_bulk import apply_array
from finitedp.impl.randomness.coins import Coins, SeededBits, StrictCoins
from finitedp.numbers import decimal
from finitedp.proofs_check.ledger.entry import Finding, cases
from finitedp.proofs_check.ledger.findings import algorithm, theorem

IMPL = "finitedp.impl.anonymized"
Measure = tuple[Callable[[Sequence[int], int, DyadicSample, Coins], Pairs], Callable[[Pairs, Pairs], mpq | int]]
"""From the counts of all labels, n, the noise and coins to an estimate; and its error, beside the true prevalences."""


class Growth(NamedTuple):
    """Epsilon (of one noisy table), and sizes n."""

    epsilon: str
    sizes: tuple[int, ...]
    runs: int = 4

    def __str__(self) -> str:
        return f"epsilon={self.epsilon}, n={self.sizes[0]}..{self.sizes[-1]}, {self.runs} seeded runs each"


def _counts(n: int) -> list[int]:
    """Counts floor(C/i) with about n items, and empty bins, so that there are n bins."""
    scale = 1
    while sum(scale // i for i in range(1, scale + 1)) < n:
        scale += max(1, scale // 8)
    counts = [scale // i for i in range(1, scale + 1)]
    return [*counts, *[0] * (sum(counts) - len(counts))]


def _noisy(counts: Sequence[int], mechanism: DyadicSample, coins: Coins) -> list[int]:
    words = np.array([coins.bits(mechanism.word) for _ in counts], dtype=np.uint64)
    return [int(noisy) for noisy in apply_array(mechanism, np.array(counts), words)]


def _squared(one: Pairs, other: Pairs) -> int:
    """The squared l2 distance of sorted counts."""
    g, h = (sorted((r for r, many in pairs for _ in range(many)), reverse=True) for pairs in (one, other))
    size = max(len(g), len(h))
    return sum((a - b) ** 2 for a, b in zip(g + [0] * (size - len(g)), h + [0] * (size - len(h)), strict=True))


def _raw(counts: Sequence[int], _n: int, mechanism: DyadicSample, coins: Coins) -> Pairs:
    return pairs_of_counts(_noisy(counts, mechanism, coins))


def _fifth(counts: Sequence[int], n: int, mechanism: DyadicSample, coins: Coins) -> Pairs:
    return algorithm_5(_noisy(counts, mechanism, coins), n, mechanism.table.ratio)


def _third(counts: Sequence[int], n: int, mechanism: DyadicSample, coins: Coins) -> Pairs:
    band = 3 * mechanism.accuracy(mpq(1, 10 * len(counts))).a
    return references.algorithm_3(_noisy(counts, mechanism, coins), n, mechanism.table.ratio, band)


def _seventh(counts: Sequence[int], n: int, mechanism: DyadicSample, coins: Coins) -> Pairs:
    m = 6
    buckets = 3 * n * m + 1
    plain = _fifth(counts, n, mechanism, coins)
    loads: Counter[int] = Counter()
    for c in counts:
        loads[int(coins.uniform(buckets))] += c
    hashed = _fifth([min(loads[b], n) for b in range(1, buckets + 1)], n, mechanism, coins)
    return references.algorithm_7(plain, hashed, n, buckets, m)


def _relative(property_of: Callable[[Pairs], mpq | int]) -> Callable[[Pairs, Pairs], mpq]:
    """The error of a property, for each item."""
    return lambda found, true: mpq(abs(mpq(property_of(found)) - property_of(true))) / total_of(true)


NEW_LABELS = _relative(lambda pairs: support_coverage(pairs, 1))
HALF = mpq(1, 2)
SUPPORT = _relative(support_size)


def _exponent(measure: Measure, case: Growth, least: mpq = HALF) -> mpq:
    """The slope of log(mean error) from the smallest to the largest n, by rational bounds of logarithms."""
    estimate, error = measure
    points = []
    for n in case.sizes:
        counts = _counts(n)
        items, true = sum(counts), pairs_of_counts(counts)
        mechanism = DyadicSample(items, 2 * mpq(case.epsilon), 64)
        coins = (StrictCoins(SeededBits(seed, not_private=True)) for seed in range(case.runs))
        whole = sum(error(estimate(counts, items, mechanism, each), true) for each in coins)
        points.append((log_bounds(items)[0], log_bounds(max(mpq(whole) / case.runs, least))[0]))
    (x, y), (u, v) = points[0], points[-1]
    return (v - y) / (u - x)


SAMPLED = "a few seeded runs at the smallest and the largest size; the theorem speaks of all n, and no run decides that"
PROPERTIES = cases(Growth, [("1", (100, 1600), 20)], [("1", (400, 6400), 12), ("3", (400, 6400), 12)])
GROWTH = cases(Growth, [("1", (100, 1600))], [("1", (200, 6400)), ("3", (200, 6400))])


@theorem(
    "GK.Thm25",
    """Theorem 25, growth of Algorithm 7's l1 error with B = 3nm + 1 buckets: sqrt(n) up to logarithms and a power of m.
    Measured exponent at most 3/4, where the noisy counts themselves have more.""",
    over="Zipf data in D = n bins; m = 6",
    code=[f"{IMPL}.references.algorithm_7"],
    grid=cases(Growth, [("1", (100, 1600), 2)], [("1/2", (100, 1600)), ("2", (100, 1600))]),
    subject=(_seventh, sorted_distance),
    twins={"the noisy counts": (_raw, sorted_distance)},
    sampled=SAMPLED,
)
@algorithm(
    "GK.Alg1",
    """Algorithm 1 (Algorithm 5 is its fast form), growth of the l1 error: sqrt(n) up to logarithms. Measured exponent at most
    3/4, where the noisy counts themselves have more.""",
    over="Zipf data in D = n bins",
    code=[f"{IMPL}.estimator.algorithm_5"],
    grid=GROWTH,
    subject=(_fifth, sorted_distance),
    twins={"the noisy counts": (_raw, sorted_distance)},
    sampled=SAMPLED,
)
@theorem(
    "GK.Thm21",
    """Theorem 21, growth of Algorithm 3's squared error: sqrt(n) up to logarithms where the number of bins is of order n.
    Measured exponent at most 3/4, where the noisy counts themselves have more.""",
    over="Zipf data in D = n bins; without the constraint on the sum",
    code=[f"{IMPL}.references.algorithm_3"],
    grid=GROWTH,
    subject=(_third, _squared),
    twins={"the noisy counts": (_raw, _squared)},
    sampled=SAMPLED,
)
def growth(measure: Measure, case: Growth) -> Finding:
    slope = _exponent(measure, case)
    return Finding(slope <= mpq(3, 4), slope / mpq(3, 4), f"exponent {decimal(slope, 3)} of 1/2, {case}")


@theorem(
    "GK.Cor24",
    """What the noise adds in Corollary 24: |support size of Algorithm 5's histogram - that of the data|/n falls with n, like
    1/sqrt(n). Measured exponent at most -1/4, where that of the noisy counts is larger. The corollary's sample size, for items
    drawn from a law, is not looked at.""",
    over="Zipf data in D = n bins, Algorithm 5",
    code=[f"{IMPL}.properties.support_size", f"{IMPL}.estimator.algorithm_5"],
    grid=PROPERTIES,
    subject=(_fifth, SUPPORT),
    twins={"the noisy counts": (_raw, SUPPORT)},
    sampled=SAMPLED,
)
@theorem(
    "GK.Cor23",
    """What the noise adds in Corollary 23: |estimate from Algorithm 5's histogram - that from the data|/n, of how many new
    labels n more items bring, falls with n, like 1/sqrt(n). Measured exponent at most -1/4, where that of the noisy counts is
    larger. The corollary's sample size, for items drawn from a law, is not looked at.""",
    over="Zipf data in D = n bins, Algorithm 5, the smoothed Good-Toulmin estimate",
    code=[f"{IMPL}.properties.support_coverage", f"{IMPL}.estimator.algorithm_5"],
    grid=PROPERTIES,
    subject=(_fifth, NEW_LABELS),
    twins={"the noisy counts": (_raw, NEW_LABELS)},
    sampled=SAMPLED,
)
def properties_growth(measure: Measure, case: Growth) -> Finding:
    slope = _exponent(measure, case, mpq(1, 10**9))
    return Finding(slope <= mpq(-1, 4), mpq(0), f"exponent {decimal(slope, 3)} of -1/2, {case}")
