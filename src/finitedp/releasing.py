"""finitedp.release: a histogram of a data frame, of counts by label or of an array of counts, in one call.

The noise comes from a dyadic table: one word of 64 or 128 random bits for each count, for any rational epsilon. The time of
drawing it does not depend on the counts; that of counting before it, and of sorting what is released, does.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from attrs import evolve, frozen
from gmpy2 import mpq
from numpy.typing import NDArray

from finitedp.claim import Accuracy, PrivacyClaim
from finitedp.columns import Label, checked_labels
from finitedp.errors import DataError, ParameterError
from finitedp.exact import RationalLike, probability
from finitedp.frame_engines import optional
from finitedp.frames import LabelCounts, counts_of
from finitedp.impl.dyadic import DyadicSample
from finitedp.impl.dyadic_bulk import release_array
from finitedp.impl.dyadic_histogram import (
    basic_histogram_with_dyadic_sample,
    stability_histogram_with_dyadic_sample,
    stability_release_array,
    threshold_accuracy,
    total,
)
from finitedp.impl.histogram import BasicHistogram, distinct_labels
from finitedp.impl.stability import StabilityHistogram
from finitedp.impl.universe import Strings
from finitedp.impl.words import SeededWords, SystemWords, WordSource

__all__ = ["NoisyHistogram", "release"]

Counts = NDArray[np.int64]


@frozen(eq=False)
class NoisyHistogram:
    """What is released, and what is claimed of it.

    labels: sorted, or in the order of the universe. counts: their noisy counts, an int64 array of the same length.
    claim: None where the words are not private. accuracy: per query, on true counts above `on_counts_above` where that is not
    None, and simultaneous. mechanism: of each count. delta: as asked for. threshold: None for BasicHistogram; else noisy
    counts up to it are not released, and a label that is not listed has count 0. source: what the words come from.
    draws: how many there were.
    """

    labels: Sequence[Label]
    counts: Counts
    claim: PrivacyClaim | None
    accuracy: tuple[Accuracy, Accuracy]
    on_counts_above: int | None
    mechanism: DyadicSample
    delta: mpq
    threshold: int | None
    source: str
    draws: int

    @property
    def n(self) -> int:
        """The public bound of the number of rows."""
        return self.mechanism.n

    def as_dict(self) -> dict[Label, int]:
        """Label to noisy count, in the order of the labels."""
        return dict(zip(self.labels, self.counts.tolist(), strict=True))

    def to_frame(self, backend: str) -> Any:  # noqa: ANN401  # any engine's frame
        """A data frame with the columns label and count.

        Parameters: backend, "pandas", "polars" or "pyarrow". Raises: ParameterError for another, or where it is missing.
        """
        if backend not in ("pandas", "polars", "pyarrow"):
            raise ParameterError(f"backend = {backend!r} is unknown; accepted: pandas, polars, pyarrow")
        optional(backend)
        columns = {"label": list(self.labels), "count": self.counts}
        return optional("narwhals").from_dict(columns, backend=backend).to_native()

    def randomness(self) -> dict[str, Any]:
        """Where the random words came from and how many there were, for a document."""
        word = self.mechanism.word
        return {"bits_from": self.source, "word": word, "draws": self.draws, "bits": self.draws * word}

    def metadata(self) -> dict[str, Any]:
        """All of it but labels and counts, for a document: rationals as strings "p/q"."""
        single, every = ({"kind": a.kind, "a": a.a, "beta": str(a.beta), "source": a.source} for a in self.accuracy)
        above = {} if self.on_counts_above is None else {"on_counts_above": self.on_counts_above}
        claim, mechanism, exponent = self.claim, self.mechanism, self.mechanism.table.excess_exponent()
        of_claim = ("epsilon", "delta", "neighbours", "source")
        kind = "BasicHistogram" if self.threshold is None else "StabilityHistogram"
        return {
            "mechanism": f"{kind} with DyadicSample",
            **({"labels": len(self.labels)} if self.threshold is None else {"threshold": self.threshold}),
            "n": mechanism.n,
            "parameters": {"epsilon": str(mechanism.epsilon), "delta": str(self.delta), "word": mechanism.word},
            "claim": None if claim is None else {name: str(getattr(claim, name)) for name in of_claim},
            "distance_from_geometric": "0" if exponent is None else str(mpq(1, 1 << exponent)),
            "accuracy": [{**single, **above}, every],
            "randomness": self.randomness(),
        }


def release(
    data: Any,  # noqa: ANN401  # any engine's frame, a mapping or an array
    column: str | None = None,
    *,
    epsilon: RationalLike,
    delta: RationalLike = 0,
    universe: Iterable[Label] | Strings | None = None,
    n: int | None = None,
    word: int | None = None,
    beta: RationalLike = "1/20",
    words: WordSource | None = None,
    drop_nulls: bool = False,
    null_label: Label | None = None,
    padded: bool = True,
) -> NoisyHistogram:
    """A differentially private histogram, by one call.

    With delta = 0 a noisy count for every label of the universe (BasicHistogram); with delta > 0 those of the labels that
    occur which are above the least threshold for delta (StabilityHistogram), for universes of any size.

    Source: FD.Dyadic.basic.private, FD.Dyadic.stability.private.
    Parameters: data, a frame of pandas, polars, pyarrow, DuckDB, PySpark or Dask with the name of a column; or true counts by
    label; or a numpy array of true counts, whose labels are the universe, by default 0, 1, 2, ... epsilon > 0 and delta in
    [0, 1), any rationals: the release is (epsilon, delta)-differentially private for datasets that differ in one row.
    universe, all labels there may be, chosen without looking at the data; needed with delta = 0, but for an array. n, a public
    bound of the number of rows; without it, the number of rows itself is public. word, the bits of a draw: 64 or 128 by
    default. beta, for the error bounds. words, the source of random words: the operating system by default. drop_nulls and
    null_label, what rows without a value are (see finitedp.frames.counts_of). padded, whether delta > 0 takes n words, so that
    the time of drawing does not tell how many labels occur.
    Raises: ParameterError, DataError.
    Cost: an engine's group-by, and about 40 ns for each label (delta = 0) or each of n rows, which do not depend on the data.
    """
    allowed, source = probability(delta, "delta", one=False), SystemWords() if words is None else words
    labels = _labels(universe)
    if not allowed and (isinstance(labels, Strings) or (labels is None and not isinstance(data, np.ndarray))):
        raise ParameterError("delta = 0 releases every label, and needs universe, a sequence of them; or take delta > 0")
    found = _counted(data, column, labels, n, drop_nulls, null_label, ordered=isinstance(source, SeededWords))
    rows = _bound(found.rows, n)
    if allowed:
        _check_labels(found, labels, column or "label")
        thresholded = stability_histogram_with_dyadic_sample(rows, epsilon, allowed, word, padded=padded)
        noisy = _stability(found, thresholded, allowed, beta, source)
    else:
        every = found.labels if labels is None or isinstance(labels, Strings) else labels  # those of an array
        noisy = _basic(found, column or "label", basic_histogram_with_dyadic_sample(every, rows, epsilon, word), beta, source)
    return evolve(noisy, claim=None) if isinstance(source, SeededWords) else noisy


def _labels(universe: Any) -> Sequence[Label] | Strings | None:  # noqa: ANN401
    """The universe as it is to be used. Raises: ParameterError for text, and for what has no order or repeats a label."""
    if universe is None or isinstance(universe, Strings):
        return universe
    if isinstance(universe, str):
        raise ParameterError(
            f"universe = {universe[:40]!r} is text; accepted: a sequence of labels, such as range(78) or ['a', 'b'], or "
            "finitedp.columns.parse_universe(text)"
        )
    listed: Sequence[Label] = distinct_labels(universe.tolist() if hasattr(universe, "tolist") else universe)
    return listed


def _bound(rows: int, n: int | None) -> int:
    """The public bound of the rows."""
    if n is None and not rows:
        raise DataError("there are no rows; accepted: at least one row, or n")
    if n is not None and rows > n:
        raise DataError(f"there are {rows} rows, more than n = {n}")
    return rows if n is None else n


def _check_labels(found: LabelCounts, universe: Sequence[Label] | Strings | None, column: str) -> None:
    """Refuse labels outside of the universe, and such that cannot be sorted, before any noise is drawn."""
    if universe is not None:
        checked_labels(found.as_dict(), universe, column)
    if not isinstance(found.labels, range) and len(set(map(type, found.labels))) > 1:
        held = ", ".join(sorted({type(label).__name__ for label in found.labels}))
        raise DataError(f"the labels are of the types {held}, which have no order together; accepted: labels of one type")


def _basic(
    found: LabelCounts, column: str, histogram: BasicHistogram[Label], beta: RationalLike, source: WordSource
) -> NoisyHistogram:
    mechanism, labels = histogram.mechanism, histogram.labels
    assert isinstance(mechanism, DyadicSample)  # noqa: S101  # narrows the type
    noisy = release_array(mechanism, found.dense(labels, column), source)
    claim = evolve(histogram.claim(), source="FD.Dyadic.basic.private")
    return NoisyHistogram(
        labels, noisy, claim, histogram.accuracy(beta), None, mechanism, mpq(0), None, source.name, len(labels)
    )


def _stability(
    found: LabelCounts, histogram: StabilityHistogram[Label], delta: mpq, beta: RationalLike, source: WordSource
) -> NoisyHistogram:
    mechanism, (single, above, every) = histogram.mechanism, threshold_accuracy(histogram, beta)
    assert isinstance(mechanism, DyadicSample)  # noqa: S101  # narrows the type
    places, noisy = stability_release_array(histogram, found.counts, source)
    labels, counts = _sorted([found.labels[i] for i in places.tolist()], noisy)
    claim = PrivacyClaim(mechanism.epsilon, "replace-one", delta, None, "FD.Dyadic.stability.private")
    accuracy, draws = (single, every), mechanism.n if histogram.padded else int(np.count_nonzero(found.counts))
    return NoisyHistogram(labels, counts, claim, accuracy, above, mechanism, delta, histogram.b, source.name, draws)


def _sorted(labels: list[Label], counts: Counts) -> tuple[list[Label], Counts]:
    """Both by increasing label, so that nothing shows of the order in which the labels were counted."""
    order = sorted(range(len(labels)), key=labels.__getitem__)
    return [labels[i] for i in order], counts[order]


# True counts


def _counted(
    data: Any,  # noqa: ANN401
    column: str | None,
    universe: Sequence[Label] | Strings | None,
    n: int | None,
    drop_nulls: bool,
    null_label: Label | None,
    *,
    ordered: bool,
) -> LabelCounts:
    if isinstance(data, LabelCounts | Mapping | np.ndarray):
        if column is not None or drop_nulls or null_label is not None:
            raise ParameterError("column, drop_nulls and null_label are for data frames, not for counts")
        if isinstance(data, np.ndarray):
            return _of_array(data, universe)
        return data if isinstance(data, LabelCounts) else _of_mapping(data)
    if isinstance(data, str | Iterable) and not hasattr(data, "columns") and not hasattr(data, "to_native"):
        raise ParameterError(
            f"data is a {type(data).__name__}; accepted: a data frame, a mapping of labels to counts such as "
            "collections.Counter(rows), or a numpy array of counts"
        )
    if column is None:
        raise ParameterError("column is missing; accepted: the name of the frame's column to count")
    return counts_of(data, column, n=n, drop_nulls=drop_nulls, null_label=null_label, ordered=ordered)


def _of_array(counts: NDArray[Any], universe: Sequence[Label] | Strings | None) -> LabelCounts:
    """An array of counts: of the labels of the universe, or of 0, 1, 2, ..."""
    if counts.ndim != 1 or counts.dtype.kind not in "iu" or not np.can_cast(counts.dtype, np.int64):
        hint = "where all are whole numbers, counts.astype('int64')"
        raise DataError(f"the array has shape {counts.shape} and dtype {counts.dtype}; accepted: one row of integers; {hint}")
    whole = counts.astype(np.int64, copy=False)
    if whole.size and whole.min() < 0:
        raise DataError(f"the count at place {int(np.argmax(whole < 0))} is negative; accepted: counts of 0 and more")
    if isinstance(universe, Strings) or (universe is not None and len(universe) != whole.size):
        raise DataError(f"the array has {whole.size} counts; accepted: one for each label of the universe, in its order")
    return LabelCounts(range(whole.size) if universe is None else universe, whole, total(whole))


def _of_mapping(counts: Mapping[Label, Any]) -> LabelCounts:
    """Counts by label, those of 0 left out."""
    for label, count in counts.items():
        if isinstance(label, bool) or not isinstance(label, str | int):
            raise DataError(f"the label {label!r} is of type {type(label).__name__}; accepted: str or int")
        if isinstance(count, bool) or not isinstance(count, int | np.integer):
            raise DataError(f"the count of {label!r} is {count!r}, of type {type(count).__name__}; accepted: integers")
        if not 0 <= count < 1 << 62:
            raise DataError(f"the count of {label!r} is {count}; accepted: counts from 0 to 2^62 - 1")
    present = {label: int(count) for label, count in counts.items() if count}
    return LabelCounts(list(present), np.array(list(present.values()), np.int64), sum(present.values()))
