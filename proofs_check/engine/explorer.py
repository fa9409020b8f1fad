"""The exact law of running code: the explorer runs a mechanism on lazy coins and follows every path that it can take.

A uniform draw starts as the interval 1..d. A comparison with an integer splits the interval; anything that needs the value
itself (an index, a hash, a bit operation) splits it into single values, within a budget. The mechanism is run again for each
branch, so it needs no change and cannot tell. Every path gives one output and an exact probability. What a budget leaves
unfollowed is kept as unresolved mass, never dropped; a run that does not repeat on the same branches is refused.
"""

import heapq
from collections.abc import Callable, Hashable, Mapping
from math import prod
from typing import Generic, NamedTuple, NoReturn, TypeVar, cast

from attrs import frozen
from gmpy2 import lcm, mpq, mpz

from finitedp.errors import BudgetError, ExplorationError
from finitedp.impl.randomness.coins import Coins
from finitedp.proofs_check.engine.lazy import Draw, LazyInt, caller_line, settled
from finitedp.proofs_check.engine.limits import Budget
from finitedp.spec.pmf import Pmf

__all__ = ["Budget", "Exploration", "LazyCoins", "Path", "explore"]

R = TypeVar("R", bound=Hashable)


@frozen
class Path(Generic[R]):
    """One path: its output, the interval (low, high, d) that each draw was confined to, and its number of comparisons.

    ranges: what each draw costs: its d, or the public bound on it where the code gives one.
    decided: whether the code asked for the value of a draw, so that its later comparisons were not seen.
    """

    output: R
    draws: tuple[tuple[int, int, int], ...]
    ranges: tuple[int, ...]
    comparisons: int
    decided: bool

    @property
    def probability(self) -> mpq:
        """The exact probability of the path."""
        mass = mpq(1)
        for low, high, d in self.draws:
            mass *= mpq(high - low + 1, d)
        return mass


@frozen
class Exploration(Generic[R]):
    """What the explorer found: exact probabilities of outputs, and the mass that it did not resolve.

    resolved: a lower bound on the probability of each output, exact where unresolved is 0.
    unresolved: the exact probability of all paths that the budget cut off.
    leaves: the number of finished paths. shapes: for each path the ranges of its draws and its number of comparisons of lazy
    values. decided: whether some path asked for the value of a draw (an index, a remainder, int()), so that what it did with
    it was not seen. paths: kept only on demand.
    """

    resolved: Mapping[R, mpq]
    unresolved: mpq
    leaves: int
    shapes: frozenset[tuple[tuple[int, ...], int]]
    decided: bool
    paths: tuple[Path[R], ...]

    def law(self) -> Pmf[R]:
        """The exact law. Raises: ExplorationError where mass is unresolved."""
        if self.unresolved:
            raise ExplorationError(
                f"mass {self.unresolved} is unresolved after {self.leaves} paths, so the law is not known exactly: "
                "raise the budget, or use bounds() if the code has a loop without a bound"
            )
        return self.resolved_law()

    def resolved_law(self) -> Pmf[R]:
        """The law conditioned on the paths that were followed to their end. Raises: ExplorationError if there were none."""
        if not self.resolved:
            raise ExplorationError("no path was followed to its end within the budget")
        common = lcm(*(mass.denominator for mass in self.resolved.values()))
        return Pmf({x: mass.numerator * (common // mass.denominator) for x, mass in self.resolved.items()})

    def bounds(self, output: R) -> tuple[mpq, mpq]:
        """The exact interval that the probability of an output lies in."""
        low = self.resolved.get(output, mpq(0))
        return low, low + self.unresolved

    @property
    def same_cost(self) -> bool:
        """Whether every path is known to make the same draws and comparisons.

        False where mass is unresolved, and where the code asked for a value, since it may then compare in ways not seen.
        """
        return not self.unresolved and not self.decided and len(self.shapes) == 1


_NOT_REPEATED = (
    "the code does not repeat itself on the same draws (it uses other randomness, or keeps state between runs), so it has "
    "no law that the explorer can derive"
)


class _Decision(NamedTuple):
    """A branch of the tree of paths: which draw was split, at what, and which part was taken; linked to the one before."""

    before: "_Decision | None"
    where: tuple[int, int, int]
    below: bool


class _OutOfDepthError(BaseException):
    """Ends a run whose path is too long. Not an Exception, so that ordinary code does not catch it."""


class LazyCoins:
    """The explorer's coins: uniform draws that are intervals until the code compares them.

    One object serves one run. It follows the decisions of a given branch and then takes the first part of each new split,
    handing the other parts to `postpone`.
    """

    slack = mpq(1)

    def __init__(self, branch: _Decision | None, postpone: Callable[[int, _Decision], None], budget: Budget) -> None:
        self._script = _unlinked(branch)
        self._last: _Decision | None = None
        self._depth = 0
        self._rarity = 0
        self._postpone = postpone
        self._budget = budget
        self.made: list[Draw] = []
        self.comparisons = 0
        self.decided = False
        self.finished = False
        self.exhausted = False
        self.refusal: ExplorationError | None = None

    @property
    def branch(self) -> _Decision | None:
        """The decisions of this run so far."""
        return self._last

    def check_end(self) -> None:
        """Raises: ExplorationError where a refusal was swallowed, or the run ended before its branch did."""
        if self.refusal is not None:
            raise self.refusal
        if self._depth < len(self._script):
            raise ExplorationError(f"the run ended early: {_NOT_REPEATED}")

    def uniform(self, d: int, most: int | None = None) -> int:
        """Uniform on 1..d. Raises: ExplorationError unless d is an integer of at least 1, and at most `most`."""
        if isinstance(d, LazyInt):
            d = d.__index__()
        if isinstance(d, bool) or not (isinstance(d, int) or type(d) is mpz) or d < 1:
            self.refuse(f"uniform({d!r}) {caller_line()}: accepted: an integer d >= 1")
        if most is not None and d > most:
            self.refuse(f"uniform({d!r}) {caller_line()} is above its bound most = {most!r}")
        if len(self.made) >= self._budget.draws:
            self._give_up()
        draw = Draw(len(self.made), d, d if most is None else most)
        self.made.append(draw)
        return cast(int, LazyInt(self, draw))

    def bits(self, b: int) -> int:
        """Uniform on 0..2^b - 1."""
        if isinstance(b, LazyInt):
            b = b.__index__()
        return self.uniform(mpz(1) << b) - 1

    def below(self, draw: Draw, bound: int) -> bool:
        """Whether the draw is below `bound`, splitting its interval there if both answers are possible."""
        if bound > draw.high:
            return True
        if bound <= draw.low:
            return False
        sizes = bound - draw.low, draw.high - bound + 1
        if self._decide(draw, bound, sizes):
            draw.high = bound - 1
            return True
        draw.low = bound
        return False

    def allow(self, values: int) -> None:
        """Raises: BudgetError where splitting a draw into so many values is more than the fanout allows."""
        if values > self._budget.fanout:
            shown = str(values) if values < 10**12 else f"about 2^{values.bit_length() - 1}"
            self.refusal = BudgetError(
                f"{caller_line()} needs the value of a draw that can still take {shown} values, more than the budget's "
                f"fanout of {self._budget.fanout}: compare it instead, draw from a smaller range, or raise the fanout"
            )
            raise self.refusal

    def decide(self) -> None:
        """The code asks for a value (after its end, only its output is read)."""
        self.decided = self.decided or not self.finished

    def refuse(self, message: str) -> NoReturn:
        """Raise an ExplorationError, and keep it in case the explored code swallows it."""
        self.refusal = ExplorationError(message)
        raise self.refusal

    def _give_up(self) -> NoReturn:
        """End a run that is too long for the budget, even if the explored code has an `except:` that catches it."""
        self.exhausted = True
        raise _OutOfDepthError

    def _decide(self, draw: Draw, bound: int, sizes: tuple[int, int]) -> bool:
        """Whether this run follows the part below the bound; a new split postpones the other part."""
        if self._depth < len(self._script):
            decision = self._script[self._depth]
            if decision.where != (draw.index, draw.d, bound):
                self.refuse(f"{caller_line()}: {_NOT_REPEATED}")
        else:
            if self._depth >= self._budget.depth:
                self._give_up()
            decision = _Decision(self._last, (draw.index, draw.d, bound), sizes[0] >= sizes[1])
            other = decision._replace(below=not decision.below)
            self._postpone(self._rarity + _loss(sizes, other.below), other)
        self._rarity += _loss(sizes, decision.below)
        self._depth += 1
        self._last = decision
        return decision.below


def _loss(sizes: tuple[int, int], below: bool) -> int:
    """About how many bits of probability a split costs: only used to follow likely branches first."""
    return sum(sizes).bit_length() - sizes[0 if below else 1].bit_length()


def _unlinked(branch: _Decision | None) -> list[_Decision]:
    script: list[_Decision] = []
    while branch is not None:
        script.append(branch)
        branch = branch.before
    script.reverse()
    return script


def explore(
    program: Callable[[Coins], R], budget: Budget | None = None, *, keep_paths: bool = False, replay_all: bool = False
) -> Exploration[R]:
    """The exact law of program(coins).

    Likely branches are followed first, so that a loop without a bound leaves as little unresolved mass as the budget allows.

    Parameters: program, a function of coins that returns a hashable value without floats; budget; keep_paths, whether to
    keep the paths themselves; replay_all, whether to run every path twice and compare (else the 1st, 2nd, 4th, 8th, ...).
    Raises: ExplorationError for what cannot be followed and for code that does not repeat itself, BudgetError where a draw
    would have to be split too finely.
    """
    limits = budget or Budget()
    pending: list[tuple[int, int, _Decision | None]] = [(0, 0, None)]
    tally, shapes, paths = _Tally[R](), set[tuple[tuple[int, ...], int]](), list[Path[R]]()
    runs, order, decided, cut_off = 0, 0, False, False

    def postpone(rarity: int, branch: _Decision) -> None:
        nonlocal order
        order -= 1  # among equally likely branches the newest first, which keeps few of them waiting
        heapq.heappush(pending, (rarity, order, branch))

    while pending and runs < limits.runs:
        coins = LazyCoins(heapq.heappop(pending)[2], postpone, limits)
        path = _run(program, coins)
        runs += 1
        if replay_all or runs & (runs - 1) == 0:
            _replay(program, coins.branch, path, limits)
        if path is None:
            cut_off = True
            continue
        tally.add(path)
        shapes.add((path.ranges, path.comparisons))
        decided = decided or path.decided
        if keep_paths:
            paths.append(path)
    resolved = tally.probabilities()
    unresolved = 1 - sum(resolved.values(), mpq(0))
    if unresolved < 0 or (unresolved > 0 and not pending and not cut_off):
        raise ExplorationError(f"the paths' probabilities sum to {1 - unresolved}: {_NOT_REPEATED}")
    return Exploration(resolved, unresolved, tally.leaves, frozenset(shapes), decided, tuple(paths))


def _run(program: Callable[[Coins], R], coins: LazyCoins) -> Path[R] | None:
    """One path, or None where it is too long for the budget."""
    try:
        returned = program(coins)
        coins.finished = True
        output = cast(R, settled(returned))
    except _OutOfDepthError:
        return None
    if coins.exhausted:
        return None
    coins.check_end()
    draws = tuple((draw.low, draw.high, draw.d) for draw in coins.made)
    return Path(output, draws, tuple(draw.most for draw in coins.made), coins.comparisons, coins.decided)


def _replay(program: Callable[[Coins], R], branch: _Decision | None, first: Path[R] | None, limits: Budget) -> None:
    """Run a path once more: the same decisions must give the same path."""
    again = _run(program, LazyCoins(branch, lambda _rarity, _branch: None, limits))
    if again != first:
        raise ExplorationError(f"two runs on the same draws differ: {_NOT_REPEATED}")


class _Tally(Generic[R]):
    """Sums of path probabilities by output, as integers over each product of draw ranges that occurs."""

    def __init__(self) -> None:
        self.leaves = 0
        self._by_ranges: dict[tuple[int, ...], dict[R, int]] = {}

    def add(self, path: Path[R]) -> None:
        self.leaves += 1
        mass: int = mpz(1)
        for low, high, _ in path.draws:
            mass *= high - low + 1
        sums = self._by_ranges.setdefault(tuple(d for _, _, d in path.draws), {})
        sums[path.output] = sums.get(path.output, mpz(0)) + mass

    def probabilities(self) -> dict[R, mpq]:
        total: dict[R, mpq] = {}
        for ranges, sums in self._by_ranges.items():
            denominator = prod(ranges, start=mpz(1))
            for output, mass in sums.items():
                total[output] = total.get(output, mpq(0)) + mpq(mass, denominator)
        return total
