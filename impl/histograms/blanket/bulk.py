"""BlanketHistogram on whole arrays: equal to the scalar path on the same words.

Which operations run, on arrays of which length, depends on n, L and G alone up to the last line, where what is released is
taken out: there is no early exit, all L slots are worked on whatever their number N is (which must not show: it and the
release together are not private), and a release that is withheld takes the same steps. What that does not cover: the
addresses that are gathered, hence the cache, and the nanoseconds in which numpy sorts.
"""

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from finitedp.errors import DataError
from finitedp.impl.counting.dyadic_bulk import apply_array, release_array
from finitedp.impl.histograms.blanket.limbs import LIMB, Limbs, equal, from_numbers, less, limbs_for, order, rank, words_of
from finitedp.impl.histograms.blanket.places import places, skewed_apply, skewed_release
from finitedp.impl.histograms.blanket.plan import BlanketPlan
from finitedp.impl.histograms.blanket.skewed import SkewedSample
from finitedp.impl.histograms.dyadic import total
from finitedp.impl.randomness.words import SystemWords, WordSource

__all__ = ["BlanketWords", "Rows", "apply_rows", "bits_read", "release_rows", "rows_of_counts", "rows_of_labels"]

Counts = NDArray[np.int64]
Bits = NDArray[np.bool_]


@frozen(eq=False)
class Rows:
    """The true data, not private: the labels of `size` rows in increasing order, anything behind them; shape (limbs, n)."""

    labels: Limbs
    size: int


def rows_of_labels(plan: BlanketPlan, labels: Limbs) -> Rows:
    """Rows by their labels. Source: FD.Blanket.arrays.

    Parameters: labels, indices in 0..2^k - 1 as limbs, in any order; they may be overwritten where there are n of one limb.
    Raises: DataError for more than n rows. Cost: a sort of n labels, whatever their number.
    """
    size = labels.shape[1]
    if size > plan.n:
        raise DataError(f"the dataset has {size} rows, more than n = {plan.n}")
    if size < plan.n:
        padded = np.full((labels.shape[0], plan.n), np.uint64(2**64 - 1))
        padded[:, :size] = labels
        labels = padded
    if labels.shape[0] == 1:
        labels[0].sort()
        return Rows(labels, size)
    return Rows(np.ascontiguousarray(labels[:, order(labels)]), size)


def rows_of_counts(plan: BlanketPlan, labels: Limbs, counts: Counts) -> Rows:
    """The same of distinct labels and their counts.

    Raises: DataError for a count below 0, more than n rows, or a label that is there twice. Cost: as many steps as there are
    labels, and then n.
    """
    if counts.size and int(counts.min()) < 0:
        raise DataError("a count is negative; accepted: counts of 0 and more")
    size = total(counts)
    if size > plan.n:
        raise DataError(f"the dataset has {size} rows, more than n = {plan.n}")
    places = order(labels)
    distinct = labels[:, places]
    if np.any(equal(distinct[:, 1:], distinct[:, :-1])):
        raise DataError("two labels have one index; accepted: one each")
    ordered = np.full((labels.shape[0], plan.n), np.uint64(2**64 - 1))
    ordered[:, :size] = np.repeat(distinct, counts[places], axis=1)
    return Rows(ordered, size)


@frozen(eq=False)
class BlanketWords:
    """All random words of a release, as limbs: of B bits for n rows, of h bits for G slots, of k bits and of C bits for L."""

    noise: Limbs
    slots: Limbs
    labels: Limbs
    counts: Limbs


def apply_rows(plan: BlanketPlan, rows: Rows, words: BlanketWords) -> tuple[Limbs, Counts] | None:
    """What the scalar `draw` gives on the same words: labels and counts by increasing label, None where it is withheld.

    Source: FD.Blanket.arrays. Raises: ParameterError where the words are not those of the plan, or n is too large for arrays.
    """
    at_end = _counts_at_ends(rows)
    if isinstance(plan.mechanism, SkewedSample):
        noisy = skewed_apply(plan.mechanism, at_end, words.noise)
    else:
        noisy = apply_array(plan.mechanism, at_end, words.noise[0] if words.noise.shape[0] == 1 else words.noise)
    return _released(plan, rows, at_end, noisy, words.slots, words.labels, words.counts)


def release_rows(plan: BlanketPlan, rows: Rows, source: WordSource | None = None) -> tuple[Limbs, Counts] | None:
    """`draw` on arrays, with fresh words; the noise a chunk of them at a time.

    Source: FD.Blanket.arrays. Parameters: source, the operating system's generator by default.
    Cost: exactly n words of B bits, G of h, L of k and L of C, whatever the data and the result are.
    """
    words, at_end = SystemWords() if source is None else source, _counts_at_ends(rows)
    if isinstance(plan.mechanism, SkewedSample):
        noisy = skewed_release(plan.mechanism, at_end, words)
    else:
        noisy = release_array(plan.mechanism, at_end, words)
    slots = words_of(plan.hit_bits, plan.slots, words)
    labels, counts = words_of(plan.label_bits, plan.cap, words), words_of(plan.count_bits, plan.cap, words)
    return _released(plan, rows, at_end, noisy, slots, labels, counts)


def bits_read(plan: BlanketPlan) -> int:
    """How many random bits `release_rows` reads: whole limbs for every word. Source: FD.Blanket.work."""
    each = limbs_for(plan.label_bits) + limbs_for(plan.count_bits)
    words = plan.n * limbs_for(plan.mechanism.word) + plan.slots * limbs_for(plan.hit_bits) + plan.cap * each
    return LIMB * words


def _counts_at_ends(rows: Rows) -> Counts:
    """At the last of the rows of each label its count, elsewhere 0."""
    n = rows.labels.shape[1]
    place = np.arange(n, dtype=np.int64)
    end = place == rows.size - 1
    for row in rows.labels:
        end[:-1] |= row[1:] != row[:-1]
    end &= place < rows.size
    last = np.where(end, place, np.int64(-1))
    np.maximum.accumulate(last, out=last)
    before = np.empty(n, np.int64)
    before[0], before[1:] = -1, last[:-1]
    np.subtract(place, before, out=place)
    np.multiply(place, end, out=place)
    return place


def _released(
    plan: BlanketPlan, rows: Rows, at_end: Counts, noisy: Counts, slots: Limbs, labels: Limbs, words: Limbs
) -> tuple[Limbs, Counts] | None:
    shown = (at_end > 0) & (noisy > plan.b)
    number = int(np.count_nonzero(shown))
    hits = int(np.count_nonzero(less(slots, from_numbers([plan.hit], plan.hit_bits))))
    shown_labels, shown_counts = _first_shown(plan, rows, shown, noisy)
    fresh = (np.arange(plan.cap) < hits) & ~_among(labels, rows)
    every = np.concatenate([shown_labels, labels], axis=1)
    values = np.concatenate([shown_counts, plan.b + 1 + places(plan.counts, plan.count_bits)(words)])
    used = np.concatenate([np.arange(plan.cap) < number, fresh])
    used &= number + hits <= plan.cap
    ordered = np.lexsort((*every[::-1], ~used))  # those that are used first, by label, of equal ones the first slot
    every, values, used = every[:, ordered], values[ordered], used[ordered]
    used[1:] &= ~equal(every[:, 1:], every[:, :-1])
    return (every[:, used], values[used]) if number + hits <= plan.cap else None


def _first_shown(plan: BlanketPlan, rows: Rows, shown: Bits, noisy: Counts) -> tuple[Limbs, Counts]:
    """The first L labels that are shown, and their counts; behind them anything."""
    to = np.cumsum(shown, dtype=np.int64)
    to -= 1
    np.copyto(to, plan.cap, where=~shown)
    np.minimum(to, plan.cap, out=to)
    labels, counts = np.zeros((rows.labels.shape[0], plan.cap + 1), np.uint64), np.zeros(plan.cap + 1, np.int64)
    counts[to] = noisy
    for row, found in zip(rows.labels, labels, strict=True):
        found[to] = row
    return labels[:, : plan.cap], counts[: plan.cap]


def _among(labels: Limbs, rows: Rows) -> Bits:
    """Which labels occur."""
    places = rank(labels, rows.labels, rows.size)
    there = rows.labels[:, np.minimum(places, rows.labels.shape[1] - 1)]
    return equal(there, labels) & (places < rows.size)
