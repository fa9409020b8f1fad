"""One path of an explored program, how it is run, and the sums of the probabilities of many."""

from collections.abc import Callable, Hashable
from math import prod
from typing import Any, Generic, TypeVar, cast

from attrs import frozen
from gmpy2 import mpq, mpz

from finitedp.proofs_check.engine.lazy.coins import LazyCoins, OutOfDepthError, PutOffError
from finitedp.proofs_check.engine.lazy.joint import component, total
from finitedp.proofs_check.engine.lazy.settled import settled

__all__ = ["Path", "Tally", "run_once"]

R = TypeVar("R", bound=Hashable)
Program = Callable[[Any], R]


@frozen
class Path(Generic[R]):
    """One path: its output, the interval (low, high, d) that each draw was confined to, and its number of comparisons.

    The high end of a geometric draw may be None: it has no upper end.

    ranges: what each draw costs: its d, or the public bound on it where the code gives one.
    decided: whether the code asked for the value of a draw, so that its later comparisons were not seen.
    mass: the probability times all d.
    """

    output: R
    draws: tuple[tuple[int, int, int], ...]
    ranges: tuple[int, ...]
    comparisons: int
    decided: bool
    mass: mpq

    @property
    def probability(self) -> mpq:
        """The exact probability of the path."""
        return mpq(self.mass) / prod((d for _, _, d in self.draws), start=mpz(1))


def run_once(program: Program[R], coins: LazyCoins) -> Path[R] | None:
    """One path, or None where it is too long for the budget or was put off."""
    try:
        returned = program(coins)
        coins.finished = True
        output = cast(R, settled(returned))
    except (OutOfDepthError, PutOffError):
        return None
    finally:
        coins.closed = True
    if coins.exhausted:
        return None
    coins.check_end()
    draws = tuple((draw.low, cast(int, draw.high), draw.d) for draw in coins.made)
    ranges = tuple(draw.most for draw in coins.made)
    return Path(output, draws, ranges, coins.comparisons, coins.decided, _mass(coins))


def _mass(coins: LazyCoins) -> mpq:
    """The probability of a path, times all d: the product over its components."""
    mass: Any = mpz(1)
    seen = set[int]()
    for draw in coins.made:
        if draw.relations is None:
            mass *= draw.parts(draw.low, draw.high)
        elif draw.index not in seen:
            seen.update(one.index for one in component(draw))
            mass *= total(draw)
    return cast(mpq, mass)


class Tally(Generic[R]):
    """Sums of path probabilities by output, as integers over each product of draw ranges that occurs."""

    def __init__(self) -> None:
        self.leaves = 0
        self._by_ranges: dict[tuple[int, ...], dict[R, mpq]] = {}

    def add(self, path: Path[R]) -> None:
        """Count one path."""
        self.leaves += 1
        sums = self._by_ranges.setdefault(tuple(d for _, _, d in path.draws), {})
        sums[path.output] = sums.get(path.output, mpz(0)) + path.mass

    def probabilities(self) -> dict[R, mpq]:
        """Of each output, exactly."""
        total: dict[R, mpq] = {}
        for ranges, sums in self._by_ranges.items():
            denominator = prod(ranges, start=mpz(1))
            for output, mass in sums.items():
                total[output] = total.get(output, mpq(0)) + mpq(mass) / denominator
        return total
