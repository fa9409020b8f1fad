"""The laws of a mechanism at all inputs of an audit, explored here or among workers, and what else the explorer saw."""

import re
from collections.abc import Callable, Generator, Hashable, Mapping, Sequence
from contextlib import closing
from math import isinf
from time import monotonic
from typing import Any

from attrs import evolve, frozen

from finitedp.errors import ParameterError
from finitedp.proofs_check.audit.laws import Explored, Rows, Style, explored, types_of
from finitedp.proofs_check.board import UNWATCHED, Board
from finitedp.proofs_check.deciders.partial_law import PartialLaw, Tail
from finitedp.proofs_check.engine.alone.declared_samplers import NEVER, Declared
from finitedp.proofs_check.engine.explorer import SamplerUse
from finitedp.proofs_check.engine.limits import Budget
from finitedp.proofs_check.parallel import Workers, run

Progress = Callable[[int, int], None]
_FILE = re.compile("_[0-9a-f]{12}:")  # what audit/loading.py adds to the name of a file
GIVEN_UP = "progress too slow"
"""How the reason begins for which a search was ended early that was given up."""
_PATIENCE = 32
"""Which part of its share of a time limit, one in so many, a search takes before it may be given up."""
_ALONE = 2  # seconds that are worked here before the work is shared


@frozen
class ExploredLaws:
    """The laws by input, and whether every path of every input costs the same (None where that was not seen).

    facts: what a certificate says of how they were found: samplers taken alone or inline, assumptions, what was stopped,
    what could not be looked into, whether the code was compared with plain integers at sampled points only.
    """

    laws: Mapping[Any, PartialLaw[Any]]
    strict_time: bool | None
    facts: Mapping[str, Any]


@frozen
class _Task:
    """What is done at each input, here or by a worker: what the explorer finds there, and whether its time was up."""

    function: Callable[..., Any]
    style: Style
    rows: Rows
    budget: Budget
    board: Board
    inputs: int
    jobs: int
    samplers: Declared

    def __call__(self, task: tuple[int, Any], late: Callable[[], bool] = lambda: False) -> tuple[Explored, bool]:
        position, data = task
        watch = self.board.watch(position, self.inputs, self.jobs)

        def stop(open_mass: float) -> bool:
            return watch(open_mass) or late()

        patience = 0.0 if isinf(watch.share) else watch.share / _PATIENCE
        law = explored(self.function, data, self.style, self.rows, self.budget, stop, self.samplers, patience=patience)
        watch.close()
        return law, watch.timed_out


def explored_laws(
    function: Callable[..., Any],
    inputs: Sequence[Any],
    *,
    style: Style,
    rows: Rows,
    budget: Budget,
    workers: Workers,
    progress: Progress | None = None,
    board: Board = UNWATCHED,
    samplers: Sequence[Callable[..., Any] | str] = (),
) -> ExploredLaws:
    """The laws of a function of (data, source), or of (data) for the style "none". Raises: ExplorationError."""
    task = _Task(function, style, rows, budget, board.begun(), len(inputs), workers.jobs, Declared.of(samplers))
    by_place = dict[int, tuple[Explored, bool]]()
    with closing(_arriving(task, list(enumerate(inputs)), workers)) as arriving:
        for position, result in arriving:
            by_place[position] = result
            if progress is not None:
                progress(len(by_place), len(inputs))
    results = [by_place[i][0] for i in range(len(inputs))]
    laws = {data: each.law for data, each in zip(inputs, results, strict=True)}
    shapes = frozenset().union(*(each.shapes for each in results))
    same = not any(each.law.unresolved for each in results) and len(shapes) == 1
    unseen = not all(each.cost_seen for each in results) or (same and any(each.decided for each in results))
    timed_out = any(late for _, late in by_place.values())
    return ExploredLaws(laws, None if unseen else same, _facts(results, board, timed_out))


def _arriving(
    task: _Task, tasks: Sequence[tuple[int, Any]], workers: Workers
) -> Generator[tuple[int, tuple[Explored, bool]], None, None]:
    """What is found at each position. Processes share what is not done here in the time that it takes to begin with them."""
    begin = 0
    if workers.jobs > 1 and workers.backend == "processes":
        end = monotonic() + _ALONE

        def late() -> bool:
            return monotonic() > end

        for begin, each in enumerate(tasks):
            result = task(each, late)
            if late():  # so that it may have been given up
                break
            yield begin, result
        else:
            return
    with closing(run(task, tasks[begin:], workers)) as shared:
        yield from ((begin + k, result) for k, result in shared)


def _facts(results: Sequence[Explored], board: Board, timed_out: bool) -> dict[str, Any]:
    uses = _uses({use for each in results for use in each.uses})
    given_up = max((each.given_up for each in results if each.given_up is not None), default=None)
    late = f"time limit of {board.seconds:g} s" if timed_out else None
    facts = {
        "assumptions": sorted({words for each in results for words in each.law.assumptions}),
        "not_looked_into": sorted({words for each in results for words in each.not_looked_into}),
        "compared": "at sampled points" if any(each.sampled for each in results) else None,
        "samplers": [{"name": use.name, "alone": use.alone, "reason": use.reason} for use in uses],
        "stopped": board.stopped or late or (None if given_up is None else f"{GIVEN_UP} after {given_up:,} runs"),
    }
    return {name: fact for name, fact in facts.items() if fact}


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
