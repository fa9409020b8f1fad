"""Chains of operations on a draw: a threshold is where the value crosses its bound."""

from itertools import product
from typing import Any

from finitedp.proofs_check.engine.lazy.draws import image, threshold

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
