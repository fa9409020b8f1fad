"""Appendix D: Algorithm 7, Lemma 27 and what its proof says."""

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import NamedTuple

from gmpy2 import mpq

from finitedp.impl.anonymized import references
from finitedp.impl.anonymized.hashing import unhashed
from finitedp.proofs_check.claims.gk.subjects import affine_reach, levels_of, of_levels, phi_b
from finitedp.proofs_check.claims.ph.subjects import first_difference, largest_load, unimodal
from finitedp.proofs_check.ledger.entry import Finding, cases, entry
from finitedp.spec.anonymized import histograms
from finitedp.spec.anonymized.histograms import Histogram

IMPL = "finitedp.impl.anonymized.references"
HASHING = "finitedp.impl.anonymized.hashing"


# Algorithm 7


class Search(NamedTuple):
    """All non-increasing targets of m levels in 0..most, n items and B buckets."""

    n: int
    m: int
    buckets: int
    most: int


Unhash = Callable[[Sequence[int], int, int], list[int]]


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


@entry(
    "GK.Alg7",
    "algorithm",
    """Algorithm 7's binary search over Phi_B gives for every r the nearest integer to (target - Phi_r(0))/slope in 0..x_{r-1},
    ties down: the running code, which does not search, has the same levels.""",
    over="all non-increasing targets of the grid, against the paper's search with Algorithm 6",
    code=[f"{HASHING}.unhashed", f"{HASHING}.expected_reaching"],
    grid=cases(Search, [(3, 2, 3, 3), (4, 2, 2, 4), (4, 2, 25, 4)], [(6, 3, 3, 6), (5, 4, 6, 4), (12, 2, 5, 9)]),
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
def search_free(unhash: Unhash, case: Search) -> Finding:
    found = (
        (list(unhash(t, case.n, case.buckets)), search(t, case.n, case.buckets), f"{t}, {case}")
        for t in unimodal(case.m, case.most)
    )
    return first_difference("levels", found)


class Whole(NamedTuple):
    """N items; all histograms with n items as the plain estimate, targets of m levels from the buckets."""

    n: int
    m: int
    buckets: int


Seventh = Callable[[Histogram, Histogram, Whole], Histogram]


def _seventh(plain: Histogram, hashed: Histogram, case: Whole) -> Histogram:
    found = references.algorithm_7(histograms.prevalences(plain), histograms.prevalences(hashed), case.n, case.buckets, case.m)
    return histograms.from_prevalences(found)


@entry(
    "GK.Alg7.whole",
    "algorithm",
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
def seventh(algorithm: Seventh, case: Whole) -> Finding:
    def found() -> Iterator[tuple[int, int, object]]:
        n, m = case.n, case.m
        every = list(unimodal(n, n))
        for plain, hashed in product(histograms.partitions(n), repeat=2):
            small = search(levels_of(hashed, m), n, case.buckets)
            targets = [*small, *levels_of(plain, n)[m:]]
            costs = (sum(abs(a - b) for a, b in zip(x, targets, strict=True)) for x in every)
            out = levels_of(algorithm(plain, hashed, case), n)
            yield sum(abs(a - b) for a, b in zip(out, targets, strict=True)), min(costs), f"{plain}, {hashed}, {case}"

    return largest_load("distance", found())


# Lemma 27


SEARCHES = cases(
    Search, [(2, 1, 7, 2), (3, 2, 19, 3), (4, 2, 25, 4)], [(4, 3, 37, 4), (5, 3, 46, 5), (6, 2, 37, 6)]
)  # B = 3nm + 1
Factor = Callable[[mpq, int], mpq]


def _bounded(case: Search) -> Iterator[tuple[Histogram, tuple[int, ...], list[int], list[int], list[mpq]]]:
    """(h, targets, levels found, true levels, |Phi_B(h)_r - target_r|) for all h with n items and all targets."""
    for targets in unimodal(case.m, case.most):
        found = search(targets, case.n, case.buckets)
        for h in histograms.partitions(case.n):
            true = levels_of(h, case.m)
            off = [abs(phi_b(h, case.buckets, r) - targets[r - 1]) for r in range(1, case.m + 1)]
            yield h, targets, found, true, off


@entry(
    "GK.Lem27",
    "lemma",
    """Lemma 27: for B > 3nm the sum over r <= m of |x_r - phi_{>=r}| is at most a constant times ||Phi_B(n) - targets||_1: by
    (11) the constant 3e is enough (27/10 < e stands for it).""",
    over="all histograms with n items, all non-increasing targets, B = 3nm + 1",
    code=[f"{HASHING}.unhashed"],
    grid=SEARCHES,
    subject=mpq(81, 10),
    twins={"1/4": mpq(1, 4), "0": mpq(0)},
)
def recovered(constant: mpq, case: Search) -> Finding:
    def found() -> Iterator[tuple[int, mpq, object]]:
        for h, targets, x, true, off in _bounded(case):
            value = sum(abs(a - b) for a, b in zip(x, true, strict=True))
            yield value, constant * sum(off, mpq(0)), f"{h}, targets {targets}, {case}"

    return largest_load("(10)", found())


@entry(
    "GK.Eq11",
    "lemma",
    """(11): the sum over r <= l of |x_r - phi_{>=r}| is at most 3 (1 + 3n/B)^l times the sum over r <= l of |Phi_B(n)_r -
    target_r|, for every l <= m.""",
    over="all histograms with n items, all non-increasing targets, B = 3nm + 1",
    code=[f"{HASHING}.unhashed"],
    grid=SEARCHES,
    subject=lambda beta, level: 3 * (1 + 3 / beta) ** level,
    twins={
        "1/2 for 3": lambda beta, level: mpq(1, 2) * (1 + 3 / beta) ** level,
        "(1 - 3n/B)^l/2": lambda beta, level: (1 - 3 / beta) ** level / 2,
    },
)
def by_level(factor: Factor, case: Search) -> Finding:
    beta = mpq(case.buckets, case.n)

    def found() -> Iterator[tuple[int, mpq, object]]:
        for h, targets, x, true, off in _bounded(case):
            for level in range(1, case.m + 1):
                value = sum(abs(a - b) for a, b in zip(x[:level], true[:level], strict=True))
                yield value, factor(beta, level) * sum(off[:level], mpq(0)), f"{h}, l={level}, targets {targets}, {case}"

    return largest_load("(11)", found())


Pick = Callable[[Sequence[int], int, int], list[int]]


@entry(
    "GK.Eq12",
    "lemma",
    """(12): given x_1, ..., x_{l-1}, the search finds an x_l in 0..x_{l-1} for which Phi_B is at least as near to the target
    as for the true phi_{>=l}, even where that is above x_{l-1} (Phi_B continued affinely).""",
    over="all histograms with n items, all non-increasing targets, B = 3nm + 1",
    code=[f"{HASHING}.unhashed"],
    grid=SEARCHES,
    subject=search,
    twins={
        "one less": lambda t, n, b: [max(0, x - 1) for x in search(t, n, b)],
        "targets in the opposite order": lambda t, n, b: search(t[::-1], n, b),
    },
)
def optimal(pick: Pick, case: Search) -> Finding:
    def found() -> Iterator[tuple[mpq, mpq, object]]:
        for targets in unimodal(case.m, case.most):
            x = pick(targets, case.n, case.buckets)
            for h, level in product(histograms.partitions(case.n), range(case.m)):
                before, true = x[:level], histograms.cumulative(h, level + 1)
                one, other = (abs(affine_reach(before, case.buckets, y) - targets[level]) for y in (x[level], true))
                yield one, other, f"{h}, l={level + 1}, targets {targets}, {case}"

    return largest_load("(12)", found())


@entry(
    "GK.Eq13",
    "lemma",
    """(13) and the step after it: |Phi_B(phi_1, ..., phi_{l-1}, x_l)_l - target_l| <= |Phi_B(n)_l - target_l| + 2 (n/B) sum
    over r < l of |phi_r - x_r|, and |x_l - phi_l| <= 3 |Phi_B(n)_l - target_l| + 3 (n/B) of that sum.""",
    over="all histograms with n items, all non-increasing targets, B = 3nm + 1",
    code=[f"{HASHING}.unhashed"],
    grid=SEARCHES,
    subject=(2, 3, 3),
    twins={"1/2 for 3": (2, mpq(1, 2), mpq(1, 2)), "without the sum": (0, mpq(9, 10), 0)},
)
def induction(factors: tuple[mpq | int, mpq | int, mpq | int], case: Search) -> Finding:
    share = mpq(case.n, case.buckets)

    def found() -> Iterator[tuple[mpq | int, mpq, object]]:
        for h, targets, x, true, off in _bounded(case):
            for level in range(case.m):
                apart = share * sum(abs(a - b) for a, b in zip(x[:level], true[:level], strict=True))
                reached = abs(affine_reach(true[:level], case.buckets, x[level]) - targets[level])
                where = f"{h}, l={level + 1}, targets {targets}, {case}"
                yield reached, off[level] + factors[0] * apart, f"(13), {where}"
                value = abs(x[level] - true[level])
                yield value, factors[1] * off[level] + factors[2] * apart, f"after (13), {where}"

    return largest_load("step", found())
