"""Section 2 and Appendix A of the paper on flexible accuracy: lossy Wasserstein distances."""

from collections.abc import Callable, Mapping
from functools import cache
from itertools import product
from math import lcm
from operator import le, lt
from typing import Any

from attrs import evolve
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
    lossy_cases,
    marginals,
    masses,
    variation,
    wasserstein,
)
from finitedp.proofs_check.ledger.entry import AS_READ, Cases, Finding, entry, erratum, in_scope
from finitedp.proofs_check.ledger.findings import all_of, at_most, equal
from finitedp.spec.flexible.flows import potentials
from finitedp.spec.flexible.literal import literal_lossy, optimal_coupling
from finitedp.spec.flexible.lossy_wasserstein import Average, absolute, decide_lossy, verified_average

INFINITY = "finitedp.spec.flexible.lossy_wasserstein.lossy_infinity"
LITERAL = "finitedp.spec.flexible.literal.literal_lossy"


Value = Callable[[Masses, Masses, mpq], mpq]


def _of_loss(factor: mpq) -> Value:
    return lambda p, q, gamma: wasserstein(p, q, min(factor * gamma, mpq(1)))


def _nearest_point(p: Masses, q: Masses, gamma: mpq) -> mpq:
    return (
        max(min(DISTANCES[i][j] for j in range(3) if q[j]) for i in range(3) if p[i])
        if gamma == 0
        else wasserstein(p, q, gamma)
    )


@entry(
    "FA.Def1",
    "definition",
    """The gamma-lossy infinity-Wasserstein distance: the least b so that a joint law on pairs within b has marginals whose
    variation distances from P and Q sum to at most gamma. lossy_infinity, by a flow of (1 - gamma) of the mass, finds it.""",
    over="all pairs of laws on three points of a line in thirds (fourths in full), every gamma that is such a multiple",
    code=[INFINITY, LITERAL],
    grid=PAIRS,
    subject=wasserstein,
    twins={
        "gamma for each of the two laws": _of_loss(mpq(2)),
        "distance without the half": _of_loss(mpq(1, 2)),
        "the nearest point of Q, however little mass it has": _nearest_point,
    },
)
def lossy_distance(value: Value, case: Lossy) -> Finding:
    return equal(value(*case), literal_lossy(case.p, case.q, case.gamma, DISTANCES), f"distance of {case.p}, {case.q}")


def _partial_flows(p: Masses, q: Masses, amount: int) -> list[dict[tuple[int, int], int]]:
    """All integer flows of an amount on three points, by listing."""
    cells = [(i, j) for i in range(3) for j in range(3)]
    found, choices = [], [range(min(p[i], q[j]) + 1) for i, j in cells]
    for flow in product(*choices):
        rows = [sum(flow[3 * i : 3 * i + 3]) for i in range(3)]
        columns = [sum(flow[j::3]) for j in range(3)]
        if sum(rows) == amount and all(a <= b for a, b in zip((*rows, *columns), (*p, *q), strict=True)):
            found.append({cell: f for cell, f in zip(cells, flow, strict=True) if f})
    return found


Witness = Callable[[Masses, Masses, mpq], Average[int]]


def _average(p: Masses, q: Masses, theta: mpq, amount: int | None = None, worst: bool = False) -> Average[int]:
    """A cheapest flow by listing all of them, with the dual that potentials finds, as an Average whose witness decides."""
    total = sum(p)
    moved = int((1 - theta) * total) if amount is None else amount
    cost = [[int(d) for d in row] for row in DISTANCES]
    paid = [(sum(cost[i][j] * f for (i, j), f in flow.items()), sorted(flow.items())) for flow in _partial_flows(p, q, moved)]
    best, listed = (max if worst else min)(paid)
    flow = dict(listed)
    level, u, v = potentials(p, q, [list[int | None](row) for row in cost], flow)
    left, right = (tuple(zip(POINTS, w, strict=True)) for w in (p, q))
    steps = tuple((i, j, f) for (i, j), f in listed)
    return Average(mpq(best, total), theta, total, 1, moved, left, right, steps, (level, tuple(u), tuple(v)))


FEW = Cases(lambda: [Lossy((4, 0, 0), (0, 2, 2), mpq(1, 2)), *lossy_cases(3, firsts=3)[1::4]], lambda: lossy_cases(3))


@entry(
    "FA.Def7",
    "definition",
    """The theta-lossy average Wasserstein distance: the least mean distance of such a joint law. A flow of (1 - theta) of the
    mass with a dual of the same value is a witness of it, and verified_average accepts no other value.""",
    over="pairs of laws on three points in thirds, every theta that is such a multiple; flows by listing all of them",
    code=["finitedp.spec.flexible.lossy_wasserstein.verified_average", "finitedp.spec.flexible.flows.potentials", LITERAL],
    grid=FEW,
    subject=_average,
    twins={
        "all of the mass moved": lambda p, q, theta: _average(p, q, theta, sum(p)),
        "the dearest flow": lambda p, q, theta: _average(p, q, theta, None, True),
    },
)
def lossy_average(witness: Witness, case: Lossy) -> Finding:
    in_scope((sum(case.p) * case.gamma).denominator == 1, "theta is a multiple of the laws' unit")
    found = witness(*case)
    expected = literal_lossy(case.p, case.q, case.gamma, DISTANCES, average=True)
    unmoved = _unmoved(found)
    fits = all(f <= found.right[i][1] for i, _, f in unmoved.flow)
    return all_of(
        [
            equal(verified_average(found, absolute), True, f"witness accepted at {case}"),
            equal(found.value, expected, f"average distance of {case.p}, {case.q}"),
            equal(verified_average(unmoved, absolute), fits, f"a flow that moves nothing at {case}"),
        ]
    )


def _unmoved(found: Average[int]) -> Average[int]:
    """As much as is asked for, as it stands, whether Q has room for it or not, at no cost: of which the dual 0 is right."""
    left, flow = found.amount, list[tuple[int, int, int]]()
    for i, (_, mass) in enumerate(found.left):
        flow.append((i, i, min(left, mass)))
        left -= flow[-1][2]
    return evolve(found, value=mpq(0), flow=tuple(x for x in flow if x[2]), dual=(0, (0, 0, 0), (0, 0, 0)))


Triangle = Callable[[mpq, mpq, mpq, mpq], tuple[mpq, mpq]]


def _sums(b1: mpq, b2: mpq, g1: mpq, g2: mpq) -> tuple[mpq, mpq]:
    """The loss and the distance that the triangle inequality allows."""
    return g1 + g2, b1 + b2


@entry(
    "FA.Lem1",
    "lemma",
    "Triangle inequality: W_(g1+g2)^inf(P, R) <= W_g1^inf(P, Q) + W_g2^inf(Q, R).",
    over="all laws P, Q, R on three points of a line in thirds (fourths in full), g1 and g2 such multiples with g1 + g2 <= 1",
    code=[INFINITY],
    grid=LAWS,
    subject=_sums,
    twins={
        "the larger of the two distances": lambda b1, b2, g1, g2: (g1 + g2, max(b1, b2)),
        "the larger of the two losses": lambda b1, b2, g1, g2: (max(g1, g2), b1 + b2),
    },
)
@entry(
    "FA.Lem3",
    "lemma",
    "The triangle inequality without loss: W^inf(P, R) <= W^inf(P, Q) + W^inf(Q, R).",
    over="as Lemma 1, of which it is the case g1 = g2 = 0",
    code=[INFINITY],
    grid=LAWS,
    subject=_sums,
    twins={"the larger of the two distances": lambda b1, b2, g1, g2: (g1 + g2, max(b1, b2))},
)
def triangle(allowed: Triangle, p: Masses) -> Finding:
    total = sum(p)
    losses = [mpq(k, total) for k in range(total)]
    findings = []
    for q, r, g1, g2 in product(masses(total), masses(total), losses, losses):
        if g1 + g2 <= 1:
            gamma, bound = allowed(wasserstein(p, q, g1), wasserstein(q, r, g2), g1, g2)
            findings.append(at_most(wasserstein(p, r, gamma), bound, f"{p} to {r} by {q}, losses {g1} and {g2}:"))
    return all_of(findings)


Split = Callable[[mpq, mpq], mpq]


@cache
def _optimal(case: Lossy, share: mpq) -> dict[Any, mpq]:
    """A coupling that attains W_gamma, with `share` of what it loses on the first side."""
    decision = decide_lossy(law(case.p), law(case.q), absolute, wasserstein(*case), case.gamma)
    kept = {x: POINTS.index(x) for x in POINTS}
    scale = decision.mass // sum(case.p)
    left, right = [kept[x] for x, _ in decision.left], [kept[x] for x, _ in decision.right]
    flow = [(left[i], right[j], f) for i, j, f in decision.flow]
    return optimal_coupling(flow, [scale * x for x in case.p], [scale * x for x in case.q], share)


def _in_integers(*laws: list[mpq]) -> list[Masses]:
    common = lcm(*(int(x.denominator) for law in laws for x in law))
    return [tuple(int(x * common) for x in law) for law in laws]


@entry(
    "FA.Lem4",
    "lemma",
    """If W_gamma^inf(P, Q) = b, then for every g1 <= gamma there are P' and Q' with TV(P, P') <= g1,
    TV(Q, Q') <= gamma - g1 and W^inf(P', Q') = b.""",
    over="laws as in Definition 1; g1 = 0, gamma/3, gamma/2, gamma; P' and Q' from a flow, what is left split by g1/gamma",
    code=[INFINITY, "finitedp.spec.flexible.literal.optimal_coupling"],
    grid=PAIRS,
    subject=lambda g1, gamma: g1 / gamma if gamma else mpq(0),
    twins={"all of the loss at P": lambda _g1, _gamma: mpq(1), "half of it at P": lambda _g1, _gamma: mpq(1, 2)},
)
def split_loss(share: Split, case: Lossy) -> Finding:
    b, findings = wasserstein(*case), []
    p, q = ([mpq(x, sum(w)) for x in w] for w in (case.p, case.q))
    for part in (mpq(0), mpq(1, 3), mpq(1, 2), mpq(1)):
        g1 = part * case.gamma
        phi = _optimal(case, share(g1, case.gamma))
        rows, columns = marginals(phi)
        findings += [
            at_most(variation(p, rows), g1, f"TV(P, P') at {case}, g1={g1}:"),
            at_most(variation(q, columns), case.gamma - g1, f"TV(Q, Q') at {case}, g1={g1}:"),
            equal(wasserstein(*_in_integers(rows, columns)), b, f"W(P', Q') at {case}, g1={g1}"),
        ]
    return all_of(findings)


Scaled = Callable[[Mapping[Any, mpq], list[mpq], list[mpq]], dict[Any, mpq]]


def _rescaled(phi: Mapping[Any, mpq], marginal: list[mpq], wanted: list[mpq]) -> dict[Any, mpq]:
    """phi' of the proof of Lemma 4: rows scaled to the wanted marginal, and a row that has no mass put on the diagonal."""
    found = {(i, j): mass * wanted[i] / marginal[i] for (i, j), mass in phi.items()}
    for i, mass in enumerate(wanted):
        if mass and not marginal[i]:
            found[i, i] = mass
    return found


@entry(
    "FA.Claim2",
    "lemma",
    "In the proof of Lemma 4: phi' has the first marginal P' = P + (g1/g_opt) (P_opt - P), and TV(Q, Q') <= gamma - g1.",
    over="laws as in Definition 1; optimal couplings with all or two thirds of the loss at P; g1 = 0, g_opt/3, g_opt/2, g_opt",
    code=[INFINITY, "finitedp.spec.flexible.literal.optimal_coupling"],
    grid=PAIRS,
    subject=_rescaled,
    twins={"phi_opt as it is": lambda phi, _marginal, _wanted: dict(phi)},
)
def second_marginal(rescale: Scaled, case: Lossy) -> Finding:
    p, q = ([mpq(x, sum(w)) for x in w] for w in (case.p, case.q))
    b, findings = wasserstein(*case), []
    for share, part in product((mpq(1), mpq(2, 3)), (mpq(0), mpq(1, 3), mpq(1, 2), mpq(1))):
        phi = _optimal(case, share)
        marginal, _ = marginals(phi)
        lost = variation(p, marginal)
        g1 = part * lost
        wanted = [a + part * (m - a) for a, m in zip(p, marginal, strict=True)]
        made = rescale(phi, marginal, wanted)
        rows, columns = marginals(made)
        findings += [
            equal(rows, wanted, f"first marginal at {case}, g1={g1}"),
            equal(min(made.values()) >= 0 and farthest(made) <= max(b, farthest(phi)), True, f"phi' is within b at {case}"),
            at_most(variation(q, columns), case.gamma - g1, f"TV(Q, Q') at {case}, g1={g1}:"),
        ]
    return all_of(findings)


Compare = Callable[[mpq, mpq], bool]


@erratum(
    "FA.Claim1",
    f"""Claim 1 {AS_READ}, where it is first stated: W_gamma^inf(P, Q) is the infimum of W^inf(P^, Q^) over P^, Q^ with
    TV(P, P^) + TV(Q, Q^) < gamma.""",
    """Claim 1, as where it is restated: W_gamma^inf(P, Q) is the infimum of W^inf(P^, Q^) over P^, Q^ with TV(P, P^) + TV(Q,
    Q^) <= gamma; with < there is nothing to take an infimum of at gamma = 0, and too little above.""",
    as_printed=("less than gamma", lt),
    subject=le,
    twins={"half of gamma": lambda lost, gamma: 2 * lost <= gamma},
    kind="lemma",
    over="laws as in Definition 1; P^ and Q^ over all laws of the same denominator, which suffice",
    code=[INFINITY],
    grid=PAIRS,
)
def infimum_over_laws(within: Compare, case: Lossy) -> Finding:
    total = sum(case.p)
    found = [
        wasserstein(p, q)
        for p, q in product(masses(total), repeat=2)
        if within((variation(case.p, p) + variation(case.q, q)) / total, case.gamma)
    ]
    return equal(min(found, default=None), wasserstein(*case), f"infimum at {case}")


@entry(
    "FA.Lem5",
    "lemma",
    "For losses 0 <= g' < g <= 1: W_g(P, Q) <= W_g^inf(P, Q) <= W_g'(P, Q)/(g - g').",
    over="pairs of laws on three points in thirds, every g' < g that are such multiples",
    code=[INFINITY, LITERAL],
    grid=FEW,
    subject=lambda average, g, before: average / (g - before),
    twins={
        "divided by g": lambda average, g, _before: average / g,
        "not divided": lambda average, _g, _before: average,
    },
)
def average_and_worst(bound: Callable[[mpq, mpq, mpq], mpq], case: Lossy) -> Finding:
    p, q, before = case
    total, findings = sum(p), []
    for k in range(int(before * total) + 1, total + 1):
        g = mpq(k, total)
        largest = wasserstein(p, q, g)
        findings += [
            at_most(literal_lossy(p, q, g, DISTANCES, average=True), largest, f"W_{g} of {p}, {q}:"),
            at_most(
                largest, bound(literal_lossy(p, q, before, DISTANCES, average=True), g, before), f"{p}, {q}, {before}, {g}:"
            ),
        ]
    return all_of(findings)
