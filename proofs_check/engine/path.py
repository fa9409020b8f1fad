"""One path of an explored program: how it is run, what it returned, and the sums of the probabilities of many."""

from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction
from math import prod
from typing import Any, Generic, TypeVar, cast

from attrs import frozen
from gmpy2 import mpq, mpz

from finitedp.errors import ExplorationError
from finitedp.proofs_check.deciders.partial_law import Tail
from finitedp.proofs_check.engine.lazy.coins import LazyCoins, OutOfDepthError, PutOffError
from finitedp.proofs_check.engine.lazy.draws import Draw, GeometricDraw, image
from finitedp.proofs_check.engine.lazy.integers import LazyInt
from finitedp.proofs_check.engine.lazy.joint import component, total

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
        output = cast(R, plain_output(returned))
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


def tail_of(output: object, made: Sequence[Draw]) -> Tail | None:
    """The values of an integer that is a geometric draw without an end, plus an integer, or subtracted from one; else None.

    Parameters: made, the draws of the run, of which it must be one: whatever is another's is refused where it is decided.
    What is known of the draw is that it is at least draw.low; from there on it is geometric again.
    """
    if type(output) is not LazyInt:
        return None
    draw, chain = output.parts()
    if type(draw) is not GeometricDraw or draw.high is not None or draw not in made:
        return None
    if any(operation not in ("+", "-") and (operation, k) != ("*", 1) for operation, k in chain):
        return None
    falls = sum(operation == "-" for operation, _ in chain) % 2
    return Tail(int(image(chain, draw.low)), draw.p, -1 if falls else 1)


def plain_output(output: object) -> object:
    """An output with all lazy integers decided. Raises: ExplorationError for a float or an unhashable value."""
    if type(output) is LazyInt:
        return output.__index__()
    if type(output) is Fraction:  # arithmetic with a lazy integer leaves one inside
        return Fraction(int(output.numerator), int(output.denominator))
    if isinstance(output, float | complex):
        raise ExplorationError(f"the output holds the {type(output).__name__} {output!r}; accepted: values without floats")
    if isinstance(output, tuple):
        parts = [plain_output(part) for part in output]
        return output._make(parts) if hasattr(output, "_make") else tuple(parts)
    if isinstance(output, frozenset):
        return frozenset(plain_output(part) for part in output)
    try:
        hash(output)
    except TypeError:
        message = (
            f"the output is a {type(output).__name__}, which is not hashable; accepted: numbers, strings, tuples, frozensets"
        )
        raise ExplorationError(message) from None
    return output


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
