"""The page on audits of pipelines shows what was recorded, its certificates are accepted, and its picture is current."""

import importlib.util
import json
import re
import subprocess
import sys
import tomllib
from collections import Counter
from pathlib import Path
from types import ModuleType

import pytest

from finitedp.proofs_check import checker, pipeline_certificate
from finitedp.proofs_check.audit.description import read_descriptions

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
FOLDER = DOCS / "pipelines"
VERDICTS = {"holds", "fails", "fails by rounding only", "unknown", "refused"}
CERTIFICATES = sorted((FOLDER / "certificates").glob("*.json"))


def loaded(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"of_{path.parent.name}_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def script() -> ModuleType:
    return loaded(FOLDER / "run.py")


def test_the_page_shows_what_was_recorded(script: ModuleType) -> None:
    page = (DOCS / "pipelines_audits.md").read_text()
    assert script.table() in page
    counts = Counter(found["verdict"] for found in script.results())
    shown = re.findall(r"^\| ([a-z, +]+) \| (\d+) \|$", page, re.MULTILINE)
    assert {verdict: int(number) for verdict, number in shown} == counts
    wrong = sum(found["verdict"] != entry["expected"] for entry, found in zip(script.listed(), script.results(), strict=True))
    assert f"{wrong} of {len(script.listed())} expectations were wrong" in page


def test_the_list_the_descriptions_and_the_results_are_of_the_same_audits(script: ModuleType) -> None:
    listed, found = script.listed(), script.results()
    names = [script.key(entry) for entry in listed]
    assert len(set(names)) == len(names)
    assert [script.key(result) for result in found] == names
    assert {entry["expected"] for entry in listed} | {result["verdict"] for result in found} <= VERDICTS
    assert {entry["environment"] for entry in listed} == set(script.expected()["environments"])
    described = {
        (path.stem, description.name): description
        for path in (FOLDER / "audits").glob("*.toml")
        for description in read_descriptions(path)
    }
    assert {(entry["file"], entry["name"]) for entry in listed} == set(described)
    for entry in listed:
        claim = described[entry["file"], entry["name"]].request.claim
        assert entry["claim"].startswith(f"epsilon = {claim.epsilon}"), entry["name"]
        assert ("delta" in entry["claim"]) == bool(claim.delta), entry["name"]


def test_every_description_names_a_function_of_a_driver() -> None:
    for path in (FOLDER / "audits").glob("*.toml"):
        document = tomllib.loads(path.read_text())
        for instance in document["instances"]:
            place, function = {**document, **instance}["mechanism"].split(":")
            assert f"\ndef {function}(" in (path.parent / place).resolve().read_text(), (path, function)


def test_results_say_versions_and_no_folder_of_a_machine(script: ModuleType) -> None:
    for entry, found in zip(script.listed(), script.results(), strict=True):
        pinned = [one.split("==") for one in script.expected()["environments"][entry["environment"]] if "==" in one]
        assert all(found["versions"][name].startswith(release) for name, release in pinned), entry["name"]
        assert re.fullmatch(r"3\.\d+\.\d+", found["python"])
    text = (FOLDER / "results.json").read_text() + "".join(path.read_text() for path in CERTIFICATES)
    assert "/tmp/" not in text  # noqa: S108
    assert "/home/" not in text
    assert text.startswith("[\n")


@pytest.mark.parametrize("path", CERTIFICATES, ids=lambda path: path.stem)
def test_every_certificate_is_accepted_and_says_the_verdict_of_the_page(script: ModuleType, path: Path) -> None:
    (found,) = (result for result in script.results() if script.key(result) == path.stem)
    document = json.loads(path.read_text())
    if document["format"] != pipeline_certificate.FORMAT:
        assert checker.check(document, FOLDER / "audits") is None
        assert document["verdicts"]["private"] == found["verdict"]
        return
    assert pipeline_certificate.recheck(document) is None
    assert document["verdicts"]["private"].split(",")[0] == found["verdict"]


def test_the_lone_checker_runs_alone(tmp_path: Path) -> None:
    """In a Python without finitedp on its path."""
    alone = tmp_path / "pipeline_certificate.py"
    alone.write_bytes((ROOT / "proofs_check" / "pipeline_certificate.py").read_bytes())
    path = FOLDER / "certificates" / "own_plain_count.json"
    done = subprocess.run([sys.executable, "-I", alone, path], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    document = json.loads(path.read_text())
    document["claims"]["private"]["epsilon"] = "1/2"
    forged = tmp_path / "forged.json"
    forged.write_text(json.dumps(document))
    assert subprocess.run([sys.executable, "-I", alone, forged], capture_output=True, check=False).returncode == 1


def test_verdicts_with_a_certificate_are_decided(script: ModuleType) -> None:
    kept = {path.stem for path in CERTIFICATES}
    decided = {script.key(found) for found in script.results() if found["verdict"] != "refused"}
    assert kept <= decided
    assert len(kept) >= 20


def test_the_picture_of_a_shift_is_current() -> None:
    module = loaded(DOCS / "pictures" / "shift.py")
    assert module.drawn() == (DOCS / "pictures" / "shift.svg").read_text()
    assert "](pictures/shift.svg)" in (DOCS / "pipelines.md").read_text()
