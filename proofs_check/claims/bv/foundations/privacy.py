"""Section 2.1 of Balcer and Vadhan: the definition of privacy (2.1), and what decides it here and in audits."""

from collections.abc import Callable, Mapping
from functools import cache
from itertools import chain, combinations, product

from gmpy2 import mpq

from finitedp.claim import PrivacyClaim
from finitedp.exact import compare_exp
from finitedp.proofs_check.deciders.partial_law import PartialLaw
from finitedp.proofs_check.deciders.privacy import Verdict, decide_privacy
from finitedp.proofs_check.ledger.entry import Finding, entry
from finitedp.proofs_check.ledger.findings import all_of, equal
from finitedp.proofs_check.ledger.grids import LAW_PAIRS, LawPair
from finitedp.spec import divergence
from finitedp.spec.pmf import Pmf

ZERO = mpq(0)
EPSILONS = (mpq(1, 10), mpq(1, 2), mpq(1), mpq(2))
DELTAS = (ZERO, mpq(1, 20), mpq(1, 4), mpq(3, 4))
EVENTS = list(chain.from_iterable(combinations(range(4), size) for size in range(5)))

Decide = Callable[[Pmf[int], Pmf[int], mpq, mpq], bool]
Laws = Mapping[int, PartialLaw[int]]


def _by_profile(p: Pmf[int], q: Pmf[int], epsilon: mpq, delta: mpq) -> bool:
    return divergence.privacy_profile(p, q).holds(epsilon, delta)


def _by_outputs(p: Pmf[int], q: Pmf[int], epsilon: mpq, delta: mpq) -> bool:
    """A common mistake: the inequality for single outputs only."""
    return all(q[x] > 0 and compare_exp((p[x] - delta) / q[x], epsilon) <= 0 for x in p if p[x] > delta)


Judge = Callable[[Laws, list[tuple[int, int]], PrivacyClaim], tuple[Verdict, int]]
"""A decider of privacy: its verdict, and how many pairs it looked at."""


def _by_verdict(laws: Laws, pairs: list[tuple[int, int]], claim: PrivacyClaim) -> tuple[Verdict, int]:
    found = decide_privacy(laws.__getitem__, pairs, claim)
    return found.verdict, found.pairs


def _single_outputs(laws: Laws, pairs: list[tuple[int, int]], claim: PrivacyClaim) -> tuple[Verdict, int]:
    complete = {i: Pmf(law.weights) for i, law in laws.items()}
    holds = all(_by_outputs(complete[i], complete[j], claim.epsilon, claim.delta) for i, j in pairs)
    return "holds" if holds else "fails", len(pairs)


def _resolved_mass_only(laws: Laws, pairs: list[tuple[int, int]], claim: PrivacyClaim) -> tuple[Verdict, int]:
    """A common mistake: what is not resolved is forgotten."""
    return _by_verdict({i: PartialLaw(law.probabilities) for i, law in laws.items()}, pairs, claim)


@entry(
    "BV.Def2.1",
    "definition",
    """(epsilon, delta)-differential privacy: for neighbours and every event S, Pr[M(D) in S] is at most e^epsilon
    Pr[M(D') in S] + delta. The decisions by the privacy profile and by the verdict each agree with the enumeration of all
    events.""",
    over="all pairs of laws, epsilon in 1/10, 1/2, 1, 2 and delta in 0, 1/20, 1/4, 3/4",
    code=["finitedp.spec.divergence.privacy_profile", "finitedp.proofs_check.deciders.privacy.decide_privacy"],
    grid=LAW_PAIRS,
    subject=(_by_profile, _by_verdict),
    twins={
        "single outputs instead of events": (_by_outputs, _single_outputs),
        "a profile that always holds": (lambda _p, _q, _epsilon, _delta: True, _by_verdict),
        "a verdict that always holds": (_by_profile, lambda _laws, pairs, _claim: ("holds", len(pairs))),
        "a verdict that ignores unresolved mass": (_by_profile, _resolved_mass_only),
        "a verdict on the laws of left and right swapped": (
            _by_profile,
            lambda laws, pairs, claim: _by_verdict(laws, [(right, left) for left, right in pairs], claim),
        ),
        "a verdict on the first pair alone": (
            _by_profile,
            lambda laws, pairs, claim: (_by_verdict(laws, pairs[:1], claim)[0], len(pairs)),
        ),
    },
)
def definition_of_privacy(decisions: tuple[Decide, Judge], pair: LawPair) -> Finding:
    by_profile, judge = decisions
    complete = dict(enumerate(PartialLaw({x: law[x] for x in law}) for law in pair))
    # the first outcome not followed to its end: that mass may be at any outcome, listed or not
    partial = {i: PartialLaw({x: law[x] for x in law if x > 0}, law[0]) for i, law in enumerate(pair)}
    forth, back, unfinished = _masses(complete, 0, 1), _masses(complete, 1, 0), _masses(partial, 0, 1)
    findings = []
    for epsilon, delta in product(EPSILONS, DELTAS):
        claim, where = PrivacyClaim(epsilon, "counts", delta), f"epsilon={epsilon}, delta={delta}"
        verdicts = [_literal(masses, claim) for masses in (forth, back)]
        both: Verdict = "fails" if "fails" in verdicts else "holds"
        in_part = _literal(unfinished, claim, partial[0].unresolved, partial[1].unresolved)
        findings += [
            equal(by_profile(*pair, epsilon, delta), verdicts[0] == "holds", where),
            equal(judge(complete, [(0, 1), (1, 0)], claim), (both, 2), f"{where}, both ways"),
            equal(judge(partial, [(0, 1)], claim), (in_part, 1), f"{where}, in part"),
        ]
    return all_of(findings)


def _masses(laws: Laws, left: int, right: int) -> list[tuple[mpq, mpq]]:
    """The probabilities of every event under two laws."""
    p, q = (laws[i].probabilities for i in (left, right))
    found = ((sum((p.get(x, ZERO) for x in s), ZERO), sum((q.get(x, ZERO) for x in s), ZERO)) for s in EVENTS)
    return list(dict.fromkeys(found))


def _literal(masses: list[tuple[mpq, mpq]], claim: PrivacyClaim, u: mpq = ZERO, v: mpq = ZERO) -> Verdict:
    """By all events: it fails if one breaks the claim wherever the unresolved u and v are, and holds if none ever can."""
    if all(_within(in_p + u - claim.delta, in_q, claim.epsilon) for in_p, in_q in masses):
        return "holds"
    broken = any(not _within(in_p - claim.delta, in_q + v, claim.epsilon) for in_p, in_q in masses)
    return "fails" if broken else "undecided"


@cache
def _within(in_p: mpq, in_q: mpq, epsilon: mpq) -> bool:
    """in_p <= e^epsilon in_q."""
    return in_p <= 0 if in_q == 0 else compare_exp(in_p / in_q, epsilon) <= 0
