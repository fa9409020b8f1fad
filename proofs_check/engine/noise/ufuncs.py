"""What numpy's functions of one number and of two do with a draw, by their names; and arrays whose cells are draws."""

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

OF_ONE: dict[str, Callable[[Any], Any]] = {
    "negative": operator.neg,
    "positive": operator.pos,
    "absolute": abs,
    "fabs": abs,
    "isfinite": lambda _x: np.True_,
    "isnan": lambda _x: np.False_,
    "isinf": lambda _x: np.False_,
    "sign": lambda x: 1.0 if x > 0 else -1.0 if x < 0 else 0.0,
    "square": lambda x: x * x,
    "logical_not": operator.not_,
    "conjugate": lambda x: x,
}
OF_TWO: dict[str, Callable[[Any, Any], Any]] = {
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "divide": operator.truediv,
    "floor_divide": operator.floordiv,
    "remainder": operator.mod,
    "power": operator.pow,
    "greater": operator.gt,
    "greater_equal": operator.ge,
    "less": operator.lt,
    "less_equal": operator.le,
    "equal": operator.eq,
    "not_equal": operator.ne,
    "maximum": lambda x, y: x if x > y or _nan(x) else y,
    "minimum": lambda x, y: x if x < y or _nan(x) else y,
}


def _nan(value: Any) -> bool:
    """Whether numpy's maximum and minimum return it: a draw is equal to itself."""
    return isinstance(value, float) and bool(value != value)


def as_array(cells: list[Any], shape: tuple[int, ...]) -> Any:
    """An array of objects, or of bool where all cells are."""
    if all(isinstance(cell, bool) for cell in cells):
        return np.array(cells, dtype=bool).reshape(shape)
    found = np.empty(len(cells), dtype=object)
    found[:] = cells
    return found.reshape(shape)


def plain(value: Any) -> Any:
    """Without numpy's scalars, which would ask numpy again."""
    return value.item() if isinstance(value, np.generic | np.ndarray) else value
