"""Accuracy for every beta of a range at once.

A stated error a(beta) never rises with beta. If it fails at some beta, the error a = a(beta) is exceeded with a probability
m(a) > beta, and then a(m(a)) <= a(beta) = a. So it holds for every beta where a(m(a)) > a for each integer a: only those beta
have to be looked at that are the probability of exceeding an integer.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from gmpy2 import c_div, mpq

from finitedp.numbers import brief
from finitedp.proofs_check.ledger.entry import Finding

_ONE = mpq(1)
_LONG = 512  # bits


class Decided(NamedTuple):
    """An error a, the beta at which it is decided, and the error stated there, which must be above a."""

    a: int
    beta: mpq
    stated: int


def decided_betas(
    stated: Callable[[mpq], int], miss: Callable[[int], mpq], n: int, least: mpq, most: mpq = _ONE
) -> Iterator[Decided]:
    """One for each a < n that is exceeded with a probability above `least`, at min(that, most).

    Where the error stated is n or more, nothing is claimed, and nothing could fail: such errors are left out.
    """
    for a in range(n):
        exceeded = miss(a)
        if exceeded <= least:
            return
        beta = min(_rounded_up(exceeded), most)
        error = stated(beta)
        if error < n:
            yield Decided(a, beta, error)


def _rounded_up(number: mpq) -> mpq:
    """A short number of at least this one and at most 1 + 2^-255 times it: an error stated there is no larger."""
    digits = int(number.denominator).bit_length()
    if digits <= _LONG:
        return number
    shift = 256 + digits - int(number.numerator).bit_length()
    return mpq(c_div(number.numerator << shift, number.denominator), 1 << shift)


def for_every_beta(
    stated: Callable[[mpq], int], miss: Callable[[int], mpq], n: int, least: mpq, most: mpq = _ONE, what: str = "error"
) -> Finding:
    """Finds the stated error to be exceeded with probability at most beta, for every beta in [least, most].

    Parameters: stated, the error stated at beta, which never rises; miss, the largest probability of an error above a, for
    integers a; n, the largest error there is; least, which is left out where it is 0.
    """
    decided = list(decided_betas(stated, miss, n, least, most))
    if not decided:
        return Finding(True, mpq(0), f"{what}: nothing stated below n")
    worst = max(decided, key=lambda found: mpq(found.a + 1, found.stated + (found.stated == 0)))
    holds = all(found.stated > found.a for found in decided)
    if not holds:
        worst = next(found for found in decided if found.stated <= found.a)
    text = f"{what}: {worst.stated} stated at beta={brief(worst.beta, 12, 6)}, where {worst.a} is exceeded"
    load = mpq(worst.a + 1, max(worst.stated, 1))
    return Finding(holds, load, f"{text}; {len(decided)} values of beta decide all")
