"""What the reports of tests say of audits, for the last lines of a run, a step summary of GitHub and SARIF."""

import json
import os
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

__all__ = ["Audit", "audits_in", "summary_line", "write_sarif", "write_step_summary"]

_OUTCOMES = {
    "not-audited": "refused",
    "privacy-fails": "fail",
    "law-differs": "fail",
    "accuracy-fails": "fail",
    "divergence-fails": "fail",
    "rounding": "rounding",
    "undecided": "undecided",
    "delta-needed": "more",
}


class Audit(NamedTuple):
    """One audit of a test: its properties, without "dp_", where the test is, and which of the test's audits it is."""

    test: str
    file: str
    line: int
    known: bool
    properties: Mapping[str, str]
    number: str = ""

    @property
    def rule(self) -> str | None:
        """What is worst about it, as a rule of SARIF; None if nothing is."""
        from finitedp.proofs_check.report.sarif import rule_of  # noqa: PLC0415  # the plugin loads the library when asked

        return "not-audited" if "refused" in self.properties else rule_of(self.properties)

    @property
    def outcome(self) -> str:
        """As the sums at the end of a run count it."""
        rule = self.rule
        return _OUTCOMES[rule] if rule else "sampled" if "sampled" in self.properties else "hold"


def audits_in(
    test: str, place: tuple[str, int | None, str], known: bool, properties: Iterable[tuple[str, object]]
) -> Iterator[Audit]:
    """The audits that left properties: those of the second one end in .2, and so on."""
    by_number = defaultdict[str, dict[str, str]](dict)
    for key, value in properties:
        name, _, number = str(key).partition(".")
        if name.startswith("dp_"):
            by_number[number][name.removeprefix("dp_")] = str(value)
    for number, found in by_number.items():
        yield Audit(test, place[0], (place[1] or 0) + 1, known, found, number)


def summary_line(audits: Iterable[Audit]) -> str:
    """The sums at the end of a run, in one line; empty where nothing was audited."""
    counts = Counter(audit.outcome for audit in audits)
    number = counts.total()
    if not number:
        return ""
    parts = [f"{counts['hold']} hold", f"{counts['fail']} fail", f"{counts['undecided']} undecided"]
    others = {"rounding": "fail by rounding only", "more": "hold with delta + u", "sampled": "sampled without a violation"}
    others["refused"] = "could not be audited"
    parts += [f"{counts[name]} {words}" for name, words in others.items() if counts[name]]
    return f"finitedp: {number} audit{'s' if number > 1 else ''}: {', '.join(parts)}"


# GitHub


def write_step_summary(audits: Iterable[Audit]) -> None:
    """Add a table to the step summary of a GitHub workflow, where there is one."""
    path = os.environ.get("GITHUB_STEP_SUMMARY", "")
    listed = list(audits)
    if not path or not listed:
        return
    lines = ["### Privacy audits", "", summary_line(listed).removeprefix("finitedp: "), ""]
    lines += ["| test | claim | privacy | by how much | law | accuracy |", "|---|---|---|---|---|---|"]
    lines += ["| " + " | ".join(map(_cell, _row(audit))) + " |" for audit in listed]
    with Path(path).open("a", encoding="utf-8", errors="backslashreplace") as file:
        file.write("\n".join([*lines, "", ""]))


def _row(audit: Audit) -> tuple[str, ...]:
    found, test = audit.properties, audit.test + (" (known to fail)" if audit.known else "")
    if "refused" in found:
        return test, "", "not audited", found["refused"], "", ""
    private, how = found.get("private", ""), found.get("decides", "")
    return test, found.get("claim", ""), private, how, found.get("law", ""), found.get("accuracy", "not sampled")


def _cell(text: str) -> str:
    """A text that means itself in a cell of Markdown."""
    for mark in "\\`|<>*_[]":
        text = text.replace(mark, "\\" + mark)
    return " ".join(text.split())


# SARIF


def write_sarif(audits: Iterable[Audit], path: Path, root: Path) -> None:
    """Write what is wrong as SARIF 2.1.0. Parameters: root, where the files of the audits start. Raises: OSError."""
    from finitedp.proofs_check.report.sarif import Problem, in_repository, sarif  # noqa: PLC0415  # the plugin loads the library when asked

    problems = [
        Problem(
            audit.rule, _message(audit), in_repository(audit.file, root), audit.line, audit.known, audit.test + audit.number
        )
        for audit in sorted(audits, key=lambda audit: (audit.file, audit.line, audit.test, audit.number))
        if audit.rule is not None
    ]
    path.write_text(json.dumps(sarif(problems, version("finitedp"), "finitedp-tests"), indent=2) + "\n", encoding="utf-8")


def _message(audit: Audit) -> str:
    found = audit.properties
    return f"{audit.test}: {found.get('refused') or found.get('says') or found.get('claim', '')}"
