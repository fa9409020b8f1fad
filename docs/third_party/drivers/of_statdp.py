"""Calls of the algorithms that StatDP tests, of which there is no package: its folder has to be on the path of Python.

Their noise is what they are given. numpy's own is continuous; Tumult Core's, of the same scale, is of whole numbers.
"""

from collections.abc import Sequence

import numpy as np
from statdp import algorithms
from tmlt.core.random import discrete_gaussian


class WholeNoise:
    """What the algorithms draw from."""

    def laplace(self, scale: float) -> int:
        """Discrete Laplace noise."""
        return getattr(discrete_gaussian, "_sample_dlaplace")(scale)  # noqa: B009  # one without a public name


def sparse_vector(data: Sequence[int]) -> int:
    """How many of two queries, which both count, are said to be below the threshold 1, until one is above."""
    return algorithms.SVT(WholeNoise(), (data[0], data[0]), 1, 1, 1)


def without_noise(data: Sequence[int]) -> int:
    """The sparse vector whose queries have no noise, on a count and its complement."""
    return algorithms.iSVT1(WholeNoise(), (data[0], 1 - data[0]), 1, 1, 1)


def noisy_max(data: Sequence[int], rng: np.random.RandomState) -> int:
    """Which of two counts is the larger one, with numpy's Laplace noise."""
    return int(algorithms.noisy_max_v1a(rng, [data[0], 1 - data[0]], 1))
