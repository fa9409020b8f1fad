"""Places where a mechanism can keep something from one run to the next: each with a way to look and a way to count there."""

import array
import builtins
import collections
import contextvars
import ctypes
import dataclasses
import decimal
import enum
import functools
import gc
import hashlib
import io
import itertools
import json
import logging
import mmap
import operator
import os
import queue
import sys
import threading
import types
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import attrs
import numpy as np

Place = tuple[Callable[[], Any], Callable[[], int]]
"""Two functions of a place: one reads it and changes nothing, the other counts there, and returns how often it was called."""
PLACES: dict[str, Callable[[], Place]] = {}


def place(make: Callable[[], Place]) -> Callable[[], Place]:
    PLACES[make.__name__] = make
    return make


def of(holder: Any, count: Callable[[Any], int], look: Callable[[Any], Any] = bool) -> Place:
    """A place that is one object, in the cells of both functions."""
    return (lambda: look(holder)), (lambda: count(holder))


def appended(holder: Any) -> int:
    holder.append(1)
    return len(holder)


def added(holder: Any) -> int:
    holder[0] += 1
    return int(holder[0])


def set_on(holder: Any) -> int:
    holder.kept = getattr(holder, "kept", 0) + 1
    return int(holder.kept)


def put(holder: Any, name: str, value: Any) -> int:
    setattr(holder, name, value)
    return 0


def stored(holder: Any, key: Any, value: Any) -> int:
    holder[key] = value
    return 0


# Containers

for name, made in {
    "list_": lambda: [0],
    "list_beyond_the_1000th": lambda: [0] * 2_000,
    "array_array": lambda: array.array("q", [0]),
    "numpy_array": lambda: np.zeros(1, dtype=np.int64),
    "numpy_of_objects": lambda: np.array([0, "a"], dtype=object),
    "numpy_view": lambda: np.zeros((4, 4))[::2, ::2][0],
    "numpy_masked": lambda: np.ma.masked_array([0, 1], mask=[False, True]),
    "dict_": lambda: {0: 0},
    "counter": lambda: collections.Counter({0: 0}),
    "defaultdict": lambda: collections.defaultdict(int, {0: 0}),
    "ordered_dict": lambda: collections.OrderedDict({0: 0}),
    "chain_map": lambda: collections.ChainMap({}, {0: 0}),
    "user_dict": lambda: collections.UserDict({0: 0}),
    "user_list": lambda: collections.UserList([0]),
    "ctypes_array": lambda: (ctypes.c_int * 3)(),
    "deep": lambda: collections.deque([({"a": [collections.UserDict({0: 0})]},)])[0][0]["a"][0],
}.items():
    PLACES[name] = functools.partial(lambda make: of(make(), added, repr), made)

for name, made in {
    "deque": collections.deque,
    "bytearray_": bytearray,
    "deque_subclass": type("Deque", (collections.deque,), {}),
    "list_subclass": type("List", (list,), {"__slots__": ()}),
}.items():
    PLACES[name] = functools.partial(lambda make: of(make([0]), appended, len), made)


class Slots:
    __slots__ = ("kept",)


class MoreSlots(Slots):
    __slots__ = ("other",)


class Own:
    """An object with attributes."""


class HidesItsDict:
    __dict__ = property(lambda _self: {})


class SlotsAndDict(Slots):
    """Both."""


class Colour(enum.Enum):
    RED = 1


@attrs.define
class Defined:
    kept: int = 0


@dataclasses.dataclass(slots=True)
class Data:
    kept: int = 0


WITH_ATTRIBUTES: dict[str, Callable[[], Any]] = {
    "slots": Slots,
    "slots_of_a_base": MoreSlots,
    "slots_and_dict": SlotsAndDict,
    "attribute": Own,
    "a_dict_that_is_denied": HidesItsDict,
    "attrs_class": Defined,
    "dataclass_with_slots": Data,
    "attribute_of_a_list": type("List", (list,), {}),
    "attribute_of_a_dict": type("Dict", (dict,), {}),
    "attribute_of_an_int": type("Int", (int,), {}),
    "attribute_of_a_str": type("Str", (str,), {}),
    "attribute_of_a_tuple": type("Tuple", (tuple,), {}),
    "attribute_of_a_set": type("Set", (set,), {}),
    "attribute_of_a_float": type("Float", (float,), {}),
    "attribute_of_a_decimal": type("Decimal", (decimal.Decimal,), {}),
    "attribute_of_an_array": lambda: np.zeros(2).view(type("Array", (np.ndarray,), {})),
    "attribute_of_an_error": ValueError,
    "attribute_of_a_partial": lambda: functools.partial(len),
    "attribute_of_a_namespace": types.SimpleNamespace,
    "attribute_of_a_function": lambda: lambda: None,
    "attribute_of_a_class": lambda: type("Kind", (), {"__module__": __name__}),
    "attribute_of_a_base": lambda: (
        type("Kind", (type("Base", (), {"__module__": __name__}),), {"__module__": __name__}).__base__
    ),
    "attribute_of_a_member": lambda: Colour.RED,
    "attribute_of_a_logger": lambda: logging.Logger("of a test"),
    "attribute_of_a_cache": lambda: functools.lru_cache(lambda: None),
    "attribute_of_a_library_s_function": lambda: json.dumps,
    "thread_s_own": threading.local,
}
for name, made in WITH_ATTRIBUTES.items():
    PLACES[name] = functools.partial(lambda make: of(make(), set_on, lambda thing: hasattr(thing, "kept")), made)


# Iterators and functions


def ticks() -> Iterator[int]:
    n = 0
    while True:
        n += 1
        yield n


def on_the_stack() -> Iterator[int]:
    """Its counter is no local."""
    for _ in [0] * 100_000:
        yield 0


def of_next(holder: Any) -> Place:
    return of(holder, lambda thing: int(bool(next(thing))), lambda thing: thing is None)


ITERATORS: dict[str, Callable[[], Any]] = {
    "count": itertools.count,
    "cycle": lambda: itertools.cycle(range(5_000)),
    "repeat": lambda: itertools.repeat(0, 100_000),
    "islice": lambda: itertools.islice(itertools.count(), 100_000),
    "accumulate": lambda: itertools.accumulate(itertools.repeat(1)),
    "chain": lambda: itertools.chain([0] * 5_000, [1] * 5_000),
    "tee": lambda: itertools.tee(itertools.count())[0],
    "iterator_of_a_list": lambda: iter([0] * 100_000),
    "iterator_of_a_range": lambda: iter(range(100_000)),
    "iterator_of_a_dict": lambda: iter(dict.fromkeys(range(100_000))),
    "iterator_of_a_text": lambda: iter("a" * 100_000),
    "reversed_list": lambda: reversed([0] * 100_000),
    "enumerated": lambda: enumerate([0] * 100_000),
    "zipped": lambda: zip(itertools.count(), strict=False),
    "mapped": lambda: map(abs, itertools.count()),
    "filtered": lambda: filter(None, itertools.count()),
    "until_a_sentinel": lambda: iter(itertools.count().__next__, -1),
    "generator": ticks,
    "generator_s_stack": on_the_stack,
    "generator_expression": lambda: (n for n in itertools.count()),
}
for name, made in ITERATORS.items():
    PLACES[name] = functools.partial(lambda make: of_next(make()), made)


@place
def bound_method_in_c() -> Place:
    tick = itertools.count().__next__
    return (lambda: callable(tick)), (lambda: tick())


@place
def method_of_a_list() -> Place:
    push = list[int]().append
    return (lambda: callable(push)), (lambda: push(1) or 0)


@place
def bound_method() -> Place:
    look, count = types.MethodType(lambda thing: bool(thing), [0]), types.MethodType(added, [0])
    return look, count


@place
def partial_argument() -> Place:
    kept = [0]
    return functools.partial(bool, kept), functools.partial(added, kept)


@place
def default_argument() -> Place:
    def count(kept: list[int] = [0]) -> int:  # noqa: B006  # that is where it is kept
        return added(kept)

    return (lambda: count is None), count


@place
def named_default() -> Place:
    def count(*, kept: Any = bytearray(1)) -> int:  # noqa: B008
        kept.append(1)
        return len(kept)

    return (lambda: count is None), count


@place
def cell() -> Place:
    kept = 0

    def count() -> int:
        nonlocal kept
        kept += 1
        return kept

    return (lambda: kept), count


@place
def defaults_that_are_replaced() -> Place:
    def inner(kept: int = 0) -> int:
        return kept

    def count() -> int:
        inner.__defaults__ = (inner() + 1,)
        return inner()

    return (lambda: inner()), count


@place
def code_that_is_replaced() -> Place:
    def inner() -> int:
        return 7

    def count() -> int:
        inner.__code__ = inner.__code__.replace(co_firstlineno=inner.__code__.co_firstlineno + 1)
        return inner.__code__.co_firstlineno

    return (lambda: inner()), count


@place
def called_object() -> Place:
    class Counts:
        def __call__(self) -> int:
            return added(IN_A_CALL)

    counts = Counts()
    return (lambda: counts is None), (lambda: counts())


IN_A_CALL = [0]


@place
def property_() -> Place:
    class Counts:
        @property
        def next(self) -> int:
            return appended(IN_A_PROPERTY)

    counts = Counts()
    return (lambda: counts is None), (lambda: counts.next)


IN_A_PROPERTY = collections.deque[int]()


@place
def static_method() -> Place:
    class Counts:
        @staticmethod
        def next(kept: Any = [0]) -> int:  # noqa: B006
            return added(kept)

    return (lambda: Counts is None), (lambda: Counts.next())


@place
def descriptor() -> Place:
    class Descriptor:
        def __get__(self, *_: object) -> int:
            return appended(IN_A_DESCRIPTOR)

    class Counts:
        next = Descriptor()

    return (lambda: Counts is None), (lambda: Counts().next)


IN_A_DESCRIPTOR = bytearray()


@place
def metaclass() -> Place:
    class Meta(type):
        kept = 0

    class Kind(metaclass=Meta):
        """Its class counts."""

    def count() -> int:
        Meta.kept += 1
        return Meta.kept

    return (lambda: Kind), (lambda: count())


# Globals

KEPT = 0
HELPER: Any = types.ModuleType("a_helper_of_tests")
HELPER.kept = 0


@place
def global_() -> Place:
    def count() -> int:
        global KEPT  # noqa: PLW0603  # that is where it is kept
        KEPT += 1
        return KEPT

    return (lambda: KEPT), count


@place
def global_by_its_text() -> Place:
    return (lambda: globals().get("kept_by_text")), (
        lambda: stored(globals(), "kept_by_text", appended(KEPT_BY)) or len(KEPT_BY)
    )


KEPT_BY: list[int] = []


@place
def global_under_a_made_name() -> Place:
    def count() -> int:
        name = "_".join(["made", "name"])
        globals()[name] = globals().get(name, 0) + 1
        return int(globals()[name])

    return (lambda: 0), count


@place
def other_module() -> Place:
    def count() -> int:
        HELPER.kept += 1
        return int(HELPER.kept)

    return (lambda: HELPER.kept), count


@place
def imported_within() -> Place:
    sys.modules[HELPER.__name__] = HELPER

    def count() -> int:
        import a_helper_of_tests  # type: ignore[import-not-found]

        a_helper_of_tests.counted = getattr(a_helper_of_tests, "counted", 0) + 1
        return int(a_helper_of_tests.counted)

    return (lambda: 0), count


@place
def attribute_of_a_library() -> Place:
    def count() -> int:
        sys.kept_here = getattr(sys, "kept_here", 0) + 1  # type: ignore[attr-defined]
        return int(sys.kept_here)  # type: ignore[attr-defined]

    return (lambda: sys.maxsize), count


@place
def builtin_name() -> Place:
    def count() -> int:
        builtins.kept_there = getattr(builtins, "kept_there", 0) + 1  # type: ignore[attr-defined]
        return int(kept_there)  # type: ignore[name-defined]  # noqa: F821

    return (lambda: builtins.len), count


@place
def environment() -> Place:
    def count() -> int:
        os.environ["KEPT_BY_A_TEST"] = str(int(os.environ.get("KEPT_BY_A_TEST", "0")) + 1)
        return int(os.environ["KEPT_BY_A_TEST"])

    return (lambda: os.environ.get("KEPT_BY_A_TEST")), count


@place
def precision_of_decimals() -> Place:
    def count() -> int:
        decimal.getcontext().prec += 1
        return decimal.getcontext().prec

    return (lambda: decimal.getcontext().prec), count


@place
def depth_of_calls() -> Place:
    def count() -> int:
        sys.setrecursionlimit(sys.getrecursionlimit() + 1)
        return sys.getrecursionlimit()

    return (lambda: sys.getrecursionlimit() > 0), count


# Others


@place
def big_integer() -> Place:
    """Its hash is always the same, and it has too many digits to be shown."""
    return of([1], lambda kept: kept.__setitem__(0, kept[0] + (2**61 - 1) * 2**20_000) or 0, bool)


@place
def sign_of_zero() -> Place:
    return of([0.0, 0], lambda kept: kept.__setitem__(0, -0.0) or added(memoryview(FLOATS)), lambda kept: kept[0])


FLOATS = array.array("d", [0.0])


@place
def set_() -> Place:
    return of({0}, lambda kept: kept.add(len(kept)) or len(kept), len)


@place
def set_of_types() -> Place:
    """1 and True are equal."""
    return of(set[Any](range(2, 9_000)), lambda kept: kept.add(float(kept.pop())) or 0, len)


@place
def order_of_a_dict() -> Place:
    return of(dict.fromkeys(range(5_000)), lambda kept: kept.__setitem__(k := next(iter(kept)), kept.pop(k)) or 0, len)


@place
def order_of_an_ordered_dict() -> Place:
    return of(collections.OrderedDict.fromkeys(range(5_000)), lambda kept: kept.move_to_end(next(iter(kept))) or 0, len)


@place
def turn_of_a_deque() -> Place:
    """What is turned are objects that look alike, one of which is known by another name."""
    return of(collections.deque([MARK, *(object() for _ in range(5_000))]), lambda d: d.rotate(1) or int(d[0] is MARK), len)


MARK = object()


@place
def new_attributes() -> Place:
    """Each run sets another one."""
    return of(Own(), lambda thing: put(thing, f"n{len(vars(thing))}", 0) or len(vars(thing)), lambda thing: len(vars(thing)))


@place
def memory_view() -> Place:
    return of(memoryview(bytearray(64)).cast("q"), added, len)


@place
def memory_map() -> Place:
    return of(
        mmap.mmap(-1, 64),
        lambda m: m.__setitem__(slice(0, 8), (int.from_bytes(m[:8], "little") + 1).to_bytes(8, "little")) or 0,
    )


@place
def read_only_view() -> Place:
    kept = {"a": 0}
    return of(types.MappingProxyType(kept), lambda _: stored(kept, "a", kept["a"] + 1) or kept["a"], len)


@place
def view_of_keys() -> Place:
    kept = {0: 0}
    keys = kept.keys()
    return (lambda: len(keys)), (lambda: added(gc.get_referents(keys)[0]))


@place
def text_stream() -> Place:
    return of(io.StringIO(), lambda stream: stream.write("a") and stream.tell(), lambda stream: stream.closed)


@place
def byte_stream() -> Place:
    return of(io.BytesIO(b"a" * 9_999), lambda stream: stream.seek(stream.tell() + 1), lambda stream: stream.closed)


@place
def simple_queue() -> Place:
    return of(queue.SimpleQueue(), lambda q: q.put(1) or q.qsize(), lambda q: q.qsize())


@place
def full_queue() -> Place:
    return of(queue.Queue(), lambda q: q.put(1) or q.qsize(), lambda q: q.qsize())


@place
def weak_dict() -> Place:
    return of(weakref.WeakKeyDictionary({KEY: [0]}), lambda table: added(table[KEY]), len)


KEY = Own()


@place
def weak_values() -> Place:
    return of(weakref.WeakValueDictionary({0: KEY_2}), lambda table: set_on(table[0]), len)


KEY_2 = Own()


@place
def weak_reference() -> Place:
    return of(weakref.ref(KEY_3), lambda kept: set_on(kept()), lambda kept: kept() is None)


KEY_3 = Own()


@place
def context_variable() -> Place:
    var = contextvars.ContextVar("kept", default=0)
    return of(var, lambda kept: kept.set(kept.get() + 1) and kept.get(), lambda kept: kept.get())


@place
def context() -> Place:
    var, context = contextvars.ContextVar("kept", default=0), contextvars.Context()
    return of(context, lambda kept: kept.run(lambda: var.set(var.get() + 1)) and kept[var], lambda kept: kept is None)


@place
def cached_list() -> Place:
    @functools.cache
    def box() -> list[int]:
        return [0]

    box()
    return (lambda: len(box())), (lambda: added(box()))


@place
def cached_list_of_few() -> Place:
    @functools.lru_cache(4)
    def box(_: int) -> list[int]:
        return [0]

    box(1)
    return (lambda: len(box(1))), (lambda: added(box(1)))


@place
def hits_of_a_cache() -> Place:
    @functools.cache
    def box() -> int:
        return 0

    return (lambda: box()), (lambda: box() or box.cache_info().hits)


@place
def hash_function() -> Place:
    return of(hashlib.sha256(), lambda h: h.update(b"a") or h.digest()[0], lambda h: h.digest_size)


@place
def hash_function_of_any_length() -> Place:
    return of(hashlib.shake_128(), lambda h: h.update(b"a") or h.digest(1)[0], lambda h: h.digest_size)


@place
def lock() -> Place:
    return of(threading.RLock(), lambda held: int(held.acquire()), lambda held: held is None)


@place
def semaphore() -> Place:
    return of(threading.Semaphore(0), lambda held: held.release() or 0, lambda held: held is None)


@place
def error_s_arguments() -> Place:
    return of(ValueError(0), lambda kept: put(kept, "args", (kept.args[0] + 1,)) or kept.args[0], lambda kept: kept.args)


@place
def getter() -> Place:
    kept = [0]
    get = operator.itemgetter(0)
    return (lambda: get(kept)), (lambda: get([added(kept)]))


@place
def vectorized() -> Place:
    kept = [0]
    count = np.vectorize(lambda _: added(kept), otypes=[int])
    return (lambda: count is None), (lambda: int(count(1)))


@place
def ufunc() -> Place:
    kept = [0]
    count = np.frompyfunc(lambda _: added(kept), 1, 1)
    return (lambda: count is None), (lambda: int(count(1)))


@place
def structure() -> Place:
    class Structure(ctypes.Structure):
        _fields_ = [("kept", ctypes.c_int)]

    return of(Structure(0), set_on, lambda thing: thing.kept)
