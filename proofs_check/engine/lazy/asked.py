"""What gmpy2 asks an undecided integer for before it gives up: the attribute __mpz__.

For &, | and ^ it asks nothing else, so that there the value is decided. For other operators it goes on to the reflected
method. Where that does not come, as for << and >> and in functions of gmpy2, it raises a TypeError that an integer does not
raise, and that the code may catch: a note is left, and the run is refused. (To << and >> an object with __mpz__ would be
another number: 5 << 2 would be 5.)
"""

import dis
import sys
from collections.abc import Callable
from types import FrameType
from typing import NoReturn, Protocol, cast

from gmpy2 import mpz

__all__ = ["AskingCoins", "Note", "answered", "asked", "check_answered", "compares"]

Note = tuple[FrameType, int]
"""The instruction that asked: its frame and its offset."""


class AskingCoins(Protocol):
    """Who keeps the note: the explorer's coins."""

    note: Note | None

    def refuse(self, message: str) -> NoReturn:
        """End the exploration with an error that the explored code cannot swallow."""
        ...


def _instruction(text: str) -> bytes:
    found = next(one for one in dis.Bytecode(text) if one.opname == "BINARY_OP")
    return bytes([found.opcode, cast(int, found.arg)])


_DECIDED = frozenset(_instruction(f"x {name}{ending} y") for name in ("&", "|", "^") for ending in ("", "="))


def asked(coins: AskingCoins, value: Callable[[], int]) -> Callable[[], mpz]:
    """What __mpz__ of an integer is: its value in &, | and ^. Raises: AttributeError elsewhere, leaving a note."""
    frame = sys._getframe(2)
    code, at = frame.f_code, frame.f_lasti
    if code.co_code[at : at + 2] in _DECIDED:
        return lambda: mpz(value())
    check_answered(coins)
    coins.note = frame, at
    raise AttributeError("__mpz__")


def compares() -> bool:
    """Whether the instruction that asks is a comparison, so that the reflected method comes."""
    frame = sys._getframe(2)
    return frame.f_code.co_code[frame.f_lasti] == dis.opmap["COMPARE_OP"]


def answered(coins: AskingCoins) -> None:
    """Drop the note where it is from the instruction that calls the method that calls this."""
    frame = sys._getframe(2)
    if coins.note == (frame, frame.f_lasti):
        coins.note = None


def check_answered(coins: AskingCoins) -> None:
    """Refuse the run where there is a note, at its line."""
    if coins.note is None:
        return
    frame, at = coins.note
    code = frame.f_code
    line = next((line for start, end, line in code.co_lines() if start <= at < end), None)
    coins.refuse(
        f"in {code.co_name}, {code.co_filename}:{line}: gmpy2 is given an undecided draw, which it cannot compute with (it "
        "raises a TypeError); accepted: int(draw) there, or an mpz beside the draw in an operator such as + or <"
    )
