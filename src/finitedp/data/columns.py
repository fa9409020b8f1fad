"""Reading one column of a CSV file as counts of labels, and what may be a label.

The standard library's reader is the only one, since faster ones are wrong in silence on files that are not well-formed: with a
fixed dialect, DuckDB 1.2 and 2.0 drop a row of a wrong length that begins a block of 32 MB and all rows after it, and polars
fills a short row with nulls.
"""

import csv
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date
from itertools import islice
from operator import itemgetter
from pathlib import Path
from typing import Any

from attrs import frozen

from finitedp.errors import DataError, ParameterError
from finitedp.exact import short
from finitedp.impl.histograms.universe import Strings
from finitedp.labels import AS_TEXT, as_bytes, as_text, shown

__all__ = [
    "LABEL_TYPES",
    "Counts",
    "Label",
    "Universe",
    "checked_labels",
    "count_by_unit",
    "count_column",
    "count_labelled_column",
    "listed_labels",
    "parse_universe",
    "position_of",
]

_RANGE = re.compile(r"\s*(-?\d{1,40})\s*\.\.\s*(-?\d{1,40})\s*")
_STRINGS = re.compile(r"\s*strings:(\d{1,6})\s*")
_WORD = re.compile(r"\s*[^\W\d][\w -]*")
_INTEGER = re.compile(r"\s*[+-]?\d{1,40}\s*")
_LONGEST = 60  # characters of a label in a message
_BREAK = re.compile(r"\r\n|\r|\n")
_LARGEST_FIELD = 1 << 24  # characters
_BATCH = 500  # rows that are read at once: more are no faster, since Python's garbage collector looks at each of them

Label = str | int | date | tuple[str | int | date, ...]
"""What a label may be. Files hold text and integers; frames booleans and dates too, and tuples of several columns."""

LABEL_TYPES = (str, int, bool, date)
"""The types of the values of one column."""
_HELD = {bool: "booleans", date: "dates", tuple: "tuples"}

Universe = Sequence[Label] | Strings
"""What a value may be: integers of a range, listed strings, or all strings up to a length."""


@frozen
class Counts:
    """The true counts above 0 of a column (not private), by increasing label, and its number of rows."""

    counts: dict[Label, int]
    rows: int


def parse_universe(text: str) -> Universe:
    """A universe written as a,b,c (strings), FROM..TO (integers, both ends included) or strings:N (up to N bytes).

    Raises: ParameterError, also for one label that is no word, such as 2^64: it is meant as a number of labels.
    """
    length = _STRINGS.fullmatch(text)
    if length is None and text.strip().startswith(("strings:", "string:")):
        raise ParameterError(f"universe = {text[:60]!r} is not of the form strings:N; accepted: N from 0 to 999999")
    if length is not None:
        return Strings(int(length.group(1)))
    match = _RANGE.fullmatch(text)
    if match is not None:
        low, high = int(match.group(1)), int(match.group(2))
        if low > high:
            raise ParameterError(f"universe = {text!r} is empty; accepted: FROM..TO with FROM <= TO")
        return range(low, high + 1)
    if "," not in text and ".." in text:
        raise ParameterError(f"universe = {text!r} is not a range; accepted: FROM..TO with integers of at most 40 digits")
    labels = listed_labels(text)
    if "" in labels:
        raise ParameterError(f"universe = {text!r} has an empty label; accepted: a,b,c or FROM..TO")
    if len(set(labels)) != len(labels):
        twice = next(label for label in labels if labels.count(label) > 1)
        raise ParameterError(f"universe = {text!r} lists {twice!r} twice; accepted: distinct labels")
    return labels


def listed_labels(text: str) -> list[str]:
    """The texts between commas. Raises: ParameterError for a single one that is no word, and may be meant as a number."""
    labels = text.split(",")
    if len(labels) == 1 and text and _WORD.fullmatch(text) is None:
        forms = "FROM..TO, such as 0..99 for a hundred integers, or a,b,c for texts"
        raise ParameterError(f"universe = {text[:_LONGEST]!r} would be one label, that text; accepted: {forms}")
    return labels


def count_column(
    path: Path, column: str, universe: Universe, first: int | None = None, *, may_be_empty: bool = False
) -> Counts:
    """The counts of a CSV file's column over a universe, read row by row; of its first rows only, where `first` is given.

    Raises: DataError for a file that cannot be read, a missing column, a row that is too short, an empty value, a value of
    another type than the universe's labels or outside of it (named, with its row), and a file without rows.
    """
    parse = _parser(universe)
    texts: Counter[str] = Counter()
    rows = 0
    for values in _batches(path, (column,), first):
        known = len(texts)
        texts.update(values)
        if len(texts) > known:  # something new, which may be wrong
            for row, value in enumerate(values, start=rows + 1):
                parse(value, row, column)
        rows += len(values)
    if rows == 0 and not may_be_empty:
        raise DataError(f"{path} has a header and no rows; accepted: at least one row")
    if first is not None and rows < first:
        raise DataError(f"{path} has {rows} rows, fewer than the first {first} that are asked for")
    return Counts(_by_label(texts, parse, column), rows)


def count_labelled_column(
    path: Path, column: str, labels: str, classes: tuple[str, str], universe: range, first: int | None = None
) -> tuple[dict[tuple[int, bool], int], int]:
    """The counts of (value, whether the label is the second class), of two columns of a CSV file; and the number of rows.

    Parameters: column, of integers; labels, the other column; classes, the two texts that a label may be, the - one first.
    Raises: DataError, as count_column; also for a label that is neither class. ParameterError where the columns are one.
    """
    if column == labels:
        raise ParameterError(f"the values and the labels are both of the column {column!r}; accepted: two columns")
    of_value, of_label = _integer_in(universe), _string_in(classes)
    counts, rows = dict[tuple[int, bool], int](), 0
    known = dict[tuple[str, str], tuple[int, bool]]()
    for pairs in _batches(path, (column, labels), first):
        for row, pair in enumerate(pairs, start=rows + 1):
            if pair not in known:
                value, label = of_value(pair[0], row, column), of_label(pair[1], row, labels)
                known[pair] = value, label == classes[1]
            counts[known[pair]] = counts.get(known[pair], 0) + 1
        rows += len(pairs)
    if first is not None and rows < first:
        raise DataError(f"{path} has {rows} rows, fewer than the first {first} that are asked for")
    return counts, rows


def count_by_unit(
    path: Path, columns: Sequence[str], unit: str, universe: Universe, first: int | None = None
) -> dict[tuple[str, tuple[Label, ...]], int]:
    """How many rows of a CSV file have a unit and values of other columns, all over one universe, read row by row.

    Raises: DataError, as count_column, and for an empty unit, with its row.
    """
    parse, known = _parser(universe), dict[Any, tuple[str, tuple[Label, ...]]]()
    counts, rows = dict[tuple[str, tuple[Label, ...]], int](), 0
    for texts in _batches(path, (unit, *columns), first):
        for row, told in enumerate(texts, start=rows + 1):
            if told not in known:
                whose, *values = told if columns else (told,)
                if not whose.strip():
                    raise DataError(f"row {row} of column {unit!r}: the value is empty; accepted: a unit in every row")
                known[told] = whose, tuple(parse(text, row, name) for text, name in zip(values, columns, strict=True))
            pair = known[told]
            counts[pair] = counts.get(pair, 0) + 1
        rows += len(texts)
    if first is not None and rows < first:
        raise DataError(f"{path} has {rows} rows, fewer than the first {first} that are asked for")
    return counts


def _by_label(texts: Mapping[str, int], parse: Callable[[str, int, str], Label], column: str) -> dict[Label, int]:
    """The counts of labels, by increasing label, from those of texts, several of which may mean one integer."""
    counts: dict[Label, int] = {}
    for text in sorted(texts):
        label = parse(text, 0, column)
        counts[label] = counts.get(label, 0) + texts[text]
    return {label: counts[label] for label in sorted(counts)} if isinstance(next(iter(counts), ""), int) else counts


def _batches(path: Path, columns: Sequence[str], first: int | None) -> Iterator[list[Any]]:
    """A column's values, or tuples of several ones', some hundred at a time, so that no Python code runs for each row."""
    limit = csv.field_size_limit(_LARGEST_FIELD)
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            reader = csv.reader(file, strict=True)
            header = next(reader, None)
            if header is None:
                raise DataError(f"{path} is empty; accepted: a CSV file with a header line")
            positions = [position_of(header, column, path) for column in columns]
            pick, rows, done, line = itemgetter(*positions), islice(reader, first), 0, reader.line_num
            while batch := list(islice(rows, _BATCH)):
                if set(map(len, batch)) != {len(header)}:
                    right = next(i for i, fields in enumerate(batch) if len(fields) != len(header))
                    yield list(map(pick, batch[:right]))
                    line += sum(map(_lines, batch[: right + 1]))
                    raise DataError(_wrong_length(path, done + right + 1, line, len(batch[right]), len(header)))
                yield list(map(pick, batch))
                done, line = done + len(batch), reader.line_num
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror or error}") from None
    except (UnicodeDecodeError, csv.Error) as error:
        raise DataError(f"{path} is not a CSV file in UTF-8: {error}") from None
    finally:
        csv.field_size_limit(limit)


def _lines(fields: Sequence[str]) -> int:
    """How many lines of the file a row takes."""
    return 1 + sum(len(_BREAK.findall(field)) for field in fields)


def _wrong_length(path: Path, row: int, line: int, found: int, wanted: int) -> str:
    where = f"row {row} (line {line}) of {path}"
    return f"{where} has {found} fields, not {wanted}" if found else f"{where} is blank; accepted: {wanted} fields"


def position_of(header: Sequence[str], column: str, path: Path) -> int:
    """Where a column is. Raises: DataError for one that is missing or there twice, with the names of all."""
    if header.count(column) != 1:
        problem = "no column" if column not in header else "more than one column"
        raise DataError(f"{path} has {problem} {column!r}; its columns are {', '.join(header)}")
    return header.index(column)


def _parser(universe: Universe) -> Callable[[str, int, str], Label]:
    if isinstance(universe, range):
        return _integer_in(universe)
    return _string_up_to(universe.most) if isinstance(universe, Strings) else _string_in(universe)


def _integer_in(universe: range) -> Callable[[str, int, str], int]:
    def parse(value: str, row: int, column: str) -> int:
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
        what = f"{value!r} is outside of the universe" if value.strip() else "the value is empty; the universe is"
        raise DataError(f"row {row} of column {column!r}: {what} {_shown(universe)}")

    return parse


def _string_up_to(most: int) -> Callable[[str, int, str], Label]:
    def parse(value: str, row: int, column: str) -> Label:
        if len(value.encode()) > most:
            raise DataError(f"row {row} of column {column!r}: {value[:40]!r} has more than {most} bytes")
        return value

    return parse


def checked_labels(labels: Collection[Label], counts: Iterable[int], universe: Universe, column: str) -> None:
    """Refuse labels that are outside of a universe; labels are taken as they are, text is not read as a number.

    Parameters: labels, all str or all int, and the rows that each has. Raises: DataError for the first one, with its rows;
    ParameterError for a universe that lists a label twice.
    """
    outside = _outside(labels, universe)
    if outside is None:
        return
    wants_integers = isinstance(universe, range)
    what = shown(outside)
    if _is_integer(outside) != wants_integers and not _mixed(universe):
        held = "integers" if _is_integer(outside) else _HELD.get(type(outside), "text")
        wanted = "integers" if wants_integers else "text"
        raise DataError(f"column {column!r} holds {held}, as {what}, and the universe is of {wanted}: {_shown(universe)}")
    how = f"; accepted: {AS_TEXT}" if isinstance(universe, Strings) and as_bytes(str(outside)) is None else ""
    rows = next(count for label, count in zip(labels, counts, strict=True) if label is outside)
    raise DataError(f"column {column!r}: {what}, in {rows} rows, is outside of the universe {_shown(universe)}{how}")


def _outside(labels: Collection[Label], universe: Universe) -> Label | None:
    if isinstance(universe, range):
        if set(map(type, labels)) <= {int}:  # else a range would be searched one by one
            return next((label for label in labels if label not in universe), None)
        return next((label for label in labels if not _is_integer(label) or label not in universe), None)
    if isinstance(universe, Strings):
        return next((label for label in labels if not (isinstance(label, str) and _fits(label, universe.most))), None)
    known = frozenset(universe)
    if len(known) < len(universe):
        raise ParameterError("labels holds a label twice; accepted: distinct labels")
    return next((label for label in labels if label not in known), None)


def _is_integer(label: Label) -> bool:
    return isinstance(label, int) and not isinstance(label, bool)


def _fits(label: str, most: int) -> bool:
    """Whether a string is of at most so many bytes, and the text that these are decoded to."""
    encoded = as_bytes(label)
    return encoded is not None and len(encoded) <= most


def _mixed(universe: Universe) -> bool:
    return not isinstance(universe, range | Strings) and any(isinstance(label, int) for label in universe)


def _shown(universe: Universe) -> str:
    if isinstance(universe, range):
        return f"{short(universe[0])}..{short(universe[-1])}" if universe else "without labels"
    if isinstance(universe, Strings):
        return f"of strings of at most {universe.most} bytes"
    first = (short(label) if isinstance(label, int) else as_text(label)[:_LONGEST] for label in universe[:8])
    return ",".join(first) + (",..." if len(universe) > 8 else "")
