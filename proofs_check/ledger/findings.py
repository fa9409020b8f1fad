"""Turning exact verdicts into findings of the ledger."""

from collections.abc import Callable, Hashable, Iterable, Iterator
from functools import partial, wraps
from inspect import isgeneratorfunction
from typing import Any, TypeVar

from gmpy2 import mpq

from finitedp.claim import PrivacyClaim
from finitedp.exact import exp_bounds
from finitedp.numbers import brief
from finitedp.proofs_check.deciders.privacy import PrivacyVerdict
from finitedp.proofs_check.deciders.verdict import AccuracyVerdict, LawVerdict, check_law
from finitedp.proofs_check.ledger.entry import Check, Finding, Kind, entry, in_scope
from finitedp.spec.pmf import Pmf

D = TypeVar("D", bound=Hashable)
R = TypeVar("R", bound=Hashable)
C = TypeVar("C", bound=Callable[[Any, Any], Finding | Iterator[Finding]])


def equal(found: object, expected: object, what: str) -> Finding:
    """Equality of two values that are not laws."""
    holds = found == expected
    return Finding(
        holds, mpq(0 if holds else 1), f"{what}: equal" if holds else f"{what}: {_shown(found)} instead of {_shown(expected)}"
    )


def _short(number: mpq | int) -> str:
    return brief(number, longest=12, digits=6)


def _shown(value: object) -> str:
    return _short(value) if isinstance(value, mpq) else repr(value)


def at_most(value: mpq | int, allowed: mpq | int, what: str) -> Finding:
    """Value <= allowed, for numbers of at least 0."""
    load = mpq(value) / allowed if allowed else mpq(0 if value == 0 else 2)
    return Finding(value <= allowed, load, f"{what} {_short(mpq(value))} of {_short(mpq(allowed))} allowed")


def all_of(findings: list[Finding]) -> Finding:
    """The conjunction: a failing finding if there is one, else the one with the largest load.

    Raises: OutOfScopeError where nothing was found, since a check that looked at nothing says nothing.
    """
    in_scope(findings, "an instance at which there is something to look at")
    return max(findings, key=lambda f: (not f.holds, f.load))


def in_turn(findings: Iterable[Finding]) -> Finding:
    """The conjunction of findings that are made one after the other: none is made after the first that fails."""
    made: list[Finding] = []
    for finding in findings:
        made.append(finding)
        if not finding.holds:
            break
    return all_of(made)


def one_finding(check: Callable[[Any, Any], Finding | Iterator[Finding]]) -> Check:
    """A check as the ledger takes it: one that yields findings is that of their conjunction, made one after the other."""
    if not isgeneratorfunction(check):
        return check  # type: ignore[return-value]  # it returns a finding

    @wraps(check)
    def of_all(subject: Any, instance: Any) -> Finding:  # noqa: ANN401  # what a check takes
        return in_turn(check(subject, instance))

    return of_all


def _of_kind(kind: Kind, id: str, statement: str, **rest: Any) -> Callable[[C], C]:  # noqa: A002, ANN401  # as in entry
    """Register the decorated check, which may yield findings, as an entry of a kind. Parameters: as in entry."""

    def register(check: C) -> C:
        entry(id, kind, statement, **rest)(one_finding(check))
        return check

    return register


definition = partial(_of_kind, "definition")
lemma = partial(_of_kind, "lemma")
theorem = partial(_of_kind, "theorem")
algorithm = partial(_of_kind, "algorithm")
figure = partial(_of_kind, "figure")
own = partial(_of_kind, "own")


def of_law(verdict: LawVerdict[R], what: str) -> Finding:
    """A law-equality verdict as a finding."""
    if verdict.holds:
        return Finding(True, mpq(0), f"{what}: equal laws")
    found, expected = _short(verdict.found), _short(verdict.expected)
    distance = _short(verdict.distance)
    return Finding(False, verdict.distance, f"{what}: Pr[{verdict.outcome!r}] = {found}, not {expected}; distance {distance}")


def same_law(found: Pmf[R], expected: Pmf[R], what: str) -> Finding:
    """Equality of laws, as rationals."""
    return of_law(check_law(found, expected), what)


def same_laws(
    found: Callable[[D], Pmf[R]], expected: Callable[[D], Pmf[R]], inputs: Iterable[D], what: Callable[[D], str] = str
) -> Finding:
    """Equality of laws, as rationals, at every input up to the first where they differ."""
    return in_turn(same_law(found(x), expected(x), what(x)) for x in inputs)


def of_accuracy(verdict: AccuracyVerdict[D], beta: mpq, a: int) -> Finding:
    """An accuracy verdict as a finding: the load is the largest miss over beta."""
    return at_most(verdict.miss, beta, f"miss at {verdict.where}, a={a}:")


def of_privacy(verdict: PrivacyVerdict[D, R], claim: PrivacyClaim) -> Finding:
    """A privacy verdict as a finding: the load is the worst ratio over the allowed one."""
    where = f"at output {verdict.worst.outcome!r}, inputs {verdict.left!r} and {verdict.right!r}"
    if verdict.worst.infinite:
        return Finding(False, mpq(10**9), f"infinite ratio {where}")
    allowed = exp_bounds(claim.epsilon)[0] if claim.ratio is None else claim.ratio
    load = verdict.worst.value / allowed
    return Finding(verdict.holds, load, f"ratio {_short(verdict.worst.value)} of {_short(allowed)} {where}")
