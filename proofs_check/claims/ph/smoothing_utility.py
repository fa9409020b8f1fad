"""Section D.2, the high-privacy regime: inequalities (14) to (18)."""

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise, product
from typing import NamedTuple

from gmpy2 import mpq

from finitedp.exact import compare_exp
from finitedp.proofs_check.claims.ph.each_case import Bounded, bounded, first_difference
from finitedp.proofs_check.claims.ph.subjects import SPEC, capped, l1, small, tail
from finitedp.proofs_check.ledger.entry import Cases, Finding, cases, erratum, in_scope
from finitedp.proofs_check.ledger.findings import lemma
from finitedp.spec.anonymized import histograms, post_processing, priv_hist
from finitedp.spec.anonymized.histograms import Histogram

CODE = [f"{SPEC}.priv_hist.smoothed", f"{SPEC}.post_processing.smooth_output"]
Places = tuple[int, ...]


class Block(NamedTuple):
    """All histograms of H_U, one set S, and the noise that each block may have."""

    universe: int
    places: Places
    noise: tuple[int, ...] = (-1, 0, 1)

    def check_scope(self) -> None:
        in_scope(self.universe >= 1 and self.noise, "U >= 1, and some noise")
        in_scope(self.places[:1] == (1,) and all(a < b for a, b in pairwise(self.places)), "S = (1, ...), rising")


BLOCKS = cases(Block, [(4, (1, 2, 4)), (4, (1, 4)), (3, (1, 3, 4))], [(6, (1, 2, 4, 6)), (6, (1, 3, 6), (-2, 0, 1, 3))])
Vector = list[mpq]
Levels = dict[int, mpq]


def _levels(phi: Sequence[mpq], places: Places) -> Vector:
    """phi_{r+} for r = 1..2N, where phi has its mass at the places."""
    return [sum((x for x, s in zip(phi, places, strict=True) if s >= r), mpq(0)) for r in range(1, places[-1] + 1)]


def _of(h: Histogram, top: int) -> Vector:
    return [mpq(histograms.cumulative(h, r)) for r in range(1, top + 1)]


class Stage(NamedTuple):
    """phi_{r+} of H^u, H^v, H^x and H^y, and phi_{s_i+} of H^v, H^w and H^x, with the steps d_i."""

    u: Vector
    v: Vector
    x: Vector
    y: Histogram
    at_v: Vector
    at_w: Vector
    at_x: Vector
    steps: list[int]


def _stages(h: Histogram, case: Block) -> Iterator[tuple[tuple[int, ...], Stage]]:
    s, top = case.places, case.places[-1]
    steps = [b - a for a, b in pairwise((0, *s))]
    phi = priv_hist.smoothed(h, s, top)
    exact = priv_hist.blocks(h, s)
    for noise in product(case.noise, repeat=len(s)):
        noisy = [a + z for a, z in zip(exact, noise, strict=True)]
        at_w = [mpq(a, d) for a, d in zip(noisy, steps, strict=True)]
        at_x = post_processing.isotonic(at_w, [d * d for d in steps])
        wide = [next(x for x, at in zip(at_x, s, strict=True) if at >= r) for r in range(1, top + 1)]
        at_v = [mpq(a, d) for a, d in zip(exact, steps, strict=True)]
        y = post_processing.smooth_output(s, noisy)
        yield noise, Stage(_of(capped(h, top), top), _levels(phi, s), wide, y, at_v, at_w, at_x, steps)


@lemma(
    "PH.Eq14",
    "(14): l1(h, H^y) <= l1(h, H^u) + l1(H^u, H^y).",
    over="all histograms of H_U, every noise of the grid on every block",
    code=CODE,
    grid=BLOCKS,
    subject=capped,
    twins={"counts above 1 cut off": lambda h, _: capped(h, 1)},
)
@bounded("l1(h, H^y)")
def through_cap(cap: Callable[[Histogram, int], Histogram], case: Block) -> Bounded:
    for h in small(case.universe + 1):
        u = cap(h, case.places[-1])
        lost = sum(x - min(x, case.places[-1]) for x in h)
        for noise, stage in _stages(h, case):
            yield histograms.distance(h, stage.y), lost + histograms.distance(u, stage.y), f"{h}, Z={noise}, {case}"


@lemma(
    "PH.Eq15",
    """(15): l1(h, H^u) is 0 unless N < n/2, and at most n then; Pr[N < n/2] <= e^(-n epsilon_1/2); n e^(-n epsilon_1/2) <=
    1/epsilon_1.""",
    over="all histograms of H_U and N = 1..U; n = 1..40 and e^-epsilon_1 = 1/2, 9/10; epsilon_1 = 1/10, 1, 3",
    code=[f"{SPEC}.priv_hist.smoothed"],
    grid=Cases((3, 5), (7,)),
    subject=lambda h, total: sum(h) if 2 * total < sum(h) else 0,
    twins={
        "0 unless N < n/3": lambda h, total: sum(h) if 3 * total < sum(h) else 0,
        "at most 1": lambda h, total: 1 if 2 * total < sum(h) else 0,
    },
)
@bounded("loss")
def cap_loss(allowed: Callable[[Histogram, int], int], universe: int) -> Bounded:
    for h, total in product(small(universe), range(1, universe + 1)):
        yield histograms.distance(h, capped(h, 2 * total)), allowed(h, total), f"{h}, N={total}"
    for n, decay in product(range(1, 41), (mpq(1, 2), mpq(9, 10))):
        yield tail(decay, n // 2 + 1) ** 2, decay**n, f"Pr[N < n/2]^2 at n={n}, decay {decay}"
    for n, e in product(range(1, 41), (mpq(1, 10), mpq(1), mpq(3))):
        yield int(compare_exp(n * e, n * e / 2) > 0), 0, f"n={n}, epsilon_1={e}"


@lemma(
    "PH.Eq16",
    """(16): l1(H^u, H^y) <= 2 sum |phi^u_{r+} - phi^x_{r+}| <= 2 sum (|phi^u_{r+} - phi^v_{r+}| + |phi^x_{r+} - phi^v_{r+}|),
    both terms doubled.""",
    over="all histograms of H_U, every noise of the grid on every block",
    code=CODE,
    grid=BLOCKS,
    subject=(2, 2, 2),
    twins={"not doubled": (1, 1, 1), "one term alone": (2, 2, 0), "the smoothing alone": (2, 0, 2)},
)
@bounded("l1(H^u, H^y)")
def rounded_error(factors: tuple[int, int, int], case: Block) -> Bounded:
    for h in small(case.universe):
        for noise, stage in _stages(h, case):
            middle = factors[0] * l1(stage.u, stage.x)
            far = factors[1] * l1(stage.u, stage.v) + factors[2] * l1(stage.x, stage.v)
            start = histograms.distance(capped(h, case.places[-1]), stage.y)
            yield start, middle, f"first, {h}, Z={noise}, {case}"
            yield middle, far, f"second, {h}, Z={noise}, {case}"


@erratum(
    "PH.Eq17",
    """Before (17), as printed: for a block from s to t the sum over j = s..t-1 of |phi^v_{j+} - phi^u_{j+}| is at most the sum
    over r = s..t of 2 phi_r (r - s)(t - r)/(t - s) <= 2 phi_r min(t - r, r - s).""",
    """Before (17), corrected: for a block from s to t the sum over j = s+1..t of |phi^v_{j+} - phi^u_{j+}| is at most the sum
    over r = s..t of 2 phi_r (r - s)(t - r)/(t - s) <= 2 phi_r min(t - r, r - s); phi^v_{s+} belongs to the block before.""",
    as_printed=("j = s..t-1", range),
    subject=lambda s, t: range(s + 1, t + 1),
    twins={"j = s..t": lambda s, t: range(s, t + 1)},
    over="all histograms of H_U, all blocks of the S of the grid",
    code=CODE[:1],
    grid=BLOCKS,
    kind="lemma",
)
@bounded("smoothing error")
def smoothing_error(levels: Callable[[int, int], range], case: Block) -> Bounded:
    for h in small(case.universe):
        top = case.places[-1]
        below = capped(h, top)
        u, v = _of(below, top), _levels(priv_hist.smoothed(h, case.places, top), case.places)
        for s, t in pairwise(case.places):
            shares = [(histograms.prevalence(below, r), r - s, t - r) for r in range(s, t + 1)]
            exact = sum((mpq(2 * m * a * b, t - s) for m, a, b in shares), mpq(0))
            value = sum((abs(v[j - 1] - u[j - 1]) for j in levels(s, t)), mpq(0))
            yield value, exact, f"{h}, block {s}..{t}"
            yield exact, 2 * sum(m * min(a, b) for m, a, b in shares), f"second, {h}, block {s}..{t}"


def _weighted(x: Vector, y: Vector, steps: list[int]) -> mpq:
    return sum(((a - b) ** 2 * d * d for a, b, d in zip(x, y, steps, strict=True)), mpq(0))


@erratum(
    "PH.Eq17.projection",
    """After (17), as printed: sum |phi^v_{r+} - phi^x_{r+}| = sum |phi^v_{s_i+} - phi^x_{s_i+}| d_i, whose square is at most
    |S| sum (phi^v - phi^x)^2 d_i^2 <= |S| sum (phi^w - phi^x)^2 d_i^2.""",
    """After (17), corrected in the last step: sum |phi^v_{r+} - phi^x_{r+}| = sum |phi^v_{s_i+} - phi^x_{s_i+}| d_i, whose
    square is at most |S| sum (phi^v - phi^x)^2 d_i^2 <= |S| sum (phi^v - phi^w)^2 d_i^2 = |S| sum Z_i^2: H^x is the projection
    of H^w, and H^v is in the cone (where H^w is too, the printed sum is 0).""",
    as_printed=("phi^w - phi^x", lambda stage: _weighted(stage.at_w, stage.at_x, stage.steps)),
    subject=lambda stage: _weighted(stage.at_v, stage.at_w, stage.steps),
    twins={"without d_i^2": lambda stage: _weighted(stage.at_v, stage.at_w, [1] * len(stage.steps)) / 2},
    over="all histograms of H_U, every noise of the grid on every block",
    code=CODE,
    grid=BLOCKS,
    kind="lemma",
)
@bounded("squares")
def projection_error(right: Callable[[Stage], mpq], case: Block) -> Bounded:
    for h in small(case.universe):
        for noise, stage in _stages(h, case):
            value = sum((abs(a - b) * d for a, b, d in zip(stage.at_v, stage.at_x, stage.steps, strict=True)), mpq(0))
            where = f"{h}, Z={noise}, {case}"
            yield abs(value - l1(stage.v, stage.x)), mpq(0), f"first equality, {where}"
            middle = _weighted(stage.at_v, stage.at_x, stage.steps)
            yield value**2, len(stage.steps) * middle, f"Cauchy and Schwarz, {where}"
            yield middle, right(stage), f"projection, {where}"


class Far(NamedTuple):
    """Epsilon = 1/q (each third is 1/(3q)), N, and n."""

    q: int
    total: int
    n: int


Squared = Callable[[Far], int]
"""The square of a number, which is rational."""


def _wide(case: Far) -> int:
    """T' = 10 sqrt(N/epsilon_3^3), as step H2 has it."""
    return 100 * case.total * (3 * case.q) ** 3


def _narrow(case: Far) -> int:
    """T' = 10 sqrt(N)/epsilon_3^3."""
    return 100 * case.total * (3 * case.q) ** 6


def _exponents(case: Far) -> tuple[int, int]:
    """3 sqrt(N/epsilon) and 3 sqrt(N)/epsilon."""
    return 9 * case.total * case.q, 9 * case.total * case.q**2


@lemma(
    "PH.Eq18",
    """(18), for epsilon <= 1 with thirds of epsilon: 9 T' epsilon_2/10 is at least 3 sqrt(N/epsilon) for T' = 10
    sqrt(N/epsilon_3^3), and at least 3 sqrt(N)/epsilon for T' = 10 sqrt(N)/epsilon_3^3 (the copies leave open how far the
    roots reach, and both readings hold); for the first T' also (n/T + M + 1/epsilon_2) e^(-9 T' epsilon_2/10) <= n epsilon/N
    + 1.""",
    over="epsilon = 1/q, N and n on the grid; by rigorous comparisons with powers of e",
    code=[f"{SPEC}.priv_hist.paper_last", f"{SPEC}.priv_hist.paper_fakes"],
    grid=cases(
        Far, [(1, 1, 1), (10, 4, 5), (30, 1, 1), (100, 9, 3)], [(27, 1, 1), (28, 1, 100), (1000, 100, 10), (5, 1, 10**6)]
    ),
    subject=(_wide, _narrow),
    twins={
        "the first root alone over epsilon_3": (_wide, _wide),
        "T' = 10 sqrt(N/epsilon_3)": (lambda case: 100 * case.total * 3 * case.q, _narrow),
    },
)
def far_counts(squares: tuple[Squared, Squared], case: Far) -> Finding:
    third = mpq(1, 3 * case.q)
    exponents = [mpq(81, 100) * square(case) * third**2 for square in squares]
    large_enough = [found >= least for found, least in zip(exponents, _exponents(case), strict=True)]
    t, last = priv_hist.paper_threshold(case.total, mpq(1, case.q)), priv_hist.paper_last(case.total, third)
    number = mpq(case.n, t) + priv_hist.paper_fakes(case.total, third) + 1 / third
    allowed = mpq(case.n, case.q * case.total) + 1
    small_enough = compare_exp(number / allowed, mpq(9, 10) * last * third) <= 0
    return first_difference("(exponents, conclusion)", [((large_enough, small_enough), ([True, True], True), case)])


class Rising(NamedTuple):
    """All histograms with at most so many items; T, M and T', and the decay e^-epsilon_2."""

    universe: int
    threshold: int
    fakes: int
    last: int
    decay: mpq


def _large_counts(case: Rising, h: Histogram) -> mpq:
    """E max(0, phi_{(T+1)+} + M + Z_b): the mean number of large counts."""
    known = histograms.cumulative(h, case.threshold + 1) + case.fakes
    return known + case.decay ** (known + 1) / (1 - case.decay**2)


@lemma(
    "PH.Eq18.mean",
    """(18), its first step: the mean number U of large counts below T'/10 that noise takes to T' or above is at most (n/T + M
    + E|Z|) e^(-9 T' epsilon_2/10), with the constant 1.""",
    over="all histograms of H_U and T, M, T' and decays on the grid; closed forms of both means",
    code=[f"{SPEC}.histograms.cumulative"],
    grid=cases(
        Rising,
        [(5, 1, 1, 10, mpq(1, 2)), (6, 2, 2, 40, mpq(3, 4)), (6, 1, 1, 20, mpq(9, 10))],
        [(9, 1, 3, 30, mpq(99, 100)), (8, 3, 1, 50, mpq(1, 5))],
    ),
    subject=lambda case, n: mpq(n, case.threshold) + case.fakes + 2 * case.decay / (1 - case.decay**2),
    twins={"n/T alone": lambda case, n: mpq(n, case.threshold) / 2, "M alone": lambda case, _n: mpq(case.fakes, 2)},
)
@bounded("mean of U")
def rising(number: Callable[[Rising, int], mpq], case: Rising) -> Bounded:
    least = -(-9 * case.last // 10)  # a count below T'/10 needs noise of more than that
    for h in small(case.universe)[1:]:
        mean = _large_counts(case, h) * tail(case.decay, least)
        yield mean, number(case, sum(h)) * case.decay**least, f"{h}, {case}"
