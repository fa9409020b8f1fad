"""The least rho of zero-concentrated privacy: D_a <= rho a at every order a above 1, of all real ones, proved.

For the atoms of two laws f(a) = (a - 1) D_a = ln(sum P^a Q^(1 - a)) is convex, and f(1) = 0. So between two orders f is below
its chord, and where the chord is below rho a (a - 1), which is a question about a quadratic, so is f: intervals of orders are
halved until it is. From the order on at which the largest ln(P / Q) is below rho a, nothing is left to show. Orders are tried
where they may help; what is proved does not depend on how they were found.
"""

from collections.abc import Iterable, Sequence
from typing import cast

from attrs import define, field
from gmpy2 import mpq

from finitedp.exact import log_bounds
from finitedp.spec.renyi import Atoms, log_power_sum_of

NARROW, WIDE = mpq(1, 1 << 16), mpq(1, 1 << 10)
"""The ends of what is enclosed differ by at most this part of the upper one: the first, unless that takes more than
MOST_ORDERS, and always the second."""
MOST_ORDERS = 4_000
"""Orders at which the divergences of two laws are computed, to prove one bound."""
_BITS = 128
_NEAR_1, _FINEST = mpq(1, 1 << 24), mpq(1, 1 << 40)


class TooManyOrdersError(Exception):
    """A bound is neither proved nor broken yet."""


@define
class Curve:
    """f of two laws, enclosed. Parameters: laws, atoms without an infinite ratio, P complete, and not both one law."""

    laws: Atoms
    _found: dict[mpq, tuple[mpq, mpq]] = field(factory=dict)

    def at(self, order: mpq) -> tuple[mpq, mpq]:
        """Rationals around f at an order above 1; at 1 it is 0."""
        if order == 1:
            return mpq(0), mpq(0)
        if order not in self._found:
            self._found[order] = log_power_sum_of(self.laws, order, _BITS)
        return self._found[order]

    def least(self, order: mpq) -> mpq:
        """A rho that is needed at an order above 1, rounded down."""
        return self.at(order)[0] / (order * (order - 1))

    def last(self, rho: mpq) -> mpq:
        """An order from which on D_a is at most rho a."""
        return max(log_bounds(cast(mpq, self.laws[0].ratio), _BITS)[1] / rho, mpq(1))


def exceeding(curve: Curve, rho: mpq, most: int | None = MOST_ORDERS) -> mpq | None:
    """An order above 1 at which D_a > rho a; None where there is none, which is proved.

    Parameters: rho > 0. Raises: TooManyOrdersError where neither is found at `most` orders; None: at however many it takes.
    """
    last = curve.last(rho)
    if last == 1:
        return None
    todo, halved = [(mpq(1), _power_of_two(last))], 0
    while todo:
        a, b = todo.pop()
        for order in (a, b):
            if order > 1 and curve.least(order) > rho:
                return order
        if not _above_chord(rho, a, b, curve.at(a)[1], curve.at(b)[1]):
            halved += 1
            if halved == most or b - a < _FINEST:
                raise TooManyOrdersError
            middle = _between(a, b)
            todo += [(a, middle), (middle, b)]
    return None


def _above_chord(rho: mpq, a: mpq, b: mpq, at_a: mpq, at_b: mpq) -> bool:
    """Whether rho x (x - 1) is at least the chord for all x from a to b, where it is at_a and at_b."""
    slope = (at_b - at_a) / (b - a)
    x = min(max((rho + slope) / (2 * rho), a), b)  # where the difference is least
    return bool(rho * x * (x - 1) >= at_a + slope * (x - a))


def _power_of_two(order: mpq) -> mpq:
    """1 + 2^k of at least an order above 1."""
    k, step = 0, order - 1
    while step > mpq(2) ** k:
        k += 1
    while step * 2 <= mpq(2) ** k:
        k -= 1
    return 1 + mpq(2) ** k


def _between(a: mpq, b: mpq) -> mpq:
    """An order that halves an interval; near 1, where everything is on a smaller scale, it is nearer to 1."""
    if a == 1:
        return 1 + (b - 1) / 16
    return 1 + 2 * (a - 1) if b - 1 > 2 * (a - 1) else (a + b) / 2


# The least rho


def least_rho(curves: Sequence[Curve]) -> tuple[mpq, mpq, Curve, mpq]:
    """Rationals (low, high) around the least rho of all curves, the curve and the order at which low is needed.

    Parameters: curves, at least one. The width is at most NARROW high, or more, up to WIDE high, where that takes too long.
    """
    low, place, order = max(
        ((curve.least(order), i, order) for i, curve in enumerate(curves) for order in _tried(curve)), key=lambda x: x[0]
    )
    low, order = _climbed(curves[place], order)
    narrow, i = NARROW, 0
    while i < len(curves):
        try:
            above = exceeding(curves[i], low / (1 - narrow), MOST_ORDERS if narrow < WIDE else None)
        except TooManyOrdersError:
            narrow *= 4  # ends: with more room fewer orders and longer intervals do
            continue
        if above is None:
            i += 1
        else:
            (low, order), place = _climbed(curves[i], above), i  # what is proved of those before holds up to more, too
    return low, low / (1 - narrow), curves[place], order


def _tried(curve: Curve) -> Iterable[mpq]:
    """Orders at which the largest rho may be needed: next to 1, where D_a / a most often is largest, and powers of two."""
    yield 1 + _NEAR_1
    last = 2 * curve.last(curve.least(1 + _NEAR_1))
    step = mpq(1, 16)
    while step < last:
        yield 1 + step
        step *= 2


def _climbed(curve: Curve, order: mpq) -> tuple[mpq, mpq]:
    """A rho that is needed, and the order: at orders that are a little larger or smaller less is needed."""
    found, factor = curve.least(order), mpq(3, 2)
    while factor > 1 + mpq(1, 1 << 11):
        tried = max((curve.least(x), x) for x in (_short(order, factor), _short(order, 1 / factor)))
        if tried[0] > found:
            found, order = tried
        else:
            factor = 1 + (factor - 1) / 2
    return found, order


def _short(order: mpq, factor: mpq) -> mpq:
    """An order that is about factor times as far from 1, not nearer to it than those tried first, in few digits."""
    step, k = max((order - 1) * factor, _NEAR_1), 0
    while step * (1 << k) < 1 << 16:
        k += 1
    return 1 + mpq(int(step * (1 << k)), 1 << k)
