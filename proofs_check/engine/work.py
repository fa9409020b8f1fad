"""What a run does: how often each function of the mechanisms is called.

Two runs that call the same functions equally often do the same work up to the size of their operands. This is how "the same
work for every dataset and result" is checked, where counting draws and bits is not enough.
"""

import sys
from collections import Counter
from collections.abc import Callable
from types import FrameType
from typing import Any

__all__ = ["work_of"]

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
