"""Histograms of small datasets, and the joint law of BasicHistogram."""

from collections.abc import Callable, Hashable, Sequence
from typing import TypeVar

from finitedp.spec.pmf import Pmf, product

__all__ = ["basic_histogram", "histogram"]

L = TypeVar("L", bound=Hashable)


def histogram(dataset: Sequence[L], labels: Sequence[L]) -> tuple[int, ...]:
    """The true counts c_x(D), in the order of `labels`. Source: Section 2.2 of Balcer and Vadhan."""
    return tuple(sum(row == label for row in dataset) for label in labels)


def basic_histogram(
    dataset: Sequence[L], labels: Sequence[L], counting_law: Callable[[int], Pmf[int]]
) -> Pmf[tuple[tuple[L, int], ...]]:
    """Independent noisy counts of the labels, as a partial vector in the order of `labels`.

    Source: BV.Alg5.1.
    Parameters: counting_law, the law of the counting-query mechanism at each count.
    """
    noisy = product([counting_law(count) for count in histogram(dataset, labels)])
    return noisy.pushforward(lambda counts: tuple(zip(labels, counts, strict=True)))
