"""Draws beside numpy's integers: each result has numpy's type and range, as where the draw is a plain integer."""

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from gmpy2 import mpq

from finitedp import PrivacyClaim, audit
from finitedp.proofs_check.engine.explorer import explore

OPERATIONS: dict[str, Callable[[Any, Any], Any]] = {
    **{name: getattr(operator, name) for name in ("add", "sub", "mul", "floordiv", "mod", "and_", "or_", "xor", "lshift")},
    **{name: getattr(operator, name) for name in ("rshift", "lt", "le", "gt", "ge", "eq", "ne")},
    "divmod": lambda x, y: divmod(x, y)[1],
    "pow": pow,
    "max": max,
}
NUMBERS = [np.int64(2), np.int8(100), np.uint8(1), np.uint64(3)]


def told(value: object) -> tuple[str, str]:
    return value.__class__.__name__, repr(value)


@pytest.mark.parametrize("other", NUMBERS, ids=repr)
@pytest.mark.parametrize("reflected", [False, True])
@pytest.mark.parametrize("name", OPERATIONS)
def test_a_result_is_that_of_the_plain_integer(name: str, reflected: bool, other: Any) -> None:
    def result(drawn: int) -> tuple[str, str]:
        with np.errstate(all="ignore"):
            try:
                return told(OPERATIONS[name](other, drawn) if reflected else OPERATIONS[name](drawn, other))
            except (OverflowError, ValueError) as error:
                return told(type(error))

    expected: dict[tuple[str, str], mpq] = {}
    for drawn in range(1, 31):
        expected[result(drawn)] = expected.get(result(drawn), mpq(0)) + mpq(1, 30)
    assert explore(lambda coins: result(coins.uniform(30))).resolved == expected


LEAKS: dict[str, Callable[[Any], Any]] = {
    "sum": lambda u: u + np.int64(0),
    "difference": lambda u: np.int64(1) - u,
    "comparison": lambda u: u <= np.int64(1),
    "equality": lambda u: u == np.int64(2),
    "quotient": lambda u: u // np.int64(1),
}
PLAIN: dict[str, Callable[[Any], Any]] = {
    "sum": lambda u: u + 0,
    "difference": lambda u: 1 - u,
    "comparison": lambda u: u <= 1,
    "equality": lambda u: u == 2,
    "quotient": lambda u: u // 1,
}


@pytest.mark.parametrize("name", LEAKS)
def test_a_type_that_tells_the_input_is_seen(name: str) -> None:
    def mechanism(count: int, coins: Any) -> Any:
        return (LEAKS if count else PLAIN)[name](coins.uniform(2))

    assert audit(mechanism, PrivacyClaim(0, "counts"), n=1).private == "fails"
    assert audit(lambda _count, coins: LEAKS[name](coins.uniform(2)), PrivacyClaim(0, "counts"), n=1).private == "holds"
