"""Masses of related draws that have too many values to be listed, such as two words of 53 bits.

Where all draws are uniform and the relations compare them up to a constant, the weight of a value is a polynomial between a
few points: a sum of it is one again, of one degree more. So the elimination of joint is done on such functions, exactly.
"""

import operator
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import Any

from attrs import frozen
from gmpy2 import mpq, mpz

MOST_WIDE_DRAWS = 24
"""Draws of one component: the degree of its polynomials."""
Polynomial = tuple[int, tuple[Any, ...]]
"""A place, and the differences there of each order from 0 on: the polynomial is the sum of the k-th times C(t - place, k)."""


def shift_of(chain: Sequence[tuple[str, Any]]) -> int | None:
    """The constant that a chain of operations adds; None where it does anything else."""
    if any(operation != "+" for operation, _ in chain):
        return None
    return sum(int(k) for _, k in chain)


# Polynomials


def _value(polynomial: Polynomial, t: int) -> Any:
    place, differences = polynomial
    value: Any = mpz(0)
    binomial: Any = mpz(1)
    for k, difference in enumerate(differences):
        value += difference * binomial
        binomial = binomial * (t - place - k) // (k + 1)
    return value


def _through(place: int, values: Sequence[Any]) -> Polynomial:
    """The polynomial of least degree that has these values from a place on."""
    differences = []
    while any(values):
        differences.append(values[0])
        values = [after - before for before, after in pairwise(values)]
    return place, tuple(differences)


# Between points


@frozen
class Pieces:
    """A function of integers: the i-th polynomial below the i-th start, and the last one from the last start on."""

    starts: tuple[int, ...]
    polynomials: tuple[Polynomial, ...]

    @classmethod
    def constant(cls, value: int) -> "Pieces":
        """The same value everywhere."""
        return cls((), ((0, (value,)),))

    def _at(self, t: int) -> Polynomial:
        return self.polynomials[bisect_right(self.starts, t)]

    def __call__(self, t: int) -> mpq:
        """The value at t."""
        return mpq(_value(self._at(t), t))

    def moved(self, c: int) -> "Pieces":
        """t -> f(t + c)."""
        polynomials = [(place - c, differences) for place, differences in self.polynomials]
        return Pieces(tuple(start - c for start in self.starts), tuple(polynomials))

    def times(self, other: "Pieces") -> "Pieces":
        """The product."""
        return self._with(other, operator.mul)

    def minus(self, other: "Pieces") -> "Pieces":
        """The difference."""
        return self._with(other, operator.sub)

    def _with(self, other: "Pieces", combine: Callable[[Any, Any], Any]) -> "Pieces":
        starts = sorted({*self.starts, *other.starts})
        pairs = [(0, self.polynomials[0], other.polynomials[0]), *((s, self._at(s), other._at(s)) for s in starts)]
        pieces = []
        for place, p, q in pairs:
            values = [combine(_value(p, t), _value(q, t)) for t in range(place, place + len(p[1]) + len(q[1]))]
            pieces.append(_through(place, values))
        return Pieces(tuple(starts), tuple(pieces))

    def summed(self, low: int, high: int) -> "Pieces":
        """t -> the sum of f(y) over y in low..high that are below t."""
        ends = [low, *(start for start in self.starts if low < start <= high), high + 1]
        polynomials: list[Polynomial] = [(0, ())]
        for start in ends[:-1]:
            so_far, summand = _value(polynomials[-1], start), self._at(start)
            _, differences = _through(start, [_value(summand, t) for t in range(start, start + len(summand[1]))])
            polynomials.append((start, (so_far, *differences)))
        return Pieces(tuple(ends), (*polynomials, (0, (_value(polynomials[-1], high + 1),))))

    def allowed(self, bounds: Iterable[tuple[bool, int]]) -> "Pieces":
        """From the sums of a neighbour's weights, t -> the mass of its values y that meet all bounds.

        A bound is (True, a) for y >= t + a, or (False, b) for y <= t + b.
        """
        listed = list(bounds)
        least = max((c for above, c in listed if above), default=None)
        most = min((c for above, c in listed if not above), default=None)
        if least is not None and most is not None and least > most:
            return Pieces.constant(0)
        up_to = Pieces((), (self.polynomials[-1],)) if most is None else self.moved(most + 1)
        return up_to if least is None else up_to.minus(self.moved(least))
