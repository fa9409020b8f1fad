"""Mixing with a fixed law, which turns a small statistical distance into pure privacy (Section 3)."""

from collections.abc import Hashable
from typing import TypeVar

from gmpy2 import mpq

from finitedp.exact import RationalLike, probability, rational, unit_fraction
from finitedp.spec.pmf import Pmf, mixture

__all__ = ["largest_distance", "mixed"]

T = TypeVar("T", bound=Hashable)


def mixed(base: Pmf[T], alternative: Pmf[T], gamma: RationalLike) -> Pmf[T]:
    """With probability 1 - gamma the base law, else the alternative. Source: BV.Alg3.1. Parameters: gamma = 1/g."""
    share = mpq(1, unit_fraction(gamma, "gamma"))
    return mixture([(1 - share, base), (share, alternative)])


def largest_distance(ratio: RationalLike, gamma: RationalLike, least: RationalLike) -> mpq:
    """The largest statistical distance delta that inequality (3.1) allows, for e^epsilon = ratio.

    Source: BV.Lem3.2.i.
    Parameters: ratio >= 1; gamma in (0, 1); least, the smallest probability of an output under the alternative law.
    """
    r, g = rational(ratio, "ratio"), probability(gamma, "gamma", zero=False, one=False)
    return (r - 1) / (r + 1) * g / (1 - g) * probability(least, "least")
