"""What a budget allows, and what of it is left: a total of epsilons and deltas, or slots that were declared beforehand."""

import re
from collections.abc import Iterable, Sequence
from typing import Any

from attrs import define, field, frozen
from gmpy2 import mpq

from finitedp.claim import PrivacyClaim
from finitedp.curve import Curve, Pair
from finitedp.errors import ParameterError, PrivacyBudgetError
from finitedp.exact import integer
from finitedp.impl.accounting.domination import dominates
from finitedp.numbers import shown

__all__ = ["Charge", "Slots", "Terms", "Total", "terms_from_json"]

_AMOUNTS = re.compile(r'\{"number": \d+, "slot": (\d+|null), "epsilon": "(\d+(?:/\d+)?)", "delta": "(\d+(?:/\d+)?)",')
_MOST_SLOTS = 10_000


@frozen
class Charge:
    """What one release was charged.

    number: 1, 2, ... epsilon, delta: rationals. release: what was released, in words. claim: None of a line that was torn.
    slot: which one it took, from 0; None where there are none, or of a torn line.
    """

    number: int
    epsilon: mpq
    delta: mpq
    release: str
    claim: PrivacyClaim | None
    slot: int | None = None

    def as_json(self) -> dict[str, Any]:
        """The amounts come first, so that of a torn line they are the last to be lost."""
        amounts = {"number": self.number, "slot": self.slot, "epsilon": str(self.epsilon), "delta": str(self.delta)}
        return {**amounts, "release": self.release, "claim": None if self.claim is None else self.claim.as_json()}


def _check_relation(claim: PrivacyClaim, relation: str) -> None:
    if claim.relation == relation:
        return
    of_unit, by_unit = claim.unit is not None, " of " in relation
    if of_unit != by_unit or claim.neighbours == relation.partition(" of ")[0]:
        why = "a claim is for one row, or for all rows of one unit; accepted: releases with the unit of the budget"
    elif claim.neighbours == "add-remove":
        why = "a claim (epsilon, delta) for add-remove is one of (2 epsilon, (1 + e^epsilon) delta) for replace-one"
    else:
        why = f"a claim for {claim.neighbours} says nothing of one more or less; accepted: one with neighbours = 'add-remove'"
    raise PrivacyBudgetError(f"the claim is for {claim.relation}, the budget for {relation}; {why}")


@define
class Total:
    """Epsilons and deltas that add up to at most these. Source: FD.Budget.sum.

    relation: what both are for. spent: their sums so far.
    """

    epsilon: mpq
    delta: mpq
    relation: str
    spent: tuple[mpq, mpq] = field(factory=lambda: (mpq(0), mpq(0)), init=False)

    @property
    def left(self) -> tuple[mpq, mpq]:
        """The epsilon and the delta that are left, neither below 0."""
        return max(self.epsilon - self.spent[0], mpq(0)), max(self.delta - self.spent[1], mpq(0))

    def slot_for(self, claim: PrivacyClaim) -> None:
        """There are no slots. Raises: PrivacyBudgetError where a claim does not fit."""
        _check_relation(claim, self.relation)
        sides = ((claim.epsilon, self.left[0], self.epsilon), (claim.delta, self.left[1], self.delta))
        for name, (asked, left, total) in zip(("epsilon", "delta"), sides, strict=True):
            if asked > left:
                told = f"{name} = {shown(asked, 40)} does not fit: {shown(left, 40)} of {shown(total, 40)} is left"
                raise PrivacyBudgetError(f"{told}; nothing was charged")

    def take(self, charge: Charge) -> None:
        """Note what was charged."""
        self.spent = self.spent[0] + charge.epsilon, self.spent[1] + charge.delta

    def torn(self, number: int, text: str) -> Charge:
        """What a line that was torn is charged: the amounts that it still tells, or all that is left."""
        found = _AMOUNTS.match(text)
        epsilon, delta = self.left if found is None else (mpq(found[2]), mpq(found[3]))
        return Charge(number, epsilon, delta, "a line that was torn", None)

    def as_json(self) -> dict[str, Any]:
        """For the first line of a file."""
        return {"epsilon": str(self.epsilon), "delta": str(self.delta), "relation": self.relation}

    def __str__(self) -> str:
        """What is left of what."""
        epsilon, delta = (shown(x, 40) for x in self.left)
        return f"epsilon {epsilon} of {shown(self.epsilon, 40)} and delta {delta} of {shown(self.delta, 40)} left"


Slot = tuple[Curve, int]


def _slots(listed: Iterable[Any]) -> tuple[Slot, ...]:
    found = list[Slot]()
    for one in listed:
        what, times = one if isinstance(one, tuple) and len(one) == 2 else (one, 1)
        curve = what.curve() if isinstance(what, PrivacyClaim) else what
        if not isinstance(curve, Curve):
            raise ParameterError(f"a slot is {type(what).__name__}; accepted: claims and curves, or pairs (claim, how often)")
        found.append((curve, int(integer(times, "how often", 1, _MOST_SLOTS))))
    relations = sorted({curve.neighbours for curve, _ in found})
    if not 1 <= sum(times for _, times in found) <= _MOST_SLOTS or len(relations) > 1:
        raise ParameterError(f"slots for {', '.join(relations) or 'nothing'}; accepted: 1 to {_MOST_SLOTS} of one relation")
    return tuple(found)


@define
class Slots:
    """Curves that were declared beforehand, each for one release whose own is nowhere above it. Source: FD.Budget.slots.

    declared: curves, each with how often. free: how many of each are left.
    """

    declared: Sequence[Slot] = field(converter=_slots)
    free: list[int] = field(init=False)

    @free.default
    def _all(self) -> list[int]:
        return [times for _, times in self.declared]

    @property
    def relation(self) -> str:
        """What all curves are for."""
        return self.declared[0][0].neighbours

    def slot_for(self, claim: PrivacyClaim) -> int:
        """The first free slot that covers a claim. Raises: PrivacyBudgetError where there is none."""
        _check_relation(claim, self.relation)
        curve = claim.curve()
        covering = [k for k, (slot, _) in enumerate(self.declared) if dominates(slot, curve)]
        free = next((k for k in covering if self.free[k]), None)
        if free is None:
            of = "none of the slots that cover it is free" if covering else "no slot covers it"
            raise PrivacyBudgetError(f"the claim does not fit: {of}; nothing was charged")
        return free

    def take(self, charge: Charge) -> None:
        """Note what was charged; a torn line that does not tell its slot has taken all."""
        if charge.slot is None:
            self.free = [0] * len(self.free)
        elif not 0 <= charge.slot < len(self.free) or not self.free[charge.slot]:
            raise PrivacyBudgetError(f"slot {charge.slot} is not free")
        else:
            self.free[charge.slot] -= 1

    def torn(self, number: int, text: str) -> Charge:
        """What a line that was torn is charged: the slot that it still tells, or all."""
        found = _AMOUNTS.match(text)
        if found is None or found[1] == "null":
            return Charge(number, mpq(0), mpq(0), "a line that was torn", None)
        return Charge(number, mpq(found[2]), mpq(found[3]), "a line that was torn", None, int(found[1]))

    def as_json(self) -> dict[str, Any]:
        """For the first line of a file: the pairs as they are."""
        return {"relation": self.relation, "slots": [_slot_as_json(curve, times) for curve, times in self.declared]}

    def __str__(self) -> str:
        """How many are left of how many."""
        return f"{sum(self.free)} of {sum(times for _, times in self.declared)} slots left"


Terms = Total | Slots


def _slot_as_json(curve: Curve, times: int) -> dict[str, Any]:
    sides = {"pairs": curve.pairs} if curve.exact else {"pairs": curve.pairs, "least": curve.least}
    atoms = {name: [[[str(p), str(q)] for p, q in pair.atoms] for pair in pairs] for name, pairs in sides.items()}
    return {"times": times, "source": curve.source, **atoms}


def terms_from_json(document: dict[str, Any]) -> Terms:
    """What as_json wrote. Raises: ParameterError, KeyError, TypeError, ValueError where it is no such document."""
    if not isinstance(document["relation"], str):
        raise TypeError("the relation is no text")
    if "slots" not in document:
        total = PrivacyClaim(document["epsilon"], "add-remove", document["delta"])  # both in their ranges
        return Total(total.epsilon, total.delta, document["relation"])
    return Slots([(_curve(one, document["relation"]), one["times"]) for one in document["slots"]])


def _curve(one: dict[str, Any], relation: str) -> Curve:
    pairs, *least = (
        [Pair((int(p), int(q)) for p, q in atoms) for atoms in one[name]] for name in ("pairs", "least") if name in one
    )
    return Curve(pairs, relation, one["source"], *least)
