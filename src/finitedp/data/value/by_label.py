"""Counts by label as a mapping."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from finitedp.data.columns import Label

__all__ = ["ByLabel"]


class ByLabel:
    """A mapping from labels to counts, in the order of the labels."""

    counts: NDArray[np.int64]

    @property
    def labels(self) -> Sequence[Label]:
        """The labels."""
        raise NotImplementedError

    def place(self, label: Label) -> int:
        """Where a label is. Raises: LabelError."""
        raise NotImplementedError

    def __len__(self) -> int:
        """The number of labels that are released."""
        return len(self.labels)

    def __iter__(self) -> Iterator[Label]:
        """The labels, in their order."""
        return iter(self.labels)

    def __getitem__(self, label: Label) -> int:
        """The count of a label. Raises: LabelError, which is a KeyError, for one that is not released."""
        return int(self.counts[self.place(label)])

    def keys(self) -> Sequence[Label]:
        """The labels, in their order."""
        return self.labels

    def items(self) -> Iterator[tuple[Label, int]]:
        """Pairs of a label and its count, in the order of the labels."""
        return zip(self.labels, self.counts.tolist(), strict=True)

    def as_dict(self) -> dict[Label, int]:
        """Label to count, in the order of the labels."""
        return dict(self.items())
