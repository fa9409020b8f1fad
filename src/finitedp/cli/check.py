"""finitedp check: certificates of audits, of tables and of distances, and proofs, re-derived by their lone checkers."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from finitedp.labels import as_text
from finitedp.proofs_check import blanket_certificate, checker, dyadic_certificate, flexible_certificate, pipeline_certificate
from finitedp.proofs_check.ledger.proofs import FORMAT, named, proves
from finitedp.proofs_check.proofs.proof_checker import Refused
from finitedp.proofs_check.report.wording import shortened

LONGEST_REASON = 300  # characters: a refusal may quote what the file holds
REJECTED, UNUSABLE = 1, 2  # exit codes

Check = Callable[[dict[str, Any], Path], str | None]
TABLE = "finitedp dyadic table"
HISTOGRAM = dyadic_certificate.HISTOGRAM
FLEXIBLE = "finitedp flexible certificate"
BLANKET = blanket_certificate.FORMAT
_CHECKS: dict[str, Check] = {
    "finitedp certificate": checker.check,
    TABLE: lambda document, _folder: dyadic_certificate.recheck(document),
    HISTOGRAM: lambda document, _folder: dyadic_certificate.recheck_histogram(document),
    FLEXIBLE: lambda document, _folder: flexible_certificate.recheck(document),
    BLANKET: lambda document, _folder: blanket_certificate.recheck(document),
    pipeline_certificate.FORMAT: lambda document, _folder: pipeline_certificate.recheck(document),
    FORMAT: lambda document, _folder: _proof(document),
}
_ABOUT = {
    TABLE: ": a table for n = {n}, epsilon = {epsilon}, {bits} bits",
    BLANKET: ": a plan for up to n = {table[n]} rows of {size} labels, epsilon = {epsilon}, {neighbours}",
    HISTOGRAM: ": the tables of an anonymized histogram of up to n = {n} items, epsilon = {epsilon}",
}
_FLEXIBLE = {
    "lossy-infinity": "whether the {gamma}-lossy infinity-Wasserstein distance is within {b}: {answer}",
    "lossy-infinity-value": "the {gamma}-lossy infinity-Wasserstein distance is {b}",
    "lossy-average": "the {gamma}-lossy average Wasserstein distance is {c}",
    "shifted-truncated": "one-sided noise below q = {q} is ({epsilon}, {delta})-differentially private ({neighbours})",
}


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
def check(files: tuple[Path, ...]) -> None:
    """Re-derive the certificates, FILES, from what is in them.

    An audit's verdicts from its laws, that of a pipeline from its paths; a table's privacy, and that of what stands
    on it, from its weights; the plan of a sparse histogram from its numbers; a lossy Wasserstein distance from its
    flow and what shows that no flow is better; a proof for all parameters from its steps, and from the code that it
    speaks of: by the live checker, which runs what is installed here in an interpreter of its own, and by a second,
    independent one, which reads the sources. What a proof says of itself is not printed: a claim's id is, if
    finitedp knows it with just this statement, and else the statement.

    Prints a line for each: accepted, or why it is rejected. Exit code 1 if one is rejected; 2 if one cannot be read or is no
    certificate at all, which is said on standard error. That it is accepted says nothing of a certificate's name, nor of how
    it says that its laws were found (strict time, versions, commands): these are somebody's words. The checkers are files of
    the standard library's Python, finitedp/proofs_check/checker.py, dyadic_certificate.py, flexible_certificate.py,
    blanket_certificate.py, pipeline_certificate.py and, of proofs, proofs/proof_checker.py, which also run by themselves:
    python checker.py FILE; the live checker, proofs/live_checker, needs attrs and gmpy2, too.
    """
    code = 0
    for file in files:
        one_code, verdict = _checked(file)
        code = max(code, one_code)
        said = as_text(verdict) if not one_code else shortened(as_text(verdict), LONGEST_REASON)  # a statement is told whole
        click.echo(f"{as_text(file)}: {said}", err=one_code == UNUSABLE)
    click.get_current_context().exit(code)


def _checked(file: Path) -> tuple[int, str]:
    """The exit code for a file, and whether it is accepted, with what a table is for, or why it is rejected or unusable."""
    try:
        text = file.read_bytes()
        document = json.loads(text.decode("utf-8"), object_pairs_hook=checker.unique)
    except OSError as error:
        return UNUSABLE, f"it cannot be read: {error.strerror}"
    except Exception as error:  # whatever is in the file, it is no certificate
        why = f"not JSON: {type(error).__name__}: {error}" if text.strip() else "empty"
        return UNUSABLE, f"it is no certificate: it is {why}"
    form = document.get("format") if isinstance(document, dict) else None
    if not isinstance(form, str) or form not in _CHECKS:
        return UNUSABLE, f"it is no certificate; accepted: a JSON object whose format is one of {', '.join(_CHECKS)}"
    try:
        reason = _CHECKS[form](document, file.parent)
    except OSError as error:
        reason = f"a file that it needs cannot be read: {error.strerror}"
    except Exception as error:  # whatever is in the file, it is not accepted
        reason = _unreadable(error)
    if reason is not None:
        return REJECTED, f"REJECTED: {reason}"
    return 0, "accepted" + _said(form, document)


def _proof(document: dict[str, Any]) -> str | None:
    """Why a proof is rejected, or None."""
    try:
        proves(document)
    except Refused as refused:
        return str(refused)
    return None


def _said(form: str, document: dict[str, Any]) -> str:
    """What an accepted certificate shows, where it has no name of its own."""
    if form == FORMAT:
        return f" by the live checker and by the second one: proves {', '.join(named(document))}, for all parameters"
    if form == FLEXIBLE:
        return f": {_FLEXIBLE[document['kind']].format(**document)}"
    if form == "finitedp certificate":
        return checker.about(document)
    if form == pipeline_certificate.FORMAT:
        return ": the claim " + "; ".join(
            verdict if name == "private" else f"{name} {verdict}" for name, verdict in document["verdicts"].items()
        )
    return _ABOUT.get(form, "").format(**document)


def _unreadable(error: Exception) -> str:
    return f"it cannot be read: {type(error).__name__}: {error}"
