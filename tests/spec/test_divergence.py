"""finitedp.spec.divergence."""

from itertools import chain, combinations

import pytest
from gmpy2 import mpq
from hypothesis import given
from hypothesis import strategies as st

from finitedp.errors import ParameterError
from finitedp.exact import exp_bounds
from finitedp.spec.divergence import (
    hockey_stick,
    max_ratio,
    privacy_profile,
    product_max_ratio,
    total_variation,
)
from finitedp.spec.pmf import Pmf, product

laws = st.dictionaries(st.integers(0, 4), st.integers(0, 9), min_size=1).filter(lambda w: any(w.values())).map(Pmf)
full_laws = st.lists(st.integers(1, 30), min_size=4, max_size=4).map(lambda w: Pmf(dict(enumerate(w))))
ratios = st.fractions(0, 5, max_denominator=20)


def events() -> list[tuple[int, ...]]:
    return list(chain.from_iterable(combinations(range(5), size) for size in range(6)))


@given(laws, laws, ratios)
def test_hockey_stick_is_the_largest_over_all_events(p: Pmf[int], q: Pmf[int], ratio: mpq) -> None:
    found = hockey_stick(p, q, ratio)
    assert found.delta == max(p.probability(s) - ratio * q.probability(s) for s in events())
    assert found.delta == p.probability(found.event) - ratio * q.probability(found.event)


@given(laws, laws, ratios)
def test_profile_equals_hockey_stick_everywhere(p: Pmf[int], q: Pmf[int], ratio: mpq) -> None:
    profile = privacy_profile(p, q)
    for r in (ratio, *profile.breakpoints):
        assert profile.delta(r) == hockey_stick(p, q, r).delta


@given(laws, laws)
def test_profile_is_convex_and_decreasing(p: Pmf[int], q: Pmf[int]) -> None:
    profile = privacy_profile(p, q)
    slopes = [-in_q for _, in_q in profile.pieces]
    assert slopes == sorted(slopes)
    assert profile.delta(0) == 1
    assert list(profile.breakpoints) == sorted(set(profile.breakpoints))


@given(full_laws, full_laws)
def test_max_ratio_is_the_largest_ratio_and_the_last_breakpoint(p: Pmf[int], q: Pmf[int]) -> None:
    found = max_ratio(p, q)
    assert found.value == max(p[x] / q[x] for x in p) == privacy_profile(p, q).breakpoints[-1]
    assert found.value == p[found.outcome] / q[found.outcome]
    assert privacy_profile(p, q).ratio_at(0) == max(found.value, mpq(1))


def test_infinite_ratio_has_its_output_as_witness() -> None:
    found = max_ratio(Pmf({0: 1, 1: 1}), Pmf.point(0))
    assert found.infinite
    assert found.outcome == 1
    assert found.exceeds_ratio(10**9)
    assert found.exceeds_exp(1000)
    assert found.exceeds(max_ratio(Pmf.point(0), Pmf.point(0)))
    assert not max_ratio(Pmf.point(0), Pmf.point(0)).exceeds(found)
    with pytest.raises(ParameterError, match="infinite"):
        _ = found.value


@given(st.lists(st.tuples(full_laws, full_laws), min_size=1, max_size=2))
def test_product_ratio_equals_the_joint_ratio(pairs: list[tuple[Pmf[int], Pmf[int]]]) -> None:
    joint = max_ratio(product([p for p, _ in pairs]), product([q for _, q in pairs]))
    assert product_max_ratio(pairs).value == joint.value


def test_product_ratio_is_infinite_if_a_factor_is() -> None:
    assert product_max_ratio([(Pmf({0: 1, 1: 1}), Pmf.point(0)), (Pmf.point(0), Pmf.point(0))]).infinite


@given(laws, laws)
def test_total_variation_is_symmetric_and_half_the_sum(p: Pmf[int], q: Pmf[int]) -> None:
    distance = total_variation(p, q).distance
    assert distance == total_variation(q, p).distance
    assert 2 * distance == sum((abs(p[x] - q[x]) for x in range(5)), mpq(0))


@given(laws, laws, st.fractions(0, 2, max_denominator=10), st.fractions(0, 1, max_denominator=50))
def test_holds_agrees_with_the_enclosure_of_delta(p: Pmf[int], q: Pmf[int], epsilon: mpq, delta: mpq) -> None:
    profile = privacy_profile(p, q)
    low, high = profile.delta_at_epsilon(epsilon)
    assert 0 <= low <= high
    assert profile.holds(epsilon, min(high, mpq(1)))
    if delta < low:
        assert not profile.holds(epsilon, delta)
    if delta > high:
        assert profile.holds(epsilon, delta)


@given(full_laws, full_laws, st.fractions(0, 1, max_denominator=30))
def test_ratio_at_is_the_least_ratio_for_delta(p: Pmf[int], q: Pmf[int], delta: mpq) -> None:
    profile = privacy_profile(p, q)
    found = profile.ratio_at(delta)
    assert found is not None
    assert profile.delta(found) <= delta
    if found > 1:
        assert profile.delta(found - mpq(1, 10**12)) > delta


def test_ratio_at_is_none_where_no_finite_ratio_does() -> None:
    profile = privacy_profile(Pmf({0: 1, 1: 1}), Pmf.point(0))
    assert profile.ratio_at("1/4") is None
    assert profile.ratio_at("1/2") == 1


def test_delta_at_epsilon_brackets_the_irrational_value() -> None:
    low, high = privacy_profile(Pmf({0: 3, 1: 1}), Pmf({0: 1, 1: 3})).delta_at_epsilon(1)
    e_low, e_high = exp_bounds(1, 200)
    assert low <= mpq(3, 4) - e_high / 4 <= mpq(3, 4) - e_low / 4 <= high


@given(laws, laws)
def test_the_event_at_epsilon_is_the_largest_of_those_that_attain_delta(p: Pmf[int], q: Pmf[int]) -> None:
    """At epsilon = 0 outputs with P[x] = Q[x] change nothing: they are in the event, as they are in that of delta(1)."""
    event = [x for x in range(5) if p[x] and p[x] >= q[x]]
    assert privacy_profile(p, q).piece_at_epsilon(0) == (p.probability(event), q.probability(event))


def test_negative_ratio_is_refused() -> None:
    with pytest.raises(ParameterError, match="ratio = -1 is negative"):
        hockey_stick(Pmf.point(0), Pmf.point(0), -1)
