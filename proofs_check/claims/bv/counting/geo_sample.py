"""Theorem 4.7 and Algorithm 4.8 of Balcer and Vadhan: GeoSample."""

from collections.abc import Callable
from functools import partial

from gmpy2 import mpq

from finitedp.exact import RationalLike
from finitedp.impl.counting.geometric import GeoSample
from finitedp.proofs_check.claims.bv.counting import twins
from finitedp.proofs_check.claims.bv.counting.subjects import accurate_as_stated, fixed_cost, monotone, private, running_law
from finitedp.proofs_check.ledger.entry import Cases, Finding, entry
from finitedp.proofs_check.ledger.findings import algorithm, same_laws
from finitedp.proofs_check.ledger.grids import ACCURACY, COUNTING, Counting
from finitedp.spec import counting as spec

Geo = Callable[[int, RationalLike], GeoSample]


def _geo(make: Geo, case: Counting) -> GeoSample:
    return make(case.n, case.epsilon)


GEO = ["finitedp.impl.counting.geometric.GeoSample", "finitedp.spec.counting.geo_sample"]
LAW = Cases(
    # floats are exact up to 2^53: a k that is computed with them is wrong from there on
    [*COUNTING.of("quick"), *(Counting(1, q) for q in (2**53 + 1, 2**64 + 1, 10**30))],
    lambda: COUNTING.of("full"),
)
GEO_LAW_TWINS = {
    "k from 53 bits of 1/epsilon": twins.GeoFrom53Bits,
    "k one too small": twins.GeoTooNarrow,
    "k two too large": twins.GeoTooWide,
    "F(z) > u": twins.GeoShifted,
    "top of F off by one": twins.GeoUnclampedRange,
}

about = partial(entry, code=GEO, grid=COUNTING, subject=GeoSample)


@about(
    "BV.Thm4.7.i",
    "theorem",
    "GeoSample has the law of the geometric mechanism at epsilon~, clamped to 0..n.",
    over="every count; the law of the running code by the explorer against the definition",
    grid=LAW,
    twins=GEO_LAW_TWINS,
)
@algorithm(
    "BV.Alg4.8",
    "GeoSample: inverse transform sampling on F with d = (2^(k+1) + 1)(2^k + 1)^(n-1), k = ceil(log(2/epsilon)).",
    over="every count; the law of the running code by the explorer against the definition",
    code=[*GEO, "finitedp.impl.arithmetic.kernels.least_reaching"],
    grid=LAW,
    subject=GeoSample,
    twins=GEO_LAW_TWINS,
)
def geo_sample_law(make: Geo, case: Counting) -> Finding:
    defined = partial(spec.geo_sample, case.n, case.epsilon)
    return same_laws(running_law(_geo(make, case)), defined, range(case.n + 1), "count {}".format)


@about(
    "BV.Thm4.7.i.private",
    "theorem",
    "GeoSample is (epsilon~/2, 0)-differentially private for counting queries: its worst ratio is at most 1 + 2^-k.",
    over="every pair of neighbouring counts; the ratio is compared as a rational, and 1 + 2^-k with e^(epsilon/2) rigorously",
    twins={"k one too small": twins.GeoTooNarrow},
)
def geo_sample_privacy(make: Geo, case: Counting) -> Finding:
    return private(_geo(make, case), GeoSample(case.n, case.epsilon), "BV.Thm4.7.i")


@about(
    "BV.Thm4.7.i.accurate",
    "theorem",
    "GeoSample has (a, beta)-accuracy for a = ceil(2/epsilon~ * ln(1/beta)), beta in (0, 1].",
    over="every count and every beta, by those at which an integer error is just exceeded",
    grid=ACCURACY,
    twins={"4/epsilon for 2/epsilon in k": twins.GeoTwiceAsWide},
)
def geo_sample_accuracy(make: Geo, case: Counting) -> Finding:
    return accurate_as_stated(_geo(make, case), GeoSample(case.n, case.epsilon), mpq(0), "BV.Thm4.7.i")


@about(
    "BV.Thm4.7.ii",
    "theorem",
    """GeoSample runs in time quasi-linear in n log(1/epsilon): one draw of fewer than (k+1)(n+1) bits and exactly
    ceil(log2(n+1)) comparisons of integers of at most d, the same on every path and for every count.""",
    over="every count and every path",
    code=["finitedp.impl.counting.geometric.GeoSample.cost"],
    twins={"a search that exits early": twins.GeoEarlyExit},
)
def geo_sample_cost(make: Geo, case: Counting) -> Finding:
    mechanism = _geo(make, case)
    return fixed_cost(mechanism, case.n, (mechanism.k + 1) * (case.n + 1))


@about(
    "BV.Thm4.7.iv",
    "theorem",
    "GeoSample(c, u) is non-decreasing in u.",
    over="every count; all u at once, as the intervals that the explorer finds",
    code=["finitedp.impl.counting.geometric.GeoSample.apply"],
    twins={"decreasing in u": twins.GeoReversed},
)
def geo_sample_monotone(make: Geo, case: Counting) -> Finding:
    return monotone(_geo(make, case), case.n)
