"""An exhibit of the zoo: a mechanism, where it comes from, what is claimed for it, and what an exact audit must find."""

from collections.abc import Callable, Hashable, Iterable
from typing import Any, Literal, TypedDict, Unpack

from attrs import evolve, field, frozen
from gmpy2 import mpq

from finitedp.claim import FlexibleAccuracy, Neighbours, PrivacyClaim
from finitedp.exact import RationalLike, ceil_log, rational
from finitedp.proofs_check.audit.auditing import AuditResult, audit
from finitedp.proofs_check.audit.certificate import certificate
from finitedp.proofs_check.audit.laws import Style
from finitedp.proofs_check.deciders.factor import Factor
from finitedp.proofs_check.engine.explorer import Budget
from finitedp.proofs_check.report.figures import delta_interval

_NEAR = mpq(1, 10**12)
Expected = mpq | Literal["infinite"] | None


def _expected_ratio(value: RationalLike | None) -> Expected:
    return value if value is None or value == "infinite" else rational(value, "worst_ratio")  # type: ignore[return-value]  # the word


def _expected_delta(value: RationalLike | None) -> mpq | None:
    return None if value is None else rational(value, "delta")


def _labels(universe: Iterable[Hashable]) -> tuple[Hashable, ...]:
    return tuple(universe)


def _functions(samplers: Iterable[Callable[..., Any]]) -> tuple[Callable[..., Any], ...]:
    return tuple(samplers)


@frozen
class Exhibit:
    """A mechanism with its true verdict, which a run must find.

    name: unique; x/y is the instance or the variant y of x. source: author, year, title, and what exactly is taken from it.
    says: in a sentence, what it is and why it is right or wrong. mechanism, claim, n, universe, style, budget, samplers: as in
    audit().
    private, tight: the verdicts expected. worst_ratio: the worst probability ratio ("infinite" where an output is impossible
    for a neighbour); delta: the largest P[S] - r Q[S] at the claimed ratio r; delta_near: that to twelve
    digits after the point, where it is irrational or mass is unresolved. All by hand; None where not stated.
    accuracy, truth: as in audit(), of what forgives rows left out; accurate: the verdict on it; miss: the largest probability
    of an output that is not forgiven, None where not stated.
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
    samplers: tuple[Callable[..., Any], ...] = field(converter=_functions, default=(), repr=False)
    delta_near: mpq | None = field(converter=_expected_delta, default=None)
    accuracy: FlexibleAccuracy | None = None
    truth: Callable[[Any], Any] | None = field(repr=False, default=None)
    accurate: Literal["holds", "fails", "undecided", "not claimed"] = "not claimed"
    miss: mpq | None = field(converter=_expected_delta, default=None)


# Exhibits as rows of families


class Differs(TypedDict, total=False):
    """What a row has of its own instead of its family's."""

    claim: PrivacyClaim
    n: int
    universe: Iterable[Hashable]


@frozen
class Row:
    """An exhibit without what it shares with its family.

    name: within the family; "" bears the family's own. source: what is added to the family's.
    """

    name: str
    mechanism: Callable[..., Any]
    private: Literal["holds", "fails"]
    tight: bool
    worst_ratio: RationalLike | None
    delta: RationalLike | None
    differs: Differs
    says: str = ""
    source: str = ""
    delta_near: RationalLike | None = None

    def because(self, says: str, source: str = "") -> "Row":
        """The row with its words."""
        return evolve(self, says=says, source=source)


def attained(
    name: str, mechanism: Callable[..., Any], worst_ratio: RationalLike | None = None, **differs: Unpack[Differs]
) -> Row:
    """A row whose claim holds and is tight: where a delta is claimed it is the exact one, else the claimed ratio is."""
    return Row(name, mechanism, "holds", True, worst_ratio, None, differs)


def holds(
    name: str, mechanism: Callable[..., Any], worst_ratio: RationalLike | None = None, **differs: Unpack[Differs]
) -> Row:
    """A row whose claim holds with room to spare."""
    return Row(name, mechanism, "holds", False, worst_ratio, None, differs)


def fails(
    name: str,
    mechanism: Callable[..., Any],
    worst_ratio: RationalLike | None = None,
    delta: RationalLike | None = None,
    delta_near: RationalLike | None = None,
    **differs: Unpack[Differs],
) -> Row:
    """A row whose claim is wrong."""
    return Row(name, mechanism, "fails", False, worst_ratio, delta, differs, delta_near=delta_near)


@frozen
class Family:
    """What exhibits of one name have in common, as far as their rows do not differ. The fields are those of Exhibit."""

    name: str
    source: str
    claim: PrivacyClaim
    universe: Iterable[Hashable] = ()
    n: int = 1
    style: Style = "coins"
    budget: Budget | None = None
    samplers: Iterable[Callable[..., Any]] = ()

    def exhibits(self, *rows: Row) -> tuple[Exhibit, ...]:
        """The rows as exhibits, in their order."""
        return tuple(self._exhibit(row) for row in rows)

    def _exhibit(self, row: Row) -> Exhibit:
        claim = row.differs.get("claim", self.claim)
        return Exhibit(
            name=f"{self.name}/{row.name}" if row.name else self.name,
            source=self.source + row.source,
            says=row.says,
            mechanism=row.mechanism,
            claim=claim,
            n=row.differs.get("n", self.n),
            private=row.private,
            universe=row.differs.get("universe", self.universe),
            tight=row.tight,
            worst_ratio=claim.ratio if row.tight and not claim.delta else row.worst_ratio,
            delta=claim.delta if row.tight and claim.delta else row.delta,
            delta_near=row.delta_near,
            style=self.style,
            budget=self.budget,
            samplers=self.samplers,
        )


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
        samplers=exhibit.samplers,
        accuracy=exhibit.accuracy,
        truth=exhibit.truth,
        name=exhibit.name,
    )


def as_expected(exhibit: Exhibit, found: AuditResult) -> bool:
    """Whether the run found what the exhibit states."""
    return (
        (found.private, found.tight, found.accuracy) == (exhibit.private, exhibit.tight, exhibit.accurate)
        and (exhibit.miss is None or (found.miss is not None and found.miss.probability == exhibit.miss))
        and (exhibit.worst_ratio is None or found.worst_ratio == exhibit.worst_ratio)
        and (exhibit.delta is None or exact_delta(found) == exhibit.delta)
        and (
            exhibit.delta_near is None or all(abs(x - exhibit.delta_near) < _NEAR for x in delta_interval(certificate(found)))
        )
    )


def exact_delta(found: AuditResult) -> mpq | None:
    """The largest P[S] - r Q[S] at the claimed ratio r, of the resolved mass; None where it is irrational."""
    low, high = Factor.of(found.claim).gap(found.witness.in_left, found.witness.in_right)
    return low if low == high else None
