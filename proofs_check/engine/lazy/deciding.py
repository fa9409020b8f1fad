"""Operations and methods of integers that need the value: applied to the decided integer, with exact operands only."""

import operator
from collections.abc import Callable
from typing import Any

__all__ = ["complete"]

_BINARY: dict[str, Callable[..., Any]] = {
    "mod": operator.mod,
    "divmod": divmod,
    "pow": pow,
    "and": operator.and_,
    "or": operator.or_,
    "xor": operator.xor,
}
_REFLECTED: dict[str, Callable[..., Any]] = {
    **_BINARY,
    "floordiv": operator.floordiv,
    "lshift": operator.lshift,
    "rshift": operator.rshift,
}
_METHODS = [name for name in dir(int) if not name.startswith("_") and callable(getattr(int, name)) and name != "from_bytes"]


def complete(kind: type) -> None:
    """Give a class of undecided integers what it lacks."""
    for name, function in {"invert": operator.invert, **_BINARY}.items():
        setattr(kind, f"__{name}__", _deciding(function))
    for name, function in _REFLECTED.items():
        setattr(kind, f"__r{name}__", _deciding(function, reflected=True))
    for name in _METHODS:
        setattr(kind, name, lambda self, *given, _name=name, **named: getattr(self.__index__(), _name)(*given, **named))


def _deciding(function: Callable[..., Any], reflected: bool = False) -> Callable[..., Any]:
    def operation(self: Any, *others: Any) -> Any:  # undecided integers, and what stands beside them
        exact = [self._operand(other) for other in others]
        if NotImplemented in exact:
            return NotImplemented
        if reflected:  # a third operand is the modulus of pow(), which asks for it from Python 3.14 on
            return function(exact[0], self.__index__(), *exact[1:])
        return function(self.__index__(), *exact)

    return operation
