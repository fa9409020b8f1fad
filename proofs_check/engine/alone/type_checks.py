"""Functions that typeguard's decorator has rewritten: the function that it was given, and the checks apart from it.

The rewritten code imports, looks at its locals and keeps an object of typeguard's, which is no state that could be merged.
What it does is to check arguments and results, and to raise an error. So the function is compiled again from its source,
without the decorator, and taken only if typeguard's own rewriting of it is the code that is there, instruction by instruction;
arguments and results are then checked where the function is called. Code whose variables are checked, too, is not taken.
"""

import inspect
import linecache
import sys
import typing
from collections.abc import Callable
from functools import lru_cache
from types import CodeType, FunctionType
from typing import Any

from finitedp.proofs_check.engine.alone.function_source import candidates

__all__ = ["Checks", "checks_of"]


class Checks:
    """The checks of a function: of arguments by name, and of its result. plain: the function without them."""

    def __init__(self, plain: FunctionType, check: Callable[[Any, Any], Any]) -> None:
        self.plain = plain
        self._hints = typing.get_type_hints(plain)
        self._check = check
        self._signature = inspect.signature(plain)

    def arguments(self, given: tuple[Any, ...], named: dict[str, Any]) -> None:
        """Raises: TypeCheckError, and TypeError for arguments that the function does not have."""
        for name, value in self._signature.bind(*given, **named).arguments.items():
            if name in self._hints:
                self._check(value, self._hints[name])

    def result(self, value: Any) -> None:  # noqa: ANN401  # of any kind
        """Raises: TypeCheckError."""
        if "return" in self._hints:
            self._check(value, self._hints["return"])

    def around(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function with its checks. Parameters: function, what stands for the plain one."""

        def checked(*given: Any, **named: Any) -> Any:  # noqa: ANN401  # as the function
            self.arguments(given, named)
            result = function(*given, **named)
            self.result(result)
            return result

        return checked


def checks_of(function: FunctionType) -> Checks | None:
    """The checks that typeguard has put into a function; None where there are none, or where that cannot be told."""
    if "TypeCheckMemo" not in function.__code__.co_names or "typeguard" not in sys.modules:
        return None
    try:
        found = _found(function, function.__code__)
        return found if found is not None and _attributes(found.plain) == _attributes(function) else None
    except Exception:  # no source, another version of typeguard, or annotations that cannot be read
        return None


_ONLY = {"check_argument_types_internal", "check_return_type_internal"}


def _attributes(function: FunctionType) -> list[object]:
    """What a function is given besides its code, by identity: all of it can be exchanged later on."""
    named = [pair for held in (function.__kwdefaults__ or {}, function.__annotations__) for pair in held.items()]
    return [id(function.__defaults__), *((name, id(value)) for name, value in named)]


@lru_cache(maxsize=256)
def _found(function: FunctionType, rewritten: CodeType) -> Checks | None:
    typeguard = sys.modules["typeguard"]
    rewrite = sys.modules["typeguard._decorators"].instrument
    variadic = function.__code__.co_flags & (inspect.CO_VARARGS | inspect.CO_VARKEYWORDS)
    called = {name for name in function.__code__.co_names if name.startswith("check_")}
    if function.__closure__ or variadic or not called <= _ONLY:
        return None
    linecache.lazycache(rewritten.co_filename, function.__globals__)
    for _, code in candidates(rewritten):
        if not code.co_freevars:
            plain = FunctionType(code, function.__globals__, function.__name__, function.__defaults__)
            plain.__kwdefaults__, plain.__module__ = dict(function.__kwdefaults__ or {}), function.__module__
            plain.__qualname__, plain.__annotations__ = function.__qualname__, dict(function.__annotations__)
            again = rewrite(plain)
            if type(again) is FunctionType and again.__code__ == rewritten:
                return Checks(plain, typeguard.check_type)
    return None
