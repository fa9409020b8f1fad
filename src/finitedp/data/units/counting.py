"""Counts by label of the rows that count, of every unit of a frame's column: see finitedp.data.units.choosing.

DuckDB and Spark choose in the engine: only counts come back. Dask brings the rows of each unit to one worker, which chooses.
pandas, polars and pyarrow group to one row for each unit and label, of which this process chooses.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

from finitedp.data.columns import Label
from finitedp.data.engines import columns_of, data_errors, engine_of, optional, type_of, unwrapped
from finitedp.data.exact_labels import EXACT, INTEGERS
from finitedp.data.frames import LabelCounts, Options, check_type, position_in
from finitedp.data.units.columns import both, grouped_pairs, is_text
from finitedp.data.units.queries import DUCKDB, ROWS, SPARK, most_query, nulls_query, rows_query
from finitedp.errors import DataError, ParameterError
from finitedp.units import Unit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from finitedp.data.units.choosing import Key, Pairs

__all__ = [
    "Triples",
    "check_columns",
    "counted_by_unit",
    "counts_by_unit",
    "duckdb_counts_by_unit",
    "of_triples",
    "unit_of",
]

Triples = Iterable[tuple[Any, Any, int]]
"""A unit, a label, None for what is missing, and how many rows have both: each pair once."""


def counts_by_unit(
    frame: Any,  # noqa: ANN401  # any engine's frame
    column: str,
    unit: Unit,
    *,
    drop_nulls: bool = False,
    null_label: Label | None = None,
    key: "Key | None" = None,
) -> LabelCounts:
    """The true counts of a column's labels, of the rows that count of each unit (not private).

    Source: FD.Unit.bounding. Parameters: frame, as of frames.counts_of; column, of labels; unit, whose column is another one;
    drop_nulls and null_label, for rows without a label, before any are chosen; key, a fresh one by default.
    Raises: as frames.counts_of, also for rows without a unit, and with unit.bounded for a unit of more rows than it says.
    """
    options = Options(None, drop_nulls, null_label, False)
    native = unwrapped(frame)
    engine = engine_of(native)
    for package in ("narwhals", "numpy"):
        optional(package)
    check_columns(column, unit)
    with data_errors(engine):
        columns = columns_of(native, engine)
        places = position_in(columns, unit.column), position_in(columns, column)
        two, kinds = _two(native, engine, places, column, unit)
    secret = _fresh() if key is None else key
    if engine in ("duckdb", "pyspark"):
        return _relation_counts(two, engine, kinds, column, unit, options, secret)[0]
    with data_errors(engine):
        if engine == "dask":
            return _of_dask(two, kinds, column, unit, options, secret)
        triples = grouped_pairs(two, engine, kinds)
    return of_triples(triples, column, unit, options, secret)


def check_columns(column: str | None, unit: Unit) -> None:
    """Refuse one column for both. Raises: ParameterError."""
    if column == unit.column:
        raise ParameterError(f"column and unit are both {column!r}; accepted: two columns")


def _two(
    frame: Any,  # noqa: ANN401  # the engine's own
    engine: str,
    places: tuple[int, int],
    column: str,
    unit: Unit,
) -> tuple[Any, tuple[str, str]]:
    """The columns of units and of labels, and their types. Raises: DataError for other types than text and integers."""
    kinds = type_of(frame, engine, places[0]), type_of(frame, engine, places[1])
    for kind, name in zip(kinds, (unit.column, column), strict=True):
        check_type(kind, engine, name)
        if kind in EXACT:
            raise DataError(f"column {name!r} is of type {kind}; accepted with unit: strings or integers")
    return both(frame, engine, places, kinds), kinds


def duckdb_counts_by_unit(relation: Any, column: str, unit: Unit, options: Options) -> tuple[LabelCounts, int]:  # noqa: ANN401
    """`_relation_counts` of a relation of DuckDB whose first column is of labels and its second of units."""
    check_columns(column, unit)
    with data_errors("duckdb"):
        two, kinds = _two(relation, "duckdb", (1, 0), column, unit)
    return _relation_counts(two, "duckdb", kinds, column, unit, options)


def unit_of(
    column: str | None,
    max_labels: int | None,
    max_rows_per_label: int | None,
    max_rows: int | None,
    bounded: bool,
) -> Unit | None:
    """The unit of these options, None where nothing is said of one. Raises: ParameterError for bounds without a column."""
    if column is not None:
        return Unit(column, max_labels, max_rows_per_label, max_rows, bounded)
    if bounded or (max_labels, max_rows_per_label, max_rows) != (None, None, None):
        raise ParameterError(
            "max_labels, max_rows_per_label, max_rows and bounded are about the rows of a unit; accepted: with unit, the name "
            "of the column that says whose a row is"
        )
    return None


def counted_by_unit(
    data: Any,  # noqa: ANN401  # whatever was given
    column: str | None,
    unit: Unit,
    drop_nulls: bool,
    null_label: Label | None,
) -> LabelCounts:
    """`counts_by_unit` of what finitedp.release is given. Raises: ParameterError for what is no frame, and as there."""
    if not hasattr(data, "columns") and not hasattr(data, "to_native"):
        raise ParameterError(
            f"data is a {type(data).__name__}, which does not say whose a row is; accepted with unit: a data frame with the "
            f"columns {unit.column!r} and the one to count"
        )
    if column is None:
        raise ParameterError("column is missing; accepted: the name of the frame's column to count")
    if null_label is not None and (isinstance(null_label, bool) or not isinstance(null_label, str | int)):
        raise ParameterError(f"null_label = {null_label!r} is no label of a unit's rows; accepted: str or int")
    return counts_by_unit(data, column, unit, drop_nulls=drop_nulls, null_label=null_label)


def _fresh() -> "Key":
    from finitedp.data.units.choosing import Key  # noqa: PLC0415  # numpy may be missing

    return Key()


# In this process


def of_triples(triples: Triples, column: str, unit: Unit, options: Options, key: "Key | None" = None) -> LabelCounts:
    """The counts of the rows that count. Raises: DataError as `counts_by_unit`."""
    labels, pairs = _pairs(triples, column, unit, options)
    counts = _chosen_of(pairs, unit, _fresh() if key is None else key)
    return _of_labels(zip(labels, counts.tolist(), strict=True))


def _chosen_of(pairs: "Pairs", unit: Unit, key: "Key") -> Any:  # noqa: ANN401  # an array
    from finitedp.data.units.choosing import chosen  # noqa: PLC0415  # as above

    if not unit.bounded:
        return chosen(pairs, unit, key)
    numpy = optional("numpy")
    labels, rows = numpy.bincount(pairs.unit), numpy.zeros(len(pairs.units), numpy.int64)
    numpy.add.at(rows, pairs.unit, pairs.count)
    _check_promise(unit, *(int(found.max()) if found.size else 0 for found in (labels, pairs.count, rows)))
    counts = numpy.zeros(len(pairs.labels), numpy.int64)
    numpy.add.at(counts, pairs.label, pairs.count)
    return counts


def _check_promise(unit: Unit, labels: int, most: int, rows: int) -> None:
    """Whether no unit has more than was promised. Raises: DataError."""
    found = {"max_labels": labels, "max_rows_per_label": most, "max_rows": rows}
    what = {"max_labels": "labels", "max_rows_per_label": "rows of one label", "max_rows": "rows"}
    for name, number in found.items():
        bound = getattr(unit, name)
        if bound is not None and number > bound:
            raise DataError(
                f"a unit of column {unit.column!r} has {number} {what[name]}, more than {name} = {bound}, which bounded = "
                "True promises; accepted: data that keeps it, or bounded = False"
            )


def _pairs(triples: Triples, column: str, unit: Unit, options: Options) -> tuple[list[Any], "Pairs"]:
    """The labels, in order, and the pairs. Raises: DataError for nulls and for values of several types."""
    from finitedp.data.units.choosing import Pairs  # noqa: PLC0415  # as above

    found = dict[tuple[Any, Any], int]()
    nulls, missing, rows = 0, 0, 0
    for whose, label, count in triples:
        rows += count
        nulls += count if whose is None else 0
        missing += count if label is None else 0
        if label is None and options.null_label is None:
            continue
        pair = whose, options.null_label if label is None else label
        found[pair] = found.get(pair, 0) + count
    _check_nulls(column, unit, options, rows, nulls, missing)
    units, labels = _sorted((one for one, _ in found), unit.column), _sorted((one for _, one in found), column)
    numpy = optional("numpy")
    at_unit, at_label = ({one: i for i, one in enumerate(listed)} for listed in (units, labels))
    places = numpy.fromiter((at_unit[one] for one, _ in found), numpy.int64, len(found))
    others = numpy.fromiter((at_label[one] for _, one in found), numpy.int64, len(found))
    counts = numpy.fromiter(found.values(), numpy.int64, len(found))
    return labels, Pairs(list(map(_text, units)), list(map(_text, labels)), places, others, counts)


def _text(value: str | int) -> bytes:
    return value.encode("utf-8", "surrogatepass") if isinstance(value, str) else b"%d" % value


def _sorted(values: Iterable[Any], column: str) -> list[Any]:
    """The distinct values, in order, if all are str or all int. Raises: DataError."""
    distinct = set(values)
    types = set(map(type, distinct))
    if not (types <= {str} or types <= {int}):
        held = ", ".join(sorted(kind.__name__ for kind in types))
        raise DataError(f"column {column!r} holds values of type {held}; accepted: str in all rows, or int in all rows")
    return sorted(distinct)


def _check_nulls(column: str, unit: Unit, options: Options, rows: int, nulls: int, missing: int) -> None:
    """Refuse rows without a unit, and such without a label where nothing says what they are. Raises: DataError."""
    if nulls:
        raise DataError(
            f"column {unit.column!r} holds {nulls} nulls in {rows} rows, and nothing says whose these are; accepted: a unit "
            "in every row"
        )
    if missing and not options.drop_nulls and options.null_label is None:
        raise DataError(
            f"column {column!r} holds {missing} nulls in {rows} rows; accepted: none, or drop_nulls (they count for no label) "
            "or null_label (they get one)"
        )


def _of_labels(pairs: Iterable[tuple[Any, int]]) -> LabelCounts:
    """Those of some rows, in order; the number of rows that count is their sum."""
    numpy = optional("numpy")
    found = sorted((label, count) for label, count in pairs if count)
    counts = numpy.array([count for _, count in found], dtype=numpy.int64)
    return LabelCounts([label for label, _ in found], counts, int(counts.sum()))


# In DuckDB and Spark


def _relation_counts(
    two: Any,  # noqa: ANN401  # the engine's own frame
    engine: str,
    kinds: tuple[str, str],
    column: str,
    unit: Unit,
    options: Options,
    key: "Key | None" = None,
) -> tuple[LabelCounts, int]:
    """`counts_by_unit` of a relation of DuckDB or Spark of the two columns `columns.both`, and the number of all rows."""
    blobs = is_text(kinds[0]), is_text(kinds[1])
    two = _with_null_label(two, engine, column, options.null_label, text=blobs[1])
    secret = _fresh() if key is None else key
    with data_errors(engine), _hidden(secret.text):
        rows, nulls, missing = map(int, _run(two, engine, nulls_query())[0])
        _check_nulls(column, unit, options, rows, nulls, missing)
        if unit.bounded:
            _check_promise(unit, *(int(found or 0) for found in _run(two, engine, most_query())[0]))
        bounds = Unit(unit.column, max_rows=1) if rows == 0 else unit
        if engine == "duckdb":
            found = _run(two, engine, rows_query(DUCKDB, bounds, f"'{secret.text}'", blobs=blobs))
        else:
            query = rows_query(SPARK, bounds, "(SELECT key FROM {finitedp_key})", blobs=blobs)
            found = _run(two, engine, query, finitedp_key=two.sparkSession.createDataFrame([(secret.text,)], "key string"))
    return _of_labels((bytes(label).decode() if blobs[1] else int(label), int(count)) for label, count in found), rows


def _run(two: Any, engine: str, query: str, **frames: Any) -> Sequence[Any]:  # noqa: ANN401  # as above
    if engine == "duckdb":
        return list(two.query(ROWS, query).fetchall())
    named = query.replace(ROWS, f"{{{ROWS}}}")
    return list(two.sparkSession.sql(named, **{ROWS: two}, **frames).collect())


@contextmanager
def _hidden(key: str) -> "Iterator[None]":
    """No message of an engine, which may quote its query, has the key in it."""
    try:
        yield
    except Exception as error:
        if key not in str(error):
            raise
        raise DataError(f"{type(error).__name__}: {str(error).replace(key, '...')}") from None


def _with_null_label(two: Any, engine: str, column: str, label: Label | None, *, text: bool) -> Any:  # noqa: ANN401
    """The two columns, with a label for the nulls. Raises: DataError for one of another type than the others."""
    if label is None:
        return two
    if not isinstance(label, str | int) or isinstance(label, bool) or isinstance(label, str) != text:
        raise DataError(f"column {column!r} holds {'text' if text else 'integers'}; accepted: a null_label of that type")
    literal = str(label) if isinstance(label, int) else f"unhex('{label.encode().hex()}')"
    columns = ("unit", f"coalesce(label, {literal}) AS label")
    return two.project(", ".join(columns)) if engine == "duckdb" else two.selectExpr(*columns)


# In Dask


def _of_dask(two: Any, kinds: tuple[str, str], column: str, unit: Unit, options: Options, key: "Key") -> LabelCounts:  # noqa: ANN401
    """Each partition groups its rows; those of one unit then come together on one worker, which chooses among them."""
    pandas, dask = optional("pandas"), optional("dask")
    rows, nulls, missing = map(int, dask.compute(two.shape[0], two["unit"].isna().sum(), two["label"].isna().sum()))
    _check_nulls(column, unit, options, rows, nulls, missing)
    grouped = two.map_partitions(_sizes, meta=two._meta.assign(c=pandas.Series(dtype="int64")))
    together = grouped.shuffle(on="unit")
    meta = pandas.DataFrame({"label": pandas.Series(dtype=object), "c": pandas.Series(dtype="int64")})
    work = partial(_of_partition, kinds=kinds, column=column, unit=unit, options=options, key=key)
    found = together.map_partitions(work, meta=meta, enforce_metadata=False).compute()
    counts: Counter[Any] = Counter()
    for label, count in zip(found["label"].tolist(), found["c"].tolist(), strict=True):
        counts[label] += count
    labels = _sorted(counts, column)
    return _of_labels(zip(labels, map(counts.__getitem__, labels), strict=True))


def _sizes(part: Any) -> Any:  # noqa: ANN401  # a frame of pandas
    return part.groupby(["unit", "label"], dropna=False, observed=True).size().rename("c").reset_index()


def _of_partition(
    part: Any,  # noqa: ANN401  # a frame of pandas
    kinds: tuple[str, str],
    column: str,
    unit: Unit,
    options: Options,
    key: "Key",
) -> Any:  # noqa: ANN401  # as above
    """The labels and counts of all units of one partition."""
    pandas = optional("pandas")
    columns = (_values(part[name], kind) for name, kind in zip(("unit", "label"), kinds, strict=True))
    found = of_triples(zip(*columns, part["c"].tolist(), strict=True), column, unit, options, key)
    return pandas.DataFrame({"label": pandas.Series(list(found.labels), dtype=object), "c": found.counts})


def _values(series: Any, kind: str) -> Iterable[Any]:  # noqa: ANN401  # a series of pandas
    """Its values as Python's, None for a null."""
    make = int if kind.startswith(INTEGERS) else str
    nulls = series.isna().tolist()
    return (None if null else make(value) for value, null in zip(series.tolist(), nulls, strict=True))
