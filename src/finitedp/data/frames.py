"""True counts of a column of any engine's data frame: the engine groups, and only labels and counts come back.

Counting is the part of a release that is not private and not in constant time: the engine's group-by depends on the data.
"""

from collections import Counter
from collections.abc import Sequence
from itertools import compress, islice, repeat
from operator import lt, not_
from typing import TYPE_CHECKING, Any

from attrs import frozen

from finitedp.data.columns import LABEL_TYPES, Counts, Label, Universe, checked_labels
from finitedp.data.engines import (
    Grouped,
    columns_of,
    data_errors,
    engine_of,
    grouped,
    grouped_twice,
    optional,
    type_of,
    unwrapped,
)
from finitedp.data.exact_labels import EXACT, INTEGERS, TEXT
from finitedp.errors import DataError, ParameterError
from finitedp.exact import integer

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = [
    "LabelCounts",
    "Options",
    "check_type",
    "counts_at",
    "counts_of",
    "position_in",
    "prevalences_at",
    "prevalences_of",
]

_NESTED = ("List", "Array", "Struct", "Object", "Unknown", "Binary")
_LISTED = 20  # columns in a message
_CASTS = {
    "pandas": ('frame[{0!r}].astype("Int64")', 'frame[{0!r}].astype("string")'),
    "dask": ('frame[{0!r}].astype("Int64")', 'frame[{0!r}].astype("string")'),
    "polars": ("pl.col({0!r}).cast(pl.Int64)", "pl.col({0!r}).cast(pl.String)"),
    "pyarrow": ('frame[{0!r}].cast("int64")', 'frame[{0!r}].cast("string")'),
    "duckdb": ('CAST("{0}" AS BIGINT)', 'CAST("{0}" AS VARCHAR)'),
    "pyspark": ('F.col({0!r}).cast("bigint")', 'F.col({0!r}).cast("string")'),
}  # to integers, to strings
_TO_DATES = {
    "pandas": "frame[{0!r}].dt.date",
    "dask": "frame[{0!r}].dt.date",
    "polars": "pl.col({0!r}).dt.date()",
    "pyarrow": 'frame[{0!r}].cast("date32")',
    "duckdb": 'CAST("{0}" AS DATE)',
    "pyspark": 'F.col({0!r}).cast("date")',
}


@frozen(eq=False)
class LabelCounts:
    """The labels that occur in a column and their true counts (not private).

    labels: all strings, sorted by their code points, or all integers, increasing (if `ordered`, see `counts_of`); counts: an
    int64 array of the same length, all above 0; rows: the number of rows of the frame, nulls among them; mapping: these
    counts by label, and such of 0, where they came as a mapping.
    """

    labels: Sequence[Label]
    counts: "NDArray[np.int64]"
    rows: int
    mapping: dict[Label, int] | None = None

    @classmethod
    def of(cls, found: Counts) -> "LabelCounts":
        """Counts that were read from a file. Raises: ParameterError where numpy is missing."""
        numpy = optional("numpy")
        return cls(list(found.counts), numpy.array(list(found.counts.values()), dtype=numpy.int64), found.rows)

    def as_dict(self) -> dict[Label, int]:
        """Label to count, in the order of the labels."""
        return dict(zip(self.labels, self.counts.tolist(), strict=True))

    def within(self, universe: Universe, column: str = "label") -> Counts:
        """The counts as `release_counts` takes them, if each label is in the universe (see columns.parse_universe).

        Raises: DataError for the first label that is outside of it, or of another type than its labels.
        """
        checked_labels(self.labels, self.counts, universe, column)
        return Counts(self.as_dict(), self.rows)

    def dense(self, labels: Sequence[Label], column: str = "label") -> "NDArray[np.int64]":
        """A count for each of the labels given, in their order: 0 for one that does not occur.

        Parameters: labels, a range or distinct labels. Raises: DataError for a label that occurs and is not among them.
        """
        numpy = optional("numpy")
        every: NDArray[np.int64]
        if labels is self.labels:
            every = numpy.array(self.counts, dtype=numpy.int64)
            return every
        if isinstance(labels, range):
            checked_labels(self.labels, self.counts, labels, column)
            found: Any = self.labels  # integers
            places = numpy.fromiter(map(labels.index, found), numpy.int64, len(found))
            every, taken = numpy.zeros(len(labels), numpy.int64), numpy.zeros(len(labels), bool)
            every[places], taken[places] = self.counts, True
            twice = numpy.count_nonzero(taken) < len(places)
        else:
            left = self.as_dict() if self.mapping is None else dict(self.mapping)
            twice = len(left) < len(self.labels)
            every = numpy.fromiter(map(left.pop, labels, repeat(0)), numpy.int64, len(labels))  # no count is used twice
            left = {label: count for label, count in left.items() if count}
            if left:
                checked_labels(left.keys(), left.values(), labels, column)
                twice = True
        if twice:
            raise DataError("two labels have one place; accepted: distinct labels of the universe")
        return every


@frozen
class Options:
    """What a column may hold, as the parameters of `counts_of` say. Raises: ParameterError."""

    n: int | None = None
    drop_nulls: bool = False
    null_label: Label | None = None
    ordered: bool = True

    def __attrs_post_init__(self) -> None:
        if self.n is not None:
            integer(self.n, "n", at_least=1)
        null = self.null_label
        if null is not None and type(null) not in LABEL_TYPES:
            raise ParameterError(f"null_label = {null!r} is of type {type(null).__name__}; accepted: str, int or date")
        if self.drop_nulls and null is not None:
            raise ParameterError("drop_nulls and null_label contradict each other; accepted: one of them")


def counts_of(
    frame: Any,  # noqa: ANN401  # any engine's frame
    column: str,
    *,
    n: int | None = None,
    drop_nulls: bool = False,
    null_label: Label | None = None,
    ordered: bool = True,
) -> LabelCounts:
    """The true counts of a column's labels, by one pass of the engine that holds the frame.

    Parameters: frame, a pandas, polars (also lazy), pyarrow, DuckDB, PySpark or Dask frame, or narwhals' wrapping of one;
    column, its name; n, a public upper bound of the number of rows; drop_nulls, whether rows without a value count for no
    label (they remain rows: their number is not public); null_label, a label for them instead; ordered, whether labels are
    sorted: without it they come in the engine's order, which may tell of the order of the rows, and what is released has to be
    sorted afterwards.
    Raises: ParameterError for an unknown engine, a package that is missing or contradicting options. DataError for an unknown
    or repeated column, a type that is no label's (floats too, even with integral values), a mixture of types,
    nulls without a word on what to do with them, more than n rows, no rows where n is not given, or what the engine refuses.
    """
    options = Options(n, drop_nulls, null_label, ordered)
    if not isinstance(column, str):
        raise ParameterError(f"column = {column!r} is not a string; accepted: the name of a column")
    native = unwrapped(frame)
    engine = engine_of(native)
    with data_errors(engine):
        position = position_in(columns_of(native, engine), column)
    return counts_at(native, engine, position, column, options)


def prevalences_of(
    frame: Any,  # noqa: ANN401  # any engine's frame
    column: str,
    *,
    drop_nulls: bool = False,
    null_label: Label | None = None,
) -> tuple[tuple[int, int], ...]:
    """How many labels of a column have each count, as pairs in ascending order of the count: all of it in the engine.

    Parameters and refusals: as of `counts_of`, but that there is no n, and that a frame without rows has the empty tuple.
    """
    options = Options(None, drop_nulls, null_label)
    if not isinstance(column, str):
        raise ParameterError(f"column = {column!r} is not a string; accepted: the name of a column")
    native = unwrapped(frame)
    engine = engine_of(native)
    with data_errors(engine):
        position = position_in(columns_of(native, engine), column)
    return prevalences_at(native, engine, position, column, options)[0]


def prevalences_at(
    frame: Any,  # noqa: ANN401
    engine: str,
    position: int,
    column: str,
    options: Options,
) -> tuple[tuple[tuple[int, int], ...], int]:
    """`prevalences_of` for a column at a position of an engine's own frame, and the number of rows, nulls among them."""
    optional("narwhals")
    with data_errors(engine):
        kind = type_of(frame, engine, position)
        check_type(kind, engine, column)
        if options.null_label is not None or kind == "Object":  # a label may be the one for nulls: labels are looked at
            found = grouped(frame, engine, position, kind, ordered=False)
            _, counts = _of_one_type(_without_nulls(found, column, options), column)
            return tuple(sorted(Counter(counts).items())), sum(found.counts)
        present, nulls = grouped_twice(frame, engine, position, kind)
    if nulls and not options.drop_nulls:
        raise DataError(
            f"column {column!r} holds {nulls} nulls; accepted: none, or drop_nulls (they count for no label) or null_label "
            "(they get one)"
        )
    return tuple(sorted(present.items())), nulls + sum(r * many for r, many in present.items())


def counts_at(frame: Any, engine: str, position: int, column: str, options: Options) -> LabelCounts:  # noqa: ANN401
    """`counts_of` for a column at a position of an engine's own frame; its name is for messages."""
    for package in ("narwhals", "numpy"):
        optional(package)
    with data_errors(engine):
        kind = type_of(frame, engine, position)
        check_type(kind, engine, column)
        found = grouped(frame, engine, position, kind, ordered=options.ordered)
    rows = sum(found.counts)
    if options.n is None and rows == 0:
        raise DataError(f"column {column!r} has no rows; accepted: at least one row, or n")
    if options.n is not None and rows > options.n:
        raise DataError(f"column {column!r} has {rows} rows, more than n = {options.n}")
    return _arranged(_without_nulls(found, column, options), column, rows, ordered=options.ordered)


def position_in(columns: Sequence[Any], column: str) -> int:
    """Where a column is. Raises: DataError for one that is missing or there twice, with the names of all."""
    if columns.count(column) != 1:
        problem = "no column" if column not in columns else "more than one column"
        more = f" and {len(columns) - _LISTED} more" if len(columns) > _LISTED else ""
        raise DataError(f"the frame has {problem} {column!r}; its columns are {', '.join(map(str, columns[:_LISTED]))}{more}")
    return columns.index(column)


def check_type(kind: str, engine: str, column: str) -> None:
    """Refuse what cannot be a label. Objects of pandas are looked at one by one, those of others refused."""
    if kind.startswith(INTEGERS) or kind in EXACT or (kind.startswith(TEXT) and (kind != "Object" or engine == "pandas")):
        return
    to_integers, to_text = (cast.format(column) for cast in _CASTS[engine])
    how = ""
    if kind.startswith("Float"):
        how = f"; convert with {to_integers}, after rounding as you mean it; missing values must not be NaN"
    elif kind.startswith("Datetime"):
        how = f"; convert with {_TO_DATES[engine].format(column)} or {to_text}"
    elif not kind.startswith(_NESTED):
        how = f"; convert with {to_text}"
    raise DataError(f"column {column!r} is of type {kind}; accepted: strings, integers, booleans or dates{how}")


def _without_nulls(found: Grouped, column: str, options: Options) -> Grouped:
    if type(None) not in set(map(type, found.labels)):
        return found
    pairs = [(label, count) for label, count in zip(found.labels, found.counts, strict=True) if label is not None]
    rows = sum(found.counts)
    nulls, null_label = rows - sum(count for _, count in pairs), options.null_label
    if not options.drop_nulls and null_label is None:
        raise DataError(
            f"column {column!r} holds {nulls} nulls in {rows} rows; accepted: none, or drop_nulls (they count for no label) "
            "or null_label (they get one)"
        )
    if null_label is not None:
        same = [type(label) is type(null_label) and label == null_label for label, _ in pairs]
        nulls += sum(count for (_, count), found in zip(pairs, same, strict=True) if found)
        pairs = [*compress(pairs, map(not_, same)), (null_label, nulls)]
    return Grouped([label for label, _ in pairs], [count for _, count in pairs])


def _arranged(found: Grouped, column: str, rows: int, *, ordered: bool) -> LabelCounts:
    """The counts by increasing label: an order that says nothing about the order of the rows."""
    numpy = optional("numpy")
    labels, counts = _of_one_type(found, column)
    if ordered and not all(map(lt, labels, islice(labels, 1, None))):
        order = sorted(range(len(labels)), key=labels.__getitem__)
        labels, counts = [labels[i] for i in order], [counts[i] for i in order]
    return LabelCounts(labels, numpy.array(counts, dtype=numpy.int64), rows)


def _of_one_type(found: Grouped, column: str) -> tuple[list[Any], Sequence[int]]:
    """The labels if all are of one type. Raises: DataError with how many rows hold what, for a mixture or another type."""
    types = set(map(type, found.labels))
    if len(types) <= 1 and types.issubset(LABEL_TYPES):
        return list(found.labels), found.counts
    rows: dict[str, int] = {}
    for label, count in zip(found.labels, found.counts, strict=True):
        name = type(label).__name__
        rows[name] = rows.get(name, 0) + count
    held = ", ".join(f"{name} in {rows[name]} rows" for name in sorted(rows))
    raise DataError(f"column {column!r} holds values of type {held}; accepted: str, int, bool or date in all rows")
