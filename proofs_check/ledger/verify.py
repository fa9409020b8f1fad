"""Running the ledger: every instance of every entry, and every negative twin, over local processes or a cluster."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from functools import cache
from hashlib import sha256
from pathlib import Path
from time import process_time
from traceback import walk_tb
from typing import Any, Literal, NamedTuple

from attrs import evolve, field, frozen
from gmpy2 import mpq

from finitedp.proofs_check.claims import entries, in_order
from finitedp.proofs_check.ledger.entry import Entry, Finding, Grid, Verdict
from finitedp.proofs_check.ledger.references import source_file
from finitedp.proofs_check.ledger.rejections import first_tried
from finitedp.proofs_check.parallel import HERE, Workers, run

Outcome = Literal[Verdict, "CONDITIONAL", "FAILED", "BLIND"]

_PREMISES: tuple[Outcome, ...] = ("proved", "verified", "verified (symbolic)", "derived", "repaired")

_LONGEST_MESSAGE = 300
_MOST: dict[Grid, int] = {"quick": 500, "full": 30}
"""Tasks that a worker is given at once: many, so that it explores little again, and few, so that all end at the same time."""


@frozen
class Raised:
    """An exception that a check raised, on the code or on a twin, or a grid. It verifies, refutes and rejects nothing.

    twin: the name of the twin, or None for the code itself. where: the instance. error: type and message of the exception,
    and the innermost line of finitedp that it came through.
    """

    twin: str | None
    where: str
    error: str


@frozen
class Result:
    """What a run says about one entry.

    outcome: "proved" for all parameters, by a proof that was re-checked, "verified" on the grid, "verified (symbolic)" where
    the reach is more than the grid, "derived" for a statement
    that follows from premises which all held in the same run, "sampled" for one that held on what was drawn, "measured" for
    an asymptotic bound whose cost was counted at several sizes, "repaired" for a corrected statement that was verified while
    its literal text was refuted in the same run, "refuted" for a literal text that fails as expected; "CONDITIONAL" for a
    derived statement of which a premise did not hold in the same run, or was not run; "FAILED" where the run contradicts what
    the entry expects, or something raised; "BLIND" where a twin was not rejected. worst: the finding with the largest load
    (of a refuted entry, a failing one). seconds: processor time of the instances and twins. rejected, accepted: the twins of
    which the check decided so; raised: all that was left undecided.
    missing: the premises that a conditional entry lacks, each with what the run says of it.
    """

    entry: Entry = field(repr=False)
    outcome: Outcome
    instances: int
    worst: Finding
    where: str
    seconds: float
    rejected: tuple[str, ...]
    accepted: tuple[str, ...]
    raised: tuple[Raised, ...]
    missing: tuple[str, ...] = ()

    @property
    def good(self) -> bool:
        """Whether the run agrees with the ledger."""
        return self.outcome not in ("CONDITIONAL", "FAILED", "BLIND")


class Interrupted(KeyboardInterrupt):
    """A run that was interrupted; results: what it had found of the claims that were decided by then.

    Among them are those that had failed, or were blind, before they were looked at whole; not those that are derived from
    others which were not decided.
    """

    def __init__(self, results: Sequence[Result]) -> None:
        super().__init__()
        self.results = results


class _Task(NamedTuple):
    """A unit of work, small enough to send to another process: an instance of an entry, or one of its twins."""

    id: str
    grid: Grid
    position: int
    twin: str | None


class _Done(NamedTuple):
    task: _Task
    found: Finding | Raised
    where: str
    seconds: float


@cache
def _instances(id: str, grid: Grid) -> Sequence[Any]:  # noqa: A002
    return entries()[id].instances(grid)


def _perform(task: _Task) -> _Done:
    """Run a check on its instance; or on a twin, up to an instance of the quick grid that rejects it."""
    start, where = process_time(), f"the {task.grid} grid"
    found: Finding | Raised = Finding(True, mpq(0), "no instances")
    try:
        entry, instances = entries()[task.id], _instances(task.id, task.grid)
        subject = entry.subject if task.twin is None else entry.twins[task.twin]
        one = [instances[task.position]]
        for instance in one if task.twin is None else first_tried(task.id, task.twin, instances):
            where = described(instance)
            found = entry.check(subject, instance)
            if not isinstance(found, Finding):
                raise TypeError(f"the check returned a {type(found).__name__}; accepted: a Finding")
            if not found.holds:
                break
    except (Exception, SystemExit) as error:  # whatever a check may raise: the other claims still run
        found = Raised(task.twin, where, _in_one_line(error))
    return _Done(task, found, where, process_time() - start)


def _perform_all(tasks: Sequence[_Task]) -> list[_Done]:
    return [_perform(task) for task in tasks]


def described(instance: object) -> str:
    """An instance for a reader: its fields by name, unless it says itself how it is shown."""
    fields = getattr(instance, "_fields", None)
    if fields is None or type(instance).__str__ is not object.__str__:
        return str(instance)
    return ", ".join(f"{name}={described(getattr(instance, name))}" for name in fields)


def _in_one_line(error: BaseException) -> str:
    frames = list(walk_tb(error.__traceback__))
    beyond = [x for x in frames if x[0].f_globals.get("__name__") != __name__] or frames
    ours = [x for x in beyond if str(x[0].f_globals.get("__name__")).startswith("finitedp.")]
    frame, line = (ours or beyond)[-1]
    file = source_file(frame.f_globals["__name__"]) if ours else Path(frame.f_code.co_filename).name
    message = " ".join(str(error).split())
    if len(message) > _LONGEST_MESSAGE:
        message = message[: _LONGEST_MESSAGE - 3] + "..."
    return f"{type(error).__name__}{': ' if message else ''}{message} ({file}:{line})"


class _Plan(NamedTuple):
    """How many instances of an entry there are to run; none where its grid cannot be made, and why."""

    entry: Entry
    size: int
    broken: Raised | None
    seconds: float


def _planned(entry: Entry, grid: Grid) -> _Plan:
    start, where = process_time(), f"the {grid} grid"
    try:
        size = len(_instances(entry.id, grid))
        broken = None if size else Raised(None, where, "no instances")
    except (Exception, SystemExit) as error:  # as in _perform
        size, broken = 0, Raised(None, where, _in_one_line(error))
    return _Plan(entry, size, broken, process_time() - start)


def verify(
    chosen: Sequence[Entry],
    grid: Grid = "quick",
    jobs: int | Workers = 1,
    progress: Callable[[int, int], None] | None = None,
) -> list[Result]:
    """Run the chosen entries and say what the run found, in the order given; who performs the work changes the seconds alone.

    An exception that a check raises fails its claim, and no other. A derived entry is conditional unless its premises are
    chosen too: see with_premises. Parameters: grid; jobs, a number of local processes from 1
    to 256, or Workers; progress, called with (finished tasks, all tasks). Raises: ParameterError, WorkersError, Interrupted.
    """
    workers = jobs if isinstance(jobs, Workers) else Workers(jobs)
    plans = [_planned(e, grid) for e in chosen]
    number = sum(p.size + len(p.entry.twins) for p in plans if p.size)
    workers = HERE if workers.alone(number) else evolve(workers, few=0)
    pieces = _pieces(plans, grid, 1 if workers == HERE else _MOST[grid])
    done: dict[str, list[_Done]] = {e.id: [] for e in chosen}
    finished = 0
    try:
        with closing(run(_perform_all, pieces, workers)) as arriving:
            for _, items in arriving:
                for item in items:
                    done[item.task.id].append(item)
                finished += len(items)
                if progress is not None:
                    progress(finished, number)
    except KeyboardInterrupt:
        decided = [_result(plan, done[plan.entry.id]) for plan in plans if _decided(plan, done[plan.entry.id])]
        raise Interrupted([r for r in settled(decided) if r.outcome != "CONDITIONAL"]) from None
    return settled([_result(plan, done[plan.entry.id]) for plan in plans])


def _pieces(plans: Sequence[_Plan], grid: Grid, most: int) -> list[list[_Task]]:
    """The tasks, at most so many together, of one module: its claims share explorations, which a process keeps.

    The modules come as by lot, the same way in every run: so the share of the tasks that is done tells the time that remains.
    """
    modules: dict[str, list[_Task]] = {}
    for plan in plans:
        entry = plan.entry
        tasks = modules.setdefault(entry.module, [])
        tasks += [_Task(entry.id, grid, i, None) for i in range(plan.size)]
        tasks += [_Task(entry.id, "quick", 0, name) for name in entry.twins if plan.size]
    by_lot = sorted(modules, key=lambda module: sha256(module.encode()).digest())
    return [modules[module][i : i + most] for module in by_lot for i in range(0, len(modules[module]), most)]


def with_premises(chosen: Sequence[Entry]) -> list[Entry]:
    """The chosen entries, and all that they are derived from, in the order of the ledger."""
    wanted, waiting = {e.id for e in chosen}, [*chosen]
    while waiting:
        new = set(waiting.pop().derived_from) - wanted
        wanted |= new
        waiting += [entries()[premise] for premise in new]
    return in_order(wanted)


def settled(results: Sequence[Result]) -> list[Result]:
    """What each result says in the light of the others: a verdict that needs another entry needs it among these results.

    A corrected text is repaired where its literal text was refuted. A derived entry is derived where its own check held and
    each of its premises was verified, repaired or derived itself, and not merely sampled or measured; it is conditional
    otherwise.
    """
    refuted: set[str | None] = {r.entry.id for r in results if r.outcome == "refuted"}
    known = {r.entry.id: _repaired(r, refuted) for r in results}
    for r in _premises_first(known):
        if r.entry.derived_from and r.outcome not in ("FAILED", "BLIND"):
            known[r.entry.id] = _derived(r, known)
    return [known[r.entry.id] for r in results]


def _repaired(result: Result, refuted: set[str | None]) -> Result:
    corrects = result.outcome in ("verified", "verified (symbolic)") and result.entry.repairs in refuted
    return evolve(result, outcome="repaired") if corrects else result


def _premises_first(known: Mapping[str, Result]) -> list[Result]:
    """The results, each after those that it is derived from; in a circle of premises somebody comes too early."""
    placed: dict[str, Result] = {}
    entered: set[str] = set()

    def place(id: str) -> None:  # noqa: A002  # the field's name
        if id in known and id not in entered:
            entered.add(id)
            for premise in known[id].entry.derived_from:
                place(premise)
            placed[id] = known[id]

    for id in known:  # noqa: A001  # the field's name
        place(id)
    return list(placed.values())


def _derived(result: Result, known: Mapping[str, Result]) -> Result:
    says = {premise: known[premise].outcome if premise in known else "not run" for premise in result.entry.derived_from}
    missing = tuple(f"{premise}: {said}" for premise, said in says.items() if said not in _PREMISES)
    return evolve(result, outcome="CONDITIONAL" if missing else "derived", missing=missing)


def _result(plan: _Plan, done: Sequence[_Done]) -> Result:
    entry = plan.entry
    ordered = sorted(done, key=lambda d: (d.task.twin or "", d.task.position))
    raised = tuple(d.found for d in ordered if isinstance(d.found, Raised))
    if plan.broken is not None:
        raised = (plan.broken,)
    worst, where = _worst(ordered, raised)
    rejected = tuple(twin for twin, holds in _twins(ordered) if not holds)
    accepted = tuple(twin for twin, holds in _twins(ordered) if holds)
    outcome = _outcome(entry, not worst.holds, bool(raised), bool(accepted))
    seconds = plan.seconds + sum(d.seconds for d in done)
    return Result(entry, outcome, plan.size, worst, where, seconds, rejected, accepted, raised)


def _worst(done: Sequence[_Done], raised: Sequence[Raised]) -> tuple[Finding, str]:
    """The finding with the largest load, and its instance."""
    found = [(d.found, d.where) for d in done if d.task.twin is None and isinstance(d.found, Finding)]
    if not found:
        return Finding(False, mpq(0), "no instance was decided"), raised[0].where
    return max(found, key=lambda x: (not x[0].holds, x[0].load))


def _decided(plan: _Plan, done: Sequence[_Done]) -> bool:
    """Whether all of an entry was done, or what was done has failed it already."""
    if plan.broken is not None or len(done) == plan.size + len(plan.entry.twins):
        return True
    wanted = plan.entry.expects == "refuted"
    return any(
        isinstance(d.found, Raised) or (d.found.holds if d.task.twin is not None else not d.found.holds and not wanted)
        for d in done
    )


def _twins(done: Sequence[_Done]) -> list[tuple[str, bool]]:
    """The twins that were decided, by name, and whether the check held on each of them."""
    return [(d.task.twin, d.found.holds) for d in done if d.task.twin is not None and isinstance(d.found, Finding)]


def _outcome(entry: Entry, fails: bool, raised: bool, blind: bool) -> Outcome:
    if raised or fails != (entry.expects == "refuted"):
        return "FAILED"
    if blind:
        return "BLIND"
    if fails:
        return "refuted"
    if entry.derived_from:
        return "CONDITIONAL"
    if entry.sampled or entry.measured or entry.proof:
        return entry.verdict
    return "verified" if entry.reach == "grid" else "verified (symbolic)"
