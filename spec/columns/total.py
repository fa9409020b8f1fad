"""A sum of clipped values with the noise of a dyadic table, from its definition; and what one row may change."""

from collections.abc import Sequence
from itertools import combinations_with_replacement

from finitedp.errors import ParameterError
from finitedp.spec import dyadic
from finitedp.spec.pmf import Pmf

__all__ = ["clipped_sum", "total_sample", "worst_change"]

Value = int | None
"""What a row holds; None where it has no value."""


def clipped_sum(rows: Sequence[Value], low: int, high: int) -> int:
    """The sum of the values, those below low taken for low, those above high for high, missing ones for nothing."""
    return sum(sorted((low, value, high))[1] for value in rows if value is not None)


def worst_change(low: int, high: int, neighbours: str, *, missing: bool = False, rows: int = 1) -> int:
    """The largest change of the sum by a row, or a unit of one to so many, over all pairs of what it may add; low <= high."""
    if low > high:
        raise ParameterError(f"bounds = ({low}, {high}) are out of order; accepted: low <= high")
    held = [combinations_with_replacement((low, high), many) for many in range(0 if missing else 1, rows + 1)]
    added = {sum(values) for some in held for values in some}
    if neighbours == "replace-one":
        return max(a - b for a in added for b in added)
    return max(abs(a) for a in added)


def total_sample(weights: dyadic.Weights, total: int, ends: tuple[int, int], step: int) -> Pmf[int]:
    """The law of the noisy sum, in steps from the least one.

    The sum within its ends, in steps from the lower end, rounded to the nearest one, half of one up; noise added to it and
    clamped to the steps there are; and that many steps from the lower end, not beyond the upper one.
    Source: FD.Total.law. Parameters: weights w_0, ..., w_N; ends, the least and the largest sum; step, of which N is the most.
    """
    least, most = ends
    within = sorted((least, total, most))[1] - least
    below, rest = divmod(within, step)
    steps = below + (2 * rest >= step)
    return dyadic.law(weights, steps).pushforward(lambda z: min(least + z * step, most))
