"""Putting stand-ins in the places of what they stand for, and the originals back.

Places are attributes of modules and classes, entries of modules that imported a name, and cells and attributes of the
mechanism itself.
"""

import functools
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping
from contextlib import contextmanager
from pathlib import Path
from types import CellType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any, NamedTuple

ABSENT = object()
OWN = {"numpy", "gmpy2", "flint", "attr", "attrs", "_pytest", "pytest", "hypothesis"}
"""Packages that no explored code is in."""
_ENGINE = __name__.partition("stand_ins")[0]
MOST_THINGS, MOST_PARTS, MOST_DEPTH = 2_000, 100, 6
"""How far what a mechanism reaches is followed: things in all, parts of one, and steps from the mechanism."""


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
            original = vars(owner).get(name, ABSENT)
            setattr(owner, name, replacement)
            before.append((owner, name, original))
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
    mechanism: Any, replaced: Mapping[int, Any], by_kind: Mapping[type, Callable[[Any], Any]]
) -> list[tuple[MutableMapping[Any, Any], Any, Any]]:
    """Entries (of what, under which name, what instead) of foreign modules and of the mechanism whose value is replaced.

    replaced: what instead, by the id of the original. by_kind: what makes it, by the class of an object that was made before.
    """

    def instead(value: Any) -> Any:
        make = by_kind.get(type(value))
        return replaced.get(id(value)) if make is None else make(value)

    def is_using(table: MutableMapping[Any, Any]) -> bool:
        values = list(table.values())
        return not (replaced.keys().isdisjoint(map(id, values)) and by_kind.keys().isdisjoint(map(type, values)))

    of_modules = [
        vars(module) for module in list(sys.modules.values()) if isinstance(module, ModuleType) and _is_foreign(module)
    ]
    tables = {id(table): table for table in filter(is_using, (*of_modules, *held_by(mechanism)))}
    entries = [(table, name, instead(value)) for table in tables.values() for name, value in list(table.items())]
    return [entry for entry in entries if entry[-1] is not None]


_INSTALLED = {"site-packages", "dist-packages"}  # the folders of installed packages; what is elsewhere may be anything


def is_installed(module: ModuleType | None) -> bool:
    """Whether a module is of an installed package."""
    file = getattr(module, "__file__", None)
    return isinstance(file, str) and not _INSTALLED.isdisjoint(Path(file).parts)


def held_by(mechanism: Any) -> list[MutableMapping[Any, Any]]:
    """The tables that a mechanism reaches: globals of functions, attributes of objects, cells of closures, dicts in these."""
    held: list[MutableMapping[Any, Any]] = []
    seen, waiting = set[int](), [(mechanism, 0)]
    while waiting and len(seen) < MOST_THINGS:
        thing, depth = waiting.pop(0)
        if id(thing) not in seen:
            seen.add(id(thing))
            tables, parts = _opened(thing)
            held += tables
            waiting += [(part, depth + 1) for part in parts if depth < MOST_DEPTH]
    return held


def _opened(thing: Any) -> tuple[list[MutableMapping[Any, Any]], list[Any]]:
    """The tables of a thing, and what else it holds."""
    if isinstance(thing, functools.partial):
        return [], [thing.func, *thing.args, *thing.keywords.values()]
    if isinstance(thing, MethodType):
        return [], [thing.__func__, thing.__self__]
    if isinstance(thing, FunctionType):
        if str(thing.__module__).startswith(_ENGINE):  # a stand-in that was imported within a run
            return [], []
        cells = [_Cell(cell) for cell in thing.__closure__ or ()]
        named = _named(thing)
        held = [content for cell in cells for content in cell.values()]
        return [thing.__globals__, *cells], [*held, *(thing.__defaults__ or ()), *named, getattr(thing, "__wrapped__", None)]
    if type(thing) is dict:
        return [thing], list(thing.values())[:MOST_PARTS]
    if type(thing) in (list, tuple):
        return [], list(thing[:MOST_PARTS])
    if isinstance(thing, type) and _is_foreign(sys.modules.get(thing.__module__, sys)):
        return [], [value for value in list(vars(thing).values())[:MOST_PARTS] if isinstance(value, FunctionType)]
    attributes = getattr(thing, "__dict__", None)
    if not isinstance(attributes, dict) or isinstance(thing, type | ModuleType):
        return [], []
    return [attributes], [*attributes.values(), vars(type(thing)).get("__call__")]


def _named(function: FunctionType) -> list[Any]:
    """What the names in a function's code stand for among its globals, and in modules that they stand for, as in a.b.c."""
    values_named, tables = list[Any](), [function.__globals__]
    for table in tables:
        values = [table[name] for name in names_in(function.__code__) if name in table]
        values_named += [value for value in values if not isinstance(value, ModuleType)]
        inner = [vars(value) for value in values if isinstance(value, ModuleType) and _is_foreign(value)]
        tables += [names for names in inner if all(names is not listed for listed in tables)]
    return values_named


@functools.lru_cache(maxsize=4096)
def names_in(code: CodeType) -> tuple[str, ...]:
    """The names in code and in that of the functions in it, and the texts that may be names, in their order."""
    texts = {text for text in code.co_consts if type(text) is str and text.isidentifier()}
    inner = [names_in(part) for part in code.co_consts if isinstance(part, CodeType)]
    return tuple(sorted({*code.co_names, *texts}.union(*inner)))


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
