"""Counts by label of the rows that count, of every unit of a frame's column: see finitedp.data.units.choosing.

DuckDB and Spark choose in the engine: only counts come back. Dask brings the rows of each unit to one worker, which chooses.
pandas, polars and pyarrow group to one row for each unit and label, of which this process chooses.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from datetime import date
from functools import partial
from typing import TYPE_CHECKING, Any

from attrs import frozen

from finitedp.data.columns import Label
from finitedp.data.engines import columns_of, data_errors, engine_of, optional, type_of, unwrapped
from finitedp.data.exact_labels import EXACT
from finitedp.data.frames import LabelCounts, Options, check_type, position_in
from finitedp.data.shapes.grouping import grouped_by_several
from finitedp.data.units.checks import check_integers, check_nulls, check_promise, of_labels, sorted_labels
from finitedp.data.units.columns import of_dask
from finitedp.data.units.labelling import Labelling, kind_of, text_of, values_of
from finitedp.errors import DataError, ParameterError
from finitedp.units import Unit

if TYPE_CHECKING:
    from finitedp.data.units.choosing import Key, Pairs

__all__ = [
    "By",
    "Rows",
    "RowsOfUnits",
    "check_columns",
    "counted_by_unit",
    "counts_at",
    "counts_by_unit",
    "of_rows",
    "unit_of",
]

By = Any  # a Key, an End or Clipped, of finitedp.data.units.choosing, which needs numpy
Rows = Iterable[tuple[Any, tuple[Any, ...], int]]
"""A unit, values of columns, None for what is missing, and how many rows have them: each once."""


@frozen
class RowsOfUnits:
    """What says whose its rows are, and is no frame, such as a file: how it counts."""

    counted: Callable[[Labelling, Unit, By | None], LabelCounts]


def counts_by_unit(
    frame: Any,  # noqa: ANN401  # any engine's frame
    column: str | Labelling,
    unit: Unit,
    *,
    drop_nulls: bool = False,
    null_label: Label | None = None,
    by: By | None = None,
) -> LabelCounts:
    """The true counts of labels, of the rows that count of each unit (not private).

    Source: FD.Unit.bounding, FD.Unit.extreme, FD.Unit.total, FD.Unit.labels.
    Parameters: frame, as of frames.counts_of; column, of labels, or what makes them; unit, whose column is another one;
    drop_nulls and null_label, for rows without a label, before any are chosen; by, which rows of a unit come first: a fresh
    key by default; or the sum of each unit's labels in place of them.
    Raises: as frames.counts_of, also for rows without a unit, and with unit.bounded for a unit of more rows than it says.
    """
    native, labelling = unwrapped(frame), Labelling((column,)) if isinstance(column, str) else column
    engine = engine_of(native)
    check_columns(labelling.columns, unit)
    with data_errors(engine):
        columns = columns_of(native, engine)
        places = [position_in(columns, name) for name in (unit.column, *labelling.columns)]
    return counts_at(native, places, labelling, unit, Options(None, drop_nulls, null_label, False), by)[0]


def counts_at(
    native: Any,  # noqa: ANN401  # an engine's own frame
    places: list[int],
    labelling: Labelling,
    unit: Unit,
    options: Options,
    by: By | None = None,
) -> tuple[LabelCounts, int | None]:
    """`counts_by_unit` of the columns at some places, the unit's first; and of DuckDB and Spark the number of all rows."""
    engine, names = engine_of(native), [unit.column, *labelling.columns]
    for package in ("narwhals", "numpy"):
        optional(package)
    with data_errors(engine):
        kinds = [type_of(native, engine, place) for place in places]
    for kind, name in zip(kinds, names, strict=True):
        check_type(kind, engine, name)
    if kinds[0] in EXACT:
        raise DataError(f"column {unit.column!r} is of type {kinds[0]}; accepted for a unit: strings or integers")
    secret = _fresh() if by is None else by
    if engine in ("duckdb", "pyspark"):
        from finitedp.data.units.relations import relation_counts  # noqa: PLC0415  # numpy may be missing

        counts, read = relation_counts(native, engine, places, kinds, labelling, unit, options, secret)
        return _of_values(counts, labelling, kinds), read
    if engine == "dask":
        made = _made(labelling, kinds)
        with data_errors(engine):
            counts = _of_dask(of_dask(native, places, kinds), kinds, made, unit, options, secret)
            return _of_values(counts, labelling, kinds), None
    found = grouped_by_several(native, names)
    for i, kind in enumerate(kinds):
        if kind == "Object":  # of pandas, which may hold dates or booleans
            held = {type(values[i]) for values in found.labels if values[i] is not None}
            kinds[i] = "Date" if held == {date} else "Boolean" if held == {bool} else kind
    made = _made(labelling, kinds)
    rows = ((values[0], values[1:], count) for values, count in zip(found.labels, found.counts, strict=True))
    return _of_values(of_rows(rows, made, unit, options, secret), labelling, kinds), None


def _made(labelling: Labelling, kinds: list[str]) -> Labelling:
    """With texts of values for labels, where the values themselves are none."""
    return labelling if labelling.plain(kinds[1:]) else Labelling(labelling.columns, labelling.code or text_of)


def _of_values(found: LabelCounts, labelling: Labelling, kinds: list[str]) -> LabelCounts:
    """Where texts of values were labels, the values are: of several columns, tuples."""
    if labelling.code is not None or labelling.plain(kinds[1:]):
        return found
    values: list[Any] = [values_of(str(text)) for text in found.labels]
    return LabelCounts(
        [value[0] for value in values] if len(kinds) == 2 else values, found.counts, found.rows
    )  # a unit and one column


def check_columns(columns: tuple[str, ...], unit: Unit) -> None:
    """Refuse one column for both. Raises: ParameterError."""
    if unit.column in columns:
        raise ParameterError(f"column and unit are both {unit.column!r}; accepted: two columns")


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
    column: str | Labelling | None,
    unit: Unit,
    drop_nulls: bool,
    null_label: Label | None,
    by: By | None = None,
) -> LabelCounts:
    """`counts_by_unit` of what finitedp.release is given. Raises: ParameterError for what is no frame, and as there."""
    if isinstance(data, RowsOfUnits) and column is not None:
        return data.counted(Labelling((column,)) if isinstance(column, str) else column, unit, by)
    if not hasattr(data, "columns") and not hasattr(data, "to_native"):
        raise ParameterError(
            f"data is a {type(data).__name__}, which does not say whose a row is; accepted with unit: a data frame with the "
            f"columns {unit.column!r} and the one to count"
        )
    if column is None:
        raise ParameterError("column is missing; accepted: the name of the frame's column to count")
    return counts_by_unit(data, column, unit, drop_nulls=drop_nulls, null_label=null_label, by=by)


def _fresh() -> "Key":
    from finitedp.data.units.choosing import Key  # noqa: PLC0415  # numpy may be missing

    return Key()


# In this process


def of_rows(rows: Rows, labelling: Labelling, unit: Unit, options: Options, by: By | None = None) -> LabelCounts:
    """The counts of the rows that count. Raises: DataError as `counts_by_unit`."""
    from finitedp.data.units.choosing import Clipped  # noqa: PLC0415  # as above

    found = _by_pair(rows, labelling, unit, options)
    if isinstance(by, Clipped):
        check_integers(labelling.what, {type(label) for _, label in found})
        sums = dict[Any, int]()
        for (whose, label), count in found.items():
            sums[whose] = sums.get(whose, 0) + label * count
        return of_labels(Counter(map(by, sums.values())).items())
    labels, pairs = _pairs(found, labelling.what, unit)
    counts = _chosen_of(pairs, unit, _fresh() if by is None else by)
    return of_labels(zip(labels, counts.tolist(), strict=True))


def _chosen_of(pairs: "Pairs", unit: Unit, by: By) -> Any:  # noqa: ANN401  # an array
    from finitedp.data.units.choosing import chosen  # noqa: PLC0415  # as above

    if not unit.bounded:
        return chosen(pairs, unit, by)
    numpy = optional("numpy")
    labels, rows = numpy.bincount(pairs.unit), numpy.zeros(len(pairs.units), numpy.int64)
    numpy.add.at(rows, pairs.unit, pairs.count)
    check_promise(unit, *(int(found.max()) if found.size else 0 for found in (labels, pairs.count, rows)))
    counts = numpy.zeros(len(pairs.labels), numpy.int64)
    numpy.add.at(counts, pairs.label, pairs.count)
    return counts


def _by_pair(rows: Rows, labelling: Labelling, unit: Unit, options: Options) -> dict[tuple[Any, Any], int]:
    """How many rows have each unit and label. Raises: DataError for nulls, and for values of several types."""
    found, types = dict[tuple[Any, Any], int](), [set[type]() for _ in labelling.columns]
    codes, null = dict[tuple[Any, ...], Any](), options.null_label
    nulls, missing, every = 0, 0, 0
    for whose, values, count in rows:
        every += count
        nulls += count if whose is None else 0
        if None in values:
            missing += count
            if null is None:
                continue
            values = tuple(null if value is None else value for value in values)  # noqa: PLW2901
        held = tuple(zip(map(type, values), values, strict=True))  # True is not 1 here
        if held not in codes:
            for known, value in zip(types, values, strict=True):
                known.add(type(value))
            codes[held] = values[0] if labelling.code is None else labelling.code(values)
        label = codes[held]
        if label is not None:
            found[whose, label] = found.get((whose, label), 0) + count
    check_nulls(labelling.what, unit, options, every, nulls, missing)
    for name, known in zip(labelling.columns, types, strict=True):
        if len(known) > 1:
            raise DataError(
                f"column {name!r} holds values of the types {', '.join(sorted(kind.__name__ for kind in known))}; accepted: "
                "one type in all rows"
            )
    return found


def _pairs(found: dict[tuple[Any, Any], int], column: str, unit: Unit) -> tuple[list[Any], "Pairs"]:
    """The labels, in order, and the pairs."""
    from finitedp.data.units.choosing import Pairs  # noqa: PLC0415  # as above

    units, labels = sorted_labels((one for one, _ in found), unit.column), sorted_labels((one for _, one in found), column)
    numpy = optional("numpy")
    at_unit, at_label = ({one: i for i, one in enumerate(listed)} for listed in (units, labels))
    places = numpy.fromiter((at_unit[one] for one, _ in found), numpy.int64, len(found))
    others = numpy.fromiter((at_label[one] for _, one in found), numpy.int64, len(found))
    counts = numpy.fromiter(found.values(), numpy.int64, len(found))
    return labels, Pairs(list(map(_text, units)), list(map(_text, labels)), places, others, counts)


def _text(value: str | int) -> bytes:
    return value.encode("utf-8", "surrogatepass") if isinstance(value, str) else b"%d" % value


# In Dask


def _of_dask(
    frame: Any,  # noqa: ANN401  # columns.of_dask
    kinds: list[str],
    labelling: Labelling,
    unit: Unit,
    options: Options,
    by: By,
) -> LabelCounts:
    """Each partition groups its rows; those of one unit then come together on one worker, which chooses among them."""
    pandas, dask, names = optional("pandas"), optional("dask"), [f"l{i}" for i in range(len(kinds) - 1)]
    nulls = frame["unit"].isna().sum(), frame[names].isna().any(axis=1).sum() if names else 0
    check_nulls(labelling.what, unit, options, *map(int, dask.compute(frame.shape[0], *nulls)))
    grouped = frame.map_partitions(_sizes, meta=frame._meta.assign(c=pandas.Series(dtype="int64")))
    together = grouped.shuffle(on="unit")
    meta = pandas.DataFrame({"label": pandas.Series(dtype=object), "c": pandas.Series(dtype="int64")})
    work = partial(_of_partition, kinds=kinds, labelling=labelling, unit=unit, options=options, by=by)
    found = together.map_partitions(work, meta=meta, enforce_metadata=False).compute()
    counts: Counter[Any] = Counter()
    for label, count in zip(found["label"].tolist(), found["c"].tolist(), strict=True):
        counts[label] += count
    labels = sorted_labels(counts, labelling.what)
    return of_labels(zip(labels, map(counts.__getitem__, labels), strict=True))


def _sizes(part: Any) -> Any:  # noqa: ANN401  # a frame of pandas
    return part.groupby(list(part.columns), dropna=False, observed=True).size().rename("c").reset_index()


def _of_partition(
    part: Any,  # noqa: ANN401  # a frame of pandas
    kinds: list[str],
    labelling: Labelling,
    unit: Unit,
    options: Options,
    by: By,
) -> Any:  # noqa: ANN401  # as above
    """The labels and counts of all units of one partition."""
    pandas = optional("pandas")
    columns = [_values(part[name], kind) for name, kind in zip(part.columns[:-1], kinds, strict=True)]
    rows = zip(
        columns[0], zip(*columns[1:], strict=True) if columns[1:] else [()] * len(part), part["c"].tolist(), strict=True
    )
    found = of_rows(rows, labelling, unit, options, by)
    return pandas.DataFrame({"label": pandas.Series(list(found.labels), dtype=object), "c": found.counts})


def _values(series: Any, kind: str) -> list[Any]:  # noqa: ANN401  # a series of pandas
    """Its values as Python's, None for a null."""
    make: Any = {int: int, bool: bool, str: str}.get(kind_of(kind), lambda value: value)
    nulls = series.isna().tolist()
    return [None if null else make(value) for value, null in zip(series.tolist(), nulls, strict=True)]
