"""The syntax tree of a function, from its source: taken only where it compiles to the very code of the function.

The text is the one that tracebacks show (linecache): of a file, a module in an archive, or a notebook's cell. A file that was
changed since it was imported, and code that was rewritten, give another code, and no tree.

Functions that typeguard's decorator has rewritten are read as they were given to it, with the checks apart from them.
The rewritten code imports, looks at its locals and keeps an object of typeguard's, which is no state that could be merged.
What it does is to check arguments and results, and to raise an error. So the function is compiled again from its source,
without the decorator, and taken only if typeguard's own rewriting of it is the code that is there, instruction by instruction;
arguments and results are then checked where the function is called. Code whose variables are checked, too, is not taken.
"""

import __future__

import ast
import inspect
import linecache
import sys
import typing
from collections.abc import Callable, Iterable, Iterator
from copy import deepcopy
from functools import lru_cache, reduce
from operator import or_
from types import CodeType, FunctionType
from typing import Any

from finitedp.proofs_check.engine.alone.keys import NotPureError

_Tree = ast.FunctionDef | ast.Lambda
_FUTURE = reduce(or_, (getattr(__future__, name).compiler_flag for name in __future__.all_feature_names))
_PLACE = inspect.CO_NESTED | 0x8000000
"""Flags that say where a function is defined; the second one says in a class, since Python 3.14."""


def tree_of(function: FunctionType) -> ast.FunctionDef:
    """A function's tree, without what a call does not evaluate: decorators, defaults, annotations, texts that are not used.

    Raises: NotPureError where there is no source, or where it is not that of the function.
    """
    linecache.lazycache(function.__code__.co_filename, function.__globals__)
    return _tree(function.__code__)


@lru_cache(maxsize=1024)
def _tree(code: CodeType) -> ast.FunctionDef:
    for _ in range(2):
        for tree, made in _candidates(code):
            if made.replace(co_flags=made.co_flags & ~_PLACE | code.co_flags & _PLACE) == code:
                return _simplified(tree)
        linecache.checkcache(code.co_filename)  # it may hold a text that is older than the code
    if linecache.getlines(code.co_filename):
        raise NotPureError(
            f"{code.co_name}() is not what its source, {code.co_filename}:{code.co_firstlineno}, compiles to; accepted: a "
            "source as it was imported, and code that no tool has rewritten"
        )
    raise NotPureError(f"{code.co_name}() has no source to be read; accepted: a function in a file, or in a notebook's cell")


def _candidates(code: CodeType) -> Iterator[tuple[_Tree, CodeType]]:
    """The functions of a name and line in the source, and what they compile to."""
    imports, functions = _read("".join(linecache.getlines(code.co_filename)))
    for tree in functions.get((code.co_name, code.co_firstlineno), ()):
        named = deepcopy(tree)
        _name_private(named, code.co_qualname.rpartition(".")[0].rpartition(".")[2].lstrip("_"))
        yield named, compiled(named, code, imports)


@lru_cache(maxsize=64)
def _read(text: str) -> tuple[list[ast.stmt], dict[tuple[str, int], list[_Tree]]]:
    """The imports of a module, whose names are called in their own way; and functions by name and first line."""
    imports: list[ast.stmt] = []
    functions: dict[tuple[str, int], list[_Tree]] = {}
    try:
        waiting: list[tuple[ast.AST, bool]] = [(ast.parse(text), True)]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        waiting = []
    while waiting:
        node, at_top = waiting.pop()
        if isinstance(node, _Tree):
            name, decorators = ("<lambda>", []) if isinstance(node, ast.Lambda) else (node.name, node.decorator_list)
            for line in {node.lineno, *(decorator.lineno for decorator in decorators)}:
                functions.setdefault((name, line), []).append(node)
        if at_top and (isinstance(node, ast.Import) or (isinstance(node, ast.ImportFrom) and node.module != "__future__")):
            imports.append(node)
        at_top = at_top and not isinstance(node, _Tree | ast.AsyncFunctionDef | ast.ClassDef)
        waiting += [(child, at_top) for child in ast.iter_child_nodes(node)]
    return imports, functions


def _name_private(tree: ast.AST, of_class: str) -> None:
    """Give private names the names that they have in the code of a class."""
    for node in ast.walk(tree) if of_class.isidentifier() else ():
        for field in {"id", "attr", "arg", "name"}.intersection(node._fields):
            name = str(getattr(node, field))
            if name.startswith("__") and not name.endswith("__") and node is not tree and not isinstance(node, ast.keyword):
                setattr(node, field, f"_{of_class}{name}")


def _simplified(tree: _Tree) -> ast.FunctionDef:
    if isinstance(tree, ast.Lambda):
        body: list[ast.stmt] = [ast.copy_location(ast.Return(tree.body), tree)]
        tree = ast.copy_location(ast.FunctionDef("<lambda>", tree.args, body, []), tree)
    tree.args.defaults, tree.args.kw_defaults = [], [None] * len(tree.args.kwonlyargs)
    tree.decorator_list, tree.returns = [], None
    setattr(tree, "type_params", [])  # noqa: B010  # since Python 3.12
    for arg in ast.iter_child_nodes(tree.args):
        if isinstance(arg, ast.arg):
            arg.annotation = None
    for node in ast.walk(tree):
        if isinstance(node, ast.AnnAssign):
            node.annotation = ast.Constant(None)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            node.value.value = None
    return ast.fix_missing_locations(tree)


def compiled(tree: _Tree, like: CodeType, imports: Iterable[ast.stmt] = ()) -> CodeType:
    """The code of a function's tree, in the file and with the __future__ of another code."""
    last = ast.copy_location(ast.Expr(tree), tree) if isinstance(tree, ast.Lambda) else tree
    whole = compile(ast.Module([*imports, last], []), like.co_filename, "exec", like.co_flags & _FUTURE, dont_inherit=True)
    return next(code for code in codes(whole) if code.co_name == like.co_name)


def codes(code: CodeType) -> list[CodeType]:
    """A code, and those of the functions in it."""
    inner = [one for constant in code.co_consts if isinstance(constant, CodeType) for one in codes(constant)]
    return [code, *inner]


# What typeguard has rewritten


class Checks:
    """The checks of a function: of arguments by name, and of its result. plain: the function without them."""

    def __init__(self, plain: FunctionType, check: Callable[[Any, Any], Any]) -> None:
        self.plain = plain
        self._hints = typing.get_type_hints(plain)
        self._check = check
        self._signature = inspect.signature(plain)

    def arguments(self, given: tuple[Any, ...], named: dict[str, Any]) -> None:
        """Raises: TypeCheckError, and TypeError for arguments that the function does not have."""
        for name, value in self._signature.bind(*given, **named).arguments.items():
            if name in self._hints:
                self._check(value, self._hints[name])

    def result(self, value: Any) -> None:  # noqa: ANN401  # of any kind
        """Raises: TypeCheckError."""
        if "return" in self._hints:
            self._check(value, self._hints["return"])

    def around(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function with its checks. Parameters: function, what stands for the plain one."""

        def checked(*given: Any, **named: Any) -> Any:  # noqa: ANN401  # as the function
            self.arguments(given, named)
            result = function(*given, **named)
            self.result(result)
            return result

        return checked


def checks_of(function: FunctionType) -> Checks | None:
    """The checks that typeguard has put into a function; None where there are none, or where that cannot be told."""
    if "TypeCheckMemo" not in function.__code__.co_names or "typeguard" not in sys.modules:
        return None
    try:
        checks = _checks_behind(function, function.__code__)
        return checks if checks is not None and _attributes(checks.plain) == _attributes(function) else None
    except Exception:  # no source, another version of typeguard, or annotations that cannot be read
        return None


_ONLY = {"check_argument_types_internal", "check_return_type_internal"}


def _attributes(function: FunctionType) -> list[object]:
    """What a function is given besides its code, by identity: all of it can be exchanged later on."""
    named = [pair for held in (function.__kwdefaults__ or {}, function.__annotations__) for pair in held.items()]
    return [id(function.__defaults__), *((name, id(value)) for name, value in named)]


@lru_cache(maxsize=256)
def _checks_behind(function: FunctionType, rewritten: CodeType) -> Checks | None:
    typeguard = sys.modules["typeguard"]
    rewrite = sys.modules["typeguard._decorators"].instrument
    variadic = function.__code__.co_flags & (inspect.CO_VARARGS | inspect.CO_VARKEYWORDS)
    called = {name for name in function.__code__.co_names if name.startswith("check_")}
    if function.__closure__ or variadic or not called <= _ONLY:
        return None
    linecache.lazycache(rewritten.co_filename, function.__globals__)
    for _, code in _candidates(rewritten):
        if not code.co_freevars:
            plain = FunctionType(code, function.__globals__, function.__name__, function.__defaults__)
            plain.__kwdefaults__, plain.__module__ = dict(function.__kwdefaults__ or {}), function.__module__
            plain.__qualname__, plain.__annotations__ = function.__qualname__, dict(function.__annotations__)
            again = rewrite(plain)
            if type(again) is FunctionType and again.__code__ == rewritten:
                return Checks(plain, typeguard.check_type)
    return None
