"""KH' and SparseHistogram in parts, of which each broken copy replaces one."""

from collections import Counter
from collections.abc import Iterable

from attrs import frozen

from finitedp.impl.counting.geometric import CountingMechanism
from finitedp.impl.histograms.binomial import ApproxBinSample
from finitedp.impl.histograms.distinct import distinct_sample
from finitedp.impl.histograms.order_statistics import TopSampler
from finitedp.impl.histograms.sparse import heavier_than
from finitedp.impl.randomness.coins import Coins
from finitedp.proofs_check.claims.bv.sparse.samplers import (
    Draws,
    Unpadded,
    WithLoop,
    WithPower,
    floored_twice,
    of_2018,
    one_factor_at_a_time,
)

__all__ = ["PARTS", "Bins", "BySteps", "FewerEmptyBins", "InParts"]

Bins = tuple[tuple[int, int], ...]


@frozen
class InParts:
    """Steps (1) to (6) of Algorithm 6.4 over labels 0..size-1. By itself it has the right law, and a test says so."""

    mechanism: CountingMechanism
    size: int
    top: TopSampler

    def release(self, data: Iterable[int], coins: Coins) -> Bins:
        """By parts."""
        true = Counter(data)
        noisy = {i: self.noisy(true[i], coins) for i in sorted(true)}
        empty = self.empty_bins(distinct_sample(self.size, true, self.mechanism.n + 1, coins))
        noisy |= dict(zip(empty, self.largest(self.empties(len(true)), coins), strict=True))
        return self.kept(sorted(noisy.items()))

    def empties(self, present: int) -> int:
        """Step (1): m."""
        return self.size - present

    def noisy(self, count: int, coins: Coins) -> int:
        """Step (2), for one label."""
        return self.mechanism.release(count, coins)

    def empty_bins(self, sequence: tuple[int, ...]) -> tuple[int, ...]:
        """Step (3)."""
        return sequence

    def largest(self, m: int, coins: Coins) -> tuple[int, ...]:
        """Step (4)."""
        return self.top.release(m, coins)

    def kept(self, bins: list[tuple[int, int]]) -> Bins:
        """Steps (5) and (6)."""
        return heavier_than(bins, self.mechanism.n)


@frozen
class SortedEmptyBins(InParts):
    """The sampled empty bins as a sorted set, which ties the largest count to the first label."""

    def empty_bins(self, sequence: tuple[int, ...]) -> tuple[int, ...]:
        """Sorted."""
        return tuple(sorted(sequence))


@frozen
class TrueCounts(InParts):
    """No noise on the labels that occur."""

    def noisy(self, count: int, coins: Coins) -> int:
        """The count itself."""
        self.mechanism.release(count, coins)
        return count


@frozen
class FewerEmptyBins(InParts):
    """m = |X| - n instead of |X minus A|."""

    def empties(self, present: int) -> int:
        """As if n labels occurred."""
        return self.size - self.mechanism.n


@frozen
class OrderStatisticsOf2018(InParts):
    """The conditional distribution functions of the paper's 2018 version."""

    def largest(self, m: int, coins: Coins) -> tuple[int, ...]:
        """By conditional maxima."""
        values = tuple(self.mechanism.scaled_cdf(z) for z in range(self.mechanism.n + 1))
        return of_2018(Draws(m, values), coins)


@frozen
class KeepsTies(InParts):
    """>= against the (n+1)-th count."""

    def kept(self, bins: list[tuple[int, int]]) -> Bins:
        """With ties."""
        bar = sorted((count for _, count in bins), reverse=True)[self.mechanism.n]
        return tuple(pair for pair in bins if pair[1] >= bar)


@frozen
class BySteps(InParts):
    """ApproxOrdSample with a broken binomial sampler."""

    def largest(self, m: int, coins: Coins) -> tuple[int, ...]:
        """By its steps."""
        s = getattr(self.top, "s", 1 << 64)
        steps = Unpadded(self.mechanism.n, self.mechanism.scaled_cdf, s, self.size, None, self.sampler)
        return steps.release(m, coins)

    def sampler(self, s: int) -> ApproxBinSample:
        """The right one."""
        return ApproxBinSample(s)


@frozen
class LiteralLoop(BySteps):
    """The loop bound of Algorithm 6.18 as printed."""

    def sampler(self, s: int) -> ApproxBinSample:
        """From the ceiling."""
        return WithLoop(s)


@frozen
class FlooredTwice(BySteps):
    """Flooring twice in the odd step of the power."""

    def sampler(self, s: int) -> ApproxBinSample:
        """Twice."""
        return WithPower(s, None, floored_twice)


@frozen
class OneFactorAtATime(BySteps):
    """The power by one factor at a time."""

    def sampler(self, s: int) -> ApproxBinSample:
        """One by one."""
        return WithPower(s, None, one_factor_at_a_time)


PARTS: dict[str, type[InParts]] = {
    "a sorted set of empty bins": SortedEmptyBins,
    "m = |X| - n": FewerEmptyBins,
    "true counts of the labels that occur": TrueCounts,
    "order statistics of 2018": OrderStatisticsOf2018,
    ">= the (n+1)-th": KeepsTies,
    "the loop bound as printed": LiteralLoop,
    "flooring twice in the odd step": FlooredTwice,
    "one factor at a time": OneFactorAtATime,
}
