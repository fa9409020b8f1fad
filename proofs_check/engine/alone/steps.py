"""One sampler, run by the explorer itself and stopped at the heads of its loops, where its state becomes a key.

A state is explored by going on from it, up to the next head. Draws that are still undecided at a head, and may be read again,
are decided there, so that what a state keeps of its past is plain values.
"""

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from gmpy2 import mpq

from finitedp.errors import ExplorationError
from finitedp.proofs_check.engine.alone.absorb import Output, State
from finitedp.proofs_check.engine.alone.copies import Copy
from finitedp.proofs_check.engine.alone.keys import NotPlainError, Tokens, check_short, made_again, typed
from finitedp.proofs_check.engine.lazy.coins import LazyCoins
from finitedp.proofs_check.engine.lazy.rules import Rules, SamplerUse
from finitedp.proofs_check.engine.search import Exploration, search
from finitedp.proofs_check.engine.stand_ins.exploring import exploring

Values = Mapping[str, Any]
Given = tuple[tuple[Any, ...], dict[str, Any]]


def drawing_from(coins: LazyCoins, program: Callable[[LazyCoins], Any]) -> Any:  # noqa: ANN401  # an output of any kind
    """The output of a program, while these coins are those of the run that this thread explores."""
    before = getattr(exploring, "coins", None)
    exploring.coins = coins
    try:
        return program(coins)
    finally:
        exploring.coins = before


def explored(program: Callable[[LazyCoins], Any], rules: Rules) -> Exploration[Any]:
    """The law of a program that is explored alone, for the run at hand."""
    return search(lambda coins: drawing_from(coins, program), rules, replay_all=True)


class Rows:
    """What follows each state of a chain, with its probability, explored when it is first asked for.

    What the probabilities leave of 1 is unresolved. uses, assumptions: of all that was explored.
    """

    def __init__(self, follow: Callable[[LazyCoins, State], State | Output], rules: Rules) -> None:
        self.uses: set[SamplerUse] = set()
        self.assumptions: set[str] = set()
        self._follow = follow
        self._rules = rules
        self._rows: dict[State, Mapping[State | Output, mpq]] = {}

    def __call__(self, state: State) -> Mapping[State | Output, mpq]:
        """Of a state."""
        if state not in self._rows:
            exploration = explored(lambda coins: self._follow(coins, state), self._rules)
            self._rows[state] = exploration.resolved
            self.uses |= set(exploration.uses)
            self.assumptions |= set(exploration.assumptions)
        return self._rows[state]


class Steps(Rows):
    """The steps of a sampler's chain of states."""

    def __init__(self, copy: Copy, rules: Rules) -> None:
        super().__init__(self._next, rules)
        self._copy = copy
        self._signature = inspect.signature(copy.function)
        self._calls: dict[State, Callable[[LazyCoins], Given]] = {}
        self._values: dict[State, Values] = {}

    def begin(self, state: State, given: Callable[[LazyCoins], Given]) -> None:
        """Name the state before a call. Parameters: given, its arguments for some coins."""
        self._calls.setdefault(state, given)

    def _next(self, coins: LazyCoins, state: State) -> State | Output:
        begin, values = self._begin(coins, state)

        def head(number: int, at: int, state_values: Values) -> int:
            values = {name: state_values[name] for name in self._copy.live[number] if name in state_values}
            then = self._state_at(number, values, coins)
            if at and then != state:
                raise ExplorationError(f"{self._copy.function.__name__}() does not go on from the state of a loop")
            if not at and then is not None:
                raise _AtHeadError(then, values)
            return 0

        try:
            return Output(typed(self._copy.resumable(begin, values, head)))
        except _AtHeadError as stop:
            self._values.setdefault(stop.state, stop.values)
            return stop.state

    def _begin(self, coins: LazyCoins, state: State) -> tuple[int, Values]:
        """Where the run begins, and with which locals."""
        if state in self._calls:
            given, named = self._calls[state](coins)
            bound = self._signature.bind(*given, **named)
            bound.apply_defaults()
            return 0, bound.arguments
        key: Any = state.key  # as _state_at makes it
        number, items = key
        again = made_again(coins, self._copy.shared)
        return number, {name: again(self._values[state][name], key) for name, key in items}

    def _state_at(self, number: int, values: Values, coins: LazyCoins) -> State | None:
        """The state, after its undecided draws are decided; None where it is not a plain one."""
        key = Tokens(coins, self._copy.shared).key
        try:
            for value in values.values():  # before any of them is decided
                check_short(value)
            return State((number, tuple((name, key(value)) for name, value in values.items())))
        except NotPlainError:
            return None


class _AtHeadError(BaseException):
    """Ends a run at the head of a loop. No handler is active there, and no function but the explorer has called."""

    def __init__(self, state: State, values: Values) -> None:
        self.state = state
        self.values = values
