# ruff: noqa: N815  # methods are called as ast.NodeVisitor has it
"""A function that goes on from the head of a loop: its syntax tree, in which each run may begin within a `while`.

A head is where the body of a `while` begins that is in no other block than `while` and `if`: there its locals are a function's
whole state (under a `for` there is its iterator, too). Those count that may still be read.
"""

import ast
from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy

Names = frozenset[str]
_NONE: Names = frozenset()


def resumable(tree: ast.FunctionDef, names: Iterable[str]) -> tuple[ast.FunctionDef, Mapping[int, tuple[str, ...]]]:
    """The function as one of at(), values() and head(), and by the number of a head which locals may still be read there.

    At 0 it begins as the function does, else at the head of this number, with the given locals. head(number, at, locals) is
    called at each head that is come to, with at = number where the run goes on from there, else 0; what it returns is 0.
    Parameters: names, all locals.
    """
    made = deepcopy(tree)
    loops = _Loops(made)
    made.args = ast.arguments([], [ast.arg(name) for name in ("at()", "values()", "head()")], None, [], [], None, [])
    for name in sorted(names):
        setting = ast.Assign([ast.Name(name, ast.Store())], _filled(f"_values[{name!r}]"))
        loops.body.insert(0, ast.If(_filled(f"{name!r} in _values"), [setting], []))
    made.body = loops.body
    return ast.fix_missing_locations(made), loops.live


class _Loops:
    """The loops of a function. live: the locals that may be read, by the number of the head."""

    def __init__(self, tree: ast.FunctionDef) -> None:
        self.live: dict[int, tuple[str, ...]] = {}
        alive = _Alive()
        for statement in reversed(tree.body):
            alive.visit(statement)
        self._alive = alive.at_head
        self.body, _ = self._block(tree.body)

    def _block(self, statements: list[ast.stmt]) -> tuple[list[ast.stmt], list[int]]:
        """The statements, of which those are left out that come before a head that a run begins at; and the heads in there."""
        made: list[ast.stmt] = []
        heads: list[int] = []
        for statement in statements:
            inside = self._heads(statement)
            heads += inside
            made.append(ast.If(_filled(f"_at in {(0, *inside)}"), [statement], []))
        return (made, heads) if heads else (statements, [])

    def _heads(self, statement: ast.stmt) -> list[int]:
        """Change a statement such that a run can begin in it. Returns: the heads in there."""
        if isinstance(statement, ast.If):
            statement.body, first = self._block(statement.body)
            statement.orelse, second = self._block(statement.orelse)
            if first + second:
                text = f"_at in {(*first,)} or _at not in {(*second,)} and _test"
                statement.test = _filled(text, statement.test)
            return first + second
        if isinstance(statement, ast.While):
            number = len(self.live) + 1
            self.live[number] = tuple(sorted(self._alive[statement]))
            statement.body, inside = self._block(statement.body)
            text = f"_at in {(*inside,)} or (_at == {number} or _test) and not (_at := _head({number}, _at, _locals()))"
            statement.test = _filled(text, statement.test)
            return [number, *inside]
        return []


def _filled(text: str, test: ast.expr | None = None) -> ast.expr:
    """An expression in which _at is at() and so on, and _test another one."""

    class Filling(ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> ast.expr:  # as ast.NodeTransformer has it
            return test if test is not None and node.id == "_test" else ast.Name(f"{node.id[1:]}()", node.ctx)

    made: ast.expr = Filling().visit(ast.parse(text, mode="eval").body)
    return made


def _in_order(node: ast.AST) -> tuple[Sequence[ast.AST], int | None]:
    """The parts of a node as they are evaluated, and how many of them are in any case; None where all are."""
    match node:
        case ast.Assign():
            return [node.value, *node.targets], None
        case ast.AnnAssign() | ast.NamedExpr():
            return [node.value, node.target] if node.value else [], None
        case ast.BoolOp():
            return node.values, 1
        case ast.Compare():
            return [node.left, *node.comparators], 2
        case ast.Assert():
            return [node.test, *filter(None, [node.msg])], 1
    return [*ast.iter_child_nodes(node)], None


class _Alive(ast.NodeVisitor):
    """A walk backwards. now: the locals that may be read from here on before they are set. at_head: those, by loop."""

    def __init__(self) -> None:
        self.at_head: dict[ast.AST, Names] = {}
        self.now = self._broken = self._again = _NONE  # the others are those after a break and a continue

    def generic_visit(self, node: ast.AST) -> None:
        self._block(*_in_order(node))

    def _block(self, nodes: Sequence[ast.AST], certain: int | None = None) -> None:
        """Parameters: certain, how many of the nodes are evaluated in any case."""
        for i, node in reversed([*enumerate(nodes)]):
            without = _NONE if certain is None or i < certain else self.now
            self.visit(node)
            self.now |= without

    def visit_Name(self, node: ast.Name) -> None:
        self.now = self.now - {node.id} if isinstance(node.ctx, ast.Store) else self.now | {node.id}

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self.visit(node.value)
        self.now |= _names(node.target)

    def visit_Lambda(self, node: ast.AST) -> None:
        self.now |= _names(node)

    visit_ListComp = visit_FunctionDef = visit_Lambda

    def visit_Match(self, node: ast.Match) -> None:
        self.now |= self._broken | self._again | _names(node)

    def visit_Return(self, node: ast.AST) -> None:
        self.now = _NONE
        self.generic_visit(node)

    visit_Raise = visit_Return

    def visit_Break(self, _node: ast.Break) -> None:
        self.now = self._broken

    def visit_Continue(self, _node: ast.Continue) -> None:
        self.now = self._again

    def visit_If(self, node: ast.If | ast.IfExp) -> None:
        after, ends = self.now, _NONE
        for part in (node.body, node.orelse):
            self.now = after
            self._block(part if isinstance(part, list) else [part])
            ends |= self.now
        self.now = ends
        self.visit(node.test)

    visit_IfExp = visit_If

    def visit_While(self, node: ast.While | ast.For) -> None:
        around, at_end = (self._broken, self._again, self.now), None
        self._block(node.orelse)
        is_endless = isinstance(node, ast.While) and isinstance(node.test, ast.Constant) and bool(node.test.value)
        end, self.now, self._broken = (_NONE if is_endless else self.now), _NONE, around[2]
        while self.now != at_end:
            at_end = self._again = self.now
            self._block(node.body)
            self.at_head[node] = self.now
            if isinstance(node, ast.For):
                self.visit(node.target)
            self.now |= end
            if isinstance(node, ast.While):
                self.visit(node.test)
        self._broken, self._again, _ = around
        if isinstance(node, ast.For):
            self.visit(node.iter)

    visit_For = visit_While


def _names(node: ast.AST) -> Names:
    return frozenset(one.id for one in ast.walk(node) if isinstance(one, ast.Name))
