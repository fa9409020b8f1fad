"""Bins of a file's column, and one label for all other values: labels are text, and a row has its own before any is chosen."""

import re
from datetime import date
from pathlib import Path
from typing import Any

from attrs import frozen

from finitedp.data.columns import Counts, Universe
from finitedp.data.files import count_file, rows_of_units
from finitedp.data.parquet import is_parquet, parquet_counts
from finitedp.data.shapes.parts import Bins, Part, part_of
from finitedp.data.units.labelling import Labelling
from finitedp.errors import DataError, ParameterError
from finitedp.impl.histograms.universe import Strings
from finitedp.units import Unit

_WIDEST = range(-(10**40), 10**40)  # what a CSV file's integers may be
_LONGEST = Strings(10**6)  # and its texts
_INTEGER = re.compile(r"\s*-?\d{1,40}\s*")


@frozen
class _Label:
    """The label of a value of a column. Raises: DataError for one outside, or of another type."""

    part: Part
    column: str

    def __call__(self, values: tuple[Any, ...]) -> str:
        (value,) = values
        if self.part.types == {date} and isinstance(value, str):  # of a CSV file
            try:
                value = date.fromisoformat(value)
            except ValueError:
                raise DataError(f"column {self.column!r}: {value[:40]!r} is no date; accepted: YYYY-MM-DD") from None
        try:
            return str(self.part.label(self.part.index(value)))
        except DataError as error:
            raise DataError(f"column {self.column!r}: {error}") from None


@frozen
class Binned:
    """The labels of a column, of text, and how a file's rows have them. Source: FD.Shape.column, FD.Unit.labels."""

    part: Part

    @property
    def labels(self) -> list[str]:
        """All labels, in order."""
        return [str(self.part.label(i)) for i in range(self.part.size)]

    def counts(self, path: Path, column: str, first: int | None, n: int | None, unit: Unit | None, drop_nulls: bool) -> Counts:
        """The counts by label, of a unit of the rows that count. Parameters: as of files.count_file. Raises: DataError."""
        values, label = _WIDEST if self.part.types == {int} else _LONGEST, _Label(self.part, column)
        if unit is not None:
            rows = rows_of_units(path, values, first, drop_nulls=drop_nulls)
            by_label = rows.counted(Labelling((column,), label), unit, None)
            return Counts(by_label.as_dict(), by_label.rows)
        read: Any = (
            parquet_counts(path, column, first, n=n, drop_nulls=drop_nulls)
            if is_parquet(path)
            else count_file(path, column, values, first, n=n, drop_nulls=drop_nulls)
        )
        held, counts = read.as_dict() if is_parquet(path) else read.counts, dict[Any, int]()
        for value, count in held.items():
            name = label((value,))
            counts[name] = counts.get(name, 0) + count
        return Counts({name: counts[name] for name in self.labels if name in counts}, read.rows)


def binned_by(bins: str | None, other: str | None, universe: Universe) -> Binned | None:
    """What --bins and --other ask for; None without them. Parameters: universe, empty where none is given.

    Raises: ParameterError.
    """
    given = isinstance(universe, range | Strings) or bool(universe)
    if bins is not None and given:
        raise ParameterError("--bins are a universe; accepted: one of --bins and --universe")
    if bins is None and not given:
        raise ParameterError("--universe is missing; accepted: all possible values, or --bins")
    if bins is not None:
        return Binned(part_of(Bins([_edge(text) for text in bins.split(",")]), other))
    if other is None:
        return None
    if isinstance(universe, range | Strings):
        raise ParameterError("--other is a text beside others; accepted: with --bins, or with --universe a,b,c")
    return Binned(part_of(universe, other))


def _edge(text: str) -> int | date:
    if _INTEGER.fullmatch(text):
        return int(text)
    try:
        return date.fromisoformat(text.strip())
    except ValueError:
        raise ParameterError(
            f"--bins has {text[:40]!r}; accepted: integers, or dates YYYY-MM-DD, with commas between"
        ) from None
