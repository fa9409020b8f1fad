"""Looking for a counterexample of one statement: below its grid, then beyond it, and uphill on the load of its check.

The check of the entry decides each instance, exactly. Three ways take turns, the last one for two thirds of the time. Small:
whole numbers of a grid's instance are set to 0..6. Growth: each number by itself, and all together, half as large again in
each step, one larger where that is too much. Climb: herds of instances of one shape, of which those with the largest loads
have most of the offspring, and which begin again elsewhere where they come no higher. A larger load is nearer to a failure, so
that climbing finds what no random instance shows. Where the check looks at atoms one by one, atoms are what is tried.

Each way draws by the seed alone. Time decides how far the hunt comes, and which instances are left out since smaller ones were
slow: a run on another machine may try others. A counterexample needs no run to be looked at again.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from random import Random
from time import process_time
from typing import Any

from gmpy2 import mpq

from finitedp.proofs_check.hunting.best import Best
from finitedp.proofs_check.hunting.coordinates import Coordinates, coordinates, measure, size
from finitedp.proofs_check.hunting.instances import Path, as_text, grown, leaves, places, reached, shrunk
from finitedp.proofs_check.hunting.moves import drawn, lowered
from finitedp.proofs_check.hunting.scope import InferredScope, is_declared, why_out_of_scope
from finitedp.proofs_check.hunting.seen import Hunted, Tried
from finitedp.proofs_check.ledger.atoms import atoms_of, check_of_one
from finitedp.proofs_check.ledger.entry import Entry, Finding, OutOfScopeError

_SLOW, _RATHER_SLOW, _LONGEST_OF_ONE = 40, 400, 8
"""An instance that takes more than this part of all the time is not grown any further, or only by the smallest steps, or is
given up, where there is an alarm."""
_OF_TIME_SO_FAR, _LONGEST_TO_THE_GRIDS, _SHORT = 1_000, 10, 0.02
"""An instance that is not grown may take this part of the time so far, so often what the longest of the grid's took, or this
many seconds: what takes longer is given up, and what is as large, until more time has gone."""
_GROWS, _SHARES = 0, (1, 1, 4)
"""Which of the ways it is that grows; and the shares of the time of each of them."""
_PATIENCE, _ANEW = (50, 100, 200), 0.15
"""The steps of a herd that comes no higher; and the part of them that draw the lists of a grid's instance anew: where all
loads are 1, nothing leads to a failure."""
_LONGEST_CHAIN = 60
_IDLE = 5_000
"""Attempts in a row that gave no new instance in scope, after which there is no more to try."""
_ON_GRID, _ATOMS_SEEN, _ATOMS_KEPT = 400, 5_000, 40


class TooLongError(BaseException):
    """What an alarm raises; no check may take it for an error of its own."""


def starts(entry: Entry, chance: Random) -> list[Any]:
    """The instances of an entry's full grid, or where its check looks at atoms, at most forty of the atoms of each."""
    grid, atoms = entry.instances("full"), atoms_of(entry.check)
    if atoms is None:
        return list(grid)
    every = [list(islice(atoms(case), _ATOMS_SEEN)) for case in grid]
    return [x for some in every for x in (some if len(some) <= _ATOMS_KEPT else chance.sample(some, _ATOMS_KEPT))]


class Hunt:
    """The hunt for one entry.

    Parameters: seconds of processor time; seed; note, which is told each instance before it is decided, so that one that takes
    for ever is known; clock, in seconds; alarm, which makes TooLongError be raised after so many seconds, and 0 takes it back.
    """

    def __init__(
        self,
        entry: Entry,
        seconds: float,
        seed: int,
        note: Callable[[str, Hunted], None] = lambda _text, _found: None,
        clock: Callable[[], float] = process_time,
        alarm: Callable[[float], object] = lambda _seconds: None,
    ) -> None:
        self._seconds, self._note, self._clock, self._alarm = seconds, note, clock, alarm
        self._began = clock()
        self._check, self._subject = check_of_one(entry.check), entry.subject
        self._seed = f"{seed} {entry.id}"
        self._grid = sorted(starts(entry, self._chance("grid")), key=size)
        self._seen = set[Coordinates]()
        self._best = Best()
        self._slow: list[tuple[float, int, dict[Path, mpq]]] = []
        self._idle = 0
        self._longest = seconds
        self._grows = True
        self.found = Hunted(entry.id, bool(self._grid) and all(map(is_declared, self._grid)))
        self._inferred = None if self.found.declared else InferredScope(self._grid)

    def run(self) -> Hunted:
        """Hunt until the time is over, there is nothing more to try, or a counterexample is found and shrunk."""
        self._on_the_grid()
        ways = [self._growing(), self._small(), self._climbing()]
        used = dict.fromkeys(range(len(ways)), 0.0)
        while used and self._goes_on():
            turn = min(used, key=lambda way: used[way])
            began, self._grows = self._clock(), turn == _GROWS
            went = next(ways[turn], None)
            took = (self._clock() - began) / _SHARES[turn]
            if went is None:
                del used[turn]
            else:  # where most fail, those that do not come to their turn
                used[turn] += took if went else max(took, sum(used.values()) / (10 * self.found.tried + 10))
        if self.found.counterexample is not None:
            self._shrink(self.found.counterexample)
        return self.found

    def _goes_on(self) -> bool:
        return self.found.counterexample is None and self._is_time_left() and self._idle < _IDLE

    def _is_time_left(self) -> bool:
        return self._clock() - self._began < self._seconds

    def _chance(self, way: str) -> Random:
        return Random(f"{self._seed} {way}")  # noqa: S311  # no secret

    def _on_the_grid(self) -> None:
        """The grid's instances, at most some hundreds and for at most a fifth of the time, the small ones first."""
        longest = 0.0
        some = self._grid[:: -(-len(self._grid) // _ON_GRID) or 1]
        until = self._began + self._seconds / 5
        for looked, instance in enumerate(some, 1):
            began, at = self._clock(), coordinates(instance)
            self._seen.add(at)
            self._decide(instance, at)
            longest = max(longest, self._clock() - began)
            self.found.of_grid = looked, len(self._grid)
            if self.found.counterexample is not None or self._clock() > until:
                break
        self.found.grid_load = self.found.best.load if self.found.best is not None else mpq(0)
        self.found.tried = 0
        self._longest = longest

    # Ways

    def _small(self) -> Iterator[bool]:
        chance = self._chance("small")
        for _ in range(2_000 if self._grid else 0):
            yield self._try(partial(lowered, chance.choice(self._grid)), chance) is not None

    def _growing(self) -> Iterator[bool]:
        if not self._grid:
            return
        some = self._chance("growing").sample(self._grid, min(4, len(self._grid)))
        for start in [self._grid[-1], self._grid[0], *some]:
            there = places(start)
            for chosen in [there, *([path] for path in there)]:
                yield from self._chain(start, chosen)

    def _chain(self, instance: Any, there: Sequence[Any]) -> Iterator[bool]:  # noqa: ANN401  # of any kind
        slowly = False
        for _ in range(_LONGEST_CHAIN):
            try:
                larger = instance
                for path in there:
                    larger = grown(larger, path, slowly=slowly)
                larger = self._mended(larger)
            except Exception:  # its type has no such instance
                went = False
            else:
                began = self._clock()
                went = coordinates(larger) in self._seen or self._try_made(larger) is not None
                slowly = slowly or self._clock() - began > self._seconds / _RATHER_SLOW
            yield went
            if went:
                instance = larger
            elif slowly:
                return
            else:
                slowly = True

    def _climbing(self) -> Iterator[bool]:
        """Herds, each of the niche whose turn it is, for as long as they go on to come higher."""
        chance = self._chance("climb")
        while (niche := self._best.next()) is not None:
            herd, took = self._best.herd(niche, chance), 0.0
            before = self._best.load(herd)
            left = most = chance.choice(_PATIENCE)
            while left:
                began, anew = self._clock(), chance.random() < _ANEW
                there = self._try(partial(drawn, chance.choice(self._grid)) if anew else herd.offspring, chance)
                left = most if there is not None and herd.rises(there) else left - 1
                took += self._clock() - began
                yield there is not None
            niche.spend(took, rose=self._best.load(herd) > before)

    # One instance

    def _mended(self, instance: Any) -> Any:  # noqa: ANN401  # an instance of any kind
        return instance if self._inferred is None else self._inferred.mended(instance)

    def _try(self, make: Callable[[Random], Any], chance: Random) -> Tried | None:
        """An instance that is made, decided; None where there is none, or it is not decided."""
        try:
            instance = self._mended(make(chance))
        except Exception:  # its type has no such instance
            self._idle += 1
            return None
        return self._try_made(instance)

    def _try_made(self, instance: Any) -> Tried | None:  # noqa: ANN401  # an instance of any kind
        """An instance, decided: one that is new, in scope, and no larger than one that took too long."""
        self._idle += 1
        at = coordinates(instance)
        if at in self._seen:
            return None
        if self._is_slow(instance, at):
            self._idle -= 1
            return None
        self._seen.add(at)
        try:
            why = why_out_of_scope(instance, self._inferred)
        except Exception as error:  # of a scope that does not know what this is
            self.found.note(error, instance)
            return None
        if why is not None:
            self.found.out_of_scope += 1
            return None
        return self._decide(instance, at)

    def _is_slow(self, instance: Any, at: Coordinates) -> bool:  # noqa: ANN401  # an instance of any kind
        if not self._slow:
            return False
        most, bits, numbers = self._slow_from(), at.size, dict[Path, mpq]()
        for took, least, slow in self._slow:
            if took > most and bits >= least:
                numbers = numbers or dict(leaves(instance))
                if all(numbers.get(path, x) >= x for path, x in slow.items()):
                    return True
        return False

    def _limit(self) -> float:
        """How long an instance may take, now."""
        if self._grows:
            return self._seconds / _LONGEST_OF_ONE
        so_far = (self._clock() - self._began) / _OF_TIME_SO_FAR
        return min(self._seconds / _LONGEST_OF_ONE, max(so_far, self._longest * _LONGEST_TO_THE_GRIDS, _SHORT))

    def _slow_from(self) -> float:
        """How long an instance takes to which larger ones are not tried, now."""
        return self._seconds / _SLOW if self._grows else self._limit() / 2

    def _decide(self, instance: Any, at: Coordinates) -> Tried | None:  # noqa: ANN401  # an instance of any kind
        began = self._clock()
        try:
            finding = self._finding(instance)
        except OutOfScopeError:
            self.found.out_of_scope += 1
            return None
        except TooLongError:
            self.found.given_up += 1
            self._seen.discard(at)
            return None
        except Exception as error:  # whatever it is, it is told
            self.found.note(error, instance)
            return None
        finally:
            if (took := self._clock() - began) > self._slow_from():
                self._slow.append((took, at.size, dict(leaves(instance))))
        tried = Tried(instance, at, at.size, finding.load, finding.holds, finding.detail)
        self._keep(tried)
        return tried

    def _finding(self, instance: Any) -> Finding:  # noqa: ANN401  # an instance of any kind
        self._note(as_text(instance), self.found)
        try:
            self._alarm(self._limit())
            return self._check(self._subject, instance)
        finally:
            self._alarm(0)

    def _keep(self, tried: Tried) -> None:
        found, self._idle = self.found, 0
        found.tried += 1
        if found.best is None or tried.load > found.best.load:
            found.best = tried
        if found.largest is None or tried.size > found.largest.size:
            found.largest = tried
        for name, most in reached(tried.instance).items():
            if most > found.reached.get(name, -1):
                found.reached[name] = most
        if not tried.holds:
            found.counterexample = tried
        self._best.keep(tried)

    # Shrinking

    def _shrink(self, found: Tried) -> None:
        """As small as steps of one number or one item make it, for as long again as the hunt may take."""
        self._began, smaller = self._clock(), self._smaller_than(found)
        while smaller is not None:
            self.found.counterexample = smaller
            smaller = self._smaller_than(smaller)

    def _smaller_than(self, found: Tried) -> Tried | None:
        for made in islice(shrunk(found.instance), 2_000):
            if not self._is_time_left():
                return None
            try:
                candidate = self._mended(made)
                if measure(candidate) >= measure(found.instance) or why_out_of_scope(candidate, self._inferred) is not None:
                    continue
                finding = self._finding(candidate)
            except (Exception, TooLongError):  # noqa: S112  # nothing that is looked for
                continue
            if not finding.holds:
                at = coordinates(candidate)
                return Tried(candidate, at, at.size, finding.load, False, finding.detail)
        return None
