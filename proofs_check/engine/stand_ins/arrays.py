"""Arrays of floats that are not decided, as numpy's generators return them: elementwise, and nothing else."""

from collections.abc import Callable, Iterator
from typing import Any, NoReturn

import numpy as np

from finitedp.proofs_check.engine.stand_ins.floats import LazyFloat
from finitedp.proofs_check.engine.stand_ins.numpy_functions import OPERATORS, applied_ufunc
from finitedp.proofs_check.engine.stand_ins.refusing import refuse

Cells = np.ndarray[Any, np.dtype[np.object_]]


class LazyArray:
    """An ndarray of float64 of which some are not decided. Comparing it gives an array of bool. Its operators are ufuncs."""

    _holds_lazy = True
    dtype = np.dtype(np.float64)

    def __init__(self, coins: Any, cells: Cells) -> None:
        self._coins = coins
        self._cells = cells

    @property  # type: ignore[misc]  # what isinstance looks at
    def __class__(self) -> type:
        return np.ndarray

    shape = property(lambda self: self._cells.shape)
    size = property(lambda self: self._cells.size)
    ndim = property(lambda self: self._cells.ndim)

    def __len__(self) -> int:
        return len(self._cells)

    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(len(self._cells)))

    def __getitem__(self, place: Any) -> Any:
        cells = self._cells[place]
        if not isinstance(cells, np.ndarray):
            return cells
        return LazyArray(self._coins, cells) if cells.size else cells.astype(np.float64)

    def tolist(self) -> list[Any]:
        """As that of ndarray, of what stands for float."""
        return [_plain(cell) if self._cells.ndim == 1 else self[i].tolist() for i, cell in enumerate(self._cells)]

    def astype(self, kind: Any) -> Any:
        """To an integer type each value is cut to a whole number, and decided."""
        wanted = np.dtype(kind)
        if wanted == np.dtype(bool):
            return np.array([bool(cell) for cell in self._cells.flat], dtype=bool).reshape(self.shape)
        if not np.issubdtype(wanted, np.integer):
            self._refuse(f"converts an array that is not decided to {kind!r}")
        whole, range_of = [int(cell) for cell in self._cells.flat], np.iinfo(wanted)
        if any(not range_of.min <= value <= range_of.max for value in whole):
            self._refuse(f"converts values to {wanted} that are beyond its range")
        return np.array(whole, dtype=wanted).reshape(self.shape)

    def decided(self) -> Any:
        """The array itself: as many branches as there are values."""
        flat = [cell.decided() if isinstance(cell, LazyFloat) else cell for cell in self._cells.flat]
        return np.array(flat, dtype=np.float64).reshape(self.shape)

    def _first(self, of: Callable[..., int]) -> Any:
        cells = list(self._cells.flat)
        return np.int64(of(range(len(cells)), key=cells.__getitem__))

    def argmax(self) -> Any:
        """The first place of the largest."""
        return self._first(max)

    def argmin(self) -> Any:
        """The first place of the smallest."""
        return self._first(min)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **named: Any) -> Any:
        into = named.pop("out", ())
        if method != "__call__" or named or any(type(one) is not LazyArray for one in into):
            self._refuse(f"uses np.{ufunc.__name__} with options on an array that is not decided")
        made = elementwise(self._coins, ufunc, *inputs)
        for one in into:  # as its views, and whatever else holds it, see it
            one._cells[...] = made._cells
        return into[0] if into else made

    def __array_function__(self, function: Any, _types: Any, arguments: Any, named: Any) -> Any:
        if function in (np.argmax, np.argmin) and len(arguments) == 1 and not named:
            return getattr(self, function.__name__)()
        self._refuse(f"uses np.{function.__name__} of an array that is not decided")

    def __array__(self, *_arguments: Any, **_named: Any) -> NoReturn:
        self._refuse("makes a plain array of floats that are not decided")

    def _refuse(self, what: str) -> NoReturn:
        refuse(self._coins, what, "an array's elements one by one, its comparison with numbers, and arithmetic with them")

    def __float__(self, *_others: object) -> NoReturn:
        self._refuse("needs the value of an array that is not decided")

    __int__ = __bool__ = __index__ = __hash__ = __complex__ = __setitem__ = __matmul__ = __rmatmul__ = __imatmul__ = __float__
    __floordiv__ = __rfloordiv__ = __ifloordiv__ = __mod__ = __rmod__ = __imod__ = __divmod__ = __rdivmod__ = __float__
    __repr__ = __format__ = __str__ = __reduce_ex__ = __float__

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):
            raise AttributeError(name)
        self._refuse(f"uses .{name} of an array that is not decided")


def _cell(value: LazyFloat) -> Cells:
    cell = np.empty((), dtype=object)
    cell[()] = value
    return cell


def _plain(value: Any) -> Any:
    return value.of_python() if isinstance(value, LazyFloat) else float(value)


def elementwise(coins: Any, ufunc: Any, *operands: Any) -> Any:
    """A ufunc of arrays and scalars, some of them not decided: an array of bool, or of floats."""
    cells = [value._cells if type(value) is LazyArray else value for value in operands]
    together = [np.asarray(value) if not isinstance(value, LazyFloat) else _cell(value) for value in cells]
    if ufunc is np.power and together[-1].ndim:
        refuse(coins, "raises to an array of powers, some of which numpy computes otherwise than one power", "one power")
    shape = np.broadcast_shapes(*(value.shape for value in together))
    flat = [np.broadcast_to(value, shape).flat for value in together]
    made = [ufunc(*values) for values in zip(*flat, strict=True)]  # which asks a float that is not decided
    if all(isinstance(value, bool | np.bool_) for value in made):
        return np.array(made, dtype=bool).reshape(shape)
    filled = np.empty(len(made), dtype=object)
    filled[:] = made
    return LazyArray(coins, filled.reshape(shape))


def _operation(ufunc: Any, *, reflected: bool = False, in_place: bool = False) -> Callable[..., Any]:
    def operation(self: LazyArray, *others: Any) -> Any:
        operands = (*others, self) if reflected else (self, *others)
        return self.__array_ufunc__(ufunc, "__call__", *operands, **({"out": (self,)} if in_place else {}))

    return operation


for _name, _ufunc in OPERATORS.items():  # some have a reflected form, or one in place, that nothing asks for
    setattr(LazyArray, f"__{_name}__", _operation(_ufunc))
    setattr(LazyArray, f"__r{_name}__", _operation(_ufunc, reflected=True))
    setattr(LazyArray, f"__i{_name}__", _operation(_ufunc, in_place=True))


def ufunc_of_a_float(value: LazyFloat, ufunc: Any, method: str, inputs: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """numpy's protocol: a ufunc of a float that is not decided, beside numbers or arrays."""
    coins = value._coins
    if method == "__call__" and not named and any(isinstance(one, np.ndarray) and one.ndim for one in inputs):
        return elementwise(coins, ufunc, *inputs)
    return applied_ufunc(coins, ufunc, method, inputs, named)
