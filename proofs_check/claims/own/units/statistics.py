"""Statistics for a unit of several rows, our own: the exact delta of one-sided noise, which rows count, what is released."""

from collections.abc import Callable, Iterator
from functools import cache
from itertools import permutations, product
from typing import Any, NamedTuple

from gmpy2 import mpq

from finitedp.data.frames import LabelCounts, Options
from finitedp.data.statistics import answered, prepared
from finitedp.data.units.counting import of_rows
from finitedp.data.units.labelling import Labelling
from finitedp.data.units.statistics import Bars, unit_of_statistic
from finitedp.errors import ParameterError
from finitedp.exact import compare_exp
from finitedp.impl.flexible.releases import FlexibleStatistic
from finitedp.impl.flexible.shifted_truncated import ShiftedTruncated
from finitedp.impl.flexible.tables import ShiftedTable, shifted_table
from finitedp.impl.flexible.units import least_unit_q, shifted_unit_delta
from finitedp.proofs_check.claims.own.dyadic.histogram_subjects import Listed
from finitedp.proofs_check.ledger.entry import Finding, OutOfScopeError, cases, entry
from finitedp.proofs_check.ledger.findings import all_of, at_most, equal, in_turn
from finitedp.spec.divergence import hockey_stick
from finitedp.spec.flexible import shifted_truncated as spec
from finitedp.spec.flexible import statistics
from finitedp.spec.pmf import Pmf
from finitedp.spec.released.units import changes
from finitedp.units import Unit

CODE = "finitedp.impl.flexible.units"


class Case(NamedTuple):
    """q, epsilon of one row, the bits of a word, bars, and the bounds of a unit; what is a neighbour."""

    q: int
    epsilon: str
    word: int
    bars: int
    labels: int | None
    each: int | None
    rows: int | None
    relation: str = "add-remove"

    def check_scope(self) -> None:
        """Something has to bound the rows, and there has to be a table."""
        if self.rows is None and (self.labels is None or self.each is None):
            raise OutOfScopeError("rows, or labels and rows of each")

    @property
    def unit(self) -> Unit:
        """The unit."""
        return Unit("person", self.labels, self.each, self.rows)

    @property
    def whole(self) -> mpq:
        """The epsilon of a unit."""
        return mpq(self.epsilon) * self.unit.rows

    @property
    def table(self) -> ShiftedTable:
        """The weights."""
        return shifted_table(self.q, self.epsilon, self.word, self.relation)

    def moves(self) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
        """Counts with one unit, and without it or with another one, in both orders."""
        units = list(changes(self.unit, self.bars))
        nobody = (0,) * self.bars
        for rest in product(range(self.q + 1), repeat=self.bars):
            for one, other in product(units, units if self.relation == "replace-one" else [nobody]):
                if one != other:
                    pair = [tuple(map(sum, zip(rest, unit, strict=True))) for unit in (one, other)]
                    yield from permutations(pair)


Delta = Callable[[ShiftedTable, Unit, int], mpq]


def _end(table: ShiftedTable) -> mpq:
    return mpq(max(table.weights[0], table.weights[-1]), 1 << table.bits)


def _in_one_bar(table: ShiftedTable, unit: Unit, _bars: int) -> mpq:
    return mpq(sum(table.weights[: unit.rows_per_label]), 1 << table.bits)


DELTAS: dict[str, Delta] = {
    "of one row": lambda table, _unit, _bars: table.delta,
    "k w_0": lambda table, unit, _bars: unit.rows * _end(table),
    "1 - (1 - w_0)^k": lambda table, unit, _bars: 1 - (1 - _end(table)) ** unit.rows,
    "of the rows of one label": _in_one_bar,
    "group privacy": lambda table, unit, _bars: _end(table) * sum(table.ratio**i for i in range(unit.rows)),
}
SHIFTED = [
    (4, "1", 6, 1, None, None, 2),
    (3, "1", 6, 2, None, None, 2),
    (4, "1/2", 6, 2, 2, 1, None),
    (4, "1", 7, 2, 1, 2, None),
    (5, "1/2", 8, 2, 2, 2, 3),
    (3, "1", 6, 3, None, None, 1),
    (2, "1", 4, 1, None, None, 3),
    (3, "1", 6, 2, 1, 2, None, "replace-one"),
    (3, "1/2", 6, 2, None, None, 1, "replace-one"),
]


@entry(
    "FD.Unit.shifted",
    "own",
    """ShiftedTruncated on the table of one row with R^k <= e^epsilon (replaced: R^(2k)) is (epsilon, delta)-differentially
    private for a unit that comes, goes, or becomes another one, of at most k rows, in at most l bars and r of each. Its exact
    delta, at that ratio and at any larger one, is the largest 1 - prod(1 - a_(d_i)), a_d the probability of the first d values
    of the noise or of the last d; replaced, that of a unit that goes and one that comes, where there are bars for both.""",
    over="one to three bars of 0..q rows and a unit; the law of the definition, compared as rationals",
    code=[f"{CODE}.shifted_unit_delta", "finitedp.impl.flexible.shifted_truncated.ShiftedTruncated.claim"],
    grid=cases(
        Case,
        SHIFTED,
        [(6, "1/2", 8, 2, None, None, 3), (4, "1", 7, 3, 2, 2, 3), (4, "1/2", 6, 2, 1, 3, None, "replace-one")],
    ),
    subject=shifted_unit_delta,
    twins=DELTAS,
)
def exact_delta(delta: Delta, case: Case) -> Finding:
    table, unit = case.table, case.unit
    found = delta(table, unit, case.bars)
    made = ShiftedTruncated(case.bars, case.q, case.whole, case.word, case.relation, unit)
    claim, changed = made.claim(), 1 if case.relation == "add-remove" else 2
    laws = cache(lambda counts: spec.histogram(table.weights, counts))
    at = table.ratio ** (changed * unit.rows)
    worst = [max(hockey_stick(laws(x), laws(y), ratio).delta for x, y in case.moves()) for ratio in (at, at * 10**6)]
    return all_of(
        [
            equal(worst, [found, found], "delta at R^k, and at 10^6 R^k"),
            equal((claim.epsilon, claim.delta, claim.unit), (case.whole, found, unit), "stated claim"),
            equal(made.table, table, "the table of epsilon / k"),
            equal(compare_exp(at, case.whole) <= 0, True, "R^k <= e^epsilon"),
        ]
    )


class Shortest(NamedTuple):
    """Epsilon and delta of a unit, the bits of a word, bars, the bounds, and what is a neighbour."""

    epsilon: str
    delta: str
    word: int
    bars: int
    labels: int | None
    each: int | None
    rows: int | None
    relation: str = "add-remove"

    def check_scope(self) -> None:
        """Something has to bound the rows."""
        if self.rows is None and (self.labels is None or self.each is None):
            raise OutOfScopeError("rows, or labels and rows of each")


Least = Callable[[str, str, int, str, Unit, int], int]


@entry(
    "FD.Unit.q",
    "own",
    """least_unit_q gives a q whose table of epsilon / k has at most delta for a unit, and with q - 1 there is no table, or one
    with a larger delta; where q is small, no lesser q has one.""",
    over="units of up to 100 rows; all q below it up to 60",
    code=[f"{CODE}.least_unit_q"],
    grid=cases(
        Shortest,
        [
            ("1", "1/1000", 64, 10, None, None, 2),
            ("1", "1/1000000", 64, 100, 3, 2, None),
            ("4", "1/100", 16, 3, None, None, 5, "replace-one"),
            ("2", "1/10", 10, 2, 2, 1, None),
            ("1", "1/1000000", 64, 100, None, None, 100),
        ],
        [("1/2", "1/1000000000", 64, 5, 2, 3, 4, "replace-one"), ("3", "1/10000", 32, 1, None, None, 3)],
    ),
    subject=least_unit_q,
    twins={
        "of one row": lambda e, d, word, relation, unit, bars: least_unit_q(e, d, word, relation, Unit("p", max_rows=1), bars),
        "one more": lambda *asked: least_unit_q(*asked) + 1,
        "one less": lambda *asked: least_unit_q(*asked) - 1,
    },
)
def shortest(least: Least, case: Shortest) -> Finding:
    unit, delta = Unit("person", case.labels, case.each, case.rows), mpq(case.delta)
    q = least(case.epsilon, case.delta, case.word, case.relation, unit, case.bars)

    def fits(q: int) -> bool:
        try:
            table = shifted_table(q, mpq(case.epsilon) / unit.rows, case.word, case.relation)
        except ParameterError:
            return False
        return shifted_unit_delta(table, unit, case.bars) <= delta

    lesser = range(1, q) if q <= 60 else [q - 1]
    return all_of([equal(fits(q), True, f"q = {q}"), equal([z for z in lesser if fits(z)], [], "lesser ones")])


# Which rows count


Rows = tuple[int, ...]
Frame = tuple[Rows, ...]
Order = dict[tuple[int, int], int]


class Asked(NamedTuple):
    """A statistic of 0..last, epsilon and delta of a unit, bits of a word, rows of a unit, the bounds, what is a neighbour."""

    name: str
    last: int
    epsilon: str
    delta: str
    word: int
    most: int
    labels: int | None = None
    rows: int | None = None
    relation: str = "add-remove"
    beta: str = "0"

    @property
    def bounds(self) -> dict[str, int | None]:
        """The bounds, by name."""
        return {"max_labels": self.labels, "max_rows_per_label": None, "max_rows": self.rows}

    @property
    def unit(self) -> Unit:
        """The unit."""
        found = unit_of_statistic(self.name, "person", self.bounds, bounded=False)
        assert found is not None  # noqa: S101  # a column is given
        return found

    def mechanism(self, unit: Unit | None = None) -> FlexibleStatistic:
        """What is run."""
        more: dict[str, Any] = {"word": self.word, "neighbours": self.relation, "beta": self.beta}
        return prepared(self.name, (0, self.last), self.epsilon, self.delta, unit=unit or self.unit, **more)

    def units(self) -> list[Rows]:
        """All that a unit may have; without rows it is not there."""
        every = [product(range(self.last + 1), repeat=many) for many in range(self.most + 1)]
        return sorted({tuple(sorted(rows)) for some in every for rows in some})

    def frames(self) -> Iterator[Frame]:
        """All frames of two units, or fewer."""
        return product(self.units(), repeat=2)

    def orders(self, rows: Rows) -> list[Order]:
        """All orders of a unit's labels and of its rows, where a key decides."""
        labels = sorted({self.mechanism().buckets.index(x) for x in rows}) if self.labels is not None else []
        bars = sorted(self.mechanism().buckets.index(x) for x in rows)
        numbered = [(x, bars[:i].count(x) + 1) for i, x in enumerate(bars)] if self.rows is not None else []
        return [
            {**dict(zip(((x, 0) for x in labels), one, strict=True)), **dict(zip(numbered, other, strict=True))}
            for one in permutations(range(len(labels)))
            for other in permutations(range(len(numbered)))
        ]


Choice = Callable[[Asked, Frame, tuple[Order, ...]], list[int]]
"""The true counts of the bars, of a frame and the order of each unit's labels and rows."""


def _bars(
    asked: Asked, frame: Frame, orders: tuple[Order, ...], name: str | None = None, unit: Unit | None = None
) -> list[int]:
    """The running code on the pairs of a unit and a value."""

    def counting(labelling: Labelling, bounds: Unit, by: Any) -> LabelCounts:  # noqa: ANN401  # an end
        rows = [(u, (x,), own.count(x)) for u, own in enumerate(frame) for x in sorted(set(own))]
        ranking = by or (lambda u, x, i: orders[int(u)][int(x), i])
        return of_rows(rows, labelling, bounds, Options(), ranking)

    return Bars(name or asked.name, "stay", asked.mechanism(), unit or asked.unit).counted(counting)


def _rows_of_a_key(asked: Asked, frame: Frame, orders: tuple[Order, ...]) -> list[int]:
    """For the largest: one row of each unit that a key chooses, here the first."""
    first = tuple(own[:1] for own in frame)
    return _bars(asked, first, orders)


def _all_rows(asked: Asked, frame: Frame, _orders: tuple[Order, ...]) -> list[int]:
    mechanism = asked.mechanism()
    return mechanism.counts(x for own in frame for x in own)


def _of_frame(asked: Asked, frame: Frame) -> Any:  # noqa: ANN401  # of any statistic
    """The statistic of all rows, by its definition; of no rows what the mechanism says."""
    counts = tuple(sum(own.count(x) for own in frame) for x in range(asked.last + 1))
    if not any(counts):
        return asked.mechanism().default
    found: dict[str, Callable[[tuple[int, ...]], Any]]
    found = {"max": statistics.maximum, "min": statistics.minimum, "support": statistics.support}
    if asked.name == "range":
        return statistics.maximum(counts) - statistics.minimum(counts)
    return found[asked.name](counts)


@entry(
    "FD.Unit.extreme",
    "own",
    """The largest row of each unit has the maximum of all rows, the smallest one the minimum, and both the range: nothing is
    lost by one row of a unit, or two. So do, for support, the values of each unit once, where max_labels leaves none out. What
    counts of a frame is what counts of each of its units by itself.""",
    over="all frames of two units or fewer, of up to 3 rows each of up to 3 values; the running code",
    code=["finitedp.data.units.statistics.Bars", "finitedp.data.units.choosing.End"],
    grid=cases(
        Asked,
        [("max", 2, "1", "1/4", 8, 3), ("min", 2, "1", "1/4", 8, 3), ("range", 2, "1", "1/4", 8, 3)],
        [("max", 3, "1", "1/4", 8, 3), ("support", 2, "1", "1/2", 8, 3, 3)],
    ),
    subject=_bars,
    twins={
        "a row that is chosen": _rows_of_a_key,
        "the other end": lambda asked, frame, orders: _bars(asked, frame, orders, "max" if asked.name == "min" else "min"),
        "all rows": _all_rows,
    },
)
def extreme(choice: Choice, asked: Asked) -> Finding:
    mechanism, frames = asked.mechanism(), list(asked.frames())

    def of(frame: Frame) -> list[int]:
        return choice(asked, frame, tuple(asked.orders(own)[0] for own in frame))

    def each_by_itself(frame: Frame) -> bool:
        return of(frame) == [sum(pair) for pair in zip(of(frame[:1]), of(frame[1:]), strict=True)]

    return all_of(
        [
            in_turn(equal(mechanism.answer(of(f)), _of_frame(asked, f), f"{f}: of what counts and of all") for f in frames),
            in_turn(equal(each_by_itself(f), True, f"{f}: each unit by itself") for f in frames),
            in_turn(equal(sum(of(f)) <= asked.unit.rows * len(f), True, f"{f}: rows that count") for f in frames),
        ]
    )


class Subject(NamedTuple):
    """Which rows count, and the unit of the mechanism."""

    choice: Choice
    whose: Callable[[Unit], Unit] = lambda unit: unit


def _released(asked: Asked, subject: Subject, bars: tuple[int, ...]) -> tuple[Pmf[Any], set[Any]]:
    """The law of what is answered of true bars, by all words of all bars; and what is claimed."""
    mechanism, found, said = asked.mechanism(subject.whose(asked.unit)), dict[Any, int](), set[Any]()
    for words in product(range(2**asked.word), repeat=len(bars)):
        answer = answered(mechanism, list(bars), mechanism.accuracy(), Listed(words, asked.word), "a statistic")
        found[answer.value] = found.get(answer.value, 0) + 1
        said.add(answer.claim)
    return Pmf(found), said


def _another_units_rows(asked: Asked, frame: Frame, orders: tuple[Order, ...]) -> list[int]:
    """Rows chosen among those of all units together."""
    together = tuple(sorted(x for own in frame for x in own))[: asked.unit.rows * len([own for own in frame if own])]
    return asked.mechanism().counts(together) if orders else []


@entry(
    "FD.Unit.statistic",
    "own",
    """What finitedp.statistic answers with a unit is (epsilon, delta)-differentially private for a unit more, less, or another
    one in its place, of any number of rows, with the epsilon and the exact delta that it claims: the law of the choice of rows
    (with a random function for the hash), where there is one, and of the noise together.""",
    over="all frames of two units or fewer, of up to 2 or 3 rows each; all orders, all words of all bars, of the running code",
    code=["finitedp.data.statistics.statistic", "finitedp.data.units.statistics.Bars"],
    grid=cases(
        Asked,
        [
            ("max", 1, "1", "1/4", 3, 3),
            ("min", 1, "1", "1/4", 3, 2, None, None, "replace-one"),
            ("range", 1, "4", "1/2", 3, 2),
            ("support", 1, "2", "1/2", 3, 2, 2),
            ("median", 1, "2", "1/2", 3, 3, None, 2),
            ("mode", 1, "1", "1/4", 3, 2, None, 1),
            ("median", 3, "1", "1/4", 3, 2, None, 1, "add-remove", "1/2"),
        ],
        [("max", 2, "1", "1/4", 3, 2), ("mode", 1, "2", "3/4", 4, 2, None, 2, "replace-one")],
    ),
    subject=Subject(_bars),
    twins={
        "all rows": Subject(_all_rows),
        "rows chosen among all units'": Subject(_another_units_rows),
        "the table of one row": Subject(_bars, lambda _: Unit("person", max_rows=1)),
    },
)
def released(subject: Subject, asked: Asked) -> Finding:
    noisy = cache(lambda bars: _released(asked, subject, bars))

    def law(frame: Frame) -> Pmf[Any]:
        found, orders = dict[Any, mpq](), list(product(*map(asked.orders, frame)))
        for each in orders:
            shows = noisy(tuple(subject.choice(asked, frame, each)))[0]
            for value in shows:
                found[value] = found.get(value, mpq(0)) + shows[value] / len(orders)
        return Pmf.from_probabilities(found)

    laws = {frame: law(frame) for frame in asked.frames()}
    stated, units = asked.mechanism().claim(), asked.units()
    changed = 1 if asked.relation == "add-remove" else 2
    ratio = asked.mechanism().histogram.table.ratio ** (changed * asked.unit.rows)
    worst = mpq(0)
    for rest, one, other in product(units, units, units if asked.relation == "replace-one" else [()]):
        for a, b in permutations([laws[rest, one], laws[rest, other]]):
            worst = max(worst, hockey_stick(a, b, ratio).delta)
    nobody = noisy((0,) * asked.mechanism().histogram.bars)[1]
    return all_of(
        [
            at_most(worst, stated.delta, "delta at R^k"),
            equal(compare_exp(ratio, mpq(asked.epsilon)) <= 0, True, "R^k <= e^epsilon"),
            at_most(stated.delta, mpq(asked.delta), "stated delta"),
            equal(nobody, {stated}, "the claim"),
        ]
    )
