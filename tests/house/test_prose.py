"""The prose of the documents: no sentence of more than forty words, and none of the words that only its authors use."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MOST = 40
GENERATED = {"claims.md", "inventory.md", "inventory_fa.md", "inventory_gk.md", "inventory_ph.md"}
NAMED = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "tests/README.md")]
PAGES = [*NAMED, *(page for page in sorted((ROOT / "docs").rglob("*.md")) if not {"_build", "claims"} & {*page.parts})]
PAGES = [page for page in PAGES if page.name not in GENERATED]
IDIOM = re.compile(r"taken at (its|their) word|takes at its word|fails, hardly|no prospect of")


def sentences(text: str) -> Iterator[str]:
    """Each sentence of a page: no code blocks, tables or headings; a link by its words, code and a formula as one word."""
    text = re.sub(r"\A---\n.*?^---\n", "", text, flags=re.DOTALL | re.MULTILINE)
    text = re.sub(r"^( *)(```+).*?^\1\2`*$", "\n\n", text, flags=re.DOTALL | re.MULTILINE)
    text = re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL)
    text = "\n".join("" if re.match(r"\s*\||#", line) else line for line in text.splitlines())
    for block in re.split(r"\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )|\n(?=: )", text):
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", block)
        words = " ".join(re.sub(r"`[^`]*`|\$[^$]+\$", "`x`", words).split())
        yield from filter(None, re.split(r'(?<=[.!?:])["*)`]*\s+(?=[A-Z`*\[("$])', words))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_sentences_are_short(page: Path) -> None:
    assert [sentence for sentence in sentences(page.read_text()) if len(sentence.split()) > MOST] == []


def test_sentences_are_told_apart() -> None:
    prose = "# No heading\n\nOne `a. B` two. Three [four\nfive](x.md): Six.\n\n- seven\n- eight\n"
    page = prose + "\n| nine. Ten |\n\n```\nno code\n```\n"
    assert list(sentences(page)) == ["One `x` two.", "Three four five:", "Six.", "- seven", "- eight"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_idiom_is_gone(page: Path) -> None:
    assert not IDIOM.search(page.read_text())
