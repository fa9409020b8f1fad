"""The inventories of the papers: complete, and the pages of the manual are made from them."""

import re
from pathlib import Path

import pytest

from finitedp.proofs_check.claims import entries
from tests.inventories.papers import PAPERS
from tests.inventories.rows import NUMBERED, Paper, Row

ROOT = Path(__file__).parents[2]
BY_INITIALS = {paper.initials: paper for paper in PAPERS}
ROWS = [(paper, row) for paper in PAPERS for row in paper.rows]

BV_LAST = {"1": 6, "2": 13, "3": 2, "4": 12, "5": 6, "6": 21, "7": 2, "8": 6, "A": 3}
"""Balcer and Vadhan's definitions, lemmas, theorems, propositions and algorithms share a counter in each section."""

LAST: dict[str, dict[str, int | tuple[int, ...]]] = {
    "BV": {"Figure": 6, "Footnote": 6},
    "PH": {"Definition": 3, "Lemma": 10, "Theorem": 3, "Corollary": 1, "Footnote": 5, "()": 20},
    "GK": {
        "Lemma": (14, 15, 16, 20, 27),
        "Observation": (11, 19),
        "Theorem": (9, 12, 17, 21, 22, 25),
        "Corollary": (13, 18, 23, 24, 26),
        "Algorithm": 7,
        "Footnote": (9,),
        "()": (1, *range(6, 14)),
    },
    "FA": {
        "Definition": 9,
        "Lemma": 13,
        "Theorem": 6,
        "Corollary": 3,
        "Claim": 13,
        "Remark": 5,
        "Algorithm": 5,
        "Figure": 4,
        "Footnote": 9,
        "()": 40,
    },
}
"""How many of a kind with a counter of its own a paper has, or which; () are its equations."""

PARTS = {
    "Lemma 3.2": 2,
    "Theorem 4.6": 2,
    "Theorem 4.7": 4,
    "Theorem 4.10": 5,
    "Lemma 4.12": 2,
    "Lemma 2.10": 3,
    **{f"Theorem 5.{number}": 4 for number in (2, 3, 5, 6)},
    "Theorem 6.2": 3,
    "Theorem 6.8": 3,
    "Theorem 6.10": 4,
    "Theorem 6.11": 4,
    "Proposition 6.15": 4,
    "Theorem 7.1": 2,
    "Lemma 8.1": 4,
    "Theorem 8.3": 5,
    "Lemma 8.4": 5,
    "Theorem 8.6": 5,
}
"""How many parts those of Balcer and Vadhan's statements have that are stated in parts i, ii, ... or 1, 2, ..."""


def in_a_counter(paper: Paper, kind: str) -> list[int]:
    """The numbers of a kind, as the rows have them; of equations also ranges, `(22) to (29)`."""
    if kind != "()":
        found = [NUMBERED.fullmatch(row.place) for row in paper.rows]
        return [int(match.group(2)) for match in found if match and match.group(1) == kind]
    ranges = [re.fullmatch(r"\((\d+)\)(?: to \((\d+)\))?", row.place) for row in paper.rows]
    return [i for match in ranges if match for i in range(int(match.group(1)), int(match.group(2) or match.group(1)) + 1)]


def test_every_number_of_balcer_and_vadhan_has_one_row() -> None:
    places = [NUMBERED.fullmatch(row.place) for row in BY_INITIALS["BV"].rows]
    found = [(section, i) for match in places if match for section, dot, i in [match.group(2).partition(".")] if dot]
    assert sorted(found) == sorted((section, str(i)) for section, last in BV_LAST.items() for i in range(1, last + 1))


@pytest.mark.parametrize(("initials", "kind"), [(paper, kind) for paper, kinds in LAST.items() for kind in kinds])
def test_every_number_of_a_kind_has_one_row(initials: str, kind: str) -> None:
    last = LAST[initials][kind]
    assert sorted(in_a_counter(BY_INITIALS[initials], kind)) == list(range(1, last + 1) if isinstance(last, int) else last)


@pytest.mark.parametrize(("paper", "row"), ROWS, ids=lambda x: f"{x.place} {x.says}" if isinstance(x, Row) else x.initials)
def test_a_statement_has_entries_or_a_reason(paper: Paper, row: Row) -> None:
    ids = [entry.id for entry in paper.entries(row)]

    def known(stem: str) -> bool:
        return any(id == stem or id.startswith(f"{stem}.") for id in ids)  # noqa: A001  # the field's name

    assert ids or row.remark, f"{row.place} has neither an entry nor a reason"
    if row.own and not row.own.startswith(("Eq", "Fn")):  # these two may be spoken of by entries of other ids alone
        assert known(paper.id_of(row.own)) or row.remark, f"{row.place} has no entry"
    for part in row.parts.split():
        assert known(paper.id_of(f"{row.own}.{part}")), f"{row.place} {part} has no entry"
    for stem in paper.stems(row):
        assert known(stem), f"{row.place}: no entry {stem}"
    if paper.initials == "BV" and row.place in PARTS:
        assert len(row.parts.split()) == PARTS[row.place]


def test_every_part_that_is_known_has_a_row() -> None:
    assert {row.place for row in BY_INITIALS["BV"].rows} >= PARTS.keys()


@pytest.mark.parametrize("paper", PAPERS, ids=lambda paper: paper.initials)
def test_every_entry_on_a_paper_stands_in_a_row(paper: Paper) -> None:
    listed = {entry.id for row in paper.rows for entry in paper.entries(row)}
    assert {id for id in entries() if id.startswith(f"{paper.initials}.")} <= listed  # noqa: A001  # the field's name


def test_every_paper_of_the_ledger_has_an_inventory() -> None:
    assert {id.split(".")[0] for id in entries()} - {"FD"} == BY_INITIALS.keys()  # noqa: A001  # the field's name


@pytest.mark.parametrize("paper", PAPERS, ids=lambda paper: paper.initials)
def test_the_page_is_made_from_the_inventory(paper: Paper) -> None:
    found = (ROOT / "docs" / paper.page).read_text()
    assert found == paper.text(), "run `python -m tests.inventories docs`"


@pytest.mark.parametrize(
    ("row", "fault"),
    [
        (Row("Theorem 9.9", "made up"), "neither an entry nor a reason"),
        (Row("Lemma 4.9", "made up", parts="i"), "Lemma 4.9 i has no entry"),
        (Row("Section 9", "made up", "Lem4.9 Lem4.99"), "no entry BV.Lem4.99"),
        (Row("Theorem 9.9", "made up", "Lem4.9"), "Theorem 9.9 has no entry"),
    ],
)
def test_a_statement_without_an_entry_is_found(row: Row, fault: str) -> None:
    with pytest.raises(AssertionError, match=fault):
        test_a_statement_has_entries_or_a_reason(BY_INITIALS["BV"], row)
