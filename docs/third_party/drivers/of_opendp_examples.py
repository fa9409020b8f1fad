"""Calls of OpenDP's Python examples: cells of its course's notebooks, and a page of its manual, run as they are.

Their folders are named by CS208 and by OPENDP.
"""

import doctest
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

PLUGIN = "docs/source/api/user-guide/plugins/code/measurement.rst"


def _cell(notebook: str, mark: str) -> dict[str, Any]:
    """The names that the one cell with this text defines."""
    path = Path(os.environ["CS208"]) / "spring2022" / "examples" / notebook
    cells = ["".join(cell["source"]) for cell in json.loads(path.read_text())["cells"]]
    (code,) = (cell for cell in cells if mark in cell)
    return _run(code, notebook)


def _run(code: str, name: str) -> dict[str, Any]:
    names: dict[str, Any] = {"np": np}
    exec(compile(code, name, "exec"), names)  # noqa: S102  # this is what is audited
    return names


def _manual(page: str) -> dict[str, Any]:
    """The names that the examples of a page define."""
    examples = doctest.DocTestParser().get_examples((Path(os.environ["OPENDP"]) / page).read_text())
    return _run("".join(example.source for example in examples), page)


CONSTANT = _manual(PLUGIN)["make_base_constant"]("denied")


def median(data: Sequence[int]) -> int:
    """The exponential mechanism for a median, from week 5."""
    cell = _cell("wk5_exponential.ipynb", "def exponential_mechanism")
    return int(cell["release_dp_median"](np.array(data), np.array([0, 1, 2]), 1.0))


def response(data: Sequence[int]) -> Any:
    """Randomised response on -1 and 1, from week 9."""
    return _cell("wk9_local_model.ipynb", "def local_release")["local_release"](data, 1.0)


def plugin(count: int) -> Any:
    """The user-defined measurement of the manual."""
    return CONSTANT(count)
