"""The running code of every statement on time, under a counter of executed lines, at two sizes, for every class of datasets.

The statements themselves count draws, comparisons and products. What else the code does between them (reading rows, sorting,
walks over labels) is bounded here: from a size to a larger one the lines executed grow by no more than the stated number of
operations does. A loop over a universe of 2^48 labels is cut off, and found.
"""

from collections.abc import Callable

from gmpy2 import mpq

from finitedp.impl.counting.dyadic import DyadicSample
from finitedp.impl.counting.geometric import FastSample, GeoSample
from finitedp.impl.histograms.basic import BasicHistogram, basic_histogram_with_fast_sample
from finitedp.impl.histograms.compact import compact_histogram_with_dyadic_sample
from finitedp.impl.histograms.dyadic import stability_histogram_with_dyadic_sample
from finitedp.impl.histograms.pure_sparse import pure_sparse_histogram_with_geo_sample
from finitedp.impl.histograms.sampled_sparse import sparse_histogram_with_fast_sample
from finitedp.impl.histograms.sparse import KeepHeavy
from finitedp.impl.histograms.stability import stability_histogram_with_fast_sample
from finitedp.proofs_check.checks.work import TooManyLines
from finitedp.proofs_check.claims.own.growth_subjects import (
    Growth,
    Size,
    Timed,
    binomials,
    compact,
    counting,
    distinct,
    exact_tops,
    histogram,
    lines,
    lines_within,
    tops,
    universe_of,
    with_loop,
)
from finitedp.proofs_check.ledger.entry import Finding, cases, entry
from finitedp.proofs_check.ledger.findings import all_of, at_most


def grown(timed: Timed, case: Growth) -> Finding:
    """Whether every class at the larger size executes at most the most lines at the smaller one, times the growth stated."""
    try:
        before = max(lines(run) for run in timed.runs(case.small).values())
        allowed = before * timed.operations(case.large) // timed.operations(case.small)
        return all_of(
            [at_most(lines_within(run, allowed), allowed, f"{name}: lines") for name, run in timed.runs(case.large).items()]
        )
    except TooManyLines as cut:
        return Finding(False, mpq(2), f"{cut}; operations stated: {_ratio(timed, case)}")


def _ratio(timed: Timed, case: Growth) -> str:
    return f"{timed.operations(case.small)} and {timed.operations(case.large)}"


def _claimed(
    id: str,  # noqa: A002  # the field's name
    statement: str,
    timed: Timed,
    growths: tuple[list[Growth], list[Growth]],
    code: list[str],
    **loops: Callable[[Size], int],
) -> None:
    """One entry: from each size to the larger one, for all classes; growths of the quick grid, and what the full one adds."""
    entry(
        id,
        "own",
        f"{statement} (Lines of the running code; seeded coins.)",
        over="every class of datasets or parameters, from a size to a larger one: n rows, 2^log_size labels, epsilon = 1/q",
        code=[f"finitedp.impl.{each}" for each in code],
        grid=cases(Growth, *growths),
        subject=timed,
        twins={loop.replace("_", " "): with_loop(passes, timed) for loop, passes in loops.items()},
        measured=COUNTED,
    )(grown)


def _scan(size: Size) -> int:
    """0..n, one after the other."""
    return size.n


def _pairs(size: Size) -> int:
    """Every row with every other."""
    return size.n**2


def _labels(size: Size) -> int:
    """All labels."""
    return size.size


def _log_n(size: Size) -> int:
    return size.log + size.q.bit_length()


def _n_log_n(size: Size) -> int:
    return size.n * size.log


def _every_label(size: Size) -> int:
    """About 20 lines for every step of a label's search, and 5 for a row."""
    return 20 * size.size * size.log + 5 * size.n


def _sparse(size: Size) -> int:
    return size.n * size.log * size.log_size


def _field(size: Size) -> int:
    """The level of the field is logarithmic in log |X|."""
    return size.n * size.log * size.log_size.bit_length()


COUNTED = """executed lines of Python, at one size and at one that is larger in n, |X| or 1/epsilon alone, for some datasets of
    each class; seeded strict coins; what is remembered between releases is there already"""

ONE = [Growth(Size(2**6, 1), Size(2**12, 1)), Growth(Size(2**6, 1), Size(2**6, 1, 64))], [Growth(Size(64, 1), Size(2**16, 1))]
LISTED = (
    [Growth(Size(6, 12), Size(16, 12)), Growth(Size(6, 12), Size(6, 48))],
    [Growth(Size(6, 12), Size(24, 12)), Growth(Size(6, 12), Size(6, 128))],
)
IN_FIELDS = LISTED[0], LISTED[1][:1]  # whose sizes come in steps of a factor of 3
PRESENT = (
    [Growth(Size(32, 12), Size(128, 12)), Growth(Size(32, 12), Size(32, 64))],
    [Growth(Size(32, 12), Size(256, 12)), Growth(Size(32, 12), Size(32, 512))],
)

_claimed(
    "FD.Lines.GeoSample",
    "A release of GeoSample takes time proportional to log n: BV.Thm4.7.ii and iii.",
    Timed(counting(lambda size: GeoSample(size.n, mpq(1, size.q))), _log_n),
    ONE,
    ["counting.geometric.GeoSample.release"],
    a_scan_of_all_results=_scan,
)
_claimed(
    "FD.Lines.FastSample",
    "A release of FastSample takes time proportional to log n and log 1/epsilon: BV.Thm4.10.iii and iv.",
    Timed(counting(lambda size: FastSample(size.n, mpq(1, size.q), mpq(1, 1000))), _log_n),
    ONE,
    ["counting.geometric.FastSample.release"],
    a_scan_of_all_results=_scan,
)
_claimed(
    "FD.Lines.DyadicSample",
    "A release of DyadicSample takes time proportional to log n: FD.Dyadic.cost.",
    Timed(counting(lambda size: DyadicSample(size.n, mpq(1, size.q), 64)), _log_n),
    ONE,
    ["counting.dyadic.DyadicSample.release"],
    a_scan_of_all_results=_scan,
)
_claimed(
    "FD.Lines.BasicHistogram",
    "A release of BasicHistogram takes time proportional to n + |X| log n: BV.Thm5.2.iv and BV.Thm5.3.iv.",
    Timed(
        histogram(lambda size: basic_histogram_with_fast_sample(range(size.size), size.n, mpq(1, size.q), mpq(1, 20))),
        _every_label,
    ),
    ([Growth(Size(16, 4), Size(16, 6)), Growth(Size(64, 4), Size(256, 4))], [Growth(Size(16, 4), Size(16, 7))]),
    ["histograms.basic.BasicHistogram.release"],
    every_pair_of_rows=_pairs,
    every_pair_of_labels=lambda size: size.size**2,
)
_claimed(
    "FD.Lines.StabilityHistogram",
    "A release of StabilityHistogram takes time proportional to n log n, whatever |X| is: BV.Thm5.5.iv and BV.Thm5.6.iv.",
    Timed(
        histogram(lambda size: stability_histogram_with_fast_sample(size.n, mpq(1, size.q), mpq(1, 2), mpq(1, 2))), _n_log_n
    ),
    PRESENT,
    ["histograms.stability.StabilityHistogram.release"],
    every_pair_of_rows=_pairs,
    all_labels=_labels,
)
_claimed(
    "FD.Lines.StabilityHistogram.dyadic",
    "A release of StabilityHistogram on a dyadic table takes time proportional to n log n, whatever |X| is.",
    Timed(histogram(lambda size: stability_histogram_with_dyadic_sample(size.n, mpq(1, size.q), mpq(1, 1000), 64)), _n_log_n),
    PRESENT,
    ["histograms.dyadic.stability_histogram_with_dyadic_sample", "histograms.stability.StabilityHistogram.release"],
    every_pair_of_rows=_pairs,
    all_labels=_labels,
)
_claimed(
    "FD.Lines.KeepHeavy",
    "A release of KeepHeavy takes time proportional to n + |X| log n: BV.Thm6.2.iii.",
    Timed(
        histogram(lambda size: KeepHeavy(BasicHistogram(GeoSample(size.n, mpq(1, size.q)), range(size.size)))), _every_label
    ),
    (
        [Growth(Size(8, 4), Size(8, 6)), Growth(Size(8, 5), Size(30, 5))],
        [Growth(Size(8, 4), Size(8, 7)), Growth(Size(8, 7), Size(64, 7))],
    ),
    ["histograms.sparse.KeepHeavy.release"],
    every_pair_of_rows=lambda size: 10 * size.n**2,
    every_pair_of_labels=lambda size: size.size**2,
)
_claimed(
    "FD.Lines.OrdSample",
    "OrdSample takes time at most quadratic in n, whatever m is, up to the size of its integers: BV.Prop6.6.",
    Timed(exact_tops, lambda size: size.n**2),
    ([Growth(Size(6, 5), Size(24, 5)), Growth(Size(6, 5), Size(6, 8))], [Growth(Size(6, 5), Size(40, 6))]),
    ["histograms.order_statistics.OrdSample.release"],
    all_m_draws=_labels,
)
_claimed(
    "FD.Lines.ApproxBinSample",
    "ApproxBinSample takes time proportional to t log m: BV.Prop6.15.iv and BV.Prop6.17.time.",
    Timed(binomials, lambda size: size.n * size.log_size),
    LISTED,
    ["histograms.binomial.ApproxBinSample.release", "arithmetic.convolution.approx_conv_exp"],
    all_m_trials=_labels,
)
_claimed(
    "FD.Lines.ApproxOrdSample",
    "ApproxOrdSample takes time proportional to n log n log m: BV.Prop6.19.time.",
    Timed(tops, _sparse),
    LISTED,
    ["histograms.order_statistics.ApproxOrdSample.release"],
    all_m_draws=_labels,
)
_claimed(
    "FD.Lines.distinct",
    "A sequence of n distinct integers outside of a set of at most n takes time proportional to n log |X|: BV.LemA.1.",
    Timed(distinct, lambda size: size.n * size.log_size),
    ([Growth(Size(16, 12), Size(64, 12)), Growth(Size(16, 12), Size(16, 48))], [Growth(Size(16, 12), Size(128, 12))]),
    ["histograms.distinct.distinct_sample"],
    all_labels=_labels,
    every_pair_of_integers=_pairs,
)
_claimed(
    "FD.Lines.SparseHistogram",
    "A release of SparseHistogram takes time proportional to n log n log |X|: BV.Thm6.8.iii.",
    Timed(
        histogram(
            lambda size: sparse_histogram_with_fast_sample(universe_of(size), size.n, mpq(1, size.q), mpq(1, 1000), mpq(1, 20))
        ),
        _sparse,
    ),
    LISTED,
    ["histograms.sampled_sparse.SparseHistogram.release"],
    all_labels=_labels,
)
_claimed(
    "FD.Lines.PureSparseHistogram",
    "A release of PureSparseHistogram takes time proportional to n log n log |X|: BV.Thm6.10.iv and BV.Thm6.11.iv.",
    Timed(
        histogram(lambda size: pure_sparse_histogram_with_geo_sample(universe_of(size), size.n, mpq(1, size.q), 1)), _sparse
    ),
    LISTED,
    ["histograms.pure_sparse.PureSparseHistogram.release"],
    all_labels=_labels,
)
_claimed(
    "FD.Lines.CompactHistogram",
    """A release of CompactHistogram takes time proportional to n log n log log |X|, at these sizes, up to that of operations
    on field elements: BV.Lem8.1.iv.cost, BV.Thm8.3.iv and BV.Thm8.6.iv.""",
    Timed(histogram(compact), _field),
    IN_FIELDS,
    ["histograms.compact.CompactHistogram.release"],
    all_labels=_labels,
    every_pair_of_rows=lambda size: 50 * size.n**2,
)
_claimed(
    "FD.Lines.CompactHistogram.dyadic",
    """A release of CompactHistogram on a dyadic table takes time proportional to n log n log log |X|, at these sizes, up to
    that of operations on field elements: FD.Dyadic.compact.cost.""",
    Timed(
        histogram(lambda size: compact_histogram_with_dyadic_sample(universe_of(size), size.n, mpq(1, size.q), 162)), _field
    ),
    IN_FIELDS,
    ["histograms.compact.CompactHistogram.release", "histograms.compact.compact_histogram_with_dyadic_sample"],
    all_labels=_labels,
    every_pair_of_rows=lambda size: 50 * size.n**2,
)
