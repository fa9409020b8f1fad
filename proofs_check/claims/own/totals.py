"""Sums of clipped values, and numbers of rows, our own: the law of the running code, its privacy and its error."""

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import product
from typing import Any, NamedTuple

from attrs import evolve, frozen
from gmpy2 import mpq

from finitedp.claim import check_neighbours
from finitedp.curve import Pair
from finitedp.exact import RationalLike
from finitedp.impl.accounting.pairs import dyadic_pair
from finitedp.impl.counting.bounded_total import BoundedTotal, bounded_count, default_step, sensitivity
from finitedp.impl.counting.dyadic import DyadicSample
from finitedp.impl.counting.dyadic_groups import group_pair, group_ratio
from finitedp.impl.counting.dyadic_table import DyadicTable
from finitedp.proofs_check.claims.bv.counting.subjects import BETAS
from finitedp.proofs_check.claims.own.dyadic.subjects import Dyadic, built
from finitedp.proofs_check.deciders.verdict import check_privacy
from finitedp.proofs_check.engine.explorer import explore
from finitedp.proofs_check.ledger.entry import Finding, cases, entry
from finitedp.proofs_check.ledger.findings import all_of, at_most, equal, in_turn, of_privacy, same_law
from finitedp.spec import dyadic as spec
from finitedp.spec.accuracy import miss_probability
from finitedp.spec.columns.total import clipped_sum, total_sample, worst_change
from finitedp.spec.divergence import hockey_stick
from finitedp.spec.neighbours import multisets, neighbouring_multisets
from finitedp.spec.pmf import Pmf

MORE = 1  # rows above n that are tried
Rows = tuple[int | None, ...]

TABLES = cases(
    Dyadic,
    [(2, "1", 8), (4, "1", 8), (7, "5", 9), (8, "2", 8), (10, "1/2", 10), (12, "1/5", 12), (6, "3", 64)],
    [(1, "2", 8), (3, "1/3", 10), (9, "7", 16), (20, "1/2", 16), (25, "1", 64), (16, "6", 128), (30, "1/4", 12)],
)


def _worst(laws: Sequence[Pmf[int]], d: int) -> mpq:
    """The worst ratio over all counts that differ by at most d, of the definition."""
    pairs = ((a, b) for a, b in product(range(len(laws)), repeat=2) if 0 < abs(a - b) <= d)
    return max(max(laws[a][z] / laws[b][z] for z in range(len(laws))) for a, b in pairs)


def _weights_alone(table: DyadicTable, d: int) -> mpq:
    last = table.n - d
    return max((mpq(table.weight(j), table.weight(j + d)) for j in range(last)), default=mpq(1))


def _tails_alone(table: DyadicTable, d: int) -> mpq:
    return max(mpq(table.upper(j), table.upper(min(j + d, table.n))) for j in range(table.n + 1))


@entry(
    "FD.Group.ratio",
    "own",
    """The worst ratio of two noisy counts that differ by at most d is the largest of S_j/S_(j+d) and w_j/w_(j+d) of the
    table's tails and weights (d = n: of S_0/S_n and those of n - 1); it is what group_ratio gives, and at most R^d.""",
    over="every d in 1..n, all pairs of counts, by the laws of the definition",
    code=["finitedp.impl.counting.dyadic_groups.group_ratio"],
    grid=TABLES,
    subject=group_ratio,
    twins={
        "the weights alone": _weights_alone,
        "the tails alone": _tails_alone,
        "of d - 1": lambda table, d: group_ratio(table, d - 1),
        "R^d": lambda table, d: table.ratio**d,
    },
)
def ratio_of_groups(ratio: Callable[[DyadicTable, int], mpq], case: Dyadic) -> Finding:
    table, laws = built(case), [spec.law(case.weights, c) for c in range(case.n + 1)]
    findings = []
    for d in range(1, case.n + 1):
        findings += [equal(ratio(table, d), _worst(laws, d), f"d = {d}"), at_most(ratio(table, d), case.ratio**d, f"d = {d}")]
    return all_of(findings)


def _one_way(table: DyadicTable, d: int) -> Pair:
    """The laws at n - d and n, without their mirror image."""
    laws = [spec.law([table.weight(j) for j in range(table.n + 1)], c) for c in (table.n - d, table.n)]
    scale = 1 << table.bits
    return Pair((int(laws[0][z] * scale), int(laws[1][z] * scale)) for z in range(table.n + 1))


@entry(
    "FD.Group.pair",
    "own",
    """The curve of group_pair(d) is, at every gamma >= 0, the largest of those of all counts that differ by at most d, in both
    directions: it dominates them, and is attained. For 2 d <= n.""",
    over="every d in 1..n/2; every breakpoint of one of the curves, and 0 and 1",
    code=["finitedp.impl.counting.dyadic_groups.group_pair"],
    grid=cases(
        Dyadic,
        [(2, "1", 8), (4, "1", 8), (7, "5", 9), (8, "2", 8)],
        [(6, "1/3", 10), (10, "1/2", 10), (12, "1/5", 12), (9, "6", 16)],
    ),
    subject=group_pair,
    twins={
        "without the mirror image": _one_way,
        "of one step": lambda table, _d: dyadic_pair(table),
        "of d - 1": lambda table, d: group_pair(table, max(d - 1, 1)),
    },
)
def pair_of_groups(pair: Callable[[DyadicTable, int], Pair], case: Dyadic) -> Finding:
    laws = [spec.law(case.weights, c) for c in range(case.n + 1)]
    return in_turn(_same_curve(pair(built(case), d), laws, d) for d in range(1, case.n // 2 + 1))


def _same_curve(pair: Pair, laws: Sequence[Pmf[int]], d: int) -> Finding:
    apart = [(a, b) for a, b in product(laws, repeat=2) if a is not b and abs(laws.index(a) - laws.index(b)) <= d]
    gammas = {a[z] / b[z] for a, b in apart for z in range(len(laws))} | {*pair.quotients, mpq(0), mpq(1)}
    return in_turn(
        equal(pair.line(gamma).at(gamma), max(hockey_stick(a, b, gamma).delta for a, b in apart), f"d = {d}, gamma = {gamma}")
        for gamma in sorted(gammas)
    )


class Bounds(NamedTuple):
    """Bounds of values, and what is a neighbour."""

    low: int
    high: int
    neighbours: str
    missing: bool = False


Sensitivity = Callable[..., int]


@entry(
    "FD.Total.sensitivity",
    "own",
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


class Sum(NamedTuple):
    """Up to n values, clipped to low..high; epsilon, the bits of a word, what is a neighbour, the step, missing values."""

    n: int
    low: int
    high: int
    epsilon: str
    word: int
    neighbours: str = "add-remove"
    step: int = 1
    missing: bool = False

    @property
    def changed(self) -> int:
        """In how many steps one row shows at most."""
        return -(-worst_change(self.low, self.high, self.neighbours, missing=self.missing) // self.step)

    @property
    def ends(self) -> tuple[int, int]:
        """The least and the largest sum."""
        return self.n * min(self.low, 0), self.n * max(self.high, 0)

    @property
    def table(self) -> Dyadic:
        """The parameters of the table, from the definition."""
        least, most = self.ends
        below, rest = divmod(most - least, self.step)
        return Dyadic(below + (2 * rest >= self.step), str(2 * mpq(self.epsilon) / self.changed), self.word)

    def law(self, rows: Rows) -> Pmf[int]:
        """The law of the definition."""
        return total_sample(self.table.weights, clipped_sum(rows, self.low, self.high), self.ends, self.step)

    @property
    def values(self) -> Rows:
        """Values within the bounds and beyond them, and a missing one where there may be such."""
        held = (self.low - 3, self.low, (self.low + self.high) // 2, self.high, self.high + 3)
        return (*dict.fromkeys(held), *([None] if self.missing else []))

    def sizes(self) -> Sequence[int]:
        """Numbers of rows: for a row more or less up to more than n."""
        return range(self.n + MORE + 1) if self.neighbours == "add-remove" else [self.n]

    def datasets(self) -> Iterator[Rows]:
        """Data of these sizes, with repeated values once."""
        for size in self.sizes():
            yield from multisets(self.values, size)

    def pairs(self) -> Iterator[tuple[Rows, Rows]]:
        """All neighbours among them."""
        return neighbouring_multisets(self.values, max(self.sizes()), check_neighbours(self.neighbours))


def made(case: Sum) -> BoundedTotal:
    """The running mechanism."""
    return _as(BoundedTotal)(case)


Make = Callable[[Sum], BoundedTotal]


@frozen(slots=False)
class _NotClipped(BoundedTotal):
    def total(self, counts: Any) -> int:  # noqa: ANN401  # as of the class
        return int(sum(value * count for value, count in counts.items()))


@frozen(slots=False)
class _ClippedBelowAlone(BoundedTotal):
    def total(self, counts: Any) -> int:  # noqa: ANN401  # as of the class
        return int(sum(max(value, self.low) * count for value, count in counts.items()))


@frozen(slots=False)
class _Width(BoundedTotal):
    """High - low as for a row that is replaced."""

    @cached_property
    def sensitivity(self) -> int:
        return self.high - self.low or 1


@frozen(slots=False)
class _Undivided(BoundedTotal):
    """Epsilon for every step, and not for k of them."""

    @cached_property
    def mechanism(self) -> DyadicSample:
        return DyadicSample(self._steps(self.most), 2 * self.epsilon, self.word)


@frozen(slots=False)
class _OneRowShort(BoundedTotal):
    """The table of a sum that is one step less than the largest one."""

    @cached_property
    def mechanism(self) -> DyadicSample:
        most = max(self._steps(self.most) - 1, 1)
        return DyadicSample(most, self.epsilon * mpq(2, self.changed), self.word)

    def release_total(self, total: int, coins: Any) -> int:  # noqa: ANN401
        return self._of_steps(self.mechanism.release(min(self._steps(total), self.mechanism.n), coins))


@frozen(slots=False)
class _Floored(BoundedTotal):
    """Rounded down, and not to the nearest step."""

    def _steps(self, total: int) -> int:
        return (min(max(total, self.least), self.most) - self.least) // self.step


@frozen(slots=False)
class _EachRounded(BoundedTotal):
    """k from a step that is rounded down."""

    @property
    def changed(self) -> int:
        return max(self.sensitivity // self.step, 1)


def _as(kind: Callable[..., BoundedTotal]) -> Make:
    return lambda case: kind(case.n, case.low, case.high, case.epsilon, case.neighbours, case.step, case.word, case.missing)


SUMS = cases(
    Sum,
    [
        (2, 0, 2, "1", 8),
        (2, 2, 3, "2", 10),
        (2, -2, 1, "1", 10),
        (2, 0, 5, "1", 8, "add-remove", 2),
        (3, 2, 4, "3", 8, "replace-one"),
        (2, -3, 4, "2", 10, "replace-one", 3),
        (2, 2, 3, "1", 8, "replace-one", 1, True),
        (1, 0, 3, "2", 64),
    ],
    [
        (3, 0, 4, "1/2", 12),
        (3, -5, -2, "1", 12),
        (2, 0, 10, "3", 12, "add-remove", 4),
        (3, 1, 9, "1", 64, "replace-one", 3),
        (4, 0, 1, "1/3", 12),
        (2, 5, 7, "1", 64, "add-remove", 7),
    ],
)
CODE = ["finitedp.impl.counting.bounded_total.BoundedTotal", "finitedp.spec.columns.total.total_sample"]


def _running(mechanism: BoundedTotal, rows: Rows) -> Pmf[int]:
    return explore(lambda coins: mechanism.release([x for x in rows if x is not None], coins)).law()


@entry(
    "FD.Total.law",
    "own",
    """BoundedTotal's law is that of the definition: the sum of the clipped values, within what n rows may have, to the nearest
    step, with the noise of the table of which k = ceil(s/step) steps cost epsilon, clamped.""",
    over="all data of up to n + 1 rows (replace-one: of n) with values within and outside of the bounds; by the explorer",
    code=CODE,
    grid=SUMS,
    subject=made,
    twins={
        "not clipped": _as(_NotClipped),
        "clipped below alone": _as(_ClippedBelowAlone),
        "rounded down": _as(_Floored),
        "epsilon for each step": _as(_Undivided),
        "a step short of the largest sum": _as(_OneRowShort),
    },
)
def law(make: Make, case: Sum) -> Finding:
    mechanism = make(case)
    return in_turn(same_law(_running(mechanism, rows), case.law(rows), f"rows {rows}") for rows in case.datasets())


@entry(
    "FD.Total.private",
    "own",
    """BoundedTotal is (epsilon, 0)-differentially private for its neighbours on data with any number of rows and any integers:
    the ratio that it claims is that of the worst pair that n large allows, and at most e^epsilon.""",
    over="all data of up to n + 1 rows (replace-one: of n) with values within and outside of the bounds; by the explorer",
    code=[*CODE, "finitedp.impl.counting.bounded_total.BoundedTotal.claim"],
    grid=SUMS,
    subject=made,
    twins={
        "not clipped": _as(_NotClipped),
        "clipped below alone": _as(_ClippedBelowAlone),
        "high - low for a row more or less": _as(_Width),
        "missing ones forgotten": lambda case: made(case._replace(missing=False)),
        "epsilon for each step": _as(_Undivided),
        "k rounded down": _as(_EachRounded),
    },
)
def private(make: Make, case: Sum) -> Finding:
    mechanism, claim = make(case), made(case).claim()
    laws = {rows: _running(mechanism, rows) for rows in case.datasets()}
    table, k = case.table, case.changed
    worst = _worst([spec.law(table.weights, c) for c in range(table.n + 1)], k)
    verdict = check_privacy(laws.__getitem__, case.pairs(), claim)
    stated = (claim.epsilon, claim.delta, claim.neighbours, claim.ratio)
    return all_of([of_privacy(verdict, claim), equal(stated, (mpq(case.epsilon), 0, case.neighbours, worst), "stated claim")])


def _noise_alone(mechanism: BoundedTotal, beta: RationalLike) -> int:
    return mechanism.mechanism.accuracy(beta).a * mechanism.step


def _in_steps(mechanism: BoundedTotal, beta: RationalLike) -> int:
    return mechanism.mechanism.accuracy(beta).a


@entry(
    "FD.Total.accuracy",
    "own",
    """Of at most n rows with values within the bounds the error exceeds accuracy(beta) with probability at most beta; where
    the step is 1, it is the least such number over all sums that there may be.""",
    over="every sum of the grid of sums; every beta of the grid",
    code=["finitedp.impl.counting.bounded_total.BoundedTotal.accuracy"],
    grid=SUMS,
    subject=lambda mechanism, beta: mechanism.accuracy(beta).a,
    twins={
        "without what rounding adds": _noise_alone,
        "in steps": _in_steps,
        "one less": lambda mechanism, beta: max(mechanism.accuracy(beta).a - 1, 0),
    },
)
def accuracy(stated: Callable[[BoundedTotal, RationalLike], int], case: Sum) -> Finding:
    mechanism, (least, most) = made(case), case.ends
    laws = {total: total_sample(case.table.weights, total, case.ends, case.step) for total in range(least, most + 1)}
    findings = []
    for beta in (*BETAS, mpq(1, 2), mpq(1)):
        a = stated(mechanism, beta)
        missed = max(miss_probability(found, total, a) for total, found in laws.items())
        findings.append(at_most(missed, beta, f"miss of a = {a}"))
        if case.step == 1 and a:
            less = max(miss_probability(found, total, a - 1) for total, found in laws.items())
            findings.append(equal(less > beta, True, f"a - 1 = {a - 1} is missed more often than {beta}"))
    return all_of(findings)


class Count(NamedTuple):
    """At most n rows, epsilon, the bits of a word, what is a neighbour."""

    n: int
    epsilon: str
    word: int
    neighbours: str = "add-remove"


def _counting(case: Count) -> BoundedTotal:
    return bounded_count(case.n, case.epsilon, case.neighbours, word=case.word)


@entry(
    "FD.Count.private",
    "own",
    """A number of rows is released with the law of DyadicSample for 2 epsilon, whose worst ratio is at most e^epsilon, for a
    row more or less, and for one that is replaced.""",
    over="every number of rows up to n + 1; the running code by the explorer",
    code=["finitedp.impl.counting.bounded_total.bounded_count"],
    grid=cases(
        Count,
        [(1, "1", 8), (3, "1/2", 10), (6, "2", 64), (5, "1", 10, "replace-one")],
        [(12, "1/5", 12), (9, "3", 128), (20, "1/2", 64, "replace-one")],
    ),
    subject=_counting,
    twins={
        "the table of 4 epsilon": lambda case: bounded_count(case.n, 2 * mpq(case.epsilon), case.neighbours, word=case.word),
        "of one row less": lambda case: bounded_count(max(case.n - 1, 1), case.epsilon, case.neighbours, word=case.word),
        "from 1 on": lambda case: evolve(_counting(case), low=-1),
    },
)
def count_of_rows(make: Callable[[Count], BoundedTotal], case: Count) -> Finding:
    mechanism, table = make(case), Dyadic(case.n, str(2 * mpq(case.epsilon)), case.word)
    laws = {m: _running(mechanism, (1,) * m) for m in range(case.n + 2)}
    findings = [same_law(found, spec.law(table.weights, min(m, case.n)), f"{m} rows") for m, found in laws.items()]
    claim, pairs = _counting(case).claim(), [(m, m + 1) for m in range(case.n + 1)]
    verdict = check_privacy(laws.__getitem__, [*pairs, *((b, a) for a, b in pairs)], claim)
    return all_of([*findings, of_privacy(verdict, claim), equal(claim.epsilon, mpq(case.epsilon), "stated epsilon")])


class Fine(NamedTuple):
    """A sensitivity, and epsilon."""

    s: int
    epsilon: str


@entry(
    "FD.Total.step",
    "own",
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
