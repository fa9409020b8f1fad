"""PureSparseHistogram (Algorithm 6.9 of Balcer and Vadhan): SparseHistogram mixed with a random histogram, for delta = 0."""

from collections import Counter
from collections.abc import Iterable, Mapping
from math import factorial
from typing import Generic, TypeVar

from attrs import field, frozen
from gmpy2 import mpq

from finitedp.claim import Accuracy, Cost, HistogramAccuracy, PrivacyClaim
from finitedp.errors import ParameterError
from finitedp.exact import RationalLike, ceil_log, integer, probability, unit_fraction
from finitedp.impl.counting.geometric import CountingMechanism, FastSample, GeoSample, checked_mechanism
from finitedp.impl.histograms.mixing import Mixed
from finitedp.impl.histograms.sampled_sparse import SparseHistogram, check_bits
from finitedp.impl.histograms.universe import Universe, as_universe, indexed
from finitedp.impl.randomness.coins import Coins, checked_coins, slack_of, strict_bits

__all__ = [
    "PureSparseHistogram",
    "pure_sparse_accuracy",
    "pure_sparse_histogram_with_fast_sample",
    "pure_sparse_histogram_with_geo_sample",
    "random_histogram",
]

T = TypeVar("T")
Bins = tuple[tuple[T, int], ...]


def random_histogram(universe: Universe[T], n: int, coins: Coins) -> Bins[T]:
    """n labels with replacement, a uniform count in 0..n for each distinct one; those with counts above 0, in order.

    Source: step (2) of BV.Alg6.9. Every histogram of at most n labels has a probability of at least n!/((n+1)|X|)^n.
    Cost: 2n draws.
    """
    checked = checked_coins(coins)
    drawn = [checked.uniform(universe.size) for _ in range(n)]
    counts = [checked.uniform(n + 1) - 1 for _ in range(n)]
    first: dict[int, int] = {}
    for label, count in zip(drawn, counts, strict=True):
        first.setdefault(label - 1, count)
    return tuple((universe.label(int(i)), count) for i, count in sorted(first.items()) if count > 0)


def _epsilon(value: RationalLike) -> mpq:
    return mpq(1, unit_fraction(value, "epsilon"))


def _beta_1(value: RationalLike) -> mpq:
    return mpq(1, unit_fraction(value, "beta_1", least_denominator=2))


@frozen
class PureSparseHistogram(Generic[T]):
    """At most n labels with noisy counts, sorted, with pure differential privacy, in time poly-logarithmic in |X|.

    Source: BV.Alg6.9, BV.Thm6.10. With probability 1 - beta_1 it is SparseHistogram at delta = (epsilon/3) beta_1 (3|X|)^-n.
    Parameters: mechanism, (epsilon/2, 0)-differentially private for counts in 0..n; universe, all of X: a universe, a range
    or another sequence of distinct labels, with |X| >= 2n + 1; epsilon = 1/q; beta_1 = 1/b below 1; guarded, as in
    SparseHistogram. Raises: ParameterError.
    """

    mechanism: CountingMechanism = field(converter=checked_mechanism)
    universe: Universe[T] = field(converter=as_universe)
    epsilon: mpq = field(converter=_epsilon)
    beta_1: mpq = field(converter=_beta_1)
    guarded: bool = True

    def __attrs_post_init__(self) -> None:
        one = self.mechanism.claim()
        if 2 * one.epsilon > self.epsilon or one.delta:
            accepted = f"at most (epsilon/2, 0) = ({mpq(self.epsilon, 2)}, 0)"
            raise ParameterError(f"the mechanism claims ({one.epsilon}, {one.delta}); accepted: {accepted}")
        check_bits(self.mechanism.n * (3 * self.universe.size).bit_length())
        _ = self.sparse  # refuses a universe that is too small

    @property
    def sparse(self) -> SparseHistogram[T]:
        """The histogram that is released with probability 1 - beta_1."""
        share = mpq(self.epsilon * self.beta_1, 3 * (3 * self.universe.size) ** self.mechanism.n)
        return SparseHistogram(self.mechanism, self.universe, share, self.guarded)

    def release(self, data: Iterable[T], coins: Coins) -> Bins[T]:
        """The pairs (x, noisy count) that are kept, at most n, in the order of the universe. Source: BV.Alg6.9.

        Raises: DataError for a row outside of the universe or more than n rows.
        """
        return self.release_counts(Counter(data), coins)

    def release_counts(self, counts: Mapping[T, int], coins: Coins) -> Bins[T]:
        """`release` for true counts that are known already; a label that is not listed has count 0."""
        n, universe = self.mechanism.n, self.universe
        indexed(counts, universe, n)  # refuses bad data whichever output will be kept
        mixed = Mixed(self.sparse.release_counts, lambda c: random_histogram(universe, n, c), self.beta_1)
        return mixed.release(counts, coins)

    def claim(self, coins: Coins | None = None) -> PrivacyClaim:
        """(epsilon, 0); the worst ratio is at most KeepHeavy's, where (3.1) holds for that. Source: BV.Thm6.10.i, BV.Lem3.2.

        On coins that are not exact the ratio grows by at most slack^draws. Raises: ParameterError where the mechanism has no
        rational ratio and the coins are not exact.
        """
        one, slack = self.mechanism.claim(), slack_of(coins, self.cost().draws)
        ratio = None if one.ratio is None else self._ratio(one.ratio**2)
        if ratio is None and slack != 1:
            raise ParameterError("without a rational ratio the claim is for exactly uniform draws only; use ExactCoins")
        stated = None if ratio is None else ratio * slack
        return PrivacyClaim(self.epsilon, "replace-one", ratio=stated, source="BV.Thm6.10.i")

    def _ratio(self, keep_heavy: mpq) -> mpq:
        """The least ratio, at least KeepHeavy's, for which SparseHistogram's distance is small enough for inequality (3.1)."""
        n = self.mechanism.n
        least = mpq(factorial(n), ((n + 1) * self.universe.size) ** n)
        share = mpq(self.beta_1, 1 - self.beta_1) * least
        needed = mpq(self.sparse.distance, share)  # (3.1): at most (ratio - 1)/(ratio + 1); it is 2 epsilon/9 or less
        return max(keep_heavy, mpq(1 + needed, 1 - needed))

    def accuracy(self, beta: RationalLike) -> HistogramAccuracy:
        """(a_1, 2 beta_1 + 2 beta) per query on counts above 2 a_2, that count, and (2 a_2, 2 beta_1 + beta) simultaneously.

        Source: BV.Thm6.10.ii and iii, where a_1 and a_2 are the mechanism's accuracies at beta and at beta/|X|.
        Parameters: beta in (0, 1]. Raises: ParameterError where 2 beta_1 + 2 beta is above 1.
        """
        b = probability(beta, "beta", zero=False)
        single, every = self.mechanism.accuracy(b), self.mechanism.accuracy(mpq(b, self.universe.size))
        return HistogramAccuracy(
            Accuracy(single.a, 2 * self.beta_1 + 2 * b, "per-query", "BV.Thm6.10.ii"),
            2 * every.a,
            Accuracy(2 * every.a, 2 * self.beta_1 + b, "simultaneous", "BV.Thm6.10.iii"),
        )

    def cost(self) -> Cost:
        """SparseHistogram's, the choice, and 2n draws; the same for every dataset and result. Source: BV.Thm6.10.iv."""
        n = self.mechanism.n
        bits = n * (strict_bits(self.universe.size) + strict_bits(n + 1)) + strict_bits(int(self.beta_1.denominator))
        return self.sparse.cost() + Cost(2 * n + 1, bits, 1)


def pure_sparse_histogram_with_geo_sample(
    universe: Universe[T], n: int, epsilon: RationalLike, beta_0: RationalLike, *, guarded: bool = True
) -> PureSparseHistogram[T]:
    """The instance of Theorem 6.11: GeoSample, beta_1 = beta_0/4.

    Source: BV.Thm6.11. Parameters: universe with |X| >= 2n + 1; n >= 1 rows; epsilon = 1/q; beta_0 = 1/b. Raises:
    ParameterError.
    """
    beta_1 = mpq(1, 4 * unit_fraction(beta_0, "beta_0"))
    return PureSparseHistogram(GeoSample(n, epsilon), universe, epsilon, beta_1, guarded)


def pure_sparse_histogram_with_fast_sample(
    universe: Universe[T], n: int, epsilon: RationalLike, beta_0: RationalLike, *, guarded: bool = True
) -> PureSparseHistogram[T]:
    """The instance of Figure 5 with FastSample at gamma = beta_0/(8|X|), beta_1 = beta_0/4. Source: BV.Fig5."""
    known, b = as_universe(universe), unit_fraction(beta_0, "beta_0")
    return PureSparseHistogram(FastSample(n, epsilon, mpq(1, 8 * known.size * b)), known, epsilon, mpq(1, 4 * b), guarded)


def pure_sparse_accuracy(
    universe_size: int, epsilon: RationalLike, beta: RationalLike, *, fast: bool = False
) -> HistogramAccuracy:
    """The per-query accuracy, the count above which it holds, and the simultaneous accuracy, for beta >= beta_0.

    Source: BV.Thm6.11.ii and iii with GeoSample; BV.Fig5 with FastSample, where every logarithm's argument is twice as large.
    """
    b, scale = probability(beta, "beta", zero=False), mpq(9 * unit_fraction(epsilon, "epsilon"), 2)
    size, twice = integer(universe_size, "universe_size", at_least=1), 2 if fast else 1
    sources = ("BV.Fig5", "BV.Fig5") if fast else ("BV.Thm6.11.ii", "BV.Thm6.11.iii")
    return HistogramAccuracy(
        Accuracy(ceil_log(scale, mpq(4 * twice, b)), b, "per-query", sources[0]),
        2 * ceil_log(scale, mpq(4 * twice * size, b)),
        Accuracy(2 * ceil_log(scale, mpq(2 * twice * size, b)), b, "simultaneous", sources[1]),
    )
