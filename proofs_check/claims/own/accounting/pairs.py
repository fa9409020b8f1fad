"""Dominating pairs, our own: of all counts of a dyadic table, of one bin and of two, behind a threshold."""

from collections.abc import Callable, Iterator
from itertools import pairwise, product
from typing import NamedTuple

from gmpy2 import mpq

from finitedp.curve import Curve, pair_of_claim
from finitedp.impl.accounting.pairs import dyadic_pair, one_bin, threshold_curve, threshold_pair, two_bins
from finitedp.proofs_check.claims.own.accounting.subjects import (
    Atoms,
    Counts,
    atoms_of,
    dominated,
    farthest_counts,
    laws_of,
    of_neighbours,
    of_replaced,
    same_atoms,
    thresholded,
)
from finitedp.proofs_check.ledger.entry import Finding, cases, in_scope
from finitedp.proofs_check.ledger.findings import equal, own
from finitedp.spec import accounting as spec

PAIRS = "finitedp.impl.accounting.pairs"
SPEC = ["finitedp.spec.accounting.dominates", "finitedp.spec.accounting.delta"]
SMALL = [
    (1, "1", 8),
    (2, "1/3", 8),
    (3, "5/2", 64),
    (5, "1/3", 64),
    (4, "20", 6),
    (9, "1/10", 12),
    (12, "4", 64),
    (8, "2", 128),
]
MORE = [(1, "1/10", 64), (2, "7", 3), (6, "1/100", 64), (30, "1/2", 10), (40, "4", 64), (25, "1", 128), (7, "3", 5)]


# All counts of a table


def _of_table(case: Counts) -> Atoms:
    return atoms_of(dyadic_pair(case.mechanism.table))


def _atoms(case: Counts, last: Callable[[list[int]], tuple[int, int]], *, mirror: bool = True) -> Atoms:
    """The pair from all weights, or a broken one: what sums to less is made up for at loss 0, or where Q alone has mass."""
    weights, total = case.weights, 1 << case.word
    listed = [*pairwise(weights[:-1]), last(weights)]
    both = [x for p, q in listed for x in (((p, q), (q, p)) if mirror else ((p, q),))]
    p, q = (sum(column) for column in zip(*both, strict=True))
    return spec.of_weights([*both, (0, p - q), (total - p, total - p)], total)


@own(
    "FD.Pair.dyadic",
    """The pair of a dyadic table, (w_i, w_(i+1)) for i <= n - 2, (S_(n-1), S_n) and their mirror images over 2^B, dominates
    all neighbouring counts in both orders, at every gamma >= 0. It is its own mirror image, and for gamma >= 1 its
    curve is that of the counts n - 1 and n: the largest curve of all, and not a bound of it.""",
    over="all counts, both orders, all gamma >= 0 by the points where a curve bends; words of 3 to 128 bits, with stretches",
    code=[f"{PAIRS}.dyadic_pair", "finitedp.curve.Pair", *SPEC],
    grid=cases(Counts, SMALL, MORE),
    subject=_of_table,
    twins={
        "n - 1 and n alone": farthest_counts,
        "without the tails": lambda case: _atoms(case, lambda _weights: (0, 0)),
        "the last two weights for the tails": lambda case: _atoms(case, lambda w: (w[-2], w[-1])),
        "without the mirror images": lambda case: _atoms(case, lambda w: (w[-2] + w[-1], w[-1]), mirror=False),
        "randomized response of epsilon/4": lambda case: atoms_of(
            pair_of_claim(1 + (case.mechanism.table.ratio - 1) / 2, mpq(0))
        ),
    },
)
def dyadic(make: Callable[[Counts], Atoms], case: Counts) -> Iterator[Finding]:
    pair, farthest = make(case), farthest_counts(case)
    yield dominated(pair, of_neighbours(laws_of(case)))
    yield equal(spec.dominates(farthest, pair, 1), True, "it is attained from gamma = 1 on")
    yield equal(same_atoms(pair, spec.mirrored(pair)), True, "it is its own mirror image")
    yield equal((sum(a.p for a in pair), sum(a.q for a in pair)), (1, 1), "both masses")


class Real(NamedTuple):
    """Real parameters, a count, and gamma = 1 + 1/of, or its inverse."""

    n: int
    epsilon: str
    word: int
    at: int
    of: int

    def check_scope(self) -> None:
        in_scope(0 <= self.at < self.n and self.of >= 1, "the count in 0..n - 1, of >= 1")
        in_scope(mpq(self.epsilon) > 0 and self.n <= 10**6 and 2 <= self.word <= 256, "epsilon > 0, n up to 10^6, 2..256 bits")

    @property
    def counts(self) -> Counts:
        return Counts(self.n, self.epsilon, self.word)


def _neighbouring(case: Real, gamma: mpq, *, up: bool) -> mpq:
    """Delta of two neighbouring counts, output by output, from all n + 1 weights."""
    w, c = case.counts.weights, case.at
    shift = [w[abs(z - c)] for z in range(1, case.n)], [w[abs(z - c - 1)] for z in range(1, case.n)]
    ends = (sum(w[c:]), sum(w[case.n - c :])), (sum(w[c + 1 :]), sum(w[case.n - c - 1 :]))
    p, q = (0, 1) if up else (1, 0)
    a, b = int(gamma.numerator), int(gamma.denominator)
    listed = zip((*shift[p], *ends[p]), (*shift[q], *ends[q]), strict=True)
    return mpq(sum(b * x - a * y for x, y in listed if b * x > a * y), b << case.word)


REAL = cases(
    Real,
    [(20_000, "1/10", 64, c, of) for c, of in product((0, 9_999, 19_999), (10, 21, 1000))],
    [(10**6, "1/10", 64, c, of) for c, of in product((0, 1, 499_999, 999_999), (20, 22, 10**6))],
)


def _curve(case: Real) -> Curve:
    return case.counts.mechanism.claim().curve()


@own(
    "FD.Pair.dyadic.real",
    """The curve that DyadicSample tells is, at real parameters, at least delta of each two neighbouring counts, in both
    orders and on both sides of gamma = 1, and equal to that of n - 1 and n from gamma = 1 on.""",
    over="n = 20,000 (10^6), epsilon = 1/10, all outputs; the first, middle and last counts; gamma from 1 + 10^-6 to 1.1",
    code=["finitedp.curve.Curve.delta_at", f"{PAIRS}.curve_of_table"],
    grid=REAL,
    subject=_curve,
    twins={
        "a table of half the epsilon": lambda case: _curve(case._replace(epsilon=str(mpq(case.epsilon) / 2))),
        "the claim alone, of a smaller ratio": lambda case: Curve(
            [pair_of_claim(1 + mpq(9, 10) * (case.counts.mechanism.table.ratio - 1), mpq(0))], "counts"
        ),
    },
    derived_from=("FD.Pair.dyadic", "FD.Dyadic.law"),
    by="the running table's weights, all of which are looked at",
)
def dyadic_real(make: Callable[[Real], Curve], case: Real) -> Iterator[Finding]:
    curve, gamma = make(case), 1 + mpq(1, case.of)
    for at, up in product((gamma, 1 / gamma), (True, False)):
        real = _neighbouring(case, at, up=up)
        yield equal(real <= curve.delta_at(at), True, f"delta {real} at {at}")
    if case.at == case.n - 1:
        yield equal(curve.delta_at(gamma), _neighbouring(case, gamma, up=True), "delta of n - 1 and n")


# One bin, and two


def _two_bins(case: Counts) -> Curve:
    return two_bins(case.mechanism.claim())


def _of_the_last_counts(case: Counts) -> Curve:
    pair = dyadic_pair(case.mechanism.table)
    one = type(pair)((int(p * pair.total), int(q * pair.total)) for p, q, _ in farthest_counts(case))
    return Curve([one, one], "replace-one")


@own(
    "FD.Pair.replace",
    """A row that is replaced changes two independent counts: the product of the table's pair with itself dominates all four
    laws, at every gamma >= 0. The curve computes delta of the product exactly, and at R^2 it is 0.""",
    over="all counts c >= 1 and d with c + d <= n, which become c - 1 and d + 1; all gamma >= 0; delta at every bend",
    code=[f"{PAIRS}.two_bins", "finitedp.curve.Curve.delta_at", *SPEC, "finitedp.spec.accounting.joint"],
    grid=cases(
        Counts,
        [(1, "1", 8), (2, "1/3", 8), (3, "5/2", 64), (4, "1/2", 7)],
        [(5, "1/3", 64), (6, "1", 10), (2, "9", 5), (4, "2", 128)],
    ),
    subject=_two_bins,
    twins={
        "one pair for two bins": lambda case: Curve(one_bin(case.mechanism.claim()).pairs, "replace-one"),
        "n - 1 and n twice": _of_the_last_counts,
        "the table of half the epsilon": lambda case: _two_bins(case._replace(epsilon=str(mpq(case.epsilon) / 2))),
    },
)
def replace(make: Callable[[Counts], Curve], case: Counts) -> Iterator[Finding]:
    curve, laws = make(case), laws_of(case)
    pair = spec.joint(*map(atoms_of, curve.pairs))
    ratio = case.mechanism.table.ratio
    yield from (equal(curve.delta_at(at), spec.delta(pair, at), f"delta at {at}") for at in _bends(pair))
    yield equal(curve.delta_at(ratio**2), 0, "delta at R^2")
    yield dominated(pair, of_replaced(laws))


def _bends(pair: Atoms) -> list[mpq]:
    """Where the curve bends, and points between and beyond, 0 among them."""
    found = sorted({a.p / a.q for a in pair if a.q})
    return [mpq(0), *found, *((a + b) / 2 for a, b in pairwise(found)), found[-1] + 1] if found else [mpq(0)]


# Behind a threshold


class Told(NamedTuple):
    """The curves of a bin behind a threshold: a row more or less, and a row that is replaced."""

    either: Curve
    replaced: Curve


def _shown_at(delta: Callable[[Counts], mpq]) -> Callable[[Counts], Told]:
    """With another delta."""

    def made(case: Counts) -> Told:
        claim = case.mechanism.claim()
        return Told(*(threshold_curve(claim, delta(case), relation) for relation in ("add-remove", "replace-one")))

    return made


_thresholded = _shown_at(lambda case: case.shown)


def _on_one_side(case: Counts) -> Told:
    lost = threshold_pair(dyadic_pair(case.mechanism.table), case.shown)
    return Told(Curve([lost], "add-remove"), Curve([lost, lost], "replace-one"))


def _on_both_sides(case: Counts) -> Told:
    """The symmetric pair for both bins of a row that is replaced: no one could lose a row in both."""
    told = _thresholded(case)
    return Told(told.either, Curve(told.either.pairs * 2, "replace-one"))


@own(
    "FD.Pair.stability",
    """A bin that is shown above a threshold b, where a label of one row is shown with probability delta: for a row more or
    less the pair's curve is the larger one of the table's and delta at every gamma >= 1, and it is its own mirror
    image; for a row that is replaced there are two, of which one loses it and the other gains it, with exactly delta
    from R^2 on. Both dominate all neighbours at every gamma >= 0.""",
    over="all counts 0..n behind the threshold, a count of 0 not being there at all; all gamma >= 0",
    code=[f"{PAIRS}.threshold_curve", f"{PAIRS}.threshold_pair", *SPEC],
    grid=cases(
        Counts,
        [(1, "1", 8, 0), (2, "1/3", 8, 1), (3, "5/2", 64, 2), (4, "1/2", 7, 2), (5, "4", 64, 3), (3, "1", 10, 3)],
        [(6, "3", 64, 4), (5, "1/3", 12, 1), (8, "4", 64, 6), (2, "9", 5, 1)],
    ),
    subject=_thresholded,
    twins={
        "delta on one side": _on_one_side,
        "delta on both sides of both bins": _on_both_sides,
        "without delta": _shown_at(lambda _case: mpq(0)),
        "delta of a threshold that is one more": _shown_at(lambda case: case._replace(b=case.b + 1).shown),
        "twice delta": _shown_at(lambda case: min(2 * case.shown, mpq(1))),
    },
)
def stability(make: Callable[[Counts], Told], case: Counts) -> Iterator[Finding]:
    told, table, shown = make(case), _of_table(case), case.shown
    (either,), (lost, gained) = (list(map(atoms_of, curve.pairs)) for curve in told)
    seen = thresholded(laws_of(case), case.b)
    steps = list(pairwise(seen))
    above = [at for at in _bends([*either, *table]) if at >= 1]
    yield from (equal(spec.delta(either, at), max(spec.delta(table, at), shown), f"delta at {at}") for at in above)
    yield equal(same_atoms(either, spec.mirrored(either)), True, "it is its own mirror image")
    yield equal(all(spec.dominates(lost, spec.of_laws(more, less)) for less, more in steps), True, "what loses a row")
    yield equal(same_atoms(gained, spec.mirrored(lost)), True, "what gains a row is the mirror image")
    yield equal(told.replaced.delta_at(case.mechanism.table.ratio**2), shown, "delta at R^2")
    yield dominated(either, of_neighbours(seen))
    yield dominated(spec.joint(lost, gained), of_replaced(seen))
