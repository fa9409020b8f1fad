"""Which rows of a unit count: first some of its labels, then some of its rows of them, in the order of a keyed hash.

The choice is a function of the unit's own rows and of the key, so that a unit that comes or goes changes nothing of another
one. An order of the rows, a stream of random numbers that units share, or a random column with a seed would.
"""

import hashlib
import secrets
from collections.abc import Callable, Sequence

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray

from finitedp.units import Unit

__all__ = ["Clipped", "End", "Key", "Pairs", "Ranking", "chosen"]

Counts = NDArray[np.int64]
Ranking = Callable[[bytes, bytes, int], int]
"""The place of a label of a unit (0) or of its i-th row of that label (i >= 1) among all of the unit: less than 2^64."""

_ONLY = 16  # bytes


@frozen(eq=False)
class Key:
    """A secret key from the operating system's generator, and the hash that it keys: md5 of key, i, unit and label.

    As a random function it orders a unit's labels, and its rows, uniformly and independently of all others.
    Source: FD.Unit.bounding.
    """

    text: str = field(factory=lambda: secrets.token_hex(_ONLY), repr=False)

    def __call__(self, unit: bytes, label: bytes, i: int) -> int:
        """The last 8 bytes of the hash, the lowest first, as DuckDB's md5_number_lower has them."""
        return int.from_bytes(hashlib.md5(self.message(unit, label, i), usedforsecurity=False).digest()[8:], "little")

    def message(self, unit: bytes, label: bytes, i: int) -> bytes:
        """What is hashed, different for different units, labels and i: the unit's length is told."""
        return b"%b%d:%d:%b%b" % (self.text.encode(), i, len(unit), unit, label)


@frozen
class End:
    """The order of a unit's labels by themselves, integers of up to 63 bits: the largest one first, or the smallest one.

    No key is needed: which label of a unit comes first is a function of its own rows. Source: FD.Unit.extreme.
    """

    largest: bool

    def __call__(self, _unit: bytes, label: bytes, _i: int) -> int:
        """The place of a label, from the end on."""
        return (1 << 63) - int(label) if self.largest else int(label)

    @property
    def order(self) -> str:
        """The same as an expression of SQL."""
        return "-label" if self.largest else "label"


@frozen
class Clipped:
    """No choice: the labels of all rows of a unit, integers, are added up, and their sum, clipped, is its one label.

    Source: FD.Unit.total. Parameters: low <= high.
    """

    low: int
    high: int

    def __call__(self, total: int) -> int:
        """The label of a unit with this sum."""
        return min(max(total, self.low), self.high)


@frozen(eq=False)
class Pairs:
    """How many rows a unit has of a label, for each unit and label once.

    units and labels: the texts of all of them, labels in an order of their own. unit, label: their places there, for each
    pair; count: rows, all above 0.
    """

    units: Sequence[bytes]
    labels: Sequence[bytes]
    unit: Counts
    label: Counts
    count: Counts


def chosen(pairs: Pairs, bounds: Unit, ranking: Ranking) -> Counts:
    """How many rows count, for each label, in the order of pairs.labels.

    Of each unit at most max_labels labels, the first of the ranking; of each of them at most max_rows_per_label rows; and of
    these max_rows, the first of the ranking. Rows of a unit and label are alike, and numbered 1, 2, ... Where two have one
    place in the ranking, the label decides. Source: FD.Unit.bounding.
    """
    unit, label, count = pairs.unit, pairs.label, pairs.count
    if bounds.max_labels is not None:
        kept = _first(pairs, unit, label, np.zeros_like(unit), bounds.max_labels, ranking)
        unit, label, count = unit[kept], label[kept], count[kept]
    if bounds.max_rows_per_label is not None:
        count = np.minimum(count, bounds.max_rows_per_label)
    found = np.zeros(len(pairs.labels), np.int64)
    if bounds.max_rows is not None:
        totals = np.zeros(len(pairs.units), np.int64)
        np.add.at(totals, unit, count)
        over = totals[unit] > bounds.max_rows
        some, rows = np.flatnonzero(over), count[over]
        each = np.repeat(some, rows)
        numbers = 1 + np.arange(each.size) - np.repeat(np.cumsum(rows) - rows, rows)
        kept = _first(pairs, unit[each], label[each], numbers, bounds.max_rows, ranking)
        np.add.at(found, label[each][kept], 1)
        label, count = label[~over], count[~over]
    np.add.at(found, label, count)
    return found


def _first(pairs: Pairs, unit: Counts, label: Counts, number: Counts, most: int, ranking: Ranking) -> NDArray[np.intp]:
    """The places of the first so many of each unit: all of a unit that has no more, else by ranking, then by label."""
    every = np.bincount(unit, minlength=len(pairs.units))[unit] > most
    some = np.flatnonzero(every)
    triples = zip(unit[some].tolist(), label[some].tolist(), number[some].tolist(), strict=True)
    rank = np.fromiter((ranking(pairs.units[u], pairs.labels[x], i) for u, x, i in triples), np.uint64, some.size)
    order = np.lexsort((label[some], rank, unit[some]))
    sorted_units = unit[some][order]
    starts = np.flatnonzero(np.diff(sorted_units, prepend=-1))
    place = np.arange(some.size) - np.repeat(starts, np.diff(starts, append=some.size))
    return np.concatenate([np.flatnonzero(~every), some[order[place < most]]])
