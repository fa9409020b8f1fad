"""DyadicSample on whole arrays: int64 counts in, int64 noisy counts out, equal to the scalar path on the same words.

`apply_array` and `release_array` are the strict path: which operations run, on arrays of which length, depends on the shape
of the input and on the table alone. There is no early exit, no sorting, and no selection of elements: each step of the
bisection is a gather, a subtraction, a shift and two bit operations for every element. What that does not cover: the
addresses that are gathered, hence the cache, and the nanoseconds of one operation.

The functions whose name ends in `_data_dependent_time` look most noise up by the word's first 16 bits and bisect only where
those do not decide. Their time tells how often that happened: something about the noise of the release.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from finitedp.errors import ClaimError, DataError, ParameterError
from finitedp.impl.counting.dyadic import DyadicSample
from finitedp.impl.counting.dyadic_plan import LIMB, TOP, Plan, Windows, limbs, plan_of
from finitedp.impl.randomness.coins import random_bytes
from finitedp.impl.randomness.words import SystemWords, WordSource

__all__ = [
    "CHUNK",
    "apply_array",
    "apply_array_data_dependent_time",
    "checked_counts",
    "limbs",
    "random_words",
    "release_array",
    "release_array_data_dependent_time",
]

Counts = NDArray[np.int64]
Words = NDArray[np.uint64]
Limbs = Words | tuple[Words, ...]  # the most significant first
Thresholds = tuple[tuple[int, tuple[Words, ...]], ...]

CHUNK = 1 << 15  # elements that are worked on at a time, so that their intermediate values stay in the cache


@lru_cache(maxsize=16)
def _plan(mechanism: DyadicSample) -> Plan:
    plan = plan_of(mechanism)
    _check_plan(mechanism, plan)
    return plan


def _check_plan(mechanism: DyadicSample, plan: Plan) -> None:
    """Try words around the ends of the table and of the limbs: both paths must do what the scalar one does.

    Raises: ClaimError, so that arithmetic which does not fit cannot become noise. Cost: a few hundred words on each path.
    """
    n, table, whole = mechanism.n, mechanism.table, mechanism.d
    strides = (1 << bit for bit in range(n.bit_length()))
    places = {2, 3, len(table.head), len(table.head) + 1, n // 2, n - 1, n, *strides}
    ends = {0, TOP, TOP + 1, 2 * TOP + 2, whole // 4, *(table.upper(j) for j in places if j > 0)}
    if plan.windows is not None:
        behind = plan.windows.base - plan.windows.more
        ends |= {1 << (LIMB + plan.windows.low), *(table.upper(j) for j in (behind, behind + 1) if 0 < j <= len(table.head))}
    near = sorted({x + step for x in ends for step in (-1, 0, 1) if 0 <= x + step < whole // 2})
    words = [*near, *(whole - 1 - x for x in near)]
    parts = [[word >> (LIMB * i) & (2**LIMB - 1) for word in words] for i in reversed(range(plan.limbs))]
    true = [n] * len(near) + [0] * len(near)  # so that no noise is clamped
    rows, counts = np.array(parts, np.uint64), np.array(true, np.int64)
    expected = [mechanism.apply(count, 1 + word) for count, word in zip(true, words, strict=True)]
    for path in (_strict, _data_dependent_time):
        found = np.empty_like(counts)
        path(plan, counts, rows, _room(plan, len(words)), found)
        if found.tolist() != expected:
            raise ClaimError(f"arrays would not have the law of {mechanism!r}: please report it")


# Input


def checked_counts(mechanism: DyadicSample, counts: object) -> Counts:
    """The counts as int64, without gaps in memory. Every element is looked at, whatever is found.

    No Python integer is made of them: how long one is, and what comparing it takes, depends on the count.
    """
    if not isinstance(counts, np.ndarray) or isinstance(counts, np.ma.MaskedArray):
        raise DataError(f"counts is a {type(counts).__name__}; accepted: a numpy array of integers without a mask")
    if counts.dtype.kind not in "iu" or not np.can_cast(counts.dtype, np.int64):
        accepted = "int64 and narrower integers; where all are whole numbers, counts.astype('int64')"
        raise DataError(f"counts has dtype {counts.dtype}; accepted: {accepted}")
    whole = np.ascontiguousarray(counts, np.int64).reshape(counts.shape)  # what has no dimension would get one
    if whole.size and whole.view(np.uint64).max() > np.uint64(min(mechanism.n, TOP)):  # a negative one is above 2^63
        first = np.argmax((whole < 0) | (whole > mechanism.n))
        place = ", ".join(str(int(i)) for i in np.unravel_index(first, whole.shape))
        raise DataError(f"counts[{place}] is out of range; accepted: counts from 0 to {mechanism.n}")
    return whole


def _checked_words(mechanism: DyadicSample, words: object, size: int) -> Words:
    """The words as rows. What 64 bits can hold is not looked at where the word has them all; no Python integers, as above."""
    parts = limbs(mechanism)
    used = mechanism.word - LIMB * (parts - 1)  # of the first 64 bits
    shape = (size,) if parts == 1 else (parts, size)
    if not isinstance(words, np.ndarray) or words.dtype != np.uint64 or words.shape != shape:
        raise ParameterError(f"words is not an array of uint64 of shape {shape}, one row for each 64 bits of a draw")
    rows = words.reshape(parts, size)
    if used < LIMB and np.bitwise_or.reduce(rows[0]) >> np.uint64(used) != np.uint64(0):
        raise ParameterError(f"words holds a number of more than {mechanism.word} bits; accepted: 0 to 2^{mechanism.word} - 1")
    return rows


def random_words(mechanism: DyadicSample, size: int, source: WordSource) -> Words:
    """`size` draws of the mechanism's word: one row for each 64 bits, the most significant first.

    Returns: uint64 of shape (limbs, size). Raises: CoinsError where the source gives another number of bytes.
    Cost: one `read` of 8 * limbs * size bytes.
    """
    parts = limbs(mechanism)
    read = random_bytes(source.read, 8 * parts * size)
    drawn = np.frombuffer(read, np.dtype("<u8")).astype(np.uint64, copy=False).reshape(parts, size)
    spare = LIMB * parts - mechanism.word
    if not spare:
        return drawn
    return np.concatenate([drawn[:1] >> np.uint64(spare), drawn[1:]])


# The strict path


class _Room(NamedTuple):
    """Arrays for the intermediate values of one chunk, used again for the next."""

    up: Words
    steps: Words
    high: Words
    folded: Words
    place: Counts
    narrow: NDArray[np.int16 | np.int32]
    bit: NDArray[np.int16 | np.int32]
    below: NDArray[np.bool_]
    less: NDArray[np.bool_]
    equal: NDArray[np.bool_]

    def first(self, size: int) -> "_Room":
        """The same room, for a shorter chunk."""
        return _Room._make(array[..., :size] for array in self)


def _room(plan: Plan, size: int) -> _Room:
    """Room for a chunk of a size."""
    up, steps, high = np.empty(size, np.uint64), np.empty(size, np.uint64), np.empty(size, np.uint64)
    below, less, equal = np.empty(size, np.bool_), np.empty(size, np.bool_), np.empty(size, np.bool_)
    folded, place = np.empty((plan.limbs, size), np.uint64), np.empty(size, np.int64)
    narrow, bit = np.empty(size, plan.narrow), np.empty(size, plan.narrow)
    return _Room(up, steps, high, folded, place, narrow, bit, below, less, equal)


def _fold(plan: Plan, words: Words, room: _Room) -> None:
    """Room.up: all ones where the word's first bit is 1, else 0; room.folded: the word, or its complement there."""
    np.right_shift(words[0], np.uint64(plan.top_bits - 1), out=room.up)
    np.negative(room.up, out=room.up)
    np.bitwise_xor(words, room.up, out=room.folded)
    if plan.top_bits < LIMB:
        np.bitwise_and(room.folded[0], np.uint64((1 << (plan.top_bits - 1)) - 1), out=room.folded[0])


def _bisect(plan: Plan, room: _Room) -> None:
    """Room.place: how many of the thresholds S_1, ..., S_h are above the folded word."""
    if plan.windows is None:
        np.copyto(room.place, 0)
        np.copyto(room.narrow, 0)
        _descend(plan.thresholds, room.folded, room)
        return
    _enter(plan.windows, room)
    _descend(plan.windows.thresholds, (room.high,), room)
    _leave(plan.windows, room)
    _compare(plan.thresholds[-1][1], room.folded, room)  # with the threshold behind those that were found
    np.copyto(room.bit, room.below)
    np.add(room.narrow, room.bit, out=room.narrow)
    np.copyto(room.place, room.narrow)


def _descend(thresholds: Thresholds, word: Limbs, room: _Room) -> None:
    """Add to room.place, which room.narrow is too, how many of the thresholds from there on are above the word."""
    for stride, parts in thresholds:
        _compare(parts, word, room)
        np.copyto(room.bit, room.below)
        np.left_shift(room.bit, stride.bit_length() - 1, out=room.bit)
        np.bitwise_or(room.narrow, room.bit, out=room.narrow)
        np.copyto(room.place, room.narrow)


def _compare(parts: tuple[Words, ...], word: Limbs, room: _Room) -> None:
    """Room.below: whether the word is below the threshold at room.place."""
    np.take(parts[-1], room.place, out=room.steps, mode="clip")
    np.less(word[-1], room.steps, out=room.below)
    for i in reversed(range(len(parts) - 1)):  # whether the limbs from the i-th on are below those of the threshold
        np.take(parts[i], room.place, out=room.steps, mode="clip")
        np.less(word[i], room.steps, out=room.less)
        np.equal(word[i], room.steps, out=room.equal)
        np.logical_and(room.equal, room.below, out=room.equal)
        np.logical_or(room.less, room.equal, out=room.below)


def _enter(windows: Windows, room: _Room) -> None:
    """Room.high: the 64 bits of the word's window; room.place and room.narrow: where its thresholds begin."""
    np.less(room.folded[0], np.uint64(1 << windows.low), out=room.below)
    np.copyto(room.high, room.below)
    np.multiply(room.high, np.uint64(LIMB - 1 - windows.low), out=room.high)
    np.subtract(np.uint64(LIMB - 1), room.high, out=room.steps)  # how many bits are left out
    np.add(room.high, np.uint64(1), out=room.high)
    np.left_shift(room.folded[0], room.high, out=room.high)
    np.right_shift(room.folded[1], room.steps, out=room.steps)
    np.bitwise_or(room.high, room.steps, out=room.high)
    np.copyto(room.narrow, room.below)
    np.left_shift(room.narrow, windows.base.bit_length() - 1, out=room.narrow)
    np.copyto(room.place, room.narrow)


def _leave(windows: Windows, room: _Room) -> None:
    """Room.place and room.narrow: how many thresholds are above the word by the bits of its window."""
    np.right_shift(room.narrow, windows.base.bit_length() - 1, out=room.bit)
    np.multiply(room.bit, windows.more, out=room.bit)
    np.subtract(room.narrow, room.bit, out=room.narrow)
    np.copyto(room.place, room.narrow)


def _stretch(plan: Plan, room: _Room) -> None:
    """Room.place: |Z| also where the folded word is below S_h; elsewhere the quotient is not above the place."""
    far, quotient = room.folded[-1], room.steps.view(np.int64)
    if plan.limbs > 1:  # a word that does not fit into 63 bits counts as 2^63 - 1, which is beyond every stretch
        high = room.folded[0]
        for i in range(1, plan.limbs - 1):
            high = np.bitwise_or(high, room.folded[i], out=room.high)
        np.not_equal(high, np.uint64(0), out=room.less)
        np.copyto(room.steps, room.less)
        np.negative(room.steps, out=room.steps)
        np.bitwise_or(room.steps, far, out=room.steps)
        far = np.minimum(room.steps, np.uint64(TOP), out=room.steps)
    np.subtract(far.view(np.int64), plan.last, out=quotient)
    np.floor_divide(quotient, plan.tail, out=quotient)
    np.subtract(plan.n - 1, quotient, out=quotient)
    np.maximum(room.place, quotient, out=room.place)


def _finish(plan: Plan, counts: Counts, room: _Room, out: Counts) -> None:
    """Out: the count plus room.place where room.up, else minus it, clamped."""
    minus = room.up.view(np.int64)  # -1 or 0
    np.bitwise_xor(room.place, minus, out=room.place)
    np.subtract(room.place, minus, out=room.place)
    np.subtract(counts, room.place, out=room.place)
    np.maximum(room.place, 0, out=room.place)
    np.minimum(room.place, plan.n, out=out)


def _strict(plan: Plan, counts: Counts, words: Words, room: _Room, out: Counts) -> None:
    _fold(plan, words, room)
    _bisect(plan, room)
    if plan.tail:
        _stretch(plan, room)
    _finish(plan, counts, room, out)


def _data_dependent_time(plan: Plan, counts: Counts, words: Words, room: _Room, out: Counts) -> None:
    _fold(plan, words, room)
    np.right_shift(room.folded[0], np.uint64(plan.prefix_shift), out=room.steps)
    found = np.take(plan.prefix, room.steps.view(np.int64), mode="clip")
    np.copyto(room.place, found)
    _finish(plan, counts, room, out)
    undecided = np.flatnonzero(found < 0)
    if undecided.size:
        noisy = np.empty(undecided.size, np.int64)
        _strict(plan, counts[undecided], words[:, undecided], _room(plan, undecided.size), noisy)
        out[undecided] = noisy


# By chunks

_Path = Callable[[Plan, Counts, Words, _Room, Counts], None]


def _by_chunks(mechanism: DyadicSample, counts: Counts, draw: Callable[[int, int], Words], path: _Path) -> Counts:
    """The noisy counts, where draw(start, size) gives the words of a chunk."""
    plan, row = _plan(mechanism), counts.reshape(-1)
    noisy, room = np.empty_like(row), _room(plan, min(CHUNK, row.size))
    for start in range(0, row.size, CHUNK):
        some = row[start : start + CHUNK]
        path(plan, some, draw(start, some.size), room.first(some.size), noisy[start : start + CHUNK])
    return noisy.reshape(counts.shape)


def _applied(mechanism: DyadicSample, counts: object, words: object, path: _Path) -> Counts:
    checked = checked_counts(mechanism, counts)
    rows = _checked_words(mechanism, words, checked.size)
    return _by_chunks(mechanism, checked, lambda start, size: rows[:, start : start + size], path)


def apply_array(mechanism: DyadicSample, counts: Counts, words: Words) -> Counts:
    """mechanism.apply(count, 1 + word) for each element, by the strict path.

    Source: FD.Dyadic.arrays. Parameters: counts, integers in 0..n that fit into int64, of any shape; words, uint64, one for
    each count in their order, or one row of them for each 64 bits of a draw, the most significant first.
    Returns: int64, of the shape of counts. Raises: DataError for counts, ParameterError for words, or for n so large that the
    arithmetic would not fit into 63 bits.
    Cost: the same operations for all inputs of one shape; about 20 ns a count at epsilon = 1/10 and 64 bits.
    """
    return _applied(mechanism, counts, words, _strict)


def apply_array_data_dependent_time(mechanism: DyadicSample, counts: Counts, words: Words) -> Counts:
    """The same numbers as `apply_array`, sooner, in a time that depends on the words. Raises: as `apply_array`."""
    return _applied(mechanism, counts, words, _data_dependent_time)


def release_array(mechanism: DyadicSample, counts: Counts, source: WordSource | None = None) -> Counts:
    """An independent noisy count for each element: mechanism.release on arrays, by the strict path.

    Source: FD.Dyadic.arrays. Parameters: counts, integers in 0..n that fit into int64, of any shape; source, the operating
    system's generator by default. Returns: int64, of the shape of counts. Raises: DataError, ParameterError.
    Cost: as `apply_array`, and the source's.
    """
    return _released(mechanism, counts, source, _strict)


def release_array_data_dependent_time(mechanism: DyadicSample, counts: Counts, source: WordSource | None = None) -> Counts:
    """The same law as `release_array`, sooner, in a time that depends on the noise. Take it where nobody measures time.

    Source: FD.Dyadic.arrays. Raises: as `release_array`.
    """
    return _released(mechanism, counts, source, _data_dependent_time)


def _released(mechanism: DyadicSample, counts: object, source: WordSource | None, path: _Path) -> Counts:
    words, checked = SystemWords() if source is None else source, checked_counts(mechanism, counts)
    return _by_chunks(mechanism, checked, lambda _start, size: random_words(mechanism, size, words), path)
