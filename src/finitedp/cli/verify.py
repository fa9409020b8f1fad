"""finitedp verify and finitedp claims: the ledger, run and listed."""

from collections import Counter
from pathlib import Path
from typing import cast

import click

from finitedp.cli.console import OutputPath, json_option, print_json, progress, table, write_whole
from finitedp.cli.workers import workers_options
from finitedp.proofs_check.claims import entries, find
from finitedp.proofs_check.engine.parallel import Workers
from finitedp.proofs_check.ledger.entry import Entry, Grid
from finitedp.proofs_check.ledger.page import claims_page
from finitedp.proofs_check.ledger.verify import Result
from finitedp.proofs_check.ledger.verify import verify as run_ledger

__all__ = ["claims", "verify"]

_PATTERN_HELP = "Only the claims whose id matches this shell-style pattern, or lies below it: BV.Thm4.10, 'FD.*'."


def _chosen(patterns: tuple[str, ...]) -> list[Entry]:
    if not patterns:
        return list(entries().values())
    wanted = {entry.id for pattern in patterns for entry in find(pattern)}
    return [entry for entry in entries().values() if entry.id in wanted]


@click.command()
@click.option("--grid", type=click.Choice(["quick", "full"]), default="quick", show_default=True, help="Which instances.")
@click.option("--claims", "patterns", multiple=True, metavar="PATTERN", help=_PATTERN_HELP + " May be repeated.")
@workers_options
@click.option("--page", type=OutputPath(), help="Also write the claims table as Markdown.")
@json_option
def verify(grid: str, patterns: tuple[str, ...], workers: Workers, page: Path | None, as_json: bool) -> None:
    """Run the claims ledger and print a verdict for every claim.

    Each check runs on every instance of the grid, and must reject each of its negative twins. Exit code 1 if a claim fails
    or a check is blind to a twin.
    """
    chosen = _chosen(patterns)
    with progress("verifying") as update:
        results = run_ledger(chosen, cast(Grid, grid), workers, update)
    if page is not None:
        write_whole(page, claims_page(results, cast(Grid, grid)))
    if as_json:
        print_json({"grid": grid, "holds": all(r.good for r in results), "claims": [_as_json(r) for r in results]})
    else:
        _print_results(results, grid)
    if not all(result.good for result in results):
        click.get_current_context().exit(1)


def _as_json(result: Result) -> dict[str, object]:
    return {
        "id": result.entry.id,
        "verdict": result.outcome,
        "as_expected": result.good,
        "statement": result.entry.statement,
        "quantifiers": result.entry.quantifiers,
        "reach": result.entry.reach,
        "instances": result.instances,
        "seconds": round(result.seconds, 3),
        "worst_case": result.worst.detail,
        "worst_instance": result.where,
        "twins_rejected": list(result.rejected),
        "twins_accepted": list(result.accepted),
    }


def _print_results(results: list[Result], grid: str) -> None:
    rows = []
    for r in results:
        twins = f"{len(r.rejected)}/{len(r.entry.twins)}"
        worst = f"{r.worst.detail} ({r.where})" if r.worst.load or not r.worst.holds else "equal"
        rows.append((r.entry.id, r.outcome, str(r.instances), twins, f"{r.seconds:.2f}", _short(worst)))
    columns = ("claim", "verdict", "instances", "twins", "seconds", "worst case")
    click.echo(table(f"Claims on the {grid} grid", columns, rows, unbroken=5))
    for r in results:
        if not r.good:
            blind = f"; not rejected: {', '.join(r.accepted)}" if r.accepted else ""
            click.echo(f"{r.outcome} {r.entry.id}: {r.worst.detail} ({r.where}){blind}")
    counts = Counter(result.outcome for result in results)
    total = ", ".join(f"{number} {name}" for name, number in counts.items())
    twins_total = sum(len(r.rejected) for r in results)
    click.echo(f"{len(results)} claims: {total}; {twins_total} negative twins rejected.")


def _short(text: str, width: int = 150) -> str:
    return text if len(text) <= width else text[: width - 3] + "..."


@click.command()
@click.argument("patterns", nargs=-1, metavar="[PATTERN]...")
@json_option
def claims(patterns: tuple[str, ...], as_json: bool) -> None:
    """List the claims ledger without running it: every statement, its quantifiers and the code it speaks of."""
    chosen = _chosen(patterns)
    if as_json:
        print_json([_described(entry) for entry in chosen])
        return
    rows = [(e.id, e.kind, e.statement, e.quantifiers, "\n".join(e.twins)) for e in chosen]
    click.echo(table("Claims ledger", ("claim", "kind", "statement", "checked over", "negative twins"), rows, unbroken=2))
    click.echo(f"{len(chosen)} claims. `finitedp verify` runs them.")


def _described(entry: Entry) -> dict[str, object]:
    return {
        "id": entry.id,
        "kind": entry.kind,
        "statement": entry.statement,
        "quantifiers": entry.quantifiers,
        "reach": entry.reach,
        "code": list(entry.code),
        "expects": entry.expects,
        "repairs": entry.repairs,
        "twins": list(entry.twins),
        "instances": {"quick": len(entry.instances("quick")), "full": len(entry.instances("full"))},
    }
