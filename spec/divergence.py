"""Exact divergences between two finite laws, each with the output or event that attains it."""

from bisect import bisect_left
from collections.abc import Hashable, Iterable, Sequence
from itertools import groupby
from typing import Generic, TypeVar

from attrs import frozen
from gmpy2 import mpq, mpz

from finitedp.errors import ParameterError
from finitedp.exact import RationalLike, compare_exp, exp_bounds, probability, rational
from finitedp.spec.pmf import Pmf

__all__ = [
    "HockeyStick",
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


def max_ratio(p: Pmf[T], q: Pmf[T]) -> WorstRatio[T]:
    """Max over x of P[x] / Q[x], with the output that attains it.

    Source: BV.Def2.1 with delta = 0, where it is enough to look at single outputs.
    Cost: one multiplication for each output of P.
    """
    best = next(iter(p))
    best_p: int = mpz(0)
    best_q: int = mpz(1)
    for outcome, weight in p.weights.items():
        other = q.weight(outcome)
        if other == 0:
            return WorstRatio(outcome, p[outcome], mpq(0))
        if weight * best_q > best_p * other:
            best, best_p, best_q = outcome, weight, other
    return WorstRatio(best, p[best], q[best])


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


def hockey_stick(p: Pmf[T], q: Pmf[T], ratio: RationalLike) -> HockeyStick[T]:
    """Max over events S of P[S] - ratio * Q[S], with the event {x : P[x] > ratio * Q[x]}.

    Source: BV.Def2.1: P and Q are (ln ratio, delta)-indistinguishable in this direction exactly when the value is <= delta.
    Parameters: ratio >= 0, a rational (e^epsilon; for an irrational one see PrivacyProfile). Raises: ParameterError.
    """
    r = _ratio(ratio)
    scale_p, scale_q = q.total * r.denominator, p.total * r.numerator
    event = frozenset(x for x, w in p.weights.items() if w * scale_p > q.weight(x) * scale_q)
    return HockeyStick(r, p.probability(event) - r * q.probability(event), event)


def total_variation(p: Pmf[T], q: Pmf[T]) -> TotalVariation[T]:
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


def privacy_profile(p: Pmf[T], q: Pmf[T]) -> PrivacyProfile[T]:
    """The whole privacy profile of P against Q (one direction).

    Source: BV.Def2.1, read as a function of epsilon.
    Cost: a sort of the outputs by their ratio.
    """
    never_in_q = [x for x in p if q.weight(x) == 0]
    ratios = sorted(((p[x] / q[x], x) for x in p if q.weight(x) != 0), key=lambda pair: pair[0], reverse=True)
    in_p, in_q = p.probability(never_in_q), mpq(0)
    breakpoints, pieces = list[mpq](), [(in_p, in_q)]
    for ratio, group in groupby(ratios, key=lambda pair: pair[0]):
        gained_p, gained_q = _mass(p, q, (x for _, x in group))
        in_p, in_q = in_p + gained_p, in_q + gained_q
        breakpoints.append(ratio)
        pieces.append((in_p, in_q))
    return PrivacyProfile(tuple(reversed(breakpoints)), tuple(reversed(pieces)))


def _mass(p: Pmf[T], q: Pmf[T], outcomes: Iterable[T]) -> tuple[mpq, mpq]:
    listed = list(outcomes)
    return p.probability(listed), q.probability(listed)
