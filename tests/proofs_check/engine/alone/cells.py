"""Functions that tests make of a text, which has a source as the cell of a notebook has."""

import linecache
from itertools import count
from typing import Any

_NUMBERS = count()


def cell(source: str, **before: Any) -> dict[str, Any]:
    """What a text defines. Parameters: before, what is defined already."""
    name = f"<cell {next(_NUMBERS)}>"
    linecache.cache[name] = len(source), None, source.splitlines(keepends=True), name
    space: dict[str, Any] = {"__name__": "tests.cell", **before}
    exec(compile(source, name, "exec", dont_inherit=True), space)  # noqa: S102
    return space
