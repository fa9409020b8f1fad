"""A release as a file: CSV, which holds labels, counts and error bars; Parquet, whose metadata is the document beside them.

What a Parquet file holds is read back as a JSON document, so that whatever is checked of one is checked of the other.
"""

import csv
import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from finitedp.data.columns import Label
from finitedp.data.error_bars import Bars
from finitedp.data.parquet import ParquetColumn, parquet_bytes, parquet_table
from finitedp.data.value.label_columns import NUMBERS, LabelColumn, read_column
from finitedp.data.value.saved import parsed
from finitedp.errors import DataError, FinitedpError

__all__ = ["as_csv", "as_parquet", "check_bars", "no_formula", "parquet_document"]

_KEY, _PARTS = "finitedp", "label_columns"
_FORMULA = ("=", "+", "-", "@", "\t", "\r")  # some readers take a text for a formula that begins so


def as_csv(
    columns: Sequence[tuple[str, Sequence[Label]]], counts: Sequence[int], bars: Bars, *, seeded: bool, formulas: bool = True
) -> str:
    """A line for each label. Text is quoted where a reader could take it for something else: for a new line, or a formula.

    Without `formulas` all text is quoted, since a spreadsheet may also take a semicolon or a tab for the end of a cell, and is
    `no_formula`, since it follows what stands in quotes too.
    Parameters: columns, names and labels; seeded, whether nothing is private, which every line then says.
    """
    buffer = io.StringIO()
    plain, quoted = (csv.writer(buffer, lineterminator="\n", quoting=how) for how in (csv.QUOTE_MINIMAL, csv.QUOTE_NONNUMERIC))
    note = ["NOT PRIVATE"] if seeded else []
    rows: list[tuple[Sequence[Label], tuple[int | str, ...]]] = [([name for name, _ in columns], NUMBERS)]
    labels = zip(*(values for _, values in columns), strict=True)
    rows += [(parts, (count, *bars.bar(count))) for parts, count in zip(labels, counts, strict=True)]
    for parts, numbers in rows:
        odd = any(isinstance(part, str) and (part.startswith(_FORMULA) or "\r" in part) for part in parts)
        shown = parts if formulas else [no_formula(part) if isinstance(part, str) else part for part in parts]
        (quoted if not formulas or odd else plain).writerow([*shown, *numbers, *note])
    return buffer.getvalue()


def no_formula(text: str) -> str:
    """A text that no spreadsheet takes for a formula: with an apostrophe before it, unless it begins with a letter or digit.

    Different texts stay different: without its first apostrophe, one is the text again. The empty text is itself.
    """
    return text if not text or text[0].isalnum() else f"'{text}"


def as_parquet(labels: Sequence[LabelColumn], counts: Sequence[int], bars: Bars, document: Mapping[str, Any]) -> bytes:
    """The columns of the CSV form, and the document without the histogram as the file's metadata.

    Raises: ParameterError for labels that could not be read again, or where DuckDB is missing; OSError.
    """
    about = json.dumps({**document, _PARTS: [column.about() for column in labels]}, indent=2)
    low_high = [bars.bar(count) for count in counts]
    values = (counts, [low for low, _ in low_high], [high for _, high in low_high])
    numbers = [ParquetColumn(name, "BIGINT", ends) for name, ends in zip(NUMBERS, values, strict=True)]
    return parquet_bytes([*(column.column for column in labels), *numbers], {_KEY: about})


def parquet_document(path: Path) -> tuple[dict[str, Any], list[tuple[int, int]]]:
    """The document of a Parquet file, with its histogram, and the error bars.

    Raises: DataError; ParameterError where DuckDB is missing.
    """
    text, columns = parquet_table(path, _KEY)
    if text is None:
        raise DataError(f"{path} does not say what is claimed of its counts; accepted: a Parquet file as finitedp wrote it")
    document = parsed(text, str(path))
    try:
        parts = document.pop(_PARTS)
        named, kinds = [column.name for column in columns[len(parts) :]], [column.kind for column in columns[len(parts) :]]
        if named != list(NUMBERS) or kinds != ["BIGINT"] * 3:
            raise DataError(f"the columns beside the labels are not {', '.join(NUMBERS)} in integers")
        read = [read_column(column, about) for column, about in zip(columns, parts, strict=False)]
    except (FinitedpError, KeyError, TypeError, ValueError, AttributeError) as error:
        raise DataError(f"{path} is damaged: {type(error).__name__}: {error}") from None
    labels = read[0] if len(read) == 1 else map(list, zip(*read, strict=True))
    counts, low, high = (column.values for column in columns[len(parts) :])
    histogram = [{"label": label, "count": count} for label, count in zip(labels, counts, strict=True)]
    return {**document, "histogram": histogram}, list(zip(low, high, strict=True))


def check_bars(given: Sequence[tuple[int, int]], counts: Sequence[int], bars: Bars) -> None:
    """Whether the error bars of a file are those of its counts. Raises: DataError."""
    if list(given) != [bars.bar(count) for count in counts]:
        raise DataError("the error bars do not follow from the counts; accepted: what finitedp wrote")
