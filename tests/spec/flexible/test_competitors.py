from gmpy2 import mpq

from finitedp.spec.flexible import competitors as spec
from finitedp.spec.pmf import Pmf

COIN = Pmf({0: 1, 1: 1})


def test_the_last_bar_that_reaches_k() -> None:
    assert spec.law_of_max_k([Pmf.point(1), COIN, COIN], 1) == Pmf({0: 1, 1: 1, 2: 2})
    assert spec.law_of_max_k([COIN, COIN], 2) == Pmf.point(0)


def test_the_first_of_the_largest_bars() -> None:
    assert spec.law_of_mode([COIN, COIN]) == Pmf({0: 3, 1: 1})


def test_a_bar_below_the_threshold_is_not_seen() -> None:
    noise = Pmf({-1: 1, 0: 1, 1: 1})
    assert spec.released_if_above(noise, 0, 1, 9) == Pmf.point(0)
    assert spec.released_if_above(noise, 1, 1, 9) == Pmf({0: 2, 2: 1})
    assert spec.released_if_above(noise, 2, 0, 2) == Pmf({1: 1, 2: 2})


def test_rows_of_the_exponential_mechanism() -> None:
    law = spec.exponential(0, 3, mpq(1, 2))
    assert law == Pmf({0: 4, 1: 2, 2: 1})
    assert spec.exponential_ratio(3, mpq(1, 2)) == 4


def test_distances_to_a_change() -> None:
    assert spec.distance_to_change_max_k((5, 7, 3), 5) == 1
    assert spec.distance_to_change_max_k((9, 0), 1) == 0
    assert spec.distance_to_change_mode((5, 5, 0)) == 0
    assert spec.distance_to_change_mode((9, 5, 0)) == 4


def test_a_refusal_is_uniform() -> None:
    assert spec.propose_test_release(1, 2, 1, (1, 3)) == Pmf({0: 3, 1: 5})
    assert spec.propose_test_release(1, 2, 0, (1, 3)) == Pmf({0: 1, 1: 1})


def test_jumps_and_what_they_cost() -> None:
    assert spec.spread_costs_max_k((2, 0, 1), 1) == {1: 1, 2: 0}
    assert spec.level({1: 5, 4: 1}, mpq(2)) == 1
    assert spec.level({1: 0}, mpq(2)) == 0


def test_noise_is_cut_off_at_the_ends() -> None:
    assert spec.with_noise_at(0, 3, (4, 2, 1, 1)) == Pmf({0: 8, 1: 2, 2: 2})
    assert spec.with_noise_at(1, 3, (4, 2, 1, 1)) == Pmf({0: 4, 1: 4, 2: 4})


def test_a_choice_is_in_proportion() -> None:
    assert spec.choice((0, 2), mpq(3, 2)) == Pmf({0: 4, 1: 9})


def test_what_a_tie_costs() -> None:
    """Two rows make 5 and 3 equal, five make 5 and 0 equal; one less is enough to be a row away."""
    assert spec.spread_costs_mode((5, 3, 0)) == {1: 1, 2: 4}
    assert spec.spread_costs_mode((2, 2, 0)) == {1: 0, 2: 1}
