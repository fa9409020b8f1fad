"""Lossy Wasserstein distances of finite rational laws, decided exactly, with a witness for either answer.

The laws become integer masses p_i, q_j over a common denominator L. The gamma-lossy infinity-Wasserstein distance is at most b
exactly where (1 - gamma) L units can flow from P to Q along pairs within b: a lossy coupling, cut down to what both of its
marginals have of P and Q, is such a flow; and what such a flow leaves of P goes to the diagonal, at distance 0. That no flow
is that large is shown by a set A of points of P with P(A) - Q(points within b of A) > gamma (Hall). Whoever has a witness need
not trust the search for it: `verified` here, and proofs_check/flexible_certificate.py from a file alone, check it.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Hashable, Sequence
from typing import Any, Generic, TypeVar

from attrs import frozen
from gmpy2 import lcm, mpq

from finitedp.errors import ParameterError
from finitedp.exact import RationalLike, probability, rational
from finitedp.spec.flexible.flows import Flow, cheapest_flow, largest_flow, potentials
from finitedp.spec.pmf import Pmf

__all__ = [
    "Average",
    "Decision",
    "Distance",
    "LossyDistance",
    "absolute",
    "decide_lossy",
    "decide_lossy_average",
    "largest_coordinate",
    "lossy_average",
    "lossy_infinity",
    "squared_euclidean",
    "sum_of_coordinates",
    "total_loss",
    "verified",
    "verified_average",
]

MOST_PAIRS, MOST_BITS = 4_000_000, 100_000  # a flow then takes minutes

T = TypeVar("T", bound=Hashable)
Distance = Callable[[Any, Any], mpq | int | None]
"""A distance of two points: a rational of at least 0, or None where it is infinite (which quasi-metrics may be)."""


def absolute(x: RationalLike, y: RationalLike) -> mpq:
    """|x - y|, of rationals."""
    if type(x) is int and type(y) is int:
        return mpq(abs(x - y))  # the same, sooner
    return abs(mpq(x) - mpq(y))


def sum_of_coordinates(x: Sequence[RationalLike], y: Sequence[RationalLike]) -> mpq:
    """The l1 distance of two points."""
    return sum((absolute(a, b) for a, b in zip(x, y, strict=True)), mpq(0))


def largest_coordinate(x: Sequence[RationalLike], y: Sequence[RationalLike]) -> mpq:
    """The l-infinity distance of two points."""
    return max((absolute(a, b) for a, b in zip(x, y, strict=True)), default=mpq(0))


def squared_euclidean(x: Sequence[RationalLike], y: Sequence[RationalLike]) -> mpq:
    """The square of the l2 distance: rational where the distance is not. Take b^2 for b; it is no metric itself."""
    return sum((absolute(a, b) ** 2 for a, b in zip(x, y, strict=True)), mpq(0))


@frozen
class Decision(Generic[T]):
    """Whether the gamma-lossy infinity-Wasserstein distance of two laws is at most b, with its witness.

    strict: pairs count where d < b, instead of d <= b; then "no" says that the distance is at least b. mass: L. left, right:
    the points with their masses. flow: where it holds, (i, j, f) by position. hall: where it fails, positions of left.
    """

    holds: bool
    b: mpq
    strict: bool
    gamma: mpq
    mass: int
    left: tuple[tuple[T, int], ...]
    right: tuple[tuple[T, int], ...]
    flow: tuple[tuple[int, int, int], ...] = ()
    hall: tuple[int, ...] = ()


@frozen
class LossyDistance(Generic[T]):
    """The gamma-lossy infinity-Wasserstein distance: None where it is infinite.

    upper: that it is at most the value (None where infinite). lower: that it is at least the value: no flow along pairs that
    are nearer than it (None where the value is 0); where infinite, no flow along pairs with a finite distance.
    """

    value: mpq | None
    upper: Decision[T] | None
    lower: Decision[T] | None


class _Instance(Generic[T]):
    """Two laws as masses over one denominator, and the pairs of each left point in order of their distance."""

    def __init__(self, p: Pmf[T], q: Pmf[T], distance: Distance) -> None:
        self.mass = _common(p, q)
        self.left = _masses(p, self.mass)
        self.right = _masses(q, self.mass)
        rows = [[distance(x, y) for y, _ in self.right] for x, _ in self.left]
        known = {d: rational(d, "a distance") for d in {d for row in rows for d in row if d is not None}}
        self.values = sorted({mpq(0), *known.values()})
        if self.values[0] < 0:
            raise ParameterError(f"a distance is {self.values[0]}; accepted: rationals of at least 0")
        rank = {value: i for i, value in enumerate(self.values)}
        place = {d: rank[value] for d, value in known.items()}
        # by left point: the ranks of its distances in increasing order, and the right points within each of them
        self.ranks, self.within = list[list[int]](), list[list[int]]()
        for row in rows:
            pairs = sorted((place[d], j) for j, d in enumerate(row) if d is not None)
            masks = [0]
            for _, j in pairs:
                masks.append(masks[-1] | 1 << j)
            self.ranks.append([r for r, _ in pairs])
            self.within.append(masks)

    def decide(self, b: mpq, gamma: mpq, strict: bool) -> Decision[T]:
        rank = (bisect_left if strict else bisect_right)(self.values, b)  # so many values are within b
        near = [masks[bisect_left(ranks, rank)] for ranks, masks in zip(self.ranks, self.within, strict=True)]
        flow, reached = largest_flow([m for _, m in self.left], [m for _, m in self.right], near)
        holds = sum(flow.values()) >= (1 - gamma) * self.mass
        moved = tuple((i, j, f) for (i, j), f in sorted(flow.items())) if holds else ()
        return Decision(holds, b, strict, gamma, self.mass, self.left, self.right, moved, () if holds else reached)


def _common(p: Pmf[T], q: Pmf[T]) -> int:
    """L, a common denominator of both laws. Raises: ParameterError where a flow would take too long."""
    mass = int(lcm(p.total, q.total))
    if len(p) * len(q) > MOST_PAIRS:
        raise ParameterError(f"that is {len(p)} times {len(q)} pairs of points; accepted: at most {MOST_PAIRS} pairs")
    if mass.bit_length() > MOST_BITS:
        raise ParameterError(
            f"the laws have a common denominator of {mass.bit_length()} bits; accepted: at most {MOST_BITS} bits"
        )
    return mass


def _masses(law: Pmf[T], mass: int) -> tuple[tuple[T, int], ...]:
    """The points with their masses, in order where they have one."""
    points: list[Any] = list(law)
    try:
        points.sort()
    except TypeError:
        points = list(law)
    return tuple((x, int(law.weight(x) * (mass // law.total))) for x in points)


def decide_lossy(
    p: Pmf[T], q: Pmf[T], distance: Distance, b: RationalLike, gamma: RationalLike = 0, *, strict: bool = False
) -> Decision[T]:
    """Whether W_gamma^infinity(P, Q) <= b; with strict, whether pairs nearer than b suffice.

    Source: FA.Def1. Parameters: distance, of a point of P and one of Q; b >= 0; gamma in [0, 1]. Raises: ParameterError.
    """
    bound = rational(b, "b")
    if bound < 0:
        raise ParameterError(f"b = {bound} is negative; accepted: a rational of at least 0")
    return _Instance(p, q, distance).decide(bound, probability(gamma, "gamma"), strict)


def lossy_infinity(p: Pmf[T], q: Pmf[T], distance: Distance, gamma: RationalLike = 0) -> LossyDistance[T]:
    """W_gamma^infinity(P, Q), with the witnesses of both of its sides.

    Source: FA.Def1. Parameters: as decide_lossy. Cost: a flow for each of log2(pairs) distances: it is 0 or one of them.
    """
    instance, loss = _Instance(p, q, distance), probability(gamma, "gamma")
    values, decided = instance.values, dict[int, Decision[T]]()

    def holds(i: int) -> bool:
        decided[i] = instance.decide(values[i], loss, strict=False)
        return decided[i].holds

    least = bisect_left(range(len(values)), True, key=holds)
    if least == len(values):
        return LossyDistance(None, None, decided.get(least - 1) or instance.decide(values[-1], loss, strict=False))
    upper = decided.get(least) or instance.decide(values[least], loss, strict=False)
    lower = instance.decide(values[least], loss, strict=True) if least else None
    return LossyDistance(values[least], upper, lower)


def verified(decision: Decision[Any], distance: Distance) -> bool:
    """Whether the witness shows what the decision says: no search, and nothing taken from it."""
    p, q = [m for _, m in decision.left], [m for _, m in decision.right]
    if sum(p) != decision.mass or sum(q) != decision.mass or min(*p, *q) < 0:
        return False

    def within(i: int, j: int) -> bool:
        d = distance(decision.left[i][0], decision.right[j][0])
        return d is not None and (mpq(d) < decision.b if decision.strict else mpq(d) <= decision.b)

    allowed = decision.gamma * decision.mass
    if not decision.holds:
        hall = set(decision.hall)
        reached = [j for j in range(len(q)) if any(within(i, j) for i in hall)]
        return bool(sum(p[i] for i in hall) - sum(q[j] for j in reached) > allowed)
    sent, got = [0] * len(p), [0] * len(q)
    for i, j, f in decision.flow:
        if f < 0 or not within(i, j):
            return False
        sent[i], got[j] = sent[i] + f, got[j] + f
    fits = all(a <= b for a, b in zip((*sent, *got), (*p, *q), strict=True))
    return fits and sum(sent) >= decision.mass - allowed


def total_loss(p: Pmf[T], q: Pmf[T], distance: Distance, b: RationalLike) -> mpq:
    """The least gamma with W_gamma^infinity(P, Q) <= b: the mass that no flow along pairs within b moves."""
    decision = _Instance(p, q, distance).decide(rational(b, "b"), mpq(1), strict=False)
    return 1 - mpq(sum(f for _, _, f in decision.flow), decision.mass)


# The lossy average


@frozen
class Average(Generic[T]):
    """The theta-lossy average Wasserstein distance, with a flow that attains it and a dual that shows that none is cheaper.

    mass: L. scale: K, for which all K d are integers. amount: (1 - theta) L, made an integer by L. dual: (l, u, v).
    """

    value: mpq
    theta: mpq
    mass: int
    scale: int
    amount: int
    left: tuple[tuple[T, int], ...]
    right: tuple[tuple[T, int], ...]
    flow: tuple[tuple[int, int, int], ...]
    dual: tuple[int, tuple[int, ...], tuple[int, ...]]


def lossy_average(p: Pmf[T], q: Pmf[T], distance: Distance, theta: RationalLike = 0) -> Average[T]:
    """W_theta(P, Q): the least cost of moving (1 - theta) of the mass, with its flow and its dual.

    Source: FA.Def7. Parameters: distance, finite; theta in [0, 1]. Raises: ParameterError, also without networkx, or where the
    solver's flow is not shown to be the cheapest by its potentials.
    """
    loss = probability(theta, "theta")
    mass = _common(p, q) * int(loss.denominator)
    left, right = _masses(p, mass), _masses(q, mass)
    rows = [[distance(x, y) for y, _ in right] for x, _ in left]
    if any(d is None or rational(d, "a distance") < 0 for row in rows for d in row):
        raise ParameterError("a distance is infinite or negative; accepted: rationals of at least 0")
    exact = [[mpq(d) for d in row if d is not None] for row in rows]
    scale = int(lcm(1, *(d.denominator for row in exact for d in row)))
    cost: list[list[int | None]] = [[int(d * scale) for d in row] for row in exact]
    supply, demand, amount = [m for _, m in left], [m for _, m in right], int((1 - loss) * mass)
    flow: Flow | None = cheapest_flow(supply, demand, cost, amount)
    if flow is None:
        raise ParameterError("no flow moves that much")
    level, u, v = potentials(supply, demand, cost, flow)
    value = mpq(sum((cost[i][j] or 0) * f for (i, j), f in flow.items()), scale * mass)
    moved = tuple((i, j, f) for (i, j), f in sorted(flow.items()))
    found = Average(value, loss, mass, scale, amount, left, right, moved, (level, tuple(u), tuple(v)))
    if not verified_average(found, distance):
        raise ParameterError("the solver's flow is not the cheapest, or its potentials do not show it: please report it")
    return found


def decide_lossy_average(p: Pmf[T], q: Pmf[T], distance: Distance, c: RationalLike, theta: RationalLike = 0) -> bool:
    """Whether W_theta(P, Q) <= c. Source: FA.Def7. Parameters and errors: as lossy_average."""
    return bool(lossy_average(p, q, distance, theta).value <= rational(c, "c"))


def verified_average(found: Average[Any], distance: Distance) -> bool:
    """Whether the flow costs the value, and the dual shows that no flow of that amount costs less."""
    p, q, scale = [m for _, m in found.left], [m for _, m in found.right], found.scale
    level, u, v = found.dual
    if sum(p) != found.mass or sum(q) != found.mass or min(*p, *q, *u, *v, level) < 0:
        return False
    cost = [[scale * mpq(distance(x, y) or 0) for y, _ in found.right] for x, _ in found.left]
    sent, got = [0] * len(p), [0] * len(q)
    for i, j, f in found.flow:
        sent[i], got[j] = sent[i] + f, got[j] + f
    fits = all(a <= b for a, b in zip((*sent, *got), (*p, *q), strict=True)) and all(f >= 0 for _, _, f in found.flow)
    dual = level * found.amount - sum(a * b for a, b in zip(u, p, strict=True)) - sum(a * b for a, b in zip(v, q, strict=True))
    feasible = all(level - u[i] - v[j] <= c for i, row in enumerate(cost) for j, c in enumerate(row))
    paid = sum((cost[i][j] * f for i, j, f in found.flow), mpq(0))
    goal = found.value * scale * found.mass
    return bool(fits and sum(sent) == found.amount == (1 - found.theta) * found.mass and feasible and paid == dual == goal)
