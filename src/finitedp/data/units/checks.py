"""What is refused of the rows of units, and counts by label as they come back."""

from collections.abc import Iterable
from typing import Any

from finitedp.data.engines import optional
from finitedp.data.frames import LabelCounts, Options
from finitedp.errors import DataError
from finitedp.units import Unit

__all__ = ["check_integers", "check_nulls", "check_promise", "of_labels", "sorted_labels"]


def check_integers(column: str, types: set[type]) -> None:
    """Refuse to add up what are no integers. Raises: DataError."""
    if not types <= {int}:
        raise DataError(f"column {column!r} holds no integers; accepted: integers")


def check_nulls(column: str, unit: Unit, options: Options, rows: int, nulls: int, missing: int) -> None:
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


def check_promise(unit: Unit, labels: int, most: int, rows: int) -> None:
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


def sorted_labels(values: Iterable[Any], column: str) -> list[Any]:
    """The distinct values, in order, if all are str or all int. Raises: DataError."""
    distinct = set(values)
    types = set(map(type, distinct))
    if not (types <= {str} or types <= {int}):
        held = ", ".join(sorted(kind.__name__ for kind in types))
        raise DataError(f"column {column!r} holds values of type {held}; accepted: str in all rows, or int in all rows")
    return sorted(distinct)


def of_labels(pairs: Iterable[tuple[Any, int]]) -> LabelCounts:
    """Those of some rows, in order; the number of rows that count is their sum."""
    numpy = optional("numpy")
    found = sorted((label, count) for label, count in pairs if count)
    counts = numpy.array([count for _, count in found], dtype=numpy.int64)
    return LabelCounts([label for label, _ in found], counts, int(counts.sum()))
