"""finitedp.spec.counting: the laws from their definitions, checked against each other and against known values."""

import pytest
from gmpy2 import mpq
from hypothesis import given
from hypothesis import strategies as st

from finitedp.errors import ParameterError
from finitedp.spec import counting
from finitedp.spec.accuracy import least_accuracy, miss_probability, simultaneous_miss
from finitedp.spec.mixing import largest_distance
from finitedp.spec.pmf import Pmf

decays = st.fractions(min_value="1/50", max_value="49/50", max_denominator=50)


def test_known_values() -> None:
    # decay 1/2: 1/3 at 0, 1/6 at +-1, 1/12 at +-2, ...
    assert counting.geometric_mechanism(3, "1/2", 1) == Pmf.from_probabilities({0: "1/3", 1: "1/3", 2: "1/6", 3: "1/6"})
    assert counting.geometric_pmf("1/2", -2) == mpq(1, 12)
    assert counting.geometric_tail("1/2", 1) == mpq(1, 3)


@given(decays, st.integers(1, 30))
def test_tail_is_what_the_masses_leave(decay: mpq, m: int) -> None:
    middle = sum((counting.geometric_pmf(decay, z) for z in range(-m + 1, m)), mpq(0))
    assert 2 * counting.geometric_tail(decay, m) == 1 - middle


@given(st.integers(1, 25), decays, st.data())
def test_geometric_mechanism_mirrors(n: int, decay: mpq, data: st.DataObject) -> None:
    c = data.draw(st.integers(0, n))
    mirrored = counting.geometric_mechanism(n, decay, n - c).pushforward(lambda z: n - z)
    assert counting.geometric_mechanism(n, decay, c) == mirrored


@given(decays, st.integers(0, 40))
def test_truncated_law_keeps_masses_and_moves_the_rest_to_zero(decay: mpq, radius: int) -> None:
    law = counting.truncated_geometric(decay, radius)
    assert all(law[z] == counting.geometric_pmf(decay, z) for z in range(-radius, radius + 1) if z)
    assert law[0] == counting.geometric_pmf(decay, 0) + 2 * counting.geometric_tail(decay, radius + 1)
    assert law.support == set(range(-radius, radius + 1))


def test_epsilon_one_has_decay_two_thirds() -> None:
    assert counting.sample_decay(1) == mpq(2, 3)
    assert counting.sample_decay("1/10") == mpq(32, 33)


def test_truncation_radius_by_hand() -> None:
    # n = 1, epsilon = 1, gamma = 1/2: log2(8 * 2) = 4, t = ceil(4.5 * 4) - 1 = 17
    assert counting.truncation_radius(1, 1, "1/2") == 17
    # epsilon = 1/3, n = 2, gamma = 1/3: log2(8 * 3 * 2/3 * 9) = log2(144) -> 8, t = 13.5 * 8 - 1 = 107
    assert counting.truncation_radius(2, "1/3", "1/3") == 107


@pytest.mark.parametrize("count", [-1, 5])
def test_count_out_of_range(count: int) -> None:
    with pytest.raises(ParameterError, match=f"count = {count} is out of range; accepted: an integer from 0 to 4"):
        counting.fast_sample(4, 1, "1/2", count)


@pytest.mark.parametrize("decay", [0, 1, "3/2"])
def test_decay_out_of_range(decay: str) -> None:
    with pytest.raises(ParameterError, match="a rational in"):
        counting.geometric_mechanism(4, decay, 0)


def test_accuracy_functions() -> None:
    law = Pmf({0: 1, 1: 2, 2: 1})
    assert miss_probability(law, 1, 0) == mpq(1, 2)
    assert miss_probability(law, 1, 1) == 0
    assert simultaneous_miss([(law, 1), (law, 1)], 0) == mpq(3, 4)
    assert [least_accuracy(law, 1, mpq(beta)) for beta in ("1/2", "1/3")] == [0, 1]
    assert least_accuracy(law, 5, mpq(0)) == 5


def test_largest_distance_by_hand() -> None:
    assert largest_distance(3, "1/2", "1/8") == mpq(1, 16)
