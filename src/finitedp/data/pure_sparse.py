"""finitedp.release of the kind "pure-sparse": BlanketHistogram of labels and their counts."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from gmpy2 import mpq
from numpy.typing import NDArray

from finitedp.budgets.budget import charged
from finitedp.data.columns import Label, checked_labels
from finitedp.data.frames import LabelCounts
from finitedp.data.noisy_histogram import NoisyHistogram
from finitedp.errors import DataError, ParameterError
from finitedp.exact import RationalLike, probability
from finitedp.impl.histograms.blanket.accuracy import blanket_accuracy
from finitedp.impl.histograms.blanket.building import MOST_ROWS, blanket_plan
from finitedp.impl.histograms.blanket.bulk import release_rows, rows_of_counts
from finitedp.impl.histograms.blanket.labels import MOST_BYTES, ByLength, indices, labels_at
from finitedp.impl.histograms.blanket.limbs import Limbs, from_numbers, less
from finitedp.impl.histograms.blanket.plan import BlanketPlan
from finitedp.impl.histograms.universe import Strings, Universe, as_universe
from finitedp.impl.randomness.words import WordSource

__all__ = ["plan_for", "pure_sparse_from"]


def universe_of(labels: Sequence[Label] | Strings) -> Universe[Any]:
    """The universe that the labels are indexed in. Raises: ParameterError for strings of more than 16 bytes."""
    if not isinstance(labels, Strings):
        return as_universe(labels)
    if labels.most > MOST_BYTES:
        raise ParameterError(f"the universe has strings of up to {labels.most} bytes; accepted: up to {MOST_BYTES} bytes")
    return ByLength(labels.most)


def plan_for(
    n: int,
    epsilon: RationalLike,
    labels: Sequence[Label] | Strings,
    invented: RationalLike,
    neighbours: str,
    skewed: bool = False,
) -> BlanketPlan:
    """The plan of a release. Raises: ParameterError."""
    if n > MOST_ROWS:
        raise ParameterError(f"n = {n} would take as many random words; accepted: up to {MOST_ROWS}")
    return blanket_plan(n, epsilon, universe_of(labels).size, invented, neighbours, skewed=skewed)


def pure_sparse_from(
    found: LabelCounts,
    column: str,
    labels: Sequence[Label] | Strings,
    plan: BlanketPlan,
    beta: RationalLike,
    source: WordSource,
) -> NoisyHistogram:
    """The release of counts by label. Source: FD.Blanket.arrays. Raises: DataError for labels outside of the universe."""
    universe, allowed = universe_of(labels), probability(beta, "beta", zero=False)
    accuracy = blanket_accuracy(plan, allowed)
    rows = rows_of_counts(plan, _indices(universe, found, column, labels), found.counts)
    claim = plan.claim()
    drawn = release_rows(plan, rows, charged(claim, f"pure sparse histogram of {column}", source))
    kept, counts = ([], np.empty(0, np.int64)) if drawn is None else _in_universe(universe, *drawn)
    if isinstance(labels, Strings):
        order = sorted(range(len(kept)), key=kept.__getitem__)
        kept, counts = [kept[i] for i in order], counts[order]
    draws = plan.n + plan.slots + 2 * plan.cap
    return NoisyHistogram(
        kept,
        counts,
        claim,
        accuracy,
        plan.mechanism,
        mpq(0),
        plan.b,
        source.name,
        draws,
        plan,
        drawn is None,
        plan.neighbours,
    )


def _indices(universe: Universe[Any], found: LabelCounts, column: str, labels: Sequence[Label] | Strings) -> Limbs:
    try:
        return indices(universe, found.labels)
    except DataError:
        checked_labels(found.labels, found.counts, labels, column)  # says more
        raise


def _in_universe(universe: Universe[Any], found: Limbs, counts: NDArray[np.int64]) -> tuple[list[Any], NDArray[np.int64]]:
    """The labels without phantoms: without the indices from |X| on."""
    if universe.size >= 1 << 64 * found.shape[0]:
        return labels_at(universe, found), counts
    real = less(found, from_numbers([universe.size], 64 * found.shape[0]))
    return labels_at(universe, found[:, real]), counts[real]
