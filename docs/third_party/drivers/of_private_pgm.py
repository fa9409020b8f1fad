"""Calls of the mechanisms beside McKenna's Private-PGM, of which there is no package: their folder has to be on the path."""

from collections.abc import Sequence

import numpy as np
from mechanism import Mechanism

LABELS = ("a", "b", "c")


def exponential(data: Sequence[str]) -> str:
    """The most frequent of three labels by the exponential mechanism."""
    qualities = {label: float(list(data).count(label)) for label in LABELS}
    return str(Mechanism(1.0, 0, True).exponential_mechanism(qualities, 1.0))


def permute_and_flip(data: Sequence[str]) -> int:
    """The place of the more frequent of two labels, by permuting and flipping."""
    qualities = np.array([float(list(data).count(label)) for label in LABELS[:2]])
    return int(Mechanism(1.0, 0, True).permute_and_flip(qualities, 1.0))
