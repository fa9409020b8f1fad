"""What is wrong, as SARIF 2.1.0: for the code scanning of GitHub and for editors. Standard library only."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

__all__ = ["RULES", "Problem", "sarif"]

RULES = {
    "privacy-fails": ("error", "The privacy claim fails; the witness breaks it."),
    "law-differs": ("error", "The law of the code differs from the specified law."),
    "accuracy-fails": ("error", "The accuracy claim fails."),
    "delta-needed": ("warning", "The claim holds only with a little more delta; a pure claim is not shown so."),
    "undecided": ("warning", "Unresolved mass could still break a claim."),
    "not-audited": ("warning", "The mechanism cannot be audited."),
    "rejected": ("error", "The lone checker rejects the certificate."),
}
"""The rules by name: their level, and what they say."""


class Problem(NamedTuple):
    """What is wrong with one audit: one of RULES, in words, and where; known, where a test expects it to fail."""

    rule: str
    words: str
    file: str
    line: int = 1
    known: bool = False


def sarif(problems: Iterable[Problem], version: str) -> dict[str, Any]:
    """The document. Parameters: version, of finitedp."""
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
            "message": {"text": problem.words},
            "locations": [
                {
                    "physicalLocation": {
                        "artifactLocation": {"uri": Path(problem.file).as_posix()},
                        "region": {"startLine": max(problem.line, 1)},
                    }
                }
            ],
            **({"suppressions": [{"kind": "inSource"}]} if problem.known else {}),
        }
        for problem in problems
    ]
    driver = {"name": "finitedp", "semanticVersion": version, "rules": rules}
    return {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "results": results}],
    }
