"""What PrivHist does with the noisy values, from the paper's optimisation problems: slow, and nothing like the running code.

Isotonic regression is the min-max formula over all blocks, the removal of fakes takes one element at a time, and the l1
regression is a dynamic program over all integers of the box.
"""

from collections.abc import Sequence

from gmpy2 import mpq

from finitedp.spec.anonymized.histograms import Histogram, checked

__all__ = [
    "from_cumulative",
    "isotonic",
    "l1_isotonic_value",
    "large_output",
    "removed",
    "rounded",
    "small_output",
    "smooth_output",
    "split_output",
]


def isotonic(values: Sequence[mpq | int], weights: Sequence[mpq | int] | None = None) -> list[mpq]:
    """The non-increasing x with the least sum of weights * (value - x)^2: by min-max.

    x_i is the min over k <= i of the max over j >= i of the mean of values k, ..., j.
    Source: PH.L1, PH.H5. Parameters: weights above 0, all 1 by default.
    """
    w = [mpq(1)] * len(values) if weights is None else [mpq(weight) for weight in weights]

    def mean(first: int, last: int) -> mpq:
        block = range(first, last + 1)
        return sum((w[i] * values[i] for i in block), mpq(0)) / sum((w[i] for i in block), mpq(0))

    size = len(values)
    return [min(max(mean(k, j) for j in range(i, size)) for k in range(i + 1)) for i in range(size)]


def rounded(x: mpq | int) -> int:
    """The nearest integer of max(x, 0), halves up. Source: PH.L1.b, PH.H6."""
    moved = mpq(x) + mpq(1, 2)
    return max(0, int(moved.numerator // moved.denominator))


def from_cumulative(places: Sequence[int], at_least: Sequence[int]) -> Histogram:
    """The histogram with at_least[i] labels of a count of at least places[i], and counts among the places only."""
    following = [*at_least[1:], 0]
    return checked(s for s, y, z in zip(places, at_least, following, strict=True) for _ in range(y - z))


def small_output(noisy: Sequence[int]) -> Histogram:
    """H^ds from the noisy phi_{r+}, r = 1, ..., T. Source: PH.L1."""
    return from_cumulative(range(1, len(noisy) + 1), [rounded(x) for x in isotonic(noisy)])


def large_output(noisy: Sequence[int], threshold: int) -> Histogram:
    """H^dl from the noisy large counts. Source: PH.L2."""
    return checked(max(value, threshold) for value in noisy)


def removed(h: Histogram, many: int, near: int) -> Histogram:
    """The histogram without the `many` elements nearest to `near`, the smaller of two at one distance first.

    Labels that do not occur have the count 0: an element farther from `near` than 0 is, is never among the nearest.
    Source: PH.L4, PH.Lem6.
    """
    kept = list(h)
    for _ in range(many):
        candidates = [x for x in kept if abs(x - near) <= near]
        if not candidates:
            break
        kept.remove(min(candidates, key=lambda x: (abs(x - near), x)))
    return tuple(kept)


def split_output(large: Sequence[int], small: Sequence[int], threshold: int, fakes: int) -> Histogram:
    """H of the low-privacy branch. Source: PH.L1 to PH.L4."""
    both = checked((*small_output(small), *large_output(large, threshold)))
    return removed(removed(both, fakes, threshold + 1), fakes, threshold)


def smooth_output(places: Sequence[int], noisy: Sequence[int]) -> Histogram:
    """H of the high-privacy branch from the noisy A_i = (s_i - s_{i-1}) phi^v_{s_i+}. Source: PH.H5, PH.H6."""
    steps = [b - a for a, b in zip([0, *places[:-1]], places, strict=True)]
    values = [mpq(a, d) for a, d in zip(noisy, steps, strict=True)]
    return from_cumulative(places, [rounded(x) for x in isotonic(values, [d * d for d in steps])])


def l1_isotonic_value(targets: Sequence[mpq | int], low: int, high: int, lengths: Sequence[int] | None = None) -> mpq:
    """The least sum of lengths * |target - x| over non-increasing integers x in low..high. Source: GK.Alg5.

    Cost: the number of targets times that of integers from low to high, all of them tried.
    """
    weights = [1] * len(targets) if lengths is None else list(lengths)
    best = {x: mpq(0) for x in range(low, high + 1)}  # the least cost of what has been placed, all of it at least x
    for target, weight in zip(targets, weights, strict=True):
        here = {x: best[x] + weight * abs(mpq(target) - x) for x in best}
        running: mpq | None = None
        for x in range(high, low - 1, -1):
            running = here[x] if running is None else min(running, here[x])
            best[x] = running
    return best[low]
