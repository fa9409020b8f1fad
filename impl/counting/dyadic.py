"""DyadicSample: counting queries on a dyadic table, from one word of B random bits and no other randomness.

Unlike GeoSample it loses no factor in epsilon, which may be any positive rational; unlike both GeoSample and FastSample its
draw has 64 or 128 bits, whatever n and epsilon are, and needs no oracle for other ranges. See docs/dyadic.md.
"""

from functools import cached_property

from attrs import field, frozen
from gmpy2 import mpq

from finitedp.claim import Accuracy, Cost, PrivacyClaim
from finitedp.curve import Curve
from finitedp.errors import ParameterError
from finitedp.exact import RationalLike, integer, probability
from finitedp.impl.accounting.pairs import curve_of_table
from finitedp.impl.arithmetic.kernels import clamped_cdf, last_above, least_reaching
from finitedp.impl.counting.dyadic_table import LARGEST_WORD, DyadicTable, dyadic_table, positive_epsilon
from finitedp.impl.counting.geometric import check_draw
from finitedp.impl.randomness.coins import Coins, checked_coins

__all__ = ["DyadicSample"]


def _largest_count(value: int) -> int:
    return int(integer(value, "n", at_least=1))


def _word(value: int) -> int:
    return int(integer(value, "word", 2, LARGEST_WORD))


@frozen(slots=False)
class DyadicSample:
    """Count + Z clamped to 0..n, where Z is +-j with probability w_j / 2^word, for the weights of a dyadic table.

    Source: FD.Dyadic.law, FD.Dyadic.private.
    Parameters: n >= 1, the largest count; epsilon > 0, any rational; word in 2..256, the bits of the one draw; given, a table
    of these parameters to stand on, by default the one whose w_0 is largest.
    Raises: ParameterError, where no table of that many bits exists with the number of bits that would do.
    """

    n: int = field(converter=_largest_count)
    epsilon: mpq = field(converter=positive_epsilon)
    word: int = field(converter=_word, default=64)
    given: DyadicTable | None = field(default=None, repr=False, kw_only=True)

    def __attrs_post_init__(self) -> None:
        if self.given is not None and (self.given.n, self.given.epsilon, self.given.bits) != (self.n, self.epsilon, self.word):
            raise ParameterError(
                f"the table is for n = {self.given.n}, epsilon = {self.given.epsilon}, {self.given.bits} bits"
            )
        _ = self.table  # refuses parameters without a table

    @cached_property
    def table(self) -> DyadicTable:
        """The weights, certified."""
        return dyadic_table(self.n, self.epsilon, self.word) if self.given is None else self.given

    @cached_property
    def d(self) -> int:
        """The range of the draw: 2^word."""
        return 1 << self.word

    def apply(self, count: int, u: int) -> int:
        """The noisy count: the least z in 0..n with cdf(count, z) >= u. Non-decreasing in u.

        Let m be u - 1 or 2^word - u, whichever is smaller: |Z| >= j exactly where m < S_j, for j >= 1. Down to j = h that is
        a bisection with a fixed number of steps; beyond, S_j = w_n + (n - j) w_h, so that a quotient gives j. Both are
        computed, and one is kept.

        Source: FD.Dyadic.law, FD.Dyadic.cost. Parameters: count in 0..n; u in 1..2^word. Raises: DataError, ParameterError.
        Cost: the same comparisons for every count and u; their number depends on the length of the table alone.
        """
        n, table = self.n, self.table
        check_draw(count, u, n, self.d)
        up = u > self.d >> 1
        m = (u - 1, self.d - u)[up]
        near = last_above(table.at, table.first, m)
        far = n - 1 - (m - table.last) // table.tail
        beyond = m < table.at(table.first)
        inner, outer = (count - near, count + near)[up], (count - far, count + far)[up]
        place = (outer < 0) + 2 * (outer > n)
        return (min(max(inner, 0), n), (outer, 0, n)[place])[beyond]

    def release(self, count: int, coins: Coins) -> int:
        """The noisy count for a fresh word. Source: FD.Dyadic.law. Raises: DataError. Cost: coins.bits(word), once."""
        return self.apply(count, 1 + checked_coins(coins).bits(self.word))

    def cdf(self, count: int, z: int) -> int:
        """2^word * Pr[M(count, U) <= z], for any integer z: an integer, exactly. Cost: a look-up, and a product at most."""
        return clamped_cdf(self.table.upper, self.d, self.n, count, z)

    def scaled_cdf(self, z: int) -> int:
        """`cdf` at count 0, for z in 0..n."""
        return self.cdf(0, z)

    def claim(self, coins: Coins | None = None) -> PrivacyClaim:  # words of bits are exact on all coins
        """(epsilon/2, 0) for neighbouring counts; the worst ratio is at most R. Source: FD.Dyadic.private.

        There is no slack, whatever the coins: `coins.bits` is exactly uniform on all of them.
        """
        ratio, told = self.table.ratio, (self, coins)
        return PrivacyClaim(mpq(self.epsilon, 2), "counts", ratio=ratio, source="FD.Dyadic.private", told=told)

    def curve_of(self, _claim: PrivacyClaim, _coins: Coins | None) -> Curve:
        """The curve of a count, on all coins. Source: FD.Pair.dyadic."""
        return curve_of_table(self.table)

    def miss(self, a: int) -> mpq:
        """The largest Pr[|M(c, U) - c| > a] over all counts c, exactly: one tail, or two where some count has room for both.

        Source: FD.Dyadic.accuracy. Parameters: a >= 0.
        """
        return mpq(self.missed(integer(a, "a", at_least=0)), self.d)

    def missed(self, a: int) -> int:
        """2^word times `miss`, an integer. Source: FD.Dyadic.miss.all. Parameters: a >= 0."""
        return self.table.upper(a + 1) * ((a < self.n) + (2 * a + 1 < self.n))

    def accuracy(self, beta: RationalLike) -> Accuracy:
        """The least a with Pr[|M(c, U) - c| > a] <= beta for every count c: exact, not a bound.

        Source: FD.Dyadic.accuracy. Parameters: beta in (0, 1].
        """
        b = probability(beta, "beta", zero=False)
        allowed = b.numerator * self.d // b.denominator
        least = least_reaching(lambda a: self.d - self.missed(a), self.n, self.d - allowed)
        return Accuracy(least, b, "counting", "FD.Dyadic.accuracy")

    def cost(self) -> Cost:
        """One draw of `word` bits; comparisons: the half, the bisection, the end of the head, and two at the clamps.

        Source: FD.Dyadic.cost.
        """
        return Cost(1, self.word, self.table.first.bit_length() + 4)
