"""What is stated of statistics, our own: the accuracy of each by name, and the splits of the rows that are lost."""

from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import product
from math import prod
from typing import Any, NamedTuple

from attrs import evolve, fields
from gmpy2 import mpq

from finitedp.errors import ParameterError
from finitedp.exact import RationalLike
from finitedp.impl.counting.dyadic_table import LARGEST_WORD
from finitedp.impl.flexible.bucketing import IntegerBuckets
from finitedp.impl.flexible.losses import beyond_exceeds
from finitedp.impl.flexible.releases import FlexibleStatistic
from finitedp.impl.flexible.shifted_truncated import ShiftedTruncated
from finitedp.impl.flexible.statistics import Statistic, statistic_of
from finitedp.impl.flexible.tables import ShiftedTable
from finitedp.proofs_check.claims.fa.subjects import small_histograms
from finitedp.proofs_check.ledger.atoms import over
from finitedp.proofs_check.ledger.entry import Finding, cases, in_scope
from finitedp.proofs_check.ledger.findings import at_most, equal, in_turn, own
from finitedp.spec.flexible import shifted_truncated as spec
from finitedp.spec.flexible import statistics
from finitedp.spec.flexible.distortion import sub_histograms
from finitedp.spec.pmf import Pmf

Histogram = tuple[int, ...]
TABLE = (3, mpq(1), 6)  # q, epsilon and bits: weights 14, 36, 14


class Case(NamedTuple):
    """A statistic of the values 0..last in buckets of so many, of at most so many rows; k and p."""

    name: str
    last: int
    width: int = 1
    rows: int = 4
    more: tuple[tuple[str, Any], ...] = ()

    def check_scope(self) -> None:
        names = {"max-k": ("k",), "quantile": ("p",)}.get(self.name, ())
        in_scope(all(len(each) == 2 for each in self.more), "a name and its value, each time")
        in_scope(tuple(name for name, _ in self.more) == names, "k with max-k alone, p with quantile alone")
        more = dict(self.more)
        in_scope(more.get("k", 1) >= 1 and 0 < mpq(more.get("p", 1)) <= 1, "k of at least 1, p in (0, 1]")
        in_scope(self.last >= 0 and self.width >= 1 and self.rows >= 0, "a value at least, in buckets of one at least")

    @property
    def labels(self) -> int:
        """Bars of a bucket."""
        return 2 if self.name == "separator" else 1

    def of_data(self, x: Histogram) -> Any:  # noqa: ANN401  # a rational, or a tuple of them
        """The statistic of counts of the values, from its definition; of no rows, what the manual says."""
        more = dict(self.more)
        found: dict[str, Callable[[], Any]] = {
            "max": lambda: statistics.maximum(x),
            "min": lambda: statistics.minimum(x, self.last),
            "range": lambda: statistics.maximum(x) - statistics.minimum(x),
            "support": lambda: statistics.support(x),
            "max-k": lambda: statistics.max_k(x, more["k"]),
            "mode": lambda: statistics.mode(x),
            "median": lambda: statistics.median(x),
            "quantile": lambda: statistics.quantile(x, more["p"]),
            "iqr": lambda: statistics.interquartile_range(x),
            "separator": lambda: statistics.separator(x),
        }
        return found[self.name]()

    def counts(self, x: Histogram) -> Histogram:
        """The counts of the bars."""
        found = [0] * (self.labels * -(-(self.last + 1) // self.width))
        for i, count in enumerate(x):
            found[self.labels * (i // self.labels // self.width) + i % self.labels] += count
        return tuple(found)

    def __str__(self) -> str:
        return f"{self.name} of 0..{self.last}, width {self.width}"


def _apart(y: Any, z: Any) -> Any:  # noqa: ANN401  # rationals, or tuples of them; a rational or None
    """The distance of two answers: of sets, Hausdorff's, which is infinite beside the empty one."""
    if not isinstance(y, tuple):
        return abs(mpq(y) - z)
    if not y or not z:
        return mpq(0) if y == z else None
    return max(min(abs(mpq(a) - b) for b in other) for one, other in ((y, z), (z, y)) for a in one)


Make = Callable[[Case], FlexibleStatistic | None]


def _made(case: Case, change: Callable[[Statistic], Statistic] = lambda plain: plain) -> FlexibleStatistic | None:
    """The mechanism; None where it is refused."""
    buckets = IntegerBuckets(0, case.last, case.width)
    q, epsilon, bits = TABLE
    try:
        statistic = change(statistic_of(case.name, **dict(case.more)))
        return FlexibleStatistic(statistic, buckets, ShiftedTruncated(case.labels * buckets.bars, q, epsilon, bits))
    except ParameterError:
        return None


@lru_cache(maxsize=1024)
def _bars(counts: Histogram) -> Pmf[Histogram]:
    q, epsilon, bits = TABLE
    return spec.histogram(ShiftedTruncated(1, q, epsilon, bits).table.weights, counts)


def _by_rows(case: Case, x: Histogram) -> list[set[Any]]:
    """The values of the data with exactly so many rows left out, for 0, 1, ..., all."""
    found: list[set[Any]] = [set() for _ in range(sum(x) + 1)]
    for y in sub_histograms(x):
        found[sum(x) - sum(y)].add(case.of_data(y))
    return found


def _failing(mechanism: FlexibleStatistic, case: Case, beta: mpq, most: int) -> list[mpq]:
    """For 0..most rows left out: the largest probability of an answer farther than beta from each value of what is left."""
    worst = [mpq(0)] * (most + 1)
    for x in small_histograms(case.labels * (case.last + 1), case.rows):
        law = _bars(case.counts(x)).pushforward(mechanism.answer)
        values, far = _by_rows(case, x), set(law)
        for dropped in range(min(most, sum(x)) + 1):
            near = {y for y in far if any((d := _apart(y, v)) is not None and d <= beta for v in values[dropped])}
            far -= near
            worst[dropped] = max(worst[dropped], law.probability(far) if far else mpq(0))
    return worst


class WholeGamma(Statistic):
    """Gamma for both ends of a range."""

    def dropped(self, table: ShiftedTable, bars: int, gamma: RationalLike) -> int:
        return super().dropped(table, bars, min(mpq(1), 2 * mpq(gamma)) if self.both_ends else gamma)


class OneEnd(Statistic):
    """Gamma of one end of a range."""

    def gamma(self, table: ShiftedTable, bars: int, dropped: int) -> mpq:
        return super().gamma(table, bars, dropped) / (2 if self.both_ends else 1)


class OneRowFewer(Statistic):
    """A row fewer is left out."""

    def dropped(self, table: ShiftedTable, bars: int, gamma: RationalLike) -> int:
        return max(0, super().dropped(table, bars, gamma) - 1)

    def gamma(self, table: ShiftedTable, bars: int, dropped: int) -> mpq:
        return super().gamma(table, bars, dropped + 1)


def _as(kind: type[Statistic]) -> Make:
    return lambda case: _made(case, lambda plain: kind(**{x.name: getattr(plain, x.name) for x in fields(Statistic)}))


def _with(names: tuple[str, ...], **changes: Any) -> Make:  # noqa: ANN401  # of the fields of a Statistic
    return lambda case: _made(case, lambda plain: evolve(plain, **changes) if plain.name in names else plain)


TWO, THIRD = (("k", 2),), (("p", "1/3"),)


@own(
    "FD.Flexible.accuracy",
    """What each statistic states is true: its answer is within beta of one of the data without at most `dropped` rows, except
    with probability gamma, for the least gamma of every number of rows and with `dropped` the least number with this gamma.
    mode and max-k, k >= 2, refuse buckets of more than one value, and no other does.""",
    over="""all ten statistics, values 0..2 and 0..3 (a range also 0..7) in buckets of one and of two; all data of at most 2 to
    6 rows, every release, every number of rows; weights 14, 36, 14; of no rows, the first value (min: the last one, range and
    iqr: 0)""",
    code=["finitedp.impl.flexible.releases.FlexibleStatistic.accuracy", "finitedp.impl.flexible.statistics.Statistic"],
    grid=cases(
        Case,
        [
            *((name, 2) for name in ("max", "min", "range", "support", "mode", "median", "iqr")),
            *((name, 3, 2) for name in ("max", "min", "range", "support", "mode", "median")),
            ("iqr", 3, 2, 6),
            ("range", 3, 1, 3),
            ("range", 7, 1, 2),
            ("max-k", 2, 1, 5, TWO),
            ("max-k", 3, 2, 3, TWO),
            ("max-k", 2, 1, 3, (("k", 1),)),
            ("max-k", 3, 2, 3, (("k", 1),)),
            ("quantile", 2, 1, 4, THIRD),
            ("separator", 1, 1, 3),
            ("separator", 3, 2, 3),
        ],
        [
            *((name, 3, 1, 5) for name in ("max", "min", "range", "support", "mode", "median", "iqr")),
            *((name, 4, 2, 5) for name in ("max", "min", "range", "support", "median", "iqr")),
            ("max-k", 2, 1, 7, (("k", 3),)),
        ],
    ),
    subject=_made,
    twins={
        "gamma not halved for two ends": _as(WholeGamma),
        "gamma of one end": _as(OneEnd),
        "a row fewer": _as(OneRowFewer),
        "a range of one stretch": _with(("range",), stretch=1),
        "an iqr of one stretch": _with(("iqr",), stretch=1),
        "max-k of wide buckets": _with(("max-k",), exact=False),
        "the mode of wide buckets": _with(("mode",), exact=False),
        "only rows beyond a median": _with(("median",), loses="beyond"),
        "the answer's rows of a support": _with(("support",), loses="others"),
    },
)
def stated(make: Make, case: Case) -> Finding:
    mechanism = make(case)
    exact = case.name == "mode" or dict(case.more).get("k", 1) > 1
    refused = equal(mechanism is None, exact and min(case.width, case.last + 1) > 1, f"whether {case} is refused")
    return in_turn([refused] if mechanism is None else (f for some in ([refused], _true(mechanism, case)) for f in some))


def _true(mechanism: FlexibleStatistic, case: Case) -> Iterator[Finding]:
    most = mechanism.histogram.bars * (mechanism.histogram.q - 1)
    claims = [mechanism.accuracy(dropped=a) for a in range(most + 1)]
    failing = _failing(mechanism, case, claims[0].beta, most)
    for a, claim in enumerate(claims):
        yield at_most(failing[a], claim.gamma, f"{case}, {a} rows left out:")
        yield equal((claim.dropped, claim.beta), (a, claims[0].beta), f"{case}: what is stated beside gamma")
        for gamma in {claim.gamma, claim.gamma / 2, mpq(0)}:
            least = next(i for i, other in enumerate(claims) if other.gamma <= gamma)
            other = mechanism.accuracy(gamma)
            found = other.dropped, other.gamma, other.beta
            yield equal(found, (least, gamma, claim.beta), f"{case}, rows for gamma = {gamma}")


# Splits of the rows that are lost


class Split(NamedTuple):
    """All weights but the last of a table of so many bits with a ratio of 2, which is below e; bars, and a."""

    head: tuple[int, ...]
    bits: int
    bars: int
    a: int

    @property
    def weights(self) -> tuple[int, ...]:
        """Those of the table: the last one is what is left of 2^bits."""
        return (*self.head, (1 << self.bits) - sum(self.head))

    def check_scope(self) -> None:
        in_scope(2 <= self.bits <= LARGEST_WORD and spec.is_table(self.weights, mpq(2), self.bits), "a table")
        in_scope(self.bars >= 1 and 0 <= self.a <= self.bars * len(self.head), "bars, and rows that they may lose")


class Box(NamedTuple):
    """All tables of q weights of so many bits with a ratio of 2; and the bars beyond an answer."""

    q: int
    bits: int
    bars: int

    def splits(self) -> Iterator[Split]:
        """The tables, with every a."""
        for head in product(range(1, 1 << self.bits), repeat=self.q - 1):
            last = (1 << self.bits) - sum(head)
            if last >= 1 and spec.steps_hold((*head, last), mpq(2)):
                yield from (Split(head, self.bits, self.bars, a) for a in range(self.bars * (self.q - 1) + 1))


def _evenly(table: ShiftedTable, bars: int, a: int) -> mpq:
    """Equal parts, whatever the table is."""
    each, more = divmod(a + 1, bars)
    tails = (*table.tails, *[0] * (a + 2))
    return mpq(tails[each + 1] ** more * tails[each] ** (bars - more), tails[0] ** bars)


@own(
    "FD.Shifted.splits",
    """The largest product of S_(x_i)/2^B over x_1 + ... + x_k = a + 1 is what beyond_exceeds gives of every table, whether its
    S are log-concave, where equal parts are the worst, or not.""",
    over="all tables with the ratio 2 of 3 and 4 weights in 4 bits (5 in full), k = 2 and 3, every a; all splits",
    code=["finitedp.impl.flexible.losses.beyond_exceeds"],
    grid=cases(Box, [(3, 4, 2), (4, 4, 2), (4, 4, 3)], [(3, 6, 3), (5, 4, 3)]),
    subject=beyond_exceeds,
    twins={
        "always equal parts": _evenly,
        "always all in one bar": lambda table, _bars, a: mpq(table.tails[min(a + 1, table.q)], table.tails[0]),
    },
)
@over(Box.splits)
def splits(exceeds: Callable[[ShiftedTable, int, int], mpq], case: Split) -> Finding:
    table = _table(case.weights, case.bits)
    found = (prod(table.tails[rows] for rows in x) for x in _sums(table.q, case.bars, case.a + 1))
    largest = mpq(max(found), (1 << case.bits) ** case.bars)
    return equal(exceeds(table, case.bars, case.a), largest, f"{table.weights}, {case.bars} bars, a = {case.a}")


@lru_cache(maxsize=64)
def _table(weights: tuple[int, ...], bits: int) -> ShiftedTable:
    return ShiftedTable(1, "add-remove", 2, bits, weights)


@lru_cache(maxsize=64)
def _sums(most: int, parts: int, total: int) -> tuple[tuple[int, ...], ...]:
    """All lists of so many integers from 0 to `most` with a sum."""
    if not parts:
        return ((),) if not total else ()
    return tuple((x, *rest) for x in range(min(most, total) + 1) for rest in _sums(most, parts - 1, total - x))
