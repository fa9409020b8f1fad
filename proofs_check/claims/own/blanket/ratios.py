"""The exact worst ratios of a BlanketHistogram over all pairs of neighbours and all outputs, by classes.

Labels are alike, and what a label x contributes to a probability is a factor of its own: of the others only their number a in
the data, the number s of these that are shown, and the number j of others in the output meet it, in what fits into the slots.
So a pair of datasets and an output is told by the counts and places of the one or two labels that change, by a, s and j. The
release that is withheld is apart: there all counts matter, and all partitions of the rows are tried.
"""

from collections.abc import Iterator
from functools import cache, cached_property
from itertools import product
from math import comb
from typing import NamedTuple

from gmpy2 import mpq, mpz

from finitedp.proofs_check.claims.own.blanket.slots import Numbers
from finitedp.spec import dyadic


@cache
def covering(length: int, needed: int, others: int) -> int:
    """How many sequences over `needed` and `others` labels have all that are needed: by the places of the first of them."""
    if needed == 0:
        return int(mpz(others) ** length)
    return sum((comb(length, i) * covering(length - i, needed - 1, others) for i in range(1, length + 1)), mpz(0))


def shown_alone(numbers: Numbers) -> dict[int, mpq]:
    """m_1(v), for v in b+1..n: the probability that a label with one row is shown with v."""
    law = dyadic.law(numbers.weights, 1)
    return {v: law[v] for v in range(numbers.b + 1, numbers.n + 1)}


def partitions(rows: int, parts: int, largest: int) -> Iterator[tuple[int, ...]]:
    """All counts, in falling order, of exactly so many rows."""
    if rows == 0:
        yield ()
    elif parts:
        for first in range(min(rows, largest), 0, -1):
            yield from ((first, *rest) for rest in partitions(rows - first, parts - 1, first))


class Part(NamedTuple):
    """What one label contributes: a factor, and how much more is shown, invented, and in the data."""

    factor: mpq
    shown: int
    invented: int
    present: int


class Worst(NamedTuple):
    """The largest ratios over all pairs and outputs: with over without a row, the inverse, and of pairs that replace one."""

    more: mpq
    fewer: mpq
    replaced: mpq

    def within(self, up: mpq, down: mpq) -> bool:
        """Whether a row more raises probabilities up to the one factor and lowers them up to the other."""
        return self.more <= up and self.fewer <= down and self.replaced <= up * down


class Classes:
    """Probabilities of classes of outputs, up to a factor that all have."""

    def __init__(self, numbers: Numbers) -> None:
        self.numbers = numbers
        self.y = mpq(numbers.q, ((1 << numbers.h) - numbers.q) * numbers.indices)
        self._fits = dict[tuple[int, int, int], mpq]()

    @cached_property
    def _parts(self) -> dict[tuple[int, int | None], Part]:
        values, whole = range(self.numbers.b + 1, self.numbers.n + 1), sum(self.numbers.t)
        parts: dict[tuple[int, int | None], Part] = {(0, None): Part(mpq(1), 0, 0, 0)}
        parts |= {(0, v): Part(mpq(t, whole), 0, 1, 0) for v, t in zip(values, self.numbers.t, strict=True)}
        for count in range(1, self.numbers.n + 1):
            law = dyadic.law(self.numbers.weights, count)
            parts[count, None] = Part(law.probability(lambda v: v <= self.numbers.b), 0, 0, 1)
            parts |= {(count, v): Part(law[v], 1, 0, 1) for v in values}
        return parts

    @cached_property
    def places(self) -> list[int | None]:
        """What a label can have in an output: nothing, or a count."""
        return [None, *range(self.numbers.b + 1, self.numbers.n + 1)]

    def fits(self, room: int, needed: int, present: int) -> mpq:
        """The mass of all sequences of at most so many slots that hold what is needed, and else only what is in the data."""
        key = (room, needed, present)
        if key not in self._fits:
            lengths = range(needed, min(room, self.numbers.slots) + 1)
            terms = (comb(self.numbers.slots, i) * covering(i, needed, present) * self.y**i for i in lengths)
            self._fits[key] = sum(terms, mpq(0))
        return self._fits[key]

    def chance(self, others: tuple[int, int, int], *changed: tuple[int, int | None]) -> mpq:
        """The mass of an output, for the numbers a, s, j of the other labels and counts and places of those that change."""
        present, shown, invented = others
        factor = mpq(1)
        for part in (self._parts[label] for label in changed):
            factor *= part.factor
            present, shown, invented = present + part.present, shown + part.shown, invented + part.invented
        return factor * self.fits(self.numbers.cap - shown, invented, present)

    def others(self, rows: int, labels: int) -> Iterator[tuple[int, int, int]]:
        """All a, s, j where so many rows and labels are taken by those that change."""
        numbers = self.numbers
        for a in range(min(numbers.n - rows, numbers.size - labels) + 1):
            for s in range(min(a, numbers.cap) + 1):
                for j in range(min(numbers.cap - s, numbers.indices - labels - a) + 1):
                    yield a, s, j

    def removed(self) -> Iterator[mpq]:
        """With over without one of c rows of x."""
        for c in range(1, self.numbers.n + 1):
            for others, place in product(self.others(c, 1), self.places):
                more, less = self.chance(others, (c, place)), self.chance(others, (c - 1, place))
                if more or less:
                    yield more / less if less else mpq(10**9)

    def replaced(self) -> Iterator[mpq]:
        """With c rows of x and d of y over c - 1 and d + 1."""
        n = self.numbers.n
        for c, d in ((k, m - k) for m in range(1, n + 1) for k in range(1, m + 1)):
            for others, at_x, at_y in product(self.others(c + d, 2), self.places, self.places):
                before = self.chance(others, (c, at_x), (d, at_y))
                after = self.chance(others, (c - 1, at_x), (d + 1, at_y))
                if before or after:
                    yield before / after if after else mpq(10**9)

    def withheld(self, counts: tuple[int, ...]) -> mpq:
        """The probability that the release is withheld for these counts."""
        numbers, shown = self.numbers, [mpq(1)]
        for count in counts:
            hidden = self._parts[count, None].factor
            shown = [x * hidden + z * (1 - hidden) for x, z in zip([*shown, mpq(0)], [mpq(0), *shown], strict=True)]
        return 1 - sum((mass * self._hits_up_to[numbers.cap - s] for s, mass in enumerate(shown[: numbers.cap + 1])), mpq(0))

    @cached_property
    def _hits_up_to(self) -> list[mpq]:
        """Pr[N <= i], for i = 0..L."""
        numbers, found, below = self.numbers, list[mpq](), mpz(0)
        misses, whole = (1 << numbers.h) - numbers.q, mpz(1) << (numbers.h * numbers.slots)
        for i in range(numbers.cap + 1):
            below += comb(numbers.slots, i) * mpz(numbers.q) ** i * mpz(misses) ** max(numbers.slots - i, 0)
            found.append(mpq(below, whole))
        return found


def worst_of(numbers: Numbers, *, withheld: bool = True) -> Worst:
    """The exact worst ratios of these numbers, whether they are certified or not; of what is withheld too, or not."""
    classes = Classes(numbers)
    gone, moved = _withheld(classes)
    every = [*classes.removed(), *(gone if withheld else [])]
    replaced = [*classes.replaced(), *moved] or [mpq(1)]
    return Worst(max(every), 1 / min(every), max(*replaced, 1 / min(replaced)))


def _withheld(classes: Classes) -> tuple[list[mpq], list[mpq]]:
    """Ratios of the release that is withheld: where a row goes, or is replaced."""
    numbers = classes.numbers
    every = [counts for rows in range(numbers.n + 1) for counts in partitions(rows, numbers.size, numbers.n)]
    chances, gone, moved = {x: classes.withheld(x) for x in every}, list[mpq](), list[mpq]()
    for counts in every:
        for i, count in enumerate(counts):
            less = (*counts[:i], *(() if count == 1 else (count - 1,)), *counts[i + 1 :])
            gone.append(chances[counts] / chances[_falling(less)])
            moved += [chances[counts] / chances[_falling((*less[:k], less[k] + 1, *less[k + 1 :]))] for k in range(len(less))]
            moved += [chances[counts] / chances[_falling((*less, 1))]] if len(less) < numbers.size else []
    return gone, moved


def _falling(counts: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(sorted(counts, reverse=True))
