"""Chains of operations: a threshold on the draw is where the value crosses its bound; and the line that asks."""

from itertools import product
from typing import Any

import pytest

from finitedp.errors import BudgetError
from finitedp.proofs_check.engine.explorer import explore
from finitedp.proofs_check.engine.lazy.chains import caller_line, image, line_of, threshold

OPERATIONS: list[tuple[str, Any]] = [("+", 3), ("+", -2), ("*", 3), ("//", 2), ("//", 3), ("-", 0)]


def test_thresholds_are_where_the_value_crosses_its_bound() -> None:
    for chain in product(OPERATIONS, repeat=2):
        for bound in range(-12, 13):
            t, negated = threshold(chain, bound)
            for x in range(-9, 10):
                assert (image(chain, x) < bound) == ((x < t) != negated), (chain, bound, x)


def test_tables_are_counted_from_one() -> None:
    table = (-4, 0, 1, 7)
    for more in ((), (("-", 0),), (("+", 2), ("*", 2))):
        chain = (("table", table), *more)
        assert image(chain, 1) == image(more, -4)
        assert image(chain, 4) == image(more, 7)
        for bound in range(-20, 21):
            t, negated = threshold(chain, bound)
            for x in range(1, 5):
                assert (image(chain, x) < bound) == ((x < t) != negated)


def test_values_by_hand() -> None:
    assert image((("+", 3), ("*", 2), ("//", 3), ("-", 0)), 4) == -4
    assert threshold((("*", 3),), 7) == (3, False)
    assert threshold((("//", 3), ("-", 0)), 0) == (3, True)


def test_the_line_that_asks_is_one_outside_of_the_explorer() -> None:
    assert caller_line().startswith(f"in test_the_line_that_asks_is_one_outside_of_the_explorer, {__file__}:")

    def asks(coins: Any) -> int:
        return int(coins.uniform(2**70))

    with pytest.raises(BudgetError, match=rf"^in asks, .*test_chains\.py:{asks.__code__.co_firstlineno + 1} needs"):
        explore(asks)


def test_an_error_of_code_without_a_line_is_named_by_the_line_that_called_it() -> None:
    with pytest.raises(TypeError) as caught:
        threshold((("+", None),), 1)
    assert line_of(caught.value).startswith("in test_an_error_of_code_without_a_line")
    caught.value.__traceback__ = caught.tb.tb_next
    assert line_of(caught.value).startswith("in threshold, ")
