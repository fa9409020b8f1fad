"""What gmpy2 asks an undecided number for before it gives up: the attribute __mpz__.

For &, | and ^ it asks nothing else, so that there the value is decided. For other operators it goes on to the reflected
method, and raises a TypeError where that does not come, as for << and >>. (To these an object with __mpz__ would be another
number: 5 << 2 would be 5.)
"""

import dis
import sys
from typing import cast

__all__ = ["compares", "needs_the_value"]


def _instruction(text: str) -> bytes:
    found = next(one for one in dis.Bytecode(text) if one.opname == "BINARY_OP")
    return bytes([found.opcode, cast(int, found.arg)])


_DECIDED = frozenset(_instruction(f"x {name}{ending} y") for name in ("&", "|", "^") for ending in ("", "="))


def needs_the_value() -> bool:
    """Whether the instruction that asks is &, | or ^."""
    frame = sys._getframe(2)
    return frame.f_code.co_code[frame.f_lasti : frame.f_lasti + 2] in _DECIDED


def compares() -> bool:
    """Whether the instruction that asks is a comparison, so that the reflected method comes."""
    frame = sys._getframe(2)
    return frame.f_code.co_code[frame.f_lasti] == dis.opmap["COMPARE_OP"]
