"""Theorems 21, 22 and 25 and Corollaries 23, 24 and 26: the steps that hold at every size, exactly; growth as measured."""

from collections.abc import Callable, Sequence
from functools import partial
from itertools import product
from math import factorial, isqrt, prod
from typing import NamedTuple

from gmpy2 import mpq

from finitedp.impl.anonymized import references
from finitedp.impl.anonymized.hashing import unhashed
from finitedp.proofs_check.claims.gk.subjects import GK_SPEC, estimates, hashes, levels_of
from finitedp.proofs_check.claims.ph.each_case import Bounded, bounded, largest_load
from finitedp.proofs_check.claims.ph.subjects import clamped_geometric, expected, l1, unimodal
from finitedp.proofs_check.ledger.entry import Cases, Finding, cases
from finitedp.proofs_check.ledger.findings import lemma, theorem
from finitedp.spec.anonymized import histograms
from finitedp.spec.anonymized.histograms import Histogram
from finitedp.spec.pmf import Pmf, mixture
from finitedp.spec.pmf import product as joint

IMPL = "finitedp.impl.anonymized.references"
P = mpq(1, 2)


class Band(NamedTuple):
    """N items, D bins and the band Delta."""

    n: int
    bins: int
    band: int


def _apart(g: Sequence[int], h: Sequence[int], size: int) -> list[int]:
    one, other = ([*k, *[0] * (size - len(k))] for k in (sorted(g, reverse=True), sorted(h, reverse=True)))
    return [abs(a - b) for a, b in zip(one, other, strict=True)]


@theorem(
    "GK.Thm21.steps",
    """Theorem 21, the steps of its proof: where the sorted noisy counts are within Delta of the true ones, every histogram
    that Algorithm 3 may return has ||n^ - n||_2^2 <= ||n^ - n||_1 ||n^ - n||_inf <= 4 Delta ||phi^n - phi^||_1.""",
    over="all histograms with n items, all noisy counts in 0..n within Delta, all minimisers; p = 1/2",
    code=[f"{IMPL}.algorithm_3", f"{GK_SPEC}.corrected"],
    grid=cases(Band, [(2, 2, 1), (3, 3, 1)], [(4, 3, 1), (4, 4, 2)]),
    subject=lambda band, off: 4 * band * off,
    twins={"Delta^2/4": lambda band, off: band * band * off / 4, "Delta / 8": lambda band, off: band * off / 8},
)
@bounded("squared error")
def squared_error(bound: Callable[[int, mpq], mpq], case: Band) -> Bounded:
    n, bins, band = case
    for noisy in unimodal(bins, n):
        targets = estimates(noisy, n, P)
        near = [h for h in histograms.partitions(n) if len(h) <= bins and max(_apart(h, noisy, bins)) <= band]
        cost = {h: l1(targets, levels_of(h, n)) for h in near}
        for true, out in product(near, repeat=2):
            if cost[out] == min(cost.values()):
                apart = _apart(true, out, bins)
                middle = sum(apart) * max(apart)
                yield sum(x * x for x in apart), middle, f"first step, {true}, {noisy}, {out}"
                yield middle, bound(band, cost[true]), f"{true}, {noisy}, {out}, {case}"


class Union(NamedTuple):
    """N items, D bins, and p."""

    n: int
    bins: int
    decay: mpq


def _radius(case: Union, factor: int) -> int:
    """The least integer above factor ln(2nD)/ln(1/p)."""
    d = 0
    while case.decay**d * (2 * case.n * case.bins) ** factor >= 1:
        d += 1
    return d


@theorem(
    "GK.Thm21.tail",
    """With Delta = 10 ln(2nD)/ln(1/p) the probability that some bin's noise is beyond Delta is at most 0.1/n^2, by the union
    of D bins.""",
    over="n, D and p on the grid; exact tails",
    code=["finitedp.spec.counting.geometric_mechanism"],
    grid=cases(Union, product((1, 5, 100), (1, 30), (mpq(1, 2), mpq(9, 10))), product((1000,), (10**6,), (mpq(99, 100),))),
    subject=10,
    twins={"ln(2nD) alone": 1, "0": 0},
)
def union_bound(factor: int, case: Union) -> Finding:
    beyond = case.bins * 2 * case.decay ** _radius(case, factor) / (1 + case.decay)
    return largest_load("probability", [(beyond, mpq(1, 10 * case.n**2), case)])


class Twice(NamedTuple):
    """N items of labels that are all different or all one; B1 and B2 buckets, the band, and p."""

    counts: Histogram
    first: int
    second: int
    band: int
    decay: mpq


def _noisy_table(counts: Histogram, buckets: int, decay: mpq) -> Pmf[tuple[int, ...]]:
    """The law of the sorted noisy bucket totals, noise clamped to 0..n, over all hashes."""
    n, hashed = sum(counts), list(hashes(counts, buckets))
    laws = [joint([clamped_geometric(decay, sum(labels), 0, n) for labels in to]) for to in hashed]
    return mixture([(mpq(1, len(hashed)), law) for law in laws]).pushforward(lambda y: tuple(sorted(y, reverse=True)))


@theorem(
    "GK.Thm22",
    """Theorem 22, the inequality of its proof: E||n^ - n||_2^2 <= 4 Delta E||n^1 - n||_1 + n^2 (n^2/B2 + Pr[some noise of the
    second table beyond Delta]), for Algorithm 4 with any Delta and Algorithm 2's estimate n^1.""",
    over="all hashes of both tables, all noise (clamped to 0..n); both means and the probability exactly",
    code=[f"{IMPL}.algorithm_4", f"{IMPL}.algorithm_2"],
    grid=cases(
        Twice,
        [((1, 1), 2, 3, 1, mpq(1, 4)), ((2,), 2, 3, 0, mpq(1, 10))],
        [((1, 1), 3, 4, 1, mpq(1, 4)), ((2, 1), 2, 4, 1, P)],
    ),
    subject=(4, 1),
    twins={"n^2/B2 left out, and the noise": (mpq(1, 10), 0), "1/10 of both": (mpq(4, 10), mpq(1, 10))},
)
def two_hashes(factors: tuple[mpq | int, mpq | int], case: Twice) -> Finding:
    n, b2 = sum(case.counts), case.second

    def first_estimate(noisy: tuple[int, ...]) -> Histogram:
        estimate = references.algorithm_3(noisy, n, 1 / case.decay, n)
        return histograms.from_prevalences(references.algorithm_2(estimate, n, case.first))

    def squared(first: Histogram, noisy: tuple[int, ...]) -> int:
        out = histograms.from_prevalences(references.algorithm_4(histograms.prevalences(first), noisy, n, case.band))
        return sum(x * x for x in _apart(out, case.counts, b2 + n))

    firsts = _noisy_table(case.counts, case.first, case.decay).pushforward(first_estimate)
    second = _noisy_table(case.counts, b2, case.decay)
    value = expected(firsts, lambda first: expected(second, partial(squared, first)))
    off = expected(firsts, partial(histograms.distance, case.counts))
    rare = mpq(n * n, b2) + 1 - (1 - 2 * case.decay ** (case.band + 1) / (1 + case.decay)) ** b2
    allowed = factors[0] * case.band * off + n * n * rare * factors[1]
    return largest_load("E||n^ - n||_2^2", [(value, allowed, case)])


class Birthday(NamedTuple):
    """N labels in B2 buckets."""

    n: int
    buckets: int


@theorem(
    "GK.Thm22.collision",
    "The probability that any two of n labels meet in B2 buckets is at most n^2/B2.",
    over="n and B2 on the grid; the exact probability",
    code=[f"{GK_SPEC}.hashed"],
    grid=cases(Birthday, [(2, 4), (5, 30), (20, 20**4)], [(50, 50**4), (100, 1000)]),
    subject=lambda n, b: mpq(n * n, b),
    twins={"n/B2": lambda n, b: mpq(n, 4 * b), "n^2/B2^2": lambda n, b: mpq(n * n, b * b)},
)
def meeting(bound: Callable[[int, int], mpq], case: Birthday) -> Finding:
    apart = prod((mpq(case.buckets - i, case.buckets) for i in range(case.n)), start=mpq(1))
    return largest_load("probability", [(1 - apart, bound(*case), case)])


def _advantage(labels: int, buckets: int) -> mpq:
    """The total variation between the loads of `labels` single balls and those where two of them are one: exactly.

    The likelihood ratio is S B/(c(c-1)), S the number of ordered pairs that share a bucket; its law by buckets.
    """
    scaled = {(0, 0): mpq(1)}  # (balls placed, S) to the number of ways, times 1/loads!
    for _ in range(buckets):
        after: dict[tuple[int, int], mpq] = {}
        for (placed, same), weight in scaled.items():
            for load in range(labels - placed + 1):
                key = placed + load, same + load * (load - 1)
                after[key] = after.get(key, mpq(0)) + weight / factorial(load)
        scaled = after
    ratio = mpq(buckets, labels * (labels - 1))
    away = sum((weight * abs(same * ratio - 1) for (placed, same), weight in scaled.items() if placed == labels), mpq(0))
    return away * mpq(factorial(labels), 2 * buckets**labels)


@lemma(
    "GK.SecB.barrier",
    """Section B.2.1: c = ceil(10 sqrt(B)) labels of count q, and c - 2 of them with one of 2q, are at squared distance 2 q^2,
    and after hashing into B buckets no test tells them apart with an advantage above 1/10.""",
    over="B on the grid; the exact total variation of the loads, even before any noise",
    code=[f"{GK_SPEC}.hashed_law"],
    grid=Cases((1, 2, 3), (4, 5)),
    subject=10,
    twins={"c = 2 sqrt(B)": 2, "c = 3 sqrt(B)": 3},
)
def barrier(factor: int, buckets: int) -> Finding:
    c = isqrt(factor**2 * buckets - 1) + 1
    g, h = (1,) * c, (2, *(1,) * (c - 2))
    square = sum((a - b) ** 2 for a, b in zip(g, (*h, 0), strict=True))
    advantage = _advantage(c, buckets)
    found = [(advantage, mpq(1, 10), f"B={buckets}, c={c}"), (mpq(abs(square - 2)), mpq(0), "squared distance")]
    return largest_load("advantage", found)


# Theorem 25 and Corollary 26


class Both(NamedTuple):
    """N items; m levels from the buckets."""

    n: int
    m: int


@theorem(
    "GK.Thm25.steps",
    """Theorem 25, its first step with the constant: ||n^ - n||_1 <= 2 (sum over r <= m of |x_r - phi_r| + sum over r > m of
    |phi_r of the plain estimate - phi_r|), whatever the two estimates are.""",
    over="all histograms with n items as the truth and as both estimates, B = 10nm",
    code=[f"{IMPL}.algorithm_7"],
    grid=cases(Both, [(3, 1), (4, 2)], [(5, 2), (5, 3)]),
    subject=mpq(2),
    twins={"1/2": mpq(1, 2), "3/4": mpq(3, 4)},
)
@bounded("||n^ - n||_1")
def through_both(factor: mpq, case: Both) -> Bounded:
    n, m = case
    b = 10 * n * m
    for plain, hashed in product(histograms.partitions(n), repeat=2):
        pairs = histograms.prevalences(plain), histograms.prevalences(hashed)
        x = unhashed([histograms.cumulative(hashed, r) for r in range(1, m + 1)], n, b)
        out = histograms.from_prevalences(references.algorithm_7(*pairs, n, b, m))
        for true in histograms.partitions(n):
            parts = l1([*x, *levels_of(plain, n)[m:]], levels_of(true, n))
            yield histograms.distance(out, true), factor * parts, f"{true}, {plain}, {hashed}, {case}"


@theorem(
    "GK.Thm25.tail",
    """With m = ceil(10 ln D/ln(1/p)), D times the sum over r > m of r p^r is D p^(m+1) ((m+1)/(1-p) + p/(1-p)^2), and at most
    1/(1-p)^2.""",
    over="D and p on the grid",
    code=[f"{IMPL}.algorithm_7"],
    grid=cases(lambda *x: x, product((1, 2, 50), (mpq(1, 2), mpq(9, 10))), product((10**3,), (mpq(1, 10), mpq(19, 20)))),
    subject=10,
    twins={"m = 0": 0, "ln D / 10": mpq(1, 10)},
)
def farlevels_of(factor: mpq | int, case: tuple[int, mpq]) -> Finding:
    d, p = case
    m = 0
    while p ** (10 * m) * mpq(d) ** int(10 * factor) > 1:
        m += 1
    closed = d * p ** (m + 1) * ((m + 1) / (1 - p) + p / (1 - p) ** 2)
    first = d * sum(r * p**r for r in range(m + 1, m + 30))
    rest = d * p ** (m + 30) * ((m + 30) / (1 - p) + p / (1 - p) ** 2)
    found = [(closed, 1 / (1 - p) ** 2, f"D={d}, p={p}, m={m}"), (mpq(abs(first + rest - closed)), mpq(0), "closed form")]
    return largest_load("sum", found)
