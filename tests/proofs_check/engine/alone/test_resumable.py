"""A function goes on from the head of a loop: what it needs there, and what it then returns."""

import ast
from collections.abc import Mapping
from types import FunctionType
from typing import Any

import pytest

from finitedp.proofs_check.engine.alone.resumable import resumable

SUM = """
total = 0
while n:
    total += n
    n -= 1
return total
"""
BROKEN = """
total = n
while True:
    if n < 1:
        break
    n -= 1
return total
"""
SET_BY_A_COMPARISON = """
while True:
    if 1 < (m := n):
        n -= m
    else:
        return m
"""
AGAIN = """
found = 0
while n:
    n -= 1
    if n % 2:
        continue
    found += 1
while found:
    found -= 2
return found
"""
MATCHED = """
while True:
    match n:
        case 0:
            return k
    n -= 1
"""
SET_BY_THE_FIRST = """
while True:
    if (m := n) and n > 1:
        n -= m
    else:
        return m
"""
SET_BY_THE_SECOND = """
m = 0
while True:
    if n > 1 and (m := n):
        n -= m
    else:
        return m
"""
ASSERTED = """
while True:
    assert (m := n) >= 0
    if n < 1:
        return m
    n -= 1
"""
EITHER = """
if n < 5:
    while n < 9:
        n += 1
    n = 100
else:
    while n:
        n -= 1
return n
"""


def made(body: str) -> tuple[FunctionType, Mapping[int, tuple[str, ...]]]:
    tree = ast.parse("def f(n):\n" + "".join(f"    {line}\n" for line in body.strip().split("\n"))).body[0]
    assert isinstance(tree, ast.FunctionDef)
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} | {"n"}
    function, live = resumable(tree, names)
    space: dict[str, Any] = {"locals()": locals}
    exec(compile(ast.Module([function], []), "made", "exec"), space)  # noqa: S102
    return space["f"], live


@pytest.mark.parametrize(
    ("body", "live"),
    [
        (SUM, {1: ("n", "total")}),
        (BROKEN, {1: ("n", "total")}),
        (SET_BY_A_COMPARISON, {1: ("n",)}),
        (AGAIN, {1: ("found", "n"), 2: ("found",)}),
        (MATCHED, {1: ("k", "n")}),
        (SET_BY_THE_FIRST, {1: ("n",)}),
        (SET_BY_THE_SECOND, {1: ("m", "n")}),
        (ASSERTED, {1: ("n",)}),
        (EITHER, {1: ("n",), 2: ("n",)}),
    ],
)
def test_which_locals_may_still_be_read_at_a_head(body: str, live: dict[int, tuple[str, ...]]) -> None:
    assert made(body)[1] == live


@pytest.mark.parametrize(
    ("body", "at", "values", "expected"),
    [
        (SUM, 0, {"n": 4}, 10),
        (SUM, 1, {"n": 3, "total": 10}, 16),
        (BROKEN, 0, {"n": 3}, 3),
        (BROKEN, 1, {"n": 2, "total": 7}, 7),
        (SET_BY_A_COMPARISON, 1, {"n": 5}, 0),
        (AGAIN, 0, {"n": 4}, 0),
        (AGAIN, 1, {"n": 2, "found": 1}, 0),
        (AGAIN, 2, {"found": 4}, 0),
        (MATCHED, 1, {"n": 2, "k": 5}, 5),
        (SET_BY_THE_SECOND, 1, {"n": 1, "m": 4}, 4),
        (EITHER, 0, {"n": 2}, 100),
        (EITHER, 0, {"n": 6}, 0),
        (EITHER, 1, {"n": 7}, 100),
        (EITHER, 2, {"n": 3}, 0),
    ],
)
def test_what_is_returned_from_there(body: str, at: int, values: dict[str, int], expected: int) -> None:
    assert made(body)[0](at, values, lambda _number, _at, _values: 0) == expected
