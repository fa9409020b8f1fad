"""Statements of proofs on numbers, by plain Python and the library as it runs: nothing of the checker takes part."""

import ast
import importlib
import math
import operator
import random
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import cache
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

from finitedp.errors import FinitedpError

NEAR = 1e-9  # comparisons of logarithms that are nearer are left open


class Open(Exception):  # noqa: N818  # no error
    """A point where the statement says nothing, or cannot be evaluated."""


class Near:
    """A number that is known up to NEAR: what contains a logarithm."""

    def __init__(self, value: float) -> None:
        self.value = value


class _Exact(ast.NodeTransformer):
    """Division and powers by exact functions, Sum by Python's sum."""

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:  # ast's name
        self.generic_visit(node)
        name = {ast.Div: "_divide", ast.Pow: "_power"}.get(type(node.op))
        return ast.Call(ast.Name(name, ast.Load()), [node.left, node.right], []) if name else node

    def visit_Call(self, node: ast.Call) -> ast.AST:  # ast's name
        self.generic_visit(node)
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name == "Raises":
            return ast.parse(f"_raises(lambda: {ast.unparse(node.args[0])})", mode="eval").body
        if name != "Sum":
            return node
        i, low, high, body = map(ast.unparse, node.args)
        return ast.parse(f"sum(({body}) for {i} in range(int({low}), int({high}) + 1))", mode="eval").body


@cache
def _compiled(text: str) -> Any:  # a code object
    tree = ast.Expression(_Exact().visit(ast.parse(text, mode="eval").body))
    return compile(ast.fix_missing_locations(tree), "<statement>", "eval")


def _divide(a: Any, b: Any) -> Any:  # numbers
    return (
        a / b if isinstance(a, float) or isinstance(b, float) else Fraction(int(a) if not isinstance(a, Fraction) else a) / b
    )


def _power(a: Any, b: Any) -> Any:  # numbers
    if abs(b) > 4000 or (abs(b) > 1 and abs(a) > 2**2000):
        raise Open
    return Fraction(a) ** int(b) if b < 0 else a ** int(b)


def _ln(t: Any) -> float:  # a number
    if t <= 0:
        raise Open
    return math.log(t.numerator) - math.log(t.denominator)


class _Some(SimpleNamespace):
    """An object with the fields that are given; others are there, and not to be used. A tuple is one with __getitem__."""

    def __getattr__(self, name: str) -> Any:  # a field
        return 1


def _some(*classes: type, **given: Any) -> Any:  # values
    """Any object with these attributes; of a class, one of which the class says the others."""
    if not classes:
        return _Some(**given)
    return type("Some", classes, {"__init__": lambda _: None, "__slots__": (), **given})()


def _raises(call: Callable[[], Any]) -> bool:
    try:
        call()
    except FinitedpError:
        return True
    return False


def _uncounted(_: Any) -> Any:  # a value
    raise Open


def named(names: Mapping[str, str]) -> dict[str, Any]:
    """The names that a document declares, as what they are in the library."""
    found: dict[str, Any] = {
        "_divide": _divide,
        "_power": _power,
        "ln": _ln,
        "Comparisons": _uncounted,
        "_raises": _raises,
        "Some": _some,
        "integer": lambda t: t == int(t),
    }
    for name, full in names.items():
        found[name] = getattr(importlib.import_module(full.rpartition(".")[0]), name)
    return found


def refuted(
    node: Mapping[str, Any], names: Mapping[str, Any], chance: random.Random, points: int, tries: int
) -> dict[str, Any] | None:
    """A point at which the hypotheses of a node hold and a conclusion does not; None where none of the points is one."""
    found = 0
    for _ in range(tries):
        point = {name: _value(kind, chance) for name, kind in node["for"].items()}
        try:
            if _false(node, dict(names) | point):
                return point
            found += 1
        except (Open, ArithmeticError, ValueError, TypeError, AttributeError, LookupError, NameError, RecursionError):
            continue
        if found >= points:
            break
    return None


def _value(kind: str, chance: random.Random) -> Any:  # a number or function
    if kind == "int":
        return chance.choice([chance.randint(-1, 3), chance.randint(0, 9)])
    if kind == "rat":
        return Fraction(chance.randint(0, 12), chance.randint(1, 6))
    values = {i: Fraction(chance.randint(0, 9), 1 if kind.endswith("int") else chance.randint(1, 3)) for i in range(-3, 14)}
    order = chance.randint(-1, 1)
    if order:
        values = dict(zip(range(-3, 14), sorted(values.values(), reverse=order < 0), strict=True))
    if kind.endswith("int"):
        values = {i: Fraction(int(v)) for i, v in values.items()}
    return _function(values)


def _function(values: Mapping[int, Fraction]) -> Callable[..., Fraction]:
    def value(*arguments: Any) -> Fraction:  # numbers
        place = sum(int(a) for a in arguments)
        if place not in values:
            raise Open
        found = values[place]
        return int(found) if found.denominator == 1 else found  # type: ignore[return-value]

    return value


def _false(node: Mapping[str, Any], env: dict[str, Any]) -> bool:
    for part in node["where"]:
        if isinstance(part, str):
            if not _true(part, env):
                raise Open
        elif "let" in part:
            env[part["let"][0]] = eval(_compiled(part["let"][1]), {"__builtins__": _BUILTINS} | env)  # noqa: S307
        elif not _all(part, env, [*part["for"]]):
            raise Open
    return not all(_true(text, env) for text in node["then"])


def _all(part: Mapping[str, Any], env: dict[str, Any], names: list[str]) -> bool:
    if names:
        return all(_all(part, env | {names[0]: i}, names[1:]) for i in range(-2, 9))
    return not all(_true(text, env) for text in part["where"]) or all(_true(text, env) for text in part["then"])


_BUILTINS = {"min": min, "max": max, "abs": abs, "int": int, "sum": sum, "range": range}


def _true(text: str, env: Mapping[str, Any]) -> bool:
    scope = {"__builtins__": _BUILTINS} | dict(env)
    if "ln(" in text:  # both sides as floats: open where they are near
        node = ast.parse(text, mode="eval").body
        if not isinstance(node, ast.Compare):
            raise Open
        sides = [float(eval(_compiled(ast.unparse(side)), scope)) for side in (node.left, *node.comparators)]  # noqa: S307
        if any(abs(a - b) < NEAR * (1 + abs(a)) for a, b in pairwise(sides)):
            raise Open
        orders = zip(pairwise(sides), node.ops, strict=True)
        return all(_ORDER[type(op)](a, b) for (a, b), op in orders)
    return bool(eval(_compiled(text), scope))  # noqa: S307  # a statement of ours, or one that was changed at one place


_ORDER = {ast.LtE: operator.le, ast.Lt: operator.lt, ast.GtE: operator.ge, ast.Gt: operator.gt, ast.Eq: operator.eq}
