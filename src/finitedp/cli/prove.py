"""finitedp prove: what the claim of a release rests on, as a tree."""

import json
from collections.abc import Callable, Iterator
from html import escape
from pathlib import Path
from typing import Any

import click
from attrs import evolve

from finitedp.cli.console import OutputPath, as_json_text, progress, write_whole
from finitedp.cli.prose import closing_line, paragraph
from finitedp.errors import DataError
from finitedp.proofs_check.checker import unique
from finitedp.proofs_check.proofs.chain import chain
from finitedp.proofs_check.proofs.links import Link, counted

MOST_BYTES = 1 << 30  # which are read into memory at once
_SIGNS = {"follows": ">", "proved": "+", "re-checked": "=", "known": "~", "assumed": "?", "NOT PROVED": "!", "FAILS": "x"}


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--out", type=OutputPath(), help="Write the tree to this file: .html, .md or .json.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document instead of the tree.")
@click.option("--verbose", is_flag=True, help="Name each function with the hash of its source.")
def prove(file: Path, out: Path | None, as_json: bool, verbose: bool) -> None:
    """Tell what the claim of a release, FILE, rests on: a tree of proofs, certificates and assumptions.

    FILE is the JSON document of `finitedp release`. The proofs for all parameters are re-checked against the code that is
    installed here; of basic and stability the table is built again and re-checked at the release's parameters, the claim and
    the stated errors are computed from it, and the code that draws on arrays is executed on all words there are. With
    fast-sample the claim follows, too. Of pure-sparse, sparse, compact and anonymized releases a part is proved, and of the
    rest it says what is known. The last line counts what the claim rests on: proof objects, facts, assumptions, and functions
    that nothing proves.

    Exit code 0 if the claim follows; 1 if something fails, or is not proved; 2 if FILE is no such release.
    """
    write = _writer(out)
    with progress("re-checking"):
        top = chain(_read(file))
    top = top if verbose or as_json else _brief(top)
    if out is not None:
        write_whole(out, write(top, file.name))
    click.echo(as_json_text(_document(top, file.name)) if as_json else _tree(top))
    click.get_current_context().exit(0 if top.holds else 1)


def _brief(link: Link) -> Link:
    """Without names and hashes."""
    return evolve(link, details=(), below=tuple(map(_brief, link.below)))


def _conclusion(top: Link) -> str:
    """Whether the claim follows, and from how many things of each kind."""
    counts = [f"{many} {what}" for what, many in counted(top).items() if many]
    said = {"follows": "follows", "NOT PROVED": "is not proved as a whole"}.get(top.state, "does not follow")
    return f"The claim {said}: {', '.join(counts)}."


def _read(file: Path) -> dict[str, Any]:
    try:
        if file.stat().st_size > MOST_BYTES:
            raise DataError(f"{file} is larger than a release is")
        document: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"), object_pairs_hook=unique)
    except (ValueError, RecursionError) as error:
        raise DataError(f"{file} is no JSON document: {error}") from None
    return document


# A tree in the terminal


def _tree(top: Link) -> str:
    return "\n".join([*_branches(top, "", ""), "", closing_line(_conclusion(top))])


def _branches(link: Link, first: str, others: str) -> Iterator[str]:
    stem = others + ("|    " if link.below else "     ")
    head, *more = paragraph(f"{_SIGNS[link.state]} {link.state}: {link.says}", indent=0, taken=len(stem)).splitlines()
    yield first + head
    yield from (stem + line for line in more)
    for line in (*link.about, *link.details):
        yield from (stem + part for part in paragraph(line, indent=0, taken=len(stem)).splitlines())
    for i, below in enumerate(link.below):
        last = i + 1 == len(link.below)
        yield from _branches(below, others + ("`-- " if last else "|-- "), others + ("    " if last else "|   "))


# Files


def _as_json(link: Link) -> dict[str, object]:
    about = {"about": [*link.about], "details": [*link.details]}
    return {"says": link.says, "state": link.state, **about, "below": [_as_json(x) for x in link.below]}


def _document(top: Link, name: str) -> dict[str, object]:
    return {"file": name, "conclusion": _conclusion(top), "counts": counted(top), **_as_json(top)}


def _as_markdown(top: Link, name: str) -> str:
    def lines(link: Link, depth: int) -> Iterator[str]:
        about = "".join(f"; {x}" for x in (*link.about, *link.details))
        yield f"{'  ' * depth}- **{link.state}** {escape(link.says)}{escape(about)}".replace("*(", "\\*(")
        for below in link.below:
            yield from lines(below, depth + 1)

    return "\n".join([f"# What the claim of {escape(name)} rests on", "", *lines(top, 0), "", _conclusion(top), ""])


_PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><title>What the claim of {0} rests on</title>
<style>body{{font:1rem/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}}ul{{border-left:1px solid
#999; padding-left:1.2rem;list-style:none}}b{{font-variant:small-caps}}small{{display:block;color:#555}}
.bad>b{{color:#b00020}}</style>
<h1>What the claim of {0} rests on</h1>
<ul>{1}</ul>
<p>{2}</p>
</html>
"""


def _as_html(top: Link, name: str) -> str:
    def item(link: Link) -> str:
        about = "".join(f"<small>{escape(x)}</small>" for x in (*link.about, *link.details))
        inner = f"<ul>{''.join(map(item, link.below))}</ul>" if link.below else ""
        kind = "good" if link.state not in ("NOT PROVED", "FAILS") else "bad"
        return f'<li class="{kind}"><b>{_SIGNS[link.state]} {link.state}</b> {escape(link.says)}{about}{inner}</li>'

    return _PAGE.format(escape(name), item(top), escape(_conclusion(top)))


_WRITERS: dict[str, Callable[[Link, str], str]] = {
    ".html": _as_html,
    ".md": _as_markdown,
    ".json": lambda top, name: as_json_text(_document(top, name)) + "\n",
}


def _writer(out: Path | None) -> Callable[[Link, str], str]:
    if out is None:
        return lambda top, _: _tree(top)
    if out.suffix.lower() not in _WRITERS:
        raise click.UsageError(f"{out} ends in none of {', '.join(_WRITERS)}; accepted: one of these")
    return _WRITERS[out.suffix.lower()]
