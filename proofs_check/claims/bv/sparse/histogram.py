"""Theorem 6.8 and Algorithm 6.21 of Balcer and Vadhan: SparseHistogram, which is near KH' in time poly-logarithmic in |X|."""

from collections.abc import Callable, Iterable
from functools import lru_cache
from itertools import accumulate, permutations
from typing import NamedTuple

from gmpy2 import mpq

from finitedp.exact import exp_bounds
from finitedp.impl.counting.geometric import CountingMechanism, GeoSample
from finitedp.impl.histograms.sampled_sparse import SparseHistogram
from finitedp.impl.histograms.universe import Integers
from finitedp.impl.randomness.coins import Coins, strict_bits
from finitedp.proofs_check.claims.bv.sparse.approx_order_statistics import ENDS
from finitedp.proofs_check.claims.bv.sparse.subjects import PARTS, Bins, InParts, Released
from finitedp.proofs_check.claims.bv.sparse.toys import ToyGeometric
from finitedp.proofs_check.engine.explorer import Exploration, explore
from finitedp.proofs_check.engine.work import work_of
from finitedp.proofs_check.ledger.entry import Finding, entry, erratum
from finitedp.proofs_check.ledger.findings import all_of, at_most, equal, same_law
from finitedp.spec import counting as spec_counting
from finitedp.spec import sparse as spec
from finitedp.spec.divergence import hockey_stick, total_variation
from finitedp.spec.histogram import histogram
from finitedp.spec.neighbours import multisets, neighbouring_multisets
from finitedp.spec.order_statistics import approx_top_order_statistics, top_order_statistics
from finitedp.spec.pmf import Pmf, product

__all__ = ["FIVE", "GEO", "SOME", "Case", "Rows", "counting_law", "counting_mechanism", "running", "running_law"]

Rows = tuple[int, ...]


class Case(NamedTuple):
    """|X|, n, the decay of the noise, delta = 1/r (or beta_1 = 1/r), and whether s is the paper's own or the next power of 2.

    rows: the datasets; all multisets where there are none.
    """

    size: int
    n: int
    decay: mpq
    r: int
    literal: bool = False
    rows: tuple[Rows, ...] = ()

    @property
    def datasets(self) -> tuple[Rows, ...]:
        """The datasets to look at."""
        return self.rows or tuple(multisets(range(self.size), self.n))

    def __str__(self) -> str:
        s = ", the paper's s" if self.literal else ""
        return f"|X|={self.size}, n={self.n}, decay {self.decay}, 1/{self.r}{s}" + (f", {self.rows}" if self.rows else "")


FIVE = ((0, 0), (0, 1), (1, 4), (2, 2), (3, 4))
SOME = ((3, 3), (1, 4), (4, 5))
GEO = mpq(2, 3)  # GeoSample at epsilon = 1


def _quick() -> list[Case]:
    small = [Case(3, 1, GEO, 2, True), Case(4, 1, mpq(1, 3), 3), Case(5, 1, GEO, 10, True), Case(5, 1, mpq(4, 5), 7)]
    return [*small, Case(5, 2, GEO, 1000, False, FIVE), Case(6, 2, mpq(1, 2), 5, True, SOME)]


def _full() -> list[Case]:
    three = [Case(7, 3, GEO, 4, False, (rows,)) for rows in ((0, 0, 0), (0, 4, 4), (1, 2, 3))]
    return [Case(6, 1, mpq(1, 9), 100), Case(5, 2, GEO, 9, True), Case(5, 2, mpq(1, 3), 2), Case(6, 2, GEO, 3), *three]


CASES = (_quick, _full)
Make = Callable[[Case], Released]


def counting_mechanism(n: int, decay: mpq) -> CountingMechanism:
    """GeoSample where it has that decay, else a toy."""
    return GeoSample(n, 1) if decay == GEO else ToyGeometric(n, decay)


def counting_law(case: Case) -> Callable[[int], Pmf[int]]:
    """The law of the counting mechanism, from its definition."""
    return lambda count: spec_counting.geometric_mechanism(case.n, case.decay, count)


def scaled_cdf(case: Case) -> tuple[int, ...]:
    """The distribution function of the noise of an empty bin, in integers, from its definition."""
    law = counting_law(case)(0)
    return tuple(accumulate(law.weight(z) for z in range(case.n + 1)))


def stated_s(case: Case) -> int:
    """The paper's s = (n^2 + 2n)|X|/delta, or the next power of two."""
    paper = (case.n**2 + 2 * case.n) * case.size * case.r
    return paper if case.literal else 1 << (paper - 1).bit_length()


def running(case: Case) -> SparseHistogram[int]:
    """The running SparseHistogram."""
    universe, mechanism = Integers(0, case.size - 1), counting_mechanism(case.n, case.decay)
    if case.literal:
        return SparseHistogram(mechanism, universe, mpq(1, case.r), s=stated_s(case))
    return SparseHistogram(mechanism, universe, mpq(1, case.r))


def broken(name: str) -> Make:
    """A broken copy of SparseHistogram."""
    return lambda case: PARTS[name](counting_mechanism(case.n, case.decay), case.size, running(case).top)


@lru_cache(maxsize=256)
def exploration(mechanism: Released, dataset: Rows) -> Exploration[Bins]:
    """What the explorer finds for one dataset."""
    return explore(lambda coins: mechanism.release(dataset, coins))


def running_law(mechanism: Released, dataset: Rows) -> Pmf[Bins]:
    """The exact law of the running code."""
    return exploration(mechanism, dataset).law()


def drawn(mechanism: Released, dataset: Rows) -> set[tuple[int, ...]]:
    """The ranges of the draws on each path, sorted."""
    return {tuple(sorted(int(d) for d in ranges)) for ranges, _ in exploration(mechanism, dataset).shapes}


def specified(case: Case, dataset: Rows) -> Pmf[Bins]:
    """The law by definition."""
    return spec.sparse_histogram(dataset, range(case.size), counting_law(case), case.n, stated_s(case))


@entry(
    "BV.Alg6.21",
    "algorithm",
    """SparseHistogram is KH' with the order statistics of the empty bins by ApproxOrdSample at s = (n^2 + 2n)|X|/delta (or the
    next power of two, which only brings it nearer).""",
    over="every dataset at n = 1, |X| = 3, 4, 5; some at n = 2, |X| = 5, 6 (full: all of them; three at n = 3, |X| = 7);"
    " the law of the running code by the explorer against the definition",
    code=["finitedp.impl.histograms.sampled_sparse.SparseHistogram", "finitedp.spec.sparse.sparse_histogram"],
    grid=CASES,
    subject=running,
    twins={name: broken(name) for name in PARTS},
)
def sparse_law(make: Make, case: Case) -> Finding:
    mechanism = make(case)
    return all_of([same_law(running_law(mechanism, d), specified(case, d), f"{d}") for d in case.datasets])


@entry(
    "BV.Thm6.8.i",
    "theorem",
    "SparseHistogram is within statistical distance delta of KH' (that is, of KeepHeavy), for every dataset.",
    over="the datasets of BV.Alg6.21; exact distance of the law of the running code from the definition of KeepHeavy",
    code=["finitedp.impl.histograms.sampled_sparse.SparseHistogram.distance"],
    grid=CASES,
    subject=running,
    twins={name: broken(name) for name in ("the loop bound as printed", "m = |X| - n", "a sorted set of empty bins")},
)
def sparse_distance(make: Make, case: Case) -> Finding:
    mechanism, findings = make(case), []
    for dataset in case.datasets:
        truth = spec.keep_heavy(dataset, range(case.size), counting_law(case), case.n)
        distance = total_variation(running_law(mechanism, dataset), truth).distance
        findings.append(at_most(distance, mpq(1, case.r), f"distance at {dataset}:"))
    stated = mpq((case.n**2 + 2 * case.n) * case.size, stated_s(case))
    return all_of([*findings, equal(running(case).distance, stated, "stated distance"), at_most(stated, mpq(1, case.r), "it")])


def _pairs_quick() -> list[Case]:
    return [Case(3, 1, GEO, 20), Case(4, 1, mpq(1, 3), 50), Case(5, 2, GEO, 30)]


def _pairs_full() -> list[Case]:
    return [Case(5, 1, mpq(8, 9), 1000, True), Case(5, 2, mpq(1, 3), 200), Case(6, 2, GEO, 100)]


PAIRS = (_pairs_quick, _pairs_full)


@entry(
    "BV.Thm6.8.ii",
    "theorem",
    """SparseHistogram is (epsilon, (e^epsilon + 1) delta)-differentially private; with a mechanism of worst ratio r even at
    the ratio r^2 in place of e^epsilon.""",
    over="every neighbouring pair of multisets; hockey-stick divergence of laws of the running code at r^2; the stated claim",
    code=["finitedp.impl.histograms.sampled_sparse.SparseHistogram.claim"],
    grid=PAIRS,
    subject=running,
    twins={name: broken(name) for name in ("a sorted set of empty bins", "true counts of the labels that occur")},
)
def sparse_privacy(make: Make, case: Case) -> Finding:
    mechanism, ratio = make(case), 1 / case.decay**2
    allowed = (ratio + 1) / case.r
    findings = []
    for left, right in neighbouring_multisets(range(case.size), case.n, "replace-one"):
        found = hockey_stick(running_law(mechanism, left), running_law(mechanism, right), ratio).delta
        findings.append(at_most(found, allowed, f"delta from {left} to {right}"))
    stated = running(case).claim()
    implied = stated.delta <= (exp_bounds(stated.epsilon)[0] + 1) / case.r
    return all_of([*findings, equal((stated.delta, implied), (min(allowed, mpq(1)), True), "stated delta")])


class Unpadded(InParts):
    """A release that makes no draws for labels that do not occur."""


def _unpadded(case: Case) -> Released:
    return Unpadded(counting_mechanism(case.n, case.decay), case.size, running(case).top)


@entry(
    "BV.Thm6.8.iii",
    "theorem",
    """SparseHistogram takes n noisy counts, n + 1 draws below |X| and n draws below s, where log2 s is at most log2((n^2 +
    2n)|X|/delta) + 1: the same draws, bits and functions called for every dataset, result and path.""",
    over="the datasets of BV.Alg6.21; ranges of all draws on every path; functions called on least, largest, middle draws",
    code=["finitedp.impl.histograms.sampled_sparse.SparseHistogram.cost"],
    grid=CASES,
    subject=running,
    twins={"not padded": _unpadded},
)
def sparse_cost(make: Make, case: Case) -> Finding:
    mechanism, stated, s = make(case), running(case), stated_s(case)
    cost, d = stated.cost(), int(stated.mechanism.d)
    expected = sorted([d] * case.n + [case.size] * (case.n + 1) + [s] * case.n)
    ranges = {
        tuple(sorted(int(x) for x in shape)) for rows in case.datasets for shape, _ in exploration(mechanism, rows).shapes
    }
    work = {frozenset(_work(mechanism, rows, coins).items()) for rows in case.datasets for coins in ENDS}
    return all_of(
        [
            equal(ranges, {tuple(expected)}, "draws"),
            equal((cost.draws, cost.bits), (len(expected), sum(map(strict_bits, expected))), "stated draws and bits"),
            equal(len(work), 1, "different amounts of work"),
            at_most(s, 2 * (case.n**2 + 2 * case.n) * case.size * case.r, "s"),
        ]
    )


def _work(mechanism: Released, rows: Rows, coins: Coins) -> dict[str, int]:
    """The functions called, but for those that read the dataset, which is counted in a dictionary first."""
    mechanism.release(rows, coins)  # tails that were computed are remembered, so the first run does more
    calls = work_of(lambda: mechanism.release(rows, coins))
    reading = ("index", "label", "size", "<genexpr>", "_heaviest.<locals>", "heavier_than", "indexed")
    return {name: times for name, times in calls.items() if not any(part in name for part in reading)}


class Star(NamedTuple):
    """All bins that were drawn, before the heaviest are kept, or the heaviest alone."""

    kept: bool


def _bins(case: Case, dataset: Rows, top: Pmf[tuple[int, ...]], kept: bool) -> Pmf[Bins]:
    """The bins of the labels that occur and of the n + 1 sampled ones, or the heaviest of them."""
    present = sorted(set(dataset))
    absent = [x for x in range(case.size) if x not in present]
    noisy = product([counting_law(case)(c) for c in histogram(dataset, present)])
    sequences = Pmf.uniform(permutations(absent, case.n + 1))

    def joined(drawn: tuple[Iterable[int], Iterable[int], Iterable[int]]) -> Bins:
        counts, labels, largest = drawn
        bins = sorted([*zip(present, counts, strict=True), *zip(labels, largest, strict=True)])
        bar = sorted((c for _, c in bins), reverse=True)[case.n] if kept else -1
        return tuple((x, c) for x, c in bins if c > bar)

    return product([noisy, sequences, top]).pushforward(joined)  # type: ignore[arg-type]  # three kinds of tuples


@erratum(
    "BV.Err.5",
    "Proof of Theorem 6.8 i as printed: KH' is within delta of SparseHistogram*.",
    "Corrected: KH*, which releases all bins of A and of the sampled labels, is within delta of SparseHistogram*.",
    as_printed=("KH' for KH*", Star(kept=True)),
    subject=Star(kept=False),
    over="the datasets of BV.Thm6.8.ii; laws by definition",
    code=["finitedp.impl.histograms.sampled_sparse.SparseHistogram"],
    grid=PAIRS,
)
def distance_of_stars(star: Star, case: Case) -> Finding:
    """The distance of KH*, or KH' itself, from SparseHistogram*."""
    findings = []
    for dataset in case.datasets:
        m = case.size - len(set(dataset))
        one = counting_law(case)(0)
        exact = _bins(case, dataset, top_order_statistics(one, m, case.n + 1), star.kept)
        approx = _bins(case, dataset, approx_top_order_statistics(scaled_cdf(case), m, stated_s(case)), False)
        findings.append(at_most(total_variation(exact, approx).distance, mpq(1, case.r), f"distance at {dataset}:"))
    return all_of(findings)
