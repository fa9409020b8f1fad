"""Curves: what a release costs at every epsilon at once, as a pair of laws that is at least as far apart as any neighbours.

A pair has atoms (p, q): integer weights of P and of Q over one total. Its curve is delta(gamma) = sum (p - gamma q)+ / total,
with gamma for e^epsilon. A mechanism is dominated by a pair if, of any two neighbours in either order, the curve is nowhere
above the pair's, at any gamma >= 0. At the gamma below 1, too: only then may pairs be multiplied.
"""

from bisect import bisect_right
from collections.abc import Iterable
from functools import cached_property
from itertools import accumulate
from operator import itemgetter
from typing import NamedTuple

from attrs import field, frozen
from gmpy2 import mpq, mpz

from finitedp.errors import ParameterError
from finitedp.exact import RationalLike, exp_bounds, integer, log_bounds, probability, rational

__all__ = ["Curve", "Line", "Pair", "epsilon_of", "pair_of_claim"]

Atom = tuple[int, int]
_INTEGERS = (int, type(mpz()))


def _atoms(value: Iterable[Atom]) -> tuple[Atom, ...]:
    """Atoms by increasing quotient p/q, infinite ones last. Those with the same are one, which changes no curve.

    Raises: ParameterError.
    """
    listed = [(p, q) for p, q in value if p or q]
    for number in (x for atom in listed for x in atom if type(x) not in _INTEGERS or x < 0):
        integer(number, "a weight", at_least=0)
    finite = sorted([(mpq(p, q), p, q) for p, q in listed if q], key=itemgetter(0))
    merged, last = list[Atom](), None
    for quotient, p, q in finite:
        if quotient == last:
            of_p, of_q = merged.pop()
            p, q = of_p + p, of_q + q  # noqa: PLW2901  # both are one atom
        merged.append((int(p), int(q)))
        last = quotient
    infinite = sum(p for p, q in listed if not q)
    return (*merged, *([(int(infinite), 0)] if infinite else []))


class Line(NamedTuple):
    """P[S] - gamma Q[S] of an event S, as P[S] and Q[S]."""

    p: mpq
    q: mpq

    def at(self, gamma: mpq) -> mpq:
        """Its value."""
        return self.p - gamma * self.q


@frozen(slots=False, cache_hash=True)
class Pair:
    """Two laws as atoms (p, q): integers of at least 0, with one sum of the p and of the q.

    Source: FD.Compose.domination. Raises: ParameterError for other weights, or sums that differ.
    """

    atoms: tuple[Atom, ...] = field(converter=_atoms, repr=False)  # by increasing quotient
    total: int = field(init=False)

    def __attrs_post_init__(self) -> None:
        p, q = (sum(column) for column in zip(*self.atoms, strict=True)) if self.atoms else (0, 0)
        if p != q or not p:
            raise ParameterError(f"the weights of P sum to {p}, those of Q to {q}; accepted: one sum above 0")
        object.__setattr__(self, "total", p)

    @property
    def infinite(self) -> mpq:
        """P's mass where Q has none: no epsilon has a lesser delta."""
        return mpq(sum(p for p, q in self.atoms if not q), self.total)

    @property
    def largest(self) -> mpq:
        """The largest finite quotient p/q, or 1 if that is larger: no finite loss is above its logarithm."""
        return max([mpq(1), *self.quotients[-1:]])

    def mirrored(self) -> "Pair":
        """Q for P and P for Q."""
        return Pair((q, p) for p, q in self.atoms)

    @cached_property
    def quotients(self) -> list[mpq]:
        """The finite quotients, in increasing order."""
        return [mpq(p, q) for p, q in self.atoms if q]

    @cached_property
    def _above(self) -> tuple[list[int], list[int]]:
        """P and Q of the atoms from each on, and of the infinite ones at the end."""
        finite = [(p, q) for p, q in self.atoms if q]
        ends = [(self.total - sum(p for p, _ in finite), 0), *reversed(finite)]
        of_p, of_q = (list(accumulate(column))[::-1] for column in zip(*ends, strict=True))
        return of_p, of_q

    def beyond(self, place: int) -> Atom:
        """The weights of P and of Q of the atoms from a place of `quotients` on, infinite ones included."""
        return self._above[0][place], self._above[1][place]

    def above(self, gamma: mpq) -> Atom:
        """The weights of P and of Q of the atoms whose quotient is above gamma."""
        return self.beyond(bisect_right(self.quotients, gamma))

    def line(self, gamma: mpq) -> Line:
        """The event that attains the curve at gamma >= 0."""
        p, q = self.above(gamma)
        return Line(mpq(p, self.total), mpq(q, self.total))


def pair_of_claim(ratio: mpq, delta: mpq) -> Pair:
    """What dominates every (ln ratio, delta)-private release: randomized response, and delta where it tells all.

    Source: FD.Pair.pure. Parameters: ratio >= 1 and delta in [0, 1], rationals.
    """
    a, b, c, d = (int(x) for x in (ratio.numerator, ratio.denominator, delta.numerator, delta.denominator))
    return Pair([(c * (a + b), 0), ((d - c) * a, (d - c) * b), ((d - c) * b, (d - c) * a), (0, c * (a + b))])


def epsilon_of(value: RationalLike) -> mpq:
    """`value` as a rational of at least 0. Raises: ParameterError."""
    epsilon = rational(value, "epsilon")
    if epsilon < 0:
        raise ParameterError(f"epsilon = {epsilon} is negative; accepted: a rational of at least 0")
    return epsilon


def _one_or_two(value: Iterable[Pair]) -> tuple[Pair, ...]:
    pairs = tuple(value)
    if not 1 <= len(pairs) <= 2 or not all(isinstance(pair, Pair) for pair in pairs):
        raise ParameterError("a curve is made of one pair of laws, or of two that are independent; accepted: such pairs")
    return pairs


@frozen(slots=False)
class Curve:
    """The least delta at every epsilon that holds for all neighbours, of one release.

    pairs: the dominating pair, or two that are independent of each other (such as two counts of which a row changes both):
    their product dominates. least: the same from below, where what dominates is known up to rounding only (e^epsilon of a
    claim without a ratio), else the pairs themselves. neighbours: the relation. source: the claim in the ledger that says so.

    Source: FD.Pair.dyadic, FD.Pair.replace, FD.Pair.stability, FD.Pair.pure. Raises: ParameterError.
    """

    pairs: tuple[Pair, ...] = field(converter=_one_or_two)
    neighbours: str
    source: str = ""
    least: tuple[Pair, ...] = field(converter=_one_or_two, repr=False)

    @least.default
    def _exact(self) -> tuple[Pair, ...]:
        return self.pairs

    @property
    def exact(self) -> bool:
        """Whether the curve is that of `pairs`, and not just enclosed."""
        return self.pairs == self.least

    def delta(self, epsilon: RationalLike) -> tuple[mpq, mpq]:
        """Rationals (low, high) around delta at epsilon, with a relative width of e^epsilon of 2^-128; equal at 0.

        Parameters: epsilon >= 0, a rational. Raises: ParameterError.
        """
        low, high = exp_bounds(epsilon_of(epsilon), 128)
        return line_of(self.least, high).at(high), line_of(self.pairs, low).at(low)

    def delta_at(self, ratio: RationalLike) -> mpq:
        """Delta at a rational ratio = e^epsilon >= 0: of the dominating pair, exactly. Raises: ParameterError."""
        gamma = rational(ratio, "ratio")
        if gamma < 0:
            raise ParameterError(f"ratio = {gamma} is negative; accepted: a rational of at least 0")
        return line_of(self.pairs, gamma).at(gamma)

    def epsilon(self, delta: RationalLike) -> tuple[mpq, mpq]:
        """Rationals (low, high) around the least epsilon whose delta is at most the one given.

        Parameters: delta in [0, 1], a rational. Raises: ParameterError where none has so small a delta.
        """
        allowed = probability(delta, "delta")
        return log_bounds(_ratio_at(self.least, allowed))[0], log_bounds(_ratio_at(self.pairs, allowed))[1]

    def ratio(self, delta: RationalLike = 0) -> mpq:
        """The least ratio e^epsilon >= 1 whose delta is at most the one given, of the dominating pair, exactly.

        Parameters: delta in [0, 1], a rational. Raises: ParameterError where none has so small a delta.
        """
        return _ratio_at(self.pairs, probability(delta, "delta"))


def line_of(pairs: tuple[Pair, ...], gamma: mpq) -> Line:
    """The event that attains the curve of one pair, or of the product of two: sorted sums, one look-up for each atom."""
    if len(pairs) == 1:
        return pairs[0].line(gamma)
    one, other = pairs
    in_p = in_q = 0
    for p, q in one.atoms:
        if p:
            of_p, of_q = other.above(gamma * mpq(q, p))
            in_p, in_q = in_p + p * of_p, in_q + q * of_q
    total = one.total * other.total
    return Line(mpq(in_p, total), mpq(in_q, total))


def _ratio_at(pairs: tuple[Pair, ...], allowed: mpq) -> mpq:
    """Newton's steps along a convex curve of straight pieces: from the left, and exact where they end."""
    gamma = mpq(1)
    while (line := line_of(pairs, gamma)).at(gamma) > allowed:
        if line.q == 0:
            raise ParameterError(f"delta = {allowed} is below {line.p}, which no epsilon lowers; accepted: at least that")
        gamma = (line.p - allowed) / line.q
    return gamma
