"""A whole number of numpy's types that is not decided, since its range is wide."""

import operator
from collections.abc import Callable
from typing import Any, cast

import numpy as np

from finitedp.proofs_check.engine.lazy.integers import LazyInt
from finitedp.proofs_check.engine.stand_ins.floats import of_integer


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


def _operation(apply: Callable[..., Any], *, reflected: bool = False) -> Callable[..., Any]:
    def operation(self: WideInteger, *others: object) -> Any:
        undecided = _undecided(self, apply, *others) if len(others) == 1 and not reflected else None
        if undecided is not None:
            return undecided
        operands = [value.decided() if type(value) is WideInteger else value for value in (self, *others)]
        return apply(*(reversed(operands) if reflected else operands))

    return operation


def _undecided(number: WideInteger, apply: Callable[..., Any], other: Any) -> Any:
    """What an operation gives while the number stays an interval; None where it has to be decided."""
    value: Any = number._value
    kind = number._kind
    if apply in _COMPARED:
        if type(other) is WideInteger:
            return np.bool_(apply(value, other._value))
        return np.bool_(apply(value, int(other))) if type(other) in (int, bool) or isinstance(other, np.integer) else None
    if type(value) is LazyInt and (apply is operator.truediv or (apply in _MOVED and isinstance(other, float))):
        return apply(of_integer(cast(int, value)).of_numpy(), other)  # numpy makes a float64 of the integer first
    if apply not in _MOVED or type(other) is not int or other == 0 or not np.iinfo(kind).min <= other <= np.iinfo(kind).max:
        return None
    moved = apply(value, other)
    return WideInteger(number._coins, cast(int, moved), kind) if type(moved) is LazyInt and _within(moved, kind) else None


def _within(value: LazyInt, kind: np.dtype[Any]) -> bool:
    """Whether all values are in the range of the type, so that nothing wraps round."""
    low, high = value.ends()
    return bool(high is not None and np.iinfo(kind).min <= low and high <= np.iinfo(kind).max)


def _of_two(names: str) -> list[Callable[..., Any]]:
    return [getattr(operator, name) for name in names.split()]


_COMPARED, _MOVED = _of_two("lt le gt ge eq ne"), _of_two("add sub mul floordiv")
_TWO: list[Any] = [*_COMPARED, *_MOVED, *_of_two("truediv mod pow and_ or_ xor lshift rshift"), divmod]
_ONE: list[Any] = [operator.neg, abs, operator.invert, operator.pos, float, bool, round]
for _apply in (*_TWO, *_ONE):
    setattr(WideInteger, f"__{_apply.__name__.rstrip('_')}__", _operation(_apply))
for _apply in _TWO:
    setattr(WideInteger, f"__r{_apply.__name__.rstrip('_')}__", _operation(_apply, reflected=True))
