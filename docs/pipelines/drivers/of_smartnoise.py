"""Calls of smartnoise-synth's covariance, whose bounds are 0..1 and 0..100."""

from collections.abc import Sequence
from typing import Any

import pandas as pd
from snsynth.models.dp_covariance import DPcovariance


def _release(rows: Sequence[str], tops: Sequence[int]) -> list[Any]:
    """The lower triangle of the noisy covariances; a row is its numbers, with spaces between them."""
    names = [f"c{i}" for i in range(len(tops))]
    data = pd.DataFrame([[float(x) for x in row.split()] for row in rows], columns=names)
    bounds = pd.DataFrame({i: [0.0, float(top)] for i, top in enumerate(tops)})
    return DPcovariance(len(rows), names, bounds, 1.0).release(data)


def three(rows: Sequence[str]) -> list[Any]:
    """Of three columns, the one in the middle of which is up to 100."""
    return _release(rows, (1, 100, 1))


def two(rows: Sequence[str]) -> list[Any]:
    """Of two columns of up to 1."""
    return _release(rows, (1, 1))
