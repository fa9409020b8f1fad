"""Loops without a bound that the coins own, so that their laws are known: geometric draws, counts, chains of states.

They end with probability 1 and have no bound on their time, so that they are no part of the port `Coins`. ExactCoins has
them, and so have the explorer's coins, which derive their laws without running them to their ends.
"""

from collections.abc import Callable
from typing import Any, Protocol, TypeVar

from attrs import frozen
from gmpy2 import mpq

from finitedp.errors import CoinsError
from finitedp.exact import RationalLike, rational

__all__ = ["LoopingCoins", "Stop", "chain", "checked_ratio", "count_while", "geometric", "truth"]

C = TypeVar("C", bound="_Uniform")


class _Uniform(Protocol):
    def uniform(self, d: int, most: int | None = None) -> int: ...


@frozen
class Stop:
    """What a step of a chain returns to end it. Parameters: output, of the chain."""

    output: Any


class LoopingCoins:
    """Coins with loops of their own: a base for classes that have uniform()."""

    def geometric(self: C, p: RationalLike) -> int:
        """0, 1, 2, ... with the probabilities (1 - p) p^k. Raises: CoinsError unless 0 <= p < 1.

        Cost: 1/(1 - p) draws on average.
        """
        return geometric(self, checked_ratio(p))

    def count_while(self: C, trial: Callable[[C], bool]) -> int:
        """How often trial(coins) is True before it is False: geometric where trial draws from its coins and is pure."""
        return count_while(self, trial)

    def chain(self: C, step: Callable[[C, Any], Any], state: Any) -> Any:  # noqa: ANN401  # states and outputs of any kind
        """The output of the chain state, step(coins, state), ...: the first Stop(output) ends it."""
        return chain(self, step, state)


def checked_ratio(p: RationalLike) -> mpq:
    """A rational of at least 0 and below 1. Raises: CoinsError."""
    ratio = rational(p, "p")
    if not 0 <= ratio < 1:
        raise CoinsError(f"geometric({ratio}) has no outcome; accepted: a rational of at least 0 and below 1")
    return ratio


def geometric(coins: _Uniform, p: mpq) -> int:
    """How often a draw is within the share p of its range before it is not."""
    return count_while(coins, lambda c: c.uniform(int(p.denominator)) <= int(p.numerator))


def count_while(coins: C, trial: Callable[[C], bool]) -> int:
    """How often trial(coins) is True before it is False, by running it. Raises: CoinsError for another answer."""
    number = 0
    while truth(trial(coins)):
        number += 1
    return number


def chain(coins: C, step: Callable[[C, Any], Any], state: Any) -> Any:  # noqa: ANN401  # states and outputs of any kind
    """The output of a chain of states, by running it."""
    while not isinstance(state, Stop):
        state = step(coins, state)
    return state.output


def truth(answer: object) -> bool:
    """The answer of a trial. Raises: CoinsError for anything but True or False."""
    if not isinstance(answer, bool):
        raise CoinsError(f"the trial returned {answer!r}; accepted: True or False")
    return answer
