"""Calls of the mechanisms that DP-Sniper tests, of which there is no package: its folder has to be on the path of Python."""

import numpy as np
from dpsniper.mechanisms.geometric import TruncatedGeometricMechanism
from dpsniper.mechanisms.rappor import OneTimeRappor, Rappor


def geometric(count: int) -> int:
    """A count of 0..2 by the geometric mechanism for finite computers, for epsilon = 1."""
    return int(TruncatedGeometricMechanism(eps=1.0, n=2).m(np.array([count])).item())


def geometric_default(count: int) -> int:
    """The same for the epsilon = 0.1 that it has by default."""
    return int(TruncatedGeometricMechanism(n=2).m(np.array([count])).item())


def one_time_rappor(data: tuple[int, ...]) -> list[int]:
    """The permanent response of RAPPOR: one hash function, two bits."""
    return [int(bit) for bit in OneTimeRappor(n_hashes=1, filter_size=2, f=0.5).m(np.array([data[0]]))[0]]


def rappor(data: tuple[int, ...]) -> list[int]:
    """The whole of RAPPOR: one hash function, two bits."""
    return [int(bit) for bit in Rappor(n_hashes=1, filter_size=2, f=0.5, p=0.25, q=0.75).m(np.array([data[0]]))[0]]
