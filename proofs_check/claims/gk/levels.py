"""Theorem 25: what Lemma 27, as it is true, makes of the error of Algorithm 7, and of a search without the upper bound."""

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import NamedTuple

from gmpy2 import mpq

from finitedp.impl.anonymized import references
from finitedp.impl.anonymized.l1_isotonic import Run, l1_isotonic
from finitedp.proofs_check.claims.gk.subjects import levels_of, phi_b_up_to, uncapped
from finitedp.proofs_check.claims.ph.each_case import Bounded, bounded
from finitedp.proofs_check.claims.ph.subjects import l1
from finitedp.proofs_check.ledger.entry import Cases, in_scope
from finitedp.proofs_check.ledger.findings import theorem
from finitedp.spec.anonymized import histograms
from finitedp.spec.anonymized.histograms import Histogram

IMPL = "finitedp.impl.anonymized"


class Estimates(NamedTuple):
    """Histograms of n items: the estimates from the labels and from the buckets, and the truth."""

    plain: Histogram
    hashed: Histogram
    true: Histogram


class Every(NamedTuple):
    """All triples of histograms of n items, m levels, and the least B above 3nm."""

    n: int
    m: int

    def check_scope(self) -> None:
        in_scope(1 <= self.m <= self.n, "1 <= m <= n")

    @property
    def buckets(self) -> int:
        return 3 * self.n * self.m + 1

    @property
    def every(self) -> Iterator[Estimates]:
        yield from (Estimates(*three) for three in product(histograms.partitions(self.n), repeat=3))


class Tall(NamedTuple):
    """The truth as both estimates: a count of m among so many ones; m levels, and the least B above 3nm."""

    m: int
    ones: int

    def check_scope(self) -> None:
        in_scope(self.m >= 1 and self.ones >= 0, "m >= 1 and a number of ones")

    @property
    def n(self) -> int:
        return self.m + self.ones

    @property
    def buckets(self) -> int:
        return 3 * self.n * self.m + 1

    @property
    def every(self) -> Iterator[Estimates]:
        h = (self.m, *(1,) * self.ones)
        yield Estimates(h, h, h)


Case = Every | Tall
GRID = Cases(
    [Every(3, 1), Every(4, 2), Every(5, 3), Tall(8, 30), Tall(20, 75)], [Every(6, 2), Every(7, 3), Tall(16, 60), Tall(30, 113)]
)
OVER = """all triples of histograms with n <= 5 items (7 in full) as the truth and both estimates; one large count among ones
to n = 95, m = 20 (n = 143, m = 30 in full); the least B above 3nm"""
Factor = Callable[[Case, Sequence[mpq]], mpq]


def _seventh(given: Estimates, case: Case) -> list[int]:
    pairs = histograms.prevalences(given.plain), histograms.prevalences(given.hashed)
    found = references.algorithm_7(*pairs, case.n, case.buckets, case.m)
    return levels_of(histograms.from_prevalences(found), case.n)


def _mended(given: Estimates, case: Case) -> list[int]:
    small = uncapped(levels_of(given.hashed, case.m), case.n, case.buckets)
    return l1_isotonic([Run(x) for x in (*small, *levels_of(given.plain, case.n)[case.m :])], 1, 0, case.n)


def _with_m(constant: mpq) -> Factor:
    return lambda case, misses: constant * 3 * (1 + mpq(3 * case.n, case.buckets)) ** case.m * case.m * max(misses)


def _with_sum(constant: mpq) -> Factor:
    return lambda case, misses: constant * 3 * (1 + mpq(6 * case.n, case.buckets)) ** case.m * sum(misses, mpq(0))


@theorem(
    "GK.Thm25.capped",
    """Theorem 25, its bound of the levels up to m, for Algorithm 7: ||n^ - n||_1 is at most 2 (3 (1 + 3n/B)^m m times the
    largest |Phi_B(n)_r - target_r|, r <= m, plus the sum over r > m of |phi_r of the plain estimate - phi_r|).""",
    over=OVER,
    code=[f"{IMPL}.references.algorithm_7"],
    grid=GRID,
    subject=(_seventh, _with_m(mpq(1))),
    twins={"1/100": (_seventh, _with_m(mpq(1, 100))), "the levels above m alone": (_seventh, _with_m(mpq(0)))},
)
@theorem(
    "GK.Thm25.uncapped",
    """Theorem 25, its bound of the levels up to m as printed, for Algorithm 7 with the search of GK.Lem27.uncapped: ||n^ -
    n||_1 is at most 2 (3 (1 + 6n/B)^m times the sum over r <= m of |Phi_B(n)_r - target_r|, plus the sum over r > m of |phi_r
    of the plain estimate - phi_r|), and 3 (1 + 6n/B)^m <= 3e^2.""",
    over=OVER,
    code=[f"{IMPL}.l1_isotonic.l1_isotonic"],
    grid=GRID,
    subject=(_mended, _with_sum(mpq(1))),
    twins={
        "1/50": (_mended, _with_sum(mpq(1, 50))),
        "the levels above m alone": (_mended, _with_sum(mpq(0))),
        "Algorithm 7's search, and 1/4": (_seventh, _with_sum(mpq(1, 4))),
    },
)
@bounded("||n^ - n||_1")
def by_levels(made: tuple[Callable[[Estimates, Case], Sequence[int]], Factor], case: Case) -> Bounded:
    levels, factor = made
    for given in case.every:
        true, plain = (levels_of(h, case.n) for h in (given.true, given.plain))
        targets = levels_of(given.hashed, case.m)
        reached = phi_b_up_to(given.true, case.buckets, case.m)
        misses = [abs(x - t) for x, t in zip(reached, targets, strict=True)]
        far = l1(plain[case.m :], true[case.m :])
        where = f"{given.true}, {given.plain}, {given.hashed}, {case}"
        yield l1(levels(given, case), true), 2 * (factor(case, misses) + far), where
