"""Loops that the coins own, and random chains of states: exact laws, against chains solved by Gaussian elimination."""

from collections.abc import Callable
from fractions import Fraction as Q
from random import Random
from typing import Any

import pytest
from gmpy2 import mpq

from finitedp.errors import CoinsError, ExplorationError
from finitedp.impl.randomness.coins import ExactCoins, SeededBits
from finitedp.impl.randomness.loops import Stop
from finitedp.proofs_check.engine.alone.absorb import Output, State, absorbed
from finitedp.proofs_check.engine.alone.declared_samplers import Declared
from finitedp.proofs_check.engine.explorer import Budget, Exploration, SamplerUse, explore
from finitedp.spec.pmf import Pmf
from tests.proofs_check.engine.alone import samplers

Table = tuple[tuple[int, ...], ...]


def explored(
    program: Callable[[Any], Any], budget: Budget | None = None, *, joint: bool = False, samplers: Declared | None = None
) -> Exploration[Any]:
    return explore(program, budget, joint=joint, samplers=samplers)


def exactly(program: Callable[[Any], Any]) -> Exploration[Any]:
    return explore(program, Budget(), replay_all=True, joint=True)


# Geometric draws


@pytest.mark.parametrize("p", ["1/2", "2/3", "1/100", 0])
def test_a_geometric_draw_is_exact_where_it_is_compared(p: str | int) -> None:
    ratio = mpq(p)
    law = exactly(lambda coins: min(coins.geometric(p), 3)).law()
    expected = {k: (1 - ratio) * ratio**k for k in range(3)} | {3: ratio**3}
    assert law == Pmf.from_probabilities({k: mass for k, mass in expected.items() if mass})


def test_two_sided_noise_that_is_clamped_leaves_nothing_open() -> None:
    """The clamped geometric mechanism on 0..3 at ratio 2, by a sign and a rejection of -0."""

    def noise(coins: Any) -> int:
        while True:
            size, sign = coins.geometric("1/2"), coins.uniform(2)
            if sign == 1:
                return int(min(size, 3))
            if size > 0:
                return -int(min(size, 3))

    found = explored(noise, Budget(bits=40), joint=True)
    assert found.unresolved <= mpq(1, 2**40)
    for z, share in {-3: mpq(1, 12), -2: mpq(1, 12), 0: mpq(1, 3), 1: mpq(1, 6), 3: mpq(1, 12)}.items():
        low, high = found.bounds(z)
        assert low <= share <= high


def test_an_endless_value_is_followed_to_the_bound() -> None:
    for program in (lambda coins: coins.geometric("1/2"), lambda coins: 7 - 2 * coins.geometric("1/2")):
        found = exactly(program)
        assert found.unresolved == mpq(1, 2 ** len(found.resolved)) <= mpq(1, 2**64)
        assert sorted(found.resolved.values(), reverse=True) == [mpq(1, 2 ** (k + 1)) for k in range(len(found.resolved))]
    assert exactly(lambda coins: coins.geometric("1/2") // 3).resolved[0] == mpq(7, 8)
    assert exactly(lambda coins: 7 - 2 * coins.geometric("1/2")).resolved[5] == mpq(1, 4)


def test_geometric_draws_compare_with_others() -> None:
    found = exactly(lambda coins: coins.geometric("1/2") < coins.uniform(4))
    assert found.law()[True] == sum(1 - mpq(1, 2**u) for u in range(1, 5)) / 4
    assert exactly(lambda coins: coins.uniform(4) > coins.geometric("1/2")).law() == found.law()
    found = explored(lambda coins: coins.geometric("1/2") < coins.geometric("1/2"), Budget(bits=16), joint=True)
    assert found.bounds(True)[0] <= mpq(1, 3) <= found.bounds(True)[1]
    assert found.unresolved <= mpq(1, 2**16)


@pytest.mark.parametrize("p", [1, -1, "3/2"])
def test_what_is_no_ratio_is_refused(p: Any) -> None:
    for coins in (ExactCoins(SeededBits(1, not_private=True)), None):
        with pytest.raises(CoinsError, match="has no outcome; accepted: a rational of at least 0 and below 1"):
            explored(lambda lazy: (coins or lazy).geometric(p))  # noqa: B023


# Counting while


def fair(coins: Any) -> bool:
    return bool(coins.uniform(2) == 1)


def rare(coins: Any) -> bool:
    return bool(coins.uniform(3) < coins.uniform(4))


def never_false(coins: Any) -> bool:
    return bool(coins.uniform(2) <= 2)


def test_counting_while_a_trial_succeeds_is_geometric() -> None:
    """The trials: 1/2 by one coin, 1/2 by two draws."""
    for trial in (fair, rare):
        found = exactly(lambda coins, t=trial: min(coins.count_while(t), 2))  # type: ignore[misc]
        assert found.law() == Pmf({0: 2, 1: 1, 2: 1})
        assert found.uses == (SamplerUse("coins.count_while", alone=True),)
        assert not found.cost_seen


def test_a_trial_that_is_known_in_part_leaves_the_rest_open() -> None:
    def trial(coins: Any) -> bool:
        while coins.uniform(2) == 1:
            pass
        return bool(coins.uniform(2) == 1)

    found = exactly(lambda coins: min(coins.count_while(trial), 2))
    assert 0 < found.unresolved < mpq(1, 2**60)
    for k, share in {0: mpq(1, 2), 1: mpq(1, 4), 2: mpq(1, 4)}.items():
        low, high = found.bounds(k)
        assert low <= share <= high


def test_a_trial_that_never_fails_resolves_nothing() -> None:
    assert explored(lambda coins: coins.count_while(never_false), Budget(draws=50)).unresolved == 1


def test_a_trial_draws_from_the_coins_that_it_is_given() -> None:
    with pytest.raises(ExplorationError, match="draws from other coins than those that it is given"):
        exactly(lambda coins: coins.count_while(lambda _c: coins.uniform(2) == 1))

    def uses_an_outer_draw(coins: Any) -> int:
        u = coins.uniform(2)
        return int(coins.count_while(lambda c: c.uniform(4) <= u))

    with pytest.raises(ExplorationError, match=r"mixes draws of two runs|draws from other coins"):
        exactly(uses_an_outer_draw)


def test_a_trial_answers_with_a_truth() -> None:
    with pytest.raises(CoinsError, match="the trial returned 1; accepted: True or False"):
        exactly(lambda coins: coins.count_while(lambda c: 1))


def test_a_trial_with_state_is_refused() -> None:
    calls: list[int] = []

    def tired(coins: Any) -> bool:
        calls.append(1)
        return coins.uniform(2) == 1 and len(calls) < 9

    with pytest.raises(ExplorationError, match=r"does not repeat itself|differ"):
        exactly(lambda coins: coins.count_while(tired))


# Chains


def table(seed: int) -> Table:
    """A random chain of 2 to 6 states, each of which can end."""
    made = Random(seed)
    size = made.randint(2, 6)
    rows = []
    for state in range(size):
        parts = sorted(made.sample(range(1, 9), made.randint(1, 3)))
        targets = [made.choice([*range(size), -1, -2, -3]) for _ in parts]
        targets[-1] = -1 - state % 3
        rows.append((parts[-1], *(x for pair in zip(parts, targets, strict=True) for x in pair)))
    return tuple(rows)


def solved(rows: Table) -> dict[int, Q]:
    """The law of the chain from state 0, by Gaussian elimination on (1 - P) x = b in fractions."""
    size, outputs = len(rows), sorted({-t for row in rows for t in row[2::2] if t < 0})
    matrix = []
    for i, row in enumerate(rows):
        line = [Q(i == j) for j in range(size)] + [Q(0) for _ in outputs]
        before = 0
        for last, target in zip(row[1::2], row[2::2], strict=True):
            line[target if target >= 0 else size + outputs.index(-target)] += Q(last - before, row[0]) * (
                -1 if target >= 0 else 1
            )
            before = last
        matrix.append(line)
    for i in range(size):
        pivot = next(k for k in range(i, size) if matrix[k][i])
        matrix[i], matrix[pivot] = matrix[pivot], matrix[i]
        matrix[i] = [x / matrix[i][i] for x in matrix[i]]
        for k in range(size):
            if k != i:
                matrix[k] = [x - matrix[k][i] * y for x, y in zip(matrix[k], matrix[i], strict=True)]
    return {x: p for x, p in zip(outputs, matrix[0][size:], strict=True) if p}


SEEDS = [range(15), pytest.param(range(15, 600), marks=pytest.mark.full)]


@pytest.mark.deep
@pytest.mark.parametrize("seeds", SEEDS, ids=["some", "many"])
def test_random_chains_in_loops_have_their_exact_law(seeds: range) -> None:
    """Nested loops, of which the inner one carries an undecided draw, taken alone."""
    for seed in seeds:
        rows = table(seed)
        found = explored(lambda coins: samplers.walk(coins, rows), Budget(), samplers=Declared.of([samplers.walk]))  # noqa: B023
        assert found.unresolved == 0, seed
        assert {x: Q(int(p.numerator), int(p.denominator)) for x, p in found.resolved.items()} == solved(rows), seed


@pytest.mark.parametrize("seeds", SEEDS, ids=["some", "many"])
def test_random_chains_of_the_coins_have_their_exact_law(seeds: range) -> None:
    for seed in seeds:
        rows = table(seed)

        def step(coins: Any, here: int) -> Any:
            row = rows[here]  # noqa: B023
            u = coins.uniform(row[0])
            target = next(t for last, t in zip(row[1::2], row[2::2], strict=True) if u <= last)
            return target if target >= 0 else Stop(-target)

        found = explored(lambda coins: coins.chain(step, 0), Budget())
        assert found.unresolved == 0, seed
        assert {x: Q(int(p.numerator), int(p.denominator)) for x, p in found.resolved.items()} == solved(rows), seed
        assert found.uses == (SamplerUse("coins.chain", alone=True),)


def test_a_chain_whose_states_are_no_plain_values_is_run() -> None:
    def step(coins: Any, state: list[int]) -> Any:
        return Stop(len(state)) if coins.uniform(2) == 1 else [*state, 1]

    found = explored(lambda coins: min(coins.chain(step, []), 2), Budget())
    assert found.uses == (SamplerUse("coins.chain", alone=False, reason="a state or an output is a list"),)
    assert found.bounds(0) == (mpq(1, 2), mpq(1, 2) + found.unresolved)
    assert not found.cost_seen


@pytest.mark.deep
def test_a_chain_that_does_not_end_resolves_nothing() -> None:
    found = explored(lambda coins: coins.chain(lambda c, s: (s + c.uniform(2)) % 3, 0), Budget(draws=30))
    assert found.unresolved == 1


def test_states_and_outputs_of_equal_keys_are_told_apart() -> None:
    ends = absorbed(State(0), lambda s: {Output(0): mpq(1, 2), State(1 - s.key): mpq(1, 2)}, 64, 100)  # type: ignore[operator]
    assert ends.outputs == {0: mpq(1)}
    assert ends.unresolved == 0
    assert ends.states == 2


def test_a_chain_is_looked_at_until_little_leads_elsewhere() -> None:
    def step(state: State) -> dict[State | Output, mpq]:
        k: Any = state.key
        return {State(k + 1): mpq(3, 4), Output(k): mpq(1, 4)}

    ends = absorbed(State(0), step, 20, 10_000)
    assert ends.unresolved == mpq(3, 4) ** ends.states <= mpq(1, 2**20)
    assert absorbed(State(0), step, 20, 10).states == 10


def test_many_unlikely_states_are_looked_at_until_little_is_left() -> None:
    """Each state leads to four others with 1/8 each: at depth j there are 4^j of them, which have 2^-j together."""

    def step(state: State) -> dict[State | Output, mpq]:
        path: Any = state.key
        return {Output(0): mpq(1, 2)} | {State((*path, i)): mpq(1, 8) for i in range(4)}

    assert absorbed(State(()), step, 4, 10_000).unresolved <= mpq(1, 2**4)


def test_the_loops_of_exact_coins_are_run() -> None:
    coins = ExactCoins(SeededBits(5, not_private=True))
    assert {coins.geometric("1/2") for _ in range(200)} >= {0, 1, 2, 3}
    assert {coins.count_while(fair) for _ in range(200)} >= {0, 1, 2, 3}
    assert {coins.chain(lambda c, k: Stop(k) if c.uniform(2) == 1 else k + 1, 0) for _ in range(200)} >= {0, 1, 2}
