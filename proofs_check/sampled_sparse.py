"""Algorithm 6.4 and Proposition 6.5 of Balcer and Vadhan: KH', which has the law of KeepHeavy without drawing every bin."""

from collections import Counter
from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple, Protocol

from attrs import frozen
from gmpy2 import mpq

from finitedp.claim import PrivacyClaim
from finitedp.impl.coins import Coins
from finitedp.impl.counting import CountingMechanism
from finitedp.impl.order_statistics import OrdSample
from finitedp.impl.sparse import SampledKeepHeavy, distinct_sequence, heavier_than
from finitedp.proofs_check.explorer import explore
from finitedp.proofs_check.findings import all_of, equal, of_privacy, same_law
from finitedp.proofs_check.ledger import Finding, entry
from finitedp.proofs_check.order_statistics import Draws, of_2018
from finitedp.proofs_check.toys import ToyGeometric
from finitedp.proofs_check.verdict import check_privacy
from finitedp.spec import counting as spec_counting
from finitedp.spec import sparse as spec
from finitedp.spec.neighbours import multisets, neighbouring_multisets
from finitedp.spec.pmf import Pmf

Rows = tuple[int, ...]
Bins = tuple[tuple[int, int], ...]


class Case(NamedTuple):
    """|X|, n, and the decay of the counting mechanism's noise (a toy)."""

    size: int
    n: int
    decay: mpq


def _quick() -> list[Case]:
    return [Case(3, 1, mpq(2, 3)), Case(4, 1, mpq(1, 3)), Case(5, 1, mpq(2, 3)), Case(5, 2, mpq(1, 2))]


def _full() -> list[Case]:
    return [Case(6, 1, mpq(4, 5)), Case(5, 2, mpq(2, 3)), Case(6, 2, mpq(1, 2))]


CASES = (_quick, _full)


class Sampled(Protocol):
    """Makes KH' or a broken copy of it."""

    def __call__(self, mechanism: CountingMechanism, labels: range) -> SampledKeepHeavy[int]:
        """The sparse histogram over a universe."""
        ...


@frozen
class InParts(SampledKeepHeavy[Any]):
    """KH' in parts, of which each twin replaces one. By itself it has the law of KH', and a test says so."""

    def release(self, data: Any, coins: Coins) -> tuple[tuple[Any, int], ...]:  # noqa: ANN401
        """As the original, by parts."""
        n, true = self.mechanism.n, Counter(data)
        noisy = {i: self.mechanism.release(true[i], coins) for i in sorted(true)}
        empty = self.empty_bins(distinct_sequence(len(self.labels), true, n + 1, coins))
        noisy |= dict(zip(empty, self.largest(len(true), coins), strict=True))
        return self.kept(sorted(noisy.items()))

    def empty_bins(self, sequence: tuple[int, ...]) -> tuple[int, ...]:
        """Step (3)."""
        return sequence

    def largest(self, present: int, coins: Coins) -> tuple[int, ...]:
        """Step (4)."""
        return OrdSample(self.mechanism.n, self.mechanism.scaled_cdf).release(len(self.labels) - present, coins)

    def kept(self, bins: list[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
        """Steps (5) and (6)."""
        return heavier_than(bins, self.mechanism.n)


@frozen
class SortedEmptyBins(InParts):
    """The sampled empty bins as a sorted set, which ties the largest count to the first label."""

    def empty_bins(self, sequence: tuple[int, ...]) -> tuple[int, ...]:
        """Sorted."""
        return tuple(sorted(sequence))


@frozen
class FewerEmptyBins(InParts):
    """m = |X| - n instead of |X minus A|."""

    def largest(self, present: int, coins: Coins) -> tuple[int, ...]:
        """As if n labels occurred."""
        return super().largest(self.mechanism.n, coins)


@frozen
class OrderStatisticsOf2018(InParts):
    """The conditional distribution functions of the paper's 2018 version."""

    def largest(self, present: int, coins: Coins) -> tuple[int, ...]:
        """By conditional maxima."""
        values = tuple(self.mechanism.scaled_cdf(z) for z in range(self.mechanism.n + 1))
        return of_2018(Draws(len(self.labels) - present, values), coins)


@frozen
class KeepsTies(InParts):
    """>= against the (n+1)-th count."""

    def kept(self, bins: list[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
        """With ties."""
        bar = sorted((count for _, count in bins), reverse=True)[self.mechanism.n]
        return tuple(pair for pair in bins if pair[1] >= bar)


@lru_cache(maxsize=256)
def running_law(mechanism: SampledKeepHeavy[int], dataset: Rows) -> Pmf[Bins]:
    """The exact law of the running code."""
    return explore(lambda coins: mechanism.release(dataset, coins)).law()


def _made(make: Sampled, case: Case) -> SampledKeepHeavy[int]:
    return make(ToyGeometric(case.n, case.decay), range(case.size))


@entry(
    "BV.Prop6.5",
    "lemma",
    "KH' has the law of KeepHeavy.",
    over="every dataset, |X| >= 2n + 1; toy mechanisms; the law of the running code against the definition of KeepHeavy",
    code=["finitedp.impl.sparse.SampledKeepHeavy", "finitedp.spec.sparse.keep_heavy"],
    grid=CASES,
    subject=SampledKeepHeavy,
    twins={
        "a sorted set of empty bins": SortedEmptyBins,
        "m = |X| - n": FewerEmptyBins,
        "order statistics of 2018": OrderStatisticsOf2018,
        ">= the (n+1)-th": KeepsTies,
    },
)
@entry(
    "BV.Alg6.4",
    "algorithm",
    """KH' draws noisy counts of the labels that occur, a uniform sequence of n + 1 distinct other labels, and their counts as
    the largest order statistics of all empty bins; and keeps what is above the (n+1)-th.""",
    over="every dataset, |X| >= 2n + 1; toy mechanisms; the law of the running code by the explorer",
    code=["finitedp.impl.sparse.SampledKeepHeavy", "finitedp.impl.sparse.distinct_sequence"],
    grid=CASES,
    subject=SampledKeepHeavy,
    twins={"a sorted set of empty bins": SortedEmptyBins, "m = |X| - n": FewerEmptyBins},
)
def sampled_law(make: Sampled, case: Case) -> Finding:
    mechanism, universe, findings = _made(make, case), range(case.size), []

    def counting(count: int) -> Pmf[int]:
        return spec_counting.geometric_mechanism(case.n, case.decay, count)

    for dataset in multisets(universe, case.n):
        expected = spec.keep_heavy(dataset, universe, counting, case.n)
        findings.append(same_law(running_law(mechanism, dataset), expected, f"{dataset}"))
    return all_of(findings)


@entry(
    "FD.SampledKeepHeavy.private",
    "own",
    """KH' has the privacy of KeepHeavy, with a worst ratio of at most the square of the mechanism's. A sorted set of empty
    bins breaks it (erratum 9 warns of the same in Algorithm A.3), and so do the order statistics of 2018.""",
    over="every neighbouring pair of multisets; toy mechanisms; laws of the running code",
    code=["finitedp.impl.sparse.SampledKeepHeavy.claim"],
    grid=CASES,
    subject=SampledKeepHeavy,
    twins={"a sorted set of empty bins": SortedEmptyBins, "order statistics of 2018": OrderStatisticsOf2018},
)
def sampled_privacy(make: Sampled, case: Case) -> Finding:
    mechanism, stated = _made(make, case), _made(SampledKeepHeavy, case).claim()
    claim = PrivacyClaim(stated.epsilon, "replace-one", ratio=1 / case.decay**2, source="BV.Prop6.5")
    pairs = neighbouring_multisets(range(case.size), case.n, "replace-one")
    law: Callable[[Rows], Pmf[Bins]] = lambda dataset: running_law(mechanism, dataset)  # noqa: E731  # types it
    return all_of([of_privacy(check_privacy(law, pairs, claim), claim), equal(stated, claim, "stated claim")])
