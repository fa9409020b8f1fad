"""CONTRIBUTING.md's worked examples, applied as they stand to a copy of the tree: they work, and touch only what they name."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TREE = ("spec", "impl", "proofs_check", "src", "tests/house/test_imports.py", "tests/house/tree.py")
TEXT = (ROOT / "CONTRIBUTING.md").read_text()
EXAMPLES = dict(re.findall(r"^## (.*?)\n(.*?)(?=^## |\Z)", TEXT, re.DOTALL | re.MULTILINE))
STEP = re.compile(r"(?:`([\w./]+)`:\n\n)?^```(python|diff)\n(.*?)^```", re.DOTALL | re.MULTILINE)


def named(example: str) -> set[str]:
    """The files that an example says it touches."""
    return set(re.findall(r"^- `([\w./]+)`", example, re.MULTILINE))


def apply(example: str, root: Path) -> None:
    """Write the files that an example shows, and make its changes."""
    name = ""
    for title, kind, text in STEP.findall(example):
        name = title or name
        file = root / name
        if kind == "diff":
            file.write_text(changed(file.read_text(), text))
        else:
            assert not file.exists(), name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)


def changed(text: str, diff: str) -> str:
    """A text with a change made, whose context must stand in it once."""
    lines = diff.splitlines(keepends=True)
    before = "".join(line[1:] for line in lines if line[0] in " -")
    after = "".join(line[1:] for line in lines if line[0] in " +")
    assert text.count(before) == 1, before
    return text.replace(before, after)


def copied(folder: Path) -> Path:
    """A copy of the tree, with the links that make the packages one."""
    for name in TREE:
        source, target = ROOT / name, folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, symlinks=True, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
        else:
            shutil.copy(source, target)
    return folder


def state(folder: Path) -> dict[str, str]:
    """All files with a hash of what they hold."""
    files = [file for file in folder.rglob("*") if file.is_file() and not file.is_symlink() and file.suffix != ".pyc"]
    return {str(file.relative_to(folder)): sha256(file.read_bytes()).hexdigest() for file in files}


DRIVER = """
import contextlib, io, json, sys
import finitedp, pytest
from click.testing import CliRunner
from finitedp.cli.main import main

ran = []
for program, *arguments in json.loads(sys.argv[1]):
    if program == "pytest":
        with contextlib.redirect_stdout(io.StringIO()) as output:
            ran.append((int(pytest.main(arguments)), output.getvalue()))
    else:
        result = CliRunner().invoke(main, arguments, catch_exceptions=False)
        ran.append((result.exit_code, result.output))
print(json.dumps({"file": finitedp.__file__, "ran": ran}))
"""


def run(commands: list[list[str]], root: Path) -> list[str]:
    """What commands print that run on the copy, all in one process, and succeed."""
    environment = {**os.environ, "PYTHONPATH": f"{root / 'src'}{os.pathsep}{root}", "PYTHONDONTWRITEBYTECODE": "1"}
    driver = [sys.executable, "-c", DRIVER, json.dumps(commands)]
    process = subprocess.run(driver, cwd=root, env=environment, capture_output=True, text=True, check=False)
    assert process.returncode == 0, process.stderr
    found = json.loads(process.stdout)
    assert found["file"].startswith(str(root))
    for command, (code, output) in zip(commands, found["ran"], strict=True):
        assert code == 0, f"{command}: {output}"
    return [output for _, output in found["ran"]]


@pytest.mark.deep
@pytest.mark.parametrize("title", ["A claim", "A mechanism", "A paper"])
def test_the_worked_examples_work(title: str, tmp_path: Path) -> None:
    example, root = EXAMPLES[title], copied(tmp_path)
    before = state(root)
    apply(example, root)
    after = state(root)
    assert {name for name in after if after[name] != before.get(name)} == named(example)
    assert before.keys() <= after.keys()

    blocks = re.findall(r"^```sh\n(.*?)^```", example, re.DOTALL | re.MULTILINE)
    commands = [shlex.split(line) for block in blocks for line in block.splitlines()]
    commands.append(["pytest", "tests/house/test_imports.py"])  # the rules of the house hold
    outputs = run([[*command, *further(command)] for command in commands], root)
    assert state(root) == after

    added = re.findall(r'^@(?:entry|own)\(\n    "([\w.]+)"', example, re.MULTILINE)
    [verified] = [
        json.loads(output)["claims"] for command, output in zip(commands, outputs, strict=True) if "verify" in command
    ]
    assert sorted(row["id"] for row in verified) == sorted(added)
    assert all(row["verdict"] == "verified" and row["twins_rejected"] for row in verified)


def further(command: list[str]) -> list[str]:
    """Options with which a command runs here."""
    if command[0] == "pytest":
        return ["-q", "-p", "no:cacheprovider", "-p", "no:xdist", "--import-mode=importlib"]
    return ["--jobs", "1", "--json"] if command[1] == "verify" else []


def test_a_change_needs_its_context() -> None:
    assert changed("a\nb\n", " a\n-b\n+c\n") == "a\nc\n"
    with pytest.raises(AssertionError):
        changed("a\nb\n", " x\n+c\n")


def test_all_three_are_there() -> None:
    assert set(EXAMPLES) == {"A claim", "A mechanism", "A paper"}
    assert all(named(example) for example in EXAMPLES.values())
