"""The laws of sparse histograms on small universes (Section 6 of Balcer and Vadhan)."""

from collections.abc import Callable, Hashable, Sequence
from itertools import accumulate, permutations
from math import factorial, prod
from typing import TypeVar

from gmpy2 import mpq

from finitedp.errors import ParameterError
from finitedp.exact import RationalLike, unit_fraction
from finitedp.spec.histogram import basic_histogram, histogram
from finitedp.spec.mixing import mixed
from finitedp.spec.order_statistics import approx_top_order_statistics
from finitedp.spec.pmf import Pmf, product

__all__ = ["keep_heavy", "least_random", "pure_sparse_histogram", "random_histogram", "sparse_distance", "sparse_histogram"]

L = TypeVar("L", bound=Hashable)
Bins = tuple[tuple[L, int], ...]
CountingLaw = Callable[[int], Pmf[int]]


def keep_heavy(
    dataset: Sequence[L], universe: Sequence[L], counting_law: Callable[[int], Pmf[int]], n: int
) -> Pmf[tuple[tuple[L, int], ...]]:
    """Noisy counts of the whole universe, of which those above the (n+1)-th largest are released, in the universe's order.

    Source: BV.Alg6.1, with the erratum |X| >= n + 1.
    Parameters: dataset of at most n rows; counting_law, the law of the counting-query mechanism at each count.
    Raises: ParameterError.
    """
    if len(universe) < n + 1:
        raise ParameterError(
            f"|X| = {len(universe)} is below n + 1 = {n + 1}; accepted: a larger universe, or basic_histogram"
        )

    return basic_histogram(dataset, universe, counting_law).pushforward(lambda bins: _kept(bins, n))


def _kept(bins: Bins[L], n: int) -> Bins[L]:
    """The bins above the (n+1)-th largest count."""
    bar = sorted((count for _, count in bins), reverse=True)[n]
    return tuple((label, count) for label, count in bins if count > bar)


def sparse_histogram(dataset: Sequence[L], universe: Sequence[L], counting_law: CountingLaw, n: int, s: int) -> Pmf[Bins[L]]:
    """The law of SparseHistogram, from its parts.

    Noisy counts of the labels that occur, a uniform sequence of n + 1 others with the counts of ApproxOrdSample, and what is
    above the (n+1)-th largest of them, in the universe's order. Source: BV.Alg6.21.
    Parameters: dataset of at most n rows; counting_law, the law of the counting-query mechanism at each count; s >= |X|, the
    denominator of ApproxOrdSample. Raises: ParameterError for |X| < 2n + 1.
    """
    if len(universe) < 2 * n + 1:
        raise ParameterError(f"|X| = {len(universe)} is below 2n + 1 = {2 * n + 1}; accepted: a larger universe")
    empty = counting_law(0)
    scaled_cdf = list(accumulate(empty.weight(z) for z in range(n + 1)))  # ApproxOrdSample sees quotients of it alone
    present = [x for x in universe if x in set(dataset)]
    absent = [x for x in universe if x not in set(dataset)]
    noisy = product([counting_law(count) for count in histogram(dataset, present)])
    largest = approx_top_order_statistics(scaled_cdf, len(absent), s)
    sequences = list(permutations(absent, n + 1))
    weights: dict[Bins[L], int] = {}
    for counts, w in noisy.weights.items():
        for top, v in largest.weights.items():
            for sequence in sequences:
                bins = dict(zip(present, counts, strict=True)) | dict(zip(sequence, top, strict=True))
                kept = _kept(tuple((x, bins[x]) for x in universe if x in bins), n)
                weights[kept] = weights.get(kept, 0) + w * v
    return Pmf(weights)


def random_histogram(universe: Sequence[L], n: int) -> Pmf[Bins[L]]:
    """n labels with replacement, uniform counts in 0..n for the distinct ones, of which those above 0 are released.

    Source: step (2) of BV.Alg6.9.
    """
    counts = Pmf.uniform(range(n + 1))

    def with_counts(labels: tuple[L, ...]) -> Pmf[Bins[L]]:
        distinct = [x for x in universe if x in labels]
        return product([counts] * len(distinct)).pushforward(
            lambda c: tuple((x, count) for x, count in zip(distinct, c, strict=True) if count > 0)
        )

    return product([Pmf.uniform(universe)] * n).then(with_counts)


def sparse_distance(universe_size: int, n: int, epsilon: RationalLike, beta_1: RationalLike) -> mpq:
    """delta = (epsilon/3) beta_1 (1/(3|X|))^n. Source: step (1) of BV.Alg6.9."""
    q, b = unit_fraction(epsilon, "epsilon"), unit_fraction(beta_1, "beta_1")
    return mpq(1, 3 * q * b * prod([3 * universe_size] * n))


def least_random(universe_size: int, n: int) -> mpq:
    """n! / ((n+1)|X|)^n: the least probability of any histogram under random_histogram. Source: the proof of BV.Thm6.10.i."""
    return mpq(factorial(n), ((n + 1) * universe_size) ** n)


def pure_sparse_histogram(sparse: Pmf[Bins[L]], universe: Sequence[L], n: int, beta_1: RationalLike) -> Pmf[Bins[L]]:
    """SparseHistogram's law mixed with that of random_histogram, with probability beta_1. Source: BV.Alg6.9."""
    return mixed(sparse, random_histogram(universe, n), beta_1)
