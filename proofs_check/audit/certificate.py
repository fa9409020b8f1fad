"""Certificates: an audit as a JSON document from which proofs_check/checker.py re-derives the verdicts.

certificate.schema.json beside this module describes every key. Large laws stand in a file of their own beside the
certificate, which then holds that file's name and hash; the same audit writes the same bytes again.
"""

import hashlib
import json
import platform
from collections.abc import Hashable, Iterable, Mapping, Sequence
from functools import cache
from importlib.metadata import version
from math import isfinite
from pathlib import Path
from typing import Any, cast

from gmpy2 import mpq
from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError, best_match

from finitedp.claim import Accuracy, FlexibleAccuracy
from finitedp.errors import DataError, ParameterError
from finitedp.proofs_check.audit.auditing import AuditResult
from finitedp.proofs_check.audit.rows import as_written, is_label
from finitedp.proofs_check.deciders.partial_law import PartialLaw, Tail
from finitedp.proofs_check.deciders.renyi import Divergence
from finitedp.proofs_check.limits import LARGEST_EPSILON, LARGEST_INLINE

FORMAT = "finitedp certificate"

Document = dict[str, Any]


def certificate(result: AuditResult) -> Document:
    """The certificate of an audit, with its laws in it.

    Raises: ParameterError for labels but integers, strings and tuples of these, or outputs that are written alike.
    """
    if not all(is_label(label) for label in result.universe):
        raise ParameterError("the universe holds labels other than integers and strings; accepted: these, or tuples of them")
    claim = result.claim
    if claim.epsilon > LARGEST_EPSILON:
        raise ParameterError(f"epsilon = {claim.epsilon} is above {LARGEST_EPSILON}, up to which the checker compares")
    inputs = list(result.laws)
    place = {data: i for i, data in enumerate(inputs)}
    witness, miss, bound = result.witness, result.miss, result.error_bound
    every = [law.probabilities for law in (*result.laws.values(), *(result.specified or {}).values())]
    several = any(isinstance(label, tuple) for label in result.universe)
    newest = (result.private == "fails" and result.u is not None) or result.stated is not None or several
    newest = newest or result.outputs is not None
    more = newest or result.compose > 1 or result.renyi is not None or result.zcdp is not None
    tails = more or any(type(x) is Tail for law in every for x in law)
    _refuse_outputs_written_alike([*every, *([] if result.outputs is None else [result.outputs])])
    return _hashed(
        {
            "format": FORMAT,
            "version": 6 if result.outputs is not None else 5 if newest else 4 if more else 3 if tails else 2,
            "name": result.name,
            "neighbours": claim.neighbours if result.stated is None else _places(result.stated, place),
            "universe": [as_written(label) for label in result.universe],
            "n": int(result.n),
            "inputs": [x if isinstance(x, int) else [as_written(label) for label in x] for x in inputs],
            "claim": {
                "epsilon": str(claim.epsilon),
                "delta": str(claim.delta),
                "ratio": _text(claim.ratio),
                **(_more_claimed(result) if more else {}),
            },
            "accuracy": None if bound is None or result.truths is None else _accuracy(bound, result.truths, inputs),
            **({} if result.outputs is None else {"outputs": sorted(map(repr, result.outputs))}),
            "laws": {
                "found": [_law(result.laws[x], tails) for x in inputs],
                "specified": None if result.specified is None else [_law(result.specified[x], tails) for x in inputs],
            },
            "verdicts": {
                "private": result.private,
                "law": result.law,
                "tight": result.tight,
                "accuracy": result.accuracy,
                **({name: "not claimed" if x is None else x.verdict for name, x in _divergences(result)} if more else {}),
            },
            **({"divergences": {name: _divergence(x, place) for name, x in _divergences(result)}} if more else {}),
            "worst_ratio": _text(result.worst_ratio),
            "unresolved": str(result.unresolved),
            "u": _text(result.u),
            "witness": {
                "left": place[witness.left],
                "right": place[witness.right],
                "event": sorted(repr(x) for x in witness.event),
                "in_left": str(witness.in_left),
                "in_right": str(witness.in_right),
            },
            "miss": None
            if miss is None
            else {"input": place[miss.input], "probability": str(miss.probability), "coordinate": miss.coordinate},
            "derived": {
                "finitedp": version("finitedp"),
                "python": platform.python_version(),
                "strict_time": result.strict_time,
                **result.derived,
            },
        }
    )


def _accuracy(bound: Accuracy | FlexibleAccuracy, truths: Mapping[Any, Any], inputs: Sequence[Any]) -> Mapping[str, Any]:
    """The claim, and the true value at each input; of a flexible one at each dataset of at most as many rows."""
    if isinstance(bound, Accuracy):
        truth = [list(truths[x]) for x in inputs]
        return {"a": int(bound.a), "beta": str(bound.beta), "kind": bound.kind, "truths": truth}
    share = {"alpha": _text(bound.alpha), "dropped": None if bound.dropped is None else int(bound.dropped)}
    bounds = {"beta": str(bound.beta), "gamma": str(bound.gamma), "values": [repr(value) for value in truths.values()]}
    return {"kind": "flexible", "statistic": bound.statistic, "metric": bound.metric, **share, **bounds}


def _places(stated: Sequence[tuple[Any, Any]], place: Mapping[Any, int]) -> list[list[int]]:
    return sorted(sorted(place[data] for data in pair) for pair in stated)


def _more_claimed(result: AuditResult) -> Document:
    renyi, zcdp = result.renyi, result.zcdp
    return {
        "compose": result.compose,
        "renyi": None if renyi is None else {"order": str(renyi.order), "epsilon": str(renyi.claimed)},
        "zcdp": None if zcdp is None else str(zcdp.claimed),
    }


def _divergences(result: AuditResult) -> tuple[tuple[str, Divergence[Any] | None], ...]:
    return ("renyi", result.renyi), ("zcdp", result.zcdp)


def _divergence(divergence: Divergence[Any] | None, place: Mapping[Any, int]) -> Document | None:
    if divergence is None:
        return None
    ends = {"low": str(divergence.low), "high": str(divergence.high), "power_sum": _text(divergence.power_sum)}
    return {"left": place[divergence.left], "right": place[divergence.right], "order": str(divergence.order), **ends}


def _text(number: object) -> str | None:
    return None if number is None else str(number)


def _law(law: PartialLaw[Any], tails: bool) -> Mapping[str, Any]:
    listed = {repr(x): str(p) for x, p in law.probabilities.items() if type(x) is not Tail}
    entry = {"probabilities": listed, "unresolved": str(law.unresolved)}
    return {**entry, "tails": [_tail(x, p) for x, p in law.probabilities.items() if type(x) is Tail]} if tails else entry


def _tail(tail: Tail, whole: mpq) -> Document:
    mass = whole * (1 - tail.ratio)
    return {"direction": tail.direction, "first": tail.first, "mass": str(mass), "ratio": str(tail.ratio)}


def masses(law: Document) -> dict[str, mpq]:
    """The probabilities of a law in a certificate; a tail is one outcome, that has the probability of all of it."""
    by_output = {x: mpq(p) for x, p in law["probabilities"].items()}
    for tail in law.get("tails", []):
        name = repr(Tail(tail["first"], tail["ratio"], tail["direction"]))
        by_output[name] = mpq(tail["mass"]) / (1 - mpq(tail["ratio"]))
    return by_output


def _refuse_outputs_written_alike(listed: Sequence[Iterable[Hashable]]) -> None:
    seen: dict[str, Hashable] = {}
    for outputs in listed:
        for output in outputs:
            if seen.setdefault(repr(output), output) != output:
                raise ParameterError(f"two outputs are written {output!r}, so that a certificate cannot tell them apart")


def _canonical(document: object) -> str:
    return json.dumps(document, sort_keys=True, separators=(",", ":"))


def _hashed(body: Document) -> Document:
    return {**body, "sha256": hashlib.sha256(_canonical(body).encode()).hexdigest()}


# Large laws


def with_laws_apart(document: Document, file: str, largest: int = LARGEST_INLINE) -> tuple[Document, str | None]:
    """The certificate, and where its laws have more than `largest` characters, the text that belongs into `file` beside it."""
    text = _canonical(document["laws"])
    if len(text) <= largest:
        return document, None
    body = {key: value for key, value in document.items() if key != "sha256"}
    return _hashed({**body, "laws": {"file": file, "sha256": hashlib.sha256(text.encode()).hexdigest()}}), text


def laws_of(document: Document, folder: Path) -> Document:
    """The laws of a certificate, from the file beside it where they stand apart. Raises: DataError."""
    laws = cast(Document, document["laws"])
    if "file" not in laws:
        return laws
    path = folder / Path(laws["file"]).name
    try:
        content = path.read_bytes()
    except OSError as error:
        command = document["derived"].get("command")
        hint = f": `{command}` writes them again" if command else ""
        raise DataError(f"{path}: the certificate's laws cannot be read ({error.strerror}){hint}") from None
    if hashlib.sha256(content).hexdigest() != laws["sha256"]:
        raise DataError(f"{path} does not hold the laws that the certificate was made from")
    return cast(Document, json.loads(content))


# The schema


@cache
def schema() -> Document:
    """The JSON Schema of certificates."""
    text = Path(__file__).with_name("certificate.schema.json").read_text(encoding="utf-8")
    return cast(Document, json.loads(text))


def validate(document: object, schema: Document, what: str) -> None:
    """Refuse a document without the shape that a schema describes. Raises: DataError, one line with the place."""
    error = best_match(Draft202012Validator(schema).iter_errors(document))
    if error is None:
        return
    error = _likeliest(error)
    place = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in error.absolute_path).lstrip(".")
    message = error.message if len(error.message) < 300 else error.message[:140] + " ... " + error.message[-140:]
    raise DataError(f"{what}: {place + ': ' if place else ''}{message}{_next_step(error)}")


def _likeliest(error: ValidationError) -> ValidationError:
    """Of alternatives, what is wrong with the one in which the least is wrong; the error itself where there are several."""
    wrong = dict[object, list[ValidationError]]()
    for inner in error.context or () if error.validator == "anyOf" else ():
        wrong.setdefault(inner.schema_path[0], []).append(inner)
    least = [event for event in wrong.values() if len(event) == min(map(len, wrong.values()))]
    return _likeliest(least[0][0]) if len(least) == 1 else error


def _next_step(error: ValidationError) -> str:
    schema = cast(Document, error.schema)
    if error.validator == "additionalProperties":
        return f"; accepted: {', '.join(schema['properties'])}"
    if error.validator == "anyOf":
        return f": {', and '.join(inner.message for inner in error.context or ())}"
    if error.validator == "pattern" and "description" in schema:
        return f"; accepted: {schema['description']}"
    text = error.validator == "type" and "string" in schema["type"]
    if text and isinstance(error.instance, float) and isfinite(error.instance):
        return f"; a float is refused: write it as text, {str(error.instance)!r}"
    return ""


def read_json(path: Path) -> Document:
    """The object in a file. Raises: DataError."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise DataError(f"{path}: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise DataError(f"{path} is not JSON: {error}") from None
    if not isinstance(document, dict):
        raise DataError(f"{path} is no certificate of an audit; accepted: JSON whose format is {FORMAT!r}")
    return document


def read_certificate(path: Path) -> Document:
    """A certificate from its file, of the right shape (whether it is right, only the checker says). Raises: DataError."""
    document = read_json(path)
    if document.get("format") != FORMAT:
        raise DataError(f"{path} is no certificate of an audit; accepted: JSON whose format is {FORMAT!r}")
    validate(document, schema(), str(path))
    return document
