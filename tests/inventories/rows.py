"""A statement of a paper, the entries that speak of it, and the page that is made of all of them."""

import re
import textwrap
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from finitedp.proofs_check.claims import entries
from finitedp.proofs_check.ledger.entry import Entry

_SHORT = {
    "Algorithm": "Alg",
    "Claim": "Claim",
    "Corollary": "Cor",
    "Definition": "Def",
    "Figure": "Fig",
    "Footnote": "Fn",
    "Lemma": "Lem",
    "Observation": "Obs",
    "Proposition": "Prop",
    "Remark": "Rem",
    "Theorem": "Thm",
}
NUMBERED = re.compile(rf"({'|'.join(_SHORT)}) ([A-Z]?[\d.]+)|\((\d+)\)")
"""A place with a number: its kind and number, or that of an equation."""


class Row(NamedTuple):
    """A statement of a paper.

    place: its number, or where it stands. says: what it is about. stems: what the ids of its entries begin with, the paper's
    initials left out, besides what its number says. parts: its parts, such as "i ii", each of which has an entry. remark: why
    it has no entry, or what the reader should know.
    """

    place: str
    says: str
    stems: str = ""
    parts: str = ""
    remark: str = ""

    @property
    def own(self) -> str | None:
        """What the ids of a numbered statement begin with, the paper's initials left out."""
        if (found := NUMBERED.fullmatch(self.place)) is None:
            return None
        kind, number, equation = found.groups()
        return f"Eq{equation}" if equation else f"{_SHORT[kind]}{number}"


class Paper(NamedTuple):
    """A paper: the initials of its ids, its page, and its statements. whole: what of it is listed, in words."""

    initials: str
    page: str
    title: str
    whole: str
    rows: tuple[Row, ...]

    def id_of(self, stem: str) -> str:
        """A stem with the initials of this paper, where it has none of another."""
        return stem if re.match(r"[A-Z]{2}\.", stem) else f"{self.initials}.{stem}"

    def stems(self, row: Row) -> list[str]:
        """What the ids of its entries begin with; that of its number only where there is such an entry."""
        own = [self.id_of(row.own)] if row.own else []
        return [stem for stem in own if _begin_with([stem])] + [self.id_of(stem) for stem in row.stems.split()]

    def entries(self, row: Row) -> list[Entry]:
        """Its entries, in the order of the ledger."""
        return _begin_with(self.stems(row))

    def text(self) -> str:
        """The page of the manual."""
        shown = [(row, "; ".join(self._shown(row))) for row in self.rows]
        lines = ["| " + " | ".join(x.replace("|", r"\|") for x in (row.place, row.says, text)) + " |" for row, text in shown]
        with_entries = sum(bool(self.entries(row)) for row in self.rows)
        count = f"{len(self.rows)} rows: {with_entries} with entries, {len(self.rows) - with_entries} with a reason alone."
        words = textwrap.fill(f"{self.whole} {_WORDS}", 125, break_on_hyphens=False)
        return _HEAD.format(title=self.title, words=words, count=count) + "\n".join(lines) + "\n"

    def _shown(self, row: Row) -> Iterator[str]:
        for entry in self.entries(row):
            yield f"`{entry.id}` {entry.verdict}"
        if row.remark:
            yield row.remark


@cache
def _all() -> tuple[Entry, ...]:
    return tuple(entries().values())


def _begin_with(stems: list[str]) -> list[Entry]:
    return [e for e in _all() if any(e.id == stem or e.id.startswith(f"{stem}.") for stem in stems)]


_HEAD = """# {title}

<!-- generated: python -m tests.inventories docs -->

{words}

{count}

| in the paper | about | entries |
|---|---|---|
"""
_WORDS = """Beside each, the entries of the [ledger](ledger.md) that speak of it, with the verdict that each is expected to
have, or why there is none. `finitedp claims ID` shows an entry and the sizes of its verdict, `finitedp verify --claims ID`
runs it. A test fails if a number of the paper is missing here, if a row or a part of it has neither an entry nor a reason,
or if an entry on the paper stands in no row."""
