"""finitedp audit --sarif: what is wrong, and where, for code scanning; and --html of what was sampled."""

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from finitedp.cli.main import main

CODE = """# two answers
def response(rows, rng):
    return rows[0] if rng.random() < 0.75 else 1 - rows[0]


def endless(count, rng):
    while rng.random() < 0.5:
        pass
    return 0


def broken(rows, rng):
    return 1 // 0
"""
DESCRIPTION = """
name = "{name}"
mechanism = "code.py:{function}"
universe = [0, 1]
n = 1
claim = {{ neighbours = "replace-one", epsilon = "{epsilon}" }}
{more}
"""
PROGRAM = """import random, sys
count, samples = int(sys.stdin.read()), int(sys.argv[1])
for _ in range(samples):
    print(count if random.random() < float(sys.argv[2]) else 1 - count)
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("GITHUB_WORKSPACE", raising=False)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "code.py").write_text(CODE)
    return tmp_path


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["audit", *arguments, "--sarif", "out.sarif"])


def results(folder: Path) -> dict[str, tuple[Any, ...]]:
    """By the name of the audit: rule, file, line and words."""
    (only,) = json.loads((folder / "out.sarif").read_text())["runs"]
    assert only["automationDetails"] == {"id": "finitedp-audits/"}
    found = {}
    for result in only["results"]:
        place = result["locations"][0]["physicalLocation"]
        name, _, words = result["message"]["text"].partition(": ")
        found[name] = (result["ruleId"], place["artifactLocation"]["uri"], place["region"]["startLine"], words)
    return found


def describe(folder: Path, name: str, function: str, epsilon: str, more: str = "") -> str:
    (folder / f"{name} é.toml").write_text(DESCRIPTION.format(name=name, function=function, epsilon=epsilon, more=more))
    return f"{name} é.toml"


def test_functions_are_told_by_their_lines(folder: Path) -> None:
    done = run("code.py:endless", "--epsilon", "1", "--neighbours", "counts", "--n", "1", "--budget", "bits=36")
    assert done.exit_code == 1
    (found,) = results(folder).values()
    assert found[:3] == ("delta-needed", "code.py", 6)
    assert found[3].startswith("The privacy claim HOLDS WITH DELTA + 2^-")
    assert (
        run("code.py:response", "--epsilon", "ln 3", "--neighbours", "replace-one", "--universe", "0,1", "--n", "1").exit_code
        == 0
    )
    assert results(folder) == {}


def test_descriptions_are_told_by_their_files(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_WORKSPACE", str(folder.parent))
    good, bad = describe(folder, "good", "response", "2"), describe(folder, "bad", "response", "1")
    other = describe(folder, "other", "response", "2", 'specified = "laws.csv"')
    (folder / "laws.csv").write_text("input,output,probability\n[0],0,1\n[1],1,1\n")
    assert run(good, bad, other).exit_code == 1
    found = results(folder)
    uri = f"{folder.name}/bad%20%C3%A9.toml"
    assert {name: entry[:3] for name, entry in found.items()} == {
        "bad": ("privacy-fails", uri, 1),
        "other": ("law-differs", uri.replace("bad", "other"), 1),
    }
    assert "event S = {{" in found["bad"][3]
    assert "DIFFERS" in found["other"][3].upper()


def test_what_cannot_be_audited_is_told_with_all_that_came_before(folder: Path) -> None:
    bad, broken = describe(folder, "bad", "response", "1"), describe(folder, "broken", "broken", "1")
    assert run(bad, broken).exit_code == 2
    found = results(folder)
    assert {name: entry[0] for name, entry in found.items()} == {"bad": "privacy-fails", "broken": "not-audited"}
    assert "ZeroDivisionError" in found["broken"][3]


def closed(folder: Path, truth: str) -> str:
    """Randomised response on a count of 0 or 1, as a closed program; 3,000 runs show a ratio of 9."""
    (folder / "closed.py").write_text(PROGRAM)
    (folder / "closed.toml").write_text(
        f'name = "<b>{truth}</b>"\ncommand = ["{sys.executable}", "closed.py", "{{samples}}", "{truth}"]\nn = 1\n'
        'claim = {neighbours = "counts", epsilon = "11/10"}\n[black_box]\nsamples = 3_000\nconfidence = "999/1000"\n'
    )
    return "closed.toml"


@pytest.mark.deep
def test_what_is_sampled_is_called_so(folder: Path) -> None:
    done = run(closed(folder, "0.9"), describe(folder, "good", "response", "2"), "--html", "out.html")
    assert done.exit_code == 1
    ((name, found),) = results(folder).items()
    assert (name, found[:3]) == ("<b>0.9</b>", ("privacy-fails", "closed.toml", 1))
    assert found[3].startswith("by samples: violated with confidence 999/1000: epsilon is at least ")
    page = (folder / "out.html").read_text()
    summary = "1 certificate; 1 privacy claim holds; 1 program sampled, not derived."
    assert f'<p class="lead">{summary}</p>' in page
    assert done.output.splitlines()[-1] == f"out.html: {summary}"
    (section,) = re.findall(r'<section id="sampled">.*?</section>', page, re.DOTALL)
    assert "Sampled, not derived" in section
    assert "SAMPLED: VIOLATED" in section
    assert "&lt;b&gt;0.9&lt;/b&gt;" in section
    assert "(11/10, 0)-differential privacy, counts" in section
    assert section.count("badge bad") == 1


def test_samples_without_a_violation_are_no_verdict(folder: Path) -> None:
    """A page of samples alone: no claim is said to hold, and no badge is green."""
    assert run(closed(folder, "0.6"), "--html", "out.html").exit_code == 0
    assert results(folder) == {}
    page = (folder / "out.html").read_text()
    body = page[page.index("<body>") :]
    assert '<p class="lead">1 program sampled, not derived.</p>' in body
    assert "SAMPLED: NO VIOLATION FOUND" in body
    assert "badge good" not in body
    assert "HOLDS" not in body
    assert "certificate" not in body.replace("no certificate stands", "").lower().split("<footer")[0]
