"""One-sided noise for a unit of several rows, our own: the exact delta, and the shortest table."""

from collections.abc import Callable, Iterator
from functools import cache
from itertools import permutations, product
from typing import NamedTuple

from gmpy2 import mpq

from finitedp.errors import ParameterError
from finitedp.exact import compare_exp
from finitedp.impl.flexible.shifted_truncated import ShiftedTruncated
from finitedp.impl.flexible.tables import ShiftedTable, shifted_table
from finitedp.impl.flexible.units import least_unit_q, shifted_unit_delta
from finitedp.proofs_check.engine.explorer import explore
from finitedp.proofs_check.ledger.entry import Finding, cases, in_scope
from finitedp.proofs_check.ledger.findings import all_of, at_most, equal, own
from finitedp.spec.divergence import hockey_stick
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
        in_scope(self.rows or (self.labels and self.each), "rows, or labels and rows of each")

    @property
    def unit(self) -> Unit:
        return Unit("person", self.labels, self.each, self.rows)

    @property
    def whole(self) -> mpq:
        return mpq(self.epsilon) * self.unit.rows

    @property
    def table(self) -> ShiftedTable:
        return shifted_table(self.q, self.epsilon, self.word, self.relation)

    def moves(self) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
        """Counts with one unit, and without it or with another one, in both orders."""
        units = list(changes(self.unit, self.bars))
        others = units if self.relation == "replace-one" else [(0,) * self.bars]
        for rest, one, other in product(product(range(self.q + 1), repeat=self.bars), units, others):
            if one != other:
                yield from permutations([tuple(map(sum, zip(rest, unit, strict=True))) for unit in (one, other)])


Delta = Callable[[ShiftedTable, Unit, int], mpq]


def _end(table: ShiftedTable) -> mpq:
    return mpq(max(table.weights[0], table.weights[-1]), 1 << table.bits)


DELTAS: dict[str, Delta] = {
    "of one row": lambda table, _unit, _bars: table.delta,
    "k w_0": lambda table, unit, _bars: unit.rows * _end(table),
    "1 - (1 - w_0)^k": lambda table, unit, _bars: 1 - (1 - _end(table)) ** unit.rows,
    "of the rows of one label": lambda table, unit, _bars: mpq(sum(table.weights[: unit.rows_per_label]), 1 << table.bits),
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


@own(
    "FD.Unit.shifted",
    """ShiftedTruncated on the table of one row with R^k <= e^epsilon (replaced: R^(2k)) is (epsilon, delta)-differentially
    private for a unit that comes, goes, or becomes another one, of at most k rows, in at most l bars and r of each. Its exact
    delta, at that ratio and at any larger one, is the largest 1 - prod(1 - a_(d_i)), a_d the probability of the first d values
    of the noise or of the last d; replaced, that of a unit that goes and one that comes, or less for too few bars.""",
    over="one to three bars of 0..q rows and a unit; the law of the running code by the explorer",
    code=[f"{CODE}.shifted_unit_delta", "finitedp.impl.flexible.shifted_truncated.ShiftedTruncated.claim"],
    grid=cases(
        Case,
        SHIFTED,
        [(6, "1/2", 8, 2, None, None, 3), (4, "1", 7, 3, 2, 2, 3), (4, "1/2", 6, 2, 1, 3, None, "replace-one")],
    ),
    subject=shifted_unit_delta,
    twins=DELTAS,
)
def exact_delta(delta: Delta, case: Case) -> Iterator[Finding]:
    table, unit = case.table, case.unit
    found = delta(table, unit, case.bars)
    made = ShiftedTruncated(case.bars, case.q, case.whole, case.word, case.relation, unit)
    claim, changed = made.claim(), 1 if case.relation == "add-remove" else 2
    laws = cache(lambda counts: explore(lambda coins: made.release_counts(counts, coins)).law())
    at = table.ratio ** (changed * unit.rows)
    worst = [max(hockey_stick(laws(x), laws(y), ratio).delta for x, y in case.moves()) for ratio in (at, at * 10**6)]
    both = case.relation == "add-remove" or case.bars >= 2 * min(case.labels or unit.rows, unit.rows)
    yield at_most(max(worst), found, "delta at R^k, or at 10^6 R^k:")
    yield equal(worst if both else [found] * 2, [found] * 2, "delta at R^k, and at 10^6 R^k")
    yield equal((claim.epsilon, claim.delta, claim.unit), (case.whole, found, unit), "stated claim")
    yield equal(made.table, table, "the table of epsilon / k")
    yield equal(compare_exp(at, case.whole) <= 0, True, "R^k <= e^epsilon")


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
        in_scope(self.rows or (self.labels and self.each), "rows, or labels and rows of each")


Least = Callable[[str, str, int, str, Unit, int], int]


@own(
    "FD.Unit.q",
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
