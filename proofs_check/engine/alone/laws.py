"""The law of a sampler that was taken alone, and how a run draws from it: one draw, however the sampler makes it."""

from collections.abc import Hashable, Mapping
from itertools import accumulate
from typing import Any, cast

from attrs import evolve, frozen
from gmpy2 import lcm, mpq, mpz

from finitedp.proofs_check.engine.alone.keys import untyped
from finitedp.proofs_check.engine.lazy.coins import LazyCoins
from finitedp.proofs_check.engine.lazy.integers import LazyInt
from finitedp.proofs_check.engine.lazy.rules import SamplerUse

__all__ = ["SamplerLaw"]

SPARE_BITS = 80
"""Where mass is unresolved anyway, probabilities keep so many bits beyond those that are aimed at."""


@frozen
class SamplerLaw:
    """Outputs, each with an exact lower bound on its probability; what they leave is unresolved mass of the run that draws.

    up_to: the cumulative weights over d, from 0 on. uses, assumptions: of the samplers that it draws from in turn.
    """

    values: tuple[Any, ...]
    up_to: tuple[int, ...]
    d: int
    uses: frozenset[SamplerUse]
    assumptions: frozenset[str]

    @classmethod
    def of(
        cls,
        found: Mapping[Hashable, mpq],
        bits: int,
        uses: frozenset[SamplerUse] = frozenset(),
        assumptions: frozenset[str] = frozenset(),
    ) -> "SamplerLaw":
        """Of probabilities by key of the output. Those that do not sum to 1 are rounded down, to 80 bits beyond `bits`."""
        pairs = [(untyped(key), p) for key, p in found.items() if p]
        if sum((p for _, p in pairs), mpq(0)) != 1:
            unit = mpz(1) << (bits + SPARE_BITS)
            pairs = [(x, mpq(p.numerator * unit // p.denominator, unit)) for x, p in pairs]
            pairs = [(x, p) for x, p in pairs if p]
        if all(type(x) is int for x, _ in pairs):
            pairs.sort()
        d = lcm(mpz(1), *(p.denominator for _, p in pairs))
        up_to = accumulate((p.numerator * (d // p.denominator) for _, p in pairs), initial=mpz(0))
        return cls(tuple(x for x, _ in pairs), tuple(up_to), d, uses, assumptions)

    def used_by(self, use: SamplerUse) -> "SamplerLaw":
        """The same law, and how it was derived."""
        return evolve(self, uses=self.uses | {use})

    def draw(self, coins: LazyCoins) -> Any:  # noqa: ANN401  # an output of any kind
        """An output: integers stay undecided, one of other outputs is chosen at once."""
        coins.cost_seen = False
        coins.uses |= self.uses
        coins.assumptions |= self.assumptions
        if not self.values:
            coins.leave_open()
        if len(self.values) == 1 and self.up_to[-1] == self.d:
            return self.values[0]
        drawn = coins.drawn(self.up_to, self.d)
        if not all(type(x) is int for x in self.values):
            return self.values[drawn.__index__() - 1]
        first, last = self.values[0], self.values[-1]
        if last - first == len(self.values) - 1:
            return drawn + (first - 1)
        return cast(LazyInt, drawn).looked_up(self.values)
