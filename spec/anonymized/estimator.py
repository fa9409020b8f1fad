"""Unbiased estimates of cumulative prevalences from noisy counts, and what hashing into buckets does to them.

A function on the integers that is 0 far below and constant far above is written by its values where it changes: see
`Step`. Exact inverses of small laws stand beside the closed forms.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import product

from attrs import frozen
from flint import fmpq, fmpq_mat
from gmpy2 import mpq

from finitedp.errors import ParameterError
from finitedp.exact import RationalLike, integer, rational
from finitedp.spec.anonymized.histograms import Histogram, checked, cumulative, prevalence
from finitedp.spec.pmf import Pmf

__all__ = [
    "Step",
    "cancel",
    "cancelled",
    "corrected",
    "estimate",
    "estimates",
    "exact_inverse",
    "expectation",
    "hashed",
    "hashed_cumulative",
    "hashed_law",
    "indicator",
    "kappa",
    "reached_by_algorithm_6",
    "solved",
    "two_noises",
]


def kappa(decay: RationalLike) -> mpq:
    """p / (1 - p)^2. Parameters: decay, the p of the discrete Laplace law, in (0, 1)."""
    p = rational(decay, "decay")
    if not 0 < p < 1:
        raise ParameterError(f"decay = {p} is out of range; accepted: a rational in (0, 1)")
    return p / (1 - p) ** 2


@frozen
class Step:
    """A function on the integers: 0 below the least key of `values`, `above` beyond the largest, the values between."""

    values: Mapping[int, mpq]
    above: mpq

    def __call__(self, m: int) -> mpq:
        """The value at m."""
        if m in self.values:
            return mpq(self.values[m])
        return mpq(0) if m < min(self.values) else mpq(self.above)


def indicator(decay: RationalLike) -> Step:
    """f(m): 1 for m >= 1, 1 + kappa at 0, -kappa at -1, 0 below. Source: GK.f."""
    k = kappa(decay)
    return Step({-1: -k, 0: 1 + k}, mpq(1))


def cancel(decay: RationalLike) -> Mapping[int, mpq]:
    """g: (1 + p^2) / (1 - p)^2 at 0, -kappa at 1 and at -1. Source: GK.g."""
    p, k = rational(decay, "decay"), kappa(decay)
    return {-1: -k, 0: (1 + p * p) / (1 - p) ** 2, 1: -k}


def cancelled(function: Step, decay: RationalLike) -> Step:
    """function * g: the convolution that takes one more noise of the same decay out of an estimate. Source: GK.footnote9."""
    g = cancel(decay)
    low, high = min(function.values) - 1, max(function.values) + 1
    return Step(
        {m: sum((weight * function(m - i) for i, weight in g.items()), mpq(0)) for m in range(low, high + 1)}, function.above
    )


def two_noises(decay: RationalLike) -> Step:
    """f * g, for counts with two independent noises. Source: GK.E."""
    return cancelled(indicator(decay), decay)


def corrected(decay: RationalLike, n: int, r: int) -> Callable[[int], mpq]:
    """y to f_r(y) for counts with noise that are clamped to 0..n: f(y - r) but for two corners, f_1(0) and f_n(n).

    f_1(0) = -p / (1 - p) and f_n(n) = 1 / (1 - p): the only function that is unbiased for every count in 0..n.
    Parameters: r in 1..n.
    """
    p, f = rational(decay, "decay"), indicator(decay)
    integer(r, "r", 1, n)

    def value(y: int) -> mpq:
        if r == 1 and y == 0:
            return -p / (1 - p)
        if r == n and y == n:
            return 1 / (1 - p)
        return f(y - r)

    return value


def estimate(noisy: Sequence[int], r: int, function: Callable[[int], mpq]) -> mpq:
    """phi^_{>=r}: the sum over all bins of function(h'_j - r). Source: GK.phihat."""
    return sum((function(y - r) for y in noisy), mpq(0))


def estimates(noisy: Sequence[int], n: int, function: Callable[[int], mpq]) -> list[mpq]:
    """phi^_{>=r} for r = 1, ..., n."""
    return [estimate(noisy, r, function) for r in range(1, n + 1)]


def expectation(law: Pmf[int], function: Callable[[int], mpq]) -> mpq:
    """E f(Y), exactly."""
    return sum((law[y] * function(y) for y in law), mpq(0))


def exact_inverse(law: Callable[[int], Pmf[int]], n: int, r: int) -> Mapping[int, mpq]:
    """The function f_r on 0..n with E f_r(Y) = [c >= r] for every count c in 0..n, for any noise with values in 0..n.

    Raises: ParameterError where the matrix Pr[y | c] is singular. Cost: a rational system of n + 1 equations.
    """
    rows = [[law(c)[y] for y in range(n + 1)] for c in range(n + 1)]
    return dict(enumerate(solved(rows, [mpq(c >= r) for c in range(n + 1)])))


def solved(rows: Sequence[Sequence[mpq]], wanted: Sequence[mpq]) -> list[mpq]:
    """The x with rows x = wanted, exactly. Raises: ParameterError where the square matrix is singular."""
    size = len(rows)
    matrix = fmpq_mat(size, size, [_fmpq(entry) for row in rows for entry in row])
    try:
        found = matrix.solve(fmpq_mat(size, 1, [_fmpq(entry) for entry in wanted]))
    except ZeroDivisionError as error:
        raise ParameterError("the laws are linearly dependent: there is no unbiased estimate, or more than one") from error
    return [mpq(int(found[i, 0].p), int(found[i, 0].q)) for i in range(size)]


def _fmpq(number: mpq) -> fmpq:
    return fmpq(int(number.numerator), int(number.denominator))


# Hashing


def hashed(h: Histogram, places: Sequence[int]) -> Histogram:
    """The histogram of the buckets' totals, where label i goes to the bucket places[i]. Source: GK.PhiB."""
    totals: dict[int, int] = {}
    for count, place in zip(h, places, strict=True):
        totals[place] = totals.get(place, 0) + count
    return checked(totals.values())


def hashed_law(h: Histogram, buckets: int) -> Pmf[Histogram]:
    """The law of the histogram after a fully independent hash into B buckets. Cost: all B^|h| maps."""
    weights: dict[Histogram, int] = {}
    for places in product(range(buckets), repeat=len(h)):
        out = hashed(h, places)
        weights[out] = weights.get(out, 0) + 1
    return Pmf(weights)


def hashed_cumulative(h: Histogram, buckets: int, r: int) -> mpq:
    """Phi_B(h)_r: the expected number of buckets with a total of at least r, by all maps. Source: GK.PhiB."""
    law = hashed_law(h, buckets)
    return sum((law[out] * cumulative(out, r) for out in law), mpq(0))


def reached_by_algorithm_6(h: Histogram, buckets: int, level: int) -> mpq:
    """Phi_B(h)_level by the recursion over the counts up to `level`, k in descending order. Source: GK.Alg6."""
    reached = [mpq(1)] + [mpq(0)] * level
    for r in range(1, level + 1):
        many = prevalence(h, r) if r < level else cumulative(h, level)
        for _ in range(many):
            for k in range(level, -1, -1):
                reached[k] = (buckets - 1) * reached[k] / buckets + reached[max(k - r, 0)] / buckets
    return buckets * reached[level]
