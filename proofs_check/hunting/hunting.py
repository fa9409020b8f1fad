"""Looking for a counterexample of one statement: below its grid, then beyond it, and uphill on the load of its check.

The check of the entry decides each instance, exactly. Three ways take turns, the last one for two thirds of the time. Small:
whole numbers of a grid's instance are set to 0..6. Growth: each number by itself, and all together, half as large again in
each step, one larger where that is too much. Climb: a small change of one of the ten instances of the largest loads, of the
three of the largest loads among those of a similar size, all sizes for as long, or of any. A larger load is nearer to a
failure, so that climbing finds what no random instance shows. Where the check looks at atoms one by one, atoms are what is
tried.

Each way draws by the seed alone. Time decides how far the hunt comes, and which instances are left out since smaller ones were
slow: a run on another machine may try others. A counterexample needs no run to be looked at again.
"""

from bisect import insort
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from random import Random
from time import process_time
from typing import Any

from gmpy2 import mpq

from finitedp.proofs_check.hunting.instances import (
    as_text,
    changed,
    drawn,
    grown,
    leaves,
    lowered,
    measure,
    places,
    reached,
    shrunk,
    size,
)
from finitedp.proofs_check.hunting.scope import InferredScope, is_declared, why_out_of_scope
from finitedp.proofs_check.hunting.seen import Hunted, Tried
from finitedp.proofs_check.ledger.atoms import atoms_of, check_of_one
from finitedp.proofs_check.ledger.entry import Entry, Finding, OutOfScopeError

__all__ = ["Hunt", "TooLongError", "starts"]

_BEST, _BEST_OF_SIZE, _KEPT = 10, 3, 200
_SLOW, _RATHER_SLOW = 40, 400
"""An instance that takes more than this part of all the time is not grown any further, or only by the smallest steps."""
_LONGEST_OF_ONE = 4
"""An instance that takes more than this part of all the time is given up, where there is an alarm."""
_CLIMBERS = 4
_ANEW = 0.25
"""The part of the steps that draw the lists of a grid's instance anew: where all loads are 1, nothing leads to a failure."""
_LONGEST_CHAIN = 60
_IDLE = 5_000
"""Attempts in a row that gave no new instance in scope, after which there is no more to try."""
_ON_GRID, _ATOMS_SEEN, _ATOMS_KEPT = 400, 5_000, 40


class TooLongError(BaseException):
    """What an alarm raises; no check may take it for an error of its own."""


_Ranked = tuple[mpq, int, int, Tried]


def _rank(ranked: list[_Ranked], tried: _Ranked, most: int) -> None:
    if len(ranked) < most or tried[:3] < ranked[-1][:3]:
        insort(ranked, tried, key=lambda x: x[:3])
        del ranked[most:]


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
        self._seen = set[str]()
        self._pool: list[Tried] = []
        self._best: list[_Ranked] = []
        self._best_of_size: dict[int, list[_Ranked]] = {}
        self._spent: dict[int, float] = {}
        self._slow: list[Any] = []
        self._idle = 0
        self.found = Hunted(entry.id, bool(self._grid) and all(map(is_declared, self._grid)))
        self._inferred = None if self.found.declared else InferredScope(self._grid)

    def run(self) -> Hunted:
        """Hunt until the time is over, there is nothing more to try, or a counterexample is found and shrunk."""
        self._on_the_grid()
        ways = [self._small(), self._growing(), *(self._climbing(f"climb {k}") for k in range(_CLIMBERS))]
        used = dict.fromkeys(range(len(ways)), 0.0)
        while used and self._goes_on():
            turn = min(used, key=lambda way: used[way])
            began = self._clock()
            if next(ways[turn], None) is None:
                del used[turn]
            else:
                used[turn] += self._clock() - began
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
        some = self._grid[:: -(-len(self._grid) // _ON_GRID) or 1]
        until = self._began + self._seconds / 5
        for looked, instance in enumerate(some, 1):
            self._seen.add(as_text(instance))
            self._decide(instance)
            self.found.of_grid = looked, len(self._grid)
            if self.found.counterexample is not None or self._clock() > until:
                break
        self.found.grid_load = max((x.load for x in self._pool), default=mpq(0))
        self.found.tried = 0

    # Ways

    def _small(self) -> Iterator[bool]:
        chance = self._chance("small")
        for _ in range(2_000 if self._grid else 0):
            yield self._try(lambda: lowered(chance.choice(self._grid), chance))

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
                went = self._try_made(larger)
                slowly = slowly or self._clock() - began > self._seconds / _RATHER_SLOW
            yield went
            if went:
                instance = larger
            elif slowly:
                return
            else:
                slowly = True

    def _climbing(self, name: str) -> Iterator[bool]:
        chance = self._chance(name)
        while self._pool:
            way, began = chance.choice((0, 1, 1, 2)), self._clock()
            of_size = min(self._spent, key=lambda of: self._spent[of])
            if way == 0:
                start = min(chance.choices(self._pool, k=2), key=lambda x: x.size)
            else:
                start = chance.choice(self._best if way == 1 else self._best_of_size[of_size])[-1]
            if chance.random() < _ANEW:
                yield self._try(partial(drawn, chance.choice(self._grid), chance))
            else:
                yield self._try(partial(changed, start.instance, chance))
            self._spent[of_size] += self._clock() - began if way == 2 else 0

    # One instance

    def _mended(self, instance: Any) -> Any:  # noqa: ANN401  # an instance of any kind
        return instance if self._inferred is None else self._inferred.mended(instance)

    def _try(self, make: Callable[[], Any]) -> bool:
        """Whether an instance was made and decided."""
        try:
            instance = self._mended(make())
        except Exception:  # its type has no such instance
            self._idle += 1
            return False
        return self._try_made(instance)

    def _try_made(self, instance: Any) -> bool:  # noqa: ANN401  # an instance of any kind
        """Whether an instance was decided: one that is new, in scope, and no larger than one that took too long."""
        self._idle += 1
        text = as_text(instance)
        if text in self._seen:
            return False
        self._seen.add(text)
        try:
            why = why_out_of_scope(instance, self._inferred)
        except Exception as error:  # of a scope that does not know what this is
            self.found.note(error, instance)
            return False
        if why is not None:
            self.found.out_of_scope += 1
            return False
        return not self._is_slow(instance) and self._decide(instance)

    def _is_slow(self, instance: Any) -> bool:  # noqa: ANN401  # an instance of any kind
        if not self._slow:
            return False
        numbers = dict(leaves(instance))
        return any(all(numbers.get(path, x) >= x for path, x in leaves(slow)) for slow in self._slow)

    def _decide(self, instance: Any) -> bool:  # noqa: ANN401  # an instance of any kind
        began = self._clock()
        try:
            finding = self._finding(instance)
        except OutOfScopeError:
            self.found.out_of_scope += 1
            return False
        except TooLongError:
            self.found.given_up += 1
            return False
        except Exception as error:  # whatever it is, it is told
            self.found.note(error, instance)
            return False
        finally:
            if self._clock() - began > self._seconds / _SLOW:
                self._slow.append(instance)
        self._keep(Tried(instance, size(instance), finding.load, finding.holds, finding.detail))
        return True

    def _finding(self, instance: Any) -> Finding:  # noqa: ANN401  # an instance of any kind
        self._note(as_text(instance), self.found)
        try:
            self._alarm(self._seconds / _LONGEST_OF_ONE)
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
        for name, most in reached(tried.instance):
            if most > found.reached.get(name, -1):
                found.reached[name] = most
        if not tried.holds:
            found.counterexample = tried
        _rank(self._best, (-tried.load, tried.size, found.tried, tried), _BEST)
        octave = tried.size.bit_length()
        of_size = 4 * octave + (tried.size << 2 >> octave)
        self._spent.setdefault(of_size, 0.0)
        _rank(self._best_of_size.setdefault(of_size, []), (-tried.load, -found.tried, 0, tried), _BEST_OF_SIZE)
        if len(self._pool) < _KEPT:
            self._pool.append(tried)
        else:
            self._pool[found.tried * 7919 % _KEPT] = tried

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
                return Tried(candidate, size(candidate), finding.load, False, finding.detail)
        return None
