"""Calls of the exercises to "Machine Learning in Science and Society" by Dimitrakakis.

Their folder is to be on the path, and named by MLSOCIETY. They are for a numpy that has float; here it has it while they are
imported.
"""

import importlib
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

vars(np)["float"] = float
randomised_response = importlib.import_module("randomised_response")
del vars(np)["float"]


def _notebook() -> dict[str, Any]:
    text = (Path(os.environ["MLSOCIETY"]) / "ExponentialMechanism.ipynb").read_text()
    cells = ["".join(cell["source"]) for cell in json.loads(text)["cells"]]
    (code,) = (cell for cell in cells if "def exponential_mechanism" in cell)
    names: dict[str, Any] = {"np": np}
    exec(compile(code, "ExponentialMechanism.ipynb", "exec"), names)  # noqa: S102  # this is what is audited
    return names


NOTEBOOK = _notebook()


def average(data: Sequence[int]) -> float:
    """The average of bits after randomised response, as the notebook RRAverage takes it."""
    return float(np.mean(randomised_response.rp_binary(np.array(data)[:, None], 1.0)[0]))


def _counts(data: Sequence[int]) -> Any:
    return np.array([list(data).count(label) for label in (0, 1)])


def exponential(data: Sequence[int]) -> int:
    """The more frequent of two labels by the exponential mechanism."""
    return int(NOTEBOOK["exponential_mechanism"](_counts(data), 1.0, 1))


def greedy(data: Sequence[int]) -> int:
    """The same by the mechanism of which the notebook says that it is wrong."""
    return int(NOTEBOOK["epsilon_greedy_mechanism"](_counts(data), 0.5))
