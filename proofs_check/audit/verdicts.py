"""The verdicts of an audit, from the laws of all inputs; unresolved mass may be anywhere, so a verdict may be "undecided"."""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any, Literal

from attrs import frozen
from gmpy2 import mpq

from finitedp.claim import Accuracy, PrivacyClaim
from finitedp.errors import FinitedpError, ParameterError
from finitedp.exact import compare_exp
from finitedp.proofs_check.audit.laws import PartialLaw

__all__ = ["Miss", "Verdict", "Witness", "accuracy", "equality", "largest_ratio", "privacy", "profile", "tightness"]

Verdict = Literal["holds", "fails", "undecided"]
Equality = Literal["equal", "differs", "undecided", "not specified"]
Ratio = mpq | Literal["infinite"] | None
Laws = Mapping[Any, PartialLaw]
Pairs = Sequence[tuple[Any, Any]]
ZERO = mpq(0)


@frozen
class Witness:
    """Two inputs, an event, and both probabilities.

    The event has the largest P[event] - r Q[event], where r is e^epsilon or the ratio; where no event has more than 0, it
    holds the outputs with the worst probability ratio.
    """

    left: Any
    right: Any
    event: tuple[Hashable, ...]
    in_left: mpq
    in_right: mpq


@frozen
class Miss:
    """The input where an error bound fails with the largest probability; coordinate: of a per-query claim, else None."""

    input: Any
    probability: mpq
    coordinate: int | None


# Privacy


def exceeds(p: mpq, q: mpq, claim: PrivacyClaim) -> bool:
    """Whether p > r q, decided exactly; r is the claim's ratio, or e^epsilon. Both may be negative."""
    if claim.ratio is not None:
        return bool(p > claim.ratio * q)
    if q == 0:
        return bool(p > 0)
    return compare_exp(p / q, claim.epsilon) * (1 if q > 0 else -1) > 0


def privacy(laws: Laws, pairs: Pairs, claim: PrivacyClaim) -> tuple[Verdict, Witness]:
    """Whether P[S] <= r Q[S] + delta for all pairs and events, and the witness."""
    worst: Witness | None = None
    fails, holds = False, True
    for left, right in pairs:
        p, q = laws[left], laws[right]
        event = tuple(x for x, mass in p.probabilities.items() if exceeds(mass, q.probabilities.get(x, ZERO), claim))
        in_p = sum((p.probabilities[x] for x in event), ZERO)
        in_q = sum((q.probabilities.get(x, ZERO) for x in event), ZERO)
        if worst is None or exceeds(in_p - worst.in_left, in_q - worst.in_right, claim):
            worst = Witness(left, right, event, in_p, in_q)
        fails = fails or (bool(event) and exceeds(in_p - claim.delta, in_q + q.unresolved, claim))
        holds = holds and not exceeds(in_p + p.unresolved - claim.delta, in_q, claim)
    if worst is None:
        raise ParameterError("there are no neighbouring inputs")
    return "fails" if fails else "holds" if holds else "undecided", worst if worst.event else _peak(laws, pairs)


def _peak(laws: Laws, pairs: Pairs) -> Witness:
    """The first pair, and the outputs, with the worst ratio, where no output has an infinite one."""
    best, place = ZERO, pairs[0]
    for left, right in pairs:
        p, q = laws[left].probabilities, laws[right].probabilities
        ratio = max((mass / q[x] for x, mass in p.items()), default=ZERO)
        if ratio > best:
            best, place = ratio, (left, right)
    p, q = laws[place[0]].probabilities, laws[place[1]].probabilities
    event = tuple(x for x, mass in p.items() if mass == best * q[x])
    return Witness(*place, event, sum((p[x] for x in event), ZERO), sum((q[x] for x in event), ZERO))


def largest_ratio(laws: Laws, pairs: Pairs) -> Ratio:
    """The largest probability ratio; None where mass is unresolved, so that it is not known."""
    if any(law.unresolved for law in laws.values()):
        return None
    worst = mpq(1)
    for left, right in pairs:
        for x, mass in laws[left].probabilities.items():
            other = laws[right].probabilities.get(x, ZERO)
            if other == 0:
                return "infinite"
            worst = max(worst, mass / other)
    return worst


def tightness(claim: PrivacyClaim, ratio: Ratio, witness: Witness, exact: bool) -> bool:
    """Whether the claim's bound is attained: its ratio (1 for epsilon = 0), or its delta."""
    if not exact:
        return False
    if claim.delta:
        gap = witness.in_left - claim.delta
        return bool(gap == witness.in_right if claim.epsilon == 0 else gap == 0 == witness.in_right)
    return ratio == (mpq(1) if claim.epsilon == 0 else claim.ratio)


def profile(laws: Laws, pairs: Pairs) -> tuple[tuple[mpq, mpq], ...]:
    """The privacy profile of the resolved mass: the corners (r, delta), r >= 1, of the largest P[S] - r Q[S] over all pairs.

    Between two corners delta is linear in r = e^epsilon; from the last one on it is constant. With unresolved mass u the
    true delta lies between delta - r u and delta + u.
    Cost: a sort of each pair's outputs, and one of all corners.
    """
    points = {(ZERO, ZERO)}
    for left, right in pairs:
        points |= _corners(laws[left].probabilities, laws[right].probabilities)
    hull = _upper_hull(sorted(points))
    slopes = [(p1 - p0) / (q1 - q0) for (q0, p0), (q1, p1) in pairwise(hull)]
    corners = [(r, p - r * q) for r, (q, p) in zip(slopes, hull, strict=False) if r > 1]
    q, p = hull[len(corners)]
    return tuple(sorted([*corners, (mpq(1), p - q)]))


def _corners(p: Mapping[Hashable, mpq], q: Mapping[Hashable, mpq]) -> set[tuple[mpq, mpq]]:
    """The points (Q[S], P[S]) for the events S of the outputs with the largest ratios, above 1."""
    in_q, in_p = ZERO, sum((mass for x, mass in p.items() if not q.get(x)), ZERO)
    found = {(in_q, in_p)}
    shared = ((mass / q[x], mass, q[x]) for x, mass in p.items() if q.get(x) and mass > q[x])
    for _, mass, other in sorted(shared, reverse=True):
        in_p, in_q = in_p + mass, in_q + other
        found.add((in_q, in_p))
    return found


def _upper_hull(points: Sequence[tuple[mpq, mpq]]) -> list[tuple[mpq, mpq]]:
    """The corners of the concave hull from the left, first the highest point at q = 0; points are sorted."""
    hull: list[tuple[mpq, mpq]] = []
    for q, p in points:
        if hull and hull[-1][0] == q:
            hull.pop()  # the one before is lower
        while len(hull) > 1 and _bends_up(hull[-2], hull[-1], (q, p)):
            hull.pop()
        hull.append((q, p))
    return hull


def _bends_up(a: tuple[mpq, mpq], b: tuple[mpq, mpq], c: tuple[mpq, mpq]) -> bool:
    """Whether b lies on or below the line from a to c."""
    return bool((c[1] - a[1]) * (b[0] - a[0]) >= (b[1] - a[1]) * (c[0] - a[0]))


# Laws


def equality(laws: Laws, specified: Laws | None) -> Equality:
    """Whether the laws are the specified ones."""
    if specified is None:
        return "not specified"
    for data, law in laws.items():
        allowed = specified[data].probabilities
        if any(mass > allowed.get(x, ZERO) for x, mass in law.probabilities.items()):
            return "differs"
    return "undecided" if any(law.unresolved for law in laws.values()) else "equal"


# Accuracy


def accuracy(laws: Laws, claim: Accuracy, truths: Mapping[Any, tuple[int, ...]]) -> tuple[Verdict, Miss]:
    """Whether the error exceeds a with probability at most beta at every input, and where it does most often.

    The error is |output - truth|; of tuples of integers the largest over the coordinates ("counting", "simultaneous"), or
    each coordinate's by itself ("per-query"). Raises: ParameterError for outputs that have no error.
    """
    per_query = claim.kind == "per-query"
    worst: Miss | None = None
    fails, holds = False, True
    for data, law in laws.items():
        for j in range(len(truths[data])) if per_query else (None,):
            missed = (mass for x, mass in law.probabilities.items() if _error(x, truths[data], j) > claim.a)
            miss = Miss(data, sum(missed, ZERO), j)
            worst = miss if worst is None or miss.probability > worst.probability else worst
            fails = fails or miss.probability > claim.beta
            holds = holds and miss.probability + law.unresolved <= claim.beta
    if worst is None:
        raise ParameterError("the true value has no coordinate, so there is nothing to be accurate about")
    return "fails" if fails else "holds" if holds else "undecided", worst


def coordinates(value: Any, what: str) -> tuple[int, ...]:  # noqa: ANN401  # an output of any kind
    """An integer, or a tuple of integers, as a tuple. Raises: ParameterError."""
    listed = value if isinstance(value, tuple | list) else (value,)
    if not all(hasattr(x, "__index__") for x in listed):
        raise ParameterError(f"{what} is {value!r}; an accuracy claim needs integers or tuples of integers")
    return tuple(int(x) for x in listed)


def _error(output: Hashable, truth: Sequence[int], coordinate: int | None) -> int:
    values = coordinates(output, "an output")
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
    return {data: coordinates(asked(truth, data, "truth"), f"the true value at {data!r}") for data in inputs}


def asked(function: Callable[[Any], Any], data: Any, name: str) -> Any:  # noqa: ANN401  # inputs and answers of any kind
    """What a function of the auditor's says of an input. Raises: ParameterError where it raises."""
    try:
        return function(data)
    except FinitedpError:
        raise
    except Exception as error:
        raise ParameterError(f"`{name}` raised {type(error).__name__} at the input {data!r}: {error}") from error
