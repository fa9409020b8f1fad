"""ApproxBinSample (Algorithm 6.18 of Balcer and Vadhan): a binomial draw, cut off at t, for numbers of trials up to |X|."""

from collections.abc import Callable

from attrs import field, frozen
from gmpy2 import mpq

from finitedp.errors import ParameterError
from finitedp.exact import integer, short
from finitedp.impl.arithmetic.convolution import approx_binomial_cdf
from finitedp.impl.arithmetic.kernels import least_reaching, uniform_steps
from finitedp.impl.randomness.coins import Coins, checked_coins

__all__ = ["ApproxBinSample", "Round", "checked_guard", "guard_error"]

Round = Callable[[int], None]
"""A function that is told the length of each round of the search."""


def _positive(value: int) -> int:
    return integer(value, "s", at_least=1)


def checked_guard(value: int | None) -> int | None:
    """A number of bits of at least 1, or None for no guard. Raises: ParameterError."""
    return None if value is None else integer(value, "guard", at_least=1)


@frozen
class ApproxBinSample:
    """About min(Bin(m, p/q), t): inverse transform sampling on the distribution function that ApproxConvExp gives.

    Source: BV.Alg6.18, BV.Prop6.17; the loop (4d) starts at floor(t'/2), since as printed 0 is never returned.
    The search looks at the first 1, 2, 4, ... values of the distribution function, so that its rounds tell the result: who
    must hide it makes the rounds that were not needed as well (see ApproxOrdSample).
    Parameters: s >= 1, the denominator of all probabilities; guard, a number of bits: a round first runs at the denominator
    2^guard, which decides it unless the draw is closer to a boundary than the error bound of Proposition 6.15 iii, and only
    then at s. The law is the same; the work is far less where s has thousands of bits. Raises: ParameterError.
    """

    s: int = field(converter=_positive)
    guard: int | None = field(converter=checked_guard, default=None)

    def release(
        self, m: int, p: int, q: int, t: int, coins: Coins, depth: int | None = None, told: Round = lambda _length: None
    ) -> int:
        """A draw in 0..t, within statistical distance (m(t+1) - t)/s of min(Bin(m, p/q), t). Source: BV.Prop6.17.

        Parameters: m trials, from 1 (from 0 where t = 0) to s; 0 <= p <= q; t >= 0; depth, a public bound on m.bit_length();
        told, called with the length of each round. Raises: ParameterError.
        Cost: one draw from 1..s also where t = 0; rounds of length 1, 2, 4, ..., the last one below 2(result + 1).
        """
        if not 0 <= integer(p, "p") <= integer(q, "q") or q < 1:
            raise ParameterError(f"p = {short(p)}, q = {short(q)}; accepted: integers 0 <= p <= q, q >= 1")
        integer(m, "m", 1 if integer(t, "t", at_least=0) else 0, self.s)
        u = checked_coins(coins).uniform(self.s)
        success, length = self.s * p // q, 1
        while length < 2 * t:
            told(length)
            found = self.round(u, m, success, length, depth)
            if found < length:
                return min(found, t)
            length *= 2
        return t

    def round(self, u: int, m: int, success: int, length: int, depth: int | None = None) -> int:
        """The least k in length//2..length-1 with F_k >= u, or `length` if there is none.

        Source: one round of the loop of BV.Alg6.18 (4).
        """
        if self.guard is not None and self.s >> self.guard:
            least, most = self._guarded(u, m, success, length, depth)
            if least == most:
                return least
        cdf = approx_binomial_cdf(m, success, self.s, length, depth)
        return _search(cdf, self.s, u, length)

    def _guarded(self, u: int, m: int, success: int, length: int, depth: int | None) -> tuple[int, int]:
        """Bounds on the result of a round from the distribution function at the denominator 2^guard.

        That and the one at s are both within length * (m-1) / denominator of a binomial law (BV.Prop6.15.iii), and the two
        binomial laws, whose success probabilities differ by less than 2^-guard, within 2m / 2^guard of each other.
        """
        assert self.guard is not None  # noqa: S101  # narrows the type
        scale = 1 << self.guard
        cdf = approx_binomial_cdf(m, (success << self.guard) // self.s, scale, length, depth)
        error = guard_error(m, length)
        at_most, at_least = (u << self.guard) // self.s, -((-u << self.guard) // self.s)
        surely = _search([x - error for x in cdf], scale, at_least, length)
        possibly = _search([x + error for x in cdf], scale, at_most, length)
        return possibly, surely

    def steps(self, length: int) -> int:
        """The comparisons of a draw that a round makes, apart from one at s that the guard could not avoid."""
        one = uniform_steps(length - length // 2)
        return one if self.guard is None or not self.s >> self.guard else 2 * one

    def undecided(self, m: int, length: int) -> mpq:
        """A bound on the probability that the guard does not decide a round."""
        if self.guard is None or not self.s >> self.guard:
            return mpq(0)
        return (length - length // 2) * mpq(2 * guard_error(m, length) + 3, 1 << self.guard)


def guard_error(m: int, length: int) -> int:
    """A bound on 2^guard times the difference of the distribution functions at 2^guard and at s. Source: BV.Prop6.15.iii."""
    return 2 * length * (m - 1) + 2 * m


def _search(cdf: list[int], top: int, u: int, length: int) -> int:
    """The least k in length//2..length-1 with cdf[k] >= u, or length: the same comparisons whatever the answer.

    Parameters: top >= u.
    """
    first = length // 2
    return first + least_reaching(lambda k: cdf[first + k] if first + k < length else top, length - first, u)
