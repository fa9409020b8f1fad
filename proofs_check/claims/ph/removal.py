"""Lemmas 5 and 6: rounding and removing; and the example and the cases of Appendix C.1."""

from collections.abc import Callable
from itertools import product
from typing import NamedTuple

from gmpy2 import mpq

from finitedp.proofs_check.claims.ph.each_case import Bounded, Compared, bounded, compared
from finitedp.proofs_check.claims.ph.subjects import HISTOGRAMS, SPEC, nearest_elements, of_histograms, pairs, small
from finitedp.proofs_check.ledger.atoms import over
from finitedp.proofs_check.ledger.entry import Cases, erratum, in_scope
from finitedp.proofs_check.ledger.findings import lemma
from finitedp.spec.anonymized import histograms as spec
from finitedp.spec.anonymized.histograms import Histogram
from finitedp.spec.anonymized.post_processing import removed

# Rounding and removing


Round = Callable[[mpq], int]


@lemma(
    "PH.Lem5",
    "The nearest integer to y is at most twice as far from an integer x as y is; halves may go either way.",
    over="x in -2..2; all y of the denominator of the grid within 3 of x. Sums of such terms follow",
    code=[f"{SPEC}.post_processing.rounded"],
    grid=Cases((1, 2, 3, 4), (7, 12, 60)),
    subject=(lambda y: int((y + mpq(1, 2)).__floor__()), lambda y: -int((mpq(1, 2) - y).__floor__())),
    twins={
        "floor": (lambda y: int(y.__floor__()),) * 2,
        "away from zero": (lambda y: int(y.__ceil__()) if y > 0 else int(y.__floor__()),) * 2,
        "to the nearest even integer": (lambda y: 2 * int((y / 2 + mpq(1, 2)).__floor__()),) * 2,
    },
)
@bounded("|x - rounded y|")
def nearest(rounds: tuple[Round, Round], denominator: int) -> Bounded:
    for rounded, x, j in product(rounds, range(-2, 3), range(-3 * denominator, 3 * denominator + 1)):
        y = x + mpq(j, denominator)
        yield abs(x - rounded(y)), 2 * abs(y - x), f"x={x}, y=x+{j}/{denominator}"


class Faked(NamedTuple):
    """h1, h2', and k elements of value t."""

    g: Histogram
    h: Histogram
    k: int
    t: int

    def check_scope(self) -> None:
        of_histograms(self.g, self.h)
        in_scope(self.k >= 1 and self.t >= 1, "an element at least, of a value of at least 1")


def _farthest(h: Histogram, many: int, near: int) -> Histogram:
    kept = list(h)
    for _ in range(many):
        candidates = [x for x in kept if abs(x - near) <= near]
        if candidates:
            kept.remove(max(candidates, key=lambda x: abs(x - near)))
    return tuple(kept)


@erratum(
    "PH.Lem6",
    """Lemma 6 as printed: let h1' be h1 with k elements of value t more, and h2 be h2' without the k elements closest to t.
    Then l1(h1, h2) <= 2 l1(h1', h2').""",
    """Lemma 6, where a label that does not occur is an element of value 0: let h1' be h1 with k elements of value t more, and
    h2 be h2' without the k elements closest to t, of which none is farther than t from t. Then l1(h1, h2) <= 2 l1(h1', h2'),
    and h2 with k elements of t more is closest to h2' among all histograms with at least k of them.""",
    as_printed=("the closest of the counts that occur", nearest_elements),
    subject=removed,
    twins={
        "the farthest of them": _farthest,
        "elements of value t alone": lambda h, many, near: spec.checked(
            [x for x in h if x != near] + [near] * max(0, spec.prevalence(h, near) - many)
        ),
        "from the largest down": lambda h, many, _: h[many:],
    },
    over="all pairs in H_U; k = 1, 2; t = 1, 2, 3",
    code=[f"{SPEC}.post_processing.removed", f"{HISTOGRAMS}.distance"],
    grid=Cases((1, 2, 3, 4, 5), (6, 7)),
    kind="lemma",
)
@over(lambda universe: (Faked(*pair, k, t) for pair, k, t in product(pairs(universe), (1, 2), (1, 2, 3))))
@bounded("l1(h1, h2)")
def removal(remove: Callable[[Histogram, int, int], Histogram], case: Faked) -> Bounded:
    g, h, k, t = case
    rest, where = remove(h, k, t), f"h1={g}, h2'={h}, k={k}, t={t}"
    allowed = spec.distance(spec.checked((*g, *[t] * k)), h)
    yield spec.distance(g, rest), 2 * allowed, where
    yield spec.distance(spec.checked((*rest, *[t] * k)), h), allowed, f"closest: {where}"


# Section C.1.1: the split


@erratum(
    "PH.C1.example",
    """The example of Sections 4.2 and C.1.1 as printed: {phi_T = 1, phi_(n-T) = 1} and {phi_(T+1) = 1, phi_(n-T-1) = 1} are
    neighbours, and the parts above T of the two are T + 2 apart.""",
    """Corrected: {phi_T = 1, phi_(n-T) = 1} and {phi_(T+1) = 1, phi_(n-T) = 1} are neighbours, and the parts above T of the
    two are T + 1 apart (the printed ones are 2 apart).""",
    as_printed=("both counts changed", lambda n, t: ((t, n - t), (t + 1, n - t - 1), t + 2)),
    subject=lambda n, t: ((t, n - t), (t + 1, n - t), t + 1),
    twins={
        "T for T + 1": lambda n, t: ((t, n - t), (t + 1, n - t), t),
        "T + 1 and T + 2": lambda n, t: ((t + 1, n - t), (t + 2, n - t), t + 1),
    },
    over="T on the grid and n - T above T + 2",
    code=[f"{HISTOGRAMS}.distance"],
    grid=Cases((1, 2, 3), (4, 10, 50)),
    kind="lemma",
)
@compared("(distance, distance above T)")
def split_example(made: Callable[[int, int], tuple[Histogram, Histogram, int]], t: int) -> Compared:
    for n in range(2 * t + 3, 2 * t + 8):
        one, other, apart = made(n, t)
        g, h = spec.checked(one), spec.checked(other)
        above = spec.distance(*(tuple(x for x in k if x > t) for k in (g, h)))
        yield (spec.distance(g, h), above), (1, apart), (g, h)


@erratum(
    "PH.C1.categories",
    """Section C.2 as printed: two neighbours differ in phi_T and phi_(T+1), or in phi_r and phi_(r+1) for some 0 <= r < T - 1,
    or for some r > T.""",
    """Section C.2, corrected: two neighbours differ in phi_T and phi_(T+1), or in phi_r and phi_(r+1) for some 0 <= r < T, or
    for some r > T; exactly one of the three holds. As printed r = T - 1 was in none.""",
    as_printed=("r < T - 1", lambda r, t: (r == t) + (0 <= r < t - 1) + (r > t)),
    subject=lambda r, t: (r == t) + (0 <= r < t) + (r > t),
    twins={
        "1 <= r": lambda r, t: (r == t) + (1 <= r < t) + (r > t),
        "r <= T": lambda r, t: (r == t) + (0 <= r <= t) + (r > t),
    },
    over="all pairs of neighbours in H_U and T = 1..4",
    code=[f"{HISTOGRAMS}.larger"],
    grid=Cases((1, 3), (6, 8)),
    kind="lemma",
)
@compared("how many of the cases hold")
def categories(cases_that_hold: Callable[[int, int], int], universe: int) -> Compared:
    for h in small(universe - 1):
        for g in spec.larger(h):
            levels = [r for r in range(universe + 1) if spec.prevalence(g, r + 1) > spec.prevalence(h, r + 1)]
            yield from ((cases_that_hold(levels[0], t), 1, f"{h}, {g}, T={t}") for t in range(1, 5))
