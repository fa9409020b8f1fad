"""What explored code is doing when the explorer is asked: at which line it is, and by which operator gmpy2 asks.

Before it gives up on an undecided number, gmpy2 asks it for the attribute __mpz__. For &, | and ^ it asks nothing else, so
that there the value is decided. For other operators it goes on to the reflected method, and raises a TypeError where that does
not come, as for << and >>. (To these an object with __mpz__ would be another number: 5 << 2 would be 5.)
"""

import copy
import dis
import os
import random
import secrets
import sys
from functools import lru_cache
from pathlib import Path
from traceback import walk_tb
from types import CodeType, FrameType
from typing import Any, NoReturn, SupportsIndex

_ENGINE = f"{Path(__file__).parent.parent}{os.sep}"
_PRIMITIVES = f"{Path(__file__).parents[2]}{os.sep}audit{os.sep}pipelines{os.sep}"
_OUTPUTS = f"{_ENGINE}stand_ins{os.sep}outputs.py"
_OWN_FILES = {copy.__file__, random.__file__, secrets.__file__}
COPIES = "copies what it draws from, or pickles it: the copy of a generator draws the same again, which is not followed"


def caller_line() -> str:
    """Where the explored code is: "in FUNCTION, FILE:LINE" of the innermost frame outside of the explorer, or "the output"."""
    frame = sys._getframe()
    while frame.f_back is not None and is_own(frame):
        if frame.f_code.co_filename == _OUTPUTS:
            return "the output"
        frame = frame.f_back
    return f"in {frame.f_code.co_name}, {frame.f_code.co_filename}:{frame.f_lineno}"


def line_of(error: BaseException) -> str:
    """Where the explored code was when the error was raised, likewise; where it has no frame, which called it."""
    frames = list(walk_tb(error.__traceback__))
    frame, line = ([at for at in frames if not is_own(at[0])] or frames)[-1]
    return f"in {frame.f_code.co_name}, {frame.f_code.co_filename}:{line}"


def is_own(frame: FrameType) -> bool:
    """Whether a frame is of the explorer, or of what it runs as its own."""
    return frame.f_code.co_filename in _OWN_FILES or frame.f_code.co_filename.startswith((_ENGINE, _PRIMITIVES))


def not_copied(coins: Any, _protocol: SupportsIndex) -> NoReturn:
    """As __reduce_ex__ of what is drawn from, which copy and pickle ask for. Raises: ExplorationError."""
    coins.refuse(f"{caller_line()} {COPIES}; accepted: one generator, drawn from where it stands")
    raise AssertionError


def needs_the_value() -> bool:
    """Whether gmpy2 asks for &, | or ^."""
    return _asks() in {f"{name}{ending}" for name in "&|^" for ending in ("", "=")}


def compares() -> bool:
    """Whether gmpy2 asks for a comparison, so that the reflected method comes."""
    return _asks() == "COMPARE_OP"


def _asks() -> str:
    """What the explored code does that asks for __mpz__: the symbol of its operator, or the name of another instruction."""
    frame = sys._getframe(3)
    return _instruction(frame.f_code, frame.f_lasti)


@lru_cache(maxsize=4096)
def _instruction(code: CodeType, at: int) -> str:
    one = next(one for one in dis.get_instructions(code) if one.offset == at)
    return one.argrepr if one.opname == "BINARY_OP" else one.opname
