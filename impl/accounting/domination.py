"""Whether one curve is nowhere below another: then a release of the other may stand in its place in any composition."""

from itertools import permutations

from finitedp.curve import Curve, Pair, pair_of_claim

__all__ = ["dominates"]


def dominates(upper: Curve, lower: Curve) -> bool:
    """Whether `upper` is known to be at least `lower` at every gamma >= 0, so that it may take its place beside any others.

    Known where each pair of `lower` is below a pair of `upper` of its own; or where `upper` is the worst of a claim that holds
    of `lower` (Kairouz, Oh and Viswanath). False says that it is not known: a product may be above another one otherwise.

    Source: FD.Compose.domination, FD.Pair.pure, FD.Budget.slots. Parameters: curves for the same neighbours. Cost: the atoms
    of both, with the logarithm of their number.
    """
    if len(upper.pairs) >= len(lower.pairs):
        chosen = permutations(upper.pairs, len(lower.pairs))
        if any(all(map(_is_above, some, lower.pairs)) for some in chosen):
            return True
    if len(upper.pairs) > 1:
        return False
    (pair,) = upper.pairs
    ratio, delta = pair.largest, pair.infinite
    return pair == pair_of_claim(ratio, delta) and lower.delta_at(ratio) <= delta


def _is_above(upper: Pair, lower: Pair) -> bool:
    """Whether one curve is nowhere below the other: both are straight between the quotients, which therefore decide."""
    if upper == lower:
        return True
    if upper.infinite < lower.infinite:
        return False
    bends = {gamma for pair in (upper, lower) for gamma in pair.quotients}
    return all(upper.line(gamma).at(gamma) >= lower.line(gamma).at(gamma) for gamma in bends)
