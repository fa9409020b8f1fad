"""Small BasicHistograms and StabilityHistograms on dyadic tables: datasets, laws from spec, and given words."""

from collections.abc import Iterator, Sequence
from itertools import cycle, islice
from typing import NamedTuple

from gmpy2 import mpq

from finitedp.proofs_check.claims.own.dyadic.subjects import Dyadic
from finitedp.proofs_check.ledger.grids import letters
from finitedp.spec import dyadic as spec
from finitedp.spec import stability as spec_stability
from finitedp.spec.neighbours import multisets, neighbouring_multisets
from finitedp.spec.pmf import Pmf

__all__ = ["Case", "Labels", "Listed"]


Labels = tuple[str, ...]


class Case(NamedTuple):
    """A universe of `size` labels, at most n rows, epsilon, the bits of a word, and delta."""

    size: int
    n: int
    epsilon: str
    word: int
    delta: str = "0"

    @property
    def universe(self) -> Labels:
        """The labels a, b, c, ..."""
        return letters(self.size)

    @property
    def dyadic(self) -> Dyadic:
        """The table's parameters."""
        return Dyadic(self.n, self.epsilon, self.word)

    def law(self, count: int) -> Pmf[int]:
        """The law of a noisy count, from spec."""
        return spec.law(self.dyadic.weights, count)

    def threshold(self) -> int:
        """The least b, from spec."""
        return spec_stability.least_threshold(self.law, mpq(self.delta))

    def datasets(self) -> Iterator[Labels]:
        """All datasets of 1..n rows: n is a bound, not their number."""
        for rows in range(1, self.n + 1):
            yield from multisets(self.universe, rows)

    def pairs(self) -> Iterator[tuple[Labels, Labels]]:
        """All neighbours among them."""
        for rows in range(1, self.n + 1):
            yield from neighbouring_multisets(self.universe, rows, "replace-one")

    def added(self) -> Iterator[tuple[Labels, Labels]]:
        """All neighbours of 0..n rows by a row more or less, in both orders."""
        return neighbouring_multisets(self.universe, self.n, "add-remove")

    def of_the_double(self) -> "Case":
        """The same for 2 epsilon, whose table serves for a row more or less."""
        return self._replace(epsilon=str(2 * mpq(self.epsilon)))


class Listed:
    """A source that hands out given words, over and over, and records how it was read."""

    name = "listed"

    def __init__(self, words: Sequence[int], bits: int) -> None:
        self._words, self._spare = cycle(words), 64 - bits
        self.reads = list[int]()

    def read(self, size: int) -> bytes:
        """The next words, each in the first bits of eight bytes, of which the others are 1."""
        self.reads.append(size)
        taken = islice(self._words, size // 8)
        return b"".join(((word << self._spare) + (1 << self._spare) - 1).to_bytes(8, "little") for word in taken)
