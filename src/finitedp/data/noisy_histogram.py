"""What finitedp.release gives: noisy counts by label, and what is claimed of them."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from attrs import frozen
from gmpy2 import mpq
from numpy.typing import NDArray

from finitedp.claim import HistogramAccuracy, Neighbours, PrivacyClaim
from finitedp.data.columns import Label
from finitedp.data.error_bars import Bars
from finitedp.data.value.by_label import ByLabel
from finitedp.data.value.consistent import ConsistentHistogram, consistent_with
from finitedp.data.value.files import as_csv, as_parquet
from finitedp.data.value.framed import framed
from finitedp.data.value.label_columns import label_columns
from finitedp.data.value.saved import as_document, as_text, check_stated, document_in, histogram_of, parts_of
from finitedp.data.value.shown import MOST_SHOWN, Row, as_html, as_lines, drawn, row, shown_places, what_is_claimed
from finitedp.data.value.total import NoisyTotal, total_between, total_of
from finitedp.errors import LabelError, ParameterError
from finitedp.exact import RationalLike, integer, short
from finitedp.impl.counting.dyadic import DyadicSample
from finitedp.impl.counting.dyadic_plan import LIMB
from finitedp.impl.histograms.blanket.bulk import bits_read
from finitedp.impl.histograms.blanket.plan import BlanketPlan
from finitedp.impl.histograms.blanket.skewed import SkewedSample
from finitedp.labels import shown
from finitedp.units import Unit

__all__ = ["NoisyHistogram"]


@frozen(eq=False)
class NoisyHistogram(ByLabel):
    """What is released, and what is claimed of it: a mapping from labels to noisy counts, and printed a table.

    Going through it gives the labels, as of as_dict(); noisy[label] is a count, len(noisy) the number of labels.
    labels: sorted, or in the order of the universe. counts: their noisy counts, an int64 array of the same length. claim: None
    where the words are not private. accuracy: per query, and simultaneous. mechanism: of each count. delta: as asked for.
    threshold: None for BasicHistogram; else noisy counts up to it are not released, and a label that is not listed has count
    0. source: what the words come from. draws: how many there were, of n labels at most; None where that is no part of the
    release, since it tells how many labels occur. plan: of BlanketHistogram, None for the others. withheld: whether that
    release is empty since it would have held too many labels (with probability 2^-64 or less). neighbours: what epsilon is
    for. rows: how many rows there are, where that is public and each has one of the labels. listed_above: a number up to which
    counts that were released are left out, above the threshold; a label that is not listed then has at most that count. unit:
    whose rows, where that is more than one row.
    columns: the names of the columns, where labels are tuples with a value for each.
    """

    labels: Sequence[Label]
    counts: NDArray[np.int64]
    claim: PrivacyClaim | None
    accuracy: HistogramAccuracy
    mechanism: DyadicSample | SkewedSample
    delta: mpq
    threshold: int | None
    source: str
    draws: int | None
    plan: BlanketPlan | None = None
    withheld: bool = False
    neighbours: Neighbours = "replace-one"
    rows: int | None = None
    listed_above: int = 0
    unit: Unit | None = None
    columns: tuple[str, ...] = ()

    @property
    def n(self) -> int:
        """The public bound of the number of rows."""
        return self.mechanism.n

    @property
    def epsilon(self) -> mpq:
        """As asked for: the mechanism's own, or half of it where a row is only added or removed; times the rows of a unit."""
        rows = 1 if self.unit is None else self.unit.rows
        return self.mechanism.epsilon * mpq(rows, 1 if self.neighbours == "replace-one" else 2)

    def bars(self) -> Bars:
        """The error bars of the counts, each of which fails with probability at most beta."""
        return Bars(self.n, self.accuracy)

    @cached_property
    def places(self) -> dict[Label, int]:
        """Where each label is, for looking up many of them."""
        return {label: i for i, label in enumerate(self.labels)}

    def __contains__(self, label: object) -> bool:
        """Whether a label is among those that are released."""
        return label in self.places

    def place(self, label: Label) -> int:
        """Where a label is. Raises: LabelError."""
        place = self.places.get(label)
        if place is None:
            of = f"one of the {len(self)} labels" if self.threshold is None else "released, and has count 0"
            raise LabelError(f"{shown(label)} is not {of}; accepted: a label of the release")
        return place

    def total(self, labels: Iterable[Label], beta: RationalLike = "1/20") -> NoisyTotal:
        """The sum of the counts of some labels, with an error bar of its own: far narrower than the sum of the labels' bars.

        The bar fails with probability at most beta whatever the true counts are, if the labels are chosen without looking at
        the release. Sums of many labels are too large on average, since no count is below 0: the bar is wider downwards. A
        label that a release with a threshold does not list adds nothing to the sum, and the threshold to the bar's upper end.
        Source: FD.Sum.accuracy. Parameters: labels, distinct ones of the release, or of the universe where there is a
        threshold; beta in (0, 1). Raises: ParameterError, LabelError for a label that is not of the release.
        """
        return total_of(self, labels, beta)

    def between(self, low: int, high: int, beta: RationalLike = "1/20") -> NoisyTotal:
        """`total` of all labels from low to high, both included, of a release whose labels are integers.

        Where there is a threshold, all integers between may occur, listed or not. Raises: ParameterError.
        """
        return total_between(self, low, high, beta)

    def consistent(self) -> ConsistentHistogram:
        """The nearest non-negative counts whose sum is the number of rows: post-processing, of the same claim.

        For a release of every label whose number of rows is public, without n. Raises: ParameterError for others, whose
        counts are non-negative already.
        """
        return consistent_with(self, self.rows)

    def __repr__(self) -> str:
        """A table of at most 20 lines: labels, counts, error bars, and what is claimed."""
        return as_lines(*self._shown())

    def _repr_html_(self) -> str:
        """The same table, for notebooks."""
        return as_html(*self._shown())

    def _shown(self) -> tuple[list[Row | None], int, str]:
        bar, found = self.bars().bar, list[Row | None]()
        for i in shown_places(len(self)):
            count = 0 if i is None else int(self.counts[i])
            found.append(None if i is None else row(self.labels[i], count, bar(count)))
        return found, len(self) - MOST_SHOWN, self._claimed()

    def _claimed(self) -> str:
        return what_is_claimed(self.claim, self.accuracy, self.n, self.threshold)

    def plot(self, axes: Any = None, *, most: int = 30) -> Any:  # noqa: ANN401  # matplotlib's
        """A picture: a bar for each label, in their order, with its error bar; of more labels, those of the largest counts.

        Parameters: axes, of matplotlib, to draw on, by default those of a new figure (`.figure`, which has `savefig`); most,
        how many labels, from 1 on. Returns: the axes. Raises: ParameterError, also where matplotlib is missing.
        """
        many = integer(most, "most", at_least=1)
        largest = np.sort(np.argsort(-self.counts, kind="stable")[:many]).tolist()
        bins = [(self.labels[i], int(self.counts[i]), self.bars().bar(int(self.counts[i]))) for i in largest]
        return drawn(bins, len(self) - len(bins), self._claimed(), axes)

    def to_frame(self, backend: str) -> Any:  # noqa: ANN401  # any engine's frame
        """A data frame with the columns label, count, low and high, the ends of the error bar.

        Labels of several columns have a column each, with its name. Labels are text where none is released, and integers
        are where text is among them, such as `other`. Parameters: backend, "pandas", "polars" or "pyarrow". Raises:
        ParameterError for another, where it is missing, or for labels that a column cannot hold: integers beyond 64 bits,
        bytes that are not UTF-8, 1 beside "1".
        """
        return framed(backend, self.labels, self.counts, self.bars().bar, self.columns)

    def to_json(self) -> str:
        """All of it as the JSON document that `finitedp release --json` writes, column null. Raises: ParameterError."""
        listed = histogram_of(self.items())
        return as_text(as_document(self.metadata(), None, self.rows, listed), listed)

    def write(self, path: str | Path) -> None:
        """Write a file, of the form that its name says: .json, .parquet, .pq or .csv; any other is refused.

        `finitedp.read` reads the first three. CSV holds labels, counts and error bars, and nothing of what is claimed.
        Raises: ParameterError, also for labels that the form cannot hold, and where DuckDB is missing for Parquet; OSError.
        """
        file = Path(path)
        Path(path).write_bytes(self._as_file(file.suffix.lower(), file))

    def _as_file(self, suffix: str, file: Path) -> bytes:
        if suffix == ".json":
            return self.to_json().encode()
        if suffix not in (".csv", ".parquet", ".pq"):
            raise ParameterError(f"{file} ends in {suffix or 'no suffix'}; accepted: .csv, .json, .parquet, .pq")
        columns, counts = label_columns(self.labels, self.columns), self.counts.tolist()
        if suffix == ".csv":
            named = [(one.column.name, one.column.values) for one in columns]
            return as_csv(named, counts, self.bars(), seeded=self.claim is None).encode()
        document = as_document(self.metadata(), None, self.rows, histogram_of(self.items()))
        return as_parquet(columns, counts, self.bars(), document)

    @classmethod
    def from_json(cls, text: str | bytes | Path) -> "NoisyHistogram":
        """The release of a document: of to_json, or of `finitedp release` on dyadic tables and blankets.

        All that it states is computed again from its parameters, and must be the same.
        Parameters: text, a JSON object, or the path of a file. Raises: DataError for anything else.
        """
        return cls.from_document(document_in(text))

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> "NoisyHistogram":
        """As from_json, of the JSON object as Python has it. Raises: DataError."""
        found = cls(*parts_of(document))
        check_stated(document, found.metadata())
        return found

    def metadata(self) -> dict[str, Any]:
        """All of it but labels and counts, for a document: rationals as strings "p/q"."""
        claim, mechanism = self.claim, self.mechanism
        kind = (
            "BasicHistogram" if self.threshold is None else "StabilityHistogram" if self.plan is None else "BlanketHistogram"
        )
        return {
            "mechanism": f"{kind} with {type(mechanism).__name__}",
            **({"labels": len(self.labels)} if self.threshold is None else {"threshold": self.threshold}),
            **({"listed_above": self.listed_above} if self.listed_above else {}),
            **({"columns": list(self.columns)} if self.columns else {}),
            "n": mechanism.n,
            "total": self.rows,
            "parameters": {
                "epsilon": str(self.epsilon),
                "delta": str(self.delta),
                "word": mechanism.word,
                "neighbours": self.neighbours,
                **({} if self.unit is None else {"unit": self.unit.as_json()}),
                **self._blanket(),
            },
            "claim": None if claim is None else claim.as_json(),
            **self._distance(),
            "accuracy": self.accuracy.as_json(),
            "randomness": self.randomness(),
        }

    def _distance(self) -> dict[str, str]:
        """How far a count's law is from the geometric one; a skewed table has another."""
        if isinstance(self.mechanism, SkewedSample):
            return {}
        exponent = self.mechanism.table.excess_exponent()
        return {"distance_from_geometric": "0" if exponent is None else str(mpq(1, 1 << exponent))}

    def randomness(self) -> dict[str, Any]:
        """Where the random words came from, how many were drawn, and how many bits were read for them."""
        word, draws = self.mechanism.word, self.draws
        each = LIMB * -(-word // LIMB)
        read = bits_read(self.plan) if self.plan is not None else None if draws is None else each * draws
        return {"bits_from": self.source, "word": word, "draws": draws, "bits": read}

    def _blanket(self) -> dict[str, Any]:
        """What a plan adds to the parameters: public numbers."""
        plan = self.plan
        if plan is None:
            return {}
        asked = {"universe_size": short(plan.size), "invented": str(plan.most_invented)}
        return {**asked, "cap": plan.cap, "slots": plan.slots, "withheld": self.withheld}
