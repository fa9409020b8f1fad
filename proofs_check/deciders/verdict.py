"""Exact verdicts, each with a witness: private as claimed, law as specified, accurate as claimed.

They stand apart and are never merged: a wrong law is often still private, and a private mechanism may be useless. The
ledger asks about complete laws (check_...), audits about laws that may be known in part; the same functions decide.
"""

from collections.abc import Callable, Hashable, Iterable
from typing import Generic, Literal, TypeVar

from attrs import field, frozen
from gmpy2 import mpq

from finitedp.claim import PrivacyClaim
from finitedp.errors import ParameterError
from finitedp.proofs_check.deciders.factor import Factor
from finitedp.proofs_check.deciders.partial_law import refuse_unlike_tails, unresolved_mass
from finitedp.proofs_check.deciders.privacy import PrivacyVerdict, Verdict, decide_privacy
from finitedp.spec.divergence import Measure, total_variation
from finitedp.spec.pmf import Pmf

D = TypeVar("D", bound=Hashable)
R = TypeVar("R", bound=Hashable)


# Privacy


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


def check_privacy(law: Callable[[D], Pmf[R]], pairs: Iterable[tuple[D, D]], claim: PrivacyClaim) -> PrivacyVerdict[D, R]:
    """decide_privacy for a claim with delta = 0, whose load is the worst ratio.

    Source: BV.Def2.1. Raises: ParameterError for no pairs or a claim with delta > 0 (see check_delta).
    """
    if claim.delta:
        raise ParameterError("check_privacy is for claims with delta = 0; use check_delta")
    return decide_privacy(law, pairs, claim)


def check_delta(law: Callable[[D], Pmf[R]], pairs: Iterable[tuple[D, D]], claim: PrivacyClaim) -> DeltaVerdict[D, R]:
    """decide_privacy, with the largest hockey-stick divergence at the claim's factor and the event that attains it.

    Source: BV.Def2.1. Raises: ParameterError for no pairs.
    """
    found = decide_privacy(law, pairs, claim)
    most = found.witness
    above = Factor.of(claim).exceeded(most.in_left, most.in_right)  # where it is not, the empty event has the most
    return DeltaVerdict(
        holds=found.holds,
        in_left=most.in_left if above else mpq(0),
        in_right=most.in_right if above else mpq(0),
        event=frozenset(most.event if above else ()),
        left=most.left,
        right=most.right,
        pairs=found.pairs,
    )


# Laws


@frozen
class LawVerdict(Generic[R]):
    """Whether two laws are equal as laws. Where they are not: their statistical distance and an output that differs.

    verdict: "undecided" where what is resolved agrees; holds: whether it is "equal". The distance, and the probability that
    was found, are those of the resolved mass.
    """

    verdict: Literal["equal", "differs", "undecided"]
    distance: mpq
    outcome: R | None
    found: mpq
    expected: mpq

    @property
    def holds(self) -> bool:
        """Whether the laws are equal for certain."""
        return self.verdict == "equal"


def decide_law(found: Measure[R], expected: Measure[R]) -> LawVerdict[R]:
    """Whether a law, complete or in part, is the expected one: same outcomes, same rational probabilities.

    Two complete laws are equal exactly where no output has more mass under the first; of a law that is known in part, one
    that has more than it should is enough to differ.
    """
    refuse_unlike_tails((found, expected))
    alike = found.total == expected.total and found.weights == expected.weights  # most often so, and seen at a glance
    excess = None if alike else total_variation(found, expected)
    if excess is None or not excess.event:
        return LawVerdict("undecided" if unresolved_mass(found) else "equal", mpq(0), None, mpq(0), mpq(0))
    gap, outcome = max(
        ((mpq(found.weight(x), found.total) - mpq(expected.weight(x), expected.total), x) for x in excess.event),
        key=lambda pair: pair[0],
    )
    allowed = mpq(expected.weight(outcome), expected.total)
    return LawVerdict("differs", excess.distance, outcome, allowed + gap, allowed)


def check_law(found: Pmf[R], expected: Pmf[R]) -> LawVerdict[R]:
    """decide_law of two complete laws."""
    return decide_law(found, expected)


# Accuracy


@frozen
class Miss(Generic[D]):
    """How often an error bound fails at an input; coordinate: of a per-query claim, else None.

    probability: what is certain of it, of which `unresolved`, what may be more, is missing.
    """

    input: D
    probability: mpq
    coordinate: int | None = None
    unresolved: mpq = field(default=mpq(0), repr=False)


@frozen
class AccuracyVerdict(Generic[D]):
    """Whether the probability of an error above a is at most beta for all inputs, and where it is largest."""

    verdict: Verdict
    largest: Miss[D]
    inputs: int

    @property
    def holds(self) -> bool:
        """Whether the claim holds for certain."""
        return self.verdict == "holds"

    @property
    def miss(self) -> mpq:
        """The largest probability of an error above a."""
        return self.largest.probability

    @property
    def where(self) -> D:
        """The input with the largest one."""
        return self.largest.input


def decide_accuracy(misses: Iterable[Miss[D]], beta: mpq) -> AccuracyVerdict[D]:
    """Whether each probability of missing is at most beta, wherever the unresolved mass lies.

    Raises: ParameterError for no input.
    """
    listed = list(misses)
    if not listed:
        raise ParameterError("there is nothing to be accurate about: no input, or no coordinate of the true value")
    fails = any(miss.probability > beta for miss in listed)
    holds = all(miss.probability + miss.unresolved <= beta for miss in listed)
    largest = max(listed, key=lambda miss: miss.probability)
    return AccuracyVerdict("fails" if fails else "holds" if holds else "undecided", largest, len(listed))


def check_accuracy(misses: Iterable[tuple[D, mpq]], beta: mpq) -> AccuracyVerdict[D]:
    """decide_accuracy of pairs (input, exact probability of missing)."""
    return decide_accuracy((Miss(data, probability) for data, probability in misses), beta)
