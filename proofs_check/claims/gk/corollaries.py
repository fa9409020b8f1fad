"""Corollaries 18, 23, 24 and 26: how many items the noise needs, with constants, and what of them holds at every size."""

from collections.abc import Callable, Iterator
from itertools import pairwise, product
from typing import NamedTuple

from gmpy2 import mpq, mpz

from finitedp.exact import compare_exp, exp_bounds, log_bounds
from finitedp.proofs_check.claims.gk.subjects import GK_SPEC
from finitedp.proofs_check.claims.ph.each_case import Bounded, Compared, bounded, compared, largest_load
from finitedp.proofs_check.claims.ph.subjects import SPEC, clamped_geometric, geometric
from finitedp.proofs_check.ledger.entry import Cases, Finding, cases, erratum, in_scope
from finitedp.proofs_check.ledger.findings import equal, lemma, theorem
from finitedp.spec.divergence import max_ratio
from finitedp.spec.pmf import Pmf
from finitedp.spec.pmf import product as joint


@lemma(
    "GK.Cor18.sensitivity",
    """Corollary 18, the sensitivity of its first estimator, the plug-in entropy: for n >= 2 the coefficients (r/n) ln(n/r), r
    = 0..n, change by at most (ln n)/n from one r to the next, and by as much from 0 to 1: the printed O(log n/n) has the
    constant 1.""",
    over="every r below n, as integers: r^r n^(1-c) <= (r+1)^(r+1) <= n^(1+c) r^r, c = 1 the constant",
    code=[f"{SPEC}.histograms.distance"],
    grid=cases(int, [2, 3, 10, 60], [300, 1000]),
    subject=mpq(1),
    twins={"half of it": mpq(1, 2), "twice as much": mpq(2)},
)
@compared("within the bound")
def entropy_steps(constant: mpq, n: int) -> Compared:
    a, b = int(constant.numerator), int(constant.denominator)
    for r in range(n):
        low, high = mpz(r) ** r, mpz(r + 1) ** (r + 1)
        within = low**b * mpz(n) ** b <= high**b * mpz(n) ** a and high**b <= mpz(n) ** (b + a) * low**b
        yield within, True, f"n={n}, step {r} to {r + 1}"
    yield mpz(n) ** a, mpz(n) ** b, f"the step from 0 to 1, n={n}"


class Size(NamedTuple):
    """Alpha, epsilon, and beta: the estimator's sensitivity is n^(beta - 1), times log n for the plug-in entropy."""

    alpha: mpq
    epsilon: mpq
    beta: mpq

    def check_scope(self) -> None:
        in_scope(0 < self.alpha <= mpq(1, 2) and 0 < self.epsilon <= mpq(1, 2), "alpha and epsilon in (0, 1/2]")
        in_scope(0 <= self.beta < mpq(1, 2), "beta in [0, 1/2)")

    @property
    def power(self) -> mpq:
        """The power of n that the error falls with, twice."""
        return 1 - 2 * self.beta


SMALL = [(mpq(1, 2), mpq(1, 2)), (mpq(1, 10), mpq(1, 2)), (mpq(1, 100), mpq(1, 100)), (mpq(1, 10**6), mpq(1, 3))]
SMALLER = [(mpq(1, 10**9), mpq(1, 10**9)), (mpq(1, 2), mpq(1, 10**6)), (mpq(1, 3), mpq(1, 3))]


def _sizes(*betas: mpq) -> tuple[list[Size], list[Size]]:
    return [Size(*ae, b) for ae, b in product(SMALL, betas)], [Size(*ae, b) for ae, b in product(SMALLER, betas)]


def _least_n(case: Size, log_power: int, constant: int) -> int:
    """The least n with n^(2 power) >= (constant L^(log_power/2)/(alpha^2 epsilon^5))^2, L = ln(1/(alpha epsilon))."""
    log = log_bounds(1 / (case.alpha * case.epsilon))[1]
    goal = (constant / (case.alpha**2 * case.epsilon**5)) ** 2 * log**log_power
    top, root = 2 * int(case.power.numerator), int(case.power.denominator)
    power = mpz(-(-goal.numerator // goal.denominator)) ** root
    n = mpz(1) << (-(-power.bit_length() // top))
    while (m := ((top - 1) * n + power // n ** (top - 1)) // top) < n:  # Newton's iteration from above
        n = m
    return int(n if n**top >= power else n + 1)


Enough = tuple[int, Callable[[Size], int]]


@lemma(
    "GK.Cor18.first",
    """Corollary 18, how many items its first estimator needs: for alpha, epsilon <= 1/2 the change (ln n/n) sqrt(n) (ln
    n)^(3/4)/epsilon^(5/2) is at most alpha from n = 5000 ln(1/(alpha epsilon))^(7/2)/(alpha^2 epsilon^5) on: the printed
    bound with a constant. (At n = 1 it is 0, so that the smallest n would be 1: what is meant is from n on.)""",
    over="alpha and epsilon on the grid, at the least n, its double and 1000 times it; beyond e^(7/2) it falls with n",
    code=["finitedp.exact.log_bounds"],
    grid=_sizes(mpq(0)),
    subject=(7, lambda _: 5000),
    twins={"log^(3/2)": (3, lambda _: 5000), "the constant 1": (7, lambda _: 1)},
)
def plug_in(enough: Enough, case: Size) -> Finding:
    return _falls(7, enough, case)


@lemma(
    "GK.Cor18.second",
    """Corollary 18, how many items its second estimator needs, whose sensitivity is n^(beta - 1): for beta < 1/2 and alpha,
    epsilon <= 1/2 the change n^(beta - 1) sqrt(n) (ln n)^(3/4)/epsilon^(5/2) is at most alpha from n = (C ln(1/(alpha
    epsilon))^(3/2)/(alpha^2 epsilon^5))^(1/(1 - 2 beta)) on, C = 30/(1 - 2 beta)^(3/2) rounded up. (The text takes any beta
    in (0, 1); from 1/2 on the change does not fall with n.)""",
    over="alpha and epsilon on the grid, beta = 1/10, 1/4 (2/5 in full), at the least n, its double and 1000 times it",
    code=["finitedp.exact.log_bounds"],
    grid=(_sizes(mpq(1, 10), mpq(1, 4))[0], [*_sizes(mpq(1, 10), mpq(1, 4))[1], *_sizes(mpq(2, 5))[0]]),
    subject=(3, lambda case: -int(-30 // case.power**2)),
    twins={"no logarithm": (0, lambda _: 3), "the constant 1": (3, lambda _: 1)},
)
@lemma(
    "GK.Cor23.dense.size",
    """Corollary 23, dense case, how many items the noise needs: for alpha, epsilon <= 1/2 the change (1/n) sqrt(n) (ln
    n)^(3/4)/epsilon^(5/2) is at most alpha from n = 30 ln(1/(alpha epsilon))^(3/2)/(alpha^2 epsilon^5) on.""",
    over="alpha and epsilon on the grid, at the least n, its double and 1000 times it; beyond e^(3/2) it falls with n",
    code=["finitedp.exact.log_bounds"],
    grid=_sizes(mpq(0)),
    subject=(3, lambda _: 30),
    twins={"no logarithm": (0, lambda _: 30), "the constant 1": (3, lambda _: 1)},
)
def other_estimators(enough: Enough, case: Size) -> Finding:
    return _falls(3, enough, case)


def _falls(log_power: int, enough: Enough, case: Size) -> Finding:
    """(ln n)^log_power <= (n^power alpha^2 epsilon^5)^2 from the n on that is said to be enough."""
    least = _least_n(case, enough[0], enough[1](case))

    def found() -> Iterator[tuple[mpq, mpq, object]]:
        for n in (least, 2 * least, 1000 * least):
            top, root = 2 * int(case.power.numerator), int(case.power.denominator)
            side = log_bounds(n)[1] ** (log_power * root)
            yield side, mpq(n) ** top * (case.alpha**2 * case.epsilon**5) ** (2 * root), f"n={n}, {case}"

    return largest_load("a power of the logarithm", found())


IMPL = "finitedp.impl.anonymized.references"


def _two_tables(h: tuple[int, int], decay: mpq) -> Pmf[tuple[int, ...]]:
    """Both noisy tables of two labels, the second hashed into two buckets, one each; noise clamped to -1..2."""
    return joint([clamped_geometric(decay, x, -1, 2) for x in (*h, *h)])


def _one_noise(h: tuple[int, int], decay: mpq) -> Pmf[tuple[int, ...]]:
    """One noise for a label in both tables, hashed into one bucket and noised with that of the first label."""
    return joint([geometric(decay, 3).shifted(x) for x in h]).pushforward(lambda y: (*y, y[0] + h[1]))


def _nonempty(h: tuple[int, int], decay: mpq) -> Pmf[tuple[int, ...]]:
    return joint([clamped_geometric(decay, x, -1, 2) if x else Pmf.point(0) for x in h])


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
