"""CrossHair on the integer kernels: every condition confirmed, and false ones refuted."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent

CONFIRMED = [
    "scaled_word_in_range",
    "scaled_word_monotone",
    "ceil_log2_covers",
    "ceil_log2_is_least",
    "search_reaches",
    "search_reaches_odd_range",
    "clamped_cdf_in_range",
    "clamped_cdf_monotone",
    "clamped_cdf_ends",
]
REFUTED = ["scaled_word_never_reaches_d", "floor_log2_covers", "search_is_strict", "clamped_cdf_strict"]


def crosshair(name: str) -> list[str]:
    command = [sys.executable, "-m", "crosshair", "check", "--report_all", "--per_condition_timeout", "60", str(HERE / name)]
    result = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    assert result.returncode in (0, 1), result.stderr
    return result.stdout.splitlines()


def functions(name: str) -> dict[str, tuple[int, int]]:
    """The first and last line of each function of a file."""
    tree = ast.parse((HERE / name).read_text())
    return {f.name: (f.lineno, f.end_lineno or 0) for f in tree.body if isinstance(f, ast.FunctionDef)}


def reported(lines: list[str], word: str, name: str) -> list[str]:
    """The functions that have a report with the word, by line number."""
    numbers = [int(line.split(".py:")[1].split(":")[0]) for line in lines if word in line]
    places = functions(name).items()
    return [function for n in numbers for function, (first, last) in places if first <= n <= last]


@pytest.mark.deep
def test_every_condition_is_confirmed() -> None:
    lines = crosshair("kernel_contracts.py")
    assert reported(lines, "info: Confirmed over all paths.", "kernel_contracts.py") == CONFIRMED
    assert len(lines) == len(CONFIRMED)
    assert list(functions("kernel_contracts.py")) == CONFIRMED


@pytest.mark.deep
def test_false_conditions_are_refuted() -> None:
    lines = crosshair("broken_contracts.py")
    assert reported(lines, "error: false when calling", "broken_contracts.py") == REFUTED


@pytest.mark.parametrize("name", ["kernel_contracts.py", "broken_contracts.py"])
def test_contracts_call_the_kernels_that_run(name: str) -> None:
    assert "from finitedp.impl.arithmetic.kernels import" in (HERE / name).read_text()
