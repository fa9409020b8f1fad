"""Mechanisms as textbooks write them, and eight that are not private and pass the deterministic part of dp-recorder.

`laplace` is their primitive, which an audit by dp-recorder annotates.
"""

from collections.abc import Sequence
from math import log
from typing import Any

import numpy as np

Rows = Sequence[int]


def laplace(value: Any, sensitivity: float, epsilon: float) -> Any:
    """A noisy number."""
    return value + np.random.laplace(0, sensitivity / epsilon)


def count(rows: Rows) -> Any:
    """A noisy count, which is private."""
    return laplace(sum(rows), 1, 1)


# Noisy maxima


def three() -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Answers of three queries, each of which may change by 1."""
    return [((0, 0, 0), (1, 1, 1)), ((0, 0, 1), (1, 1, 0)), ((0, 0, 0), (1, 0, 0)), ((0, 1, 0), (1, 0, 0))]


def _noise(law: str, scale: int) -> Any:
    return getattr(np.random, law)(scale=scale)


def noisy_max(answers: Rows, law: str, scale: int) -> int:
    """The place of the largest noisy answer."""
    return int(np.argmax([answer + _noise(law, scale) for answer in answers]))


def noisy_max_value(answers: Rows, law: str, scale: int) -> Any:
    """The largest noisy answer."""
    return max(answer + _noise(law, scale) for answer in answers)


# The eight


def private_number(rows: Rows) -> Any:
    """Divided by how many there are, after the noise."""
    return laplace(sum(rows), 1, 1) / max(len(rows), 1)


def added_afterwards(rows: Rows) -> Any:
    """A row is added once more, after the noise."""
    return laplace(sum(rows), 1, 1) + rows[0]


def not_annotated(rows: Rows) -> list[Any]:
    """The second draw is none of the annotated function."""
    return [laplace(sum(rows), 1, 1), sum(rows) + np.random.laplace(0, 1)]


def seldom(rows: Rows) -> Any:
    """Where the noise is large, which has the probability 1/807 or so, the true count is told."""
    noisy = laplace(sum(rows), 1, 1)
    return sum(rows) if noisy > 6 + sum(rows) else noisy


def mild(rows: Rows) -> Any:
    """Not clipped: a neighbour with 0 or 1 does not show it."""
    return laplace(sum(rows), 1, 1)


def twice(rows: Rows) -> list[Any]:
    """Two draws, each of all of epsilon."""
    return [laplace(sum(rows), 1, 1), laplace(sum(rows), 1, 1)]


def labels(rows: Sequence[str]) -> dict[str, Any]:
    """The labels that occur, with their counts."""
    return {label: laplace(rows.count(label), 1, 0.5) for label in sorted(set(rows))}


def ulp(rows: Rows) -> Any:
    """Noise for a sensitivity of 1, where it is 1 + 2^-52."""
    return laplace(sum(rows) * (1 + 2**-52), 1, 1)


# Samplers


def by_uniform(rows: Rows) -> Any:
    """Laplace noise as many programs draw it: of a uniform, by the inverse of its distribution function."""
    u = np.random.uniform(-0.5, 0.5)
    return sum(rows) - (1 if u > 0 else -1) * log(1 - 2 * abs(u))
