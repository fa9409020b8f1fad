"""Parameters of dyadic tables, all small tables, and the grids that the claims about them share."""

from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import product
from typing import NamedTuple

from gmpy2 import mpq

from finitedp.impl.counting.dyadic import DyadicSample
from finitedp.impl.counting.dyadic_table import LARGEST_WORD, DyadicTable, dyadic_table
from finitedp.proofs_check.ledger.entry import Cases, in_scope
from finitedp.spec import dyadic as spec

Weights = tuple[int, ...]


class Dyadic(NamedTuple):
    """Parameters of DyadicSample: n, epsilon, and the bits of the word."""

    n: int
    epsilon: str
    word: int

    def __str__(self) -> str:
        return f"n={self.n}, epsilon={self.epsilon}, {self.word} bits"

    @property
    def weights(self) -> tuple[int, ...]:
        """The table of the definition. Raises: OutOfScopeError where there is none."""
        return _weights(self)

    @property
    def ratio(self) -> mpq:
        return spec.ratio_below(self.epsilon, self.word)


@lru_cache(maxsize=256)
def _weights(of: Dyadic) -> Weights:
    in_scope(of.n >= 1 and 2 <= of.word <= LARGEST_WORD and mpq(of.epsilon) > 0, "n >= 1, a word of 2 bits, epsilon > 0")
    found = spec.table(of.n, of.ratio, of.word)
    in_scope(found is not None, f"there is a table for {of}")
    return found or ()


# words of 8 and 64 bits; some with a long stretch of equal weights
SMALL_QUICK = [Dyadic(n, e, b) for n, e, b in product((1, 2, 5), ("1", "1/3", "5/2"), (8, 64))]
SMALL_QUICK += [Dyadic(4, "20", 6), Dyadic(3, "100", 8), Dyadic(30, "1/2", 10), Dyadic(40, "4", 64), Dyadic(70, "1/2", 14)]
SMALL_QUICK += [Dyadic(60, "6", 128), Dyadic(9, "1/10", 12)]
# words of 14 to 162 bits; longer stretches
SMALL_MORE = [Dyadic(n, e, b) for n, e, b in product(range(1, 9), ("3", "1", "2/7", "1/100"), (14, 54, 64, 162))]
SMALL_MORE += [Dyadic(12, "1/2", 9), Dyadic(200, "1/2", 16), Dyadic(100, "4", 64), Dyadic(90, "7/2", 128)]
SMALL_MORE += [Dyadic(150, "1/10", 48)]
SMALL = Cases(SMALL_QUICK, SMALL_MORE)
TABLE = ["finitedp.impl.counting.dyadic_table.dyadic_table", "finitedp.spec.dyadic.table"]
RATIOS = (("2", mpq(5, 2)), ("2", mpq(2)), ("1", mpq(3, 2)), ("1/2", mpq(5, 4)), ("3", mpq(4)))


class Small(NamedTuple):
    """All lists of n + 1 positive weights with w_0 + 2(w_1 + ... + w_n) = 2^bits, and an epsilon with its R."""

    n: int
    bits: int
    epsilon: str
    ratio: mpq

    def lists(self) -> Iterator[Weights]:
        for rest in compositions(2 ** (self.bits - 1), self.n + 1):
            yield (2 * rest[0], *rest[1:])

    def __str__(self) -> str:
        return f"n={self.n}, {self.bits} bits, R={self.ratio}"


def compositions(total: int, parts: int) -> Iterator[Weights]:
    """All lists of so many positive integers with a sum, in order."""
    if parts == 1:
        yield (total,)
        return
    for first in range(1, total - parts + 2):
        yield from ((first, *rest) for rest in compositions(total - first, parts - 1))


MakeTable = Callable[[Dyadic], DyadicTable]


def built(case: Dyadic) -> DyadicTable:
    """The table that is built."""
    return dyadic_table(case.n, case.epsilon, case.word)


def table_of(broken: type[DyadicSample]) -> MakeTable:
    """The table of a broken mechanism."""
    return lambda case: broken(case.n, case.epsilon, case.word).table
