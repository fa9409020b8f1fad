"""Statistics for a unit of several rows, our own: which rows count, and what is released."""

from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from itertools import product
from typing import Any, NamedTuple

from gmpy2 import mpq

from finitedp.data.frames import LabelCounts, Options
from finitedp.data.statistics import answered, prepared
from finitedp.data.units.counting import of_rows
from finitedp.data.units.labelling import Labelling
from finitedp.data.units.statistics import Bars, unit_of_statistic
from finitedp.exact import compare_exp
from finitedp.impl.flexible.releases import FlexibleStatistic
from finitedp.proofs_check.claims.own.dyadic.histogram_subjects import Listed
from finitedp.proofs_check.claims.own.units.subjects import Subject, orders_of, rows_of_a_unit, units_changed
from finitedp.proofs_check.ledger.entry import Finding, cases
from finitedp.proofs_check.ledger.findings import at_most, equal, in_turn, own
from finitedp.spec.divergence import hockey_stick
from finitedp.spec.flexible import statistics
from finitedp.spec.pmf import Pmf
from finitedp.units import Unit

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
        return {"max_labels": self.labels, "max_rows_per_label": None, "max_rows": self.rows}

    @property
    def unit(self) -> Unit:
        found = unit_of_statistic(self.name, "person", self.bounds, bounded=False)
        assert found is not None  # noqa: S101  # a column is given
        return found

    def mechanism(self, unit: Unit | None = None) -> FlexibleStatistic:
        return _mechanism(self, unit or self.unit)

    def units(self) -> list[Rows]:
        return sorted(rows_of_a_unit(range(self.last + 1), self.most))

    def frames(self) -> Iterator[Frame]:
        return product(self.units(), repeat=2)

    def orders(self, rows: Rows) -> list[Order]:
        """All orders of a unit's labels and of its rows, where a key decides."""
        bars = [self.mechanism().buckets.index(x) for x in rows]
        return orders_of(bars, labels=self.labels is not None, rows=self.rows is not None)


@cache
def _mechanism(asked: Asked, unit: Unit) -> FlexibleStatistic:
    more: dict[str, Any] = {"word": asked.word, "neighbours": asked.relation, "beta": asked.beta}
    return prepared(asked.name, (0, asked.last), asked.epsilon, asked.delta, unit=unit, **more)


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


@own(
    "FD.Unit.extreme",
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
def extreme(choice: Choice, asked: Asked) -> Iterator[Finding]:
    mechanism, frames = asked.mechanism(), list(asked.frames())

    @cache
    def of(frame: Frame) -> list[int]:
        return choice(asked, frame, tuple(asked.orders(own)[0] for own in frame))

    def each_by_itself(frame: Frame) -> bool:
        return of(frame) == [sum(pair) for pair in zip(of(frame[:1]), of(frame[1:]), strict=True)]

    yield in_turn(equal(mechanism.answer(of(f)), _of_frame(asked, f), f"{f}: of what counts and of all") for f in frames)
    yield in_turn(equal(each_by_itself(f), True, f"{f}: each unit by itself") for f in frames)
    yield in_turn(equal(sum(of(f)) <= asked.unit.rows * len(f), True, f"{f}: rows that count") for f in frames)


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


@own(
    "FD.Unit.statistic",
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
def released(subject: Subject, asked: Asked) -> Iterator[Finding]:
    noisy = cache(lambda bars: _released(asked, subject, bars))

    def law(frame: Frame) -> Pmf[Any]:
        bars = Counter(tuple(subject.choice(asked, frame, each)) for each in product(*map(asked.orders, frame)))
        return Pmf(bars).then(lambda true: noisy(true)[0])

    laws = {frame: law(frame) for frame in asked.frames()}
    stated, units = asked.mechanism().claim(), asked.units()
    changed = 1 if asked.relation == "add-remove" else 2
    ratio = asked.mechanism().histogram.table.ratio ** (changed * asked.unit.rows)
    pairs = units_changed(units, asked.relation, ())
    worst = max((hockey_stick(laws[a], laws[b], ratio).delta for a, b in pairs), default=mpq(0))
    nobody = noisy((0,) * asked.mechanism().histogram.bars)[1]
    yield at_most(worst, stated.delta, "delta at R^k")
    yield equal(compare_exp(ratio, mpq(asked.epsilon)) <= 0, True, "R^k <= e^epsilon")
    yield at_most(stated.delta, mpq(asked.delta), "stated delta")
    yield equal(nobody, {stated}, "the claim")
