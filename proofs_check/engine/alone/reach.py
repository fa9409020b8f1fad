"""What the law of a function depends on besides its arguments: its code, and the globals that it reads, in turn.

A function is read with the functions and classes that it reaches. Of a class without bases other than object, without a
metaclass, and with nothing but an initialiser, methods and plain constants, instances may be made: their attributes belong to
one run, since an instance can leave its run only through what is never allowed (a return, a global, a list that was there, an
exception, which all are objections or refused).
"""

import ast
from collections.abc import Hashable
from types import FunctionType
from typing import Any, NamedTuple

from finitedp.proofs_check.engine.alone.allowlist import ATTRIBUTES, Reads, is_module, is_pure, known_elsewhere, reads, where
from finitedp.proofs_check.engine.alone.function_source import checks_of
from finitedp.proofs_check.engine.alone.keys import NotPlainError, NotPureError, has_text, typed, untyped
from finitedp.proofs_check.engine.alone.untouched import arithmetic, is_source

_OF_EVERY_CLASS = {
    *("__module__", "__qualname__", "__doc__", "__dict__", "__weakref__", "__annotations__"),
    *("__firstlineno__", "__static_attributes__", "__annotate__", "__annotate_func__", "__annotations_cache__"),
}


class Wrapper:
    """What stands in the place of a declared sampler."""

    original_sampler: Any


class Named(NamedTuple):
    """A global: what a key knows of it, what it is in a copy, and why it may not be read, if it may not.

    kind: "value" (it is itself), "function" or "class" (it is copied), "checked" (a copy with typeguard's checks), "unknown".
    """

    kind: str
    key: Hashable
    value: Any
    objection: str | None = None


class ReadFunction:
    """A function that was read, and its globals by name. is_method: of a class that was read, and reached in no other way."""

    def __init__(self, function: FunctionType, *, is_method: bool) -> None:
        self.function = function
        self.reads: Reads = reads(function)
        self.is_method = is_method
        self.named: dict[str, Named] = {}


class ReadClass(NamedTuple):
    """A class that was read: its methods, and its other entries, which are plain constants."""

    original: type
    methods: dict[str, FunctionType]
    constants: dict[str, Any]


class Environment:
    """All that a function reaches: functions and classes by id, and the names of attributes that the classes give.

    checks: what typeguard has put into the function itself, which is read without it.
    """

    def __init__(self, function: FunctionType) -> None:
        self.functions: dict[int, ReadFunction] = {}
        self.classes: dict[int, ReadClass] = {}
        self.data: set[str] = set()
        self.methods: set[str] = set()
        self.checks = checks_of(function)
        self.key: Hashable = (arithmetic(), self._plain(function))

    def sources(self) -> tuple[object, ...]:
        """The generators that are read as globals: each one is itself wherever it is met."""
        values = (one.value for function in self.functions.values() for one in function.named.values() if one.kind == "value")
        return tuple({id(value): value for value in values if is_source(value)}.values())

    def objections(self, function: ReadFunction) -> dict[ast.AST, str]:
        """By node of its tree: what must not be reached in a function."""
        objections, code = dict(function.reads.objections), function.function.__code__
        for node in function.reads.names:
            name, entry, called = node.id, function.named[node.id], node in function.reads.called
            if entry.objection is not None:
                objections.setdefault(node, f"{code.co_name}() {entry.objection}")
            elif entry.kind == "class" and (not called or id(entry.value) not in self.classes):
                objections.setdefault(node, f"{code.co_name}() uses the class {name} as a value")
            elif isinstance(entry.value, Wrapper) and not called:
                objections.setdefault(node, f"{code.co_name}() uses the sampler {name} as a value")
        for one in function.reads.attributes:
            name = one.attr
            allowed = ATTRIBUTES | self.data | (self.methods if one in function.reads.called else set())
            if name not in allowed or (name in self.methods and one not in function.reads.called):
                text = f"uses the attribute {name}, which is not among those that are known"
                objections.setdefault(one, f"{where(code, one)} {text}")
        for statement, name in function.reads.stores if not function.is_method else ():
            objections.setdefault(statement, f"{where(code, statement)} sets the attribute {name}")
        return objections

    # Reading

    def _plain(self, function: FunctionType) -> Hashable:
        """A function without the checks that typeguard has put into it."""
        checks = checks_of(function)
        return self._function(function if checks is None else checks.plain, is_method=False)

    def _function(self, function: FunctionType, *, is_method: bool) -> Hashable:
        read_before = self.functions.get(id(function))
        if read_before is not None:
            read_before.is_method = read_before.is_method and is_method
            return "again", function.__code__
        now_read = ReadFunction(function, is_method=is_method)
        try:
            defaults = typed(function.__defaults__), typed(tuple(sorted((function.__kwdefaults__ or {}).items())))
        except NotPlainError as error:
            raise NotPureError(f"{function.__name__}() has {error} as a default") from None
        if has_text((function.__defaults__, *(function.__kwdefaults__ or {}).values())):
            raise NotPureError(f"{function.__name__}() has a text as a default")
        self.functions[id(function)] = now_read
        for node in now_read.reads.names:
            if node.id not in now_read.named:
                now_read.named[node.id] = self._global(function, node.id)
        return function.__code__, defaults, tuple((name, one.key) for name, one in now_read.named.items())

    def _global(self, function: FunctionType, name: str) -> Named:
        values = function.__globals__ if name in function.__globals__ else getattr(function, "__builtins__")  # noqa: B009
        if name not in values:
            return Named("unknown", ("unknown", None), None, f"reads the global {name}, which is not there")
        try:
            return self._known(name, values[name])
        except NotPlainError as error:
            objection = f"reads the global {name}, {error}"
        except NotPureError as error:
            objection = f"uses {name}: {error}"
        return Named("unknown", ("unknown", objection), None, objection)

    def _known(self, name: str, value: Any) -> Named:  # noqa: ANN401  # of any kind
        if value is str:
            raise NotPureError("it makes texts")
        if is_module(value):
            return Named("value", ("module", value.__name__), value)
        if is_pure(value):
            return Named("value", ("pure", name, id(value)), value)
        if issubclass(type(value), Wrapper):
            return Named("value", ("sampler", self._plain(value.original_sampler)), value)
        if type(value) is FunctionType:
            checks = checks_of(value)
            kind, held = ("function", value) if checks is None else ("checked", checks)
            return Named(kind, (kind, self._plain(value)), held)
        if type(value) is type:
            return Named("class", self._class(value), value)
        plain = _constant(value)
        return Named("value", typed(plain), plain)

    def _class(self, original: type) -> Hashable:
        if id(original) in self.classes:
            return "again", id(original)
        methods: dict[str, FunctionType] = {}
        constants: dict[str, Any] = {}
        if original.__bases__ != (object,):
            raise NotPureError("it has a base class")
        for name, value in vars(original).items():
            if name in _OF_EVERY_CLASS:
                continue
            if name.startswith("__") and name != "__init__":
                raise NotPureError(f"it has its own {name}")
            if type(value) is FunctionType:
                methods[name] = value
                continue
            try:
                constants[name] = _constant(value)
            except NotPlainError as error:
                raise NotPureError(f"its attribute {name} is {error}") from None
        before = dict(self.functions), dict(self.classes), set(self.data), set(self.methods)
        self._attributes_of(methods, constants)
        self.classes[id(original)] = ReadClass(original, methods, constants)
        try:
            keys = [(name, self._function(method, is_method=True)) for name, method in sorted(methods.items())]
        except NotPureError:  # what it reaches is in no key yet, and is read once more where it is met again
            self.functions, self.classes, self.data, self.methods = before
            raise
        return "class", original.__name__, tuple(keys), tuple((name, typed(constants[name])) for name in sorted(constants))

    def _attributes_of(self, methods: dict[str, FunctionType], constants: dict[str, Any]) -> None:
        stored = {name for method in methods.values() for _, name in reads(method).stores}
        data, called = {*constants, *stored}, {name for name in methods if name != "__init__"}
        if both := stored & methods.keys():
            raise NotPureError(f"its method {min(both)} is also an attribute that is set")
        for name in sorted(data | called):
            if known_elsewhere(name):
                raise NotPureError(f"its attribute {name} has a name that other things have as well")
        self.data |= data
        self.methods |= called


def _constant(value: object) -> Any:  # noqa: ANN401  # of any kind
    """A plain constant, nothing in which is undecided. Raises: NotPlainError, also for texts."""
    if has_text(value):
        raise NotPlainError("a text" if isinstance(value, str | bytes) else "a tuple with a text")
    return untyped(typed(value))


def read(function: object) -> Environment:
    """Read a function for a copy (copies.py), in which objections are traps.

    Raises: NotPureError where every call meets one.
    """
    if type(function) is not FunctionType:
        raise NotPureError(f"it uses a {type(function).__name__}, which cannot be read")
    return Environment(function)


def environment(function: object) -> Hashable:
    """All that the function's law depends on besides its arguments, for code that is run as it is.

    Raises: NotPureError where that cannot be told, or where there is an objection to any of its instructions.
    """
    reached = read(function.original_sampler if isinstance(function, Wrapper) else function)
    for one in reached.functions.values():
        for objection in reached.objections(one).values():
            raise NotPureError(objection)
        if one.reads.catches:
            raise NotPureError(f"{one.function.__name__}() handles exceptions")
    if reached.classes:
        raise NotPureError("it makes instances of a class")
    return reached.key
