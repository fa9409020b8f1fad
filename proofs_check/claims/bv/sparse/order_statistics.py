"""Proposition 6.6 and Algorithm 6.7 of Balcer and Vadhan: OrdSample, and the order statistics of the 2018 version."""

from collections.abc import Callable
from itertools import product

from gmpy2 import mpq

from finitedp.impl.histograms.order_statistics import OrdSample
from finitedp.impl.randomness.coins import Coins
from finitedp.proofs_check.claims.bv.sparse.samplers import Draws, explored, of_2018
from finitedp.proofs_check.ledger.entry import Finding, cases, entry
from finitedp.proofs_check.ledger.findings import algorithm, equal, lemma, same_law
from finitedp.spec.divergence import total_variation
from finitedp.spec.order_statistics import top_order_statistics

DRAWS = cases(
    Draws,
    product((3, 4), ((1, 3), (2, 3, 7), (1, 1, 4), (5, 5, 5))),
    product((4, 5, 6), ((3, 4, 9, 10), (1, 2), (7, 8, 20))),
)
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


@lemma(
    "BV.Prop6.6",
    "OrdSample has the law of the n + 1 largest of m independent draws, largest first.",
    over="several distribution functions and m >= n + 1; the law of the running code against sorting all m draws",
    code=["finitedp.impl.histograms.order_statistics.OrdSample", "finitedp.spec.order_statistics.top_order_statistics"],
    grid=DRAWS,
    subject=ord_sample,
    twins={"the conditional law of the 2018 version": of_2018, "all m trials for every value": without_replacement_of_trials},
)
@algorithm(
    "BV.Alg6.7",
    "OrdSample draws, for v from n to 1, how many of the m - L left equal v: min(Bin(m - L, 1 - F(v-1)/F(v)), n + 1 - L).",
    over="several distribution functions and m >= n + 1; the law of the running code against sorting all m draws",
    code=["finitedp.impl.histograms.order_statistics.OrdSample"],
    grid=DRAWS,
    subject=ord_sample,
    twins={"the conditional law of the 2018 version": of_2018, "all m trials for every value": without_replacement_of_trials},
)
def largest_draws(sample: Sampler, case: Draws) -> Finding:
    found = explored(sample, case).law()
    return same_law(found, top_order_statistics(case.law, case.m, case.n + 1), "largest draws")


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
    grid=cases(Draws, product((2, 3), [(1, 2)]), product((2, 3, 4), ((1, 3), (1, 10)))),
    subject=of_2018,
    twins={"the right sampler": ord_sample},
)
def law_of_2018(sample: Sampler, case: Draws) -> Finding:
    found = explored(sample, case).law()
    distance = total_variation(found, top_order_statistics(case.law, case.m, case.n + 1)).distance
    expected = _distance_by_hand(case)
    return equal((distance, distance > 0), (expected, True), f"distance {distance}")
