"""Theorem 1.5 of Balcer and Vadhan: as printed it lacks two conditions of Theorem 7.2, and no constant makes it true."""

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

from gmpy2 import mpq

from finitedp.exact import log_bounds
from finitedp.impl.counting.geometric import GeoSample
from finitedp.impl.histograms.basic import BasicHistogram
from finitedp.impl.histograms.sparse import KeepHeavy
from finitedp.impl.histograms.stability import StabilityHistogram
from finitedp.proofs_check.claims.bv.histograms.subjects import joint_law
from finitedp.proofs_check.claims.bv.sparse.toys import ToyGeometric
from finitedp.proofs_check.ledger.entry import Cases, Finding, erratum, in_scope
from finitedp.proofs_check.ledger.findings import all_of, equal
from finitedp.spec.divergence import max_ratio
from finitedp.spec.histogram import histogram
from finitedp.spec.lower_bounds import LogRatio, LowerBound, sparse_bound
from finitedp.spec.neighbours import multisets, neighbouring_multisets

BETA = mpq(1, 20)
NO_DELTA = mpq(0)


class Facts(NamedTuple):
    """What a running mechanism is: (epsilon, delta)-private, n rows, at most `bins` bins, its least per-query error at beta.

    level: e^epsilon is its exact worst ratio, or any larger number; delta: any number above its exact delta of 0.
    """

    name: str
    size: int
    n: int
    bins: int
    level: LogRatio
    delta: mpq
    error: int
    beta: mpq = BETA


def _least_error(released: list[tuple[Any, dict[int, mpq]]], n: int, beta: mpq) -> int:
    """The least a such that every label of every dataset is off by more than a with probability at most beta."""
    return next(a for a in range(n + 1) if all(sum(p for off, p in law.items() if off > a) <= beta for _, law in released))


@cache
def _keep_heavy(size: int, n: int, decay: mpq, beta: mpq) -> Facts:
    """KeepHeavy over the geometric mechanism, by its joint laws: its worst ratio and its error, exactly."""
    mechanism = KeepHeavy(BasicHistogram(ToyGeometric(n, decay), range(size)))
    law = joint_law(mechanism)
    ratio = max(max_ratio(law(a), law(b)).value for a, b in neighbouring_multisets(range(size), n, "replace-one"))
    released = []
    for rows in multisets(range(size), n):
        for x, count in enumerate(histogram(rows, range(size))):
            off = law(rows).pushforward(lambda bins, x=x, count=count: abs(dict(bins).get(x, 0) - count))  # type: ignore[misc]
            released.append((x, {distance: off[distance] for distance in off}))
    error = _least_error(released, n, beta)
    return Facts(f"KeepHeavy at decay {decay}", size, n, n, LogRatio(ratio), mpq(1, 10**6), error, beta)


@cache
def _always_empty(log_size: int, n: int) -> Facts:
    """StabilityHistogram at b = n, which never releases a bin: one output for all datasets, so private at any epsilon."""
    mechanism: StabilityHistogram[str] = StabilityHistogram(GeoSample(n, 1), n)
    laws = [joint_law(mechanism)(rows) for rows in multisets(("0", "1", f"2^{log_size} - 1"), n)]  # labels of a universe
    assert all(law == laws[0] and len(law) == 1 for law in laws)  # noqa: S101  # the law of the running code
    error = max(abs(0 - n) for _ in laws)  # a label of all rows is released as 0
    return Facts("nothing released", 2**log_size, n, 1, LogRatio(mpq(11, 10)), mpq(1, 2**log_size), error)


class Constants(NamedTuple):
    """Constants that Omega might hide."""

    values: tuple[mpq, ...]

    def check_scope(self) -> None:
        in_scope(self.values and min(self.values) > 0, "constants above 0")

    def __str__(self) -> str:
        return f"constants {', '.join(map(str, self.values))}"


Bound = Callable[[Facts, mpq], bool]
"""Whether a mechanism's error is at least the bound with a constant."""


def mechanisms(constant: mpq) -> list[Facts]:
    """Running mechanisms within the theorem's conditions: epsilon > 0, epsilon^2 > delta > 0 and |X| >= (n')^2."""
    log_size = int(1 / constant) + 10
    accurate = _keep_heavy(4, 1, mpq(1, 100), BETA)
    small = [_keep_heavy(4, 2, mpq(1, 9), mpq(1, 10**6)), _keep_heavy(5, 1, mpq(2, 3), mpq(1, 10**6))]
    return [accurate, _always_empty(log_size, 1), _always_empty(log_size, 3), *small]


def printed(facts: Facts, constant: mpq) -> bool:
    """E >= constant * min{ln |X|, ln(1/delta)} / epsilon, decided as e^(E epsilon / constant) >= min{|X|, 1/delta}."""
    return facts.level.reaches(facts.error / constant, min(mpq(facts.size), 1 / facts.delta))


def _first(facts: Facts) -> LowerBound:
    """min{ln(|X|/(16 beta)^2)/(4 epsilon) - 1, n}/2: from |X|/n' >= |X|^(1/2)."""
    return LowerBound(facts.size / (16 * facts.beta) ** 2, 4, facts.n, facts.level, NO_DELTA)


def _second(facts: Facts) -> LowerBound:
    """min{ln(1/(16 delta))/(2 epsilon) - 1, n}/2: from epsilon/delta >= delta^(-1/2)."""
    return LowerBound(1 / (16 * facts.delta), 2, facts.n, facts.level, NO_DELTA)


def corrected(facts: Facts, _constant: mpq) -> bool:
    """E >= min{ln(|X|/(16 beta)^2)/(4 epsilon) - 1, ln(1/(16 delta))/(2 epsilon) - 1, n}/2."""
    return _first(facts).allows(facts.error) or _second(facts).allows(facts.error)


def _without_one(facts: Facts, _constant: mpq) -> bool:
    """Broken: without the two - 1, and without 16 beta: E >= ln |X| / (8 epsilon) or n/2."""
    return 2 * facts.error >= facts.n or facts.level.reaches(8 * mpq(facts.error), mpq(facts.size))


@erratum(
    "BV.Thm1.5",
    """As printed: an (epsilon, delta)-differentially private histogram with at most n' nonempty bins and per-query error at
    most E on all bins has E >= Omega(min{log |X|, log(1/delta)}/epsilon), if epsilon > 0, epsilon^2 > delta > 0 and |X|
    >= (n')^2.""",
    """Theorem 1.5, corrected: an (epsilon, delta)-differentially private histogram with at most n' nonempty bins and per-query
    error at most E on all bins up to a probability of beta has E >= min{ln(|X|/(16 beta)^2)/(4 epsilon) - 1, ln(1/(16
    delta))/(2 epsilon) - 1, n}/2, if epsilon > 0, epsilon^2 > delta > 0 and |X| >= (n')^2. It has the n of Theorem 7.2, from
    which it follows, in the minimum, and what a large epsilon leaves.""",
    as_printed=("as printed, with any of the constants", printed),
    subject=corrected,
    twins={
        "without n": lambda facts, _constant: all(corrected(facts._replace(n=n), mpq(1)) for n in (facts.n, 10**9)),
        "without - 1 and 16 beta": _without_one,
    },
    over="running mechanisms with their exact ratio and error: KeepHeavy, also nearly without noise, and nothing released",
    code=["finitedp.impl.histograms.sparse.KeepHeavy", "finitedp.impl.histograms.stability.StabilityHistogram"],
    grid=Cases(
        (Constants((mpq(1, 2), mpq(1, 10), mpq(1, 1000))),),
        (Constants((mpq(1), mpq(1, 100), mpq(1, 10**5))),),
    ),
    kind="theorem",
)
def sparse_lower_bound(bound: Bound, case: Constants) -> Finding:
    findings = [_best(bound, case)]
    for facts in mechanisms(min(case.values)):
        conditions = facts.size >= facts.bins**2 and log_bounds(facts.level.ratio)[0] ** 2 > facts.delta > 0
        findings.append(equal(conditions, True, f"conditions of {facts.name}"))
        weaker = min(_first(facts).least, _second(facts).least)
        known = sparse_bound(facts.size, facts.bins, facts.n, facts.beta, facts.level, facts.delta).least
        findings.append(equal(weaker <= known, True, f"the correction is at most Theorem 7.2, {known}, for {facts.name}"))
    return all_of(findings)


def _best(bound: Bound, case: Constants) -> Finding:
    """Holds if one of the constants holds for all mechanisms; the counterexamples are those of the last constant."""
    broken: list[str] = []
    for constant in case.values:
        broken = [
            f"{facts.name}, n={facts.n}, E={facts.error}" for facts in mechanisms(constant) if not bound(facts, constant)
        ]
        if not broken:
            return Finding(True, mpq(0), f"constant {constant}")
    return Finding(False, mpq(1), f"at each constant; at {case.values[-1]}: {'; '.join(broken)}")
