"""Theorems 7.1 and 7.2 of Balcer and Vadhan, and the sharper inequalities of their proofs (FD.Packing).

The bounds stand against the exact accuracy and privacy of running mechanisms, and of the best mechanism there is (best.py),
which is what tells a wrong constant: the error of running code is several times what the bounds ask for. Every beta is
decided: for an integer error a only the least beta matters, that at which a mechanism is (a, beta)-accurate.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import product

from gmpy2 import mpq

from finitedp.numbers import brief
from finitedp.proofs_check.claims.bv.lower_bounds import statements as st
from finitedp.proofs_check.claims.bv.lower_bounds.best import Best
from finitedp.proofs_check.claims.bv.lower_bounds.subjects import Case, Measured, measured
from finitedp.proofs_check.ledger.entry import Cases, Finding, entry, erratum
from finitedp.proofs_check.ledger.findings import all_of
from finitedp.spec import lower_bounds as spec

MANY = 10**18  # a universe that StabilityHistogram does not mind
BASIC = (
    *(Case("basic", *shape) for shape in ((2, 60, mpq(2, 3)), (10**6, 30, mpq(1, 9)), (2, 6, mpq(1, 9)))),
    *(Case("stability", MANY, *shape) for shape in ((60, mpq(2, 3), 26), (24, mpq(1, 3), 6))),
)
MORE_BASIC = (
    Case("stability", MANY, 80, mpq(2, 3), 30),
    *(Case("basic", *shape) for shape in ((10**9, 40, mpq(1, 9)), (2, 100, mpq(8, 9)))),
    Case("stability", MANY, 24, mpq(2, 3), 6),
)
HEAVY = (Case("heavy", 300, 7, mpq(1, 5)), *(Case("running heavy", size, 2, mpq(1, 9)) for size in (4, 3)))
MORE_HEAVY = (Case("heavy", 1000, 9, mpq(1, 3)), Case("running heavy", 4, 3, mpq(1, 9)))
ONE_LABEL = (Case("basic", 1, 12, mpq(1, 5)), Case("stability", 1, 12, mpq(1, 5), 1))
MORE_ONE_LABEL = (Case("basic", 1, 20, mpq(1, 3)), Case("stability", 1, 30, mpq(1, 3), 4))


def _with_few(listed: Iterable[Case]) -> list[Case]:
    return [case for case in listed if not case.kind.endswith("basic")]


ALL = Cases(BASIC + HEAVY, MORE_BASIC + MORE_HEAVY)
SPARSE = Cases(_with_few(BASIC + HEAVY), _with_few(MORE_BASIC + MORE_HEAVY))
INDEPENDENT = Cases(
    (*BASIC, Case("running heavy", 4, 2, mpq(1, 9))),
    (*MORE_BASIC, Case("running heavy", 4, 3, mpq(1, 9))),
)

BEST_PER_QUERY = tuple(Best("per query", 2, a, ratio, delta) for a, ratio, delta in (
    (0, mpq(9), mpq(0)), (0, mpq(100), mpq(0)), (1, mpq(100), mpq(0)), (0, mpq(12, 5), mpq(31, 100)),
    (0, mpq(11, 5), mpq(17, 25)),
))  # fmt: skip
MORE_BEST_PER_QUERY = tuple(
    Best("per query", 2, a, ratio, y) for a in (2, 5) for ratio in (mpq(6, 5), mpq(2)) for y in (mpq(0), mpq(1, 100))
)
BEST_SIMULTANEOUS = tuple(Best("simultaneous", *numbers) for numbers in (
    (5, 0, mpq(11, 3), mpq(22, 250)), (8, 0, mpq(9, 4), mpq(9, 25)), (8, 1, mpq(3, 2), mpq(3, 50)), (3, 0, mpq(25)),
))  # fmt: skip
MORE_BEST_SIMULTANEOUS = tuple(Best("simultaneous", *numbers) for numbers in (
    (5, 1, mpq(3, 2), mpq(3, 100)), (3, 2, mpq(10, 9), mpq(3, 200)), (6, 2, mpq(3, 2), mpq(1, 50)),
))  # fmt: skip
BEST_SPARSE = (
    Best("sparse", 5, 0, mpq(3, 2), bins=2),
    Best("sparse", 6, 0, mpq(25), bins=1),
    Best("sparse", 24, 0, mpq(2), mpq(13, 20), bins=1),
)
MORE_BEST_SPARSE = tuple(
    Best("sparse", 8, 0, ratio, delta, k) for ratio in (mpq(9), mpq(20)) for delta in (mpq(0), mpq(1, 50)) for k in (1, 3)
)

CODE = [
    "finitedp.impl.histograms.basic.BasicHistogram",
    "finitedp.impl.histograms.stability.StabilityHistogram",
    "finitedp.impl.histograms.sparse.KeepHeavy",
]
OVER = (
    "exact errors, ratios and deltas of the running mechanisms over all datasets, and of the best mechanisms there are;"
    " every beta at which they say something, by the least one of each error"
)
PREMISES = ("FD.Measured", "FD.KeepHeavy.bin")
BY = """exact errors, ratios and deltas of independent bins with running laws, and of KeepHeavy's; against the best of all
mechanisms, at small n, nothing is needed but the linear program's certificate"""
derived = partial(entry, over=OVER, derived_from=PREMISES, by=BY)
for_two_labels = partial(
    erratum,
    kind="theorem",
    printed_grid=Cases(ONE_LABEL, MORE_ONE_LABEL),
    printed_over="|X| = 1, where there are no neighbours and every epsilon holds",
    derived_from=PREMISES,
    by=BY,
)
LITTLE = {"epsilon of one bin for two": st.half_of_epsilon, "no noise": st.exact_counts, "median error": st.median_error}


def _twins(bound: st.Bound, broken: Mapping[str, st.Measure]) -> dict[str, st.Statement]:
    return {name: st.Statement(bound, measure) for name, measure in broken.items()}


def _on(grid: Cases, *best: Sequence[Best]) -> Cases:
    quick, more = best
    return Cases((*grid.of("quick"), *quick), (*grid.of("full"), *more))


@for_two_labels(
    "BV.Thm7.1.i",
    "As printed, without |X| >= 2: the bound of Theorem 7.1 i for every universe, so also for one of a single label.",
    """An (epsilon, delta)-differentially private histogram with (a, beta)-per-query accuracy, beta < 1/2, has a >= min{ln(1/(4
    beta))/epsilon - 1, ln(epsilon/(4 delta))/epsilon - 1, n}/2, if |X| >= 2.""",
    subject=st.Statement(st.per_query_bound),
    twins=_twins(st.per_query_bound, LITTLE)
    | {
        "beta for 4 beta": st.changed(st.per_query_bound, target=4),
        "delta/2 for 4 delta": st.changed(st.per_query_bound, delta=8),
        "2 beta for 4 beta, delta for 4 delta": st.changed(st.per_query_bound, target=2, delta=4),
    },
    over=OVER,
    code=[*CODE, "finitedp.spec.lower_bounds.per_query_bound"],
    grid=_on(ALL, BEST_PER_QUERY, MORE_BEST_PER_QUERY),
)
def per_query(stated: st.Statement, case: st.Any) -> Finding:
    return st.compared("per query", stated, case)


@derived(
    "BV.Thm7.1.ii",
    "theorem",
    """An (epsilon, delta)-differentially private histogram with (a, beta)-simultaneous accuracy, beta < 1/2, has a >=
    min{ln((|X| - 1)/(4 beta))/epsilon - 1, ln(epsilon/(4 delta))/epsilon - 1, n}/2.""",
    code=[*CODE, "finitedp.spec.lower_bounds.simultaneous_bound"],
    grid=_on(INDEPENDENT, BEST_SIMULTANEOUS, MORE_BEST_SIMULTANEOUS),
    subject=st.Statement(st.simultaneous_bound),
    twins=_twins(st.simultaneous_bound, LITTLE | {"accurate per query": st.one_bin})
    | {
        "beta for 4 beta": st.changed(st.simultaneous_bound, target=4),
        "2 beta for 4 beta": st.changed(st.simultaneous_bound, target=2),
        "delta for 4 delta": st.changed(st.simultaneous_bound, delta=4),
        "2 delta for 4 delta": st.changed(st.simultaneous_bound, delta=2),
    },
)
def simultaneous(stated: st.Statement, case: st.Any) -> Finding:
    return st.compared("simultaneous", stated, case)


@for_two_labels(
    "BV.Thm7.2",
    "As printed, without |X| >= 2: the bound of Theorem 7.2 for every universe, so also for one of a single label.",
    """An (epsilon, delta)-differentially private histogram with at most n' nonzero counts and (a, beta)-per-query accuracy,
    beta <= 1/2, has a >= min{ln(|X|/(16 beta n'))/(2 epsilon) - 1, ln(epsilon/(4 delta))/epsilon - 1, n}/2, if |X| >= 2.""",
    subject=st.Statement(st.sparse_bound),
    twins=_twins(
        st.sparse_bound,
        {
            "no noise": st.exact_counts,
            "median error": st.median_error,
            "a count for every label": st.dense,
            "delta left out": st.no_delta,
        },
    )
    | {
        "2 beta n' for 16 beta n'": st.changed(st.sparse_bound, target=8),
        "delta/2 for 4 delta": st.changed(st.sparse_bound, delta=8),
    },
    over=f"{OVER}; n' is the largest number that is released",
    code=[*CODE[1:], "finitedp.spec.lower_bounds.sparse_bound"],
    grid=_on(SPARSE, BEST_SPARSE, MORE_BEST_SPARSE),
)
def sparse(stated: st.Statement, case: st.Any) -> Finding:
    return st.compared("sparse", stated, case)


# The inequalities of the proofs, which are sharper


@derived(
    "FD.Packing",
    "own",
    """The proofs of Theorems 7.1 and 7.2 give more than is stated: for a < n/2 and m = floor(2a) + 1, e^(-m epsilon)
    (1 - beta) <= s + delta/epsilon, where s = beta per query, beta/(|X| - 1) simultaneously, and n'/|X| for n' nonzero
    counts.""",
    code=[*CODE, "finitedp.spec.lower_bounds.packing_holds", "finitedp.spec.lower_bounds.rows_changed"],
    grid=_on(Cases(BASIC + HEAVY, MORE_HEAVY), BEST_PER_QUERY + BEST_SIMULTANEOUS, MORE_BEST_PER_QUERY + BEST_SPARSE),
    subject=measured,
    twins=LITTLE,
)
def packing(measure: st.Measure, case: st.Any) -> Finding:
    found, findings = measure(case), list[Finding]()
    for (ratio, delta), a in product(found.levels, range((found.n + 1) // 2)):
        for what, share, beta in _shares(found, a, case):
            findings += st.packed(f"{what} a={a} at beta={brief(beta)},", spec.rows_changed(a), beta, share, ratio, delta)
    return all_of(findings)


def _shares(found: Measured, a: int, case: st.Any) -> list[tuple[str, mpq, mpq]]:
    single = found.per_query(a)
    shares = [("per query", single, single), ("sparse", mpq(found.bins, found.size), single)]
    if case.kind == "heavy":
        return shares
    return [*shares, ("simultaneous", found.simultaneous(a) / (found.size - 1), found.simultaneous(a))]
