"""Calls of Google's notebook on partition selection: the cell with its class, as it is. Its folder is named by GOOGLEDP."""

import json
import os
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

NOTEBOOK = Path(os.environ["GOOGLEDP"]) / "common_docs" / "partition_selection_playground.ipynb"


def _selection() -> Any:
    cells = ["".join(cell["source"]) for cell in json.loads(NOTEBOOK.read_text())["cells"]]
    (code,) = (cell for cell in cells if "class PreaggPartitionSelection" in cell)
    names: dict[str, Any] = {"np": np}
    exec(compile(code, NOTEBOOK.name, "exec"), names)  # noqa: S102  # this is what is audited
    return names["PreaggPartitionSelection"](1.0, 1 / 16)


SELECTION = _selection()


def sample_keep(count: int) -> Any:
    """Whether a partition of so many users is kept."""
    return SELECTION.sample_keep(count)


def probability_of_keep(count: int, rng: Random) -> bool:
    """The same, with a coin of ours that has the notebook's probability."""
    return rng.random() < float(SELECTION.probability_of_keep(count))
