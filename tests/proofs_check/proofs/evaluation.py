"""Statements of proofs on numbers, by plain Python and the library as it runs: nothing of the checker takes part."""

import ast
import importlib
import math
import operator
import random
from collections.abc import Callable, Mapping
from dis import opname
from fractions import Fraction
from functools import cache
from itertools import pairwise
from sys import _getframe, gettrace, settrace
from types import FrameType, SimpleNamespace
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
        if name in ("Raises", "Comparisons"):
            return ast.parse(f"_{name.lower()}(lambda: {ast.unparse(node.args[0])})", mode="eval").body
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


def _comparisons(call: Callable[[], Any]) -> int:
    """How many comparisons finitedp's code makes, by its bytecode as it runs; open where it asks for a least or largest."""
    made = 0

    def traced(frame: FrameType, event: str, _: Any) -> Any:  # itself, or None
        nonlocal made
        if not str(frame.f_globals.get("__name__")).startswith("finitedp."):
            return None
        frame.f_trace_opcodes = True
        if event == "opcode":
            made += opname[frame.f_code.co_code[frame.f_lasti]] == "COMPARE_OP"
            if {"min", "max"} & {*frame.f_code.co_names}:
                raise Open
        return traced

    before = gettrace()
    _getframe().f_trace_opcodes = True  # Python 3.12 asks when tracing begins whether any frame wants them
    settrace(traced)
    try:
        call()
    finally:
        settrace(before)
    return made


def named(names: Mapping[str, str]) -> dict[str, Any]:
    """The names that a document declares, as what they are in the library."""
    found: dict[str, Any] = {
        "_divide": _divide,
        "_power": _power,
        "ln": _ln,
        "_comparisons": _comparisons,
        "_raises": _raises,
        "Some": _some,
        "integer": lambda t: t == int(t),
    }
    for name, full in names.items():
        found[name] = getattr(importlib.import_module(full.rpartition(".")[0]), name)
    return found


_NOTHING = (Open, ArithmeticError, ValueError, TypeError, AttributeError, LookupError, NameError, RecursionError)  # is said


def refuted(
    node: Mapping[str, Any], names: Mapping[str, Any], chance: random.Random, points: int, tries: int
) -> dict[str, Any] | None:
    """A point at which the hypotheses of a node hold and a conclusion does not; None where none of the points is one."""
    return looked_at(node, names, chance, points, tries)[1]


def looked_at(
    node: Mapping[str, Any], names: Mapping[str, Any], chance: random.Random, points: int, tries: int
) -> tuple[int, dict[str, Any] | None]:
    """At how many points the hypotheses of a node hold, and one of them at which a conclusion does not, or None."""
    found = 0
    for _ in range(tries):
        try:
            point = _point(node, dict(names), chance)
            if _false(node, dict(names) | point):
                return found + 1, point
            found += 1
        except _NOTHING:
            continue
        if found >= points:
            break
    return found, None


def _point(node: Mapping[str, Any], names: dict[str, Any], chance: random.Random) -> dict[str, Any]:
    """Values at random, of which some are changed so that hypotheses may hold: equal to, or between, what is written there.

    Integers are ints: a power of gmpy2's with an exponent that is a Fraction is no exact one.
    """
    point = {name: _value(kind, chance) for name, kind in node["for"].items()}
    for name, kind in node["for"].items():
        others = [value for other, value in node["for"].items() if value == "int -> int"]
        if kind == "int, int -> int" and others and chance.random() < 0.8:
            point[name] = _inverse(point[next(o for o, value in node["for"].items() if value == "int -> int")])
    known = dict(names)
    for part in node["where"] * chance.choice([1, 3]):
        if isinstance(part, str) and chance.random() < 0.9:
            _repaired(ast.parse(part, mode="eval").body, point, known, chance)
        elif isinstance(part, dict) and "let" in part:
            known[part["let"][0]] = _evaluated(ast.parse(part["let"][1], mode="eval").body, known | point)
        elif isinstance(part, dict) and len(part["for"]) == 1 and chance.random() < 0.9:
            _fitted(part, point, known)
    return {name: int(x) if isinstance(x, Fraction) and x.denominator == 1 else x for name, x in point.items()}


def _repaired(node: ast.AST, point: dict[str, Any], names: dict[str, Any], chance: random.Random) -> None:
    """Make it likely that a comparison holds one side of which is a variable, or one between two others."""
    if not isinstance(node, ast.Compare):
        return
    try:
        _set(node, point, names | point)
    except _NOTHING:
        return
    sides = [node.left, *node.comparators]
    left = node.left
    if isinstance(left, ast.BinOp) and isinstance(left.op, ast.Sub) and isinstance(left.left, ast.Name):  # a - b > t
        sides = [left.left, *(ast.BinOp(other, ast.Add(), left.right) for other in node.comparators)]
    for i, side in enumerate(sides):
        if not (isinstance(side, ast.Name) and type(point.get(side.id)) in (int, Fraction)):
            continue
        try:
            ends = [_evaluated(other, names | point) if j != i else None for j, other in enumerate(sides)]
        except _NOTHING:
            return
        low, high = (ends[i - 1] if i else None), (ends[i + 1] if i + 1 < len(sides) else None)
        op = node.ops[0]
        if isinstance(op, ast.Gt | ast.GtE):
            low, high = high, low
        if isinstance(op, ast.Eq):
            point[side.id] = low if high is None else high
        elif type(point[side.id]) is int and low is not None and high is not None:
            point[side.id] = chance.randint(int(low), max(int(low), int(high)))
        elif type(point[side.id]) is int and (low is not None or high is not None):
            far = chance.choice([0, 0, 0, 1, 1, 1, 2, 3, 9, 100])
            point[side.id] = int(high or 0) - far if low is None else int(low) + far
        return
    read = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
    functions = {name: value for name, value in point.items() if isinstance(value, _Function)}
    tables = [value for name, value in functions.items() if name in read] or [*functions.values()]
    if tables and len(sides) == 2 and isinstance(node.ops[0], ast.Eq) and not isinstance(sides[0], ast.Call):
        table = chance.choice(tables)
        places = chance.choice([[0], [*table.values]])  # a sum of values is made equal by the first of them, or by all
        try:
            off = [_evaluated(sides[0], names | point) - _evaluated(sides[1], names | point)]
            table.values |= {place: table.values[place] + 1 for place in places}
            off.append(_evaluated(sides[0], names | point) - _evaluated(sides[1], names | point))
            table.values |= {place: table.values[place] - 1 - off[0] // (off[1] - off[0]) for place in places}
        except _NOTHING:
            return


def _fitted(part: Mapping[str, Any], point: dict[str, Any], names: Mapping[str, Any]) -> None:
    """Change functions so that a hypothesis with one variable may hold: upwards where it says what f(i + 1) is."""
    (name,) = part["for"]
    nodes = [ast.parse(text, mode="eval").body for text in part["then"]]
    places = range(-2, 15)
    first = nodes[0].left if isinstance(nodes[0], ast.Compare) else None
    upwards = isinstance(first, ast.Call) and not isinstance(first.args[0], ast.Name) and isinstance(nodes[0].ops[0], ast.Eq)
    for i in places if upwards else reversed(places):
        scope = {**names, **point, name: i}
        try:
            if all(_true(text, scope) for text in part["where"]):
                for node in nodes:
                    _set(node, point, scope)
        except _NOTHING:
            continue


def _set(node: ast.AST, point: Mapping[str, Any], scope: Mapping[str, Any]) -> None:
    """Give f(a) the value that it has by f(a) == b, or raise f(b) to where a <= f(b) holds."""
    if not isinstance(node, ast.Compare) or len(node.ops) != 1:
        return
    call, other = node.left, node.comparators[0]
    if isinstance(node.ops[0], ast.LtE):
        call, other = other, call
    known = isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and len(call.args) == 1
    table = point.get(call.func.id) if known else None  # type: ignore[attr-defined]  # a call of a name
    if isinstance(table, _Function) and isinstance(node.ops[0], ast.Eq | ast.LtE):
        place, value = int(_evaluated(call.args[0], scope)), _evaluated(other, scope)  # type: ignore[attr-defined]
        table.values[place] = value if isinstance(node.ops[0], ast.Eq) else max(value, table.values.get(place, value))


def _evaluated(node: ast.expr, scope: Mapping[str, Any]) -> Any:
    return eval(_compiled(ast.unparse(node)), {"__builtins__": _BUILTINS} | dict(scope))  # noqa: S307  # as below


def _value(kind: str, chance: random.Random) -> Any:  # a number or function
    if kind == "int":
        return chance.randint(-1, chance.choice([1, 3, 3, 9, 9, 40, 100]))
    if kind == "rat":
        return _rational(chance, chance.randint(0, 1))
    whole, unit = kind.endswith("int"), chance.randint(0, 1)
    values = {i: _rational(chance, unit) if not whole else Fraction(chance.randint(0, 9)) for i in range(-3, 14)}
    order = chance.choice([-1, 0, 1, 2])
    if order == 2:
        values |= {i: Fraction(math.factorial(i)) for i in range(14)}
    elif order:
        values = dict(zip(range(-3, 14), sorted(values.values(), reverse=order < 0), strict=True))
    return _Function(values)


def _rational(chance: random.Random, unit: int) -> Fraction:
    """A number of 0..1, or one that may be larger."""
    below = chance.randint(1, 6)
    return Fraction(chance.randint(0, below if unit else 12), below)


def _inverse(of: Callable[..., Any]) -> Callable[..., Any]:
    """The least place at which a function is at least its last argument."""

    def value(*arguments: Any) -> int:
        return next((i for i in range(14) if of(i) >= arguments[-1]), 14)

    return value


class _Function:
    """A function that has values at some places."""

    def __init__(self, values: Mapping[int, Fraction]) -> None:
        self.values = dict(values)

    def __call__(self, *arguments: Any) -> Fraction:  # numbers
        place = int(arguments[0]) + 3 * sum(int(a) for a in arguments[1:])
        if place not in self.values:
            raise Open
        found = self.values[place]
        return int(found) if found.denominator == 1 else found  # type: ignore[return-value]


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
    """Whether a hypothesis holds for all values of its variables at which functions have values: those are -3..13."""
    if names:
        return all(_all(part, env | {names[0]: i}, names[1:]) for i in range(-2, 15))
    if not all(_true(text, env) for text in part["where"]):
        return True
    try:
        return all(_true(text, env) for text in part["then"])
    except Open:
        far = env | dict.fromkeys(part["for"], 10**9)
        if not all(_true(text, far) for text in part["where"]):
            raise  # it is about some places only, and at one of these the function has no value
        return True


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
