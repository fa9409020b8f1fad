"""Section 5 and Appendix C: Theorem 17, the second estimator of Corollary 23, and how Corollary 24 follows from it."""

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import combinations_with_replacement, pairwise, product
from math import factorial, prod
from typing import NamedTuple

from gmpy2 import mpq

from finitedp.exact import ceil_log
from finitedp.impl.anonymized.estimator import algorithm_5
from finitedp.proofs_check.claims.ph.each_case import Bounded, bounded, first_difference, largest_load
from finitedp.proofs_check.claims.ph.subjects import SPEC, clamped_geometric
from finitedp.proofs_check.ledger.entry import Finding, cases, erratum
from finitedp.proofs_check.ledger.findings import definition, lemma, theorem
from finitedp.spec.anonymized import histograms
from finitedp.spec.anonymized.histograms import Histogram
from finitedp.spec.pmf import Pmf
from finitedp.spec.pmf import product as joint

Coefficients = Sequence[mpq]
Weights = tuple[int, ...]


def _samples(weights: Weights, n: int) -> Iterator[tuple[tuple[int, ...], mpq]]:
    """The counts of all labels in n independent draws, with their probabilities."""
    total = mpq(sum(weights))
    for drawn in combinations_with_replacement(range(len(weights)), n):
        counts = tuple(drawn.count(x) for x in range(len(weights)))
        ways = factorial(n) // prod(map(factorial, counts))
        yield counts, ways * prod(((w / total) ** c for w, c in zip(weights, counts, strict=True)), start=mpq(1))


# Theorem 17: any symmetric property


class Estimated(NamedTuple):
    """A law as weights, n draws of it, the decay of the noise, and a linear estimator by name."""

    weights: Weights
    n: int
    decay: mpq
    name: str


HALF = mpq(1, 2)
ESTIMATORS: dict[str, tuple[Callable[[int], list[mpq]], Callable[[mpq], mpq]]] = {
    "support size": (lambda n: [mpq(1)] * n, lambda _p: mpq(1)),
    "power sum": (lambda n: [mpq(r * (r - 1), n * (n - 1)) for r in range(1, n + 1)], lambda p: p * p),
    "uniformity": (lambda n: [abs(mpq(r, n) - HALF) - HALF for r in range(1, n + 1)], lambda p: abs(p - HALF) - HALF),
}
"""By name, the coefficients f(r) of an estimator, and the term of the true value for a probability."""


@cache
def _released(counts: tuple[int, ...], n: int, decay: mpq) -> Pmf[Histogram]:
    """The law of Algorithm 5's histogram."""
    laws = [clamped_geometric(decay, c, 0, n) for c in counts]
    return joint(laws).pushforward(lambda noisy: histograms.from_prevalences(algorithm_5(sorted(noisy), n, 1 / decay)))


def _steps(f: Coefficients) -> mpq:
    return max((abs(mpq(b) - a) for a, b in pairwise(f)), default=mpq(0))


def _of(f: Coefficients, h: Histogram) -> mpq:
    return sum((f[x - 1] for x in h), mpq(0))


@theorem(
    "GK.Thm17",
    """Theorem 17, what its use in Appendix C rests on: for draws from a law and a linear estimator f with the sensitivity L =
    max(|f(1)|, max over r of |f(r) - f(r + 1)|), the mean distance of the estimate from Algorithm 5's histogram n^ to the
    true value is at most that of the estimate from the data plus L E||n^ - n||_1. (The theorem is stated in the main text,
    which is not at hand; its sample sizes are asymptotic.)""",
    over="all samples of the laws of the grid, all noisy counts; the exact law of the histogram that the running code returns",
    code=["finitedp.impl.anonymized.estimator.algorithm_5", f"{SPEC}.histograms.distance"],
    grid=cases(
        Estimated,
        product([(1, 1), (1, 3)], [2, 3], [HALF], ESTIMATORS),
        product([(1, 1, 2)], [3], [mpq(1, 4), mpq(2, 3)], ESTIMATORS),
    ),
    subject=lambda f: max(abs(f[0]), _steps(f)),
    twins={"|f(1)|": lambda f: abs(f[0]) / 2, "the steps alone": _steps},
)
@bounded("error")
def after_noise(sensitivity: Callable[[Coefficients], mpq], case: Estimated) -> Bounded:
    coefficients, term = ESTIMATORS[case.name]
    f = coefficients(case.n)
    error = plain = apart = mpq(0)
    value = sum((term(mpq(w, sum(case.weights))) for w in case.weights), mpq(0))
    for counts, p in _samples(case.weights, case.n):
        true = histograms.checked(c for c in counts if c)
        plain += p * abs(_of(f, true) - value)
        released = _released(counts, case.n, case.decay)
        for out in released:
            q = released[out]
            moved = abs(_of(f, out) - _of(f, true))
            yield moved, sensitivity(f) * histograms.distance(out, true), f"{true} released as {out}, {case}"
            error += p * q * abs(_of(f, out) - value)
            apart += p * q * histograms.distance(out, true)
    yield error, plain + sensitivity(f) * apart, f"mean error, {case}"


# Corollaries 23 and 24


class Batches(NamedTuple):
    """A law as weights, and m draws of it."""

    weights: Weights
    m: int


def _coverage(weights: Weights, m: int) -> mpq:
    """S_m: the sum of 1 - (1 - p)^m."""
    total = sum(weights)
    return sum((1 - mpq(total - w, total) ** m for w in weights), mpq(0))


def _distinct(counts: tuple[int, ...]) -> int:
    """phi_(>=1) of one batch."""
    return histograms.cumulative(histograms.checked(c for c in counts if c), 1)


LAWS = cases(
    Batches,
    product([(1,), (1, 1), (1, 2, 3), (1, 1, 5)], [1, 2, 3]),
    product([(1, 1, 1, 1), (1, 9), (2, 3, 3, 7)], [1, 4, 6]),
)


@definition(
    "GK.SecC.coverage",
    """Section C.2: the support coverage S_m, the sum over the support of 1 - (1 - p)^m, is the expected number of distinct
    elements of m draws; and so S_m/m is the mean of the dense case's estimate phi_(>=1)/n, from n/m batches of m items.""",
    over="all samples of the laws of the grid",
    code=[f"{SPEC}.histograms.cumulative"],
    grid=LAWS,
    subject=_coverage,
    twins={
        "p^m for (1 - p)^m": lambda w, m: sum((1 - mpq(x, sum(w)) ** m for x in w), mpq(0)),
        "at m + 1": lambda w, m: _coverage(w, m + 1),
    },
)
def distinct(value: Callable[[Weights, int], mpq], case: Batches) -> Finding:
    mean = sum((p * _distinct(counts) for counts, p in _samples(*case)), mpq(0))
    return first_difference("mean", [(mean, value(*case), case)])


@lemma(
    "GK.Cor23.dense",
    """Corollary 23, dense case: the number of distinct elements of m draws has a variance of at most m/4, so that the mean of
    n/m batches, over m, has one of at most 1/(4n): O(1/alpha^2) items are enough without noise. One item more in a batch
    changes the estimate phi_(>=1)/n by at most 1/n.""",
    over="all samples of the laws of the grid",
    code=[f"{SPEC}.histograms.cumulative"],
    grid=LAWS,
    subject=mpq(1, 4),
    twins={"m/10": mpq(1, 10)},
)
def batch_variance(constant: mpq, case: Batches) -> Finding:
    known = [(_distinct(counts), p) for counts, p in _samples(*case)]
    mean = sum((p * d for d, p in known), mpq(0))
    spread = sum((p * d * d for d, p in known), mpq(0)) - mean**2
    more = [
        _distinct(counts) - _distinct((*counts[:i], counts[i] - 1, *counts[i + 1 :]))
        for counts, _ in _samples(*case)
        for i in range(len(counts))
        if counts[i]
    ]
    return largest_load("variance, or change", [(spread, constant * case.m, case), (max(more), 1, case)])


class Support(NamedTuple):
    """A law as weights, each atom at least 1/K for the least such K; and alpha."""

    weights: Weights
    alpha: mpq


def _needed(case: Support) -> tuple[int, int]:
    """K, and m = ceil(K ln(3/alpha))."""
    k = -(-sum(case.weights) // min(case.weights))
    return k, ceil_log(k, 3 / case.alpha)


@erratum(
    "GK.Cor24.proof",
    """Corollary 24's proof as printed, which combines the support coverage at m = K ln(3/alpha), rounded up, immediately with
    Corollary 23: an estimate of the coverage within alpha m, as that corollary gives it, is within alpha K of the support
    size.""",
    """Corollary 24's proof, corrected: at m = K ln(3/alpha), rounded up, an estimate of the support coverage within 2 alpha
    K/3 is within alpha K of the support size; so Corollary 23 is needed at the accuracy 2 alpha K/(3m), of the order of
    alpha/log(3/alpha). For large K that gives what is printed; for small K the sample size has a further factor of the order
    of log(3/alpha)^2.""",
    as_printed=("within alpha m", lambda case: case.alpha * _needed(case)[1]),
    subject=lambda case: 2 * case.alpha * _needed(case)[0] / 3,
    twins={"within alpha K": lambda case: case.alpha * _needed(case)[0]},
    over="laws and alpha on the grid; the estimate off by all that is allowed, to either side",
    code=["finitedp.exact.ceil_log"],
    grid=cases(
        Support,
        [((1,), mpq(1, 2)), ((1, 1), mpq(1, 2)), ((1, 2, 3), mpq(1, 10)), ((1,) * 6, mpq(1, 3)), ((1, 9), mpq(1, 100))],
        [((2, 3, 3, 7), mpq(1, 50)), ((1,) * 40, mpq(1, 1000))],
    ),
    kind="theorem",
)
def off_by(allowed: Callable[[Support], mpq], case: Support) -> Finding:
    k, m = _needed(case)
    missed = len(case.weights) - _coverage(case.weights, m)
    where = f"{case}, K={k}, m={m}"
    return largest_load("support size off by", [(missed + allowed(case), case.alpha * k, where)])
