"""Numbers of rows and sums for a unit of several rows, our own: what it changes, and the law of a release."""

import json
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from itertools import combinations_with_replacement, permutations, product
from typing import Any, NamedTuple

from gmpy2 import mpq

from finitedp.data.frames import LabelCounts, Options
from finitedp.data.totals import released
from finitedp.data.units.counting import of_rows
from finitedp.data.units.labelling import Labelling
from finitedp.data.units.numbers import Counted, rows_of_units, values_of_units
from finitedp.exact import compare_exp
from finitedp.impl.counting.bounded_total import BoundedTotal, bounded_count, bounded_total, sensitivity
from finitedp.proofs_check.claims.own.dyadic.histogram_subjects import Listed
from finitedp.proofs_check.claims.own.units.subjects import Subject, rows_of_a_unit
from finitedp.proofs_check.ledger.entry import Finding, cases
from finitedp.proofs_check.ledger.findings import all_of, at_most, equal, own
from finitedp.spec.columns.total import clipped_sum, worst_change
from finitedp.spec.divergence import max_ratio
from finitedp.spec.pmf import Pmf
from finitedp.units import Unit


class Change(NamedTuple):
    """Bounds of values, how many rows a unit has at most, what is a neighbour, and whether rows may be without a value."""

    low: int
    high: int
    rows: int
    neighbours: str
    missing: bool = False


Sensitivity = Callable[..., int]
_BOUNDS = ((0, 3), (2, 5), (-4, -1), (-2, 3), (3, 3))


@own(
    "FD.Unit.change",
    """A unit of one to k rows changes a sum of values clipped to low..high by at most max(|k low|, |k high|, |low|, |high|),
    and one that is replaced by at most the largest sum of its rows minus the least; each is attained.""",
    over="all units of 1 to k rows (without a value, too, where some may be missing), values within and outside of the bounds",
    code=["finitedp.impl.counting.bounded_total.sensitivity", "finitedp.spec.columns.total.worst_change"],
    grid=cases(
        Change,
        [(*b, k, r, m) for b in _BOUNDS for k in (1, 2, 3) for r in ("add-remove", "replace-one") for m in (False, True)],
        [(-1, 4, 4, "replace-one"), (2, 3, 4, "replace-one"), (-3, 1, 4, "add-remove")],
    ),
    subject=sensitivity,
    twins={
        "of one row": lambda low, high, relation, *, missing, rows: sensitivity(low, high, relation, missing=missing),
        "k times that of one row": lambda low, high, relation, *, missing, rows: (
            rows * sensitivity(low, high, relation, missing=missing)
        ),
        "k high": lambda low, high, relation, *, missing, rows: rows * abs(high),
    },
)
def change_of_a_unit(change: Sensitivity, case: Change) -> Finding:
    held: list[int | None] = [*range(case.low - 1, case.high + 2), *([None] if case.missing else [])]
    units = [rows for many in range(1, case.rows + 1) for rows in combinations_with_replacement(range(len(held)), many)]
    sums = {clipped_sum([held[i] for i in rows], case.low, case.high) for rows in units}
    worst = max(abs(a - b) for a in sums for b in (sums if case.neighbours == "replace-one" else [0]))
    given = change(case.low, case.high, case.neighbours, missing=case.missing, rows=case.rows)
    defined = worst_change(case.low, case.high, case.neighbours, missing=case.missing, rows=case.rows)
    return all_of([equal(given, worst, "the most"), equal(defined, worst, "of the definition")])


# What is released


Rows = tuple[int, ...]
Frame = tuple[Rows, ...]
Order = dict[tuple[str, int], int]


class Asked(NamedTuple):
    """What is asked for, of values; bounds, n, epsilon, bits of a word, rows of a unit that there are and that count."""

    what: str
    values: Rows
    low: int
    high: int
    n: int
    epsilon: str
    word: int
    most: int
    rows: int = 1
    neighbours: str = "add-remove"
    step: int = 1

    @property
    def unit(self) -> Unit:
        return Unit("person", max_rows=self.rows)

    @property
    def sums(self) -> bool:
        """Whether values are added up."""
        return self.what in ("total", "whole")

    def mechanism(self, unit: Unit | None = None) -> BoundedTotal:
        whose = unit or self.unit
        if self.sums:
            return bounded_total(
                self.n, self.low, self.high, self.epsilon, self.neighbours, step=self.step, word=self.word, unit=whose
            )
        return bounded_count(self.n, self.epsilon, self.neighbours, word=self.word, unit=whose, least=self.low)

    def pairs(self) -> Iterator[tuple[Frame, Frame]]:
        """All frames of two units or fewer that differ in one unit, in both orders; a unit that is replaced has rows."""
        units = rows_of_a_unit(self.values, self.most)
        there = units[1:]
        for rest, one, other in product(units, there, there if self.neighbours == "replace-one" else [()]):
            if one != other:
                yield from permutations([(rest, one), (rest, other)])

    def orders(self, rows: Rows) -> list[Order]:
        """All orders of a unit's rows, where a key chooses among them."""
        numbered = [(str(x), rows[:i].count(x) + 1) for i, x in enumerate(rows)] if self.what == "total" else []
        return [dict(zip(numbered, order, strict=True)) for order in permutations(range(len(numbered)))]


Choice = Callable[[Asked, Frame, tuple[Order, ...]], Counted]


def _counted(asked: Asked, frame: Frame, orders: tuple[Order, ...], unit: Unit | None = None) -> Counted:
    """The running code on the pairs of a unit and a value."""

    def counting(labelling: Labelling, bounds: Unit, by: Any) -> LabelCounts:  # noqa: ANN401  # sums
        rows = [(u, (x,) if labelling.columns else (), own.count(x)) for u, own in enumerate(frame) for x in sorted(set(own))]
        ranking = by or (lambda u, x, i: orders[int(u)][x.decode(), i] if i else 0)
        return of_rows(rows, labelling, bounds, Options(), ranking)

    if asked.sums:
        return values_of_units(counting, "stay", (asked.low, asked.high), unit or asked.unit, whole=asked.what == "whole")
    column, wanted = (None, None) if asked.what == "rows" else ("stay", 1)
    return rows_of_units(counting, column, wanted, unit or asked.unit)


def _every_row(asked: Asked, frame: Frame, orders: tuple[Order, ...]) -> Counted:
    """All rows of a unit, each clipped."""
    found = _counted(asked, frame, orders)
    rows = [x for own in frame for x in own if asked.what != "where" or x == 1]
    return Counted({x: rows.count(x) for x in rows} if asked.sums else {1: len(rows)}, found.what)


def _among_all(asked: Asked, frame: Frame, orders: tuple[Order, ...]) -> Counted:
    """The first rows of all units together, as many as count of each of them."""
    found, rows = _counted(asked, frame, orders), sorted(x for own in frame for x in own)
    some = rows[: asked.rows * (sum(map(bool, frame)) - 1) + 1] if rows else []
    return Counted({x: some.count(x) for x in some} if asked.sums else {1: len(some) * 2}, found.what)


@own(
    "FD.Unit.total",
    """What finitedp.total and finitedp.count show with a unit is (epsilon, 0)-differentially private for a unit more, less, or
    another one in its place, of any number of rows, with the ratio that is claimed, and they say the same beside the number
    whatever the data is: of at most k rows of a unit, each clipped, chosen by a key (FD.Unit.bounding, with a random function
    for the hash); of each unit's whole sum, clipped; of the units; and of min(k, its rows) of each, none of them chosen.""",
    over="all frames of two units or fewer, of up to 2 or 3 rows each; all orders, all words, of the running code",
    code=["finitedp.data.totals.total", "finitedp.data.totals.count", "finitedp.data.units.numbers.values_of_units"],
    grid=cases(
        Asked,
        [
            ("total", (0, 1, 5), 0, 2, 2, "1", 7, 3, 2),
            ("total", (-2, 1, 2), -1, 1, 2, "2", 8, 2, 1, "replace-one"),
            ("total", (1, 5), 1, 4, 2, "2", 8, 2, 2, "add-remove", 3),
            ("whole", (0, 1, 3), 0, 2, 2, "1", 7, 3),
            ("whole", (-1, 1, 3), -1, 2, 2, "1", 8, 2, 1, "replace-one"),
            ("rows", (0, 1), 0, 1, 4, "1", 6, 3, 2),
            ("rows", (0, 1), 1, 1, 4, "1", 6, 3, 3, "replace-one"),
            ("rows", (0, 1), 0, 1, 2, "1", 6, 2),
            ("where", (0, 1), 0, 1, 2, "1", 6, 3, 1, "replace-one"),
            ("where", (0, 1), 0, 1, 4, "2", 8, 3, 2, "replace-one"),
        ],
        [("total", (1, 2, 3), 1, 2, 3, "1", 8, 3, 2, "replace-one"), ("whole", (2, 3), 2, 5, 3, "1", 8, 3)],
    ),
    subject=Subject(_counted),
    twins={
        "all rows": Subject(_every_row),
        "rows chosen among all units'": Subject(_among_all),
        "the table of one row": Subject(_counted, lambda _: Unit("person", max_rows=1)),
        "a row more of each": Subject(
            lambda asked, frame, orders: _counted(asked, frame, orders, Unit("person", max_rows=asked.rows + 1))
        ),
    },
)
def released_of_units(subject: Subject, asked: Asked) -> Iterator[Finding]:
    mechanism, said = asked.mechanism(subject.whose(asked.unit)), set[str]()

    @cache
    def noisy(true: int, what: str) -> Pmf[int]:
        """Of one true number, which is all that a release is given: every word, and all that shows beside the value."""
        words = Listed(range(2**asked.word), asked.word)
        found = [released(mechanism, true, what, what, "1/20", words).as_json() for _ in range(2**asked.word)]
        shown = Counter(int(str(about.pop("value"))) for about in found)
        said.update(json.dumps({**about, "error_bar": None}) for about in found)
        return Pmf(shown)

    @cache
    def law(frame: Frame) -> Pmf[int]:
        counted = Counter(
            (mechanism.total(found.values), found.what)
            for each in product(*map(asked.orders, frame))
            for found in [subject.choice(asked, frame, each)]
        )
        return Pmf(counted).then(lambda given: noisy(*given))

    claim = asked.mechanism().claim()
    worst = max(max_ratio(law(a), law(b)).value for a, b in asked.pairs())
    stated = json.loads(next(iter(said)))["claim"]
    yield at_most(worst, claim.ratio or mpq(0), "worst ratio")
    yield equal(compare_exp(claim.ratio or mpq(0), mpq(asked.epsilon)) <= 0, True, "the ratio is at most e^epsilon")
    yield equal((claim.epsilon, claim.delta, claim.unit), (mpq(asked.epsilon), 0, asked.unit), "stated claim")
    yield equal(stated, json.loads(json.dumps(claim.as_json())), "the claim that shows")
    yield equal(len(said), 1, "what is said is the same for all data")
