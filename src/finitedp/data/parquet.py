"""Parquet files by DuckDB: the counts of a column in memory that grows with the labels and not with the rows, and a writer."""

import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from errno import EDQUOT, EFBIG, ENOSPC
from pathlib import Path
from typing import Any, Literal

from attrs import frozen

from finitedp.data.columns import Label, position_of
from finitedp.data.engines import optional
from finitedp.data.frames import LabelCounts, Options, counts_at, prevalences_at
from finitedp.data.units.counting import By, check_columns
from finitedp.data.units.counting import counts_at as chosen_at
from finitedp.data.units.labelling import Labelling
from finitedp.errors import DataError, FinitedpError
from finitedp.units import Unit

__all__ = [
    "ParquetColumn",
    "Stored",
    "fits_int64",
    "is_parquet",
    "parquet_bytes",
    "parquet_counts",
    "parquet_counts_by_unit",
    "parquet_prevalences",
    "parquet_table",
]

_SETTINGS = {
    "temp_directory": "",  # rows never leave memory for a file
    "autoinstall_known_extensions": "false",  # nothing is fetched
    "autoload_known_extensions": "false",
}
_NO_ROOM = (ENOSPC, EFBIG, EDQUOT)
_WILD = "*?["


def fits_int64(universe: range) -> bool:
    """Whether all integers of a range have at most 64 bits."""
    return not universe or (min(universe[0], universe[-1]) >= -(2**63) and max(universe[0], universe[-1]) < 2**63)


def is_parquet(path: Path) -> bool:
    """Whether a file's name says that it is a Parquet file: it ends in .parquet or .pq."""
    return path.suffix.lower() in (".parquet", ".pq")


def parquet_counts(
    path: Path,
    column: str,
    first: int | None = None,
    *,
    n: int | None = None,
    drop_nulls: bool = False,
    null_label: Label | None = None,
) -> LabelCounts:
    """The true counts of a column of a Parquet file, integers as integers and text as text.

    Parameters: first, only so many rows from the file's start; the others as for frames.counts_of.
    Raises: ParameterError where DuckDB, narwhals or numpy is missing. DataError for a file that cannot be read, is empty, cut
    off or damaged, and as frames.counts_of.
    """
    with _columns_of(path, (column,), first) as (one, rows):
        found = counts_at(one, "duckdb", 0, column, Options(n, drop_nulls, null_label))
        _check_rows(path, found.rows, rows)
        return found


def parquet_prevalences(
    path: Path, column: str, first: int | None = None, *, drop_nulls: bool = False, null_label: Label | None = None
) -> tuple[tuple[int, int], ...]:
    """How many labels of a column have each count, counted by DuckDB: no labels come back. Raises: as parquet_counts."""
    with _columns_of(path, (column,), first) as (one, rows):
        pairs, found = prevalences_at(one, "duckdb", 0, column, Options(None, drop_nulls, null_label))
        _check_rows(path, found, rows)
        return pairs


def parquet_counts_by_unit(
    path: Path,
    column: str | Labelling,
    unit: Unit,
    first: int | None = None,
    *,
    drop_nulls: bool = False,
    null_label: Label | None = None,
    by: By | None = None,
) -> LabelCounts:
    """The true counts of labels, of the rows that count of each unit: chosen by DuckDB (units.counting.counts_by_unit).

    Raises: as parquet_counts, and for rows without a unit.
    """
    labelling = Labelling((column,)) if isinstance(column, str) else column
    check_columns(labelling.columns, unit)
    with _columns_of(path, (unit.column, *labelling.columns), first) as (held, rows):
        options = Options(None, drop_nulls, null_label, False)
        found, read = chosen_at(held, list(range(len(held.columns))), labelling, unit, options, by)
        _check_rows(path, read or 0, rows)
        return found


@contextmanager
def _columns_of(path: Path, wanted: Sequence[str], first: int | None) -> Iterator[tuple[Any, int]]:
    """DuckDB's relation of some columns, by names of its own, and how many rows it should have."""
    duckdb = optional("duckdb")
    _check_readable(path)
    with _connected(duckdb) as connection, _errors_of(path, duckdb):
        name = _literally(path)
        columns = _columns(connection, name)
        positions = [position_of(columns, one, path) for one in wanted]
        relation = connection.read_parquet(name, hive_partitioning=False, file_row_number=False)
        rows = int(connection.execute("SELECT sum(num_rows) FROM parquet_file_metadata($1)", [name]).fetchall()[0][0])
        if first is not None and rows < first:
            raise DataError(f"{path} has {rows} rows, fewer than the first {first} that are asked for")
        some = relation.project(", ".join(f"#{position + 1} AS c{i}" for i, position in enumerate(positions)))
        yield some if first is None else some.limit(first), rows if first is None else first


def _check_rows(path: Path, found: int, told: int) -> None:
    if found != told:
        raise DataError(f"{path} is damaged: its footer tells of {told} rows, and {found} are there")


def _check_readable(path: Path) -> None:
    """The same messages as for a CSV file, and for an empty one."""
    try:
        with path.open("rb") as file:
            start = file.read(4)
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror or error}") from None
    if not start:
        raise DataError(f"{path} is empty; accepted: a Parquet file")
    if start != b"PAR1":
        raise DataError(f"{path} is not a Parquet file, whatever its name says: it does not begin with PAR1")


@contextmanager
def _connected(duckdb: Any) -> Iterator[Any]:  # noqa: ANN401  # a module without types
    """A connection, in which an interruption is Python's own."""
    try:
        with duckdb.connect(":memory:", config=_SETTINGS) as connection:
            with suppress(duckdb.InvalidInputException):  # in a notebook without ipywidgets, where there is no bar either
                connection.execute("SET enable_progress_bar = false")
            yield connection
    except (RuntimeError, duckdb.InterruptException) as error:
        if "nterrupt" not in str(error):
            raise
        raise KeyboardInterrupt from None


@contextmanager
def _errors_of(path: Path, duckdb: Any) -> Iterator[None]:  # noqa: ANN401
    """Whatever is raised while a file is read, as an error that names the file."""
    try:
        yield
    except FinitedpError as error:
        message = str(error)
        raise type(error)(message if str(path) in message else f"{path}: {message}") from None
    except duckdb.InterruptException:
        raise
    except duckdb.Error as error:
        raise DataError(f"{path} is not a Parquet file, or a damaged one: {' '.join(str(error).split())[:300]}") from None


def _literally(path: Path) -> str:
    """The file's name for DuckDB, which takes *, ? and [ for patterns and name:// for a place on the net."""
    return "".join(f"[{c}]" if c in _WILD else c for c in str(path.resolve()))


def _columns(connection: Any, name: str) -> list[str]:  # noqa: ANN401
    """The names of the columns as they are in the file; DuckDB itself renames those that differ in case only."""
    schema = connection.execute("SELECT name, num_children FROM parquet_schema($1)", [name]).fetchall()
    names: list[str] = []
    open_groups: list[int] = []  # how many fields are still to come, for each group around
    for field, children in schema[1:]:
        if not open_groups:
            names.append(field)
        else:
            open_groups[-1] -= 1
        if children:
            open_groups.append(children)
        while open_groups and not open_groups[-1]:
            open_groups.pop()
    return names


Stored = Literal["BIGINT", "BOOLEAN", "DATE", "VARCHAR"]


@frozen
class ParquetColumn:
    """A column of a Parquet file: its name, its type as DuckDB has it, and its values."""

    name: str
    kind: Stored
    values: Sequence[Any]


_TYPES = {"BIGINT": "int64", "BOOLEAN": "bool", "DATE": "datetime64[s]", "VARCHAR": "object"}  # of numpy, which DuckDB reads


def parquet_bytes(columns: Sequence[ParquetColumn], metadata: Mapping[str, str]) -> bytes:
    """A Parquet file as bytes: its columns, and metadata by key.

    Raises: OSError where there is no room for it; ParameterError where DuckDB or numpy is missing.
    """
    duckdb, np = optional("duckdb"), optional("numpy")
    given = {f"c{i}": np.array(column.values, dtype=_TYPES[column.kind]) for i, column in enumerate(columns)}
    named = (f"CAST(c{i} AS {column.kind}) AS {_quoted(column.name, chr(34))}" for i, column in enumerate(columns))
    about = ", ".join(f"{_quoted(key)}: {_quoted(value)}" for key, value in metadata.items())
    with _connected(duckdb) as connection, tempfile.TemporaryDirectory(prefix="finitedp.") as folder:
        target = Path(folder, "release.parquet")
        connection.register("released", given)
        query = f"SELECT {', '.join(named)} FROM released"  # noqa: S608  # names are quoted
        try:
            connection.execute(f"COPY ({query}) TO {_quoted(str(target))} (FORMAT parquet, KV_METADATA {{{about}}})")
            return target.read_bytes()
        except duckdb.IOException as error:
            known = (reason for reason in map(os.strerror, _NO_ROOM) if reason in str(error))
            reason = next(known, "the Parquet file cannot be written")
            raise OSError(ENOSPC, f"{reason}, in the folder for temporary files", tempfile.gettempdir()) from None


def parquet_table(path: Path, key: str) -> tuple[str | None, list[ParquetColumn]]:
    """The metadata of a Parquet file at a key, None where there is none, and all of its columns.

    Raises: DataError for a file that cannot be read; ParameterError where DuckDB is missing.
    """
    duckdb = optional("duckdb")
    _check_readable(path)
    with _connected(duckdb) as connection, _errors_of(path, duckdb):
        name = _literally(path)
        told = connection.execute("SELECT key, value FROM parquet_kv_metadata($1)", [name]).fetchall()
        found = [value.decode() for at, value in told if at == key.encode()]
        if len(found) != 1:
            return None, []
        relation = connection.read_parquet(name, hive_partitioning=False, file_row_number=False)
        names, kinds, rows = _columns(connection, name), list(map(str, relation.types)), relation.fetchall()
    values = list(zip(*rows, strict=True)) if rows else [()] * len(names)
    return found[0], [ParquetColumn(*one) for one in zip(names, kinds, values, strict=True)]  # type: ignore[arg-type]  # any type


def _quoted(text: str, mark: str = "'") -> str:
    return mark + text.replace(mark, 2 * mark) + mark
