"""Calls of cells of a notebook on randomised response, whose folder is named by MLNOTEBOOKS."""

import json
import os
from pathlib import Path
from typing import Any

PLACE = Path(os.environ["MLNOTEBOOKS"]) / "notebooks" / "differential_privacy" / "randomized_response.ipynb"


def _cells(*marks: str) -> dict[str, Any]:
    """The names that the cells with these texts define."""
    cells = ["".join(cell["source"]) for cell in json.loads(PLACE.read_text())["cells"]]
    names: dict[str, Any] = {}
    for mark in marks:
        (code,) = (cell for cell in cells if mark in cell)
        exec(compile(code, PLACE.name, "exec"), names)  # noqa: S102  # this is what is audited
    return names


CELLS = _cells("import bernoulli", "M_1 = bernoulli(")


def response(data: tuple[int, ...]) -> int:
    """A sample of M_0 or M_1, without the notebook's seed."""
    return int(CELLS["M_1" if data[0] else "M_0"].rvs())


def responses(data: tuple[int, ...]) -> float:
    """The share of 1 among samples of several people."""
    return float(sum(CELLS["M_1" if answer else "M_0"].rvs(1)[0] for answer in data) / len(data))
