"""How what runs alone is explored: more closely than the run that wants it, and with all put back behind it."""

from typing import Any, cast

import pytest
from gmpy2 import mpq

from finitedp.errors import BudgetError, ExplorationError
from finitedp.impl.randomness.loops import Stop
from finitedp.proofs_check.engine.alone import derivations as module
from finitedp.proofs_check.engine.alone.declared_samplers import Declared
from finitedp.proofs_check.engine.alone.derivations import SamplerLaw, Solver, alone, refused
from finitedp.proofs_check.engine.alone.keys import NotPureError, typed
from finitedp.proofs_check.engine.alone.steps import drawing_from
from finitedp.proofs_check.engine.explorer import Budget, explore
from finitedp.proofs_check.engine.lazy.coins import LazyCoins, OutOfDepthError
from finitedp.proofs_check.engine.lazy.rules import Rules, SamplerUse
from finitedp.proofs_check.engine.stand_ins.exploring import exploring
from tests.proofs_check.engine.alone import samplers


def run(budget: Budget | None = None, *, joint: bool = False, solver: Any = None, of_a_part: bool = False) -> LazyCoins:
    return LazyCoins(None, lambda _decision: None, Rules(budget or Budget(), joint, solver, alone=of_a_part), 0, None)


@pytest.mark.parametrize(("bits", "closer"), [(None, 84), (64, 84), (10, 30)])
@pytest.mark.parametrize("joint", [False, True])
def test_a_part_is_resolved_to_20_more_bits_than_the_whole(bits: int | None, closer: int, joint: bool) -> None:
    solver, coins = Solver(), run(Budget(bits=bits, draws=77, fanout=9), joint=joint)
    rules: Any = solver.rules(coins)
    assert rules.budget == Budget(bits=closer, draws=77, fanout=9)
    assert (rules.joint, rules.alone, rules.solver) == (joint, True, solver)
    assert solver.aim(coins) == closer - 4
    assert solver.rules(coins) is rules
    inner = LazyCoins(None, lambda _decision: None, rules, 0, None)
    assert solver.rules(inner) is rules
    assert solver.aim(inner) == closer - 4


def test_the_run_that_wants_a_law_neither_draws_nor_decides() -> None:
    coins = run()
    u: Any = coins.uniform(4)
    with alone(coins, "a part"):
        with alone(coins, "a part of it"):
            assert "a part of it draws from other coins" in (coins.suspended or "")
        for use in (lambda: coins.uniform(2), lambda: u < 3):
            with pytest.raises(ExplorationError, match="a part draws from other coins than those that it is given"):
                use()
    assert coins.suspended is None
    with pytest.raises(KeyError), alone(coins, "a part"):
        raise KeyError
    assert coins.suspended is None


def test_the_coins_of_this_thread_are_put_back() -> None:
    before = getattr(exploring, "coins", None)
    inner, outer = run(), run()
    within = lambda d: exploring.coins is d is inner  # noqa: E731
    assert drawing_from(outer, lambda c: (drawing_from(inner, within), exploring.coins is c)) == (True, True)
    with pytest.raises(KeyError):
        drawing_from(outer, lambda _c: dict[int, int]()[0])
    assert getattr(exploring, "coins", None) is before


def fair(coins: Any) -> bool:
    return bool(coins.uniform(2) == 1)


def test_a_trial_and_a_step_are_no_pure_code() -> None:
    """They may be anything, so that what a sampler reads is looked at again where they call one."""
    solver, seen = Solver(), list[bool]()

    def trial(coins: Any) -> bool:
        seen.append(solver.in_pure_code)
        return fair(coins)

    def step(coins: Any, state: int) -> int:
        seen.append(solver.in_pure_code)
        return int(state + 1) if coins.uniform(2) == 1 else 0

    for derive in (
        lambda coins: solver.count_while(coins, trial),
        lambda coins: solver.chain(coins, step, 0),
    ):
        solver.in_pure_code = True
        coins = run(Budget(runs=5), solver=solver)
        try:
            derive(coins)
        except OutOfDepthError:
            assert coins.exhausted
        assert solver.in_pure_code
        assert coins.suspended is None
    assert set(seen) == {False}


@pytest.mark.parametrize(("runs", "states"), [(10**6, 20_000), (20_001, 20_000), (19_999, 19_999), (7, 7)])
def test_how_many_states_are_looked_at(runs: int, states: int, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    original = vars(module)["absorbed"]

    def watched(first: Any, step: Any, bits: int, most_states: int) -> Any:
        asked.append(most_states)
        return original(first, step, bits, most_states)

    monkeypatch.setattr(module, "absorbed", watched)
    explore(lambda coins: cast(Any, coins).chain(lambda c, s: Stop(s) if fair(c) else 0, 0), Budget(runs=runs))
    explore(lambda coins: samplers.third(coins), Budget(runs=runs), samplers=Declared.of([samplers.third]))
    assert set(asked) == {states}


def test_a_law_is_over_the_least_common_denominator_and_tells_each_use_once() -> None:
    law = SamplerLaw.of({typed(1): mpq(1, 3), typed(0): mpq(1, 6), typed(2): mpq(1, 2)}, 64)
    assert (law.values, law.up_to, law.d) == ((0, 1, 2), (0, 1, 3, 6), 6)
    assert SamplerLaw.of({typed(0): mpq(2, 3), typed(1): mpq(1, 3)}, 64).d == 3
    use = SamplerUse("word", alone=True)
    assert law.used_by(use).used_by(use).uses == {use}


def late(coins: Any, calls: list[int]) -> int:
    calls.append(1)
    found = coins.uniform(16) + 0
    value = sum(found > k for k in range(1, 16))
    return int(value if value != 9 else len(calls) % 2)


def test_each_path_of_a_part_is_run_twice() -> None:
    calls: list[int] = []
    with pytest.raises(ExplorationError, match="two runs on the same draws differ"):
        Solver().count_while(run(), lambda coins: late(coins, calls) < 1)
    with pytest.raises(ExplorationError, match="two runs on the same draws differ"):
        Solver().chain(run(), lambda coins, _state: late(coins, calls), 0)


def never_false(coins: Any) -> bool:
    return bool(coins.uniform(2) <= 2)


def endless(coins: Any) -> Any:
    return coins.count_while(never_false)


def test_a_loop_that_never_ends_was_taken_alone_too() -> None:
    found = explore(endless, Budget(draws=50))
    assert (found.unresolved, found.cost_seen) == (mpq(1), False)
    assert found.uses == (SamplerUse("coins.count_while", alone=True),)


def test_laws_of_trials_are_kept_by_what_they_depend_on() -> None:
    solver = Solver()
    for bits in (5, 6):
        for joint in (False, True):
            coins = run(Budget(bits=bits), joint=joint, solver=solver)
            solver.count_while(coins, fair)
            assert solver.rules(coins).budget.bits == bits + 20
    kept = [key for key in solver._kept if isinstance(key, tuple) and key[0] == "trial"]
    assert len(kept) == 4


def in_part(coins: Any) -> bool:
    while coins.uniform(2) == 1:
        pass
    return bool(coins.uniform(4) == 1)


def test_a_trial_that_is_known_in_part_is_counted_by_what_is_known() -> None:
    """With a = 1/4 - x and b = 3/4 - y known: k with probability a^k b."""
    coins = run(Budget(bits=8), solver=Solver())
    drawn: Any = Solver().count_while(coins, in_part)
    draw: Any = drawn.parts()[0]
    again, whole = draw.p, draw.whole
    ends = whole * (1 - again)
    assert 0 < 1 - again - ends < mpq(1, 2**27)
    assert again < mpq(1, 4)
    assert ends < mpq(3, 4)
    assert again / ends == mpq(1, 3)


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (ExplorationError("one\ntwo"), "taken alone it is refused: one"),
        (BudgetError("one"), "taken alone it is refused: one"),
        (NotPureError("it is not"), "it is not"),
        (ValueError("one"), "taken alone it raises ValueError('one')"),
    ],
)
def test_why_a_sampler_is_not_explored_alone_is_one_line(error: Exception, reason: str) -> None:
    assert refused(error) == reason
