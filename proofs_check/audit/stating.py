"""Claims as people write them: epsilon as a rational or as the logarithm of one, divergences, several runs together."""

import re
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from gmpy2 import mpq

from finitedp.claim import PrivacyClaim, RenyiClaim
from finitedp.errors import ParameterError
from finitedp.exact import RationalLike, integer, log_bounds, rational
from finitedp.proofs_check.audit.relation import form_of

_LOGARITHM = re.compile(r"\s*(?:ln|log)\s*\(?\s*(\d+(?:/\d+)?)\s*\)?\s*")


MOST_RUNS = 1_000_000
"""The largest number of runs that are composed."""


def rho(value: RationalLike | None) -> mpq | None:
    """The rho of zero-concentrated privacy that is claimed. Raises: ParameterError."""
    value_of_rho = None if value is None else rational(value, "zcdp")
    if value_of_rho is not None and value_of_rho < 0:
        raise ParameterError(f"zcdp = {value_of_rho} is negative; accepted: a rational of at least 0")
    return value_of_rho


def runs(value: int) -> int:
    """How many runs are composed. Raises: ParameterError."""
    return int(integer(value, "compose", 1, MOST_RUNS))


def privacy_claim(
    epsilon: RationalLike, neighbours: str, delta: RationalLike = 0, ratio: RationalLike | None = None
) -> PrivacyClaim:
    """The claim that is stated.

    Parameters: epsilon, a rational or "ln 3", which states the ratio 3 (its epsilon is then ln 3, rounded up); ratio, beside
    a rational epsilon. Raises: ParameterError, ClaimError.
    """
    logarithm = _LOGARITHM.fullmatch(epsilon) if isinstance(epsilon, str) else None
    if logarithm is None:
        return PrivacyClaim(epsilon, neighbours, delta, ratio)
    if ratio is not None:
        raise ParameterError(
            f"epsilon = {epsilon!r} states a ratio already; accepted: it without ratio, or a rational epsilon"
        )
    stated = rational(logarithm[1], "the ratio in epsilon")
    if stated < 1:
        raise ParameterError(f"epsilon = {epsilon!r} is negative; accepted: the logarithm of a rational of at least 1")
    return PrivacyClaim(log_bounds(stated)[1], neighbours, delta, stated)


def stated(fields: Mapping[str, Any], universe: Sequence[Hashable]) -> dict[str, Any]:
    """What is claimed of privacy, as the parameters claim, neighbours, renyi, zcdp and compose of an audit.

    Parameters: universe, the labels; fields, neighbours, a relation or what states one (relation.Stated), and epsilon, delta
    and ratio, or renyi (a dict of order and epsilon, or both in this order), or zcdp, or several of these; compose. Where
    epsilon is left out the claim is (0, 1)-differential privacy, which says nothing.
    Raises: ParameterError, ClaimError.
    """
    renyi, zcdp, epsilon = fields.get("renyi"), fields.get("zcdp"), fields.get("epsilon")
    neighbours = fields["neighbours"]
    own = not isinstance(neighbours, str)
    relation = form_of(neighbours, universe) if own else neighbours
    if epsilon is not None:
        claim = privacy_claim(epsilon, relation, fields.get("delta", 0), fields.get("ratio"))
    elif renyi is None and zcdp is None:
        raise ParameterError("epsilon is missing; accepted: epsilon, renyi or zcdp")
    else:
        other = next((name for name in ("delta", "ratio") if fields.get(name) is not None), None)
        if other is not None:
            raise ParameterError(f"{other} is claimed without epsilon; accepted: both, or neither beside renyi or zcdp")
        claim = PrivacyClaim(0, relation, 1)
    more = {"renyi": _renyi(renyi), "zcdp": zcdp, "compose": fields.get("compose", 1)}
    return {"claim": claim, "neighbours": neighbours if own else None, **more}


def _renyi(value: Any) -> RenyiClaim | None:  # noqa: ANN401  # whatever was written
    if value is None or isinstance(value, RenyiClaim):
        return value
    try:
        return RenyiClaim(**value) if isinstance(value, Mapping) else RenyiClaim(*value)
    except TypeError:
        raise ParameterError(f"renyi = {value!r:.60} cannot be used; accepted: an order above 1 and an epsilon") from None
