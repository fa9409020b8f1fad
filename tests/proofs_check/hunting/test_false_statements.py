"""What the ledger had wrong, found from the grids of then and the statements of then: none of them fails on its grid."""

from itertools import product
from typing import Any

import pytest
from attrs import evolve
from gmpy2 import mpq

from finitedp.exact import compare_exp
from finitedp.impl.counting.dyadic import DyadicSample
from finitedp.impl.counting.dyadic_table import dyadic_table
from finitedp.impl.flexible.tables import shifted_table
from finitedp.proofs_check.claims import entries
from finitedp.proofs_check.claims.gk.corollaries import Coverage
from finitedp.proofs_check.claims.gk.subjects import Search
from finitedp.proofs_check.claims.own.dyadic.histograms import Large
from finitedp.proofs_check.claims.own.flexible import competitors
from finitedp.proofs_check.claims.own.flexible.competitors import Stable
from finitedp.proofs_check.claims.own.flexible.real import Real
from finitedp.proofs_check.hunting.hunting import Hunt
from finitedp.proofs_check.hunting.worker import alarm
from finitedp.proofs_check.ledger.entry import Cases, Check, Entry, Finding, cases
from finitedp.proofs_check.ledger.findings import all_of, at_most, equal
from finitedp.spec.pmf import Pmf

SEARCHES = Cases([Search(n, m, 3 * n * m + 1, n) for n, m in ((2, 1), (3, 2), (4, 2), (4, 3), (5, 3), (6, 2))])
COVERAGES = cases(Coverage, product((mpq(1, 2), mpq(1), mpq(3), mpq(10)), (mpq(1), mpq(11, 10), mpq(3, 2), mpq(3), mpq(5))))


def unclamped(of: Any, case: Large) -> Finding:
    """The least b with S_b <= delta 2^B: not so at b = n."""
    mechanism, delta = DyadicSample(case.n, case.epsilon, case.word), mpq(case.delta)
    b, table = of(mechanism, delta), mechanism.table
    before = b == 0 or mpq(table.upper(b - 1), 2**case.word) > delta
    return all_of([at_most(mpq(table.upper(b), 2**case.word), delta, f"S_{b}"), equal(before, True, "b - 1")])


def with_no_smaller_delta(threshold: Any, case: Stable) -> Finding:
    """Pr[noise >= b] also where nothing is released."""
    table = dyadic_table(case.most, 2 * case.epsilon, case.bits)
    noise = Pmf({sign * j: table.weight(j) for j in range(case.most + 1) for sign in (-1, 1)})
    least = competitors._threshold(noise, case.delta)
    claimed = noise.probability(lambda z: z >= least)
    now = competitors.stability(threshold, case)
    return all_of([now, equal(claimed if least < case.most else mpq(0), claimed, "delta")])


def largest_below(of: Any, case: Real) -> Finding:
    """R is the largest multiple of its unit below e^epsilon."""
    made = shifted_table(of(case.epsilon, mpq(1, 2**case.k)), case.epsilon)
    unit = mpq(1, made.ratio.denominator)
    return equal(compare_exp(made.ratio, case.epsilon) <= 0 < compare_exp(made.ratio + unit, case.epsilon), True, "R")


def _old() -> dict[str, Entry]:
    ledger = entries()
    found = {
        name: evolve(ledger[f"{name}.literal"], grid=SEARCHES) for name in ("GK.Eq11", "GK.Eq12", "GK.Eq13", "GK.Lem27")
    } | {
        "GK.Cor23.sensitivity": evolve(ledger["GK.Cor23.sensitivity.literal"], grid=COVERAGES),
    }
    large = cases(
        Large,
        [
            (10**6, "1/10", "1/10000000000", 64),
            (20190, "1", "1/1000000", 64),
            (5000, "2/7", "3/1000001", 64),
            (900, "1/2", "9/10", 64),
            (10**6, "1", "1/100000000000000000000", 200),
        ],
    )
    stable = cases(
        Stable,
        [
            (mpq(1), mpq(1, 10), 10, 5),
            (mpq(2), mpq(1, 20), 10, 5),
            (mpq(1, 2), mpq(1, 4), 10, 5),
            (mpq(1), mpq(1, 50), 16, 6),
            (mpq(3), mpq(1, 100), 16, 6),
        ],
    )
    reals = cases(Real, [*product(("1/10", "1/4", "1/2", "1", "2"), (20, 40)), *product(("1/20", "1/3", "3"), (10, 30, 50))])
    own: dict[str, tuple[Check, Cases]] = {
        "FD.Dyadic.stability.threshold": (unclamped, large),
        "FD.Compare.stability": (with_no_smaller_delta, stable),
        "FD.Shifted.real": (largest_below, reals),
    }
    return found | {id: evolve(ledger[id], check=check, grid=grid) for id, (check, grid) in own.items()}  # noqa: A001


OLD = _old()


SECONDS, SEEDS = 120, range(1, 6)
SLOW = {"GK.Eq11", "GK.Eq13", "GK.Lem27", "GK.Cor23.sensitivity"}
"""What takes many seconds, and with most seeds: too long for every change."""


@pytest.mark.parametrize(
    ("id", "seed"),
    [
        pytest.param(name, seed, marks=pytest.mark.full if name in SLOW or seed > 1 else pytest.mark.deep)
        for name in OLD
        for seed in SEEDS
    ],
)
def test_a_statement_that_fails_beyond_its_grid_is_found_false(id: str, seed: int) -> None:  # noqa: A002
    entry = OLD[id]
    assert all(entry.check(entry.subject, case).holds for case in entry.instances("full"))
    found = Hunt(entry, SECONDS, seed, alarm=alarm()).run().counterexample
    assert found is not None


def test_the_statements_of_now_hold_where_those_of_then_are_found_false() -> None:
    small = Large(2, "1", "1/10", 16), Stable(mpq(1, 2), mpq(1, 16), 10, 5), Real("77", 20)
    for id, case in zip(("FD.Dyadic.stability.threshold", "FD.Compare.stability", "FD.Shifted.real"), small, strict=True):  # noqa: A001
        old, now = OLD[id], entries()[id]
        assert not old.check(old.subject, case).holds
        assert now.check(now.subject, case).holds
