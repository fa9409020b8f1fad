"""What functions and classes of the explored code reach: globals by name, cells, defaults, and attributes."""

import builtins
import sys
import threading
from collections.abc import Iterator, Mapping
from types import CellType, CodeType, FunctionType, ModuleType
from typing import Any

from finitedp.proofs_check.engine.stand_ins.replacing import OWN, names_in

ANY_NAME = {"globals", "vars", "exec", "eval", "__globals__", "f_globals", "modules"}
"""What code that names it may find in its module under names that it does not write down."""
NO_STATE = {"__dict__", "__weakref__", "__annotations__", "__annotations_cache__", "__annotate_func__", "_abc_impl"}
"""Attributes of classes that Python itself fills."""


def root_of(module: Any) -> str:
    """The package that a module is in, "" of what is no name of one."""
    return module.partition(".")[0] if isinstance(module, str) else ""


def is_foreign(module: str | None) -> bool:
    """Whether a module may be of the explored code: neither the standard library's, nor numpy's, nor finitedp's."""
    root = root_of(module)
    return root not in sys.stdlib_module_names and root not in OWN and root != "finitedp"


def function_parts(function: FunctionType) -> Iterator[tuple[str, Any]]:
    """What a function holds, by name; of its module what it names."""
    if is_foreign(function.__module__):
        yield from _globals(function.__code__, function.__globals__)
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    yield from [(name, _content(cell)) for name, cell in cells if name not in _OF_DISPATCH]
    yield from [(f"default {i}", value) for i, value in enumerate(function.__defaults__ or ())]
    yield from [*(function.__kwdefaults__ or {}).items(), *vars(function).items()]


_OF_DISPATCH = {"dispatch_cache"}  # of functools.singledispatch: filled by the first call for a class


def class_parts(kind: type) -> Iterator[tuple[str, Any]]:
    """What a class holds, and those that it is made of; of others than the explored code's, attributes that are values."""
    own = vars(kind).items()
    if is_foreign(kind.__module__):
        yield from [(name, value) for name, value in own if name not in NO_STATE]
        yield from [("base", base) for base in kind.__bases__]
        yield from [("metaclass", type(kind))]
    else:
        yield from [(name, value) for name, value in own if type(value) in _VALUES and not name.startswith("__")]


_VALUES = {int, float, str, bool, bytes, type(None), list, dict, set}


def _globals(code: CodeType, spaces: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """What code finds under the names in it, in its module and in the modules that it names."""
    names = names_in(code)
    if not ANY_NAME.isdisjoint(names):
        yield from [(name, value) for name, value in spaces.items() if not name.startswith("__")]
    builtin = vars(builtins)
    named = [(name, spaces[name] if name in spaces else builtin[name]) for name in names if name in spaces or name in builtin]
    named += [(name, sys.modules[name]) for name in names if name not in spaces and _is_loaded(name)]
    met = set[int]()
    while named:
        label, value = named.pop()
        yield label, value
        if isinstance(value, ModuleType) and id(value) not in met:
            met.add(id(value))
            named += [(f"{label}.{name}", x) for name, x in _attributes_of(value, names)]


class _Earlier(threading.local):
    """The modules that were there at an earlier look, which this one is compared with; late: those that came since."""

    loaded: frozenset[str] | None = None
    late: frozenset[str] = frozenset()


EARLIER = _Earlier()


def _is_loaded(name: str) -> bool:
    """Whether a module was there at both looks: one that a run imports is no state of it."""
    if name not in sys.modules or EARLIER.loaded is None or name in EARLIER.loaded:
        return name in sys.modules
    EARLIER.late |= {name}
    return False


def _attributes_of(module: ModuleType, names: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
    """What a module has under these names: of a library's, values and modules only."""
    space = vars(module)
    attributes = [(name, space[name]) for name in names if name in space]
    if is_foreign(module.__name__):
        yield from attributes
    elif root_of(module.__name__) != "finitedp":
        yield from [
            (name, x) for name, x in attributes if not callable(x) and not any(x is other for other in _of_the_process())
        ]


def _of_the_process() -> tuple[Any, ...]:
    return sys.modules, sys.stdin, sys.stdout, sys.stderr, sys.__stdin__, sys.__stdout__, sys.__stderr__


def _content(cell: CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # an empty cell
        return None
