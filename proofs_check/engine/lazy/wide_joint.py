"""Masses of related draws that have too many values to be listed, such as two words of 53 bits.

Where all draws are uniform and the relations compare them up to a constant, the weight of a value is a polynomial between a
few points: a sum of it is one again, of one degree more. So the elimination of joint is done on such functions, exactly.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import pairwise
from math import comb

from attrs import frozen
from gmpy2 import mpq, mpz

__all__ = ["MOST_WIDE_DRAWS", "Pieces", "shift_of"]

MOST_WIDE_DRAWS = 24
"""Draws of one component: the degree of its polynomials."""
Polynomial = tuple[mpq, ...]
"""Coefficients, the constant first."""
Combine = Callable[[Polynomial, Polynomial], Polynomial]


def shift_of(chain: Sequence[tuple[str, object]]) -> int | None:
    """The constant that a chain of operations adds; None where it does anything else."""
    if any(operation != "+" for operation, _ in chain):
        return None
    return sum((k for _, k in chain if isinstance(k, int) or type(k) is type(mpz(0))), mpz(0))


# Polynomials


def _value(polynomial: Polynomial, t: int) -> mpq:
    value = mpq(0)
    for coefficient in reversed(polynomial):
        value = value * t + coefficient
    return value


def _product(p: Polynomial, q: Polynomial) -> Polynomial:
    found = [mpq(0)] * (len(p) + len(q) - 1)
    for i, a in enumerate(p):
        for j, b in enumerate(q):
            found[i + j] += a * b
    return tuple(found)


def _sum(p: Polynomial, q: Polynomial) -> Polynomial:
    size = max(len(p), len(q))
    padded = [[*one, *[mpq(0)] * (size - len(one))] for one in (p, q)]
    return tuple(a + b for a, b in zip(*padded, strict=True))


def _shifted(polynomial: Polynomial, c: int) -> Polynomial:
    """t -> p(t + c), by Horner's scheme."""
    found: Polynomial = (mpq(0),)
    for coefficient in reversed(polynomial):
        found = _sum(_product(found, (mpq(c), mpq(1))), (coefficient,))
    return found[: len(polynomial)]


@lru_cache(maxsize=256)
def _bernoulli(n: int) -> mpq:
    """The Bernoulli number, with -1/2 for n = 1."""
    return mpq(1) if n == 0 else -sum((comb(n + 1, k) * _bernoulli(k) for k in range(n)), mpq(0)) / (n + 1)


def _summed(polynomial: Polynomial) -> Polynomial:
    """t -> the sum of p(0), ..., p(t - 1), by Faulhaber's formula."""
    found = [mpq(0)] * (len(polynomial) + 1)
    for k, coefficient in enumerate(polynomial):
        for j in range(k + 1):
            found[k + 1 - j] += coefficient * comb(k + 1, j) * _bernoulli(j) / (k + 1)
    return tuple(found)


# Between points


@frozen
class Pieces:
    """A function of integers: the i-th polynomial below the i-th start, and the last one from the last start on."""

    starts: tuple[int, ...]
    polynomials: tuple[Polynomial, ...]

    @classmethod
    def constant(cls, value: int) -> "Pieces":
        """The same value everywhere."""
        return cls((), ((mpq(value),),))

    def _at(self, t: int) -> Polynomial:
        return self.polynomials[bisect_right(self.starts, t)]

    def __call__(self, t: int) -> mpq:
        """The value at t."""
        return _value(self._at(t), t)

    def moved(self, c: int) -> "Pieces":
        """t -> f(t + c)."""
        return Pieces(tuple(start - c for start in self.starts), tuple(_shifted(p, c) for p in self.polynomials))

    def times(self, other: "Pieces") -> "Pieces":
        """The product."""
        return self._with(other, _product)

    def minus(self, other: "Pieces") -> "Pieces":
        """The difference."""
        return self._with(other, lambda p, q: _sum(p, tuple(-c for c in q)))

    def _with(self, other: "Pieces", combine: Combine) -> "Pieces":
        starts = sorted({*self.starts, *other.starts})
        below = [(self.polynomials[0], other.polynomials[0])]
        pairs = below + [(self._at(start), other._at(start)) for start in starts]
        return Pieces(tuple(starts), tuple(combine(p, q) for p, q in pairs))

    def summed(self, low: int, high: int) -> "Pieces":
        """t -> the sum of f(y) over y in low..high that are below t."""
        ends = [low, *(start for start in self.starts if low < start <= high), high + 1]
        polynomials: list[Polynomial] = [(mpq(0),)]
        so_far = mpq(0)
        for start, end in pairwise(ends):
            summed = _summed(self._at(start))
            polynomials.append(_sum(summed, (so_far - _value(summed, start),)))
            so_far = _value(polynomials[-1], end)
        return Pieces(tuple(ends), (*polynomials, (so_far,)))

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
