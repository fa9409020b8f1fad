"""The law of StabilityHistogram on small universes (Section 5.2 of Balcer and Vadhan)."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from gmpy2 import mpq

from finitedp.spec.histogram import histogram
from finitedp.spec.pmf import Pmf, product

__all__ = ["least_threshold", "stability_histogram", "threshold_delta"]

L = TypeVar("L", bound=Any)  # labels: hashable and sortable


def stability_histogram(
    dataset: Sequence[L], counting_law: Callable[[int], Pmf[int]], b: int
) -> Pmf[tuple[tuple[L, int], ...]]:
    """Independent noisy counts of the labels that occur, of which those above b are released, sorted by label.

    Source: BV.Alg5.4. Parameters: counting_law, the law of the counting-query mechanism at each count; b >= 0.
    """
    present = sorted(set(dataset))
    noisy = product([counting_law(count) for count in histogram(dataset, present)])
    return noisy.pushforward(
        lambda counts: tuple((label, count) for label, count in zip(present, counts, strict=True) if count > b)
    )


def threshold_delta(counting_law: Callable[[int], Pmf[int]], b: int) -> mpq:
    """Pr[M(1, U) > b]: the least delta that Theorem 5.5 i gives for a threshold. Source: BV.Thm5.5.i."""
    return counting_law(1).probability(lambda noisy: noisy > b)


def least_threshold(counting_law: Callable[[int], Pmf[int]], delta: mpq) -> int:
    """The least b >= 0 whose threshold_delta is at most delta. Source: BV.Thm5.5.i."""
    b = 0
    while threshold_delta(counting_law, b) > delta:
        b += 1
    return b
