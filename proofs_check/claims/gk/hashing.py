"""Section 4 and Appendix A: what hashing into B buckets does to cumulative prevalences, on average."""

from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from typing import NamedTuple

from gmpy2 import mpq

from finitedp.impl.anonymized.hashing import expected_reaching
from finitedp.proofs_check.claims.gk.subjects import GK_SPEC, Hashing, hashes, levels_of, mean, of_levels, phi_b
from finitedp.proofs_check.claims.ph.each_case import Bounded, Compared, bounded, compared, largest_load
from finitedp.proofs_check.claims.ph.subjects import l1, of_histograms, small
from finitedp.proofs_check.ledger.atoms import over
from finitedp.proofs_check.ledger.entry import AS_READ, Finding, cases, erratum, in_scope
from finitedp.proofs_check.ledger.findings import algorithm, definition, lemma
from finitedp.spec.anonymized import estimator, histograms
from finitedp.spec.anonymized.histograms import Histogram

CODE = [f"{GK_SPEC}.hashed_cumulative", f"{GK_SPEC}.reached_by_algorithm_6"]


HASHING = cases(Hashing, [(4, 2), (4, 3), (3, 5)], [(6, 2), (5, 4), (4, 6)])
Reach = Callable[[Histogram, int, int], mpq]


@definition(
    "GK.PhiB",
    """Phi_B(n)_l is the expected number of buckets whose total is at least l, for a fully independent hash: B times the
    probability that one bucket reaches l.""",
    over="all histograms of H_U, all B^k maps of their labels, all l up to U + 1",
    code=[f"{GK_SPEC}.hashed_cumulative", f"{GK_SPEC}.hashed_law"],
    grid=HASHING,
    subject=estimator.hashed_cumulative,
    twins={
        "labels of at least l": lambda h, _b, r: mpq(histograms.cumulative(h, r)),
        "a bucket's largest count": lambda h, b, r: mean([sum(max(x, default=0) >= r for x in to) for to in hashes(h, b)]),
    },
)
@compared("Phi_B")
def phi(reach: Reach, case: Hashing) -> Compared:
    for h, r in product(small(case.universe), range(1, case.universe + 2)):
        one = mean([int(sum(to[0]) >= r) for to in hashes(h, case.buckets)])
        yield reach(h, case.buckets, r), case.buckets * one, f"{h}, B={case.buckets}, l={r}"


def _recursion(h: Histogram, buckets: int, level: int, *, ascending: bool = False, largest: bool = False) -> mpq:
    """Algorithm 6 with k in ascending order, or with values above l left as they are."""
    reached = [mpq(1)] + [mpq(0)] * level
    for x in h:
        r = x if largest else min(x, level)
        if r > level:
            continue
        for k in range(level + 1) if ascending else range(level, -1, -1):
            reached[k] = ((buckets - 1) * reached[k] + reached[max(k - r, 0)]) / buckets
    return buckets * reached[level]


@algorithm(
    "GK.Alg6",
    """Algorithm 6, with k in descending order, computes Phi_B(n)_l; so does the running code, in integers over B^k.""",
    over="all histograms of H_U, all B^k maps of their labels, all l up to U + 1",
    code=[f"{GK_SPEC}.reached_by_algorithm_6", "finitedp.impl.anonymized.hashing.expected_reaching"],
    grid=HASHING,
    subject=lambda h, b, r: expected_reaching(histograms.prevalences(h), b, r),
    twins={
        "ascending k": lambda h, b, r: _recursion(h, b, r, ascending=True),
        "counts above l left out": lambda h, b, r: _recursion(h, b, r, largest=True),
        "one bucket alone": lambda h, b, r: _recursion(h, b, r) / b,
    },
)
@compared("Phi_B")
def algorithm_6(reach: Reach, case: Hashing) -> Compared:
    for h, r in product(small(case.universe), range(1, case.universe + 2)):
        wanted = estimator.hashed_cumulative(h, case.buckets, r)
        found = reach(h, case.buckets, r), phi_b(h, case.buckets, r)
        yield found, (wanted, wanted), f"{h}, B={case.buckets}, l={r}"


@lemma(
    "GK.Obs19",
    "Phi_B(n)_l does not depend on phi_{>=r} for r > l: counts above l may as well be l.",
    over="all histograms of H_U, all B^k maps of their labels, l up to U",
    code=CODE,
    grid=HASHING,
    subject=lambda h, r: tuple(min(x, r) for x in h),
    twins={
        "counts above l left out": lambda h, r: tuple(x for x in h if x <= r),
        "counts from l - 1 on are l - 1": lambda h, r: tuple(min(x, max(r - 1, 1)) for x in h),
    },
)
@compared("Phi_B")
def higher_counts(changed: Callable[[Histogram, int], Histogram], case: Hashing) -> Compared:
    b = case.buckets
    for h, r in product(small(case.universe), range(1, case.universe + 1)):
        other = estimator.hashed_cumulative(changed(h, r), b, r)
        yield other, estimator.hashed_cumulative(h, b, r), f"{h}, B={b}, l={r}"


@erratum(
    "GK.Lem20",
    f"""Lemma 20 {AS_READ}: for one item more, at level r in [n]: Phi_B is the same below r, rises at r by at least 1 - n/B,
    and the sum of its changes above r is less than n/B.""",
    """Lemma 20, corrected: for one item more, at level r, Phi_B is the same below r, and the sum of its changes above r is at
    most n/B, which it attains where n = 1: it is the probability that the changed label meets another. At r it rises by the
    rest, and all changes together are exactly 1. The level r = n + 1 needs no exception.""",
    as_printed=("less than n/B", lambda change, n, b: change < mpq(n, b)),
    subject=lambda change, n, b: change <= mpq(n, b),
    twins={
        "half of it": lambda change, n, b: 2 * change <= mpq(n, b),
        "at most (n - 1)/B": lambda c, n, b: c <= mpq(n - 1, b),
    },
    over="all histograms with 1..U items and all that have one more, r <= n",
    code=CODE,
    grid=HASHING,
    kind="lemma",
)
@compared("(below, at r, above), changes")
def one_item_more(holds: Callable[[mpq, int, int], bool], case: Hashing) -> Compared:
    b = case.buckets
    for h in small(case.universe)[1:]:
        n = sum(h)
        for g in histograms.larger(h):
            changes = [phi_b(g, b, k) - phi_b(h, b, k) for k in range(1, n + 2)]
            r = next(k for k in range(1, n + 2) if histograms.cumulative(g, k) > histograms.cumulative(h, k))
            if r > n:
                continue
            above = sum(map(abs, changes[r:]), mpq(0))
            meets = 1 - mpq(b - 1, b) ** (len(g) - 1)
            found = changes[: r - 1], changes[r - 1] >= 1 - mpq(n, b), holds(above, n, b)
            exact = above, changes[r - 1]
            wanted = ([mpq(0)] * (r - 1), True, True), (meets, 1 - meets)
            yield (found, exact), wanted, f"{h}, {g}, B={b}"


class Two(NamedTuple):
    """Two histograms with at most n items."""

    g: Histogram
    h: Histogram
    n: int

    def check_scope(self) -> None:
        of_histograms(self.g, self.h)
        in_scope(max(1, sum(self.g), sum(self.h)) <= self.n, "at most n items, n >= 1")


class Pairs(NamedTuple):
    """All pairs of histograms with at most n items."""

    n: int

    def atoms(self) -> Iterator[Two]:
        return (Two(g, h, self.n) for g, h in product(small(self.n), repeat=2))


of_pairs = partial(
    lemma, over="all pairs with at most n items, B = 4n + 1", code=CODE, grid=cases(Pairs, [1, 2, 3, 4], [5, 6])
)


@of_pairs(
    "GK.Lem14",
    "For B > 4n and histograms with at most n items, ||Phi_B(n) - Phi_B(n')||_1 >= ||n - n'||_1/4.",
    subject=(4, lambda n: 4 * n + 1),
    twins={"B = 1": (4, lambda n: 1), "without the 4": (1, lambda n: 4 * n + 1), "B = 2 and 3/4": (mpq(4, 3), lambda n: 2)},
)
@over(Pairs.atoms)
def far_apart(claim: tuple[mpq | int, Callable[[int], int]], case: Two) -> Finding:
    g, h, n = case
    factor, buckets = claim[0], claim[1](n)
    one, other = ([phi_b(k, buckets, r) for r in range(1, n + 1)] for k in (g, h))
    found = histograms.distance(g, h), factor * l1(one, other), f"{g}, {h}, B={buckets}"
    return largest_load("||n - n'||_1 against 4 ||Phi_B(n) - Phi_B(n')||_1", [found])


@of_pairs(
    "GK.Eq7",
    "(7): over the same levels S the sum of Phi_B(n')_r - Phi_B(n_min)_r is at most 1/4 ||n_min - n'||_1.",
    subject=(None, mpq(1, 4)),
    twins={"1/100 for 1/4": (None, mpq(1, 100))},
)
@of_pairs(
    "GK.Eq6",
    """(6): with n_min the smaller level of both everywhere and S the levels where n is above it, the sum over S of Phi_B(n)_r
    - Phi_B(n_min)_r is at least 3/4 ||n_min - n||_1.""",
    subject=(mpq(3, 4), None),
    twins={"1 for 3/4": (mpq(1), None)},
)
@over(Pairs.atoms)
@bounded("sums over S")
def hybrids(factors: tuple[mpq | None, mpq | None], case: Two) -> Bounded:
    g, h, n = case
    b = 4 * n + 1
    levels = [min(x, y) for x, y in zip(levels_of(g, n), levels_of(h, n), strict=True)]
    least = of_levels(levels)
    above = [r for r in range(1, n + 1) if histograms.cumulative(g, r) > levels[r - 1]]
    one, other = (sum((phi_b(k, b, r) - phi_b(least, b, r) for r in above), mpq(0)) for k in (g, h))
    if factors[0] is not None:
        yield factors[0] * histograms.distance(g, least), one, f"(6), {g}, {h}"
    if factors[1] is not None:
        yield other, factors[1] * histograms.distance(h, least), f"(7), {g}, {h}"
