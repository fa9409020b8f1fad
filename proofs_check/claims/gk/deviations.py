"""Appendix A.2: X and the indicators of the proof of Lemma 16; Appendix D.2.2: what a first hash costs."""

from collections.abc import Callable
from math import comb, factorial
from typing import NamedTuple

from gmpy2 import mpq

from finitedp.proofs_check.claims.gk.subjects import GK_SPEC, hashes, variance
from finitedp.proofs_check.claims.ph.each_case import Bounded, bounded
from finitedp.proofs_check.claims.ph.subjects import SPEC, small
from finitedp.proofs_check.ledger.entry import cases
from finitedp.proofs_check.ledger.findings import lemma
from finitedp.spec.anonymized import estimator, histograms


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
    code=[f"{GK_SPEC}.hashed_law"],
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


class Hashing(NamedTuple):
    """All histograms of H_U, and B buckets."""

    universe: int
    buckets: int


HASHING = cases(Hashing, [(5, 2), (4, 3), (3, 4)], [(7, 2), (5, 3)])


@lemma(
    "GK.Lem16.negative",
    """The proof of Lemma 16: the Z_i of two buckets are negatively correlated (or not at all), and so are their W_i, for every
    r and t < r. (That X and the Y_t are, each two of them, is false: GK.Lem16.parts.)""",
    over="all histograms of H_U, all B^k maps of their labels, r <= n, t < r",
    code=[f"{GK_SPEC}.hashed_law"],
    grid=HASHING,
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
        apart = sum((law[k] * histograms.distance(k, h) for k in law), mpq(0))
        yield apart, bound(sum(h), case.buckets), f"{h}, {case}"
