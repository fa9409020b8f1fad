"""BlanketHistogram at |X| of 2^64 and more, our own: its exact law, by the explorer on intervals.

A slot's label is compared with those that occur, with some others that are looked at, and with the labels drawn before; one
that is none of these is any of the rest, and one of the rest stands for all. What is released is told up to which they are.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import chain, combinations_with_replacement, product
from math import comb, factorial, prod
from typing import NamedTuple

from gmpy2 import mpq

from finitedp.impl.histograms.blanket.histogram import draw
from finitedp.impl.randomness.coins import Coins
from finitedp.proofs_check.claims.own.blanket.slots import Numbers, Release, check_numbers
from finitedp.proofs_check.claims.own.blanket.subjects import built, specified
from finitedp.proofs_check.engine.explorer import explore
from finitedp.proofs_check.ledger.entry import Finding, cases, in_scope
from finitedp.proofs_check.ledger.findings import own, same_law
from finitedp.spec import blanket as spec
from finitedp.spec.pmf import Pmf

Told = tuple[tuple[tuple[int, int], ...], tuple[int, ...], tuple[int, ...]] | None
"""What is released: labels that are looked at with their counts, the counts of other labels, and of other phantoms."""


class Case(NamedTuple):
    """A plan, the counts of the labels that occur, and others that are looked at."""

    numbers: Numbers
    counts: tuple[tuple[int, int], ...]
    others: tuple[int, ...] = ()

    def check_scope(self) -> None:
        check_numbers(self.numbers)
        in_scope(all(len(each) == 2 and each[1] >= 1 for each in self.counts), "labels with counts of rows")
        in_scope(sum(count for _, count in self.counts) <= self.numbers.n, "at most n rows")
        in_scope(all(0 <= x < self.numbers.size for x, _ in self.counts), "labels of the universe")
        in_scope(all(0 <= x < self.numbers.indices for x in self.others), "indices of labels, or of phantoms")
        in_scope(len(set(self.watched)) == len(self.watched), "each looked at once")

    def __str__(self) -> str:
        return f"|X| = {self.numbers.size:#x}, n={self.numbers.n}, counts {self.counts}, looking at {self.others}"

    @property
    def watched(self) -> tuple[int, ...]:
        """The labels that are told apart."""
        return (*(x for x, _ in self.counts), *self.others)


class _Labels:
    """Coins for one run: a draw of a label is one that is known, or one of the rest, for which the last free one stands."""

    def __init__(self, coins: Coins, case: Case) -> None:
        self.slack, self._coins, self._numbers = coins.slack, coins, case.numbers
        self._known, self._left = list(case.watched), case.numbers.n + case.numbers.slots
        self._labels = case.numbers.cap

    def uniform(self, d: int, most: int | None = None) -> int:
        return self._coins.uniform(d, most)

    def bits(self, b: int) -> int:
        drawn = self._coins.bits(b)
        self._left -= 1
        if not -self._labels <= self._left < 0:
            return drawn
        for x in self._known:
            if drawn == x:
                return x
        end = self._numbers.size if drawn < self._numbers.size else self._numbers.indices
        last = end - 1
        while last in self._known:
            last -= 1
        self._known.append(last)
        return last


def _told(found: Release, case: Case) -> Told:
    if found is None:
        return None
    rest = [(x, v) for x, v in found if x not in case.watched]
    real, phantoms = ([v for x, v in rest if (x < case.numbers.size) is side] for side in (True, False))
    return tuple(pair for pair in found if pair[0] in case.watched), tuple(sorted(real)), tuple(sorted(phantoms))


def _ways(labels: int, values: tuple[int, ...]) -> int:
    """In how many ways distinct ones of so many labels have these counts."""
    return comb(labels, len(values)) * factorial(len(values)) // prod(factorial(k) for k in Counter(values).values())


def _classes(case: Case) -> Iterator[tuple[Told, mpq]]:
    """Every class with its probability by the closed form."""
    numbers, blanket, data = case.numbers, specified(case.numbers), dict(case.counts)
    values = range(numbers.b + 1, numbers.n + 1)
    inside = sum(x < numbers.size for x in case.watched)
    rest = numbers.size - inside, numbers.indices - numbers.size - (len(case.watched) - inside)
    free, beyond = (
        [x for x in range(start, min(start + 10, end)) if x not in case.watched]
        for start, end in ((0, numbers.size), (numbers.size, numbers.indices))
    )
    yield None, spec.withheld(blanket, data)
    for at in product((None, *values), repeat=len(case.watched)):
        kept = tuple(sorted((x, v) for x, v in zip(case.watched, at, strict=True) if v is not None))
        for real, phantoms in product(range(numbers.cap - len(kept) + 1), repeat=2):
            if len(kept) + real + phantoms > numbers.cap:
                continue
            for pair in product(combinations_with_replacement(values, real), combinations_with_replacement(values, phantoms)):
                ways = _ways(rest[0], pair[0]) * _ways(rest[1], pair[1])
                if ways:
                    labels = chain(free[:real], beyond[:phantoms])
                    outcome = tuple(sorted((*kept, *zip(labels, chain(*pair), strict=True))))
                    yield (kept, *pair), ways * spec.probability(blanket, data, outcome)


PURE = mpq(2**70)
ONE = Numbers(2**64, (2, 1), PURE, 0, 1, 2, 1, 1, (4,))
TWO = Numbers(2**64, (2**70 - 8, 2, 2), PURE, 1, 2, 3, 5, 3, (1,))
SMALL = TWO._replace(cap=1, slots=2)
PHANTOMS = TWO._replace(size=2**63 + 3, slots=3)
WIDE = Numbers(2**64 - 59, (2**70 - 12, 2, 2, 2), PURE, 1, 2, 3, 5, 3, (3, 1))
STRINGS = TWO._replace(size=2**128 + 1, q=1)
PLACES = cases(
    Case,
    [
        (ONE, ((5, 1),), (2**32 + 5,)),
        (SMALL, ((2**53, 1), (2**64 - 1, 1)), (2**53 + 1,)),
        (PHANTOMS, ((2**63 + 2, 2),), (2**63 + 3,)),
    ],
    [
        (TWO, ((2**53, 1), (2**64 - 1, 1)), (2**53 + 1,)),
        (ONE, (), (0, 2**64 - 1)),
        (WIDE, ((7, 2), (2**32 + 7, 1)), (2**64 - 60, 2**64 - 59)),
        (STRINGS, ((2**64, 1), (2**128, 1)), (0, 2**129 - 1)),
    ],
)


class _Cut:
    """Broken coins: numbers that are known are cut."""

    def __init__(self, coins: Coins, bits: int) -> None:
        self.slack, self.uniform, self._coins, self._bits = coins.slack, coins.uniform, coins, bits

    def bits(self, b: int) -> int:
        drawn = self._coins.bits(b)
        return drawn % 2**self._bits if type(drawn) is int else drawn


class _Rounded(_Cut):
    """Broken coins: numbers that are known pass through a double."""

    def bits(self, b: int) -> int:
        drawn = self._coins.bits(b)
        return int(float(drawn)) if type(drawn) is int else drawn


@own(
    "FD.Blanket.real-labels",
    """The running BlanketHistogram has the law of the closed form at |X| of 2^64 and 2^128 + 1, with phantoms and without.""",
    over="n = 1, 2, 3; labels that occur, and some that do not, told apart, and all others by their counts; the explorer",
    code=["finitedp.impl.histograms.blanket.histogram.draw"],
    grid=PLACES,
    subject=draw,
    twins={
        "labels of 32 bits": lambda plan, data, coins: draw(plan, data, _Cut(coins, 32)),
        "labels by way of a double": lambda plan, data, coins: draw(plan, data, _Rounded(coins, 64)),
    },
)
def real_labels(run: Callable[..., Release], case: Case) -> Finding:
    plan, data = built(case.numbers), dict(case.counts)
    found = explore(lambda coins: _told(run(plan, data, _Labels(coins, case)), case))
    expected: dict[Told, mpq] = dict(_classes(case))
    return same_law(found.law(), Pmf.from_probabilities(expected), "what is released")
