"""Which rows of a unit count for a statistic: its own largest or smallest, where that loses nothing, else some of them."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from attrs import frozen

from finitedp.data.frames import LabelCounts
from finitedp.data.units.choosing import End
from finitedp.data.units.counting import counted_by_unit, unit_of
from finitedp.data.units.labelling import Labelling
from finitedp.errors import DataError, ParameterError
from finitedp.impl.flexible.releases import FlexibleStatistic
from finitedp.labels import shown
from finitedp.units import Unit

__all__ = ["Bars", "unit_of_statistic"]

_ENDS = {"max": (True,), "min": (False,), "range": (True, False)}
Counting = Callable[[Labelling, Unit, End | None], LabelCounts]


def unit_of_statistic(name: str, column: str | None, bounds: Mapping[str, int | None], *, bounded: bool) -> Unit | None:
    """The unit that a statistic is for, with how many of its rows count. Parameters: bounds, by name.

    Source: FD.Unit.extreme. Raises: ParameterError for bounds that a statistic has no use for.
    """
    given = [bound for bound, value in bounds.items() if value is not None]
    if column is None or (name not in _ENDS and name != "support"):
        return unit_of(column, bounds["max_labels"], bounds["max_rows_per_label"], bounds["max_rows"], bounded)
    if name in _ENDS:
        if given or bounded:
            what = {"max": "largest value", "min": "smallest value"}.get(name, "largest and smallest value")
            raise ParameterError(
                f"{name} of a unit takes the {what} of all its rows, of which none is left out; accepted: unit without bounds"
            )
        return Unit(column, max_rows=len(_ENDS[name]))
    if given != ["max_labels"] or bounded:
        raise ParameterError("support takes each value of a unit once; accepted: max_labels, of how many values, and no more")
    return Unit(column, bounds["max_labels"], 1)


@frozen
class _Index:
    """The bar of a value, as a label. Raises: DataError."""

    column: str
    mechanism: FlexibleStatistic

    def __call__(self, values: tuple[Any, ...]) -> int:
        (value,) = values
        if type(value) is not int:
            raise DataError(f"column {self.column!r} holds {shown(value)}; accepted: integers")
        try:
            return self.mechanism.buckets.index(value)
        except DataError as error:
            raise DataError(f"column {self.column!r}: {error}") from None


@frozen
class Bars:
    """The true counts of a statistic's bars, of the rows of units that count. Parameters: name; column; mechanism; unit."""

    name: str
    column: str
    mechanism: FlexibleStatistic
    unit: Unit

    def of_frame(self, data: Any, drop_nulls: bool, null_label: int | None) -> list[int]:  # noqa: ANN401  # any engine's frame
        """Those of a frame. Raises: ParameterError, DataError."""
        if not self.column:
            raise ParameterError("column is missing; accepted: the name of the frame's column to count")

        def counting(labelling: Labelling, unit: Unit, by: End | None) -> LabelCounts:
            return counted_by_unit(data, labelling, unit, drop_nulls, null_label, by)

        return self.counted(counting)

    def counted(self, counting: Counting) -> list[int]:
        """The bars, by what counts the labels of some rows of each unit: values become bars before any are chosen.

        Source: FD.Unit.extreme. Parameters: counting, of a labelling, bounds, and an end, where rows are not chosen by a key.
        """
        labelling, bars = Labelling((self.column,), _Index(self.column, self.mechanism)), [0] * self.mechanism.histogram.bars
        one = Unit(self.unit.column, 1, 1)
        ways: list[Callable[[], LabelCounts]] = [
            partial(counting, labelling, one, End(largest)) for largest in _ENDS.get(self.name, ())
        ]
        for way in ways or [partial(counting, labelling, self.unit, None)]:
            found = way()
            labels: Any = found.labels  # integers
            for label, count in zip(labels, found.counts.tolist(), strict=True):
                bars[label] += count
        return bars
