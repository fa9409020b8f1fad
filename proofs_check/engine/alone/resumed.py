"""A function that goes on from the head of a loop: the same bytecode, before which the locals are set and a jump is made.

Nothing else of a frame is alive there: the stack is empty and no handler is active (see loop_heads). A local that was wrongly
taken for dead is unbound, so that to read it raises an error.
"""

import dis
from collections.abc import Mapping
from functools import lru_cache
from types import CodeType, FunctionType
from typing import Any

__all__ = ["resumed"]

_NO_LINE = 0x80 | 15 << 3
"""An entry of a table of lines for up to 8 units of code that have none."""
_UNIT = 2  # bytes of an instruction


def resumed(function: FunctionType, head: int, values: Mapping[str, Any]) -> tuple[FunctionType, int]:
    """A function without parameters that starts at an offset with the given locals, and by how much its offsets are larger."""
    made, shift = _code(function.__code__, head, tuple(values))
    made = made.replace(co_consts=(*function.__code__.co_consts, *values.values()))
    return FunctionType(made, function.__globals__, function.__name__), shift


@lru_cache(maxsize=4096)
def _code(code: CodeType, head: int, names: tuple[str, ...]) -> tuple[CodeType, int]:
    """The code that expects the values of the names behind its constants."""
    prologue = bytearray(_instruction("RESUME", 0))
    for i, name in enumerate(names):
        prologue += _instruction("LOAD_CONST", len(code.co_consts) + i)
        prologue += _instruction("STORE_FAST", code.co_varnames.index(name))
    prologue += _instruction("JUMP_FORWARD", head // _UNIT)
    made = code.replace(
        co_code=bytes(prologue) + code.co_code,
        co_linetable=_without_lines(len(prologue) // _UNIT) + code.co_linetable,
        co_stacksize=max(code.co_stacksize, 1),
        co_argcount=0,
        co_posonlyargcount=0,
        co_kwonlyargcount=0,
        co_flags=code.co_flags & ~0x0C,  # no *args and no **kwargs
    )
    return made, len(prologue)


def _instruction(name: str, argument: int) -> bytes:
    found = bytes([dis.opmap[name], argument & 255])
    while argument := argument >> 8:
        found = bytes([dis.opmap["EXTENDED_ARG"], argument & 255]) + found
    return found


def _without_lines(units: int) -> bytes:
    return bytes([_NO_LINE | 7]) * (units // 8) + (bytes([_NO_LINE | units % 8 - 1]) if units % 8 else b"")
