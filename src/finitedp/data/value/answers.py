"""A statistic that was released as a JSON document, and back."""

import json
from collections.abc import Callable, Mapping
from typing import Any

from gmpy2 import mpq

from finitedp.claim import FlexibleAccuracy, PrivacyClaim
from finitedp.errors import DataError, FinitedpError
from finitedp.exact import integer, rational
from finitedp.impl.flexible.bucketing import Buckets, IntegerBuckets
from finitedp.impl.flexible.releases import FlexibleStatistic
from finitedp.impl.flexible.shifted_truncated import ShiftedTruncated
from finitedp.impl.flexible.statistics import statistic_of
from finitedp.units import Unit

__all__ = ["MOST_BARS_DRAWN", "answer_document", "answer_document_in", "check_answer", "parts_of_answer"]

FORMAT, VERSION = "finitedp statistic", 1
MOST_BARS_DRAWN = 10**7


def answer_document(about: Mapping[str, Any], column: str | None) -> dict[str, Any]:
    """The document. Parameters: about, the answer's metadata."""
    import finitedp  # noqa: PLC0415  # the version alone

    kind = {"format": FORMAT, "version": VERSION, "finitedp": finitedp.__version__, "private": about["claim"] is not None}
    return {**kind, "column": column, **about}


def answer_document_in(text: str | bytes) -> dict[str, Any]:
    """The document of a text. Raises: DataError for anything else."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise DataError(f"the statistic is no JSON document: {error}") from None
    if not isinstance(found, dict) or (found.get("format"), found.get("version")) != (FORMAT, VERSION):
        raise DataError(f"this is no statistic; accepted: a JSON object of the format {FORMAT!r}, version {VERSION}")
    return found


def parts_of_answer(document: Mapping[str, Any]) -> tuple[Any, PrivacyClaim | None, FlexibleAccuracy, FlexibleStatistic, str]:
    """What a FlexibleAnswer is made of, from a document's parameters and value. Raises: DataError."""
    try:
        mechanism = _mechanism(document)
        told, source = document["accuracy"], document["randomness"]["bits_from"]
        least = mechanism.accuracy(told["gamma"])
        accuracy = least if least.as_json() == told else mechanism.accuracy(None, told["dropped"])
        claim = None if document["claim"] is None else mechanism.claim()
        if document["private"] is not (claim is not None) or not isinstance(source, str):
            raise DataError("private and claim contradict each other, or bits_from is no text")
        return _value(document["value"], mechanism), claim, accuracy, mechanism, source
    except (FinitedpError, KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        raise DataError(f"the statistic is damaged: {type(error).__name__}: {error}") from None


def check_answer(document: Mapping[str, Any], metadata: Mapping[str, Any]) -> None:
    """Whether a document says what its parameters imply. Raises: DataError."""
    for key, value in metadata.items():
        if document.get(key) != value or isinstance(document.get(key), bool):
            raise DataError(f"{key} does not follow from the statistic's parameters; accepted: what finitedp wrote")


def _mechanism(document: Mapping[str, Any]) -> FlexibleStatistic:
    given, (low, high) = document["parameters"], map(int, document["universe"])
    buckets = IntegerBuckets(low, high, document["bucket"])
    own = {name: read(given[name]) for name, read in _OWN.items() if name in given}
    statistic = statistic_of(document["statistic"], **own)
    unit = Unit.from_json(given["unit"]) if "unit" in given else None
    bars = integer(document["bars"], "bars", 1, 2 * MOST_BARS_DRAWN)
    if bars != buckets.bars * (2 if statistic.labelled else 1):
        raise DataError(f"there are {bars} bars for {buckets.bars} buckets")
    epsilon = rational(given["epsilon"], "epsilon")
    return FlexibleStatistic(
        statistic, buckets, ShiftedTruncated(bars, given["q"], epsilon, given["word"], given["neighbours"], unit)
    )


_OWN: dict[str, Callable[[str], Any]] = {"k": int, "p": str}


def _value(told: Any, mechanism: FlexibleStatistic) -> Any:  # noqa: ANN401  # as read from JSON
    """An answer that there may be: centres of buckets, the difference of two, or the middle of two. Raises: DataError."""
    statistic, buckets = mechanism.statistic, mechanism.buckets
    if statistic.name == "support":
        points = tuple(rational(one, "value") for one in told)
        if list(points) != sorted(set(points)) or not all(_is_centre(point, buckets) for point in points):
            raise DataError("the support is not one of the buckets, in increasing order")
        return points
    value, half = rational(told, "value"), mpq(1, 2)
    ends = buckets.centre(0), buckets.centre(buckets.bars - 1)
    if statistic.name in ("range", "iqr"):
        fits = 0 <= value <= ends[1] - ends[0] and (value / half).denominator == 1
    elif statistic.labelled:
        fits = ends[0] <= value <= ends[1] and (2 * value / half).denominator == 1
    else:
        fits = _is_centre(value, buckets)
    if not fits:
        raise DataError(f"the value {value} is none that {statistic.name} has there")
    return value


def _is_centre(value: mpq, buckets: Buckets) -> bool:
    return bool(buckets.centre(buckets.index(int(value // 1))) == value)
