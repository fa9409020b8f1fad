"""What `finitedp audit` found to be wrong, as SARIF."""

import re
from collections.abc import Iterable
from importlib.metadata import version
from pathlib import Path
from typing import Any

from finitedp.cli.audits.accountants import Account, problem_words, verdict_of
from finitedp.cli.console import as_json_text, write_whole
from finitedp.errors import FinitedpError
from finitedp.proofs_check.audit.accountant import Accounts
from finitedp.proofs_check.audit.description import Description
from finitedp.proofs_check.audit.pipelines.auditing import PipelineResult
from finitedp.proofs_check.audit.pipelines.telling import rows_of, verdict_in_short
from finitedp.proofs_check.black_box.search import BlackBoxResult
from finitedp.proofs_check.report import wording
from finitedp.proofs_check.report.divergences import DIVERGENCES, divergence_words
from finitedp.proofs_check.report.figures import private_verdict
from finitedp.proofs_check.report.sarif import Problem, in_repository, rule_of, sarif

Document = dict[str, Any]


Outcome = Document | PipelineResult | BlackBoxResult | Account | FinitedpError
"""The certificate of an audit, what was found of a pipeline, by samples, by asking an accountant, or why nothing was."""


def write_problems(path: Path, audited: Iterable[tuple[Description | Accounts, Outcome]]) -> None:
    """Write a SARIF file. Parameters: audited, each audit with what it gave."""
    problems = [problem for description, result in audited if (problem := _problem(description, result)) is not None]
    write_whole(path, as_json_text(sarif(problems, version("finitedp"), "finitedp-audits")) + "\n")


def _problem(description: Description | Accounts, result: Outcome) -> Problem | None:
    """What is worst about an audit, and where it is described; None if nothing is."""
    rule: str | None
    if isinstance(result, FinitedpError):
        rule, words = "not-audited", str(result)
    elif isinstance(result, Account):
        rule, words = rule_of({"private": verdict_of(result.said)}), problem_words(result)
    elif isinstance(result, PipelineResult):
        rule, words = rule_of({"private": verdict_in_short(result)}), "\n".join(answer for _, answer in rows_of(result))
    elif isinstance(result, BlackBoxResult):
        rule, words = rule_of({"private": result.private, "law": result.law}), _sampled_words(result)
    else:
        rule, words = rule_of({**result["verdicts"], "private": private_verdict(result)}), _words(result)
    if rule is None:
        return None
    file, line = _place(description)
    return Problem(rule, f"{description.name}: {words}", in_repository(file, Path.cwd()), line, key=description.name)


def _words(document: Document) -> str:
    """The verdicts, the claim and the witness."""
    said = [wording.private_words(document, document["laws"]), f"claim: {wording.claim_words(document)}"]
    if document["verdicts"]["law"] in ("differs", "undecided"):
        said.append(wording.law_words(document, document["laws"]))
    if document["verdicts"]["accuracy"] in ("fails", "undecided"):
        said.append(wording.accuracy_words(document))
    said += [
        divergence_words(document, name) for name in DIVERGENCES if document["verdicts"].get(name) in ("fails", "undecided")
    ]
    return "\n".join([*said, *wording.witness_lines(document, document["laws"])])


def _sampled_words(result: BlackBoxResult) -> str:
    """What samples show, called so."""
    said = result.says if result.violated or result.fit is None else result.fit.says
    return f"by samples: {said}"


def _place(description: Description | Accounts) -> tuple[str, int]:
    """The file that describes an audit; of options, the function's file and line."""
    if isinstance(description, Accounts) or description.path is not None:
        return str(description.path), 1
    file, _, function = (description.mechanism or "").rpartition(":")
    if not file.endswith(".py"):
        return file.replace(".", "/") + ".py", 1
    pattern = re.compile(rf"\s*(?:def|class) {re.escape(function)}\b")
    lines = Path(file).read_text(encoding="utf-8", errors="replace").splitlines()
    return file, next((i for i, line in enumerate(lines, start=1) if pattern.match(line)), 1)
