"""The line of the explored code that asks, or raised an error."""

from typing import Any

import pytest

from finitedp.errors import BudgetError, ExplorationError
from finitedp.proofs_check.audit.laws import explored
from finitedp.proofs_check.engine.explorer import Budget, explore
from finitedp.proofs_check.engine.lazy.draws import threshold
from finitedp.proofs_check.engine.lazy.frames import caller_line, line_of


def test_the_line_that_asks_is_one_outside_of_the_explorer() -> None:
    assert caller_line().startswith(f"in test_the_line_that_asks_is_one_outside_of_the_explorer, {__file__}:")

    def asks(coins: Any) -> int:
        return int(coins.uniform(2**70))

    with pytest.raises(BudgetError, match=rf"^in asks, .*test_frames\.py:{asks.__code__.co_firstlineno + 1} needs"):
        explore(asks)


def test_where_an_output_asks_it_is_the_output() -> None:
    with pytest.raises(ExplorationError, match=r"^at the input 0: the output needs the value of a draw"):
        explored(lambda _data, coins: [coins.uniform(2**70)], 0, "coins", "tuple", Budget())


def test_an_error_of_code_without_a_line_is_named_by_the_line_that_called_it() -> None:
    with pytest.raises(TypeError) as caught:
        threshold((("+", None),), 1)
    assert line_of(caught.value).startswith("in test_an_error_of_code_without_a_line")
    caught.value.__traceback__ = caught.tb.tb_next
    assert line_of(caught.value).startswith("in threshold, ")
