# ruff: noqa: D102, N815  # methods are called as ast.NodeVisitor has it
"""What code that is taken alone may do: an allowlist of syntax, attributes, modules, functions and globals.

A function is read from its syntax tree. What is allowed stores locals, makes tuples and lists, computes, calls, and sets
attributes of an instance of a class that was read, too. Attributes are allowed by name, globals by value: plain constants, the
functions below, and functions and classes that are read in turn. Everything else is an objection, with its place: a list of
what is wrong would have holes. Texts are an objection, too: what is made with one, by a remainder, an f-string or a method,
may show an object, whose address is another one in each run. (Names of arguments can be read, and show nothing.) Code that is
run as it is must have no objection. The law of a sampler is derived of a copy in which each one is a trap (copies.py), so that
a branch that is never taken does not matter.
"""

import ast
import builtins
import fractions
import math
import random
import sys
from functools import lru_cache
from inspect import CO_ASYNC_GENERATOR, CO_COROUTINE, CO_GENERATOR, CO_ITERABLE_COROUTINE
from types import CodeType, FunctionType, ModuleType
from typing import Any

import gmpy2

from finitedp.impl.randomness.loops import Stop
from finitedp.proofs_check.engine.alone.function_source import codes, tree_of
from finitedp.proofs_check.engine.alone.keys import NotPureError, has_text
from finitedp.proofs_check.engine.alone.untouched import is_as_it_came, is_source, is_stood_in
from finitedp.proofs_check.engine.lazy.coins import LazyCoins
from finitedp.proofs_check.engine.lazy.integers import LazyInt

_SYNTAX = """
    Module FunctionDef Lambda arguments arg Return Delete Assign AugAssign AnnAssign For While If Raise Try Assert Global
    Expr Pass Break Continue Match match_case MatchValue MatchSingleton MatchOr MatchAs
    BoolOp NamedExpr BinOp UnaryOp IfExp ListComp comprehension Compare Call keyword Constant Attribute Subscript Starred Name
    List Tuple Slice Load Store Del
"""
SYNTAX = frozenset(_SYNTAX.split())
"""Kinds of syntax that change nothing but locals, and lists that the code itself made; and all operators."""

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


_OF_PYTHON = "abs bool divmod float int isinstance len list max min pow range reversed round sorted sum tuple"
_FUNCTIONS: tuple[Any, ...] = (
    *(getattr(builtins, name) for name in _OF_PYTHON.split()),
    *(as_int, fractions.Fraction, gmpy2.mpq, gmpy2.mpz, Stop),
    *(getattr(math, name) for name in sorted(ATTRIBUTES) if callable(getattr(math, name, None))),
    *(value for value in vars(builtins).values() if isinstance(value, type) and issubclass(value, Exception)),
)
PURE = {id(value): value for value in _FUNCTIONS}
"""Functions and classes of others that keep nothing, by their ids."""


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


class Reads(ast.NodeVisitor):
    """What a function does, each with its node in the tree.

    objections: what is never allowed, by node, a statement or an expression. names: globals. attributes: those that are read.
    called: what is called at once. stores: attributes of the first argument that are set, with the statement. catches: whether
    it has handlers of exceptions, which no copy has. bound: its locals.
    """

    def __init__(self, code: CodeType, tree: ast.FunctionDef) -> None:
        self.tree = tree
        self.objections: dict[ast.AST, str] = {}
        self.names: list[ast.Name] = []
        self.attributes: list[ast.Attribute] = []
        self.called: set[ast.AST] = set()
        self.stores: list[tuple[ast.AST, str]] = []
        self.catches = False
        self.bound = _bound(code, tree)
        self._code = code
        self._inner: set[str] = set()  # the locals of a function within
        self._inner_function = False
        own = code.co_varnames[: min(code.co_argcount, 1)]
        changed = {getattr(node, "name", None) for node in ast.walk(tree) if node is not tree} | _stored(tree)
        self._self = own[0] if own and own[0] not in changed else None
        self._around: list[ast.AST] = [tree]  # the statements and expressions around a node
        for node in tree.body:
            self.visit(node)

    def _object(self, text: str) -> None:
        self.objections.setdefault(self._around[-1], f"{where(self._code, self._around[-1])} {text}")

    def visit(self, node: ast.AST) -> None:
        is_value = isinstance(node, ast.expr) and not isinstance(node, ast.Starred | ast.Slice) and _is_read(node)
        self._around += [node] if is_value or isinstance(node, ast.stmt) else []
        kind = type(node).__name__
        if kind in SYNTAX or isinstance(node, ast.operator | ast.unaryop | ast.boolop | ast.cmpop):
            super().visit(node)
        else:
            shows = kind in ("JoinedStr", "TemplateStr")
            self._object("shows a value in an f-string" if shows else f"does more than to store locals ({kind})")
        if self._around[-1] is node:
            self._around.pop()

    def visit_Name(self, node: ast.Name) -> None:  # as ast.NodeVisitor has it; so below
        if node.id in self.bound - self._inner and self._inner_function:
            self._object("makes a function with defaults or a closure")
        elif node.id not in self.bound | self._inner and not _is_read(node):
            self._object(f"sets the global {node.id}")
        elif node.id not in self.bound | self._inner:
            self.names.append(node)

    def visit_Call(self, node: ast.Call) -> None:
        self.called.add(node.func)
        self.generic_visit(node)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        own = isinstance(node.value, ast.Name) and node.value.id == self._self and not self._inner_function
        if _is_read(node):
            self.attributes.append(node)
            self.visit(node.value)
        elif own and isinstance(node.ctx, ast.Store) and not node.attr.startswith("__"):
            self.stores.append((self._around[-1], node.attr))
        else:
            self._object(f"sets or deletes the attribute {node.attr}")

    def visit_Subscript(self, node: ast.Subscript) -> None:
        if not _is_read(node):
            self._object("sets or deletes an item")
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        if has_text(node.value):
            self._object(f"has the text {node.value!r:.40}")

    def visit_Compare(self, node: ast.Compare) -> None:
        self.visit(node.left)
        for asked, to in zip(node.ops, node.comparators, strict=True):
            fixed = isinstance(to, ast.Constant) and any(to.value is one for one in (None, True, False))
            if isinstance(asked, ast.Is | ast.IsNot) and not fixed:
                self._object("asks whether two values are one object")
            for part in to.elts if isinstance(asked, ast.In | ast.NotIn) and isinstance(to, ast.Set) else [to]:
                self.visit(part)

    def visit_Try(self, node: ast.Try) -> None:
        self.catches = True
        if node.finalbody:
            self._object("has a block that is run in any case")
        for part in (*node.body, *node.orelse):
            self.visit(part)

    def visit_Global(self, _node: ast.Global) -> None:
        if self._inner_function:
            self._object("sets a global")

    def visit_Lambda(self, node: ast.Lambda | ast.FunctionDef) -> None:
        if self._inner_function or (isinstance(node, ast.FunctionDef) and (node.decorator_list or node.returns)):
            self._object("makes a function within a function, or one that is decorated")
        if any(isinstance(one, ast.expr) for one in ast.walk(node.args)):
            self._object("makes a function with defaults or a closure")
        before = len(self.objections)
        self._inner, self._inner_function = (
            {one.arg for one in ast.walk(node.args) if isinstance(one, ast.arg)} | _stored(node),
            True,
        )
        for part in node.body if isinstance(node.body, list) else [node.body]:
            self.visit(part)
        self._inner, self._inner_function = set(), False
        if objections := [*self.objections.values()][before:]:  # what is no allowed syntax may set a local
            self.objections[self._around[-1]] = objections[0]

    visit_FunctionDef = visit_Lambda


def _is_read(node: ast.AST) -> bool:
    return isinstance(getattr(node, "ctx", ast.Load()), ast.Load)


def _stored(tree: ast.AST) -> set[str]:
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and not _is_read(node)}


def _bound(code: CodeType, tree: ast.AST) -> set[str]:
    """The locals of a function, and those of its comprehensions, which are among them since Python 3.12.

    Raises: NotPureError where one of these may be a global elsewhere in the function.
    """
    targets = [node.target for node in ast.walk(tree) if isinstance(node, ast.comprehension)]
    of_comprehensions = set[str]().union(*map(_stored, targets))
    if both := of_comprehensions.intersection(name for one in codes(code) for name in one.co_names):
        raise NotPureError(f"{code.co_name}() has a comprehension over {min(both)}, which it uses elsewhere as well")
    return {*code.co_varnames, *code.co_cellvars, *of_comprehensions}


def reads(function: FunctionType) -> Reads:
    """What a function does. Raises: NotPureError where no call of it could pass, or where there is no source of it."""
    code = function.__code__
    if code.co_freevars:
        raise NotPureError(f"{code.co_name}() has a closure")
    if code.co_flags & (CO_GENERATOR | CO_COROUTINE | CO_ITERABLE_COROUTINE | CO_ASYNC_GENERATOR):
        raise NotPureError(f"{code.co_name}() is a generator or a coroutine")
    return _reads(code, tree_of(function))


_reads = lru_cache(maxsize=1024)(Reads)


def where(code: CodeType, node: ast.AST) -> str:
    """The place of a node, for an objection."""
    return f"{code.co_name}() in {code.co_filename}:{getattr(node, 'lineno', '?')}"
