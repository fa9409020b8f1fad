"""Dyadic tables, our own: the ratio, the weights that are built, and that (i) and (ii) are what privacy needs."""

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise, product
from typing import NamedTuple

from flint import Ordering, fmpz_mpoly, fmpz_mpoly_ctx
from gmpy2 import mpq

from finitedp.exact import compare_exp
from finitedp.impl.counting.dyadic_table import dyadic_table, ratio_below
from finitedp.proofs_check.claims.own.dyadic.subjects import (
    RATIOS,
    SMALL,
    TABLE,
    Dyadic,
    MakeTable,
    Small,
    Weights,
    built,
    table_of,
)
from finitedp.proofs_check.claims.own.dyadic.twins import LastTooSmall, LeftoverAtCentre, RoundedDown, SmallCentre
from finitedp.proofs_check.ledger.atoms import over
from finitedp.proofs_check.ledger.entry import Cases, Finding, cases, in_scope
from finitedp.proofs_check.ledger.findings import all_of, equal, own
from finitedp.spec import dyadic as spec
from finitedp.spec.divergence import max_ratio
from finitedp.spec.neighbours import count_pairs

# The ratio


class Ratio(NamedTuple):
    """Parameters of ratio_below."""

    epsilon: str
    bits: int


def _above(epsilon: str, bits: int) -> mpq:
    """The least multiple above e^(epsilon/2) instead of the largest below."""
    ratio = ratio_below(epsilon, bits)
    return ratio + mpq(1, ratio.denominator)


def _coarse(epsilon: str, bits: int) -> mpq:
    """The same with twenty bits: below e^(epsilon/2), and far from it."""
    ratio = ratio_below(epsilon, bits)
    return 1 + mpq(int((ratio - 1) * 2**20 // 1), 2**20)


@own(
    "FD.Dyadic.ratio",
    """ratio_below(epsilon, B) is the largest multiple R of 2^-p with R <= e^(epsilon/2), p = B + 64 + ceil(log2(2/epsilon)).
    It is above 1. Where epsilon/2 >= B it is 2^B, which is below e^(epsilon/2) too.""",
    over="epsilon and B on the grid; compared with e^x rigorously",
    code=["finitedp.impl.counting.dyadic_table.ratio_below", "finitedp.spec.dyadic.ratio_below"],
    grid=cases(
        Ratio,
        product(("1/10", "1", "5/2", "7/1000", "20", "300"), (2, 8, 64, 128)),
        product(("1/3", "2", "9/4", "1/1000000", "101/10", "10"), (3, 5, 16, 48, 54, 162, 256)),
    ),
    subject=ratio_below,
    twins={"rounded up": _above, "20 bits": _coarse},
)
def ratio(of: Callable[[str, int], mpq], case: Ratio) -> Finding:
    found, half = of(case.epsilon, case.bits), mpq(case.epsilon) / 2
    below = found > 1 and compare_exp(found, half) <= 0
    if half >= case.bits:
        return all_of([equal(below, True, "1 < R <= e^(epsilon/2)"), equal(found, mpq(2**case.bits), "R")])
    one_more, near = found + mpq(1, found.denominator), found * (1 + mpq(1, 2**case.bits))
    largest = compare_exp(one_more, half) > 0 and compare_exp(near, half) > 0
    expected = spec.ratio_below(case.epsilon, case.bits)
    return all_of([equal((below, largest), (True, True), "R is the largest"), equal(found, expected, "R of the definition")])


@own(
    "FD.Dyadic.lossless",
    """Nothing is lost by taking R for e^(epsilon/2): each weight of the table is the least integer that (i) would allow with
    e^(epsilon/2) itself.""",
    over="every w_j behind the centre, j < n; w_(j+1) - 1 is compared with w_j / e^(epsilon/2) rigorously",
    code=["finitedp.impl.counting.dyadic_table.ratio_below", TABLE[0]],
    grid=cases(
        Dyadic,
        [(30, "1/2", 16), (10**6, "1", 64), (10**6, "1/10", 64), (10**9, "7/3", 128), (9, "1", 8)],
        [(10**9, "1/10", 128), (10**9, "1/100", 64), (10**6, "1/7", 256), (50, "3/4", 32)],
    ),
    subject=ratio_below,
    twins={"20 bits": _coarse},
)
def lossless(of: Callable[[str, int], mpq], case: Dyadic) -> Finding:
    table, half, r = dyadic_table(case.n, case.epsilon, case.word), mpq(case.epsilon) / 2, of(case.epsilon, case.word)
    weights, visible = [*table.head, table.tail], 0
    for weight in weights[: case.n - 1]:
        following = int(-(-weight * r.denominator // r.numerator))
        visible += following > 1 and compare_exp(mpq(weight, following - 1), half) <= 0
    return equal(visible, 0, f"weights that are not least, of {len(weights)}")


# The table


@own(
    "FD.Dyadic.table",
    """The table that is built has w_0 >= ... >= w_(n-1) >= 1, w_n >= 1, (i), (ii) and w_0 + 2(w_1 + ... + w_n) = 2^B. It is
    the definition's: the largest even w_0, least weights behind it, and what is left over, which is even, on w_n.""",
    over="every weight, as integers",
    code=TABLE,
    grid=SMALL,
    subject=built,
    twins={
        "leftover at the centre": table_of(LeftoverAtCentre),
        "floor for ceiling": table_of(RoundedDown),
        "last entry one too small": table_of(LastTooSmall),
        "half the centre": table_of(SmallCentre),
    },
)
def table(make: MakeTable, case: Dyadic) -> Iterator[Finding]:
    found = make(case)
    weights = tuple(found.weight(j) for j in range(case.n + 1))
    parts = {
        "w descends": spec.descends(weights),
        "(i)": spec.steps_hold(weights, case.ratio),
        "(ii)": spec.tails_hold(weights, case.ratio),
        "sum": spec.sums_to(weights, case.word),
    }
    uppers = [found.upper(j) for j in range(case.n + 2)]
    yield from (equal(holds, True, what) for what, holds in parts.items())
    yield equal(weights, case.weights, "weights")
    yield equal(uppers, [*spec.tails(weights), 0], "tails")


# All small tables, whoever built them


class Listed(NamedTuple):
    """R, and weights w_0, ..., w_n."""

    ratio: mpq
    weights: Weights

    def check_scope(self) -> None:
        in_scope(self.ratio > 1, "R > 1")
        in_scope(len(self.weights) >= 2 and spec.descends(self.weights), "weights w_0, ..., w_n that descend, n >= 1")


Conditions = Callable[[Weights, mpq], bool]


def _conditions(weights: Weights, r: mpq) -> bool:
    return spec.descends(weights) and spec.steps_hold(weights, r) and spec.tails_hold(weights, r)


@own(
    "FD.Dyadic.conditions",
    """For weights that descend, (i) and (ii) are what privacy needs, no more and no less: the worst ratio over neighbouring
    counts and outputs is at most R exactly where both hold.""",
    over="every list of weights with w_0 >= ... >= w_(n-1), n and the sum on the grid, whoever might build it",
    code=["finitedp.spec.dyadic.steps_hold", "finitedp.spec.dyadic.tails_hold", "finitedp.spec.dyadic.law"],
    grid=cases(
        Small,
        (size + r for size, r in product(((1, 4), (2, 5), (3, 5)), RATIOS)),
        (size + r for size, r in product(((4, 5), (1, 8), (2, 7), (3, 6), (5, 5), (6, 5)), RATIOS)),
    ),
    subject=_conditions,
    twins={
        "(ii) left out": lambda w, r: spec.descends(w) and spec.steps_hold(w, r),
        "(i) left out": lambda w, r: spec.descends(w) and spec.tails_hold(w, r),
        "(i) asked of w_n too": lambda w, r: _conditions(w, r) and w[-2] <= r * w[-1] and w[-1] <= r * w[-2],
    },
)
@over(lambda case: (Listed(case.ratio, weights) for weights in filter(spec.descends, case.lists())))
def conditions(hold: Conditions, case: Listed) -> Finding:
    n = len(case.weights) - 1
    laws = [spec.law(case.weights, c) for c in range(n + 1)]
    worst = max(max_ratio(laws[a], laws[b]).value for a, b in count_pairs(n))
    return equal(hold(case.weights, case.ratio), worst <= case.ratio, f"{case.weights} within {case.ratio}")


@own(
    "FD.Dyadic.induction",
    """(i) and w_(n-1) <= (R-1) w_n imply (ii) at every j: the room that (ii) leaves at j, R S_(j+1) - S_j, is the sum of the
    room that (i) leaves at j, ..., n - 2 and of (R-1) w_n - w_(n-1).""",
    over="an identity of polynomials in R, w_0, ..., w_n, for each j",
    code=["finitedp.spec.dyadic.steps_hold", "finitedp.spec.dyadic.tails_hold"],
    grid=Cases([1, 2, 3], range(4, 13)),
    subject=lambda r, w: [*(r * b - a for a, b in pairwise(w[:-1])), (r - 1) * w[-1] - w[-2]],
    twins={"w_(n-1) <= R w_n": lambda r, w: [r * b - a for a, b in pairwise(w)]},
    reach="all R and all weights, each n of the grid",
)
def induction(slacks: Callable[[fmpz_mpoly, Sequence[fmpz_mpoly]], list[fmpz_mpoly]], n: int) -> Iterator[Finding]:
    ring = fmpz_mpoly_ctx.get(("R", *(f"w{j}" for j in range(n + 1))), Ordering.lex)
    r, *w = ring.gens()
    rooms, zero = slacks(r, w), r - r
    for j in range(n):
        room = r * sum(w[j + 1 :], zero) - sum(w[j:], zero)
        yield equal(room == sum(rooms[j:], zero), True, f"the identity at j = {j}")


class Words(NamedTuple):
    """How many words lead to one output from each of `counts` counts: all lists of integers from 1 to `most`."""

    counts: int
    most: int
    ratio: mpq


def _floor(r: mpq) -> int:
    """The least integer of at least 1/(R-1)."""
    return int(-(-1 // (r - 1)))


@own(
    "FD.Dyadic.floor",
    """No mechanism that maps one word of B bits to an output can do with less: where the number of words that lead to an
    output depends on the count, and is within the factor R between neighbouring counts, it is at least 1/(R-1) at every
    count. The constant stretch of a table has the least such integer.""",
    over="all lists of word numbers, whatever mechanism they come from; the least entry of those that are not constant",
    code=["finitedp.impl.counting.dyadic_table.dyadic_table"],
    grid=cases(
        Words,
        product((2, 3, 4), (9,), (mpq(2), mpq(3, 2), mpq(4, 3), mpq(9, 7), mpq(5, 4))),
        ((*size, r) for size, r in product(((2, 60), (3, 24), (5, 8)), (mpq(8, 7), mpq(7, 6), mpq(5, 2), mpq(4)))),
    ),
    subject=_floor,
    twins={"one more": lambda r: _floor(r) + 1, "one less": lambda r: _floor(r) - 1},
)
def floor(of: Callable[[mpq], int], case: Words) -> Finding:
    def near(a: int, b: int) -> bool:
        return max(a, b) <= case.ratio * min(a, b)

    lists = product(range(1, case.most + 1), repeat=case.counts)
    least = min((min(w) for w in lists if min(w) < max(w) and all(near(a, b) for a, b in pairwise(w))), default=None)
    in_scope(least, "numbers large enough to differ")
    return equal(least, of(case.ratio), "the least number of words")
