"""How far chains of states are looked at, and in which order: counts of states by hand."""

from typing import Any

import pytest
from gmpy2 import mpq

from finitedp.proofs_check.engine.alone.absorb import Output, State, absorbed


def tree(ways: int, share: mpq) -> Any:
    """Each state ends, or leads to some others of its own with the same probability each."""

    def step(state: State) -> dict[State | Output, mpq]:
        path: Any = state.key
        return {Output(0): 1 - ways * share} | {State((*path, i)): share for i in range(ways)}

    return step


def test_less_likely_states_are_looked_at_by_steps_of_eight_bits() -> None:
    """(2/5)^j is at least 2^-10 up to j = 7, and all of these states are looked at before the next sum."""
    found = absorbed(State(()), tree(2, mpq(2, 5)), 2, 1_000)
    assert (found.states, found.unresolved) == (2**8 - 1, mpq(4, 5) ** 8)


def test_the_mass_that_leads_elsewhere_is_at_most_what_is_aimed_at() -> None:
    """After five states a quarter leads elsewhere, which is more than 2^-3."""
    assert absorbed(State(()), tree(4, mpq(1, 8)), 3, 10_000).unresolved <= mpq(1, 2**3)
    assert absorbed(State(()), tree(4, mpq(1, 8)), 1, 10_000).states == 1  # exactly a half


@pytest.mark.parametrize(("bits", "states"), [(64, 1), (65, 2)])
def test_masses_that_order_states_have_64_bits_to_spare(bits: int, states: int) -> None:
    """A state a little less likely than what is aimed at is looked at only where that is rounded away."""
    share = mpq(1, 16) * (1 - mpq(1, 2**bits))
    found = absorbed(State(0), lambda s: {Output(1): 1 - share, State(1): share} if s.key == 0 else {Output(1): mpq(1)}, 4, 9)
    assert found.states == states
    assert found.unresolved == (share if states == 1 else 0)


def test_likelier_states_come_first() -> None:
    seen: list[Any] = []

    def step(state: State) -> dict[State | Output, mpq]:
        seen.append(state.key)
        return {State(k): mpq(k, 6) for k in (1, 3, 2)} if state.key == 0 else {Output(state.key): mpq(1)}

    found = absorbed(State(0), step, 64, 100)
    assert seen == [0, 3, 2, 1]
    assert found.outputs == {1: mpq(1, 6), 2: mpq(1, 3), 3: mpq(1, 2)}


def test_states_that_are_met_again_while_others_wait_are_looked_at_once() -> None:
    """Each of some states leads to all others: none is lost, though the heap holds what was looked at."""
    calls: list[Any] = []

    def step(state: State) -> dict[State | Output, mpq]:
        calls.append(state.key)
        weights = {k: 1 + (3 * k + int(str(state.key))) % 7 for k in range(9)}
        whole = 1 + sum(weights.values())
        return {Output(0): mpq(1, whole)} | {State(k): mpq(w, whole) for k, w in weights.items()}

    found = absorbed(State(0), step, 64, 100)
    assert (found.unresolved, found.states, sorted(calls)) == (mpq(0), 9, list(range(9)))


def test_a_state_that_only_leads_to_itself_ends_nowhere() -> None:
    rows: dict[Any, dict[State | Output, mpq]] = {0: {State(1): mpq(1, 3), Output(5): mpq(2, 3)}, 1: {State(1): mpq(1)}}
    found = absorbed(State(0), lambda state: rows[state.key], 64, 100)
    assert (found.outputs, found.unresolved) == ({5: mpq(2, 3)}, mpq(1, 3))
    rows[1] = {State(0): mpq(1, 2), State(1): mpq(1, 4)}  # and a quarter that is not known
    found = absorbed(State(0), lambda state: rows[state.key], 64, 100)
    assert (found.outputs, found.unresolved) == ({5: mpq(6, 7)}, mpq(1, 7))
