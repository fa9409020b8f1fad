"""finitedp check: certificates of audits and of dyadic tables, re-derived by their lone checkers."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from finitedp.labels import as_text
from finitedp.proofs_check import checker, dyadic_certificate
from finitedp.proofs_check.report.wording import shortened

__all__ = ["check"]

LONGEST_REASON = 300
REJECTED, UNUSABLE = 1, 2  # exit codes

Check = Callable[[dict[str, Any], Path], str | None]
TABLE = "finitedp dyadic table"
HISTOGRAM = dyadic_certificate.HISTOGRAM
_CHECKS: dict[str, Check] = {
    "finitedp certificate": checker.check,
    TABLE: lambda document, _folder: dyadic_certificate.recheck(document),
    HISTOGRAM: lambda document, _folder: dyadic_certificate.recheck_histogram(document),
}
_ABOUT = {
    TABLE: ": a table for n = {n}, epsilon = {epsilon}, {bits} bits",
    HISTOGRAM: ": the tables of an anonymized histogram of up to n = {n} items, epsilon = {epsilon}",
}


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
def check(files: tuple[Path, ...]) -> None:
    """Re-derive the certificates, FILES: of audits from their laws, of dyadic tables and what stands on them from weights.

    Prints a line for each: accepted, or why it is rejected. Exit code 1 if one is rejected, 2 if one is no certificate at
    all. That it is accepted says nothing of a certificate's name, nor of how it says that its laws were found (strict time,
    versions, commands): these are somebody's words. The checkers are two files of the standard library's Python,
    finitedp/proofs_check/checker.py and dyadic_certificate.py, which also run by themselves: python checker.py FILE.
    """
    code = 0
    for file in files:
        found, verdict = _checked(file)
        code = max(code, found)
        click.echo(f"{as_text(file)}: {shortened(as_text(verdict), LONGEST_REASON)}")
    click.get_current_context().exit(code)


def _checked(file: Path) -> tuple[int, str]:
    """The exit code for a file, and whether it is accepted, with what a table is for, or why it is rejected."""
    try:
        document = json.loads(file.read_text(encoding="utf-8"), object_pairs_hook=checker.unique)
    except Exception as error:  # whatever is in the file, it is no certificate
        return UNUSABLE, f"REJECTED: {_unreadable(error)}"
    form = document.get("format") if isinstance(document, dict) else None
    if not isinstance(form, str) or form not in _CHECKS:
        return UNUSABLE, f"REJECTED: it is no certificate; accepted: a JSON object whose format is one of {', '.join(_CHECKS)}"
    try:
        reason = _CHECKS[form](document, file.parent)
    except Exception as error:  # whatever is in the file, it is not accepted
        reason = _unreadable(error)
    if reason is not None:
        return REJECTED, f"REJECTED: {reason}"
    return 0, "accepted" + _ABOUT.get(form, "").format(**document)


def _unreadable(error: Exception) -> str:
    return f"it cannot be read: {type(error).__name__}: {error}"
