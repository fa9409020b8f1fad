"""An exhibit of the zoo: a mechanism, where it comes from, what is claimed for it, and what an exact audit must find."""

from collections.abc import Callable, Hashable, Iterable
from typing import Any, Literal

from attrs import field, frozen
from gmpy2 import mpq

from finitedp.claim import Neighbours, PrivacyClaim
from finitedp.exact import RationalLike, ceil_log, rational
from finitedp.proofs_check.audit.auditing import AuditResult, audit
from finitedp.proofs_check.audit.laws import Style
from finitedp.proofs_check.engine.explorer import Budget

__all__ = ["Exhibit", "as_expected", "at_ratio", "exact_delta", "run"]

Expected = mpq | Literal["infinite"] | None


def _expected_ratio(value: RationalLike | None) -> Expected:
    return value if value is None or value == "infinite" else rational(value, "worst_ratio")  # type: ignore[return-value]  # the word


def _expected_delta(value: RationalLike | None) -> mpq | None:
    return None if value is None else rational(value, "delta")


def _labels(universe: Iterable[Hashable]) -> tuple[Hashable, ...]:
    return tuple(universe)


@frozen
class Exhibit:
    """A mechanism with its true verdict, which a run must find.

    name: unique; x/y is the instance or the variant y of x. source: author, year, title, and what exactly is taken from it.
    says: in a sentence, what it is and why it is right or wrong. mechanism, claim, n, universe, style, budget: as in audit().
    private, tight: the verdicts expected. worst_ratio: the worst probability ratio ("infinite" where an output is impossible
    for a neighbour); delta: the largest P[S] - r Q[S] at the claimed ratio r. Both by hand; None where not stated.
    """

    name: str
    source: str
    says: str
    mechanism: Callable[..., Any] = field(repr=False)
    claim: PrivacyClaim
    n: int
    private: Literal["holds", "fails", "undecided"]
    universe: tuple[Hashable, ...] = field(converter=_labels, default=())
    tight: bool = False
    worst_ratio: Expected = field(converter=_expected_ratio, default=None)
    delta: mpq | None = field(converter=_expected_delta, default=None)
    style: Style = "coins"
    budget: Budget | None = None


def at_ratio(ratio: RationalLike, neighbours: Neighbours) -> PrivacyClaim:
    """The claim that no probability ratio exceeds `ratio`; its epsilon is ln(ratio) rounded up to hundredths."""
    return PrivacyClaim(mpq(ceil_log(100, ratio), 100), neighbours, ratio=ratio)


def run(exhibit: Exhibit) -> AuditResult:
    """The exact audit of an exhibit."""
    return audit(
        exhibit.mechanism,
        exhibit.claim,
        n=exhibit.n,
        universe=exhibit.universe,
        style=exhibit.style,
        budget=exhibit.budget,
        name=exhibit.name,
    )


def as_expected(exhibit: Exhibit, found: AuditResult) -> bool:
    """Whether the run found what the exhibit states."""
    return (
        (found.private, found.tight) == (exhibit.private, exhibit.tight)
        and (exhibit.worst_ratio is None or found.worst_ratio == exhibit.worst_ratio)
        and (exhibit.delta is None or exact_delta(found) == exhibit.delta)
    )


def exact_delta(found: AuditResult) -> mpq | None:
    """The largest P[S] - r Q[S] at the claimed ratio r; None where it is irrational, or known in part."""
    p, q, claim = found.witness.in_left, found.witness.in_right, found.claim
    if claim.ratio is not None:
        return p - claim.ratio * q
    return p - q if claim.epsilon == 0 else p if q == 0 else None
