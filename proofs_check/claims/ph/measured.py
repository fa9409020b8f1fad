"""Theorem 1, utility and cost: the size of S and what is wrong at small n, exactly; growth with n, measured on seeded runs."""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from itertools import product
from math import isqrt
from typing import NamedTuple

from gmpy2 import mpq

from finitedp.exact import compare_exp, log_bounds
from finitedp.impl.anonymized.prevalences import Pairs, pairs_of_counts, sorted_distance, total_of
from finitedp.impl.anonymized.priv_hist import PrivHist, priv_hist, priv_hist_as_printed
from finitedp.impl.anonymized.properties import entropy
from finitedp.impl.counting.dyadic import DyadicSample
from finitedp.impl.randomness.coins import Coins, SeededBits, StrictCoins
from finitedp.numbers import decimal
from finitedp.proofs_check.claims.ph.each_case import Bounded, bounded, largest_load
from finitedp.proofs_check.claims.ph.mechanisms import Steps, Tiny, split_law
from finitedp.proofs_check.claims.ph.subjects import SPEC, error_of_total, expected
from finitedp.proofs_check.ledger.entry import Cases, Finding, cases, erratum, in_scope
from finitedp.proofs_check.ledger.findings import lemma, theorem
from finitedp.spec.anonymized import histograms
from finitedp.spec.anonymized import priv_hist as spec
from finitedp.spec.anonymized.histograms import Histogram

CODE = ["finitedp.impl.anonymized.priv_hist.PrivHist"]


# What is wrong as printed, exactly


@erratum(
    "PH.Thm1.empty",
    """Theorem 1 as printed, at its edge n = 0: for epsilon > 1 E l1(h, H) is at most a constant times sqrt(n) e^(-c epsilon),
    so 0 at n = 0.""",
    """An edge case of Theorem 1: E l1(h, H) is at most a constant times sqrt(n + 1), since at n = 0 there is an error wherever
    N > 0 (the constant 3 is enough at these sizes); for n >= 1 that is a constant times sqrt(n).""",
    as_printed=("sqrt(n)", lambda n: 9 * n),
    subject=lambda n: 9 * (n + 1),
    twins={"a constant of 1/4": lambda n: mpq(n + 1, 16)},
    over="the exact law of the low-privacy branch, all histograms with as many items as the grid says, U = 2",
    code=[f"{SPEC}.priv_hist.split_law"],
    grid=Cases((0, 1), (2,)),
    kind="theorem",
)
def empty(square: Callable[[int], mpq | int], n: int) -> Finding:
    def mean(h: histograms.Histogram) -> mpq:
        return expected(split_law(Steps(), h, Tiny(2)), lambda out: histograms.distance(h, out[0]))

    return largest_load("square of the mean error", [(mean(h) ** 2, square(n), h) for h in histograms.partitions(n)])


@theorem(
    "PH.Thm1.total",
    """Theorem 1, the number of items: E|N - n| is at most a constant times e^(-c epsilon) for epsilon > 1: 5 e^(-epsilon/3),
    with the thirds of epsilon. (Both copies of the text have lost the relation, so that a constant may have been meant or not;
    without one, E|N - n| = 2.88 at epsilon = 1.02 would contradict it.)""",
    over="epsilon_1 = epsilon/3 on the grid and n = 60, e^-epsilon_1 from below within 2^-60; the exact mean",
    code=[f"{SPEC}.priv_hist.total_law"],
    grid=Cases((mpq(34, 100), mpq(1), mpq(2)), (mpq(5), mpq(35, 100))),
    subject=lambda mean, third: compare_exp(5 / mean, third) >= 0,
    twins={
        "a constant of 2": lambda mean, third: compare_exp(2 / mean, third) >= 0,
        "at most 1": lambda mean, _third: mean <= 1,
    },
)
def mean_of_total(holds: Callable[[mpq, mpq], bool], third: mpq) -> Finding:
    in_scope(third > mpq(1, 3), "epsilon > 1")
    n = 60
    decay = _decay(third)
    mean = error_of_total(decay, n)
    return Finding(holds(mean, third), mean / (5 * decay), f"E|N - n| = {decimal(mean, 4)} at epsilon_1 = {third}, n = {n}")


def _decay(third: mpq) -> mpq:
    """E^-epsilon_1, from below within 2^-60."""
    low, high = mpq(0), mpq(1)
    while high - low > mpq(1, 2**60) or not low:
        middle = (low + high) / 2
        low, high = (middle, high) if compare_exp(middle, -third) <= 0 else (low, middle)
    return low


# The size of S, on which error and time depend


class Bounds(NamedTuple):
    """N, T, T' >= 10 (T + 1), q = 1/quotient, and the noise that each large count may have."""

    total: int
    threshold: int
    last: int
    quotient: int
    noise: tuple[int, ...]

    def check_scope(self) -> None:
        in_scope(self.threshold >= 1 and self.last >= 10 * (self.threshold + 1), "T >= 1 and T' >= 10 (T + 1)")
        in_scope(self.total >= 1 and self.quotient >= 1 and self.noise, "N >= 1, a quotient, and some noise")


def _boundaries(case: Bounds, large: Sequence[int]) -> list[int]:
    return spec.boundaries(case.total, case.threshold, case.last, lambda s: s // case.quotient, large)


def _by_one(case: Bounds, large: Sequence[int]) -> list[int]:
    return spec.boundaries(case.total, case.threshold, case.last, lambda _: 1, large)


def _with_what_is_between(case: Bounds, large: Sequence[int]) -> list[int]:
    return sorted({*_boundaries(case, large), *(y for x in large if x >= case.last for y in range(x, 2 * case.total))})


@lemma(
    "PH.SecD.places",
    """Before (18), with constants: where T' >= 10 (T + 1), S has T + 1 places up to T and at 2N, at most 2 log_(1+q)(T'/T)
    between T and T', and from T' to 2N at most 10 n/T' + U + 1, T' itself among them, U the number of large counts below
    T'/10, fakes at T + 1 too, that noise takes to T' or above.""",
    over="N, T, T' and q on the grid; histograms of one or two large counts and one fake, noise on the grid for each",
    code=[f"{SPEC}.priv_hist.boundaries"],
    grid=cases(
        Bounds,
        [(60, 1, 20, 4, (-2, 0, 19)), (80, 3, 40, 8, (0, 1, 40)), (100, 4, 60, 2, (-9, 3))],
        [(400, 9, 100, 30, (-30, 0, 90)), (300, 2, 200, 3, (0, 150)), (200, 7, 120, 50, (0, 1))],
    ),
    subject=_boundaries,
    twins={"steps of one": _by_one, "all from a large count on": _with_what_is_between},
)
@bounded("number of places, or its power")
def how_many(made: Callable[[Bounds, Sequence[int]], list[int]], case: Bounds) -> Bounded:
    t, last = case.threshold, case.last
    for h in ((t + 1,), (last // 10, t + 2), (last, last // 2), (last + 3, last + 2)):
        counts: Histogram = (*histograms.checked(h), t + 1)
        for noise in product(case.noise, repeat=len(counts)):
            noisy = [x + z for x, z in zip(counts, noise, strict=True)]
            risen = sum(10 * x < last <= y for x, y in zip(counts, noisy, strict=True))
            places = made(case, noisy)
            between = sum(t < s < last for s in places)
            where = f"{h}, noise {noise}, {case}"
            yield (1 + mpq(1, case.quotient)) ** between, mpq(last, t) ** 2, f"between, {where}"
            beyond = sum(last <= s < 2 * case.total for s in places)
            yield beyond, mpq(10 * sum(h), last) + risen + 1, f"from T' on, {where}"
            yield sum(s <= t or s == 2 * case.total for s in places), t + 1, f"the others, {where}"


class Growth(NamedTuple):
    """Data, epsilon, and the numbers of items, of which the last against the first gives the exponent."""

    data: str
    epsilon: str
    sizes: tuple[int, ...]
    runs: int = 3

    def __str__(self) -> str:
        return f"{self.data}, epsilon={self.epsilon}, n={self.sizes[0]}..{self.sizes[-1]}, {self.runs} seeded runs each"


def _of_ranks(c: int) -> Pairs:
    """The histogram of counts floor(c/i): phi_r = floor(c/r) - floor(c/(r + 1))."""
    found, i = list[tuple[int, int]](), 1
    while i <= c:
        last = c // (c // i)
        found.append((c // i, last - i + 1))
        i = last + 1
    return tuple(reversed(found))


def zipf(n: int) -> Pairs:
    """Of these the one with the most items below n."""
    return _of_ranks(bisect_left(range(n + 1), n, key=lambda c: total_of(_of_ranks(c))) - 1)


def flat(n: int) -> Pairs:
    """One label for each of the counts 1..t, as many as have at most n items."""
    return tuple((r, 1) for r in range(1, (isqrt(8 * n + 1) - 1) // 2 + 1))


HALF = mpq(1, 2)
DATA: dict[str, Callable[[int], Pairs]] = {"Zipf": zipf, "flat": flat}
Measure = Callable[[Pairs, str, Coins], mpq | int]


def _error(make: Callable[[int, str], PrivHist]) -> Measure:
    return lambda pairs, epsilon, coins: sorted_distance(
        make(total_of(pairs), epsilon).release_pairs(pairs, coins).histogram, pairs
    )


def _raw(pairs: Pairs, epsilon: str, coins: Coins) -> Pairs:
    """Noise on the count of each label, the labels known."""
    mechanism = DyadicSample(total_of(pairs), 2 * mpq(epsilon), 64)
    return pairs_of_counts(mechanism.release(r, coins) for r, many in pairs for _ in range(many))


def _apart(released: Pairs, total: int, pairs: Pairs) -> mpq:
    """The distance of the plug-in entropies: of their intervals' lower ends, which are nearer to them than 2^-50."""
    return mpq(abs(entropy(released, total)[0] - entropy(pairs, total_of(pairs))[0]))


def _entropy_error(pairs: Pairs, epsilon: str, coins: Coins) -> mpq:
    released = priv_hist(total_of(pairs), epsilon).release_pairs(pairs, coins)
    return _apart(released.histogram, released.total, pairs)


def _draws(pairs: Pairs, epsilon: str, coins: Coins) -> int:
    mechanism = priv_hist(total_of(pairs), epsilon)
    return mechanism.draws(mechanism.release_pairs(pairs, coins))


def _exponent(measure: Measure, case: Growth, least: mpq = HALF) -> mpq:
    """The least-squares slope of log(mean) against log(n), by rational bounds of logarithms."""
    points = []
    for n in case.sizes:
        pairs = DATA[case.data](n)
        coins = (StrictCoins(SeededBits(seed, not_private=True)) for seed in range(case.runs))
        mean = mpq(sum(measure(pairs, case.epsilon, each) for each in coins), case.runs)
        points.append((log_bounds(total_of(pairs))[0], log_bounds(max(mean, least))[0]))
    x, y = (sum(values) / len(points) for values in zip(*points, strict=True))
    return mpq(sum((a - x) * (b - y) for a, b in points) / sum((a - x) ** 2 for a, _ in points))


GROWTH = cases(
    Growth,
    [("Zipf", "1", (10**3, 8000, 64000))],
    [
        *(("Zipf", e, (10**4, 10**5, 10**6)) for e in ("1/10", "1", "4")),
        ("flat", "1", (10**4, 10**5, 10**6)),
        ("Zipf", "1/100", (10**4, 10**5, 10**6)),
    ],
)
SAMPLED = (
    "a few seeded runs at a few sizes, with the least-squares exponent; the theorem speaks of all n, and no run decides that"
)


@theorem(
    "PH.Thm1.error",
    """Theorem 1, growth of the error: sqrt(n) up to logarithms. Measured exponent of the mean sorted-l1 error at most 7/10,
    where noise on every label's count has more (on Zipf data).""",
    over="Zipf and flat data, epsilon from 1/100 to 4; the better split and thirds",
    code=CODE,
    grid=GROWTH,
    subject=(_error(priv_hist), _error(priv_hist_as_printed)),
    twins={"noise on every count": (lambda pairs, epsilon, coins: sorted_distance(_raw(pairs, epsilon, coins), pairs),)},
    sampled=SAMPLED,
)
def error_growth(measures: tuple[Measure, ...], case: Growth) -> Finding:
    slopes = [_exponent(measure, case) for measure in measures]
    shown = ", ".join(decimal(slope, 3) for slope in slopes)
    return Finding(max(slopes) <= mpq(7, 10), max(slopes) / mpq(7, 10), f"exponents {shown} of 1/2 and more, {case}")


@theorem(
    "PH.Thm1.time",
    """Theorem 1, growth of the time: sqrt(n) up to logarithms, for epsilon > 1. Measured exponent of the number of draws, on
    which the work depends, at most 3/5; a histogram of all labels draws for each.""",
    over="Zipf and flat data; the better split",
    code=CODE,
    grid=GROWTH,
    subject=_draws,
    twins={"a draw for each label": lambda pairs, _epsilon, _coins: sum(many for _, many in pairs)},
    sampled=SAMPLED,
)
def time_growth(measure: Measure, case: Growth) -> Finding:
    slope = _exponent(measure, case)
    return Finding(slope <= mpq(3, 5), slope / mpq(3, 5), f"exponent {decimal(slope, 3)} of 1/2, {case}")


@theorem(
    "PH.Cor1",
    """Corollary 1, what estimating from the release adds to the error of an estimate, for the plug-in entropy: it falls like
    n^(beta - 1/2). Measured exponent at most -1/4 on Zipf data, where that of noise on every label's count is larger.""",
    over="Zipf data, epsilon = 1, in full 1/10 and 4; the better split",
    code=["finitedp.impl.anonymized.properties.entropy", *CODE],
    grid=cases(
        Growth,
        [("Zipf", "1", (10**3, 8000, 64000), 4)],
        [("Zipf", "1/10", (10**4, 10**5, 10**6)), ("Zipf", "4", (10**4, 10**5, 10**6))],
    ),
    subject=_entropy_error,
    twins={
        "noise on every count": lambda pairs, epsilon, coins: _apart(_raw(pairs, epsilon, coins), total_of(pairs), pairs),
    },
    sampled=SAMPLED,
)
def estimate_growth(measure: Measure, case: Growth) -> Finding:
    slope = _exponent(measure, case, mpq(1, 10**9))
    return Finding(slope <= mpq(-1, 4), mpq(0), f"exponent {decimal(slope, 3)} of -1/2, {case}")
