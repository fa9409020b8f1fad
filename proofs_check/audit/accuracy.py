"""What an accuracy claim is about: the true value at each input, and how often an output is too far from it."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from gmpy2 import mpq

from finitedp.claim import Accuracy
from finitedp.errors import ParameterError
from finitedp.proofs_check.audit.laws import answer_at
from finitedp.proofs_check.deciders.partial_law import PartialLaw, Tail
from finitedp.proofs_check.deciders.verdict import Miss

__all__ = ["around", "misses", "truths_of"]


def around(claim: Accuracy, truths: Mapping[Any, tuple[int, ...]]) -> list[int]:
    """The integers between which an output may be accurate, so that a tail beyond them is not, at any of its outputs."""
    numbers = [truth[0] for truth in truths.values() if len(truth) == 1]
    return [min(numbers) - int(claim.a), max(numbers) + int(claim.a)] if numbers else []


def misses(laws: Mapping[Any, PartialLaw[Any]], claim: Accuracy, truths: Mapping[Any, tuple[int, ...]]) -> Iterator[Miss[Any]]:
    """How often the error exceeds the claim's bound, at each input; for a per-query claim, at each coordinate.

    The error is |output - truth|; of tuples of integers the largest over the coordinates ("counting", "simultaneous"), or
    each coordinate's by itself ("per-query"). Raises: ParameterError for outputs that have no error.
    """
    for data, law in laws.items():
        for coordinate in range(len(truths[data])) if claim.kind == "per-query" else (None,):
            missed = (p for x, p in law.probabilities.items() if _misses(x, truths[data], coordinate, claim.a))
            yield Miss(data, sum(missed, mpq(0)), coordinate, law.unresolved)


def _coordinates(value: Any, what: str) -> tuple[int, ...]:  # noqa: ANN401  # an output of any kind
    """An integer, or a tuple of integers, as a tuple. Raises: ParameterError."""
    listed = value if isinstance(value, tuple | list) else (value,)
    if not all(hasattr(x, "__index__") for x in listed):
        raise ParameterError(f"{what} is {value!r}; an accuracy claim needs integers or tuples of integers")
    return tuple(int(x) for x in listed)


def _misses(output: Hashable, truth: Sequence[int], coordinate: int | None, a: int) -> bool:
    if type(output) is not Tail:
        return _error(output, truth, coordinate) > a
    if len(truth) != 1 or (output.first - truth[0]) * output.direction <= a:
        raise ParameterError(f"the tail {output!r} may hold outputs near the true value {truth}; accepted: one that is off")
    return True


def _error(output: Hashable, truth: Sequence[int], coordinate: int | None) -> int:
    values = _coordinates(output, "an output")
    if len(values) != len(truth):
        raise ParameterError(f"the output {output!r} has {len(values)} coordinates, the true value {len(truth)}")
    errors = [abs(x - y) for x, y in zip(values, truth, strict=True)]
    return max(errors, default=0) if coordinate is None else errors[coordinate]


def truths_of(truth: Callable[[Any], Any] | None, inputs: Iterable[Any]) -> dict[Any, tuple[int, ...]]:
    """The true value at each input; without a function, the input itself, which must then be a count."""
    if truth is None:
        if not all(isinstance(data, int) for data in inputs):
            raise ParameterError("an accuracy claim about datasets needs `truth`, a function of the dataset: the true value")
        return {data: (data,) for data in inputs}
    return {data: _coordinates(answer_at(truth, data, "truth"), f"the true value at {data!r}") for data in inputs}
