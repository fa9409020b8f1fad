"""The choice of a unit's rows as SQL, for DuckDB and Spark: pairs, labels and rows stay in the engine, counts come back."""

from typing import Any

from attrs import frozen

from finitedp.units import Unit

__all__ = ["DUCKDB", "ROWS", "SPARK", "Dialect", "most_query", "nulls_query", "rows_query", "totals_query"]

ROWS = "finitedp_rows"  # two columns, unit and label


@frozen
class Dialect:
    """How an engine writes what differs: a hash of bytes, bytes of a text, a row for each of 1..c, the widest integer."""

    digest: str
    as_bytes: str
    numbers: str
    widest: str


DUCKDB = Dialect("md5_number_lower({})", "encode(CAST({} AS VARCHAR))", "unnest(range(1, c + 1))", "HUGEINT")
SPARK = Dialect("md5({})", "CAST(CAST({} AS STRING) AS BINARY)", "explode(sequence(1, CAST(c AS INT)))", "DECIMAL(38, 0)")
FITS = 10**37  # what fits into the widest integers of both


def nulls_query() -> str:
    """How many rows there are, have no unit, and have no label."""
    return f"SELECT count(*), count(*) - count(unit), count(*) - count(label) FROM {ROWS}"  # noqa: S608  # a name of ours


def most_query() -> str:
    """The most labels of a unit, rows of one label of it, and rows of it: nulls where there are no units."""
    each = f"SELECT unit, count(*) AS labels, max(c) AS most, sum(c) AS number FROM ({_pairs()}) AS pairs GROUP BY unit"  # noqa: S608  # as above
    return f"SELECT max(labels), max(most), max(number) FROM ({each}) AS units"  # noqa: S608  # as above


def totals_query(dialect: Dialect, low: int, high: int) -> str:
    """The sums of the labels of each unit, clipped, and how many units have each. Rows without a label are left out."""
    each = (
        f"SELECT unit, sum(CAST(label AS {dialect.widest})) AS found FROM {ROWS} "  # noqa: S608  # as above
        "WHERE unit IS NOT NULL AND label IS NOT NULL GROUP BY unit"
    )
    clipped = "found" if max(abs(low), abs(high)) > FITS else f"least(greatest(found, {low}), {high})"
    return f"SELECT label, count(*) AS c FROM (SELECT {clipped} AS label FROM ({each}) AS units) AS sums GROUP BY label"  # noqa: S608  # as above


def rows_query(dialect: Dialect, bounds: Unit, key: str, order: str = "", *, blobs: tuple[bool, bool]) -> str:
    """The labels and how many rows of each count: as choosing.chosen, with the engine's hash.

    Parameters: key, an expression; order, one of the labels in place of the hash; blobs, whether unit and label are bytes,
    else they are numbers. Rows without a unit or a label are left out.
    """
    found = _pairs()
    if bounds.max_labels is not None:
        found = _first(found, "unit, label, c", order or _rank(dialect, key, "0", blobs), bounds.max_labels)
    if bounds.max_rows_per_label is not None:
        found = f"SELECT unit, label, least(c, {bounds.max_rows_per_label}) AS c FROM ({found}) AS pairs"  # noqa: S608  # as above
    if bounds.max_rows is not None and bounds.max_rows < _at_most(bounds):
        each = f"SELECT unit, label, {dialect.numbers} AS i FROM ({found}) AS pairs"  # noqa: S608  # as above
        found = _first(each, "unit, label, 1 AS c", _rank(dialect, key, "i", blobs), bounds.max_rows)
    return f"SELECT label, CAST(sum(c) AS BIGINT) AS c FROM ({found}) AS kept GROUP BY label"  # noqa: S608  # as above


def _at_most(bounds: Unit) -> Any:  # noqa: ANN401  # an integer, or infinity
    """The rows of a unit that both other bounds allow."""
    if bounds.max_labels is None or bounds.max_rows_per_label is None:
        return float("inf")
    return bounds.max_labels * bounds.max_rows_per_label


def _pairs() -> str:
    where = "unit IS NOT NULL AND label IS NOT NULL"
    return f"SELECT unit, label, count(*) AS c FROM {ROWS} WHERE {where} GROUP BY unit, label"  # noqa: S608  # as above


def _first(query: str, columns: str, rank: str, most: int) -> str:
    """The first so many of each unit, by rank, then by label."""
    numbered = f"SELECT *, row_number() OVER (PARTITION BY unit ORDER BY {rank}, label) AS place FROM ({query}) AS each_one"  # noqa: S608  # as above
    return f"SELECT {columns} FROM ({numbered}) AS numbered WHERE place <= {most}"  # noqa: S608  # as above


def _rank(dialect: Dialect, key: str, i: str, blobs: tuple[bool, bool]) -> str:
    """The hash of choosing.Key.message."""
    unit, label = (
        name if blob else dialect.as_bytes.format(name) for name, blob in zip(("unit", "label"), blobs, strict=True)
    )
    head = dialect.as_bytes.format(f"concat({key}, {i}, ':', octet_length({unit}), ':')")
    return dialect.digest.format(f"{head} || {unit} || {label}")
