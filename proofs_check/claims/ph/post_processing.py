"""What PrivHist makes of the noisy values: steps L1 to L4, H5 and H6, and what they do without noise."""

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise, product
from typing import NamedTuple

from gmpy2 import mpq

from finitedp.proofs_check.claims.ph.each_case import Compared, compared, first_difference
from finitedp.proofs_check.claims.ph.subjects import SPEC, Pair, Split, each_pair, half_down, half_even, of_histograms, small
from finitedp.proofs_check.ledger.atoms import over
from finitedp.proofs_check.ledger.entry import Cases, Finding, cases, in_scope
from finitedp.proofs_check.ledger.findings import algorithm, own
from finitedp.spec.anonymized import histograms, post_processing, priv_hist
from finitedp.spec.anonymized.histograms import Histogram

CODE = [f"{SPEC}.post_processing.isotonic"]


class Lists(NamedTuple):
    """All lists of so many values in low..high, with the steps d_i between the places."""

    low: int
    high: int
    steps: tuple[int, ...]

    def values(self) -> Iterator[tuple[int, ...]]:
        return product(range(self.low, self.high + 1), repeat=len(self.steps))


def _projected(x: Sequence[mpq], values: Sequence[mpq], weights: Sequence[int]) -> tuple[bool, bool, bool]:
    """Whether x is non-increasing, the rest is orthogonal to it, and has no positive product with any list: the projection."""
    rest = [w * (v - y) for w, v, y in zip(weights, values, x, strict=True)]
    sums = [sum(rest[: i + 1]) for i in range(len(rest))]  # the products with the generators (1, ..., 1, 0, ..., 0)
    falling = all(a >= b for a, b in pairwise(x))
    return falling, sum(a * b for a, b in zip(rest, x, strict=True)) == 0, sums[-1] == 0 and max(sums) <= 0


def _running_minimum(values: Sequence[mpq], _: Sequence[int]) -> list[mpq]:
    return [min(values[: i + 1]) for i in range(len(values))]


def _one_pass(values: Sequence[mpq], weights: Sequence[int]) -> list[mpq]:
    """Neighbours pooled once, without going back."""
    x = [mpq(v) for v in values]
    for i in range(1, len(x)):
        if x[i] > x[i - 1]:
            x[i - 1] = x[i] = (weights[i - 1] * x[i - 1] + weights[i] * x[i]) / (weights[i - 1] + weights[i])
    return x


REGRESSION_TWINS = {
    "running minimum": _running_minimum,
    "one pass without going back": _one_pass,
    "sorted": lambda values, _: sorted(map(mpq, values), reverse=True),
}


@algorithm(
    "PH.H5",
    """H5: the regression with the weights d_i^2, d_i = s_i - s_{i-1}, of the noisy phi^v_{s_i+} = A_i/d_i, is the projection
    in that norm.""",
    over="all lists of A_i of the grid's range and the steps of the grid",
    code=CODE,
    grid=cases(Lists, [(-1, 2, (1, 2, 1)), (-1, 3, (1, 1, 3))], [(-2, 3, (1, 2, 3, 1)), (0, 3, (2, 1, 1, 5))]),
    subject=post_processing.isotonic,
    twins=REGRESSION_TWINS
    | {
        "weights d": lambda values, weights: post_processing.isotonic(values, [priv_hist.ceil_sqrt(w) for w in weights]),
        "no weights": lambda values, _: post_processing.isotonic(values),
    },
)
@algorithm(
    "PH.L1",
    """L1(a): the regression is the projection of the noisy phi_{r+} on the non-increasing lists: it is non-increasing, what it
    leaves is orthogonal to it, and has no positive product with any non-increasing list.""",
    over="all lists of integers of the grid's range; projections on a cone are decided by these conditions",
    code=CODE,
    grid=cases(Lists, [(-1, 2, (1, 1, 1)), (0, 2, (1, 1, 1, 1))], [(0, 3, (1, 1, 1, 1)), (-2, 2, (1,) * 5)]),
    subject=lambda values, _: post_processing.isotonic(values),
    twins=REGRESSION_TWINS,
)
@compared("(non-increasing, orthogonal, no list)")
def regression(regress: Callable[[Sequence[mpq], Sequence[int]], list[mpq]], case: Lists) -> Compared:
    for listed in case.values():
        values, weights = [mpq(a, d) for a, d in zip(listed, case.steps, strict=True)], [d * d for d in case.steps]
        yield _projected(regress(values, weights), values, weights), (True, True, True), f"{listed}, d={case.steps}"


@algorithm(
    "PH.H6",
    "H6: the same rounding, of every phi^x_{r+}.",
    over="all rationals j/d, j = -3d..5d, d on the grid",
    code=[f"{SPEC}.post_processing.rounded"],
    grid=Cases((2, 5), (12, 100)),
    subject=post_processing.rounded,
    twins={"half to even": half_even, "up": lambda x: max(0, int(x.__ceil__()))},
)
@algorithm(
    "PH.L1.b",
    "L1(b): max(., 0) rounded to the nearest integer; the paper leaves halves open, here they go up.",
    over="all rationals j/d, j = -3d..5d, d on the grid",
    code=[f"{SPEC}.post_processing.rounded"],
    grid=Cases((1, 2, 3), (10, 64)),
    subject=post_processing.rounded,
    twins={
        "half down": half_down,
        "half to even": half_even,
        "floor": lambda x: max(0, int(x.__floor__())),
        "negative numbers kept": lambda x: int((x + mpq(1, 2)).__floor__()),
    },
)
@compared("(nearest, not negative)")
def rounding(rounds: Callable[[mpq], int], denominator: int) -> Compared:
    for j in range(-3 * denominator, 5 * denominator + 1):
        x = mpq(j, denominator)
        y = rounds(x)
        nearest = (abs(y - x) < mpq(1, 2) or y - x == mpq(1, 2)) if x > 0 else y == 0
        yield (nearest, y >= 0), (True, True), f"{x} to {y}"


@algorithm(
    "PH.L2",
    "L2: the noisy large counts are raised to at least T; their order says nothing.",
    over="all lists of so many values in -2..6, T = 1..4",
    code=[f"{SPEC}.post_processing.large_output"],
    grid=Cases((0, 1, 2), (3,)),
    subject=post_processing.large_output,
    twins={
        "T + 1": lambda values, t: post_processing.large_output(values, t + 1),
        "those below T left out": lambda values, t: tuple(sorted((x for x in values if x >= t), reverse=True)),
    },
)
@compared("phi_{r+}")
def raised(output: Callable[[Sequence[int], int], Histogram], size: int) -> Compared:
    for values, t in product(product(range(-2, 7), repeat=size), range(1, 5)):
        found = output(values, t)
        expected = [sum(x >= r for x in values) if r > t else len(values) for r in range(1, 9)]
        yield [histograms.cumulative(found, r) for r in range(1, 9)], expected, f"{values}, T={t}"


@algorithm(
    "PH.L3",
    "L3: H^d is the sum of the two parts, prevalence by prevalence.",
    over="all pairs in H_U",
    code=[f"{SPEC}.histograms.union"],
    grid=Cases((2, 4), (6,)),
    subject=histograms.union,
    twins={
        "equal counts once": lambda g, h: tuple(sorted({*g, *h}, reverse=True)),
        "count by count": lambda g, h: tuple(
            histograms.largest(g, i) + histograms.largest(h, i) for i in range(1, max(len(g), len(h)) + 1)
        ),
    },
)
@over(each_pair)
def both_parts(join: Callable[[Histogram, Histogram], Histogram], pair: Pair) -> Finding:
    g, h = pair
    joined = join(g, h)
    levels = range(1, max((0, *g, *h, *joined)) + 1)
    expected = [histograms.prevalence(g, r) + histograms.prevalence(h, r) for r in levels]
    return first_difference("prevalences", [([histograms.prevalence(joined, r) for r in levels], expected, (g, h))])


# Without noise


Output = Callable[[Sequence[int], Sequence[int], int, int], Histogram]


def _removing(first: int, second: int) -> Output:
    """Step L4 with other multiples of M."""

    def output(large: Sequence[int], noisy: Sequence[int], t: int, m: int) -> Histogram:
        both = histograms.union(post_processing.small_output(noisy), post_processing.large_output(large, t))
        rest = post_processing.removed(both, first * m, t + 1)
        return post_processing.removed(rest, second * m, t)

    return output


@algorithm(
    "PH.L4",
    """L4: M elements nearest to T + 1 are removed, then M nearest to T; without noise the low-privacy branch returns the
    histogram itself, for every T and M.""",
    over="all histograms of H_U; T and M on the grid",
    code=[f"{SPEC}.post_processing.split_output", f"{SPEC}.post_processing.removed"],
    grid=cases(Split, product((4,), (1, 2, 5), (1, 2)), product((7,), (1, 2, 3, 8), (1, 3))),
    subject=post_processing.split_output,
    twins={
        "fakes kept": _removing(0, 0),
        "2M nearest to T + 1": _removing(2, 0),
        "M alone": _removing(1, 0),
        "from the largest down": lambda large, noisy, t, m: histograms.union(
            post_processing.small_output(noisy), post_processing.large_output(large, t)
        )[2 * m :],
    },
)
@compared("H")
def without_noise(output: Output, case: Split) -> Compared:
    t, m = case.threshold, case.fakes
    for h in small(case.universe):
        w = histograms.cumulative(h, t + 1) + m
        yield output(priv_hist.large_values(h, t, w), priv_hist.small_values(h, t, m, w), t, m), h, f"{h}, {case}"


class Smooth(NamedTuple):
    """A histogram of at most U items, and U = N."""

    h: Histogram
    universe: int

    def check_scope(self) -> None:
        of_histograms(self.h)
        in_scope(self.universe >= max(1, sum(self.h)), "at most U items, U >= 1")


@own(
    "PH.H5.exact",
    "Without noise the high-privacy branch returns the histogram itself where S has all of 1..2N and no count is above 2N.",
    over="all histograms of H_U, N = U",
    code=[f"{SPEC}.post_processing.smooth_output", f"{SPEC}.priv_hist.blocks"],
    grid=Cases((2, 4), (6, 8)),
    subject=post_processing.smooth_output,
    twins={
        "mass y_i at s_i": lambda places, noisy: tuple(s for s, y in zip(places, noisy, strict=True) for _ in range(y)),
        "one place further": lambda places, noisy: post_processing.smooth_output([s + 1 for s in places], noisy),
    },
)
@over(lambda universe: (Smooth(h, universe) for h in small(universe)))
def smooth_without_noise(output: Callable[[Sequence[int], Sequence[int]], Histogram], case: Smooth) -> Finding:
    places = list(range(1, 2 * case.universe + 1))
    return first_difference("H", [(output(places, priv_hist.blocks(case.h, places)), case.h, case[:])])
