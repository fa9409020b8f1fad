"""Chains of monotone integer operations on a draw, and the line of the explored code that asks."""

import copy
import os
import random
import secrets
import sys
from bisect import bisect_left
from pathlib import Path
from traceback import walk_tb
from types import FrameType
from typing import Any, NoReturn, SupportsIndex

__all__ = ["COPIES", "Chain", "caller_line", "image", "line_of", "not_copied", "threshold"]

Chain = tuple[tuple[str, Any], ...]
"""Operations on a draw, the first one first: "+" k, "*" k > 0, "//" k > 0, "-" (negation), "table" of rising values from 1."""

_ENGINE = f"{Path(__file__).parent.parent}{os.sep}"
_OWN_FILES = {copy.__file__, random.__file__, secrets.__file__}
COPIES = "copies what it draws from, or pickles it: the copy of a generator draws the same again, which is not followed"


def caller_line() -> str:
    """Where the explored code is: "in FUNCTION, FILE:LINE" of the innermost frame outside of the explorer."""
    frame = sys._getframe(1)
    while frame.f_back is not None and _is_own(frame):
        frame = frame.f_back
    return f"in {frame.f_code.co_name}, {frame.f_code.co_filename}:{frame.f_lineno}"


def line_of(error: BaseException) -> str:
    """Where the explored code was when the error was raised, likewise; where it has no frame, which called it."""
    frames = list(walk_tb(error.__traceback__))
    frame, line = ([at for at in frames if not _is_own(at[0])] or frames)[-1]
    return f"in {frame.f_code.co_name}, {frame.f_code.co_filename}:{line}"


def _is_own(frame: FrameType) -> bool:
    return frame.f_code.co_filename in _OWN_FILES or frame.f_code.co_filename.startswith(_ENGINE)


def not_copied(coins: Any, _protocol: SupportsIndex) -> NoReturn:
    """As __reduce_ex__ of what is drawn from, which copy and pickle ask for. Raises: ExplorationError."""
    coins.refuse(f"{caller_line()} {COPIES}; accepted: one generator, drawn from where it stands")
    raise AssertionError


def threshold(chain: Chain, bound: int) -> tuple[int, bool]:
    """(t, negated) for which the value of the chain is below the bound exactly where (draw < t) != negated."""
    negated = False
    for operation, k in reversed(chain):
        if operation == "+":
            bound = bound - k
        elif operation == "*":
            bound = -(-bound // k)
        elif operation == "//":
            bound = bound * k
        elif operation == "-":  # -x < bound exactly when not x < 1 - bound
            bound, negated = 1 - bound, not negated
        else:
            bound = bisect_left(k, bound) + 1
    return bound, negated


def image(chain: Chain, value: int) -> int:
    """The value of the chain where the draw is `value`."""
    for operation, k in chain:
        if operation == "+":
            value = value + k
        elif operation == "*":
            value = value * k
        elif operation == "//":
            value = value // k
        else:
            value = -value if operation == "-" else k[value - 1]
    return value
