"""Copies of functions in which everything unknown is a trap: what is run alone is a copy, never the function itself.

A copy is compiled from the function's syntax tree, in which whatever is not on the allowlist (allowlist.py) raises an error,
and globals are read from a space that holds nothing but what was found to be harmless: plain constants, known functions and
modules, copies of functions and classes, and the wrappers of other declared samplers. There are no handlers of exceptions. So
a run of a copy that ends without an error did nothing but what is allowed, whichever branches it took, and did what the
function itself would have done on these draws. One that reaches a trap ends the attempt: the sampler is then run inline, as it
is. Branches that no run takes, since they are impossible or too unlikely to be followed, may hold anything: their mass is 0 or
unresolved.

Instances of a copied class cannot be hashed, which would tell their address. Nothing can be shown: a copy has no texts. Names
that the copy has for itself are none that code can write, such as "trap()".
"""

import ast
from collections.abc import Mapping
from copy import deepcopy
from types import FunctionType
from typing import Any, NoReturn

from finitedp.proofs_check.engine.alone.allowlist import as_int
from finitedp.proofs_check.engine.alone.function_source import compiled
from finitedp.proofs_check.engine.alone.keys import NotPureError
from finitedp.proofs_check.engine.alone.reach import Environment, ReadClass, ReadFunction
from finitedp.proofs_check.engine.alone.resumable import resumable


class Copy:
    """A copy of a function with all that it reaches. called: the same with typeguard's checks, if it has some.

    shared: the generators that it reads as globals. resumable, live: as resumable.py makes them of the copy.
    """

    def __init__(self, environment: Environment) -> None:
        self._environment = environment
        self._functions: dict[int, FunctionType] = {}
        self._classes: dict[int, type] = {}
        self.checks = environment.checks
        self.shared = environment.sources()
        first = next(iter(environment.functions.values()))
        self.function = self._function(first)
        self.called = self.checks.around(self.function) if self.checks else self.function
        tree, self.live = resumable(self._tree(first), first.reads.bound)
        self.resumable = FunctionType(compiled(tree, self.function.__code__), self.function.__globals__)

    def _function(self, read: ReadFunction) -> FunctionType:
        original = read.function
        if id(original) not in self._functions:
            space: dict[str, Any] = {"__builtins__": {}, "__name__": original.__module__}
            code = compiled(self._tree(read), original.__code__)
            copy = FunctionType(code, space, original.__name__, original.__defaults__)
            copy.__kwdefaults__ = dict(original.__kwdefaults__) if original.__kwdefaults__ else None
            self._functions[id(original)] = copy
            for name, one in read.named.items():
                if one.kind == "value":
                    space[name] = as_int if one.value is int and name == "int" else one.value
                elif one.kind == "function":
                    space[name] = self._function(self._environment.functions[id(one.value)])
                elif one.kind == "checked":
                    space[name] = one.value.around(self._function(self._environment.functions[id(one.value.plain)]))
                elif one.kind == "class" and id(one.value) in self._environment.classes:
                    space[name] = self._class(self._environment.classes[id(one.value)])
            space |= {"trap()": _trap, "locals()": locals, "int()": int}
        return self._functions[id(original)]

    def _class(self, read: ReadClass) -> type:
        if id(read.original) not in self._classes:
            content: dict[str, Any] = {"__hash__": None, "__repr__": _shown, "__str__": _shown, "__format__": _shown}
            made = self._classes[id(read.original)] = type(read.original.__name__, (), content | read.constants)
            for name, method in read.methods.items():
                setattr(made, name, self._function(self._environment.functions[id(method)]))
        return self._classes[id(read.original)]

    def _tree(self, read: ReadFunction) -> ast.FunctionDef:
        """The tree of the copy."""
        nodes: dict[int, Any] = {}
        reads = read.reads
        tree: ast.FunctionDef = deepcopy(reads.tree, nodes)
        is_int = "int" in read.named and read.named["int"].value is int
        ints = {nodes[id(node)] for node in reads.names if is_int and node.id == "int" and node not in reads.called}
        traps = {nodes[id(node)]: text for node, text in self._environment.objections(read).items()}
        _Trapping(traps, ints).generic_visit(tree)
        # locals they are, whatever was to set them
        tree.body[:0] = [ast.parse(f"{name}: None").body[0] for name in sorted(reads.bound)]
        return ast.fix_missing_locations(tree)


class _Trapping(ast.NodeTransformer):
    """Puts traps in the places of nodes, and the statements of a block with handlers in its place.

    Parameters: traps, with their texts; ints, where int is not called, since a call of int leaves a draw undecided.
    """

    def __init__(self, traps: Mapping[ast.AST, str], ints: set[ast.Name]) -> None:
        self._traps = traps
        self._ints = ints

    def visit(self, node: ast.AST) -> Any:  # noqa: ANN401  # one node or more
        if node not in self._traps:
            return super().visit(node)
        held = [node.value] if isinstance(node, ast.Attribute) else []
        held = [node.left, *node.comparators] if isinstance(node, ast.Compare) else held
        first: list[ast.expr] = [self.visit(one) for one in held]  # a trap in there is met before
        trap = ast.Call(ast.Name("trap()", ast.Load()), [ast.Constant(self._traps[node]), *first], [])
        return ast.copy_location(ast.Raise(trap) if isinstance(node, ast.stmt) else trap, node)

    def visit_Try(self, node: ast.Try) -> list[ast.stmt]:  # as ast.NodeTransformer has it; so below
        node.handlers = []
        self.generic_visit(node)
        return [*node.body, *node.orelse, *node.finalbody]

    def visit_Name(self, node: ast.Name) -> ast.Name:
        return ast.copy_location(ast.Name("int()", ast.Load()), node) if node in self._ints else node


def _trap(objection: str, *_values: object) -> NoReturn:
    raise NotPureError(objection)


def _shown(*_arguments: object) -> NoReturn:
    raise NotPureError("an object that it made is shown, whose address is another one in each run")
