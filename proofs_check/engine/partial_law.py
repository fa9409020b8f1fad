"""A law of which some mass may be unresolved: what an exploration found, or a table of a law that is complete."""

from collections.abc import Hashable, Mapping
from functools import cached_property
from typing import Generic, TypeVar

from attrs import field, frozen
from gmpy2 import lcm, mpq, mpz

from finitedp.spec.divergence import Measure

__all__ = ["PartialLaw", "unresolved_mass"]

R = TypeVar("R", bound=Hashable)


@frozen
class PartialLaw(Generic[R]):
    """Probabilities of outputs, exact lower bounds where some mass is unresolved: that mass may belong to any output.

    assumptions: what the probabilities stand on besides, in words: the error of libm, the words of a generator.
    weights, total: the same probabilities as integers over one denominator (finitedp.spec.divergence.Measure).
    """

    probabilities: Mapping[R, mpq]
    unresolved: mpq = field(default=mpq(0))
    assumptions: tuple[str, ...] = field(default=(), eq=False)

    @cached_property
    def total(self) -> int:
        """The common denominator of the probabilities."""
        return lcm(mpz(1), *(p.denominator for p in self.probabilities.values()))

    @cached_property
    def weights(self) -> Mapping[R, int]:
        """The integer weights above 0, by output."""
        return {x: p.numerator * (self.total // p.denominator) for x, p in self.probabilities.items() if p}

    def weight(self, outcome: R) -> int:
        """The weight of an output, 0 where nothing is known of it."""
        return self.weights.get(outcome, 0)


def unresolved_mass(law: Measure[R]) -> mpq:
    """What is not resolved of a law: nothing of a Pmf."""
    return law.unresolved if isinstance(law, PartialLaw) else mpq(0)
