"""Calls of tmlt-core's samplers, whose generator (RDRAND or os.urandom behind numpy's) is replaced by one that is given."""

from fractions import Fraction
from typing import Any

from tmlt.core.random import discrete_gaussian


def _with(rng: Any, sampler: str, argument: Fraction) -> int:
    own = discrete_gaussian.prng
    discrete_gaussian.prng = lambda: rng
    try:
        return int(getattr(discrete_gaussian, sampler)(argument))
    finally:
        discrete_gaussian.prng = own


def laplace(count: int, rng: Any) -> int:
    """A count with discrete Laplace noise of scale 2."""
    return count + _with(rng, "_sample_dlaplace", Fraction(2))


def gaussian(count: int, rng: Any) -> int:
    """A count with discrete Gaussian noise of variance 1."""
    return count + _with(rng, "sample_dgauss", Fraction(1))
