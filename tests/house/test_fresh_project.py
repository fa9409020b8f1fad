"""A project that installed only the wheel and pytest: its good mechanisms pass, its broken one fails with the witness.

And a newcomer who has the wheel and the manual's first pages: their commands print what they say, in an empty folder.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.house.test_docs import follow

ROOT = Path(__file__).parents[2]
SOURCES = ("pyproject.toml", "README.md", "LICENSE", "src", "spec", "impl", "proofs_check")
EXAMPLE = ROOT / "docs" / "example"
DOORS = (
    "tour.md",
    "audit.md",
    "budget.md",
    "start_ci.md",
    "start_auditor.md",
    "start_backend.md",
)  # the last ones install extras


def run(folder: Path, *command: str | Path) -> subprocess.CompletedProcess[str]:
    clean = {
        key: value
        for key, value in os.environ.items()
        if not key.startswith(("PYTEST_", "COV_", "PYTHON", "COLUMNS")) and key != "CI"
    }
    return subprocess.run(command, cwd=folder, env=clean, capture_output=True, text=True, check=False)


def succeed(folder: Path, *command: str | Path) -> str:
    done = run(folder, *command)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def the_door_opens(page: Path, folder: Path) -> None:
    """Install what the page says, and do what it shows, the Python too, in an empty folder."""
    empty, text = folder / page.stem, page.read_text()
    empty.mkdir()
    bash = ("bash", "-c", f'export COLUMNS=80 PATH="{folder}/venv/bin:$PATH"; eval "$0" 2>&1')
    wheel = str(next((folder / "wheel").iterdir()))
    for wanted in re.findall(r"^(?:.*&& )?(pip install .*FINITEDP.*)$", text, re.MULTILINE):
        succeed(empty, *bash, wanted.replace("FINITEDP", wheel))

    def execute(command: str) -> tuple[str, int]:
        done = run(empty, *bash, command)
        return done.stdout, done.returncode

    follow(page, empty, execute)
    (empty / "said.txt").write_text("\n".join(re.findall(r"^```\{doctest\}\n(.*?)^```", text, re.DOTALL | re.MULTILINE)))
    succeed(empty, *bash, "python -m doctest said.txt")
    for block in re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
        succeed(empty, folder / "venv" / "bin" / "python", "-c", block)


def copied(source: Path, target: Path) -> Path:
    if source.is_file():
        return Path(shutil.copy(source, target))
    return Path(shutil.copytree(source, target / source.name, symlinks=True, ignore=shutil.ignore_patterns("__pycache__")))


def fresh_project(folder: Path) -> Path:
    """The example, outside of the checkout, beside a virtual environment of its own. It needs a package index."""
    checkout = folder / "checkout"  # building in place would leave files there, or find some
    checkout.mkdir()
    for name in SOURCES:
        copied(ROOT / name, checkout)
    pip = (sys.executable, "-m", "pip")
    succeed(folder, *pip, "wheel", "-q", "--no-deps", "--no-build-isolation", "-w", folder / "wheel", checkout)
    succeed(folder, sys.executable, "-m", "venv", "venv")
    project = copied(EXAMPLE, folder)
    (project / "finitedp.txt").write_text(f"{next((folder / 'wheel').iterdir())}\n")  # as its README says
    succeed(project, "../venv/bin/python", "-m", "pip", "install", "-q", "-r", "finitedp.txt", ".[test]")
    return project


@pytest.mark.deep
def test_a_fresh_project(tmp_path: Path) -> None:
    """One test, since what takes time is to set it up."""
    project = fresh_project(tmp_path)
    the_good_mechanisms_pass_and_the_broken_one_is_expected_to_fail(project)
    the_broken_mechanism_fails_with_its_witness(project)
    a_change_that_breaks_a_good_mechanism_is_found(project)
    for page in DOORS:
        the_door_opens(ROOT / "docs" / page, project.parent)


def the_good_mechanisms_pass_and_the_broken_one_is_expected_to_fail(project: Path) -> None:
    text = succeed(project, "../venv/bin/pytest", "-q", "--junitxml=privacy.xml", "--finitedp-report", "privacy-certificates")
    summary = re.search(r"^finitedp: .*?xfailed", text, re.DOTALL | re.MULTILINE)
    assert summary is not None
    assert summary[0] in (EXAMPLE / "README.md").read_text()
    certificates = sorted((project / "privacy-certificates").glob("*.json"))
    assert len(certificates) == 12
    assert succeed(project, "../venv/bin/finitedp", "check", *certificates).count(": accepted\n") == 12
    assert (project / "privacy.xml").read_text().count('name="dp_worst_ratio') == 12


def the_broken_mechanism_fails_with_its_witness(project: Path) -> None:
    done = run(project, "../venv/bin/pytest", "--runxfail", "tests/test_broken.py")
    assert done.returncode == 1
    shown = re.search(r"^finitedp: The privacy.*?(?=^finitedp: 1 audit)", done.stdout, re.DOTALL | re.MULTILINE)
    assert shown is not None
    assert shown[0].count("\n") == 9  # the verdict, the claim, the witness in three lines, and the smallest one in four
    assert shown[0] in (EXAMPLE / "README.md").read_text()


def a_change_that_breaks_a_good_mechanism_is_found(project: Path) -> None:
    source = project / "mechanisms.py"
    text = source.read_text().replace("1 + _heads(rng, n)", "_heads(rng, n)")
    assert text != source.read_text()
    source.write_text(text)
    done = run(project, "../venv/bin/pytest", "-q", "tests/test_privacy.py")
    assert done.returncode == 1
    assert "FAILED tests/test_privacy.py::test_noisy_count[noisy_count]" in done.stdout
    assert "\nfinitedp: The privacy claim FAILS: the witness below breaks it.\n" in done.stdout
    assert "\nThe law of the code DIFFERS from the specified law." in done.stdout
    assert "2 failed" not in done.stdout
