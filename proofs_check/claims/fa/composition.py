"""Sections 3 and 4 of the paper on flexible accuracy: the definition, sensitivities, and what composes."""

from collections.abc import Callable
from functools import cache
from itertools import product
from operator import le, lt
from typing import Any

from gmpy2 import mpq

from finitedp.proofs_check.claims.fa.subjects import POINTS, Masses, Two, law, masses, seeded, subsets, wasserstein
from finitedp.proofs_check.ledger.entry import AS_READ, Cases, Finding, entry, erratum
from finitedp.proofs_check.ledger.findings import all_of, at_most, equal
from finitedp.spec.flexible import accuracy as spec
from finitedp.spec.flexible.lossy_wasserstein import absolute, lossy_infinity
from finitedp.spec.pmf import Pmf

SPEC = "finitedp.spec.flexible.accuracy"
Value = mpq | None


def downward(x: int, y: int) -> mpq | None:
    """A quasi-metric on POINTS in the manner of dropping: from a point to those below it, and to no other."""
    return mpq(x - y) if y <= x else None


LINE = ((2, 0, 0), (0, 2, 0), (0, 0, 2))
DOWN = Two(POINTS, POINTS, LINE, ((2, 0, 0), (2, 0, 0), (0, 2, 0)))
"""M2 answers with the point below; all else is exact."""

MAPS = Cases(lambda: [DOWN, *seeded(39, 1)], lambda: seeded(400, 2))


def _of(values: tuple[int, int, int]) -> Callable[[Any], int]:
    return lambda x: values[POINTS.index(x)]


def _laws(weights: tuple[Masses, Masses, Masses]) -> dict[Any, Pmf[Any]]:
    return {x: law(w) for x, w in zip(POINTS, weights, strict=True)}


# Definition 3, and Remark 1

ALPHAS = (mpq(0), mpq(1), mpq(2), mpq(3))
LOSSES = (mpq(0), mpq(1, 2))


def _good(p: Pmf[int], values: list[int], beta: mpq) -> mpq:
    return spec.good_mass(p, values, absolute, beta)


@entry(
    "FA.Def3",
    "definition",
    """(alpha, beta, gamma)-accuracy at x: some random X' within alpha of x has W_gamma^inf(M(x), f(X')) <= beta. For a
    deterministic f that is: the output is within beta of a value of f within alpha, with probability at least 1 - gamma.""",
    over="every law M(x) on three points in thirds (fourths in full), set of values of f, law of f(X'), gamma and beta",
    code=[f"{SPEC}.good_mass", f"{SPEC}.accuracy_gamma"],
    grid=Cases(lambda: masses(3), lambda: masses(4)),
    subject=_good,
    twins={
        "within 2 beta": lambda p, values, beta: _good(p, values, 2 * beta),
        "of the first value": lambda p, values, beta: _good(p, values[:1], beta),
    },
)
def accurate(good: Callable[[Pmf[int], list[int], mpq], mpq], p: Masses) -> Finding:
    total, findings = sum(p), list[Finding]()
    for values, k, twice in product(subsets(range(3))[1:], range(total), range(7)):
        gamma, beta = mpq(k, total), mpq(twice, 2)
        images = [q for q in masses(total) if all(i in values for i in range(3) if q[i])]
        defined = any(wasserstein(p, q, gamma) <= beta for q in images)
        found = good(law(p), [POINTS[i] for i in values], beta) >= 1 - gamma
        findings.append(equal(found, defined, f"M(x) = {p}, values {values}, gamma {gamma}, beta {beta}"))
    return all_of(findings)


def _least_beta(laws: dict[Any, Pmf[Any]], f: Callable[[Any], int], alpha: mpq, gamma: mpq) -> mpq:
    """The least beta with (alpha, beta, gamma)-accuracy, from Definition 3 at every input."""
    worst = mpq(0)
    for x, found in laws.items():
        values = [f(y) for y in POINTS if (d := downward(x, y)) is not None and d <= alpha]
        worst = max(worst, next(mpq(t, 2) for t in range(8) if _good(found, values, mpq(t, 2)) >= 1 - gamma))
    return worst


def _error(case: Two, beta_1: mpq, alpha_2: mpq, gamma_2: mpq, gamma_1: mpq | int = 0) -> mpq:
    laws, f = _laws(case.m2), _of(case.f2)
    found = spec.error_sensitivity(laws, f, absolute, downward, absolute, beta_1, alpha_2, gamma_2, gamma_1)
    assert found is not None  # noqa: S101  # all distances are finite
    return found


@erratum(
    "FA.Rem1",
    "Remark 1: if a mechanism is (alpha, beta, gamma)-accurate for f, then beta = tau^(alpha, gamma)(0, 0).",
    """Remark 1, corrected: tau^(alpha, gamma)(0, 0) is the least beta with which a mechanism is (alpha, beta, gamma)-accurate
    for f; it is so with others.""",
    as_printed=("every beta", lambda betas: betas),
    subject=lambda betas: betas[:1],
    twins={"the second beta": lambda betas: betas[1:2]},
    kind="lemma",
    over="seeded mechanisms and maps on three points, alpha = 0..3, gamma = 0, 1/2; beta in halves up to 3",
    code=[f"{SPEC}.error_sensitivity", f"{SPEC}.good_mass"],
    grid=MAPS,
)
def least_beta(which: Callable[[list[mpq]], list[mpq]], case: Two) -> Finding:
    findings = list[Finding]()
    for alpha, gamma in product(ALPHAS, LOSSES):
        least = _least_beta(_laws(case.m2), _of(case.f2), alpha, gamma)
        betas = [mpq(t, 2) for t in range(10) if mpq(t, 2) >= least]
        findings += [
            equal(_error(case, mpq(0), alpha, gamma), b, f"tau at alpha {alpha}, gamma {gamma}") for b in which(betas)
        ]
    return all_of(findings)


# Definition 4 and Lemma 8: distortion sensitivity


def _sigma(case: Two, alpha: mpq) -> Value:
    return spec.distortion_sensitivity(_of(case.f1), POINTS, POINTS, downward, downward, alpha)


@cache
def _lifted(p: Masses, q: Masses) -> Value:
    return lossy_infinity(law(p), law(q), downward).value


def _image(f: tuple[int, int, int], p: Masses) -> Masses:
    found = [0, 0, 0]
    for y, mass in zip(f, p, strict=True):
        found[POINTS.index(y)] += mass
    return found[0], found[1], found[2]


@entry(
    "FA.Def4",
    "definition",
    """The distortion sensitivity sigma_f(alpha): over points x and laws Y within alpha of f(x), the largest of the least
    distortion of x to an X with f(X) = Y; point masses Y suffice. sigma_f(0) = 0, and sigma of the identity is at most
    alpha.""",
    over="seeded maps on three points with a quasi-metric, and the identity; X and Y over all laws in halves; alpha = 0..3",
    code=[f"{SPEC}.distortion_sensitivity"],
    grid=Cases(lambda: [Two(POINTS, *case[1:]) for case in seeded(1, 1)] + seeded(12, 5), lambda: seeded(100, 6)),
    subject=_sigma,
    twins={
        "of half of alpha": lambda case, alpha: _sigma(case, alpha / 2),
        "alpha itself": lambda _case, alpha: alpha,
    },
)
def distortion_sensitivity(sigma: Callable[[Two, mpq], Value], case: Two) -> Finding:
    findings = list[Finding]()
    for alpha in ALPHAS:
        worst: Value = mpq(0)
        for i, y in product(range(3), masses(2)):
            x = tuple(2 if j == i else 0 for j in range(3))
            apart = _lifted(_image(case.f1, x), y)
            if apart is None or apart > alpha:
                continue
            costs = [_lifted(x, other) for other in masses(2) if _image(case.f1, other) == y]
            least = min((c for c in costs if c is not None), default=None)
            worst = None if worst is None or least is None else max(worst, least)
        findings.append(equal(sigma(case, alpha), worst, f"sigma({alpha}) of {case.f1}"))
    zero, identity = sigma(case, mpq(0)), case.f1 == POINTS
    findings.append(equal(zero, mpq(0), f"sigma(0) of {case.f1}"))
    if identity:
        findings += [at_most(sigma(case, alpha) or mpq(0), alpha, "sigma of the identity:") for alpha in ALPHAS]
    return all_of(findings)


@entry(
    "FA.Lem8",
    "lemma",
    """For random X_0 and Y with f(X_0) within alpha of Y there is an X with f(X) = Y and X_0 within sigma_f(alpha) of it,
    where sigma_f(alpha) is finite.""",
    over="seeded maps on three points with a quasi-metric; X_0 and Y over all laws in halves; alpha = 0..3",
    code=[f"{SPEC}.distortion_sensitivity"],
    grid=Cases(lambda: [Two((0, 0, 1), *case[1:]) for case in seeded(1, 1)] + seeded(30, 5), lambda: seeded(100, 6)),
    subject=_sigma,
    twins={"of half of alpha": lambda case, alpha: _sigma(case, alpha / 2)},
)
def random_distortions(sigma: Callable[[Two, mpq], Value], case: Two) -> Finding:
    def cost(x: int, y: int) -> Value:
        """The least distortion of x to a point that f maps to y."""
        found = [downward(x, other) for other in POINTS if _of(case.f1)(other) == y]
        return min((d for d in found if d is not None), default=None)

    findings = [equal(sigma(case, mpq(0)), mpq(0), "sigma(0)")]
    for alpha, x, y in product(ALPHAS, masses(2), masses(2)):
        most, apart = sigma(case, alpha), _lifted(_image(case.f1, x), y)
        if most is not None and apart is not None and apart <= alpha:
            least = lossy_infinity(law(x), law(y), cost).value
            findings.append(equal(least is not None and least <= most, True, f"{case.f1}: {x} to an X with f(X) = {y}"))
    return all_of(findings)


# Definition 5 and Lemma 2: error sensitivity


@entry(
    "FA.Def5",
    "definition",
    """The error sensitivity tau^(a2, g2)(b1, g1): over random X and X' with W_g1^inf(X, X') <= b1 the largest of the least
    W_g2^inf(M(X), f(Y)) over the Y within a2 of X'. Points X and X' suffice where g1 = 0; else a pair of points within b1,
    with probability 1 - g1, and any other pair.""",
    over="""seeded mechanisms and maps on three points; X and X' all laws in halves, Y in fourths; b1 = 0, 1, 2, a2 = 0, 2, g1
    and g2 = 0, 1/2""",
    code=[f"{SPEC}.error_sensitivity"],
    grid=Cases(lambda: seeded(3, 9), lambda: seeded(40, 4)),
    subject=_error,
    twins={
        "no distance between X and X'": lambda case, _b1, a2, g2, g1: _error(case, mpq(0), a2, g2, g1),
        "no distortion": lambda case, b1, _a2, g2, g1: _error(case, b1, mpq(0), g2, g1),
        "no loss": lambda case, b1, a2, _g2, g1: _error(case, b1, a2, mpq(0), g1),
        "no loss of X": lambda case, b1, a2, g2, _g1: _error(case, b1, a2, g2),
    },
)
def error_sensitivity(tau: Callable[[Two, mpq, mpq, mpq, mpq], mpq], case: Two) -> Finding:
    def output(x: Masses) -> Masses:
        parts = [sum(x[i] * case.m2[i][j] for i in range(3)) for j in range(3)]
        return parts[0], parts[1], parts[2]

    findings = list[Finding]()
    for g2, a2 in product(LOSSES, (mpq(0), mpq(2))):
        least = {}
        for x, other in product(masses(2), repeat=2):
            near = [y for y in masses(4) if (d := _lifted(other, y)) is not None and d <= a2]
            least[x, other] = min(wasserstein(output(x), _image(case.f2, y), g2) for y in near)
        for b1, g1 in product((mpq(0), mpq(1), mpq(2)), LOSSES):
            worst = max(b for (x, other), b in least.items() if wasserstein(x, other, g1) <= b1)
            findings.append(equal(tau(case, b1, a2, g2, g1), worst, f"tau at b1 {b1}, g1 {g1}, a2 {a2}, g2 {g2} of {case}"))
    return all_of(findings)


def _point(value: int) -> Masses:
    return tuple(2 if x == value else 0 for x in POINTS)


@erratum(
    "FA.Lem2",
    f"""Lemma 2 {AS_READ}, where it is first stated: for deterministic M and f, tau^(0,0)(b1, 0) is the largest
    d(M(x), f(x')) over x, x' with d(x, x') < b1.""",
    """Lemma 2, as where it is restated: for deterministic M and f, tau^(0,0)(b1, 0) is the largest d(M(x), f(x')) over x, x'
    with d(x, x') <= b1; with < there is no pair at b1 = 0.""",
    as_printed=("less than b1", lt),
    subject=le,
    twins={"at least b1": lambda d, b1: d >= b1},
    kind="lemma",
    over="seeded maps on three points for M and f, b1 = 0, 1, 2, 3",
    code=[f"{SPEC}.error_sensitivity"],
    grid=MAPS,
)
def deterministic(near: Callable[[mpq, mpq], bool], case: Two) -> Finding:
    a, b, c = (_point(y) for y in case.f1)
    findings = list[Finding]()
    for b1 in ALPHAS:
        apart = [
            abs(u - v)
            for x, u in zip(POINTS, case.f1, strict=True)
            for y, v in zip(POINTS, case.f2, strict=True)
            if near(mpq(abs(x - y)), b1)
        ]
        found = _error(case._replace(m2=(a, b, c)), b1, mpq(0), mpq(0))
        findings.append(equal(max(apart, default=None), found, f"largest distance at b1 {b1} of {case.f1}, {case.f2}"))
    return all_of(findings)


# Theorem 1

Bounds = Callable[[mpq, mpq, mpq, mpq], tuple[mpq, mpq]]


@entry(
    "FA.Thm1",
    "theorem",
    """Composition without loss in the first step: if M1 is (a1, b1, 0)-accurate for f1 and sigma_f1(a2) is finite, M2 after M1
    is (a1 + sigma_f1(a2), tau_M2^(a2, g2)(b1, 0), g2)-accurate for f2 after f1.""",
    over="seeded mechanisms and maps on three points with a quasi-metric; a1 and a2 = 0..3, g2 = 0, 1/2; g1 = 0 only",
    code=[f"{SPEC}.distortion_sensitivity", f"{SPEC}.error_sensitivity", f"{SPEC}.good_mass"],
    grid=MAPS,
    subject=lambda a1, sigma, tau, _b1: (a1 + sigma, tau),
    twins={
        "without a1": lambda _a1, sigma, tau, _b1: (sigma, tau),
        "without the distortion sensitivity": lambda a1, _sigma, tau, _b1: (a1, tau),
        "b1 for the error sensitivity": lambda a1, sigma, _tau, b1: (a1 + sigma, b1),
    },
)
def composition(bounds: Bounds, case: Two) -> Finding:
    first, second = _laws(case.m1), _laws(case.m2)
    both = {x: p.then(lambda y: second[y]) for x, p in first.items()}
    findings = [Finding(True, mpq(0), "no finite sensitivity")]
    for a1, a2, g2 in product(ALPHAS, ALPHAS, LOSSES):
        sigma = _sigma(case, a2)
        if sigma is None:
            continue
        b1 = _least_beta(first, _of(case.f1), a1, mpq(0))
        alpha, beta = bounds(a1, sigma, _error(case, b1, a2, g2), b1)
        found = _least_beta(both, lambda x: _of(case.f2)(_of(case.f1)(x)), alpha, g2)
        findings.append(at_most(found, beta, f"beta at a1 {a1}, a2 {a2}, g2 {g2} of {case}:"))
    return all_of(findings)


@entry(
    "FA.Thm1.lossy",
    "theorem",
    """Composition for every loss g1: if X' is within a1 of x and W_g1^inf(M1(x), f1(X')) <= b1, then at x M2 after M1 is (a1 +
    sigma_f1(a2), b, g2)-accurate for f2 after f1, b the least W_g2^inf(M2(M1(x)), f2(Y)) over the Y within a2 of f1(X'); and
    b is at most tau_M2^(a2, g2)(b1, g1), which is the supremum of that over all such pairs.""",
    over="""seeded mechanisms and maps on three points with a quasi-metric; X' over all laws in halves; a1, a2 = 0..3, g2 = 0,
    1/2""",
    code=[f"{SPEC}.distortion_sensitivity", f"{SPEC}.good_mass"],
    grid=Cases(lambda: [DOWN, *seeded(8, 3)], lambda: seeded(40, 4)),
    subject=lambda a1, sigma, b: (a1 + sigma, b),
    twins={
        "without a1": lambda _a1, sigma, b: (sigma, b),
        "without the distortion sensitivity": lambda a1, _sigma, b: (a1, b),
        "half of the error": lambda a1, sigma, b: (a1 + sigma, b / 2),
    },
)
def lossy_composition(bounds: Callable[[mpq, mpq, mpq], tuple[mpq, mpq]], case: Two) -> Finding:
    first, second, findings = _laws(case.m1), _laws(case.m2), [Finding(True, mpq(0), "no finite sensitivity")]
    f1, f2 = _of(case.f1), _of(case.f2)
    for x, a1, a2, other, g2 in product(POINTS, ALPHAS, ALPHAS, masses(2), LOSSES):
        sigma, moved = _sigma(case, a2), [downward(x, y) for y, mass in zip(POINTS, other, strict=True) if mass]
        if sigma is None or any(d is None or d > a1 for d in moved):
            continue

        def error(c: int, z: int, most: mpq = a2) -> Value:
            """How far an output is from f2 of a point within a2 of z."""
            near = [y for y in POINTS if (d := downward(z, y)) is not None and d <= most]
            return min(absolute(c, f2(y)) for y in near)

        both = first[x].then(lambda y: second[y])
        b = lossy_infinity(both, law(_image(case.f1, other)), error, g2).value
        assert b is not None  # noqa: S101  # all distances are finite
        alpha, beta = bounds(a1, sigma, b)
        values = [f2(f1(y)) for y in POINTS if (d := downward(x, y)) is not None and d <= alpha]
        missed = 1 - _good(both, values, beta)
        findings.append(at_most(missed, g2, f"x {x}, X' {other}, a1 {a1}, a2 {a2} of {case}: mass beyond {beta}"))
    return all_of(findings)
