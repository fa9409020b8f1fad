"""The stated grids: which instances the ledger's checks run on. The full grid contains the quick one."""

from collections.abc import Iterator, Sequence
from itertools import product
from typing import NamedTuple

from finitedp.proofs_check.ledger.entry import Cases, cases
from finitedp.spec.pmf import Pmf

Label = str | int


def letters(size: int) -> tuple[str, ...]:
    """So many different labels, the small letters first: a, b, c, ..."""
    return tuple(map(chr, range(ord("a"), ord("a") + size)))


class LawPair(NamedTuple):
    """Two laws on the same outcomes."""

    p: Pmf[int]
    q: Pmf[int]


def small_laws(outcomes: int, total: int) -> list[Pmf[int]]:
    """All laws on 0..outcomes-1 whose probabilities are multiples of 1/total."""
    return [Pmf(dict(enumerate(weights))) for weights in _compositions(total, outcomes)]


def _compositions(total: int, parts: int) -> Iterator[tuple[int, ...]]:
    if parts == 1:
        yield (total,)
        return
    for first in range(total + 1):
        for rest in _compositions(total - first, parts - 1):
            yield (first, *rest)


def _pairs(outcomes: int, total: int) -> list[LawPair]:
    laws = small_laws(outcomes, total)
    return [LawPair(p, q) for p, q in product(laws, repeat=2)]


def law_pairs_quick() -> list[LawPair]:
    """All pairs of laws on 3 outcomes with denominator 4."""
    return _pairs(3, 4)


def law_pairs_full() -> list[LawPair]:
    """All pairs of laws on 3 outcomes with denominator 6, and on 4 with denominator 4."""
    return _pairs(3, 6) + _pairs(4, 4)


LAWS = Cases(lambda: small_laws(3, 5) + small_laws(4, 3), lambda: small_laws(4, 7))
"""All laws on 3 outcomes with denominator 5, and on 4 with denominator 3; in full on 4 with denominator 7."""

LAW_PAIRS = Cases(law_pairs_quick, law_pairs_full)
"""All pairs of small laws."""


class Counting(NamedTuple):
    """Parameters of a counting-query mechanism: n, epsilon = 1/q, gamma = 1/g (g = 0 where there is no gamma)."""

    n: int
    q: int
    g: int = 0

    @property
    def epsilon(self) -> str:
        """1/q."""
        return f"1/{self.q}"

    @property
    def gamma(self) -> str:
        """1/g."""
        return f"1/{self.g}"

    def __str__(self) -> str:
        return f"n={self.n}, epsilon=1/{self.q}" + (f", gamma=1/{self.g}" if self.g else "")


COUNTING = cases(
    Counting,
    product((1, 2, 3, 4, 5, 6, 12), (1, 2, 3, 5, 10)),
    product((*range(1, 25), 60), (*range(1, 13), 17, 100, 1000)),
)
"""n up to 12, epsilon from 1 to 1/10; in full n up to 60, epsilon to 1/1000."""

GAMMA = cases(
    Counting,
    [*product(range(1, 6), (1, 2, 3, 10), (2, 3, 1024)), (48, 1, 2)],
    [
        *product(range(1, 13), (1, 2, 3, 4, 5, 6, 10, 17), (2, 3, 7, 2**20, 2**40)),
        *((60, 1, 2), (2, 100, 2), (5, 100, 2**40), (24, 1, 2), (24, 10, 2**20), (100, 1, 2), (150, 1, 16), (150, 2, 2)),
    ],
)
"""Small n, gamma from 1/2 to 1/1024, and n = 48 above the truncation t = 39; in full more, to n = 150 above t."""

ACCURACY = cases(
    Counting,
    [(20, 1, 64), (18, 1, 2), (24, 2, 64), (40, 3, 1024)],
    [(60, 3, 1024), *product((40, 80), (1, 2, 3, 4), (2, 64, 2**30)), (150, 10, 1024)],
)
"""Parameters at which some claimed error is below n, so that the claim says something."""


class Dataset(NamedTuple):
    """Datasets of n rows over a universe X, of which the last `hidden` labels are not in A; the counting epsilon = 1/q.

    The labels are letters, or integers where `numbers` is set, so that A is a range.
    """

    size: int
    n: int
    q: int
    hidden: int = 0
    numbers: bool = False

    @property
    def universe(self) -> tuple[Label, ...]:
        """X: a, b, c, ... or 0, 1, 2, ..."""
        return tuple(range(self.size)) if self.numbers else letters(self.size)

    @property
    def labels(self) -> Sequence[Label]:
        """A, the labels that are released."""
        return range(self.size - self.hidden) if self.numbers else self.universe[: self.size - self.hidden]

    def __str__(self) -> str:
        outside = f", {self.hidden} of them not in A" if self.hidden else ""
        return f"|X|={self.size}{outside}, n={self.n}, epsilon=1/{self.q}" + (", A a range" if self.numbers else "")


DATASETS = cases(
    Dataset,
    [*product((2, 3), (1, 2), (1, 3)), (4, 1, 1), (3, 2, 1, 1), (2, 2, 1, 1), (3, 2, 1, 0, True)],
    [
        *((size, n, q) for (size, n), q in product([*product((2, 3), (1, 2, 3, 4)), (4, 1), (4, 2), (4, 3)], (1, 2, 3, 10))),
        *((4, 2, 2, 2), (3, 3, 1, 1), (4, 2, 3, 1, True)),
    ],
)
"""|X| = 2 and 3, n = 1, 2, epsilon = 1, 1/3; |X| = 4; A smaller than X; A a range; in full n up to 4, epsilon to 1/10."""
