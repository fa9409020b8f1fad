"""Numbers of rows and sums of which a unit adds only so much: at most so many of its rows, or its own sum, clipped."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from attrs import frozen

from finitedp.data.columns import LABEL_TYPES, Label
from finitedp.data.frames import LabelCounts
from finitedp.data.units.choosing import Clipped
from finitedp.data.units.counting import counted_by_unit
from finitedp.data.units.labelling import Labelling
from finitedp.errors import DataError, ParameterError
from finitedp.labels import shown
from finitedp.units import Unit

__all__ = ["Counted", "rows_counted", "rows_of_units", "values_counted", "values_of_units"]

Counting = Callable[[Labelling, Unit, Clipped | None], LabelCounts]
"""What counts the labels of the rows of each unit that count, or of the units' sums."""


@frozen
class Counted:
    """How many rows that count, or units, have each value; and of what, in words."""

    values: Mapping[int, int]
    what: str

    @property
    def rows(self) -> int:
        """How many there are."""
        return sum(self.values.values())

    @property
    def value(self) -> int:
        """The sum of all values."""
        return sum(value * count for value, count in self.values.items())


@frozen
class _Holds:
    """1 for the rows that have a value, where one is asked for; the others count for no label. Raises: DataError."""

    column: str | None
    wanted: Label | None

    def __call__(self, values: tuple[Any, ...]) -> int | None:
        if self.column is None:
            return 1
        (value,) = values
        if type(value) is not type(self.wanted):
            held = "booleans" if self.wanted is True else f"values of the type {type(self.wanted).__name__}"
            raise DataError(
                f"column {self.column!r} holds no {held}; accepted: booleans, or equals, a value of the column's type"
            )
        return 1 if value == self.wanted else None


def rows_counted(data: Any, column: str | None, wanted: Label | None, unit: Unit, drop_nulls: bool) -> Counted:  # noqa: ANN401
    """The rows where a column has a value, or all, at most unit.rows of each unit. Raises: ParameterError, DataError."""
    return rows_of_units(partial(_counting, data, drop_nulls), column, wanted, unit)


def rows_of_units(counting: Counting, column: str | None, wanted: Label | None, unit: Unit) -> Counted:
    """`rows_counted`, by what counts labels: rows of one label are alike, so that none is chosen. Source: FD.Unit.total."""
    if column is not None and type(wanted) not in LABEL_TYPES:
        raise ParameterError(f"equals is a {type(wanted).__name__}; accepted: text, an integer, a boolean or a date")
    found = counting(
        Labelling(() if column is None else (column,), _Holds(column, wanted)), Unit(unit.column, 1, unit.rows), None
    )
    where = "" if column is None else f" where {column}{'' if wanted is True else f' = {shown(wanted)}'}"
    what = f"rows{where}, at most {unit.rows} of a {unit.column}" if unit.rows > 1 else f"units ({unit.column}){where}"
    return Counted({1: int(found.counts.sum())}, what)


def values_counted(
    data: Any,  # noqa: ANN401  # any engine's frame
    column: str | None,
    bounds: tuple[int, int],
    unit: Unit,
    drop_nulls: bool,
    *,
    whole: bool,
) -> Counted:
    """The values of at most unit.rows rows of each unit; or the clipped sums of whole units. Raises: as `rows_counted`."""
    return values_of_units(partial(_counting, data, drop_nulls), column, bounds, unit, whole=whole)


def values_of_units(counting: Counting, column: str | None, bounds: tuple[int, int], unit: Unit, *, whole: bool) -> Counted:
    """`values_counted`, by what counts labels. Source: FD.Unit.total."""
    if column is None:
        raise ParameterError("column is missing; accepted: the name of the frame's column to add up")
    found = counting(Labelling((column,)), unit, Clipped(*bounds) if whole else None)
    if not set(map(type, found.labels)) <= {int}:
        raise DataError(f"column {column!r} holds no integers; accepted: integers")
    values: Any = found.as_dict()  # of integers
    each = f"of a whole {unit.column} in {bounds[0]}..{bounds[1]}" if whole else f"at most {unit.rows} rows of a {unit.column}"
    return Counted(values, f"total of {column}, {each}")


def _counting(data: Any, drop_nulls: bool, labelling: Labelling, unit: Unit, by: Clipped | None) -> LabelCounts:  # noqa: ANN401
    return counted_by_unit(data, labelling, unit, drop_nulls, None, by)
