"""Which of many like cases a plain `pytest` runs: a sample that changes with the sources. `pytest -m deep` runs the others."""

import hashlib
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]


@cache
def _sources() -> bytes:
    """A hash of the Python that is tested."""
    found = hashlib.sha256()
    for folder in ("spec", "impl", "proofs_check", "src/finitedp", "src/finitedp_pytest"):
        for file in sorted((ROOT / folder).glob("**/*.py")):
            found.update(file.read_bytes())
    return found.digest()


def sampled(cases: Iterable[Any], many: int, *, names: int = 1) -> list[Any]:
    """All cases as parameters of a test, of so many names, in their order; all but so many of them are deep."""
    listed = list(cases)

    def rank(place: int) -> bytes:
        return hashlib.sha256(_sources() + str(place).encode()).digest()

    kept = set(sorted(range(len(listed)), key=rank)[:many])
    marks = [() if place in kept else pytest.mark.deep for place in range(len(listed))]
    values = [(case,) if names == 1 else case for case in listed]
    return [pytest.param(*case, marks=mark) for case, mark in zip(values, marks, strict=True)]
