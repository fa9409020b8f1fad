"""Exact divergences between two finite laws, each with the output or event that attains it."""

from bisect import bisect_left
from collections.abc import Hashable, Mapping, Sequence
from itertools import groupby
from typing import Generic, Protocol, TypeVar

from attrs import frozen
from gmpy2 import gcd, mpq, mpz

from finitedp.errors import ParameterError
from finitedp.exact import RationalLike, compare_exp, exp_bounds, probability, rational
from finitedp.spec.pmf import Pmf

__all__ = [
    "HockeyStick",
    "Measure",
    "PrivacyProfile",
    "TotalVariation",
    "WorstRatio",
    "hockey_stick",
    "max_ratio",
    "privacy_profile",
    "product_max_ratio",
    "total_variation",
]

T = TypeVar("T", bound=Hashable)


class Measure(Protocol[T]):
    """Masses weight(x) / total that sum to at most 1: a Pmf, or what is known of a law of which some mass is unresolved."""

    @property
    def weights(self) -> Mapping[T, int]:
        """The integer weights above 0, by outcome."""
        ...

    @property
    def total(self) -> int:
        """The common denominator."""
        ...

    def weight(self, outcome: T) -> int:
        """The weight of an outcome, 0 where it has none."""
        ...


@frozen
class WorstRatio(Generic[T]):
    """The largest probability ratio of two laws: p = P[outcome], q = Q[outcome]; infinite where q = 0 < p."""

    outcome: T
    p: mpq
    q: mpq

    @property
    def infinite(self) -> bool:
        """Whether the output has a probability above 0 under the first law only."""
        return self.q == 0

    @property
    def value(self) -> mpq:
        """P / q. Raises: ParameterError where it is infinite."""
        if self.infinite:
            raise ParameterError(f"the ratio at {self.outcome!r} is {self.p} / 0, which is infinite")
        return self.p / self.q

    def exceeds(self, other: "WorstRatio[T]") -> bool:
        """Whether this ratio is larger than another, infinity included."""
        if self.infinite or other.infinite:
            return self.infinite and not other.infinite
        return self.p * other.q > other.p * self.q

    def exceeds_ratio(self, bound: RationalLike) -> bool:
        """Whether the ratio is above a rational bound."""
        return self.infinite or self.p > rational(bound, "bound") * self.q

    def exceeds_exp(self, epsilon: RationalLike) -> bool:
        """Whether the ratio is above e^epsilon, decided rigorously."""
        return self.infinite or compare_exp(self.value, epsilon) > 0


@frozen
class HockeyStick(Generic[T]):
    """The hockey-stick divergence delta = P[event] - ratio * Q[event] and an event that attains it."""

    ratio: mpq
    delta: mpq
    event: frozenset[T]


@frozen
class TotalVariation(Generic[T]):
    """The statistical distance P[event] - Q[event] and an event that attains it."""

    distance: mpq
    event: frozenset[T]


def max_ratio(p: Measure[T], q: Measure[T]) -> WorstRatio[T]:
    """Max over x of P[x] / Q[x], with the output that attains it.

    Source: BV.Def2.1 with delta = 0, where it is enough to look at single outputs.
    Raises: ParameterError where P has no output. Cost: two multiplications for each output of P.
    """
    worst: tuple[T, int, int] | None = None
    for outcome, weight in p.weights.items():
        other = q.weight(outcome)
        if worst is None or weight * worst[2] > worst[1] * other:
            worst = outcome, weight, other
            if other == 0:
                break
    if worst is None:
        raise ParameterError("the first law has no output, so no ratio is the largest")
    outcome, weight, other = worst
    return WorstRatio(outcome, mpq(weight, p.total), mpq(other, q.total))


def product_max_ratio(pairs: Sequence[tuple[Pmf[T], Pmf[T]]]) -> WorstRatio[tuple[T, ...]]:
    """max_ratio of two product laws from their factors: the worst ratio of independent parts is the product of theirs.

    Parameters: pairs, the two laws of each part (such as a bin of a histogram).
    Cost: the sum of the parts' sizes, where the joint law has the product of them.
    """
    parts = [max_ratio(p, q) for p, q in pairs]
    p_all, q_all = mpq(1), mpq(1)
    for part in parts:
        p_all, q_all = p_all * part.p, q_all * part.q
    return WorstRatio(tuple(part.outcome for part in parts), p_all, q_all)


def hockey_stick(p: Measure[T], q: Measure[T], ratio: RationalLike) -> HockeyStick[T]:
    """Max over events S of P[S] - ratio * Q[S], with the event {x : P[x] > ratio * Q[x]}.

    Source: BV.Def2.1: P and Q are (ln ratio, delta)-indistinguishable in this direction exactly when the value is <= delta.
    Parameters: ratio >= 0, a rational (e^epsilon; for an irrational one see PrivacyProfile). Raises: ParameterError.
    """
    r = _ratio(ratio)
    scale_p, scale_q = q.total * r.denominator, p.total * r.numerator
    common = gcd(scale_p, scale_q)
    scale_p, scale_q = scale_p // common, scale_q // common
    event = list[T]()
    weight: int = mpz(0)
    other: int = mpz(0)
    for x, w in p.weights.items():
        v = q.weight(x)
        if w * scale_p > v * scale_q:
            event.append(x)
            weight, other = weight + w, other + v
    return HockeyStick(r, mpq(weight, p.total) - r * mpq(other, q.total), frozenset(event))


def total_variation(p: Measure[T], q: Measure[T]) -> TotalVariation[T]:
    """The statistical distance of two laws, with an event that attains it. Source: BV.Def2.9."""
    stick = hockey_stick(p, q, 1)
    return TotalVariation(stick.delta, stick.event)


def _ratio(value: RationalLike) -> mpq:
    ratio = rational(value, "ratio")
    if ratio < 0:
        raise ParameterError(f"ratio = {ratio} is negative; accepted: a rational of at least 0")
    return ratio


@frozen
class PrivacyProfile(Generic[T]):
    """delta as a function of r = e^epsilon: convex, decreasing and piecewise linear, with exact breakpoints.

    breakpoints: the distinct finite ratios P[x] / Q[x] in increasing order.
    pieces: one pair (P[S], Q[S]) more than breakpoints; on the i-th interval, from breakpoint i-1 (or 0) to breakpoint i
    (or infinity), delta(r) = P[S] - r * Q[S], where S holds the outputs with a ratio above the interval.
    """

    breakpoints: tuple[mpq, ...]
    pieces: tuple[tuple[mpq, mpq], ...]

    def delta(self, ratio: RationalLike) -> mpq:
        """Delta at a rational r = e^epsilon, r >= 0: equal to hockey_stick(...).delta."""
        r = _ratio(ratio)
        in_p, in_q = self.pieces[bisect_left(self.breakpoints, r)]
        return in_p - r * in_q

    def piece_at_epsilon(self, epsilon: RationalLike) -> tuple[mpq, mpq]:
        """(P[S], Q[S]) for the optimal event S at e^epsilon: delta is P[S] - e^epsilon * Q[S] exactly."""
        below = sum(1 for r in self.breakpoints if compare_exp(r, epsilon) < 0)
        return self.pieces[below]

    def delta_at_epsilon(self, epsilon: RationalLike, bits: int = 64) -> tuple[mpq, mpq]:
        """Rationals (low, high) around delta at e^epsilon; equal where delta is rational."""
        in_p, in_q = self.piece_at_epsilon(epsilon)
        low, high = exp_bounds(epsilon, bits)
        return max(in_p - high * in_q, mpq(0)), max(in_p - low * in_q, mpq(0))

    def holds(self, epsilon: RationalLike, delta: RationalLike) -> bool:
        """Whether P[S] <= e^epsilon Q[S] + delta for every event S, decided rigorously."""
        allowed = probability(delta, "delta")
        in_p, in_q = self.piece_at_epsilon(epsilon)
        if in_q == 0:
            return in_p <= allowed
        return compare_exp((in_p - allowed) / in_q, epsilon) <= 0

    def ratio_at(self, delta: RationalLike) -> mpq | None:
        """The least r = e^epsilon of at least 1 whose delta is at most the one given; None where no finite r does."""
        allowed = probability(delta, "delta")
        for i, (in_p, in_q) in enumerate(self.pieces):
            end = self.breakpoints[i] if i < len(self.breakpoints) else None
            if end is not None and in_p - end * in_q > allowed:
                continue
            if in_p <= allowed:
                return mpq(1)  # only on the first piece, where no event reaches the allowed delta
            return max((in_p - allowed) / in_q, mpq(1)) if in_q else None
        return None


def privacy_profile(p: Measure[T], q: Measure[T]) -> PrivacyProfile[T]:
    """The whole privacy profile of P against Q (one direction).

    Source: BV.Def2.1, read as a function of epsilon.
    Cost: a sort of the outputs by their ratio.
    """
    listed = [(weight, q.weight(x)) for x, weight in p.weights.items()]
    in_p: int = sum((w for w, v in listed if v == 0), mpz(0))
    in_q: int = mpz(0)
    ratios = sorted(((mpq(w * q.total, v * p.total), w, v) for w, v in listed if v), reverse=True)
    breakpoints, pieces = list[mpq](), [(mpq(in_p, p.total), mpq(0))]
    for ratio, group in groupby(ratios, key=lambda found: found[0]):
        for _, w, v in group:
            in_p, in_q = in_p + w, in_q + v
        breakpoints.append(ratio)
        pieces.append((mpq(in_p, p.total), mpq(in_q, q.total)))
    return PrivacyProfile(tuple(reversed(breakpoints)), tuple(reversed(pieces)))
