"""The exact law of running code that stands on dyadic tables, by the outcomes of each draw instead of its words.

The explorer follows words, and finds for each draw the classes of words that the code tells apart; for code with many draws
those are too many. Here a draw of a DyadicSample is one choice among its outcomes, with the weights of its distribution
function. That DyadicSample has that law is a claim of its own, FD.Dyadic.law; everything else is the running code.
"""

from collections.abc import Callable, Hashable
from itertools import pairwise
from typing import Any, TypeVar

from attrs import evolve
from gmpy2 import mpz

from finitedp.errors import BudgetError, ExplorationError
from finitedp.impl.counting.dyadic import DyadicSample
from finitedp.spec.pmf import Pmf

R = TypeVar("R", bound=Hashable)
Options = tuple[tuple[int, int], ...]


class Choices:
    """Coins of which only `choose` is asked: a depth-first walk through all choices, by replay."""

    def __init__(self) -> None:
        self._path: list[list[Any]] = []  # [options, the one that is taken]
        self._next = 0
        self.weight: int = mpz(1)

    def begin(self) -> None:
        """Start the next path."""
        self._next, self.weight = 0, mpz(1)

    def choose(self, options: Options) -> int:
        """The outcome of the option that this path takes."""
        if self._next == len(self._path):
            self._path.append([options, 0])
        listed, taken = self._path[self._next]
        if listed is not options and listed != options:
            raise ExplorationError("the code chose among other outcomes when it was run again: it is not deterministic")
        self._next += 1
        outcome, weight = listed[taken]
        self.weight *= weight
        return int(outcome)

    @property
    def depth(self) -> int:
        """How many choices this path took."""
        return self._next

    def advance(self) -> bool:
        """Whether there is another path; it is then the next."""
        if self._next != len(self._path):
            raise ExplorationError("the code made fewer choices when it was run again: it is not deterministic")
        while self._path and self._path[-1][1] + 1 == len(self._path[-1][0]):
            self._path.pop()
        if self._path:
            self._path[-1][1] += 1
        return bool(self._path)

    def bits(self, b: int) -> int:
        """Refused: every draw is to be a choice."""
        raise ExplorationError(f"bits({b}) was drawn besides the listed outcomes")

    def uniform(self, d: int, most: int | None = None) -> int:
        """Refused, as `bits`."""
        raise ExplorationError(f"uniform({d}) was drawn besides the listed outcomes")


class Listed:
    """A DyadicSample whose release is a choice among its outcomes. All else is the mechanism's."""

    def __init__(self, mechanism: DyadicSample) -> None:
        self._mechanism = mechanism
        self._options: dict[int, Options] = {}

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401  # as the mechanism's
        return getattr(self._mechanism, name)

    def release(self, count: int, coins: Choices) -> int:
        """One of the noisy counts. Raises: DataError, as the mechanism, for a count out of range."""
        if count not in self._options:
            self._mechanism.apply(count, 1)  # refuses what the mechanism refuses
            below = [self._mechanism.cdf(count, z) for z in range(-1, self._mechanism.n + 1)]
            steps = ((z, high - low) for z, (low, high) in enumerate(pairwise(below)))
            self._options[count] = tuple((z, weight) for z, weight in steps if weight)
        return coins.choose(self._options[count])


def with_listed_noise(mechanism: Any, names: tuple[str, ...]) -> Any:  # noqa: ANN401  # a frozen attrs class
    """A copy of a mechanism whose cached properties of these names are listed, not sampled."""
    copy = evolve(mechanism)
    copy.__dict__.update({name: Listed(getattr(mechanism, name)) for name in names})
    return copy


def law_by_outcomes(program: Callable[[Any], R], bits: int, most: int = 1 << 20) -> Pmf[R]:
    """The law of program(coins), where each choice has weights of the sum 2^bits.

    Raises: BudgetError for more than `most` paths, ExplorationError for code that draws in another way.
    """
    coins, paths = Choices(), 0
    found: dict[R, dict[int, int]] = {}
    while True:
        coins.begin()
        outcome = program(coins)
        by_depth = found.setdefault(outcome, {})
        by_depth[coins.depth] = by_depth.get(coins.depth, mpz(0)) + coins.weight
        paths += 1
        if paths > most:
            raise BudgetError(f"more than {most} paths of outcomes")
        if not coins.advance():
            break
    deepest = max(depth for by_depth in found.values() for depth in by_depth)
    return Pmf({out: sum(w << bits * (deepest - depth) for depth, w in by.items()) for out, by in found.items()})
