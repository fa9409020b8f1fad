"""True counts of a column of a CSV or Parquet file of any size: only the labels are held, never the rows."""

from pathlib import Path

from finitedp.data.columns import Counts, Label, Universe, count_by_unit, count_column
from finitedp.data.frames import LabelCounts, Options
from finitedp.data.parquet import is_parquet, parquet_counts, parquet_counts_by_unit
from finitedp.data.units.counting import By, RowsOfUnits, check_columns, of_rows
from finitedp.data.units.labelling import Labelling
from finitedp.errors import DataError, ParameterError
from finitedp.units import Unit

__all__ = ["count_file", "count_file_by_unit", "rows_of_units"]


def count_file(
    path: Path,
    column: str,
    universe: Universe,
    first: int | None = None,
    *,
    n: int | None = None,
    drop_nulls: bool = False,
    null_label: Label | None = None,
) -> Counts:
    """The counts of a file's column over a universe, by increasing label.

    A file whose name ends in .parquet or .pq is read by DuckDB (the extra `frames`), its integers as integers and
    its text as text. Any other file is a CSV file, where everything is text: integers are read from it if the universe is a
    range. A missing value of a CSV file is the empty string, and no null.
    Parameters: universe, as of columns.parse_universe; first, only so many rows from the file's start; n, a public upper bound
    of the rows; drop_nulls, whether rows of a Parquet file without a value count for no label; null_label, a label for them.
    Raises: DataError, ParameterError, as columns.count_column and parquet.parquet_counts.
    """
    if is_parquet(path):
        found = parquet_counts(path, column, first, n=n, drop_nulls=drop_nulls, null_label=null_label)
        return found.within(universe, column)
    if drop_nulls or null_label is not None:
        raise ParameterError(f"{path} is a CSV file, which has no nulls: a missing value is the empty string")
    try:
        counts = count_column(path, column, universe, first, may_be_empty=n is not None)
    except DataError:
        if _begins_as_parquet(path):
            raise DataError(f"{path} is a Parquet file; accepted: a name that ends in .parquet or .pq") from None
        raise
    if n is not None and counts.rows > n:
        raise DataError(f"{path} has {counts.rows} rows, more than n = {n}")
    return counts


def count_file_by_unit(
    path: Path,
    column: str,
    unit: Unit,
    universe: Universe,
    first: int | None = None,
    *,
    drop_nulls: bool = False,
    null_label: Label | None = None,
) -> Counts:
    """`count_file` of the rows that count of each unit (units.counting.counts_by_unit): a missing one is refused.

    Raises: DataError, ParameterError, as count_file.
    """
    found = rows_of_units(path, universe, first, drop_nulls=drop_nulls, null_label=null_label).counted(
        Labelling((column,)), unit, None
    )
    return found.within(universe, column)


def rows_of_units(
    path: Path,
    universe: Universe,
    first: int | None = None,
    *,
    drop_nulls: bool = False,
    null_label: Label | None = None,
) -> RowsOfUnits:
    """A file as what says whose its rows are. Parameters: universe, of the values of a CSV file, which are texts else."""

    def counted(labelling: Labelling, unit: Unit, by: By | None) -> LabelCounts:
        check_columns(labelling.columns, unit)
        if is_parquet(path):
            return parquet_counts_by_unit(path, labelling, unit, first, drop_nulls=drop_nulls, null_label=null_label, by=by)
        if drop_nulls or null_label is not None:
            raise ParameterError(f"{path} is a CSV file, which has no nulls: a missing value is the empty string")
        pairs = count_by_unit(path, labelling.columns, unit.column, universe, first)
        rows = ((whose, values, count) for (whose, values), count in pairs.items())
        return of_rows(rows, labelling, unit, Options(ordered=False), by)

    return RowsOfUnits(counted)


def _begins_as_parquet(path: Path) -> bool:
    """Whether a file that can be read twice has the mark of Parquet."""
    try:
        if not path.is_file():
            return False
        with path.open("rb") as file:
            return file.read(4) == b"PAR1"
    except OSError:
        return False
