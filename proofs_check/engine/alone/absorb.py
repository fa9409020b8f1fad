"""Chains of states, solved over the rationals: with which probability each output ends a chain.

Likely states come first. What leads to states that are not looked at, what a step did not resolve, and what never ends, is the
unresolved mass; of a chain with finitely many states, all of whose steps are known and can end, nothing is.
"""

import heapq
from collections.abc import Callable, Hashable, Mapping
from itertools import count
from typing import NamedTuple

from attrs import frozen
from gmpy2 import mpq, mpz

SPARE = 64  # bits of the masses that order the states, beyond those that are aimed at
STEP_BITS = 8  # by which rarer states are looked at in the next round


@frozen
class State:
    """A state of a chain, by its key."""

    key: Hashable


@frozen
class Output:
    """An output, by its key."""

    key: Hashable


Target = State | Output
Row = dict[Target, mpq]


class Absorbed(NamedTuple):
    """Lower bounds on the probabilities of outputs, exact where unresolved is 0; and the number of states looked at."""

    outputs: Mapping[Hashable, mpq]
    unresolved: mpq
    states: int


def absorbed(first: State, step: Callable[[State], Mapping[Target, mpq]], bits: int, most_states: int) -> Absorbed:
    """Where the chain that starts in a state ends.

    Parameters: step, the probabilities of what follows a state, which may sum to less than 1; bits, so that states are looked
    at until at most 2^-bits leads to others, or there are most_states of them.
    """
    frontier = _States(first, step, bits)
    while True:
        frontier.look(most_states)
        outputs, elsewhere = _solved(first, frontier.rows)
        if not frontier.waiting or len(frontier.rows) >= most_states or elsewhere <= mpq(1, mpz(1) << bits):
            mass_of = {target.key: p for target, p in outputs.items()}
            return Absorbed(mass_of, 1 - sum(mass_of.values(), mpq(0)), len(frontier.rows))
        frontier.least >>= STEP_BITS


class _States:
    """The states that were looked at, and those that wait: by the mass of the likeliest way to them."""

    def __init__(self, first: State, step: Callable[[State], Mapping[Target, mpq]], bits: int) -> None:
        unit = mpz(1) << (bits + SPARE)
        self.rows: dict[State, Row] = {}
        self.least = unit >> bits
        self._step = step
        self._heap: list[tuple[int, int, State]] = [(-unit, 0, first)]
        self._order = count()

    @property
    def waiting(self) -> bool:
        while self._heap and self._heap[0][2] in self.rows:
            heapq.heappop(self._heap)
        return bool(self._heap)

    def look(self, most_states: int) -> None:
        while self.waiting and len(self.rows) < most_states and -self._heap[0][0] >= self.least:
            negated, _, state = heapq.heappop(self._heap)
            self.rows[state] = row = dict(self._step(state))
            for target, p in row.items():
                if type(target) is State and target not in self.rows:
                    heapq.heappush(self._heap, (negated * p.numerator // p.denominator, next(self._order), target))


def _solved(first: State, rows: Mapping[State, Row]) -> tuple[dict[Output, mpq], mpq]:
    """The first state's row after all other states are eliminated: its outputs, and the mass that leads elsewhere."""
    left = {state: dict(row) for state, row in rows.items()}
    before: dict[Target, set[State]] = {}
    for state, row in left.items():
        for target in row:
            before.setdefault(target, set()).add(state)
    for state in [*(state for state in left if state != first), first]:
        row = left.pop(state)
        again = row.pop(state, mpq(0))
        if again:  # a state that is never left ends nowhere
            row = {target: p / (1 - again) for target, p in row.items()} if again < 1 else {}
        if state == first:
            break
        for other in before.pop(state, set()):
            if other in left:
                share = left[other].pop(state)
                for target, p in row.items():
                    left[other][target] = left[other].get(target, mpq(0)) + share * p
                    before.setdefault(target, set()).add(other)
    outputs = {target: p for target, p in row.items() if isinstance(target, Output)}
    return outputs, sum((p for target, p in row.items() if isinstance(target, State)), mpq(0))
