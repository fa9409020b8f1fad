"""What the claims about Ghazi et al. share: all hashes of small histograms, and Phi_B as it is computed."""

from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from itertools import accumulate, pairwise, product
from typing import NamedTuple

from gmpy2 import mpq

from finitedp.impl.anonymized.hashing import unhashed
from finitedp.impl.anonymized.l1_isotonic import Run, l1_isotonic
from finitedp.proofs_check.claims.ph.subjects import unimodal
from finitedp.proofs_check.ledger.entry import in_scope
from finitedp.spec.anonymized import estimator, histograms
from finitedp.spec.anonymized.histograms import Histogram

GK_SPEC = "finitedp.spec.anonymized.estimator"


@cache
def phi_b(h: Histogram, buckets: int, level: int) -> mpq:
    """Phi_B(h)_level, by the recursion of Algorithm 6."""
    return estimator.reached_by_algorithm_6(h, buckets, level)


@lru_cache(maxsize=4096)
def phi_b_up_to(h: Histogram, buckets: int, most: int) -> tuple[mpq, ...]:
    """Phi_B(h)_1, ..., Phi_B(h)_most, of one run of that recursion over the law of a bucket's total, in units of B^-|h|."""
    weights = [1] + [0] * (most - 1)
    for count in h:
        for total in range(most - 1, -1, -1):
            weights[total] = (buckets - 1) * weights[total] + (weights[total - count] if total >= count else 0)
    whole = buckets ** len(h)
    return tuple(buckets * mpq(whole - below, whole) for below in accumulate(weights))


def hashes(h: Histogram, buckets: int) -> Iterator[tuple[tuple[int, ...], ...]]:
    """The buckets' contents under every map of the labels."""
    for places in product(range(buckets), repeat=len(h)):
        yield tuple(tuple(x for x, at in zip(h, places, strict=True) if at == b) for b in range(buckets))


class Hashing(NamedTuple):
    """All histograms of H_U, and B buckets."""

    universe: int
    buckets: int


def estimates(noisy: Sequence[int], n: int, decay: mpq) -> list[mpq]:
    """The unbiased estimates of phi_{>=r}, r = 1..n, from noisy counts that are clamped to 0..n."""
    return [sum(map(estimator.corrected(decay, n, r), noisy), mpq(0)) for r in range(1, n + 1)]


def mean(values: Sequence[int]) -> mpq:
    """The mean of equally likely values."""
    return mpq(sum(values), len(values))


def variance(one: Sequence[int], other: Sequence[int] | None = None) -> mpq:
    """The variance, or the covariance of two."""
    second = one if other is None else other
    return mean([a * b for a, b in zip(one, second, strict=True)]) - mean(one) * mean(second)


def affine_reach(levels: Sequence[int], buckets: int, x: int) -> mpq:
    """Phi_B(x_1, ..., x_{r-1}, x)_r for r = len(levels) + 1, also where x is above x_{r-1}: by its values at 0 and 1.

    Where x_{r-1} >= 1 both are Phi_B of histograms, and it is affine in x; for r = 1 it is B(1 - q^x).
    """
    r, whole = len(levels) + 1, mpq(buckets)
    if r == 1:
        return whole * (1 - mpq(buckets - 1, buckets) ** x)
    at_zero = phi_b(of_levels([*levels, 0]), buckets, r)
    if not levels[-1]:
        return at_zero + x * mpq(buckets - 1, buckets) ** max(levels[0] - 1, 0)
    return at_zero + x * (phi_b(of_levels([*levels, 1]), buckets, r) - at_zero)


def levels_of(h: Histogram, n: int) -> list[int]:
    """phi_{>=r} for r = 1..n."""
    return [histograms.cumulative(h, r) for r in range(1, n + 1)]


def of_levels(levels: Sequence[int]) -> Histogram:
    """The histogram with these phi_{>=r}, r = 1, 2, ..., non-increasing."""
    steps = zip(levels, [*levels[1:], 0], strict=True)
    return histograms.checked(r for r, (a, b) in enumerate(steps, 1) for _ in range(a - b))


def uncapped(targets: Sequence[int], n: int, buckets: int) -> list[int]:
    """For r = 1, ..., m the x in 0..n with Phi_B(w_1, ..., w_{r-1}, x)_r nearest to the target, halves down.

    W is non-increasing, next to the x found before in l1; above w_{r-1} Phi_B is continued affinely.
    """
    found: list[int] = []
    for target in targets:
        if not found:
            found.append(unhashed([target], n, buckets)[0])
            continue
        w = l1_isotonic([Run(x) for x in found], 1, 0, n)
        at_zero, at_one = (affine_reach(w, buckets, x) for x in (0, 1))
        place = (target - at_zero) / (at_one - at_zero) - mpq(1, 2)
        found.append(min(max(int(-(-place.numerator // place.denominator)), 0), n))
    return found


def _falls(values: Sequence[int], least: int) -> bool:
    return min(values) >= least and all(a >= b for a, b in pairwise(values))


class Single(NamedTuple):
    """One histogram h of n >= 1 items, m >= 1 non-increasing targets in 0..n, and B = 3nm + more buckets, more >= 1."""

    h: Histogram
    targets: tuple[int, ...]
    more: int = 1

    @property
    def n(self) -> int:
        return sum(self.h)

    @property
    def m(self) -> int:
        return len(self.targets)

    @property
    def buckets(self) -> int:
        return 3 * self.n * self.m + self.more

    @property
    def atoms(self) -> "tuple[Single]":
        return (self,)

    def check_scope(self) -> None:
        in_scope(self.h and _falls(self.h, 1), "h is a histogram of at least one item")
        in_scope(self.targets and _falls(self.targets, 0), "targets are non-increasing and at least 0")
        in_scope(self.targets[0] <= self.n, "no target is above n")
        in_scope(self.more >= 1, "B is above 3nm")

    def __str__(self) -> str:
        return f"n={self.n}, m={self.m}, B={self.buckets}"


class Search(NamedTuple):
    """All non-increasing targets of m levels in 0..most, with all histograms of n items, and B > 3nm buckets."""

    n: int
    m: int
    buckets: int
    most: int

    @property
    def atoms(self) -> Iterator[Single]:
        more = self.buckets - 3 * self.n * self.m
        return (Single(h, t, more) for t, h in product(unimodal(self.m, self.most), histograms.partitions(self.n)))
