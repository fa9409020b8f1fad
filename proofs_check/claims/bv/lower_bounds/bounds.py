"""Theorems 7.1 and 7.2 of Balcer and Vadhan, and the sharper inequalities of their proofs (FD.Packing).

The bounds stand against the exact accuracy and privacy of running mechanisms.
"""

from collections.abc import Callable, Iterable
from functools import partial
from itertools import product

from attrs import evolve
from gmpy2 import mpq

from finitedp.numbers import decimal
from finitedp.proofs_check.claims.bv.lower_bounds.subjects import (
    ANY_LEVEL,
    Case,
    Measured,
    from_bins,
    measured,
    packing_load,
)
from finitedp.proofs_check.ledger.entry import Cases, Finding, entry, erratum
from finitedp.proofs_check.ledger.findings import all_of
from finitedp.spec import lower_bounds as spec
from finitedp.spec.lower_bounds import LogRatio, LowerBound
from finitedp.spec.pmf import Pmf

BETAS = (mpq(2, 5), mpq(1, 10), mpq(1, 100), mpq(1, 10**4), mpq(1, 10**9))
MANY = 10**18  # a universe that StabilityHistogram does not mind

Measure = Callable[[Case], Measured]
Line = tuple[mpq, mpq, int, LowerBound]


def _claims_little(case: Case) -> Measured:
    """Broken: claims an epsilon of ln(65/64), whatever its noise."""
    return evolve(measured(case), levels=((ANY_LEVEL, mpq(0)),))


def _exact_counts(case: Case) -> Measured:
    """Broken: releases the true counts at the level of the case."""
    return from_bins(case, Pmf.point, measured(case).levels)


def _median_error(case: Case) -> Measured:
    """Broken: its error at beta = 1/2 is passed off as that at every beta."""
    honest = measured(case)
    return evolve(
        honest, per_query=lambda _: honest.per_query(mpq(1, 2)), simultaneous=lambda _: honest.simultaneous(mpq(1, 2))
    )


def _one_bin(case: Case) -> Measured:
    """Broken: per-query accuracy is passed off as simultaneous."""
    return evolve(measured(case), simultaneous=measured(case).per_query)


def _dense(case: Case) -> Measured:
    """Broken: a count for every label, passed off as at most n of them."""
    return evolve(measured(case._replace(kind="basic")), bins=case.n)


def _no_delta(case: Case) -> Measured:
    """Broken: its delta is left out."""
    return evolve(measured(case), levels=tuple((ratio, mpq(0)) for ratio, _ in measured(case).levels))


def _compared(what: str, lines: list[Line]) -> Finding:
    """Finds each error to be at least its bound; says how often the bound (vacuous) or the error (a = n) says nothing.

    The load is bound / a where a < n; the error n is above every bound, so it cannot fail.
    """
    findings = []
    for beta, ratio, a, bound in lines:
        least = bound.least
        load = mpq(0 if a == bound.n else least, a) if a else mpq(2 if least else 0)
        says = f"bound {least}" if least else "vacuous"
        detail = f"{what} a={a}, {says} at beta={beta}, ratio {decimal(ratio)}, delta {decimal(bound.delta)}"
        findings.append(Finding(bound.allows(a), load, detail))
    silent, useless = sum(bound.vacuous for *_, bound in lines), sum(a == bound.n for _, _, a, bound in lines)
    worst, _ = max(zip(findings, lines, strict=True), key=lambda pair: (not pair[0].holds, pair[0].load, pair[1][3].least))
    return evolve(worst, detail=f"{worst.detail}; vacuous for {silent} and a = n for {useless} of {len(lines)}")


def _lines(found: Measured, least: Callable[[mpq], int], betas: Iterable[mpq], bound: Callable[..., LowerBound]) -> list[Line]:
    return [
        (beta, ratio, least(beta), bound(beta=beta, level=LogRatio(ratio), delta=delta))
        for ratio, delta in found.levels
        for beta in betas
    ]


BASIC = (
    Case("basic", 2, 60, mpq(2, 3)),
    Case("basic", 3, 10, mpq(8, 9)),
    Case("basic", 10**6, 60, mpq(2, 3)),
    Case("basic", 2, 6, mpq(1, 9)),
    Case("running basic", 3, 3, mpq(2, 3)),
    Case("running stability", 3, 4, mpq(1, 3), 3),
    Case("stability", MANY, 24, mpq(2, 3), 12),
    Case("stability", MANY, 60, mpq(2, 3), 26),
    Case("stability", MANY, 12, mpq(1, 5), 2),
)
MORE_BASIC = (
    Case("stability", MANY, 80, mpq(2, 3), 30),
    *(Case("basic", size, n, decay) for size in (2, 10**9) for n, decay in ((80, mpq(2, 3)), (100, mpq(8, 9)))),
    *(Case("stability", MANY, 24, decay, b) for decay in (mpq(2, 3), mpq(4, 5), mpq(1, 3)) for b in (6, 16, 22)),
    Case("running basic", 4, 3, mpq(8, 9)),
    Case("running stability", 4, 4, mpq(1, 5), 3),
)
HEAVY = (
    Case("heavy", 500, 8, mpq(1, 2)),
    Case("heavy", 300, 7, mpq(1, 5)),
    Case("heavy", 1000, 4, mpq(4, 5)),
    Case("running heavy", 4, 2, mpq(1, 9)),
    Case("running heavy", 6, 1, mpq(16, 17)),
    Case("running heavy", 3, 2, mpq(1, 9)),
)
MORE_HEAVY = (
    Case("running heavy", 4, 3, mpq(2, 3)),
    *(Case("running heavy", 5, n, decay) for n in (2, 3) for decay in (mpq(2, 3), mpq(8, 9))),
    *(Case("heavy", 1000, n, decay) for n, decay in ((5, mpq(2, 3)), (9, mpq(1, 3)), (8, mpq(1, 2)))),
)
ONE_LABEL = (Case("basic", 1, 12, mpq(1, 5)), Case("stability", 1, 12, mpq(1, 5), 1))
MORE_ONE_LABEL = (Case("basic", 1, 20, mpq(1, 3)), Case("stability", 1, 30, mpq(1, 3), 4))


def _sparse(listed: Iterable[Case]) -> list[Case]:
    return [case for case in listed if not case.kind.endswith("basic")]


ANY = Cases(BASIC + HEAVY, MORE_BASIC + MORE_HEAVY)
SPARSE = Cases(_sparse(BASIC + HEAVY), _sparse(MORE_BASIC + MORE_HEAVY))
INDEPENDENT = Cases(
    (*BASIC, *ONE_LABEL, Case("running heavy", 4, 2, mpq(1, 9))),
    (*MORE_BASIC, *MORE_ONE_LABEL, *(Case("running heavy", size, 3, mpq(2, 3)) for size in (4, 5))),
)

CODE = [
    "finitedp.impl.histograms.basic.BasicHistogram",
    "finitedp.impl.histograms.stability.StabilityHistogram",
    "finitedp.impl.histograms.sparse.KeepHeavy",
]
WHERE = "exact errors, ratios and deltas of the running mechanisms over all datasets; beta = 2/5, ..., 10^-9"


@erratum(
    "BV.Thm7.1.i",
    "As printed, without |X| >= 2: the bound of Theorem 7.1 i for every universe, so also for one of a single label.",
    """An (epsilon, delta)-differentially private histogram with (a, beta)-per-query accuracy, beta < 1/2, has a >= min{ln(1/(4
    beta))/epsilon - 1, ln(epsilon/(4 delta))/epsilon - 1, n}/2, if |X| >= 2.""",
    printed_grid=Cases(ONE_LABEL, MORE_ONE_LABEL),
    subject=measured,
    twins={"claims too small an epsilon": _claims_little, "true counts": _exact_counts, "median error": _median_error},
    printed_over="|X| = 1, where there are no neighbours and every epsilon holds",
    over=WHERE,
    code=[*CODE, "finitedp.spec.lower_bounds.per_query_bound"],
    grid=ANY,
    kind="theorem",
    derived_from=("FD.Measured", "FD.KeepHeavy.bin"),
    by="exact errors, ratios and deltas of independent bins with running laws, and of KeepHeavy's",
)
def per_query(measure: Measure, case: Case) -> Finding:
    found = measure(case)
    return _compared("per query", _lines(found, found.per_query, BETAS, partial(spec.per_query_bound, found.n)))


@entry(
    "BV.Thm7.1.ii",
    "theorem",
    """An (epsilon, delta)-differentially private histogram with (a, beta)-simultaneous accuracy, beta < 1/2, has a >=
    min{ln((|X| - 1)/(4 beta))/epsilon - 1, ln(epsilon/(4 delta))/epsilon - 1, n}/2.""",
    over=WHERE,
    code=[*CODE, "finitedp.spec.lower_bounds.simultaneous_bound"],
    grid=INDEPENDENT,
    subject=measured,
    twins={"claims too small an epsilon": _claims_little, "true counts": _exact_counts, "accurate per query": _one_bin},
    derived_from=("FD.Measured", "FD.KeepHeavy.bin"),
    by="exact errors, ratios and deltas of independent bins with running laws, and of KeepHeavy's",
)
def simultaneous(measure: Measure, case: Case) -> Finding:
    found = measure(case)
    bound = partial(spec.simultaneous_bound, found.size, found.n)
    return _compared("simultaneous", _lines(found, found.simultaneous, BETAS, bound))


@erratum(
    "BV.Thm7.2",
    "As printed, without |X| >= 2: the bound of Theorem 7.2 for every universe, so also for one of a single label.",
    """An (epsilon, delta)-differentially private histogram with at most n' nonzero counts and (a, beta)-per-query accuracy,
    beta <= 1/2, has a >= min{ln(|X|/(16 beta n'))/(2 epsilon) - 1, ln(epsilon/(4 delta))/epsilon - 1, n}/2, if |X| >= 2.""",
    printed_grid=Cases(ONE_LABEL, MORE_ONE_LABEL),
    subject=measured,
    twins={
        "claims too small an epsilon": _claims_little,
        "true counts": _exact_counts,
        "a count for every label": _dense,
        "delta left out": _no_delta,
    },
    printed_over="|X| = 1, where there are no neighbours and every epsilon holds",
    over=f"{WHERE}, and 1/2; n' is the largest number that is released",
    code=[*CODE[1:], "finitedp.spec.lower_bounds.sparse_bound"],
    grid=SPARSE,
    kind="theorem",
    derived_from=("FD.Measured", "FD.KeepHeavy.bin"),
    by="exact errors, ratios and deltas of independent bins with running laws, and of KeepHeavy's",
)
def sparse(measure: Measure, case: Case) -> Finding:
    found = measure(case)
    bound = partial(spec.sparse_bound, found.size, found.bins, found.n)
    return _compared("sparse", _lines(found, found.per_query, (mpq(1, 2), *BETAS), bound))


# The inequalities of the proofs, which are sharper


@entry(
    "FD.Packing",
    "own",
    """The proofs of Theorems 7.1 and 7.2 give more than is stated: for a < n/2 and m = floor(2a) + 1, e^(-m epsilon)
    (1 - beta) <= s + delta/epsilon, where s = beta per query, beta/(|X| - 1) simultaneously, and n'/|X| for n' nonzero
    counts.""",
    over=WHERE,
    code=[*CODE, "finitedp.spec.lower_bounds.packing_holds", "finitedp.spec.lower_bounds.rows_changed"],
    grid=ANY,
    subject=measured,
    twins={"claims too small an epsilon": _claims_little, "true counts": _exact_counts, "median error": _median_error},
    derived_from=("FD.Measured", "FD.KeepHeavy.bin"),
    by="exact errors, ratios and deltas of independent bins with running laws, and of KeepHeavy's",
)
def packing(measure: Measure, case: Case) -> Finding:
    found = measure(case)
    findings = [Finding(True, mpq(0), "every error is n/2 or more")]
    for (ratio, delta), beta in product(found.levels, (mpq(1, 2), *BETAS)):
        for what, share, a in _shares(found, beta, case):
            if 2 * a < found.n:
                holds = spec.packing_holds(spec.rows_changed(a), beta, share, LogRatio(ratio), delta)
                load = packing_load(spec.rows_changed(a), beta, share, ratio, delta)
                where = f"{what} a={a} at beta={beta}, ratio {decimal(ratio)}, delta {decimal(delta)}"
                findings.append(Finding(holds, load, where))
    return all_of(findings)


def _shares(found: Measured, beta: mpq, case: Case) -> list[tuple[str, mpq, int]]:
    single = found.per_query(beta)
    shares = [("per query", beta, single), ("sparse", mpq(found.bins, found.size), single)]
    return shares if case.kind == "heavy" else [*shares, ("simultaneous", beta / (found.size - 1), found.simultaneous(beta))]
