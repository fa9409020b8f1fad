"""Privacy units, from their definitions: which rows of a unit count, and the changes of counts that one unit makes."""

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, product
from math import prod
from typing import TypeVar

from gmpy2 import mpq

from finitedp.spec.divergence import max_ratio
from finitedp.spec.pmf import Pmf
from finitedp.units import Unit

__all__ = ["changes", "kept_rows", "kept_rows_of_all", "largest_delta", "largest_ratio"]

L = TypeVar("L", bound=str)
Counts = tuple[int, ...]
Law = Callable[[int], Pmf[int]]


def changes(unit: Unit, labels: int) -> Iterator[Counts]:
    """How many rows a unit may have of each of so many labels, that count."""
    for rows in product(range(unit.rows_per_label + 1), repeat=labels):
        if sum(rows) <= unit.rows and sum(map(bool, rows)) <= unit.labels:
            yield rows


def largest_ratio(law: Law, n: int, unit: Unit) -> mpq:
    """The worst ratio of independent noisy counts of which one unit changes some, by enumeration; counts above n are n."""

    def one(d: int) -> mpq:
        pairs = [(law(c), law(min(c + d, n))) for c in range(n + 1)]
        return max(max(max_ratio(p, q).value, max_ratio(q, p).value) for p, q in pairs)

    worst = [one(d) for d in range(unit.rows_per_label + 1)]
    return max(prod((worst[d] for d in rows), start=mpq(1)) for rows in changes(unit, unit.labels))


def largest_delta(law: Law, n: int, b: int, unit: Unit) -> mpq:
    """The largest probability that of labels that one unit alone has, some noisy count is above b, by enumeration."""
    hidden = [mpq(1), *(law(min(d, n)).probability(lambda z: z <= b) for d in range(1, unit.rows_per_label + 1))]
    return max(1 - prod((hidden[d] for d in rows), start=mpq(1)) for rows in changes(unit, unit.labels))


def kept_rows(rows: Sequence[L], labels: Sequence[L], unit: Unit) -> Pmf[Counts]:
    """The counts by label of the rows of one unit that count: uniformly chosen labels, then uniformly chosen rows of them."""
    own = sorted(set(rows))
    found = dict[Counts, mpq]()
    sets = list(combinations(own, min(len(own), unit.max_labels or len(own))))
    for some in sets:
        capped = [x for x in some for _ in range(min(rows.count(x), unit.max_rows_per_label or len(rows)))]
        picks = list(combinations(capped, min(len(capped), unit.max_rows or len(capped))))
        for pick in picks:
            counts = tuple(map(pick.count, labels))
            found[counts] = found.get(counts, mpq(0)) + mpq(1, len(sets) * len(picks))
    return Pmf.from_probabilities(found)


def kept_rows_of_all(frame: Sequence[Sequence[L]], labels: Sequence[L], unit: Unit) -> Pmf[Counts]:
    """The counts of all units together, which choose independently of each other."""
    found = {(0,) * len(labels): mpq(1)}
    for rows in frame:
        law, more = kept_rows(rows, labels, unit), dict[Counts, mpq]()
        for before, p in found.items():
            for own in law.support:
                counts = tuple(x + y for x, y in zip(before, own, strict=True))
                more[counts] = more.get(counts, mpq(0)) + p * law[own]
        found = more
    return Pmf.from_probabilities(found)
