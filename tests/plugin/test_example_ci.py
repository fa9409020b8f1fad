"""The example's workflow, action and hook, as far as a machine without a network goes: read, and their commands run."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from jsonschema import Draft202012Validator

from finitedp.cli.main import main

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "docs" / "example"
yaml: Any = pytest.importorskip("yaml")


def read(name: str) -> Any:
    return yaml.safe_load((EXAMPLE / name).read_text())


WORKFLOW = read(".github/workflows/privacy.yml")
ACTION = read(".github/actions/privacy-audit/action.yml")
(HOOK,) = read(".pre-commit-config.yaml")["repos"][0]["hooks"]
(PUBLISHED,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())


@pytest.fixture
def project(tmp_path: Path) -> Path:
    copy = tmp_path / "project"
    shutil.copytree(EXAMPLE, copy, ignore=shutil.ignore_patterns("__pycache__", ".pytest_cache"))
    return copy


def bash(folder: Path, script: str, **environment: str) -> subprocess.CompletedProcess[str]:
    clean = {key: value for key, value in os.environ.items() if not key.startswith(("PYTEST_", "COV_", "COLUMNS", "GITHUB_"))}
    path = f"{Path(sys.executable).parent}{os.pathsep}{clean['PATH']}"
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script]  # as GitHub runs it
    return subprocess.run(
        command, cwd=folder, env=clean | environment | {"PATH": path}, capture_output=True, text=True, check=False
    )


def test_the_workflow_may_do_no_more_than_it_needs() -> None:
    (job,) = WORKFLOW["jobs"].values()
    assert WORKFLOW["permissions"] == {"contents": "read"}
    assert job["permissions"] == {"contents": "read", "security-events": "write"}
    assert 0 < job["timeout-minutes"] <= 30
    (python,) = (step for step in job["steps"] if step.get("uses", "").startswith("actions/setup-python@"))
    assert python["with"]["cache"] == "pip"
    assert (EXAMPLE / python["with"]["cache-dependency-path"]).exists()
    assert all(re.fullmatch(r"[\w-]+/[\w/-]+@v\d+|\./.+", step["uses"]) for step in job["steps"] if "uses" in step)


def test_the_workflow_uses_the_action_with_inputs_that_it_has() -> None:
    (job,) = WORKFLOW["jobs"].values()
    (step,) = (step for step in job["steps"] if step.get("uses", "").startswith("./"))
    assert EXAMPLE / step["uses"] / "action.yml" == EXAMPLE / ".github/actions/privacy-audit/action.yml"
    assert (EXAMPLE / step["uses"] / "action.yml").exists()
    assert set(step["with"]) <= set(ACTION["inputs"])
    assert all((EXAMPLE / file).exists() for file in step["with"]["audits"].split())
    folder = ACTION["inputs"]["folder"]["default"]
    assert [
        step["with"].get("sarif_file", "") or step["with"]["path"] for step in job["steps"] if step.get("if") == "always()"
    ] == [
        folder,
        folder,
    ]


def steps_of_the_action(outcome: str = "success", **inputs: str) -> list[tuple[str, dict[str, str]]]:
    """The commands of the action and their environment, with its inputs as GitHub would fill them in.

    Parameters: outcome, of the first step.
    """
    values = {f"inputs.{name}": settings["default"] for name, settings in ACTION["inputs"].items()}
    values |= {f"inputs.{name}": value for name, value in inputs.items()} | {"steps.audit.outcome": outcome}

    def filled(text: str) -> str:
        return re.sub(r"\$\{\{ ([\w.]+) \}\}", lambda found: values[found[1]], text)

    assert ACTION["runs"]["using"] == "composite"
    assert all(step["shell"] == "bash" and "${{" not in step["run"] for step in ACTION["runs"]["steps"])
    return [(step["run"], {key: filled(text) for key, text in step["env"].items()}) for step in ACTION["runs"]["steps"]]


@pytest.mark.deep
def test_the_commands_of_the_action_run(project: Path, tmp_path: Path) -> None:
    files = {"GITHUB_OUTPUT": str(tmp_path / "output"), "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md")}
    files |= {"CI": "true", "GITHUB_ACTIONS": "true", "GITHUB_WORKSPACE": str(tmp_path)}  # as if checked out one folder above
    for script, environment in steps_of_the_action(tests="tests", audits="audits/noisy_count.toml"):
        done = bash(project, script, **environment, **files)
        assert done.returncode == 0, done.stdout + done.stderr
    kept = project / "privacy-audits"
    assert (tmp_path / "output").read_text() == "folder=privacy-audits\n"
    assert "12 audits: 11 hold, 1 fail, 0 undecided" in (tmp_path / "summary.md").read_text()
    assert len(list(kept.glob("*.json"))) == 12 + 3
    tests, descriptions = (json.loads((kept / f"{name}.sarif").read_text())["runs"][0] for name in ("privacy", "audits"))
    (known,) = tests["results"]
    assert known["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "project/tests/test_broken.py"
    assert "suppressions" in known
    assert descriptions["results"] == []
    assert tests["automationDetails"]["id"] != descriptions["automationDetails"]["id"]  # else one hides the other
    assert (kept / "report.md").read_text().startswith("# Privacy audit report\n\n15 certificates; 1 privacy claim FAILS, by ")
    assert "<testsuites" in (kept / "privacy.xml").read_text()


@pytest.mark.parametrize(
    ("outcome", "code", "says"), [("failure", 0, "the error of the step before"), ("success", 1, "Nothing")]
)
def test_without_certificates_the_first_error_is_the_only_one(project: Path, outcome: str, code: int, says: str) -> None:
    """Where the tests cannot even be collected, there is nothing to check; where all went well, nothing was audited."""
    _, (script, environment) = steps_of_the_action(outcome)
    (project / environment["FOLDER"]).mkdir()
    (project / environment["FOLDER"] / "privacy.xml").touch()
    done = bash(project, script, **environment)
    assert (done.returncode, done.stderr) == (code, "")
    assert says in done.stdout
    (project / environment["FOLDER"] / "test.samples").touch()
    assert bash(project, script, **environment).returncode == 0


def test_a_broken_certificate_fails_the_check(project: Path) -> None:
    _, (script, environment) = steps_of_the_action()
    (project / environment["FOLDER"]).mkdir()
    (project / environment["FOLDER"] / "a.json").write_text("{}")
    done = bash(project, script, **environment)
    assert done.returncode != 0
    assert not (project / environment["FOLDER"] / "report.md").exists()


# Where finitedp comes from


def test_no_package_of_an_index_is_taken_for_finitedp() -> None:
    """Whoever registered that name would run code in the user's CI."""
    settings = tomllib.loads((EXAMPLE / "pyproject.toml").read_text())
    asked = [*settings["build-system"]["requires"], *settings["project"].get("dependencies", [])]
    asked += [name for extra in settings["project"]["optional-dependencies"].values() for name in extra]
    asked += [name for dependency in HOOK.get("additional_dependencies", []) for name in [dependency]]
    assert [name for name in asked if "finitedp" in name.lower()] == []
    installs = [
        line
        for path in EXAMPLE.rglob("*")
        if path.is_file() and path.suffix in {".md", ".yml", ".yaml"}
        for line in path.read_text().splitlines()
        if "pip install" in line
    ]
    assert len(installs) == 2
    assert all("install -r finitedp.txt '.[test]'" in line for line in installs)


@pytest.mark.deep
def test_pip_refuses_the_example_until_it_is_said_where_finitedp_is(project: Path) -> None:
    """What is there to be filled in is a path, which is looked up in no index."""
    command = [sys.executable, "-m", "pip", "install", "--no-index", "--dry-run", "--no-deps", "-r", "finitedp.txt"]
    done = subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "FILL-IN-WHERE-FINITEDP-IS" in done.stderr
    (line,) = (line for line in (project / "finitedp.txt").read_text().splitlines() if not line.startswith("#"))
    assert line.startswith("./")


def test_no_page_installs_a_package_called_finitedp() -> None:
    pages = [
        *ROOT.glob("*.md"),
        *(ROOT / "docs").rglob("*.md"),
        *(ROOT / "docs").rglob("*.yml"),
        ROOT / ".pre-commit-hooks.yaml",
    ]
    lines = [line for page in pages if page.name != "CHANGELOG.md" for line in page.read_text().splitlines()]
    named = [line for line in lines if re.search(r"\binstall\b[^`]*[ '\"]finitedp(\[|['\" ]|$)", line)]
    assert named == ["pip install --no-index --find-links wheels 'finitedp[report]'"]


def hook(project: Path, monkeypatch: pytest.MonkeyPatch, entry: str = HOOK["entry"]) -> int:
    """The exit code of a hook's command, which pre-commit runs in the project."""
    monkeypatch.chdir(project)
    program, *arguments = shlex.split(entry)
    assert program == "finitedp"
    return CliRunner().invoke(main, arguments).exit_code


@pytest.mark.deep
def test_a_broken_mechanism_breaks_the_action_and_the_hook(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = project / "mechanisms.py"
    source.write_text(source.read_text().replace("1 + _heads(rng, n)", "_heads(rng, n)"))
    script, environment = steps_of_the_action(tests="--version", audits="audits/noisy_count.toml")[0]  # the tests pass
    done = bash(project, script, **environment, GITHUB_OUTPUT=str(tmp_path / "output"))
    assert (done.returncode, "3 NOT as claimed" in done.stdout) == (1, True), done.stdout + done.stderr
    (problem, *_) = json.loads((project / "privacy-audits" / "audits.sarif").read_text())["runs"][0]["results"]
    assert problem["ruleId"] == "privacy-fails"
    assert hook(project, monkeypatch) == 1


def test_the_hook_runs_where_what_it_is_about_has_changed(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert hook(project, monkeypatch) == 0
    assert HOOK["entry"].startswith(PUBLISHED["entry"] + " ")  # the published one, which is given its arguments
    assert {key: PUBLISHED[key] for key in ("id", "language", "pass_filenames")} == {
        "id": HOOK["id"],
        "language": "python",
        "pass_filenames": False,
    }
    assert hook(project, monkeypatch, PUBLISHED["entry"]) == 2  # without arguments nothing is said to hold
    for name, concerns in (("mechanisms.py", True), ("audits/noisy_count.toml", True), ("tests/laws.csv", False)):
        assert (project / name).exists()
        assert bool(re.search(HOOK["files"], name)) == concerns


def test_editors_find_a_schema_that_describes_the_description() -> None:
    """`#:schema` is what taplo, and with it Even Better TOML, looks for in the first line."""
    path = EXAMPLE / "audits" / "noisy_count.toml"
    first, text = path.read_text().split("\n", 1)
    schema = path.parent / first.removeprefix("#:schema ")
    assert schema.read_bytes() == (ROOT / "proofs_check" / "audit" / "audit.schema.json").read_bytes()
    validator = Draft202012Validator(json.loads(schema.read_text()))
    assert validator.is_valid(tomllib.loads(text))
    assert not validator.is_valid(tomllib.loads(text.replace("mechanism =", "mechanisms =")))
