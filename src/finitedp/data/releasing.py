"""finitedp.release: a histogram of a data frame, of counts by label or of an array of counts, in one call.

The noise comes from a dyadic table: one word of 64 or 128 random bits for each count, for any rational epsilon. The time of
drawing it does not depend on the counts; that of counting before it, and of sorting what is released, does.
"""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np
from attrs import evolve
from gmpy2 import mpq
from numpy.typing import NDArray

from finitedp.budgets.budget import charged, uncharged
from finitedp.data.anonymized import AnonymizedHistogram
from finitedp.data.anonymizing import anonymized_from
from finitedp.data.columns import Label, checked_labels
from finitedp.data.frames import LabelCounts
from finitedp.data.noisy_histogram import NoisyHistogram
from finitedp.data.pure_sparse import plan_for, pure_sparse_from
from finitedp.data.true_counts import ANY_ROWS, counted, labels_of, length
from finitedp.errors import DataError, ParameterError
from finitedp.exact import RationalLike, integer, probability, short
from finitedp.impl.counting.dyadic import DyadicSample
from finitedp.impl.counting.dyadic_bulk import release_array
from finitedp.impl.flexible.tables import dataset_neighbours
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
from finitedp.impl.histograms.universe import Strings
from finitedp.impl.randomness.words import SeededWords, SystemWords, WordSource

__all__ = ["NoisyHistogram", "release", "word_source"]

Counts = NDArray[np.int64]

MOST_LABELS = 10**8  # of a universe that is released whole


if TYPE_CHECKING:

    @overload
    def release(
        data: Any,  # noqa: ANN401
        column: str | None = None,
        *,
        kind: Literal["histogram"] = "histogram",
        epsilon: RationalLike,
        delta: RationalLike = 0,
        universe: Iterable[Label] | Strings | None = None,
        n: int | None = None,
        word: int | None = None,
        neighbours: Literal["replace-one", "add-remove"] = "replace-one",
        beta: RationalLike = "1/20",
        words: WordSource | None = None,
        drop_nulls: bool = False,
        null_label: Label | None = None,
        padded: bool = True,
    ) -> NoisyHistogram: ...

    @overload
    def release(
        data: Any,  # noqa: ANN401
        column: str | None = None,
        *,
        kind: Literal["pure-sparse"],
        epsilon: RationalLike,
        universe: Iterable[Label] | Strings,
        n: int | None = None,
        invented: RationalLike = 1,
        neighbours: Literal["replace-one", "add-remove"] = "replace-one",
        skewed: bool = False,
        beta: RationalLike = "1/20",
        words: WordSource | None = None,
        drop_nulls: bool = False,
        null_label: Label | None = None,
    ) -> NoisyHistogram: ...

    @overload
    def release(
        data: Any,  # noqa: ANN401
        column: str | None = None,
        *,
        kind: Literal["anonymized"],
        epsilon: RationalLike,
        n: int,
        word: int | None = None,
        words: WordSource | None = None,
        drop_nulls: bool = False,
        null_label: Label | None = None,
    ) -> AnonymizedHistogram: ...


def release(
    data: Any,  # any engine's frame, a mapping or an array
    column: str | None = None,
    *,
    kind: Literal["histogram", "pure-sparse", "anonymized"] = "histogram",
    epsilon: RationalLike,
    delta: RationalLike = 0,
    universe: Iterable[Label] | Strings | None = None,
    n: int | None = None,
    word: int | None = None,
    invented: RationalLike | None = None,
    neighbours: str | None = None,
    skewed: bool = False,
    beta: RationalLike = "1/20",
    words: WordSource | None = None,
    drop_nulls: bool = False,
    null_label: Label | None = None,
    padded: bool = True,
) -> NoisyHistogram | AnonymizedHistogram:
    """A differentially private histogram, by one call.

    With delta = 0 a noisy count for every label of the universe (BasicHistogram); with delta > 0 those of the labels that
    occur which are above the least threshold for delta (StabilityHistogram), for universes of any size. Of the kind
    "pure-sparse", with delta = 0 for universes of any size too, those of labels that occur which are above a threshold, and
    those of few that do not occur (BlanketHistogram): delta, word and padded are not for it. Of the kind "anonymized", how
    many labels have each count, without the labels (PrivHist): epsilon is for one row more or less, n is needed, and delta,
    universe, beta and padded are not for it.

    Source: FD.Dyadic.basic.private, FD.Dyadic.stability.private, FD.Dyadic.basic.add-remove, FD.Dyadic.stability.add-remove,
    FD.Blanket.private, PH.PrivHist.private.
    Parameters: data, a frame of pandas, polars, pyarrow, DuckDB, PySpark or Dask with the name of a column; or a
    series of pandas, polars or Dask, or an array of pyarrow, which is a column and never counts (one of integers that may be
    counts, without a universe or with an index of labels, is refused); or true counts by label; or a numpy array of true
    counts, whose labels are the universe, by default 0, 1, 2, ... epsilon > 0 and delta in
    [0, 1), any rationals: the release is (epsilon, delta)-differentially private for datasets that differ in one row.
    universe, all labels there may be, chosen without looking at the data; needed with delta = 0, but for an array. n, a public
    bound of the number of rows; without it, the number of rows itself is public. word, the bits of a draw: 64 or 128 by
    default. neighbours: replace-one, the default, or add-remove, for one row more or less, with half the noise: the number of
    rows is no part of the release then, and n is needed, above which counts are taken for n (the errors stated are for at most
    n rows; pure-sparse refuses more). invented and skewed, for pure-sparse alone: on average at most so many labels of the
    release were never in the data (1 by default; where more may be, the threshold is lower); and for replace-one a threshold
    that is lower by a quarter, with counts that are more often too low. beta, for the error bounds. words, the source of
    random words: the operating system by default. drop_nulls and null_label, what rows without a value are (see
    finitedp.data.frames.counts_of). padded, whether delta > 0 takes n words, so that the time of drawing does not tell how
    many labels occur.
    Raises: ParameterError, DataError, whose messages are about the true data: they are no part of a release.
    Cost: an engine's group-by; about 40 ns of noise for each label of the universe (delta = 0) or each of n rows (delta > 0),
    whatever the data is; and dictionaries and sorted lists of the labels, whose time depends on them.
    """
    if kind == "pure-sparse":
        if probability(delta, "delta") or word is not None or not padded:
            raise ParameterError("a pure sparse histogram has delta = 0, words of its own and no padding to leave out")
        return _pure_sparse(
            data, column, epsilon, labels_of(universe), n, invented, neighbours, skewed, beta, words, drop_nulls, null_label
        )
    if invented is not None or skewed:
        raise ParameterError(f"invented and skewed are not for kind = {kind!r}; accepted: with kind = 'pure-sparse'")
    if kind != "histogram":
        if neighbours is not None:
            raise ParameterError(f"neighbours is not for kind = {kind!r}, whose epsilon is for one row more or less")
        _check_anonymized(kind, delta, universe)
        about = {"n": n, "epsilon": epsilon, "word": word, "drop_nulls": drop_nulls, "null_label": null_label}
        return anonymized_from(data, column, source=word_source(words), **about)  # type: ignore[arg-type]  # each of its type
    allowed, source, labels = probability(delta, "delta", one=False), word_source(words), labels_of(universe)
    most, relation = _most(n), dataset_neighbours(neighbours or "replace-one")
    added = relation == "add-remove"
    _check_bounded(relation, most)
    if not allowed and (isinstance(labels, Strings) or (labels is None and not isinstance(data, np.ndarray))):
        raise ParameterError("delta = 0 releases every label, and needs universe, a sequence of them; or take delta > 0")
    seeded, bound = isinstance(source, SeededWords), ANY_ROWS if added else most
    found = counted(data, column, labels, bound, drop_nulls, null_label, ordered=seeded)
    rows = most if added and most is not None else _bound(found.rows, most)
    if allowed:
        _check_labels(found, labels, column or "label")
        thresholded = stability_histogram_with_dyadic_sample(rows, epsilon, allowed, word, padded=padded, neighbours=relation)
        noisy = (_stability_add_remove if added else _stability)(found, column or "label", thresholded, allowed, beta, source)
    else:
        every = found.labels if labels is None or isinstance(labels, Strings) else labels  # those of an array
        if length(every) > MOST_LABELS:
            raise ParameterError(f"universe has {short(length(every))} labels; accepted with delta = 0: at most {MOST_LABELS}")
        histogram = basic_histogram_with_dyadic_sample(every, rows, epsilon, word, beta, relation)
        noisy = (_basic_add_remove if added else _basic)(found, column or "label", histogram, beta, source)
        whole = most is None and not drop_nulls and not isinstance(data, LabelCounts)  # each row has a label, in public
        noisy = evolve(noisy, rows=found.rows if whole else None)
    return evolve(noisy, claim=None) if seeded else noisy


def _check_bounded(relation: str, most: int | None) -> None:
    """Refuse a relation that keeps the number of rows secret, without a bound. Raises: ParameterError."""
    if relation == "add-remove" and most is None:
        raise ParameterError("n is missing: with add-remove the number of rows is not public; accepted: a public bound of it")


def _most(n: int | None) -> int | None:
    return None if n is None else integer(int(n) if isinstance(n, np.integer) else n, "n", 1, 2**62 - 1)


def _pure_sparse(
    data: Any,  # noqa: ANN401
    column: str | None,
    epsilon: RationalLike,
    labels: Sequence[Label] | Strings | None,
    n: int | None,
    invented: RationalLike | None,
    neighbours: str | None,
    skewed: bool,
    beta: RationalLike,
    words: WordSource | None,
    drop_nulls: bool,
    null_label: Label | None,
) -> NoisyHistogram:
    """`release` of the kind pure-sparse: what is public is looked at before the data is."""
    most, source, relation = _most(n), word_source(words), neighbours or "replace-one"
    if labels is None:
        raise ParameterError("universe is missing; accepted: all labels there may be, such as range(2**64) or Strings(16)")
    _check_bounded(relation, most)
    asked = (epsilon, labels, 1 if invented is None else invented, relation, skewed)
    if most is not None:
        plan_for(most, *asked)
    found = counted(data, column, labels, most, drop_nulls, null_label, ordered=False)
    plan = plan_for(_bound(found.rows, most), *asked)
    noisy = pure_sparse_from(found, column or "label", labels, plan, beta, source)
    return evolve(noisy, claim=None) if isinstance(source, SeededWords) else noisy


def _check_anonymized(kind: str, delta: RationalLike, universe: Any) -> None:  # noqa: ANN401
    """Refuse an unknown kind, and what an anonymized histogram has no use for. Raises: ParameterError."""
    if kind != "anonymized":
        raise ParameterError(f"kind = {kind!r} is unknown; accepted: histogram, pure-sparse, anonymized")
    if universe is not None or probability(delta, "delta"):
        raise ParameterError("an anonymized histogram has no universe and no delta; accepted: neither of them")


def word_source(words: WordSource | None) -> WordSource:
    """The source of random words. Raises: ParameterError for what is none; PrivacyBudgetError, see `uncharged`."""
    if words is None:
        return uncharged(SystemWords())
    if isinstance(words, type) or not isinstance(getattr(words, "name", None), str) or not hasattr(words, "read"):
        found = words.__name__ if isinstance(words, type) else type(words).__name__
        raise ParameterError(f"words is {found}; accepted: a source of finitedp.impl.randomness.words, such as AesCtrWords()")
    return uncharged(words)


def _bound(rows: int, n: int | None) -> int:
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
    claim, counts = evolve(histogram.claim(None), source="FD.Dyadic.basic.private"), found.dense(labels, column)
    noisy = release_array(mechanism, counts, charged(claim, f"histogram of {column}", source))
    return NoisyHistogram(labels, noisy, claim, histogram.accuracy(beta), mechanism, mpq(0), None, source.name, len(labels))


def _basic_add_remove(
    found: LabelCounts, column: str, histogram: BasicHistogram[Label], beta: RationalLike, source: WordSource
) -> NoisyHistogram:
    """`_basic` for a row more or less, of data of any number of rows: counts above n are n."""
    labels, mechanism = histogram.labels, on_a_table(histogram)
    claim, bars = histogram.add_remove_claim(None), histogram.accuracy(beta)
    counts = _at_most(found.dense(labels, column), mechanism)
    noisy = release_array(mechanism, counts, charged(claim, f"histogram of {column}", source))
    return NoisyHistogram(
        labels, noisy, claim, bars, mechanism, mpq(0), None, source.name, len(labels), neighbours="add-remove"
    )


def _at_most(counts: Counts, mechanism: DyadicSample) -> Counts:
    """The counts, none above n."""
    return np.minimum(counts, mechanism.n)


def _stability(
    found: LabelCounts,
    column: str,
    histogram: StabilityHistogram[Label],
    delta: mpq,
    beta: RationalLike,
    source: WordSource,
) -> NoisyHistogram:
    mechanism, accuracy = on_a_table(histogram), threshold_accuracy(histogram, beta)
    claim = evolve(histogram.claim(None), delta=delta, source="FD.Dyadic.stability.private")
    places, noisy = stability_release_array(histogram, found.counts, charged(claim, f"sparse histogram of {column}", source))
    labels, counts = _sorted([found.labels[i] for i in places.tolist()], noisy)
    return NoisyHistogram(labels, counts, claim, accuracy, mechanism, delta, histogram.b, source.name, histogram.draws())


def _stability_add_remove(
    found: LabelCounts,
    column: str,
    histogram: StabilityHistogram[Label],
    delta: mpq,
    beta: RationalLike,
    source: WordSource,
) -> NoisyHistogram:
    """`_stability` for a row more or less, of data of any number of rows: counts above n are n."""
    mechanism, b, bars = on_a_table(histogram), histogram.b, threshold_accuracy(histogram, beta)
    claim, draws = evolve(histogram.add_remove_claim(None), delta=delta), histogram.draws()
    places, noisy = stability_release_clamped(histogram, found.counts, charged(claim, f"sparse histogram of {column}", source))
    labels, counts = _sorted([found.labels[place] for place in places.tolist()], noisy)
    return NoisyHistogram(labels, counts, claim, bars, mechanism, delta, b, source.name, draws, neighbours="add-remove")


def _sorted(labels: list[Label], counts: Counts) -> tuple[list[Label], Counts]:
    """Both by increasing label, so that nothing shows of the order in which the labels were counted."""
    order = sorted(range(len(labels)), key=labels.__getitem__)
    return [labels[i] for i in order], counts[order]
