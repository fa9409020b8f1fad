"""Labels of the rows of units, our own: of several columns, bins and other values, made before rows are chosen."""

from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from itertools import product
from typing import Any, NamedTuple

from finitedp.data.frames import LabelCounts, Options
from finitedp.data.shapes.shaping import Shape, shape_of
from finitedp.data.units.counting import of_rows
from finitedp.data.units.labelling import Labelling, text_of, values_of
from finitedp.proofs_check.claims.own.units.subjects import Counts, laws_and_units_alone, orders_of, rows_of_a_unit
from finitedp.proofs_check.ledger.entry import Finding, cases
from finitedp.proofs_check.ledger.findings import in_turn, own
from finitedp.spec.columns.shapes import named
from finitedp.spec.pmf import Pmf
from finitedp.spec.released.units import kept_rows_of_all
from finitedp.units import Unit

Row = tuple[Any, ...]
Rows = tuple[Row, ...]
Frame = tuple[Rows, ...]
Label = tuple[Any, ...]
Order = dict[tuple[Label, int], int]
SHAPES: dict[str, tuple[tuple[Any, ...], dict[str, Any]]] = {
    "bins": (((0, 17, 18),), {"bins": {"c0": [0, 18, 65]}}),
    "other": (((1, 7, 8),), {"universe": {"c0": range(3)}, "other": "rest"}),
    "a column and bins": ((("f", "m"), (0, 17)), {"bins": {"c1": [0, 18, 65]}}),
    "two columns": ((("f", "m"), (True, False)), {}),
    "product": ((("f", "m"), (0, 1)), {"universe": [["f", "m"], range(2)]}),
    "listed": ((("f", "m"), (0, 1)), {"universe": [("f", 0), ("f", 1), ("m", 0), ("m", 1)]}),
}


@cache
def _made(name: str) -> Shape:
    (columns, asked) = SHAPES[name]
    several, universe = len(columns) > 1, asked.get("universe")
    by = [f"c{i}" for i in range(len(columns))] if several else "c0"
    found = shape_of(
        None, by, universe if several or universe is None else universe["c0"], asked.get("bins"), asked.get("other")
    )
    assert found is not None  # noqa: S101  # each of them has one
    return found


class Case(NamedTuple):
    """A shape, by name; rows of a unit there are at most; and the bounds of a unit."""

    shape: str
    most: int
    labels: int | None
    each: int | None
    rows: int | None

    @property
    def unit(self) -> Unit:
        return Unit("person", self.labels, self.each, self.rows)

    @property
    def made(self) -> Shape:
        return _made(self.shape)

    @property
    def columns(self) -> tuple[tuple[Any, ...], ...]:
        return SHAPES[self.shape][0]

    def every(self) -> list[Row]:
        """All rows that there may be."""
        return list(product(*self.columns))

    def label(self, row: Row) -> Label:
        _, asked = SHAPES[self.shape]
        bins, universe, other = asked.get("bins", {}), asked.get("universe", {}), asked.get("other")
        by_column = universe if isinstance(universe, dict) else {}
        of = (bins.get(f"c{i}") or (tuple(by_column[f"c{i}"]) if f"c{i}" in by_column else None) for i in range(len(row)))
        return tuple(x if known is None else named(known, other, x) for known, x in zip(of, row, strict=True))

    def frames(self) -> Iterator[Frame]:
        return product(rows_of_a_unit(product(*self.columns), self.most), repeat=2)

    def orders(self, rows: Rows) -> list[Order]:
        return orders_of(map(self.label, rows), labels=self.labels is not None, rows=self.rows is not None)


Choice = Callable[[Case, Frame, tuple[Order, ...]], dict[Label, int]]


def _in_tuple(case: Case, label: Any) -> Label:  # noqa: ANN401  # of one column or several
    return label if case.made.several else (label,)


def _counted(case: Case, frame: Frame, orders: tuple[Order, ...]) -> dict[Label, int]:
    """The running code, with these orders of the labels in place of the hash's."""
    shape = case.made
    labelling = shape.labelling
    assert labelling is not None  # noqa: S101  # it has columns
    free = labelling.code is None  # labels are the texts of values

    def label(text: bytes) -> Label:
        told = text.decode()
        if free:
            return values_of(told)
        return _in_tuple(case, shape._label(values_of(told) if shape.free else int(told)))

    rows = [(u, row, count) for u, own in enumerate(frame) for row, count in Counter(own).items()]
    made = Labelling(labelling.columns, labelling.code or text_of)
    found = of_rows(rows, made, case.unit, Options(), lambda u, x, i: orders[int(u)][label(x), i])
    if free:
        found = LabelCounts([values_of(str(text)) for text in found.labels], found.counts, found.rows)
    counts = shape.chosen(found)
    return {_in_tuple(case, shape._label(code)): count for code, count in counts.items()}


def _choose_first(case: Case, frame: Frame, orders: tuple[Order, ...]) -> dict[Label, int]:
    """Rows are chosen by their values, and get labels afterwards."""

    def place(u: int, x: bytes, i: int) -> int:
        values = values_of(x.decode())
        return 8 * orders[u].get((case.label(values), i), 0) + case.every().index(values)

    rows = [(u, row, count) for u, own in enumerate(frame) for row, count in Counter(own).items()]
    columns = tuple(f"c{i}" for i in range(len(case.columns)))
    ranking: Any = lambda u, x, i: place(int(u), x, i)  # noqa: E731  # as a ranking
    found = of_rows(rows, Labelling(columns, text_of), case.unit, Options(), ranking)
    counts = Counter[Label]()
    for text, count in zip(found.labels, found.counts.tolist(), strict=True):
        counts[case.label(values_of(str(text)))] += count
    return dict(counts)


def _by_occurrence(case: Case, frame: Frame, orders: tuple[Order, ...]) -> dict[Label, int]:
    """The place of a label is that of its number among those that occur."""
    every = sorted({case.label(row) for row in case.every()}, key=repr)
    occur = sorted({case.label(row) for own in frame for row in own}, key=repr)
    shift = len(occur) - 1

    def moved(order: Order, own: Rows) -> Order:
        return {(x, i): (place + every.index(x) * shift) % 3 for (x, i), place in order.items()} if own else order

    return _counted(case, frame, tuple(moved(order, own) for order, own in zip(orders, frame, strict=True)))


@own(
    "FD.Unit.labels",
    """Rows of units get their labels, of several columns, bins and one for all other values, before any are chosen: what
    counts has the law of the choice among rows that had these labels from the beginning, so that the bounds are of labels as
    they are released, and is for each unit what its own rows and its own places alone say.""",
    over="all frames of two units or fewer, of up to 2 or 3 rows each; all orders; the running code",
    code=["finitedp.data.shapes.shaping.Shape.labelling", "finitedp.data.units.counting.of_rows"],
    grid=cases(
        Case,
        [
            ("bins", 3, 1, 1, None),
            ("bins", 3, None, 1, 1),
            ("other", 3, 1, 2, None),
            ("a column and bins", 2, 1, 1, None),
            ("two columns", 2, None, None, 1),
            ("product", 2, 1, 1, None),
            ("listed", 2, 1, 1, None),
        ],
        [("bins", 3, None, None, 2), ("other", 3, None, None, 1)],
    ),
    subject=_counted,
    twins={"choose, then bin": _choose_first, "by the number of a label that occurs": _by_occurrence},
)
def labels_first(choice: Choice, case: Case) -> Finding:
    every = sorted({case.label(row) for row in case.every()}, key=repr)

    def counts(frame: Frame, orders: tuple[Order, ...]) -> Counts:
        found = choice(case, frame, orders)
        return *(found.get(x, 0) for x in every), sum(count for x, count in found.items() if x not in every)

    def expected(frame: Frame) -> Pmf[Counts]:
        texts = [text_of(x) for x in every]
        kept = kept_rows_of_all([[text_of(case.label(row)) for row in own] for own in frame], texts, case.unit)
        return kept.pushforward(lambda counted: (*counted, 0))

    return in_turn(laws_and_units_alone(counts, case.frames(), case.orders, expected))
