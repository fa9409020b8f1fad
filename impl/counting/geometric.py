"""Counting queries (Section 4 of Balcer and Vadhan): GeoSample and FastSample.

Both are deterministic maps of a count and one uniform draw: inverse transform sampling on an integer distribution function,
with the same number of comparisons on every path.
"""

from collections.abc import Callable
from functools import cached_property, partial
from typing import Protocol

from attrs import field, frozen
from gmpy2 import mpq, mpz

from finitedp.claim import Accuracy, Cost, PrivacyClaim
from finitedp.errors import DataError, ParameterError
from finitedp.exact import RationalLike, ceil_power, integer, probability, unit_fraction
from finitedp.impl.arithmetic.kernels import (
    ceil_log2,
    clamped_cdf,
    least_reaching,
    tail_weight,
    truncated_tail_weight,
    uniform_steps,
)
from finitedp.impl.randomness.coins import Coins, checked_coins, strict_bits

__all__ = ["LARGEST_BITS", "CountingMechanism", "FastSample", "GeoSample", "check_draw", "checked_mechanism"]

LARGEST_BITS = 1 << 28  # 32 MiB for one integer
TABLE_BITS = 1 << 29  # tails that were computed are kept, up to 64 MiB; beyond that they are computed anew


class CountingMechanism(Protocol):
    """M : [n] x [d]_+ -> [n] of Definition 4.1: a count and a draw from 1..d to a noisy count."""

    @property
    def n(self) -> int:
        """The largest count."""
        ...

    @property
    def d(self) -> int:
        """The range of the one uniform draw."""
        ...

    def apply(self, count: int, u: int) -> int:
        """The noisy count for a count in 0..n and a draw in 1..d."""
        ...

    def release(self, count: int, coins: Coins) -> int:
        """The noisy count for a fresh draw."""
        ...

    def cdf(self, count: int, z: int) -> int:
        """d * Pr[M(count, U) <= z]."""
        ...

    def scaled_cdf(self, z: int) -> int:
        """F_M(z) = d * Pr[M(0, U) <= z]. Source: BV.Def4.3."""
        ...

    def claim(self, coins: Coins | None = None) -> PrivacyClaim:
        """The privacy claim for neighbouring counts, with the slack of the coins."""
        ...

    def accuracy(self, beta: RationalLike) -> Accuracy:
        """The accuracy that the paper's theorem gives at beta."""
        ...

    def cost(self) -> Cost:
        """Draws, strict random bits and comparisons of one release."""
        ...

    def __hash__(self) -> int:
        """A mechanism is a value: equal parameters, equal hash."""
        ...


def checked_mechanism(mechanism: CountingMechanism) -> CountingMechanism:
    """`mechanism` if it has what a counting-query mechanism needs. Raises: ParameterError."""
    _refuse_incomplete(mechanism)
    return mechanism


def _refuse_incomplete(mechanism: object) -> None:
    for name in ("n", "d", "apply", "release", "cdf", "scaled_cdf", "claim", "accuracy", "cost"):
        if not hasattr(mechanism, name):
            raise ParameterError(f"mechanism = {mechanism!r} has no {name}; accepted: a counting-query mechanism")


def _largest_count(value: int) -> int:
    return integer(value, "n", at_least=1)


def _epsilon(value: RationalLike) -> mpq:
    return mpq(1, unit_fraction(value, "epsilon"))


def _gamma(value: RationalLike) -> mpq:
    return mpq(1, unit_fraction(value, "gamma", least_denominator=2))


def _check_size(n: int, k: int, power: int) -> None:
    """Refuse parameters whose integers would not fit into memory."""
    bits = (k + 1) * (power + 1)
    if bits > LARGEST_BITS:
        raise ParameterError(
            f"n = {n} and epsilon near 1/2^{k - 1} need integers of about 2^{bits.bit_length() - 1} bits; accepted: at most "
            f"2^{LARGEST_BITS.bit_length() - 1} bits, that is a larger epsilon (or, for GeoSample, a smaller n)"
        )


def check_draw(count: int, u: int, n: int, d: int) -> None:
    """Whether a mechanism can be applied. Raises: DataError unless count is in 0..n, ParameterError unless u is in 1..d."""
    integer(count, "count", 0, n, DataError)
    if u < 1 or u > d:
        raise ParameterError(f"u = {u} is out of range; accepted: an integer from 1 to {d}")


def _remembered(tail: Callable[[int], int], bits: int) -> Callable[[int], int]:
    """`tail`, whose values are kept once computed, as long as that many values of that many bits fit."""
    known: dict[int, int] = {}
    room = TABLE_BITS // bits

    def look_up(m: int) -> int:
        value = known.get(m)
        if value is None:
            value = tail(m)
            if len(known) < room:
                known[m] = value
        return value

    return look_up


@frozen(slots=False)
class GeoSample:
    """The geometric mechanism at epsilon~, clamped to 0..n, from one uniform draw of about n log(1/epsilon) bits.

    Source: BV.Alg4.8, BV.Thm4.7. epsilon~ = 2 ln(1 + 2^-k) with k = ceil(log2(2/epsilon)).
    Parameters: n >= 1, the largest count; epsilon = 1/q for an integer q.
    Raises: ParameterError.
    """

    n: int = field(converter=_largest_count)
    epsilon: mpq = field(converter=_epsilon)

    def __attrs_post_init__(self) -> None:
        _check_size(self.n, self.k, self.n)

    @cached_property
    def k(self) -> int:
        """ceil(log2(2/epsilon)): noise decays by 1/(1 + 2^-k)."""
        return ceil_log2(int(2 * self.epsilon.denominator))

    @cached_property
    def d(self) -> int:
        """The range of the draw: (2^(k+1) + 1)(2^k + 1)^(n-1)."""
        x = mpz(2) ** self.k
        return (2 * x + 1) * (x + 1) ** (self.n - 1)  # type: ignore[no-any-return]  # mpz ** int is typed as Any

    @cached_property
    def _tail(self) -> Callable[[int], int]:
        return _remembered(self._weight, self.d.bit_length())

    def _weight(self, m: int) -> int:
        return tail_weight(mpz(2) ** self.k, self.n, m)

    def cdf(self, count: int, z: int) -> int:
        """F(z) = d * Pr[GeoSample(count, U) <= z], for any integer z. Source: BV.Lem4.9."""
        return clamped_cdf(self._tail, self.d, self.n, count, z)

    def scaled_cdf(self, z: int) -> int:
        """F at count 0, for z in 0..n. Source: BV.Thm4.7.iii."""
        return self.cdf(0, z)

    def apply(self, count: int, u: int) -> int:
        """The least z in 0..n with F(z) >= u. Non-decreasing in u.

        Source: BV.Alg4.8. Parameters: count in 0..n; u in 1..d. Raises: DataError, ParameterError.
        Cost: n.bit_length() comparisons of integers of log2 d bits.
        """
        check_draw(count, u, self.n, self.d)
        return least_reaching(partial(self.cdf, count), self.n, u)

    def release(self, count: int, coins: Coins) -> int:
        """count + two-sided geometric noise with decay 1/(1 + 2^-k), clamped to 0..n. Source: BV.Thm4.7.i."""
        return self.apply(count, checked_coins(coins).uniform(self.d))

    def claim(self, coins: Coins | None = None) -> PrivacyClaim:
        """(epsilon/2, 0) for neighbouring counts; the worst ratio is at most (1 + 2^-k) * slack. Source: BV.Thm4.7.i."""
        return _counting_claim(self.epsilon, self.k, coins, "BV.Thm4.7.i")

    def accuracy(self, beta: RationalLike) -> Accuracy:
        """a = ceil(2/epsilon~ * ln(1/beta)), exactly. Source: BV.Thm4.7.i. Parameters: beta in (0, 1]."""
        b = probability(beta, "beta", zero=False)
        return Accuracy(ceil_power(1 + mpq(1, 2**self.k), mpq(1, b)), b, "counting", "BV.Thm4.7.i")

    def cost(self) -> Cost:
        """One draw; the same bits and comparisons for every count and draw."""
        return Cost(1, strict_bits(self.d), uniform_steps(self.n))


@frozen(slots=False)
class FastSample:
    """Truncated geometric noise mixed with a uniform count, from one draw of about (1/epsilon) log(n/gamma) bits.

    Source: BV.Alg4.11, BV.Thm4.10, with the erratum gamma <= 1/2.
    Parameters: n >= 1, the largest count; epsilon = 1/q; gamma = 1/g with g >= 2, the share of the uniform count.
    Raises: ParameterError.
    """

    n: int = field(converter=_largest_count)
    epsilon: mpq = field(converter=_epsilon)
    gamma: mpq = field(converter=_gamma)

    def __attrs_post_init__(self) -> None:
        _check_size(self.n, self.k, self.t)

    @cached_property
    def k(self) -> int:
        """ceil(log2(2/epsilon)): noise decays by 1/(1 + 2^-k)."""
        return ceil_log2(int(2 * self.epsilon.denominator))

    @cached_property
    def t(self) -> int:
        """The truncation radius: noise beyond +-t is moved to 0. Source: BV.Alg4.11 (1), in integers."""
        q, g = int(self.epsilon.denominator), int(self.gamma.denominator)
        return -(-9 * q * ceil_log2(8 * (self.n + 1) * (g - 1) * q) // 2) - 1

    @cached_property
    def _geometric_range(self) -> int:
        """d' = (2^(k+1) + 1)(2^k + 1)^t."""
        x = mpz(2) ** self.k
        return (2 * x + 1) * (x + 1) ** self.t  # type: ignore[no-any-return]  # mpz ** int is typed as Any

    @cached_property
    def _geometric_share(self) -> int:
        """(1/gamma - 1)(n + 1): the weight of F' in F."""
        return (self.gamma.denominator - 1) * (self.n + 1)

    @cached_property
    def d(self) -> int:
        """The range of the draw: (n + 1) d' / gamma."""
        return (self.n + 1) * self._geometric_range * self.gamma.denominator

    @cached_property
    def _tail(self) -> Callable[[int], int]:
        return _remembered(self._weight, self.d.bit_length())

    def _weight(self, m: int) -> int:
        if m <= self.t:
            return self._geometric_share * truncated_tail_weight(mpz(2) ** self.k, self.t, m)
        return mpz(0)

    def cdf(self, count: int, z: int) -> int:
        """F(z) = d * Pr[FastSample(count, U) <= z], for z in -1..n. Source: BV.Lem4.12.ii."""
        total = self._geometric_share * self._geometric_range
        return (z + 1) * self._geometric_range + clamped_cdf(self._tail, total, self.n, count, z)

    def scaled_cdf(self, z: int) -> int:
        """F at count 0, for z in 0..n. Source: BV.Thm4.10.iv."""
        return self.cdf(0, z)

    def apply(self, count: int, u: int) -> int:
        """The least z in 0..n with F(z) >= u. Non-decreasing in u.

        Source: BV.Alg4.11. Parameters: count in 0..n; u in 1..d. Raises: DataError, ParameterError.
        Cost: n.bit_length() comparisons of integers of log2 d bits.
        """
        check_draw(count, u, self.n, self.d)
        return least_reaching(partial(self.cdf, count), self.n, u)

    def release(self, count: int, coins: Coins) -> int:
        """The law of Lemma 4.12 ii: truncated, clamped geometric noise, mixed with a uniform count. Source: BV.Alg4.11."""
        return self.apply(count, checked_coins(coins).uniform(self.d))

    def claim(self, coins: Coins | None = None) -> PrivacyClaim:
        """(epsilon/2, 0) for neighbouring counts; the worst ratio is at most (1 + 2^-k) * slack. Source: BV.Thm4.10.i."""
        return _counting_claim(self.epsilon, self.k, coins, "BV.Thm4.10.i")

    def accuracy(self, beta: RationalLike) -> Accuracy:
        """a = ceil(2/epsilon~ * ln(1/(beta - gamma))), exactly. Source: BV.Thm4.10.ii. Parameters: beta in (gamma, 1]."""
        b = probability(beta, "beta", zero=False)
        if b <= self.gamma:
            raise ParameterError(f"beta = {b} is out of range; accepted: a rational above gamma = {self.gamma}, at most 1")
        return Accuracy(ceil_power(1 + mpq(1, 2**self.k), mpq(1, b - self.gamma)), b, "counting", "BV.Thm4.10.ii")

    def cost(self) -> Cost:
        """One draw; the same bits and comparisons for every count and draw."""
        return Cost(1, strict_bits(self.d), uniform_steps(self.n))


def _counting_claim(epsilon: mpq, k: int, coins: Coins | None, source: str) -> PrivacyClaim:
    slack = mpq(1) if coins is None else coins.slack
    return PrivacyClaim(mpq(epsilon, 2), "counts", ratio=(1 + mpq(1, 2**k)) * slack, source=source)
