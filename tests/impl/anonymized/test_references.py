import pytest
from gmpy2 import mpq

from finitedp.errors import ParameterError
from finitedp.impl.anonymized import references as impl
from finitedp.impl.anonymized.estimator import algorithm_5
from finitedp.spec.anonymized.histograms import from_prevalences, partitions, prevalences

NOISY = [0, 0, 1, 1, 2, 3]


def test_all_histograms_are_searched() -> None:
    assert sorted(map(from_prevalences, impl.all_pairs(6))) == sorted(partitions(6))
    with pytest.raises(ParameterError, match="12"):
        list(impl.all_pairs(13))


def test_without_collisions_hashing_is_taken_back() -> None:
    """With many buckets Phi_B is nearly phi, so that the estimate itself is the nearest of its size."""
    for h in partitions(5):
        assert impl.algorithm_2(prevalences(h), 5, 10**6) == prevalences(h)


def test_the_search_is_of_expectations_after_hashing() -> None:
    """Two buckets hold what five labels of count 1 leave there: far from phi itself."""
    assert impl.algorithm_2(((2, 1), (3, 1)), 5, 2) != ((2, 1), (3, 1))


def test_a_wide_band_is_algorithm_5_and_a_narrow_one_the_noisy_counts() -> None:
    assert impl.algorithm_3(NOISY, 4, mpq(3, 2), 9) == algorithm_5(NOISY, 4, mpq(3, 2))
    assert impl.algorithm_3(NOISY, 4, mpq(3, 2), 0) == ((1, 2), (2, 1), (3, 1))
    assert impl.algorithm_3([4, 4], 4, mpq(3, 2), 0, labels=1) == ()


@pytest.mark.parametrize("band", [0, 1, 2])
def test_every_sorted_count_is_within_the_band(band: int) -> None:
    found = sorted(from_prevalences(impl.algorithm_3(NOISY, 4, mpq(3, 2), band)), reverse=True)
    padded = [*found, *[0] * (len(NOISY) - len(found))]
    assert all(abs(a - b) <= band for a, b in zip(padded, sorted(NOISY, reverse=True), strict=True))


def test_the_second_table_binds_the_search() -> None:
    first = ((1, 2), (4, 1))
    assert impl.algorithm_4(first, [0, 1, 1, 4], 6, 0) == first
    assert impl.algorithm_4(first, [0, 0, 2, 4], 6, 1) == first
    assert impl.algorithm_4(first, [0, 0, 3, 3], 6, 0) == ((3, 2),)
    assert impl.algorithm_4(first, [0, 0, 3, 3], 5, 0) == ()


def test_small_counts_come_from_the_buckets_and_large_ones_from_the_labels() -> None:
    plain, hashed = ((1, 1), (2, 2), (7, 1)), ((1, 4), (2, 2), (5, 1))
    found = impl.algorithm_7(plain, hashed, 12, 10**6, 2)
    assert found == ((1, 4), (2, 2), (7, 1))
    assert impl.algorithm_7(plain, plain, 12, 10**6, 99) == plain
