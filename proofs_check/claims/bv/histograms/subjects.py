"""The running histograms as the explorer sees them, and broken copies of StabilityHistogram that several sections reject."""

from collections.abc import Callable, Hashable, Mapping
from functools import cache, lru_cache
from typing import Any

from finitedp.impl.histograms.stability import StabilityHistogram
from finitedp.impl.randomness.coins import Coins
from finitedp.proofs_check.engine.explorer import Exploration, explore
from finitedp.spec.pmf import Pmf


def row_moves(n: int, size: int = 3) -> list[tuple[int, int]]:
    """The counts of the label that a row leaves and of the one that it joins, in all datasets of n rows over `size` labels.

    Over three labels or more they are the same.
    """
    if size == 1:
        return []
    return [(x, y) for x in range(1, n + 1) for y in range(n - x + 1) if size > 2 or x + y == n]


@lru_cache(maxsize=4096)  # more than the quick grid's histograms and datasets, so that its claims share them
def exploration(mechanism: Any, dataset: tuple[Hashable, ...]) -> Exploration[Any]:  # noqa: ANN401  # any kind of histogram
    """What the explorer finds for one dataset of a histogram."""
    return explore(lambda coins: mechanism.release(dataset, coins))


def joint_law(mechanism: Any) -> Callable[[Any], Pmf[Any]]:  # noqa: ANN401  # as above
    """The exact joint law of the running code, by dataset."""
    return lambda dataset: _law(mechanism, dataset)


@lru_cache(maxsize=4096)
def _law(mechanism: Any, dataset: tuple[Hashable, ...]) -> Pmf[Any]:  # noqa: ANN401  # as above
    return exploration(mechanism, dataset).law()


def thresholded(noisy: Callable[[int], Pmf[int]], b: int) -> Callable[[int], Pmf[int]]:
    """The law of one bin's released count under StabilityHistogram: 0 for a label that does not occur or is dropped."""
    return cache(lambda count: noisy(count).pushforward(lambda x: x if x > b else 0) if count else Pmf.point(0))


class KeepsTies(StabilityHistogram[Any]):
    """Broken: counts equal to b are released too."""

    def release_counts(self, counts: Mapping[Any, int], coins: Coins) -> tuple[tuple[Any, int], ...]:
        """As the original, with >= for >."""
        return StabilityHistogram(self.mechanism, max(self.b - 1, 0)).release_counts(counts, coins)


class NoThreshold(StabilityHistogram[Any]):
    """Broken: every label that occurs is released, with its noisy count."""

    def release_counts(self, counts: Mapping[Any, int], coins: Coins) -> tuple[tuple[Any, int], ...]:
        """As the original, without step (3)."""
        present = sorted(label for label, count in counts.items() if count)
        return tuple((label, self.mechanism.release(counts[label], coins)) for label in present)


class HeaviestFirst(StabilityHistogram[Any]):
    """Broken: labels in the order of their true counts."""

    def release_counts(self, counts: Mapping[Any, int], coins: Coins) -> tuple[tuple[Any, int], ...]:
        """As the original, sorted by what must stay secret."""
        released = super().release_counts(counts, coins)
        return tuple(sorted(released, key=lambda pair: -counts[pair[0]]))
