"""A mechanism as a function whose output is its whole path: what it drew, what it compared, and what it returned."""

import dis
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, cast

from finitedp.errors import FinitedpError
from finitedp.proofs_check.engine.lazy.frames import is_own
from finitedp.proofs_check.engine.noise.drawing import METHODS
from finitedp.proofs_check.engine.noise.runs import following
from finitedp.proofs_check.engine.stand_ins.exploring import coins_here

_INSTALLED = {"site-packages", "dist-packages"}


def traced(mechanism: Callable[..., Any]) -> Callable[..., Any]:
    """A function whose output is Run.record() of a run; what the mechanism raises itself, by `raise`, is an output, too.

    It is a partial that tells the mechanism, so that what that reaches is looked into.
    """
    found: Any = partial(_record, mechanism)
    found.mechanism = mechanism
    return cast(Callable[..., Any], found)


def _record(mechanism: Callable[..., Any], *arguments: Any) -> Any:
    with following(coins_here(), METHODS) as run:
        try:
            return run.record(mechanism(*arguments))
        except FinitedpError:
            raise
        except Exception as error:
            if not _raised_itself(error):
                raise
            return run.record(("raises", type(error).__name__, str(error)))


def _raised_itself(error: Exception) -> bool:
    """Whether the innermost frame is at a `raise`, of code of no installed package: what these raise may be of symbols."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None or is_own(trace.tb_frame):
        return False
    code = trace.tb_frame.f_code
    return _INSTALLED.isdisjoint(Path(code.co_filename).parts) and dis.opname[code.co_code[trace.tb_lasti]] == "RAISE_VARARGS"
