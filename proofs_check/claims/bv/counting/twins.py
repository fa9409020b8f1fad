"""Broken copies of GeoSample and FastSample, which the checks must reject by name. None of them is ever exported.

They inherit from the mechanism that they break, so that each shows its one mutation and nothing else.
"""

from collections.abc import Callable
from functools import cached_property

from attrs import frozen
from gmpy2 import mpz

from finitedp.impl.arithmetic.kernels import ceil_log2, clamped_cdf, least_reaching, tail_weight
from finitedp.impl.counting.geometric import FastSample, GeoSample


def _early_exit(cdf: Callable[[int], int], n: int, u: int) -> int:
    """The least z with cdf(z) >= u, by a search that stops when it has found it."""
    low, high = 0, n
    while low < high:
        middle = (low + high) // 2
        if u <= cdf(middle):
            high = middle
        else:
            low = middle + 1
    return low


@frozen(slots=False)
class GeoTooNarrow(GeoSample):
    """Noise for twice the epsilon: k one too small."""

    @cached_property
    def k(self) -> int:
        return super().k - 1


@frozen(slots=False)
class GeoTooWide(GeoSample):
    """Noise for a quarter of the epsilon: private, but less accurate than claimed."""

    @cached_property
    def k(self) -> int:
        return super().k + 2


@frozen(slots=False)
class GeoFrom53Bits(GeoSample):
    """k from the 53 leading bits of the denominator, which is all that a float keeps: one too small from 2^53 + 1 on."""

    @cached_property
    def k(self) -> int:
        q = int(self.epsilon.denominator)
        lost = max(q.bit_length() - 53, 0)
        return ceil_log2(2 * (q >> lost << lost))


@frozen(slots=False)
class GeoShifted(GeoSample):
    """The least z with F(z) >= u + 1: a boundary off by one, which only equality of laws sees."""

    def apply(self, count: int, u: int) -> int:
        return least_reaching(lambda z: self.cdf(count, z) - (z < self.n), self.n, u)


@frozen(slots=False)
class GeoReversed(GeoSample):
    """The right law, but decreasing in u."""

    def apply(self, count: int, u: int) -> int:
        return super().apply(count, self.d + 1 - u)


@frozen(slots=False)
class GeoEarlyExit(GeoSample):
    """The right law by a search that stops when it has found the answer: its steps depend on the count and the noise."""

    def apply(self, count: int, u: int) -> int:
        return _early_exit(lambda z: self.cdf(count, z), self.n, u)


@frozen(slots=False)
class GeoUnclampedRange(GeoSample):
    """F with the wrong case at the top: z = n - 1 treated as z = n."""

    def cdf(self, count: int, z: int) -> int:
        return self.d if z >= self.n - 1 else super().cdf(count, z)


@frozen(slots=False)
class FastTooNarrow(FastSample):
    """Noise for twice the epsilon: k one too small."""

    @cached_property
    def k(self) -> int:
        return super().k - 1


@frozen(slots=False)
class FastTooWide(FastSample):
    """Noise for a quarter of the epsilon (and the truncation with it): private, but less accurate than claimed."""

    @cached_property
    def k(self) -> int:
        return super().k + 2

    @cached_property
    def t(self) -> int:
        return 4 * super().t


@frozen(slots=False)
class FastUnmixed(FastSample):
    """Truncated noise without the uniform part: outputs beyond t have probability 0, so it is not private once n > t."""

    @cached_property
    def d(self) -> int:
        return self._geometric_share * self._geometric_range

    def cdf(self, count: int, z: int) -> int:
        return clamped_cdf(self._tail, self.d, self.n, count, z)


@frozen(slots=False)
class FastTruncatedEarly(FastSample):
    """Truncation at a sixteenth of the radius: more mass is moved than the mixing can hide."""

    @cached_property
    def t(self) -> int:
        return max(super().t // 16, 1)


@frozen(slots=False)
class FastTailsAtEnds(FastSample):
    """The truncated mass stays at both ends of the window instead of moving to the centre."""

    @cached_property
    def _tail(self) -> Callable[[int], int]:
        x, t, share = mpz(2) ** self.k, self.t, self._geometric_share
        return lambda m: share * tail_weight(x, t + 1, m) if m <= t else mpz(0)


@frozen(slots=False)
class FastReversed(FastSample):
    """The right law, but decreasing in u."""

    def apply(self, count: int, u: int) -> int:
        return super().apply(count, self.d + 1 - u)


@frozen(slots=False)
class FastEarlyExit(FastSample):
    """The right law by a search that stops at the edge of the noise window: fewer steps for some counts."""

    def apply(self, count: int, u: int) -> int:
        return _early_exit(lambda z: self.cdf(count, z), self.n, u)
