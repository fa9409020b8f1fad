"""finitedp.compose: what several releases cost together, between two bounds that are proved."""

from collections import defaultdict
from collections.abc import Iterable
from functools import cached_property
from heapq import heapify, heappop, heappush
from itertools import count
from math import gcd, isqrt, lcm

from attrs import field, frozen
from gmpy2 import c_div, f_div, mpq

from finitedp.claim import PrivacyClaim
from finitedp.curve import Curve, Pair, epsilon_of
from finitedp.errors import ParameterError
from finitedp.exact import RationalLike, integer, log_bounds, probability
from finitedp.impl.accounting.lattice import BITS, L, Lower, Upper, delta_of, epsilon_of_delta, power
from finitedp.numbers import brief

__all__ = ["MOST_RELEASES", "Composition", "compose", "lattice_step", "natural_step", "simplest"]

MOST_RELEASES = 10_000
LARGEST_LATTICE = 1 << 18  # losses with a mass, of a lattice on which all losses lie
SMALL_LATTICE = 1 << 11  # it is made finer, up to this size, for losses that are not on it
OTHER_LATTICE = 1 << 16  # of another one, whose gap falls with the square of this
WINDOWS = (100, 40, 24)  # how near a short rational must be to a loss, in bits
DEVIATIONS = 23  # twice 11.4: fewer than 2^-92 of a sum are farther from its mean, in standard deviations (Hoeffding)
ONE = 1 << BITS
GRID = 1 << 64  # of an epsilon that is found

Part = tuple[Pair, Pair, int]


@frozen(slots=False)
class Composition:
    """What releases about the same neighbours cost together: the product of their curves, enclosed.

    Each release may depend on what was released before, as long as which curves there are is fixed beforehand. The upper
    bounds hold for all releases that have these curves. The lower ones say that the dominating pairs together cost no less, so
    that nobody who knows the curves alone can promise less.

    Source: FD.Compose.domination, FD.Lattice.upper, FD.Lattice.lower.
    parts: pairs, from above and from below, and how often each. neighbours: the relation. releases: how many. step: of the
    lattice of losses, in nats: whatever it is the bounds hold, and they are near each other where losses are multiples of it.
    """

    parts: tuple[Part, ...] = field(repr=False)
    neighbours: str
    releases: int
    step: mpq

    def delta(self, epsilon: RationalLike) -> tuple[mpq, mpq]:
        """Rationals (lower, upper) around delta at epsilon, multiples of 2^-128.

        A delta below about 2^-85 is not told from 0: its lower bound is 0. Source: FD.Lattice.upper, FD.Lattice.lower.
        Parameters: epsilon >= 0, a rational. Raises: ParameterError.
        """
        at = epsilon_of(epsilon)
        low, high = delta_of(self._lower, at), delta_of(self._upper, at)
        if at >= self._sums[1]:  # no finite loss is above
            high = mpq(self._upper.infinite, ONE) if self._infinite else mpq(0)
        return low, high

    def epsilon(self, delta: RationalLike) -> tuple[mpq, mpq]:
        """Rationals (lower, upper) around the least epsilon whose delta is at most the one given.

        Source: FD.Lattice.upper, FD.Lattice.lower. Parameters: delta in [0, 1], a rational.
        Raises: ParameterError for a delta that no epsilon has, or that is too near to those.
        """
        allowed = probability(delta, "delta")
        if allowed == 0 and not self._infinite:
            return self._sums
        most = self._sums[1] if allowed >= self._infinite else None  # epsilons add up, and so do the deltas
        if allowed * ONE > self._upper.infinite:
            found = _rounded(epsilon_of_delta(self._upper, allowed), up=True)
            most = found if most is None else min(found, most)
        if most is None:
            floor = brief(mpq(self._upper.infinite, ONE), 12, 6)
            raise ParameterError(
                f"delta = {brief(allowed)} is not above {floor}, which no epsilon is known to lower; accepted: more"
            )
        least = mpq(0)
        if allowed * ONE > self._lower.infinite:
            least = max(_rounded(epsilon_of_delta(self._lower, allowed), up=False), least)
        return least, most

    @cached_property
    def _upper(self) -> Upper:
        return _multiplied([(Upper.of(above, self.step), times) for above, _, times in self.parts])

    @cached_property
    def _lower(self) -> Lower:
        return _multiplied([(Lower.of(below, self.step), times) for _, below, times in self.parts])

    @cached_property
    def _infinite(self) -> mpq:
        """The sum of all deltas at infinity, at most 1: at least the mass there, and 0 only where there is none."""
        return min(sum((times * above.infinite for above, _, times in self.parts), mpq(0)), mpq(1))

    @cached_property
    def _sums(self) -> tuple[mpq, mpq]:
        """The sum of the largest losses, from below and from above."""
        low, high = mpq(0), mpq(0)
        for above, below, times in self.parts:
            low += times * log_bounds(below.largest)[0]
            high += times * log_bounds(above.largest)[1]
        return low, high


def compose(releases: Iterable[PrivacyClaim | Curve | tuple[PrivacyClaim | Curve, int]]) -> Composition:
    """What 1 to 10,000 releases cost together: delta at any epsilon and epsilon at any delta, each between two bounds.

    `compose([first.claim, second.claim])`, or with counts, `compose([(claim, 1000), other])`.

    Source: FD.Compose.domination, FD.Lattice.upper, FD.Lattice.lower.
    Parameters: releases, claims or curves, each alone or with how often; all for the same neighbours.
    Raises: ParameterError. Cost: of equal releases a few products of polynomials; of many different epsilons a product tree.
    """
    listed = [_counted(release) for release in _iterated(releases)]
    total = sum(times for _, times in listed)
    if not 1 <= total <= MOST_RELEASES:
        raise ParameterError(f"there are {total} releases; accepted: 1 to {MOST_RELEASES}")
    relations = sorted({curve.neighbours for curve, _ in listed})
    if len(relations) > 1:
        raise ParameterError(f"the releases are for different neighbours: {', '.join(relations)}; accepted: one relation")
    together = dict[tuple[Pair, Pair], int]()
    for curve, times in listed:
        for pairs in zip(curve.pairs, curve.least, strict=True):
            together[pairs] = together.get(pairs, 0) + times
    parts = tuple((above, below, times) for (above, below), times in together.items())
    return Composition(parts, relations[0], total, lattice_step(parts))


def _iterated(releases: object) -> list[object]:
    if not isinstance(releases, Iterable) or isinstance(releases, str):
        raise ParameterError(
            f"releases is {type(releases).__name__}; accepted: a list of claims, such as [(claim, 1000), other]"
        )
    return list(releases)


def _counted(release: object) -> tuple[Curve, int]:
    """A curve, and how often. Raises: ParameterError."""
    one, times = release if isinstance(release, tuple) and len(release) == 2 else (release, 1)
    if isinstance(one, PrivacyClaim):
        one = one.curve()
    if not isinstance(one, Curve):
        shown = "None, as of a release whose words are seeded," if one is None else type(one).__name__
        raise ParameterError(f"{shown} is no claim; accepted: claims and curves, or pairs of one and how often, (claim, 1000)")
    return one, integer(times, "how often", 1, MOST_RELEASES)


def _multiplied(laws: list[tuple[L, int]]) -> L:
    """The product of laws, each so many times: those of one number are multiplied first, and then to that power."""
    alike = defaultdict[int, list[L]](list)
    for law, times in laws:
        alike[times].append(law)
    return _shortest_first([power(_shortest_first(some), times) for times, some in alike.items()])


def _shortest_first(laws: list[L]) -> L:
    """The product, by always multiplying the two that are shortest."""
    order = count()
    heap = [(len(law.p), next(order), law) for law in laws]
    heapify(heap)
    while len(heap) > 1:
        (_, _, one), (_, _, other) = heappop(heap), heappop(heap)
        made = one.times(other).cut()
        heappush(heap, (len(made.p), next(order), made))
    return heap[0][2]


def _rounded(epsilon: mpq, *, up: bool) -> mpq:
    """To a multiple of 2^-64."""
    return mpq(int(c_div((epsilon * GRID).numerator, (epsilon * GRID).denominator) if up else epsilon * GRID // 1), GRID)


# The lattice: nothing that is proved depends on it


def lattice_step(parts: tuple[Part, ...]) -> mpq:
    """A step of which all largest losses are multiples, if that lattice is small enough; else a part of one of them."""
    losses = [(natural_step(above), times) for above, _, times in parts if above.largest > 1]
    if not losses:
        return mpq(1)
    variance = sum((times * loss**2 for loss, times in losses), mpq(0))
    whole = 2 * sum((times * loss for loss, times in losses), mpq(0))
    width = min(whole, DEVIATIONS * (_root(variance) + max(loss for loss, _ in losses)))
    common = mpq(gcd(*(int(loss.numerator) for loss, _ in losses)), lcm(*(int(loss.denominator) for loss, _ in losses)))
    if width <= common * LARGEST_LATTICE:
        return mpq(common, max(int(common * SMALL_LATTICE // width), 1))
    heaviest, _ = max(losses, key=lambda of: of[1] * of[0] ** 2)
    return heaviest * mpq(1, -int(-heaviest * mpq(OTHER_LATTICE, width) // 1))


def _root(number: mpq) -> mpq:
    """A square root, to 32 places."""
    return mpq(isqrt(int(number * (1 << 64))), 1 << 32)


def natural_step(pair: Pair) -> mpq:
    """A short rational near the largest loss of a pair, such as epsilon/2 of a dyadic table; else that loss, to 160 bits.

    Within 2^-w of a number there is always one whose numerator and denominator have w bits together: two thirds are no chance.
    """
    low, high = log_bounds(pair.largest, 160)
    for near in WINDOWS:
        window = mpq(1, 1 << near)
        short = simplest(low * (1 - window), high * (1 + window))
        if (short.numerator * short.denominator).bit_length() <= near * 2 // 3:
            return short
    return high


def simplest(low: mpq, high: mpq) -> mpq:
    """The rational with the least denominator in [low, high], 0 < low < high."""
    whole = c_div(low.numerator, low.denominator)
    if whole <= high:
        return mpq(whole)
    below = f_div(low.numerator, low.denominator)
    return below + mpq(1, simplest(mpq(1, high - below), mpq(1, low - below)))
