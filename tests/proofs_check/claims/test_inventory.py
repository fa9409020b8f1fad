"""The inventory of the paper: complete, and the page of the manual is made from it."""

import re
from pathlib import Path

import pytest

from finitedp.proofs_check.claims import entries
from finitedp.proofs_check.claims.bv.inventory import INVENTORY, Row, inventory_page

ROOT = Path(__file__).parents[3]

LAST = {"1": 6, "2": 13, "3": 2, "4": 12, "5": 6, "6": 21, "7": 2, "8": 6, "A": 3}
"""The numbers of the paper: its definitions, lemmas, theorems, propositions and algorithms share a counter in each section."""

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
"""How many parts the statements have that are stated in parts i, ii, ... or 1, 2, ..."""

NUMBERED = re.compile(r"(Definition|Lemma|Theorem|Corollary|Proposition|Algorithm) ([1-8A])\.(\d+)")


def test_every_number_of_the_paper_has_one_row() -> None:
    found = [match.groups()[1:] for row in INVENTORY if (match := NUMBERED.fullmatch(row.place))]
    assert sorted(found) == sorted((section, str(i)) for section, last in LAST.items() for i in range(1, last + 1))


@pytest.mark.parametrize(("kind", "last"), [("Figure", 6), ("Footnote", 6)])
def test_every_figure_and_footnote_has_one_row(kind: str, last: int) -> None:
    assert [row.place for row in INVENTORY if row.place.startswith(kind)] == [f"{kind} {i}" for i in range(1, last + 1)]


@pytest.mark.parametrize("row", INVENTORY, ids=lambda row: f"{row.place} {row.says}")
def test_a_statement_has_entries_for_each_of_its_parts(row: Row) -> None:
    ids = [entry.id for entry in row.entries()]
    own = [id for id in ids if row.stem and (id == row.stem or id.startswith(f"{row.stem}."))]  # noqa: A001  # the field's name
    if NUMBERED.fullmatch(row.place):
        assert own, f"{row.place} has no entry"
    for part in row.parts:
        stem = f"{row.stem}.{part}"
        assert any(id == stem or id.startswith(f"{stem}.") for id in own), f"{row.place} {part} has no entry"  # noqa: A001
    for stem in (row.stem, *row.also):
        assert not stem or any(id == stem or id.startswith(f"{stem}.") for id in ids), f"{row.place}: no entry {stem}"  # noqa: A001
    assert ids or row.remark, f"{row.place} has neither an entry nor a reason"
    if row.place in PARTS:
        assert len(row.parts) == PARTS[row.place]


def test_every_part_that_is_known_has_a_row() -> None:
    assert {row.place for row in INVENTORY} >= PARTS.keys()


def test_every_entry_on_the_paper_stands_in_a_row() -> None:
    listed = {entry.id for row in INVENTORY for entry in row.entries()}
    assert {id for id in entries() if id.startswith("BV.")} <= listed  # noqa: A001  # the field's name


def test_the_page_is_made_from_the_inventory() -> None:
    found = (ROOT / "docs" / "inventory.md").read_text()
    assert found == inventory_page(), "run `python -m finitedp.proofs_check.claims.bv.inventory docs/inventory.md`"


@pytest.mark.parametrize("place", ["Theorem 9.9", "Lemma 4.9"])
def test_a_statement_without_an_entry_is_found(place: str) -> None:
    """What the test above refuses: no entry at all, and a part that is missing."""
    row = Row(place, "made up", f"BV.{place}", ("i",))
    with pytest.raises(AssertionError, match="has no entry"):
        test_a_statement_has_entries_for_each_of_its_parts(row)
