"""Proposition 6.6 and Algorithm 6.7 of Balcer and Vadhan: OrdSample, and the order statistics of the 2018 version."""

from collections.abc import Callable
from itertools import pairwise
from typing import NamedTuple

from gmpy2 import mpq, mpz

from finitedp.impl.arithmetic.kernels import least_reaching
from finitedp.impl.histograms.order_statistics import OrdSample
from finitedp.impl.randomness.coins import Coins
from finitedp.proofs_check.engine.explorer import explore
from finitedp.proofs_check.ledger.entry import Finding, entry
from finitedp.proofs_check.ledger.findings import equal, same_law
from finitedp.spec.divergence import total_variation
from finitedp.spec.order_statistics import top_order_statistics
from finitedp.spec.pmf import Pmf


class Draws(NamedTuple):
    """m draws on 0..n with the distribution function values / values[n]."""

    m: int
    values: tuple[int, ...]

    @property
    def n(self) -> int:
        """The largest value."""
        return len(self.values) - 1

    @property
    def law(self) -> Pmf[int]:
        """The law of one draw."""
        return Pmf({z: b - a for z, (a, b) in enumerate(pairwise((0, *self.values)))})


def _quick() -> list[Draws]:
    return [Draws(m, f) for m in (3, 4) for f in ((1, 3), (2, 3, 7), (1, 1, 4), (5, 5, 5))]


def _full() -> list[Draws]:
    return [Draws(m, f) for m in (4, 5, 6) for f in ((3, 4, 9, 10), (1, 2), (7, 8, 20))]


DRAWS = (_quick, _full)
Sampler = Callable[[Draws, Coins], tuple[int, ...]]


def ord_sample(case: Draws, coins: Coins) -> tuple[int, ...]:
    """The running OrdSample."""
    return OrdSample(case.n, case.values.__getitem__).release(case.m, coins)


def without_replacement_of_trials(case: Draws, coins: Coins) -> tuple[int, ...]:
    """Broken: every value is given all m trials, not those that are left."""
    found: list[int] = []
    for v in range(case.n, 0, -1):
        sampler, room = OrdSample(case.n, case.values.__getitem__), case.n + 1 - len(found)
        total = case.values[v]
        found += [v] * sampler._number(case.m, total - case.values[v - 1], total, room, coins)
    return tuple(found + [0] * (case.n + 1 - len(found)))


def of_2018(case: Draws, coins: Coins) -> tuple[int, ...]:
    """The 2018 version: each statistic by the conditional distribution (F(z) / F(v))^(remaining), for the one above it at v.

    That holds for continuous variables. For discrete ones a tie carries information that it ignores.
    """
    found, top = [], case.n
    for k in range(case.n + 1):
        remaining = case.m - k

        def cdf(z: int, power: int = remaining) -> int:
            return mpz(case.values[z]) ** power  # type: ignore[no-any-return]  # int ** int is typed as Any

        top = least_reaching(cdf, top, coins.uniform(cdf(top)))
        found.append(top)
    return tuple(found)


@entry(
    "BV.Prop6.6",
    "lemma",
    "OrdSample has the law of the n + 1 largest of m independent draws, largest first.",
    over="several distribution functions and m >= n + 1; the law of the running code against sorting all m draws",
    code=["finitedp.impl.histograms.order_statistics.OrdSample", "finitedp.spec.order_statistics.top_order_statistics"],
    grid=DRAWS,
    subject=ord_sample,
    twins={"the conditional law of the 2018 version": of_2018, "all m trials for every value": without_replacement_of_trials},
)
@entry(
    "BV.Alg6.7",
    "algorithm",
    "OrdSample draws, for v from n to 1, how many of the m - L left equal v: min(Bin(m - L, 1 - F(v-1)/F(v)), n + 1 - L).",
    over="several distribution functions and m >= n + 1; the law of the running code against sorting all m draws",
    code=["finitedp.impl.histograms.order_statistics.OrdSample"],
    grid=DRAWS,
    subject=ord_sample,
    twins={"the conditional law of the 2018 version": of_2018, "all m trials for every value": without_replacement_of_trials},
)
def largest_draws(sample: Sampler, case: Draws) -> Finding:
    found = explore(lambda coins: sample(case, coins)).law()
    return same_law(found, top_order_statistics(case.law, case.m, case.n + 1), "largest draws")


def _two_bits() -> list[Draws]:
    return [Draws(2, (1, 2)), Draws(3, (1, 2))]


def _more_bits() -> list[Draws]:
    return [Draws(m, (1, q)) for m in (2, 3, 4) for q in (3, 10)]


def _distance_by_hand(case: Draws) -> mpq:
    """For values 0, 1 with Pr[1] = p: the law of 2018 draws the two statistics as two independent maxima.

    The truth has both 1 with probability 1 - q^m - m p q^(m-1), q = 1 - p; the 2018 law with (1 - q^m)(1 - q^(m-1)).
    """
    q = mpq(case.values[0], case.values[1])
    both = 1 - q**case.m - case.m * (1 - q) * q ** (case.m - 1)
    return abs((1 - q**case.m) * (1 - q ** (case.m - 1)) - both)


@entry(
    "BV.2018.distance",
    "erratum",
    """The order statistics of the paper's 2018 version have the wrong law: for two-valued draws its statistical distance from
    the right one is |(1 - q^m)(1 - q^(m-1)) - (1 - q^m - m p q^(m-1))|, which is above 0.""",
    over="draws on 0, 1 with Pr[1] = p = 1 - q; m on the grid; the exact distance of the explored law",
    code=["finitedp.spec.order_statistics.top_order_statistics"],
    grid=(_two_bits, _more_bits),
    subject=of_2018,
    twins={"the right sampler": ord_sample},
)
def law_of_2018(sample: Sampler, case: Draws) -> Finding:
    found = explore(lambda coins: sample(case, coins)).law()
    distance = total_variation(found, top_order_statistics(case.law, case.m, case.n + 1)).distance
    expected = _distance_by_hand(case)
    return equal((distance, distance > 0), (expected, True), f"distance {distance}")
