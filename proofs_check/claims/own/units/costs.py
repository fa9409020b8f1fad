"""What all rows of a unit cost on a dyadic table, our own: the worst ratio, the exact delta of a threshold, the least one."""

from collections.abc import Callable, Iterator
from functools import cache
from itertools import product
from math import prod
from typing import Any, NamedTuple

from gmpy2 import mpq

from finitedp.exact import compare_exp
from finitedp.impl.counting.dyadic import DyadicSample
from finitedp.impl.counting.dyadic_groups import group_ratio
from finitedp.impl.counting.dyadic_table import LARGEST_WORD, DyadicTable
from finitedp.impl.histograms.dyadic import basic_histogram_with_dyadic_sample, stability_histogram_with_dyadic_sample
from finitedp.impl.histograms.stability import StabilityHistogram
from finitedp.impl.histograms.units import least_unit_threshold, unit_claim, unit_delta, unit_ratio
from finitedp.proofs_check.claims.bv.counting.subjects import running_law
from finitedp.proofs_check.claims.bv.histograms.subjects import joint_law
from finitedp.proofs_check.ledger.entry import Cases, Finding, cases, in_scope, out_of_scope_where_refused
from finitedp.proofs_check.ledger.findings import at_most, equal, own
from finitedp.spec.divergence import hockey_stick, max_ratio
from finitedp.spec.pmf import Pmf
from finitedp.spec.pmf import product as joint
from finitedp.spec.released.units import changes, largest_delta, largest_ratio
from finitedp.units import Unit

CODE = "finitedp.impl.histograms.units"
MOST_OF_A_UNIT = 10**6


class Case(NamedTuple):
    """n, epsilon of one row, the bits of a word, and the bounds of a unit: labels, rows of a label, rows."""

    n: int
    epsilon: str
    word: int
    labels: int | None
    each: int | None
    rows: int | None
    delta: str = "0"

    def check_scope(self) -> None:
        in_scope(
            self.rows is not None or (self.labels is not None and self.each is not None), "rows, or labels and rows of each"
        )
        bounds = (self.labels, self.each, self.rows)
        in_scope(all(x is None or 1 <= x <= MOST_OF_A_UNIT for x in bounds), "bounds from 1 to 10^6")
        in_scope(self.n >= 1 and mpq(self.epsilon) > 0 and 0 <= mpq(self.delta) < 1, "n >= 1, epsilon > 0, delta in [0, 1)")
        in_scope(2 <= self.word <= LARGEST_WORD, "a word that a table may have")

    @property
    def unit(self) -> Unit:
        return Unit("person", self.labels, self.each, self.rows)

    @property
    def whole(self) -> mpq:
        """The epsilon of the whole unit, with which the tables are made."""
        return mpq(self.epsilon) * self.unit.rows

    def mechanism(self) -> DyadicSample:
        """The mechanism of one count, for add-remove. Raises: OutOfScopeError without a table."""
        with out_of_scope_where_refused():
            return DyadicSample(self.n, 2 * mpq(self.epsilon), self.word)


BOUNDS = [(1, 1, None), (1, 3, None), (2, 2, None), (None, None, 3), (2, None, 3), (3, 2, 4), (2, 3, 5), (1, None, 6)]
TABLES = [(1, "1", 6), (2, "1/2", 8), (3, "3/2", 6), (4, "1/6", 10), (5, "3/2", 6), (6, "3/2", 8), (6, "1/20", 64)]
MORE_TABLES = [(7, "1", 12), (9, "1/3", 64), (5, "3", 16), (12, "1/10", 16)]
RATIOS = cases(Case, [(*t, *b) for t in TABLES for b in BOUNDS], [(*t, *b) for t in MORE_TABLES for b in BOUNDS])
Ratio = Callable[[DyadicTable, Unit], mpq]


def _formula_at_n(table: DyadicTable, unit: Unit) -> mpq:
    """For d = n what is right below, S_0/S_n, and of all changes those of the most rows alone."""

    def one(d: int) -> mpq:
        return mpq(table.upper(0), table.upper(table.n)) if d >= table.n else group_ratio(table, d)

    found = list(changes(unit, unit.labels))
    most = max(map(sum, found))
    return max(prod((one(d) for d in rows), start=mpq(1)) for rows in found if sum(rows) == most)


@own(
    "FD.Unit.ratio",
    """Of independent DyadicSample counts, the worst ratio where a unit comes or goes of at most k rows, in at most l labels
    and r of each, is exactly the largest product of rho(d_i): rho(d) the worst ratio of one count that changes by up to d,
    the larger of max S_j/S_(j+d), j <= n - d, and max w_j/w_(j+d), j < n - d (d = n: S_0/S_n and rho(n - 1)). A unit that
    becomes another one costs at most the square. A table with R^k <= e^epsilon (replaced: R^(2k)) makes it epsilon.""",
    over="every change of every count in 0..n, counts above n as n; laws of the running code, compared as rationals",
    code=["finitedp.impl.counting.dyadic_groups.group_ratio", f"{CODE}.unit_ratio", f"{CODE}.unit_claim"],
    grid=RATIOS,
    subject=unit_ratio,
    twins={
        "rho(1) for each label": lambda table, unit: group_ratio(table, 1) ** unit.labels,
        "rho of all rows in one label": lambda table, unit: group_ratio(table, unit.rows),
        "R^k": lambda table, unit: table.ratio**unit.rows,
        "S_0/S_n alone for d = n": _formula_at_n,
        "one row": lambda table, _: group_ratio(table, 1),
        "the labels' bound forgotten": lambda table, unit: unit_ratio(table, Unit("person", None, None, unit.rows)),
    },
)
def unit_costs(ratio: Ratio, case: Case) -> Iterator[Finding]:
    unit, mechanism = case.unit, case.mechanism()
    found, law = ratio(mechanism.table, unit), running_law(mechanism)
    claims = [unit_claim(mechanism, unit, "add-remove"), unit_claim(mechanism, unit, "replace-one")]
    made = basic_histogram_with_dyadic_sample("abc", case.n, case.whole, case.word, neighbours="add-remove", unit=unit)
    squared = _worst_replaced(law, case)
    yield equal(found, largest_ratio(law, case.n, unit), "worst ratio of a unit more or less")
    yield at_most(squared, found**2, "worst ratio of a unit replaced")
    yield equal(squared == found**2 or unit.labels > 1, True, "one label each: the square is attained")
    yield equal([claim.ratio for claim in claims], [found, found**2], "stated ratios")
    yield equal([claim.epsilon for claim in claims], [case.whole, 2 * case.whole], "stated epsilons")
    yield equal([compare_exp(claim.ratio or 0, claim.epsilon) <= 0 for claim in claims], [True, True], "ratio <= e^epsilon")
    yield equal(made.mechanism, mechanism, "the table of epsilon / k")


def _worst_replaced(law: Callable[[int], Pmf[int]], case: Case) -> mpq:
    """The worst ratio over two labels, of a unit that becomes another one."""
    n, rows = case.n, list(changes(case.unit, 2))

    @cache
    def one(d: int, e: int) -> mpq:
        return max(max_ratio(law(min(c + d, n)), law(min(c + e, n))).value for c in range(n + 1))

    return max(one(d[0], e[0]) * one(d[1], e[1]) for d, e in product(rows, rows))


# The threshold

SHOWN = cases(
    Case,
    [
        *((3, "1/2", 8, 1, 2, None, "1/2"), (3, "1/2", 8, 2, 2, 2, "1/2"), (3, "2", 16, 2, 1, None, "1/10")),
        *((4, "1", 8, 2, 2, 3, "1/4"), (4, "2", 8, None, None, 2, "1/10"), (3, "1/2", 16, 2, 2, 3, "3/4")),
    ],
    [(5, "1/2", 16, 1, None, 3, "1/4"), (5, "1", 64, 2, 2, None, "1/10"), (4, "1", 16, 1, None, 3, "1/2")],
)
Delta = Callable[[DyadicSample, int, Unit], mpq]


def _sigma(mechanism: DyadicSample, b: int, d: int) -> mpq:
    return 1 - mpq(mechanism.cdf(min(d, mechanism.n), b), mechanism.d) if d else mpq(0)


WRONG_DELTAS: dict[str, Delta] = {
    "l sigma_1": lambda m, b, unit: unit.labels * _sigma(m, b, 1),
    "k sigma_1": lambda m, b, unit: unit.rows * _sigma(m, b, 1),
    "1 - (1 - sigma_1)^k": lambda m, b, unit: 1 - (1 - _sigma(m, b, 1)) ** unit.rows,
    "sigma_k alone": lambda m, b, unit: _sigma(m, b, unit.rows),
    "l sigma_(k/l)": lambda m, b, unit: unit.labels * _sigma(m, b, unit.rows // unit.labels),
    "group privacy": lambda mechanism, b, unit: (
        _sigma(mechanism, b, 1) * sum(mechanism.table.ratio**i for i in range(unit.rows))
    ),
}


@own(
    "FD.Unit.stability",
    """StabilityHistogram on a dyadic table with R^k <= e^epsilon (replaced: R^(2k)) is (epsilon, delta)-differentially private
    for a unit that comes, goes, or becomes another one, of at most k rows in at most l labels and r of each. Its exact delta,
    at that ratio and at any larger one, is the largest 1 - prod(1 - sigma_(d_i)), sigma_d = Pr[M(d, U) > b], attained by no
    rows and one unit.""",
    over="two labels, every two counts above n as n; joint laws of the running code's single labels, as rationals",
    code=[f"{CODE}.unit_delta", "finitedp.impl.histograms.dyadic.stability_histogram_with_dyadic_sample"],
    grid=SHOWN,
    subject=unit_delta,
    twins=WRONG_DELTAS,
)
def unit_shows(delta: Delta, case: Case) -> Iterator[Finding]:
    unit = case.unit
    in_scope(unit.labels <= 2 and mpq(case.delta) > 0, "as many labels as are looked at, delta > 0")
    for relation, changed in (("add-remove", 1), ("replace-one", 2)):
        whole = case.whole * changed
        with out_of_scope_where_refused():
            made = stability_histogram_with_dyadic_sample(
                case.n, whole, case.delta, case.word, padded=False, neighbours=relation, unit=unit
            )
        assert isinstance(made.mechanism, DyadicSample)  # noqa: S101  # on a dyadic table
        found, ratio = delta(made.mechanism, made.b, unit), made.mechanism.table.ratio ** (changed * unit.rows)
        laws = _two_labels(made)
        worst = [
            max(hockey_stick(laws(c), laws(d), at).delta for c, d in _moves(case, relation)) for at in (ratio, ratio * 10**9)
        ]
        yield equal(worst, [found, found], f"{relation}: delta at R^k, and at 10^9 R^k")
        yield at_most(found, mpq(case.delta), f"{relation}: delta")
        yield equal(compare_exp(ratio, whole) <= 0, True, f"{relation}: R^k <= e^epsilon")


def _two_labels(made: StabilityHistogram[Any]) -> Callable[[tuple[int, int]], Pmf[Any]]:
    """The joint law of two labels, of the running code's law of each."""
    one = joint_law(made)
    return cache(lambda counts: joint([one((label,) * count) for label, count in zip("ab", counts, strict=True)]))


def _moves(case: Case, relation: str) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    """Counts with one unit, and without it or with another one, in both orders."""
    units = list(changes(case.unit, 2))
    others = units if relation == "replace-one" else [(0, 0)]
    for rest in product(range(case.n + 1), repeat=2):
        for pair in product(units, others):
            with_one, with_other = (tuple(min(x + d, case.n) for x, d in zip(rest, unit, strict=True)) for unit in pair)
            if with_one != with_other:
                yield with_one, with_other  # type: ignore[misc]  # of two counts each
                yield with_other, with_one  # type: ignore[misc]  # as above


SMALL = [(1, "1", 6, "1/3"), (3, "3/2", 6, "1/10"), (6, "1/2", 8, "2/5"), (9, "1", 16, "1/100"), (9, "1/20", 10, "9/10")]
REAL = Cases(
    lambda: [
        *(Case(n, e, w, *b, d) for n, e, w, d in SMALL for b in BOUNDS),
        Case(10**6, "1/30", 64, 3, 10, None, "1/1000000"),
        Case(10**7, "1/10", 128, 3, None, 10, "1/1000000000"),
        Case(10**7, "1/10", 128, None, None, 10, "1/1000000000"),
        Case(10**9, "1/100", 128, 30, None, 100, "1/1000000000000"),
        Case(10**7, "1/1000", 128, 30, None, 1000, "1/1000000000"),
    ],
    lambda: [Case(10**6, "1/5", 64, labels, None, 12, "1/10000000") for labels in range(1, 13)],
)
FEW = 12
Threshold = Callable[[DyadicSample, mpq, Unit], int]


def _least(delta: Delta) -> Threshold:
    """The least threshold by another delta."""
    return lambda m, allowed, unit: next((b for b in range(m.n) if delta(m, b, unit) <= allowed), m.n) if m.n <= FEW else 0


@own(
    "FD.Unit.threshold",
    "least_unit_threshold(M, delta, unit) is the least b whose exact delta (FD.Unit.stability) is at most delta, or n.",
    over="""tables up to n = 10^9 and units of up to 1,000 rows, by the exact delta at b and b - 1; small ones by enumeration
    of all splits of a unit's rows""",
    code=[f"{CODE}.least_unit_threshold", f"{CODE}.unit_delta"],
    grid=REAL,
    subject=least_unit_threshold,
    twins={
        "one more": lambda m, delta, unit: min(least_unit_threshold(m, delta, unit) + 1, m.n),
        "one less": lambda m, delta, unit: max(least_unit_threshold(m, delta, unit) - 1, 0),
        **{name: _least(delta) for name, delta in WRONG_DELTAS.items()},
    },
)
def unit_threshold(least: Threshold, case: Case) -> Iterator[Finding]:
    mechanism, unit, delta = case.mechanism(), case.unit, mpq(case.delta)
    in_scope(delta > 0, "delta > 0")
    b = least(mechanism, delta, unit)
    yield at_most(unit_delta(mechanism, b, unit), delta, f"delta at b = {b}")
    yield equal(b == 0 or unit_delta(mechanism, b - 1, unit) > delta, True, f"with b = {b - 1}, delta is exceeded")
    if case.n <= FEW:
        law = running_law(mechanism)
        exact = [largest_delta(law, case.n, z, unit) for z in range(case.n + 1)]
        yield equal([unit_delta(mechanism, z, unit) for z in range(case.n + 1)], exact, "delta at every b")
        yield equal(b, next(z for z, shown in enumerate(exact) if shown <= delta), "b by enumeration")
