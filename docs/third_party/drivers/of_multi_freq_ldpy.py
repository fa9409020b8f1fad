"""Calls of multi-freq-ldpy's clients: the plain Python functions that numba compiles (py_func)."""

from typing import Any

from multi_freq_ldpy.pure_frequency_oracles.GRR import GRR_Client
from multi_freq_ldpy.pure_frequency_oracles.SS import SS_Client
from multi_freq_ldpy.pure_frequency_oracles.UE import UE_Client


def generalised_response(data: tuple[int, ...]) -> int:
    """One of three values."""
    return int(GRR_Client.py_func(data[0], 3, 1.0))  # one type, as of the compiled function


def optimal_unary(data: tuple[int, ...]) -> Any:
    """A bit vector of two items."""
    return UE_Client.py_func(data[0], 2, 1.0, True)


def subset_selection(data: tuple[int, ...]) -> Any:
    """Two of four values."""
    return SS_Client.py_func(data[0], 4, 0.5)
