"""A whole number of numpy's types that is not decided, since its range is wide."""

import operator
from collections.abc import Callable
from typing import Any, cast

import numpy as np

from finitedp.proofs_check.engine.lazy.integers import LazyInt
from finitedp.proofs_check.engine.stand_ins.floats import of_integer

__all__ = ["WideInteger"]


class WideInteger:
    """A numpy integer that is still an interval: it is compared, and moved and scaled while it stays in its type's range.

    Everything else decides it.
    """

    __slots__ = ("_coins", "_kind", "_value")
    _holds_lazy = True

    def __init__(self, coins: Any, value: int, kind: np.dtype[Any]) -> None:
        self._coins = coins
        self._value = value
        self._kind = kind

    @property  # type: ignore[misc]  # what isinstance looks at
    def __class__(self) -> type:
        return cast(type, self._kind.type)

    dtype = property(lambda self: self._kind)
    shape = property(lambda _self: ())
    ndim = property(lambda _self: 0)

    def item(self) -> int:
        """The same number as Python's int."""
        return self._value

    as_int = item

    def decided(self) -> Any:
        """The number itself: a branch for each of its values."""
        return self._kind.type(int(self._value))

    def __index__(self) -> int:
        return int(self._value)

    __int__ = __index__

    def __hash__(self) -> int:
        return hash(int(self._value))

    def __repr__(self) -> str:
        return repr(self.decided())

    def __format__(self, specification: str) -> str:
        return format(self.decided(), specification)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **named: Any) -> Any:
        values = [value.decided() if type(value) is WideInteger else value for value in inputs]
        return getattr(ufunc, method)(*values, **named)

    def __array__(self, *arguments: Any, **named: Any) -> Any:
        return np.asarray(self.decided(), *arguments, **named)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.decided(), name)


def _whole(other: object) -> int | None:
    """A whole number that is compared as it is."""
    return int(cast(int, other)) if type(other) in (int, bool) or isinstance(other, np.integer) else None


def _compared(compare: Callable[[Any, Any], Any]) -> Callable[[WideInteger, object], Any]:
    def operation(self: WideInteger, other: object) -> Any:
        if type(other) is WideInteger:
            return np.bool_(compare(self._value, other._value))
        whole = _whole(other)
        return np.bool_(compare(self._value, whole)) if whole is not None else compare(self.decided(), other)

    return operation


def _moved(apply: Callable[[Any, Any], Any]) -> Callable[[WideInteger, object], Any]:
    def operation(self: WideInteger, other: object) -> Any:
        if isinstance(other, float):
            return _as_float(apply)(self, other)
        moved = apply(self._value, other) if type(other) is int and _is_moved_by(other, self._kind) else None
        if type(moved) is not LazyInt or not _within(moved, self._kind):
            return apply(self.decided(), other.decided() if type(other) is WideInteger else other)
        return WideInteger(self._coins, cast(int, moved), self._kind)

    return operation


def _is_moved_by(number: int, kind: np.dtype[Any]) -> bool:
    """Whether numpy takes a number as one of the type, and divides by it."""
    return number != 0 and bool(np.iinfo(kind).min <= number <= np.iinfo(kind).max)


def _is_lazy(value: object) -> bool:
    return type(value) is LazyInt


def _as_float(apply: Callable[[Any, Any], Any]) -> Callable[[WideInteger, object], Any]:
    """With a float, or divided by a number: numpy makes a float64 of the integer first."""

    def operation(self: WideInteger, other: object) -> Any:
        return apply(of_integer(self._value).of_numpy(), other) if _is_lazy(self._value) else apply(self.decided(), other)

    return operation


def _within(value: LazyInt, kind: np.dtype[Any]) -> bool:
    """Whether all values are in the range of the type, so that nothing wraps round."""
    low, high = value.ends()
    return bool(high is not None and np.iinfo(kind).min <= low and high <= np.iinfo(kind).max)


def _deciding(apply: Callable[..., Any], *, reflected: bool) -> Callable[..., Any]:
    def operation(self: WideInteger, *others: object) -> Any:
        operands = [self.decided(), *(other.decided() if type(other) is WideInteger else other for other in others)]
        return apply(*(reversed(operands) if reflected else operands))

    return operation


for _name in ("lt", "le", "gt", "ge", "eq", "ne"):
    setattr(WideInteger, f"__{_name}__", _compared(getattr(operator, _name)))
for _name in ("add", "sub", "mul", "floordiv"):
    setattr(WideInteger, f"__{_name}__", _moved(getattr(operator, _name)))
setattr(WideInteger, "__truediv__", _as_float(operator.truediv))  # noqa: B010  # as the others
for _name in ("mod", "pow", "and_", "or_", "xor", "lshift", "rshift"):
    setattr(WideInteger, f"__{_name.rstrip('_')}__", _deciding(getattr(operator, _name), reflected=False))
for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and_", "or_", "xor", "lshift", "rshift"):
    setattr(WideInteger, f"__r{_name.rstrip('_')}__", _deciding(getattr(operator, _name), reflected=True))
for _name in ("neg", "abs", "invert", "pos"):
    setattr(WideInteger, f"__{_name}__", _deciding(getattr(operator, _name), reflected=False))
for _name, _function in cast(dict[str, Callable[..., Any]], {"float": float, "bool": bool, "round": round}).items():
    setattr(WideInteger, f"__{_name}__", _deciding(_function, reflected=False))
setattr(WideInteger, "__divmod__", _deciding(divmod, reflected=False))  # noqa: B010  # as the others
setattr(WideInteger, "__rdivmod__", _deciding(divmod, reflected=True))  # noqa: B010
