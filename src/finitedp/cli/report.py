"""finitedp report: certificates as a page for a person who decides."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from finitedp.cli.console import OutputPath, as_json_text, progress, write_whole
from finitedp.proofs_check.report.facts import report as report_on
from finitedp.proofs_check.report.markdown import as_markdown
from finitedp.proofs_check.report.page import as_html

Document = dict[str, Any]


def as_json(report: Document) -> str:
    """The report as JSON."""
    return as_json_text(report) + "\n"


_FORMATS: dict[str, Callable[[Document], str]] = {"html": as_html, "markdown": as_markdown, "json": as_json}
_SUFFIXES = {".html": "html", ".htm": "html", ".md": "markdown", ".markdown": "markdown", ".json": "json"}


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--out", type=OutputPath(), help="The file to write. Left out: to standard output.")
@click.option(
    "--format",
    "form",
    type=click.Choice(tuple(_FORMATS)),
    help="By default what the name of --out says (.html, .md or .json), else markdown.",
)
def report(files: tuple[Path, ...], out: Path | None, form: str | None) -> None:
    """Tell what the certificates, FILES, show: one page for a person who decides.

    The page has the claims, the verdicts in words, the worst cases, both laws side by side, the privacy profile, and how to
    check it again. It needs no network and no JavaScript. HTML needs two packages more:
    pip install jinja2 matplotlib.

    Every certificate is re-checked first; of one that is rejected only the reason is shown, and the exit code is then 1. A
    claim that fails is no failure of the report: `finitedp audit` has an exit code for that.
    """
    write = _FORMATS[_format(out, form)]
    with progress("checking certificates") as update:
        document = report_on(files, update)
    if out is None:
        click.echo(write(document), nl=False)
    else:
        _refuse_to_overwrite(out, files, document)
        write_whole(out, write(document))
        click.echo(f"{out}: {document['summary']}")
    click.get_current_context().exit(1 if document["rejected"] else 0)


def _format(out: Path | None, form: str | None) -> str:
    if form is not None or out is None:
        return form or "markdown"
    if out.suffix.lower() not in _SUFFIXES:
        raise click.UsageError(f"{out} ends in none of {', '.join(_SUFFIXES)}; accepted: one of these, or --format")
    return _SUFFIXES[out.suffix.lower()]


def _refuse_to_overwrite(out: Path, files: tuple[Path, ...], document: Document) -> None:
    """A report must not be written over what it is about."""
    laws = [Path(audit["laws_file"]) for audit in document["audits"] if audit["laws_file"]]
    if out.exists() and any(file.exists() and out.samefile(file) for file in (*files, *laws)):
        raise click.UsageError(f"{out} is one of the certificates, or holds its laws; accepted: another file")
