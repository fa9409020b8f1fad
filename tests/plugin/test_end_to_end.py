"""From a foreign project's mechanisms to a page: plugin, command line, certificate, lone checker, report."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from attrs import frozen
from click.testing import CliRunner

from finitedp.cli.main import main
from finitedp.proofs_check import checker

pytestmark = pytest.mark.deep

MECHANISMS = """
import numpy as np

LOG = []


def fair(rng):
    while True:
        first, second = rng.random() < 0.75, rng.random() < 0.75
        if first != second:
            return bool(first)


def fair_with_a_log(rng):
    while True:
        first, second = rng.random() < 0.75, rng.random() < 0.75
        if first != second:
            return bool(first) if not LOG else False


def by_loop(rows, rng):
    return 1 - rows[0] if fair(rng) and fair(rng) else rows[0]


def by_loop_with_a_log(rows, rng):
    return 1 - rows[0] if fair_with_a_log(rng) and fair_with_a_log(rng) else rows[0]


def by_numpy(rows, rng: np.random.Generator):
    return rows[0] if rng.random() < 0.75 else 1 - rows[0]
"""
TESTS = """
import pytest
from mechanisms import by_loop, by_loop_with_a_log, by_numpy, fair, fair_with_a_log

BITS = {"neighbours": "replace-one", "universe": [0, 1], "n": 1, "budget": {"runs": 100}}


@pytest.mark.dp_claim(epsilon="ln 3", **BITS)
def test_numpy():
    return by_numpy


@pytest.mark.dp_claim(epsilon="ln 3", samplers=[fair], **BITS)
def test_loop():
    return by_loop


@pytest.mark.dp_claim(epsilon="1", samplers=["mechanisms:fair"], **BITS)
def test_loop_fails():
    return by_loop


@pytest.mark.dp_claim(epsilon="ln 3", samplers=[fair_with_a_log], **BITS)
def test_inline():
    return by_loop_with_a_log
"""
DESCRIPTION = """
mechanism = "mechanisms:by_loop"
style = "random"
samplers = ["mechanisms:fair"]
universe = [0, 1]
n = 1
claim = {neighbours = "replace-one", epsilon = "ln 3"}
budget = {runs = 100}

[[instances]]
name = "alone"

[[instances]]
name = "inline"
mechanism = "mechanisms:by_loop_with_a_log"
samplers = ["mechanisms:fair_with_a_log"]
"""
INLINE = "mechanisms:fair_with_a_log: taken inline, because fair_with_a_log() reads the global LOG, "
ALONE = "mechanisms:fair: taken alone, and then drawn at once"


@frozen
class Gate:
    """What the plugin left in the project."""

    folder: Path
    code: int
    text: str

    @property
    def certificates(self) -> dict[str, Any]:
        """By the name of the test."""
        kept = [json.loads(path.read_text()) for path in (self.folder / "kept").glob("*.json")]
        return {document["derived"]["test"].partition("::")[2]: document for document in kept}


@pytest.fixture(scope="module")
def gate(tmp_path_factory: pytest.TempPathFactory) -> Gate:
    folder = tmp_path_factory.mktemp("foreign")
    (folder / "mechanisms.py").write_text(MECHANISMS)
    (folder / "test_gate.py").write_text(TESTS)
    (folder / "audit.toml").write_text(DESCRIPTION)
    clean = {key: value for key, value in os.environ.items() if not key.startswith(("PYTEST_", "COV_", "COLUMNS", "GITHUB_"))}
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-q", "--finitedp-report", "kept"]
    run = subprocess.run(command, cwd=folder, env=clean, capture_output=True, text=True, check=False)
    return Gate(folder, run.returncode, run.stdout + run.stderr)


def test_the_plugin_gates_numpy_and_loops(gate: Gate) -> None:
    assert gate.code == 1, gate.text
    assert "finitedp: 4 audits: 2 hold, 1 fail, 1 undecided\n" in gate.text
    private = {
        name: (document["verdicts"]["private"], document["worst_ratio"]) for name, document in gate.certificates.items()
    }
    assert private == {
        "test_numpy": ("holds", "3"),
        "test_loop": ("holds", "3"),
        "test_loop_fails": ("fails", "3"),
        "test_inline": ("undecided", None),
    }
    assert f"sampler {INLINE}" in gate.text  # why it is undecided


def test_certificates_say_which_samplers_were_taken_alone(gate: Gate) -> None:
    listed = {name: document["derived"].get("samplers") for name, document in gate.certificates.items()}
    alone = [{"name": "mechanisms:fair", "alone": True, "reason": None}]
    assert (listed["test_numpy"], listed["test_loop"], listed["test_loop_fails"]) == (None, alone, alone)
    ((inline),) = listed["test_inline"]
    assert (inline["name"], inline["alone"]) == ("mechanisms:fair_with_a_log", False)
    assert "LOG" in inline["reason"]
    assert all(document["unresolved"] == "0" for name, document in gate.certificates.items() if name != "test_inline")


def test_the_lone_checker_accepts_them_without_the_library(gate: Gate) -> None:
    files = sorted(str(path) for path in (gate.folder / "kept").glob("*.json"))
    command = [sys.executable, "-I", "-S", str(Path(checker.__file__)), *files]
    run = subprocess.run(command, cwd=gate.folder, capture_output=True, text=True, check=False)
    assert (run.returncode, run.stdout.count(": accepted")) == (0, 4), run.stdout + run.stderr


def test_the_command_line_and_the_reports_tell_how_samplers_were_taken(gate: Gate, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(gate.folder)
    monkeypatch.syspath_prepend(str(gate.folder))
    monkeypatch.setenv("COLUMNS", "400")
    done = CliRunner().invoke(main, ["audit", "audit.toml", "--certificates", "own", "--jobs", "1"], catch_exceptions=False)
    assert done.exit_code == 1, done.output
    assert done.output.splitlines()[-1:] == ["Audits: 2, 1 as claimed, 1 undecided."]
    assert ALONE in done.output
    assert INLINE in done.output
    (kept,) = (gate.folder / "kept").glob("*test_inline*.json")
    files = [str(kept), "own/alone.json"]
    for name in ("report.html", "report.md"):
        assert CliRunner().invoke(main, ["report", *files, "--out", name]).exit_code == 0
        page = (gate.folder / name).read_text().replace("\\", "")
        assert (page.count(ALONE), page.count(INLINE)) == (1, 1), name
        assert "2 certificates; 1 privacy claim is UNDECIDED; 1 privacy claim holds." in page
