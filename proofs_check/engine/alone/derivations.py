"""The laws of loops that the coins own, and of declared samplers: each explored once, and then drawn from."""

from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any

from attrs import evolve
from gmpy2 import mpq

from finitedp.errors import ExplorationError
from finitedp.impl.randomness import loops
from finitedp.proofs_check.engine.alone.absorb import Output, State, absorbed
from finitedp.proofs_check.engine.alone.copies import Copy
from finitedp.proofs_check.engine.alone.keys import NotPlainError, NotPureError, has_text, typed, untyped
from finitedp.proofs_check.engine.alone.laws import SamplerLaw
from finitedp.proofs_check.engine.alone.reach import environment
from finitedp.proofs_check.engine.alone.steps import Given, Steps
from finitedp.proofs_check.engine.lazy.coins import LazyCoins
from finitedp.proofs_check.engine.lazy.rules import Rules, SamplerUse
from finitedp.proofs_check.engine.search import Exploration, search
from finitedp.proofs_check.engine.stand_ins.exploring import exploring

__all__ = ["Solver", "alone"]

BITS = 64
"""What is aimed at where the budget has no bound on open mass."""
SPARE_BITS = 20
"""What is explored alone leaves less open than the run that draws from it, by so many bits."""
STEP_BITS = 4
"""How much of them a chain of states may lose."""
MOST_STATES = 20_000


@contextmanager
def alone(coins: LazyCoins, what: str) -> Iterator[None]:
    """While something is explored alone, the run that wants its law must not draw or decide."""
    before, coins.suspended = (
        coins.suspended,
        f"{what} draws from other coins than those that it is given, or uses their draws",
    )
    try:
        yield
    finally:
        coins.suspended = before


def drawing_from(coins: LazyCoins, program: Callable[[LazyCoins], Any]) -> Any:  # noqa: ANN401  # an output of any kind
    """The output of a program, while these coins are those of the run that this thread explores."""
    before = getattr(exploring, "coins", None)
    exploring.coins = coins
    try:
        return program(coins)
    finally:
        exploring.coins = before


class Solver:
    """Derives the laws of what runs alone, and keeps those of code that depends on nothing else."""

    def __init__(self) -> None:
        self._kept: dict[Hashable, Any] = {}
        self.in_pure_code = False
        """Whether what is explored passed the allowlist, so that no global changes before it is done."""
        self.in_copies = False
        """Whether what is explored is a copy, so that what it calls must be one, too."""
        self.session = 0
        """Counts the times between which a global may have changed."""

    def rules(self, coins: LazyCoins) -> Rules:
        """How to explore alone what a run wants: closer than the run itself, by the same limits otherwise."""
        if coins.rules.alone:
            return coins.rules
        key = "rules", coins.rules.budget, coins.rules.joint
        rules: Rules = self._kept_as(key, lambda: self._closer(coins.rules))
        return rules

    def _closer(self, rules: Rules) -> Rules:
        bits = (rules.budget.bits or BITS) + SPARE_BITS
        return Rules(evolve(rules.budget, bits=bits), rules.joint, self, alone=True)

    def aim(self, coins: LazyCoins) -> int:
        """To which power of 1/2 a sampler is resolved."""
        return (self.rules(coins).budget.bits or BITS) - STEP_BITS

    def _kept_as(self, key: Hashable, made: Callable[[], Any]) -> Any:  # noqa: ANN401  # what is kept
        if key not in self._kept:
            self._kept[key] = made()
        return self._kept[key]

    @contextmanager
    def _exploring(self, *, pure: bool) -> Iterator[None]:
        before, self.in_pure_code = self.in_pure_code, pure
        try:
            yield
        finally:
            self.in_pure_code = before

    # Loops of the coins

    def count_while(self, coins: LazyCoins, trial: Callable[[Any], bool]) -> int:
        """Draw how often trial(coins) is True before it is False: exactly geometric, if the trial is known exactly."""
        found: Exploration[Any] = self._once(coins, "trial", trial, lambda: self._trial(coins, trial))
        again, ends = (found.resolved.get(truth, mpq(0)) for truth in (True, False))
        _note(coins, "coins.count_while", found)
        if not ends:
            coins.leave_open()
        return coins.endless(again, ends / (1 - again))

    def _trial(self, coins: LazyCoins, trial: Callable[[Any], bool]) -> Exploration[bool]:
        with self._exploring(pure=False), alone(coins, "the trial of count_while"):
            return search(
                lambda inner: drawing_from(inner, lambda c: loops.truth(trial(c))), self.rules(coins), replay_all=True
            )

    def chain(self, coins: LazyCoins, step: Callable[[Any, Any], Any], state: Any) -> Any:  # noqa: ANN401  # of any kind
        """Draw the output of a chain of states, solved over the rationals; run it where a state is not a plain value."""
        try:
            first = State(typed(state))
            derive = partial(self._chain, coins, step, first)
            law: SamplerLaw = derive() if has_text(state) else self._once(coins, ("chain", first), step, derive)
        except NotPlainError as error:
            coins.cost_seen = False
            coins.uses.add(SamplerUse("coins.chain", alone=False, reason=f"a state or an output is {error}"))
            return loops.chain(coins, step, state)
        return law.draw(coins)

    def _chain(self, coins: LazyCoins, step: Callable[[Any, Any], Any], first: State) -> SamplerLaw:
        rows: dict[State, Mapping[State | Output, mpq]] = {}
        found: list[Exploration[Any]] = []
        uses = {SamplerUse("coins.chain", alone=True)}

        def follow(state: State) -> Mapping[State | Output, mpq]:
            if state not in rows:
                found.append(
                    search(lambda inner: drawing_from(inner, lambda c: _next(step, c, state)), rules, replay_all=True)
                )
                rows[state] = found[-1].resolved
            return rows[state]

        rules, bits = self.rules(coins), self.aim(coins)
        with self._exploring(pure=False), alone(coins, "a step of coins.chain"):
            ends = absorbed(first, follow, bits, min(MOST_STATES, rules.budget.runs))
        assumptions = frozenset().union(*(one.assumptions for one in found))
        return SamplerLaw.of(ends.outputs, bits, frozenset(uses).union(*(one.uses for one in found)), assumptions)

    def _once(self, coins: LazyCoins, what: Hashable, function: object, derive: Callable[[], Any]) -> Any:  # noqa: ANN401
        """Derive, unless that was done before for code that depends on nothing else."""
        try:
            key = what, coins.rules.budget, coins.rules.joint, environment(function)
        except NotPureError:
            return derive()
        return self._kept_as(key, derive)

    # Declared samplers

    def sampler_law(
        self, coins: LazyCoins, reads: Hashable, copy: Copy, arguments: Hashable, given: Callable[[LazyCoins], Given]
    ) -> SamplerLaw:
        """The law of a sampler at some arguments.

        Parameters: reads, what else it depends on, and its copy, whose chain of states is kept from one call to the next;
        arguments, their key; given, the arguments for some coins.
        """
        rules, bits = self.rules(coins), self.aim(coins)
        chain: Steps = self._kept_as(("steps", reads, rules.budget, rules.joint), lambda: Steps(copy, rules, drawing_from))
        first = State(("call", arguments))
        chain.begin(first, given)
        before, self.in_copies = self.in_copies, True
        try:
            with self._exploring(pure=True):
                ends = absorbed(first, chain, bits, min(MOST_STATES, rules.budget.runs))
        finally:
            self.in_copies = before
        return SamplerLaw.of(ends.outputs, bits, frozenset(chain.uses), frozenset(chain.assumptions))


def _next(step: Callable[[Any, Any], Any], coins: LazyCoins, state: State) -> State | Output:
    then = step(coins, untyped(state.key))
    return Output(typed(then.output)) if isinstance(then, loops.Stop) else State(typed(then))


def _note(coins: LazyCoins, name: str, found: Exploration[Any]) -> None:
    coins.cost_seen = False
    coins.uses |= {SamplerUse(name, alone=True), *found.uses}
    coins.assumptions |= set(found.assumptions)


def refused(error: Exception) -> str:
    """Why a sampler could not be explored alone, in one line."""
    if isinstance(error, ExplorationError | NotPureError):
        what = str(error).split("\n", 1)[0]
        return what if isinstance(error, NotPureError) else f"taken alone it is refused: {what}"
    try:
        return f"taken alone it raises {error!r}"
    except NotPureError:  # it holds an object that was made
        return f"taken alone it raises {type(error).__name__}"
