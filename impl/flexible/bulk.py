"""ShiftedTruncated on whole arrays: int64 counts in, int64 noisy counts out, equal to the scalar path on the same words.

The strict path alone: which operations run depends on how many bars there are and on the table. Each step of the bisection is
a gather and a comparison for every element; what that does not cover: the addresses that are gathered, hence the cache.
Words of up to 64 bits are compared with the ends C_1, ..., C_(q-1) as unsigned integers; longer ones are left to the scalar
path, which numpy would not outrun with numbers of several words.
"""

from functools import lru_cache

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from finitedp.errors import ClaimError, DataError, ParameterError
from finitedp.impl.flexible.shifted_truncated import ShiftedTruncated
from finitedp.impl.randomness.coins import random_bytes
from finitedp.impl.randomness.words import SystemWords, WordSource

__all__ = ["CHUNK", "apply_array", "release_array"]

Counts = NDArray[np.int64]
Words = NDArray[np.uint64]

CHUNK = 1 << 15  # elements that are worked on at a time, so that their intermediate values stay in the cache
LIMB = 64


@frozen(eq=False)
class _Plan:
    """For each stride of the bisection C_stride, C_(stride + 1), ...; beyond C_(q-1) the largest word, and how far that is j.

    No end C_j is 2^64; an end beyond the table would be, so that 2^64 - 1 stands for it, which the one word of that value
    reaches: `most` takes that back.
    """

    steps: tuple[tuple[int, Words], ...]
    most: int
    spare: int


@lru_cache(maxsize=16)
def _plan(mechanism: ShiftedTruncated) -> _Plan:
    if mechanism.word > LIMB:
        raise ParameterError(f"word = {mechanism.word} is above {LIMB}, up to which arrays are drawn; accepted: word = {LIMB}")
    q = mechanism.q
    strides = [1 << shift for shift in reversed(range((q - 1).bit_length()))]
    room = 2 * strides[0] if strides else 1
    ends = np.array([0, *mechanism.table.ends[:-1], *[(1 << LIMB) - 1] * (room - q)], np.uint64)
    plan = _Plan(tuple((stride, ends[stride:]) for stride in strides), q - 1, LIMB - mechanism.word)
    _check_plan(mechanism, plan)
    return plan


def _check_plan(mechanism: ShiftedTruncated, plan: _Plan) -> None:
    """Try the words around every end: both paths must do the same. Raises: ClaimError."""
    ends = {0, *mechanism.table.ends, (1 << mechanism.word) - 1}
    near = sorted({x + step for x in ends for step in (-1, 0, 1) if 0 <= x + step < 1 << mechanism.word})
    counts = np.full(len(near), mechanism.q, np.int64)
    found = np.empty_like(counts)
    _apply(plan, counts, np.array(near, np.uint64), _Room(len(near)), found)
    if found.tolist() != [mechanism.apply(mechanism.q, word) for word in near]:
        raise ClaimError(f"arrays would not have the law of {mechanism!r}: please report it")


class _Room:
    """Arrays for the intermediate values of one chunk, used again for the next."""

    def __init__(self, size: int) -> None:
        self.place = np.empty(size, np.int64)
        self.step = np.empty(size, np.int64)
        self.ends = np.empty(size, np.uint64)
        self.reached = np.empty(size, np.bool_)


def _apply(plan: _Plan, counts: Counts, words: Words, room: _Room, out: Counts) -> None:
    size = counts.size
    place, step, ends, reached = room.place[:size], room.step[:size], room.ends[:size], room.reached[:size]
    np.copyto(place, 0)
    for stride, from_here in plan.steps:
        np.take(from_here, place, out=ends, mode="clip")
        np.greater_equal(words, ends, out=reached)
        np.multiply(reached, np.int64(stride), out=step)
        np.add(place, step, out=place)
    np.minimum(place, plan.most, out=place)
    np.subtract(counts, place, out=place)
    np.maximum(place, 0, out=out)


def _checked(mechanism: ShiftedTruncated, counts: object) -> Counts:
    if not isinstance(counts, np.ndarray) or isinstance(counts, np.ma.MaskedArray):
        raise DataError(f"counts is a {type(counts).__name__}; accepted: a numpy array of integers without a mask")
    if counts.dtype.kind not in "iu" or not np.can_cast(counts.dtype, np.int64):
        raise DataError(f"counts has dtype {counts.dtype}; accepted: int64 and narrower integers")
    if counts.shape != (mechanism.bars,):
        raise DataError(f"counts has the shape {counts.shape}; accepted: {(mechanism.bars,)}, one for each bar")
    whole = np.ascontiguousarray(counts, np.int64)
    if whole.min() < np.int64(0):
        raise DataError(f"counts[{int(np.argmax(whole < 0))}] is negative; accepted: integers of at least 0")
    return whole


def apply_array(mechanism: ShiftedTruncated, counts: Counts, words: Words) -> Counts:
    """mechanism.apply(count, word) for each bar.

    Source: FD.Shifted.arrays. Parameters: counts, integers of at least 0 that fit into int64, one for each bar; words, uint64,
    one for each bar, below 2^word. Returns: int64. Raises: DataError for counts; ParameterError for words, or above 64 bits.
    Cost: the same operations for all counts; about 25 ns a bar at epsilon = 1 and delta = 2^-20.
    """
    plan, whole = _plan(mechanism), _checked(mechanism, counts)
    if not isinstance(words, np.ndarray) or words.dtype != np.uint64 or words.shape != whole.shape:
        raise ParameterError(f"words is not an array of uint64 of shape {whole.shape}")
    if plan.spare and np.bitwise_or.reduce(words) >> np.uint64(mechanism.word) != np.uint64(0):
        raise ParameterError(f"words holds a number of more than {mechanism.word} bits")
    out, room = np.empty_like(whole), _Room(min(CHUNK, whole.size))
    for start in range(0, whole.size, CHUNK):
        part = slice(start, start + CHUNK)
        _apply(plan, whole[part], words[part], room, out[part])
    return out


def release_array(mechanism: ShiftedTruncated, counts: Counts, source: WordSource | None = None) -> Counts:
    """mechanism.release_counts on an array: an independent noisy count for each bar.

    Source: FD.Shifted.arrays. Parameters: counts, as apply_array; source, the operating system's generator by default.
    Raises: DataError, ParameterError, CoinsError. Cost: as apply_array, and 8 bytes a bar of the source.
    """
    plan, whole, words = _plan(mechanism), _checked(mechanism, counts), SystemWords() if source is None else source
    out, room = np.empty_like(whole), _Room(min(CHUNK, whole.size))
    for start in range(0, whole.size, CHUNK):
        part = whole[start : start + CHUNK]
        read = random_bytes(words.read, 8 * part.size)
        drawn = np.frombuffer(read, np.dtype("<u8")).astype(np.uint64, copy=False)
        if plan.spare:
            drawn = drawn >> np.uint64(plan.spare)
        _apply(plan, part, drawn, room, out[start : start + CHUNK])
    return out
