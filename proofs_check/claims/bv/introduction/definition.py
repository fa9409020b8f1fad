"""Definition 1.1 of Balcer and Vadhan: privacy of algorithms on datasets, decided and enumerated."""

from collections.abc import Callable, Iterator
from functools import cache
from itertools import combinations, product
from math import comb
from typing import NamedTuple

from gmpy2 import mpq

from finitedp.claim import PrivacyClaim
from finitedp.exact import compare_exp
from finitedp.proofs_check.deciders.privacy import decide_privacy
from finitedp.proofs_check.ledger.entry import Finding, cases, in_scope
from finitedp.proofs_check.ledger.findings import definition, equal
from finitedp.proofs_check.ledger.grids import small_laws
from finitedp.spec.neighbours import datasets, neighbouring_multisets, neighbouring_pairs
from finitedp.spec.pmf import Pmf

Rows = tuple[int, ...]
Pairs = Callable[[range, int], Iterator[tuple[Rows, Rows]]]
LEVELS = [(epsilon, delta) for epsilon in (mpq(1, 2), mpq(1)) for delta in (mpq(0), mpq(1, 3))]


class Algorithms(NamedTuple):
    """All M: X^n -> {0, ..., outcomes - 1} with probabilities in 1/total, that send the first dataset to one of them."""

    size: int
    n: int
    outcomes: int
    total: int
    first: int

    def check_scope(self) -> None:
        in_scope(self.size >= 2, "neighbours")
        in_scope(min(self.n, self.outcomes, self.total) >= 1, "a row, an output and a denominator")
        in_scope(0 <= self.first < comb(self.total + self.outcomes - 1, self.total), "one of the laws")

    def tables(self) -> Iterator[dict[Rows, Pmf[int]]]:
        """Each of them, as the laws by dataset."""
        inputs, laws = list(datasets(range(self.size), self.n)), small_laws(self.outcomes, self.total)
        for rest in product(laws, repeat=len(inputs) - 1):
            yield dict(zip(inputs, (laws[self.first], *rest), strict=True))


@cache
def _within(p: mpq, q: mpq, epsilon: mpq, delta: mpq) -> bool:
    """p <= e^epsilon q + delta."""
    return p <= delta if q == 0 else compare_exp((p - delta) / q, epsilon) <= 0


def _differ_on_one_row(left: Rows, right: Rows) -> bool:
    return sum(x != y for x, y in zip(left, right, strict=True)) == 1


def _private(table: dict[Rows, Pmf[int]], outcomes: int, epsilon: mpq, delta: mpq) -> bool:
    """The definition, word for word."""
    events = [set(s) for size in range(outcomes + 1) for s in combinations(range(outcomes), size)]
    return all(
        _within(table[left].probability(s), table[right].probability(s), epsilon, delta)
        for left, right in product(table, repeat=2)
        if _differ_on_one_row(left, right)
        for s in events
    )


def _replace_one(universe: range, n: int) -> Iterator[tuple[Rows, Rows]]:
    return neighbouring_pairs(universe, n, "replace-one")


@definition(
    "BV.Def1.1",
    """M is (epsilon, delta)-differentially private if for every two datasets of X^n that differ on one row and every set S of
    outputs, Pr[M(D) in S] <= e^epsilon Pr[M(D') in S] + delta; pure for delta = 0, else approximate. The verdict over the
    neighbouring pairs of the specification agrees with the enumeration of all datasets and sets.""",
    over="every algorithm on X^n with few outputs and small denominators; epsilon = 1/2, 1; delta = 0, 1/3",
    code=["finitedp.spec.neighbours.neighbouring_pairs", "finitedp.proofs_check.deciders.privacy.decide_privacy"],
    grid=cases(
        Algorithms,
        [(2, 2, 2, 3, 1), *((3, 1, 2, 3, first) for first in range(4)), (2, 1, 3, 2, 1)],
        [*((2, 2, 2, 3, first) for first in range(4)), *((3, 1, 3, 2, first) for first in range(6))],
    ),
    subject=_replace_one,
    twins={
        "datasets without order": lambda universe, n: neighbouring_multisets(universe, n, "replace-one"),
        "one direction": lambda universe, n: ((a, b) for a, b in _replace_one(universe, n) if a < b),
        "the last row alone": lambda universe, n: ((a, b) for a, b in _replace_one(universe, n) if a[:-1] == b[:-1]),
        "all pairs of datasets": lambda universe, n: product(datasets(universe, n), repeat=2),
    },
)
def definition_of_privacy(pairs: Pairs, case: Algorithms) -> Finding:
    listed, looked_at = list(pairs(range(case.size), case.n)), 0
    for table in case.tables():
        for epsilon, delta in LEVELS:
            claim = PrivacyClaim(epsilon, "replace-one", delta)
            found = decide_privacy(table.__getitem__, listed, claim).holds
            expected = _private(table, case.outcomes, epsilon, delta)
            looked_at += 1
            if found != expected:
                return equal(found, expected, f"{table} at epsilon={epsilon}, delta={delta}")
    in_scope(looked_at, "an algorithm at least")
    return Finding(True, mpq(0), f"{looked_at} verdicts: equal")
