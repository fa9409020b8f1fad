"""finitedp audit: functions, or descriptions of audits, decided exactly (a closed program: by samples), with certificates."""

import re
from collections import Counter
from collections.abc import Mapping
from itertools import count
from pathlib import Path
from typing import Any

import click
from attrs import define, field

from finitedp.certificates import write_certificate
from finitedp.cli.audits.accountants import Account, account, account_as_json, account_table, verdict_of
from finitedp.cli.audits.direct import claim_options, described_by_options, is_place
from finitedp.cli.audits.live import open_mass_on
from finitedp.cli.audits.problems import Outcome, write_problems
from finitedp.cli.black_box import findings_as_json, print_findings
from finitedp.cli.console import OutputPath, json_option, print_json, progress, table, write_whole
from finitedp.cli.workers import workers_options
from finitedp.errors import FinitedpError, ParameterError
from finitedp.proofs_check.audit.accountant import Accounts, accounts_of
from finitedp.proofs_check.audit.auditing import AuditResult
from finitedp.proofs_check.audit.certificate import certificate, with_laws_apart
from finitedp.proofs_check.audit.description import Description, read_descriptions, read_document
from finitedp.proofs_check.audit.pipelines.auditing import PipelineResult
from finitedp.proofs_check.audit.pipelines.auditing import certificate as of_pipeline
from finitedp.proofs_check.audit.pipelines.telling import as_json, rows_of
from finitedp.proofs_check.black_box.search import BlackBoxResult
from finitedp.proofs_check.board import board
from finitedp.proofs_check.parallel import Workers
from finitedp.proofs_check.report import wording
from finitedp.proofs_check.report.divergences import DIVERGENCES, divergence_words
from finitedp.proofs_check.report.facts import report as report_on
from finitedp.proofs_check.report.figures import ROUNDING, deciding_words, private_verdict
from finitedp.proofs_check.report.page import as_html, require_drawing, summary_of

Document = dict[str, Any]
_LONGEST_NAME = 100  # characters of a file's name
_TIME_HELP = "For each audit: when it is over, the verdict is of what has been found."
_ROUNDING_HELP = "Exit code 1, or 0, of claims that fail by rounding only: with at most 2^-32 more of delta they hold."
_ROUNDED = "NOT as claimed, by rounding only"
_OF_ACCOUNTS = {"holds": "as claimed", "fails": "NOT as claimed", "undecided": "undecided"}
_OF_PIPELINES = {"holds": "as claimed", "fails": "NOT as claimed", ROUNDING: _ROUNDED, "undecided": "undecided"}
_FOLDER = click.Path(file_okay=False, path_type=Path)


@click.command()
@click.argument("targets", nargs=-1, required=True)
@claim_options
@click.option("--certificates", "folder", type=_FOLDER, metavar="FOLDER", help="Also write certificates there.")
@click.option("--html", type=OutputPath(), help="Also write a report, and the certificates beside it.")
@click.option("--sarif", type=OutputPath(), help="Also write what is wrong as SARIF, for code scanning.")
@click.option("--time-limit", type=click.FloatRange(min=0, min_open=True), metavar="SECONDS", help=_TIME_HELP)
@click.option("--rounding", type=click.Choice(["fail", "warn"]), default="fail", show_default=True, help=_ROUNDING_HELP)
@workers_options
@json_option
def audit(
    targets: tuple[str, ...],
    folder: Path | None,
    html: Path | None,
    sarif: Path | None,
    time_limit: float | None,
    rounding: str,
    workers: Workers,
    as_json: bool,
    **asked: Any,  # noqa: ANN401  # what claim_options ask
) -> None:
    """Audit mechanisms exactly, on small universes.

    TARGETS are functions, file.py:function or package.module:function, of which the options say the claim, or TOML files that
    describe audits (`finitedp init` writes one), or what an accountant says of several releases together.

    Prints separate verdicts (private as claimed; law as specified; bound tight; accuracy), the exact worst ratio and delta,
    the privacy profile and a witness. A closed program, given as a command, is sampled. Ctrl-C ends the search with what it
    has found. Exit code 1 if a claim fails (by rounding only: as --rounding says), is undecided or needs a little more delta.
    """
    described = [description for target in targets for description in _described(target, asked)]
    folder = _folder(described, html, folder)
    done, left = _Done(sarif=sarif), list(zip(_file_names(described), described, strict=True))
    while left and done.stopped is None:
        name, description = left.pop(0)
        if isinstance(description, Accounts):
            done.asked(account := _account(description, done))
            if not as_json:
                click.echo(account_table(account))
            continue
        if description.command is not None:
            done.sampled(description, _sampled(description, as_json))
            continue
        document, result = _audited(description, workers, time_limit, done)
        if not as_json:
            click.echo(_pipeline(result) if isinstance(result, PipelineResult) else _verdicts(document, result))
        if folder is not None and isinstance(result, PipelineResult):
            done.files.append(_keep(folder, name, of_pipeline(result, rows_of(result))))
        elif folder is not None:
            done.files.append(_keep(folder, name, document))
    outcomes = done.outcomes
    if left:
        outcomes["not begun"] = len(left)
    if as_json:
        print_json({"outcomes": outcomes, **done.as_json()})
    else:
        click.echo(f"Audits: {len(described)}, " + ", ".join(f"{number} {name}" for name, number in outcomes.items()) + ".")
    done.leave(html, quiet=as_json)
    if done.stopped is not None:
        click.echo("Interrupted: the verdicts are of what had been found.", err=True)
        click.get_current_context().exit(130)
    if set(outcomes) - {"as claimed", "no violation found", *([_ROUNDED] if rounding == "warn" else [])}:
        click.get_current_context().exit(1)


def _folder(described: list[Description | Accounts], html: Path | None, folder: Path | None) -> Path | None:
    """Where certificates are written. Raises: ParameterError where there is something that has none."""
    without = next((one for one in described if isinstance(one, Accounts)), None)
    if without is not None and (html or folder):
        raise ParameterError(f"{without.path} is about an accountant, which has no certificate; accepted: --json, --sarif")
    if html is None:
        return folder
    require_drawing()
    return folder or html.parent / f"{html.stem}-certificates"


@define
class _Done:
    """What a run of the command has found so far."""

    documents: list[Document] = field(factory=list)
    pipelines: list[Document] = field(factory=list)
    profiles: list[list[tuple[str, str]]] = field(factory=list)
    findings: list[BlackBoxResult] = field(factory=list)
    accounts: list[Account] = field(factory=list)
    judged: list[tuple[Description | Accounts, Outcome]] = field(factory=list)
    files: list[Path] = field(factory=list)
    sarif: Path | None = None
    stopped: str | None = None

    def sampled(self, description: Description, result: BlackBoxResult) -> None:
        """Keep what samples showed."""
        self.findings.append(result)
        self.judged.append((description, result))

    def asked(self, account: Account) -> None:
        """Keep what an accountant says."""
        self.accounts.append(account)
        self.judged.append((account.accounts, account))

    def refused(self, description: Description | Accounts, error: FinitedpError) -> None:
        """Tell what there is in SARIF, since the command ends here."""
        self.judged.append((description, error))
        self.leave(None, quiet=True)

    def leave(self, html: Path | None, *, quiet: bool) -> None:
        """Write SARIF and the report, where they are asked for."""
        if self.sarif is not None:
            write_problems(self.sarif, self.judged)
        if html is not None and (self.files or self.findings):
            report = report_on(self.files)
            write_whole(html, as_html(report, [findings_as_json(result) for result in self.findings]))
            click.echo(f"{html}: {summary_of(report, len(self.findings))}", err=quiet)

    def as_json(self) -> Document:
        """All that was found."""
        sampled, accounts = map(findings_as_json, self.findings), map(account_as_json, self.accounts)
        document = {"certificates": self.documents, "profiles": self.profiles}
        document |= {"pipelines": self.pipelines} if self.pipelines else {}
        return {**document, "black_box": list(sampled), "accountants": list(accounts)}

    @property
    def outcomes(self) -> "Counter[str]":
        """How many audits had which outcome."""
        of_accounts = (_OF_ACCOUNTS[verdict_of(account.said)] for account in self.accounts)
        pipelines = (_OF_PIPELINES[document["verdict"]] for document in self.pipelines)
        return Counter([*map(_outcome, self.documents), *pipelines, *map(_sampled_outcome, self.findings), *of_accounts])


def _described(target: str, asked: Mapping[str, Any]) -> list[Description | Accounts]:
    """The audits of one target. Raises: ParameterError for options beside a file, which says all that itself."""
    if is_place(target):
        return [*described_by_options(target, asked)]
    given = next((name for name, value in asked.items() if value), None)
    if not Path(target).is_file() and not target.endswith(".toml"):
        raise ParameterError(f"{target!r} is no file; accepted: FILE.py:FUNCTION, package.module:function or FILE.toml")
    if given is not None:
        raise ParameterError(f"--{given} is for FILE.py:FUNCTION; {target} is a file that says it itself")
    document = read_document(Path(target))
    if {"releases", "accountant"} & set(document):
        return [accounts_of(document, Path(target))]
    return [*read_descriptions(Path(target))]


def _account(accounts: Accounts, done: _Done) -> Account:
    with progress(f"asking {accounts.name}"):
        try:
            return account(accounts)
        except FinitedpError as error:
            done.refused(accounts, error)
            raise


def _audited(
    description: Description, workers: Workers, time_limit: float | None, done: _Done
) -> tuple[Document, AuditResult | PipelineResult]:
    with board(time_limit) as watched:
        with progress(f"auditing {description.name}", note=open_mass_on(watched)) as update:
            try:
                result = description.decide(workers, update, watched)
            except FinitedpError as error:
                done.refused(description, error)
                raise
        done.stopped = watched.stopped
    if isinstance(result, PipelineResult):
        done.pipelines.append(as_json(result))
        done.judged.append((description, result))
        return done.pipelines[-1], result
    document = certificate(result)
    done.documents.append(document)
    done.judged.append((description, document))
    done.profiles.append([(str(ratio), str(delta)) for ratio, delta in result.profile])
    return document, result


def _pipeline(result: PipelineResult) -> str:
    """The answers to what was asked of a pipeline, as a table."""
    return table(result.name, ("question", "answer"), rows_of(result), unbroken=1)


def _sampled(description: Description, as_json: bool) -> BlackBoxResult:
    with progress(f"sampling {description.name}"):
        result = description.sample()
    if not as_json:
        print_findings(result)
    return result


def _sampled_outcome(result: BlackBoxResult) -> str:
    """What samples can show: never that a claim holds."""
    return "NOT as claimed" if result.violated or result.law == "differs" else "no violation found"


def _outcome(document: Document) -> str:
    """Whether everything that is claimed holds."""
    verdicts = {**document["verdicts"], "private": private_verdict(document)}
    said = {verdicts.get(name) for name in ("private", "law", "accuracy", "renyi", "zcdp")}
    if said & {"fails", "differs"} or said >= {ROUNDING, "undecided"}:
        return "NOT as claimed"
    if ROUNDING in said:
        return _ROUNDED
    return "undecided" if "undecided" in said else "as claimed with delta + u" if document["u"] else "as claimed"


def _verdicts(document: Document, result: AuditResult) -> str:
    """The answers to all that was asked, as a table."""
    claim = document["claim"]
    rows = [
        ("claim", wording.claim_words(document)),
        ("by how much", deciding_words(document)),
        ("private as claimed", wording.private_words(document, document["laws"])),
        *(
            (f"{about} as claimed", divergence_words(document, name))
            for name, about in DIVERGENCES.items()
            if claim.get(name) is not None
        ),
        ("law as specified", wording.law_words(document, document["laws"])),
        ("bound tight", wording.tight_words(document)),
        ("accuracy", wording.accuracy_words(document)),
        ("exact bounds", wording.bound_words(document)),
        ("privacy profile", wording.profile_words(document, result.profile)),
        ("witness", "\n".join(wording.witness_lines(document, document["laws"]))),
        ("time", wording.time_words(document)),
        *wording.found_lines(document),
    ]
    number, labels, n = len(document["inputs"]), len(document["universe"]), document["n"]
    inputs = f"{number} inputs of {labels} labels, n = {n}" if labels else f"the counts 0..{n}"
    if not isinstance(document["neighbours"], str):
        inputs = f"{wording.relation_words(document)} of {number} inputs"
    return table(f"{document['name']} ({inputs})", ("question", "answer"), rows, unbroken=1)


def _file_names(described: list[Description | Accounts]) -> list[str]:
    """A file name for each audit; of those that would be the same, the second has -2 at its end, and so on."""
    names, taken = list[str](), set[str]()
    for description in described:
        stem = re.sub(r"[^A-Za-z0-9]+", "-", description.name).strip("-").lower()[:_LONGEST_NAME] or "audit"
        name = next(free for k in count(1) if (free := stem if k == 1 else f"{stem}-{k}") not in taken)
        taken.add(name)
        names.append(name)
    return names


def _keep(folder: Path, name: str, document: Document) -> Path:
    """Write a certificate, large laws in a file beside it."""
    folder.mkdir(parents=True, exist_ok=True)
    kept = with_laws_apart(document, f"{name}.laws") if "laws" in document else (document, None)
    return write_certificate(folder, name, *kept)
