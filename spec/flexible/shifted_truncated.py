"""The shifted-truncated histogram from its definition: laws, exact deltas, and the table, which is built as plainly as it can.

A table is a list of integers w_0, ..., w_(q-1) of at least 1 that sum to T = 2^bits. Each bar of a public list has its own
noise J, J = j with probability w_j / T, and max(0, x - J) is released of a count x. See docs/flexible.md.
"""

from collections.abc import Callable, Sequence
from itertools import pairwise

from gmpy2 import mpq

from finitedp.exact import RationalLike, integer, rational
from finitedp.spec import dyadic
from finitedp.spec.divergence import hockey_stick
from finitedp.spec.pmf import Pmf, product

__all__ = [
    "bar",
    "delta_add",
    "delta_remove",
    "delta_replace",
    "envelope",
    "histogram",
    "ideal_delta",
    "is_table",
    "noise",
    "ratio_below",
    "replace_delta_at_ends",
    "steps_hold",
    "table",
]

Weights = Sequence[int]


def noise(weights: Weights) -> Pmf[int]:
    """J: j with probability w_j / T."""
    return Pmf(dict(enumerate(weights)))


def bar(weights: Weights, count: int) -> Pmf[int]:
    """max(0, x - J). Source: FA.Alg1, with a fixed q. Parameters: count >= 0."""
    x = integer(count, "count", at_least=0)
    return noise(weights).pushforward(lambda j: max(0, x - j))


def histogram(weights: Weights, counts: Sequence[int]) -> Pmf[tuple[int, ...]]:
    """The joint law of all bars, which are independent. Source: FA.Alg1, with a fixed q."""
    return product([bar(weights, count) for count in counts])


def steps_hold(weights: Weights, ratio: mpq) -> bool:
    """Condition (i): neighbouring weights differ at most by the factor R."""
    return all(a <= ratio * b and b <= ratio * a for a, b in pairwise(weights))


def is_table(weights: Weights, ratio: mpq, bits: int) -> bool:
    """Whether the weights are at least 1, sum to 2^bits and satisfy (i)."""
    return len(weights) >= 1 and min(weights) >= 1 and sum(weights) == 2**bits and steps_hold(weights, ratio)


# Privacy, exactly, of any table: E stands for e^epsilon


def delta_add(weights: Weights, e: RationalLike) -> mpq:
    """(w_0 + sum of max(0, w_(j+1) - E w_j)) / T: of the histogram with a row more against the one without it.

    Source: FA.Thm3. An unclamped bar, x >= q - 1, is the worst one: clamping is post-processing.
    """
    r = rational(e, "e")
    return (weights[0] + sum((max(mpq(0), b - r * a) for a, b in pairwise(weights)), mpq(0))) / sum(weights)


def delta_remove(weights: Weights, e: RationalLike) -> mpq:
    """(w_(q-1) + sum of max(0, w_j - E w_(j+1))) / T: of the histogram with a row less against the one with it."""
    return delta_add(list(reversed(weights)), e)


def delta_replace(weights: Weights, e: RationalLike) -> mpq:
    """Of (x + 1, y) against (x, y + 1), both bars unclamped: the sum over all pairs of noises."""
    shifted, still = noise(weights).pushforward(lambda j: 1 - j), noise(weights).pushforward(lambda j: -j)
    return hockey_stick(product([shifted, still]), product([still, shifted]), e).delta


def replace_delta_at_ends(weights: Weights) -> mpq:
    """1 - (1 - w_0/T)(1 - w_(q-1)/T): delta_replace at E = R^2 where (i) holds, since only new ends exceed R^2."""
    total = sum(weights)
    return 1 - (1 - mpq(weights[0], total)) * (1 - mpq(weights[-1], total))


def ideal_delta(q: int, ratio: mpq) -> mpq:
    """dopt(q): no mechanism that reports 0 of an empty bar, and not 0 from q rows on, has a smaller delta at E = R.

    (R-1) / (2 (R^(q/2) - 1)) for even q, (R-1) / (R^((q+1)/2) + R^((q-1)/2) - 2) for odd q.
    """
    return (ratio - 1) / (ratio ** ((q + 1) // 2) + ratio ** (q // 2) - 2)


# The table


def ratio_below(exponent: RationalLike, bits: int) -> mpq:
    """R: the largest multiple of 2^-(bits + 64 + ceil(log2(1/exponent))) that is at most e^exponent, as of dyadic tables.

    Parameters: exponent > 0: epsilon, or epsilon/2 where neighbours differ by replacing a row.
    """
    return dyadic.ratio_below(2 * rational(exponent, "exponent"), bits)


def envelope(end: int, q: int, ratio: mpq) -> list[int]:
    """e_j = min(u_j, u_(q-1-j)), u_0 = end, u_(j+1) = floor(R u_j): above all tables with (i) and ends of at most `end`."""
    u = [end]
    while len(u) < q:
        u.append(int(ratio * u[-1]))
    return [min(u[j], u[q - 1 - j]) for j in range(q)]


def table(q: int, ratio: mpq, bits: int) -> tuple[int, ...] | None:
    """The table with the least ends: capped where it is too heavy, and what is too much taken from the right of the cap.

    None where taking one off the cap breaks (i): then more bits are needed. Parameters: q >= 1; ratio > 1; bits >= 1.
    """
    total = 2**bits
    if q == 1:
        return (total,)
    end = 1
    while sum(envelope(end, q, ratio)) < total:
        end *= 2
    low, high = end // 2, end  # the envelope of high is heavy enough
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if sum(envelope(middle, q, ratio)) >= total else (middle, high)
    heavy = envelope(high, q, ratio)
    cap = _least(lambda c: sum(min(e, c) for e in heavy) >= total, max(heavy))
    weights = [min(e, cap) for e in heavy]
    surplus = sum(weights) - total
    capped = [j for j in range(q) if weights[j] == cap and heavy[j] >= cap]
    for j in capped[len(capped) - surplus :] if surplus else []:
        weights[j] -= 1
    return tuple(weights) if is_table(weights, ratio, bits) else None


def _least(holds: Callable[[int], bool], most: int) -> int:
    low, high = 0, most
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high
