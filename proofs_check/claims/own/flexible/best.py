"""The tables of one-sided noise, our own: certified, the best ones, and near the ideal."""

from bisect import bisect_left
from collections.abc import Callable, Iterator
from functools import lru_cache, partial, reduce
from itertools import pairwise, product
from operator import or_
from types import SimpleNamespace
from typing import Any, NamedTuple

from gmpy2 import mpq

from finitedp.errors import ClaimError, ParameterError
from finitedp.exact import RationalLike
from finitedp.impl.counting.dyadic_table import LARGEST_WORD
from finitedp.impl.flexible.bucketing import IntegerBuckets
from finitedp.impl.flexible.releases import bucket_hist, flexible_statistic
from finitedp.impl.flexible.shifted_truncated import ShiftedTruncated, shifted_truncated
from finitedp.impl.flexible.tables import ShiftedTable, least_q, shifted_table
from finitedp.impl.flexible.water_filling import LevelMaximum, level_maximum
from finitedp.proofs_check.claims.own.flexible import subjects as made
from finitedp.proofs_check.claims.own.flexible.subjects import HALF, ONE, SMALL, Table
from finitedp.proofs_check.ledger.atoms import over
from finitedp.proofs_check.ledger.entry import Finding, cases, in_scope, is_taken
from finitedp.proofs_check.ledger.findings import all_of, at_most, equal, own
from finitedp.spec.flexible import shifted_truncated as spec

TABLES = "finitedp.impl.flexible.tables.shifted_table"
SPEC = "finitedp.spec.flexible.shifted_truncated"


@own(
    "FD.Shifted.table",
    """A ShiftedTable is certified: weights of at least 1 that sum to 2^B, 1 < R <= e^epsilon (e^(epsilon/2) for replacing a
    row) and neighbouring weights within R. Every change of a weight that breaks one of them is refused.""",
    over="tables of the grid; all moves of one to three units between two places",
    code=["finitedp.impl.flexible.tables.ShiftedTable", f"{SPEC}.is_table"],
    grid=SMALL,
    subject=ShiftedTable,
    twins={
        "no look at the ratios": lambda epsilon, neighbours, ratio, bits, w: None,
        "no steps down": lambda epsilon, neighbours, ratio, bits, w: _only_rising(ratio, w),
    },
)
def certified(make: Callable[..., object], case: Table) -> Iterator[Finding]:
    table = shifted_table(case.q, case.epsilon, case.bits)
    yield equal(_accepted(make, table, list(table.weights)), True, "the table itself")
    for units, i, j in product((1, 2, 3), range(min(case.q, 9)), range(min(case.q, 9))):
        w = list(table.weights)
        w[i], w[j] = w[i] + units, w[j] - (units if i != j else 0)
        right = spec.is_table(w, table.ratio, case.bits)
        yield equal(_accepted(make, table, w), right, f"{w} at R = {table.ratio}")


def _only_rising(ratio: mpq, w: tuple[int, ...]) -> None:
    if any(b > ratio * a for a, b in pairwise(w)) or min(w) < 1:
        raise ClaimError("(i) fails")


def _accepted(make: Callable[..., object], table: ShiftedTable, w: list[int]) -> bool:
    return is_taken(
        lambda: make(table.epsilon, table.neighbours, table.ratio, table.bits, tuple(w)), ClaimError, ParameterError
    )


class Wanted(NamedTuple):
    """q, bits and epsilon of a table that is compared with all others, and a delta in multiples of 2^-bits."""

    q: int
    bits: int
    epsilon: mpq
    multiple: int

    @property
    def least_ends(self) -> list[int]:
        """Of q' = 2, ..., q weights the least of the larger ends of all tables; 2^bits where there is none."""
        ratio = spec.ratio_below(self.epsilon, self.bits)
        return [_least_end(size, 2**self.bits, ratio) for size in range(2, self.q + 1)]

    def check_scope(self) -> None:
        in_scope(self.q >= 2 and 2 <= self.bits <= LARGEST_WORD and self.epsilon > 0, "q, bits and epsilon of a table")
        in_scope(1 <= self.multiple < 2**self.bits, "a delta in (0, 1)")


class Sought(NamedTuple):
    """q, bits and epsilon of a table; every delta below 1 that it has."""

    q: int
    bits: int
    epsilon: mpq

    def atoms(self) -> Iterator[Wanted]:
        best = Wanted(*self, 0).least_ends[-1]
        return (Wanted(*self, m) for m in range(best, 2**self.bits))


SOUGHT = cases(
    Sought,
    [(2, 4, ONE), (3, 5, ONE), (4, 5, ONE), (3, 6, HALF), (4, 6, ONE), (4, 4, mpq(1, 10))],
    [(5, 6, HALF), (4, 7, mpq(2)), (5, 6, ONE), (3, 8, mpq(1, 3))],
)


@lru_cache(maxsize=64)
def _least_end(q: int, total: int, ratio: mpq) -> int:
    """The least m < total such that some table with (i) has ends of at most m; total where there is none."""
    return bisect_left(range(total), True, key=lambda m: _is_reached(q, total, ratio, m))


def _is_reached(q: int, total: int, ratio: mpq, most: int) -> bool:
    """Whether q weights with (i) and ends of at most so much have this sum: all lists, by their last weight and their sum."""
    sums = {w: 1 << w for w in range(1, most + 1)}  # bit s: a list of the sum s
    for _ in range(q - 1):
        further = dict[int, int]()
        for w in range(1, total):
            before = range(int(-(-w // ratio)), min(int(ratio * w), total - 1) + 1)
            reached = reduce(or_, (sums.get(v, 0) for v in before), 0)
            further[w] = reached << w & (2 << total) - 1
        sums = further
    return any(sums.get(w, 0) >> total & 1 for w in range(1, most + 1))


@own(
    "FD.Shifted.least",
    """shifted_table has the least delta of all tables of q weights with (i), where there is one, and least_q the least q for a
    delta, of adding or removing a row: it has a table, and no table of fewer weights has so small a delta.""",
    over="all tables of q weights that sum to 2^B, q = 2..5, B = 4..8; every delta below 1 that is a multiple of 2^-B",
    code=[TABLES, "finitedp.impl.flexible.tables.least_q"],
    grid=SOUGHT,
    subject=(shifted_table, least_q),
    twins={
        "a flat table": (lambda q, epsilon, bits: SimpleNamespace(weights=made.flat(Table(q, bits, epsilon))), least_q),
        "q + 1": (shifted_table, lambda epsilon, delta, bits: least_q(epsilon, delta, bits) + 1),
        "q - 1": (shifted_table, lambda epsilon, delta, bits: least_q(epsilon, delta, bits) - 1),
    },
)
@over(Sought.atoms)
def least(make: tuple[Callable[..., Any], Callable[..., int]], case: Wanted) -> Iterator[Finding]:
    build, find = make
    ends, delta = case.least_ends, mpq(case.multiple, 2**case.bits)
    in_scope(ends[-1] <= case.multiple, "a delta that q weights have")
    found = build(case.q, case.epsilon, case.bits).weights
    wanted = next(q for q, end in enumerate(ends, 2) if end <= case.multiple)
    yield equal(max(found[0], found[-1]), ends[-1], f"least end at q = {case.q}, B = {case.bits}")
    yield equal(find(case.epsilon, delta, case.bits), wanted, f"least q at delta = {delta}")


class Every(NamedTuple):
    """Epsilon, bits and the relation of tables of every number of weights."""

    epsilon: str
    bits: int
    neighbours: str = "add-remove"


Build = Callable[[int, Every], ShiftedTable | None]


def _built(q: int, case: Every) -> ShiftedTable | None:
    """The table; None where it is refused."""
    try:
        return shifted_table(q, *case)
    except ParameterError:
        return None


def _enough(case: Every, delta: mpq) -> int | None:
    try:
        return least_q(case.epsilon, delta, case.bits, case.neighbours)
    except ParameterError:
        return None


def _by_envelope(case: Every, delta: mpq) -> int | None:
    """Broken: the least q with an envelope of ends that small, for adding a row, whether it has a table or not."""
    total, ratio = 2**case.bits, spec.ratio_below(case.epsilon, case.bits)
    end = int(delta * total)
    return next((q for q in range(2, total + 1) if sum(spec.envelope(end, q, ratio)) >= total), None)


@own(
    "FD.Shifted.built",
    """For every q up to 2^B shifted_table gives the table of the definition, for adding a row or for replacing one, and
    refuses where taking one off the cap breaks (i). For every delta below 1, least_q is the least q with a table of at most
    that delta.""",
    over="every q from 1 to 2^B, B = 3 to 5 (6 in full), epsilon from 1/10 to 3; every delta of a table, and a little less",
    code=[TABLES, "finitedp.impl.flexible.tables.least_q", f"{SPEC}.table"],
    grid=cases(
        Every,
        [("1/10", 4), ("1", 4), ("1", 3, "replace-one"), ("1", 5, "replace-one"), ("1/2", 4, "replace-one")],
        [("1/3", 6), ("2", 6, "replace-one"), ("3", 5), ("1/2", 5, "replace-one")],
    ),
    subject=(_built, _enough),
    twins={
        "of one weight more": (lambda q, case: _built(q + 1, case), _enough),
        "never refused": (lambda q, case: _built(q, case) or _built(1, case), _enough),
        "one row more": (_built, lambda case, delta: (_enough(case, delta) or 0) + 1),
        "by adding a row": (_built, lambda case, delta: _enough(case._replace(neighbours="add-remove"), delta)),
        "with or without a table": (_built, _by_envelope),
    },
)
def built(make: tuple[Build, Callable[[Every, mpq], int | None]], case: Every) -> Iterator[Finding]:
    build, enough = make
    exponent = mpq(case.epsilon) / (2 if case.neighbours == "replace-one" else 1)
    ratio, deltas = spec.ratio_below(exponent, case.bits), dict[int, mpq]()
    for q in range(1, 2**case.bits + 1):
        expected, found = spec.table(q, ratio, case.bits), build(q, case)
        yield equal(None if found is None else found.weights, expected, f"q = {q}, {case}")
        if expected is not None:
            ends = max(expected[0], expected[-1])
            replaced = spec.replace_delta_at_ends(expected)
            deltas[q] = replaced if case.neighbours == "replace-one" else mpq(ends, 2**case.bits)
    for delta in {x - less for x in deltas.values() for less in (0, mpq(1, 8**case.bits)) if 0 < x - less < 1}:
        wanted = next((q for q, x in deltas.items() if x <= delta), None)
        yield equal(enough(case, delta), wanted, f"least q at delta = {delta}, {case}")


Default = Callable[[IntegerBuckets], tuple[object, ...]]


def _words(*more: Any) -> Default:  # noqa: ANN401  # a number of bits, or nothing
    """The bits of a word of each mechanism, and the ones that a table is asked for."""
    epsilon, delta = mpq(1), mpq(1, 100)
    return lambda values: (
        ShiftedTruncated(values.bars, 5, epsilon, *more).word,
        shifted_truncated(values.bars, epsilon, delta, *more).word,
        bucket_hist(values, epsilon, delta, *more).histogram.word,
        flexible_statistic("max", values, epsilon, delta, *more).histogram.word,
        level_maximum(values, epsilon, delta, *more).word,
        LevelMaximum(values, 5, epsilon, *more).word,
        shifted_table(5, epsilon, *more).bits,
    )


@own(
    "FD.Shifted.words",
    """A word of a mechanism of flexible accuracy has 64 bits where nothing else is asked for.""",
    over="four bars (nine in full), epsilon = 1, delta = 1/100",
    code=[
        "finitedp.impl.flexible.shifted_truncated.ShiftedTruncated",
        "finitedp.impl.flexible.releases.bucket_hist",
        "finitedp.impl.flexible.releases.flexible_statistic",
        "finitedp.impl.flexible.water_filling.level_maximum",
    ],
    grid=cases(partial(IntegerBuckets, 0), [3], [8]),
    subject=_words(),
    twins={"63 bits": _words(63), "128 bits": _words(128)},
)
def words(default: Default, values: IntegerBuckets) -> Finding:
    found = default(values)
    return equal(found, (64,) * len(found), f"bits of words, {values.bars} bars")


class Level(NamedTuple):
    """q, bits and epsilon."""

    q: int
    bits: int
    epsilon: RationalLike


@own(
    "FD.Shifted.ideal",
    """The delta of a table is above (R - 1)/(2 (R^(q/2) - 1)) for even q, (R - 1)/(R^((q+1)/2) + R^((q-1)/2) - 2) for odd q,
    which no mechanism beats that reports 0 of nothing and not 0 of q rows, by at most (1 + 1/(R - 1))/2^B.""",
    over="q = 1..51 and 64 bits, and small tables; epsilon = 1/10 to 2",
    code=[TABLES, f"{SPEC}.ideal_delta"],
    grid=cases(
        Level,
        [(4, 6, "1"), (7, 6, "1/2"), (28, 64, "1"), (51, 64, "1/2"), (15, 64, "2"), (2, 8, "1")],
        [(219, 64, "1/10"), (96, 64, "1/4"), (101, 128, "1/4")],
    ),
    subject=spec.ideal_delta,
    twins={"(9) at odd q too": lambda q, ratio: (ratio - 1) / (ratio ** (q // 2) * 2 - 2) if q > 1 else mpq(1)},
)
def near_the_ideal(ideal: Callable[[int, mpq], mpq], case: Level) -> Finding:
    table = shifted_table(case.q, case.epsilon, case.bits)
    bound, room = ideal(case.q, table.ratio), (1 + 1 / (table.ratio - 1)) / 2**case.bits
    return all_of([at_most(bound, table.delta, "ideal delta:"), at_most(table.delta, bound + room, "delta:")])
