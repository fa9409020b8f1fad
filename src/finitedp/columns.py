"""Reading one column of a CSV file as counts of labels."""

import csv
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path

from attrs import frozen

from finitedp.errors import DataError, ParameterError
from finitedp.impl.universe import Strings

__all__ = ["Counts", "count_column", "parse_universe"]

_RANGE = re.compile(r"\s*(-?\d{1,40})\s*\.\.\s*(-?\d{1,40})\s*")
_STRINGS = re.compile(r"\s*strings:(\d{1,6})\s*")
_INTEGER = re.compile(r"\s*[+-]?\d{1,40}\s*")

Label = str | int


Universe = Sequence[Label] | Strings
"""What a value may be: integers of a range, listed strings, or all strings up to a length."""


@frozen
class Counts:
    """The true counts above 0 of a column (not private), and its number of rows."""

    counts: dict[Label, int]
    rows: int


def parse_universe(text: str) -> Universe:
    """A universe written as a,b,c (strings), FROM..TO (integers, both ends included) or strings:N (up to N bytes).

    Raises: ParameterError.
    """
    length = _STRINGS.fullmatch(text)
    if length is None and text.strip().startswith("strings:"):
        raise ParameterError(f"universe = {text[:60]!r} is not of the form strings:N; accepted: N from 0 to 999999")
    if length is not None:
        return Strings(int(length.group(1)))
    match = _RANGE.fullmatch(text)
    if match is not None:
        low, high = int(match.group(1)), int(match.group(2))
        if low > high:
            raise ParameterError(f"universe = {text!r} is empty; accepted: FROM..TO with FROM <= TO")
        return range(low, high + 1)
    labels = text.split(",")
    if len(labels) == 1 and ".." in text:
        raise ParameterError(f"universe = {text!r} is not a range; accepted: FROM..TO with integers of at most 40 digits")
    if "" in labels:
        raise ParameterError(f"universe = {text!r} has an empty label; accepted: a,b,c or FROM..TO")
    if len(set(labels)) != len(labels):
        twice = next(label for label in labels if labels.count(label) > 1)
        raise ParameterError(f"universe = {text!r} lists {twice!r} twice; accepted: distinct labels")
    return labels


def count_column(path: Path, column: str, universe: Universe, first: int | None = None) -> Counts:
    """The counts of a CSV file's column over a universe, read row by row; of its first rows only, where `first` is given.

    Raises: DataError for a file that cannot be read, a missing column, a row that is too short, an empty value, a value of
    another type than the universe's labels or outside of it (named, with its row), and a file without rows.
    """
    parse = _parser(universe)
    counts: dict[Label, int] = {}
    rows = 0
    for rows, value in enumerate(islice(_values(path, column), first), start=1):
        label = parse(value, rows, column)
        counts[label] = counts.get(label, 0) + 1
    if rows == 0:
        raise DataError(f"{path} has a header and no rows; accepted: at least one row")
    if first is not None and rows < first:
        raise DataError(f"{path} has {rows} rows, fewer than the first {first} that are asked for")
    return Counts(counts, rows)


def _values(path: Path, column: str) -> Iterator[str]:
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            reader = csv.reader(file, strict=True)
            header = next(reader, None)
            if header is None:
                raise DataError(f"{path} is empty; accepted: a CSV file with a header line")
            position = _position(header, column, path)
            for row, fields in enumerate(reader, start=1):
                if not fields:
                    raise DataError(f"row {row} (line {reader.line_num}) of {path} is blank; accepted: {len(header)} fields")
                if len(fields) != len(header):
                    raise DataError(
                        f"row {row} (line {reader.line_num}) of {path} has {len(fields)} fields, not {len(header)}"
                    )
                yield fields[position]
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror or error}") from None
    except (UnicodeDecodeError, csv.Error) as error:
        raise DataError(f"{path} is not a CSV file in UTF-8: {error}") from None


def _position(header: Sequence[str], column: str, path: Path) -> int:
    if header.count(column) != 1:
        problem = "no column" if column not in header else "more than one column"
        raise DataError(f"{path} has {problem} {column!r}; its columns are {', '.join(header)}")
    return header.index(column)


def _parser(universe: Universe) -> Callable[[str, int, str], Label]:
    if isinstance(universe, range):
        return _integer_in(universe)
    return _string_up_to(universe.most) if isinstance(universe, Strings) else _string_in(universe)


def _integer_in(universe: range) -> Callable[[str, int, str], Label]:
    def parse(value: str, row: int, column: str) -> Label:
        if _INTEGER.fullmatch(value) is None:
            what = f"{value!r} is not an integer" if value.strip() else "the value is empty"
            raise DataError(f"row {row} of column {column!r}: {what}; accepted: integers from {universe[0]} to {universe[-1]}")
        if int(value) not in universe:
            raise DataError(
                f"row {row} of column {column!r}: {value} is outside of the universe {universe[0]}..{universe[-1]}"
            )
        return int(value)

    return parse


def _string_in(universe: Sequence[Label]) -> Callable[[str, int, str], Label]:
    known = frozenset(universe)

    def parse(value: str, row: int, column: str) -> Label:
        if value in known:
            return value
        shown = ",".join(str(label) for label in universe[:8]) + (",..." if len(universe) > 8 else "")
        what = f"{value!r} is outside of the universe" if value.strip() else "the value is empty; the universe is"
        raise DataError(f"row {row} of column {column!r}: {what} {shown}")

    return parse


def _string_up_to(most: int) -> Callable[[str, int, str], Label]:
    def parse(value: str, row: int, column: str) -> Label:
        if len(value.encode()) > most:
            raise DataError(f"row {row} of column {column!r}: {value[:40]!r} has more than {most} bytes")
        return value

    return parse
