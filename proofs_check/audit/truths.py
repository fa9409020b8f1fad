"""The true values that an accuracy claim is about, at the inputs of an audit."""

from collections.abc import Callable, Sequence
from typing import Any

from finitedp.claim import Accuracy, FlexibleAccuracy
from finitedp.errors import ParameterError
from finitedp.proofs_check.audit.laws import answer_at
from finitedp.proofs_check.audit.relation import Relation
from finitedp.proofs_check.deciders.accuracy import METRICS, integers
from finitedp.proofs_check.inputs import all_inputs
from finitedp.spec.flexible import statistics

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


def truths_of(
    claim: Accuracy | FlexibleAccuracy | None, truth: Callable[[Any], Any] | None, at: Relation, most: int
) -> dict[Any, Any] | None:
    """The true values that accuracy is claimed for; None where nothing is claimed.

    They are those at each input, integers or tuples of integers, by default the input itself, which must then be a count. Of a
    flexible claim they are the statistic of each dataset of 0 to n rows, of which there may be at most so many.
    Raises: ParameterError.
    """
    if claim is None:
        return None
    if isinstance(claim, FlexibleAccuracy):
        statistic = _statistic(claim, truth, at)
        every = all_inputs("add-remove", at.universe, at.n, most)
        return {data: answer_at(statistic, "truth" if truth else claim.statistic, data) for data in every}
    if truth is None:
        if not all(isinstance(data, int) for data in at.inputs):
            raise ParameterError("an accuracy claim about datasets needs `truth`, a function of the dataset: the true value")
        return {data: (data,) for data in at.inputs}
    return {data: _numbers(answer_at(truth, "truth", data), data) for data in at.inputs}


def _numbers(value: Any, data: Any) -> tuple[int, ...]:  # noqa: ANN401  # the true value at an input
    refusal = f"the true value at {data!r} is {value!r}; an accuracy claim needs integers or tuples of integers"
    return integers(tuple(value) if isinstance(value, list) else value, refusal)


def _statistic(claim: FlexibleAccuracy, truth: Callable[[Any], Any] | None, at: Relation) -> Callable[[Any], Any]:
    if claim.metric not in METRICS:
        raise ParameterError(f"metric = {claim.metric!r} is unknown; accepted: {', '.join(METRICS)}")
    if at.claim.neighbours == "counts":
        raise ParameterError("rows can be left out of datasets, and inputs are counts; accepted: replace-one, add-remove")
    if truth is not None and claim.statistic in NAMED:
        raise ParameterError(f"statistic = {claim.statistic!r} is known, and truth is another; accepted: one, or another name")
    return truth or named_statistic(claim.statistic, at.universe)
