"""Exact probabilities of an error larger than a."""

from collections.abc import Sequence

from gmpy2 import mpq

from finitedp.spec.pmf import Pmf

__all__ = ["least_accuracy", "miss_probability", "simultaneous_miss"]


def miss_probability(law: Pmf[int], truth: int, a: int) -> mpq:
    """Pr[|X - truth| > a]. Source: BV.Def2.5, BV.Def4.2."""
    return law.probability(lambda x: abs(x - truth) > a)


def simultaneous_miss(bins: Sequence[tuple[Pmf[int], int]], a: int) -> mpq:
    """The probability that some bin is off by more than a, for independent bins given as (law, truth).

    Source: BV.Def2.6; the product form is that of BV.Thm5.2.iii.
    """
    all_close = mpq(1)
    for law, truth in bins:
        all_close *= 1 - miss_probability(law, truth, a)
    return 1 - all_close


def least_accuracy(law: Pmf[int], truth: int, beta: mpq) -> int:
    """The least a >= 0 with Pr[|X - truth| > a] <= beta: the exact accuracy of one law."""
    errors = law.pushforward(lambda x: abs(x - truth))
    return next((a for a, mass in {0: errors[0], **errors.cdf()}.items() if 1 - mass <= beta))
