"""What is wrong, as SARIF 2.1.0: for the code scanning of GitHub and for editors. Standard library only."""

import hashlib
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

RULES = {
    "privacy-fails": ("error", "The privacy claim fails; the witness breaks it."),
    "divergence-fails": ("error", "A Renyi divergence is larger than claimed."),
    "law-differs": ("error", "The law of the code differs from the specified law."),
    "accuracy-fails": ("error", "The accuracy claim fails."),
    "rounding": ("warning", "The privacy claim fails, by rounding only: at most 2^-32 more of delta makes it true."),
    "delta-needed": ("warning", "The claim holds only with a little more delta; a pure claim is not shown so."),
    "undecided": ("warning", "Unresolved mass could still break a claim."),
    "not-audited": ("warning", "The mechanism cannot be audited."),
    "rejected": ("error", "The lone checker rejects the certificate."),
}
"""The rules by name: their level, and what they say."""


_WORST_FIRST = (
    ("private", "fails", "privacy-fails"),
    ("private", "violated", "privacy-fails"),
    ("law", "differs", "law-differs"),
    ("renyi", "fails", "divergence-fails"),
    ("zcdp", "fails", "divergence-fails"),
    ("accuracy", "fails", "accuracy-fails"),
    ("private", "fails, by rounding only", "rounding"),
    ("private", "undecided", "undecided"),
    ("renyi", "undecided", "undecided"),
    ("zcdp", "undecided", "undecided"),
    ("law", "undecided", "undecided"),
    ("accuracy", "undecided", "undecided"),
    ("private", "holds with delta + u", "delta-needed"),
)


def rule_of(verdicts: Mapping[str, str]) -> str | None:
    """What is worst about an audit, by its verdicts "private", "renyi", "zcdp", "law" and "accuracy"; None if nothing is."""
    return next((rule for name, verdict, rule in _WORST_FIRST if verdicts.get(name) == verdict), None)


def in_repository(file: str, root: Path) -> str:
    """A file from the root of the repository that GitHub has checked out, where there is one; root: from where it is told."""
    place, workspace = Path(os.path.normpath(root / file)), os.environ.get("GITHUB_WORKSPACE", "")
    for start in (Path(workspace).absolute() if workspace else root, root):
        if place.is_relative_to(start):
            return place.relative_to(start).as_posix()
    return str(place)


class Problem(NamedTuple):
    """What is wrong with one audit: one of RULES, in words, and where; known, where a test expects it to fail.

    file: from the root of the repository. key: what tells the audit from others at the same line, now and in later runs.
    """

    rule: str
    words: str
    file: str
    line: int = 1
    known: bool = False
    key: str = ""


def sarif(problems: Iterable[Problem], version: str, category: str) -> dict[str, Any]:
    """The document. Parameters: version, of finitedp; category, by which code scanning tells runs of one commit apart."""
    names = list(RULES)
    rules = [
        {"id": name, "shortDescription": {"text": text}, "defaultConfiguration": {"level": level}}
        for name, (level, text) in RULES.items()
    ]
    results = [
        {
            "ruleId": problem.rule,
            "ruleIndex": names.index(problem.rule),
            "level": RULES[problem.rule][0],
            "message": {"text": _literal(problem.words)},
            "locations": [
                {
                    "physicalLocation": {
                        "artifactLocation": {"uri": _uri(Path(problem.file))},
                        "region": {"startLine": max(problem.line, 1)},
                    }
                }
            ],
            "partialFingerprints": {"primaryLocationLineHash": _fingerprint(problem)},
            **({"suppressions": [{"kind": "inSource"}]} if problem.known else {}),
        }
        for problem in problems
    ]
    driver = {"name": "finitedp", "semanticVersion": version, "rules": rules}
    return {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "automationDetails": {"id": f"{category}/"}, "results": results}],
    }


def _literal(words: str) -> str:
    """Words whose braces stand for themselves, and for no argument."""
    return words.replace("{", "{{").replace("}", "}}")


def _uri(file: Path) -> str:
    """A path as a reference: relative, with slashes, and escaped where it is no plain ASCII."""
    return file.as_uri() if file.is_absolute() else quote(os.fsencode(file.as_posix()))


def _fingerprint(problem: Problem) -> str:
    """What code scanning knows a result by when lines have moved: two at one line are two."""
    parts = [problem.rule, problem.file, problem.key]
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:32] + ":1"
