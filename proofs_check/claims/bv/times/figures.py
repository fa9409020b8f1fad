"""The time columns of Figures 3 to 6 of Balcer and Vadhan, and with them the running times of Theorems 1.2 to 1.4 and 1.6."""

from collections.abc import Callable
from functools import partial
from typing import Any

from gmpy2 import mpq

from finitedp.impl.counting.geometric import CountingMechanism
from finitedp.impl.histograms.basic import BasicHistogram
from finitedp.impl.histograms.compact import (
    CompactHistogram,
    compact_histogram_with_fast_sample,
    compact_histogram_with_geo_sample,
)
from finitedp.impl.histograms.compact_release import CompactRelease
from finitedp.impl.histograms.pure_sparse import PureSparseHistogram
from finitedp.impl.histograms.sampled_sparse import SampledKeepHeavy
from finitedp.impl.histograms.stability import StabilityHistogram
from finitedp.impl.histograms.universe import Integers
from finitedp.proofs_check.claims.bv.times.ladders import (
    COUNTED,
    Ladder,
    Run,
    Size,
    coins,
    grows_no_faster,
    ladders,
    log,
    reference,
    rows,
    scanning,
)
from finitedp.proofs_check.ledger.entry import Cases, Finding, entry

Counting = Callable[[str, Size], CountingMechanism]
GEO, FAST = "GeoSample", "FastSample"
timed = partial(entry, over="every line of the column; ladders of sizes in which one parameter grows", measured=COUNTED)


def _universe(size: Size) -> Integers:
    return Integers(0, size.size - 1)


# Figure 3


def basic(counting: Counting) -> Run:
    """BasicHistogram over all of X."""
    return lambda line, size: lambda: BasicHistogram(counting(line, size), range(size.size)).release(rows(size), coins())


def basic_bound(line: str, size: Size) -> int:
    """|X| n log(1/epsilon); or (|X|/epsilon) log^2 n + n log |X|, where log(1/beta) is O(log n)."""
    if line == GEO:
        return size.size * size.n * log(size.q)
    return size.size * size.q * log(size.n) ** 2 + size.n * size.log_size


@timed(
    "BV.Fig3.time",
    "figure",
    """The running times of BasicHistogram over X: quasi-linear in |X| n log(1/epsilon) with GeoSample, and in (|X|/epsilon)
    log^2 n + n log |X| with FastSample (Theorem 1.2; BV.Thm5.3.iv counts draws and comparisons exactly).""",
    code=["finitedp.impl.histograms.basic.BasicHistogram.release"],
    grid=Cases(
        lambda: [
            *ladders(GEO, Size(32, 2, 2, 4), n=(32, 128, 512), log_size=(2, 4, 6), q=(2, 2**4, 2**8, 2**16)),
            *ladders(FAST, Size(32, 2, 16, 4), n=(32, 128, 512), log_size=(2, 4, 6), q=(16, 32, 64)),
        ],
        lambda: [
            *ladders(GEO, Size(64, 3, 1, 4), n=(64, 256, 1024, 4096), log_size=(3, 6, 9), q=(1, 2**6, 2**12, 2**24)),
            *ladders(FAST, Size(64, 3, 16, 4), n=(64, 2**10, 2**13), log_size=(3, 5, 7), q=(16, 64, 256)),
        ],
    ),
    subject=basic(reference),
    twins={"a scan for the search": basic(scanning)},
)
def time_of_basic(run: Run, case: Ladder) -> Finding:
    return grows_no_faster(run, basic_bound, case)


# Figure 4


def stability(counting: Counting) -> Run:
    """StabilityHistogram with a threshold of n/2, at gamma = min{1/(4n), delta/2}, over labels of so many bits."""

    def run(line: str, size: Size) -> Callable[[], object]:
        data, of_any_size = [x + size.size - size.n for x in rows(size)], size._replace(log_size=0, r=max(2 * size.n, size.r))
        return lambda: StabilityHistogram[int](counting(line, of_any_size), size.n // 2).release(data, coins())

    return run


def stability_bound(line: str, size: Size) -> int:
    """n^2 log(1/epsilon) + n log n log |X|; or (n/epsilon) log(1/(beta delta)) + n log n log |X|, at beta = 1/2."""
    reading = size.n * log(size.n) * size.log_size
    return reading + (size.n**2 * log(size.q) if line == GEO else size.n * size.q * log(2 * size.r))


@timed(
    "BV.Fig4.time",
    "figure",
    """The running times of StabilityHistogram: quasi-linear in n^2 log(1/epsilon) with GeoSample and in (n/epsilon)
    log(1/(beta delta)) with FastSample, and n log n log |X| beside (Theorem 1.3; BV.Thm5.6.iv counts draws and comparisons
    exactly).""",
    code=["finitedp.impl.histograms.stability.StabilityHistogram.release"],
    grid=Cases(
        lambda: [
            *ladders(GEO, Size(16, 16, 2, 4), n=(16, 32, 64), log_size=(16, 64, 256)),
            *ladders(GEO, Size(16, 4, 2, 4), q=(2, 2**4, 2**8)),
            *ladders(FAST, Size(16, 4, 16, 4), n=(16, 64, 128), r=(4, 2**8, 2**16)),
            *ladders(FAST, Size(4, 2, 16, 4), q=(16, 32, 64)),
            *ladders(FAST, Size(16, 16, 4, 4), log_size=(16, 64)),
        ],
        lambda: [
            *ladders(GEO, Size(32, 5, 2, 4), n=(32, 64, 128, 256), log_size=(5, 1024), q=(2, 2**6, 2**12)),
            *ladders(FAST, Size(32, 5, 16, 4), n=(32, 128, 512), r=(4, 2**16, 2**64)),
            *ladders(FAST, Size(4, 2, 32, 4), q=(32, 64, 256)),
        ],
    ),
    subject=stability(reference),
    twins={"a scan for the search": stability(scanning)},
)
def time_of_stability(run: Run, case: Ladder) -> Finding:
    return grows_no_faster(run, stability_bound, case)


# Figure 5


def pure_sparse(line: str, size: Size) -> Callable[[], object]:
    """PureSparseHistogram at beta_1 = 1/(4r)."""
    beta_1, finer = mpq(1, 4 * size.r), size._replace(r=4 * size.r)
    return lambda: PureSparseHistogram[int](reference(line, finer), _universe(size), size.epsilon, beta_1).release(
        rows(size), coins()
    )


def exact_order_statistics(line: str, size: Size) -> Callable[[], object]:
    """Broken: KH' for SparseHistogram, with exact order statistics."""
    return lambda: SampledKeepHeavy[int](reference(line, size), _universe(size)).release(rows(size), coins())


def pure_sparse_bound(line: str, size: Size) -> int:
    """n^2 log^2 |X| + n log |X| log(1/(beta epsilon)), and n^2 log(1/epsilon) or (n/epsilon) log(|X|/beta)."""
    n, lx, both = size.n, size.log_size, log(size.r * size.q)
    noise = n**2 * log(size.q) if line == GEO else n * size.q * (lx + log(size.r))
    return n**2 * lx**2 + n * lx * both + noise


@timed(
    "BV.Fig5.time",
    "figure",
    """The running times of PureSparseHistogram: quasi-linear in n^2 log^2 |X| + n log |X| log(1/(beta epsilon)), and beside
    in n^2 log(1/epsilon) with GeoSample and in (n/epsilon) log(|X|/beta) with FastSample (Theorem 1.4; BV.Thm6.11.iv counts
    draws and comparisons exactly).""",
    code=["finitedp.impl.histograms.pure_sparse.PureSparseHistogram.release"],
    grid=Cases(
        lambda: [
            *ladders(GEO, Size(4, 6, 2, 4), n=(4, 8, 16), log_size=(6, 8, 10), q=(2, 2**4, 2**8), r=(4, 2**8)),
            *ladders(FAST, Size(1, 2, 16, 4), q=(16, 32, 64)),
            *ladders(FAST, Size(4, 6, 4, 4), n=(4, 8), log_size=(6, 8, 10), r=(4, 2**8)),
        ],
        lambda: [
            *ladders(GEO, Size(8, 7, 1, 2), n=(8, 16, 32), log_size=(7, 32, 128), q=(1, 2**8, 2**16), r=(2, 2**16)),
            *ladders(FAST, Size(2, 3, 16, 2), q=(16, 64, 256)),
            *ladders(FAST, Size(8, 7, 2, 2), n=(8, 16, 32), log_size=(7, 32, 128), r=(2, 2**16)),
        ],
    ),
    subject=pure_sparse,
    twins={"exact order statistics": exact_order_statistics},
)
def time_of_pure_sparse(run: Run, case: Ladder) -> Finding:
    return grows_no_faster(run, pure_sparse_bound, case)


# Figure 6


def compact(line: str, size: Size) -> CompactHistogram[Any]:
    """CompactHistogram at beta_0 = 1/r."""
    if line == GEO:
        return compact_histogram_with_geo_sample(_universe(size), size.n, size.epsilon)
    return compact_histogram_with_fast_sample(_universe(size), size.n, size.epsilon, mpq(1, size.r))


def compact_release(line: str, size: Size) -> Callable[[], object]:
    """One release."""
    return lambda: compact(line, size).release(rows(size), coins())


def compact_with_all_counts(line: str, size: Size) -> Callable[[], object]:
    """Broken: every label's count is computed with the release, which is linear in |X|."""
    labels = range(min(size.size, 1 << 9))
    return lambda: dict(compact(line, size).release(rows(size), coins()).counts(labels))


def compact_bound(line: str, size: Size) -> int:
    """n^2 log(1/epsilon) + n log |X|; or (n/epsilon) log(|X|/beta)."""
    if line == GEO:
        return size.n**2 * log(size.q) + size.n * size.log_size
    return size.n * size.q * (size.log_size + log(size.r))


FIELD = 3  # d_0 is at most the cube of what is needed, since the fields are of 2^(2*3^l) elements


@timed(
    "BV.Fig6.time",
    "figure",
    """The running times of CompactHistogram: quasi-linear in (n/epsilon) log(|X|/beta) with FastSample, and in n^2
    log(1/epsilon) + n log |X| with GeoSample, up to the factor 3 of the next field (Theorem 1.6). In 1/epsilon, |X| and
    1/beta; in n the interpolation is quadratic up to some hundred points, and quasi-linear beyond: BV.Lem8.1.iv.cost counts
    its products.""",
    code=["finitedp.impl.histograms.compact.CompactHistogram.release"],
    grid=Cases(
        lambda: [
            *ladders(GEO, Size(4, 4, 2, 4), log_size=(4, 9, 32), q=(2, 2**4, 2**8)),
            *ladders(FAST, Size(4, 4, 1, 4), log_size=(4, 9, 32), q=(1, 2, 4, 8)),
        ],
        lambda: [
            *ladders(GEO, Size(16, 8, 1, 4), log_size=(8, 64, 512), q=(1, 2**8, 2**16)),
            *ladders(FAST, Size(8, 8, 1, 4), log_size=(8, 64, 512), q=(1, 4, 16, 32), r=(4, 2**64)),
        ],
    ),
    subject=compact_release,
    twins={"counts of all labels beside": compact_with_all_counts},
)
def time_of_compact(run: Run, case: Ladder) -> Finding:
    return grows_no_faster(run, compact_bound, case, FIELD)


Read = Callable[[CompactRelease[Any], int], int]


def evaluation(read: Read) -> Run:
    """One evaluation of a released histogram, by `read`."""

    def run(line: str, size: Size) -> Callable[[], object]:
        released = compact(line, size).release(rows(size), coins())
        return lambda: read(released, size.size - 1)

    return run


def from_all_counts(released: CompactRelease[Any], label: int) -> int:
    """Broken: a count is looked up in a table of all counts, up to 2^9 of them."""
    counts: dict[int, int] = dict(released.counts(range(min(released.universe.size, 1 << 9))))
    return counts.get(label, 0)


@timed(
    "BV.Fig6.evaluation",
    "figure",
    """The evaluation times of CompactHistogram are those of the column of running times: quasi-linear in (n/epsilon)
    log(|X|/beta) with FastSample, and in n^2 log(1/epsilon) + n log |X| with GeoSample, up to the factor 3 of the next field
    (Theorem 1.6; BV.Thm8.6.v counts products exactly).""",
    code=["finitedp.impl.histograms.compact_release.CompactRelease.count"],
    grid=Cases(
        lambda: [
            *ladders(GEO, Size(8, 4, 2, 4), log_size=(4, 9, 32), n=(8, 16, 32), q=(2, 2**4, 2**8)),
            *ladders(FAST, Size(4, 4, 1, 4), n=(4, 16), log_size=(4, 9, 32), q=(1, 2, 4, 8)),
        ],
        lambda: [
            *ladders(GEO, Size(8, 8, 1, 4), n=(8, 16, 32, 64), log_size=(8, 64, 512), q=(1, 2**8, 2**16)),
            *ladders(FAST, Size(8, 8, 1, 4), n=(8, 32, 128), log_size=(8, 64, 512), q=(1, 4, 16), r=(4, 2**64)),
        ],
    ),
    subject=evaluation(CompactRelease.count),
    twins={"counts of all labels": evaluation(from_all_counts)},
)
def time_of_evaluation(run: Run, case: Ladder) -> Finding:
    return grows_no_faster(run, compact_bound, case, FIELD)
