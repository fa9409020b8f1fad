"""The best mechanisms (lower_bounds.best), and instances that can fail."""

from itertools import product
from typing import Any

import pytest
from gmpy2 import mpq

from finitedp.proofs_check.checks.linear import Program, certifies, minimum
from finitedp.proofs_check.claims import entries
from finitedp.proofs_check.claims.bv.lower_bounds.best import Best, best_table
from finitedp.proofs_check.claims.bv.lower_bounds.statements import lines_of
from finitedp.proofs_check.claims.bv.lower_bounds.subjects import measured
from finitedp.spec.neighbours import multisets, neighbouring_multisets
from tests.sampling import sampled


def unreduced(case: Best) -> mpq:
    """The least beta over all tables of datasets and all histograms with counts up to n; only rows' order is left out."""
    universe, outputs = range(case.size), list(product(range(case.n + 1), repeat=case.size))
    if case.kind == "sparse":
        outputs = [h for h in outputs if sum(map(bool, h)) <= case.bins]
    rows: list[tuple[dict[Any, mpq], mpq]] = []
    for d in multisets(universe, case.n):
        rows += [({(d, h): mpq(sign) for h in outputs}, mpq(sign)) for sign in (1, -1)]
        errors = {h: [abs(z - d.count(x)) for x, z in enumerate(h)] for h in outputs}
        wrong = [[h for h in outputs if errors[h][x] > case.a] for x in universe]
        if case.kind == "simultaneous":
            wrong = [[h for h in outputs if max(errors[h]) > case.a]]
        rows += [({"beta": mpq(1)} | {(d, h): mpq(-1) for h in each}, mpq(0)) for each in wrong]
    for d, e in neighbouring_multisets(universe, case.n, "replace-one"):
        over = {h: {("over", d, e, h): mpq(1)} if case.delta else {} for h in outputs}
        rows += [({(d, h): mpq(-1), (e, h): case.ratio} | over[h], mpq(0)) for h in outputs]
        if case.delta:
            rows.append(({("over", d, e, h): mpq(-1) for h in outputs}, -case.delta))
    program: Program[Any] = Program("beta", tuple(rows))
    found = minimum(program)
    assert certifies(program, found)
    return found.value(program)


@pytest.mark.parametrize(
    "case",
    [
        Best("per query", 2, 0, mpq(3), mpq(1, 10)),
        Best("simultaneous", 2, 0, mpq(3), mpq(1, 10)),
        Best("simultaneous", 3, 0, mpq(3, 2), mpq(1, 10)),
        Best("sparse", 3, 0, mpq(3), mpq(1, 10), bins=1),
        Best("sparse", 3, 0, mpq(3, 2), mpq(0), bins=2),
        Best("per query", 2, 1, mpq(3, 2)),
        Best("simultaneous", 2, 1, mpq(3, 2)),
        pytest.param(Best("per query", 2, 1, mpq(3, 2), mpq(1, 20)), marks=pytest.mark.deep),
    ],
    ids=str,
)
def test_the_reductions_lose_nothing(case: Best) -> None:
    assert best_table(case).beta == unreduced(case)


@pytest.mark.parametrize("case", [Best("simultaneous", 4, 1, mpq(3, 2), mpq(1, 20)), Best("sparse", 5, 0, mpq(3), mpq(0), 2)])
def test_the_table_is_what_was_promised(case: Best) -> None:
    found, beta = measured(case), best_table(case).beta
    assert [(ratio, delta <= case.delta) for ratio, delta in found.levels] == [(case.ratio, True)]
    assert (found.simultaneous if case.kind == "simultaneous" else found.per_query)(case.a) == beta


@pytest.mark.parametrize(
    "id", sampled(["BV.Thm7.1.i", "BV.Thm7.1.ii", "BV.Thm7.2", "FD.Constants.7.1.i", "FD.Constants.7.2"], 1)
)
def test_every_instance_has_an_error_that_could_be_too_small(id: str) -> None:  # noqa: A002  # the field's name
    entry = entries()[id]
    for case in entry.instances("quick"):
        found, half = measured(case), "7.2" in id
        miss = found.simultaneous if id == "BV.Thm7.1.ii" else found.per_query
        assert list(lines_of(found, miss, entry.subject.bound, half=half)), case


@pytest.mark.parametrize(
    ("id", "twins"),
    {
        "BV.Thm7.1.i": {"beta for 4 beta", "delta/2 for 4 delta", "2 beta for 4 beta, delta for 4 delta"},
        "BV.Thm7.1.ii": {"beta for 4 beta", "2 beta for 4 beta", "delta for 4 delta", "2 delta for 4 delta"},
        "BV.Thm7.2": {"2 beta n' for 16 beta n'", "delta/2 for 4 delta"},
        "FD.Constants.7.1.i": {"beta for 2 beta", "delta for 2 delta"},
        "FD.Constants.7.2": {"2 for 8", "beta for 8 beta"},
    }.items(),
)
def test_other_constants_are_twins(id: str, twins: set[str]) -> None:  # noqa: A002  # the field's name
    """That each is rejected is tested with the claim, as for all twins."""
    assert twins <= set(entries()[id].twins)
