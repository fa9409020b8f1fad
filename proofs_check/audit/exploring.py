"""The laws of a mechanism at all inputs of an audit, explored here or among workers, and what else the explorer saw."""

import re
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import closing
from time import monotonic
from typing import Any

from attrs import evolve, frozen

from finitedp.errors import ParameterError
from finitedp.proofs_check.audit.board import Board
from finitedp.proofs_check.audit.laws import Explored, Rows, Style, explored, types_of
from finitedp.proofs_check.deciders.partial_law import PartialLaw, Tail
from finitedp.proofs_check.engine.alone.declared_samplers import NEVER, Declared
from finitedp.proofs_check.engine.explorer import SamplerUse
from finitedp.proofs_check.engine.limits import Budget
from finitedp.proofs_check.parallel import HERE, Workers, run

__all__ = ["GIVEN_UP", "Found", "explored_laws", "refuse_equal_outputs_of_different_types"]

Progress = Callable[[int, int], None]
_FILE = re.compile("_[0-9a-f]{12}:")  # what audit/loading.py adds to the name of a file
GIVEN_UP = "no prospect of an end"
"""How the reason begins for which a search was ended early that was given up."""
_PATIENCE = 32
"""Which part of its share of a time limit, one in so many, a search takes before it may be given up."""
_ALONE = 2  # seconds that are worked here before the work is shared


@frozen
class Found:
    """The laws by input, and whether every path of every input costs the same (None where that was not seen).

    facts: what a certificate says of how they were found: samplers taken alone or inline, assumptions, what was stopped,
    what could not be looked into.
    """

    laws: Mapping[Any, PartialLaw[Any]]
    strict_time: bool | None
    facts: Mapping[str, Any]


@frozen
class _At:
    """What the explorer found at one input."""

    explored: Explored
    timed_out: bool


@frozen
class _Task:
    """What is done at each input, here or by a worker."""

    function: Callable[..., Any]
    style: Style
    rows: Rows
    budget: Budget
    board: Board | None
    inputs: int
    jobs: int
    samplers: Declared

    def __call__(self, task: tuple[int, Any], hurry: "_Hurry | None" = None) -> _At:
        position, data = task
        watch = None if self.board is None else self.board.watch(position, self.inputs, self.jobs)

        def stop(open_mass: float) -> bool:
            return (watch is not None and watch(open_mass)) or (hurry is not None and hurry())

        patience = 0.0 if watch is None or watch.share is None else watch.share / _PATIENCE
        found = explored(self.function, data, self.style, self.rows, self.budget, stop, self.samplers, patience=patience)
        if watch is not None:
            watch.close()
        return _At(found, watch is not None and watch.timed_out)


class _Hurry:
    """Whether the time is over in which work is not yet worth sharing."""

    def __init__(self) -> None:
        self._end = monotonic() + _ALONE
        self.late = False

    def __call__(self) -> bool:
        self.late = self.late or monotonic() > self._end
        return self.late


def explored_laws(
    function: Callable[..., Any],
    inputs: Sequence[Any],
    *,
    style: Style,
    rows: Rows,
    budget: Budget,
    workers: Workers,
    progress: Progress | None = None,
    board: Board | None = None,
    samplers: Sequence[Callable[..., Any] | str] = (),
) -> Found:
    """The laws of a function of (data, source), or of (data) for the style "none". Raises: ExplorationError."""
    task = _Task(function, style, rows, budget, board, len(inputs), workers.jobs, Declared.of(samplers))
    tasks, by_place = list(enumerate(inputs)), dict[int, _At]()
    if workers.jobs > 1 and workers.backend == "processes":
        for position, result in _at_first(task, tasks):
            by_place[position] = result
            if progress is not None:
                progress(len(by_place), len(inputs))
    left = tasks[len(by_place) :]
    with closing(run(task, left, workers if left else HERE)) as arriving:
        for k, result in arriving:
            by_place[left[k][0]] = result
            if progress is not None:
                progress(len(by_place), len(inputs))
    at = [by_place[i] for i in range(len(inputs))]
    found = [each.explored for each in at]
    laws = {data: each.law for data, each in zip(inputs, found, strict=True)}
    shapes = frozenset().union(*(each.shapes for each in found))
    same = not any(each.law.unresolved for each in found) and len(shapes) == 1
    unseen = not all(each.cost_seen for each in found) or (same and any(each.decided for each in found))
    return Found(laws, None if unseen else same, _facts(at, board))


def _at_first(task: _Task, tasks: Sequence[tuple[int, Any]]) -> Iterator[tuple[int, _At]]:
    """What is found here, in order, in the time that it takes to begin with other processes; the last one may be given up."""
    hurry = _Hurry()
    for position, data in tasks:
        at = task((position, data), hurry)
        if hurry():
            return
        yield position, at


def _facts(found: Sequence[_At], board: Board | None) -> dict[str, Any]:
    facts: dict[str, Any] = {}
    assumed = sorted({words for at in found for words in at.explored.law.assumptions})
    if assumed:
        facts["assumptions"] = assumed
    hidden = sorted({words for at in found for words in at.explored.not_looked_into})
    if hidden:
        facts["not_looked_into"] = hidden
    uses = _uses({use for at in found for use in at.explored.uses})
    if uses:
        facts["samplers"] = [{"name": use.name, "alone": use.alone, "reason": use.reason} for use in uses]
    stopped = None if board is None else board.stopped
    if stopped is not None:
        facts["stopped"] = stopped
    elif board is not None and any(at.timed_out for at in found):
        facts["stopped"] = f"time limit of {board.seconds:g} s"
    elif given_up := [at.explored.given_up for at in found if at.explored.given_up is not None]:
        facts["stopped"] = f"{GIVEN_UP} after {max(given_up):,} runs"
    return facts


def _uses(uses: set[SamplerUse]) -> list[SamplerUse]:
    """How samplers were taken, without those that were called at another input; a file is named as a file."""
    called = {use.name for use in uses if use.reason != NEVER}
    kept = [use for use in uses if use.reason != NEVER or use.name not in called]
    named = [evolve(use, name=_FILE.sub(".py:", use.name)) for use in kept]
    return sorted(named, key=lambda use: (use.name, not use.alone, use.reason or ""))


def refuse_equal_outputs_of_different_types(laws: Sequence[PartialLaw[Any]]) -> None:
    """True and 1 are one output here, also where a tail holds the 1, and two for who sees them. Raises: ParameterError."""
    tails = sorted((x for law in laws for x in law.probabilities if type(x) is Tail), key=lambda tail: tail.first)
    rising, falling = ([tail for tail in tails if tail.direction == direction] for direction in (1, -1))
    seen: dict[Hashable, str] = {}
    for law in laws:
        for output in law.probabilities:
            types = "int" if type(output) is Tail else types_of(output)
            held = types != "int" and any(output in tail for tail in (*rising[:1], *falling[-1:]))
            first = "int" if held else seen.setdefault(output, types)
            if first != types:
                raise ParameterError(f"two outputs equal {output!r} but are of different types, {first} and {types}")
