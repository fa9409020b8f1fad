"""Claims as people write them: epsilon as a rational or as the logarithm of one."""

import re

from finitedp.claim import PrivacyClaim
from finitedp.errors import ParameterError
from finitedp.exact import RationalLike, log_bounds, rational

__all__ = ["privacy_claim"]

_LOGARITHM = re.compile(r"\s*(?:ln|log)\s*\(?\s*(\d+(?:/\d+)?)\s*\)?\s*")


def privacy_claim(
    epsilon: RationalLike, neighbours: str, delta: RationalLike = 0, ratio: RationalLike | None = None
) -> PrivacyClaim:
    """The claim that is stated.

    Parameters: epsilon, a rational or "ln 3", which states the ratio 3 (its epsilon is then ln 3, rounded up); ratio, beside
    a rational epsilon. Raises: ParameterError, ClaimError.
    """
    found = _LOGARITHM.fullmatch(epsilon) if isinstance(epsilon, str) else None
    if found is None:
        return PrivacyClaim(epsilon, neighbours, delta, ratio)
    if ratio is not None:
        raise ParameterError(
            f"epsilon = {epsilon!r} states a ratio already; accepted: it without ratio, or a rational epsilon"
        )
    stated = rational(found[1], "the ratio in epsilon")
    if stated < 1:
        raise ParameterError(f"epsilon = {epsilon!r} is negative; accepted: the logarithm of a rational of at least 1")
    return PrivacyClaim(log_bounds(stated)[1], neighbours, delta, stated)
