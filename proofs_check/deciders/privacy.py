"""The decider of privacy, for the ledger and for audits: each law at most r times those of its neighbours, plus delta.

A law may be known in part; its unresolved mass may belong to any output, or to any declared one, so a verdict is given only
where it is the same wherever that mass lies. Where it is not, but the claim is certain with a little more delta, that is a
verdict of its own, "holds with delta + u", which never stands for "holds"; otherwise the claim is "undecided". Where a claim
fails, u is told, too, if it is that small: "fails, by rounding only" in words.
"""

from collections.abc import Callable, Hashable, Iterable
from functools import reduce
from typing import Generic, Literal, TypeVar

from attrs import frozen
from gmpy2 import mpq

from finitedp.claim import PrivacyClaim
from finitedp.errors import ParameterError
from finitedp.proofs_check.deciders.factor import Factor
from finitedp.proofs_check.deciders.partial_law import declared_outputs, refuse_unlike_tails, unresolved_mass
from finitedp.spec.divergence import Measure, WorstRatio, max_ratio

D = TypeVar("D", bound=Hashable)
R = TypeVar("R", bound=Hashable)

Verdict = Literal["holds", "holds with delta + u", "fails", "undecided"]
Ratio = mpq | Literal["infinite"] | None

MORE = range(32, 1025)
"""The k for which u may be 2^-k. A larger u says so little that the claim is undecided; a smaller one is no other verdict."""


@frozen
class Witness(Generic[D, R]):
    """Two inputs, an event, and both probabilities, of the resolved mass.

    The event has the largest P[event] - r Q[event], where r is e^epsilon or the ratio; where no event has more than 0, it
    holds the outputs with the worst probability ratio.
    """

    left: D
    right: D
    event: tuple[R, ...]
    in_left: mpq
    in_right: mpq


@frozen
class PrivacyVerdict(Generic[D, R]):
    """Whether P[S] <= r Q[S] + delta for all pairs and events, where r is e^epsilon or the claim's ratio.

    verdict: "holds with delta + u" or "undecided" where that depends on where the unresolved mass lies.
    u: where the claim does not hold, the smallest 2^-k, k in MORE, for which P[S] <= r Q[S] + delta + u wherever that mass
    lies; else None. A claim that fails is told to fail by rounding only where there is one.
    witness: where P[S] - r Q[S] is largest. left, right: the inputs with the worst probability ratio of the resolved mass.
    unresolved: the largest unresolved mass of a law that was looked at. pairs: how many pairs were looked at.
    """

    claim: PrivacyClaim
    verdict: Verdict
    witness: Witness[D, R]
    left: D
    right: D
    unresolved: mpq
    pairs: int
    _worst: WorstRatio[R] | None
    u: mpq | None = None

    @property
    def worst(self) -> WorstRatio[R]:
        """The worst probability ratio of the resolved mass. Raises: ParameterError where nothing is resolved."""
        if self._worst is None:
            raise ParameterError("nothing of the laws is resolved: raise the budget")
        return self._worst

    @property
    def holds(self) -> bool:
        """Whether the claim holds for certain."""
        return self.verdict == "holds"

    @property
    def ratio(self) -> Ratio:
        """The worst probability ratio; None where mass is unresolved, so that it is not known."""
        return None if self.unresolved else "infinite" if self.worst.infinite else self.worst.value

    @property
    def tight(self) -> bool:
        """Whether the bound is attained: the rational factor, or with delta > 0 the delta. e^epsilon itself is irrational."""
        if self.unresolved:
            return False
        factor, in_right = Factor.of(self.claim).rational, self.witness.in_right
        if not self.claim.delta:
            return factor is not None and self.ratio == factor
        gap = self.witness.in_left - self.claim.delta
        return bool(gap == in_right * factor if factor is not None else gap == 0 == in_right)


def decide_privacy(law: Callable[[D], Measure[R]], pairs: Iterable[tuple[D, D]], claim: PrivacyClaim) -> PrivacyVerdict[D, R]:
    """Whether laws are as private as claimed, over the given pairs: the one decider of epsilon and of delta.

    For each pair the event {x : P[x] > r Q[x]} is the one that matters (BV.Def2.1); it is empty unless the pair's worst ratio
    is above r. Every comparison is rigorous, though e^epsilon is irrational.
    Parameters: law, of each input, complete or in part; pairs, both orders of each pair of neighbours (spec.neighbours gives
    them so). Raises: ParameterError for no pairs, and for tails that differ (partial_law.Tail).
    """
    known, factor = _Known(law), Factor.of(claim)
    witness: Witness[D, R] | None = None
    worst: _Place[D, R] | None = None
    number, fails, beyond = 0, False, list[tuple[mpq, mpq]]()
    for left, right in pairs:
        p, q = known(left), known(right)
        place = _Place(left, right, max_ratio(p, q) if p.weights else None)
        if worst is None or place.exceeds(worst):
            worst = place
        found = _above(factor, place, p, q)
        if found.event and (
            witness is None or factor.exceeded(found.in_left - witness.in_left, found.in_right - witness.in_right)
        ):
            witness = found
        fails = fails or factor.exceeded(found.in_left - claim.delta, found.in_right + unresolved_mass(q))
        in_left, in_right = _highest(factor, found, p, q)
        if factor.exceeded(in_left - claim.delta, in_right):
            beyond.append((in_left - claim.delta, in_right))
        number += 1
    if worst is None:
        raise ParameterError("there are no neighbouring pairs of inputs to check")
    refuse_unlike_tails(known.laws.values())
    u = _more(factor, beyond) if beyond else None
    return PrivacyVerdict(
        claim=claim,
        verdict="fails" if fails else "holds" if not beyond else "undecided" if u is None else "holds with delta + u",
        witness=witness or _attaining(worst, known(worst.left), known(worst.right)),
        left=worst.left,
        right=worst.right,
        unresolved=max(unresolved_mass(found) for found in known.laws.values()),
        pairs=number,
        worst=worst.ratio,
        u=u,
    )


def _more(factor: Factor, beyond: Iterable[tuple[mpq, mpq]]) -> mpq | None:
    """The smallest 2^-k, k in MORE, that no p - r q exceeds; None where there is none."""
    most = MORE[-1]
    for p, q in beyond:
        enough = MORE[0]
        if factor.exceeded(p - mpq(1, 1 << enough), q):
            return None
        while enough < most:  # 2^-enough is, 2^-(most + 1) is not
            k = (enough + most + 1) // 2
            if factor.exceeded(p - mpq(1, 1 << k), q):
                most = k - 1
            else:
                enough = k
    return mpq(1, 1 << most)


class _Known(Generic[D, R]):
    """A law by input, derived once."""

    def __init__(self, law: Callable[[D], Measure[R]]) -> None:
        self._law = law
        self.laws: dict[D, Measure[R]] = {}

    def __call__(self, data: D) -> Measure[R]:
        if data not in self.laws:
            self.laws[data] = self._law(data)
        return self.laws[data]


@frozen
class _Place(Generic[D, R]):
    """A pair, and its worst ratio; None where nothing is resolved."""

    left: D
    right: D
    ratio: WorstRatio[R] | None

    def exceeds(self, other: "_Place[D, R]") -> bool:
        return self.ratio is not None and (other.ratio is None or self.ratio.exceeds(other.ratio))


def _above(factor: Factor, place: _Place[D, R], p: Measure[R], q: Measure[R]) -> Witness[D, R]:
    """The outputs whose ratio is above the factor: none, unless the worst one is."""
    if place.ratio is None or not factor.exceeded(place.ratio.p, place.ratio.q):
        return _witness(place, (), p, q)
    event = (x for x, w in p.weights.items() if factor.exceeded(w * q.total, q.weight(x) * p.total))
    return _witness(place, tuple(event), p, q)


def _highest(factor: Factor, found: Witness[D, R], p: Measure[R], q: Measure[R]) -> tuple[mpq, mpq]:
    """P[S] and Q[S] where P[S] - r Q[S] is largest, over all events S and wherever the unresolved mass lies.

    That of P is then in S and that of Q is not. Where outputs are declared, S holds one of them, and another one is left out.
    """
    rest, outputs = unresolved_mass(p), declared_outputs(p, q)
    if not outputs or not rest + unresolved_mass(q):
        return found.in_left + rest, found.in_right
    at = {x: (mpq(p.weight(x), p.total), mpq(q.weight(x), q.total)) for x in outputs}

    def higher(x: R, y: R) -> R:
        return y if factor.exceeded(at[y][0] - at[x][0], at[y][1] - at[x][1]) else x

    event = set(found.event) or {reduce(higher, outputs)}
    if len(event) == len(outputs):
        event.remove(reduce(lambda x, y: y if higher(x, y) == x else x, outputs))
    return sum((at[x][0] for x in event), rest), sum((at[x][1] for x in event), mpq(0))


def _attaining(place: _Place[D, R], p: Measure[R], q: Measure[R]) -> Witness[D, R]:
    """The outputs with the worst ratio, where that is finite."""
    if place.ratio is None:
        return _witness(place, (), p, q)
    top, bottom = place.ratio.p * p.total, place.ratio.q * q.total
    return _witness(place, tuple(x for x, w in p.weights.items() if w * bottom == top * q.weight(x)), p, q)


def _witness(place: _Place[D, R], event: tuple[R, ...], p: Measure[R], q: Measure[R]) -> Witness[D, R]:
    in_left, in_right = (mpq(sum(law.weight(x) for x in event), law.total) for law in (p, q))
    return Witness(place.left, place.right, event, in_left, in_right)
