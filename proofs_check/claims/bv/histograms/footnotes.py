"""Footnotes 2, 4, 5 and 6 of Balcer and Vadhan, and the string that a compact histogram is (Lemma 8.1 iii)."""

import math
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any, NamedTuple

from gmpy2 import mpq

from finitedp.errors import DataError
from finitedp.impl.counting.geometric import FastSample, GeoSample
from finitedp.impl.histograms.basic import BasicHistogram
from finitedp.impl.histograms.compact import CompactHistogram
from finitedp.impl.histograms.compact_release import CompactRelease
from finitedp.impl.histograms.order_statistics import ApproxOrdSample, OrdSample, TopSampler
from finitedp.impl.histograms.sampled_sparse import SampledKeepHeavy
from finitedp.impl.histograms.sparse import heavier_than
from finitedp.impl.histograms.universe import Integers
from finitedp.proofs_check.claims.bv.compact.subjects import empty_bin_law
from finitedp.proofs_check.claims.bv.counting.subjects import refuses, running_law
from finitedp.proofs_check.claims.bv.sparse.toys import ToyGeometric
from finitedp.proofs_check.engine.explorer import explore
from finitedp.proofs_check.ledger.entry import Finding, cases
from finitedp.proofs_check.ledger.findings import all_of, at_most, equal, lemma
from finitedp.spec.divergence import total_variation
from finitedp.spec.neighbours import multisets


class Encoded(NamedTuple):
    """|X|, n and the mechanism of a compact release: its string, by the length of its parts."""

    size: int
    n: int
    fast: bool

    def __str__(self) -> str:
        return f"{'FastSample' if self.fast else 'GeoSample'}, |X|={self.size}, n={self.n}"


def _string(histogram: CompactHistogram[Any], coefficients: tuple[int, ...]) -> bytes:
    return CompactRelease(histogram.level, histogram.mechanism, histogram.universe, coefficients).to_bytes()


def _without_leading_zeros(histogram: CompactHistogram[Any], coefficients: tuple[int, ...]) -> bytes:
    """Broken: each coefficient in as many bytes as it needs."""
    text, bits = _string(histogram, coefficients), 2 * 3**histogram.level
    size = -(-bits // 8) * len(coefficients)
    short = b"".join(c.to_bytes(-(-c.bit_length() // 8)) for c in coefficients)
    return text[: -32 - size] + short + text[-32:]


@lemma(
    "BV.Lem8.1.iii.string",
    """A released compact histogram is a string of n + 1 coefficients of ceil(log d_0 / 8) bytes each and a header that is as
    long for every polynomial, at most 3000 + 5/2 log |X| + 5/2 log n bits, as it holds both numbers in decimal; the string is
    read back.""",
    over="zero, full and sparse coefficients; GeoSample and FastSample; |X| and n on the grid",
    code=["finitedp.impl.histograms.compact_release.CompactRelease.to_bytes"],
    grid=cases(
        Encoded,
        [(2, 1, False), (2**32, 4, False), (1000, 3, True), (10**493 + 1, 1, True)],  # where 2 log |X| was too little
        [(2**64, 20, False), (2**64, 5, True), (10**30, 40, False)],
    ),
    subject=_string,
    twins={"coefficients without leading zeros": _without_leading_zeros},
)
def length_of_a_compact_release(write: Callable[[CompactHistogram[Any], tuple[int, ...]], bytes], case: Encoded) -> Finding:
    counting = FastSample(case.n, 1, mpq(1, 4)) if case.fast else GeoSample(case.n, 1)
    histogram: CompactHistogram[Any] = CompactHistogram(counting, Integers(0, case.size - 1))
    bits, headers, findings = 2 * 3**histogram.level, set(), []
    last = 2**bits - 1
    for coefficients in ((0,) * (case.n + 1), (last,) * (case.n + 1), (1,) + (0,) * case.n):
        text = write(histogram, coefficients)
        headers.add(len(text) - (case.n + 1) * -(-bits // 8))
        findings.append(equal(_read_back(text), coefficients, "coefficients read back"))
    findings.append(equal(len(headers), 1, "header and coefficients of one length"))
    most = 3000 + mpq(5, 2) * (case.size.bit_length() + case.n.bit_length())
    return all_of([*findings, at_most(8 * max(headers), most, "bits of the header")])


def _read_back(text: bytes) -> tuple[int, ...] | None:
    try:
        return CompactRelease.from_bytes(text).coefficients
    except DataError:
        return None


@lemma(
    "BV.Fn2",
    """Footnote 2: the counts of empty bins have nearly the law of M(0, U), with a small error from the domain of
    hash functions: M_0(U_0) is within distance d/(2 d_0) of it, and not equal to it, since d divides no power of two.""",
    over="GeoSample and FastSample; |X| and n on the grid; laws of the running code",
    code=["finitedp.impl.histograms.empty_bins.EmptyBinSampler"],
    grid=cases(Encoded, product((3, 40), (1, 3), (False, True)), product((2**20, 2**40), (2, 4), (False, True))),
    subject=mpq(1, 2),
    twins={"no error": mpq(0), "d/(10^9 d_0)": mpq(1, 10**9)},
)
def error_of_empty_bins(share: mpq, case: Encoded) -> Finding:
    counting = FastSample(case.n, 1, mpq(1, 4)) if case.fast else GeoSample(case.n, 1)
    histogram: CompactHistogram[Any] = CompactHistogram(counting, range(case.size))
    found = total_variation(empty_bin_law(histogram), running_law(counting)(0)).distance
    allowed = share * mpq(int(counting.d), histogram.sampler.d_0)
    return all_of([at_most(found, allowed, "distance"), equal(found > 0, True, "not the same law")])


class Selection(NamedTuple):
    """Noisy counts 0..top of so many bins, and n."""

    bins: int
    top: int
    n: int


Select = Callable[[list[tuple[int, int]], int], tuple[tuple[int, int], ...]]


def _n_heaviest(bins: list[tuple[int, int]], n: int) -> tuple[tuple[int, int], ...]:
    """The n heaviest bins, ties broken by label: what the last step would be without ties."""
    chosen = sorted(bins, key=lambda pair: (-pair[1], pair[0]))[:n]
    return tuple(sorted(chosen))


@lemma(
    "BV.Fn4",
    """Footnote 4: where no two counts are equal, the last step of KeepHeavy releases the n heaviest bins; with ties it
    releases those strictly heavier than the (n+1)-th, which any set of bins that holds n + 1 of the heaviest determines.""",
    over="every vector of noisy counts, with and without ties; every choice among tied bins",
    code=["finitedp.impl.histograms.sparse.heavier_than"],
    grid=cases(Selection, [(3, 2, 1), (3, 3, 2), (4, 2, 2)], [(4, 4, 2), (5, 2, 3), (5, 3, 2)]),
    subject=heavier_than,
    twins={
        "above the n-th count": lambda bins, n: heavier_than(bins, n - 1),
        "the n heaviest, ties by label": _n_heaviest,
    },
)
def selection(select: Select, case: Selection) -> Iterator[Finding]:
    for counts in product(range(case.top + 1), repeat=case.bins):
        bins, kept = list(enumerate(counts)), select(list(enumerate(counts)), case.n)
        if len(set(counts)) == len(counts):
            yield equal(kept, _n_heaviest(bins, case.n), f"distinct counts {counts}")
        for order in (1, -1):  # which of the tied bins are left out
            heaviest = sorted(sorted(bins, reverse=order < 0), key=lambda pair: -pair[1])[: case.n + 1]
            yield equal(select(sorted(heaviest), case.n), kept, f"{counts} from n + 1 of the heaviest bins")


@lemma(
    "BV.Fn5",
    """Footnote 5: |X| >= 2n + 1 ensures n + 1 labels that do not occur, for every dataset of n rows, and 2n does not; KH'
    accepts exactly those universes, and BasicHistogram is for the others.""",
    over="every dataset; n on the grid, |X| from 1 to 2n + 2",
    code=["finitedp.impl.histograms.sampled_sparse.SampledKeepHeavy", "finitedp.impl.histograms.basic.BasicHistogram"],
    grid=cases(lambda n: n, (1, 2, 3), (4, 5)),
    subject=lambda n: 2 * n + 1,
    twins={"2n": lambda n: 2 * n, "2n + 2": lambda n: 2 * n + 2},
)
def room_for_empty_bins(least: Callable[[int], int], n: int) -> Iterator[Finding]:
    counting = ToyGeometric(n, mpq(1, 2))
    for size in range(1, 2 * n + 3):
        empty = min(size - len(set(rows)) for rows in multisets(range(size), n))
        yield equal(empty >= n + 1, size >= least(n), f"{empty} empty bins at |X| = {size}")
        accepted = not refuses(lambda size=size: SampledKeepHeavy(counting, Integers(0, size - 1)))  # type: ignore[misc]
        yield equal(accepted, size >= least(n), f"|X| = {size} accepted")
        yield equal(len(BasicHistogram(counting, range(size)).labels), size, "BasicHistogram takes any")


class Top(NamedTuple):
    """n, and m draws of M(0, U), M the geometric mechanism at decay 1/2."""

    n: int
    m: int


Sampler = Callable[[ToyGeometric, int], TopSampler]


def _exact(counting: ToyGeometric, _m: int) -> OrdSample:
    return OrdSample(counting.n, counting.scaled_cdf)


@lemma(
    "BV.Fn6",
    """Footnote 6: m random bits and more are needed to sample the largest of m draws of M(0, U). It is 0 with probability
    Pr[M(0, U) = 0]^m, whose denominator is a power m of an integer of at least 2; each output of an exact sampler has a
    probability that is a multiple of 1 over the product of its draws' ranges, so that they hold as many bits.""",
    over="n and m on the grid; every path of the running OrdSample",
    code=["finitedp.impl.histograms.order_statistics.OrdSample"],
    grid=cases(Top, [(1, 2), (1, 6), (2, 4)], [(1, 20), (2, 9), (3, 5)]),
    subject=_exact,
    twins={"ApproxOrdSample": lambda counting, m: ApproxOrdSample(counting.n, counting.scaled_cdf, 64, m)},
)
def bits_of_the_largest(make: Sampler, case: Top) -> Finding:
    counting = ToyGeometric(case.n, mpq(1, 2))
    found = explore(lambda coins: make(counting, case.m).release(case.m, coins))
    empty = found.law().probability(lambda top: top[0] == 0)
    single = mpq(counting.scaled_cdf(0), counting.d)
    ranges = [math.prod(map(int, drawn)) for drawn, _ in found.shapes]
    power = at_most(2**case.m, single.denominator**case.m, "2^m")
    denominator = at_most(empty.denominator, max(ranges), "its denominator, against the product of the ranges")
    return all_of([equal(empty, single**case.m, "Pr[Z_(m) = 0]"), power, denominator])
