"""Lossy Wasserstein distances: by hand, against couplings and Hall's condition by brute force, and their witnesses."""

import random
from itertools import combinations

import pytest
from attrs import evolve
from gmpy2 import mpq

from finitedp.errors import ParameterError
from finitedp.spec.divergence import total_variation
from finitedp.spec.flexible.certificates import METRICS, value_certificate
from finitedp.spec.flexible.lossy_wasserstein import (
    absolute,
    decide_lossy,
    decide_lossy_average,
    lossy_average,
    lossy_infinity,
    total_loss,
    verified,
    verified_average,
)
from finitedp.spec.pmf import Pmf

P = Pmf.from_probabilities({0: "1/2", 5: "1/4", 9: "1/4"})
Q = Pmf.from_probabilities({1: "1/3", 5: "1/3", 12: "1/3"})


def random_law(rng: random.Random) -> Pmf[int]:
    return Pmf({rng.randint(0, 9): rng.randint(1, 5) for _ in range(rng.randint(1, 4))})


def loss_by_hall(p: Pmf[int], q: Pmf[int], b: mpq) -> mpq:
    """The largest P(A) - Q(within b of A), over all sets A of points of P."""
    sets = (a for size in range(len(p) + 1) for a in combinations(p, size))
    return max(p.probability(a) - q.probability([y for y in q if any(abs(x - y) <= b for x in a)]) for a in sets)


def test_by_hand() -> None:
    values = [lossy_infinity(P, Q, absolute, gamma).value for gamma in ("0", "1/12", "1/6", "1/4", "1/3", "1/2", "3/4")]
    assert values == [7, 5, 3, 3, 3, 1, 0]


@pytest.mark.parametrize("seed", range(5))
def test_against_hall_s_condition(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(12):
        p, q, gamma = random_law(rng), random_law(rng), mpq(rng.randint(0, 8), 8)
        found = lossy_infinity(p, q, absolute, gamma)
        least = next(mpq(b) for b in range(10) if loss_by_hall(p, q, mpq(b)) <= gamma)
        assert found.value == least
        assert found.upper is not None
        assert found.upper.holds
        assert verified(found.upper, absolute)
        assert (found.lower is None) == (least == 0)
        if found.lower is not None:
            assert not found.lower.holds
            assert verified(found.lower, absolute)
        assert total_loss(p, q, absolute, least) == loss_by_hall(p, q, least)


@pytest.mark.parametrize("seed", range(3))
def test_the_average_lies_where_lemma_5_says(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(8):
        p, q = random_law(rng), random_law(rng)
        less, more = lossy_average(p, q, absolute, "1/8"), lossy_average(p, q, absolute, "1/4")
        infinity = lossy_infinity(p, q, absolute, "1/4").value
        assert infinity is not None
        assert more.value <= infinity <= less.value / mpq(1, 8)
        assert verified_average(more, absolute)
        assert decide_lossy_average(p, q, absolute, more.value, "1/4")
        if more.value:
            assert not decide_lossy_average(p, q, absolute, more.value - mpq(1, 10**6), "1/4")


def test_the_average_without_loss_is_the_area_between_distribution_functions() -> None:
    p, q = P.cdf(), Q.cdf()
    at = [
        abs(max((m for x, m in p.items() if x <= z), default=mpq(0)) - max((m for y, m in q.items() if y <= z), default=0))
        for z in range(12)
    ]
    assert lossy_average(P, Q, absolute).value == sum(at)


def test_total_variation_is_the_loss_at_distance_0() -> None:
    assert total_loss(P, Q, absolute, 0) == total_variation(P, Q).distance
    assert lossy_infinity(P, Q, absolute, total_variation(P, Q).distance).value == 0


def test_everything_may_be_lost() -> None:
    assert lossy_infinity(P, Q, absolute, 1).value == 0
    assert lossy_average(P, Q, absolute, 1).value == 0


def test_an_infinite_distance() -> None:
    found = lossy_infinity(Pmf.point(0), Pmf({0: 1, 1: 1}), lambda x, y: 0 if x == y else None, "1/3")
    assert found.value is None
    assert found.lower is not None
    assert verified(found.lower, lambda x, y: 0 if x == y else None)
    with pytest.raises(ParameterError, match="is infinite"):
        value_certificate(found, absolute)


@pytest.mark.parametrize("name", ["l1", "linf", "l2-squared"])
def test_metrics_of_points(name: str) -> None:
    distance = METRICS[name]
    found = lossy_infinity(Pmf.point((0, 0)), Pmf.point((3, -4)), distance)
    assert found.value == {"l1": 7, "linf": 4, "l2-squared": 25}[name]


def test_tampered_witnesses_are_not_verified() -> None:
    yes, no = decide_lossy(P, Q, absolute, 5, "1/12"), decide_lossy(P, Q, absolute, 4, "1/12")
    assert yes.holds
    assert not no.holds
    (i, j, f), *rest = yes.flow
    assert verified(yes, absolute)
    assert verified(no, absolute)
    for flow in (((i, j, f + 1), *rest), ((i, j, f - 1), *rest), ((i, j, -f), *rest), tuple(rest)):
        assert not verified(evolve(yes, flow=flow), absolute)
    assert not verified(evolve(yes, b=mpq(4)), absolute)
    assert not verified(evolve(no, hall=no.hall[1:]), absolute)
    assert not verified(evolve(no, hall=()), absolute)
    assert not verified(evolve(yes, mass=yes.mass + 1), absolute)
    found = lossy_average(P, Q, absolute)
    assert not verified_average(evolve(found, value=found.value - mpq(1, 12)), absolute)
    assert not verified_average(evolve(found, dual=(found.dual[0] + 1, *found.dual[1:])), absolute)


@pytest.mark.parametrize(
    ("b", "gamma", "message"), [(-1, 0, "b = -1"), (0, 2, "gamma"), (0, -1, "gamma"), (0.5, 0, "is a float")]
)
def test_refusals(b: int, gamma: int, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        decide_lossy(P, Q, absolute, b, gamma)


def test_laws_that_are_too_large() -> None:
    long = Pmf({0: 1, 1: 2**100_001})
    for found in (lambda: lossy_infinity(long, P, absolute), lambda: lossy_average(P, long, absolute)):
        with pytest.raises(ParameterError, match=r"common denominator of \d+ bits; accepted: at most 100000 bits"):
            found()
    wide = Pmf.uniform(range(2001))
    with pytest.raises(ParameterError, match="2001 times 2001 pairs"):
        lossy_infinity(wide, wide, absolute)


def test_distances_that_are_none() -> None:
    with pytest.raises(ParameterError, match="at least 0"):
        lossy_infinity(P, Q, lambda x, y: x - y)
    with pytest.raises(ParameterError, match="infinite or negative"):
        lossy_average(P, Q, lambda x, y: None)


def test_a_flow_that_fills_a_point_too_much_is_not_verified() -> None:
    """Half of the mass belongs at 1; a flow that leaves it all at 0 costs nothing, as the dual 0 says, but is none."""
    found = lossy_average(Pmf.point(0), Pmf({0: 1, 1: 1}), absolute)
    assert (found.value, found.mass, found.amount) == (mpq(1, 2), 2, 2)
    forged = evolve(found, value=mpq(0), flow=((0, 0, 2),), dual=(0, (0,), (0, 0)))
    assert verified_average(found, absolute)
    assert not verified_average(forged, absolute)


def test_a_flow_may_list_pairs_that_nothing_moves_along() -> None:
    yes = decide_lossy(P, Q, absolute, 7, 0)
    assert yes.holds
    i, j, _ = yes.flow[0]
    assert verified(evolve(yes, flow=(*yes.flow, (i, j, 0))), absolute)
    assert not verified(evolve(yes, flow=(*yes.flow, (i, j, -1))), absolute)
