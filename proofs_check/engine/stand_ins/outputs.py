"""Outputs as values that can be compared and counted: what a mechanism returns, taken apart with its types.

Integers, texts, None, fractions, members of an Enum, and tuples and frozensets of these are their own values. Everything
else becomes a Frozen value, which is equal to another only if the types are: a float is never equal to an int, nor a list to
a tuple.
"""

import dataclasses
from collections.abc import Hashable, Iterable
from enum import Enum
from fractions import Fraction
from types import MemberDescriptorType
from typing import Any, cast

import attrs
from attrs import frozen
from gmpy2 import mpq, mpz

from finitedp.errors import ExplorationError
from finitedp.proofs_check.engine.lazy.integers import LazyInt
from finitedp.proofs_check.engine.path import plain_output
from finitedp.proofs_check.engine.stand_ins.bytes import LazyBytes
from finitedp.proofs_check.engine.stand_ins.exploring import is_numpy_array, is_numpy_scalar, numpy
from finitedp.proofs_check.engine.stand_ins.floats import LazyFloat

PLAIN = (int, bool, str, bytes, type(None), Fraction, mpq)
MOST = 10_000  # cells of an array, each of which is frozen for each path
CACHED_HASH = "_attrs_cached_hash"  # which follows from the fields
OF_PYTHON = 1 << 9  # the flag of classes that are no built-in ones
ACCEPTED = (
    "int, bool, float, str, bytes, None, Fraction, members of an Enum, numpy's scalars, arrays of numbers, dataclasses, attrs "
    "classes, and tuples, lists, dicts, sets and frozensets of these"
)


@frozen(repr=False)
class Frozen:
    """A value that is no plain one.

    kind: its type's name. parts: what it is made of. shown: as Python writes it.
    """

    kind: str
    parts: Hashable
    shown: str

    def __repr__(self) -> str:
        """As Python writes it."""
        return self.shown


def freeze(output: object) -> Hashable:
    """The output as a value, with everything in it that is lazy decided.

    The order of a dict's entries is seen, that of a set's is not.
    Raises: ExplorationError for a type whose equal values may look different, or that holds itself.
    """
    return _frozen(output, ())


def _frozen(output: object, within: tuple[int, ...]) -> Hashable:
    kind = type(output)
    if kind in (LazyInt, mpz):
        return int(cast(int, output))
    if kind in (LazyFloat, LazyBytes) or getattr(kind, "_holds_lazy", False) is True:
        return _frozen(cast(Any, output).decided(), within)
    if kind is Fraction:
        return plain_output(output)
    if kind in PLAIN or isinstance(output, Enum):
        return output
    if kind is float:
        return Frozen("float", repr(output), repr(output))
    if is_numpy_scalar(output):
        return _scalar(output)
    if id(output) in within or len(within) > 100:
        raise ExplorationError(f"the output is a {kind.__name__} that holds itself")
    return _container(output, (*within, id(output)))


def _scalar(value: Any) -> Frozen:
    if value.dtype.kind not in "biufSU":
        raise ExplorationError(f"the output is a numpy scalar of type {value.dtype}; accepted: {ACCEPTED}")
    return Frozen(f"numpy.{value.dtype.name}", repr(value.item()), repr(value))


def _container(output: Any, within: tuple[int, ...]) -> Hashable:
    kind = type(output)

    def parts(values: Iterable[object]) -> tuple[Hashable, ...]:
        return tuple(_frozen(value, within) for value in values)

    if kind is tuple:
        return parts(output)
    if kind is frozenset:
        return frozenset(parts(output))
    if kind is list:
        return Frozen("list", listed := parts(output), repr(list(listed)))
    if kind is dict:
        entries = tuple(zip(parts(output), parts(output.values()), strict=True))
        return Frozen("dict", entries, repr(dict(entries)))
    if kind is set:
        members = frozenset(parts(output))
        return Frozen("set", members, f"{{{', '.join(sorted(map(repr, members)))}}}" if members else "set()")
    if is_numpy_array(output) and kind is numpy.ndarray:
        return _array(output, within)
    if isinstance(output, tuple) and hasattr(kind, "_fields"):
        _hides_nothing(output, tuple, ())
        return _fields(output, zip(kind._fields, tuple.__iter__(output), strict=True), within)
    return _object(output, within)


def _array(array: Any, within: tuple[int, ...]) -> Frozen:
    if array.dtype.kind not in "biufOSU" or array.size > MOST:
        raise ExplorationError(f"the output is an array of {array.size:,} values of type {array.dtype}; accepted: {ACCEPTED}")
    objects = array.dtype.kind == "O"
    cells = tuple(_frozen(cell, within) if objects else repr(cell) for cell in array.flat)
    shown = f"array({list(cells) if objects else array.tolist()!r}, dtype={array.dtype.name})"
    return Frozen("numpy.ndarray", (array.dtype.str, array.shape, cells), shown)


def _object(output: object, within: tuple[int, ...]) -> Frozen:
    kind = type(output)
    if dataclasses.is_dataclass(kind):
        names = [field.name for field in dataclasses.fields(kind)]
    elif attrs.has(kind):
        names = [field.name for field in attrs.fields(kind)]
    else:
        raise ExplorationError(f"the output is a {kind.__name__}, whose equal values may look different; accepted: {ACCEPTED}")
    _hides_nothing(output, object, names)
    return _fields(output, ((name, getattr(output, name)) for name in names), within)


def _hides_nothing(output: object, made_of: type, names: Iterable[str]) -> None:
    """Refuse what holds more than its fields: attributes, slots, or what a built-in type holds that its class is made of."""
    kind = type(output)
    if next(base for base in kind.__mro__ if not base.__flags__ & OF_PYTHON) is not made_of:
        raise ExplorationError(f"the output is a {kind.__name__}, which is made of a built-in type; accepted: {ACCEPTED}")
    slots = (name for base in kind.__mro__ for name, slot in vars(base).items() if type(slot) is MemberDescriptorType)
    held = {*getattr(output, "__dict__", ()), *(name for name in slots if hasattr(output, name))}
    if held - {*names, CACHED_HASH}:
        raise ExplorationError(f"the output is a {kind.__name__} with attributes besides its fields")


def _fields(output: object, fields: Iterable[tuple[str, object]], within: tuple[int, ...]) -> Frozen:
    held = tuple((name, _frozen(value, within)) for name, value in fields)
    kind = type(output)
    shown = f"{kind.__name__}({', '.join(f'{name}={value!r}' for name, value in held)})"
    return Frozen(f"{kind.__module__}.{kind.__qualname__}", held, shown)
