from fractions import Fraction
from math import comb, log

import pytest
from gmpy2 import mpq

from finitedp.errors import ParameterError
from finitedp.impl.anonymized import properties as impl
from finitedp.spec.anonymized.histograms import distance, histograms, items, larger, prevalences

PAIRS = ((1, 3), (2, 2), (5, 1))


def test_entropy_is_an_interval_around_the_sum() -> None:
    low, high = impl.entropy(PAIRS, 12)
    wanted = 3 * log(12) / 12 + 2 * 2 * log(6) / 12 + 5 * log(12 / 5) / 12
    assert high - low < mpq(1, 2**50)
    assert abs(low - mpq(Fraction(wanted))) < mpq(1, 10**12)
    more = impl.entropy_miller_madow(PAIRS, 12)
    assert more[0] - low == more[1] - high == mpq(5, 24)


def test_counts_of_n_and_more_say_that_one_label_is_everything() -> None:
    assert impl.entropy(((12, 1), (20, 1)), 12) == (mpq(0), mpq(0))


def test_power_sums_are_unbiased() -> None:
    """Over all samples of 4 draws from (1/2, 1/3, 1/6)."""
    p = (mpq(1, 2), mpq(1, 3), mpq(1, 6))
    for order in (2, 3):
        mean = mpq(0)
        for a in range(5):
            for b in range(5 - a):
                counts = (a, b, 4 - a - b)
                weight = comb(4, a) * comb(4 - a, b) * p[0] ** a * p[1] ** b * p[2] ** counts[2]
                mean += weight * impl.power_sum(tuple((c, 1) for c in counts if c), 4, order)
        assert mean == sum(x**order for x in p)


def test_renyi_entropy_of_equal_shares() -> None:
    bounds = impl.renyi_entropy(((1000, 4),), 4000, 2)
    assert bounds is not None
    low, high = bounds
    assert low <= high
    assert abs(low - mpq(Fraction(log(4)))) < mpq(1, 1000)
    assert impl.renyi_entropy(((1, 9),), 9, 2) is None


def test_distance_to_uniformity() -> None:
    assert impl.distance_to_uniformity(((3, 4),), 12, 4) == 0
    assert impl.distance_to_uniformity(((3, 4),), 12, 8) == 1
    assert impl.distance_to_uniformity((), 0, 8) == 1


def test_coverage_is_good_and_toulmin_s_smoothed_sum() -> None:
    share = mpq(2, 3)
    tail = {1: 1 - (1 - share) ** 2, 2: share**2}
    assert impl.support_coverage(PAIRS, 1, k=2) == 3 * tail[1] - 2 * tail[2]
    assert impl.support_size(PAIRS) == 6


@pytest.mark.parametrize("total", [4, 9])
def test_estimates_move_by_at_most_the_distance_times_the_largest_step(total: int) -> None:
    """PH.Cor1's step: |f(H) - f(h)| <= L d(h, H), here for neighbours."""
    steps = [mpq(abs(2 * r + 1 - 0), 1) for r in range(9)]
    for h in histograms(6):
        for more in larger(h):
            assert distance(h, more) == 1
            a, b = (impl.power_sum(prevalences(g), total, 2) for g in (h, more))
            assert abs(a - b) * total * (total - 1) <= max(steps)
            assert items(more) == items(h) + 1


def test_what_is_refused() -> None:
    with pytest.raises(ParameterError, match="order"):
        impl.power_sum(PAIRS, 9, 1)
    with pytest.raises(ParameterError, match="k = 0"):
        impl.distance_to_uniformity(PAIRS, 9, 0)
    for times in (0, -2):  # at -2 the share of the binomial law has no value
        with pytest.raises(ParameterError, match="not positive"):
            impl.support_coverage(PAIRS, times)
