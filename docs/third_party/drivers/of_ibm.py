"""Calls of IBM's discretegauss.py, of which there is no package: its folder has to be on the path of Python."""

from fractions import Fraction
from random import Random

import discretegauss


def laplace(count: int, rng: Random) -> int:
    """A count with discrete Laplace noise of scale 2."""
    return count + discretegauss.sample_dlaplace(2, rng)


def gaussian(count: int, rng: Random) -> int:
    """A count with discrete Gaussian noise of variance 1."""
    return count + discretegauss.sample_dgauss(1, rng)


def bernoulli(count: int, rng: Random) -> int:
    """1 with probability exp(-(1 + count)/2)."""
    return discretegauss.sample_bernoulli_exp(Fraction(1 + count, 2), rng)
