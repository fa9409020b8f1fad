"""The smallest inputs at which an audit finds what it finds: fewest rows first, then fewest labels."""

from collections.abc import Callable, Mapping
from time import monotonic
from typing import Any

from attrs import evolve

from finitedp.errors import FinitedpError
from finitedp.proofs_check.audit.auditing import AuditRequest, AuditResult

__all__ = ["Patience", "smallest"]

_MORE = 5  # seconds


class Patience:
    """Looking for smaller inputs takes as long as the audit did, and a few seconds more; then what has been found is told."""

    def __init__(self, took: float) -> None:
        self._end = monotonic() + took + _MORE
        self.over = False

    def __call__(self) -> bool:
        """Whether to stop."""
        self.over = self.over or monotonic() > self._end
        return self.over


def smallest(
    request: AuditRequest,
    mechanism: Callable[..., Any] | Mapping[Any, Any],
    bad: Callable[[AuditResult], bool],
    late: Callable[[], bool] = lambda: False,
) -> AuditResult | None:
    """The audit at the smallest n at which it is bad, and there with no label that could be left out; None if that is all.

    A size or universe that cannot be audited, such as no rows where the code wants one, is passed over.
    Parameters: request, of an audit that is bad; bad, of what an audit found; late, whether to stop
    and take the smallest so far.
    """
    found = None
    for n in range(1, request.n or 0):
        if late():
            return None
        found = _bad_at(evolve(request, n=n), mechanism, bad)
        if found is not None:
            break
    labels = list(request.universe)
    for label in reversed(request.universe):
        fewer = tuple(x for x in labels if x != label)
        if late() or len(fewer) < (1 if request.claim.neighbours == "add-remove" else 2):
            break
        at = _bad_at(evolve(request, n=request.n if found is None else found.n, universe=fewer), mechanism, bad)
        if at is not None:
            found, labels = at, list(fewer)
    return found


def _bad_at(
    request: AuditRequest, mechanism: Callable[..., Any] | Mapping[Any, Any], bad: Callable[[AuditResult], bool]
) -> AuditResult | None:
    try:
        found = request.run(mechanism)
    except FinitedpError:
        return None
    return found if bad(found) else None
