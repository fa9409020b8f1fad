"""Text for a reader: paragraphs under a label, folded to the width of the terminal, in which a name is never broken."""

import os
import sys
from collections.abc import Iterable
from shutil import get_terminal_size
from textwrap import TextWrapper

from finitedp.labels import as_text

_WIDTH = 120  # columns where the output is no terminal; a longer line is hard to read
_NARROWEST = 20  # columns for a text, however much stands before it
_ROOMY = 100  # columns from which on a table may have a column of explanations more


def _width() -> int:
    return min(get_terminal_size((_WIDTH, 24)).columns, _WIDTH)


def is_narrow() -> bool:
    """Whether a table of many columns would have no room for its words."""
    return _width() < _ROOMY


def _folded(text: str, first: str, others: str, taken: int = 0) -> str:
    width = max(_width() - taken, _NARROWEST)
    whole = TextWrapper(width, first, others, break_long_words=False, break_on_hyphens=False)
    return whole.fill(as_text(text))


def paragraph(text: str, indent: int = 4, taken: int = 0) -> str:
    """A paragraph, indented. Parameters: taken, columns of the width that stand before it."""
    return _folded(text, " " * indent, " " * indent, taken)


def closing_line(text: str) -> str:
    """A line that is folded on a terminal only: elsewhere it is one, for what reads the last line of an output."""
    terminal = os.environ.get("COLUMNS") or (sys.stdout is not None and sys.stdout.isatty())
    return paragraph(text, indent=0) if terminal else as_text(text)


def facts(rows: Iterable[tuple[str, Iterable[str]]], indent: int = 4) -> str:
    """A label and what belongs to it, one row below the other; a label that nothing belongs to is left out."""
    listed = [(label, list(lines)) for label, lines in rows]
    widest = max(len(label) for label, _ in listed)
    out = []
    for label, lines in listed:
        for i, line in enumerate(lines):
            name = "" if i else label
            out.append(_folded(line, f"{'':{indent}}{name:{widest}}  ", " " * (indent + widest + 2)))
    return "\n".join(out)
