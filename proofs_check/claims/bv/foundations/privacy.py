"""Section 2.1 of Balcer and Vadhan: the definition of privacy (2.1), and what decides it here and in audits."""

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from itertools import chain, combinations, product

from attrs import evolve
from gmpy2 import mpq

from finitedp.claim import PrivacyClaim
from finitedp.exact import compare_exp
from finitedp.proofs_check.deciders.partial_law import PartialLaw
from finitedp.proofs_check.deciders.privacy import Verdict, decide_privacy
from finitedp.proofs_check.ledger.entry import Finding
from finitedp.proofs_check.ledger.findings import definition, equal
from finitedp.proofs_check.ledger.grids import LAW_PAIRS, LawPair
from finitedp.spec import divergence
from finitedp.spec.pmf import Pmf

ZERO = mpq(0)
EPSILONS = (mpq(1, 10), mpq(1, 2), mpq(1), mpq(2))
DELTAS = (ZERO, mpq(1, 20), mpq(1, 4), mpq(3, 4))

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


def _seen_outputs_only(laws: Laws, pairs: list[tuple[int, int]], claim: PrivacyClaim) -> tuple[Verdict, int]:
    """A common mistake: what is not resolved is taken to be of the kind that was seen."""
    seen = frozenset(x for law in laws.values() for x in law.probabilities)
    declared = len(seen) > 1 and any(law.outputs for law in laws.values())
    return _by_verdict({i: evolve(law, outputs=seen) for i, law in laws.items()} if declared else laws, pairs, claim)


@definition(
    "BV.Def2.1",
    """(epsilon, delta)-differential privacy: for neighbours and every event S, Pr[M(D) in S] is at most e^epsilon
    Pr[M(D') in S] + delta. The decisions by the privacy profile and by the verdict each agree with the enumeration of all
    events; of laws in part, with that of all outputs, or declared ones, to which the unresolved mass of both may belong.""",
    over="all pairs of laws, epsilon in 1/10, 1/2, 1, 2 and delta in 0, 1/20, 1/4, 3/4",
    code=["finitedp.spec.divergence.privacy_profile", "finitedp.proofs_check.deciders.privacy.decide_privacy"],
    grid=LAW_PAIRS,
    subject=(_by_profile, _by_verdict),
    twins={
        "single outputs instead of events": (_by_outputs, _single_outputs),
        "a profile that always holds": (lambda _p, _q, _epsilon, _delta: True, _by_verdict),
        "a verdict that always holds": (_by_profile, lambda _laws, pairs, _claim: ("holds", len(pairs))),
        "a verdict that ignores unresolved mass": (_by_profile, _resolved_mass_only),
        "a verdict with unresolved mass on seen outputs only": (_by_profile, _seen_outputs_only),
        "a verdict that ignores which outputs are declared": (
            _by_profile,
            lambda laws, pairs, claim: _by_verdict({i: evolve(law, outputs=None) for i, law in laws.items()}, pairs, claim),
        ),
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
def definition_of_privacy(decisions: tuple[Decide, Judge], pair: LawPair) -> Iterator[Finding]:
    by_profile, judge = decisions
    complete = dict(enumerate(PartialLaw({x: law[x] for x in law}) for law in pair))
    # the first outcome not followed to its end: that mass may be at any outcome, listed or not
    partial = {i: PartialLaw({x: law[x] for x in law if x}, law[0]) for i, law in enumerate(pair)}
    outputs = frozenset({0, 1}).union(*pair)
    in_part = {  # declared: all of the first outcome open, which is never seen, and a 16th of it
        "in part": partial,
        "declared": {i: evolve(law, outputs=outputs) for i, law in partial.items()},
        "declared, nearly all": {
            i: PartialLaw({x: law[x] * (1 if x else mpq(15, 16)) for x in law}, law[0] / 16, outputs=outputs)
            for i, law in enumerate(pair)
        },
    }
    known = sorted(outputs)
    forth, back = _masses(complete, known, 0, 1), _masses(complete, known, 1, 0)
    open_masses = {name: _masses(laws, known, 0, 1) for name, laws in in_part.items()}
    for epsilon, delta in product(EPSILONS, DELTAS):
        claim, where = PrivacyClaim(epsilon, "counts", delta), f"epsilon={epsilon}, delta={delta}"
        verdicts = [_literal(masses, claim) for masses in (forth, back)]
        both: Verdict = "fails" if "fails" in verdicts else "holds"
        yield equal(by_profile(*pair, epsilon, delta), verdicts[0] == "holds", where)
        yield equal(judge(complete, [(0, 1), (1, 0)], claim), (both, 2), f"{where}, both ways")
        yield from (
            equal(judge(laws, [(0, 1)], claim), (_literal(open_masses[name], claim), 1), f"{where}, {name}")
            for name, laws in in_part.items()
        )


Event = tuple[tuple[mpq, mpq], ...]
"""The probabilities of an event under two laws, for every way to put the unresolved mass of each of them on one output."""


def _masses(laws: Laws, known: list[int], left: int, right: int) -> list[Event]:
    """All events. Where no outputs are declared, the unresolved mass may also belong to one that is not listed, or another."""
    one, other = known[0] - 1, known[0] - 2
    every = [one, *known]
    events = chain.from_iterable(combinations(every, size) for size in range(len(every) + 1))
    tables = [[_with_rest(law, x) for x in law.outputs or [other, *every]] for law in (laws[left], laws[right])]
    found = (({sum((law.get(x, ZERO) for x in event), ZERO) for law in side} for side in tables) for event in events)
    return list(dict.fromkeys(tuple(product(in_p, in_q)) for in_p, in_q in found))


def _with_rest(law: PartialLaw[int], output: int) -> dict[int, mpq]:
    return {**law.probabilities, output: law.probabilities.get(output, ZERO) + law.unresolved}


def _literal(masses: list[Event], claim: PrivacyClaim) -> Verdict:
    """By all events: it fails if one breaks the claim wherever the unresolved mass is, and holds if none ever can."""
    within = [[_within(in_p - claim.delta, in_q, claim.epsilon) for in_p, in_q in event] for event in masses]
    if all(map(all, within)):
        return "holds"
    return "undecided" if all(map(any, within)) else "fails"


@cache
def _within(in_p: mpq, in_q: mpq, epsilon: mpq) -> bool:
    """in_p <= e^epsilon in_q."""
    return in_p <= 0 if in_q == 0 else compare_exp(in_p / in_q, epsilon) <= 0
