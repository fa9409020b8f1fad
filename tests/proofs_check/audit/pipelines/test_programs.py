"""Bounds of random programs against the exact laws of their outputs: none is below the largest loss."""

import pytest
from gmpy2 import mpq

from finitedp.proofs_check.audit.pipelines.auditing import followed
from finitedp.proofs_check.audit.pipelines.deciding import bound_of
from finitedp.proofs_check.audit.pipelines.searching import side_of
from finitedp.proofs_check.engine.limits import Budget
from finitedp.proofs_check.parallel import HERE
from tests.proofs_check.audit.pipelines.programs import above, law, program
from tests.sampling import sampled


def looked_at(seed: int) -> tuple[int, int, int]:
    """How many bounds of a program were compared, are too small, and are attained."""
    mechanism = program(seed)
    paths = followed(mechanism, [0, 1], "none", rows="tuple", budget=Budget(), workers=HERE)[0]
    laws = {count: law(found) for count, found in paths.items()}
    for exact in laws.values():
        total = {x: mpq(0) for mass in (exact or {}).values() for x in mass}
        for x, c in ((x, c) for mass in (exact or {}).values() for x, c in mass.items()):
            total[x] += c
        assert exact is None or {x: c for x, c in total.items() if c} == {0: 1}  # all paths, as exact sums of exponentials
    sides = [side_of(paths[count]) for count in (0, 1)]
    found = []
    for left, right in ((0, 1), (1, 0)):
        bound, mine, others = bound_of(sides, (left, right), {}), laws[left], laws[right]
        if mine is not None and others is not None and not bound.open:
            found.append(above(bound, mine, others))
    return len(found), sum(one for one, _ in found), sum(tight for _, tight in found)


@pytest.mark.parametrize("first", sampled(range(0, 2000, 20), 1))
def test_no_bound_is_below_the_largest_loss(first: int) -> None:
    found = [looked_at(seed) for seed in range(first, first + 20)]
    compared, too_small, attained = (sum(one[i] for one in found) for i in range(3))
    assert too_small == 0
    assert 0 < attained <= compared > 10
