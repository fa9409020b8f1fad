"""Running the ledger: every instance of every entry, and every negative twin, over local processes or a cluster."""

from collections.abc import Callable, Sequence
from contextlib import closing
from functools import cache
from time import perf_counter
from typing import Any, Literal, NamedTuple

from attrs import field, frozen
from gmpy2 import mpq

from finitedp.proofs_check.claims import entries
from finitedp.proofs_check.engine.parallel import Workers, run
from finitedp.proofs_check.ledger.entry import Entry, Finding, Grid

__all__ = ["Outcome", "Result", "described", "verify"]

Outcome = Literal["verified", "verified (symbolic)", "repaired", "refuted", "FAILED", "BLIND"]


@frozen
class Result:
    """What a run says about one entry.

    outcome: "verified" on the grid, "verified (symbolic)" where the reach is more than the grid, "repaired" for a corrected
    statement that was verified while its literal text was refuted in the same run, "refuted" for a literal text that fails
    as expected; "FAILED" where the run contradicts what the entry expects; "BLIND" where a twin was not rejected.
    seconds: processor time of the instances. worst: the finding with the largest load (of a refuted entry, a failing one).
    """

    entry: Entry = field(repr=False)
    outcome: Outcome
    instances: int
    worst: Finding
    where: str
    seconds: float
    rejected: tuple[str, ...]
    accepted: tuple[str, ...]

    @property
    def good(self) -> bool:
        """Whether the run agrees with the ledger."""
        return self.outcome not in ("FAILED", "BLIND")


class _Task(NamedTuple):
    """A unit of work, small enough to send to another process: an instance of an entry, or one of its twins."""

    id: str
    grid: Grid
    position: int
    twin: str | None


class _Done(NamedTuple):
    task: _Task
    finding: Finding
    where: str
    seconds: float


@cache
def _instances(id: str, grid: Grid) -> Sequence[Any]:  # noqa: A002
    return entries()[id].instances(grid)


def _perform(task: _Task) -> _Done:
    entry, start = entries()[task.id], perf_counter()
    if task.twin is None:
        instance = _instances(task.id, task.grid)[task.position]
        finding = entry.check(entry.subject, instance)
    else:
        finding, instance = _try_twin(entry, task.twin)
    return _Done(task, finding, described(instance), perf_counter() - start)


def described(instance: object) -> str:
    """An instance for a reader: its fields by name, unless it says itself how it is shown."""
    fields = getattr(instance, "_fields", None)
    if fields is None or type(instance).__str__ is not object.__str__:
        return str(instance)
    return ", ".join(f"{name}={described(getattr(instance, name))}" for name in fields)


def _try_twin(entry: Entry, name: str) -> tuple[Finding, Any]:
    """The first finding on the quick grid that rejects the twin, or the last one, which then does not."""
    last: tuple[Finding, Any] = Finding(True, mpq(0), "no instances"), None
    for instance in _instances(entry.id, "quick"):
        last = entry.check(entry.twins[name], instance), instance
        if not last[0].holds:
            break
    return last


def verify(
    chosen: Sequence[Entry],
    grid: Grid = "quick",
    jobs: int | Workers = 1,
    progress: Callable[[int, int], None] | None = None,
) -> list[Result]:
    """Run the chosen entries and say what the run found, in the order given; who performs the work changes the seconds alone.

    Parameters: grid; jobs, a number of local processes from 1 to 256, or Workers; progress, called with (finished tasks, all
    tasks). Raises: ParameterError, WorkersError.
    """
    workers = jobs if isinstance(jobs, Workers) else Workers(jobs)
    tasks = [_Task(e.id, grid, i, None) for e in chosen for i in range(len(_instances(e.id, grid)))]
    tasks += [_Task(e.id, "quick", 0, name) for e in chosen for name in e.twins]
    done: dict[str, list[_Done]] = {e.id: [] for e in chosen}
    with closing(run(_perform, tasks, workers)) as arriving:
        for finished, (_, item) in enumerate(arriving, start=1):
            done[item.task.id].append(item)
            if progress is not None:
                progress(finished, len(tasks))
    refuted = {e.id for e in chosen if not _all_hold(done[e.id])}
    return [_result(e, done[e.id], refuted) for e in chosen]


def _all_hold(done: Sequence[_Done]) -> bool:
    return all(d.finding.holds for d in done if d.task.twin is None)


def _result(entry: Entry, done: Sequence[_Done], refuted: set[str]) -> Result:
    runs = sorted((d for d in done if d.task.twin is None), key=lambda d: d.task.position)
    twins = [d for d in done if d.task.twin is not None]
    worst = max(runs, key=lambda d: (not d.finding.holds, d.finding.load))
    rejected = tuple(sorted(str(d.task.twin) for d in twins if not d.finding.holds))
    accepted = tuple(sorted(str(d.task.twin) for d in twins if d.finding.holds))
    outcome = _outcome(entry, entry.id in refuted, bool(accepted), refuted)
    seconds = sum(d.seconds for d in done)
    return Result(entry, outcome, len(runs), worst.finding, worst.where, seconds, rejected, accepted)


def _outcome(entry: Entry, fails: bool, blind: bool, refuted: set[str]) -> Outcome:
    if fails != (entry.expects == "refuted"):
        return "FAILED"
    if blind:
        return "BLIND"
    if fails:
        return "refuted"
    if entry.repairs is not None and entry.repairs in refuted:
        return "repaired"
    return "verified" if entry.reach == "grid" else "verified (symbolic)"
