"""Counts that differ by several, on a dyadic table: the worst ratio, and what dominates."""

from collections.abc import Callable, Iterator
from itertools import product

from gmpy2 import mpq

from finitedp.curve import Pair
from finitedp.impl.accounting.pairs import dyadic_pair
from finitedp.impl.counting.dyadic_groups import group_pair, group_ratio
from finitedp.impl.counting.dyadic_table import DyadicTable
from finitedp.proofs_check.claims.own.dyadic.subjects import Dyadic, built
from finitedp.proofs_check.claims.own.totals.subjects import worst_ratio
from finitedp.proofs_check.ledger.entry import Finding, cases
from finitedp.proofs_check.ledger.findings import at_most, equal, own
from finitedp.spec import dyadic as spec
from finitedp.spec.divergence import hockey_stick

TABLES = cases(
    Dyadic,
    [(2, "1", 8), (4, "1", 8), (7, "5", 9), (8, "2", 8), (10, "1/2", 10), (12, "1/5", 12), (6, "3", 64)],
    [(1, "2", 8), (3, "1/3", 10), (9, "7", 16), (20, "1/2", 16), (25, "1", 64), (16, "6", 128), (30, "1/4", 12)],
)


def _weights_alone(table: DyadicTable, d: int) -> mpq:
    last = table.n - d
    return max((mpq(table.weight(j), table.weight(j + d)) for j in range(last)), default=mpq(1))


@own(
    "FD.Group.ratio",
    """The worst ratio of two noisy counts that differ by at most d is the largest of S_j/S_(j+d) and w_j/w_(j+d) of the
    table's tails and weights (d = n: of S_0/S_n and those of n - 1); it is what group_ratio gives, and at most R^d.""",
    over="every d in 1..n, all pairs of counts, by the laws of the definition",
    code=["finitedp.impl.counting.dyadic_groups.group_ratio"],
    grid=TABLES,
    subject=group_ratio,
    twins={
        "the weights alone": _weights_alone,
        "the tails alone": lambda table, d: max(
            mpq(table.upper(j), table.upper(min(j + d, table.n))) for j in range(table.n + 1)
        ),
        "of d - 1": lambda table, d: group_ratio(table, d - 1),
        "R^d": lambda table, d: table.ratio**d,
    },
)
def ratio_of_groups(ratio: Callable[[DyadicTable, int], mpq], case: Dyadic) -> Iterator[Finding]:
    table, laws = built(case), [spec.law(case.weights, c) for c in range(case.n + 1)]
    for d in range(1, case.n + 1):
        yield equal(ratio(table, d), worst_ratio(laws, d), f"d = {d}")
        yield at_most(ratio(table, d), case.ratio**d, f"d = {d}")


def _one_way(table: DyadicTable, d: int) -> Pair:
    """The laws at n - d and n, without their mirror image."""
    laws = [spec.law([table.weight(j) for j in range(table.n + 1)], c) for c in (table.n - d, table.n)]
    scale = 1 << table.bits
    return Pair((int(laws[0][z] * scale), int(laws[1][z] * scale)) for z in range(table.n + 1))


@own(
    "FD.Group.pair",
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
def pair_of_groups(pair: Callable[[DyadicTable, int], Pair], case: Dyadic) -> Iterator[Finding]:
    laws = [spec.law(case.weights, c) for c in range(case.n + 1)]
    for d in range(1, case.n // 2 + 1):
        found = pair(built(case), d)
        apart = [(a, b) for (i, a), (j, b) in product(enumerate(laws), repeat=2) if 0 < abs(i - j) <= d]
        gammas = {a[z] / b[z] for a, b in apart for z in range(len(laws))} | {*found.quotients, mpq(0), mpq(1)}
        for gamma in sorted(gammas):
            worst = max(hockey_stick(a, b, gamma).delta for a, b in apart)
            yield equal(found.line(gamma).at(gamma), worst, f"d = {d}, gamma = {gamma}")
