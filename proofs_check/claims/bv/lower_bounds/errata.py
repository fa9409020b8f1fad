"""Section 7 of Balcer and Vadhan: the steps of the proofs, and where the printed ones are wrong."""

import math
from collections.abc import Callable, Iterator
from itertools import product
from typing import NamedTuple

from attrs import evolve
from gmpy2 import mpq

from finitedp.numbers import brief
from finitedp.proofs_check.claims.bv.lower_bounds.statements import packed
from finitedp.proofs_check.claims.bv.lower_bounds.subjects import Case, measured
from finitedp.proofs_check.ledger.entry import AS_READ, Finding, cases, erratum, in_scope
from finitedp.proofs_check.ledger.findings import all_of, equal, own
from finitedp.spec import lower_bounds as spec
from finitedp.spec.lower_bounds import LogRatio, LowerBound

Rows = Callable[[mpq], int]


def _floor(a: mpq) -> int:
    return math.floor(2 * a)


def _ceiling(a: mpq) -> int:
    return math.ceil(2 * a)


class Error(NamedTuple):
    """An error a and a number n > 2a of rows."""

    a: mpq
    n: int

    def check_scope(self) -> None:
        in_scope(0 <= 2 * self.a < self.n, "0 <= a < n/2")


CODE = ["finitedp.spec.lower_bounds.rows_changed"]


@erratum(
    "BV.Err.6",
    f"Proof of Theorem 7.2 {AS_READ}: with m = floor(2a) rows of x, c_x(D^(x)) >= 2a.",
    """Proof of Theorem 7.2, corrected: with m = ceil(2a) rows of x, c_x(D^(x)) = m >= 2a, where m <= 2a + 1 and, for a < n/2,
    m <= n, so that there are so many rows.""",
    as_printed=("floor(2a)", _floor),
    subject=_ceiling,
    twins={"floor(2a) + 2": lambda a: _floor(a) + 2},
    over="rational a < n/2",
    code=CODE,
    grid=cases(
        Error,
        [(a, n) for n in (1, 5, 8) for a in (mpq(0), mpq(1, 4), mpq(1, 2), mpq(4, 3), mpq(7, 2)) if 2 * a < n],
        [(mpq(j, k), n) for n, k in product((1, 4, 9), (1, 2, 3, 7, 10)) for j in range(n * k) if 2 * j < n * k],
    ),
)
def enough_rows(rows: Rows, case: Error) -> Finding:
    m = rows(case.a)
    holds = 2 * case.a <= m <= 2 * case.a + 1 and m <= case.n
    return equal(holds, True, f"2a <= m <= min(2a + 1, n) for m = {m}, a = {case.a}")


@erratum(
    "BV.Err.6.zero",
    """Proof of Theorem 7.2 with m = ceil(2a): e^(-m epsilon) <= (n'/|X| + delta/epsilon)/(1 - beta) for every a < n/2, so
    also for a = 0, where each of the |X| bins has a count of at least a, not n' of them.""",
    """Proof of Theorem 7.2 with m = floor(2a) + 1, as in the proof of Theorem 7.1: the counts are above a, which at most n'
    can be, and e^(-m epsilon) <= (n'/|X| + delta/epsilon)/(1 - beta) for every a < n/2, a = 0 included.""",
    as_printed=("ceil(2a)", _ceiling),
    subject=spec.rows_changed,
    over="sparse mechanisms with their exact errors, ratios and deltas; every beta, by the least one of each error",
    code=["finitedp.spec.lower_bounds.packing_holds", "finitedp.impl.histograms.sparse.KeepHeavy"],
    grid=cases(
        Case,
        [
            *(("running heavy", size, n, mpq(1, 9)) for size, n in ((3, 1), (5, 1), (4, 2))),
            ("running stability", 3, 4, mpq(1, 9), 0),
            *(("stability", 10**18, *shape) for shape in ((12, mpq(1, 9), 0), (60, mpq(2, 3), 26))),
        ],
        [
            *(("running heavy", 4, 3, mpq(2, 3)), ("stability", 10**18, 80, mpq(2, 3), 30)),
            *(("heavy", 100, n, decay) for n, decay in ((3, mpq(1, 200)), (6, mpq(1, 9)), (9, mpq(1, 3)))),
        ],
    ),
    derived_from=("FD.Measured", "FD.KeepHeavy.bin"),
    by="exact errors, ratios and deltas of independent bins with running laws, and of KeepHeavy's",
)
def sparse_packing(rows: Rows, case: Case) -> Finding:
    found, findings = measured(case), list[Finding]()
    for (ratio, delta), a in product(found.levels, range((case.n + 1) // 2)):
        beta, m = found.per_query(a), rows(mpq(a))
        findings += packed(f"a={a}, m={m} at beta={brief(beta)},", m, beta, mpq(found.bins, found.size), ratio, delta)
    return all_of(findings)


class Level(NamedTuple):
    """E^epsilon = ratio, with the given delta, and n rows."""

    ratio: mpq
    delta: mpq
    n: int


_STEP_BETAS = (mpq(49, 100), mpq(2, 5), mpq(1, 10), mpq(1, 300), mpq(1, 10**6))
_SIZES = (2, 3, 50, 10**4)


def _found_and_stated(case: Level, a: int, beta: mpq) -> Iterator[tuple[list[mpq], LowerBound, str]]:
    """What each proof finds (the shares of its inequalities), the bound that it draws from that, and for which theorem."""
    level, n, delta = LogRatio(case.ratio), case.n, case.delta
    yield [beta], spec.per_query_bound(n, beta, level, delta), f"7.1 i, a={a}, beta={beta}"
    for size in _SIZES:
        where = f"7.1 ii, a={a}, beta={beta}, |X|={size}"
        yield [beta / (size - 1)], spec.simultaneous_bound(size, n, beta, level, delta), where
        for bins in {1, 2, min(size, n)}:
            where = f"7.2, a={a}, beta={beta}, |X|={size}, n'={bins}"
            yield [beta, mpq(bins, size)], spec.sparse_bound(size, bins, n, beta, level, delta), where


Alter = Callable[[LowerBound], LowerBound]


@own(
    "FD.Packing.implies",
    """The inequalities that the proofs of Theorems 7.1 and 7.2 find imply the bounds as stated: (s + delta/epsilon)/(1 - beta)
    <= 4 max{s, delta/epsilon}, and the larger of two logarithms is at least their mean.""",
    over="integers a < n/2, |X|, n', beta, delta and ratios on the grid, whether or not a mechanism has them",
    code=["finitedp.spec.lower_bounds.LowerBound", "finitedp.spec.lower_bounds.packing_holds"],
    grid=cases(
        Level,
        product((mpq(9, 8), mpq(3, 2), mpq(9)), (mpq(0), mpq(1, 50), mpq(1, 10**5)), (9,)),
        product((mpq(65, 64), mpq(5, 4), mpq(2), mpq(81)), (mpq(0), mpq(1, 4), mpq(1, 1000), mpq(1, 10**9)), (3, 20)),
    ),
    subject=lambda bound: bound,
    twins={
        "2 for 4": lambda bound: evolve(bound, target=bound.target * 2),
        "the sum for the mean": lambda bound: evolve(bound, divisor=1),
    },
)
def stated_bounds_follow(alter: Alter, case: Level) -> Iterator[Finding]:
    level = LogRatio(case.ratio)
    for a, beta in product(range((case.n + 1) // 2), _STEP_BETAS):
        rows = spec.rows_changed(a)
        for shares, bound, where in _found_and_stated(case, a, beta):
            if all(spec.packing_holds(rows, beta, share, level, case.delta) for share in shares):
                yield equal(alter(bound).allows(a), True, where)
