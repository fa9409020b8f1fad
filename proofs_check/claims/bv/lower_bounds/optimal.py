"""How good the bounds of Section 7 are: the least beta of all private histograms, and constants that are better than printed.

Each optimum is a rational with a certificate (best.py), and where a formula is stated, it equals the formula. Some constants
of Theorems 7.1 i and 7.2 are larger than they must be, so that no check can tell a smaller one from them: it is true as well.
For those the better constant is a claim here, and what is below it a twin. In Theorem 7.1 ii a 2 for either 4 is too little:
that fails at one row of five labels, or at three rows and eight labels.
"""

from collections.abc import Callable, Iterator
from itertools import product
from typing import NamedTuple

from gmpy2 import mpq

from finitedp.exact import log_bounds
from finitedp.numbers import brief, decimal
from finitedp.proofs_check.claims.bv.lower_bounds import statements as st
from finitedp.proofs_check.claims.bv.lower_bounds.best import Best, best_table
from finitedp.proofs_check.claims.bv.lower_bounds.subjects import Case, measured
from finitedp.proofs_check.ledger.entry import Cases, Finding, cases
from finitedp.proofs_check.ledger.findings import equal, own
from finitedp.spec import lower_bounds as spec

Formula = Callable[[Best], mpq]
CODE = [
    "finitedp.proofs_check.claims.bv.lower_bounds.best.best_table",
    "finitedp.proofs_check.checks.linear.certifies",
]


def _least_per_query(case: Best) -> mpq:
    """Two labels, n = 2a + 1 rows: from Pr = beta at one end, both probabilities of an output grow by the ratio and delta.

    They meet in the middle, where one is at least (1 - delta)/(1 + ratio), a steps before the end.
    """
    ratio, a = case.ratio, case.a
    lost = case.delta * (1 - ratio**-a) / (ratio - 1)
    return max(mpq(0), (1 - case.delta) / ((1 + ratio) * ratio**a) - lost)


def _without_delta(formula: Formula) -> Formula:
    return lambda case: formula(case._replace(delta=mpq(0)))


def _rows_apart(case: Best) -> mpq:
    """One row over |X| labels: the truth has at most ratio times the probability of each other label, and delta."""
    return (case.size - 1) * (1 - case.delta) / (case.ratio + case.size - 1)


STEPS = [(mpq(9), mpq(0)), (mpq(3, 2), mpq(0)), (mpq(3, 2), mpq(1, 50)), (mpq(11, 10), mpq(1, 3))]


@own(
    "FD.Optimum.per-query",
    """The least beta of all (epsilon, delta)-differentially private histograms of 2a + 1 rows over two labels with (a,
    beta)-per-query accuracy is max{0, (1 - delta)/((1 + r) r^a) - delta (1 - r^-a)/(r - 1)}, r = e^epsilon; with more rows or
    labels it is no less. So it is about r^-(a + 1/2) for small epsilon, where Theorem 7.1 i has r^-(2a + 1)/4.""",
    over="a <= 2, epsilon and delta on the grid; optima of linear programs over all mechanisms, by rational certificates",
    code=CODE,
    grid=Cases(
        [Best("per query", 2, a, *step) for a, step in product((0, 1, 2), STEPS)],
        [Best("per query", 2, *values) for values in product(range(6), (mpq(5, 4), mpq(4)), (mpq(0), mpq(1, 99)))],
    ),
    subject=_least_per_query,
    twins={
        "one step more": lambda case: _least_per_query(case._replace(a=case.a + 1)),
        "group privacy as if it were tight": lambda case: (1 - case.delta) / (1 + case.ratio ** (2 * case.a + 1)),
        "without delta": _without_delta(_least_per_query),
    },
)
def least_per_query(formula: Formula, case: Best) -> Finding:
    return _optimum(formula, case, 1 / (4 * case.ratio ** (2 * case.a + 1)))


@own(
    "FD.Optimum.simultaneous",
    """The least beta of all (epsilon, delta)-differentially private histograms of one row with (0, beta)-simultaneous
    accuracy is (|X| - 1)(1 - delta)/(e^epsilon + |X| - 1).""",
    over="|X|, epsilon and delta on the grid; optima of linear programs over all mechanisms, by rational certificates",
    code=CODE,
    grid=Cases(
        [Best("simultaneous", size, 0, *step) for size, step in product((2, 3, 5), STEPS)],
        [Best("simultaneous", size, 0, *step) for size, step in product((4, 9, 20), STEPS)],
    ),
    subject=_rows_apart,
    twins={
        "|X| for |X| - 1": lambda case: _rows_apart(case._replace(size=case.size + 1)),
        "without delta": _without_delta(_rows_apart),
    },
)
def least_simultaneous(formula: Formula, case: Best) -> Finding:
    return _optimum(formula, case, (case.size - 1) / (4 * case.ratio))


def _optimum(formula: Formula, case: Best, asked: mpq) -> Finding:
    """The optimum against the formula; beside it, what the theorem asks for where delta = 0."""
    least = best_table(case).beta
    beside = f", {decimal(least / asked, 4)} times what Theorem 7.1 asks" if case.delta == 0 else ""
    return equal(formula(case), least, f"least beta {brief(least)}{beside}, formula")


# Constants that are better than printed

SPARSE = Cases(
    [
        *(Best("sparse", 5, 0, ratio, bins=bins) for ratio, bins in ((mpq(3, 2), 2), (mpq(1000), 1), (mpq(3), 2))),
        Best("sparse", 2, 0, mpq(25), bins=1),
        Case("running heavy", 4, 2, mpq(1, 9)),
        Case("heavy", 300, 7, mpq(1, 5)),
        Case("stability", 10**18, 24, mpq(1, 3), 6),
    ],
    [
        *(Best("sparse", 8, 0, *values) for values in product((mpq(9), mpq(50)), (mpq(0), mpq(1, 99)), (1, 3))),
        Case("heavy", 1000, 9, mpq(1, 3)),
        Case("stability", 10**18, 60, mpq(2, 3), 26),
    ],
)
PACKED = Cases(SPARSE.of("quick")[1:], SPARSE.of("full")[1:])  # at beta = 1/2 the inequality says nothing


@own(
    "FD.Constants.7.1.i",
    """Theorem 7.1 i is true with 2 for 4: a >= min{ln(1/(2 beta))/epsilon - 1, ln(epsilon/(2 delta))/epsilon - 1, n}/2. By
    FD.Optimum.per-query: where delta/epsilon < r^-(2a + 1)/2, the least beta is at least r^-(2a + 1)/2, because r^(a + 1) >=
    1 + r - r^-a. With a constant below 2 in either place it is false, by the best mechanisms of one row, as epsilon -> 0.""",
    over="the best mechanisms there are, and running ones; every beta, by the least one of each error",
    code=[*CODE, "finitedp.spec.lower_bounds.per_query_bound"],
    grid=Cases(
        [
            *(Best("per query", 2, a, *step) for a, step in product((0, 1, 3), STEPS)),
            Best("per query", 2, 0, mpq(101, 100), mpq(3, 500)),
            *(Case("basic", 2, 60, mpq(2, 3)), Case("running heavy", 4, 2, mpq(1, 9))),
        ],
        [Best("per query", 2, *values) for values in product((2, 5, 8), (mpq(6, 5), mpq(2)), (mpq(0), mpq(1, 80)))],
    ),
    subject=st.changed(st.per_query_bound, target=2, delta=2),
    twins={
        "beta for 2 beta": st.changed(st.per_query_bound, target=4, delta=2),
        "delta for 2 delta": st.changed(st.per_query_bound, target=2, delta=4),
    },
)
def better_per_query(stated: st.Statement, case: st.Any) -> Finding:
    return st.compared("per query", stated, case)


class Step(NamedTuple):
    """An error a and e^epsilon."""

    a: int
    ratio: mpq


STEP_RATIOS = (mpq(101, 100), mpq(21, 20), mpq(6, 5), mpq(11, 5), mpq(9))


@own(
    "FD.Constants.7.1.i.delta",
    """Theorem 7.1 i is true with delta for 4 delta, where beta keeps its 4; with delta/2 it is false. By the formula of
    FD.Optimum.per-query.""",
    over="a and epsilon on the grid; every beta and delta: the least beta falls with delta, so that the largest delta decides",
    code=["finitedp.proofs_check.claims.bv.lower_bounds.best.best_table", "finitedp.spec.lower_bounds.per_query_bound"],
    grid=cases(
        Step,
        product((0, 1, 2, 5, 20, 60), STEP_RATIOS),
        product((*range(30), 100, 300), (*STEP_RATIOS, mpq(1001, 1000), mpq(51, 50), mpq(7, 5), mpq(3))),
    ),
    subject=(mpq(4), mpq(1)),
    twins={"delta/2 for delta": (mpq(4), mpq(1, 2)), "2 beta for 4 beta": (mpq(2), mpq(1))},
)
def constant_of_delta(constants: tuple[mpq, mpq], case: Step) -> Finding:
    """With y = e^(-(2a + 1) epsilon): where (constant) delta < y epsilon, the least beta is at least y / (constant)."""
    of_beta, of_delta = constants
    y = 1 / case.ratio ** (2 * case.a + 1)
    delta = y * log_bounds(case.ratio, 128)[1] / of_delta  # a little above those that matter
    least = _least_per_query(Best("per query", 2, case.a, case.ratio, min(delta, mpq(1))))
    allowed = y / of_beta
    return Finding(least >= allowed, min(allowed / least, mpq(9)) if least else mpq(9), f"least beta {brief(least, 12, 6)}")


@own(
    "FD.Constants.7.2",
    """For |X| >= 2 Theorem 7.2 is true with epsilon for 2 epsilon, and 8 for 16: a >= min{ln(|X|/(8 beta n'))/epsilon - 1,
    ln(epsilon/(4 delta))/epsilon - 1, n}/2. For y = e^(-(2a + 1) epsilon) > 4 delta/epsilon, FD.Packing.two gives
    y (3/4 - 2 beta) <= n' beta/(|X| - 1) where beta <= 1/4, and FD.Packing gives y (3/4 - beta) <= n'/|X| above.""",
    over="the best mechanisms of one row there are, and running ones; every beta, by the least one of each error",
    code=[*CODE, "finitedp.spec.lower_bounds.sparse_bound"],
    grid=SPARSE,
    subject=st.changed(st.sparse_bound, target=2, epsilon=2),
    twins={
        "2 for 8": st.changed(st.sparse_bound, target=8, epsilon=2),
        "beta for 8 beta": st.changed(st.sparse_bound, target=16, epsilon=2),
    },
)
def better_sparse(stated: st.Statement, case: st.Any) -> Finding:
    return st.compared("sparse", stated, case)


@own(
    "FD.Packing.two",
    """For a < n/2, m = floor(2a) + 1 and at most n' nonzero counts, e^(-m epsilon) (1 - 2 beta) <= n' beta/(|X| - 1) +
    delta/epsilon: with m rows x in one dataset and m rows y in the other, that y has a count above a and x has not is likely
    in the second, and in the first at most n' labels y share the probability beta that x has not.""",
    over="the best mechanisms of one row there are, and running ones; every beta, by the least one of each error",
    code=[*CODE, "finitedp.spec.lower_bounds.packing_holds"],
    grid=PACKED,
    subject=lambda beta, size, bins: (2 * beta, bins * beta / (size - 1)),
    twins={
        "|X| for |X| - 1": lambda beta, size, bins: (2 * beta, bins * beta / size),
        "one label for n'": lambda beta, size, _bins: (2 * beta, beta / (size - 1)),
    },
)
def two_labels_packed(sides: Callable[[mpq, int, int], tuple[mpq, mpq]], case: st.Any) -> Iterator[Finding]:
    found = measured(case)
    for (ratio, delta), a in product(found.levels, range((found.n + 1) // 2)):
        lost, share = sides(found.per_query(a), found.size, found.bins)
        yield from st.packed(f"a={a} at", spec.rows_changed(a), lost, share, ratio, delta)
