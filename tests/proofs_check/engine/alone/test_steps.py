"""Where a run is stopped, and what is decided there."""

import sys
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import pytest
from gmpy2 import mpq

from finitedp.proofs_check.engine.alone import steps
from finitedp.proofs_check.engine.alone.keys import NotPlainError, check_short
from finitedp.proofs_check.engine.lazy.coins import LazyCoins
from finitedp.proofs_check.engine.lazy.rules import Rules
from finitedp.proofs_check.engine.stand_ins.exploring import exploring
from finitedp.spec.pmf import Pmf
from tests.proofs_check.engine.alone import samplers
from tests.proofs_check.engine.alone.test_declared_samplers import found, taken


def test_what_is_decided_takes_few_forks() -> None:
    coins: Any = LazyCoins(None, lambda _decision: None, Rules(), 0, None)
    short, long, endless = coins.uniform(4_096), coins.uniform(4_097), coins.endless(mpq(1, 2), mpq(1))
    tiny = coins.uniform(2_000)
    moved = short + 10**6
    for value in (short, moved, endless, 3, "long", (short, (moved,)), (), Fraction(1, 2) + tiny, Fraction(1, 3)):
        check_short(value)
    for value in (long, long - 5_000, (short, (long,)), Fraction(1, 3) + long, (Fraction(1, 7) - long,)):
        with pytest.raises(NotPlainError, match="a draw that can still take"):
            check_short(value)
    half = Fraction(7, 3)
    half._denominator = long  # type: ignore[attr-defined]
    with pytest.raises(NotPlainError):
        check_short(half)


def test_nothing_is_decided_for_a_state_that_is_none() -> None:
    coins: Any = LazyCoins(None, lambda _decision: None, Rules(), 0, None)
    run: Any = steps.Steps.__new__(steps.Steps)
    run._copy = SimpleNamespace(shared=())
    short, long = coins.uniform(4), coins.uniform(4_097)
    assert run._state_at(1, {"short": short, "long": long}, coins) is None
    assert not coins.decided
    assert run._state_at(1, {"short": short}, coins) is not None
    assert coins.decided


def test_a_trap_at_the_head_of_a_loop_ends_the_attempt() -> None:
    law = found(lambda coins: samplers.trapped_at_once(coins), samplers.trapped_at_once)
    assert "reads the global log, a list" in (taken(law)["trapped_at_once"] or "")
    assert law.resolved[0] == mpq(1, 4)


def test_a_long_draw_that_a_loop_carries_is_left_undecided() -> None:
    law = found(lambda coins: samplers.carries_a_long_draw(coins), samplers.carries_a_long_draw, bits=16)
    assert taken(law) == {"carries_a_long_draw": None}
    low, high = law.bounds(True)
    assert low <= mpq(1, 4) <= high
    assert law.unresolved < mpq(1, 2**16)


def test_a_loop_that_carries_what_is_no_plain_value_is_followed_path_by_path() -> None:
    law = found(lambda coins: samplers.carries_a_list(coins), samplers.carries_a_list, bits=8)
    assert taken(law) == {"carries_a_list": None}
    assert [law.resolved[k] for k in range(8)] == [mpq(1, 2 ** (k + 1)) for k in range(8)]


def test_a_walk_is_merged_into_as_many_states_as_there_are_places(monkeypatch: pytest.MonkeyPatch) -> None:
    """A state before the call, and the four places within, each of them explored once: two paths, and both twice."""
    explored: list[int] = []
    search = vars(steps)["search"]

    def watched(*arguments: Any, **named: Any) -> Any:
        result = search(*arguments, **named)
        explored.append(result.leaves)
        return result

    monkeypatch.setattr(steps, "search", watched)
    law = found(lambda coins: samplers.ruin(coins, 2, 5), samplers.ruin)
    assert law.law() == Pmf({True: 2, False: 3})
    assert sorted(explored) == [1, 2, 2, 2, 2]


def test_a_sampler_that_calls_itself_is_stopped_in_its_first_call_only() -> None:
    law = found(lambda coins: samplers.counts_by_itself(coins, 2), samplers.counts_by_itself)
    assert law.law() == Pmf({0: 1, 1: 2, 2: 1})


def test_each_path_of_a_sampler_is_run_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    replayed: list[bool] = []
    search = vars(steps)["search"]

    def watched(*arguments: Any, **named: Any) -> Any:
        replayed.append(named["replay_all"])
        return search(*arguments, **named)

    monkeypatch.setattr(steps, "search", watched)
    found(lambda coins: samplers.ruin(coins, 1, 3), samplers.ruin)
    assert set(replayed) == {True}


def test_no_trace_is_left() -> None:
    before = sys.gettrace()
    found(lambda coins: samplers.third(coins), samplers.third)
    assert sys.gettrace() is before
    assert getattr(exploring, "coins", None) is None
