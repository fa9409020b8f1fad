"""What an object holds by the class in C that it is made of: items, buffers, cells, frames, streams, caches.

Of each kind it is known here how all of it is seen. What is of no known kind is `hidden`, and then named as not looked into.
"""

import contextvars
import copyreg
import functools
import gc
import io
import itertools
import re
import threading
import types
import warnings
import weakref
from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from fractions import Fraction
from hashlib import blake2b
from typing import Any, NamedTuple

from finitedp.proofs_check.engine.stand_ins.bare_generators import BARE, state_of
from finitedp.proofs_check.engine.stand_ins.exploring import is_numpy_array, numpy
from finitedp.proofs_check.engine.state.functions import root_of

Parts = list[tuple[str, Any]]
CACHE: type = functools._lru_cache_wrapper


EXACT = {int, bool, str, bytes, type(None), type(Ellipsis), type(NotImplemented), range}
SCALARS = EXACT | {float, complex, Fraction}


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
        return of_scalars(kind, value)
    return None


def of_scalars(kind: type, items: Any) -> Any:
    """What stands for items that are all scalars; None where one is not."""
    kinds = set(map(type, items))
    if not kinds <= SCALARS:
        return None
    if not kinds <= EXACT or (kind is frozenset and len(kinds) > 1):
        return kind, kind(map(plain, items))
    return kind, tuple(kinds) if len(kinds) < 2 else tuple(map(type, items)), kind(items)


class Contents(NamedTuple):
    """own: what is compared of a thing itself; parts: what else it holds, by name; hidden: whether it may hold more."""

    own: Any = None
    parts: Parts = []  # noqa: RUF012  # never changed
    hidden: bool = False


def of_base(base: type, thing: Any) -> Contents:
    """What a thing has by its class in C, base."""
    if base is object:
        return Contents()
    see = _way(base)
    if see is not None:
        return see(thing)
    if is_numpy_array(thing):
        return _of_array(thing)
    if root_of(base.__module__) == "numpy" and base.__name__ in _DRAWN_FROM:
        return Contents()  # other_randomness.py looks whether it moved
    if base.__name__ in _TRANSPARENT:
        return _transparent(thing)
    inside = _buffer(thing) or _digest(thing) or _reduced(base, thing)
    return inside or Contents(None, referents(thing) if base.__module__ == "itertools" else [], hidden=True)


_TRANSPARENT = {"cython_function_or_method", "ufunc", "_ArrayFunctionDispatcher", "CField", "SimpleQueue"}


_DRAWN_FROM = {"Generator", "RandomState", "BitGenerator", "MT19937", "PCG64", "PCG64DXSM", "Philox", "SFC64", "SeedSequence"}


@functools.lru_cache(maxsize=1024)
def _way(base: type) -> Callable[[Any], Contents] | None:
    return next((see for kinds, see in _SEEN if issubclass(base, kinds)), None)


def _scalar(base: Any) -> Callable[[Any], Contents]:
    return lambda thing: Contents((type(thing), base.__repr__(thing)))


def _numbered(what: str, items: Iterable[Any]) -> Parts:
    return [(f"{what} {i}", x) for i, x in enumerate(items)]


def _collection(base: Any, *columns: tuple[str, Any], kind: type = tuple, rest: Parts = []) -> Contents:  # noqa: B006  # never changed
    """Of a collection: all keys and items in their order, at once where they are scalars."""
    own, parts = [base], [*rest]
    for what, items in columns:
        scalars = of_scalars(kind, items)
        own.append(len(items) if scalars is None else scalars)
        parts += _numbered(what, items) if scalars is None else []
    return Contents(tuple(own), parts)


def _items(base: Any) -> Callable[[Any], Contents]:
    return lambda thing: _collection(base, ("item", tuple(base.__iter__(thing))))


def _table(base: Any, rest: Callable[[Any], Parts] = lambda _: []) -> Callable[[Any], Contents]:
    return lambda thing: _collection(
        base, ("key", tuple(base.keys(thing))), ("item", tuple(base.values(thing))), rest=rest(thing)
    )


def _set(base: Any) -> Callable[[Any], Contents]:
    return lambda thing: _collection(base, ("item", tuple(base.__iter__(thing))), kind=frozenset)


def _generator(thing: Any) -> Contents:
    """Of a generator or a coroutine: where it stands, and all of its frame, what stands on its stack included."""
    frame = next((frame for name in ("gi_frame", "cr_frame", "ag_frame") if (frame := getattr(thing, name, None))), None)
    return Contents(None if frame is None else frame.f_lasti, referents(thing))


def _cached(thing: Any) -> Contents:
    """Of functools.cache the function. That it fills is no state: the function is looked at, and what it has returned."""
    return Contents(None, [("the function", getattr(thing, "__wrapped__", None))])


def _shown(thing: Any) -> Contents:
    """Of what repr tells all; an address is none of it."""
    return Contents(repr(thing).partition(" at 0x")[0], referents(thing))


def _builtin(thing: Any) -> Contents:
    owner = thing.__self__
    if owner is None or isinstance(owner, types.ModuleType):
        return Contents(thing.__name__)
    return Contents((thing.__name__, repr(state_of(thing))), [("self", owner)])


def _partial(thing: Any) -> Contents:
    return Contents(None, [("the function", thing.func), *_numbered("argument", thing.args), *thing.keywords.items()])


def _transparent(thing: Any) -> Contents:
    """Of what holds other objects, and nothing else."""
    return Contents(None, referents(thing))


_NO_LOCK = (type(threading.Lock()), type(threading.RLock()))
_SEEN: list[tuple[Any, Callable[[Any], Contents]]] = [
    (str, _scalar(str)),
    (bytes, _scalar(bytes)),
    (int, lambda thing: Contents((int, int.__pos__(thing)))),
    (float, _scalar(float)),
    (complex, _scalar(complex)),
    (list, _items(list)),
    (tuple, _items(tuple)),
    (deque, lambda thing: _collection(deque, ("item", tuple(deque.__iter__(thing))), rest=[("maxlen", thing.maxlen)])),
    (OrderedDict, _table(OrderedDict)),
    (defaultdict, _table(defaultdict, lambda thing: [("default_factory", thing.default_factory)])),
    (dict, _table(dict)),
    (set, _set(set)),
    (frozenset, _set(frozenset)),
    (types.MethodType, lambda thing: Contents(None, [("the function", thing.__func__), ("self", thing.__self__)])),
    (types.BuiltinFunctionType, _builtin),
    (type([].__len__), _builtin),  # a method of what is written in C
    (
        functools.partial,
        lambda x: Contents(None, [("the function", x.func), *_numbered("argument", x.args), *x.keywords.items()]),
    ),
    (BARE, lambda thing: Contents(repr(state_of(thing)))),
    (types.CellType, _transparent),
    ((types.GeneratorType, types.CoroutineType, types.AsyncGeneratorType), _generator),
    (CACHE, _cached),
    ((io.StringIO, io.BytesIO), lambda thing: Contents("closed" if thing.closed else (thing.getvalue(), thing.tell()))),
    ((itertools.count, itertools.repeat, *_NO_LOCK), _shown),
    ((property, staticmethod, classmethod, super, types.MappingProxyType, types.GenericAlias), _transparent),
    ((type({}.keys()), type({}.values()), type({}.items())), _transparent),
    (BaseException, lambda thing: Contents(None, [x for x in referents(thing) if type(x[1]) is not types.TracebackType])),
    (weakref.ReferenceType, lambda thing: Contents(None, [("what it refers to", weakref.ref.__call__(thing))])),
    (contextvars.ContextVar, lambda thing: Contents(None, [("its value", thing.get(None))])),
    (contextvars.Context, lambda thing: Contents(None, [(f"{var.name}", value) for var, value in thing.items()])),
    (threading.local, lambda _: Contents()),
]


def referents(thing: Any) -> Parts:
    """What an object keeps alive, as the garbage collector sees it, but for modules and frames."""
    kind, aside = type(thing), types.ModuleType | types.FrameType
    held = [x for x in gc.get_referents(thing) if x is not kind and not isinstance(x, aside)]
    return _numbered("part", [x for x in held if type(x) is not dict or "__spec__" not in x])


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
    parts = [("its object", thing.obj)] if isinstance(thing, memoryview) else referents(thing)
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
        with warnings.catch_warnings() if base.__module__ == "itertools" else nullcontext():
            if base.__module__ == "itertools":
                warnings.simplefilter("ignore")  # of itertools that it ends with 3.14
            reduced = own()
    except Exception:  # whatever it raises, it cannot be looked into
        return None
    if isinstance(reduced, str):
        return Contents(reduced)
    whole = [list(x) if i > 2 and isinstance(x, Iterator) else x for i, x in enumerate(reduced)]
    return Contents(len(reduced), _numbered("part", whole))
