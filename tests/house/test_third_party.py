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
VERDICTS = {"holds", "holds with delta + u", "fails, hardly", "fails", "undecided", "refused"}


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
    ("profile", "unresolved", "hardly"),
    [
        ([["1", "1/2"], ["3", "0"]], "0", False),
        ([["1", "1/2"], ["2", "0"]], "0", True),  # above e nothing is left
        ([["1", "1/2"], ["2", f"1/{2**53}"]], "0", True),
        ([["1", "1/2"], ["2", f"1/{2**39}"]], "0", False),
        ([["1", "1/2"], ["2", "0"]], f"1/{2**30}", False),  # open mass is counted
    ],
)
def test_what_fails_hardly(script: ModuleType, profile: list[list[str]], unresolved: str, hardly: bool) -> None:
    assert (script._excess(_certificate(unresolved=unresolved), profile) <= script.HARDLY) == hardly


def test_the_examples_of_the_page_compile() -> None:
    blocks = re.findall(r"```python\n(.*?)```", (DOCS / "third_party.md").read_text(), re.DOTALL)
    assert len(blocks) == 7
    for block in blocks:
        compile(block, "third_party.md", "exec")
        assert len(block.splitlines()) <= 20


def test_results_are_as_the_script_writes_them() -> None:
    text = (FOLDER / "results.json").read_text()
    assert text == json.dumps(json.loads(text), indent=1) + "\n"
