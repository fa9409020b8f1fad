"""What a mechanism promises: a privacy claim, an accuracy claim, and its cost in random bits and steps."""

import re
from collections.abc import Mapping
from typing import Any, Literal, NamedTuple, Protocol, get_args

from attrs import field, fields, frozen
from gmpy2 import mpq

from finitedp.curve import Curve, pair_of_claim
from finitedp.errors import ClaimError, ParameterError
from finitedp.exact import RationalLike, compare_exp, exp_bounds, integer, probability, rational
from finitedp.units import Unit

__all__ = [
    "Accuracy",
    "AccuracyKind",
    "Cost",
    "FlexibleAccuracy",
    "HistogramAccuracy",
    "Neighbours",
    "PrivacyClaim",
    "RenyiClaim",
    "Told",
    "check_neighbours",
    "delta_of_text",
    "relation_of",
]

Neighbours = Literal["counts", "replace-one", "add-remove"]
"""Which inputs are neighbours.

counts: two counts in 0..n that differ by at most 1 (Definition 4.1, seen from the count);
replace-one: two datasets of n rows that differ in one row (Definition 2.1);
add-remove: one dataset is the other with one row more.
"""

AccuracyKind = Literal["counting", "per-query", "simultaneous"]
"""counting: Definition 4.2; per-query: Definition 2.5; simultaneous: Definition 2.6."""


def check_neighbours(relation: str) -> Neighbours:
    """`relation` if it is a known neighbour relation. Raises: ParameterError."""
    for known in get_args(Neighbours):
        if relation == known:
            return known  # type: ignore[no-any-return]  # get_args is typed as a tuple of Any
    raise ParameterError(f"neighbours = {relation!r} is unknown; accepted: {', '.join(get_args(Neighbours))}")


def _epsilon(value: RationalLike) -> mpq:
    epsilon = rational(value, "epsilon")
    if epsilon < 0:
        raise ParameterError(f"epsilon = {epsilon} is negative; accepted: a rational of at least 0")
    return epsilon


def relation_of(neighbours: Neighbours, unit: Unit | str | None) -> str:
    """What claims have to be for alike, to be composed: neighbours, and whose rows. Parameters: unit, or its column."""
    whose = unit.whose if isinstance(unit, Unit) else unit
    return neighbours if whose is None else f"{neighbours} of {whose}"


_LARGEST_EXPONENT = 1 << 16  # e^x is written out
_POWER = re.compile(r"\s*2\s*(?:\^|\*\*)\s*\(?-(\d{1,4})\)?\s*")


def delta_of_text(value: RationalLike) -> mpq:
    """A probability, also written as a power of two, "2^-40". Raises: ParameterError."""
    found = _POWER.fullmatch(value) if isinstance(value, str) else None
    return probability(value, "delta") if found is None else mpq(1, 1 << int(found[1]))


def _beta(value: RationalLike) -> mpq:
    return probability(value, "beta")


def _error_bound(value: int) -> int:
    return integer(value, "a", at_least=0)


def _kind(value: str) -> AccuracyKind:
    for known in get_args(AccuracyKind):
        if value == known:
            return known  # type: ignore[no-any-return]  # get_args is typed as a tuple of Any
    raise ParameterError(f"kind = {value!r} is unknown; accepted: {', '.join(get_args(AccuracyKind))}")


def _parts(document: Mapping[str, Any], kind: type, may_lack: str = "") -> dict[str, Any]:
    """The parts of a claim of one kind, whose names are the keys of its JSON form. Raises: ParameterError."""
    names = [attribute.name for attribute in fields(kind) if attribute.eq and attribute.name != may_lack]
    if not isinstance(document, Mapping) or set(document) - {may_lack} != set(names):
        found = ", ".join(map(str, document)) if isinstance(document, Mapping) else type(document).__name__
        raise ParameterError(f"a {kind.__name__} in JSON has the keys {', '.join(names)}; found: {found or 'none'}")
    if not isinstance(document["source"], str):
        raise ParameterError(f"source = {document['source']!r} is not text; accepted: the id of a claim, or nothing")
    return dict(document)


def _ratio(value: RationalLike | None) -> mpq | None:
    return None if value is None else rational(value, "ratio")


class Told(Protocol):
    """A mechanism that knows the curve of its claims."""

    def curve_of(self, claim: "PrivacyClaim", coins: Any) -> Curve:  # noqa: ANN401  # the mechanism's own
        """The curve of what was released with these coins."""
        ...


@frozen
class PrivacyClaim:
    """(epsilon, delta)-differential privacy for a neighbour relation, with a sharper rational ratio where one is proved.

    With a ratio the claim is P[S] <= ratio * Q[S] + delta: (ln ratio, delta)-differential privacy.

    Source: BV.Def2.1.
    Parameters: epsilon >= 0 and delta in [0, 1], rationals, delta also as the text "2^-40"; neighbours; ratio, a rational
    bound on the worst probability ratio, which must lie between 1 and e^epsilon (compared rigorously here); source, the id of
    the claim in the ledger; unit, whose rows are added, removed or replaced together, None where it is one row; told, the
    mechanism whose claim it is, with its coins: it has the curve, and is no part of the claim's value or JSON.
    Raises: ParameterError for a value out of range, ClaimError where the ratio does not imply the claim.
    """

    epsilon: mpq = field(converter=_epsilon)
    neighbours: Neighbours = field(converter=check_neighbours)
    delta: mpq = field(converter=delta_of_text, default=mpq(0))
    ratio: mpq | None = field(converter=_ratio, default=None)
    source: str = ""
    unit: Unit | None = None
    told: tuple["Told", Any] | None = field(default=None, eq=False, repr=False, kw_only=True)

    def __attrs_post_init__(self) -> None:
        if self.unit is not None and (not isinstance(self.unit, Unit) or self.neighbours == "counts"):
            raise ParameterError(f"unit = {self.unit!r} with neighbours = {self.neighbours!r}; accepted: a Unit, for datasets")
        if self.ratio is None:
            return
        if self.ratio < 1:
            raise ClaimError(f"ratio = {self.ratio} must be at least 1")
        if compare_exp(self.ratio, self.epsilon) > 0:
            raise ClaimError(f"the ratio {self.ratio} exceeds e^{self.epsilon}, so it does not imply the claim")

    @property
    def relation(self) -> str:
        """What the claim is for: neighbours, and of a unit whose rows. Claims for one relation may be composed."""
        return relation_of(self.neighbours, self.unit)

    def curve(self) -> Curve:
        """Delta at every epsilon, and not at one alone: the curve of what was released, for `finitedp.compose`.

        Where the release stands on a table, the curve is its own. Of other claims, and of every claim that was read from
        JSON or written by hand, the numbers are all there is to go by: the worst release that they allow, which is randomized
        response, and delta where it tells all. Source: FD.Pair.dyadic, FD.Pair.pure.
        Raises: ParameterError for a claim without a ratio whose epsilon is above 65536.
        """
        if self.told is not None and self.unit is None:
            own = self.told[0].curve_of(self, self.told[1])
            if own.neighbours == self.relation:
                return own
        if self.ratio is not None:
            return Curve([pair_of_claim(self.ratio, self.delta)], self.relation, "FD.Pair.pure")
        if self.epsilon > _LARGEST_EXPONENT:
            raise ParameterError(f"epsilon = {self.epsilon} is too large for a curve; accepted: up to {_LARGEST_EXPONENT}")
        low, high = (pair_of_claim(ratio, self.delta) for ratio in exp_bounds(self.epsilon, 128))
        return Curve([high], self.relation, "FD.Pair.pure", [low])

    def as_json(self) -> dict[str, Any]:
        """The claim as a JSON object: rationals as "p/q", ratio null where none is claimed, unit where there is one."""
        ratio = None if self.ratio is None else str(self.ratio)
        stated = {"epsilon": str(self.epsilon), "delta": str(self.delta), "neighbours": self.neighbours, "ratio": ratio}
        return {**stated, "source": self.source, **({} if self.unit is None else {"unit": self.unit.as_json()})}

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> "PrivacyClaim":
        """The claim that as_json wrote. Raises: ParameterError, ClaimError."""
        parts = _parts(document, cls, may_lack="unit")
        unit = parts.pop("unit", None)
        return cls(**parts, unit=None if unit is None else Unit.from_json(unit))


def _order(value: RationalLike) -> mpq:
    order = rational(value, "order")
    if order <= 1:
        raise ParameterError(f"order = {order} is out of range; accepted: a rational above 1")
    return order


@frozen
class RenyiClaim:
    """The Renyi divergence of the given order, in nats, is at most epsilon, in both directions.

    Source: FD.Renyi.
    Parameters: order, a rational above 1; epsilon >= 0, a rational. Raises: ParameterError for a value out of range.
    """

    order: mpq = field(converter=_order)
    epsilon: mpq = field(converter=_epsilon)


@frozen
class Accuracy:
    """The error exceeds `a` with probability at most `beta`.

    Source: BV.Def2.5, BV.Def2.6, BV.Def4.2.
    Parameters: a >= 0, in counts; beta in [0, 1]; kind, over what the statement is made; source, the claim's id.
    """

    a: int = field(converter=_error_bound)
    beta: mpq = field(converter=_beta)
    kind: AccuracyKind = field(converter=_kind, default="counting")
    source: str = ""

    def as_json(self) -> dict[str, Any]:
        """The accuracy as a JSON object: `a` as an integer, beta as "p/q"."""
        return {"kind": self.kind, "a": int(self.a), "beta": str(self.beta), "source": self.source}

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> "Accuracy":
        """The accuracy that as_json wrote. Raises: ParameterError."""
        return cls(**_parts(document, cls))


class HistogramAccuracy(NamedTuple):
    """How far the counts of a histogram are off: each of them by itself, and all of them together.

    Source: BV.Def2.5, BV.Def2.6.
    Fields: per_query, of one label; above, the true count above which per_query holds, -1 where it holds at all of them;
    simultaneous, of all labels of the universe at once, at every count.
    """

    per_query: Accuracy
    above: int
    simultaneous: Accuracy

    def as_json(self) -> list[dict[str, Any]]:
        """Both accuracies as JSON objects; the first says `on_counts_above` where it does not hold at every count."""
        above = {} if self.above < 0 else {"on_counts_above": self.above}
        return [{**self.per_query.as_json(), **above}, self.simultaneous.as_json()]


def _dropped(value: int | None) -> int | None:
    return None if value is None else integer(value, "dropped", at_least=0)


def _share(value: RationalLike | None) -> mpq | None:
    return None if value is None else probability(value, "alpha")


def _distance_bound(value: RationalLike) -> mpq:
    bound = rational(value, "beta")
    if bound < 0:
        raise ParameterError(f"beta = {bound} is negative; accepted: a rational of at least 0")
    return bound


def _gamma(value: RationalLike) -> mpq:
    return probability(value, "gamma")


@frozen
class FlexibleAccuracy:
    """Within beta of the statistic of the data with a few rows left out, except with probability gamma.

    Source: FA.Def3, for a deterministic statistic and the distortion that drops rows.
    Parameters: statistic, its name; beta >= 0, a rational, in the metric; gamma in [0, 1]; and either dropped, how many rows
    may be left out, or alpha in [0, 1], the share of them; metric, by name; source, the claim's id.
    Raises: ParameterError for a value out of range, or for both or neither of dropped and alpha.
    """

    statistic: str
    beta: mpq = field(converter=_distance_bound)
    gamma: mpq = field(converter=_gamma)
    dropped: int | None = field(converter=_dropped, default=None)
    alpha: mpq | None = field(converter=_share, default=None)
    metric: str = "absolute"
    source: str = ""

    def __attrs_post_init__(self) -> None:
        if (self.dropped is None) == (self.alpha is None):
            raise ParameterError("a flexible accuracy has either dropped, a number of rows, or alpha, a share of them")

    def allowed(self, rows: int) -> int:
        """How many of so many rows may be left out: `dropped`, or floor(alpha rows), and never more than there are."""
        if self.alpha is None:
            return min(rows, int(self.dropped or 0))
        return int(self.alpha.numerator * rows // self.alpha.denominator)

    def share(self, rows: int) -> mpq:
        """The alpha of so many rows: the share of them that may be left out. Parameters: rows >= 1."""
        return mpq(self.allowed(integer(rows, "rows", at_least=1)), rows)

    def as_json(self) -> dict[str, Any]:
        """The accuracy as a JSON object: rationals as "p/q", null for what is not given."""
        alpha = None if self.alpha is None else str(self.alpha)
        stated = {"statistic": self.statistic, "beta": str(self.beta), "gamma": str(self.gamma), "alpha": alpha}
        return {**stated, "dropped": self.dropped, "metric": self.metric, "source": self.source}

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> "FlexibleAccuracy":
        """The accuracy that as_json wrote. Raises: ParameterError."""
        return cls(**_parts(document, cls))


@frozen
class Cost:
    """What one release costs, the same on every path and for every input unless `exact` is False.

    Parameters: draws, calls of uniform(d) or bits(b); bits, random bits that the strict coins read for them; steps,
    comparisons of a uniform draw with a threshold; exact, whether these are the numbers themselves or upper bounds;
    otherwise, a bound on the probability, over the coins, of a release that takes more steps than that (mostly 0).
    """

    draws: int
    bits: int
    steps: int
    exact: bool = True
    otherwise: mpq = field(default=mpq(0))

    def times(self, repetitions: int) -> "Cost":
        """The cost of `repetitions` releases, one after the other."""
        return Cost(
            self.draws * repetitions,
            self.bits * repetitions,
            self.steps * repetitions,
            self.exact,
            min(self.otherwise * repetitions, mpq(1)),
        )

    def __add__(self, other: "Cost") -> "Cost":
        """The cost of one after the other."""
        return Cost(
            self.draws + other.draws,
            self.bits + other.bits,
            self.steps + other.steps,
            self.exact and other.exact,
            min(self.otherwise + other.otherwise, mpq(1)),
        )
