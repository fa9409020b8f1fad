"""Smaller errors in the text of Section 6 of Balcer and Vadhan: sizes of the universe, and footnote 6."""

from collections.abc import Callable
from itertools import product
from typing import NamedTuple

from gmpy2 import mpq

from finitedp.impl.counting.geometric import GeoSample
from finitedp.impl.histograms.basic import BasicHistogram
from finitedp.impl.histograms.pure_sparse import pure_sparse_histogram_with_geo_sample
from finitedp.impl.histograms.sparse import KeepHeavy
from finitedp.impl.histograms.universe import Integers
from finitedp.proofs_check.claims.bv.counting.subjects import refuses
from finitedp.proofs_check.ledger.entry import AS_READ, Cases, Finding, cases, erratum
from finitedp.proofs_check.ledger.findings import equal, own
from finitedp.spec import counting as spec_counting
from finitedp.spec.neighbours import multisets
from finitedp.spec.order_statistics import order_statistic
from finitedp.spec.pmf import Pmf


class Sizes(NamedTuple):
    """|X| and n."""

    size: int
    n: int


def _sizes(ns: tuple[int, ...]) -> list[Sizes]:
    return [Sizes(size, n) for n in ns for size in range(1, 2 * n + 3)]


SIZES = Cases(_sizes((1, 2, 3)), _sizes((4, 5)))
Admits = Callable[[int, int], bool]


def _any(_size: int, _n: int) -> bool:
    return True


def enough_empty_bins(admits: Admits, case: Sizes) -> Finding:
    """Where a size is admitted, every dataset leaves n + 1 empty bins for step (3) of KH'; else the code refuses."""
    if not admits(case.size, case.n):
        refused = refuses(lambda: pure_sparse_histogram_with_geo_sample(Integers(1, case.size), case.n, 1, 1))
        return equal(refused, True, f"|X| = {case.size} is refused")
    fewest = min(case.size - len(set(dataset)) for dataset in multisets(range(case.size), case.n))
    return equal(fewest >= case.n + 1, True, f"n + 1 empty bins of |X| = {case.size} for every dataset")


def enough_bins(admits: Admits, case: Sizes) -> Finding:
    """Where a size is admitted, there is an (n+1)-th heaviest bin for step (2) of KeepHeavy; else the code refuses."""
    histogram = BasicHistogram(GeoSample(case.n, 1), range(case.size))
    if not admits(case.size, case.n):
        return equal(refuses(lambda: KeepHeavy(histogram)), True, f"|X| = {case.size} is refused")
    return equal(case.size > case.n, True, f"an (n+1)-th bin of |X| = {case.size}")


class Maximum(NamedTuple):
    """The largest of m draws of noise of a decay on 0..n."""

    m: int
    n: int
    decay: mpq

    @property
    def law(self) -> Pmf[int]:
        """The law of one draw."""
        return spec_counting.geometric_mechanism(self.n, self.decay, 0)


One = Callable[[Pmf[int]], mpq]


def maximum_is_zero(one: One, case: Maximum) -> Finding:
    """Pr[Z_(m) = 0] is the m-th power of a probability of one draw."""
    found = order_statistic([case.law] * case.m, case.m)[0]
    return equal(found, one(case.law) ** case.m, "Pr[Z_(m) = 0]")


erratum(
    "BV.Err.10.keep-heavy",
    "Algorithm 6.1 as printed: KeepHeavy is defined for every universe.",
    """Algorithm 6.1, corrected: KeepHeavy needs |X| >= n + 1, since it compares with the (n+1)-th heaviest bin; the code
    refuses less.""",
    as_printed=("every universe", _any),
    subject=lambda size, n: size >= n + 1,
    over="|X| up to 2n + 2",
    code=["finitedp.impl.histograms.sparse.KeepHeavy"],
    grid=SIZES,
)(enough_bins)
erratum(
    "BV.Err.10.footnote6",
    f"Footnote 6 {AS_READ}: Pr[Z_(m) = 0] = Pr[M(0, U)]^m, a probability of no event (taken for the sure one).",
    "Footnote 6, corrected: Pr[Z_(m) = 0] = Pr[M(0, U) = 0]^m, Z_(m) the largest of m noisy counts of empty bins.",
    as_printed=("the sure event", lambda law: law.probability(lambda _x: True)),
    subject=lambda law: law[0],
    over="m, n and decay on the grid; the law of the largest of m draws",
    code=["finitedp.spec.order_statistics.order_statistic"],
    grid=cases(Maximum, product((1, 2, 4), (1, 2), [mpq(2, 3)]), product((3, 5, 6), (1, 3), [mpq(1, 5)])),
)(maximum_is_zero)
own(
    "FD.PureSparseHistogram.universe",
    """PureSparseHistogram needs |X| >= 2n + 1, as the header of Algorithm 6.9 asks: every dataset then leaves n + 1 empty
    bins. The code refuses less.""",
    over="|X| up to 2n + 2; every dataset",
    code=["finitedp.impl.histograms.pure_sparse.pure_sparse_histogram_with_geo_sample"],
    grid=SIZES,
    subject=lambda size, n: size >= 2 * n + 1,
    twins={"|X| >= 2n": lambda size, n: size >= 2 * n, "every universe": _any},
)(enough_empty_bins)
