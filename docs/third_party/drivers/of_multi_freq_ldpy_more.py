"""Calls of multi-freq-ldpy's clients that call its other clients: all as the Python functions that numba compiles."""

import os

os.environ["NUMBA_DISABLE_JIT"] = "1"

from multi_freq_ldpy.long_freq_est.dBitFlipPM import dBitFlipPM_Client  # numba reads that when it is imported
from multi_freq_ldpy.long_freq_est.L_GRR import L_GRR_Client
from multi_freq_ldpy.mdim_freq_est.RSpFD_solution import RSpFD_GRR_Client
from multi_freq_ldpy.mdim_freq_est.SMP_solution import SMP_GRR_Client
from multi_freq_ldpy.pure_frequency_oracles.GRR import GRR_Aggregator_MI, GRR_Client

SIZES = [2, 3]


def bit_flip(data: tuple[int, ...]) -> list[int]:
    """Two of three buckets, each with a noisy bit."""
    return [int(bit) for bit in dBitFlipPM_Client(data[0], 3, 3, 2, 1.0)]


def memoised(data: tuple[int, ...]) -> int:
    """The first report of one of three values, which is randomised twice."""
    return int(L_GRR_Client(data[0], 3, 2.0, 1.0))


def sampled_attribute(data: tuple[int, ...]) -> tuple[int, int]:
    """One of two attributes, and which."""
    attribute, value = SMP_GRR_Client(divmod(data[0], 3), SIZES, 2, 1.0)
    return int(attribute), int(value)


def fake_data(data: tuple[int, ...]) -> tuple[int, ...]:
    """Two attributes, of which one is made up, and it is not said which."""
    return tuple(map(int, RSpFD_GRR_Client(divmod(data[0], 3), SIZES, 2, 1.0)))


def estimate(data: tuple[int, ...]) -> list[float]:
    """The frequencies of three values that are estimated from several users."""
    return [float(share) for share in GRR_Aggregator_MI([GRR_Client(value, 3, 1.0) for value in data], 3, 1.0)]
