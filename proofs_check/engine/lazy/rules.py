"""What all runs of one exploration have in common: its rules, the decisions on its branches, how samplers were taken."""

from functools import cached_property
from typing import Any, NamedTuple

from attrs import define, evolve, field, frozen
from gmpy2 import mpz

from finitedp.proofs_check.engine.limits import Budget

SPARE = 192
"""Bits of the masses that order the heap, beyond those of the budget."""


@frozen
class SamplerUse:
    """How a declared sampler, or a loop of the coins, was taken: alone, its law then drawn at once, or inline.

    reason: why it was taken inline, or alone without merging its loops; one line. Shown as "sampler NAME taken inline, because
    REASON".
    """

    name: str
    alone: bool
    reason: str | None = None


class Decision(NamedTuple):
    """A branch of the tree of paths: what was asked and which answer was taken; linked to the one before.

    answer: its number, from 0: of yes and no, or of the values of a draw that is a number at once.
    mass: about the probability of the branch, in the unit of the rules; it orders the heap, and nothing else.
    """

    before: "Decision | None"
    where: tuple[Any, ...]
    answer: int
    mass: int


@define
class Allowance:
    """Points at which paths may still be run completely with plain integers, of all inputs that a process has of an audit."""

    left: int = 4_096

    def takes(self, points: int) -> bool:
        """Whether there are so many, which are then used up."""
        enough = points <= self.left
        self.left -= points if enough else 0
        return enough


@frozen
class Rules:
    """What all runs of one exploration have in common.

    joint: whether comparisons of two draws become relations. solver: of the coins' own loops (alone.derivations.Solver);
    without one they are run. alone: whether this is an exploration of a part of another run. at_once: up to how many values a
    draw in place of a library's number is a number at once, with a branch for each value. ways: how many runs may come of
    that. allowance: for complete comparisons with plain integers.
    """

    budget: Budget = field(factory=Budget)
    joint: bool = False
    solver: Any = None
    alone: bool = False
    at_once: int = 0
    ways: int = 0
    allowance: Allowance = field(factory=Allowance)

    @cached_property
    def unit(self) -> int:
        """The mass of the whole, as an integer."""
        return mpz(1) << ((self.budget.bits or 0) + SPARE)

    @cached_property
    def inline(self) -> "Rules":
        """The same, with the coins' own loops run."""
        return evolve(self, solver=None)
