"""A release as a JSON document, and back: whatever a document states that its parameters do not imply is refused."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
from attrs import evolve
from gmpy2 import mpq
from numpy.typing import NDArray

from finitedp.claim import HistogramAccuracy, Neighbours, PrivacyClaim
from finitedp.data.columns import Label
from finitedp.errors import DataError, FinitedpError, ParameterError
from finitedp.exact import integer, probability, rational
from finitedp.impl.counting.dyadic import DyadicSample
from finitedp.impl.flexible.tables import dataset_neighbours
from finitedp.impl.histograms.basic import BasicHistogram
from finitedp.impl.histograms.blanket.accuracy import blanket_accuracy
from finitedp.impl.histograms.blanket.building import blanket_plan
from finitedp.impl.histograms.blanket.plan import BlanketPlan
from finitedp.impl.histograms.blanket.skewed import SkewedSample
from finitedp.impl.histograms.dyadic import least_threshold, threshold_accuracy
from finitedp.impl.histograms.stability import StabilityHistogram
from finitedp.impl.histograms.units import least_unit_threshold, unit_claim
from finitedp.labels import shown
from finitedp.units import Unit

__all__ = [
    "as_document",
    "as_text",
    "check_stated",
    "document_in",
    "histogram_hash",
    "histogram_of",
    "listed_in",
    "parsed",
    "parts_of",
]

FORMAT, VERSION = "finitedp release", 1
_HASH = "histogram_sha256"
_MECHANISMS = {
    f"{histogram} with {noise}": histogram
    for histogram, noises in {
        "BasicHistogram": ["DyadicSample"],
        "StabilityHistogram": ["DyadicSample"],
        "BlanketHistogram": ["DyadicSample", "SkewedSample"],
    }.items()
    for noise in noises
}
_KEYS = {"private", "mechanism", "n", "parameters", "claim", "accuracy", "randomness", "histogram"}


def as_document(
    about: Mapping[str, Any], column: str | None, rows: int | None, histogram: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    """A document without the histogram, whose hash is in it.

    Parameters: about, its middle; rows, their number where that is public. Raises: ParameterError.
    """
    import finitedp  # noqa: PLC0415  # the version alone

    kind = {"format": FORMAT, "version": VERSION, "finitedp": finitedp.__version__, "private": about["claim"] is not None}
    return {**kind, "column": column, "rows": rows, **about, _HASH: histogram_hash(histogram)}


def histogram_of(bins: Iterable[tuple[Label, int]]) -> list[dict[str, Any]]:
    """Labels and counts as a document has them."""
    return [{"label": _written(label), "count": count} for label, count in bins]


def as_text(document: Mapping[str, Any], histogram: Sequence[Mapping[str, Any]]) -> str:
    """As NoisyHistogram.to_json. Parameters: as of as_document, which made the document."""
    head = json.dumps(document, indent=2).removesuffix("\n}")
    return f'{head},\n  "histogram": {json.dumps(histogram)}\n}}\n'  # on one line: ten times as fast


def histogram_hash(histogram: Sequence[Mapping[str, Any]]) -> str:
    """SHA-256 of labels and counts: a mistake shows, who means to change them changes it, too. Raises: ParameterError."""
    try:
        text = json.dumps([[one["label"], one["count"]] for one in histogram])
    except ValueError as error:
        raise ParameterError(f"a label cannot be written: {error}; accepted: integers of up to 4300 digits") from None
    return hashlib.sha256(text.encode()).hexdigest()


# Reading


def document_in(given: str | bytes | Path) -> dict[str, Any]:
    """The document of a text, or of the file at a path. Raises: DataError for anything else."""
    text, name = given, "the text"
    if isinstance(given, Path) or (isinstance(given, str) and not given.lstrip().startswith("{")):
        name = str(given)[:200]
        try:
            text = Path(given).read_bytes()
        except (OSError, ValueError) as error:
            raise DataError(f"{shown(name)} is neither a JSON object nor a file that can be read: {error}") from None
    elif not isinstance(given, str | bytes):
        raise DataError(f"a release is read from a {type(given).__name__}; accepted: text, or a path")
    return parsed(text, name)  # type: ignore[arg-type]  # no path any more


def parsed(text: str | bytes, name: str) -> dict[str, Any]:
    """The document of a text. Parameters: name, of where it is from. Raises: DataError for anything else."""
    try:
        found = json.loads(text, object_pairs_hook=_once)
    except (ValueError, RecursionError) as error:
        raise DataError(f"{name} is no JSON document: {error}") from None
    if not isinstance(found, dict) or (found.get("format"), found.get("version")) != (FORMAT, VERSION):
        raise DataError(f"{name} is no release; accepted: a JSON object of the format {FORMAT!r}, version {VERSION}")
    return found


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(pairs)) < len(pairs):
        raise ValueError("a key is there twice")
    return dict(pairs)


def parts_of(document: Mapping[str, Any]) -> tuple[Any, ...]:
    """What a NoisyHistogram is made of, from a document's parameters, labels and counts. Raises: DataError."""
    missing = sorted(_KEYS - set(document))
    if missing:
        raise DataError(f"the release has no {', '.join(missing)}; accepted: all of {', '.join(sorted(_KEYS))}")
    if document["mechanism"] not in list(_MECHANISMS):
        found = shown(document["mechanism"])
        raise DataError(f"a release of {found} is no NoisyHistogram; accepted: {', '.join(_MECHANISMS)}")
    if document["private"] is not (document["claim"] is not None):
        raise DataError("private and claim contradict each other; accepted: a claim exactly where it is private")
    try:
        return _rebuilt(document)
    except (FinitedpError, KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError) as error:
        raise DataError(f"the release is damaged: {_reason(error)}") from None


def check_stated(document: Mapping[str, Any], metadata: Mapping[str, Any]) -> None:
    """Whether a document says what its parameters imply. Raises: DataError."""
    if document.get(_HASH, known := histogram_hash(document["histogram"])) != known:
        raise DataError(
            "labels or counts are not those that were written: their hash is another; accepted: what finitedp wrote"
        )
    for key, value in metadata.items():
        if document.get(key) != value or isinstance(document.get(key), bool):
            raise DataError(f"{key} does not follow from the release's parameters; accepted: what finitedp wrote")


def _reason(error: Exception) -> str:
    return (
        f"{error.args[0]!r} is missing" if isinstance(error, KeyError) and not isinstance(error, FinitedpError) else str(error)
    )


def _rebuilt(document: Mapping[str, Any]) -> tuple[Any, ...]:
    given, randomness, beta = document["parameters"], document["randomness"], document["accuracy"][0]["beta"]
    n, draws, above = integer(document["n"], "n", at_least=1), randomness["draws"], document.get("listed_above", 0)
    labels, counts = listed_in(document, n)
    relation = dataset_neighbours(given["neighbours"])
    plan, threshold, unit = None, None, Unit.from_json(given["unit"]) if "unit" in given else None
    if _MECHANISMS[document["mechanism"]] == "BlanketHistogram":
        plan = _plan(document, n)
        mechanism, threshold, claim, accuracy = plan.mechanism, plan.b, plan.claim(), blanket_accuracy(plan, beta)
        expected: set[int | None] = {plan.n + plan.slots + 2 * plan.cap}
    else:
        each = rational(given["epsilon"], "epsilon") / (1 if unit is None else unit.rows)
        mechanism = DyadicSample(n, each * (1 if relation == "replace-one" else 2), given["word"])
        delta = probability(given["delta"], "delta", one=False)
        if _MECHANISMS[document["mechanism"]] == "BasicHistogram":
            claim, accuracy = _basic(mechanism, labels, relation, beta, unit)
            expected = {len(labels)}
        else:
            threshold = least_threshold(mechanism, delta) if unit is None else least_unit_threshold(mechanism, delta, unit)
            claim, accuracy = _stability(mechanism, threshold, delta, relation, beta, unit)
            expected = {n, None}
    if draws not in expected or isinstance(draws, bool):
        raise DataError(f"draws = {shown(draws)} is not their number")
    if not isinstance(randomness["bits_from"], str):
        raise DataError("bits_from is no text")
    if threshold is not None and counts.size and counts.min() <= max(threshold, integer(above, "listed_above", 0, n)):
        raise DataError(f"a count is listed that is not above the threshold {max(threshold, above)}")
    rows = document.get("total")
    return (
        _universe(labels) if threshold is None else labels,
        counts,
        None if document["claim"] is None else claim,
        accuracy,
        mechanism,
        probability(given["delta"], "delta", one=False),
        threshold,
        randomness["bits_from"],
        draws,
        plan,
        plan is not None and _withheld(given, labels),
        relation,
        n if rows is not None and threshold is None and relation == "replace-one" else None,
        above,
        unit,
        _columns(document, labels),
    )


def listed_in(document: Mapping[str, Any], n: int) -> tuple[list[Label], NDArray[np.int64]]:
    """The labels and counts of a document. Parameters: n, the largest count. Raises: DataError, ..."""
    labels = [_label(bin_["label"]) for bin_ in document["histogram"]]
    if len(set(labels)) < len(labels):
        raise DataError("a label is there twice")
    return labels, np.array([integer(bin_["count"], "a count", 0, n) for bin_ in document["histogram"]], np.int64)


def _written(label: Label) -> Any:  # noqa: ANN401  # for JSON
    """A label in JSON: a tuple as a list, a date as {"date": "2026-12-31"}, all else as it is."""
    if isinstance(label, tuple):
        return [_written(value) for value in label]
    return {"date": label.isoformat()} if isinstance(label, date) else label


def _label(value: Any) -> Label:  # noqa: ANN401  # as read from JSON
    return tuple(map(_value, value)) if isinstance(value, list) and len(value) > 1 else _value(value)


def _value(value: Any) -> str | int | date:  # noqa: ANN401  # as read from JSON
    if isinstance(value, dict) and set(value) == {"date"} and isinstance(value["date"], str):
        return date.fromisoformat(value["date"])
    if not isinstance(value, str | int):
        raise DataError(f"the label {shown(value)} is no text, no integer, and none of the others")
    return value


def _universe(labels: list[Label]) -> Sequence[Label]:
    """All labels, integers that follow each other as a range."""
    first = labels[0]
    between = range(first, first + len(labels)) if isinstance(first, int) and set(map(type, labels)) == {int} else None
    return between if between is not None and labels == list(between) else tuple(labels)


def _columns(document: Mapping[str, Any], labels: Sequence[Label]) -> tuple[str, ...]:
    """The names of the columns. Raises: DataError where labels are not tuples with a value for each."""
    columns = document.get("columns", [])
    if not isinstance(columns, list) or not all(isinstance(name, str) for name in columns):
        raise DataError("columns are no names")
    widths = {len(label) if isinstance(label, tuple) else 0 for label in labels}
    if len(widths) > 1 or (columns and not widths <= {len(columns)}):
        raise DataError("the labels are not all tuples with a value for each of the columns")
    return tuple(columns)


def _withheld(given: Mapping[str, Any], labels: Sequence[Label]) -> bool:
    if not isinstance(given["withheld"], bool) or (given["withheld"] and labels):
        raise DataError("withheld is not whether the release is withheld, and empty")
    return given["withheld"]


def _plan(document: Mapping[str, Any], n: int) -> BlanketPlan:
    given = document["parameters"]
    size, skewed = int(given["universe_size"]), document["mechanism"].endswith(SkewedSample.__name__)
    return blanket_plan(n, given["epsilon"], size, given["invented"], given["neighbours"], skewed=skewed)


def _basic(
    mechanism: DyadicSample, labels: Sequence[Label], relation: Neighbours, beta: str, unit: Unit | None
) -> tuple[PrivacyClaim, HistogramAccuracy]:
    histogram = BasicHistogram(mechanism, labels)
    if unit is not None:
        return unit_claim(mechanism, unit, relation), histogram.accuracy(beta)
    replaced = evolve(histogram.claim(None), source="FD.Dyadic.basic.private")
    return replaced if relation == "replace-one" else histogram.add_remove_claim(None), histogram.accuracy(beta)


def _stability(
    mechanism: DyadicSample, b: int, delta: mpq, relation: Neighbours, beta: str, unit: Unit | None
) -> tuple[PrivacyClaim, HistogramAccuracy]:
    histogram = StabilityHistogram[Label](mechanism, b)
    if unit is not None:
        return unit_claim(mechanism, unit, relation, delta=delta), threshold_accuracy(histogram, beta)
    replaced = evolve(histogram.claim(None), delta=delta, source="FD.Dyadic.stability.private")
    claim = replaced if relation == "replace-one" else evolve(histogram.add_remove_claim(None), delta=delta)
    return claim, threshold_accuracy(histogram, beta)
