"""finitedp audit: descriptions of audits, run exactly (a closed program: by samples), with certificates."""

import re
from collections import Counter
from pathlib import Path
from typing import Any

import click

from finitedp.certificates import write_certificate
from finitedp.cli.black_box import findings_as_json, print_findings
from finitedp.cli.console import json_option, print_json, progress, table
from finitedp.cli.workers import workers_options
from finitedp.errors import ParameterError
from finitedp.proofs_check.audit.auditing import AuditResult
from finitedp.proofs_check.audit.certificate import certificate, with_laws_apart
from finitedp.proofs_check.audit.description import Description, read_descriptions
from finitedp.proofs_check.black_box.search import BlackBoxResult
from finitedp.proofs_check.engine.parallel import Workers
from finitedp.proofs_check.report import wording

__all__ = ["audit"]

Document = dict[str, Any]
_FOLDER = click.Path(file_okay=False, path_type=Path)


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--certificates", "folder", type=_FOLDER, metavar="FOLDER", help="Also write certificates there.")
@workers_options
@json_option
def audit(files: tuple[Path, ...], folder: Path | None, workers: Workers, as_json: bool) -> None:
    """Audit the mechanisms that TOML FILES describe, exactly, on small universes.

    Prints separate verdicts (private as claimed; law as specified; bound tight; accuracy), the exact worst ratio and delta,
    the privacy profile and a witness. A closed program, given as a command, is sampled. Exit code 1 if a claim fails or is
    undecided.
    """
    described = [description for file in files for description in read_descriptions(file)]
    names = _file_names(described)
    documents, profiles, findings = [], list[list[tuple[str, str]]](), []
    for name, description in zip(names, described, strict=True):
        if description.command is not None:
            findings.append(_sampled(description, as_json))
            continue
        with progress(f"auditing {description.name}") as update:
            result = description.run(workers, update)
        document = certificate(result)
        documents.append(document)
        profiles.append([(str(ratio), str(delta)) for ratio, delta in result.profile])
        if not as_json:
            click.echo(_verdicts(document, result))
        if folder is not None:
            _keep(folder, name, document)
    outcomes = Counter([*(_outcome(document) for document in documents), *(_sampled_outcome(found) for found in findings)])
    if as_json:
        sampled = [findings_as_json(found) for found in findings]
        print_json({"outcomes": outcomes, "certificates": documents, "profiles": profiles, "black_box": sampled})
    else:
        click.echo(f"Audits: {len(described)}, " + ", ".join(f"{number} {name}" for name, number in outcomes.items()) + ".")
    if set(outcomes) - {"as claimed", "no violation found"}:
        click.get_current_context().exit(1)


def _sampled(description: Description, as_json: bool) -> BlackBoxResult:
    with progress(f"sampling {description.name}"):
        found = description.sample()
    if not as_json:
        print_findings(found)
    return found


def _sampled_outcome(found: BlackBoxResult) -> str:
    """What samples can show: never that a claim holds."""
    return "NOT as claimed" if found.violated or found.law == "differs" else "no violation found"


def _outcome(document: Document) -> str:
    """Whether everything that is claimed holds."""
    verdicts = document["verdicts"]
    said = {verdicts["private"], verdicts["law"], verdicts["accuracy"]}
    return "NOT as claimed" if said & {"fails", "differs"} else "undecided" if "undecided" in said else "as claimed"


def _verdicts(document: Document, result: AuditResult) -> str:
    """The answers to all that was asked, as a table."""
    rows = [
        ("claim", wording.claim_words(document)),
        ("private as claimed", wording.private_words(document, document["laws"])),
        ("law as specified", wording.law_words(document, document["laws"])),
        ("bound tight", wording.tight_words(document)),
        ("accuracy", wording.accuracy_words(document)),
        ("exact bounds", wording.bound_words(document)),
        ("privacy profile", wording.profile_words(document, result.profile)),
        ("witness", "\n".join(wording.witness_lines(document, document["laws"]))),
        ("time", wording.time_words(document)),
    ]
    inputs = f"{len(document['inputs'])} inputs of {len(document['universe'])} labels, n = {document['n']}"
    return table(f"{document['name']} ({inputs})", ("question", "answer"), rows, unbroken=1)


def _file_names(described: list[Description]) -> list[str]:
    """A file name for each audit. Raises: ParameterError where two have the same."""
    names = [re.sub(r"[^A-Za-z0-9]+", "-", d.name).strip("-").lower() or "audit" for d in described]
    twice = [name for name, number in Counter(names).items() if number > 1]
    if twice:
        raise ParameterError(f"two audits have the name {twice[0]!r}; accepted: different names, for their certificates")
    return names


def _keep(folder: Path, name: str, document: Document) -> None:
    """Write a certificate, large laws in a file beside it."""
    folder.mkdir(parents=True, exist_ok=True)
    write_certificate(folder, name, *with_laws_apart(document, f"{name}.laws"))
