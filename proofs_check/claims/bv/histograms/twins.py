"""Broken copies of BasicHistogram, which the checks must reject by name; most of those of StabilityHistogram are subjects.

They inherit from what they break, so that each shows its one mutation and nothing else.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from finitedp.impl.histograms.basic import BasicHistogram
from finitedp.impl.histograms.stability import StabilityHistogram
from finitedp.impl.randomness.coins import Coins
from finitedp.proofs_check.claims.bv.histograms.subjects import by_true_count
from finitedp.proofs_check.ledger.grids import Label


class SharedNoise(BasicHistogram[Label]):
    """One draw for all bins."""

    def release_counts(self, counts: Mapping[Label, int], coins: Coins) -> tuple[tuple[Label, int], ...]:
        u = coins.uniform(self.mechanism.d)
        return tuple((label, self.mechanism.apply(counts.get(label, 0), u)) for label in self.labels)


HeaviestBinFirst = by_true_count(BasicHistogram)
"""Bins sorted by true count: the order of the output tells the order of the data."""


class OnlyPresentLabels(BasicHistogram[Label]):
    """Labels that occur in the data only: A depends on the dataset."""

    def release_counts(self, counts: Mapping[Label, int], coins: Coins) -> tuple[tuple[Label, int], ...]:
        return tuple((label, self.mechanism.release(c, coins)) for label, c in counts.items() if c > 0)


class CountedTwice(BasicHistogram[Label]):
    """Every row of the last label is counted twice: sensitivity 2 in its bin."""

    def release_counts(self, counts: Mapping[Label, int], coins: Coins) -> tuple[tuple[Label, int], ...]:
        twice = {**counts, self.labels[-1]: min(2 * counts.get(self.labels[-1], 0), self.mechanism.n)}
        return tuple((label, self.mechanism.release(twice.get(label, 0), coins)) for label in self.labels)


class CountsRowsOutside(BasicHistogram[Label]):
    """Rows outside of A are counted into the last label of A."""

    def counts(self, data: Iterable[Label]) -> dict[Label, int]:
        listed = list(data)
        counts = super().counts(listed)
        counts[self.labels[-1]] += sum(row not in counts for row in listed)
        return counts


class HeaviestBinFirstOfRange(BasicHistogram[Label]):
    """Bins sorted by true count where the labels are a range."""

    def release_counts(self, counts: Mapping[Label, int], coins: Coins) -> tuple[tuple[Label, int], ...]:
        kind = HeaviestBinFirst if isinstance(self.labels, range) else BasicHistogram
        return kind(self.mechanism, self.labels).release_counts(counts, coins)


class RawFromTheFourth(BasicHistogram[Label]):
    """True counts from the fourth label on."""

    def release_counts(self, counts: Mapping[Label, int], coins: Coins) -> tuple[tuple[Label, int], ...]:
        released = super().release_counts(counts, coins)
        return released[:3] + tuple((label, counts.get(label, 0)) for label, _ in released[3:])


class NoThresholdFromTheFifth(StabilityHistogram[Any]):
    """Labels from the fifth on are released whatever their noisy counts."""

    def release_counts(self, counts: Mapping[Any, int], coins: Coins) -> tuple[tuple[Any, int], ...]:
        noisy = StabilityHistogram[Any](self.mechanism, 0, self.padded).release_counts(counts, coins)
        early = sorted(label for label, count in counts.items() if count)[:4]
        return tuple((label, count) for label, count in noisy if count > self.b or label not in early)
