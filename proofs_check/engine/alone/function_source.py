"""The syntax tree of a function, from its source: taken only where it compiles to the very code of the function.

The text is the one that tracebacks show (linecache): of a file, a module in an archive, or a notebook's cell. A file that was
changed since it was imported, and code that was rewritten, give another code, and no tree.
"""

import __future__

import ast
import linecache
from collections.abc import Iterable, Iterator
from copy import deepcopy
from functools import lru_cache, reduce
from inspect import CO_NESTED
from operator import or_
from types import CodeType, FunctionType

from finitedp.proofs_check.engine.alone.keys import NotPureError

__all__ = ["candidates", "codes", "compiled", "tree_of"]

_Tree = ast.FunctionDef | ast.Lambda
_FUTURE = reduce(or_, (getattr(__future__, name).compiler_flag for name in __future__.all_feature_names))
_PLACE = CO_NESTED | 0x8000000
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
        for tree, made in candidates(code):
            if made.replace(co_flags=made.co_flags & ~_PLACE | code.co_flags & _PLACE) == code:
                return _simplified(tree)
        linecache.checkcache(code.co_filename)  # it may hold a text that is older than the code
    if linecache.getlines(code.co_filename):
        raise NotPureError(
            f"{code.co_name}() is not what its source, {code.co_filename}:{code.co_firstlineno}, compiles to; accepted: a "
            "source as it was imported, and code that no tool has rewritten"
        )
    raise NotPureError(f"{code.co_name}() has no source to be read; accepted: a function in a file, or in a notebook's cell")


def candidates(code: CodeType) -> Iterator[tuple[_Tree, CodeType]]:
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
    except (SyntaxError, ValueError, RecursionError):
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
