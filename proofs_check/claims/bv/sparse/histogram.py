"""Theorem 6.8 and Algorithm 6.21 of Balcer and Vadhan: SparseHistogram, which is near KH' in time poly-logarithmic in |X|."""

from collections.abc import Iterable, Iterator
from itertools import islice, permutations
from typing import NamedTuple

from gmpy2 import mpq

from finitedp.exact import exp_bounds
from finitedp.impl.randomness.coins import Coins, strict_bits
from finitedp.proofs_check.checks.work import work_of
from finitedp.proofs_check.claims.bv.sparse import subjects
from finitedp.proofs_check.claims.bv.sparse.parts import Bins, InParts
from finitedp.proofs_check.claims.bv.sparse.samplers import ENDS
from finitedp.proofs_check.claims.bv.sparse.subjects import FIVE, GEO, SOME, Case, Make, Rows, Sparse, running_law, sparse
from finitedp.proofs_check.engine.explorer import explore
from finitedp.proofs_check.ledger.entry import AS_READ, Cases, Finding, but, cases, erratum
from finitedp.proofs_check.ledger.findings import algorithm, all_of, at_most, equal, in_turn, same_law, theorem
from finitedp.spec import sparse as spec
from finitedp.spec.divergence import hockey_stick, total_variation
from finitedp.spec.histogram import histogram
from finitedp.spec.order_statistics import approx_top_order_statistics, top_order_statistics
from finitedp.spec.pmf import Pmf, product

# Without a row nearly all twins fail; what two labels do to each other shows from n = 2 on.
CASES = cases(
    Case,
    [
        (3, 1, GEO, 1000, False, ((), (0,))),
        *((3, 1, GEO, 2, True), (4, 1, mpq(1, 3), 3), (5, 1, GEO, 10, True), (5, 1, mpq(4, 5), 7)),
        (5, 2, GEO, 1000, False, ((0, 0), (1, 4))),
    ],
    [
        *((5, 2, GEO, 1000, False, FIVE), (6, 2, mpq(1, 2), 5, True, SOME), (6, 1, mpq(1, 9), 100)),
        *((5, 2, GEO, 9, True), (5, 2, mpq(1, 3), 2), (6, 2, GEO, 3)),
        *((7, 3, GEO, 4, False, (rows,)) for rows in ((0, 0, 0), (0, 4, 4), (1, 2, 3))),
    ],
)
MOST_LABELS = 100  # of which all sequences are listed
LARGE = Case(2**64, 1, mpq(1, 2**64), 2, False, ((), (2**64 - 1,)))  # some empty bin gets a count, or none, about as often
LAWS = Cases([*CASES.of("quick")[:-1], LARGE, *CASES.of("quick")[-1:]], lambda: CASES.of("full"))
PAIRS = cases(
    Case,
    [(3, 1, GEO, 20), (4, 1, mpq(1, 3), 50), (5, 2, GEO, 1000, False, ((0, 0), (0, 4), (1, 4)))],
    [(5, 2, GEO, 30), (5, 1, mpq(8, 9), 1000, True), (5, 2, mpq(1, 3), 200), (6, 2, GEO, 100)],
)

FewEmptyBins = but(InParts, empties=lambda self, present: min(InParts.empties(self, present), 2**32))
"""Broken: m of at most 32 bits."""


class LeastLabels:
    """Coins whose draws of labels, which have a common bound, are 1; the others are as they come."""

    def __init__(self, coins: Coins, bounds: set[int]) -> None:
        self.slack, self.bits = coins.slack, coins.bits
        self._coins, self._bounds = coins, bounds

    def uniform(self, d: int, most: int | None = None) -> int:
        """1 for a label."""
        if most is None:
            return self._coins.uniform(d)
        self._bounds.add(int(most))
        return 1


def _counts_of_first_labels(mechanism: Sparse, case: Case, dataset: Rows) -> Finding:
    """The law given the sampled labels, by the definition, and that those are drawn from all of X."""
    bounds = set[int]()
    law = explore(lambda coins: mechanism.release(dataset, LeastLabels(coins, bounds))).law()
    top = approx_top_order_statistics(subjects.scaled_cdf(case), case.size - len(set(dataset)), subjects.sparse_s(case))
    first = tuple(islice((x for x in range(case.size) if x not in dataset), case.n + 1))
    expected = _bins(case, dataset, top, True, Pmf.point(first))
    return all_of([same_law(law, expected, f"{dataset}"), equal(bounds, {case.size}, "bound of the draws of labels")])


@algorithm(
    "BV.Alg6.21",
    """SparseHistogram is KH' with the order statistics of the empty bins by ApproxOrdSample at s = (n^2 + 2n)|X|/delta (or the
    next power of two, which only brings it nearer).""",
    over="every dataset at n = 1, |X| = 3, 4, 5; no row; two at n = 2, |X| = 5 (full: all of them at |X| = 5, 6; three at"
    " n = 3, |X| = 7); the law of the running code by the explorer against the definition; at |X| = 2^64 on the least labels",
    code=["finitedp.impl.histograms.sampled_sparse.SparseHistogram", "finitedp.spec.sparse.sparse_histogram"],
    grid=LAWS,
    subject=sparse,
    twins=subjects.broken_copies(subjects.broken_sparse)
    | {
        "at most 2^32 empty bins": lambda case: FewEmptyBins(
            subjects.counting_mechanism(case.n, case.decay), case.size, sparse(case).top
        )
    },
)
def sparse_law(make: Make, case: Case) -> Finding:
    mechanism = make(case)
    if case.size > MOST_LABELS:
        return in_turn(_counts_of_first_labels(mechanism, case, dataset) for dataset in case.datasets)
    return in_turn(same_law(running_law(mechanism, d), subjects.law_of_sparse(case, d), f"{d}") for d in case.datasets)


@theorem(
    "BV.Thm6.8.i",
    "SparseHistogram is within statistical distance delta of KH' (that is, of KeepHeavy), for every dataset.",
    over="the datasets of BV.Alg6.21; exact distance of the law of the running code from the definition of KeepHeavy",
    code=["finitedp.impl.histograms.sampled_sparse.SparseHistogram.distance"],
    grid=CASES,
    subject=sparse,
    twins=subjects.broken_copies(
        subjects.broken_sparse, "the loop bound as printed", "m = |X| - n", "a sorted set of empty bins"
    ),
)
def distance_from_keep_heavy(make: Make, case: Case) -> Finding:
    mechanism, findings = make(case), []
    for dataset in case.datasets:
        truth = spec.keep_heavy(dataset, range(case.size), case.noisy, case.n)
        distance = total_variation(running_law(mechanism, dataset), truth).distance
        findings.append(at_most(distance, mpq(1, case.r), f"distance at {dataset}:"))
    stated = mpq((case.n**2 + 2 * case.n) * case.size, subjects.sparse_s(case))
    return all_of([*findings, equal(sparse(case).distance, stated, "stated distance"), at_most(stated, mpq(1, case.r), "it")])


@theorem(
    "BV.Thm6.8.ii",
    """SparseHistogram is (epsilon, (e^epsilon + 1) delta)-differentially private; with a mechanism of worst ratio r even at
    the ratio r^2 in place of e^epsilon.""",
    over="every neighbouring pair of multisets (at n = 2 one of each kind; full: all);"
    " hockey-stick divergence of laws of the running code at r^2; the stated claim",
    code=["finitedp.impl.histograms.sampled_sparse.SparseHistogram.claim"],
    grid=PAIRS,
    subject=sparse,
    twins=subjects.broken_copies(subjects.broken_sparse, "a sorted set of empty bins", "true counts of the labels that occur"),
)
def sparse_privacy(make: Make, case: Case) -> Iterator[Finding]:
    mechanism, ratio = make(case), 1 / case.decay**2
    allowed = (ratio + 1) / case.r
    for left, right in case.pairs:
        found = hockey_stick(running_law(mechanism, left), running_law(mechanism, right), ratio).delta
        yield at_most(found, allowed, f"delta from {left} to {right}")
    stated = sparse(case).claim()
    implied = stated.delta <= (exp_bounds(stated.epsilon)[0] + 1) / case.r
    yield equal((stated.delta, implied), (min(allowed, mpq(1)), True), "stated delta")


@theorem(
    "BV.Thm6.8.iii",
    """SparseHistogram takes n noisy counts, n + 1 draws below |X| and n draws below s, where log2 s is at most log2((n^2 +
    2n)|X|/delta) + 1: the same draws, bits and functions called for every dataset, result and path.""",
    over="the datasets of BV.Alg6.21; ranges of all draws on every path; functions called on least, largest, middle draws",
    code=["finitedp.impl.histograms.sampled_sparse.SparseHistogram.cost"],
    grid=CASES,
    subject=sparse,
    twins={"not padded": lambda case: InParts(subjects.counting_mechanism(case.n, case.decay), case.size, sparse(case).top)},
    sampled="of the functions called, the least, the largest and middle draws; of the draws themselves, every path",
)
def sparse_cost(make: Make, case: Case) -> Iterator[Finding]:
    mechanism, stated, s = make(case), sparse(case), subjects.sparse_s(case)
    cost, d = stated.cost(), int(stated.mechanism.d)
    expected = sorted([d] * case.n + [case.size] * (case.n + 1) + [s] * case.n)
    ranges = subjects.ranges_drawn(mechanism, case.datasets)
    work = {frozenset(_work(mechanism, rows, coins).items()) for rows in case.datasets for coins in ENDS}
    yield equal(ranges, {tuple(expected)}, "draws")
    yield equal((cost.draws, cost.bits), (len(expected), sum(map(strict_bits, expected))), "stated draws and bits")
    yield equal(len(work), 1, "different amounts of work")
    yield at_most(s, 2 * (case.n**2 + 2 * case.n) * case.size * case.r, "s")


def _work(mechanism: Sparse, rows: Rows, coins: Coins) -> dict[str, int]:
    """The functions called, but for those that read the dataset, which is counted in a dictionary first."""
    mechanism.release(rows, coins)  # tails that were computed are remembered, so the first run does more
    calls = work_of(lambda: mechanism.release(rows, coins))
    reading = ("index", "label", "size", "<genexpr>", "_heaviest.<locals>", "heavier_than", "indexed", "_count_of")
    return {name: times for name, times in calls.items() if not any(part in name for part in reading)}


class Star(NamedTuple):
    """All bins that were drawn, before the heaviest are kept, or the heaviest alone."""

    kept: bool


def _sampled(case: Case, dataset: Rows) -> Pmf[Rows]:
    """n + 1 distinct labels that do not occur."""
    return Pmf.uniform(permutations((x for x in range(case.size) if x not in dataset), case.n + 1))


def _bins(case: Case, dataset: Rows, top: Pmf[tuple[int, ...]], kept: bool, sequences: Pmf[Rows]) -> Pmf[Bins]:
    """The bins of the labels that occur and of the n + 1 sampled ones, or the heaviest of them."""
    present = sorted(set(dataset))
    noisy = product([case.noisy(c) for c in histogram(dataset, present)])

    def joined(drawn: tuple[Iterable[int], Iterable[int], Iterable[int]]) -> Bins:
        counts, labels, largest = drawn
        bins = sorted([*zip(present, counts, strict=True), *zip(labels, largest, strict=True)])
        bar = sorted((c for _, c in bins), reverse=True)[case.n] if kept else -1
        return tuple((x, c) for x, c in bins if c > bar)

    return product([noisy, sequences, top]).pushforward(joined)  # type: ignore[arg-type]  # three kinds of tuples


@erratum(
    "BV.Err.5",
    f"Proof of Theorem 6.8 i {AS_READ}: KH' is within delta of SparseHistogram*.",
    """Proof of Theorem 6.8 i, corrected: KH*, which releases all bins of A and of the sampled labels, is within delta of
    SparseHistogram*.""",
    as_printed=("KH' for KH*", Star(kept=True)),
    subject=Star(kept=False),
    over="the datasets of BV.Thm6.8.ii; laws by definition",
    code=["finitedp.spec.order_statistics.top_order_statistics", "finitedp.spec.order_statistics.approx_top_order_statistics"],
    grid=PAIRS,
)
def distance_of_stars(star: Star, case: Case) -> Finding:
    """The distance of KH*, or KH' itself, from SparseHistogram*."""
    findings = []
    for dataset in case.datasets:
        m = case.size - len(set(dataset))
        one, sequences = case.noisy(0), _sampled(case, dataset)
        exact = _bins(case, dataset, top_order_statistics(one, m, case.n + 1), star.kept, sequences)
        approx = _bins(
            case, dataset, approx_top_order_statistics(subjects.scaled_cdf(case), m, subjects.sparse_s(case)), False, sequences
        )
        findings.append(at_most(total_variation(exact, approx).distance, mpq(1, case.r), f"distance at {dataset}:"))
    return all_of(findings)
