"""Measures of distortion of histograms: dropping rows, moving them, and both; and their lift to random histograms.

A histogram is a tuple of counts over a ground set that is given once, in the same order for all. A distortion of None is
infinite: the second histogram cannot be had from the first one.
"""

from collections.abc import Hashable, Iterator, Sequence
from itertools import product
from typing import Any

from gmpy2 import mpq

from finitedp.errors import ParameterError
from finitedp.exact import RationalLike, integer, rational
from finitedp.spec.flexible.flows import largest_flow
from finitedp.spec.flexible.lossy_wasserstein import Distance, LossyDistance, lossy_infinity
from finitedp.spec.pmf import Pmf

__all__ = [
    "Histogram",
    "allowed_drops",
    "counts_of",
    "drmv",
    "drmv_literal",
    "drop",
    "lift",
    "move",
    "random_distortion",
    "sub_histograms",
]

Histogram = tuple[int, ...]


def counts_of(rows: Sequence[Hashable], ground: Sequence[Hashable]) -> Histogram:
    """The histogram of a dataset. Raises: ParameterError for a row outside of the ground set."""
    outside = [row for row in rows if row not in ground]
    if outside:
        raise ParameterError(f"{outside[0]!r} is not in the ground set")
    return tuple(sum(row == point for row in rows) for point in ground)


def sub_histograms(x: Histogram, dropped: int | None = None) -> Iterator[Histogram]:
    """All y <= x, or those with |x| - |y| <= dropped."""
    least = 0 if dropped is None else sum(x) - dropped
    return (y for y in product(*(range(count + 1) for count in x)) if sum(y) >= least)


def drop(x: Histogram, y: Histogram) -> mpq | None:
    """(|x| - |y|) / |x| where y <= x pointwise, else infinite; of nothing from nothing, 0. Source: FA.Def2, equation (3)."""
    if any(b > a for a, b in zip(x, y, strict=True)):
        return None
    return mpq(sum(x) - sum(y), sum(x)) if sum(x) else mpq(0)


def _least_move(x: Histogram, y: Histogram, ground: Sequence[Any], distance: Distance) -> mpq | None:
    """The least b with a flow along pairs within b, of at most x from each point, that fills y; None where there is none."""
    rows = [[distance(g, h) for h in ground] for g in ground]
    known = sorted({mpq(0), *(rational(d, "a distance") for row in rows for d in row if d is not None)})
    for b in known:
        near = [sum(1 << j for j, d in enumerate(row) if d is not None and d <= b) for row in rows]
        if sum(largest_flow(x, y, near)[0].values()) == sum(y):
            return b
    return None


def move(x: Histogram, y: Histogram, ground: Sequence[Any], distance: Distance) -> mpq | None:
    """The farthest that a row must move to make y of x; infinite unless |x| = |y|. Source: FA.Def2, equation (38)."""
    return _least_move(x, y, ground, distance) if sum(x) == sum(y) else None


def drmv(x: Histogram, y: Histogram, eta: RationalLike, ground: Sequence[Any], distance: Distance) -> mpq | None:
    """1 - |y|/|x| + eta b, where b is the least with a flow from x along pairs within b that fills y; else infinite.

    Which rows are dropped matters for b alone: how many are is settled by |y|. So the infimum of the definition is this.
    Source: FA.Def2, equation (39). Parameters: eta >= 0.
    """
    factor = _eta(eta)
    if sum(y) > sum(x):
        return None
    if not sum(x):
        return mpq(0)
    b = _least_move(x, y, ground, distance)
    return None if b is None else 1 - mpq(sum(y), sum(x)) + factor * b


def drmv_literal(x: Histogram, y: Histogram, eta: RationalLike, ground: Sequence[Any], distance: Distance) -> mpq | None:
    """The infimum of drop(x, z) + eta move(z, y) over all z, from the definition: it is finite for z <= x with |z| = |y|.

    Source: FA.Def2, equation (39).
    """
    factor, found = _eta(eta), list[mpq]()
    for z in sub_histograms(x):
        dropped, moved = drop(x, z), move(z, y, ground, distance)
        if dropped is not None and moved is not None:
            found.append(dropped + factor * moved)
    return min(found, default=None)


def _eta(eta: RationalLike) -> mpq:
    factor = rational(eta, "eta")
    if factor < 0:
        raise ParameterError(f"eta = {factor} is negative; accepted: a rational of at least 0")
    return factor


def lift(p: Pmf[Any], q: Pmf[Any], distortion: Distance) -> LossyDistance[Any]:
    """The distortion of a random input to a random input: over couplings, the largest distortion of a pair, with witnesses.

    It is not symmetric: the first law is the input's. Source: FA.Def2. Parameters: distortion, None where infinite.
    """
    return lossy_infinity(p, q, distortion, 0)


def random_distortion(x: Histogram, law: Pmf[Histogram], distortion: Distance) -> mpq | None:
    """The distortion of one input to a random one: the largest over the support, which the lift of a point mass is."""
    found = [distortion(x, y) for y in law]
    return None if any(d is None for d in found) else max(mpq(d) for d in found if d is not None)


def allowed_drops(alpha: RationalLike, size: int) -> int:
    """floor(alpha n): how many of n rows a drop distortion of at most alpha leaves out. Parameters: alpha >= 0; size >= 0."""
    share = rational(alpha, "alpha")
    if share < 0:
        raise ParameterError(f"alpha = {share} is negative; accepted: a rational of at least 0")
    rows = integer(size, "size", at_least=0)
    return min(rows, int(share.numerator * rows // share.denominator))
