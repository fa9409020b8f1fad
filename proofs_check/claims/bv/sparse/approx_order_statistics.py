"""Section 6.3 of Balcer and Vadhan: ApproxOrdSample (6.19, 6.20)."""

from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

from gmpy2 import mpq

from finitedp.impl.histograms.binomial import ApproxBinSample
from finitedp.impl.histograms.order_statistics import ApproxOrdSample
from finitedp.impl.randomness.coins import Coins, strict_bits
from finitedp.proofs_check.checks.work import work_of
from finitedp.proofs_check.claims.bv.sparse.samplers import BROKEN_BINOMIALS, ENDS, Draws, Unpadded, explored
from finitedp.proofs_check.engine.explorer import Exploration, explore
from finitedp.proofs_check.ledger.entry import Finding, but, cases
from finitedp.proofs_check.ledger.findings import algorithm, all_of, at_most, equal, lemma, same_law
from finitedp.spec.divergence import total_variation
from finitedp.spec.order_statistics import approx_top_order_statistics, top_order_statistics

SAMPLER = "finitedp.impl.histograms.order_statistics.ApproxOrdSample"


class Top(NamedTuple):
    """The n + 1 largest of m draws on 0..n with the distribution function values / values[n], at the denominator s."""

    m: int
    values: tuple[int, ...]
    s: int
    guard: int

    @property
    def n(self) -> int:
        """The largest value."""
        return len(self.values) - 1


SHAPES = [(3, (1, 3)), (4, (2, 3)), (5, (1, 9)), (4, (2, 3, 7)), (3, (1, 1, 4)), (6, (5, 6, 6)), (4, (1, 3, 4, 9))]
MORE_SHAPES = [(5, (3, 4, 9, 10)), (6, (7, 8, 9, 20)), (7, (1, 50)), (8, (3, 4, 9))]
TOPS = cases(
    Top,
    [(*shape, s, guard) for shape in SHAPES for s, guard in ((8, 0), (1000, 0), (2**12, 6))],
    [(*shape, s, guard) for shape in MORE_SHAPES for s, guard in ((50, 0), (2**20, 0), (2**15, 9), (10**6, 7))],
)
Sampler = Callable[[Top, Coins], tuple[int, ...]]


def approx_ord_sample(case: Top, coins: Coins) -> tuple[int, ...]:
    """The running ApproxOrdSample, where m may be less than the bound it is made for."""
    return _padded(case).release(case.m, coins)


AllTrials = but(Unpadded, assigned=lambda _self, _found: 0)
"""Broken: every value is given all m trials."""


def _by(make: type[Unpadded], sampler: Callable[[int], ApproxBinSample]) -> Sampler:
    return lambda case, coins: make(case.n, case.values.__getitem__, case.s, case.m, None, sampler).release(case.m, coins)


TWINS = {
    **{name: _by(Unpadded, sampler) for name, sampler in BROKEN_BINOMIALS.items()},
    "all m trials for every value": _by(AllTrials, ApproxBinSample),
}


@algorithm(
    "BV.Alg6.20",
    "ApproxOrdSample draws, for v from n to 1, how many of the m - L draws left equal v, by ApproxBinSample cut off at n +"
    " 1 - L.",
    over="several distribution functions, m, s and guards; the law of the running code against the definition",
    code=[SAMPLER, "finitedp.spec.order_statistics.approx_top_order_statistics"],
    grid=TOPS,
    subject=approx_ord_sample,
    twins={name: twin for name, twin in TWINS.items() if name != "without the odd factor"},
)
def ord_sample_law(sample: Sampler, case: Top) -> Finding:
    found = explored(sample, case).law()
    return same_law(found, approx_top_order_statistics(case.values, case.m, case.s), "largest draws")


@lemma(
    "BV.Prop6.19",
    "ApproxOrdSample is within statistical distance m(n^2 + 2n)/s of the n + 1 largest of m independent draws.",
    over="several distribution functions, m, s and guards; exact distance of the law of the running code",
    code=[SAMPLER],
    grid=TOPS,
    subject=approx_ord_sample,
    twins={
        name: TWINS[name] for name in ("the loop bound as printed", "without the odd factor", "all m trials for every value")
    },
)
def ord_sample_distance(sample: Sampler, case: Top) -> Finding:
    found = explored(sample, case).law()
    truth = top_order_statistics(Draws(case.m, case.values).law, case.m, case.n + 1)
    return at_most(total_variation(found, truth).distance, mpq(case.m * (case.n**2 + 2 * case.n), case.s), "distance")


def _padded(case: Top) -> ApproxOrdSample:
    return ApproxOrdSample(case.n, case.values.__getitem__, case.s, case.m + 1, case.guard or None)


def _needed(case: Top) -> Exploration[tuple[tuple[int, int], ...]]:
    """How many rounds of each length each result needs."""

    def rounds(coins: Coins) -> tuple[tuple[int, int], ...]:
        made = Counter[int]()

        def count(length: int) -> None:
            made[length] += 1

        Unpadded(case.n, case.values.__getitem__, case.s, case.m).release(case.m, coins, count)
        return tuple(sorted(made.items()))

    return explore(rounds)


@lemma(
    "BV.Prop6.19.time",
    """ApproxOrdSample takes n draws from 1..s and n + 1 values of F. Its rounds of length 2^j are at most (n + 1)/2^(j-1), for
    every result, and padded to that number, so that the functions called are the same whatever m and the result.""",
    over="every path of the running code: rounds needed, draws; functions called for least, largest and middle draws",
    code=[f"{SAMPLER}.rounds", f"{SAMPLER}.cost"],
    grid=TOPS,
    subject=_padded,
    twins={"not padded": lambda case: Unpadded(case.n, case.values.__getitem__, case.s, case.m + 1, case.guard or None)},
    sampled="of the functions called, the least, the largest and middle draws; of rounds and draws, every path",
)
def ord_sample_rounds(make: Callable[[Top], ApproxOrdSample], case: Top) -> Finding:
    sampler, budget = make(case), dict(_padded(case).rounds())
    shapes = {ranges for ranges, _ in explore(lambda coins: sampler.release(case.m, coins)).shapes}
    findings = [equal(shapes, {(case.s,) * case.n}, "draws"), equal(sampler.cost().bits, case.n * strict_bits(case.s), "bits")]
    for made in _needed(case).law().support:
        findings += [equal(times <= budget.get(length, 0), True, f"{times} rounds of {length}") for length, times in made]
    for length, times in budget.items():
        findings.append(at_most(times, min(case.n, 2 * (case.n + 1) // length), f"rounds of {length}"))
    if not case.guard:  # with so few bits a guard leaves much open; with the bits that are used, next to nothing
        findings.append(equal(len(_work(sampler, case.m)), 1, "different amounts of work"))
    return all_of(findings)


def _work(sampler: ApproxOrdSample, m: int) -> set[frozenset[tuple[str, int]]]:
    """The amounts of work for m and m + 1, on the least, the largest and middle draws."""

    def work(m: int, coins: Coins) -> frozenset[tuple[str, int]]:
        return frozenset(work_of(lambda: sampler.release(m, coins)).items())

    return {work(trials, coins) for trials in (m, m + 1) for coins in ENDS}
