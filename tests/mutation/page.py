"""The manual's page on mutants, from what a run found (results.json) and why what survives may (reasons.toml)."""

import json
import tomllib
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from tests.mutation.mutants import BY_HAND, NOT_YET, QUOTA, ROOT, by_hand

RESULTS = ROOT / "tests" / "mutation" / "results.json"
REASONS = ROOT / "tests" / "mutation" / "reasons.toml"
PAGE = ROOT / "docs" / "mutation.md"
BEGIN, END = "<!-- generated: begin -->\n", "<!-- generated: end -->\n"

Record = Mapping[str, Any]


def records() -> list[Record]:
    """The last run's record of every mutant."""
    return list(json.loads(RESULTS.read_text()))


def reasons() -> dict[str, dict[str, str]]:
    """Why a mutant that survives may, by its id: kind, "equivalent" or "open", and a sentence."""
    missing = {"kind": "open", "reason": "no reason is given yet"}
    return defaultdict(lambda: missing, tomllib.loads(REASONS.read_text()))


def percent(part: int, whole: int) -> str:
    """A share in percent, rounded down to a tenth."""
    tenths = 1000 * part // whole if whole else 1000
    return f"{tenths // 10}.{tenths % 10} %"


def row(title: str, found: Sequence[Record], why: Mapping[str, Mapping[str, str]]) -> str:
    """A row of the table of scores."""
    outcomes = Counter(x["outcome"] for x in found)
    equal = sum(x["outcome"] == "survived" and why[x["id"]]["kind"] == "equivalent" for x in found)
    dead = outcomes["killed"] + outcomes["does not end"]
    numbers = [len(found), dead, outcomes["does not end"], equal, outcomes["survived"] - equal]
    return f"| {title} | {' | '.join(map(str, numbers))} | {percent(dead, len(found) - equal)} |"


def code(text: str) -> str:
    """Lines of code, in a cell of a table."""
    return "<br>".join(f"`` {line} ``" for line in text.replace("|", "\\|").split("\n")) if text else "nothing"


def generated() -> str:
    """The tables."""
    found, why = records(), reasons()
    folders = [row(f"`{folder}`", [x for x in found if x["folder"] == folder], why) for folder in QUOTA]
    head = "| what | mutants | killed | of them by time | equivalent | survive | killed of those not equivalent |"
    whole = [folder for folder, (_, size) in QUOTA.items() if size is None]
    drawn, edits = sum(size or 0 for _, size in QUOTA.values()), len(by_hand())
    places, by_hands = (sum(x["folder"] in some for x in found) for some in (whole, [BY_HAND]))
    but = "".join(f", but for `{name}`" for name in NOT_YET)
    said = (
        f"Drawn: every place of {', '.join(f'`{folder}`' for folder in whole)}{but}, {drawn} of the others, and {edits} "
        f"edits by hand. Tried so far: {places}, {len(found) - places - by_hands} and {by_hands}."
    )
    scores = [
        said,
        "",
        head,
        "|---|---|---|---|---|---|---|",
        *folders,
        row(BY_HAND, [x for x in found if x["folder"] == BY_HAND], why),
    ]
    scores.append(row("together", found, why))
    alive = ["| where | edit | why it may survive |", "|---|---|---|"]
    later = ["| where | edit | killed by |", "|---|---|---|"]
    for x in found:
        cells = f"| `{x['file']}:{x['line']}` | {code(x['before'])}<br>becomes<br>{code(x['after'])} |"
        if x["outcome"] == "survived":
            alive.append(f"{cells} {why[x['id']]['kind']}: {why[x['id']]['reason']} |")
        elif x["survived_before"]:
            by = str(x["by"] or x["outcome"]).replace("|", "\\|")
            later.append(f"{cells} `{by}` |")
    parts = [
        *scores,
        "",
        "### What survives",
        "",
        *alive,
        "",
        "### What survived the first run, and what kills it now",
        "",
        *later,
    ]
    return "\n".join(parts) + "\n"


def page() -> str:
    """The page, with the tables of these results."""
    text = PAGE.read_text()
    head, rest = text.split(BEGIN)
    return head + BEGIN + "\n" + generated() + "\n" + END + rest.split(END)[1]
