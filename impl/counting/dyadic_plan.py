"""The weights of a dyadic table as arrays, from which DyadicSample's noise is looked up in bulk."""

from itertools import pairwise

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from finitedp.errors import ParameterError
from finitedp.impl.counting.dyadic import DyadicSample
from finitedp.impl.counting.dyadic_table import LARGEST_TABLE

__all__ = ["LIMB", "TOP", "Plan", "Windows", "limbs", "plan_of"]

Words = NDArray[np.uint64]

PREFIX_BITS = 16
LIMB = 64
TOP = (1 << 63) - 1  # of int64
FEW = 64  # a stretch of equal weights up to this length is written out


@frozen(eq=False)
class Windows:
    """How 64 bits of a folded word of two limbs decide all comparisons but the last one.

    low: words below 2^(64 + low) are compared without their last `low` bits, the others without their last 63: by these bits
    no two thresholds are the same. thresholds: as of Plan, those of the words that are not low, and from the place `base` on
    the others. more: by how much a place from `base` on is above the number of thresholds.
    """

    low: int
    base: int
    more: int
    thresholds: tuple[tuple[int, tuple[Words, ...]], ...]


@frozen(eq=False)
class Plan:
    """A mechanism's table as arrays.

    thresholds: for each stride of the bisection the limbs of S_(stride), S_(stride + 1), ..., most significant first.
    windows: where one limb does most of it. narrow: the integers that hold all places of the bisection. tail: w_h, or 0 where
    all weights are among the thresholds. prefix: |Z| by the first bits of the folded word, or -1.
    """

    n: int
    limbs: int
    top_bits: int
    thresholds: tuple[tuple[int, tuple[Words, ...]], ...]
    windows: Windows | None
    narrow: type[np.int16 | np.int32]
    tail: int
    last: int
    prefix: NDArray[np.int32]
    prefix_shift: int


def limbs(mechanism: DyadicSample) -> int:
    """How many 64-bit words one draw takes: ceil(word / 64)."""
    return -(-mechanism.word // LIMB)


def plan_of(mechanism: DyadicSample) -> Plan:
    """The arrays of a mechanism's table. Raises: ParameterError where the arithmetic would not fit into 63 bits."""
    table, n, size = mechanism.table, mechanism.n, limbs(mechanism)
    stretch = n - len(table.head)
    tail = table.tail if stretch > FEW else 0
    # |Z| is at most n + w_n / w_h before it is clamped. Of two limbs, a word beyond 63 bits is taken for 2^63 - 1, whose
    # quotient must be 0 or less, or it would be taken for the noise.
    if tail and (2 * n + table.last // tail >= TOP or (size > 1 and table.last + (n - 1) * tail > TOP)):
        tail = 0
    if 2 * n >= TOP or (not tail and n > LARGEST_TABLE):
        raise ParameterError(_too_large(mechanism))
    ends = [table.upper(j) for j in range(1, len(table.head) + 1 if tail else n + 1)]
    top_bits = mechanism.word - LIMB * (size - 1)
    shift = max(top_bits - 1 - PREFIX_BITS, 0)
    prefix = _prefix_table(ends, mechanism.word - top_bits + shift, 1 << (top_bits - 1 - shift), bool(tail))
    narrow = np.int16 if len(ends) < 1 << 13 else np.int32  # with room for both windows
    windows = _windows(ends) if mechanism.word == 2 * LIMB else None
    return Plan(n, size, top_bits, _thresholds(ends, size), windows, narrow, tail, table.last, prefix, shift)


def _too_large(mechanism: DyadicSample) -> str:
    n, epsilon, word = mechanism.n, mechanism.epsilon, mechanism.word
    where = f"n = {n} at epsilon = {epsilon} and word = {word}"
    return f"{where} is too large for arrays of int64; accepted: a smaller n or a larger epsilon"


def _thresholds(ends: list[int], size: int) -> tuple[tuple[int, tuple[Words, ...]], ...]:
    """S_1, ..., S_h, and zeros behind them that no word is below, as limbs, from each stride of the bisection on."""
    room = 1 << len(ends).bit_length()
    padded = [0, *ends, *[0] * (2 * room - len(ends) - 1)]
    parts = [np.array([s >> (LIMB * i) & (2**LIMB - 1) for s in padded], np.uint64) for i in reversed(range(size))]
    strides = [1 << shift for shift in reversed(range(len(ends).bit_length()))]
    return tuple((stride, tuple(part[stride:] for part in parts)) for stride in strides)


def _windows(ends: list[int]) -> Windows | None:
    """The windows for words of 128 bits, or None where thresholds are too near to each other."""
    low = min((a - b for a, b in pairwise(ends)), default=0).bit_length() - 1
    large = [s >> (LIMB - 1) for s in ends if s >> (LIMB + max(low, 0))]
    small = [s >> max(low, 0) for s in ends[len(large) :]]
    if not 1 <= low < LIMB - 1 or any(a == b for keys in (large, small) for a, b in pairwise(keys)):
        return None
    levels = max(len(large), len(small)).bit_length()
    base = 1 << levels
    keys = np.array([x for part in (large, small) for x in (0, *part, *[0] * (base - 1 - len(part)))], np.uint64)
    strides = [1 << shift for shift in reversed(range(levels))]
    return Windows(low, base, base - len(large), tuple((stride, (keys[stride:],)) for stride in strides))


def _prefix_table(ends: list[int], shift: int, size: int, tail: bool) -> NDArray[np.int32]:
    """For each prefix i the number of thresholds above the words i 2^shift, ..., (i+1) 2^shift - 1, or -1 if not the same."""

    def at_least(firsts: list[int]) -> NDArray[np.int64]:
        """For each i, how many of these numbers are at least i."""
        found = np.bincount(np.array(firsts, np.int64) + 1, minlength=size + 1)
        return np.cumsum(found[::-1])[::-1][1:].astype(np.int64)

    above_first = at_least([(s - 1) >> shift for s in ends])
    above_last = at_least([(s >> shift) - 1 for s in ends])
    same = above_first == above_last
    if tail:  # words below the last threshold need the quotient
        same[: ((ends[-1] - 1) >> shift) + 1 if ends else size] = False
    return np.where(same, above_first, -1).astype(np.int32)
