"""What code that is taken alone may do: an allowlist of operations, attributes, modules, functions and globals.

A function is read instruction by instruction. What is allowed stores locals, makes tuples and lists, computes, calls, and sets
attributes of an instance of a class that was read, too. Attributes are allowed by name, globals by value: plain constants, the
functions below, and functions and classes that are read in turn. Everything else is an objection, with its place: a list of
what is wrong would have holes. Texts are an objection, too: what is made with one, by a remainder, an f-string or a method,
may show an object, whose address is another one in each run. (Names of arguments can be read, and show nothing.) Code that is
run as it is must have no objection. The law of a sampler is derived of a copy in which each one is a trap (copies.py), so that
a branch that is never taken does not matter.
"""

import builtins
import dis
import fractions
import math
import random
import sys
from functools import lru_cache
from types import CodeType, ModuleType
from typing import Any, NamedTuple

import gmpy2

from finitedp.impl.randomness.loops import Stop
from finitedp.proofs_check.engine.alone.keys import has_text
from finitedp.proofs_check.engine.alone.surroundings import is_as_it_came, is_source, is_stood_in
from finitedp.proofs_check.engine.lazy.coins import LazyCoins
from finitedp.proofs_check.engine.lazy.integers import LazyInt

__all__ = [
    "ATTRIBUTES",
    "MODULES",
    "PURE",
    "NotPureError",
    "Reads",
    "as_int",
    "is_module",
    "is_pure",
    "known_elsewhere",
    "reads",
    "unknown_attribute",
    "why_not_read",
]

_OPERATIONS = """
    CACHE RESUME NOP EXTENDED_ARG PRECALL CALL CALL_FUNCTION_EX KW_NAMES PUSH_NULL POP_TOP COPY SWAP RETURN_VALUE RETURN_CONST
    LOAD_FAST LOAD_FAST_CHECK LOAD_FAST_AND_CLEAR LOAD_FAST_LOAD_FAST STORE_FAST STORE_FAST_LOAD_FAST STORE_FAST_STORE_FAST
    DELETE_FAST LOAD_CONST LOAD_GLOBAL LOAD_ATTR LOAD_METHOD LOAD_ASSERTION_ERROR
    BINARY_OP BINARY_SUBSCR BINARY_SLICE BUILD_SLICE COMPARE_OP CONTAINS_OP IS_OP TO_BOOL
    UNARY_POSITIVE UNARY_NEGATIVE UNARY_NOT UNARY_INVERT
    BUILD_TUPLE BUILD_LIST LIST_APPEND LIST_EXTEND LIST_TO_TUPLE
    CALL_INTRINSIC_1 UNPACK_SEQUENCE GET_ITER FOR_ITER END_FOR MAKE_FUNCTION RAISE_VARARGS
    JUMP_FORWARD JUMP_BACKWARD JUMP_BACKWARD_NO_INTERRUPT JUMP_IF_FALSE_OR_POP JUMP_IF_TRUE_OR_POP
    POP_JUMP_FORWARD_IF_FALSE POP_JUMP_FORWARD_IF_TRUE POP_JUMP_BACKWARD_IF_FALSE POP_JUMP_BACKWARD_IF_TRUE
    POP_JUMP_FORWARD_IF_NONE POP_JUMP_FORWARD_IF_NOT_NONE POP_JUMP_BACKWARD_IF_NONE POP_JUMP_BACKWARD_IF_NOT_NONE
    POP_JUMP_IF_FALSE POP_JUMP_IF_TRUE POP_JUMP_IF_NONE POP_JUMP_IF_NOT_NONE
"""
OPERATIONS = frozenset(_OPERATIONS.split())
"""Operations of the interpreter that change nothing but the stack, the locals, and lists that the code itself made."""

_ATTRIBUTES = """
    numerator denominator real imag bit_length bit_count limit_denominator is_integer as_integer_ratio
    uniform bits geometric count_while chain
    random getrandbits randbits randrange randint randbelow choice choices sample binomial integers permutation
    SystemRandom default_rng
    floor ceil trunc sqrt isqrt gcd lcm comb perm factorial fabs log log2 log1p exp expm1 pow inf pi e Fraction mpq mpz
    isnan isinf isfinite iinfo int64 max min getpid
"""
ATTRIBUTES = frozenset(_ATTRIBUTES.split())
"""Names of attributes: of numbers, of coins and generators, and of the modules below."""

MODULES = {"math", "fractions", "gmpy2", "random", "secrets", "numpy", "os"}
"""Of os only getpid is known, which is the same for as long as a process lives."""

STOOD_IN = {"random", "secrets", "numpy"}
"""Their functions draw from the run's coins while the stand-ins are in their places, and only then."""


def as_int(*arguments: Any, **named: Any) -> Any:  # noqa: ANN401  # as int
    """int(): of a draw that is not decided it is the same draw."""
    if len(arguments) == 1 and not named:
        (value,) = arguments
        if type(value) is LazyInt:
            return value
        if getattr(type(value), "_holds_lazy", False) is True and hasattr(type(value), "as_int"):
            return value.as_int()
    return int(*arguments, **named)


_FUNCTIONS: tuple[Any, ...] = (
    *(
        abs,
        bool,
        divmod,
        float,
        int,
        isinstance,
        len,
        list,
        max,
        min,
        pow,
        range,
        reversed,
        round,
        sorted,
        sum,
        tuple,
        as_int,
    ),
    *(fractions.Fraction, gmpy2.mpq, gmpy2.mpz, Stop),
    *(getattr(math, name) for name in sorted(ATTRIBUTES) if callable(getattr(math, name, None))),
    *(value for value in vars(builtins).values() if isinstance(value, type) and issubclass(value, Exception)),
)
PURE = {id(value): value for value in _FUNCTIONS}
"""Functions and classes of others that keep nothing, by their ids."""


class NotPureError(Exception):
    """Why a function does not pass; one line."""


class Reads(NamedTuple):
    """What the instructions of one piece of code do, each with its offset.

    objections: what is never allowed. names: globals, and whether they are called at once. attributes: names of attributes,
    and whether they are called at once. stores: attributes of self that are set.
    """

    objections: tuple[tuple[int, str], ...]
    names: tuple[tuple[int, str, bool], ...]
    attributes: tuple[tuple[int, str, bool], ...]
    stores: tuple[tuple[int, str], ...]


def is_pure(value: object) -> bool:
    """Whether a global is one of the known functions, or draws from the run's coins and has nothing of its own."""
    if value is random.SystemRandom:
        return is_stood_in()
    return id(value) in PURE or is_source(value)


def is_module(value: object) -> bool:
    """Whether a global is one of the known modules, whose functions draw from nothing but the run's coins."""
    if not isinstance(value, ModuleType) or value.__name__ not in MODULES or sys.modules.get(value.__name__) is not value:
        return False
    return (value.__name__ not in STOOD_IN or is_stood_in()) and is_as_it_came(value, ATTRIBUTES)


def known_elsewhere(name: str) -> bool:
    """Whether a name that a class gives an attribute of its own is also one of something else that code may hold."""
    if name in ATTRIBUTES or name in _OF_TEXTS:
        return name in _OF_TEXTS
    from finitedp.proofs_check.engine.stand_ins.standard import StandIn  # noqa: PLC0415  # for audits only

    modules = [sys.modules[module] for module in MODULES if module in sys.modules]
    return any(hasattr(thing, name) for thing in (*modules, *_KINDS, StandIn))


_KINDS = (LazyInt, LazyCoins, random.SystemRandom, Stop, type)
_OF_TEXTS = {"format", "format_map"}
"""These read attributes by names in a text. Other methods of immutable values, and of lists of the code itself, are pure."""


def why_not_read(code: CodeType) -> str | None:
    """Why no call of a function could pass."""
    if code.co_freevars or code.co_cellvars:
        return f"{code.co_name}() has a closure"
    return f"{code.co_name}() is a generator or a coroutine" if code.co_flags & ~_FLAGS else None


_FLAGS = 0x01 | 0x02 | 0x04 | 0x08 | 0x10 | 0x40 | 0xFFF0000
"""Optimised, new locals, *args, **kwargs, nested, no free variables; and what __future__ sets."""
_PUSHES_NULL = 1
"""The bit of LOAD_GLOBAL in CPython 3.11 that says that the value is called."""


@lru_cache(maxsize=1024)
def reads(code: CodeType) -> Reads:
    """What a piece of code does, without the pieces that are its constants."""
    steps = list(dis.get_instructions(code))
    objections: list[tuple[int, str]] = []
    names: list[tuple[int, str, bool]] = []
    attributes: list[tuple[int, str, bool]] = []
    stores: list[tuple[int, str]] = []
    for before, step in zip([None, *steps], steps, strict=False):
        if step.opname == "STORE_ATTR" and _stores_in_self(code, steps, before, step):
            stores.append((step.offset, step.argval))
        elif objection := _objection(before, step):
            objections.append((step.offset, f"{_where(code, step)} {objection}"))
        elif step.opname == "LOAD_GLOBAL":
            names.append((step.offset, step.argval, bool((step.arg or 0) & _PUSHES_NULL)))
        elif step.opname in ("LOAD_ATTR", "LOAD_METHOD"):
            attributes.append((step.offset, step.argval, step.opname == "LOAD_METHOD"))
    if why_not := why_not_read(code):
        objections.insert(0, (0, why_not))
    return Reads(tuple(objections), tuple(names), tuple(attributes), tuple(stores))


def unknown_attribute(code: CodeType, offset: int, name: str) -> str:
    """The objection to an attribute."""
    step = next(step for step in dis.get_instructions(code) if step.offset == offset)
    return f"{_where(code, step)} uses the attribute {name}, which is not among those that are known"


def _where(code: CodeType, step: dis.Instruction) -> str:
    return f"{code.co_name}() in {code.co_filename}:{step.positions.lineno if step.positions else '?'}"


def _objection(before: dis.Instruction | None, step: dis.Instruction) -> str | None:
    if step.opname.startswith(("FORMAT_", "CONVERT_VALUE")):
        return "shows a value in an f-string"
    if step.opcode in dis.hasconst and step.opname != "KW_NAMES" and has_text(step.argval):
        return f"has the text {step.argval!r:.40}"
    if step.opname not in OPERATIONS:
        return f"does more than to store locals ({step.opname})"
    if step.opname == "MAKE_FUNCTION" and step.arg:
        return "makes a function with defaults or a closure"
    if step.opname == "IS_OP":
        constant = (
            before is not None and before.opname == "LOAD_CONST" and any(before.argval is one for one in (None, True, False))
        )
        if not constant or step.is_jump_target:
            return "asks whether two values are one object"
    return None


def _stores_in_self(
    code: CodeType, steps: list[dis.Instruction], before: dis.Instruction | None, step: dis.Instruction
) -> bool:
    """Whether an attribute is set of the first argument, which the code never sets itself."""
    if not code.co_argcount or before is None or step.is_jump_target or str(step.argval).startswith("__"):
        return False
    own = code.co_varnames[0]
    rebound = any(one.opname in ("STORE_FAST", "DELETE_FAST") and one.argval == own for one in steps)
    return before.opname == "LOAD_FAST" and before.argval == own and not rebound
