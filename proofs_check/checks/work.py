"""What a run does: how often each function of the mechanisms is called, and how many lines are executed.

Two runs that call the same functions equally often do the same work up to the size of their operands. This is how "the same
work for every dataset and result" is checked, where counting draws and bits is not enough.
"""

import sys
from collections import Counter
from collections.abc import Callable
from types import FrameType
from typing import Any

_OWN = "finitedp.impl."


def work_of(run: Callable[[], object]) -> Counter[str]:
    """The calls of functions of finitedp.impl, by qualified name."""
    calls: Counter[str] = Counter()

    def note(frame: FrameType, event: str, _argument: Any) -> None:  # noqa: ANN401  # as sys.setprofile has it
        if event == "call" and frame.f_globals.get("__name__", "").startswith(_OWN):
            calls[frame.f_code.co_qualname] += 1

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        run()
    finally:
        sys.setprofile(before)
    return calls


class TooManyLines(Exception):  # noqa: N818  # no error of the run: it was cut off
    """More lines were executed than allowed, so that the run was ended."""


def lines_of(run: Callable[[], object], most: int) -> int:
    """How many lines of Python code of this library a run executes, each pass of a loop or comprehension counting again.

    What runs in C alone is not seen (a product of long integers, a sort). Raises: TooManyLines, once they are above `most`.
    """
    lines = 0

    def note(frame: FrameType, event: str, _argument: Any) -> Callable[..., Any] | None:  # noqa: ANN401  # as above
        nonlocal lines
        if event == "call":
            return note if frame.f_globals.get("__name__", "").startswith("finitedp.") else None
        lines += event == "line"
        if lines > most:
            raise TooManyLines(f"more than {most} lines")
        return note

    before = sys.gettrace()
    sys.settrace(note)
    try:
        run()
    finally:
        sys.settrace(before)
    return lines
