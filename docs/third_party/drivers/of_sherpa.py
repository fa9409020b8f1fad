"""Calls of Sherpa.ai's mechanisms, of which there is no package: their folder is named by SHERPA.

The first lines of its packages would import TensorFlow and PyTorch. They are left out here; the modules that
are called are whole.
"""

import importlib
import math
import os
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np


def _mechanisms() -> Any:
    for name in ("shfl", "shfl.private", "shfl.differential_privacy"):
        package = ModuleType(name)
        package.__path__ = [str(Path(os.environ["SHERPA"], *name.split(".")))]
        sys.modules[name] = package
    return importlib.import_module("shfl.differential_privacy.dp_mechanism")


MECHANISMS = _mechanisms()
importlib.import_module("scipy.stats")  # it draws samples for its documentation when it is imported, not in a run


def coins(data: tuple[int, ...]) -> int:
    """Randomised response by two coins."""
    return int(MECHANISMS.RandomizedResponseCoins().apply(data[0]))


def binary(data: tuple[int, ...]) -> list[int]:
    """Randomised response that tells the truth with probability 3/4, on an array of one bit."""
    found = MECHANISMS.RandomizedResponseBinary(0.75, 0.75, math.log(3)).apply(np.array([data[0]]))
    return [int(bit) for bit in np.atleast_1d(found)]


def _counts(data: Any, labels: Any) -> Any:
    return np.array([list(data).count(label) for label in labels])


def exponential(data: tuple[int, ...]) -> int:
    """The most frequent of three labels by the exponential mechanism."""
    return int(MECHANISMS.ExponentialMechanism(_counts, np.array([0, 1, 2]), 1, 1.0).apply(data)[0])


def mean(data: tuple[int, ...]) -> float:
    """The mean of bits after two coins each, as in the notebook on basic concepts."""
    return float(np.mean(MECHANISMS.RandomizedResponseCoins().apply(np.array(data))))
