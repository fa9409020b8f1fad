"""Speed and growth of the histograms of Sections 5 to 8, on strict coins, beside the paper's growth."""

import resource
from collections.abc import Callable, Sequence
from typing import Any

import gmpy2
from timing import Row, duration, exponent, median

from finitedp.impl.arithmetic.convolution import approx_conv_exp
from finitedp.impl.counting.geometric import GeoSample
from finitedp.impl.histograms.binomial import ApproxBinSample
from finitedp.impl.histograms.compact import compact_histogram_with_fast_sample, compact_histogram_with_geo_sample
from finitedp.impl.histograms.distinct import distinct_sample
from finitedp.impl.histograms.pure_sparse import pure_sparse_histogram_with_geo_sample
from finitedp.impl.histograms.sampled_sparse import sparse_histogram_with_fast_sample
from finitedp.impl.histograms.stability import stability_histogram_with_fast_sample
from finitedp.impl.histograms.universe import Integers
from finitedp.impl.randomness.coins import StrictCoins

LARGE, MEDIUM = Integers(0, 2**64 - 1), Integers(0, 2**32 - 1)


def _spread(n: int, universe: Integers) -> dict[int, int]:
    """n distinct labels, one row each."""
    return {label * 0x9E3779B97F4A7C15 % universe.size: 1 for label in range(n)}


def _grown(
    name: str, make: Callable[[int], Any], sizes: Sequence[int], universe: Integers, aims: str, paper: str
) -> list[Row]:
    """The time of one release at each n, and the fitted exponent of its growth."""
    times = []
    for n in sizes:
        histogram, counts = make(n), _spread(n, universe)
        times.append(median(lambda h=histogram, c=counts: h.release_counts(c, StrictCoins()), repeats=1))  # type: ignore[misc]
    shown = ", ".join(f"n = {n}: {duration(t)}" for n, t in zip(sizes, times, strict=True))
    return [(name, shown, aims, f"growth exponent in n {exponent(sizes, times):.2f} (paper: {paper})")]


def stability() -> list[Row]:
    """StabilityHistogram on distinct labels."""

    def make(n: int) -> Any:
        return stability_histogram_with_fast_sample(n, 1, "1/1000000", "1/20")

    name = "StabilityHistogram with FastSample, |X| = 2^64, epsilon = 1"
    return _grown(name, make, (10**4, 10**5), LARGE, "n = 10^5: 10 s", "1")


def sparse() -> list[Row]:
    """SparseHistogram and PureSparseHistogram."""

    def approximate(n: int) -> Any:
        return sparse_histogram_with_fast_sample(LARGE, n, 1, "1/1000000", "1/20")

    def pure(n: int) -> Any:
        return pure_sparse_histogram_with_geo_sample(LARGE, n, "1/10", "1/20")

    rows = _grown("SparseHistogram with FastSample, |X| = 2^64, epsilon = 1", approximate, (500, 1000, 2000), LARGE, "", "1")
    name = "PureSparseHistogram with GeoSample, |X| = 2^64, epsilon = 1/10"
    return rows + _grown(name, pure, (100, 300, 1000), LARGE, "n = 100: 1 s, n = 1000: 60 s", "2")


def compact() -> list[Row]:
    """CompactHistogram, and one count of its release."""

    def fast(n: int) -> Any:
        return compact_histogram_with_fast_sample(MEDIUM, n, 1, "1/20")

    def geo(n: int) -> Any:
        return compact_histogram_with_geo_sample(MEDIUM, n, 1)

    name = "CompactHistogram with FastSample, |X| = 2^32, epsilon = 1"
    rows = _grown(f"{name}, by Newton's form", fast, (250, 500, 900), MEDIUM, "n = 500: 10 s", "1")
    rows += _grown(f"{name}, by the tree", fast, (1000, 2000, 4000), MEDIUM, "", "1")
    rows += _grown("CompactHistogram with GeoSample, |X| = 2^32, epsilon = 1", geo, (250, 500, 1000), MEDIUM, "", "2")
    release = fast(500).release_counts(_spread(500, MEDIUM), StrictCoins())
    again = type(release).from_bytes(release.to_bytes())
    first = median(lambda: type(release).from_bytes(release.to_bytes()).count(12345), repeats=3)
    later = median(lambda: again.count(12345))
    return [*rows, ("its evaluation, n = 500", duration(later), "50 ms", f"with loading the file: {duration(first)}")]


def guard() -> list[Row]:
    """PureSparseHistogram with and without the guard, in the same run."""
    times = []
    for guarded in (True, False):
        histogram = pure_sparse_histogram_with_geo_sample(LARGE, 100, "1/10", "1/20", guarded=guarded)
        counts = _spread(100, LARGE)
        times.append(median(lambda h=histogram, c=counts: h.release_counts(c, StrictCoins()), repeats=1))  # type: ignore[misc]
    note = f"every round in full: {duration(times[1])}, {times[1] / times[0]:.0f} times as long"
    return [("PureSparseHistogram, |X| = 2^64, n = 100, guarded", duration(times[0]), "1 s", note)]


def rounds() -> list[Row]:
    """ApproxBinSample's own time by its result, which is what the padding hides."""
    s, m = 1 << 2048, 2**64 - 1
    sampler, times, results = ApproxBinSample(s), [], (0, 3, 31, 255)
    for result in results:
        expected = max(result, 1)  # successes expected, so that a draw in the middle gives about that result
        coins = _Middle()
        found = sampler.release(m, expected, m, 512, coins)
        times.append(median(lambda e=expected, c=coins: sampler.release(m, e, m, 512, c), repeats=3))  # type: ignore[misc]
        if abs(found - expected) > 1:
            raise SystemExit(f"a draw in the middle gave {found}")
    shown = ", ".join(f"about {r}: {duration(t)}" for r, t in zip(results, times, strict=True))
    note = f"growth exponent in the result {exponent(results[1:], times[1:]):.2f} (paper: 1)"
    return [("ApproxBinSample by its result, not padded", shown, "", note)]


class _Middle:
    """Coins that always answer the middle."""

    slack = gmpy2.mpq(1)

    def uniform(self, d: int, _most: int | None = None) -> int:
        return d // 2

    def bits(self, b: int) -> int:
        return 1 << b >> 1


def engines() -> list[Row]:
    """The power of a vector by FLINT, as it is, and by Kronecker substitution on gmpy2."""
    rows = []
    for bits, length in ((512, 16), (512, 256), (6600, 64)):
        s, i = 1 << bits, 2**16 - 1
        vector = [s - s // 1000, s // 1000, *[0] * (length - 2)]
        ours = median(lambda v=vector, i=i, s=s: approx_conv_exp(v, i, s), repeats=3)  # type: ignore[misc]
        theirs = median(lambda v=vector, i=i, b=bits: _by_gmpy2(v, i, b), repeats=3)  # type: ignore[misc]
        if list(_by_gmpy2(vector, i, bits)) != approx_conv_exp(vector, i, s):
            raise SystemExit("the engines differ")
        note = f"gmpy2: {duration(theirs)}, {theirs / ours:.1f} times as long"
        rows.append((f"ApproxConvExp, {length} entries of {bits} bits, i = 2^16 - 1, by FLINT", duration(ours), "", note))
    return rows


def _by_gmpy2(a: list[int], i: int, bits: int) -> Sequence[int]:
    """The same by packing the entries into one integer."""
    length, slot = len(a), 3 * bits + 2 * len(a).bit_length()
    one = power = gmpy2.pack([gmpy2.mpz(x) for x in a], slot)
    for position in reversed(range(i.bit_length() - 1)):
        square = gmpy2.f_mod_2exp(power * power, slot * length)
        odd = i >> position & 1
        product = gmpy2.f_mod_2exp(square * one, slot * length) if odd else square
        entries = [c >> (bits * (2 if odd else 1)) for c in gmpy2.unpack(product, slot)]
        power = gmpy2.pack((entries + [gmpy2.mpz(0)] * length)[:length], slot)
    entries = gmpy2.unpack(power, slot)
    return (entries + [gmpy2.mpz(0)] * length)[:length]


def distinct() -> list[Row]:
    """DistinctSample: quasi-linear in the number drawn."""
    sizes, times = (1000, 4000, 16000), []
    for n in sizes:
        excluded = _spread(n, LARGE)
        times.append(median(lambda e=excluded, n=n: distinct_sample(2**64, e.keys(), n + 1, StrictCoins()), repeats=1))  # type: ignore[misc]
    shown = ", ".join(f"n = {n}: {duration(t)}" for n, t in zip(sizes, times, strict=True))
    return [("DistinctSample, n + 1 of 2^64 without n", shown, "", f"growth exponent {exponent(sizes, times):.2f} (paper: 1)")]


def exact_noise() -> list[Row]:
    """What n noisy counts alone cost, for comparison."""
    mechanism = GeoSample(1000, "1/10")
    took = median(lambda: [mechanism.release(1, StrictCoins()) for _ in range(1000)], repeats=3)
    return [("1000 noisy counts by GeoSample, n = 1000, epsilon = 1/10", duration(took), "", "of PureSparseHistogram's time")]


def memory() -> list[Row]:
    """The most memory that this process ever took."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return [("most memory of this process, all of the above", f"{peak / 1024:,.0f} MiB", "1 GiB", "")]


PARTS = (stability, sparse, compact, guard, rounds, engines, distinct, exact_noise, memory)
