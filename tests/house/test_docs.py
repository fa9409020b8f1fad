"""The documents do what they say: commands run, outputs are those printed, links lead somewhere."""

import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from finitedp.cli.main import main

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", ROOT / "tests" / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
PAGES = [page for page in PAGES if "_build" not in page.parts]
BLOCK = re.compile(r"(<!-- noisy[^\n]*-->\n)?```console\n(\$ .*?)```", re.DOTALL)
EXAMPLES = [
    (page.name, bool(noisy), block)
    for page in PAGES
    for noisy, block in BLOCK.findall(page.read_text())
    if "FILE" not in block
]


@pytest.mark.parametrize(("page", "noisy", "block"), EXAMPLES)
def test_commands_print_what_the_page_says(
    page: str, noisy: bool, block: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The commands of a block run one after another, in a folder of its own."""
    (tmp_path / "docs").symlink_to(ROOT / "docs")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COLUMNS", raising=False)  # the pages show the width of a pipe
    for command, output in re.findall(r"^\$ ([^\n]*)\n(.*?)(?=^\$ |\Z)", block, re.DOTALL | re.MULTILINE):
        program, *arguments = shlex.split(command)
        assert program == "finitedp"
        result = CliRunner().invoke(main, arguments, catch_exceptions=False)
        assert result.exit_code == 0, page
        if noisy:
            assert shape(result.output) == shape(output)
        else:
            assert result.output.rstrip() == output.rstrip()


def shape(text: str) -> list[str]:
    """A table without its numbers, the widths that follow from them, and how many rows of a kind follow one another.

    Noise may add a row: FastSample gives each of 2^32 labels a uniform count with a tiny probability, 1/160 for all together.
    """
    lines = [re.sub(r"[\d.]+|[━─ ]+", "", line) for line in text.strip().splitlines()]
    return [line for line, before in zip(lines, [None, *lines], strict=False) if line != before]


def test_there_are_examples() -> None:
    assert len(EXAMPLES) >= 4


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text()):
        if not target.startswith("http"):
            assert (page.parent / target).exists(), target


def test_readme_opens_with_three_users_and_two_commands() -> None:
    text = (ROOT / "README.md").read_text()
    commands = re.findall(r"```sh\n(.*?)\n```", text, re.DOTALL)
    assert len(commands) == 2
    assert all(command.startswith("python3 -m venv .venv && ") for command in commands)
    assert commands[0].endswith("finitedp verify")
    assert ".venv/bin/pytest" in commands[1]
    head = text.split("```sh")[0]
    assert all(word in head for word in ("audit", "maintain", "trusted backend"))


def test_readme_s_python_runs() -> None:
    for block in re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL):
        exec(compile(block, "README.md", "exec"), {})  # noqa: S102  # the README's own code
