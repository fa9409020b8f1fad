"""What a thing holds, however it holds it: attributes, slots, items, buffers, cells, frames, caches.

Of each kind of object it is known here how all of it is seen. What is of no known kind is `hidden`, and is then named as not
looked into. Kinds go by the layout that instances have, so that a subclass is its base and what it adds. No method of the
explored code is called, but for the __reduce_ex__ of classes that are written in C.
"""

import contextvars
import copyreg
import functools
import gc
import io
import itertools
import logging
import re
import threading
import types
import warnings
import weakref
from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor
from fractions import Fraction
from hashlib import blake2b
from typing import Any, NamedTuple, cast

from finitedp.proofs_check.engine.stand_ins.bare_generators import BARE, state_of
from finitedp.proofs_check.engine.stand_ins.exploring import is_numpy_array, numpy
from finitedp.proofs_check.engine.stand_ins.functions import class_parts, function_parts, root_of

__all__ = ["CACHE", "Contents", "contents", "plain"]

Parts = list[tuple[str, Any]]
HEAP, IMMUTABLE = 1 << 9, 1 << 8  # of a type's __flags__: made at run time; made in C for good
CACHE: type = functools._lru_cache_wrapper
EXACT = {int, bool, str, bytes, type(None), type(Ellipsis), type(NotImplemented), range}


class Contents(NamedTuple):
    """own: what is compared of a thing itself; parts: what else it holds, by name; hidden: whether it may hold more."""

    own: Any = None
    parts: Parts = []  # noqa: RUF012  # never changed
    hidden: bool = False


def plain(value: Any) -> Any:
    """What stands for a value that cannot change and holds nothing else, with its type; None of all other things."""
    kind = type(value)
    if kind in EXACT:
        return kind, value
    if kind is float or kind is complex:
        return kind, repr(value)  # -0.0 is not 0.0, and nan is nan
    if kind is Fraction:
        return kind, (value.numerator, value.denominator)
    if kind is tuple or kind is frozenset:
        return _of_scalars(kind, value)
    return None


def _of_scalars(kind: type, items: Any) -> Any:
    """What stands for items that are all scalars; None where one is not."""
    kinds = set(map(type, items))
    if not kinds <= EXACT and not kinds <= EXACT | {float, complex, Fraction}:
        return None
    if len(kinds) == 1 and kinds <= EXACT:
        return kind, *kinds, kind(items)
    return kind, kind(map(plain, items))


def contents(thing: Any) -> Contents:
    """What a thing holds. Parameters: thing, which is not plain."""
    kind = type(thing)
    if issubclass(kind, types.FunctionType):
        if root_of(thing.__module__) in _APART:
            return Contents()
        return Contents((thing.__code__, thing.__name__, thing.__doc__), list(function_parts(thing)))
    if issubclass(kind, type):
        return Contents(None, list(class_parts(thing)))
    if root_of(kind.__module__) in _APART or issubclass(kind, types.ModuleType | types.CodeType | _NOTHING):
        return Contents()
    if issubclass(kind, threading.Thread | Executor):
        return Contents(hidden=True)  # what they do meanwhile is theirs
    attributes, base = _attributes(thing)
    found = _of_base(base, thing)
    return Contents(found.own, attributes + found.parts, found.hidden)


_APART = {"finitedp", "pytest", "_pytest", "hypothesis"}  # their objects are no state of the explored code
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
    found = list(own.items()) if own is not None else _referents(thing)
    aside = _OF_LOGGERS if issubclass(kind, logging.Logger) else {"_seeded_in"} if issubclass(kind, BARE) else None
    if aside is not None:
        found = [(name, value) for name, value in found if name not in aside]
    base = kind
    while base is not object and (slots := _slots(base)) is not None:
        found += [(slot.__name__, slot.__get__(thing)) for slot in slots if _is_set(slot, thing)]
        base = base.__base__ or object
    if kind.__flags__ & HEAP and not kind.__flags__ & IMMUTABLE:
        found.append(("class", kind))
    return found, base


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


# Objects by the class in C that they are made of


def _of_base(base: type, thing: Any) -> Contents:
    if base is object:
        return Contents()
    for kinds, see in _SEEN:
        if issubclass(base, kinds):
            return see(thing)
    if is_numpy_array(thing):
        return _of_array(thing)
    if root_of(base.__module__) == "numpy" and base.__name__ in _DRAWN_FROM:
        return Contents()  # other_randomness.py looks whether it moved
    if base.__name__ in _TRANSPARENT:
        return _transparent(thing)
    found = _buffer(thing) or _digest(thing) or _reduced(base, thing)
    return found or Contents(None, _referents(thing), hidden=True)


_TRANSPARENT = {"cython_function_or_method", "ufunc", "_ArrayFunctionDispatcher", "CField", "SimpleQueue"}


_DRAWN_FROM = {"Generator", "RandomState", "BitGenerator", "MT19937", "PCG64", "PCG64DXSM", "Philox", "SFC64", "SeedSequence"}


def _scalar(base: Any) -> Callable[[Any], Contents]:
    return lambda thing: Contents((type(thing), base.__repr__(thing)))


def _items(base: type, rest: Callable[[Any], Parts] = lambda _: []) -> Callable[[Any], Contents]:
    """Of a sequence: all items, at once where they are scalars."""
    read: Any = base

    def see(thing: Any) -> Contents:
        items = tuple(read.__iter__(thing))
        found = _of_scalars(tuple, items)
        if found is not None:
            return Contents((base, found), rest(thing))
        return Contents((base, len(items)), [*rest(thing), *_numbered("item", items)])

    return see


def _numbered(what: str, items: Iterable[Any]) -> Parts:
    return [(f"{what} {i}", x) for i, x in enumerate(items)]


def _table(base: Any) -> Callable[[Any], Contents]:
    """Of a dict: keys and values in their order."""

    def see(thing: Any) -> Contents:
        keys, values = tuple(base.keys(thing)), tuple(base.values(thing))
        own, parts = [base, len(keys)], Parts()
        for what, things in (("key", keys), ("item", values)):
            found = _of_scalars(tuple, things)
            own.append(found)
            parts += [] if found is not None else _numbered(what, things)
        if base is defaultdict:
            parts.append(("default_factory", thing.default_factory))
        return Contents(tuple(own), parts)

    return see


def _set(base: Any) -> Callable[[Any], Contents]:
    def see(thing: Any) -> Contents:
        items = tuple(base.__iter__(thing))
        found = _of_scalars(frozenset, items)
        return Contents((base, found)) if found is not None else Contents((base, len(items)), _numbered("item", items))

    return see


def _generator(thing: Any) -> Contents:
    """Of a generator or a coroutine: where it stands, and all of its frame, what stands on its stack included."""
    frame = next((frame for name in ("gi_frame", "cr_frame", "ag_frame") if (frame := getattr(thing, name, None))), None)
    return Contents(None if frame is None else frame.f_lasti, _referents(thing))


def _cached(thing: Any) -> Contents:
    """Of functools.cache the function. That it fills is no state: the function is looked at, and what it has returned."""
    return Contents(None, [("the function", getattr(thing, "__wrapped__", None))])


def _stream(thing: Any) -> Contents:
    return Contents("closed" if thing.closed else (thing.getvalue(), thing.tell()))


def _shown(thing: Any) -> Contents:
    """Of what repr tells all; an address is none of it."""
    return Contents(repr(thing).partition(" at 0x")[0], _referents(thing))


def _builtin(thing: Any) -> Contents:
    owner = thing.__self__
    if owner is None or isinstance(owner, types.ModuleType):
        return Contents(thing.__name__)
    return Contents((thing.__name__, repr(state_of(thing))), [("self", owner)])


def _random(thing: Any) -> Contents:
    return Contents(repr(state_of(thing)))


def _transparent(thing: Any) -> Contents:
    """Of what holds other objects, and nothing else."""
    return Contents(None, _referents(thing))


_NO_LOCK = (type(threading.Lock()), type(threading.RLock()))
_SEEN: list[tuple[Any, Callable[[Any], Contents]]] = [
    (str, _scalar(str)),
    (bytes, _scalar(bytes)),
    (int, lambda thing: Contents((int, int.__pos__(thing)))),
    (float, _scalar(float)),
    (complex, _scalar(complex)),
    (list, _items(list)),
    (tuple, _items(tuple)),
    (deque, _items(deque, lambda thing: [("maxlen", thing.maxlen)])),
    (OrderedDict, _table(OrderedDict)),
    (defaultdict, _table(defaultdict)),
    (dict, _table(dict)),
    (set, _set(set)),
    (frozenset, _set(frozenset)),
    (types.MethodType, lambda thing: Contents(None, [("the function", thing.__func__), ("self", thing.__self__)])),
    (types.BuiltinFunctionType, _builtin),
    (type([].__len__), _builtin),  # a method of what is written in C
    (BARE, _random),
    (types.CellType, _transparent),
    ((types.GeneratorType, types.CoroutineType, types.AsyncGeneratorType), _generator),
    (CACHE, _cached),
    ((io.StringIO, io.BytesIO), _stream),
    ((itertools.count, itertools.repeat, *_NO_LOCK), _shown),
    ((property, staticmethod, classmethod, super, types.MappingProxyType, types.GenericAlias), _transparent),
    ((type({}.keys()), type({}.values()), type({}.items())), _transparent),
    (BaseException, lambda thing: Contents(None, [x for x in _referents(thing) if type(x[1]) is not types.TracebackType])),
    (weakref.ReferenceType, lambda thing: Contents(None, [("what it refers to", weakref.ref.__call__(thing))])),
    (contextvars.ContextVar, lambda thing: Contents(None, [("its value", thing.get(None))])),
    (contextvars.Context, lambda thing: Contents(None, [(f"{var.name}", value) for var, value in thing.items()])),
    (threading.local, lambda _: Contents()),
]


def _referents(thing: Any) -> Parts:
    """What an object keeps alive, as the garbage collector sees it."""
    kind = type(thing)
    held = [x for x in gc.get_referents(thing) if x is not kind and not isinstance(x, types.ModuleType | types.FrameType)]
    return _numbered("part", held)


def _of_array(thing: Any) -> Contents:
    own, array = (thing.shape, str(thing.dtype)), numpy.ndarray
    if thing.dtype.hasobject:
        return Contents(own, [("list", array.tolist(thing))])
    return Contents((*own, blake2b(array.tobytes(thing)).digest()))


def _buffer(thing: Any) -> Contents | None:
    try:
        with memoryview(thing) as view:
            raw = blake2b(view if view.c_contiguous else view.tobytes()).digest()
            own = (view.format, view.shape, raw)
            fields = re.sub(":[^:]*:", "", view.format)  # of a structure of ctypes, without their names
    except (TypeError, ValueError, BufferError, NotImplementedError):
        return None
    parts = [("its object", thing.obj)] if isinstance(thing, memoryview) else _referents(thing)
    return Contents(own, parts, hidden=not _POINTERS.isdisjoint(fields))


_POINTERS = set("&OPXZz")


def _digest(thing: Any) -> Contents | None:
    """Of a hash function of hashlib that is being fed."""
    if root_of(type(thing).__module__) not in _HASHES:
        return None
    return Contents(thing.hexdigest(*(() if thing.digest_size else (32,))))


_HASHES = {"_hashlib", "_md5", "_sha1", "_sha2", "_sha256", "_sha512", "_sha3", "_blake2"}


def _reduced(base: Any, thing: Any) -> Contents | None:
    """What its class in C would pickle of it; a default that leaves something out does not pickle it."""
    whole: Any = object
    own: Any = copyreg.dispatch_table.get(base)
    if own is not None:
        own = functools.partial(own, thing)
    elif base.__reduce_ex__ is not whole.__reduce_ex__:
        own = functools.partial(base.__reduce_ex__, thing, 4)
    elif base.__reduce__ is not whole.__reduce__:
        own = functools.partial(base.__reduce__, thing)
    elif type(thing) is base:
        own = functools.partial(whole.__reduce_ex__, thing, 4)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of itertools that it ends with 3.14
            found = own()
    except Exception:  # whatever it raises, it cannot be looked into
        return None
    if isinstance(found, str):
        return Contents(found)
    whole = [list(x) if i > 2 and isinstance(x, Iterator) else x for i, x in enumerate(found)]
    return Contents(len(found), _numbered("part", whole))
