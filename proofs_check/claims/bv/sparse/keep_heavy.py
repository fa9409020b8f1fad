"""Section 6.1 of Balcer and Vadhan: KeepHeavy."""

from collections.abc import Callable, Iterable, Iterator
from functools import cache, partial
from itertools import product
from typing import Any, NamedTuple

from gmpy2 import mpq

from finitedp.claim import PrivacyClaim
from finitedp.impl.counting.geometric import CountingMechanism, GeoSample
from finitedp.impl.histograms.basic import BasicHistogram
from finitedp.impl.histograms.sparse import KeepHeavy, heavier_than
from finitedp.impl.randomness.coins import Coins
from finitedp.proofs_check.checks.worst_case import miss_over_bins
from finitedp.proofs_check.claims.bv.histograms.subjects import by_true_count, released_count
from finitedp.proofs_check.claims.bv.lower_bounds.subjects import heavy_bin, partitions
from finitedp.proofs_check.claims.bv.sparse.subjects import running_law
from finitedp.proofs_check.claims.bv.sparse.toys import ToyGeometric
from finitedp.proofs_check.deciders.verdict import check_privacy
from finitedp.proofs_check.ledger.entry import Cases, Finding, but, cases
from finitedp.proofs_check.ledger.findings import algorithm, all_of, at_most, equal, lemma, of_privacy, same_law, theorem
from finitedp.proofs_check.ledger.grids import letters
from finitedp.spec import counting as spec_counting
from finitedp.spec import sparse as spec
from finitedp.spec.accuracy import miss_probability
from finitedp.spec.histogram import histogram
from finitedp.spec.neighbours import multisets, neighbouring_multisets
from finitedp.spec.pmf import Pmf

Labels = tuple[str, ...]
Bins = tuple[tuple[str, int], ...]


class Case(NamedTuple):
    """A universe of `size` labels, n rows, and the decay of the counting mechanism's noise.

    rows: the datasets; all of them where there are none.
    """

    size: int
    n: int
    decay: mpq
    rows: tuple[str, ...] = ()

    @property
    def universe(self) -> Labels:
        """The labels a, b, c, ..."""
        return letters(self.size)

    @property
    def datasets(self) -> list[Labels]:
        """The datasets to look at."""
        return [tuple(rows) for rows in self.rows] or list(multisets(self.universe, self.n))

    def __str__(self) -> str:
        return f"|X|={self.size}, n={self.n}, decay {self.decay}" + (f", {self.rows}" if self.rows else "")


CASES = cases(
    Case,
    [(size, n, decay) for size, n in ((2, 1), (3, 1), (3, 2), (4, 2)) for decay in (mpq(2, 3), mpq(1, 5))],
    [(size, n, decay) for size, n in ((5, 2), (5, 1), (4, 3)) for decay in (mpq(2, 3), mpq(8, 9), mpq(1, 9))],
)

Heavy = Callable[[BasicHistogram[str]], KeepHeavy[str]]
Allowed = Callable[[mpq], mpq]


class KeepsTies(KeepHeavy[Any]):
    """Broken: counts equal to the (n+1)-th are released too, so that there may be more than n."""

    def release_counts(self, counts: Any, coins: Coins) -> tuple[tuple[Any, int], ...]:  # noqa: ANN401
        bins = self.histogram.release_counts(counts, coins)
        bar = sorted((count for _, count in bins), reverse=True)[self.histogram.mechanism.n]
        return tuple(pair for pair in bins if pair[1] >= bar)


def _against_the_nth(self: KeepHeavy[Any], counts: Any, coins: Coins) -> tuple[tuple[Any, int], ...]:  # noqa: ANN401
    """Broken: compared with the n-th heaviest count instead of the (n+1)-th."""
    return heavier_than(self.histogram.release_counts(counts, coins), self.histogram.mechanism.n - 1)


AgainstTheNth = but(KeepHeavy, release_counts=_against_the_nth)
HeaviestFirst = by_true_count(KeepHeavy)


def _over_basic(make: Heavy, case: Case) -> KeepHeavy[str]:
    """KeepHeavy, or a broken copy, over the BasicHistogram of a case."""
    counting: CountingMechanism = ToyGeometric(case.n, case.decay)
    if case.decay == spec_counting.sample_decay(1):
        counting = GeoSample(case.n, 1)
    return make(BasicHistogram(counting, case.universe))


def _counting_law(case: Case) -> Callable[[int], Pmf[int]]:
    return partial(spec_counting.geometric_mechanism, case.n, case.decay)


CODE = ["finitedp.impl.histograms.sparse.KeepHeavy", "finitedp.spec.sparse.keep_heavy"]


@algorithm(
    "BV.Alg6.1",
    """KeepHeavy releases the noisy counts above the (n+1)-th largest of the whole universe, at most n of them, in the
    universe's order (|X| >= n + 1).""",
    over="every dataset; GeoSample and toy mechanisms; the law of the running code by the explorer against the definition",
    code=[*CODE, "finitedp.impl.histograms.sparse.heavier_than"],
    grid=CASES,
    subject=KeepHeavy,
    twins={">= the (n+1)-th": KeepsTies, "> the n-th": AgainstTheNth, "heaviest first": HeaviestFirst},
)
def keep_heavy_law(make: Heavy, case: Case) -> Iterator[Finding]:
    mechanism = _over_basic(make, case)
    for dataset in case.datasets:
        law = running_law(mechanism, dataset)
        yield same_law(law, spec.keep_heavy(dataset, case.universe, _counting_law(case), case.n), "".join(dataset))
        yield equal(max(len(bins) for bins in law) <= case.n, True, "at most n bins")


@theorem(
    "BV.Thm6.2.i",
    "KeepHeavy over an (epsilon/2, 0)-differentially private mechanism is (epsilon, 0)-differentially private.",
    over="every neighbouring pair of multisets; worst ratio at most the square of the mechanism's, as a rational",
    code=["finitedp.impl.histograms.sparse.KeepHeavy.claim"],
    grid=CASES,
    subject=KeepHeavy,
    twins={"heaviest first": HeaviestFirst},
)
def keep_heavy_privacy(make: Heavy, case: Case) -> Finding:
    mechanism, stated = _over_basic(make, case), _over_basic(KeepHeavy, case).claim()
    claim = PrivacyClaim(stated.epsilon, "replace-one", ratio=1 / case.decay**2, source="BV.Thm6.2.i")
    pairs = neighbouring_multisets(case.universe, case.n, "replace-one")
    verdict = check_privacy(partial(running_law, mechanism), pairs, claim)
    return all_of([of_privacy(verdict, claim), equal(stated, claim, "stated claim")])


class Near(NamedTuple):
    """|X|, n, and an error a_2 below n/2."""

    size: int
    n: int
    a: int


def _vectors(case: Near, truths: tuple[int, ...]) -> list[tuple[int, ...]]:
    """All noisy counts within a_2 of the true ones, clamped to 0..n."""
    return list(product(*(range(max(c - case.a, 0), min(c + case.a, case.n) + 1) for c in truths)))


@lemma(
    "BV.Lem6.3",
    """If all noisy counts are within a_2 of the true ones, every label with a true count above 2 a_2 is released. (The event's
    probability is BasicHistogram's simultaneous accuracy, BV.Thm5.2.iii.)""",
    over="every dataset and every vector of noisy counts within a_2, by the running code's selection",
    code=["finitedp.impl.histograms.sparse.heavier_than"],
    grid=cases(Near, [(4, 3, 1), (3, 2, 0)], [(5, 3, 1), (5, 4, 1), (4, 3, 0), (6, 3, 1)]),
    subject=lambda a: 2 * a,
    twins={"above a_2 only": lambda a: a},
)
def heavy_labels_are_kept(above: Callable[[int], int], case: Near) -> Iterator[Finding]:
    universe = letters(case.size)
    for dataset in multisets(universe, case.n):
        truths = histogram(dataset, universe)
        heavy = {x for x, c in zip(universe, truths, strict=True) if c > above(case.a)}
        for noisy in _vectors(case, truths):
            kept = {x for x, _ in heavier_than(list(zip(universe, noisy, strict=True)), case.n)}
            yield equal(heavy <= kept, True, f"{truths} released as {noisy}")


ACCURATE = cases(
    Case,
    [(4, 3, mpq(1, 9), ("aaa", "aab", "bdd", "bcd"))],
    [(4, 3, mpq(1, 9)), (4, 3, mpq(1, 15)), (5, 3, mpq(1, 12)), (5, 4, mpq(1, 20))],
)
BETAS = (mpq(1, 10), mpq(1, 20))


def _stated(case: Case) -> Finding:
    """The code states (a_1, 2 beta) above 2 a_2 and (2 a_2, beta), with BasicHistogram's accuracies at beta."""
    mechanism, findings = _over_basic(KeepHeavy, case), []
    for beta in BETAS:
        single, above, together = mechanism.accuracy(beta)
        basic, _, every = mechanism.histogram.accuracy(beta)
        found = (single.a, single.beta, above, together.a, together.beta)
        findings.append(equal(found, (basic.a, 2 * beta, 2 * every.a, 2 * every.a, beta), "stated accuracy"))
    return all_of(findings)


def _basic_misses(case: Case) -> tuple[Callable[[int], mpq], Callable[[int], mpq]]:
    """The least beta at which BasicHistogram has an error a: for a single label, and for all."""
    law = cache(_counting_law(case))
    close = cache(lambda a: [1 - miss_probability(law(c), c, a) for c in range(case.n + 1)])
    return lambda a: 1 - min(close(a)), cache(lambda a: miss_over_bins(close(a), case.n, case.size))


def _bins(case: Case) -> Iterator[tuple[int, Pmf[int]]]:
    """The true count and the law of the released one, for every label of every dataset, by joint laws."""
    for dataset in case.datasets:
        law = running_law(_over_basic(KeepHeavy, case), dataset)
        for x in case.universe:
            yield dataset.count(x), law.pushforward(partial(released_count, x))


def _single_bins(case: Case) -> Iterator[tuple[int, Pmf[int]]]:
    """The same from laws of single bins, once for each partition of the other rows (FD.KeepHeavy.bin)."""
    law_of = cache(_counting_law(case))
    for count in range(1, case.n + 1):
        for others in partitions(case.n - count, case.n):
            yield count, heavy_bin(law_of, case.size, case.n, count, others)


def _per_query(allowed: Allowed, case: Case, bins: Iterable[tuple[int, Pmf[int]]]) -> list[Finding]:
    """One finding for each a_1 and a_2, with the least beta at which BasicHistogram has both."""
    (one, every), listed, findings = _basic_misses(case), list(bins), []
    for a_1, a_2 in product(range(case.n), range((case.n + 1) // 2)):
        beta = max(one(a_1), every(a_2))
        if allowed(beta) < 1:
            miss = max((miss_probability(law, c, a_1) for c, law in listed if c > 2 * a_2), default=mpq(0))
            findings.append(at_most(miss, allowed(beta), f"miss, a_1={a_1}, a_2={a_2}:"))
    return findings


@theorem(
    "BV.Thm6.2.ii",
    "KeepHeavy has (a_1, 2 beta)-per-query accuracy on counts larger than 2 a_2, with BasicHistogram's accuracies at beta.",
    over="datasets of each kind (full: all of them) and labels with a large count; toy mechanisms narrow enough for 2 a_2 <"
    " n; every a_1 and a_2, with the least beta of both",
    code=["finitedp.impl.histograms.sparse.KeepHeavy.accuracy"],
    grid=Cases([*ACCURATE.of("quick"), Case(5, 4, mpq(1, 9), ("aaab",))], ACCURATE.more),
    subject=lambda beta: 2 * beta,
    twins={"beta for 2 beta": lambda beta: beta},
)
def keep_heavy_per_query(allowed: Allowed, case: Case) -> Finding:
    return all_of([_stated(case), *_per_query(allowed, case, _bins(case))])


@theorem(
    "BV.Thm6.2.ii.large",
    "The same for more rows, over up to a hundred labels.",
    over="every label and dataset, by laws of single bins; toy mechanisms; every a_1 and a_2, with the least beta of both",
    code=["finitedp.impl.histograms.sparse.KeepHeavy"],
    grid=cases(
        Case,
        [(6, 5, mpq(1, 3)), (30, 6, mpq(1, 9))],
        [(8, 7, mpq(1, 2)), (100, 9, mpq(1, 4))],
    ),
    subject=lambda beta: 2 * beta,
    twins={"beta for 2 beta": lambda beta: beta},
    derived_from=("BV.Alg6.1", "FD.KeepHeavy.bin"),
    by="the law of one bin, with the number of others that are heavier by dynamic programming",
)
def keep_heavy_per_query_by_bins(allowed: Allowed, case: Case) -> Finding:
    return all_of(_per_query(allowed, case, _single_bins(case)))


@theorem(
    "BV.Thm6.2.iii",
    "KeepHeavy has (2 a_2, beta)-simultaneous accuracy, with BasicHistogram's simultaneous accuracy at beta.",
    over="datasets of each kind (full: all of them); toy mechanisms; every a_2, with its least beta",
    code=["finitedp.impl.histograms.sparse.KeepHeavy.accuracy"],
    grid=ACCURATE,
    subject=lambda one, every: every,
    twins={"the per-query error": lambda one, every: one},
)
def keep_heavy_simultaneous(which: Callable[[Any, Any], Callable[[int], mpq]], case: Case) -> Iterator[Finding]:
    least = which(*_basic_misses(case))
    yield _stated(case)
    for a_2 in range((case.n + 1) // 2):
        if least(a_2) < 1:
            misses = (_together(case, dataset, 2 * a_2) for dataset in case.datasets)
            yield at_most(max(misses), least(a_2), f"simultaneous miss, 2 a_2={2 * a_2}:")


def _together(case: Case, dataset: Labels, a: int) -> mpq:
    """The probability that some label is off by more than a."""
    law = running_law(_over_basic(KeepHeavy, case), dataset)
    return law.probability(lambda bins: any(abs(released_count(x, bins) - dataset.count(x)) > a for x in case.universe))
