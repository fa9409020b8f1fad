"""finitedp.statistic: the maximum, the mode, a quantile ... of a column, with accuracy that forgives a few rows left out.

The noise is one-sided: the answer is that of the noisy counts of a public list of bars, each of which lost a few rows. One
word of random bits is drawn for each bar of the universe, whatever the data is.
"""

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
from attrs import frozen

from finitedp.budgets.budget import charged
from finitedp.claim import FlexibleAccuracy, PrivacyClaim
from finitedp.data.releasing import word_source
from finitedp.data.true_counts import ANY_ROWS, counted, length
from finitedp.data.units.statistics import Bars, unit_of_statistic
from finitedp.data.value.answers import MOST_BARS_DRAWN, answer_document, answer_document_in, check_answer, parts_of_answer
from finitedp.errors import DataError, ParameterError
from finitedp.exact import RationalLike, short
from finitedp.impl.flexible.bucketing import IntegerBuckets
from finitedp.impl.flexible.bulk import LIMB, release_array
from finitedp.impl.flexible.releases import FlexibleStatistic, flexible_statistic
from finitedp.impl.randomness.coins import ExactCoins
from finitedp.impl.randomness.words import SeededWords, WordSource, bits_of
from finitedp.numbers import decimal, shown
from finitedp.units import Unit

__all__ = ["LABELLED", "ON_THE_LINE", "FlexibleAnswer", "answered", "bucketed", "prepared", "separator", "statistic"]

ON_THE_LINE = ("max", "min", "range", "support", "max-k", "mode", "median", "quantile", "iqr")
"""The statistics of one column; a separator needs a column of labels beside it, see `separator`."""

LABELLED = "separator"


@frozen
class FlexibleAnswer:
    """A statistic that was released, and what is claimed of it.

    value: a rational; of support, a tuple of them. claim: None where the words are not private. accuracy: as if `dropped` rows
    had been left out, and then within beta, except with probability gamma. mechanism: what was run. source: of the words.
    """

    value: Any
    claim: PrivacyClaim | None
    accuracy: FlexibleAccuracy
    mechanism: FlexibleStatistic
    source: str

    def __str__(self) -> str:
        private, claim = "NOT PRIVATE", self.claim
        if claim is not None:
            private = f"({shown(claim.epsilon, 12)}, {shown(claim.delta, 12)})-private, {claim.neighbours}"
        return f"{self.mechanism.statistic.name} = {text_of(self.value)} [{private}]. {self.sentence()}"

    def sentence(self) -> str:
        """What the accuracy says, in words."""
        claimed, unit = self.accuracy, self.mechanism.histogram.unit
        rows = "the rows" if unit is None else "the rows that count" if unit.rows > 1 else f"the units ({unit.column})"
        rows = f"at most {claimed.dropped} of {rows}" if claimed.dropped else f"none of {rows}"
        within = f", and then within {claimed.beta}" if claimed.beta else ", and then exactly"
        but = f", except with probability {shown(claimed.gamma, 30)}" if claimed.gamma else ""
        return f"As if {rows} had been left out{within}{but}."

    def default_sentence(self) -> str:
        """When the answer may say nothing about the data."""
        if not self.accuracy.dropped:
            return f"Of no rows the answer is {text_of(self.mechanism.default)}."
        default = text_of(self.mechanism.default)
        return f"Of {self.accuracy.dropped} rows or fewer the answer may be {default}, whatever they are."

    def metadata(self) -> dict[str, Any]:
        """All of it for a document: rationals as strings "p/q"."""
        mechanism, histogram, buckets = self.mechanism, self.mechanism.histogram, self.mechanism.buckets
        assert isinstance(buckets, IntegerBuckets)  # noqa: S101  # of `prepared`
        value = [str(x) for x in self.value] if isinstance(self.value, tuple) else str(self.value)
        default = mechanism.default
        return {
            "statistic": mechanism.statistic.name,
            "value": value,
            "mechanism": "ShiftedTruncated",
            "parameters": {
                "epsilon": str(histogram.epsilon),
                "q": histogram.q,
                "word": histogram.word,
                "neighbours": histogram.neighbours,
                **{name: str(value) for name, value in mechanism.statistic.given.items()},
                **({} if histogram.unit is None else {"unit": histogram.unit.as_json()}),
            },
            "bars": histogram.bars,
            "universe": [str(buckets.low), str(buckets.high)],
            "bucket": buckets.width,
            "default": [str(x) for x in default] if isinstance(default, tuple) else str(default),
            "claim": None if self.claim is None else self.claim.as_json(),
            "accuracy": self.accuracy.as_json(),
            "randomness": {"bits_from": self.source, "word": histogram.word, "draws": histogram.bars},
        }

    def to_json(self) -> str:
        """The document that `finitedp statistic --json` writes, column null."""
        return json.dumps(answer_document(self.metadata(), None), indent=2) + "\n"

    @classmethod
    def from_json(cls, text: str | bytes) -> "FlexibleAnswer":
        """The answer of a document; all that it states is computed again, and must be the same. Raises: DataError."""
        document = answer_document_in(text)
        found = cls(*parts_of_answer(document))
        check_answer(document, found.metadata())
        return found


def text_of(value: Any) -> str:  # noqa: ANN401  # a rational, or a tuple of them
    """An answer for a reader: integers and halves as they are, many points by how many there are."""
    if isinstance(value, tuple):
        listed = ", ".join(text_of(x) for x in value[:20])
        return f"{{{listed}{f', ... ({len(value)} in all)' if len(value) > 20 else ''}}}"
    return decimal(value, 20) if value.denominator in (1, 2) else str(value)


def _integers(universe: Any, name: str) -> range:  # noqa: ANN401  # whatever was given
    """LO..HI as a range. Raises: ParameterError for what has no order, or gaps."""
    found = (
        range(universe[0], universe[1] + 1)
        if isinstance(universe, tuple) and list(map(type, universe)) == [int, int]
        else universe
    )
    if not isinstance(found, range) or found.step != 1:
        what = f"a {type(universe).__name__}" if not isinstance(universe, range) else f"{universe!r}, which has gaps"
        raise ParameterError(
            f"universe is {what}, and {name} needs an order; accepted: the integers LO..HI, such as range(LO, HI + 1)"
        )
    if not length(found):
        raise ParameterError("universe is empty; accepted: LO..HI with LO <= HI")
    return found


def prepared(
    name: str,
    universe: Any,  # noqa: ANN401  # as of statistic
    epsilon: RationalLike,
    delta: RationalLike,
    *,
    beta: RationalLike = 0,
    word: int = 64,
    neighbours: str = "add-remove",
    k: int | None = None,
    p: RationalLike | None = None,
    unit: Unit | None = None,
) -> FlexibleStatistic:
    """The mechanism that `statistic` runs, which does not depend on the data. Raises: ParameterError."""
    if name not in (*ON_THE_LINE, LABELLED):
        raise ParameterError(f"statistic = {name!r} is unknown; accepted: {', '.join(ON_THE_LINE)}")
    line = _integers(universe, name)
    buckets = IntegerBuckets.within(line[0], line[-1], beta)
    if buckets.bars > MOST_BARS_DRAWN:
        raise ParameterError(
            f"the universe has {short(buckets.bars)} bars, more than {MOST_BARS_DRAWN}; accepted: a larger beta, for fewer"
        )
    return flexible_statistic(name, buckets, epsilon, delta, word, neighbours, k=k, p=p, unit=unit)


def statistic(
    data: Any,  # noqa: ANN401  # any engine's frame, a mapping or an array
    column: str | None = None,
    name: str = "max",
    *,
    universe: Any,  # noqa: ANN401  # a range, or its ends
    epsilon: RationalLike,
    delta: RationalLike,
    beta: RationalLike = 0,
    gamma: RationalLike | None = None,
    dropped: int | None = None,
    k: int | None = None,
    p: RationalLike | None = None,
    word: int = 64,
    neighbours: str = "add-remove",
    words: WordSource | None = None,
    drop_nulls: bool = False,
    null_label: int | None = None,
    unit: str | None = None,
    max_labels: int | None = None,
    max_rows_per_label: int | None = None,
    max_rows: int | None = None,
    bounded: bool = False,
) -> FlexibleAnswer:
    """A differentially private statistic of a column of integers, accurate up to a few rows left out; of no rows, too.

    Source: FD.Statistic.private, FD.Shifted.extreme, FD.Shifted.accuracy; with a unit FD.Unit.statistic, FD.Unit.shifted.
    Parameters: data, a frame of pandas, polars, pyarrow, DuckDB, PySpark or Dask with the name of a column; or true counts by
    value; or a numpy array of true counts, one for each value of the universe. name: max, min, range, support, max-k (with k),
    mode, median, quantile (with p), iqr. universe: all values there may be, a range without gaps or (LO, HI), chosen without
    looking at the data. epsilon > 0 and delta in (0, 1), any rationals, for datasets that differ by a row more or less
    (neighbours = "replace-one": by a row replaced). beta: buckets of floor(2 beta) + 1 values; 0 for max-k and mode. gamma
    or dropped: what the stated accuracy is for; by default gamma = 0. word: bits of a draw. words, the source of random words:
    the operating system by default. drop_nulls and null_label: what rows without a value are. unit, a frame's column that says
    whose a row is: epsilon and delta are then for all rows of a unit at once. Of max and min each unit's own largest or
    smallest value counts, of a range both, so that nothing is lost, and no bounds are given; of support its different values,
    at most max_labels; of the others its rows, of which max_labels, max_rows_per_label and max_rows say how many count, as of
    finitedp.release, and `bounded` promises that it has no more.
    Raises: ParameterError; DataError, whose messages are about the true data: they are no part of a release.
    Cost: an engine's group-by; one word for each bar, some 30 ns each at 64 bits.
    """
    if name == LABELLED:
        raise ParameterError(f"a {name} needs labels beside the values; accepted: finitedp.data.statistics.separator")
    asked = {"max_labels": max_labels, "max_rows_per_label": max_rows_per_label, "max_rows": max_rows}
    whose = unit_of_statistic(name, unit, asked, bounded=bounded)
    terms: dict[str, Any] = {"beta": beta, "word": word, "neighbours": neighbours, "k": k, "p": p, "unit": whose}
    mechanism, source = prepared(name, universe, epsilon, delta, **terms), word_source(words)
    claimed, line = mechanism.accuracy(gamma, dropped), _integers(universe, name)
    if whose is not None:
        bars = Bars(name, column or "", mechanism, whose).of_frame(data, drop_nulls, null_label)
        return answered(mechanism, bars, claimed, source, _of(name, column))
    found = counted(data, column, line, ANY_ROWS, drop_nulls, null_label, ordered=True)
    bars = bucketed(found.as_dict(), mechanism, column or "value")
    return answered(mechanism, bars, claimed, source, _of(name, column))


def separator(
    data: Mapping[tuple[int, bool], int],
    *,
    universe: Any,  # noqa: ANN401  # as of statistic
    epsilon: RationalLike,
    delta: RationalLike,
    beta: RationalLike = 0,
    gamma: RationalLike | None = None,
    dropped: int | None = None,
    word: int = 64,
    neighbours: str = "add-remove",
    words: WordSource | None = None,
) -> FlexibleAnswer:
    """A differentially private separator of two labels: the middle of the last - and the first +, up to a few rows left out.

    Source: FD.Statistic.private, FD.Shifted.accuracy. Parameters: data, true counts by (value, whether the label is +), as
    columns.count_labelled_column has them; the others as of `statistic`. Each value has two bars. Raises: ParameterError,
    DataError. Cost: two words for each bucket of the universe.
    """
    mechanism = prepared(LABELLED, universe, epsilon, delta, beta=beta, word=word, neighbours=neighbours)
    source, claimed = word_source(words), mechanism.accuracy(gamma, dropped)
    bars = [0] * mechanism.histogram.bars
    for (value, label), count in data.items():
        bars[2 * mechanism.buckets.index(value) + bool(label)] += count
    return answered(mechanism, bars, claimed, source, LABELLED)


def _of(name: str, column: str | None) -> str:
    return name if column is None else f"{name} of {column}"


def answered(
    mechanism: FlexibleStatistic, bars: list[int], claimed: FlexibleAccuracy, source: WordSource, what: str
) -> FlexibleAnswer:
    """The answer from true counts of the bars; what: is told to a budget, which is charged before a word is drawn."""
    claim = mechanism.claim()
    value = mechanism.answer(_noisy(mechanism, bars, charged(claim, what, source)))
    return FlexibleAnswer(value, None if isinstance(source, SeededWords) else claim, claimed, mechanism, source.name)


def bucketed(counts: dict[Any, int], mechanism: FlexibleStatistic, column: str) -> list[int]:
    """The true counts of the bars: not private. Raises: DataError for a value outside of the universe."""
    bars = [0] * mechanism.histogram.bars
    for value, count in counts.items():
        try:
            bars[mechanism.buckets.index(value)] += count
        except DataError as error:
            raise DataError(f"column {column!r}: {error}") from None
    return bars


def _noisy(mechanism: FlexibleStatistic, counts: list[int], source: WordSource) -> list[int]:
    histogram = mechanism.histogram
    if histogram.word > LIMB:
        return list(histogram.release_counts(counts, ExactCoins(bits_of(source))))
    noisy: list[int] = release_array(histogram, np.array(counts, np.int64), source).tolist()
    return noisy
