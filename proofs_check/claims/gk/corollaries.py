"""Corollaries 23, 24 and 26: what of them holds at every size, exactly."""

from collections.abc import Callable
from itertools import pairwise, product
from typing import NamedTuple

from gmpy2 import mpq

from finitedp.exact import compare_exp, exp_bounds
from finitedp.proofs_check.claims.gk.subjects import GK_SPEC
from finitedp.proofs_check.claims.ph.each_case import Bounded, bounded, largest_load
from finitedp.proofs_check.claims.ph.subjects import clamped_geometric, geometric
from finitedp.proofs_check.ledger.entry import Cases, Finding, cases, erratum
from finitedp.proofs_check.ledger.findings import equal, theorem
from finitedp.spec.divergence import max_ratio
from finitedp.spec.pmf import Pmf

IMPL = "finitedp.impl.anonymized.references"


def _two_tables(h: tuple[int, int], decay: mpq) -> Pmf[tuple[int, ...]]:
    """Both noisy tables of two labels, the second hashed into two buckets, one each; noise clamped to -1..2."""
    laws = [clamped_geometric(decay, x, -1, 2) for x in (*h, *h)]
    weights: dict[tuple[int, ...], int] = {}
    for outcome in product(range(-1, 3), repeat=4):
        mass: int = 1
        for law, y in zip(laws, outcome, strict=True):
            mass *= law.weight(y)
        weights[outcome] = mass
    return Pmf(weights)


def _one_noise(h: tuple[int, int], decay: mpq) -> Pmf[tuple[int, ...]]:
    """One noise for a label in both tables, hashed into one bucket and noised with that of the first label."""
    law = geometric(decay, 3)
    weights: dict[tuple[int, ...], int] = {}
    for y, z in product(law, repeat=2):
        outcome = h[0] + y, h[1] + z, h[0] + h[1] + y
        weights[outcome] = weights.get(outcome, 0) + law.weight(y) * law.weight(z)
    return Pmf(weights)


def _nonempty(h: tuple[int, int], decay: mpq) -> Pmf[tuple[int, ...]]:
    laws = [clamped_geometric(decay, x, -1, 2) if x else Pmf.point(0) for x in h]
    return Pmf({(y, z): laws[0].weight(y) * laws[1].weight(z) for y in laws[0] for z in laws[1]})


def _hash_by_load(h: tuple[int, int], decay: mpq) -> Pmf[tuple[int, ...]]:
    """A hash that is chosen after a look: the larger label goes to the first of two buckets."""
    tables = _two_tables(h, decay)
    return tables if h[0] > h[1] else tables.pushforward(lambda x: (x[0], x[1], x[3] + 10, x[2]))


@theorem(
    "GK.Cor26",
    """Corollary 26, privacy: two noisy tables with noise of decay p = e^(-epsilon/4), and so Algorithms 4 and 7, are
    epsilon-DP for a replaced item: the worst ratio is exactly p^-4, as the item changes two counts in each.""",
    over="two labels, one item, a fixed hash into two buckets; all outputs of clamped noise, 1/p on the grid",
    code=[f"{IMPL}.algorithm_7", "finitedp.spec.divergence.max_ratio"],
    grid=Cases((mpq(3, 2), mpq(9, 8)), (mpq(101, 100), mpq(5))),
    subject=lambda h, r: _two_tables(h, 1 / r),
    twins={
        "epsilon not halved for two tables": lambda h, r: _two_tables(h, 1 / r**2),
        "noise on nonempty bins only": lambda h, r: _nonempty(h, 1 / r),
        "one noise for both tables": lambda h, r: _one_noise(h, 1 / r),
        "hash chosen after the loads": lambda h, r: _hash_by_load(h, 1 / r),
    },
)
def both_private(tables: Callable[[tuple[int, int], mpq], Pmf[tuple[int, ...]]], ratio: mpq) -> Finding:
    found = max_ratio(tables((1, 0), ratio), tables((0, 1), ratio))
    if found.infinite:
        return Finding(False, mpq(10**9), f"infinite ratio at {found.outcome}")
    return equal(found.value, ratio**4, "worst ratio")


# Corollaries 23 and 24


class Support(NamedTuple):
    """A law as weights, each atom at least 1/K; and alpha."""

    weights: tuple[int, ...]
    alpha: mpq

    @property
    def least(self) -> int:
        return -(-sum(self.weights) // min(self.weights))


@theorem(
    "GK.Cor24.coverage",
    """Corollary 24, the step that makes it of Corollary 23: if all atoms are at least 1/K, then the support coverage at m >= K
    ln(3/ alpha) is within alpha K/3 of the support size.""",
    over="laws and alpha on the grid; the least such m, found rigorously",
    code=[f"{GK_SPEC}.estimate"],
    grid=cases(
        Support,
        [((1, 1), mpq(1, 2)), ((1, 2, 3), mpq(1, 10)), ((1,) * 6, mpq(1, 3))],
        [((1, 9), mpq(1, 100)), ((2, 3, 3, 7), mpq(1, 50))],
    ),
    subject=lambda k, m: m,
    twins={"m / K": lambda k, m: m // k, "m / 4": lambda k, m: m // 4},
)
def support(size: Callable[[int, int], int], case: Support) -> Finding:
    k, m = case.least, 0
    while compare_exp(3 / case.alpha, mpq(m, k)) > 0:
        m += 1
    used, total = size(k, m), sum(case.weights)
    missed = sum((mpq(total - w, total) ** used for w in case.weights), mpq(0))
    return largest_load("missed", [(missed, case.alpha * k / 3, f"{case}, K={k}, m={used}")])


class Coverage(NamedTuple):
    """The smoothed Good-Toulmin estimator's r and t."""

    r: mpq
    t: mpq


Bounds = tuple[mpq, mpq]


def _most(case: Coverage) -> int:
    """The last i that is looked at."""
    return int(4 * case.r * case.t) + 60


def _bits(case: Coverage) -> int:
    """Enough beside t^i < 2^(i bits of floor(t)), i up to the last."""
    return 2000 + _most(case) * int(case.t).bit_length()


def _terms(case: Coverage, most: int) -> list[Bounds]:
    """Bounds of t^i Pr[Poisson(r) >= i], i = 0..most."""
    terms, below = [(mpq(1), mpq(1))], (mpq(0), mpq(0))
    term = exp_bounds(-case.r, _bits(case))
    for i in range(1, most + 1):
        below = below[0] + term[0], below[1] + term[1]
        term = term[0] * case.r / i, term[1] * case.r / i
        terms.append((case.t**i * (1 - below[1]), case.t**i * (1 - below[0])))
    return terms


def _rise(case: Coverage) -> Bounds:
    """Bounds of e^(r(t-1))."""
    return exp_bounds(case.r * (case.t - 1), _bits(case))


@erratum(
    "GK.Cor23.sensitivity",
    """Corollary 23, the sensitivity that it uses: for t = m/n - 1 >= 1 the coefficients 1 - (-t)^i Pr[Poisson(r) >= i] change
    by at most 1 + e^(r(t-1)) from one i to the next.""",
    """Corrected: for r > 0 and t >= 1 the coefficients 1 - (-t)^i Pr[Poisson(r) >= i] of the smoothed Good-Toulmin estimate
    (0 at i = 0) change by at most 2 e^(r(t-1)) from one i to the next: t^i Pr[Poisson(r) >= i] is at most E t^Poisson(r).""",
    as_printed=("1 + e^(r(t-1))", lambda case: tuple(1 + x for x in _rise(case))),
    subject=lambda case: tuple(2 * x for x in _rise(case)),
    twins={"e^(r(t-1))/2": lambda case: tuple(x / 2 for x in _rise(case)), "1": lambda _case: (mpq(1), mpq(1))},
    over="r and t on the grid, i to 4rt + 60, by rigorous bounds of e^-r; both bounds must decide",
    code=[f"{GK_SPEC}.estimate"],
    grid=cases(
        Coverage,
        [*product((mpq(1), mpq(3)), (mpq(1), mpq(3, 2), mpq(3))), (mpq(20), mpq(26, 25))],
        [
            *product((mpq(1, 2), mpq(10)), (mpq(11, 10), mpq(5))),
            *product((mpq(50), mpq(200)), (mpq(1), mpq(101, 100), mpq(3, 2))),
        ],
    ),
    kind="theorem",
)
@bounded("step")
def coverage(bound: Callable[[Coverage], Bounds], case: Coverage) -> Bounded:
    low, high = bound(case)
    terms = _terms(case, _most(case))
    for i, (one, other) in enumerate(pairwise(terms)):  # the signs alternate, so that neighbours add up
        least, most = one[0] + other[0], one[1] + other[1]
        if not (most <= low or least > high):
            raise ValueError(f"{_bits(case)} bits do not decide i={i}, {case}")
        yield least if least > high else most, low, f"i={i}, {case}"
