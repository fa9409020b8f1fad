"""Our own claim about budgets of slots: tight composition, where the later releases are chosen by the earlier."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from gmpy2 import mpq

from finitedp.budgets.budget import Budget
from finitedp.budgets.terms import Charge, Slots
from finitedp.claim import PrivacyClaim
from finitedp.curve import Curve, Pair, pair_of_claim
from finitedp.errors import PrivacyBudgetError
from finitedp.proofs_check.checks.adaptive import largest_delta
from finitedp.proofs_check.ledger.entry import Finding, but, cases, in_scope, is_taken
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
        in_scope(
            self.r >= 1 and 1 <= self.k <= 4 and 0 <= self.delta <= 1, "a ratio of at least 1, some steps, a delta in 0..1"
        )
        in_scope(self.r.denominator <= 10**6, "a ratio that is written out")

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
        in_scope(self.slots and self.menu and self.times >= 1, "slots, and releases")
        in_scope(self.gamma >= 0 and self.gamma.denominator <= 10**6, "a ratio of at least 0")

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


def _covering(covers: Callable[[Pair, Pair], bool]) -> MadeOfSlots:
    """Broken: a free slot is taken by what it covers in another sense."""

    def slot_for(slots: Slots, claim: PrivacyClaim) -> int:
        (pair,) = claim.curve().pairs
        for k, (curve, _) in enumerate(slots.declared):
            if slots.free[k] and covers(curve.pairs[0], pair):
                return k
        raise PrivacyBudgetError("none")

    return partial(_slots, kind=but(Slots, slot_for=slot_for))


def _slots(case: Declared, kind: type[Slots] = Slots) -> Slots:
    return kind([one.claim for one in case.slots])


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
    subject=_slots,
    twins={
        "charging what ran": _what_ran,
        "a slot is never used up": partial(_slots, kind=but(Slots, take=lambda self, _charge: None)),
        # true of claims, not of other slots
        "the largest loss alone": _covering(lambda slot, x: x.largest <= slot.largest and x.infinite <= slot.infinite),
        "delta is ignored": _covering(
            lambda slot, x: x.largest <= slot.largest and slot == pair_of_claim(slot.largest, slot.infinite)
        ),
    },
)
def the_slots(make: MadeOfSlots, case: Declared) -> Finding:
    menu = {one: [(a.p, a.q) for a in of_weights(one.pair.atoms, one.pair.total)] for one in case.menu}
    worst = largest_delta(lambda chosen: _fits(make, case, chosen), menu, case.times, case.gamma)
    return at_most(worst, case.composed, "delta of all together")
