"""Appendix F of the paper on flexible accuracy: Algorithm 1 as printed, and with a public range of the noise."""

from collections.abc import Callable
from itertools import product
from typing import Any, NamedTuple

from gmpy2 import mpq

from finitedp.proofs_check.claims.fa.premises import Corollary1, Lemma9, Lemma10, Pair, Remark3
from finitedp.proofs_check.claims.fa.subjects import SCALES, worst_delta
from finitedp.proofs_check.ledger.entry import Cases, Finding, cases, entry, erratum, in_scope
from finitedp.proofs_check.ledger.findings import all_of, at_most, equal
from finitedp.spec.flexible.distortion import drop
from finitedp.spec.flexible.literal import (
    DOWN,
    NEAREST,
    UP,
    Histogram,
    Scale,
    claimed_delta,
    shifted_truncated,
    truncated_cdf,
    truncated_density_ratio,
)

LITERAL = "finitedp.spec.flexible.literal.shifted_truncated"
DELTA = "finitedp.spec.flexible.literal.claimed_delta"
HALF = mpq(1, 2)


Width = Callable[[Pair], Callable[[int], mpq]]


def _of_the_data(case: Pair) -> Callable[[int], mpq]:
    """q = tau |x|, of whatever histogram it is."""
    return lambda size: case.tau * size


def _public(case: Pair) -> Callable[[int], mpq]:
    """One q for all histograms: that of the smaller one of the pair."""
    return lambda _: case.tau * sum(case.x)


def _by_parity(case: Pair) -> Callable[[int], mpq]:
    return lambda size: case.tau * (sum(case.x) - size % 2)


ONE_BAR = [(n,) for n in range(1, 9)]
EQUAL_BARS = [(2, 2), (3, 3, 3), (2, 2, 2, 3), (4, 5)]


def _listed(of: type[Pair], nus: tuple[mpq, ...], bars: tuple[Histogram, ...]) -> tuple[Pair, ...]:
    found = [of(scale, HALF, nu, x) for scale, nu, x in product(SCALES, nus, bars)]
    found += [of(Scale(mpq(101, 100), 16), mpq(3, 8), nu, (2, 5, 5)) for nu in nus if (2, 2) in bars]
    return tuple(case for case in found if case.premise and claimed_delta(case.tau * case.n, case.scale) < 1)


def _pairs(of: type[Pair], *nus: mpq | int) -> Cases:
    exact = tuple(mpq(nu) for nu in nus)
    more = tuple((b,) * k for b, k in ((5, 1), (12, 1), (5, 2), (6, 2), (4, 3), (3, 4)))
    return Cases(lambda: _listed(of, exact, (*ONE_BAR, *EQUAL_BARS)), lambda: _listed(of, exact, more))


TWINS = {"q that depends on the parity of |x|": _by_parity}
SAME: dict[str, Any] = {
    "as_printed": ("q = tau |x|", _of_the_data),
    "subject": _public,
    "twins": TWINS,
    "code": [LITERAL, DELTA],
}


@erratum(
    "FA.Cor1",
    """Corollary 1, with the range q = tau |x| of the noise as printed: where q epsilon >= 2, Algorithm 1 is (epsilon,
    (e^epsilon - 1)/(2 (e^(epsilon q/2) - 1)))-DP.""",
    """Corollary 1, for noise of a public range q, the same for every histogram: where q epsilon >= 2, Algorithm 1 is (epsilon,
    (e^epsilon - 1)/(2 (e^(epsilon q/2) - 1)))-DP, for any number of bars, and attains it.""",
    kind="theorem",
    over="tau = 1/2, one bar and equal bars of a few rows; delta taken at the smaller |x|, where it is larger",
    grid=_pairs(Corollary1, 0),
    **SAME,
)
@erratum(
    "FA.Lem9",
    """Lemma 9, with the range q = tau |x| of the noise as printed: where |x| >= 2/(epsilon tau) ln(1 + (1 - e^(-epsilon
    tau/2))/(e^(epsilon (nu + tau/2)) - 1)), Algorithm 1 is ((1 + nu) epsilon, (e^epsilon - 1)/(2 (e^(epsilon q/2) -
    1)))-DP.""",
    """Lemma 9, for noise of a public range q = tau n, the same for every histogram: where n >= 2/(epsilon tau) ln(1 + (1 -
    e^(-epsilon tau/2))/(e^(epsilon (nu + tau/2)) - 1)), Algorithm 1 is ((1 + nu) epsilon, (e^epsilon - 1)/(2 (e^(epsilon q/2)
    - 1)))-DP, for any number of bars.""",
    kind="lemma",
    over="as Corollary 1, nu = 0, 1/4 and 1",
    grid=_pairs(Lemma9, 0, mpq(1, 4), 1),
    **SAME,
)
@erratum(
    "FA.Lem10",
    """Lemma 10, with the range q = tau |x| of the noise as printed: where epsilon nu > ln(1 + 1/|x|), Algorithm 1 is ((1 + nu)
    epsilon, (e^epsilon - 1)/(2 (e^(epsilon q/2) - 1)))-DP.""",
    """Lemma 10, for noise of a public range q = tau n, the same for every histogram: where epsilon nu > ln(1 + 1/n), Algorithm
    1 is ((1 + nu) epsilon, (e^epsilon - 1)/(2 (e^(epsilon q/2) - 1)))-DP, for any number of bars.""",
    kind="lemma",
    over="as Corollary 1, nu = 1/4, 1/2 and 1",
    grid=_pairs(Lemma10, mpq(1, 4), HALF, 1),
    **SAME,
)
@erratum(
    "FA.Rem3",
    """Remark 3, with the range q = tau |x| of the noise as printed: Algorithm 1 is (2 epsilon, (e^epsilon - 1)/(2 (e^(epsilon
    q/2) - 1)))-DP where epsilon > ln(1 + 1/|x|).""",
    """Remark 3, for noise of a public range q = tau n, the same for every histogram: Algorithm 1 is (2 epsilon, (e^epsilon -
    1)/(2 (e^(epsilon q/2) - 1)))-DP where epsilon > ln(1 + 1/n), for any number of bars.""",
    kind="lemma",
    over="as Corollary 1, nu = 1",
    grid=_pairs(Remark3, 1),
    **SAME,
)
def private(width: Width, case: Pair) -> Finding:
    q = width(case)
    p, other = (shifted_truncated(x, q, case.scale) for x in (case.x, case.larger))
    found = worst_delta(p, other, case.scale.power(1 + case.nu))
    allowed = claimed_delta(case.tau * sum(case.x), case.scale)
    return at_most(found, allowed, f"delta of {case.x} and {case.larger} at e^epsilon = {case.scale.ratio}, nu = {case.nu}:")


@entry(
    "FA.Thm3.one-bar",
    "own",
    "With one bar, Algorithm 1 as printed is (epsilon, delta)-DP as Corollary 1 says, at tau |x| epsilon >= 2.",
    over="one bar of up to 8 rows (16 in full), tau = 1/2 and 1, tau |x| epsilon >= 2; delta taken at the smaller |x|",
    code=[LITERAL, DELTA],
    grid=Cases(
        lambda: [p for s, t, x in product(SCALES, (HALF, mpq(1)), ONE_BAR) if (p := Pair(s, t, mpq(0), x)).is_long],
        lambda: [p for s, n in product(SCALES, range(9, 17)) if (p := Pair(s, HALF, mpq(0), (n,))).is_long],
    ),
    subject=_of_the_data,
    twins={"q by parity": _by_parity},
)
def one_bar(width: Width, case: Pair) -> Finding:
    in_scope(case.is_long, "tau |x| epsilon >= 2")
    return private(width, case)


class Dropped(NamedTuple):
    """e^epsilon, tau and a histogram."""

    scale: Scale
    tau: mpq
    x: Histogram


EIGHTHS = Scale(mpq(9, 8), 8)
DROPPED = cases(
    Dropped,
    [(EIGHTHS, t, x) for t, x in product((mpq(1, 4), HALF, mpq(3, 4)), ((1,), (2,), (3,), (1, 1), (2, 1), (3, 0)))],
    [(EIGHTHS, t, x) for t, x in product((mpq(1, 4), HALF, mpq(3, 4), mpq(1)), ((4,), (2, 2), (1, 1, 1), (3, 2), (5, 1, 1)))],
)


@erratum(
    "FA.Thm3.ii",
    """Theorem 3, accuracy: if at most t bars are occupied, Algorithm 1 is (tau t, 0, 0)-accurate for the identity with respect
    to drop.""",
    """Theorem 3, accuracy, with x + Z rounded up: if at most t bars are occupied, Algorithm 1 is (tau t, 0, 0)-accurate for
    the identity with respect to drop. Rounded to the nearest, a bar loses up to floor(tau |x| + 1/2) rows: the only one, at
    tau > 1/2.""",
    as_printed=("to the nearest integer", NEAREST),
    subject=UP,
    twins={"rounded down": DOWN},
    kind="theorem",
    over="tau in quarters, histograms of up to 3 bars and 7 rows, every output of the exact law",
    code=[LITERAL, "finitedp.spec.flexible.distortion.drop"],
    grid=DROPPED,
)
def dropped_share(rounding: mpq, case: Dropped) -> Finding:
    found = shifted_truncated(case.x, lambda size: case.tau * size, case.scale, rounding)
    occupied = sum(count > 0 for count in case.x)
    shares = [drop(case.x, y) for y in found]
    worst = max(share for share in shares if share is not None)
    return all_of([equal(None in shares, False, "only drops"), at_most(worst, case.tau * occupied, f"dropped of {case.x}:")])


# Appendix F: the parts of the proof


BOXES = Cases(
    lambda: _listed(Lemma9, (mpq(0), mpq(1, 4)), ((3,), (6,), (2, 2), (3, 3))),
    lambda: _listed(Lemma9, (mpq(0), mpq(1, 4), mpq(1)), ((8,), (4, 4), (3, 5))),
)


@erratum(
    "FA.Claim3",
    "Claim 3: Pr[x' + Z in S] <= e^((1 + nu) epsilon) Pr[x + Z in S] for S where x' - q' + (1 - tau) <= s <= x', q = tau |x|.",
    """Claim 3, for noise of a public range q, the same for x and x': Pr[x' + Z in S] <= e^((1 + nu) epsilon) Pr[x + Z in S]
    for S where x' - q + 1 <= s <= x'.""",
    as_printed=("q = tau |x|", _of_the_data),
    subject=_public,
    twins=TWINS,
    kind="lemma",
    over="the least and the largest of a quarter's step in every bar, which decide for densities that are monotone between",
    code=["finitedp.spec.flexible.literal.truncated_cdf"],
    grid=BOXES,
)
def densities(width: Width, case: Pair) -> Finding:
    in_scope(case.scale.parts % 4 == 0, "e^(epsilon/4) is rational")
    smaller, larger = width(case)(sum(case.x)), width(case)(sum(case.larger))
    steps = int(4 * smaller)

    def mass(step: int, x: int, count: int, q: mpq) -> mpq:
        """Pr[count + Z is in the step-th quarter below x]."""
        top = mpq(x - count) - mpq(step, 4)
        return truncated_cdf(top, q, case.scale) - truncated_cdf(top - mpq(1, 4), q, case.scale)

    allowed, worst = case.scale.power(1 + case.nu), mpq(1)
    for i, (x, y) in enumerate(zip(case.x, case.larger, strict=True)):
        reach = steps - 4 + int(4 * (larger - smaller)) if i == 0 else steps  # S_2 in bar 0, all of [-q', 0] in the others
        quotients = [mpq(0)]
        for step in range(reach):
            under, over = mass(step, x, x, smaller), mass(step, x, y, larger)
            if under:
                quotients.append(under / over if over else mpq(10**9))
        worst *= max(quotients)
    return at_most(worst, allowed, f"worst ratio at {case.x}, e^epsilon = {case.scale.ratio}, nu = {case.nu}:")


ENDS = Cases(
    lambda: _listed(Pair, (mpq(0),), tuple(ONE_BAR)),
    lambda: _listed(Pair, (mpq(0),), tuple((n,) for n in range(9, 30))),
)


@entry(
    "FA.Claim4",
    "lemma",
    """Claim 4: Pr[-q' <= Z < -q' + (1 - tau)] <= (e^epsilon - 1)/(2 (e^(epsilon q/2) - 1)), Z on [-q', 0], q' = tau n,
    q = tau (n + 1).""",
    over="tau = 1/2, n = 1..8 (29 in full), where the bound is below 1",
    code=["finitedp.spec.flexible.literal.truncated_cdf", DELTA],
    grid=ENDS,
    subject=lambda tau: 1 - tau,
    twins={"1 + tau": lambda tau: 1 + tau},
)
def last_part(part: Callable[[mpq], mpq], case: Pair) -> Finding:
    q = case.tau * sum(case.x)
    found = truncated_cdf(-q + part(case.tau), q, case.scale)
    return at_most(found, claimed_delta(q + case.tau, case.scale), f"last part at n = {sum(case.x)}:")


class Roots(NamedTuple):
    """g = e^(epsilon tau/2), h = e^(epsilon nu), and n."""

    g: mpq
    h: mpq
    n: int


ROOTS = cases(
    Roots,
    product((mpq(11, 10), mpq(3, 2), mpq(4)), (mpq(1), mpq(11, 10), mpq(3)), (1, 2, 5)),
    product((mpq(101, 100), mpq(7, 5)), (mpq(1), mpq(101, 100), mpq(10)), (1, 3, 10, 100)),
)


@entry(
    "FA.Claim5",
    "lemma",
    """Claim 5: n >= 2/(epsilon tau) ln(1 + (1 - e^(-epsilon tau/2))/(e^(epsilon (nu + tau/2)) - 1)) exactly where
    ln((1 - e^(-epsilon tau (n+1)/2))/(1 - e^(-epsilon tau n/2))) <= epsilon (nu + tau/2).""",
    over="rational e^(epsilon tau/2) and e^(epsilon nu), n >= 1; both sides exponentiated",
    code=["finitedp.spec.flexible.literal.truncated_density_ratio"],
    grid=ROOTS,
    subject=lambda g, h, n: g**n >= 1 + (1 - 1 / g) / (g * h - 1),
    twins={
        "tau for tau/2 in the last exponent": lambda g, h, n: g**n >= 1 + (1 - 1 / g) / (g * g * h - 1),
        "n + 1 for n": lambda g, h, n: g ** (n + 1) >= 1 + (1 - 1 / g) / (g * h - 1),
    },
)
def same_condition(enough: Callable[[mpq, mpq, int], bool], case: Roots) -> Finding:
    g, h, n = case
    q, larger = mpq(n, 2), mpq(n + 1, 2)  # tau = 1/2, so that e^(epsilon/4) = g
    norms = truncated_density_ratio(-q / 2, q, -larger / 2, larger, Scale(g, 4))
    return equal(enough(g, h, n), norms <= g * h, f"condition at {case}")
