"""Curves of pairs of laws, domination and composition, by enumeration.

A pair of measures is a list of atoms, each with its mass p under P and its mass under Q. Its curve is
delta(gamma) = sum (p - gamma q)+, for gamma >= 0: the hockey-stick divergence at every ratio, those below 1 too. One pair
dominates another if its curve is nowhere below; a pair that dominates those of all neighbours may stand for them, also in a
product: delta of a product is sum_x p(x) delta'(gamma q(x) / p(x)), and every term rises with delta'.

The mass under Q is q e^-x with rationals q and x: x is 0 for laws, and a multiple of the step for laws on a lattice of losses.
Curves are compared exactly at gamma = r e^y, where both are sums of rationals times powers of e with rational exponents.
"""

from collections.abc import Iterable, Sequence
from itertools import product as tuples
from math import comb
from typing import NamedTuple

from gmpy2 import mpq

from finitedp.exact import RationalLike, compare_exp, rational, sign, sign_of_exponentials
from finitedp.spec.pmf import Pmf

__all__ = [
    "Atom",
    "composed_delta",
    "delta",
    "dominates",
    "joint",
    "kairouz_oh_viswanath",
    "mirrored",
    "of_laws",
    "of_weights",
]


class Atom(NamedTuple):
    """A mass p under P, and q e^-x under Q."""

    p: mpq
    q: mpq
    x: mpq = mpq(0)


Pair = Sequence[Atom]


def of_weights(atoms: Iterable[tuple[int, int]], total: int) -> list[Atom]:
    """The pair of integer weights over one total."""
    return [Atom(mpq(p, total), mpq(q, total)) for p, q in atoms]


def of_laws(p: Pmf[int], q: Pmf[int]) -> list[Atom]:
    """The pair of two laws: an atom for each output."""
    return [Atom(p[z], q[z]) for z in sorted({*p.support, *q.support})]


def mirrored(pair: Pair) -> list[Atom]:
    """Q for P and P for Q. Parameters: pair, of laws (x = 0)."""
    return [Atom(q, p) for p, q, _ in pair]


def joint(*pairs: Pair) -> list[Atom]:
    """The product of pairs: independent releases, about the same neighbours."""
    found = [Atom(mpq(1), mpq(1))]
    for pair in pairs:
        found = [Atom(a.p * b.p, a.q * b.q, a.x + b.x) for a, b in tuples(found, pair)]
    return found


def delta(pair: Pair, gamma: RationalLike) -> mpq:
    """The curve at a rational gamma >= 0. Parameters: pair, of laws (x = 0)."""
    ratio = rational(gamma, "gamma")
    return sum((max(a.p - ratio * a.q, mpq(0)) for a in pair), mpq(0))


def composed_delta(pairs: Sequence[Pair], gamma: RationalLike) -> mpq:
    """The curve of the product at a rational gamma, exactly. Parameters: pairs, of laws (x = 0).

    Atoms whose quotients p/q agree are one, which changes no curve.
    """
    ratio, found, finite = rational(gamma, "gamma"), {mpq(1): mpq(1)}, mpq(1)
    for pair in pairs:
        made = dict[mpq, mpq]()
        for (quotient, mass), a in tuples(found.items(), [a for a in pair if a.p and a.q]):
            at = quotient * a.p / a.q
            made[at] = made.get(at, mpq(0)) + mass * a.p
        found, finite = made, finite * sum((a.p for a in pair if a.q), mpq(0))
    whole = mpq(1)
    for pair in pairs:
        whole *= sum((a.p for a in pair), mpq(0))
    return whole - finite + sum((mass * (1 - ratio / at) for at, mass in found.items() if at > ratio), mpq(0))


# Domination


Point = tuple[mpq, mpq]  # r and y, of gamma = r e^y


def dominates(upper: Pair, lower: Pair, at_least: RationalLike = 0) -> bool:
    """Whether the curve of `upper` is at least that of `lower` at every gamma from a rational on.

    Both curves are linear between the points at which one of them bends, so that these decide, with the first and the last.
    """
    first = (rational(at_least, "at_least"), mpq(0))
    bends = {(a.p / a.q, a.x) for pair in (upper, lower) for a in pair if a.p and a.q}
    points = [first, *(point for point in bends if _compare(point, first) > 0)]
    return _infinite(upper) >= _infinite(lower) and all(_difference(upper, lower, point) >= 0 for point in points)


def _compare(one: Point, other: Point) -> int:
    """The sign of r e^y - r' e^y', exactly. Parameters: r >= 0 and r' >= 0."""
    (r, y), (s, z) = one, other
    if not r or not s:
        return sign(r - s)
    return compare_exp(r / s, z - y)


def _infinite(pair: Pair) -> mpq:
    return sum((a.p for a in pair if not a.q), mpq(0))


def _difference(one: Pair, other: Pair, gamma: Point) -> int:
    """The sign of the difference of two curves at gamma = r e^y."""
    terms = list[tuple[mpq, mpq]]()
    for pair, side in ((one, 1), (other, -1)):
        for a in pair:
            if a.p and (not a.q or _compare((a.p / a.q, a.x), gamma) > 0):
                terms += [(side * a.p, mpq(0)), (-side * gamma[0] * a.q, gamma[1] - a.x)]
    return sign_of_exponentials(terms)


# A known formula


def kairouz_oh_viswanath(releases: int, ratio: RationalLike, allowed: RationalLike, i: int) -> mpq:
    """Delta at ratio^(k - 2 i) of k = `releases` releases that are (ln ratio, allowed)-private each, at the worst.

    Source: Kairouz, Oh and Viswanath, The Composition Theorem for Differential Privacy, Theorem 3.3. Parameters: ratio >= 1;
    allowed in [0, 1]; i in 0..k/2.
    """
    r, d, k = rational(ratio, "ratio"), rational(allowed, "allowed"), releases
    summed = sum((comb(k, j) * (r ** (k - j) - r ** (k - 2 * i + j)) for j in range(i)), mpq(0))
    return 1 - (1 - d) ** k * (1 - summed / (1 + r) ** k)
