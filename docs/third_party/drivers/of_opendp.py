"""A call of OpenDP, whose noise is compiled."""

from typing import Any

import opendp.prelude as dp

dp.enable_features("contrib")
LAPLACE = dp.m.make_laplace(dp.atom_domain(T=int), dp.absolute_distance(T=int), scale=1.0)


def laplace(count: int) -> Any:
    """A count with integer Laplace noise."""
    return LAPLACE(count)
