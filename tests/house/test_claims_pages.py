"""The manual's pages of claims say what a run found, of every claim once, and set mathematics without losing a word."""

import importlib.util
import inspect
import json
import re
import sys
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from click.testing import CliRunner

from finitedp.cli.main import main
from finitedp.proofs_check.claims import SECTIONS, entries

DOCS = Path(__file__).parents[2] / "docs"
CHOSEN = ("BV.Lem2.13", "BV.Err.4", "BV.Lem2.4.all", "FD.Budget.sum")


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("claims_pages", DOCS / "claims_pages.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    """What a run of a few claims prints."""
    options = [option for claim in CHOSEN for option in ("--claims", claim)]
    found: dict[str, Any] = json.loads(CliRunner().invoke(main, ["verify", *options, "--json"]).stdout)
    assert {claim["verdict"] for claim in found["claims"]} >= {"verified", "refuted", "repaired", "proved"}
    return found


class Balanced(HTMLParser):
    """Elements that are closed in the order in which they were opened."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """One more is open."""
        if tag not in {"br", "input"}:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        """The last one ends."""
        assert self.open.pop() == tag


def test_every_claim_stands_once_in_its_section_and_in_the_table(script: ModuleType, document: dict[str, Any]) -> None:
    made = script.pages(document)
    anchors = {claim["id"]: script.slug(claim["section"]) for claim in document["claims"]}
    assert set(made) == {"all.md", *(f"{name}.md" for name in anchors.values())}
    for name, page in made.items():
        shown = re.findall(r'<div class="claim" id="(.*?)">', page)
        assert shown == [claim for claim, section in anchors.items() if f"{section}.md" == name]
        plain = re.sub(r"\{py:\w+\}`.*?`|^```python\n.*?^```", "", page, flags=re.DOTALL | re.MULTILINE)
        assert Balanced(plain).open == []
    assert re.findall(r'<a href="(.*?)\.html#(.*?)">', made["all.md"]) == [(anchors[claim], claim) for claim in anchors]


def test_a_block_says_what_the_run_found(script: ModuleType, document: dict[str, Any]) -> None:
    claim = next(c for c in document["claims"] if c["verdict"] == "refuted")
    broken = {**claim, "verdict": "FAILED", "worst_case": "a *star* and `code`", "twins_rejected": []}
    right, wrong = (" ".join(script.block(c, entries()[claim["id"]], claim["id"])) for c in (claim, broken))
    assert '<span class="verdict refuted">refuted</span>' in right
    assert "- counterexample: " in right
    assert '<span class="verdict failed">FAILED</span>' in wrong
    assert "- worst case: <i>a</i>" not in wrong
    assert "a &#42;star&#42; and <code>code</code>" in wrong
    assert "- twins rejected: none" in wrong


def test_the_source_of_a_check_stands_once_on_a_page(script: ModuleType, document: dict[str, Any]) -> None:
    """The other claims of the same check lead there."""
    both = [claim for claim in document["claims"] if claim["id"] in ("BV.Err.4", "BV.Err.4.literal")]
    first, second = (claim["id"] for claim in both)
    check = inspect.unwrap(entries()[first].check)
    assert inspect.unwrap(entries()[second].check) is check
    page = script.section_page("x", both)
    assert page.count(f"\ndef {check.__name__}(") == page.count("<details>") == 1
    assert page.index(f'id="{first}"') < page.index("<details>") < page.index(f'<a href="#{first}">')


def test_every_section_has_a_file_of_its_own(script: ModuleType) -> None:
    assert len({script.slug(section.title) for section in SECTIONS}) == len(SECTIONS)
    assert script.slug("BV Section 4: counting queries") == "bv-section-4"
    assert script.slug("Our own: dyadic tables") == "our-own-dyadic-tables"


def test_pages_of_claims_that_are_no_more_go(script: ModuleType, document: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "old.md").write_text("old")
    script.write(document, tmp_path)
    assert {file.name: file.read_text() for file in tmp_path.iterdir()} == script.pages(document)


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("e^(-m epsilon)", "<i>e</i><sup>-m ε</sup>"),
        ("a < n/2, and a row", "<i>a</i> &lt; <i>n</i>/2, and a row"),
        ("2^-k, 10^6, phi_{r+}", "2<sup>-k</sup>, 10<sup>6</sup>, φ<sub><i>r</i>+</sub>"),
        ("law_of_max_k of FD.Dyadic.law", "<code>law_of_max_k</code> of <code>FD.Dyadic.law</code>"),
        ("x' >= y != z -> 0", "<i>x</i>' ≥ <i>y</i> ≠ <i>z</i> → 0"),
        ("||n - n'||_1/4", "||<i>n</i> - <i>n</i>'||<sub>1</sub>/4"),
        ("w_(q-1) e^(epsilon (q/2))", "<i>w</i><sub><i>q</i>-1</sub> <i>e</i><sup>ε (<i>q</i>/2)</sup>"),
        ("an open e^(1 + x", "an open <i>e</i><sup>(</sup>1 + <i>x</i>"),
        ("n's rows, 4n, D2", "n's rows, 4n, D2"),
    ],
)
def test_mathematics_is_set(script: ModuleType, text: str, html: str) -> None:
    assert script.set_mathematics(text) == html


def test_no_word_of_a_statement_is_lost(script: ModuleType) -> None:
    mathematics = sys.modules["mathematics"]
    signs = {sign: word for words in (mathematics.GREEK, mathematics.SIGNS) for word, sign in words.items()}
    for entry in entries().values():
        for text in (entry.statement, entry.quantifiers):
            html = script.set_mathematics(text)
            assert Balanced(html).open == []
            back = unescape(re.sub("<.*?>", "", html)).translate(str.maketrans(signs))
            assert re.sub(r"[\^_(){}`]", "", back) == re.sub(r"[\^_(){}`]", "", text), entry.id
