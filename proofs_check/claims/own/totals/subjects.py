"""Small sums of clipped values: their data, their laws from spec, and broken mechanisms."""

from collections.abc import Callable, Iterator, Sequence
from functools import cache, cached_property
from itertools import product
from typing import NamedTuple

from attrs import frozen
from gmpy2 import mpq

from finitedp.claim import check_neighbours
from finitedp.impl.counting.bounded_total import BoundedTotal
from finitedp.impl.counting.dyadic import DyadicSample
from finitedp.proofs_check.claims.own.dyadic.subjects import Dyadic
from finitedp.proofs_check.engine.explorer import explore
from finitedp.proofs_check.ledger.entry import but, cases
from finitedp.spec.columns.total import clipped_sum, total_sample, worst_change
from finitedp.spec.neighbours import multisets, neighbouring_multisets
from finitedp.spec.pmf import Pmf

MORE = 1  # rows above n that are tried
Rows = tuple[int | None, ...]


def worst_ratio(laws: Sequence[Pmf[int]], d: int) -> mpq:
    """The worst ratio over all counts that differ by at most d, of the definition."""
    pairs = ((a, b) for a, b in product(range(len(laws)), repeat=2) if 0 < abs(a - b) <= d)
    return max(max(laws[a][z] / laws[b][z] for z in range(len(laws))) for a, b in pairs)


class Sum(NamedTuple):
    """Up to n values, clipped to low..high; epsilon, the bits of a word, what is a neighbour, the step, missing values."""

    n: int
    low: int
    high: int
    epsilon: str
    word: int
    neighbours: str = "add-remove"
    step: int = 1
    missing: bool = False

    @property
    def changed(self) -> int:
        """In how many steps one row shows at most."""
        return -(-worst_change(self.low, self.high, self.neighbours, missing=self.missing) // self.step)

    @property
    def ends(self) -> tuple[int, int]:
        """The least and the largest sum."""
        return self.n * min(self.low, 0), self.n * max(self.high, 0)

    @property
    def table(self) -> Dyadic:
        """The parameters of the table, from the definition."""
        least, most = self.ends
        below, rest = divmod(most - least, self.step)
        return Dyadic(below + (2 * rest >= self.step), str(2 * mpq(self.epsilon) / self.changed), self.word)

    def law(self, rows: Rows) -> Pmf[int]:
        return total_sample(self.table.weights, clipped_sum(rows, self.low, self.high), self.ends, self.step)

    @property
    def values(self) -> Rows:
        """Values within the bounds and beyond them, and a missing one where there may be such."""
        held = (self.low - 3, self.low, (self.low + self.high) // 2, self.high, self.high + 3)
        return (*dict.fromkeys(held), *([None] if self.missing else []))

    def sizes(self) -> Sequence[int]:
        """Numbers of rows: for a row more or less up to more than n."""
        return range(self.n + MORE + 1) if self.neighbours == "add-remove" else [self.n]

    def datasets(self) -> Iterator[Rows]:
        """Data of these sizes, with repeated values once."""
        for size in self.sizes():
            yield from multisets(self.values, size)

    def pairs(self) -> Iterator[tuple[Rows, Rows]]:
        """All neighbours among them."""
        return neighbouring_multisets(self.values, max(self.sizes()), check_neighbours(self.neighbours))


def made(case: Sum) -> BoundedTotal:
    """The running mechanism."""
    return made_as(BoundedTotal)(case)


Make = Callable[[Sum], BoundedTotal]


@frozen(slots=False)
class OneRowShort(BoundedTotal):
    """The table of a sum that is one step less than the largest one."""

    @cached_property
    def mechanism(self) -> DyadicSample:
        most = max(self._steps(self.most) - 1, 1)
        return DyadicSample(most, self.epsilon * mpq(2, self.changed), self.word)

    def apply(self, total: int, u: int) -> int:
        return self._of_steps(self.mechanism.apply(min(self._steps(total), self.mechanism.n), u))


BROKEN: dict[str, type[BoundedTotal]] = {
    "not clipped": but(BoundedTotal, total=lambda self, counts: sum(int(x) * count for x, count in counts.items())),
    "clipped below alone": but(
        BoundedTotal, total=lambda self, counts: sum(max(int(x), self.low) * count for x, count in counts.items())
    ),
    "high - low for a row more or less": but(BoundedTotal, sensitivity=property(lambda self: self.high - self.low or 1)),
    "epsilon for each step": but(
        BoundedTotal,
        mechanism=cached_property(lambda self: DyadicSample(self._steps(self.most), 2 * self.epsilon, self.word)),
    ),
    "rounded down": but(
        BoundedTotal, _steps=lambda self, total: (min(max(total, self.least), self.most) - self.least) // self.step
    ),
    "k rounded down": but(BoundedTotal, changed=property(lambda self: max(self.sensitivity // self.step, 1))),
    "a step short of the largest sum": OneRowShort,
}


def broken(*names: str) -> dict[str, Make]:
    """The twins of these names."""
    return {name: made_as(BROKEN[name]) for name in names}


def made_as(kind: Callable[..., BoundedTotal]) -> Make:
    return lambda case: kind(case.n, case.low, case.high, case.epsilon, case.neighbours, case.step, case.word, case.missing)


SUMS = cases(
    Sum,
    [
        (2, 0, 2, "1", 8),
        (2, 2, 3, "2", 10),
        (2, -2, 1, "1", 10),
        (2, 0, 5, "1", 8, "add-remove", 2),
        (3, 2, 4, "3", 8, "replace-one"),
        (2, -3, 4, "2", 10, "replace-one", 3),
        (2, 2, 3, "1", 8, "replace-one", 1, True),
        (1, 0, 3, "2", 64),
    ],
    [
        (3, 0, 4, "1/2", 12),
        (3, -5, -2, "1", 12),
        (2, 0, 10, "3", 12, "add-remove", 4),
        (3, 1, 9, "1", 64, "replace-one", 3),
        (4, 0, 1, "1/3", 12),
        (2, 5, 7, "1", 64, "add-remove", 7),
    ],
)


@cache  # FD.Total.law and FD.Total.private look at the same data
def running_law_of(mechanism: BoundedTotal, rows: Rows) -> Pmf[int]:
    return explore(lambda coins: mechanism.release([x for x in rows if x is not None], coins)).law()


def running_law_of_sum(mechanism: BoundedTotal, total: int) -> Pmf[int]:
    """The exact law of the running code, for a sum of clipped values."""
    return explore(lambda coins: mechanism.release_total(total, coins)).law()
