"""Observation 11, the variance of one estimate; with two noises, Section E; and the sums in the proof of Theorem 25."""

from collections.abc import Callable
from math import isqrt
from typing import NamedTuple

from gmpy2 import mpq

from finitedp.proofs_check.claims.gk.subjects import GK_SPEC
from finitedp.proofs_check.claims.ph.each_case import Bounded, bounded, first_difference, largest_load
from finitedp.proofs_check.claims.ph.subjects import tail
from finitedp.proofs_check.ledger.entry import Finding, cases
from finitedp.proofs_check.ledger.findings import lemma, theorem
from finitedp.spec.anonymized import estimator


class Noise(NamedTuple):
    """The decay p, and how far a count may be from the level."""

    decay: mpq
    reach: int


NOISES = cases(Noise, [(mpq(1, 10), 12), (mpq(1, 2), 30), (mpq(9, 10), 60)], [(mpq(1, 1000), 5), (mpq(99, 100), 300)])


def _one(decay: mpq, k: int) -> mpq:
    """Pr[Z >= k]."""
    return tail(decay, k) if k >= 1 else 1 - tail(decay, 1 - k)


def _two(decay: mpq, k: int) -> mpq:
    """Pr[Z + Z' >= k], from Pr[Z + Z' = j] = ((1-p)/(1+p))^2 p^|j| (|j| + (1+p^2)/(1-p^2))."""
    if k < 1:
        return 1 - _two(decay, 1 - k)
    p = decay
    whole = (k + (1 + p * p) / (1 - p * p)) / (1 - p) + p / (1 - p) ** 2
    return ((1 - p) / (1 + p)) ** 2 * p**k * whole


def _variance(function: estimator.Step, above: Callable[[mpq, int], mpq], decay: mpq, d: int) -> mpq:
    """Var f(d + noise), by the tails of the noise."""
    places = range(min(function.values), max(function.values) + 1)
    weights = {m: above(decay, m - d) - above(decay, m + 1 - d) for m in places}
    weights[places.stop] = above(decay, places.stop - d)
    first = sum((w * function(m) for m, w in weights.items()), mpq(0))
    return sum((w * function(m) ** 2 for m, w in weights.items()), mpq(0)) - first**2


def _exact(decay: mpq, d: int) -> mpq:
    p = decay
    return (1 - p + p * p) / (1 - p) ** 3 * (p ** (d + 1) if d >= 0 else p**-d)


@lemma(
    "GK.Obs11",
    """Observation 11, with its constant: the variance of f(c + Z - r) is exactly (1 - p + p^2)/(1-p)^3 times p^(r-c) for c <
    r, and times p^(c-r+1) for c >= r; so that of phi^_{>=r} is at most 1/(1-p)^3 times the sum over l of p^|l-r| phi_l, as
    bins have noise of their own. (It is stated in the main text, which is not at hand.)""",
    over="p on the grid, all c - r within the grid's reach; the tails of the noise in closed form",
    code=[f"{GK_SPEC}.indicator"],
    grid=NOISES,
    subject=_exact,
    twins={
        "the same on both sides": lambda p, d: _exact(p, -abs(d)),
        "(1-p)^2": lambda p, d: _exact(p, d) * (1 - p),
    },
)
def one_noise(stated: Callable[[mpq, int], mpq], case: Noise) -> Finding:
    f = estimator.indicator(case.decay)
    reached = range(-case.reach, case.reach + 1)
    return first_difference(
        "variance", ((_variance(f, _one, case.decay, d), stated(case.decay, d), f"c - r = {d}, {case}") for d in reached)
    )


@theorem(
    "GK.E.variance",
    """Section E, C_p with two noises: the variance of (f * g)(c + Z + Z' - r) is at most 5 (1 + |c-r| (1-p)) p^|c-r|/(1-p)^7:
    four powers of 1/(1-p) more than with one noise, as the text says of C_p, O(1/(1-p)^9) for O(1/(1-p)^5).""",
    over="p on the grid, all c - r within the grid's reach; the tails of the sum of two noises in closed form",
    code=[f"{GK_SPEC}.two_noises"],
    grid=NOISES,
    subject=lambda p, d: 5 * (1 + abs(d) * (1 - p)) * p ** abs(d) / (1 - p) ** 7,
    twins={
        "(1-p)^6": lambda p, d: 5 * (1 + abs(d) * (1 - p)) * p ** abs(d) / (1 - p) ** 6,
        "without |c-r|": lambda p, d: 5 * p ** abs(d) / (1 - p) ** 7,
        "3 for 5": lambda p, d: 3 * (1 + abs(d) * (1 - p)) * p ** abs(d) / (1 - p) ** 7,
    },
)
def both_noises(bound: Callable[[mpq, int], mpq], case: Noise) -> Finding:
    f = estimator.two_noises(case.decay)
    reached = range(-case.reach, case.reach + 1)
    return largest_load(
        "variance", ((_variance(f, _two, case.decay, d), bound(case.decay, d), f"c - r = {d}, {case}") for d in reached)
    )


class Levels(NamedTuple):
    """The decay p, the largest count, and how many levels are summed."""

    decay: mpq
    most: int
    levels: int


@lemma(
    "GK.Thm25.sum",
    """Theorem 25, the second sum of its proof: for every count l >= 1 the sum over r >= 1 of r p^|l-r| is l (1+p)/(1-p) +
    p^(l+1)/(1-p)^2, at most l/(1-p)^2; so the sum over the counts l >= 1 of phi_l times it is at most n/(1-p)^2, the printed
    O(n/(1-p)^2) with the constant 1.""",
    over="p and l on the grid; the partial sum and what is left of it, exactly",
    code=[f"{GK_SPEC}.kappa"],
    grid=cases(
        Levels,
        [(mpq(1, 10), 10, 30), (mpq(1, 2), 10, 40), (mpq(9, 10), 20, 100)],
        [(mpq(99, 100), 100, 300), (mpq(1, 1000), 3, 9)],
    ),
    subject=lambda p, count: count / (1 - p) ** 2,
    twins={"l/(1-p)": lambda p, count: count / (1 - p) / 2, "1/(1-p)^2": lambda p, _count: 1 / (1 - p) ** 2},
)
@bounded("sum")
def second_sum(bound: Callable[[mpq, int], mpq], case: Levels) -> Bounded:
    p, last = case.decay, case.levels
    for count in range(1, case.most + 1):
        partial = sum((r * p ** abs(count - r) for r in range(1, last + 1)), mpq(0))
        rest = p ** (last + 1 - count) * ((last + 1) / (1 - p) + p / (1 - p) ** 2)
        closed = count * (1 + p) / (1 - p) + p ** (count + 1) / (1 - p) ** 2
        yield abs(partial + rest - closed), mpq(0), f"the closed form, l={count}, {case}"
        yield closed, bound(p, count), f"l={count}, {case}"


class Sizes(NamedTuple):
    """Counts floor(c/i^2), as many as are above 0, of D bins, and the decay."""

    largest: int
    bins: int
    decay: mpq

    @property
    def counts(self) -> list[int]:
        return [c for i in range(1, self.bins + 1) if (c := self.largest // i**2)]


def _root(x: mpq) -> mpq:
    """At least the square root, within 2^-40."""
    scale = 1 << 80
    return mpq(isqrt(int(x * scale)) + 1, 1 << 40)


@theorem(
    "GK.Thm9",
    """Theorem 9, with its constant: for D bins whose counts sum to n, and of which none is above n, Algorithm 1 has E||n^ -
    n||_1 <= 2 sqrt(C_p (n + D) H_n), C_p = 1/(1-p)^5 and H_n = 1 + ... + 1/n, which is at most 1 + ln n. (It is stated in the
    main text, which is not at hand.)""",
    over="counts of up to 300, more bins than items too, p on the grid; variances exactly, their square roots rounded up",
    code=[f"{GK_SPEC}.indicator"],
    derived_from=["GK.Obs11", "GK.f", "PH.Lem4"],
    by="""the nearest histogram at most doubles the sum over r of |phi^_{>=r} - phi_{>=r}|, whose mean is at most that of the
    standard deviations; these are summed by Cauchy and Schwarz with 1/r and r""",
    grid=cases(
        Sizes,
        [(20, 5, mpq(1, 2)), (100, 1000, mpq(9, 10)), (300, 300, mpq(1, 10))],
        [(200, 50, mpq(19, 20)), (200, 10**5, mpq(1, 2))],
    ),
    subject=lambda p, n, bins: (n + bins) / (1 - p) ** 5,
    twins={
        "n alone": lambda p, n, _bins: n / (1 - p) ** 5 / 4,
        "C_p = 1/(1-p)^3": lambda p, n, bins: (n + bins) / (1 - p) ** 3 / 16,
    },
)
def all_levels(square: Callable[[mpq, int, int], mpq], case: Sizes) -> Finding:
    counts, p = case.counts, case.decay
    n, empty = sum(counts), case.bins - len(counts)
    function = estimator.indicator(p)
    at = {d: _variance(function, _one, p, d) for d in range(-n, n + 1)}
    deviations = [_root(sum((at[c - r] for c in counts), empty * at[-r])) for r in range(1, n + 1)]
    harmonic = sum((mpq(1, r) for r in range(1, n + 1)), mpq(0))
    value = sum(deviations, mpq(0)) ** 2
    return largest_load("a quarter of the squared bound", [(value, square(p, n, case.bins) * harmonic, f"n={n}, {case}")])
