"""Dyadic tables, our own: what is refused, when there is none, how large they are and how far from the ideal."""

from collections.abc import Callable, Iterator
from itertools import groupby, product
from typing import NamedTuple

from gmpy2 import mpq

from finitedp.errors import ClaimError, ParameterError
from finitedp.exact import ceil_power, compare_exp
from finitedp.impl.counting.dyadic_table import DyadicTable, dyadic_table
from finitedp.numbers import decimal
from finitedp.proofs_check.claims.own.dyadic.subjects import (
    RATIOS,
    SMALL_MORE,
    SMALL_QUICK,
    TABLE,
    Dyadic,
    MakeTable,
    Small,
    Weights,
    built,
    table_of,
)
from finitedp.proofs_check.claims.own.dyadic.twins import LeftoverAtCentre, RoundedDown, SmallCentre, Uncertified
from finitedp.proofs_check.ledger.entry import Cases, Finding, but, cases, in_scope
from finitedp.proofs_check.ledger.findings import all_of, at_most, equal, own
from finitedp.spec import dyadic as spec

# What is refused


class Box(NamedTuple):
    """All lists w_0, ..., w_n of integers from 1 to `most`, whatever their sum, to be taken for tables of these parameters."""

    n: int
    most: int
    bits: int
    epsilon: str
    ratio: mpq

    def __str__(self) -> str:
        return f"n={self.n}, weights up to {self.most}, {self.bits} bits, epsilon={self.epsilon}, R={self.ratio}"


TOO_LARGE = ("1", mpq(5, 2))  # R above e^(epsilon/2)


def _with_tables(sizes: tuple[tuple[int, int, int], ...]) -> list[Box]:
    """The boxes of these n, weights and bits that hold the table of an R; and those for an R that is too large."""
    boxes = [Box(*size, *r) for size, r in product(sizes, RATIOS)]
    some = [box for box in boxes if max(spec.table(box.n, box.ratio, box.bits) or [box.most + 1]) <= box.most]
    return [*some, *(Box(*size, *TOO_LARGE) for size in sizes)]


# which boxes hold a table has to be computed, so that it waits until they are needed
BOXES = Cases(
    lambda: _with_tables(((1, 24, 5), (2, 12, 5), (3, 6, 4))),
    lambda: _with_tables(((3, 7, 5), (1, 90, 7), (2, 24, 6), (3, 12, 6), (4, 8, 6))),
)


def _but_for(message: Callable[[DyadicTable], str]) -> type[DyadicTable]:
    """A table of which one thing is not checked."""
    return but(
        DyadicTable,
        violations=lambda self: (found for found in DyadicTable.violations(self) if message(self) not in found),
    )


@own(
    "FD.Dyadic.refusals",
    """A table certifies itself: weights, with their constant stretch held as one number, are accepted exactly where they are a
    table of the definition and 1 < R <= e^(epsilon/2). The ends of the stretch decide for all of it.""",
    over="every list of n + 1 integers in a box, most of them no tables",
    code=["finitedp.impl.counting.dyadic_table.DyadicTable"],
    grid=BOXES,
    subject=DyadicTable,
    twins={
        "never refused": Uncertified,
        "the end of the stretch not checked": _but_for(lambda table: f"S_{table.n}"),
        "the sum not checked": _but_for(lambda _: "sum"),
    },
)
def refusals(make: type[DyadicTable], case: Box) -> Finding:
    sound = compare_exp(case.ratio, mpq(case.epsilon) / 2) <= 0
    wrong, tables = list[Weights](), 0
    for weights in product(range(1, case.most + 1), repeat=case.n + 1):
        expected = sound and spec.is_table(weights, case.ratio, case.bits)
        tables += expected
        if _accepted(make, weights, case) != expected:
            wrong.append(weights)
    in_scope(tables or not sound, "a box that holds a table, where R is not too large")
    return equal(wrong[:1], [], "a list on which they differ")


def _accepted(make: type[DyadicTable], weights: Weights, case: Box) -> bool:
    *inner, last = weights
    stretch = len(list(next(groupby(reversed(inner)))[1]))
    try:
        table = make(case.epsilon, case.ratio, case.bits, case.n, tuple(inner[: case.n - stretch]), inner[-1], last)
    except ClaimError:
        return False
    return tuple(table.weight(j) for j in range(case.n + 1)) == weights


# When there is none


class Few(NamedTuple):
    """Parameters that may have no table."""

    n: int
    epsilon: str
    word: int


def _largest_centre(n: int, epsilon: str, word: int) -> int | str:
    """W_0 of the table, or the message where there is none."""
    try:
        return dyadic_table(n, epsilon, word).weight(0)
    except ParameterError as error:
        return str(error)


def _from_four(n: int, epsilon: str, word: int) -> int | str:
    found = _largest_centre(n, epsilon, word)
    return "no table: the fewest bits with a table are 64" if found == 2 else found


def _one_bit_more(n: int, epsilon: str, word: int) -> int | str:
    found = _largest_centre(n, epsilon, word)
    return found if isinstance(found, int) else "the fewest bits with a table are 64"


@own(
    "FD.Dyadic.existence",
    """Where any table of B bits exists, the one that is built has the largest w_0 of all; where none does, the message names
    the fewest bits with which there is one.""",
    over="all lists of weights with that sum are tried; then all larger B in turn",
    code=TABLE,
    grid=cases(
        Few,
        product((1, 2, 3), ("1", "3", "1/2", "20"), (2, 3, 4, 5)),
        product((1, 2, 3, 4), ("1/4", "7/3", "5", "2"), (2, 4, 5, 6)),
    ),
    subject=_largest_centre,
    twins={"w_0 = 2 not tried": _from_four, "always 64 bits": _one_bit_more},
)
def existence(centre: Callable[[int, str, int], int | str], case: Few) -> Finding:
    r = spec.ratio_below(case.epsilon, case.word)
    lists = Small(case.n, case.word, case.epsilon, r).lists()
    centres = [weights[0] for weights in lists if spec.is_table(weights, r, case.word)]
    found = centre(case.n, case.epsilon, case.word)
    if centres:
        return equal(found, max(centres), "w_0")
    fewest = next(b for b in range(case.word, 64) if spec.table(case.n, spec.ratio_below(case.epsilon, b), b))
    return equal(isinstance(found, str) and f"the fewest bits with a table are {fewest}" in found, True, f"{found}")


# How large, and how far from the ideal


LONG = cases(
    Dyadic,
    [(10**9, "1/10", 64), (10**9, "1/10", 128), (10**6, "2", 64), (10**4, "1/3", 20)],
    [
        *SMALL_MORE,
        *((10**9, "1/1000", 64), (10**9, "1/1000", 128), (10**12, "1/10", 64), (10**15, "1/100", 128), (10**9, "5", 256)),
    ],
)
IDEAL = cases(
    Dyadic,
    [*SMALL_QUICK, (60, "1/3", 13)],
    [*SMALL_MORE, (200, "1/10", 48), (120, "1/7", 20)],
)


def _written_out(case: Dyadic) -> DyadicTable:
    """The same weights, each of the constant stretch held by itself, up to a thousand of them."""
    table = built(case)
    more = (table.tail,) * min(case.n - len(table.head) - 1, 1000)
    return DyadicTable(table.epsilon, table.ratio, table.bits, table.n, (*table.head, *more), table.tail, table.last)


@own(
    "FD.Dyadic.size",
    """Whatever n is, a table is held in at most ceil(log w_0 / log R) + 3 numbers, which is at most B ln 2 / ln R + 4: each
    weight is below w_0 / R^j + R/(R-1), and below R/(R-1) weights no longer fall. Where they fell to there, they stay at the
    least integer of at least 1/(R-1), which is the least that any mechanism may have (FD.Dyadic.floor).""",
    over="n up to 10^9 (10^15 in full)",
    code=["finitedp.impl.counting.dyadic_table.DyadicTable.entries"],
    grid=LONG,
    subject=built,
    twins={"the stretch written out": _written_out},
)
def size(make: MakeTable, case: Dyadic) -> Finding:
    table = make(case)
    r, centre = table.ratio, table.weight(0)
    falling = (w for w in (*table.head, table.tail) if (w - 1) * r < w and w != table.tail)
    bound, whatever = ceil_power(r, centre) + 3, ceil_power(r, 2**case.word) + 3
    findings = [at_most(table.entries, bound, f"entries (of {case.n + 1} weights)"), at_most(bound, whatever, "bound")]
    findings.append(equal(next(falling, None), None, "a weight that still falls"))
    if 0 < len(table.head) < case.n - 1:
        findings.append(equal((table.tail * (r - 1) >= 1, (table.tail - 1) * (r - 1) < 1), (True, True), "the least weight"))
    return all_of(findings)


@own(
    "FD.Dyadic.distance",
    """Every law of the mechanism is within (2^B - w_0 (R+1)/(R-1)) / 2^B, in total variation, of the geometric mechanism with
    decay 1/R. That is below 2((n-1) R/(R-1) + R/(R-1)^2 + (R+1)/(R-1) + 1) / 2^B, about (4n/epsilon + 8/epsilon^2) / 2^B.""",
    over="every count; both laws as rationals",
    code=["finitedp.impl.counting.dyadic_table.DyadicTable.excess", "finitedp.spec.dyadic.distance"],
    grid=IDEAL,
    subject=built,
    twins={"half the centre": table_of(SmallCentre), "floor for ceiling": table_of(RoundedDown)},
)
def distance(make: MakeTable, case: Dyadic) -> Iterator[Finding]:
    table = make(case)
    weights = [table.weight(j) for j in range(case.n + 1)]
    excess, bound = spec.excess(weights[0], case.ratio, case.word), spec.excess_bound(case.ratio, case.n, case.word)
    worst = max(spec.distance(weights, case.ratio, c) for c in range(case.n + 1))
    yield at_most(worst, excess, "distance")
    yield Finding(excess < bound, excess / bound, f"excess {decimal(excess)} of {decimal(bound)} allowed")
    yield equal(table.excess(), excess, "stated excess")


@own(
    "FD.Dyadic.noise",
    """The mean absolute noise E|Z| is at least that of the geometric law with decay 1/R, clamped to -n..n, and above it by at
    most n times the excess: with n^2/epsilon near 2^B it is felt.""",
    over="both sides as rationals",
    code=[
        "finitedp.impl.counting.dyadic_table.DyadicTable.mean_absolute_noise",
        "finitedp.spec.dyadic.geometric_absolute_noise",
    ],
    grid=IDEAL,
    subject=built,
    twins={"floor for ceiling": table_of(RoundedDown), "leftover at the centre": table_of(LeftoverAtCentre)},
)
def noise(make: MakeTable, case: Dyadic) -> Finding:
    table = make(case)
    weights = [table.weight(j) for j in range(case.n + 1)]
    found, ideal = spec.mean_absolute_noise(weights), spec.geometric_absolute_noise(case.ratio, case.n)
    allowed = case.n * spec.excess(weights[0], case.ratio, case.word)
    within = at_most(max(found - ideal, mpq(0)), allowed, f"E|Z| = {decimal(found)}, above the ideal by")
    stated = equal(table.mean_absolute_noise(), found, "stated E|Z|")
    return all_of([within, equal(found >= ideal, True, "not below the ideal"), stated])
