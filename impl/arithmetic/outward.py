"""Laws of sums of integers, in integers alone, where whatever is rounded, cut or made coarse moves mass upwards.

The law of such a sum is never less than the true one: each stated Pr[sum > t] is at least the true one. No float is in it.
"""

from collections.abc import Callable
from itertools import accumulate

from attrs import frozen
from flint import fmpz_poly

__all__ = ["PLACES", "Upward"]

PLACES = 1 << 16  # of a law; where more are needed, every other one is left out
Tail = Callable[[int], int]


@frozen
class Upward:
    """A law on low, low + step, ..., and "beyond": with tails[i] / 2^bits the sum is low + i step or more.

    The first tail is 2^bits, the last one the probability of being beyond all places. terms: how many summands it has, to
    which what may be cut is proportional.
    """

    bits: int
    low: int
    step: int
    tails: tuple[int, ...]
    terms: int

    @classmethod
    def of(cls, tail: Tail, whole: int, ends: tuple[int, int], bits: int, terms: int = 1) -> "Upward":
        """The law with whole Pr[X >= t] = tail(t), as it is between the ends: below them it is moved up, above them beyond.

        Parameters: tail, non-increasing; ends, low <= high; bits, of the probabilities that are kept, rounded up.
        """
        low, high = ends
        step = 1
        while high - low > step * PLACES:
            step *= 2
        starts = range(low + 1, high + step + 1, step)  # a value is rounded up to a place: to v from v - step + 1 on
        return cls(bits, low, step, (1 << bits, *(-(-(tail(t) << bits) // whole) for t in starts)), terms)

    @property
    def places(self) -> int:
        """How many values it has, but for what is beyond."""
        return len(self.tails) - 1

    def plus(self, other: "Upward", spare: int) -> "Upward":
        """The law of the sum of two independent summands, of as many bits.

        Parameters: spare, how much of 2^bits may be cut for each term: moved up at the lower end, and beyond at the upper.
        """
        step = max(self.step, other.step)
        a, b = self._coarse(step), other._coarse(step)
        product = (a._weights() * b._weights()).coeffs()
        weights = [int(w) for w in product] + [0] * (a.places + b.places - 1 - len(product))
        above, terms = accumulate(reversed(weights), initial=(1 << 2 * self.bits) - sum(weights)), self.terms + other.terms
        tails = [-(-t >> self.bits) for t in above][::-1]
        return Upward(self.bits, a.low + b.low, step, tuple(tails), terms)._cut(spare * terms)

    def times(self, many: int, spare: int) -> "Upward":
        """The law of the sum of so many independent copies, by squaring. Parameters: many >= 1; spare, as of `plus`."""
        found = self
        for digit in f"{many:b}"[1:]:
            found = found.plus(found, spare)
            found = found.plus(self, spare) if digit == "1" else found
        return found

    def _weights(self) -> fmpz_poly:
        return fmpz_poly([a - b for a, b in zip(self.tails, self.tails[1:], strict=False)])

    def _coarse(self, step: int) -> "Upward":
        """On every other place, and so on, until the step is that: each value is rounded up."""
        found = self
        while found.step < step:
            tails = (found.tails[0], *found.tails[1:-1:2], found.tails[-1])
            found = Upward(found.bits, found.low, 2 * found.step, tails, found.terms)
        return found

    def _cut(self, spare: int) -> "Upward":
        """Without the lower places that hold at most `spare` together, nor the upper ones; on at most PLACES places."""
        whole, first, last = 1 << self.bits, 0, self.places
        while first + 1 < last and whole - self.tails[first + 1] <= spare:
            first += 1
        while last - 1 > first and self.tails[last - 1] <= spare:
            last -= 1
        found = Upward(
            self.bits, self.low + first * self.step, self.step, (whole, *self.tails[first + 1 : last + 1]), self.terms
        )
        return found if found.places <= PLACES else found._coarse(2 * found.step)
