"""OrdSample (Algorithm 6.7 of Balcer and Vadhan): the largest of many independent draws, without making them all.

This is the exact algorithm. Its draws have about m log d bits, so it serves for moderate m; the paper's approximate version,
for universes of any size, stands on it.
"""

from collections.abc import Callable
from math import comb

from attrs import field, frozen
from gmpy2 import mpz

from finitedp.errors import ParameterError
from finitedp.exact import integer
from finitedp.impl.coins import Coins
from finitedp.impl.counting import LARGEST_BITS
from finitedp.impl.kernels import least_reaching

__all__ = ["OrdSample", "binomial_cdf"]


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
        bits = m * self.scaled_cdf(self.n).bit_length()
        if bits > LARGEST_BITS:
            raise ParameterError(f"m = {m} needs integers of about {bits} bits; accepted: at most {LARGEST_BITS} bits")
        found: list[int] = []
        for v in range(self.n, 0, -1):
            total, below = self.scaled_cdf(v), self.scaled_cdf(v - 1)
            trials, room = m - len(found), self.n + 1 - len(found)
            times = self._number(trials, total - below, total, room, coins)
            found += [v] * times
        return tuple(found + [0] * (self.n + 1 - len(found)))

    def _number(self, trials: int, success: int, total: int, room: int, coins: Coins) -> int:
        """min(Bin(trials, success / total), room): how many of the remaining draws have the value at hand."""
        whole = mpz(total) ** trials

        def cdf(k: int) -> int:
            return whole if k >= room else binomial_cdf(trials, success, total, k)

        return least_reaching(cdf, self.n + 1, coins.uniform(whole))
