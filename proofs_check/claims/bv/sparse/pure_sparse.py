"""Theorem 6.10 and Algorithm 6.9 of Balcer and Vadhan: PureSparseHistogram."""

from collections import Counter
from collections.abc import Callable, Iterable
from math import factorial
from typing import Any

from attrs import frozen
from gmpy2 import mpq

from finitedp.claim import PrivacyClaim
from finitedp.impl.histograms.mixing import Mixed
from finitedp.impl.histograms.pure_sparse import PureSparseHistogram, random_histogram
from finitedp.impl.histograms.universe import Integers
from finitedp.impl.randomness.coins import Coins, strict_bits
from finitedp.proofs_check.claims.bv.sparse.histogram import (
    FIVE,
    GEO,
    SOME,
    Case,
    Rows,
    counting_law,
    counting_mechanism,
    drawn,
    running_law,
)
from finitedp.proofs_check.claims.bv.sparse.subjects import PARTS, Bins, Released
from finitedp.proofs_check.engine.verdict import check_privacy
from finitedp.proofs_check.ledger.entry import Finding, entry
from finitedp.proofs_check.ledger.findings import all_of, at_most, equal, of_privacy, same_law
from finitedp.spec import sparse as spec
from finitedp.spec.mixing import largest_distance
from finitedp.spec.neighbours import neighbouring_multisets
from finitedp.spec.pmf import Pmf

EPSILON = 1  # of the algorithm; the mechanism's may be smaller


def _quick() -> list[Case]:
    small = [Case(3, 1, GEO, 2), Case(4, 1, GEO, 4), Case(5, 1, mpq(4, 5), 3)]
    return [*small, Case(5, 2, GEO, 4, False, FIVE), Case(6, 2, mpq(3, 4), 10, False, SOME)]


def _full() -> list[Case]:
    three = [Case(7, 3, GEO, 4, False, (rows,)) for rows in ((6, 6, 6), (2, 2, 5), (0, 3, 4))]
    return [Case(6, 1, mpq(8, 9), 100), Case(5, 2, GEO, 4), Case(6, 2, GEO, 3), *three]


CASES = (_quick, _full)
Make = Callable[[Case], Released]


def running(case: Case) -> PureSparseHistogram[int]:
    """The running PureSparseHistogram."""
    universe = Integers(0, case.size - 1)
    return PureSparseHistogram(counting_mechanism(case.n, case.decay), universe, EPSILON, mpq(1, case.r))


def stated_s(case: Case) -> int:
    """The power of two from (n^2 + 2n)|X|/delta on, delta = (epsilon/3) beta_1 (3|X|)^-n."""
    delta = mpq(1, 3 * case.r * (3 * case.size) ** case.n)
    return 1 << (int((case.n**2 + 2 * case.n) * case.size / delta) - 1).bit_length()


def specified(case: Case, dataset: Rows) -> Pmf[Bins]:
    """The law by definition."""
    sparse = spec.sparse_histogram(dataset, range(case.size), counting_law(case), case.n, stated_s(case))
    return spec.pure_sparse_histogram(sparse, range(case.size), case.n, mpq(1, case.r))


@frozen
class MixedWith:
    """PureSparseHistogram put together from its parts, of which a broken copy replaces one."""

    case: Case
    part: str | None = None
    random: Callable[[Integers, int, Coins], Bins] = random_histogram

    def release(self, data: Iterable[int], coins: Coins) -> Bins:
        """The mixture."""
        right = running(self.case)
        sparse: Any = right.sparse
        if self.part is not None:
            sparse = PARTS[self.part](right.mechanism, self.case.size, right.sparse.top)
        universe = Integers(0, self.case.size - 1)
        mixed = Mixed(sparse.release, lambda c: self.random(universe, self.case.n, c), right.beta_1)
        released: Bins = mixed.release(tuple(data), coins)
        return released


@frozen
class Unmixed:
    """SparseHistogram alone."""

    case: Case

    def release(self, data: Iterable[int], coins: Coins) -> Bins:
        """Never anything else."""
        return running(self.case).sparse.release(data, coins)


def counts_of_rows(universe: Integers, n: int, coins: Coins) -> Bins:
    """Broken: the random histogram counts its labels, so that histograms with a larger sum are impossible."""
    return tuple(sorted(Counter(int(coins.uniform(universe.size)) - 1 for _ in range(n)).items()))


def all_counts_positive(universe: Integers, n: int, coins: Coins) -> Bins:
    """Broken: counts are uniform in 1..n."""
    labels = dict.fromkeys(sorted(int(coins.uniform(universe.size)) - 1 for _ in range(n)))
    return tuple((x, int(coins.uniform(n))) for x in labels)


def broken(part: str) -> Make:
    """A broken copy with a broken SparseHistogram."""
    return lambda case: MixedWith(case, part)


@entry(
    "BV.Alg6.9",
    "algorithm",
    """PureSparseHistogram is SparseHistogram at delta = (epsilon/3) beta_1 (1/(3|X|))^n with probability 1 - beta_1, and
    else n random labels, of which the distinct ones get uniform counts in 0..n, without those of count 0.""",
    over="every dataset at n = 1, |X| = 3, 4, 5; some at n = 2, |X| = 5, 6 (full: all of them; three at n = 3, |X| = 7);"
    " the law of the running code by the explorer against the definition",
    code=["finitedp.impl.histograms.pure_sparse.PureSparseHistogram", "finitedp.spec.sparse.pure_sparse_histogram"],
    grid=CASES,
    subject=running,
    twins={
        **{name: broken(name) for name in PARTS},
        "never mixed": Unmixed,
        "random counts in 1..n": lambda case: MixedWith(case, None, all_counts_positive),
    },
)
def pure_law(make: Make, case: Case) -> Finding:
    mechanism = make(case)
    return all_of([same_law(running_law(mechanism, d), specified(case, d), f"{d}") for d in case.datasets])


def _pairs_quick() -> list[Case]:
    # in the last one the mechanism is so private that inequality (3.1) decides the ratio
    return [Case(3, 1, GEO, 2), Case(4, 1, mpq(4, 5), 3), Case(5, 2, GEO, 4), Case(3, 1, mpq(99, 100), 3)]


def _pairs_full() -> list[Case]:
    return [Case(5, 1, mpq(8, 9), 1000), Case(5, 2, mpq(3, 4), 9), Case(6, 2, GEO, 100)]


PAIRS = (_pairs_quick, _pairs_full)


@entry(
    "BV.Thm6.10.i",
    "theorem",
    """PureSparseHistogram is (epsilon, 0)-differentially private; with GeoSample its worst ratio is at most (1 + 2^-k)^2. The
    random histogram gives every possible output a probability of at least n!/((n+1)|X|)^n, which is at least (3|X|)^-n.""",
    over="every neighbouring pair of multisets; worst ratio of laws of the running code; the stated claim",
    code=["finitedp.impl.histograms.pure_sparse.PureSparseHistogram.claim", "finitedp.spec.sparse.least_random"],
    grid=PAIRS,
    subject=running,
    twins={
        "a sorted set of empty bins": broken("a sorted set of empty bins"),
        "never mixed": Unmixed,
        "random counts of rows": lambda case: MixedWith(case, None, counts_of_rows),
    },
)
def pure_privacy(make: Make, case: Case) -> Finding:
    mechanism, stated = make(case), running(case).claim()
    least = mpq(factorial(case.n), ((case.n + 1) * case.size) ** case.n)
    ratio = max(1 / case.decay**2, _enough(case, least))
    claim = PrivacyClaim(EPSILON, "replace-one", ratio=ratio, source="BV.Thm6.10.i")
    law: Callable[[Rows], Pmf[Bins]] = lambda dataset: running_law(mechanism, dataset)  # noqa: E731  # types it
    verdict = check_privacy(law, neighbouring_multisets(range(case.size), case.n, "replace-one"), claim)
    random = spec.random_histogram(range(case.size), case.n)
    return all_of(
        [
            of_privacy(verdict, claim),
            equal(min(random[h] for h in random), least, "least probability of the random histogram"),
            equal(least >= mpq(1, (3 * case.size) ** case.n), True, "it is at least (3|X|)^-n"),
            equal(len(random), _histograms(case.size, case.n), "all histograms of at most n labels"),
            equal(stated, claim, "stated claim"),
        ]
    )


def _enough(case: Case, least: mpq) -> mpq:
    """The least ratio for which (3.1) allows SparseHistogram's distance bound (n^2 + 2n)|X|/s: with equality."""
    distance, beta_1 = mpq((case.n**2 + 2 * case.n) * case.size, stated_s(case)), mpq(1, case.r)
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


def _unpadded(case: Case) -> Released:
    """A copy that makes no draws for labels that do not occur."""
    return MixedWith(case, "true counts of the labels that occur")


@entry(
    "BV.Thm6.10.iv",
    "theorem",
    """PureSparseHistogram makes the same draws for every dataset, result and path: SparseHistogram's, 2n for the random
    histogram, and the choice. s has at most n log2(3|X|) + log2(|X|/(beta_1 epsilon)) + 2 log2(n + 1) + 3 bits, so that
    the time is quasi-linear in n^2 log^2 |X| + n log |X| log(1/(beta_1 epsilon)).""",
    over="the datasets of BV.Alg6.9; ranges of all draws on every path",
    code=["finitedp.impl.histograms.pure_sparse.PureSparseHistogram.cost"],
    grid=CASES,
    subject=running,
    twins={"not padded": _unpadded},
)
def pure_cost(make: Make, case: Case) -> Finding:
    mechanism, stated = make(case), running(case)
    n, cost, s = case.n, stated.cost(), stated_s(case)
    sparse = [int(stated.mechanism.d)] * n + [case.size] * (n + 1) + [s] * n
    expected = sorted([case.r, *sparse, *[case.size] * n, *[n + 1] * n])
    ranges = {draws for rows in case.datasets for draws in drawn(mechanism, rows)}
    largest = 8 * (3 * case.size) ** n * case.size * case.r * (n + 1) ** 2
    return all_of(
        [
            equal(ranges, {tuple(expected)}, "draws"),
            equal((cost.draws, cost.bits), (len(expected), sum(map(strict_bits, expected))), "stated draws and bits"),
            at_most(s, largest, "s"),
        ]
    )
