"""The documents do what they say: commands run, outputs are those printed, links lead somewhere."""

import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from runpy import run_path

import pytest
from click.testing import CliRunner

from finitedp.cli.main import main
from finitedp.proofs_check.mechanisms import MECHANISMS
from finitedp.proofs_check.mechanisms.kinds import Mechanism
from tests.sampling import sampled

ROOT = Path(__file__).parents[2]
NAMED = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "tests/README.md")
PAGES = [*(ROOT / name for name in NAMED), *sorted((ROOT / "docs").rglob("*.md"))]
PAGES = [page for page in PAGES if "_build" not in page.parts and page.parent.name != "claims"]  # what a build writes
BLOCK = re.compile(r"(<!-- noisy[^\n]*-->\n)?```console\n(\$ .*?)```", re.DOTALL)
FILE = re.compile(r"```\{code-block\} \w+\n:caption: (\S+)\n\n(.*?)```", re.DOTALL)

# CONTRIBUTING.md's blocks change a copy of the tree, in test_contributing.py
EXAMPLES = {page: [b for b in BLOCK.findall(page.read_text()) if "FILE" not in b[1]] for page in PAGES}


@pytest.mark.deep
@pytest.mark.parametrize(
    "page", sampled([page for page in PAGES if EXAMPLES[page]], 2), ids=lambda page: str(page.relative_to(ROOT))
)
def test_commands_print_what_the_page_says(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")  # which fit on every page
    monkeypatch.delenv("CI", raising=False)  # where pytest prints more
    follow(page, tmp_path, here)


Execute = Callable[[str], tuple[str, int]]
"""From a command to what it prints, and its exit code."""


def follow(page: Path, folder: Path, execute: Execute) -> None:
    """Save the files that a page shows or links to, and run its commands one after another: they print what it says."""
    for name, text in FILE.findall(page.read_text()):
        (folder / name).write_text(text)
    linked = [page.parent / target for target in re.findall(r"\]\(([\w./]+)\)", prose(page))]
    for file in linked:
        if file.is_file() and file.suffix != ".md":
            shutil.copy(file, folder)
    for noisy, block in EXAMPLES[page]:
        for found, (_, told) in zip(run_block(block, execute), commands(block), strict=True):
            if noisy:
                assert shape(found) == shape(told)
            else:
                assert found.rstrip() == told.rstrip()


def commands(block: str) -> list[tuple[str, str]]:
    """The commands of a block, which may go over several lines, and what it says that they print."""
    return re.findall(r"^\$ ((?:[^\n]*\\\n)*[^\n]*)\n(.*?)(?=^\$ |\Z)", block, re.DOTALL | re.MULTILINE)


def run_block(block: str, execute: Execute) -> list[str]:
    """What the commands print; all end with 0 but those behind which the block asks for the exit code."""
    outputs, code = [], 0
    for command, _ in commands(block):
        if command == "echo $?":
            outputs.append(f"{code}\n")
            code = 0
            continue
        assert code == 0, outputs[-1]
        found, code = execute(command)
        outputs.append(re.sub(r" in [\d.]+s$", "", found, flags=re.MULTILINE))  # pytest's time
    assert code == 0, outputs[-1]
    return outputs


def here(command: str) -> tuple[str, int]:
    """A command in this process, which has loaded what it needs; pytest in its own."""
    program, *arguments = shlex.split(command.replace("\\\n", ""))
    if program == "pytest":
        ran = subprocess.run([sys.executable, "-m", "pytest", *arguments], capture_output=True, text=True, check=False)
        return ran.stdout, ran.returncode
    assert program == "finitedp"
    result = CliRunner().invoke(main, arguments, prog_name="finitedp", catch_exceptions=False)
    return result.output, result.exit_code


def shape(text: str) -> list[str]:
    """A table without its numbers, the widths that follow from them, and how many rows of a kind follow one another.

    Noise may add a row: FastSample gives each of 2^32 labels a uniform count with a tiny probability, 1/160 for all together.
    """
    lines = [re.sub(r"[\d.]+|[━─ ]+", "", line) for line in text.strip().splitlines()]
    return [line for line, before in zip(lines, [None, *lines], strict=False) if line != before]


def test_there_are_examples() -> None:
    assert sum(map(len, EXAMPLES.values())) >= 12


def prose(page: Path) -> str:
    """The text of a page without its code blocks."""
    return re.sub(r"^(```+).*?^\1`*$", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)


def anchors(page: Path) -> set[str]:
    """What a link may name behind the #: headings as a forge and Sphinx spell them, and labels of either kind."""
    text = prose(page)
    found = {heading_anchor(heading) for heading in re.findall(r"^#{1,6} +(.+)$", text, re.MULTILINE)}
    return found | set(re.findall(r"^\((\S+)\)=$", text, re.MULTILINE)) | set(re.findall(r"<a id=\"([^\"]+)\"", text))


def heading_anchor(heading: str) -> str:
    """Small letters, hyphens for blanks, and no punctuation."""
    shown = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
    return re.sub(r"[^\w\- ]", "", shown).replace(" ", "-")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    """To files of the repository, on a forge and locally, and to headings that they have."""
    without_code = re.sub(r"(`+).*?\1", "", prose(page))
    for target in re.findall(r"\]\(([^)\s]+)\)", without_code):
        if re.match(r"https?://", target):
            continue
        path, _, anchor = target.partition("#")
        file = (page.parent / path) if path else page
        assert file.exists(), target
        assert file.resolve().is_relative_to(ROOT), target
        if anchor:
            assert file.suffix == ".md", target
            assert anchor in anchors(file), target


def test_headings_are_spelled_as_a_forge_does() -> None:
    assert heading_anchor("The size of a table") == "the-size-of-a-table"
    assert heading_anchor("finitedp release, `finitedp query`") == "finitedp-release-finitedp-query"


ROLE = re.compile(r"(?<!`)\{(\w+)\}`(?:[^`<]*<)?([^`>]+)>?`")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_roles_name_what_there_is(page: Path) -> None:
    """{func}, {class} and {mod} name things that can be imported, from the module that defines them."""
    for role, target in ROLE.findall(prose(page)):
        assert role in {"func", "class", "mod"}, role
        module, _, name = target.rpartition(".")
        if role == "mod":
            import_module(target)
        else:
            assert getattr(import_module(module), name).__module__ == module, target


TREE = re.compile(r"^```\{toctree\}\n((?::\w+:[^\n]*\n)*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def below(name: str) -> list[list[str]]:
    """The pages that each table of contents of a page lists."""
    trees = TREE.findall((ROOT / "docs" / f"{name}.md").read_text())
    return [[page for entry in entries.split() for page in listed(name, entry)] for _, entries in trees]


def listed(name: str, entry: str) -> list[str]:
    """The pages that an entry stands for: itself, or those of a folder."""
    folder = ROOT / "docs" / Path(name).parent
    if "*" not in entry:
        return [str((folder / entry).relative_to(ROOT / "docs"))]
    files = [file for file in sorted(folder.glob(f"{entry}.md")) if file in PAGES]
    return [str(file.relative_to(ROOT / "docs").with_suffix("")) for file in files]


def test_every_page_is_in_the_manual() -> None:
    """Once: the first page lists it, or a page that is listed does."""
    waiting, seen = ["index"], []
    while waiting:
        name = waiting.pop()
        seen.append(name)
        waiting += [page for tree in below(name) for page in tree]
    assert sorted(seen) == sorted(
        str(page.relative_to(ROOT / "docs").with_suffix("")) for page in PAGES if (ROOT / "docs") in page.parents
    )


def test_the_manual_has_four_groups_of_at_most_eight_pages() -> None:
    assert len(groups := below("index")) == 4
    assert max(map(len, groups)) <= 8


def mechanism_row(mechanism: Mechanism) -> str:
    """What the manual's table says of a mechanism."""
    flags = [(f"--{option.name.replace('_', '-')}", option.required) for option in mechanism.options]
    options = " ".join(flag if required else f"[{flag}]" for flag, required in [*flags, (f"--{mechanism.input}", True)])
    return f"| `{mechanism.name}` | {mechanism.summary} | `{options}` |"


def test_the_table_of_mechanisms_is_that_of_the_registry() -> None:
    rows = ["| mechanism | what it is | options |", "|---|---|---|", *map(mechanism_row, MECHANISMS.values())]
    assert "\n\n" + "\n".join(rows) + "\n\n" in (ROOT / "docs" / "commands.md").read_text()


def test_readme_opens_with_three_users_and_two_commands() -> None:
    text = (ROOT / "README.md").read_text()
    commands = re.findall(r"```sh\n(.*?)\n```", text, re.DOTALL)
    assert len(commands) == 2
    assert all(command.startswith("python3 -m venv .venv && ") for command in commands)
    assert commands[0].endswith("finitedp verify")
    assert ".venv/bin/pytest" in commands[1]
    head = text.split("```sh")[0]
    assert all(word in head for word in ("audit", "maintain", "trusted backend"))


def test_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text().splitlines()) <= 120


@pytest.mark.parametrize("page", ["README.md", "docs/tour.md"])
def test_python_of_the_first_pages_runs(page: str) -> None:
    for block in re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(), re.DOTALL):
        exec(compile(block, page, "exec"), {})  # noqa: S102  # the page's own code


PICTURES = [file for file in sorted((ROOT / "docs" / "pictures").glob("*.py")) if "def picture(" in file.read_text()]


@pytest.mark.parametrize("script", PICTURES, ids=lambda script: script.stem)
def test_pictures_are_current(script: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those without fresh noise: what their scripts draw now is what is committed."""
    monkeypatch.syspath_prepend(script.parent)
    assert run_path(str(script))["picture"]() == script.with_suffix(".svg").read_text()


def test_there_are_current_pictures() -> None:
    assert {"bars", "curves", "trust", "speed"} <= {script.stem for script in PICTURES}


@pytest.mark.deep  # randhie.py takes minutes
@pytest.mark.parametrize("name", ["experiments", "flexible", "surnames"])
def test_other_pictures_can_be_drawn(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    figure = pytest.importorskip("matplotlib.figure")
    saved: list[Path] = []
    monkeypatch.setattr(figure.Figure, "savefig", lambda _figure, path, **_options: saved.append(path))
    run_path(str(ROOT / "docs" / "pictures" / f"{name}.py"))["main"]()
    assert [path.name for path in saved] == [f"{name}.svg"]
