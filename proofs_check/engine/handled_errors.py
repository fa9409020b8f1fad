"""Errors that explored code handles after it has drawn, some of which an int would not raise.

Much code in C takes Python's own integers alone, and raises a TypeError for an undecided draw without asking it for its value:
Decimal(u), pow(3, u, 7). Code that handles this error goes on as it never would with an int. So where functions with handlers
are run, every path is watched, by sys.settrace, and one that handled such an error is refused.
"""

import contextlib
import dis
import re
import sys
import sysconfig
import threading
from collections.abc import Callable, Iterator, Sized
from contextlib import contextmanager
from functools import lru_cache
from inspect import CO_COROUTINE, CO_ITERABLE_COROUTINE
from itertools import pairwise
from pathlib import Path
from types import CodeType, FrameType, FunctionType, TracebackType
from typing import Any, cast

from finitedp.proofs_check.engine.lazy.coins import LazyCoins
from finitedp.proofs_check.engine.stand_ins.state import is_foreign, parts

__all__ = ["HandlerWatch", "not_watched", "reaches_handlers"]

_PACKAGE = Path(__file__).parents[2]
_OWN = tuple(str(Path(__file__).parents[1] / name) for name in ("engine", "audit"))
_OF_A_KIND = re.compile("argument|integer|number|numeric|type|unmarshallable")
"""What C code says of the kind of a value where its error is no TypeError, such as gmpy2 in an IndexError."""
_NUMBER = "(LazyInt|LazyFloat|int|float|bool)"
_NO_NUMBER = "(NoneType|tuple|list|dict|set|frozenset|builtin_function_or_method|functools.partial)"
_BESIDE = rf"('{_NUMBER}' and '({_NO_NUMBER}|str|bytes)'|'({_NO_NUMBER}|str|bytes)' and '{_NUMBER}')$"
_AS_AN_INT = re.compile(
    f"^unsupported operand type.*: {_BESIDE}|not supported between instances of {_BESIDE}"
    rf"|^(int|float)\(\) argument must be .*, not '{_NO_NUMBER}'$"
    rf"|^'{_NUMBER}' object (is not (iterable|callable|subscriptable)$|does not support item)"
    rf"|must be an iterable, not {_NUMBER}$|^cannot unpack non-iterable {_NUMBER} |^object of type '{_NUMBER}' has no len"
    rf'|^can only concatenate .* .not "{_NUMBER}". to|^can.t concat {_NUMBER} to bytes'
    "|requires string as left operand, not LazyInt$|expected str instance, LazyInt found$"
    "|^not all arguments converted|^not enough arguments for format|format requires .* <= number <= "
    r"|^isqrt\(\) argument must be nonnegative$|^[nk] must be a non-negative integer$|^zip\(\) argument \d+ is (long|short)er"
    "|^cannot set '__slotnames__' attribute of immutable type"
)
"""What is said where an int goes no better: of operators beside such values, of what is no sequence and no function, of
formats with too few or too many places, of a value that is out of range; and what copy handles itself."""
_QUOTED = re.compile("'([^']*)'")
_OF_CALLS = re.compile(r"\(\) (takes|missing|got)|^(issubclass|isinstance)\(\) arg|^unhashable type")
_NUMBERS = re.compile(r"int|float|number|bool|complex|Wide|^-?[\d.]+$")
"""What C code calls a draw, or the type that a draw says that it has, or its value."""
_STANDARD = sysconfig.get_path("stdlib")
_CALL_PROGRAMS = ("audit/laws.py", "alone/solver.py", "engine/explorer.py", "engine/handled_errors.py")
_RAISES = {dis.opmap["RAISE_VARARGS"], dis.opmap["RERAISE"]}
_OTHERS = {"KeyError", "StopIteration", "ArithmeticError", "ZeroDivisionError", "OverflowError", "ImportError", "OSError"}
"""Errors that say nothing of kinds."""
_SWALLOWED = {"__del__", "__len__", "__length_hint__"}
"""Methods that C code calls and goes on where they raise a TypeError, such as list(x), which asks x how long it is."""
_KNOWN = {
    ("random.py", "Random.randrange"),
    ("heapq.py", "nlargest"),
    ("heapq.py", "nsmallest"),
    ("functools.py", "cached_property.__get__"),
    ("typing.py", "_tp_cache.<locals>.decorator.<locals>.inner"),
    ("typing.py", "_BaseGenericAlias.__call__"),
    ("numerictypes.py", "issubclass_"),
    ("_arraysetops_impl.py", "unique"),
    ("exact.py", "sign_of"),
    ("stability.py", "_in_order"),
    ("histogram.py", "BlanketHistogram.release"),
}
"""Functions of the standard library, numpy and finitedp that handle what an int raises as well, or raise it again."""
MOST_THINGS = 2_000
"""How far what a program reaches is followed, before its first run."""


class HandlerWatch:
    """Looks at one run: whether it calls functions with handlers, and which errors they meet after the first draw.

    met: whether it called one.
    """

    def __init__(self) -> None:
        self.met = False
        self._draws: Sized = ()
        self._handled: str | None = None

    def run(self, program: Callable[[LazyCoins], Any], coins: LazyCoins) -> Any:  # noqa: ANN401  # an output of any kind
        """program(coins)."""
        self._draws = coins.made
        before, in_threads = sys.gettrace(), threading.gettrace()
        threading.settrace(cast(Any, self))  # of the threads that it starts
        sys.settrace(self)
        try:
            return program(coins)
        finally:
            sys.settrace(before)
            threading.settrace(cast(Any, in_threads))

    def check(self, coins: LazyCoins) -> None:
        """Raises: ExplorationError where a run that has ended handled an error that it may not meet with an int."""
        if self._handled is not None:
            coins.refuse(
                f"{self._handled} is handled, after a draw: what raises it may take Python's own integers alone, where an int "
                "would not raise it; accepted: int(draw) there, or no handler of this error around it"
            )

    def __call__(self, frame: FrameType, _event: str, _argument: object) -> "Callable[..., Any] | None":
        """As sys.settrace has it, at the call of a function: what looks at its frame, where it has handlers."""
        code = frame.f_code
        if frame.f_trace == self._local:  # a generator that goes on
            return frame.f_trace
        if not _handles_kinds(code) or _is_own(code.co_filename) or _is_at_work_for_the_explorer(frame):
            return None
        self.met = True
        frame.f_trace_lines = False
        return self._local

    def _local(self, _frame: FrameType, event: str, argument: Any) -> "Callable[..., Any]":  # noqa: ANN401  # as settrace has it
        if event == "exception" and self._handled is None and len(self._draws):
            kind, error, traceback = argument
            self._handled = _of_a_kind(kind, error, traceback) if traceback is not None else None  # the StopIteration of await
        return self._local


@contextmanager
def not_watched() -> Iterator[None]:
    """While the explorer does work of its own, such as to explore a part alone, which looks for itself."""
    before = sys.gettrace()
    if isinstance(before, HandlerWatch):
        sys.settrace(None)
    try:
        yield
    finally:
        if isinstance(before, HandlerWatch):
            sys.settrace(before)


def _is_own(file: str) -> bool:
    return file.startswith(_OWN)


def _is_library(file: str) -> bool:
    return "/numpy/" in file or (file.startswith(("<frozen ", _STANDARD)) and "site-packages" not in file)


def _is_at_work_for_the_explorer(frame: FrameType) -> bool:
    """Whether this is a module that is imported, or a library's function that the explorer called, and not explored code."""
    if frame.f_code.co_name == "<module>" or frame.f_code.co_filename.startswith("<frozen importlib"):
        return True
    if frame.f_code.co_filename == contextlib.__file__ and frame.f_code.co_name in ("__enter__", "__exit__"):
        return frame.f_back is not None and _is_own(frame.f_back.f_code.co_filename)  # of not_watched
    caller: FrameType | None = frame
    while caller is not None and _is_library(caller.f_code.co_filename):
        caller = caller.f_back
    return caller is not None and _is_own(caller.f_code.co_filename) and not caller.f_code.co_filename.endswith(_CALL_PROGRAMS)


def _of_a_kind(kind: type[BaseException], error: BaseException, traceback: TracebackType) -> str | None:
    """The error and its place, where it may be about the kind of a value and an int would not raise it.

    That is a TypeError, or what other code in C says of kinds. What the explorer itself raises comes from the operation of an
    int. Nothing of the error is shown but a text: to show a draw decides it.
    """
    while traceback.tb_next is not None:
        traceback = traceback.tb_next
    code = traceback.tb_frame.f_code
    text = next((part for part in error.args if type(part) is str), "")
    if not issubclass(kind, Exception) or issubclass(kind, ArithmeticError) or _is_own(code.co_filename):
        return None
    if isinstance(error, AttributeError):
        if not any(hasattr(number, str(error.name)) for number in (int, float)):
            return None
    elif issubclass(kind, TypeError):
        if _AS_AN_INT.search(text) or _is_of_others(text):
            return None
    elif code.co_code[traceback.tb_lasti] in _RAISES or not _OF_A_KIND.search(text) or _AS_AN_INT.search(text):
        return None
    return f"in {code.co_name}, {code.co_filename}:{traceback.tb_lineno}: the {kind.__name__} {text!r:.120}"


def _is_of_others(text: str) -> bool:
    """Whether a TypeError says of what it is, and that is no number."""
    named = _QUOTED.findall(text)
    of_others = bool(named) or _OF_CALLS.search(text) is not None
    return of_others and "Lazy" not in text and not any(map(_NUMBERS.search, named))


# Before the first run


def reaches_handlers(mechanism: object) -> bool:
    """Whether functions with handlers are among those that a mechanism reaches by names: globals, closures, methods.

    Of the standard library, numpy and finitedp itself none is looked at: those that are run are met in runs.
    """
    seen, waiting = set[int](), [mechanism]
    while waiting and len(seen) < MOST_THINGS:
        thing = waiting.pop()
        if id(thing) not in seen:
            seen.add(id(thing))
            if isinstance(thing, FunctionType) and is_foreign(thing.__module__) and _has_handlers(thing.__code__):
                return True
            waiting += [value for _, value in parts(thing)]
            if isinstance(thing, type) and is_foreign(thing.__module__):
                waiting += vars(thing).values()  # its methods, too
    return False


def _has_handlers(code: CodeType) -> bool:
    inner = (constant for constant in code.co_consts if isinstance(constant, CodeType))
    return _handles_kinds(code) or any(map(_has_handlers, inner))


@lru_cache(maxsize=4096)
def _handles_kinds(code: CodeType) -> bool:
    """Whether a function has handlers, of other errors than those below, and is none of the known ones.

    A coroutine has one, the C code of asyncio that runs it, and so have methods whose errors C code swallows. Handlers are of
    other errors where each asks for such ones by their names alone, and raises again what is none of them.
    """
    if code.co_flags & (CO_COROUTINE | CO_ITERABLE_COROUTINE):
        return True
    file = Path(code.co_filename)
    of_ours = file.is_relative_to(_PACKAGE) or _is_library(code.co_filename)
    if code.co_name in _SWALLOWED and not of_ours:
        return True
    if not code.co_exceptiontable or (of_ours and (file.name, code.co_qualname) in _KNOWN):
        return False
    steps = [step for step in dis.get_instructions(code) if step.opname != "EXTENDED_ARG"]
    asks = {  # where it is asked for one of these, and where it goes on with another one
        load.offset: jump.argval
        for load, check, jump in zip(steps, steps[1:], steps[2:], strict=False)
        if (load.opname, check.opname) == ("LOAD_GLOBAL", "CHECK_EXC_MATCH")
        and load.argval in _OTHERS
        and "FALSE" in jump.opname
    }
    starts = [then.offset for step, then in pairwise(steps) if step.opname == "PUSH_EXC_INFO"]
    accepted = {*asks, *(step.offset for step in steps if step.opname == "RERAISE")}
    asked = [step for step in steps if step.opname == "CHECK_EXC_MATCH"]
    return not starts or len(asked) > len(asks) or not accepted.issuperset([*starts, *asks.values()])
