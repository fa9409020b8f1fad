"""The labels of one column by number: those of a universe, or bins, and behind them one for all other values; products.

A release counts numbers from 0 on; here they become labels, and values become numbers. Both ways are bijections, so that what
is claimed of the numbers holds for the labels.
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from itertools import pairwise, product
from typing import Any, overload

from attrs import field, frozen

from finitedp.data.columns import LABEL_TYPES, Label
from finitedp.errors import DataError, ParameterError
from finitedp.exact import integer, short
from finitedp.impl.histograms.universe import Integers, Listed, Strings, Universe
from finitedp.labels import shown

__all__ = ["Bins", "Part", "Product", "part_of"]

_NAMES = {str: "text", int: "integers", bool: "booleans", date: "dates", tuple: "tuples"}


def _edges(value: Sequence[Any]) -> tuple[Any, ...]:
    if isinstance(value, str | bytes) or not hasattr(value, "__iter__"):
        raise ParameterError(f"bins = {shown(value)} are no edges; accepted: integers or dates in increasing order")
    edges = tuple(edge.item() if hasattr(edge, "item") else edge for edge in value)
    kinds = set(map(type, edges))
    if len(edges) < 2 or len(kinds) > 1 or not kinds <= {int, date}:
        raise ParameterError(f"bins = {shown(list(edges))} are no edges; accepted: two or more, all integers or all dates")
    for left, right in pairwise(edges):
        if left >= right:
            raise ParameterError(f"bins are out of order: {left} stands before {right}; accepted: increasing edges")
    return edges


@frozen
class Bins:
    """Half-open intervals between edges, each called by its first and its last value: 0..17, 18..64.

    Parameters: edges, two or more, all integers or all dates, increasing; a value from one edge on, and below the next, is in
    the bin between. Raises: ParameterError.
    """

    edges: tuple[Any, ...] = field(converter=_edges)

    @property
    def size(self) -> int:
        """How many bins there are."""
        return len(self.edges) - 1

    def index(self, value: Any) -> int:  # noqa: ANN401  # of the edges' type
        """The bin of a value. Raises: DataError for one outside of them."""
        place = bisect_right(self.edges, value) - 1
        if not 0 <= place < self.size:
            raise DataError(f"{value} is outside of the bins {self.edges[0]} to below {self.edges[-1]}")
        return place

    def label(self, index: int) -> str:
        """The name of a bin."""
        first, beyond = self.edges[integer(index, "index", 0, self.size - 1)], self.edges[index + 1]
        last = beyond - (timedelta(1) if isinstance(beyond, date) else 1)
        return str(first) if first == last else f"{first}..{last}"


def _own(universe: Universe[Any]) -> frozenset[type]:
    """The types of values that a universe has labels for."""
    if isinstance(universe, Integers):
        return frozenset({int})
    if isinstance(universe, Strings):
        return frozenset({str})
    return frozenset(map(type, universe.edges if isinstance(universe, Bins) else universe.labels))  # type: ignore[attr-defined]  # Listed


@frozen
class Part:
    """The labels of one column: those of a universe, in its order, and `other` behind them, for values that it has not.

    Values are of the universe's types, True no integer; any other type is refused even so. Raises: ParameterError where other
    is a label of the universe, or none.
    """

    base: Any
    other: Label | None = None
    types: frozenset[type] = field(init=False)

    def __attrs_post_init__(self) -> None:
        object.__setattr__(self, "types", _own(self.base))
        if self.other is not None and type(self.other) not in LABEL_TYPES:
            raise ParameterError(f"other = {shown(self.other)} is a {type(self.other).__name__}; accepted: text or an integer")
        if self.other is not None and self._is_taken():
            raise ParameterError(f"other = {shown(self.other)} is a label of the universe; accepted: another one")

    def _is_taken(self) -> bool:
        names = map(self.base.label, range(self.base.size)) if isinstance(self.base, Bins) else None
        if names is not None:
            return self.other in set(names)
        try:
            self.base.index(self.other)
        except DataError:
            return False
        return True

    @property
    def size(self) -> int:
        """How many labels there are."""
        return int(self.base.size) + (self.other is not None)

    def index(self, value: Any) -> int:  # noqa: ANN401  # a value of the column
        """The number of a value's label. Raises: DataError for one outside of the universe, where there is no other."""
        if type(value) not in self.types:
            held, wanted = _NAMES.get(type(value), type(value).__name__), " and ".join(sorted(map(_name, self.types)))
            raise DataError(f"the column holds {held}, as {shown(value)}, and the universe is of {wanted}")
        try:
            return int(self.base.index(value))
        except DataError:
            if self.other is None:
                raise
            return int(self.base.size)

    def label(self, index: int) -> Label:
        """The label of a number."""
        if self.other is not None and index == self.base.size:
            return self.other
        found: Label = self.base.label(index)
        return found


def _name(kind: type) -> str:
    return _NAMES.get(kind, kind.__name__)


def part_of(universe: Any, other: Label | None) -> Part:  # noqa: ANN401  # whatever is no tuple of columns
    """The labels of one column: a range, strings, bins, or listed ones. Raises: ParameterError."""
    if isinstance(universe, Part):
        return universe
    if isinstance(universe, Strings | Bins):
        return Part(universe, other)
    if isinstance(universe, range) and universe.step == 1 and universe:
        return Part(Integers(universe[0], universe[-1]), other)
    if {bool, int} <= set(map(type, universe)):
        raise ParameterError("universe holds booleans and integers, of which True is 1; accepted: one of both")
    return Part(Listed(universe), other)


def _made(parts: Sequence[Any]) -> tuple[Part, ...]:
    return tuple(part_of(part, None) for part in parts)


@frozen(eq=False)
class Product(Sequence[tuple[Any, ...]]):
    """All tuples with a label of each part, the last part's running fastest, as of itertools.product: none of them is held.

    A universe for several columns. Parameters: parts, for each column a range, a sequence of labels or strings.
    Raises: ParameterError.
    """

    parts: tuple[Part, ...] = field(converter=_made)

    def __attrs_post_init__(self) -> None:
        if len(self.parts) < 2:
            raise ParameterError("a product has two or more parts; accepted: one for each column")

    @property
    def size(self) -> int:
        """How many tuples there are."""
        found = 1
        for part in self.parts:
            found *= part.size
        return found

    def __len__(self) -> int:
        """The same, where Python can say it."""
        return self.size

    def number(self, values: Sequence[Any]) -> int:
        """The place of the tuple of some values' labels, one for each part. Raises: DataError for one outside of its part."""
        return self.number_of([part.index(value) for part, value in zip(self.parts, values, strict=True)])

    def number_of(self, places: Sequence[int]) -> int:
        """The place of the tuple with the labels at these places of the parts."""
        found = 0
        for part, place in zip(self.parts, places, strict=True):
            found = found * part.size + place
        return found

    def label(self, index: int) -> tuple[Any, ...]:
        """The tuple at a place."""
        found, rest = list[Label](), integer(index, "index", 0, self.size - 1)
        for part in reversed(self.parts):
            rest, place = divmod(rest, part.size)
            found.append(part.label(place))
        return tuple(reversed(found))

    @overload
    def __getitem__(self, index: int) -> tuple[Any, ...]: ...
    @overload
    def __getitem__(self, index: slice) -> "list[tuple[Any, ...]]": ...
    def __getitem__(self, index: int | slice) -> Any:
        """The tuple at a place, also from the end; or a list of some."""
        places = range(self.size)[index]
        return list(map(self.label, places)) if isinstance(places, range) else self.label(places)

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        """All tuples, in order."""
        return product(*([part.label(i) for i in range(part.size)] for part in self.parts))

    def __repr__(self) -> str:
        """How many there are."""
        return f"Product of {' * '.join(short(part.size) for part in self.parts)} labels"
