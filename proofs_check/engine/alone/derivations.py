"""The laws of loops that the coins own, and of declared samplers: each explored once, and then drawn from."""

from collections.abc import Callable, Hashable, Mapping
from contextlib import AbstractContextManager
from functools import partial
from itertools import accumulate
from typing import Any, cast

from attrs import evolve, frozen
from gmpy2 import lcm, mpq, mpz

from finitedp.errors import ExplorationError
from finitedp.impl.randomness import loops
from finitedp.proofs_check.engine.alone.absorb import Output, State, absorbed
from finitedp.proofs_check.engine.alone.copies import Copy
from finitedp.proofs_check.engine.alone.keys import NotPlainError, NotPureError, has_text, typed, untyped
from finitedp.proofs_check.engine.alone.reach import environment
from finitedp.proofs_check.engine.alone.steps import Given, Rows, Steps, explored
from finitedp.proofs_check.engine.lazy.coins import LazyCoins
from finitedp.proofs_check.engine.lazy.integers import LazyInt
from finitedp.proofs_check.engine.lazy.rules import Rules, SamplerUse
from finitedp.proofs_check.engine.search import Exploration
from finitedp.proofs_check.engine.stand_ins.replacing import Attribute, put

BITS = 64
"""What is aimed at where the budget has no bound on open mass."""
SPARE_BITS = 20
"""What is explored alone leaves less open than the run that draws from it, by so many bits."""
ROUNDED_BITS = 80
"""Where mass is unresolved anyway, probabilities keep so many bits beyond those that are aimed at."""
STEP_BITS = 4
"""How much of them a chain of states may lose."""
MOST_STATES = 20_000  # each is a row of a system that is solved in rationals


def alone(coins: LazyCoins, what: str) -> AbstractContextManager[None]:
    """While something is explored alone, the run that wants its law must not draw or decide."""
    elsewhere = f"{what} draws from other coins than those that it is given, or uses their draws"
    return put([Attribute(coins, "suspended", elsewhere)])


@frozen
class SamplerLaw:
    """Outputs, each with an exact lower bound on its probability; what they leave is unresolved mass of the run that draws.

    up_to: the cumulative weights over d, from 0 on. uses, assumptions: of the samplers that it draws from in turn.
    """

    values: tuple[Any, ...]
    up_to: tuple[int, ...]
    d: int
    uses: frozenset[SamplerUse]
    assumptions: frozenset[str]

    @classmethod
    def of(
        cls,
        masses: Mapping[Hashable, mpq],
        bits: int,
        uses: frozenset[SamplerUse] = frozenset(),
        assumptions: frozenset[str] = frozenset(),
    ) -> "SamplerLaw":
        """Of probabilities by key of the output. Those that do not sum to 1 are rounded down, to 80 bits beyond `bits`."""
        pairs = [(untyped(key), p) for key, p in masses.items() if p]
        if sum((p for _, p in pairs), mpq(0)) != 1:
            unit = mpz(1) << (bits + ROUNDED_BITS)
            pairs = [(x, mpq(p.numerator * unit // p.denominator, unit)) for x, p in pairs]
            pairs = [(x, p) for x, p in pairs if p]
        if all(type(x) is int for x, _ in pairs):
            pairs.sort()
        d = lcm(mpz(1), *(p.denominator for _, p in pairs))
        up_to = accumulate((p.numerator * (d // p.denominator) for _, p in pairs), initial=mpz(0))
        return cls(tuple(x for x, _ in pairs), tuple(up_to), d, uses, assumptions)

    def used_by(self, use: SamplerUse) -> "SamplerLaw":
        """The same law, and how it was derived."""
        return evolve(self, uses=self.uses | {use})

    def draw(self, coins: LazyCoins) -> Any:  # noqa: ANN401  # an output of any kind
        """An output: integers stay undecided, one of other outputs is chosen at once."""
        coins.cost_seen = False
        coins.uses |= self.uses
        coins.assumptions |= self.assumptions
        if not self.values:
            coins.leave_open()
        if len(self.values) == 1 and self.up_to[-1] == self.d:
            return self.values[0]
        drawn = coins.drawn(self.up_to, self.d)
        if not all(type(x) is int for x in self.values):
            return self.values[drawn.__index__() - 1]
        first, last = self.values[0], self.values[-1]
        if last - first == len(self.values) - 1:
            return drawn + (first - 1)
        return cast(LazyInt, drawn).looked_up(self.values)


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
        closer = evolve(coins.rules.budget, bits=(coins.rules.budget.bits or BITS) + SPARE_BITS)
        rules: Rules = self._kept_as(key, lambda: Rules(closer, coins.rules.joint, self, alone=True))
        return rules

    def aim(self, coins: LazyCoins) -> int:
        """To which power of 1/2 a sampler is resolved."""
        return (self.rules(coins).budget.bits or BITS) - STEP_BITS

    def _kept_as(self, key: Hashable, made: Callable[[], Any]) -> Any:  # noqa: ANN401  # what is kept
        if key not in self._kept:
            self._kept[key] = made()
        return self._kept[key]

    def _exploring(self, *, copies: bool) -> AbstractContextManager[None]:
        in_copies = copies or self.in_copies
        return put([Attribute(self, "in_pure_code", copies), Attribute(self, "in_copies", in_copies)])

    # Loops of the coins

    def count_while(self, coins: LazyCoins, trial: Callable[[Any], bool]) -> int:
        """Draw how often trial(coins) is True before it is False: exactly geometric, if the trial is known exactly."""

        def derive() -> Exploration[Any]:
            with self._exploring(copies=False), alone(coins, "the trial of count_while"):
                return explored(lambda inner: loops.truth(trial(inner)), self.rules(coins))

        trials: Exploration[Any] = self._once(coins, "trial", trial, derive)
        again, ends = (trials.resolved.get(truth, mpq(0)) for truth in (True, False))
        coins.cost_seen = False
        coins.uses |= {SamplerUse("coins.count_while", alone=True), *trials.uses}
        coins.assumptions |= set(trials.assumptions)
        if not ends:
            coins.leave_open()
        return coins.endless(again, ends / (1 - again))

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
        rows = Rows(lambda inner, state: _next(step, inner, state), self.rules(coins))
        rows.uses.add(SamplerUse("coins.chain", alone=True))
        with self._exploring(copies=False), alone(coins, "a step of coins.chain"):
            return self._absorbed(coins, first, rows)

    def _absorbed(self, coins: LazyCoins, first: State, rows: Rows) -> SamplerLaw:
        bits = self.aim(coins)
        ends = absorbed(first, rows, bits, min(MOST_STATES, coins.rules.budget.runs))
        return SamplerLaw.of(ends.outputs, bits, frozenset(rows.uses), frozenset(rows.assumptions))

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
        rules = self.rules(coins)
        steps: Steps = self._kept_as(("steps", reads, rules.budget, rules.joint), lambda: Steps(copy, rules))
        first = State(("call", arguments))
        steps.begin(first, given)
        with self._exploring(copies=True):
            return self._absorbed(coins, first, steps)


def _next(step: Callable[[Any, Any], Any], coins: LazyCoins, state: State) -> State | Output:
    then = step(coins, untyped(state.key))
    return Output(typed(then.output)) if isinstance(then, loops.Stop) else State(typed(then))


def refused(error: Exception) -> str:
    """Why a sampler could not be explored alone, in one line."""
    if isinstance(error, ExplorationError | NotPureError):
        what = str(error).partition("\n")[0]
        return what if isinstance(error, NotPureError) else f"taken alone it is refused: {what}"
    try:
        return f"taken alone it raises {error!r}"
    except NotPureError:  # it holds an object that was made
        return f"taken alone it raises {type(error).__name__}"
