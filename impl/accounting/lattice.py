"""Laws of losses on a lattice, in integers: one whose curve is above a pair's, one whose curve is below, and their products.

A loss is ln(p/q) of an atom. `Upper` has integer masses a_j over 2^W at the losses j h, and one at infinity; its curve,
infinite + sum a_j (1 - e^(epsilon - j h))+, only rises where mass moves to the right, and every rounding moves it there.
`Lower` joins the atoms of a pair by an integer score, the nearest loss of the lattice: a_j, what P has of them, rounded down,
and b_j, what Q has of them times e^(j h), rounded up. To join outputs is post-processing, whatever the scores are, and so is
to add the scores of several releases: of any event, a - e^epsilon Q is at most delta. No float is used.
"""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TypeVar

from attrs import frozen
from flint import fmpz_poly
from gmpy2 import mpq

from finitedp.curve import Pair
from finitedp.errors import ClaimError
from finitedp.exact import exp_bounds, log_bounds

__all__ = ["BITS", "Law", "Lower", "Powers", "Upper", "delta_of", "epsilon_of_delta", "power"]

BITS = 128  # W
HALF = mpq(1, 2)
SPARE_PLACES = 128  # behind those of the masses
SPARE = 36  # of 128 bits, and of others in proportion: a cut moves at most 2^(36 - 128)


class Powers:
    """e^(j h / 2) for integers j, as multiples of 2^-F below and above it: each is computed once."""

    def __init__(self, step: mpq, places: int) -> None:
        self.step, self.places = step, places
        self._known: dict[int, tuple[int, int]] = {}
        self._below: dict[int, mpq] = {}

    def around(self, halves: int) -> tuple[int, int]:
        """Integers (low, high) around 2^F e^(halves h / 2)."""
        known = self._known.get(halves)
        if known is None:
            low, high = (x * (1 << self.places) for x in exp_bounds(halves * self.step * HALF, self.places))
            known = self._known[halves] = int(low // 1), int(-(-high // 1))
        return known

    def below(self, halves: int) -> mpq:
        """At most e^(halves h / 2), and nearly that. It does not fall with `halves`."""
        known = self._below.get(halves)
        if known is None:
            known = self._below[halves] = mpq(self.around(halves)[0], 1 << self.places)
        return known

    def cells(self, pair: Pair, halves: int) -> Iterator[tuple[int, int, int]]:
        """(j, P, Q) of the atoms with j <= loss / (halves h / 2) < j + 1: where there are any, by increasing j.

        A loss that 2^-F does not tell from the end of a cell may be in the one that begins there.
        """
        quotients = pair.quotients
        place, j = bisect_right(quotients, 0), None  # what Q alone has is at no loss of P
        while place < len(quotients):
            j = self._cell(quotients[place], halves, j)
            end = bisect_left(quotients, self.below((j + 1) * halves), place)
            (p, q), (p_beyond, q_beyond) = pair.beyond(place), pair.beyond(end)
            yield j, p - p_beyond, q - q_beyond
            place = end

    def _cell(self, quotient: mpq, halves: int, before: int | None) -> int:
        """The last j at which e^(j halves h / 2) is at most the quotient; it is after `before`, where that is given."""
        width = 1
        if before is None:
            while self.below(-width * halves) > quotient:
                width *= 2
            before = -width
        while self.below((before + width) * halves) <= quotient:
            width *= 2
        return before - 1 + bisect_right(range(before, before + width), quotient, key=lambda j: self.below(j * halves))


@lru_cache(maxsize=1)
def powers_of(step: mpq, places: int) -> Powers:
    """Those of the last step: the laws of one composition share it."""
    return Powers(step, places)


@frozen(slots=False)
class Upper:
    """Masses p_j over 2^bits at the losses (low + j) h, and a mass at infinity, which sum to 2^bits.

    Source: FD.Lattice.upper, FD.Lattice.product, FD.Lattice.cut. Raises: ClaimError for another sum.
    """

    step: mpq
    low: int
    p: Sequence[int]
    infinite: int
    bits: int = BITS

    def __attrs_post_init__(self) -> None:
        if sum(self.p) + self.infinite != 1 << self.bits:
            raise ClaimError(f"the masses sum to {sum(self.p) + self.infinite}, not to 2^{self.bits}")

    @property
    def q(self) -> Sequence[int]:
        """Q's masses times e^loss: the same."""
        return self.p

    @classmethod
    def of(cls, pair: Pair, step: mpq, bits: int = BITS) -> "Upper":
        """A law whose curve is nowhere below the pair's.

        An atom with its loss in [j h, (j + 1) h] is split onto both ends so that its q stays: both together are the atom.
        What goes to (j + 1) h, (p - e^(j h) q) / (1 - e^-h), is rounded up, and what is left over goes to infinity. That is
        linear in p and q: all atoms of a cell are split at once.
        Source: FD.Lattice.upper. Parameters: step h > 0.
        """
        powers, masses = powers_of(step, 2 * bits), defaultdict[int, int](int)
        gap = (1 << powers.places) - powers.around(-2)[1]  # at most 2^F (1 - e^-h)
        for j, p, q in powers.cells(pair, 2):
            mass, beyond = (p << bits) // pair.total, (p << powers.places) - powers.around(2 * j)[0] * q
            share = min(-(-(beyond << bits) // (pair.total * gap)), mass)
            masses[j + 1] += share
            masses[j] += mass - share
        used = sum(masses.values())
        low, listed = _listed(masses)
        return cls(step, low, listed, (1 << bits) - used, bits)

    def times(self, other: "Upper") -> "Upper":
        """The product: exact integers over 2^(2 bits), each rounded down, with what is left over carried to the right.

        Source: FD.Lattice.product.
        """
        exact = _product(self.p, other.p)
        carry, masses, rest = 0, list[int](), (1 << self.bits) - 1
        for mass in exact:
            whole = mass + carry
            masses.append(whole >> self.bits)
            carry = whole & rest
        infinite = (1 << 2 * self.bits) - sum(exact)
        return Upper(self.step, self.low + other.low, masses, (infinite + carry) >> self.bits, self.bits)

    def cut(self) -> "Upper":
        """Without the ends that hold next to nothing: the lower one moves right, the upper one to infinity.

        Source: FD.Lattice.cut.
        """
        start, stop = _ends(self.p, self.bits)
        kept = list(self.p[start:stop])
        kept[0] += sum(self.p[:start])
        return Upper(self.step, self.low + start, kept, self.infinite + sum(self.p[stop:]), self.bits)


@frozen(slots=False)
class Lower:
    """Disjoint events, each with at most P's mass, p_j / 2^bits, and at least Q's times e^((low + j) h), q_j / 2^bits.

    infinite: of P where Q has none. What belongs to no event is left out.
    Source: FD.Lattice.lower, FD.Lattice.product, FD.Lattice.cut.
    """

    step: mpq
    low: int
    p: Sequence[int]
    q: Sequence[int]
    infinite: int
    bits: int = BITS

    @classmethod
    def of(cls, pair: Pair, step: mpq, bits: int = BITS) -> "Lower":
        """A law whose curve is nowhere above the pair's: the score of an atom is the loss that is nearest.

        Source: FD.Lattice.lower. Parameters: step h > 0.
        """
        powers, in_p, in_q = powers_of(step, 2 * bits), defaultdict[int, int](int), defaultdict[int, int](int)
        for half, p, q in powers.cells(pair, 1):
            in_p[(half + 1) // 2] += p
            in_q[(half + 1) // 2] += q
        scale, places = 1 << bits, pair.total << powers.places
        low, p_listed = _listed({j: p * scale // pair.total for j, p in in_p.items()})
        _, q_listed = _listed({j: -(-q * scale * powers.around(2 * j)[1] // places) for j, q in in_q.items()})
        return cls(step, low, p_listed, q_listed, int(pair.infinite * scale // 1), bits)

    def times(self, other: "Lower") -> "Lower":
        """The product: exact integers over 2^(2 bits), P's rounded down and Q's up. Source: FD.Lattice.product."""
        p, q = _product(self.p, other.p), _product(self.q, other.q)
        infinite = (self.infinite + sum(self.p)) * (other.infinite + sum(other.p)) - sum(p)
        rounded = [mass >> self.bits for mass in p], [-(-mass >> self.bits) for mass in q]
        return Lower(self.step, self.low + other.low, *rounded, infinite >> self.bits, self.bits)

    def cut(self) -> "Lower":
        """Without the events at the ends that hold next to nothing, of P and of Q alike. Source: FD.Lattice.cut."""
        start, stop = _ends(self.p, self.bits)
        return Lower(self.step, self.low + start, self.p[start:stop], self.q[start:stop], self.infinite, self.bits)


Law = Upper | Lower
L = TypeVar("L", Upper, Lower)


def power(law: L, exponent: int) -> L:
    """The product of so many of the same, by squaring. Parameters: exponent >= 1."""
    result, square = None, law
    while True:
        if exponent & 1:
            result = square if result is None else result.times(square).cut()
        exponent >>= 1
        if not exponent and result is not None:
            return result
        square = square.times(square).cut()


# Curves of laws


class _Decaying:
    """sum q_j e^-((j - first) h) of losses from the last one down to the first: rounded down for an `Upper`, else up."""

    def __init__(self, law: Law) -> None:
        self.up, self.places, self.sum = isinstance(law, Lower), law.bits + SPARE_PLACES, 0
        self.decay = self.exponential(-law.step)

    def exponential(self, exponent: mpq) -> int:
        """2^places e^exponent."""
        low, high = exp_bounds(exponent, self.places)
        return -int(-high * (1 << self.places) // 1) if self.up else int(low * (1 << self.places) // 1)

    def times(self, factor: int) -> int:
        """The sum times factor / 2^places."""
        return -(-self.sum * factor >> self.places) if self.up else self.sum * factor >> self.places

    def take(self, mass: int) -> None:
        """The next loss to the left becomes the first."""
        self.sum = self.times(self.decay) + (mass << self.places)


def delta_of(law: Law, epsilon: mpq) -> mpq:
    """The curve at e^epsilon: of an `Upper` at most as much too high, of a `Lower` too low, as 2^-bits.

    The event is that of the losses above epsilon: the best one of an `Upper`, an event of a `Lower`.
    Cost: a multiplication for each loss above epsilon.
    """
    first, beyond = max(int(epsilon // law.step) + 1 - law.low, 0), _Decaying(law)
    for mass in reversed(law.q[first:]):
        beyond.take(mass)
    less = beyond.times(beyond.exponential(epsilon - law.step * (law.low + first)))
    delta = ((law.infinite + sum(law.p[first:])) << beyond.places) - less
    rounded = delta >> beyond.places if beyond.up else -(-delta >> beyond.places)
    return mpq(min(max(rounded, law.infinite), 1 << law.bits), 1 << law.bits)


def epsilon_of_delta(law: Law, delta: mpq) -> mpq:
    """Where the curve falls to delta: an epsilon >= 0 that is enough for an `Upper`, or one that a `Lower` needs at least.

    From the last loss down, to the first lattice point at which the curve is above delta: beyond it lies the line of the
    losses above, p - e^epsilon q. Parameters: delta above the mass at infinity.
    """
    allowed, beyond, mass = delta * (1 << law.bits), _Decaying(law), law.infinite
    for place in range(len(law.p), -1, -1):  # the event: losses from this place on
        if place < len(law.p):
            beyond.take(law.q[place])
            mass += law.p[place]
        first = law.low + place
        end = max(first - 1, 0) if place else 0  # where its line ends
        less = beyond.times(beyond.decay if end == first - 1 else beyond.exponential(law.step * (end - first)))
        if mass - mpq(less, 1 << beyond.places) > allowed:
            ratio = (mass - allowed) * mpq(1 << beyond.places, beyond.sum)
            low, high = log_bounds(ratio, law.bits)
            return low + law.step * first if beyond.up else max(high + law.step * first, law.step * end)
        if not end:
            break
    return mpq(0)


def _listed(masses: dict[int, int]) -> tuple[int, list[int]]:
    """The first loss, and all masses from there on. A law of nothing has the loss 0."""
    low, high = min(masses, default=0), max(masses, default=0)
    return low, [masses.get(j, 0) for j in range(low, high + 1)]


def _product(one: Sequence[int], other: Sequence[int]) -> list[int]:
    """The coefficients of the product of two polynomials: exact integers."""
    found = [int(c) for c in (fmpz_poly(one) * fmpz_poly(other)).coeffs()]
    return found + [0] * (len(one) + len(other) - 1 - len(found))


def _ends(masses: Sequence[int], bits: int) -> tuple[int, int]:
    """Where what is kept begins and ends: at most 2^-92 (of 128 bits) is before, and behind it; something is kept."""
    least, start, stop = 1 << (SPARE * bits // BITS), 0, len(masses)
    before, behind = masses[0], masses[-1]
    while start < stop - 1 and before <= least:
        start += 1
        before += masses[start]
    while stop > start + 1 and behind <= least:
        stop -= 1
        behind += masses[stop - 1]
    return start, stop
