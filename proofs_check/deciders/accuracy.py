"""Whether a mechanism is as accurate as claimed: how often, at each input, an output is too far from the true value.

A flexible claim forgives rows left out. For a deterministic statistic f and the distortion that drops rows, a mechanism is
(alpha, beta, gamma)-accurate exactly where at each input x, except with probability gamma, the output is within beta of f(x')
for some x' that is x without at most a share alpha of its rows (FA.Def3). The parts of a dataset keep the order of its rows.
"""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from finitedp.claim import Accuracy, FlexibleAccuracy
from finitedp.errors import ParameterError
from finitedp.proofs_check.deciders.partial_law import PartialLaw, Tail
from finitedp.proofs_check.deciders.verdict import AccuracyVerdict, Miss, decide_accuracy

Laws = Mapping[Any, PartialLaw[Any]]

METRICS = ("absolute", "hausdorff", "equal")
"""absolute: |x - y|, of tuples the largest over coordinates; hausdorff: of tuples as sets of points; equal: 0, or infinite."""


def decide_accurate(laws: Laws, claim: Accuracy | FlexibleAccuracy, truths: Mapping[Any, Any]) -> AccuracyVerdict[Any]:
    """Whether outputs are near the true values as often as is claimed, with where they are not most often.

    Parameters: truths, the true value at each input; of a flexible claim the statistic of each dataset of at most n rows.
    Raises: ParameterError for outputs that have no error.
    """
    if isinstance(claim, FlexibleAccuracy):
        return decide_accuracy(_flexible_misses(laws, claim, truths), claim.gamma)
    return decide_accuracy(_misses(laws, claim, truths), claim.beta)


def integers(value: Any, refusal: str) -> tuple[int, ...]:  # noqa: ANN401  # an output or a true value of any kind
    """An integer, or a tuple of integers, as a tuple. Raises: ParameterError with the refusal."""
    listed = value if isinstance(value, tuple) else (value,)
    if not all(hasattr(x, "__index__") for x in listed):
        raise ParameterError(refusal)
    return tuple(int(x) for x in listed)


# The error is at most a


def around(claim: Accuracy, truths: Mapping[Any, tuple[int, ...]]) -> list[int]:
    """The integers between which an output may be accurate, so that a tail beyond them is not, at any of its outputs."""
    numbers = [truth[0] for truth in truths.values() if len(truth) == 1]
    return [min(numbers) - int(claim.a), max(numbers) + int(claim.a)] if numbers else []


def _misses(laws: Laws, claim: Accuracy, truths: Mapping[Any, tuple[int, ...]]) -> Iterator[Miss[Any]]:
    """How often the error exceeds the claim's bound, at each input; for a per-query claim, at each coordinate.

    The error is |output - truth|; of tuples of integers the largest over the coordinates ("counting", "simultaneous"), or
    each coordinate's by itself ("per-query").
    """
    for data, law in laws.items():
        for coordinate in range(len(truths[data])) if claim.kind == "per-query" else (None,):
            missed, more = law.mass(partial(_is_off, truth=truths[data], coordinate=coordinate, a=claim.a))
            yield Miss(data, missed, coordinate, more)


def _is_off(output: Hashable, truth: Sequence[int], coordinate: int | None, a: int) -> bool:
    if type(output) is not Tail:
        return _error(output, truth, coordinate) > a
    if len(truth) != 1 or (output.first - truth[0]) * output.direction <= a:
        raise ParameterError(f"the tail {output!r} may hold outputs near the true value {truth}; accepted: one that is off")
    return True


def _error(output: Hashable, truth: Sequence[int], coordinate: int | None) -> int:
    values = integers(output, f"an output is {output!r}; an accuracy claim needs integers or tuples of integers")
    if len(values) != len(truth):
        raise ParameterError(f"the output {output!r} has {len(values)} coordinates, the true value {len(truth)}")
    errors = [abs(x - y) for x, y in zip(values, truth, strict=True)]
    return max(errors, default=0) if coordinate is None else errors[coordinate]


# The same, with rows left out


def parts(data: tuple[Any, ...], dropped: int) -> set[tuple[Any, ...]]:
    """A dataset without at most so many of its rows."""
    found = last = {data}
    for _ in range(min(dropped, len(data))):
        last = {x[:j] + x[j + 1 :] for x in last for j in range(len(x))}
        found = found | last
    return found


def _flexible_misses(laws: Laws, claim: FlexibleAccuracy, values: Mapping[Any, Any]) -> Iterator[Miss[Any]]:
    """By input, the mass of outputs that are not within beta of an allowed value."""
    for data, law in laws.items():
        allowed = {repr(values[x]): values[x] for x in parts(data, claim.allowed(len(data)))}.values()
        missed, more = law.mass(partial(_is_far, claim, list(allowed)))
        yield Miss(data, missed, None, more)


def _is_far(claim: FlexibleAccuracy, allowed: Sequence[Any], output: Hashable) -> bool:
    return not any(_near(claim, output, value) for value in allowed)


def _near(claim: FlexibleAccuracy, output: Any, value: Any) -> bool:  # noqa: ANN401  # of any kind
    if claim.metric == "equal" or repr(output) == repr(value):
        return repr(output) == repr(value)
    accepted = f"accepted with metric {claim.metric!r}: integers or tuples of integers"
    x, y = (integers(side, f"{side!r} has no distance; {accepted}") for side in (output, value))
    if claim.metric == "absolute":
        return len(x) == len(y) and all(abs(a - b) <= claim.beta for a, b in zip(x, y, strict=True))
    sides = ((x, y), (y, x)) if x and y else ()
    return bool(sides) and all(min(abs(a - b) for b in there) <= claim.beta for here, there in sides for a in here)
