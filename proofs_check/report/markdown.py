"""A report as Markdown. What a certificate says is text in it, never markup."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from finitedp.numbers import readable
from finitedp.proofs_check.report.wording import SAID, shortened

Document = dict[str, Any]
_MARKUP = re.compile(r"([\\`_<|&~$]|\](?=[(\[:])|\*(?! )|(?<! )\*)")
_FEW = 12  # corners of a profile that are listed


def as_markdown(report: Document) -> str:
    """The report as one Markdown document."""
    lines = [
        "# Privacy audit report",
        "",
        _text(report["summary"]),
        *(["", *_overview(report["audits"])] if report["audits"] else []),
    ]
    for i, audit in enumerate(report["audits"], start=1):
        lines += [
            "",
            f"## Certificate {i}: {_text(audit['name'])}",
            "",
            *(_accepted(audit) if audit["accepted"] else _rejected(audit)),
        ]
    for audit in report.get("pipelines", ()):
        lines += [
            "",
            f"## Pipeline: {_text(audit['name'])}",
            "",
            *(_pipeline(audit) if audit["accepted"] else _rejected(audit)),
        ]
    return "\n".join(lines) + "\n"


def _pipeline(audit: Document) -> Iterator[str]:
    """Verdicts that the lone checker has re-derived, and how the audit tells them."""
    yield from _grid(
        ("claim", "verdict"),
        [(f"{one['about']}: {audit['claims'][one['about']]}", one["verdict"]) for one in audit["verdicts"]],
    )
    yield from ("", "As the audit tells it, which nothing re-derives:", "")
    yield from _grid(("question", "answer"), [(question, "; ".join(answer)) for question, answer in audit["told"]])
    yield from ("", *_recheck(audit))


def _text(words: str) -> str:
    """Words that mean themselves in Markdown, in the middle of a line: no emphasis, code, element, link, formula or cell."""
    return _MARKUP.sub(r"\\\1", words)


def _grid(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield "| " + " | ".join(columns) + " |"
    yield "|" + "---|" * len(columns)
    for row in rows:
        yield "| " + " | ".join(_text(cell) for cell in row) + " |"


def _overview(audits: Sequence[Document]) -> Iterator[str]:
    rows = []
    for i, audit in enumerate(audits, start=1):
        name = f"{i}. {shortened(audit['name'])}"
        if not audit["accepted"]:
            rows.append((name, "", "REJECTED", "", "", "", ""))
            continue
        private, law, bound, accurate, *more = [verdict["label"].upper() for verdict in audit["verdicts"]]
        named = [f"{verdict['about']} {label}" for verdict, label in zip(audit["verdicts"][4:], more, strict=True)]
        said = "; ".join([private, *named])
        rows.append((name, audit["claim"]["words"], said, audit["deciding"], law, bound, accurate))
    yield from _grid(("name in the certificate", "claim", "private", "by how much", "law", "bound", "accurate"), rows)


def _rejected(audit: Document) -> Iterator[str]:
    yield f"**REJECTED**: {_text(audit['reason'])}"
    yield ""
    yield "The lone checker does not accept this certificate, so nothing that it says is shown here."
    yield from _recheck(audit)


def _accepted(audit: Document) -> Iterator[str]:
    """The sections of an accepted certificate."""
    yield f"Claim: {_text(audit['claim']['words'])}."
    if audit["claim"]["accuracy"]:
        yield f"Accuracy: {_text(audit['claim']['accuracy'])}."
    yield ""
    yield _text(audit["scope"]["words"])
    if audit["assumptions"]:
        yield from ("", "The laws are those of the program if this is so, which nothing here checks:", "")
        yield from (f"- {_text(words)}" for words in audit["assumptions"])
    yield from ("", "### Verdicts", "")
    yield from _grid(
        ("about", "verdict", "in words"), [(v["about"], v["label"].upper(), v["words"]) for v in audit["verdicts"]]
    )
    yield from ("", "### Numbers", "")
    ratio, delta = audit["worst_ratio"], audit["delta"]
    number = readable(ratio["exact"]) + ". " if ratio["epsilon"] else ""
    yield f"- worst probability ratio: {_text(number + ratio['words'])}"
    yield f"- delta at the claim: {_text(_delta_words(delta))}"
    witness = audit["witness"]
    yield f"- witness: A = {_text(witness['left'])}, B = {_text(witness['right'])}, event S = {_text(witness['event_words'])}:"
    yield f"  {_text(witness['words'])}"
    yield f"- unresolved mass: {_text(audit['unresolved']['words'])}"
    yield from ("", "### The two laws", "", *_laws(audit["laws"]))
    yield from ("", "### Privacy profile", "", *_profile(audit["profile"]))
    yield from ("", "### What the certificate says of itself", "", SAID, "")
    yield from (f"- {_text(line['what'])}: {_text(line['words'])}" for line in audit["said"])
    yield from _recheck(audit)


def _delta_words(delta: Document) -> str:
    low, high = delta["interval"]
    return f"{readable(delta['exact']) if delta['exact'] else f'in [{low}, {high}]'}; {delta['words']}"


def _laws(laws: Document) -> Iterator[str]:
    yield from _grid(
        ("output", "at A", "at B", "ratio", "in S"),
        [
            (
                shortened(row["output"]),
                readable(row["left"]["exact"]),
                readable(row["right"]["exact"]),
                row["ratio"]["exact"] if row["ratio"]["exact"] == "infinite" else readable(row["ratio"]["exact"]),
                "yes" if row["in_event"] else "no",
            )
            for row in laws["rows"]
        ],
    )
    if laws["left_out"]:
        yield ""
        yield f"The {len(laws['rows'])} outputs with the largest ratios; {laws['left_out']} more are left out."
    for words in laws["tails"]:
        yield from ("", _text(words))
    if any(mass["exact"] != "0" for mass in laws["unresolved"]):
        at_a, at_b = (readable(mass["exact"]) for mass in laws["unresolved"])
        yield ""
        yield f"Unresolved: {_text(at_a)} at A, {_text(at_b)} at B; the probabilities above are lower bounds."


def _profile(profile: Document) -> Iterator[str]:
    corners = profile["corners"]
    rows = [(readable(c["ratio"]), c["epsilon"], readable(c["delta"]["exact"])) for c in corners[:_FEW]]
    yield from _grid(("e^epsilon", "epsilon", "delta"), rows)
    yield ""
    more = f" {len(corners) - _FEW} more corners are left out." if len(corners) > _FEW else ""
    yield f"Between two corners delta is linear in e^epsilon; after the last one it is constant.{more}"


def _recheck(audit: Document) -> Iterator[str]:
    yield from ("", "### Check it again", "", "```sh", *audit["recheck"], "```", "")
    checker = audit.get("checker", "checker.py")
    yield f"{checker} is one file of the standard library's Python, `finitedp/proofs_check/{checker}`."
    if audit["laws_file"]:
        yield f"The laws are in {_text(audit['laws_file'])}."
    if audit["accepted"]:
        yield f"SHA-256 of the certificate: {audit['sha256']}."
