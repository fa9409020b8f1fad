"""BoundedTotal: what a user meets; its law and privacy are claims (FD.Total.law, FD.Total.private)."""

from collections import Counter

import pytest
from gmpy2 import mpq

from finitedp.errors import ParameterError
from finitedp.impl.counting.bounded_total import BoundedTotal, bounded_count, bounded_total
from finitedp.impl.counting.dyadic import DyadicSample
from finitedp.impl.counting.dyadic_groups import group_pair, group_ratio
from finitedp.impl.randomness.coins import SeededBits, StrictCoins


def test_a_sum_is_clipped_and_noisy() -> None:
    mechanism, coins = bounded_total(100, 0, 10, 1000), StrictCoins(SeededBits(1, not_private=True))
    assert mechanism.total(Counter([-5, 3, 3, 99])) == 0 + 3 + 3 + 10
    assert mechanism.release([-5, 3, 3, 99], coins) == 16
    assert mechanism.cost().draws == 1


@pytest.mark.parametrize(
    ("bounds", "neighbours", "missing", "s"),
    [
        ((2, 5), "add-remove", False, 5),
        ((2, 5), "replace-one", False, 3),
        ((2, 5), "replace-one", True, 5),
        ((-7, 5), "add-remove", False, 7),
        ((-7, 5), "replace-one", False, 12),
    ],
)
def test_what_a_row_changes(bounds: tuple[int, int], neighbours: str, missing: bool, s: int) -> None:
    mechanism = bounded_total(10, *bounds, 1, neighbours, missing=missing)
    assert mechanism.sensitivity == mechanism.changed == s
    assert mechanism.mechanism.epsilon == mpq(2, s)
    claim = mechanism.claim()
    assert claim.ratio == group_ratio(mechanism.mechanism.table, s)
    assert claim.neighbours == neighbours


@pytest.mark.parametrize(("high", "epsilon", "step", "changed"), [(10**6, "1/10", 10**4, 100), (400, "1/10", 1, 400)])
def test_a_large_bound_is_counted_in_steps(high: int, epsilon: str, step: int, changed: int) -> None:
    mechanism = bounded_total(10**6, 0, high, epsilon)
    assert (mechanism.step, mechanism.changed) == (step, changed)
    noise = mechanism.mechanism.accuracy("1/20").a
    assert mechanism.accuracy("1/20").a == noise * step + step // 2


def test_the_curve_is_that_of_the_steps() -> None:
    claim = bounded_total(1000, 0, 5, 1).claim()
    curve = claim.curve()
    assert curve.source == "FD.Group.pair"
    assert curve.ratio() == claim.ratio  # no delta: the worst ratio
    assert curve.delta(0)[1] < claim.curve().delta_at(1) + mpq(1, 10**6)
    assert bounded_total(1, 0, 5, 1).claim().curve().source == "FD.Pair.pure"  # too few sums for it


def test_a_count_is_a_total_of_ones() -> None:
    mechanism = bounded_count(1000, "1/3")
    assert mechanism.mechanism == DyadicSample(1000, "2/3", 64)
    assert mechanism.accuracy("1/20").a == DyadicSample(1000, "2/3", 64).accuracy("1/20").a


def test_a_longer_word_where_it_lowers_the_error() -> None:
    assert bounded_total(10**6, 0, 100, 1).word == 64
    assert bounded_total(10**15, 0, 100, 1).word == 128


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ((10, 5, 2, 1), "out of order; accepted"),
        ((10, 0, 0, 1), "leave nothing to tell"),
        ((10, 3, 3, 1, "replace-one"), "leave nothing to tell"),
        ((0, 0, 1, 1), "n = 0 "),
        ((10, 0, 1, 0), "epsilon = 0 is not positive"),
        ((10, 0, 0.5, 1), "bounds = 0.5"),
        ((10, 0, 2**600, 1), "bounds"),
        ((10, 0, 5, 1, "counts"), "counts"),
    ],
)
def test_what_is_refused(given: tuple[object, ...], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        bounded_total(*given)  # type: ignore[arg-type]  # wrong on purpose


def test_a_step_beyond_what_a_row_changes_is_refused() -> None:
    with pytest.raises(ParameterError, match="step = 6 is above 5"):
        BoundedTotal(10, 0, 5, 1, step=6)


@pytest.mark.parametrize("d", [0, 6])
def test_a_pair_needs_room(d: int) -> None:
    with pytest.raises(ParameterError, match=f"d = {d}"):
        group_pair(DyadicSample(10, 1).table, d)
