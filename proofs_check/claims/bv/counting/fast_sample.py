"""Theorem 4.10 and Algorithm 4.11 of Balcer and Vadhan: FastSample."""

from collections.abc import Callable
from functools import partial

from gmpy2 import mpq

from finitedp.exact import RationalLike
from finitedp.impl.arithmetic.kernels import ceil_log2
from finitedp.impl.counting.geometric import FastSample
from finitedp.proofs_check.claims.bv.counting import twins
from finitedp.proofs_check.claims.bv.counting.subjects import accurate_as_stated, fixed_cost, monotone, private, running_law
from finitedp.proofs_check.ledger.entry import Finding, entry
from finitedp.proofs_check.ledger.findings import all_of, at_most, same_laws
from finitedp.proofs_check.ledger.grids import ACCURACY, GAMMA, Counting
from finitedp.spec import counting as spec

Fast = Callable[[int, RationalLike, RationalLike], FastSample]


def _fast(make: Fast, case: Counting) -> FastSample:
    return make(case.n, case.epsilon, case.gamma)


FAST = ["finitedp.impl.counting.geometric.FastSample", "finitedp.spec.counting.fast_sample"]
FAST_LAW_TWINS = {
    "k one too small": twins.FastTooNarrow,
    "k two too large": twins.FastTooWide,
    "no uniform part": twins.FastUnmixed,
    "gamma left out of t": twins.FastTWithoutGamma,
    "1/epsilon left out of t": twins.FastTWithoutEpsilon,
    "truncated mass left at the ends": twins.FastTailsAtEnds,
}

about = partial(entry, code=FAST, grid=GAMMA, subject=FastSample)


@about(
    "BV.Alg4.11",
    "algorithm",
    """FastSample: inverse transform sampling on F(z) = (z+1)d' + (1/gamma - 1)(n+1)F'(z), with gamma <= 1/2 and the logarithm
    base 2.""",
    over="every count; the law of the running code by the explorer against the mixture of Lemma 4.12 ii",
    code=[*FAST, "finitedp.impl.arithmetic.kernels.least_reaching"],
    twins=FAST_LAW_TWINS,
)
def fast_sample_law(make: Fast, case: Counting) -> Finding:
    defined = partial(spec.fast_sample, case.n, case.epsilon, case.gamma)
    return same_laws(running_law(_fast(make, case)), defined, range(case.n + 1), "count {}".format)


@about(
    "BV.Thm4.10.i",
    "theorem",
    "FastSample is (epsilon/2, 0)-differentially private for counting queries; its worst ratio is even at most 1 + 2^-k.",
    over="every pair of neighbouring counts; the ratio is compared as a rational, and 1 + 2^-k with e^(epsilon/2) rigorously",
    twins={
        "k one too small": twins.FastTooNarrow,
        "no uniform part": twins.FastUnmixed,
        "gamma left out of t": twins.FastTWithoutGamma,
        "1/epsilon left out of t": twins.FastTWithoutEpsilon,
    },
)
def fast_sample_privacy(make: Fast, case: Counting) -> Finding:
    return private(_fast(make, case), FastSample(case.n, case.epsilon, case.gamma), "BV.Thm4.10.i")


@about(
    "BV.Thm4.10.ii",
    "theorem",
    "FastSample has (a, beta)-accuracy for a = ceil(2/epsilon~ * ln(1/(beta - gamma))), beta above gamma.",
    over="every count and every beta above gamma, by those at which an integer error is just exceeded",
    grid=ACCURACY,
    twins={"4/epsilon for 2/epsilon in k": twins.FastTwiceAsWide},
)
def fast_sample_accuracy(make: Fast, case: Counting) -> Finding:
    return accurate_as_stated(_fast(make, case), FastSample(case.n, case.epsilon, case.gamma), mpq(1, case.g), "BV.Thm4.10.ii")


@about(
    "BV.Thm4.10.iii",
    "theorem",
    """FastSample runs in time quasi-linear in (1/epsilon) log n log(n/gamma): one draw of at most (k+1)(t+2) + log2(n+1) +
    log2(1/gamma) + 2 bits, with t < 9/(2 epsilon) * (log2(8(n+1)/(epsilon gamma)) + 1), and exactly ceil(log2(n+1))
    comparisons, the same on every path and for every count.""",
    over="every count and every path",
    code=["finitedp.impl.counting.geometric.FastSample.cost"],
    twins={"a search that exits early": twins.FastEarlyExit},
)
def fast_sample_cost(make: Fast, case: Counting) -> Finding:
    mechanism = _fast(make, case)
    bits = (mechanism.k + 1) * (mechanism.t + 2) + ceil_log2(case.n + 1) + ceil_log2(case.g) + 2
    radius = mpq(9 * case.q, 2) * (ceil_log2(8 * (case.n + 1) * case.q * case.g) + 1)
    return all_of([fixed_cost(mechanism, case.n, bits), at_most(mechanism.t, radius, "t:")])


@about(
    "BV.Thm4.10.v",
    "theorem",
    "FastSample(c, u) is non-decreasing in u.",
    over="every count; all u at once, as the intervals that the explorer finds",
    code=["finitedp.impl.counting.geometric.FastSample.apply"],
    twins={"decreasing in u": twins.FastReversed},
)
def fast_sample_monotone(make: Fast, case: Counting) -> Finding:
    return monotone(_fast(make, case), case.n)
