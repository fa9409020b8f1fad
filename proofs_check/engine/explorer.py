"""The exact law of running code: the explorer runs a mechanism on lazy coins and follows every path that it can take.

A uniform draw starts as the interval 1..d. A comparison with an integer splits the interval; anything that needs the value
itself (an index, a hash, a bit operation) splits it into single values, within a budget. The mechanism is run again for each
branch, so it needs no change and cannot tell. Every path gives one output and an exact probability. What a budget leaves
unfollowed is kept as unresolved mass, never dropped; a run that does not repeat on the same branches is refused.
"""

from collections.abc import Callable, Hashable
from contextlib import suppress
from typing import Any, NoReturn, TypeVar

from attrs import evolve
from gmpy2 import mpq

from finitedp.errors import ExplorationError
from finitedp.impl.randomness.coins import Coins
from finitedp.proofs_check.deciders.tails import held_by_tails, is_tail
from finitedp.proofs_check.engine.alone.declared_samplers import Declared
from finitedp.proofs_check.engine.alone.steps import drawing_from
from finitedp.proofs_check.engine.lazy.coins import LazyCoins
from finitedp.proofs_check.engine.lazy.rules import Rules, SamplerUse
from finitedp.proofs_check.engine.limits import Budget
from finitedp.proofs_check.engine.path import Path
from finitedp.proofs_check.engine.search import Exploration, TooManyWaysError, search

__all__ = ["Budget", "Declared", "Exploration", "LazyCoins", "Path", "SamplerUse", "explore"]

R = TypeVar("R", bound=Hashable)
INLINE_RUNS, INLINE_BITS = 2_000, 20
"""How far a program is also explored inline, where samplers were taken alone."""
AT_ONCE = 1_024
"""Up to how many values a draw in place of a library's number is a number of that library at once."""
WAYS, MOST_WAYS = 4_096, 65_536
"""Runs that may come of that: with undecided draws there may be far fewer. The second: for code that takes none of these."""
FEW_RUNS, ENOUGH_RUNS = 200, 20_000
"""The runs for one more program, and after how many for the same samplers no more are made."""


def explore(
    program: Callable[[Coins], R],
    budget: Budget | None = None,
    *,
    keep_paths: bool = False,
    replay_all: bool = False,
    joint: bool = False,
    samplers: Declared | None = None,
    watch: Callable[[float], bool] | None = None,
    patience: float = 0.0,
    undecided: bool = False,
) -> Exploration[R]:
    """The exact law of program(coins).

    Likely branches are followed first, so that a loop without a bound leaves as little unresolved mass as the budget allows.

    Parameters: program, a function of coins that returns a hashable value without floats; budget, by default one without a
    bound on mass, so that every path is followed; keep_paths, whether to keep the paths themselves; replay_all, whether to run
    every path twice and compare (else the 1st, 2nd, 4th, 8th, ...); joint, whether a comparison of two draws is kept as a
    relation between them, else one of them is split into its values; samplers, functions that are taken alone; watch, called
    with the open mass before each run (a float, for a glance only): whether to stop; patience, the
    seconds before which a search is not given up where there is no prospect of reaching the bound on mass; undecided, whether
    draws of few values are no numbers at once, so that what is compared of them is seen. Where a sampler was
    taken alone, or a loop of the coins, the program is also explored inline, for up to 2,000 runs (200 once 20,000 were made
    for the same samplers), and the laws must agree.
    Raises: ExplorationError for what cannot be followed, for code that does not repeat itself, and for laws that contradict
    each other; BudgetError where a draw would have to be split too finely.
    """
    limits, declared = budget or Budget(bits=None), samplers or Declared(())
    with declared.in_place():
        rules = Rules(limits, joint, declared.solver, allowance=declared.allowance)
        exploration = _searched(
            program, rules, watch, undecided=undecided, keep_paths=keep_paths, replay_all=replay_all, patience=patience
        )
    if not exploration.cost_seen:
        inline = _checked_inline(program, limits, joint, exploration, declared, watch)
        exploration = evolve(exploration, sampled=exploration.sampled or inline.sampled or inline.unresolved > 0)
    return evolve(exploration, uses=(*exploration.uses, *declared.unused(exploration.uses)))


def _searched(
    program: Callable[[Coins], R],
    rules: Rules,
    watch: Callable[[float], bool] | None,
    *,
    undecided: bool = False,
    **options: Any,  # noqa: ANN401  # of search()
) -> Exploration[R]:
    """By draws of few values that are numbers at once; where that takes too much, by undecided ones, if code takes them."""

    def drawing(coins: LazyCoins) -> R:
        output: R = drawing_from(coins, program)
        return output

    def searched(rules: Rules) -> Exploration[R]:
        return search(drawing, rules, watch=watch, **options)

    if undecided:
        return searched(rules)
    with suppress(TooManyWaysError):
        return searched(evolve(rules, at_once=AT_ONCE, ways=WAYS))
    try:
        return searched(rules)
    except ExplorationError:
        with suppress(TooManyWaysError):
            return searched(evolve(rules, at_once=AT_ONCE, ways=MOST_WAYS))
        raise


def _checked_inline(
    program: Callable[[Coins], R],
    limits: Budget,
    joint: bool,
    exploration: Exploration[R],
    declared: Declared,
    watch: Callable[[float], bool] | None,
) -> Exploration[R]:
    """What is found inline: each bound on a probability must allow the other exploration's. Raises: ExplorationError."""
    bits = min(limits.bits or INLINE_BITS, INLINE_BITS)
    runs = INLINE_RUNS if declared.inline_runs < ENOUGH_RUNS else FEW_RUNS
    rules = Rules(evolve(limits, runs=min(limits.runs, runs), bits=bits), joint, allowance=declared.allowance)
    inline = _searched(program, rules, watch)
    declared.inline_runs += inline.leaves
    tails = {output: mass for output, mass in exploration.resolved.items() if is_tail(output)}
    outputs = (exploration.resolved.keys() | inline.resolved.keys()) - tails.keys()
    held = held_by_tails(tails, outputs)
    for output in outputs:
        mass = exploration.resolved.get(output, mpq(0)) + held.get(output, mpq(0))
        seen = inline.resolved.get(output, mpq(0))
        if mass > seen + inline.unresolved or seen > mass + exploration.unresolved:
            _refuse_other_law(output)
    if sum(tails.values(), -sum(held.values(), mpq(0))) > inline.unresolved:
        _refuse_other_law(next(iter(tails)))
    return inline


def _refuse_other_law(output: object) -> NoReturn:
    raise ExplorationError(
        f"with samplers taken alone the output {output!r} has another probability than inline, so that one of them depends "
        "on more than its arguments; accepted: samplers without state"
    )
