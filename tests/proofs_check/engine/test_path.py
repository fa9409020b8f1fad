"""One run of a program, what is kept of it, and the sums of the probabilities of many."""

from collections.abc import Callable
from typing import Any

import attrs
import pytest
from gmpy2 import mpq

from finitedp.errors import ExplorationError
from finitedp.proofs_check.engine.explorer import Budget, explore
from finitedp.proofs_check.engine.lazy.coins import LazyCoins
from finitedp.proofs_check.engine.lazy.rules import Rules
from finitedp.proofs_check.engine.path import Path, Tally, run_once


def coins(**budget: int) -> LazyCoins:
    return LazyCoins(None, lambda _branch: None, Rules(Budget(**budget), True), 0, None)


def path(output: str, mass: int, *ranges: int) -> Path[str]:
    return Path(output, tuple((1, d, d) for d in ranges), ranges, 0, False, mpq(mass))


def test_probabilities_are_summed_by_output() -> None:
    """Of paths with the same draws and with others, and without any."""
    tally = Tally[str]()
    assert (tally.leaves, tally.probabilities()) == (0, {})
    for output, mass, *ranges in (("a", 1, 2, 3), ("a", 2, 2, 3), ("b", 1, 6), ("a", 3, 3, 2, 2), ("b", 1, 12)):
        tally.add(path(output, mass, *ranges))
    assert tally.leaves == 5
    assert tally.probabilities() == {"a": mpq(3, 6) + mpq(3, 12), "b": mpq(1, 6) + mpq(1, 12)}
    alone = Tally[str]()
    alone.add(path("only", 1))
    assert alone.probabilities() == {"only": 1}


def test_a_path_has_the_product_of_its_draws() -> None:
    found = run_once(lambda c: (c.uniform(5) < 4, c.uniform(7) < 3), coins())
    assert found is not None
    assert (found.probability, found.mass) == (mpq(3 * 5, 5 * 7), mpq(15))
    assert (found.output, found.ranges, found.comparisons, found.decided) == ((True, False), (5, 7), 2, False)
    assert path("x", 1).probability == 1
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        found.mass = mpq(1)  # type: ignore[misc]


def test_draws_that_are_related_have_their_mass_together() -> None:
    """Two of three draws are compared with each other: 6 of their 16 pairs, or 10, and 2 values of the third."""

    def program(c: Any) -> bool:
        first, second, third = c.uniform(4), c.uniform(4), c.uniform(3)
        return bool(third < 3) and bool(first < second)

    found = explore(program, joint=True, keep_paths=True)
    masses = {(one.output, one.mass) for one in found.paths}
    assert masses == {(True, mpq(6 * 2)), (False, mpq(10 * 2)), (False, mpq(16))}
    assert found.resolved == {True: mpq(12, 48), False: mpq(36, 48)}


def forever(c: Any) -> int:
    while True:
        c.uniform(2)


def swallowing(c: Any) -> str:
    try:
        forever(c)
    except BaseException:
        return "swallowed"
    return "never"


@pytest.mark.parametrize("program", [forever, swallowing])
def test_a_run_that_is_too_long_is_no_path(program: Callable[[Any], Any]) -> None:
    assert run_once(program, coins(draws=3)) is None


def test_a_run_that_became_unlikely_is_no_path() -> None:
    rules = Rules(Budget(bits=8), False)
    late = LazyCoins(None, lambda _branch: None, rules, rules.unit >> 3, None)
    assert run_once(lambda c: sum(c.uniform(2) == 1 for _ in range(9)), late) is None
    assert late.put_off


def test_coins_are_closed_behind_a_run_however_it_ended() -> None:
    def raises(c: Any) -> int:
        c.uniform(2)
        raise KeyError

    for program in (lambda c: c.uniform(2), forever, raises):
        used = coins(draws=3)
        try:
            run_once(program, used)
        except KeyError:
            assert program is raises
        assert used.closed
        with pytest.raises(ExplorationError):
            used.uniform(2)


def test_an_output_that_is_a_draw_is_no_question_of_the_code() -> None:
    plain, asked = run_once(lambda c: c.uniform(2), coins()), run_once(lambda c: int(c.uniform(2)), coins())
    assert plain is not None
    assert asked is not None
    assert (plain.output, plain.decided, asked.output, asked.decided) == (asked.output, False, asked.output, True)
