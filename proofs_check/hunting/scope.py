"""Which instances a statement speaks of: what its type of instances says, or else what all of its grid has in common.

A type of instances says it by a method `check_scope`, which raises OutOfScopeError. Of a type that says nothing the scope is
read off the grid: least values, orders and equations between numbers that hold on all of it. So it is never wider than the
statement's by accident, but it may be narrower, or, on a grid of few instances, wider: what is found there is to be read.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import combinations_with_replacement, permutations
from operator import ge, le
from typing import Any

from gmpy2 import mpq

from finitedp.proofs_check.hunting.instances import is_list, number, parts, replaced
from finitedp.proofs_check.ledger.entry import OutOfScopeError

Number = int | mpq
Numbers = Mapping[str, Number]
Rule = tuple[str, Callable[[Numbers], bool]]
_FEW = 3
"""Instances of which a relation between two numbers says something."""


def is_declared(instance: Any) -> bool:  # noqa: ANN401  # an instance of any kind
    """Whether its type says what is in scope."""
    return hasattr(instance, "check_scope")


def why_out_of_scope(instance: Any, inferred: "InferredScope | None") -> str | None:  # noqa: ANN401  # of any kind
    """Why the statement does not speak of an instance; None where it does."""
    try:
        if is_declared(instance):
            instance.check_scope()
            return None
    except OutOfScopeError as error:
        return str(error) or "out of scope"
    return inferred.broken(instance) if inferred is not None else None


class InferredScope:
    """The rules that hold on every instance of a grid."""

    def __init__(self, grid: Sequence[Any]) -> None:
        self._shapes = {_shape(x) for x in grid}
        self._read: tuple[Any, Numbers] = None, {}
        seen = [_numbers(x) for x in grid]
        names = sorted(set.intersection(*(set(each) for each in seen))) if seen else []
        columns = {name: [each[name] for each in seen] for name in names}
        self.rules: list[Rule] = [rule for name in names for rule in _alone(name, columns[name])]
        self._equations: dict[str, Callable[[Numbers], Number]] = {}
        if len(seen) >= _FEW:
            self.rules += _orders(columns)
            self._equations = dict(_equations(columns))
            self.rules += [(f"{a} follows", _follows(a, of)) for a, of in self._equations.items()]

    def mended(self, instance: Any) -> Any:  # noqa: ANN401  # an instance of any kind
        """The instance with those numbers that follow from others as they follow from them."""
        if not self._equations:
            return instance
        found = self._numbers(instance)
        for name, of in self._equations.items():
            if found[name] != (x := of(found)):
                instance = replaced(instance, tuple(name.split(".")), x)
        return instance

    def broken(self, instance: Any) -> str | None:  # noqa: ANN401  # an instance of any kind
        """The first rule that an instance breaks, in words."""
        if _shape(instance) not in self._shapes:
            return "other parts"
        found = self._numbers(instance)
        for words, rule in self.rules:
            try:
                if not rule(found):
                    return words
            except KeyError:
                return words
        return None

    def _numbers(self, instance: Any) -> Numbers:  # noqa: ANN401  # an instance of any kind
        """As below; the last instance's are kept."""
        if instance is not self._read[0]:
            self._read = instance, _numbers(instance)
        return self._read[1]


def _follows(a: str, of: Callable[[Numbers], Number]) -> Callable[[Numbers], bool]:
    return lambda v: v[a] == of(v)


def _shape(instance: Any) -> tuple[object, ...]:  # noqa: ANN401  # an instance of any kind
    """What no number tells: the type, and texts and laws in it."""
    if not hasattr(instance, "_fields"):
        return (type(instance),)
    others = (
        x for _, x in parts(instance) if number(x) is None and not isinstance(x, tuple) and not any(True for _ in parts(x))
    )
    return type(instance), *map(repr, others)


def _numbers(instance: Any) -> dict[str, Number]:  # noqa: ANN401  # an instance of any kind
    """By name: each number that has a name of its own, and of each tuple its length, sum, ends and order."""
    found = dict[str, Number]()
    _read(instance, "", False, found)
    return found


def _read(value: Any, name: str, in_a_list: bool, found: dict[str, Number]) -> None:  # noqa: ANN401
    x = value if type(value) is int else number(value)
    if x is not None:
        if not in_a_list:
            found[name] = x
        return
    if is_list(value):
        in_a_list = True
        found[f"{name} length"] = len(value)
        values = value if set(map(type, value)) == {int} else [x for x in map(number, value) if x is not None]
        if value and len(values) == len(value):
            found[f"{name} sum"], found[f"{name} least"] = sum(values), min(values)
            found[f"{name} largest"] = max(values)
            found[f"{name} falls"] = int(all(map(ge, values, values[1:])))
            found[f"{name} rises"] = int(all(map(le, values, values[1:])))
            return
    for key, inner in parts(value):
        _read(inner, f"{name}.{key}" if name else str(key), in_a_list, found)


def _alone(name: str, column: Sequence[Number]) -> Iterable[Rule]:
    least, largest = min(column), max(column)
    if name.endswith((" falls", " rises")):
        if least == 1:
            yield f"{name}", lambda x: x[name] == 1
        return
    bound = next((b for b in (2, 1, 0) if least >= b), None)
    if bound is not None:
        yield f"{name} >= {bound}", lambda x: x[name] >= bound
    if least > 0:
        yield f"{name} > 0", lambda x: x[name] > 0
    if least > 1:
        yield f"{name} > 1", lambda x: x[name] > 1
    if largest <= 1 and least >= 0 and any(x.denominator > 1 for x in column):
        yield f"{name} <= 1", lambda x: x[name] <= 1
        if largest < 1:
            yield f"{name} < 1", lambda x: x[name] < 1
    if all(x.denominator == 1 for x in column):
        yield f"{name} is whole", lambda x: x[name].denominator == 1
        if len(set(column)) >= _FEW and least > 1 and all(_is_power_of_two(x) for x in column):
            yield f"{name} is a power of two", lambda x: _is_power_of_two(x[name])
        for way in (0, 1):
            if len(set(column)) >= _FEW and all(_has_parity(x, way) for x in column):
                yield f"{name} is {'odd' if way else 'even'}", partial(_is_of_parity, name, way)
    if least == largest and len(column) >= _FEW:
        yield f"{name} = {least}", lambda x: x[name] == least


def _is_power_of_two(x: Number) -> bool:
    return x.denominator == 1 and x > 0 and int(x) & int(x) - 1 == 0


def _has_parity(x: Number, way: int) -> bool:
    return x.denominator == 1 and int(x) % 2 == way


def _is_of_parity(name: str, way: int, numbers: Numbers) -> bool:
    return _has_parity(numbers[name], way)


def _is_below(a: str, b: str, numbers: Numbers) -> bool:
    return numbers[a] < numbers[b]


def _is_at_most(a: str, b: str, numbers: Numbers) -> bool:
    return numbers[a] <= numbers[b]


def _orders(columns: Mapping[str, Sequence[Number]]) -> list[Rule]:
    """Which number is never above, or always below, which other."""
    found: list[Rule] = []
    for a, b in permutations(_moving(columns), 2):
        pairs = list(zip(columns[a], columns[b], strict=True))
        if all(x < y for x, y in pairs):
            found.append((f"{a} < {b}", partial(_is_below, a, b)))
        elif all(x <= y for x, y in pairs):
            found.append((f"{a} <= {b}", partial(_is_at_most, a, b)))
    return found


def _moving(columns: Mapping[str, Sequence[Number]]) -> list[str]:
    return [name for name, column in columns.items() if len(set(column)) > 1 and not name.endswith((" falls", " rises"))]


def _equations(columns: Mapping[str, Sequence[Number]]) -> Iterator[tuple[str, Callable[[Numbers], Number]]]:
    """Numbers that follow from one or two others, as s g + c or s g h + c."""
    names, known = _moving(columns), set[str]()
    for a in reversed(names):
        if " " in a:
            continue
        for g, h in combinations_with_replacement([*names, ""], 2):
            of = _product(a, g, h, columns) if g and a not in (g, h) and not known & {g, h} else None
            if of is not None:
                known.add(a)
                yield a, of
                break


def _product(a: str, g: str, h: str, columns: Mapping[str, Sequence[Number]]) -> Callable[[Numbers], Number] | None:
    """a as s g h + c, where the grid says so at three different products at least."""
    ones = [mpq(1)] * len(columns[a])
    points = sorted({(mpq(x * y), z) for x, y, z in zip(columns[g], columns.get(h, ones), columns[a], strict=True)})
    if len(points) < _FEW or len({x for x, _ in points}) < len(points):
        return None
    (x0, y0), (x1, y1) = points[0], points[-1]
    slope = (y1 - y0) / (x1 - x0)
    rest = y0 - slope * x0
    if slope == 0 or any(y != slope * x + rest for x, y in points):
        return None
    return lambda v: slope * v[g] * (v[h] if h else 1) + rest
