"""Copies of functions in which everything unknown is a trap: what is run alone is a copy, never the function itself.

In a copy each instruction that is not on the allowlist (pure_code.py) is overwritten by one that raises an error, and globals
are read from a space that holds nothing but what was found to be harmless: plain constants, known functions and modules,
copies of functions and classes, and the wrappers of other declared samplers. There are no handlers of exceptions. So a run of
a copy that ends without an error did nothing but what is allowed, whichever branches it took, and did what the function itself
would have done on these draws. One that reaches a trap ends the attempt: the sampler is then run inline, as it is. Branches
that no run takes, since they are impossible or too unlikely to be followed, may hold anything: their mass is 0 or unresolved.

Instances of a copied class cannot be hashed, which would tell their address. Nothing can be shown: a copy has no texts.
"""

import dis
from types import CodeType, FunctionType, TracebackType
from typing import Any, NoReturn

from finitedp.proofs_check.engine.alone.environments import Environment, ReadClass, ReadFunction
from finitedp.proofs_check.engine.alone.pure_code import NotPureError, as_int

__all__ = ["Copy", "Objections", "why_trapped"]

_UNIT = 2  # bytes of an instruction
_TRAP = bytes([dis.opmap["RAISE_VARARGS"], 0])
"""To raise again what is being handled: an error wherever it is reached, and the end of the way for who reads the code."""
_LOAD_GLOBAL = dis.opmap["LOAD_GLOBAL"]
_FEW = 120
"""Names up to which LOAD_GLOBAL is one unit; in CPython 3.11 the lowest bit of its argument says that the value is called."""
_INT = "int()"
"""The name of what stands in for int where it is called."""


Objections = dict[tuple[str, str, int | None], str]
"""By file, function and line: what the traps there stand for, in all copies."""


def why_trapped(error: BaseException, objections: Objections) -> str | None:
    """The objection that the run of a copy met, if that is why it ended."""
    last: TracebackType | None = error.__traceback__
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    if last is None:
        return None
    code = last.tb_frame.f_code
    return objections.get((code.co_filename, code.co_name, last.tb_lineno))


class Copy:
    """A copy of a function with all that it reaches. called: the same with typeguard's checks, if it has some.

    shared: the generators that it reads as globals.
    """

    def __init__(self, environment: Environment, objections: "Objections") -> None:
        self._environment = environment
        self._objections = objections
        self._functions: dict[int, FunctionType] = {}
        self._classes: dict[int, type] = {}
        self.checks = environment.checks
        self.shared = environment.sources()
        self.function = self._function(next(iter(environment.functions.values())))
        self.called = self.checks.around(self.function) if self.checks else self.function

    def _function(self, read: ReadFunction) -> FunctionType:
        original = read.function
        if id(original) not in self._functions:
            space: dict[str, Any] = {"__builtins__": {}, "__name__": original.__module__, _INT: as_int}
            copy = FunctionType(self._code(read, original.__code__), space, original.__name__, original.__defaults__)
            copy.__kwdefaults__ = dict(original.__kwdefaults__) if original.__kwdefaults__ else None
            self._functions[id(original)] = copy
            for name, one in read.named.items():
                if one.kind == "value":
                    space[name] = one.value
                elif one.kind == "function":
                    space[name] = self._function(self._environment.functions[id(one.value)])
                elif one.kind == "checked":
                    space[name] = one.value.around(self._function(self._environment.functions[id(one.value.plain)]))
                elif one.kind == "class" and id(one.value) in self._environment.classes:
                    space[name] = self._class(self._environment.classes[id(one.value)])
        return self._functions[id(original)]

    def _class(self, read: ReadClass) -> type:
        if id(read.original) not in self._classes:
            content: dict[str, Any] = {"__hash__": None, "__repr__": _shown, "__str__": _shown, "__format__": _shown}
            made = self._classes[id(read.original)] = type(read.original.__name__, (), content | read.constants)
            for name, method in read.methods.items():
                setattr(made, name, self._function(self._environment.functions[id(method)]))
        return self._classes[id(read.original)]

    def _code(self, read: ReadFunction, code: CodeType) -> CodeType:
        content = bytearray(code.co_code)
        lines = {offset: line for start, end, line in code.co_lines() for offset in range(start, end, _UNIT)}
        for offset, objection in self._environment.objections(read, code).items():
            self._objections.setdefault((code.co_filename, code.co_name, lines.get(offset)), objection)
            _set_trap(content, offset)
        names = code.co_names
        if "int" in read.named and read.named["int"].value is int and len(names) < _FEW:
            names = (*names, _INT)
            for step in dis.get_instructions(code):
                if content[step.offset] == _LOAD_GLOBAL and step.argval == "int" and step.arg == names.index("int") << 1 | 1:
                    content[step.offset + 1] = (len(names) - 1) << 1 | 1
        inner = tuple(self._code(read, one) if isinstance(one, CodeType) else one for one in code.co_consts)
        return code.replace(co_code=bytes(content), co_names=names, co_consts=inner, co_exceptiontable=b"")


def _set_trap(content: bytearray, offset: int) -> None:
    content[offset : offset + _UNIT] = _TRAP
    while offset >= _UNIT and content[offset - _UNIT] == dis.opmap["EXTENDED_ARG"]:
        offset -= _UNIT
        content[offset : offset + _UNIT] = _TRAP


def _shown(*_arguments: object) -> NoReturn:
    raise NotPureError("an object that it made is shown, whose address is another one in each run")
