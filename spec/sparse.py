"""The laws of sparse histograms on small universes (Section 6.1 of Balcer and Vadhan)."""

from collections.abc import Callable, Hashable, Sequence
from typing import TypeVar

from finitedp.errors import ParameterError
from finitedp.spec.histogram import basic_histogram
from finitedp.spec.pmf import Pmf

__all__ = ["keep_heavy"]

L = TypeVar("L", bound=Hashable)


def keep_heavy(
    dataset: Sequence[L], universe: Sequence[L], counting_law: Callable[[int], Pmf[int]], n: int
) -> Pmf[tuple[tuple[L, int], ...]]:
    """Noisy counts of the whole universe, of which those above the (n+1)-th largest are released, in the universe's order.

    Source: BV.Alg6.1, with the erratum |X| >= n + 1.
    Parameters: dataset of at most n rows; counting_law, the law of the counting-query mechanism at each count.
    Raises: ParameterError.
    """
    if len(universe) < n + 1:
        raise ParameterError(
            f"|X| = {len(universe)} is below n + 1 = {n + 1}; accepted: a larger universe, or basic_histogram"
        )

    def kept(bins: tuple[tuple[L, int], ...]) -> tuple[tuple[L, int], ...]:
        bar = sorted((count for _, count in bins), reverse=True)[n]
        return tuple((label, count) for label, count in bins if count > bar)

    return basic_histogram(dataset, universe, counting_law).pushforward(kept)
