"""The search through the tree of paths of a program: likely branches first, until little enough mass is open.

Every path gives one output and an exact probability. What a budget leaves unfollowed is unresolved mass, never dropped; a run
that does not repeat itself on the same branch is refused.
"""

import heapq
import threading
from collections.abc import Callable, Hashable, Mapping
from math import log2
from time import monotonic
from typing import Any, Generic, TypeVar, cast

from attrs import frozen
from gmpy2 import lcm, mpq

from finitedp.errors import ExplorationError
from finitedp.proofs_check.engine.lazy.coins import NOT_REPEATED, LazyCoins, OutOfDepthError
from finitedp.proofs_check.engine.lazy.plain import PlainRuns
from finitedp.proofs_check.engine.lazy.rules import Decision, Rules, SamplerUse
from finitedp.proofs_check.engine.path import Path, Tally, run_once
from finitedp.proofs_check.engine.stand_ins.replacing import Attribute, put
from finitedp.spec.pmf import Pmf

R = TypeVar("R", bound=Hashable)
Program = Callable[[Any], R]
SPARE_BITS = 8
"""A run is put off where its mass is below the open mass that is aimed at by so many bits more."""
RARE_RUNS = 4_000
"""Runs, beyond the bound on mass, that look whether the program is finite."""
RARE_UNENDING_RUNS = 100
"""The same where a draw has infinitely many values, so that the number of draws bounds nothing."""
FIRST_LOOK = 2_048
"""Runs after which, and after twice as many again and again, it is asked whether the bound on mass can be reached."""
LOOPING = 32
"""Which part of its runs, one in so many, code may need whose paths still become longer."""
MARGIN = 2
"""How many times faster than before, for each doubling of runs, the open mass may have to shrink."""
PATIENCE = 64
"""Before it is given up a search may take as much of a 64th of its runs as is open of the whole mass."""
REPLAYS = 8
"""Replays that the first runs get together: code with few paths is run so often all the same."""


@frozen
class Exploration(Generic[R]):
    """What the explorer found: exact probabilities of outputs, and the mass that it did not resolve.

    resolved: a lower bound on the probability of each output, exact where unresolved is 0.
    unresolved: the exact probability of all paths that the budget cut off.
    leaves: the number of finished paths. shapes: for each path the ranges of its draws and its number of comparisons of lazy
    values. decided: whether some path asked for the value of a draw (an index, a remainder, int()), so that what it did with
    it was not seen. paths: kept only on demand. uses: how the declared samplers and the coins' own loops were taken.
    assumptions: what the law rests on besides the explorer. cost_seen: False where a sampler or a loop was taken alone, so
    that its cost was not seen. longest: the most draws of a finished path. given_up: after how many runs the search ended
    since there was no prospect of reaching the bound on mass; else None. sampled: whether some path was run again with plain
    integers at some of its points only, or not at all.
    """

    resolved: Mapping[R, mpq]
    unresolved: mpq
    leaves: int
    shapes: frozenset[tuple[tuple[int, ...], int]]
    decided: bool
    paths: tuple[Path[R], ...]
    uses: tuple[SamplerUse, ...] = ()
    assumptions: tuple[str, ...] = ()
    cost_seen: bool = True
    longest: int = 0
    given_up: int | None = None
    sampled: bool = False

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

        False where mass is unresolved, where the code asked for a value, since it may then compare in ways not seen, and where
        the cost of a sampler was not seen.
        """
        return self.cost_seen and not self.unresolved and not self.decided and len(self.shapes) == 1


class _Frontier:
    """The branches that wait, likely ones first; among equally likely branches the newest, which keeps few of them waiting."""

    def __init__(self, whole: int) -> None:
        self.mass = whole
        self._heap: list[tuple[int, int, Decision | None]] = [(-whole, 0, None)]
        self._order = 0

    def __bool__(self) -> bool:
        return bool(self._heap)

    def push(self, branch: Decision) -> None:
        self._order -= 1
        self.mass += branch.mass
        heapq.heappush(self._heap, (-branch.mass, self._order, branch))

    def pop(self) -> tuple[int, Decision | None]:
        negated, _, branch = heapq.heappop(self._heap)
        self.mass += negated
        return -negated, branch


@frozen
class _Phase:
    """Until which number of runs and open mass to go on, below which mass to put a run off, and how often it may draw."""

    runs: int
    mass: int = 0
    floor: int = 0
    most_draws: int | None = None


def search(
    program: Program[R],
    rules: Rules,
    *,
    keep_paths: bool = False,
    replay_all: bool = False,
    watch: Callable[[float], bool] | None = None,
    patience: float = 0.0,
) -> Exploration[R]:
    """The law of program(coins) as far as the budget of the rules goes. Raises: ExplorationError, TooManyWaysError.

    Parameters: as explore().
    """
    going = _Search[R](program, rules, keep_paths, replay_all, watch, patience)
    with put([] if watch is None else [Attribute(_around, "stop", going.is_stopped)]):
        return _followed(going, rules)


class TooManyWaysError(Exception):
    """Ends a search with draws that are numbers at once, which needs more runs than its rules allow, or looks hopeless."""


class _Around(threading.local):
    """Whether the exploration that the one at hand is a part of, a sampler's say, was asked to stop."""

    stop: Callable[[], bool] | None = None


_around = _Around()


def _followed(going: "_Search[R]", rules: Rules) -> Exploration[R]:
    budget = rules.budget
    if budget.bits is None:
        going.follow(_Phase(budget.runs))
    else:
        aim = rules.unit >> budget.bits
        going.follow(_Phase(budget.runs, aim, aim >> SPARE_BITS))
        if going.hopeless:
            return going.exploration()
        extra = RARE_UNENDING_RUNS if going.unending else max(going.runs, RARE_RUNS)
        more = min(budget.runs, going.runs + extra)
        going.follow(_Phase(more, most_draws=max(going.longest, 1)))
    return going.exploration()


class _Search(Generic[R]):
    """One search: what waits, and what was found."""

    def __init__(
        self,
        program: Program[R],
        rules: Rules,
        keep_paths: bool,
        replay_all: bool,
        watch: Callable[[float], bool] | None,
        patience: float = 0.0,
    ) -> None:
        self._watch = watch
        self._patient_until = monotonic() + patience
        self.runs = self.longest = 0
        self.unending = self.hopeless = False
        self._program = program
        self._rules = rules
        self._keep_paths = keep_paths
        self._replay_all = replay_all
        self._pending = _Frontier(rules.unit)
        self._tally = Tally[R]()
        self._shapes = set[tuple[tuple[int, ...], int]]()
        self._paths = list[Path[R]]()
        self._uses = set[SamplerUse]()
        self._assumptions = set[str]()
        self._decided = self._incomplete = False
        self._cost_seen = True
        self._cut = 0
        self._looks = dict[int, tuple[float, int]]()
        self._plain = PlainRuns(every=replay_all)
        self._at_once = False

    def is_stopped(self) -> bool:
        """Whether who watches asks to stop."""
        open_mass = int(self._pending.mass + self._cut) / int(self._rules.unit)
        return self._watch is not None and self._watch(open_mass)

    def follow(self, phase: _Phase) -> None:
        """Run one branch after another."""
        while self._pending and self._has_runs(phase) and (not phase.mass or self._pending.mass + self._cut > phase.mass):
            if phase.mass and self._is_hopeless(phase):
                self._check_ways()
                self.hopeless = True
                return
            if self._watch is not None and self.is_stopped():
                return
            if self._watch is None and _around.stop is not None and _around.stop():
                raise OutOfDepthError  # the whole path that wants the law of this part stays open
            mass, branch = self._pending.pop()
            floor = min(phase.floor, mass >> SPARE_BITS)
            coins = LazyCoins(branch, self._pending.push, self._rules, floor, phase.most_draws)
            path = self._run(coins)
            self.runs += 1
            self._at_once = self._at_once or coins.ways > 1
            if coins.ways > self._rules.ways:
                self._check_ways()
            if coins.put_off:
                self._pending.push(cast(Decision, coins.branch))
            else:
                self._take(coins, path, phase)

    def _run(self, coins: LazyCoins) -> Path[R] | None:
        try:
            return run_once(self._program, coins)
        except Exception as error:
            self._plain.check_error(self._program, coins, error)
            raise

    def _has_runs(self, phase: _Phase) -> bool:
        if self.runs >= min(self._rules.budget.runs, self._rules.ways):
            self._check_ways()
        return self.runs < phase.runs

    def _check_ways(self) -> None:
        if self._at_once:
            raise TooManyWaysError

    def _is_hopeless(self, phase: _Phase) -> bool:
        """Whether, as the open mass shrinks, many more runs than the budget has are needed, and paths still become longer.

        Asked where the number of runs doubles. A loop in which two different rounds go on has exponentially many paths. While
        much is open nothing is known yet, and code that ends may be near its end: then more runs are made before it is said.
        """
        if self.runs < FIRST_LOOK or self.runs & (self.runs - 1) or self.runs in self._looks:
            return False
        to_go = log2(int(self._pending.mass + self._cut)) - log2(int(phase.mass))
        self._looks[self.runs] = to_go, self.longest
        if len(self._looks) == 1:
            return False
        (before, length), (now, longest) = list(self._looks.values())[-2:]
        if monotonic() < self._patient_until:
            return False
        if self.runs * PATIENCE * self._rules.unit < phase.runs * (self._pending.mass + self._cut):
            return False
        return longest > length and now > (before - now) * max(0.0, log2(phase.runs / LOOPING / self.runs)) * MARGIN

    def _take(self, coins: LazyCoins, path: Path[R] | None, phase: _Phase) -> None:
        if self._replay_all or self.runs & (self.runs - 1) == 0:
            for _ in range(max(1, REPLAYS // self.runs if self._replay_all and not self._rules.alone else 1)):
                self._replay(coins.branch, path, phase)
        self._uses |= coins.uses
        self._assumptions |= coins.assumptions
        self._cost_seen = self._cost_seen and coins.cost_seen
        self.unending = self.unending or coins.unending
        self._incomplete = self._incomplete or coins.lossy or path is None
        if path is None:
            self._cut += coins.mass
            return
        self._plain.compare(self._program, coins, path.output)
        self.longest = max(self.longest, len(path.draws))
        self._tally.add(path)
        self._shapes.add((path.ranges, path.comparisons))
        self._decided = self._decided or path.decided
        if self._keep_paths:
            self._paths.append(path)

    def _replay(self, branch: Decision | None, first: Path[R] | None, phase: _Phase) -> None:
        """Run a path once more: the same decisions must give the same path."""
        coins = LazyCoins(branch, lambda _branch: None, self._rules, 0, phase.most_draws)
        if run_once(self._program, coins) != first and not self.is_stopped():
            raise ExplorationError(f"two runs on the same draws differ: {NOT_REPEATED}")

    def exploration(self) -> Exploration[R]:
        """What was found. Raises: ExplorationError where the probabilities cannot be those of a law."""
        resolved = self._tally.probabilities()
        unresolved = 1 - sum(resolved.values(), mpq(0))
        if unresolved < 0 or (unresolved > 0 and not self._pending and not self._incomplete):
            raise ExplorationError(f"the paths' probabilities sum to {1 - unresolved}: {NOT_REPEATED}")
        return Exploration(
            resolved,
            unresolved,
            self._tally.leaves,
            frozenset(self._shapes),
            self._decided,
            tuple(self._paths),
            tuple(sorted(self._uses, key=str)),
            tuple(sorted(self._assumptions)),
            self._cost_seen,
            self.longest,
            self.runs if self.hopeless else None,
            self._plain.sampled,
        )
