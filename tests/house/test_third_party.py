"""The page on third-party audits shows what was recorded, and every audit has its description, driver and expectation."""

import importlib.util
import json
import re
import tomllib
from collections import Counter
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from finitedp.proofs_check.audit.description import read_descriptions

DOCS = Path(__file__).parents[2] / "docs"
FOLDER = DOCS / "third_party"
VERDICTS = {"holds", "holds with delta + u", "fails by rounding only", "fails", "undecided", "refused"}


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("third_party_run", FOLDER / "run.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_shows_what_was_recorded(script: ModuleType) -> None:
    page = (DOCS / "third_party.md").read_text()
    assert script.table() in page
    counts = Counter(found["verdict"] for found in script.results())
    shown = re.findall(r"^\| ([a-z, +]+) \| (\d+) \|$", page, re.MULTILINE)
    assert {verdict: int(number) for verdict, number in shown} == counts


def test_the_list_the_descriptions_the_drivers_and_the_results_are_of_the_same_audits(script: ModuleType) -> None:
    listed = script.listed()
    names = [entry["file"] for entry in listed]
    assert len(set(names)) == len(names) >= 12
    assert {path.stem for path in (FOLDER / "audits").iterdir()} == set(names)
    assert [found["file"] for found in script.results()] == names
    assert len({entry["project"] for entry in listed}) >= 8
    assert {entry["expected"] for entry in listed} <= VERDICTS
    assert {found["verdict"] for found in script.results()} <= VERDICTS
    for name in names:
        place, function = tomllib.loads((FOLDER / "audits" / f"{name}.toml").read_text())["mechanism"].split(":")
        assert f"\ndef {function}(" in (FOLDER / "audits" / place).resolve().read_text(), name


def test_every_description_is_read_as_one(script: ModuleType) -> None:
    for entry in script.listed():
        (description,) = read_descriptions(FOLDER / "audits" / f"{entry['file']}.toml")
        assert description.name == entry["file"]
        claim = description.request.claim
        epsilon = claim.epsilon if claim.ratio is None else f"ln {claim.ratio}"
        assert entry["claim"].startswith(f"epsilon = {epsilon}"), entry["file"]
        assert ("delta" in entry["claim"]) == bool(claim.delta)


def _certificate(**changed: Any) -> dict[str, Any]:
    return {"claim": {"epsilon": "1", "delta": "0"}, "unresolved": "0"} | changed


@pytest.mark.parametrize(
    ("profile", "unresolved", "rounding"),
    [
        ([["1", "1/2"], ["3", "0"]], "0", False),
        ([["1", "1/2"], ["2", "0"]], "0", True),  # above e nothing is left
        ([["1", "1/2"], ["2", f"1/{2**53}"]], "0", True),
        ([["1", "1/2"], ["2", f"1/{2**39}"]], "0", False),
        ([["1", "1/2"], ["2", "0"]], f"1/{2**30}", False),  # open mass is counted
    ],
)
def test_what_fails_by_rounding_only(script: ModuleType, profile: list[list[str]], unresolved: str, rounding: bool) -> None:
    assert (script._excess(_certificate(unresolved=unresolved), profile) <= script.ROUNDING) == rounding


def test_the_examples_of_the_page_compile() -> None:
    blocks = re.findall(r"```python\n(.*?)```", (DOCS / "third_party.md").read_text(), re.DOTALL)
    assert len(blocks) == 8
    for block in blocks:
        compile(block, "third_party.md", "exec")
        assert len(block.splitlines()) <= 20


SECTIONS = ["Versions", "Documented", "What happens", "Snippet", "The smallest fix", "What is not claimed"]
REPORTS = sorted((FOLDER / "reports").iterdir())


@pytest.mark.parametrize("path", REPORTS, ids=lambda path: path.stem)
def test_every_report_can_be_sent_as_it_is(script: ModuleType, path: Path) -> None:
    text = path.read_text()
    assert re.match(r"# [\w-]+: .+\n\n(Not sent yet|Sent on \d+ \w+ \d{4}.*)\.\n\n## ", text)
    words = re.sub(r"^```.*?^```$", "code", text, flags=re.DOTALL | re.MULTILINE)
    sections = re.split(r"^## (.+)\n", words, flags=re.MULTILINE)
    assert sections[1::2] == SECTIONS
    assert all(section.strip() for section in sections[2::2])
    commands, snippet, printed = script.report(path.stem)
    compile(snippet, path.name, "exec")
    assert printed.strip()
    release = re.search(r"==([\d.]+)|checkout (\w+)$", commands[0])
    assert release is not None
    assert (release.group(1) or release.group(2)) in sections[2], "the snippet is of the version that the report speaks of"
    assert f"](third_party/reports/{path.name})" in (DOCS / "third_party.md").read_text()


@pytest.fixture
def written(script: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A report whose environment needs no package, and whose snippet prints 2."""
    (tmp_path / "reports").mkdir()
    path = tmp_path / "reports" / "two.md"
    path.write_text("```sh\ngit clone it\n```\n```python\nprint(1 + 1)\n```\n```text\n2\n```\n")
    monkeypatch.setattr(script, "HERE", tmp_path)
    return path


def test_a_snippet_is_run_and_compared(
    script: ModuleType, written: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert script.main(["reports", str(tmp_path / "made")]) == 0
    assert capsys.readouterr().out == "two: the same\n"
    written.write_text(written.read_text().replace("1 + 1", "1 + 2"))
    assert script.main(["reports", str(tmp_path / "made"), "two"]) == 1
    assert capsys.readouterr().out == "two: differs:\n3\n\n"
    written.write_text(written.read_text().replace("print(1 + 2)", 'import os\nprint(os.environ["NO_SUCH_COPY"])'))
    assert script.main(["reports", str(tmp_path / "made")]) == 0
    assert capsys.readouterr().out == "two: left out\n"


def test_results_are_as_the_script_writes_them() -> None:
    text = (FOLDER / "results.json").read_text()
    assert text == json.dumps(json.loads(text), indent=1) + "\n"
