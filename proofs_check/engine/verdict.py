"""Exact verdicts, each with a witness: private as claimed, law as specified, accurate as claimed.

They stand apart and are never merged: a wrong law is often still private, and a private mechanism may be useless.
"""

from collections.abc import Callable, Hashable, Iterable
from typing import Generic, TypeVar

from attrs import frozen
from gmpy2 import mpq

from finitedp.claim import PrivacyClaim
from finitedp.exact import compare_exp
from finitedp.spec.divergence import WorstRatio, max_ratio, privacy_profile, total_variation
from finitedp.spec.pmf import Pmf

__all__ = ["AccuracyVerdict", "DeltaVerdict", "LawVerdict", "PrivacyVerdict", "check_accuracy", "check_delta", "check_law"]
__all__ += ["check_privacy"]

D = TypeVar("D", bound=Hashable)
R = TypeVar("R", bound=Hashable)


@frozen
class PrivacyVerdict(Generic[D, R]):
    """Whether the worst probability ratio over all pairs is within a claim of pure differential privacy.

    holds: the ratio is at most e^epsilon, and at most the claim's rational ratio where it has one.
    tight: the worst ratio equals the claim's rational ratio (False where it has none: e^epsilon itself is irrational).
    worst, left, right: the witness: the output with the worst ratio, and the inputs whose laws attain it.
    pairs: how many pairs were looked at.
    """

    holds: bool
    tight: bool
    worst: WorstRatio[R]
    left: D
    right: D
    pairs: int


@frozen
class DeltaVerdict(Generic[D, R]):
    """Whether P[S] <= e^epsilon Q[S] + delta for all pairs and events.

    in_left, in_right: the probabilities of the event where in_left - e^epsilon * in_right is largest; event: that event.
    """

    holds: bool
    in_left: mpq
    in_right: mpq
    event: frozenset[R]
    left: D
    right: D
    pairs: int


@frozen
class AccuracyVerdict(Generic[D]):
    """Whether the probability of an error above a is at most beta for all inputs; miss is the largest one, at `where`."""

    holds: bool
    miss: mpq
    where: D
    inputs: int


@frozen
class LawVerdict(Generic[R]):
    """Whether two laws are equal as laws. Where they are not: their statistical distance and an output that differs."""

    holds: bool
    distance: mpq
    outcome: R | None
    found: mpq
    expected: mpq


def _cached(law: Callable[[D], Pmf[R]]) -> Callable[[D], Pmf[R]]:
    known: dict[D, Pmf[R]] = {}

    def look_up(data: D) -> Pmf[R]:
        if data not in known:
            known[data] = law(data)
        return known[data]

    return look_up


def check_privacy(law: Callable[[D], Pmf[R]], pairs: Iterable[tuple[D, D]], claim: PrivacyClaim) -> PrivacyVerdict[D, R]:
    """The worst ratio of law(D) to law(D') over the given pairs, against a claim with delta = 0.

    Source: BV.Def2.1. Parameters: pairs must hold both orders of each pair (spec.neighbours gives them so).
    Raises: ValueError for no pairs or a claim with delta > 0 (see check_delta).
    """
    if claim.delta:
        raise ValueError("check_privacy is for claims with delta = 0; use check_delta")
    known, seen = _cached(law), 0
    worst: tuple[WorstRatio[R], D, D] | None = None
    for left, right in pairs:
        seen += 1
        ratio = max_ratio(known(left), known(right))
        if worst is None or ratio.exceeds(worst[0]):
            worst = ratio, left, right
    if worst is None:
        raise ValueError("there are no neighbouring pairs to check")
    ratio, left, right = worst
    too_large = ratio.exceeds_exp(claim.epsilon) or (claim.ratio is not None and ratio.exceeds_ratio(claim.ratio))
    tight = claim.ratio is not None and not ratio.infinite and ratio.value == claim.ratio
    return PrivacyVerdict(not too_large, tight, ratio, left, right, seen)


def check_delta(law: Callable[[D], Pmf[R]], pairs: Iterable[tuple[D, D]], claim: PrivacyClaim) -> DeltaVerdict[D, R]:
    """The largest hockey-stick divergence at e^epsilon over the given pairs, against a claim with any delta.

    Source: BV.Def2.1. Every comparison is rigorous, though e^epsilon is irrational.
    Raises: ValueError for no pairs.
    """
    known, seen = _cached(law), 0
    worst: tuple[mpq, mpq, D, D] | None = None
    for left, right in pairs:
        seen += 1
        in_p, in_q = privacy_profile(known(left), known(right)).piece_at_epsilon(claim.epsilon)
        if worst is None or _larger(in_p - worst[0], in_q - worst[1], claim.epsilon):
            worst = in_p, in_q, left, right
    if worst is None:
        raise ValueError("there are no neighbouring pairs to check")
    in_p, in_q, left, right = worst
    p, q = known(left), known(right)
    event = frozenset(x for x in p if q.weight(x) == 0 or compare_exp(p[x] / q[x], claim.epsilon) > 0)
    return DeltaVerdict(not _larger(in_p - claim.delta, in_q, claim.epsilon), in_p, in_q, event, left, right, seen)


def _larger(in_p: mpq, in_q: mpq, epsilon: mpq) -> bool:
    """Whether in_p - e^epsilon * in_q > 0."""
    if in_q == 0:
        return in_p > 0
    return compare_exp(in_p / in_q, epsilon) * (1 if in_q > 0 else -1) > 0


def check_accuracy(misses: Iterable[tuple[D, mpq]], beta: mpq) -> AccuracyVerdict[D]:
    """Whether each probability of missing is at most beta. Parameters: misses, pairs (input, exact probability)."""
    listed = list(misses)
    where, miss = max(listed, key=lambda pair: pair[1])
    return AccuracyVerdict(miss <= beta, miss, where, len(listed))


def check_law(found: Pmf[R], expected: Pmf[R]) -> LawVerdict[R]:
    """Whether two laws are equal: same outcomes, same rational probabilities."""
    if found == expected:
        return LawVerdict(True, mpq(0), None, mpq(0), mpq(0))
    variation = total_variation(found, expected)
    outcome = max(variation.event, key=lambda x: found[x] - expected[x])
    return LawVerdict(False, variation.distance, outcome, found[outcome], expected[outcome])
