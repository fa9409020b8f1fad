"""Reports on certificates: one set of data, and the page, the Markdown and the pictures that are made of it."""

import copy
import hashlib
import json
import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from gmpy2 import mpq

from finitedp import Accuracy, PrivacyClaim
from finitedp.errors import DataError, FinitedpError
from finitedp.exact import exp_bounds
from finitedp.proofs_check.audit.auditing import audit
from finitedp.proofs_check.audit.certificate import certificate, with_laws_apart
from finitedp.proofs_check.engine.explorer import Budget
from finitedp.proofs_check.report import figures, wording
from finitedp.proofs_check.report.facts import report
from finitedp.proofs_check.report.laws import MOST_COLUMNS, MOST_OUTPUTS
from finitedp.proofs_check.report.markdown import as_markdown
from finitedp.proofs_check.report.page import as_html
from tests.sampling import sampled

Document = dict[str, Any]
RESPONSE = {(0,): {0: "3/4", 1: "1/4"}, (1,): {0: "1/4", 1: "3/4"}}
HTML_TAG = re.compile("<[^>]*>")
HOSTILE = '</title></svg><script>document.title="ran"</script><img src=x onerror=alert(1)> | `x` $y$ [a](b) \u202e 😀'


def tabled(laws: Any, epsilon: str, name: str = "a table", **more: Any) -> Document:
    """The certificate of laws given as a table; the labels of the universe are those of its inputs."""
    claim = PrivacyClaim(epsilon, "replace-one", more.pop("delta", 0), more.pop("ratio", None))
    universe = [data[0] for data in laws]
    return certificate(audit(laws, claim, n=1, universe=universe, style="table", name=name, **more))


def flips(delta: str, draws: int = 20) -> Document:
    """A loop without a bound, which leaves unresolved mass."""

    def coin_flips(data: Any, rng: Any) -> int:
        heads = int(data[0])
        while rng.getrandbits(1):
            heads += 1
        return heads

    claim = PrivacyClaim(1, "replace-one", delta)
    return certificate(audit(coin_flips, claim, n=1, universe=[0, 1], style="random", budget=Budget(draws=draws)))


def rehashed(document: Document) -> Document:
    body = {key: value for key, value in document.items() if key != "sha256"}
    text = json.dumps(body, sort_keys=True, separators=(",", ":"))
    return {**body, "sha256": hashlib.sha256(text.encode()).hexdigest()}


def reported(folder: Path, *documents: Document) -> Document:
    files = [folder / f"{i}.json" for i in range(len(documents))]
    for file, document in zip(files, documents, strict=True):
        file.write_text(json.dumps(document))
    return report(files)


def lying() -> Document:
    """A failing certificate that says that the claim holds, with a hash that fits."""
    document = copy.deepcopy(tabled(RESPONSE, "1", "a liar"))
    document["verdicts"]["private"] = "holds"
    return rehashed(document)


def words_of(audited: Document) -> dict[str, str]:
    return {verdict["about"]: verdict["verdict"] for verdict in audited["verdicts"]}


# The data


def test_a_failing_claim_is_told_exactly(tmp_path: Path) -> None:
    found = reported(tmp_path, tabled(RESPONSE, "1", accuracy=Accuracy(0, "1/4"), truth=lambda data: data[0]))
    assert found["summary"] == "1 certificate; 1 privacy claim FAILS, by ~0.07043 in delta; 1 accuracy claim holds."
    one = found["audits"][0]
    assert words_of(one) == {"Privacy": "fails", "Law": "not specified", "Bound": "not tight", "Accuracy": "holds"}
    assert (one["worst_ratio"]["exact"], one["worst_ratio"]["epsilon"]) == ("3", ["1.09861228866", "1.09861228867"])
    assert one["delta"]["words"] == "P[S at A] - e^(1) * P[S at B] = 3/4 - e^(1) * 1/4"
    assert (one["delta"]["exact"], one["delta"]["interval"]) == (None, ["0.0704295428852", "0.0704295428853"])
    assert (one["witness"]["left"], one["witness"]["right"], one["witness"]["event"]) == ("[0]", "[1]", ["0"])
    assert [(row["output"], row["ratio"]["exact"], row["in_event"]) for row in one["laws"]["rows"]] == [
        ("0", "3", True),
        ("1", "1/3", False),
    ]
    assert [(c["ratio"], c["delta"]["exact"]) for c in one["profile"]["corners"]] == [("1", "1/2"), ("3", "0")]
    assert one["profile"]["claimed"] == {"epsilon": "1", "delta": "0", "verdict": "fails"}
    assert one["recheck"] == [f"finitedp check {tmp_path}/0.json", f"python checker.py {tmp_path}/0.json"]
    assert (one["scope"]["inputs"], one["scope"]["pairs"]) == (2, 2)
    assert json.loads(json.dumps(found)) == found


def test_a_claim_of_a_ratio(tmp_path: Path) -> None:
    kept, broken = reported(tmp_path, tabled(RESPONSE, "11/10", ratio=3), tabled(RESPONSE, "2", ratio=2))["audits"]
    assert words_of(kept)["Bound"] == "tight"
    assert kept["delta"]["words"] == "no event has P[S at A] above 3 * P[S at B]"
    assert words_of(broken)["Privacy"] == "fails"  # although (2, 0) is true
    assert (broken["delta"]["exact"], broken["profile"]["claimed"]["epsilon"]) == ("1/4", "ln 2")


def test_laws_that_differ_are_told_with_the_place(tmp_path: Path) -> None:
    wrong = tabled(RESPONSE, "2", specified={**RESPONSE, (1,): {0: "1/5", 1: "4/5"}})
    found = reported(tmp_path, wrong)
    assert "1 law DIFFERS from its specification" in found["summary"]
    assert "At the input [1] the output 0 has probability 1/4 (0.25), not 1/5 (0.2)." in as_markdown(found)


def test_unresolved_mass_widens_delta_and_is_explained(tmp_path: Path) -> None:
    one = reported(tmp_path, flips("51/100"))["audits"][0]
    low, high = (mpq(end.replace(".", "")) / 10**12 for end in one["delta"]["interval"])
    assert low <= mpq(1, 2) - exp_bounds(1)[0] / 2**20
    assert high >= mpq(1, 2) + mpq(1, 2**20)
    assert one["delta"]["exact"] is None
    assert words_of(one) == {"Privacy": "holds", "Law": "not specified", "Bound": "not known", "Accuracy": "not claimed"}
    assert [mass["exact"] for mass in one["laws"]["unresolved"]] == ["1/1048576"] * 2
    lines = {line["what"]: line["words"] for line in one["said"]}
    assert lines["Time"].startswith("The certificate says: NOT STRICT TIME")
    assert one["unresolved"]["words"].startswith("At most 2^-20 at an input")
    assert one["worst_ratio"]["words"] == "Not known, since mass is unresolved."


def test_what_nothing_derives_is_told_as_the_certificate_s_own_words(tmp_path: Path) -> None:
    """A loop whose paths differ, and a certificate that says strict time and a name, with a hash that fits."""
    forged = copy.deepcopy(flips("51/100"))
    forged["derived"]["strict_time"], forged["name"] = True, "the very best"
    found = reported(tmp_path, rehashed(forged))
    assert found["audits"][0]["accepted"]
    page = HTML_TAG.sub(" ", as_html(found))
    for text in (as_markdown(found), page):
        findings, _, said = text.partition("What the certificate says of itself")
        assert wording.SAID in said
        assert "strict time" not in findings.lower()
        assert said.lower().count("strict time") == said.count("The certificate says: Strict time: ") == 1
        assert "The certificate says: the very best" in said


@pytest.mark.parametrize("make", [lying, lambda: {**tabled(RESPONSE, "1"), "sha256": "0" * 64}])
def test_of_a_rejected_certificate_only_the_reason_is_told(make: Any, tmp_path: Path) -> None:
    found = reported(tmp_path, make())
    assert (found["rejected"], found["summary"]) == (1, "1 certificate; 1 REJECTED.")
    one = found["audits"][0]
    assert set(one) == {"id", "file", "laws_file", "name", "accepted", "reason", "recheck"}
    for text in (as_markdown(found), as_html(found)):
        assert "REJECTED" in text
        assert not re.search("HOLDS|FAILS|<svg", text)


@pytest.mark.deep
def test_many_outputs_are_cut_and_counted(tmp_path: Path) -> None:
    one = {x: mpq(2 * x + 1, 3000**2) for x in range(3000)}
    two = {x: mpq(2 * (2999 - x) + 1, 3000**2) for x in range(3000)}
    document, text = with_laws_apart(tabled({("a",): one, ("b",): two}, "1"), "0.laws.json", 1000)
    assert text is not None
    (tmp_path / "0.laws.json").write_text(text)
    laws = reported(tmp_path, document)["audits"][0]["laws"]
    assert (laws["outputs"], laws["left_out"], len(laws["rows"])) == (3000, 3000 - MOST_OUTPUTS, MOST_OUTPUTS)
    ratios = [mpq(row["ratio"]["exact"]) for row in laws["rows"]]
    assert ratios == sorted((max(one[x] / two[x], two[x] / one[x]) for x in range(1500)), reverse=True)[:MOST_OUTPUTS]
    assert len(laws["columns"]) == MOST_COLUMNS
    assert sum((mpq(column["left"]) for column in laws["columns"]), mpq(0)) == 1
    assert [column["first"] for column in laws["columns"][:3]] == ["0", "30", "60"]


def test_laws_that_are_not_beside_the_certificate(tmp_path: Path) -> None:
    document, text = with_laws_apart(tabled(RESPONSE, "1", derived={"command": "make it"}), "apart.json", 10)
    with pytest.raises(DataError, match=r"apart.json: the certificate's laws cannot be read .*`make it` writes them again"):
        reported(tmp_path, document)
    assert text is not None
    (tmp_path / "apart.json").write_text(text + " ")
    assert reported(tmp_path, document)["audits"][0]["reason"].startswith("the laws in apart.json are not the ones")


def test_outputs_possible_at_one_input_only_come_first(tmp_path: Path) -> None:
    laws = {("a",): {"x": "1/2", "y": "1/2"}, ("b",): {"y": "1/4", "z": "3/4"}}
    rows = reported(tmp_path, tabled(laws, "1", delta="3/4"))["audits"][0]["laws"]["rows"]
    assert [(row["output"], row["ratio"]["exact"]) for row in rows] == [("'z'", "infinite"), ("'y'", "1/2"), ("'x'", "0")]


# The page


class Page(HTMLParser):
    """Tags must be closed in order; keeps tags, identifiers and what is referred to."""

    VOID = ("meta", "br")

    def __init__(self, text: str) -> None:
        super().__init__()
        self.stack: list[str] = []
        self.tags: list[str] = []
        self.ids: list[str] = []
        self.references: list[str] = []
        self.words: list[str] = []
        self.feed(text)
        self.close()
        assert self.stack == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if tag not in self.VOID:
            self.stack.append(tag)
        for name, value in attrs:
            assert not name.startswith("on"), name
            if name == "id":
                self.ids.append(str(value))
            if name in ("href", "xlink:href", "src"):
                self.references.append(str(value))
            self.references += re.findall(r"url\(([^)]*)\)", str(value))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in self.VOID:
            self.stack.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.stack.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)
        if self.stack and self.stack[-1] == "style":
            assert "url(" not in data
            assert "@import" not in data


def several(folder: Path) -> Document:
    hostile = {(HOSTILE,): {HOSTILE: 1}, ("b",): {HOSTILE: "1/2", "y": "1/2"}}
    return reported(
        folder,
        tabled(RESPONSE, "1"),
        tabled(RESPONSE, "11/10", ratio=3, specified=RESPONSE),
        flips("1/2", 4),
        lying(),
        tabled(hostile, "1", HOSTILE, derived={"command": HOSTILE, "note": [HOSTILE]}),
        tabled(RESPONSE, "1", delta="1/1000000"),
        tabled({("a",): {"x": 1}, ("b",): {"x": 1}}, "0"),
    )


@pytest.mark.deep
def test_the_page_is_whole_and_refers_to_itself_only(tmp_path: Path) -> None:
    page = Page(as_html(several(tmp_path)))
    assert len(page.ids) == len(set(page.ids))
    assert page.references
    assert {reference for reference in page.references if not reference.startswith("#")} == set()
    assert {reference[1:] for reference in page.references} <= set(page.ids)
    assert not {"script", "img", "link", "iframe", "object"} & set(page.tags)
    assert page.tags.count("svg") == 12
    assert page.tags.count("title") == 13  # each picture has one for a screen reader


@pytest.mark.deep
def test_what_a_certificate_says_is_text(tmp_path: Path) -> None:
    """The name, a label, an output, a command and a note hold markup; what would turn the line round is escaped."""
    found = several(tmp_path)
    words = "".join(Page(as_html(found)).words)
    assert words.count('<script>document.title="ran"</script>') >= 4
    assert r"\u202e 😀" in words
    assert "\u202e" not in words
    markdown = as_markdown(found)
    assert "<script" not in markdown.replace(r"\<", "")
    assert r"\| \`x\` \$y\$ [a\](b)" in markdown
    header, row = (line for line in markdown.splitlines() if line.startswith(("| name in", "| 5. ")))
    assert len(re.findall(r"(?<!\\)\|", row)) == header.count("|")


@pytest.mark.deep
def test_the_same_certificates_give_the_same_page(tmp_path: Path) -> None:
    assert as_html(several(tmp_path)) == as_html(several(tmp_path))


@pytest.mark.deep
def test_the_user_s_own_matplotlib_style_does_not_change_the_page(tmp_path: Path) -> None:
    import matplotlib as mpl

    found = reported(tmp_path, tabled(RESPONSE, "1"))
    plain = as_html(found)
    with mpl.rc_context({"lines.linewidth": 9, "font.size": 30}):
        assert as_html(found) == plain
        assert mpl.rcParams["font.size"] == 30


@pytest.mark.parametrize(
    ("document", "mark", "colour"),
    sampled(
        [
            (tabled(RESPONSE, "1"), "claimed: FAILS", "var(--bad)"),
            (tabled(RESPONSE, "2"), "claimed: HOLDS", "var(--good)"),
            (flips("1/2", 4), "claimed: UNDECIDED", "var(--open)"),
        ],
        1,
        names=3,
    ),
)
def test_the_claimed_point_is_marked_in_words_and_colour(document: Document, mark: str, colour: str, tmp_path: Path) -> None:
    profile = as_html(reported(tmp_path, document)).split("<svg")[1]
    assert mark in profile
    assert colour in profile
    others = {"var(--bad)", "var(--good)", "var(--open)"} - {colour}
    assert not any(other in profile for other in others)
    assert (">unresolved<" in profile) == ("UNDECIDED" in mark)


def test_long_rationals_are_folded(tmp_path: Path) -> None:
    p = mpq(10**400 + 7, 3 * 10**400 + 11)
    found = reported(tmp_path, tabled({(0,): {0: p, 1: 1 - p}, (1,): {0: 1 - p, 1: p}}, "1"))
    page = as_html(found)
    assert "exact: 401 / 401 digits" in page
    assert f'<span class="q">{p}</span></details>' in page
    assert max(len(line) for line in as_markdown(found).splitlines()) < 400


@pytest.mark.parametrize("name", ["jinja2", "matplotlib"])
def test_a_missing_extra_is_told_in_one_line(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = reported(tmp_path, tabled(RESPONSE, "1"))
    monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.delitem(sys.modules, "finitedp.proofs_check.report.pictures", raising=False)
    monkeypatch.delattr("finitedp.proofs_check.report.pictures", raising=False)
    with pytest.raises(FinitedpError, match=rf"needs {name}, which is not installed: pip install jinja2 matplotlib;"):
        as_html(found)
    assert as_markdown(found)


# Deltas


def test_a_tiny_delta_has_its_own_digits() -> None:
    """P[S] - e Q[S] is about 3e-41 here, far below the first 64 bits of e."""
    e = exp_bounds(1, 200)[1]
    q = mpq(1, 4)
    p = mpq((q * e * 10**40).numerator // (q * e * 10**40).denominator + 1, 10**40)
    document = tabled({(0,): {0: p, 1: 1 - p}, (1,): {0: q, 1: 1 - q}}, "1")
    low, high = figures.delta_bounds(document)
    assert 0 < low < high < mpq(1, 10**40)
    assert (high - low) * 10**14 < low
    assert document["verdicts"]["private"] == "fails"
