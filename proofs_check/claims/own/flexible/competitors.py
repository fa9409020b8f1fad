"""What flexible mechanisms compete with, our own: the laws that the experiments use, their exact privacy at small sizes."""

from collections.abc import Callable, Iterator
from functools import cache, partial
from itertools import product
from typing import Any, NamedTuple

from gmpy2 import mpq

from finitedp.impl.counting.dyadic_table import dyadic_table
from finitedp.impl.flexible.tables import shifted_table
from finitedp.proofs_check.claims.fa.subjects import small_histograms
from finitedp.proofs_check.claims.own.flexible.subjects import add_pairs, answer, level, worst_delta
from finitedp.proofs_check.ledger.entry import Finding, cases
from finitedp.proofs_check.ledger.findings import all_of, at_most, equal, own, same_law
from finitedp.spec.divergence import hockey_stick, max_ratio
from finitedp.spec.flexible import competitors as spec
from finitedp.spec.flexible import statistics
from finitedp.spec.pmf import Pmf
from finitedp.spec.pmf import product as joint

Histogram = tuple[int, ...]
SPEC = "finitedp.spec.flexible.competitors"


class Asked(NamedTuple):
    """Bars, the most rows, k of max_k (0 for the mode), and epsilon."""

    bars: int
    rows: int
    k: int
    epsilon: mpq


SMALL = cases(
    Asked,
    [(3, 4, 1, mpq(1)), (3, 5, 2, mpq(1)), (3, 5, 0, mpq(1)), (2, 6, 0, mpq(1, 2))],
    [(4, 5, 1, mpq(1, 2)), (4, 6, 2, mpq(1)), (4, 5, 0, mpq(2)), (3, 8, 3, mpq(1))],
)


def _left(count: int, lost: int) -> int:
    return max(0, count - lost)


def _laws_of_bars(x: Histogram) -> list[Pmf[int]]:
    """Noise -1..2 on each bar, nothing below 0."""
    noise = Pmf(dict(enumerate(shifted_table(4, 1, 6).weights, start=-1)))
    return [noise.pushforward(partial(_left, count)) for count in x]


Statistics = dict[str, Callable[[list[Pmf[int]], int], Pmf[int]]]


@own(
    "FD.Compare.laws",
    "Of bars with independent noise, max_k has the law of law_of_max_k and the mode, first of equals, that of law_of_mode.",
    over="all histograms of three bars and 5 rows (four and 6 in full) with noise -1..2; against the joint law of all bars",
    code=[f"{SPEC}.law_of_max_k", f"{SPEC}.law_of_mode"],
    grid=SMALL,
    subject={"max": spec.law_of_max_k, "mode": lambda bars, _k: spec.law_of_mode(bars)},
    twins={
        "more than k": {
            "max": lambda bars, k: spec.law_of_max_k(bars, k + 1),
            "mode": lambda bars, _k: spec.law_of_mode(bars),
        },
        "the last of equals": {
            "max": spec.law_of_max_k,
            "mode": lambda bars, _k: spec.law_of_mode(bars[::-1]).pushforward(lambda i: len(bars) - 1 - i),
        },
    },
)
def laws(found: Statistics, case: Asked) -> Iterator[Finding]:
    for x in small_histograms(case.bars, case.rows)[::3]:
        bars = _laws_of_bars(x)
        expected = joint(bars).pushforward(lambda y: answer(y, case.k))
        yield same_law(found["max" if case.k else "mode"](bars, case.k), expected, f"{x}")


class Exponential(NamedTuple):
    """Bars and rho."""

    bars: int
    rho: mpq


Rows = Callable[[int, int, mpq], Pmf[int]]


def _cut_off(answer: int, bars: int, rho: mpq) -> Pmf[int]:
    """Without outputs that have less than a hundredth of the weight: each row normalised after that."""
    law = spec.exponential(answer, bars, rho)
    return Pmf({r: w for r, w in law.weights.items() if 100 * w > max(law.weights.values())})


@own(
    "FD.Compare.exponential",
    """The exponential mechanism as integer rows: the worst ratio over all pairs of answers, any two of which neighbours may
    have, is exponential_ratio.""",
    over="2 to 6 bars (30 in full), rho from 1/4 to 9/10; every pair of answers",
    code=[f"{SPEC}.exponential", f"{SPEC}.exponential_ratio"],
    grid=cases(
        Exponential, product((2, 3, 6), (mpq(1, 4), mpq(1, 2), mpq(9, 10))), product((10, 30), (mpq(3, 4), mpq(99, 100)))
    ),
    subject=spec.exponential,
    twins={
        "rows cut off after the true answer": _cut_off,
        "rho^2": lambda answer, bars, rho: spec.exponential(answer, bars, rho**2),
    },
)
def exponential(make: Rows, case: Exponential) -> Finding:
    found = [make(answer, *case) for answer in range(case.bars)]
    if any(len(law) < case.bars for law in found):
        return Finding(False, mpq(2), "an output is impossible for some answers only")
    worst = max(max_ratio(p, q).value for p, q in product(found, repeat=2))
    return equal(worst, spec.exponential_ratio(*case), f"worst ratio of {case.bars} bars at rho = {case.rho}")


class Stable(NamedTuple):
    """Epsilon, delta and the bits of the two-sided table; counts up to most."""

    epsilon: mpq
    delta: mpq
    bits: int
    most: int


def _threshold(noise: Pmf[int], delta: mpq) -> int:
    """The least b with Pr[noise >= b] <= delta."""
    return next(b for b in range(max(noise) + 2) if noise.probability(range(b, max(noise) + 1)) <= delta)


@own(
    "FD.Compare.stability",
    """The stability-based histogram, counts of occupied bars with two-sided noise above the least b with Pr[noise >= b] <=
    delta, is (epsilon, Pr[noise >= b])-DP under adding or removing a row, and with no smaller delta where b is below the
    largest count that is released; else nothing is released, and delta is 0.""",
    over="all histograms of two bars and up to 5 rows (6 in full), small tables, b on both sides of the largest count",
    code=[f"{SPEC}.released_if_above"],
    grid=cases(
        Stable,
        [
            (mpq(1), mpq(1, 10), 10, 5),
            (mpq(2), mpq(1, 20), 10, 5),
            *((mpq(1, 2), mpq(1, d), 10, 5) for d in (4, 16)),
            (mpq(1), mpq(1, 9), 8, 1),
        ],
        [
            (mpq(1), mpq(1, 50), 16, 6),
            (mpq(3), mpq(1, 100), 16, 6),
            *((mpq(1, 2), mpq(1, d), 10, most) for d in (8, 99) for most in (2, 4)),
        ],
    ),
    subject=_threshold,
    twins={
        "b - 1": lambda noise, delta: _threshold(noise, delta) - 1,
        "no threshold": lambda noise, delta: min(noise),
    },
)
def stability(threshold: Callable[[Pmf[int], mpq], int], case: Stable) -> Finding:
    table = dyadic_table(case.most, 2 * case.epsilon, case.bits)
    noise = Pmf({sign * j: table.weight(j) for j in range(case.most + 1) for sign in (-1, 1)})
    b, least = threshold(noise, case.delta), _threshold(noise, case.delta)
    exact = noise.probability(lambda z: z >= least) if least < case.most else mpq(0)
    bar = cache(lambda count: spec.released_if_above(noise, count, b, case.most))
    worst = worst_delta(lambda x: joint([bar(count) for count in x]), add_pairs(2, case.most), table.ratio)
    return all_of([equal(worst, exact, f"delta at threshold {b}"), at_most(exact, case.delta, "delta:")])


Distance = Callable[[Histogram, int], int]


def _distance(x: Histogram, k: int) -> int:
    return spec.distance_to_change_max_k(x, k) if k else spec.distance_to_change_mode(x)


def _around(x: Histogram) -> Iterator[Histogram]:
    """All histograms that a row more or less makes of x."""
    for i, count in enumerate(x):
        yield (*x[:i], count + 1, *x[i + 1 :])
        if count:
            yield (*x[:i], count - 1, *x[i + 1 :])


def _searched(x: Histogram, k: int, most: int) -> int:
    """Breadth first: how many rows to the nearest histogram at which one more changes the answer; at most `most`."""
    seen, frontier = {x}, [x]
    for distance in range(most):
        if any(answer(z, k) != answer(y, k) for y in frontier for z in _around(y)):
            return distance
        frontier = list({z for y in frontier for z in _around(y)} - seen)
        seen |= set(frontier)
    return most


def _of_the_lowest_too(x: Histogram, k: int) -> int:
    """Without the condition that the answer is above bar 0: its fall too is taken for a change."""
    if not k:
        return spec.distance_to_change_mode(x)
    m = statistics.max_k(x, k)
    return max(0, min(x[m] - k, *(k - 1 - count for count in x[m + 1 :]), sum(x) + len(x)))


@own(
    "FD.Compare.ptr",
    """Propose-test-release: the distance to a change of max_k or the mode is as stated (a search finds the same), and the
    answer if J < distance, else a uniform one, is (epsilon, delta (1 - 1/B))-DP for the delta of J's table.""",
    over="all histograms of three bars and 4 or 5 rows (four bars in full); distances up to 4; every pair of neighbours",
    code=[f"{SPEC}.propose_test_release", f"{SPEC}.distance_to_change_max_k", f"{SPEC}.distance_to_change_mode"],
    grid=SMALL,
    subject=_distance,
    twins={
        "the fall of bar 0 too": _of_the_lowest_too,
        "a row too many": lambda x, k: _distance(x, k) + 1,
    },
)
def propose_test_release(distance: Distance, case: Asked) -> Iterator[Finding]:
    table = shifted_table(4, case.epsilon, 6)
    for x in small_histograms(case.bars, case.rows)[::2]:
        yield equal(min(4, distance(x, case.k)), _searched(x, case.k, 4), f"distance of {x}")

    @cache
    def law(x: Histogram) -> Pmf[int]:
        return spec.propose_test_release(answer(x, case.k), case.bars, distance(x, case.k), table.weights)

    allowed = table.delta * (1 - mpq(1, case.bars))
    for x, y in add_pairs(case.bars, case.rows):
        for p, q in ((law(x), law(y)), (law(y), law(x))):
            yield at_most(hockey_stick(p, q, table.ratio).delta, allowed, f"delta between {x} and {y}:")


GROWTH, WIDTH = mpq(3, 2), mpq(5, 2)


@own(
    "FD.Compare.smooth",
    """Smooth sensitivity: the level K(x) changes by at most 1 with a row, growth^K is at least what a row can change, and the
    answer with noise of that level is private with the ratio that smooth_worst_ratio bounds.""",
    over="all histograms of three bars and 4 to 6 rows (four bars in full), growth 3/2, width 5/2; every pair of neighbours",
    code=[f"{SPEC}.level", f"{SPEC}.smooth_worst_ratio", f"{SPEC}.spread_costs_max_k", f"{SPEC}.spread_costs_mode"],
    grid=SMALL,
    subject=partial(level, growth=GROWTH),
    twins={
        "the local sensitivity alone": partial(level, growth=GROWTH, local=True),
        "no level": lambda _x, _k: 0,
    },
)
def smooth(level_of: Callable[[Histogram, int], int], case: Asked) -> Iterator[Finding]:
    tables = spec.smooth_tables(case.bars, GROWTH, WIDTH)
    bound = spec.smooth_worst_ratio(case.bars, GROWTH, WIDTH)

    @cache
    def law(x: Histogram) -> Pmf[int]:
        at = min(level_of(x, case.k), len(tables) - 1)
        return spec.with_noise_at(answer(x, case.k), case.bars, tables[at])

    for x, y in add_pairs(case.bars, case.rows):
        jump = abs(answer(x, case.k) - answer(y, case.k))
        low = min(level_of(x, case.k), level_of(y, case.k))
        yield equal(abs(level_of(x, case.k) - level_of(y, case.k)) <= 1, True, f"levels of {x} and {y}")
        yield at_most(jump, GROWTH**low, f"change between {x} and {y}:")
        yield from (at_most(max_ratio(p, q).value, bound, f"{x} and {y}:") for p, q in ((law(x), law(y)), (law(y), law(x))))


def _occupied(x: Histogram, base: mpq) -> Pmf[Any]:
    weights = dict(enumerate(spec.choice_weights(x, base)))
    return Pmf({i: w for i, w in weights.items() if x[i] or not sum(x)})


@own(
    "FD.Compare.choice",
    """One choice among public bars, with weights base^(x_i), is private under adding or removing a row with a ratio below the
    base.""",
    over="all histograms of three bars and 4 to 6 rows (four bars in full); base = 3/2 and 1025/1024",
    code=[f"{SPEC}.choice"],
    grid=SMALL,
    subject=spec.choice,
    twins={
        "weights that fall twice as fast": lambda x, base: spec.choice(x, base**2),
        "occupied bars alone": _occupied,
    },
)
def choice(make: Callable[[Histogram, mpq], Pmf[int]], case: Asked) -> Iterator[Finding]:
    for base in (mpq(3, 2), mpq(1025, 1024)):
        for x, y in add_pairs(case.bars, case.rows):
            for p, q in ((make(x, base), make(y, base)), (make(y, base), make(x, base))):
                worst = max_ratio(p, q)
                yield Finding(not worst.exceeds_ratio(base), mpq(1), f"ratio between {x} and {y}, base {base}")
