"""What PrivHist releases, and how the histogram follows from the noisy values: post-processing, without the data."""

from itertools import pairwise

from attrs import frozen

from finitedp.impl.anonymized.post_processing import (
    blocks_isotonic,
    from_cumulative,
    isotonic,
    large_output,
    removed,
    rounded,
    union,
)
from finitedp.impl.anonymized.prevalences import Pairs

__all__ = ["Released", "smooth_output", "split_output"]


@frozen
class Released:
    """What PrivHist released: all of it is covered by its claim, not only the histogram.

    histogram: H in prevalence form. total: N. threshold, fakes: T and M, 0 where N is 0. large: the noisy large counts, of
    which there are W. small: the noisy phi_{r+}, r = 1..T, of the branch split. places, blocks: S and the noisy number of
    items between its places, of the branch smooth.
    """

    histogram: Pairs
    total: int
    threshold: int = 0
    fakes: int = 0
    large: tuple[int, ...] = ()
    small: tuple[int, ...] = ()
    places: tuple[int, ...] = ()
    blocks: tuple[int, ...] = ()


def split_output(total: int, threshold: int, fakes: int, large: list[int], small: list[int]) -> Released:
    """Steps L1 to L4: post-processing of what was released. Source: PH.L1 to PH.L4."""
    below = from_cumulative(range(1, threshold + 1), rounded(isotonic(small)))
    both = union(below, large_output(large, threshold))
    histogram = removed(removed(both, fakes, threshold + 1), fakes, threshold)
    return Released(histogram, total, threshold, fakes, tuple(large), tuple(small))


def smooth_output(total: int, threshold: int, fakes: int, large: list[int], places: list[int], noisy: list[int]) -> Released:
    """Steps H5 and H6: post-processing of what was released. Source: PH.H5, PH.H6."""
    steps = [b - a for a, b in pairwise([0, *places])]
    histogram = from_cumulative(places, rounded(blocks_isotonic(noisy, steps)))
    return Released(histogram, total, threshold, fakes, tuple(large), (), tuple(places), tuple(noisy))
