"""BasicHistogram and StabilityHistogram on dyadic tables: how they are made, and whole arrays of counts at once.

Privacy has no slack on any coins, epsilon and delta may be any rationals, and the stability threshold is the least that the
table allows for a delta. See docs/dyadic.md. A row that is added or removed changes one count, and not two: for add-remove
they stand on the table of 2 epsilon, and `add_remove_claim` is their claim.
"""

from collections.abc import Hashable, Iterable, Iterator
from typing import Any, TypeVar

import numpy as np
from gmpy2 import mpq
from numpy.typing import NDArray

from finitedp.claim import Accuracy, HistogramAccuracy
from finitedp.errors import DataError, ParameterError
from finitedp.exact import RationalLike, probability, rational
from finitedp.impl.arithmetic.kernels import least_reaching
from finitedp.impl.counting.dyadic import DyadicSample
from finitedp.impl.counting.dyadic_bulk import CHUNK, checked_counts, release_array
from finitedp.impl.counting.dyadic_plan import TOP
from finitedp.impl.counting.dyadic_table import LARGEST_WORD, OFFERED_WORDS, positive_epsilon
from finitedp.impl.flexible.tables import dataset_neighbours
from finitedp.impl.histograms.basic import BasicHistogram, ordered_labels
from finitedp.impl.histograms.stability import StabilityHistogram
from finitedp.impl.histograms.units import least_unit_threshold
from finitedp.impl.randomness.words import WordSource
from finitedp.units import Unit

__all__ = [
    "MOST_PADDED",
    "basic_histogram_with_dyadic_sample",
    "least_threshold",
    "on_a_table",
    "stability_histogram_with_dyadic_sample",
    "stability_release_array",
    "stability_release_clamped",
    "threshold_accuracy",
    "total",
]

Counts = NDArray[np.int64]
L = TypeVar("L", bound=Hashable)

AT_ONCE = 32 * CHUNK  # padded draws that are in memory together
MOST_PADDED = 10**11  # an hour's work or more


def basic_histogram_with_dyadic_sample(
    labels: Iterable[L],
    n: int,
    epsilon: RationalLike,
    word: int | None = None,
    beta: RationalLike = "1/20",
    neighbours: str = "replace-one",
    unit: Unit | None = None,
) -> BasicHistogram[L]:
    """BasicHistogram on a dyadic table: (epsilon, 0)-differentially private, with worst ratio at most R^2 (add-remove: R).

    Source: FD.Dyadic.basic.private, FD.Dyadic.basic.add-remove, FD.Unit.ratio.
    Parameters: labels, all of X; n >= 1 rows at most; epsilon > 0, any rational; word, the bits of a draw, by default 64, or
    128 where that lowers the error of all labels at once, up to the probability beta in (0, 1]; neighbours, replace-one, whose
    claim is `claim`, or add-remove; unit, what epsilon is for where it is more than one row: the claim is units.unit_claim
    then, of counts to which no unit adds more than its bounds allow. Raises: ParameterError.
    """
    listed, b = ordered_labels(labels), probability(beta, "beta", zero=False)
    tables = _mechanisms(n, epsilon, word, neighbours, unit)
    errors = {mechanism: mechanism.accuracy(mpq(b, len(listed))).a for mechanism in tables}
    return BasicHistogram(min(errors, key=lambda mechanism: errors[mechanism]), listed)  # the first of equal ones


def stability_histogram_with_dyadic_sample(
    n: int,
    epsilon: RationalLike,
    delta: RationalLike,
    word: int | None = None,
    *,
    padded: bool = True,
    neighbours: str = "replace-one",
    unit: Unit | None = None,
) -> StabilityHistogram[Any]:
    """StabilityHistogram on a dyadic table with the least threshold that is (epsilon, delta)-differentially private on it.

    Source: FD.Dyadic.stability.private, FD.Dyadic.stability.add-remove, FD.Unit.stability.
    Parameters: n >= 1 rows at most; epsilon > 0 and delta in (0, 1), any rationals; word, the bits of a draw, by default 64,
    or 128 where that allows a lesser threshold; padded, as of StabilityHistogram; neighbours, replace-one, whose claim is
    `claim`, or add-remove; unit, as of basic_histogram_with_dyadic_sample.
    Raises: ParameterError, also where every release would be empty.
    """
    allowed = probability(delta, "delta", zero=False, one=False)
    tables = _mechanisms(n, epsilon, word, neighbours, unit)
    thresholds = {mechanism: _least(mechanism, allowed, unit) for mechanism in tables}
    chosen = min(thresholds, key=lambda mechanism: thresholds[mechanism])  # the first of equal ones
    if thresholds[chosen] >= chosen.n:
        raise ParameterError(_always_empty(chosen, allowed, rational(epsilon, "epsilon"), unit))
    return StabilityHistogram(chosen, thresholds[chosen], padded)


def _least(mechanism: DyadicSample, delta: mpq, unit: Unit | None) -> int:
    """The least threshold, for one row or for a unit."""
    return least_threshold(mechanism, delta) if unit is None else least_unit_threshold(mechanism, delta, unit)


def _mechanisms(n: int, epsilon: RationalLike, word: int | None, neighbours: str, unit: Unit | None) -> Iterator[DyadicSample]:
    """Those that have a table of the words offered, or of the one asked for: the fewest bits first. Raises: ParameterError."""
    words, found = OFFERED_WORDS if word is None else (word,), False
    changed = 2 if dataset_neighbours(neighbours) == "replace-one" else 1  # counts
    exponent = positive_epsilon(epsilon) * mpq(2, changed * (1 if unit is None else unit.rows))
    for bits in words:
        try:
            mechanism = DyadicSample(n, exponent, bits)
        except ParameterError as error:
            if bits == words[-1] and not found:
                doubled = "" if changed == 2 else f"add-remove takes the table of twice epsilon = {epsilon}: "
                shared = "" if unit is None else f"epsilon = {epsilon} is for {unit.rows} rows: "
                raise ParameterError(f"{shared or doubled}{error}") from None
            continue
        found = True
        yield mechanism


def _always_empty(mechanism: DyadicSample, delta: mpq, epsilon: mpq, unit: Unit | None) -> str:
    n, word = mechanism.n, mechanism.word
    longer = (DyadicSample(n, mechanism.epsilon, bits) for bits in (*OFFERED_WORDS, LARGEST_WORD) if bits > word)
    better = next((other.word for other in longer if _least(other, delta, unit) < n), None)
    accepted = "a larger n, epsilon or delta" if better is None else f"word = {better}"
    return (
        f"the threshold for delta = {delta} is n = {n} itself at epsilon = {epsilon} and word = {word}, so that every release "
        f"would be empty; accepted: {accepted}"
    )


def least_threshold(mechanism: DyadicSample, delta: RationalLike) -> int:
    """The least b with Pr[M(1, U) > b] <= delta, exactly: with b - 1, StabilityHistogram is not (epsilon, delta)-private.

    Source: FD.Dyadic.stability.threshold. Parameters: delta in (0, 1). Returns: b in 0..n. Cost: n.bit_length() look-ups.
    """
    allowed = probability(delta, "delta", zero=False, one=False)
    words = allowed.numerator * mechanism.d // allowed.denominator
    return least_reaching(lambda z: mechanism.cdf(1, z), mechanism.n, mechanism.d - words)


def on_a_table(histogram: BasicHistogram[Any] | StabilityHistogram[Any]) -> DyadicSample:
    """The mechanism of a histogram on a dyadic table. Raises: ParameterError for another one."""
    mechanism = histogram.mechanism
    if not isinstance(mechanism, DyadicSample):
        raise ParameterError(f"mechanism = {mechanism!r} is not a DyadicSample; accepted: a histogram on a dyadic table")
    return mechanism


# Accuracy


def threshold_accuracy(histogram: StabilityHistogram[Any], beta: RationalLike) -> HistogramAccuracy:
    """The per-query accuracy, the count above which it holds, and the simultaneous accuracy of StabilityHistogram.

    A count above a + b, where (a, beta) is the mechanism's accuracy, is dropped only by noise below -a, which (a, beta)
    counts already. For all labels at once it is the least A >= b at which every count misses by more than A with
    probability at most beta / n, since at most n labels occur and the others have no noise.

    Source: FD.Dyadic.stability.accuracy. Parameters: histogram, on a DyadicSample; beta in (0, 1]. Raises: ParameterError.
    """
    mechanism, b = on_a_table(histogram), probability(beta, "beta", zero=False)
    n = mechanism.n
    single, allowed = mechanism.accuracy(b).a, b.numerator * mechanism.d // (b.denominator * n)
    every = least_reaching(lambda a: mechanism.d - _missed(mechanism, histogram.b, a), n, mechanism.d - allowed)
    source = "FD.Dyadic.stability.accuracy"
    return HistogramAccuracy(
        Accuracy(single, b, "per-query", source),
        single + histogram.b,
        Accuracy(max(every, histogram.b), b, "simultaneous", source),
    )


def _missed(mechanism: DyadicSample, b: int, a: int) -> int:
    """2^word times the largest probability, over all counts, of an error above a, for a >= b; that of a = b below.

    The count a + 1 is the worst: noise of b - a - 1 or less drops it, and noise above a shows where there is room for it.
    """
    least, n = max(a, b) + 1, mechanism.n
    return mechanism.table.upper(least - b) * (least <= n) + mechanism.table.upper(least) * (2 * least <= n)


# Arrays


def total(counts: Counts) -> int:
    """The sum of non-negative int64 counts, exactly, also beyond 63 bits."""
    high = int(np.right_shift(counts, 32).sum(dtype=np.int64))
    low = int(np.bitwise_and(counts, (1 << 32) - 1).sum(dtype=np.int64))
    return (high << 32) + low


def stability_release_array(
    histogram: StabilityHistogram[Any], counts: Counts, source: WordSource | None = None
) -> tuple[NDArray[np.intp], Counts]:
    """The places and the noisy counts of those elements that are released: StabilityHistogram on an array.

    Sort what is released by label: the places are in the array's order.
    Source: FD.Dyadic.stability.arrays. Parameters: histogram, on a DyadicSample; counts, a row of integers in 0..n, of which
    zeros stand for labels that do not occur; source, the operating system's generator by default.
    Raises: ParameterError, DataError for counts out of range or a sum above n.
    Cost: padded, exactly n words whatever the counts are; memory for those of the labels that occur.
    """
    whole = _checked(histogram, counts)
    return _above(histogram, whole, source)


def stability_release_clamped(
    histogram: StabilityHistogram[Any], counts: Counts, source: WordSource | None = None
) -> tuple[NDArray[np.intp], Counts]:
    """`stability_release_array` of counts with any sum, those above n as n: nothing tells that there are more than n rows.

    A row more changes one count by one, clamped or not: add_remove_claim holds for all datasets, the accuracy for n rows.
    Source: FD.Dyadic.stability.add-remove. Raises: ParameterError, DataError for negative counts.
    Cost: padded, n words; where more than n labels occur, one for each of them.
    """
    whole = _clamped(histogram, counts)
    return _above(histogram, whole, source)


def _above(histogram: StabilityHistogram[Any], whole: Counts, source: WordSource | None) -> tuple[NDArray[np.intp], Counts]:
    """The places and the noisy counts of the labels that occur, where these are above b."""
    present = np.flatnonzero(whole)
    noisy = _noise(histogram, whole[present], source)
    kept = noisy > histogram.b
    return present[kept], noisy[kept]


def _checked(histogram: StabilityHistogram[Any], counts: object) -> Counts:
    """The counts, as int64. Raises: ParameterError, DataError, also for a sum above n."""
    mechanism, whole = on_a_table(histogram), _row(histogram, counts)
    if total(whole) > mechanism.n:
        raise DataError(f"the counts sum to {total(whole)}, more than n = {mechanism.n}")
    return whole


def _clamped(histogram: StabilityHistogram[Any], counts: object) -> Counts:
    """The counts, as int64, none above n. Raises: ParameterError, DataError."""
    mechanism, most = on_a_table(histogram), counts
    if isinstance(counts, np.ndarray) and counts.dtype.kind in "iu" and np.can_cast(counts.dtype, np.int64):
        most = np.minimum(counts.astype(np.int64), min(mechanism.n, TOP))
    return _row(histogram, most)


def _row(histogram: StabilityHistogram[Any], counts: object) -> Counts:
    """A row of counts in 0..n, as int64. Raises: ParameterError, DataError."""
    mechanism = on_a_table(histogram)
    whole = checked_counts(mechanism, counts)
    if whole.ndim != 1:
        raise DataError(f"counts has {whole.ndim} dimensions; accepted: a row of counts")
    if histogram.padded and mechanism.n > MOST_PADDED:
        raise ParameterError(
            f"a padded release draws n = {mechanism.n} words; accepted: up to {MOST_PADDED}, or padded = False"
        )
    return whole


def _noise(histogram: StabilityHistogram[Any], true: Counts, source: WordSource | None) -> Counts:
    """release_array of counts; if padded, with draws at the count 0 behind them until there are n: the same calls."""
    mechanism = on_a_table(histogram)
    if not histogram.padded:
        return release_array(mechanism, true, source)
    noisy = np.empty_like(true)
    draws = max(mechanism.n, true.size)
    for start in range(0, draws, AT_ONCE):
        part = true[start : start + AT_ONCE]
        filled = np.zeros(min(AT_ONCE, draws - start), np.int64)
        filled[: part.size] = part
        noisy[start : start + AT_ONCE] = release_array(mechanism, filled, source)[: part.size]
    return noisy
