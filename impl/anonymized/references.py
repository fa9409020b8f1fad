"""Algorithms 2, 3, 4 and 7 of Ghazi, Kamath, Kumar and Manurangsi, as post-processing of noisy counts.

2 and 4 search all histograms, and are for small sizes: references, not to be run on data. 3 is Algorithm 5 within a band, one
run for each r. 7 takes two released tables. Where a trusted curator holds the data, PrivHist is better: see the
manual.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import pairwise

from gmpy2 import mpq

from finitedp.errors import ParameterError
from finitedp.exact import RationalLike, integer
from finitedp.impl.anonymized.estimator import SCALE, estimates, noisy_bins
from finitedp.impl.anonymized.hashing import expected_reaching, unhashed
from finitedp.impl.anonymized.l1_isotonic import Run, l1_isotonic
from finitedp.impl.anonymized.prevalences import Pairs, pairs_of_counts

__all__ = ["MOST_SEARCHED", "algorithm_2", "algorithm_3", "algorithm_4", "algorithm_7", "all_pairs"]

MOST_SEARCHED = 12  # items: 77 histograms


def all_pairs(n: int) -> Iterator[Pairs]:
    """The prevalence forms of all histograms with n items. Raises: ParameterError for more than can be searched."""
    integer(n, "n", 0, MOST_SEARCHED)
    yield from map(pairs_of_counts, _partitions(n, n))


def _partitions(n: int, most: int) -> Iterator[tuple[int, ...]]:
    if n == 0:
        yield ()
    for first in range(min(n, most), 0, -1):
        yield from ((first, *rest) for rest in _partitions(n - first, first))


def _at_least(pairs: Pairs, r: int) -> int:
    return sum(many for count, many in pairs if count >= r)


def algorithm_2(hashed: Pairs, n: int, buckets: int) -> Pairs:
    """The histogram with n items whose Phi_B is next to the estimate after hashing, in the l1 error. Source: GK.Alg2.

    The first of equal ones in the order of `all_pairs`. Parameters: hashed, the estimate from the buckets (Algorithm 5).
    """
    targets = [_at_least(hashed, r) for r in range(1, n + 1)]

    def error(pairs: Pairs) -> mpq:
        reached = (expected_reaching(pairs, buckets, r) for r in range(1, n + 1))
        return sum((abs(phi - target) for phi, target in zip(reached, targets, strict=True)), mpq(0))

    return min(all_pairs(n), key=error)


def algorithm_3(noisy: Iterable[int], n: int, ratio: RationalLike, band: int, labels: int | None = None) -> Pairs:
    """Algorithm 5 with sorted counts within `band` of the sorted noisy ones: for the squared error. Source: GK.Alg3.

    In cumulative form a box, #{noisy >= r + band} <= x_r <= #{noisy >= r - band}; that the counts sum to n would couple all
    r, and is left out: it helps the error alone. Empty where no histogram of counts up to n is within the band.
    Parameters: band >= 0, any public integer; labels, how many there are, by default one for each noisy count.
    """
    integer(band, "band", at_least=0)
    bins = noisy_bins(noisy, integer(n, "n", at_least=1))
    every = bins.total() if labels is None else labels
    above = _cumulative(bins, n)
    runs = list[Run]()
    for first, length, num in estimates(bins, n, ratio):
        for r in range(first, first + length):
            low, high = above[min(r + band, n + 1)], above[r - band] if r > band else every
            runs.append(Run(num, 1, low, min(high, every)))
    if any(run.low > run.high for run in runs if run.low is not None and run.high is not None):
        return ()
    fitted = l1_isotonic(runs, SCALE, 0, every)
    return _of_cumulative(fitted)


def _cumulative(bins: Counter[int], n: int) -> list[int]:
    """#{noisy >= r} for r = 0, ..., n + 1."""
    above = [0] * (n + 2)
    for r in range(n, -1, -1):
        above[r] = above[r + 1] + bins[r]
    return above


def _of_cumulative(fitted: list[int]) -> Pairs:
    steps = enumerate(pairwise([*fitted, 0]), start=1)
    return tuple((r, x - following) for r, (x, following) in steps if x > following)


def algorithm_4(first: Pairs, noisy: Iterable[int], n: int, band: int) -> Pairs:
    """The histogram next to an estimate whose sorted counts are within `band` of a second, larger noisy table's.

    Source: GK.Alg4, for a first estimate from few buckets and a table of so many that labels do not meet there.
    Parameters: first, what Algorithm 2 gave; noisy, of all buckets of the second hash. Returns: () where none is within it.
    """
    if not isinstance(band, int) or band < 0:
        raise ParameterError(f"band = {band!r} is out of range; accepted: an integer of at least 0")
    ordered = sorted(noisy, reverse=True)

    def within(pairs: Pairs) -> bool:
        counts = sorted((count for count, many in pairs for _ in range(many)), reverse=True)
        padded = [*counts, *[0] * (len(ordered) - len(counts))]
        return len(padded) == len(ordered) and all(abs(a - b) <= band for a, b in zip(padded, ordered, strict=True))

    def error(pairs: Pairs) -> int:
        return sum(abs(_at_least(pairs, r) - _at_least(first, r)) for r in range(1, n + 1))

    return min((pairs for pairs in all_pairs(n) if within(pairs)), key=error, default=())


def algorithm_7(plain: Pairs, hashed: Pairs, n: int, buckets: int, last: int) -> Pairs:
    """Small counts from a table of hashed labels, those above `last` from one of all labels, made non-increasing together.

    Source: GK.Alg7. Parameters: plain, Algorithm 5's estimate from the table of labels; hashed, from that of the buckets; both
    released at half of epsilon, with noise of their own; last, m >= 1, any public integer.
    """
    m = min(integer(last, "last", at_least=1), integer(n, "n", at_least=1))
    small = unhashed([_at_least(hashed, r) for r in range(1, m + 1)], n, buckets)
    fitted = l1_isotonic([Run(x) for x in (*small, *(_at_least(plain, r) for r in range(m + 1, n + 1)))], 1, 0, n)
    return _of_cumulative(fitted)
