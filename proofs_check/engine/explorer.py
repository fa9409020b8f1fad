"""The exact law of running code: the explorer runs a mechanism on lazy coins and follows every path that it can take.

A uniform draw starts as the interval 1..d. A comparison with an integer splits the interval; anything that needs the value
itself (an index, a hash, a bit operation) splits it into single values, within a budget. The mechanism is run again for each
branch, so it needs no change and cannot tell. Every path gives one output and an exact probability. What a budget leaves
unfollowed is kept as unresolved mass, never dropped; a run that does not repeat on the same branches is refused.
"""

from collections.abc import Callable, Hashable
from typing import TypeVar

from finitedp.impl.randomness.coins import Coins
from finitedp.proofs_check.engine.lazy_coins import LazyCoins, Rules, SamplerUse
from finitedp.proofs_check.engine.limits import Budget
from finitedp.proofs_check.engine.search import Exploration, Path, search

__all__ = ["Budget", "Exploration", "LazyCoins", "Path", "SamplerUse", "explore"]

R = TypeVar("R", bound=Hashable)


def explore(
    program: Callable[[Coins], R],
    budget: Budget | None = None,
    *,
    keep_paths: bool = False,
    replay_all: bool = False,
    joint: bool = False,
    watch: Callable[[float], bool] | None = None,
) -> Exploration[R]:
    """The exact law of program(coins).

    Likely branches are followed first, so that a loop without a bound leaves as little unresolved mass as the budget allows.

    Parameters: program, a function of coins that returns a hashable value without floats; budget, by default one without a
    bound on mass, so that every path is followed; keep_paths, whether to keep the paths themselves; replay_all, whether to run
    every path twice and compare (else the 1st, 2nd, 4th, 8th, ...); joint, whether a comparison of two draws is kept as a
    relation between them, else one of them is split into its values; watch, called with the open mass before each run, a float
    for a glance only: whether to stop there.
    Raises: ExplorationError for what cannot be followed and for code that does not repeat itself, BudgetError where a draw
    would have to be split too finely.
    """
    return search(program, Rules(budget or Budget(bits=None), joint), keep_paths=keep_paths, replay_all=replay_all, watch=watch)
