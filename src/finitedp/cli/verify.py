"""finitedp verify: the claims ledger, run, and what the run found for a reader or for a program."""

import signal
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from time import perf_counter
from typing import get_args

import click
from attrs import evolve

from finitedp.cli.claims import chosen_by
from finitedp.cli.console import OutputPath, json_option, print_json, progress, table, write_whole
from finitedp.cli.prose import closing_line, facts, is_narrow, paragraph
from finitedp.cli.workers import workers_options
from finitedp.proofs_check.claims import sections
from finitedp.proofs_check.hunting.results import hunted
from finitedp.proofs_check.hunting.words import has_scope, hunt_in_full, scope_in_words, verdict_in_words
from finitedp.proofs_check.ledger.entry import Grid, Verdict
from finitedp.proofs_check.ledger.page import claims_page
from finitedp.proofs_check.ledger.references import establishes
from finitedp.proofs_check.ledger.verify import Interrupted, Raised, Result, with_premises
from finitedp.proofs_check.ledger.verify import verify as run_ledger
from finitedp.proofs_check.parallel import Workers

_FEW = 400  # instances and twins of the quick grid that take less time than to start a process
_OUTCOMES = (*get_args(Verdict), "CONDITIONAL", "FAILED", "BLIND")
_PATTERN_HELP = "Only the claims whose id matches this shell-style pattern, or lies below it: BV.Thm4.10, 'FD.*'."


@click.command()
@click.option("--grid", type=click.Choice(["quick", "full"]), default="quick", show_default=True, help="Which instances.")
@click.option("--claims", "patterns", multiple=True, metavar="PATTERN", help=_PATTERN_HELP + " May be repeated.")
@workers_options
@click.option("--page", type=OutputPath(), help="Also write the short page of claims as Markdown.")
@click.option("--errata", is_flag=True, help="Also print every text that was refuted as printed, and its repair.")
@click.option("--table", "as_table", is_flag=True, help="Also print a row for every claim.")
@json_option
def verify(
    grid: Grid, patterns: tuple[str, ...], workers: Workers, page: Path | None, errata: bool, as_table: bool, as_json: bool
) -> None:
    """Run the claims ledger: every claim that is not as expected, the verdicts of each section, and the totals.

    Each check runs on every instance of the grid, and must reject each of its negative twins. What a chosen claim is derived
    from runs too. Exit code 1 if a claim fails, a check raises, a check is blind to a twin, or a derived claim is conditional.
    A run that is interrupted says on standard error what it had found.
    """
    jobs_given = click.get_current_context().get_parameter_source("jobs") is not click.core.ParameterSource.DEFAULT
    if grid == "quick" and not jobs_given:
        workers = evolve(workers, few=_FEW)
    chosen, start = with_premises(chosen_by(patterns)), perf_counter()
    try:
        with _sigterm_interrupts(), progress("verifying", even=True) as update:
            results = run_ledger(chosen, grid, workers, update)
    except Interrupted as stopped:
        click.echo(_up_to_then(stopped.results, len(chosen)), err=True)
        click.get_current_context().exit(130)
    elapsed = perf_counter() - start
    if page is not None:
        write_whole(page, claims_page({result.entry.id: result.outcome for result in results}))
    if as_json:
        print_json(_as_json(results, grid, elapsed))
    else:
        click.echo(_for_a_reader(results, grid, elapsed, errata, as_table))
    if not all(result.good for result in results):
        click.get_current_context().exit(1)


@contextmanager
def _sigterm_interrupts() -> Iterator[None]:
    """As Ctrl-C does: by an exception, so that workers are ended and what was found is said."""

    def interrupt(_number: int, _frame: object) -> None:
        raise KeyboardInterrupt

    if threading.current_thread() is not threading.main_thread():  # no other one may handle signals
        yield
        return
    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _processor(results: Sequence[Result]) -> float:
    return sum(r.seconds for r in results)


# For a program


def _as_json(results: Sequence[Result], grid: Grid, elapsed: float) -> dict[str, object]:
    return {
        "grid": grid,
        "holds": all(r.good for r in results),
        "processor_seconds": round(_processor(results), 3),
        "wall_clock_seconds": round(elapsed, 3),
        "claims": [_claim_as_json(r, grid) for r in results],
    }


def _claim_as_json(result: Result, grid: Grid) -> dict[str, object]:
    return {
        "id": result.entry.id,
        "section": sections()[result.entry.id],
        "verdict": result.outcome,
        "scope": scope_in_words(result.entry, grid) if has_scope(result.outcome) else "",
        "hunted": hunt_in_full(last_hunt) if (last_hunt := hunted(result.entry)) is not None else "",
        "as_expected": result.good,
        "statement": result.entry.statement,
        "quantifiers": result.entry.quantifiers,
        "reach": result.entry.reach,
        "derived_from": list(result.entry.derived_from),
        "by": result.entry.by,
        "premises_that_do_not_hold": list(result.missing),
        "sampled": result.entry.sampled,
        "measured": result.entry.measured,
        "proof": result.entry.proof,
        "instances": result.instances,
        "seconds": round(result.seconds, 3),
        "worst_case": result.worst.detail,
        "worst_instance": result.where,
        "twins_rejected": list(result.rejected),
        "twins_accepted": list(result.accepted),
        "raised": [{"twin": r.twin, "instance": r.where, "error": r.error} for r in result.raised],
    }


# For a reader


def _for_a_reader(results: Sequence[Result], grid: Grid, elapsed: float, errata: bool, as_table: bool) -> str:
    refuted = {r.entry.id for r in results if r.outcome == "refuted"}
    corrected = [r for r in results if r.good and (r.outcome == "refuted" or r.entry.repairs in refuted)]
    parts = _complaints(results)
    if corrected and errata:
        parts += ["Refuted as printed, and repaired:", *(_correction(r, grid) for r in corrected)]
    if as_table:
        parts.append(_rows(results, grid))
    parts.append(_summary(results, grid))
    if not as_table:
        parts.append(closing_line("A verdict is of the sizes on the grid: --table shows them, and how far hunts went."))
    if refuted and not errata:
        parts.append(closing_line("--errata shows the texts that were refuted as printed, and their repairs."))
    return "\n\n".join([*parts, _totals(results, elapsed)])


def _complaints(results: Sequence[Result]) -> list[str]:
    bad = [r for r in results if not r.good]
    return ["Not as expected:", *map(_complaint, bad)] if bad else []


def _up_to_then(results: Sequence[Result], number: int) -> str:
    progress_text = f"Interrupted: {len(results)} of {number} claims decided"
    failures = sum(not r.good for r in results)
    counts = f": {_counts(results)}" if results else ""
    last = f"{progress_text}{counts}; {failures} not as expected; nothing is said of the others."
    return "\n\n".join([*_complaints(results), closing_line(last)])


def _counts(results: Sequence[Result]) -> str:
    counts = Counter(result.outcome for result in results)
    return ", ".join(f"{counts[outcome]} {outcome}" for outcome in _OUTCOMES if counts[outcome])


def _summary(results: Sequence[Result], grid: Grid) -> str:
    rows = []
    for title, group in groupby(results, key=lambda r: sections()[r.entry.id]):
        of_section = list(group)
        twins = f"{sum(len(r.rejected) for r in of_section)}/{sum(len(r.entry.twins) for r in of_section)}"
        rows.append((title, _counts(of_section), f"{twins:>7}", f"{_processor(of_section):6.1f}"))
    return table(f"Claims on the {grid} grid", ("section", "verdicts", "  twins", "     s"), rows)


def _correction(result: Result, grid: Grid) -> str:
    lines = [f"{result.entry.id}  {result.outcome}", paragraph(result.entry.statement)]
    if result.outcome == "refuted":
        lines.append(paragraph(f"Counterexample: {result.worst.detail} ({result.where})"))
    else:
        lines.append(paragraph(f"It is {verdict_in_words(result.entry, result.outcome, grid)}."))
    return "\n".join(lines)


def _complaint(result: Result) -> str:
    rows = [
        ("statement", [result.entry.statement]),
        ("expected", [f"{result.entry.verdict}: {establishes(result.entry)}"]),
        ("premises that do not hold", result.missing),
        ("worst case", [f"{result.worst.detail} ({result.where})"]),
        ("raised", _raised(result.raised)),
        ("twins not rejected", result.accepted),
    ]
    return f"{result.entry.id}  {result.outcome}\n{facts(rows)}"


def _raised(raised: Sequence[Raised]) -> list[str]:
    """Every error once, with the first instance of it and how many others there are."""
    first: dict[tuple[str | None, str], Raised] = {}
    for r in raised:
        first.setdefault((r.twin, r.error), r)
    counts = Counter((r.twin, r.error) for r in raised)
    return [_one_raised(r, counts[key] - 1) for key, r in first.items()]


def _one_raised(raised: Raised, others: int) -> str:
    twin = "" if raised.twin is None else f"twin {raised.twin!r}, "
    return f"{raised.error}, on {twin}{raised.where}" + (f", and on {others} other instances" if others else "")


def _totals(results: Sequence[Result], elapsed: float) -> str:
    twins, instances = sum(len(r.rejected) for r in results), sum(r.instances for r in results)
    counts_text = f"{len(results)} claims: {_counts(results)}; {instances} instances, {twins} negative twins rejected"
    return closing_line(f"{counts_text}; {_processor(results):.1f} s of processor time in {elapsed:.1f} s.")


def _rows(results: Sequence[Result], grid: Grid) -> str:
    rows = []
    for r in results:
        worst = f"{r.worst.detail} ({r.where})" if r.worst.load or not r.worst.holds else "equal"
        twins = f"{len(r.rejected)}/{len(r.entry.twins)}"
        verdict = verdict_in_words(r.entry, r.outcome, grid)
        rows.append((r.entry.id, str(r.instances), twins, f"{r.seconds:.2f}", verdict, _short(worst)))
    columns = ("claim", "instances", "twins", "seconds", "verdict", "worst case")
    shown = [0, 2, 3, 4] if is_narrow() else range(len(columns))  # 80 characters have room for no more
    pick = itemgetter(*shown)
    return table(f"Every claim on the {grid} grid", pick(columns), [pick(row) for row in rows], unbroken=len(shown) - 2 or 1)


def _short(text: str, width: int = 150) -> str:
    return text if len(text) <= width else text[: width - 3] + "..."
