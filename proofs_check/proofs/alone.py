"""Runs the live checker by itself: in an interpreter that reads no .pth file, no sitecustomize and no variable."""

import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from finitedp.proofs_check.proofs import live_checker

CHECKER = Path(live_checker.__file__).resolve().parent / "language.py"
NEEDED = ("attrs", "flint", "gmpy2", "numpy")  # of what is imported without extras
LONGEST = 600  # seconds


def _installed(name: str) -> Path:
    """The folder on sys.path from which a package comes. Raises: ImportError."""
    found = find_spec(name)
    if found is None or found.origin is None:
        raise ImportError(f"{name} is not installed")
    return Path(found.origin).parents[1]


def live_files(files: Sequence[Path], root: Path | None = None, *, most: int = LONGEST) -> list[dict[str, Any]]:
    """What the live checker says of each file: "proved", "ran" and others, or "refused" with the reason.

    Parameters: root, the folder with the package finitedp that is checked: by default the one that is installed.
    """
    paths = dict.fromkeys(str(path) for path in (root or _installed("finitedp"), *map(_installed, NEEDED)))
    command = [sys.executable, "-I", "-S", str(CHECKER), *paths, "--", "--json", *map(str, files)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=most)  # noqa: S603  # ours
    except subprocess.TimeoutExpired:
        return [{"refused": f"it takes more than {most} seconds"}] * len(files)
    lines = done.stdout.splitlines()[-len(files) :]
    try:
        found: list[dict[str, Any]] = [json.loads(line) for line in lines]
    except ValueError:
        found = []
    if len(found) != len(files) or not all(isinstance(one, dict) for one in found):
        told = (done.stderr.strip().splitlines() or ["it said nothing"])[-1]
        return [{"refused": f"the checker did not run: {told[:200]}"}] * len(files)
    return found


def live(document: dict[str, Any], root: Path | None = None) -> dict[str, Any]:
    """What the live checker says of a document."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "proof.json"
        path.write_text(json.dumps(document), encoding="utf-8")
        return live_files([path], root)[0]
