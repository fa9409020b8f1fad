"""The largest of many independent draws, without making them all (Algorithms 6.7 and 6.20 of Balcer and Vadhan).

OrdSample is exact. Its draws have about m log d bits, so it serves for moderate m. ApproxOrdSample is within a stated
distance of it, for m up to |X|.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from math import comb
from typing import Protocol

from attrs import field, frozen
from gmpy2 import mpq, mpz

from finitedp.claim import Cost
from finitedp.errors import ParameterError
from finitedp.exact import integer
from finitedp.impl.arithmetic.kernels import least_reaching, uniform_steps
from finitedp.impl.counting.geometric import LARGEST_BITS
from finitedp.impl.histograms.binomial import ApproxBinSample, checked_guard
from finitedp.impl.randomness.coins import Coins, checked_coins, strict_bits

__all__ = ["ApproxOrdSample", "OrdSample", "TopSampler", "binomial_cdf"]


class TopSampler(Protocol):
    """Draws the n + 1 largest of m independent draws from one law on 0..n, largest first, or nearly so."""

    @property
    def n(self) -> int:
        """The largest value."""
        ...

    def release(self, m: int, coins: Coins) -> tuple[int, ...]:
        """The n + 1 largest of m draws."""
        ...

    def cost(self, most: int) -> Cost:
        """Draws, bits and comparisons for any m <= most."""
        ...


def _at_least_one(value: int) -> int:
    return integer(value, "n", at_least=1)


def binomial_cdf(trials: int, success: int, total: int, k: int) -> int:
    """total^trials * Pr[Bin(trials, success / total) <= k], an integer.

    Parameters: trials >= 0; 0 <= success <= total; k >= 0. Cost: k + 1 terms.
    """
    failure = mpz(total - success)
    terms = (comb(trials, j) * mpz(success) ** j * failure ** (trials - j) for j in range(min(k, trials) + 1))
    return sum(terms, mpz(0))  # type: ignore[no-any-return]  # int ** int is typed as Any


@frozen
class OrdSample:
    """The n + 1 largest of m independent draws on 0..n with distribution function F / F(n), largest first.

    Source: BV.Alg6.7, BV.Prop6.6.
    Parameters: n >= 1; scaled_cdf, the non-decreasing F on 0..n with integer values and F(0) >= 1 (such as a counting
    mechanism's scaled_cdf); Raises: ParameterError.
    """

    n: int = field(converter=_at_least_one)
    scaled_cdf: Callable[[int], int] = field()

    def release(self, m: int, coins: Coins) -> tuple[int, ...]:
        """(Z_(m), ..., Z_(m-n)) for m >= n + 1 independent draws Z_i. Raises: ParameterError.

        Cost: n draws; the value v takes one from 1..F(v)^(m - number of values above v), found by bisection over 0..n + 1.
        """
        if integer(m, "m", at_least=1) < self.n + 1:
            raise ParameterError(f"m = {m} is below n + 1 = {self.n + 1}; accepted: at least as many draws as are asked for")
        self.check_size(m)
        found: list[int] = []
        for v in range(self.n, 0, -1):
            total, below = self.scaled_cdf(v), self.scaled_cdf(v - 1)
            trials, room = m - len(found), self.n + 1 - len(found)
            times = self._number(trials, total - below, total, room, coins)
            found += [v] * times
        return tuple(found + [0] * (self.n + 1 - len(found)))

    def check_size(self, most: int) -> None:
        """Refuse a number of draws whose integers would not fit into memory. Raises: ParameterError."""
        bits = most * int(self.scaled_cdf(self.n)).bit_length()
        if bits > LARGEST_BITS:
            raise ParameterError(f"m = {most} needs integers of about {bits} bits; accepted: at most {LARGEST_BITS} bits")

    def cost(self, most: int) -> Cost:
        """n draws of at most `most` log F(n) bits: upper bounds, since the integers depend on what was found before."""
        bits = most * int(self.scaled_cdf(self.n)).bit_length() + strict_bits(1)
        return Cost(self.n, self.n * bits, self.n * uniform_steps(self.n + 1), exact=False)

    def _number(self, trials: int, success: int, total: int, room: int, coins: Coins) -> int:
        """min(Bin(trials, success / total), room): how many of the remaining draws have the value at hand."""
        whole = mpz(total) ** trials

        def cdf(k: int) -> int:
            return whole if k >= room else binomial_cdf(trials, success, total, k)

        return least_reaching(cdf, self.n + 1, checked_coins(coins).uniform(whole))


@frozen
class ApproxOrdSample:
    """The n + 1 largest of m draws within statistical distance m(n^2 + 2n)/s, for m of any size.

    Source: BV.Alg6.20, BV.Prop6.19.
    The rounds that ApproxBinSample makes tell its results; after all values are drawn, those rounds are made that other
    results would have needed, so that each length is used `rounds` times in every release.
    Parameters: n >= 1; scaled_cdf, the non-decreasing F on 0..n with integer values and F(0) >= 1; s >= most; most, the
    largest m; guard, as in ApproxBinSample. Raises: ParameterError.
    """

    n: int = field(converter=_at_least_one)
    scaled_cdf: Callable[[int], int] = field()
    s: int = field()
    most: int = field()
    guard: int | None = field(converter=checked_guard, default=None)

    def __attrs_post_init__(self) -> None:
        integer(self.s, "s", at_least=integer(self.most, "most", at_least=self.n + 1))

    def release(self, m: int, coins: Coins) -> tuple[int, ...]:
        """About (Z_(m), ..., Z_(m-n)) for n + 1 <= m <= most independent draws Z_i. Raises: ParameterError.

        Cost: the same n draws from 1..s, and the same rounds of each length, for every m and result.
        """
        integer(m, "m", self.n + 1, self.most)
        sampler, depth = ApproxBinSample(self.s, self.guard), self.most.bit_length()
        made, found = Counter[int](), list[int]()

        def told(length: int) -> None:
            made[length] += 1

        above = self.scaled_cdf(self.n)
        for v in range(self.n, 0, -1):
            total, above = above, self.scaled_cdf(v - 1)
            trials, room = m - len(found), self.n + 1 - len(found)
            found += [v] * sampler.release(trials, total - above, total, room, coins, depth, told)
        for length, times in self.rounds():
            while made[length] < times:
                told(length)
                # about one success is expected, so that F_0 is far above the least draw and the guard decides
                sampler.round(1, self.most, self.s // self.most, length, depth)
        return tuple(found + [0] * (self.n + 1 - len(found)))

    def rounds(self) -> Iterator[tuple[int, int]]:
        """How many rounds of each length a release makes: the most that any results can need.

        A result needs a round of length 2^j > 1 only if it is at least 2^(j-1), and at most n + 1 is to be found by it.
        """
        yield 1, self.n
        half = 1
        while half <= self.n:
            yield 2 * half, min(self.n, (self.n + 1) // half)
            half *= 2

    def cost(self, most: int | None = None) -> Cost:
        """n draws and the rounds' comparisons, exactly; `otherwise` bounds how likely a round is made again at s."""
        sampler, known = ApproxBinSample(self.s, self.guard), self.most if most is None else most
        steps = sum(times * sampler.steps(length) for length, times in self.rounds())
        again = sum((times * sampler.undecided(known, length) for length, times in self.rounds()), mpq(0))
        return Cost(self.n, self.n * strict_bits(self.s), steps, otherwise=min(again, mpq(1)))
