"""Relations between draws: laws equal to those of plain integers, fewer paths, and what falls back on one draw's values."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
from gmpy2 import mpq

from finitedp.errors import BudgetError, ExplorationError
from finitedp.impl.randomness.coins import Coins
from finitedp.proofs_check.engine.explorer import Budget, explore
from finitedp.proofs_check.engine.lazy import joint
from finitedp.spec.pmf import Pmf
from tests.proofs_check.engine.plain_explorer import plain_law, random_program


def both(program: Callable[[Any], Any]) -> tuple[dict[Any, mpq], int, int]:
    """The law, which is the same with relations and without, and the leaves of either."""
    related, alone = explore(program, joint=True, replay_all=True), explore(program)
    assert related.unresolved == alone.unresolved == 0
    assert related.resolved == alone.resolved
    return dict(related.resolved), related.leaves, alone.leaves


SEEDS = [
    range(12),
    pytest.param(range(12, 150), marks=pytest.mark.deep),
    pytest.param(range(150, 2_000), marks=pytest.mark.full),
]


@pytest.mark.parametrize("seeds", SEEDS, ids=["few", "some", "many"])
def test_random_programs_have_the_law_of_plain_integers(seeds: range) -> None:
    fewer = 0
    for seed in seeds:
        law, related, alone = both(random_program(seed))
        assert law == plain_law(random_program(seed)), seed
        fewer += related < alone
    assert fewer > len(seeds) // 4


def arg_max(coins: Coins) -> int:
    noisy = [count + coins.uniform(50) for count in (3, 1, 2)]
    best = 0
    for i in (1, 2):
        if noisy[i] > noisy[best]:
            best = i
    return best


def test_a_noisy_maximum_has_a_path_for_each_order_that_is_asked_for() -> None:
    law, related, alone = both(arg_max)
    assert (related, alone > 2_000) == (4, True)
    values = [[count + u for u in range(1, 51)] for count in (3, 1, 2)]
    wins = [0, 0, 0]
    for a in values[0]:
        for b in values[1]:
            for c in values[2]:
                wins[2 if c > max(a, b) else 1 if b > a else 0] += 1
    assert law == {i: mpq(won, 50**3) for i, won in enumerate(wins)}


def chained(coins: Coins) -> tuple[bool, ...]:
    x, y, z = (coins.uniform(7) for _ in range(3))
    return x < y, y // 2 <= z, 3 - y > -x, 2 * z == y + 1, y == 4


def circle(coins: Coins) -> tuple[bool, ...]:
    x, y, z = (coins.uniform(6) for _ in range(3))
    return x < y, y < z, z < x + 2


def same_draw(coins: Coins) -> tuple[bool, ...]:
    x = coins.uniform(9)
    return x < 2 * x - 3, x == x + 0, x // 2 < x - 4


def asks_for_a_value(coins: Coins) -> tuple[Any, ...]:
    x, y = coins.uniform(5), coins.uniform(5)
    return x < y, x % 2, y


@pytest.mark.parametrize("program", [chained, circle, same_draw, asks_for_a_value])
def test_chains_circles_and_values(program: Callable[[Any], Any]) -> None:
    assert both(program)[0] == plain_law(program)


def test_an_answer_that_follows_is_no_fork() -> None:
    """x < y and y < z leave no room for z < x: a circle, in which one draw is decided; x < y leaves none for y <= x."""

    def program(coins: Coins) -> tuple[bool, ...]:
        x, y = coins.uniform(1000), coins.uniform(1000)
        return x < y, y <= x, x + 1 <= y, x < 2, y < 2

    found = explore(program, joint=True)
    assert found.leaves == 5
    assert found.law() == Pmf(
        {
            (True, False, True, True, False): 999,
            (True, False, True, False, False): 999 * 1000 // 2 - 999,
            (False, True, False, True, True): 1,
            (False, True, False, False, True): 999,
            (False, True, False, False, False): 999 * 998 // 2 + 999 - 999 + 999 - 999 + 999,
        }
    )


def test_a_branch_without_mass_is_not_run() -> None:
    seen: list[tuple[bool, bool]] = []

    def program(coins: Coins) -> bool:
        x, y = coins.uniform(6), coins.uniform(6)
        first, second = x < y, y > x
        seen.append((first, second))
        if first != second:
            raise AssertionError("a path of probability 0")
        return first

    assert explore(program, joint=True).law() == Pmf({True: 15, False: 21})
    assert set(seen) == {(True, True), (False, False)}


@pytest.mark.deep
def test_draws_of_too_many_values_are_decided_as_before() -> None:
    """Unless they are compared as they are (wide_joint)."""

    def program(d: int) -> Callable[[Coins], bool]:
        return lambda coins: 2 * coins.uniform(d) < coins.uniform(d)

    d = joint.MOST_VALUES
    assert explore(program(d), joint=True).leaves == 2
    assert explore(program(d + 1), Budget(bits=None), joint=True).leaves > d
    with pytest.raises(BudgetError, match="needs the value of a draw that can still take 70000 values"):
        explore(program(70_000), joint=True)


def test_the_draw_with_fewer_values_is_decided() -> None:
    law = Pmf({True: 5 + 6 + 7, False: 3 * 2**70 - 18})
    assert explore(lambda coins: coins.uniform(2**70) < coins.uniform(3) + 5, joint=True).law() == law
    assert explore(lambda coins: coins.uniform(3) + 5 > coins.uniform(2**70), joint=True).law() == law


def test_a_component_does_not_grow_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(joint, "MOST_DRAWS", 3)

    def rising(coins: Coins) -> bool:
        draws = [coins.uniform(3) for _ in range(5)]
        return all(x <= y for x, y in pairwise(draws))

    assert both(rising)[0] == plain_law(rising)


def test_comparisons_count_as_without_relations() -> None:
    def program(coins: Coins) -> tuple[bool, bool]:
        x, y = coins.uniform(3), coins.uniform(3)
        return x < y, x == y

    assert explore(program, joint=True).shapes == explore(program).shapes == {((3, 3), 2), ((3, 3), 3)}
    assert explore(lambda coins: coins.uniform(3) < coins.uniform(3), joint=True).same_cost
    assert not explore(lambda coins: coins.uniform(3) < coins.uniform(3)).same_cost


def test_draws_of_two_runs_are_not_mixed() -> None:
    kept: list[Any] = []

    def keeps(coins: Coins) -> bool:
        kept.append(coins.uniform(4))
        return bool(kept[0] < kept[-1])

    with pytest.raises(ExplorationError, match="mixes draws of two runs"):
        explore(keeps, joint=True)

    with pytest.raises(ExplorationError, match="a draw is used after its run"):
        kept[-1] < 2  # noqa: B015  # a comparison is what decides
