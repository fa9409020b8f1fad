"""Labels of several columns, bins, one label for all other values, our own: numbers and back, and what a row counts for."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import date
from functools import partial
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from finitedp.data.frames import LabelCounts, Options
from finitedp.data.releasing import release
from finitedp.data.shapes.parts import Bins, Part, Product, part_of
from finitedp.data.shapes.shaping import shape_of
from finitedp.errors import DataError
from finitedp.impl.histograms.universe import Strings
from finitedp.impl.randomness.words import SeededWords
from finitedp.proofs_check.ledger.entry import Finding, but, cases, in_scope, is_taken
from finitedp.proofs_check.ledger.findings import all_of, equal, in_turn, own
from finitedp.spec.columns.shapes import labels_of, named
from finitedp.spec.neighbours import multisets, neighbouring_multisets

DAYS = (date(2026, 1, 1), date(2026, 2, 1), date(2026, 3, 1))
OFTEN = 7
TRIED: tuple[Any, ...] = (-1, 0, 1, 2, 17, 18, 64, 65, True, False, "", "a", "f", "m", "rest", *DAYS, date(2026, 1, 31))
SPECS: dict[str, Any] = {
    "range": range(-1, 3),
    "texts": ("f", "m"),
    "booleans": (False, True),
    "dates": DAYS[:2],
    "integers": (18, 1, 64),
    "bins": Bins([0, 18, 65]),
    "days": Bins(DAYS),
    "narrow": Bins([0, 1, 2, 18]),
}

Make = Callable[[Any, Any], Part]


class OneColumn(NamedTuple):
    """A universe, by name, and whether there is one label for all other values."""

    universe: str
    other: bool = False

    @property
    def rest(self) -> str | None:
        return "rest" if self.other else None


def _edges(universe: Any) -> Any:  # noqa: ANN401
    """A universe as spec has it: bins by their edges."""
    return list(universe.edges) if isinstance(universe, Bins) else tuple(universe)


def _closed(universe: Any, other: Any) -> Part:  # noqa: ANN401
    """Bins with their upper edges, and not their lower ones."""

    class Closed(Bins):
        def index(self, value: Any) -> int:  # noqa: ANN401
            place = bisect_left(self.edges, value) - 1
            if not 0 <= place < self.size:
                raise DataError("outside")
            return place

    return part_of(Closed(universe.edges) if isinstance(universe, Bins) else universe, other)


class _OtherFirst(Part):
    def index(self, value: Any) -> int:  # noqa: ANN401
        return (super().index(value) + 1) % self.size if self.other is not None else super().index(value)


class _EqualIsSame(Part):
    def index(self, value: Any) -> int:  # noqa: ANN401
        return super().index(int(value) if isinstance(value, bool) and bool not in self.types else value)


class _ToTheNearest(Part):
    """What is outside counts for the last label."""

    def index(self, value: Any) -> int:  # noqa: ANN401
        try:
            return super().index(value)
        except DataError:
            if type(value) not in self.types:
                raise
            return int(self.base.size) - 1


def _as(kind: type[Part]) -> Make:
    return lambda universe, other: kind(part_of(universe, None).base, other)


_COLUMNS = [(name, other) for name in SPECS for other in (False, True)]


@own(
    "FD.Shape.column",
    """The labels of one column and 0..size-1 are a bijection, and every value has the number of its one label: the universe's
    own, the half-open bin that it is in, or the one for all others; values of other types, True for an integer among them, are
    refused, and so are values outside where there is no label for them.""",
    over="integers, text, booleans, dates and bins of integers and dates; values at every edge and beyond",
    code=["finitedp.data.shapes.parts.Part", "finitedp.data.shapes.parts.Bins", "finitedp.spec.columns.shapes.named"],
    grid=cases(OneColumn, _COLUMNS[:-2], _COLUMNS[-2:]),
    subject=part_of,
    twins={
        "bins closed above": _closed,
        "other first": _as(_OtherFirst),
        "1 for True": _as(_EqualIsSame),
        "outside is the last": _as(_ToTheNearest),
    },
)
def column(make: Make, case: OneColumn) -> Iterator[Finding]:
    part, universe = make(SPECS[case.universe], case.rest), _edges(SPECS[case.universe])
    every = labels_of(universe, case.rest)
    yield equal([part.label(i) for i in range(part.size)], every, "labels by number")
    yield equal(len(set(every)), part.size, "n")
    for value in TRIED:
        expected = named(universe, case.rest, value)
        try:
            found: Any = part.label(part.index(value))
        except DataError:
            found = None
        yield equal((found, type(found)), (expected, type(expected)), repr(value))


class Several(NamedTuple):
    """The universes of several columns, by name, and whether there is one label for all other values of each."""

    universes: tuple[str, ...]
    other: bool = False

    @property
    def rest(self) -> str | None:
        return "rest" if self.other else None

    @property
    def parts(self) -> list[Part]:
        """The labels of each column."""
        return [part_of(SPECS[name], self.rest) for name in self.universes]


class _Swapped(Product):
    """The number of a tuple by the size of the part before."""

    def number_of(self, places: Sequence[int]) -> int:
        found = 0
        for size, place in zip([1, *(part.size for part in self.parts)], places, strict=False):
            found = found * size + place
        return found


class _Summed(Product):
    def number_of(self, places: Sequence[int]) -> int:
        return sum(places)


@own(
    "FD.Shape.product",
    """The tuples of a product and 0..size-1 are a bijection in the order of itertools.product, and a tuple of values has the
    number of the tuple of their labels.""",
    over="products of two and three universes; all tuples, by number, in turn and from the end",
    code=["finitedp.data.shapes.parts.Product"],
    grid=cases(
        Several,
        [
            (("texts", "range"),),
            (("range", "texts", "bins"),),
            (("booleans", "integers"), True),
            (("days", "dates"), True),
        ],
        [(("bins", "bins", "bins"), True), (("texts", "texts", "texts"),)],
    ),
    subject=Product,
    twins={"sizes of the part before": _Swapped, "sums": but(Product, number_of=lambda self, places: sum(places))},
)
def tuples(make: Callable[[Sequence[Part]], Product], case: Several) -> Iterator[Finding]:
    made = make(case.parts)
    every = list(product(*(labels_of(_edges(SPECS[name]), case.rest) for name in case.universes)))
    yield equal([made.label(i) for i in range(made.size)], every, "by number")
    yield equal(list(made), every, "in turn")
    yield equal(made[-1], every[-1], "from the end")
    held = [
        [(value, part.index(value)) for value in TRIED if is_taken(partial(part.index, value), DataError)]
        for part in case.parts
    ]
    for chosen in product(*held):
        values, places = zip(*chosen, strict=True)
        expected = every.index(tuple(part.label(place) for part, place in zip(case.parts, places, strict=True)))
        yield equal(made.number(values), expected, f"{values}")


class Asked(NamedTuple):
    """Universes of columns, by name, or None for one without; whether there is a label for other values; rows at most."""

    universes: tuple[str | None, ...]
    values: tuple[tuple[Any, ...], ...]
    other: bool = False
    rows: int = 3

    def check_scope(self) -> None:
        in_scope(len(self.universes) == len(self.values) >= 2 and all(self.values), "values of each of several columns")
        in_scope(all(x is None or x in SPECS for x in self.universes) and self.rows >= 1, "universes by name, and a row")

    def named(self, row: tuple[Any, ...]) -> tuple[Any, ...]:
        rest = "rest" if self.other else None
        return tuple(
            value if name is None else named(_edges(SPECS[name]), rest, value)
            for name, value in zip(self.universes, row, strict=True)
        )

    def every(self) -> Iterator[tuple[Any, ...]]:
        """The rows that there may be: with a label for each value, of their types."""
        for row in product(*self.values):
            if None not in self.named(row):
                yield row


Counted = Callable[[Asked, tuple[Any, ...]], tuple[dict[Any, int], int]]


def _counted(case: Asked, rows: tuple[Any, ...]) -> tuple[dict[Any, int], int]:
    """The counts by label of a release, through numbers; and the number of rows. Each row is there often, so that it shows."""
    columns = [f"c{i}" for i in range(len(case.universes))]
    bins = {c: SPECS[u].edges for c, u in zip(columns, case.universes, strict=True) if u and isinstance(SPECS[u], Bins)}
    universe = {c: SPECS[u] for c, u in zip(columns, case.universes, strict=True) if u and c not in bins}
    held = Counter(rows)
    data = LabelCounts(list(held), OFTEN * np.array(list(held.values()), np.int64), OFTEN * len(rows))
    shape = shape_of(data, columns, universe or None, bins or None, "rest" if case.other else None)
    assert shape is not None  # noqa: S101  # of several columns
    numbers, _, label = shape.numbered(data, Options())
    words = SeededWords(1, not_private=True)
    drawn = label(release(numbers, epsilon=10**5, delta="1/2", n=99, words=words))  # without noise, in effect
    return {label: count // OFTEN for label, count in drawn.items()}, numbers.rows // OFTEN


@own(
    "FD.Shape.rows",
    """What finitedp.release counts of several columns, bins and other values is, by label, the number of rows that the
    definition gives each: a row more or less changes one count, by one, and the number of rows; a row that is replaced changes
    two counts, by one, or none.""",
    over="all data of up to 3 rows of values at the edges and beyond, with universes and without; all neighbours",
    code=["finitedp.data.shapes.shaping.Shape", "finitedp.data.shapes.shaping.shape_of"],
    grid=cases(
        Asked,
        [
            (("texts", "bins"), (("f", "m"), (0, 17, 18))),
            ((None, "bins"), (("f", "x"), (-1, 0, 65)), True),
            (("range", "booleans"), ((0, 1, 2), (False, True))),
            ((None, None), ((1, 2), (True, False))),
            (("texts", "days"), (("f", "z"), (DAYS[0], DAYS[1], DAYS[2])), True, 2),
        ],
        [(("texts", "bins", None), (("f", "m"), (0, 18), ("x", "y")))],
    ),
    subject=_counted,
    twins={
        "the first column alone": lambda case, rows: _counted(case, tuple((row[0], *rows[0][1:]) for row in rows)),
        "the last row twice": lambda case, rows: _counted(case, rows + rows[-1:]),
        "equal rows once": lambda case, rows: _counted(case, tuple(dict.fromkeys(rows))),
    },
)
def rows(count: Counted, case: Asked) -> Finding:
    every = tuple(case.every())
    found = {data: count(case, data) for size in range(1, case.rows + 1) for data in multisets(every, size)}
    same = (equal(counts, (dict(Counter(map(case.named, data))), len(data)), f"{data}") for data, counts in found.items())
    apart = (
        equal(_apart(found[a][0], found[b][0]) in allowed, True, f"{a} and {b}")
        for relation, allowed in (("add-remove", (1,)), ("replace-one", (0, 2)))
        for a, b in neighbouring_multisets(every, case.rows, relation)  # type: ignore[arg-type]  # relations
        if a in found and b in found
    )
    return all_of([in_turn(same), in_turn(apart)])


def _apart(a: dict[Any, int], b: dict[Any, int]) -> int:
    """By how much counts differ, in all."""
    return sum(abs(a.get(label, 0) - b.get(label, 0)) for label in a.keys() | b.keys())


LONG = 2**64


class Huge(NamedTuple):
    """How many bytes a text has at most."""

    most: int


@own(
    "FD.Shape.huge",
    "Products of texts and 64-bit integers, with a label for all others, are numbered without listing them, both ways.",
    over="texts of up to 16 bytes; the first, the last and some tuples between",
    code=["finitedp.data.shapes.parts.Product", "finitedp.data.shapes.parts.Part"],
    grid=cases(Huge, [0, 3, 16], [1, 64]),
    subject=Product,
    twins={"sizes of the part before": _Swapped, "sums": but(Product, number_of=lambda self, places: sum(places))},
)
def huge(make: Callable[[Sequence[Part]], Product], case: Huge) -> Finding:
    made = make([part_of(Strings(case.most), None), part_of(range(LONG), "rest")])
    texts = sum(256**i for i in range(case.most + 1))
    findings = [equal(made.size, texts * (LONG + 1), "size")]
    for text, number in product(("", "a" * min(case.most, 2), "\x7f" * case.most), (0, 1, LONG - 1, LONG)):
        index = made.number((text, number))
        expected = (text, "rest" if number == LONG else number)
        place = Strings(case.most).index(text) * (LONG + 1) + number
        findings += [equal(made.label(index), expected, f"{text!r}, {number}"), equal(index, place, "place")]
    return all_of(findings)
