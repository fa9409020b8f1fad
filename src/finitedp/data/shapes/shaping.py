"""What finitedp.release counts where labels are more than the values of one column: by number, and back.

Values become the numbers of labels of a public universe, and what is released becomes labels again. Without a universe, of a
release with delta > 0, the labels that occur are numbered in their order: a release treats all numbers alike, but for the
order in which it lists them.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from functools import cached_property
from typing import Any

import numpy as np
from attrs import evolve, frozen

from finitedp.data.columns import Label
from finitedp.data.frames import LabelCounts, Options, counts_of
from finitedp.data.noisy_histogram import NoisyHistogram
from finitedp.data.series import check_series, framed, is_series
from finitedp.data.shapes.asked import CATEGORIES, by_column, universes_of
from finitedp.data.shapes.categories import categories_of
from finitedp.data.shapes.grouping import grouped_by_several
from finitedp.data.shapes.parts import Bins, Part, Product, part_of
from finitedp.data.true_counts import ANY_ROWS, checked_row, counted, labels_of
from finitedp.data.units.counting import counted_by_unit
from finitedp.data.units.labelling import Labelling, text_of, values_of
from finitedp.errors import DataError, ParameterError
from finitedp.impl.histograms.universe import Listed, Strings
from finitedp.labels import shown
from finitedp.units import Unit

__all__ = ["Shape", "shape_of"]

_EXACT_TYPES = {bool, date}


@frozen(eq=False, slots=False)
class Shape:
    """How labels are made of values. names: of the columns; none of a series or a mapping of one.

    parts: the labels of each column, None where they are the values themselves. listed: tuples that were listed, in place of
    parts. several: whether labels are tuples.
    """

    names: tuple[str, ...]
    parts: tuple[Part | None, ...]
    listed: Listed[Any] | None
    several: bool

    @property
    def free(self) -> bool:
        """Whether a column has no universe, so that the labels are not known beforehand."""
        return self.listed is None and None in self.parts

    @cached_property
    def labels(self) -> Any:  # noqa: ANN401  # a universe of labels, with a size
        """All labels, by number, of a universe."""
        if self.listed is not None:
            return self.listed
        return Product(self.parts) if self.several else self.parts[0]

    @property
    def what(self) -> str | None:
        """The columns, for messages."""
        return ", ".join(self.names) or None

    def coded(self, values: Sequence[Any], counts: Sequence[int]) -> tuple[dict[Any, int], Callable[[Any], Label]]:
        """Counts by what stands for a label, and what makes the label of it. Raises: DataError, with the rows."""
        found = dict[Any, int]()
        for value, count in zip(values, counts, strict=True):
            try:
                code = self._code(value)
            except DataError as error:
                raise DataError(f"{error}, in {count} rows") from None
            found[code] = found.get(code, 0) + count
        return found, self._label

    @property
    def labelling(self) -> Labelling | None:
        """What makes the labels of the rows of units: by number, or without a universe texts. Source: FD.Unit.labels."""
        if not self.names:
            return None
        as_they_are = self.listed is None and not any(self.parts)
        return Labelling(self.names, None if as_they_are else self._hashed)

    def _hashed(self, values: tuple[Any, ...]) -> int | str:
        """The label by which a unit's rows are chosen: a function of the values alone, and not of what others have."""
        code = self._code(values if self.several else values[0])
        return text_of(code) if self.free else int(code)

    def chosen(self, found: LabelCounts) -> dict[Any, int]:
        """Counts by what stands for a label, of the labels of `labelling`."""
        labels: Sequence[Any] = found.labels
        if self.free and any(self.parts):
            labels = [values_of(text) for text in labels]
        return dict(zip(labels, found.counts.tolist(), strict=True))

    def _code(self, value: Any) -> Any:  # noqa: ANN401
        if self.listed is not None:
            return self._listed_place(self.listed, value)
        values = value if self.several else (value,)
        if len(values) != len(self.parts):
            raise DataError(f"{shown(value)} has {len(values)} values; accepted: {len(self.parts)}, one for each column")
        found = []
        for i, (part, given) in enumerate(zip(self.parts, values, strict=True)):
            try:
                found.append(given if part is None else part.index(given))
            except DataError as error:
                raise DataError(f"column {self.name(i)!r}: {error}") from None
        if self.free:
            return tuple(found)
        return self.labels.number_of(found) if self.several else found[0]

    def name(self, i: int) -> str:
        """What to call the i-th column."""
        return self.names[i] if i < len(self.names) else f"column {i + 1}" if self.several else "label"

    @staticmethod
    def _listed_place(listed: Listed[Any], value: Any) -> int:  # noqa: ANN401
        place = listed.index(value)
        if tuple(map(type, listed.label(place))) != tuple(map(type, value)):  # True is not 1 here
            raise DataError(f"the label {shown(value)} is outside of the universe of {listed.size} listed labels")
        return place

    def _label(self, code: Any) -> Label:  # noqa: ANN401
        if not self.free:
            found: Label = self.labels.label(code)
            return found
        made: tuple[Any, ...] = tuple(x if part is None else part.label(x) for part, x in zip(self.parts, code, strict=True))
        return made if self.several else made[0]

    def numbered(
        self,
        data: Any,  # noqa: ANN401
        options: Options,
        unit: Unit | None = None,
    ) -> tuple[Any, range | None, Callable[[NoisyHistogram], NoisyHistogram]]:
        """Counts by number, the universe of numbers, and what makes labels of the numbers in a release.

        Parameters: data, as of finitedp.release; options, what nulls are; unit, of whose rows only some count, which have got
        their labels before. Raises: ParameterError, DataError.
        """
        if isinstance(data, np.ndarray | Mapping) and (options.drop_nulls or options.null_label is not None):
            raise ParameterError("drop_nulls and null_label are for data frames, not for counts")
        if isinstance(data, np.ndarray) and not self.free:
            return data, range(self.labels.size), lambda noisy: self._named(noisy, self._label)
        if unit is None:
            found = self.counts(data, options)
            counts, label = self.coded(found.labels, found.counts.tolist())
        else:
            found = counted_by_unit(data, self.labelling, unit, options.drop_nulls, options.null_label)
            counts, label = self.chosen(found), self._label
        codes = sorted(counts)
        held = np.array([counts[code] for code in codes], np.int64)
        if self.free:
            named = [label(code) for code in codes]
            return LabelCounts(range(len(codes)), held, found.rows), None, lambda noisy: self._named(noisy, named.__getitem__)
        return LabelCounts(codes, held, found.rows), range(self.labels.size), lambda noisy: self._named(noisy, label)

    def _named(self, noisy: NoisyHistogram, label: Callable[[Any], Label]) -> NoisyHistogram:
        every = noisy.threshold is None and isinstance(self.labels, Product)
        labels = self.labels if every else [label(code) for code in noisy.labels]
        return evolve(noisy, labels=labels, columns=self.names if self.several else ())

    # Counting

    def counts(self, data: Any, options: Options) -> LabelCounts:  # noqa: ANN401
        """True counts by value, or by tuple of values. Raises: ParameterError, DataError."""
        if isinstance(data, np.ndarray):
            raise ParameterError("an array of counts has no labels; accepted: with a universe")
        if isinstance(data, Mapping | LabelCounts):
            return _of_mapping(data, self)
        if self.several:
            return _several(data, self.names, options)
        if is_series(data):
            frame, name = framed(data)
            found = counts_of(frame, name, n=ANY_ROWS, drop_nulls=options.drop_nulls, null_label=options.null_label)
            check_series(data, found, name, None if self.parts[0] is None else ())
            return found
        column = self.names[0] if self.names else None
        return counted(data, column, None, ANY_ROWS, options.drop_nulls, options.null_label, ordered=False)


def _of_mapping(data: Any, shape: Shape) -> LabelCounts:  # noqa: ANN401
    """Counts by label, as they were given."""
    if isinstance(data, LabelCounts):
        return LabelCounts(data.labels, checked_row(data.counts), data.rows)
    for label, count in data.items():
        if isinstance(label, tuple) != shape.several or (shape.several and len(label) != len(shape.parts)):
            wanted = f"no tuple of {len(shape.parts)} values" if shape.several else "a tuple, of one column"
            raise DataError(f"the label {shown(label)} is {wanted}; accepted: all labels alike")
        if isinstance(count, bool) or not isinstance(count, int | np.integer) or not 0 <= count < 1 << 62:
            raise DataError(f"the count of {shown(label)} is {shown(count)}; accepted: integers from 0 to 2^62 - 1")
    held = {label: int(count) for label, count in data.items() if count}
    return LabelCounts(list(held), np.array(list(held.values()), np.int64), sum(held.values()))


def _several(data: Any, names: tuple[str, ...], options: Options) -> LabelCounts:  # noqa: ANN401
    """Counts by tuple of values, of a frame; nulls in any of the columns by the same rule as in one."""
    found = grouped_by_several(data, names)
    rows, what, counts = sum(found.counts), ", ".join(names), dict[Any, int]()
    nulls = sum(count for label, count in zip(found.labels, found.counts, strict=True) if None in label)
    if nulls and not options.drop_nulls and options.null_label is None:
        raise DataError(
            f"the columns {what!r} hold nulls in {nulls} of {rows} rows; accepted: none, or drop_nulls (they count for no "
            "label) or null_label (it stands for them)"
        )
    for label, count in zip(found.labels, found.counts, strict=True):
        if None in label and options.drop_nulls:
            continue
        named = tuple(options.null_label if value is None else value for value in label)
        counts[named] = counts.get(named, 0) + count
    for name, held in zip(names, zip(*counts, strict=True), strict=False):
        if len(set(map(type, held))) > 1:
            types = ", ".join(sorted({type(value).__name__ for value in held}))
            raise DataError(f"column {name!r} holds values of the types {types}; accepted: one type in all rows")
    return LabelCounts(list(counts), np.array(list(counts.values()), np.int64), rows)


# What was asked for


def shape_of(
    data: Any,  # noqa: ANN401  # as of finitedp.release
    column: Any,  # noqa: ANN401  # a name, or several
    universe: Any,  # noqa: ANN401  # as of finitedp.release
    bins: Any,  # noqa: ANN401  # edges, or edges by column
    other: Label | None,
) -> Shape | None:
    """How labels are made; None where they are the text or the integers of one column. Raises: ParameterError."""
    names = _names(column)
    given: Any = data.labels if isinstance(data, LabelCounts) else data
    first = next(iter(given), None) if isinstance(given, Mapping | Sequence) and not isinstance(given, str) else None
    tuples = isinstance(first, tuple)
    several = len(names) > 1 or tuples or isinstance(universe, Product)
    if not several:
        if bins is None and other is None and not _unusual(universe):
            return None
        part = _one_part(data, names, universe, bins, other)
        return Shape(names, (part,), None, several=False)
    width = len(names) if len(names) > 1 else len(first) if isinstance(first, tuple) else len(universe.parts)
    of = names if len(names) > 1 else tuple(f"column {i + 1}" for i in range(width))
    edges = by_column(bins, of, "bins")
    listed, parts = universes_of(universe, of, edges)
    if listed is not None:
        if other is not None:
            raise ParameterError("other needs a universe for each column; accepted: such a one, and no listed tuples")
        return Shape(names, (None,) * width, listed, several=True)
    if other is not None and all(part is None for part in parts):
        raise ParameterError("other is for values outside of a universe or of bins; accepted: with one of them")
    made = (_made(part, data, name, other) for part, name in zip(parts, of, strict=True))
    return Shape(names, tuple(made), None, several=True)


def _names(column: Any) -> tuple[str, ...]:  # noqa: ANN401
    """The names of the columns."""
    if column is None or isinstance(column, str):
        return () if column is None else (column,)
    names = tuple(column) if isinstance(column, list | tuple) else ()
    if len(names) < 2 or not all(isinstance(name, str) for name in names):
        raise ParameterError(f"column = {shown(column)} is no name; accepted: the name of a column, or a list of two or more")
    if len(set(names)) < len(names):
        raise ParameterError(f"column = {shown(list(names))} names a column twice; accepted: distinct columns")
    return names


def _unusual(universe: Any) -> bool:  # noqa: ANN401
    """Whether a universe of one column has labels that are neither text nor integers."""
    if universe is None or isinstance(universe, range | Strings):
        return False
    if isinstance(universe, str):
        return universe == CATEGORIES
    return isinstance(universe, list | tuple) and not {type(label) for label in universe}.isdisjoint(_EXACT_TYPES)


def _one_part(data: Any, names: tuple[str, ...], universe: Any, bins: Any, other: Label | None) -> Part | None:  # noqa: ANN401
    if bins is not None and universe is not None:
        raise ParameterError("bins are a universe; accepted: one of bins and universe")
    if isinstance(bins, Mapping):
        bins = by_column(bins, names or ("label",), "bins")[0]
    given = universe if bins is None else Bins(bins)
    if given is None and other is not None:
        raise ParameterError("other is for values outside of a universe or of bins; accepted: with one of them")
    return _made(given, data, names[0] if names else None, other)


def _made(universe: Any, data: Any, name: str | None, other: Label | None) -> Part | None:  # noqa: ANN401
    """The labels of one column; None where there is no universe for it."""
    if universe is None or isinstance(universe, Part | Bins | Strings):
        return None if universe is None else part_of(universe, other)
    if isinstance(universe, str) and universe == CATEGORIES:
        return part_of(categories_of(data, name), other)
    listed = universe if _unusual(universe) else labels_of(universe)
    return part_of(listed, other)
