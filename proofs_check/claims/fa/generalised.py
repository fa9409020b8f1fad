"""Appendix A.3 of the paper on flexible accuracy: lossy distances generalise PAC guarantees and total variation."""

from collections.abc import Callable
from itertools import product
from typing import Any

from gmpy2 import mpq

from finitedp.proofs_check.claims.fa.subjects import (
    DISTANCES,
    LAWS,
    PAIRS,
    POINTS,
    Lossy,
    Masses,
    farthest,
    law,
    marginals,
    variation,
    wasserstein,
)
from finitedp.proofs_check.ledger.entry import Finding, entry, erratum
from finitedp.proofs_check.ledger.findings import all_of, at_most, equal
from finitedp.spec.flexible.lossy_wasserstein import absolute, lossy_infinity

INFINITY = "finitedp.spec.flexible.lossy_wasserstein.lossy_infinity"


@entry(
    "FA.Lem6",
    "lemma",
    "PAC: for a point f and a law G, W_gamma^inf(f, G) <= b exactly where Pr[d(f, g) > b] <= gamma.",
    over="every point and law on three points in thirds (fourths in full); gamma such multiples up to 1; b in halves",
    code=[INFINITY],
    grid=LAWS,
    subject=lambda d, b: d > b,
    twins={"at least b": lambda d, b: d >= b, "more than 2b": lambda d, b: d > 2 * b},
)
def pac(far: Callable[[mpq, mpq], bool], g: Masses) -> Finding:
    total, findings = sum(g), []
    for f, k, twice in product(range(3), range(total + 1), range(8)):
        gamma, b = mpq(k, total), mpq(twice, 2)
        point = tuple(total if i == f else 0 for i in range(3))
        missed = mpq(sum(mass for j, mass in enumerate(g) if far(DISTANCES[f][j], b)), total)
        holds = wasserstein(point, g, gamma) <= b
        findings.append(equal(holds, missed <= gamma, f"point {POINTS[f]}, law {g}, gamma {gamma}, b {b}"))
    return all_of(findings)


@entry(
    "FA.Lem7",
    "lemma",
    "W_gamma^inf(P, Q) = 0 exactly where TV(P, Q) <= gamma.",
    over="laws as in Definition 1",
    code=[INFINITY],
    grid=PAIRS,
    subject=variation,
    twins={"without the half": lambda p, q: 2 * variation(p, q)},
)
def no_distance(distance: Callable[[Masses, Masses], mpq], case: Lossy) -> Finding:
    zero = lossy_infinity(law(case.p), law(case.q), absolute, case.gamma).value == 0
    return equal(zero, distance(case.p, case.q) / sum(case.p) <= case.gamma, f"{case}: distance 0")


Coupling = Callable[[list[mpq]], dict[Any, mpq]]


@erratum(
    "FA.Lem7.proof",
    """Proof of Lemma 7: phi = P x P has both marginals equal to P, so d(x, y) = 0 for every (x, y) in its support.""",
    """Proof of Lemma 7, corrected: the diagonal coupling of P with itself has both marginals equal to P and d(x, y) = 0 for
    every (x, y) in its support; P x P has pairs at the diameter of P's support.""",
    as_printed=("P x P", lambda p: {(i, j): a * b for i, a in enumerate(p) for j, b in enumerate(p) if a * b}),
    subject=lambda p: {(i, i): a for i, a in enumerate(p) if a},
    over="all laws on three points in thirds (fourths in full)",
    code=["finitedp.spec.flexible.literal.optimal_coupling"],
    grid=LAWS,
)
def equalmarginals(coupling: Coupling, masses_of_p: Masses) -> Finding:
    p = [mpq(x, sum(masses_of_p)) for x in masses_of_p]
    phi = coupling(p)
    return all_of(
        [
            equal(marginals(phi), (p, p), f"marginals for P = {masses_of_p}"),
            at_most(farthest(phi), 0, f"largest distance for P = {masses_of_p}:"),
        ]
    )
