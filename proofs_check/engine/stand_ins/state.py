"""What a mechanism could remember from one run to the next: values and generators in globals, cells and attributes.

Looked at after the first run of an input and after the last one. Code that only fills in a constant in its first run passes.
"""

import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import partial
from types import CellType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any

from finitedp.proofs_check.engine.stand_ins.bare_generators import state_of
from finitedp.proofs_check.engine.stand_ins.replacing import OWN

__all__ = ["changed", "is_foreign", "parts", "remembered"]

SCALARS = (int, float, complex, str, bytes, bool, Fraction, type(None))
MOST_THINGS, MOST_PARTS, MOST_ITEMS = 500, 1_000, 20
"""How many things are looked at, how many parts of one, and into how many items of a list or a dict."""


def remembered(mechanism: Any) -> Mapping[str, Any]:  # a mechanism of any kind
    """The plain values that a mechanism reaches, by their names."""
    found: dict[str, Any] = {}
    seen, met, waiting = set[int](), Counter[str](), [("the mechanism", mechanism)]
    while waiting and len(seen) < MOST_THINGS:
        name, thing = waiting.pop(0)
        thing = getattr(thing, "original_sampler", thing) if type(thing).__name__ == "_Taken" else thing
        if id(thing) not in seen:
            seen.add(id(thing))
            for part, value in parts(thing):
                place = f"{part} of {name}"
                met[place] += 1  # other things may have the same name
                found[place if met[place] == 1 else f"{place} ({met[place]})"] = _picture(value)
                waiting.append((part, value))
    return found


def changed(before: Mapping[str, Any], after: Mapping[str, Any]) -> str | None:
    """The first name whose value is another one, or None."""
    return next((name for name in before.keys() & after.keys() if before[name] != after[name]), None)


def parts(thing: Any) -> Iterator[tuple[str, Any]]:  # of any kind
    """What a function, a method, an object or a class of the explored code holds, by name."""
    if isinstance(thing, partial):
        yield from [("the function", thing.func), *((f"argument {i}", x) for i, x in enumerate(thing.args))]
        yield from thing.keywords.items()
    elif isinstance(thing, MethodType):
        yield from [("the function", thing.__func__), ("self", thing.__self__)]
    elif isinstance(thing, FunctionType) and is_foreign(thing.__module__):
        spaces = thing.__globals__
        yield from [(name, spaces[name]) for name in sorted(_names(thing.__code__)) if name in spaces]
        cells = zip(thing.__code__.co_freevars, thing.__closure__ or (), strict=True)
        yield from [(name, _content(cell)) for name, cell in cells]
        yield from [(f"default {i}", value) for i, value in enumerate(thing.__defaults__ or ())]
        yield from [*(thing.__kwdefaults__ or {}).items(), *vars(thing).items()]
    elif isinstance(thing, type):
        if is_foreign(thing.__module__):
            yield from [(name, value) for name, value in vars(thing).items() if not name.startswith("__")]
    elif type(thing) in (list, tuple):
        yield from [(f"item {i}", x) for i, x in enumerate(thing[:MOST_ITEMS]) if type(x) not in SCALARS]
    elif type(thing) is dict:
        yield from [(f"item {i}", x) for i, x in enumerate(list(thing.values())[:MOST_ITEMS]) if type(x) not in SCALARS]
    elif not isinstance(thing, ModuleType) and is_foreign(type(thing).__module__):
        attributes = getattr(thing, "__dict__", None)
        if isinstance(attributes, dict):
            yield from [*attributes.items(), ("class", type(thing))]


def _content(cell: CellType) -> Any:  # of any kind
    try:
        return cell.cell_contents
    except ValueError:  # an empty cell
        return None


def is_foreign(module: str | None) -> bool:
    """Whether a module may be of the explored code: neither the standard library's, nor numpy's, nor finitedp's."""
    root = (module or "").partition(".")[0]
    return root not in sys.stdlib_module_names and root not in OWN and root != "finitedp"


def _names(code: CodeType) -> set[str]:
    inner = (part for part in code.co_consts if isinstance(part, CodeType))
    return set(code.co_names).union(*map(_names, inner))


def _picture(value: Any) -> Any:  # of any kind
    """What can be compared of a value: all of a plain one, else nothing."""
    kind = type(value)
    if kind in SCALARS:
        return kind, repr(value)
    if kind in (list, tuple):
        return kind, len(value), tuple(map(_picture, value[:MOST_PARTS]))
    if kind in (set, frozenset):
        return kind, len(value), frozenset(repr(_picture(part)) for part in value)
    if kind is dict:
        return kind, len(value), tuple((_picture(k), _picture(x)) for k, x in list(value.items())[:MOST_PARTS])
    if (state := state_of(value)) is not None:
        return "a generator", state
    return "a thing"  # a declared sampler, or what stands in for a generator, is another one while code is explored
