"""Smooth sensitivity with noise whose tails are Laplace's, as laws over integers: private with a delta above 0.

The level K(x) of `competitors.level` changes by at most 1 with a row, and a row changes the answer by at most growth^K(x).
Each level has a table w_0, ..., w_(B-1) of its own, w_0 + 2 (w_1 + ...) = 2^bits: noise of +-u with probability w_u / 2^bits,
of a scale that grows with the level. Outputs are cut off to 0..B-1. E stands for a rational of at most e^epsilon.
"""

from collections.abc import Sequence
from itertools import product

from gmpy2 import mpq

from finitedp.spec.divergence import hockey_stick
from finitedp.spec.dyadic import noise
from finitedp.spec.pmf import Pmf

__all__ = ["jumps", "law", "table", "tables", "worst_delta"]

GUARD = 64


def table(bars: int, scale: mpq, bits: int) -> tuple[int, ...]:
    """Two-sided geometric noise with the step ratio 1 + 1/scale, all beyond B - 1 put there; what rounding leaves to 0.

    With r = scale/(scale + 1), w_u is (1 - r)/(1 + r) r^u 2^bits and w_(B-1) is r^(B-1)/(1 + r) 2^bits, rounded down.
    Source: FD.Compare.smooth-laplace. Parameters: bars >= 2; scale > 0, in bars; bits of the word.
    """
    p, q = int(scale.numerator), int(scale.denominator)
    power, found = (1 << (bits + GUARD)) * q // (2 * p + q), list[int]()  # (1 - r)/(1 + r) = q/(2p + q), with 64 bits more
    for _ in range(bars - 2):
        power = power * p // (p + q)
        found.append(power >> GUARD)
    last = (power * p // (p + q)) * (p + q) // q  # r^(B-1)/(1 + r) is r^(B-1) (1 - r)/(1 + r) times 1/(1 - r)
    found.append(last >> GUARD)
    return ((1 << bits) - 2 * sum(found), *found)


def jumps(bars: int, growth: mpq) -> list[int]:
    """How far a row may move the answer at each level: min(B - 1, floor(growth^K)), up to the level where this is B - 1."""
    found, power = list[int](), mpq(1)
    while not found or found[-1] < bars - 1:
        found.append(min(bars - 1, int(power)))
        power *= growth
    return found


def tables(bars: int, growth: mpq, width: mpq, bits: int) -> list[tuple[int, ...]]:
    """The table of each level K: of the scale width growth^K, each time rounded down to a multiple of 2^-16.

    Source: FD.Compare.smooth-laplace. Parameters: width > 0, the scale at level 0, in bars.
    """
    found, scale = list[tuple[int, ...]](), width
    for _ in jumps(bars, growth):
        found.append(table(bars, scale, bits))
        scale = mpq(int(scale * growth * 65536), 65536)
    return found


def law(answer: int, weights: Sequence[int]) -> Pmf[int]:
    """answer + noise, cut off at 0 and B - 1. Source: FD.Compare.smooth-laplace."""
    return noise(weights).shifted(answer).clamped(0, len(weights) - 1)


def worst_delta(found: Sequence[Sequence[int]], changes: Sequence[int], e: mpq) -> mpq:
    """The largest hockey-stick divergence at E that neighbours may have: all answers that their levels allow.

    Parameters: the table and the jump of each level. Neighbours have levels of at most 1 apart, and answers of at most the
    smaller level's jump apart. Source: FD.Compare.smooth-laplace.
    """
    bars, worst = len(found[0]), mpq(0)
    for k, other in product(range(len(found)), repeat=2):
        if abs(k - other) <= 1:
            allowed = changes[min(k, other)]
            for a, b in product(range(bars), repeat=2):
                if abs(a - b) <= allowed:
                    worst = max(worst, hockey_stick(law(a, found[k]), law(b, found[other]), e).delta)
    return worst
