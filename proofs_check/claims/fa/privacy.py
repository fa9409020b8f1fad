"""Section 4.1 and Appendix E of the paper on flexible accuracy: privacy under pre-processing."""

from collections.abc import Callable
from itertools import product
from typing import Any, NamedTuple

from gmpy2 import mpq

from finitedp.proofs_check.claims.fa.subjects import POINTS, Masses, law, masses, seeded, subsets
from finitedp.proofs_check.ledger.entry import Cases, Finding, entry, in_scope
from finitedp.proofs_check.ledger.findings import all_of, at_most, equal
from finitedp.spec.divergence import hockey_stick
from finitedp.spec.flexible.lossy_wasserstein import lossy_infinity
from finitedp.spec.pmf import Pmf

LAWS_OF_3 = Cases(lambda: masses(3), lambda: masses(5))
RATIOS = (mpq(1), mpq(3, 2), mpq(2))


@entry(
    "FA.Def8",
    "definition",
    """(epsilon, delta)-DP: Pr[M(x) in S] <= e^epsilon Pr[M(x') in S] + delta for all S; the least delta is the hockey-stick
    sum.""",
    over="all pairs of laws on three outputs in thirds (fifths in full), all S, e^epsilon = 1, 3/2, 2",
    code=["finitedp.spec.divergence.hockey_stick"],
    grid=LAWS_OF_3,
    subject=lambda p, q, ratio: hockey_stick(p, q, ratio).delta,
    twins={
        "the other direction": lambda p, q, ratio: hockey_stick(q, p, ratio).delta,
        "half": lambda p, q, r: hockey_stick(p, q, r).delta / 2,
    },
)
def private(delta: Callable[[Pmf[int], Pmf[int], mpq], mpq], p: Masses) -> Finding:
    findings = list[Finding]()
    for q, ratio in product(masses(sum(p)), RATIOS):
        left, right = law(p), law(q)
        events = [[POINTS[i] for i in chosen] for chosen in subsets(range(3))]
        worst = max(left.probability(s) - ratio * right.probability(s) for s in events)
        findings.append(equal(delta(left, right, ratio), worst, f"least delta of {p}, {q} at {ratio}"))
    return all_of(findings)


class Joint(NamedTuple):
    """A joint law of two points, as a matrix of weights, and the weights of M2 for each point."""

    joint: tuple[tuple[int, ...], ...]
    m2: tuple[Masses, Masses, Masses]

    def check_scope(self) -> None:
        """Raises: OutOfScopeError."""
        for rows in (self.joint, self.m2):
            in_scope(len(rows) == 3 and all(len(row) == 3 and min(row) >= 0 for row in rows), "a matrix of weights")
        in_scope(sum(map(sum, self.joint)) > 0 and self.joint[0][2] == self.joint[2][0] == 0, "a joint law of neighbours")
        in_scope(sum(self.m2[0]) == sum(self.m2[1]) == sum(self.m2[2]) > 0, "laws of the same denominator")


def _joints(total: int, mechanisms: int, seed: int) -> list[Joint]:
    """Joint laws on neighbours of the path 0 - 1 - 3, all that are multiples of 1/total, each with seeded mechanisms."""
    edges = [(0, 1), (1, 0), (1, 2), (2, 1)]
    found = []
    for weights, case in product(masses(total, 4), seeded(mechanisms, seed)):
        matrix = [[0] * 3 for _ in range(3)]
        for (i, j), mass in zip(edges, weights, strict=True):
            matrix[i][j] = mass
        found.append(Joint(tuple(map(tuple, matrix)), case.m2))
    return found


STEPS = Joint(((0, 2, 0), (0, 0, 0), (0, 0, 0)), ((2, 0, 0), (1, 1, 0), (0, 2, 0)))
"""Always 0 beside always 1; M2 moves half of its mass in each step."""

JOINTS = Cases(lambda: [STEPS, *_joints(2, 4, 7)], lambda: _joints(3, 8, 8))


def _marginal_laws(joint: tuple[tuple[int, ...], ...]) -> tuple[Pmf[Any], Pmf[Any]]:
    return law(tuple(map(sum, joint))), law(tuple(map(sum, zip(*joint, strict=True))))


def _independent(joint: tuple[tuple[int, ...], ...]) -> tuple[Pmf[Any], Pmf[Any]]:
    """A neighbour of a neighbour: the second law moved one step further."""
    first, second = _marginal_laws(joint)
    return first, second.pushforward(lambda x: {0: 1, 1: 3, 3: 3}[x])


def _worst_edge(m2: tuple[Masses, Masses, Masses], ratio: mpq) -> mpq:
    laws = [law(w) for w in m2]
    return max(hockey_stick(laws[i], laws[j], ratio).delta for i, j in ((0, 1), (1, 0), (1, 2), (2, 1)))


@entry(
    "FA.Thm2",
    "theorem",
    "Pre-processing: if M1 is neighbourhood-preserving and M2 is (epsilon, delta)-DP, M2 after M1 is (epsilon, delta)-DP.",
    over="M1: joint laws on neighbours of a path of three points in halves (thirds in full); seeded M2; e^epsilon = 1, 3/2, 2",
    code=["finitedp.spec.pmf.Pmf.then", "finitedp.spec.divergence.hockey_stick"],
    grid=JOINTS,
    subject=_marginal_laws,
    twins={"a neighbour of a neighbour": _independent},
)
def pre_processing(outputs: Callable[[Any], tuple[Pmf[Any], Pmf[Any]]], case: Joint) -> Finding:
    p, q = outputs(case.joint)
    after = {x: law(w) for x, w in zip(POINTS, case.m2, strict=True)}
    return all_of(
        [
            at_most(
                hockey_stick(p.then(after.__getitem__), q.then(after.__getitem__), r).delta,
                _worst_edge(case.m2, r),
                f"delta at {r}:",
            )
            for r in RATIOS
        ]
    )


def _adjacent(x: int, y: int) -> mpq | None:
    return mpq(0) if abs(POINTS.index(x) - POINTS.index(y)) == 1 else None


@entry(
    "FA.Def9",
    "definition",
    """M1 is neighbourhood-preserving where the laws of its outputs on neighbours have a coupling on neighbours: a flow of
    all of the mass along neighbouring pairs decides it.""",
    over="all pairs of laws on a path of three points in halves (thirds in full); against all joint laws on neighbours",
    code=["finitedp.spec.flexible.lossy_wasserstein.lossy_infinity"],
    grid=Cases(lambda: masses(2), lambda: masses(3)),
    subject=lambda p, q: lossy_infinity(p, q, _adjacent).value is not None,
    twins={
        "supports that have neighbours": lambda p, q: all(any(_adjacent(x, y) is not None for y in q) for x in p),
        "equal laws": lambda p, q: p == q or lossy_infinity(p, q, _adjacent).value is not None,
    },
)
def neighbourhood_preserving(decide: Callable[[Pmf[int], Pmf[int]], bool], p: Masses) -> Finding:
    joints = {_marginal_weights(case.joint) for case in _joints(sum(p), 1, 7)}
    return all_of([equal(decide(law(p), law(q)), (p, q) in joints, f"coupling of {p} and {q}") for q in masses(sum(p))])


def _marginal_weights(joint: tuple[tuple[int, ...], ...]) -> tuple[Masses, Masses]:
    return tuple(map(sum, joint)), tuple(map(sum, zip(*joint, strict=True)))
