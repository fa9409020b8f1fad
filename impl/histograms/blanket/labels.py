"""Labels as indices in numpy, and back: integers, listed labels, and all strings or bytes of up to 16 bytes."""

from collections.abc import Sequence
from itertools import repeat
from typing import Any

import numpy as np
from attrs import field, frozen

from finitedp.errors import DataError, ParameterError
from finitedp.exact import integer
from finitedp.impl.arithmetic.kernels import ceil_log2
from finitedp.impl.histograms.blanket.limbs import LIMB, Limbs, as_numbers, from_numbers
from finitedp.impl.histograms.universe import Integers, Universe, not_a_string
from finitedp.labels import as_bytes, shown

__all__ = ["ByLength", "indices", "labels_at"]

MOST_BYTES = 16


def _kind(value: str) -> str:
    if value not in ("text", "bytes"):
        raise ParameterError(f"kind = {value!r} is unknown; accepted: text, bytes")
    return value


@frozen
class ByLength:
    """All strings of up to `most` bytes, shorter ones first, those of one length by their bytes.

    A label of the kind text is a str: bytes that are not UTF-8 are held as surrogate escapes, and of one byte string there
    is one text. One of the kind bytes is bytes. Source: FD.Labels.bijection. Parameters: most in 0..16; kind, text or bytes.
    Raises: ParameterError.
    """

    most: int = field(validator=lambda _self, _attribute, value: integer(value, "most", 0, MOST_BYTES))
    kind: str = field(default="text", converter=_kind)

    @property
    def size(self) -> int:
        """1 + 256 + ... + 256^most."""
        return shorter_than(self.most + 1)

    def encoded(self, label: object) -> bytes:
        """The bytes of a label. Raises: DataError for one that is outside of the universe."""
        if self.kind == "text":
            found = as_bytes(label) if isinstance(label, str) else None
        else:
            found = label if isinstance(label, bytes) else None
        if found is not None and len(found) <= self.most:
            return found
        if self.kind == "text":
            raise DataError(not_a_string(label, self.most))
        raise DataError(f"the label {shown(label)} is not bytes of at most {self.most} bytes")

    def index(self, label: str | bytes) -> int:
        """The number of labels before this one. Raises: DataError for one that is outside of the universe."""
        found = self.encoded(label)
        return shorter_than(len(found)) + int.from_bytes(found, "big")

    def label(self, index: int) -> str | bytes:
        """The label with that many before it."""
        place = integer(index, "index", 0, self.size - 1)
        length = next(length for length in range(self.most + 1) if place < shorter_than(length + 1))
        found = (place - shorter_than(length)).to_bytes(length, "big")
        return found if self.kind == "bytes" else found.decode("utf-8", "surrogateescape")


def shorter_than(length: int) -> int:
    """How many strings have fewer bytes: (256^length - 1)/255."""
    return int((256**length - 1) // 255)


def indices(universe: Universe[Any], labels: Sequence[Any]) -> Limbs:
    """The indices of labels in a universe, as limbs. Raises: DataError for one that is outside of it.

    Cost: for integers of 64 bits and for ByLength a few operations of numpy, else one call for each label.
    """
    bits = ceil_log2(universe.size)
    if isinstance(universe, Integers) and bits <= LIMB:
        found = _offsets(universe, labels)
        if found is not None:
            return found
    if isinstance(universe, ByLength):
        return _ranks(universe, labels)
    return from_numbers((universe.index(label) for label in labels), bits)


def _offsets(universe: Integers, labels: Sequence[Any]) -> Limbs | None:
    """label - low for integers that numpy holds; None where it does not."""
    try:
        held = np.asarray(labels)
    except OverflowError:
        return None
    if held.ndim != 1 or held.dtype.kind not in "iu" or not held.size:
        return None
    if not isinstance(labels, np.ndarray | range) and set(map(type, labels)) != {int}:  # numpy takes True for 1
        return None
    if not (universe.low <= int(held.min()) and int(held.max()) <= universe.high):
        outside = held.min() if int(held.min()) < universe.low else held.max()
        raise DataError(f"the label {int(outside)} is outside of the universe {universe.low}..{universe.high}")
    wide = held.astype(np.uint64) if held.dtype.kind == "u" else held.astype(np.int64).view(np.uint64)
    return np.subtract(wide, np.uint64(universe.low % 2**LIMB)).reshape(1, -1)


def _encoded(universe: ByLength, labels: Sequence[Any]) -> list[bytes]:
    """`universe.encoded` of all labels; without a call for each where all are text in UTF-8."""
    if universe.kind == "text" and set(map(type, labels)) == {str}:
        try:
            every = list(map(str.encode, labels))
        except UnicodeEncodeError:  # surrogate escapes
            every = []
        if every and max(map(len, every)) <= universe.most:
            return every
    return [universe.encoded(label) for label in labels]


def _ranks(universe: ByLength, labels: Sequence[Any]) -> Limbs:
    """`universe.index` of all labels: their bytes as a number of 128 bits, and how many are shorter."""
    every = _encoded(universe, labels)
    padded = map(bytes.rjust, every, repeat(MOST_BYTES), repeat(b"\0"))
    packed = np.frombuffer(b"".join(padded), ">u8").astype(np.uint64)
    high, low = packed.reshape(-1, 2).T
    lengths = np.fromiter(map(len, every), np.intp, len(every))
    starts = from_numbers(map(shorter_than, range(MOST_BYTES + 1)), 2 * LIMB)[:, lengths]
    sums = np.empty((3, len(every)), np.uint64)
    sums[2] = low + starts[1]
    carry = (sums[2] < low).astype(np.uint64)
    middle = high + starts[0]
    sums[1] = middle + carry
    sums[0] = ((middle < high) | (sums[1] < middle)).astype(np.uint64)
    return sums[-max(1, -(-ceil_log2(universe.size) // LIMB)) :]


def labels_at(universe: Universe[Any], found: Limbs) -> list[Any]:
    """The labels of indices in 0..size-1."""
    return [universe.label(index) for index in as_numbers(found)]
