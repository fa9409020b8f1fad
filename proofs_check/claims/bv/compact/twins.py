"""Broken copies of CompactHistogram, its field and its empty-bin sampler, which the checks must reject; none is exported."""

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from finitedp.impl.arithmetic.field import Field, Slots
from finitedp.impl.histograms.compact import CompactHistogram
from finitedp.impl.histograms.compact_release import CompactRelease
from finitedp.impl.histograms.empty_bins import EmptyBinSampler
from finitedp.impl.histograms.universe import indexed
from finitedp.impl.randomness.coins import Coins
from finitedp.proofs_check.ledger.entry import but


class FoldedSlots(Slots):
    """Slots of GF(2)[t] / (t^(2*3^l) + 1), which is no field: t^(3^l) + 1 has the square 0."""

    def product(self, left: int, right: int) -> int:
        parity, two, _ = self._masks
        whole = left * right & parity
        return (whole & two) ^ (whole >> 8 * self.size * self.bits)


class ReducibleField(Field):
    """The ring of `FoldedSlots`."""

    def slots(self, width: int) -> Slots:
        return FoldedSlots(self.level, super().slots(width).size)


class CountsSorted(CompactHistogram[Any]):
    """Broken: noisy counts are drawn from the least true count on, and given to the labels in their order."""

    def noisy(self, counts: Mapping[int, int], coins: Coins) -> dict[int, int]:
        return super().noisy(dict(zip(counts, sorted(counts.values()), strict=True)), coins)


FromOwnCount = but(EmptyBinSampler, interval=lambda self, v: (self.cdf(v), self.cdf(v)))
"""S_v starts at F(v) in place of F(v-1): the last u_0 alone."""


def _one_more(self: EmptyBinSampler, v: int) -> tuple[int, int]:
    first, last = EmptyBinSampler.interval(self, v)
    return first, min(last + 1, self.d_0)


OneTooMany = but(EmptyBinSampler, interval=_one_more)
"""S_v with one u_0 more at the end."""


class DrawReused(CompactHistogram[Any]):
    """The draw that gave a noisy count is used again for the polynomial's value, as M(0, .) would need it."""

    def release_counts(self, counts: Mapping[Any, int], coins: Coins) -> CompactRelease[Any]:
        found = indexed(counts, self.universe, self.mechanism.n)
        places = self._places(list(found))
        values = [self._reused(coins) if place in found else self._value(None, coins) for place in places]
        coefficients = self.base.interpolate(places, [int(value) for value in values])
        return CompactRelease(self.level, self.mechanism, self.universe, coefficients)

    def _reused(self, coins: Coins) -> int:
        u, sampler = coins.uniform(self.mechanism.d), self.sampler
        return sampler.q * (u - 1) + (u - 1 if u <= sampler.r else sampler.r)


def _smallest(self: CompactHistogram[Any], noisy: int | None, coins: Coins) -> int:
    value = CompactHistogram._value(self, noisy, coins)
    return value if noisy is None else self.sampler.interval(noisy)[0] - 1


SmallestPreimage = but(CompactHistogram, _value=_smallest)
"""The first u_0 that gives the noisy count, in place of a uniform one: fewer polynomials are ever released."""


def _zero_if_free(self: CompactHistogram[Any], noisy: int | None, coins: Coins) -> int:
    value = CompactHistogram._value(self, noisy, coins)
    return 0 if noisy is None else value


FreeValuesZero = but(CompactHistogram, _value=_zero_if_free)
"""The value 0 at the points that no label occupies, which tells which labels occur."""


def _with_sampler(sampler: type[EmptyBinSampler]) -> type[CompactHistogram[Any]]:
    return but(CompactHistogram, sampler=cached_property(lambda self: sampler(self.mechanism, self.base.order)))


IntervalFromOwnCount = _with_sampler(FromOwnCount)
IntervalTooLong = _with_sampler(OneTooMany)
OverAReducibleModulus = but(CompactHistogram, base=cached_property(lambda self: ReducibleField(self.level)))


class NoRoomForCollisions(CompactHistogram[Any]):
    """The free points are always the same, whether or not labels occupy them."""

    def consistent(self, noisy: Mapping[int, int], coins: Coins) -> tuple[int, ...]:
        n = self.mechanism.n
        places = (list(noisy) + list(range(n + 1)))[: n + 1]
        values = dict.fromkeys(places, 0) | {place: int(self._value(noisy.get(place), coins)) for place in places}
        short = self.base.interpolate(list(values), list(values.values()))
        return short + (0,) * (n + 1 - len(short))


OnlyOccupied = but(
    CompactHistogram,
    noisy=lambda self, counts, coins: {place: self._noisy_count(count, coins) for place, count in counts.items()},
)
"""Noisy counts for the labels that occur and no padding: the draws tell how many there are."""


def _range_as_drawn(self: CompactHistogram[Any], noisy: int | None, coins: Coins) -> int:
    first, last = self.sampler.interval(noisy) if noisy is not None else (1, self.base.order)
    return first - 2 + coins.uniform(last - first + 1)


RangeAsDrawn = but(CompactHistogram, _value=_range_as_drawn)
"""Field elements drawn without a public bound: the bits tell which points are occupied."""


class EvaluatedByPowers(CompactRelease[Any]):
    """Counts read from a sum of a_i x^i with a power for each term: twice the products."""

    def count(self, label: Any) -> int:  # noqa: ANN401  # any label
        """The right count."""
        place, power, value = self.universe.index(label), 1, 0
        for coefficient in self.coefficients:
            value ^= self.base.multiply(coefficient, power)
            power = self.base.multiply(power, place)
        return int(self.sampler.apply(value + 1))


class SameDraw(CompactHistogram[Any]):
    """Broken: one free value for all free points."""

    def points(self, noisy: Any, coins: Coins) -> tuple[list[int], list[int]]:  # noqa: ANN401  # as the original
        """The last value wherever there is a free point."""
        places, values = super().points(noisy, coins)
        return places, [value if place in noisy else values[-1] for place, value in zip(places, values, strict=True)]
