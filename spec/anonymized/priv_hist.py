"""The law of PrivHist, step by step, in both regimes.

Noise is an argument throughout: a function from a true value to the law of the noisy one, such as a dyadic table's or the
double geometric one's clamped to a public range. Two forms of the split stand side by side: the paper's, with an improper
histogram (prevalences that may be negative), and the integer form (W, small_r, large_i), which is equal to it.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from math import isqrt

from attrs import frozen
from gmpy2 import mpq

from finitedp.exact import RationalLike, compare_exp, rational
from finitedp.spec.anonymized.histograms import Histogram, clipped_items, cumulative, items, largest, prevalence
from finitedp.spec.anonymized.post_processing import smooth_output, split_output
from finitedp.spec.pmf import Pmf, mixture, product

__all__ = [
    "Noise",
    "Parameters",
    "SmoothRelease",
    "SplitRelease",
    "blocks",
    "boundaries",
    "ceil_sqrt",
    "fakes_added",
    "finite_stride",
    "improper_split",
    "large_law",
    "large_values",
    "most_large",
    "moved",
    "paper_fakes",
    "paper_last",
    "paper_threshold",
    "small_law",
    "small_values",
    "smooth_law",
    "smooth_release_law",
    "smoothed",
    "split_law",
    "split_release_law",
    "total_law",
    "w_law",
]

Noise = Callable[[int], Pmf[int]]
Improper = Mapping[int, int]


# Step 1 and the public numbers


def total_law(h: Histogram, noise: Noise) -> Pmf[int]:
    """The law of N. Source: PH.step1. Parameters: noise, on the counts 0..U, with values in 0..U."""
    return noise(items(h))


def ceil_sqrt(x: RationalLike) -> int:
    """The least integer s >= 0 with s^2 >= x."""
    bound, s = rational(x, "x"), 0
    while s * s < bound:
        s += 1
    return s


def paper_threshold(total: int, epsilon: RationalLike) -> int:
    """T: the ceiling of sqrt(N min(epsilon, 1)), at least 1. Source: PH.step2."""
    return max(1, ceil_sqrt(total * min(rational(epsilon, "epsilon"), mpq(1))))


def paper_fakes(total: int, epsilon2: RationalLike) -> int:
    """M: the ceiling of max(2 ln(N e^epsilon2), 1) / epsilon2, exactly. Source: PH.step2. Parameters: N >= 1.

    The least m with m epsilon2 >= 1 and e^((m - 2) epsilon2) >= N^2.
    """
    e, m = rational(epsilon2, "epsilon2"), 1
    while m * e < 1 or compare_exp(total * total, (m - 2) * e) > 0:
        m += 1
    return m


def paper_last(total: int, epsilon3: RationalLike) -> int:
    """T': the ceiling of 10 sqrt(N / epsilon3^3). Source: PH.H2."""
    return ceil_sqrt(100 * total / rational(epsilon3, "epsilon3") ** 3)


def finite_stride(total: int, epsilon3: RationalLike, s: int) -> int:
    """floor(s q) for q = sqrt(lam / (N epsilon3)) rounded down to 32 binary places, lam = max(1, 7/10 ceil log2(1/epsilon3)).

    The paper's lam is ln(1/epsilon3), at most this one; it is 0 or negative from epsilon3 = 1 on. Source: PH.H2.
    """
    e, doublings = rational(epsilon3, "epsilon3"), 0
    while 2**doublings * e < 1:
        doublings += 1
    scaled = 2**64 * max(mpq(1), mpq(7 * doublings, 10)) / (total * e)
    return s * isqrt(int(scaled.numerator // scaled.denominator)) >> 32


# Step 2 as in the paper


def fakes_added(h: Histogram, threshold: int, fakes: int) -> Improper:
    """H^a as prevalences: M fakes at T and M at T + 1. Source: PH.step2.a."""
    top = max((*h, threshold + 1))
    return {r: prevalence(h, r) + fakes * (r in (threshold, threshold + 1)) for r in range(1, top + 1)}


def moved(h: Histogram, threshold: int, fakes: int, z: int) -> Improper:
    """H^b: z elements moved from T to T + 1, where prevalences may become negative. Source: PH.step2.b."""
    phi = dict(fakes_added(h, threshold, fakes))
    phi[threshold], phi[threshold + 1] = phi[threshold] - z, phi[threshold + 1] + z
    return phi


def improper_split(phi: Improper, threshold: int) -> tuple[list[int], list[int]]:
    """(phi^bs_{r+} for r = 1..T; H^bl as counts in descending order), by cumulative sums cut off at 0. Source: PH.step2.

    Below T the sums run from T downwards, above it from T + 1 upwards, and each is cut off at 0 before differences are taken.
    """
    small = [max(0, sum(phi[s] for s in range(r, threshold + 1))) for r in range(1, threshold + 1)]
    large, before = list[int](), 0
    for r in range(threshold + 1, max(phi) + 1):
        reached = max(0, sum(phi[s] for s in range(threshold + 1, r + 1)))
        large += [r] * (reached - before)
        before = reached
    return small, large[::-1]


# Step 2 in integers


def most_large(universe: int, threshold: int, fakes: int) -> int:
    """The largest W: floor(U / (T + 1)) + 2M, a public number."""
    return universe // (threshold + 1) + 2 * fakes


def w_law(h: Histogram, threshold: int, fakes: int, universe: int, noise: Noise) -> Pmf[int]:
    """The law of W: phi_{(T+1)+} + M with noise, at most `most_large`. Parameters: noise, with values of at least 0."""
    most = most_large(universe, threshold, fakes)
    return noise(cumulative(h, threshold + 1) + fakes).pushforward(lambda w: min(w, most))


def small_values(h: Histogram, threshold: int, fakes: int, w: int) -> list[int]:
    """max(0, phi_{r+} + 2M - W) for r = 1, ..., T: equal to phi^bs_{r+}."""
    return [max(0, cumulative(h, r) + 2 * fakes - w) for r in range(1, threshold + 1)]


def large_values(h: Histogram, threshold: int, w: int) -> list[int]:
    """max(n_(i), T + 1) for i = 1, ..., W: equal to H^bl."""
    return [max(largest(h, i), threshold + 1) for i in range(1, w + 1)]


def large_law(h: Histogram, threshold: int, w: int, noise: Noise) -> Pmf[tuple[int, ...]]:
    """The law of the noisy large counts, each at least T. Source: PH.Lem8."""
    return product([noise(x - threshold).shifted(threshold) for x in large_values(h, threshold, w)])


def small_law(h: Histogram, threshold: int, fakes: int, w: int, noise: Noise) -> Pmf[tuple[int, ...]]:
    """The law of the noisy phi_{r+}, r = 1, ..., T. Source: PH.Lem8."""
    return product([noise(x) for x in small_values(h, threshold, fakes, w)])


# The whole release


@frozen
class Parameters:
    """What is public. threshold, fakes: N >= 1 to T and to M. noises: of the total, of the split, and of the blocks.

    The total's noise takes 0..U to 0..U, the split's 0..U + 2M to the same, the blocks' 0..U to any integers.
    """

    universe: int
    threshold: Callable[[int], int]
    fakes: Callable[[int], int]
    total_noise: Noise
    split_noise: Noise
    block_noise: Noise | None = None
    last_small: Callable[[int], int] = lambda total: 2 * total  # T' of the high-privacy branch, from N
    stride: Callable[[int, int], int] = lambda total, s: 1  # floor(s q), from N and s


@frozen
class SplitRelease:
    """Everything that the low-privacy branch releases: N; the noisy large counts, of which there are W; the noisy phi_{r+}."""

    total: int
    large: tuple[int, ...]
    small: tuple[int, ...]


@frozen
class SmoothRelease:
    """Everything that the high-privacy branch releases: N, the noisy large counts, and the noisy blocks A_i."""

    total: int
    large: tuple[int, ...]
    blocks: tuple[int, ...]


def split_release_law(h: Histogram, given: Parameters) -> Pmf[SplitRelease]:
    """The joint law of (N, large, small) in the low-privacy branch. Source: PH.Lem7, PH.Lem8."""
    totals = total_law(h, given.total_noise)
    return mixture([(totals[total], _split_at(h, total, given)) for total in totals])


def _split_at(h: Histogram, total: int, given: Parameters) -> Pmf[SplitRelease]:
    if total == 0:
        return Pmf.point(SplitRelease(0, (), ()))
    t, m = given.threshold(total), given.fakes(total)
    ws = w_law(h, t, m, given.universe, given.split_noise)
    parts = list[tuple[mpq, Pmf[SplitRelease]]]()
    for w in ws:
        large, small = large_law(h, t, w, given.split_noise), small_law(h, t, m, w, given.split_noise)
        weights = {SplitRelease(total, a, b): x * y for a, x in large.weights.items() for b, y in small.weights.items()}
        parts.append((ws[w], Pmf(weights)))
    return mixture(parts)


def split_law(h: Histogram, given: Parameters) -> Pmf[tuple[Histogram, int]]:
    """The law of (H, N) in the low-privacy branch. Source: PH.PrivHist.law.split."""

    def output(out: SplitRelease) -> tuple[Histogram, int]:
        if out.total == 0:
            return (), 0
        return split_output(out.large, out.small, given.threshold(out.total), given.fakes(out.total)), out.total

    return split_release_law(h, given).pushforward(output)


# The high-privacy branch


def smoothed(h: Histogram, places: Sequence[int], top: int) -> list[mpq]:
    """phi^v at each place: each count, cut off at `top`, divided between the places around it. Source: PH.H1, PH.H3.

    Parameters: places, in ascending order, the last of them `top`; a count below the first is divided between it and 0.
    """
    phi = {s: mpq(0) for s in (0, *places)}
    for count in h:
        x = min(count, top)
        above = min(s for s in phi if s >= x)
        below = max(s for s in phi if s < above) if above else 0
        share = mpq(x - below, above - below)
        phi[above] += share
        phi[below] += 1 - share
    return [phi[s] for s in places]


def blocks(h: Histogram, places: Sequence[int]) -> list[int]:
    """A_i = P_h(s_i) - P_h(s_{i-1}), s_0 = 0: equal to (s_i - s_{i-1}) phi^v_{s_i+}. Source: PH.H3, PH.H4."""
    sums = [clipped_items(h, s) for s in (0, *places)]
    return [b - a for a, b in pairwise(sums)]


def boundaries(total: int, threshold: int, last: int, stride: Callable[[int], int], large: Sequence[int]) -> list[int]:
    """S: 1..T, then steps of max(1, floor(s q)) up to T' = last, the noisy large counts from T' on, and 2N.

    Source: PH.H2. Parameters: stride, s to floor(s q). Returns: ascending, without duplicates, none above 2N.
    """
    top = 2 * total
    places = {s for s in range(1, threshold + 1) if s <= top} | {top}
    s = threshold
    while (s := s + max(1, stride(s))) <= min(last, top):
        places.add(s)
    return sorted(places | {x for x in large if last <= x <= top})


def smooth_release_law(h: Histogram, given: Parameters) -> Pmf[SmoothRelease]:
    """The joint law of (N, large, blocks) in the high-privacy branch. Source: PH.Lem9.

    Where T' > 2N the large counts are not read by S, and neither they nor W are drawn: `large` is then ().
    """
    totals = total_law(h, given.total_noise)
    return mixture([(totals[total], _smooth_at(h, total, given)) for total in totals])


def _places(total: int, large: Sequence[int], given: Parameters) -> list[int]:
    def stride(s: int) -> int:
        return given.stride(total, s)

    return boundaries(total, given.threshold(total), given.last_small(total), stride, large)


def _smooth_at(h: Histogram, total: int, given: Parameters) -> Pmf[SmoothRelease]:
    if total == 0:
        return Pmf.point(SmoothRelease(0, (), ()))
    larges = Pmf.point(tuple[int, ...](()))
    if given.last_small(total) <= 2 * total:
        t, m = given.threshold(total), given.fakes(total)
        larges = w_law(h, t, m, given.universe, given.split_noise).then(lambda w: large_law(h, t, w, given.split_noise))
    noise = given.block_noise
    if noise is None:
        raise TypeError("the blocks need noise")
    return larges.then(
        lambda large: product([noise(a) for a in blocks(h, _places(total, large, given))]).pushforward(
            lambda drawn: SmoothRelease(total, large, drawn)
        )
    )


def smooth_law(h: Histogram, given: Parameters) -> Pmf[tuple[Histogram, int]]:
    """The law of (H, N) in the high-privacy branch. Source: PH.PrivHist.law.smooth."""

    def output(out: SmoothRelease) -> tuple[Histogram, int]:
        if out.total == 0:
            return (), 0
        return smooth_output(_places(out.total, out.large, given), out.blocks), out.total

    return smooth_release_law(h, given).pushforward(output)
