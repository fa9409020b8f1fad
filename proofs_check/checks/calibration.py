"""The exact delta of smooth sensitivity with Laplace's tails at the size of the experiments, and the least width for 2^-20.

What spec.flexible.smooth_laplace.worst_delta takes over all pairs of laws is summed here in 64-bit integers, which hold every
number: FD.Compare.smooth-laplace compares the two.
"""

from collections.abc import Sequence
from functools import cache

import numpy as np
from gmpy2 import mpq
from numpy.typing import NDArray

from finitedp.errors import ParameterError
from finitedp.exact import exp_bounds
from finitedp.spec.flexible import smooth_laplace as spec

Integers = NDArray[np.int64]
BITS_OF_LEVELS = 48
SMALLEST_STEP = mpq(1, 16)


def _tails(weights: Integers) -> Integers:
    """Pr[noise >= u], u = 0, ..., B - 1, times the total."""
    return weights[::-1].cumsum()[::-1]


def _two_sided(weights: Integers) -> Integers:
    return np.concatenate([weights[:0:-1], weights])


def _largest(p: Integers, q: Integers, shift: int, num: int, den: int) -> int:
    """The largest den P[S] - num Q[S] over events S and true answers a of P, a + shift of Q, both in 0..B-1."""
    n = len(p) - 1
    at = np.arange(n - shift + 1)  # the answers a
    inside = np.maximum(0, den * _two_sided(p)[shift + 1 : 2 * n] - num * _two_sided(q)[1 : 2 * n - shift])
    sums = np.concatenate([np.zeros(1, np.int64), inside.cumsum()])
    start = n - shift - at  # the place of output 1
    between = sums[start + n - 1] - sums[start]
    above_p, above_q = _tails(p), _tails(q)
    left = np.maximum(0, den * above_p[at] - num * above_q[at + shift])
    right = np.maximum(0, den * above_p[n - at] - num * above_q[n - at - shift])
    return int((between + left + right).max())


def worst_delta(found: Sequence[Sequence[int]], changes: Sequence[int], e: mpq, *, largest_jump_alone: bool = False) -> mpq:
    """The same number as spec.flexible.smooth_laplace.worst_delta.

    Parameters: as there; largest_jump_alone leaves out all shorter ones, as a first estimate from below.
    Raises: ParameterError where 64 bits are too few, or the tables have different totals.
    """
    num, den = int(e.numerator), int(e.denominator)
    total = found[0][0] + 2 * sum(found[0][1:])
    if any(weights[0] + 2 * sum(weights[1:]) != total for weights in found):
        raise ParameterError("the tables have different totals; accepted: one for all levels")
    if max(num, den) * total >= 1 << 62:
        raise ParameterError(f"E = {e} with tables of the total {total} needs more than 64 bits")
    arrays = [np.array(weights, np.int64) for weights in found]
    worst = 0
    for k, allowed in enumerate(changes):
        shifts = (allowed,) if largest_jump_alone else range(allowed + 1)
        pairs = [(arrays[k], arrays[k])]
        if k + 1 < len(arrays):
            pairs += [(arrays[k], arrays[k + 1]), (arrays[k + 1], arrays[k])]
        worst = max(worst, *(_largest(p, q, shift, num, den) for p, q in pairs for shift in shifts))
    return mpq(worst, den * total)


def base_below(epsilon: mpq) -> mpq:
    """The largest multiple of 1/1024 that is at most e^epsilon."""
    return mpq(int(exp_bounds(epsilon, 64)[0] * 1024), 1024)


def growth_of(epsilon: mpq) -> mpq:
    """e^(epsilon/(2 ln(2/delta))) at delta = 2^-20, as Nissim, Raskhodnikova and Smith have it, from below."""
    return mpq(int(exp_bounds(epsilon * 1000 / 29113, 64)[0] * 65536), 65536)  # 2 ln(2^21) = 29.1121...


@cache
def smooth_laplace_parameters(epsilon: mpq, bars: int, e: mpq, delta: mpq) -> tuple[mpq, mpq]:
    """Growth, and the least width, to 1/16, whose exact delta at E is at most `delta`.

    Found with the largest jump of each level alone; that no shorter one has a larger delta is what the full grid of
    FD.Compare.smooth-laplace.real checks. Raises: ParameterError where no width up to 64/epsilon is private.
    """
    growth = growth_of(epsilon)
    changes = spec.jumps(bars, growth)

    def private(steps: int) -> bool:
        found = spec.tables(bars, growth, steps * SMALLEST_STEP, BITS_OF_LEVELS)
        return worst_delta(found, changes, e, largest_jump_alone=True) <= delta

    low, high = 0, int(1024 / epsilon)
    if not private(high):
        raise ParameterError(f"no width up to {64 / epsilon} is private at epsilon = {epsilon}")
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if private(middle) else (middle, high)
    return growth, high * SMALLEST_STEP
