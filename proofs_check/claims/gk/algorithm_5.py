"""Algorithm 5 (Algorithm 1, fast): the estimates of noisy counts, and the integers next to them."""

from collections.abc import Callable, Sequence
from itertools import combinations_with_replacement, product
from typing import NamedTuple

from gmpy2 import mpq

from finitedp.impl.anonymized import estimator as running
from finitedp.impl.anonymized.l1_isotonic import Run, l1_isotonic
from finitedp.impl.anonymized.prevalences import Pairs
from finitedp.proofs_check.claims.gk.subjects import GK_SPEC
from finitedp.proofs_check.claims.ph.each_case import Bounded, bounded
from finitedp.proofs_check.ledger.entry import cases
from finitedp.proofs_check.ledger.findings import algorithm, own
from finitedp.spec.anonymized import estimator, histograms, post_processing
from finitedp.spec.anonymized.histograms import Histogram

IMPL = "finitedp.impl.anonymized.estimator"
Function = Callable[[int], mpq]


class Noisy(NamedTuple):
    """All lists of so many noisy counts in 0..n, and the decay."""

    bins: int
    n: int
    decay: mpq


NOISY = cases(Noisy, [(2, 3, mpq(1, 2)), (3, 2, mpq(9, 10))], [(3, 4, mpq(2, 3)), (4, 3, mpq(1, 2))])
Algorithm = Callable[[Sequence[int], int, mpq], Pairs]


def _targets(noisy: Sequence[int], n: int, decay: mpq, change: Callable[[Function], Function] = lambda f: f) -> list[mpq]:
    levels = (change(estimator.corrected(decay, n, r)) for r in range(1, n + 1))
    return [sum((f(y) for y in noisy), mpq(0)) for f in levels]


def _fitted(targets: Sequence[mpq], bins: int) -> Pairs:
    scale = 1 << 96
    x = l1_isotonic([Run(int(t * scale)) for t in targets], scale, 0, bins)
    return histograms.prevalences(post_processing.from_cumulative(range(1, len(x) + 1), x))


def _with_f(change: Callable[[Function], Function]) -> Algorithm:
    return lambda noisy, n, decay: _fitted(_targets(noisy, n, decay, change), len(noisy))


def _by_rank(noisy: Sequence[int], n: int, decay: mpq) -> Pairs:
    """#{noisy > r} for #{noisy >= r} in the estimate."""
    levels = [t - sum(y == r for y in noisy) for r, t in enumerate(_targets(noisy, n, decay), 1)]
    return _fitted(levels, len(noisy))


def _rounded_after(noisy: Sequence[int], n: int, decay: mpq) -> Pairs:
    """Real l1 regression first (a median of each violating block), rounded then."""
    x: list[mpq] = []
    for target in _targets(noisy, n, decay):
        x.append(min([target, *x]) if x else target)
    levels = [max(0, min(len(noisy), int((value + mpq(1, 2)).__floor__()))) for value in x]
    return histograms.prevalences(post_processing.from_cumulative(range(1, n + 1), levels))


@algorithm(
    "GK.phihat",
    """phi^_{>=r} is the sum over all bins of f(noisy count - r), and the same from the numbers c_v of bins with each noisy
    count: #{noisy >= r} + kappa (c_r - c_{r-1}).""",
    over="all lists of noisy counts of the grid",
    code=[f"{IMPL}.estimates", f"{GK_SPEC}.estimate"],
    grid=NOISY,
    subject=lambda noisy, n, decay: running.algorithm_5(noisy, n, 1 / decay),
    twins={"kappa c_r alone": _with_f(lambda f: lambda y: max(f(y), mpq(0)))},
)
@algorithm(
    "GK.Alg5",
    """Algorithm 5, which is Algorithm 1: the histogram of at most as many labels as bins whose cumulative prevalences are
    nearest to the estimates in the l1 distance, among all integers (estimates by corners, of #{noisy >= r} + kappa (c_r -
    c_{r-1})).""",
    over="all lists of noisy counts of the grid, against a search of all non-increasing integers",
    code=[f"{IMPL}.algorithm_5", f"{IMPL}.estimates", f"{GK_SPEC}.estimates"],
    grid=NOISY,
    subject=lambda noisy, n, decay: running.algorithm_5(noisy, n, 1 / decay),
    twins={
        "c_{>r} for c_{>=r}": _by_rank,
        "no kappa": _with_f(lambda f: lambda y: mpq(f(y) > 0)),
        "rounded after a running minimum": _rounded_after,
        "empty bins left out": lambda noisy, n, decay: running.algorithm_5([y for y in noisy if y], n, 1 / decay),
    },
)
@bounded("above the least")
def nearest(algorithm: Algorithm, case: Noisy) -> Bounded:
    for noisy in combinations_with_replacement(range(case.n + 1), case.bins):
        targets = _targets(noisy, case.n, case.decay)
        bins, listed = running.noisy_bins(noisy, case.n), list[mpq]()
        for _, length, num in running.estimates(bins, case.n, 1 / case.decay):
            listed += [mpq(num, running.SCALE)] * length
        gap = max((abs(a - b) for a, b in zip(listed, targets, strict=True)), default=mpq(0))
        yield gap, mpq(2 * case.bins, running.SCALE), f"estimates of {noisy}, {case}"
        out: Histogram = histograms.from_prevalences(algorithm(noisy, case.n, case.decay))
        cost = sum((abs(t - histograms.cumulative(out, r)) for r, t in enumerate(targets, 1)), mpq(0))
        least = post_processing.l1_isotonic_value(targets, 0, case.bins)
        yield cost - least, mpq(4 * case.bins * case.n, running.SCALE), f"{noisy} became {out}, {case}"
        yield len(out), mpq(case.bins), f"labels of {noisy}, {case}"


class Lists(NamedTuple):
    """All lists of so many multiples of 1/scale in low..high, each with the runs' lengths."""

    lengths: tuple[int, ...]
    scale: int
    low: int
    high: int


@own(
    "GK.l1",
    """The integer l1-isotonic regression by the slope trick attains the least sum of |target - x| over non-increasing integers
    in a range, runs of equal targets weighted by their length.""",
    over="all lists of targets j/scale within 1 beyond the range, against a dynamic program over all integers",
    code=["finitedp.impl.anonymized.l1_isotonic.l1_isotonic"],
    grid=cases(Lists, [((1, 1, 1), 2, 0, 2), ((3, 1, 1), 2, 0, 2)], [((1, 2, 1, 1), 2, 0, 2), ((1, 3, 2), 3, -1, 2)]),
    subject=l1_isotonic,
    twins={
        "targets rounded first": lambda runs, scale, low, high: l1_isotonic(
            [Run((2 * run.num + scale) // (2 * scale), run.length) for run in runs], 1, low, high
        ),
        "lengths left out": lambda runs, scale, low, high: l1_isotonic([Run(run.num) for run in runs], scale, low, high),
        "running minimum": lambda runs, scale, low, high: [
            max(low, min(high, min(r.num for r in runs[: i + 1]) // scale)) for i in range(len(runs))
        ],
    },
)
@bounded("cost")
def slope_trick(regress: Callable[[Sequence[Run], int, int, int], list[int]], case: Lists) -> Bounded:
    targets = range((case.low - 1) * case.scale, (case.high + 1) * case.scale + 1)
    for nums in product(targets, repeat=len(case.lengths)):
        runs = [Run(num, length) for num, length in zip(nums, case.lengths, strict=True)]
        x = regress(runs, case.scale, case.low, case.high)
        inside = x == sorted(x, reverse=True) and min(x) >= case.low and max(x) <= case.high
        wanted = [mpq(num, case.scale) for num in nums]
        cost = sum((n * abs(t - y) for n, t, y in zip(case.lengths, wanted, x, strict=True)), mpq(0))
        least = post_processing.l1_isotonic_value(wanted, case.low, case.high, case.lengths)
        yield cost + (not inside) * 10**6, least, f"targets {wanted}, x = {x}"
