"""Our own claim about budgets of slots: tight composition, where the later releases are chosen by the earlier."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from gmpy2 import mpq

from finitedp.budgets.budget import Budget
from finitedp.budgets.terms import Charge, Slots
from finitedp.claim import PrivacyClaim
from finitedp.curve import Curve, Pair, pair_of_claim
from finitedp.errors import PrivacyBudgetError
from finitedp.proofs_check.checks.adaptive import largest_delta
from finitedp.proofs_check.ledger.entry import Finding, OutOfScopeError, cases, is_taken
from finitedp.proofs_check.ledger.findings import at_most, own
from finitedp.spec.accounting import composed_delta, of_weights


class Release(NamedTuple):
    """A release whose pair has the losses k ln r, (k - 2) ln r, ..., -k ln r, in k + 1 atoms, and delta at infinity.

    k = 1: randomized response, the worst of a claim.
    """

    r: mpq
    k: int
    delta: mpq

    def check_scope(self) -> None:
        if self.r < 1 or not 1 <= self.k <= 4 or not 0 <= self.delta <= 1 or self.r.denominator > 10**6:
            raise OutOfScopeError("a ratio of at least 1, some steps, and a delta in 0..1")

    @property
    def pair(self) -> Pair:
        """Its atoms, over one total."""
        a, b, k, rest = self.r.numerator, self.r.denominator, self.k, self.delta.denominator - self.delta.numerator
        weights = [a ** (k - i) * b**i for i in range(k + 1)]
        lost = int(sum(weights) * self.delta.numerator)
        inside = [(int(p * rest), int(q * rest)) for p, q in zip(weights, reversed(weights), strict=True)]
        return Pair([(lost, 0), *inside, (0, lost)])

    @property
    def claim(self) -> PrivacyClaim:
        return PrivacyClaim(10 * self.k, "replace-one", self.delta, told=(self, None))

    def curve_of(self, _claim: PrivacyClaim, _coins: None) -> Curve:
        return Curve([self.pair], "replace-one")


class Declared(NamedTuple):
    """Slots, the releases of which an adversary may choose, how often, and the ratio that is asked of all together."""

    slots: tuple[Release, ...]
    menu: tuple[Release, ...]
    times: int
    gamma: mpq

    def check_scope(self) -> None:
        for one in (*self.slots, *self.menu):
            one.check_scope()
        if not self.slots or not self.menu or self.times < 1 or self.gamma < 0 or self.gamma.denominator > 10**6:
            raise OutOfScopeError("slots, releases and a ratio of at least 0")

    @property
    def composed(self) -> mpq:
        """The delta of all slots together at gamma, by enumeration."""
        return composed_delta([of_weights(one.pair.atoms, one.pair.total) for one in self.slots], self.gamma)


MadeOfSlots = Callable[[Declared], Slots]


def _fits(make: MadeOfSlots, case: Declared, chosen: Sequence[Release]) -> bool:
    """Whether the budget lets the last of the releases run, after the others have run."""
    budget = Budget(slots=[case.slots[0].claim])
    budget._terms = make(case)
    return is_taken(lambda: [budget.charge(release.claim) for release in chosen], PrivacyBudgetError)


class _NeverUsedUp(Slots):
    """A slot that is taken stays free."""

    def take(self, charge: Charge) -> None:
        """Nothing is noted."""


class _LargestLossAlone(Slots):
    """A slot covers what has no larger finite loss, and no larger delta at infinity: true of claims, not of other slots."""

    def slot_for(self, claim: PrivacyClaim) -> int:
        (pair,) = claim.curve().pairs
        for k, (curve, _) in enumerate(self.declared):
            (slot,) = curve.pairs
            if self.free[k] and pair.largest <= slot.largest and pair.infinite <= slot.infinite:
                return k
        raise PrivacyBudgetError("none")


class _DeltaIgnored(Slots):
    """A slot covers what has no larger finite loss."""

    def slot_for(self, claim: PrivacyClaim) -> int:
        (pair,) = claim.curve().pairs
        for k, (curve, _) in enumerate(self.declared):
            if (
                self.free[k]
                and pair.largest <= curve.pairs[0].largest
                and curve.pairs[0] == pair_of_claim(curve.pairs[0].largest, curve.pairs[0].infinite)
            ):
                return k
        raise PrivacyBudgetError("none")


def _what_ran(case: Declared) -> Slots:
    """No slots: what happened to run is composed, and has to stay within what was declared."""
    allowed, ran = case.composed, list[Release]()

    class WhatRan(Slots):
        def slot_for(self, claim: PrivacyClaim) -> int:
            (pair,) = claim.curve().pairs
            pairs = [of_weights(x.atoms, x.total) for x in (*(one.pair for one in ran), pair)]
            if composed_delta(pairs, case.gamma) > allowed:
                raise PrivacyBudgetError("none")
            ran.append(next(one for one in case.menu if one.pair == pair))
            return 0

        def take(self, charge: Charge) -> None:
            """What ran is all that counts."""

    return WhatRan([one.claim for one in case.slots])


_TWO, _SMALL, _MASS = Release(mpq(2), 1, mpq(0)), Release(mpq(3, 2), 1, mpq(0)), Release(mpq(1), 1, mpq(1, 9))
_STEPS, _WIDE = Release(mpq(2), 2, mpq(0)), Release(mpq(4), 1, mpq(0))
_DECLARED = (
    Declared((_TWO, _TWO), (_TWO, _MASS), 2, mpq(3)),  # choosing the second by the first: 4/27, where 1/9 is allowed
    Declared((_TWO, _MASS), (_TWO, _MASS, _SMALL), 3, mpq(3)),
    Declared((_STEPS, _TWO), (_STEPS, _WIDE, _SMALL), 3, mpq(3, 2)),
    Declared((_WIDE, _SMALL), (_STEPS, _TWO, Release(mpq(2), 1, mpq(1, 10))), 3, mpq(5, 2)),
    Declared((_SMALL, _SMALL, _TWO), (_SMALL, _TWO), 4, mpq(3)),
    Declared((_TWO, _STEPS), (_TWO, _STEPS), 2, mpq(1, 3)),
)


@own(
    "FD.Budget.slots",
    """Of slots that were declared beforehand, each taken by a release whose curve is nowhere above the slot's, all that is
    released has at every ratio at most the delta of all slots together, whatever is chosen by looking at the outputs before,
    in whatever order, and where one stops early.""",
    over="slots, releases and ratios; up to 4 releases; every adaptive strategy",
    code=["finitedp.budgets.terms.Slots", "finitedp.impl.accounting.domination.dominates"],
    grid=cases(
        Declared, _DECLARED, [case._replace(gamma=gamma) for case in _DECLARED for gamma in (mpq(1), mpq(7, 4), mpq(6))]
    ),
    subject=lambda case: Slots([one.claim for one in case.slots]),
    twins={
        "charging what ran": _what_ran,
        "a slot is never used up": lambda case: _NeverUsedUp([one.claim for one in case.slots]),
        "the largest loss alone": lambda case: _LargestLossAlone([one.claim for one in case.slots]),
        "delta is ignored": lambda case: _DeltaIgnored([one.claim for one in case.slots]),
    },
)
def the_slots(make: MadeOfSlots, case: Declared) -> Finding:
    menu = {one: [(a.p, a.q) for a in of_weights(one.pair.atoms, one.pair.total)] for one in case.menu}
    worst = largest_delta(lambda chosen: _fits(make, case, chosen), menu, case.times, case.gamma)
    return at_most(worst, case.composed, "delta of all together")
