"""Putting stand-ins in the places of what they stand for, and the originals back.

Places are attributes of modules and classes, entries of modules that imported a name, and cells and attributes of the
mechanism itself.
"""

import functools
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping
from contextlib import contextmanager
from types import CellType, FunctionType, MethodType, ModuleType
from typing import Any, NamedTuple

__all__ = ["Attribute", "held_by", "put", "using_names"]

ABSENT = object()
OWN = {"numpy", "gmpy2", "flint", "attr", "attrs", "_pytest", "pytest", "hypothesis"}
"""Packages that no explored code is in."""


class Attribute(NamedTuple):
    """An attribute of a module or a class, what takes its place, and whether also where its value was imported."""

    owner: Any
    name: str
    replacement: Any
    everywhere: bool = True


@contextmanager
def put(attributes: Iterable[Attribute]) -> Iterator[None]:
    """Put replacements in their places, and the originals back."""
    before = []
    try:
        for owner, name, replacement, _ in attributes:
            before.append((owner, name, vars(owner).get(name, ABSENT)))
            setattr(owner, name, replacement)
        yield
    finally:
        for owner, name, original in reversed(before):
            if original is ABSENT:
                delattr(owner, name)
            else:
                setattr(owner, name, original)


# Names that were imported before


def _is_foreign(module: ModuleType) -> bool:
    """Whether a module may be of the explored code: neither the standard library, nor numpy, nor the engine itself."""
    name = getattr(module, "__name__", "")
    root = name.partition(".")[0]
    if root == "finitedp":
        return name.startswith("finitedp.proofs_check.zoo")
    return root not in sys.stdlib_module_names and root not in OWN


def using_names(
    mechanism: Any, replaced: Mapping[int, Any], instead: Callable[[Any], Any]
) -> list[tuple[MutableMapping[str, Any], str, Any]]:
    """Entries (of what, under which name, what instead) of foreign modules and of the mechanism whose value is replaced.

    replaced: by the id of the original. instead: what takes the place of an object that was made before, or None.
    """
    tables: dict[int, MutableMapping[str, Any]] = {
        id(vars(module)): vars(module)
        for module in list(sys.modules.values())
        if isinstance(module, ModuleType) and _is_foreign(module)
    }
    tables |= {id(table): table for table in held_by(mechanism)}
    found = []
    for table in tables.values():
        for name, value in list(table.items()):
            new = replaced.get(id(value), None)
            new = instead(value) if new is None else new
            if new is not None:
                found.append((table, name, new))
    return found


def held_by(mechanism: Any, depth: int = 4) -> list[MutableMapping[str, Any]]:
    """The tables of names that it reaches: globals of its functions, attributes of its object, cells of its closures."""
    if depth == 0:
        return []
    if isinstance(mechanism, functools.partial):
        return [table for part in (mechanism.func, *mechanism.args) for table in held_by(part, depth - 1)]
    if isinstance(mechanism, MethodType):
        return held_by(mechanism.__func__, depth) + held_by(mechanism.__self__, depth)
    if isinstance(mechanism, FunctionType):
        cells = [_Cell(cell) for cell in mechanism.__closure__ or ()]
        inner = [table for cell in cells for table in held_by(cell.get("", None), depth - 1)]
        wrapped = held_by(mechanism.__wrapped__, depth - 1) if hasattr(mechanism, "__wrapped__") else []
        return [mechanism.__globals__, *cells, *inner, *wrapped]
    called = vars(type(mechanism)).get("__call__")
    attributes = getattr(mechanism, "__dict__", None)
    tables: list[MutableMapping[str, Any]] = [attributes] if isinstance(attributes, dict) else []
    return tables + (held_by(called, depth - 1) if isinstance(called, FunctionType) else [])


class _Cell(dict[str, Any]):
    """The cell of a closure, as a table of one name."""

    def __init__(self, cell: CellType) -> None:
        try:
            super().__init__({"": cell.cell_contents})
        except ValueError:  # an empty cell
            super().__init__()
        self._cell = cell

    def __setitem__(self, name: str, value: Any) -> None:
        self._cell.cell_contents = value
