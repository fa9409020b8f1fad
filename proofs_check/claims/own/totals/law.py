"""Sums of clipped values, our own: the law of the running code, its privacy and its error."""

from collections.abc import Callable, Iterator

from gmpy2 import mpq

from finitedp.exact import RationalLike
from finitedp.impl.counting.bounded_total import BoundedTotal
from finitedp.proofs_check.claims.bv.counting.subjects import BETAS
from finitedp.proofs_check.claims.own.totals.subjects import (
    SUMS,
    Make,
    Sum,
    broken,
    made,
    running_law_of,
    running_law_of_sum,
    worst_ratio,
)
from finitedp.proofs_check.deciders.verdict import check_privacy
from finitedp.proofs_check.ledger.entry import Finding
from finitedp.proofs_check.ledger.findings import all_of, at_most, equal, in_turn, of_privacy, own, same_law
from finitedp.spec import dyadic as spec
from finitedp.spec.accuracy import miss_probability

CODE = ["finitedp.impl.counting.bounded_total.BoundedTotal", "finitedp.spec.columns.total.total_sample"]


@own(
    "FD.Total.law",
    """BoundedTotal's law is that of the definition: the sum of the clipped values, within what n rows may have, to the nearest
    step, with the noise of the table of which k = ceil(s/step) steps cost epsilon, clamped.""",
    over="all data of up to n + 1 rows (replace-one: of n) with values within and outside of the bounds; by the explorer",
    code=CODE,
    grid=SUMS,
    subject=made,
    twins=broken(
        "not clipped", "clipped below alone", "rounded down", "epsilon for each step", "a step short of the largest sum"
    ),
)
def law(make: Make, case: Sum) -> Finding:
    mechanism = make(case)
    return in_turn(same_law(running_law_of(mechanism, rows), case.law(rows), f"rows {rows}") for rows in case.datasets())


@own(
    "FD.Total.private",
    """BoundedTotal is (epsilon, 0)-differentially private for its neighbours on data with any number of rows and any integers:
    the ratio that it claims is that of the worst pair that n large allows, and at most e^epsilon.""",
    over="all data of up to n + 1 rows (replace-one: of n) with values within and outside of the bounds; by the explorer",
    code=[*CODE, "finitedp.impl.counting.bounded_total.BoundedTotal.claim"],
    grid=SUMS,
    subject=made,
    twins={
        **broken("not clipped", "clipped below alone", "high - low for a row more or less"),
        "missing ones forgotten": lambda case: made(case._replace(missing=False)),
        **broken("epsilon for each step", "k rounded down"),
    },
)
def private(make: Make, case: Sum) -> Finding:
    mechanism, claim = make(case), made(case).claim()
    laws = {rows: running_law_of(mechanism, rows) for rows in case.datasets()}
    table, k = case.table, case.changed
    worst = worst_ratio([spec.law(table.weights, c) for c in range(table.n + 1)], k)
    verdict = check_privacy(laws.__getitem__, case.pairs(), claim)
    stated = (claim.epsilon, claim.delta, claim.neighbours, claim.ratio)
    return all_of([of_privacy(verdict, claim), equal(stated, (mpq(case.epsilon), 0, case.neighbours, worst), "stated claim")])


@own(
    "FD.Total.accuracy",
    """Of at most n rows with values within the bounds the error exceeds accuracy(beta) with probability at most beta; where
    the step is 1, it is the least such number over all sums that there may be.""",
    over="every sum of the grid of sums; every beta of the grid",
    code=["finitedp.impl.counting.bounded_total.BoundedTotal.accuracy"],
    grid=SUMS,
    subject=lambda mechanism, beta: mechanism.accuracy(beta).a,
    twins={
        "without what rounding adds": lambda mechanism, beta: mechanism.mechanism.accuracy(beta).a * mechanism.step,
        "in steps": lambda mechanism, beta: mechanism.mechanism.accuracy(beta).a,
        "one less": lambda mechanism, beta: max(mechanism.accuracy(beta).a - 1, 0),
    },
)
def accuracy(stated: Callable[[BoundedTotal, RationalLike], int], case: Sum) -> Iterator[Finding]:
    mechanism, (least, most) = made(case), case.ends
    laws = {total: running_law_of_sum(mechanism, total) for total in range(least, most + 1)}
    for beta in (*BETAS, mpq(1, 2), mpq(1)):
        a = stated(mechanism, beta)
        missed = max(miss_probability(found, total, a) for total, found in laws.items())
        yield at_most(missed, beta, f"miss of a = {a}")
        if case.step == 1 and a:
            less = max(miss_probability(found, total, a - 1) for total, found in laws.items())
            yield equal(less > beta, True, f"a - 1 = {a - 1} is missed more often than {beta}")
