"""What a thing holds, however it holds it: what functions and classes reach, attributes, slots, and what its class in C has.

Kinds go by the layout that instances have, so that a subclass is its base and what it adds. No method of the explored code is
called, but for __reduce_ex__ and the like of classes that are written in C.
"""

import logging
import threading
import types
from collections import deque
from concurrent.futures import Executor
from typing import Any, cast

from finitedp.proofs_check.engine.stand_ins.bare_generators import BARE
from finitedp.proofs_check.engine.state.functions import class_parts, function_parts, root_of
from finitedp.proofs_check.engine.state.in_c import Contents, Parts, of_base, referents

HEAP, IMMUTABLE = 1 << 9, 1 << 8  # of a type's __flags__: made at run time; made in C for good


def contents(thing: Any) -> Contents:
    """What a thing holds. Parameters: thing, which is not plain."""
    kind = type(thing)
    if kind in _PLAINEST:
        return of_base(kind, thing)
    if issubclass(kind, types.FunctionType):
        if root_of(thing.__module__) in _APART:
            return Contents()
        return Contents((thing.__code__, thing.__name__, thing.__doc__), list(function_parts(thing)))
    if issubclass(kind, type):
        return Contents(None, list(class_parts(thing)))
    if root_of(kind.__module__) == "finitedp":  # what wraps the explored code leads to it
        return Contents(None, [(name, value) for name, value in _attributes(thing)[0] if callable(value)])
    if root_of(kind.__module__) in _APART or issubclass(kind, types.ModuleType | types.CodeType | _NOTHING):
        return Contents()
    if issubclass(kind, threading.Thread | Executor):
        return Contents(hidden=True)  # what they do meanwhile is theirs
    attributes, base = _attributes(thing)
    inside = of_base(base, thing)
    return Contents(inside.own, attributes + inside.parts, inside.hidden)


_APART = {"finitedp", "pytest", "_pytest", "hypothesis"}  # their objects are no state of the explored code
_PLAINEST = {list, tuple, dict, set, frozenset, deque, types.CellType, types.MethodType}
_NOTHING = (
    types.MethodDescriptorType
    | types.WrapperDescriptorType
    | types.ClassMethodDescriptorType
    | types.GetSetDescriptorType
    | types.MemberDescriptorType
)

# Attributes


def _attributes(thing: Any) -> tuple[Parts, type]:
    """The attributes in an object's dict and slots, its class, and the class in C that it is made of."""
    kind = type(thing)
    own = _own_dict(thing)
    attributes = list(own.items()) if own is not None else referents(thing)
    aside = _OF_LOGGERS if issubclass(kind, logging.Logger) else {"_seeded_in"} if issubclass(kind, BARE) else None
    if aside is not None:
        attributes = [(name, value) for name, value in attributes if name not in aside]
    base = kind
    while base is not object and (slots := _slots(base)) is not None:
        attributes += [(slot.__name__, slot.__get__(thing)) for slot in slots if _is_set(slot, thing)]
        base = base.__base__ or object
    if kind.__flags__ & HEAP and not kind.__flags__ & IMMUTABLE:
        attributes.append(("class", kind))
    return attributes, base


_OF_LOGGERS = {"_cache", "manager", "parent", "handlers"}  # they know all others, and what they write is no state


def _own_dict(thing: Any) -> dict[str, Any] | None:
    """The attributes of an object, whatever its class says that they are; None where there is no way to them by name."""
    for kind in type(thing).__mro__:
        descriptor = vars(kind).get("__dict__")
        if isinstance(descriptor, types.GetSetDescriptorType):
            own = descriptor.__get__(thing)
            return own if isinstance(own, dict) else {}
    if issubclass(type(thing), threading.local):
        return cast(dict[str, Any], thing.__dict__)
    return None if type(thing).__dictoffset__ else {}


def _slots(kind: type) -> list[Any] | None:
    """The slots of a class that is written in Python, None of one in C: that has room for more than it shows."""
    if not kind.__flags__ & HEAP or kind.__flags__ & IMMUTABLE or kind.__base__ is None:
        return None
    own = vars(kind)
    slots = [value for value in own.values() if isinstance(value, types.MemberDescriptorType)]
    pointers = [own.get(name) for name in ("__dict__", "__weakref__")]
    room = 8 * (len(slots) + sum(isinstance(pointer, types.GetSetDescriptorType) for pointer in pointers))
    return slots if kind.__basicsize__ - kind.__base__.__basicsize__ <= room else None


def _is_set(slot: Any, thing: Any) -> bool:
    try:
        slot.__get__(thing)
    except AttributeError:
        return False
    return True
