"""Corollaries 18 and 23: the sensitivity of the entropy, and how many items the noise needs, with constants."""

from collections.abc import Callable, Iterator
from itertools import product
from typing import NamedTuple

from gmpy2 import mpq, mpz

from finitedp.exact import log_bounds
from finitedp.proofs_check.claims.ph.each_case import Compared, compared, largest_load
from finitedp.proofs_check.claims.ph.subjects import SPEC
from finitedp.proofs_check.ledger.entry import Finding, cases, in_scope
from finitedp.proofs_check.ledger.findings import lemma


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
