"""finitedp.release: a histogram of a data frame, of counts by label or of an array of counts, in one call.

The noise comes from a dyadic table: one word of 64 or 128 random bits for each count, for any rational epsilon. The time of
drawing it does not depend on the counts; that of counting before it, and of sorting what is released, does.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np
from attrs import evolve

from finitedp.budgets.budget import uncharged
from finitedp.data.anonymized import AnonymizedHistogram
from finitedp.data.anonymizing import anonymized_from
from finitedp.data.columns import Label
from finitedp.data.drawing import histogram_of, public_rows
from finitedp.data.frames import LabelCounts, Options
from finitedp.data.noisy_histogram import NoisyHistogram
from finitedp.data.pure_sparse import plan_for, pure_sparse_from
from finitedp.data.shapes.shaping import shape_of
from finitedp.data.shapes.tables import counts_in
from finitedp.data.true_counts import ANY_ROWS, counted, labels_of, of_their_type
from finitedp.data.units.counting import counted_by_unit, unit_of
from finitedp.errors import ParameterError
from finitedp.exact import RationalLike, integer, probability
from finitedp.impl.flexible.tables import dataset_neighbours
from finitedp.impl.histograms.universe import Strings
from finitedp.impl.randomness.words import SeededWords, SystemWords, WordSource
from finitedp.units import Unit

__all__ = ["NoisyHistogram", "release", "word_source"]

if TYPE_CHECKING:

    @overload
    def release(
        data: Any,  # noqa: ANN401
        column: str | Sequence[str] | None = None,
        *,
        kind: Literal["histogram"] = "histogram",
        epsilon: RationalLike,
        delta: RationalLike = 0,
        universe: Any = None,  # noqa: ANN401
        bins: Any = None,  # noqa: ANN401
        other: Label | None = None,
        counts: bool | str = False,
        n: int | None = None,
        word: int | None = None,
        neighbours: Literal["replace-one", "add-remove"] = "replace-one",
        beta: RationalLike = "1/20",
        words: WordSource | None = None,
        drop_nulls: bool = False,
        null_label: Label | None = None,
        padded: bool = True,
        unit: str | None = None,
        max_labels: int | None = None,
        max_rows_per_label: int | None = None,
        max_rows: int | None = None,
        bounded: bool = False,
    ) -> NoisyHistogram: ...

    @overload
    def release(
        data: Any,  # noqa: ANN401
        column: str | Sequence[str] | None = None,
        *,
        kind: Literal["pure-sparse"],
        epsilon: RationalLike,
        universe: Any = None,  # noqa: ANN401
        bins: Any = None,  # noqa: ANN401
        other: Label | None = None,
        counts: bool | str = False,
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
    column: str | Sequence[str] | None = None,
    *,
    kind: Literal["histogram", "pure-sparse", "anonymized"] = "histogram",
    epsilon: RationalLike,
    delta: RationalLike = 0,
    universe: Any = None,  # a sequence of labels, or one for each column
    bins: Any = None,  # edges, or edges by column
    other: Label | None = None,
    counts: bool | str = False,
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
    unit: str | None = None,
    max_labels: int | None = None,
    max_rows_per_label: int | None = None,
    max_rows: int | None = None,
    bounded: bool = False,
) -> NoisyHistogram | AnonymizedHistogram:
    """A differentially private histogram, by one call.

    With delta = 0 a noisy count for every label of the universe (BasicHistogram); with delta > 0 those of the labels that
    occur which are above the least threshold for delta (StabilityHistogram), for universes of any size. Of the kind
    "pure-sparse", with delta = 0 for universes of any size too, those of labels that occur which are above a threshold, and
    those of few that do not occur (BlanketHistogram): delta, word and padded are not for it. Of the kind "anonymized", how
    many labels have each count, without the labels (PrivHist): epsilon is for one row more or less, n is needed, and delta,
    universe, beta and padded are not for it.

    Source: FD.Dyadic.basic.private, FD.Dyadic.stability.private, FD.Dyadic.basic.add-remove, FD.Dyadic.stability.add-remove,
    FD.Blanket.private, PH.PrivHist.private; with a unit FD.Unit.release, FD.Unit.ratio, FD.Unit.stability.
    Parameters: data, a frame of pandas, polars, pyarrow, DuckDB, PySpark or Dask with the name of a column, or of several; or
    a series of pandas, polars or Dask, or an array of pyarrow, which is a column and never counts (one of integers that may be
    counts, without a universe or with an index of labels, is refused); or true counts by label; or a numpy array of true
    counts, whose labels are the universe, by default 0, 1, 2, ... epsilon > 0 and delta in [0, 1), any rationals: the release
    is (epsilon, delta)-differentially private for datasets that differ in one row. universe, all labels there may be, chosen
    without looking at the data; needed with delta = 0, but for an array: text, integers, booleans or dates; of several
    columns, whose labels are tuples, one universe for each, by name or in their order, or listed tuples; "categories", those
    of the frame, if they are public. bins, in place of a universe, edges of half-open intervals of integers or dates, of
    several columns by name. other, a label for all values outside, of each column. counts, True where the data is a series of
    counts by label, as of value_counts(); or the name of a frame's column of counts. n, a public bound of the number of rows;
    without it, the number of rows itself is public. word, the bits of a draw: 64 or 128 by default. neighbours: replace-one,
    the default, or add-remove, for one row more or less, with half the noise: the number of rows is no part of the release
    then, and n is needed, above which counts are taken for n (the errors stated are for at most n rows; pure-sparse refuses
    more). invented and skewed, for pure-sparse alone: on average at most so many labels of the release were never in the data
    (1 by default; where more may be, the threshold is lower); and for replace-one a threshold that is lower by a quarter, with
    counts that are more often too low. beta, for the error bounds. words, the source of random words: the operating system by
    default. drop_nulls and null_label, what rows without a value are (see finitedp.data.frames.counts_of). padded, whether
    delta > 0 takes n words, so that the time of drawing does not tell how many labels occur. unit, a frame's column that says
    whose a row is: epsilon and delta are then for all rows of a unit at once, and at most max_labels labels of a unit,
    max_rows_per_label rows of each of them and max_rows rows in all count, of any more those that a secret key chooses
    (integers of at least 1; max_rows, or both of the others, and n are needed); bounded, a promise that no unit has more:
    checked, and refused where it is broken.
    Raises: ParameterError, DataError, whose messages are about the true data: they are no part of a release.
    Cost: an engine's group-by; about 40 ns of noise for each label of the universe (delta = 0) or each of n rows (delta > 0),
    whatever the data is; and dictionaries and sorted lists of the labels, whose time depends on them.
    """
    whose = unit_of(unit, max_labels, max_rows_per_label, max_rows, bounded)
    if whose is not None and kind != "histogram":
        raise ParameterError(f"kind = {kind!r} does not take a unit yet; accepted: kind = 'histogram'")
    if whose is not None and counts is not False:
        raise ParameterError("a table of counts does not say whose a row is; accepted: unit with the frame of the rows")
    options = Options(None, drop_nulls, null_label)
    if counts is not False:
        data, column = counts_in(data, column, counts, options)
        drop_nulls, null_label = False, None  # as was seen to
    asked: dict[str, Any] = {"kind": kind, "epsilon": epsilon, "delta": delta, "n": n, "word": word, "invented": invented}
    asked |= {"neighbours": neighbours, "skewed": skewed, "beta": beta, "words": words, "padded": padded, "whose": whose}
    shape = shape_of(data, column, universe, bins, other)
    if shape is None:
        name = None if column is None else str(column)
        return _release(data, name, universe=universe, drop_nulls=drop_nulls, null_label=null_label, **asked)
    if kind == "anonymized":
        raise ParameterError("an anonymized histogram is of one column; accepted: without bins, other and a universe")
    numbers, codes, named = shape.numbered(data, options, whose)  # labels first, since bins join what was bounded apart
    what = None if isinstance(numbers, np.ndarray) else shape.what
    noisy = _release(numbers, what, universe=codes, chosen=True, **asked)
    assert isinstance(noisy, NoisyHistogram)  # noqa: S101  # of no other kind
    if n is None and not options.drop_nulls and noisy.threshold is None and not isinstance(data, LabelCounts | np.ndarray):
        noisy = evolve(noisy, rows=numbers.rows)  # each row has a label, in public
    return named(noisy)


def _release(
    data: Any,  # noqa: ANN401
    column: str | None,
    *,
    kind: str,
    epsilon: RationalLike,
    delta: RationalLike,
    universe: Any,  # noqa: ANN401
    n: int | None,
    word: int | None,
    invented: RationalLike | None,
    neighbours: str | None,
    skewed: bool,
    beta: RationalLike,
    words: WordSource | None,
    padded: bool,
    whose: Unit | None,
    drop_nulls: bool = False,
    null_label: Label | None = None,
    chosen: bool = False,
) -> NoisyHistogram | AnonymizedHistogram:
    """`release` of one column whose labels are text or integers. Parameters: chosen, whether data has the rows that count."""
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
    _check_bounded(relation, most, whose)
    if not allowed and (isinstance(labels, Strings) or (labels is None and not isinstance(data, np.ndarray))):
        raise ParameterError("delta = 0 releases every label, and needs universe, a sequence of them; or take delta > 0")
    if whose is not None and not chosen:
        found = of_their_type(counted_by_unit(data, column, whose, drop_nulls, null_label), column or "label", labels)
    else:
        any_rows = ANY_ROWS if relation == "add-remove" else most
        found = counted(data, column, labels, any_rows, drop_nulls, null_label, ordered=isinstance(source, SeededWords))
    asked = (epsilon, allowed, most, relation, word, beta, source)
    noisy = histogram_of(found, column, labels, *asked, padded=padded, unit=whose)
    whole = most is None and not drop_nulls and not isinstance(data, LabelCounts)  # each row has a label, in public
    return evolve(noisy, rows=found.rows) if whole and not allowed else noisy


def _check_bounded(relation: str, most: int | None, unit: Unit | None = None) -> None:
    """Refuse a relation that keeps the number of rows secret, without a bound. Raises: ParameterError."""
    if most is None and (relation == "add-remove" or unit is not None):
        why = "add-remove" if unit is None else "a unit of several rows"
        raise ParameterError(f"n is missing: with {why} the number of rows is not public; accepted: a public bound of it")


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
    plan = plan_for(public_rows(found.rows, most), *asked)
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
