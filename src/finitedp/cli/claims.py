"""finitedp claims: the ledger, listed without being run; a few claims with all that leads from them to their tests."""

from collections.abc import Sequence
from typing import get_args

import click

from finitedp.cli.console import json_option, print_json, table
from finitedp.cli.prose import facts, is_narrow
from finitedp.proofs_check.claims import entries, find, sections
from finitedp.proofs_check.hunting.reasons import reasons
from finitedp.proofs_check.hunting.results import hunted
from finitedp.proofs_check.hunting.words import has_scope, hunt_in_full, scope_in_words
from finitedp.proofs_check.ledger.entry import Entry, Grid
from finitedp.proofs_check.ledger.proofs import read, steps_of
from finitedp.proofs_check.ledger.references import establishes, mechanisms_of, node_of, place_of, speaks_of, specification

_FEW = 8  # claims that are shown one by one


def chosen_by(patterns: Sequence[str]) -> list[Entry]:
    """The entries that match one of the patterns, or all, in the order of the ledger. Raises: ParameterError."""
    return find(*patterns) if patterns else list(entries().values())


@click.command()
@click.argument("patterns", nargs=-1, metavar="[PATTERN]...")
@json_option
def claims(patterns: tuple[str, ...], as_json: bool) -> None:
    """List the claims ledger without running it.

    A pattern that matches at most eight claims shows for each of them the statement, what a run establishes, the code that it
    speaks of, the mechanisms that it covers, the specification that it is compared with, its check, its twins and its test.
    All else is a table.
    """
    chosen = chosen_by(patterns)
    if as_json:
        print_json([_as_json(entry) for entry in chosen])
    elif patterns and len(chosen) <= _FEW:
        click.echo("\n\n".join(_shown(entry) for entry in chosen))
    else:
        click.echo(_listed(chosen))
        click.echo(f"{len(chosen)} claims. `finitedp claims ID` shows one whole; `finitedp verify` runs them.")


def _listed(chosen: Sequence[Entry]) -> str:
    if is_narrow():
        return table("Claims ledger", ("claim", "statement"), [(e.id, e.statement) for e in chosen], unbroken=1)
    rows = [(e.id, e.kind, e.statement, e.quantifiers, "\n".join(e.twins)) for e in chosen]
    return table("Claims ledger", ("claim", "kind", "statement", "checked over", "negative twins"), rows, unbroken=2)


def _shown(entry: Entry) -> str:
    place, quick, full = place_of(entry), len(entry.instances("quick")), len(entry.instances("full"))
    rows = [
        ("statement", [entry.statement]),
        ("checked over", [" ".join(entry.quantifiers.split())]),
        ("expected", [f"{entry.verdict}: {establishes(entry)}"]),
        ("instances", [f"{quick} on the quick grid, {full} on the full one"]),
        ("scope", _scope(entry)),
        ("hunt", _hunted(entry)),
        ("its load", _why(entry)),
        ("code", speaks_of(entry) or ["none: the claim is about the specification itself"]),
        ("mechanisms", [", ".join(mechanisms_of(entry)) or "none of those that `finitedp law` lists"]),
        ("compared with", specification(entry) or ["nothing of finitedp.spec: the check says what must hold"]),
        ("check", [f"{place.file}:{place.line}", place.function]),
        ("proof", _proof(entry)),
        ("twins", list(entry.twins) or ["none: the check must fail on this text, and its repair has twins"]),
        ("test", [f"pytest -k {entry.id}", node_of(entry)]),
    ]
    return f"{entry.id}  {entry.kind}  ({sections()[entry.id]})\n{facts(rows, indent=2)}"


def _scope(entry: Entry) -> list[str]:
    """For which sizes the verdict is; nothing where it speaks of all, or of a single counterexample."""
    quick, full = (scope_in_words(entry, grid) for grid in get_args(Grid))
    return [f"{quick}; on the full grid {full}"] if has_scope(entry.verdict) else []


def _hunted(entry: Entry) -> list[str]:
    """What the recorded hunt for counterexamples found; nothing where there is none."""
    result = hunted(entry)
    return [] if result is None else [hunt_in_full(result)]


def _why(entry: Entry) -> list[str]:
    """Why the load of the recorded hunt is above the grid's, and not above 1; nothing where no reason is written down."""
    why = reasons().get(entry.id)
    return [] if why is None or hunted(entry) is None else [f"{why.kind}: {why.text}"]


_MOST_STEPS = 12  # so that claim and proof fit on a screen


def _proof(entry: Entry) -> list[str]:
    """The proof object of an entry that is proved, and its steps; nothing of another one."""
    if not entry.proof:
        return []
    steps = steps_of(read(entry.proof))
    more = [f"and {len(steps) - _MOST_STEPS} more"] if len(steps) > _MOST_STEPS else []
    return [f"proofs_check/proofs/objects/{entry.proof}.json, {len(steps)} steps", *steps[:_MOST_STEPS], *more]


def _as_json(entry: Entry) -> dict[str, object]:
    place = place_of(entry)
    return {
        "id": entry.id,
        "section": sections()[entry.id],
        "kind": entry.kind,
        "statement": entry.statement,
        "quantifiers": entry.quantifiers,
        "reach": entry.reach,
        "establishes": establishes(entry),
        "code": list(entry.code),
        "implementation": list(speaks_of(entry)),
        "mechanisms": list(mechanisms_of(entry)),
        "specification": list(specification(entry)),
        "check": {"function": place.function, "file": place.file, "line": place.line},
        "test": node_of(entry),
        "expects": entry.verdict,
        "scope": " ".join(_scope(entry)),
        "hunted": " ".join(_hunted(entry)),
        "why": " ".join(_why(entry)),
        "derived_from": list(entry.derived_from),
        "by": entry.by,
        "sampled": entry.sampled,
        "measured": entry.measured,
        "proof": entry.proof,
        "repairs": entry.repairs,
        "twins": list(entry.twins),
        "instances": {"quick": len(entry.instances("quick")), "full": len(entry.instances("full"))},
    }
