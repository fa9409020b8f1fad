"""BucketHist and statistics of it: rows to buckets, buckets to noisy counts, counts to an answer, with both of its claims."""

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any

from attrs import evolve, frozen

from finitedp.claim import Cost, FlexibleAccuracy, PrivacyClaim
from finitedp.errors import ParameterError
from finitedp.exact import RationalLike, integer
from finitedp.impl.flexible.bucketing import Buckets, Grid
from finitedp.impl.flexible.shifted_truncated import ShiftedTruncated, shifted_truncated
from finitedp.impl.flexible.statistics import Statistic, statistic_of
from finitedp.impl.randomness.coins import Coins
from finitedp.units import Unit

__all__ = ["BucketHist", "FlexibleStatistic", "bucket_hist", "flexible_statistic"]


@frozen(slots=False)
class BucketHist:
    """A noisy count for each bucket: ShiftedTruncated of the rows' buckets. Source: FA.Alg3, FA.Alg5, with a public q.

    Parameters: buckets, of a public ground set; histogram, with as many bars. Raises: ParameterError.
    """

    buckets: Buckets
    histogram: ShiftedTruncated

    def __attrs_post_init__(self) -> None:
        if self.buckets.bars != self.histogram.bars:
            raise ParameterError(f"{self.buckets.bars} buckets for {self.histogram.bars} bars; accepted: as many of both")

    def counts(self, data: Iterable[Any]) -> list[int]:
        """The true counts of the buckets: not private. Raises: DataError for a row outside of the ground set."""
        return self.histogram.counts(self.buckets.index(row) for row in data)

    def release(self, data: Iterable[Any], coins: Coins) -> tuple[tuple[Any, int], ...]:
        """The centre and the noisy count of every bucket, in order. Raises: DataError. Cost: one word a bucket."""
        noisy = self.histogram.release_counts(self.counts(data), coins)
        return tuple((self.buckets.centre(i), count) for i, count in enumerate(noisy))

    def claim(self, coins: Coins | None = None) -> PrivacyClaim:
        """That of the histogram: bucketing moves no row to another neighbour's. Source: FA.Thm2."""
        return self.histogram.claim(coins)

    def accuracy(self, gamma: RationalLike = 0) -> FlexibleAccuracy:
        """Within the buckets' error of the histogram of the data with some rows left out, in the distance that moves rows."""
        plain = self.histogram.accuracy(gamma)
        metric = "moved"
        if isinstance(self.buckets, Grid):
            metric = "moved, l2-squared" if self.buckets.metric == "l2" else f"moved, {self.buckets.metric}"
        return evolve(plain, beta=self.buckets.error, metric=metric, source="FA.Thm4")

    def cost(self) -> Cost:
        """One word a bucket."""
        return self.histogram.cost()


@frozen(slots=False)
class FlexibleStatistic:
    """A statistic of the data's buckets, from noisy counts of them; with labels, each bucket is two bars, of - and of +.

    Source: FA.Thm5, FA.Cor2, FA.Cor3. Parameters: statistic; buckets, on the line; histogram, with a bar for each of them.
    Raises: ParameterError, where a statistic that needs single values is to be had of wider buckets.
    """

    statistic: Statistic
    buckets: Buckets
    histogram: ShiftedTruncated

    def __attrs_post_init__(self) -> None:
        if isinstance(self.buckets, Grid):
            raise ParameterError("statistics need an order; accepted: buckets on the line")
        if self.statistic.exact and self.buckets.error:
            raise ParameterError(
                f"{self.statistic.name} may change by any amount where rows move by beta; accepted: beta = 0, single values"
            )
        if self._labels * self.buckets.bars != self.histogram.bars:
            raise ParameterError(f"{self.buckets.bars} buckets do not fit {self.histogram.bars} bars of {self.statistic.name}")

    @property
    def _labels(self) -> int:
        return 2 if self.statistic.labelled else 1

    @cached_property
    def default(self) -> Any:  # noqa: ANN401  # an answer
        """What is answered of no rows: a public value."""
        return self.answer([0] * self.histogram.bars)

    def counts(self, data: Iterable[Any]) -> list[int]:
        """The true counts of the bars: not private. Rows are values; with labels, (value, whether +). Raises: DataError."""
        if self.statistic.labelled:
            return self.histogram.counts(2 * self.buckets.index(value) + bool(label) for value, label in data)
        return self.histogram.counts(self.buckets.index(value) for value in data)

    def answer(self, counts: Sequence[int]) -> Any:  # noqa: ANN401  # a rational, or a tuple of them
        """The statistic of such counts of the bars, exactly."""
        return self.statistic.answer(counts, self.buckets.centre)

    def release(self, data: Iterable[Any], coins: Coins) -> Any:  # noqa: ANN401  # as above
        """The statistic of the noisy counts. Raises: DataError. Cost: one word a bar."""
        return self.release_counts(self.counts(data), coins)

    def release_counts(self, counts: Sequence[int], coins: Coins) -> Any:  # noqa: ANN401  # as above
        """`release` for true counts of the bars that are known already."""
        return self.answer(self.histogram.release_counts(counts, coins))

    def claim(self, coins: Coins | None = None) -> PrivacyClaim:
        """That of the histogram: the statistic is computed from it alone."""
        return self.histogram.claim(coins)

    def accuracy(self, gamma: RationalLike | None = None, dropped: int | None = None) -> FlexibleAccuracy:
        """As if `dropped` rows had been left out, and then within beta, except with probability gamma.

        It holds for all data, however few: where all of them may be left out, the answer of no rows is one of those allowed.
        Source: FA.Thm5, FD.Shifted.extreme.
        Parameters: gamma in [0, 1], 0 by default, for which the least number that is proved is returned; or dropped >= 0, for
        which the least gamma that is proved is. Raises: ParameterError for both.
        """
        table, bars = self.histogram.table, self.histogram.bars
        if dropped is None:
            gamma = 0 if gamma is None else gamma
            dropped = self.statistic.dropped(table, bars, gamma)
        elif gamma is None:
            gamma = self.statistic.gamma(table, bars, int(integer(dropped, "dropped", at_least=0)))
        else:
            raise ParameterError("gamma and dropped follow from each other; accepted: one of them")
        beta = self.statistic.stretch * self.buckets.error
        source = "FD.Shifted.extreme" if self.statistic.loses == "beyond" else "FD.Shifted.accuracy"
        return FlexibleAccuracy(self.statistic.name, beta, gamma, dropped, metric=self.statistic.metric, source=source)

    def cost(self) -> Cost:
        """One word a bar."""
        return self.histogram.cost()


def bucket_hist(
    buckets: Buckets, epsilon: RationalLike, delta: RationalLike, word: int = 64, neighbours: str = "add-remove"
) -> BucketHist:
    """BucketHist with the least q that is (epsilon, delta)-differentially private. Raises: ParameterError."""
    return BucketHist(buckets, shifted_truncated(buckets.bars, epsilon, delta, word, neighbours))


def flexible_statistic(
    name: str,
    buckets: Buckets,
    epsilon: RationalLike,
    delta: RationalLike,
    word: int = 64,
    neighbours: str = "add-remove",
    *,
    k: int | None = None,
    p: RationalLike | None = None,
    unit: Unit | None = None,
) -> FlexibleStatistic:
    """A statistic by its name, with the least q that is (epsilon, delta)-differentially private.

    Parameters: as statistic_of and shifted_truncated; buckets, of a public universe. Raises: ParameterError.
    """
    statistic = statistic_of(name, k, p)
    bars = buckets.bars * (2 if statistic.labelled else 1)
    return FlexibleStatistic(statistic, buckets, shifted_truncated(bars, epsilon, delta, word, neighbours, unit))
