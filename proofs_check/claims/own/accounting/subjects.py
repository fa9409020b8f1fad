"""Pairs of laws as the claims about curves take them, by the definitions and from the running code."""

from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import pairwise, product
from typing import NamedTuple, TypeVar

from gmpy2 import mpq

from finitedp.curve import Pair
from finitedp.exact import compare_exp, exp_bounds
from finitedp.impl.accounting.lattice import Lower, Upper
from finitedp.impl.counting.dyadic import DyadicSample
from finitedp.proofs_check.ledger.entry import Finding, in_scope, out_of_scope_where_refused
from finitedp.proofs_check.ledger.findings import equal
from finitedp.spec import accounting as spec
from finitedp.spec.accounting import Atom
from finitedp.spec.dyadic import law
from finitedp.spec.pmf import Pmf

Atoms = list[Atom]
K = TypeVar("K", bound=Hashable)


class Counts(NamedTuple):
    """Parameters of DyadicSample, and a threshold b where one is spoken of."""

    n: int
    epsilon: str
    word: int
    b: int = 0

    def check_scope(self) -> None:
        in_scope(self.n >= 1 and mpq(self.epsilon) > 0 and 2 <= self.word <= 256, "n >= 1, epsilon > 0, 2..256 bits")
        in_scope(0 <= self.b <= self.n, "b in 0..n")

    @property
    def mechanism(self) -> DyadicSample:
        """The mechanism. Raises: OutOfScopeError where there is no table."""
        with out_of_scope_where_refused():
            return DyadicSample(self.n, self.epsilon, self.word)

    @property
    def weights(self) -> list[int]:
        """w_0, ..., w_n."""
        table = self.mechanism.table
        return [table.weight(j) for j in range(self.n + 1)]

    @property
    def shown(self) -> mpq:
        """The probability that a label of one row shows: of a noisy count above b."""
        return law(self.weights, 1).probability(lambda z: z > self.b)


def laws_of(case: Counts) -> list[Pmf[int]]:
    """The laws of all counts 0..n, by the definition."""
    weights = case.weights
    return [law(weights, c) for c in range(case.n + 1)]


def thresholded(laws: Sequence[Pmf[int]], b: int) -> list[Pmf[int]]:
    """What is seen of a bin: a noisy count above b, and else -1; of a count of 0, which does not occur, always -1."""
    shown = [noisy.pushforward(lambda z: z if z > b else -1) for noisy in laws]
    return [Pmf.point(-1), *shown[1:]]


def of_neighbours(laws: Sequence[Pmf[int]]) -> Iterator[Atoms]:
    """The pairs of all neighbouring counts, in both orders."""
    for one, other in pairwise(laws):
        yield spec.of_laws(one, other)
        yield spec.of_laws(other, one)


def farthest_counts(case: Counts) -> Atoms:
    """The pair of the counts n - 1 and n."""
    laws = laws_of(case)
    return spec.of_laws(laws[-2], laws[-1])


def of_replaced(laws: Sequence[Pmf[int]]) -> Iterator[Atoms]:
    """The pairs of two counts c and d of at most n together, of which a row goes from the one to the other."""
    n = len(laws) - 1
    for c, d in product(range(1, n + 1), range(n)):
        if c + d <= n:
            yield spec.joint(spec.of_laws(laws[c], laws[c - 1]), spec.of_laws(laws[d], laws[d + 1]))


def atoms_of(pair: Pair) -> Atoms:
    """A running pair, as the definition has pairs."""
    return spec.of_weights(pair.atoms, pair.total)


def same_atoms(one: Atoms, other: Atoms) -> bool:
    """Whether two pairs are the same but for the order of their atoms, those of one quotient as one."""
    return _collected(one) == _collected(other)


def _collected(pair: Atoms) -> dict[mpq | None, tuple[mpq, mpq]]:
    return added_up((p / q if q else None, p, q) for p, q, _ in pair if p or q)


def added_up(masses: Iterable[tuple[K, mpq, mpq]]) -> dict[K, tuple[mpq, mpq]]:
    """The masses of P and of Q at each place."""
    found: dict[K, tuple[mpq, mpq]] = {}
    for place, p, q in masses:
        in_p, in_q = found.get(place, (mpq(0), mpq(0)))
        found[place] = (in_p + p, in_q + q)
    return found


# Laws on a lattice


class Placed(NamedTuple):
    """Two laws by their weights, each over its own sum, the step of a lattice, and the bits of the masses on it."""

    p: tuple[int, ...]
    q: tuple[int, ...]
    step: str
    bits: int

    def check_scope(self) -> None:
        in_scope(len(self.p) == len(self.q) and min((*self.p, *self.q, 0)) == 0, "as many weights of P as of Q, at least 0")
        in_scope(sum(self.p) > 0 and sum(self.q) > 0, "some weight of each is above 0")
        in_scope(mpq(1, 100) <= mpq(self.step) <= 100 and 4 <= self.bits <= 64, "a step of 1/100 to 100, 4 to 64 bits")

    @property
    def pair(self) -> Pair:
        of_p, of_q = sum(self.p), sum(self.q)
        return Pair((p * of_q, q * of_p) for p, q in zip(self.p, self.q, strict=True))

    @property
    def h(self) -> mpq:
        return mpq(self.step)


def upper_atoms(law: Upper) -> Atoms:
    """What a law from above says: masses of P, and of Q by their losses."""
    unit = mpq(1, 1 << law.bits)
    listed = [Atom(m * unit, m * unit, (law.low + j) * law.step) for j, m in enumerate(law.p)]
    return [*listed, Atom(law.infinite * unit, mpq(0))]


def lower_atoms(law: Lower) -> Atoms:
    """What a law from below says."""
    unit = mpq(1, 1 << law.bits)
    masses = zip(law.p, law.q, strict=True)
    listed = [Atom(p * unit, q * unit, (law.low + j) * law.step) for j, (p, q) in enumerate(masses)]
    return [*listed, Atom(law.infinite * unit, mpq(0))]


def cell_of(quotient: mpq, step: mpq) -> int:
    """The largest j with e^(j step) <= quotient, by trying: for broken copies."""
    j = 0
    while compare_exp(quotient, j * step) < 0:
        j -= 1
    while compare_exp(quotient, (j + 1) * step) >= 0:
        j += 1
    return j


def power_around(exponent: mpq) -> tuple[mpq, mpq]:
    """Rationals around e^exponent, far nearer than any of the masses' bits."""
    return exp_bounds(exponent, 256)


# Weights of P and of Q: off a lattice, on it, on both sides of a point, at infinity, only there, and many atoms in one cell
LAWS: list[tuple[tuple[int, ...], tuple[int, ...]]] = [
    ((2, 1), (1, 2)),
    ((3, 1, 0), (1, 3, 1)),
    ((1, 0), (0, 1)),
    ((5, 7, 2, 1), (4, 7, 3, 1)),
    ((100, 99, 98), (98, 99, 100)),
    ((1, 1, 1), (1, 1, 1)),
    ((7, 0, 20, 1), (1, 3, 23, 9)),
    ((1, 30), (2, 1)),
]


def floor(number: mpq) -> mpq:
    """The largest integer that is at most a number."""
    return mpq(number // 1)


def ceil(number: mpq) -> mpq:
    """The least integer that is at least a number."""
    return -floor(-number)


def dominated(pair: Atoms, by_the_definition: Iterable[Atoms]) -> Finding:
    """That a pair's curve is nowhere below those of others."""
    holds = all(spec.dominates(pair, real) for real in by_the_definition)
    return equal(holds, True, "no real pair is above it, at any gamma >= 0")
