"""The running histograms as the explorer sees them, and broken copies of StabilityHistogram that several sections reject."""

from collections.abc import Callable, Hashable, Mapping
from functools import cache, lru_cache
from typing import Any, TypeVar

from gmpy2 import mpq

from finitedp.impl.histograms.basic import BasicHistogram
from finitedp.impl.histograms.sparse import KeepHeavy
from finitedp.impl.histograms.stability import StabilityHistogram
from finitedp.impl.randomness.coins import Coins
from finitedp.proofs_check.claims.bv.counting.subjects import running_law
from finitedp.proofs_check.engine.explorer import Exploration, explore
from finitedp.proofs_check.ledger.entry import Finding, but
from finitedp.proofs_check.ledger.findings import at_most
from finitedp.spec.divergence import hockey_stick
from finitedp.spec.pmf import Pmf
from finitedp.spec.pmf import product as joint

H = TypeVar("H", BasicHistogram[Any], StabilityHistogram[Any], KeepHeavy[Any])


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


def released_count(label: Hashable, bins: tuple[tuple[Hashable, int], ...]) -> int:
    """The count that a histogram has for a label: 0 where it has none."""
    return dict(bins).get(label, 0)


def thresholded(noisy: Callable[[int], Pmf[int]], b: int) -> Callable[[int], Pmf[int]]:
    """The law of one bin's released count under StabilityHistogram: 0 for a label that does not occur or is dropped."""
    return cache(lambda count: noisy(count).pushforward(lambda x: x if x > b else 0) if count else Pmf.point(0))


def _without_threshold(self: StabilityHistogram[Any], counts: Mapping[Any, int], coins: Coins) -> tuple[tuple[Any, int], ...]:
    present = sorted(label for label, count in counts.items() if count)
    return tuple((label, self.mechanism.release(counts[label], coins)) for label in present)


KeepsTies = but(
    StabilityHistogram,
    release_counts=lambda self, counts, coins: StabilityHistogram(self.mechanism, max(self.b - 1, 0)).release_counts(
        counts, coins
    ),
)
"""Broken: counts equal to b are released too."""
NoThreshold = but(StabilityHistogram, release_counts=_without_threshold)
"""Broken: every label that occurs is released, with its noisy count."""


def by_true_count(kind: type[H]) -> type[H]:
    """Broken: labels in the order of their true counts, which must stay secret."""

    def release_counts(self: Any, counts: Mapping[Any, int], coins: Coins) -> tuple[tuple[Any, int], ...]:  # noqa: ANN401
        released: tuple[tuple[Any, int], ...] = kind.release_counts(self, counts, coins)
        return tuple(sorted(released, key=lambda pair: -counts.get(pair[0], 0)))

    return but(kind, release_counts=release_counts)


HeaviestFirst = by_true_count(StabilityHistogram)


def delta_of_moves(law: Callable[[int], Pmf[int]], n: int, ratio: mpq, allowed: mpq) -> list[Finding]:
    """Finds the joint law of the two bins that a row changes, for every counts of n rows, to have at most this delta."""
    findings = []
    for x, y in row_moves(n):
        found = hockey_stick(joint([law(x), law(y)]), joint([law(x - 1), law(y + 1)]), ratio).delta
        findings.append(at_most(found, allowed, f"delta from counts {x},{y} to {x - 1},{y + 1}"))
    return findings


def behind_threshold(mechanism: StabilityHistogram[Any]) -> Callable[[int], Pmf[int]]:
    """The law of one bin's released count, by the running counting mechanism."""
    return thresholded(running_law(mechanism.mechanism), mechanism.b)
