"""ShiftedTruncated, our own: the law of the running code, its exact delta by enumeration, and that its tables are the best."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from gmpy2 import mpq

from finitedp.claim import Neighbours
from finitedp.exact import compare_exp
from finitedp.impl.flexible.shifted_truncated import ShiftedTruncated
from finitedp.impl.flexible.tables import ShiftedTable, shifted_table
from finitedp.proofs_check.claims.own.flexible import subjects as made
from finitedp.proofs_check.claims.own.flexible.subjects import HALF, ONE, SMALL, Law, Table, worst_delta
from finitedp.proofs_check.engine.explorer import explore
from finitedp.proofs_check.ledger.entry import Finding, cases
from finitedp.proofs_check.ledger.findings import all_of, at_most, equal, own, same_law
from finitedp.spec.flexible import shifted_truncated as spec
from finitedp.spec.pmf import Pmf

MECHANISM = "finitedp.impl.flexible.shifted_truncated.ShiftedTruncated"
TABLES = "finitedp.impl.flexible.tables.shifted_table"
SPEC = "finitedp.spec.flexible.shifted_truncated"


def _explored(case: Table, neighbours: Neighbours = "add-remove") -> Law:
    def law(x: tuple[int, ...]) -> Pmf[Any]:
        mechanism = ShiftedTruncated(len(x), case.q, case.epsilon, case.bits, neighbours)
        return explore(lambda coins: mechanism.release_counts(x, coins)).law()

    return law


@own(
    "FD.Shifted.law",
    "ShiftedTruncated's law is max(0, x - J) in every bar, J = j with probability w_j / 2^B, independent in all bars.",
    over="one bar of 0..q + 1 rows, and (1, 2), (0, 3), (q, 1) in two; the law of the running code by the explorer",
    code=[MECHANISM, f"{SPEC}.histogram"],
    grid=SMALL,
    subject=_explored,
    twins=made.OTHER_LAW
    | {"surplus removed on the left": made.on(made.mirrored)}
    | {name: made.SEVERAL_BARS[name] for name in ("one word for all bars",)}
    | {name: made.LARGER_DELTA[name] for name in ("max(1, x - J) of what is not empty", "no noise from q rows on")},
)
def law(make: Callable[[Table], Law], case: Table) -> Finding:
    q = case.q
    inputs = [*((x,) for x in range(min(q, 9) + 2)), (1, 2), (0, 3), (min(q, 9), 1)]
    expected = spec.table(q, case.ratio, case.bits)
    assert expected is not None  # noqa: S101  # the grid has tables
    return all_of([same_law(make(case)(x), spec.histogram(expected, x), f"{x}") for x in inputs])


RUNNING = cases(
    Table,
    [(4, 6, ONE, 1, 8), (3, 6, ONE, 2, 5), (2, 4, ONE, 2, 4)],
    [(4, 6, ONE, 2, 8), (5, 8, HALF, 1, 8), (6, 8, ONE, 1, 9), (2, 4, ONE, 3, 4)],
)


ENUMERATED = cases(
    Table,
    [(4, 6, ONE, 3, 6), (3, 6, ONE, 2, 6), (5, 8, HALF, 1, 8), (6, 8, ONE, 1, 9)],
    [(3, 6, ONE, 3, 6), (5, 8, HALF, 3, 6), (6, 8, ONE, 3, 6), (7, 6, HALF, 2, 9), (2, 4, ONE, 3, 6), (28, 64, ONE, 1, 30)],
)


@own(
    "FD.Shifted.enumerated",
    "The shifted-truncated histogram, as it is defined, has that delta on all pairs of histograms, and no smaller one.",
    over="all histograms of 3 bars and 6 rows at q = 4 (five tables in full), one bar up to q + 3 rows; e^epsilon = R, 2 R",
    code=[f"{SPEC}.histogram", f"{SPEC}.delta_add", f"{SPEC}.delta_remove"],
    grid=ENUMERATED,
    subject=made.right,
    twins=made.LARGER_DELTA | made.SEVERAL_BARS,
)
@own(
    "FD.Shifted.private",
    """ShiftedTruncated is (epsilon, delta)-DP under adding or removing a row with delta = max(w_0, w_(q-1))/2^B, at every
    e^epsilon >= R, and with no smaller delta.""",
    over="the law of the running code; all histograms of two bars and 5 rows at q = 3, one bar and 8 at q = 4",
    code=[MECHANISM, f"{SPEC}.delta_add", f"{SPEC}.delta_remove"],
    grid=RUNNING,
    subject=_explored,
    twins=made.LARGER_DELTA | made.SEVERAL_BARS,
)
def private(make: Callable[[Table], Law], case: Table) -> Iterator[Finding]:
    claim = ShiftedTruncated(case.bars, case.q, case.epsilon, case.bits).claim()
    w = case.weights
    for ratio in (case.ratio, 2 * case.ratio):
        found = worst_delta(make(case), made.add_pairs(case.bars, case.rows), ratio)
        yield equal(found, claim.delta, f"largest delta at q = {case.q}, {case.bars} bars, {ratio} R")
        yield equal(max(spec.delta_add(w, ratio), spec.delta_remove(w, ratio)), claim.delta, "delta by the table")
    yield equal(compare_exp(case.ratio, case.epsilon) <= 0, True, "R <= e^epsilon")


def _replace_table(case: Table) -> ShiftedTable:
    return shifted_table(case.q, case.epsilon, case.bits, "replace-one")


REPLACE_TWINS = {
    "the table for adding a row": made.on(lambda case: shifted_table(case.q, case.epsilon, case.bits).weights),
    "a flat table": made.on(made.flat),
}


@own(
    "FD.Shifted.replace-enumerated",
    """The law of the shifted-truncated histogram, as it is defined, has the delta 1 - (1 - w_0/2^B)(1 - w_(q-1)/2^B) under
    replacing a row at e^epsilon = R^2, and no smaller one, with two bars and q rows or more.""",
    over="all pairs of histograms of 2 and 3 bars and up to 8 rows that differ in one row",
    code=[f"{SPEC}.histogram", f"{SPEC}.replace_delta_at_ends", f"{SPEC}.delta_replace"],
    grid=cases(
        Table,
        [(3, 6, ONE, 3, 6), (2, 4, ONE, 2, 5), (4, 6, ONE, 2, 8)],
        [(4, 6, ONE, 3, 8), (5, 8, ONE, 2, 10), (3, 8, mpq(2), 3, 6)],
    ),
    subject=made.on(lambda case: _replace_table(case).weights),
    twins=REPLACE_TWINS,
)
@own(
    "FD.Shifted.replace",
    """With R <= e^(epsilon/2), ShiftedTruncated of two bars or more is (epsilon, delta)-DP under replacing a row with
    delta = 1 - (1 - w_0/2^B)(1 - w_(q-1)/2^B), at e^epsilon = R^2, and with no smaller delta where there are q rows or more:
    with fewer, or with one bar, which has no neighbours, a smaller one holds.""",
    over="""the law of the running code, all pairs of histograms of 2 bars and 1 to 6 rows that differ in one row (8 in full),
    and of one bar""",
    code=[MECHANISM, f"{SPEC}.replace_delta_at_ends", f"{SPEC}.delta_replace"],
    grid=cases(
        Table,
        [(3, 6, ONE, 2, 6), (2, 4, ONE, 2, 5), (3, 6, ONE, 1, 6), (3, 6, ONE, 2, 1), (3, 6, ONE, 2, 2), (3, 6, ONE, 2, 3)],
        [(4, 6, ONE, 2, 8), (2, 4, ONE, 3, 5), (4, 6, ONE, 2, 3), (4, 6, ONE, 3, 4)],
    ),
    subject=partial(_explored, neighbours="replace-one"),
    twins=REPLACE_TWINS,
)
def replaced(make: Callable[[Table], Law], case: Table) -> Iterator[Finding]:
    claim = ShiftedTruncated(case.bars, case.q, case.epsilon, case.bits, "replace-one").claim()
    table = _replace_table(case)
    square = table.ratio**2
    worst = worst_delta(make(case), made.replace_pairs(case.bars, case.rows), square)
    reached = case.bars > 1 and case.rows >= case.q
    yield equal(worst == claim.delta, reached, f"largest delta of replacing a row at q = {case.q} is {worst}; reached")
    yield at_most(worst, claim.delta, f"largest delta of replacing a row at q = {case.q}")
    yield equal(spec.delta_replace(table.weights, square), claim.delta, "delta by the table")
    yield equal(spec.replace_delta_at_ends(table.weights), claim.delta, "delta by the ends")
    yield equal(compare_exp(square, case.epsilon) <= 0, True, "R^2 <= e^epsilon")
