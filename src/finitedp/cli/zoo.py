"""finitedp zoo: mechanisms from the literature, right and wrong, audited exactly and compared with what is known of them."""

from collections import Counter
from pathlib import Path

import click
from gmpy2 import mpq

from finitedp.cli.console import OutputPath, json_option, print_json, progress, table, write_whole
from finitedp.proofs_check.audit.auditing import AuditResult
from finitedp.proofs_check.zoo.visit import (
    Exhibit,
    as_expected,
    bound_found,
    claim_made,
    exhibits,
    expectation,
    find,
    run_all,
    verdict,
    zoo_page,
)


@click.command()
@click.argument("patterns", nargs=-1, metavar="[PATTERN]...")
@click.option("--page", type=OutputPath(), help="Also write the zoo's page as Markdown.")
@json_option
def zoo(patterns: tuple[str, ...], page: Path | None, as_json: bool) -> None:
    """Audit the zoo: mechanisms from the literature and their well-known mistakes.

    PATTERN is a name, the part of names before a slash, or shell-style: sparse-vector, 'geometric/*'. Each audit is exact.
    Exit code 1 if one does not find what is known of its exhibit.
    """
    chosen = _chosen(patterns)
    if page is not None and patterns:
        raise click.UsageError("--page needs the whole zoo: give no PATTERN")
    with progress("auditing the zoo") as update:
        results = run_all(chosen, update)
    if page is not None:
        write_whole(page, zoo_page(results))
    good = all(as_expected(exhibit, results[exhibit.name]) for exhibit in chosen)
    if as_json:
        print_json({"as_expected": good, "exhibits": [_as_json(exhibit, results[exhibit.name]) for exhibit in chosen]})
    else:
        _print_results(chosen, results)
    if not good:
        click.get_current_context().exit(1)


def _chosen(patterns: tuple[str, ...]) -> list[Exhibit]:
    """In the order of the zoo, each once."""
    wanted = {exhibit.name for pattern in patterns for exhibit in find(pattern)}
    return [exhibit for name, exhibit in exhibits().items() if name in wanted or not patterns]


def _as_json(exhibit: Exhibit, result: AuditResult) -> dict[str, object]:
    witness = result.witness
    return {
        "name": exhibit.name,
        "source": exhibit.source,
        "says": exhibit.says,
        "claim": exhibit.claim.as_json(),
        "n": exhibit.n,
        "universe": list(exhibit.universe),
        "private": result.private,
        "tight": result.tight,
        "worst_ratio": str(result.worst_ratio) if isinstance(result.worst_ratio, mpq) else result.worst_ratio,
        "unresolved": str(result.unresolved),
        "accuracy": None if exhibit.accuracy is None else {**exhibit.accuracy.as_json(), "verdict": result.accuracy},
        "witness": {
            "left": witness.left,
            "right": witness.right,
            "event": [repr(x) for x in witness.event],
            "in_left": str(witness.in_left),
            "in_right": str(witness.in_right),
        },
        "expected": expectation(exhibit),
        "as_expected": as_expected(exhibit, result),
    }


def _print_results(chosen: list[Exhibit], results: dict[str, AuditResult]) -> None:
    rows, surprises = [], []
    for exhibit in chosen:
        result = results[exhibit.name]
        good, bound = as_expected(exhibit, result), bound_found(result, longest=24)
        rows.append((exhibit.name, claim_made(exhibit), verdict(result), bound, "yes" if good else "NO"))
        if not good:
            surprises.append(f"{exhibit.name}: expected {expectation(exhibit)}; found {verdict(result)}, {bound}")
    click.echo(table("The zoo", ("exhibit", "claim", "verdict", "worst ratio found", "as known"), rows, unbroken=1))
    for surprise in surprises:
        click.echo(surprise)
    counts = Counter(result.private for result in results.values())
    total = ", ".join(f"{counts[said]} {said}" for said in ("holds", "fails", "undecided") if counts[said])
    said = "all as known" if not surprises else f"{len(surprises)} NOT as known"
    click.echo(f"Exhibits: {len(chosen)}: {total}; {said}.")
