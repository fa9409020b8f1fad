"""Calls of the book "Programming Differential Privacy" by Near and Abuah: cells of its notebooks, as they are.

Their folder is named by PROGRAMMINGDP. A cell that ends with a call on the book's data finds a few rows of ours there.
"""

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

FOLDER = Path(os.environ["PROGRAMMINGDP"]) / "notebooks"


def _cell(chapter: int, mark: str, **given: Any) -> dict[str, Any]:
    """The names that the one cell with this text defines."""
    cells = ["".join(cell["source"]) for cell in json.loads((FOLDER / f"ch{chapter}.ipynb").read_text())["cells"]]
    (code,) = (cell for cell in cells if mark in cell)
    names: dict[str, Any] = {"np": np, **given}
    exec(compile(code, f"ch{chapter}.ipynb", "exec"), names)  # noqa: S102  # this is what is audited
    return names


def _frequency(data: Sequence[str], option: str) -> int:
    return list(data).count(option)


RESPONSE = _cell(13, "def rand_resp_sales(")["rand_resp_sales"]
PERTURB = _cell(13, "def perturb_bit(", encode=lambda _: [])["perturb"]
GIVEN: dict[str, Any] = {"adult": {"Marital Status": ["a"]}, "options": ["a", "b", "c"], "score": _frequency}
EXPONENTIAL = _cell(9, "def exponential(", **GIVEN)["exponential"]


def response(data: tuple[str, ...]) -> bool:
    """Randomised response with two coins, from chapter 13."""
    return bool(RESPONSE(data[0]))


def unary(data: tuple[int, ...]) -> list[int]:
    """The bits of unary encoding, flipped as in chapter 13."""
    return list(PERTURB([int(place == data[0]) for place in range(3)]))


def exponential(data: tuple[str, ...]) -> str:
    """The most frequent of three options by the exponential mechanism of chapter 9."""
    return str(EXPONENTIAL(data, ["a", "b", "c"], _frequency, 1, 1))
