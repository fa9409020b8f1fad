"""The bounds of a sum's error, by hand."""

from gmpy2 import mpq

from finitedp.spec.pmf import Pmf
from finitedp.spec.released.sums import error_above, error_below, narrowest

NOISE = Pmf({-2: 1, -1: 2, 0: 4, 1: 2, 2: 1})


def test_one_label_is_at_most_n_rows() -> None:
    assert error_above(NOISE, 2, 1) == Pmf({0: 7, 1: 2, 2: 1})
    assert error_below(NOISE, 2, 1) == Pmf({-2: 1, -1: 2, 0: 7})


def test_the_second_and_the_third_label_are_at_most_half_of_n_rows() -> None:
    second = Pmf({-1: 3, 0: 4, 1: 3})
    assert error_below(NOISE, 2, 3) == Pmf(
        {
            a + b + c: sum(
                Pmf({-2: 1, -1: 2, 0: 7}).weight(x) * second.weight(y) * second.weight(a + b + c - x - y)
                for x in (-2, -1, 0)
                for y in (-1, 0, 1)
            )
            for a in (-2, -1, 0)
            for b in (-1, 0, 1)
            for c in (-1, 0, 1)
        }
    )


def test_a_threshold_hides_small_noise_and_labels_beyond_n() -> None:
    assert error_above(NOISE, 2, 9, 1) == error_above(NOISE, 2, 2, 1)
    assert error_above(NOISE, 1, 1, 2) == Pmf({0: 9, 2: 1})
    assert error_below(NOISE, 4, 1, 1) == Pmf({-2: 1, -1: 2, 0: 7})


def test_the_narrowest_pair_of_ends() -> None:
    above, below = error_above(NOISE, 2, 1), error_below(NOISE, 2, 1)
    assert narrowest(above, below, mpq(1, 5)) == (1, 1)
    assert narrowest(above, below, mpq(1, 10)) == (1, 2)
    assert narrowest(above, below, mpq(1, 11)) == (2, 2)
