"""The manual's pages of claims, from what `finitedp verify --json` prints: a table of all, and a page for each section.

conf.py writes them into docs/claims when the manual is built; so does `python docs/claims_pages.py RUN.json docs/claims`.
"""

import inspect
import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from itertools import groupby
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
from mathematics import set_mathematics

from finitedp.proofs_check.claims import entries
from finitedp.proofs_check.ledger.entry import Entry
from finitedp.proofs_check.ledger.page import numbered
from finitedp.proofs_check.ledger.references import establishes, place_of, speaks_of, specification

Claim = Mapping[str, Any]
"""One claim of the document that `finitedp verify --json` prints."""

INVENTORIES = {"BV": "inventory", "PH": "inventory_ph", "GK": "inventory_gk", "FA": "inventory_fa"}
_LONGEST = 300

_TABLE = """# All claims

<!-- written by docs/claims_pages.py -->

{number} claims. A click on a head sorts; a click on a verdict shows it alone; each id leads to how the claim is checked.

<div class="claims-tools">
<label>Words <input id="claims-words" type="search" placeholder="BV.Thm4.10, stability, refuted ..."></label>
<span id="claims-verdicts">{buttons}</span>
<span id="claims-shown" role="status"></span>
</div>
<div class="claims-table">
<table id="claims">
<thead><tr><th>claim</th><th>verdict</th><th>statement</th><th>worst case</th></tr></thead>
<tbody>
{rows}
</tbody>
</table>
</div>
<script src="../_static/claims.js"></script>
"""


def pages(document: Mapping[str, Any]) -> dict[str, str]:
    """MyST pages by file name. Parameters: document, as `finitedp verify --json` prints it."""
    claims: Sequence[Claim] = document["claims"]
    by_section = {title: list(group) for title, group in groupby(claims, key=lambda claim: str(claim["section"]))}
    written = {f"{slug(title)}.md": section_page(title, group) for title, group in by_section.items()}
    if len(written) != len(by_section):
        raise ValueError("two sections have one file name")
    return {"all.md": table_page(claims), **written}


def slug(title: str) -> str:
    """The file name of a section without its ending: bv-section-4, our-own-dyadic-tables."""
    first, _, subject = title.partition(":")
    return re.sub(r"\W+", "-", (title if first == "Our own" or subject == "" else first).lower()).strip("-")


def table_page(claims: Sequence[Claim]) -> str:
    """The table of all claims."""
    verdicts = sorted({str(claim["verdict"]) for claim in claims})
    buttons = " ".join(f'<button type="button" class="{_class(v)}" value="{v}">{v}</button>' for v in verdicts)
    return _TABLE.format(number=len(claims), buttons=buttons, rows="\n".join(map(row, claims)))


def row(claim: Claim) -> str:
    """A row of the table, in one line."""
    link = f'<a href="{slug(claim["section"])}.html#{claim["id"]}"><code>{claim["id"]}</code></a>'
    cells = (
        f"{link}<br>{escape(numbered(claim['id']))}",
        f"{_verdict(claim)} {set_mathematics(claim['scope'])}",
        set_mathematics(_one_line(claim["statement"])),
        set_mathematics(_cut(claim["worst_case"])),
    )
    return f"<tr>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"


def section_page(title: str, claims: Sequence[Claim]) -> str:
    """The claims of a section of a paper, or of a subject of our own."""
    known = entries()
    checks = [inspect.unwrap(known[claim["id"]].check) for claim in claims]
    first = [str(claims[checks.index(check)]["id"]) for check in checks]
    blocks = (part for claim, at in zip(claims, first, strict=True) for part in block(claim, known[claim["id"]], at))
    return f"# {title}\n\n" + "\n".join(blocks)


def block(claim: Claim, entry: Entry, first: str) -> Iterator[str]:
    """A claim: what it says, all that leads to its check, and that. Parameters: first, the claim where the source stands."""
    name, paper = str(claim["id"]), str(claim["id"]).partition(".")[0]
    yield f'<div class="claim" id="{name}">\n'
    yield f"**`{name}`** {_numbering(name, paper)}\n"
    scope = set_mathematics("; ".join(filter(None, (claim["scope"], claim["hunted"]))))
    yield f"<p>{_verdict(claim)} {scope}</p>\n<p>{set_mathematics(_one_line(claim['statement']))}</p>\n"
    yield "".join(f"- {label}: {text}\n" for label, text in facts(claim, entry))
    if name == first:
        source = f"```python\n{inspect.getsource(entry.check)}```"
        yield f"<details><summary>source of the check</summary>\n\n{source}\n\n</details>\n"
    else:
        yield f'<p>The source of the check stands at <a href="#{first}"><code>{first}</code></a>.</p>\n'
    yield "</div>\n"


def _numbering(name: str, paper: str) -> str:
    return f"[{numbered(name)}](../{INVENTORIES[paper]}.md)" if paper in INVENTORIES else ""


def facts(claim: Claim, entry: Entry) -> Iterator[tuple[str, str]]:
    """What stands below a statement, as MyST."""
    place, refuted = place_of(entry), claim["verdict"] == "refuted"
    yield "checked over", _span(claim["quantifiers"])
    if claim["verdict"] != "verified":
        yield "a run shows", _span(establishes(entry))
    where = f" ({_cut(claim['worst_instance'])})" if refuted else ""
    yield "counterexample" if refuted else "worst case", _span(_cut(claim["worst_case"]) + where)
    yield "code", _links(speaks_of(entry)) or "none: the claim is about the specification itself"
    yield "compared with", _links(specification(entry)) or "nothing of `finitedp.spec`: the check says what must hold"
    check = f"`{place.function}` in {{py:mod}}`{place.file} <{entry.check.__module__}>`"
    yield "check", f"{check}, on {claim['instances']} instances"
    yield "twins rejected", _span("; ".join(claim["twins_rejected"])) or "none: its repair has twins"


def _verdict(claim: Claim) -> str:
    return f'<span class="{_class(claim["verdict"])}">{claim["verdict"]}</span>'


def _class(verdict: str) -> str:
    return f"verdict {verdict.partition(' ')[0].lower()}"


def _span(text: str) -> str:
    """Text in a line of MyST in which nothing but its mathematics is set."""
    return re.sub(r"([\\`*_\[\]$|~{}])", lambda found: f"&#{ord(found[0])};", set_mathematics(_one_line(text)))


def _links(names: Sequence[str]) -> str:
    return ", ".join(f"{{py:obj}}`{name.removeprefix('finitedp.')} <{name}>`" for name in names)


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _cut(text: str) -> str:
    return _one_line(text) if len(text) <= _LONGEST else f"{_one_line(text)[: _LONGEST - 3]}..."


def write(document: Mapping[str, Any], folder: Path) -> None:
    """All pages into a folder, which then holds no others; what has not changed is left as it is."""
    folder.mkdir(exist_ok=True)
    made = pages(document)
    for old in folder.iterdir():
        if old.name not in made:
            old.unlink()
    for name, text in made.items():
        if not (folder / name).exists() or (folder / name).read_text() != text:
            (folder / name).write_text(text)


if __name__ == "__main__":
    write(json.loads(Path(sys.argv[1]).read_text()), Path(sys.argv[2]))
