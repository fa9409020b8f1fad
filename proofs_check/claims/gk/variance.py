"""Appendix A.2: Lemma 16, the variance of a cumulative prevalence after hashing, and its proof; what a first hash costs."""

from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from math import comb, factorial
from typing import NamedTuple

from gmpy2 import mpq

from finitedp.proofs_check.claims.gk.subjects import GK_SPEC, Hashing, hashes, mean, phi_b, variance
from finitedp.proofs_check.claims.ph.each_case import Bounded, bounded, largest_load
from finitedp.proofs_check.claims.ph.subjects import SPEC, expected, small
from finitedp.proofs_check.ledger.entry import AS_READ, Finding, cases, erratum
from finitedp.proofs_check.ledger.findings import lemma
from finitedp.spec.anonymized import estimator, histograms
from finitedp.spec.anonymized.histograms import Histogram

CODE = [f"{GK_SPEC}.hashed_law"]
HASHING = cases(Hashing, [(4, 2), (4, 3), (3, 5)], [(6, 2), (5, 4), (4, 6)])


def _sum_over_t(h: Histogram, r: int) -> mpq:
    return sum((mpq(t * histograms.prevalence(h, t), r * (r - t)) for t in range(1, r)), mpq(0))


@lemma(
    "GK.Lem16",
    "Var[phi_{>=r} after hashing] <= 16 n/B (n/r^2 + sum over t < r of t phi_t/(r(r - t))), for every B.",
    over="all histograms of H_U, all B^k maps of their labels, r <= n",
    code=CODE,
    grid=HASHING,
    subject=lambda h, b, r: mpq(16 * sum(h), b) * (mpq(sum(h), r * r) + _sum_over_t(h, r)),
    twins={
        "without n/r^2": lambda h, b, r: mpq(16 * sum(h), b) * _sum_over_t(h, r),
        "the mean": lambda h, b, r: mpq(1, 16) * phi_b(h, b, r) / b,
        "B^4 for B": lambda h, b, r: mpq(sum(h), b**4) * (mpq(sum(h), r * r) + _sum_over_t(h, r)),
    },
)
@bounded("variance")
def spread(bound: Callable[[Histogram, int, int], mpq], case: Hashing) -> Bounded:
    for h in small(case.universe)[1:]:
        law = estimator.hashed_law(h, case.buckets)
        for r in range(1, sum(h) + 1):
            reached = law.pushforward(partial(histograms.cumulative, r=r))
            found = expected(reached, lambda x: x * x) - expected(reached, mpq) ** 2
            yield found, bound(h, case.buckets, r), f"{h}, B={case.buckets}, r={r}"


class Labels(NamedTuple):
    """One histogram, and B buckets."""

    histogram: Histogram
    buckets: int


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
    """Proof of Lemma 16, corrected to what it uses: phi_{>=r} after hashing is X + Y_1 + ... + Y_{r-1}, and the sum of all
    their covariances is at most 0, so that its variance is at most the sum of theirs (two of them may have a positive
    covariance).""",
    as_printed=("each two", (_kind, _each_pair)),
    subject=(_kind, _together),
    twins={
        "a total of at least r for X": (lambda x, r: r if sum(x) >= r else 0 if not x else 1, _together),
        "Y_t without its total": (lambda x, r: min(max(x, default=0), r), _together),
    },
    over="the histograms of the grid, all B^k maps of their labels, all r up to the number of items",
    code=CODE,
    grid=ENUMERATED,
    kind="lemma",
)
@bounded("above 0")
def correlations(made: tuple[Callable[[tuple[int, ...], int], int], Covariances], case: Labels) -> Bounded:
    maps = list(hashes(case.histogram, case.buckets))
    for r in range(1, sum(case.histogram) + 1):
        kinds = [[made[0](x, r) for x in to] for to in maps]
        counts = {t: [row.count(t) for row in kinds] for t in range(1, r + 1)}
        whole = [sum(counts[t][i] for t in counts) for i in range(len(maps))]
        where = f"{case.histogram}, B={case.buckets}, r={r}"
        yield int(whole != [sum(sum(x) >= r for x in to) for to in maps]), 0, f"the parts, {where}"
        yield from ((max(mpq(0), c), 0, f"{what}, {where}") for c, what in made[1](counts))


@lemma(
    "GK.Eq8",
    "(8): Var[Y_t] is at most the sum over the buckets of Pr[W_i = 1], W_i the indicator that bucket i counts for Y_t.",
    over="all histograms of H_U, all B^k maps of their labels, r <= n, t < r",
    code=CODE,
    grid=HASHING,
    subject=lambda first, b: b * first,
    twins={"one bucket": lambda first, b: first / b, "its square": lambda first, b: (b * first) ** 2 / 4},
)
@bounded("Var[Y_t]")
def indicators(bound: Callable[[mpq, int], mpq], case: Hashing) -> Bounded:
    for h in small(case.universe)[1:]:
        maps = list(hashes(h, case.buckets))
        for r in range(2, sum(h) + 1):
            kinds = [[_kind(x, r) for x in to] for to in maps]
            for t in range(1, r):
                first = mean([int(row[0] == t) for row in kinds])
                yield variance([row.count(t) for row in kinds]), bound(first, case.buckets), f"{h}, {case}, r={r}, t={t}"


@lemma(
    "GK.Eq9",
    """(9): Pr[W_i = 1] <= phi_t/B Pr[the labels of a count of at most t in bucket i have a total of at least r - t], the given
    label counted again.""",
    over="all histograms of H_U, all B^k maps of their labels, r <= n, t < r",
    code=CODE,
    grid=HASHING,
    subject=lambda h, t: tuple(x for x in h if x <= t),
    twins={
        "those below t alone": lambda h, t: tuple(x for x in h if x < t),
    },
)
@bounded("Pr[W_i = 1]")
def by_one_label(others: Callable[[Histogram, int], Histogram], case: Hashing) -> Bounded:
    for h in small(case.universe)[1:]:
        firsts = [to[0] for to in hashes(h, case.buckets)]
        for r in range(2, sum(h) + 1):
            for t in range(1, r):
                one = mean([int(_kind(x, r) == t) for x in firsts])
                reach = mean([int(sum(to[0]) >= r - t) for to in hashes(others(h, t), case.buckets)])
                yield one, mpq(histograms.prevalence(h, t), case.buckets) * reach, f"{h}, {case}, r={r}, t={t}"


class Ones(NamedTuple):
    """k labels of count 1, buckets B > 4k, and r = 2, t = 1: Pr[another one meets a given one]."""

    labels: int
    buckets: int


@erratum(
    "GK.Lem16.tail",
    f"""The end of the proof of Lemma 16 {AS_READ}: in both cases Pr[sum of n_j U_j >= r - t] <= (16 n/B) t/(n - t).""",
    """The end of the proof of Lemma 16, corrected: in both cases Pr[sum of n_j U_j >= r - t] <= (16 n/B) t/(r(r - t)), which
    is what the lemma uses.""",
    as_printed=("n - t", lambda n, r, t: mpq(t, n - t)),
    subject=lambda n, r, t: mpq(t, r * (r - t)),
    twins={"t/r^3": lambda n, r, t: mpq(t, 16 * r**3)},
    over="n labels of count 1, r = 2, 3 and t = 1, B = 4n + 1: exact binomial probabilities",
    code=CODE,
    grid=cases(Ones, [(k, 4 * k + 1) for k in (3, 10, 20, 24, 30)], [(k, 5 * k) for k in (50, 100)]),
)
def tails(share: Callable[[int, int, int], mpq], case: Ones) -> Finding:
    n, b = case.labels, case.buckets
    none = mpq(b - 1, b) ** n
    one = n * mpq(1, b) * mpq(b - 1, b) ** (n - 1)
    found = [(1 - none, 2), (1 - none - one, 3)]
    return largest_load("probability", ((p, mpq(16 * n, b) * share(n, r, 1), f"n={n}, B={b}, r={r}, t=1") for p, r in found))


class Balls(NamedTuple):
    """Phi labels of a count of at least r, B buckets."""

    labels: int
    buckets: int


Bound = Callable[[int, int], mpq]


def _binomial(case: Balls, k: int) -> mpq:
    """Pr[k of the labels in one bucket]."""
    return comb(case.labels, k) * mpq(1, case.buckets) ** k * mpq(case.buckets - 1, case.buckets) ** (case.labels - k)


def _occupied(case: Balls) -> mpq:
    """The variance of the number of buckets with a label."""
    b, phi = mpq(case.buckets), case.labels
    one, two = ((b - 1) / b) ** phi, (mpq(max(case.buckets - 2, 0)) / b) ** phi
    return b * one + b * (b - 1) * two - (b * one) ** 2


@lemma(
    "GK.Lem16.X",
    """The proof of Lemma 16, X: with phi labels of a count of at least r, Z_i, one less than the number of them in bucket i
    (0 where there are none), is k >= 1 with probability C(phi, k+1) (1/B)^(k+1) (1 - 1/B)^(phi-k-1) <= (phi/B)^(k+1)/(k+1)!;
    E Z_i^2 <= 4 (phi/B)^2, and Var X <= 4 phi^2/B, X the number of buckets with one: at most 4 n^2/(r^2 B) where phi <=
    n/r.""",
    over="phi and B on the grid, where phi > B too; exact binomial probabilities",
    code=CODE,
    grid=cases(Balls, [(1, 2), (3, 2), (6, 2), (5, 5), (10, 3), (20, 81)], [(40, 7), (50, 201), (100, 10)]),
    subject=lambda phi, b: 4 * mpq(phi, b) ** 2,
    twins={"(phi/B)^2/8": lambda phi, b: mpq(phi, b) ** 2 / 8, "(phi/B)^3": lambda phi, b: mpq(phi, b) ** 3},
)
@bounded("Z")
def collisions(bound: Bound, case: Balls) -> Bounded:
    phi, b = case
    law = {k: _binomial(case, k + 1) for k in range(1, phi)}
    yield from ((p, mpq(phi, b) ** (k + 1) / factorial(k + 1), f"Pr[Z = {k}], {case}") for k, p in law.items())
    yield sum((k * k * p for k, p in law.items()), mpq(0)), bound(phi, b), f"E Z^2, {case}"
    yield _occupied(case), b * bound(phi, b), f"Var X, {case}"
    if b**phi <= 1000:
        hashed = estimator.hashed_law((1,) * phi, b)
        mean, square = (sum((hashed[out] * len(out) ** k for out in hashed), mpq(0)) for k in (1, 2))
        yield abs(square - mean**2 - _occupied(case)), mpq(0), f"Var X by all maps, {case}"


APART = cases(Hashing, [(5, 2), (4, 3), (3, 4)], [(7, 2), (5, 3)])


@lemma(
    "GK.Lem16.negative",
    """The proof of Lemma 16: the Z_i of two buckets are negatively correlated (or not at all), and so are their W_i, for every
    r and t < r. (That X and the Y_t are, each two of them, is false: GK.Lem16.parts.)""",
    over="all histograms of H_U, all B^k maps of their labels, r <= n, t < r",
    code=CODE,
    grid=APART,
    subject=lambda bucket, r, t: int(max(bucket, default=0) == t and sum(bucket) >= r),
    twins={"another total": lambda x, r, t: int(sum(x) % 2 == t % 2)},
)
@bounded("covariance")
def buckets_apart(indicator: Callable[[tuple[int, ...], int, int], int], case: Hashing) -> Bounded:
    for h in small(case.universe)[1:]:
        maps = list(hashes(h, case.buckets))
        for r in range(1, sum(h) + 1):
            z = [[max(0, sum(c >= r for c in x) - 1) for x in to[:2]] for to in maps]
            yield max(mpq(0), variance([a for a, _ in z], [b for _, b in z])), 0, f"Z, {h}, {case}, r={r}"
            for t in range(1, r):
                w = [[indicator(x, r, t) for x in to[:2]] for to in maps]
                yield max(mpq(0), variance([a for a, _ in w], [b for _, b in w])), 0, f"W, {h}, {case}, r={r}, t={t}"


@lemma(
    "GK.SecD.hashed",
    """Section D.2.2, what a first hash costs: n items hashed into B' buckets are at a mean distance of at most n^2/B' from
    what they were, so that B' = n^2 costs at most 1: the printed O(1) for B' = O(n^2), with its constant.""",
    over="all histograms of H_U, all B^k maps of their labels",
    code=[f"{GK_SPEC}.hashed_law", f"{SPEC}.histograms.distance"],
    grid=cases(Hashing, [(4, 2), (4, 4), (3, 9)], [(5, 5), (6, 3)]),
    subject=lambda n, b: mpq(n * n, b),
    twins={"n/B'": lambda n, b: mpq(n, 4 * b), "n^2/B'^2": lambda n, b: mpq(n * n, b * b)},
)
@bounded("mean distance")
def moved(bound: Bound, case: Hashing) -> Bounded:
    for h in small(case.universe)[1:]:
        law = estimator.hashed_law(h, case.buckets)
        yield expected(law, partial(histograms.distance, h)), bound(sum(h), case.buckets), f"{h}, {case}"
