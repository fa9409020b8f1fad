"""How an anonymized histogram is released from a frame, from counts by label, from prevalences, or from a file of either."""

import csv
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from finitedp.budgets.budget import charged
from finitedp.data.anonymized import AnonymizedHistogram
from finitedp.data.columns import Label, count_column
from finitedp.data.frames import LabelCounts, prevalences_of
from finitedp.data.parquet import is_parquet, parquet_prevalences
from finitedp.data.series import is_series
from finitedp.data.true_counts import counted
from finitedp.errors import DataError, ParameterError
from finitedp.exact import RationalLike, integer
from finitedp.impl.anonymized.prevalences import Pairs, checked_pairs, pairs_of_counts
from finitedp.impl.anonymized.priv_hist import PrivHist, priv_hist
from finitedp.impl.histograms.universe import Strings
from finitedp.impl.randomness.coins import StrictCoins
from finitedp.impl.randomness.words import SeededWords, WordSource, bits_of
from finitedp.labels import shown

__all__ = ["anonymized_from", "pairs_in_file", "pairs_of_column", "pairs_of_data", "released"]

_LONGEST_LABEL = 10**6  # bytes


def released(pairs: Pairs, mechanism: PrivHist, source: WordSource, what: str) -> AnonymizedHistogram:
    """Draw the noise. Parameters: pairs, the true prevalences; what, for a budget: what they are of.

    Raises: DataError for more than n items, before any draw.
    """
    words = charged(mechanism.claim(), f"anonymized histogram of {what}", source)
    found = mechanism.release_pairs(pairs, StrictCoins(bits_of(words)))
    private = not isinstance(source, SeededWords)
    draws = mechanism.draws(found)
    return AnonymizedHistogram(
        found.histogram,
        found.total,
        mechanism.n,
        mechanism.claim() if private else None,
        f"PrivHist, branch {mechanism.branch}",
        {
            "epsilon": str(mechanism.epsilon),
            "epsilon1": str(mechanism.epsilon1),
            "epsilon2": str(mechanism.epsilon2),
            "epsilon3": str(mechanism.epsilon3),
            "threshold": str(found.threshold),
            "fakes": str(found.fakes),
            "word": str(mechanism.word),
        },
        {"bits_from": source.name, "word": mechanism.word, "draws": draws, "bits": draws * mechanism.word},
    )


def anonymized_from(
    data: Any,  # noqa: ANN401  # as of finitedp.release
    column: str | None,
    *,
    n: int | None,
    epsilon: RationalLike,
    word: int | None,
    source: WordSource,
    drop_nulls: bool,
    null_label: Label | None,
) -> AnonymizedHistogram:
    """`finitedp.release(..., kind="anonymized")`. Raises: ParameterError, DataError."""
    if n is None:
        raise ParameterError(
            "n is missing: an anonymized histogram needs a public bound of the number of rows, which is noisy"
        )
    mechanism = priv_hist(int(integer(int(n) if isinstance(n, np.integer) else n, "n", at_least=1)), epsilon, word=word)
    return released(pairs_of_data(data, column, drop_nulls, null_label), mechanism, source, column or "labels")


def pairs_of_data(data: Any, column: str | None, drop_nulls: bool, null_label: Label | None) -> Pairs:  # noqa: ANN401
    """The true prevalences (not private) of a frame's column, of counts by label, or of an array of counts."""
    if isinstance(data, LabelCounts | Mapping | np.ndarray) or is_series(data):
        found = counted(data, column, None, None, drop_nulls, null_label, ordered=False)
        return _of_array(found.counts)
    if isinstance(data, str | Iterable) and not hasattr(data, "columns") and not hasattr(data, "to_native"):
        counted(data, column, None, None, drop_nulls, null_label, ordered=False)  # says what is accepted
    if column is None:
        raise ParameterError("column is missing; accepted: the name of the frame's column to count")
    return checked_pairs(prevalences_of(data, column, drop_nulls=drop_nulls, null_label=null_label))


def _of_array(counts: "np.typing.NDArray[np.int64]") -> Pairs:
    values, many = np.unique(counts, return_counts=True)
    return checked_pairs((r, k) for r, k in zip(values.tolist(), many.tolist(), strict=True) if r)


# Files


def pairs_of_column(
    path: Path, column: str, first: int | None = None, *, drop_nulls: bool = False, null_label: Label | None = None
) -> Pairs:
    """The true prevalences of the labels of a file's column, CSV (every value is text) or Parquet.

    Raises: DataError, ParameterError, as data.files.count_file.
    """
    if is_parquet(path):
        return checked_pairs(parquet_prevalences(path, column, first, drop_nulls=drop_nulls, null_label=null_label))
    if drop_nulls or null_label is not None:
        raise ParameterError(f"{path} is a CSV file, which has no nulls: a missing value is the empty string")
    counts = count_column(path, column, Strings(_LONGEST_LABEL), first, may_be_empty=True)
    return pairs_of_counts(counts.counts.values())


def pairs_in_file(path: Path) -> Pairs:
    """The prevalences in a CSV file of two columns, count and prevalence, with a header. Raises: DataError."""
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            rows = list(csv.reader(file, strict=True))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise DataError(f"{path} cannot be read as CSV: {getattr(error, 'strerror', None) or error}") from None
    if not rows or [name.strip() for name in rows[0]] != ["count", "prevalence"]:
        found = ", ".join(rows[0])[:60] if rows else "nothing"
        raise DataError(f"{path} begins with {found!r}; accepted: a header of the two columns count,prevalence")
    pairs = [_row(path, line, row) for line, row in enumerate(rows[1:], start=2) if row]
    try:
        return checked_pairs(pairs)
    except DataError as error:
        raise DataError(f"{path}: {error}") from None


def _row(path: Path, line: int, row: list[str]) -> tuple[int, int]:
    if len(row) != 2:
        raise DataError(f"{path}, line {line}: {len(row)} values; accepted: a count and its prevalence")
    for text in row:
        sign, digits = text.strip()[:1] == "-", text.strip().removeprefix("-")
        if not (digits.isascii() and digits.isdigit() and len(digits) <= 40) or (sign and not digits):
            raise DataError(
                f"{path}, line {line}: {shown(text)} is not an integer; accepted: a count and its prevalence (for "
                "a column of labels: --input and --column)"
            )
    count, many = (int(text) for text in row)
    return count, many
