"""The exact worst ratio of FastSample under the strict coins, at parameters where no law can be written out.

StrictCoins maps a word of B bits to 1..d, so that the outputs up to z get ceil(F(z) 2^B / d) words. The masses of inner
outputs depend on z - c alone before rounding, and rounding moves each by less than one word. That bounds the ratio of every
class z - c; a class is looked at word by word only where its bound is above what was already found.
"""

from collections.abc import Iterator
from functools import cached_property, reduce

from attrs import frozen
from gmpy2 import c_div, f_div, mpq, mpz

from finitedp.impl.counting.geometric import FastSample
from finitedp.impl.randomness.coins import strict_bits

_LEADING = 512  # bits of two integers that decide nearly every comparison of their ratio


@frozen(slots=False)
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

    @cached_property
    def _about(self) -> tuple[mpq, mpq | None]:
        """Bounds on the ratio from the leading bits; the upper one is None where there is none."""
        spare = max(self.words_right.bit_length() - _LEADING, 0)
        left, right = self.words_left >> spare, self.words_right >> spare
        return mpq(left, right + 1), mpq(left + 1, right) if right else None

    def exceeds(self, other: "StrictRatio") -> bool:
        """Whether this ratio is larger."""
        (low, high), (others_low, others_high) = self._about, other._about
        if others_high is not None and low > others_high:
            return True
        if high is not None and high <= others_low:
            return False
        return self.words_left * other.words_right > other.words_left * self.words_right


def strict_worst_ratio(mechanism: FastSample) -> StrictRatio:
    """The largest ratio of word counts over all outputs and neighbouring counts, exactly, with its witness.

    Source: FD.StrictCoins.real. Cost: about 4 t evaluations of F, a division of integers of log2 d bits wherever the largest
    ratio so far may be exceeded, and one for each count in every class that must be scanned.
    """
    n = mechanism.n
    best = reduce(_larger, _edges(mechanism))
    near = ((here, there, j) for here, there, j in _classes(mechanism) if _limit(mechanism, here, there).exceeds(best))
    open_classes = [(bound, j) for here, there, j in near if (bound := _rounded(mechanism, here, there)).exceeds(best)]
    for bound, j in sorted(open_classes, key=lambda item: item[0].value, reverse=True):
        if not bound.exceeds(best):
            break
        for c in range(max(0, 1 - j), min(n - 1, n - 1 - j) + 1):
            best = reduce(_larger, _both_ways(mechanism, c, c + j), best)
            if not bound.exceeds(best):
                break
    return best


def _larger(best: StrictRatio, other: StrictRatio) -> StrictRatio:
    return other if other.exceeds(best) else best


def _words(mechanism: FastSample, count: int, z: int) -> int:
    """How many words lead from `count` to output z."""
    bits, d = strict_bits(mechanism.d), mechanism.d
    upper = c_div(mechanism.cdf(count, z) << bits, d)
    return upper - c_div(mechanism.cdf(count, z - 1) << bits, d) if z else upper


def _both_ways(mechanism: FastSample, c: int, z: int) -> tuple[StrictRatio, StrictRatio]:
    here, there = _words(mechanism, c, z), _words(mechanism, c + 1, z)
    return StrictRatio(here, there, z, c, c + 1), StrictRatio(there, here, z, c + 1, c)


def _edges(mechanism: FastSample) -> Iterator[StrictRatio]:
    """Outputs 0 and n, for the counts whose noise reaches them; for all others both laws have the same words there.

    Ratios that cannot be above one that was given before are left out. Both ends are walked from the outside, where the ratios
    are largest, so that these are most of them.
    """
    n, best = mechanism.n, StrictRatio(0, 1, 0, 0, 1)
    for near in range(min(mechanism.t + 2, n)):
        for c, z in ((near, 0), (n - 1 - near, n)):
            here, there = _mass(mechanism, c, z), _mass(mechanism, c + 1, z)
            if _limit(mechanism, max(here, there), min(here, there)).exceeds(best):
                for found in _both_ways(mechanism, c, z):
                    best = _larger(best, found)
                    yield found


def _classes(mechanism: FastSample) -> Iterator[tuple[int, int, int]]:
    """For each z - c = j at an inner output: its mass and that of j - 1, from c + 1 to the same output, in either order."""
    n, t = mechanism.n, mechanism.t
    for j in range(-t - 1, t + 3):
        first = max(0, 1 - j)  # a count with 1 <= c + j <= n - 1, if there is one
        if first <= min(n - 1, n - 1 - j):
            here, there = _mass(mechanism, first, first + j), _mass(mechanism, first + 1, first + j)
            yield here, there, j
            yield there, here, j


def _mass(mechanism: FastSample, count: int, z: int) -> int:
    """d * Pr[count leads to z]."""
    return mechanism.cdf(count, z) - (mechanism.cdf(count, z - 1) if z else 0)


def _limit(mechanism: FastSample, numerator: int, denominator: int) -> StrictRatio:
    """What the ratio of the words of two masses is at most: either number of words is off by less than one."""
    bits, d = strict_bits(mechanism.d), mechanism.d
    return StrictRatio((mpz(numerator) << bits) + d, max((mpz(denominator) << bits) - d, mpz(0)), 0, 0, 1)


def _rounded(mechanism: FastSample, numerator: int, denominator: int) -> StrictRatio:
    """The same, closer: one mass rounded up to whole words over another rounded down."""
    bits, d = strict_bits(mechanism.d), mechanism.d
    return StrictRatio(c_div(mpz(numerator) << bits, d), f_div(mpz(denominator) << bits, d), 0, 0, 1)
