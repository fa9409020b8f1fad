"""Events that break a claim, whose probabilities are exact (Theorem E).

An event is an output's discrete part with conditions on its numbers. Where a region of D has its numbers in an affine space in
which no region of D' has them with positive probability, that space is an event of probability 0 at D'.
"""

from collections.abc import Iterator, Sequence
from itertools import chain
from math import exp, inf, log
from typing import Any

from attrs import frozen
from flint import ctx
from gmpy2 import mpq

from finitedp.claim import PrivacyClaim
from finitedp.exact import sign_of_exponentials, to_arb
from finitedp.proofs_check.audit.pipelines.bounds import PRECISION, Bound, about, gaussian_delta
from finitedp.proofs_check.audit.pipelines.regions import Region
from finitedp.proofs_check.engine.noise.rows import Form, Row
from finitedp.proofs_check.pipeline_certificate import Sum, lies_in, probability

TAILS = (0, 1, 4, 16, 64, 256, 1024)
"""Scales beyond the center of a number at which an event may begin."""
MOST_EVENTS = 400
ZERO, ONE = mpq(0), mpq(1)


@frozen
class Condition:
    """That the number of this place in the output is above (sign = 1) or below (-1) a bound."""

    place: int
    sign: int
    bound: mpq

    def row(self, form: Form) -> Row | None:
        """As a row on the draws of the number; None where it is a constant."""
        held = Form(form.items, form.constant - self.bound).scaled(mpq(self.sign))
        return Row.of(held) if held.items else None


@frozen
class Witness:
    """What breaks the claim at two inputs.

    kind: "space" (the numbers lie in an affine space that D' never meets, or the output is impossible there), "event" (of the
    conditions, with exact probabilities), "curve" (the Gaussian pair itself, at mu^2 = squares). in_left, in_right: exact
    sums. loss: about ln(P / P'), for a reader; delta: about P - e^epsilon P'.
    """

    kind: str
    left: Any
    right: Any
    shape: Any
    conditions: tuple[Condition, ...]
    in_left: Sum | None
    in_right: Sum
    squares: mpq
    loss: float
    delta: float
    bound: Bound
    forms: tuple[Form, ...] | None = None


def witness_of(bound: Bound, sources: Sequence[Region], targets: Sequence[Region], claim: PrivacyClaim) -> Witness | None:
    """The worst event that is found. Values of functions that jump have no such density, so that with them nothing is."""
    if not all(draw.is_drawn for region in (*sources, *targets) for draw in region.draws.values()):
        return None
    found = [*_spaces(bound, sources, targets, claim), *_curve(bound, sources, targets, claim)]
    if not found:
        found = list(_events(bound, sources, targets, claim))
    return max(found, key=lambda one: (one.loss, one.delta), default=None)


def value(total: Sum) -> float:
    """About a sum, for a reader."""
    return float(sum((about(c) * exp(about(x)) for x, c in total.items()), 0.0))


def _spaces(bound: Bound, sources: Sequence[Region], targets: Sequence[Region], claim: PrivacyClaim) -> Iterator[Witness]:
    for source in sources:
        if any(lies_in(source.forms, target.forms) for target in targets if target.shape == source.shape):
            continue
        rows = probability({k: draw.kind for k, draw in source.draws.items()}, source.rows)
        mass = None if rows is None else {x: c * source.weight for x, c in rows.items()}
        if claim.delta == 0 or (mass is not None and sign_of_exponentials([(claim.delta * -1, mpq(0)), *_terms(mass)]) > 0):
            seen = 0.0 if mass is None else value(mass)
            pair = bound.left, bound.right
            yield Witness("space", *pair, source.shape, (), mass, {}, mpq(0), inf, seen, bound, source.forms)
            return


def _curve(bound: Bound, sources: Sequence[Region], targets: Sequence[Region], claim: PrivacyClaim) -> Iterator[Witness]:
    """Where there are no comparisons, and each normal draw that is shifted is in the output, the curve is attained."""
    if len(sources) != 1 or len(targets) != 1 or bound.open or bound.cost or not bound.squares or sources[0].rows:
        return
    alone = {form.items[0][0] for form in sources[0].forms if len(form.items) == 1}
    shift = bound.matches[0].shift
    if shift is None or not {k for k, moved in shift.by.items() if moved} <= alone:
        return
    with ctx.workprec(PRECISION):
        factor = to_arb(claim.epsilon) if claim.ratio is None else to_arb(claim.ratio).log()
        delta = gaussian_delta(bound.squares, factor)
        if delta > to_arb(claim.delta):
            loss = inf if claim.delta == 0 else float(factor)
            shape = sources[0].shape
            yield Witness(
                "curve", bound.left, bound.right, shape, (), None, {}, bound.squares, loss, float(delta.mid()), bound
            )


def _events(bound: Bound, sources: Sequence[Region], targets: Sequence[Region], claim: PrivacyClaim) -> Iterator[Witness]:
    for shape in dict.fromkeys(region.shape for region in sources):
        lefts, rights = ([one for one in side if one.shape == shape] for side in (sources, targets))
        for conditions in _conditions(lefts, rights):
            in_left, in_right = _mass(lefts, conditions), _mass(rights, conditions)
            if in_left is None or in_right is None:
                return
            if _breaks(claim, in_left, in_right):
                p, q = value(in_left), value(in_right)
                loss = inf if not in_right else log(p / q) if p > 0 < q else 0.0
                gap = p - exp(about(claim.epsilon)) * q
                yield Witness("event", bound.left, bound.right, shape, conditions, in_left, in_right, mpq(0), loss, gap, bound)


def _conditions(lefts: Sequence[Region], rights: Sequence[Region]) -> Iterator[tuple[Condition, ...]]:
    """Events of one output: all of it; each number beyond where it is centered; one number in its tails."""
    yield ()
    count = len(lefts[0].forms)
    for left in lefts if count else ():
        for right in rights:
            moved = [(i, a.constant - b.constant) for i, (a, b) in enumerate(zip(left.forms, right.forms, strict=True))]
            yield tuple(Condition(i, 1 if by > 0 else -1, left.forms[i].constant) for i, by in moved if by)
    made = 0
    for i in range(count):
        centers = {form.constant for region in (*lefts, *rights) for form in (region.forms[i],)}
        width = max(chain((abs(v) for region in (*lefts, *rights) for _, v in region.forms[i].items), [mpq(0)]))
        for center in sorted(centers):
            for away in TAILS if made < MOST_EVENTS else ():
                for sign in (1, -1):
                    made += 1
                    yield (Condition(i, sign, center + sign * away * width),)


def _mass(found: Sequence[Region], conditions: Sequence[Condition]) -> Sum | None:
    total = dict[mpq, mpq]()
    for region in found:
        rows = list(region.rows)
        possible = True
        for condition in conditions:
            row = condition.row(region.forms[condition.place])
            if row is None:
                possible = possible and condition.sign * (region.forms[condition.place].constant - condition.bound) > 0
            else:
                rows.append(row)
        if possible:
            part = probability({k: draw.kind for k, draw in region.draws.items()}, rows)
            if part is None:
                return None
            for x, c in part.items():
                total[x] = total.get(x, mpq(0)) + c * region.weight
    return {x: c for x, c in total.items() if c}


def _terms(total: Sum, factor: mpq = ONE, exponent: mpq = ZERO) -> list[tuple[mpq, mpq]]:
    return [(factor * c, x + exponent) for x, c in total.items()]


def _breaks(claim: PrivacyClaim, in_left: Sum, in_right: Sum) -> bool:
    """Whether P > e^epsilon P' + delta, exactly."""
    factor, exponent = (mpq(1), claim.epsilon) if claim.ratio is None else (claim.ratio, mpq(0))
    terms = [*_terms(in_left), *_terms(in_right, -factor, exponent), (-claim.delta, mpq(0))]
    return sign_of_exponentials(terms) > 0
