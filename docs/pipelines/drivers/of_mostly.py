"""Calls of what MOSTLY AI's engine protects values with."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from mostlyai.engine import _common


def non_rare(rows: Sequence[str]) -> list[str]:
    """The labels that are kept, of those that occur."""
    return _common.dp_non_rare(dict(Counter(rows)), epsilon=1, threshold=2)[0]


def bounds(rows: Sequence[int]) -> tuple[float | None, float | None]:
    """The lowest and the highest bin that is not empty, of two."""
    return _common.dp_approx_bounds([rows.count(0), rows.count(1)], epsilon=1)


def quantile(rows: Sequence[int]) -> list[Any]:
    """The median of numbers in 0..2."""
    return _common._dp_bounded_quantiles(np.array(rows, dtype=float), [0.5], epsilon=1, lower=0, upper=2)
