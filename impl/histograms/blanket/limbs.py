"""Numbers of more than 64 bits in numpy: rows of uint64, the most significant first, compared, searched and drawn."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from finitedp.impl.randomness.coins import random_bytes
from finitedp.impl.randomness.words import WordSource

__all__ = ["LIMB", "Limbs", "as_numbers", "equal", "from_numbers", "less", "limbs_for", "order", "rank", "words_of"]

Limbs = NDArray[np.uint64]
"""Of shape (limbs, size)."""

Bits = NDArray[np.bool_]
Places = NDArray[np.int64]

LIMB = 64


def limbs_for(bits: int) -> int:
    """How many limbs hold so many bits; at least one."""
    return max(1, -(-bits // LIMB))


def from_numbers(numbers: Iterable[int], bits: int) -> Limbs:
    """Integers in 0..2^bits - 1 as limbs."""
    parts, listed = limbs_for(bits), list(numbers)
    packed = b"".join(number.to_bytes(8 * parts, "big") for number in listed)
    return np.ascontiguousarray(np.frombuffer(packed, ">u8").reshape(len(listed), parts).T.astype(np.uint64))


def as_numbers(limbs: Limbs) -> list[int]:
    """The integers."""
    rows = limbs.tolist()
    found = [0] * limbs.shape[1]
    for row in rows:
        found = [(number << LIMB) | limb for number, limb in zip(found, row, strict=True)]
    return found


def words_of(bits: int, size: int, source: WordSource) -> Limbs:
    """`size` uniform words of so many bits, from one read of the source. Raises: CoinsError."""
    parts = limbs_for(bits)
    drawn = np.frombuffer(random_bytes(source.read, 8 * parts * size), "<u8").astype(np.uint64).reshape(parts, size)
    if bits == 0:
        drawn[0] = np.uint64(0)
    elif bits < LIMB * parts:
        np.right_shift(drawn[0], np.uint64(LIMB * parts - bits), out=drawn[0])
    return drawn


def less(left: Limbs, right: Limbs) -> Bits:
    """Whether left < right, element by element. Cost: the same operations for all values."""
    found: Bits = left[-1] < right[-1]
    for a, b in zip(left[-2::-1], right[-2::-1], strict=True):
        found = (a < b) | ((a == b) & found)
    return found


def equal(left: Limbs, right: Limbs) -> Bits:
    """Whether left == right, element by element."""
    same: Bits = np.logical_and.reduce(left == right)
    return same


def order(limbs: Limbs) -> NDArray[np.intp]:
    """The places of the numbers in increasing order; of equal ones, the first first."""
    return np.argsort(limbs[0], kind="stable") if limbs.shape[0] == 1 else np.lexsort(limbs[::-1])


def rank(wanted: Limbs, among: Limbs, size: int) -> Places:
    """How many of the first `size` of increasing numbers are below each wanted one.

    Cost: one gather for each bit of among's length, whatever the numbers and the size are.
    """
    places = np.zeros(wanted.shape[1], np.int64)
    last = among.shape[1] - 1
    for shift in reversed(range(among.shape[1].bit_length())):
        probe = places + (1 << shift)
        below = less(among[:, np.minimum(probe - 1, last)], wanted) & (probe <= size)
        places += below.astype(np.int64) << shift
    return places
