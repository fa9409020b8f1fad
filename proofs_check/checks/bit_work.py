"""How much work a run does in bits: every line of finitedp.impl that is executed costs the widest integer it has at hand.

The running times of Balcer and Vadhan are for a word RAM on which an operation on x-bit numbers takes time quasi-linear in x.
A line of Python is a bounded number of operations on what its function holds; a function's result is charged when it returns.
What runs inside of C (a product of FLINT polynomials, of integers) is one operation on operands of the counted size. Vectors
cost their entries where Python goes through them, and as a whole where a polynomial of FLINT holds them.
"""

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

from flint import fmpz_poly
from gmpy2 import mpq, mpz

_OWN = "finitedp.impl."


def bits_at_hand(value: object) -> int:
    """The bits of an integer, of both parts of a rational, of all coefficients of a polynomial; 0 for anything else."""
    if isinstance(value, int) or type(value) is mpz:
        return int(value.bit_length())
    if type(value) is mpq:
        return int(value.numerator.bit_length() + value.denominator.bit_length())
    if type(value) is fmpz_poly:
        return int(len(value) * value.height_bits()) if len(value) else 0
    return 0


def bit_work_of(run: Callable[[], object]) -> int:
    """The sum, over all executed lines of finitedp.impl, of the bits of the widest local variable, and 1 at least.

    What a function returns counts once more, when it does. Tracing is set for this time, and set back.
    """
    total = 0

    def trace(frame: FrameType, event: str, argument: Any) -> Any:  # noqa: ANN401  # as sys.settrace has it
        nonlocal total
        if event == "call":
            return trace if frame.f_globals.get("__name__", "").startswith(_OWN) else None
        if event == "line":
            total += max(1, *map(bits_at_hand, frame.f_locals.values()), 0)
        elif event == "return":
            total += max(1, bits_at_hand(argument))
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        run()
    finally:
        sys.settrace(before)
    return total
