"""Looking for a counterexample of one statement: below its grid, then beyond it, and uphill on the load of its check.

The check of the entry decides each instance, exactly. Three ways take turns. Small: whole numbers of a grid's instance are set to
0..6. Growth: each number by itself, and all together, half as large again in each step, one larger where that is too much. Climb:
a small change of one of the ten instances of the largest loads, or of any. A larger load is nearer to a failure, so that
climbing finds what no random instance shows. Which instances come in which order depends on the seed alone, how many of them
on the time.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from random import Random
from time import process_time
from typing import Any

from attrs import Factory, define, frozen
from gmpy2 import mpq

from finitedp.proofs_check.hunting.instances import as_text, changed, grown, leaves, lowered, shrunk, size
from finitedp.proofs_check.hunting.scope import InferredScope, is_declared, why_out_of_scope
from finitedp.proofs_check.ledger.entry import Entry, Finding, OutOfScopeError

__all__ = ["Hunt", "Hunted", "Tried"]

_BEST, _KEPT = 10, 60
_SLOW = 8
"""An instance that takes more than this part of all the time is not grown any further."""
_LONGEST_MESSAGE = 200


@frozen
class Tried:
    """An instance that was tried: its size, the load there, and whether the statement held. detail: what the check said."""

    instance: Any
    size: int
    load: mpq
    holds: bool
    detail: str


@define
class Hunted:
    """What a hunt saw of one entry.

    tried: how many instances its check decided. out_of_scope: how many the statement does not speak of. raised: by the type of
    the error and its text, an instance in scope at which the check raised. grid_load, load: the worst load on the grid, and of
    the hunt, with where. largest: the largest instance that was decided. loads: the worst load by the size's bit length.
    counterexample: where the statement fails, shrunk; None where no such instance was found.
    """

    id: str
    declared: bool = False
    tried: int = 0
    out_of_scope: int = 0
    raised: dict[str, str] = Factory(dict)
    grid_load: mpq = Factory(mpq)
    best: Tried | None = None
    largest: Tried | None = None
    loads: dict[int, mpq] = Factory(dict)
    counterexample: Tried | None = None

    @property
    def rising(self) -> bool:
        """Whether the load of the hunt is above the grid's, and above 1/2: it is nearer to a failure than the grid shows."""
        return self.best is not None and self.best.load > self.grid_load and self.best.load < 1 and self.best.load * 2 > 1


class Hunt:
    """The hunt for one entry.

    Parameters: seconds of processor time; seed; note, which is told each instance before it is decided, so that one that takes
    for ever is known.
    """

    def __init__(self, entry: Entry, seconds: float, seed: int, note: Callable[[str], None] = lambda _text: None) -> None:
        self._entry, self._seconds, self._note = entry, seconds, note
        self._chance = Random(f"{seed} {entry.id}")
        self._began = process_time()
        self._seen = set[str]()
        self._pool: list[Tried] = []
        self._slow: list[Any] = []
        self.found = Hunted(entry.id)
        grid = list(entry.instances("full"))
        self._grid = grid
        self.found.declared = bool(grid) and all(map(is_declared, grid))
        self._inferred = None if self.found.declared else InferredScope(grid)

    def run(self) -> Hunted:
        """Hunt until the time is over, or a counterexample is found and shrunk."""
        self._on_the_grid()
        ways = [self._small(), self._growing(), self._climbing(), self._climbing()]
        while ways and self._is_time_left() and self.found.counterexample is None:
            for way in list(ways):
                if next(way, None) is None:
                    ways.remove(way)
                if self.found.counterexample is not None or not self._is_time_left():
                    break
        if self.found.counterexample is not None:
            self._shrink()
        return self.found

    def _is_time_left(self) -> bool:
        return process_time() - self._began < self._seconds

    def _on_the_grid(self) -> None:
        """The grid's own instances, for at most a fifth of the time: the quick ones first, whose loads are the starting points."""
        until = self._began + self._seconds / 5
        order = sorted(self._grid, key=size)
        for instance in order[:: max(1, len(order) // 400)]:
            if process_time() > until:
                break
            self._decide(instance)
        self.found.grid_load = max((x.load for x in self._pool), default=mpq(0))
        self.found.tried = 0

    # Ways

    def _small(self) -> Iterator[bool]:
        for _ in range(2_000):
            yield self._try(lambda: lowered(self._chance.choice(self._grid), self._chance))

    def _growing(self) -> Iterator[bool]:
        starts = sorted(self._grid, key=size)
        for start in [starts[-1], starts[0], *self._chance.sample(starts, min(4, len(starts)))] if starts else []:
            places = [path for path, _ in leaves(start)]
            for chosen in [places, *([path] for path in places)]:
                yield from self._chain(start, chosen)

    def _chain(self, instance: Any, places: Sequence[Any]) -> Iterator[bool]:  # noqa: ANN401  # of any kind
        slowly = False
        while True:
            try:
                larger = instance
                for path in places:
                    larger = grown(larger, path, slowly=slowly)
                larger = self._mended(larger)
            except (ValueError, TypeError, ArithmeticError):
                return
            went = self._try(lambda larger=larger: larger)
            yield went
            if went:
                instance = larger
            elif slowly:
                return
            else:
                slowly = True

    def _climbing(self) -> Iterator[bool]:
        while self._pool:
            best = sorted(self._pool, key=lambda x: (-x.load, x.size))[:_BEST]
            start = self._chance.choice(best if self._chance.random() < 2 / 3 else self._pool)
            yield self._try(lambda start=start: changed(start.instance, self._chance))

    # One instance

    def _mended(self, instance: Any) -> Any:  # noqa: ANN401  # an instance of any kind
        return instance if self._inferred is None else self._inferred.mended(instance)

    def _try(self, made: Callable[[], Any]) -> bool:
        """Whether an instance was decided: one that is new, in scope, and no larger than one that took too long."""
        try:
            instance = self._mended(made())
            text = as_text(instance)
            if text in self._seen:
                return False
            self._seen.add(text)
            if why_out_of_scope(instance, self._inferred) is not None:
                self.found.out_of_scope += 1
                return False
        except (ValueError, TypeError, ArithmeticError, AttributeError, KeyError):  # there is no such instance
            self.found.out_of_scope += 1
            return False
        return not self._is_slow(instance) and self._decide(instance)

    def _is_slow(self, instance: Any) -> bool:  # noqa: ANN401  # an instance of any kind
        numbers = dict(leaves(instance))
        return any(all(numbers.get(path, x) >= x for path, x in leaves(slow)) for slow in self._slow)

    def _decide(self, instance: Any) -> bool:  # noqa: ANN401  # an instance of any kind
        began = process_time()
        self._note(as_text(instance))
        try:
            finding: Finding = self._entry.check(self._entry.subject, instance)
        except OutOfScopeError:
            self.found.out_of_scope += 1
            return False
        except Exception as error:  # whatever it is, it is told
            message = f"{type(error).__name__}: {error}"[:_LONGEST_MESSAGE]
            self.found.raised.setdefault(message, as_text(instance)[:_LONGEST_MESSAGE])
            return False
        if process_time() - began > self._seconds / _SLOW:
            self._slow.append(instance)
        self._keep(Tried(instance, size(instance), finding.load, finding.holds, finding.detail))
        return True

    def _keep(self, tried: Tried) -> None:
        found = self.found
        found.tried += 1
        octave = tried.size.bit_length()
        found.loads[octave] = max(found.loads.get(octave, mpq(0)), tried.load)
        if found.best is None or tried.load > found.best.load:
            found.best = tried
        if found.largest is None or tried.size > found.largest.size:
            found.largest = tried
        if not tried.holds:
            found.counterexample = tried
        self._pool.append(tried)
        if len(self._pool) > 4 * _KEPT:
            best = sorted(self._pool, key=lambda x: (-x.load, x.size))[:_KEPT]
            self._pool = [*best, *self._chance.sample(self._pool, _KEPT)]

    def _shrink(self) -> None:
        """As small as steps of one number or one item make it, for as long again as the hunt may take."""
        self._began = process_time()
        found = self.found.counterexample
        while found is not None and self._is_time_left():
            smaller = self._smaller_than(found)
            if smaller is None:
                break
            self.found.counterexample = found = smaller

    def _smaller_than(self, found: Tried) -> Tried | None:
        for candidate in islice(self._candidates(found.instance), 2_000):
            if not self._is_time_left():
                return None
            if size(candidate) < found.size and why_out_of_scope(candidate, self._inferred) is None:
                try:
                    finding = self._entry.check(self._entry.subject, candidate)
                except Exception:  # noqa: BLE001, S112  # nothing that is looked for
                    continue
                if not finding.holds:
                    return Tried(candidate, size(candidate), finding.load, False, finding.detail)
        return None

    def _candidates(self, instance: Any) -> Iterator[Any]:  # noqa: ANN401  # an instance of any kind
        made = shrunk(instance)
        while True:
            try:
                yield self._mended(next(made))
            except StopIteration:
                return
            except (
                ValueError,
                TypeError,
                ArithmeticError,
                AttributeError,
                KeyError,
            ):  # no such instance; the generator is over
                return
