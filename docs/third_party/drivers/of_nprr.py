"""Calls of nprr's mechanisms, which are for a numpy that has float_; here it has it.

The first lines of the package would import what needs a compiler. They are left out; the module that is called is whole.
"""

import importlib
import sys
from importlib.metadata import distribution
from types import ModuleType
from typing import Any

import numpy as np


def _mechanisms() -> Any:
    package = ModuleType("nprr")
    package.__path__ = [str(distribution("nprr").locate_file("nprr"))]
    sys.modules["nprr"] = package
    vars(np)["float_"] = np.float64
    try:
        return importlib.import_module("nprr.mechanisms")
    finally:
        del vars(np)["float_"]


MECHANISMS = _mechanisms()


def warner(data: tuple[int, ...]) -> list[int]:
    """Warner's randomised response with r = 1/2, on an array of one bit."""
    return [int(bit) for bit in MECHANISMS.warner_rr(np.array([data[0]]), 0.5)]


def multinomial(data: tuple[int, ...]) -> list[int]:
    """Randomised response on two values with r = 1/2, on an array of one."""
    return [int(value) for value in MECHANISMS.multinomial_rr(np.array([data[0]]), 2, 0.5)]


def estimate(data: tuple[int, ...]) -> list[float]:
    """The running estimates of a mean from bits that Warner's response randomised."""
    return [float(share) for share in MECHANISMS.mu_hat_regularized(MECHANISMS.warner_rr(np.array(data), 0.5), 0.5)]
