"""The stated grids: which instances the ledger's checks run on. The full grid contains the quick one."""

from collections.abc import Iterator, Sequence
from itertools import product
from typing import NamedTuple

from finitedp.spec.pmf import Pmf

__all__ = [
    "Counting",
    "Dataset",
    "Label",
    "LawPair",
    "accuracy_full",
    "accuracy_quick",
    "counting_full",
    "counting_quick",
    "datasets_full",
    "datasets_quick",
    "gamma_full",
    "gamma_quick",
    "law_pairs_full",
    "law_pairs_quick",
    "laws_full",
    "laws_quick",
    "small_laws",
]


Label = str | int


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


def laws_quick() -> list[Pmf[int]]:
    """All laws on 3 outcomes with denominator 5, and on 4 with denominator 3."""
    return small_laws(3, 5) + small_laws(4, 3)


def laws_full() -> list[Pmf[int]]:
    """All laws on 4 outcomes with denominator 7."""
    return small_laws(4, 7)


def law_pairs_quick() -> list[LawPair]:
    """All pairs of laws on 3 outcomes with denominator 4."""
    return _pairs(3, 4)


def law_pairs_full() -> list[LawPair]:
    """All pairs of laws on 3 outcomes with denominator 6, and on 4 with denominator 4."""
    return _pairs(3, 6) + _pairs(4, 4)


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


def counting_quick() -> list[Counting]:
    """n = 1..6 and 12, epsilon = 1, 1/2, 1/3, 1/5, 1/10."""
    return [Counting(n, q) for n, q in product((1, 2, 3, 4, 5, 6, 12), (1, 2, 3, 5, 10))]


def counting_full() -> list[Counting]:
    """n = 1..24 and 60, epsilon = 1/q for q = 1..12, 17, 100, 1000."""
    return [Counting(n, q) for n, q in product((*range(1, 25), 60), (*range(1, 13), 17, 100, 1000))]


def gamma_quick() -> list[Counting]:
    """n = 1..5, epsilon = 1, 1/2, 1/3, 1/10, gamma = 1/2, 1/3, 1/1024; and n = 60 > t = 40 at epsilon = 1, gamma = 1/2."""
    small = [Counting(n, q, g) for n, q, g in product(range(1, 6), (1, 2, 3, 10), (2, 3, 1024))]
    return [*small, Counting(60, 1, 2)]


def gamma_full() -> list[Counting]:
    """n = 1..12, epsilon = 1/q for q = 1..6, 10, 17, gamma = 1/2, 1/3, 1/7, 2^-20, 2^-40; some larger ones.

    The larger ones have epsilon = 1/100, n = 24, or n = 100 and 150 with n > t.
    """
    values = product(range(1, 13), (1, 2, 3, 4, 5, 6, 10, 17), (2, 3, 7, 2**20, 2**40))
    far = ((2, 100, 2), (5, 100, 2**40), (24, 1, 2), (24, 10, 2**20), (100, 1, 2), (150, 1, 16), (150, 2, 2))
    return [Counting(*case) for case in (*values, *far)]


def accuracy_quick() -> list[Counting]:
    """Parameters at which some claimed error is below n, so that the claim says something."""
    return [Counting(20, 1, 64), Counting(18, 1, 2), Counting(24, 2, 64), Counting(60, 3, 1024)]


def accuracy_full() -> list[Counting]:
    """n = 40 and 80, epsilon = 1, 1/2, 1/3, 1/4, gamma = 1/2, 1/64, 2^-30; n = 150 at epsilon = 1/10."""
    values = product((40, 80), (1, 2, 3, 4), (2, 64, 2**30))
    return [*(Counting(*case) for case in values), Counting(150, 10, 1024)]


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
        return tuple(range(self.size)) if self.numbers else tuple("abcdefgh"[: self.size])

    @property
    def labels(self) -> Sequence[Label]:
        """A, the labels that are released."""
        return range(self.size - self.hidden) if self.numbers else self.universe[: self.size - self.hidden]

    def __str__(self) -> str:
        outside = f", {self.hidden} of them not in A" if self.hidden else ""
        return f"|X|={self.size}{outside}, n={self.n}, epsilon=1/{self.q}" + (", A a range" if self.numbers else "")


def datasets_quick() -> list[Dataset]:
    """|X| = 2 and 3, n = 1, 2, epsilon = 1, 1/3; |X| = 4; A smaller than X; A a range."""
    small = [Dataset(size, n, q) for size, n, q in product((2, 3), (1, 2), (1, 3))]
    return [*small, Dataset(4, 1, 1), Dataset(3, 2, 1, hidden=1), Dataset(2, 2, 1, hidden=1), Dataset(3, 2, 1, numbers=True)]


def datasets_full() -> list[Dataset]:
    """|X| = 2, 3, n = 1..4; |X| = 4, n = 1..3; epsilon = 1, 1/2, 1/3, 1/10; more with A smaller than X or a range."""
    shapes: Sequence[tuple[int, int]] = [*product((2, 3), (1, 2, 3, 4)), (4, 1), (4, 2), (4, 3)]
    odd = [Dataset(4, 2, 2, hidden=2), Dataset(3, 3, 1, hidden=1), Dataset(4, 2, 3, hidden=1, numbers=True)]
    return [*(Dataset(size, n, q) for (size, n), q in product(shapes, (1, 2, 3, 10))), *odd]
