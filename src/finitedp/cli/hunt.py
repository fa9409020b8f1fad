"""finitedp hunt: counterexamples of the ledger's statements, looked for beyond the grids on which they are verified."""

from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from math import inf
from pathlib import Path

import click

from finitedp.cli.claims import chosen_by
from finitedp.cli.console import OutputPath, json_option, print_json, progress, table, write_whole
from finitedp.cli.prose import closing_line, facts
from finitedp.errors import ParameterError
from finitedp.numbers import outward
from finitedp.proofs_check.claims import entries
from finitedp.proofs_check.hunting.kept import decided_again
from finitedp.proofs_check.hunting.results import merged, recorded
from finitedp.proofs_check.hunting.running import hunt_all, why_not_hunted
from finitedp.proofs_check.hunting.told import Told, as_document
from finitedp.proofs_check.ledger.entry import Entry, OutOfScopeError
from finitedp.proofs_check.limits import MOST_JOBS

EPILOG = """\b
Examples:
  finitedp hunt 'GK.Lem*'                     ten seconds for each lemma
  finitedp hunt PH --seconds 60 --jobs 4      a paper, longer
  finitedp hunt GK --record found.json        keep what was found
  finitedp hunt --replay found.json           decide the kept instances again
"""


@click.command(epilog=EPILOG)
@click.argument("patterns", nargs=-1, metavar="[PATTERN]...")
@click.option("--seconds", type=float, default=10, show_default=True, help="Processor time for each claim.")
@click.option("--seed", type=int, default=1, show_default=True, help="Of what is tried.")
@click.option("--jobs", type=click.IntRange(1, MOST_JOBS), default=2, show_default=True, help="Local processes.")
@click.option(
    "--record", "to", type=OutputPath(), help="Put what is found into this file, each result in the place of an older one."
)
@click.option(
    "--replay",
    "replayed",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Look for nothing: decide again the instances in a file that --record wrote.",
)
@json_option
def hunt(
    patterns: tuple[str, ...], seconds: float, seed: int, jobs: int, to: Path | None, replayed: Path | None, as_json: bool
) -> None:
    """Look for counterexamples of the claims beyond the grids on which they are verified, and below them.

    The claim's own check decides each instance: smaller ones, larger ones, and small changes of those whose load, the share
    of what is allowed that is used, is largest. Each claim is hunted in a process of its own; one whose check does not come
    to an end is stopped, and what it had found by then is told. Claims that are proved, sampled, measured or refuted already
    are left out. No counterexample found means no more than that. Exit code 1 where there is one.
    """
    if not 0 < seconds < inf:
        raise ParameterError(f"seconds = {seconds} is not accepted: a number above 0")
    chosen = chosen_by(patterns)
    if replayed is not None:
        _replay(chosen, replayed, as_json)
        return
    if to is not None and to.exists():
        recorded(chosen, to)  # what is no such file is not overwritten
    hunted = [entry for entry in chosen if why_not_hunted(entry) is None]
    order, results, interrupted = {entry.id: place for place, entry in enumerate(hunted)}, list[Told](), False
    try:
        with progress("hunting", even=True) as update, closing(hunt_all(hunted, seconds, seed, jobs)) as arriving:
            for one in arriving:
                results.append(one)
                if to is not None:  # at once: who interrupts it keeps what there is
                    write_whole(to, merged(one, entries(), seconds, seed, to))
                update(len(results), len(hunted))
    except KeyboardInterrupt:
        interrupted = True
    results.sort(key=lambda one: order[one.id])
    if as_json:
        print_json(_as_json(results, chosen, seconds, seed))
    else:
        click.echo(_for_a_reader(results, chosen, len(hunted)))
    if interrupted:
        click.get_current_context().exit(130)
    if any(one.false_at for one in results):
        click.get_current_context().exit(1)


def _replay(chosen: Sequence[Entry], file: Path, as_json: bool) -> None:
    """Exit code 1 where a statement fails at an instance of the file, or its check raises there."""
    records = recorded(chosen, file)
    kept = [(entry, records[entry.id].found.instance) for entry in chosen if entry.id in records]
    rows = [(entry.id, *_again(entry, instance)) for entry, instance in kept if instance is not None]
    columns = ("claim", "load", "verdict", "the check says")
    if as_json:
        print_json([dict(zip(("id", *columns[1:]), row, strict=True)) for row in rows])
    else:
        click.echo(table("Kept instances", columns, rows, unbroken=3))
    if any(verdict in ("FALSE", "raised") for _id, _load, verdict, _says in rows):
        click.get_current_context().exit(1)


def _again(entry: Entry, instance: object) -> tuple[str, str, str]:
    try:
        decision = decided_again(entry, instance)
    except OutOfScopeError as error:
        return "", "out of scope", str(error)
    except Exception as error:  # whatever a check raises: the others are still decided
        return "", "raised", f"{type(error).__name__}: {error}"
    return outward(decision.load, decision.load, 4)[0], "holds" if decision.holds else "FALSE", decision.detail


def _left_out(chosen: Sequence[Entry]) -> Counter[str]:
    return Counter(why for why in map(why_not_hunted, chosen) if why is not None)


def _as_json(results: Sequence[Told], chosen: Sequence[Entry], seconds: float, seed: int) -> dict[str, object]:
    return {
        "seconds": seconds,
        "seed": seed,
        "counterexamples": sum(bool(one.false_at) for one in results),
        "left_out": dict(_left_out(chosen)),
        "claims": [as_document(one) for one in results],
    }


def _for_a_reader(results: Sequence[Told], chosen: Sequence[Entry], hunted: int) -> str:
    parts = []
    if results:
        columns = ("claim", "  tried", "load: grid", "hunt", "")
        parts.append(table("Hunted", columns, [_row(one) for one in results], unbroken=5))
    parts += map(_remark, (one for one in results if one.false_at or one.hung_at or (one.declared and one.raised)))
    return "\n\n".join([*parts, closing_line(_totals(results, chosen, hunted))])


def _row(one: Told) -> tuple[str, ...]:
    said = "FALSE" if one.false_at else "hung" if one.hung_at else "rising" if one.rising else ""
    return one.id, f"{one.tried:>7}", f"{one.grid_load:>10}", one.load, said


_MOST_ERRORS = 2  # the others are in the file of --record


def _remark(one: Told) -> str:
    scope = "" if one.declared else "to be read: the scope is inferred from the grid, which may be wrong"
    rows = [
        ("counterexample", [one.false_at] if one.false_at else []),
        ("the check says", [one.says] if one.says else []),
        ("scope", [scope] if scope and one.false_at else []),
        ("stopped at", [one.hung_at] if one.hung_at else []),
        ("raised", [f"{error}, at {where}" for error, where in list(one.raised.items())[:_MOST_ERRORS] if one.declared]),
    ]
    return f"{one.id}\n{facts(rows)}"


def _totals(results: Sequence[Told], chosen: Sequence[Entry], hunted: int) -> str:
    counts = [
        (sum(bool(one.false_at) for one in results), "counterexamples"),
        (sum(one.rising for one in results), "with a rising load"),
        (sum(bool(one.hung_at) for one in results), "stopped"),
    ]
    tried = sum(one.tried for one in results)
    said = f"{len(results)} of {hunted} claims hunted, {tried} instances: " + ", ".join(f"{n} {what}" for n, what in counts)
    left = _left_out(chosen)
    rest = ", ".join(f"{n} {why}" for why, n in sorted(left.items()))
    return f"{said}." + (f" Left out: {rest}." if rest else "")
