"""The format of the vectors: the types of groups, what a case of each holds, its line, and the JSON Schema.

A file holds the groups of one type. Parameters stand in the group, inputs and what is expected in the tests. All is text:
integers in decimal digits, rationals 'p/q', words of a tape in hexadecimal digits, bytes of a text in hexadecimal digits.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from attrs import frozen

VERSION = "1"  # of the format: a file of another one is refused
SOURCE = {"name": "finitedp", "version": VERSION}

Value = str | list[str] | list[list[str]]

REASONS = ("shape", "descent", "i", "ii", "sum", "R")
"""Why a table is none: a number that is no weight or n; weights that rise; (i); (ii); the sum; 1 < R <= e^(epsilon/2)."""


@frozen
class Kind:
    """A type of group.

    parameters: of the group. inputs: of the case. outputs: what a valid answer tells. Names, with the kind of value.
    reasons: what an invalid answer may tell.
    """

    algorithm: str
    parameters: Mapping[str, str]
    inputs: Mapping[str, str]
    outputs: Mapping[str, str]
    reasons: tuple[str, ...] = ()

    @property
    def asked(self) -> Mapping[str, str]:
        """What a line holds behind tcId and type, in its order."""
        return {**self.parameters, **self.inputs}


_TABLE = {"bits": "integer", "n": "integer", "head": "integers", "tail": "integer", "last": "integer"}
_PAIR = {"p": "integers", "q": "integers"}

KINDS = {
    "Build": Kind(
        "the dyadic table with the largest w_0",
        {},
        {"n": "integer", "epsilon": "rational", "bits": "integer"},
        {"ratio": "rational", "head": "integers", "tail": "integer", "last": "integer"},
    ),
    "Table": Kind("the conditions of a dyadic table", {}, {**_TABLE, "epsilon": "rational", "ratio": "rational"}, {}, REASONS),
    "Certificate": Kind("certificates of dyadic tables", {}, {"text": "bytes"}, {}),
    "Audit": Kind("certificates of audits", {}, {"text": "bytes"}, {}),
    "Draw": Kind("DyadicSample", _TABLE, {"count": "integer", "tape": "words"}, {"output": "integer", "bitsRead": "integer"}),
    "Release": Kind(
        "BasicHistogram and StabilityHistogram on a dyadic table",
        {**_TABLE, "mechanism": "name", "threshold": "integer", "padded": "name"},
        {"labels": "names", "counts": "integers", "tape": "words"},
        {"releasedLabels": "names", "releasedCounts": "integers", "bitsRead": "integer"},
    ),
    "Threshold": Kind(
        "the least threshold of StabilityHistogram",
        _TABLE,
        {"delta": "rational"},
        {"threshold": "integer", "deltaThere": "rational"},
    ),
    "Claim": Kind(
        "what a histogram on a dyadic table claims",
        {**_TABLE, "epsilon": "rational", "ratio": "rational"},
        {"mechanism": "name", "neighbours": "name", "threshold": "integer"},
        {"claimedEpsilon": "rational", "claimedRatio": "rational", "claimedDelta": "rational"},
    ),
    "Law": Kind(
        "laws of counting mechanisms",
        {
            "mechanism": "name",
            "n": "integer",
            "epsilon": "rational",
            "gamma": "rational",
            "decay": "rational",
            "bits": "integer",
        },
        {"count": "integer"},
        {"weights": "law"},
    ),
    "Plan": Kind(
        "the conditions of a BlanketHistogram",
        {**_TABLE, "ratio": "rational", "labelBits": "integer"},
        {"b": "integer", "cap": "integer", "slots": "integer", "hitBits": "integer", "hit": "integer", "countBits": "integer"}
        | {"slotCounts": "integers"},
        {},
        ("shape", "table", "A", "a", "B", "C", "D"),
    ),
    "Private": Kind(
        "(epsilon, delta)-differential privacy of laws",
        {"laws": "rows"},
        {"epsilon": "rational", "ratio": "rational", "delta": "rational"},
        {},
    ),
    "Pair": Kind(
        "divergences of two laws",
        {},
        {**_PAIR, "ratio": "rational"},
        {"worstRatio": "ratio", "witness": "one of", "delta": "rational", "totalVariation": "rational"},
    ),
    "Curve": Kind("the curve of two laws", _PAIR, {"ratios": "rationals"}, {"deltas": "rationals"}),
    "Composition": Kind(
        "composition of releases",
        {"ps": "rows", "qs": "rows"},
        {"times": "integers", "ratio": "rational", "within": "rational"},
        {"delta": "interval"},
    ),
    "Parse": Kind("rational parameters", {}, {"text": "bytes"}, {"value": "rational"}),
}
"""By type, in the order of a run. An interval is answered by `low` and `high`; of `one of` any that is listed is right."""


@frozen
class Case:
    """One test, with the parameters of its group and the notes of its flags."""

    kind: str
    parameters: Mapping[str, Value]
    test: Mapping[str, Any]
    notes: Mapping[str, Mapping[str, str]]

    @property
    def name(self) -> str:
        """Its tcId in a line: the type and the number."""
        return f"{self.kind}-{self.test['tcId']}"

    @property
    def line(self) -> str:
        """What a program is asked: a flat JSON object of texts, in a fixed order, in one line."""
        values = {**self.parameters, **self.test}
        asked = {name: _flat(values[name]) for name in KINDS[self.kind].asked}
        return json.dumps({"tcId": self.name, "type": self.kind, **asked}, ensure_ascii=False, separators=(",", ":"))


def _flat(value: Value) -> str:
    """A list with blanks between its entries, a list of lists with semicolons between these."""
    if isinstance(value, str):
        return value
    return ";".join(" ".join(row) for row in value) if value and isinstance(value[0], list) else " ".join(map(str, value))


def cases_of(document: Mapping[str, Any]) -> Iterator[Case]:
    """The cases of a file."""
    for group in document["testGroups"]:
        parameters = {name: group[name] for name in KINDS[group["type"]].parameters}
        yield from (Case(group["type"], parameters, test, document["notes"]) for test in group["tests"])


# The schema

_TEXT = {
    "integer": r"^(-?[1-9][0-9]*|0)$",
    "rational": r"^((-?[1-9][0-9]*|0)(/[1-9][0-9]*)?)?$",  # empty where a mechanism has no such parameter
    "ratio": r"^((-?[1-9][0-9]*|0)(/[1-9][0-9]*)?|infinite)$",
    "word": r"^[0-9a-f]+$",
    "bytes": r"^([0-9a-f]{2})*$",
    "name": r'^[^"\\; ]*$',
}
_LISTS = {
    "integers": "integer",
    "rationals": "rational",
    "words": "word",
    "names": "name",
    "law": "integer",
    "one of": "integer",
}


def _value(kind: str) -> dict[str, Any]:
    """The schema of a value."""
    if kind == "rows":
        return {"type": "array", "items": _value("integers")}
    if kind in _LISTS:
        return {"type": "array", "items": _value(_LISTS[kind])}
    return {"type": "string", "pattern": _TEXT["rational" if kind == "interval" else kind]}


def schema(kind: str) -> dict[str, Any]:
    """The JSON Schema of the file of a type."""
    about = KINDS[kind]
    common = {
        "tcId": {"type": "integer", "minimum": 1},
        "comment": {"type": "string"},
        "flags": {"type": "array", "items": {"type": "string"}, "uniqueItems": True},
    }
    inputs = {name: _value(value) for name, value in about.inputs.items()}
    outputs = {name: _value(value) for name, value in about.outputs.items()}
    told = {"type": "array", "items": {"enum": list(about.reasons)}, "minItems": 1}
    refused = {"reasons": told} if about.reasons else {}
    tests = [
        _object({**common, "result": {"enum": ["valid", "acceptable"]}, **inputs, **outputs}),
        _object({**common, "result": {"const": "invalid"}, **inputs, **refused}),
    ]
    source = _object({name: {"const": value} for name, value in SOURCE.items()})
    parameters = {name: _value(value) for name, value in about.parameters.items()}
    group = {"type": {"const": kind}, "source": source, **parameters, "tests": {"type": "array", "items": {"oneOf": tests}}}
    note = _object({name: {"type": "string"} for name in ("bugType", "description", "claim")})
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"finitedp vectors: {about.algorithm}",
        **_object(
            {
                "algorithm": {"const": about.algorithm},
                "schema": {"const": f"{kind.lower()}.schema.json"},
                "version": {"const": VERSION},
                "numberOfTests": {"type": "integer", "minimum": 0},
                "notes": {"type": "object", "additionalProperties": note},
                "testGroups": {"type": "array", "items": _object(group)},
            }
        ),
    }


def _object(properties: Mapping[str, Any]) -> dict[str, Any]:
    """An object with just these keys."""
    return {"type": "object", "properties": dict(properties), "required": list(properties), "additionalProperties": False}
