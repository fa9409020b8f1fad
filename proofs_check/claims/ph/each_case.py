"""Checks of the claims about anonymized histograms: what they yield in each case, and the finding of it."""

from collections.abc import Callable, Iterable, Iterator
from functools import partial, wraps
from typing import Any

from gmpy2 import mpq

from finitedp.numbers import brief
from finitedp.proofs_check.ledger.entry import Check, Finding, OutOfScopeError, in_scope

Bounded = Iterator[tuple[mpq | int, mpq | int, object]]
"""What a check yields in each case: a value, what is allowed, and where."""
Compared = Iterator[tuple[object, object, object]]
"""What a check yields in each case: what is found, what is expected, and where."""


def _shown(number: mpq | int) -> str:
    return brief(mpq(number), longest=12, digits=6)


def _plain(value: object) -> str:
    """A value for a reader: rationals as p/q."""
    if isinstance(value, tuple | list) and not hasattr(value, "_fields"):
        return f"({', '.join(map(_plain, value))})"
    return str(value)


def largest_load(what: str, found: Iterable[tuple[mpq | int, mpq | int, object]]) -> Finding:
    """Value <= allowed in every case (value, allowed, where), for values of at least 0; the worst case is shown."""
    worst: tuple[bool, mpq, mpq | int, mpq | int, object] | None = None
    for value, allowed, where in found:
        load = mpq(value) / allowed if allowed else mpq(2 if value > 0 else 0)
        if worst is None or (value > allowed, load) > worst[:2]:
            worst = value > allowed, load, value, allowed, where
            if worst[0]:
                break
    if worst is None:
        raise OutOfScopeError(f"{what}: no case was looked at")
    load = mpq(2) if worst[0] else worst[1]  # of two failures the one on the smaller instance is shown
    return Finding(not worst[0], load, f"{what}: {_shown(worst[2])} of {_shown(worst[3])} allowed at {_plain(worst[4])}")


def first_difference(what: str, found: Iterable[tuple[object, object, object]]) -> Finding:
    """Found == expected in every case (found, expected, where); the first difference is shown."""
    count = 0
    for one, other, where in found:
        count += 1
        if one != other:
            return Finding(False, mpq(1), f"{what}: {_plain(one)} instead of {_plain(other)} at {_plain(where)}")
    in_scope(count, f"{what}: a case to look at")
    return Finding(True, mpq(0), f"{what}: equal in {count} cases")


def _decided_by(decide: Callable[[str, Any], Finding], what: str) -> Callable[[Callable[[Any, Any], Iterator[Any]]], Check]:
    def of(check: Callable[[Any, Any], Iterator[Any]]) -> Check:
        @wraps(check)
        def decided(subject: Any, instance: Any) -> Finding:  # noqa: ANN401  # what a check takes
            return decide(what, check(subject, instance))

        return decided

    return of


bounded = partial(_decided_by, largest_load)
"""Of a check that yields values and what is allowed, the finding: the worst case, named as said."""
compared = partial(_decided_by, first_difference)
"""Of a check that yields what is found and what is expected, the finding: the first difference, named as said."""
