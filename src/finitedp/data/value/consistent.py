"""Noisy counts made to sum to the known number of rows: post-processing of a release."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from finitedp.claim import PrivacyClaim
from finitedp.data.columns import Label
from finitedp.data.value.by_label import ByLabel
from finitedp.errors import ParameterError
from finitedp.exact import integer
from finitedp.impl.histograms.dyadic import total

__all__ = ["ConsistentHistogram", "consistent_with", "nearest"]

Counts = NDArray[np.int64]


class _Whole(Protocol):
    """A NoisyHistogram, as far as it is looked at."""

    @property
    def labels(self) -> Sequence[Label]: ...

    @property
    def counts(self) -> Counts: ...

    @property
    def claim(self) -> PrivacyClaim | None: ...

    @property
    def threshold(self) -> int | None: ...

    def place(self, label: Label) -> int: ...


@frozen(eq=False)
class ConsistentHistogram(ByLabel):
    """The counts of a release after post-processing: of all non-negative integers that sum to the rows, the nearest.

    release: as it was. Its claim is this one's too, since nothing but the release was looked at; its error bars are around
    its own counts, not around these. counts: an int64 array, in the order of the labels. rows: their sum.
    """

    release: _Whole
    counts: Counts
    rows: int

    @property
    def labels(self) -> Sequence[Label]:
        """Those of the release."""
        return self.release.labels

    @property
    def claim(self) -> PrivacyClaim | None:
        """That of the release."""
        return self.release.claim

    def place(self, label: Label) -> int:
        """Where a label is. Raises: LabelError."""
        return self.release.place(label)

    def __repr__(self) -> str:
        """What it is, and the release: a table with error bars, which are true of the release's own counts alone."""
        return f"Post-processed: {len(self)} counts that sum to {self.rows}. The release, and its error bars:\n{self.release}"


def consistent_with(noisy: _Whole, rows: int | None) -> ConsistentHistogram:
    """As NoisyHistogram.consistent."""
    if rows is None or noisy.threshold is not None:
        known = "the number of rows is not public" if rows is None else "rows of labels that are not listed are in no count"
        raise ParameterError(f"the counts are non-negative already, and {known}; accepted: a release of every label without n")
    return ConsistentHistogram(noisy, nearest(noisy.counts, rows), rows)


def nearest(counts: Counts, rows: int) -> Counts:
    """Of all non-negative integers that sum to the rows, those with the least sum of squares of differences from the counts.

    Of several such, the ones that are largest at the first places. Parameters: counts, at least one, below 2^62; rows, in
    0..2^62 - 1. Cost: 64 passes over the counts.
    """
    integer(rows, "rows", 0, (1 << 62) - 1)
    low, high = -rows - 1, int(counts.max())  # less so much, the counts sum to the rows or more; less so much, to 0
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if total(np.maximum(counts - middle, 0)) >= rows else (low, middle)
    found: Counts = np.maximum(counts - high, 0)
    left = rows - total(found)
    found[np.flatnonzero(counts > low)[:left]] += 1
    return found
