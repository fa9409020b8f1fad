"""KH' and SparseHistogram in parts, of which each broken copy replaces one."""

from collections import Counter
from collections.abc import Callable, Iterable
from functools import partial

from attrs import frozen

from finitedp.impl.counting.geometric import CountingMechanism
from finitedp.impl.histograms.binomial import ApproxBinSample
from finitedp.impl.histograms.distinct import distinct_sample
from finitedp.impl.histograms.order_statistics import ApproxOrdSample, TopSampler
from finitedp.impl.histograms.sparse import heavier_than
from finitedp.impl.randomness.coins import Coins
from finitedp.proofs_check.claims.bv.sparse.samplers import BROKEN_BINOMIALS, Draws, Unpadded, of_2018
from finitedp.proofs_check.ledger.entry import but

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


SortedEmptyBins = but(InParts, empty_bins=lambda _self, sequence: tuple(sorted(sequence)))
"""The sampled empty bins as a sorted set, which ties the largest count to the first label."""
FewerEmptyBins = but(InParts, empties=lambda self, _present: self.size - self.mechanism.n)
"""m = |X| - n instead of |X minus A|, as if n labels occurred."""


def _true_count(self: InParts, count: int, coins: Coins) -> int:
    self.mechanism.release(count, coins)
    return count


def _by_conditional_maxima(self: InParts, m: int, coins: Coins) -> tuple[int, ...]:
    """The conditional distribution functions of the paper's 2018 version."""
    return of_2018(Draws(m, tuple(self.mechanism.scaled_cdf(z) for z in range(self.mechanism.n + 1))), coins)


def _with_ties(self: InParts, bins: list[tuple[int, int]]) -> Bins:
    bar = sorted((count for _, count in bins), reverse=True)[self.mechanism.n]
    return tuple(pair for pair in bins if pair[1] >= bar)


TrueCounts = but(InParts, noisy=_true_count)
"""No noise on the labels that occur."""


@frozen
class BySteps(InParts):
    """ApproxOrdSample with another binomial sampler."""

    sampler: Callable[[int], ApproxBinSample] = ApproxBinSample

    def largest(self, m: int, coins: Coins) -> tuple[int, ...]:
        """By its steps."""
        assert isinstance(self.top, ApproxOrdSample)  # noqa: S101  # narrows the type
        steps = Unpadded(self.mechanism.n, self.mechanism.scaled_cdf, self.top.s, self.size, None, self.sampler)
        return steps.release(m, coins)


PARTS: dict[str, Callable[[CountingMechanism, int, TopSampler], InParts]] = {
    "a sorted set of empty bins": SortedEmptyBins,
    "m = |X| - n": FewerEmptyBins,
    "true counts of the labels that occur": TrueCounts,
    "order statistics of 2018": but(InParts, largest=_by_conditional_maxima),
    ">= the (n+1)-th": but(InParts, kept=_with_ties),
    **{
        name: partial(BySteps, sampler=BROKEN_BINOMIALS[name])
        for name in ("the loop bound as printed", "flooring twice in the odd step", "one factor at a time")
    },
}
