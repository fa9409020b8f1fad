"""What one-sided noise costs, our own: how many rows an answer leaves out, exactly, and flexible sets in closed form."""

from collections.abc import Callable, Iterator
from functools import cache
from itertools import product
from typing import Any, NamedTuple

from gmpy2 import mpq

from finitedp.impl.flexible.bucketing import IntegerBuckets
from finitedp.impl.flexible.losses import beyond_exceeds, dropped_at, dropped_beyond, sum_exceeds
from finitedp.impl.flexible.releases import FlexibleStatistic
from finitedp.impl.flexible.shifted_truncated import ShiftedTruncated
from finitedp.impl.flexible.statistics import statistic_of
from finitedp.impl.flexible.tables import ShiftedTable, shifted_table
from finitedp.proofs_check.claims.fa.subjects import small_histograms
from finitedp.proofs_check.claims.own.flexible.subjects import FOUR, HALF, ONE, Table
from finitedp.proofs_check.engine.explorer import explore
from finitedp.proofs_check.ledger.entry import Finding, cases
from finitedp.proofs_check.ledger.findings import all_of, at_most, equal, own, same_law
from finitedp.spec.flexible import shifted_truncated as spec
from finitedp.spec.flexible import statistics
from finitedp.spec.flexible.accuracy import flexible_values
from finitedp.spec.pmf import Pmf, convolution

Histogram = tuple[int, ...]
LOSSES = "finitedp.impl.flexible.losses"
SPEC = "finitedp.spec.flexible.statistics"

FEW = cases(
    Table, [(4, 6, ONE, 2), (4, 6, ONE, 3), (3, 6, ONE, 3), (7, 6, HALF, 2)], [(5, 8, HALF, 3), (3, 6, ONE, 4), (6, 8, ONE, 2)]
)
Exceeds = Callable[[ShiftedTable, int, int], mpq]


def _table(case: Table) -> ShiftedTable:
    return shifted_table(case.q, case.epsilon, case.bits)


def _above(law: Pmf[int], a: int) -> mpq:
    return law.probability(lambda rows: rows > a)


@own(
    "FD.Shifted.accuracy",
    """t bars lose J_1 + ... + J_t rows at most: never more than t (q - 1), and more than a with at most the probability that
    sum_exceeds gives, exactly so where all bars have q - 1 rows; dropped_at is the least a for a gamma.""",
    over="two and three bars (four in full), every a, gamma at and beside every value that is taken; all counts up to q",
    code=[f"{LOSSES}.sum_exceeds", f"{LOSSES}.dropped_at"],
    grid=FEW,
    subject=sum_exceeds,
    twins={
        "a bar less": lambda table, bars, a: sum_exceeds(table, bars - 1, a),
        "at least a": lambda table, bars, a: sum_exceeds(table, bars, a - 1) if a else mpq(1),
    },
)
def rows_lost(exceeds: Exceeds, case: Table) -> Iterator[Finding]:
    table = _table(case)
    noise = convolution([spec.noise(case.weights)] * case.bars)
    for a in range(case.bars * (case.q - 1) + 1):
        beyond = _above(noise, a)
        yield equal(exceeds(table, case.bars, a), beyond, f"Pr[more than {a} rows] of {case.bars} bars")
        for gamma in (beyond, beyond - mpq(1, 10**9), beyond + mpq(1, 10**9)):
            if 0 <= gamma <= 1:
                least = next(b for b in range(10**6) if _above(noise, b) <= gamma)
                yield equal(dropped_at(table, case.bars, gamma), least, f"rows at gamma = {gamma}")
    for x in product((0, case.q - 2, case.q), repeat=case.bars):
        lost = spec.histogram(case.weights, x).pushforward(sum).pushforward(sum(x).__sub__)
        for a in range(case.bars * (case.q - 1) + 1):
            yield at_most(_above(lost, a), exceeds(table, case.bars, a), f"{x}, a = {a}:")


def _of_maximum(weights: tuple[int, ...], x: Histogram, a: int) -> mpq:
    """Pr[the maximum of what is released is none of the data's with at most a rows left out]."""
    allowed = flexible_values(statistics.maximum, x, a)
    return spec.histogram(weights, x).pushforward(statistics.maximum).probability(lambda y: y not in allowed)


@own(
    "FD.Shifted.extreme",
    """For the maximum only rows above the answer are lost: it is none of the data's maxima with at most a rows left out with
    probability at most the largest S_(x_1) ... S_(x_k)/T^k over sums of a + 1, k = t - 1; that is attained.""",
    over="all histograms of 2 and 3 bars (4 in full) with up to q rows each, every a; dropped_beyond at every value",
    code=[f"{LOSSES}.beyond_exceeds", f"{LOSSES}.dropped_beyond"],
    grid=FEW,
    subject=beyond_exceeds,
    twins={
        "of all bars": lambda table, bars, a: beyond_exceeds(table, bars + 1, a),
        "all in one bar": lambda table, bars, a: mpq(table.tails[min(a + 1, table.q)], 1 << table.bits),
        "sums of a": lambda table, bars, a: beyond_exceeds(table, bars, a - 1) if a else mpq(1),
    },
)
def extreme(exceeds: Exceeds, case: Table) -> Iterator[Finding]:
    table, k = _table(case), case.bars - 1
    for a in range(k * (case.q - 1) + 1):
        inputs = (x for x in product(range(case.q + 1), repeat=case.bars) if sum(x[1:]) <= a + 1)
        worst = max((_of_maximum(case.weights, (x[0] + 1, *x[1:]), a) for x in inputs if sum(x[1:]) == a + 1), default=mpq(0))
        yield equal(exceeds(table, k, a), worst, f"gamma({a}) of the maximum of {case.bars} bars")
        gamma = beyond_exceeds(table, k, a)
        yield equal(dropped_beyond(table, k, gamma) <= a, True, f"rows at gamma({a})")
        if gamma:
            less = gamma - mpq(1, 2 ** (2 * table.bits * case.bars))
            yield equal(dropped_beyond(table, k, less) > a, True, f"rows below gamma({a})")


@own(
    "FD.Shifted.sharper",
    """max, min, support, mode, quantiles and max_2 of a release that is not all empty (max_2: has a bar of 2) are those of the
    data with at most (t - 1)(q - 1) rows left out: a bar that survives need not lose any.""",
    over="all histograms of three bars with up to q + 1 rows each at q = 3 (4 in full), every release",
    code=["finitedp.impl.flexible.statistics.Statistic.dropped"],
    grid=cases(Table, [(3, 6, ONE, 3)], [(4, 6, ONE, 3), (3, 8, HALF, 3)]),
    subject=lambda bars, q: (bars - 1) * (q - 1),
    twins={"one row fewer": lambda bars, q: (bars - 1) * (q - 1) - 1},
)
def sharper(rows: Callable[[int, int], int], case: Table) -> Finding:
    found: dict[str, Callable[[Any], Any]] = {
        "max": statistics.maximum,
        "min": statistics.minimum,
        "support": statistics.support,
        "mode": statistics.mode,
        "median": statistics.median,
        "quantile 1/10": lambda x: statistics.quantile(x, "1/10"),
        "quantile 3/4": lambda x: statistics.quantile(x, "3/4"),
        "quantile 1": lambda x: statistics.quantile(x, 1),
        "max_2": lambda x: statistics.max_k(x, 2),
    }
    findings = list[Finding]()
    for x in product(range(case.q + 1), repeat=case.bars):
        allowed = {name: flexible_values(f, x, rows(case.bars, case.q)) for name, f in found.items()}
        releases = product(*({max(0, count - j) for j in range(case.q)} for count in x))
        for y in (y for y in releases if any(y)):
            names = [name for name in found if name != "max_2" or max(y) >= 2]
            wrong = [name for name in names if found[name](y) not in allowed[name]]
            if wrong:
                findings.append(Finding(False, mpq(2), f"{wrong[0]} of {x}, released {y}"))
    return all_of([Finding(True, mpq(1), "every release"), *findings])


class Counted(NamedTuple):
    """Bars, the most rows, and k."""

    bars: int
    rows: int
    k: int


SETS = cases(Counted, [(3, 5, 1), (3, 5, 2), (2, 6, 3)], [(4, 6, 1), (4, 6, 2), (3, 8, 3)])


def _max_k(x: Histogram, k: int, a: int) -> frozenset[int]:
    return statistics.flexible_max_k(x, k, a)


def _mode_of_empty(x: Histogram, _k: int, a: int) -> frozenset[int]:
    """Without the condition that the bar has a row."""
    cost = [sum(max(0, c - x[i] + (j < i)) for j, c in enumerate(x) if j != i) for i in range(len(x))]
    return frozenset(i for i, rows in enumerate(cost) if rows <= a)


def _median(x: Histogram, _k: int, a: int) -> frozenset[int]:
    return statistics.flexible_median(x, a)


Closed = Callable[[Histogram, int, int], frozenset[int]]


@cache
def _by_listing(name: str, x: Histogram, k: int, a: int) -> frozenset[int]:
    f: dict[str, Callable[[Any], int]] = {
        "max_k": lambda y: statistics.max_k(y, k),
        "mode": statistics.mode,
        "median": statistics.median,
    }
    return flexible_values(f[name], x, a)


@own(
    "FD.Flexible.sets",
    "What max_k, the mode and the lower median can be once at most a rows are left out has a closed form.",
    over="all histograms of three bars and 5 rows (four and 6 in full), every a, k = 1..3; against all that may be left",
    code=[f"{SPEC}.flexible_max_k", f"{SPEC}.flexible_mode", f"{SPEC}.flexible_median"],
    grid=SETS,
    subject={"max_k": _max_k, "mode": lambda x, _k, a: statistics.flexible_mode(x, a), "median": _median},
    twins={
        "bars that k - 1 rows are left of": {"max_k": lambda x, k, a: _max_k(x, k, a - 1) if a else _max_k(x, k, a)},
        "the mode may be empty": {"mode": _mode_of_empty},
        "the upper median": {"median": lambda x, _k, a: frozenset(len(x) - 1 - i for i in _median(x[::-1], 1, a))},
    },
)
def flexible_sets(closed: dict[str, Closed], case: Counted) -> Finding:
    inputs = small_histograms(case.bars, case.rows)
    return all_of(
        [
            equal(of(x, case.k, a), _by_listing(name, x, case.k, a), f"{name} of {x} with {a} left out, k = {case.k}")
            for name, of in closed.items()
            for x in inputs
            for a in range(sum(x) + 2)
        ]
    )


# The statistics that run


class Run(NamedTuple):
    """A statistic by name, the width of buckets of the values 0..5, and the values of the rows."""

    name: str
    width: int
    rows: tuple[int, ...]


RUN = cases(
    Run,
    [
        ("max", 1, (1, 5)),
        ("max", 2, (1, 2, 4)),
        ("min", 2, (1, 2)),
        ("mode", 1, (1, 1, 4, 4)),
        ("median", 2, (0, 2, 5)),
        ("support", 3, (2, 3)),
        ("range", 2, (1, 4, 4)),
        ("iqr", 3, (1, *[4] * 8)),
    ],
    [("mode", 1, (0, 2, 2, 3)), ("median", 1, (1, 1, 2, 3)), ("iqr", 2, (0, 1, 4, 5)), ("max", 3, (3, 3, 3, 3, 3))],
)


def _shipped(case: Run) -> Pmf[Any]:
    buckets = IntegerBuckets(0, 5, case.width)
    mechanism = FlexibleStatistic(
        statistic_of(case.name), buckets, ShiftedTruncated(buckets.bars, FOUR.q, FOUR.epsilon, FOUR.bits)
    )
    return explore(lambda coins: mechanism.release(case.rows, coins)).law()


def _defined(case: Run, edge: int = 0, last: bool = False, highest: bool = False) -> Pmf[Any]:
    """Of the definition: buckets by division, the law of the histogram, and the statistic of the bars, at their centres."""
    bars = -(-6 // case.width)
    counts = [0] * bars
    for value in case.rows:
        counts[min(bars - 1, max(0, value - edge) // case.width)] += 1
    centres = [mpq(2 * i * case.width + min((i + 1) * case.width, 6) - i * case.width - 1, 2) for i in range(bars)]
    default = bars - 1 if last or case.name == "min" else 0
    f: dict[str, Callable[[Histogram], Any]] = {
        "max": lambda y: centres[statistics.maximum(y, default)],
        "min": lambda y: centres[statistics.minimum(y, default)],
        "mode": lambda y: centres[bars - 1 - statistics.mode(y[::-1]) if highest and any(y) else statistics.mode(y, default)],
        "median": lambda y: centres[statistics.median(y, default)],
        "support": lambda y: tuple(centres[i] for i in statistics.support(y)),
        "range": lambda y: centres[statistics.maximum(y)] - centres[statistics.minimum(y)] if any(y) else mpq(0),
        "iqr": lambda y: centres[statistics.quantile(y, mpq(3, 4))] - centres[statistics.quantile(y, mpq(1, 4))],
    }
    return spec.histogram(FOUR.weights, counts).pushforward(f[case.name])


@own(
    "FD.Flexible.statistics",
    """The statistics that run have the law of the statistic of the shifted-truncated histogram of the buckets, ties and
    defaults too.""",
    over="seven statistics of a few rows in 0..5, buckets of 1 to 3 values, the table of q = 4",
    code=["finitedp.impl.flexible.releases.FlexibleStatistic", "finitedp.impl.flexible.statistics.statistic_of"],
    grid=RUN,
    subject=_shipped,
    twins={
        "bucket edges closed on the right": lambda case: _defined(case, edge=1),
        "ties to the highest bar": lambda case: _defined(case, highest=True),
        "the last bar for the default": lambda case: _defined(case, last=True),
    },
)
def statistics_that_run(make: Callable[[Run], Pmf[Any]], case: Run) -> Finding:
    return same_law(make(case), _defined(case), f"{case.name} of {case.rows} in buckets of {case.width}")
