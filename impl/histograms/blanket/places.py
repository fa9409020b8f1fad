"""Draws from stretched weights on whole arrays: the counts of slots, and skewed noise."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from finitedp.errors import ParameterError
from finitedp.impl.counting.dyadic_bulk import CHUNK
from finitedp.impl.histograms.blanket.limbs import Limbs, from_numbers, less, limbs_for, words_of
from finitedp.impl.histograms.blanket.skewed import SkewedSample
from finitedp.impl.histograms.blanket.stretched import Stretched
from finitedp.impl.randomness.words import WordSource

__all__ = ["places", "skewed_apply", "skewed_release"]

Counts = NDArray[np.int64]

TOP = (1 << 63) - 1
FEW = 64  # a stretch of equal weights up to this length is written out
MOST_WRITTEN = 1 << 22  # weights of a stretch that are written out where they are too large for a quotient of 63 bits


Lookup = Callable[[Limbs], Counts]


def places(weights: Stretched, bits: int) -> Lookup:
    """`weights.place` of each word: a bisection over the head, and a quotient beyond.

    Raises: ParameterError where the quotient would not fit. Cost: the same operations for all words of one number.
    """
    far = weights.stretch > FEW and (weights.sums[-1] <= TOP or weights.size > MOST_WRITTEN)
    if far and weights.sums[-1] > TOP:
        raise ParameterError("the weights do not fit into arrays of int64; accepted: a smaller n, or draws on coins")
    ends = [weights.from_place(place) for place in range(1, len(weights.head) + 1 if far else weights.size)]
    strides = [1 << shift for shift in reversed(range(len(ends).bit_length()))]
    thresholds = from_numbers([*ends, *[0] * (2 * sum(strides[:1]))], bits)
    edge = from_numbers([weights.sums[-1] if far else 0], bits)

    def look_up(words: Limbs) -> Counts:
        place = np.zeros(words.shape[1], np.int64)
        for stride in strides:
            place += stride * less(words, thresholds[:, place + (stride - 1)])
        if not far:
            return place
        low = np.minimum(words[-1], np.uint64(TOP)).view(np.int64)
        beyond = np.minimum(weights.size - 2 - (low - weights.last) // weights.tail, weights.size - 1)
        return np.where(less(words, edge), beyond, place)

    return look_up


def skewed_apply(mechanism: SkewedSample, counts: Counts, words: Limbs) -> Counts:
    """mechanism.apply(count, 1 + word) for each element. Source: FD.Blanket.skewed.

    Parameters: counts in 0..n; words of B bits as limbs. Cost: the same operations for all inputs of one length.
    """
    return _by_chunks(mechanism, counts, lambda start, size: words[:, start : start + size])


def skewed_release(mechanism: SkewedSample, counts: Counts, source: WordSource) -> Counts:
    """The same with fresh words, a chunk of them at a time. Source: FD.Blanket.skewed."""
    return _by_chunks(mechanism, counts, lambda _start, size: words_of(mechanism.word, size, source))


def _by_chunks(mechanism: SkewedSample, counts: Counts, draw: Callable[[int, int], Limbs]) -> Counts:
    table, bits, noisy = mechanism.table, mechanism.word, np.empty_like(counts)
    up, down = places(table.ups, bits), places(table.downs, bits)
    top = np.uint64((1 << (bits - 64 * (limbs_for(bits) - 1))) - 1)
    for start in range(0, counts.size, CHUNK):
        some = counts[start : start + CHUNK]
        words = draw(start, some.size)
        other = ~words  # 2^B - 1 - word
        other[0] &= top
        found = some + up(words) - down(other)
        noisy[start : start + CHUNK] = np.clip(found, 0, mechanism.n)
    return noisy
