"""finitedp.read: whatever was released, from the file that it was written to."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from finitedp.data.anonymized import AnonymizedHistogram
from finitedp.data.noisy_histogram import NoisyHistogram
from finitedp.data.noisy_number import NoisyNumber
from finitedp.data.papers import PAPERS, PaperHistogram
from finitedp.data.parquet import is_parquet
from finitedp.data.statistics import FlexibleAnswer
from finitedp.data.value.files import check_bars, parquet_document
from finitedp.data.value.saved import parsed
from finitedp.errors import DataError, FinitedpError
from finitedp.impl.anonymized.priv_hist import PrivHist
from finitedp.impl.histograms.compact_release import CompactRelease

__all__ = ["Released", "read"]

Released = NoisyHistogram | PaperHistogram | FlexibleAnswer | NoisyNumber | AnonymizedHistogram | CompactRelease[Any]
_OTHERS: dict[str, Callable[[bytes], Released]] = {
    "finitedp statistic": FlexibleAnswer.from_json,
    "finitedp number": NoisyNumber.from_json,
    "finitedp anonymized release": lambda text: _anonymized(json.loads(text)),
    "finitedp compact histogram": CompactRelease.from_json,
}


def read(path: str | Path) -> Released:
    """What a file holds that finitedp wrote, in Python or on the command line: .json, .parquet or .pq, by its name.

    What is claimed is computed again from the parameters, and has to be what the file states. A CSV file holds labels and
    counts alone, so that nothing could be said of them: it is refused.
    Returns: a NoisyHistogram, a NoisyNumber, a FlexibleAnswer, an AnonymizedHistogram or a CompactRelease.
    Raises: DataError for anything else; ParameterError where DuckDB is missing, which reads Parquet.
    """
    file = Path(path)
    try:
        if is_parquet(file):
            return _of_parquet(file)
        if file.suffix.lower() == ".json":
            return _of_json(file)
    except FinitedpError as error:
        raise type(error)(f"{'' if str(file) in str(error) else f'{file}: '}{error}") from None
    if file.suffix.lower() == ".csv":
        raise DataError(f"{file} is CSV, which holds counts and not what is claimed of them; accepted: .json, .parquet, .pq")
    raise DataError(f"{file} ends in {file.suffix or 'no suffix'}; accepted: .json, .parquet, .pq")


def _of_parquet(file: Path) -> Released:
    document, bars = parquet_document(file)
    found = _histogram(document)
    check_bars(bars, found.counts.tolist(), found.bars())
    return found


def _of_json(file: Path) -> Released:
    try:
        text = file.read_bytes()
    except OSError as error:
        raise DataError(f"{file} cannot be read: {error.strerror or error}") from None
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise DataError(f"{file} is no JSON document: {error}") from None
    reader = _OTHERS.get(str(document.get("format"))) if isinstance(document, dict) else None
    return _histogram(parsed(text, str(file))) if reader is None else reader(text)


def _anonymized(document: Any) -> AnonymizedHistogram:  # noqa: ANN401  # as read from JSON
    """As from_json; the claim has to be that of the mechanism with the parameters that are stated, and privacy is claimed."""
    found, branch = AnonymizedHistogram.from_json(document), str(document["mechanism"]).removeprefix("PrivHist, branch ")
    try:
        given = found.parameters
        first, second, third = (given[f"epsilon{i}"] for i in (1, 2, 3))
        made = PrivHist(found.n, first, second, third, branch, word=int(given["word"]))
    except (FinitedpError, KeyError, TypeError, ValueError) as error:
        raise DataError(f"the release is damaged: {type(error).__name__}: {error}") from None
    if found.claim not in (None, made.claim()) or given.get("epsilon") != str(made.epsilon):
        raise DataError("claim does not follow from the release's parameters; accepted: what finitedp wrote")
    return found


def _histogram(document: Mapping[str, Any]) -> NoisyHistogram | PaperHistogram:
    of_the_paper = document.get("mechanism") in PAPERS
    return PaperHistogram.from_document(document) if of_the_paper else NoisyHistogram.from_document(document)
