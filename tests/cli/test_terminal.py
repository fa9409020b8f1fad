"""What a terminal gets: its width kept, colours where they are wanted, and labels as they were typed, in any locale."""

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from pathlib import Path

import pytest

from tests.sampling import sampled

RELEASE = ["release", "basic", "--column", "name", "--universe", "é,b", "--epsilon", "1"]
COMMAND = [sys.executable, "-m", "finitedp"]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    file = tmp_path / "données.csv"
    file.write_text("name\n" + "é\n" * 20 + "b\n" * 10, encoding="utf-8")
    return file


def environment(**changes: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "FORCE_COLOR", "NO_COLOR")}
    return kept | {"TERM": "xterm"} | changes


def on_a_terminal(arguments: list[str], columns: int = 80, **changes: str) -> str:
    """What a command writes to a terminal of so many columns."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    with subprocess.Popen(
        [*COMMAND, *arguments], stdin=theirs, stdout=theirs, stderr=theirs, env=environment(**changes)
    ) as run:
        os.close(theirs)
        found = b""
        try:
            while part := os.read(ours, 4096):
                found += part
        except OSError:  # the other side is closed
            pass
        os.close(ours)
    assert run.returncode == 0, found
    return found.decode().replace("\r\n", "\n")


def too_long(text: str, columns: int) -> list[str]:
    """Lines that are wider than the terminal, though they could be broken. The escapes of a progress bar take no room."""
    lines = re.sub(r"\x1b\[[?\d;]*[A-Za-z]", "", text).splitlines()
    return [line for line in lines if len(line) > columns and len(line.split()) > 1]


# Colours


@pytest.mark.deep
def test_only_a_terminal_gets_escapes_and_only_without_no_color(data: Path) -> None:
    arguments = [*RELEASE, "--input", str(data)]
    assert "\x1b" in on_a_terminal(arguments)
    plain = on_a_terminal(arguments, NO_COLOR="1")
    assert "Noisy counts of name" in plain
    assert "\x1b" not in plain
    for changes in ({}, {"FORCE_COLOR": "1"}):
        piped = subprocess.run([*COMMAND, *arguments], capture_output=True, env=environment(**changes), check=True)
        assert b"\x1b" not in piped.stdout + piped.stderr


# Widths


@pytest.mark.deep
@pytest.mark.parametrize("columns", sampled([50, 80], 1))
def test_what_is_said_below_a_table_keeps_to_the_width(columns: int, data: Path, tmp_path: Path) -> None:
    arguments = [*RELEASE, "--input", str(data)]
    text = on_a_terminal(arguments, columns, NO_COLOR="1")
    assert too_long(text, columns) == []
    assert "one replaced (FD.Dyadic.basic.private)." in " ".join(text.split())
    released, file = tmp_path / "compact.json", ["--input", str(data), "--column", "name", "--universe", "é,b"]
    on_a_terminal(["release", "compact", *file, "--epsilon", "1", "--output", str(released)], columns)
    assert too_long(on_a_terminal(["query", str(released), "é"], columns, NO_COLOR="1").split("┘")[-1], columns) == []
    anonymized = ["release", "anonymized", *file[:4], "--n", "100", "--epsilon", "1"]
    assert too_long(on_a_terminal(anonymized, columns, NO_COLOR="1"), columns) == []


@pytest.mark.deep
def test_elsewhere_a_sentence_is_a_line(data: Path) -> None:
    done = subprocess.run([*COMMAND, *RELEASE, "--input", str(data)], capture_output=True, env=environment(), check=True)
    *_, private, each, every, noise = done.stdout.decode().splitlines()
    assert private == "(1, 0)-differentially private: 30 rows, one replaced (FD.Dyadic.basic.private)."
    assert (each[:14], every[:14], noise[:6]) == ("Each error bar", "All counts are", "Noise:")


@pytest.mark.deep
def test_a_tree_of_proofs_keeps_to_the_width(data: Path, tmp_path: Path) -> None:
    released = tmp_path / "release.json"
    on_a_terminal([*RELEASE, "--input", str(data), "--json", "--output", str(released)])
    text = on_a_terminal(["prove", str(released)], 80)
    assert "The claim follows: " in text
    assert too_long(text, 80) == []


# Locales


@pytest.mark.deep
@pytest.mark.parametrize("changes", sampled([{}, {"PYTHONUTF8": "0"}, {"PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}], 1))
def test_a_label_is_itself_in_the_locale_c(changes: dict[str, str], data: Path, tmp_path: Path) -> None:
    where, compact = environment(LC_ALL="C", **changes), tmp_path / "compact.json"
    arguments = [*COMMAND, *RELEASE, "--input", str(data), "--insecure-seed", "1", "--format", "csv"]
    done = subprocess.run([os.fsencode(each) for each in arguments], capture_output=True, env=where, check=False)
    assert done.returncode == 0, done.stderr
    assert [line.split(",")[0] for line in done.stdout.decode().splitlines()] == ["name", "é", "b"]
    make = [*COMMAND, "release", "compact", "--input", str(data), *RELEASE[2:], "--output", str(compact)]
    subprocess.run(list(map(os.fsencode, make)), env=where, check=True, capture_output=True)
    asked = subprocess.run([*COMMAND, "query", compact, "é".encode(), "--json"], capture_output=True, env=where, check=False)
    assert asked.returncode == 0, asked.stderr
    assert '"label": "é"' in asked.stdout.decode()


@pytest.mark.deep
def test_bytes_that_are_no_utf_8_stay_what_they_are(data: Path) -> None:
    given = [*COMMAND, *RELEASE[:4], "--epsilon", "1", "--input", str(data)]
    arguments = [*map(os.fsencode, given), b"--universe", b"\xff,b"]
    for changes in ({}, {"LC_ALL": "C", "PYTHONUTF8": "0"}):
        done = subprocess.run(arguments, capture_output=True, env=environment(**changes), check=False)
        assert done.returncode == 2
        assert b"is outside of the universe \\xff,b" in done.stderr
