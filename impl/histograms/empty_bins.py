"""The empty-bin sampler (Algorithm 8.5 of Balcer and Vadhan): noisy counts of 0 from a draw of another range.

The range 1..d_0 is cut into d runs of q or q + 1 values, in order, so that a draw from it can stand for a draw from 1..d.
"""

from functools import cached_property

from attrs import field, frozen
from gmpy2 import mpq

from finitedp.errors import ParameterError
from finitedp.exact import integer
from finitedp.impl.counting.geometric import CountingMechanism, checked_mechanism
from finitedp.impl.randomness.coins import Coins, checked_coins

__all__ = ["EmptyBinSampler"]

LARGEST_QUOTIENT = 1 << 128  # beyond it, 1 + 1/q is stated as 1 + 2^-128: a bound that can be written down


@frozen(slots=False)
class EmptyBinSampler:
    """M_0(u_0) = M(0, f(u_0)) for u_0 in 1..d_0, non-decreasing, with nearly the law of M(0, U).

    Source: BV.Alg8.5, BV.Lem8.4.
    Parameters: mechanism, a counting-query mechanism that is non-decreasing in its draw; d_0 >= 4/3 d, or a multiple of d, for
    which M_0(U_0) has the law of M(0, U) itself (FD.Dyadic.compact.empty). Raises: ParameterError.
    """

    mechanism: CountingMechanism = field(converter=checked_mechanism)
    d_0: int

    def __attrs_post_init__(self) -> None:
        d = self.mechanism.d
        if 3 * integer(self.d_0, "d_0", at_least=1) < 4 * d and self.d_0 % d:
            bits = int(d).bit_length()
            raise ParameterError(f"d_0 is below 4/3 d for a mechanism whose d has {bits} bits; accepted: a larger field")

    @cached_property
    def q(self) -> int:
        """The quotient of d_0 by d."""
        return self.d_0 // self.mechanism.d

    @cached_property
    def r(self) -> int:
        """The remainder of d_0 by d."""
        return self.d_0 % self.mechanism.d

    def stretched(self, u_0: int) -> int:
        """f(u_0) in 1..d: the first r values of it for q + 1 arguments each, the others for q. Cost: one comparison."""
        # where r = 0 the first case never occurs, as printed
        if u_0 <= self.r * (self.q + 1):
            return -(-u_0 // (self.q + 1))
        return -(-(u_0 - self.r) // self.q)

    def apply(self, u_0: int) -> int:
        """M(0, f(u_0)), for u_0 in 1..d_0. Raises: ParameterError. Cost: one comparison and the mechanism's."""
        if u_0 < 1 or u_0 > self.d_0:
            raise ParameterError("u_0 is out of range; accepted: an integer from 1 to d_0")
        return self.mechanism.apply(0, self.stretched(u_0))

    def cdf(self, v: int) -> int:
        """d_0 * Pr[M_0(U_0) <= v], for v in -1..n: the largest u_0 with f(u_0) <= F(v). Source: BV.Lem8.4.v."""
        n = self.mechanism.n
        inner = self.mechanism.scaled_cdf(min(max(integer(v, "v", -1, n), 0), n - 1))
        u = (0, inner, self.mechanism.d)[(v >= 0) + (v >= n)]  # at both ends too F is asked for, so that the work is the same
        return self.q * u + min(u, self.r)

    def interval(self, v: int) -> tuple[int, int]:
        """The first and the last u_0 with M_0(u_0) = v; the first is above the last where there is none.

        Source: BV.Lem8.4.v. Parameters: v in 0..n. Raises: ParameterError.
        """
        return self.cdf(integer(v, "v", 0, self.mechanism.n) - 1) + 1, self.cdf(v)

    def sample(self, v: int, coins: Coins) -> int:
        """Uniform on the u_0 with M_0(u_0) = v. Source: BV.Lem8.4.v. Raises: ParameterError where there is none."""
        first, last = self.interval(v)
        if first > last:
            raise ParameterError(f"v = {v} is never the noisy count of 0; accepted: a count of probability above 0")
        return first - 1 + checked_coins(coins).uniform(last - first + 1, most=self.d_0)

    def ratios(self) -> tuple[mpq, mpq]:
        """The largest and the smallest value that Pr[M_0(U_0) = v] / Pr[M(0, U) = v] can have for d_0 and d.

        (q+1) d/d_0 and q d/d_0; both 1 where d divides d_0. The paper bounds them by e^(d/d_0) and e^(-2d/d_0).
        Source: BV.Lem8.4.ii.
        """
        d = self.mechanism.d
        return mpq((self.q + (self.r > 0)) * d, self.d_0), mpq(self.q * d, self.d_0)

    def growth(self) -> mpq:
        """What an exchange of M(0, U) for M_0(U_0) on one side and back on the other adds to a ratio: (q+1)/q, or 1.

        Beyond q = 2^128 it is bounded by 1 + 2^-128. Source: BV.Thm8.3.i.
        """
        return 1 + mpq(1, min(self.q, LARGEST_QUOTIENT)) if self.r else mpq(1)
