"""An upper bound on how much two neighbouring inputs may differ: each region of one is shifted into one of the other.

Theorem A: with an injective choice of targets the divergence at e^eps is at most the sum of p - e^(eps - cost) p' where that
is above 0, for the probabilities p, p' of the discrete draws, plus p of regions without a target.

Theorem B: if the shift of each normal draw is a function of the answers before it, then D, and what D' has beside it, are
dominated by a Gaussian pair with mu^2 the largest sum of squared shifts, composed with the largest cost of the other draws and
the largest p/p' (each the largest by itself: the three may be attained on different paths).
"""

from collections.abc import Mapping, Sequence
from math import log
from typing import Any

from attrs import frozen
from flint import arb, ctx
from gmpy2 import mpq

from finitedp.claim import PrivacyClaim
from finitedp.exact import compare_exp, to_arb
from finitedp.proofs_check.audit.pipelines.regions import Region
from finitedp.proofs_check.audit.pipelines.shifts import Shift, shift_of

PRECISION = 256
MOST_CANDIDATES = 20_000
"""Pairs of regions of two inputs that are tried."""


@frozen
class Match:
    """A region of D, the one of D' that it is carried into, and how; None and None where it is carried into none."""

    source: Region
    target: Region | None
    shift: Shift | None

    @property
    def ratio(self) -> mpq:
        """p / p'."""
        return self.source.weight / self.target.weight if self.target is not None else mpq(0)


@frozen
class Bound:
    """What the matches of two inputs show.

    normal: whether normal draws are shifted; ratio, cost, squares: the largest of each; open: the probability of the discrete
    draws of regions without a target.
    """

    left: Any
    right: Any
    matches: tuple[Match, ...]
    ratio: mpq
    cost: mpq
    squares: mpq
    open: mpq

    def holds(self, claim: PrivacyClaim) -> bool:
        """Whether the claim follows."""
        if claim.delta == 0:
            return (
                not self.open
                and not self.squares
                and all(within(claim, m.ratio, m.shift.cost) for m in self.matches if m.shift)
            )
        with ctx.workprec(PRECISION):
            return bool(self.delta(claim) <= to_arb(claim.delta))

    def delta(self, claim: PrivacyClaim) -> arb:
        """A ball around a delta for which the claim's epsilon follows."""
        factor = _factor(claim)
        if self.squares:
            left = factor.log() - to_arb(self.ratio).log() - to_arb(self.cost)
            return gaussian_delta(self.squares, left) + to_arb(self.open)
        total = to_arb(self.open)
        for match in self.matches:
            if match.shift is not None and match.target is not None and not within(claim, match.ratio, match.shift.cost):
                fit = factor * (-to_arb(match.shift.cost)).exp() * to_arb(match.target.weight)
                total += to_arb(match.source.weight) - fit
        return total

    @property
    def epsilon(self) -> tuple[mpq, mpq]:
        """(ratio, cost) of the match with the largest ratio * e^cost: an epsilon for which it holds, where nothing is open."""
        found = [(m.ratio, m.shift.cost) for m in self.matches if m.shift is not None]
        return max(found, key=lambda one: about(one[1]) + log(about(one[0])), default=(mpq(1), mpq(0)))


def about(number: mpq) -> float:
    """The nearest float, for an order or a reader."""
    return int(number.numerator) / int(number.denominator)


def within(claim: PrivacyClaim, ratio: mpq, cost: mpq) -> bool:
    """Whether ratio * e^cost is at most what is claimed."""
    if claim.ratio is None:
        return compare_exp(ratio, claim.epsilon - cost) <= 0
    return compare_exp(claim.ratio / ratio, cost) >= 0


def _factor(claim: PrivacyClaim) -> arb:
    return to_arb(claim.epsilon).exp() if claim.ratio is None else to_arb(claim.ratio)


def gaussian_delta(squares: mpq, epsilon: arb) -> arb:
    """delta(epsilon) of a Gaussian pair at the distance mu, mu^2 = squares, in balls; 1 for an epsilon that is negative."""
    if not epsilon >= 0:
        return arb(1)
    mu = to_arb(squares).sqrt()

    def below(z: arb) -> arb:
        return (-z / arb(2).sqrt()).erfc() / 2

    return below(mu / 2 - epsilon / mu) - epsilon.exp() * below(-mu / 2 - epsilon / mu)


def bound_of(left: Any, right: Any, sources: Sequence[Region], targets: Sequence[Region]) -> Bound:  # noqa: ANN401  # inputs
    """The bound on D = left against D' = right that the cheapest shifts show."""
    chosen = _matched(sources, targets)
    normal = any(draw.kind == "normal" for region in sources for draw in region.draws.values())
    if normal and not _adaptive(sources, chosen):
        chosen = {}
    matches = [
        Match(source, None, None) if i not in chosen else Match(source, targets[chosen[i][0]], chosen[i][1])
        for i, source in enumerate(sources)
    ]
    moved = [match.shift for match in matches if match.shift is not None]
    return Bound(
        left,
        right,
        tuple(matches),
        max((match.ratio for match in matches), default=mpq(0)),
        max((shift.cost for shift in moved), default=mpq(0)),
        max((shift.squares for shift in moved), default=mpq(0)),
        sum((match.source.weight for match in matches if match.target is None), mpq(0)),
    )


def _matched(sources: Sequence[Region], targets: Sequence[Region]) -> Mapping[int, tuple[int, Shift]]:
    """A target for each source, at most one source for each target: such that the largest loss is small."""
    by_output = dict[Any, list[int]]()
    for j, target in enumerate(targets):
        by_output.setdefault(_kind(target), []).append(j)
    edges = list[tuple[float, int, int, Shift]]()
    tried = 0
    for i, source in enumerate(sources):
        for j in by_output.get(_kind(source), ()):
            tried += 1
            shift = shift_of(source, targets[j]) if tried <= MOST_CANDIDATES else None
            if shift is not None:
                loss = log(about(source.weight / targets[j].weight)) + about(shift.cost + shift.squares)
                edges.append((loss, i, j, shift))
    shifts = dict[tuple[int, int], Shift]()
    taken = dict[int, int]()  # the source of each target
    for _, i, j, shift in sorted(edges, key=lambda edge: edge[:3]):
        shifts[i, j] = shift
        if i not in taken.values():
            _augment(i, shifts, taken, set())
        elif j not in taken:
            for waiting in {k for k, _ in shifts} - set(taken.values()):
                _augment(waiting, shifts, taken, set())
    return {i: (j, shifts[i, j]) for j, i in taken.items()}


def _augment(i: int, shifts: Mapping[tuple[int, int], Shift], taken: dict[int, int], seen: set[int]) -> bool:
    for source, j in shifts:
        if source == i and j not in seen:
            seen.add(j)
            if j not in taken or _augment(taken[j], shifts, taken, seen):
                taken[j] = i
                return True
    return False


def _kind(region: Region) -> Any:  # noqa: ANN401  # something to compare
    return region.shape, tuple(form.items for form in region.forms)


def _adaptive(sources: Sequence[Region], chosen: Mapping[int, tuple[int, Shift]]) -> bool:
    """Whether the shift of each normal draw is a function of the answers before it, on all paths."""
    found = dict[tuple[int, tuple[bool, ...]], mpq]()
    for i, (_, shift) in chosen.items():
        for path in sources[i].paths:
            for k, draw in enumerate(path.draws):
                if draw.kind == "normal":
                    by = shift.by.get(k, mpq(0))
                    if found.setdefault((k, path.answers[: draw.forks]), by) != by:
                        return False
    return True
