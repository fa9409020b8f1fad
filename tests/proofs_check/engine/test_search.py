"""The bound on open mass: where exploring stops, that finite programs stay exact, and that nothing is lost on the way."""

from collections.abc import Callable
from math import comb
from typing import Any

import pytest
from gmpy2 import mpq

from finitedp.errors import ParameterError
from finitedp.impl.randomness.coins import Coins
from finitedp.proofs_check.engine import search
from finitedp.proofs_check.engine.explorer import Budget, explore
from finitedp.spec.pmf import Pmf
from tests.proofs_check.engine.plain_explorer import plain_law, random_program


def heads(coins: Coins) -> int:
    number = 0
    while coins.uniform(2) == 1:
        number += 1
    return min(number, 3)


@pytest.mark.parametrize("bits", [1, 20, 64, 200])
def test_an_endless_loop_is_followed_to_the_bound_and_no_further(bits: int) -> None:
    found = explore(heads, Budget(bits=bits), replay_all=True)
    assert found.unresolved == mpq(1, 2**bits)
    assert found.leaves == bits
    for number in range(3):
        low, high = found.bounds(number)
        assert low <= mpq(1, 2 ** (number + 1)) <= high


def test_a_likely_tail_takes_more_runs_for_the_same_bound() -> None:
    def thirds(coins: Coins) -> int:
        number = 0
        while coins.uniform(3) > 1:
            number += 1
        return number

    found = explore(thirds, Budget(bits=30))
    assert mpq(1, 2**31) < found.unresolved == mpq(2, 3) ** found.leaves <= mpq(1, 2**30)


def two_loops(coins: Coins) -> bool:
    return heads(coins) > heads(coins)


def test_runs_that_became_unlikely_are_put_off_and_not_lost() -> None:
    """Their prefixes are run again only where the bound asks for it; the laws are those of plain following."""
    for bits in (3, 9, 12):
        found = explore(two_loops, Budget(bits=bits))
        assert found.unresolved <= mpq(1, 2**bits)
        exact = explore(two_loops, Budget(bits=None, draws=40, runs=400))
        for output in (True, False):
            assert found.resolved[output] <= exact.resolved[output] + exact.unresolved
            assert exact.resolved[output] <= found.resolved[output] + found.unresolved


def test_a_run_that_was_put_off_is_taken_up_again() -> None:
    """Each path of eleven fair coins is below the floor of two bits, 2^-10, before it ends."""
    found = explore(lambda coins: sum(coins.uniform(2) == 1 for _ in range(11)), Budget(bits=2))
    assert found.law() == Pmf({k: comb(11, k) for k in range(12)})


@pytest.mark.parametrize("rare", [1, 3_000])
def test_finite_code_stays_exact_however_rare_its_paths(rare: int) -> None:
    d = 2**200

    def program(coins: Coins) -> int:
        u = coins.uniform(d)
        return 0 if u <= d - rare else int(u - (d - rare))

    found = explore(program, Budget())
    assert found.unresolved == 0
    assert found.resolved[0] == 1 - mpq(rare, d)
    assert len(found.resolved) == rare + 1


def test_rare_paths_are_not_followed_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "RARE_RUNS", 10)

    def program(coins: Coins) -> int:
        u = coins.uniform(2**100)
        return 0 if u > 40 else int(u)

    found = explore(program, Budget())
    assert found.leaves == 11
    assert 0 < found.unresolved == 1 - sum(found.resolved.values(), mpq(0)) < mpq(1, 2**64)
    assert explore(program, Budget(bits=None)).unresolved == 0


def test_a_path_that_draws_oftener_than_all_finished_ones_is_left_open() -> None:
    """Else every loop without a bound would be followed on."""
    calls: list[int] = []

    def counted(coins: Coins) -> int:
        calls.append(1)
        return heads(coins)

    explore(counted, Budget())
    assert len(calls) < 90


def test_a_loop_that_never_compares_ends_by_its_draws() -> None:
    def silent(coins: Coins) -> int:
        while True:
            coins.uniform(2)

    assert explore(silent, Budget(draws=7)).unresolved == 1


def test_a_run_that_swallows_its_end_is_put_off_all_the_same() -> None:
    def swallows(coins: Coins) -> str:
        number = 0
        while True:
            try:
                if coins.uniform(2) == 1:
                    return f"after {number}"
                number += 1
            except:  # noqa: E722
                number = -1

    found = explore(swallows, Budget(bits=10))
    assert found.resolved == {f"after {k}": mpq(1, 2 ** (k + 1)) for k in range(10)}


@pytest.mark.parametrize("bits", [64, 5])
@pytest.mark.parametrize("is_joint", [False, True])
def test_random_programs_have_their_law_whatever_the_bound(bits: int, is_joint: bool) -> None:
    for seed in range(5_000, 5_012):
        program: Callable[[Any], Any] = random_program(seed)
        found = explore(program, Budget(bits=bits), joint=is_joint)
        assert found.resolved == plain_law(program)
        assert found.unresolved == 0


def test_bits_are_positive() -> None:
    with pytest.raises(ParameterError, match="budget of bits = 0"):
        Budget(bits=0)
    assert Budget().bits == 64
    assert explore(lambda coins: coins.uniform(2), Budget(bits=None)).law() == Pmf({1: 1, 2: 1})


def test_a_loop_of_exponentially_many_paths_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two different rounds go on, so that 2^-64 would take more than 10^15 runs; what is left open is exact."""
    monkeypatch.setattr(search, "FIRST_LOOK", 64)
    made = list[int]()

    def von_neumann(coins: Coins) -> bool:
        made.append(1)
        while True:
            first, second = coins.uniform(10) == 1, coins.uniform(10) == 1
            if first != second:
                return first

    found = explore(von_neumann, Budget())
    assert len(made) < 4 * search.FIRST_LOOK
    assert 0 < found.unresolved < mpq(1, 2**3)
    assert found.resolved[True] + found.resolved[False] + found.unresolved == 1
    for output in (True, False):
        low, high = found.bounds(output)
        assert low <= mpq(1, 2) <= high


def test_many_paths_of_one_length_are_followed_to_their_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """The open mass shrinks slowly until the last run: no reason to stop."""
    monkeypatch.setattr(search, "FIRST_LOOK", 64)
    size = 1_000
    assert explore(lambda coins: int(coins.uniform(size)) % 2, Budget()).law() == Pmf({0: 1, 1: 1})


def test_who_watches_stops_what_is_explored_inside_too() -> None:
    """A trial of the coins' own loops is explored alone, and would take long."""
    asked = list[float]()

    def stop(open_mass: float) -> bool:
        asked.append(open_mass)
        return len(asked) > 50

    def trial(coins: Coins) -> bool:
        return int(coins.uniform(5_000)) + int(coins.uniform(5_000)) > 7

    found = explore(lambda coins: coins.count_while(trial), Budget(), watch=stop)  # type: ignore[attr-defined]
    assert found.unresolved == 1
    assert 50 < len(asked) < 60
