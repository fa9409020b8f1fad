"""The manual's page on mutants, from what a run found (results.json) and why what survives may (reasons.toml)."""

import json
import tomllib
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.mutation import ledger
from tests.mutation.mutants import BY_HAND, NOT_YET, QUOTA, ROOT, by_hand

RESULTS = ROOT / "tests" / "mutation" / "results.json"
REASONS = ROOT / "tests" / "mutation" / "reasons.toml"
PAGE = ROOT / "docs" / "mutation.md"
BEGIN, END = "<!-- generated: begin -->\n", "<!-- generated: end -->\n"
LEDGER_BEGIN, LEDGER_END = "<!-- ledger: begin -->\n", "<!-- ledger: end -->\n"

Record = Mapping[str, Any]


def records() -> list[Record]:
    """The last run's record of every mutant: of a dead one its id, its folder, its end and whether it once survived."""
    if not RESULTS.exists():
        return []
    document = json.loads(RESULTS.read_text())
    before = set(document["survived before"].split())
    dead = [
        {"id": id, "folder": folder, "outcome": outcome, "survived_before": id in before}
        for folder, outcomes in document["dead"].items()
        for outcome, ids in outcomes.items()
        for id in ids.split()  # noqa: A001  # the field's name
    ]
    return [*dead, *document["survived"]]


def write(found: Sequence[Record]) -> None:
    """Write what records() reads: survivors in full, of the dead the ids, by folder."""
    dead: dict[str, dict[str, str]] = {}
    for x in sorted(found, key=lambda x: (x["folder"], x["outcome"], x["id"])):
        if x["outcome"] != "survived":
            outcomes = dead.setdefault(x["folder"], {})
            outcomes[x["outcome"]] = f"{outcomes.get(x['outcome'], '')} {x['id']}".strip()
    before = " ".join(sorted(x["id"] for x in found if x["outcome"] != "survived" and x["survived_before"]))
    alive = sorted((x for x in found if x["outcome"] == "survived"), key=lambda x: (x["file"], x["line"], x["id"]))
    head = json.dumps({"dead": dead, "survived before": before}, indent=1).removesuffix("\n}")
    RESULTS.write_text(f'{head},\n "survived": [\n' + ",\n".join(json.dumps(x) for x in alive) + "\n]}\n")


def reasons(table: Path = REASONS) -> dict[str, dict[str, str]]:
    """Why a mutant that survives may, by its id: kind, "equivalent" or another one, and a sentence."""
    missing = {"kind": "open", "reason": "no reason is given yet"}
    return defaultdict(lambda: missing, tomllib.loads(table.read_text()))


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
    alive = [x for x in found if x["outcome"] == "survived"]
    folders = [row(f"`{folder}`", [x for x in found if x["folder"] == folder], why) for folder in QUOTA]
    head = "| what | mutants | killed | of them by time | equivalent | survive | killed of those not equivalent |"
    whole = [folder for folder, (_, size) in QUOTA.items() if size is None]
    drawn, edits = sum(size or 0 for _, size in QUOTA.values()), len(by_hand())
    places, by_hands = (sum(x["folder"] in some for x in found) for some in (whole, [BY_HAND]))
    but = "".join(f", but for `{name}`" for name in NOT_YET)
    said = (
        f"Drawn: every place of {', '.join(f'`{folder}`' for folder in whole)}{but}, {drawn} of the others, and {edits} "
        f"edits by hand. Tried so far: {places}, {len(found) - places - by_hands} and {by_hands}. "
        f"{sum(x['survived_before'] for x in found)} survived when they were tried first, {len(alive)} do now."
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
    listed = ["| where | edit | why it may survive |", "|---|---|---|"]
    listed += [f"{edit_of(x)} {why[x['id']]['kind']}: {why[x['id']]['reason']} |" for x in alive]
    return "\n".join([*scores, "", "### What survives", "", *listed]) + "\n"


def entry_of(record: Record) -> str:
    """The entry that noticed a mutant; empty where none did, or where it was the time."""
    return str(record["by"] or "").partition("[")[2].removesuffix("]")


def of_ledger() -> str:
    """The tables of what the ledger alone notices."""
    found, why = ledger.known(), reasons(ledger.REASONS)
    by_hands, drawn = ([x for x in found if (x["folder"] == BY_HAND) is hand] for hand in (True, False))
    score = ["| where | mutants | noticed | of them by time | equivalent | survive | noticed of those not equivalent |"]
    score.append("|---|---|---|---|---|---|---|")
    score += [row(f"`{folder}`", [x for x in drawn if x["file"].startswith(f"{folder}/")], why) for folder in ledger.FOLDERS]
    score += [row("together", drawn, why), row(BY_HAND, by_hands, why)]
    once = sum(x["outcome"] == "survived" or x["survived_before"] for x in drawn)
    named = sum(x["named"] for x in drawn)
    said = (
        f"Of {len(drawn)} edits {len(drawn) - once} were noticed before any entry was made for them, "
        f"{sum(x['outcome'] != 'survived' for x in drawn)} now; {named} by an entry that names the module itself."
    )
    alive = ["| where | edit | why it may survive |", "|---|---|---|"]
    later = ["| where | edit | noticed by |", "|---|---|---|"]
    for x in found:
        if x["outcome"] == "survived":
            alive.append(f"{edit_of(x)} {why[x['id']]['kind']}: {why[x['id']]['reason']} |")
        elif x["survived_before"] or x["folder"] == BY_HAND:
            later.append(f"{edit_of(x)} `{entry_of(x) or x['outcome']}` |")
    headings = ("### What the ledger does not notice", "### What it notices since entries were made for it")
    return "\n".join([said, "", *score, "", headings[0], "", *alive, "", headings[1], "", *later]) + "\n"


def edit_of(record: Record) -> str:
    """The first two cells of a mutant's row, and the beginning of the third."""
    return f"| `{record['file']}:{record['line']}` | {code(record['before'])}<br>becomes<br>{code(record['after'])} |"


def page() -> str:
    """The page, with the tables of these results."""
    text = PAGE.read_text()
    for (begin, end), tables in {(BEGIN, END): generated, (LEDGER_BEGIN, LEDGER_END): of_ledger}.items():
        head, rest = text.split(begin)
        text = head + begin + "\n" + tables() + "\n" + end + rest.split(end)[1]
    return text
