"""Calls of tmlt-core's samplers, which draw from a generator of numpy in the module tmlt.core.random.rng."""

from fractions import Fraction

from tmlt.core.random import discrete_gaussian


def laplace(count: int) -> int:
    """A count with discrete Laplace noise of scale 2."""
    return count + getattr(discrete_gaussian, "_sample_dlaplace")(Fraction(2))  # noqa: B009  # one without a public name


def gaussian(count: int) -> int:
    """A count with discrete Gaussian noise of variance 1."""
    return count + discrete_gaussian.sample_dgauss(Fraction(1))
