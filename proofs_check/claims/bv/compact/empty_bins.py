"""Section 8.3 of Balcer and Vadhan: the empty-bin sampler of Algorithm 8.5."""

from collections.abc import Callable
from functools import lru_cache, partial
from itertools import count
from typing import NamedTuple

from gmpy2 import mpq

from finitedp.exact import compare_exp
from finitedp.impl.counting.geometric import CountingMechanism, GeoSample
from finitedp.impl.histograms.empty_bins import EmptyBinSampler
from finitedp.impl.randomness.coins import Coins
from finitedp.proofs_check.claims.bv.compact.samplers import CASES, OVER, Case, defined_sampler, noisy_law, preimage
from finitedp.proofs_check.claims.bv.compact.toys import defined_law
from finitedp.proofs_check.claims.bv.compact.twins import FromOwnCount, OneTooMany
from finitedp.proofs_check.engine.explorer import Exploration, explore
from finitedp.proofs_check.ledger.entry import Finding, but, cases, entry
from finitedp.proofs_check.ledger.findings import all_of, at_most, equal, own, same_law
from finitedp.spec import compact as spec
from finitedp.spec.pmf import Pmf

Sampler = Callable[[CountingMechanism, int], EmptyBinSampler]


def _draw_within(self: EmptyBinSampler, v: int, coins: Coins) -> int:
    first, last = self.interval(v)
    return first - 1 + coins.uniform(last - first + 1)


def _search_from_below(self: EmptyBinSampler, u_0: int) -> int:
    u = self.stretched(u_0)
    return next(v for v in count() if u <= self.mechanism.scaled_cdf(v))


Remainders = but(EmptyBinSampler, stretched=lambda self, u_0: (u_0 - 1) % self.mechanism.d + 1)
LongRunsLast = but(
    EmptyBinSampler, stretched=lambda self, u_0: self.mechanism.d + 1 - EmptyBinSampler.stretched(self, self.d_0 + 1 - u_0)
)
OneLongRun = but(EmptyBinSampler, stretched=lambda self, u_0: 1 if u_0 <= self.r + self.q else -(-(u_0 - self.r) // self.q))
CostsWhatItDraws = but(EmptyBinSampler, sample=_draw_within)  # the right law
LinearSearch = but(EmptyBinSampler, apply=_search_from_below)  # the right law, whose steps tell the noisy count
LooseRatios = but(EmptyBinSampler, ratios=lambda self: (EmptyBinSampler.ratios(self)[1],) * 2)


@lru_cache(maxsize=4096)
def exploration(sampler: EmptyBinSampler) -> Exploration[int]:
    """What the explorer finds for M_0(U_0)."""
    return explore(lambda coins: sampler.apply(coins.uniform(sampler.d_0)))


SAMPLER = "finitedp.impl.histograms.empty_bins.EmptyBinSampler"
CODE = [SAMPLER]

about = partial(entry, code=CODE, grid=CASES, subject=EmptyBinSampler)


@about(
    "BV.Alg8.5",
    "algorithm",
    "M_0(u_0) = M(0, f(u_0)), where f has q + 1 arguments for each of its first r values and q for the others.",
    over=OVER + "; every u_0, and the law by the explorer",
    code=[*CODE, "finitedp.spec.compact.stretch"],
    twins={"u_0 modulo d": Remainders, "long runs last": LongRunsLast, "one long run": OneLongRun},
)
def sampler_map(make: Sampler, case: Case) -> Finding:
    sampler, expected = make(case.mechanism, case.d_0), defined_sampler(case)
    values = tuple(sampler.stretched(u_0) for u_0 in range(1, case.d_0 + 1))
    stretched = tuple(spec.stretch(u_0, len(case.noisy), case.d_0) for u_0 in range(1, case.d_0 + 1))
    counts = tuple(sampler.apply(u_0) for u_0 in range(1, case.d_0 + 1))
    law = Pmf({v: expected.count(v) for v in set(expected)})
    findings = [equal(values, stretched, "f"), equal(counts, expected, "M_0")]
    return all_of([*findings, same_law(exploration(sampler).law(), law, "law by the explorer")])


@about("BV.Lem8.4.i", "lemma", "M_0 is non-decreasing.", over=OVER, twins={"u_0 modulo d": Remainders})
def sampler_monotone(make: Sampler, case: Case) -> Finding:
    sampler = make(case.mechanism, case.d_0)
    counts = [sampler.apply(u_0) for u_0 in range(1, case.d_0 + 1)]
    return equal(counts, sorted(counts), f"M_0 at M(0, .) = {case.noisy}")


@about(
    "BV.Lem8.4.ii",
    "lemma",
    """Pr[M_0(U_0) = v] / Pr[M(0, U) = v] is at least q d/d_0 >= e^(-2d/d_0) and at most (q+1) d/d_0 <= e^(d/d_0), for every v;
    it is 1 where d divides d_0.""",
    over=OVER + "; the law by the explorer",
    code=[f"{SAMPLER}.ratios", *CODE],
    twins={"one long run": OneLongRun, "q for q + 1": LooseRatios},
)
def sampler_ratios(make: Sampler, case: Case) -> Finding:
    sampler, d = make(case.mechanism, case.d_0), len(case.noisy)
    law, noisy, (upper, lower) = exploration(sampler).law(), noisy_law(case), sampler.ratios()
    q, r = divmod(case.d_0, d)
    findings = [equal((upper, lower), (mpq((q + (r > 0)) * d, case.d_0), mpq(q * d, case.d_0)), "stated ratios")]
    findings += [at_most(law[v], upper * noisy[v], f"Pr[M_0 = {v}]") for v in noisy]
    findings += [at_most(lower * noisy[v], law[v], f"lower bound on Pr[M_0 = {v}]") for v in noisy]
    exponents = compare_exp(upper, mpq(d, case.d_0)) <= 0 <= compare_exp(lower, -mpq(2 * d, case.d_0))
    exact = r > 0 or law == noisy
    growth = 1 + mpq(1, q) if r else mpq(1)
    findings.append(equal((exponents, exact, law.support), (True, True, noisy.support), "exponents, equality, support"))
    return all_of([*findings, equal(sampler.growth(), growth, "product of the two factors")])


@about(
    "BV.Lem8.4.iii",
    "lemma",
    "Pr[M_0(U_0) <= a] >= Pr[M(0, U) <= a] for every a, so that M_0 keeps the accuracy of M.",
    over=OVER + "; the law by the explorer",
    twins={"long runs last": LongRunsLast},
)
def sampler_accuracy(make: Sampler, case: Case) -> Finding:
    law, noisy = exploration(make(case.mechanism, case.d_0)).law(), noisy_law(case)
    missing = [
        at_most(law.probability(lambda v, a=a: v > a), noisy.probability(lambda v, a=a: v > a), f"Pr[M_0 > {a}]")  # type: ignore[misc]
        for a in range(case.mechanism.n + 1)
    ]
    return all_of(missing)


@about(
    "BV.Lem8.4.iv",
    "lemma",
    "M_0 makes the comparisons of M and three more, on every path.",
    over=OVER + "; every path",
    twins={"a search from below": LinearSearch},
)
def sampler_cost(make: Sampler, case: Case) -> Finding:
    found, steps = exploration(make(case.mechanism, case.d_0)), case.mechanism.cost().steps
    same = equal(found.shapes, frozenset({((case.d_0,), steps + 3)}), "the same draws and comparisons on every path")
    return all_of([same, equal(found.decided, False, "asks for the value of the draw")])


@about(
    "BV.Lem8.4.v",
    "lemma",
    """S_v, uniform on the u_0 with M_0(u_0) = v, is uniform on an interval whose ends are read from F_M(v-1) and F_M(v): one
    draw, of a cost that does not depend on v.""",
    over=OVER + "; every v of probability above 0; the law by the explorer",
    code=[f"{SAMPLER}.interval", f"{SAMPLER}.sample"],
    twins={"from F(v)": FromOwnCount, "one too many": OneTooMany, "a draw that costs what it needs": CostsWhatItDraws},
)
def sampler_inverse(make: Sampler, case: Case) -> Finding:
    sampler, findings = make(case.mechanism, case.d_0), []
    for v in sorted(noisy_law(case)):
        found = explore(partial(sampler.sample, v))
        findings.append(same_law(found.law(), Pmf.uniform(preimage(case, v)), f"S_{v}"))
        findings.append(equal(found.shapes, frozenset({((case.d_0,), 0)}), f"draws for S_{v}"))
        size = spec.bin_size(noisy_law(case), len(case.noisy), case.d_0, v)
        findings.append(equal(len(preimage(case, v)), size, f"size of S_{v}"))
    return all_of(findings)


class Large(NamedTuple):
    """GeoSample(n, 1/q) and the level of a field that has room for it."""

    n: int
    q: int
    level: int


@own(
    "FD.EmptyBinSampler.sizes",
    "At the sizes of real fields the interval of each S_v has as many elements as the proof of Lemma 8.4 iii counts.",
    over="GeoSample, n, epsilon and l on the grid; every v",
    code=[f"{SAMPLER}.interval"],
    grid=cases(Large, [(3, 1, 2), (9, 1, 3)], [(20, 3, 4), (60, 10, 6)]),
    subject=EmptyBinSampler,
    twins={"from F(v)": FromOwnCount, "one too many": OneTooMany},
)
def sampler_sizes(make: Sampler, case: Large) -> Finding:
    geo = GeoSample(case.n, mpq(1, case.q))
    d_0 = 2 ** (2 * 3**case.level)
    sampler, law = make(geo, d_0), defined_law(geo)(0)
    intervals = [sampler.interval(v) for v in range(case.n + 1)]
    sizes = [last - first + 1 for first, last in intervals]
    starts = [1, *(last + 1 for _, last in intervals[:-1])]
    expected = [spec.bin_size(law, int(geo.d), d_0, v) for v in range(case.n + 1)]
    findings = [equal(sizes, expected, "sizes"), equal([first for first, _ in intervals], starts, "where they start")]
    return all_of([*findings, equal(intervals[-1][1], d_0, "where they end")])
