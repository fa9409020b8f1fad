"""Lossy Wasserstein distances as JSON documents, which proofs_check/flexible_certificate.py re-checks by itself."""

from typing import Any

from gmpy2 import mpq

from finitedp.errors import ParameterError
from finitedp.spec.flexible.lossy_wasserstein import (
    Average,
    Decision,
    Distance,
    LossyDistance,
    absolute,
    largest_coordinate,
    squared_euclidean,
    sum_of_coordinates,
)

__all__ = ["METRICS", "average_certificate", "decision_certificate", "value_certificate"]

Document = dict[str, Any]
Laws = tuple[tuple[Any, int], ...]

METRICS: dict[str, Distance] = {
    "absolute": absolute,
    "l1": sum_of_coordinates,
    "linf": largest_coordinate,
    "l2-squared": squared_euclidean,
}
"""The metrics that the checker knows by name; any other distance is written out as a table."""


def decision_certificate(decision: Decision[Any], distance: Distance) -> Document:
    """That the distance is at most b (by a flow), or is not (by a Hall set). Raises: ParameterError for unknown points."""
    laws = _laws("lossy-infinity", decision.left, decision.right, decision.mass, decision.gamma, distance)
    found = {"b": str(decision.b), "strict": decision.strict, "answer": decision.holds, "flow": _flow(decision.flow)}
    return {**laws, **found, "hall": list(decision.hall)}


def value_certificate(found: LossyDistance[Any], distance: Distance) -> Document:
    """That the distance is the value: a flow within it, a Hall set below it. Raises: ParameterError where it is infinite."""
    upper, lower = found.upper, found.lower
    if upper is None:
        raise ParameterError("the distance is infinite; accepted: the certificate of its decision at one b")
    laws = _laws("lossy-infinity-value", upper.left, upper.right, upper.mass, upper.gamma, distance)
    hall = [] if lower is None else list(lower.hall)
    return {**laws, "b": str(upper.b), "flow": _flow(upper.flow), "hall": hall}


def average_certificate(found: Average[Any], distance: Distance) -> Document:
    """That the least cost is the value: a flow that costs it, and a dual that is worth it."""
    laws = _laws("lossy-average", found.left, found.right, found.mass, found.theta, distance)
    level, u, v = found.dual
    prices = [[str(mpq(x, found.scale)) for x in side] for side in (u, v)]
    return {**laws, "c": str(found.value), "flow": _flow(found.flow), "dual": [str(mpq(level, found.scale)), *prices]}


def _flow(flow: tuple[tuple[int, int, int], ...]) -> list[list[Any]]:
    return [[i, j, str(f)] for i, j, f in flow]


def _laws(kind: str, left: Laws, right: Laws, mass: int, gamma: mpq, distance: Distance) -> Document:
    metric = next((name for name, known in METRICS.items() if known is distance), "table")
    head = {"format": "finitedp flexible certificate", "version": 1, "kind": kind, "metric": metric}
    table = None if metric != "table" else [[_text(distance(x, y)) for y, _ in right] for x, _ in left]
    sides = {name: [[_point(x, metric), str(p)] for x, p in law] for name, law in (("P", left), ("Q", right))}
    return {**head, "distances": table, "gamma": str(gamma), "mass": str(mass), **sides}


def _text(distance: mpq | int | None) -> str | None:
    return None if distance is None else str(mpq(distance))


def _point(point: Any, metric: str) -> Any:  # noqa: ANN401  # points of any kind
    if metric == "table":
        return repr(point)
    return str(mpq(point)) if metric == "absolute" else [str(mpq(x)) for x in point]
