"""Calls of ldp-toolbox: the plain Python functions that numba compiles (py_func), with the parameters of its classes."""

from typing import Any

from ldp_toolbox.protocols.frequency.grr import grr_obfuscate
from ldp_toolbox.protocols.frequency.ss import SubsetSelection, ss_obfuscate
from numpy import exp, nan_to_num


def generalised_response(data: tuple[int, ...]) -> int:
    """One of three values, with the class's p."""
    return int(grr_obfuscate.py_func(data[0], 3, exp(1.0) / (exp(1.0) + 2)))  # one type, as of the compiled function


def subset_selection(data: tuple[int, ...]) -> Any:
    """Two of four values."""
    made = SubsetSelection(4, 0.5)
    return ss_obfuscate.py_func(data[0], made.k, made.p, made.omega)


def subset_selection_estimate(data: tuple[int, ...]) -> list[float]:
    """The frequencies of four values that are estimated from several users, 0 where it divides by 0."""
    made = SubsetSelection(4, 0.5)
    reports = [ss_obfuscate.py_func(value, made.k, made.p, made.omega) for value in data]
    return [float(share) for share in nan_to_num(made.estimate(reports))]
