"""Section 2.2 and Appendix B: the distance of two histograms."""

from collections.abc import Callable, Iterator
from itertools import permutations, product
from typing import NamedTuple

from finitedp.proofs_check.claims.ph.each_case import first_difference, largest_load
from finitedp.proofs_check.claims.ph.subjects import HISTOGRAMS, Pair, each_pair, l1, of_histograms, small
from finitedp.proofs_check.ledger.atoms import over
from finitedp.proofs_check.ledger.entry import Cases, Finding, erratum, in_scope
from finitedp.proofs_check.ledger.findings import definition, lemma
from finitedp.spec.anonymized import histograms as spec
from finitedp.spec.anonymized.histograms import Histogram

Distance = Callable[[Histogram, Histogram], int]
MOST_LABELS = 8
FEW_LABELS = "at most 8 labels together, whose assignments can be listed"


def _padded(h: Histogram, size: int) -> tuple[int, ...]:
    """At least so long, by zeros."""
    return h + (0,) * (size - len(h))


def _by_injections(g: Histogram, h: Histogram) -> int:
    """The least distance of two datasets, label by label: every way to give the labels of g those of h, or none."""
    if not g:
        return sum(h)
    return min(abs(g[0] - y) + _by_injections(g[1:], _without(h, y)) for y in {*h, 0})


def _without(h: Histogram, y: int) -> Histogram:
    i = h.index(y) if y in h else len(h)
    return h[:i] + h[i + 1 :]


@definition(
    "PH.Eq2",
    """The distance of two histograms is the least l1 distance of two labelled datasets that have them; labels beyond those of
    both together change nothing.""",
    over="all pairs in H_U; all assignments of labels against all partial matchings",
    code=[f"{HISTOGRAMS}.labelled_distance"],
    grid=Cases((1, 2, 3), (4,)),
    subject=spec.labelled_distance,
    twins={
        "no label outside either": lambda g, h: min(
            sum(abs(a - b) for a, b in zip(g, order, strict=False)) for order in permutations(h)
        ),
        "one assignment": lambda g, h: sum(g) + sum(h),
    },
)
@over(each_pair)
def least_distance(distance: Distance, pair: Pair) -> Finding:
    in_scope(len(pair.g) + len(pair.h) <= MOST_LABELS, FEW_LABELS)
    return first_difference("distance", [(distance(*pair), _by_injections(*pair), pair[:])])


@lemma(
    "PH.Lem1",
    "The distance of two histograms is the sum over i of the distances of their i-th largest counts, 0 beyond the last.",
    over="all pairs in H_U, against all partial matchings of their labels",
    code=[f"{HISTOGRAMS}.distance"],
    grid=Cases((2, 4, 5), (6, 7)),
    subject=spec.distance,
    twins={
        "from the smallest count on": lambda g, h: l1(_padded(g[::-1], len(h)), _padded(h[::-1], len(g))),
        "without the counts beyond the shorter": lambda g, h: sum(abs(a - b) for a, b in zip(g, h, strict=False)),
        "of the numbers of items": lambda g, h: abs(sum(g) - sum(h)),
    },
)
@over(each_pair)
def sorted_distance(distance: Distance, pair: Pair) -> Finding:
    return first_difference("distance", [(distance(*pair), _by_injections(*pair), pair[:])])


def _optima(g: Histogram, h: Histogram) -> Iterator[list[tuple[int, int]]]:
    size = len(g) + len(h)
    least = spec.distance(g, h)
    for order in set(permutations(_padded(h, size))):
        matched = list(zip(_padded(g, size), order, strict=True))
        if sum(abs(a - b) for a, b in matched) == least:
            yield matched


def _all_optima(matchings: Iterator[list[tuple[int, int]]]) -> bool:
    return all(y >= v for m in matchings for (x, y), (u, v) in product(m, repeat=2) if x >= u)


@erratum(
    "PH.Lem1.proof",
    """Proof of Lemma 1 as printed: in two datasets at the least distance n_x(D1) >= n_y(D1) implies n_x(D2) >= n_y(D2), for
    all labels x and y.""",
    """Proof of Lemma 1, corrected: among the pairs of datasets D1, D2 at the least distance there is one where n_x(D1) >
    n_y(D1) implies n_x(D2) >= n_y(D2) for all labels x and y; of others neither need hold, since an exchange may leave the
    distance as it is.""",
    as_printed=("in every optimum, ties included", _all_optima),
    subject=lambda matchings: any(all(y >= v for (x, y), (u, v) in product(m, repeat=2) if x > u) for m in matchings),
    twins={
        "in some optimum, ties included": lambda matchings: any(
            all(y >= v for (x, y), (u, v) in product(m, repeat=2) if x >= u) for m in matchings
        ),
        "in every optimum, ties left out": lambda matchings: all(
            y >= v for m in matchings for (x, y), (u, v) in product(m, repeat=2) if x > u
        ),
    },
    over="all pairs in H_U with at most 5 labels together, all assignments",
    code=[f"{HISTOGRAMS}.labelled_distance", f"{HISTOGRAMS}.distance"],
    grid=Cases((1, 2, 3), (4,)),
)
@over(lambda universe: (pair for pair in each_pair(universe) if len(pair.g) + len(pair.h) <= 5))
def optimal_order(holds: Callable[[Iterator[list[tuple[int, int]]]], bool], pair: Pair) -> Finding:
    in_scope(len(pair.g) + len(pair.h) <= MOST_LABELS, FEW_LABELS)
    return first_difference("order", [(holds(_optima(*pair)), True, pair[:])])


class Three(NamedTuple):
    """Three histograms."""

    g: Histogram
    h: Histogram
    k: Histogram

    def check_scope(self) -> None:
        of_histograms(*self)


@lemma(
    "PH.Sec2.metric",
    "The distance is a metric on histograms; above all it satisfies the triangle inequality.",
    over="all triples in H_U",
    code=[f"{HISTOGRAMS}.distance"],
    grid=Cases((2, 4), (5, 6)),
    subject=spec.distance,
    twins={
        "squares of differences": lambda g, h: sum((spec.largest(g, i) - spec.largest(h, i)) ** 2 for i in range(1, 9)),
        "of the largest count": lambda g, h: abs(spec.largest(g, 1) - spec.largest(h, 1)),
        "one-sided": lambda g, h: sum(max(0, spec.largest(g, i) - spec.largest(h, i)) for i in range(1, 9)),
    },
)
@over(lambda universe: (Three(*some) for some in product(small(universe), repeat=3)))
def metric(distance: Distance, case: Three) -> Iterator[Finding]:
    g, h, k = case
    apart = distance(g, h)
    yield first_difference("0 where equal, and symmetric", [((apart == 0, apart), (g == h, distance(h, g)), (g, h))])
    yield largest_load("by a third histogram", [(apart, distance(g, k) + distance(k, h), (g, k, h))])


class Parts(NamedTuple):
    """The parts h1 and h2 of h, and those of h'."""

    first: Pair
    second: Pair

    def check_scope(self) -> None:
        of_histograms(*self.first, *self.second)


@lemma(
    "PH.Lem3",
    "If h = h1 + h2 and h' = h1' + h2', then l1(h, h') <= l1(h1, h1') + l1(h2, h2').",
    over="all quadruples in H_U",
    code=[f"{HISTOGRAMS}.union", f"{HISTOGRAMS}.distance"],
    grid=Cases((1, 2, 3), (4, 5)),
    subject=spec.union,
    twins={
        "largest to largest": lambda g, h: tuple(
            spec.largest(g, i) + spec.largest(h, i) for i in range(1, max(len(g), len(h)) + 1)
        ),
        "equal counts once": lambda g, h: tuple(sorted({*g, *h}, reverse=True)),
    },
)
@over(lambda universe: (Parts(*some) for some in product(each_pair(universe), repeat=2)))
def union(join: Callable[[Histogram, Histogram], Histogram], case: Parts) -> Iterator[Finding]:
    (a, c), (b, d) = case
    joined, other = join(a, c), join(b, d)
    yield first_difference("labels", [(len(joined), len(a) + len(c), (a, c))])
    apart, allowed = spec.distance(joined, other), spec.distance(a, b) + spec.distance(c, d)
    yield largest_load("distance of the sums", [(apart, allowed, (a, c, b, d))])


def _top(g: Histogram, h: Histogram) -> int:
    return max((*g, *h), default=0)


def _by_level(g: Histogram, h: Histogram) -> int:
    return sum(abs(spec.cumulative(g, r) - spec.cumulative(h, r)) for r in range(1, _top(g, h) + 1))


def _by_prevalence(g: Histogram, h: Histogram) -> int:
    return sum(r * abs(spec.prevalence(g, r) - spec.prevalence(h, r)) for r in range(1, _top(g, h) + 1))


@lemma(
    "PH.Eq5",
    "The inequalities of Lemma 4 with the first sum up to r_max, the largest count of either.",
    over="all pairs in H_U",
    code=[f"{HISTOGRAMS}.cumulative_distance", f"{HISTOGRAMS}.distance"],
    grid=Cases((3, 5), (7,)),
    subject=_by_level,
    twins={
        "up to r_max - 1": lambda g, h: sum(abs(spec.cumulative(g, r) - spec.cumulative(h, r)) for r in range(1, _top(g, h)))
    },
)
@lemma(
    "PH.Eq3",
    "The inequalities of Lemma 4, as the main text prints them.",
    over="all pairs in H_U",
    code=[f"{HISTOGRAMS}.cumulative_distance", f"{HISTOGRAMS}.distance"],
    grid=Cases((3, 5), (7,)),
    subject=_by_level,
    twins={"r from 2": lambda g, h: _by_level(g, h) - abs(len(g) - len(h)), "r times the difference": _by_prevalence},
)
@lemma(
    "PH.Lem4",
    """l1(h1, h2) <= sum over r of |phi_{r+}(h1) - phi_{r+}(h2)| <= sum over r of r |phi_r(h1) - phi_r(h2)|; the first of the
    two is an equality.""",
    over="all pairs in H_U",
    code=[f"{HISTOGRAMS}.cumulative_distance", f"{HISTOGRAMS}.distance"],
    grid=Cases((3, 5, 6), (8, 9)),
    subject=spec.cumulative_distance,
    twins={
        "up to the smaller of the largest counts": lambda g, h: sum(
            abs(spec.cumulative(g, r) - spec.cumulative(h, r))
            for r in range(1, min(spec.largest(g, 1), spec.largest(h, 1)) + 1)
        ),
        "labels with a count above r": lambda g, h: sum(
            abs(spec.cumulative(g, r + 1) - spec.cumulative(h, r + 1)) for r in range(1, _top(g, h) + 1)
        ),
        "prevalences": lambda g, h: sum(abs(spec.prevalence(g, r) - spec.prevalence(h, r)) for r in range(1, _top(g, h) + 1)),
    },
)
@over(each_pair)
def two_bounds(middle: Distance, pair: Pair) -> Iterator[Finding]:
    found = middle(*pair)
    yield first_difference("equality", [(found, spec.distance(*pair), pair[:])])
    yield largest_load("second", [(found, _by_prevalence(*pair), pair[:])])


class Lowered(NamedTuple):
    """Two histograms, one of them with a count of at least 2."""

    g: Histogram
    h: Histogram

    def check_scope(self) -> None:
        of_histograms(*self)
        in_scope(_top(*self) >= 2, "a count of at least 2")


@erratum(
    "PH.Eq6",
    """Proof of Lemma 4 as printed: with h'_i = {max(n_x, r_0 - 1)}, r_0 the largest count, the largest count of h'_1 and h'_2
    is r_0 - 1, the prevalences phi_{r+} for r < r_0 are those of h_1 and h_2, and l1(h_1, h_2) <= l1(h'_1, h'_2) +
    |phi_{r_0}(h_1) - phi_{r_0}(h_2)|.""",
    """Proof of Lemma 4, corrected: with h'_i = {min(n_x, r_0 - 1)}, r_0 the largest count, the largest count of h'_1 and h'_2
    is r_0 - 1, the prevalences phi_{r+} for r < r_0 are those of h_1 and h_2, and l1(h_1, h_2) = l1(h'_1, h'_2) +
    |phi_{r_0}(h_1) - phi_{r_0}(h_2)|.""",
    as_printed=("max for min", max),
    subject=min,
    twins={"min(n_x, r_0)": lambda x, cut: min(x, cut + 1), "n_x - 1": lambda x, _: x - 1},
    over="all pairs in H_U with a count of at least 2",
    code=[f"{HISTOGRAMS}.cumulative", f"{HISTOGRAMS}.distance"],
    grid=Cases((2, 3, 5), (6, 7)),
)
@over(lambda universe: (Lowered(*pair) for pair in each_pair(universe) if _top(*pair) >= 2))
def induction(cut: Callable[[int, int], int], pair: Lowered) -> Finding:
    (g, h), top = pair, _top(*pair)
    a, b = (spec.checked(y for x in k if (y := cut(x, top - 1))) for k in (g, h))
    below = [[spec.cumulative(x, r) for r in range(1, top)] for x in (a, b, g, h)]
    step = spec.distance(a, b) + abs(spec.prevalence(g, top) - spec.prevalence(h, top))
    compared = (_top(a, b), below[:2], step), (top - 1, below[2:], spec.distance(g, h)), (g, h)
    return first_difference("(r_max, phi_{r+}, distance)", [compared])
