"""Section 4 and Appendix A: what hashing into B buckets does to cumulative prevalences."""

from collections.abc import Callable, Iterator
from itertools import product
from typing import NamedTuple

from gmpy2 import mpq

from finitedp.impl.anonymized.hashing import expected_reaching
from finitedp.proofs_check.claims.gk.subjects import GK_SPEC, hashes, levels_of, mean, of_levels, phi_b, variance
from finitedp.proofs_check.claims.ph.subjects import first_difference, largest_load, small
from finitedp.proofs_check.ledger.entry import Finding, cases, entry, erratum
from finitedp.spec.anonymized import estimator, histograms
from finitedp.spec.anonymized.histograms import Histogram

CODE = [f"{GK_SPEC}.hashed_cumulative", f"{GK_SPEC}.reached_by_algorithm_6"]


class Hashing(NamedTuple):
    """All histograms of H_U, and B buckets."""

    universe: int
    buckets: int


HASHING = cases(Hashing, [(4, 2), (4, 3), (3, 5)], [(6, 2), (5, 4), (4, 6)])
Reach = Callable[[Histogram, int, int], mpq]


@entry(
    "GK.PhiB",
    "definition",
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
def phi(reach: Reach, case: Hashing) -> Finding:
    def compared() -> Iterator[tuple[object, object, object]]:
        for h, r in product(small(case.universe), range(1, case.universe + 2)):
            one = mean([int(sum(to[0]) >= r) for to in hashes(h, case.buckets)])
            yield reach(h, case.buckets, r), case.buckets * one, f"{h}, B={case.buckets}, l={r}"

    return first_difference("Phi_B", compared())


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


@entry(
    "GK.Alg6",
    "algorithm",
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
def algorithm_6(reach: Reach, case: Hashing) -> Finding:
    def compared() -> Iterator[tuple[object, object, object]]:
        for h, r in product(small(case.universe), range(1, case.universe + 2)):
            wanted = estimator.hashed_cumulative(h, case.buckets, r)
            found = reach(h, case.buckets, r), phi_b(h, case.buckets, r)
            yield found, (wanted, wanted), f"{h}, B={case.buckets}, l={r}"

    return first_difference("Phi_B", compared())


@entry(
    "GK.Obs19",
    "lemma",
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
def higher_counts(changed: Callable[[Histogram, int], Histogram], case: Hashing) -> Finding:
    b = case.buckets

    def compared() -> Iterator[tuple[object, object, object]]:
        for h, r in product(small(case.universe), range(1, case.universe + 1)):
            other = estimator.hashed_cumulative(changed(h, r), b, r)
            yield other, estimator.hashed_cumulative(h, b, r), f"{h}, B={b}, l={r}"

    return first_difference("Phi_B", compared())


@erratum(
    "GK.Lem20",
    """Lemma 20 as printed: for one item more, at level r in [n]: Phi_B is the same below r, rises at r by at least 1 - n/B,
    and the sum of its changes above r is less than n/B.""",
    """Lemma 20, corrected: the last sum is at most n/B, which it attains where n = 1; it is the probability that the changed
    label meets another, at r it rises by the rest, and all changes together are exactly 1. The level r = n + 1 needs no
    exception.""",
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
def one_item_more(holds: Callable[[mpq, int, int], bool], case: Hashing) -> Finding:
    b = case.buckets

    def compared() -> Iterator[tuple[object, object, object]]:
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

    return first_difference("(below, at r, above), changes", compared())


class Pairs(NamedTuple):
    """All pairs of histograms with at most n items."""

    n: int


def _norm(g: Histogram, h: Histogram, buckets: int, n: int) -> mpq:
    return sum((abs(phi_b(g, buckets, r) - phi_b(h, buckets, r)) for r in range(1, n + 1)), mpq(0))


PAIRS = cases(Pairs, [1, 2, 3, 4], [5, 6])


@entry(
    "GK.Lem14",
    "lemma",
    "For B > 4n and histograms with at most n items, ||Phi_B(n) - Phi_B(n')||_1 >= ||n - n'||_1/4.",
    over="all pairs with at most n items, B = 4n + 1",
    code=CODE,
    grid=PAIRS,
    subject=(4, lambda n: 4 * n + 1),
    twins={"B = 1": (4, lambda n: 1), "without the 4": (1, lambda n: 4 * n + 1), "B = 2 and 3/4": (mpq(4, 3), lambda n: 2)},
)
def far_apart(claim: tuple[mpq | int, Callable[[int], int]], case: Pairs) -> Finding:
    factor, buckets = claim[0], claim[1](case.n)
    found = (
        (histograms.distance(g, h), factor * _norm(g, h, buckets, case.n), f"{g}, {h}, B={buckets}")
        for g, h in product(small(case.n), repeat=2)
    )
    return largest_load("||n - n'||_1 against 4 ||Phi_B(n) - Phi_B(n')||_1", found)


@entry(
    "GK.Lem14.hybrids",
    "lemma",
    """(6) and (7): with n_min the smaller level of both everywhere and S the levels where n is above it, the sum over S of
    Phi_B(n)_r - Phi_B(n_min)_r is at least 3/4 ||n_min - n||_1, and that of n' at most 1/4 ||n_min - n'||_1.""",
    over="all pairs with at most n items, B = 4n + 1",
    code=CODE,
    grid=PAIRS,
    subject=(mpq(3, 4), mpq(1, 4)),
    twins={"1 for 3/4": (mpq(1), mpq(1, 4)), "1/100 for 1/4": (mpq(3, 4), mpq(1, 100))},
)
def hybrids(factors: tuple[mpq, mpq], case: Pairs) -> Finding:
    n, b = case.n, 4 * case.n + 1

    def found() -> Iterator[tuple[mpq | int, mpq, object]]:
        for g, h in product(small(n), repeat=2):
            levels = [min(x, y) for x, y in zip(levels_of(g, n), levels_of(h, n), strict=True)]
            least = of_levels(levels)
            above = [r for r in range(1, n + 1) if histograms.cumulative(g, r) > levels[r - 1]]
            one, other = (sum((phi_b(k, b, r) - phi_b(least, b, r) for r in above), mpq(0)) for k in (g, h))
            yield factors[0] * histograms.distance(g, least), one, f"(6), {g}, {h}"
            yield other, factors[1] * histograms.distance(h, least), f"(7), {g}, {h}"

    return largest_load("sums over S", found())


# Lemma 16


def _sum_over_t(h: Histogram, r: int) -> mpq:
    return sum((mpq(t * histograms.prevalence(h, t), r * (r - t)) for t in range(1, r)), mpq(0))


Variance = Callable[[Histogram, int, int], mpq]


@entry(
    "GK.Lem16",
    "lemma",
    "Var[phi_{>=r} after hashing] <= 16 n/B (n/r^2 + sum over t < r of t phi_t/(r(r - t))), for every B.",
    over="all histograms of H_U, all B^k maps of their labels, r <= n",
    code=[f"{GK_SPEC}.hashed_law"],
    grid=HASHING,
    subject=lambda h, b, r: mpq(16 * sum(h), b) * (mpq(sum(h), r * r) + _sum_over_t(h, r)),
    twins={
        "without n/r^2": lambda h, b, r: mpq(16 * sum(h), b) * _sum_over_t(h, r),
        "the mean": lambda h, b, r: mpq(1, 16) * phi_b(h, b, r) / b,
        "B^4 for B": lambda h, b, r: mpq(sum(h), b**4) * (mpq(sum(h), r * r) + _sum_over_t(h, r)),
    },
)
def spread(bound: Variance, case: Hashing) -> Finding:
    def found() -> Iterator[tuple[mpq, mpq, object]]:
        for h in small(case.universe)[1:]:
            law = estimator.hashed_law(h, case.buckets)
            for r in range(1, sum(h) + 1):
                first = sum((law[k] * histograms.cumulative(k, r) for k in law), mpq(0))
                second = sum((law[k] * histograms.cumulative(k, r) ** 2 for k in law), mpq(0))
                yield second - first**2, bound(h, case.buckets, r), f"{h}, B={case.buckets}, r={r}"

    return largest_load("variance", found())


class Labels(NamedTuple):
    """One histogram, and B buckets."""

    histogram: Histogram
    buckets: int


Kind = Callable[[tuple[int, ...], int], int]
Covariances = Callable[[dict[int, list[int]]], Iterator[tuple[mpq, object]]]


def _kind(bucket: tuple[int, ...], r: int) -> int:
    """What a bucket counts for: r for X (a count of at least r in it), t for Y_t (a largest count t and a total of r)."""
    largest = max(bucket, default=0)
    return r if largest >= r else largest if sum(bucket) >= r else 0


def _each_pair(counts: dict[int, list[int]]) -> Iterator[tuple[mpq, object]]:
    for s, t in product(counts, repeat=2):
        if s < t:
            yield variance(counts[s], counts[t]), f"Cov(Y_{s}, Y_{t})"


def _together(counts: dict[int, list[int]]) -> Iterator[tuple[mpq, object]]:
    yield sum((found for found, _ in _each_pair(counts)), mpq(0)), "the sum of all covariances"


ENUMERATED = cases(
    Labels,
    [*((h, 2) for h in histograms.histograms(5)[1:]), ((2, 1, 1), 3), ((3, 2, 1, 1, 1, 1), 2)],
    [*((h, 3) for h in histograms.histograms(5)[1:]), ((3, 2, 1, 1, 1, 1, 1), 2), ((4, 2, 1, 1, 1), 2)],
)


@erratum(
    "GK.Lem16.parts",
    """The proof of Lemma 16 as printed: X and Y_1, ..., Y_{r-1}, the numbers of buckets with a count of at least r, and of
    those that reach r with a largest count t, are negatively correlated, each two of them.""",
    """Corrected to what the proof uses: phi_{>=r} after hashing is X + Y_1 + ... + Y_{r-1}, and the sum of all their
    covariances is at most 0, so that its variance is at most the sum of theirs (two of them may have a positive
    covariance).""",
    as_printed=("each two", (_kind, _each_pair)),
    subject=(_kind, _together),
    twins={
        "a total of at least r for X": (lambda x, r: r if sum(x) >= r else 0 if not x else 1, _together),
        "Y_t without its total": (lambda x, r: min(max(x, default=0), r), _together),
    },
    over="the histograms of the grid, all B^k maps of their labels, all r up to the number of items",
    code=[f"{GK_SPEC}.hashed_law"],
    grid=ENUMERATED,
    kind="lemma",
)
def correlations(made: tuple[Kind, Covariances], case: Labels) -> Finding:
    def found() -> Iterator[tuple[mpq | int, int, object]]:
        maps = list(hashes(case.histogram, case.buckets))
        for r in range(1, sum(case.histogram) + 1):
            kinds = [[made[0](x, r) for x in to] for to in maps]
            counts = {t: [row.count(t) for row in kinds] for t in range(1, r + 1)}
            whole = [sum(counts[t][i] for t in counts) for i in range(len(maps))]
            where = f"{case.histogram}, B={case.buckets}, r={r}"
            yield int(whole != [sum(sum(x) >= r for x in to) for to in maps]), 0, f"the parts, {where}"
            yield from ((max(mpq(0), c), 0, f"{what}, {where}") for c, what in made[1](counts))

    return largest_load("above 0", found())


class Ones(NamedTuple):
    """k labels of count 1, buckets B > 4k, and r = 2, t = 1: Pr[another one meets a given one]."""

    labels: int
    buckets: int


@erratum(
    "GK.Lem16.tail",
    """The end of the proof of Lemma 16 as printed: in both cases Pr[sum of n_j U_j >= r - t] <= (16 n/B) t/(n - t).""",
    "Corrected to (16 n/B) t/(r(r - t)), which is what the two cases show and what the lemma uses.",
    as_printed=("n - t", lambda n, r, t: mpq(t, n - t)),
    subject=lambda n, r, t: mpq(t, r * (r - t)),
    twins={"t/r^3": lambda n, r, t: mpq(t, 16 * r**3)},
    over="n labels of count 1, r = 2, 3 and t = 1, B = 4n + 1: exact binomial probabilities",
    code=[f"{GK_SPEC}.hashed_law"],
    grid=cases(Ones, [(k, 4 * k + 1) for k in (3, 10, 20, 24, 30)], [(k, 5 * k) for k in (50, 100)]),
)
def tails(share: Callable[[int, int, int], mpq], case: Ones) -> Finding:
    n, b = case.labels, case.buckets
    none = mpq(b - 1, b) ** n
    one = n * mpq(1, b) * mpq(b - 1, b) ** (n - 1)
    found = [(1 - none, 2), (1 - none - one, 3)]
    return largest_load("probability", ((p, mpq(16 * n, b) * share(n, r, 1), f"n={n}, B={b}, r={r}, t=1") for p, r in found))
