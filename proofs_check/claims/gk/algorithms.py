"""Appendix D: Algorithm 7."""

from collections.abc import Callable, Sequence
from itertools import pairwise, product
from typing import NamedTuple

from finitedp.impl.anonymized import references
from finitedp.impl.anonymized.hashing import unhashed
from finitedp.proofs_check.claims.gk.subjects import Search, levels_of, of_levels, phi_b
from finitedp.proofs_check.claims.ph.each_case import Bounded, bounded
from finitedp.proofs_check.claims.ph.subjects import unimodal
from finitedp.proofs_check.ledger.atoms import over
from finitedp.proofs_check.ledger.entry import Finding, cases, in_scope
from finitedp.proofs_check.ledger.findings import algorithm, equal
from finitedp.spec.anonymized import histograms
from finitedp.spec.anonymized.histograms import Histogram

IMPL = "finitedp.impl.anonymized.references"
HASHING = "finitedp.impl.anonymized.hashing"


# Algorithm 7


def search(targets: Sequence[int], n: int, buckets: int, *, ties_up: bool = False) -> list[int]:
    """The paper's binary search, line by line; ties_up, whether the last comparison is < instead of <=."""
    found, before = list[int](), n
    for target in targets:
        low, high = 0, before
        while high > low + 1:
            middle = (low + high) // 2
            if phi_b(of_levels([*found, middle]), buckets, len(found) + 1) >= target:
                high = middle
            else:
                low = middle
        values = [phi_b(of_levels([*found, x]), buckets, len(found) + 1) for x in (low, high)]
        one, other = (abs(v - target) for v in values)
        before = low if one < other or (one == other and not ties_up) else high
        found.append(before)
    return found


def _without_base(targets: Sequence[int], n: int, buckets: int) -> list[int]:
    """Each level as if it were the first."""
    found, before = list[int](), n
    for target in targets:
        before = min(before, unhashed([target], n, buckets)[0])
        found.append(before)
    return found


class Wanted(NamedTuple):
    """N items, B buckets, and the non-increasing targets of some levels."""

    n: int
    buckets: int
    targets: tuple[int, ...]

    def check_scope(self) -> None:
        in_scope(self.n >= 1 and self.buckets >= 2, "n >= 1 and B >= 2")
        in_scope(self.targets and self.targets[-1] >= 0, "at least one target, all of at least 0")
        in_scope(all(a >= b for a, b in pairwise(self.targets)), "targets are non-increasing")


@algorithm(
    "GK.Alg7",
    """Algorithm 7's binary search over Phi_B gives for every r the nearest integer to (target - Phi_r(0))/slope in 0..x_{r-1},
    ties down: the running code, which does not search, has the same levels.""",
    over="all non-increasing targets of the grid, against the paper's search with Algorithm 6",
    code=[f"{HASHING}.unhashed", f"{HASHING}.expected_reaching"],
    grid=cases(Search, [(3, 2, 3, 3), (4, 2, 2, 4), (4, 2, 25, 4), (4, 3, 6, 4)], [(6, 3, 3, 6), (5, 4, 6, 4), (12, 2, 5, 9)]),
    subject=unhashed,
    twins={
        "ties up": lambda targets, n, b: search(targets, n, b, ties_up=True),
        "B + 1 buckets": lambda targets, n, b: unhashed(targets, n, b + 1),
        "every level as the first": _without_base,
        "no bound by the level before": lambda targets, n, b: [
            x for i in range(len(targets)) for x in unhashed([0] * i + [targets[i]], n, b)[-1:]
        ],
    },
)
@over(lambda case: (Wanted(case.n, case.buckets, t) for t in unimodal(case.m, case.most)))
def search_free(unhash: Callable[[Sequence[int], int, int], list[int]], atom: Wanted) -> Finding:
    n, buckets, targets = atom
    return equal(list(unhash(targets, n, buckets)), search(targets, n, buckets), f"levels of {targets} at n={n}, B={buckets}")


class Whole(NamedTuple):
    """N items; all histograms with n items as the plain estimate, targets of m levels from the buckets."""

    n: int
    m: int
    buckets: int


def _seventh(plain: Histogram, hashed: Histogram, case: Whole) -> Histogram:
    found = references.algorithm_7(histograms.prevalences(plain), histograms.prevalences(hashed), case.n, case.buckets, case.m)
    return histograms.from_prevalences(found)


@algorithm(
    "GK.Alg7.whole",
    """Algorithm 7, its last step: the histogram nearest to x_1, ..., x_m from the buckets and phi_{>=r} of the plain estimate
    above m, in the l1 distance of cumulative prevalences.""",
    over="all pairs of histograms with n items, against all non-increasing integers in 0..n",
    code=[f"{IMPL}.algorithm_7"],
    grid=cases(Whole, [(3, 1, 10), (4, 2, 25)], [(5, 2, 31), (5, 3, 46)]),
    subject=_seventh,
    twins={
        "the plain estimate alone": lambda plain, _hashed, _case: plain,
        "the buckets' estimate as it is": lambda _plain, hashed, _case: hashed,
        "one level more from the buckets": lambda plain, hashed, case: _seventh(
            plain, hashed, case._replace(m=min(case.m + 1, case.n))
        ),
    },
)
@bounded("distance")
def seventh(algorithm: Callable[[Histogram, Histogram, Whole], Histogram], case: Whole) -> Bounded:
    n, m = case.n, case.m
    every = list(unimodal(n, n))
    for plain, hashed in product(histograms.partitions(n), repeat=2):
        small = search(levels_of(hashed, m), n, case.buckets)
        targets = [*small, *levels_of(plain, n)[m:]]
        costs = (sum(abs(a - b) for a, b in zip(x, targets, strict=True)) for x in every)
        out = levels_of(algorithm(plain, hashed, case), n)
        yield sum(abs(a - b) for a, b in zip(out, targets, strict=True)), min(costs), f"{plain}, {hashed}, {case}"
