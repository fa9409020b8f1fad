"""Accuracy that forgives rows left out: whether every output is near the statistic of some part of its input.

For a deterministic statistic f and the distortion that drops rows, a mechanism is (alpha, beta, gamma)-accurate exactly where
at each input x, except with probability gamma, the output is within beta of f(x') for some x' that is x without at most a
share alpha of its rows (FA.Def3). The parts of a dataset keep the order of its rows.
"""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import Any

from gmpy2 import mpq

from finitedp.claim import FlexibleAccuracy, Neighbours
from finitedp.errors import ParameterError
from finitedp.proofs_check.audit.laws import answer_at
from finitedp.proofs_check.deciders.partial_law import PartialLaw
from finitedp.proofs_check.deciders.verdict import Miss
from finitedp.proofs_check.inputs import all_inputs
from finitedp.spec.flexible import statistics

__all__ = ["METRICS", "NAMED", "flexible_misses", "named_statistic", "parts", "values_of"]

METRICS = ("absolute", "hausdorff", "equal")
"""absolute: |x - y|, of tuples the largest over coordinates; hausdorff: of tuples as sets of points; equal: 0, or infinite."""

NAMED = ("max", "min", "mode", "median", "support", "range")
"""Statistics that need no function: of labels in the universe's order. Of no rows: its first label (min: its last one)."""


def named_statistic(name: str, universe: Sequence[Any]) -> Callable[[Any], Any]:
    """The statistic of a dataset: a label; for support those that occur; for range a difference. Raises: ParameterError."""
    places = {label: i for i, label in enumerate(universe)}
    kinds: dict[str, Callable[[tuple[int, ...]], Any]] = {
        "max": lambda x: universe[statistics.maximum(x)],
        "min": lambda x: universe[statistics.minimum(x, len(universe) - 1)],
        "mode": lambda x: universe[statistics.mode(x)],
        "median": lambda x: universe[statistics.median(x)],
        "support": lambda x: tuple(universe[i] for i in statistics.support(x)),
        "range": lambda x: universe[statistics.maximum(x)] - universe[statistics.minimum(x)] if sum(x) else 0,
    }
    if name not in kinds:
        raise ParameterError(f"statistic = {name!r} needs `truth`, a function of the dataset; without it: {', '.join(NAMED)}")

    def of(data: Any) -> Any:  # noqa: ANN401  # a dataset, and an answer
        counts = [0] * len(universe)
        for label in data:
            counts[places[label]] += 1
        return kinds[name](tuple(counts))

    return of


def values_of(
    claim: FlexibleAccuracy,
    truth: Callable[[Any], Any] | None,
    universe: Sequence[Hashable],
    n: int,
    relation: Neighbours,
    budget: int,
) -> dict[Any, Any]:
    """The statistic of every dataset of 0 to n rows, in order. Raises: ParameterError."""
    if claim.metric not in METRICS:
        raise ParameterError(f"metric = {claim.metric!r} is unknown; accepted: {', '.join(METRICS)}")
    if relation == "counts":
        raise ParameterError("rows can be left out of datasets, and inputs are counts; accepted: replace-one, add-remove")
    if truth is not None and claim.statistic in NAMED:
        raise ParameterError(f"statistic = {claim.statistic!r} is known, and truth is another; accepted: one, or another name")
    statistic = named_statistic(claim.statistic, universe) if truth is None else truth
    every = all_inputs("add-remove", universe, n, budget)
    return {data: answer_at(statistic, data, "truth" if truth else claim.statistic) for data in every}


def parts(data: tuple[Any, ...], dropped: int) -> set[tuple[Any, ...]]:
    """A dataset without at most so many of its rows."""
    found = last = {data}
    for _ in range(min(dropped, len(data))):
        last = {x[:j] + x[j + 1 :] for x in last for j in range(len(x))}
        found = found | last
    return found


def _numbers(value: Any, metric: str) -> tuple[int, ...]:  # noqa: ANN401  # an output of any kind
    listed = value if isinstance(value, tuple) else (value,)
    if not all(hasattr(x, "__index__") for x in listed):
        raise ParameterError(f"{value!r} has no distance; accepted with metric {metric!r}: integers or tuples of integers")
    return tuple(int(x) for x in listed)


def _near(claim: FlexibleAccuracy, output: Any, value: Any) -> bool:  # noqa: ANN401  # the same
    if claim.metric == "equal" or repr(output) == repr(value):
        return repr(output) == repr(value)
    x, y = _numbers(output, claim.metric), _numbers(value, claim.metric)
    if claim.metric == "absolute":
        return len(x) == len(y) and all(abs(a - b) <= claim.beta for a, b in zip(x, y, strict=True))
    sides = ((x, y), (y, x)) if x and y else ()
    return bool(sides) and all(min(abs(a - b) for b in there) <= claim.beta for here, there in sides for a in here)


def flexible_misses(
    laws: Mapping[Any, PartialLaw[Any]], claim: FlexibleAccuracy, values: Mapping[Any, Any]
) -> Iterator[Miss[Any]]:
    """By input, the mass of outputs that are not within beta of an allowed value."""
    for data, law in laws.items():
        allowed = {repr(values[x]): values[x] for x in parts(data, claim.allowed(len(data)))}.values()
        missed = (p for y, p in law.probabilities.items() if not any(_near(claim, y, value) for value in allowed))
        yield Miss(data, sum(missed, mpq(0)), None, law.unresolved)
