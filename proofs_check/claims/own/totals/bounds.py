"""What one row changes, our own; numbers of rows; and the step by default."""

from collections.abc import Callable
from typing import NamedTuple

from attrs import evolve
from gmpy2 import mpq

from finitedp.impl.counting.bounded_total import BoundedTotal, bounded_count, default_step, sensitivity
from finitedp.proofs_check.claims.own.dyadic.subjects import Dyadic
from finitedp.proofs_check.claims.own.totals.subjects import running_law_of
from finitedp.proofs_check.deciders.verdict import check_privacy
from finitedp.proofs_check.ledger.entry import Finding, cases
from finitedp.proofs_check.ledger.findings import all_of, equal, of_privacy, own, same_law
from finitedp.spec import dyadic as spec
from finitedp.spec.columns.total import clipped_sum, worst_change


class Bounds(NamedTuple):
    """Bounds of values, and what is a neighbour."""

    low: int
    high: int
    neighbours: str
    missing: bool = False


Sensitivity = Callable[..., int]


@own(
    "FD.Total.sensitivity",
    """One row changes a sum of values clipped to low..high by at most max(|low|, |high|), and one that is replaced by at most
    high - low, or, where a row may be without a value, by at most max(high, 0) - min(low, 0); each is attained.""",
    over="all rows that there may be, values within and outside of the bounds",
    code=["finitedp.impl.counting.bounded_total.sensitivity", "finitedp.spec.columns.total.worst_change"],
    grid=cases(
        Bounds,
        [
            (*b, r, m)
            for b in ((0, 3), (2, 5), (-4, -1), (-2, 3), (3, 3))
            for r in ("add-remove", "replace-one")
            for m in (0, 1)
        ],
        [(*b, r, m) for b in ((-9, 9), (7, 20), (0, 1)) for r in ("add-remove", "replace-one") for m in (False, True)],
    ),
    subject=sensitivity,
    twins={
        "high - low for all": lambda low, high, _, **__: high - low,
        "the bound above alone": lambda low, high, _, **__: abs(high),
        "missing ones forgotten": lambda low, high, neighbours, missing: sensitivity(low, high, neighbours),
    },
)
def change_of_one_row(change: Sensitivity, case: Bounds) -> Finding:
    held: list[int | None] = [*range(case.low - 2, case.high + 3), *([None] if case.missing else [])]
    one = [clipped_sum([x], case.low, case.high) for x in held]
    replaced = case.neighbours == "replace-one"
    worst = max(abs(a - b) for a in one for b in (one if replaced else [0]))
    stated = change(case.low, case.high, case.neighbours, missing=case.missing)
    defined = worst_change(case.low, case.high, case.neighbours, missing=case.missing)
    return all_of([equal(stated, worst, "the most"), equal(defined, worst, "of the definition")])


class Count(NamedTuple):
    """At most n rows, epsilon, the bits of a word, what is a neighbour."""

    n: int
    epsilon: str
    word: int
    neighbours: str = "add-remove"

    def mechanism(self) -> BoundedTotal:
        return bounded_count(self.n, self.epsilon, self.neighbours, word=self.word)


@own(
    "FD.Count.private",
    """A number of rows is released with the law of DyadicSample for 2 epsilon, whose worst ratio is at most e^epsilon, for a
    row more or less, and for one that is replaced.""",
    over="every number of rows up to n + 1; the running code by the explorer",
    code=["finitedp.impl.counting.bounded_total.bounded_count"],
    grid=cases(
        Count,
        [(1, "1", 8), (3, "1/2", 10), (6, "2", 64), (5, "1", 10, "replace-one")],
        [(12, "1/5", 12), (9, "3", 128), (20, "1/2", 64, "replace-one")],
    ),
    subject=Count.mechanism,
    twins={
        "the table of 4 epsilon": lambda case: case._replace(epsilon=2 * mpq(case.epsilon)).mechanism(),
        "of one row less": lambda case: case._replace(n=max(case.n - 1, 1)).mechanism(),
        "from 1 on": lambda case: evolve(case.mechanism(), low=-1),
    },
)
def count_of_rows(make: Callable[[Count], BoundedTotal], case: Count) -> Finding:
    mechanism, table = make(case), Dyadic(case.n, str(2 * mpq(case.epsilon)), case.word)
    laws = {m: running_law_of(mechanism, (1,) * m) for m in range(case.n + 2)}
    findings = [same_law(found, spec.law(table.weights, min(m, case.n)), f"{m} rows") for m, found in laws.items()]
    claim, pairs = case.mechanism().claim(), [(m, m + 1) for m in range(case.n + 1)]
    verdict = check_privacy(laws.__getitem__, [*pairs, *((b, a) for a, b in pairs)], claim)
    return all_of([*findings, of_privacy(verdict, claim), equal(claim.epsilon, mpq(case.epsilon), "stated epsilon")])


class Fine(NamedTuple):
    """A sensitivity, and epsilon."""

    s: int
    epsilon: str


@own(
    "FD.Total.step",
    """The step by default is 1 for a sensitivity s of up to 4 max(floor(1000 epsilon), 1), else the least of which at most
    max(floor(1000 epsilon), 1) are needed for s.""",
    over="sensitivities up to 10^12 at six epsilons",
    code=["finitedp.impl.counting.bounded_total.default_step"],
    grid=cases(
        Fine,
        [(s, e) for s in (1, 4, 5, 40, 41, 999, 4000, 4001, 10**6 + 1, 10**12) for e in ("1/1000", "1/100", "1", "20")],
        [(s, e) for s in (3, 12345, 10**9 + 7) for e in ("1/10", "1/7", "1/5000")],
    ),
    subject=default_step,
    twins={"rounded down": lambda s, epsilon: max(s // max(int(1000 * epsilon), 1), 1), "1": lambda s, epsilon: 1},
)
def step_by_default(chosen: Callable[[int, mpq], int], case: Fine) -> Finding:
    steps = max(int(1000 * mpq(case.epsilon)), 1)
    found = chosen(case.s, mpq(case.epsilon))
    if case.s <= 4 * steps:
        return equal(found, 1, "the step")
    return equal(
        (-(-case.s // found) <= steps, found == 1 or -(-case.s // (found - 1)) > steps), (True, True), "the least step"
    )
