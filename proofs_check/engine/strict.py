"""The exact worst ratio of FastSample under the strict coins, at parameters where no law can be written out.

StrictCoins maps a word of B bits to 1..d, so that the outputs up to z get ceil(F(z) 2^B / d) words. The masses of inner
outputs depend on z - c alone before rounding, and rounding moves each by less than one word. That bounds the ratio of every
class z - c; a class is looked at word by word only where its bound is above what was already found.
"""

from collections.abc import Iterator
from functools import reduce

from attrs import frozen
from gmpy2 import c_div, f_div, mpq, mpz

from finitedp.impl.counting.geometric import FastSample
from finitedp.impl.randomness.coins import strict_bits

__all__ = ["StrictRatio", "strict_worst_ratio"]


@frozen
class StrictRatio:
    """The ratio words_left / words_right of the numbers of words that lead from two neighbouring counts to an output."""

    words_left: int
    words_right: int
    output: int
    left: int
    right: int

    @property
    def value(self) -> mpq:
        """The ratio."""
        return mpq(self.words_left, self.words_right)

    def exceeds(self, other: "StrictRatio") -> bool:
        """Whether this ratio is larger."""
        return self.words_left * other.words_right > other.words_left * self.words_right


def strict_worst_ratio(mechanism: FastSample) -> StrictRatio:
    """The largest ratio of word counts over all outputs and neighbouring counts, exactly, with its witness.

    Source: FD.StrictCoins.real. Cost: about 8 t evaluations of F, and one for each count in every class that must be scanned.
    """
    n = mechanism.n
    best = reduce(lambda a, b: b if b.exceeds(a) else a, _edges(mechanism))
    open_classes = [(bound, j) for bound, j in _class_bounds(mechanism) if bound.exceeds(best)]
    for bound, j in sorted(open_classes, key=lambda item: item[0].value, reverse=True):
        if not bound.exceeds(best):
            break
        for c in range(max(0, 1 - j), min(n - 1, n - 1 - j) + 1):
            best = reduce(lambda a, b: b if b.exceeds(a) else a, _both_ways(mechanism, c, c + j), best)
            if not bound.exceeds(best):
                break
    return best


def _words(mechanism: FastSample, count: int, z: int) -> int:
    """How many words lead from `count` to output z."""
    bits, d = strict_bits(mechanism.d), mechanism.d
    upper = c_div(mechanism.cdf(count, z) << bits, d)
    return upper - c_div(mechanism.cdf(count, z - 1) << bits, d) if z else upper


def _both_ways(mechanism: FastSample, c: int, z: int) -> tuple[StrictRatio, StrictRatio]:
    here, there = _words(mechanism, c, z), _words(mechanism, c + 1, z)
    return StrictRatio(here, there, z, c, c + 1), StrictRatio(there, here, z, c + 1, c)


def _edges(mechanism: FastSample) -> Iterator[StrictRatio]:
    """Outputs 0 and n, for the counts whose noise reaches them; for all others both laws have the same words there."""
    n, reach = mechanism.n, mechanism.t + 2
    for c in range(min(reach, n)):
        yield from _both_ways(mechanism, c, 0)
    for c in range(max(n - reach, 0), n):
        yield from _both_ways(mechanism, c, n)


def _class_bounds(mechanism: FastSample) -> Iterator[tuple[StrictRatio, int]]:
    """For each z - c = j at an inner output: the largest ratio that rounding can leave, in either direction."""
    n, t = mechanism.n, mechanism.t
    for j in range(-t - 1, t + 3):
        first = max(0, 1 - j)  # a count with 1 <= c + j <= n - 1, if there is one
        if first <= min(n - 1, n - 1 - j):
            here, there = _mass(mechanism, first, first + j), _mass(mechanism, first + 1, first + j)
            yield _rounded(mechanism, here, there, first + j, first, first + 1), j
            yield _rounded(mechanism, there, here, first + j, first + 1, first), j


def _mass(mechanism: FastSample, count: int, z: int) -> int:
    return mechanism.cdf(count, z) - mechanism.cdf(count, z - 1)


def _rounded(mechanism: FastSample, numerator: int, denominator: int, z: int, left: int, right: int) -> StrictRatio:
    """One mass rounded up to whole words over another rounded down."""
    bits, d = strict_bits(mechanism.d), mechanism.d
    return StrictRatio(c_div(mpz(numerator) << bits, d), f_div(mpz(denominator) << bits, d), z, left, right)
