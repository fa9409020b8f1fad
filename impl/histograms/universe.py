"""Universes of labels, given by their size and an indexing, so that the size costs nothing.

The order of the indices is the order in which a sparse release lists its labels.
"""

from collections.abc import Hashable, Iterable, Mapping, Set
from typing import Any, Generic, Protocol, TypeVar

from attrs import field, frozen

from finitedp.errors import DataError, ParameterError
from finitedp.exact import integer, short
from finitedp.impl.histograms.basic import check_counts
from finitedp.labels import AS_TEXT, as_bytes, shown

__all__ = ["Integers", "Listed", "Strings", "Universe", "as_universe", "indexed", "not_a_string"]

MOST_LISTED = 10**7

L = TypeVar("L", bound=Hashable)
T = TypeVar("T")


class Universe(Protocol[T]):
    """All labels that a row may have: a bijection between them and 0..size-1. Source: FD.Labels.bijection.

    Two labels of one index would make the count of one label out of the rows of two. Labels that are equal, as 1 and True
    are, are one label.
    """

    @property
    def size(self) -> int:
        """|X|, at least 1."""
        ...

    def index(self, label: T) -> int:
        """The position of a label, in 0..size-1. Raises: DataError for one outside of the universe."""
        ...

    def label(self, index: int) -> T:
        """The label at a position in 0..size-1."""
        ...


@frozen
class Integers:
    """The integers low..high, both included. Raises: ParameterError where low > high."""

    low: int
    high: int

    def __attrs_post_init__(self) -> None:
        integer(self.low, "low")
        integer(self.high, "high", at_least=self.low)

    @property
    def size(self) -> int:
        """high - low + 1."""
        return self.high - self.low + 1

    def index(self, label: int) -> int:
        """label - low."""
        if isinstance(label, bool) or not isinstance(label, int) or not self.low <= label <= self.high:
            raise DataError(f"the label {label!r} is outside of the universe {self.low}..{self.high}")
        return label - self.low

    def label(self, index: int) -> int:
        """low + index."""
        return self.low + integer(index, "index", 0, self.size - 1)


def _distinct(labels: Iterable[L]) -> tuple[L, ...]:
    if isinstance(labels, Set | str) or not isinstance(labels, Iterable):
        raise ParameterError(f"labels = {labels!r} has no order; accepted: a sequence of distinct labels")
    listed = tuple(labels)
    if not listed or len(set(listed)) != len(listed):
        raise ParameterError("labels is empty or holds a label twice; accepted: at least one label, all distinct")
    return listed


@frozen
class Listed(Generic[L]):
    """The labels of a sequence, in its order. Raises: ParameterError for none or a repeated one."""

    labels: tuple[L, ...] = field(converter=_distinct)
    _positions: dict[L, int] = field(init=False, repr=False, eq=False)

    def __attrs_post_init__(self) -> None:
        object.__setattr__(self, "_positions", {label: i for i, label in enumerate(self.labels)})

    @property
    def size(self) -> int:
        """The number of labels."""
        return len(self.labels)

    def index(self, label: L) -> int:
        """The label's place in the sequence."""
        found = self._positions.get(label)
        if found is None:
            raise DataError(f"the label {label!r} is outside of the universe of {self.size} listed labels")
        return found

    def label(self, index: int) -> L:
        """The label at that place."""
        return self.labels[integer(index, "index", 0, self.size - 1)]


@frozen
class Strings:
    """All strings of at most `most` bytes, in the lexicographic order of their bytes.

    A label is a str: bytes that are not UTF-8 are held as Python's surrogate escapes, so that every byte string is a label,
    of exactly one text. Source: FD.Labels.bijection. Parameters: most >= 0. Raises: ParameterError.
    """

    most: int = field(validator=lambda _self, _attribute, value: integer(value, "most", 0, 10**6))

    @property
    def size(self) -> int:
        """1 + 256 + ... + 256^most."""
        return self._strings_up_to(self.most)

    def _strings_up_to(self, length: int) -> int:
        return (256 ** (length + 1) - 1) // 255 if length >= 0 else 0

    def index(self, label: str) -> int:
        """The number of strings before this one in lexicographic order.

        Raises: DataError for one that is too long, or does not come back from its own bytes. Cost: linear in `most`.
        """
        encoded = as_bytes(label) if isinstance(label, str) else None
        if encoded is None or len(encoded) > self.most:
            raise DataError(not_a_string(label, self.most))
        # before it are, for its byte b at the place i: the prefix that ends there, and with each lesser byte all strings with
        # that prefix, 1 + 256 + ... + 256^(most - 1 - i) = (256^(most - i) - 1)/255 of them; the sum of these is one division
        padded = int.from_bytes(encoded.ljust(self.most, b"\0"), "big") << 8
        return len(encoded) + (padded - sum(encoded)) // 255

    def label(self, index: int) -> str:
        """The string with that many strings before it."""
        rest, found = integer(index, "index", 0, self.size - 1), bytearray()
        while rest:
            byte, rest = divmod(rest - 1, self._strings_up_to(self.most - 1 - len(found)))
            found.append(byte)
        return found.decode("utf-8", "surrogateescape")


def not_a_string(label: object, most: int) -> str:
    """Why a label is no string of at most so many bytes, for a message."""
    surrogates = isinstance(label, str) and as_bytes(label) is None
    why = f": its surrogates do not stand for bytes outside of UTF-8; accepted: {AS_TEXT}" if surrogates else ""
    return f"the label {shown(label)} is not a string of at most {most} bytes{why}"


def as_universe(labels: Any) -> Universe[Any]:  # noqa: ANN401  # the kinds of universe have nothing else in common
    """A universe as it is, a range of step 1 as Integers, any other sequence of labels as Listed. Raises: ParameterError."""
    if all(hasattr(labels, name) for name in ("size", "index", "label")):
        return labels  # type: ignore[no-any-return]  # it has what a universe needs
    if isinstance(labels, range) and labels.step == 1 and labels:
        return Integers(labels[0], labels[-1])
    if isinstance(labels, range) and labels and (labels[-1] - labels[0]) // labels.step >= MOST_LISTED:
        raise ParameterError(f"labels = {labels!r} is too long to be listed; accepted: a range of step 1, or Integers")
    return Listed(labels)


def indexed(counts: Mapping[T, int], universe: Universe[T], n: int) -> dict[int, int]:
    """The true counts above 0 by position in the universe, in increasing order. Source: FD.Labels.rows.

    Raises: DataError for a label outside of the universe, a count that is not in 0..n, a sum above n, or two labels that a
    universe of somebody's own gives one index.
    """
    check_counts(counts, n)
    found, last = dict[int, int](), universe.size - 1
    for label, count in counts.items():
        place = integer(universe.index(label), "the index of a label", 0, last, DataError)
        if place in found:
            raise DataError(f"the index of {shown(label)}, {short(place)}, is that of another label; accepted: one each")
        found[place] = count
    return {i: found[i] for i in sorted(found) if found[i]}
