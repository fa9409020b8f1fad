"""The estimator f, its companion g, and Algorithm 5 (Algorithm 1, fast): unbiased estimates, corners, bias of dyadic noise."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import product
from typing import NamedTuple

from gmpy2 import mpq

from finitedp.impl.anonymized import estimator as running
from finitedp.impl.counting.dyadic import DyadicSample
from finitedp.impl.counting.dyadic_table import DyadicTable
from finitedp.proofs_check.claims.gk.subjects import GK_SPEC
from finitedp.proofs_check.claims.ph.each_case import Compared, compared, first_difference, largest_load
from finitedp.proofs_check.claims.ph.subjects import clamped_geometric, geometric
from finitedp.proofs_check.ledger.entry import Cases, Finding, cases, erratum
from finitedp.proofs_check.ledger.findings import definition, equal, own
from finitedp.spec.anonymized import estimator
from finitedp.spec.dyadic import dyadic_sample, ratio_below
from finitedp.spec.pmf import Pmf

IMPL = "finitedp.impl.anonymized.estimator"
Function = Callable[[int], mpq]
Make = Callable[[mpq], Function]
DECAYS = Cases((mpq(1, 2), mpq(2, 3), mpq(9, 10)), (mpq(1, 10), mpq(99, 100)))
DISTANCES = range(-6, 7)


def _after_noise(function: Function, decay: mpq, radius: int = 20) -> Callable[[int], mpq]:
    """X to E function(x + Z), exactly: function has to be constant from x - radius down and from x + radius up."""
    law = geometric(decay, radius)
    return lambda x: sum((law[z] * function(x + z) for z in law), mpq(0))


def _step(values: Mapping[int, mpq]) -> Function:
    return lambda m: values.get(m, mpq(m > 0))


@definition(
    "GK.f",
    """f(m) = 1 for m >= 1, 1 + kappa at 0, -kappa at -1, 0 below, kappa = p/(1-p)^2: E f(c + Z - r) = [c >= r] for discrete
    Laplace noise of decay p, every count c and level r.""",
    over="p on the grid, c - r = -6..6; the unbounded noise, exactly, since f is constant far away",
    code=[f"{GK_SPEC}.indicator", f"{GK_SPEC}.kappa"],
    grid=DECAYS,
    subject=estimator.indicator,
    twins={
        "kappa = p/(1-p)": lambda p: _step({0: 1 + p / (1 - p), -1: -p / (1 - p)}),
        "the signs of kappa exchanged": lambda p: _step({0: 1 - estimator.kappa(p), -1: estimator.kappa(p)}),
        "one level higher": lambda p: lambda m: estimator.indicator(p)(m - 1),
        "no correction": lambda p: lambda m: mpq(m >= 0),
    },
)
def unbiased(make: Make, decay: mpq) -> Finding:
    after = _after_noise(make(decay), decay)
    return first_difference("E f", ((after(d), mpq(d >= 0), f"c - r = {d}, p = {decay}") for d in DISTANCES))


@definition(
    "GK.g",
    """g: (1 + p^2)/(1-p)^2 at 0 and -kappa at +-1: its convolution with discrete Laplace noise of decay p is 1 at 0 and 0
    elsewhere; and f = 1[m >= 0] * g.""",
    over="p on the grid, m = -6..6",
    code=[f"{GK_SPEC}.cancel"],
    grid=DECAYS,
    subject=estimator.cancel,
    twins={
        "1 + 2 kappa without p^2": lambda p: {0: 1 / (1 - p) ** 2, 1: -estimator.kappa(p), -1: -estimator.kappa(p)},
        "kappa with its sign": lambda p: {0: estimator.cancel(p)[0], 1: estimator.kappa(p), -1: estimator.kappa(p)},
        "of decay p^2": lambda p: estimator.cancel(p * p),
    },
)
@compared("(g * noise, 1[>= 0] * g)")
def cancels(make: Callable[[mpq], Mapping[int, mpq]], decay: mpq) -> Compared:
    g = make(decay)

    def noise(m: int) -> mpq:
        return (1 - decay) / (1 + decay) * decay ** abs(m)

    for m in DISTANCES:
        found = sum((weight * noise(m - i) for i, weight in g.items()), mpq(0))
        step = sum((weight for i, weight in g.items() if m - i >= 0), mpq(0))
        yield (found, step), (mpq(m == 0), estimator.indicator(decay)(m)), f"m = {m}, p = {decay}"


@definition(
    "GK.footnote9",
    """Footnote 9 and Section E: with f * g for f, (f * g)(j) = sum over i of f(i) g(j - i), the estimate is unbiased for
    counts with two independent noises.""",
    over="p on the grid, c - r = -6..6; the unbounded noises, one after the other, exactly",
    code=[f"{GK_SPEC}.cancelled", f"{GK_SPEC}.two_noises"],
    grid=DECAYS,
    subject=estimator.two_noises,
    twins={
        "f": estimator.indicator,
        "f * g * g": lambda p: estimator.cancelled(estimator.two_noises(p), p),
        "f with twice the kappa": lambda p: lambda m: 2 * estimator.indicator(p)(m) - (m >= 0),
    },
)
@compared("E (f * g)")
def two_noises(make: Make, decay: mpq) -> Compared:
    once = _after_noise(make(decay), decay, 40)
    inner = {x: once(x) for x in range(-30, 31)}
    for d in DISTANCES:
        yield inner[d], estimator.indicator(decay)(d), f"one noise taken out, c - r = {d}, p = {decay}"
    twice = _after_noise(lambda x: inner[max(-30, min(30, x))], decay)
    yield from ((twice(d), mpq(d >= 0), f"both, c - r = {d}, p = {decay}") for d in DISTANCES)


class Clamped(NamedTuple):
    """Counts in 0..n with discrete Laplace noise of decay p, clamped to 0..n."""

    n: int
    decay: mpq


Level = Callable[[mpq, int, int], Function]
"""From p, n and r to the function of the noisy count."""


@erratum(
    "GK.corners",
    """Algorithm 5 as printed, with noisy counts clamped to 0..n and f as it is: it is Algorithm 1, whose estimates are
    unbiased.""",
    """Algorithm 5 with noisy counts clamped to 0..n, corrected at two corners, f_1(0) = -p/(1-p) and f_n(n) = 1/(1-p): the
    estimates are exactly unbiased for clamped counts, and with no other function of a clamped count are they (50 labels of
    count 1 and 50 of 0 have, as printed at p = 1/2, a mean estimate of phi_{>=1} of 0).""",
    as_printed=("no corners", lambda p, _n, r: lambda y: estimator.indicator(p)(y - r)),
    subject=estimator.corrected,
    twins={
        "the corner at 0 alone": lambda p, n, r: (
            lambda y: estimator.corrected(p, n, r)(y) if y < n else estimator.indicator(p)(y - r)
        ),
        "-p/(1-p) at 0 for every r": lambda p, n, r: lambda y: -p / (1 - p) if y == 0 else estimator.corrected(p, n, r)(y),
    },
    over="all n, r and counts of the grid; the clamped law exactly, and the inverse of its matrix",
    code=[f"{GK_SPEC}.corrected", f"{GK_SPEC}.exact_inverse", f"{IMPL}.corner_values"],
    grid=cases(Clamped, product((1, 2, 3), (mpq(1, 2), mpq(9, 10))), product((5, 7), (mpq(2, 3), mpq(99, 100)))),
)
@compared("E f_r")
def corners(level: Level, case: Clamped) -> Compared:
    n, p = case

    def law(c: int) -> Pmf[int]:
        return clamped_geometric(p, c, 0, n)

    for r in range(1, n + 1):
        function = level(p, n, r)
        for c in range(n + 1):
            yield estimator.expectation(law(c), function), mpq(c >= r), f"count {c}, r={r}, {case}"
        inverse = estimator.exact_inverse(law, n, r)
        yield [inverse[y] for y in range(n + 1)], [function(y) for y in range(n + 1)], f"the inverse, r={r}, {case}"


# The bias of dyadic noise


class Dyadic(NamedTuple):
    """The table of n, epsilon (of add or remove) and the word."""

    n: int
    epsilon: str
    word: int

    @property
    def table(self) -> DyadicTable:
        return DyadicSample(self.n, 2 * mpq(self.epsilon), self.word).table


def _exact_bias(case: Dyadic, count: int, r: int, bits: int | None = None) -> mpq:
    """The bias that f has at p = 1/R, R of the word's bits, or of so many."""
    law = dyadic_sample(case.n, 2 * mpq(case.epsilon), case.word, count)
    decay = 1 / ratio_below(2 * mpq(case.epsilon), bits or case.word)
    return estimator.expectation(law, estimator.corrected(decay, case.n, r)) - (count >= r)


def _bound(case: Dyadic) -> mpq:
    return running.bias_bound(case.table)


def _bias(case: Dyadic, count: int, r: int) -> mpq:
    return running.bias(case.table, count, r)


@own(
    "GK.bias",
    """The bias of f at p = 1/R for dyadic noise is read off the table exactly, and the sum over r of its absolute values is
    within the stated bound for every count, rounding of kappa to 1/SCALE included: twice the sum over j = 1, ..., n of |S_j +
    kappa (w_j - w_(j-1))|, and twice the largest bias of a corner, which is computed from the head and the ends alone.""",
    over="all counts and r of the grid's n; tables of 8 to 64 bits",
    code=[f"{IMPL}.bias", f"{IMPL}.bias_bound"],
    grid=cases(
        Dyadic, [(6, "1/2", 10), (3, "1", 8), (20, "1/10", 64), (12, "1", 6)], [(40, "1/3", 12), (60, "1/10", 64), (1, "1", 6)]
    ),
    subject=(_bias, _bound),
    twins={
        "p = e^-epsilon for 1/R": (partial(_exact_bias, bits=200), _bound),
        "the exact inverse for f": (lambda case, c, r: mpq(0), _bound),
        "half of the bound": (_bias, lambda case: _bound(case) / 4),
    },
)
def dyadic_bias(made: tuple[Callable[[Dyadic, int, int], mpq], Callable[[Dyadic], mpq]], case: Dyadic) -> Iterator[Finding]:
    biases = {(c, r): made[0](case, c, r) for c in range(case.n + 1) for r in range(1, case.n + 1)}
    yield first_difference("bias", ((b, _exact_bias(case, *at), f"(count, r) = {at}, {case}") for at, b in biases.items()))
    bound = made[1](case)
    sums = ((sum(abs(biases[c, r]) for r in range(1, case.n + 1)), bound, f"count {c}, {case}") for c in range(case.n + 1))
    yield largest_load("sum of biases", sums)
    yield equal(bound, bound if case.n == 1 else _term_by_term(case.table), f"the bound, {case}")


def _term_by_term(table: DyadicTable) -> mpq:
    """The bound of n > 1, every term of it: of the levels between 1 and n, and of these two."""
    w, s, k = table.weight, table.upper, running.kappa(table.ratio)
    _, high = running.corner_values(table.ratio)
    between = sum((abs(s(j) + k * (w(j) - w(j - 1))) for j in range(1, table.n + 1)), mpq(0))
    corners = [abs(k * w(c - 1) - s(c) * high) for c in range(1, table.n + 1)]
    corners.append(abs(s(1) + k * w(1) - mpq(s(0), table.ratio - 1)))
    return mpq(2 * between + 2 * max(corners), 1 << table.bits) + mpq(2, running.SCALE)
