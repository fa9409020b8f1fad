"""Counts by label of the rows of units that count, in DuckDB and Spark: rows are chosen in the engine, counts come back.

Where labels are made of values by a function of Python, the distinct values come here, and a table of their labels goes back.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from finitedp.data.engines import data_errors
from finitedp.data.frames import LabelCounts, Options
from finitedp.data.units.checks import check_integers, check_nulls, check_promise, of_labels
from finitedp.data.units.choosing import Clipped, End, Key
from finitedp.data.units.columns import two_columns
from finitedp.data.units.labelling import Labelling, is_text, kind_of, values_of
from finitedp.data.units.queries import DUCKDB, ROWS, SPARK, most_query, nulls_query, rows_query, totals_query
from finitedp.errors import DataError
from finitedp.units import Unit

__all__ = ["relation_counts"]

VALUES = "finitedp_values"
_LARGEST = 2**63  # what is no integer of 64 bits


def relation_counts(
    frame: Any,  # noqa: ANN401  # of DuckDB or Spark
    engine: str,
    places: Sequence[int],
    kinds: Sequence[str],
    labelling: Labelling,
    unit: Unit,
    options: Options,
    by: Key | End | Clipped,
) -> tuple[LabelCounts, int]:
    """`counting.counts_by_unit` of the columns at some places, the unit's first, and the number of all rows."""
    plain = labelling.plain(kinds[1:])
    with data_errors(engine):
        two = two_columns(frame, engine, places, kinds, labelling.columns, options.null_label, plain=plain)
        rows, nulls, missing = map(int, _run(two, engine, nulls_query())[0])
        check_nulls(labelling.what, unit, options, rows, nulls, missing)
        if plain:
            made: Callable[[Any], Any] = _decoded if is_text(kinds[1]) else int
            text = made is _decoded
        else:
            two, text, made = _labelled(two, engine, labelling)
        blobs = is_text(kinds[0]), text
        if isinstance(by, Clipped):
            check_integers(labelling.what, {kind_of(kinds[1])})
            found = _run(two, engine, totals_query(DUCKDB if engine == "duckdb" else SPARK, by.low, by.high))
            return of_labels((by(int(total)), int(count)) for total, count in found), rows
        if unit.bounded:
            check_promise(unit, *(int(found or 0) for found in _run(two, engine, most_query())[0]))
        bounds = Unit(unit.column, max_rows=1) if rows == 0 else unit
        if isinstance(by, End):
            found = _run(two, engine, rows_query(DUCKDB if engine == "duckdb" else SPARK, bounds, "", by.order, blobs=blobs))
        else:
            found = _by_key(two, engine, bounds, by, blobs)
    return of_labels((made(label), int(count)) for label, count in found), rows


def _decoded(label: Any) -> str:  # noqa: ANN401  # bytes, or Spark's bytearray
    return bytes(label).decode()


def _by_key(two: Any, engine: str, bounds: Unit, key: Key, blobs: tuple[bool, bool]) -> Sequence[Any]:  # noqa: ANN401
    with _hidden(key.text):
        if engine == "duckdb":
            return _run(two, engine, rows_query(DUCKDB, bounds, f"'{key.text}'", blobs=blobs))
        query = rows_query(SPARK, bounds, "(SELECT key FROM {finitedp_key})", blobs=blobs)
        return _run(two, engine, query, finitedp_key=two.sparkSession.createDataFrame([(key.text,)], "key string"))


def _run(two: Any, engine: str, query: str, **frames: Any) -> Sequence[Any]:  # noqa: ANN401  # as above
    found = _relation(two, engine, query, **frames)
    return list(found.fetchall() if engine == "duckdb" else found.collect())


def _relation(two: Any, engine: str, query: str, **frames: Any) -> Any:  # noqa: ANN401  # as above
    if engine == "duckdb":
        return two.query(ROWS, query)
    return two.sparkSession.sql(query.replace(ROWS, f"{{{ROWS}}}"), **{ROWS: two}, **frames)


@contextmanager
def _hidden(key: str) -> Iterator[None]:
    """No message of an engine, which may quote its query, has the key in it."""
    try:
        yield
    except Exception as error:
        if key not in str(error):
            raise
        raise DataError(f"{type(error).__name__}: {str(error).replace(key, '...')}") from None


def _with_labels(two: Any, engine: str, query: str, **frames: Any) -> Any:  # noqa: ANN401  # as above
    """Of which more is asked: DuckDB 1.2 takes a view of the same name for the one that is asked."""
    return _relation(two, engine, query, **frames) if engine != "duckdb" else two.query(VALUES, query.replace(ROWS, VALUES))


def _labelled(two: Any, engine: str, labelling: Labelling) -> tuple[Any, bool, Callable[[Any], Any]]:  # noqa: ANN401  # as above
    """The two columns with a label for each text of values; whether it is text; and what makes the label of what comes back.

    Labels are integers of 64 bits where all are, else bytes of their texts.
    """
    as_bytes = (DUCKDB if engine == "duckdb" else SPARK).as_bytes
    if labelling.code is None:
        query = f"SELECT unit, {as_bytes.format('label')} AS label FROM {ROWS}"  # noqa: S608  # a name of ours
        return _with_labels(two, engine, query), True, _decoded
    texts = [text for (text,) in _run(two, engine, f"SELECT DISTINCT label FROM {ROWS} WHERE label IS NOT NULL")]  # noqa: S608  # as above
    codes = {text: labelling.code(values_of(text)) for text in texts}
    known = {text: code for text, code in codes.items() if code is not None}
    small = all(isinstance(code, int) and abs(code) < _LARGEST for code in known.values())
    back = {str(code): code for code in known.values()}
    if engine == "duckdb":
        listed = ", ".join(f"'{text}'" for text in known), ", ".join(_literal(code, small) for code in known.values())
        kind = "BIGINT" if small else "VARCHAR"
        table = f"SELECT unnest([{listed[0]}]::VARCHAR[]) AS text, unnest([{listed[1]}]::{kind}[]) AS code"
        found = _with_labels(two, engine, _joined(table, "found.code" if small else as_bytes.format("found.code")))
    else:
        rows = [(text, code if small else str(code)) for text, code in known.items()]
        table = two.sparkSession.createDataFrame(rows, f"text string, code {'bigint' if small else 'string'}")
        code = "found.code" if small else as_bytes.format("found.code")
        found = _with_labels(two, engine, _joined("SELECT text, code FROM {finitedp_labels}", code), finitedp_labels=table)
    return found, not small, int if small else lambda label: back[_decoded(label)]


def _literal(code: int | str, small: bool) -> str:
    return str(code) if small else f"'{code}'"


def _joined(table: str, code: str) -> str:
    return (
        f"SELECT own.unit AS unit, {code} AS label FROM {ROWS} AS own LEFT JOIN ({table}) AS found ON own.label = found.text"  # noqa: S608  # a name of ours
    )
