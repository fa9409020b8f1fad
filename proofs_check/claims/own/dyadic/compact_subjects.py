"""Cases of CompactHistogram on dyadic tables: their laws from spec, the running histogram, and datasets."""

from collections import Counter
from collections.abc import Callable
from itertools import product
from typing import Any, NamedTuple

from gmpy2 import mpq

from finitedp.exact import RationalLike
from finitedp.impl.counting.dyadic import DyadicSample
from finitedp.impl.histograms.compact import CompactHistogram, compact_histogram_with_dyadic_sample
from finitedp.proofs_check.claims.bv.compact.toys import ToyTable
from finitedp.proofs_check.ledger.entry import cases
from finitedp.spec import dyadic as tables
from finitedp.spec.pmf import Pmf

FOR_COINS = mpq(1, 2**126)  # of epsilon, for what strict coins add


class Case(NamedTuple):
    """|X|, n, epsilon, and the bits of the word."""

    size: int
    n: int
    epsilon: str
    word: int

    def __str__(self) -> str:
        size = f"2^{self.size.bit_length() - 1}" if self.size > 1000 else str(self.size)
        return f"|X|={size}, n={self.n}, epsilon={self.epsilon}, {self.word} bits"

    @property
    def bits(self) -> int:
        """log2 of the field: the least 2 * 3^l for which there are enough elements."""
        needed = max(self.size, self.n + 1, 2**self.word)
        return int(2 * 3 ** next(k for k in range(9) if 4 ** (3**k) >= needed))

    @property
    def ratio(self) -> mpq:
        return tables.ratio_below(mpq(self.epsilon) - FOR_COINS, self.word)

    def law(self, count: int) -> Pmf[int]:
        return tables.dyadic_sample(self.n, mpq(self.epsilon) - FOR_COINS, self.word, count)

    def built(self, compact: Any = CompactHistogram) -> CompactHistogram[Any]:  # noqa: ANN401  # or a copy
        return built(self, compact=compact)


class Table(NamedTuple):
    """|X|, and the noisy counts of each true count, one for every draw."""

    size: int
    rows: tuple[tuple[int, ...], ...]

    @property
    def n(self) -> int:
        return len(self.rows) - 1

    def law(self, count: int) -> Pmf[int]:
        return Pmf(Counter(self.rows[count]))

    def built(self, compact: Any = CompactHistogram) -> CompactHistogram[Any]:  # noqa: ANN401  # or a copy
        made: CompactHistogram[Any] = compact(ToyTable(self.rows), range(self.size))
        return made


Make = Callable[[int, RationalLike, int], DyadicSample]


def built(case: Case, make: Make = DyadicSample, compact: Any = CompactHistogram) -> CompactHistogram[Any]:  # noqa: ANN401
    """The instance, or a broken copy of it or of its mechanism."""
    if make is DyadicSample and compact is CompactHistogram:
        return compact_histogram_with_dyadic_sample(range(case.size), case.n, case.epsilon, case.word)
    mechanism = make(case.n, mpq(case.epsilon) - FOR_COINS, case.word)
    broken: CompactHistogram[Any] = compact(mechanism, range(case.size))
    return broken


def rows(case: Case) -> list[dict[int, int]]:
    """Datasets of n rows as counts: two labels, and all labels different as far as there are labels."""
    two = [{x: c for x, c in ((0, first), (case.size - 1, case.n - first)) if c} for first in range(case.n + 1)]
    return [*two, dict.fromkeys(range(case.n), 1)] if case.n <= case.size else two


PRIVATE = cases(
    Case,
    [
        *product((2**64,), (1, 4, 9), ("1", "1/10", "2/7"), (162,)),
        *((2**54, 5, "1", 54), (1000, 3, "1/3", 18), (2, 2, "2", 6), (2**32, 6, "5", 64)),
    ],
    [
        *product((2, 2**161, 2**200), (2, 12, 20), ("4", "1/3", "1/1000"), (162,)),
        *((2**40, 30, "1/2", 54), (2**64, 9, "1/100", 128), (3, 12, "1", 200)),
    ],
)
