"""Which rows of a unit count, and the law of a release of them, our own: by the running code, on all small frames."""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from gmpy2 import mpq

from finitedp.data.drawing import histogram_of
from finitedp.data.frames import LabelCounts
from finitedp.data.units.choosing import Pairs, chosen
from finitedp.exact import compare_exp
from finitedp.proofs_check.claims.own.dyadic.histogram_subjects import Listed
from finitedp.proofs_check.claims.own.dyadic.subjects import Dyadic
from finitedp.proofs_check.claims.own.units.subjects import (
    Counts,
    Subject,
    laws_and_units_alone,
    orders_of,
    rows_of_a_unit,
    units_changed,
)
from finitedp.proofs_check.ledger.entry import Finding, cases
from finitedp.proofs_check.ledger.findings import at_most, equal, in_turn, own
from finitedp.spec.divergence import hockey_stick
from finitedp.spec.pmf import Pmf
from finitedp.spec.released.units import kept_rows_of_all
from finitedp.units import Unit

CODE = "finitedp.data"
LABELS = ("a", "b", "c")
BOUNDS = ("max_labels", "max_rows_per_label", "max_rows")
Rows = tuple[str, ...]
Frame = tuple[Rows, ...]
Order = dict[tuple[str, int], int]
Orders = tuple[Order, ...]
Choice = Callable[[Frame, Orders, Unit], tuple[int, ...]]
"""How many rows of each label count, in a frame of each unit's rows, with the places of each unit's labels and rows."""


class Case(NamedTuple):
    """Labels, the most rows of a unit, of two units at most; and the bounds of a unit."""

    size: int
    most: int
    labels: int | None
    each: int | None
    rows: int | None

    @property
    def unit(self) -> Unit:
        return Unit("person", self.labels, self.each, self.rows)

    @property
    def universe(self) -> Rows:
        return LABELS[: self.size]

    def units(self) -> list[Rows]:
        return rows_of_a_unit(self.universe, self.most)

    def frames(self) -> Iterator[Frame]:
        return product(self.units(), repeat=2)

    def orders(self, rows: Rows) -> list[Order]:
        return orders_of(rows, labels=self.labels is not None, rows=self.rows is not None)


def _chosen(frame: Frame, orders: Orders, unit: Unit, many: int = len(LABELS)) -> tuple[int, ...]:
    """The running code on all pairs of a unit and a label, with these orders in place of the hash's."""
    found = [(u, x, rows.count(x)) for u, rows in enumerate(frame) for x in sorted(set(rows))]
    columns = (np.array([pair[i] for pair in found], np.int64) for i in (0, 2))
    whose, count = columns
    label = np.array([LABELS.index(x) for _, x, _ in found], np.int64)
    names = [b"%d" % u for u in range(len(frame))]
    pairs = Pairs(names, [x.encode() for x in LABELS[:many]], whose, label, count)
    return tuple(chosen(pairs, unit, lambda u, x, i: orders[int(u)][x.decode(), i]).tolist())


# Choices that other units change


def _by_place(place: Callable[[Frame, int, str, int], int]) -> Choice:
    """The running code, by places that need not be the unit's own."""

    def choice(frame: Frame, _: Orders, unit: Unit) -> tuple[int, ...]:
        numbered = [[(x, i) for x in set(rows) for i in range(rows.count(x) + 1)] for rows in frame]
        return _chosen(frame, tuple({(x, i): place(frame, u, x, i) for x, i in one} for u, one in enumerate(numbered)), unit)

    return choice


def _random(number: int) -> int:
    """A stream of pseudo-random numbers, of a seed that is known."""
    state = 3
    for _ in range(number + 1):
        state = (state * 1103515245 + 12345) % 2**31
    return state >> 8


def _row(frame: Frame, u: int, x: str, i: int) -> int:
    """Where a row is in the frame."""
    return sum(map(len, frame[:u])) + frame[u].index(x) + max(i - 1, 0)


def _read(frame: Frame, u: int, x: str, i: int) -> int:
    """As rows happen to be read, which depends on how many there are."""
    rows = sum(map(len, frame))
    return _row(frame, u, x, i) if rows % 2 else rows - _row(frame, u, x, i)


def _streamed(frame: Frame, u: int, x: str, i: int) -> int:
    """The next number of the stream, for one unit after the other."""
    return _random(sum(len(set(rows)) + len(rows) for rows in frame[:u]) + sorted(set(frame[u])).index(x) + i)


TRAPS: dict[str, Choice] = {
    "a window without order": _by_place(_read),
    "one random stream for all": _by_place(_streamed),
    "a random column with a seed": _by_place(lambda frame, u, x, i: _random(_row(frame, u, x, i))),
    "the first k": _by_place(lambda frame, _u, x, i: 10 * (100 - sum(rows.count(x) for rows in frame)) + i),
}


def _law(choice: Choice, case: Case, frame: Frame) -> Pmf[tuple[int, ...]]:
    """The law of the counts, over the orders of all units."""
    return Pmf(Counter(choice(frame, orders, case.unit)[: case.size] for orders in product(*map(case.orders, frame))))


def _forgets(what: str) -> Choice:
    """Without one of the bounds."""

    def choice(frame: Frame, orders: Orders, unit: Unit) -> tuple[int, ...]:
        kept = unit.as_json() | {what: None}
        return _chosen(frame, orders, Unit.from_json(kept | {"max_rows": kept["max_rows"] or sum(map(len, frame)) + 1}))

    return choice


@own(
    "FD.Unit.bounding",
    """Of each unit at most max_labels of its labels count, uniformly chosen, at most max_rows_per_label rows of each of them,
    and of these at most max_rows, uniformly chosen; and units choose independently of each other, each by its own rows and
    its own places in the ranking alone: what counts of a frame is what counts of each of its units by itself. The ranking, a
    keyed hash, is taken for a random function: each order of a unit's labels, and of its rows, is as likely as any other.""",
    over="all frames of two units or fewer, of up to 3 rows each over up to 3 labels; all orders; the running code",
    code=[f"{CODE}.units.choosing.chosen", "finitedp.spec.released.units.kept_rows_of_all"],
    grid=cases(
        Case,
        [
            (2, 3, 1, 2, None),
            (2, 3, None, None, 2),
            (2, 3, 1, None, 1),
            (3, 3, 2, 1, None),
            (3, 2, 1, None, 1),
            (3, 3, None, None, 1),
        ],
        [(3, 3, None, None, 2), (2, 3, None, 1, 1), (3, 3, None, 1, 2), (2, 4, 1, 2, None), (3, 2, 2, 1, 1)],
    ),
    subject=_chosen,
    twins={
        **TRAPS,
        **{f"without {name}": _forgets(name) for name in BOUNDS},
        "one row more": lambda frame, orders, unit: _chosen(frame, orders, Unit("p", unit.max_labels, None, unit.rows + 1)),
    },
)
def bounding(choice: Choice, case: Case) -> Finding:
    def expected(frame: Frame) -> Pmf[Counts]:
        return kept_rows_of_all(frame, LABELS, case.unit)

    return in_turn(
        laws_and_units_alone(lambda frame, orders: choice(frame, orders, case.unit), case.frames(), case.orders, expected)
    )


# What is released


class Released(NamedTuple):
    """A case of bounding; n, the epsilon of one row more or less, the bits of a word, delta, and the neighbours."""

    bounding: Case
    n: int
    epsilon: str
    word: int
    delta: str
    relation: str

    @property
    def rows(self) -> int:
        """How many steps of one row a change of a unit is."""
        return self.bounding.unit.rows * (1 if self.relation == "add-remove" else 2)

    @property
    def whole(self) -> mpq:
        return mpq(self.epsilon) * self.rows

    @property
    def ratio(self) -> mpq:
        """R^k of the table with R <= e^epsilon, epsilon of one row."""
        return Dyadic(self.n, str(2 * mpq(self.epsilon)), self.word).ratio ** self.rows

    def neighbours(self) -> Iterator[tuple[Frame, Frame]]:
        """All frames that differ in one unit, in both orders."""
        for a, b in units_changed(self.bounding.units(), self.relation, ()):
            yield from ((a, b), (a[::-1], b[::-1]))


def _seen(case: Released, counts: Sequence[int], unit: Unit, word: Any) -> tuple[Any, str]:  # noqa: ANN401  # a source of words
    """All that shows of a release of counts."""
    universe, relation = case.bounding.universe, case.relation
    labels = [x for x, count in zip(universe, counts, strict=True) if count]
    found = LabelCounts(labels, np.array([c for c in counts if c], np.int64), sum(counts))
    asked: tuple[Any, ...] = (case.whole, mpq(case.delta), case.n, relation, case.word, "1/20", word)
    noisy = histogram_of(found, "place", universe, *asked, unit=unit)
    return tuple(noisy.as_dict().items()), json.dumps(noisy.metadata())


@cache
def _by_words(case: Released, counts: tuple[int, ...], unit: Unit) -> tuple[Pmf[Any], set[str]]:
    """The law of what is released of given counts, by all words of all draws, and what is said of it."""
    draws = max(case.n, sum(map(bool, counts))) if mpq(case.delta) else case.bounding.size
    found, said = dict[Any, int](), set[str]()
    for words in product(range(2**case.word), repeat=draws):
        shown, about = _seen(case, counts, unit, Listed(words, case.word))
        found[shown] = found.get(shown, 0) + 1
        said.add(about)
    return Pmf(found), said


SOME = Case(2, 3, 1, 2, None)
ONE = Case(2, 3, 1, 1, None)
ROWS = Case(2, 3, None, None, 2)
BOTH = Case(2, 2, 1, None, 1)
THREE = Case(3, 2, 1, 1, None)


@own(
    "FD.Unit.release",
    """What finitedp.release shows with a unit, what it says included, is (epsilon, delta)-differentially private for a unit
    more, less, or another one in its place, with delta = 0 and with delta > 0, of any number of rows: the law of the choice of
    rows (FD.Unit.bounding, with a random function for the hash) and of the noise together.""",
    over="""all frames of two units or fewer, of up to 3 rows each; all orders, all words of all draws, of the running code;
    at the ratio R^k (replaced: R^(2k))""",
    code=[f"{CODE}.units.choosing.chosen", f"{CODE}.drawing.histogram_of"],
    grid=cases(
        Released,
        [
            *(
                (SOME, 2, "3", 3, "0", "add-remove"),
                (ONE, 2, "3", 3, "0", "replace-one"),
                (ROWS, 2, "3", 3, "0", "add-remove"),
            ),
            *((THREE, 1, "1", 3, "0", "replace-one"), (BOTH, 2, "3", 3, "1/2", "add-remove")),
            *((ONE, 2, "3", 3, "1/2", "replace-one"), (ONE, 2, "3", 3, "0", "add-remove")),
        ],
        [
            *((ROWS, 2, "3", 3, "0", "replace-one"), (ROWS, 2, "3/2", 4, "3/4", "add-remove")),
            *((THREE, 2, "3/2", 4, "1/2", "add-remove"), (ROWS, 3, "1", 4, "0", "add-remove")),
        ],
    ),
    subject=Subject(_chosen),
    twins={
        **{name: Subject(choice) for name, choice in TRAPS.items()},
        **{f"without {name}": Subject(_forgets(name)) for name in BOUNDS},
        "the table of one row": Subject(_chosen, lambda _: Unit("person", max_rows=1)),
    },
)
def released(subject: Subject, case: Released) -> Iterator[Finding]:
    (choice, whose), unit = subject, case.bounding.unit
    said = set[str]()

    @cache
    def noisy(counts: tuple[int, ...]) -> Pmf[Any]:
        law, about = _by_words(case, counts, whose(unit))
        said.update(about)
        return law

    laws = {frame: _law(choice, case.bounding, frame).then(noisy) for frame in case.bounding.frames()}
    claim = json.loads(next(iter(said)))["claim"]
    worst = max(hockey_stick(laws[a], laws[b], case.ratio).delta for a, b in set(case.neighbours()))
    yield at_most(worst, mpq(case.delta), "delta at R^k")
    yield equal(compare_exp(case.ratio, case.whole) <= 0, True, "R^k <= e^epsilon")
    yield equal(len(said), 1, "what is said is the same for all data")
    yield equal(
        [claim[name] for name in ("delta", "neighbours", "unit")], [case.delta, case.relation, unit.as_json()], "claim"
    )
