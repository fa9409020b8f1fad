"""Certificates: an audit as a JSON document from which proofs_check/checker.py re-derives the verdict.

The keys, version 1: format, version, finitedp, name; neighbours, universe, n, inputs (all of them, in order); claim (epsilon,
delta, ratio or null); laws, one for each input, {"probabilities": {output: "p/q"}, "unresolved": "p/q"}, where an output is
written as Python writes it; specified, the same or null; verdicts {"private", "law", "tight"}; worst_ratio, "p/q" or null;
witness {"left", "right" (positions in inputs), "event", "in_left", "in_right"}; sha256 of all of this as compact JSON with
sorted keys.
"""

import hashlib
import json
from collections.abc import Mapping
from importlib.metadata import version
from typing import Any

from finitedp.errors import ParameterError
from finitedp.proofs_check.audit import AuditResult, PartialLaw

__all__ = ["certificate"]

LARGEST_EPSILON = 1000


def certificate(result: AuditResult) -> dict[str, Any]:
    """The certificate of an audit.

    Raises: ParameterError for labels that are neither integers nor strings, or outputs that are written alike.
    """
    if not all(type(label) in (int, str) for label in result.universe):
        raise ParameterError("the universe holds labels that are neither integers nor strings; accepted: these two")
    if result.claim.epsilon > LARGEST_EPSILON:
        raise ParameterError(f"epsilon = {result.claim.epsilon} is above {LARGEST_EPSILON}, up to which the checker compares")
    inputs = list(result.laws)
    body: dict[str, Any] = {
        "format": "finitedp certificate",
        "version": 1,
        "finitedp": version("finitedp"),
        "name": result.name,
        "neighbours": result.claim.neighbours,
        "universe": list(result.universe),
        "n": result.n,
        "inputs": [x if isinstance(x, int) else list(x) for x in inputs],
        "claim": {
            "epsilon": str(result.claim.epsilon),
            "delta": str(result.claim.delta),
            "ratio": None if result.claim.ratio is None else str(result.claim.ratio),
        },
        "laws": [_law(result.laws[x]) for x in inputs],
        "specified": None if result.specified is None else [_law(result.specified[x]) for x in inputs],
        "verdicts": {"private": result.private, "law": result.law, "tight": result.tight},
        "worst_ratio": None if result.worst_ratio is None else str(result.worst_ratio),
        "witness": {
            "left": inputs.index(result.witness.left),
            "right": inputs.index(result.witness.right),
            "event": sorted(repr(x) for x in result.witness.event),
            "in_left": str(result.witness.in_left),
            "in_right": str(result.witness.in_right),
        },
    }
    text = json.dumps(body, sort_keys=True, separators=(",", ":"))
    return {**body, "sha256": hashlib.sha256(text.encode()).hexdigest()}


def _law(law: PartialLaw) -> Mapping[str, Any]:
    written = {repr(x): str(p) for x, p in law.probabilities.items()}
    if len(written) != len(law.probabilities):
        raise ParameterError("two outputs are written alike, so that a certificate cannot tell them apart")
    return {"probabilities": written, "unresolved": str(law.unresolved)}
