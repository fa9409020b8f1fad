"""Broken copies of GeoSample and FastSample, which the checks must reject by name. None of them is ever exported.

Each is the mechanism that it breaks but for its one mutation.
"""

from collections.abc import Callable
from functools import cached_property, partial
from typing import Any, TypeVar, cast

from gmpy2 import mpz

from finitedp.impl.arithmetic.kernels import ceil_log2, clamped_cdf, least_reaching, tail_weight
from finitedp.impl.counting.dyadic import DyadicSample
from finitedp.impl.counting.geometric import CountingMechanism, FastSample, GeoSample

M = TypeVar("M", GeoSample, FastSample, DyadicSample)


def _altered(kind: type[M], name: str, change: Callable[[M, Any], Any]) -> type[M]:
    """A copy broken in one attribute: it is what `change` makes of the mechanism and of the right value."""

    def value(mechanism: M) -> Any:  # noqa: ANN401  # whatever the attribute is
        return change(mechanism, getattr(super(broken, mechanism), name))

    broken: Any = type(f"{kind.__name__}WithAnother_{name}", (kind,), {name: property(value)})
    return cast(type[M], broken)


def _narrow(kind: type[M]) -> type[M]:
    """Noise for twice the epsilon: k one too small."""
    return _altered(kind, "k", lambda _, k: k - 1)


def _wide(kind: type[M]) -> type[M]:
    """Noise for a quarter of the epsilon: private, but less accurate than claimed."""
    return _altered(kind, "k", lambda _, k: k + 2)


def _twice_as_wide(kind: type[M]) -> type[M]:
    """Noise for half of the epsilon, as with 4/epsilon for 2/epsilon: private, but less accurate than claimed."""
    return _altered(kind, "k", lambda _, k: k + 1)


def reversed_draw(kind: type[M]) -> type[M]:
    """The right law, but decreasing in u."""
    return _altered(kind, "apply", lambda mechanism, apply: lambda count, u: apply(count, mechanism.d + 1 - u))


def _early_exit(kind: type[M]) -> type[M]:
    """The right law by a search that stops when it has found the answer: its steps depend on the count and the noise."""
    return _altered(kind, "apply", lambda mechanism, _: partial(_found_early, mechanism))


def _found_early(mechanism: CountingMechanism, count: int, u: int) -> int:
    low, high = 0, mechanism.n
    while low < high:
        middle = (low + high) // 2
        if u <= mechanism.cdf(count, middle):
            high = middle
        else:
            low = middle + 1
    return low


GeoTooNarrow = _narrow(GeoSample)
GeoTooWide = _wide(GeoSample)
GeoTwiceAsWide = _twice_as_wide(GeoSample)
GeoReversed = reversed_draw(GeoSample)
GeoEarlyExit = _early_exit(GeoSample)
FastTooNarrow = _narrow(FastSample)
FastTooWide = _altered(_wide(FastSample), "t", lambda _, t: 4 * t)  # the truncation with the noise
FastTwiceAsWide = _altered(_twice_as_wide(FastSample), "t", lambda _, t: 2 * t)  # the truncation with the noise
FastReversed = reversed_draw(FastSample)
FastEarlyExit = _early_exit(FastSample)


def _k_from_53_bits(mechanism: GeoSample, _k: int) -> int:
    """k from the 53 leading bits of the denominator, which is all that a float keeps: one too small from 2^53 + 1 on."""
    q = int(mechanism.epsilon.denominator)
    lost = max(q.bit_length() - 53, 0)
    return ceil_log2(2 * (q >> lost << lost))


GeoFrom53Bits = _altered(GeoSample, "k", _k_from_53_bits)


def _t_without(gamma: bool) -> Callable[[FastSample, int], int]:
    """9/2 (1/epsilon) log(8(n + 1)/(epsilon gamma)) with gamma or the first epsilon left out."""

    def radius(mechanism: FastSample, _t: int) -> int:
        q, g = int(mechanism.epsilon.denominator), int(mechanism.gamma.denominator)
        first, inside = (q, 1) if gamma else (1, g - 1)
        return -(-9 * first * ceil_log2(8 * (mechanism.n + 1) * inside * q) // 2) - 1

    return radius


FastTWithoutGamma = _altered(FastSample, "t", _t_without(gamma=True))  # more mass is moved than the mixing can hide
FastTWithoutEpsilon = _altered(FastSample, "t", _t_without(gamma=False))


class GeoShifted(GeoSample):
    """The least z with F(z) >= u + 1: a boundary off by one, which only equality of laws sees."""

    def apply(self, count: int, u: int) -> int:
        return least_reaching(lambda z: self.cdf(count, z) - (z < self.n), self.n, u)


class GeoUnclampedRange(GeoSample):
    """F with the wrong case at the top: z = n - 1 treated as z = n."""

    def cdf(self, count: int, z: int) -> int:
        return self.d if z >= self.n - 1 else super().cdf(count, z)


class FastUnmixed(FastSample):
    """Truncated noise without the uniform part: outputs beyond t have probability 0, so it is not private once n > t."""

    @cached_property
    def d(self) -> int:
        return self._geometric_share * self._geometric_range

    def cdf(self, count: int, z: int) -> int:
        return clamped_cdf(self._tail, self.d, self.n, count, z)


class FastTailsAtEnds(FastSample):
    """The truncated mass stays at both ends of the window instead of moving to the centre."""

    @cached_property
    def _tail(self) -> Callable[[int], int]:
        x, t, share = mpz(2) ** self.k, self.t, self._geometric_share
        return lambda m: share * tail_weight(x, t + 1, m) if m <= t else mpz(0)
