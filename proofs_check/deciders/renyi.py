"""The decider of Renyi and zero-concentrated privacy: the largest divergence over all pairs, enclosed, against a claim.

Divergences add up over independent runs on the same data, so k runs have k times those of one. A law may be known in part;
then the largest divergence lies between those of two completions (completions), and a verdict is given where both agree.
"""

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any, Generic, Literal, TypeVar, cast

from attrs import evolve, field, frozen
from gmpy2 import mpq

from finitedp.claim import RenyiClaim
from finitedp.errors import ParameterError
from finitedp.proofs_check.deciders.completions import farthest, nearest
from finitedp.proofs_check.deciders.concentrated import Curve, TooManyOrdersError, exceeding, least_rho
from finitedp.spec.divergence import Measure
from finitedp.spec.renyi import Atoms, alike, log_power_sum_of, power_sum

D = TypeVar("D", bound=Hashable)
R = TypeVar("R", bound=Hashable)
End = mpq | Literal["infinite"]

LARGEST_EXACT_ORDER = 64
"""The largest integer order at which the power sum is told exactly, since its digits grow with the order."""
_BITS, _MOST_BITS = 64, 512
_TOLD = 48  # significant bits of the ends that are told, where these decide


@frozen
class Divergence(Generic[D]):
    """What is claimed of a divergence, and what it is: the largest over all pairs, of all runs together, in nats.

    claimed: the most that is allowed. low, high: it is at least low, and at most high wherever the unresolved mass lies:
    rationals, or "infinite". left, right, order: a pair of inputs, and an order, at which it is at least low.
    power_sum: of Renyi divergences at integer orders up to 64, of complete laws, the largest sum of P^a Q^(1 - a) of one run.
    """

    claimed: mpq
    low: End
    high: End
    left: D
    right: D
    order: mpq
    power_sum: End | None = None

    @property
    def verdict(self) -> Literal["holds", "fails", "undecided"]:
        """Whether it is at most what is claimed."""
        if self.low == "infinite" or self.low > self.claimed:
            return "fails"
        return "holds" if self.high != "infinite" and self.high <= self.claimed else "undecided"


def decide_renyi(
    law: Callable[[D], Measure[R]], pairs: Iterable[tuple[D, D]], claim: RenyiClaim, times: int = 1
) -> Divergence[D]:
    """The largest Renyi divergence over the given pairs.

    Parameters: law, of each input, complete or in part, tails in line; pairs, both orders of each pair of neighbours; times,
    runs on the same data. Source: FD.Renyi. Raises: ParameterError for no pairs.
    """
    sides, order, allowed = _Sides(law, pairs), claim.order, claim.epsilon / times
    lows = [_divergence(near, order, allowed)[0] for near in sides.near]
    highs = [_divergence(far, order, allowed)[1] for far in sides.far]
    place = max(range(len(lows)), key=lambda i: (_size(lows[i]), -i))
    exact = order.denominator == 1 and order <= LARGEST_EXACT_ORDER and sides.near == sides.far
    sums: list[End] = [power_sum(laws, int(order)) for laws in sides.near] if exact else []
    return Divergence(
        claimed=claim.epsilon,
        low=_told(lows[place], times, claim.epsilon, up=False),
        high=_told(max(highs, key=_size), times, claim.epsilon, up=True),
        left=sides.pairs[place][0],
        right=sides.pairs[place][1],
        order=order,
        power_sum=max(sums, key=_size) if exact else None,
    )


def decide_zcdp(law: Callable[[D], Measure[R]], pairs: Iterable[tuple[D, D]], rho: mpq, times: int = 1) -> Divergence[D]:
    """The least rho with D_a <= rho a at every order a above 1, over the given pairs.

    Parameters: as of decide_renyi. Source: FD.Concentrated. Raises: ParameterError for no pairs.
    """
    sides, allowed = _Sides(law, pairs), rho / times
    near = _enclosed(sides.near)
    far = near if sides.far == sides.near else _enclosed(sides.far)
    if allowed:
        near, far = _refined(sides.near, near, allowed), _refined(sides.far, far, allowed)
    left, right = sides.pairs[near.place]
    low, high = _told(near.low, times, rho, up=False), _told(far.high, times, rho, up=True)
    return Divergence(rho, low, high, left, right, near.order)


@frozen
class _Least:
    """The least rho of some atoms, enclosed, and which of them, and at which order, need at least low."""

    low: End
    high: End
    place: int = 0
    order: mpq = field(default=mpq(2))


def _curves(sides: Iterable[Atoms | None]) -> dict[int, Curve]:
    """By place, what is finite and not 0."""
    return {i: Curve(laws) for i, laws in enumerate(sides) if laws is not None and laws[0].q and not alike(laws)}


def _enclosed(sides: Sequence[Atoms | None]) -> _Least:
    infinite = [i for i, laws in enumerate(sides) if laws is None or not laws[0].q]
    if infinite:
        return _Least("infinite", "infinite", infinite[0])
    curves = _curves(sides)
    if not curves:
        return _Least(mpq(0), mpq(0))
    low, high, curve, order = least_rho(list(curves.values()))
    return _Least(low, high, next(i for i in curves if curves[i] is curve), order)


def _refined(sides: Sequence[Atoms | None], found: _Least, rho: mpq) -> _Least:
    """What is enclosed, with an end moved to rho or beyond it, where it is shown to be below, or above."""
    if found.low == "infinite" or found.high == "infinite" or not found.low <= rho < found.high:
        return found
    try:
        for i, curve in _curves(sides).items():
            above = exceeding(curve, rho)
            if above is not None:
                return evolve(found, low=curve.least(above), place=i, order=above)
    except TooManyOrdersError:
        return found
    return evolve(found, high=rho)


# Pairs


class _Sides(Generic[D]):
    """The completions of each pair that are most alike, and that differ most; of pairs that have the same ones, the first."""

    def __init__(self, law: Callable[[D], Measure[Any]], pairs: Iterable[tuple[D, D]]) -> None:
        found: dict[tuple[Atoms, tuple[Atoms | None, ...]], tuple[D, D]] = {}
        for left, right in pairs:
            p, q = law(left), law(right)
            found.setdefault((nearest(p, q), farthest(p, q)), (left, right))
        if not found:
            raise ParameterError("there are no neighbouring pairs of inputs to check")
        self.pairs = list(found.values())
        self.near = [near for near, _ in found]
        self.far = [each for _, far in found for each in far]


def _divergence(laws: Atoms | None, order: mpq, allowed: mpq) -> tuple[End, End]:
    """Rationals around the divergence at an order, as near as it takes to tell it from what is allowed."""
    if laws is None or not laws[0].q:
        return "infinite", "infinite"
    if alike(laws):
        return mpq(0), mpq(0)
    bits = _BITS
    while True:
        low, high = (end / (order - 1) for end in log_power_sum_of(laws, order, bits))
        if not low <= allowed < high or bits >= _MOST_BITS:
            return low, high
        bits *= 2


def _size(end: End | None) -> tuple[bool, mpq]:
    """What ends are ordered by."""
    return (True, mpq(0)) if end == "infinite" or end is None else (False, end)


def _told(end: End, times: int, claimed: mpq, *, up: bool) -> End:
    """An end of all runs together, in few digits, unless these would change whether it is above what is claimed."""
    if end in (0, "infinite"):
        return end
    exact = cast(mpq, end) * times
    shift = _TOLD - exact.numerator.bit_length() + exact.denominator.bit_length()
    scaled = exact * mpq(2) ** shift
    told = mpq(-int(-scaled // 1) if up else int(scaled // 1)) / mpq(2) ** shift
    return told if (told > claimed) == (exact > claimed) else exact
