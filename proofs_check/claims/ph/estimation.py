"""Corollary 1 and Appendix F: estimates of symmetric properties from the released histogram."""

from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from itertools import combinations, pairwise, product
from typing import NamedTuple

from gmpy2 import mpq

from finitedp.proofs_check.claims.ph.each_case import Bounded, bounded, largest_load
from finitedp.proofs_check.claims.ph.subjects import HISTOGRAMS, SPEC, clamped_geometric, pairs
from finitedp.proofs_check.ledger.atoms import over
from finitedp.proofs_check.ledger.entry import Cases, Finding, cases, erratum, in_scope
from finitedp.proofs_check.ledger.findings import lemma, same_law, theorem
from finitedp.spec.anonymized import histograms, priv_hist
from finitedp.spec.anonymized.histograms import Histogram
from finitedp.spec.pmf import Pmf
from finitedp.spec.pmf import product as joint

Coefficients = Sequence[mpq | int]


def estimate(f: Coefficients, h: Histogram) -> mpq:
    """The sum of f(r) phi_r, f(r) = f[r - 1]."""
    return sum((mpq(f[x - 1]) for x in h), mpq(0))


def _steps(f: Coefficients) -> list[mpq | int]:
    return [mpq(abs(mpq(b) - a)) for a, b in pairwise(f)]


class Linear(NamedTuple):
    """All coefficients f(1..U) with these values, and all pairs in H_U."""

    universe: int
    values: tuple[int, ...]

    def functions(self) -> Iterator[tuple[int, ...]]:
        return product(self.values, repeat=self.universe)


LINEAR = cases(Linear, [(1, (-1, 0, 1)), (2, (-1, 0, 1)), (3, (-1, 0, 2))], [(4, (-1, 0, 1)), (5, (-2, 1))])
Constant = Callable[[Coefficients], mpq | int]


@erratum(
    "PH.Eq20",
    """(20) as printed, its second and third step: the estimates of two histograms differ by at most max over r of |f(r)| times
    their distance.""",
    """(20), its second and third step, corrected: the estimates sum of f(r) phi_r of two histograms differ by at most L =
    max(|f(1)|, max over r of |f(r) - f(r + 1)|) times their distance; L, which the corollary assumes to be at most n^(beta -
    1), may be twice the printed max over r of |f(r)|.""",
    as_printed=("max |f(r)|", lambda f: max(map(abs, f))),
    subject=lambda f: max([abs(f[0]), *_steps(f)]),
    twins={"|f(1)|": lambda f: abs(f[0])},
    over="all coefficients of the grid's values, all pairs in H_U",
    code=[f"{HISTOGRAMS}.distance"],
    grid=LINEAR,
    kind="lemma",
)
@erratum(
    "PH.Cor1.lipschitz",
    "Section 3.2 as printed: the Lipschitz constant of a linear estimator is L = max(f(1), max over r of |f(r) - f(r + 1)|).",
    """Section 3.2, corrected: with the Lipschitz constant L = max(|f(1)|, max over r of |f(r) - f(r + 1)|) the estimates sum
    of f(r) phi_r of two histograms differ by at most L times their distance.""",
    as_printed=("f(1) without its absolute value", lambda f: max([f[0], *_steps(f)])),
    subject=lambda f: max([abs(f[0]), *_steps(f)]),
    twins={"without f(1)": lambda f: max([0, *_steps(f)]), "the largest |f(r)|": lambda f: max(map(abs, f))},
    over="all coefficients of the grid's values, all pairs in H_U",
    code=[f"{HISTOGRAMS}.distance"],
    grid=LINEAR,
    kind="definition",
)
@bounded("difference of estimates")
def lipschitz(constant: Constant, case: Linear) -> Bounded:
    known = [(g, h, histograms.distance(g, h)) for g, h in pairs(case.universe)]
    for f in case.functions():
        allowed = constant(f)
        yield from ((abs(estimate(f, g) - estimate(f, h)), allowed * d, f"f={f}, {g}, {h}") for g, h, d in known)


class Samples(NamedTuple):
    """X^n by label, in two parts: those that stay, and those that are removed."""

    kept: tuple[int, ...]
    removed: tuple[int, ...]

    def check_scope(self) -> None:
        in_scope(min((*self.kept, *self.removed), default=0) >= 0, "labels by number")


def _samples(n: int) -> Iterator[Samples]:
    """All datasets of n rows over three labels, with all that may be removed: its order changes no histogram."""
    return (Samples(rows[:k], rows[k:]) for rows, k in product(product(range(3), repeat=n), range(n + 1)))


@lemma(
    "PH.SecF.samples",
    """X^N, which is X^n without n - N of its samples, or with N - n more, has a histogram at distance at most |N - n| from
    that of X^n.""",
    over="all datasets of n rows over a, b, c; every choice of what is removed, read both ways",
    code=[f"{HISTOGRAMS}.histogram", f"{HISTOGRAMS}.distance"],
    grid=Cases((1, 2, 3, 4), (5, 6)),
    subject=lambda kept: kept,
    twins={"one more than said": lambda kept: kept[1:], "a sample replaced as well": lambda kept: (0, *kept[1:])},
)
@over(_samples)
def samples(left: Callable[[tuple[int, ...]], tuple[int, ...]], case: Samples) -> Finding:
    kept = left(case.kept)
    apart = histograms.distance(histograms.histogram((*case.kept, *case.removed)), histograms.histogram(kept))
    return largest_load("distance", [(apart, len(case.removed), f"{case.removed} removed, {kept} left")])


# The whole estimate, for exact laws


class Whole(NamedTuple):
    """U, the decay of all noise, and the property."""

    universe: int
    decay: mpq
    name: str


def _coefficients(name: str, total: int, most: int) -> list[mpq]:
    """f(r, N), r = 1..most, of a rational property."""
    if name == "support":
        return [mpq(1)] * most
    if name == "uniformity over 3":
        return [abs(mpq(r, total) - mpq(1, 3)) - mpq(1, 3) for r in range(1, most + 1)]
    return [mpq(r * (r - 1), total * (total - 1)) if total > 1 else mpq(0) for r in range(1, most + 1)]  # Renyi, order 2


@cache
def _law(u: int, decay: mpq, h: Histogram) -> Pmf[tuple[Histogram, int]]:
    total_noise, split_noise = (partial(clamped_geometric, decay, low=0, high=most) for most in (u, u + 2))
    return priv_hist.split_law(h, priv_hist.Parameters(u, lambda _: 1, lambda _: 1, total_noise, split_noise))


@theorem(
    "PH.Cor1.difference",
    """The estimate sum of f(r, N) phi_r(H) is within L_N l1(h, H) of sum of f(r, N) phi_r(h), in the mean and each time: the
    part of the corollary's proof that speaks of PrivHist. (Its sample complexities are asymptotic and follow from that and
    from Theorem 1; no run decides them.)""",
    over="the exact law of the low-privacy branch with T = M = 1, all histograms of H_U, three properties",
    code=[f"{SPEC}.priv_hist.split_law"],
    grid=cases(
        Whole,
        [(2, mpq(1, 4), name) for name in ("support", "uniformity over 3", "Renyi")],
        [(2, mpq(2, 3), name) for name in ("support", "uniformity over 3", "Renyi")],
    ),
    subject=lambda f: max([abs(f[0]), *_steps(f)]),
    twins={"the mean of |f(r)|": lambda f: sum(map(abs, f)) / len(f) / 4, "f(1)": lambda f: abs(f[0]) / 2},
)
@bounded("mean difference")
def whole(constant: Constant, case: Whole) -> Bounded:
    for h in histograms.histograms(case.universe):
        law = _law(case.universe, case.decay, h)
        error = allowed = mpq(0)
        for out, total in law:
            if total:
                f = _coefficients(case.name, total, 2 * case.universe + 8)
                error += law[out, total] * abs(estimate(f, out) - estimate(f, h))
                allowed += law[out, total] * constant(f) * histograms.distance(out, h)
        yield error, allowed, f"{h}, {case.name}"


# Appendix F: other sample sizes


class Steepest(NamedTuple):
    """Beta, and sample sizes up to `most`."""

    beta: int
    most: int

    def check_scope(self) -> None:
        in_scope(self.beta <= 1 and self.most >= 1, "beta <= 1, and sizes from 1")


@erratum(
    "PH.SecF.errors",
    """Appendix F as printed: where |E(n) - E(n + 1)| <= n^(beta - 1) for every n, E(N) <= E(n) + |N - n| N^(beta - 1).""",
    """Appendix F, corrected: where |E(n) - E(n + 1)| <= n^(beta - 1) for every n, beta <= 1, |E(N) - E(n)| <= |N - n| min(N,
    n)^(beta - 1). For N <= n that is the printed bound; above n each step is larger than the last one. (Of errors that fall
    with n nothing is wrong.)""",
    as_printed=("N", lambda _n, total: total),
    subject=min,
    twins={"the larger": max},
    over="integer beta, where powers are rational; all n and N on the grid; the E that changes by all that is allowed",
    code=[f"{HISTOGRAMS}.distance"],
    grid=cases(Steepest, [(0, 12), (-1, 8)], [(0, 60), (-2, 20)]),
    kind="lemma",
)
@bounded("difference of errors")
def other_size(at: Callable[[int, int], int], case: Steepest) -> Bounded:
    for n, total in product(range(1, case.most + 1), repeat=2):
        steps = (mpq(r) ** (case.beta - 1) for r in range(min(n, total), max(n, total)))
        allowed = abs(total - n) * mpq(at(n, total)) ** (case.beta - 1)
        yield sum(steps, mpq(0)), allowed, f"n={n}, N={total}, beta={case.beta}"


class Resized(NamedTuple):
    """A law of labels as weights, n samples, of which so many are removed."""

    weights: tuple[int, ...]
    n: int
    removed: int


def _any(rows: tuple[int, ...], many: int) -> list[tuple[int, ...]]:
    return list(combinations(rows, len(rows) - many))


@lemma(
    "PH.SecF.iid",
    """Appendix F: X^N, which is X^n without n - N of its samples, chosen uniformly, has the law of N independent samples, as N
    depends on n and on noise, not on the samples.""",
    over="laws and sizes on the grid, as multisets: all samples, all that may be kept",
    code=[f"{HISTOGRAMS}.histogram"],
    grid=cases(
        Resized, product([(1, 1), (1, 2), (1, 1, 2)], [2, 3], [1, 2]), [((1, 3), 5, 2), ((1, 2, 3), 4, 3), ((1, 1, 1), 4, 1)]
    ),
    subject=_any,
    twins={
        "the smallest labels are kept": lambda rows, many: [tuple(sorted(rows))[: len(rows) - many]],
        "equal labels are kept once": lambda rows, many: sorted(set(_any(rows, many))),
    },
)
def resized(kept: Callable[[tuple[int, ...], int], Sequence[tuple[int, ...]]], case: Resized) -> Finding:
    def independent(n: int) -> Pmf[tuple[int, ...]]:
        rows = joint([Pmf(dict(enumerate(case.weights)))] * n)
        return rows.pushforward(lambda drawn: tuple(sorted(drawn)))

    def left(rows: tuple[int, ...]) -> Pmf[tuple[int, ...]]:
        found = [tuple(sorted(some)) for some in kept(rows, case.removed)]
        return Pmf({some: found.count(some) for some in found})

    return same_law(independent(case.n).then(left), independent(case.n - case.removed), f"{case}")
