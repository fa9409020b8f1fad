"""A histogram of counts by label on a dyadic table: BasicHistogram, or with delta StabilityHistogram, and what it claims."""

from collections.abc import Sequence

import numpy as np
from attrs import evolve
from gmpy2 import mpq
from numpy.typing import NDArray

from finitedp.budgets.budget import charged
from finitedp.claim import Neighbours, PrivacyClaim
from finitedp.data.columns import Label, checked_labels
from finitedp.data.frames import LabelCounts
from finitedp.data.noisy_histogram import NoisyHistogram
from finitedp.data.true_counts import length
from finitedp.errors import DataError, ParameterError
from finitedp.exact import RationalLike, short
from finitedp.impl.counting.dyadic import DyadicSample
from finitedp.impl.counting.dyadic_bulk import release_array
from finitedp.impl.histograms.basic import BasicHistogram
from finitedp.impl.histograms.dyadic import (
    basic_histogram_with_dyadic_sample,
    on_a_table,
    stability_histogram_with_dyadic_sample,
    stability_release_array,
    stability_release_clamped,
    threshold_accuracy,
)
from finitedp.impl.histograms.stability import StabilityHistogram
from finitedp.impl.histograms.units import unit_claim
from finitedp.impl.histograms.universe import Strings
from finitedp.impl.randomness.words import SeededWords, WordSource
from finitedp.units import Unit

__all__ = ["MOST_LABELS", "histogram_of", "public_rows"]

Counts = NDArray[np.int64]

MOST_LABELS = 10**8  # of a universe that is released whole
_BASIC = "FD.Dyadic.basic.private"
_STABILITY = "FD.Dyadic.stability.private"


def histogram_of(
    found: LabelCounts,
    column: str | None,
    labels: Sequence[Label] | Strings | None,
    epsilon: RationalLike,
    delta: mpq,
    n: int | None,
    relation: Neighbours,
    word: int | None,
    beta: RationalLike,
    source: WordSource,
    *,
    padded: bool = True,
    unit: Unit | None = None,
) -> NoisyHistogram:
    """`release` of the kind histogram, of counts. Parameters: as there; unit, of which no more rows count than it allows.

    Raises: ParameterError, DataError.
    """
    secret = relation == "add-remove" or unit is not None  # how many rows there are
    rows, shown = n if secret and n is not None else public_rows(found.rows, n), column or "label"
    if delta:
        _check_labels(found, labels, shown)
        sparse = stability_histogram_with_dyadic_sample(
            rows, epsilon, delta, word, padded=padded, neighbours=relation, unit=unit
        )
        claim = _sparse_claim(sparse, delta, relation, unit)
        words = charged(claim, f"sparse histogram of {column}" if column else "sparse histogram", source)
        noisy = (_stability_add_remove if secret else _stability)(found, sparse, delta, beta, words)
    else:
        every = found.labels if labels is None or isinstance(labels, Strings) else labels  # those of an array
        if length(every) > MOST_LABELS:
            raise ParameterError(f"universe has {short(length(every))} labels; accepted with delta = 0: at most {MOST_LABELS}")
        histogram = basic_histogram_with_dyadic_sample(every, rows, epsilon, word, beta, relation, unit)
        found.dense(every, shown)  # refuses other labels
        claim = _claim(histogram, relation, unit)
        words = charged(claim, f"histogram of {column}" if column else "histogram", source)
        noisy = (_basic_add_remove if secret else _basic)(found, shown, histogram, beta, words)
    if unit is not None:
        noisy = evolve(noisy, claim=claim, neighbours=relation, unit=unit)
    return evolve(noisy, claim=None) if isinstance(source, SeededWords) else noisy


def _claim(histogram: BasicHistogram[Label], relation: Neighbours, unit: Unit | None) -> PrivacyClaim:
    """What is claimed of a release: as `_basic` and `_basic_add_remove` say it, and of a unit."""
    if unit is not None:
        return unit_claim(on_a_table(histogram), unit, relation)
    if relation == "add-remove":
        return histogram.add_remove_claim(None)
    return evolve(histogram.claim(None), source=_BASIC)


def _sparse_claim(sparse: StabilityHistogram[Label], delta: mpq, relation: Neighbours, unit: Unit | None) -> PrivacyClaim:
    """What is claimed of a release: as `_stability` and `_stability_add_remove` say it, and of a unit."""
    if unit is not None:
        return unit_claim(on_a_table(sparse), unit, relation, delta=delta)
    if relation == "add-remove":
        return evolve(sparse.add_remove_claim(None), delta=delta)
    return evolve(sparse.claim(None), delta=delta, source=_STABILITY)


def public_rows(rows: int, n: int | None) -> int:
    """The public bound of the rows."""
    if n is None and not rows:
        raise DataError("there are no rows; accepted: at least one row, or n")
    if n is not None and rows > n:
        raise DataError(f"there are {short(rows)} rows, more than n = {n}")
    return rows if n is None else n


def _check_labels(found: LabelCounts, universe: Sequence[Label] | Strings | None, column: str) -> None:
    """Refuse labels outside of the universe, and such that cannot be sorted, before any noise is drawn."""
    if universe is not None:
        checked_labels(found.labels, found.counts, universe, column)
    if not isinstance(found.labels, range) and len({issubclass(kind, str) for kind in set(map(type, found.labels))}) > 1:
        raise DataError("the labels are of the types int and str, which have no order together; accepted: labels of one type")


def _basic(
    found: LabelCounts, column: str, histogram: BasicHistogram[Label], beta: RationalLike, source: WordSource
) -> NoisyHistogram:
    mechanism, labels = on_a_table(histogram), histogram.labels
    noisy = release_array(mechanism, found.dense(labels, column), source)
    claim = evolve(histogram.claim(None), source="FD.Dyadic.basic.private")
    return NoisyHistogram(labels, noisy, claim, histogram.accuracy(beta), mechanism, mpq(0), None, source.name, len(labels))


def _basic_add_remove(
    found: LabelCounts, column: str, histogram: BasicHistogram[Label], beta: RationalLike, source: WordSource
) -> NoisyHistogram:
    """`_basic` for a row more or less, of data of any number of rows: counts above n are n."""
    labels, mechanism = histogram.labels, on_a_table(histogram)
    noisy = release_array(mechanism, _at_most(found.dense(labels, column), mechanism), source)
    claim, bars = histogram.add_remove_claim(None), histogram.accuracy(beta)
    return NoisyHistogram(
        labels, noisy, claim, bars, mechanism, mpq(0), None, source.name, len(labels), neighbours="add-remove"
    )


def _at_most(counts: Counts, mechanism: DyadicSample) -> Counts:
    """The counts, none above n."""
    return np.minimum(counts, mechanism.n)


def _stability(
    found: LabelCounts, histogram: StabilityHistogram[Label], delta: mpq, beta: RationalLike, source: WordSource
) -> NoisyHistogram:
    mechanism, accuracy = on_a_table(histogram), threshold_accuracy(histogram, beta)
    places, noisy = stability_release_array(histogram, found.counts, source)
    labels, counts = _sorted(tuple(found.labels[i] for i in places.tolist()), noisy)
    claim = evolve(histogram.claim(None), delta=delta, source="FD.Dyadic.stability.private")
    return NoisyHistogram(labels, counts, claim, accuracy, mechanism, delta, histogram.b, source.name, histogram.draws())


def _stability_add_remove(
    found: LabelCounts, histogram: StabilityHistogram[Label], delta: mpq, beta: RationalLike, source: WordSource
) -> NoisyHistogram:
    """`_stability` for a row more or less, of data of any number of rows: counts above n are n."""
    mechanism, b, bars = on_a_table(histogram), histogram.b, threshold_accuracy(histogram, beta)
    places, noisy = stability_release_clamped(histogram, found.counts, source)
    labels, counts = _sorted(tuple(found.labels[place] for place in places.tolist()), noisy)
    claim, draws = evolve(histogram.add_remove_claim(None), delta=delta), histogram.draws()
    return NoisyHistogram(labels, counts, claim, bars, mechanism, delta, b, source.name, draws, neighbours="add-remove")


def _sorted(labels: Sequence[Label], counts: Counts) -> tuple[list[Label], Counts]:
    """Both by increasing label, so that nothing shows of the order in which the labels were counted."""
    order = sorted(range(len(labels)), key=labels.__getitem__)
    return [labels[i] for i in order], counts[order]
