"""Which functions may be taken alone: those that an allowlist shows to keep nothing, and to read nothing that changes unseen.

A function passes where its code stores locals only, has no closure, no mutable default and no handler of exceptions, and where
every global that it reads is a plain constant, one of the functions below, or a function that passes too. Attributes pass by
name. Everything else does not pass: a list of what is wrong would have holes.
"""

import builtins
import dis
import fractions
import math
import random
import secrets
from collections.abc import Hashable, Iterator
from functools import lru_cache
from types import CodeType, FunctionType, ModuleType
from typing import Any, NamedTuple

import gmpy2

from finitedp.impl.randomness.loops import Stop
from finitedp.proofs_check.engine.alone.keys import NotPlainError, typed

__all__ = ["ATTRIBUTES", "MODULES", "PURE", "NotPureError", "environment"]

_OPERATIONS = """
    CACHE RESUME NOP EXTENDED_ARG PRECALL CALL CALL_FUNCTION_EX KW_NAMES PUSH_NULL POP_TOP COPY SWAP RETURN_VALUE RETURN_CONST
    LOAD_FAST LOAD_FAST_CHECK LOAD_FAST_AND_CLEAR LOAD_FAST_LOAD_FAST STORE_FAST STORE_FAST_LOAD_FAST STORE_FAST_STORE_FAST
    DELETE_FAST LOAD_CONST LOAD_GLOBAL LOAD_ATTR LOAD_METHOD LOAD_ASSERTION_ERROR
    BINARY_OP BINARY_SUBSCR BINARY_SLICE BUILD_SLICE COMPARE_OP CONTAINS_OP IS_OP TO_BOOL
    UNARY_POSITIVE UNARY_NEGATIVE UNARY_NOT UNARY_INVERT
    BUILD_TUPLE BUILD_LIST BUILD_STRING FORMAT_VALUE FORMAT_SIMPLE FORMAT_WITH_SPEC CONVERT_VALUE LIST_APPEND LIST_EXTEND
    LIST_TO_TUPLE CALL_INTRINSIC_1 UNPACK_SEQUENCE GET_ITER FOR_ITER END_FOR MAKE_FUNCTION RAISE_VARARGS
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
    floor ceil trunc sqrt isqrt gcd lcm comb perm factorial fabs log log2 log1p exp expm1 pow inf pi e Fraction mpq mpz
"""
ATTRIBUTES = frozenset(_ATTRIBUTES.split())
"""Names of attributes: of numbers, of coins and generators, and of the modules below."""

MODULES = (math, fractions, gmpy2, random, secrets)
"""The functions of the last two draw from the run's coins while code is explored."""

PURE: frozenset[Any] = frozenset(
    {abs, bool, divmod, float, int, isinstance, len, list, max, min, pow, range, reversed, round, sorted, str, sum, tuple}
    | {fractions.Fraction, gmpy2.mpq, gmpy2.mpz, Stop, math.inf, math.pi, math.e}
    | {getattr(math, name) for name in ATTRIBUTES if hasattr(math, name)}
    | {value for value in vars(builtins).values() if isinstance(value, type) and issubclass(value, Exception)}
)
"""Functions and classes of others that keep nothing."""


class NotPureError(Exception):
    """Why a function does not pass; one line."""


class _Reads(NamedTuple):
    """What the code of a function does and reads: the first objection, and the names of globals."""

    objection: str | None
    names: tuple[str, ...]


def environment(function: object) -> Hashable:
    """All that the function's law depends on besides its arguments: its code and defaults, and the globals that it reads.

    Raises: NotPureError where that cannot be told.
    """
    return _environment(function, set())


def _environment(function: object, seen: set[int]) -> Hashable:
    function = getattr(function, "original_sampler", function)
    if type(function) is not FunctionType:
        raise NotPureError(f"it uses a {type(function).__name__}, which cannot be read")
    code = function.__code__
    if id(code) in seen:
        return "again", code
    seen.add(id(code))
    reads = _reads(code)
    if reads.objection:
        raise NotPureError(reads.objection)
    try:
        defaults = typed(function.__defaults__), typed(tuple(sorted((function.__kwdefaults__ or {}).items())))
    except NotPlainError as error:
        raise NotPureError(f"{function.__name__}() has {error} as a default") from None
    return code, defaults, tuple((name, _global(function, name, seen)) for name in reads.names)


def _global(function: FunctionType, name: str, seen: set[int]) -> Hashable:
    values = function.__globals__
    value = values[name] if name in values else getattr(builtins, name, None)
    if isinstance(value, ModuleType) and value in MODULES:
        return "module", value.__name__
    if _is_pure(value) or getattr(value, "_explored", None) is True:
        return "pure", name, id(value)
    if type(value) is FunctionType or hasattr(value, "original_sampler"):
        return _environment(value, seen)
    try:
        return typed(value)
    except NotPlainError as error:
        raise NotPureError(f"{function.__name__}() reads the global {name}, {error}") from None


def _is_pure(value: object) -> bool:
    try:
        return any(value is one for one in PURE if one == value)
    except Exception:  # an object whose comparison fails is none of them
        return False


@lru_cache(maxsize=1024)
def _reads(code: CodeType) -> _Reads:
    names: list[str] = []
    for one in _codes(code):
        if one.co_freevars or one.co_cellvars:
            return _Reads(f"{one.co_name}() has a closure", ())
        if one.co_flags & ~_FLAGS:
            return _Reads(f"{one.co_name}() is a generator or a coroutine", ())
        for step in dis.get_instructions(one):
            objection = _objection(one, step)
            if objection:
                return _Reads(objection, ())
            if step.opname == "LOAD_GLOBAL" and step.argval not in names:
                names.append(step.argval)
    return _Reads(None, tuple(names))


_FLAGS = 0x01 | 0x02 | 0x04 | 0x08 | 0x10 | 0x40 | 0xFFF0000
"""Optimised, new locals, *args, **kwargs, nested, no free variables; and what __future__ sets."""


def _codes(code: CodeType) -> Iterator[CodeType]:
    """A function's code, and that of the comprehensions and lambdas in it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def _objection(code: CodeType, step: dis.Instruction) -> str | None:
    where = f"{code.co_name}() in {code.co_filename}:{step.positions.lineno if step.positions else '?'}"
    if step.opname not in OPERATIONS:
        return f"{where} does more than to store locals ({step.opname})"
    if step.opname in ("LOAD_ATTR", "LOAD_METHOD") and step.argval not in ATTRIBUTES:
        return f"{where} uses the attribute {step.argval}, which is not among those that are known"
    if step.opname == "MAKE_FUNCTION" and step.arg:
        return f"{where} makes a function with defaults or a closure"
    return None
